"""Golden vectors: the bits that both fills write, as JSON for any language.

    python -m tests.make_vectors            writes tests/vectors/*.json anew
    python -m tests.make_vectors --check    says which of them differ from what would be written

Every expected bit comes from tests/reference.py, which uses nothing of this package.
"""

import argparse
import itertools
import json
import math
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests import reference
from tests.reference import DTYPES, INDEX_END, bits_of, number

FOLDER = Path(__file__).parent / "vectors"
FORMAT = "indirectml-golden-vectors/1"
RULES = ("accumulate", "multiply")
#: Elements of every part.
COUNT = 10
SEED = 1

SOURCES = {
    "FILL_VALUE_CONSTANT": "DirectML, DML_FILL_VALUE_CONSTANT_OPERATOR_DESC",
    "accumulate": "DirectML, DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC as published in 2020 and 2021; "
    "IEEE 754-2019 section 5.4.1, addition",
    "multiply": "DirectML, DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC as published since April 2024; "
    "IEEE 754-2019 section 5.4.1, fusedMultiplyAdd",
    "numbers": "DirectML, DML_SCALAR_UNION; IEEE 754-2019 section 4.3.1; docs/sequences.md",
}
ROUNDING = {
    "f": "Rounding is to the data type, to nearest, ties to even; subnormals are kept, overflow "
    "gives infinity. A NaN that an operation gives is positive and quiet with payload zero. ",
    "i": "Integers wrap modulo 2^bits; patterns are two's complement. ",
}
DEFINITIONS = {
    "FILL_VALUE_CONSTANT": "Every element has the bits of value.",
    "accumulate": "s(0) = start, with all its bits; s(i) = round(s(i-1) + delta).",
    "multiply": "s(i) = round(start + i * delta), rounded once from the exact value; i is exact.",
    "numbers": "A number becomes the bits of the data type once: integers have to fit, a delta of "
    "an unsigned type may be negative as long as its magnitude fits, floats are rounded to "
    "nearest, ties to even. Refused, with null for the bits: what does not fit, a finite number "
    "that would become infinite, a fraction or NaN or infinity for an integer type.",
}
BITS = "a bit pattern of the data type in hexadecimal, 2 digits a byte, highest byte first"
RUNS = {
    "runs": "parts of what is written; there is no last element",
    "runs.first": "the number of a part's first element, in decimal digits (it may exceed 2^53)",
    "runs.elements": f"its elements, one after the other, each {BITS}",
}
FIELDS = {
    "FILL_VALUE_CONSTANT": {"name": "what is special", "value": BITS, **RUNS},
    "FILL_VALUE_SEQUENCE": {"name": "what is special", "start": BITS, "delta": BITS, **RUNS},
    "numbers": {
        "role": "value: the value of a constant or the start of a sequence; delta: its delta",
        "number": "a decimal integer, a hexadecimal float as in C (0x1.8p-1), inf or nan; exact",
        "bits": f"{BITS}; null if the number is refused",
    },
}


class Case(NamedTuple):
    """Two operands, and the numbers of elements from which on vectors hold ten."""

    name: str
    start: np.generic
    delta: np.generic
    accumulate: tuple[int, ...] = (0,)
    multiply: tuple[int, ...] = (0,)


# ---- Operands -----------------------------------------------------------------------------------


class Float:
    """Where something happens in a float format."""

    def __init__(self, dtype):
        info = np.finfo(dtype)
        self.dtype, self.width, self.precision = dtype, info.bits, info.nmant + 1
        self.hidden = 1 << info.nmant
        self.infinity = ((1 << (info.bits - self.precision)) - 1) << info.nmant
        self.one = bits_of(dtype.type(1))

    def pattern(self, magnitude, *, negative=False):
        """Return the float of a magnitude's bits."""
        return number(magnitude | int(negative) << (self.width - 1), self.dtype)

    def of(self, value):
        """Return the float nearest to a number."""
        return self.dtype.type(value)

    def spacings(self, count, exponent=0):
        """Return so many spacings of the binade [2^exponent, 2^(exponent + 1))."""
        return self.of(math.ldexp(count, exponent + 1 - self.precision))


