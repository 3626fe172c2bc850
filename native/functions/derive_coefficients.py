"""Derives every number in coefficients.h: `python native/functions/derive_coefficients.py`.

Needs nothing but Python. A polynomial goes through its function at the Chebyshev nodes of an
interval, which costs at most a bit against the best one; functions are sums of their power series,
in decimals of 100 digits. `--check` compares instead of writing.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache
from math import comb, factorial, log2, prod
from pathlib import Path

HEADER = Path(__file__).with_name("coefficients.h")
getcontext().prec = 100


def decimal(x: Fraction) -> Decimal:
    """Return a fraction in 100 digits."""
    return Decimal(x.numerator) / Decimal(x.denominator)


def arctangent_of_inverse(n: int) -> Fraction:
    """Return arctan(1 / n), exact to 2^-1300."""
    total, k = Fraction(0), 0
    while n ** (2 * k) < 1 << 1300:
        total += Fraction((-1) ** k, (2 * k + 1) * n ** (2 * k + 1))
        k += 1
    return total


PI = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))  # Machin
LN2 = Fraction(Decimal(2).ln())
TWO_OVER_ROOT_PI = Fraction(2 / decimal(PI).sqrt())
INVERSE_ROOT_TWO_PI = Fraction(1 / decimal(2 * PI).sqrt())
ROOT2 = Decimal(2).sqrt()


def single(x: Decimal) -> float:
    """Return the nearest FLOAT32."""
    (rounded,) = struct.unpack("<f", struct.pack("<f", float(x)))
    return float(rounded)


def bits_of(x: float) -> int:
    """Return the bits of a FLOAT32."""
    return int.from_bytes(struct.pack("<f", x), "little")


def cosine(x: Decimal) -> Decimal:
    """Return cos x for a small x."""
    term, total, n = Decimal(1), Decimal(1), 0
    while abs(term) > Decimal(10) ** -95:
        n += 2
        term *= -x * x / (n * (n - 1))
        total += term
    return total


def interpolated(
    function: Callable[[Decimal], Decimal], middle: Decimal, radius: Decimal, count: int
) -> list[Decimal]:
    """Return the polynomial through a function at the Chebyshev nodes, lowest coefficient first."""
    pi = decimal(PI)
    nodes = [middle + radius * cosine(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    table = [function(v) for v in nodes]
    for order in range(1, count):  # Newton's divided differences, in place
        for k in range(count - 1, order - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - order])
    result = [Decimal(0)] * count
    for k in range(count - 1, -1, -1):  # to powers, by Horner's scheme
        shifted = [Decimal(0), *result[:-1]]
        result = [s - nodes[k] * r for s, r in zip(shifted, result, strict=True)]
        result[0] += table[k]
    return result


@dataclass(frozen=True)
class Polynomial:
    """factor(w) times the sum over n of coefficient(n) w^n, as a polynomial of few terms.

    Its variable v runs from `low` to `high`, and w = argument(v). `relative` is what the polynomial
    is multiplied by in its use, divided by the result: with it, an error of the polynomial becomes
    a relative error of the result. With `single`, coefficients are FLOAT32.
    """

    name: str
    text: str
    coefficient: Callable[[int], Fraction]
    low: Decimal
    high: Decimal
    count: int
    relative: Callable[[Decimal], Decimal]
    single: bool = False
    argument: Callable[[Decimal], Decimal] = lambda v: v
    factor: Callable[[Decimal], Decimal] = lambda _: Decimal(1)

    def exact(self, v: Decimal) -> Decimal:
        """Return what the polynomial stands for."""
        w = self.argument(v)
        total, n, power = Decimal(0), 0, Decimal(1)
        while n <= 1 or abs(power * decimal(self.coefficient(n))) > Decimal(10) ** -60:
            total += power * decimal(self.coefficient(n))
            power *= w
            n += 1
        return total * self.factor(w)

    def derive(self) -> list[float]:
        """Return the coefficients, lowest first."""
        middle, radius = (self.low + self.high) / 2, (self.high - self.low) / 2
        result = interpolated(self.exact, middle, radius, self.count)
        return [single(c) if self.single else float(Fraction(c)) for c in result]

    def error(self, coefficients: list[float]) -> float:
        """Return log2 of the largest relative error, with the rounded coefficients."""
        worst = Decimal(0)
        for k in range(1, 100):
            v = self.low + (self.high - self.low) * k / 99
            value = Decimal(0)
            for c in reversed(coefficients):
                value = value * v + Decimal(c)
            worst = max(worst, abs((value - self.exact(v)) * self.relative(self.argument(v))))
        return log2(worst)


@dataclass(frozen=True)
class Pieces:
    """A function from 0 to 31.5 widths in 32 polynomials of FLOAT32 around multiples of the width.

    The first `pairs` of the `count` coefficients are sums of two, the larger ones first.
    """

    name: str
    text: str
    function: Callable[[Decimal], Decimal]
    width: Decimal
    count: int
    pairs: int

    def derive(self) -> list[list[float]]:
        """Return for each coefficient, lowest first, those of all pieces."""
        rows: list[list[float]] = [[] for _ in range(self.count + self.pairs)]
        for k in range(32):
            center = k * self.width

            def near(d: Decimal, center: Decimal = center) -> Decimal:
                return self.function(center + d)

            exact = interpolated(near, Decimal(0), self.width / 2, self.count)
            sums = [(single(c), single(c - Decimal(single(c)))) for c in exact]
            flat = [part for pair in sums[: self.pairs] for part in pair]
            flat += [high for high, _ in sums[self.pairs :]]
            for row, number in zip(rows, flat, strict=True):
                row.append(number)
        return rows

    def error(self, rows: list[list[float]]) -> float:
        """Return log2 of the largest relative error, with the rounded coefficients."""
        worst = Decimal(0)
        for k in range(32):
            numbers = [Decimal(row[k]) for row in rows]
            sums = [numbers[2 * n] + numbers[2 * n + 1] for n in range(self.pairs)]
            sums += numbers[2 * self.pairs :]
            for n in range(-10, 11, 2):
                d = self.width * (n + Decimal("0.5")) / 21
                if k == 0 and d < 0:
                    continue
                value = Decimal(0)
                for c in reversed(sums):
                    value = value * d + c
                exact = self.function(k * self.width + d)
                worst = max(worst, abs(value / exact - 1))
        return log2(worst)


def alternating(n: int) -> int:
    """Return (-1)^n."""
    return -1 if n % 2 else 1


def bell_tail(n: int) -> Fraction:
    """Return the coefficient of t^n in e^(t^2 / 2) times the normal distribution beyond t."""
    if n % 2:
        return -INVERSE_ROOT_TWO_PI / prod(range(1, n + 1, 2))
    return Fraction(1, 2 * prod(range(2, n + 1, 2)))


def arcsine(n: int) -> Fraction:
    """Return the coefficient of x^(2n+3) in arcsin x."""
    k = n + 1
    return Fraction(comb(2 * k, k), 4**k * (2 * k + 1))


@cache
def hyperbolic_tangent(n: int) -> Fraction:
    """Return the coefficient of x^(2n+1) in tanh x, whose derivative is 1 - tanh^2 x."""
    if n == 0:
        return Fraction(1)
    products = (hyperbolic_tangent(k) * hyperbolic_tangent(n - 1 - k) for k in range(n))
    return -sum(products, Fraction(0)) / (2 * n + 1)


def normal_from_middle(t: Decimal) -> Decimal:
    """Return the normal distribution from 0 to t."""
    term, total, n = t, Decimal(0), 1
    while abs(term) > Decimal(10) ** -90:
        total += term
        n += 2
        term *= t * t / n
    return (-t * t / 2).exp() * decimal(INVERSE_ROOT_TWO_PI) * total


LOG_TOP = ((ROOT2 - 1) / (ROOT2 + 1)) ** 2
EXP_TOP = (decimal(LN2) / 2) ** 2 * Decimal("1.0001")
HALF_PI = decimal(PI / 2)
POWER_STEP = decimal(LN2) / 16
POWER_MARGIN = 11 * Decimal(2) ** -37
POLYNOMIALS = (
    Polynomial(
        "kExp",
        "e^r = 1 + r + r^2 p(r), |r| <= ln 2 / 2",
        lambda n: Fraction(1, factorial(n + 2)),
        -EXP_TOP.sqrt(), EXP_TOP.sqrt(), 8, lambda r: r * r / r.exp(),
    ),
    Polynomial(
        "kExpEven",
        "cosh r = 1 + w p(w), w = r^2, |r| <= ln 2 / 2",
        lambda n: Fraction(1, factorial(2 * n + 2)),
        Decimal(0), EXP_TOP, 4, lambda w: w,
    ),
    Polynomial(
        "kExpOdd",
        "sinh r = r + r w p(w), w = r^2, |r| <= ln 2 / 2",
        lambda n: Fraction(1, factorial(2 * n + 3)),
        Decimal(0), EXP_TOP, 4, lambda w: w,
    ),
    Polynomial(
        "kPower",
        "e^r = 1 + r + r^2 p(r), |r| <= ln 2 / 32, in FLOAT32",
        lambda n: Fraction(1, factorial(n + 2)),
        -POWER_STEP / 2 * Decimal("1.0001"), POWER_STEP / 2 * Decimal("1.0001"), 3,
        lambda r: r * r / r.exp(), single=True,
    ),
    Polynomial(
        "kTanhNear",
        "tanh x = x - x w / 3 + x w^2 p(w), w = x^2, |x| <= 1/4, in FLOAT32",
        lambda n: hyperbolic_tangent(n + 2),
        Decimal(0), Decimal(1) / 16, 4, lambda w: w * w, single=True,
    ),
    Polynomial(
        "kLog",
        "log((1 + s) / (1 - s)) = 2 s + 2 s w p(w), w = s^2, from sqrt(1/2) to sqrt(2)",
        lambda n: Fraction(1, 2 * n + 3),
        Decimal(0), LOG_TOP * Decimal("1.0001"), 7, lambda w: w,
    ),
    Polynomial(
        "kLogWide",
        "the same for |s| <= 1/3: from 1/2 to 2",
        lambda n: Fraction(1, 2 * n + 3),
        Decimal(0), Decimal(1) / 9, 8, lambda w: w,
    ),
    Polynomial(
        "kSine",
        "sin r = r + r w p(w), w = r^2, |r| <= pi / 2",
        lambda n: Fraction(-alternating(n), factorial(2 * n + 3)),
        Decimal(0), HALF_PI**2 * Decimal("1.0001"), 7, lambda w: w * HALF_PI,
    ),
    Polynomial(
        "kSineNarrow",
        "the same for |r| <= pi / 4",
        lambda n: Fraction(-alternating(n), factorial(2 * n + 3)),
        Decimal(0), (HALF_PI / 2) ** 2 * Decimal("1.0001"), 5, lambda w: w * Decimal("1.12"),
    ),
    Polynomial(
        "kCosineNarrow",
        "cos r = 1 - w / 2 + w^2 p(w), w = r^2, |r| <= pi / 4",
        lambda n: Fraction(alternating(n), factorial(2 * n + 4)),
        Decimal(0), (HALF_PI / 2) ** 2 * Decimal("1.0001"), 5, lambda w: w * w * ROOT2,
    ),
    Polynomial(
        "kArctangent",
        "arctan z = z + z w p(w), w = z^2, |z| <= tan(pi / 8)",
        lambda n: Fraction(-alternating(n), 2 * n + 3),
        Decimal(0), (ROOT2 - 1) ** 2 * Decimal("1.0001"), 8, lambda w: w * Decimal("1.06"),
    ),
    Polynomial(
        "kArcsine",
        "arcsin z = z + z w p(w), w = z^2, |z| <= 1/2",
        arcsine,
        Decimal(0), Decimal("0.25"), 10, lambda w: w,
    ),
    Polynomial(
        "kErf",
        "erf x = x p(u), u = x^2 / 8 - 1, |x| <= 4",
        lambda n: TWO_OVER_ROOT_PI * Fraction(alternating(n), factorial(n) * (2 * n + 1)),
        Decimal(-1), Decimal(1), 25, lambda w: Decimal("1.2") * max(w, Decimal(1)).sqrt(),
        argument=lambda u: 8 * (u + 1),
    ),
    Polynomial(
        "kGelu",
        "R(t) = e^(t^2 / 2) Q(t) = s p(s - 5/4), Q the normal distribution beyond t,\n"
        "// s = 10 / (t + 5), 0 <= t <= 15",
        bell_tail,
        Decimal("-0.75"), Decimal("0.75"), 16,
        # R(t) is 2 / (t + sqrt(t^2 + 4)) / sqrt(2 pi), or a little more.
        lambda t: 5 / (t + 5) * (t + (t * t + 4).sqrt()) / decimal(INVERSE_ROOT_TWO_PI),
        argument=lambda v: 10 / (v + Decimal("1.25")) - 5,
        factor=lambda t: (t + 5) / 10,
    ),
)  # fmt: skip

PIECES = (
    Pieces(
        "kErfPieces",
        "erf of k / 8 + d, |d| <= 1/16, in powers of d",
        lambda x: 2 * normal_from_middle(x * ROOT2),
        Decimal("0.125"), 8, 3,
    ),
    Pieces(
        "kTailPieces",
        "the normal distribution beyond 3 k / 16 + d, |d| <= 3/32, likewise",
        lambda t: Decimal("0.5") - normal_from_middle(t),
        Decimal("0.1875"), 8, 3,
    ),
)  # fmt: skip


def literal(x: float) -> str:
    """Return a C++ number."""
    return x.hex()


def of_single(x: float) -> str:
    """Return a C++ number of type float."""
    return literal(x) + "f"


def array(name: str, values: list[str], kind: str = "double") -> str:
    """Return a C++ array, three numbers a line."""
    lines = [", ".join(values[k : k + 3]) for k in range(0, len(values), 3)]
    body = ",\n    ".join(lines)
    return f"constexpr {kind} {name}[{len(values)}] = {{\n    {body}}};\n"


def parts(x: Fraction, bits: tuple[int, ...]) -> list[str]:
    """Return floats that add up to x; each has so many bits, the last one 53 and rounded."""
    result = []
    for last, count in [(False, b) for b in bits] + [(True, 53)]:
        exponent = len(bin(int(abs(x) * 2**400))) - 2 - 400  # |x| < 2^exponent
        unit = Fraction(2) ** (exponent - count)
        part = unit * (round(x / unit) if last else int(x / unit))
        result.append(literal(float(part)))
        x -= part
    return result


def pair(x: Fraction) -> str:
    """Return a number as the sum of two floats."""
    high = float(x)
    return f"{{{literal(high)}, {literal(float(x - Fraction(high)))}}}"


def powers() -> str:
    """Return the tables of powers.inl."""
    step = single(POWER_STEP)
    exact = [(POWER_STEP * j).exp() for j in range(16)]
    rounded = [single(e) for e in exact]
    cut = [struct.unpack("<f", struct.pack("<I", bits_of(t) - (j << 19)))[0]
           for j, t in enumerate(rounded)]  # fmt: skip
    offsets = [
        single((e / Decimal(t)).ln() - POWER_MARGIN) for e, t in zip(exact, rounded, strict=True)
    ]
    return (
        "// ln 2 / 16 as a sum\n"
        + array(
            "kPowerStep", [of_single(step), of_single(single(POWER_STEP - Decimal(step)))], "float"
        )
        + f"constexpr float kPowersPerUnit = {of_single(single(1 / POWER_STEP))};\n"
        + "// 2^(j / 16), less j 2^19 in their bits\n"
        + array("kPowers", [of_single(t) for t in cut], "float")
        + "// ln of what they lack, less a margin\n"
        + f"constexpr float kPowerMargin = {of_single(single(POWER_MARGIN))};\n"
        + array("kPowerOffsets", [of_single(d) for d in offsets], "float")
    )


def header() -> str:
    """Return the text of coefficients.h."""
    out = [
        (
            "// Written by derive_coefficients.py; a test derives them again.\n"
            "#pragma once\n\n"
            "#include <cstdint>\n\n"
            "namespace indirectml {\nnamespace functions {\n\n"
            "// A number as the sum of two.\nstruct Pair {\n    double high, low;\n};\n"
        )
    ]
    for p in POLYNOMIALS:
        values = p.derive()
        out.append(f"// {p.text}; relative error 2^{p.error(values):.1f}\n")
        kind = "float" if p.single else "double"
        out[-1] += array(p.name, [literal(v) + "f" * p.single for v in values], kind)
    for q in PIECES:
        rows = q.derive()
        out.append(f"// {q.text}; relative error 2^{q.error(rows):.1f}\n")
        bodies = []
        for row in rows:
            literals = [of_single(v) for v in row]
            lines = [", ".join(literals[k : k + 4]) for k in range(0, 32, 4)]
            bodies.append("    {" + ",\n     ".join(lines) + "}")
        out[-1] += f"constexpr float {q.name}[{len(rows)}][32] = {{\n" + ",\n".join(bodies) + "};\n"
    out.append(powers())
    out.append(
        "// ln 2 as a sum; the first parts times integers below 2^11 are exact\n"
        + array("kLn2Parts", parts(LN2, (42, 42)))
    )
    out.append(
        "// pi / 2 as a sum; the first parts times integers below 2^21 are exact\n"
        + array("kHalfPiParts", parts(PI / 2, (32, 32)))
    )
    out.append(
        f"constexpr double kInverseLn2 = {literal(float(1 / LN2))};\n"
        f"constexpr double kInversePi = {literal(float(1 / PI))};\n"
        f"constexpr double kTwoOverPi = {literal(float(2 / PI))};\n"
        f"constexpr Pair kHalfPi = {pair(PI / 2)};\n"
        f"constexpr Pair kTwoOverRootPi = {pair(TWO_OVER_ROOT_PI)};\n"
        f"constexpr Pair kInverseRootTwoPi = {pair(INVERSE_ROOT_TWO_PI)};\n"
    )
    out.append(
        "// 1 / n!\n"
        + array("kInverseFactorial", [pair(Fraction(1, factorial(n))) for n in range(30)], "Pair")
    )
    out.append(
        "// 1 / (2 n + 1)\n"
        + array("kInverseOdd", [pair(Fraction(1, 2 * n + 1)) for n in range(24)], "Pair")
    )
    bits = int(2 / PI * 2**384)
    words = [f"0x{bits >> (352 - 32 * k) & 0xFFFFFFFF:08X}" for k in range(12)]
    out.append(
        "// 2 / pi in binary, behind two words for numbers below 1\n"
        + array("kTwoOverPiBits", ["0", "0", *words], "std::uint32_t")
    )
    out.append("}  // namespace functions\n}  // namespace indirectml\n")
    return "\n".join(out)


def main() -> int:
    """Write the header, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    text = header()
    if not parser.parse_args().check:
        HEADER.write_text(text, encoding="utf-8")
        return 0
    return 0 if HEADER.read_text(encoding="utf-8") == text else 1


if __name__ == "__main__":
    sys.exit(main())
