// Functions in FLOAT32 lanes, correctly rounded where that can be told: a result is a sum high + low,
// right to a known part of it, and where both ends of what it may be round to the same number, that is
// the result. Included after powers.inl, as that is.
//
// Sums of a larger and a smaller number lose nothing that is not brought back: with h = a + b and
// l = b - (h - a), h + l is a + b exactly. Errors below are relative, in 2^-37.

template <typename S>
struct Sum {
    typename S::Vector high, low;
};

// e^t for |t| up to 64, or up to 22.5 less: the margins of a power are 22 T, and T is at most 1.022 e^t.
template <typename S>
inline Sum<S> power_sum(typename S::Vector t) {
    const Power<S> p = power_of_e<S>(t);
    const typename S::Vector high = S::add(p.high, p.low);
    return {high, S::sub(p.low, S::sub(high, p.high))};
}

// n / d: what the quotient leaves over is exact but for 2^-24 of it.
template <typename S>
inline Sum<S> quotient(Sum<S> n, Sum<S> d) {
    const auto inverse = S::near_inverse(d.high);
    const auto high = S::mul(n.high, inverse);
    const auto rest = S::add(S::submul(high, d.high, n.high), n.low);
    return {high, S::mul(S::submul(high, d.low, rest), inverse)};
}

// 1 + x, x from 0 to 1
template <typename S>
inline Sum<S> after_one(Sum<S> x) {
    const auto high = S::add(S::set(1), x.high);
    return {high, S::add(S::sub(x.high, S::sub(high, S::set(1))), x.low)};
}

// The numbers next to both ends of what a result may be: it is neither of them only where they differ.
// NaN, which is unequal to itself, where FLOAT32 lanes say nothing.
template <typename S>
struct Ends {
    typename S::Vector upper, lower;
};

// A result is a sum, or up to `margin` less, but for what quotients round, below 0.1.
template <typename S>
inline Ends<S> ends_below(Sum<S> sum, float margin) {
    return {S::add(sum.high, S::fma(sum.high, S::set(0x1p-38f), sum.low)),
            S::add(sum.high, S::fma(sum.high, S::set(-margin), sum.low))};
}

template <typename S>
inline Ends<S> with_sign_of(Ends<S> ends, typename S::Vector x) {
    return {S::with_sign(ends.upper, x), S::with_sign(ends.lower, x)};
}

// The largest magnitude whose power is taken.
constexpr float kMostMagnitude = 60;

// e^x; beyond the largest magnitude it is 0 or infinite in FLOAT16, which alone this is for.
struct ExpInPairs {
    static constexpr bool kInPieces = false;
    template <typename S>
    static constexpr std::size_t kPrepared = 0;

    template <typename S>
    static Ends<S> evaluate(typename S::Vector x, const float*) {
        const auto near = S::at_most(S::at_least(x, -kMostMagnitude), kMostMagnitude);
        const Sum<S> power = power_sum<S>(near);
        const auto y = S::add(power.high, power.low);
        return {y, y};
    }
};

// 1 / (1 + E) = near (1 + more), E = e^-x, for T from 2^-87 to 2^126: 1 + T loses nothing that is not brought
// back, by the greater of the two. Of an error of E, E / (1 + E) = s counts: of the 10.5 of a power all but the last 2, and 1.9 for
// `lost`, which is about -T q. What is added to the power's offsets covers that, but for what comes after:
// 1 - near d, below 2^-14, and `rest`, `more` and its ends, below 2^-13.9, round 1.8 together. So the inverse
// lies from `more` less 21.5 s + 1.8 to `more` and 1.8.
template <typename S>
struct Inverse {
    typename S::Vector near, more;
};
// T, -r and q of E: found of x, given, or loaded from where they were stored.
template <typename S>
struct NegativePower {
    static constexpr std::size_t kStored = 3 * S::kCount;
    typename S::Vector power[1], minus_r[1], q[1];

    explicit NegativePower(typename S::Vector x) {
        const typename S::Vector only[1] = {x};
        parts_of_powers<S, true>(only, power, minus_r, q);
    }
    NegativePower(typename S::Vector t, typename S::Vector less_r, typename S::Vector rest)
        : power{t}, minus_r{less_r}, q{rest} {}
    explicit NegativePower(const float* stored)
        : power{S::load(stored)}, minus_r{S::load(stored + S::kCount)}, q{S::load(stored + 2 * S::kCount)} {}

