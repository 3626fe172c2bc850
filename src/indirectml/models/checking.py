"""What a device, the memory and the file system say to a model, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from indirectml.core.binding_rules import Range, find_overlaps, offset_alignment, tensor_layout
from indirectml.core.errors import BindingError, DirectMLError, ModelError
from indirectml.core.progress import told
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.models.context import portable_path
from indirectml.models.dispatchables import as_written, not_taken
from indirectml.models.members import given
from indirectml.models.memory import check_memory
from indirectml.models.model import (
    Bindings,
    DispatchCommand,
    Model,
    ModelDispatchable,
    ModelGraph,
    ResourcePart,
    WriteFileCommand,
)
from indirectml.models.problems import Problems, printable
from indirectml.runtime import CompiledOperator, Device


@dataclass(frozen=True)
class Limits:
    """What a model may use.

    Attributes
    ----------
    memory_bytes : int
        What running it may take, besides what Python and its libraries take by themselves.
    output_path : Path
        The folder that files are written to.
    allow_outside : bool
        Files may also be written elsewhere.
    may_replace : bool
        Files that exist may be replaced.
    """

    memory_bytes: int = 4 << 30
    output_path: Path = Path()
    allow_outside: bool = False
    may_replace: bool = True


def check_model(
    model: Model, device: Device, limits: Limits, problems: Problems, text_bytes: int = 0
) -> dict[str, CompiledOperator]:
    """Return the compiled operators of a model, and add what is refused to the problems."""
    compiled: dict[str, CompiledOperator] = {}
    for key, dispatchable in told(model.dispatchables.items()):
        with problems.at("dispatchables", dispatchable.name):
            with problems.within(*dispatchable.place):
                compiled[key] = _compile(dispatchable, device, problems)
            with problems.within("bindings"):
                _check_owned(dispatchable, model, problems)
    for command in model.commands:
        with problems.at("commands", command.number):
            if isinstance(command, WriteFileCommand):
                target_file(command, limits)
            elif isinstance(command, DispatchCommand) and command.dispatchable in compiled:
                with problems.within("bindings"):
                    _check_bindings(command, model, problems)
    check_memory(model, compiled, text_bytes, limits.memory_bytes, problems)
    return compiled


def _compile(
    dispatchable: ModelDispatchable | ModelGraph, device: Device, problems: Problems
) -> CompiledOperator:
    if isinstance(dispatchable, ModelGraph):
        try:
            return dispatchable.graph.compile(device, flags=dispatchable.flags)
        except DirectMLError as error:  # the place in the file is no place in the model
            raise not_taken("the device", error) from None
    desc = dispatchable.desc
    with problems.together():
        for mistake in desc.mistakes(device.feature_level):
            problems.add(as_written(mistake, desc.operator_name))
    operator = device.create_operator(desc)
    return device.compile_operator(operator, dispatchable.flags)


def tensors(
    dispatchable: ModelDispatchable | ModelGraph,
) -> Iterator[tuple[str, tuple[TensorDesc, ...]]]:
    """Yield the names of what is bound, and the tensors of each."""
    for kind in ("input_tensor", "output_tensor"):
        yield from dispatchable.points(kind).items()


def is_owned(tensor: TensorDesc) -> bool:
    """Return whether DirectML takes a tensor in when the operator is initialized."""
    return bool(tensor.flags & TensorFlags.OWNED_BY_DML)


def _check_owned(
    dispatchable: ModelDispatchable | ModelGraph, model: Model, problems: Problems
) -> None:
    points = {n: t for n, t in tensors(dispatchable) if any(map(is_owned, t))}
    kind = "names no tensor of the operator that DirectML owns"
    _warn_of_unknown(dispatchable.bindings, points, kind, problems)
    for name, bound in points.items():
        used = [is_owned(tensor) for tensor in bound]
        _check_point(name, bound, used, dispatchable.bindings, model, problems)


def _check_bindings(command: DispatchCommand, model: Model, problems: Problems) -> None:
    dispatchable = model.dispatchables[command.dispatchable]
    points = {n: t for n, t in tensors(dispatchable) if not all(map(is_owned, t))}
    owned = {n for n, t in tensors(dispatchable) if all(map(is_owned, t))}
    for name in sorted(owned & command.bindings.keys()):
        with problems.within(name):
            needs = "has no effect here, since DirectML owns this tensor"
            error = BindingError(needs, hint="bind it in the dispatchable's own bindings")
            problems.add(error, is_warning=True)
    unknown = {n: b for n, b in command.bindings.items() if n not in owned}
    _warn_of_unknown(unknown, points, "names no tensor of the operator", problems)
    if not dispatchable.needs_bindings:
        points = {n: t for n, t in points.items() if n in command.bindings}
    with problems.together():
        for name, bound in points.items():
            used = [not is_owned(tensor) for tensor in bound]
            _check_point(name, bound, used, command.bindings, model, problems)
    _check_overlap(dispatchable, points, command.bindings, model, problems)


def _warn_of_unknown(
    bindings: Bindings, known: Mapping[str, object], meaning: str, problems: Problems
) -> None:
    for name in bindings.keys() - known.keys():
        with problems.within(name):
            hint = problems.suggestion(name, known.keys() - bindings.keys())
            error = BindingError(meaning, hint=hint)
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


def _check_binding(tensor: TensorDesc, binding: ResourcePart, model: Model) -> None:
    resource = model.resources[binding.resource]
    available = resource.size_bytes - binding.offset_bytes
    if available < tensor.total_tensor_size_in_bytes:
        raise BindingError(
            f"needs at least {tensor.total_tensor_size_in_bytes} bytes",
            given=f"{available} of resource {resource.name!r}",
        )
    alignment = offset_alignment(tensor)
    if binding.offset_bytes % alignment:
        raise BindingError(
            f"needs an offset that is a multiple of {alignment} bytes",
            given=f"{binding.offset_bytes}",
        )


def _check_overlap(
    dispatchable: ModelDispatchable | ModelGraph,
    points: Mapping[str, tuple[TensorDesc, ...]],
    bindings: Bindings,
    model: Model,
    problems: Problems,
) -> None:
    """Check that outputs lie on nothing but an input just like them, where that is allowed."""
    outputs = dispatchable.points("output_tensor")
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
    for written, other in find_overlaps(ranges, in_place=dispatchable.in_place).items():
        with problems.at():
            raise BindingError(
                f"needs memory of its own, apart from that of {other.place}",
                given=f"resource {model.resources[str(written.memory)].name!r} for both",
                field=written.place,
            )


def target_file(command: WriteFileCommand, limits: Limits) -> Path:
    """Return the path of the file that a command writes, without links in it.

    Raises
    ------
    ModelError
        It is outside of the folder for outputs, or exists, and that is not allowed.
    """
    written = portable_path(command.target_path)
    shown = given(command.target_path)
    if _DRIVE.match(written):
        raise ModelError("needs a path without a drive", given=shown, field="targetPath")
    try:
        folder = limits.output_path.resolve()
        path = (folder / written).resolve()
    except (OSError, RuntimeError):  # a circle of symbolic links
        raise ModelError(
            "needs a path without a circle of links", given=shown, field="targetPath"
        ) from None
    if not limits.allow_outside and not path.is_relative_to(folder):
        raise ModelError(
            f"needs a path within the folder for outputs, {printable(str(folder))!r}",
            given=shown,
            hint="--allow-outside permits others",
            field="targetPath",
        )
    if _is(Path.is_dir, path):
        needs = "needs the name of a file"
        raise ModelError(needs, given=f"the folder {str(path)!r}", field="targetPath")
    if not limits.may_replace and _is(Path.exists, path):
        raise ModelError(
            "needs the name of a file that does not exist, as --no-replace asks for",
            given=repr(str(path)),
            field="targetPath",
        )
    return path


#: What paths of Windows may begin with.
_DRIVE = re.compile(r"[A-Za-z]:/")


def _is(asked: Callable[[Path], bool], path: Path) -> bool:
    """Return what a path is asked for; a name that is too long is nothing yet."""
    try:
        return asked(path)
    except OSError:
        return False


def replaced_targets(model: Model, limits: Limits) -> list[Path]:
    """Return the files that exist and that a checked model will replace, in order."""
    commands = [c for c in model.commands if isinstance(c, WriteFileCommand)]
    paths = dict.fromkeys(target_file(command, limits) for command in commands)
    return [path for path in paths if _is(Path.exists, path)]
