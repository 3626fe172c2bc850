// Convolutions with a defined order of additions (docs/arithmetic.md), as products of matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "../team.h"
#include "contract.h"

namespace indirectml {

constexpr int kSpatial = 3;  // missing leading dimensions have size 1

// Strides are in bytes: of images, of channels, and of positions.
struct Image {
    const unsigned char* data;
    OperandType type;
    std::ptrdiff_t image, channel, position[kSpatial];
};

struct KeptConvolvers;
struct TrimmedFilters;

struct Convolution {
    bool is_backward, is_flipped;  // direction; mode CONVOLUTION
    std::size_t images, groups;
    std::size_t channels, filters;  // of each group: of the input, of the output
    std::size_t input_sizes[kSpatial], filter_sizes[kSpatial], output_sizes[kSpatial];
    std::size_t strides[kSpatial], dilations[kSpatial], start_padding[kSpatial];
    Image input;
    // As it is stored: dimension 0 is `image`, dimension 1 is `channel`. The output's channels are
    // in dimension 0, or, backwards, in dimension 1, within a group.
    Image filter;
    // The filters of each group in panels (Contraction), a column for each, or null; forwards only. Where
    // each channel has one filter, a column for each channel: then all are one matrix.
    const float* filter_panels;
    const std::uint16_t* half_panels = nullptr;  // the same in FLOAT16, instead
    bool has_channel_panels = false;
    const TrimmedFilters* trimmed = nullptr;  // of filter_panels, if they are known
    KeptConvolvers* kept = nullptr;  // where filters and biases are the same in each call
    bool filter_is_in_panels = false;  // of integers: filter.data is what integers::pack_filters wrote
    bool has_pixel_panels = false;  // what integers::pack_pixel_filters wrote, instead
    const float* bias;  // of each output channel, or null
    Limits limits;      // of the results; not of integers
    unsigned char* output;  // FLOAT32 or INT32
    std::ptrdiff_t output_image, output_channel, output_position[kSpatial];
    std::int32_t input_zero;
    ZeroPoints filter_zero;  // of each output channel
};

// Whether images have one pixel, which filters of one group see with one tap.
bool is_of_one_pixel(const Convolution& task);

void convolve(const Convolution& task, const ContractionPolicy& policy);
// after(channels) for each few output channels, counted through all images, by who has completed them.
void convolve_integers(const Convolution& task, const ContractionPolicy& policy,
                       const std::function<void(Share)>& after = {});

}  // namespace indirectml
