"""Shows that oracles would notice a mistake in words: `python -m tests.operators.word_breakages`.

Each row of the table is a small change of a word's NumPy form. It is made in this process, with the
word's native step put aside, for as long as an oracle runs, which has to fail where it passes with
the form as it is. Ends with exit code 1 if one does not. `--only TEXT` takes the words whose name
contains it.
"""

import contextlib
import functools
import inspect
import sys
from typing import Any, NamedTuple

import pytest
from tools import device_page

from indirectml.core.errors import OperatorNotImplementedError
from indirectml.core.settings import available_targets
from tests.operators import (
    test_halves_of_bytes,
    test_quantized_blocks,
    test_regions,
)
from tests.operators.breakages import changed, command, forget, oracles
from tests.operators.families import chosen_places, run_oracle
from tests.passes import test_attention as test_joined_attention
from tests.passes import test_settling, test_settling_convolutions, test_stored_weights


class Row(NamedTuple):
    """What becomes what in the NumPy form of a word, and what has to notice it.

    Attributes
    ----------
    old, new : str
        `old` stands exactly once in the source.
    oracle : str or callable
        An operator that speaks the word, with an oracle in its family's table; or a test to call.
    is_beside_native : bool
        The test compares the NumPy form with the native step, and that step with plain loops
        elsewhere: only a pass makes the word, and only where it has a native step.
    """

    old: str
    new: str
    oracle: Any
    is_beside_native: bool = False


def of_regions(test, *arguments):
    """Return a test with each variant of regions."""

    def run():
        for variant in test_regions.VARIANTS.values():
            test(*arguments, variant, *([(2, 3)] if arguments else []))

    return run


BREAKAGES = {
    "attention": Row(
        "contract(shares, values)", "contract(shares, -values)",
        lambda: test_joined_attention.test_the_numpy_form_has_the_same_bits(
            0, "scale", "nothing", test_joined_attention.F32
        ),
        is_beside_native=True,
    ),
    "average_pool": Row("if include_padding", "if not include_padding", "AVERAGE_POOLING1"),
    "average_pool_gradient": Row(
        "include_padding=include_padding", "include_padding=not include_padding",
        "AVERAGE_POOLING_GRAD",
    ),
    "contract": Row("_multiply(a, b, out)", "_multiply(a[..., ::-1], b, out)", "GEMM"),
    "contract_integer": Row("zeros[1], out", "zeros[1] + 1, out", "MATRIX_MULTIPLY_INTEGER"),
    "contract_stored": Row(
        "spread(zero, numbers.shape)", "spread(zero, numbers.shape)[::-1]",
        lambda: test_stored_weights.test_products_take_integers_as_they_are_stored(
            (test_stored_weights.CASES[0], test_stored_weights.TYPES[0]), available_targets()[0]
        ),
    ),
    "contract_wide_integer": Row("- columns", "+ columns", "MATRIX_MULTIPLY_INTEGER_TO_FLOAT"),
    "convolve": Row('mode == "convolution"', 'mode != "convolution"', "CONVOLUTION"),
    "convolve_integer": Row('"x_zero_point")[0])', '"x_zero_point")[0]) + 1',
                            "CONVOLUTION_INTEGER"),
    "dequantize_blocks": Row(
        "dequantize(x,", "dequantize(x[..., ::-1],",
        lambda: test_quantized_blocks.test_dequantize(
            (4, 6), (4, 3), test_quantized_blocks.BOTH, "int8", test_quantized_blocks.F32
        ),
    ),
    "fold": Row("parts[:, :, k]", "parts[:, :, -k]", "FOLD"),
    "from_halves": Row(
        "strides=strides), raw)", "strides=strides), raw ^ 1)",
        lambda: test_halves_of_bytes.test_dequantize(
            test_halves_of_bytes.INT4, 5, as_memory=False
        ),
    ),
    "gather": Row("x.take(", "x[::-1].take(", "GATHER"),
    "gather_elements": Row("= x[tuple(at)]", "= x[::-1][tuple(at)]", "GATHER_ELEMENTS"),
    "gather_tuples": Row("= x[at]", "= x[..., ::-1][at]", "GATHER_ND1"),
    "hardmax": Row("== index_of_largest", "!= index_of_largest", "ACTIVATION_HARDMAX"),
    "index_of_largest": Row("last=last", "last=not last", "ARGMAX"),
    "index_of_smallest": Row("last=last", "last=not last", "ARGMIN"),
    "integer_power": Row("y & 1 == 0", "y & 1 == 1", "ELEMENT_WISE_POW"),
    "into_halves": Row(
        "result, x", "result, x + 1",
        lambda: test_halves_of_bytes.test_quantize(test_halves_of_bytes.INT4, 5),
    ),
    "known": Row("return values", "return -values", "VALUE_SCALE_2D"),
    "l2": Row("np.sqrt(sum16_of_squares(x, axes))", "sum16_of_squares(x, axes)", "REDUCE"),
    "largest": Row("np.maximum", "np.minimum", "REDUCE"),
    "local_response": Row("+ share * s", "- share * s", "LOCAL_RESPONSE_NORMALIZATION"),
    "log_softmax": Row("_rows(x, axes)", "-_rows(x, axes)", "ACTIVATION_LOG_SOFTMAX"),
    "lp_pool": Row("range(order - 1)", "range(order)", "LP_POOLING"),
    "max_pool": Row("packed, geometry", "-packed, geometry", "MAX_POOLING"),
    "max_pool_gradient": Row("position == k", "position >= k", "MAX_POOLING_GRAD"),
    "max_pool_with_indices": Row("-1, at)", "-1, at + 1)", "MAX_POOLING1"),
    "mean": Row("group_size(x, axes)", "(group_size(x, axes) + 1)", "REDUCE"),
    "moments": Row("use_mean, mean", "not use_mean, mean", "BATCH_NORMALIZATION_TRAINING"),
    "normalize_by_moments": Row("    use_variance,", "    not use_variance,",
                                "MEAN_VARIANCE_NORMALIZATION1"),
    "normalize_by_norm": Row("norm < least", "norm > least", "LP_NORMALIZATION"),
    "product64": Row("np.ones(", "-np.ones(", "REDUCE"),
    "recurrence": Row("(step < ends)", "(step <= ends)", "RNN"),
    "resample": Row("_resampled(result", "_resampled(-result", "RESAMPLE2"),
    "roi_align": Row("_aligned(x[batch, part]", "_aligned(-x[batch, part]",
                     of_regions(test_regions.test_roi_align1, test_regions.F32)),
    "roi_align_gradient": Row("batch], share,", "batch], -share,",
                              of_regions(test_regions.test_roi_align_grad)),
    "roi_align_gradient_of_regions": Row("terms * scale", "terms * -scale",
                                         of_regions(test_regions.test_roi_align_grad)),
    "roi_pool": Row("top:bottom,", "top:bottom - 1,",
                    lambda: test_regions.test_roi_pooling(1.0, (2, 3), specials=False)),
    "scan": Row('kind == "product"', 'kind == "sum"', "CUMULATIVE_SUMMATION"),
    "scatter_elements": Row("= updates[is_inside]", "= updates[is_inside][::-1]", "SCATTER"),
    "scatter_tuples": Row("= updates[is_inside]", "= updates[is_inside][::-1]", "SCATTER_ND"),
    "settle": Row(
        "zero_point, least, most", "zero_point, -np.inf, most",
        test_settling.test_the_numpy_form_has_the_same_bits, is_beside_native=True,
    ),
    "settle_convolution": Row(
        "None if bias is None else bias.reshape(-1)", "None",
        test_settling_convolutions.test_the_numpy_form_has_the_same_bits, is_beside_native=True,
    ),
    "smallest": Row("np.minimum", "np.maximum", "REDUCE"),
    "softmax": Row("_rows(x, axes)", "-_rows(x, axes)", "ACTIVATION_SOFTMAX"),
    "sum16": Row("x, axes, SAME", "x, axes, SQUARES", "REDUCE"),
    "sum16_of_magnitudes": Row("x, axes, _MAGNITUDES", "x, axes, SAME", "REDUCE"),
    "sum16_of_squares": Row("x, axes, SQUARES", "x, axes, SAME", "REDUCE"),
    "take_nearest": Row("x.take(indices[first]", "x.take(indices[first][::-1]", "RESAMPLE"),
    "top_k": Row("keys if smallest else ~keys", "~keys if smallest else keys", "TOP_K"),
    "unfold": Row("np.stack(parts", "np.stack(parts[::-1]", "UNFOLD"),
    "window_sums": Row("_ONE", "_INSIDE", "LOCAL_RESPONSE_NORMALIZATION_GRAD"),
    "wrapped_product": Row("np.multiply.reduce", "np.add.reduce", "REDUCE"),
    "wrapped_sum": Row("np.add.reduce", "np.multiply.reduce", "REDUCE"),
}  # fmt: skip


