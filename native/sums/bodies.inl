// Sums in terms of lanes, compiled once per target. Included into a namespace of the target's own,
// after `L`: the lanes of lanes/f64_*.h,
// and `S`: those of lanes/f32_*.h, and
//
//   min(a, b), max(a, b)    b where either is NaN
//
// `L` has besides
//
//   load_half(at)    kCount FLOAT16, widened
//   opaque(v)        v, which the compiler no longer knows
//   totals(rows)     of kCount vectors: lane r is the total of vector r by the tree (i, i + n / 2),
//                    (i, i + n / 4), ... of its n lanes

using V = L::Vector;
constexpr std::size_t kLanes = L::kCount;
constexpr std::size_t kVectors = 16 / kLanes;  // hold the sixteen sums of one row
using F = S::Vector;
constexpr std::size_t kSingles = S::kCount;

inline V canonical(V v) {
    return L::select(L::is_nan(v), L::number(L::set_bits(std::uint64_t{0x7FF8} << 48)), v);
}

// a * 1 + b is a + b, rounded once. Where `one` is opaque to the compiler, it is done by what
// multiplies, and not by what adds and converts. It pays where the latter has more to do: sums of
// 64 x 1024 FLOAT32 run at 78 GB/s instead of 52 (AVX2 on Zen 4).
inline V plus(V a, V b, V one) { return L::muladd(a, one, b); }

inline V negative(V v) { return L::sub(L::set(-0.0), v); }

// ---- Elements -----------------------------------------------------------------------------------

struct Half {
    static constexpr std::size_t kBytes = 2;
    static V load(const unsigned char* at) {
        return L::load_half(reinterpret_cast<const std::uint16_t*>(at));
    }
    static void store(unsigned char* at, V v) {
        L::store_half(reinterpret_cast<std::uint16_t*>(at), L::half(v));
    }
};
struct Single {
    static constexpr std::size_t kBytes = 4;
    static V load(const unsigned char* at) {
        return L::load_single(reinterpret_cast<const float*>(at));
    }
    static void store(unsigned char* at, V v) {
        L::store_single(reinterpret_cast<float*>(at), L::single(v));
    }
};
struct Double {
    static constexpr std::size_t kBytes = 8;
    static V load(const unsigned char* at) { return L::load(reinterpret_cast<const double*>(at)); }
    static void store(unsigned char* at, V v) { L::store(reinterpret_cast<double*>(at), v); }
};

// Less than a vector of elements; the other lanes are 0.
template <typename E>
inline V load_part(const unsigned char* at, std::size_t count) {
    alignas(64) unsigned char lanes[kLanes * 8] = {};
    std::memcpy(lanes, at, count * E::kBytes);
    return E::load(lanes);
}
template <typename E>
inline void store_part(unsigned char* at, V v, std::size_t count) {
    alignas(64) unsigned char lanes[kLanes * 8];
    E::store(lanes, v);
    std::memcpy(at, lanes, count * E::kBytes);
}
inline V first_lanes(V v, std::size_t count) {
    alignas(64) double lanes[kLanes];
    L::store(lanes, v);
    for (std::size_t k = count; k < kLanes; ++k) lanes[k] = 0;
    return L::load(lanes);
}

// What is summed: of an element, a negative mean, and 1; and the sum with one more of it.
struct Same {
    static V of(V x, V, V) { return x; }
    static V added(V sum, V x, V one) { return plus(x, sum, one); }
};
struct Square {
    static V of(V x, V, V) { return L::mul(x, x); }
    static V added(V sum, V x, V) { return L::add(sum, x); }
};
struct Magnitude {
    static V of(V x, V, V) { return L::abs(x); }
    static V added(V sum, V x, V one) { return plus(x, sum, one); }
};
struct Deviation {
    static V of(V x, V minus_mean, V one) {
        const V d = plus(x, minus_mean, one);
        return L::mul(d, d);
    }
    static V added(V sum, V x, V) { return L::add(sum, x); }
};

