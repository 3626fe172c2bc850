"""Random bits, from a state that is given and returned."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from indirectml.arithmetic import random
from indirectml.arithmetic.basics import Array
from indirectml.catalogue.enumerations import RandomGeneratorType
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import operator
from indirectml.graphs.outputs import RandomGeneratorOutputs

_STATE_WORDS = 6


def _state(desc: Any) -> Iterator[DirectMLError]:
    sizes = desc.input_state_tensor.sizes
    if sizes[-1] != _STATE_WORDS or any(size != 1 for size in sizes[:-1]):
        yield DescriptorError(
            "needs 6 elements in the last dimension: a counter of 4 words and a key of 2",
            given=f"{sizes}",
            field="input_state_tensor.sizes",
        )


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
    bits, after = random.random_bits(state, math.prod(output_sizes))
    return bits.reshape(output_sizes), after
