// Every function in terms of lanes, compiled once per target. Included into a namespace of the
// target's own, after `using L`: the lanes of lanes/f64_*.h, and `using S`: those of lanes/f32_*.h.
//
// V is a vector of FLOAT64. Relative errors stay below kMargin; see coefficients.h for those of the
// polynomials. Results whose sign the arithmetic may lose (zeros) get it from the argument.

using V = L::Vector;
using M = L::Mask;

// Added to a number below 2^51, it rounds it to an integer, which is in the low bits then.
constexpr double kRounder = 0x1.8p52;
constexpr double kPi = 2 * kHalfPi.high;
constexpr std::uint64_t kOneBits = std::uint64_t{1023} << 52;
constexpr std::uint64_t kFractionBits = (std::uint64_t{1} << 52) - 1;

inline V at(double value) { return L::set(value); }
inline V infinity() { return L::number(L::set_bits(std::uint64_t{0x7FF} << 52)); }
inline V nan() { return L::number(L::set_bits(std::uint64_t{0x7FF8} << 48)); }

template <std::size_t kTerms>
inline V polynomial(V w, const double (&coefficients)[kTerms]) {
    V last = at(coefficients[kTerms - 1]), other = at(coefficients[kTerms - 2]);
    if (kTerms < 6) {
        for (std::size_t k = kTerms - 1; k-- > 0;) {
            last = L::muladd(last, w, at(coefficients[k]));
        }
        return last;
    }
    // Even and odd terms apart: an operation waits for the last but one.
    const V square = L::mul(w, w);
    for (std::size_t k = kTerms - 2; k-- > 0;) {
        const V next = L::muladd(last, square, at(coefficients[k]));
        last = other;
        other = next;
    }
    return L::muladd(last, w, other);
}

// z + z w p(w)
template <std::size_t kTerms>
inline V odd_series(V z, V w, const double (&coefficients)[kTerms]) {
    return L::muladd(L::mul(z, w), polynomial(w, coefficients), z);
}

inline M is_negative(V x) { return L::less(L::with_sign(at(1), x), at(0)); }
inline V clamped(V x, double low, double high) {  // a NaN stays
    return L::max(at(low), L::min(at(high), x));
}

// ---- Exponentials -------------------------------------------------------------------------------

// x = k ln 2 + rest, |x| < 700; the exponent is k, where it is in the bits of a number.
struct Octaves {
    V rest;
    L::Bits exponent;
};

inline Octaves octaves(V x) {
    const V shifted = L::muladd(x, at(kInverseLn2), at(kRounder));
    const V k = L::sub(shifted, at(kRounder));
    const V rest = L::submul(k, at(kLn2Parts[0]), x);
    return {L::submul(k, at(kLn2Parts[1]), rest), L::shift_left<52>(L::bits(shifted))};
}

// e^x = 2^k (even + odd), e^-x = 2^-k (even - odd)
struct Exponential {
    V even, odd, power, inverse_power;
};

inline Exponential exponential(V x) {
    const Octaves o = octaves(x);
    const V r = o.rest, w = L::mul(r, r);
    const L::Bits exponent = o.exponent;
    return {L::muladd(w, polynomial(w, kExpEven), at(1)), odd_series(r, w, kExpOdd),
            L::number(L::add_bits(L::set_bits(kOneBits), exponent)),
            L::number(L::sub_bits(L::set_bits(kOneBits), exponent))};
}

// Beyond these, results in FLOAT32 and FLOAT16 are 0 or infinite.
inline V in_exp_range(V x) { return clamped(x, -150, 130); }

inline V exp_of(V x) {
    const Octaves o = octaves(in_exp_range(x));
    const V r = o.rest;
    const V p = L::muladd(L::muladd(polynomial(r, kExp), r, at(1)), r, at(1));
    return L::number(L::add_bits(L::bits(p), o.exponent));
}

struct Hyperbolic {
    V sine, cosine;
};

inline Hyperbolic hyperbolic(V x) {
    const Exponential e = exponential(x);
    const V half_power = L::mul(at(0.5), e.power);
    const V c = L::muladd(at(0.5), e.inverse_power, half_power);
    const V s = L::submul(at(0.5), e.inverse_power, half_power);
    // Without cancellation: s is 0 where k is.
    return {L::with_sign(L::muladd(s, e.even, L::mul(c, e.odd)), x),
            L::muladd(c, e.even, L::mul(s, e.odd))};
}

