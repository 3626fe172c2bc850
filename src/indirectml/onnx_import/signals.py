"""DFT and STFT: products with matrices of cosines and sines, by GEMM; and the mel scale.

An element is one number, or two: the real and the imaginary part.
"""

from __future__ import annotations

import math

import numpy as np

from indirectml.core.errors import ModelError
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.budget import Budget, LoadingGraph
from indirectml.onnx_import.nodes import Node, counted, handler
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import Array, Value, packed, transposed, viewed
from indirectml.operators.functions import gather, gemm, multiply

#: What finding out takes for a number of a matrix, in arrays of FLOAT64, and for one of its
#: cosines, or a band of the mel scale, which Python counts out.
_NUMBER_BYTES, _COSINE_BYTES = 128, 1 << 13

_PARTS = (1, 2)
#: Pi in fixed point.
_BITS, _PI = 96, 0x3243F6A8885A308D313198A2E


@handler("DFT", since=17)
def transformed_along_an_attribute(node: Node) -> Value:
    """Return the discrete Fourier transform along an axis that the node has."""
    return _transformed(node, node.axis(node.value(0).rank, default=1))


@handler("DFT", since=20)
def transformed(node: Node) -> Value:
    """Return the discrete Fourier transform, or its inverse, along an axis."""
    chosen = node.integers(2, "decides the axis")[0] if node.has(2) else -2
    return _transformed(node, counted(chosen, node.value(0).rank))


def _transformed(node: Node, axis: int) -> Value:
    shape = node.value(0).shape
    if axis == len(shape) - 1 or shape[-1] not in _PARTS:
        raise ModelError(
            "needs an axis before the last dimension, which has 1 or 2 elements",
            given=f"axis {axis} of {list(shape)}",
        )
    inverse, onesided = (bool(node.attribute(name, 0)) for name in ("inverse", "onesided"))
    count = shape[axis]
    default = 2 * (count - 1) if inverse and onesided else count
    length = node.integers(1)[0] if node.has(1) else default
    if length < 1:
        raise ModelError("needs a length from 1 up", given=f"{length}", field="dft_length")
    matrix = _matrix(
        node.graph.budget, count, shape[-1], length, inverse=inverse, onesided=onesided
    )
    order = (*range(axis), *range(axis + 1, len(shape) - 1), axis, len(shape) - 1)
    x = packed(transposed(node.expression(0), order))
    result = _product(node.graph, x, matrix)
    back = [order.index(k) for k in range(len(shape))]
    turned = transposed(result, back)
    return node.made(packed(turned), turned.shape)


def _product(graph: LoadingGraph, x: Expression, matrix: Array) -> Expression:
    """Return the last two dimensions, elements and parts, times a matrix of the same."""
    count, parts, made, made_parts = matrix.shape
    before = x.shape[:-2]
    rows = viewed(x, (math.prod(before), count * parts))
    weights = matrix.reshape(count * parts, made * made_parts).astype(x.dtype)
    return viewed(gemm(rows, graph.constant(weights)), (*before, made, made_parts))


