// The body of the vector kernels, compiled once per target. Before including it, a target defines,
// in its own namespace, `Lanes<kBytes>` for elements of 1, 2, 4 and 8 bytes:
//
//   Vector, kCount, kVectorBytes     the register type, its elements, its bytes
//   set(bits)                        every lane holds the low bits
//   ramp(step)                       lane j holds j * step
//   load, store, store_streaming     unaligned, unaligned, aligned to kVectorBytes
//   add(a, b)
//   carried(hi, hi_step, c, before)  hi + hi_step, plus 1 where c < before as signed numbers
//   even_where_lowest(hi, c)         hi, its lowest bit cleared where c is the lowest signed number
//
// and `fence()`, which makes streaming stores visible in order with later ones. Nothing of the
// standard library's templates is used: such code could be merged with that of another target.

template <int kBytes>
struct ElementOf;
template <>
struct ElementOf<1> {
    using Type = std::uint8_t;
};
template <>
struct ElementOf<2> {
    using Type = std::uint16_t;
};
template <>
struct ElementOf<4> {
    using Type = std::uint32_t;
};
template <>
struct ElementOf<8> {
    using Type = std::uint64_t;
};

template <int kBytes>
void store_element(unsigned char* out, std::uint64_t bits) {
    const auto value = static_cast<typename ElementOf<kBytes>::Type>(bits);
    __builtin_memcpy(out, &value, kBytes);
}

// How many elements lead to the next aligned address: 1 to kCount, kCount also where none does.
template <int kBytes>
std::size_t elements_to_alignment(const unsigned char* out) {
    using L = Lanes<kBytes>;
    const std::size_t past = reinterpret_cast<std::uintptr_t>(out) % L::kVectorBytes;
    return past % kBytes ? L::kCount : (L::kVectorBytes - past) / kBytes;
}

template <int kBytes, bool kStreaming>
void affine_body(unsigned char* out, std::size_t count, std::uint64_t bits, std::uint64_t step) {
    using L = Lanes<kBytes>;
    const auto ramp = L::ramp(step);
    const auto starting_at = [&](std::size_t j) { return L::add(L::set(bits + j * step), ramp); };
    const auto store = [](unsigned char* at, typename L::Vector v) {
        if constexpr (kStreaming) {
            L::store_streaming(at, v);
        } else {
            L::store(at, v);
        }
    };
    // Head: one vector at the very start; the body overlaps it from the first aligned element.
    L::store(out, starting_at(0));
    std::size_t j = elements_to_alignment<kBytes>(out);
    // Body: four vectors a turn, each with a register of its own.
    if (count - j >= 4 * L::kCount) {
        const auto stride = L::set(4 * L::kCount * step);
        auto v0 = starting_at(j), v1 = starting_at(j + L::kCount);
        auto v2 = starting_at(j + 2 * L::kCount), v3 = starting_at(j + 3 * L::kCount);
        do {
            unsigned char* at = out + j * kBytes;
            store(at, v0);
            store(at + L::kVectorBytes, v1);
            store(at + 2 * L::kVectorBytes, v2);
            store(at + 3 * L::kVectorBytes, v3);
            v0 = L::add(v0, stride);
            v1 = L::add(v1, stride);
            v2 = L::add(v2, stride);
            v3 = L::add(v3, stride);
            j += 4 * L::kCount;
        } while (count - j >= 4 * L::kCount);
    }
    for (; count - j >= L::kCount; j += L::kCount) L::store(out + j * kBytes, starting_at(j));
    // Tail: one vector that ends with the last element, over elements that already hold it.
    if (j < count) L::store(out + (count - L::kCount) * kBytes, starting_at(count - L::kCount));
}

template <int kBytes>
void affine(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step, Store store) {
    using L = Lanes<kBytes>;
    auto* bytes = static_cast<unsigned char*>(out);
    if (count < L::kCount) {
        for (std::size_t j = 0; j < count; ++j) {
            store_element<kBytes>(bytes + j * kBytes, bits + j * step);
        }
    } else if (store == Store::kStreaming &&
               reinterpret_cast<std::uintptr_t>(bytes) % kBytes == 0) {
        affine_body<kBytes, true>(bytes, count, bits, step);
        fence();
    } else {
        affine_body<kBytes, false>(bytes, count, bits, step);
    }
}

// A position with a fraction as wide as an element, one half added to it: hi + lo / 2^n. Then hi is
// the rounded position, except that at a tie, where lo is zero, it is the upper neighbour; the even
// one has the lowest bit cleared.
template <int kBytes>
struct Position {
    using Element = typename ElementOf<kBytes>::Type;
    static constexpr Element kHalf = static_cast<Element>(Element{1} << (8 * kBytes - 1));
    Element hi, lo;

    void advance(Element hi_step, Element lo_step) {
        const auto next = static_cast<Element>(lo + lo_step);
        hi = static_cast<Element>(hi + hi_step + (next < lo ? 1 : 0));
        lo = next;
    }
    Element rounded() const { return lo == 0 ? static_cast<Element>(hi & ~Element{1}) : hi; }
};

