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

template <typename Element>
void fraction(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step,
              std::uint64_t low, std::uint64_t low_step, Store) {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    auto* bytes = static_cast<unsigned char*>(out);
    for (std::size_t j = 0; j < count; ++j) {
        const bool up = low > half || (low == half && (bits & 1));
        const auto value = static_cast<Element>(bits + (up ? 1 : 0));
        std::memcpy(bytes + j * sizeof(Element), &value, sizeof(Element));
        const std::uint64_t next = low + low_step;
        bits += step + (next < low ? 1 : 0);
        low = next;
    }
}

}  // namespace

extern const Target kPortable = {
    "portable",
    {affine<std::uint8_t>, affine<std::uint16_t>, affine<std::uint32_t>, affine<std::uint64_t>},
    {fraction<std::uint8_t>, fraction<std::uint16_t>, fraction<std::uint32_t>,
     fraction<std::uint64_t>},
};

}  // namespace indirectml
