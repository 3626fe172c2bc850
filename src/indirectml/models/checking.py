"""What a device, the memory and the file system say to a model, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from indirectml.catalogue import operator_facts
from indirectml.core.binding_rules import Range, find_overlaps, offset_alignment, tensor_layout
from indirectml.core.errors import BindingError, ModelError
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.base import snake_case
from indirectml.models.dispatchables import as_written
from indirectml.models.model import (
    Bindings,
    BufferBinding,
    Dispatchable,
    DispatchCommand,
    Model,
    WriteFileCommand,
)
from indirectml.models.problems import Problems, suggestion
from indirectml.runtime import CompiledOperator, Device


@dataclass(frozen=True)
class Limits:
    """What a model may use.

    Attributes
    ----------
    memory_bytes : int
        What all its resources may take together.
    output_path : Path
        The folder that files are written to.
    allow_outside : bool
        Files may also be written elsewhere.
    """

    memory_bytes: int = 4 << 30
    output_path: Path = Path()
    allow_outside: bool = False


def check_model(
    model: Model, device: Device, limits: Limits, problems: Problems
) -> dict[str, CompiledOperator]:
    """Return the compiled operators of a model, and add what is refused to the problems."""
    with problems.at():
        _check_memory(model, limits)
    compiled = {}
    for dispatchable in model.dispatchables.values():
        with problems.at("dispatchables", dispatchable.name):
            with problems.within(*dispatchable.place):
                compiled[dispatchable.name] = _compile(dispatchable, device, problems)
            with problems.within("bindings"):
                _check_owned(dispatchable, model, problems)
    for command in model.commands:
        with problems.at("commands", command.number):
            if isinstance(command, WriteFileCommand):
                target_file(command, limits)
            elif isinstance(command, DispatchCommand) and command.dispatchable in compiled:
                with problems.within("bindings"):
                    _check_bindings(command, model, problems)
    return compiled


def _check_memory(model: Model, limits: Limits) -> None:
    total = sum(resource.size_bytes for resource in model.resources.values())
    if total > limits.memory_bytes:
        raise ModelError(
            f"needs resources of at most {limits.memory_bytes} bytes together",
            given=f"{total}",
            field="resources",
            hint="--memory-limit raises this",
        )


def _compile(dispatchable: Dispatchable, device: Device, problems: Problems) -> CompiledOperator:
    desc = dispatchable.desc
    with problems.together():
        for error in desc.mistakes(device.feature_level):
            problems.add(as_written(error, desc.operator_name))
    operator = device.create_operator(desc)
    return device.compile_operator(operator, dispatchable.flags)


def tensors(dispatchable: Dispatchable) -> Iterator[tuple[str, tuple[TensorDesc, ...]]]:
    """Yield DirectML's names of the fields that have tensors, and these."""
    for field in operator_facts(dispatchable.desc.operator_name).fields:
        value = getattr(dispatchable.desc, snake_case(field.name), None)
        if field.type == "TENSOR_DESC" and value is not None:
            yield field.name, value if field.array else (value,)


def is_owned(tensor: TensorDesc) -> bool:
    """Return whether DirectML takes a tensor in when the operator is initialized."""
    return bool(tensor.flags & TensorFlags.OWNED_BY_DML)


def _check_owned(dispatchable: Dispatchable, model: Model, problems: Problems) -> None:
    points = {n: t for n, t in tensors(dispatchable) if any(map(is_owned, t))}
    kind = "tensor of the operator that DirectML owns"
    _warn_of_unknown(dispatchable.bindings, points, kind, problems)
    for name, bound in points.items():
        used = [is_owned(tensor) for tensor in bound]
        _check_point(name, bound, used, dispatchable.bindings, model, problems)


def _check_bindings(command: DispatchCommand, model: Model, problems: Problems) -> None:
    dispatchable = model.dispatchables[command.dispatchable]
    points = {n: t for n, t in tensors(dispatchable) if not all(map(is_owned, t))}
    _warn_of_unknown(command.bindings, points, "tensor of the operator", problems)
    with problems.together():
        for name, bound in points.items():
            used = [not is_owned(tensor) for tensor in bound]
            _check_point(name, bound, used, command.bindings, model, problems)
    _check_overlap(dispatchable, points, command.bindings, problems)


