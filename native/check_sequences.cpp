// A part of check_native: sequences of the compiler's own float types, against plain loops.
//
// Additions are the processor's. Products and sums that are rounded once are made of operations
// whose errors are known, and of a rounding to odd before the last one: two roundings that are
// together one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
// using rounding to odd", 2008). Not by std::fma: not every C library rounds it once.
#include <cfenv>
#include <cfloat>
#include <vector>

#include "check_support.h"
#include "floats.h"
#include "sequence.h"
#include "wide.h"

namespace indirectml {

namespace {

// The bits of the result of an operation: a NaN is positive and quiet, with payload zero.
template <typename Float>
std::uint64_t result_bits(Float value) {
    return value == value ? to_bits(value) : FormatOf<Float>::kFormat.quiet_nan();
}

// A number as its rounded value and what that lost, exactly.
struct Exact {
    double rounded, lost;
};

// Knuth's sum; what is lost is NaN if the sum is not finite.
Exact exact_sum(double a, double b) {
    const double sum = a + b, taken = sum - a;
    return {sum, (a - (sum - taken)) + (b - taken)};
}

// Dekker's product, of numbers that are far from overflow and from subnormal products.
Exact exact_product(double a, double b) {
    const auto upper = [](double x) {
        const double spread = 134217729 * x;  // 2^27 + 1
        return spread - (spread - x);
    };
    const double a1 = upper(a), a0 = a - a1, b1 = upper(b), b0 = b - b1;
    const double product = a * b;
    return {product, a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0)};
}

// Rounded to odd: where something was lost, to the one of two neighbours whose last bit is set.
double to_odd(Exact number) {
    const double sum = number.rounded, lost = number.lost;
    std::uint64_t bits = to_bits(sum);
    if ((lost < 0 || lost > 0) && !(bits & 1)) bits += (lost > 0) == (sum > 0) ? 1 : -1;
    return from_bits<double>(bits);
}

double power_of_two(int exponent) {  // -1074 to 1023
    return from_bits<double>(exponent < -1022 ? std::uint64_t{1} << (exponent + 1074)
                                              : static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// floor(log2(|value|)), of a finite number that is not zero.
int exponent_of(double value) {
    const std::uint64_t bits = to_bits(value) & ~FormatOf<double>::kFormat.sign_bit();
    const int top_bit = 63 - leading_zeros(bits);
    return top_bit < 52 ? top_bit - 1074 : static_cast<int>(bits >> 52) - 1023;
}

double scaled(double value, int exponent) {  // by a power of two, in two steps that both fit
    return value * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2);
}

// start + index * delta, rounded once. All indices below kExactIndices are exact in `Float`, or
// their products are.
double multiplied(double start, std::uint64_t index, double delta) {
    const double factor = static_cast<double>(index);
    if (delta - delta != 0 || delta == 0 || index == 0) return start + factor * delta;
    if (start - start != 0) return start;  // a product that overflows is still finite
    // 1. The larger one is brought near to 1. One that is smaller by 2^200, where start has 53 bits
    //    and the product 106, decides no more than a direction, and is brought to there.
    constexpr int kReach = 200;
    const int b = exponent_of(delta), a = start == 0 ? b : exponent_of(start);
    const int top = a > b ? a : b;
    const auto small = [](double value) { return value < 0 ? -1.0 : 1.0; };
    const double s = top - a > kReach ? small(start) * power_of_two(-kReach) : scaled(start, -top);
    const double d =
        top - b > kReach ? small(delta) * power_of_two(-kReach) : scaled(delta, -top);
    // 2. The sum of three numbers, rounded once.
    const Exact product = exact_product(factor, d);
    const Exact lower = exact_sum(s, product.lost);
    const Exact upper = exact_sum(product.rounded, lower.rounded);
    const double sum = upper.rounded + to_odd(exact_sum(lower.lost, upper.lost));
    // 3. Back. A subnormal result is exact, since start and delta are multiples of the smallest
    //    number, and so is their sum.
    return sum * power_of_two(top);
}

float multiplied(float start, std::uint64_t index, float delta) {
    const double product = static_cast<double>(index) * delta;  // exact: 29 + 24 bits
    return static_cast<float>(to_odd(exact_sum(start, product)));
}

struct Operands {
    std::uint64_t start, delta;
};

// Half of all pairs are of related magnitudes, so that additions round, tie, cancel and absorb.
Operands random_operands(Random& random, Format format) {
    const std::uint64_t hidden = format.hidden_bit();
    const auto significand = [&]() -> std::uint64_t {
        switch (random.below(6)) {
            case 0:
                return hidden;
            case 1:
                return hidden | 1;
            case 2:
                return 2 * hidden - 1 - random.below(2);
            case 3:
                return hidden | (hidden >> random.between(0, format.precision - 1));
            case 4:
                return hidden | random.below(8);
            default:
                return hidden | (random.word() & (hidden - 1));
        }
    };
    const auto pack = [&](int exponent, std::uint64_t s) {
        std::uint64_t bits;
        if (exponent > format.max_exponent()) {
            bits = format.infinity() - random.below(2);
        } else if (exponent < 0) {
            bits = exponent < -63 ? 0 : s >> -exponent;
        } else {
            bits = (static_cast<std::uint64_t>(exponent) << (format.precision - 1)) + s;
        }
        return bits | (random.below(2) ? format.sign_bit() : 0);
    };
    const auto border = [&]() -> std::uint64_t {
        const std::uint64_t near = random.below(3);
        switch (random.below(6)) {
            case 0:
                return near;
            case 1:
                return hidden - 1 + near;
            case 2:
                return 2 * hidden - 1 + near;
            case 3:
                return format.infinity() - 1 + near;
            case 4:
                return format.quiet_nan() + near;
            default:
                return (format.infinity() >> 1) - 1 + near;
        }
    };
    if (random.below(4) == 0) return {random.word() & format.mask(), random.word() & format.mask()};
    if (random.below(8) == 0) {
        const std::uint64_t signs = random.word();
        return {border() | (signs & format.sign_bit()),
                border() | ((signs << 1) & format.sign_bit())};
    }
    const int middle = format.max_exponent() / 2;
    const std::vector<int> exponents = {0,
                                        0,
                                        1,
                                        2,
                                        5,
                                        middle,
                                        middle + format.precision,
                                        format.max_exponent() - 1,
                                        format.max_exponent()};
    const int exponent = random.one_of(exponents);
    const int reach = format.precision + 3;
    const int shift =
        random.below(8) ? random.between(-reach, 3) : random.between(-3 * reach, reach);
    return {pack(exponent, significand()), pack(exponent + shift, significand())};
}

template <typename Float>
void check_element(const Sequence& s, std::uint64_t index, std::uint64_t actual,
                   std::uint64_t expected, const char* by) {
    ++g_comparisons;
    if (actual == expected) return;
    fail("%s of %s: start 0x%016" PRIX64 ", delta 0x%016" PRIX64 ", element %" PRIu64
         " is 0x%016" PRIX64 " by %s, expected 0x%016" PRIX64,
         s.rule == Rule::kMultiply ? "multiply" : "accumulate", FormatOf<Float>::kName, s.start,
         s.delta, index, actual, by, expected);
}

// Elements first .. first + expected.size(), as segments and one by one.
template <typename Float>
void check_range(const Sequence& s, std::uint64_t first, const std::vector<std::uint64_t>& expected,
                 Random& random) {
    const std::uint64_t mask = s.format.mask();
    const std::uint64_t count = expected.size();
    Walker walker(s, first);
    std::uint64_t index = first;
    for (; index - first < count; walker.advance()) {
        const Segment segment = walker.segment();
        if (segment.first != index || segment.count == 0) {
            fail("start 0x%016" PRIX64 ", delta 0x%016" PRIX64 ": a segment of %" PRIu64
                 " elements begins at %" PRIu64 ", expected at %" PRIu64,
                 s.start, s.delta, segment.count, segment.first, index);
        }
        for (std::uint64_t j = 0; j < segment.count && index - first < count; ++j, ++index) {
            check_element<Float>(s, index, segment.at(j) & mask, expected[index - first],
                                 "segment");
        }
    }
    for (int k = 0; k < 4; ++k) {
        const std::uint64_t offset = random.below(count);
        check_element<Float>(s, first + offset, element(s, first + offset), expected[offset],
                             "element");
    }
}

template <typename Float>
void check_accumulate(Operands operands, std::size_t count, Random& random) {
    const Sequence s{FormatOf<Float>::kFormat, Rule::kAccumulate, operands.start, operands.delta};
    std::vector<std::uint64_t> expected(count);
    expected[0] = s.start;
    Float value = from_bits<Float>(s.start);
    const Float delta = from_bits<Float>(s.delta);
    for (std::size_t i = 1; i < count; ++i) {
        value = value + delta;
        expected[i] = result_bits(value);
    }
    check_range<Float>(s, 0, expected, random);
    const std::uint64_t skipped = random.below(count);
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(skipped));
    check_range<Float>(s, skipped, expected, random);
}

template <typename Float>
void check_multiply(Operands operands, std::size_t count, Random& random) {
    const Sequence s{FormatOf<Float>::kFormat, Rule::kMultiply, operands.start, operands.delta};
    const Float start = from_bits<Float>(s.start), delta = from_bits<Float>(s.delta);
    // From the beginning, from anywhere, and from shortly before zero is crossed.
    const std::uint64_t end = FormatOf<Float>::kExactIndices - count;
    std::vector<std::uint64_t> places = {0, random.any_size() % end};
    const Float crossing = -start / delta;
    if (crossing > 20 && crossing < static_cast<Float>(end)) {
        places.push_back(static_cast<std::uint64_t>(crossing) - random.below(20));
    }
    std::vector<std::uint64_t> expected(count);
    for (const std::uint64_t first : places) {
        for (std::size_t j = 0; j < count; ++j) {
            expected[j] = result_bits(multiplied(start, first + j, delta));
        }
        check_range<Float>(s, first, expected, random);
    }
}

// Random pairs until `elements` of each rule are compared; sequences of up to `count`.
template <typename Float>
void check_random(std::uint64_t elements, std::size_t count, std::uint64_t stream) {
    Random random(stream);
    for (const bool product : {false, true}) {
        const std::uint64_t end = g_comparisons + elements;
        while (g_comparisons < end) {
            const Operands operands = random_operands(random, FormatOf<Float>::kFormat);
            if (product) {
                check_multiply<Float>(operands, count, random);
            } else {
                check_accumulate<Float>(operands, count, random);
            }
        }
    }
}

// Every pair of a start beside a border and a delta that is a multiple, a half, or a part of a
// spacing there, or nearly: ties, borders of binades, subnormals, the largest floats, absorption.
template <typename Float>
void check_borders(std::size_t count) {
    constexpr Format format = FormatOf<Float>::kFormat;
    constexpr std::uint64_t h = format.hidden_bit();
    constexpr int p = format.precision, top = format.max_exponent();
    const auto pattern = [](int exponent, std::uint64_t significand) {
        return (static_cast<std::uint64_t>(exponent) << (p - 1)) + significand;
    };
    Random random(6);
    std::vector<std::uint64_t> starts = {0, 1, 2, 3, h / 2 - 1, h / 2, h - 2, h - 1};
    for (const int e : {0, 1, 2, p, top / 2, top - p, top - 1, top}) {
        for (const std::uint64_t s :
             {h, h + 1, h + 2, h + h / 2, 2 * h - 3, 2 * h - 2, 2 * h - 1}) {
            starts.push_back(pattern(e, s));
        }
    }
    for (const std::uint64_t start : starts) {
        const int e = unpack(format, start).exponent;
        for (const int shift : {-p - 2, -p - 1, -p, 1 - p, 2 - p, 3 - p, -p / 2, -2, -1, 0, 1, 2}) {
            for (const std::uint64_t s :
                 {h, h + 1, h + h / 4, h + h / 2, h + h / 2 + 1, 2 * h - 1}) {
                const int exponent = e + shift;
                if (exponent > top) continue;
                // Below the smallest exponent, a subnormal of as many bits as are left.
                const std::uint64_t delta = exponent >= 0   ? pattern(exponent, s)
                                            : exponent > -p ? s >> -exponent
                                                            : 1;
                for (const std::uint64_t sign : {std::uint64_t{0}, format.sign_bit()}) {
                    for (const std::uint64_t turn : {std::uint64_t{0}, format.sign_bit()}) {
                        const Operands operands{start ^ sign, delta ^ sign ^ turn};
                        check_accumulate<Float>(operands, count, random);
                        check_multiply<Float>(operands, count, random);
                    }
                }
            }
        }
    }
}

void check_convert() {
    Random random(5);
    const Format single = FormatOf<float>::kFormat, twice = FormatOf<double>::kFormat;
    for (int k = 0; k < 200000; ++k) {
        std::uint64_t bits = random_operands(random, twice).start;
        // Most doubles are no floats: bring half of them near to the range of floats.
        if (k % 2) bits = (bits & 0x800FFFFFFFFFFFFF) | ((870 + random.below(300)) << 52);
        if (k % 4 == 1) bits &= ~std::uint64_t{0x0FFFFFFF};
        const auto narrowed = static_cast<float>(from_bits<double>(bits));
        const std::uint64_t actual = convert(twice, single, bits);
        ++g_comparisons;
        if (actual != to_bits(narrowed)) {
            fail("double 0x%016" PRIX64 " becomes float 0x%08" PRIX64 ", expected 0x%08" PRIX64,
                 bits, actual, to_bits(narrowed));
        }
        const std::uint64_t small = random_operands(random, single).start;
        const auto widened = static_cast<double>(from_bits<float>(small));
        ++g_comparisons;
        if (convert(single, twice, small) != to_bits(widened)) {
            fail("float 0x%08" PRIX64 " becomes double 0x%016" PRIX64 ", expected 0x%016" PRIX64,
                 small, convert(single, twice, small), to_bits(widened));
        }
    }
}

}  // namespace

void check_sequences() {
    check_convert();
    check_borders<float>(60);
    check_borders<double>(60);
    check_random<float>(5000000, 400, 3);
    check_random<double>(5000000, 400, 4);
    check_random<float>(1000000, 30000, 7);
}

void check_many_elements(std::uint64_t elements) {
    check_random<float>(elements, 4096, 8);
    std::printf("float: as many elements as asked for, under each rule\n");
    check_random<double>(elements, 4096, 9);
    std::printf("double: as many elements as asked for, under each rule\n");
}

}  // namespace indirectml
