"""Inputs that nobody gave: random numbers of a seed, the same on every machine; and digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.core.tensor_buffers import Bytes, elements_of
from indirectml.core.tensors import TensorDesc
from indirectml.models.problems import printable

#: Made at a time.
_PIECE_ELEMENTS = 1 << 20


def made_up(name: str, tensor: TensorDesc, seed: int) -> Bytes:
    """Return the bytes of a tensor of random elements, with zeros between them.

    Notes
    -----
    Element i is made of word i of PCG64, seeded with the seed and the bytes of the name in UTF-8.
    A float is k / 2^23, where k is the signed integer of the word's upper 24 bits: from -1 to below
    1. In FLOAT16 it is k / 2^10, with 11 bits. An integer is the word's first bit, 0 or 1, which is
    in range for whatever the model takes it for: an index, a size, a condition.

    Examples
    --------
    >>> made_up("x", TensorDesc(TensorDataType.FLOAT16, [3]), seed=0)[:6].view(np.float16)
    array([-0.9824, -0.288 ,  0.798 ], dtype=float16)
    """
    generator = np.random.PCG64([seed, *name.encode("utf-8", "surrogatepass")])
    raw = np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)
    if tensor.is_in_halves:  # both elements of a byte are 0 or 1
        raw[...] = (generator.random_raw(raw.size) >> np.uint64(56)) & np.uint64(0x11)
        return raw
    elements = elements_of(tensor, raw)
    for first in range(0, elements.size, _PIECE_ELEMENTS):
        count = min(_PIECE_ELEMENTS, elements.size - first)
        elements.flat[first : first + count] = _numbers(
            generator.random_raw(count), tensor.data_type
        )
    return raw


def _numbers(words: np.ndarray[Any, Any], data_type: TensorDataType) -> np.ndarray[Any, Any]:
    if not data_type.is_float:
        return words >> np.uint64(63)
    precision = 11 if data_type is TensorDataType.FLOAT16 else 24
    signed = words.view(np.int64) >> np.int64(64 - precision)
    return signed / np.float64(1 << (precision - 1))


def random_text(names: Iterable[str], seed: int) -> str:
    """Return what is told of inputs that are made up."""
    return f"are random numbers of seed {seed}: {', '.join(map(printable, names))}"


def digest_line(name: str, values: np.ndarray[Any, Any], data_type: TensorDataType) -> str:
    """Return what is told of an output instead of its elements: the same bits, the same line."""
    return (
        f"Resource '{printable(name)}': {data_type.name} {list(values.shape)}, "
        f"SHA-256 {digest(values)}\n"
    )


def digest(values: np.ndarray[Any, Any]) -> str:
    """Return the SHA-256 of elements in row-major order."""
    raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    return hashlib.sha256(raw.data).hexdigest()
