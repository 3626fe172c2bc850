// The bodies of the kernels, compiled once per target. Before including it, a target defines, in a
// namespace without a name, `F32` (lanes/f32_portable.h), how many registers for vectors there are, `kRegisters`,
// and the largest tiles whose sums fit them: `kTilePanels` of them, and `kTileRows`, by panels - 1.
// Nothing is used that is compiled elsewhere too: the linker keeps one copy, and it could be another
// target's.

#include "tiles.inl"

inline F32::Vector load_as_float(const float* at) { return F32::load(at); }
inline F32::Vector load_as_float(const std::uint16_t* at) { return F32::widen(at); }
inline F32::Vector load_part_as_float(const float* at, std::size_t n) {
    return F32::load_part(at, n);
}
inline F32::Vector load_part_as_float(const std::uint16_t* at, std::size_t n) {
    return F32::widen_part(at, n);
}

// Vectors are stored in the order of their addresses, so that what a vector has beyond the last row
// is overwritten by the next one.
template <typename Element>
void transpose(const Element* from, std::ptrdiff_t from_row, std::size_t rows, std::size_t count,
               float* to, std::size_t to_k) {
    constexpr std::size_t kCount = F32::kCount, kGroups = kPanel / kCount;
    const std::size_t groups = (rows + kCount - 1) / kCount;
    // Lines that are not there are the last one's; what becomes of them is overwritten, or ignored.
    const Element* lines[kPanel];
    for (std::size_t i = 0; i < kPanel; ++i) {
        lines[i] = from + static_cast<std::ptrdiff_t>(i < rows ? i : rows - 1) * from_row;
    }
    F32::Vector block[kGroups][kCount];
    std::size_t k = 0;
    for (; k + kCount <= count; k += kCount) {
        for (std::size_t g = 0; g < groups; ++g) {
#pragma GCC unroll 16
            for (std::size_t i = 0; i < kCount; ++i) {
                block[g][i] = load_as_float(lines[g * kCount + i] + k);
            }
            F32::transpose(block[g]);
            if (groups > 1) continue;
#pragma GCC unroll 16
            for (std::size_t j = 0; j < kCount; ++j) F32::store(to + j * to_k, block[g][j]);
        }
        if (groups > 1) {
            for (std::size_t j = 0; j < kCount; ++j) {
                for (std::size_t g = 0; g < groups; ++g) {
                    F32::store(to + j * to_k + g * kCount, block[g][j]);
                }
            }
        }
        to += kCount * to_k;
    }
    if (k == count) return;
    for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t i = 0; i < kCount; ++i) {
            block[g][i] = load_part_as_float(lines[g * kCount + i] + k, count - k);
        }
        F32::transpose(block[g]);
    }
    for (std::size_t j = 0; j < count - k; ++j) {
        for (std::size_t g = 0; g < groups; ++g) {
            F32::store(to + j * to_k + g * kCount, block[g][j]);
        }
    }
}

template <typename Element>
void copy(const Element* from, std::ptrdiff_t from_k, std::size_t rows, std::size_t count, float* to,
          std::size_t to_k) {
    constexpr std::size_t kCount = F32::kCount;
    const std::size_t whole = rows / kCount * kCount;
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t i = 0; i < whole; i += kCount) {
            F32::store(to + i, load_as_float(from + i));
        }
        if (whole < rows) {
            F32::store(to + whole, load_part_as_float(from + whole, rows - whole));
        }
        from += from_k;
        to += to_k;
    }
}

inline void widen(const std::uint16_t* from, std::size_t count, float* to) {
    constexpr std::size_t kCount = F32::kCount;
    std::size_t j = 0;
    for (; j + kCount <= count; j += kCount) F32::store(to + j, F32::widen(from + j));
    if (j < count) F32::store_part(to + j, F32::widen_part(from + j, count - j), count - j);
}

inline void pack_pixels(const float* from, const std::ptrdiff_t* offsets, std::size_t count,
                        const Runs* runs, float* to, std::size_t to_k) {
    constexpr std::size_t kCount = F32::kCount;
    for (std::size_t v = 0; v < kPanel / kCount; ++v) {
        const Runs& r = runs[v];
        float* at = to + v * kCount;
        if (r.count == 1) {
            const float* base = from + r.shift[0];
            for (std::size_t k = 0; k < count; ++k, at += to_k) {
                F32::store(at, F32::load(base + offsets[k]));
            }
        } else if (r.count == 2) {
            const float* first = from + r.shift[0];
            const float* second = from + r.shift[1];
            const F32::Mask mask = F32::from(r.first[1]);
            for (std::size_t k = 0; k < count; ++k, at += to_k) {
                F32::store(at, F32::select(mask, F32::load(second + offsets[k]),
                                           F32::load(first + offsets[k])));
            }
        } else {
            F32::Mask masks[kCount];
            for (std::size_t n = 1; n < r.count; ++n) masks[n] = F32::from(r.first[n]);
            for (std::size_t k = 0; k < count; ++k, at += to_k) {
                F32::Vector pixels = F32::load(from + r.shift[0] + offsets[k]);
                for (std::size_t n = 1; n < r.count; ++n) {
                    pixels = F32::select(
                        masks[n], F32::load(from + r.shift[n] + offsets[k]), pixels);
                }
                F32::store(at, pixels);
            }
        }
    }
}

