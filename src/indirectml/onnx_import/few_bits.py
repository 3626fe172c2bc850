"""Weights of few bits as they are stored: MatMulNBits, and rows of tables of 4 bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import MatrixTransform, QuantizationType
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import ModelError
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.expressions import Expression, broadcast, reinterpret
from indirectml.onnx_import.bodies import MICROSOFT, one_of
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.building import added
from indirectml.onnx_import.later import Postponed, in_halves
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Array, Held, Value, number_like, viewed
from indirectml.operators.functions import (
    add,
    bit_and,
    bit_shift_right,
    bit_xor,
    dequantize_linear,
    gather,
    gemm,
    subtract,
)

#: Inputs by their numbers.
_A, _WEIGHTS, _SCALES, _ZEROS, _ORDER, _BIAS = range(6)

_BYTE = 8
_WHY = "holds weights, which are kept in another form"


@handler("MatMulNBits", domain=MICROSOFT)
def product(node: Node) -> Value:
    """Return A times the transpose of a matrix of 2, 4 or 8 bits: DEQUANTIZE and GEMM.

    Each weight is (number - zero point) * scale, rounded to the data type of the scales. Without
    zero points they are in the middle.
    """
    if node.has(_ORDER):
        raise ModelError("needs weights in their own order", given="g_idx", field="inputs[4]")
    a, graph = node.value(_A), node.graph
    k, n = node.attribute("K"), node.attribute("N")
    bits, block = one_of(node, "bits", 4, (2, 4, 8)), node.attribute("block_size")
    if not all(isinstance(each, int) and each > 0 for each in (k, n, block)):
        raise ModelError("needs K, N and block_size from 1 up", given=f"{k}, {n} and {block}")
    blocks = -(-k // block)
    if node.has(_ZEROS) and node.value(_ZEROS).dtype != np.uint8:
        given = f"{node.value(_ZEROS).dtype}"
        raise ModelError("needs zero points that are integers", given=given)
    node.take((n, blocks * (block + 1)), np.uint16)
    sizes = n, blocks * block
    parameters = [viewed(node.expression(_SCALES), (n, blocks))]
    numbers = _integers(node, _WEIGHTS, bits, sizes, is_signed=not node.has(_ZEROS))
    if node.has(_ZEROS):
        parameters.append(_integers(node, _ZEROS, bits, (n, blocks), is_signed=False))
    kind = (QuantizationType.SCALE, QuantizationType.SCALE_ZERO_POINT)[len(parameters) - 1]
    outputs = [(parameters[0].desc.data_type, sizes)]
    (weights,) = added(graph, "DEQUANTIZE", [numbers, parameters], outputs, quantization_type=kind)
    if k % block:  # what fills the last block is stored, and not read
        weights = reinterpret(weights, (n, k), (sizes[1], 1))
    rows = a.count // k
    if a.shape[-1] != k:
        raise ModelError(f"needs {k} columns, as K says", given=f"{list(a.shape)}")
    x = viewed(a.expression(graph), (rows, k))
    y = gemm(x, weights, trans_b=MatrixTransform.TRANSPOSE)
    if node.has(_BIAS):
        y = add(y, broadcast(viewed(node.expression(_BIAS), (1, n)), (rows, n)))
    return node.made(y, (*a.shape[:-1], n))


@handler("GatherBlockQuantized", domain=MICROSOFT)
def rows_of_few_bits(node: Node) -> Value:
    """Return rows of numbers of few bits as floats: (number - zero point) * scale, in blocks.

    Numbers of fewer than 8 bits in bytes lie there the first in the lowest bits; without zero
    points theirs are in the middle, and those of INT4 and UINT4 are 0. The table stays as it is.
    """
    data, scales = node.value(0), node.value(2)
    axis = node.axis(data.rank, "gather_axis", 0)
    along = node.axis(data.rank, "quantize_axis", 1)
    if axis == along:
        raise ModelError(
            "needs blocks along another axis than rows are taken from", given=f"{axis}"
        )
    bits = one_of(node, "bits", 4, (2, 4, 8)) if data.dtype == np.uint8 else _BYTE
    numbers = _rows(node, 0, bits, axis, along)
    width = numbers.shape[1]
    block = node.attribute("block_size", 128)
    if -(-width // block) != scales.shape[along]:
        given = f"{scales.shape[along]} for {width} numbers"
        raise ModelError(f"needs a scale for {block} numbers", given=given, field="inputs[2]")

    def spread(x: Expression) -> Expression:
        before, blocks, behind = x.shape[0], scales.shape[along], x.shape[2]
        each = reinterpret(x, (before, blocks, 1, behind), (x.shape[1] * behind, behind, 1, 1))
        whole = blocks * block
        wide = viewed(broadcast(each, (before, blocks, block, behind)), (before, whole, behind))
        return reinterpret(wide, numbers.shape, (whole * behind, behind, 1))

    zero = None
    if node.has(3):
        zero = spread(_rows(node, 3, bits, axis, along))
    elif data.dtype == np.uint8:
        zero = number_like(numbers, 1 << (bits - 1))
    floats = dequantize_linear(numbers, spread(_rows(node, 2, _BYTE, axis, along)), zero)
    shape = list(data.shape)
    shape[-1] *= _BYTE // bits
    shape[axis : axis + 1] = node.value(1).shape
    return node.made(floats, shape)


def _rows(node: Node, index: int, bits: int, axis: int, along: int) -> Expression:
    """Return rows of a tensor along an axis: numbers before, along and behind another one."""
    value, indices = node.value(index), node.value(1)
    shape = value.shape
    sizes = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    flat = viewed(indices.expression(node.graph), (1, 1, indices.count))
    found = _taken(node.graph, value, sizes, flat, bits)
    shape = *shape[:-1], shape[-1] * (_BYTE // bits)
    rows = (*shape[:axis], indices.count, *shape[axis + 1 :])
    return viewed(found, (math.prod(rows[:along]), rows[along], math.prod(rows[along + 1 :])))


def _taken(
    graph: LoadingGraph, value: Value, sizes: tuple[int, int, int], flat: Expression, bits: int
) -> Expression:
    """Return rows of a table with numbers before, along and behind; each number by itself."""
    is_pairs = is_in_halves(value) and sizes[2] % 2 == 0
    if is_pairs:
        table = in_halves(graph, value, sizes)
        table = reinterpret(table, (*sizes[:2], sizes[2] // 2), dtype=np.uint8)
    else:
        table = viewed(value.expression(graph), sizes)
    found = gather(table, flat, axis=1, index_dimensions=1)
    if is_pairs:
        found = _apart(found, 4)
        if value.dtype.name == "int4":
            half = number_like(found, 8)
            found = reinterpret(subtract(bit_xor(found, half), half), found.shape, dtype=np.int8)
    elif bits < _BYTE:
        found = _apart(found, bits)
    return found


def rows_of_postponed(value: Value, indices: Value, axis: int) -> Expression | None:
    """Return rows of a matrix that is dequantized later: of its integers, and then these as floats.

    None where it is no such matrix, or its rows do not have scales of their own, or one for all.
    """
    parts = value.parts() if isinstance(value, Postponed) and axis == 0 else None
    if parts is None:
        return None
    graph: Any = indices.content.graph  # type: ignore[union-attr]  # not known, and so made
    (rows, columns), count = value.shape, indices.count
    flat = viewed(indices.expression(graph), (1, 1, count))
    numbers, parameters = parts
    whole = (count, columns)
    integers = viewed(_taken(graph, numbers, (1, rows, columns), flat, _BYTE), whole)
    spread = []
    for each, (own_rows, blocks) in parameters:
        if own_rows == rows:
            found = viewed(_taken(graph, each, (1, rows, blocks), flat, _BYTE), (count, blocks))
        else:
            found = broadcast(viewed(each.expression(graph), (1, blocks)), (count, blocks))
        strides = found.desc.strides_in_memory
        apart = reinterpret(found, (count, blocks, 1), (*strides, 1))
        spread.append(viewed(broadcast(apart, (count, blocks, columns // blocks)), whole))
    return dequantize_linear(integers, *spread)


def _apart(x: Expression, bits: int) -> Expression:
    """Return the numbers in bytes, the first in the lowest bits, along the last dimension."""
    whole = (*x.shape, _BYTE // bits)
    graph: Any = x.graph
    shifts = graph.constant(np.arange(0, _BYTE, bits, dtype=np.uint8).reshape(1, 1, 1, -1))
    each = bit_shift_right(broadcast(viewed(x, (*x.shape, 1)), whole), broadcast(shifts, whole))
    numbers = bit_and(each, number_like(each, (1 << bits) - 1))
    return viewed(numbers, (*x.shape[:-1], x.shape[-1] * whole[-1]))


def is_in_halves(value: Value) -> bool:
    """Return whether a value is known, of 4 bits, and so can be held two in a byte."""
    return value.is_known and value.dtype.name in {"int4", "uint4"}


def _integers(
    node: Node, index: int, bits: int, sizes: tuple[int, int], *, is_signed: bool
) -> Expression:
    """Return numbers in bytes as a constant of integers, signed ones less half their range."""
    columns = sizes[1]
    data_type = {
        (False, False): TensorDataType.UINT8,
        (False, True): TensorDataType.INT8,
        (True, False): TensorDataType.UINT4,
        (True, True): TensorDataType.INT4,
    }[bits < _BYTE, is_signed]
    value = node.value(index)
    if not value.is_known:
        node.known(index, _WHY)
    made: Callable[[Array], Array]
    restored: Callable[[Array], Array] | None = None
    if bits == _BYTE or (bits == 4 and columns % 2 == 0):  # noqa: PLR2004 (half a byte)
        # The bytes that there are, with the highest bit of each number changed.
        flips = (0x88 if bits < _BYTE else 0x80) if is_signed else 0
        size = TensorDesc(data_type, sizes).total_tensor_size_in_bytes
        made = partial(_flipped, flips, sizes if bits == _BYTE else None, size)
        restored = partial(_restored, flips, value.shape)
    else:
        made = partial(_spread, bits, sizes, data_type, is_signed)
    return value.held(node.graph, Held(("few bits", data_type), data_type, sizes, made, restored))


def _flipped(flips: int, sizes: tuple[int, int] | None, size: int, array: Array) -> Array:
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if flips:
        raw = raw ^ np.uint8(flips)
    if sizes is not None:
        return raw.view(np.int8 if flips else np.uint8).reshape(sizes)
    return raw if len(raw) == size else np.concatenate([raw, np.zeros(size - len(raw), np.uint8)])


def _restored(flips: int, shape: tuple[int, ...], raw: Array) -> Array:
    count = math.prod(shape)
    return (raw[:count] ^ np.uint8(flips)).reshape(shape)


def _spread(
    bits: int,
    sizes: tuple[int, int],
    data_type: TensorDataType,
    is_signed: bool,  # noqa: FBT001 (bound by position)
    array: Array,
) -> Array:
    """Return numbers whose rows begin with a byte, or of two bits, as halves of bytes."""
    numbers = _unpacked(array, bits, sizes).reshape(-1)
    if is_signed:
        numbers = (numbers - np.uint8(1 << (bits - 1))) & np.uint8(15)
    raw = np.zeros(TensorDesc(data_type, sizes).total_tensor_size_in_bytes, np.uint8)
    raw[: -(-len(numbers) // 2)] = numbers[::2]
    raw[: len(numbers) // 2] |= numbers[1::2] << 4
    return raw


def _unpacked(array: Any, bits: int, sizes: tuple[int, int]) -> Array:
    """Return numbers that lie in bytes, the first in the lowest bits; rows begin with a byte."""
    rows, columns = sizes
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(rows, -1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    numbers = (raw[:, :, None] >> shifts) & np.uint8((1 << bits) - 1)
    return numbers.reshape(rows, -1)[:, :columns]
