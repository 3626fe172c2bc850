"""RANDOM_GENERATOR against Philox in unlimited integers, and the vectors of its authors."""

import numpy as np
import pytest

import indirectml as dml
from tests.operators.families import Trial, places, run_oracle
from tests.operators.oracle import assert_bits_equal, through_graph

ORACLES = {}
WORD = 2**32

#: Counter, key and result, each lowest word first: of Random123, kat_vectors, philox4x32 10.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip


def block(counter, key):
    """Return four words for a counter below 2^128 and a key below 2^64."""
    words = [counter >> 32 * k & WORD - 1 for k in range(4)]
    for number in range(10):
        keys = (
            (key % WORD + number * 0x9E3779B9) % WORD,
            (key // WORD + number * 0xBB67AE85) % WORD,
        )
        first, second = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [
            second // WORD ^ words[1] ^ keys[0],
            second % WORD,
            first // WORD ^ words[3] ^ keys[1],
            first % WORD,
        ]
    return words


def number_of(words):
    return sum(int(word) << 32 * k for k, word in enumerate(words))


def random_bits(place):
    """Yield trials with counts that four divides and that it does not, and counters that carry."""
    sizes = place.sizes
    for count in (sizes[-1], 1):

        def apply(state, sizes=(*sizes[:-1], count)):
            words = state.ravel()
            counter, key = number_of(words[:4]), number_of(words[4:])
            elements = int(np.prod(sizes))
            blocks = -(-elements // 4)
            numbers = [n for k in range(blocks) for n in block((counter + k) % 2**128, key)]
            after = (counter + blocks) % 2**128
            new = [after >> 32 * k & WORD - 1 for k in range(4)] + [int(w) for w in words[4:]]
            return [
                np.array(numbers[:elements], np.uint32).reshape(sizes),
                np.array(new, np.uint32).reshape(state.shape),
            ]

        state = [1] * (place.rank - 1) + [6]
        desc = place.desc(
            input_state_tensor=place.output(state),
            output_tensor=place.output((*sizes[:-1], count)),
            output_state_tensor=place.output(state),
            type=dml.RandomGeneratorType.PHILOX_4X32_10,
        )
        yield Trial(desc, apply, [np.array([0, 1, WORD - 1, WORD - 2], np.uint32)])
        yield Trial(desc, apply, [np.array([WORD - 1], np.uint32)])


ORACLES["RANDOM_GENERATOR"] = random_bits


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers(counter, key, expected):
    counter, key, expected = (
        np.array([int(word, 16) for word in text.split()], np.uint32)
        for text in (counter, key, expected)
    )
    state = np.concatenate([counter, key])

    actual, _ = through_graph(lambda s: list(dml.random_generator(s, output_sizes=[4])), state)

    assert_bits_equal(actual=actual, expected=expected)
    assert block(number_of(counter), number_of(key)) == expected.tolist()
