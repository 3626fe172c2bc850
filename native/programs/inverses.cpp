#include "inverses.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "../lanes/f32_portable.h"

namespace indirectml {
namespace programs {

namespace {

// Mantissas are from here on, and below twice as much.
constexpr std::uint32_t kLeast = 1u << 23;

// Not all libraries have an fma that rounds once.
bool is_right(std::uint32_t x, float d, const Inverse& by) {
    const auto number = static_cast<float>(x);
    return lanes::portable::fma(number, by.high, number * by.low) == number / d;
}

// Whether all x of a mantissa of 24 bits are divided right by d, one too: only those can be wrong whose quotient is
// nearly halfway between two numbers, x 2^k = d m + r for an odd m, k 24 where x is no less than d and 25 where it is,
// and 0 < |r| <= most. These are found by 2^-k modulo the odd part of d, and looked at.
bool divides(std::uint32_t d, const Inverse& by, std::uint32_t most) {
    unsigned twos = 0;
    std::uint32_t odd = d;
    for (; odd % 2 == 0; odd /= 2) ++twos;
    if (most >> twos == 0) return true;
    std::uint32_t inverse = 1 % odd;
    const auto halve = [&] { inverse = inverse % 2 == 0 ? inverse / 2 : (inverse + odd) / 2; };
    for (unsigned k = twos; k < 24; ++k) halve();
    const auto are_right = [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint64_t r = 1; r <= most >> twos; r += 2) {
            const auto above = static_cast<std::uint32_t>(inverse * r % odd);
            for (const std::uint32_t first : {above, (odd - above) % odd}) {
                for (std::uint32_t x = first; x < end; x += odd) {
                    if (x >= begin && !is_right(x, static_cast<float>(d), by)) return false;
                }
            }
        }
        return true;
    };
    if (!are_right(d, 2 * kLeast)) return false;
    halve();
    return are_right(kLeast, d);
}

// Of a mantissa as an integer, or nothing.
std::optional<Inverse> inverse_of_mantissa(std::uint32_t mantissa) {
    const auto d = static_cast<double>(mantissa);
    // What is no more than 1 / d, and what that lacks: d * high is exact, and so is what it is less than 1.
    float high = static_cast<float>(1 / d);
    if (d * static_cast<double>(high) > 1) high = std::nextafterf(high, 0);
    const auto low = static_cast<float>((1 - d * static_cast<double>(high)) / d);
    if (low == 0) return Inverse{high, high * 0x1p-60f};  // d is a power of two: no quotient is changed by it
    // Errors of h + l and of x l are 1.5 x 2^-48 in units of d, or 2.5 for neighbours of l: so much a quotient may be
    // from halfway, which is r x 2^-48 / d at least.
    constexpr std::uint32_t kMost = 6, kMostOfNeighbours = 10;
    const Inverse nearest{high, low};
    if (divides(mantissa, nearest, kMost)) return nearest;
    for (const float next : {std::nextafterf(low, 1), std::nextafterf(low, 0)}) {
        const Inverse neighbour{high, next};
        if (divides(mantissa, neighbour, kMostOfNeighbours)) return neighbour;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Inverse> inverse_of(float d) {
    int exponent;
    const float fraction = std::frexp(d, &exponent);
    const std::optional<Inverse> found = inverse_of_mantissa(static_cast<std::uint32_t>(std::ldexp(fraction, 24)));
    if (!found) return std::nullopt;
    return Inverse{std::ldexp(found->high, 24 - exponent), std::ldexp(found->low, 24 - exponent)};
}

}  // namespace programs
}  // namespace indirectml
