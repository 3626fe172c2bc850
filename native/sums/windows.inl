// Windows in terms of lanes: their averages and largest elements. Included by bodies.inl.

// FLOAT32 lanes that are only moved, so the numbers may be of any kind of that size.
template <typename Number>
inline F load_bits(const Number* at) {
    F v;
    std::memcpy(&v, at, sizeof(v));
    return v;
}
template <typename Number>
inline void store_bits(Number* at, F v) {
    std::memcpy(at, &v, sizeof(v));
}

// Two phases at once; the last vectors are moved back to end where the row does.
inline std::size_t split_pairs(const float* x, std::size_t count, float* a, float* b) {
    if (count < kSingles) return 0;
    const std::size_t last = count - kSingles;
    for (std::size_t j = 0; j < count; j += kSingles) {
        const std::size_t place = j < last ? j : last;
        const F low = S::load(x + 2 * place), high = S::load(x + 2 * place + kSingles);
        S::store(a + place, S::even(low, high));
        S::store(b + place, S::odd(low, high));
    }
    return count;
}
inline std::size_t split_pairs(const double*, std::size_t, double*, double*) { return 0; }

template <typename Number>
void split(const Number* x, const Phase* phases, std::size_t stride, Number* row) {
    if (stride == 1) {
        std::memcpy(row + phases->place, x, phases->count * sizeof(Number));
        return;
    }
    std::size_t done = 0;
    if (stride == 2) {
        const Phase &even = phases[phases[0].first], &odd = phases[phases[1].first];
        done = split_pairs(x, odd.count, row + even.place, row + odd.place);
    }
    for (std::size_t p = 0; p < stride; ++p) {
        const Number* from = x + phases[p].first;
        Number* to = row + phases[p].place;
        for (std::size_t j = done; j < phases[p].count; ++j) to[j] = from[j * stride];
    }
}

// Each element of a row by each(j), in whole blocks, which the compiler makes vectors of; the last one
// is moved back to end where the row does.
template <typename Number, typename Each>
inline void for_elements(std::size_t size, Number* __restrict out, const Each& each) {
    constexpr std::size_t kBlock = 16;
    const std::size_t whole = size / kBlock * kBlock;
    for (std::size_t j = 0; j < whole; ++j) out[j] = each(j);
    if (whole == size) return;
    if (whole == 0) {
        for (std::size_t j = 0; j < size; ++j) out[j] = each(j);
        return;
    }
    for (std::size_t k = 0; k < kBlock; ++k) out[size - kBlock + k] = each(size - kBlock + k);
}

inline void widen_halves(const unsigned char* x, std::size_t size, float* out) {
    const auto* halves = reinterpret_cast<const std::uint16_t*>(x);
    std::size_t j = 0;
    for (; j + kSingles <= size; j += kSingles) S::store(out + j, S::widen(halves + j));
    if (j < size) S::store_part(out + j, S::widen_part(halves + j, size - j), size - j);
}

// The tree over rows that are a sum each, without the sums that have no row.
inline V load_number(const float* at) { return L::load_single(at); }
inline V load_number(const double* at) { return L::load(at); }
template <std::size_t kStep, std::size_t kIndex, std::size_t kCount, typename Number>
inline V tree_of_rows(const Number* const* rows, std::size_t j) {
    if constexpr (kStep == 16) {
        return load_number(rows[kIndex] + j);
    } else if constexpr (kIndex + kStep < kCount) {
        return L::add(tree_of_rows<2 * kStep, kIndex, kCount>(rows, j),
                      tree_of_rows<2 * kStep, kIndex + kStep, kCount>(rows, j));
    } else {
        return tree_of_rows<2 * kStep, kIndex, kCount>(rows, j);
    }
}

// The correctly rounded quotient, for a divisor that is an integer d below 2^50, its rounded inverse,
// and a sum that is neither subnormal nor larger than FLOAT32 allows: what is left after the first
// quotient is a small multiple of its ulp, so exact; the second is off by less than 2^-52 ulp before
// it is rounded, but sum / d is no tie, and 1 / 2d ulp from one at least. Infinities stay, and -0
// becomes +0.
inline V quotient(V sum, V divisor, V inverse) {
    const V first = L::muladd(sum, inverse, L::set(0));
    const V second = L::muladd(L::submul(first, divisor, sum), inverse, first);
    const auto special = L::is_nan(second);
    if (L::mask_bits(special) == 0) return second;
    return L::select(special, canonical(first), second);
}

