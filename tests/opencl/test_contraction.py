"""Products and convolutions on OpenCL devices."""

from dataclasses import replace

import numpy as np
import pytest

from indirectml.arithmetic.contraction import contract, contract_integer, contract_wide_integer
from indirectml.arithmetic.convolution import convolve, convolve_integer
from indirectml.arithmetic.quantization import dequantize_blocks
from indirectml.opencl.words import launches_of
from tests.extent import chosen
from tests.opencl.forms import DOTS, WAYS, assert_same, context_of, numbers, step_of


def of(*sizes, seed=1, dtype=np.float32):
    """Return random operands."""
    return np.random.default_rng(seed).standard_normal(sizes).astype(dtype)


def bytes_of(*sizes, seed=2, dtype=np.uint8):
    """Return random integers of 8 bits."""
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max + 1, sizes).astype(dtype)


@pytest.mark.parametrize(("sizes", "way"), chosen([(5, 7, 9), (70, 300, 40), (1, 700, 30)], WAYS))
def test_products_are_chains(sizes, way):
    rows, depth, columns = sizes
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


@pytest.mark.parametrize("way", [*WAYS[:2], DOTS])
def test_products_of_integers_are_exact(way):
    a, b = bytes_of(2, 20, 300), bytes_of(300, 30, dtype=np.int8)
    assert_same(contract_integer, a, b, bytes_of(20), bytes_of(30, dtype=np.int8), way=way)
    assert_same(contract_integer, a, b, None, None, a_zero_point=7, b_zero_point=-3, way=way)
    assert_same(contract_integer, a[:, :2], b, None, None, a_zero_point=7, b_zero_point=0, way=way)


#: The data types of both sides, and of their zero points.
SIGNS = [(a, b) for a in (np.int8, np.uint8) for b in (np.int8, np.uint8)]


@pytest.mark.parametrize(("left", "right"), SIGNS)
def test_dot_products_have_the_bits_of_products(left, right):
    for rows, depth, columns in ((5, 1, 4), (4, 7, 9), (30, 37, 70), (140, 530, 130)):
        a, b = bytes_of(rows, depth, dtype=left), bytes_of(depth, columns, seed=3, dtype=right)
        a[0], b[:, 0] = np.iinfo(left).min, np.iinfo(right).min  # the largest sums
        points = bytes_of(rows, seed=4, dtype=left), bytes_of(columns, seed=5, dtype=right)
        for given in ((a, b), (np.asfortranarray(a), np.asfortranarray(b))):
            assert_same(contract_integer, *given, *points, way=DOTS)
            assert_same(contract_integer, *given, None, points[1], way=DOTS, a_zero_point=200)
            zeros = {"a_zero_point": 0, "b_zero_point": 0}
            assert_same(contract_integer, *given, None, None, way=DOTS, **zeros)
    x = bytes_of(2, 15, 7, 9, dtype=right)
    for w in (bytes_of(5, 15, 3, 3, dtype=left), bytes_of(20, 3, 2, 3, dtype=left)):
        points = bytes_of(1, seed=6, dtype=right), bytes_of(w.shape[0], seed=7, dtype=left)
        fields = PLAIN | {"group_count": 15 // w.shape[1], "strides": (2, 1)}
        zeros = {"x_zero_point": 0, "w_zero_point": 0}
        assert_same(convolve_integer, x, w, *points, way=DOTS, **fields)
        assert_same(convolve_integer, x, w, None, None, way=DOTS, **fields, **zeros)
        many = np.ascontiguousarray(np.moveaxis(x, 1, -1))
        own = np.moveaxis(many, -1, 1)
        assert_same(convolve_integer, own, np.asfortranarray(w), *points, way=DOTS, **fields)
        for zero in (3, 200, -100):  # of padding: what its data type has, or has not
            zeros["x_zero_point"] = zero
            assert_same(convolve_integer, x, w, None, None, way=DOTS, **fields, **zeros)


def test_dot_products_are_taken_of_the_data_types_whose_are_right():
    context = context_of(DOTS)

    def files(abilities, left, right, columns=8):
        given = [bytes_of(8, 8, dtype=left), bytes_of(8, columns, dtype=right), None, None]
        (launch,) = launches_of(step_of(contract_integer, given, {})[0], abilities)
        return launch.source.files

    own = context.abilities
    fewer = replace(own, right=own.right - {"dots of uint8 and int8"})
    assert "dots.cl" in files(fewer, np.int8, np.uint8)
    assert "dots.cl" not in files(fewer, np.uint8, np.int8)
    assert "dots.cl" not in files(own, np.uint8, np.int8, columns=2)
    assert "dots.cl" not in files(replace(own, vector_width=8), np.uint8, np.int8)


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


@pytest.mark.parametrize(("case", "way"), chosen(sorted(CASES), WAYS[:2]))
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


@pytest.mark.parametrize("way", [*WAYS[:2], DOTS])
def test_convolutions_of_integers_are_exact(way):
    x, w = bytes_of(2, 6, 9, 8), bytes_of(8, 6, 3, 3, dtype=np.int8)
    assert_same(convolve_integer, x, w, bytes_of(1), bytes_of(8, dtype=np.int8), way=way, **PLAIN)
    fields = PLAIN | {"group_count": 3, "x_zero_point": 9, "w_zero_point": -2}
    assert_same(convolve_integer, x, bytes_of(6, 2, 3, 3), None, None, way=way, **fields)
