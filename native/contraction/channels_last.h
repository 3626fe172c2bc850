// Convolutions whose output has the channels of a pixel next to each other, by filters in panels: pixels
// times filters as they lie, without the planes that others need.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "../team.h"
#include "convolve.h"

namespace indirectml {

// Rows of the output, those of all images one after the other, where these are equally far from each
// other; else 0.
std::size_t rows_of_outputs(const Convolution& task);

// False, and nothing has happened, if data lie otherwise. after(rows), if there is such a function, is
// called for each strip of rows by the thread that completes it.
bool convolve_channels_last(const Convolution& task, const ContractionPolicy& policy,
                            const std::function<void(Share)>& after = {});

// Filters of FLOAT32 in panels without taps that read nothing but padding, for rows where there are such
// taps; null if there are none, or they are too many to keep.
std::shared_ptr<const TrimmedFilters> trimmed_filters(const Convolution& task,
                                                      const ContractionKernels& kernels);

// What calls of a convolution have in common whose filters and biases stay what they are.
std::shared_ptr<KeptConvolvers> kept_convolvers();

// Filters that are in panels of FLOAT16, in FLOAT32.
std::vector<float> widened_panels(const Convolution& task, const ContractionKernels& kernels);

// The filters of channels that are in panels of channels, as they are stored.
std::vector<float> unpacked_channel_filters(const Convolution& task);

}  // namespace indirectml
