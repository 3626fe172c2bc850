// Functions to about 2^-100: pairs of FLOAT64 whose sum is meant, x the larger and y the smaller
// number. What native/functions/accurate.cpp computes, operation by operation, for the results that
// FLOAT64 leaves open. Without fma, as there.

typedef double2 Pair;

#define ROUNDER 0x1.8p52  // added and taken away, it rounds to an integer

static Pair pair(double high, double low) { return (Pair)(high, low); }
static double power_of_two(int exponent) { return as_double((ulong)(exponent + 1023) << 52); }

static Pair ordered_sum(double a, double b) {  // |a| >= |b|, or a is 0
    const double high = a + b;
    return pair(high, b - (high - a));
}

static Pair sum_of(double a, double b) {
    const double high = a + b, rounded_b = high - a;
    return pair(high, (a - (high - rounded_b)) + (b - rounded_b));
}

static Pair product_of(double a, double b) {  // Dekker (1971); |a|, |b| < 2^990
    const double product = a * b;
    const double shifted_a = a * 0x1.0000002p27, shifted_b = b * 0x1.0000002p27;
    const double a1 = shifted_a - (shifted_a - a), b1 = shifted_b - (shifted_b - b);
    const double a2 = a - a1, b2 = b - b1;
    return pair(product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2);
}

static Pair plus_pair(Pair a, Pair b) {
    const Pair high = sum_of(a.x, b.x), low = sum_of(a.y, b.y);
    const Pair sum = ordered_sum(high.x, high.y + low.x);
    return ordered_sum(sum.x, sum.y + low.y);
}

static Pair minus_pair(Pair a, Pair b) { return plus_pair(a, -b); }

static Pair times_pair(Pair a, Pair b) {
    const Pair product = product_of(a.x, b.x);
    return ordered_sum(product.x, product.y + (a.x * b.y + a.y * b.x));
}

static Pair over_pair(Pair a, Pair b) {
    const double first = a.x / b.x;
    Pair rest = minus_pair(a, times_pair(b, pair(first, 0)));
    const double second = rest.x / b.x;
    rest = minus_pair(rest, times_pair(b, pair(second, 0)));
    return plus_pair(ordered_sum(first, second), pair(rest.x / b.x, 0));
}

static Pair root_of(Pair a) {
    if (a.x == 0) return a;
    const double root = sqrt(a.x);
    const Pair rest = minus_pair(a, product_of(root, root));
    return ordered_sum(root, rest.x / (2 * root));
}

// ---- Exponential and logarithm ------------------------------------------------------------------

// Sum of r^n / (n + 1)! for |r| < 0.35: (e^r - 1) / r.
static Pair exp_series(Pair r) {
    Pair sum = kInverseFactorial[26];
    for (int n = 25; n >= 1; --n) sum = plus_pair(times_pair(sum, r), kInverseFactorial[n]);
    return sum;
}

static Pair exp_of_pair(Pair x) {
    const double k = (x.x * kInverseLn2 + ROUNDER) - ROUNDER;
    Pair r = plus_pair(x, pair(-k * kLn2Parts[0], 0));
    r = plus_pair(r, pair(-k * kLn2Parts[1], 0));
    r = plus_pair(r, pair(-k * kLn2Parts[2], 0));
    return plus_pair(pair(1, 0), times_pair(r, exp_series(r))) * power_of_two((int)k);
}

static Pair expm1_of_pair(Pair x) {
    if (fabs(x.x) < 0.34) return times_pair(x, exp_series(x));
    return minus_pair(exp_of_pair(x), pair(1, 0));
}

// log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1
static Pair log_series(Pair f) {
    const Pair s = over_pair(f, plus_pair(pair(2, 0), f)), w = times_pair(s, s);
    Pair sum = kInverseOdd[23];
    for (int n = 22; n >= 0; --n) sum = plus_pair(times_pair(sum, w), kInverseOdd[n]);
    return 2 * times_pair(s, sum);
}

