// Filters that each see one channel (ChannelFilter) in terms of lanes, a part of kernels.inl.

// So many outputs at once, of a vector of channels: sums in registers, and each weight read once.
template <std::size_t kOutputs, std::size_t kVectors>
inline void filter_channels_at(const ChannelFilter& f, std::size_t n) {
    using V = F32::Vector;
    constexpr std::size_t kCount = F32::kCount;
    const float* const from = f.from + static_cast<std::ptrdiff_t>(n) * f.from_step;
    V sums[kOutputs][kVectors];
    for_each<kOutputs, kVectors>([&](std::size_t i, std::size_t v) { sums[i][v] = F32::zero(); });
    const float* weights = f.weights;
    for (std::size_t r = 0; r < f.rows; ++r) {
        const float* at = from + static_cast<std::ptrdiff_t>(r) * f.from_row;
        for (std::size_t s = 0; s < f.columns; ++s) {
            V weight[kVectors];
            for (std::size_t v = 0; v < kVectors; ++v) weight[v] = F32::load(weights + v * kCount);
            for_each<kOutputs, kVectors>([&](std::size_t i, std::size_t v) {
                const float* x = at + static_cast<std::ptrdiff_t>(i) * f.from_step + v * kCount;
                sums[i][v] = F32::fma(weight[v], F32::load(x), sums[i][v]);
            });
            weights += kPanel;
            at += f.from_column;
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
    if (count == kOutputs) return filter_channels_at<kOutputs, kVectors>(f, n);
    if constexpr (kOutputs > 1) filter_so_many<kOutputs - 1, kVectors>(f, n, count);
}

// Parts as equal as can be: a few sums at a time would wait for each other.
template <std::size_t kVectors>
inline void filter_channels_in(const ChannelFilter& f) {
    constexpr std::size_t kMost = kVectors > 2 ? 1 : 10 / kVectors;
    const std::size_t parts = (f.count + kMost - 1) / kMost;
    for (std::size_t part = 0, n = 0; part < parts; ++part) {
        const std::size_t end = f.count * (part + 1) / parts;
        filter_so_many<kMost, kVectors>(f, n, end - n);
        n = end;
    }
}

inline void filter_channels(const ChannelFilter& f) {
    constexpr std::size_t kAll = kPanel / F32::kCount;
    if (f.channels > kPanel - F32::kCount) return filter_channels_in<kAll>(f);
    // Fewer vectors have channels.
    ChannelFilter part = f;
    for (std::size_t first = 0; first < f.channels; first += F32::kCount) {
        part.channels = f.channels - first < F32::kCount ? f.channels - first : F32::kCount;
        part.from = f.from + first;
        part.weights = f.weights + first;
        part.bias = f.bias ? f.bias + first : nullptr;
        part.to = f.to + first;
        filter_channels_in<1>(part);
    }
}
