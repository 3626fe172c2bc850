"""`indirectml run` of graphs in files: arrays by the names of inputs and outputs, or made up."""

from __future__ import annotations

import argparse
import errno
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.cli.arrays import read_npy
from indirectml.cli.common import Steps, used_device
from indirectml.cli.graph_files import (
    ONNX_SUFFIX,
    SUFFIX,
    counted,
    first_refusal,
    read_graph,
    tensor_text,
)
from indirectml.cli.model_options import reading_of_onnx
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, ModelError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.core.settings import Settings
from indirectml.core.tensor_buffers import bytes_of
from indirectml.core.tensors import TensorDesc
from indirectml.fills.array_files import npy_header, open_raw, replaced_file, write_all
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.inspection.pictures import save_picture
from indirectml.inspection.profiling import Profile
from indirectml.inspection.subjects import GraphSubject, OnnxSubject, Subject, save_dumps
from indirectml.models.made_up import digest, digest_line, made_up, random_text
from indirectml.models.printing import dispatch_lines, print_values, values_json
from indirectml.models.problems import printable
from indirectml.onnx_import.graph import OnnxGraph
from indirectml.onnx_import.model import OnnxModelError
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph


def add_tensor_options(run: argparse.ArgumentParser) -> None:
    """Add the options that only graphs in files have."""
    group = run.add_argument_group(
        "graphs in files",
        "MODEL.bin is a serialized DirectML graph, MODEL.onnx an ONNX model: inputs are arrays. "
        "Without any the graph runs on random numbers.",
    )
    for name, what in (("--input", "read"), ("--output", "written")):
        group.add_argument(
            name,
            action="append",
            default=[],
            metavar="NAME=FILE",
            help=f"an array that is {what}, as .npy or as raw bytes; may be given several times",
        )
    run.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of an operator that is run by its name: a field, as JSON or as the name of a member "
        "of an enumeration; its inputs are --input NAME=FILE.npy, or numbers: NAME=[[1], [2]] "
        "of FLOAT32, NAME=INT32:[1, 2] of another data type",
    )
    group.add_argument(
        "--profile",
        action="store_true",
        help="tell how long each step takes, and each operator, with GFLOP/s and GB/s",
    )
    group.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="write that as a trace, which browsers and Perfetto open",
    )
    group.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw the graph to a .svg file, or to what Graphviz (.dot) and Mermaid (.mmd) read, "
        "with what each operator took as its colour",
    )
    group.add_argument(
        "--dump",
        type=Path,
        metavar="FOLDER",
        help="write every tensor there too, each to a .npy file, for `compare --with FOLDER`",
    )
    group.add_argument(
        "--digest",
        action="store_true",
        help="tell data type, sizes and SHA-256 of outputs instead of their elements, as is done "
        "where inputs are made up",
    )


def refuse_tensor_options(path: Path, options: argparse.Namespace) -> None:
    """Refuse the options of graphs for a model that is none.

    Raises
    ------
    SettingError
        There are some.
    """
    for name in ("input", "output", "digest", "profile", "trace", "plot", "dump", "field"):
        if getattr(options, name):
            needs = f"is for graphs in files ({SUFFIX}, {ONNX_SUFFIX})"
            hint = "indirectml export makes one of a dispatch model"
            if name == "field":
                needs, hint = "is for an operator by its name", "such as indirectml run GEMM"
            raise SettingError(needs, given=repr(str(path)), hint=hint, field=f"--{name}")


