"""Products with matrices of weights that stay as small as they are stored: 4 or 8 bits a number.

A weight is (number - zero point) * scale, with a scale and a zero point for each block of so many
k and columns, as `dequantize` has it: rounded to FLOAT32, and of FLOAT16 scales to FLOAT16
besides. Products are those of `contract` with the weights, to the bit.

Numbers are stored in words: 32 bits hold 8 or 4 numbers of a column that follow each other along k,
the first in the lowest bits; signed ones plus half their range. Columns come in panels of 16. The
same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.arithmetic.contraction import PANEL, InPanels, contract
from indirectml.arithmetic.quantization import dequantize, spread
from indirectml.arithmetic.words import word
from indirectml.core.data_types import TensorDataType

Array = np.ndarray[Any, Any]

_WORD_BITS = 32


@dataclass(frozen=True)
class Stored:
    """Numbers of 4 or 8 bits in words.

    Attributes
    ----------
    words : numpy.ndarray
        UINT32, of sizes (ceil(columns / 16), ceil(depth / (32 / bits)), 16), zeros beyond the last
        number.
    shape : tuple of int
        (depth, columns) of the matrix that was stored.
    data_type : TensorDataType
        INT4, UINT4, INT8 or UINT8.
    is_transposed : bool
        Whether this stands for the transposed matrix, which products do not take.
    """

    words: Array
    shape: tuple[int, int]
    data_type: TensorDataType
    is_transposed: bool = False

    @property
    def ndim(self) -> int:
        """How many dimensions the matrix has."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """INT8 or UINT8: what `unpacked` returns."""
        return np.dtype(np.int8 if self.data_type.signed else np.uint8)

    def unpacked(self) -> Array:
        """Return the numbers, in memory of its own."""
        bits = self.data_type.bits
        shifts = np.arange(0, _WORD_BITS, bits, dtype=np.uint32)
        numbers = (self.words[:, :, None, :] >> shifts[:, None]) & np.uint32((1 << bits) - 1)
        rows = np.moveaxis(numbers.astype(np.uint8), 0, 2)  # word, number in it, panel, column
        depth, columns = self.shape
        found = rows.reshape(-1, self.words.shape[0] * PANEL)[:depth, :columns]
        if self.data_type.signed:
            half = np.uint8(1 << (bits - 1))
            found = (found - half).view(np.int8)
        return np.ascontiguousarray(found.T if self.is_transposed else found)


def stored_sizes(depth: int, columns: int, bits: int) -> tuple[int, int, int]:
    """Return the sizes of the words of a matrix of sizes (depth, columns)."""
    return (-(-columns // PANEL), -(-depth // (_WORD_BITS // bits)), PANEL)


def store(
    numbers: Array,
    data_type: TensorDataType,
    out: Array | None = None,
    *,
    is_transposed: bool = False,
    sizes: tuple[int, int] | None = None,
) -> Stored:
    """Return a matrix of integers in words.

    Parameters
    ----------
    numbers : numpy.ndarray
        INT8 or UINT8, of sizes (depth, columns), any strides; within the range of `data_type`.
    data_type : TensorDataType
        INT4, UINT4, INT8 or UINT8, signed as `numbers` are.
    out : numpy.ndarray, optional
        UINT32, of `stored_sizes`, without gaps: what is written.
    is_transposed : bool
        Whether `numbers` are the transposed matrix.
    sizes : tuple of int, optional
        Those of `numbers`, if these are the bytes of INT4 or UINT4, two in each.

    Examples
    --------
    >>> found = store(np.int8([[-8], [7]]), TensorDataType.INT4)
    >>> hex(found.words[0, 0, 0]), found.unpacked().tolist()
    ('0xf0', [[-8], [7]])
    """
    rows, columns = numbers.shape if sizes is None else sizes
    shape = (columns, rows) if is_transposed else (rows, columns)
    words = np.empty(stored_sizes(*shape, data_type.bits), np.uint32) if out is None else out
    _native.store_weights(numbers, data_type.bits, data_type.signed, sizes, is_transposed, words)
    return Stored(words, shape, data_type)


def takes_scales(sizes: Sequence[int], scales: Sequence[int]) -> bool:
    """Return whether products take scales of such sizes for a matrix of sizes (depth, columns).

    They are for blocks of any k; along the columns for each, for whole panels, or for all.
    """
    if any(size % count for size, count in zip(sizes, scales, strict=True)):
        return False
    width = sizes[1] // scales[1]
    return width == 1 or scales[1] == 1 or width % PANEL == 0


def _stored_product_step(
    a: Any, numbers: Any, scale: Any, zero_point: Any, *, outputs: Sequence[Any]
) -> _native.Step | None:
    """Return the native form of `contract_stored`."""
    if numbers.panels is None or math.prod(outputs[0].sizes[:-2]) != 1:
        return None
    data_type = numbers.panels.data_type
    zero = 1 << (data_type.bits - 1) if data_type.signed else 0
    zeros = zero_point and zero_point.place
    block = numbers.panels.sizes[0] // scale.sizes[-2]
    places = a.place, numbers.place, scale.place, zeros
    return _native.StoredProductStep(*places, zero, data_type.bits, block, outputs[0].place)


@word(
    "a",
    "numbers",
    "scale",
    "zero_point",
    results=lambda a, numbers, **_: [((*a.shape[:-1], numbers.shape[-1]), np.float32)],
    native=_stored_product_step,
    takes_halves=True,
)
def contract_stored(a: Array, numbers: Any, scale: Any, zero_point: Any = None) -> Array:
    """Return the product of matrices whose right side is stored as integers with scales.

    Parameters
    ----------
    a : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (..., rows, depth), any strides.
    numbers : Stored or numpy.ndarray
        Of sizes (depth or more, columns): the first ones count.
    scale : InPanels or numpy.ndarray
        FLOAT32 or FLOAT16, of sizes that divide those of numbers: each is for a block of these.
    zero_point : Stored, numpy.ndarray or None
        Integers of the sizes of `scale`; without them 0.

    Notes
    -----
    That of `contract` with (numbers - zero_point) * scale, each rounded to the data type of the
    scale.

    Examples
    --------
    >>> numbers, scale = np.int8([[1, 2], [3, -4]]), np.float32([[0.5, 2]])
    >>> contract_stored(np.float32([[1, 1]]), numbers, scale)
    array([[ 2., -4.]], dtype=float32)
    """
    numbers, scale, zero = (_plain(each) for each in (numbers, scale, zero_point))
    zero = 0 if zero is None else spread(zero, numbers.shape)
    weights = dequantize(numbers, spread(scale.astype(np.float32), numbers.shape), zero)
    with np.errstate(all="ignore"):
        return contract(a, weights.astype(scale.dtype)[: a.shape[-1]])


def _plain(x: Any) -> Any:
    return x.unpacked() if isinstance(x, Stored | InPanels) else x
