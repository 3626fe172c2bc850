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

// Where |t| is below it, the powers are right, and l is no subnormal that matters. A smaller t is not taken: Intel's
// processors take some hundred cycles for a vector with subnormal sums.
constexpr float kPowerBound = 64;

// e^t lies from high + low to high + low + 2 * kPowerMargin power. |t| < kPowerBound, or the lane has any
// number.
template <typename S>
struct Power {
    typename S::Vector power, high, low;
};

// T, r and q of some vectors side by side, step by step: an operation on one waits for the one before it while
// those on the others run. In arrays, which a compiler keeps in registers where it would not keep structures.
// Or, of e^-t, T, -r and q.
template <typename S, bool kOfNegative, std::size_t kCount>
inline void parts_of_powers(const typename S::Vector (&t)[kCount], typename S::Vector (&power)[kCount],
                            typename S::Vector (&r)[kCount], typename S::Vector (&q)[kCount]) {
    using F = typename S::Vector;
    constexpr float kRounder = 0x1.8p23f;  // brings an integer to the low bits
    constexpr float kSign = kOfNegative ? -1 : 1;
    const auto each = [](const auto& work) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kCount; ++k) work(k);
    };
    F shifted[kCount], n[kCount], offset[kCount], rest[kCount];
    each([&](std::size_t k) {
        shifted[k] = S::fma(t[k], S::set(kSign * functions::kPowersPerUnit), S::set(kRounder));
    });
    each([&](std::size_t k) { n[k] = S::sub(shifted[k], S::set(kRounder)); });
    each([&](std::size_t k) { r[k] = S::fma(n[k], S::set(-kSign * functions::kPowerStep[0]), t[k]); });
    // The upper bits of n are the exponent. Those of n modulo 16 are taken off in the table.
    each([&](std::size_t k) {
        power[k] = S::add_bits(S::pick(functions::kPowers, shifted[k]),
                               S::template shift_left<19>(shifted[k]));
    });
    each([&](std::size_t k) {
        offset[k] = S::fma(n[k], S::set(-functions::kPowerStep[1]),
                           S::pick(functions::kPowerOffsets, shifted[k]));
    });
    each([&](std::size_t k) {
        rest[k] = kOfNegative ? S::sub(offset[k], r[k]) : S::add(r[k], offset[k]);
    });
    each([&](std::size_t k) {
        q[k] = S::fma(rest[k], S::set(functions::kPower[2]), S::set(functions::kPower[1]));
    });
    each([&](std::size_t k) { q[k] = S::fma(rest[k], q[k], S::set(functions::kPower[0])); });
    each([&](std::size_t k) { q[k] = S::fma(S::mul(rest[k], rest[k]), q[k], offset[k]); });
}

