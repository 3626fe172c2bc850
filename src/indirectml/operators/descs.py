"""The descriptor classes, each made of definition and catalogue when it is first asked for."""

from __future__ import annotations

from typing import Any

from indirectml.descriptors.definitions import class_names
from indirectml.operators import descriptor_class


def __getattr__(name: str) -> Any:
    operator = class_names().get(name)
    if operator is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return descriptor_class(operator)
