// AVX-512: sums of 14 rows of 32 columns in 28 of 32 registers, or of 9 of 48, or of 7 of 64.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include "../lanes/f32_avx512.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::avx512::F32;

constexpr std::size_t kRegisters = 32;
constexpr std::size_t kTilePanels = 4, kTileRows[kTilePanels] = {14, 14, 9, 7};

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionAvx512 = contraction_table("avx512");

}  // namespace indirectml
