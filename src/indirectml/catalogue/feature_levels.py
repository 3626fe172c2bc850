"""Feature levels: which operators, data types and dimension counts a device promises.

Levels and versions are those of DirectML's feature level history page. Each level contains all
lower ones.
"""

from __future__ import annotations

import functools
from enum import IntEnum
from typing import Self

from indirectml.catalogue import TensorSupport, operator_facts
from indirectml.core.errors import DescriptorError, shown


class FeatureLevel(IntEnum):
    """A feature level: its value is DML_FEATURE_LEVEL's, its version the first DirectML with it.

    Examples
    --------
    >>> FeatureLevel.LEVEL_4_1 > FeatureLevel.LEVEL_2_1
    True
    >>> str(FeatureLevel.LEVEL_2_1)
    '2_1'
    """

    directml_version: str

    LEVEL_1_0 = 0x1000, "1.0.0"
    LEVEL_2_0 = 0x2000, "1.1.0"
    LEVEL_2_1 = 0x2100, "1.2.0"
    LEVEL_3_0 = 0x3000, "1.4.0"
    LEVEL_3_1 = 0x3100, "1.5.0"
    LEVEL_4_0 = 0x4000, "1.6.0"
    LEVEL_4_1 = 0x4100, "1.7.0"
    LEVEL_5_0 = 0x5000, "1.8.0"
    LEVEL_5_1 = 0x5100, "1.9.0"
    LEVEL_5_2 = 0x5200, "1.10.0"
    LEVEL_6_0 = 0x6000, "1.11.0"
    LEVEL_6_1 = 0x6100, "1.12.0"
    LEVEL_6_2 = 0x6200, "1.13.0"
    LEVEL_6_3 = 0x6300, "1.15.0"
    LEVEL_6_4 = 0x6400, "1.15.0"

    def __new__(cls, value: int, directml_version: str) -> Self:
        """Make a member from a line of the table."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.directml_version = directml_version
        return member

    def __str__(self) -> str:
        return self.name.removeprefix("LEVEL_")


def as_feature_level(like: FeatureLevel | str) -> FeatureLevel:
    """Return the feature level that "2_1", "2.1", "LEVEL_2_1" or DirectML's full name stands for.

    Raises
    ------
    DescriptorError
        There is no such level.

    Examples
    --------
    >>> as_feature_level("DML_FEATURE_LEVEL_4_1")
    <FeatureLevel.LEVEL_4_1: 16640>
    """
    if isinstance(like, FeatureLevel):
        return like
    found = _level_of(str(like))
    if found is None:
        levels = list(FeatureLevel)
        raise DescriptorError(
            f"needs a feature level from {levels[0]} to {levels[-1]}",
            given=shown(like),
            field="feature_level",
        )
    return found


@functools.lru_cache(maxsize=64)
def _level_of(like: str) -> FeatureLevel | None:
    short = like.upper().removeprefix("DML_FEATURE_LEVEL_").removeprefix("LEVEL_")
    return FeatureLevel.__members__.get("LEVEL_" + short.replace(".", "_"))


@functools.lru_cache(maxsize=1024)
def tensor_support(
    operator: str, level: FeatureLevel, function: str | None = None
) -> dict[str, TensorSupport]:
    """Return what each tensor of an operator may be at a feature level, by field name.

    Where the operator is several functions, `function` is the name of one of them.

    Raises
    ------
    DescriptorError
        The level is lower than the one that introduced the operator.
    """
    facts = operator_facts(operator)
    support = facts.support_by_function[function] if function else facts.support
    known = [key for key in support if as_feature_level(key) <= level]
    if not known:
        # Of a few operators the pages list nothing at the level that introduced them.
        lowest = min(support, key=as_feature_level)
        raise DescriptorError(f"needs feature level {lowest}", given=f"a device of level {level}")
    return support[max(known, key=as_feature_level)]
