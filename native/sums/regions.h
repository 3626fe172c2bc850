// Regions of interest: rectangles of images, each brought to the same size, and the way back.
#pragma once

#include "../fill.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

// Where samples lie, and what is made of those of a cell.
struct Sampling {
    double scale_x, scale_y, input_offset, output_offset;
    std::uint64_t fewest, most;  // of a cell along an axis
    bool is_stretched;           // the first and the last sample of a region lie on its borders
    bool is_nearest;             // else weighed between neighbours
    bool is_largest;             // else the average
};

// Packed elements of a type of floats.
struct Floats {
    const unsigned char* data;
    Type type;
};

// x1, y1, x2, y2 of each region, the number of its image, and the cells that it becomes.
struct Regions {
    Floats corners;
    const unsigned char* images;
    std::size_t image_bytes;
    bool image_is_signed;
    std::uint64_t count, rows, columns;
};

struct ImageSizes {
    std::uint64_t count, channels, height, width;
};

// [regions, channels, rows, columns]: the average or the largest of the samples of each cell, in
// FLOAT64, rounded once. A sample beyond its image is `outside`, as all of an image that there is not.
void align_regions(const Floats& x, const ImageSizes& sizes, const Regions& regions,
                   const Sampling& sampling, double outside, Type out_type, unsigned char* out,
                   const Policy& policy);

// What comes back from that to the images, by region, sample, channel, row and column; x is asked for
// the largest alone.
void align_gradient(const Floats& x, const Floats& gradient, const ImageSizes& sizes,
                    const Regions& regions, const Sampling& sampling, Type out_type,
                    unsigned char* out, const Policy& policy);

// What comes back to the coordinates of the regions.
void align_gradient_of_regions(const Floats& x, const Floats& gradient, const ImageSizes& sizes,
                               const Regions& regions, const Sampling& sampling, Type out_type,
                               unsigned char* out, const Policy& policy);

// [regions, channels, rows, columns]: the largest element of each cell of regions whose rows are image,
// x1, y1, x2, y2 in `corners`. Coordinates times the scale, in FLOAT32, are rounded to integers, of two
// the one farther from 0; all of them have to be `can_be_pooled`. A cell without an element is 0.
bool can_be_pooled(const Floats& corners, std::uint64_t count, float scale);
void pool_regions(const Floats& x, const ImageSizes& sizes, const Regions& regions, float scale,
                  Type out_type, unsigned char* out, const Policy& policy);

}  // namespace sums
}  // namespace indirectml
