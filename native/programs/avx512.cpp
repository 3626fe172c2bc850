// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include "../lanes/f32_avx512.h"
#include "../lanes/f64_avx512.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

namespace avx512 {

namespace {

using F32 = lanes::avx512::F32;
using F64 = lanes::avx512::F64;

inline void narrow(F32::Vector v, std::uint16_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

#include "bodies.inl"

}  // namespace

}  // namespace avx512

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kAvx512 = avx512::table("avx512");

}  // namespace programs
}  // namespace indirectml
