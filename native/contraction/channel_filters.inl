// Filters that each see one channel (ChannelFilter) in terms of lanes, a part of kernels.inl.

// An output of so many channels, with their bias, which may be null.
INDIRECTML_INLINE void write_output(F32::Vector sum, const float* bias, std::size_t channels, float* to) {
    if (bias) sum = F32::add(sum, F32::load(bias));
    sum = F32::canonical(sum);
    if (channels >= F32::kCount) {
        F32::store(to, sum);
    } else {
        F32::store_part(to, sum, channels);
    }
}

// So many outputs at once, of some vectors of channels: sums in registers, and each weight read once.
// Where some have columns of taps that read nothing, there is one output.
template <std::size_t kOutputs, std::size_t kVectors, bool kIsInside>
inline void filter_channels_at(const ChannelFilter& f, std::size_t n) {
    using V = F32::Vector;
    constexpr std::size_t kCount = F32::kCount;
    const float* const from = f.from + static_cast<std::ptrdiff_t>(n) * f.from_step;
    V sums[kOutputs][kVectors];
    for_each<kOutputs, kVectors>([&](std::size_t i, std::size_t v) { sums[i][v] = F32::zero(); });
    const float* weights = f.weights;
    // What a tap reads; null where that is 0.
    const auto add = [&](const float* at) {
        V weight[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) weight[v] = F32::load(weights + v * kCount);
        for_each<kOutputs, kVectors>([&](std::size_t i, std::size_t v) {
            const auto there = static_cast<std::ptrdiff_t>(i) * f.from_step + static_cast<std::ptrdiff_t>(v * kCount);
            sums[i][v] = F32::fma(weight[v], at ? F32::load(at + there) : F32::zero(), sums[i][v]);
        });
        weights += kPanel;
    };
    for (std::size_t r = 0; r < f.rows; ++r) {
        if (r < f.first_row || r >= f.end_row) {
            for (std::size_t s = 0; s < f.columns; ++s) add(nullptr);
            continue;
        }
        const float* at = from + static_cast<std::ptrdiff_t>(r) * f.from_row;
        std::ptrdiff_t column = f.first_column + static_cast<std::ptrdiff_t>(n) * f.step;
        for (std::size_t s = 0; s < f.columns; ++s, at += f.from_column, column += f.tap_step) {
            const bool is_there = kIsInside || static_cast<std::size_t>(column) < f.input_columns;
            add(is_there ? at : nullptr);
        }
    }
    float* const to = f.to + static_cast<std::ptrdiff_t>(n) * f.to_step;
    for_each<kOutputs, kVectors>([&](std::size_t i, std::size_t v) {
        const std::size_t channel = v * kCount;
        write_output(sums[i][v], f.bias ? f.bias + channel : nullptr, f.channels - channel,
                     to + static_cast<std::ptrdiff_t>(i) * f.to_step + channel);
    });
}

template <std::size_t kOutputs, std::size_t kVectors>
inline void filter_so_many(const ChannelFilter& f, std::size_t n, std::size_t count) {
    if (count == kOutputs) return filter_channels_at<kOutputs, kVectors, true>(f, n);
    if constexpr (kOutputs > 1) filter_so_many<kOutputs - 1, kVectors>(f, n, count);
}

// Outputs first .. end of a panel, all inside, or one that need not be.
template <std::size_t kVectors>
inline void filter_some(const ChannelFilter& f, std::size_t first, std::size_t end) {
    constexpr std::size_t kMost = kVectors > 2 ? 1 : 10 / kVectors;
    if (first >= f.first_inside && end <= f.end_inside) {
        return filter_so_many<kMost, kVectors>(f, first, end - first);
    }
    filter_channels_at<1, kVectors, false>(f, first);
}

// As above, of one vector of channels, where taps and outputs read neighbours: what several taps read is
// loaded once, and each sum takes its taps in order.
template <std::size_t kOutputs, std::size_t kTaps, std::size_t kStride, bool kIsInside>
INDIRECTML_INLINE void filter_neighbours_at(const ChannelFilter& f, std::size_t n, std::size_t channel) {
    using V = F32::Vector;
    V sums[kOutputs];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kOutputs; ++i) sums[i] = F32::zero();
    const float* weights = f.weights + channel / kPanel * f.rows * kTaps * kPanel + channel % kPanel;
    const float* row = f.from + channel + static_cast<std::ptrdiff_t>(n) * f.from_step;
    const std::ptrdiff_t from_row = f.from_row, from_column = f.from_column, to_step = f.to_step;
    const auto first = static_cast<std::size_t>(f.first_column + static_cast<std::ptrdiff_t>(n * kStride));
    for (std::size_t r = 0; r < f.rows; ++r, row += from_row) {
        V weight[kTaps];
#pragma GCC unroll 8
        for (std::size_t s = 0; s < kTaps; ++s, weights += kPanel) weight[s] = F32::load(weights);
        // The number at position p is what tap s of output i reads where i * kStride + s is p.
        const auto add = [&](std::size_t p, V x) {
#pragma GCC unroll 16
            for (std::size_t i = 0; i < kOutputs; ++i) {
                const std::size_t s = p - i * kStride;
                if (s < kTaps) sums[i] = F32::fma(weight[s], x, sums[i]);
            }
        };
        constexpr std::size_t kPositions = (kOutputs - 1) * kStride + kTaps;
        const bool is_row = f.first_row <= r && r < f.end_row;
        if (!is_row) {
#pragma GCC unroll 32
            for (std::size_t p = 0; p < kPositions; ++p) add(p, F32::zero());
            continue;
        }
        const float* at = row;
#pragma GCC unroll 32
        for (std::size_t p = 0; p < kPositions; ++p, at += from_column) {
            const bool is_there = kIsInside || first + p < f.input_columns;
            add(p, is_there ? F32::opaque(F32::load(at)) : F32::zero());
        }
    }
    // What is written may be `f`, as far as the compiler knows.
    const float* const bias = f.bias ? f.bias + channel : nullptr;
    const std::size_t left = f.channels - channel;
    float* to = f.to + channel + static_cast<std::ptrdiff_t>(n) * to_step;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kOutputs; ++i, to += to_step) write_output(sums[i], bias, left, to);
}