template <typename S, std::size_t kCount>
inline void powers_of_e(const typename S::Vector (&t)[kCount], typename S::Vector (&power)[kCount],
                        typename S::Vector (&high)[kCount], typename S::Vector (&low)[kCount]) {
    using F = typename S::Vector;
    const auto each = [](const auto& work) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kCount; ++k) work(k);
    };
    F r[kCount], q[kCount];
    parts_of_powers<S, false>(t, power, r, q);
    each([&](std::size_t k) { high[k] = S::fma(power[k], r[k], power[k]); });
    each([&](std::size_t k) { low[k] = S::fma(power[k], r[k], S::sub(power[k], high[k])); });
    each([&](std::size_t k) { low[k] = S::fma(power[k], q[k], low[k]); });
}
template <typename S>
inline Power<S> power_of_e(typename S::Vector t) {
    const typename S::Vector only[1] = {t};
    typename S::Vector power[1], high[1], low[1];
    powers_of_e<S>(only, power, high, low);
    return {power[0], high[0], low[0]};
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

// What is left open of blocks of vectors: their lanes are gathered block by block, and done together, since
// to wait for each would take longer than all else. Where a vector's bits are kept must not depend on the
// vectors before it, or each waits until those are done: on AMD Zen 3 powers took 2.5 times as long.
template <typename S>
struct OpenPowers {
    // Vectors of a block, a bit for each, and lanes that are put aside at most.
    static constexpr std::size_t kBlock = 64, kMost = (kBlock + 16) * S::kCount;
    // FLOAT64 takes so many numbers at once; of fewer each would cost as much.
    static constexpr std::size_t kExact = 8;
    // Of the block: the open lanes of a vector, where its results are, and, where these lie over it, what it was.
    std::uint16_t lanes[kBlock];
    std::size_t places[kBlock];
    alignas(64) float t[kBlock * S::kCount];

    bool has_room() const { return count_ + kBlock * S::kCount <= kMost; }

    // Keeps the open lanes of a vector of the block; returns its bit, where there are some.
    INDIRECTML_INLINE std::uint64_t keep(std::size_t vector, unsigned open, std::size_t place) {
        lanes[vector] = static_cast<std::uint16_t>(open);
        places[vector] = place;
        return std::uint64_t{open != 0} << vector;
    }

    // Puts aside what is open of the vectors whose bit is set, and returns how many these are. argument(k, lane) is
    // that of a lane of vector k: t[k * S::kCount + lane], where it was kept.
    template <typename Argument>
    std::size_t gather(std::uint64_t found, const Argument& argument) {
        std::size_t vectors = 0;
        for (; found != 0; found &= found - 1, ++vectors) {
            const auto k = static_cast<std::size_t>(count_trailing_zeros(found));
            for (unsigned left = lanes[k]; left != 0; left &= left - 1) {
                const auto lane = static_cast<std::size_t>(count_trailing_zeros(left));
                arguments_[count_] = argument(k, lane);
                at_[count_++] = places[k] + lane;
            }
        }
        return vectors;
    }

    // Their results to their places in `out`, by way of `results`, for kMost.
    template <typename Exact, typename Element>
    void settle(const Exact& exact, Element* results, Element* out) {
        std::size_t size = count_;
        for (; size % kExact != 0; ++size) arguments_[size] = arguments_[0];
        exact(arguments_, arguments_, results, size);
        for (std::size_t k = 0; k < count_; ++k) out[at_[k]] = results[k];
        count_ = 0;
    }
    template <typename Exact>
    void settle(const Exact& exact, float* out) {
        settle(exact, arguments_, out);
    }

  private:
    std::size_t count_ = 0, at_[kMost];
    float arguments_[kMost];
};

// Powers of up to kBlock vectors: arguments(j, t) is where those of j are in `out`, and gives t; from the
// last vector on it is that one. What is open is `further` on in what `open` settles; returns which vectors have
// such lanes. In place, t is lost where its power is stored, so that all t are kept. A function of its own, so that
// constants stay in registers.
template <typename S, Powers kWhich, bool kInPlace, typename Arguments>
INDIRECTML_NOINLINE std::uint64_t powers_of_block(Arguments arguments, std::size_t begin, std::size_t end,
                                                  float* out, std::size_t further, OpenPowers<S>& open) {
    using F = typename S::Vector;
    std::uint64_t found = 0;
    std::size_t vector = 0;
    constexpr std::size_t kTogether = S::kSideBySide ? 4 : 1;
    for (std::size_t j = begin; j < end; j += kTogether * S::kCount) {
        F t[kTogether], power[kTogether], high[kTogether], low[kTogether];
        std::size_t places[kTogether];
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kTogether; ++k) places[k] = arguments(j + k * S::kCount, t[k]);
        F near[kTogether];
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kTogether; ++k) {
            near[k] = kWhich == Powers::kNear ? t[k] : S::at_least(t[k], -kPowerBound);
        }
        powers_of_e<S>(near, power, high, low);
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kTogether; ++k, ++vector) {
            F y;
            if (kInPlace) S::store(open.t + vector * S::kCount, t[k]);
            const unsigned lanes = open_powers<S, kWhich>(t[k], {power[k], high[k], low[k]}, y);
            found |= open.keep(vector, lanes, further + places[k]);
            S::store(out + places[k], y);
        }
    }
    return found;
}

// Powers of rows of vectors, those of row r that start below `size`, from out + r * step on.
// row_arguments(r) gives arguments, and argument_at(place) one of them where it still is. `exact` gives
// those that FLOAT32 leaves open.
template <typename S, Powers kWhich, bool kInPlace, typename RowArguments, typename ArgumentAt>
inline void powers_of_rows(const RowArguments& row_arguments, const ArgumentAt& argument_at,
                           std::size_t rows, std::size_t size, functions::Kernel exact, float* out,
                           std::size_t step) {
    OpenPowers<S> open;
    constexpr std::size_t kBlock = OpenPowers<S>::kBlock * S::kCount;
    const auto argument = [&](std::size_t k, std::size_t lane) {
        return kInPlace ? open.t[k * S::kCount + lane] : argument_at(open.places[k] + lane);
    };
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < size; j += kBlock) {
            const std::size_t end = size - j < kBlock ? size : j + kBlock;
            if (!open.has_room()) open.settle(exact, out);
            const std::uint64_t found = powers_of_block<S, kWhich, kInPlace>(row_arguments(r), j, end,
                                                                             out + r * step, r * step, open);
            open.gather(found, argument);
        }
    }
    open.settle(exact, out);
}
