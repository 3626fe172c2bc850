// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_neon.h"
#include "../lanes/f64_neon.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

namespace neon {

namespace {

using F32 = lanes::neon::F32;
using F64 = lanes::neon::F64;

inline void narrow(F32::Vector v, std::uint16_t* to) {
    vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(v)));
}

#include "bodies.inl"

}  // namespace

}  // namespace neon

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kNeon = neon::table("neon");

}  // namespace programs
}  // namespace indirectml
