#include "accurate.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "../lanes/f64_portable.h"

namespace indirectml {
namespace functions {

namespace {

using One = lanes::portable::F64;

constexpr double kRounder = 0x1.8p52;  // added and taken away, it rounds to an integer

double power_of_two(int exponent) {  // of normal numbers
    return One::number(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// ---- Pairs --------------------------------------------------------------------------------------
//
// Dekker, A floating-point technique for extending the available precision (1971). Without fma, so
// that the bits are the same everywhere.

Pair sum_of_ordered(double a, double b) {  // |a| >= |b|, or a is 0
    const double high = a + b;
    return {high, b - (high - a)};
}

Pair sum_of(double a, double b) {
    const double high = a + b, rounded_b = high - a;
    return {high, (a - (high - rounded_b)) + (b - rounded_b)};
}

Pair product_of(double a, double b) {  // |a|, |b| < 2^990
    const double product = a * b;
    const double shifted_a = a * 0x1.0000002p27, shifted_b = b * 0x1.0000002p27;
    const double a1 = shifted_a - (shifted_a - a), b1 = shifted_b - (shifted_b - b);
    const double a2 = a - a1, b2 = b - b1;
    return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

Pair operator-(Pair a) { return {-a.high, -a.low}; }

Pair operator+(Pair a, Pair b) {
    const Pair high = sum_of(a.high, b.high), low = sum_of(a.low, b.low);
    const Pair sum = sum_of_ordered(high.high, high.low + low.high);
    return sum_of_ordered(sum.high, sum.low + low.low);
}

Pair operator-(Pair a, Pair b) { return a + -b; }

Pair operator*(Pair a, Pair b) {
    const Pair product = product_of(a.high, b.high);
    return sum_of_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

Pair operator/(Pair a, Pair b) {
    const double first = a.high / b.high;
    Pair rest = a - b * Pair{first, 0};
    const double second = rest.high / b.high;
    rest = rest - b * Pair{second, 0};
    return sum_of_ordered(first, second) + Pair{rest.high / b.high, 0};
}

Pair half_of(Pair a) { return {0.5 * a.high, 0.5 * a.low}; }

Pair root_of(Pair a) {
    if (a.high == 0) return a;
    const double root = std::sqrt(a.high);
    const Pair rest = a - product_of(root, root);
    return sum_of_ordered(root, rest.high / (2 * root));
}

Pair scaled(Pair a, double power) { return {a.high * power, a.low * power}; }

constexpr Pair kOne = {1, 0}, kTwo = {2, 0};

// ---- Exponential and logarithm ------------------------------------------------------------------

// Sum of r^n / (n + 1)! for |r| < 0.35: (e^r - 1) / r.
Pair exp_series(Pair r) {
    Pair sum = kInverseFactorial[26];
    for (int n = 25; n >= 1; --n) sum = sum * r + kInverseFactorial[n];
    return sum;
}

Pair exp_of(Pair x) {
    const double k = (x.high * kInverseLn2 + kRounder) - kRounder;
    const Pair near = x - Pair{k * kLn2Parts[0], 0} - Pair{k * kLn2Parts[1], 0};
    const Pair r = near - Pair{k * kLn2Parts[2], 0};
    return scaled(kOne + r * exp_series(r), power_of_two(static_cast<int>(k)));
}

// e^x - 1 to full relative accuracy.
Pair expm1_of(Pair x) {
    if (std::fabs(x.high) < 0.34) return x * exp_series(x);
    return exp_of(x) - kOne;
}

// log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1
Pair log_series(Pair f) {
    const Pair s = f / (kTwo + f), w = s * s;
    Pair sum = kInverseOdd[23];
    for (int n = 22; n >= 0; --n) sum = sum * w + kInverseOdd[n];
    const Pair half = s * sum;
    return {2 * half.high, 2 * half.low};
}

Pair log_of(Pair x) {  // x.high a normal number
    int k = static_cast<int>(One::bits(x.high) >> 52) - 1023;
    Pair m = scaled(x, power_of_two(-k));
    if (m.high > 0x1.6a09e667f3bcdp0) {
        m = half_of(m);
        ++k;
    }
    const Pair ln2 = Pair{k * kLn2Parts[0], 0} + Pair{k * kLn2Parts[1], 0} +
                     Pair{k * kLn2Parts[2], 0};
    return ln2 + log_series(m - kOne);
}

// log(1 + v) to full relative accuracy, v >= 0
Pair log1p_of(Pair v) {
    if (v.high < 0.41) return log_series(v);
    return log_of(kOne + v);
}

// ---- Angles -------------------------------------------------------------------------------------

struct Circle {
    Pair sine, cosine;
};

Circle circle_at(Pair r) {  // |r| <= pi / 4
    const Pair w = -(r * r);
    Pair sine = kInverseFactorial[29], cosine = kInverseFactorial[28];
    for (int n = 27; n >= 3; n -= 2) {
        sine = sine * w + kInverseFactorial[n];
        cosine = cosine * w + kInverseFactorial[n - 1];
    }
    return {r + r * (sine * w), kOne + cosine * w};
}

Circle turned(Circle at, int quadrants) {
    switch (quadrants & 3) {
        case 0:
            return at;
        case 1:
            return {at.cosine, -at.sine};
        case 2:
            return {-at.sine, -at.cosine};
        default:
            return {-at.cosine, at.sine};
    }
}

// The angle of (x, y), near `guess`.
Pair angle_of(Pair y, Pair x, double guess) {
    if (x.high > 0 && std::fabs(y.high) < 0x1p-40 * x.high) {
        const Pair t = y / x;  // less t^3 / 3, however little that is
        return t - Pair{t.high * t.high * t.high / 3, 0};
    }
    const double q = (guess * kTwoOverPi + kRounder) - kRounder;
    const Pair near = sum_of(guess, -q * kHalfPiParts[0]) - Pair{q * kHalfPiParts[1], 0};
    const Circle at = turned(circle_at(near - Pair{q * kHalfPiParts[2], 0}),
                             static_cast<int>(q));
    const Pair t = (y * at.cosine - x * at.sine) / (x * at.cosine + y * at.sine);
    return Pair{guess, 0} + t - Pair{t.high * t.high * t.high / 3, 0};
}

// ---- Functions of pairs -------------------------------------------------------------------------

// x + x w / 3 + x w^2 / 15 + ...: each term is the last one times w / (2 n + 1).
Pair bell_series(double x, Pair w) {
    Pair term = {x, 0}, sum = term;
    for (int n = 3; std::fabs(term.high) > 0x1p-110 * std::fabs(sum.high); n += 2) {
        term = term * w / Pair{static_cast<double>(n), 0};
        sum = sum + term;
    }
    return sum;
}

Pair erf_of(double x) {  // |x| < 4.1
    const Pair square = product_of(x, x), twice = {2 * square.high, 2 * square.low};
    return kTwoOverRootPi * exp_of(-square) * bell_series(x, twice);
}

// x times the part of the normal distribution below x, its density being b(t) = e^(-t^2 / 2) /
// sqrt(2 pi).
Pair gelu_of(double x) {
    // Far out only the sign of what x loses matters.
    if (x > 9) return {x, -0x1p-100 * x};
    const Pair square = product_of(x, x), density = kInverseRootTwoPi * exp_of(-half_of(square));
    // Around 0 that part is 1/2 and b(x) times a series.
    if (x > -3) return Pair{x, 0} * (Pair{0.5, 0} + density * bell_series(x, square));
    // Below it is b(x) / (t + 1 / (t + 2 / (t + 3 / ...))), t = -x: Laplace's continued fraction.
    constexpr int kSteps = 140;  // 2^-103 at -3
    Pair rest = {0.5 * (std::sqrt(x * x + 4 * kSteps) - x), 0};
    for (int n = kSteps; n > 0; --n) {
        rest = Pair{-x, 0} + Pair{static_cast<double>(n), 0} / rest;
    }
    return Pair{x, 0} * density / rest;
}

Pair softplus_of(double x) {
    if (x <= 0) return log1p_of(exp_of({x, 0}));
    // Far out only its sign matters.
    return Pair{x, 0} + log1p_of(exp_of({x < 600 ? -x : -600.0, 0}));
}

// |x|^y where that has at most 25 bits, or 0: x = r^(2^k), y = a / 2^k. Powers of two apart, which
// r is divided by.
Pair exact_power(double x, double y) {
    int exponent = static_cast<int>(One::bits(x) >> 52) - 1023;
    double odd = x * power_of_two(-exponent);
    for (; odd != (odd + kRounder) - kRounder; odd *= 2) --exponent;
    auto root = static_cast<std::uint64_t>(odd);
    double count = y;
    // No power of two has more than 24 * 2^k bits.
    for (int k = 0; count != (count + kRounder) - kRounder; ++k, count *= 2) {
        auto next = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(root)));
        if (next * next != root || exponent % 2 != 0 || k == 8) return {0, 0};
        root = next;
        exponent /= 2;
    }
    if (root == 1) return {power_of_two(static_cast<int>(count) * exponent), 0};
    if (count < 0 || count > 15) return {0, 0};
    std::uint64_t power = 1;
    for (double n = 0; n < count; ++n) {
        power *= root;
        if (power >> 25) return {0, 0};
    }
    return {static_cast<double>(power) * power_of_two(static_cast<int>(count) * exponent), 0};
}

Pair pow_of(double x, double y, double guess) {
    const double a = std::fabs(x);
    Pair result = exact_power(a, y);
    if (result.high == 0) result = exp_of(log_of({a, 0}) * Pair{y, 0});
    return guess < 0 ? -result : result;
}

Pair with_sign_of(double x, Pair positive) { return x < 0 ? -positive : positive; }

}  // namespace

Pair accurate(Function function, double x, double y, double guess) {
    const double a = std::fabs(x);
    const Pair own = {x, 0}, magnitude = {a, 0};
    switch (function) {
        case Function::kExp:
            return exp_of(own);
        case Function::kExpm1:
            return expm1_of(own);
        case Function::kLog:
            return log_of(own);
        case Function::kSin:
        case Function::kCos:
        case Function::kTan: {
            const ExactAngle angle = reduced_exactly(static_cast<float>(x));
            const Circle at = turned(circle_at(angle.rest), angle.quadrant);
            if (function == Function::kTan) return at.sine / at.cosine;
            return function == Function::kSin ? at.sine : at.cosine;
        }
        case Function::kAsin:
            return angle_of(own, root_of(kOne - product_of(x, x)), guess);
        case Function::kAcos:
            return angle_of(root_of(kOne - product_of(x, x)), own, guess);
        case Function::kAtan:
            return angle_of(own, kOne, guess);
        case Function::kAtan2:
            return angle_of(own, {y, 0}, guess);
        case Function::kSinh: {
            const Pair m = expm1_of(magnitude);
            return with_sign_of(x, half_of(m + m / (kOne + m)));
        }
        case Function::kCosh: {
            const Pair e = exp_of(magnitude);
            return half_of(e + kOne / e);
        }
        case Function::kTanh: {
            const Pair m = expm1_of({2 * a, 0});
            return with_sign_of(x, m / (kTwo + m));
        }
        case Function::kAsinh: {
            const Pair square = product_of(a, a);
            const Pair v = magnitude + square / (kOne + root_of(kOne + square));
            return with_sign_of(x, log1p_of(v));
        }
        case Function::kAcosh: {
            const Pair t = sum_of(x, -1);
            return log1p_of(t + root_of(t * sum_of(x, 1)));
        }
        case Function::kAtanh:
            return with_sign_of(x, half_of(log1p_of(Pair{2 * a, 0} / sum_of(1, -a))));
        case Function::kErf:
            return erf_of(x);
        case Function::kSigmoid:
            return kOne / (kOne + exp_of(-own));
        case Function::kSoftplus:
            return softplus_of(x);
        case Function::kGelu:
            return gelu_of(x);
        case Function::kRsqrt:
            return kOne / root_of(own);
        case Function::kPow:
            return pow_of(x, y, guess);
        case Function::kSqrt:
        case Function::kRecip:
        case Function::kCount:
            break;
    }
    return {guess, 0};  // FLOAT64 decides the others
}

double to_odd(Pair sum) {
    const std::uint64_t bits = One::bits(sum.high);
    if (sum.low == 0 || (bits & 1)) return sum.high;
    return One::number((sum.low > 0) == (sum.high > 0) ? bits + 1 : bits - 1);
}

namespace {

// a * 2 / pi = quadrant + fraction, |fraction| <= 1/2: words of its magnitude, the first one from
// weight 2^1 on.
struct Reduction {
    int quadrant;
    bool is_negative;  // the fraction
    std::uint32_t words[6];
};

// For a from 2^-2 to 2^128, of 24 bits. Payne and Hanek, Radian reduction for trigonometric
// functions (1983): of the bits of 2 / pi, those from weight 2^(1 - e) on, times m, where a = m 2^e.
Reduction reduction_of(double a) {
    const int e = static_cast<int>(One::bits(a) >> 52) - 1023 - 23;
    const auto m = static_cast<std::uint64_t>(a * power_of_two(-e));
    const int skipped = 62 + e;  // the table starts at weight 2^63
    Reduction r;
    std::uint64_t carry = 0;
    for (int k = 5; k >= 0; --k) {
        const int word = skipped / 32 + k, bit = skipped % 32;
        const std::uint64_t two = std::uint64_t{kTwoOverPiBits[word]} << 32 |
                                  kTwoOverPiBits[word + 1];
        carry += m * (two >> (32 - bit) & 0xFFFFFFFF);
        r.words[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    r.quadrant = static_cast<int>(r.words[0] >> 30);
    r.words[0] &= 0x3FFFFFFF;
    r.is_negative = r.words[0] >> 29;
    if (!r.is_negative) return r;
    // To the next quadrant: 1 less the fraction.
    ++r.quadrant;
    std::uint64_t borrow = 0;
    for (int k = 5; k >= 0; --k) {
        const std::uint64_t one = k == 0 ? std::uint64_t{1} << 30 : 0;
        const std::uint64_t difference = one - r.words[k] - borrow;
        r.words[k] = static_cast<std::uint32_t>(difference);
        borrow = difference >> 63;
    }
    return r;
}

}  // namespace

ExactAngle reduced_exactly(float x) {
    const double a = std::fabs(static_cast<double>(x));
    if (a <= 0x1.921fb4p-1) return {0, {x, 0}};
    const Reduction r = reduction_of(a);
    Pair fraction = {0, 0};
    double weight = 0x1p-30;
    for (const std::uint32_t word : r.words) {
        fraction = fraction + Pair{word * weight, 0};
        weight *= 0x1p-32;
    }
    const Pair rest = fraction * kHalfPi;
    return {x < 0 ? -r.quadrant & 3 : r.quadrant & 3, r.is_negative != (x < 0) ? -rest : rest};
}

Angle reduced(float x) {
    const double a = std::fabs(static_cast<double>(x));
    if (!(a < 0x1p200)) return {0, One::number(std::uint64_t{0x7FF8} << 48)};
    const Reduction r = reduction_of(a);
    // No FLOAT32 is so close to a multiple of pi / 2 that these do not have 53 bits.
    const double fraction =
        r.words[0] * 0x1p-30 + (r.words[1] * 0x1p-62 + r.words[2] * 0x1p-94);
    const double rest = fraction * kHalfPi.high;
    return {x < 0 ? -r.quadrant & 3 : r.quadrant & 3, r.is_negative != (x < 0) ? -rest : rest};
}

namespace {

template <typename Element, typename Narrow>
void decide_each(Function function, unsigned lanes, const float* x, const float* y,
                 const double* approximations, Element* out, Element nan, const Narrow& narrow) {
    for (int lane = 0; lanes >> lane; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        const double guess = approximations[lane];
        out[lane] = guess != guess
                        ? nan
                        : narrow(to_odd(accurate(function, x[lane], y[lane], guess)));
    }
}

}  // namespace

void decide(Function function, unsigned lanes, const float* x, const float* y,
            const double* approximations, float* out) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    decide_each(function, lanes, x, y, approximations, out, nan,
                [](double v) { return static_cast<float>(v); });
}

void decide(Function function, unsigned lanes, const float* x, const float* y,
            const double* approximations, std::uint16_t* out) {
    decide_each(function, lanes, x, y, approximations, out, std::uint16_t{0x7E00}, One::half);
}

}  // namespace functions
}  // namespace indirectml