    void store(float* to) const {
        S::store(to, power[0]);
        S::store(to + S::kCount, minus_r[0]);
        S::store(to + 2 * S::kCount, q[0]);
    }
};
template <typename S>
inline Inverse<S> inverse_of_one_and(const NegativePower<S>& e) {
    using F = typename S::Vector;
    const F one = S::set(1), t = e.power[0];
    const F whole = S::add(t, one);
    const F whole_lost = S::sub(S::at_most(t, 1), S::sub(whole, S::at_least(t, 1)));
    const F d = S::fma(t, S::sub(e.q[0], e.minus_r[0]), whole);
    const F lost = S::submul(t, e.minus_r[0], S::sub(whole, d));
    const F low = S::add(S::fma(t, e.q[0], lost), whole_lost);
    const F near = S::about_inverse(d);
    const F rest = S::submul(near, low, S::submul(near, d, one));
    return {near, S::fma(rest, rest, rest)};
}

// Where E would be too small the result is 1 already; where the result would be subnormal, the lane is open.
struct SigmoidInPairs {
    static constexpr bool kInPieces = false;
    static constexpr float kLeast = -87;
    static constexpr float kAbove = 0x1p-36f, kBelow = 0x1.8p-33f;  // 2, 24

    template <typename S>
    static constexpr std::size_t kPrepared = S::kSideBySide ? 0 : NegativePower<S>::kStored;
    template <typename S>
    static void prepare(typename S::Vector x, float* to) {
        power_of<S>(x).store(to);
    }

    template <typename S>
    static Ends<S> evaluate(typename S::Vector x, [[maybe_unused]] const float* prepared) {
        if constexpr (kPrepared<S> != 0) {
            return ends_of<S>(x, NegativePower<S>(prepared));
        } else {
            return ends_of<S>(x, power_of<S>(x));
        }
    }

    // Of that by its power, which is that of x, but of kMostMagnitude at most.
    template <typename S>
    static Ends<S> ends_of(typename S::Vector x, const NegativePower<S>& e) {
        using F = typename S::Vector;
        const Inverse<S> i = inverse_of_one_and(e);
        const F above = S::where_less(x, S::set(kLeast), S::all_bits(), S::set(kAbove));
        return {S::fma(i.near, S::add(i.more, above), i.near),
                S::fma(i.near, S::sub(i.more, S::set(kBelow)), i.near)};
    }

  private:
    template <typename S>
    static NegativePower<S> power_of(typename S::Vector x) {
        return NegativePower<S>(S::at_most(x, kMostMagnitude));
    }
};

// (1 - E) / (1 + E), E = e^-2|x|, from 1/4 on: there an error of E counts 1.92 times. Nearer to 0 it is
// x + x (w (-1/3 + v)), w = x^2 and v = w p(w) + what 1/3 lacks. v, below 2^-6.9, is off by 2^-30 and
// w v, below 2^-10.9, by 2^-34 of x, 8; its rounding, and that of its product with x, are 4 each, and
// the polynomial 4: these are 20, to either side, and 21 are added.
struct TanhInPairs {
    static constexpr bool kInPieces = false;
    static constexpr float kMargin = 0x1.6p-32f, kToOneSide = 0x1.5p-33f;  // 44, 21

    template <typename S>
    static constexpr std::size_t kPrepared = S::kSideBySide ? 0 : 2 * S::kCount;
    template <typename S>
    static void prepare(typename S::Vector x, float* to) {
        const Sum<S> e = power_of<S>(magnitude_of<S>(x));
        S::store(to, e.high);
        S::store(to + S::kCount, e.low);
    }

