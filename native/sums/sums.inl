// Sums by rule S16, in blocks (see sums.h), in terms of lanes, compiled once per target. Included after
// elements.inl; `L` has besides
//
//   totals(rows)     of kCount vectors: lane r is the total of vector r by the tree (i, i + n / 2),
//                    (i, i + n / 4), ... of its n lanes
//   kTogether        of so many rows registers hold the sixteen sums
//   kColumns         of so many vectors of columns registers hold what a part of the tree needs

constexpr std::size_t kVectors = 16 / kLanes;  // hold the sixteen sums of one row

// What is summed: of an element, or of its deviation, and 1; and the sum with one more of it.
struct Same {
    static V deviation(V x, V, V) { return x; }
    static V of(V x) { return x; }
    static V added(V sum, V x, V one) { return plus(x, sum, one); }
};
struct Magnitude : Same {
    static V of(V x) { return L::abs(x); }
};
struct Square : Same {
    static V of(V x) { return L::mul(x, x); }
    static V added(V sum, V x, V) { return L::add(sum, x); }
};
struct Deviation : Square {
    static V deviation(V x, V minus_mean, V one) { return plus(x, minus_mean, one); }
};
template <typename M>
inline V mapped(V x, V minus_mean, V one) {
    return M::of(M::deviation(x, minus_mean, one));
}

// Sums that start from an element instead of +0 differ only where they are -0, and then no total of
// theirs differs but by being -0. This makes it +0.
inline V total_of(V sum) { return canonical(L::add(sum, L::set(0))); }

// ---- Rows ---------------------------------------------------------------------------------------

// The sixteen sums of a row become one vector, whose lanes stand for sums modulo kLanes.
inline V folded(V* sums) {
    for (std::size_t half = kVectors / 2; half > 0; half /= 2) {
        for (std::size_t v = 0; v < half; ++v) sums[v] = L::add(sums[v], sums[v + half]);
    }
    return sums[0];
}

// Where deviations are kept, if they are, and what is fetched beside.
struct Nowhere {
    void operator()(std::size_t, V) const {}
    void fetch(std::size_t) const {}
};
struct Kept : Nowhere {
    explicit Kept(double* to) : deviations(to) {}
    void operator()(std::size_t j, V v) const { L::store(deviations + j, v); }
    double* deviations;
};
struct KeptBeforeNext : Kept {
    KeptBeforeNext(double* to, const unsigned char* row) : Kept(to), next(row) {}
    // A compiler makes no vectors of a loop with a hint in it.
    void fetch(std::size_t byte) const {
        if constexpr (kLanes > 1) prefetch(next + byte);
    }
    const unsigned char* next;
};

// The last elements of rows, less than sixteen, are added to their sums.
template <typename E, typename M, std::size_t kRows, typename Keep>
inline void add_rest(const unsigned char* const* x, std::size_t j, std::size_t size,
                     const V* minus_means, V one, V (*sums)[kVectors], const Keep keep) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v, j += kLanes) {
        if (j >= size) break;
        const std::size_t count = size - j < kLanes ? size - j : kLanes;
        for (std::size_t r = 0; r < kRows; ++r) {
            const V element = load_part<E>(x[r] + j * E::kBytes, count);
            const V deviation = M::deviation(element, minus_means[r], one);
            keep(j, deviation);
            sums[r][v] = L::add(sums[r][v], first_lanes(M::of(deviation), count));
        }
    }
}

