// FLOAT32 in the 16-byte vectors of 64-bit Arm. What the words mean: f32_portable.h.
#pragma once

#include <arm_neon.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../compiler.h"

namespace indirectml::lanes::neon {

struct F32 {
    using Vector = float32x4_t;
    using Mask = uint32x4_t;
    static constexpr std::size_t kCount = 4;
    static constexpr bool kPicks = true, kPicksOf32 = false, kMovesParts = false;
    static constexpr bool kSideBySide = false, kFixesUp = false;

    static Vector zero() { return vdupq_n_f32(0); }
    static Vector set(float x) { return vdupq_n_f32(x); }
    static Vector load(const float* at) { return vld1q_f32(at); }
    static Vector set_four(const float* at) { return load(at); }
    static Vector load_part(const float* at, std::size_t n) {
        float padded[kCount] = {};
        for (std::size_t j = 0; j < n; ++j) padded[j] = at[j];
        return load(padded);
    }
    struct Part {
        std::size_t first, end;
    };
    static Part between(std::size_t first, std::size_t end) { return {first, end}; }
    static Vector load_only(const float* at, Part part) {
        float padded[kCount] = {};
        for (std::size_t j = part.first; j < part.end; ++j) padded[j] = at[j];
        return load(padded);
    }
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("w", v);
        return v;
    }
    static void prefetch(const void* at) { indirectml::prefetch(at); }
    static void store(float* at, Vector v) { vst1q_f32(at, v); }
    static void store_part(float* at, Vector v, std::size_t n) {
        float all[kCount];
        store(all, v);
        for (std::size_t j = 0; j < n; ++j) at[j] = all[j];
    }
    static Vector add(Vector a, Vector b) { return vaddq_f32(a, b); }
    static Vector mul(Vector a, Vector b) { return vmulq_f32(a, b); }
    static Vector subtract(Vector a, Vector b) { return vsubq_f32(a, b); }
    static Vector divide(Vector a, Vector b) { return vdivq_f32(a, b); }
    static Vector if_less(Vector a, Vector b, Vector yes, Vector no) {
        return vbslq_f32(vcltq_f32(a, b), yes, no);
    }
    static Vector if_at_most(Vector a, Vector b, Vector yes, Vector no) {
        return vbslq_f32(vcleq_f32(a, b), yes, no);
    }
    static Vector fma(Vector a, Vector b, Vector c) { return vfmaq_f32(c, a, b); }
    static Vector canonical(Vector v) {
        const Vector nan = vreinterpretq_f32_u32(vdupq_n_u32(0x7FC00000));
        return vbslq_f32(vceqq_f32(v, v), v, nan);
    }
    static Vector widen(const std::uint16_t* at) {
        return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(at)));
    }
    static Vector widen_part(const std::uint16_t* at, std::size_t n) {
        std::uint16_t padded[kCount] = {};
        for (std::size_t j = 0; j < n; ++j) padded[j] = at[j];
        return widen(padded);
    }
    static Vector by_half(Vector v) { return vcvt_f32_f16(vcvt_f16_f32(v)); }
    static Vector even(Vector a, Vector b) { return vuzp1q_f32(a, b); }
    static Vector odd(Vector a, Vector b) { return vuzp2q_f32(a, b); }
    static constexpr float kLowest = -HUGE_VALF;
    static Vector to_order(Vector v) { return v; }
    static Vector larger(Vector a, Vector b) { return vmaxq_f32(a, b); }
    static Vector from_order(Vector v) { return canonical(v); }
    static Vector magnitude(Vector v) { return vabsq_f32(v); }
    static Vector all_bits() { return vreinterpretq_f32_u32(vdupq_n_u32(~0u)); }
    static Vector add_bits(Vector a, Vector b) {
        return vreinterpretq_f32_u32(vaddq_u32(bits(a), bits(b)));
    }
    static Vector smaller_bits(Vector a, Vector b) {
        return vreinterpretq_f32_u32(vminq_u32(bits(a), bits(b)));
    }
    static Vector larger_bits(Vector a, Vector b) {
        return vreinterpretq_f32_u32(vmaxq_u32(bits(a), bits(b)));
    }
    static Mask from(std::size_t first) {
        const std::uint32_t lanes[4] = {0, 1, 2, 3};
        return vcgeq_u32(vld1q_u32(lanes), vdupq_n_u32(static_cast<std::uint32_t>(first)));
    }
    static Vector select(Mask mask, Vector yes, Vector no) { return vbslq_f32(mask, yes, no); }

    static Vector sub(Vector a, Vector b) { return vsubq_f32(a, b); }
    static Vector bytes(const std::int32_t* at, int by, std::uint32_t other) {
        const uint32x4_t units = vreinterpretq_u32_s32(vld1q_s32(at));
        const uint32x4_t byte = vandq_u32(vshlq_u32(units, vdupq_n_s32(-by)), vdupq_n_u32(0xFF));
        return vreinterpretq_f32_u32(veorq_u32(byte, vdupq_n_u32(other)));
    }
    // The table is 64 bytes; four neighbours make a number.
    static Vector pick(const float* table, Vector v) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(table);
        const uint8x16x4_t all = {{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32),
                                   vld1q_u8(bytes + 48)}};
        const uint32x4_t n = vandq_u32(bits(v), vdupq_n_u32(15));
        const uint32x4_t at = vmlaq_u32(vdupq_n_u32(0x03020100), n, vdupq_n_u32(0x04040404));
        return vreinterpretq_f32_u8(vqtbl4q_u8(all, vreinterpretq_u8_u32(at)));
    }
    static uint32x4_t bits(Vector v) { return vreinterpretq_u32_f32(v); }
    static Vector row_of_pieces(Vector v) {
        constexpr int kRow = 4, kRows = 31 << kRow;
        return vreinterpretq_f32_u32(vandq_u32(vshlq_n_u32(bits(v), kRow), vdupq_n_u32(kRows)));
    }
    static void load_pieces(const float* table, const float* rows, Vector (&c)[12]) {
        std::uint32_t at[kCount];
        std::memcpy(at, rows, sizeof(at));
        for (int k = 0; k < 12; k += 4) {
            const float32x4x2_t ab = vtrnq_f32(load(table + at[0] + k), load(table + at[1] + k));
            const float32x4x2_t cd = vtrnq_f32(load(table + at[2] + k), load(table + at[3] + k));
            for (int n = 0; n < 2; ++n) {
                c[k + n] = vcombine_f32(vget_low_f32(ab.val[n]), vget_low_f32(cd.val[n]));
                c[k + n + 2] = vcombine_f32(vget_high_f32(ab.val[n]), vget_high_f32(cd.val[n]));
            }
        }
    }
    template <int kBy>
    static Vector shift_left(Vector a) {
        return vreinterpretq_f32_u32(vshlq_n_u32(bits(a), kBy));
    }
    static unsigned mask_bits(Mask mask) {
        const std::uint32_t lanes[4] = {1, 2, 4, 8};
        return vaddvq_u32(vandq_u32(mask, vld1q_u32(lanes)));
    }
    static unsigned less(Vector a, Vector b) { return mask_bits(vcltq_f32(a, b)); }
    static unsigned unequal(Vector a, Vector b) { return mask_bits(vmvnq_u32(vceqq_f32(a, b))); }
    static Vector with_differences(Vector v, Vector a, Vector b) {
        return vreinterpretq_f32_u32(vorrq_u32(bits(v), veorq_u32(bits(a), bits(b))));
    }
    using Half = uint16x4_t;
    static Half half(Vector v) { return vreinterpret_u16_f16(vcvt_f16_f32(v)); }
    static unsigned unequal_halves(Half a, Half b) {
        const int32x4_t equal = vmovl_s16(vreinterpret_s16_u16(vceq_u16(a, b)));
        return mask_bits(vmvnq_u32(vreinterpretq_u32_s32(equal)));
    }
    static void store_half(std::uint16_t* at, Half h) { vst1_u16(at, h); }
    static Vector mulsub(Vector a, Vector b, Vector c) { return vnegq_f32(vfmsq_f32(c, a, b)); }
    static Vector submul(Vector a, Vector b, Vector c) { return vfmsq_f32(c, a, b); }
    static Vector at_least(Vector v, float bound) { return vmaxq_f32(v, set(bound)); }
    static Vector at_most(Vector v, float bound) { return vminq_f32(v, set(bound)); }
    static Vector where_less(Vector a, Vector b, Vector yes, Vector no) {
        return vbslq_f32(vcltq_f32(a, b), yes, no);
    }
    static Vector with_sign(Vector v, Vector sign) {
        return vbslq_f32(vdupq_n_u32(0x80000000), sign, v);
    }
    static Vector about_inverse(Vector v) { return vdivq_f32(set(1), v); }
    static Vector near_inverse(Vector v) { return vdivq_f32(set(1), v); }
    static Vector zero_where(unsigned lanes, Vector v) {
        const std::uint32_t bits_of_lanes[4] = {1, 2, 4, 8};
        const Mask set = vtstq_u32(vdupq_n_u32(lanes), vld1q_u32(bits_of_lanes));
        return vbslq_f32(set, zero(), v);
    }

    // Pairs of rows interleave words, then pairs of words.
    static void transpose(Vector* r) {
        const float32x4x2_t a = vtrnq_f32(r[0], r[1]), b = vtrnq_f32(r[2], r[3]);
        r[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
        r[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
        r[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
        r[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
    }
};

}  // namespace indirectml::lanes::neon
