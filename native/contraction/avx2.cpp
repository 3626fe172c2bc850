// AVX2 with FMA and F16C: sums of 6 rows of 16 columns in 12 of 16 registers.
#include "../lanes/f32_avx2.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::avx2::F32;

constexpr std::size_t kRegisters = 16;
constexpr std::size_t kTilePanels = 1, kTileRows[kTilePanels] = {6};

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionAvx2 = contraction_table("avx2");

}  // namespace indirectml
