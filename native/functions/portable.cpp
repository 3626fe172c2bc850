// Functions in the lanes of one instruction set.
#include <cstring>

#include "../lanes/f64_portable.h"
#include "coefficients.h"
#include "functions.h"

namespace indirectml {
namespace functions {

namespace portable {

using L = lanes::portable::F64;

#include "bodies.inl"

}  // namespace portable

extern const Kernels kPortable = portable::table("portable");

}  // namespace functions
}  // namespace indirectml
