"""Tensor descriptors: sizes, strides, byte counts. Integer arithmetic only, no memory.

The rules are those of DirectML's DML_BUFFER_TENSOR_DESC page.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, IntFlag
from typing import Any, ClassVar

import numpy as np

from indirectml.core.data_types import DataTypeLike, TensorDataType, as_data_type
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, shown
from indirectml.core.records import record

MAX_DIMENSION_COUNT = 8
MAX_UINT32 = 2**32 - 1

_HALF_A_BYTE = 4

_NO_PROMISE = 0

#: Of how many sizes it is remembered what follows from them: networks repeat theirs.
_MOST_LAYOUTS = 4096


class TensorFlags(IntFlag):
    """DML_TENSOR_FLAGS. Only inputs may be owned by DirectML."""

    NONE = 0
    OWNED_BY_DML = 1

    __str__ = Enum.__str__


@record(init=False, repr=False)
class TensorDesc:
    """What a tensor is and how it lies in its buffer.

    Parameters
    ----------
    data_type : TensorDataType or NumPy dtype
        Not UNKNOWN.
    sizes : sequence of int
        1 to 8 of them, each from 1 to 2**32 - 1; at most 2**32 - 1 elements together.
    flags : TensorFlags
        OWNED_BY_DML is for inputs only; operators check it.
    strides : sequence of int, optional
        In elements, one per size, each from 0 to 2**32 - 1. None means packed, row-major. Zero
        repeats an input along that dimension.
    total_tensor_size_in_bytes : int, optional
        At least what sizes and strides reach, rounded up to 4 bytes, which is the default.
    guaranteed_base_offset_alignment : int
        In bytes: 0 for no promise, or a power of two that is at least the element size.
    tensor_policy : TensorPolicy, optional
        Chooses the strides; not together with `strides`.

    Raises
    ------
    DescriptorError
        A field breaks one of these rules.
    DataTypeError
        `data_type` is none, or is UNKNOWN; a number is not an integer.

    References
    ----------
    DirectML: DML_BUFFER_TENSOR_DESC structure.

    Examples
    --------
    >>> desc = TensorDesc(np.float16, [5])
    >>> desc.total_tensor_size_in_bytes
    12
    """

    data_type: TensorDataType
    sizes_tuple: tuple[int, ...]  # the same as `sizes`, without a copy
    flags: TensorFlags
    strides_tuple: tuple[int, ...] | None
    total_tensor_size_in_bytes: int
    guaranteed_base_offset_alignment: int

    def __init__(
        self,
        data_type: DataTypeLike,
        sizes: Iterable[int],
        *,
        flags: TensorFlags = TensorFlags.NONE,
        strides: Iterable[int] | None = None,
        total_tensor_size_in_bytes: int | None = None,
        guaranteed_base_offset_alignment: int = _NO_PROMISE,
        tensor_policy: TensorPolicy | None = None,
    ) -> None:
        field = "data_type"
        try:
            data_type = as_data_type(data_type)
            if data_type is TensorDataType.UNKNOWN:
                raise DataTypeError("needs a known data type", given="UNKNOWN")
            field = "sizes"
            sizes = _checked_sizes(sizes)
            field = "strides"
            if tensor_policy is not None:
                strides = _policy_strides(tensor_policy, sizes, strides)
            strides = None if strides is None else _checked_strides(strides, sizes)
            field = "flags"
            flags = _checked_flags(flags)
            field = "total_tensor_size_in_bytes"
            required = _required_bytes(data_type, sizes, strides)
            total = _checked_total(total_tensor_size_in_bytes, required)
            field = "guaranteed_base_offset_alignment"
            alignment = _checked_alignment(guaranteed_base_offset_alignment, data_type)
        except DirectMLError as error:
            raise error.within(field) from None
        own = self.__dict__
        own["data_type"] = data_type
        own["sizes_tuple"] = sizes
        own["flags"] = flags
        own["strides_tuple"] = strides
        own["total_tensor_size_in_bytes"] = total
        own["guaranteed_base_offset_alignment"] = alignment

    @property
    def sizes(self) -> list[int]:
        """The extent of each dimension, in elements."""
        return list(self.sizes_tuple)

    @property
    def strides(self) -> list[int] | None:
        """The distance between neighbours along each dimension, in elements; None if packed."""
        return None if self.strides_tuple is None else list(self.strides_tuple)

    @property
    def key(self) -> tuple[Any, ...]:
        """All that it says, as numbers, which hash and compare in a tenth of the time."""
        return (
            self.data_type.value,
            self.sizes_tuple,
            self.flags.value,
            self.strides_tuple,
            self.total_tensor_size_in_bytes,
            self.guaranteed_base_offset_alignment,
        )

    @property
    def element_count(self) -> int:
        """The product of the sizes."""
        return math.prod(self.sizes_tuple)

    @property
    def is_in_halves(self) -> bool:
        """Whether two elements share a byte, the first in its low half: INT4 and UINT4."""
        return self.data_type.bits == _HALF_A_BYTE

    @property
    def strides_in_memory(self) -> tuple[int, ...]:
        """The strides in elements, also where they are left to the default."""
        return (
            packed_strides(self.sizes_tuple) if self.strides_tuple is None else self.strides_tuple
        )

    def __hash__(self) -> int:
        return hash((self.sizes_tuple, self.strides_tuple, self.total_tensor_size_in_bytes))

    def __repr__(self) -> str:
        parts = [f"{self.data_type.name}", f"sizes={self.sizes}"]
        if self.strides_tuple is not None:
            parts.append(f"strides={self.strides}")
        if self.flags:
            parts.append(f"flags={self.flags.name}")
        required = _required_bytes(self.data_type, self.sizes_tuple, self.strides_tuple)
        if self.total_tensor_size_in_bytes != required:
            parts.append(f"total_tensor_size_in_bytes={self.total_tensor_size_in_bytes}")
        if self.guaranteed_base_offset_alignment:
            alignment = self.guaranteed_base_offset_alignment
            parts.append(f"guaranteed_base_offset_alignment={alignment}")
        return f"TensorDesc({', '.join(parts)})"


class DescribedTensor:
    """What NumPy's names say of a tensor that has a descriptor.

    Attributes
    ----------
    desc : TensorDesc
        What it is.
    """

    desc: TensorDesc

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self.desc.sizes_tuple

    @property
    def strides(self) -> tuple[int, ...] | None:
        """The strides in elements; None if packed."""
        return None if self.desc.strides is None else tuple(self.desc.strides)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The data type as NumPy's."""
        dtype: np.dtype[Any] = self.desc.data_type.dtype
        return dtype

    @property
    def size(self) -> int:
        """The element count."""
        return self.desc.element_count


