// Deviations normalized, in terms of lanes. Included into a namespace of the target's own, after
// elements.inl.

template <typename To, bool kScaled, std::size_t kRows>
inline void normalize_together(const double* deviations, std::size_t spacing, std::size_t size,
                               const Normalization& how, unsigned char* out) {
    const V one = L::opaque(L::set(1));
    V inverses[kRows];
    for (std::size_t r = 0; r < kRows; ++r) inverses[r] = L::set(how.inverses[r]);
    // A store of bytes could be one to `how`, as far as the compiler knows.
    const double *const scales = how.scale, *const biases = how.bias;
    const std::size_t row_bytes = size * To::kBytes;
    // Every second bias is added by what multiplies, so that both have as much to do. Where less than
    // a vector is left, deviations are whole ones nevertheless.
    const auto write = [&](std::size_t j, V scale, V bias, bool is_second, const auto& store) {
        for (std::size_t r = 0; r < kRows; ++r) {
            V y = L::mul(L::load(deviations + r * spacing + j), inverses[r]);
            if constexpr (kScaled) {
                y = L::mul(y, scale);
                y = is_second ? plus(y, bias, one) : L::add(y, bias);
            }
            store(out + r * row_bytes + j * To::kBytes, y);
        }
    };
    const auto write_whole = [&](std::size_t j, bool is_second) {
        const auto store = [](unsigned char* at, V y) { To::store(at, y); };
        if constexpr (kScaled) {
            write(j, L::load(scales + j), L::load(biases + j), is_second, store);
        } else {
            write(j, one, one, is_second, store);
        }
    };
    if (size < kLanes) {
        const auto part = [&](const double* from) {
            return kScaled ? load_part<Double>(reinterpret_cast<const unsigned char*>(from), size)
                           : one;
        };
        return write(0, part(scales), part(biases), false,
                     [=](unsigned char* at, V y) { store_part<To>(at, y, size); });
    }
    std::size_t j = 0;
    for (; j + 2 * kLanes <= size; j += 2 * kLanes) {
        write_whole(j, false);
        write_whole(j + kLanes, true);
    }
    for (; j + kLanes <= size; j += kLanes) write_whole(j, false);
    if (j < size) write_whole(size - kLanes, false);  // which overlaps the one before it
}

template <typename To, bool kScaled>
inline void normalize_rows(const double* deviations, std::size_t spacing, std::size_t rows,
                           std::size_t size, Normalization how, unsigned char* out) {
    const auto next = [&](std::size_t count) {
        deviations += count * spacing;
        how.inverses += count;
        out += count * size * To::kBytes;
        rows -= count;
    };
    for (; rows >= kRowsNormalized; next(kRowsNormalized)) {
        normalize_together<To, kScaled, kRowsNormalized>(deviations, spacing, size, how, out);
    }
    for (; rows > 0; next(1)) {
        normalize_together<To, kScaled, 1>(deviations, spacing, size, how, out);
    }
}

template <typename To>
void normalize(const double* deviations, std::size_t spacing, std::size_t rows, std::size_t size,
               const Normalization& how, unsigned char* out) {
    if (how.scale) {
        normalize_rows<To, true>(deviations, spacing, rows, size, how, out);
    } else {
        normalize_rows<To, false>(deviations, spacing, rows, size, how, out);
    }
}
