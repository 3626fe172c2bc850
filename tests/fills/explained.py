"""Random small float formats: what is said of a sequence, against a look at every element.

    python -m tests.fills.explained --cases 1000000 --seed 1

Formats of 4 to 16 bits have the same rules as DirectML's, and so few values that borders, ties,
infinities and equal distances come up all the time. Elements are computed here with integers
alone: every finite value is a whole number of the smallest one, the unit.
"""

import argparse
import math
import random
from dataclasses import dataclass
from fractions import Fraction

from indirectml.fills.explaining import explain_rules
from indirectml.fills.sequences import RULES, Sequence


@dataclass(frozen=True)
class SmallFloat:
    """A float format: what a sequence asks of its data type, and its values as integers."""

    bits: int
    precision: int
    is_float = True
    signed = True

    @property
    def sign_bit(self):
        return 1 << (self.bits - 1)

    @property
    def infinities(self):
        infinity = ((1 << (self.bits - self.precision)) - 1) << (self.precision - 1)
        return infinity, infinity | self.sign_bit

    @property
    def nan(self):
        return self.infinities[0] | 1 << (self.precision - 2)

    @property
    def unit(self):
        return Fraction(2) ** (3 - (1 << (self.bits - self.precision - 1)) - self.precision)

    def value(self, bits):
        """Return the value in units; infinities and NaNs as floats."""
        magnitude = bits % self.sign_bit
        if magnitude >= self.infinities[0]:
            found = math.inf if magnitude == self.infinities[0] else math.nan
        else:
            hidden = 1 << (self.precision - 1)
            exponent, fraction = divmod(magnitude, hidden)
            found = (fraction + hidden) << (exponent - 1) if exponent else fraction
        return -found if bits >= self.sign_bit else found

    def rounded(self, units):
        """Return the bits of the nearest value, ties to even, of a number other than zero."""
        magnitude = abs(units)
        exponent = max(magnitude.bit_length() - self.precision, 0)
        significand, rest = divmod(magnitude, 1 << exponent)
        half = (1 << exponent) >> 1
        significand += rest > half or (exponent > 0 and rest == half and significand % 2 == 1)
        bits = min((exponent << (self.precision - 1)) + significand, self.infinities[0])
        return bits | self.sign_bit if units < 0 else bits

    def sum(self, start, index, delta):
        """Return the bits of start + index * delta, rounded once, by the rules of IEEE 754."""
        x, step = self.value(start), self.value(delta)
        if not (is_finite(x) and is_finite(step)):
            # No finite number has a say beside an infinity, except zero as its factor.
            factor = math.nan if index == 0 and not is_finite(step) else step
            found = sum(number for number in (x, factor) if not is_finite(number))
            return self.nan if math.isnan(found) else self.infinities[found < 0]
        product = index * step
        if x + product:
            return self.rounded(x + product)
        return self.sign_bit if x == 0 and start & delta & self.sign_bit else 0


INFINITE = (math.inf, -math.inf)


def is_finite(value):
    """Return whether a value is one in units; the others are floats."""
    return isinstance(value, int)


def is_nan(value):
    return not is_finite(value) and math.isnan(value)


def elements(format_, rule, start, delta, count):
    """Return the bits of all elements."""
    if rule == "multiply":
        return [format_.sum(start, index, delta) for index in range(count)]
    found = [start]
    while len(found) < count:
        found.append(format_.sum(found[-1], 1, delta))
    return found


def expected_of_rule(format_, rule, start, delta, bits):
    """Return what one rule does, by looking at all its elements."""
    x, step = format_.value(start), format_.value(delta)
    has_line = is_finite(x) and is_finite(step)
    values = [format_.value(b) for b in bits]
    count = len(bits)
    repeated = [i for i in range(1, count) if bits[i] == bits[i - 1]]
    found = {
        "infinite_at": first(value in INFINITE for value in values),
        "nan_at": first(map(is_nan, values)),
        "repeated_count": len(repeated),
        "first_repeated": repeated[0] if repeated else None,
        "last_bits": bits[-1],
        "last_exact": None,
        "largest_error": None,
        "absorbed_at": None,
        "is_complete": True,
    }
    if has_line:
        line = [x + i * step for i in range(count)]
        off = first(v != e for v, e in zip(values, line, strict=True))
        found["last_exact"] = count - 1 if off is None else off - 1 if off else None
        errors = [distance(v, e) for v, e in zip(values, line, strict=True)]
        found["largest_error"] = farthest(errors, format_.unit)
    # What is repeated under `accumulate` is repeated for ever. Under `multiply` that is so from
    # element 1 on where nothing moves, and where the elements are infinite.
    if rule == "accumulate":
        found["absorbed_at"] = repeated[0] - 1 if repeated else None
    elif step == 0 or not has_line or values[-1] in INFINITE:
        same = next(i for i in range(count) if len(set(bits[i:])) == 1)
        found["absorbed_at"] = same if same < count - 1 else None
    return found