class TensorPolicy:
    """How tensors lie in memory where nothing else is said: a choice of strides by sizes.

    Parameters
    ----------
    strides : callable
        From the sizes to strides in elements, or to None for packed.

    Raises
    ------
    DataTypeError
        `strides` cannot be called.

    Attributes
    ----------
    default : TensorPolicy
        Packed, the last dimension fastest.
    interleaved_channel : TensorPolicy
        The second dimension fastest, as in images of interleaved channels.

    Examples
    --------
    >>> TensorDesc(np.float32, [2, 3, 4, 5], tensor_policy=TensorPolicy.interleaved_channel).strides
    [60, 1, 15, 3]
    """

    default: ClassVar[TensorPolicy]
    interleaved_channel: ClassVar[TensorPolicy]

    def __init__(self, strides: Callable[[tuple[int, ...]], Sequence[int] | None]) -> None:
        if not callable(strides):
            raise DataTypeError(
                "needs a function from sizes to strides", given=shown(strides), field="strides"
            )
        self.strides = strides

    def __repr__(self) -> str:
        known = ("default", "interleaved_channel")
        names = [name for name in known if vars(TensorPolicy).get(name) is self]
        return f"TensorPolicy.{names[0]}" if names else f"TensorPolicy({shown(self.strides)})"


def _interleaved_strides(sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return strides in the order of dimensions 0, 2, 3, ..., 1."""
    if len(sizes) == 1:
        return None
    first, *spatial, channel = packed_strides((sizes[0], *sizes[2:], sizes[1]))
    return (first, channel, *spatial)


TensorPolicy.default = TensorPolicy(lambda _: None)
TensorPolicy.interleaved_channel = TensorPolicy(_interleaved_strides)


def _policy_strides(
    policy: TensorPolicy, sizes: tuple[int, ...], strides: Iterable[int] | None
) -> Sequence[int] | None:
    if not isinstance(policy, TensorPolicy):
        raise DataTypeError("needs a TensorPolicy", given=shown(policy)).within("tensor_policy")
    if strides is not None:
        raise DescriptorError("needs either strides or a tensor policy", given="both")
    return policy.strides(sizes)


def packed_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of a packed row-major tensor.

    Examples
    --------
    >>> packed_strides([1, 1, 3, 5])
    (15, 15, 5, 1)
    """
    return _packed_strides(tuple(sizes))


@functools.lru_cache(maxsize=_MOST_LAYOUTS)
def _packed_strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1] * len(sizes)
    for k in range(len(sizes) - 2, -1, -1):
        strides[k] = strides[k + 1] * sizes[k + 1]
    return tuple(strides)


