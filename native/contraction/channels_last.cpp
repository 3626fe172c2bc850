#include "channels_last.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "channel_strips.h"
#include "convolver.h"
#include "few_pixels.h"

namespace indirectml {

namespace {

// The bytes of what a strip reads, where every channel has a filter of its own.
constexpr std::size_t kChannelStripBytes = 224 << 10;

// A product of a filter of one channel takes as long as so many others.
constexpr double kProductsOfChannels = 4;

// Threads share out rows if the longest share is at most so much longer than an equal one.
constexpr std::size_t kLongestShare = 9, kEqualShare = 8;

// Pieces of filters that threads share out have at least so many panels; and how many each thread has at most.
constexpr std::size_t kPanelsOfPiece = 4, kMostPieces = 4;

// So much is kept of the filters of one convolution besides these. Larger ones belong to larger images, where
// a copy in each call is a smaller part of the time.
constexpr std::size_t kMostTrimmedBytes = 8 << 20;

bool lies_in_elements(const Image& x) {
    const std::ptrdiff_t bytes = bytes_of(x);
    return reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(bytes) == 0 &&
           x.image % bytes == 0 && x.channel % bytes == 0 && x.position[1] % bytes == 0 &&
           x.position[2] % bytes == 0;
}

// Whatever lies where in memory.
bool has_strips(const Convolution& task) {
    if (!task.filter_panels && !task.half_panels) return false;
    if (task.is_backward || task.output_channel != 4 || is_of_one_pixel(task)) return false;
    if (task.filter_sizes[0] != 1 || task.strides[0] != 1 || task.start_padding[0] != 0 ||
        task.input_sizes[0] != 1 || task.output_sizes[0] != 1) {
        return false;
    }
    // Filters of channels have no limits.
    if (task.has_channel_panels && !task.limits.change_nothing()) return false;
    // An output beyond the input would read nothing at all.
    return !task.has_channel_panels || task.input.channel == bytes_of(task.input);
}

// Whether threads share out rows, and not filters: then each finds in its caches what it has written of other
// tensors, but reads all filters.
bool are_shared_by_rows(const Convolution& task, std::size_t panels, std::size_t strips, unsigned threads) {
    const std::size_t rows = task.images * task.output_sizes[1];
    if (task.images * strips >= 2 * threads || (task.has_channel_panels && rows >= threads)) return true;
    const std::size_t longest = (rows + threads - 1) / threads;
    if (longest * threads * kEqualShare > rows * kLongestShare) return false;
    const std::size_t taps = task.filter_sizes[1] * task.filter_sizes[2];
    const std::size_t filters = task.groups * panels * kPanel * task.channels * taps;
    const std::size_t pixels = task.input_sizes[1] * task.input_sizes[2] * task.groups * task.channels +
                               task.output_sizes[1] * task.output_sizes[2] * task.groups * task.filters;
    return filters <= task.images * pixels;
}

bool is_for_us(const Convolution& task) { return has_strips(task) && lies_in_elements(task.input); }

}  // namespace

std::size_t rows_of_outputs(const Convolution& task) {
    const auto rows = static_cast<std::ptrdiff_t>(task.output_sizes[1]);
    const bool follow = task.images == 1 || task.output_image == rows * task.output_position[1];
    return is_for_us(task) && follow ? task.images * task.output_sizes[1] : 0;
}

bool convolve_channels_last(const Convolution& task, const ContractionPolicy& policy,
                            const std::function<void(Share)>& after) {
    if (!is_for_us(task)) return false;
    const DefaultFloatModes modes;
    const ContractionKernels& kernels = *policy.kernels;
    const Geometry geometry(task);
    const std::size_t taps = geometry.rows.taps * geometry.columns.taps;
    const bool by_channels = task.has_channel_panels;
    std::optional<Convolver> first;
    std::size_t strip_rows = 0, panels = 0;
    if (by_channels) {
        panels = (task.groups + kPanel - 1) / kPanel;
        const std::size_t row =
            geometry.columns.reach(geometry.columns.output) * channel_pitch(std::min(task.groups, kPanelsTogether * kPanel)) * 4;
        strip_rows = task.output_sizes[1];
        while (strip_rows > 1 && geometry.rows.reach(strip_rows) * row > kChannelStripBytes) {
            strip_rows = (strip_rows + 1) / 2;
        }
    } else {
        first.emplace(task, kernels);
        panels = first->panels();
        strip_rows = first->strip_rows();
    }
    // What comes after a strip finds it in the caches.
    const std::size_t row_bytes = task.output_sizes[2] * task.groups * task.filters * 4;
    const std::size_t most = std::max<std::size_t>(kLeastStripRows, kStripBytes / row_bytes);
    strip_rows = std::min(strip_rows, std::max<std::size_t>(most, 1));
    const double products =
        static_cast<double>(task.images * task.output_sizes[1] * task.output_sizes[2]) *
        static_cast<double>(task.groups * task.filters) * static_cast<double>(task.channels * taps);
    const double work = (by_channels ? kProductsOfChannels : 1) * products;
    const unsigned threads = worthwhile_threads(work / policy.operations_per_thread, policy.max_threads);
    std::size_t parts = (task.output_sizes[1] + strip_rows - 1) / strip_rows;
    const bool by_rows = threads == 1 || are_shared_by_rows(task, panels, parts, threads);
    // As many strips for each thread.
    if (by_rows && task.images == 1) {
        parts = std::min((parts + threads - 1) / threads * threads, task.output_sizes[1]);
    }
    std::vector<Strip> strips;
    for (std::size_t image = 0; image < task.images; ++image) {
        for (std::size_t n = 0, first = 0; n < parts; ++n) {
            const std::size_t end = task.output_sizes[1] * (n + 1) / parts;
            for (std::size_t row = first + 1; row < end && !by_channels; ++row) {
                if (!reads_other_taps(geometry.rows, row)) continue;
                strips.push_back({image, first, row - first});
                first = row;
            }
            strips.push_back({image, first, end - first});
            first = end;
        }
    }
    // Else each has some pieces of the filters, which others may take.
    const std::size_t own = by_rows ? 1 : std::clamp<std::size_t>(panels / threads / kPanelsOfPiece, 1, kMostPieces);
    const std::size_t shares = by_rows ? 1 : std::min<std::size_t>(own * threads, panels);
    const std::size_t pair = std::min<std::size_t>(kernels.panels, 2);
    const std::size_t step = panels / pair % shares == 0 ? pair : 1;
    const auto rows_of = [&](const Strip& strip) {
        const std::size_t row = strip.image * task.output_sizes[1] + strip.first;
        return Share{row, row + strip.rows};
    };
    Turns turns(strips.size() * shares, threads);
    run_together(threads, [&](unsigned member, const Team&) {
        ProductScratch scratch;
        std::optional<Convolver> another;
        Convolver* const convolver = !first ? nullptr : member == 0 ? &*first : &another.emplace(task, kernels);
        for (std::size_t piece; turns.take(member, piece);) {
            // Strip by strip, those panels that are one thread's.
            const std::size_t part = piece / (strips.size() * own), rest = piece % (strips.size() * own);
            const Share share = share_of(panels, step, static_cast<unsigned>(part * own + rest % own),
                                         static_cast<unsigned>(shares));
            const Strip& strip = strips[rest / own];
            if (by_channels) {
                filter_strip(task, kernels, geometry, strip, share.begin, share.end, scratch);
            } else {
                const bool is_last = piece + 1 == share_of(strips.size(), 1, member, threads).end;
                const bool has_next = shares == 1 && !is_last && piece + 1 < strips.size();
                convolver->run(strip, share.begin, share.end, scratch, has_next ? &strip + 1 : nullptr);
            }
            if (after && shares == 1) after(rows_of(strip));
        }
    });
    if (!after || shares == 1) return true;
    const std::size_t rows = task.images * task.output_sizes[1];
    run_team(threads, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, threads);
        if (!share.is_empty()) after(share);
    });
    return true;
}

