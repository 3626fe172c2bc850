"""Quantized networks beside ONNX Runtime: `python -m benchmarks.quantized`.

Two small networks of random weights, which `onnxruntime.quantization` makes quantized ones of: with
operators of integers (QOperator), with DequantizeLinear and QuantizeLinear around operators (QDQ,
run as written and as integers), and dynamically. Both sides run in turn; on one thread the time is
the processor's for that thread, which others on the machine do not disturb. Medians are compared.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

import indirectml as dml
from benchmarks.sessions import session

SEED, OPSET, IR_VERSION = 7, 17, 8
PICTURE, ROWS, WIDTH = (1, 3, 224, 224), 64, 384
#: Channels of each stage of the network of convolutions, from the second on at half the resolution.
STAGES = (64, 128, 256)
LEAST_ROUNDS, CALIBRATIONS = 5, 3


class Network:
    """Nodes and weights of a model, as they come."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.random = np.random.default_rng(SEED)
        self.nodes: list[Any] = []
        self.arrays: list[Any] = []

    def weights(self, *sizes: int, scale: float) -> str:
        """Return the name of new random weights."""
        name = f"w{len(self.arrays)}"
        array = (self.random.standard_normal(sizes) * scale).astype(np.float32)
        self.arrays.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Return the name of what a new node writes."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def model(self, output: str) -> Any:
        """Return the model."""
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.sizes)],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
            self.arrays,
        )
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def convolutions() -> Any:
    """Return residual blocks of 1x1, 3x3 and depthwise convolutions."""
    net = Network(PICTURE)

    def convolved(
        x: str, before: int, after: int, size: int, stride: int = 1, groups: int = 1
    ) -> str:
        channels = before // groups
        w = net.weights(after, channels, size, size, scale=1 / np.sqrt(channels * size * size))
        bias = net.weights(after, scale=0.1)
        return net.node("Conv", x, w, bias, kernel_shape=[size] * 2, strides=[stride] * 2,
                        pads=[size // 2] * 4, group=groups)  # fmt: skip

    def rectified(x: str) -> str:
        return net.node("Relu", x)

    x = rectified(convolved("x", 3, 32, 7, 2))
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    before = 32
    for number, after in enumerate(STAGES):
        stride = 2 if number else 1
        y = rectified(convolved(x, before, after, 1))
        y = rectified(convolved(y, after, after, 3, stride))
        y, aside = convolved(y, after, after, 1), convolved(x, before, after, 1, stride)
        x = rectified(net.node("Add", y, aside))
        y = rectified(convolved(x, after, after, 1))
        y = rectified(convolved(y, after, after, 3, groups=after))
        x = rectified(net.node("Add", convolved(y, after, after, 1), x))
        before = after
    x = net.node("Flatten", net.node("GlobalAveragePool", x))
    return net.model(net.node("Gemm", x, net.weights(before, 1000, scale=1 / 16)))


def products(rows: int, width: int) -> Any:
    """Return the products of four transformers' layers."""
    net = Network((rows, width))
    x = "x"
    for _ in range(4):
        for before, after in ((1, 3), (3, 1), (1, 4), (4, 1)):
            sizes = before * width, after * width
            x = net.node("MatMul", x, net.weights(*sizes, scale=1 / np.sqrt(sizes[0])))
            x = net.node("Add", x, net.weights(sizes[1], scale=0.1))
    return net.model(x)


class Calibration(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Random inputs."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        random = np.random.default_rng(SEED)
        self._left = iter([random.standard_normal(sizes, np.float32) for _ in range(CALIBRATIONS)])

    def get_next(self) -> dict[str, Any] | None:
        """Return the next one."""
        return next(({"x": x} for x in self._left), None)


def models(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield a name, a file, and how it is loaded."""
    made = {
        "convolutions": (convolutions(), PICTURE),
        "products": (products(ROWS, WIDTH), (ROWS, WIDTH)),
        "products of one row": (products(1, WIDTH), (1, WIDTH)),
    }
    kinds = {"QOperator": quantization.QuantFormat.QOperator, "QDQ": quantization.QuantFormat.QDQ}
    for name, (model, sizes) in made.items():
        plain = folder / "plain.onnx"
        onnx.save(model, plain)
        for kind, quant_format in kinds.items():
            path = folder / f"{name} {kind}.onnx"
            quantization.quantize_static(
                plain, path, Calibration(sizes), quant_format=quant_format,
                activation_type=quantization.QuantType.QUInt8,
            )  # fmt: skip
            yield f"{name}, {kind}", path, "as written"
            if kind == "QDQ":
                yield f"{name}, {kind} as integers", path, "integers"
        path = folder / f"{name} dynamic.onnx"
        # ONNX Runtime's convolutions of integers take no signed filters.
        is_unsigned = name == "convolutions"
        weights = quantization.QuantType.QUInt8 if is_unsigned else quantization.QuantType.QInt8
        quantization.quantize_dynamic(plain, path, weight_type=weights)
        yield f"{name}, dynamic", path, "as written"


def data_of(model: Any) -> dict[str, Any]:
    """Return random inputs of a model."""
    sizes = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    return {"x": np.random.default_rng(SEED).standard_normal(sizes, np.float32)}


def medians(runs: tuple[Callable[[], Any], ...], seconds: float, threads: int) -> list[float]:
    """Return the median time of each run, in turn with the others."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    times: list[list[float]] = [[] for _ in runs]
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times[0]) < LEAST_ROUNDS:
        for run, own in zip(runs, times, strict=True):
            begin = clock()
            run()
            own.append(clock() - begin)
    return [statistics.median(own) for own in times]


def main() -> None:
    """Print a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--target", help="instruction set of this library alone")
    parser.add_argument("--seconds", type=float, default=2.5, help="for each model")
    given = parser.parse_args()
    dml.configure(max_threads=given.threads, target=given.target)
    print("seconds of ONNX Runtime, ours, and their ratio")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path, how in models(Path(folder)):
            there = session(path, given.threads)
            model = dml.load_onnx(path, quantized=how)
            sizes = there.get_inputs()[0].shape
            x = {"x": np.random.default_rng(SEED).standard_normal(sizes, np.float32)}
            runs = (lambda s=there, x=x: s.run(None, x), lambda m=model, x=x: m(x))
            theirs, ours = medians(runs, given.seconds, given.threads)
            ratios.append(theirs / ours)
            print(f"{name:40} {theirs:9.6f} {ours:9.6f} {theirs / ours:6.2f}", flush=True)
    print(f"median {statistics.median(ratios):.2f}, lowest {min(ratios):.2f}")


if __name__ == "__main__":
    main()
