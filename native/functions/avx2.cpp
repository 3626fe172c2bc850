// Functions in the lanes of one instruction set.
#include <cstring>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_avx2.h"
#include "../lanes/f64_avx2.h"
#include "../lanes/two.h"
#include "coefficients.h"
#include "functions.h"

namespace indirectml {
namespace functions {

namespace avx2 {

using L = lanes::avx2::F64;
using S = lanes::avx2::F32;

#include "bodies.inl"

}  // namespace avx2

extern const Kernels kAvx2 = avx2::table("avx2");

}  // namespace functions
}  // namespace indirectml
