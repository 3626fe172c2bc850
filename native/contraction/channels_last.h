// Convolutions whose output has the channels of a pixel next to each other, by packed filters: pixels
// times filters as they lie, without the planes that others need.
#pragma once

#include <vector>

#include "../team.h"
#include "convolve.h"

namespace indirectml {

// Rows of the output, those of all images one after the other; none where they cannot be cut.
std::size_t rows_of_outputs(const Convolution& task);

// Computes these rows. False, and nothing has happened, if data lie otherwise.
bool convolve_channels_last(const Convolution& task, const ContractionPolicy& policy, Share rows);

// The filters of channels that are packed by channels, as they are stored.
std::vector<float> unpacked_channel_filters(const Convolution& task);

}  // namespace indirectml
