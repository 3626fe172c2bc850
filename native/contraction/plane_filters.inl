// Filters over planes of pixels (PlaneFilter), a part of kernels.inl: some rows of a vector of
// outputs at a time, so that pixels are loaded once for all rows of outputs that they are part of,
// straight from where they lie.

// What a vector of outputs reads of a row: vectors from these columns on, relative to the first.
template <std::size_t kStride>
struct Reads;
template <>
struct Reads<1> {
    static constexpr std::ptrdiff_t kAt[] = {0, 1, 2};
    static constexpr std::ptrdiff_t kEnd = 2 + F32::kCount;
    static void sort(const F32::Vector* read, F32::Vector* pixels) {
        for (int s = 0; s < 3; ++s) pixels[s] = read[s];
    }
};
template <>
struct Reads<2> {
    static constexpr std::ptrdiff_t kAt[] = {0, F32::kCount, 2, 2 + F32::kCount};
    static constexpr std::ptrdiff_t kEnd = 2 + 2 * F32::kCount;
    static void sort(const F32::Vector* read, F32::Vector* pixels) {
        pixels[0] = F32::even(read[0], read[1]);
        pixels[1] = F32::odd(read[0], read[1]);
        pixels[2] = F32::even(read[2], read[3]);
    }
};
template <std::size_t kStride>
constexpr std::size_t kReads = sizeof(Reads<kStride>::kAt) / sizeof(std::ptrdiff_t);

// Which lanes of a vector from a column on are on the plane.
inline F32::Part lanes_within(std::ptrdiff_t column, std::ptrdiff_t columns) {
    constexpr auto kCount = static_cast<std::ptrdiff_t>(F32::kCount);
    const std::ptrdiff_t first = column >= 0 ? 0 : column > -kCount ? -column : kCount;
    const std::ptrdiff_t rest = columns - column;
    const std::ptrdiff_t end = rest <= 0 ? 0 : rest < kCount ? rest : kCount;
    return F32::between(static_cast<std::size_t>(first), static_cast<std::size_t>(end));
}

// Rows i to i + kRows - 1 of the outputs in columns j to j + count - 1.
template <std::size_t kStride, std::size_t kRows, bool kWhole>
inline void filter_rows(const PlaneFilter& p, const F32::Vector* weights, std::size_t i,
                        std::size_t j, std::size_t count) {
    using From = Reads<kStride>;
    constexpr std::size_t kSize = kFilterSize, kInputs = (kRows - 1) * kStride + kSize;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(i * kStride) - p.top;
    const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(j * kStride) - p.left;
    const auto rows = static_cast<std::ptrdiff_t>(p.from_rows);
    F32::Part within[kReads<kStride>];
    if constexpr (!kWhole) {
        for (std::size_t n = 0; n < kReads<kStride>; ++n) {
            within[n] =
                lanes_within(column + From::kAt[n], static_cast<std::ptrdiff_t>(p.from_columns));
        }
    }
    F32::Vector sums[kRows];
#pragma GCC unroll 16
    for (std::size_t n = 0; n < kRows; ++n) sums[n] = F32::zero();
#pragma GCC unroll 16
    for (std::size_t y = 0; y < kInputs; ++y) {
        const std::ptrdiff_t row = first + static_cast<std::ptrdiff_t>(y);
        F32::Vector read[kReads<kStride>], pixels[kSize];
        const float* from = p.from + row * p.from_row + column;
        if (kWhole || (row >= 0 && row < rows)) {
#pragma GCC unroll 16
            for (std::size_t n = 0; n < kReads<kStride>; ++n) {
                read[n] = kWhole ? F32::load(from + From::kAt[n])
                                 : F32::load_only(from + From::kAt[n], within[n]);
            }
        } else {
#pragma GCC unroll 16
            for (std::size_t n = 0; n < kReads<kStride>; ++n) read[n] = F32::zero();
        }
        From::sort(read, pixels);
#pragma GCC unroll 16
        for (std::size_t n = 0; n < kRows; ++n) {
            if (y < n * kStride || y >= n * kStride + kSize) continue;
#pragma GCC unroll 16
            for (std::size_t s = 0; s < kSize; ++s) {
                sums[n] = F32::fma(weights[(y - n * kStride) * kSize + s], pixels[s], sums[n]);
            }
        }
    }
#pragma GCC unroll 16
    for (std::size_t n = 0; n < kRows; ++n) {
        if (p.bias) sums[n] = F32::add(sums[n], F32::set(*p.bias));
        float* to = p.to + static_cast<std::ptrdiff_t>(i + n) * p.to_row + j;
        if (count == F32::kCount) {
            F32::store(to, F32::canonical(sums[n]));
        } else {
            F32::store_part(to, F32::canonical(sums[n]), count);
        }
    }
}

template <std::size_t kStride, std::size_t kRows>
inline void filter_row_of_vectors(const PlaneFilter& p, const F32::Vector* weights, std::size_t i) {
    constexpr std::size_t kCount = F32::kCount;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(i * kStride) - p.top;
    const std::ptrdiff_t end =
        first + static_cast<std::ptrdiff_t>((kRows - 1) * kStride + kFilterSize);
    const bool has_rows = first >= 0 && end <= static_cast<std::ptrdiff_t>(p.from_rows);
    if (p.to_columns < kCount) {
        return filter_rows<kStride, kRows, false>(p, weights, i, 0, p.to_columns);
    }
    // The last vector may overlap the one before.
    for (std::size_t j = 0; j < p.to_columns; j += kCount) {
        const std::size_t at = j + kCount <= p.to_columns ? j : p.to_columns - kCount;
        const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(at * kStride) - p.left;
        if (has_rows && column >= 0 &&
            column + Reads<kStride>::kEnd <= static_cast<std::ptrdiff_t>(p.from_columns)) {
            filter_rows<kStride, kRows, true>(p, weights, i, at, kCount);
        } else {
            filter_rows<kStride, kRows, false>(p, weights, i, at, kCount);
        }
    }
}

template <std::size_t kStride>
void filter_plane(const PlaneFilter& p) {
    constexpr std::size_t kRows = kTileRows[0] < 4 ? kTileRows[0] : 4;  // whose sums fit the registers
    F32::Vector weights[kFilterSize * kFilterSize];
#pragma GCC unroll 16
    for (std::size_t n = 0; n < kFilterSize * kFilterSize; ++n) weights[n] = F32::set(p.weights[n]);
    std::size_t i = p.first_row;
    if (p.end_row - i < kRows) {
        for (; i < p.end_row; ++i) filter_row_of_vectors<kStride, 1>(p, weights, i);
        return;
    }
    // The last rows may overlap those before.
    for (; i < p.end_row; i += kRows) {
        filter_row_of_vectors<kStride, kRows>(p, weights,
                                              i + kRows <= p.end_row ? i : p.end_row - kRows);
    }
}