std::shared_ptr<const TrimmedFilters> trimmed_filters(const Convolution& task,
                                                      const ContractionKernels& kernels) {
    if (!has_strips(task) || !task.filter_panels || task.has_channel_panels) return nullptr;
    const Geometry geometry(task);
    auto found = std::make_shared<TrimmedFilters>();
    Convolver convolver(task, kernels);
    std::size_t bytes = 0;
    for (std::size_t first = 0, end = 0; first < task.output_sizes[1]; first = end) {
        do ++end;
        while (end < task.output_sizes[1] && !reads_other_taps(geometry.rows, end));
        std::optional<TrimmedFilters::Part> part = convolver.trimmed({first, end});
        if (!part) continue;
        bytes += part->panels.size() * sizeof(float);
        if (bytes > kMostTrimmedBytes) return nullptr;
        found->parts.push_back(std::move(*part));
    }
    return found->parts.empty() ? nullptr : found;
}

std::vector<float> widened_panels(const Convolution& task, const ContractionKernels& kernels) {
    std::size_t taps = 1;
    for (const std::size_t size : task.filter_sizes) taps *= size;
    const std::size_t columns = task.has_channel_panels ? in_panels(task.groups)
                                                        : task.groups * in_panels(task.filters);
    std::vector<float> panels(columns * task.channels * taps);
    const DefaultFloatModes modes;
    kernels.widen(task.half_panels, panels.size(), panels.data());
    return panels;
}

std::vector<float> unpacked_channel_filters(const Convolution& task) {
    const std::size_t taps = task.filter_sizes[0] * task.filter_sizes[1] * task.filter_sizes[2];
    std::vector<float> weights(task.groups * taps);
    for (std::size_t c = 0; c < task.groups; ++c) {
        for (std::size_t n = 0; n < taps; ++n) {
            weights[c * taps + n] =
                task.filter_panels[(c / kPanel * taps + n) * kPanel + c % kPanel];
        }
    }
    return weights;
}

}  // namespace indirectml
