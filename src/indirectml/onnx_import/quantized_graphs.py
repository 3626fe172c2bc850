"""Dequantize - operator - Quantize, as exporters write it, made an operator of integers.

Exporters say quantized networks in floats: DequantizeLinear before an operator, QuantizeLinear
behind it. Runtimes compute such groups in integers, and so does DirectML, which has operators for
it. The results differ: a group rounds after each of its steps, its integer form once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from indirectml.onnx_import.bodies import MICROSOFT
from indirectml.onnx_import.package import onnx_package

#: What quantized graphs become.
Quantized = Literal["as written", "integers"]

#: Operators that move integers as well as floats, if both have one scale and zero point.
_MOVES = (
    "Concat", "Expand", "Flatten", "Gather", "MaxPool", "Reshape", "Slice", "Split", "Squeeze",
    "Transpose", "Unsqueeze",
)  # fmt: skip

#: Operators of one input, and those that do it in integers.
_OF_ONE = {
    "AveragePool": "QLinearAveragePool",
    "GlobalAveragePool": "QLinearGlobalAveragePool",
    "LeakyRelu": "QLinearLeakyRelu",
    "Sigmoid": "QLinearSigmoid",
    "Softmax": "QLinearSoftmax",
}

#: ONNX's numbers of the integers of quantized operators, and of biases: UINT8, INT8, INT32.
_DATA_TYPES = (2, 3, 6)

#: And of two.
_OF_TWO = {"Add": "QLinearAdd", "Mul": "QLinearMul"}


class _Quantized(NamedTuple):
    """Integers, with the names of their scale and zero point."""

    integers: str
    scale: str
    zero: str


class _Graph:
    """What a graph's nodes read and write."""

    def __init__(self, model: Any) -> None:
        graph = model.graph
        self.opset = next((each.version for each in model.opset_import if not each.domain), 0)
        self.nodes = list(graph.node)
        self.made_by = {name: node for node in self.nodes for name in node.output if name}
        self.readers: dict[str, list[Any]] = {}
        for node in self.nodes:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.outputs = {each.name for each in graph.output}
        self.arrays = {each.name: each for each in graph.initializer}

    def only_reader(self, name: str) -> Any:
        """Return the one node that reads a value; None where there are others, or an output."""
        readers = self.readers.get(name, [])
        return readers[0] if len(readers) == 1 and name not in self.outputs else None

    def quantized(self, name: str) -> _Quantized | None:
        """Return what a value was before DequantizeLinear; None if it comes from elsewhere."""
        node = self.made_by.get(name)
        if node is None or node.op_type != "DequantizeLinear" or len(node.input) < 3:  # noqa: PLR2004 (with a zero point)
            return None
        if any(each.name == "block_size" and each.i for each in node.attribute):
            return None
        if not self.is_narrow(node.input[2]):
            return None
        return _Quantized(*node.input[:3])

    def is_narrow(self, zero: str) -> bool:
        """Return whether a zero point is of integers that DirectML's operators have."""
        tensor = self.arrays.get(zero)
        return tensor is not None and tensor.data_type in _DATA_TYPES

    def number(self, name: str) -> Any:
        """Return an initializer of one element as that; None for all others."""
        tensor = self.arrays.get(name)
        if tensor is None or tensor.data_location or any(size != 1 for size in tensor.dims):
            return None
        array = onnx_package("numpy_helper").to_array(tensor)
        return array.reshape(-1)[0]

    def is_scalar(self, *names: str) -> bool:
        """Return whether initializers have one element each."""
        return all(self.number(name) is not None for name in names)

    def is_by(self, axis: int, name: str) -> bool:
        """Return whether what a value was has one scale, or one per index of an axis."""
        node = self.made_by[name]
        if self.is_scalar(*node.input[1:3]):
            return True
        return axis == next((each.i for each in node.attribute if each.name == "axis"), 1)

    def are_same(self, a: _Quantized, b: _Quantized) -> bool:
        """Return whether two have the same scale and zero point."""
        pairs = ((a.scale, b.scale), (a.zero, b.zero))
        return all(
            x == y or (self.is_scalar(x, y) and self.number(x) == self.number(y)) for x, y in pairs
        )


def in_integers(model: Any) -> Any:
    """Return a model whose groups of Dequantize, operator and Quantize are operators of integers.

    Parameters
    ----------
    model : onnx.ModelProto
        Stays as it is.

    Returns
    -------
    onnx.ModelProto
        The same graph where there is no such group. Groups are left that DirectML's operators do
        not have: with scales in blocks, without zero points, whose floats something else reads.
    """
    found = _Graph(model)
    replaced: dict[int, list[Any]] = {}
    left_out: set[int] = set()
    for node in found.nodes:
        group = _group(found, node)
        if group is None:
            continue
        last, others = group[-1], group[:-1]
        replaced[id(last)] = _written(found, node, last)
        left_out.update(map(id, others))
    if not replaced:
        return model
    made = type(model)()
    made.CopyFrom(model)
    del made.graph.node[:]
    for node in found.nodes:
        if id(node) not in left_out:
            made.graph.node.extend(replaced.get(id(node), [node]))
    if all(each.domain != MICROSOFT for each in made.opset_import):
        made.opset_import.add(domain=MICROSOFT, version=1)
    return made