def special_values(f):
    """Yield pairs of zeros, infinities and NaNs."""
    zero, one, inf = f.pattern(0), f.of(1), f.pattern(f.infinity)
    minus = {x: f.pattern(bits_of(x), negative=True) for x in (zero, one, inf)}
    for a, b in itertools.product((zero, minus[zero]), repeat=2):
        yield Case("zeros of two signs", a, b)
    yield Case("an exact zero is positive", one, minus[one])
    yield Case("an exact zero is positive, from below", minus[one], one)
    for a, b in itertools.product((zero, one, inf, minus[inf]), (inf, minus[inf])):
        yield Case("infinite delta", a, b)
    for delta in (zero, one, minus[one]):
        yield Case("infinite start", inf, delta)
        yield Case("infinite start, negative", minus[inf], delta)
    quiet, payload, signalling = (f.infinity + k for k in (f.hidden // 2, f.hidden // 2 + 5, 1))
    for bits, negative in itertools.product((quiet, payload, signalling), (False, True)):
        nan = f.pattern(bits, negative=negative)
        yield Case("NaN as start", nan, one)
        yield Case("NaN as delta", one, nan)
    yield Case("NaN and infinity", f.pattern(payload), inf)
    yield Case("NaN and zero", f.pattern(signalling), zero)


def smallest_and_largest(f):
    """Yield pairs around subnormals and around infinity."""
    tiny, normal, zero = f.pattern(1), f.pattern(f.hidden), f.pattern(0)
    yield Case("subnormals from zero", zero, tiny, multiply=(0, f.hidden - 5))
    yield Case("subnormals become normal", f.pattern(f.hidden - 4), tiny)
    yield Case("normals become subnormal", f.pattern(f.hidden + 4), -tiny)
    yield Case("subnormals through zero", f.pattern(3), -tiny)
    yield Case("subnormals through zero, from below", -f.pattern(5), f.pattern(2))
    yield Case("largest subnormal, twice", f.pattern(f.hidden - 1), f.pattern(f.hidden - 1))
    yield Case("smallest normal and a subnormal", normal, f.pattern(f.hidden // 2 + 1))
    yield Case("smallest normal down by itself", normal, -normal)
    yield Case("one and the smallest subnormal", f.of(1), tiny, multiply=(0, 2**40, INDEX_END - 10))
    huge = f.pattern(f.infinity - 1)
    last = f.pattern(f.infinity - 1 - 4)
    spacing = huge - f.pattern(f.infinity - 2)
    below = f.pattern(bits_of(spacing / f.of(2)) - 1)
    yield Case("overflow by one spacing", last, spacing)
    yield Case("overflow downwards", -last, -spacing)
    yield Case("overflow by a tie", huge, spacing / f.of(2))
    yield Case("just below the tie to infinity", huge, below)
    yield Case("largest and itself", huge, huge)
    yield Case("from the largest to its negative", huge, -huge)
    yield Case("the product alone would overflow", -huge, huge)
    yield Case("overflow in large steps", f.of(1), huge / f.of(4))


def steps_within_binades(f):
    """Yield pairs whose sums are rounded, absorbed, or cross a power of two."""
    one, half = f.of(1), f.spacings(0.5)
    odd = one + f.spacings(1)
    for name, start in (("even", one), ("odd", odd)):
        for count in (0.5, 1.5, 2.5):
            for sign in (1, -1):
                text = f"ties of {count} spacings from an {name} significand"
                yield Case(text, f.of(sign) * start * f.of(4), f.spacings(sign * count, 2))
                yield Case(f"{text}, shrinking", start * f.of(8), f.spacings(-sign * count, 3))
    above, below = f.pattern(bits_of(half) + 1), f.pattern(bits_of(half) - 1)
    for name, delta in (("above", above), ("below", below)):
        yield Case(f"just {name} a tie", one, delta, multiply=(0, 10**6))
        yield Case(f"just {name} a tie, from an odd significand", odd, delta)
        yield Case(f"just {name} a tie, downwards", one + odd, -delta)
    yield Case("absorbed at once", one, f.spacings(0.25), multiply=(0, 1000))
    yield Case("absorbed by a tie", one, half, multiply=(0, 1000))
    whole = f.of(2.0**f.precision)
    for sign in (1, -1):
        s = f.of(sign)
        yield Case("absorbed where integers end", s * (whole - f.of(4)), s)
        yield Case("one and a half where integers end", s * (whole - f.of(4)), s * f.of(1.5))
        yield Case("away from where integers end", s * whole, -s)
        yield Case("delta larger than start", s * f.of(0.3), s * f.of(-7.7))
        yield Case("into a higher binade", s * (f.of(2) - f.spacings(3)), s * f.spacings(1))
        yield Case("into a lower binade", s * (one + f.spacings(3)), s * f.spacings(-1))
        for count in (0.25, 0.75, 1.25):
            text = f"a border, by {count} spacings of the binade above it"
            yield Case(text, s * (one + f.spacings(2)), s * f.spacings(-count))
            yield Case(f"{text}, upwards", s * (one - f.spacings(2)), s * f.spacings(count))


def long_sequences(f):
    """Yield pairs of which selected elements far away are kept."""
    far = (1000, 2**20 - 5, 2**32 - 5, 2**53 + 1, 2**63 - 5, INDEX_END - COUNT)
    near = (0, 90, 1000, 100_000)
    yield Case("tenths", f.of(0), f.of(0.1), near, (*near, *far))
    yield Case("tenths from a tenth", f.of(0.1), f.of(0.1), near, (*near, *far))
    yield Case("the published test model", f.of(3.2), f.of(1.5), near, (*near, *far))
    yield Case("hundredths down", f.of(100.3), -f.of(0.71), near, (*near, *far))
    # Half precision stops at 2048 and single precision at 2^24; double precision takes too long.
    stop = 2**f.precision if f.precision <= 24 else 2**20
    yield Case("counting", f.of(0), f.of(1), (*near, stop - 5), (*near, stop - 5, *far))
    fine = f.of((2 - float(np.finfo(f.dtype).eps)) * 2.0 ** (2 - f.width))
    for name, start, delta in (("rising", 8, fine), ("falling", 14, -fine)):
        yield Case(f"{name} runs of equal elements", f.of(start), delta, (0,), (0, *far))
    third = reference.rounded(Fraction(1, 3) / 2**f.precision, f.dtype)
    yield Case("thirds of a spacing", f.of(1), third, near, (*near, *far))


def any_float_bits(f):
    """Yield pairs of any bits, and pairs of neighbouring binades."""
    source = reference.seeded(SEED)
    for k in range(12):
        start, delta = (source.getrandbits(f.width) for _ in range(2))
        if k % 2:
            exponents = (f.infinity // f.hidden - 1).bit_length()
            field = (start >> (f.precision - 1)) & ((1 << exponents) - 1)
            field = max(field - source.getrandbits(3), 1)
            delta = delta & ~f.infinity | field << (f.precision - 1)
        yield Case("any bits", number(start, f.dtype), number(delta, f.dtype))


def float_cases(dtype):
    """Yield every case of a float type."""
    f = Float(dtype)
    groups = (special_values, smallest_and_largest, steps_within_binades, long_sequences)
    with np.errstate(all="ignore"):
        for group in (*groups, any_float_bits):
            yield from group(f)


def integer_cases(dtype):
    """Yield every case of an integer type."""
    info = np.iinfo(dtype)
    far = (0, 250, 2**16 - 5, 2**32 - 5, 2**53 + 1, 2**63 - 5, INDEX_END - COUNT)

    def case(name, start, delta, *more):
        bits = ((x % (1 << info.bits)) for x in (start, delta))
        return Case(name, *(number(b, dtype) for b in bits), (0, *more), (0, *more))

    yield case("counting up", 0, 1, *far[1:])
    yield case("counting down", 10, -2, *far[1:])
    yield case("equal", 5, 0, *far[1:])
    yield case("wraps upwards", info.max - 3, 1)
    yield case("wraps downwards", info.min + 3, -1)
    yield case("wraps by 3", info.max - 7, 3)
    yield case("wraps through every value", info.min, 7, 1 << 8, (1 << 16) - 5)
    yield case("largest delta", 0, info.max)
    yield case("smallest delta", 1, info.min)
    yield case("two values in turn", 5, 1 << (info.bits - 1))
    yield case("all bytes differ", 0x0123456789ABCDEF, 0xDEADBEEFCAFEF00D, *far[1:])
    source = reference.seeded(SEED)
    for _ in range(6):
        start, delta = (source.getrandbits(info.bits) for _ in range(2))
        yield case("any bits", start, delta, far[-1])


def sequence_cases(dtype):
    """Yield every case of a data type."""
    return float_cases(dtype) if dtype.kind == "f" else integer_cases(dtype)


def number_cases(dtype):
    """Yield (role, number as text, bits or None) of a data type."""
    if dtype.kind == "f":
        yield from _float_numbers(dtype)
        return
    info = np.iinfo(dtype)
    for role in ("value", "delta"):
        low = -info.max if role == "delta" and info.min == 0 else info.min
        wanted = {0, 1, -1, -2, 100, low, low - 1, low + 1, info.max, info.max + 1, -info.max}
        for value in sorted(wanted | {info.max - 1, 2 * info.max, 1 << 70, -(1 << 70)}):
            fits = low <= value <= info.max
            yield role, str(value), value % (1 << info.bits) if fits else None
        yield role, "0x1.8p+0", None
        yield role, "0x1.0p+2", 4
        yield from ((role, text, None) for text in ("inf", "-inf", "nan"))


def _float_numbers(dtype):
    f = Float(dtype)
    huge, tiny = (Fraction(float(f.pattern(b))) for b in (f.infinity - 1, 1))
    spacing = huge - Fraction(float(f.pattern(f.infinity - 2)))
    numbers = [0.1, 3.2, 1.5, 1 / 3, -1e-3, 2.0**-14, 5e-324, 2.2250738585072014e-308, 6e-8, 1e-45]
    numbers += [-1e300, 65519.0, 65519.99, 65520.0, 65504.0, 2.0**128, 3.5e38]
    ulp = 2.0 ** (1 - f.precision)
    numbers += [1 + ulp / 2, 1 + 1.5 * ulp, 1 + ulp / 2 + ulp / 1024, -1 - ulp / 2]
    numbers += [float(x) for x in (huge, -huge, tiny, tiny / 2, tiny * 3 / 2)]
    if f.width < 64:
        numbers += [float(x) for x in (huge + spacing / 2, huge + spacing / 2 - spacing / 1024)]
    texts = dict.fromkeys(x.hex() for x in numbers)
    integers = (0, 1, -7, 2048, 2049, 2**24 + 1, 2**53 + 1, 2**64 - 1, -(10**30), 10**309)
    exact = {text: Fraction(float.fromhex(text)) for text in texts}
    exact |= {str(n): Fraction(n) for n in integers}
    for text, value in exact.items():
        bits = bits_of(reference.rounded(value, dtype)) if value else 0
        refused = bits & ~(1 << (f.width - 1)) == f.infinity
        for role in ("value", "delta"):
            yield role, text, None if refused else bits
    sign = 1 << (f.width - 1)
    specials = {"inf": f.infinity, "-inf": f.infinity | sign, "-0x0.0p+0": sign}
    for text, bits in (specials | {"nan": reference.CANONICAL_NAN[dtype.itemsize]}).items():
        yield from ((role, text, bits) for role in ("value", "delta"))


# ---- Files --------------------------------------------------------------------------------------


def hexadecimal(bits, dtype):
    """Write a bit pattern."""
    return f"0x{bits:0{2 * dtype.itemsize}X}"


def runs(elements_from, firsts, dtype):
    """Return the parts of a sequence."""
    found = []
    for first in firsts:
        bits = elements_from(first).view(f"u{dtype.itemsize}").tolist()
        found.append({"first": str(first), "elements": [hexadecimal(b, dtype) for b in bits]})
    return found


def sequence_elements(case, rule):
    """Return a function from an index to the ten elements from there on."""
    start, delta = case.start, case.delta
    if rule == "multiply" or start.dtype.kind != "f":
        return lambda first: reference.multiplied_range(start, delta, first, COUNT)
    last = max(case.accumulate) + COUNT
    accumulate = reference.accumulated if last < 2000 else reference.accumulated_at_once
    whole = accumulate(start, delta, last)
    return lambda first: whole[first : first + COUNT]


def sequence_vectors(dtype, rule):
    """Yield the cases of one file of sequences."""
    for case in sequence_cases(dtype):
        yield {
            "name": case.name,
            "start": hexadecimal(bits_of(case.start), dtype),
            "delta": hexadecimal(bits_of(case.delta), dtype),
            "runs": runs(sequence_elements(case, rule), getattr(case, rule), dtype),
        }


def constant_vectors(dtype):
    """Yield the cases of one file of constants."""
    for value in reference.borders(dtype):
        bits = hexadecimal(bits_of(value), dtype)
        yield {
            "name": str(value),
            "value": bits,
            "runs": [{"first": "0", "elements": [bits] * 4}],
        }


def number_vectors(dtype):
    """Yield the cases of one file of numbers."""
    for role, text, bits in number_cases(dtype):
        shown = None if bits is None else hexadecimal(bits, dtype)
        yield {"role": role, "number": text, "bits": shown}


def header(kind, dtype, rule=None):
    """Return what every file says about itself."""
    name = rule or kind
    is_float = dtype.kind == "f"
    element = {"bits": 8 * dtype.itemsize, "signed": dtype.kind != "u"}
    if is_float:
        info = np.finfo(dtype)
        element |= {"precision": info.nmant + 1, "exponent_bits": info.bits - info.nmant - 1}
    arithmetic = ROUNDING["f" if is_float else "i"] if rule else ""
    return {
        "format": FORMAT,
        "about": "golden vectors of IndirectML; README.md beside this file says how to use them",
        **({"operator": "FILL_VALUE_SEQUENCE" if rule else kind} if kind != "numbers" else {}),
        "data_type": dtype.name.upper(),
        "element": {"kind": "binary float" if is_float else "integer", **element},
        **({"rule": rule} if rule else {}),
        "definition": (DEFINITIONS[name] + " " + arithmetic).strip(),
        "source": SOURCES[name],
        "generated_by": "python -m tests.make_vectors",
        "fields": FIELDS[kind],
    }


def as_text(head, cases):
    """Write a file: the header indented, one case a line."""
    lines = ",\n".join(f"    {json.dumps(case)}" for case in cases)
    return f'{json.dumps(head, indent=2)[:-2]},\n  "cases": [\n{lines}\n  ]\n}}\n'


def files():
    """Yield the name and the text of every file."""
    for dtype in DTYPES:
        name = dtype.name.upper()
        head = header("FILL_VALUE_CONSTANT", dtype)
        yield f"constant.{name}.json", as_text(head, constant_vectors(dtype))
        yield f"numbers.{name}.json", as_text(header("numbers", dtype), number_vectors(dtype))
        for rule in RULES:
            head = header("FILL_VALUE_SEQUENCE", dtype, rule)
            yield f"sequence.{rule}.{name}.json", as_text(head, sequence_vectors(dtype, rule))


def pack(path):
    """Write the stored vectors, their page, runners and licence; the same bytes each time."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in [*sorted(FOLDER.glob("*.*")), FOLDER.parents[1] / "LICENSE"]:
            member = zipfile.ZipInfo(f"indirectml-golden-vectors-1/{file.name}")
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, file.read_bytes())
    return 0


def main():
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(prog="python -m tests.make_vectors", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1: differ")
    parser.add_argument(
        "--zip", metavar="FILE", help="pack what is stored, with its runners, and end"
    )
    options = parser.parse_args()
    if options.zip:
        return pack(Path(options.zip))
    check = options.check
    wanted = dict(files())
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    differing = sorted(n for n in wanted.keys() | found.keys() if wanted.get(n) != found.get(n))
    for name in differing:
        print(f"{'differs' if check else 'written'}: {name}")  # noqa: T201 (a program)
        if not check and name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        elif not check:
            (FOLDER / name).unlink()
    cases = [case for text in wanted.values() for case in json.loads(text)["cases"]]
    parts = [run for case in cases for run in case.get("runs", ())]
    elements = sum(len(run["elements"]) for run in parts)
    print(f"{len(wanted)} files, {len(cases)} cases, {elements} elements")  # noqa: T201
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
