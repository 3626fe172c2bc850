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

// ---- Softmax ------------------------------------------------------------------------------------

using F = S::Vector;
constexpr std::size_t kSingles = S::kCount;

struct HalfToSingle {
    static constexpr std::size_t kBytes = 2;
    static F load(const unsigned char* at) {
        return S::widen(reinterpret_cast<const std::uint16_t*>(at));
    }
};
struct SingleToSingle {
    static constexpr std::size_t kBytes = 4;
    static F load(const unsigned char* at) { return S::load(reinterpret_cast<const float*>(at)); }
};

// The last elements of a row are done again with the last whole vector; a row that is shorter than a
// vector is filled up with copies of its first element.
template <typename E>
float shift(const unsigned char* x, std::size_t size, float* t) {
    alignas(64) unsigned char filled[kSingles * E::kBytes];
    alignas(64) float lanes[kSingles];
    const bool is_short = size < kSingles;
    if (is_short) {
        for (std::size_t k = 0; k < kSingles; ++k) {
            std::memcpy(filled + k * E::kBytes, x + (k < size ? k : 0) * E::kBytes, E::kBytes);
        }
        x = filled;
    }
    const std::size_t last = is_short ? 0 : size - kSingles;
    const auto load = [&](std::size_t j) { return E::load(x + (j < last ? j : last) * E::kBytes); };

    // Of two operands with a NaN among them, `max` and `min` give the second.
    constexpr std::size_t kChains = 4;
    const float infinity = HUGE_VALF;
    F largest[kChains];
    for (std::size_t k = 0; k < kChains; ++k) largest[k] = S::set(-infinity);
    for (std::size_t j = 0; j < size; j += kChains * kSingles) {
        for (std::size_t k = 0; k < kChains; ++k) {
            largest[k] = S::max(load(j + k * kSingles), largest[k]);
        }
    }
    S::store(lanes, S::max(S::max(largest[0], largest[1]), S::max(largest[2], largest[3])));
    float m = lanes[0];
    for (std::size_t k = 1; k < kSingles; ++k) m = lanes[k] > m ? lanes[k] : m;

    const F minus_m = S::set(-m);
    F smallest = S::set(0);
    for (std::size_t j = 0; j < size; j += kSingles) {
        const F difference = S::add(load(j), minus_m);
        smallest = S::min(difference, smallest);
        if (is_short) {
            S::store(lanes, difference);
            std::memcpy(t, lanes, size * sizeof(float));
        } else {
            S::store(t + (j < last ? j : last), difference);
        }
    }
    S::store(lanes, smallest);
    float low = lanes[0];
    for (std::size_t k = 1; k < kSingles; ++k) low = lanes[k] < low ? lanes[k] : low;
    return low;
}

// e^t = 2^k p(r), r = t - k ln 2 from -ln 2 / 2 to ln 2 / 2, to a relative error of 2^-46.
inline V power_of_e(V t) {
    constexpr double kRounder = 0x1.8p52;  // brings an integer to the low bits
    const V shifted = L::muladd(t, L::set(functions::kInverseLn2), L::set(kRounder));
    const V k = L::sub(shifted, L::set(kRounder));
    const V r = L::submul(k, L::set(0x1.62e42fefa39efp-1), t);
    V p = L::set(functions::kExpOdd[3]);
    for (int n = 3; n >= 0; --n) {
        p = L::muladd(p, r, L::set(functions::kExpEven[n]));
        if (n > 0) p = L::muladd(p, r, L::set(functions::kExpOdd[n - 1]));
    }
    p = L::muladd(p, r, L::set(1));
    p = L::muladd(p, r, L::set(1));
    return L::number(L::add_bits(L::bits(p), L::shift_left<52>(L::bits(shifted))));
}

// 0 in lanes within 2^-42 of the middle between two normal FLOAT32.
inline V from_middle(V power) {
    constexpr std::uint64_t kMiddle = 1 << 28, kNear = 1 << 10;
    const L::Bits moved = L::add_bits(L::bits(power), L::set_bits(kMiddle + kNear));
    // As FLOAT64 they are subnormals, of which only 0 equals 0.
    return L::number(L::and_bits(moved, L::set_bits(2 * kMiddle - 2 * kNear)));
}

