"""Matrices and filters of bytes in panels: they come back, and plans give their bits."""

import numpy as np
import pytest

import indirectml as dml
from indirectml import available_targets, configure
from indirectml.arithmetic.contraction import contract_integer
from indirectml.arithmetic.convolution import convolve_integer
from indirectml.arithmetic.integers_in_panels import pack_integers, panel_bytes
from tests.arithmetic import products
from tests.bits import assert_bits_equal

TARGETS = available_targets()
MATRICES = [(1, 1), (3, 5), (4, 16), (5, 17), (33, 40), (1, 1, 7, 33)]
#: Few channels make units of taps of a row, others of channels.
FILTERS = [(1, 1, 1), (3, 1, 5), (4, 5, 3, 3), (2, 1, 3, 3), (5, 4, 1, 1), (3, 2, 2, 3, 6)]


#: The same for images whose channels lie next to each other, and how many groups.
FILTERS_OF_PIXELS = [
    ((1, 3, 1, 1), 1), ((20, 5, 3, 2), 1), ((17, 4, 5), 1), ((32, 8, 3, 3), 2), ((6, 1, 3, 3), 6),
    ((37, 1, 5, 5), 37), ((18, 1, 2), 18), ((8, 1, 3, 3), 4),
]  # fmt: skip


def bytes_of(sizes, dtype, seed=5):
    return np.random.default_rng(seed).integers(0, 256, sizes).astype(dtype)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_what_is_in_panels_comes_back(dtype):
    for sizes, is_filter in [(s, False) for s in MATRICES] + [(s, True) for s in FILTERS]:
        x = bytes_of(sizes, dtype)
        in_panels = pack_integers(x, is_filter=is_filter)
        assert in_panels.units.size == panel_bytes(sizes, is_filter=is_filter)
        assert_bits_equal(actual=in_panels.unpacked(), expected=x, where=f"{sizes}")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_filters_of_pixels_come_back(dtype):
    for sizes, groups in FILTERS_OF_PIXELS:
        x = bytes_of(sizes, dtype)
        in_panels = pack_integers(x, is_filter=True, group_count=groups)
        size = panel_bytes(sizes, is_filter=True, group_count=groups)
        assert in_panels.units.size == size
        assert_bits_equal(actual=in_panels.unpacked(), expected=x, where=f"{sizes} {groups}")


def test_operands_in_panels_give_the_same_products():
    a, b = bytes_of((6, 33), np.uint8), bytes_of((33, 40), np.int8)
    x, w = bytes_of((1, 5, 9, 9), np.int8), bytes_of((4, 5, 3, 3), np.uint8)

    product = contract_integer(a, pack_integers(b), 7, 3)
    image = convolve_integer(x, pack_integers(w, is_filter=True), 7, 3)

    assert_bits_equal(actual=product, expected=products.contract_integer(a, b, 7, 3))
    assert_bits_equal(actual=image, expected=convolve_integer(x, w, 7, 3))


def plain_convolution(x, w, x_zero, w_zero, stride, padding, groups):
    """Return a convolution of images by loops over taps, in INT64."""
    filters, channels, rows, columns = w.shape
    wide = np.pad(
        x.astype(np.int64) - x_zero, ((0, 0), (0, 0), (padding, padding), (padding, padding))
    )
    height, width = (
        (n - k) // stride + 1 for n, k in zip(wide.shape[2:], (rows, columns), strict=True)
    )
    out = np.zeros((x.shape[0], filters, height, width), np.int64)
    for m in range(filters):
        first = m // (filters // groups) * channels
        for c in range(channels):
            for r in range(rows):
                for s in range(columns):
                    taken = wide[:, first + c, r::stride, s::stride][:, :height, :width]
                    out[:, m] += (int(w[m, c, r, s]) - int(w_zero[m])) * taken
    return out.astype(np.int32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("types", [(np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8)])
def test_graphs_with_constants_give_the_bits_of_loops(types, target):
    left, right = types
    graph = dml.Graph(dml.Device())

    def one(value, dtype):
        return graph.constant(np.full((1, 1, 1, 1), value, dtype))

    x = graph.input([1, 6, 20, 21], left, name="x")
    a = graph.input([1, 1, 9, 70], left, name="a")
    w, depthwise = bytes_of((8, 6, 3, 3), right, 1), bytes_of((6, 1, 5, 5), right, 2)
    b = bytes_of((1, 1, 70, 50), right, 3)
    zeros = bytes_of((1, 8, 1, 1), right, 4)
    outputs = [
        dml.convolution_integer(x, graph.constant(w), one(5, left), graph.constant(zeros),
                                start_padding=[1, 1], end_padding=[1, 1]),
        dml.convolution_integer(x, graph.constant(depthwise), one(5, left), one(3, right),
                                strides=[2, 2], start_padding=[2, 2], end_padding=[2, 2],
                                group_count=6),
        dml.matrix_multiply_integer(a, one(9, left), graph.constant(b), one(2, right)),
        dml.matrix_multiply_integer(a, one(9, left), graph.constant(b), None),
    ]  # fmt: skip
    compiled = graph.compile(outputs)
    images, rows = bytes_of((1, 6, 20, 21), left, 6), bytes_of((1, 1, 9, 70), left, 7)
    found = {}
    for threads in (1, 2, 3):
        with configure(target=target, max_threads=threads):
            found[threads] = compiled({x: images, a: rows})

    expected = [
        plain_convolution(images, w, 5, zeros.reshape(-1), 1, 1, 1),
        plain_convolution(images, depthwise, 5, [3] * 6, 2, 2, 6),
        products.contract_integer(rows[0, 0], b[0, 0], 9, 2)[None, None],
        products.contract_integer(rows[0, 0], b[0, 0], 9, 0)[None, None],
    ]
    for threads, results in found.items():
        for actual, wanted in zip(results, expected, strict=True):
            assert_bits_equal(actual=actual, expected=wanted, where=f"{target}, {threads}")
