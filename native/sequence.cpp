#include "sequence.h"

namespace indirectml {

namespace {

std::uint64_t minimum(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

// What delta is, measured in the spacing 2^exponent of the floats around the current element:
// an integer and a rest below one, compared with a half.
struct Measured {
    std::uint64_t whole;
    enum Rest { kZero, kBelowHalf, kHalf, kAboveHalf } rest;
    bool too_large;  // more than any binade holds
};

Measured measure(Format format, std::uint64_t significand, int shift) {
    if (shift >= 0) {
        const bool too_large = leading_zeros(significand) - shift < 64 - (format.precision + 1);
        return {too_large ? 0 : significand << shift, Measured::kZero, too_large};
    }
    const int dropped = -shift;
    if (dropped > 63) return {0, Measured::kBelowHalf, false};  // fits: significand < 2^53
    const std::uint64_t whole = significand >> dropped;
    const std::uint64_t rest = significand - (whole << dropped);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    const auto kind = rest == 0      ? Measured::kZero
                      : rest < half  ? Measured::kBelowHalf
                      : rest == half ? Measured::kHalf
                                     : Measured::kAboveHalf;
    return {whole, kind, false};
}

}  // namespace

void Segment::advance(std::uint64_t n) {
    const U128 moved = U128{bits, fraction} + U128{step, fraction_step} * n;
    first += n;
    count -= n;
    bits = moved.high;
    fraction = moved.low;
}

std::uint64_t Segment::at(std::uint64_t j) const {
    const U128 position = U128{bits, fraction} + U128{step, fraction_step} * j;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    const bool up = position.low > half || (position.low == half && (position.high & 1));
    return position.high + (up ? 1 : 0);
}

Walker::Walker(const Sequence& sequence, std::uint64_t index)
    : sequence_(sequence), segment_{index, 0, sequence.start, 0, 0, 0} {
    if (!accumulates_float()) {
        find_segment();
        return;
    }
    segment_.first = 0;
    find_segment();
    while (index - segment_.first >= segment_.count && segment_.count > 0) advance();
    segment_.advance(index - segment_.first);
}

void Walker::advance() {
    Segment& s = segment_;
    s.first += s.count;
    if (accumulates_float()) {
        const std::uint64_t last = s.bits + (s.count - 1) * s.step;
        s.bits = next_is_known_ ? next_bits_ : sum(sequence_.format, last, sequence_.delta);
    }
    find_segment();
}

void Walker::find_segment() {
    if (!sequence_.format.is_float()) {
        find_integer_segment();
    } else if (sequence_.rule == Rule::kMultiply) {
        find_multiply_segment();
    } else {
        find_accumulate_segment();
    }
}

void Walker::find_integer_segment() {
    const std::uint64_t first = segment_.first;
    const std::uint64_t bits = sequence_.start + first * sequence_.delta;
    segment_ = {first, kIndexEnd - first, bits, sequence_.delta, 0, 0};
}

// Steps 1 to 5 are those of docs/sequences.md, section "accumulate".
void Walker::find_accumulate_segment() {
    const Format format = sequence_.format;
    const std::uint64_t bits = segment_.bits;
    const std::uint64_t left = kIndexEnd - segment_.first;
    const bool regular = format.is_finite(bits) && format.is_finite(sequence_.delta) &&
                         format.magnitude(bits) != 0 && format.magnitude(sequence_.delta) != 0;
    next_is_known_ = false;
    if (regular) {
        // 1. Measure delta in the spacing of the floats in the binade of this element.
        const Unpacked s = unpack(format, bits);
        const Unpacked d = unpack(format, sequence_.delta);
        const bool growing = s.negative == d.negative;
        const Measured m = measure(format, d.significand, d.exponent - s.exponent);
        // 2. One step in bit patterns: delta rounded to a whole number of spacings. A tie goes to
        //    the even neighbour; from an even significand that is an even step, so it repeats. From
        //    an odd one the step differs once, and leads to an even significand.
        const bool unsettled = m.rest == Measured::kHalf && (s.significand & 1);
        const bool up =
            m.rest == Measured::kAboveHalf || (m.rest == Measured::kHalf && m.whole & 1);
        const std::uint64_t step = m.whole + (up ? 1 : 0);
        if (!m.too_large && !unsettled) {
            // 3. The step holds while the exact sum stays in the binade, its upper border included;
            //    `room` counts the spacings from this element to the last allowed start of a step.
            const std::uint64_t needed = m.whole + (m.rest != Measured::kZero ? 1 : 0);
            const std::uint64_t top = std::uint64_t{1} << format.precision;
            // Below the smallest normal binade the spacing does not shrink; there only zero, whose
            // sign is a rule of its own, is excluded.
            const std::uint64_t bottom = s.exponent > 0 ? format.hidden_bit() : 1;
            const std::uint64_t distance = growing ? top - s.significand : s.significand - bottom;
            if (distance >= needed) {
                const std::uint64_t room = distance - needed;
                // 4. Absorption: a step of zero is repeated for ever.
                segment_.count = step == 0 ? left : minimum(left, room / step + 2);
                segment_.step = growing ? step : 0 - step;
                return;
            }
        }
    }
    // 5. A single element: a border, an unsettled tie, a zero, an infinity, a NaN. It stays for
    //    ever if addition gives it back.
    next_is_known_ = true;
    next_bits_ = sum(format, bits, sequence_.delta);
    segment_.count = next_bits_ == bits ? left : minimum(left, 1);
    segment_.step = 0;
}

// Steps 1 to 5 are those of docs/sequences.md, section "multiply".
void Walker::find_multiply_segment() {
    const Format format = sequence_.format;
    const std::uint64_t start = sequence_.start, delta = sequence_.delta;
    const std::uint64_t index = segment_.first, left = kIndexEnd - index;
    const auto value = [&](std::uint64_t i) { return fused(format, start, i, delta); };
    const auto equal_elements = [&](std::uint64_t count) {
        segment_ = {index, minimum(left, count), value(index), 0, 0, 0};
    };
    // 1. Constant from element 1 at the latest: zero, infinite or NaN operands.
    if (!format.is_finite(start) || !format.is_finite(delta) || format.magnitude(delta) == 0) {
        return equal_elements(index > 0 || value(1) == value(0) ? left : 1);
    }
    const Exact exact = exact_sum(format, start, index, delta);
    if (exact.magnitude == U128{0, 0}) return equal_elements(1);
    // 2. The binade of the exact value; beyond the largest one the sequence stays infinite, because
    //    start is finite.
    const int top_bit = 127 - leading_zeros(exact.magnitude);
    const int scale = top_bit + exact.exponent;
    const int exponent = scale < format.precision ? 0 : scale - (format.precision - 1);
    if (exponent > format.max_exponent()) return equal_elements(left);
    // 3. How many bits of delta lie below the spacing 2^exponent. The sticky bit goes below them
    //    where the vector kernels still reach: fractions as wide as an element, or what lanes of
    //    twice that width leave below the p + 1 bits of the binade; else to the last of 64 bits.
    //    Beyond that a value is repeated at least 2^11 times (2^64 / 2^53), and runs are found by
    //    search.
    const Unpacked d = unpack(format, delta);
    const int fraction_bits = exponent - d.exponent - trailing_zeros(d.significand);
    if (fraction_bits > 63) {
        const std::uint64_t bits = value(index);
        std::uint64_t same = 0, other = 1;
        while (other < left && value(index + other) == bits) {
            same = other;
            other = other > left / 2 ? left : 2 * other;
        }
        while (other - same > 1) {
            const std::uint64_t middle = same + (other - same) / 2;
            (value(index + middle) == bits ? same : other) = middle;
        }
        return equal_elements(other);
    }
    // 4. Position and step in units of the spacing, with 64 fraction bits.
    const int longer = 2 * format.bits - (format.precision + 2);
    const int kept = fraction_bits < format.bits             ? format.bits
                     : fraction_bits < longer && longer < 64 ? longer
                                                             : 64;
    U128 position = exact.magnitude >> (exponent - exact.exponent - kept);
    const bool sticky = !((position << (exponent - exact.exponent - kept)) == exact.magnitude);
    position.low |= sticky ? 1 : 0;
    position = position << (64 - kept);
    const bool too_large =
        64 - leading_zeros(d.significand) + d.exponent - exponent > format.precision + 1;
    if (too_large) return equal_elements(1);
    const int shift = 64 + d.exponent - exponent;
    const U128 step =
        shift >= 0 ? U128{0, d.significand} << shift : U128{0, d.significand} >> -shift;
    // 5. The segment ends with the binade; negative values end before zero, whose sign is positive.
    const bool growing = exact.negative == d.negative;
    const U128 top{std::uint64_t{1} << format.precision, 0};
    const std::uint64_t lowest = exponent > 0 ? format.hidden_bit() : exact.negative ? 1 : 0;
    const U128 room = growing ? top - position : position - U128{lowest, 0};
    const std::uint64_t more = divide(room, step);
    const std::uint64_t pattern = (exact.negative ? format.sign_bit() : 0) +
                                  (static_cast<std::uint64_t>(exponent) << (format.precision - 1)) +
                                  position.high;
    const U128 signed_step = growing ? step : -step;
    const std::uint64_t count = more >= left ? left : more + 1;
    segment_ = {index, count, pattern, signed_step.high, position.low, signed_step.low};
}

std::uint64_t element(const Sequence& sequence, std::uint64_t index) {
    const Format format = sequence.format;
    if (!format.is_float()) return (sequence.start + index * sequence.delta) & format.mask();
    if (sequence.rule == Rule::kMultiply) {
        return fused(format, sequence.start, index, sequence.delta);
    }
    return Walker(sequence, index).segment().bits;
}

}  // namespace indirectml
