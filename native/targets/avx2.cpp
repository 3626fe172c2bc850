// AVX2: 32-byte vectors.
#include <immintrin.h>

#include <cstring>

#include "target.h"

namespace indirectml {

namespace avx2 {

using V = __m256i;

struct Register {
    using Vector = V;
    static constexpr std::size_t kVectorBytes = 32;
    static V load(const void* at) { return _mm256_loadu_si256(static_cast<const V*>(at)); }
    static void store(unsigned char* at, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(at), v); }
    static void store_streaming(unsigned char* at, V v) {
        _mm256_stream_si256(reinterpret_cast<V*>(at), v);
    }
};

#define INDIRECTML_LANES(BYTES, N)                      \
    static constexpr std::size_t kCount = 32 / (BYTES); \
    static V add(V a, V b) { return _mm256_add_epi##N(a, b); }

#define INDIRECTML_WIDE_LANES(N)                                                            \
    static V shift_right(V v, int n) { return _mm256_srl_epi##N(v, _mm_cvtsi32_si128(n)); } \
    static V low_bit(V v) { return _mm256_and_si256(v, set(1)); }

template <int kBytes>
struct Lanes;

template <>
struct Lanes<1> : Register {
    static V set(std::uint64_t bits) { return _mm256_set1_epi8(static_cast<char>(bits)); }
    static V ramp(std::uint64_t step) {
        // There is no 8-bit product: 16-bit ones, of the even lanes and of the odd lanes.
        const V factor = _mm256_set1_epi16(static_cast<short>(step));
        const V pairs =
            _mm256_setr_epi16(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        const V even = _mm256_mullo_epi16(pairs, factor);
        const V odd = _mm256_add_epi16(even, factor);
        return _mm256_or_si256(_mm256_and_si256(even, _mm256_set1_epi16(0xFF)),
                               _mm256_slli_epi16(odd, 8));
    }
    INDIRECTML_LANES(1, 8)
};

template <>
struct Lanes<2> : Register {
    static V set(std::uint64_t bits) { return _mm256_set1_epi16(static_cast<short>(bits)); }
    static V ramp(std::uint64_t step) {
        return _mm256_mullo_epi16(
            _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), set(step));
    }
    INDIRECTML_LANES(2, 16)
    INDIRECTML_WIDE_LANES(16)
    static V merged(V even, V odd) { return _mm256_blendv_epi8(odd, even, set(0xFF)); }
};

template <>
struct Lanes<4> : Register {
    static V set(std::uint64_t bits) { return _mm256_set1_epi32(static_cast<int>(bits)); }
    static V ramp(std::uint64_t step) {
        return _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), set(step));
    }
    INDIRECTML_LANES(4, 32)
    INDIRECTML_WIDE_LANES(32)
    static V merged(V even, V odd) { return _mm256_blend_epi16(even, odd, 0xAA); }
};

template <>
struct Lanes<8> : Register {
    static V set(std::uint64_t bits) { return _mm256_set1_epi64x(static_cast<long long>(bits)); }
    static V ramp(std::uint64_t step) {
        return _mm256_set_epi64x(static_cast<long long>(3 * step), static_cast<long long>(2 * step),
                                 static_cast<long long>(step), 0);
    }
    INDIRECTML_LANES(8, 64)
    INDIRECTML_WIDE_LANES(64)
    static V merged(V even, V odd) { return _mm256_blend_epi32(even, odd, 0xAA); }
    // A comparison gives -1 where it holds, so subtracting it adds one.
    static V carried(V hi, V hi_step, V c, V before) {
        return _mm256_sub_epi64(add(hi, hi_step), _mm256_cmpgt_epi64(before, c));
    }
    static V even_where_lowest(V hi, V c) {
        const V ties = _mm256_cmpeq_epi64(c, set(1ULL << 63));
        return _mm256_andnot_si256(_mm256_and_si256(ties, set(1)), hi);
    }
};

inline void fence() { _mm_sfence(); }

#include "vector_kernels.inl"

}  // namespace avx2

extern const Target kAvx2 = avx2::table("avx2");

}  // namespace indirectml