def _warn_of_unknown(
    bindings: Bindings, known: Mapping[str, object], kind: str, problems: Problems
) -> None:
    for name in bindings.keys() - known.keys():
        with problems.within(name):
            hint = suggestion(name, known.keys() - bindings.keys())
            error = BindingError(f"names no {kind}", hint=hint)
            problems.add(error, is_warning=True)


def _check_point(
    name: str,
    bound: tuple[TensorDesc, ...],
    used: list[bool],
    bindings: Bindings,
    model: Model,
    problems: Problems,
) -> None:
    """Check what is bound to a field: as many as it has tensors, also where only some are used."""
    with problems.at():
        if name not in bindings:
            raise BindingError("is required", field=name)
        if len(bindings[name]) != len(bound):
            needs = "needs one resource" if len(bound) == 1 else f"needs {len(bound)} resources"
            raise BindingError(needs, given=f"{len(bindings[name])}", field=name)
    for number, (tensor, binding) in enumerate(zip(bound, bindings.get(name, ()), strict=False)):
        if used[number]:
            place = (name,) if len(bound) == 1 else (name, number)
            with problems.at(*place):
                _check_binding(tensor, binding, model)


def _check_binding(tensor: TensorDesc, binding: BufferBinding, model: Model) -> None:
    available = model.resources[binding.resource].size_bytes - binding.offset_bytes
    if available < tensor.total_tensor_size_in_bytes:
        raise BindingError(
            f"needs at least {tensor.total_tensor_size_in_bytes} bytes",
            given=f"{available} of resource {binding.resource!r}",
        )
    alignment = offset_alignment(tensor)
    if binding.offset_bytes % alignment:
        raise BindingError(
            f"needs an offset that is a multiple of {alignment} bytes",
            given=f"{binding.offset_bytes}",
        )


def _check_overlap(
    dispatchable: Dispatchable,
    points: Mapping[str, tuple[TensorDesc, ...]],
    bindings: Bindings,
    problems: Problems,
) -> None:
    """Check that outputs lie on nothing but an input just like them, where that is allowed."""
    facts = operator_facts(dispatchable.desc.operator_name)
    outputs = {field.name for field in facts.fields if field.kind == "output_tensor"}
    ranges = [
        Range(
            name if len(bound) == 1 else f"{name}[{number}]",
            name in outputs,
            binding.offset_bytes,
            binding.offset_bytes + tensor.total_tensor_size_in_bytes,
            tensor_layout(tensor),
            binding.resource,
        )
        for name, bound in points.items()
        for number, (tensor, binding) in enumerate(zip(bound, bindings[name], strict=True))
        if not is_owned(tensor)
    ]
    for written, other in find_overlaps(ranges, in_place=facts.in_place).items():
        with problems.at():
            raise BindingError(
                f"needs memory of its own, apart from that of {other.place}",
                given=f"resource {written.memory!r} for both",
                field=written.place,
            )


def target_file(command: WriteFileCommand, limits: Limits) -> Path:
    """Return the path of the file that a command writes, without links in it.

    Raises
    ------
    ModelError
        It is outside of the folder for outputs, and that is not allowed.
    """
    try:
        folder = limits.output_path.resolve()
        path = (folder / command.target_path).resolve()
    except (OSError, RuntimeError):  # a circle of symbolic links
        raise ModelError(
            "needs a path without a circle of links",
            given=repr(command.target_path),
            field="targetPath",
        ) from None
    if not limits.allow_outside and not path.is_relative_to(folder):
        raise ModelError(
            f"needs a path within the folder for outputs, {str(folder)!r}",
            given=repr(command.target_path),
            hint="--allow-outside permits others",
            field="targetPath",
        )
    if path.is_dir():
        needs = "needs the name of a file"
        raise ModelError(needs, given=f"the folder {str(path)!r}", field="targetPath")
    return path
