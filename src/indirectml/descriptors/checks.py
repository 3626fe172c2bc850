"""Checks that several definitions share: each raises or yields mistakes of a descriptor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc


def caught(check: Callable[..., None], *arguments: Any) -> Iterator[DirectMLError]:
    """Yield what a check raises."""
    try:
        check(*arguments)
    except DirectMLError as error:
        yield error


def check_value_data_type(
    value_data_type: TensorDataType,
    tensor: TensorDesc,
    *,
    field: str = "value_data_type",
    of: str = "output",
) -> None:
    """Check that scalars of an operator have the data type of its tensor.

    Raises
    ------
    DescriptorError
        They differ.
    """
    if value_data_type is not tensor.data_type:
        raise DescriptorError(
            f"needs the data type of the {of} tensor, {tensor.data_type.name}",
            given=value_data_type.name,
            field=field,
        )


def check_each(desc: Any, names: Sequence[str], count: int, noun: str = "dimension") -> None:
    """Check that arrays have one element per dimension.

    Raises
    ------
    DescriptorError
        The first has another length; the others have the same, by the catalogue.
    """
    for name in names:
        if len(getattr(desc, name)) != count:
            raise DescriptorError(
                f"needs one per {noun} ({count})", given=f"{len(getattr(desc, name))}", field=name
            )


def check_leading_ones(
    tensor: TensorDesc, count: int, field: str = "input_tensor"
) -> Iterator[DirectMLError]:
    """Yield that dimensions in front of the last ones, which alone count, have another size than 1.

    Parameters
    ----------
    tensor : TensorDesc
        What is checked.
    count : int
        How many dimensions count.
    field : str
        The tensor's.
    """
    leading = len(tensor.sizes_tuple) - count
    if any(size != 1 for size in tensor.sizes_tuple[:leading]):
        yield DescriptorError(
            f"needs the size 1 in {leading} dimensions in front of the last {count}",
            given=f"{tensor.sizes}",
            field=f"{field}.sizes",
        )


def check_axis(axis: int, tensor: TensorDesc, field: str = "axis") -> None:
    """Check that an axis is one of a tensor's dimensions.

    Raises
    ------
    DescriptorError
        It is not.
    """
    if axis >= len(tensor.sizes_tuple):
        raise DescriptorError(
            f"needs one of the {len(tensor.sizes_tuple)} dimensions, counted from 0",
            given=f"{axis}",
            field=field,
        )
