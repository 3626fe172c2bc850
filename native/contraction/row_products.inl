// A row times a matrix (VectorProduct), a part of kernels.inl.

// The next kRows of k for all columns, where neighbours in memory are neighbours of a row of b. The
// sums of the chain are in memory in between.
template <std::size_t kRows>
void add_rows(const VectorProduct& p, std::size_t k, bool first, bool last, bool continues,
              bool ends) {
    constexpr std::size_t kCount = F32::kCount;
    F32::Vector factors[kRows];
    const float* rows[kRows];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) {
        factors[r] = F32::set(p.x[k + r]);
        rows[r] = p.b + static_cast<std::ptrdiff_t>(k + r) * p.b_stride;
    }
    const auto finished = [&](F32::Vector sum, F32::Vector total) {
        if (continues) sum = F32::add(total, sum);
        return ends ? F32::canonical(sum) : sum;
    };
    const auto add_part = [&](std::size_t j, std::size_t n) {
        F32::Vector sum = first ? F32::zero() : F32::load_part(p.sums + j, n);
        for (std::size_t r = 0; r < kRows; ++r) {
            sum = F32::fma(factors[r], F32::load_part(rows[r] + j, n), sum);
        }
        if (last) {
            F32::store_part(p.out + j, finished(sum, F32::load_part(p.out + j, n)), n);
        } else {
            F32::store_part(p.sums + j, sum, n);
        }
    };
    // Where all rows lie alike on lines of the caches, no vector is of two lines.
    std::size_t j = 0;
    if (p.b_stride % static_cast<std::ptrdiff_t>(kCount) == 0 && p.columns >= kCount) {
        j = (0 - reinterpret_cast<std::uintptr_t>(p.b) / sizeof(float)) % kCount;
        if (j > 0) add_part(0, j);
    }
    for (; j + kCount <= p.columns; j += kCount) {
        F32::Vector sum = first ? F32::zero() : F32::load(p.sums + j);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
            sum = F32::fma(factors[r], F32::load(rows[r] + j), sum);
        }
        if (last) {
            F32::store(p.out + j, finished(sum, F32::load(p.out + j)));
        } else {
            F32::store(p.sums + j, sum);
        }
    }
    if (j < p.columns) add_part(j, p.columns - j);
}

inline void multiply_by_rows(const VectorProduct& p) {
    for (std::size_t k0 = 0; k0 < p.depth; k0 += kChain) {
        const std::size_t end = p.depth - k0 < kChain ? p.depth : k0 + kChain;
        const bool continues = k0 > 0, ends = end == p.depth;
        std::size_t k = k0;
        for (; end - k >= 8; k += 8) {
            add_rows<8>(p, k, k == k0, k + 8 == end, continues, ends);
        }
        for (; k < end; ++k) add_rows<1>(p, k, k == k0, k + 1 == end, continues, ends);
    }
}

// Stores a vector of results, or its first n.
inline void store_columns(float* at, F32::Vector v, std::size_t n) {
    if (n >= F32::kCount) {
        F32::store(at, v);
    } else {
        F32::store_part(at, v, n);
    }
}

