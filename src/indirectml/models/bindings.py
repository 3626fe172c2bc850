"""From JSON to bindings: which part of which resource a tensor gets."""

from __future__ import annotations

from typing import Any

from indirectml.core.errors import ModelError
from indirectml.models.context import Context
from indirectml.models.members import Members, given, of_kind, positive_integers
from indirectml.models.model import Resource, ResourcePart

#: The members of a binding, and what kind of JSON each has.
BINDING_KEYS = {
    "name": str,
    "elementCount": int,
    "elementSizeInBytes": int,
    "elementOffset": int,
    "format": str,
    "counter": str,
    "counterOffsetBytes": int,
    "shape": list,
}


def read_bindings(point: str, source: Any, context: Context) -> tuple[ResourcePart, ...]:
    """Return what JSON binds to a field: a name, an object, or an array of them.

    Mistakes are kept with their places, below the field's.
    """
    found: list[ResourcePart] = []
    with context.problems.together():
        if not isinstance(source, list):
            with context.problems.at(point):
                found.append(_binding(source, context))
            return tuple(found)
        for number, element in enumerate(source):
            with context.problems.at(point, number):
                found.append(_binding(element, context))
    return tuple(found)


def _binding(source: Any, context: Context) -> ResourcePart:
    """Return the binding that a name or an object describes.

    Raises
    ------
    ModelError
        It has another form, names no resource, or reaches beyond its end.
    """
    if isinstance(source, str):
        return ResourcePart(_filled(context.named("resource", source)).key, 0)
    if not isinstance(source, dict):
        raise ModelError("needs the name of a resource, or an object", given=given(source))
    members = Members(source, BINDING_KEYS, context.problems)
    name = members.required("name")
    with context.problems.within("name"):
        resource = _filled(context.named("resource", name))
    for key, kind in BINDING_KEYS.items():
        value = members.optional(key, kind)
        if kind is int and value is not None and value < 0:
            raise ModelError("needs a number from 0 up", given=given(value), field=key)
    positive_integers(members.optional("shape", list, []), "shape")
    item_bytes = members.optional("elementSizeInBytes", int, resource.item_bytes)
    offset = members.optional("elementOffset", int, 0) * item_bytes
    if offset > resource.size_bytes:
        raise ModelError(
            f"needs an offset within the {resource.size_bytes} bytes of {resource.name!r}",
            given=given(offset),
            field="elementOffset",
        )
    return ResourcePart(resource.key, offset)


def _filled(resource: Resource) -> Resource:
    if resource.values is None:
        raise deferred(resource)
    return resource


def deferred(resource: Resource) -> ModelError:
    """Return the error for the use of a resource that has no values."""
    return ModelError(
        "needs a resource with initial values",
        given=f"{resource.name!r}, which is deferred",
        hint="outputs of ONNX models are what fills those",
    )


def named_resource(members: Members, context: Context) -> Resource:
    """Return the resource that the member "resource" names, which must have values.

    Raises
    ------
    ModelError
        There is none, or it is deferred.
    """
    name = of_kind(members.required("resource"), str, "resource")
    with context.problems.within("resource"):
        return _filled(context.named("resource", name))
