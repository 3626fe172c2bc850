// Filters that each see one channel (ChannelFilter) in terms of lanes, a part of kernels.inl.

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
        V sum = sums[i][v];
        if (f.bias) sum = F32::add(sum, F32::load(f.bias + v * kCount));
        sum = F32::canonical(sum);
        float* const place = to + static_cast<std::ptrdiff_t>(i) * f.to_step + v * kCount;
        const std::size_t left = f.channels - v * kCount;
        if (left >= kCount) {
            F32::store(place, sum);
        } else {
            F32::store_part(place, sum, left);
        }
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
inline void filter_channels(const ChannelFilter& f) {
    constexpr std::size_t kAll = kPanel / F32::kCount, kMost = kAll > 2 ? 1 : 10 / kAll;
    for (std::size_t n = 0; n < f.first_inside; ++n) filter_panels(f, n, n + 1);
    const std::size_t inside = f.end_inside - f.first_inside, parts = (inside + kMost - 1) / kMost;
    for (std::size_t part = 0; part < parts; ++part) {
        filter_panels(f, f.first_inside + inside * part / parts,
                      f.first_inside + inside * (part + 1) / parts);
    }
    for (std::size_t n = f.end_inside; n < f.count; ++n) filter_panels(f, n, n + 1);
}
