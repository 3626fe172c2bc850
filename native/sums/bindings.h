// The Python face of sums and what is made of them.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "windows.h"

namespace indirectml {
namespace sums {

using Sizes = std::vector<std::uint64_t>;

// Channels, then three each: inputs, outputs, positions, strides, dilations, padding before.
inline Windows windows_of(const Sizes& sizes) {
    if (sizes.size() != 1 + 6 * kSpatial) {
        throw nanobind::value_error("another number of sizes");
    }
    Windows w;
    w.channels = sizes[0];
    for (int k = 0; k < kSpatial; ++k) {
        w.input[k] = sizes[1 + k];
        w.output[k] = sizes[4 + k];
        w.size[k] = sizes[7 + k];
        w.stride[k] = sizes[10 + k];
        w.dilation[k] = sizes[13 + k];
        w.start[k] = sizes[16 + k];
    }
    return w;
}

void bind_sums(nanobind::module_& m);
void bind_sum_steps(nanobind::module_& m);
void bind_number_steps(nanobind::module_& m);

}  // namespace sums
}  // namespace indirectml
