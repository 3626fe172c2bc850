"""Products and convolutions on OpenCL devices."""

import numpy as np
import pytest

from indirectml.arithmetic.contraction import contract, contract_integer, contract_wide_integer
from indirectml.arithmetic.convolution import convolve, convolve_integer
from indirectml.arithmetic.quantization import dequantize_blocks
from tests.opencl.forms import WAYS, assert_same, numbers


def of(*sizes, seed=1, dtype=np.float32):
    """Return random operands."""
    return np.random.default_rng(seed).standard_normal(sizes).astype(dtype)


def bytes_of(*sizes, seed=2, dtype=np.uint8):
    """Return random integers of 8 bits."""
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max + 1, sizes).astype(dtype)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("rows", "depth", "columns"), [(5, 7, 9), (70, 300, 40), (1, 700, 30)])
def test_products_are_chains(rows, depth, columns, way):
    rng = np.random.default_rng(3)
    assert_same(contract, numbers(rng, rows, depth), numbers(rng, depth, columns), way=way)


@pytest.mark.parametrize("way", WAYS)
def test_products_of_small_numbers_are_not_flushed(way):
    assert_same(contract, of(20, 300) * 1e-25, of(300, 20, seed=2) * 1e-18, way=way)
    tiny = np.full((8, 3), -1e-30, np.float32)
    assert_same(contract, tiny, np.full((3, 8), 1e-30, np.float32), way=way)


def test_products_take_any_strides_and_types():
    assert_same(contract, of(3, 1, 20, 40), of(2, 40, 33))
    assert_same(contract, of(2, 40, 20).swapaxes(-1, -2), of(33, 40).T)
    assert_same(contract, of(9, 20, dtype=np.float16), of(20, 8))
    assert_same(contract, of(9, 20), of(20, 8), outputs=[np.float16])
    assert_same(contract, of(9, 0), of(0, 8))
    assert_same(contract, of(1, 0), of(0, 8))


@pytest.mark.parametrize("way", WAYS[:2])
def test_products_of_integers_are_exact(way):
    a, b = bytes_of(2, 20, 300), bytes_of(300, 30, dtype=np.int8)
    assert_same(contract_integer, a, b, bytes_of(20), bytes_of(30, dtype=np.int8), way=way)
    assert_same(contract_integer, a, b, None, None, a_zero_point=7, b_zero_point=-3, way=way)
    assert_same(contract_integer, a[:, :2], b, None, None, a_zero_point=7, b_zero_point=0, way=way)


def test_products_of_wide_integers_and_scales_of_blocks():
    for kind in ("int16", "uint32"):
        a, b = bytes_of(2, 20, 300, dtype=kind), bytes_of(300, 9, dtype=kind)
        zeros = bytes_of(20, seed=3, dtype=kind), bytes_of(9, seed=4, dtype=kind)
        assert_same(contract_wide_integer, a, b, *zeros)
        given = {"a_zero_point": 2**31 - 1, "b_zero_point": -3}
        assert_same(contract_wide_integer, a, b, None, None, **given)
    for dtype in (np.int8, np.uint8):
        scale, zero = of(2, 5, 1), bytes_of(2, 5, 1, dtype=dtype)
        assert_same(dequantize_blocks, bytes_of(4, 10, 3, dtype=dtype), scale, zero)
        half = scale.astype(np.float16)[0, :, 0]
        assert_same(dequantize_blocks, bytes_of(20, dtype=dtype), half, None)


PLAIN = {
    "strides": (1, 1),
    "dilations": (1, 1),
    "start_padding": (1, 1),
    "end_padding": (1, 1),
    "group_count": 1,
}
FLOATS = PLAIN | {"mode": "cross_correlation", "direction": "forward", "output_padding": (0, 0)}
CASES = {
    "plain": ((2, 5, 9, 11), (8, 5, 3, 3), {}),
    "strided": ((2, 5, 9, 11), (8, 5, 3, 3), {"strides": (2, 1), "dilations": (1, 2)}),
    "turned": ((1, 5, 9, 11), (8, 5, 3, 2), {"mode": "convolution"}),
    "long": ((1, 40, 6, 7), (9, 40, 3, 3), {}),
    "groups": ((2, 8, 9, 11), (16, 2, 3, 3), {"group_count": 4}),
    "depthwise": ((2, 8, 9, 11), (8, 1, 3, 3), {"group_count": 8}),
    "backward": (
        (1, 70, 5, 6),
        (70, 6, 4, 3),
        {"direction": "backward", "strides": (2, 3), "output_padding": (5, 9)},
    ),
    "backward, turned": (
        (2, 8, 9, 11),
        (8, 3, 4, 3),
        {"direction": "backward", "mode": "convolution", "group_count": 2, "dilations": (2, 1)},
    ),
}


@pytest.mark.parametrize("way", WAYS[:2])
@pytest.mark.parametrize("case", sorted(CASES))
def test_convolutions_are_chains(case, way):
    x, w, fields = CASES[case]
    rng = np.random.default_rng(4)
    fields = FLOATS | fields
    channels = w[1] * fields["group_count"] if fields["direction"] == "backward" else w[0]
    assert_same(convolve, numbers(rng, *x), numbers(rng, *w), of(channels), way=way, **fields)


def test_convolutions_take_any_dimensions_strides_and_types():
    line = {k: v[:1] if isinstance(v, tuple) else v for k, v in FLOATS.items()}
    solid = {k: (*v, v[0]) if isinstance(v, tuple) else v for k, v in FLOATS.items()}
    assert_same(convolve, of(2, 3, 20), of(7, 3, 5), None, **line)
    assert_same(convolve, of(2, 3, 5, 6, 7), of(7, 3, 2, 3, 3), of(7), **solid)
    x = np.moveaxis(of(2, 9, 11, 8), -1, 1)  # the channels of a pixel are neighbours
    assert_same(convolve, x, of(6, 8, 3, 3), of(6), **FLOATS)
    half = np.float16
    assert_same(
        convolve,
        of(1, 3, 5, 6, dtype=half),
        of(6, 3, 3, 3, dtype=half),
        of(6, dtype=half),
        **FLOATS,
    )


@pytest.mark.parametrize("way", WAYS[:2])
def test_convolutions_of_integers_are_exact(way):
    x, w = bytes_of(2, 6, 9, 8), bytes_of(8, 6, 3, 3, dtype=np.int8)
    assert_same(convolve_integer, x, w, bytes_of(1), bytes_of(8, dtype=np.int8), way=way, **PLAIN)
    fields = PLAIN | {"group_count": 3, "x_zero_point": 9, "w_zero_point": -2}
    assert_same(convolve_integer, x, bytes_of(6, 2, 3, 3), None, None, way=way, **fields)
