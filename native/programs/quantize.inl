// Numbers to integers of 8 bits, vector by vector. Included by bodies.inl.

// Halfway cases go to the even number. Where a sum is not exact, it is far beyond the limits.
template <typename To>
inline To quantized_one(float x, float zero) {
    constexpr float kMost = std::numeric_limits<To>::max(), kLeast = std::numeric_limits<To>::min();
    const float whole = nearbyintf(x);
    const float moved = (whole == whole ? whole : 0.0f) + zero;
    const float limited = moved < kMost ? moved : kMost;
    return static_cast<To>(static_cast<std::int32_t>(limited > kLeast ? limited : kLeast));
}

// Vectors quantized; in FLOAT32, without a -0.
inline Integers::Vector quantized_whole(F32::Vector x, F32::Vector zero, F32::Vector least) {
    const F32::Vector most = F32::add(least, F32::set(255.0f));
    x = nearest_whole(x);
    x = F32::add(F32::if_at_most(x, x, x, F32::zero()), zero);
    return Integers::whole(more_of(less_of(x, most), least));
}
inline F32::Vector quantized(F32::Vector x, F32::Vector zero, F32::Vector least) {
    return Integers::floats(quantized_whole(x, zero, least));
}

// A source of a kernel: one element for all, or one for each.
template <typename Element>
struct Source {
    const Element* at;
    Element one;

    Source(const void* const* sources, unsigned repeated, unsigned number)
        : at(static_cast<const Element*>(sources[number])), one(at ? *at : 0) {
        if (repeated >> number & 1) at = nullptr;
    }
    Element operator[](std::size_t j) const { return at ? at[j] : one; }
};
inline F32::Vector vector_of(const Source<float>& x, std::size_t j) {
    return x.at ? F32::load(x.at + j) : F32::set(x.one);
}
inline Integers::Vector vector_of(const Source<std::int32_t>& x, std::size_t j) {
    return x.at ? Integers::load(x.at + j) : Integers::set(x.one);
}

// to[j] = vector(j), or one(j), quantized. The last vector writes some again.
template <typename To, typename Vector, typename One>
inline void quantize_all(const Source<float>& zero, std::size_t count, To* to, const Vector& vector,
                         const One& one) {
    const F32::Vector least = F32::set(std::numeric_limits<To>::min());
    const auto write = [&](std::size_t j) {
        Integers::store(quantized_whole(vector(j), vector_of(zero, j), least), to + j);
    };
    std::size_t j = 0;
    for (; j + F32::kCount <= count; j += F32::kCount) write(j);
    if (j == count) return;
    if (count > F32::kCount) return write(count - F32::kCount);
    for (; j < count; ++j) to[j] = quantized_one<To>(one(j), zero[j]);
}

template <typename To>
void quantize(const void* const* sources, unsigned repeated, void* out, std::size_t count) {
    const Source<float> x(sources, repeated, 0), zero(sources, repeated, 1);
    quantize_all(zero, count, static_cast<To*>(out),
                 [&](std::size_t j) { return vector_of(x, j); }, [&](std::size_t j) { return x[j]; });
}

// Add, convert, multiply and quantize at once; each is rounded as it is alone.
template <typename To>
void requantize(const void* const* sources, unsigned repeated, void* out, std::size_t count) {
    const Source<std::int32_t> x(sources, repeated, 0), more(sources, repeated, 3);  // 0 if there is none
    const Source<float> factor(sources, repeated, 1), zero(sources, repeated, 2);
    quantize_all(
        zero, count, static_cast<To*>(out),
        [&](std::size_t j) {
            const Integers::Vector sum = Integers::add(vector_of(x, j), vector_of(more, j));
            return F32::mul(Integers::floats(sum), vector_of(factor, j));
        },
        [&](std::size_t j) {
            return static_cast<float>(Add::of<std::int32_t>(x[j], more[j])) * factor[j];
        });
}
