"""The descriptor classes, each made of definition and catalogue when it is first asked for."""

from __future__ import annotations

from typing import Any

from indirectml.operators import descriptor_class, descriptor_classes


def __getattr__(name: str) -> Any:
    operator = descriptor_classes().get(name)
    if operator is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return descriptor_class(operator)
