// Tiles of products (Tile) in terms of lanes, a part of kernels.inl, which says what a target defines
// before.

// Tiles of one panel have few rows, and registers for a pointer to each: with AVX2 25 instructions for 12 products
// by offsets, where sums of two pointers and distances take 29.
constexpr bool kHasRowPointers = kTilePanels == 1;

constexpr bool has_pixels(Reading reading) {
    return reading == Reading::kRowsByOffsets || reading == Reading::kRowsAndHalves;
}

// Unrolled, so that sums stay in registers. What is called with all sums has to become a part of the tile: clang
// keeps them in memory else, and products take 2.4 times as long.
template <std::size_t kRows, std::size_t kAll, typename Work>
INDIRECTML_INLINE void for_each(const Work& work) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) work(i, v);
    }
}

// The compiler would keep all addresses of rows, which then are too many for registers. From row kHalf
// on, rows are those at `lower`.
template <std::size_t kRows, std::size_t kHalf, typename Work>
INDIRECTML_INLINE void for_each_row(float* row, float* lower, std::ptrdiff_t step, const Work& work) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
        if (i == kHalf) row = lower;
        work(i, row);
        row = hidden(row + step);
    }
}

// work(vector, columns of it that are there), of so many vectors whose last panel has so many columns.
template <std::size_t kAll, typename Work>
INDIRECTML_INLINE void for_columns_there(std::size_t last_columns, const Work& work) {
    constexpr std::size_t kLast = kAll - kPanel / F32::kCount;
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kLast; ++v) work(v, F32::kCount);
#pragma GCC unroll 4
    for (std::size_t v = kLast; v < kAll; ++v) {
        const std::size_t before = (v - kLast) * F32::kCount;
        if (last_columns > before) {
            work(v, last_columns - before < F32::kCount ? last_columns - before : F32::kCount);
        }
    }
}

// All numbers are added first, by units that are idle: a NaN stays one. That infinities may become one
// does no harm.
// Not all lanes pick: L is F32, and a parameter, so that what others lack is not looked for.
template <typename L, std::size_t kRows, std::size_t kAll>
INDIRECTML_INLINE void make_canonical(F32::Vector (&sums)[kRows][kAll]) {
    if constexpr (L::kPicks) {
        typename L::Vector totals[kAll];
        for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
            totals[v] = i == 0 ? sums[i][v] : L::add(totals[v], sums[i][v]);
        });
        for (std::size_t v = 1; v < kAll; ++v) totals[0] = L::add(totals[0], totals[v]);
        if (L::unequal(totals[0], totals[0]) == 0) return;
    }
    for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
        sums[i][v] = L::canonical(sums[i][v]);
    });
}

template <std::size_t kRows, std::size_t kAll>
INDIRECTML_INLINE void limit(const Limits& limits, F32::Vector (&sums)[kRows][kAll]) {
    if (limits.rounds) {
        for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
            sums[i][v] = F32::by_half(sums[i][v]);
        });
    }
    if (limits.limit == Limit::kNone) return;
    if (limits.limit == Limit::kPositive) {
        return for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
            sums[i][v] = F32::if_at_most(sums[i][v], F32::zero(), F32::zero(), sums[i][v]);
        });
    }
    const F32::Vector least = F32::set(limits.least), most = F32::set(limits.most);
    for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
        const F32::Vector raised = F32::if_less(sums[i][v], least, least, sums[i][v]);
        sums[i][v] = F32::if_less(most, raised, most, raised);
    });
}

// A bias that changes nothing, of as many rows or columns as a tile may have.
struct NoBias {
    float values[kMostPanels * kPanel];
    constexpr NoBias() : values() {
        for (float& value : values) value = -0.0f;
    }
};
constexpr NoBias kNoBias;
static_assert(kMostRows <= kMostPanels * kPanel, "it serves rows, too");

// What becomes of sums at last, where one instruction makes NaNs canonical and numbers positive. Row by row: the first
// ones are written while the last are found, and what waits for sums is little, so that the next tile begins meanwhile.
template <typename L, std::size_t kHalf, bool kHasPixels, std::size_t kRows, std::size_t kAll>
INDIRECTML_INLINE void write_totals(const Tile& t, float* lower_c, bool is_whole, const F32::Vector (&sums)[kRows][kAll]) {
    using V = F32::Vector;
    const float* const bias = t.bias ? t.bias : kNoBias.values;
    const Limits limits = kHasPixels ? t.limits : Limits{};
    const auto fixes = limits.limit == Limit::kPositive ? L::positive_numbers() : L::numbers();
    const auto write = [&](const auto& limited) {
        for_each_row<kRows, kHalf>(t.c, lower_c, t.c_row, [&](std::size_t i, float* row) {
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v, row += L::kCount) {
                const V own = kHasPixels ? L::load(bias + v * L::kCount) : L::set(bias[i]);
                const V y = limited(L::add(sums[i][v], own));
                if (v + 1 < kAll || is_whole) {
                    L::store(row, y);
                } else {
                    L::store_part(row, y, t.last_columns);
                }
            }
        });
    };
    const bool has_range = limits.limit == Limit::kRange;
    if (!limits.rounds && !has_range) {
        return write([&](V v) { return L::fixed_up(v, fixes); });
    }
    const float least = has_range ? limits.least : -HUGE_VALF, most = has_range ? limits.most : HUGE_VALF;
    write([&](V v) {
        v = L::fixed_up(limits.rounds ? L::by_half(v) : v, fixes);
        return L::at_most(L::at_least(v, least), most);
    });
}