inline void powers(const float* t, std::size_t size, float smallest, functions::Kernel exact,
                   float* out) {
    constexpr std::size_t kStep = 2 * kLanes;
    std::size_t j = 0;
    // Above -87 powers are normal, and no 2^k is too small. Below -104 they are 0, exactly.
    for (; j + kStep <= size && smallest > -87; j += kStep) {
        const V a = power_of_e(L::load_single(t + j));
        const V b = power_of_e(L::load_single(t + j + kLanes));
        const V zero = L::set(0);
        const auto open =
            L::either(L::equal(from_middle(a), zero), L::equal(from_middle(b), zero));
        if (L::mask_bits(open) != 0) {
            exact(t + j, t + j, out + j, kStep);
        } else {
            L::store_single(out + j, L::single(a));
            L::store_single(out + j + kLanes, L::single(b));
        }
    }
    for (; j + kLanes <= size; j += kLanes) {
        const V argument = L::load_single(t + j), bounded = L::max(L::set(-104), argument);
        const V power = power_of_e(bounded);
        const auto is_small = L::both(L::less(argument, L::set(-87)),
                                      L::less(L::set(-104), argument));
        const auto open = L::either(L::equal(from_middle(power), L::set(0)), is_small);
        if (L::mask_bits(open) != 0) {
            exact(t + j, t + j, out + j, kLanes);
        } else {
            L::store_single(out + j, L::single(power));
        }
    }
    if (j < size) exact(t + j, t + j, out + j, size - j);
}

// ---- Windows ------------------------------------------------------------------------------------

// The first element of a phase, its place in the row, and how many there are.
struct Phase {
    std::size_t first, place, count;
};
inline Phase phase_of(const Phases& all, std::size_t p) {
    const std::size_t before = all.start % all.stride;
    const std::size_t first = (p + all.stride - before) % all.stride;
    return {first, p * all.spacing + (all.start + first) / all.stride,
            first < all.size ? (all.size - first + all.stride - 1) / all.stride : 0};
}

struct ToDouble {
    double operator()(float v) const { return static_cast<double>(v); }
};
template <typename Convert>
constexpr bool kWidens = false;
template <>
constexpr bool kWidens<ToDouble> = true;

inline void widen_to(double* at, F v) {
    alignas(64) float singles[kSingles];
    S::store(singles, v);
    for (std::size_t k = 0; k < kSingles; k += kLanes) {
        L::store(at + k, L::load_single(singles + k));
    }
}

// The strides of most windows are known to the compiler, which then knows how to load.
template <std::size_t kStride, typename Element, typename Number, typename Convert>
inline void split_by(const Element* __restrict x, const Phases& phases, Number* __restrict row,
                     const Convert& convert) {
    const std::size_t stride = kStride ? kStride : phases.stride;
    std::size_t done = 0;
    if constexpr (kStride == 2) {  // both at once
        const Phase first = phase_of(phases, phases.start % 2);
        const Phase second = phase_of(phases, 1 - phases.start % 2);
        Number *a = row + first.place, *b = row + second.place;
        if constexpr (kWidens<Convert>) {
            for (; done + kSingles <= second.count; done += kSingles) {
                const F low = S::load(x + 2 * done), high = S::load(x + 2 * done + kSingles);
                widen_to(a + done, S::even(low, high));
                widen_to(b + done, S::odd(low, high));
            }
        }
        for (; done < second.count; ++done) {
            a[done] = convert(x[2 * done]);
            b[done] = convert(x[2 * done + 1]);
        }
    }
    for (std::size_t p = 0; p < stride; ++p) {
        const Phase phase = phase_of(phases, p);
        const Element* from = x + phase.first;
        Number* to = row + phase.place;
        for (std::size_t j = done; j < phase.count; ++j) to[j] = convert(from[j * stride]);
    }
}
template <typename Element, typename Number, typename Convert>
inline void split_row(const unsigned char* x, const Phases& phases, Number* row,
                      const Convert& convert) {
    const auto* elements = reinterpret_cast<const Element*>(x);
    switch (phases.stride) {
        case 1: return split_by<1>(elements, phases, row, convert);
        case 2: return split_by<2>(elements, phases, row, convert);
        default: return split_by<0>(elements, phases, row, convert);
    }
}

