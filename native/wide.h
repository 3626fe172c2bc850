// 128-bit unsigned arithmetic, in two 64-bit words, for any C++17 compiler.
//
// Products of an index and a significand need up to 64 + 53 bits.
#pragma once

#include <cstdint>

#include "compiler.h"

namespace indirectml {

struct U128 {
    std::uint64_t high;
    std::uint64_t low;
};

constexpr bool operator==(U128 a, U128 b) { return a.high == b.high && a.low == b.low; }
constexpr bool operator<(U128 a, U128 b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}
constexpr bool operator<=(U128 a, U128 b) { return !(b < a); }

constexpr U128 operator+(U128 a, U128 b) {
    const std::uint64_t low = a.low + b.low;
    return {a.high + b.high + (low < a.low ? 1 : 0), low};
}

constexpr U128 operator-(U128 a, U128 b) {
    return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
}

constexpr U128 operator-(U128 a) { return U128{0, 0} - a; }

// Shifts by 128 or more give zero, as the exact quotient or product modulo 2^128 would.
constexpr U128 operator<<(U128 a, int n) {
    if (n == 0) return a;
    if (n >= 128) return {0, 0};
    if (n >= 64) return {a.low << (n - 64), 0};
    return {(a.high << n) | (a.low >> (64 - n)), a.low << n};
}

constexpr U128 operator>>(U128 a, int n) {
    if (n == 0) return a;
    if (n >= 128) return {0, 0};
    if (n >= 64) return {0, a.high >> (n - 64)};
    return {a.high >> n, (a.low >> n) | (a.high << (64 - n))};
}

// The product in plain C++, for compilers without 128-bit integers; check_native compares both.
constexpr U128 multiply_by_halves(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a0 = a & 0xFFFFFFFF, a1 = a >> 32, b0 = b & 0xFFFFFFFF, b1 = b >> 32;
    const std::uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    // Fits: three numbers below 2^32.
    const std::uint64_t middle = (p00 >> 32) + (p01 & 0xFFFFFFFF) + (p10 & 0xFFFFFFFF);
    return {p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32), (middle << 32) | (p00 & 0xFFFFFFFF)};
}

constexpr U128 multiply(std::uint64_t a, std::uint64_t b) {
#if defined(INDIRECTML_INT128)
    const Wide product = Wide{a} * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
    return multiply_by_halves(a, b);
#endif
}

// The product modulo 2^128.
constexpr U128 operator*(U128 a, std::uint64_t b) {
    const U128 low = multiply(a.low, b);
    return {low.high + a.high * b, low.low};
}

// For compilers that have no name for it, and as above.
constexpr int leading_zeros_by_halves(std::uint64_t a) {
    int n = 64;
    for (int step = 32; step > 0; step /= 2) {
        if (a >> step) {
            n -= step;
            a >>= step;
        }
    }
    return n - static_cast<int>(a);
}

constexpr int leading_zeros(std::uint64_t a) {
#if defined(INDIRECTML_LEADING_ZEROS)
    return a ? INDIRECTML_LEADING_ZEROS(a) : 64;
#else
    return leading_zeros_by_halves(a);
#endif
}

constexpr int leading_zeros(U128 a) {
    return a.high ? leading_zeros(a.high) : 64 + leading_zeros(a.low);
}

constexpr int trailing_zeros(std::uint64_t a) { return 63 - leading_zeros(a & (0 - a)); }

// floor(a / b), which fits 64 bits; for compilers without 128-bit integers, and as above.
constexpr std::uint64_t divide_bit_by_bit(U128 a, U128 b) {
    std::uint64_t quotient = 0;
    const int bits = leading_zeros(b) - leading_zeros(a);
    for (int i = bits < 64 ? bits : 63; i >= 0; --i) {
        const U128 shifted = b << i;
        if (shifted <= a) {
            a = a - shifted;
            quotient |= std::uint64_t{1} << i;
        }
    }
    return quotient;
}

// floor(a / b), or the largest 64-bit number if the quotient is larger. b is not zero.
constexpr std::uint64_t divide(U128 a, U128 b) {
    if (a < b) return 0;
    if (a.high == 0) return a.low / b.low;
    const int bits = leading_zeros(b) - leading_zeros(a);
    // Fits: shifted by `bits`, b has its highest bit where a has it.
    if (bits > 64 || (bits == 64 && (b << 64) <= a)) return UINT64_MAX;
#if defined(INDIRECTML_INT128)
    const auto wide = [](U128 x) { return Wide{x.high} << 64 | x.low; };
    return static_cast<std::uint64_t>(wide(a) / wide(b));
#else
    return divide_bit_by_bit(a, b);
#endif
}

}  // namespace indirectml
