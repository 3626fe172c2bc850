// Convolutions of 8-bit integers. The input becomes planes of units in which the pixels that a tap reads
// are neighbours, so that tiles read them where they lie: the units of a plane are four channels at a
// pixel, or, where groups have few channels, four taps of a row. A plane's rows may be longer than those
// of the output; what is computed beyond them is left out.
#include "../contraction/convolve.h"

#include <atomic>
#include <vector>

#include "../stopping.h"
#include "../team.h"
#include "packing.h"

namespace indirectml {

namespace integers {
namespace {

// Results of this many pixels of a tile's filters stay in the first cache, before they go to the output.
constexpr std::size_t kBlockPanels = 32;

// So many units for a thread are enough for all to end at about the same time.
constexpr std::size_t kUnitsOfThread = 4;
// Results of so many stay in the second cache for what comes after them.
constexpr std::size_t kUnitResults = 1 << 14;

// How output positions along a dimension find their pixels: tap r reads position + shift of plane
// `plane`, whose element j is the input's at j * stride + start.
struct Taps {
    std::vector<std::size_t> planes;
    std::vector<std::ptrdiff_t> shifts, starts;
    std::size_t extent;  // of a plane

    Taps(const Convolution& task, int d) {
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
};

// A filter of size 1 at every pixel of a packed image: then all of it is one row.
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

bool joins_channels(std::size_t channels, const std::size_t* filter_sizes) {
    return units_of(channels) * filter_sizes[2] <= channels * units_of(filter_sizes[2]);
}

// Where the planes of a group lie, and where in them each unit of a filter finds its pixels.
struct Planes {
    const Taps taps[kSpatial];
    const bool joins_channels;
    std::size_t lines;  // of units: fours of channels, or channels and fours of taps
    std::size_t extents[kSpatial], plane_size, size;
    std::size_t columns;  // of pixels, as they lie in a plane, from the first to the last
    bool is_tight;        // all of them are pixels
    std::vector<std::ptrdiff_t> offsets;