// ---- Rows ---------------------------------------------------------------------------------------

// The sixteen sums of several rows, in registers where there are enough; then each row as one
// vector, whose lanes stand for sums modulo kLanes.
template <typename E, typename M, std::size_t kRows>
inline void sum_together(const unsigned char* const* x, std::size_t size, const V* minus_means,
                         V* out) {
    const V one = L::opaque(L::set(1));
    V sums[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = L::set(0);
    }
    std::size_t j = 0;
    for (; j + 16 <= size; j += 16) {
        for (std::size_t r = 0; r < kRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const V element = E::load(x[r] + (j + v * kLanes) * E::kBytes);
                sums[r][v] = M::added(sums[r][v], M::of(element, minus_means[r], one), one);
            }
        }
    }
    for (std::size_t v = 0; j < size; ++v, j += kLanes) {
        const std::size_t count = size - j < kLanes ? size - j : kLanes;
        for (std::size_t r = 0; r < kRows; ++r) {
            const V element = load_part<E>(x[r] + j * E::kBytes, count);
            sums[r][v] = L::add(sums[r][v], first_lanes(M::of(element, minus_means[r], one), count));
        }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t half = kVectors / 2; half > 0; half /= 2) {
            for (std::size_t v = 0; v < half; ++v) {
                sums[r][v] = L::add(sums[r][v], sums[r][v + half]);
            }
        }
        out[r] = sums[r][0];
    }
}

// Rows from memory come one at a time, which is how it streams; shorter ones, from a cache, in pairs,
// which keeps more additions going.
constexpr std::size_t kLongRowBytes = 8192;

// As many rows as a vector has lanes end in one vector of totals.
template <typename E, typename M, std::size_t kTogether>
inline void sum_rows_together(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
                              std::size_t size, const double* means, double* out) {
    for (std::size_t first = 0; first < rows; first += kLanes) {
        const std::size_t count = rows - first < kLanes ? rows - first : kLanes;
        const unsigned char* at[kLanes];
        V minus_means[kLanes], row[kLanes];
        for (std::size_t r = 0; r < kLanes; ++r) {
            const std::size_t chosen = first + (r < count ? r : count - 1);
            at[r] = x + static_cast<std::int64_t>(chosen) * stride_bytes;
            minus_means[r] = negative(L::set(means ? means[chosen] : 0));
        }
        for (std::size_t r = 0; r < kLanes; r += kTogether) {
            if (r < count) {
                sum_together<E, M, kTogether>(at + r, size, minus_means + r, row + r);
            } else {
                for (std::size_t k = 0; k < kTogether; ++k) row[r + k] = row[0];
            }
        }
        const V totals = canonical(L::totals(row));
        if (count == kLanes) {
            L::store(out + first, totals);
        } else {
            store_part<Double>(reinterpret_cast<unsigned char*>(out + first), totals, count);
        }
    }
}

template <typename E, typename M>
void sum_rows(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
              std::size_t size, const double* means, double* out) {
    constexpr std::size_t kPair = kLanes > 1 ? 2 : 1;
    if (size * E::kBytes > kLongRowBytes) {
        sum_rows_together<E, M, 1>(x, stride_bytes, rows, size, means, out);
    } else {
        sum_rows_together<E, M, kPair>(x, stride_bytes, rows, size, means, out);
    }
}

// ---- Columns ------------------------------------------------------------------------------------