def expected_of_both(format_, a, b):
    """Return where two rows of elements part, and how far apart they get."""
    apart, ulp = [], []
    for x, y in zip(a, b, strict=True):
        values = format_.value(x), format_.value(y)
        is_known = not any(map(is_nan, values))
        ulp.append(abs(ordered(format_, x) - ordered(format_, y)) if is_known else 0)
        apart.append(distance(*values) if is_known else 0)
    parted = first(x != y for x, y in zip(a, b, strict=True))
    return parted, farthest(ulp, 1), farthest(apart, format_.unit)


def ordered(format_, bits):
    return format_.sign_bit - bits if bits >= format_.sign_bit else bits


def distance(x, y):
    """Return how far two numbers are apart, infinite if one is."""
    return 0 if x == y else abs(x - y) if is_finite(x) and is_finite(y) else math.inf


def first(flags):
    return next((i for i, flag in enumerate(flags) if flag), None)


def farthest(distances, unit):
    """Return the first index of the largest distance, and that; (0, 0) if there is none."""
    largest = max(distances)
    index = distances.index(largest)
    return index, largest * unit if is_finite(largest) else largest


def found_distance(distance):
    return None if distance is None else (distance.index, distance.value)


def check(format_, start, delta, count):
    """Fail with the operands if anything is said that is not so."""
    case = f"{format_}, start 0x{start:X}, delta 0x{delta:X}, count {count}"
    sequences = {rule: Sequence.of_bits(format_, rule, start, delta) for rule in RULES}
    found = explain_rules(sequences, count)
    rows = {rule: elements(format_, rule, start, delta, count) for rule in RULES}
    for rule, facts in found.rules.items():
        expected = expected_of_rule(format_, rule, start, delta, rows[rule])
        said = {name: getattr(facts, name) for name in expected}
        said["largest_error"] = found_distance(facts.largest_error)
        assert said == expected, f"{case}, {rule}"
        check_segments(format_, sequences[rule].segments(count), rows[rule], f"{case}, {rule}")
        check_membership(format_, sequences[rule], rows[rule], f"{case}, {rule}")
    apart = [found_distance(d) for d in (found.largest_ulp, found.largest_difference)]
    assert (found.part_at, *apart) == expected_of_both(format_, *rows.values()), case


def check_segments(format_, segments, row, case):
    """Fail unless the table of segments says what the elements are."""
    told = []
    for segment in segments:
        assert segment.first_index == len(told), case
        for j in range(segment.count):
            position = segment.first_bits + j * segment.bits_per_step
            told.append(round(position) % (1 << format_.bits))
    assert told == row, case


def check_membership(format_, sequence, row, case):
    """Fail unless every element is found in its sequence, and nothing between two is."""
    values = [format_.value(bits) for bits in row[-4:]]
    for value in filter(is_finite, values):
        assert value * format_.unit in sequence, case
        assert (value + Fraction(1, 3)) * format_.unit not in sequence, case
    assert float("nan") not in sequence, case  # noqa: PLW0177 (just that)
    for infinity in INFINITE:
        assert (infinity in sequence) >= (infinity in values), case


def random_case(source):
    """Return a format, operands of related magnitudes, and a count."""
    bits = source.randint(4, 16) if source.random() < 0.5 else source.randint(4, 9)
    format_ = SmallFloat(bits, source.randint(max(2, bits - 8), bits - 2))
    start = source.getrandbits(bits)
    near = start ^ source.getrandbits(source.randint(1, bits))
    # A few spacings of the start and halves of them: whole lines of ties.
    exponent = max((start % format_.sign_bit >> (format_.precision - 1)) - 1, 0)
    spacings = format_.rounded(max(source.randint(1, 9) << exponent >> source.randint(0, 3), 1))
    delta = source.choice((source.getrandbits(bits), near, spacings))
    delta ^= format_.sign_bit if source.random() < 0.5 else 0
    return format_, start, delta, source.randint(1, source.choice((8, 40, 40, 300)))


def main():
    """Check as many random cases as are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)  # noqa: S311 (operands, no secrets)
    for _ in range(options.cases):
        check(*random_case(source))
    print(f"{options.cases} cases of seed {options.seed}: no difference")  # noqa: T201 (a program)


if __name__ == "__main__":
    main()