static Pair log_of_pair(Pair x) {  // x.x a normal number
    int k = (int)(as_ulong(x.x) >> 52) - 1023;
    Pair m = x * power_of_two(-k);
    if (m.x > 0x1.6a09e667f3bcdp0) {
        m = 0.5 * m;
        ++k;
    }
    Pair ln2 = plus_pair(pair(k * kLn2Parts[0], 0), pair(k * kLn2Parts[1], 0));
    ln2 = plus_pair(ln2, pair(k * kLn2Parts[2], 0));
    return plus_pair(ln2, log_series(minus_pair(m, pair(1, 0))));
}

static Pair log1p_of_pair(Pair v) {  // to full relative accuracy, v >= 0
    return v.x < 0.41 ? log_series(v) : log_of_pair(plus_pair(pair(1, 0), v));
}

// ---- Angles -------------------------------------------------------------------------------------

// a * 2 / pi = quadrant + fraction, |fraction| <= 1/2: words of its magnitude, the first one from
// weight 2^1 on.
typedef struct {
    int quadrant, is_negative;  // the fraction
    uint words[6];
} Reduction;

// For a from 2^-2 to 2^128, of 24 bits: Payne and Hanek (1983).
static Reduction reduction_of(double a) {
    const int e = (int)(as_ulong(a) >> 52) - 1023 - 23;
    const ulong m = (ulong)(a * power_of_two(-e));
    const int skipped = 62 + e;  // the table starts at weight 2^63
    Reduction r;
    ulong carry = 0;
    for (int k = 5; k >= 0; --k) {
        const int word = skipped / 32 + k, bit = skipped % 32;
        const ulong two = (ulong)kTwoOverPiBits[word] << 32 | kTwoOverPiBits[word + 1];
        carry += m * (two >> (32 - bit) & 0xFFFFFFFFul);
        r.words[k] = (uint)carry;
        carry >>= 32;
    }
    r.quadrant = (int)(r.words[0] >> 30);
    r.words[0] &= 0x3FFFFFFFu;
    r.is_negative = (int)(r.words[0] >> 29);
    if (!r.is_negative) return r;
    // To the next quadrant: 1 less the fraction.
    ++r.quadrant;
    ulong borrow = 0;
    for (int k = 5; k >= 0; --k) {
        const ulong one = k == 0 ? 1ul << 30 : 0;
        const ulong difference = one - r.words[k] - borrow;
        r.words[k] = (uint)difference;
        borrow = difference >> 63;
    }
    return r;
}

// x = quadrant * pi / 2 + rest, |x| from 2^-2 on, finite
static double reduced(double x, int *quadrant) {
    const Reduction r = reduction_of(fabs(x));
    // No FLOAT32 is so close to a multiple of pi / 2 that these do not have 53 bits.
    const double fraction = r.words[0] * 0x1p-30 + (r.words[1] * 0x1p-62 + r.words[2] * 0x1p-94);
    const double rest = fraction * kHalfPi.x;
    *quadrant = (x < 0 ? -r.quadrant : r.quadrant) & 3;
    return (r.is_negative != 0) != (x < 0) ? -rest : rest;
}

static Pair reduced_exactly(double x, int *quadrant) {
    *quadrant = 0;
    if (fabs(x) <= 0x1.921fb4p-1) return pair(x, 0);
    const Reduction r = reduction_of(fabs(x));
    Pair fraction = pair(0, 0);
    double weight = 0x1p-30;
    for (int k = 0; k < 6; ++k) {
        fraction = plus_pair(fraction, pair(r.words[k] * weight, 0));
        weight *= 0x1p-32;
    }
    const Pair rest = times_pair(fraction, kHalfPi);
    *quadrant = (x < 0 ? -r.quadrant : r.quadrant) & 3;
    return (r.is_negative != 0) != (x < 0) ? -rest : rest;
}