// Rows 16 apart are added to the same sums: several at once, so that a sum is loaded and stored once
// for them.
template <typename E, typename M, std::size_t kRows, bool kFirst>
inline void add_rows(const unsigned char* const* rows, std::size_t columns, const double* means,
                     double* sums) {
    const V one = L::opaque(L::set(1));
    std::size_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) {
        const V minus_mean = negative(means ? L::load(means + c) : L::set(0));
        V sum = kFirst ? L::set(0) : L::load(sums + c);
        for (std::size_t r = 0; r < kRows; ++r) {
            const V element = E::load(rows[16 * r] + c * E::kBytes);
            sum = M::added(sum, M::of(element, minus_mean, one), one);
        }
        L::store(sums + c, sum);
    }
    if (c == columns) return;
    const std::size_t rest = columns - c;
    const V minus_mean = negative(
        means ? load_part<Double>(reinterpret_cast<const unsigned char*>(means + c), rest)
              : L::set(0));
    // The lanes beyond are no columns, but memory of the sums.
    V sum = kFirst ? L::set(0) : L::load(sums + c);
    for (std::size_t r = 0; r < kRows; ++r) {
        const V element = load_part<E>(rows[16 * r] + c * E::kBytes, rest);
        sum = L::add(sum, M::of(element, minus_mean, one));
    }
    L::store(sums + c, sum);
}

template <typename E, typename M, bool kFirst>
inline void add_up_to_64(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                         const double* means, double* sums, std::size_t spacing) {
    for (std::size_t i = 0; i < 16; ++i) {
        switch (i < count ? (count - i + 15) / 16 : 0) {
            case 0: add_rows<E, M, 0, kFirst>(rows + i, columns, means, sums); break;
            case 1: add_rows<E, M, 1, kFirst>(rows + i, columns, means, sums); break;
            case 2: add_rows<E, M, 2, kFirst>(rows + i, columns, means, sums); break;
            case 3: add_rows<E, M, 3, kFirst>(rows + i, columns, means, sums); break;
            default: add_rows<E, M, 4, kFirst>(rows + i, columns, means, sums); break;
        }
        sums += spacing;
    }
}

template <typename E, typename M>
void add_columns(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                 const double* means, double* sums, std::size_t spacing, bool is_first) {
    for (std::size_t r = 0; r < count; r += 64) {
        const std::size_t some = count - r < 64 ? count - r : 64;
        if (is_first && r == 0) {
            add_up_to_64<E, M, true>(rows, some, columns, means, sums, spacing);
        } else {
            add_up_to_64<E, M, false>(rows + r, some, columns, means, sums, spacing);
        }
    }
}

// The tree over sixteen sums, depth first, so that few of them are needed at a time: `leaf(i)` is
// sum i.
template <std::size_t kStep, typename Leaf>
inline V tree(std::size_t i, const Leaf& leaf) {
    if constexpr (kStep == 16) {
        return leaf(i);
    } else {
        return L::add(tree<2 * kStep>(i, leaf), tree<2 * kStep>(i + kStep, leaf));
    }
}

void column_totals(const double* sums, std::size_t spacing, std::size_t columns, double* out) {
    for (std::size_t c = 0; c < columns; c += kLanes) {
        const V total =
            canonical(tree<1>(0, [&](std::size_t i) { return L::load(sums + i * spacing + c); }));
        if (columns - c >= kLanes) {
            L::store(out + c, total);
        } else {
            store_part<Double>(reinterpret_cast<unsigned char*>(out + c), total, columns - c);
        }
    }
}

template <typename E, typename M>
void sum_few_rows(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                  const double* means, double* out) {
    const V one = L::set(1);
    for (std::size_t c = 0; c < columns; c += kLanes) {
        const std::size_t rest = columns - c;
        const bool whole = rest >= kLanes;
        V mean = L::set(0);
        if (means) {
            mean = whole ? L::load(means + c)
                         : load_part<Double>(reinterpret_cast<const unsigned char*>(means + c), rest);
        }
        const V minus_mean = negative(mean);
        const auto leaf = [&](std::size_t i) {
            if (i >= count) return L::set(0);
            const unsigned char* at = rows[i] + c * E::kBytes;
            // +0 first, as a sum starts: it makes -0 positive.
            const V element = whole ? E::load(at) : load_part<E>(at, rest);
            return L::add(L::set(0), M::of(element, minus_mean, one));
        };
        const V total = canonical(tree<1>(0, leaf));
        if (whole) {
            L::store(out + c, total);
        } else {
            store_part<Double>(reinterpret_cast<unsigned char*>(out + c), total, rest);
        }
    }
}