template <std::size_t kRows, std::size_t kPanels, Reading kReading>
INDIRECTML_NOINLINE void tile(const Tile& t) {
    using V = F32::Vector;
    constexpr std::size_t kVectors = kPanel / F32::kCount;  // of a panel
    constexpr std::size_t kAll = kPanels * kVectors;
    // Two halves of the rows, so that few registers hold all distances from them.
    constexpr std::size_t kHalf = (kRows + 1) / 2;
    constexpr bool kWidens = kReading == Reading::kRowsAndHalves;
    constexpr bool kHasPointers = kHasRowPointers && kReading == Reading::kRowsByOffsets;
    constexpr bool kHasPixels = has_pixels(kReading);
    // Where sums and columns leave no register for a factor, each row reads the last columns again: a sum in memory
    // would be written before the next k reads it, which takes longer than all products of a k.
    constexpr bool kReadsLast = kRows * kAll + kAll >= kRegisters;
    const bool is_whole = !kHasPixels || !F32::kMovesParts || t.last_columns == kPanel;
    const float* a = t.a;
    const float* lower =
        hidden(t.a + (kHasPixels ? t.a_half : static_cast<std::ptrdiff_t>(kHalf) * t.a_row));
    const float* b = t.b;
    const std::uint16_t* halves = t.halves;
    const std::ptrdiff_t halves_panel = t.halves_panel;
    float* widened = t.widened;
    const std::ptrdiff_t a_row = t.a_row, a_k = t.a_k, b_k = t.b_k, b_panel = t.b_panel;
    const std::ptrdiff_t* offsets = t.offsets;
    float* const c = t.c;
    const std::ptrdiff_t c_row = t.c_row;
    float* const lower_c = c + (kHasPixels ? t.c_half : static_cast<std::ptrdiff_t>(kHalf) * c_row);
    bool continues = t.continues;
    const char* fetch = t.fetch;
    for_each_row<kRows, kHalf>(c, lower_c, c_row, [](std::size_t, const float* row) {
#pragma GCC unroll 16
        for (std::size_t p = 0; p < kPanels; ++p) F32::prefetch(row + p * kPanel);
    });
    for (std::size_t chain = 0; chain < t.chain_count; ++chain) {
        V sums[kRows][kAll];
        for_each<kRows, kAll>([&](std::size_t i, std::size_t v) { sums[i][v] = F32::zero(); });
        const float* pixels[kRows];
#pragma GCC unroll 16
        for (std::size_t i = 0; i < kRows && kHasPointers; ++i) {
            pixels[i] = hidden((i < kHalf ? a : lower) + static_cast<std::ptrdiff_t>(i % kHalf) * a_row);
        }
        for (std::uint32_t left = t.chains[chain]; left > 0;) {
            std::uint32_t k = left < kFetchStep ? left : kFetchStep;
            left -= k;
            for (std::size_t n = t.fetch_lines; n > 0; --n, fetch += kLineBytes) {
                const char* line = fetch;
                for (std::size_t p = 0; p < kPanels; ++p, line += t.fetch_panel) prefetch(line);
            }
            for (; k > 0; --k) {
                V columns[kAll];
                const float* const panels =
                    kReading == Reading::kColumnsByOffsets ? b + *offsets : b;
                const float* const upper_k = kHasPixels ? a + *offsets : a;
                const float* const lower_k = kHasPixels ? lower + *offsets : lower;
#pragma GCC unroll 16
                for (std::size_t v = 0; v < kAll; ++v) {
                    if constexpr (kWidens) {
                        const auto panel = static_cast<std::ptrdiff_t>(v / kVectors);
                        const std::size_t at = v % kVectors * F32::kCount;
                        columns[v] = F32::widen(halves + panel * halves_panel + at);
                        F32::store(widened + panel * b_panel + at, columns[v]);
                        continue;
                    }
                    columns[v] =
                        F32::load(panels + static_cast<std::ptrdiff_t>(v / kVectors) * b_panel +
                                  v % kVectors * F32::kCount);
                }
                constexpr auto kLastPanel = static_cast<std::ptrdiff_t>(kPanels - 1);
                const float* last = (kWidens ? widened : panels) + kLastPanel * b_panel + kPanel - F32::kCount;
#pragma GCC unroll 16
                for (std::size_t i = 0; i < kRows; ++i) {
                    const float* const half = i < kHalf ? upper_k : lower_k;
                    const V factor = F32::set(kHasPointers ? pixels[i][*offsets]
                                                           : half[static_cast<std::ptrdiff_t>(i % kHalf) * a_row]);
#pragma GCC unroll 16
                    for (std::size_t v = 0; v < kAll; ++v) {
                        const bool is_read = kReadsLast && v + 1 == kAll;
                        if (is_read) last = hidden(last);
                        sums[i][v] = F32::fma(factor, is_read ? F32::load(last) : columns[v], sums[i][v]);
                    }
                }
                if constexpr (!kHasPixels) {
                    a += a_k;
                    lower += a_k;
                }
                if constexpr (kReading != Reading::kPlain) ++offsets;
                if constexpr (kWidens) {
                    halves += kPanel;
                    widened += b_k;
                } else if constexpr (kReading != Reading::kColumnsByOffsets) {
                    b += b_k;
                }
            }
        }
        if (continues && !is_whole) {
            for_each_row<kRows, kHalf>(c, lower_c, c_row, [&](std::size_t i, float* row) {
                for_columns_there<kAll>(t.last_columns, [&](std::size_t v, std::size_t count) {
                    const V before = count == F32::kCount ? F32::load(row + v * F32::kCount)
                                                          : F32::load_part(row + v * F32::kCount, count);
                    sums[i][v] = F32::add(before, sums[i][v]);
                });
            });
        } else if (continues) {
            for_each_row<kRows, kHalf>(c, lower_c, c_row, [&](std::size_t i, float* row) {
#pragma GCC unroll 16
                for (std::size_t v = 0; v < kAll; ++v) {
                    sums[i][v] = F32::add(F32::load(row + v * F32::kCount), sums[i][v]);
                }
            });
        }
        const bool is_last = t.ends && chain + 1 == t.chain_count;
        if constexpr (F32::kFixesUp) {
            if (is_last) return write_totals<F32, kHalf, kHasPixels>(t, lower_c, is_whole, sums);
        } else if (is_last) {
            if (t.bias) {
                for_each<kRows, kAll>([&](std::size_t i, std::size_t v) {
                    const V bias =
                        kHasPixels ? F32::load(t.bias + v * F32::kCount) : F32::set(t.bias[i]);
                    sums[i][v] = F32::add(sums[i][v], bias);
                });
            }
            make_canonical<F32>(sums);
            if constexpr (kHasPixels) limit(t.limits, sums);
        }
        continues = true;
        if (!is_whole) {
            for_each_row<kRows, kHalf>(c, lower_c, c_row, [&](std::size_t i, float* row) {
                for_columns_there<kAll>(t.last_columns, [&](std::size_t v, std::size_t count) {
                    if (count == F32::kCount) {
                        F32::store(row + v * F32::kCount, sums[i][v]);
                    } else {
                        F32::store_part(row + v * F32::kCount, sums[i][v], count);
                    }
                });
            });
            continue;
        }
        for_each_row<kRows, kHalf>(c, lower_c, c_row, [&](std::size_t i, float* row) {
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v) F32::store(row + v * F32::kCount, sums[i][v]);
        });
    }
}