struct Exp {
    static constexpr double kOwnMargin = 0x1p-43;
    static V evaluate(V x, V) { return exp_of(x); }
};
struct Expm1 {  // 2^k (e^r - 1) + (2^k - 1), of which nothing cancels: where k is -1 or 1, r is small
    static V evaluate(V x, V) {
        const Octaves o = octaves(in_exp_range(x));
        const V rest = L::mul(L::muladd(polynomial(o.rest, kExp), o.rest, at(1)), o.rest);
        const V power = L::number(L::add_bits(L::set_bits(kOneBits), o.exponent));
        return L::with_sign(L::muladd(power, rest, L::sub(power, at(1))), x);
    }
};
struct Sinh {
    static V evaluate(V x, V) { return hyperbolic(clamped(x, -130, 130)).sine; }
};
struct Cosh {
    static V evaluate(V x, V) { return hyperbolic(clamped(x, -130, 130)).cosine; }
};
struct Tanh {
    static constexpr double kOwnMargin = 0x1p-42;
    static V evaluate(V x, V) {
        const Hyperbolic h = hyperbolic(clamped(x, -20, 20));
        return L::div(h.sine, h.cosine);
    }
};
struct Sigmoid {
    static constexpr double kOwnMargin = 0x1p-43;
    static V evaluate(V x, V) {
        return L::div(at(1), L::add(at(1), exp_of(L::sub(at(0), x))));
    }
};
struct Softplus {  // max(x, 0) + log(1 + e^-|x|)
    static V evaluate(V x, V) {
        const V u = exp_of(L::sub(at(0), L::abs(x)));
        const V s = L::div(u, L::add(at(2), u));
        const V log = odd_series(L::add(s, s), L::mul(s, s), kLogWide);
        return L::add(L::max(at(0), x), log);
    }
};

// ---- Logarithms ---------------------------------------------------------------------------------

// v = 2^k m, m from sqrt(1/2) to sqrt(2); v positive, finite and no subnormal.
struct Split {
    V k, m;
};

inline Split split(V v) {
    constexpr std::uint64_t kRootHalfBits = 0x3FE6A09E667F3BCD;
    const L::Bits from_root =
        L::add_bits(L::bits(v), L::set_bits(kOneBits - kRootHalfBits));
    const L::Bits biased = L::shift_right<52>(from_root);
    const L::Bits fraction = L::and_bits(from_root, L::set_bits(kFractionBits));
    constexpr double kBiased = 0x1p52 + 1023;
    const L::Bits k = L::or_bits(biased, L::bits(at(0x1p52)));
    return {L::sub(L::number(k), at(kBiased)),
            L::number(L::add_bits(fraction, L::set_bits(kRootHalfBits)))};
}

// k ln 2 + log(1 + f)
inline V log_from(V k, V f) {
    const V s = L::div(f, L::add(at(2), f));
    const V log = odd_series(L::add(s, s), L::mul(s, s), kLog);
    return L::muladd(k, at(kLn2Parts[0]), L::muladd(k, at(kLn2Parts[1]), log));
}

inline V log_of_positive(V x) {
    const Split v = split(x);
    return log_from(v.k, L::sub(v.m, at(1)));
}

// log(1 + v) for v >= 0 to full relative accuracy; infinite for an infinite v.
inline V log1p_of(V v) {
    const Split sum = split(L::add(at(1), v));
    const V f = L::select(L::equal(sum.k, at(0)), v, L::sub(sum.m, at(1)));
    return L::select(L::less(v, infinity()), log_from(sum.k, f), v);
}

struct Log {
    static V evaluate(V x, V) {
        V y = log_of_positive(x);
        y = L::select(L::equal(x, at(0)), L::sub(at(0), infinity()), y);
        y = L::select(L::equal(x, infinity()), x, y);
        return L::select(L::either(L::less(x, at(0)), L::is_nan(x)), nan(), y);
    }
};
struct Asinh {  // log(1 + a + a^2 / (1 + sqrt(1 + a^2)))
    static V evaluate(V x, V) {
        const V a = L::abs(x), square = L::mul(a, a);
        const V root = L::sqrt(L::add(at(1), square));
        const V v = L::add(a, L::div(square, L::add(at(1), root)));
        const V finite = L::select(L::equal(a, infinity()), a, v);
        return L::with_sign(log1p_of(finite), x);
    }
};
struct Acosh {  // log(1 + t + sqrt(t (t + 2))), t = x - 1
    static V evaluate(V x, V) {
        const V t = L::sub(x, at(1));
        const V log = log1p_of(L::add(t, L::sqrt(L::mul(t, L::add(x, at(1))))));
        return L::select(L::less(x, at(1)), nan(), log);
    }
};
struct Atanh {  // log(1 + 2 a / (1 - a)) / 2
    static V evaluate(V x, V) {
        const V a = L::abs(x);
        const V log = log1p_of(L::div(L::add(a, a), L::sub(at(1), a)));
        const V y = L::with_sign(L::mul(at(0.5), log), x);
        return L::select(L::less(at(1), a), nan(), y);
    }
};