def run_graph(path: Path, options: argparse.Namespace, device: Device) -> Iterator[str]:
    """Return what prints while a graph runs, once or as often as is to be measured.

    Raises
    ------
    DirectMLError, OSError
        The graph, the device or a file refuses, before anything has run.
    """
    is_random = options.random is not None or not options.input
    try:
        with Steps(f"loading {path.name}"):
            graph = read_graph(path, options, device, open_size=1 if is_random else None)
    except OnnxModelError as error:
        raise first_refusal(error, path) from None
    try:
        with Steps(f"compiling {counted(len(graph.operators), 'operator')}"):
            compiled = graph.compile(device)
    except DirectMLError as error:
        raise error.within(str(path)) from None
    inputs = named_files("input", options.input, graph.inputs)
    targets = named_files("output", options.output, graph.outputs)
    _check_targets(targets)
    missing = {name: tensor for name, tensor in graph.inputs.items() if name not in inputs}
    if missing and not is_random:
        raise SettingError(
            f"needs {', '.join(f'--input {name}=FILE.npy' for name in missing)}",
            given=", ".join(inputs),
            hint=f"{next(iter(missing))} is {tensor_text(next(iter(missing.values())))}; "
            "--random 0 makes up what is not given",
            field="--input",
        )
    _check_memory(graph, compiled.temporary_size, options.memory_limit)
    arrays: dict[Any, Any] = {
        name: _array(name, file, graph.inputs[name]) for name, file in inputs.items()
    }
    for name, tensor in missing.items():
        arrays[name] = made_up(name, tensor, options.random or 0).data
    if options.dump is not None:
        _dump(path, graph, arrays, options)
    run = _Run(path, graph, compiled, arrays, missing, targets)
    return run.json(options) if options.json else run.text(options)


def _dump(
    path: Path, graph: SerializedGraph, arrays: Mapping[str, Any], options: argparse.Namespace
) -> None:
    """Write every tensor to a file."""
    subject: Subject = GraphSubject(graph, path.name)
    if isinstance(graph, OnnxGraph):
        # One of size 1 may be a scalar; where it is open, that is its size.
        sizes = {name: t.sizes for name, t in graph.inputs.items() if t.sizes != [1]}
        fixed = reading_of_onnx(options) | {"sizes": sizes}
        del fixed["input_sizes"]
        subject = OnnxSubject(path, **fixed, open_size=1)
    given = {
        name: np.asarray(arrays[name]).view(tensor.dtype).reshape(tensor.sizes)
        for name, tensor in subject.inputs.items()
        if name in arrays
    }
    save_dumps(subject.values(given), options.dump)


def _with_sizes(named: tuple[str, TensorDesc]) -> str:
    name, tensor = named
    return f"{name} ({tensor.data_type.name} {tensor.sizes})"


