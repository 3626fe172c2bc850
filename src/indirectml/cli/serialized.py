"""Graphs in files for `run` and `explain`: arrays by the names of inputs, text about nodes.

The dispatchables of a model are explained in the same words.
"""

from __future__ import annotations

import argparse
import errno
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.cli.common import DONE, nearest_file
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, ModelError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.core.tensor_buffers import bytes_of
from indirectml.core.tensors import TensorDesc
from indirectml.fills.array_files import (
    npy_header,
    open_npy,
    open_raw,
    replaced_file,
    write_all,
)
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.models.model import Model, ModelDispatchable, ModelGraph
from indirectml.models.printing import dispatch_lines, print_values
from indirectml.models.problems import printable
from indirectml.onnx_import.graph import OnnxGraph
from indirectml.onnx_import.inputs import OpenSizeError
from indirectml.onnx_import.model import OnnxModelError, read_onnx_graph
from indirectml.plans import ProgramStep
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph, read_serialized_graph
from indirectml.serialized.nodes import Node, SerializedConstant
from indirectml.serialized.weights import weight_file

SUFFIX = ".bin"

#: How an ONNX model's file ends.
ONNX_SUFFIX = ".onnx"

#: More nodes than these are counted, not shown; as JSON all are.
_SHOWN_NODES = 64

#: How many operators a line about a program names.
_SHOWN_NAMES = 6


def is_graph(path: Path) -> bool:
    """Return whether a file is a serialized graph, or an ONNX model, by its name."""
    return path.suffix.lower() in {SUFFIX, ONNX_SUFFIX}


def add_tensor_options(run: argparse.ArgumentParser) -> None:
    """Add the options that only graphs in files have."""
    group = run.add_argument_group(
        "graphs in files",
        "MODEL.bin is a serialized DirectML graph, MODEL.onnx an ONNX model: inputs are arrays.",
    )
    for name, what in (("--input", "read"), ("--output", "written")):
        group.add_argument(
            name,
            action="append",
            default=[],
            metavar="NAME=FILE",
            help=f"an array that is {what}, as .npy or as raw bytes; may be given several times",
        )


def refuse_tensor_options(path: Path, options: argparse.Namespace) -> None:
    """Refuse the options of graphs for a model that is none.

    Raises
    ------
    SettingError
        There are some.
    """
    for name in ("input", "output"):
        if getattr(options, name):
            needs = f"is for graphs in files ({SUFFIX}, {ONNX_SUFFIX})"
            raise SettingError(needs, given=repr(str(path)), field=f"--{name}")


# ---- run ----


def check_graph(path: Path, device: Device, options: argparse.Namespace) -> None:
    """Check that a device takes a graph.

    Raises
    ------
    ModelError
        It does not, or the file is no graph.
    """
    try:
        read_graph(path, options, device).compile(device)
    except OnnxModelError:
        raise
    except DirectMLError as error:
        raise ModelError(
            error.required, given=error.given, hint=error.hint, field=error.field
        ) from None


def read_graph(
    path: Path, options: argparse.Namespace | None = None, device: Device | None = None
) -> SerializedGraph:
    """Return the graph in a file, or what an ONNX model becomes.

    Parameters
    ----------
    options : Namespace, optional
        With the sizes that an ONNX model leaves open.

    Raises
    ------
    DirectMLError, OSError
        The file is neither, or cannot be read.
    """
    try:
        if path.suffix.lower() != ONNX_SUFFIX:
            return read_serialized_graph(path)
        return _read_onnx(path, options, device)
    except FileNotFoundError as error:
        hint = nearest_file(path) if error.filename == str(path) else None
        if hint is not None:
            error.strerror = f"{error.strerror}; {hint}"
        raise


def _read_onnx(
    path: Path, options: argparse.Namespace | None, device: Device | None
) -> SerializedGraph:
    sizes = dict(getattr(options, "input_sizes", ()))
    dimensions = dict(getattr(options, "dimensions", ()))
    while True:
        try:
            return read_onnx_graph(
                path,
                device,
                sizes=sizes,
                dimensions=dimensions,
                memory_limit=getattr(options, "memory_limit", None),
            )
        except OpenSizeError as error:
            name = error.input_name
            found = None if name in sizes else _sizes_of_array(name, options)
            if found is None:
                error.hint = f"give --input-sizes {name}:N,N,..."
                raise
            sizes[name] = found


