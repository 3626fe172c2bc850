// Convolutions of 8-bit integers. The input becomes planes (planes.h), so that tiles read pixels where they
// lie; what is computed beyond the rows of the output is left out. What is too large for memory that is
// near is cut: many channels, whose sums are added, and many pixels.
#include "../contraction/convolve.h"

#include <atomic>
#include <vector>

#include "../stopping.h"
#include "../team.h"
#include "planes.h"

namespace indirectml {

namespace integers {
namespace {

// Results of this many pixels of a tile's filters stay in the first cache, before they go to the output.
constexpr std::size_t kBlockPanels = 32;

// So many units for a thread are enough for all to end at about the same time.
constexpr std::size_t kUnitsOfThread = 4;
// Results of so many stay in the second cache for what comes after them.
constexpr std::size_t kUnitResults = 1 << 14;

// Lines of a group's planes, and units of all of them, that are taken at once.
constexpr std::size_t kMostLines = 1 << 12, kMostUnits = 1 << 18;

// Units of each filter of all groups, and the sums of their elements, where these count.
struct Filters {
    const std::int32_t* sums;
    const unsigned char* units;
    std::ptrdiff_t row;  // in bytes, from a filter to the next
};

// One thread's work on the pixels of a group: some filters.
class Part {
  public:
    Part(const Convolution& task, const Planes& planes, const Filters& filters, bool is_added,
         const Kernels& kernels)
        : task_(task),
          is_added_(is_added),
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
            const std::size_t most = kernels_.widening_rows;
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
            starts[i] = filters_.sums ? less(0, times(zero_, filters_.sums[number + i])) : 0;
        }
        unsigned char* const to = output + static_cast<std::ptrdiff_t>(filter) * task_.output_channel;
        const bool is_direct =
            !is_added_ && planes_.is_tight && columns == count * kPanel && is_packed();
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

    bool is_packed() const {
        std::ptrdiff_t packed = sizeof(std::int32_t);
        for (int d = kSpatial - 1; d >= 0; --d) {
            if (task_.output_sizes[d] != 1 && task_.output_position[d] != packed) return false;
            packed *= static_cast<std::ptrdiff_t>(task_.output_sizes[d]);
        }
        return task_.output_channel % 4 == 0;
    }

