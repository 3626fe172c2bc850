// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include "../functions/coefficients.h"
#include "../lanes/f32_avx512.h"
#include "../lanes/f64_avx512.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

namespace avx512 {

namespace {

using F32 = lanes::avx512::F32;
using F64 = lanes::avx512::F64;

// A division of 16 takes 16 cycles on Intel.
constexpr bool kByProducts = true;
// A bit for each number that is subnormal, infinite or NaN.
inline unsigned unusual(F32::Vector v) { return _mm512_fpclass_ps_mask(v, 0xB9); }

inline void narrow(F32::Vector v, std::uint16_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
inline F32::Vector nearest_whole(F32::Vector v) {
    return _mm512_maskz_roundscale_ps(0xFFFF, v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return _mm512_maskz_min_ps(0xFFFF, a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }
// +0 where v is at most that: of zeros, the negative infinity and negative numbers, four bits each.
inline F32::Vector positive(F32::Vector v) {
    return _mm512_fixupimm_ps(v, v, _mm512_set1_epi32(0x08080800), 0);
}

struct Integers {
    using Vector = __m512i;
    static Vector load(const std::int32_t* at) { return _mm512_loadu_si512(at); }
    static Vector load(const std::int8_t* at) {
        return _mm512_maskz_cvtepi8_epi32(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    }
    static Vector load(const std::uint8_t* at) {
        return _mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    }
    static Vector set(std::int32_t x) { return _mm512_set1_epi32(x); }
    static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static F32::Vector floats(Vector v) { return _mm512_maskz_cvtepi32_ps(0xFFFF, v); }
    template <typename Byte>
    static void store(Vector v, Byte* to) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_maskz_cvtepi32_epi8(0xFFFF, v));
    }
    static Vector whole(F32::Vector x) { return _mm512_maskz_cvttps_epi32(0xFFFF, x); }
    static Vector nearest_within(F32::Vector x, F32::Vector low, F32::Vector high) {
        const __mmask16 numbers = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
        const F32::Vector raised = _mm512_maskz_max_ps(numbers, x, low);
        return _mm512_maskz_cvtps_epi32(0xFFFF, _mm512_maskz_min_ps(0xFFFF, raised, high));
    }
};

#include "bodies.inl"

}  // namespace

}  // namespace avx512

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kAvx512 = avx512::table("avx512");

}  // namespace programs
}  // namespace indirectml