def _sizes_of_array(name: str, options: argparse.Namespace | None) -> list[int] | None:
    """Return the sizes of the array that is given for an input, if a .npy file is."""
    for pair in getattr(options, "input", ()):
        file = Path(pair[len(name) + 1 :])
        if pair.startswith(f"{name}=") and file.suffix.lower() == ".npy":
            return list(_npy(file).shape)
    return None


def first_refusal(error: DirectMLError, path: Path) -> DirectMLError:
    """Return the error for a model whose nodes cannot all be said, with the first of them."""
    if not isinstance(error, OnnxModelError):
        return error
    more = len(error.refusals) - 1
    text = f"{error.refusals[0]}"
    if more:
        text += f" (and {more} more: indirectml validate {path})"
    return ModelError(text, field=str(path))


def run_graph(path: Path, options: argparse.Namespace, device: Device) -> Iterator[str]:
    """Return what prints while a graph runs, once or as often as is to be measured.

    Raises
    ------
    DirectMLError, OSError
        The graph, the device or a file refuses, before anything has run.
    """
    try:
        graph = read_graph(path, options, device)
    except OnnxModelError as error:
        raise first_refusal(error, path) from None
    try:
        compiled = graph.compile(device)
    except DirectMLError as error:
        raise error.within(str(path)) from None
    inputs = _files("input", options.input, graph.inputs)
    targets = _files("output", options.output, graph.outputs)
    _check_targets(targets)
    missing = [name for name in graph.inputs if name not in inputs]
    if missing:
        raise SettingError(
            f"needs {', '.join(f'--input {name}=FILE.npy' for name in missing)}",
            given=", ".join(inputs) or "none",
            hint=f"{missing[0]} is {_tensor_text(graph.inputs[missing[0]])}",
            field="--input",
        )
    _check_memory(graph, compiled.temporary_size, options.memory_limit)
    arrays: dict[Any, Any] = {
        name: _array(name, file, graph.inputs[name]) for name, file in inputs.items()
    }
    return _run(path, graph, lambda: compiled(arrays), targets, options)


def _run(
    path: Path,
    graph: SerializedGraph,
    dispatch: Callable[[], list[Any]],
    targets: Mapping[str, Path],
    options: argparse.Namespace,
) -> Iterator[str]:
    samples: list[float] = []
    outputs: list[Any] = []
    end = time.perf_counter() + (options.milliseconds_to_run or 0) / 1e3
    while not samples or _goes_on(options, len(samples), end):
        began = time.perf_counter()
        for _ in range(options.dispatch_repeat):
            outputs = dispatch()
        samples.append(1e3 * (time.perf_counter() - began) / options.dispatch_repeat)
    warmup, verbosity = options.warmup_samples, options.timing_verbosity
    yield from dispatch_lines(path.stem, samples, warmup, verbosity)
    for (name, tensor), values in zip(graph.outputs.items(), outputs, strict=True):
        if name in targets:
            _write(targets[name], values, tensor.data_type)
            yield printable(f"Output '{name}' written to '{targets[name]}'") + "\n"
        else:
            yield from print_values(name, np.ravel(values), options.precision)


def _goes_on(options: argparse.Namespace, done: int, end: float) -> bool:
    if options.milliseconds_to_run is not None:
        return time.perf_counter() < end
    return done < int(options.dispatch_iterations)


def _files(kind: str, pairs: Iterable[str], known: Mapping[str, TensorDesc]) -> dict[str, Path]:
    """Return the files that NAME=FILE names, by names of inputs or outputs."""
    found: dict[str, Path] = {}
    for pair in pairs:
        # A name may have an "=" too.
        names = [name for name in known if pair.startswith(f"{name}=")]
        name = max(names, key=len, default="")
        file = pair[len(name) + 1 :]
        if not names or not file or name in found:
            given, _, _ = pair.partition("=")
            listed = ", ".join(known) or "none"
            needs = f"needs NAME=FILE once for each {kind} of the graph, which are {listed}"
            hint = None if names else suggestion(given, known)
            raise SettingError(needs, given=repr(pair), hint=hint, field=f"--{kind}")
        found[name] = Path(file)
    return found