@functools.cache
def words():
    """Return all words, by name."""
    return {word.name: word for own in device_page.words().values() for word in own}


def broken_form(word):
    """Return the NumPy form of a word with its one change."""
    old, new, *_ = BREAKAGES[word.name]
    form = word.function
    source = inspect.getsource(form)
    count = source.count(old)
    if count != 1:
        raise ValueError(f"{word.name}: needs {old!r} exactly once, got it {count} times")
    return changed(sys.modules[form.__module__], source, old, new)


@contextlib.contextmanager
def spoken_by(word, form):
    """Have a word carried out by a NumPy form."""
    own = word.function, word.native
    try:
        word.function = form
        if not BREAKAGES[word.name].is_beside_native:
            word.native = None
        forget()
        yield
    finally:
        word.function, word.native = own
        forget()


def trials(oracle):
    """Yield functions that run an oracle, each of which compares something."""
    if callable(oracle):
        yield oracle
        return
    table = oracles()
    for place in chosen_places(oracle, getattr(table[oracle], "field", None)):
        yield functools.partial(run_oracle, table, place)


def is_noticed(name):
    """Whether an oracle sees other bits while the NumPy form of a word is broken, and only then."""
    word = words()[name]
    broken = broken_form(word)
    for trial in trials(BREAKAGES[name].oracle):
        with spoken_by(word, broken):
            try:
                trial()
                continue
            except (AssertionError, pytest.fail.Exception):
                pass
            except (IndexError, ValueError, OperatorNotImplementedError):  # nothing is compared
                continue
        with spoken_by(word, word.function):
            trial()
        return True
    return False


if __name__ == "__main__":
    sys.exit(command(__doc__, BREAKAGES, is_noticed))