// Vectors of columns, where neighbours in memory are neighbours of a column of b: squares of it are
// transposed in registers. Loads are of whole cache lines where columns lie alike on them.
// One vector of columns at a time: with more, what they read comes from too many places at once.
inline void multiply_squares(const VectorProduct& p, std::size_t first_column,
                             std::size_t first_k) {
    constexpr std::size_t kCount = F32::kCount;
    const std::size_t past = reinterpret_cast<std::uintptr_t>(p.b) / sizeof(float) % kCount;
    for (std::size_t first = first_column; first < p.columns; first += kCount) {
        const float* columns[kCount];
        for (std::size_t j = 0; j < kCount; ++j) {
            const std::size_t column = first + j < p.columns ? first + j : p.columns - 1;
            columns[j] = p.b + static_cast<std::ptrdiff_t>(column) * p.b_stride;
        }
        const std::size_t count = p.columns - first;
        F32::Vector total = F32::zero();
        if (first_k > 0) {
            total = count >= kCount ? F32::load(p.out + first)
                                    : F32::load_part(p.out + first, count);
        }
        for (std::size_t k0 = first_k; k0 < p.depth; k0 += kChain) {
            const std::size_t end = p.depth - k0 < kChain ? p.depth : k0 + kChain;
            F32::Vector sum = F32::zero();
            for (std::size_t k = k0; k < end;) {
                const std::size_t to_line = kCount - (k + past) % kCount;
                const std::size_t part = end - k < to_line ? end - k : to_line;
                F32::Vector square[kCount];
                if (part == kCount) {
#pragma GCC unroll 16
                    for (std::size_t j = 0; j < kCount; ++j) square[j] = F32::load(columns[j] + k);
                    F32::transpose(square);
#pragma GCC unroll 16
                    for (std::size_t i = 0; i < kCount; ++i) {
                        sum = F32::fma(F32::set(p.x[k + i]), square[i], sum);
                    }
                } else {
                    for (std::size_t j = 0; j < kCount; ++j) {
                        square[j] = F32::load_part(columns[j] + k, part);
                    }
                    F32::transpose(square);
                    for (std::size_t i = 0; i < part; ++i) {
                        sum = F32::fma(F32::set(p.x[k + i]), square[i], sum);
                    }
                }
                k += part;
            }
            total = k0 > 0 ? F32::add(total, sum) : sum;
        }
        store_columns(p.out + first, F32::canonical(total), count);
    }
}

// The next `part` of k of four chains of kFour columns: lane 4 i + c of a vector is chain c of its
// column i, so that x is repeated by fours.
constexpr std::size_t kFour = 4;
template <typename Load>
inline void add_four_chains(const float* at, std::ptrdiff_t stride, const float* x,
                            std::size_t part, const Load& load, F32::Vector* sums) {
    constexpr std::size_t kCount = F32::kCount, kColumns = kCount / kFour;
#pragma GCC unroll 4
    for (std::size_t n = 0; n < kFour / kColumns; ++n) {
        F32::Vector square[kCount];
#pragma GCC unroll 16
        for (std::size_t j = 0; j < kCount; ++j) {
            const std::size_t column = n * kColumns + j / kFour;
            square[j] = load(at + static_cast<std::ptrdiff_t>(column) * stride + j % kFour * kChain);
        }
        F32::transpose(square);
#pragma GCC unroll 16
        for (std::size_t i = 0; i < kCount; ++i) {
            if (i == part) break;
            sums[n] = F32::fma(F32::set_four(x + kFour * i), square[i], sums[n]);
        }
    }
}

