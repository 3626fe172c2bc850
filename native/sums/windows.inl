// Windows in terms of lanes: their averages and largest elements. Included by bodies.inl.

// each(j, count) for whole vectors, of which the last is moved back to end where the row does; or for
// a row that is shorter than one.
template <typename Each>
inline void for_vectors(std::size_t size, const Each& each) {
    if (size < kSingles) return each(0, size);
    const std::size_t last = size - kSingles;
    for (std::size_t j = 0; j < size; j += kSingles) each(j < last ? j : last, kSingles);
}

// Two phases at once, if they are a vector long.
inline std::size_t split_pairs(const float* x, std::size_t count, float* a, float* b) {
    if (count < kSingles) return 0;
    for_vectors(count, [&](std::size_t j, std::size_t) {
        const F low = S::load(x + 2 * j), high = S::load(x + 2 * j + kSingles);
        S::store(a + j, S::even(low, high));
        S::store(b + j, S::odd(low, high));
    });
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

inline void widen_halves(const unsigned char* x, std::size_t size, float* out) {
    const auto* halves = reinterpret_cast<const std::uint16_t*>(x);
    std::size_t j = 0;
    for (; j + kSingles <= size; j += kSingles) S::store(out + j, S::widen(halves + j));
    if (j < size) S::store_part(out + j, S::widen_part(halves + j, size - j), size - j);
}

// The tree over rows that are a sum each, without the sums that have no row.
inline V load_number(const std::uint16_t* at) { return L::load_half(at); }
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

// Of any number of rows, in blocks.
template <typename Number>
inline V sum_of_block(const Number* const* rows, std::size_t count, std::size_t j) {
    return tree<1>(0, [&](std::size_t i) {
        V leaf = L::set(0);
        for (std::size_t k = i; k < count; k += 16) leaf = L::add(leaf, load_number(rows[k] + j));
        return leaf;
    });
}
template <typename Number>
V sum_of_blocks(const Number* const* rows, std::size_t count, std::size_t j) {
    if (count <= kBlock) return sum_of_block(rows, count, j);
    const std::size_t unit = unit_of(count);
    return tree<1>(0, [&](std::size_t i) {
        V leaf = L::set(0);
        for (std::size_t k = i * unit; k < count; k += 16 * unit) {
            const std::size_t left = count - k;
            leaf = L::add(leaf, sum_of_blocks(rows + k, left < unit ? left : unit, j));
        }
        return leaf;
    });
}
template <typename Number>
inline V sum_of_positions(const Number* const* rows, std::size_t count, std::size_t j) {
    return count <= kBlock ? sum_of_block(rows, count, j) : sum_of_blocks(rows, count, j);
}

// The correctly rounded quotient, for a divisor that is an integer d below 2^50, its rounded inverse,
// and a sum that is neither subnormal nor larger than FLOAT32 allows: what is left after the first
// quotient is a small multiple of its ulp, so exact; the second is off by less than 2^-52 ulp before
// it is rounded, but sum / d is no tie, and 1 / 2d ulp from one at least. -0 becomes +0.
inline V quotient(V sum, V divisor, V inverse) {
    const V first = L::muladd(sum, inverse, L::set(0));
    return L::muladd(L::submul(first, divisor, sum), inverse, first);
}
// Infinities stay.
inline V any_quotient(V sum, V divisor, V inverse) {
    const V y = quotient(sum, divisor, inverse);
    const auto special = L::is_nan(y);
    if (L::mask_bits(special) == 0) return y;
    return L::select(special, canonical(L::mul(sum, inverse)), y);
}

// How a sum becomes an average; kFinite if it is finite, and its divisor is not zero.
enum class Division { kExact, kByInverse, kFinite };

// The last vector is moved back to end where the row does. Of rows that are shorter than one, and their
// divisors and inverses, a whole vector is read, but not written.
template <Division kDivision, typename To, typename Sum>
inline void average_by(std::size_t size, const double* divisors, const double* inverses,
                       unsigned char* out, const Sum& sum_at) {
    const std::size_t last = size > kLanes ? size - kLanes : 0;
    for (std::size_t next = 0; next < size; next += kLanes) {
        const std::size_t j = next < last ? next : last;
        const V sum = sum_at(j), divisor = L::load(divisors + j);
        V y;
        if constexpr (L::kFused && kDivision != Division::kExact) {
            // Compilers would load it twice.
            const V inverse = L::opaque(L::load(inverses + j));
            y = kDivision == Division::kFinite ? quotient(sum, divisor, inverse)
                                               : any_quotient(sum, divisor, inverse);
        } else {
            // Sums start from +0, which makes -0 positive.
            y = canonical(L::div(L::add(sum, L::set(0)), divisor));
        }
        if (size >= kLanes) {
            To::store(out + j * To::kBytes, y);
        } else {
            store_part<To>(out, y, size);
        }
    }
}

template <typename Number, typename To, std::size_t kCount>
inline void average_rows(const Number* const* rows, std::size_t count, std::size_t size,
                         const double* divisors, const double* inverses, unsigned char* out,
                         const Times& times) {
    constexpr Division kDivision =
        sizeof(Number) < sizeof(double) ? Division::kByInverse : Division::kExact;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < times.count;
         ++i, moved += times.from_step / sizeof(Number), out += times.to_step) {
        if constexpr (kCount > 0) {
            const Number* at[kCount];
            for (std::size_t k = 0; k < kCount; ++k) at[k] = rows[k] + moved;
            average_by<kDivision, To>(size, divisors, inverses, out, [&](std::size_t j) {
                return tree_of_rows<1, 0, kCount>(at, j);
            });
        } else {
            average_by<kDivision, To>(size, divisors, inverses, out, [&](std::size_t j) {
                return sum_of_positions(rows, count, moved + j);
            });
        }
    }
}
template <typename Number, typename To>
void average(const Number* const* rows, std::size_t count, std::size_t size, const double* divisors,
             const double* inverses, unsigned char* out, const Times& times) {
    switch (count) {
        case 4: return average_rows<Number, To, 4>(rows, count, size, divisors, inverses, out, times);
        case 9: return average_rows<Number, To, 9>(rows, count, size, divisors, inverses, out, times);
        default: return average_rows<Number, To, 0>(rows, count, size, divisors, inverses, out, times);
    }
}

