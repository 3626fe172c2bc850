#include "channels_last.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../kept.h"
#include "channel_strips.h"
#include "convolver.h"
#include "few_pixels.h"
#include "shares.h"

namespace indirectml {

namespace {

// A convolver of one thread, and where what it reads and writes lies.
struct ReadyConvolver {
    ReadyConvolver(const Convolution& given, const ContractionKernels& kernels)
        : kernels(&kernels), task(given), convolver(task, kernels) {}
    bool fits(const Convolution& other, const ContractionKernels& others) const {
        return &others == kernels && other.input.data == task.input.data && other.output == task.output;
    }

    const ContractionKernels* kernels;
    const Convolution task;
    Convolver convolver;
};

}  // namespace

struct KeptConvolvers {
    Kept<ReadyConvolver> kept;
};

namespace {

// One for as long as a thread works.
class OwnConvolver {
  public:
    OwnConvolver(const Convolution& task, const ContractionKernels& kernels)
        : ready_(task.kept ? &task.kept->kept : nullptr,
                 [&](const ReadyConvolver& ready) { return ready.fits(task, kernels); },
                 [&] { return std::make_unique<ReadyConvolver>(task, kernels); }) {
        ready_->convolver.forget();
    }
    Convolver* operator->() const { return &ready_->convolver; }

  private:
    const Kept<ReadyConvolver>::Taken ready_;
};

// The bytes of what a strip reads, where every channel has a filter of its own.
constexpr std::size_t kChannelStripBytes = 224 << 10;

// A product of a filter of one channel takes as long as so many others.
constexpr double kProductsOfChannels = 4;

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
    std::optional<OwnConvolver> first;
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
        panels = (*first)->panels();
        strip_rows = (*first)->strip_rows();
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
    const StripShares shares(task, strip_rows, panels, by_channels, threads);
    const std::size_t parts = shares.parts;
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
    const auto make = [&](unsigned member) {
        auto scratch = std::make_unique<ProductScratch>();
        std::unique_ptr<OwnConvolver> own;
        if (!by_channels && member > 0) own = std::make_unique<OwnConvolver>(task, kernels);
        return [&, member, scratch = std::move(scratch), own = std::move(own)](
                   std::size_t number, const Share& share, bool is_last) {
            const Strip& strip = strips[number];
            if (by_channels) {
                return filter_strip(task, kernels, geometry, strip, share.begin, share.end, *scratch);
            }
            const OwnConvolver& convolver = member > 0 ? *own : *first;
            const bool has_next = !is_last && number + 1 < strips.size();
            convolver->run(strip, share.begin, share.end, *scratch, has_next ? &strip + 1 : nullptr);
        };
    };
    shares.run(strips.size(), std::min<std::size_t>(kernels.panels, 2), make, [&](std::size_t number) {
        if (!after) return;
        const std::size_t row = strips[number].image * task.output_sizes[1] + strips[number].first;
        after({row, row + strips[number].rows});
    });
    if (after && !shares.completes_strips()) finish_rows(task, threads, after);
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

std::shared_ptr<KeptConvolvers> kept_convolvers() { return std::make_shared<KeptConvolvers>(); }

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
