// The body of the vector kernels, compiled once per target. Before including it, a target defines,
// in its own namespace, `Lanes<kBytes>` for elements of 1, 2, 4 and 8 bytes:
//
//   Vector, kCount, kVectorBytes     the register type, its elements, its bytes
//   set(bits)                        every lane holds the low bits
//   ramp(step)                       lane j holds j * step
//   load, store, store_streaming     unaligned, unaligned, aligned to kVectorBytes
//   add(a, b)
//
// with lanes of 2, 4 and 8 bytes, which hold two elements each in the end,
//
//   shift_right(v, n)                unsigned
//   low_bit(v)                       v modulo 2
//   merged(even, odd)                as elements: the low halves of `even`, the high ones of `odd`
//
// with lanes of 8 bytes
//
//   carried(hi, hi_step, c, before)  hi + hi_step, plus 1 where c < before as signed numbers
//   even_where_lowest(hi, c)         hi, its lowest bit cleared where c is the lowest signed number
//
// and `fence()`, which makes streaming stores visible in order with later ones. Nothing is used
// that is compiled elsewhere too, such as the standard library's templates or functions of our
// headers: the linker keeps one copy, and it could be the one of another target.

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
    std::memcpy(out, &value, kBytes);
}

// How many elements lead to the next aligned address: 1 to kCount, kCount also where none does.
template <int kBytes>
std::size_t elements_to_alignment(const unsigned char* out) {
    using L = Lanes<kBytes>;
    const std::size_t past = reinterpret_cast<std::uintptr_t>(out) % L::kVectorBytes;
    return past % kBytes ? L::kCount : (L::kVectorBytes - past) / kBytes;
}

// A row is a rule for elements. It has kTurn, element(j), and, in vectors of kCount elements:
// at(j), the state at element j; next(state), the state kTurn vectors on; value(state).

// Element j = bits + j * step.
template <int kBytes>
class AffineRow {
    using L = Lanes<kBytes>;

  public:
    using State = typename L::Vector;
    static constexpr std::size_t kTurn = 4;

    AffineRow(std::uint64_t bits, std::uint64_t step)
        : bits_(bits), step_(step), ramp_(L::ramp(step)), stride_(L::set(kTurn * L::kCount * step)) {}

    std::uint64_t element(std::size_t j) const { return bits_ + j * step_; }
    State at(std::size_t j) const { return L::add(L::set(bits_ + j * step_), ramp_); }
    State next(State v) const { return L::add(v, stride_); }
    typename L::Vector value(State v) const { return v; }

  private:
    std::uint64_t bits_, step_;
    State ramp_, stride_;
};

// Fixed point in lanes of twice the elements' width; even elements are in one vector, odd ones in
// another. A half is added at the start. If kTies, one less: where a sum is odd, one more is added
// before it is cut, so that ties go to the even neighbour. Else they go up.
// If kLong, the fraction is wider than an element, and a base is added.
template <int kBytes, bool kLong, bool kTies>
class FractionRow {
    using L = Lanes<kBytes>;
    using W = Lanes<2 * kBytes>;
    using Lane = typename ElementOf<2 * kBytes>::Type;
    static constexpr int kElementBits = 8 * kBytes;

  public:
    struct State {
        typename W::Vector even, odd;
    };
    static constexpr std::size_t kTurn = 4;

    explicit FractionRow(const FixedPoint& course)
        : position_(course.position.low + (std::uint64_t{1} << (course.fraction_bits - 1)) -
                    (kTies ? 1 : 0)),
          step_(course.step.low),
          base_bits_(course.base),
          shift_(kLong ? course.fraction_bits : kElementBits),
          one_(W::set(step_)),
          ramp_(W::ramp(2 * step_)),
          stride_(W::set(kTurn * L::kCount * step_)),
          base_(L::set(base_bits_)) {}

    std::uint64_t element(std::size_t j) const {
        auto position = static_cast<Lane>(position_ + j * step_);
        if (kTies) position = static_cast<Lane>(position + (position >> shift_ & 1));
        return base_bits_ + (position >> shift_);
    }
    State at(std::size_t j) const {
        const auto even = W::add(W::set(position_ + j * step_), ramp_);
        return {even, W::add(even, one_)};
    }
    State next(State s) const { return {W::add(s.even, stride_), W::add(s.odd, stride_)}; }
    typename L::Vector value(State s) const {
        const auto even = W::shift_right(rounded(s.even), shift_);
        const auto odd = rounded(s.odd);
        if constexpr (kLong) {
            return L::add(base_, W::merged(even, W::shift_right(odd, shift_ - kElementBits)));
        } else {
            return W::merged(even, odd);
        }
    }

