// AVX-512 with the F, BW, DQ and VL parts: 64-byte vectors.
#include <immintrin.h>

#include <cstring>

#include "target.h"

namespace indirectml {

namespace avx512 {

using V = __m512i;

struct Register {
    using Vector = V;
    static constexpr std::size_t kVectorBytes = 64;
    static V load(const void* at) { return _mm512_loadu_si512(at); }
    static void store(unsigned char* at, V v) { _mm512_storeu_si512(at, v); }
    static void store_streaming(unsigned char* at, V v) {
        _mm512_stream_si512(reinterpret_cast<V*>(at), v);
    }
};

#define INDIRECTML_LANES(BYTES, N)                      \
    static constexpr std::size_t kCount = 64 / (BYTES); \
    static V add(V a, V b) { return _mm512_add_epi##N(a, b); }

// A mask has a bit for each half of a lane; `even` is set. GCC 12 warns of shifts without one.
#define INDIRECTML_WIDE_LANES(N, ALL, HALF, EVEN_HALVES)              \
    static V shift_right(V v, int n) {                                \
        return _mm512_maskz_srl_epi##N(ALL, v, _mm_cvtsi32_si128(n)); \
    }                                                                 \
    static V low_bit(V v) { return _mm512_and_si512(v, set(1)); }     \
    static V merged(V even, V odd) { return _mm512_mask_blend_epi##HALF(EVEN_HALVES, odd, even); }

template <int kBytes>
struct Lanes;

template <>
struct Lanes<1> : Register {
    static V set(std::uint64_t bits) { return _mm512_set1_epi8(static_cast<char>(bits)); }
    static V ramp(std::uint64_t step) {
        // There is no 8-bit product: 16-bit ones, of the even lanes and of the odd lanes.
        const V factor = _mm512_set1_epi16(static_cast<short>(step));
        const V pairs = _mm512_cvtepu8_epi16(
            _mm256_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36,
                             38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62));
        const V even = _mm512_mullo_epi16(pairs, factor);
        const V odd = _mm512_add_epi16(even, factor);
        return _mm512_or_si512(_mm512_and_si512(even, _mm512_set1_epi16(0xFF)),
                               _mm512_slli_epi16(odd, 8));
    }
    INDIRECTML_LANES(1, 8)
};

template <>
struct Lanes<2> : Register {
    static V set(std::uint64_t bits) { return _mm512_set1_epi16(static_cast<short>(bits)); }
    static V ramp(std::uint64_t step) {
        const V lanes = _mm512_cvtepu8_epi16(
            _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                             20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
        return _mm512_mullo_epi16(lanes, set(step));
    }
    INDIRECTML_LANES(2, 16)
    INDIRECTML_WIDE_LANES(16, 0xFFFFFFFF, 8, 0x5555555555555555)
};

template <>
struct Lanes<4> : Register {
    static V set(std::uint64_t bits) { return _mm512_set1_epi32(static_cast<int>(bits)); }
    static V ramp(std::uint64_t step) {
        return _mm512_mullo_epi32(
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), set(step));
    }
    INDIRECTML_LANES(4, 32)
    INDIRECTML_WIDE_LANES(32, 0xFFFF, 16, 0x55555555)
};

template <>
struct Lanes<8> : Register {
    static V set(std::uint64_t bits) { return _mm512_set1_epi64(static_cast<long long>(bits)); }
    static V ramp(std::uint64_t step) {
        return _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), set(step));
    }
    INDIRECTML_LANES(8, 64)
    INDIRECTML_WIDE_LANES(64, 0xFF, 32, 0x5555)
    // A comparison gives a mask; under it, subtracting -1 adds one.
    static V carried(V hi, V hi_step, V c, V before) {
        const V sum = add(hi, hi_step);
        return _mm512_mask_sub_epi64(sum, _mm512_cmplt_epi64_mask(c, before), sum, set(~0ULL));
    }
    static V even_where_lowest(V hi, V c) {
        const auto ties = _mm512_cmpeq_epi64_mask(c, set(1ULL << 63));
        return _mm512_mask_and_epi64(hi, ties, hi, set(~1ULL));
    }
};

inline void fence() { _mm_sfence(); }

#include "vector_kernels.inl"

}  // namespace avx512

extern const Target kAvx512 = avx512::table("avx512");

}  // namespace indirectml