def calc_buffer_tensor_size(
    data_type: DataTypeLike, sizes: Sequence[int], strides: Sequence[int] | None = None
) -> int:
    """Return the smallest total size, in bytes, that a tensor of these sizes and strides has.

    Parameters
    ----------
    data_type : TensorDataType or NumPy dtype
        4-bit types count half a byte an element.
    sizes, strides : sequence of int
        In elements; without strides the tensor is packed.

    Returns
    -------
    int
        The bytes from the first element to the end of the last one, rounded up to 4.

    Notes
    -----
    Exact for any sizes. The C++ helper of the same name adds strides up in 32 bits, which wrap.

    References
    ----------
    DirectML: helper functions page, DMLCalcBufferTensorSize.

    Examples
    --------
    >>> calc_buffer_tensor_size(np.float32, [2, 3], [5, 1])
    32
    """
    field = "sizes"
    try:
        sizes = _integers(sizes)
        field = "strides"
        if strides is not None:
            strides = _integers(strides)
            _check_stride_count(strides, sizes)
    except DirectMLError as error:
        raise error.within(field) from None
    return _required_bytes(as_data_type(data_type), sizes, strides)


@functools.lru_cache(maxsize=_MOST_LAYOUTS)
def _required_bytes(
    data_type: TensorDataType, sizes: tuple[int, ...], strides: tuple[int, ...] | None
) -> int:
    used = packed_strides(sizes) if strides is None else strides
    last = sum((size - 1) * stride for size, stride in zip(sizes, used, strict=True))
    size_bytes = ((last + 1) * data_type.bits + 7) // 8
    return (size_bytes + 3) // 4 * 4


_LISTS = (tuple, list)


def _integers(values: Iterable[int]) -> tuple[int, ...]:
    # Of the two commonest it is known; to ask what others are takes longer than all the rest.
    is_listed = type(values) in _LISTS
    if not is_listed and isinstance(values, Iterator):
        values = list(values)
    try:
        if is_listed or not isinstance(values, str | bytes):
            return tuple(map(operator.index, values))
    except TypeError:
        pass
    raise DataTypeError("needs a sequence of integers", given=shown(values))


def _integer(value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise DataTypeError("needs an integer", given=shown(value)) from None


def _checked_sizes(values: Iterable[int]) -> tuple[int, ...]:
    sizes = _integers(values)
    _check_sizes(sizes)
    return sizes


@functools.lru_cache(maxsize=_MOST_LAYOUTS)
def _check_sizes(sizes: tuple[int, ...]) -> None:
    if not 1 <= len(sizes) <= MAX_DIMENSION_COUNT:
        raise DescriptorError(
            f"needs 1 to {MAX_DIMENSION_COUNT} dimensions",
            given=f"{len(sizes)}",
            hint=None if sizes else "write a scalar as [1]",
        )
    for size in sizes:
        if not 1 <= size <= MAX_UINT32:
            raise DescriptorError(f"each size is from 1 to {MAX_UINT32}", given=shown(list(sizes)))
    count = math.prod(sizes)
    if count > MAX_UINT32:
        raise DescriptorError(
            f"a tensor has at most {MAX_UINT32} elements", given=f"{count} {list(sizes)}"
        )


def _check_stride_count(strides: Sequence[int], sizes: Sequence[int]) -> None:
    if len(strides) != len(sizes):
        raise DescriptorError(
            f"needs one stride per dimension ({len(sizes)})",
            given=f"{len(strides)} {shown(list(strides))}",
        )


def _checked_strides(values: Iterable[int], sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides = _integers(values)
    _check_stride_count(strides, sizes)
    if not all(0 <= stride <= MAX_UINT32 for stride in strides):
        raise DescriptorError(f"each stride is from 0 to {MAX_UINT32}", given=shown(list(strides)))
    return strides


def _checked_flags(flags: TensorFlags) -> TensorFlags:
    if flags is TensorFlags.NONE or flags is TensorFlags.OWNED_BY_DML:
        return flags
    if not isinstance(flags, int) or flags not in (0, 1):
        raise DescriptorError("needs TensorFlags.NONE or OWNED_BY_DML", given=shown(flags))
    return TensorFlags(flags)


def _checked_total(value: int | None, required: int) -> int:
    if value is None:
        return required
    total = _integer(value)
    if total < required:
        raise DescriptorError(f"needs at least {required} bytes", given=shown(total))
    return total


def _checked_alignment(value: int, data_type: TensorDataType) -> int:
    if value is _NO_PROMISE:
        return value
    alignment = _integer(value)
    smallest = max(data_type.item_bytes, 1)
    is_power_of_two = alignment > 0 and alignment & (alignment - 1) == 0
    if alignment != 0 and not (is_power_of_two and alignment >= smallest):
        raise DescriptorError(
            f"needs 0 or a power of two of at least {smallest}", given=shown(alignment)
        )
    return alignment