// As they come.
template <typename To>
void average_sums(const unsigned char* const* rows, std::size_t count, std::size_t size,
                  const double* divisors, const double* inverses, unsigned char* out,
                  const Times& times) {
    std::size_t moved = 0;
    const auto row = [&](std::size_t k) {
        return reinterpret_cast<const double*>(rows[k] + moved);
    };
    for (std::size_t i = 0; i < times.count; ++i, moved += times.from_step, out += times.to_step) {
        if (count == 3) {
            const double *const a = row(0), *const b = row(1), *const c = row(2);
            average_by<Division::kFinite, To>(size, divisors, inverses, out, [=](std::size_t j) {
                return L::add(L::add(L::load(a + j), L::load(b + j)), L::load(c + j));
            });
        } else {
            average_by<Division::kFinite, To>(size, divisors, inverses, out, [&](std::size_t j) {
                V sum = L::load(row(0) + j);
                for (std::size_t k = 1; k < count; ++k) sum = L::add(sum, L::load(row(k) + j));
                return sum;
            });
        }
    }
}

// Of these rows, and of what is in `out` if they are not the first.
template <typename E, std::size_t kCount>
inline void largest_of_these(const unsigned char* const* rows, bool are_first, std::size_t size,
                             float* INDIRECTML_RESTRICT out) {
    const unsigned char *const a = rows[0], *const b = rows[kCount > 1], *const c = rows[kCount - 1];
    for_vectors(size, [&](std::size_t j, std::size_t n) {
        const auto load = [j, n](const unsigned char* row) {
            const unsigned char* at = row + j * E::kBytes;
            // Compilers would load it twice.
            return S::to_order(S::opaque(n < kSingles ? E::load_part(at, n) : E::load(at)));
        };
        F v = load(a);
        if constexpr (kCount > 2) v = S::larger(v, load(c));
        if constexpr (kCount > 1) v = S::larger(v, load(b));
        if (!are_first) v = S::larger(v, S::load(out + j));
        if (n < kSingles) return S::store_part(out + j, v, n);
        S::store(out + j, v);
    });
}
template <typename E>
void largest_of_rows(const unsigned char* const* rows, std::size_t count, std::size_t size,
                     float* out) {
    for (std::size_t k = 0; k < count; k += 3) {
        const auto these = count - k == 1   ? largest_of_these<E, 1>
                           : count - k == 2 ? largest_of_these<E, 2>
                                            : largest_of_these<E, 3>;
        these(rows + k, k == 0, size, out);
    }
}

