// Windows in terms of lanes: their averages and largest elements. Included by bodies.inl.

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
