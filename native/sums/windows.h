// Packed arrays: averages and largest elements of windows that slide over them, and resampling.
#pragma once

#include <vector>

#include "../fill.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

constexpr int kSpatial = 3;

inline std::uint64_t product(const std::uint64_t (&sizes)[kSpatial]) {
    return sizes[0] * sizes[1] * sizes[2];
}

// Three spatial axes; those that an array lacks have one element, one position and no padding.
struct Windows {
    std::uint64_t channels;  // arrays of spatial axes, one after the other
    std::uint64_t input[kSpatial], output[kSpatial];
    std::uint64_t size[kSpatial], stride[kSpatial], dilation[kSpatial], start[kSpatial];
};

// What the sum of a window is divided by: the number of its positions on the array, or of all, or 1.
enum class Divisor : int { kInside, kAll, kOne };

// The sums of windows over a divisor, in FLOAT64, rounded once; positions are numbered in row-major
// order, and summed by S16.
void average_windows(const unsigned char* x, Type type, const Windows& windows, Divisor divisor,
                     Type out_type, unsigned char* out, const Policy& policy);

// The largest elements of FLOAT16 or FLOAT32: a NaN wins, +0 is larger than -0; -infinity where there
// is none.
void largest_in_windows(const unsigned char* x, Type type, const Windows& windows, Type out_type,
                        unsigned char* out, const Policy& policy);

// The same of INT8 or UINT8: the lowest number where there is none.
void largest_bytes(const unsigned char* x, bool is_signed, const Windows& windows,
                   unsigned char* out, const Policy& policy);

// Images of FLOAT32, FLOAT16 or bytes whose channels lie next to each other: bytes from image to image, and from
// position to position.
struct PixelImage {
    unsigned char* data;
    Type type;
    std::uint64_t images;
    std::ptrdiff_t image, position[kSpatial];
};

// Averages, or without a divisor the largest elements, in the type of x, of windows over all channels of
// each image, of which there are `windows.channels`. The same bits.
void pool_pixels(const PixelImage& x, const Windows& windows, const Divisor* divisor,
                 const PixelImage& out, const Policy& policy);

// The largest of INT8 or UINT8, as `largest_bytes`; the images' types are not looked at.
void largest_pixel_bytes(const PixelImage& x, bool is_signed, const Windows& windows,
                         const PixelImage& out, const Policy& policy);

// The largest elements of windows and their numbers in row-major order of x: of equal ones the first.
// Without an element it is -infinity, or the lowest integer, and -1. Numbers may be left out.
void largest_with_numbers(const unsigned char* x, Number number, const Windows& windows,
                          unsigned char* values, std::int64_t* numbers, const Policy& policy);

// The same of one channel after the other, numbered in the channel, on one thread.
class LargestInWindows {
  public:
    LargestInWindows(const unsigned char* x, Number number, const Windows& windows,
                     const Policy& policy);
    // Of each window, in order; -1 without an element.
    const std::int64_t* numbers(std::uint64_t channel);

  private:
    // Which positions of a window lie on the array, along an axis, and the element under the first one.
    struct Reach {
        std::uint64_t begin, end, first;
    };
    static Reach reach_of(const Windows& w, int axis, std::uint64_t output);
    std::int64_t number(const Reach& layers, const Reach& rows, const Reach& columns) const;

    const unsigned char* const x_;
    const std::size_t item_;
    const Windows& w_;
    const KeysKernel keys_of_;
    std::vector<std::int64_t> keys_, numbers_;
    std::vector<Reach> across_;
};

// What comes to each element of the array under windows, by rule S16: parts are numbered by the
// element's position in each window. A window has a part for each position; one for all, over its
// divisor; or one for its largest element alone, among x.
struct Spread {
    enum Kind { kColumns, kShares, kLargest };
    Windows windows;
    Kind kind;
    Divisor divisor;
    const unsigned char* x;
    Number number;
};
void spread(const unsigned char* x, Type type, const Spread& how, Type out_type, unsigned char* out,
            const Policy& policy);

// [channels, positions, windows]: the same of integers, modulo 2^bits; and the elements that windows
// have, with zeros from padding.
void fold_windows(const unsigned char* columns, std::size_t item, const Windows& windows,
                  unsigned char* out, const Policy& policy);
void unfold(const unsigned char* x, std::size_t item, const Windows& windows, unsigned char* out,
            const Policy& policy);

// Sums of magnitudes, of order 1; roots of sums of squares; from order 3 on sums of powers, rounded to
// FLOAT32, to the power of 1 / order.
void norms_of_windows(const unsigned char* x, Type type, const Windows& windows, std::uint64_t order,
                      Type out_type, unsigned char* out, const Policy& policy);

// x / (bias + share * s)^beta, where s is the sum of the squares of an element's neighbours along some
// axes, rounded to FLOAT32; so is each operation. A window is as large as the array.
struct Neighbours {
    Windows windows;
    float share, bias, beta;
};
void local_response(const unsigned char* x, Type type, const Neighbours& how, float* out,
                    const Policy& policy);

// Where the outputs of an axis come from: tap k of output i is input indices[k * outputs + i], which
// counts weights[k * outputs + i]. Taps of weight 0 are left out; an output without taps is +0.
struct Taps {
    std::uint64_t count;  // 0: the axis stays as it is
    const std::int32_t* indices;
    const double* weights;
};

// Along the last axis of [slices, rows, columns], then along the rows, in FLOAT64, rounded once.
struct Images {
    std::uint64_t slices, rows, columns, out_rows, out_columns;
    Taps down, across;
};
void resample(const unsigned char* x, Type type, const Images& images, Type out_type,
              unsigned char* out, const Policy& policy);

}  // namespace sums
}  // namespace indirectml
