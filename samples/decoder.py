"""Decoders in ONNX with random weights, always the same: Llama's layout in any size.

In three forms: `growing`, as exporters write it, whose outputs are the past and the new rows behind
it; `fixed`, likewise, whose past has room and whose new rows are put into it; and `grouped`, which
is what onnxruntime-genai's builder writes, with ONNX Runtime's GroupQueryAttention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]

#: What becomes of the past: see the head of this file.
Form = Literal["growing", "fixed", "grouped"]

_OPSET = 21
_EPSILON = 1e-5
_LEAST = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class Layout:
    """The sizes of a decoder.

    Attributes
    ----------
    vocabulary, width, layers : int
        Tokens; numbers per position; layers.
    heads, shared_heads : int
        Of queries, and of keys and values.
    inside : int
        Numbers per position between the products of a layer's last part.
    positions : int
        The most that rotary tables are made for.
    """

    vocabulary: int = 8000
    width: int = 512
    layers: int = 4
    heads: int = 8
    shared_heads: int = 2
    inside: int = 1408
    positions: int = 4096

    @property
    def head_size(self) -> int:
        """Numbers per position and head."""
        return self.width // self.heads


#: Small enough for a test.
SMALL = Layout(vocabulary=96, width=64, layers=2, heads=4, shared_heads=2, inside=96, positions=128)


def decoder(layout: Layout, form: Form = "growing", seed: int = 0) -> onnx.ModelProto:
    """Return a decoder with random weights.

    Inputs are `input_ids` [1, sequence], `past_length` [1] and, for each layer, `past_key.N` and
    `past_value.N` [1, shared heads, past or capacity, head size]; outputs `logits`
    [1, sequence, vocabulary] and `present_key.N`, `present_value.N`. The form `grouped` has
    `attention_mask` [1, total] instead of `past_length`, and other names.
    """
    return _Decoder(layout, form, seed).model()


class _Decoder:
    """A decoder that grows: `node` returns the name of its output."""

    def __init__(self, layout: Layout, form: Form, seed: int) -> None:
        self.layout, self.form = layout, form
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.numbers: dict[Any, str] = {}

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def number(self, value: Any, dtype: Any = np.int64) -> str:
        key = (repr(value), np.dtype(dtype))
        if key not in self.numbers:
            self.numbers[key] = self.weight(f"number_{len(self.numbers)}", np.array(value, dtype))
        return self.numbers[key]

    def weight(self, name: str, array: Array) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def matrix(self, name: str, *sizes: int) -> str:
        made = self.random.standard_normal(sizes, np.float32)
        return self.weight(name, made * np.float32(sizes[0] ** -0.5))

    def model(self) -> onnx.ModelProto:
        layout = self.layout
        rows = "capacity" if self.form == "fixed" else "past"
        cache = [1, layout.shared_heads, rows, layout.head_size]
        kinds = TensorProto.FLOAT
        inputs = [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "sequence"]),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, [1, "total"])
            if self.form == "grouped"
            else helper.make_tensor_value_info("past_length", TensorProto.INT64, [1]),
        ]
        outputs = [
            helper.make_tensor_value_info("logits", kinds, [1, "sequence", layout.vocabulary])
        ]
        table = self.matrix("embedding", layout.vocabulary, layout.width)
        x = self.node("Gather", table, "input_ids", axis=0)
        self.positions()
        for number in range(layout.layers):
            x = self.layer(number, x)
            for part in ("key", "value"):
                past, present = self.names(number, part)
                inputs.append(helper.make_tensor_value_info(past, kinds, cache))
                after = rows if self.form == "fixed" else "total"
                sizes = [*cache[:2], after, cache[3]]
                outputs.append(helper.make_tensor_value_info(present, kinds, sizes))
        x = self.normalized("last", x)
        head = self.matrix("head", layout.width, layout.vocabulary)
        self.nodes.append(helper.make_node("MatMul", [x, head], ["logits"], name="logits"))
        graph = helper.make_graph(self.nodes, "decoder", inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def names(self, layer: int, part: str) -> tuple[str, str]:
        """Return what a cache is called as input and as output."""
        if self.form == "grouped":
            return f"past_key_values.{layer}.{part}", f"present.{layer}.{part}"
        return f"past_{part}.{layer}", f"present_{part}.{layer}"

    def positions(self) -> None:
        """Make what all layers read: tables at the positions of new rows, and the mask."""
        layout = self.layout
        angles = np.arange(layout.positions)[:, None] / 10000 ** (
            np.arange(0, layout.head_size, 2) / layout.head_size
        )
        if self.form == "grouped":
            self.cosines, self.sines = (
                self.weight(name, f(angles).astype(np.float32))
                for name, f in (("cosines", np.cos), ("sines", np.sin))
            )
            own = self.node("ReduceSum", "attention_mask", self.number([1]))
            last = self.node("Sub", own, self.number([1]))
            self.lengths = self.node("Cast", last, to=TensorProto.INT32)
            total = self.node("Gather", self.node("Shape", "attention_mask"), self.number(1))
            self.total = self.node("Cast", total, to=TensorProto.INT32)
            return
        turns = np.concatenate((angles, angles), -1)
        length = self.node("Gather", self.node("Shape", "input_ids"), self.number(1), axis=0)
        first = self.node("Squeeze", "past_length", self.number([0]))
        zero, one = self.number(0), self.number(1)
        steps = self.node("Range", zero, length, one)
        self.rows = self.node("Add", steps, first)
        self.cosines, self.sines = (
            self.node("Gather", self.weight(name, f(turns).astype(np.float32)), self.rows, axis=0)
            for name, f in (("cosines", np.cos), ("sines", np.sin))
        )
        kept = self.node("Gather", self.node("Shape", "past_key.0"), self.number(2), axis=0)
        if self.form == "growing":
            kept = self.node("Add", kept, length)
        places = self.node("Range", zero, kept, one)
        own = self.node("Unsqueeze", self.rows, self.number([1]))
        later = self.node("Greater", places, own)
        least, none = self.number(_LEAST, np.float32), self.number(0, np.float32)
        self.mask = self.node("Where", later, least, none)

    def normalized(self, name: str, x: str) -> str:
        gains = 1 + self.random.standard_normal(self.layout.width, np.float32) / 8
        squares = self.node("Pow", x, self.number(2, np.float32))
        mean = self.node("ReduceMean", squares, self.number([-1]), keepdims=1)
        root = self.node("Sqrt", self.node("Add", mean, self.number(_EPSILON, np.float32)))
        scaled = self.node("Mul", x, self.node("Reciprocal", root))
        return self.node("Mul", scaled, self.weight(f"{name}.gains", gains))

    def layer(self, number: int, x: str) -> str:
        layout, name = self.layout, f"layers.{number}"
        y = self.normalized(f"{name}.attention", x)
        mixed = self.grouped(number, y) if self.form == "grouped" else self.plain(number, y)
        x = self.node("Add", x, self.product(f"{name}.output", mixed, layout.width))
        y = self.normalized(f"{name}.inside", x)
        gate = self.product(f"{name}.gate", y, layout.inside)
        gate = self.node("Mul", gate, self.node("Sigmoid", gate))
        y = self.node("Mul", gate, self.product(f"{name}.up", y, layout.inside))
        return self.node("Add", x, self.product(f"{name}.down", y, layout.width, layout.inside))

    def grouped(self, number: int, x: str) -> str:
        layout, name = self.layout, f"layers.{number}"
        caches = [self.names(number, part) for part in ("key", "value")]
        shared = layout.shared_heads * layout.head_size
        query = self.product(f"{name}.query", x, layout.width)
        key, value = (self.product(f"{name}.{part}", x, shared) for part in ("key", "value"))
        read = [query, key, value, *(past for past, _ in caches), self.lengths, self.total]
        outputs = [f"{name}.mixed", *(present for _, present in caches)]
        self.nodes.append(
            helper.make_node(
                "GroupQueryAttention", [*read, self.cosines, self.sines], outputs,
                domain="com.microsoft", name=f"{name}.attention", num_heads=layout.heads,
                kv_num_heads=layout.shared_heads, do_rotary=1,
            )
        )  # fmt: skip
        return outputs[0]

    def plain(self, number: int, y: str) -> str:
        layout, name = self.layout, f"layers.{number}"
        query, key, value = (
            self.heads(f"{name}.{part}", y, count)
            for part, count in (
                ("query", layout.heads),
                ("key", layout.shared_heads),
                ("value", layout.shared_heads),
            )
        )
        query, key = self.turned(query), self.turned(key)
        keys = self.kept(f"key.{number}", key)
        values = self.kept(f"value.{number}", value)
        return self.attended(query, keys, values)

    def product(self, name: str, x: str, width: int, depth: int | None = None) -> str:
        return self.node("MatMul", x, self.matrix(name, depth or self.layout.width, width))

    def heads(self, name: str, x: str, count: int) -> str:
        """Return a product as [1, heads, sequence, head size], sizes as exporters spell them."""
        size = self.layout.head_size
        y = self.product(name, x, count * size)
        shape = self.node("Shape", y)
        sizes = [self.node("Gather", shape, self.number([axis]), axis=0) for axis in (0, 1)]
        target = self.node("Concat", *sizes, self.number([count]), self.number([size]), axis=0)
        return self.node("Transpose", self.node("Reshape", y, target), perm=[0, 2, 1, 3])

    def turned(self, x: str) -> str:
        """Return queries or keys turned by the angles of their positions."""
        half, end, axis = self.layout.head_size // 2, self.layout.head_size, self.number([3])
        low = self.node("Slice", x, self.number([0]), self.number([half]), axis)
        high = self.node("Slice", x, self.number([half]), self.number([end]), axis)
        swapped = self.node("Concat", self.node("Neg", high), low, axis=3)
        sines = self.node("Mul", swapped, self.sines)
        return self.node("Add", self.node("Mul", x, self.cosines), sines)

    def kept(self, name: str, rows: str) -> str:
        """Return the past with new rows behind it, or in it."""
        past, present = f"past_{name}", f"present_{name}"
        if self.form == "growing":
            self.nodes.append(helper.make_node("Concat", [past, rows], [present], axis=2))
            return present
        # ScatterND writes rows of its first dimensions: positions come first while it does.
        turned = self.node("Transpose", rows, perm=[2, 0, 1, 3])
        places = self.node("Unsqueeze", self.rows, self.number([1]))
        whole = self.node("Transpose", past, perm=[2, 0, 1, 3])
        written = self.node("ScatterND", whole, places, turned)
        self.nodes.append(
            helper.make_node("Transpose", [written], [present], perm=[1, 2, 0, 3], name=present)
        )
        return present

    def repeated(self, x: str) -> str:
        """Return keys or values once for each head that shares them."""
        layout = self.layout
        group = layout.heads // layout.shared_heads
        shape = self.node("Shape", x)
        count = self.node("Gather", shape, self.number([2]), axis=0)
        one, size = self.number([1]), self.number([layout.head_size])
        shared = self.number([layout.shared_heads])
        wide = self.node("Concat", one, shared, self.number([group]), count, size, axis=0)
        spread = self.node("Expand", self.node("Unsqueeze", x, self.number([2])), wide)
        flat = self.node("Concat", one, self.number([layout.heads]), count, size, axis=0)
        return self.node("Reshape", spread, flat)

    def attended(self, query: str, keys: str, values: str) -> str:
        layout = self.layout
        turned = self.node("Transpose", self.repeated(keys), perm=[0, 1, 3, 2])
        scale = self.number(layout.head_size**-0.5, np.float32)
        scores = self.node("Mul", self.node("MatMul", query, turned), scale)
        scores = self.node("Add", scores, self.mask)
        shares = self.node("Softmax", scores, axis=-1)
        mixed = self.node("MatMul", shares, self.repeated(values))
        rows = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.node("Reshape", rows, self.number([1, -1, layout.width]))