// ---- Trigonometric functions --------------------------------------------------------------------

// From here on the three parts of pi / 2 do not suffice.
constexpr double kLarge = 0x1p20;

inline V less_quadrants(V x, V quadrants) {
    V r = L::submul(quadrants, at(kHalfPiParts[0]), x);
    r = L::submul(quadrants, at(kHalfPiParts[1]), r);
    return L::submul(quadrants, at(kHalfPiParts[2]), r);
}

inline unsigned large_lanes(V x) {  // infinite ones and NaN too
    constexpr unsigned kAll = (1u << L::kCount) - 1;
    return kAll ^ L::mask_bits(L::less(L::abs(x), at(kLarge)));
}

// A number from -pi / 2 to pi / 2 whose sine is that of x + turn * pi / 2.
template <int kTurn>
inline V sine_argument(V x) {
    constexpr int kFirst = kTurn & 1;  // odd quadrants for cosines
    const V turns = L::muladd(x, at(kInversePi), at(-0.5 * kFirst));
    const V shifted = L::add(turns, at(kRounder));
    const V k = L::sub(shifted, at(kRounder));
    const V r = less_quadrants(x, L::add(L::add(k, k), at(kFirst)));
    const L::Bits odd = L::shift_left<63>(L::bits(shifted));
    // sin(x) = (-1)^k sin(r); cos(x) = -(-1)^k sin(r)
    const V sign = L::number(
        L::xor_bits(odd, L::set_bits(kFirst ? std::uint64_t{1} << 63 : std::uint64_t{0})));
    const V near = L::times_sign(r, sign);
    const unsigned large = large_lanes(x);
    if (!large) return near;
    double values[L::kCount], rests[L::kCount];
    L::store(values, x);
    L::store(rests, near);
    for (std::size_t lane = 0; lane < L::kCount; ++lane) {
        if (!(large >> lane & 1)) continue;
        const Angle angle = reduced(static_cast<float>(values[lane]));
        const int quadrant = (angle.quadrant + kTurn) & 3;
        double rest = angle.rest;
        if (quadrant & 1) rest = kHalfPi.high - (rest < 0 ? -rest : rest);
        rests[lane] = quadrant & 2 ? -rest : rest;
    }
    return L::load(rests);
}

inline V sine_of_rest(V r) {
    return L::with_sign(odd_series(r, L::mul(r, r), kSine), r);
}

struct Sin {
    static V evaluate(V x, V) { return sine_of_rest(sine_argument<0>(x)); }
};
struct Cos {
    static V evaluate(V x, V) { return sine_of_rest(sine_argument<1>(x)); }
};
struct Tan {
    static V evaluate(V x, V) {
        V shifted = L::muladd(x, at(kTwoOverPi), at(kRounder));
        V r = less_quadrants(x, L::sub(shifted, at(kRounder)));
        if (const unsigned large = large_lanes(x)) {
            double values[L::kCount], rests[L::kCount], quadrants[L::kCount];
            L::store(values, x);
            L::store(rests, r);
            L::store(quadrants, shifted);
            for (std::size_t lane = 0; lane < L::kCount; ++lane) {
                if (!(large >> lane & 1)) continue;
                const Angle angle = reduced(static_cast<float>(values[lane]));
                rests[lane] = angle.rest;
                quadrants[lane] = kRounder + angle.quadrant;
            }
            r = L::load(rests);
            shifted = L::load(quadrants);
        }
        const V w = L::mul(r, r);
        const V sine = L::with_sign(odd_series(r, w, kSineNarrow), r);
        const V cosine = L::muladd(L::mul(w, w), polynomial(w, kCosineNarrow),
                                   L::submul(at(0.5), w, at(1)));
        const M odd = is_negative(L::number(L::shift_left<63>(L::bits(shifted))));
        return L::div(L::select(odd, cosine, sine),
                      L::select(odd, L::sub(at(0), sine), cosine));
    }
};