// Each addition waits for the one before it to the same sum, so several rows go on at once.
template <typename E, typename M, std::size_t kRows, typename Keep = Nowhere>
inline void sum_together(const unsigned char* const* x, std::size_t size, const V* minus_means,
                         V* out, const Keep keep = {}) {
    const V one = L::opaque(L::set(1));
    V sums[kRows][kVectors];
    // Copies, which no store is one to, as far as the compiler knows.
    const unsigned char* own_x[kRows];
    V own_minus_means[kRows];
    for (std::size_t r = 0; r < kRows; ++r) {
        own_x[r] = x[r];
        own_minus_means[r] = minus_means[r];
        for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = L::set(0);
    }
    std::size_t j = 0;
    for (; j + 16 <= size; j += 16) {
        keep.fetch(j * E::kBytes);
        for (std::size_t r = 0; r < kRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const V element = E::load(own_x[r] + (j + v * kLanes) * E::kBytes);
                const V deviation = M::deviation(element, own_minus_means[r], one);
                keep(j + v * kLanes, deviation);
                sums[r][v] = M::added(sums[r][v], M::of(deviation), one);
            }
        }
    }
    if (j == size) {
        for (std::size_t r = 0; r < kRows; ++r) out[r] = folded(sums[r]);
        return;
    }
    // A copy: what is indexed at run time is in memory, which would cost rows without a rest too.
    V rest[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t v = 0; v < kVectors; ++v) rest[r][v] = sums[r][v];
    }
    add_rest<E, M, kRows>(x, j, size, minus_means, one, rest, keep);
    for (std::size_t r = 0; r < kRows; ++r) out[r] = folded(rest[r]);
}

// Of sixteen elements each is a sum, and what is left is the tree.
template <typename E, typename M>
inline V sum_sixteen(const unsigned char* x, V minus_mean, V one) {
    V sums[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
        sums[v] = mapped<M>(E::load(x + v * kLanes * E::kBytes), minus_mean, one);
    }
    for (std::size_t half = kVectors / 2; half > 0; half /= 2) {
        for (std::size_t v = 0; v < half; ++v) sums[v] = plus(sums[v], sums[v + half], one);
    }
    return sums[0];
}

// Runs sum(at, minus_means, count, row), which gives a vector for each of up to kLanes rows. So many
// end in one vector of totals.
template <typename Sum>
inline void for_rows(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
                     const double* means, double* out, const Sum& sum) {
    for (std::size_t first = 0; first < rows; first += kLanes) {
        const std::size_t count = rows - first < kLanes ? rows - first : kLanes;
        const unsigned char* at[kLanes];
        V minus_means[kLanes], row[kLanes];
        for (std::size_t r = 0; r < kLanes; ++r) {
            const std::size_t chosen = first + (r < count ? r : 0);
            at[r] = x + static_cast<std::int64_t>(chosen) * stride_bytes;
            minus_means[r] = negative(L::set(means ? means[chosen] : 0));
            row[r] = L::set(0);
        }
        sum(at, minus_means, count, row);
        const V totals = total_of(L::totals(row));
        if (count == kLanes) {
            L::store(out + first, totals);
        } else {
            store_part<Double>(reinterpret_cast<unsigned char*>(out + first), totals, count);
        }
    }
}

// Rows from memory come one at a time, which is how it streams; shorter ones are from a cache.
constexpr std::size_t kLongRowBytes = 8192;

// Sums of pieces, of at most a block each, and deviations of one piece that are kept. They are called,
// not copied into who sums in blocks, which is the same for all.
template <typename E, typename M, std::size_t kPieces>
INDIRECTML_NOINLINE void sum_pieces(const unsigned char* const* x, std::size_t size,
                                    const V* minus_means, V* out, double*) {
    sum_together<E, M, kPieces>(x, size, minus_means, out);
}
template <typename E>
INDIRECTML_NOINLINE void deviate_piece(const unsigned char* const* x, std::size_t size,
                                       const V* minus_means, V* out, double* kept) {
    sum_together<E, Deviation, 1>(x, size, minus_means, out, Kept(kept));
}
using SumPieces = void (*)(const unsigned char* const* x, std::size_t size, const V* minus_means,
                           V* out, double* kept);

// Rows of more than a block; `out` is a vector a row, whose lanes a tree adds. Blocks are summed one of
// each row at a time, or `several`, kBlocks, of a single row.
template <std::size_t kRows, std::size_t kBlocks>
class BlocksOfRows {
  public:
    BlocksOfRows(const unsigned char* const* x, std::size_t item_bytes, const V* minus_means,
                 SumPieces one, SumPieces several = nullptr, double* kept = nullptr)
        : x_(x), item_bytes_(item_bytes), minus_means_(minus_means), one_(one), several_(several),
          kept_(kept) {}