@dataclass(frozen=True)
class _Run:
    """A compiled graph and what goes in.

    Attributes
    ----------
    missing : dict
        The inputs that are made up.
    targets : dict
        The files of outputs.
    """

    path: Path
    graph: SerializedGraph
    compiled: CompiledGraph
    arrays: dict[Any, Any]
    missing: Mapping[str, TensorDesc]
    targets: Mapping[str, Path]

    def text(self, options: argparse.Namespace) -> Iterator[str]:
        """Run, and yield what is printed."""
        if self.missing:
            named = map(_with_sizes, self.missing.items())
            yield f"Inputs {random_text(named, options.random or 0)}\n"
        samples, outputs = self._measured(options)
        warmup, verbosity = options.warmup_samples, options.timing_verbosity
        yield from dispatch_lines(self.path.stem, samples, warmup, verbosity)
        for name, (tensor, values) in outputs.items():
            if name in self.targets:
                _write(self.targets[name], values, tensor.data_type)
                yield printable(f"Output '{name}' written to '{self.targets[name]}'") + "\n"
            elif options.digest or self.missing:
                yield digest_line(name, values, tensor.data_type)
            else:
                yield from print_values(name, np.ravel(values), options.precision)
        profile = self._profile(options)
        if options.profile and profile is not None:
            yield "\n"
            yield from (printable(line) + "\n" for line in profile.lines())
        for what, file in (("Trace", options.trace), ("Picture", options.plot)):
            if file is not None:
                yield printable(f"{what} written to '{file}'") + "\n"

    def json(self, options: argparse.Namespace) -> Iterator[str]:
        """Run, and yield the same as one JSON object."""
        samples, outputs = self._measured(options)
        told: list[dict[str, Any]] = []
        for name, (tensor, values) in outputs.items():
            each: dict[str, Any] = {
                "name": name,
                "data_type": tensor.data_type.name,
                "sizes": list(values.shape),
                "sha256": digest(values),
            }
            if name in self.targets:
                _write(self.targets[name], values, tensor.data_type)
                each["file"] = str(self.targets[name])
            elif not options.digest and not self.missing:
                each["values"] = values_json(values)
            told.append(each)
        profile = self._profile(options)
        record = {
            "model": str(self.path),
            "device": used_device(options),
            "threads": Settings.policy.max_threads,
            "seed": (options.random or 0) if self.missing else None,
            "made_up": list(self.missing),
            "ms": samples,
            "outputs": told,
            "profile": profile.as_json() if options.profile and profile is not None else None,
        }
        yield json.dumps(record, indent=2)

    def _measured(
        self, options: argparse.Namespace
    ) -> tuple[list[float], dict[str, tuple[TensorDesc, Any]]]:
        """Run as often as is asked for; returns milliseconds, and the outputs of the last run."""
        samples: list[float] = []
        outputs: list[Any] = []
        end = time.perf_counter() + (options.milliseconds_to_run or 0) / 1e3
        total = None if options.milliseconds_to_run else int(options.dispatch_iterations)
        with Steps(f"running {self.path.name}", total) as steps:
            while not samples or _goes_on(options, len(samples), end):
                began = time.perf_counter()
                for _ in range(options.dispatch_repeat):
                    outputs = self.compiled(self.arrays)
                samples.append(1e3 * (time.perf_counter() - began) / options.dispatch_repeat)
                steps.done = len(samples)
        tensors = self.graph.outputs
        both = zip(tensors.values(), outputs, strict=True)
        return samples, dict(zip(tensors, both, strict=True))

    def _profile(self, options: argparse.Namespace) -> Profile | None:
        """Return how long steps take, where that was asked for; writes the trace."""
        if not options.profile and options.trace is None and options.plot is None:
            return None
        with Steps(f"profiling {self.path.name}"):
            profile: Profile = self.compiled.profile(self.arrays)
        if options.plot is not None:
            save_picture(self.graph, options.plot, profile)
        if options.trace is not None:
            profile.save(options.trace)
        return profile


def _goes_on(options: argparse.Namespace, done: int, end: float) -> bool:
    if options.milliseconds_to_run is not None:
        return time.perf_counter() < end
    return done < int(options.dispatch_iterations)


def named_files(kind: str, pairs: Iterable[str], known: Iterable[str]) -> dict[str, Path]:
    """Return the files that NAME=FILE names, by names of inputs or outputs."""
    found: dict[str, Path] = {}
    for pair in pairs:
        # A name may have an "=" too.
        names = [name for name in known if pair.startswith(f"{name}=")]
        name = max(names, key=len, default="")
        file = pair[len(name) + 1 :]
        if not names or not file or name in found:
            given, is_pair, _ = pair.partition("=")
            listed = ", ".join(known) or "none"
            needs = f"needs NAME=FILE once for each {kind} of the graph, which are {listed}"
            hint = suggestion(given, known) if is_pair and not names else None
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
        given: Any = read_npy(file)
    else:
        open_raw(file, tensor.data_type, tensor.sizes)
        given = np.fromfile(file, tensor.data_type.dtype, tensor.element_count)
    try:
        # The file is in memory once it is checked, however it is written meanwhile.
        return bytes_of(tensor, given).view(tensor.data_type.dtype)[: tensor.element_count]
    except DirectMLError as error:
        raise error.within(f"{name} ({file})") from None


def _write(file: Path, values: Any, data_type: TensorDataType) -> None:
    with replaced_file(file) as out:
        if file.suffix.lower() == ".npy":
            write_all(out, npy_header(data_type, values.shape))
        write_all(out, np.ascontiguousarray(values).reshape(-1).view(np.uint8))
