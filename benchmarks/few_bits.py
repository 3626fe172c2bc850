"""Weights of few bits beside FLOAT32 and ONNX Runtime: `python -m benchmarks.few_bits`.

A row, or more, of 2048 times matrices of 2048 x 2048, a model of each kind, all in turn: ratios of
medians. Then the memory of a process that loads a model of such matrices and runs it, over that of
one that has run a model of one small matrix, beside the size of its files.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import indirectml as dml
from benchmarks.decoding import taken_in_turn
from benchmarks.process import resident_bytes
from benchmarks.sessions import session

SEED, OPSET, IR_VERSION = 7, 21, 10
WIDTH, BLOCK, LAYERS = 2048, 32, 24


def few_bits(bits: int, *, has_zeros: bool, width: int = WIDTH, layers: int = 1) -> Any:
    """Return a model of MatMulNBits, one behind the other, that may compute in FLOAT32 alone."""
    random = np.random.default_rng(SEED)
    nodes, arrays = [], []
    for layer in range(layers):
        blocks = width // BLOCK
        weights = {
            "w": random.integers(0, 256, (width, blocks, BLOCK * bits // 8)).astype(np.uint8),
            "s": (random.random(width * blocks) / 500).astype(np.float32),
        }
        if has_zeros:
            weights["z"] = random.integers(0, 256, width * blocks * bits // 8).astype(np.uint8)
        names = [f"{name}{layer}" for name in weights]
        arrays += map(numpy_helper.from_array, weights.values(), names)
        ends = f"x{layer}", f"x{layer + 1}"
        nodes.append(
            helper.make_node("MatMulNBits", [ends[0], *names], [ends[1]], domain="com.microsoft",
                             K=width, N=width, bits=bits, block_size=BLOCK, accuracy_level=1)
        )  # fmt: skip
    return _model(nodes, arrays, width, layers)


def dequantized(kind: str, scales: tuple[int, ...], **attributes: int) -> Any:
    """Return a model of DequantizeLinear with scales of such sizes, and a product that reads it."""
    random = np.random.default_rng(SEED)
    data_type = getattr(TensorProto, kind)
    raw = random.bytes(WIDTH * WIDTH // (2 if "4" in kind else 1))
    numbers = helper.make_tensor("q", data_type, (WIDTH, WIDTH), raw, raw=True)
    s = (random.random(scales) / 500).astype(np.float32)
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s"], ["w"], **attributes),
        helper.make_node("MatMul", ["x0", "w"], ["x1"]),
    ]
    return _model(nodes, [numbers, numpy_helper.from_array(s, "s")], WIDTH, 1)


def plain() -> Any:
    """Return a model of one product in FLOAT32."""
    w = np.random.default_rng(SEED).standard_normal((WIDTH, WIDTH)).astype(np.float32)
    node = helper.make_node("MatMul", ["x0", "w"], ["x1"])
    return _model([node], [numpy_helper.from_array(w, "w")], WIDTH, 1)


def dynamic() -> Any:
    """Return a model of one product of integers, whose left side becomes these as it runs."""
    w = np.random.default_rng(SEED).integers(0, 256, (WIDTH, WIDTH)).astype(np.uint8)
    node = helper.make_node(
        "DynamicQuantizeMatMul", ["x0", "w", "s", "z"], ["x1"], domain="com.microsoft"
    )
    arrays = w, np.array(0.01, np.float32), np.array(128, np.uint8)
    return _model([node], map(numpy_helper.from_array, arrays, ("w", "s", "z")), WIDTH, 1)


def _model(nodes: Any, arrays: Any, width: int, layers: int) -> Any:
    ends = ("x0", f"x{layers}")
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", width]) for n in ends)
    graph = helper.make_graph(nodes, "few_bits", [x], [y], list(arrays))
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def compare(rows: int, threads: int, rounds: int) -> None:
    """Print a line for each kind of weights."""
    dml.configure(max_threads=threads)
    feed = {"x0": np.random.default_rng(SEED).standard_normal((rows, WIDTH)).astype(np.float32)}
    models = {
        "INT4, blocks of 32": few_bits(4, has_zeros=False),
        "UINT4, zero points": few_bits(4, has_zeros=True),
        "INT8, blocks of 32": few_bits(8, has_zeros=False),
        "INT4, a scale for each k": dequantized("INT4", (WIDTH,), axis=0),
        "INT8, a scale for each k": dequantized("INT8", (WIDTH,), axis=0),
        "INT4, 32 columns each": dequantized(
            "INT4", (WIDTH, WIDTH // BLOCK), axis=1, block_size=BLOCK
        ),
        "INT4, blocks of 4": dequantized("INT4", (WIDTH // 4, WIDTH), axis=0, block_size=4),
        "INT8, one scale": dequantized("INT8", ()),
        "DynamicQuantizeMatMul": dynamic(),
        "FLOAT32": plain(),
    }

    def running(model: Any) -> list[Callable[[], object]]:
        ours, theirs = dml.load_onnx(model), session(model, threads)
        return [lambda: ours(feed), lambda: theirs.run(None, feed)]

    jobs = [job for model in models.values() for job in running(model)]
    clock = time.thread_time if threads == 1 else time.perf_counter
    times = taken_in_turn(jobs, rounds, clock)
    print(
        f"{rows} x {WIDTH} x {WIDTH}, threads {threads}: FLOAT32 here, and ONNX Runtime, over ours"
    )
    for number, name in enumerate(models):
        ours, theirs = times[2 * number : 2 * number + 2]
        print(f"  {name:24} {times[-2] / ours:6.2f} {theirs / ours:6.2f}   {1e6 * ours:8.0f} us")


def _run(source: Any, who: str) -> Any:
    """Run a model once, for a row; return what has to be kept meanwhile."""
    kept: Any = dml.load_onnx(source) if who == "ours" else session(source, 1)
    info = kept.inputs["x0"].sizes if who == "ours" else kept.get_inputs()[0].shape
    x = {"x0": np.ones((1, int(info[1])), np.float32)}
    (kept(x) if who == "ours" else kept.run(None, x))
    return kept


def weigh(who: str, small: Path, large: Path) -> int:
    """Return the bytes by which a model makes this process larger, after one that is small."""
    dml.configure(max_threads=1)
    first = _run(small, who)
    before = resident_bytes()
    second = _run(large, who)
    found = resident_bytes() - before
    del first, second
    return found


def compare_memory() -> None:
    """Print what a model takes in memory, beside its files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, width, layers in (("small", BLOCK, 1), ("large", WIDTH, LAYERS)):
            path = Path(folder, name, "model.onnx")
            path.parent.mkdir()
            model = few_bits(4, has_zeros=False, width=width, layers=layers)
            onnx.save_model(model, path, save_as_external_data=True, location="weights")
            paths.append(path)
        size = sum(each.stat().st_size for each in paths[1].parent.iterdir())
        print(f"memory of {LAYERS} such matrices in INT4, over the {size >> 20} MiB of their files")
        for who in ("ours", "ONNX Runtime"):
            words = [sys.executable, "-m", "benchmarks.few_bits", "--weigh", who, *map(str, paths)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            print(f"  {who:24} {int(done.stdout) / size:6.2f}")


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line says."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.few_bits", description=__doc__)
    made.add_argument("--rows", type=int, default=1)
    made.add_argument("--threads", type=int, default=1)
    made.add_argument("--rounds", type=int, default=60)
    made.add_argument("--weigh", nargs=3, help=argparse.SUPPRESS)
    given = made.parse_args(arguments)
    if given.weigh:
        print(weigh(given.weigh[0], *map(Path, given.weigh[1:])))
        return
    compare(given.rows, given.threads, given.rounds)
    compare_memory()


if __name__ == "__main__":
    main()
