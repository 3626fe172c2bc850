// Tiles of products (Tile) in terms of lanes, a part of kernels.inl, which says what a target defines
// before.

// Unrolled, so that sums stay in registers.
template <std::size_t kRows, std::size_t kAll, typename Work>
inline void for_each(const Work& work) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) work(i, v);
    }
}

template <typename L, typename Unit, std::size_t kRows, std::size_t kPanels, bool kByOffsets>
void tile(const Tile<Unit>& t) {
    using V = typename L::Vector;
    constexpr std::size_t kVectors = kPanel / L::kCount;  // of a panel
    constexpr std::size_t kAll = kPanels * kVectors;
    const Unit* a = t.a;
    const Unit* b = t.b;
    const std::ptrdiff_t a_row = t.a_row, a_k = t.a_k, b_k = t.b_k, b_panel = t.b_panel;
    const std::ptrdiff_t* offsets = t.offsets;
    bool continues = t.continues;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t p = 0; p < kPanels; ++p) {
            F32::prefetch(t.c + static_cast<std::ptrdiff_t>(i) * t.c_row + p * kPanel);
        }
    }
    for (std::size_t chain = 0; chain < t.chain_count; ++chain) {
        V sums[kRows][kAll];
        for_each<kRows, kAll>([&](std::size_t i, std::size_t v) { sums[i][v] = L::zero(); });
        for (std::uint32_t k = t.chains[chain]; k > 0; --k) {
            V columns[kAll];
            const Unit* const panels = kByOffsets ? b + *offsets : b;
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v) {
                columns[v] = L::load(panels + static_cast<std::ptrdiff_t>(v / kVectors) * b_panel +
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
            if constexpr (kByOffsets) {
                ++offsets;
            } else {
                b += b_k;
            }
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

// All tiles up to the largest, without the standard library's sequences of numbers.
template <typename L, typename Unit, bool kByOffsets, std::size_t kRows, std::size_t kPanels,
          typename Entry>
constexpr void enter_tiles(Entry (&table)[kMostRows][kMostPanels]) {
    table[kRows - 1][kPanels - 1] = tile<L, Unit, kRows, kPanels, kByOffsets>;
    if constexpr (kPanels > 1) {
        enter_tiles<L, Unit, kByOffsets, kRows, kPanels - 1>(table);
    } else if constexpr (kRows > 1) {
        enter_tiles<L, Unit, kByOffsets, kRows - 1, kTilePanels>(table);
    }
}
