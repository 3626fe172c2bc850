"""From JSON objects to a `Model`. Nothing is executed and nothing of the values' size is allocated.

Every error carries the path of its place in the model, such as
"dispatchables.ramp.desc.ValueDelta".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import ModelError
from indirectml.models.bindings import named_resource, read_bindings
from indirectml.models.context import Context, ReadingOptions
from indirectml.models.dispatchables import read_dispatchable
from indirectml.models.members import Members, given, of_kind, positive_integers
from indirectml.models.model import (
    Bindings,
    Command,
    DispatchCommand,
    FileValues,
    Model,
    PrintCommand,
    Resource,
    WriteFileCommand,
)
from indirectml.models.onnx import (
    dispatched,
    fill_deferred,
    forget_deferred,
    outputs_of,
    shapes_of_commands,
)
from indirectml.models.problems import Problems
from indirectml.models.resources import (
    IMAGE_SUFFIXES,
    IMAGE_TYPES,
    image_dimensions,
    pillow,
    read_resource,
)

MODEL_KEYS = ("resources", "dispatchables", "commands")


def parse_model(root: Any, options: ReadingOptions | None = None) -> Model:
    """Return the model that JSON objects describe.

    Raises
    ------
    DirectMLError
        Something is missing, of the wrong kind, or names what does not exist: the first mistake.
    """
    problems = Problems()
    model = read_model(root, problems, options)
    problems.raise_first()
    return model


def read_model(root: Any, problems: Problems, options: ReadingOptions | None = None) -> Model:
    """Return what is usable of a model, and add what is wrong with the rest to the problems."""
    context = Context(options or ReadingOptions(), problems)
    model = Model({}, {}, ())
    with problems.at():
        members = Members(root, MODEL_KEYS, problems)
        context.shapes = shapes_of_commands(members.get("commands"))
        _read_named(members, "resource", read_resource, context)
        _read_named(members, "dispatchable", read_dispatchable, context)
        commands: list[Command] = []
        with problems.at():
            sources = members.required("commands", list)
            for number, value in enumerate(sources):
                with problems.at("commands", number):
                    commands.append(_command(number, value, context))
            resources = _without_none(context.readable["resource"]) | context.filled
            dispatchables = _without_none(context.readable["dispatchable"])
            model = Model(resources, dispatchables, tuple(commands), sources)
    return model


def _read_named(
    members: Members, kind: str, read: Callable[[str, Any, Context], Any], context: Context
) -> None:
    """Read the resources, or the dispatchables; all names are known, even of those in error."""
    found: dict[str, Any] = {}
    context.readable[kind] = found
    with context.problems.at():
        values = members.required(f"{kind}s", dict)
        found.update(dict.fromkeys(values))
        for name, value in values.items():
            with context.problems.at(f"{kind}s", name):
                found[name] = read(name, value, context)


def _without_none(named: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in named.items() if value is not None}


def _command(number: int, value: Any, context: Context) -> Command:
    type_ = of_kind(of_kind(value, dict).get("type", ""), str, "type")
    if "type" not in value:
        raise ModelError("is required", field="type")
    found = COMMANDS.get(type_.lower())
    if found is None:
        needs = "needs the command dispatch, print or writeFile"
        hint = context.problems.suggestion(type_, ("dispatch", "print", "writeFile"))
        raise ModelError(needs, given=given(type_), field="type", hint=hint)
    read, keys = found
    return read(number, Members(value, ("type", *keys), context.problems), context)


def _dispatch(number: int, members: Members, context: Context) -> DispatchCommand:
    problems = context.problems
    key = ""
    bindings: Bindings = {}
    sources: dict[str, Any] = {}
    with problems.together():
        with problems.at():
            sources = members.required("bindings", dict)
        with problems.at():
            name = of_kind(members.required("dispatchable"), str, "dispatchable")
            key = dispatched(name, sources, context)
        outputs = outputs_of(key, context)
        for point in sorted(sources, key=outputs.__contains__):  # what is read, as it was before
            with problems.at("bindings"):
                if point in outputs:
                    with problems.within(point):
                        fill_deferred(sources[point], outputs[point], bindings, context)
                elif not key:
                    forget_deferred(sources[point], context)
                bindings[point] = read_bindings(point, sources[point], context)
        with problems.at():
            groups = members.optional("threadGroupCount", list, [1, 1, 1])
            if len(positive_integers(groups, "threadGroupCount")) != 3:  # noqa: PLR2004 (x, y, z)
                needs = "needs 3 integers from 1 up"
                raise ModelError(needs, given=f"{len(groups)}", field="threadGroupCount")
    return DispatchCommand(number, key, bindings)


def _print(number: int, members: Members, context: Context) -> PrintCommand:
    verbose = False
    with context.problems.together():
        with context.problems.at():
            resource = named_resource(members, context)
            if resource.data_type is TensorDataType.UNKNOWN:
                raw = isinstance(resource.values, FileValues)
                raise ModelError(
                    "needs a resource whose values have one data type",
                    given=f"{given(resource.name)}, {'a raw file' if raw else 'a mixed list'}",
                    hint="give it an initialValuesDataType" if raw else None,
                    field="resource",
                )
        with context.problems.at():
            verbose = members.optional("verbose", bool, default=False)
    return PrintCommand(number, resource.key, verbose)


def _write_file(number: int, members: Members, context: Context) -> WriteFileCommand:
    problems = context.problems
    target, dimensions = "", None
    with problems.together():
        with problems.at():
            target = members.required("targetPath", str)
            if not target or "\0" in target:
                raise ModelError("needs the name of a file", given=given(target)).within(
                    "targetPath"
                )
        with problems.at():
            listed = members.optional("dimensions", list)
            dimensions = listed and tuple(positive_integers(listed, "dimensions"))
        with problems.at():
            resource = named_resource(members, context)
    _check_target(target, dimensions, resource)
    return WriteFileCommand(number, resource.key, target, dimensions)


def _check_target(target: str, dimensions: tuple[int, ...] | None, resource: Resource) -> None:
    """Check that a file of this name can hold a resource in these dimensions."""
    suffix = target[target.rfind(".") :].lower()
    if suffix == ".npz":
        needs = "needs a .npy or raw file"
        raise ModelError(needs, given="a .npz archive", field="targetPath")
    if suffix in IMAGE_SUFFIXES:
        pillow()
        if resource.data_type not in IMAGE_TYPES:
            needs = "needs a resource of FLOAT32 or FLOAT16 for a picture, from 0 to 1"
            raise ModelError(needs, given=resource.data_type.name, field="resource")
        if dimensions is None:
            raise ModelError("is required for a picture", field="dimensions")
        try:
            image_dimensions(list(dimensions), (1, 3, 4) if suffix == ".png" else (1, 3))
        except ModelError as error:
            raise error.within("dimensions") from None
    needed, available = 1, resource.size_bytes // resource.item_bytes
    for extent in dimensions or ():
        needed *= extent
        if needed > available:
            needs = f"needs at most the {available} elements of the resource"
            raise ModelError(needs, given=f"{list(dimensions or ())}"[:60], field="dimensions")


#: By the type in lower case: what reads it, and the names of its members.
COMMANDS: dict[str, tuple[Callable[[int, Members, Context], Command], tuple[str, ...]]] = {
    "dispatch": (_dispatch, ("dispatchable", "bindings", "threadGroupCount")),
    "print": (_print, ("resource", "verbose")),
    "writefile": (_write_file, ("resource", "targetPath", "dimensions")),
}
