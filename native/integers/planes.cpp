// What an output position reads, and how lines of the input come into planes.
#include "planes.h"

namespace indirectml {
namespace integers {

Taps::Taps(const Convolution& task, int d) {
    std::size_t farthest = 0;
    std::vector<std::size_t> known;
    for (std::size_t r = 0; r < task.filter_sizes[d]; ++r) {
        const std::size_t at = r * task.dilations[d], offset = at % task.strides[d];
        const auto found = std::find(known.begin(), known.end(), offset);
        planes.push_back(static_cast<std::size_t>(found - known.begin()));
        if (found == known.end()) {
            known.push_back(offset);
            starts.push_back(static_cast<std::ptrdiff_t>(offset) -
                             static_cast<std::ptrdiff_t>(task.start_padding[d]));
        }
        shifts.push_back(static_cast<std::ptrdiff_t>(at / task.strides[d]));
        farthest = std::max(farthest, at / task.strides[d]);
    }
    extent = task.output_sizes[d] + farthest;
}

Convolution flattened(const Convolution& task) {
    Convolution flat = task;
    std::ptrdiff_t in = 1, out = sizeof(std::int32_t);
    for (int d = kSpatial - 1; d >= 0; --d) {
        const bool is_plain = task.filter_sizes[d] == 1 && task.strides[d] == 1 &&
                              task.start_padding[d] == 0 &&
                              task.input_sizes[d] == task.output_sizes[d];
        const bool follows = task.input_sizes[d] == 1 ||
                             (task.input.position[d] == in && task.output_position[d] == out);
        if (!is_plain || !follows) return task;
        in *= static_cast<std::ptrdiff_t>(task.input_sizes[d]);
        out *= static_cast<std::ptrdiff_t>(task.input_sizes[d]);
    }
    for (int d = 0; d < kSpatial; ++d) {
        const bool is_last = d == kSpatial - 1;
        flat.input_sizes[d] = flat.output_sizes[d] = is_last ? static_cast<std::size_t>(in) : 1;
        flat.input.position[d] = 1;
        flat.output_position[d] = sizeof(std::int32_t);
    }
    return flat;
}

Planes::Planes(const Convolution& task, bool joins)
    : taps{Taps(task, 0), Taps(task, 1), Taps(task, 2)},
      joins_channels(joins) {
    const std::size_t fours = units_of(task.filter_sizes[2]);
    lines = joins_channels ? units_of(task.channels) : task.channels * fours;
    for (int d = 0; d < kSpatial; ++d) extents[d] = taps[d].extent;
    if (!joins_channels) extents[2] = task.output_sizes[2];
    plane_size = extents[0] * extents[1] * extents[2];
    const std::size_t planes = plane_count(0) * plane_count(1) * plane_count(2);
    size = lines * planes * plane_size;
    columns = ((task.output_sizes[0] - 1) * extents[1] + task.output_sizes[1] - 1) * extents[2] +
              task.output_sizes[2];
    is_tight = columns == task.output_sizes[0] * task.output_sizes[1] * task.output_sizes[2];
    // In the order of the units of a filter (pack_filters).
    const std::size_t channel_lines = joins_channels ? units_of(task.channels) : task.channels;
    for (std::size_t c = 0; c < channel_lines; ++c)
        for (std::size_t r0 = 0; r0 < task.filter_sizes[0]; ++r0)
            for (std::size_t r1 = 0; r1 < task.filter_sizes[1]; ++r1)
                for (std::size_t r2 = 0; r2 < (joins_channels ? task.filter_sizes[2] : fours);
                     ++r2) {
                    const std::size_t line = joins_channels ? c : c * fours + r2;
                    const std::size_t p2 = joins_channels ? taps[2].planes[r2] : 0;
                    const std::ptrdiff_t s2 = joins_channels ? taps[2].shifts[r2] : 0;
                    const std::size_t number = number_of(line, taps[0].planes[r0], taps[1].planes[r1], p2);
                    offsets.push_back(static_cast<std::ptrdiff_t>(number * plane_size) +
                                      (taps[0].shifts[r0] * extent(1) + taps[1].shifts[r1]) *
                                          extent(2) +
                                      s2);
                }
}

namespace {

// Every so many units.
void pick(const std::int32_t* from, std::size_t stride, std::size_t count, std::int32_t* to) {
    if (stride == 2) {
        for (std::size_t j = 0; j < count; ++j) to[j] = from[2 * j];
    } else {
        for (std::size_t j = 0; j < count; ++j) to[j] = from[j * stride];
    }
}

}  // namespace

Filling::Filling(const Convolution& task, const Planes& planes, const Kernels& kernels)
    : task_(task),
      planes_(planes),
      kernels_(kernels),
      flips_(flips_to_unsigned(task.input.type)),
      padding_(static_cast<unsigned char>(task.input_zero)) {
    std::memset(&pad_unit_, padding_ ^ flips_, sizeof(pad_unit_));
    const std::size_t reach = planes.taps[2].extent * task.strides[2] +
                              task.filter_sizes[2] * task.dilations[2] * 4;
    span_ = reach + kPanel;
    std::memset(padded_.at_least(span_), padding_, span_);
    std::memset(nothing_.at_least(span_), padding_, span_);
    std::fill_n(row_.at_least(span_), span_, pad_unit_);
}

void Filling::fill(const unsigned char* image, std::size_t line, std::int32_t* to) {
    const std::size_t fours = units_of(task_.filter_sizes[2]);
    for (std::size_t p0 = 0; p0 < planes_.plane_count(0); ++p0)
        for (std::size_t p1 = 0; p1 < planes_.plane_count(1); ++p1)
            for (std::size_t i = 0; i < planes_.extents[0]; ++i)
                for (std::size_t j = 0; j < planes_.extents[1]; ++j) {
                    const std::ptrdiff_t at[2] = {position(0, p0, i), position(1, p1, j)};
                    const std::size_t row = (i * planes_.extents[1] + j) * planes_.extents[2];
                    std::int32_t* const first =
                        to + planes_.number_of(line, p0, p1, 0) * planes_.plane_size + row;
                    if (planes_.joins_channels) {
                        fill_channels(image, line, at, first);
                    } else {
                        fill_taps(image, line / fours, line % fours, at, first);
                    }
                }
}

std::ptrdiff_t Filling::position(int d, std::size_t plane, std::size_t number) const {
    return planes_.taps[d].starts[plane] + static_cast<std::ptrdiff_t>(number * task_.strides[d]);
}

// Row `at` of a channel, one pixel behind the other, or null, where it lies outside of the input.
const unsigned char* Filling::line_of(const unsigned char* image, std::size_t channel,
                                      const std::ptrdiff_t* at, std::size_t number) {
    const unsigned char* from =
        image + static_cast<std::ptrdiff_t>(channel) * task_.input.channel;
    for (int d = 0; d < 2; ++d) {
        if (at[d] < 0 || at[d] >= static_cast<std::ptrdiff_t>(task_.input_sizes[d])) {
            return nullptr;
        }
        from += at[d] * task_.input.position[d];
    }
    if (task_.input.position[2] == 1) return from;
    unsigned char* const to = lines_[number].at_least(task_.input_sizes[2]);
    for (std::size_t n = 0; n < task_.input_sizes[2]; ++n) {
        to[n] = from[static_cast<std::ptrdiff_t>(n) * task_.input.position[2]];
    }
    return to;
}

// The same from position -start_padding on, in memory of its own where something has to be put around it.
const unsigned char* Filling::padded_line_of(const unsigned char* image, std::size_t channel,
                                             const std::ptrdiff_t* at) {
    const unsigned char* const from = line_of(image, channel, at, 0);
    const std::size_t start = task_.start_padding[2];
    if (!from || (start == 0 && needed() <= task_.input_sizes[2])) return from;
    // What is around it is there already.
    const std::size_t first = std::min(start, span_);
    std::memcpy(padded_.data() + first, from, std::min(task_.input_sizes[2], span_ - first));
    return padded_.data();
}
// How many pixels of a row are read, those of its padding included.
std::size_t Filling::needed() const {
    return (task_.output_sizes[2] - 1) * task_.strides[2] +
           (task_.filter_sizes[2] - 1) * task_.dilations[2] + 1;
}

// Units of bytes of four lines, each from its own place on, every so many: all of them, and then these.
void Filling::join(const unsigned char* const* lines, std::size_t count, std::int32_t* to) {
    const std::size_t stride = task_.strides[2];
    if (stride == 1) return kernels_.interleave(lines, count, flips_, to);
    const std::size_t all = (count - 1) * stride + 1;
    std::int32_t* const units = units_.at_least(all);
    kernels_.interleave(lines, all, flips_, units);
    pick(units, stride, count, to);
}

void Filling::fill_channels(const unsigned char* image, std::size_t line, const std::ptrdiff_t* at,
                            std::int32_t* to) {
    const unsigned char* lines[kQuad];
    bool any = false;
    for (std::size_t n = 0; n < kQuad; ++n) {
        const std::size_t channel = line * kQuad + n;
        lines[n] = channel < task_.channels ? line_of(image, channel, at, n) : nullptr;
        any = any || lines[n];
        if (!lines[n]) lines[n] = nothing_.data();
    }
    const std::size_t planes = planes_.plane_count(2), extent = planes_.extents[2];
    if (!any) {
        for (std::size_t p2 = 0; p2 < planes; ++p2, to += planes_.plane_size) {
            std::fill_n(to, extent, pad_unit_);
        }
        return;
    }
    const std::size_t start = task_.start_padding[2], stride = task_.strides[2];
    if (stride == 1) {
        const std::size_t first = std::min(start, extent);
        const std::size_t count = std::min(task_.input_sizes[2], extent - first);
        std::fill_n(to, first, pad_unit_);
        kernels_.interleave(lines, count, flips_, to + first);
        std::fill_n(to + first + count, extent - first - count, pad_unit_);
        return;
    }
    // What is around them is there already.
    std::int32_t* const units = row_.data();
    const std::size_t first = std::min(start, span_);
    kernels_.interleave(lines, std::min(task_.input_sizes[2], span_ - first), flips_, units + first);
    for (std::size_t p2 = 0; p2 < planes; ++p2, to += planes_.plane_size) {
        pick(units + (planes_.taps[2].starts[p2] + static_cast<std::ptrdiff_t>(start)), stride, extent, to);
    }
}

void Filling::fill_taps(const unsigned char* image, std::size_t channel, std::size_t four,
                        const std::ptrdiff_t* at, std::int32_t* to) {
    const unsigned char* const line = padded_line_of(image, channel, at);
    if (!line) return static_cast<void>(std::fill_n(to, planes_.extents[2], pad_unit_));
    const unsigned char* firsts[kQuad];
    for (std::size_t n = 0; n < kQuad; ++n) {
        const std::size_t tap = four * kQuad + n;
        firsts[n] = tap < task_.filter_sizes[2] ? line + tap * task_.dilations[2]
                                                : nothing_.data();
    }
    join(firsts, planes_.extents[2], to);
}

}  // namespace integers
}  // namespace indirectml