// ---- Their inverses -----------------------------------------------------------------------------

// arctan(a / b), 0 <= a <= b, b > 0 and finite
inline V arctangent(V a, V b) {
    constexpr double kTanEighth = 0x1.a827999fcef32p-2;  // tan(pi / 8)
    const M far = L::less(L::mul(at(kTanEighth), b), a);
    // arctan(t) = pi / 4 + arctan((t - 1) / (t + 1))
    const V z = L::div(L::select(far, L::sub(a, b), a), L::select(far, L::add(a, b), b));
    const V small = odd_series(z, L::mul(z, z), kArctangent);
    return L::add(L::select(far, at(kPi / 4), at(0)), small);
}

struct Atan {
    static V evaluate(V x, V) {
        const V a = L::abs(x);
        const M steep = L::less(at(1), a);
        const M infinite = L::equal(a, infinity());
        const V small = L::select(infinite, at(0), L::select(steep, at(1), a));
        const V large = L::select(steep, L::select(infinite, at(1), a), at(1));
        const V angle = arctangent(small, large);
        return L::with_sign(L::select(steep, L::sub(at(kPi / 2), angle), angle), x);
    }
};
struct Atan2 {
    static V evaluate(V y, V x) {
        const V height = L::abs(y), width = L::abs(x);
        const M steep = L::less(width, height);
        V small = L::select(steep, width, height), large = L::select(steep, height, width);
        // inf / inf counts as 1 / 1, anything else / inf as 0 / 1, and 0 / 0 as 0 / 1.
        const M infinite = L::equal(large, infinity());
        const V ratio = L::select(L::equal(small, infinity()), at(1), at(0));
        small = L::select(infinite, ratio, small);
        large = L::select(L::either(infinite, L::equal(large, at(0))), at(1), large);
        V angle = arctangent(small, large);
        angle = L::select(steep, L::sub(at(kPi / 2), angle), angle);
        angle = L::select(is_negative(x), L::sub(at(kPi), angle), angle);
        const M undefined = L::either(L::is_nan(x), L::is_nan(y));
        return L::select(undefined, nan(), L::with_sign(angle, y));
    }
};

// Of |x|, or where that is beyond 1/2, of sqrt((1 - |x|) / 2), which is half of pi / 2 less it.
struct Arcsine {
    M beyond;
    V angle;
};

inline Arcsine arcsine(V x) {
    const V a = L::abs(x);
    const M beyond = L::less(at(0.5), a);
    const V w = L::select(beyond, L::submul(at(0.5), a, at(0.5)), L::mul(a, a));
    return {beyond, odd_series(L::select(beyond, L::sqrt(w), a), w, kArcsine)};
}

struct Asin {
    static V evaluate(V x, V) {
        const Arcsine s = arcsine(x);
        const V complement = L::submul(at(2), s.angle, at(kPi / 2));
        return L::with_sign(L::select(s.beyond, complement, s.angle), x);
    }
};
struct Acos {
    static V evaluate(V x, V) {
        const Arcsine s = arcsine(x);
        const V twice = L::add(s.angle, s.angle);
        const V beyond = L::select(is_negative(x), L::sub(at(kPi), twice), twice);
        const V within = L::sub(at(kPi / 2), L::with_sign(s.angle, x));
        return L::select(s.beyond, beyond, within);
    }
};

// ---- Others -------------------------------------------------------------------------------------