// Outputs first .. end of all channels, as these lie in memory.
template <std::size_t kOutputs, std::size_t kTaps, std::size_t kStride>
inline void filter_neighbours(const ChannelFilter& f, std::size_t first, std::size_t end) {
    if (end - first == kOutputs) {
        const bool is_inside = first >= f.first_inside && end <= f.end_inside;
        for (std::size_t channel = 0; channel < f.channels; channel += F32::kCount) {
            if (is_inside) {
                filter_neighbours_at<kOutputs, kTaps, kStride, true>(f, first, channel);
            } else {
                filter_neighbours_at<kOutputs, kTaps, kStride, false>(f, first, channel);
            }
        }
        return;
    }
    if constexpr (kOutputs > 1) filter_neighbours<kOutputs - 1, kTaps, kStride>(f, first, end);
}

// All panels of a few outputs, then of the next ones, as they lie in memory.
inline void filter_panels(const ChannelFilter& f, std::size_t first, std::size_t end) {
    constexpr std::size_t kCount = F32::kCount, kAll = kPanel / kCount;
    ChannelFilter part = f;
    for (std::size_t channel = 0; channel < f.channels; channel += kPanel) {
        part.channels = f.channels - channel < kPanel ? f.channels - channel : kPanel;
        part.from = f.from + channel;
        part.to = f.to + channel;
        part.bias = f.bias ? f.bias + channel : nullptr;
        if (part.channels > kPanel - kCount) {
            filter_some<kAll>(part, first, end);
        } else {
            // Fewer vectors have channels.
            ChannelFilter vector = part;
            for (std::size_t v = 0; v < part.channels; v += kCount) {
                vector.channels = part.channels - v < kCount ? part.channels - v : kCount;
                vector.from = part.from + v;
                vector.weights = part.weights + v;
                vector.bias = part.bias ? part.bias + v : nullptr;
                vector.to = part.to + v;
                filter_some<1>(vector, first, end);
            }
        }
        part.weights += f.rows * f.columns * kPanel;
    }
}

// Parts as equal as can be: a few sums at a time would wait for each other.
template <typename Work>
inline void in_parts(std::size_t first, std::size_t end, std::size_t most, const Work& work) {
    const std::size_t all = end - first, parts = (all + most - 1) / most;
    for (std::size_t n = 0; n < parts; ++n) work(first + all * n / parts, first + all * (n + 1) / parts);
}

// False if they are none of kNeighbourFilters from kWhich on.
template <std::size_t kWhich = 0>
inline bool filter_channels_as_neighbours(const ChannelFilter& f) {
    if constexpr (kWhich < sizeof(kNeighbourFilters) / sizeof(kNeighbourFilters[0])) {
        // Without products in hardware, more take long to compile, and gain nothing.
        constexpr std::size_t kMost = F32::kPicks ? 8 : 1;
        constexpr std::size_t kTaps = kNeighbourFilters[kWhich].columns;
        constexpr std::size_t kStride = kNeighbourFilters[kWhich].stride;
        if (f.columns != kTaps || f.step != kStride) return filter_channels_as_neighbours<kWhich + 1>(f);
        in_parts(0, f.count, kMost, [&](std::size_t first, std::size_t end) {
            filter_neighbours<kMost, kTaps, kStride>(f, first, end);
        });
        return true;
    }
    return false;
}

inline void filter_channels(const ChannelFilter& f) {
    const bool follow = f.tap_step == 1 && f.from_step == f.step * f.from_column;
    if (follow && filter_channels_as_neighbours(f)) return;
    constexpr std::size_t kAll = kPanel / F32::kCount, kMost = kAll > 2 ? 1 : 10 / kAll;
    for (std::size_t n = 0; n < f.first_inside; ++n) filter_panels(f, n, n + 1);
    in_parts(f.first_inside, f.end_inside, kMost, [&](std::size_t first, std::size_t end) {
        filter_panels(f, first, end);
    });
    for (std::size_t n = f.end_inside; n < f.count; ++n) filter_panels(f, n, n + 1);
}
