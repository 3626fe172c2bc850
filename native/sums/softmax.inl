// Softmax in terms of lanes: what is left of the largest of a row, and powers of e. Included by
// bodies.inl.

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
