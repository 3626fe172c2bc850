#include "floats.h"

namespace indirectml {

namespace {

// The bit that the highest bit of every normalized magnitude is moved to: one bit below it and one
// above are enough for the carry and the borrow of one addition.
constexpr int kTopBit = 125;

// Shifts right; bit 0 of the result is set if a set bit was lost.
U128 shift_right_sticky(U128 a, int n) {
    U128 shifted = a >> n;
    if (!((shifted << n) == a)) shifted.low |= 1;
    return shifted;
}

Exact normalized(bool negative, U128 magnitude, int exponent) {
    const int shift = leading_zeros(magnitude) - (127 - kTopBit);
    return {negative, magnitude << shift, exponent - shift};
}

constexpr std::uint64_t low_word(std::uint64_t a) { return a; }
constexpr std::uint64_t low_word(U128 a) { return a.low; }

// magnitude * 2^exponent, rounded once. The magnitude is not zero; where bits are lost, the value
// is half a unit or more.
template <typename Magnitude>
std::uint64_t round_to_format(Format format, bool negative, Magnitude magnitude,
                              int magnitude_exponent) {
    const std::uint64_t sign = negative ? format.sign_bit() : 0;
    const int top =
        8 * static_cast<int>(sizeof(magnitude)) - 1 - leading_zeros(magnitude) + magnitude_exponent;
    const int exponent = top < format.precision ? 0 : top - (format.precision - 1);
    if (exponent > format.max_exponent()) return sign | format.infinity();
    const std::uint64_t field = static_cast<std::uint64_t>(exponent) << (format.precision - 1);
    const int dropped = exponent - magnitude_exponent;
    if (dropped <= 0) return sign | (field + (low_word(magnitude) << -dropped));
    // The significand and one bit more, and whether there are others below.
    const Magnitude kept = magnitude >> (dropped - 1);
    const bool more = !((kept << (dropped - 1)) == magnitude);
    const std::uint64_t significand = low_word(kept) >> 1;
    const bool up = (low_word(kept) & 1) && (more || (significand & 1));
    // Rounding up may carry into the exponent, and from the largest finite float to infinity.
    return sign | (field + significand + (up ? 1 : 0));
}

}  // namespace

Exact exact_sum(Format format, std::uint64_t start, std::uint64_t index, std::uint64_t delta) {
    const Unpacked s = unpack(format, start);
    const Unpacked d = unpack(format, delta);
    const U128 product = multiply(index, d.significand);  // fits: 64 + 53 bits
    const bool no_product = product == U128{0, 0};
    if (no_product && s.significand == 0) return {false, {0, 0}, 0};
    if (no_product) return normalized(s.negative, {0, s.significand}, s.exponent);
    Exact a = normalized(d.negative, product, d.exponent);
    if (s.significand == 0) return a;
    Exact b = normalized(s.negative, {0, s.significand}, s.exponent);
    // 1. Let a be the one with the larger exponent and bring b to it. When the exponents differ by
    //    one at most, no bit is lost: the lowest eight bits of both are zero (117 bits at most).
    //    When they differ by more, the difference keeps its highest bit at 124 or above, and an odd
    //    bit 0 says that the exact value lies strictly between the even neighbours.
    if (a.exponent < b.exponent) {
        const Exact swapped = a;
        a = b;
        b = swapped;
    }
    b.magnitude = shift_right_sticky(b.magnitude, a.exponent - b.exponent);
    // 2. Add or subtract magnitudes.
    if (a.negative == b.negative) {
        a.magnitude = a.magnitude + b.magnitude;
        return a;
    }
    if (a.magnitude == b.magnitude) return {false, {0, 0}, 0};
    if (a.magnitude < b.magnitude) {
        a.magnitude = b.magnitude - a.magnitude;
        a.negative = b.negative;
    } else {
        a.magnitude = a.magnitude - b.magnitude;
    }
    // 3. Only an exact difference can lose more than one leading bit; a sticky bit stays in place.
    const bool cancelled = leading_zeros(a.magnitude) > 127 - (kTopBit - 1);
    return cancelled ? normalized(a.negative, a.magnitude, a.exponent) : a;
}

std::uint64_t fused(Format format, std::uint64_t start, std::uint64_t index, std::uint64_t delta) {
    if (format.is_nan(start) || format.is_nan(delta)) return format.quiet_nan();
    const std::uint64_t delta_sign = delta & format.sign_bit();
    if (!format.is_finite(delta)) {
        const bool opposite = start == (delta ^ format.sign_bit());
        return index == 0 || opposite ? format.quiet_nan() : delta;
    }
    if (!format.is_finite(start)) return start;
    const Exact exact = exact_sum(format, start, index, delta);
    if (!(exact.magnitude == U128{0, 0})) {
        return round_to_format(format, exact.negative, exact.magnitude, exact.exponent);
    }
    // An exact zero is negative only as the sum of two negative zeros.
    const bool zeros = format.magnitude(start) == 0;
    return zeros ? start & delta_sign : 0;
}

std::uint64_t sum(Format format, std::uint64_t a, std::uint64_t b) {
    if (!format.is_finite(a) || !format.is_finite(b)) return fused(format, a, 1, b);
    if (format.magnitude(a) < format.magnitude(b)) {
        const std::uint64_t swapped = a;
        a = b;
        b = swapped;
    }
    const Unpacked large = unpack(format, a), small = unpack(format, b);
    // Below a significand come kGuardBits, the last of them sticky. At least two keep the highest
    // bit of a difference in place wherever the sticky bit is set: 53 + 10 bits and a carry fit.
    constexpr int kGuardBits = 10;
    const int distance = large.exponent - small.exponent;
    std::uint64_t aligned = small.significand << kGuardBits;
    if (distance > 63) {
        aligned = aligned != 0;
    } else if (distance > 0) {
        const std::uint64_t shifted = aligned >> distance;
        aligned = shifted | (shifted << distance != aligned);
    }
    const std::uint64_t magnitude = large.negative == small.negative
                                        ? (large.significand << kGuardBits) + aligned
                                        : (large.significand << kGuardBits) - aligned;
    // An exact zero is negative only as the sum of two negative zeros.
    if (magnitude == 0) return a & b & format.sign_bit();
    return round_to_format(format, large.negative, magnitude, large.exponent - kGuardBits);
}

std::uint64_t convert(Format from, Format to, std::uint64_t bits) {
    if (from.bits == to.bits && from.precision == to.precision) return bits;
    const std::uint64_t sign = from.is_negative(bits) ? to.sign_bit() : 0;
    const std::uint64_t magnitude = from.magnitude(bits);
    if (from.is_nan(bits)) {
        const std::uint64_t payload = magnitude & (from.hidden_bit() - 1);
        const int shift = to.precision - from.precision;
        return sign | to.quiet_nan() | (shift < 0 ? payload >> -shift : payload << shift);
    }
    if (magnitude == from.infinity()) return sign | to.infinity();
    const Unpacked value = unpack(from, bits);
    if (value.significand == 0) return sign;
    // Units differ: the exponent of one unit is 3 - 2^(exponent bits - 1) - precision.
    const auto unit = [](Format f) { return 3 - (1 << (f.exponent_bits() - 1)) - f.precision; };
    const int exponent = value.exponent + unit(from) - unit(to);
    // Below half of the smallest subnormal.
    if (63 - leading_zeros(value.significand) + exponent < -1) return sign;
    return round_to_format(to, value.negative, value.significand, exponent);
}

}  // namespace indirectml
