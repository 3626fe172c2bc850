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

// Bits of lanes whose rounding is open, where a result is a sum, or up to `margin` less, but for what
// quotients round, below 0.1; y is the number of the others.
template <typename S>
inline unsigned open_sums(Sum<S> sum, float margin, typename S::Vector& y) {
    y = S::add(sum.high, S::fma(sum.high, S::set(0x1p-38f), sum.low));
    return S::unequal(y, S::add(sum.high, S::fma(sum.high, S::set(-margin), sum.low)));
}

// The largest magnitude whose power is taken.
constexpr float kMostMagnitude = 60;

// 1 / (1 + E), E = e^-x, of which an error counts at most once. Where E would be too small the result
// is 1 already; where it would be too large, the lane is open.
struct SigmoidInPairs {
    static constexpr float kMargin = 0x1.7p-33f;  // 23

    template <typename S>
    static unsigned evaluate(typename S::Vector x, typename S::Vector& y) {
        using F = typename S::Vector;
        const F one = S::set(1);
        const F near = S::where_less(x, S::set(-kMostMagnitude), S::all_bits(), x);
        const Sum<S> e = power_sum<S>(S::at_least(S::sub(S::zero(), near), -kMostMagnitude));
        const F larger = S::at_least(e.high, 1), smaller = S::at_most(e.high, 1);
        const F d = S::add(larger, smaller);
        const F low = S::add(S::sub(smaller, S::sub(d, larger)), e.low);
        const F inverse = S::near_inverse(d);
        const F rest = S::submul(inverse, low, S::submul(inverse, d, one));
        return open_sums<S>({inverse, S::mul(rest, inverse)}, kMargin, y);
    }
};

// (1 - E) / (1 + E), E = e^-2|x|, from 1/4 on: there an error of E counts 1.92 times. Nearer to 0 it is
// x + x (w (-1/3 + v)), w = x^2 and v = w p(w) + what 1/3 lacks. v, below 2^-6.9, is off by 2^-30 and
// w v, below 2^-10.9, by 2^-34 of x, 8; its rounding, and that of its product with x, are 4 each, and
// the polynomial 4: these are 20, to either side, and 21 are added.
struct TanhInPairs {
    static constexpr float kMargin = 0x1.6p-32f, kToOneSide = 0x1.5p-33f;  // 44, 21

    template <typename S>
    static unsigned evaluate(typename S::Vector x, typename S::Vector& y) {
        using F = typename S::Vector;
        const F a = S::at_most(S::magnitude(x), kMostMagnitude / 2);  // a NaN stays, and is open
        const Sum<S> e = power_sum<S>(S::mul(a, S::set(-2)));
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
        const unsigned open = open_sums<S>(sum, kMargin, y);
        y = S::with_sign(y, x);
        return open;
    }
};

// A function of all elements: those that FLOAT32 leaves open are put aside, as of powers. `out` may be
// `x`.
template <typename S, typename F>
INDIRECTML_NOINLINE void pairs_of_block(const float* x, std::size_t begin, std::size_t end, float* out,
                                        OpenPowers<S>& open) {
    std::size_t count = 0;
    for (std::size_t j = begin; j < end; j += S::kCount) {
        const typename S::Vector v = S::load(x + j);
        typename S::Vector y;
        S::store(open.t + count * S::kCount, v);
        open.places[count] = j;
        count += F::template evaluate<S>(v, y) != 0;
        S::store(out + j, y);
    }
    open.count = count;
}

template <typename S, typename F>
inline void run_in_pairs(const float* x, float* out, std::size_t count, functions::Kernel exact) {
    constexpr std::size_t kBlock = OpenPowers<S>::kMost * S::kCount;
    const std::size_t rest = count % S::kCount, whole = count - rest;
    OpenPowers<S> open;
    for (std::size_t j = 0; j < whole; j += kBlock) {
        pairs_of_block<S, F>(x, j, whole - j < kBlock ? whole : j + kBlock, out, open);
        exact(open.t, open.t, open.t, open.count * S::kCount);
        for (std::size_t k = 0; k < open.count; ++k) {
            std::memcpy(out + open.places[k], open.t + k * S::kCount, S::kCount * sizeof(float));
        }
    }
    if (rest == 0) return;
    const typename S::Vector v = S::load_part(x + whole, rest);
    typename S::Vector y;
    if (F::template evaluate<S>(v, y) == 0) return S::store_part(out + whole, y, rest);
    exact(x + whole, x + whole, out + whole, rest);
}
