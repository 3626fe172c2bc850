// FLOAT64 in half a vector of AVX-512, four lanes of 256 bits, with its 32 registers and masks. The
// words are f64_portable.h's, as far as sums use them.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace indirectml {
namespace lanes {
namespace avx512 {

struct F64x4 {
    using Part = __mmask8;
    static constexpr bool kHasParts = true;
    using Vector = __m256d;
    using Mask = __mmask8;
    using Bits = __m256i;
    using Single = __m128;
    using Half = __m128i;  // in the low half
    static constexpr std::size_t kCount = 4;
    static constexpr bool kFused = true;

    static Vector set(double value) { return _mm256_set1_pd(value); }
    static Vector load(const double* at) { return _mm256_loadu_pd(at); }
    static void store(double* at, Vector v) { _mm256_storeu_pd(at, v); }
    static Vector load_single(const float* at) { return _mm256_cvtps_pd(_mm_loadu_ps(at)); }
    static Part first(std::size_t n) { return static_cast<Part>((1u << n) - 1); }
    static Vector load_part(const float* at, Part part) {
        return _mm256_cvtps_pd(_mm_maskz_loadu_ps(part, at));
    }
    static Vector load_part(const double* at, Part part) { return _mm256_maskz_loadu_pd(part, at); }
    static Vector only(Part part, Vector v) { return _mm256_maskz_mov_pd(part, v); }

    static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
    static Vector sub(Vector a, Vector b) { return _mm256_sub_pd(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
    static Vector muladd(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
    static Vector even(Vector a, Vector b) {
        return _mm256_permutex2var_pd(a, _mm256_setr_epi64x(0, 2, 4, 6), b);
    }
    static Vector odd(Vector a, Vector b) {
        return _mm256_permutex2var_pd(a, _mm256_setr_epi64x(1, 3, 5, 7), b);
    }
    static Vector abs(Vector a) { return _mm256_andnot_pd(set(-0.0), a); }

    static Mask is_nan(Vector a) { return _mm256_cmp_pd_mask(a, a, _CMP_UNORD_Q); }
    static Vector select(Mask mask, Vector yes, Vector no) {
        return _mm256_mask_blend_pd(mask, no, yes);
    }

    static Bits bits(Vector v) { return _mm256_castpd_si256(v); }
    static Vector number(Bits b) { return _mm256_castsi256_pd(b); }
    static Bits set_bits(std::uint64_t b) {
        return _mm256_set1_epi64x(static_cast<long long>(b));
    }
    static Bits and_bits(Bits a, Bits b) { return _mm256_and_si256(a, b); }

    static Single single(Vector v) { return _mm256_cvtpd_ps(v); }
    static void store_single(float* at, Single s) { _mm_storeu_ps(at, s); }
    // First to FLOAT32 by rounding to odd, which no second rounding can be misled by.
    static Half half(Vector v) {
        const Bits low = set_bits((1u << 29) - 1);
        const Mask more = _mm256_test_epi64_mask(bits(v), low);
        const Bits cut = and_bits(bits(v), set_bits(~std::uint64_t{(1u << 29) - 1}));
        const Bits odd = _mm256_mask_or_epi64(cut, more, cut, set_bits(1u << 29));
        return _mm_cvtps_ph(single(number(odd)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    static void store_half(std::uint16_t* at, Half h) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(at), h);
    }
};

}  // namespace avx512
}  // namespace lanes
}  // namespace indirectml