template <std::size_t kStride>
inline F every(const float* row, std::size_t stride) {
    if constexpr (kStride == 1) return S::load(row);
    if constexpr (kStride == 2) return S::even(S::load(row), S::load(row + kSingles));
    float lanes[kSingles];
    for (std::size_t k = 0; k < kSingles; ++k) lanes[k] = row[k * stride];
    return S::load(lanes);
}
// With a number in the type, steps are as many; and of every second place, neighbours.
template <std::size_t kStride, std::size_t kCount>
inline F largest_from(const float* row, const Steps& steps) {
    const std::size_t count = kCount > 0 ? kCount : steps.count;
    const std::size_t dilation = kStride == 2 && kCount > 0 ? 1 : steps.dilation;
    F v;
    std::size_t k = 1;
    if constexpr (kStride == 2 && kCount > 1) {
        // Two neighbours are in the same vectors, which compilers load twice.
        const F a = S::opaque(S::load(row)), b = S::opaque(S::load(row + kSingles));
        v = S::larger(S::even(a, b), S::odd(a, b));
        k = 2;
    } else {
        v = every<kStride>(row, steps.stride);
    }
    for (; k < count; ++k) v = S::larger(v, every<kStride>(row + k * dilation, steps.stride));
    return v;
}
template <typename Lanes, typename To>
inline void store_halves(typename Lanes::Vector v, unsigned char* to) {
    static_assert(To::kBytes == sizeof(std::uint16_t), "what is no FLOAT32 is FLOAT16");
    Lanes::store_half(reinterpret_cast<std::uint16_t*>(to), Lanes::half(v));
}
// The first n lanes as elements of a type.
template <typename To>
inline void store_numbers(F v, std::size_t n, unsigned char* to) {
    if constexpr (To::kBytes == sizeof(float)) {
        if (n == kSingles) return S::store(reinterpret_cast<float*>(to), v);
    } else if constexpr (S::kPicks) {
        if (n == kSingles) return store_halves<S, To>(v, to);
    }
    float lanes[kSingles];
    S::store(lanes, v);
    alignas(64) unsigned char numbers[kSingles * To::kBytes];
    for (std::size_t k = 0; k < kSingles; k += kLanes) {
        To::store(numbers + k * To::kBytes, L::load_single(lanes + k));
    }
    std::memcpy(to, numbers, n * To::kBytes);
}
template <typename To, std::size_t kStride, std::size_t kCount>
inline void largest_by(const float* row, const Steps steps, std::size_t size,
                       unsigned char* out) {
    for_vectors(size, [&](std::size_t j, std::size_t n) {
        const F v = S::from_order(largest_from<kStride, kCount>(row + j * steps.stride, steps));
        store_numbers<To>(v, n, out + j * To::kBytes);
    });
}
template <typename To, std::size_t kStride, std::size_t kCount>
inline void largest_times(const float* row, const Steps& steps, std::size_t size,
                          unsigned char* out, const Times& times) {
    const auto* from = reinterpret_cast<const unsigned char*>(row);
    for (std::size_t i = 0; i < times.count; ++i, from += times.from_step, out += times.to_step) {
        largest_by<To, kStride, kCount>(reinterpret_cast<const float*>(from), steps, size, out);
    }
}
template <typename To>
void largest_along(const float* row, const Steps& steps, std::size_t size, unsigned char* out,
                   const Times& times) {
    const bool are_neighbours = steps.dilation == 1;
    if (steps.stride == 2 && steps.count == 2 && are_neighbours) {
        return largest_times<To, 2, 2>(row, steps, size, out, times);
    }
    if (steps.stride == 2 && steps.count == 3 && are_neighbours) {
        return largest_times<To, 2, 3>(row, steps, size, out, times);
    }
    if (steps.stride == 1 && steps.count == 2) {
        return largest_times<To, 1, 2>(row, steps, size, out, times);
    }
    if (steps.stride == 1 && steps.count == 3) {
        return largest_times<To, 1, 3>(row, steps, size, out, times);
    }
    switch (steps.stride) {
        case 1: return largest_times<To, 1, 0>(row, steps, size, out, times);
        case 2: return largest_times<To, 2, 0>(row, steps, size, out, times);
        default: return largest_times<To, 0, 0>(row, steps, size, out, times);
    }
}

