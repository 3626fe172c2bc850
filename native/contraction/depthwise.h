// Convolutions of a channel by a filter of its own, where both lie well.
#pragma once

#include "convolve.h"

namespace indirectml {

// False where the geometry, the types or the strides are none of those that kernels filter planes
// with; then nothing was done.
bool convolve_planes(const Convolution& task, const ContractionPolicy& policy);

}  // namespace indirectml
