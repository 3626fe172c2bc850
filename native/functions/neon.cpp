// Functions in the lanes of one instruction set.
#include <cstring>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_neon.h"
#include "../lanes/f64_neon.h"
#include "../lanes/two.h"
#include "coefficients.h"
#include "functions.h"

namespace indirectml {
namespace functions {

namespace neon {

using L = lanes::neon::F64;
using S = lanes::neon::F32;

#include "bodies.inl"

}  // namespace neon

extern const Kernels kNeon = neon::table("neon");

}  // namespace functions
}  // namespace indirectml