// Window after window, for some vectors of channels, which follow each other as lines of memory do: columns that are under
// the next window, too, stay in registers.
template <typename E, typename To, std::size_t kSize, std::size_t kStride, std::size_t kVectors, bool kAreWhole>
inline void largest_of_columns(const WindowsOfPixels& task, std::size_t j) {
    const std::size_t n = kAreWhole ? kSingles : task.channels;
    constexpr std::size_t kShared = kSize > kStride ? kSize - kStride : 0;
    const auto column = [&](std::size_t position, F* largest) {
        const std::size_t place = position * task.pixel_bytes + j * E::kBytes;
        for (std::size_t k = 0; k < kSize; ++k) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const unsigned char* const at = task.rows[k] + place + v * kSingles * E::kBytes;
                const F x = S::to_order(S::opaque(kAreWhole ? E::load(at) : E::load_part(at, n)));
                largest[v] = k == 0 ? x : S::larger(largest[v], x);
            }
        }
    };
    F columns[kSize][kVectors];
    for (std::size_t k = 0; k < kShared; ++k) column(k, columns[k]);
    unsigned char* out = task.out + j * To::kBytes;
    for (std::size_t i = 0; i < task.count; ++i, out += task.out_bytes) {
        for (std::size_t k = kShared; k < kSize; ++k) column(i * kStride + k, columns[k]);
        for (std::size_t v = 0; v < kVectors; ++v) {
            F largest = columns[0][v];
            for (std::size_t k = 1; k < kSize; ++k) largest = S::larger(largest, columns[k][v]);
            store_numbers<To>(S::from_order(largest), n, out + v * kSingles * To::kBytes);
            for (std::size_t k = 0; k < kShared; ++k) columns[k][v] = columns[k + kStride][v];
        }
    }
}
template <typename E, typename To, std::size_t kSize, std::size_t kStride>
inline void largest_of_columns(const WindowsOfPixels& task) {
    if (task.channels < kSingles) return largest_of_columns<E, To, kSize, kStride, 1, false>(task, 0);
    std::size_t j = 0;
    const auto so_many = [&](auto vectors) {
        constexpr std::size_t kVectors = decltype(vectors)::kValue;
        for (; j + kVectors * kSingles <= task.channels; j += kVectors * kSingles) {
            largest_of_columns<E, To, kSize, kStride, kVectors, true>(task, j);
        }
    };
    so_many(Constant<std::size_t, 4>());
    so_many(Constant<std::size_t, 2>());
    so_many(Constant<std::size_t, 1>());
    if (j < task.channels) largest_of_columns<E, To, kSize, kStride, 1, true>(task, task.channels - kSingles);
}
template <typename E, typename To>
void largest_of_pixels(const WindowsOfPixels& task) {
    const bool is_two = task.size == 2;
    if (task.stride == 1) return is_two ? largest_of_columns<E, To, 2, 1>(task) : largest_of_columns<E, To, 3, 1>(task);
    return is_two ? largest_of_columns<E, To, 2, 2>(task) : largest_of_columns<E, To, 3, 2>(task);
}
