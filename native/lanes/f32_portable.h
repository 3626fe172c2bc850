// FLOAT32 in plain C++. The other files of this folder have the same words for the vectors of one
// instruction set:
//
//   Vector, Mask, kCount        a vector, one truth per lane, and the number of lanes
//   zero(), set(x)              every lane holds +0 or x
//   set_four(at)                the four elements from there on, repeated
//   load, store                 neighbouring elements, at any address
//   load_part, store_part       the first n of them, n < kCount; zeros beyond
//   kMovesParts                 whether these are an instruction each
//   between(n, end)             a Part: lanes n to end - 1
//   load_only(at, part)         these lanes; zeros around them
//   opaque(v)                   v, of which the compiler knows nothing: it is loaded once
//   prefetch(at)                a hint
//   add, mul, fma               each rounded once, to nearest, ties to even
//   canonical(v)                v with every NaN the positive quiet one without payload
//   widen(at), widen_part       FLOAT16 elements, exactly
//   by_half(v)                  rounded to FLOAT16, ties to even, and widened
//   even(a, b), odd(a, b)       lanes 0, 2, ... or 1, 3, ... of a, then of b
//   to_order(v), kLowest        what larger compares, and that of -infinity
//   larger(a, b)                of these: of +0 more than of -0, and of a NaN more than of all others
//   from_order(v)               the number, with canonical NaNs
//   magnitude(v)                v without its sign
//   all_bits(), add_bits, smaller_bits, larger_bits
//                               the bits of numbers as unsigned integers: all are 1; the sum, and the
//                               smaller and the larger of two
//   from(n)                     true in lanes n, n + 1, ...
//   select(mask, yes, no)
//   transpose(rows)             of kCount vectors, in place
//   bytes(at, by, other)        the bytes that are `by` bits up in words, by exclusive or with the bits of a number
//
// Those with kPicks, which have a fused multiply-add in hardware, have besides
//
//   sub                         rounded once
//   mulsub, submul              a * b - c and c - a * b, rounded once
//   pick(table, v)              of 16 numbers, those with the numbers in the low four bits of v
//   shift_left<n>               of the bits
//   less(a, b), unequal(a, b)   a bit per lane; a NaN is not less, and unequal
//   with_differences(v, a, b)   v with 1 for bits that differ between a and b
//   zero_where(lanes, v)        v with +0 in lanes whose bit is set
//   at_least(v, bound), at_most a NaN stays
//   where_less(a, b, yes, no)   a NaN is not less
//   with_sign(v, sign)          v with the sign of another number
//   half(v), unequal_halves(a, b), store_half
//                               rounded to FLOAT16; a bit per lane; written
//   about_inverse, near_inverse(v)
//                               1 / v to 2^-14 and to 2^-21, for v whose inverse is no subnormal number
//
// Those with kFixesUp have fixed_up(v, how), how being numbers(), where NaNs become the canonical one, or
// positive_numbers(), where besides what is at most 0 becomes +0; and at_least and at_most leave v where it is equal.
//
// With kPicks they choose between 32 rows of coefficients, too, by the low five bits of v: those with kPicksOf32
// have pick_of_32(table, v), of a coefficient of all rows; others row_of_pieces(v), the bits of which are where the
// rows of 16 are, and load_pieces(table, rows, c), which reads these from memory, twelve coefficients of each.
// Those with kSideBySide compute functions two vectors at a time (two.h), and powers four.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../compiler.h"
#include "f64_portable.h"