// Where no instruction moves a part of a vector, sums of columns that are there go by way of whole panels. In loops of
// the tile's own, clang would keep all of its sums in memory.
template <std::size_t kRows, std::size_t kPanels, Reading kReading>
void tile_of_columns_there(const Tile& t) {
    if (t.last_columns == kPanel) return tile<kRows, kPanels, kReading>(t);
    constexpr std::size_t kHalf = (kRows + 1) / 2, kWidth = kPanels * kPanel;
    const std::size_t there = kWidth - kPanel + t.last_columns;
    float whole[kRows * kWidth] = {};
    const auto for_rows = [&](const auto& move) {
        for (std::size_t i = 0; i < kRows; ++i) {
            const auto below = static_cast<std::ptrdiff_t>(i % kHalf);
            move(t.c + (i < kHalf ? 0 : t.c_half) + below * t.c_row, whole + i * kWidth);
        }
    };
    if (t.continues) for_rows([=](const float* row, float* sums) { std::memcpy(sums, row, there * sizeof(float)); });
    Tile all = t;
    all.c = whole;
    all.c_row = kWidth;
    all.c_half = kHalf * kWidth;
    all.last_columns = kPanel;
    tile<kRows, kPanels, kReading>(all);
    for_rows([=](float* row, const float* sums) { std::memcpy(row, sums, there * sizeof(float)); });
}

// All tiles up to the largest, without the standard library's sequences of numbers.
template <Reading kReading, std::size_t kRows, std::size_t kPanels>
constexpr void enter_tiles(TileTable& table) {
    static_assert(kRows * kPanels * kPanel <= kMostSums, "tiles at edges have memory for so many");
    if constexpr (has_pixels(kReading) && !F32::kMovesParts) {
        table[kRows - 1][kPanels - 1] = tile_of_columns_there<kRows, kPanels, kReading>;
    } else {
        table[kRows - 1][kPanels - 1] = tile<kRows, kPanels, kReading>;
    }
    if constexpr (kRows > 1) {
        enter_tiles<kReading, kRows - 1, kPanels>(table);
    } else if constexpr (kPanels > 1) {
        enter_tiles<kReading, kTileRows[kPanels - 2], kPanels - 1>(table);
    }
}
