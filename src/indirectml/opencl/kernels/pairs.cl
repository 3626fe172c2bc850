// Functions to about 2^-100: pairs of FLOAT64 whose sum is meant, x the larger and y the smaller
// number. What native/functions/accurate.cpp computes, operation by operation, for the results that
// FLOAT64 leaves open. Without fma, as there.

typedef double2 Precise;
typedef double Guess;  // what FLOAT64 has found

#define HALF_PI kHalfPi
#define TWO_OVER_ROOT_PI kTwoOverRootPi
#define INVERSE_ROOT_TWO_PI kInverseRootTwoPi
// Where the distribution's fraction begins, and its terms: 2^-109.
#define FAR_BELOW 0x40400000u  // 3
#define FRACTIONS 160
#define FRACTIONS_FROM 14

#define ROUNDER 0x1.8p52  // added and taken away, it rounds to an integer

static Precise pair(double high, double low) { return (Precise)(high, low); }
static double power_of_two(int exponent) { return as_double((ulong)(exponent + 1023) << 52); }

static Precise ordered_sum(double a, double b) {  // |a| >= |b|, or a is 0
    const double high = a + b;
    return pair(high, b - (high - a));
}

static Precise sum_of(double a, double b) {
    const double high = a + b, rounded_b = high - a;
    return pair(high, (a - (high - rounded_b)) + (b - rounded_b));
}

static Precise product_of(double a, double b) {  // Dekker (1971); |a|, |b| < 2^990
    const double product = a * b;
    const double shifted_a = a * 0x1.0000002p27, shifted_b = b * 0x1.0000002p27;
    const double a1 = shifted_a - (shifted_a - a), b1 = shifted_b - (shifted_b - b);
    const double a2 = a - a1, b2 = b - b1;
    return pair(product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2);
}

static Precise plus(Precise a, Precise b) {
    const Precise high = sum_of(a.x, b.x), low = sum_of(a.y, b.y);
    const Precise sum = ordered_sum(high.x, high.y + low.x);
    return ordered_sum(sum.x, sum.y + low.y);
}

static Precise minus(Precise a, Precise b) { return plus(a, -b); }

static Precise times(Precise a, Precise b) {
    const Precise product = product_of(a.x, b.x);
    return ordered_sum(product.x, product.y + (a.x * b.y + a.y * b.x));
}

static Precise over(Precise a, Precise b) {
    const double first = a.x / b.x;
    Precise rest = minus(a, times(b, pair(first, 0)));
    const double second = rest.x / b.x;
    rest = minus(rest, times(b, pair(second, 0)));
    return plus(ordered_sum(first, second), pair(rest.x / b.x, 0));
}

static Precise root_of(Precise a) {
    if (a.x == 0) return a;
    const double root = sqrt(a.x);
    const Precise rest = minus(a, product_of(root, root));
    return ordered_sum(root, rest.x / (2 * root));
}

static Precise precise(uint a) { return pair((double)as_float(a), 0); }
static Precise precise_count(int n) { return pair((double)n, 0); }
static Precise negated(Precise a) { return -a; }
static Precise scaled(Precise a, int exponent) { return a * power_of_two(exponent); }
static Precise over_count(Precise a, int n) { return over(a, precise_count(n)); }
static bool is_lost(Precise a, Precise sum) { return !(fabs(a.x) > 0x1p-110 * fabs(sum.x)); }

// ---- Exponential and logarithm ------------------------------------------------------------------

// Sum of r^n / (n + 1)! for |r| < 0.35: (e^r - 1) / r.
static Precise exp_series(Precise r) {
    Precise sum = kInverseFactorial[26];
    for (int n = 25; n >= 1; --n) sum = plus(times(sum, r), kInverseFactorial[n]);
    return sum;
}

static Precise precise_exp(Precise x) {
    const double k = (x.x * kInverseLn2 + ROUNDER) - ROUNDER;
    Precise r = plus(x, pair(-k * kLn2Parts[0], 0));
    r = plus(r, pair(-k * kLn2Parts[1], 0));
    r = plus(r, pair(-k * kLn2Parts[2], 0));
    return plus(pair(1, 0), times(r, exp_series(r))) * power_of_two((int)k);
}

