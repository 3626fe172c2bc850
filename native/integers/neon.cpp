// NEON: bytes are widened to 16 bits. A column's sum is in two parts until the end. Sums of 2 rows of 16
// columns in 16 of 32 registers.
#include "../compiler.h"

#include <arm_neon.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../lanes/f32_neon.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

template <bool kIsSigned, bool>
struct Quads {
    using Vector = int32x4_t;
    struct Columns {
        int16x8_t low, high;  // two columns each
    };
    using Factor = int16x8_t;  // twice
    struct Sum {
        int32x4_t low, high;  // of two columns each
    };
    static constexpr std::size_t kCount = 4;
    static constexpr int kParts = 1;
    static constexpr bool kNarrows = false;
    static int16x8_t widen(uint8x8_t bytes, bool is_signed) {
        return is_signed ? vmovl_s8(vreinterpret_s8_u8(bytes))
                         : vreinterpretq_s16_u16(vmovl_u8(bytes));
    }
    template <int = 0>
    static Columns load(const std::int32_t* at) {
        const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
        return {widen(vget_low_u8(bytes), !kIsSigned), widen(vget_high_u8(bytes), !kIsSigned)};
    }
    template <int = 0>
    static Factor set(const unsigned char* at) {
        std::uint32_t unit;
        std::memcpy(&unit, at, sizeof(unit));
        return widen(vreinterpret_u8_u32(vdup_n_u32(unit)), kIsSigned);
    }
    static Sum zero() { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
    static int32x4_t pairs(Factor a, int16x8_t b) {
        return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)),
                          vmull_s16(vget_high_s16(a), vget_high_s16(b)));
    }
    static Sum add(Factor a, Columns b, Sum c) {
        return {vaddq_s32(c.low, pairs(a, b.low)), vaddq_s32(c.high, pairs(a, b.high))};
    }
    template <int = 0>
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        const uint8x16_t bytes = vld1q_u8(at);
        return {vaddq_s32(c.low, pairs(widen(vget_low_u8(bytes), kIsSigned), b.low)),
                vaddq_s32(c.high, pairs(widen(vget_high_u8(bytes), kIsSigned), b.high))};
    }
    static Vector total(Sum c) { return vpaddq_s32(c.low, c.high); }
    static Vector repeat(std::int32_t x) { return vdupq_n_s32(x); }
    static Vector load_sums(const std::int32_t* at) { return vld1q_s32(at); }
    static Vector plus(Vector a, Vector b) { return vaddq_s32(a, b); }
    static void store(std::int32_t* at, Vector v) { vst1q_s32(at, v); }
};

constexpr bool kWidens = false;
constexpr std::size_t kTileRows = 2, kTilePanels = 1, kRowPanels = 1;

inline std::size_t interleave_vectors(const unsigned char* const* lines, std::size_t count,
                                      unsigned char flips, std::int32_t* to) {
    const uint8x16_t changed = vdupq_n_u8(flips);
    std::size_t n = 0;
    for (; n + kPanel <= count; n += kPanel) {
        uint8x16x4_t units;
        for (int line = 0; line < 4; ++line) {
            units.val[line] = veorq_u8(vld1q_u8(lines[line] + n), changed);
        }
        vst4q_u8(reinterpret_cast<std::uint8_t*>(to + n), units);
    }
    return n;
}

using lanes::neon::F32;

#include "bodies.inl"

}  // namespace

extern const Kernels kIntegersNeon = table_of("neon", nullptr);

}  // namespace integers
}  // namespace indirectml
