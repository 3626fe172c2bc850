// Resampling in terms of lanes. Included by bodies.inl.

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
