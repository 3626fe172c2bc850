// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_portable.h"
#include "../lanes/f64_portable.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

namespace portable {

namespace {

using F32 = lanes::portable::F32;
using F64 = lanes::portable::F64;

constexpr bool kByProducts = false;

inline void narrow(F32::Vector v, std::uint16_t* to) {
    for (std::size_t j = 0; j < F32::kCount; ++j) {
        to[j] = lanes::portable::F64::half(static_cast<double>(v.lane[j]));
    }
}
inline F32::Vector by_half(F32::Vector v) {
    std::uint16_t halves[F32::kCount];
    narrow(v, halves);
    return F32::widen(halves);
}
inline F32::Vector nearest_whole(F32::Vector v) {
    for (float& lane : v.lane) lane = nearbyintf(lane);
    return v;
}
inline F32::Vector by_integer(F32::Vector v) {
    for (float& lane : v.lane) lane = static_cast<float>(static_cast<std::int32_t>(lane));
    return v;
}
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return F32::if_less(a, b, a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return F32::if_less(b, a, a, b); }

#include "bodies.inl"

}  // namespace

}  // namespace portable

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kPortable = portable::table("portable");

}  // namespace programs
}  // namespace indirectml