inline void split_halves(const unsigned char* x, const Phases& phases, double* row) {
    split_row<std::uint16_t>(x, phases, row, [](std::uint16_t half) {
        // Of a FLOAT16 as bits of FLOAT64, exactly: subnormals are multiples of 2^-24.
        const std::uint64_t magnitude = half & 0x7FFF, sign = std::uint64_t{half & 0x8000u} << 48;
        const std::uint64_t exponent = magnitude < 0x7C00 ? 1023 - 15 : 2047 - 31;
        double tiny = static_cast<double>(static_cast<std::int32_t>(magnitude)) * 0x1p-24;
        std::uint64_t bits;
        std::memcpy(&bits, &tiny, sizeof(bits));
        if (magnitude >= 0x0400) bits = (magnitude << 42) + (exponent << 52);
        bits |= sign;
        double number;
        std::memcpy(&number, &bits, sizeof(number));
        return number;
    });
}
inline void split_singles(const unsigned char* x, const Phases& phases, double* row) {
    split_row<float>(x, phases, row, ToDouble{});
}
inline void split_doubles(const unsigned char* x, const Phases& phases, double* row) {
    split_row<double>(x, phases, row, [](double v) { return v; });
}

// The tree over rows that are a sum each, without the sums that have no row.
template <std::size_t kStep, std::size_t kIndex, std::size_t kCount>
inline V tree_of_rows(const double* const* rows, std::size_t j) {
    if constexpr (kStep == 16) {
        return L::load(rows[kIndex] + j);
    } else if constexpr (kIndex + kStep < kCount) {
        return L::add(tree_of_rows<2 * kStep, kIndex, kCount>(rows, j),
                      tree_of_rows<2 * kStep, kIndex + kStep, kCount>(rows, j));
    } else {
        return tree_of_rows<2 * kStep, kIndex, kCount>(rows, j);
    }
}

// The rows and divisors may be read, but `out` not written, up to a vector beyond their ends.
// The correctly rounded quotient, for a divisor that is an integer d below 2^50, its rounded inverse,
// and a sum that is neither subnormal nor larger than FLOAT32 allows: what is left after the first
// quotient is a small multiple of its ulp, so exact; the second is off by less than 2^-52 ulp before
// it is rounded, but sum / d is no tie, and 1 / 2d ulp from one at least. Infinities stay.
inline V quotient(V sum, V divisor, V inverse) {
    const V first = L::mul(sum, inverse);
    const V second = L::muladd(L::submul(first, divisor, sum), inverse, first);
    const V infinity = L::number(L::set_bits(std::uint64_t{0x7FF} << 52));
    return L::select(L::less(L::abs(first), infinity), second, first);
}

template <typename To, std::size_t kCount>
inline void average_rows(const double* const* rows, std::size_t count, std::size_t size,
                         const double* divisors, const double* inverses, unsigned char* out) {
    for (std::size_t j = 0; j < size; j += kLanes) {
        V sum;
        if constexpr (kCount > 0) {
            sum = tree_of_rows<1, 0, kCount>(rows, j);
        } else {
            sum = tree<1>(0, [&](std::size_t i) {
                V leaf = L::set(0);
                for (std::size_t k = i; k < count; k += 16) {
                    leaf = L::add(leaf, L::load(rows[k] + j));
                }
                return leaf;
            });
        }
        // Sums start from +0, which makes -0 positive.
        sum = L::add(sum, L::set(0));
        const V divisor = L::load(divisors + j);
        const V y = canonical(L::kFused && inverses
                                  ? quotient(sum, divisor, L::load(inverses + j))
                                  : L::div(sum, divisor));
        if (size - j >= kLanes) {
            To::store(out + j * To::kBytes, y);
        } else {
            store_part<To>(out + j * To::kBytes, y, size - j);
        }
    }
}
template <typename To>
void average(const double* const* rows, std::size_t count, std::size_t size,
             const double* divisors, const double* inverses, unsigned char* out) {
    switch (count) {
        case 4: return average_rows<To, 4>(rows, count, size, divisors, inverses, out);
        case 9: return average_rows<To, 9>(rows, count, size, divisors, inverses, out);
        default: return average_rows<To, 0>(rows, count, size, divisors, inverses, out);
    }
}

// Negative numbers order backwards by their magnitude.
inline std::int32_t key_of(std::int32_t bits) {
    const std::int32_t magnitude = bits & 0x7FFFFFFF;
    const std::int32_t key = bits ^ ((bits >> 31) & 0x7FFFFFFF);
    return magnitude > 0x7F800000 ? 0x7FFFFFFF : key;
}
inline void keys_of_singles(const unsigned char* x, const Phases& phases, std::int32_t* row) {
    split_row<std::int32_t>(x, phases, row, key_of);
}
// Those of the FLOAT32 with the same value, but for the exponent, in the same order.
inline void keys_of_halves(const unsigned char* x, const Phases& phases, std::int32_t* row) {
    split_row<std::uint16_t>(x, phases, row, [](std::uint16_t half) {
        const std::int32_t magnitude = half & 0x7FFF;
        const std::int32_t key = half & 0x8000 ? ~magnitude : magnitude;
        return magnitude > 0x7C00 ? std::int32_t{0x7FFF} : key;
    });
}