struct Erf {
    static constexpr double kOwnMargin = 0x1p-45;
    static V evaluate(V x, V) {
        const V w = L::min(at(16), L::mul(x, x));
        const V series = polynomial(L::muladd(at(0.125), w, at(-1)), kErf);
        return L::with_sign(L::mul(L::min(at(4), L::abs(x)), series), x);
    }
};
struct Gelu {  // max(x, 0) - t e^(-t^2 / 2) R(t), t = |x|
    static constexpr double kOwnMargin = 0x1p-42;
    static V evaluate(V x, V) {
        const V t = L::min(at(15), L::abs(x));  // beyond, the second term rounds to 0
        const V s = L::div(at(10), L::add(at(5), t));
        const V rest = L::mul(L::mul(t, s), polynomial(L::sub(s, at(1.25)), kGelu));
        const V tail = L::mul(rest, exp_of(L::mul(at(-0.5), L::mul(t, t))));
        return L::with_sign(L::sub(L::max(at(0), x), tail), x);
    }
};
struct Sqrt {
    static V evaluate(V x, V) { return L::sqrt(x); }
};
struct Rsqrt {
    static V evaluate(V x, V) { return L::div(at(1), L::sqrt(x)); }
};
struct Recip {
    static V evaluate(V x, V) { return L::div(at(1), x); }
};
struct Pow {  // e^(y log |x|), which needs no more than FLOAT64: |y log |x|| < 150
    static V evaluate(V x, V y) {
        // Cubes, as GELU has them, are off by 2^-53: the square of a FLOAT32 is exact.
        constexpr unsigned kAll = (1u << L::kCount) - 1;
        if (L::mask_bits(L::equal(y, at(3))) == kAll) return L::mul(L::mul(x, x), x);
        const V a = L::abs(x), one = at(1);
        V log = log_of_positive(a);
        log = L::select(L::equal(a, at(0)), L::sub(at(0), infinity()), log);
        log = L::select(L::equal(a, infinity()), a, log);
        const V magnitude = exp_of(L::mul(y, log));
        // Integers beyond 2^50 are even, as infinities count here.
        const V height = L::min(at(0x1p50), L::abs(y));
        const V shifted = L::add(height, at(kRounder));
        const M whole = L::equal(L::sub(shifted, at(kRounder)), height);
        const V parity = L::number(L::shift_left<63>(L::bits(shifted)));
        const V sign = L::select(whole, L::with_sign(at(1), parity), one);
        const V negated = L::times_sign(magnitude, sign);
        V result = L::select(is_negative(x), negated, magnitude);
        const M negative = L::both(L::less(x, at(0)), L::less(a, infinity()));
        result = L::select(negative, L::select(whole, result, nan()), result);
        result = L::select(L::either(L::is_nan(x), L::is_nan(y)), nan(), result);
        const M unit = L::both(L::equal(x, at(-1)), L::equal(L::abs(y), infinity()));
        return L::select(L::either(L::either(L::equal(x, one), L::equal(y, at(0))), unit), one,
                         result);
    }
};

// ---- Kernels ------------------------------------------------------------------------------------

#include "powers.inl"
#include "pairs.inl"

struct ToSingle {
    using Element = float;
    static auto narrow(V v) { return L::single(v); }
    static void store(Element* at, L::Single s) { L::store_single(at, s); }
};
struct ToHalf {
    using Element = std::uint16_t;
    static auto narrow(V v) { return L::half(v); }
    static void store(Element* at, L::Half h) { L::store_half(at, h); }
};

// Where whole networks wait for a function, what FLOAT64 leaves open counts: a smaller margin, by the errors
// of its polynomials, with which it was tried whole.
template <typename F, typename = void>
struct MarginOf {
    static constexpr double kValue = kMargin;
};
template <typename F>
struct MarginOf<F, std::void_t<decltype(F::kOwnMargin)>> {
    static constexpr double kValue = F::kOwnMargin;
};

template <typename F, Function kFunction, bool kChecked, typename To>
inline void one_vector(const float* x, const float* y, typename To::Element* out) {
    const V result = F::evaluate(L::load_single(x), L::load_single(y));
    if (!kChecked) {
        return To::store(out, To::narrow(L::select(L::is_nan(result), nan(), result)));
    }
    constexpr double kOff = MarginOf<F>::kValue;
    const auto low = To::narrow(L::mul(result, at(1 - kOff)));
    const auto high = To::narrow(L::mul(result, at(1 + kOff)));
    const unsigned open = L::unequal(low, high);  // NaN too
    if (!open) return To::store(out, low);
    // `out` may be `x` or `y`: they are needed once more.
    float xs[L::kCount], ys[L::kCount];
    double approximations[L::kCount];
    std::memcpy(xs, x, sizeof(xs));
    std::memcpy(ys, y, sizeof(ys));
    L::store(approximations, result);
    To::store(out, low);
    decide(kFunction, open, xs, ys, approximations, out);
}

