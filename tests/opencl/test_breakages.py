"""Kernels that are broken on purpose: the probe, or what compares their bits, notices each."""

import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic import reductions, resampling, scans, softmax, sums, windows
from indirectml.arithmetic.contraction import contract, contract_wide_integer
from indirectml.arithmetic.convolution import convolve, convolve_integer
from indirectml.arithmetic.gathering import gather, scatter_elements
from indirectml.arithmetic.movement import from_halves, into_halves
from indirectml.arithmetic.normalization import normalize_by_moments, normalize_by_norm
from indirectml.arithmetic.quantization import dequantize_blocks
from indirectml.core.settings import available_targets
from indirectml.opencl import building, platforms, probe
from indirectml.opencl.context import Context
from indirectml.opencl.functions import FUNCTIONS
from indirectml.opencl.words import scans as opencl_scans
from tests.extent import every
from tests.opencl import (
    forms,
    test_contraction,
    test_functions,
    test_groups,
    test_programs,
    test_recurrence,
    test_regions,
    test_windows,
)
from tests.opencl.compare import differing
from tests.opencl.forms import assert_same
from tests.opencl.implementations import device_of, needs_pocl, pocl
from tests.opencl.test_sharing import KERNEL, kernels_of_all_files

pytestmark = needs_pocl

_FILE = Path(__file__).with_name("breakages.toml")
_OPERATIONS = {o.name for each in probe.OPERATIONS.values() for o in each}
#: What stands there, what it becomes, and the operation that is wrong then; of what the probe does
#: not try the file, too.
_ALL = tomllib.loads(_FILE.read_text("utf-8"))["breakage"]
COMMON = [(b["old"], b["new"], b["noticed"]) for b in _ALL if b["noticed"] in _OPERATIONS]
OTHERS = [tuple(b.values()) for b in _ALL if b["noticed"] not in _OPERATIONS]
#: Those that are tried: each builds a program anew. `.ci/run` tries all.
SHARE = slice(None, None, every(9))


def test_every_kernel_is_broken_once():
    broken_ones = set()
    for name, old, *_ in OTHERS:
        text = building.file_text(name)
        before = text[: text.index(old)]
        last = next(iter([*KERNEL.finditer(before)][::-1]), None)
        if last is not None and "\n}" not in before[last.end() :]:
            broken_ones.add(last[1])

    assert broken_ones == kernels_of_all_files()


@pytest.fixture
def broken(monkeypatch):
    """Return what breaks a file for new programs, and gives them a device."""
    dml.Device(pocl())  # what it computes is found out with what is intact
    intact = building.file_text

    def break_(name, old, new):
        assert old in intact(name), (name, old)
        text = intact(name).replace(old, new)
        for module in (building, probe):
            monkeypatch.setattr(module, "file_text", lambda n: text if n == name else intact(n))

    return break_


@pytest.mark.parametrize(("old", "new", "operation"), COMMON[SHARE])
def test_the_probe_notices_what_is_broken(old, new, operation, broken, monkeypatch):
    broken("common.cl", old, new)
    only = {
        bits: tuple(each for each in operations if each.name == operation)
        for bits, operations in probe.OPERATIONS.items()
    }
    monkeypatch.setattr(probe, "OPERATIONS", only)
    used = dml.Device(pocl()).implementation.context

    with used.used():
        verdict = probe.probed(
            used.library.context,
            used.queue,
            used.facts,
            platforms.options_of(used.facts),
            1 << 13,
        )

    assert verdict.wrong[operation]


@pytest.mark.parametrize("is_broken", [False, True])
def test_the_probe_notices_dot_products_of_other_signs(is_broken, monkeypatch):
    used = dml.Device(pocl()).implementation.context
    facts, options = replace(used.facts, has_dots=True), platforms.options_of(used.facts)
    old, new = ("own_dots_su", "own_dots_us") if is_broken else ("", "")
    head = forms.DOTS_HEADER.replace(f"_su_int {old}", f"_su_int {new}")
    text = head + building.file_text("common.cl")
    monkeypatch.setattr(probe, "file_text", lambda name: text)
    monkeypatch.setattr(probe, "OPERATIONS", {32: (), 64: (), 8: probe.OPERATIONS[8]})

    verdict = probe.probed(used.library.context, used.queue, facts, options, 1 << 13)

    wrong = {"dots of int8 and uint8"} if is_broken else set()
    assert {name for name, count in verdict.wrong.items() if count} == wrong
    assert verdict.right == {operation.name for operation in probe.OPERATIONS[8]} - wrong


