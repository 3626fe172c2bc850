"""Weights that are dequantized as late as can be: by the product that reads them.

DequantizeLinear of constants is not computed while loading where what reads it is a product of
matrices, or a convolution between dequantized images and QuantizeLinear: these take the integers as
they are. Everything else that looks at the elements has them computed, once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from indirectml.arithmetic.settling import LEAST_PIXELS, settles_convolutions
from indirectml.arithmetic.stored_weights import takes_scales
from indirectml.catalogue.enumerations import QuantizationType
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.tensor_buffers import bytes_in_halves, from_halves
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.building import added
from indirectml.onnx_import.nodes import Node
from indirectml.onnx_import.values import Array, Held, Value, transposed

#: Fewer elements are computed while loading.
_LEAST = 1 << 12

_MATRIX_RANK = 2

_TYPES = {
    "int4": TensorDataType.INT4,
    "uint4": TensorDataType.UINT4,
    "int8": TensorDataType.INT8,
    "uint8": TensorDataType.UINT8,
}


class Postponed(Value):
    """Weights that are computed when something looks at their elements: a matrix, or filters.

    Parameters
    ----------
    node : Node
        DequantizeLinear, with all inputs known.
    computed : callable
        Returns the elements as the node has them.
    is_transposed : bool
        Whether the value is the transposed matrix.
    """

    __slots__ = ("_computed", "_is_transposed", "_node")

    def __init__(
        self, node: Node, computed: Callable[[], Array], *, is_transposed: bool = False
    ) -> None:
        # A stand-in that takes no memory, for sizes and data type alone.
        like = np.broadcast_to(np.zeros((), node.value(1).dtype), node.value(0).shape)
        super().__init__(like.T if is_transposed else like)
        self.content = None
        self._node, self._computed, self._is_transposed = node, computed, is_transposed

    @property
    def array(self) -> Array | None:
        """The elements, which are computed now if they have not been."""
        if self.content is None and self._constant is None:
            found = self._computed()
            self.content = found.T if self._is_transposed else found
        return super().array

    def turned(self) -> Postponed:
        """Return the transposed matrix."""
        return Postponed(self._node, self._computed, is_transposed=not self._is_transposed)

    def parts(self) -> tuple[Value, list[tuple[Value, tuple[int, int]]]] | None:
        """Return the integers, and scales and zero points with their sizes as matrices.

        None if they were computed, or rows are not those of the node, or share scales with some
        others.
        """
        if self._is_transposed or self.content is not None or self._constant is not None:
            return None
        if self.rank != _MATRIX_RANK:
            return None
        node, (rows, columns) = self._node, self.shape
        given = [node.value(index) for index in (1, 2) if node.has(index)]
        sizes = [_sizes_of(each, node, (rows, columns)) for each in given]
        parameters = [(each, own) for each, own in zip(given, sizes, strict=True) if own]
        if len(parameters) < len(given) or any(own[0] not in (1, rows) for _, own in parameters):
            return None
        return node.value(0), parameters

    def weights(self, graph: LoadingGraph) -> Expression | None:
        """Return DEQUANTIZE of the integers, for the right side of a product; None if it is not so.

        There is a scale for each block of k then, and along the columns as products take them.
        """
        is_there = self.content is not None or self._constant is not None  # computed, and kept
        if is_there or self.rank != _MATRIX_RANK:
            return None
        node = self._node
        numbers, scale = node.value(0), node.value(1)
        sizes = (numbers.shape[0], numbers.shape[1])
        own = _sizes_of(scale, node, sizes)
        if own is None:
            return None
        if own == (1, 1):  # of its own for each column: kernels for these are faster
            own = (sizes[0], 1) if self._is_transposed else (1, sizes[1])
        both = (sizes[::-1], own[::-1]) if self._is_transposed else (sizes, own)
        if not takes_scales(*both):
            return None
        # Products of the other direction have constants of their own, in panels of their own.
        use = "turned" if self._is_transposed else "plain"
        x, *parameters = _constants_of(graph, node, own, use)
        kind = (QuantizationType.SCALE, QuantizationType.SCALE_ZERO_POINT)[len(parameters) - 1]
        outputs = [(as_data_type(scale.dtype), sizes)]
        (result,) = added(graph, "DEQUANTIZE", [x, parameters], outputs, quantization_type=kind)
        return transposed(result, (1, 0)) if self._is_transposed else result

    def filters(self, made: Callable[[Node], Value]) -> Expression | None:
        """Return filters of a convolution as `made` dequantizes them; None if they were computed.

        Or if they have another scale than one, or one for each output channel.
        """
        node = self._node
        scale = node.value(1)
        is_one = scale.count == 1
        by_filter = scale.rank == 1 and node.axis(self.rank, default=1) == 0
        if self.content is not None or self._constant is not None or not (is_one or by_filter):
            return None
        if node.attribute("block_size", 0) or scale.dtype != np.float32:
            return None
        return made(node).expression(node.graph)


class Turned(Value):
    """A known matrix transposed, of which a product has a constant that both are restored from.

    So that memory holds the elements once, however a model writes that.
    """

    __slots__ = ("_origin",)

    def __init__(self, origin: Value) -> None:
        super().__init__(np.broadcast_to(np.zeros((), origin.dtype), origin.shape[::-1]))
        self.content = None
        self._origin = origin

    @property
    def array(self) -> Array | None:
        """The elements, which are those of the matrix."""
        if self._constant is None:
            return self._origin.array.T  # type: ignore[union-attr]  # it is known
        return super().array

    def weights(self, graph: LoadingGraph) -> Expression:
        """Return the transposed matrix as a constant, for the right side of a product."""
        rows, columns = self.shape
        restored = partial(_from_turned_bytes, self.shape, self.dtype)
        form = Held("transposed", as_data_type(self.dtype), (rows, columns), _turned, restored)
        return self._origin.held(graph, form)


def _turned(array: Array) -> Array:
    return np.ascontiguousarray(array.T)


def _from_turned_bytes(shape: tuple[int, ...], dtype: np.dtype[Any], raw: Array) -> Array:
    """Return the matrix whose transposed elements are so many bytes."""
    return _from_plain_bytes(shape, dtype, raw).T


def postponed(node: Node, computed: Callable[[], Array]) -> Postponed | Turned | None:
    """Return what a node makes of known inputs, if that can wait."""
    if node.operator == "Transpose" and not node.domain:
        value = node.value(0)
        if list(node.attribute("perm") or (1, 0)) != [1, 0]:
            return None
        if isinstance(value, Postponed) and value.rank == _MATRIX_RANK:
            return value.turned()
        is_weights = value.dtype.name in ("float32", "float16") and value.count >= _LEAST
        return Turned(value) if is_weights and value.rank == _MATRIX_RANK else None
    if node.operator != "DequantizeLinear" or node.domain:
        return None
    numbers, scale = node.value(0), node.value(1)
    if (
        numbers.dtype.name not in _TYPES
        or not (_is_matrix(numbers) or _are_filters(numbers))
        or scale.dtype.name not in ("float32", "float16")
        or node.attribute("output_dtype", 0)
        or (node.has(2) and node.value(2).dtype != numbers.dtype)
        or not all(_fits(node.value(index), node) for index in (1, 2) if node.has(index))
    ):
        return None
    return Postponed(node, computed)


def _is_matrix(value: Value) -> bool:
    return value.rank == _MATRIX_RANK and value.count >= _LEAST


def _are_filters(value: Value) -> bool:
    return value.rank > _MATRIX_RANK and settles_convolutions(LEAST_PIXELS, value.shape, 1)


def _fits(parameter: Value, node: Node) -> bool:
    """Return whether a node can have a scale or zero point; else it is refused there."""
    numbers = node.value(0)
    if numbers.rank == _MATRIX_RANK:
        return _sizes_of(parameter, node, numbers.shape) is not None
    axis = node.axis(numbers.rank, default=1)
    return parameter.count == 1 or parameter.shape == numbers.shape[axis : axis + 1]


def _sizes_of(parameter: Value, node: Node, sizes: Sequence[int]) -> tuple[int, int] | None:
    """Return the sizes of scales or zero points as a matrix: a row, a column, or blocks."""
    if parameter.count == 1:
        return 1, 1
    axis, block = node.axis(_MATRIX_RANK, default=1), node.attribute("block_size", 0)
    if parameter.rank == 1 and not block:
        is_whole = parameter.count == sizes[axis]
        found = (1, sizes[1]) if axis else (sizes[0], 1)
        return found if is_whole else None
    if not block or sizes[axis] % block:
        return None
    blocks = sizes[axis] // block
    found = (sizes[0], blocks) if axis else (blocks, sizes[1])
    return found if parameter.shape == found else None


def _constants_of(
    graph: LoadingGraph, node: Node, own: tuple[int, int], use: str
) -> list[Expression]:
    """Return integers, scales and zero points of a node for one use, scales of their own sizes."""
    sizes = (node.value(0).shape[0], node.value(0).shape[1])
    found = [_held(graph, node.value(0), sizes, use)]
    for index in (1, 2):
        if node.has(index):
            value = node.value(index)
            given = _sizes_of(value, node, sizes) or own
            found.append(_held(graph, value, own, use, given))
    return found


def _held(
    graph: LoadingGraph,
    value: Value,
    sizes: tuple[int, int],
    use: str,
    given: tuple[int, int] | None = None,
) -> Expression:
    """Return a known value as a constant for one use, spread from the sizes that are given."""
    data_type = _TYPES.get(value.dtype.name) or as_data_type(value.dtype)
    is_byte = data_type.bits >= 8  # noqa: PLR2004 (a byte)
    if not is_byte and given is None:
        return in_halves(graph, value, sizes, use)

    def made(array: Array) -> Array:
        spread = np.broadcast_to(array.reshape(given or sizes), sizes)
        return np.ascontiguousarray(spread) if is_byte else _bytes_in_halves(spread)

    restored = partial(_from_plain_bytes, value.shape, value.dtype) if given is None else None
    return value.held(graph, Held((use, *sizes), data_type, sizes, made, restored))


def in_halves(graph: LoadingGraph, value: Value, sizes: Sequence[int], use: str = "") -> Expression:
    """Return a known value of 4-bit integers as a constant of some sizes, two in a byte."""
    graph.budget.take_elements(value.shape, np.uint16)  # two forms of a byte each, for a moment
    restored = partial(_from_bytes, value.shape, value.dtype)
    data_type = _TYPES[value.dtype.name]
    held = Held(("halves", use, *sizes), data_type, tuple(sizes), _bytes_in_halves, restored)
    return value.held(graph, held)


def _from_plain_bytes(shape: tuple[int, ...], dtype: np.dtype[Any], raw: Array) -> Array:
    """Return the elements that bytes are."""
    count = math.prod(shape) * dtype.itemsize
    return raw.reshape(-1).view(np.uint8)[:count].view(dtype).reshape(shape)


def _bytes_in_halves(array: Array) -> Array:
    """Return the bytes of 4-bit integers, the first of two in the low half; whole words."""
    found: Array = bytes_in_halves(_in_a_row(array.shape, array.dtype), array.reshape(-1))
    return found


def _from_bytes(shape: tuple[int, ...], dtype: np.dtype[Any], raw: Array) -> Array:
    """Return the elements that such bytes stand for."""
    found: Array = from_halves(_in_a_row(shape, dtype), raw).reshape(shape).astype(dtype)
    return found


def _in_a_row(shape: tuple[int, ...], dtype: np.dtype[Any]) -> TensorDesc:
    return TensorDesc(_TYPES[dtype.name], [math.prod(shape)])
