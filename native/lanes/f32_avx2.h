// FLOAT32 in the 32-byte vectors of AVX2, with FMA and F16C. What the words mean: f32_portable.h.
#pragma once

#include <immintrin.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../compiler.h"

namespace indirectml::lanes::avx2 {

struct F32 {
    using Vector = __m256;
    using Mask = __m256;
    static constexpr std::size_t kCount = 8;
    static constexpr bool kPicks = true, kPicksOf32 = false, kMovesParts = true;
    static constexpr bool kSideBySide = false, kFixesUp = false;

    static Vector zero() { return _mm256_setzero_ps(); }
    static Vector set(float x) { return _mm256_set1_ps(x); }
    static Vector set_four(const float* at) {
        return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(at));
    }
    static Vector load(const float* at) { return _mm256_loadu_ps(at); }
    static __m256i below(std::size_t n) {
        const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes);
    }
    static Vector load_part(const float* at, std::size_t n) {
        return _mm256_maskload_ps(at, below(n));
    }
    using Part = __m256i;
    static Part between(std::size_t first, std::size_t end) {
        return _mm256_and_si256(_mm256_castps_si256(from(first)), below(end));
    }
    static Vector load_only(const float* at, Part part) { return _mm256_maskload_ps(at, part); }
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("x", v);
        return v;
    }
    static void prefetch(const void* at) {
        _mm_prefetch(static_cast<const char*>(at), _MM_HINT_T0);
    }
    static void store(float* at, Vector v) { _mm256_storeu_ps(at, v); }
    static void store_part(float* at, Vector v, std::size_t n) {
        _mm256_maskstore_ps(at, below(n), v);
    }
    static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
    static Vector divide(Vector a, Vector b) { return _mm256_div_ps(a, b); }
    static Vector if_less(Vector a, Vector b, Vector yes, Vector no) {
        return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
    }
    static Vector if_at_most(Vector a, Vector b, Vector yes, Vector no) {
        return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
    }
    static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
    static Vector canonical(Vector v) {
        const Vector nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
        return _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    }
    static Vector widen(const std::uint16_t* at) {
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    }
    static Vector widen_part(const std::uint16_t* at, std::size_t n) {
        std::uint16_t padded[kCount] = {};
        for (std::size_t j = 0; j < n; ++j) padded[j] = at[j];
        return widen(padded);
    }
    static Vector by_half(Vector v) {
        return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
    }
    static Vector even(Vector a, Vector b) {
        const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
        return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xD8));
    }
    static Vector odd(Vector a, Vector b) {
        const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xDD));
        return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xD8));
    }
    // Negative numbers. Of two zeros, or with a NaN, the instruction gives the second number: the bits of
    // both are -0, or a NaN, if one is.
    static constexpr float kLowest = HUGE_VALF;
    static Vector to_order(Vector v) { return _mm256_xor_ps(v, _mm256_set1_ps(-0.0f)); }
    static Vector larger(Vector a, Vector b) {
        return _mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a));
    }
    static Vector from_order(Vector v) { return canonical(to_order(v)); }
    static Vector magnitude(Vector v) {
        return _mm256_and_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF)));
    }
    static Vector all_bits() { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
    static Vector add_bits(Vector a, Vector b) {
        const __m256i sum = _mm256_add_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
        return _mm256_castsi256_ps(sum);
    }
    static Vector smaller_bits(Vector a, Vector b) {
        const __m256i y = _mm256_min_epu32(_mm256_castps_si256(a), _mm256_castps_si256(b));
        return _mm256_castsi256_ps(y);
    }
    static Vector larger_bits(Vector a, Vector b) {
        const __m256i y = _mm256_max_epu32(_mm256_castps_si256(a), _mm256_castps_si256(b));
        return _mm256_castsi256_ps(y);
    }
    static Mask from(std::size_t first) {
        const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i below = _mm256_set1_epi32(static_cast<int>(first) - 1);
        return _mm256_castsi256_ps(_mm256_cmpgt_epi32(lanes, below));
    }
    static Vector select(Mask mask, Vector yes, Vector no) { return _mm256_blendv_ps(no, yes, mask); }

    static Vector sub(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
    static Vector bytes(const std::int32_t* at, int by, std::uint32_t other) {
        const __m256i units = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        const __m256i byte = _mm256_and_si256(_mm256_srl_epi32(units, _mm_cvtsi32_si128(by)), _mm256_set1_epi32(0xFF));
        return _mm256_castsi256_ps(_mm256_xor_si256(byte, _mm256_set1_epi32(static_cast<int>(other))));
    }
    // The fourth bit, as the sign, chooses between two permutations.
    static Vector pick(const float* table, Vector v) {
        const __m256i n = _mm256_castps_si256(v);
        return _mm256_blendv_ps(_mm256_permutevar8x32_ps(load(table), n),
                                _mm256_permutevar8x32_ps(load(table + 8), n), shift_left<28>(v));
    }
    static Vector row_of_pieces(Vector v) {
        constexpr int kRow = 4, kRows = 31 << kRow;
        return _mm256_and_ps(shift_left<kRow>(v), _mm256_castsi256_ps(_mm256_set1_epi32(kRows)));
    }
    // Lanes of a half exchange what they loaded, four coefficients at a time.
    static void load_pieces(const float* table, const float* rows, Vector (&c)[12]) {
        std::uint32_t at[kCount];
        std::memcpy(at, rows, sizeof(at));
        for (int k = 0; k < 12; k += 4) {
            Vector r[4];
            for (int lane = 0; lane < 4; ++lane) {
                r[lane] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(table + at[lane] + k)),
                                               _mm_load_ps(table + at[lane + 4] + k), 1);
            }
            const Vector low = _mm256_unpacklo_ps(r[0], r[1]), low_2 = _mm256_unpacklo_ps(r[2], r[3]);
            const Vector high = _mm256_unpackhi_ps(r[0], r[1]), high_2 = _mm256_unpackhi_ps(r[2], r[3]);
            c[k] = _mm256_shuffle_ps(low, low_2, 0x44);
            c[k + 1] = _mm256_shuffle_ps(low, low_2, 0xEE);
            c[k + 2] = _mm256_shuffle_ps(high, high_2, 0x44);
            c[k + 3] = _mm256_shuffle_ps(high, high_2, 0xEE);
        }
    }
    template <int kBy>
    static Vector shift_left(Vector a) {
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), kBy));
    }
    static unsigned less(Vector a, Vector b) {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
    }
    static unsigned unequal(Vector a, Vector b) {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NEQ_UQ)));
    }
    static Vector with_differences(Vector v, Vector a, Vector b) {
        return _mm256_or_ps(v, _mm256_xor_ps(a, b));
    }
    using Half = __m128i;
    static Half half(Vector v) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT); }
    static unsigned unequal_halves(Half a, Half b) {
        const __m128i equal = _mm_packs_epi16(_mm_cmpeq_epi16(a, b), _mm_setzero_si128());
        return 0xFFu ^ static_cast<unsigned>(_mm_movemask_epi8(equal));
    }
    static void store_half(std::uint16_t* at, Half h) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), h);
    }
    static Vector mulsub(Vector a, Vector b, Vector c) { return _mm256_fmsub_ps(a, b, c); }
    static Vector submul(Vector a, Vector b, Vector c) { return _mm256_fnmadd_ps(a, b, c); }
    static Vector at_least(Vector v, float bound) { return _mm256_max_ps(set(bound), v); }
    static Vector at_most(Vector v, float bound) { return _mm256_min_ps(set(bound), v); }
    static Vector where_less(Vector a, Vector b, Vector yes, Vector no) {
        return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
    }
    static Vector with_sign(Vector v, Vector sign) {
        const Vector bit = set(-0.0f);
        return _mm256_or_ps(_mm256_andnot_ps(bit, v), _mm256_and_ps(bit, sign));
    }
    static Vector about_inverse(Vector v) { return _mm256_div_ps(set(1), v); }
    static Vector near_inverse(Vector v) {
        const Vector y = _mm256_rcp_ps(v);
        return _mm256_fmadd_ps(_mm256_fnmadd_ps(v, y, set(1)), y, y);
    }
    static Vector zero_where(unsigned lanes, Vector v) {
        const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        const __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(lanes)), bits);
        return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bits)), v);
    }

    // Pairs of rows interleave words, then pairs of words, then halves are exchanged.
    static void transpose(Vector* r) {
        Vector t[8];
        for (int i = 0; i < 8; i += 4) {
            const Vector a = _mm256_unpacklo_ps(r[i], r[i + 1]), b = _mm256_unpackhi_ps(r[i], r[i + 1]);
            const Vector c = _mm256_unpacklo_ps(r[i + 2], r[i + 3]);
            const Vector d = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
            t[i] = _mm256_shuffle_ps(a, c, 0x44);
            t[i + 1] = _mm256_shuffle_ps(a, c, 0xEE);
            t[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
            t[i + 3] = _mm256_shuffle_ps(b, d, 0xEE);
        }
        for (int i = 0; i < 4; ++i) {
            r[i] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x20);
            r[i + 4] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x31);
        }
    }
};

}  // namespace indirectml::lanes::avx2