namespace indirectml::lanes::portable {

inline std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

inline float float_of(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}

inline float canonical(float x) { return x == x ? x : float_of(0x7FC00000); }

// a * b + c rounded once, without the instruction. The product of two FLOAT32 is exact in FLOAT64.
// Their sum is rounded to odd: if it lost something and its last bit is even, it moves towards what
// it lost. FLOAT64 has more than two bits more than FLOAT32, so the second rounding is that of the
// exact sum. What was lost is NaN at infinity, which neither comparison takes.
INDIRECTML_INLINE float fma(float a, float b, float c) {
    const double p = static_cast<double>(a) * b;
    const double s = p + c;
    const double t = s - p;
    const double e = (p - (s - t)) + (c - t);
    std::uint64_t bits;
    std::memcpy(&bits, &s, sizeof(bits));
    const bool lost = (e < 0) | (e > 0);
    const bool outwards = (e < 0) == ((bits >> 63) != 0);
    bits += static_cast<std::uint64_t>(lost & !(bits & 1)) * (outwards ? 1 : ~std::uint64_t{0});
    double odd;
    std::memcpy(&odd, &bits, sizeof(odd));
    return static_cast<float>(odd);
}

inline float widen(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half} >> 15 << 31, rest = half & 0x7FFF;
    if (rest >= 0x7C00) return float_of(sign | 0x7F800000 | (rest & 0x3FF) << 13);
    if (rest >= 0x400) return float_of(sign | ((rest << 13) + (112u << 23)));
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;  // subnormal: exact
    return float_of(sign | bits_of(magnitude));
}

struct F32 {
    static constexpr std::size_t kCount = 4;
    static constexpr bool kPicks = false, kPicksOf32 = false, kMovesParts = false;
    static constexpr bool kSideBySide = false, kFixesUp = false;
    struct Vector {
        float lane[kCount];
    };
    using Mask = std::size_t;  // the first true lane

