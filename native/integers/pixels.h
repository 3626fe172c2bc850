// Convolutions of 8-bit integers over images whose channels lie next to each other in the output, by filters
// that integers::pack_pixel_filters wrote.
#pragma once

#include <functional>

#include "../team.h"
#include "packing.h"

namespace indirectml {
namespace integers {

// Whether a convolution by such filters is one of planes with outputs of pixels.
bool is_of_pixels(const Convolution& task);

// Rows of the output, those of all images one after the other, where these are equally far from each
// other; else 0.
std::size_t rows_of_pixels(const Convolution& task);

// after(rows), if there is such a function, for each strip of rows by the thread that completes it.
void convolve_pixels(const Convolution& task, const ContractionPolicy& policy,
                     const std::function<void(Share)>& after = {});

}  // namespace integers
}  // namespace indirectml