def _cosine(turn: int, length: int) -> float:
    """Return the cosine of a part of a turn, by integers: the same on every machine."""
    turn = min(turn % length, -turn % length)
    if 4 * turn == length:
        return 0.0
    square = (2 * _PI * turn // length) ** 2 >> _BITS
    term = total = 1 << _BITS
    k = 1
    while term:
        term = (term * square >> _BITS) // (k * (k + 1))
        total += term if k % 4 == 3 else -term  # noqa: PLR2004 (every other one)
        k += 2
    return total / (1 << _BITS)


def _matrix(
    budget: Budget, count: int, parts: int, length: int, *, inverse: bool, onesided: bool
) -> Array:
    """Return what each part of each element counts for each part of each result.

    Elements beyond the length are left out, and those that are missing are zeros.
    """
    budget.take_bytes(count * length * _NUMBER_BYTES + length * _COSINE_BYTES)
    bins = length // 2 + 1 if onesided else length
    made = length if inverse else bins
    used = min(count, bins if inverse else length)
    real, imaginary = np.zeros((count, made)), np.zeros((count, made))
    # Whole numbers, so that multiples of a quarter turn are exact.
    turns = np.outer(np.arange(used), np.arange(made)) % length
    found, places = np.unique(turns, return_inverse=True)
    cosines = np.array([_cosine(4 * turn, 4 * length) for turn in found.tolist()])
    sines = np.array([_cosine(4 * turn - length, 4 * length) for turn in found.tolist()])
    cosines, sines = cosines[places].reshape(turns.shape), sines[places].reshape(turns.shape)
    real[:used], imaginary[:used] = cosines, sines if inverse else -sines
    if inverse:
        factors = np.full((count, 1), 1 / length)
        if onesided:
            # All but the first, and the middle one, stand for two.
            factors[1 : (length + 1) // 2] *= 2
        real, imaginary = real * factors, imaginary * factors
    whole = np.stack([np.stack([real, imaginary], -1), np.stack([-imaginary, real], -1)], 1)
    return whole[:, :parts, :, : 1 if inverse and onesided else 2]


@handler("STFT", since=17)
def windows_transformed(node: Node) -> Value:
    """Return the discrete Fourier transforms of windows that slide over signals."""
    shape = node.value(0).shape
    if len(shape) == 2:  # noqa: PLR2004 (batches of real numbers)
        shape = (*shape, 1)
    batch, length, parts = shape
    step = node.integers(1)[0]
    window = node.value(2).count if node.has(2) else 0
    size = node.integers(3)[0] if node.has(3) else window
    if step < 1 or not 1 <= size <= length or (window and window != size) or parts not in _PARTS:
        raise ModelError(
            f"needs steps from 1 up, and windows of 1 to {length} elements",
            given=f"steps of {step}, windows of {window or size}, frames of {size}",
        )
    frames = (length - size) // step + 1
    node.take([frames, size], np.complex128)
    places = np.arange(frames)[:, None] * step + np.arange(size)
    at = node.graph.constant(places.astype(np.uint32).reshape(1, 1, -1))
    x = gather(viewed(node.expression(0), shape), at, axis=1, index_dimensions=1)
    x = viewed(x, (batch, frames, size, parts))
    if node.has(2):
        x = multiply(x, broadcast(viewed(node.expression(2), (1, 1, size, 1)), x.shape))
    onesided = bool(node.attribute("onesided", 1))
    matrix = _matrix(node.graph.budget, size, parts, size, inverse=False, onesided=onesided)
    result = _product(node.graph, x, matrix)
    return node.made(result, result.shape)


@handler("MelWeightMatrix", since=17, is_folded=False)
def mel_weights(node: Node) -> Value:
    """Return how much each frequency counts for each band of the mel scale, known while loading."""
    bands, length, rate = (node.integers(k)[0] for k in range(3))
    low, high = (float(node.known(k).flat[0]) for k in (3, 4))
    if bands < 1 or length < 1 or rate < 1:
        raise ModelError("needs numbers from 1 up", given=f"{bands}, {length} and {rate}")
    node.graph.budget.take_bytes((length // 2 + 1) * bands * 16 + bands * _COSINE_BYTES)
    ends = [2595 * math.log10(1 + edge / 700) for edge in (low, high)]
    mel = np.arange(bands + 2) * (ends[1] - ends[0]) / (bands + 2) + ends[0]
    hertz = 700 * (10 ** (mel / 2595) - 1)
    places = ((length + 1) * hertz // rate).astype(int)
    found = np.zeros((length // 2 + 1, bands))
    for band, (left, middle, right) in enumerate(zip(places, places[1:], places[2:], strict=False)):
        rising, falling = np.arange(left, middle + 1), np.arange(middle, right)
        found[rising, band] = (rising - left) / (middle - left) if middle > left else 1
        if right > middle:
            found[falling, band] = (right - falling) / (right - middle)
    return Value(found.astype(element_dtype(node.attribute("output_datatype", 1))))
