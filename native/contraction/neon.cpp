// NEON on 64-bit Arm: sums of 6 rows of 16 columns in 24 of 32 registers.
#include "../lanes/f32_neon.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::neon::F32;

constexpr std::size_t kRegisters = 32;
constexpr std::size_t kTilePanels = 1, kTileRows[kTilePanels] = {6};

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionNeon = contraction_table("neon");

}  // namespace indirectml
