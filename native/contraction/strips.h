// What strips of rows of a convolution read: which taps, and the pixels under them, zeros around these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "convolve.h"
#include "../team.h"
#include "kernels.h"

namespace indirectml {

// Where the elements of an input are, in these.
template <typename Element>
struct Source {
    const Element* data;
    std::ptrdiff_t channel, row, pixel;
};

// One dimension of what the outputs read. Padding may be negative: then so much of the input is not read.
struct Reading1D {
    std::size_t taps, stride, dilation, input, output;
    std::ptrdiff_t padding;
    std::size_t first_tap = 0;  // in the order of positions; those before, and after `taps`, are left out

    // How many positions the taps of so many outputs reach over.
    std::size_t reach(std::size_t outputs) const {
        return (outputs - 1) * stride + (taps - 1) * dilation + 1;
    }
    bool is_inside() const {
        return padding <= 0 && reach(output) + static_cast<std::size_t>(-padding) <= input;
    }
    // Outputs all of whose taps read the input, as they follow each other.
    Share inside() const {
        const auto is_inside = [&](std::size_t n) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(n * stride) - padding;
            return at >= 0 && static_cast<std::size_t>(at) + (taps - 1) * dilation < input;
        };
        Share found{0, 0};
        while (found.begin < output && !is_inside(found.begin)) ++found.begin;
        found.end = found.begin;
        while (found.end < output && is_inside(found.end)) ++found.end;
        return found;
    }
    // Without taps at either end that read nothing but padding, of so many outputs; as it is where all
    // do.
    Reading1D trimmed(std::size_t first, std::size_t outputs) const {
        const auto step = static_cast<std::ptrdiff_t>(dilation);
        const std::ptrdiff_t low = static_cast<std::ptrdiff_t>(first * stride) - padding;
        const std::ptrdiff_t high = low + static_cast<std::ptrdiff_t>((outputs - 1) * stride);
        std::size_t begin = 0, end = taps;
        const auto at = [&](std::ptrdiff_t from, std::size_t tap) {
            return from + static_cast<std::ptrdiff_t>(tap) * step;
        };
        while (begin < end && at(high, begin) < 0) ++begin;
        while (end > begin && at(low, end - 1) >= static_cast<std::ptrdiff_t>(input)) --end;
        if (begin == end) return *this;
        Reading1D found = *this;
        found.taps = end - begin;
        found.first_tap = begin;
        found.padding -= static_cast<std::ptrdiff_t>(begin) * step;
        return found;
    }
};

struct Geometry {
    Reading1D rows, columns;

    explicit Geometry(const Convolution& task) : rows(of(task, 1)), columns(of(task, 2)) {}
    static Reading1D of(const Convolution& task, int d) {
        return {task.filter_sizes[d], task.strides[d],      task.dilations[d],
                task.input_sizes[d],  task.output_sizes[d],
                static_cast<std::ptrdiff_t>(task.start_padding[d])};
    }
    bool is_inside() const { return rows.is_inside() && columns.is_inside(); }
};

// Strips of a few rows read a few more, which others read too.
constexpr std::size_t kLeastStripRows = 4;

inline bool reads_same_taps(const Reading1D& a, const Reading1D& b) {
    return a.taps == b.taps && a.first_tap == b.first_tap;
}

// Whether a row reads other taps than the one before, and many do as it does.
inline bool reads_other_taps(const Reading1D& rows, std::size_t row) {
    if (rows.dilation < kLeastStripRows * rows.stride) return false;
    return !reads_same_taps(rows.trimmed(row - 1, 1), rows.trimmed(row, 1));
}

// A strip of one image: `rows` outputs from `first` on.
struct Strip {
    std::size_t image, first, rows;
};

template <typename Element>
Source<Element> source_of(const Convolution& task, std::size_t image) {
    constexpr auto kBytes = static_cast<std::ptrdiff_t>(sizeof(Element));
    return {reinterpret_cast<const Element*>(task.input.data +
                                             static_cast<std::ptrdiff_t>(image) * task.input.image),
            task.input.channel / kBytes, task.input.position[1] / kBytes,
            task.input.position[2] / kBytes};
}

// Neighbours, as FLOAT32.
inline void copy_widened(const ContractionKernels&, const float* from, std::size_t count, float* to) {
    std::memcpy(to, from, count * sizeof(float));
}
inline void copy_widened(const ContractionKernels& kernels, const std::uint16_t* from,
                         std::size_t count, float* to) {
    kernels.widen(from, count, to);
}

// Channels of so many pixels, as FLOAT32. A vector beyond those of the last pixel may be overwritten.
inline void copy_channels(const ContractionKernels& kernels, const float* from, std::ptrdiff_t step,
                          std::size_t channels, std::size_t count, float* to, std::size_t pitch) {
    kernels.copy(from, step, channels, count, to, pitch);
}
inline void copy_channels(const ContractionKernels& kernels, const std::uint16_t* from,
                          std::ptrdiff_t step, std::size_t channels, std::size_t count, float* to,
                          std::size_t pitch) {
    kernels.copy_half(from, step, channels, count, to, pitch);
}

// Copies what a strip reads of some channels, zeros around it: work(from, count, to) for each of its
// rows, in pixels. Rows are `row` floats long, and a pixel `pixel`.
template <typename Element, typename Work>
void copy_strip(const Geometry& g, const Strip& strip, const Source<Element>& source, float* to,
                std::size_t row, std::size_t pixel, const Work& work) {
    const std::size_t all = g.columns.reach(g.columns.output);
    const auto padding = g.columns.padding;
    const std::size_t left = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(padding, 0)), all);
    const std::ptrdiff_t skipped = std::max<std::ptrdiff_t>(-padding, 0);
    const std::size_t count =
        std::min(g.columns.input - static_cast<std::size_t>(skipped), all - left);
    const Element* const data = source.data + skipped * source.pixel;
    for (std::size_t i = 0; i < g.rows.reach(strip.rows); ++i, to += row) {
        // Rows before the input come out as numbers beyond it.
        const std::size_t at = strip.first * g.rows.stride + i - static_cast<std::size_t>(g.rows.padding);
        if (at >= g.rows.input) {
            std::fill_n(to, all * pixel, 0.0f);
            continue;
        }
        std::fill_n(to, left * pixel, 0.0f);
        work(data + static_cast<std::ptrdiff_t>(at) * source.row, count, to + left * pixel);
        std::fill_n(to + (left + count) * pixel, (all - left - count) * pixel, 0.0f);
    }
}

}  // namespace indirectml
