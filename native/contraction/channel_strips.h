// Convolutions whose channels each have a filter of their own, by filters in panels, for strips of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "product.h"
#include "strips.h"

namespace indirectml {

// Pixels at a multiple of these bytes from each other push each other out of the first cache.
constexpr std::size_t kMeetingFloats = 256;

// Panels of channels that are copied together: lines beside each other.
constexpr std::size_t kPanelsTogether = 4;

// From a pixel to the next in a strip that is copied for filters of channels, in floats.
inline std::size_t channel_pitch(std::size_t channels) {
    const std::size_t pitch = (channels + kPanel - 1) / kPanel * kPanel;
    return pitch + (pitch % kMeetingFloats == 0 ? kPanel : 0);
}

// What a strip reads of some channels, copied: row by row, as memory is fetched ahead.
template <typename Element>
const float* copied_channels(const Geometry& g, const Strip& strip, const Source<Element>& source,
                             std::size_t channels, const ContractionKernels& kernels,
                             ProductScratch& scratch) {
    const std::size_t pitch = channel_pitch(channels);
    const std::size_t row = g.columns.reach(g.columns.output) * pitch;
    float* const to = scratch.rows.at_least(g.rows.reach(strip.rows) * row);
    const bool follow = source.pixel == static_cast<std::ptrdiff_t>(pitch) && pitch == channels;
    copy_strip(g, strip, source, to, row, pitch,
               [&](const Element* from, std::size_t count, float* there) {
                   if (follow) return copy_widened(kernels, from, count * pitch, there);
                   copy_channels(kernels, from, source.pixel, channels, count, there, pitch);
                   for (; channels < pitch && count > 0; --count, there += pitch) {
                       std::fill(there + channels, there + pitch, 0.0f);
                   }
               });
    return to;
}

// So many numbers of filters in panels, as FLOAT32.
inline const float* panels_at(const Convolution& task, const ContractionKernels& kernels,
                              std::size_t begin, std::size_t count, ProductScratch& scratch) {
    if (task.filter_panels) return task.filter_panels + begin;
    float* const widened = scratch.panels.at_least(count);
    kernels.widen(task.half_panels + begin, count, widened);
    return widened;
}

// A filter for each channel: panels first .. end of channels, for a strip, of an input that lies so, or was
// copied with zeros around it.
inline void filter_strip(const Convolution& task, const ContractionKernels& kernels,
                         const Geometry& g, const Strip& strip, std::size_t first, std::size_t end,
                         const Source<float>& source, bool is_copied, ProductScratch& scratch) {
    const std::size_t taps = g.rows.taps * g.columns.taps, begin = first * kPanel;
    ChannelFilter f{};
    f.channels = std::min(end * kPanel, task.groups) - begin;
    f.rows = g.rows.taps;
    f.columns = g.columns.taps;
    f.weights = panels_at(task, kernels, begin * taps, (end - first) * kPanel * taps, scratch);
    if (task.bias) {
        float* const bias = scratch.edge.at_least((end - first) * kPanel);
        std::fill(std::copy_n(task.bias + begin, f.channels, bias), bias + (end - first) * kPanel, 0.0f);
        f.bias = bias;
    }
    f.count = g.columns.output;
    f.from_step = source.pixel * static_cast<std::ptrdiff_t>(g.columns.stride);
    f.from_row = source.row * static_cast<std::ptrdiff_t>(g.rows.dilation);
    f.from_column = source.pixel * static_cast<std::ptrdiff_t>(g.columns.dilation);
    f.step = static_cast<std::ptrdiff_t>(g.columns.stride);
    f.tap_step = static_cast<std::ptrdiff_t>(g.columns.dilation);
    f.first_column = is_copied ? 0 : -g.columns.padding;
    f.input_columns = is_copied ? g.columns.reach(g.columns.output) : g.columns.input;
    std::ptrdiff_t row = is_copied ? 0
                                   : static_cast<std::ptrdiff_t>(strip.first * g.rows.stride) -
                                         g.rows.padding;
    const std::size_t input_rows = is_copied ? g.rows.reach(strip.rows) : g.rows.input;
    const auto last_tap = static_cast<std::ptrdiff_t>((g.columns.taps - 1) * g.columns.dilation);
    const Share inside = is_copied ? Share{0, f.count} : g.columns.inside();
    f.first_inside = inside.begin;
    f.end_inside = inside.end;
    const float* from = source.data + row * source.row + f.first_column * source.pixel;
    if (task.is_flipped) {
        // Taps keep their order; what they read is turned round.
        from += static_cast<std::ptrdiff_t>(f.rows - 1) * f.from_row +
                static_cast<std::ptrdiff_t>(f.columns - 1) * f.from_column;
        f.from_row = -f.from_row;
        f.from_column = -f.from_column;
        f.first_column += last_tap;
        f.tap_step = -f.tap_step;
    }
    f.to_step = task.output_position[2] / 4;
    unsigned char* const out = task.output +
                               static_cast<std::ptrdiff_t>(strip.image) * task.output_image +
                               static_cast<std::ptrdiff_t>(strip.first) * task.output_position[1];
    for (std::size_t y = 0; y < strip.rows; ++y, row += static_cast<std::ptrdiff_t>(g.rows.stride)) {
        // Those of rows before the input come out as numbers beyond it.
        const auto is_row = [&](std::size_t r) {
            const std::size_t tap = task.is_flipped ? f.rows - 1 - r : r;
            return static_cast<std::size_t>(row) + tap * g.rows.dilation < input_rows;
        };
        f.first_row = 0;
        while (f.first_row < f.rows && !is_row(f.first_row)) ++f.first_row;
        f.end_row = f.first_row;
        while (f.end_row < f.rows && is_row(f.end_row)) ++f.end_row;
        f.from = from;
        f.to = reinterpret_cast<float*>(out + static_cast<std::ptrdiff_t>(y) * task.output_position[1]) +
               begin;
        kernels.filter_channels(f);
        from += source.row * static_cast<std::ptrdiff_t>(g.rows.stride);
        scratch.products.done(taps * (end - first) * kPanel * g.columns.output);
    }
}

// Whether filters are some of kNeighbourFilters, which wait neither at edges nor where pixels push each other
// out of the first cache.
inline bool reads_neighbours(const Convolution& task, const Geometry& g) {
    const auto is_it = [&](const NeighbourFilter& known) {
        return known.columns == g.columns.taps && known.stride == g.columns.stride;
    };
    return g.columns.dilation == 1 && !task.is_flipped &&
           std::any_of(std::begin(kNeighbourFilters), std::end(kNeighbourFilters), is_it);
}

// Whether reading an input where it lies takes less time. Of others, outputs at the edges, one by one, wait for
// each product, and copies for each pixel.
inline bool lie_well(const Convolution& task, const Geometry& g) {
    if (task.input.type != OperandType::kFloat32) return false;
    if (reads_neighbours(task, g)) return true;
    const Share inside = g.columns.inside();
    const std::size_t edges = g.columns.output - (inside.end - inside.begin);
    return task.groups % kMeetingFloats != 0 &&
           edges * g.rows.taps * g.columns.taps <= g.rows.stride * g.columns.input;
}

// Whole panels are read where they lie, if they lie well; all others are copied.
inline void filter_strip(const Convolution& task, const ContractionKernels& kernels,
                         const Geometry& g, const Strip& strip, std::size_t first, std::size_t end,
                         ProductScratch& scratch) {
    const bool is_half = task.input.type == OperandType::kFloat16;
    const std::size_t whole =
        lie_well(task, g) ? std::max(first, std::min(end, task.groups / kPanel)) : first;
    if (whole > first) {
        Source<float> source = source_of<float>(task, strip.image);
        source.data += first * kPanel;
        filter_strip(task, kernels, g, strip, first, whole, source, false, scratch);
    }
    for (std::size_t n = whole; n < end; n += kPanelsTogether) {
        const std::size_t last = std::min(n + kPanelsTogether, end);
        const std::size_t all = std::min(last * kPanel, task.groups) - n * kPanel;
        const auto copied = [&](auto from) {
            from.data += n * kPanel;
            return copied_channels(g, strip, from, all, kernels, scratch);
        };
        Source<float> source{};
        source.data = is_half ? copied(source_of<std::uint16_t>(task, strip.image))
                              : copied(source_of<float>(task, strip.image));
        source.pixel = static_cast<std::ptrdiff_t>(channel_pitch(all));
        source.row = static_cast<std::ptrdiff_t>(g.columns.reach(g.columns.output)) * source.pixel;
        filter_strip(task, kernels, g, strip, n, last, source, true, scratch);
    }
}

}  // namespace indirectml