// ---- Elements one by one ------------------------------------------------------------------------

template <typename E, typename M>
void widen(const unsigned char* x, std::size_t size, double mean, double* out) {
    const V minus_mean = negative(L::set(mean)), one = L::set(1);
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) {
        L::store(out + j, M::of(E::load(x + j * E::kBytes), minus_mean, one));
    }
    if (j < size) {
        const V v = M::of(load_part<E>(x + j * E::kBytes, size - j), minus_mean, one);
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

template <typename E, typename To, bool kScaled>
inline void normalize_row(const unsigned char* x, std::size_t size, const Normalization& how,
                          unsigned char* out) {
    const V minus_mean = negative(L::set(how.mean)), inverse = L::set(how.inverse);
    const V one = L::opaque(L::set(1));
    const auto of = [&](V element, const double* scale, const double* bias) {
        V y = L::mul(plus(element, minus_mean, one), inverse);
        if constexpr (kScaled) y = plus(L::mul(y, L::load(scale)), L::load(bias), one);
        return y;
    };
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) {
        const V element = E::load(x + j * E::kBytes);
        To::store(out + j * To::kBytes,
                  kScaled ? of(element, how.scale + j, how.bias + j) : of(element, nullptr, nullptr));
    }
    if (j == size) return;
    const std::size_t rest = size - j;
    double scale[kLanes] = {}, bias[kLanes] = {};
    if (kScaled) {
        std::memcpy(scale, how.scale + j, rest * sizeof(double));
        std::memcpy(bias, how.bias + j, rest * sizeof(double));
    }
    store_part<To>(out + j * To::kBytes, of(load_part<E>(x + j * E::kBytes, rest), scale, bias),
                   rest);
}

template <typename E, typename To>
void normalize(const unsigned char* x, std::size_t size, const Normalization& how,
               unsigned char* out) {
    if (how.scale) {
        normalize_row<E, To, true>(x, size, how, out);
    } else {
        normalize_row<E, To, false>(x, size, how, out);
    }
}

#include "../functions/powers.inl"
#include "softmax.inl"
#include "windows.inl"
#include "resampling.inl"

constexpr Kernels table(const char* name) {
#define INDIRECTML_MAPS(KERNEL, E) \
    {KERNEL<E, Same>, KERNEL<E, Square>, KERNEL<E, Magnitude>, KERNEL<E, Deviation>}
#define INDIRECTML_TYPES(KERNEL) \
    {INDIRECTML_MAPS(KERNEL, Half), INDIRECTML_MAPS(KERNEL, Single), INDIRECTML_MAPS(KERNEL, Double)}
    return {name,
            INDIRECTML_TYPES(sum_rows),
            INDIRECTML_TYPES(add_columns),
            INDIRECTML_TYPES(sum_few_rows),
            INDIRECTML_TYPES(widen),
            {narrow<Half>, narrow<Single>, narrow<Double>},
            {{normalize<Half, Half>, normalize<Half, Single>, normalize<Half, Double>},
             {normalize<Single, Half>, normalize<Single, Single>, normalize<Single, Double>},
             {normalize<Double, Half>, normalize<Double, Single>, normalize<Double, Double>}},
            {largest<HalfToSingle>, largest<SingleToSingle>},
            {powers<HalfToSingle>, powers<SingleToSingle>},
            {share<Half>, share<Single>, share<Double>},
            widen_halves,
            split<float>,
            split<double>,
            {average<float, Half>, average<float, Single>, average<float, Double>},
            {average<double, Half>, average<double, Single>, average<double, Double>},
            {keys_of_halves, keys_of_singles},
            highest,
            highest_along,
            {numbers_of_halves, numbers_of_singles},
            {mix<Half>, mix<Single>, mix<Double>},
            pick,
            column_totals};
#undef INDIRECTML_TYPES
#undef INDIRECTML_MAPS
}
