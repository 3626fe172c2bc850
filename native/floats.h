// Binary floating-point formats as integers, and the one operation that both sequence rules need:
// start + index * delta, rounded once.
//
// No floating-point instruction is used, so the caller's rounding mode, flush-to-zero flags and
// compiler options cannot change a bit. Everything holds for any format with 2 <= precision <= 53.
//
// Words. A finite float is (-1)^negative * significand * 2^exponent units, where one unit is the
// smallest subnormal of the format. With precision p and biased exponent field E:
//   E = 0:  significand = fraction field,             exponent = 0
//   E > 0:  significand = fraction field + 2^(p-1),   exponent = E - 1
// Below the sign, the bit pattern is then (exponent << (p-1)) + significand for every finite float:
// patterns of one sign are consecutive integers, in the order of their magnitudes.
#pragma once

#include <cstdint>

#include "wide.h"

namespace indirectml {

// What an element is: an integer (precision 0) or a binary float of that precision.
struct Format {
    int bits;       // width of one element: 1..64
    int precision;  // significand bits including the hidden one; 0 for integers

    constexpr bool is_float() const { return precision != 0; }
    constexpr int exponent_bits() const { return bits - precision; }
    constexpr std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits); }
    constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (bits - 1); }
    constexpr std::uint64_t hidden_bit() const { return std::uint64_t{1} << (precision - 1); }
    constexpr std::uint64_t infinity() const {
        return ((std::uint64_t{1} << exponent_bits()) - 1) << (precision - 1);
    }
    // The NaN that operations produce: positive, quiet, payload zero.
    constexpr std::uint64_t quiet_nan() const { return infinity() | (hidden_bit() >> 1); }
    // The exponent of the largest finite floats.
    constexpr int max_exponent() const { return (1 << exponent_bits()) - 3; }

    constexpr bool is_negative(std::uint64_t bits_) const { return (bits_ & sign_bit()) != 0; }
    constexpr std::uint64_t magnitude(std::uint64_t bits_) const { return bits_ & ~sign_bit(); }
    constexpr bool is_nan(std::uint64_t bits_) const { return magnitude(bits_) > infinity(); }
    constexpr bool is_finite(std::uint64_t bits_) const { return magnitude(bits_) < infinity(); }
};

struct Unpacked {
    bool negative;
    std::uint64_t significand;
    int exponent;
};

constexpr Unpacked unpack(Format format, std::uint64_t bits) {
    const std::uint64_t magnitude = format.magnitude(bits);
    const std::uint64_t fraction = magnitude & (format.hidden_bit() - 1);
    const int biased = static_cast<int>(magnitude >> (format.precision - 1));
    if (biased == 0) return {format.is_negative(bits), fraction, 0};
    return {format.is_negative(bits), fraction | format.hidden_bit(), biased - 1};
}

// The exact value (-1)^negative * magnitude * 2^exponent units, except that bit 0 of the magnitude
// stands for "and something smaller" (a sticky bit). A non-zero magnitude has its highest bit at
// 124, 125 or 126, so the bits above the sticky one hold any significand plus 70 bits.
struct Exact {
    bool negative;
    U128 magnitude;
    int exponent;
};

// start + index * delta for finite start and delta. The sign of an exact zero is not set.
Exact exact_sum(Format format, std::uint64_t start, std::uint64_t index, std::uint64_t delta);

// The bits of start + index * delta, rounded once to nearest, ties to even. The index is exact.
// This is IEEE 754-2019 fusedMultiplyAdd, and with index 1 it is addition. NaN results are
// format.quiet_nan().
std::uint64_t fused(Format format, std::uint64_t start, std::uint64_t index, std::uint64_t delta);

// The same for index 1, in a third of the time: a + b, rounded once.
std::uint64_t sum(Format format, std::uint64_t a, std::uint64_t b);

// The float of format `to` nearest to a float of format `from`, ties to even. A NaN keeps its sign
// and the highest bits of its payload, and becomes quiet, unless the formats are the same.
std::uint64_t convert(Format from, Format to, std::uint64_t bits);

}  // namespace indirectml