// Four rows at a time, so that what was found is in memory seldom.
inline void highest(const std::int32_t* const* rows, std::size_t count, std::size_t size,
                    std::int32_t* __restrict out) {
    const auto larger = [](std::int32_t a, std::int32_t b) { return a > b ? a : b; };
    const std::int32_t* first = rows[0];
    for (std::size_t j = 0; j < size; ++j) out[j] = first[j];
    std::size_t k = 1;
    for (; k + 3 < count; k += 4) {
        const std::int32_t *a = rows[k], *b = rows[k + 1], *c = rows[k + 2], *d = rows[k + 3];
        for (std::size_t j = 0; j < size; ++j) {
            out[j] = larger(out[j], larger(larger(a[j], b[j]), larger(c[j], d[j])));
        }
    }
    for (; k < count; ++k) {
        const std::int32_t* row = rows[k];
        for (std::size_t j = 0; j < size; ++j) out[j] = larger(out[j], row[j]);
    }
}

inline void numbers_of_singles(const std::int32_t* keys, std::size_t size, unsigned char* out) {
    auto* to = reinterpret_cast<std::int32_t*>(out);
    constexpr std::int32_t kLowest = ~0x7F800000;  // the key of -infinity
    for (std::size_t j = 0; j < size; ++j) {
        const std::int32_t key = keys[j] > kLowest ? keys[j] : kLowest;
        const std::int32_t bits = key ^ ((key >> 31) & 0x7FFFFFFF);
        to[j] = key == 0x7FFFFFFF ? 0x7FC00000 : bits;
    }
}
inline void numbers_of_halves(const std::int32_t* keys, std::size_t size, unsigned char* out) {
    auto* to = reinterpret_cast<std::uint16_t*>(out);
    constexpr std::int32_t kLowest = ~0x7C00;
    for (std::size_t j = 0; j < size; ++j) {
        const std::int32_t key = keys[j] > kLowest ? keys[j] : kLowest;
        const std::int32_t bits = key < 0 ? ~key | 0x8000 : key;
        to[j] = static_cast<std::uint16_t>(key == 0x7FFF ? 0x7E00 : bits);
    }
}

// ---- Resampling ---------------------------------------------------------------------------------

template <typename To>
void mix(const double* const* rows, const double* weights, std::size_t count, std::size_t size,
         unsigned char* out) {
    const auto sum_at = [&](std::size_t j, const auto& load) {
        V sum = L::mul(load(rows[0] + j), L::set(weights[0]));
        for (std::size_t k = 1; k < count; ++k) {
            sum = L::add(sum, L::mul(load(rows[k] + j), L::set(weights[k])));
        }
        return canonical(sum);
    };
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) {
        To::store(out + j * To::kBytes, sum_at(j, [](const double* at) { return L::load(at); }));
    }
    if (j == size) return;
    const std::size_t rest = size - j;
    const auto load_rest = [rest](const double* at) {
        return load_part<Double>(reinterpret_cast<const unsigned char*>(at), rest);
    };
    store_part<To>(out + j * To::kBytes, sum_at(j, load_rest), rest);
}

// Adding -0 changes nothing, -0 included.
inline void pick(const double* __restrict row, const std::int32_t* __restrict indices,
                 const double* __restrict weights, std::size_t count, std::size_t size,
                 double* __restrict out) {
    for (std::size_t i = 0; i < size; ++i) {
        const double product = row[indices[i]] * weights[i];
        out[i] = weights[i] == 0 ? -0.0 : product;
    }
    for (std::size_t k = 1; k < count; ++k) {
        indices += size;
        weights += size;
        for (std::size_t i = 0; i < size; ++i) {
            const double product = row[indices[i]] * weights[i];
            out[i] += weights[i] == 0 ? -0.0 : product;
        }
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
            {shift<HalfToSingle>, shift<SingleToSingle>},
            powers,
            {split_halves, split_singles, split_doubles},
            {average<Half>, average<Single>, average<Double>},
            {keys_of_halves, keys_of_singles},
            highest,
            {numbers_of_halves, numbers_of_singles},
            {mix<Half>, mix<Single>, mix<Double>},
            pick,
            column_totals};
#undef INDIRECTML_TYPES
#undef INDIRECTML_MAPS
}
