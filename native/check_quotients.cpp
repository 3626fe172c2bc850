// Quotients by products, against the processor's division: every significand of a dividend for many divisors,
// among them the two that the proof in docs/arithmetic.md leaves to this program, and borders of exponents.
// `check_quotients N` takes N more divisors of random bits.
#include <cmath>
#include <limits>

#include "check_support.h"
#include "programs/chains.h"
#include "programs/inverses.h"
#include "programs/kernels.h"

namespace indirectml {
namespace {

using programs::ChainEnds;
using programs::ChainLink;
using programs::Link;

constexpr std::uint32_t kSignificands = 1u << 23, kNan = 0x7FC00000;
constexpr std::size_t kBlock = 4096;

float number_of(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}
std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return x == x ? bits : kNan;
}
float power(int exponent, std::uint32_t significand = 0) {
    return std::ldexp(1 + static_cast<float>(significand) * 0x1p-23f, exponent);
}

// Normalizes whole blocks of numbers, each of a row of its own.
struct Normalizer {
    const programs::Kernels& kernels;
    std::vector<float> mean = row(0), deviation = row(1), scale = row(1), bias = row(-0.0f), x = row(0), out = row(0);
    std::vector<float> raised = row(0), divisor = row(0), inverse = row(0);

    static std::vector<float> row(float x) { return std::vector<float>(kBlock, x); }