template <int kBytes, bool kStreaming, bool kTies>
void fraction_body(unsigned char* out, std::size_t count, Position<kBytes> position,
                   Position<kBytes> step) {
    using L = Lanes<kBytes>;
    using Element = typename ElementOf<kBytes>::Type;
    std::size_t j = 0;
    const auto scalar_until = [&](std::size_t end) {
        for (; j < end; ++j) {
            store_element<kBytes>(out + j * kBytes, position.rounded());
            position.advance(step.hi, step.lo);
        }
    };
    // Head: to the first aligned element, if there is one.
    const std::size_t head = elements_to_alignment<kBytes>(out) % L::kCount;
    scalar_until(head < count ? head : count);
    if (count - j >= 2 * L::kCount) {
        // In vectors the fraction is kept as c = lo - 2^(n-1), since AVX2 compares signed numbers
        // alone: a carry shows as a smaller c, a tie as the lowest one.
        Element hi_lanes[2 * L::kCount], c_lanes[2 * L::kCount];
        Position<kBytes> stride{0, 0};
        for (std::size_t lane = 0; lane < 2 * L::kCount; ++lane) {
            hi_lanes[lane] = position.hi;
            c_lanes[lane] = static_cast<Element>(position.lo - position.kHalf);
            position.advance(step.hi, step.lo);
            stride.advance(step.hi, step.lo);
        }
        auto hi0 = L::load(hi_lanes), c0 = L::load(c_lanes);
        auto hi1 = L::load(hi_lanes + L::kCount), c1 = L::load(c_lanes + L::kCount);
        const auto hi_stride = L::set(stride.hi), lo_stride = L::set(stride.lo);
        const auto store = [](unsigned char* at, typename L::Vector v) {
            if constexpr (kStreaming) {
                L::store_streaming(at, v);
            } else {
                L::store(at, v);
            }
        };
        const auto rounded = [](typename L::Vector hi, typename L::Vector c) {
            if constexpr (kTies) {
                return L::even_where_lowest(hi, c);
            } else {
                return hi;
            }
        };
        // Body: two vectors a turn, so that neither waits for its own carry.
        for (; count - j >= 2 * L::kCount; j += 2 * L::kCount) {
            store(out + j * kBytes, rounded(hi0, c0));
            store(out + j * kBytes + L::kVectorBytes, rounded(hi1, c1));
            const auto next0 = L::add(c0, lo_stride), next1 = L::add(c1, lo_stride);
            hi0 = L::carried(hi0, hi_stride, next0, c0);
            hi1 = L::carried(hi1, hi_stride, next1, c1);
            c0 = next0;
            c1 = next1;
        }
        // The position is recovered from the first lane.
        L::store(reinterpret_cast<unsigned char*>(hi_lanes), hi0);
        L::store(reinterpret_cast<unsigned char*>(c_lanes), c0);
        position = {hi_lanes[0], static_cast<Element>(c_lanes[0] + position.kHalf)};
    }
    // Tail.
    scalar_until(count);
}

// Where ties are: at elements first, first + period, ... if there are any.
struct Ties {
    bool any;
    std::uint64_t first, period;
};

// Solves lo + j * step = 0 modulo 2^n, where step = odd * 2^zeros: there is a solution if lo is a
// multiple of 2^zeros, and then one in every 2^(n - zeros) elements.
template <int kBytes>
Ties find_ties(std::uint64_t lo, std::uint64_t step) {
    constexpr int kBits = 8 * kBytes;
    if (step == 0) return {lo == 0, 0, 1};
    const int zeros = __builtin_ctzll(step);
    if (lo & ((std::uint64_t{1} << zeros) - 1)) return {false, 0, 1};
    const std::uint64_t odd = step >> zeros;
    std::uint64_t inverse = odd;  // right in 3 bits, and in twice as many after each turn
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
    const int period_bits = kBits - zeros;
    if (period_bits == 64) return {true, (0 - lo) * inverse, 0};
    const std::uint64_t period = std::uint64_t{1} << period_bits;
    return {true, ((0 - (lo >> zeros)) * inverse) & (period - 1), period};
}

// Rarer ties than this are mended one by one afterwards, which leaves vectors of four operations.
constexpr std::uint64_t kRarePeriod = 64;

template <int kBytes>
void fraction(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step,
              std::uint64_t low, std::uint64_t low_step, Store store) {
    using Element = typename ElementOf<kBytes>::Type;
    auto* bytes = static_cast<unsigned char*>(out);
    const auto highest = [](std::uint64_t f) {
        return static_cast<Element>(f >> (64 - 8 * kBytes));
    };
    Position<kBytes> position{static_cast<Element>(bits), highest(low)};
    position.advance(0, position.kHalf);
    const Position<kBytes> advance{static_cast<Element>(step), highest(low_step)};
    if (store == Store::kStreaming && reinterpret_cast<std::uintptr_t>(bytes) % kBytes == 0) {
        // What went past the cache is not read again.
        fraction_body<kBytes, true, true>(bytes, count, position, advance);
        fence();
        return;
    }
    const Ties ties = find_ties<kBytes>(position.lo, advance.lo);
    if (ties.any && ties.period != 0 && ties.period < kRarePeriod) {
        fraction_body<kBytes, false, true>(bytes, count, position, advance);
        return;
    }
    fraction_body<kBytes, false, false>(bytes, count, position, advance);
    if (!ties.any) return;
    for (std::uint64_t j = ties.first; j < count; j += ties.period) {
        Element value;
        __builtin_memcpy(&value, bytes + j * kBytes, kBytes);
        store_element<kBytes>(bytes + j * kBytes, value & ~std::uint64_t{1});
        if (ties.period == 0) return;  // 2^64: there is one
    }
}

constexpr Target table(const char* name) {
    return {name,
            {affine<1>, affine<2>, affine<4>, affine<8>},
            {fraction<1>, fraction<2>, fraction<4>, fraction<8>}};
}