    template <typename S>
    static Ends<S> evaluate(typename S::Vector x, [[maybe_unused]] const float* prepared) {
        using F = typename S::Vector;
        const F a = magnitude_of<S>(x);
        Sum<S> e;
        if constexpr (kPrepared<S> != 0) {
            e = {S::load(prepared), S::load(prepared + S::kCount)};
        } else {
            e = power_of<S>(a);
        }
        const F less = S::sub(S::set(1), e.high);
        const Sum<S> n{less, S::sub(S::sub(S::sub(S::set(1), less), e.high), e.low)};
        const Sum<S> far = quotient<S>(n, after_one<S>(e));

        constexpr float kThird = 0x1.555556p-2f, kLacks = 0x1.555556p-27f;  // 1/3 = kThird - kLacks
        const F w = S::mul(a, a);
        F p = S::set(functions::kTanhNear[3]);
        for (int k = 2; k >= 0; --k) p = S::fma(p, w, S::set(functions::kTanhNear[k]));
        const F v = S::fma(w, p, S::set(kLacks));
        const F high = S::mul(w, S::set(-kThird));
        const F lost = S::fma(S::mulsub(a, a, w), S::set(-kThird),
                              S::mulsub(w, S::set(-kThird), high));
        const F low = S::add(S::fma(w, v, lost), S::set(kToOneSide));
        const F near = S::fma(a, high, a);
        const F near_lost = S::fma(a, high, S::sub(a, near));

        const F quarter = S::set(0.25f);
        const Sum<S> sum{S::where_less(a, quarter, near, far.high),
                         S::where_less(a, quarter, S::fma(a, low, near_lost), far.low)};
        return with_sign_of<S>(ends_below<S>(sum, kMargin), x);
    }

  private:
    template <typename S>
    static typename S::Vector magnitude_of(typename S::Vector x) {  // a NaN stays, and is open
        return S::at_most(S::magnitude(x), kMostMagnitude / 2);
    }
    template <typename S>
    static Sum<S> power_of(typename S::Vector magnitude) {
        return power_sum<S>(S::mul(magnitude, S::set(-2)));
    }
};

// ---- In pieces ----------------------------------------------------------------------------------
//
// A number is a multiple of a width and d, exactly, and a table has a polynomial in d for each: its first
// coefficients are sums, and so are the last steps.
constexpr std::size_t kCoefficients = 11;
using PieceTable = float[kCoefficients][32];

// The same, the coefficients of a piece side by side.
struct PieceRows {
    alignas(64) float of[32][16];

    constexpr explicit PieceRows(const PieceTable& table) : of{} {
        for (std::size_t k = 0; k < kCoefficients; ++k) {
            for (std::size_t piece = 0; piece < 32; ++piece) of[piece][k] = table[k][piece];
        }
    }
};

struct ErfTable {
    static constexpr float kPerUnit = 8, kWidth = 0.125f, kFurthest = 3.93f;  // beyond, erf is 1
    static constexpr const PieceTable& kTable = functions::kErfPieces;
    static constexpr PieceRows kRows{functions::kErfPieces};
};
struct TailTable {
    static constexpr float kPerUnit = 0x1.555556p2f, kWidth = 0.1875f, kFurthest = 5.9f;
    static constexpr const PieceTable& kTable = functions::kTailPieces;
    static constexpr PieceRows kRows{functions::kTailPieces};
};

// 0 <= a < 31.5 widths, or any number comes out.
template <typename S, typename Table>
class Piece {
  public:
    // What is stored of each vector, and loaded again.
    static constexpr std::size_t kPrepared = S::kPicksOf32 ? 0 : S::kCount;
    static void prepare(typename S::Vector a, float* to) { S::store(to, S::row_of_pieces(shifted(a))); }

    Piece(typename S::Vector a, [[maybe_unused]] const float* prepared) {
        shifted_ = shifted(a);
        d_ = S::submul(S::sub(shifted_, S::set(kRounder)), S::set(Table::kWidth), a);
        if constexpr (kPrepared != 0) S::load_pieces(Table::kRows.of[0], prepared, loaded_);
    }

    // From the last coefficient to the third, which is the first sum, what is less is rounded at each step.
    Sum<S> sum() const {
        typename S::Vector rest = coefficient(kCoefficients - 1);
        for (std::size_t k = kCoefficients - 2; k >= 5; --k) rest = S::fma(rest, d_, coefficient(k));
        const auto first = coefficient(4), both = S::add(first, rest);
        const Sum<S> third{both, S::add(S::sub(first, both), rest)};
        return next(next(third, coefficient(2), coefficient(3)), coefficient(0), coefficient(1));
    }

  private:
    static constexpr float kRounder = 0x1.8p23f;

    static typename S::Vector shifted(typename S::Vector a) {
        return S::fma(a, S::set(Table::kPerUnit), S::set(kRounder));
    }

    typename S::Vector coefficient(std::size_t k) const {
        if constexpr (S::kPicksOf32) {
            return S::pick_of_32(Table::kTable[k], shifted_);
        } else {
            return loaded_[k];
        }
    }