    void sum(std::size_t first, std::size_t end, V* out) const {
        const std::size_t unit = unit_of(end - first);
        V sums[kRows][kVectors];
        for (auto& row : sums) fill(row);
        for (std::size_t v = 0; first < end; v = (v + 1) % kVectors) {
            V totals[kRows][kLanes];
            for (auto& row : totals) fill(row);
            for (std::size_t k = 0; k < kLanes && first < end;) {
                const std::size_t left = end - first, size = left < unit ? left : unit;
                V next[kRows * kBlocks];
                std::size_t blocks = 1;
                if (size > kBlock) {
                    sum(first, first + size, next);
                } else if (kBlocks > 1 && k + kBlocks <= kLanes && left >= kBlocks * kBlock) {
                    blocks = kBlocks;
                    sum_pieces_from(first, kBlock, several_, next);
                } else {
                    sum_pieces_from(first, size, one_, next);
                }
                for (std::size_t p = 0; p < kRows * blocks; ++p) {
                    totals[p / blocks][k + p % blocks] = next[p];
                }
                first += blocks * size;
                k += blocks;
            }
            for (std::size_t r = 0; r < kRows; ++r) {
                sums[r][v] = L::add(sums[r][v], L::totals(totals[r]));
            }
        }
        for (std::size_t r = 0; r < kRows; ++r) out[r] = folded(sums[r]);
    }

  private:
    template <std::size_t kCount>
    static void fill(V (&numbers)[kCount]) {
        for (V& number : numbers) number = L::set(0);
    }
    void sum_pieces_from(std::size_t first, std::size_t size, SumPieces sum, V* out) const {
        const unsigned char* at[kRows * kBlocks];
        V minus_means[kRows * kBlocks];
        for (std::size_t p = 0; p < kRows * kBlocks; ++p) {
            at[p] = x_[p / kBlocks] + (first + p % kBlocks * kBlock) * item_bytes_;
            minus_means[p] = minus_means_[p / kBlocks];
        }
        sum(at, size, minus_means, out, kept_ ? kept_ + first : nullptr);
    }

    const unsigned char* const* const x_;
    const std::size_t item_bytes_;
    const V* const minus_means_;
    const SumPieces one_, several_;
    double* const kept_;
};

template <typename E, typename M>
void sum_rows(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
              std::size_t size, const double* means, double* out) {
    if (size == 16) {
        const V one = L::opaque(L::set(1));
        const auto sum = [&](const unsigned char* const* at, const V* minus_means, std::size_t,
                             V* row) {
            for (std::size_t r = 0; r < kLanes; ++r) {
                row[r] = sum_sixteen<E, M>(at[r], minus_means[r], one);
            }
        };
        return for_rows(x, stride_bytes, rows, means, out, sum);
    }
    if (size > kBlock) {
        const auto sum = [&](const unsigned char* const* at, const V* minus_means,
                             std::size_t count, V* row) {
            constexpr std::size_t kMost = L::kTogether;
            std::size_t r = 0;
            for (; r + kMost <= count; r += kMost) {
                const BlocksOfRows<kMost, 1> rows_together(at + r, E::kBytes, minus_means + r,
                                                           sum_pieces<E, M, kMost>);
                rows_together.sum(0, size, row + r);
            }
            for (; r < count; ++r) {
                const BlocksOfRows<1, kMost> blocks(at + r, E::kBytes, minus_means + r,
                                                    sum_pieces<E, M, 1>, sum_pieces<E, M, kMost>);
                blocks.sum(0, size, row + r);
            }
        };
        return for_rows(x, stride_bytes, rows, means, out, sum);
    }
    const bool is_long = size * E::kBytes > kLongRowBytes;
    const auto sum = [&](const unsigned char* const* at, const V* minus_means, std::size_t count,
                         V* row) {
        std::size_t r = 0;
        for (; !is_long && r + L::kTogether <= count; r += L::kTogether) {
            sum_together<E, M, L::kTogether>(at + r, size, minus_means + r, row + r);
        }
        for (; r < count; ++r) sum_together<E, M, 1>(at + r, size, minus_means + r, row + r);
    };
    for_rows(x, stride_bytes, rows, means, out, sum);
}

