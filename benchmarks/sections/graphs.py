"""Graphs: what a tiny node costs, and what joining element-wise operators saves."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.sections.beside import Work, compare, imported
from benchmarks.sections.section import Context, Section, threads_text
from benchmarks.sessions import session
from benchmarks.timing import Job

NAME = "graphs"

_NODES = 100
_TINY = 8
#: Products in a graph are shared out from 128 on.
_SQUARES = (128, 256)
#: Four operators on so many elements, far more than a cache holds.
_MANY = 4_000_000

#: Chains of tiny nodes: an operator of ours and of ONNX for each node, in turn.
_CHAINS: dict[str, list[tuple[Callable[[Any, Any, Any], Any], str, list[str]]]] = {
    "additions": [(lambda y, w, _: y + w, "Add", ["w"])],
    "additions and rectifiers": [
        (lambda y, w, _: y + w, "Add", ["w"]),
        (lambda y, _, __: dml.activation_relu(y), "Relu", []),
    ],
    "products of 1 x 8 and 8 x 8": [(lambda y, _, m: dml.gemm(y, m), "MatMul", ["m"])],
    "additions and products": [
        (lambda y, w, _: y + w, "Add", ["w"]),
        (lambda y, _, m: dml.gemm(y, m), "MatMul", ["m"]),
    ],
}


def run(context: Context) -> Section:
    """Call graphs of 100 tiny nodes, and run four operators by themselves and as one."""
    section = Section(
        NAME,
        "Graphs",
        "100 tiny nodes: ONNX Runtime; four operators: one after the other",
        notes=[
            "on one thread: seconds of its processor",
            f"tiny nodes: one call of a graph of {_NODES}, with {_TINY} elements, on one thread",
            f"four operators: relu(x * w + x) - w of {_MANY:,} FLOAT32, in memory that is there",
        ],
    )
    for name in _CHAINS:
        with dml.configure(max_threads=1):
            ours, other = _tiny(name), _tiny_elsewhere(name)
        what = f"{_NODES} {name}"
        clock = time.thread_time
        job = Job(
            f"{what}: indirectml", ours, bar=1.0, series="indirectml", group=what, clock=clock
        )
        if other is None:
            section.add(job, [], context.rounds(9), sample_s=context.sample_s)
            continue
        limit = Job(
            f"{what}: ONNX Runtime",
            other,
            peer=True,
            series="ONNX Runtime",
            group=what,
            clock=clock,
        )
        with dml.configure(max_threads=1):
            section.add(limit, [job], context.rounds(9), sample_s=context.sample_s)
    small = context.effort.least_rounds == 1
    for size in () if small else _SQUARES:
        for threads in (1, 2):
            what = f"{_NODES} products of {size} x {size} x {size} in a graph"
            compare(section, context, what, threads, _products(size, threads), 0.9)
    count = _MANY if context.effort.least_rounds > 1 else 4000
    for threads in (1, 2):
        what = f"four operators, {threads_text(threads)}"
        with dml.configure(max_threads=threads):
            single, joined = _four(count)
            clock = time.thread_time if threads == 1 else time.perf_counter
            limit = Job(
                f"{what}: one after the other", single, series="single", group=what, clock=clock
            )
            job = Job(f"{what}: as one", joined, bar=2.0, series="joined", group=what, clock=clock)
            section.add(limit, [job], context.rounds(9), sample_s=context.sample_s)
    return section


def _data() -> dict[str, Any]:
    generator = np.random.default_rng(0)
    sizes = {"x": (1, 1, 1, _TINY), "w": (1, 1, 1, _TINY), "m": (1, 1, _TINY, _TINY)}
    return {name: generator.random(shape, np.float32) for name, shape in sizes.items()}


def _tiny(name: str) -> Callable[[], object]:
    """Return a call of a graph of tiny nodes."""
    data = _data()
    graph = dml.Graph(dml.Device())
    y, w, m = (graph.input(array.shape, name=n) for n, array in data.items())
    chain = _CHAINS[name]
    for number in range(_NODES):
        y = chain[number % len(chain)][0](y, w, m)
    compiled = graph.compile([y])
    used = {"x", *(n for _, __, names in chain for n in names)}
    inputs = {n: array for n, array in data.items() if n in used}
    return lambda: compiled(inputs)


def _tiny_elsewhere(name: str) -> Callable[[], object] | None:
    """Return a call of the same in ONNX Runtime, or None where that is not installed."""
    data, chain = _data(), _CHAINS[name]
    nodes = [chain[number % len(chain)][1:] for number in range(_NODES)]
    used = {n: data[n] for _, names in nodes for n in names}
    return chain_of(nodes, data["x"], {}, 1, used)


def chain_of(
    nodes: Sequence[tuple[str, list[str]]],
    x: Any,
    constants: dict[str, Any],
    threads: int,
    inputs: dict[str, Any] | None = None,
) -> Callable[[], object] | None:
    """Return a call of nodes of ONNX one after the other, or None without ONNX Runtime.

    Parameters
    ----------
    nodes : sequence of (str, list of str)
        An operator, and the names of what it reads besides the result of the one before.
    x : array
        What the first one reads.
    constants, inputs : dict
        What the names stand for.
    threads : int
        How many ONNX Runtime may use.
    """
    onnx = imported("onnx")
    if not onnx or not imported("onnxruntime"):
        return None
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    inputs = {"y0": x, **(inputs or {})}
    graph = helper.make_graph(
        [
            helper.make_node(operator, [f"y{number}", *names], [f"y{number + 1}"])
            for number, (operator, names) in enumerate(nodes)
        ],
        "chain",
        [helper.make_tensor_value_info(n, kind, array.shape) for n, array in inputs.items()],
        [helper.make_tensor_value_info(f"y{len(nodes)}", kind, None)],
        [onnx.numpy_helper.from_array(array, n) for n, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    found = session(model, threads)
    return lambda: found.run(None, inputs)


def _products(size: int, threads: int) -> Work:
    """Return a chain of products with constants by each library."""
    generator = np.random.default_rng(0)
    x, *weights = (
        generator.normal(scale=size**-0.5, size=(size, size)).astype(np.float32)
        for _ in range(_NODES + 1)
    )
    graph = dml.Graph(dml.Device())
    y = graph.input((1, 1, size, size), name="x")
    for w in weights:
        y = dml.gemm(y, graph.constant(w.reshape(1, 1, size, size)))
    compiled, data = graph.compile([y]), {"x": x.reshape(1, 1, size, size)}

    def ours() -> object:
        with dml.configure(max_threads=threads):
            return compiled(data)

    names = [f"w{number}" for number in range(_NODES)]
    nodes = [("MatMul", [name]) for name in names]
    session = chain_of(nodes, x, dict(zip(names, weights, strict=True)), threads)
    return {"indirectml": ours} | ({"ONNX Runtime": session} if session else {})


def _four(count: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return four operators one after the other, and as one program, over the same memory."""
    device = dml.Device()
    implementation = device.implementation
    generator = np.random.default_rng(0)
    x, w = (generator.random(count, np.float32).view(np.uint8) for _ in range(2))
    out, between = np.zeros_like(x), np.zeros_like(x)
    tensor = dml.TensorDesc(np.float32, [count])
    kinds = [
        (dml.ElementWiseMultiplyOperatorDesc, (x, w), between),
        (dml.ElementWiseAddOperatorDesc, (between, x), out),
        (dml.ActivationReluOperatorDesc, (out,), between),
        (dml.ElementWiseSubtractOperatorDesc, (between, w), out),
    ]
    parts = []
    for kind, inputs, output in kinds:
        operator = device.create_operator(kind(*[tensor] * (len(inputs) + 1)))
        plan = device.compile_operator(operator).plan
        parts.append((plan.steps, [*inputs, output, None, None]))
    graph = dml.Graph(device)
    a, b = graph.input([count], name="x"), graph.input([count], name="w")
    plan = graph.compile([dml.activation_relu(a * b + a) - b]).plan

    def single() -> None:
        for steps, memories in parts:
            implementation.execute(steps, memories)

    return single, lambda: implementation.execute(plan.steps, [x, w, out, None, None])
