// FLOAT64 in lanes of AVX2 with FMA and F16C: four a vector. The words are f64_portable.h's.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace indirectml {
namespace lanes {
namespace avx2 {

struct F64 {
    using Part = __m256i;
    static constexpr bool kHasParts = true;
    using Vector = __m256d;
    using Mask = __m256d;
    using Bits = __m256i;
    using Single = __m128;
    using Half = __m128i;  // in the low half
    static constexpr std::size_t kCount = 4;
    static constexpr bool kFused = true;

    static Vector set(double value) { return _mm256_set1_pd(value); }
    static Vector load(const double* at) { return _mm256_loadu_pd(at); }
    static void store(double* at, Vector v) { _mm256_storeu_pd(at, v); }
    static Vector load_single(const float* at) { return _mm256_cvtps_pd(_mm_loadu_ps(at)); }
    static Part first(std::size_t n) {
        const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), lanes);
    }
    static Vector load_part(const float* at, Part part) {
        const __m256i pairs = _mm256_permutevar8x32_epi32(part, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
        return _mm256_cvtps_pd(_mm_maskload_ps(at, _mm256_castsi256_si128(pairs)));
    }
    static Vector load_part(const double* at, Part part) { return _mm256_maskload_pd(at, part); }
    static Vector only(Part part, Vector v) { return _mm256_and_pd(_mm256_castsi256_pd(part), v); }

    static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
    static Vector sub(Vector a, Vector b) { return _mm256_sub_pd(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
    static Vector div(Vector a, Vector b) { return _mm256_div_pd(a, b); }
    static Vector sqrt(Vector a) { return _mm256_sqrt_pd(a); }
    static Vector muladd(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
    static Vector submul(Vector a, Vector b, Vector c) { return _mm256_fnmadd_pd(a, b, c); }
    static Vector abs(Vector a) { return _mm256_andnot_pd(set(-0.0), a); }
    static Vector with_sign(Vector a, Vector b) {
        const Vector sign = set(-0.0);
        return _mm256_or_pd(_mm256_andnot_pd(sign, a), _mm256_and_pd(sign, b));
    }
    static Vector times_sign(Vector a, Vector b) {
        return _mm256_xor_pd(a, _mm256_and_pd(set(-0.0), b));
    }
    static Vector even(Vector a, Vector b) {
        return _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xD8);
    }
    static Vector odd(Vector a, Vector b) {
        return _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xD8);
    }
    static Vector min(Vector a, Vector b) { return _mm256_min_pd(a, b); }
    static Vector max(Vector a, Vector b) { return _mm256_max_pd(a, b); }

    static Mask less(Vector a, Vector b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
    static Mask equal(Vector a, Vector b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
    static Mask is_nan(Vector a) { return _mm256_cmp_pd(a, a, _CMP_UNORD_Q); }
    static Vector select(Mask mask, Vector yes, Vector no) {
        return _mm256_blendv_pd(no, yes, mask);
    }
    static Mask both(Mask a, Mask b) { return _mm256_and_pd(a, b); }
    static Mask either(Mask a, Mask b) { return _mm256_or_pd(a, b); }
    static unsigned mask_bits(Mask mask) {
        return static_cast<unsigned>(_mm256_movemask_pd(mask));
    }

    static Bits bits(Vector v) { return _mm256_castpd_si256(v); }
    static Vector number(Bits b) { return _mm256_castsi256_pd(b); }
    static Bits set_bits(std::uint64_t b) {
        return _mm256_set1_epi64x(static_cast<long long>(b));
    }
    static Bits add_bits(Bits a, Bits b) { return _mm256_add_epi64(a, b); }
    static Bits sub_bits(Bits a, Bits b) { return _mm256_sub_epi64(a, b); }
    static Bits and_bits(Bits a, Bits b) { return _mm256_and_si256(a, b); }
    static Bits or_bits(Bits a, Bits b) { return _mm256_or_si256(a, b); }
    static Bits xor_bits(Bits a, Bits b) { return _mm256_xor_si256(a, b); }
    template <int kBy>
    static Bits shift_left(Bits a) {
        return _mm256_slli_epi64(a, kBy);
    }
    template <int kBy>
    static Bits shift_right(Bits a) {
        return _mm256_srli_epi64(a, kBy);
    }

    static Single single(Vector v) { return _mm256_cvtpd_ps(v); }
    static void store_single(float* at, Single s) { _mm_storeu_ps(at, s); }
    // First to FLOAT32 by rounding to odd, which no second rounding can be misled by.
    static Half half(Vector v) {
        const Bits rest = _mm256_and_si256(bits(v), set_bits((1u << 29) - 1));
        const Bits none = _mm256_cmpeq_epi64(rest, _mm256_setzero_si256());
        const Bits odd = _mm256_andnot_si256(none, set_bits(1u << 29));
        const Bits cut = _mm256_or_si256(_mm256_xor_si256(bits(v), rest), odd);
        return _mm_cvtps_ph(_mm256_cvtpd_ps(number(cut)),
                            _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    static void store_half(std::uint16_t* at, Half h) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(at), h);
    }
    static unsigned unequal(Single a, Single b) {
        return static_cast<unsigned>(_mm_movemask_ps(_mm_cmp_ps(a, b, _CMP_NEQ_UQ)));
    }
    static unsigned unequal(Half a, Half b) {
        const __m128i magnitude = _mm_and_si128(a, _mm_set1_epi16(0x7FFF));
        const __m128i nan = _mm_cmpgt_epi16(magnitude, _mm_set1_epi16(0x7C00));
        const __m128i equal = _mm_andnot_si128(nan, _mm_cmpeq_epi16(a, b));
        const auto bytes = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(equal, equal)));
        return ~bytes & 0xF;
    }
};

}  // namespace avx2
}  // namespace lanes
}  // namespace indirectml
