// FLOAT64 in lanes, in plain C++: one lane a vector. What every other target is compared with.
//
// All f64_*.h have the same words. A target without a fused multiply-add rounds twice in `muladd`
// and says so in kFused; nothing that uses lanes may let a result depend on it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace indirectml {
namespace lanes {
namespace portable {

struct F64 {
    static constexpr bool kHasParts = false;
    using Vector = double;         // kCount numbers
    using Mask = bool;             // kCount answers
    using Bits = std::uint64_t;    // kCount patterns
    using Single = float;          // kCount FLOAT32
    using Half = std::uint16_t;    // kCount FLOAT16
    static constexpr std::size_t kCount = 1;
    static constexpr bool kFused = false;

    static Vector set(double value) { return value; }
    static Vector load(const double* at) { return *at; }
    static void store(double* at, Vector v) { *at = v; }
    static Vector load_single(const float* at) { return static_cast<double>(*at); }

    static Vector add(Vector a, Vector b) { return a + b; }
    static Vector sub(Vector a, Vector b) { return a - b; }
    static Vector mul(Vector a, Vector b) { return a * b; }
    static Vector div(Vector a, Vector b) { return a / b; }
    static Vector sqrt(Vector a) { return std::sqrt(a); }  // IEEE 754's, in hardware
    static Vector muladd(Vector a, Vector b, Vector c) { return a * b + c; }
    static Vector submul(Vector a, Vector b, Vector c) { return c - a * b; }
    static Vector abs(Vector a) { return number(bits(a) & ~kSign); }
    // Lanes 0, 2, ... or 1, 3, ... of a, then of b.
    static Vector even(Vector a, Vector) { return a; }
    static Vector odd(Vector, Vector b) { return b; }
    // The magnitude of a, the sign of b.
    static Vector with_sign(Vector a, Vector b) {
        return number((bits(a) & ~kSign) | (bits(b) & kSign));
    }
    // a, negated where b is negative.
    static Vector times_sign(Vector a, Vector b) { return number(bits(a) ^ (bits(b) & kSign)); }
    // The second operand where either is NaN.
    static Vector min(Vector a, Vector b) { return a < b ? a : b; }
    static Vector max(Vector a, Vector b) { return a > b ? a : b; }

    static Mask less(Vector a, Vector b) { return a < b; }
    static Mask equal(Vector a, Vector b) { return a == b; }
    static Mask is_nan(Vector a) { return a != a; }
    static Vector select(Mask mask, Vector yes, Vector no) { return mask ? yes : no; }
    static Mask both(Mask a, Mask b) { return a && b; }
    static Mask either(Mask a, Mask b) { return a || b; }
    static unsigned mask_bits(Mask mask) { return mask ? 1u : 0u; }

    static Bits bits(Vector v) {
        std::uint64_t b;
        std::memcpy(&b, &v, sizeof(b));
        return b;
    }
    static Vector number(Bits b) {
        double v;
        std::memcpy(&v, &b, sizeof(v));
        return v;
    }
    static Bits set_bits(std::uint64_t b) { return b; }
    static Bits add_bits(Bits a, Bits b) { return a + b; }
    static Bits sub_bits(Bits a, Bits b) { return a - b; }
    static Bits and_bits(Bits a, Bits b) { return a & b; }
    static Bits or_bits(Bits a, Bits b) { return a | b; }
    static Bits xor_bits(Bits a, Bits b) { return a ^ b; }
    template <int kBy>
    static Bits shift_left(Bits a) {
        return a << kBy;
    }
    template <int kBy>
    static Bits shift_right(Bits a) {
        return a >> kBy;
    }

    // Rounded once, to nearest, ties to even.
    static Single single(Vector v) { return static_cast<float>(v); }
    static void store_single(float* at, Single s) { *at = s; }
    static Half half(Vector v) {
        // In integers: units of the last place of the result, and whether more lies below.
        const std::uint64_t b = bits(v), magnitude = b & ~kSign;
        const auto sign = static_cast<std::uint16_t>(b >> 48 & 0x8000);
        if (magnitude > kInfinity) return static_cast<std::uint16_t>(sign | 0x7E00);
        const int exponent = static_cast<int>(magnitude >> 52) - 1023;
        if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7C00);
        if (exponent < -25) return sign;
        const std::uint64_t significand = (magnitude & kFraction) | (kFraction + 1);
        const int shift = exponent < -14 ? 28 - exponent : 42;
        const std::uint64_t unit = significand >> shift, tie = std::uint64_t{1} << (shift - 1);
        const std::uint64_t rest = significand & (2 * tie - 1);
        const std::uint64_t up = rest > tie || (rest == tie && (unit & 1));
        // A carry goes into the exponent, as it should: to infinity at the end.
        const std::uint64_t biased = exponent < -14 ? 0 : static_cast<std::uint64_t>(exponent + 14);
        return static_cast<std::uint16_t>(sign + (biased << 10) + unit + up);
    }
    static void store_half(std::uint16_t* at, Half h) { *at = h; }
    // One bit for each lane where two numbers differ, or are NaN.
    static unsigned unequal(Single a, Single b) { return !(a == b); }
    static unsigned unequal(Half a, Half b) { return a != b || (a & 0x7FFF) > 0x7C00; }

  private:
    static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    static constexpr std::uint64_t kInfinity = std::uint64_t{0x7FF} << 52;
    static constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
};

}  // namespace portable
}  // namespace lanes
}  // namespace indirectml
