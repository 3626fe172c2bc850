// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_avx2.h"
#include "../lanes/f64_avx2.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

namespace avx2 {

namespace {

using F32 = lanes::avx2::F32;
using F64 = lanes::avx2::F64;

constexpr bool kByProducts = false;

inline void narrow(F32::Vector v, std::uint16_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
inline F32::Vector nearest_whole(F32::Vector v) {
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return _mm256_min_ps(a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return _mm256_max_ps(a, b); }

struct Integers {
    using Vector = __m256i;
    static Vector load(const std::int32_t* at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    }
    static Vector load(const std::int8_t* at) {
        return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
    }
    static Vector load(const std::uint8_t* at) {
        return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
    }
    static Vector set(std::int32_t x) { return _mm256_set1_epi32(x); }
    static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static F32::Vector floats(Vector v) { return _mm256_cvtepi32_ps(v); }
    template <typename Byte>
    static void store(Vector v, Byte* to) {
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), std::is_signed_v<Byte> ? _mm_packs_epi16(words, words)
                                                                                : _mm_packus_epi16(words, words));
    }
    static Vector whole(F32::Vector x) { return _mm256_cvttps_epi32(x); }
    static Vector nearest_within(F32::Vector x, F32::Vector low, F32::Vector high) {
        const F32::Vector number = _mm256_and_ps(_mm256_cmp_ps(x, x, _CMP_ORD_Q), x);
        return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(number, low), high));
    }
};

#include "bodies.inl"

}  // namespace

}  // namespace avx2

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kAvx2 = avx2::table("avx2");

}  // namespace programs
}  // namespace indirectml
