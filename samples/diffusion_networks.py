"""Stable Diffusion's three networks in ONNX, small and with random weights, always the same.

A folder of them lies as Hugging Face's Optimum writes one: `text_encoder`, `unet` and
`vae_decoder`, each with `model.onnx`, and `scheduler/scheduler_config.json`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]

_OPSET = 17
_VOCABULARY, _POSITIONS, _TEXT = 128, 32, 32
_CHANNELS, _HEADS, _LATENT, _TIMES = 16, 2, 4, 32

#: What the folder says of the noise.
SCHEDULER = {
    "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
    "num_train_timesteps": 1000, "prediction_type": "epsilon", "steps_offset": 1,
}  # fmt: skip


def write_networks(folder: Path, seed: int = 0) -> None:
    """Write a folder of networks, a few thousand numbers each."""
    for name, make in (("text_encoder", _text), ("unet", _unet), ("vae_decoder", _decoder)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        onnx.save(make(_Network(name, seed)), folder / name / "model.onnx")
    (folder / "scheduler").mkdir(exist_ok=True)
    text = json.dumps(SCHEDULER, indent=2)
    (folder / "scheduler" / "scheduler_config.json").write_text(text, encoding="utf-8")


class _Network:
    """A network that grows: methods return the names of outputs."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.random = np.random.default_rng([seed, len(name)])
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.inputs: list[Any] = []

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def array(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"array_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, *sizes: int) -> str:
        inputs = math.prod(sizes[1:]) if len(sizes) > 2 else sizes[0]  # noqa: PLR2004 (a filter)
        return self.array(self.random.standard_normal(sizes) / math.sqrt(inputs))

    def input(self, name: str, sizes: list[Any], kind: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, kind, sizes))
        return name

    def model(self, output: str, name: str, sizes: list[Any]) -> onnx.ModelProto:
        self.nodes.append(helper.make_node("Identity", [output], [name], name=name))
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", _OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(made)
        return made

    # ---- parts ----

    def linear(self, x: str, wide: int, to: int) -> str:
        return self.node(
            "Add", self.node("MatMul", x, self.weight(wide, to)), self.array([0.01] * to)
        )

    def silu(self, x: str) -> str:
        return self.node("Mul", x, self.node("Sigmoid", x))

    def convolution(self, x: str, channels: int, to: int, size: int = 3, stride: int = 1) -> str:
        pads = [size // 2] * 4
        bias = self.array(self.random.standard_normal(to) * 0.1)
        filters = self.weight(to, channels, size, size)
        return self.node("Conv", x, filters, bias, pads=pads, strides=[stride] * 2)

    def group_normalized(self, x: str, channels: int, groups: int = 4) -> str:
        """Return what exporters make of GroupNorm: instances of groups, and a scale."""
        rows = self.node("Reshape", x, self.array([0, groups, -1], np.int64))
        ones, zeros = self.array([1.0] * groups), self.array([0.0] * groups)
        normal = self.node("InstanceNormalization", rows, ones, zeros, epsilon=1e-5)
        back = self.node("Reshape", normal, self.node("Shape", x))
        scale = self.array(np.linspace(0.5, 1.5, channels).reshape(channels, 1, 1))
        return self.node("Mul", back, scale)

    def layer_normalized(self, x: str, width: int) -> str:
        scale, bias = self.array([1.0] * width), self.array([0.0] * width)
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def attended(self, x: str, other: str, width: int, of_other: int, mask: str = "") -> str:
        """Return rows that have looked at others: products around softmax, as exporters write."""
        size = width // _HEADS
        parts = []
        for source, wide in ((x, width), (other, of_other), (other, of_other)):
            rows = self.node("MatMul", source, self.weight(wide, width))
            split = self.node("Reshape", rows, self.array([0, -1, _HEADS, size], np.int64))
            parts.append(self.node("Transpose", split, perm=[0, 2, 1, 3]))
        turned = self.node("Transpose", parts[1], perm=[0, 1, 3, 2])
        scores = self.node("Mul", self.node("MatMul", parts[0], turned), self.array(size**-0.5))
        scores = self.node("Add", scores, mask) if mask else scores
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), parts[2])
        rows = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.linear(
            self.node("Reshape", rows, self.array([0, -1, width], np.int64)), width, width
        )

    def stretched(self, x: str) -> str:
        scales = self.array([1.0, 1.0, 2.0, 2.0])
        return self.node("Resize", x, "", scales, mode="nearest", nearest_mode="floor",
                         coordinate_transformation_mode="asymmetric")  # fmt: skip


