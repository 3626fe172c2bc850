// FLOAT64 in lanes of NEON on 64-bit Arm: two a vector. The words are f64_portable.h's.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace indirectml {
namespace lanes {
namespace neon {

struct F64 {
    static constexpr bool kHasParts = false;
    using Vector = float64x2_t;
    using Mask = uint64x2_t;
    using Bits = uint64x2_t;
    using Single = float32x2_t;
    using Half = uint16x4_t;  // in the first two
    static constexpr std::size_t kCount = 2;
    static constexpr bool kFused = true;

    static Vector set(double value) { return vdupq_n_f64(value); }
    static Vector load(const double* at) { return vld1q_f64(at); }
    static void store(double* at, Vector v) { vst1q_f64(at, v); }
    static Vector load_single(const float* at) { return vcvt_f64_f32(vld1_f32(at)); }

    static Vector add(Vector a, Vector b) { return vaddq_f64(a, b); }
    static Vector sub(Vector a, Vector b) { return vsubq_f64(a, b); }
    static Vector mul(Vector a, Vector b) { return vmulq_f64(a, b); }
    static Vector div(Vector a, Vector b) { return vdivq_f64(a, b); }
    static Vector sqrt(Vector a) { return vsqrtq_f64(a); }
    static Vector muladd(Vector a, Vector b, Vector c) { return vfmaq_f64(c, a, b); }
    static Vector submul(Vector a, Vector b, Vector c) { return vfmsq_f64(c, a, b); }
    static Vector abs(Vector a) { return vabsq_f64(a); }
    static Vector with_sign(Vector a, Vector b) { return vbslq_f64(set_bits(kSign), b, a); }
    static Vector times_sign(Vector a, Vector b) {
        return number(veorq_u64(bits(a), vandq_u64(bits(b), set_bits(kSign))));
    }
    static Vector even(Vector a, Vector b) { return vuzp1q_f64(a, b); }
    static Vector odd(Vector a, Vector b) { return vuzp2q_f64(a, b); }
    static Vector min(Vector a, Vector b) { return select(less(a, b), a, b); }
    static Vector max(Vector a, Vector b) { return select(less(b, a), a, b); }

    static Mask less(Vector a, Vector b) { return vcltq_f64(a, b); }
    static Mask equal(Vector a, Vector b) { return vceqq_f64(a, b); }
    static Mask is_nan(Vector a) { return vbicq_u64(set_bits(~std::uint64_t{0}), equal(a, a)); }
    static Vector select(Mask mask, Vector yes, Vector no) { return vbslq_f64(mask, yes, no); }
    static Mask both(Mask a, Mask b) { return vandq_u64(a, b); }
    static Mask either(Mask a, Mask b) { return vorrq_u64(a, b); }
    static unsigned mask_bits(Mask mask) {
        return static_cast<unsigned>((vgetq_lane_u64(mask, 0) & 1) |
                                     (vgetq_lane_u64(mask, 1) & 2));
    }

    static Bits bits(Vector v) { return vreinterpretq_u64_f64(v); }
    static Vector number(Bits b) { return vreinterpretq_f64_u64(b); }
    static Bits set_bits(std::uint64_t b) { return vdupq_n_u64(b); }
    static Bits add_bits(Bits a, Bits b) { return vaddq_u64(a, b); }
    static Bits sub_bits(Bits a, Bits b) { return vsubq_u64(a, b); }
    static Bits and_bits(Bits a, Bits b) { return vandq_u64(a, b); }
    static Bits or_bits(Bits a, Bits b) { return vorrq_u64(a, b); }
    static Bits xor_bits(Bits a, Bits b) { return veorq_u64(a, b); }
    template <int kBy>
    static Bits shift_left(Bits a) {
        return vshlq_n_u64(a, kBy);
    }
    template <int kBy>
    static Bits shift_right(Bits a) {
        return vshrq_n_u64(a, kBy);
    }

    static Single single(Vector v) { return vcvt_f32_f64(v); }
    static void store_single(float* at, Single s) { vst1_f32(at, s); }
    // First to FLOAT32 by rounding to odd, which no second rounding can be misled by.
    static Half half(Vector v) {
        const Single odd = vcvtx_f32_f64(v);
        return vreinterpret_u16_f16(vcvt_f16_f32(vcombine_f32(odd, odd)));
    }
    static void store_half(std::uint16_t* at, Half h) {
        const std::uint32_t two = vget_lane_u32(vreinterpret_u32_u16(h), 0);
        std::memcpy(at, &two, sizeof(two));
    }
    static unsigned unequal(Single a, Single b) {
        const uint32x2_t same = vceq_f32(a, b);
        return (vget_lane_u32(same, 0) ? 0u : 1u) | (vget_lane_u32(same, 1) ? 0u : 2u);
    }
    static unsigned unequal(Half a, Half b) {
        const uint16x4_t magnitude = vand_u16(a, vdup_n_u16(0x7FFF));
        const uint16x4_t number = vcle_u16(magnitude, vdup_n_u16(0x7C00));
        const uint16x4_t same = vand_u16(vceq_u16(a, b), number);
        return (vget_lane_u16(same, 0) ? 0u : 1u) | (vget_lane_u16(same, 1) ? 0u : 2u);
    }

  private:
    static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
};

}  // namespace neon
}  // namespace lanes
}  // namespace indirectml
