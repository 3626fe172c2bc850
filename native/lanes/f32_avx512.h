// FLOAT32 in the 64-byte vectors of AVX-512 (F, BW, DQ, VL). What the words mean: f32_portable.h.
#pragma once

#include <immintrin.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../compiler.h"

namespace indirectml::lanes::avx512 {

struct F32 {
    using Vector = __m512;
    using Mask = __mmask16;
    static constexpr std::size_t kCount = 16;
    static constexpr bool kPicks = true, kPicksOf32 = true, kMovesParts = true;
    static constexpr bool kSideBySide = true, kFixesUp = true;

    static Vector zero() { return _mm512_setzero_ps(); }
    static Vector bytes(const std::int32_t* at, int by, std::uint32_t other) {
        constexpr int kFirstAndSecondOrElseThird = 0x6A;  // the last by exclusive or
        const __m512i moved = _mm512_maskz_srl_epi32(0xFFFF, _mm512_loadu_si512(at), _mm_cvtsi32_si128(by));
        return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
            moved, _mm512_set1_epi32(0xFF), _mm512_set1_epi32(static_cast<int>(other)), kFirstAndSecondOrElseThird));
    }
    static Vector set(float x) { return _mm512_set1_ps(x); }
    static Vector set_four(const float* at) { return _mm512_broadcast_f32x4(_mm_loadu_ps(at)); }
    static Vector load(const float* at) { return _mm512_loadu_ps(at); }
    static Vector load_part(const float* at, std::size_t n) {
        return _mm512_maskz_loadu_ps(static_cast<Mask>((1u << n) - 1), at);
    }
    using Part = __mmask16;
    static Part between(std::size_t first, std::size_t end) {
        return static_cast<Part>(((1u << end) - 1) & (0xFFFFu << first));
    }
    static Vector load_only(const float* at, Part part) { return _mm512_maskz_loadu_ps(part, at); }
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("v", v);
        return v;
    }
    static void prefetch(const void* at) {
        _mm_prefetch(static_cast<const char*>(at), _MM_HINT_T0);
    }
    static void store(float* at, Vector v) { _mm512_storeu_ps(at, v); }
    static void store_part(float* at, Vector v, std::size_t n) {
        _mm512_mask_storeu_ps(at, static_cast<Mask>((1u << n) - 1), v);
    }
    static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
    static Vector divide(Vector a, Vector b) { return _mm512_div_ps(a, b); }
    static Vector if_less(Vector a, Vector b, Vector yes, Vector no) {
        return _mm512_mask_mov_ps(no, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), yes);
    }
    static Vector if_at_most(Vector a, Vector b, Vector yes, Vector no) {
        return _mm512_mask_mov_ps(no, _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ), yes);
    }
    static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
    static Vector canonical(Vector v) {
        const Vector nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000));
        return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan);
    }
    static Vector widen(const std::uint16_t* at) {
        return _mm512_maskz_cvtph_ps(0xFFFF,
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }
    static Vector widen_part(const std::uint16_t* at, std::size_t n) {
        return _mm512_maskz_cvtph_ps(
            0xFFFF, _mm256_maskz_loadu_epi16(static_cast<Mask>((1u << n) - 1), at));
    }
    static Vector by_half(Vector v) {
        return _mm512_maskz_cvtph_ps(
            0xFFFF, _mm512_maskz_cvtps_ph(0xFFFF, v, _MM_FROUND_TO_NEAREST_INT));
    }
    static Vector even(Vector a, Vector b) {
        const __m512i lanes = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                                28, 30);
        return _mm512_permutex2var_ps(a, lanes, b);
    }
    static Vector odd(Vector a, Vector b) {
        const __m512i lanes = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27,
                                                29, 31);
        return _mm512_permutex2var_ps(a, lanes, b);
    }
    static constexpr float kLowest = -HUGE_VALF;
    static Vector to_order(Vector v) { return v; }
    static Vector larger(Vector a, Vector b) {
        constexpr int kMaximum = 5;
        const Vector nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000));
        const Mask ordered = _mm512_cmp_ps_mask(a, b, _CMP_ORD_Q);
        return _mm512_mask_range_ps(nan, ordered, a, b, kMaximum);
    }
    static Vector from_order(Vector v) { return canonical(v); }
    static Vector magnitude(Vector v) {
        return _mm512_castsi512_ps(_mm512_maskz_and_epi32(0xFFFF, _mm512_castps_si512(v),
                                                          _mm512_set1_epi32(0x7FFFFFFF)));
    }
    static Vector all_bits() { return _mm512_castsi512_ps(_mm512_set1_epi32(-1)); }
    static Vector add_bits(Vector a, Vector b) {
        const __m512i sum = _mm512_add_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b));
        return _mm512_castsi512_ps(sum);
    }
    static Vector smaller_bits(Vector a, Vector b) {
        return _mm512_castsi512_ps(_mm512_maskz_min_epu32(0xFFFF, _mm512_castps_si512(a),
                                                          _mm512_castps_si512(b)));
    }
    static Vector larger_bits(Vector a, Vector b) {
        return _mm512_castsi512_ps(_mm512_maskz_max_epu32(0xFFFF, _mm512_castps_si512(a),
                                                          _mm512_castps_si512(b)));
    }
    static Mask from(std::size_t first) { return static_cast<Mask>(0xFFFFu << first); }
    static Vector select(Mask mask, Vector yes, Vector no) {
        return _mm512_mask_mov_ps(no, mask, yes);
    }

    static Vector sub(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
    static Vector pick(const float* table, Vector v) {
        return _mm512_maskz_permutexvar_ps(0xFFFF, _mm512_castps_si512(v), load(table));
    }
    static Vector pick_of_32(const float* table, Vector v) {
        return _mm512_permutex2var_ps(load(table), _mm512_castps_si512(v), load(table + 16));
    }
    template <int kBy>
    static Vector shift_left(Vector a) {
        return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xFFFF, _mm512_castps_si512(a), kBy));
    }
    static unsigned less(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
    static unsigned unequal(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
    static Vector with_differences(Vector v, Vector a, Vector b) {
        constexpr int kFirstOrOneOfOthers = 0xF6;  // a | (b ^ c)
        return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(v), _mm512_castps_si512(a),
                                                             _mm512_castps_si512(b), kFirstOrOneOfOthers));
    }
    using Half = __m256i;
    static Half half(Vector v) { return _mm512_maskz_cvtps_ph(0xFFFF, v, _MM_FROUND_TO_NEAREST_INT); }
    static unsigned unequal_halves(Half a, Half b) { return _mm256_cmpneq_epi16_mask(a, b); }
    static void store_half(std::uint16_t* at, Half h) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), h);
    }
    static Vector mulsub(Vector a, Vector b, Vector c) { return _mm512_fmsub_ps(a, b, c); }
    static Vector submul(Vector a, Vector b, Vector c) { return _mm512_fnmadd_ps(a, b, c); }
    // What becomes of a number by its kind, four bits for each: it stays what it is, becomes +0, or what there is instead.
    // From the right, a quiet and another NaN, 0, 1, -infinity, infinity, below 0 and above.
    using Fixes = __m512i;
    static Fixes numbers() { return _mm512_set1_epi32(0x11111100); }
    static Fixes positive_numbers() { return _mm512_set1_epi32(0x18181800); }
    static Vector fixed_up(Vector v, Fixes how) {
        const Vector nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000));
        return _mm512_fixupimm_ps(nan, v, how, 0);
    }
    static Vector at_least(Vector v, float bound) { return _mm512_max_ps(set(bound), v); }
    static Vector at_most(Vector v, float bound) { return _mm512_min_ps(set(bound), v); }
    static Vector where_less(Vector a, Vector b, Vector yes, Vector no) {
        return _mm512_mask_mov_ps(no, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), yes);
    }
    static Vector with_sign(Vector v, Vector sign) {
        constexpr int kBitOfThird = 0xCA;  // where a is 1 b, else c
        const __m512i size = _mm512_set1_epi32(0x7FFFFFFF);
        return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(size, _mm512_castps_si512(v),
                                                             _mm512_castps_si512(sign), kBitOfThird));
    }
    static Vector about_inverse(Vector v) { return _mm512_maskz_rcp14_ps(0xFFFF, v); }
    static Vector near_inverse(Vector v) {
        const Vector y = _mm512_maskz_rcp14_ps(0xFFFF, v);
        return _mm512_fmadd_ps(_mm512_fnmadd_ps(v, y, set(1)), y, y);
    }
    static Vector zero_where(unsigned lanes, Vector v) {
        return _mm512_maskz_mov_ps(static_cast<Mask>(~lanes), v);
    }

    // 1. Pairs of rows interleave words, then pairs of words, which transposes each 4 x 4 in place;
    // 2. two shuffles of 16-byte quarters transpose the 4 x 4 of these.
    static void transpose(Vector* r) {
        Vector t[16];
        for (int i = 0; i < 16; i += 4) {
            const Vector a = _mm512_unpacklo_ps(r[i], r[i + 1]), b = _mm512_unpackhi_ps(r[i], r[i + 1]);
            const Vector c = _mm512_unpacklo_ps(r[i + 2], r[i + 3]);
            const Vector d = _mm512_unpackhi_ps(r[i + 2], r[i + 3]);
            t[i] = _mm512_shuffle_ps(a, c, 0x44);
            t[i + 1] = _mm512_shuffle_ps(a, c, 0xEE);
            t[i + 2] = _mm512_shuffle_ps(b, d, 0x44);
            t[i + 3] = _mm512_shuffle_ps(b, d, 0xEE);
        }
        for (int i = 0; i < 4; ++i) {
            const Vector a = _mm512_shuffle_f32x4(t[i], t[i + 4], 0x88);
            const Vector b = _mm512_shuffle_f32x4(t[i], t[i + 4], 0xDD);
            const Vector c = _mm512_shuffle_f32x4(t[i + 8], t[i + 12], 0x88);
            const Vector d = _mm512_shuffle_f32x4(t[i + 8], t[i + 12], 0xDD);
            r[i] = _mm512_shuffle_f32x4(a, c, 0x88);
            r[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
            r[i + 8] = _mm512_shuffle_f32x4(a, c, 0xDD);
            r[i + 12] = _mm512_shuffle_f32x4(b, d, 0xDD);
        }
    }
};

}  // namespace indirectml::lanes::avx512
