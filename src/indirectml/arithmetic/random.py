"""Random bits: Philox 4x32 of ten rounds, whose state is given and returned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indirectml.arithmetic.basics import Array, coordinates

#: Factors of both halves, and what is added to both words of the key each round.
_FACTORS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_MASK, _BITS = np.uint64(0xFFFFFFFF), np.uint64(32)


def random_bits(state: Array, count: int) -> tuple[Array, Array]:
    """Return uniformly distributed bits, UINT32, and the state after them.

    Parameters
    ----------
    state : array of UINT32
        Six words: a counter of four, the lowest first, and a key of two.
    count : int
        How many words are wanted.

    Notes
    -----
    Philox 4x32-10 (Salmon and others, 2011). Words 4 i to 4 i + 3 are those of the counter plus i;
    the new counter is the old one plus ceil(count / 4), modulo 2^128.

    Examples
    --------
    >>> bits, after = random_bits(np.zeros(6, np.uint32), 4)
    >>> [hex(n) for n in bits.tolist()], after.tolist()
    (['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8'], [1, 0, 0, 0, 0, 0])
    """
    words = state.reshape(-1).astype(np.uint64)
    blocks = -(-count // 4)
    numbers = coordinates((blocks,), 0, words) + words[:1].astype(np.int64)
    counters = _carried(words, numbers.astype(np.uint64))
    keys = [np.broadcast_to(words[k : k + 1], (blocks,)) for k in (4, 5)]
    bits = [part.astype(np.uint32) for part in _philox(counters, keys)]
    after = _carried(words, words[:1] + np.uint64(blocks))
    new = np.concatenate([*after, words[4:]]).astype(np.uint32)
    return np.stack(bits, -1).reshape(-1)[:count], new.reshape(state.shape)


def _philox(counters: Sequence[Array], key: Sequence[Array]) -> list[Array]:
    """Return four words for each counter, which is four words."""
    a, b, c, d = counters
    first, second = key
    for _ in range(_ROUNDS):
        left, right = a * _FACTORS[0], c * _FACTORS[1]
        a = (right >> _BITS) ^ b ^ first
        c = (left >> _BITS) ^ d ^ second
        b, d = right & _MASK, left & _MASK
        first, second = (
            (first + np.uint64(_STEPS[0])) & _MASK,
            (second + np.uint64(_STEPS[1])) & _MASK,
        )
    return [a, b, c, d]


def _carried(words: Array, lowest: Array) -> list[Array]:
    """Return the words of counters, of which the lowest may be too large: what is, is carried."""
    found = [lowest]
    for k in range(1, 4):
        found.append((found[-1] >> _BITS) + words[k : k + 1])
        found[-2] = found[-2] & _MASK
    return [*found[:-1], found[-1] & _MASK]