static Precise precise_expm1(Precise x) {
    if (fabs(x.x) < 0.34) return times(x, exp_series(x));
    return minus(precise_exp(x), pair(1, 0));
}

// log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1
static Precise log_series(Precise f) {
    const Precise s = over(f, plus(pair(2, 0), f)), w = times(s, s);
    Precise sum = kInverseOdd[23];
    for (int n = 22; n >= 0; --n) sum = plus(times(sum, w), kInverseOdd[n]);
    return 2 * times(s, sum);
}

static Precise precise_log(Precise x) {  // x.x a normal number
    int k = (int)(as_ulong(x.x) >> 52) - 1023;
    Precise m = x * power_of_two(-k);
    if (m.x > 0x1.6a09e667f3bcdp0) {
        m = 0.5 * m;
        ++k;
    }
    Precise ln2 = plus(pair(k * kLn2Parts[0], 0), pair(k * kLn2Parts[1], 0));
    ln2 = plus(ln2, pair(k * kLn2Parts[2], 0));
    return plus(ln2, log_series(minus(m, pair(1, 0))));
}

static Precise precise_log1p(Precise v) {  // to full relative accuracy, v >= 0
    return v.x < 0.41 ? log_series(v) : precise_log(plus(pair(1, 0), v));
}

// ---- Angles -------------------------------------------------------------------------------------

// x = quadrant * pi / 2 + rest, |x| from 2^-2 on, finite
static double reduced(double x, int *quadrant) {
    const Reduction r = reduction_of(as_uint(fabs((float)x)));
    // No FLOAT32 is so close to a multiple of pi / 2 that these do not have 53 bits.
    const double fraction = r.words[0] * 0x1p-30 + (r.words[1] * 0x1p-62 + r.words[2] * 0x1p-94);
    const double rest = fraction * kHalfPi.x;
    *quadrant = (x < 0 ? -r.quadrant : r.quadrant) & 3;
    return (r.is_negative != 0) != (x < 0) ? -rest : rest;
}

static Precise fraction_of(const Reduction *r) {  // without its sign
    Precise fraction = pair(0, 0);
    double weight = 0x1p-30;
    for (int k = 0; k < 6; ++k) {
        fraction = plus(fraction, pair(r->words[k] * weight, 0));
        weight *= 0x1p-32;
    }
    return fraction;
}

static void circle_at(Precise r, Precise *sine, Precise *cosine) {  // |r| <= pi / 4
    const Precise w = -times(r, r);
    Precise s = kInverseFactorial[29], c = kInverseFactorial[28];
    for (int n = 27; n >= 3; n -= 2) {
        s = plus(times(s, w), kInverseFactorial[n]);
        c = plus(times(c, w), kInverseFactorial[n - 1]);
    }
    s = plus(r, times(r, times(s, w)));
    c = plus(pair(1, 0), times(c, w));
    *sine = s;
    *cosine = c;
}

static void turn(int quadrants, Precise *sine, Precise *cosine);

// The angle of (x, y), near `guess`.
static Precise angle_of(Precise y, Precise x, double guess) {
    if (x.x > 0 && fabs(y.x) < 0x1p-40 * x.x) {
        const Precise t = over(y, x);  // less t^3 / 3, however little that is
        return minus(t, pair(t.x * t.x * t.x / 3, 0));
    }
    const double q = (guess * kTwoOverPi + ROUNDER) - ROUNDER;
    const Precise near = minus(sum_of(guess, -q * kHalfPiParts[0]), pair(q * kHalfPiParts[1], 0));
    Precise sine, cosine;
    circle_at(minus(near, pair(q * kHalfPiParts[2], 0)), &sine, &cosine);
    turn((int)q, &sine, &cosine);
    const Precise t = over(minus(times(y, cosine), times(x, sine)),
                             plus(times(x, cosine), times(y, sine)));
    return minus(plus(pair(guess, 0), t), pair(t.x * t.x * t.x / 3, 0));
}
