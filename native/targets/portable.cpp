// The kernels in plain C++: what every other target is compared with, and what runs where no other
// target does. Compilers turn these loops into whatever vectors the baseline has.
#include <cstring>

#include "target.h"

namespace indirectml {

namespace {

template <typename Element>
void affine(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step, Store) {
    auto* bytes = static_cast<unsigned char*>(out);
    for (std::size_t j = 0; j < count; ++j) {
        const auto value = static_cast<Element>(bits + j * step);
        // Through memcpy, since an element may lie at any address.
        std::memcpy(bytes + j * sizeof(Element), &value, sizeof(Element));
    }
}

// A half less one is added at the start. Where a sum is even this makes ties round down, and where
// it is odd one more makes them round up; nothing but a tie is changed by that one.
template <typename Element, typename Lane>
void fraction(void* out, std::size_t count, const FixedPoint& course, Store) {
    auto* bytes = static_cast<unsigned char*>(out);
    const int shift = course.fraction_bits;
    const auto step = static_cast<Lane>(course.step.low);
    auto position = static_cast<Lane>(course.position.low + (std::uint64_t{1} << (shift - 1)) - 1);
    for (std::size_t j = 0; j < count; ++j) {
        const auto raised = static_cast<Lane>(position + (position >> shift & 1));
        const auto value = static_cast<Element>(course.base + (raised >> shift));
        std::memcpy(bytes + j * sizeof(Element), &value, sizeof(Element));
        position = static_cast<Lane>(position + step);
    }
}

void fraction_of_words(void* out, std::size_t count, const FixedPoint& course, Store) {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    auto* bytes = static_cast<unsigned char*>(out);
    U128 position = course.position;
    for (std::size_t j = 0; j < count; ++j) {
        const bool up = position.low > half || (position.low == half && (position.high & 1));
        const std::uint64_t value = position.high + (up ? 1 : 0);
        std::memcpy(bytes + j * sizeof(value), &value, sizeof(value));
        position = position + course.step;
    }
}

}  // namespace

extern const Target kPortable = {
    "portable",
    {affine<std::uint8_t>, affine<std::uint16_t>, affine<std::uint32_t>, affine<std::uint64_t>},
    {fraction<std::uint8_t, std::uint16_t>, fraction<std::uint16_t, std::uint32_t>,
     fraction<std::uint32_t, std::uint64_t>, fraction_of_words},
};

}  // namespace indirectml
