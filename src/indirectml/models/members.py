"""Pieces of JSON: members of objects, kinds of values, names, numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType, data_type_from_name
from indirectml.core.errors import DataTypeError, ModelError, ScalarError
from indirectml.core.scalars import exact_bits
from indirectml.models.problems import Problems

#: Numbers that JSON has no way to write, as strings in any letter case.
_SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}

_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}

#: Python's own message for an integer would be 4300 digits long.
_SHOWN_CHARACTERS = 60


class Members:
    """The members of a JSON object, of which some names are known.

    Parameters
    ----------
    value : object
        What has to be an object.
    known : iterable of str
        The names that have a meaning. Others are ignored, with a warning, unless they begin with
        "$", as "$schema" does.
    problems : Problems
        Where warnings go.
    """

    def __init__(self, value: Any, known: Iterable[str], problems: Problems) -> None:
        self._values: dict[str, Any] = of_kind(value, dict)
        self._problems = problems
        names = tuple(known)
        for key in self._values:
            if key in names or key.startswith("$"):
                continue
            free = [name for name in names if name not in self._values]
            with problems.within(key):
                error = ModelError("has no meaning here", hint=problems.suggestion(key, free))
                problems.add(error, is_warning=True)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def required(self, key: str, kind: type = object) -> Any:
        """Return a member that must be there, of a kind of JSON."""
        if key not in self._values:
            hint = self._problems.suggestion(key, self._values, cutoff=0.8)
            hint = hint and hint.replace("did you mean", "did you mean it by")
            raise ModelError("is required", field=key, hint=hint)
        return of_kind(self._values[key], kind, key)

    def optional(self, key: str, kind: type, default: Any = None) -> Any:
        """Return a member, or a default where it is left out or null."""
        value = self._values.get(key)
        return default if value is None else of_kind(value, kind, key)

    def get(self, key: str) -> Any:
        """Return a member of any kind, or None."""
        return self._values.get(key)


def of_kind(value: Any, kind: type, field: str | None = None) -> Any:
    """Return the value if it is of a kind of JSON: dict, list, str, int, bool or object for any.

    Raises
    ------
    ModelError
        It is not.
    """
    # JSON's true is Python's True, which is an int.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ModelError(f"needs {_KINDS[kind]}", given=given(value), field=field)
    return value


def given(value: Any) -> str:
    """Write a value as messages show what was given: short, and containers by their kind.

    Examples
    --------
    >>> given([1]), given("x"), given(None), given(10**400)
    ('an array', "'x'", 'null', 'an integer of 1329 bits')
    """
    if isinstance(value, dict | list):
        return _KINDS[dict if isinstance(value, dict) else list]
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 4 * _SHOWN_CHARACTERS:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def positive_integers(values: list[Any], field: str) -> list[int]:
    """Return the values if all of them are integers from 1 up.

    Raises
    ------
    ModelError
        They are not.
    """
    for value in values:
        if of_kind(value, int, field) < 1:
            raise ModelError("needs integers from 1 up", given=given(value), field=field)
    return values


def data_type_of(name: Any, problems: Problems | None = None) -> TensorDataType:
    """Return the data type of a name, with or without DirectML's prefix.

    Parameters
    ----------
    problems : Problems, optional
        Of the model in which the name is, of which not every one gets a hint.

    Raises
    ------
    ModelError, DataTypeError
        It is no string, or no name of a data type.
    """
    if not isinstance(name, str):
        raise ModelError("needs the name of a data type", given=given(name))
    try:
        return data_type_from_name(name)
    except DataTypeError as error:
        error.given = given(name)
        known = [each for each in TensorDataType.__members__ if each != "UNKNOWN"]
        error.hint = (problems or Problems()).suggestion(name, known)
        raise


def scalar_data_type(name: Any, problems: Problems | None = None) -> TensorDataType:
    """Return the data type of a name, if its elements are whole bytes; see `data_type_of`.

    Raises
    ------
    ModelError, DataTypeError
        It is no name of a data type, or of one without elements of whole bytes.
    """
    try:
        data_type = data_type_of(name, problems)
    except DataTypeError as error:
        names = [each.name for each in TensorDataType if each.dtype is not None]
        error.required = f"needs one of {', '.join(names)}"
        raise
    if data_type.dtype is None:
        raise ModelError("needs a data type of whole bytes", given=data_type.name)
    return data_type


def number_bits(
    value: Any, data_type: TensorDataType, *, is_delta: bool = False, toward_zero: bool = False
) -> int:
    """Return the bits of a JSON number; for floats also of the strings nan, inf and -inf.

    Parameters
    ----------
    toward_zero : bool
        FLOAT16 numbers are truncated, after rounding to FLOAT32, as DxDispatch does.

    Raises
    ------
    ModelError, ScalarError
        It is no number, or the data type cannot hold it.
    """
    if data_type.is_float and isinstance(value, str) and value.lower() in _SPECIAL:
        return exact_bits(_SPECIAL[value.lower()], data_type)
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = 'a number, "nan", "inf" or "-inf"' if data_type.is_float else "an integer"
        raise ModelError(f"needs {kind}", given=given(value))
    if isinstance(value, float) and not data_type.is_float:
        raise ScalarError(f"{data_type.name} needs an integer", given=repr(value))
    if toward_zero and data_type is TensorDataType.FLOAT16:
        single = exact_bits(value, TensorDataType.FLOAT32)
        return truncated_float16(float(np.uint32(single).view(np.float32)))
    return exact_bits(value, data_type, is_delta=is_delta)


def truncated_float16(value: float) -> int:
    """Return the bits of the FLOAT16 next to a number in the direction of zero.

    Notes
    -----
    From 65536 up that is infinity, not the largest finite number (the half library 1.12, whose
    rounding DxDispatch leaves at its default).

    Examples
    --------
    >>> [f"{truncated_float16(x):04X}" for x in (0.3, 65520.0, 65536.0, -5.96e-8)]
    ['34CC', '7BFF', '7C00', '8000']
    """
    with np.errstate(all="ignore"):
        half = np.float16(value)
        if abs(value) < 65536 and abs(float(half)) > abs(value):  # noqa: PLR2004 (2^16)
            half = np.nextafter(half, np.float16(0))
            half = np.copysign(half, np.float16(value))
    return int(half.view(np.uint16))