static void circle_at(Pair r, int quadrants, Pair *sine, Pair *cosine) {  // |r| <= pi / 4
    const Pair w = -times_pair(r, r);
    Pair s = kInverseFactorial[29], c = kInverseFactorial[28];
    for (int n = 27; n >= 3; n -= 2) {
        s = plus_pair(times_pair(s, w), kInverseFactorial[n]);
        c = plus_pair(times_pair(c, w), kInverseFactorial[n - 1]);
    }
    s = plus_pair(r, times_pair(r, times_pair(s, w)));
    c = plus_pair(pair(1, 0), times_pair(c, w));
    *sine = quadrants & 1 ? c : s;
    *cosine = quadrants & 1 ? -s : c;
    if (quadrants & 2) {
        *sine = -*sine;
        *cosine = -*cosine;
    }
}

// The angle of (x, y), near `guess`.
static Pair angle_of(Pair y, Pair x, double guess) {
    if (x.x > 0 && fabs(y.x) < 0x1p-40 * x.x) {
        const Pair t = over_pair(y, x);  // less t^3 / 3, however little that is
        return minus_pair(t, pair(t.x * t.x * t.x / 3, 0));
    }
    const double q = (guess * kTwoOverPi + ROUNDER) - ROUNDER;
    const Pair near = minus_pair(sum_of(guess, -q * kHalfPiParts[0]), pair(q * kHalfPiParts[1], 0));
    Pair sine, cosine;
    circle_at(minus_pair(near, pair(q * kHalfPiParts[2], 0)), (int)q, &sine, &cosine);
    const Pair t = over_pair(minus_pair(times_pair(y, cosine), times_pair(x, sine)),
                             plus_pair(times_pair(x, cosine), times_pair(y, sine)));
    return minus_pair(plus_pair(pair(guess, 0), t), pair(t.x * t.x * t.x / 3, 0));
}

// ---- Functions, of what FLOAT64 leaves open -----------------------------------------------------

#define RARE static __attribute__((noinline)) Pair

static Pair own(double x) { return pair(x, 0); }
static Pair signed_as(double x, Pair positive) { return x < 0 ? -positive : positive; }

RARE rare_exp(double x, double guess) { return exp_of_pair(own(x)); }
RARE rare_expm1(double x, double guess) { return expm1_of_pair(own(x)); }
RARE rare_log(double x, double guess) { return log_of_pair(own(x)); }

static Pair turned_sine(double x, int turn) {
    int quadrant;
    const Pair rest = reduced_exactly(x, &quadrant);
    Pair sine, cosine;
    circle_at(rest, quadrant + turn, &sine, &cosine);
    return sine;
}

RARE rare_sin(double x, double guess) { return turned_sine(x, 0); }
RARE rare_cos(double x, double guess) { return turned_sine(x, 1); }
RARE rare_tan(double x, double guess) {
    int quadrant;
    const Pair rest = reduced_exactly(x, &quadrant);
    Pair sine, cosine;
    circle_at(rest, quadrant, &sine, &cosine);
    return over_pair(sine, cosine);
}

RARE rare_asin(double x, double guess) {
    return angle_of(own(x), root_of(minus_pair(own(1), product_of(x, x))), guess);
}
RARE rare_acos(double x, double guess) {
    return angle_of(root_of(minus_pair(own(1), product_of(x, x))), own(x), guess);
}
RARE rare_atan2(double y, double x, double guess) { return angle_of(own(y), own(x), guess); }
RARE rare_atan(double x, double guess) { return angle_of(own(x), own(1), guess); }

RARE rare_sinh(double x, double guess) {
    const Pair m = expm1_of_pair(own(fabs(x)));
    return signed_as(x, 0.5 * plus_pair(m, over_pair(m, plus_pair(own(1), m))));
}
RARE rare_cosh(double x, double guess) {
    const Pair e = exp_of_pair(own(fabs(x)));
    return 0.5 * plus_pair(e, over_pair(own(1), e));
}
RARE rare_tanh(double x, double guess) {
    const Pair m = expm1_of_pair(own(2 * fabs(x)));
    return signed_as(x, over_pair(m, plus_pair(own(2), m)));
}
RARE rare_asinh(double x, double guess) {
    const double a = fabs(x);
    const Pair square = product_of(a, a);
    const Pair root = plus_pair(own(1), root_of(plus_pair(own(1), square)));
    return signed_as(x, log1p_of_pair(plus_pair(own(a), over_pair(square, root))));
}
RARE rare_acosh(double x, double guess) {
    const Pair t = sum_of(x, -1);
    return log1p_of_pair(plus_pair(t, root_of(times_pair(t, sum_of(x, 1)))));
}
RARE rare_atanh(double x, double guess) {
    const double a = fabs(x);
    return signed_as(x, 0.5 * log1p_of_pair(over_pair(own(2 * a), sum_of(1, -a))));
}

