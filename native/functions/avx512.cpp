// Functions in the lanes of one instruction set.
#include <cstring>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_avx512.h"
#include "../lanes/f64_avx512.h"
#include "../lanes/two.h"
#include "coefficients.h"
#include "functions.h"

namespace indirectml {
namespace functions {

namespace avx512 {

using L = lanes::avx512::F64;
using S = lanes::avx512::F32;

#include "bodies.inl"

}  // namespace avx512

extern const Kernels kAvx512 = avx512::table("avx512");

}  // namespace functions
}  // namespace indirectml
