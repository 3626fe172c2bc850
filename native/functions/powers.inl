// Powers of e in FLOAT32 lanes, correctly rounded where that can be told. Included into a namespace of
// a target's own, after coefficients.h; `S` are lanes of lanes/f32_*.h with kPicks.
//
// With n = 16 t / ln 2 rounded and T = 2^(n / 16) rounded, e^t = T (1 + r + q) with
// r = t - n kStep[0], which is exact, and q = r^2 / 2 + ... + the corrections of T and of n ln 2 / 16.
// As numbers h + l, in units of T:
//
//   what is rounded                         error at most, in 2^-37
//   r + the corrections, below 2^-5.5        2.9 in its square / 2
//   the square                               1
//   the polynomial's last step               2.2
//   the polynomial itself                    1.4
//   q, below 2^-12                           1
//   l, below 2^-11                           2
//
// These are 10.5, and kPowerOffsets are low by kPowerMargin, which is 11: so e^t lies from h + l to
// h + l + 2 * kPowerMargin T. What rounds both ends to the same number rounds e^t to it; 2 in 1000 do
// not. h - T and T r - (h - T) need no rounding that counts, by the fused multiply-add.

// Where |t| is below it, the powers are right, and l is no subnormal that matters.
constexpr float kPowerBound = 64;

// e^t lies from high + low to high + low + 2 * kPowerMargin power. |t| < kPowerBound, or the lane has any
// number.
template <typename S>
struct Power {
    typename S::Vector power, high, low;
};

template <typename S>
inline Power<S> power_of_e(typename S::Vector t) {
    using F = typename S::Vector;
    constexpr float kRounder = 0x1.8p23f;  // brings an integer to the low bits
    const F shifted = S::fma(t, S::set(functions::kPowersPerUnit), S::set(kRounder));
    const F n = S::sub(shifted, S::set(kRounder));
    const F r = S::fma(n, S::set(-functions::kPowerStep[0]), t);
    // The upper bits of n are the exponent. Those of n modulo 16 are taken off in the table.
    const F power = S::add_bits(S::pick(functions::kPowers, shifted),
                                S::template shift_left<19>(shifted));
    const F offset = S::fma(n, S::set(-functions::kPowerStep[1]),
                            S::pick(functions::kPowerOffsets, shifted));
    const F rest = S::add(r, offset);
    const F p = S::fma(rest, S::fma(rest, S::set(functions::kPower[2]), S::set(functions::kPower[1])),
                       S::set(functions::kPower[0]));
    const F q = S::fma(S::mul(rest, rest), p, offset);
    const F high = S::fma(power, r, power);
    const F lost = S::fma(power, r, S::sub(power, high));
    return {power, high, S::fma(power, q, lost)};
}

// Bits of lanes that are left open; the others of `y` are the power. A NaN leaves its lane open.
template <typename S>
inline unsigned rounded_power(const Power<S>& p, typename S::Vector& y) {
    // One more rounding, of the upper end, is 2^-36 at most.
    constexpr float kWidth = 2 * functions::kPowerMargin + 0x1p-36f;
    y = S::add(p.high, p.low);
    return S::unequal(y, S::add(p.high, S::fma(p.power, S::set(kWidth), p.low)));
}

// Which numbers t may be: near 0; none above 0; any.
enum class Powers { kNear, kNegative, kAny };

// Bits of lanes that are left open, wherever t, whose power p is, may be. e^-104 and less is 0.
template <typename S, Powers kWhich>
inline unsigned open_powers(typename S::Vector t, const Power<S>& p, typename S::Vector& y) {
    const unsigned open = rounded_power<S>(p, y);
    if (kWhich == Powers::kNear) return open;
    constexpr unsigned kAll = (1u << S::kCount) - 1;
    unsigned near = S::less(S::set(-kPowerBound), t);
    if (kWhich == Powers::kAny) near &= S::less(t, S::set(kPowerBound));
    if (kWhich != Powers::kNegative) return open | (kAll ^ near);
    const unsigned none = S::less(t, S::set(-104));
    y = S::zero_where(none, y);
    return (open | (kAll ^ near)) & ~none;
}

// Vectors with an open lane are put aside, and done together: to wait for each would take longer than
// all else.
template <typename S>
struct OpenPowers {
    static constexpr std::size_t kMost = 64;
    std::size_t count;
    std::size_t places[kMost];
    alignas(64) float t[kMost * S::kCount];
};

// Powers of up to kMost vectors: arguments(j, t) is where those of j are in `out`, and gives t; from the
// last vector on it is that one. In place, t is lost where its power is stored, so that all t are put
// aside; else those of open lanes are asked for again. A function of its own, so that constants stay in
// registers.
template <typename S, Powers kWhich, bool kInPlace, typename Arguments>
INDIRECTML_NOINLINE void powers_of_block(Arguments arguments, std::size_t begin,
                                         std::size_t end, float* out, OpenPowers<S>& open) {
    using F = typename S::Vector;
    std::size_t count = 0;
    const auto put = [&](std::size_t place, F t, const Power<S>& p) {
        F y;
        if (kInPlace) S::store(open.t + count * S::kCount, t);
        open.places[count] = place;
        count += open_powers<S, kWhich>(t, p, y) != 0;
        S::store(out + place, y);
    };
    if constexpr (S::kSideBySide) {
        using Both = lanes::Two<S>;
        for (std::size_t j = begin; j < end; j += Both::kCount) {
            typename Both::Vector t;
            const std::size_t first = arguments(j, t.first);
            const std::size_t second = arguments(j + S::kCount, t.second);
            const Power<Both> p = power_of_e<Both>(t);
            put(first, t.first, {p.power.first, p.high.first, p.low.first});
            put(second, t.second, {p.power.second, p.high.second, p.low.second});
        }
    } else {
        for (std::size_t j = begin; j < end; j += S::kCount) {
            F t;
            const std::size_t place = arguments(j, t);
            put(place, t, power_of_e<S>(t));
        }
    }
    open.count = count;
}

// Powers of all vectors that start below `size`. `exact` gives those that FLOAT32 leaves open.
template <typename S, Powers kWhich, bool kInPlace, typename Arguments>
inline void powers_of_all(Arguments arguments, std::size_t size,
                          functions::Kernel exact, float* out) {
    constexpr std::size_t kBlock = OpenPowers<S>::kMost * S::kCount;
    OpenPowers<S> open;
    for (std::size_t j = 0; j < size; j += kBlock) {
        powers_of_block<S, kWhich, kInPlace>(arguments, j, size - j < kBlock ? size : j + kBlock, out,
                                             open);
        for (std::size_t k = 0; k < open.count && !kInPlace; ++k) {
            typename S::Vector t;
            arguments(open.places[k], t);
            S::store(open.t + k * S::kCount, t);
        }
        exact(open.t, open.t, open.t, open.count * S::kCount);
        for (std::size_t k = 0; k < open.count; ++k) {
            std::memcpy(out + open.places[k], open.t + k * S::kCount, S::kCount * sizeof(float));
        }
    }
}
