// The bodies of the kernels, compiled once per target. Before including it, a target defines, in a
// namespace without a name, `F32` (lanes/f32_portable.h), `Pairs`, which has the same words for
// sums of products of INT16 (Vector, kCount, zero, set, load, store, add, fma, canonical), and
// `kTileRows` and `kTilePanels`, the largest tile whose sums fit the registers. Nothing is used
// that is compiled elsewhere too: the linker keeps one copy, and it could be another target's.

// Unrolled, so that sums stay in registers.
template <std::size_t kRows, std::size_t kAll, typename Work>
inline void for_each(const Work& work) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) work(i, v);
    }
}

template <typename L, typename Unit, std::size_t kRows, std::size_t kPanels>
void tile(const Tile<Unit>& t) {
    using V = typename L::Vector;
    constexpr std::size_t kVectors = kPanel / L::kCount;  // of a panel
    constexpr std::size_t kAll = kPanels * kVectors;
    const Unit* a = t.a;
    const Unit* b = t.b;
    const std::ptrdiff_t a_row = t.a_row, a_k = t.a_k, b_k = t.b_k, b_panel = t.b_panel;
    bool continues = t.continues;
    for (std::size_t chain = 0; chain < t.chain_count; ++chain) {
        V sums[kRows][kAll];
        for_each<kRows, kAll>([&](std::size_t i, std::size_t v) { sums[i][v] = L::zero(); });
        for (std::uint32_t k = t.chains[chain]; k > 0; --k) {
            V columns[kAll];
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v) {
                columns[v] = L::load(b + static_cast<std::ptrdiff_t>(v / kVectors) * b_panel +
                                     v % kVectors * L::kCount);
            }
#pragma GCC unroll 16
            for (std::size_t i = 0; i < kRows; ++i) {
                const V factor = L::set(a[static_cast<std::ptrdiff_t>(i) * a_row]);
#pragma GCC unroll 16
                for (std::size_t v = 0; v < kAll; ++v) {
                    sums[i][v] = L::fma(factor, columns[v], sums[i][v]);
                }
            }
            a += a_k;
            b += b_k;
        }
        if (continues) {
            for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
                const Unit* at = t.c + static_cast<std::ptrdiff_t>(i) * t.c_row + v * L::kCount;
                sums[i][v] = L::add(L::load(at), sums[i][v]);
            });
        }
        if (t.ends && chain + 1 == t.chain_count) {
            if (t.bias) {
                for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
                    sums[i][v] = L::add(sums[i][v], L::set(t.bias[i]));
                });
            }
            for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
                sums[i][v] = L::canonical(sums[i][v]);
            });
        }
        for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
            L::store(t.c + static_cast<std::ptrdiff_t>(i) * t.c_row + v * L::kCount, sums[i][v]);
        });
        continues = true;
    }
}

inline F32::Vector load_as_float(const float* at) { return F32::load(at); }
inline F32::Vector load_as_float(const std::uint16_t* at) { return F32::widen(at); }

// Vectors are stored in the order of their addresses, so that what a vector has beyond the last row
// is overwritten by the next one.
template <typename Element>
void transpose(const Element* from, std::ptrdiff_t from_row, std::size_t rows, std::size_t count,
               float* to, std::size_t to_k) {
    constexpr std::size_t kCount = F32::kCount, kGroups = kPanel / kCount;
    const std::size_t groups = (rows + kCount - 1) / kCount;
    Element none[kCount] = {};
    for (std::size_t k = 0; k < count; k += kCount) {
        const std::size_t part = count - k < kCount ? count - k : kCount;
        F32::Vector block[kGroups][kCount];
        for (std::size_t g = 0; g < groups; ++g) {
            for (std::size_t i = 0; i < kCount; ++i) {
                const std::size_t row = g * kCount + i;
                const Element* at = none;
                Element padded[kCount] = {};
                if (row < rows) {
                    at = from + static_cast<std::ptrdiff_t>(row) * from_row + k;
                    if (part < kCount) {
                        for (std::size_t j = 0; j < part; ++j) padded[j] = at[j];
                        at = padded;
                    }
                }
                block[g][i] = load_as_float(at);
            }
            F32::transpose(block[g]);
        }
        for (std::size_t j = 0; j < part; ++j) {
            for (std::size_t g = 0; g < groups; ++g) {
                F32::store(to + (k + j) * to_k + g * kCount, block[g][j]);
            }
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
            Element padded[kCount] = {};
            for (std::size_t i = whole; i < rows; ++i) padded[i - whole] = from[i];
            F32::store(to + whole, load_as_float(padded));
        }
        from += from_k;
        to += to_k;
    }
}

inline void pack_pixels(const float* from, const std::ptrdiff_t* offsets, std::size_t count,
                        const Runs* runs, float* to) {
    constexpr std::size_t kCount = F32::kCount;
    for (std::size_t v = 0; v < kPanel / kCount; ++v) {
        const Runs& r = runs[v];
        float* at = to + v * kCount;
        if (r.count == 1) {
            const float* base = from + r.shift[0];
            for (std::size_t k = 0; k < count; ++k, at += kPanel) {
                F32::store(at, F32::load(base + offsets[k]));
            }
        } else if (r.count == 2) {
            const float* first = from + r.shift[0];
            const float* second = from + r.shift[1];
            const F32::Mask mask = F32::from(r.first[1]);
            for (std::size_t k = 0; k < count; ++k, at += kPanel) {
                F32::store(at, F32::select(mask, F32::load(second + offsets[k]),
                                           F32::load(first + offsets[k])));
            }
        } else {
            F32::Mask masks[kCount];
            for (std::size_t n = 1; n < r.count; ++n) masks[n] = F32::from(r.first[n]);
            for (std::size_t k = 0; k < count; ++k, at += kPanel) {
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

// All tiles up to the largest, without the standard library's sequences of numbers.
template <typename L, typename Unit, std::size_t kRows, std::size_t kPanels, typename Entry>
constexpr void enter_tiles(Entry (&table)[kMostRows][kMostPanels]) {
    table[kRows - 1][kPanels - 1] = tile<L, Unit, kRows, kPanels>;
    if constexpr (kPanels > 1) {
        enter_tiles<L, Unit, kRows, kPanels - 1>(table);
    } else if constexpr (kRows > 1) {
        enter_tiles<L, Unit, kRows - 1, kTilePanels>(table);
    }
}

constexpr ContractionKernels contraction_table(const char* name) {
    ContractionKernels table{name,
                             kTileRows,
                             kTilePanels,
                             F32::kCount,
                             {},
                             {},
                             transpose<float>,
                             copy<float>,
                             transpose<std::uint16_t>,
                             copy<std::uint16_t>,
                             pack_pixels};
    enter_tiles<F32, float, kTileRows, kTilePanels>(table.tiles);
    enter_tiles<Pairs, std::int32_t, kTileRows, kTilePanels>(table.integer_tiles);
    return table;
}