    static Vector set(float x) { return {{x, x, x, x}}; }
    static Vector zero() { return set(0); }
    static Vector bytes(const std::int32_t* at, int by, std::uint32_t other) {
        Vector v;
        for (std::size_t j = 0; j < kCount; ++j) v.lane[j] = float_of((static_cast<std::uint32_t>(at[j]) >> by & 0xFF) ^ other);
        return v;
    }
    static Vector load(const float* at) { return {{at[0], at[1], at[2], at[3]}}; }
    static Vector set_four(const float* at) { return load(at); }
    static Vector load_part(const float* at, std::size_t n) {
        float padded[kCount] = {};
        for (std::size_t j = 0; j < n; ++j) padded[j] = at[j];
        return load(padded);
    }
    struct Part {
        std::size_t first, end;
    };
    static Part between(std::size_t first, std::size_t end) { return {first, end}; }
    static Vector load_only(const float* at, Part part) {
        float padded[kCount] = {};
        for (std::size_t j = part.first; j < part.end; ++j) padded[j] = at[j];
        return load(padded);
    }
    static Vector opaque(Vector v) { return v; }
    static void prefetch(const void*) {}
    static void store(float* at, Vector v) { std::memcpy(at, v.lane, sizeof(v.lane)); }
    static void store_part(float* at, Vector v, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) at[j] = v.lane[j];
    }
    template <typename Each>
    static Vector each(Each value) {
        return {{value(0), value(1), value(2), value(3)}};
    }
    static Vector add(Vector a, Vector b) {
        return each([&](int j) { return a.lane[j] + b.lane[j]; });
    }
    static Vector mul(Vector a, Vector b) {
        return each([&](int j) { return a.lane[j] * b.lane[j]; });
    }
    static Vector subtract(Vector a, Vector b) {
        return each([&](int j) { return a.lane[j] - b.lane[j]; });
    }
    static Vector divide(Vector a, Vector b) {
        return each([&](int j) { return a.lane[j] / b.lane[j]; });
    }
    // `yes` where a < b, or a <= b, and `no` elsewhere, NaNs included.
    static Vector if_less(Vector a, Vector b, Vector yes, Vector no) {
        return each([&](int j) { return a.lane[j] < b.lane[j] ? yes.lane[j] : no.lane[j]; });
    }
    static Vector if_at_most(Vector a, Vector b, Vector yes, Vector no) {
        return each([&](int j) { return a.lane[j] <= b.lane[j] ? yes.lane[j] : no.lane[j]; });
    }
    // Not by each(), whose calls compilers may leave in place.
    static INDIRECTML_INLINE Vector fma(Vector a, Vector b, Vector c) {
        return {{portable::fma(a.lane[0], b.lane[0], c.lane[0]),
                 portable::fma(a.lane[1], b.lane[1], c.lane[1]),
                 portable::fma(a.lane[2], b.lane[2], c.lane[2]),
                 portable::fma(a.lane[3], b.lane[3], c.lane[3])}};
    }
    static Vector canonical(Vector v) {
        return each([&](int j) { return portable::canonical(v.lane[j]); });
    }
    static Vector widen(const std::uint16_t* at) {
        return each([&](int j) { return portable::widen(at[j]); });
    }
    static Vector widen_part(const std::uint16_t* at, std::size_t n) {
        std::uint16_t padded[kCount] = {};
        for (std::size_t j = 0; j < n; ++j) padded[j] = at[j];
        return widen(padded);
    }
    static Vector by_half(Vector v) {
        return each([&](int j) {
            return portable::widen(F64::half(static_cast<double>(v.lane[j])));
        });
    }
    static Vector even(Vector a, Vector b) {
        return {{a.lane[0], a.lane[2], b.lane[0], b.lane[2]}};
    }
    static Vector odd(Vector a, Vector b) {
        return {{a.lane[1], a.lane[3], b.lane[1], b.lane[3]}};
    }
    // All lanes at once, which compilers make vectors of.
    template <typename Of>
    static Vector of_bits(Vector a, Vector b, Of of) {
        std::uint32_t x[kCount], y[kCount];
        std::memcpy(x, a.lane, sizeof(x));
        std::memcpy(y, b.lane, sizeof(y));
        for (std::size_t j = 0; j < kCount; ++j) x[j] = of(x[j], y[j]);
        std::memcpy(a.lane, x, sizeof(x));
        return a;
    }
    using Word = std::uint32_t;
    // Signed integers, from that of -infinity on; negative NaNs, which would come before, come last.
    static constexpr float kLowest = -0.0f;
    static Vector to_order(Vector v) {
        return of_bits(v, v, [](Word x, Word) { return (x ^ negatives(x)) - kNegativeNans; });
    }
    static Vector larger(Vector a, Vector b) {
        return of_bits(a, b, [](Word x, Word y) {
            return static_cast<std::int32_t>(x) > static_cast<std::int32_t>(y) ? x : y;
        });
    }
    static Vector from_order(Vector v) {
        return of_bits(v, v, [](Word x, Word) {
            const Word number = x + kNegativeNans;
            constexpr std::int32_t kInfinity = 0x7F800000 - kNegativeNans;
            return static_cast<std::int32_t>(x) > kInfinity ? 0x7FC00000 : number ^ negatives(number);
        });
    }
    static Vector magnitude(Vector v) {
        return of_bits(v, v, [](Word x, Word) { return x & 0x7FFFFFFF; });
    }
    static Vector all_bits() { return set(float_of(~Word{0})); }
    static Vector add_bits(Vector a, Vector b) {
        return of_bits(a, b, [](Word x, Word y) { return x + y; });
    }
    static Vector smaller_bits(Vector a, Vector b) {
        return of_bits(a, b, [](Word x, Word y) { return x < y ? x : y; });
    }
    static Vector larger_bits(Vector a, Vector b) {
        return of_bits(a, b, [](Word x, Word y) { return x > y ? x : y; });
    }
    static Mask from(std::size_t first) { return first; }
    static Vector select(Mask mask, Vector yes, Vector no) {
        return each([&](int j) { return static_cast<Mask>(j) >= mask ? yes.lane[j] : no.lane[j]; });
    }
    static void transpose(Vector* rows) {
        for (std::size_t i = 0; i < kCount; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const float former = rows[i].lane[j];
                rows[i].lane[j] = rows[j].lane[i];
                rows[j].lane[i] = former;
            }
        }
    }

  private:
    static constexpr Word kNegativeNans = 0x7FFFFF;
    // All bits but the sign of what is negative.
    static Word negatives(Word x) { return (Word{0} - (x >> 31)) >> 1; }
};

}  // namespace indirectml::lanes::portable