def _text(net: _Network) -> onnx.ModelProto:
    """Return a text encoder: a layer that looks back, and one that does not."""
    tokens = net.input("input_ids", ["batch", "sequence"], TensorProto.INT32)
    x = net.node("Gather", net.weight(_VOCABULARY, _TEXT), tokens, axis=0)
    count = net.node("Gather", net.node("Shape", tokens), net.array([1], np.int64))
    begin, axes = net.array([0], np.int64), net.array([0], np.int64)
    positions = net.node("Slice", net.weight(_POSITIONS, _TEXT), begin, count, axes)
    x = net.node("Add", x, positions)
    mask = np.triu(np.full((_POSITIONS, _POSITIONS), -1e4, np.float32), 1)
    both = net.node("Concat", count, count, axis=0)
    zeros, two = net.array([0, 0], np.int64), net.array([0, 1], np.int64)
    mask_name = net.node("Slice", net.array(mask), zeros, both, two)
    normal = net.layer_normalized(x, _TEXT)
    x = net.node("Add", x, net.attended(normal, normal, _TEXT, _TEXT, mask_name))
    inside = net.silu(net.linear(net.layer_normalized(x, _TEXT), _TEXT, 2 * _TEXT))
    x = net.node("Add", x, net.linear(inside, 2 * _TEXT, _TEXT))
    whole = ["batch", "sequence", _TEXT]
    return net.model(net.layer_normalized(x, _TEXT), "last_hidden_state", whole)


def _unet(net: _Network) -> onnx.ModelProto:
    """Return what finds noise: down once, attention to pixels and text, and up again."""
    sizes = ["batch", _LATENT, "height", "width"]
    sample = net.input("sample", sizes)
    time = net.input("timestep", [1], TensorProto.INT64)
    text = net.input("encoder_hidden_states", ["batch", "sequence", _TEXT])
    rates = np.exp(-math.log(10000) * np.arange(_TIMES // 2) / (_TIMES // 2))
    angles = net.node("Mul", net.node("Cast", time, to=TensorProto.FLOAT), net.array(rates))
    waves = net.node("Concat", net.node("Cos", angles), net.node("Sin", angles), axis=0)
    row = net.node("Reshape", waves, net.array([1, _TIMES], np.int64))
    times = net.silu(net.linear(net.silu(net.linear(row, _TIMES, _TIMES)), _TIMES, _TIMES))

    def block(x: str, channels: int, to: int) -> str:
        inside = net.convolution(net.silu(net.group_normalized(x, channels)), channels, to)
        shift = net.node(
            "Reshape", net.linear(times, _TIMES, to), net.array([1, to, 1, 1], np.int64)
        )
        inside = net.silu(net.group_normalized(net.node("Add", inside, shift), to))
        inside = net.convolution(inside, to, to)
        return net.node("Add", inside, net.convolution(x, channels, to, 1))

    wide = 2 * _CHANNELS
    first = block(net.convolution(sample, _LATENT, _CHANNELS), _CHANNELS, _CHANNELS)
    x = block(net.convolution(first, _CHANNELS, _CHANNELS, stride=2), _CHANNELS, wide)
    places = net.node("Shape", x)
    rows = net.node("Reshape", x, net.array([0, wide, -1], np.int64))
    rows = net.node("Transpose", rows, perm=[0, 2, 1])
    normal = net.layer_normalized(rows, wide)
    rows = net.node("Add", rows, net.attended(normal, normal, wide, wide))
    normal = net.layer_normalized(rows, wide)
    rows = net.node("Add", rows, net.attended(normal, text, wide, _TEXT))
    x = net.node("Reshape", net.node("Transpose", rows, perm=[0, 2, 1]), places)
    x = net.convolution(net.stretched(x), wide, _CHANNELS)
    x = block(net.node("Concat", x, first, axis=1), wide, _CHANNELS)
    x = net.convolution(net.silu(net.group_normalized(x, _CHANNELS)), _CHANNELS, _LATENT)
    return net.model(x, "out_sample", sizes)


def _decoder(net: _Network) -> onnx.ModelProto:
    """Return what makes pixels of latents: eight times as high and wide."""
    x = net.input("latent_sample", ["batch", _LATENT, "height", "width"])
    x = net.convolution(x, _LATENT, _CHANNELS)
    for _ in range(3):
        x = net.silu(net.group_normalized(x, _CHANNELS))
        x = net.convolution(net.stretched(x), _CHANNELS, _CHANNELS)
    x = net.node("Tanh", net.convolution(net.silu(x), _CHANNELS, 3))
    return net.model(x, "sample", ["batch", 3, "tall", "broad"])