inline void copy_pixels(const PixelRows& p) {
    constexpr std::size_t kCount = F32::kCount;
    const float* from = p.from;
    float* to = p.to;
    for (std::size_t i = 0; i < p.rows; ++i) {
        if (p.columns < kCount) {
            F32::store_part(to, F32::load_part(from, p.columns), p.columns);
        } else {
            for (std::size_t j = 0; j + kCount <= p.columns; j += kCount) {
                F32::store(to + j, F32::load(from + j));
            }
            // The last vector may overlap the one before.
            const std::size_t last = p.columns - kCount;
            F32::store(to + last, F32::load(from + last));
        }
        from += p.from_row;
        to += p.to_row;
    }
}

inline void copy_every_second(const PixelRows& p) {
    constexpr std::size_t kCount = F32::kCount;
    const float* from = p.from;
    float* to = p.to;
    for (std::size_t i = 0; i < p.rows; ++i) {
        std::size_t j = 0;
        // Two vectors reach one element beyond the last that is wanted.
        for (; j + kCount < p.columns; j += kCount) {
            F32::store(to + j,
                       F32::even(F32::load(from + 2 * j), F32::load(from + 2 * j + kCount)));
        }
        for (; j < p.columns; ++j) to[j] = from[2 * j];
        from += p.from_row;
        to += p.to_row;
    }
}

template <std::size_t kVectors>
void multiply_taps_at(const TapProduct& p, std::size_t j) {
    using V = F32::Vector;
    V totals[kVectors];
    std::size_t t = 0;
    for (std::size_t chain = 0; chain < p.chain_count; ++chain) {
        V sums[kVectors];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) sums[v] = F32::zero();
        for (const std::size_t end = t + p.chains[chain]; t < end; ++t) {
            const V factor = F32::set(p.factors[t]);
            const float* at = p.from + p.offsets[t] + j;
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                sums[v] = F32::fma(factor, F32::load(at + v * F32::kCount), sums[v]);
            }
        }
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            totals[v] = chain > 0 ? F32::add(totals[v], sums[v]) : sums[v];
        }
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
        if (p.bias) totals[v] = F32::add(totals[v], F32::set(*p.bias));
        F32::store(p.out + j + v * F32::kCount, F32::canonical(totals[v]));
    }
}

inline void multiply_taps(const TapProduct& p) {
    constexpr std::size_t kCount = F32::kCount, kVectors = 8;
    std::size_t j = 0;
    for (; j + kVectors * kCount <= p.length; j += kVectors * kCount) {
        multiply_taps_at<kVectors>(p, j);
    }
    for (; j + 2 * kCount <= p.length; j += 2 * kCount) multiply_taps_at<2>(p, j);
    for (; j < p.length; j += kCount) multiply_taps_at<1>(p, j);
}

#include "channel_filters.inl"
#include "plane_filters.inl"
#include "row_products.inl"

constexpr ContractionKernels contraction_table(const char* name) {
    ContractionKernels table{name,
                             F32::kCount,
                             kTilePanels,
                             {},
                             {},
                             {},
                             {},
                             {},
                             transpose<float>,
                             copy<float>,
                             transpose<std::uint16_t>,
                             copy<std::uint16_t>,
                             widen,
                             pack_pixels,
                             copy_pixels,
                             copy_every_second,
                             multiply_taps,
                             {filter_plane<1>, filter_plane<2>},
                             filter_channels,
                             multiply_by_rows,
                             multiply_by_columns,
                             multiply_by_panels<float>,
                             multiply_by_panels<std::uint16_t>};
    for (std::size_t n = 0; n < kTilePanels; ++n) table.rows[n] = kTileRows[n];
    constexpr std::size_t kRows = kTileRows[kTilePanels - 1];
    enter_tiles<Reading::kPlain, kRows, kTilePanels>(table.tiles);
    enter_tiles<Reading::kColumnsByOffsets, kRows, kTilePanels>(table.tiles_by_offsets);
    enter_tiles<Reading::kRowsByOffsets, kRows, kTilePanels>(table.tiles_of_pixels);
    enter_tiles<Reading::kRowsAndHalves, kRows, kTilePanels>(table.widening_tiles_of_pixels);
    return table;
}