// The rows and divisors may be read, but `out` not written, up to a vector beyond their ends.
template <typename Number, typename To, std::size_t kCount>
inline void average_rows(const Number* const* rows, std::size_t count, std::size_t size,
                         const double* divisors, const double* inverses, unsigned char* out) {
    for (std::size_t j = 0; j < size; j += kLanes) {
        V sum;
        if constexpr (kCount > 0) {
            sum = tree_of_rows<1, 0, kCount>(rows, j);
        } else {
            sum = tree<1>(0, [&](std::size_t i) {
                V leaf = L::set(0);
                for (std::size_t k = i; k < count; k += 16) {
                    leaf = L::add(leaf, load_number(rows[k] + j));
                }
                return leaf;
            });
        }
        const V divisor = L::load(divisors + j);
        V y;
        if (L::kFused && sizeof(Number) == sizeof(float)) {
            y = quotient(sum, divisor, L::load(inverses + j));
        } else {
            // Sums start from +0, which makes -0 positive.
            y = canonical(L::div(L::add(sum, L::set(0)), divisor));
        }
        if (size - j >= kLanes) {
            To::store(out + j * To::kBytes, y);
        } else {
            store_part<To>(out + j * To::kBytes, y, size - j);
        }
    }
}
template <typename Number, typename To>
void average(const Number* const* rows, std::size_t count, std::size_t size,
             const double* divisors, const double* inverses, unsigned char* out) {
    switch (count) {
        case 4: return average_rows<Number, To, 4>(rows, count, size, divisors, inverses, out);
        case 9: return average_rows<Number, To, 9>(rows, count, size, divisors, inverses, out);
        default: return average_rows<Number, To, 0>(rows, count, size, divisors, inverses, out);
    }
}

// Negative numbers order backwards by their magnitude.
inline void keys_of_singles(const unsigned char* x, std::size_t size, std::int32_t* keys) {
    const auto* from = reinterpret_cast<const float*>(x);
    if (size < kSingles) {
        float padded[kSingles] = {};
        std::memcpy(padded, from, size * sizeof(float));
        const F few = S::in_order(S::load(padded));
        std::memcpy(keys, &few, size * sizeof(float));
        return;
    }
    const std::size_t last = size - kSingles;
    for (std::size_t j = 0; j < size; j += kSingles) {
        const std::size_t place = j < last ? j : last;
        store_bits(keys + place, S::in_order(S::load(from + place)));
    }
}
// Those of the FLOAT32 with the same value, but for the exponent, in the same order.
inline void keys_of_halves(const unsigned char* x, std::size_t size, std::int32_t* keys) {
    const auto* from = reinterpret_cast<const std::uint16_t*>(x);
    for_elements(size, keys, [from](std::size_t j) {
        const std::int32_t half = from[j], magnitude = half & 0x7FFF;
        const std::int32_t key = half & 0x8000 ? ~magnitude : magnitude;
        return magnitude > 0x7C00 ? std::int32_t{0x7FFF} : key;
    });
}

// In whole vectors, three rows at a time.
inline void highest(const std::int32_t* const* rows, std::size_t count, std::size_t size,
                    std::int32_t* out) {
    for (std::size_t k = 0; k < count; k += 3) {
        const std::int32_t *a = rows[k], *b = rows[k + 1 < count ? k + 1 : k],
                           *c = rows[k + 2 < count ? k + 2 : k];
        for (std::size_t j = 0; j < size; j += kSingles) {
            F v = S::higher(load_bits(a + j), S::higher(load_bits(b + j), load_bits(c + j)));
            if (k > 0) v = S::higher(v, load_bits(out + j));
            store_bits(out + j, v);
        }
    }
}

template <std::size_t kStride>
inline F every(const std::int32_t* row, std::size_t stride) {
    if constexpr (kStride == 1) return load_bits(row);
    if constexpr (kStride == 2) return S::even(load_bits(row), load_bits(row + kSingles));
    std::int32_t lanes[kSingles];
    for (std::size_t k = 0; k < kSingles; ++k) lanes[k] = row[k * stride];
    return load_bits(lanes);
}
template <std::size_t kStride>
inline void highest_by(const std::int32_t* row, const Steps& steps, std::size_t size,
                       std::int32_t* out) {
    for (std::size_t j = 0; j < size; j += kSingles) {
        const std::int32_t* first = row + j * steps.stride;
        F v = every<kStride>(first, steps.stride);
        for (std::size_t k = 1; k < steps.count; ++k) {
            v = S::higher(v, every<kStride>(first + k * steps.dilation, steps.stride));
        }
        store_bits(out + j, v);
    }
}
inline void highest_along(const std::int32_t* row, const Steps& steps, std::size_t size,
                          std::int32_t* out) {
    switch (steps.stride) {
        case 1: return highest_by<1>(row, steps, size, out);
        case 2: return highest_by<2>(row, steps, size, out);
        default: return highest_by<0>(row, steps, size, out);
    }
}

inline void numbers_of_singles(const std::int32_t* keys, std::size_t size, unsigned char* out) {
    constexpr std::int32_t kLowest = ~0x7F800000;  // the key of -infinity
    for_elements(size, reinterpret_cast<std::int32_t*>(out), [keys](std::size_t j) {
        const std::int32_t key = keys[j] > kLowest ? keys[j] : kLowest;
        const std::int32_t bits = key ^ ((key >> 31) & 0x7FFFFFFF);
        return key == 0x7FFFFFFF ? 0x7FC00000 : bits;
    });
}
inline void numbers_of_halves(const std::int32_t* keys, std::size_t size, unsigned char* out) {
    constexpr std::int32_t kLowest = ~0x7C00;
    for_elements(size, reinterpret_cast<std::uint16_t*>(out), [keys](std::size_t j) {
        const std::int32_t key = keys[j] > kLowest ? keys[j] : kLowest;
        const std::int32_t bits = key < 0 ? ~key | 0x8000 : key;
        return static_cast<std::uint16_t>(key == 0x7FFF ? 0x7E00 : bits);
    });
}
