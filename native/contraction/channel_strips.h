// Convolutions whose channels each have a filter of their own, by filters in panels, for strips of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "product.h"
#include "strips.h"

namespace indirectml {

// Pixels at a multiple of these bytes from each other push each other out of the first cache.
constexpr std::size_t kMeetingFloats = 256;

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

// A filter for each channel: panels first .. end of channels, for a strip.
inline void filter_strip(const Convolution& task, const ContractionKernels& kernels,
                         const Geometry& g, const Strip& strip, std::size_t first, std::size_t end,
                         ProductScratch& scratch) {
    const std::size_t taps = g.rows.taps * g.columns.taps, begin = first * kPanel;
    const std::size_t all = std::min(end * kPanel, task.groups) - begin;
    const bool is_half = task.input.type == OperandType::kFloat16;
    Source<float> source{};
    if (!is_half && g.is_inside() && all % kPanel == 0) {
        source = source_of<float>(task, strip.image);
        source.data += static_cast<std::ptrdiff_t>(begin) +
                       static_cast<std::ptrdiff_t>(strip.first * g.rows.stride) * source.row;
    } else {
        const auto copied = [&](auto from) {
            from.data += begin;
            return copied_channels(g, strip, from, all, kernels, scratch);
        };
        source.data = is_half ? copied(source_of<std::uint16_t>(task, strip.image))
                              : copied(source_of<float>(task, strip.image));
        source.pixel = static_cast<std::ptrdiff_t>(channel_pitch(all));
        source.row = static_cast<std::ptrdiff_t>(g.columns.reach(g.columns.output)) * source.pixel;
    }
    unsigned char* const out = task.output +
                               static_cast<std::ptrdiff_t>(strip.image) * task.output_image +
                               static_cast<std::ptrdiff_t>(strip.first) * task.output_position[1];
    for (std::size_t panel = first; panel < end; ++panel) {
        const std::size_t channel = panel * kPanel;
        const std::size_t channels = std::min(kPanel, task.groups - channel);
        ChannelFilter f{};
        f.rows = g.rows.taps;
        f.columns = g.columns.taps;
        f.weights = panels_at(task, kernels, channel * taps, kPanel * taps, scratch);
        float bias[kPanel] = {};
        if (task.bias) {
            std::copy_n(task.bias + channel, channels, bias);
            f.bias = bias;
        }
        f.from = source.data + (channel - begin);
        f.from_step = source.pixel * static_cast<std::ptrdiff_t>(g.columns.stride);
        const std::ptrdiff_t line = source.row * static_cast<std::ptrdiff_t>(g.rows.stride);
        f.from_row = source.row * static_cast<std::ptrdiff_t>(g.rows.dilation);
        f.from_column = source.pixel * static_cast<std::ptrdiff_t>(g.columns.dilation);
        if (task.is_flipped) {
            // Taps keep their order; what they read is turned round.
            f.from += static_cast<std::ptrdiff_t>(f.rows - 1) * f.from_row +
                      static_cast<std::ptrdiff_t>(f.columns - 1) * f.from_column;
            f.from_row = -f.from_row;
            f.from_column = -f.from_column;
        }
        f.to_step = task.output_position[2] / 4;
        f.count = g.columns.output;
        f.channels = channels;
        for (std::size_t y = 0; y < strip.rows; ++y, f.from += line) {
            f.to = reinterpret_cast<float*>(
                       out + static_cast<std::ptrdiff_t>(y) * task.output_position[1]) +
                   channel;
            kernels.filter_channels(f);
        }
        scratch.products.done(taps * kPanel * strip.rows * g.columns.output);
    }
}

}  // namespace indirectml
