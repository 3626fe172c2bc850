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

constexpr bool kByProducts = false;

inline void narrow(F32::Vector v, std::uint16_t* to) {
    vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(v)));
}
inline F32::Vector by_half(F32::Vector v) { return vcvt_f32_f16(vcvt_f16_f32(v)); }
inline F32::Vector nearest_whole(F32::Vector v) { return vrndnq_f32(v); }
inline F32::Vector by_integer(F32::Vector v) { return vcvtq_f32_s32(vcvtq_s32_f32(v)); }
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return F32::if_less(a, b, a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return F32::if_less(b, a, a, b); }

#include "bodies.inl"

}  // namespace

}  // namespace neon

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kNeon = neon::table("neon");

}  // namespace programs
}  // namespace indirectml
