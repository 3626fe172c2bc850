"""`indirectml explain` of graphs in files: inputs, outputs, nodes, and what runs as one.

The dispatchables of a model are explained in the same words.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from indirectml.cli.common import DONE, Steps
from indirectml.cli.graph_files import counted, first_refusal, kind_of, read_graph, tensor_text
from indirectml.core.errors import DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.inspection.pictures import save_picture
from indirectml.inspection.plan_rows import PlanRow, computed_rows, plan_rows
from indirectml.models.model import Model, ModelDispatchable, ModelGraph
from indirectml.models.problems import printable
from indirectml.onnx_import.model import OnnxModelError
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph
from indirectml.serialized.nodes import Node, SerializedConstant
from indirectml.serialized.weights import weight_file

#: More nodes than these are counted, not shown; as JSON all are.
_SHOWN_NODES = 64

#: How many operators a line about a program names.
_SHOWN_NAMES = 6


def explain_graph(path: Path, options: argparse.Namespace, *, as_json: bool) -> int:
    """Print what a graph in a file consists of; returns the exit code.

    Raises
    ------
    DirectMLError, OSError
        The file is no graph, or an ONNX model with nodes that cannot be said.
    """
    try:
        with Steps(f"loading {path.name}"):
            graph = read_graph(path, options)
    except OnnxModelError as error:
        raise first_refusal(error, path) from None
    if options.plot is not None:
        save_picture(graph, options.plot)
    if as_json:
        print(json.dumps(_as_json(graph, options.device), indent=2))
        return DONE
    for line in _lines(path, graph, options.device):
        print(printable(line))
    return DONE


def _lines(path: Path, graph: SerializedGraph, device: str) -> Iterator[str]:
    constants = [n for n in graph.nodes if isinstance(n, SerializedConstant)]
    yield (
        f"{path.name}: {kind_of(graph)}, {counted(len(graph.operators), 'operator')}, "
        f"{counted(len(constants), 'constant')} of {sum(len(n.data) for n in constants)} bytes"
    )
    for title, tensors in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        yield ""
        yield title
        yield from _table([name, tensor_text(tensor)] for name, tensor in tensors.items())
    yield ""
    yield "nodes"
    shown = list(enumerate(graph.nodes))[:_SHOWN_NODES]
    yield from _table([str(number), *_row(node)] for number, node in shown)
    if len(graph.nodes) > len(shown):
        yield f"  and {len(graph.nodes) - len(shown)} more: --json has them all"
    yield ""
    yield "operators"
    counts = Counter(node.operator_name for node in graph.operators)
    yield from _table([name, str(count)] for name, count in counts.most_common())
    yield ""
    yield from _verdict(graph, device)


def _verdict(graph: SerializedGraph, device: str) -> Iterator[str]:
    """Yield what a device says to the graph."""
    try:
        with Steps(f"compiling {counted(len(graph.operators), 'operator')}"):
            compiled = graph.compile(Device(device))
    except DirectMLError as error:
        yield f"It cannot run: {error}"
        return
    bound = [*graph.inputs.values(), *graph.outputs.values()]
    total = sum(tensor.total_tensor_size_in_bytes for tensor in bound)
    yield (
        f"It runs, and takes {compiled.temporary_size} bytes besides {total} of inputs and outputs."
    )
    rows = plan_rows(compiled.plan, compiled.device.implementation)
    yield ""
    yield "plan: what each step does, for whom, to what, and the bytes that it reads and writes"
    yield from _table(_plan_row(number, row) for number, row in enumerate(rows[:_SHOWN_NODES]))
    if len(rows) > _SHOWN_NODES:
        yield f"  and {len(rows) - _SHOWN_NODES} more: --json has them all"
    computed = computed_rows(compiled.plan, compiled.device.implementation)
    if computed:
        names = Counter(name for row in computed for name in row.operators)
        listed = ", ".join(name for name, _ in names.most_common(_SHOWN_NAMES))
        yield ""
        yield (
            f"Initialization carries out {counted(len(computed), 'step')} more, which "
            f"{'depends' if len(computed) == 1 else 'depend'} on constants alone: of {listed}."
        )
    if device != "cpu":
        yield ""
        yield from where(rows, device)


def where(rows: Sequence[PlanRow], device: str) -> Iterator[str]:
    """Yield how many steps a device carries out itself, and which it does not."""
    others: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        if not row.has_form:
            others.setdefault(row.does, []).append(str(number))
    own = sum(row.has_form for row in rows)
    rest = ", the others by their NumPy forms:" if others else ""
    run = "runs" if len(rows) == 1 else "run"
    yield f"{own} of {counted(len(rows), 'step')} {run} on {device}{rest}"
    order = sorted(others.items(), key=lambda item: -len(item[1]))
    yield from _table([does, f"{counted(len(n), 'step')}: {', '.join(n)}"] for does, n in order)


def _plan_row(number: int, row: PlanRow) -> list[str]:
    names = row.operators[:_SHOWN_NAMES]
    more = len(row.operators) - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more else "")
    return [str(number), row.does, shown, row.arrow, row.memory]


def model_lines(name: str, model: Model) -> Iterator[str]:
    """Yield what a dispatch model consists of."""
    resources, dispatchables = model.resources.values(), model.dispatchables.values()
    counts = [len({each.name for each in named}) for named in (dispatchables, resources)]
    yield (
        f"{name}: {counted(counts[0], 'dispatchable')}, {counted(counts[1], 'resource')} of "
        f"{sum(resource.size_bytes for resource in resources)} bytes"
    )
    yield ""
    yield "resources"
    yield from _table([r.name, r.data_type.name, f"{r.size_bytes} bytes"] for r in resources)
    yield ""
    yield "dispatchables"
    yield from _table([found.name, *dispatchable_row(found)] for found in dispatchables)


def dispatchable_row(dispatchable: ModelDispatchable | ModelGraph) -> list[str]:
    """Return the operator of a dispatchable, and its outputs with their bytes."""
    if isinstance(dispatchable, ModelGraph):
        operator = kind_of(dispatchable.graph)
    else:
        operator = dispatchable.desc.operator_name
    points = dispatchable.points("output_tensor").values()
    return [operator, ", ".join(tensor_text(tensor) for point in points for tensor in point)]


def _row(node: Node) -> list[str]:
    if isinstance(node, SerializedConstant):
        where = "" if node.weight_name is None else f" in {weight_file(node.weight_name)}"
        return ["constant", node.name, f"{len(node.data)} bytes{where}"]
    outputs = [tensor_text(tensor) for tensor in node.outputs if tensor is not None]
    return [node.operator_name, node.name, ", ".join(outputs)]


def _table(rows: Iterable[list[str]]) -> Iterator[str]:
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()


def _as_json(graph: SerializedGraph, device: str) -> dict[str, Any]:
    rows, computed = _compiled_rows(graph, device)
    return {
        "kind": kind_of(graph),
        "inputs": {name: _json_tensor(tensor) for name, tensor in graph.inputs.items()},
        "outputs": {name: _json_tensor(tensor) for name, tensor in graph.outputs.items()},
        "nodes": [_json_node(node) for node in graph.nodes],
        "plan": [row._asdict() for row in rows],
        "initialization": [row._asdict() for row in computed],
    }


def _compiled_rows(graph: SerializedGraph, device: str) -> tuple[list[PlanRow], list[PlanRow]]:
    """Return what a call does, and what initialization computes before."""
    try:
        compiled = graph.compile(Device(device))
    except DirectMLError:
        return [], []  # it does not run
    run = compiled.device.implementation
    return plan_rows(compiled.plan, run), computed_rows(compiled.plan, run)


def _json_node(node: Node) -> dict[str, Any]:
    if isinstance(node, SerializedConstant):
        file = None if node.weight_name is None else weight_file(node.weight_name)
        return {
            "constant": node.name,
            "output": node.output_name,
            "bytes": len(node.data),
            "file": file,
        }
    return {
        "operator": node.operator_name,
        "name": node.name,
        "inputs": _json_values(node.input_names, node.inputs),
        "outputs": _json_values(node.output_names, node.outputs),
    }


def _json_values(names: Iterable[str], tensors: Iterable[TensorDesc | None]) -> list[Any]:
    return [
        None if tensor is None else {"name": name} | _json_tensor(tensor)
        for name, tensor in zip(names, tensors, strict=True)
    ]


def _json_tensor(tensor: TensorDesc) -> dict[str, Any]:
    return {
        "data_type": tensor.data_type.name,
        "sizes": tensor.sizes,
        "strides": tensor.strides,
        "bytes": tensor.total_tensor_size_in_bytes,
    }