def assert_decided_by_integers(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_functions, "_TOGETHER", 1)  # what is broken is built for this alone
        test_functions.test_functions_by_integers_have_the_bits_of_the_native_ones(name)


def assert_pairs(name):
    test_functions.test_pairs_of_float32_decide_with_a_fourth_of_their_margins(name)


def assert_in_pairs(name):
    if "avx512" not in available_targets() or not device_of("Portable Computing Language"):
        pytest.skip("needs PoCL on a processor with AVX-512")
    test_functions.assert_native_bits(name, *test_functions.arguments_of(name))


def assert_few_elements(name):
    few = [0, 1, 1 << 23, 0x7F810E0D, *test_functions.HARD_OF_FLOAT64.get(name, ())]
    given = np.array(few, np.uint32)
    test_functions.assert_loops(name, given, way=forms.FAST, among=[name])


def assert_fills():
    assert not list(differing("FILL_VALUE_SEQUENCE", dml.Device(pocl()), 4))


def assert_halves():
    own = np.arange(256, dtype=np.uint8)
    assert_same(from_halves, own, sizes=[512], strides=[1], is_signed=True)
    assert_same(into_halves, own[:9], own[20:38] % 16, strides=[1])


def assert_copies():
    forms.assert_copied(ROWS)
    assert_same(scatter_elements, ROWS.T, np.array([[1]]), ROWS[:1, :1], axis=0)


def assert_products():
    assert_same(sums.wrapped_product, INTEGERS, axes=[1])
    assert_same(sums.product64, ROWS, axes=[1])


def assert_fold():
    x = np.zeros((2, 150), np.float32)
    assert_same(sums.index_of_largest, x, axes=[1], way="no vectors")


def assert_long_order():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opencl_scans, "LONGEST", 20)
        assert_same(scans.top_k, INTEGERS[:, :40], axis=1, count=40)


#: Products that end in -0, and what is long enough for several chains, or blocks of sums.
TINY = np.full((8, 3), -1e-30, np.float32), np.full((3, 8), 1e-30, np.float32)
ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)
LONG = np.random.default_rng(3).standard_normal((9, 9000)).astype(np.float32)
INTEGERS = np.random.default_rng(4).integers(0, 99, (3, 50)).astype(np.int16)
DOUBLES = np.stack([test_groups.any_float64(seed) for seed in (1, 2, 3)], axis=1)
FLAT = dict.fromkeys(("strides", "dilations", "start_padding", "end_padding"), (1, 1))
FLAT |= {"output_padding": (0, 0), "mode": "cross_correlation", "group_count": 1}
IMAGE = LONG[:5, :90].reshape(1, 50, 3, 3)
APART = LONG[:1, :24].reshape(1, 2, 3, 4)
OVERLAPPING = windows.Window((3, 3), (1, 1), (1, 1), (1, 1), (1, 1))
WINDOW = windows.Window((2, 2), (1, 1), (1, 1), (0, 0), (0, 0))

TAPS = resampling.linear_taps(resampling.coordinates(4, 6, 1.5), 4)

