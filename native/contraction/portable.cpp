// Plain C++, with an exact fused multiply-add that needs no instruction: what every other target is
// compared with.
#include "../lanes/f32_portable.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::portable::F32;

constexpr std::size_t kRegisters = 64;  // whatever there are, compilers find their way
constexpr std::size_t kTilePanels = 1, kTileRows[kTilePanels] = {2};

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionPortable = contraction_table("portable");

}  // namespace indirectml
