"""MatMulNBits: products with weights of 2, 4 or 8 bits, in blocks along K, as they are stored."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from indirectml.arithmetic.quantization import dequantize_blocks
from indirectml.catalogue.enumerations import MatrixTransform, QuantizationType
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import ModelError
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.expressions import Expression, broadcast
from indirectml.onnx_import.bodies import MICROSOFT, one_of
from indirectml.onnx_import.building import added
from indirectml.onnx_import.nodes import Node, handler
from indirectml.onnx_import.values import Array, Held, Value, viewed
from indirectml.operators.functions import add, gemm

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
    if k % block:
        weights = _computed(node, bits, (n, k), block)
    else:
        parameters = [viewed(node.expression(_SCALES), (n, blocks))]
        numbers = _integers(node, _WEIGHTS, bits, (n, k), is_signed=not node.has(_ZEROS))
        if node.has(_ZEROS):
            parameters.append(_integers(node, _ZEROS, bits, (n, blocks), is_signed=False))
        kind = (QuantizationType.SCALE, QuantizationType.SCALE_ZERO_POINT)[len(parameters) - 1]
        outputs = [(parameters[0].desc.data_type, (n, k))]
        (weights,) = added(
            graph, "DEQUANTIZE", [numbers, parameters], outputs, quantization_type=kind
        )
    rows = a.count // k
    if a.shape[-1] != k:
        raise ModelError(f"needs {k} columns, as K says", given=f"{list(a.shape)}")
    x = viewed(a.expression(graph), (rows, k))
    y = gemm(x, weights, trans_b=MatrixTransform.TRANSPOSE)
    if node.has(_BIAS):
        y = add(y, broadcast(viewed(node.expression(_BIAS), (1, n)), (rows, n)))
    return node.made(y, (*a.shape[:-1], n))


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
    }[bits == 4, is_signed]  # noqa: PLR2004 (half a byte)
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
    """Return numbers whose rows begin with a byte, or of two bits, as a constant holds them."""
    numbers = _unpacked(array, bits, sizes)
    if data_type.bits == _BYTE:
        middle = np.uint8(1 << (bits - 1))
        return (numbers - middle).view(np.int8) if is_signed else numbers
    numbers = numbers.reshape(-1) ^ np.uint8(8 if is_signed else 0)
    raw = np.zeros(TensorDesc(data_type, sizes).total_tensor_size_in_bytes, np.uint8)
    raw[: -(-len(numbers) // 2)] = numbers[::2]
    raw[: len(numbers) // 2] |= numbers[1::2] << 4
    return raw


def _computed(node: Node, bits: int, sizes: tuple[int, int], block: int) -> Expression:
    """Return weights whose last blocks are not whole, as they are computed once."""
    n, k = sizes
    whole = -(-k // block) * block
    middle = np.uint8(1 << (bits - 1))
    scales = node.known(_SCALES, _WHY).reshape(n, -1)
    zeros: Any = np.full(scales.shape, middle, np.uint8)
    if node.has(_ZEROS):
        zeros = _unpacked(node.known(_ZEROS, _WHY), bits, scales.shape)
    if not node.value(_WEIGHTS).is_known:
        node.known(_WEIGHTS, _WHY)

    def made(array: Array) -> Array:
        numbers = _unpacked(array, bits, (n, whole))
        weights = dequantize_blocks(numbers, scales, zeros)[:, :k]
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(weights.astype(scales.dtype))

    data_type = as_data_type(scales.dtype)
    held = Held(("computed", block), data_type, sizes, made)
    return node.value(_WEIGHTS).held(node.graph, held)


def _unpacked(array: Any, bits: int, sizes: tuple[int, int]) -> Array:
    """Return numbers that lie in bytes, the first in the lowest bits; rows begin with a byte."""
    rows, columns = sizes
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(rows, -1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    numbers = (raw[:, :, None] >> shifts) & np.uint8((1 << bits) - 1)
    return numbers.reshape(rows, -1)[:, :columns]
