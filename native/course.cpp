#include "course.h"

namespace indirectml {

namespace {

// How far the last element lies from the first, rounded down.
std::uint64_t distance_of(const Course& course, std::uint64_t count) {
    const bool falling = course.step.high >> 63;
    return ((falling ? -course.step : course.step) * count).high;
}

// Lanes that hold all bits of an element have this many bits of fraction, others more.
int fraction_bits_of(int log2_bytes, int lane_bits, const Course& course, std::uint64_t count) {
    const int short_bits = lane_bits - (8 << log2_bytes);
    const std::uint64_t fractions = course.position.low | course.step.low;
    if ((U128{0, fractions} << (64 + short_bits)) == U128{0, 0}) return short_bits;
    // Beside the distance there may be a fraction, a rounding, and an odd bit below the base.
    const std::uint64_t reach = distance_of(course, count) + 3;
    const int long_bits = lane_bits - (64 - leading_zeros(reach));
    return long_bits > short_bits ? long_bits : short_bits;
}

}  // namespace

FixedPoint fixed_point(int log2_bytes, int lane_bits, const Course& course, std::uint64_t count) {
    if (log2_bytes == 3) return {0, 64, course.position, course.step};
    const int bits = fraction_bits_of(log2_bytes, lane_bits, course, count);
    std::uint64_t base = 0;
    if (bits > lane_bits - (8 << log2_bytes)) {
        const bool falling = course.step.high >> 63;
        const std::uint64_t below = falling ? distance_of(course, count) + 1 : 0;
        base = (course.position.high - below) & ~std::uint64_t{1};
    }
    const U128 position = course.position - U128{base, 0};
    return {base, bits, {0, (position >> (64 - bits)).low}, {0, (course.step >> (64 - bits)).low}};
}

bool fits_fixed_point(int log2_bytes, const Course& course, std::uint64_t count) {
    if (log2_bytes == 3 || course.is_affine()) return true;
    const int bits = fraction_bits_of(log2_bytes, 16 << log2_bytes, course, count);
    return ((course.position.low | course.step.low) << bits) == 0;
}

}  // namespace indirectml
