// What all that is made of sums shares: how work is shared, memory, and what becomes of NaNs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../fill.h"
#include "../team.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

// Rows whose sums kernels find together.
constexpr std::uint64_t kRowsTogether = 8;

// How many threads share the work.
inline unsigned part_count(std::uint64_t groups, std::uint64_t elements, std::uint64_t elements_per_thread,
                    const Policy& policy) {
    return worthwhile_threads(elements, elements_per_thread, groups, policy.max_threads);
}

// Kernels may read and write so many numbers beyond the end of a row.
constexpr std::uint64_t kBeyond = 16;

// Numbers of which the first is at the start of a cache line.
template <typename Number>
class Line {
  public:
    Line(std::uint64_t size, Number value) : numbers_(size + 2 * kBeyond, value) {}
    // In a copy they would begin elsewhere.
    Line(Line&&) = default;
    Line& operator=(Line&&) = default;
    Number* data() { return numbers_.data() + begin(); }
    const Number* data() const { return numbers_.data() + begin(); }

  private:
    std::size_t begin() const {
        constexpr std::uintptr_t kBytes = 64;
        const auto at = reinterpret_cast<std::uintptr_t>(numbers_.data());
        return (kBytes - at % kBytes) % kBytes / sizeof(Number);
    }

    std::vector<Number> numbers_;
};

inline double canonical(double x) { return x != x ? std::nan("") : x; }

// Makes every NaN the positive quiet one without payload.
template <typename Bits>
inline void quiet_bits(unsigned char* out, std::size_t count, Bits infinity, Bits nan) {
    for (std::size_t j = 0; j < count; ++j) {
        Bits bits;
        std::memcpy(&bits, out + j * sizeof(bits), sizeof(bits));
        if (static_cast<Bits>(bits << 1) > static_cast<Bits>(infinity << 1)) {
            std::memcpy(out + j * sizeof(nan), &nan, sizeof(nan));
        }
    }
}
inline void quiet(Type type, unsigned char* out, std::size_t count) {
    switch (type) {
        case Type::kHalf:
            return quiet_bits<std::uint16_t>(out, count, 0x7C00, 0x7E00);
        case Type::kSingle:
            return quiet_bits<std::uint32_t>(out, count, 0x7F800000, 0x7FC00000);
        default:
            return quiet_bits<std::uint64_t>(out, count, 0x7FF0000000000000, 0x7FF8000000000000);
    }
}

}  // namespace sums
}  // namespace indirectml