    bool prepare() {
        return kernels.make_quotient_rows({mean.data(), deviation.data(), scale.data(), bias.data()},
                                          {raised.data(), divisor.data(), inverse.data()}, kBlock);
    }
    void check() {
        ChainLink links[] = {{Link::kNormalize, raised.data(), inverse.data(), 0, 0, 0},
                             {Link::kDivide, divisor.data(), nullptr, 0, 0, 0},
                             {Link::kMultiply, scale.data(), nullptr, 0, 0, 0},
                             {Link::kAdd, bias.data(), nullptr, 0, 0, 0}};
        constexpr auto kSingle = programs::Type::kFloat32;
        const ChainEnds ends{kSingle, kSingle, x.data(), out.data(), 0, 0, nullptr, 0, 0, nullptr};
        kernels.chain(links, 4, ends, kBlock, kBlock, 0);
        for (std::size_t j = 0; j < kBlock; ++j) {
            const float expected = (x[j] - mean[j]) / deviation[j] * scale[j] + bias[j];
            if (bits_of(expected) == bits_of(out[j])) continue;
            fail("%s: (%a - %a) / %a * %a + %a is %a, not %a", kernels.name, static_cast<double>(x[j]),
                 static_cast<double>(mean[j]), static_cast<double>(deviation[j]),
                 static_cast<double>(scale[j]), static_cast<double>(bias[j]),
                 static_cast<double>(expected), static_cast<double>(out[j]));
        }
        g_comparisons += kBlock;
    }
    void divide_by(float by) {
        deviation = row(by);
        if (!prepare()) fail("%s: %a is no divisor", kernels.name, static_cast<double>(by));
    }
    // All significands, or some, of an exponent, which -127 is for subnormals.
    void check_dividends(int exponent, std::uint32_t stride, std::uint32_t sign = 0) {
        const auto high = static_cast<std::uint32_t>(exponent + 127) << 23 | sign << 31;
        for (std::uint32_t at = 0; at < kSignificands; at += stride * static_cast<std::uint32_t>(kBlock)) {
            for (std::size_t j = 0; j < kBlock; ++j) {
                x[j] = number_of(high | (at + static_cast<std::uint32_t>(j) * stride) % kSignificands);
            }
            check();
        }
    }
};

void check_divisors(Normalizer& normalizer, std::uint64_t more) {
    Random random(1);
    std::vector<std::uint32_t> significands = {kSignificands - 1, kSignificands - 3, 0, 1, 2, 3,
                                               kSignificands - 2, kSignificands - 5, 0x400000, 0x3504F3};
    for (std::uint64_t n = 0; n < more; ++n) {
        significands.push_back(static_cast<std::uint32_t>(random.below(kSignificands)));
    }
    for (const std::uint32_t significand : significands) {
        // By powers of two, other dividends and divisors are as these.
        normalizer.divide_by(power(0, significand));
        normalizer.check_dividends(0, 1);
        for (const int exponent : {-20, -1, 1, 7, 19}) {
            normalizer.divide_by(power(exponent, significand));
            // Dividends and quotients that are subnormal or near that, and quotients that are large.
            for (const int border : {-127, -126 + exponent, -127 + exponent, -128 + exponent,
                                   -149 + exponent, -150 + exponent, -151 + exponent}) {
                normalizer.check_dividends(border < -127 ? -127 : border, border > -140 ? 61 : 1021, significand & 1);
            }
            for (const int high : {62, 63, 64, 127}) normalizer.check_dividends(high, 4093);
        }
        // Subnormal dividends one by one, of which few have a quotient between two neighbours.
        normalizer.divide_by(power(4, significand));
        for (std::size_t j = 0; j < kBlock; ++j) normalizer.x[j] = number_of(static_cast<std::uint32_t>(j));
        normalizer.check();
    }
}

// Means, scales and biases, and numbers that are none.
void check_random(Normalizer& normalizer) {
    Random random(2);
    const float special[] = {0.0f, -0.0f, std::numeric_limits<float>::infinity(), number_of(0xFF812345),
                             -std::numeric_limits<float>::infinity(), number_of(1), 0x1p-126f, 0x1.fffffep127f};
    const auto any = [&](int least, int most) {
        const float x = power(random.between(least, most), static_cast<std::uint32_t>(random.below(kSignificands)));
        return random.below(2) ? x : -x;
    };
    for (int round = 0; round < 300; ++round) {
        const int most = round % 3 == 0 ? 59 : 3;
        for (std::size_t j = 0; j < kBlock; ++j) {
            normalizer.mean[j] = random.below(4) ? any(-most, most) : random.below(2) ? 0.0f : -0.0f;
            normalizer.deviation[j] = std::fabs(any(-20, 19));
            normalizer.scale[j] = any(-most, most);
            normalizer.bias[j] = random.below(4) ? any(-most, most) : special[random.below(2)];
            normalizer.x[j] = random.below(4) ? any(-most, most) : normalizer.mean[j];
            if (random.below(64) == 0) normalizer.x[j] = any(-126, 127);
            if (round % 2 && random.below(64) == 0) normalizer.x[j] = special[random.below(8)];
        }
        if (!normalizer.prepare()) fail("%s: ordinary rows are refused", normalizer.kernels.name);
        normalizer.check();
    }
    // Each of these alone has rows refused.
    const float none = number_of(kNan), infinite = special[2];
    std::vector<float>* const rows[] = {&normalizer.mean, &normalizer.deviation, &normalizer.scale, &normalizer.bias};
    const std::vector<float> wrong[] = {{none, infinite, 0x1p61f}, {none, 0.0f, -1.0f, 0x1p-21f, 0x1p21f, infinite},
                                        {none, infinite, -infinite}, {none, infinite, -infinite}};
    for (std::size_t n = 0; n < 4; ++n) {
        for (const float x : wrong[n]) {
            float& place = (*rows[n])[random.below(kBlock)];
            const float before = place;
            place = x;
            if (normalizer.prepare()) {
                fail("%s: row %zu may have %a", normalizer.kernels.name, n, static_cast<double>(x));
            }
            place = before;
        }
    }
}

// Quotients by two products, of all significands by divisors of random bits: of some as they come, and of those whose
// inverse is no sum of the nearest numbers, as some quotient by these would be wrong.
void check_inverses(const programs::Kernels& kernels, std::size_t more) {
    constexpr std::size_t kDivisors = 20000, kMostWithout = kDivisors / 20, kMostMoved = kDivisors / 10;
    const std::size_t wanted = 8 + more;
    Random random(3);
    std::size_t without = 0, moved = 0, tried_moved = 0, tried = 0;
    std::vector<float> x(kBlock), out(kBlock);
    ChainLink link{Link::kDivide, nullptr, nullptr, 0, 0, 0};  // which divides by one number after the other
    const auto try_all = [&](float d, int exponent) {
        link.one = d;
        programs::choose_quotient(&link, true);
        if (!(link.rest > 0)) fail("%a has no inverse", static_cast<double>(d));
        for (std::uint32_t at = 0; at < kSignificands; at += static_cast<std::uint32_t>(kBlock)) {
            for (std::size_t j = 0; j < kBlock; ++j) x[j] = power(exponent, at + static_cast<std::uint32_t>(j));
            constexpr auto kSingle = programs::Type::kFloat32;
            const ChainEnds ends{kSingle, kSingle, x.data(), out.data(), 0, 0, nullptr, 0, 0, nullptr};
            kernels.chain(&link, 1, ends, kBlock, kBlock, 0);
            for (std::size_t j = 0; j < kBlock; ++j) {
                if (bits_of(x[j] / d) == bits_of(out[j])) continue;
                fail("%s: %a / %a is %a by two products", kernels.name, static_cast<double>(x[j]), static_cast<double>(d),
                     static_cast<double>(out[j]));
            }
            g_comparisons += kBlock;
        }
    };
    for (std::size_t n = 0; n < kDivisors; ++n) {
        const int exponent = random.between(-30, 29);
        const float d = power(exponent, static_cast<std::uint32_t>(random.below(kSignificands)));
        const std::optional<programs::Inverse> by = programs::inverse_of(d);
        if (!by) {
            ++without;
            continue;
        }
        const double rest = (1 - static_cast<double>(d) * static_cast<double>(by->high)) / static_cast<double>(d);
        const bool is_moved = by->low != static_cast<float>(rest);
        moved += is_moved;
        if (is_moved ? tried_moved++ < wanted : tried++ < wanted) try_all(d, random.between(-60, 60));
    }
    for (const int exponent : {-30, 0, 30}) try_all(power(exponent), 3);
    // Three of a hundred have none, and of four or five the lower part is not the nearest number.
    if (without == 0 || without > kMostWithout || moved == 0 || moved > kMostMoved) {
        fail("%zu of %zu divisors have no inverse, %zu a moved one", without, kDivisors, moved);
    }
}

}  // namespace
}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    g_program = "check_quotients";
    const int more = count == 2 ? std::atoi(words[1]) : 8;
    if (count > 2 || more < 0) {
        std::printf("check_quotients: the only argument is a number of divisors\n");
        return 2;
    }
    const TargetList targets = available_targets();
    for (std::size_t k = 0; k < targets.count; ++k) {
        const programs::Kernels& kernels = programs::kernels_of(*targets.begin[k]);
        if (kernels.chain) check_inverses(kernels, static_cast<std::size_t>(more));
        if (!kernels.make_quotient_rows) continue;
        Normalizer normalizer{kernels};
        check_divisors(normalizer, static_cast<std::uint64_t>(more));
        check_random(normalizer);
        std::printf("quotients of %s: as divided\n", kernels.name);
    }
    std::printf("check_quotients: %" PRIu64 " comparisons, no difference\n", g_comparisons);
    return 0;
}
