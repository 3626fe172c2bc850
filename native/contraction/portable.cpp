// Plain C++, with an exact fused multiply-add that needs no instruction: what every other target is
// compared with.
#include "../lanes/f32_portable.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::portable::F32;

struct Pairs {
    static constexpr std::size_t kCount = 4;
    struct Vector {
        std::uint32_t lane[kCount];  // unsigned, since sums wrap
    };
    static Vector set(std::int32_t x) {
        const auto bits = static_cast<std::uint32_t>(x);
        return {{bits, bits, bits, bits}};
    }
    static Vector zero() { return set(0); }
    static Vector load(const std::int32_t* at) {
        Vector v;
        std::memcpy(v.lane, at, sizeof(v.lane));
        return v;
    }
    static void store(std::int32_t* at, Vector v) { std::memcpy(at, v.lane, sizeof(v.lane)); }
    static Vector add(Vector a, Vector b) {
        for (std::size_t j = 0; j < kCount; ++j) a.lane[j] += b.lane[j];
        return a;
    }
    static std::uint32_t product(std::uint32_t a, std::uint32_t b) {
        return static_cast<std::uint32_t>(static_cast<std::int16_t>(a) *
                                          static_cast<std::int16_t>(b));
    }
    static Vector fma(Vector a, Vector b, Vector c) {
        for (std::size_t j = 0; j < kCount; ++j) {
            c.lane[j] += product(a.lane[j] & 0xFFFF, b.lane[j] & 0xFFFF) +
                         product(a.lane[j] >> 16, b.lane[j] >> 16);
        }
        return c;
    }
};

constexpr std::size_t kTileRows = 2, kTilePanels = 1;

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionPortable = contraction_table("portable");

}  // namespace indirectml