  private:
    typename W::Vector rounded(typename W::Vector v) const {
        if constexpr (kTies) {
            return W::add(v, W::low_bit(W::shift_right(v, shift_)));
        } else {
            return v;
        }
    }

    std::uint64_t position_, step_, base_bits_;
    int shift_;
    typename W::Vector one_, ramp_, stride_;
    typename L::Vector base_;
};

// The same for elements of 64 bits, for which there are no wider lanes: whole numbers in one
// vector, fractions in another. The fraction is kept as c = fraction - 2^63, since AVX2 compares
// signed numbers alone: a carry shows as a smaller c, a tie as the lowest one.
template <bool kTies>
class WordRow {
    using L = Lanes<8>;
    using V = typename L::Vector;

  public:
    struct State {
        V hi, c;
    };
    static constexpr std::size_t kTurn = 4;

    explicit WordRow(const FixedPoint& course)
        : position_(added(pair(course.position), {0, kHalf})), step_(pair(course.step)) {
        const Pair stride = after(Pair{0, 0}, kTurn * L::kCount);
        hi_stride_ = L::set(stride.whole);
        c_stride_ = L::set(stride.fraction);
        std::uint64_t hi[L::kCount], c[L::kCount];
        Pair lane{0, 0};
        for (std::size_t j = 0; j < L::kCount; ++j, lane = added(lane, step_)) {
            hi[j] = lane.whole;
            c[j] = lane.fraction;
        }
        hi_ramp_ = L::load(hi);
        c_ramp_ = L::load(c);
    }

    std::uint64_t element(std::size_t j) const {
        const Pair position = after(position_, j);
        const std::uint64_t whole = position.whole;
        const bool tie = kTies && position.fraction == 0;
        return tie ? whole & ~std::uint64_t{1} : whole;
    }
    State at(std::size_t j) const {
        const Pair position = after(position_, j);
        return sum({L::set(position.whole), L::set(position.fraction - kHalf)}, hi_ramp_, c_ramp_);
    }
    State next(State s) const { return sum(s, hi_stride_, c_stride_); }
    V value(State s) const {
        if constexpr (kTies) {
            return L::even_where_lowest(s.hi, s.c);
        } else {
            return s.hi;
        }
    }

  private:
    static constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

    // U128 without its functions, which are compiled elsewhere too.
    struct Pair {
        std::uint64_t whole, fraction;
    };
    static Pair pair(U128 number) { return {number.high, number.low}; }
    static Pair added(Pair a, Pair b) {
        const std::uint64_t fraction = a.fraction + b.fraction;
        return {a.whole + b.whole + (fraction < a.fraction ? 1 : 0), fraction};
    }
    // `from` and `j` steps.
    Pair after(Pair from, std::uint64_t j) const {
        return added(from, {step_.whole * j + multiply_high(step_.fraction, j), step_.fraction * j});
    }

    static State sum(State s, V hi, V c) {
        const V next = L::add(s.c, c);
        return {L::carried(s.hi, hi, next, s.c), next};
    }

    Pair position_, step_;
    V hi_stride_, c_stride_, hi_ramp_, c_ramp_;
};

template <int kBytes, bool kStreaming, typename Row>
void fill_row(unsigned char* out, std::size_t count, const Row row) {
    using L = Lanes<kBytes>;
    if (count < L::kCount) {
        for (std::size_t j = 0; j < count; ++j) {
            store_element<kBytes>(out + j * kBytes, row.element(j));
        }
        return;
    }
    const auto vector_at = [&](std::size_t j) { return row.value(row.at(j)); };
    const auto store = [](unsigned char* at, typename L::Vector v) {
        if constexpr (kStreaming) {
            L::store_streaming(at, v);
        } else {
            L::store(at, v);
        }
    };
    // Head: one vector at the very start; the body overlaps it from the first aligned element.
    L::store(out, vector_at(0));
    std::size_t j = elements_to_alignment<kBytes>(out);
    // Body: some vectors a turn, each with registers of its own.
    constexpr std::size_t kTurn = Row::kTurn;
    if (count - j >= kTurn * L::kCount) {
        typename Row::State states[kTurn];
        for (std::size_t k = 0; k < kTurn; ++k) states[k] = row.at(j + k * L::kCount);
        do {
            unsigned char* at = out + j * kBytes;
            for (std::size_t k = 0; k < kTurn; ++k) {
                store(at + k * L::kVectorBytes, row.value(states[k]));
                states[k] = row.next(states[k]);
            }
            j += kTurn * L::kCount;
        } while (count - j >= kTurn * L::kCount);
    }
    for (; count - j >= L::kCount; j += L::kCount) L::store(out + j * kBytes, vector_at(j));
    // Tail: one vector that ends with the last element, over elements that already hold it.
    if (j < count) L::store(out + (count - L::kCount) * kBytes, vector_at(count - L::kCount));
}

