// A convolution as the product of its pixels and its filters, in this order: vectors hold filters,
// and are full however few pixels there are.
#pragma once

#include <functional>

#include "packing.h"
#include "product.h"

namespace indirectml {

// The next multiple of a panel's columns.
inline std::size_t in_panels(std::size_t count) { return (count + kPanel - 1) / kPanel * kPanel; }

// to[filter * to_row + pixel] = the total over k, plus the filter's bias.
struct FewPixels {
    std::size_t filters, pixels;
    const Chains* chains;
    std::size_t depth;  // units of k, in all chains
    const float* image;  // or null; unit k of pixel i is at image[k * image_k + i]
    std::ptrdiff_t image_k;
    Side filter;          // a line for each filter
    const float* panels;  // of filters (Contraction), or null
    const float* bias;    // of each filter, or null
    float* to;
    std::ptrdiff_t to_row;
};

// Whether this is less work than vectors of pixels. `is_in_panels`: filters are so in advance.
bool has_few_pixels(std::size_t pixels, std::size_t filters, bool is_in_panels);

// Where there is no image yet, pack_image(k, units, to) makes that of some k, at `to`; its image_k is
// in_panels(pixels).
using PackImage = std::function<void(std::size_t k, std::size_t units, float* to)>;
void multiply_few_pixels(const FewPixels& p, const PackImage& pack_image,
                         const ContractionKernels& kernels, ProductScratch& scratch);

}  // namespace indirectml