def _group(found: _Graph, node: Any) -> list[Any] | None:
    """Return a node, and those behind it up to QuantizeLinear, if integers can do it."""
    known = node.op_type in _WRITERS and node.domain in {"", "ai.onnx"} and len(node.output) == 1
    last = found.only_reader(node.output[0]) if known else None
    group = [node]
    if last is not None and last.op_type == "Relu":
        after = found.only_reader(last.output[0])
        if after is not None and _limits_to_positive(found, after):
            group.append(last)
            last = after
    if last is None or last.op_type != "QuantizeLinear" or len(last.input) < 3:  # noqa: PLR2004 (with a zero point)
        return None
    group.append(last)
    return group if found.is_narrow(last.input[2]) and _written(found, node, last) else None


def _limits_to_positive(found: _Graph, node: Any) -> bool:
    """Return whether QuantizeLinear gives the least integer for zero and what is below."""
    if node.op_type != "QuantizeLinear" or len(node.input) < 3:  # noqa: PLR2004 (with a zero point)
        return False
    zero = found.number(node.input[2])
    return zero is not None and zero == np.iinfo(zero.dtype).min


def _written(found: _Graph, node: Any, last: Any) -> list[Any]:
    """Return the nodes of a group in integers; none if it has no such form."""
    return list(_WRITERS[node.op_type](found, node, _Quantized(last.output[0], *last.input[1:3])))


def _node(like: Any, operator: str, inputs: Sequence[str], output: str, domain: str = "") -> Any:
    made = type(like)()
    made.CopyFrom(like)
    made.op_type, made.domain = operator, domain
    del made.input[:], made.output[:]
    made.input.extend(inputs)
    made.output.append(output)
    return made


def _of_one(found: _Graph, node: Any, y: _Quantized) -> Iterator[Any]:
    x = found.quantized(node.input[0])
    if x and found.is_scalar(*x[1:], *y[1:]):
        made = _node(node, _OF_ONE[node.op_type], (*x, *y[1:]), y.integers, MICROSOFT)
        if node.op_type == "Softmax":  # whose meaning changed with opset 13
            made.attribute.append(onnx_package("helper").make_attribute("opset", found.opset))
        yield made


def _of_two(found: _Graph, node: Any, y: _Quantized) -> Iterator[Any]:
    a, b = map(found.quantized, node.input)
    if a and b and found.is_scalar(*a[1:], *b[1:], *y[1:]):
        yield _node(node, _OF_TWO[node.op_type], (*a, *b, *y[1:]), y.integers, MICROSOFT)


def _convolution(found: _Graph, node: Any, y: _Quantized) -> Iterator[Any]:
    x, w = map(found.quantized, node.input[:2])
    if not (x and w and found.is_scalar(*x[1:], *y[1:]) and found.is_by(0, node.input[1])):
        return
    inputs = [*x, *w, *y[1:]]
    if len(node.input) > 2 and node.input[2]:  # noqa: PLR2004 (a bias)
        bias = found.quantized(node.input[2])
        if bias is None:  # a float, which the integer operator has not
            return
        inputs.append(bias.integers)
    yield _node(node, "QLinearConv", inputs, y.integers)


def _product(found: _Graph, node: Any, y: _Quantized) -> Iterator[Any]:
    a, b = map(found.quantized, node.input)
    if a and b and found.is_scalar(*a[1:], *y[1:]) and found.is_by(1, node.input[1]):
        yield _node(node, "QLinearMatMul", (*a, *b, *y[1:]), y.integers)


def _matrices(found: _Graph, node: Any, y: _Quantized) -> Iterator[Any]:
    a, b = map(found.quantized, node.input[:2])
    has_c = len(node.input) > 2 and bool(node.input[2])  # noqa: PLR2004 (a summand)
    c = found.quantized(node.input[2]) if has_c else None
    is_turned = any(each.name == "transB" and each.i for each in node.attribute)
    is_scaled = any(each.name == "beta" and each.f != 1 for each in node.attribute)
    if a is None or b is None or is_scaled or (has_c and c is None):
        return
    if not (found.is_scalar(*a[1:], *y[1:]) and found.is_by(0 if is_turned else 1, node.input[1])):
        return
    made = _node(node, "QGemm", (*a, *b, c.integers if c else "", *y[1:]), y.integers, MICROSOFT)
    kept = [each for each in made.attribute if each.name != "beta"]
    del made.attribute[:]
    made.attribute.extend(kept)
    yield made


def _move(found: _Graph, node: Any, y: _Quantized) -> Iterator[Any]:
    """Move integers; Concat of several scales has an operator of its own."""
    count = len(node.input) if node.op_type == "Concat" else 1
    parts = [found.quantized(name) for name in node.input[:count]]
    known = [part for part in parts if part]
    if len(known) < count or not found.is_scalar(*y[1:]):
        return
    if all(found.are_same(part, y) for part in known):
        inputs = (*(part.integers for part in known), *node.input[count:])
        yield _node(node, node.op_type, inputs, y.integers)
    elif node.op_type == "Concat" and found.is_scalar(*(n for part in known for n in part[1:])):
        inputs = (*y[1:], *(name for part in known for name in part))
        yield _node(node, "QLinearConcat", inputs, y.integers, MICROSOFT)


_Writer = Callable[[_Graph, Any, _Quantized], Iterator[Any]]

#: What a group becomes, by the operator in its middle.
_WRITERS: Mapping[str, _Writer] = {
    **dict.fromkeys(_OF_ONE, _of_one),
    **dict.fromkeys(_OF_TWO, _of_two),
    **dict.fromkeys(_MOVES, _move),
    "Conv": _convolution,
    "MatMul": _product,
    "Gemm": _matrices,
}