// One row at a time, whose deviations are whole vectors to its end.
template <typename E>
void deviations(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
                std::size_t size, const double* means, double* kept, std::size_t spacing,
                double* out, const unsigned char* next) {
    const auto sum = [&](const unsigned char* const* at, const V* minus_means, std::size_t count,
                         V* row) {
        for (std::size_t r = 0; r < count; ++r, kept += spacing) {
            const V* const minus_mean = minus_means + r;
            if (size > kBlock) {
                const BlocksOfRows<1, 1> blocks(at + r, E::kBytes, minus_mean, deviate_piece<E>,
                                                nullptr, kept);
                blocks.sum(0, size, row + r);
            } else {
                sum_together<E, Deviation, 1>(at + r, size, minus_mean, row + r,
                                              KeptBeforeNext(kept, next + (at[r] - x)));
            }
        }
    };
    for_rows(x, stride_bytes, rows, means, out, sum);
}

#include "columns.inl"

// ---- Elements one by one ------------------------------------------------------------------------

template <typename E, typename M>
void widen(const unsigned char* x, std::size_t size, double mean, double* out) {
    const V minus_mean = negative(L::set(mean)), one = L::set(1);
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) {
        L::store(out + j, mapped<M>(E::load(x + j * E::kBytes), minus_mean, one));
    }
    if (j < size) {
        const V v = mapped<M>(load_part<E>(x + j * E::kBytes, size - j), minus_mean, one);
        store_part<Double>(reinterpret_cast<unsigned char*>(out + j), v, size - j);
    }
}

template <typename E>
void narrow(const double* x, std::size_t size, unsigned char* out) {
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) E::store(out + j * E::kBytes, canonical(L::load(x + j)));
    if (j < size) {
        const V v = load_part<Double>(reinterpret_cast<const unsigned char*>(x + j), size - j);
        store_part<E>(out + j * E::kBytes, canonical(v), size - j);
    }
}

// A span in lanes, to which `noted` adds a vector of elements, or a row of them.
struct Magnitudes {
    F largest, before_smallest;
};
template <typename E>
INDIRECTML_INLINE Magnitudes noted(Magnitudes span, const unsigned char* at) {
    F v;
    if constexpr (E::kBytes == 2) {
        v = S::widen(reinterpret_cast<const std::uint16_t*>(at));
    } else {
        v = S::load(reinterpret_cast<const float*>(at));
    }
    const F magnitude = S::magnitude(v), before = S::add_bits(magnitude, S::all_bits());
    return {S::larger_bits(span.largest, magnitude),
            S::smaller_bits(span.before_smallest, before)};
}
template <typename E>
inline Magnitudes noted(Magnitudes span, const unsigned char* row, std::size_t size) {
    for (; size >= kSingles; size -= kSingles, row += kSingles * E::kBytes) {
        span = noted<E>(span, row);
    }
    if (size == 0) return span;
    alignas(64) unsigned char rest[kSingles * E::kBytes] = {};
    std::memcpy(rest, row, size * E::kBytes);
    return noted<E>(span, rest);
}

