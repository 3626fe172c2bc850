"""Executing a model: resources are filled, operators compiled, commands carried out in order."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.core.progress import doing
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensor_buffers import elements_of
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.names import camel_case
from indirectml.fills.array_files import npy_header, replaced_file, write_all
from indirectml.fills.arrays import fill_constant, fill_sequence
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.models.checking import Limits, check_model, is_owned, target_file
from indirectml.models.made_up import made_up, random_text
from indirectml.models.members import truncated_float16
from indirectml.models.model import (
    Bindings,
    Command,
    DispatchCommand,
    FileValues,
    ImageValues,
    Model,
    ModelDispatchable,
    ModelGraph,
    PackedValues,
    PrintCommand,
    Resource,
    SequenceValues,
    WriteFileCommand,
)
from indirectml.models.printing import (
    Precision,
    dispatch_lines,
    print_values,
    print_values_verbose,
    values_json,
)
from indirectml.models.problems import Problems, printable
from indirectml.models.resources import IMAGE_SUFFIXES, packed_image, pillow
from indirectml.runtime import CompiledOperator, Device

_Array = np.ndarray[Any, Any]
_Bytes = np.ndarray[Any, np.dtype[np.uint8]]

#: Elements of a file that are copied at a time.
_PIECE_ELEMENTS = 1 << 20


@dataclass(frozen=True)
class RunOptions:
    """How a model is run, and what is told of it.

    Attributes
    ----------
    iterations, repeat : int
        A dispatch is measured so many times; each measurement has so many dispatches.
    milliseconds : float or None
        Measure for as long as this instead of `iterations` times.
    interval_ms : float
        The least time from one measurement to the next.
    warmup_samples : int
        The first measurements, which the median leaves out.
    timing_verbosity : int
        0, 1 or 2.
    print_commands : bool
        Tell of every command when it begins and when it ends.
    precision : {"6", "exact"}
        Digits of printed floats.
    seed : int
        Of the inputs of ONNX models that nothing is bound to.
    tells_values : bool
        Values that are to be printed are told as data, `ModelRun.told`, and not as text.
    """

    limits: Limits = field(default_factory=Limits)
    iterations: int = 1
    repeat: int = 1
    milliseconds: float | None = None
    interval_ms: float = 0
    warmup_samples: int = 1
    timing_verbosity: int = 0
    print_commands: bool = False
    precision: Precision = "6"
    seed: int = 0
    tells_values: bool = False


class ModelRun:
    """A model on a device, checked and compiled, ready to be run once.

    Parameters
    ----------
    model : Model
        From `parse_model`.
    device : Device
        What compiles its operators.
    options : RunOptions
        How it is run.
    compiled : dict, optional
        What `check_model` returned for this model, device and limits, without mistakes. It is
        checked here if this is left out.

    Raises
    ------
    DirectMLError
        The device refuses an operator, a binding does not fit, or the limit is too low. Nothing
        has been allocated then.
    """

    def __init__(
        self,
        model: Model,
        device: Device,
        options: RunOptions | None = None,
        compiled: dict[str, CompiledOperator] | None = None,
    ) -> None:
        self._model = model
        self._device = device
        self._options = options or RunOptions()
        self._buffers: dict[str, _Bytes] = {}
        self._owned: dict[str, dict[str, _Array]] = {}
        #: What `text` tells of the commands so far, as plain data.
        self.told: list[dict[str, Any]] = []
        if compiled is None:
            problems = Problems()
            compiled = check_model(model, device, self._options.limits, problems)
            problems.raise_first()
        self._compiled = compiled

    def text(self) -> Iterator[str]:
        """Carry out the commands; yields what is to be printed, in pieces, as it becomes known."""
        resources = self._model.resources
        with doing("filling resources", len(resources)) as steps:
            for name, resource in resources.items():
                self._buffers[name] = new_buffer(resource)
                steps.done += 1
        for key, dispatchable in self._model.dispatchables.items():
            yield from self._initialize(key, dispatchable)
        for command in self._model.commands:
            if not self._options.print_commands:
                yield from self._carried_out(command)
                continue
            source = _compact_json(self._model.sources[command.number])
            yield f"[StartCmd][{command.number:04}]\t: {source}\n"
            yield from self._carried_out(command)
            yield f"[EndCmd][{command.number:04}]\t: hr=0x00000000 \n\n"

    def _initialize(self, key: str, dispatchable: ModelDispatchable | ModelGraph) -> Iterator[str]:
        as_graph = "Compiling op using IDMLDevice1::CompileGraph"
        # What DirectML owns is taken in now, whatever becomes of the resource later.
        self._owned[dispatchable.name] = {
            name: self._elements_of(name, tensor, dispatchable.bindings).copy()
            for name, tensor in _inputs(dispatchable)
            if tensor is not None and is_owned(tensor)
        }
        yield f"{as_graph if dispatchable.as_graph else 'Compile Op'}\n"
        if self._options.timing_verbosity == 0:
            return
        # Compiled once already, to see whether it can be; this time it is measured.
        began = time.perf_counter()
        with doing(f"compiling {dispatchable.name}"):
            self._compiled[key] = self._compile(dispatchable)
        milliseconds = 1e3 * (time.perf_counter() - began)
        yield f"Initialize '{printable(dispatchable.name)}': {milliseconds:.4f} ms\n"

    def _compile(self, dispatchable: ModelDispatchable | ModelGraph) -> CompiledOperator:
        if isinstance(dispatchable, ModelGraph):
            return dispatchable.graph.compile(self._device, flags=dispatchable.flags)
        operator = self._device.create_operator(dispatchable.desc)
        return self._device.compile_operator(operator, dispatchable.flags)

    def _carried_out(self, command: Command) -> Iterator[str]:
        if isinstance(command, DispatchCommand):
            return self._dispatch(command)
        if isinstance(command, PrintCommand):
            return self._print(command)
        return self._write_file(command)

    def _dispatch(self, command: DispatchCommand) -> Iterator[str]:
        options, name = self._options, self._model.dispatchables[command.dispatchable].name
        made = self._made_up(command)
        if made:
            yield f"Inputs of '{printable(name)}' {random_text(made, options.seed)}\n"
        dispatch = self._call(command, made)
        is_timed = options.milliseconds is not None
        total = None if is_timed else options.iterations * options.repeat
        with doing(f"running {name}", total) as steps:
            samples = self._measured(dispatch, steps)
        warmup, verbosity = options.warmup_samples, options.timing_verbosity
        self.told.append({"dispatch": name, "made_up": list(made), "ms": samples})
        yield from dispatch_lines(name, samples, warmup, verbosity)

    def _measured(self, dispatch: Callable[[], object], steps: Any) -> list[float]:
        """Return what dispatches took, in milliseconds: so many, or for so long."""
        options = self._options
        samples: list[float] = []
        end = time.perf_counter() + (options.milliseconds or 0) / 1e3
        is_over = False
        while not is_over:
            began = time.perf_counter()
            for _ in range(options.repeat):
                dispatch()
                steps.done += 1
            now = time.perf_counter()
            samples.append(1e3 * (now - began) / options.repeat)
            pause = max(0.0, began + options.interval_ms / 1e3 - now)
            # The time to run includes the pauses.
            is_timed = options.milliseconds is not None
            is_over = now + pause > end if is_timed else len(samples) >= options.iterations
            if pause and not is_over:
                time.sleep(pause)
        return samples

    def _made_up(self, command: DispatchCommand) -> dict[str, _Bytes]:
        """Return the bytes of inputs that need not be bound, and are not."""
        dispatchable = self._model.dispatchables[command.dispatchable]
        if dispatchable.needs_bindings or not isinstance(dispatchable, ModelGraph):
            return {}
        return {
            name: made_up(name, tensor, self._options.seed)
            for name, tensor in dispatchable.graph.inputs.items()
            if name not in command.bindings
        }

    def _call(self, command: DispatchCommand, made: dict[str, _Bytes]) -> Callable[[], object]:
        """Return one dispatch, with all that is bound to it, or made up for it."""
        dispatchable = self._model.dispatchables[command.dispatchable]
        compiled: Any = self._compiled[command.dispatchable]
        if isinstance(dispatchable, ModelGraph):
            given = made | self._bound_by_name(command, dispatchable.graph.inputs)
            written = self._bound_by_name(command, dispatchable.graph.outputs)
            return lambda: _dispatch_graph(compiled, given, written, dispatchable.graph.outputs)
        inputs = self._bound(dispatchable, command, "input_tensor")
        out = self._bound(dispatchable, command, "output_tensor")
        return lambda: compiled(inputs, out=out)

    def _bound_by_name(
        self, command: DispatchCommand, tensors: dict[str, TensorDesc]
    ) -> dict[str, _Bytes]:
        """Return the bytes that are bound to the inputs, or outputs, of a graph."""
        found = {}
        for name, tensor in tensors.items():
            if name not in command.bindings:
                continue
            (part,) = command.bindings[name]
            end = part.offset_bytes + tensor.total_tensor_size_in_bytes
            found[name] = self._buffers[part.resource][part.offset_bytes : end]
        return found

    def _bound(
        self, dispatchable: ModelDispatchable, command: DispatchCommand, kind: str
    ) -> list[_Array | None]:
        """Return the elements of an operator's tensors of one kind; None for those left out."""
        owned = self._owned[dispatchable.name]
        return [
            None
            if tensor is None
            else owned[name]
            if is_owned(tensor)
            else self._elements_of(name, tensor, command.bindings)
            for name, tensor in dispatchable.desc.tensors(kind)
        ]

    def _elements_of(self, name: str, tensor: TensorDesc, bindings: Bindings) -> _Array:
        """Return what is bound to a tensor of a name such as "input_tensors[1]"."""
        field_name, _, number = name.partition("[")
        binding = bindings[camel_case(field_name)][int(number.removesuffix("]") or 0)]
        return elements_of(tensor, self._buffers[binding.resource], binding.offset_bytes)

    def _print(self, command: PrintCommand) -> Iterator[str]:
        resource = self._model.resources[command.resource]
        used = resource.values.size_bytes if resource.values else 0
        values = self._buffers[resource.key][:used].view(resource.data_type.dtype)
        if self._options.tells_values:
            told = {"resource": resource.name, "data_type": resource.data_type.name}
            self.told.append(told | {"values": values_json(values)})
            return iter(())
        show = print_values_verbose if command.verbose else print_values
        return show(resource.name, values, self._options.precision)

    def _write_file(self, command: WriteFileCommand) -> Iterator[str]:
        resource = self._model.resources[command.resource]
        path = target_file(command, self._options.limits)
        path.parent.mkdir(parents=True, exist_ok=True)
        suffix = path.suffix.lower()
        with doing(f"writing {path.name}"), replaced_file(path) as file:
            if suffix in IMAGE_SUFFIXES:
                values = self._elements(resource, command.dimensions)
                pillow().write_image(file, suffix, values[0])
            elif suffix == ".npy":
                values = self._elements(resource, command.dimensions)
                write_all(file, npy_header(_npy_type(resource), values.shape))
                write_all(file, values.view(np.uint8))
            else:
                write_all(file, self._buffers[resource.key])
        self.told.append({"resource": resource.name, "file": str(path)})
        yield f"Resource '{printable(resource.name)}' written to '{printable(str(path))}'\n"

    def _elements(self, resource: Resource, sizes: tuple[int, ...] | None) -> Any:
        """Return the elements of the whole buffer, padding included, or those in `sizes`."""
        dtype = _npy_type(resource).dtype
        buffer = self._buffers[resource.key]
        elements = buffer[: buffer.size // dtype.itemsize * dtype.itemsize].view(dtype)
        if sizes is None:
            return elements
        return elements[: np.prod(sizes, dtype=np.int64)].reshape(sizes)


def _compact_json(value: Any) -> str:
    """Write a command as it stands in the model, without spaces; nothing acts on a terminal."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _npy_type(resource: Resource) -> TensorDataType:
    unknown = resource.data_type is TensorDataType.UNKNOWN
    return TensorDataType.UINT8 if unknown else resource.data_type


def _inputs(
    dispatchable: ModelDispatchable | ModelGraph,
) -> Iterable[tuple[str, TensorDesc | None]]:
    """Return the inputs by name; the constants of a graph come with its file."""
    if isinstance(dispatchable, ModelGraph):
        return dispatchable.graph.inputs.items()
    return dispatchable.desc.tensors("input_tensor")


def _dispatch_graph(
    compiled: CompiledGraph,
    given: dict[str, _Bytes],
    written: dict[str, _Bytes],
    tensors: dict[str, TensorDesc],
) -> None:
    """Dispatch a graph and put its outputs where they are bound."""
    results = compiled({name: raw.data for name, raw in given.items()})
    for (name, tensor), values in zip(tensors.items(), results, strict=True):
        if name in written:
            elements_of(tensor, written[name])[...] = values


# ---- the memory of resources ----


def new_buffer(resource: Resource) -> _Bytes:
    """Return the memory of a resource: its initial values, then zeros."""
    buffer = np.zeros(resource.size_bytes, np.uint8)
    if resource.values is not None:
        used = buffer[: resource.values.size_bytes]
        _WRITERS[type(resource.values)](used, resource.values)
    return buffer


def _write_packed(out: _Bytes, values: PackedValues) -> None:
    out[...] = np.frombuffer(values.raw, np.uint8)


def _write_sequence(out: _Bytes, values: SequenceValues) -> None:
    elements = out.view(values.data_type.dtype)
    start = ScalarUnion(values.start.to_bytes(8, "little"))
    if values.delta is None:
        fill_constant(elements, start)
    elif values.truncates:
        _accumulate_truncated(elements, values.start, values.delta)
    else:
        fill_sequence(elements, start, ScalarUnion(values.delta.to_bytes(8, "little")))


def _accumulate_truncated(elements: np.ndarray[Any, Any], start: int, delta: int) -> None:
    """Write a FLOAT16 sequence whose sums are truncated."""
    step = float(np.uint16(delta).view(np.float16))
    bits = start
    patterns = elements.view(np.uint16)
    for index in range(patterns.size):
        patterns[index] = bits
        # Sums of two FLOAT16 are exact in a double.
        following = truncated_float16(float(np.uint16(bits).view(np.float16)) + step)
        if following == bits:
            # Sums move in one direction, so this ends after the 2^16 patterns there are.
            patterns[index:] = bits
            return
        bits = following


def _write_file_values(out: _Bytes, values: FileValues) -> None:
    first = 0
    for piece in values.source.pieces(_PIECE_ELEMENTS):
        raw = np.ascontiguousarray(piece).reshape(-1).view(np.uint8)
        out[first : first + raw.size] = raw
        first += raw.size


def _write_image_values(out: _Bytes, values: ImageValues) -> None:
    out[...] = packed_image(values).view(np.uint8)


_WRITERS: dict[type, Callable[[_Bytes, Any], None]] = {
    PackedValues: _write_packed,
    SequenceValues: _write_sequence,
    FileValues: _write_file_values,
    ImageValues: _write_image_values,
}
