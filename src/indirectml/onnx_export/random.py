"""ONNX form of the random generator: Philox in integers of 64 bits."""

from __future__ import annotations

from indirectml.onnx_export.building import INT64, Builder, Value
from indirectml.onnx_export.forms import Node, form

_WORD, _HALF = 1 << 32, 1 << 16
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10


def _product(b: Builder, x: Value, factor: int) -> tuple[Value, Value]:
    """Return the upper and the lower word of a product, by halves of x, so that nothing wraps."""
    high, low = b.add("Div", x, _HALF), b.add("Mod", x, _HALF)
    below = b.add("Mul", low, factor)
    above = b.add("Add", b.add("Mul", high, factor), b.add("Div", below, _HALF))
    upper = b.add("Div", above, _HALF)
    lower = b.add("Mul", b.add("Mod", above, _HALF), _HALF)
    return upper, b.add("Add", lower, b.add("Mod", below, _HALF))


def _xor(b: Builder, *values: Value) -> Value:
    first, *others = values
    for other in others:
        first = b.add("BitwiseXor", first, other)
    return first


@form("RANDOM_GENERATOR")
def random_bits(node: Node, state: Value) -> tuple[Value, Value]:
    """Div, Mod, Mul and BitwiseXor of INT64, ten rounds of them, all bits the same."""
    b, count = node.b, 1
    for size in node.sizes:
        count *= size
    blocks = -(-count // 4)
    flat = b.reshape(b.cast(state, INT64), [6])
    counter = [b.slice(flat, [k], [k + 1]) for k in range(4)]
    keys = [b.slice(flat, [k], [k + 1]) for k in (4, 5)]
    words = _moved(b, counter, b.integers(range(blocks)))
    for _ in range(_ROUNDS):
        (first_high, first_low), (second_high, second_low) = (
            _product(b, words[k], factor) for k, factor in zip((0, 2), _MULTIPLIERS, strict=True)
        )
        words = [
            _xor(b, second_high, words[1], keys[0]),
            second_low,
            _xor(b, first_high, words[3], keys[1]),
            first_low,
        ]
        keys = [
            b.add("Mod", b.add("Add", key, step), _WORD)
            for key, step in zip(keys, _KEY_STEPS, strict=True)
        ]
    rows = b.concat([b.reshape(b.expand(w, [blocks]), [blocks, 1]) for w in words], 1)
    numbers = b.slice(b.reshape(rows, [4 * blocks]), [0], [count])
    after = _moved(b, counter, b.integers([blocks]))
    tail = b.slice(flat, [4], [6])
    return b.reshape(numbers, node.sizes), b.concat([*after, tail], 0)


def _moved(b: Builder, counter: list[Value], steps: Value) -> list[Value]:
    """Return a counter of four words, the lowest first, so many steps further."""
    found, carry = [], steps
    for word in counter:
        total = b.add("Add", word, carry)
        found.append(b.add("Mod", total, _WORD))
        carry = b.add("Div", total, _WORD)
    return found
