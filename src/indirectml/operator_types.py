"""OperatorType, a member per operator of the catalogue; reading that is why it has its own file."""

from __future__ import annotations

from enum import IntEnum

from indirectml.catalogue import operator_facts, operator_names

OperatorType = IntEnum(  # type: ignore[misc]  # the names are data
    "OperatorType",
    {"INVALID": 0} | {name: operator_facts(name).number for name in operator_names()},
)
