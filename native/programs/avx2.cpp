// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_avx2.h"
#include "../lanes/f64_avx2.h"
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
inline F32::Vector by_half(F32::Vector v) {
    return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
inline F32::Vector nearest_whole(F32::Vector v) {
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline F32::Vector by_integer(F32::Vector v) {
    return _mm256_cvtepi32_ps(_mm256_cvttps_epi32(v));
}
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return _mm256_min_ps(a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return _mm256_max_ps(a, b); }

#include "bodies.inl"

}  // namespace

}  // namespace avx2

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kAvx2 = avx2::table("avx2");

}  // namespace programs
}  // namespace indirectml
