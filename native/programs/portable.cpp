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

inline void narrow(F32::Vector v, std::uint16_t* to) {
    for (std::size_t j = 0; j < F32::kCount; ++j) {
        to[j] = lanes::portable::F64::half(static_cast<double>(v.lane[j]));
    }
}

#include "bodies.inl"

}  // namespace

}  // namespace portable

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kPortable = portable::table("portable");

}  // namespace programs
}  // namespace indirectml