def _check_targets(targets: Mapping[str, Path]) -> None:
    seen: set[Path] = set()
    for file in targets.values():
        if not file.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "No such folder", str(file.parent))
        if file.resolve() in seen:
            raise SettingError("needs a file for each output", given=str(file), field="--output")
        seen.add(file.resolve())


def _check_memory(graph: SerializedGraph, temporary_bytes: int, limit: int) -> None:
    tensors = [*graph.inputs.values(), *graph.outputs.values()]
    needed = temporary_bytes + sum(tensor.total_tensor_size_in_bytes for tensor in tensors)
    if needed > limit:
        raise ModelError(
            f"needs inputs, outputs and temporary memory of at most {limit} bytes together",
            given=f"{needed}",
            hint="--memory-limit raises this",
        )


def _array(name: str, file: Path, tensor: TensorDesc) -> Any:
    """Return the bytes of an input from a file."""
    if file.suffix.lower() == ".npy":
        given: Any = _npy(file)
    else:
        open_raw(file, tensor.data_type, tensor.sizes)
        given = np.fromfile(file, tensor.data_type.dtype, tensor.element_count)
    try:
        # The file is in memory once it is checked, however it is written meanwhile.
        return bytes_of(tensor, given).view(tensor.data_type.dtype)[: tensor.element_count]
    except DirectMLError as error:
        raise error.within(f"{name} ({file})") from None


def _npy(file: Path) -> Any:
    """Return the array in a .npy file; one of bool as what DirectML has for it."""
    try:
        open_npy(file)  # says what is wrong with it
    except DirectMLError:
        try:
            array = np.load(file, mmap_mode="r", allow_pickle=False)
        except ValueError:
            array = None
        if array is None or array.dtype != np.bool_:
            raise
        return np.asarray(array).view(np.uint8)
    return np.load(file, mmap_mode="r", allow_pickle=False)


def _write(file: Path, values: Any, data_type: TensorDataType) -> None:
    with replaced_file(file) as out:
        if file.suffix.lower() == ".npy":
            write_all(out, npy_header(data_type, values.shape))
        write_all(out, np.ascontiguousarray(values).reshape(-1).view(np.uint8))


# ---- explain ----


def explain_graph(path: Path, options: argparse.Namespace, *, as_json: bool) -> int:
    """Print what a graph in a file consists of; returns the exit code.

    Raises
    ------
    DirectMLError, OSError
        The file is no graph, or an ONNX model with nodes that cannot be said.
    """
    try:
        graph = read_graph(path, options)
    except OnnxModelError as error:
        raise first_refusal(error, path) from None
    if as_json:
        print(json.dumps(_as_json(graph), indent=2))
        return DONE
    for line in _lines(path, graph):
        print(printable(line))
    return DONE


def _lines(path: Path, graph: SerializedGraph) -> Iterator[str]:
    constants = [n for n in graph.nodes if isinstance(n, SerializedConstant)]
    yield (
        f"{path.name}: {_counted(len(graph.operators), 'operator')}, "
        f"{_counted(len(constants), 'constant')} of {sum(len(n.data) for n in constants)} bytes"
    )
    for title, tensors in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        yield ""
        yield title
        yield from _table([name, _tensor_text(tensor)] for name, tensor in tensors.items())
    yield ""
    yield "nodes"
    shown = list(enumerate(graph.nodes))[:_SHOWN_NODES]
    yield from _table([str(number), *_row(node)] for number, node in shown)
    if len(graph.nodes) > len(shown):
        yield f"  and {len(graph.nodes) - len(shown)} more: --json has them all"
    yield ""
    yield "operators"
    counts = Counter(node.operator_name for node in graph.operators)
    missing = graph.not_written_yet
    yield from _table(
        [name, str(count), "not written yet" if name in missing else "written"]
        for name, count in counts.most_common()
    )
    yield ""
    yield from _verdict(graph)


