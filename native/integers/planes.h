// The input of a convolution of 8-bit integers as planes of units in which the pixels that a tap reads are
// neighbours: the units of a plane are four channels at a pixel, or, where groups have few channels, four
// taps of a row. A plane's rows may be longer than those of the output.
#pragma once

#include <vector>

#include "packing.h"

namespace indirectml {
namespace integers {

// How output positions along a dimension find their pixels: tap r reads position + shift of plane
// `plane`, whose element j is the input's at j * stride + start.
struct Taps {
    std::vector<std::size_t> planes;
    std::vector<std::ptrdiff_t> shifts, starts;
    std::size_t extent;  // of a plane

    Taps(const Convolution& task, int d);
};

// A filter of size 1 at every pixel of a packed image: then all of it is one row.
Convolution flattened(const Convolution& task);

// Where the planes of a group lie, and where in them each unit of a filter finds its pixels.
struct Planes {
    const Taps taps[kSpatial];
    const bool joins_channels;  // what a unit is
    std::size_t lines;  // of units: fours of channels, or channels and fours of taps
    std::size_t extents[kSpatial], plane_size, size;
    std::size_t columns;  // of pixels, as they lie in a plane, from the first to the last
    bool is_tight;        // all of them are pixels
    std::vector<std::ptrdiff_t> offsets;

    Planes(const Convolution& task, bool joins_channels);
    std::ptrdiff_t extent(int d) const { return static_cast<std::ptrdiff_t>(extents[d]); }
    std::size_t plane_count(int d) const {
        return d == 2 && !joins_channels ? 1 : taps[d].starts.size();
    }
    std::size_t number_of(std::size_t line, std::size_t p0, std::size_t p1, std::size_t p2) const {
        return ((line * plane_count(0) + p0) * plane_count(1) + p1) * plane_count(2) + p2;
    }
};

// Brings lines of the input into the planes.
class Filling {
  public:
    Filling(const Convolution& task, const Planes& planes, const Kernels& kernels);
    // One line of units: all its planes.
    void fill(const unsigned char* image, std::size_t line, std::int32_t* to);

  private:
    std::ptrdiff_t position(int d, std::size_t plane, std::size_t number) const;
    const unsigned char* line_of(const unsigned char* image, std::size_t channel,
                                 const std::ptrdiff_t* at, std::size_t number);
    const unsigned char* padded_line_of(const unsigned char* image, std::size_t channel,
                                        const std::ptrdiff_t* at);
    std::size_t needed() const;
    void join(const unsigned char* const* lines, std::size_t count, std::int32_t* to);
    void fill_channels(const unsigned char* image, std::size_t line, const std::ptrdiff_t* at,
                       std::int32_t* to);
    void fill_taps(const unsigned char* image, std::size_t channel, std::size_t four,
                   const std::ptrdiff_t* at, std::int32_t* to);

    const Convolution& task_;
    const Planes& planes_;
    const Kernels& kernels_;
    const unsigned char flips_, padding_;
    std::int32_t pad_unit_;
    std::size_t span_;
    Memory<unsigned char> lines_[kQuad], padded_, nothing_;
    Memory<std::int32_t> units_, row_;
};

}  // namespace integers
}  // namespace indirectml
