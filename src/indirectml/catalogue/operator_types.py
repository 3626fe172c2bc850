"""OperatorType, a member per operator of the catalogue, made when it is first asked for.

That takes 10 ms, which a program that fills arrays need not wait for.
"""

from __future__ import annotations

import functools
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any

from indirectml.catalogue import operator_facts, operator_names

if TYPE_CHECKING:

    class OperatorType(IntEnum):
        """The numbers of DML_OPERATOR_TYPE; the names are data."""


@functools.cache
def operator_types() -> type[OperatorType]:
    """Return OperatorType."""
    numbers = {name: operator_facts(name).number for name in operator_names()}
    members = {"INVALID": 0} | numbers
    make: Any = IntEnum
    made: type[OperatorType] = make("OperatorType", members, module=__name__)
    setattr(made, "__str__", Enum.__str__)  # noqa: B010 (an assignment is refused by mypy)
    made.__doc__ = "DML_OPERATOR_TYPE: all of DirectML's operators, whether they run here or not."
    return made


def __getattr__(name: str) -> Any:
    if name == "OperatorType":
        return operator_types()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
