"""Elements as they lie elsewhere: numbers that are known, and INT4 and UINT4 in halves of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.words import word
from indirectml.core import tensor_buffers
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc


def _known_step(*, outputs: Sequence[Any], values: Array) -> _native.Step:
    """Return the native form of `known`."""
    return _native.known_step(values.tobytes(), outputs[0].place)


def _from_halves_step(
    raw: Any, *, outputs: Sequence[Any], strides: Sequence[int], is_signed: bool, **_: Any
) -> _native.Step | None:
    """Return the native form of `from_halves`."""
    (out,) = outputs
    if not out.element_count:
        return None
    return _native.from_halves_step(raw.place, strides, is_signed, out.place)


def _into_halves_step(
    raw: Any, x: Any, *, outputs: Sequence[Any], strides: Sequence[int]
) -> _native.Step | None:
    """Return the native form of `into_halves`."""
    if not x.element_count:
        return None
    return _native.into_halves_step(raw.place, x.place, strides, outputs[0].place)


@word(results=lambda values: [(values.shape, values.dtype)], native=_known_step, keeps_bits=True)
def known(values: Array) -> Array:
    """Return numbers that are known before anything runs."""
    return values


@word(
    "raw",
    native=_from_halves_step,
    results=lambda sizes, is_signed, **_: [(sizes, np.int8 if is_signed else np.uint8)],
    keeps_bits=True,
)
def from_halves(
    raw: Array, sizes: Sequence[int], strides: Sequence[int], *, is_signed: bool
) -> Array:
    """Return elements of four bits as INT8 or UINT8; of two in a byte the first is in the low half.

    Strides count elements.

    Examples
    --------
    >>> from_halves(np.array([0xE1, 7], np.uint8), [3], [1], is_signed=True)
    array([ 1, -2,  7], dtype=int8)
    """
    data_type = TensorDataType.INT4 if is_signed else TensorDataType.UINT4
    return tensor_buffers.from_halves(TensorDesc(data_type, sizes, strides=strides), raw)


@word(
    "raw",
    "x",
    results=lambda raw, **_: [(raw.shape, np.uint8)],
    native=_into_halves_step,
    keeps_bits=True,
)
def into_halves(raw: Array, x: Array, strides: Sequence[int]) -> Array:
    """Return bytes with integers as elements of four bits; what lies between them stays."""
    result = raw.copy()
    tensor_buffers.into_halves(
        TensorDesc(TensorDataType.UINT4, x.shape, strides=strides), result, x
    )
    return result
