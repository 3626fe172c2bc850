// FLOAT64 in lanes of AVX-512: eight a vector. The words are f64_portable.h's.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace indirectml {
namespace lanes {
namespace avx512 {

struct F64 {
    using Part = __mmask8;
    static constexpr bool kHasParts = true;
    using Vector = __m512d;
    using Mask = __mmask8;
    using Bits = __m512i;
    using Single = __m256;
    using Half = __m128i;
    static constexpr std::size_t kCount = 8;
    static constexpr bool kFused = true;

    static Vector set(double value) { return _mm512_set1_pd(value); }
    static Vector load(const double* at) { return _mm512_loadu_pd(at); }
    static void store(double* at, Vector v) { _mm512_storeu_pd(at, v); }
    // Masks without a meaning: GCC 12 warns of the words that have none.
    static Vector load_single(const float* at) {
        return _mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(at));
    }
    static Part first(std::size_t n) { return static_cast<Part>((1u << n) - 1); }
    static Vector load_part(const float* at, Part part) {
        return _mm512_maskz_cvtps_pd(0xFF, _mm256_maskz_loadu_ps(part, at));
    }
    static Vector load_part(const double* at, Part part) { return _mm512_maskz_loadu_pd(part, at); }

    static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
    static Vector sub(Vector a, Vector b) { return _mm512_sub_pd(a, b); }
    static Vector mul(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
    static Vector div(Vector a, Vector b) { return _mm512_div_pd(a, b); }
    static Vector sqrt(Vector a) { return _mm512_maskz_sqrt_pd(0xFF, a); }
    static Vector muladd(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
    static Vector submul(Vector a, Vector b, Vector c) { return _mm512_fnmadd_pd(a, b, c); }
    static Vector abs(Vector a) {
        return number(_mm512_and_si512(bits(a), set_bits(~kSign)));
    }
    static Vector with_sign(Vector a, Vector b) {
        // Bit by bit: sign ? b : a.
        return number(_mm512_ternarylogic_epi64(set_bits(kSign), bits(b), bits(a), 0xCA));
    }
    static Vector times_sign(Vector a, Vector b) {
        // Bit by bit: a ^ (b & sign).
        return number(_mm512_ternarylogic_epi64(bits(a), bits(b), set_bits(kSign), 0x78));
    }
    static Vector even(Vector a, Vector b) {
        return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
    }
    static Vector odd(Vector a, Vector b) {
        return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
    }
    static Vector min(Vector a, Vector b) { return _mm512_maskz_min_pd(0xFF, a, b); }
    static Vector max(Vector a, Vector b) { return _mm512_maskz_max_pd(0xFF, a, b); }

    static Mask less(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
    static Mask equal(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
    static Mask is_nan(Vector a) { return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q); }
    static Vector select(Mask mask, Vector yes, Vector no) {
        return _mm512_mask_blend_pd(mask, no, yes);
    }
    static Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
    static Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
    static unsigned mask_bits(Mask mask) { return mask; }

    static Bits bits(Vector v) { return _mm512_castpd_si512(v); }
    static Vector number(Bits b) { return _mm512_castsi512_pd(b); }
    static Bits set_bits(std::uint64_t b) {
        return _mm512_set1_epi64(static_cast<long long>(b));
    }
    static Bits add_bits(Bits a, Bits b) { return _mm512_add_epi64(a, b); }
    static Bits sub_bits(Bits a, Bits b) { return _mm512_sub_epi64(a, b); }
    static Bits and_bits(Bits a, Bits b) { return _mm512_and_si512(a, b); }
    static Bits or_bits(Bits a, Bits b) { return _mm512_or_si512(a, b); }
    static Bits xor_bits(Bits a, Bits b) { return _mm512_xor_si512(a, b); }
    template <int kBy>
    static Bits shift_left(Bits a) {
        return _mm512_maskz_slli_epi64(0xFF, a, kBy);
    }
    template <int kBy>
    static Bits shift_right(Bits a) {
        return _mm512_maskz_srli_epi64(0xFF, a, kBy);
    }

    static Single single(Vector v) { return _mm512_maskz_cvtpd_ps(0xFF, v); }
    static void store_single(float* at, Single s) { _mm256_storeu_ps(at, s); }
    // First to FLOAT32 by rounding to odd, which no second rounding can be misled by.
    static Half half(Vector v) {
        const Bits low = set_bits((1u << 29) - 1);
        const Mask more = _mm512_test_epi64_mask(bits(v), low);
        const Bits cut = and_bits(bits(v), set_bits(~std::uint64_t{(1u << 29) - 1}));
        const Bits odd = _mm512_mask_or_epi64(cut, more, cut, set_bits(1u << 29));
        return _mm256_cvtps_ph(single(number(odd)),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    static void store_half(std::uint16_t* at, Half h) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), h);
    }
    static unsigned unequal(Single a, Single b) {
        return _mm256_cmp_ps_mask(a, b, _CMP_NEQ_UQ);
    }
    static unsigned unequal(Half a, Half b) {
        const __m128i magnitude = _mm_and_si128(a, _mm_set1_epi16(0x7FFF));
        return static_cast<unsigned>(
            _mm_cmpneq_epi16_mask(a, b) |
            _mm_cmpgt_epi16_mask(magnitude, _mm_set1_epi16(0x7C00)));
    }

  private:
    static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
};

}  // namespace avx512
}  // namespace lanes
}  // namespace indirectml