// x + x w / 3 + x w^2 / 15 + ...: each term is the last one times w / (2 n + 1).
static Pair bell_series(double x, Pair w) {
    Pair term = own(x), sum = term;
    for (int n = 3; fabs(term.x) > 0x1p-110 * fabs(sum.x); n += 2) {
        term = over_pair(times_pair(term, w), own((double)n));
        sum = plus_pair(sum, term);
    }
    return sum;
}

RARE rare_erf(double x, double guess) {  // |x| < 4.1
    const Pair square = product_of(x, x);
    return times_pair(times_pair(kTwoOverRootPi, exp_of_pair(-square)), bell_series(x, 2 * square));
}

// x times the part of the normal distribution below x.
RARE rare_gelu(double x, double guess) {
    // Far out only the sign of what x loses matters.
    if (x > 9) return pair(x, -0x1p-100 * x);
    const Pair square = product_of(x, x);
    const Pair density = times_pair(kInverseRootTwoPi, exp_of_pair(-0.5 * square));
    // Around 0 that part is 1/2 and the density times a series.
    if (x > -3) {
        return times_pair(own(x), plus_pair(own(0.5), times_pair(density, bell_series(x, square))));
    }
    // Below it is the density over t + 1 / (t + 2 / (t + 3 / ...)), t = -x: 2^-103 at -3.
    const int steps = 140;
    Pair rest = own(0.5 * (sqrt(x * x + 4 * steps) - x));
    for (int n = steps; n > 0; --n) rest = plus_pair(own(-x), over_pair(own((double)n), rest));
    return over_pair(times_pair(own(x), density), rest);
}

RARE rare_sigmoid(double x, double guess) {
    return over_pair(own(1), plus_pair(own(1), exp_of_pair(own(-x))));
}
RARE rare_softplus(double x, double guess) {
    if (x <= 0) return log1p_of_pair(exp_of_pair(own(x)));
    // Far out only its sign matters.
    return plus_pair(own(x), log1p_of_pair(exp_of_pair(own(x < 600 ? -x : -600.0))));
}
RARE rare_rsqrt(double x, double guess) { return over_pair(own(1), root_of(own(x))); }

static int is_whole(double x) { return x == (x + ROUNDER) - ROUNDER; }

// |x|^y where that has at most 25 bits, or 0: x = r^(2^k), y = a / 2^k. Powers of two apart, which
// r is divided by.
static Pair exact_power(double x, double y) {
    int exponent = (int)(as_ulong(x) >> 52) - 1023;
    double odd = x * power_of_two(-exponent);
    for (; !is_whole(odd); odd *= 2) --exponent;
    ulong root = (ulong)odd;
    double count = y;
    // No power of two has more than 24 * 2^k bits.
    for (int k = 0; !is_whole(count); ++k, count *= 2) {
        const ulong next = (ulong)sqrt((double)root);
        if (next * next != root || exponent % 2 != 0 || k == 8) return own(0);
        root = next;
        exponent /= 2;
    }
    if (root == 1) return own(power_of_two((int)count * exponent));
    if (count < 0 || count > 15) return own(0);
    ulong power = 1;
    for (int n = 0; n < (int)count; ++n) {
        power *= root;
        if (power >> 25) return own(0);
    }
    return own((double)power * power_of_two((int)count * exponent));
}

RARE rare_pow(double x, double y, double guess) {
    const double a = fabs(x);
    Pair result = exact_power(a, y);
    if (result.x == 0) result = exp_of_pair(times_pair(log_of_pair(own(a)), own(y)));
    return guess < 0 ? -result : result;
}