template <typename F, Function kFunction, int kArguments, bool kChecked, typename To>
void run(const float* x, const float* y, void* out, std::size_t count) {
    if (kArguments == 1) y = x;
    auto* to = static_cast<typename To::Element*>(out);
    std::size_t j = 0;
    for (; j + L::kCount <= count; j += L::kCount) {
        one_vector<F, kFunction, kChecked, To>(x + j, y + j, to + j);
    }
    if (j == count) return;
    const std::size_t rest = count - j;
    float xs[L::kCount], ys[L::kCount];
    typename To::Element results[L::kCount];
    for (std::size_t k = 0; k < L::kCount; ++k) xs[k] = ys[k] = 1;
    for (std::size_t k = 0; k < rest; ++k) {
        xs[k] = x[j + k];
        ys[k] = y[j + k];
    }
    one_vector<F, kFunction, kChecked, To>(xs, ys, results);
    for (std::size_t k = 0; k < rest; ++k) to[j + k] = results[k];
}

// Powers of e in FLOAT32 lanes, and in FLOAT64 where these leave one open.
constexpr Kernel kExpInDoubles = run<Exp, Function::kExp, 1, true, ToSingle>;

template <typename Lanes>
void run_exp(const float* x, const float* y, void* out, std::size_t count) {
    std::size_t done = 0;
    if constexpr (Lanes::kPicks) {
        done = count - count % Lanes::kCount;
        const std::size_t last = done - Lanes::kCount;
        const auto argument = [x, last](std::size_t j, typename Lanes::Vector& t) {
            const std::size_t place = j < last ? j : last;
            t = Lanes::load(x + place);
            return place;
        };
        auto* const to = static_cast<float*>(out);
        const auto arguments = [argument](std::size_t) { return argument; };
        const auto argument_at = [x](std::size_t place) { return x[place]; };
        if (x == to) {
            powers_of_rows<Lanes, Powers::kAny, true>(arguments, argument_at, 1, done, kExpInDoubles, to, 0);
        } else {
            powers_of_rows<Lanes, Powers::kAny, false>(arguments, argument_at, 1, done, kExpInDoubles, to, 0);
        }
    }
    kExpInDoubles(x + done, y + done, static_cast<float*>(out) + done, count - done);
}

// Other functions likewise.
struct NoPairs {};
template <typename F>
struct PairsOf {
    using Type = NoPairs;
};
template <>
struct PairsOf<Exp> {
    using Type = ExpInPairs;
};
template <>
struct PairsOf<Sigmoid> {
    using Type = SigmoidInPairs;
};
template <>
struct PairsOf<Tanh> {
    using Type = TanhInPairs;
};
template <>
struct PairsOf<Erf> {
    using Type = ErfInPairs;
};
template <>
struct PairsOf<Gelu> {
    using Type = GeluInPairs;
};

template <typename Lanes, typename F, Function kFunction, int kArguments, bool kChecked, typename To,
          template <typename> class PairsTo>
void run_best(const float* x, const float* y, void* out, std::size_t count) {
    using InPairs = typename PairsOf<F>::Type;
    constexpr Kernel exact = run<F, kFunction, kArguments, kChecked, To>;
    if constexpr (std::is_same_v<InPairs, NoPairs>) {
        exact(x, y, out, count);
    } else if constexpr (Lanes::kPicks) {
        run_in_pairs<Lanes, InPairs, PairsTo<Lanes>>(x, static_cast<typename To::Element*>(out),
                                                     count, exact);
    } else {
        exact(x, y, out, count);
    }
}

template <typename F, Function kFunction, int kArguments, bool kChecked>
constexpr Kernel kSingleKernel =
    run_best<S, F, kFunction, kArguments, kChecked, ToSingle, PairsToSingle>;
template <>
constexpr Kernel kSingleKernel<Exp, Function::kExp, 1, true> = run_exp<S>;

constexpr Kernels table(const char* name) {
    return {name,
            {
#define INDIRECTML_KERNEL(NAME, TEXT, ARGUMENTS, CHECKED) \
    kSingleKernel<NAME, Function::k##NAME, ARGUMENTS, CHECKED>,
                INDIRECTML_FUNCTIONS(INDIRECTML_KERNEL)
#undef INDIRECTML_KERNEL
            },
            {
#define INDIRECTML_KERNEL(NAME, TEXT, ARGUMENTS, CHECKED) \
    run_best<S, NAME, Function::k##NAME, ARGUMENTS, CHECKED, ToHalf, PairsToHalf>,
                INDIRECTML_FUNCTIONS(INDIRECTML_KERNEL)
#undef INDIRECTML_KERNEL
            },
            kExpInDoubles};
}