def _verdict(graph: SerializedGraph) -> Iterator[str]:
    """Yield what a device says to the graph."""
    try:
        compiled = graph.compile(Device())
    except DirectMLError as error:
        yield f"It cannot run yet: {error}" if graph.not_written_yet else f"It cannot run: {error}"
        return
    bound = [*graph.inputs.values(), *graph.outputs.values()]
    total = sum(tensor.total_tensor_size_in_bytes for tensor in bound)
    yield (
        f"It runs, and takes {compiled.temporary_size} bytes besides {total} of inputs and outputs."
    )
    programs = _programs(compiled)
    if programs:
        yield ""
        yield "operators that run as one, element by element"
        yield from _table(_program_row(step) for step in programs[:_SHOWN_NODES])
        if len(programs) > _SHOWN_NODES:
            yield f"  and {len(programs) - _SHOWN_NODES} more: --json has them all"


def _programs(compiled: CompiledGraph) -> list[ProgramStep]:
    """Return the programs that stand for several operators."""
    return [
        step
        for step in compiled.plan.steps
        if isinstance(step, ProgramStep) and len(step.operator_names) > 1
    ]


def _program_row(step: ProgramStep) -> list[str]:
    names = step.operator_names[:_SHOWN_NAMES]
    more = len(step.operator_names) - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more else "")
    return [shown, _counted(len(step.program.instructions), "instruction")]


def model_lines(name: str, model: Model, missing: Mapping[str, str]) -> Iterator[str]:
    """Yield what a dispatch model consists of.

    Parameters
    ----------
    missing : dict
        The dispatchables whose operators are not written yet, and the names of these.
    """
    resources = model.resources.values()
    count = len(model.dispatchables) + len(missing)
    yield (
        f"{name}: {_counted(count, 'dispatchable')}, {_counted(len(resources), 'resource')} of "
        f"{sum(resource.size_bytes for resource in resources)} bytes"
    )
    yield ""
    yield "resources"
    yield from _table([r.name, r.data_type.name, f"{r.size_bytes} bytes"] for r in resources)
    yield ""
    yield "dispatchables"
    rows = [[name, *dispatchable_row(found)] for name, found in model.dispatchables.items()]
    rows += [[name, operator, "not written yet"] for name, operator in missing.items()]
    yield from _table(rows)


def dispatchable_row(dispatchable: ModelDispatchable | ModelGraph) -> list[str]:
    """Return the operator of a dispatchable, and its outputs with their bytes."""
    if isinstance(dispatchable, ModelGraph):
        is_onnx = isinstance(dispatchable.graph, OnnxGraph)
        operator = "ONNX model" if is_onnx else "serialized graph"
    else:
        operator = dispatchable.desc.operator_name
    points = dispatchable.points("output_tensor").values()
    return [operator, ", ".join(_tensor_text(tensor) for point in points for tensor in point)]


def _row(node: Node) -> list[str]:
    if isinstance(node, SerializedConstant):
        where = "" if node.weight_name is None else f" in {weight_file(node.weight_name)}"
        return ["constant", node.name, f"{len(node.data)} bytes{where}"]
    outputs = [_tensor_text(tensor) for tensor in node.outputs if tensor is not None]
    return [node.operator_name, node.name, ", ".join(outputs)]


def _tensor_text(tensor: TensorDesc) -> str:
    strides = "" if tensor.strides is None else f" strides {tensor.strides}"
    size = tensor.total_tensor_size_in_bytes
    return f"{tensor.data_type.name} {tensor.sizes}{strides}, {size} bytes"


def _table(rows: Iterable[list[str]]) -> Iterator[str]:
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _as_json(graph: SerializedGraph) -> dict[str, Any]:
    return {
        "inputs": {name: _json_tensor(tensor) for name, tensor in graph.inputs.items()},
        "outputs": {name: _json_tensor(tensor) for name, tensor in graph.outputs.items()},
        "nodes": [_json_node(node) for node in graph.nodes],
        "not_written_yet": list(graph.not_written_yet),
        "programs": [
            {
                "operators": list(step.operator_names),
                "instructions": str(step.program).splitlines(),
            }
            for step in _compiled_programs(graph)
        ],
    }


def _compiled_programs(graph: SerializedGraph) -> list[ProgramStep]:
    try:
        return _programs(graph.compile(Device()))
    except DirectMLError:
        return []  # it does not run


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
        "written": node.is_written,
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
