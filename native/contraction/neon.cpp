// NEON on 64-bit Arm: sums of 6 rows of 16 columns in 24 of 32 registers.
#include "../lanes/f32_neon.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::neon::F32;

struct Pairs {
    using Vector = int32x4_t;
    static constexpr std::size_t kCount = 4;
    static Vector zero() { return vdupq_n_s32(0); }
    static Vector set(std::int32_t x) { return vdupq_n_s32(x); }
    static Vector load(const std::int32_t* at) { return vld1q_s32(at); }
    static void store(std::int32_t* at, Vector v) { vst1q_s32(at, v); }
    static Vector add(Vector a, Vector b) { return vaddq_s32(a, b); }
    // Products of even and of odd INT16; the halves are then added in pairs.
    static Vector fma(Vector a, Vector b, Vector c) {
        const int16x8_t x = vreinterpretq_s16_s32(a), y = vreinterpretq_s16_s32(b);
        const Vector low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
        return add(c, vpaddq_s32(low, vmull_high_s16(x, y)));
    }
};

constexpr std::size_t kTileRows = 6, kTilePanels = 1;

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionNeon = contraction_table("neon");

}  // namespace indirectml