    // high + low + d sum, where high is 0 or at least half of what comes out and at most twice that: so
    // nothing is lost of what is left beside it.
    Sum<S> next(Sum<S> sum, typename S::Vector high, typename S::Vector low) const {
        const auto both = S::fma(sum.high, d_, high);
        const auto lost = S::fma(sum.high, d_, S::sub(high, both));
        return {both, S::add(S::fma(sum.low, d_, lost), low)};
    }

    typename S::Vector shifted_, d_;
    typename S::Vector loaded_[S::kPicksOf32 ? 1 : 12];
};

// What of x is below it is too small for products without loss; 0 is not.
constexpr float kLeastMagnitude = 0x1p-90f;

template <typename S>
inline typename S::Vector open_where_small(typename S::Vector magnitude, typename S::Vector y) {
    const auto less = S::add_bits(magnitude, S::all_bits());  // the bits less 1: of 0, a NaN
    return S::where_less(less, S::set(kLeastMagnitude), S::all_bits(), y);
}

// What functions of a table have in common: they are of |x|, no further than it goes.
template <typename Table>
struct InPieces {
    static constexpr bool kInPieces = true;

    template <typename S>
    static typename S::Vector near(typename S::Vector x) {
        return S::at_most(S::magnitude(x), Table::kFurthest);
    }
    template <typename S>
    static constexpr std::size_t kPrepared = Piece<S, Table>::kPrepared;
    template <typename S>
    static void prepare(typename S::Vector x, float* to) {
        Piece<S, Table>::prepare(near<S>(x), to);
    }
};

// The sum, without its margin, was off by 2^-32.8 at most.
struct ErfInPairs : InPieces<ErfTable> {
    static constexpr float kMargin = 0x1.7p-33f;

    template <typename S>
    static Ends<S> evaluate(typename S::Vector x, const float* prepared) {
        using F = typename S::Vector;
        const Sum<S> sum = Piece<S, ErfTable>(near<S>(x), prepared).sum();
        const F upper = S::add(sum.high, S::fma(sum.high, S::set(kMargin), sum.low));
        const F lower = S::add(sum.high, S::fma(sum.high, S::set(-kMargin), sum.low));
        return with_sign_of<S>({open_where_small<S>(S::magnitude(x), upper), lower}, x);
    }
};

// x less x times the normal distribution beyond it; below 0, only the product, of |x|.
struct GeluInPairs : InPieces<TailTable> {
    static constexpr float kMargin = 0x1.6p-34f, kGrowth = 0x1.8p-19f;

    template <typename S>
    static Ends<S> evaluate(typename S::Vector x, const float* prepared) {
        using F = typename S::Vector;
        const F a = S::magnitude(x), near_a = near<S>(x);
        const Sum<S> tail = Piece<S, TailTable>(near_a, prepared).sum();

        const F whole = S::where_less(x, S::zero(), S::zero(), S::set(1));
        const F high = S::sub(whole, tail.high);
        const F low = S::sub(S::sub(S::sub(whole, high), tail.high), tail.low);
        const F growth = S::mul(S::mul(near_a, S::set(kGrowth)), near_a);
        const F share = S::fma(growth, growth, S::set(kMargin));
        const F margin = S::fma(tail.high, share, S::mul(whole, S::set(0x1p-44f)));
        const F product = S::mul(a, high), lost = S::mulsub(a, high, product);
        F upper = S::add(product, S::fma(a, S::add(low, margin), lost));
        const F lower = S::add(product, S::fma(a, S::sub(low, margin), lost));
        upper = S::where_less(x, S::set(-TailTable::kFurthest), S::all_bits(), upper);
        return with_sign_of<S>({open_where_small<S>(a, upper), lower}, x);
    }
};

// ---- All elements -------------------------------------------------------------------------------

// Rounded to FLOAT32, lanes are open where both ends differ.
template <typename S>
struct PairsToSingle {
    using Element = float;
    static unsigned open(Ends<S> ends) { return S::unequal(ends.upper, ends.lower); }
    static void store(float* to, typename S::Vector y) { S::store(to, y); }
};

// To FLOAT16, where what is 2^-23 less and what is 2^-23 more do: the result is between these.
template <typename S>
struct PairsToHalf {
    using Element = std::uint16_t;
    static unsigned open(Ends<S> ends) {
        const auto less = S::half(S::mul(ends.upper, S::set(1 - 0x1p-23f)));
        const auto more = S::half(S::mul(ends.upper, S::set(1 + 0x1p-23f)));
        return S::unequal_halves(less, more) | S::unequal(ends.upper, ends.upper);
    }
    static void store(std::uint16_t* to, typename S::Vector y) { S::store_half(to, S::half(y)); }
};

