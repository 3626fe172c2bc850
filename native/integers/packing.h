// Operands of products of 8-bit integers as units, in the order of tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "../contraction/convolve.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

constexpr unsigned char kSignFlip = 0x80;

// So many products of bytes take as long as one of FLOAT32.
constexpr double kGain = 4;

inline std::size_t units_of(std::size_t depth) { return (depth + kQuad - 1) / kQuad; }
inline std::size_t panels_of(std::size_t columns) { return (columns + kPanel - 1) / kPanel; }

// What is changed of elements that are to be unsigned, or signed; and by how much that changes them,
// and so their zero points: x ^ 0x80 is x + 128 of a signed x, and x - 128 of an unsigned one.
inline unsigned char flips_to_unsigned(OperandType type) {
    return type == OperandType::kInt8 ? kSignFlip : 0;
}
inline unsigned char flips_to_signed(OperandType type) {
    return type == OperandType::kUInt8 ? kSignFlip : 0;
}
inline std::int32_t change_to_unsigned(OperandType type) {
    return type == OperandType::kInt8 ? 128 : 0;
}
inline std::int32_t change_to_signed(OperandType type) {
    return type == OperandType::kUInt8 ? -128 : 0;
}

inline std::int32_t zero_of(const ZeroPoints& zeros, std::size_t line) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(line) * zeros.stride;
    if (zeros.type == ZeroType::kInt8) return static_cast<const signed char*>(zeros.data)[at];
    if (zeros.type == ZeroType::kUInt8) return static_cast<const unsigned char*>(zeros.data)[at];
    return static_cast<const std::int32_t*>(zeros.data)[at];
}
// Those from a line on.
inline ZeroPoints zeros_from(const ZeroPoints& zeros, std::size_t line) {
    const std::ptrdiff_t size = zeros.type == ZeroType::kInt32 ? sizeof(std::int32_t) : 1;
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(line) * zeros.stride * size;
    return {static_cast<const unsigned char*>(zeros.data) + at, zeros.stride, zeros.type};
}

// Modulo 2^32.
inline std::int32_t times(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
inline std::int32_t less(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

// Memory for so many elements, from the start of a cache line on: vectors that lie across two lines
// take twice as long.
template <typename Element>
class Memory {
  public:
    explicit Memory(std::size_t count = 0) { at_least(count); }
    Element* at_least(std::size_t count) {
        if (count > size_) {
            memory_.reset();
            memory_.reset(new unsigned char[count * sizeof(Element) + kLine]);
            size_ = count;
        }
        return data();
    }
    Element* data() const {
        const auto past = reinterpret_cast<std::uintptr_t>(memory_.get()) % kLine;
        return reinterpret_cast<Element*>(memory_.get() + (kLine - past) % kLine);
    }

  private:
    static constexpr std::size_t kLine = 64;
    std::unique_ptr<unsigned char[]> memory_;
    std::size_t size_ = 0;
};

// Columns of b as Contraction takes them: the sums of all columns, in whole panels, then the panels.
std::size_t column_panels_bytes(std::size_t depth, std::size_t columns);
void pack_columns(const Operand& b, std::size_t depth, std::size_t columns, const char* target,
                  unsigned char* to);

// Filters as Convolution takes them: their sums, then the units of each, in the order of channels and
// taps. They have so many channels, of a group, and spatial sizes.
std::size_t filter_panels_bytes(std::size_t filters, std::size_t channels,
                                 const std::size_t* sizes);
void pack_filters(const Image& filter, std::size_t filters, std::size_t channels,
                  const std::size_t* sizes, const char* target, unsigned char* to);

// Whether the units of filters are four channels, and not four taps of a row.
bool joins_channels(std::size_t channels, const std::size_t* sizes);
// How many units so many channels of a filter take, and the same where it is known what a unit is.
std::size_t units_of_filter(std::size_t channels, const std::size_t* sizes, bool joins);
// Some channels of filters: as all, but by what all of them are.
void pack_units(const Image& filter, std::size_t filters, std::size_t channels,
                const std::size_t* sizes, bool joins, const Kernels& kernels, unsigned char* to);

// Filters as convolutions of pixels take them, the spatial sizes of which are sizes[1] and sizes[2]:
// matrices in panels, one for each group, with a column for each filter, whose units are four channels
// at a tap; or, where each channel has a filter of its own, one matrix with a column for each channel,
// whose units are four taps that follow each other in a column of the filter.
struct PixelPanels {
    bool by_channels;
    std::size_t matrices, columns, panels;  // panels of each
    std::size_t channels;                   // of a group
    std::size_t rows, taps, quads;          // the filter's rows and columns; units at a tap, or at its column

    PixelPanels(std::size_t groups, std::size_t filters, std::size_t of_channels,
                const std::size_t* sizes)
        : by_channels(groups > 1 && filters == 1 && of_channels == 1),
          matrices(by_channels ? 1 : groups),
          columns(by_channels ? groups : filters),
          panels(panels_of(columns)),
          channels(of_channels),
          rows(sizes[1]),
          taps(sizes[2]),
          quads(units_of(by_channels ? rows : channels)) {}

    std::size_t width() const { return panels * kPanel; }
    std::size_t units() const { return quads * taps * (by_channels ? 1 : rows); }
    // The sums of all columns, in whole panels, then the panels.
    std::size_t bytes() const { return matrices * width() * (1 + units()) * sizeof(std::int32_t); }
    // Where the first byte of a unit is in a filter; and so many of its bytes are there.
    struct Unit {
        std::size_t row, tap, channel, count;
    };
    // work(unit), in the order of k.
    template <typename Work>
    void for_each_unit(const Work& work) const {
        const std::size_t lines = by_channels ? quads : rows, each = by_channels ? 1 : quads;
        for (std::size_t line = 0; line < lines; ++line)
            for (std::size_t tap = 0; tap < taps; ++tap)
                for (std::size_t quad = 0; quad < each; ++quad) {
                    const std::size_t first = by_channels ? line * kQuad : quad * kQuad;
                    const std::size_t count = std::min(kQuad, (by_channels ? rows : channels) - first);
                    work(by_channels ? Unit{first, tap, 0, count} : Unit{line, tap, first, count});
                }
    }
};
void pack_pixel_filters(const Image& filter, const PixelPanels& form, unsigned char* to);

// Each sum of a convolution by itself: for a zero point that the input's type does not hold, and so no
// padding.
void convolve_plainly(const Convolution& task);

}  // namespace integers
}  // namespace indirectml
