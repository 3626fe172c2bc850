"""Random bits, from a state that is given and returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import RandomGeneratorType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator
from indirectml.graphs.outputs import RandomGeneratorOutputs

#: Of Philox 4x32: factors of both halves, and what is added to both words of the key each round.
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_WORD = 0xFFFFFFFF
_STATE_WORDS = 6


def _state(desc: Any) -> Iterator[DirectMLError]:
    sizes = desc.input_state_tensor.sizes
    if sizes[-1] != _STATE_WORDS or any(size != 1 for size in sizes[:-1]):
        yield DescriptorError(
            "needs 6 elements in the last dimension: a counter of 4 words and a key of 2",
            given=f"{sizes}",
            field="input_state_tensor.sizes",
        )


def _philox(counters: Sequence[Array], key: tuple[int, int]) -> list[Array]:
    """Return four words for each counter, which is four words."""
    a, b, c, d = (word.astype(np.uint64) for word in counters)
    first, second = key
    for _ in range(_ROUNDS):
        left, right = a * np.uint64(_FACTORS[0]), c * np.uint64(_FACTORS[1])
        a = (right >> np.uint64(32)) ^ b ^ np.uint64(first)
        c = (left >> np.uint64(32)) ^ d ^ np.uint64(second)
        b, d = right & np.uint64(_WORD), left & np.uint64(_WORD)
        first, second = (first + _STEPS[0]) & _WORD, (second + _STEPS[1]) & _WORD
    return [a, b, c, d]


@operator(
    "RANDOM_GENERATOR",
    "random_generator",
    check=_state,
    keeps_bits=True,
    outputs=RandomGeneratorOutputs,
    sizes_given="output_sizes",
    order=("input_state_tensor", "output_sizes", "output_state_tensor"),
    defaults={"type": RandomGeneratorType.PHILOX_4X32_10, "output_state_tensor": True},
)
def random_bits(state: Array, *, output_sizes: tuple[int, ...]) -> tuple[Array, Array]:
    """Output = uniformly distributed bits; OutputState = the state after them.

    Philox 4x32-10 (Salmon and others, 2011). The state is a counter of four words, the lowest
    first, and a key of two. Elements 4 i to 4 i + 3, in row-major order, are the four words of the
    counter plus i; the new counter is the old one plus ceil(elements / 4), modulo 2^128.

    The page errs: the new counter of its example is not the old one plus the 324,855 that it says;
    the sentence decides.

    The page is silent: which word of the counter is the lowest, and the order of elements;
    Random123, the library of those who wrote the paper it links, decides: the first word is.

    Example: type=PHILOX_4X32_10; uint32 [[0, 0, 0, 0, 0, 0]]
        -> uint32 [[0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]], [[1, 0, 0, 0, 0, 0]]
    """
    words = [int(word) for word in state.reshape(-1)]
    counter = sum(word << 32 * k for k, word in enumerate(words[:4]))
    count = int(np.prod(output_sizes, dtype=np.int64))
    blocks = -(-count // 4)
    numbers = _counters(counter, blocks)
    out = np.stack(_philox(numbers, (words[4], words[5])), -1).astype(np.uint32)
    after = (counter + blocks) % (1 << 128)
    new = [after >> 32 * k & _WORD for k in range(4)] + words[4:]
    return (
        out.reshape(-1)[:count].reshape(output_sizes),
        np.array(new, np.uint32).reshape(state.shape),
    )


def _counters(first: int, count: int) -> list[Array]:
    """Return the words of as many counters, from the lowest word on; they carry."""
    low = np.arange(count, dtype=np.uint64)
    words = []
    for k in range(4):
        low = low + np.uint64(first >> 32 * k & _WORD)
        words.append(low & np.uint64(_WORD))
        low = low >> np.uint64(32)
    return words
