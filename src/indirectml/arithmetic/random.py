"""Random bits: Philox 4x32 of ten rounds, whose state is given and returned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.words import word

#: Factors of both halves, and what is added to both words of the key each round.
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_MASK = 0xFFFFFFFF


@word(
    "state",
    results=lambda state, count: [((count,), np.uint32), (state.shape, np.uint32)],
    keeps_bits=True,
)
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
    words = [int(n) for n in state.reshape(-1)]
    counter = sum(n << 32 * k for k, n in enumerate(words[:4]))
    blocks = -(-count // 4)
    numbers = _counters(counter, blocks)
    bits = np.stack(_philox(numbers, (words[4], words[5])), -1).astype(np.uint32)
    after = (counter + blocks) % (1 << 128)
    new = [after >> 32 * k & _MASK for k in range(4)] + words[4:]
    return bits.reshape(-1)[:count], np.array(new, np.uint32).reshape(state.shape)


def _philox(counters: Sequence[Array], key: tuple[int, int]) -> list[Array]:
    """Return four words for each counter, which is four words."""
    a, b, c, d = (part.astype(np.uint64) for part in counters)
    first, second = key
    for _ in range(_ROUNDS):
        left, right = a * np.uint64(_FACTORS[0]), c * np.uint64(_FACTORS[1])
        a = (right >> np.uint64(32)) ^ b ^ np.uint64(first)
        c = (left >> np.uint64(32)) ^ d ^ np.uint64(second)
        b, d = right & np.uint64(_MASK), left & np.uint64(_MASK)
        first, second = (first + _STEPS[0]) & _MASK, (second + _STEPS[1]) & _MASK
    return [a, b, c, d]


def _counters(first: int, count: int) -> list[Array]:
    """Return the words of as many counters, from the lowest word on; they carry."""
    low = np.arange(count, dtype=np.uint64)
    words = []
    for k in range(4):
        low = low + np.uint64(first >> 32 * k & _MASK)
        words.append(low & np.uint64(_MASK))
        low = low >> np.uint64(32)
    return words
