// Sums in terms of lanes, compiled once per target. Included into a namespace of the target's own,
// after `L`: the lanes of lanes/f64_*.h, and
//
//   load_half(at)    kCount FLOAT16, widened
//   totals(rows)     of kCount vectors: lane r is the total of vector r by the tree (i, i + n / 2),
//                    (i, i + n / 4), ... of its n lanes

using V = L::Vector;
constexpr std::size_t kLanes = L::kCount;
constexpr std::size_t kVectors = 16 / kLanes;  // hold the sixteen sums of one row

inline V canonical(V v) {
    return L::select(L::is_nan(v), L::number(L::set_bits(std::uint64_t{0x7FF8} << 48)), v);
}

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

// Of a mapped 0 all maps but the last are +0.
struct Same {
    static V of(V x, V) { return x; }
};
struct Square {
    static V of(V x, V) { return L::mul(x, x); }
};
struct Magnitude {
    static V of(V x, V) { return L::abs(x); }
};
struct Deviation {
    static V of(V x, V mean) {
        const V d = L::sub(x, mean);
        return L::mul(d, d);
    }
};

// ---- Rows ---------------------------------------------------------------------------------------

// The sixteen sums of several rows, in registers where there are enough; then each row as one
// vector, whose lanes stand for sums modulo kLanes.
template <typename E, typename M, std::size_t kRows>
inline void sum_together(const unsigned char* const* x, std::size_t size, const V* means, V* out) {
    V sums[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = L::set(0);
    }
    std::size_t j = 0;
    for (; j + 16 <= size; j += 16) {
        for (std::size_t r = 0; r < kRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const V element = E::load(x[r] + (j + v * kLanes) * E::kBytes);
                sums[r][v] = L::add(sums[r][v], M::of(element, means[r]));
            }
        }
    }
    for (std::size_t v = 0; j < size; ++v, j += kLanes) {
        const std::size_t count = size - j < kLanes ? size - j : kLanes;
        for (std::size_t r = 0; r < kRows; ++r) {
            const V element = load_part<E>(x[r] + j * E::kBytes, count);
            sums[r][v] = L::add(sums[r][v], first_lanes(M::of(element, means[r]), count));
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

// As many rows as a vector has lanes end in one vector of totals.
template <typename E, typename M>
void sum_rows(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
              std::size_t size, const double* means, double* out) {
    constexpr std::size_t kTogether = kLanes < 4 ? 1 : 4 * kLanes / 16;
    for (std::size_t first = 0; first < rows; first += kLanes) {
        const std::size_t count = rows - first < kLanes ? rows - first : kLanes;
        const unsigned char* at[kLanes];
        V mean[kLanes], row[kLanes];
        for (std::size_t r = 0; r < kLanes; ++r) {
            const std::size_t chosen = first + (r < count ? r : count - 1);
            at[r] = x + static_cast<std::int64_t>(chosen) * stride_bytes;
            mean[r] = L::set(means ? means[chosen] : 0);
        }
        for (std::size_t r = 0; r < kLanes; r += kTogether) {
            if (r < count) {
                sum_together<E, M, kTogether>(at + r, size, mean + r, row + r);
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

// ---- Columns ------------------------------------------------------------------------------------

// One row after the other, row r to sum r modulo 16; of rows 16 apart up to four at once, so that a
// sum is loaded and stored once for them.
template <typename E, typename M, std::size_t kRows>
inline void add_rows(const unsigned char* const* rows, std::size_t columns, const double* means,
                     double* sums) {
    std::size_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) {
        const V mean = means ? L::load(means + c) : L::set(0);
        V sum = L::load(sums + c);
        for (std::size_t r = 0; r < kRows; ++r) {
            sum = L::add(sum, M::of(E::load(rows[16 * r] + c * E::kBytes), mean));
        }
        L::store(sums + c, sum);
    }
    if (c == columns) return;
    const std::size_t rest = columns - c;
    const V mean = means ? load_part<Double>(reinterpret_cast<const unsigned char*>(means + c), rest)
                         : L::set(0);
    // The lanes beyond are no columns, but memory of the sums.
    V sum = L::load(sums + c);
    for (std::size_t r = 0; r < kRows; ++r) {
        sum = L::add(sum, M::of(load_part<E>(rows[16 * r] + c * E::kBytes, rest), mean));
    }
    L::store(sums + c, sum);
}

template <typename E, typename M>
void add_columns(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                 const double* means, double* sums) {
    std::size_t r = 0;
    for (; r + 64 <= count; r += 64) {
        for (std::size_t i = 0; i < 16; ++i) {
            add_rows<E, M, 4>(rows + r + i, columns, means, sums + i * kColumns);
        }
    }
    for (; r < count; ++r) {
        add_rows<E, M, 1>(rows + r, columns, means, sums + r % 16 * kColumns);
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

inline void column_totals(const double* sums, std::size_t columns, double* out) {
    for (std::size_t c = 0; c < columns; c += kLanes) {
        const V total =
            canonical(tree<1>(0, [&](std::size_t i) { return L::load(sums + i * kColumns + c); }));
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
    for (std::size_t c = 0; c < columns; c += kLanes) {
        const std::size_t rest = columns - c;
        const bool whole = rest >= kLanes;
        V mean = L::set(0);
        if (means) {
            mean = whole ? L::load(means + c)
                         : load_part<Double>(reinterpret_cast<const unsigned char*>(means + c), rest);
        }
        const auto leaf = [&](std::size_t i) {
            V sum = L::set(0);
            for (std::size_t r = i; r < count; r += 16) {
                const unsigned char* at = rows[r] + c * E::kBytes;
                sum = L::add(sum, M::of(whole ? E::load(at) : load_part<E>(at, rest), mean));
            }
            return sum;
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
    const V m = L::set(mean);
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) {
        L::store(out + j, M::of(E::load(x + j * E::kBytes), m));
    }
    if (j < size) {
        const V v = M::of(load_part<E>(x + j * E::kBytes, size - j), m);
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
    const V mean = L::set(how.mean), inverse = L::set(how.inverse);
    const auto of = [&](V element, const double* scale, const double* bias) {
        V y = L::mul(L::sub(element, mean), inverse);
        if constexpr (kScaled) y = L::add(L::mul(y, L::load(scale)), L::load(bias));
        return canonical(y);
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
            column_totals};
#undef INDIRECTML_TYPES
#undef INDIRECTML_MAPS
}
