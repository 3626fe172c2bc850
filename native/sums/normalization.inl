// Deviations normalized, in terms of lanes. Included into a namespace of the target's own, after
// elements.inl.

template <typename To, FactorsOf kFactors, std::size_t kRows>
inline void normalize_together(const double* deviations, std::size_t spacing, std::size_t size,
                               const Normalization& how, unsigned char* out) {
    const V one = L::opaque(L::set(1));
    V inverses[kRows], row_scales[kRows], row_biases[kRows];
    for (std::size_t r = 0; r < kRows; ++r) {
        inverses[r] = L::set(how.inverses[r]);
        row_scales[r] = L::set(kFactors == FactorsOf::kRows ? how.scale[r] : 1);
        row_biases[r] = L::set(kFactors == FactorsOf::kRows ? how.bias[r] : -0.0);
    }
    // A store of bytes could be one to `how`, as far as the compiler knows.
    const double *const scales = how.scale, *const biases = how.bias;
    const std::size_t row_bytes = size * To::kBytes;
    // Lines that are written only are fetched when a store to them is next: that was a fifth of the time
    // on Intel Emerald Rapids.
    constexpr std::size_t kAhead = 256;
    // Every second bias is added by what multiplies, so that both have as much to do. Where less than
    // a vector is left, deviations are whole ones nevertheless.
    const auto write = [&](std::size_t j, V scale, V bias, bool is_second, const auto& store) {
        for (std::size_t r = 0; r < kRows; ++r) {
            V y = L::mul(L::load(deviations + r * spacing + j), inverses[r]);
            if constexpr (kFactors != FactorsOf::kNothing) {
                constexpr bool kOfRows = kFactors == FactorsOf::kRows;
                const V last = kOfRows ? row_biases[r] : bias;
                y = L::mul(y, kOfRows ? row_scales[r] : scale);
                y = is_second ? plus(y, last, one) : L::add(y, last);
            }
            store(out + r * row_bytes + j * To::kBytes, y);
        }
    };
    const auto write_whole = [&](std::size_t j, bool is_second) {
        const auto store = [](unsigned char* at, V y) { To::store(at, y); };
        if constexpr (kFactors == FactorsOf::kElements) {
            write(j, L::load(scales + j), L::load(biases + j), is_second, store);
        } else {
            write(j, one, one, is_second, store);
        }
    };
    if (size < kLanes) {
        const auto part = [&](const double* from) {
            if constexpr (kFactors != FactorsOf::kElements) return one;
            return load_part<Double>(reinterpret_cast<const unsigned char*>(from), size);
        };
        return write(0, part(scales), part(biases), false,
                     [=](unsigned char* at, V y) { store_part<To>(at, y, size); });
    }
    std::size_t j = 0;
    for (; j + 2 * kLanes <= size; j += 2 * kLanes) {
        for (std::size_t r = 0; r < kRows; ++r) {
            S::prefetch(out + r * row_bytes + j * To::kBytes + kAhead);
        }
        write_whole(j, false);
        write_whole(j + kLanes, true);
    }
    for (; j + kLanes <= size; j += kLanes) write_whole(j, false);
    if (j < size) write_whole(size - kLanes, false);  // which overlaps the one before it
}

template <typename To, FactorsOf kFactors>
inline void normalize_rows(const double* deviations, std::size_t spacing, std::size_t rows,
                           std::size_t size, Normalization how, unsigned char* out) {
    const auto next = [&](std::size_t count) {
        deviations += count * spacing;
        how.inverses += count;
        if (kFactors == FactorsOf::kRows) {
            how.scale += count;
            how.bias += count;
        }
        out += count * size * To::kBytes;
        rows -= count;
    };
    // Of one row a compiler makes vectors of its own, where there are none.
    constexpr std::size_t kTogether = kLanes > 1 ? 4 : 1;
    for (; rows >= kTogether; next(kTogether)) {
        normalize_together<To, kFactors, kTogether>(deviations, spacing, size, how, out);
    }
    for (; rows > 0; next(1)) {
        normalize_together<To, kFactors, 1>(deviations, spacing, size, how, out);
    }
}

template <typename To>
void normalize(const double* deviations, std::size_t spacing, std::size_t rows, std::size_t size,
               const Normalization& how, unsigned char* out) {
    switch (how.factors) {
        case FactorsOf::kNothing:
            return normalize_rows<To, FactorsOf::kNothing>(deviations, spacing, rows, size, how, out);
        case FactorsOf::kElements:
            return normalize_rows<To, FactorsOf::kElements>(deviations, spacing, rows, size, how, out);
        default:
            return normalize_rows<To, FactorsOf::kRows>(deviations, spacing, rows, size, how, out);
    }
}