// A function of some vectors, vector(k): put(k, it, its ends). Where it has a part to prepare, of kPrepared numbers a
// vector, that is done of all vectors first, and kept in memory: a processor looks at some 256 instructions at once,
// and so has more of these to do that do not wait for each other.
template <typename S, typename F, std::size_t kMost, typename Vector, typename Put>
INDIRECTML_INLINE void each_in_pairs(const Vector& vector, std::size_t count, const Put& put) {
    constexpr std::size_t kPrepared = F::template kPrepared<S>;
    alignas(64) float prepared[kPrepared == 0 ? 1 : kMost * kPrepared];
    if constexpr (kPrepared != 0) {
        for (std::size_t k = 0; k < count; ++k) F::template prepare<S>(vector(k), prepared + k * kPrepared);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const typename S::Vector v = vector(k);
        put(k, v, F::template evaluate<S>(v, prepared + k * kPrepared));
    }
}

// What is open is put aside, as of powers; returns which vectors have such lanes. `out` may be `x`.
template <typename S, typename F, typename To>
INDIRECTML_NOINLINE std::uint64_t pairs_of_block(const float* x, std::size_t begin, std::size_t end,
                                                 typename To::Element* out, OpenPowers<S>& open) {
    std::uint64_t found = 0;
    std::size_t vector = 0, j = begin;
    const auto put = [&](std::size_t place, typename S::Vector v, Ends<S> ends) {
        S::store(open.t + vector * S::kCount, v);
        found |= open.keep(vector++, To::open(ends), place);
        To::store(out + place, ends.upper);
    };
    // Of pieces, tables take the registers.
    if constexpr (S::kSideBySide && !F::kInPieces) {
        using Both = lanes::Two<S>;
        for (; j + Both::kCount <= end; j += Both::kCount) {
            const typename Both::Vector v{S::load(x + j), S::load(x + j + S::kCount)};
            const Ends<Both> ends = F::template evaluate<Both>(v, nullptr);
            put(j, v.first, {ends.upper.first, ends.lower.first});
            put(j + S::kCount, v.second, {ends.upper.second, ends.lower.second});
        }
    }
    constexpr std::size_t kTogether = 16;
    while (j < end) {
        const std::size_t left = (end - j) / S::kCount, count = left < kTogether ? left : kTogether;
        each_in_pairs<S, F, kTogether>(
            [&](std::size_t k) { return S::load(x + j + k * S::kCount); }, count,
            [&](std::size_t k, typename S::Vector v, const Ends<S>& ends) { put(j + k * S::kCount, v, ends); });
        j += count * S::kCount;
    }
    return found;
}

template <typename S, typename F, typename To>
inline void run_in_pairs(const float* x, typename To::Element* out, std::size_t count,
                         functions::Kernel exact) {
    constexpr std::size_t kBlock = OpenPowers<S>::kBlock * S::kCount;
    const std::size_t rest = count % S::kCount, whole = count - rest;
    OpenPowers<S> open;
    typename To::Element results[OpenPowers<S>::kMost];
    const auto argument = [&](std::size_t k, std::size_t lane) { return open.t[k * S::kCount + lane]; };
    // Where most vectors were open, FLOAT64 has the next blocks, before FLOAT32 tries again.
    constexpr std::size_t kLeft = 3;
    std::size_t left = 0;
    for (std::size_t j = 0; j < whole; j += kBlock) {
        const std::size_t end = whole - j < kBlock ? whole : j + kBlock;
        if (left > 0) {
            --left;
            exact(x + j, x + j, out + j, end - j);
            continue;
        }
        if (!open.has_room()) open.settle(exact, results, out);
        const std::uint64_t found = pairs_of_block<S, F, To>(x, j, end, out, open);
        if (2 * open.gather(found, argument) > OpenPowers<S>::kBlock) left = kLeft;
    }
    open.settle(exact, results, out);
    if (rest == 0) return;
    Ends<S> ends;
    each_in_pairs<S, F, 1>([&](std::size_t) { return S::load_part(x + whole, rest); }, 1,
                           [&](std::size_t, typename S::Vector, const Ends<S>& found) { ends = found; });
    if (To::open(ends) != 0) return exact(x + whole, x + whole, out + whole, rest);
    To::store(results, ends.upper);
    std::memcpy(out + whole, results, rest * sizeof(results[0]));
}
