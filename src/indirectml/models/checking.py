"""What a device, the memory and the file system say to a model, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from indirectml.catalogue import operator_facts
from indirectml.descriptors import snake_case
from indirectml.errors import BindingError, DirectMLError, ModelError
from indirectml.models.dispatchables import as_written
from indirectml.models.model import (
    BufferBinding,
    Dispatchable,
    DispatchCommand,
    Model,
    WriteFileCommand,
)
from indirectml.models.problems import Problems, suggestion
from indirectml.runtime import CompiledOperator, Device
from indirectml.tensors import TensorDesc, TensorFlags

#: DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT.
_BUFFER_ALIGNMENT = 16


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
                compiled[dispatchable.name] = _compile(dispatchable, device)
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


def _compile(dispatchable: Dispatchable, device: Device) -> CompiledOperator:
    try:
        operator = device.create_operator(dispatchable.desc)
    except DirectMLError as error:
        raise as_written(error, dispatchable.desc.operator_name) from None
    return device.compile_operator(operator, dispatchable.flags)


def tensors(dispatchable: Dispatchable) -> Iterator[tuple[str, TensorDesc]]:
    """Yield DirectML's names of the tensors of an operator, and their descriptors."""
    for field in operator_facts(dispatchable.desc.operator_name).fields:
        tensor = getattr(dispatchable.desc, snake_case(field.name), None)
        if isinstance(tensor, TensorDesc):
            yield field.name, tensor


def _check_owned(dispatchable: Dispatchable, model: Model, problems: Problems) -> None:
    owned = {n: t for n, t in tensors(dispatchable) if t.flags & TensorFlags.OWNED_BY_DML}
    _warn_of_unknown(
        dispatchable.bindings, owned, "tensor of the operator that DirectML owns", problems
    )
    for name, tensor in owned.items():
        _check_binding(name, tensor, dispatchable.bindings, model, problems)


def _check_bindings(command: DispatchCommand, model: Model, problems: Problems) -> None:
    dispatchable = model.dispatchables[command.dispatchable]
    bound = {n: t for n, t in tensors(dispatchable) if not t.flags & TensorFlags.OWNED_BY_DML}
    _warn_of_unknown(command.bindings, bound, "tensor of the operator", problems)
    for name, tensor in bound.items():
        _check_binding(name, tensor, command.bindings, model, problems)


def _warn_of_unknown(
    bindings: dict[str, BufferBinding],
    known: dict[str, TensorDesc],
    kind: str,
    problems: Problems,
) -> None:
    for name in bindings.keys() - known.keys():
        with problems.within(name):
            hint = suggestion(name, known.keys() - bindings.keys())
            error = BindingError(f"names no {kind}", hint=hint)
            problems.add(error, is_warning=True)


def _check_binding(
    name: str,
    tensor: TensorDesc,
    bindings: dict[str, BufferBinding],
    model: Model,
    problems: Problems,
) -> None:
    with problems.at():
        if name not in bindings:
            raise BindingError("is required", field=name)
        binding = bindings[name]
        bound = model.resources[binding.resource].size_bytes - binding.offset_bytes
        if bound < tensor.total_tensor_size_in_bytes:
            raise BindingError(
                f"needs at least {tensor.total_tensor_size_in_bytes} bytes",
                given=f"{bound} of resource {binding.resource!r}",
                field=name,
            )
        alignment = max(_BUFFER_ALIGNMENT, tensor.guaranteed_base_offset_alignment)
        if binding.offset_bytes % alignment:
            raise BindingError(
                f"needs an offset that is a multiple of {alignment} bytes",
                given=f"{binding.offset_bytes}",
                field=name,
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
