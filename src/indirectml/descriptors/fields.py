"""Fields of operator descriptors: from what a caller writes to what a descriptor keeps.

A field is converted by its type in the catalogue: one function per type, no code per operator.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple

from indirectml.catalogue import FieldFacts
from indirectml.catalogue.enumerations import FIELD_ENUMERATIONS
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.catalogue.operator_types import operator_types
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, shown
from indirectml.core.scalars import Scalar, ScalarUnion, exact_bits
from indirectml.core.tensors import MAX_UINT32, TensorDesc
from indirectml.fills.sequences import as_number, fill_data_type


class ScaleBias(NamedTuple):
    """What an operator applies to its input first: x * scale + bias.

    Examples
    --------
    >>> ScaleBias(2, 1)
    ScaleBias(scale=2, bias=1)
    """

    scale: float
    bias: float


class Size2D(NamedTuple):
    """DML_SIZE_2D: a width and a height.

    Examples
    --------
    >>> Size2D(3, 2)
    Size2D(width=3, height=2)
    """

    width: int
    height: int


def converted_field(facts: FieldFacts, value: Any, scalar_type: TensorDataType | None) -> Any:
    """Return what a descriptor keeps of the value of a field.

    Parameters
    ----------
    facts : FieldFacts
        The field.
    value : object
        As the caller wrote it. None only where the field is optional.
    scalar_type : TensorDataType or None
        The descriptor's own data type for its scalar unions, if it has one.

    Raises
    ------
    DataTypeError, DescriptorError, ScalarError
        The value cannot be one of this type.
    """
    if value is None and facts.optional:
        return None
    if facts.type == "SCALAR_UNION" and scalar_type is not None:
        return as_scalar_union(value, scalar_type, is_delta=facts.name.endswith("Delta"))
    convert = _CONVERTERS[facts.type]
    if not facts.array:
        return convert(value)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise DataTypeError("needs a sequence", given=f"{value!r} ({type(value).__name__})")
    elements: list[Any] = []
    try:
        elements.extend(convert(element) for element in value)
    except DirectMLError as error:
        raise error.within(f"[{len(elements)}]") from None
    return tuple(elements)


def as_scalar_union(value: Scalar, data_type: TensorDataType, *, is_delta: bool) -> ScalarUnion:
    """Return a number, converted once to exact bits of a data type, as a scalar union."""
    if isinstance(value, ScalarUnion):
        return value
    if isinstance(value, bytes | bytearray):
        return ScalarUnion(value)
    return ScalarUnion(exact_bits(value, data_type, is_delta=is_delta).to_bytes(8, "little"))


def _tensor(value: Any) -> TensorDesc:
    if not isinstance(value, TensorDesc):
        raise DataTypeError("needs a TensorDesc", given=f"{value!r} ({type(value).__name__})")
    return value


def _integer(value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise DataTypeError(
            "needs an integer", given=f"{value!r} ({type(value).__name__})"
        ) from None
    if not low <= number <= high:
        raise DescriptorError(f"needs an integer from {low} to {high}", given=f"{number}")
    return number


def _float32(value: Any) -> float:
    """Return a number rounded to FLOAT32, as every FLOAT field is."""
    number: Any = as_number(exact_bits(value, TensorDataType.FLOAT32), TensorDataType.FLOAT32)
    return float(number)


def _boolean(value: Any) -> bool:
    return bool(_integer(value, 0, 1))


def _scale_bias(value: Any) -> ScaleBias:
    if not isinstance(value, tuple | list) or len(value) != 2:  # noqa: PLR2004 (it is a pair)
        raise DataTypeError("needs a pair (scale, bias)", given=shown(value))
    return ScaleBias(_float32(value[0]), _float32(value[1]))


def _size_2d(value: Any) -> Size2D:
    if not isinstance(value, tuple | list) or len(value) != 2:  # noqa: PLR2004 (it is a pair)
        raise DataTypeError("needs a pair (width, height)", given=shown(value))
    return Size2D(*(_integer(v, *INTEGER_RANGES["UINT"]) for v in value))


def _member(kind: type[IntEnum], value: Any) -> IntEnum:
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(f"{kind.__name__}.{name}" for name in kind.__members__)
        raise DescriptorError(f"needs one of {names}", given=shown(value)) from None


def _fused_activation(value: Any) -> FusedActivation | None:
    if not isinstance(value, FusedActivation):
        hint = "such as FusedActivation.relu()"
        raise DataTypeError("needs a FusedActivation", given=shown(value), hint=hint)
    if value.activation not in set(operator_types()):
        needs = "needs a member of OperatorType"
        raise DescriptorError(needs, given=shown(value.activation), field="activation")
    if value.activation == operator_types()["INVALID"]:
        return None
    numbers = []
    for name in ("param_1", "param_2"):
        try:
            numbers.append(_float32(getattr(value, name)))
        except DirectMLError as error:
            raise error.within(name) from None
    return FusedActivation(operator_types()(value.activation), *numbers)


#: The least and the greatest number that an integer field of a type holds.
INTEGER_RANGES = {"UINT": (0, MAX_UINT32), "INT": (-(2**31), 2**31 - 1)}

_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "TENSOR_DESC": _tensor,
    "TENSOR_DATA_TYPE": fill_data_type,
    "FLOAT": _float32,
    "BOOL": _boolean,
    "SCALE_BIAS": _scale_bias,
    "SIZE_2D": _size_2d,
    "OPERATOR_DESC": _fused_activation,
    **{name: partial(_integer, low=low, high=high) for name, (low, high) in INTEGER_RANGES.items()},
    **{name: partial(_member, kind) for name, kind in FIELD_ENUMERATIONS.items()},
}
