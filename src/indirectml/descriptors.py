"""What all operator descriptors share: names made by rule, and the checks of their tensors.

A descriptor is a frozen dataclass in `operators/`. Its class name and its fields are DirectML's in
Python's spelling, and everything else (operator name, field names in JSON) follows by rule.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from indirectml.catalogue import TensorSupport, operator_facts
from indirectml.data_types import TensorDataType
from indirectml.errors import DataTypeError, DescriptorError, DirectMLError, LayoutError, shown
from indirectml.feature_levels import FeatureLevel, tensor_support
from indirectml.overlap import find_overlap
from indirectml.plans import Plan
from indirectml.scalars import Scalar, ScalarUnion, exact_bits
from indirectml.sequences import Rule
from indirectml.tensors import TensorDesc, TensorFlags

#: Words that DirectML writes in capitals.
_ACRONYMS = {"roi"}


def camel_case(name: str) -> str:
    """Return DirectML's spelling of a field: "value_start" becomes "ValueStart"."""
    return "".join(p.upper() if p in _ACRONYMS else p.capitalize() for p in name.split("_"))


def snake_case(name: str) -> str:
    """Return Python's spelling of a field; `camel_case` is the way back.

    Examples
    --------
    >>> snake_case("ScaleBias"), snake_case("ATensor"), snake_case("ROITensor")
    ('scale_bias', 'a_tensor', 'roi_tensor')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class OperatorDesc(ABC):
    """The base of all operator descriptors: frozen dataclasses with DirectML's fields."""

    #: DirectML's name without its prefix, such as "FILL_VALUE_CONSTANT".
    operator_name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.operator_name = snake_case(cls.__name__.removesuffix("OperatorDesc")).upper()

    @classmethod
    def output_fields(cls) -> tuple[str, ...]:
        """Return the names of the fields that describe outputs, in order."""
        facts = operator_facts(cls.operator_name)
        return tuple(snake_case(f.name) for f in facts.fields if f.kind == "output_tensor")

    def check(self, level: FeatureLevel) -> None:
        """Check everything that holds for a device of a feature level.

        Raises
        ------
        DescriptorError, DataTypeError, LayoutError
            A field is refused; the message names operator and field.
        """
        try:
            support = tensor_support(self.operator_name, level)
            kinds = {snake_case(f.name): f for f in operator_facts(self.operator_name).fields}
            for field in dataclasses.fields(self):  # type: ignore[arg-type]
                tensor = getattr(self, field.name)
                if not isinstance(tensor, TensorDesc):
                    continue
                facts = kinds[field.name]
                try:
                    _check_support(tensor, support[facts.name], level)
                    if facts.kind == "output_tensor":
                        _check_output(tensor)
                except DirectMLError as error:
                    raise error.within(field.name) from None
            self.check_fields()
        except DirectMLError as error:
            raise error.within(self.operator_name) from None

    def check_fields(self) -> None:  # noqa: B027 (nothing to check is an answer)
        """Check what this operator requires of its fields together; operators override it."""

    @abstractmethod
    def plan(self, rule: Rule) -> Plan:
        """Return what the operator compiles to, under the device's rule for sequences."""


def _check_support(tensor: TensorDesc, support: TensorSupport, level: FeatureLevel) -> None:
    low, high = support.minimum_dimension_count, support.maximum_dimension_count
    count = len(tensor.sizes)
    if not low <= count <= high:
        allowed = f"{low}" if low == high else f"{low} to {high}"
        raise DescriptorError(
            f"needs {allowed} dimensions at feature level {level}",
            given=f"{count} {tensor.sizes}",
            field="sizes",
        )
    if support.data_types is not None and tensor.data_type not in support.data_types:
        names = ", ".join(t.name for t in support.data_types)
        raise DataTypeError(
            f"needs one of {names} at feature level {level}",
            given=tensor.data_type.name,
            field="data_type",
        )


def _check_output(tensor: TensorDesc) -> None:
    if tensor.flags & TensorFlags.OWNED_BY_DML:
        raise DescriptorError(
            "needs TensorFlags.NONE, since only inputs may be owned by DirectML",
            given="OWNED_BY_DML",
            field="flags",
        )
    try:
        pair = None if tensor.strides is None else find_overlap(tensor.sizes, tensor.strides)
    except LayoutError as error:
        raise error.within("strides") from None
    if pair is not None:
        raise LayoutError(
            "needs strides under which no two elements of an output share memory",
            given=f"{tensor.strides} for sizes {tensor.sizes}, where {pair[0]} and {pair[1]} do",
            field="strides",
        )


def check_value_data_type(value_data_type: TensorDataType, tensor: TensorDesc) -> None:
    """Check that scalars of an operator have the data type of its output.

    Raises
    ------
    DescriptorError
        They differ.
    """
    if value_data_type is not tensor.data_type:
        raise DescriptorError(
            f"needs the data type of the output tensor, {tensor.data_type.name}",
            given=value_data_type.name,
            field="value_data_type",
        )


def as_scalar_union(value: Scalar, data_type: TensorDataType, *, is_delta: bool) -> ScalarUnion:
    """Return a number, converted once to exact bits of a data type, as a scalar union."""
    if isinstance(value, ScalarUnion):
        return value
    if isinstance(value, bytes | bytearray):
        return ScalarUnion(value)
    return ScalarUnion(exact_bits(value, data_type, is_delta=is_delta).to_bytes(8, "little"))


def convert_field(desc: Any, name: str, convert: Any) -> None:
    """Replace a field of a frozen descriptor by its converted value; errors name the field."""
    try:
        object.__setattr__(desc, name, convert(getattr(desc, name)))
    except DirectMLError as error:
        raise error.within(f"{desc.operator_name}.{name}") from None


def checked_tensor(value: Any) -> TensorDesc:
    """Return the value if it is a tensor descriptor.

    Raises
    ------
    DataTypeError
        It is not.
    """
    if not isinstance(value, TensorDesc):
        raise DataTypeError("needs a TensorDesc", given=f"{shown(value)} ({type(value).__name__})")
    return value
