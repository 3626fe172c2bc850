"""ONNX nodes as plain data, and the values between them: the library `onnx` is not needed here.

Every value knows its dtype and sizes, since DirectML's tensors do.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

#: Constants of at most this many bytes are kept once, however often they are made.
_SMALL_BYTES = 1 << 12

#: Operators whose results differ each time, so that two nodes are not one.
_RANDOM = ("Random", "Bernoulli", "Multinomial")

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
INT64, INT32, BOOL = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.bool_)


@dataclass(eq=False)
class Value:
    """What a node writes or a graph is given: packed elements.

    Attributes
    ----------
    dtype : numpy.dtype
        Of ml_dtypes for INT4 and UINT4.
    sizes : tuple of int
        Of each dimension; none for a scalar.
    name : str
        Empty until it has one.
    """

    dtype: DType
    sizes: tuple[int, ...]
    name: str = ""

    @property
    def count(self) -> int:
        """How many elements it has."""
        return math.prod(self.sizes)

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return len(self.sizes)

    @property
    def is_float(self) -> bool:
        """Whether its elements are floats."""
        return self.dtype.kind == "f"


@dataclass(eq=False)
class OnnxNode:
    """An ONNX node: an operator, values, attributes, and the name of DirectML's node it is of.

    `function` is what it calls, if that is a function of the model.
    """

    operator: str
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value | None, ...]
    attributes: dict[str, Any]
    place: str
    function: OnnxFunction | None = None


@dataclass(eq=False)
class OnnxFunction:
    """A function of the model: what an operator of DirectML means in ONNX's operators.

    Attributes
    ----------
    name : str
        In the domain of such functions; a number behind it tells bodies of one operator apart.
    text : str
        What the operator computes, in a line.
    inputs, outputs : dict
        What a body reads and gives, in order, and the fields that they are.
    nodes : list of OnnxNode
        Those that the outputs need.
    constants : dict
        Arrays by value.
    attributes : tuple of str
        The names of what a call says besides.
    """

    name: str
    text: str
    inputs: dict[Value, str]
    outputs: dict[Value, str]
    nodes: list[OnnxNode]
    constants: dict[Value, Array]
    attributes: tuple[str, ...]


#: What an operand may be: a number becomes a constant of the dtype of the first value.
Operand = Value | float | np.generic | None


@dataclass(eq=False)
class Builder:
    """The nodes and constants of a model while it is made.

    Attributes
    ----------
    nodes : list of OnnxNode
        Each after those whose values it reads.
    constants : dict
        Arrays by value.
    names : dict
        What constants are called, by value.
    place : str
        The name of the DirectML node that is being written.
    opset : int
        What was asked for: forms may choose by it.
    needed : dict
        From opsets above `opset` that nodes need to the place of the first that does.
    """

    opset: int = 18
    nodes: list[OnnxNode] = field(default_factory=list)
    constants: dict[Value, Array] = field(default_factory=dict)
    names: dict[Value, str] = field(default_factory=dict)
    place: str = ""
    needed: dict[int, tuple[str, str]] = field(default_factory=dict)
    _small: dict[Any, Value] = field(default_factory=dict)
    _known: dict[Any, Value] = field(default_factory=dict)

    # ---- nodes and constants ----

    def add(
        self,
        operator: str,
        *inputs: Operand,
        dtype: Any = None,
        sizes: Sequence[int] | None = None,
        since: int = 0,
        **attributes: Any,
    ) -> Value:
        """Add a node of one output, and return it; the same node is added once.

        Parameters
        ----------
        operator : str
            ONNX's name.
        *inputs : Value, number or None
            None for an optional one that is left out.
        dtype, sizes
            Of the output. By default the dtype of the first input, and the sizes that all inputs
            have together by broadcasting, as for element-wise operators.
        since : int
            The opset that it needs, if that is above 18.
        **attributes
            Numbers, text, and lists of them; those that are None are left out.
        """
        values = self._values(inputs)
        first = next((v for v in values if v is not None), None)
        if dtype is None:
            assert first is not None  # noqa: S101 (only what has an input has defaults)
            dtype = first.dtype
        if sizes is None:
            sizes = np.broadcast_shapes(*(v.sizes for v in values if v is not None))
        kept = {name: value for name, value in attributes.items() if value is not None}
        key = (operator, tuple(map(id, values)), repr(sorted(kept.items())), np.dtype(dtype))
        if key in self._known:
            return self._known[key]
        value = Value(np.dtype(dtype), tuple(sizes))
        self._node(operator, values, (value,), since, kept)
        if not operator.startswith(_RANDOM):
            self._known[key] = value
        return value

    def add_several(
        self,
        operator: str,
        inputs: Iterable[Operand],
        outputs: Iterable[tuple[Any, Sequence[int]] | None],
        *,
        since: int = 0,
        **attributes: Any,
    ) -> tuple[Any, ...]:
        """Add a node of several outputs, given by dtype and sizes; None for one left out."""
        made = tuple(
            None if out is None else Value(np.dtype(out[0]), tuple(out[1])) for out in outputs
        )
        kept = {name: value for name, value in attributes.items() if value is not None}
        self._node(operator, self._values(tuple(inputs)), made, since, kept)
        return made

    def call(
        self, function: OnnxFunction, inputs: Iterable[Value], attributes: dict[str, Any]
    ) -> list[Value]:
        """Add a call of a function, and return its outputs."""
        made = [Value(v.dtype, v.sizes) for v in function.outputs]
        self.nodes.append(
            OnnxNode(function.name, tuple(inputs), tuple(made), attributes, self.place, function)
        )
        return made

    def _node(self, operator: str, values: Any, made: Any, since: int, kept: Any) -> None:
        if since > self.opset:
            self.needed.setdefault(since, (self.place, operator))
        self.nodes.append(OnnxNode(operator, values, made, kept, self.place))

    def _values(self, inputs: tuple[Operand, ...]) -> tuple[Value | None, ...]:
        # ONNX Runtime 1.31 ends where LayerNormalization has an empty name behind the others.
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        like = next((x.dtype for x in inputs if isinstance(x, Value) and x.dtype != BOOL), SINGLE)
        return tuple(
            x if x is None or isinstance(x, Value) else self.number(x, like) for x in inputs
        )

    def constant(self, array: Any, dtype: Any = None, name: str = "") -> Value:
        """Return the value of an array; the first name that it is given is its own."""
        array = np.asarray(array, dtype)
        key = None
        if array.nbytes <= _SMALL_BYTES:
            key = array.dtype, array.shape, array.tobytes()
            if key in self._small:
                self._call(self._small[key], name)
                return self._small[key]
        value = Value(array.dtype, array.shape)
        self.constants[value] = array
        self._call(value, name)
        if key is not None:
            self._small[key] = value
        return value

    def _call(self, value: Value, name: str) -> None:
        if name:
            self.names.setdefault(value, name)

    def number(self, number: Any, dtype: Any) -> Value:
        """Return a constant without dimensions; integers are taken modulo 2^bits."""
        dtype = np.dtype(dtype)
        if dtype.kind in "iu" and not isinstance(number, np.generic):
            bits = int(number) % (1 << 8 * dtype.itemsize)
            return self.constant(np.array(bits, f"u{dtype.itemsize}").view(dtype))
        return self.constant(np.array(number, dtype))

    def integers(self, numbers: Iterable[int]) -> Value:
        """Return a constant of one dimension, INT64, as sizes and axes are given."""
        return self.constant(np.array(list(numbers), np.int64))

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Add nodes for a DirectML node of this name."""
        former, self.place = self.place, place
        try:
            yield
        finally:
            self.place = former

    # ---- movement: nothing is added where nothing would change ----

    def cast(self, x: Value, dtype: Any) -> Value:
        """Return a value in another dtype, as ONNX's Cast converts."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype:
            return x
        return self.add("Cast", x, dtype=dtype, to=dtype)

    def reshape(self, x: Value, sizes: Sequence[int]) -> Value:
        """Return the elements in other sizes; those of a constant as a constant."""
        sizes = tuple(sizes)
        if x.sizes == sizes:
            return x
        if x in self.constants:
            key = "constant", x, sizes
            if key not in self._known:
                array, name = self.constants[x].reshape(sizes), self.names.get(x, "")
                self._known[key] = self.constant(array, name=name)
            return self._known[key]
        return self.add("Reshape", x, self.integers(sizes), sizes=sizes)

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        """Return the dimensions in another order."""
        order = list(order)
        if order == sorted(order):
            return x
        return self.add("Transpose", x, sizes=[x.sizes[k] for k in order], perm=order)

    def expand(self, x: Value, sizes: Sequence[int]) -> Value:
        """Return the elements repeated along dimensions of size 1 and new ones in front."""
        sizes = tuple(sizes)
        if x.sizes == sizes:
            return x
        return self.add("Expand", x, self.integers(sizes), sizes=sizes)

    def slice(
        self,
        x: Value,
        starts: Sequence[int],
        ends: Sequence[int],
        axes: Sequence[int] | None = None,
        steps: Sequence[int] | None = None,
    ) -> Value:
        """Return x[start:end:step] along some axes, all by default; as in Python."""
        axes = range(len(starts)) if axes is None else axes
        steps = [1] * len(starts) if steps is None else steps
        sizes = list(x.sizes)
        for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
            sizes[axis] = len(range(x.sizes[axis])[slice(start, _end(end, step), step)])
        if tuple(sizes) == x.sizes and all(step == 1 for step in steps):
            return x
        given = [self.integers(each) for each in (starts, ends, axes, steps)]
        return self.add("Slice", x, *given, sizes=sizes)

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        """Return values behind each other along an axis."""
        if len(values) == 1:
            return values[0]
        sizes = list(values[0].sizes)
        sizes[axis] = sum(value.sizes[axis] for value in values)
        return self.add("Concat", *values, sizes=sizes, axis=axis)

    def gather(self, x: Value, indices: Value, axis: int = 0) -> Value:
        """Return the elements of some indices along an axis."""
        sizes = (*x.sizes[:axis], *indices.sizes, *x.sizes[axis + 1 :])
        return self.add("Gather", x, indices, sizes=sizes, axis=axis)

    def reduce(self, operator: str, x: Value, axes: Sequence[int], *, keep: bool = True) -> Value:
        """Return an ONNX reduction such as "ReduceSum" along some axes, as opset 18 has it."""
        kept = [1 if k in axes else n for k, n in enumerate(x.sizes) if keep or k not in axes]
        return self.add(operator, x, self.integers(axes), sizes=kept, keepdims=int(keep))

    def where(self, condition: Value, a: Operand, b: Operand) -> Value:
        """Return a where the condition holds and b elsewhere.

        Integers that ONNX Runtime has no Where of go through wider ones, which changes none.
        """
        dtype = next(x.dtype for x in (a, b) if isinstance(x, Value))
        through = _THROUGH.get(dtype.name)
        if through is None:
            a, b = (x if isinstance(x, Value) else self.number(x, dtype) for x in (a, b))
            return self.add("Where", condition, a, b, dtype=dtype)
        a, b = (
            self.cast(x if isinstance(x, Value) else self.number(x, dtype), through) for x in (a, b)
        )
        return self.cast(self.add("Where", condition, a, b, dtype=through), dtype)


def needed_nodes(nodes: Sequence[OnnxNode], outputs: Iterable[Value | None]) -> list[OnnxNode]:
    """Return the nodes that some values need, in their order."""
    wanted = set(outputs)
    kept: list[OnnxNode] = []
    for node in reversed(nodes):
        if wanted.intersection(v for v in node.outputs if v is not None):
            kept.append(node)
            wanted.update(v for v in node.inputs if v is not None)
    return kept[::-1]


#: What ONNX Runtime has no Where of, and what goes through which without loss.
_THROUGH = {
    "int16": np.int32,
    "uint16": np.int32,
    "uint64": np.int64,
    "bool": np.uint8,
}


def _end(end: int, step: int) -> int | None:
    """Return the end of a slice as Python has it: ONNX's "before the first" is none."""
    return None if step < 0 and end < -(1 << 61) else end


@functools.cache
def numpy_dtype(data_type: TensorDataType) -> DType:
    """Return the dtype of a data type; INT4 and UINT4 are ml_dtypes', which `onnx` needs too."""
    found: DType | None = data_type.dtype
    return found or np.dtype(getattr(importlib.import_module("ml_dtypes"), data_type.name.lower()))
