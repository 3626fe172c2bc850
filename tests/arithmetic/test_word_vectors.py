"""Golden vectors of the words of arithmetic: what the references write, on every target."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml import arithmetic
from indirectml.arithmetic import (
    contraction,
    convolution,
    functions,
    normalization,
    quantization,
    reductions,
    resampling,
    scans,
    softmax,
    sums,
    windows,
)
from tests import make_word_vectors
from tests.arithmetic.digits import FUNCTIONS
from tests.arithmetic.word_references import REFERENCES, window_of
from tests.make_word_vectors import FILES, FOLDER, cases_of, computed, made, text_of

#: Public functions that are no words of their own, and what they are.
NO_WORDS = {
    "from_halves": "halves of bytes as bytes; tests/operators/test_halves_of_bytes.py",
    "into_halves": "likewise",
    "known": "numbers that stand in a plan",
    "attention": "`contract`, programs and `softmax`; tests/passes/test_attention.py",
    "memory_bytes": "what `attention` works in",
    "neighbourhood": "places for `neighbour_sums`",
    "contract_wide_integer": "tests/arithmetic/test_contraction.py",
    "nonzero": "places alone; tests/operators/test_scans.py",
    "random_bits": "words of Philox; tests/operators/test_random.py",
    "recurrence": "cells are programs; tests/arithmetic/test_recurrence.py",
    "roi_pool": "tests/operators/test_regions.py",
    "roi_align": "likewise",
    "roi_align_gradient": "likewise",
    "roi_align_gradient_of_regions": "likewise",
    "pack": "another layout of what `contract` reads",
    "panel_sizes": "likewise",
    "zero_points": "an argument of `contract_integer`",
    "three": "a geometry with all of its axes",
    "three_dimensional_place": "likewise",
    "filter_matrices": "sizes; tests/passes/test_constants_in_panels.py",
    "gains_by_packing": "likewise",
    "has_pixel_form": "a choice by sizes; tests/passes/test_channels_last.py",
    "columns_of_pixels": "likewise",
    "pack_filters": "another layout of what `convolve` reads",
    "pack_integers": "another layout; tests/arithmetic/test_integers_in_panels.py",
    "panel_bytes": "likewise",
    "settle_convolution": "`quantize` of `convolve`; tests/passes/test_settling_convolutions.py",
    "settles_convolutions": "a choice by sizes; likewise",
    "settle": "`quantize` of `contract` of `dequantize`; tests/passes/test_settling.py",
    "contract_stored": "`contract` of `dequantize_blocks`; tests/passes/test_stored_weights.py",
    "store": "another layout of what it reads",
    "stored_sizes": "likewise",
    "takes_scales": "likewise",
    "dequantize_blocks": "`dequantize` of `spread`; tests/passes/test_stored_weights.py",
    "zero_point_places": "places for a step",
    "integer_power": "exact; tests/arithmetic/test_functions.py",
    "neighbour_sums": "a sum16 over neighbours; tests/arithmetic/test_softmax.py",
    "local_response": "a formula of it",
    "sum_step": "the native form of a sum",
    "rows_of": "places for it",
    "pooled": "a geometry; `average_pool` and others",
    "total": "sum16 or wrapped_sum, by data type",
    "l1": "likewise",
    "sum_square": "likewise",
    "multiply": "product64 or wrapped_product, by data type",
    "coordinates": "a part of `linear` and `nearest`",
    "nearest_indices": "likewise",
    "nearest_taps": "likewise",
    "linear_taps": "likewise",
    "antialiased_taps": "a part of `antialiased`",
    "take_nearest": "a part of `nearest`",
    "transposed": "taps the other way round",
    "resample": "what applies taps",
    "max_pool_with_indices": "`max_pool`; tests/arithmetic/test_windows.py",
    "divisors": "a part of `average_pool`",
    "window_sums": "sum16 over windows; a part of `lp_pool`",
    "group_size": "sizes",
    "reduced_to": "sizes",
    "are_floats": "data types",
    "keeps_or_widens": "likewise",
    "word": "what declares words",
    "found": "likewise",
    "frozen": "fields of words",
    "thawed": "likewise",
    "positions": "indices; tests/operators/test_gathering.py",
    "clamped": "likewise",
    "gather": "moves elements; tests/operators/test_gathering.py",
    "gather_elements": "likewise",
    "gather_tuples": "likewise",
    "scatter_elements": "likewise",
    "scatter_tuples": "likewise",
    "grouped": "moves elements",
    "empty_rows": "memory",
    "ungrouped": "moves elements",
    "spread": "moves elements",
    "reduced_sizes": "sizes",
    "tree16": "a part of `sum16`",
    "readable": "moves elements",
    "quieted": "the NaN of arithmetic",
    "ordered_keys": "a part of `top_k`",
}


def of_function(name):
    return lambda *arguments, data_type: getattr(functions, name)(*arguments, data_type.lower())


def windowed(function):
    """Return a word whose window is made of fields."""

    def word(*arrays, **fields):
        window = windows.Window(*window_of(fields))
        return function(*arrays, window, **fields)

    return word


def sampled(x, taps, axis):
    return resampling.resample(x, {axis: taps})


def linear(x, axis, output_size, *rest):
    at = resampling.coordinates(x.shape[axis], output_size, *rest)
    return sampled(x, resampling.linear_taps(at, x.shape[axis]), axis)


def antialiased(x, axis, output_size, *rest):
    return sampled(x, resampling.antialiased_taps(x.shape[axis], output_size, *rest), axis)


def nearest(x, axis, output_size, *rest, rounding):
    at = resampling.coordinates(x.shape[axis], output_size, *rest)
    indices = resampling.nearest_indices(at, x.shape[axis], rounding)
    return resampling.take_nearest(x, {axis: indices})


def of_axis(function):
    names = ("axis", "output_size", "scale", "input_offset", "output_offset")
    return lambda x, **f: function(x, *(f.pop(name) for name in names), **f)


def same_name(module, *names):
    return {name: getattr(module, name) for name in names}


#: The package's words, by the names in the files.
WORDS = {
    **{name: of_function(name) for name in FUNCTIONS},
    **same_name(contraction, "contract", "contract_integer"),
    **same_name(convolution, "convolve", "convolve_integer"),
    **same_name(sums, "sum16", "sum16_of_squares", "sum16_of_magnitudes", "product64", "moments"),
    **same_name(sums, "largest", "smallest", "index_of_largest", "index_of_smallest"),
    **same_name(sums, "wrapped_sum", "wrapped_product"),
    **same_name(reductions, "mean", "l2", "log_sum", "log_sum_exp"),
    **same_name(softmax, "softmax", "log_softmax", "hardmax"),
    **same_name(normalization, "normalize_by_moments", "normalize_by_norm"),
    "average_pool": windowed(windows.average_pool),
    "lp_pool": windowed(windows.lp_pool),
    "max_pool": windowed(windows.max_pool),
    "max_pool_gradient": windowed(windows.max_pool_gradient),
    "unfold": windowed(windows.unfold),
    "average_pool_gradient": windowed(
        lambda g, w, input_sizes, include_padding: windows.average_pool_gradient(
            g, w, tuple(input_sizes), include_padding=include_padding
        )
    ),
    "fold": windowed(lambda x, w, spatial_sizes: windows.fold(x, w, tuple(spatial_sizes))),
    "linear": of_axis(linear),
    "antialiased": of_axis(antialiased),
    "nearest": of_axis(nearest),
    "scan": lambda x, kind, axis, **f: scans.scan(kind, x, axis, **f),
    **same_name(scans, "top_k", "nonzero_coordinates"),
    **same_name(quantization, "quantize", "dequantize", "requantize", "dynamic_quantization"),
}


@pytest.mark.parametrize("target", dml.available_targets())
@pytest.mark.parametrize("name", FILES)
def test_words_give_the_vectors_on_every_target(name, target):
    dml.configure(target=target)
    for case in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
        expected = case.pop("outputs")
        assert computed(case, WORDS) == expected, case


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_what_the_generator_gives_today(name):
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == text_of(name)


def test_every_word_has_vectors():
    """A public function of arithmetic has vectors, or is listed with what it is instead."""
    public = {
        node.name
        for path in Path(arithmetic.__path__[0]).glob("*.py")
        if path.stem != "basics"
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    in_files = {case["word"] for name in FILES for case in cases_of(name)}

    assert in_files == set(REFERENCES) == set(WORDS)
    assert sorted(public - in_files - set(NO_WORDS)) == []
    assert sorted(set(NO_WORDS) & in_files) == []
    assert sorted(set(NO_WORDS) - public) == []


def test_the_recipe_of_inputs_is_what_it_says():
    mask = (1 << 64) - 1

    def z(seed, i):
        value = ((seed << 32) + i + 1) * 0x9E3779B97F4A7C15 & mask
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & mask
        value = (value ^ value >> 27) * 0x94D049BB133111EB & mask
        return value ^ value >> 31

    assert make_word_vectors.mixed(7, 5).tolist() == [z(7, i) for i in range(5)]
    tensor = {"data_type": "FLOAT32", "sizes": [2, 500], "seed": 3, "kind": "near"}
    expected = []
    for i in range(1000):
        u = z(3, i)
        number = (1 + (u & 0x7FFFFF) / 2**23) * 2.0 ** ((u >> 60 & 7) - 4)
        expected.append(-number if u >> 63 else number)
    assert made(tensor).reshape(-1).tolist() == expected
    special = made({**tensor, "kind": "special"}).reshape(-1)
    assert np.isnan(special).any()
    assert np.isinf(special).any()
    assert (special.view(np.uint32) == 0x80000000).any()