// Streaming stores need aligned addresses, which elements at odd ones never lead to.
template <int kBytes>
bool can_stream(const void* out, Store store) {
    return store == Store::kStreaming && reinterpret_cast<std::uintptr_t>(out) % kBytes == 0;
}

template <int kBytes>
void affine(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step, Store store) {
    auto* bytes = static_cast<unsigned char*>(out);
    const AffineRow<kBytes> row(bits, step);
    if (can_stream<kBytes>(out, store)) {
        fill_row<kBytes, true>(bytes, count, row);
        fence();
    } else {
        fill_row<kBytes, false>(bytes, count, row);
    }
}

// Where ties are: at elements first, first + period, ... if there are any.
struct Ties {
    bool any;
    std::uint64_t first, period;  // 0 stands for a period of 2^64
};

// Ties are where position + j * step = 2^(n-1) modulo 2^n, for n bits of fraction. With
// step = odd * 2^zeros and the rest of the equation a multiple of 2^zeros, there is one in every
// 2^(n - zeros) elements; otherwise there is none.
Ties find_ties(const FixedPoint& course) {
    const int n = course.fraction_bits;
    const std::uint64_t modulus_mask = ~std::uint64_t{0} >> (64 - n);
    const std::uint64_t step = course.step.low & modulus_mask;
    const std::uint64_t to_tie =
        ((std::uint64_t{1} << (n - 1)) - course.position.low) & modulus_mask;
    if (step == 0) return {to_tie == 0, 0, 1};
    const int zeros = count_trailing_zeros(step);
    if (to_tie & ((std::uint64_t{1} << zeros) - 1)) return {false, 0, 1};
    const std::uint64_t odd = step >> zeros;
    // Right in 5 bits, and in twice as many after each turn.
    std::uint64_t inverse = (3 * odd) ^ 2;
    for (int bits = 5; bits < n - zeros; bits *= 2) inverse *= 2 - odd * inverse;
    const std::uint64_t period = n - zeros == 64 ? 0 : std::uint64_t{1} << (n - zeros);
    return {true, ((to_tie >> zeros) * inverse) & (period - 1), period};
}

// Rarer ties than this are mended one by one afterwards: a quarter of the operations of a vector
// that looks for them. In short rows it takes longer to find them than to look.
constexpr std::uint64_t kRarePeriod = 32;
constexpr std::size_t kShortRowBytes = 512;

template <int kBytes, typename TiesUp, typename TiesToEven>
void fraction_by(void* out, std::size_t count, const FixedPoint& course, Store store) {
    auto* bytes = static_cast<unsigned char*>(out);
    if (can_stream<kBytes>(out, store)) {
        // What went past the cache is not read again.
        fill_row<kBytes, true>(bytes, count, TiesToEven(course));
        fence();
        return;
    }
    const bool is_short = count * kBytes < kShortRowBytes;
    const Ties ties = is_short ? Ties{true, 0, 1} : find_ties(course);
    if (ties.any && ties.period != 0 && ties.period < kRarePeriod) {
        fill_row<kBytes, false>(bytes, count, TiesToEven(course));
        return;
    }
    fill_row<kBytes, false>(bytes, count, TiesUp(course));
    if (!ties.any) return;
    for (std::uint64_t j = ties.first; j < count; j += ties.period) {
        // Of two neighbours the even one has the lowest bit cleared.
        typename ElementOf<kBytes>::Type upper;
        std::memcpy(&upper, bytes + j * kBytes, kBytes);
        store_element<kBytes>(bytes + j * kBytes, upper & ~std::uint64_t{1});
        if (ties.period == 0) return;
    }
}

template <int kBytes>
void fraction(void* out, std::size_t count, const FixedPoint& course, Store store) {
    if constexpr (kBytes == 8) {
        fraction_by<8, WordRow<false>, WordRow<true>>(out, count, course, store);
    } else if (course.fraction_bits == 8 * kBytes) {
        fraction_by<kBytes, FractionRow<kBytes, false, false>, FractionRow<kBytes, false, true>>(
            out, count, course, store);
    } else {
        fraction_by<kBytes, FractionRow<kBytes, true, false>, FractionRow<kBytes, true, true>>(
            out, count, course, store);
    }
}

constexpr Target table(const char* name) {
    return {name,
            {affine<1>, affine<2>, affine<4>, affine<8>},
            {fraction<1>, fraction<2>, fraction<4>, fraction<8>}};
}
