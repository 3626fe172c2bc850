// NEON on 64-bit Arm: 16-byte vectors.
#include <arm_neon.h>

#include <cstring>

#include "target.h"

namespace indirectml {

namespace neon {

// Arm has no streaming store that C++ can name; the hint is ignored.
template <typename Element, typename V>
struct Register {
    using Vector = V;
    static constexpr std::size_t kVectorBytes = 16;
    static constexpr std::size_t kCount = 16 / sizeof(Element);
};

#define INDIRECTML_LANES(N, V)                                                            \
    using Element = std::uint##N##_t;                                                     \
    static V load(const void* at) { return vld1q_u##N(static_cast<const Element*>(at)); } \
    static void store(unsigned char* at, V v) { std::memcpy(at, &v, sizeof(v)); }         \
    static void store_streaming(unsigned char* at, V v) { store(at, v); }                 \
    static V set(std::uint64_t bits) { return vdupq_n_u##N(static_cast<Element>(bits)); } \
    static V add(V a, V b) { return vaddq_u##N(a, b); }                                   \
    static V ramp(std::uint64_t step) {                                                   \
        Element lanes[16 / sizeof(Element)];                                              \
        for (std::size_t j = 0; j < 16 / sizeof(Element); ++j) {                          \
            lanes[j] = static_cast<Element>(j * step);                                    \
        }                                                                                 \
        return load(lanes);                                                               \
    }

#define INDIRECTML_WIDE_LANES(N, HALF)                                                   \
    static auto shift_right(Vector v, int n) {                                           \
        return vshlq_u##N(v, vdupq_n_s##N(static_cast<std::int##N##_t>(-n)));            \
    }                                                                                    \
    static auto low_bit(Vector v) { return vandq_u##N(v, set(1)); }                      \
    static auto merged(Vector even, Vector odd) {                                        \
        const auto low_halves = set((std::uint64_t{1} << (HALF)) - 1);                   \
        return vreinterpretq_u##HALF##_u##N(vbslq_u##N(low_halves, even, odd));          \
    }

template <int kBytes>
struct Lanes;

template <>
struct Lanes<1> : Register<std::uint8_t, uint8x16_t> {
    INDIRECTML_LANES(8, uint8x16_t)
};
template <>
struct Lanes<2> : Register<std::uint16_t, uint16x8_t> {
    INDIRECTML_LANES(16, uint16x8_t)
    INDIRECTML_WIDE_LANES(16, 8)
};
template <>
struct Lanes<4> : Register<std::uint32_t, uint32x4_t> {
    INDIRECTML_LANES(32, uint32x4_t)
    INDIRECTML_WIDE_LANES(32, 16)
};
template <>
struct Lanes<8> : Register<std::uint64_t, uint64x2_t> {
    INDIRECTML_LANES(64, uint64x2_t)
    INDIRECTML_WIDE_LANES(64, 32)
    // A comparison gives -1 where it holds, so subtracting it adds one.
    static Vector carried(Vector hi, Vector hi_step, Vector c, Vector before) {
        const Vector less = vcltq_s64(vreinterpretq_s64_u64(c), vreinterpretq_s64_u64(before));
        return vsubq_u64(add(hi, hi_step), less);
    }
    static Vector even_where_lowest(Vector hi, Vector c) {
        const Vector ties = vceqq_u64(c, set(1ULL << 63));
        return vbicq_u64(hi, vandq_u64(ties, set(1)));
    }
};

inline void fence() {}

#include "vector_kernels.inl"

}  // namespace neon

extern const Target kNeon = neon::table("neon");

}  // namespace indirectml