// The same product where columns are not far from each other: of four columns four chains at a time,
// which come from few pages, and do not meet in the first cache. Whole fours of chains of whole fours
// of columns; the rest is done by squares.
inline void multiply_by_columns(const VectorProduct& p) {
    constexpr std::size_t kCount = F32::kCount, kColumns = kCount / kFour;
    constexpr std::size_t kChains = kFour * kChain;
    constexpr std::ptrdiff_t kNear = 8192 / sizeof(float);
    const std::size_t depth = p.depth / kChains * kChains;
    const std::size_t columns = p.columns / kFour * kFour;
    if (depth == 0 || columns == 0 || p.b_stride > kNear || p.b_stride < -kNear) {
        return multiply_squares(p, 0, 0);
    }
    float* const x = p.sums;
    for (std::size_t k0 = 0; k0 < depth; k0 += kChains) {
        for (std::size_t c = 0; c < kFour; ++c) {
            for (std::size_t k = 0; k < kChain; ++k) {
                x[k0 + kFour * k + c] = p.x[k0 + c * kChain + k];
            }
        }
    }
    const std::size_t past = reinterpret_cast<std::uintptr_t>(p.b) / sizeof(float) % kCount;
    const std::size_t head = (kCount - past) % kCount;
    for (std::size_t first = 0; first < columns; first += kFour) {
        float totals[kFour] = {};
        for (std::size_t k0 = 0; k0 < depth; k0 += kChains) {
            const float* at = p.b + static_cast<std::ptrdiff_t>(first) * p.b_stride + k0;
            const float* factors = x + k0;
            F32::Vector sums[kFour / kColumns];
            for (F32::Vector& sum : sums) sum = F32::zero();
            const auto add_part = [&](std::size_t part) {
                add_four_chains(at, p.b_stride, factors, part,
                                [&](const float* from) { return F32::load_part(from, part); }, sums);
                at += part;
                factors += kFour * part;
            };
            if (head > 0) add_part(head);
            for (std::size_t n = (kChain - head) / kCount; n > 0; --n) {
                add_four_chains(at, p.b_stride, factors, kCount,
                                [](const float* from) { return F32::load(from); }, sums);
                at += kCount;
                factors += kFour * kCount;
            }
            if (head > 0) add_part(kCount - head);
            float chains[kFour * kFour];
            for (std::size_t n = 0; n < kFour / kColumns; ++n) {
                F32::store(chains + n * kCount, sums[n]);
            }
            for (std::size_t j = 0; j < kFour; ++j) {
                const float* chain = chains + kFour * j;
                float total = k0 > 0 ? totals[j] + chain[0] : chain[0];
                for (std::size_t c = 1; c < kFour; ++c) total += chain[c];
                totals[j] = total;
            }
        }
        for (std::size_t j = 0; j < kFour; ++j) p.out[first + j] = totals[j];
    }
    if (columns < p.columns) multiply_squares(p, columns, 0);
    VectorProduct finished = p;
    finished.columns = columns;
    multiply_squares(finished, 0, depth);  // canonical NaNs, too
}

// Some panels of a matrix: panel n begins at b + n * b_stride.
template <std::size_t kPanels, typename Element>
void multiply_panels(const RowProduct<Element>& p, std::size_t panel) {
    constexpr std::size_t kCount = F32::kCount, kVectors = kPanel / kCount;
    constexpr std::size_t kAll = kPanels * kVectors;
    const Element* panels[kPanels];
#pragma GCC unroll 4
    for (std::size_t n = 0; n < kPanels; ++n) {
        panels[n] = p.b + static_cast<std::ptrdiff_t>(panel + n) * p.b_stride;
    }
    F32::Vector totals[kAll];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kAll; ++v) totals[v] = F32::zero();
    for (std::size_t k0 = 0; k0 < p.depth; k0 += kChain) {
        const std::size_t end = p.depth - k0 < kChain ? p.depth : k0 + kChain;
        F32::Vector sums[kAll];
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) sums[v] = F32::zero();
        for (std::size_t k = k0; k < end; ++k) {
            const F32::Vector factor = F32::set(p.x[k]);
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v) {
                const Element* at = panels[v / kVectors] + k * kPanel + v % kVectors * kCount;
                sums[v] = F32::fma(factor, load_as_float(at), sums[v]);
            }
        }
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) {
            totals[v] = k0 > 0 ? F32::add(totals[v], sums[v]) : sums[v];
        }
    }
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kAll; ++v) {
        const std::size_t column = panel * kPanel + v * kCount;
        if (column >= p.columns) return;
        store_columns(p.out + column, F32::canonical(totals[v]), p.columns - column);
    }
}

template <typename Element>
void multiply_by_panels(const RowProduct<Element>& p) {
    const std::size_t panels = (p.columns + kPanel - 1) / kPanel;
    std::size_t panel = 0;
    for (; panels - panel >= 4; panel += 4) multiply_panels<4>(p, panel);
    if (panels - panel >= 2) {
        multiply_panels<2>(p, panel);
        panel += 2;
    }
    if (panel < panels) multiply_panels<1>(p, panel);
}