    // Results of positions first .. first + count - 1 of a plane, those that are pixels, to the output.
    void spread(const std::int32_t* from, std::size_t first, std::size_t count, unsigned char* to) {
        if (!is_added_ && planes_.is_tight && is_packed()) {
            std::memcpy(to + first * sizeof(*from), from, count * sizeof(*from));
            return;
        }
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
                if (is_added_) {
                    for (std::size_t k = 0; k < run; ++k, at += step) {
                        std::int32_t former;
                        std::memcpy(&former, at, sizeof(former));
                        const std::int32_t sum = less(former, less(0, from[n + k]));
                        std::memcpy(at, &sum, sizeof(sum));
                    }
                } else if (step == sizeof(*from)) {
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
    const bool is_added_;  // to what is there
    const Planes& planes_;
    const Filters& filters_;
    const Kernels& kernels_;
    const std::int32_t zero_;
    Memory<std::int32_t> beside_;
    Pieces pieces_{std::uint64_t{1} << 24};
};

using After = std::function<void(Share)>;

// Some output positions along a dimension.
Convolution some_positions(const Convolution& task, int d, const Share& own) {
    Convolution some = task;
    some.output += static_cast<std::ptrdiff_t>(own.begin) * task.output_position[d];
    some.output_sizes[d] = own.end - own.begin;
    const std::size_t at = own.begin * task.strides[d];
    const std::size_t padding = std::min(at, task.start_padding[d]);
    const std::size_t left_out = std::min(at - padding, task.input_sizes[d]);
    some.start_padding[d] -= padding;
    some.input_sizes[d] -= left_out;
    some.input.data += static_cast<std::ptrdiff_t>(left_out) * task.input.position[d];
    return some;
}

// The dimension along which planes are cut, or one that is not there: pieces are longer than what each
// reads beyond its end.
int dimension_of_cut(const Convolution& task, const Planes& planes, std::size_t pieces) {
    int d = 0;
    while (d + 1 < kSpatial && task.output_sizes[d] == 1) ++d;
    const std::size_t beyond = planes.extents[d] - task.output_sizes[d];
    return pieces > 1 && task.output_sizes[d] > pieces * beyond * 2 ? d : kSpatial;
}

// All groups, each with some of its channels, whose sums are those of the output or are added to it.
void convolve_channels(const Convolution& task, std::size_t group_channels, const Filters& filters,
                       bool joins, bool is_added, const Kernels& kernels,
                       const ContractionPolicy& policy, const After& after) {
    const Planes planes(task, joins);
    const std::size_t pieces = (planes.size + kMostUnits - 1) / kMostUnits;
    const int d = dimension_of_cut(task, planes, pieces);
    if (d < kSpatial) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const Share own = share_of(task.output_sizes[d], 1, static_cast<unsigned>(piece),
                                       static_cast<unsigned>(pieces));
            if (own.is_empty()) continue;
            const bool is_last = own.end == task.output_sizes[d];
            convolve_channels(some_positions(task, d, own), group_channels, filters, joins, is_added,
                              kernels, policy, is_last ? after : After());
        }
        return;
    }
    const std::size_t units = task.images * task.groups;
    const double products = static_cast<double>(units) * static_cast<double>(task.filters) *
                            static_cast<double>(planes.columns) *
                            static_cast<double>(planes.offsets.size() * kQuad);
    const unsigned threads = worthwhile_threads(
        products / policy.operations_per_thread / kGain, policy.max_threads);
    // Tiles read whole panels.
    const std::size_t plane_units = planes.size + kMostPanels * kPanel;
    const std::size_t panels = panels_of(planes.columns), sum_count = panels * kPanel;
    // An image and a group is a unit. Few units are shared by lines of their planes and by filters,
    // others are taken whole; in pieces by those who are free.
    const bool are_shared = units < kUnitsOfThread * threads && task.filters >= threads;
    const bool is_whole = threads == 1 && !after;
    std::size_t stacks = (task.filters + kernels.widening_rows - 1) / kernels.widening_rows;
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
               static_cast<std::ptrdiff_t>(unit % task.groups * group_channels) * task.input.channel;
    };
    const auto output_of = [&](std::size_t unit) {
        return task.output +
               static_cast<std::ptrdiff_t>(unit / task.groups) * task.output_image +
               static_cast<std::ptrdiff_t>(unit % task.groups * task.filters) * task.output_channel;
    };
    run_together(threads, [&](unsigned member, Team& team) {
        Filling filling(task, planes, kernels);
        Part work(task, planes, filters, is_added, kernels);
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
                const Share own = share_of(task.filters, 1, static_cast<unsigned>(piece),
                                           static_cast<unsigned>(stacks));
                work.run(data, sums, group, own, output_of(unit));
                const std::size_t first = unit * task.filters;
                if (after) after({first + own.begin, first + own.end});
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

}  // namespace
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
    if (is_padded && (zero < 0 || zero > 255) && !given.filter_is_in_panels) {
        convolve_plainly(given);
        if (after) after({0, given.images * given.groups * given.filters});
        return;
    }
    const Convolution task = flattened(given);
    const Kernels& kernels = kernels_of(policy.kernels->name, policy.integer_kernels);
    const std::size_t filters = task.groups * task.filters;
    const bool joins = joins_channels(task.channels, task.filter_sizes);
    const std::size_t all_units = units_of_filter(task.channels, task.filter_sizes, joins);
    const std::size_t most = joins ? kMostLines * kQuad
                                   : std::max<std::size_t>(kMostLines / units_of(task.filter_sizes[2]), 1);
    Memory<unsigned char> panels;
    for (std::size_t first = 0; first < task.channels; first += most) {
        Convolution some = task;
        some.channels = std::min(most, task.channels - first);
        some.input.data += static_cast<std::ptrdiff_t>(first) * task.input.channel;
        const std::size_t units = units_of_filter(some.channels, task.filter_sizes, joins);
        const unsigned char* from = task.filter.data;
        std::size_t units_before = units_of_filter(first, task.filter_sizes, joins), row = all_units;
        if (!task.filter_is_in_panels) {
            some.filter.data += static_cast<std::ptrdiff_t>(first) * task.filter.channel;
            unsigned char* const to =
                panels.at_least(filters * (1 + units) * sizeof(std::int32_t));
            pack_units(some.filter, filters, some.channels, task.filter_sizes, joins, kernels, to);
            from = to;
            units_before = 0;
            row = units;
        }
        // The sums of what was in panels before are those of all channels.
        const bool has_sums = first == 0 || !task.filter_is_in_panels;
        const Filters of_some{has_sums ? reinterpret_cast<const std::int32_t*>(from) : nullptr,
                              from + filters * sizeof(std::int32_t) + units_before * kQuad,
                              static_cast<std::ptrdiff_t>(row * kQuad)};
        const bool is_last = first + some.channels == task.channels;
        convolve_channels(some, task.channels, of_some, joins, first > 0, kernels, policy,
                          is_last ? after : After());
    }
}

}  // namespace indirectml