// Rows are summed as they come; `count` of them, or as many as the number in the type says.
template <typename E, std::size_t kCount>
inline void add_so_many(const unsigned char* const* rows, std::size_t count, std::size_t size,
                        const Phase* phases, std::size_t stride, unsigned char* to,
                        const Times& times, std::size_t news, Span& span) {
    const V one = L::opaque(L::set(1));
    // Of a few rows all are known by what lies between them, so that one pointer moves.
    const unsigned char* first = rows[0];
    std::ptrdiff_t others[kCount + 1];
    for (std::size_t k = 1; k < kCount; ++k) others[k] = rows[k] - first;
    // Two rows are noted beside the sums, in units that these leave idle; of one new row that alone.
    const std::size_t beside = news > 1 ? 2 : 1;
    const std::ptrdiff_t last = rows[count - 1] - first;
    const std::ptrdiff_t former = rows[count - beside] - first;
    Magnitudes magnitudes{S::load(span.largest), S::load(span.before_smallest)};

    const auto sum_at = [&](const unsigned char* from, const auto& load) {
        if constexpr (kCount > 0) {
            V sum = load(from);
            for (std::size_t k = 1; k < kCount; ++k) sum = plus(sum, load(from + others[k]), one);
            return sum;
        } else {
            V sum = L::set(0);
            for (std::size_t k = 0; k < count; ++k) {
                sum = plus(sum, load(from + (rows[k] - rows[0])), one);
            }
            return sum;
        }
    };
    std::size_t j;
    // store(j / 2, a, b) for two vectors of sums from place j on.
    const auto for_steps = [&](const auto& store) {
        constexpr std::size_t kStep = kSingles > 2 * kLanes ? kSingles : 2 * kLanes;
        const auto load = [](const unsigned char* at) { return E::load(at); };
        const unsigned char* from = first;
        for (j = 0; j + kStep <= size; j += kStep, from += kStep * E::kBytes) {
            for (std::size_t k = 0; k < kStep; k += kSingles) {
                magnitudes = noted<E>(magnitudes, from + former + k * E::kBytes);
                magnitudes = noted<E>(magnitudes, from + last + k * E::kBytes);
            }
            for (std::size_t k = 0; k < kStep; k += 2 * kLanes) {
                store(j / 2 + k / 2, sum_at(from + k * E::kBytes, load),
                      sum_at(from + (k + kLanes) * E::kBytes, load));
            }
        }
    };
    for (std::size_t i = 0; i < times.count; ++i, first += times.from_step, to += times.to_step) {
        double* const row = reinterpret_cast<double*>(to);
        j = 0;
        if (stride == 1) {
            double* const at = row + phases[0].place;
            for_steps([=](std::size_t half, V a, V b) {
                L::store(at + 2 * half, a);
                L::store(at + 2 * half + kLanes, b);
            });
        } else if (stride == 2) {
            double* const even = row + phases[phases[0].first].place;
            double* const odd = row + phases[phases[1].first].place;
            for_steps([=](std::size_t half, V a, V b) {
                L::store(even + half, L::even(a, b));
                L::store(odd + half, L::odd(a, b));
            });
        }
        if (j < size) {
            const unsigned char* const from = first + j * E::kBytes;
            magnitudes = noted<E>(magnitudes, from + former, size - j);
            magnitudes = noted<E>(magnitudes, from + last, size - j);
        }
        for (std::size_t k = i == 0 ? 0 : count - news; k + beside < count; ++k) {
            magnitudes = noted<E>(magnitudes, first + (rows[k] - rows[0]), size);
        }
        while (j < size) {
            const std::size_t n = size - j < kLanes ? size - j : kLanes;
            alignas(64) double lanes[kLanes];
            L::store(lanes, sum_at(first + j * E::kBytes, [n](const unsigned char* at) {
                return n == kLanes ? E::load(at) : load_part<E>(at, n);
            }));
            for (std::size_t k = 0; k < n; ++k, ++j) {
                const Phase* phase = phases;
                while (j % stride != phase->first) ++phase;
                row[phase->place + j / stride] = lanes[k];
            }
        }
    }
    S::store(span.largest, magnitudes.largest);
    S::store(span.before_smallest, magnitudes.before_smallest);
}
template <typename E>
void add_rows(const unsigned char* const* rows, std::size_t count, std::size_t size,
              const Phase* phases, std::size_t stride, unsigned char* to, const Times& times,
              std::size_t news, Span& span) {
    switch (count) {
        case 2: return add_so_many<E, 2>(rows, count, size, phases, stride, to, times, news, span);
        case 3: return add_so_many<E, 3>(rows, count, size, phases, stride, to, times, news, span);
        default: return add_so_many<E, 0>(rows, count, size, phases, stride, to, times, news, span);
    }
}

constexpr SumKernels sum_kernels() {
#define INDIRECTML_MAPS(KERNEL, E) \
    {KERNEL<E, Same>, KERNEL<E, Square>, KERNEL<E, Magnitude>, KERNEL<E, Deviation>}
#define INDIRECTML_TYPES(KERNEL) \
    {INDIRECTML_MAPS(KERNEL, Half), INDIRECTML_MAPS(KERNEL, Single), INDIRECTML_MAPS(KERNEL, Double)}
    return {INDIRECTML_TYPES(sum_rows),
            INDIRECTML_TYPES(add_columns),
            INDIRECTML_TYPES(sum_few_rows),
            INDIRECTML_TYPES(widen),
            {narrow<Half>, narrow<Single>, narrow<Double>},
            {deviations<Half>, deviations<Single>, deviations<Double>},
            column_totals,
            {add_rows<Half>, add_rows<Single>}};
#undef INDIRECTML_TYPES
#undef INDIRECTML_MAPS
}