    explicit Planes(const Convolution& task)
        : taps{Taps(task, 0), Taps(task, 1), Taps(task, 2)},
          joins_channels(integers::joins_channels(task.channels, task.filter_sizes)) {
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
    Filling(const Convolution& task, const Planes& planes, const Kernels& kernels)
        : task_(task),
          planes_(planes),
          kernels_(kernels),
          flips_(flips_to_unsigned(task.input.type)),
          padding_(static_cast<unsigned char>(task.input_zero)) {
        std::memset(&pad_unit_, padding_ ^ flips_, sizeof(pad_unit_));
        const std::size_t reach = planes.taps[2].extent * task.strides[2] +
                                  task.filter_sizes[2] * task.dilations[2] * 4;
        span_ = reach + kPanel;
        for (Memory<unsigned char>& line : lines_) {
            std::memset(line.at_least(span_), padding_, span_);
        }
        std::memset(nothing_.at_least(span_), padding_, span_);
    }

    // One line of units: all its planes.
    void fill(const unsigned char* image, std::size_t line, std::int32_t* to) {
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

  private:
    std::ptrdiff_t position(int d, std::size_t plane, std::size_t number) const {
        return planes_.taps[d].starts[plane] + static_cast<std::ptrdiff_t>(number * task_.strides[d]);
    }

    // Row `at` of a channel from position -start_padding on, in memory of its own where something has
    // to be put around it, or null, where it lies outside of the input.
    const unsigned char* line_of(const unsigned char* image, std::size_t channel,
                                 const std::ptrdiff_t* at, std::size_t number) {
        const unsigned char* from =
            image + static_cast<std::ptrdiff_t>(channel) * task_.input.channel;
        for (int d = 0; d < 2; ++d) {
            if (at[d] < 0 || at[d] >= static_cast<std::ptrdiff_t>(task_.input_sizes[d])) {
                return nullptr;
            }
            from += at[d] * task_.input.position[d];
        }
        const std::size_t start = task_.start_padding[2];
        if (start == 0 && task_.input.position[2] == 1 && needed() <= task_.input_sizes[2]) {
            return from;
        }
        // What is around it is there already.
        unsigned char* const to = lines_[number].data();
        const std::size_t first = std::min(start, span_);
        const std::size_t count = std::min(task_.input_sizes[2], span_ - first);
        if (task_.input.position[2] == 1) {
            std::memcpy(to + first, from, count);
        } else {
            for (std::size_t n = 0; n < count; ++n) {
                to[first + n] = from[static_cast<std::ptrdiff_t>(n) * task_.input.position[2]];
            }
        }
        return to;
    }
    // How many pixels of a row are read, those of its padding included.
    std::size_t needed() const {
        return (task_.output_sizes[2] - 1) * task_.strides[2] +
               (task_.filter_sizes[2] - 1) * task_.dilations[2] + 1;
    }

    // Units of bytes of four lines, each from its own place on, every so many: all of them, and then these.
    void join(const unsigned char* const* lines, std::size_t count, std::int32_t* to) {
        const std::size_t stride = task_.strides[2];
        if (stride == 1) return kernels_.interleave(lines, count, flips_, to);
        const std::size_t all = (count - 1) * stride + 1;
        std::int32_t* const units = units_.at_least(all);
        kernels_.interleave(lines, all, flips_, units);
        if (stride == 2) {
            for (std::size_t j = 0; j < count; ++j) to[j] = units[2 * j];
        } else {
            for (std::size_t j = 0; j < count; ++j) to[j] = units[j * stride];
        }
    }

    void fill_channels(const unsigned char* image, std::size_t line, const std::ptrdiff_t* at,
                       std::int32_t* to) {
        const unsigned char* lines[kQuad];
        bool any = false;
        for (std::size_t n = 0; n < kQuad; ++n) {
            const std::size_t channel = line * kQuad + n;
            lines[n] = channel < task_.channels ? line_of(image, channel, at, n) : nullptr;
            any = any || lines[n];
        }
        for (std::size_t p2 = 0; p2 < planes_.plane_count(2); ++p2, to += planes_.plane_size) {
            if (!any) {
                std::fill_n(to, planes_.extents[2], pad_unit_);
                continue;
            }
            const unsigned char* firsts[kQuad];
            const std::size_t first = static_cast<std::size_t>(
                planes_.taps[2].starts[p2] + static_cast<std::ptrdiff_t>(task_.start_padding[2]));
            // What no tap reads of the last plane may lie beyond the line.
            const std::size_t last = needed() - 1 - first;
            const std::size_t count = std::min(planes_.extents[2], last / task_.strides[2] + 1);
            for (std::size_t n = 0; n < kQuad; ++n) {
                firsts[n] = lines[n] ? lines[n] + first : nothing_.data();
            }
            join(firsts, count, to);
            std::fill_n(to + count, planes_.extents[2] - count, pad_unit_);
        }
    }

    void fill_taps(const unsigned char* image, std::size_t channel, std::size_t four,
                   const std::ptrdiff_t* at, std::int32_t* to) {
        const unsigned char* const line = line_of(image, channel, at, 0);
        if (!line) return static_cast<void>(std::fill_n(to, planes_.extents[2], pad_unit_));
        const unsigned char* firsts[kQuad];
        for (std::size_t n = 0; n < kQuad; ++n) {
            const std::size_t tap = four * kQuad + n;
            firsts[n] = tap < task_.filter_sizes[2] ? line + tap * task_.dilations[2]
                                                    : nothing_.data();
        }
        join(firsts, planes_.extents[2], to);
    }

    const Convolution& task_;
    const Planes& planes_;
    const Kernels& kernels_;
    const unsigned char flips_, padding_;
    std::int32_t pad_unit_;
    std::size_t span_;
    Memory<unsigned char> lines_[kQuad], nothing_;
    Memory<std::int32_t> units_;
};

// Units of each filter of all groups, and the sum of its elements before them.
struct Filters {
    const std::int32_t* sums;
    const unsigned char* units;
    std::ptrdiff_t row;  // in bytes, from a filter to the next
};

std::size_t units_of_filter(std::size_t channels, const std::size_t* sizes) {
    return joins_channels(channels, sizes)
               ? units_of(channels) * sizes[0] * sizes[1] * sizes[2]
               : channels * sizes[0] * sizes[1] * units_of(sizes[2]);
}

// One thread's work on the pixels of a group: some filters.
class Part {
  public:
    Part(const Convolution& task, const Planes& planes, const Filters& filters,
         const Kernels& kernels)
        : task_(task),
          planes_(planes),
          filters_(filters),
          kernels_(kernels),
          zero_(task.input_zero + change_to_unsigned(task.input.type)) {}

    // `output` is that of the group's first filter; `data` its planes, and `sums` what sum_pixels
    // made of them.
    void run(const std::int32_t* data, const std::int32_t* sums, std::size_t group,
             const Share& filters, unsigned char* output) {
        const std::size_t panels = panels_of(planes_.columns);
        for (std::size_t panel = 0; panel < panels; panel += kBlockPanels) {
            const std::size_t count = std::min(kBlockPanels, panels - panel);
            const std::int32_t* const pixels = data + panel * kPanel;
            const std::size_t most = kernels_.rows;
            const std::size_t stack = (filters.end - filters.begin + most - 1) / most;
            for (std::size_t n = 0, filter = filters.begin; n < stack; ++n) {
                const std::size_t height = filters.begin +
                                           (filters.end - filters.begin) * (n + 1) / stack - filter;
                multiply(pixels, sums + panel * kPanel, group, filter, height, panel, count,
                         output);
                filter += height;
            }
        }
    }

    bool any_zero(std::size_t group) const {
        for (std::size_t m = 0; m < task_.filters; ++m) {
            if (filter_zero(group * task_.filters + m) != 0) return true;
            if (task_.filter_zero.stride == 0) break;
        }
        return false;
    }

    // The sum of what each pixel's taps read, less the zero points, in some panels: a filter of ones.
    void sum_pixels(const std::int32_t* data, const Share& panels, std::int32_t* sums) const {
        const std::size_t units = planes_.offsets.size();
        const auto depth = static_cast<std::int32_t>(
            task_.channels * task_.filter_sizes[0] * task_.filter_sizes[1] * task_.filter_sizes[2]);
        // What only fills units is as padding, whatever the zero point.
        const std::int32_t padding = static_cast<unsigned char>(zero_);
        const auto filling = static_cast<std::int32_t>(kQuad * units) - depth;
        const std::int32_t start = less(less(0, times(depth, zero_)), times(filling, padding));
        constexpr std::int32_t kOnes = 0x01010101;
        Tile t{};
        t.a = reinterpret_cast<const unsigned char*>(&kOnes);
        t.offsets = planes_.offsets.data();
        t.units = units;
        t.row_starts = &start;
        for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
            t.b = data + panel * kPanel;
            t.c = sums + panel * kPanel;
            kernels_.signed_by_unsigned[0][0](t);
        }
    }

  private:
    std::int32_t filter_zero(std::size_t number) const {
        return zero_of(task_.filter_zero, number) + change_to_signed(task_.filter.type);
    }

    void multiply(const std::int32_t* pixels, const std::int32_t* sums, std::size_t group,
                  std::size_t filter, std::size_t height, std::size_t panel, std::size_t count,
                  unsigned char* output) {
        const std::size_t number = group * task_.filters + filter;
        const std::size_t columns = std::min(count * kPanel, planes_.columns - panel * kPanel);
        std::int32_t starts[kMostRows];
        for (std::size_t i = 0; i < height; ++i) {
            starts[i] = less(0, times(zero_, filters_.sums[number + i]));
        }
        unsigned char* const to = output + static_cast<std::ptrdiff_t>(filter) * task_.output_channel;
        const bool is_direct = planes_.is_tight && columns == count * kPanel && is_contiguous();
        std::int32_t* c = beside_.at_least(is_direct ? 0 : kMostRows * kBlockPanels * kPanel);
        Tile t{};
        t.c_row = static_cast<std::ptrdiff_t>(kBlockPanels * kPanel);
        if (is_direct) {
            c = reinterpret_cast<std::int32_t*>(to) + panel * kPanel;
            t.c_row = task_.output_channel / 4;
        }
        t.a = filters_.units + static_cast<std::ptrdiff_t>(number) * filters_.row;
        t.a_row = filters_.row;
        t.a_k = kQuad;
        t.b_panel = kPanel;
        t.offsets = planes_.offsets.data();
        t.units = planes_.offsets.size();
        t.row_starts = starts;
        for (std::size_t n = 0; n < count;) {
            const std::size_t together = std::min(kernels_.panels, count - n);
            t.b = pixels + n * kPanel;
            t.c = c + n * kPanel;
            kernels_.signed_by_unsigned[height - 1][together - 1](t);
            n += together;
        }
        pieces_.done(height * count * kPanel * t.units);
        for (std::size_t i = 0; i < height; ++i) {
            std::int32_t* const line = c + static_cast<std::ptrdiff_t>(i) * t.c_row;
            const std::int32_t zero = filter_zero(number + i);
            if (zero != 0) kernels_.subtract(sums, zero, columns, line);
            if (!is_direct) {
                spread(line, panel * kPanel, columns,
                       to + static_cast<std::ptrdiff_t>(i) * task_.output_channel);
            }
        }
    }

    bool is_contiguous() const {
        std::ptrdiff_t packed = sizeof(std::int32_t);
        for (int d = kSpatial - 1; d >= 0; --d) {
            if (task_.output_sizes[d] != 1 && task_.output_position[d] != packed) return false;
            packed *= static_cast<std::ptrdiff_t>(task_.output_sizes[d]);
        }
        return task_.output_channel % 4 == 0;
    }

    // Results of positions first .. first + count - 1 of a plane, those that are pixels, to the output.
    void spread(const std::int32_t* from, std::size_t first, std::size_t count, unsigned char* to) {
        const std::size_t pitch = planes_.extents[2], width = task_.output_sizes[2];
        const std::ptrdiff_t step = task_.output_position[2];
        for (std::size_t n = 0; n < count;) {
            const std::size_t column = (first + n) % pitch, rest = (first + n) / pitch;
            const std::size_t row = rest % planes_.extents[1], layer = rest / planes_.extents[1];
            const std::size_t end = std::min(count, n + pitch - column);
            if (row < task_.output_sizes[1] && column < width) {
                const std::size_t run = std::min(end - n, width - column);
                unsigned char* at = to +
                                    static_cast<std::ptrdiff_t>(layer) * task_.output_position[0] +
                                    static_cast<std::ptrdiff_t>(row) * task_.output_position[1] +
                                    static_cast<std::ptrdiff_t>(column) * step;
                if (step == sizeof(*from)) {
                    std::memcpy(at, from + n, run * sizeof(*from));
                } else {
                    for (std::size_t k = 0; k < run; ++k, at += step) {
                        std::memcpy(at, from + n + k, sizeof(*from));
                    }
                }
            }
            n = end;
        }
    }

    const Convolution& task_;
    const Planes& planes_;
    const Filters& filters_;
    const Kernels& kernels_;
    const std::int32_t zero_;
    Memory<std::int32_t> beside_;
    Pieces pieces_{std::uint64_t{1} << 24};
};

// Each sum by itself: for a zero point that the input's type does not hold, and so no padding.
void convolve_plainly(const Convolution& task) {
    Pieces pieces;
    std::size_t at[2 + kSpatial];
    const std::size_t channels = task.groups * task.filters;
    for (at[0] = 0; at[0] < task.images; ++at[0])
        for (at[1] = 0; at[1] < channels; ++at[1])
            for (at[2] = 0; at[2] < task.output_sizes[0]; ++at[2])
                for (at[3] = 0; at[3] < task.output_sizes[1]; ++at[3])
                    for (at[4] = 0; at[4] < task.output_sizes[2]; ++at[4]) {
        const std::int32_t filter_zero = zero_of(task.filter_zero, at[1]);
        std::uint32_t sum = 0;
        std::size_t r[1 + kSpatial];
        for (r[0] = 0; r[0] < task.channels; ++r[0])
            for (r[1] = 0; r[1] < task.filter_sizes[0]; ++r[1])
                for (r[2] = 0; r[2] < task.filter_sizes[1]; ++r[2])
                    for (r[3] = 0; r[3] < task.filter_sizes[2]; ++r[3]) {
            const unsigned char* x = task.input.data +
                                     static_cast<std::ptrdiff_t>(at[0]) * task.input.image;
            const unsigned char* w = task.filter.data +
                                     static_cast<std::ptrdiff_t>(at[1]) * task.filter.image +
                                     static_cast<std::ptrdiff_t>(r[0]) * task.filter.channel;
            x += static_cast<std::ptrdiff_t>(at[1] / task.filters * task.channels + r[0]) *
                 task.input.channel;
            bool is_inside = true;
            for (int d = 0; d < kSpatial; ++d) {
                const auto p = static_cast<std::ptrdiff_t>(at[2 + d] * task.strides[d] +
                                                           r[1 + d] * task.dilations[d]) -
                               static_cast<std::ptrdiff_t>(task.start_padding[d]);
                is_inside = is_inside && p >= 0 &&
                            p < static_cast<std::ptrdiff_t>(task.input_sizes[d]);
                x += is_inside ? p * task.input.position[d] : 0;
                w += static_cast<std::ptrdiff_t>(r[1 + d]) * task.filter.position[d];
            }
            const auto number = [](const unsigned char* from, OperandType type) {
                return type == OperandType::kInt8 ? static_cast<signed char>(*from)
                                                  : static_cast<std::int32_t>(*from);
            };
            if (is_inside) {
                sum += static_cast<std::uint32_t>(times(
                    number(x, task.input.type) - task.input_zero,
                    number(w, task.filter.type) - filter_zero));
            }
        }
        unsigned char* to = task.output + static_cast<std::ptrdiff_t>(at[0]) * task.output_image +
                            static_cast<std::ptrdiff_t>(at[1]) * task.output_channel;
        for (int d = 0; d < kSpatial; ++d) {
            to += static_cast<std::ptrdiff_t>(at[2 + d]) * task.output_position[d];
        }
        std::memcpy(to, &sum, sizeof(sum));
        pieces.done(task.channels * task.filter_sizes[0] * task.filter_sizes[1] *
                    task.filter_sizes[2]);
    }
}

}  // namespace

std::size_t packed_filters_bytes(std::size_t filters, std::size_t channels,
                                 const std::size_t* sizes) {
    return filters * (1 + units_of_filter(channels, sizes)) * sizeof(std::int32_t);
}

void pack_filters(const Image& filter, std::size_t filters, std::size_t channels,
                  const std::size_t* sizes, unsigned char* to) {
    const unsigned char flips = flips_to_signed(filter.type);
    const bool joins = joins_channels(channels, sizes);
    const std::size_t lines = joins ? units_of(channels) : channels;
    const std::size_t columns = joins ? sizes[2] : units_of(sizes[2]);
    auto* const sums = reinterpret_cast<std::int32_t*>(to);
    to += filters * sizeof(std::int32_t);
    Pieces pieces;
    for (std::size_t m = 0; m < filters; ++m) {
        std::uint32_t sum = 0;
        const unsigned char* const from =
            filter.data + static_cast<std::ptrdiff_t>(m) * filter.image;
        for (std::size_t c = 0; c < lines; ++c)
            for (std::size_t r0 = 0; r0 < sizes[0]; ++r0)
                for (std::size_t r1 = 0; r1 < sizes[1]; ++r1)
                    for (std::size_t r2 = 0; r2 < columns; ++r2)
                        for (std::size_t n = 0; n < kQuad; ++n) {
                            const std::size_t channel = joins ? c * kQuad + n : c;
                            const std::size_t tap = joins ? r2 : r2 * kQuad + n;
                            unsigned char byte = 0;
                            if (channel < channels && tap < sizes[2]) {
                                byte = static_cast<unsigned char>(
                                    flips ^ from[static_cast<std::ptrdiff_t>(channel) * filter.channel +
                                                 static_cast<std::ptrdiff_t>(r0) * filter.position[0] +
                                                 static_cast<std::ptrdiff_t>(r1) * filter.position[1] +
                                                 static_cast<std::ptrdiff_t>(tap) * filter.position[2]]);
                            }
                            sum += static_cast<std::uint32_t>(static_cast<signed char>(byte));
                            *to++ = byte;
                        }
        sums[m] = static_cast<std::int32_t>(sum);
        pieces.done(lines * sizes[0] * sizes[1] * columns * kQuad);
    }
}

}  // namespace integers

void convolve_integers(const Convolution& given, const ContractionPolicy& policy,
                       const std::function<void(Share)>& after) {
    using namespace integers;
    const std::int32_t zero = given.input_zero + change_to_unsigned(given.input.type);
    bool is_padded = false;
    for (int d = 0; d < kSpatial; ++d) {
        if (given.output_sizes[d] == 0) return;
        const std::size_t reach = (given.output_sizes[d] - 1) * given.strides[d] +
                                  (given.filter_sizes[d] - 1) * given.dilations[d];
        is_padded = is_padded || given.start_padding[d] > 0 || reach >= given.input_sizes[d];
    }
    if (is_padded && (zero < 0 || zero > 255) && !given.filter_is_packed) {
        convolve_plainly(given);
        if (after) after({0, given.images * given.groups * given.filters});
        return;
    }
    const Convolution task = flattened(given);
    const Kernels& kernels = kernels_of(policy.kernels->name, policy.is_special);
    const Planes planes(task);
    const std::size_t unit_bytes = planes.offsets.size() * kQuad;
    const std::size_t filters = task.groups * task.filters;
    Memory<unsigned char> packed;
    const unsigned char* filter = task.filter.data;
    if (!task.filter_is_packed) {
        unsigned char* const to =
            packed.at_least(packed_filters_bytes(filters, task.channels, task.filter_sizes));
        pack_filters(task.filter, filters, task.channels, task.filter_sizes, to);
        filter = to;
    }
    const Filters packed_filters{reinterpret_cast<const std::int32_t*>(filter),
                                 filter + filters * sizeof(std::int32_t),
                                 static_cast<std::ptrdiff_t>(unit_bytes)};
    const std::size_t units = task.images * task.groups;
    const double products = static_cast<double>(units) * static_cast<double>(task.filters) *
                            static_cast<double>(planes.columns) *
                            static_cast<double>(planes.offsets.size() * kQuad);
    const unsigned threads = worthwhile_threads(
        products / policy.operations_per_thread / kGain, policy.max_threads);
    // Tiles read whole panels.
    const std::size_t plane_units = planes.size + integers::kMostPanels * integers::kPanel;
    const std::size_t panels = panels_of(planes.columns), sum_count = panels * integers::kPanel;
    // An image and a group is a unit. Few units are shared by lines of their planes and by filters,
    // others are taken whole; in pieces by those who are free.
    const bool are_shared = units < kUnitsOfThread * threads && task.filters >= threads;
    const bool is_whole = threads == 1 && !after;
    std::size_t stacks = (task.filters + kernels.rows - 1) / kernels.rows;
    stacks = is_whole ? 1 : std::min((stacks + threads - 1) / threads * threads, task.filters);
    const std::size_t unit_results = task.filters * planes.columns;
    std::size_t together = std::max<std::size_t>(kUnitResults / unit_results, 1);
    if (threads > 1) together = std::min(together, (units - 1) / (kUnitsOfThread * threads) + 1);
    const Memory<std::int32_t> shared_planes(are_shared ? plane_units : 0);
    const Memory<std::int32_t> shared_sums(are_shared ? sum_count : 0);
    std::vector<std::atomic<std::size_t>> filled(are_shared ? units : 0), multiplied(filled.size());
    std::atomic<std::size_t> taken{0};
    const auto input_of = [&](std::size_t unit) {
        return task.input.data +
               static_cast<std::ptrdiff_t>(unit / task.groups) * task.input.image +
               static_cast<std::ptrdiff_t>(unit % task.groups * task.channels) * task.input.channel;
    };
    const auto output_of = [&](std::size_t unit) {
        return task.output +
               static_cast<std::ptrdiff_t>(unit / task.groups) * task.output_image +
               static_cast<std::ptrdiff_t>(unit % task.groups * task.filters) * task.output_channel;
    };
    run_together(threads, [&](unsigned member, Team& team) {
        Filling filling(task, planes, kernels);
        Part work(task, planes, packed_filters, kernels);
        for (std::size_t unit = 0; unit < units && are_shared; ++unit) {
            const std::size_t group = unit % task.groups;
            std::int32_t *const data = shared_planes.data(), *const sums = shared_sums.data();
            if (unit > 0) team.wait();  // for those who still read the former planes
            for (std::size_t line; (line = filled[unit].fetch_add(1)) < planes.lines;) {
                filling.fill(input_of(unit), line, data);
            }
            team.wait();
            if (work.any_zero(group)) {
                work.sum_pixels(data, share_of(panels, 1, member, team.size()), sums);
                team.wait();
            }
            for (std::size_t piece; (piece = multiplied[unit].fetch_add(1)) < stacks;) {
                const Share filters = share_of(task.filters, 1, static_cast<unsigned>(piece),
                                               static_cast<unsigned>(stacks));
                work.run(data, sums, group, filters, output_of(unit));
                const std::size_t first = unit * task.filters;
                if (after) after({first + filters.begin, first + filters.end});
            }
        }
        if (are_shared) return;
        const Memory<std::int32_t> data(plane_units), sums(sum_count);
        for (std::size_t first; (first = taken.fetch_add(together)) < units;) {
            const std::size_t end = std::min(first + together, units);
            for (std::size_t unit = first; unit < end; ++unit) {
                const std::size_t group = unit % task.groups;
                for (std::size_t line = 0; line < planes.lines; ++line) {
                    filling.fill(input_of(unit), line, data.data());
                }
                if (work.any_zero(group)) work.sum_pixels(data.data(), {0, panels}, sums.data());
                work.run(data.data(), sums.data(), group, {0, task.filters}, output_of(unit));
            }
            if (after) after({first * task.filters, end * task.filters});
        }
    });
}

}  // namespace indirectml
