#include "channels_last.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "channel_strips.h"
#include "convolver.h"
#include "few_pixels.h"

namespace indirectml {

namespace {

// The bytes of what a strip reads, where every channel has a filter of its own.
constexpr std::size_t kChannelStripBytes = 224 << 10;

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
        const Convolver convolver(task, kernels);
        panels = convolver.panels();
        strip_rows = convolver.strip_rows();
    }
    // What comes after a strip finds it in the caches.
    const std::size_t row_bytes = task.output_sizes[2] * task.groups * task.filters * 4;
    const std::size_t most = std::max<std::size_t>(kLeastStripRows, kStripBytes / row_bytes);
    strip_rows = std::min(strip_rows, std::max<std::size_t>(most, 1));
    const std::size_t parts = (task.output_sizes[1] + strip_rows - 1) / strip_rows;
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
    const double products =
        static_cast<double>(task.images * task.output_sizes[1] * task.output_sizes[2]) *
        static_cast<double>(task.groups * task.filters) * static_cast<double>(task.channels * taps);
    const unsigned threads =
        worthwhile_threads(products / policy.operations_per_thread, policy.max_threads);
    // Few strips are shared by their panels, too. Who is free takes the next piece.
    constexpr std::size_t kPiecesOfThread = 4;
    const std::size_t step = by_channels ? 1 : std::min<std::size_t>(kernels.panels, 2);
    const std::size_t wanted = threads > 1 ? kPiecesOfThread * threads : 1;
    const std::size_t shares =
        std::clamp<std::size_t>((wanted + strips.size() - 1) / strips.size(), 1,
                                (panels + step - 1) / step);
    std::atomic<std::size_t> next{0};
    std::vector<std::atomic<std::size_t>> done(strips.size());
    run_together(threads, [&](unsigned, const Team&) {
        ProductScratch scratch;
        Convolver convolver(task, kernels);
        for (;;) {
            const std::size_t piece = next.fetch_add(1, std::memory_order_relaxed);
            if (piece >= strips.size() * shares) break;
            const Share share = share_of(panels, step, static_cast<unsigned>(piece % shares),
                                         static_cast<unsigned>(shares));
            const Strip& strip = strips[piece / shares];
            if (by_channels) {
                filter_strip(task, kernels, geometry, strip, share.begin, share.end, scratch);
            } else {
                const Strip* const next =
                    shares == 1 && piece + threads < strips.size() ? &strip + threads : nullptr;
                convolver.run(strip, share.begin, share.end, scratch, next);
            }
            if (!after) continue;
            if (done[piece / shares].fetch_add(1, std::memory_order_acq_rel) + 1 < shares) continue;
            const std::size_t row = strip.image * task.output_sizes[1] + strip.first;
            after({row, row + strip.rows});
        }
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