#: What notices, by its name in the table; an instruction on FLOAT32, if it is not here.
CHECKS = {
    "quotients": test_programs.test_quotients_are_rounded_once_where_those_of_the_device_are_not,
    "halves in FLOAT32": partial(
        test_functions.test_functions_begin_with_pairs_of_float32, "rsqrt", forms.POOR
    ),
    "long product": lambda: assert_same(contract, LONG[:, :600], LONG[:, :600].T),
    "tiny product": lambda: assert_same(contract, *TINY),
    "tiny vector": lambda: assert_same(contract, TINY[0][:1], TINY[1]),
    "wide product": lambda: assert_same(
        contract_wide_integer, INTEGERS, INTEGERS.T, None, None, a_zero_point=7, b_zero_point=0
    ),
    "backward": lambda: assert_same(
        convolve, IMAGE, LONG[:, :100].reshape(50, 2, 3, 3), None, direction="backward", **FLAT
    ),
    "convolution": lambda: assert_same(
        convolve, IMAGE, LONG[:8, :450].reshape(8, 50, 3, 3), None, direction="forward", **FLAT
    ),
    "long product of a GPU": lambda: assert_same(
        contract, LONG[:, :600], LONG[:, :600].T, way="no vectors"
    ),
    "convolution of a GPU": lambda: assert_same(
        convolve,
        IMAGE,
        LONG[:8, :450].reshape(8, 50, 3, 3),
        None,
        direction="forward",
        way="no vectors",
        **FLAT,
    ),
    "held rows": lambda: test_groups.test_rows_that_a_work_group_holds((2, 5, 513), [2]),
    "few elements": lambda: assert_few_elements("acosh"),
    "hard elements": lambda: assert_few_elements("atan"),
    "long sum": lambda: assert_same(sums.sum16, LONG[:2], axes=[1]),
    "normalization": lambda: assert_same(
        normalize_by_moments, LONG[:, :9], None, None, axes=[1], epsilon=0.1
    ),
    "fold": assert_fold,
    "smallest": lambda: assert_same(sums.smallest, np.float32([[1, 2], [np.nan, 3]]), axes=[1]),
    "pooling": lambda: assert_same(
        windows.max_pool_with_indices, np.zeros((1, 1, 3, 3), np.float32), window=WINDOW
    ),
    "order": lambda: assert_same(scans.top_k, INTEGERS * 0, axis=1, count=50),
    "long order": assert_long_order,
    "blocks": lambda: assert_same(
        dequantize_blocks, ROWS.astype(np.int8), LONG[:2, :1], ROWS[:2, 1:2].astype(np.int8)
    ),
    "regions": lambda: test_regions.test_regions_are_aligned("linear", "own"),
    "gradients of regions": lambda: test_regions.test_gradients_come_back_to_images_and_regions(
        "average", "own"
    ),
    "pooled regions": lambda: test_regions.test_regions_are_pooled(np.float32),
    "sum by integers": lambda: assert_same(
        sums.sum16, DOUBLES, axes=[1], way=forms.POOR, outputs=[np.float16]
    ),
    "half by integers": lambda: assert_same(
        sums.sum16, DOUBLES[:, :1].copy(), axes=[1], way=forms.POOR, outputs=[np.float16]
    ),
    "square by integers": lambda: assert_same(
        sums.sum16_of_squares, DOUBLES.reshape(-1, 1), axes=[1], way=forms.POOR
    ),
    "quotient by integers": lambda: assert_same(
        normalize_by_norm, DOUBLES, axes=[1], order=1, epsilon=1e-3, way=forms.POOR
    ),
    "root by integers": lambda: assert_same(
        reductions.l2, DOUBLES[:, :1].copy(), axes=[1], way=forms.POOR, outputs=[np.float64]
    ),
    "loops": lambda: test_functions.assert_loop_of_float64(
        "gelu", test_functions.arguments_of("gelu")[0][::40].copy(), "MARGIN=0x1p-6"
    ),
    "exp in vectors": lambda: assert_in_pairs("exp"),
    "gelu in vectors": lambda: assert_in_pairs("gelu"),
    "exp in loops": lambda: test_functions.assert_loop_of_float64(
        "exp", test_functions.arguments_of("exp")[0]
    ),
    "resampling": lambda: assert_same(
        resampling.resample, LONG[:2, :4] * np.float32(-0.0), taps={1: TAPS}, outputs=[np.float32]
    ),
    "gradients of windows": lambda: assert_same(
        windows.average_pool_gradient,
        LONG[:1, :9].reshape(1, 1, 3, 3),
        window=WINDOW,
        input_sizes=(1, 1, 4, 4),
        include_padding=False,
    ),
    "columns": lambda: assert_same(sums.sum16, LONG[:, :90], axes=[0]),
    "rows of pixels": lambda: assert_same(
        convolve,
        LONG[:3, :2700].reshape(1, 300, 3, 9),
        LONG[:1, :2700].reshape(1, 300, 3, 3),
        None,
        direction="forward",
        **FLAT,
    ),
    "scan of halves": lambda: assert_same(
        scans.scan,
        LONG[:2, :9].astype(np.float16),
        axis=1,
        kind="sum",
        exclusive=False,
        reverse=False,
    ),
    "halves": assert_halves,
    "copy": assert_copies,
    "infinity": lambda: assert_same(
        softmax.softmax, np.float32([[1, np.inf]]), axes=[1], outputs=[np.float32]
    ),
    "norm": lambda: assert_same(normalize_by_norm, ROWS, axes=[1], order=1, epsilon=9.0),
    "log of softmax": lambda: assert_same(softmax.log_softmax, ROWS, axes=[1]),
    "hardmax": lambda: assert_same(softmax.hardmax, ROWS, axes=[1]),
    "moments": lambda: test_groups.test_sums_are_s16(((5, 7), [1]), "own"),
    "wrapped": assert_products,
    "sums in groups": lambda: assert_same(sums.sum16, LONG[:2, :40], axes=[1], way="no vectors"),
    "windows apart": lambda: assert_same(windows.unfold, APART, window=test_windows.BEYOND),
    "places of the largest": lambda: assert_same(
        windows.max_pool_with_indices, APART, window=test_windows.BEYOND
    ),
    "gradients of the largest": lambda: assert_same(
        windows.max_pool_gradient, IMAGE[:, :2], IMAGE[:, 2:4], window=OVERLAPPING
    ),
    "ends of rows": lambda: assert_same(
        windows.average_pool,
        LONG[:1, :120].reshape(1, 1, 6, 20),
        window=OVERLAPPING,
    ),
    "largest of regions": lambda: test_regions.test_gradients_come_back_to_images_and_regions(
        "largest", "own"
    ),
    "nearest": lambda: assert_same(resampling.take_nearest, ROWS, indices={1: np.array([2, 1])}),
    "powers": lambda: test_windows.test_powers_of_integers("int32", "int64"),
    "dots": lambda: test_contraction.test_dot_products_have_the_bits_of_products(np.uint8, np.int8),
    "dots of images": lambda: assert_same(
        convolve_integer,
        test_contraction.bytes_of(1, 6, 5, 5),
        test_contraction.bytes_of(8, 6, 3, 3, dtype=np.int8),
        None,
        None,
        way=forms.DOTS,
        **test_contraction.PLAIN | {"x_zero_point": 7, "w_zero_point": 0},
    ),
    "recurrence": lambda: test_recurrence.test_recurrent_networks_have_the_bits_of_the_cpu(8),
    "gather": lambda: assert_same(gather, ROWS, np.array([-1, 1, 7]), axis=0),
    "scatter": test_programs.test_of_several_updates_the_last_one_stays,
    "fill": assert_fills,
}


@pytest.mark.parametrize(("name", "old", "new", "noticed"), OTHERS[SHARE])
def test_comparisons_notice_what_is_broken(name, old, new, noticed, broken, monkeypatch):
    device = dml.Device(pocl())
    number = int(pocl().partition(":")[2] or 0)
    with monkeypatch.context() as patch:
        broken(name, old, new)
        used = Context(platforms.devices()[number])
        patch.setattr(device.implementation, "_context", used)
        patch.setattr(forms, "CONTEXTS", {"own": used})
        function, _, how = noticed.partition(" ")
        check = CHECKS.get(
            noticed, lambda: test_programs.assert_instructions_are_numpys("float32", {noticed})
        )
        if noticed not in CHECKS and function in FUNCTIONS:
            in_way = assert_decided_by_integers if how == "by integers" else assert_pairs
            check = partial(in_way, function)

        with pytest.raises(AssertionError):
            check()
