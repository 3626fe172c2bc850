// Functions in the lanes of one instruction set.
#include <cstring>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_portable.h"
#include "../lanes/f64_portable.h"
#include "../lanes/two.h"
#include "coefficients.h"
#include "functions.h"

namespace indirectml {
namespace functions {

namespace portable {

using L = lanes::portable::F64;
using S = lanes::portable::F32;

#include "bodies.inl"

}  // namespace portable

extern const Kernels kPortable = portable::table("portable");

}  // namespace functions
}  // namespace indirectml
