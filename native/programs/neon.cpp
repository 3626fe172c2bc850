// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_neon.h"
#include "../lanes/f64_neon.h"
#include "../lanes/two.h"
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
inline F32::Vector nearest_whole(F32::Vector v) { return vrndnq_f32(v); }
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return F32::if_less(a, b, a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return F32::if_less(b, a, a, b); }

struct Integers {
    using Vector = int32x4_t;
    static Vector load(const std::int32_t* at) { return vld1q_s32(at); }
    static Vector load(const std::int8_t* at) { return set_each(at); }
    static Vector load(const std::uint8_t* at) { return set_each(at); }
    template <typename Byte>
    static Vector set_each(const Byte* at) {
        const std::int32_t each[] = {at[0], at[1], at[2], at[3]};
        return vld1q_s32(each);
    }
    static Vector set(std::int32_t x) { return vdupq_n_s32(x); }
    static Vector add(Vector a, Vector b) { return vaddq_s32(a, b); }
    static F32::Vector floats(Vector v) { return vcvtq_f32_s32(v); }
    template <typename Byte>
    static void store(Vector v, Byte* to) {
        const int16x4_t words = vmovn_s32(v);
        std::int8_t bytes[8];
        vst1_s8(bytes, vmovn_s16(vcombine_s16(words, words)));
        std::memcpy(to, bytes, 4);
    }
    static Vector whole(F32::Vector x) { return vcvtq_s32_f32(x); }
    static Vector nearest_within(F32::Vector x, F32::Vector low, F32::Vector high) {
        return vcvtnq_s32_f32(vminq_f32(vmaxq_f32(x, low), high));
    }
};

#include "bodies.inl"

}  // namespace

}  // namespace neon

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kNeon = neon::table("neon");

}  // namespace programs
}  // namespace indirectml
