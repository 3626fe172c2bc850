// Functions of docs/arithmetic.md: the exact result, rounded once, to FLOAT32 (NAME_float32) or to FLOAT16
// (NAME_float16). Pairs of FLOAT32 are tried first, but on a CPU; then FLOAT64 with a relative error below
// MARGIN; then what FLOAT64 leaves open in pairs of FLOAT64. Errors are counted in native/functions
// (bodies.inl, powers.inl, pairs.inl).

#ifndef MARGIN  // which tests widen, so that pairs decide everything
#define MARGIN 0x1p-40
#define REACH 0x2000u  // in the last bits of FLOAT64
#else
#define REACH 0x10000000u
#endif

// ---- FLOAT64 ------------------------------------------------------------------------------------

static double polynomial(double w, constant double *coefficients, int terms) {
    double sum = coefficients[terms - 1];
    _Pragma("unroll") for (int k = terms - 2; k >= 0; --k) sum = fma(sum, w, coefficients[k]);
    return sum;
}

// z + z w p(w)
static double odd_series(double z, double w, constant double *coefficients, int terms) {
    return fma(z * w, polynomial(w, coefficients, terms), z);
}

#define TERMS(ARRAY) ARRAY, (int)(sizeof(ARRAY) / sizeof(ARRAY[0]))

// x = k ln 2 + rest, |x| < 700; the power is 2^k.
static double octaves(double x, double *power, double *inverse_power) {
    const double shifted = fma(x, kInverseLn2, ROUNDER), k = shifted - ROUNDER;
    const ulong exponent = as_ulong(shifted) << 52, one = 1023ul << 52;
    *power = as_double(one + exponent);
    *inverse_power = as_double(one - exponent);
    return fma(-k, kLn2Parts[1], fma(-k, kLn2Parts[0], x));
}

// Beyond these, results in FLOAT32 and FLOAT16 are 0 or infinite.
static double in_exp_range(double x) { return fmin(fmax(x, -150.0), 130.0); }

static double exp_in_range(double x) {
    double power, inverse;
    const double r = octaves(x, &power, &inverse);
    return fma(fma(polynomial(r, TERMS(kExp)), r, 1.0), r, 1.0) * power;
}
static double exp_of(double x) { return exp_in_range(in_exp_range(x)); }

static void hyperbolic(double x, double *sine, double *cosine) {
    double power, inverse;
    const double r = octaves(x, &power, &inverse), w = r * r;
    const double even = fma(w, polynomial(w, TERMS(kExpEven)), 1.0);
    const double odd = odd_series(r, w, TERMS(kExpOdd));
    const double c = 0.5 * power + 0.5 * inverse, s = 0.5 * power - 0.5 * inverse;
    // Without cancellation: s is 0 where k is.
    *sine = copysign(fma(s, even, c * odd), x);
    *cosine = fma(c, even, s * odd);
}

static double near_exp(double x) { return exp_of(x); }
static double near_expm1(double x) {  // 2^k (e^r - 1) + (2^k - 1), of which nothing cancels
    double power, inverse;
    const double r = octaves(in_exp_range(x), &power, &inverse);
    const double rest = fma(polynomial(r, TERMS(kExp)), r, 1.0) * r;
    return copysign(fma(power, rest, power - 1), x);
}
static double near_sinh(double x) {
    double sine, cosine;
    hyperbolic(fmin(fmax(x, -130.0), 130.0), &sine, &cosine);
    return sine;
}
static double near_cosh(double x) {
    double sine, cosine;
    hyperbolic(fmin(fmax(x, -130.0), 130.0), &sine, &cosine);
    return cosine;
}
static double near_tanh(double x) {
    double sine, cosine;
    hyperbolic(fmin(fmax(x, -20.0), 20.0), &sine, &cosine);
    return sine / cosine;
}
static double near_sigmoid(double x) { return 1 / (1 + exp_of(-x)); }
static double near_softplus(double x) {  // max(x, 0) + log(1 + e^-|x|)
    const double u = exp_of(-fabs(x)), s = u / (2 + u);
    return fmax(x, 0.0) + odd_series(s + s, s * s, TERMS(kLogWide));
}

// v = 2^k m, m from sqrt(1/2) to sqrt(2); v positive, finite and no subnormal.
static double split(double v, double *k) {
    const ulong root_half = 0x3FE6A09E667F3BCDul, one = 1023ul << 52;
    const ulong from_root = as_ulong(v) + (one - root_half);
    *k = (double)((int)(from_root >> 52) - 1023);
    return as_double((from_root & ((1ul << 52) - 1)) + root_half);
}

static double log_from(double k, double f) {  // k ln 2 + log(1 + f)
    const double s = f / (2 + f), log = odd_series(s + s, s * s, TERMS(kLog));
    return fma(k, kLn2Parts[0], fma(k, kLn2Parts[1], log));
}

static double log_of_positive(double x) {
    double k;
    const double m = split(x, &k);
    return log_from(k, m - 1);
}

// log(1 + v) for v >= 0 to full relative accuracy; infinite for an infinite v.
static double log1p_of(double v) {
    double k;
    const double m = split(1 + v, &k);
    return isinf(v) ? v : log_from(k, k == 0 ? v : m - 1);
}

static double near_log(double x) {
    if (x < 0) return NAN;
    if (x == 0) return -INFINITY;
    return isinf(x) ? x : log_of_positive(x);
}
static double near_asinh(double x) {  // log(1 + a + a^2 / (1 + sqrt(1 + a^2)))
    const double a = fabs(x), square = a * a;
    const double v = isinf(a) ? a : a + square / (1 + sqrt(1 + square));
    return copysign(log1p_of(v), x);
}
static double near_acosh(double x) {  // log(1 + t + sqrt(t (t + 2))), t = x - 1
    if (x < 1) return NAN;
    const double t = x - 1;
    return log1p_of(t + sqrt(t * (x + 1)));
}
static double near_atanh(double x) {  // log(1 + 2 a / (1 - a)) / 2
    const double a = fabs(x);
    if (a > 1) return NAN;
    return copysign(0.5 * log1p_of((a + a) / (1 - a)), x);
}

static double less_quadrants(double x, double quadrants) {
    const double r = fma(-quadrants, kHalfPiParts[1], fma(-quadrants, kHalfPiParts[0], x));
    return fma(-quadrants, kHalfPiParts[2], r);
}

#define LARGE 0x1p20  // from here on the three parts of pi / 2 do not suffice

static double sine_of(double r) { return copysign(odd_series(r, r * r, TERMS(kSine)), r); }
static double turned_nearby(double x, int turn) {  // the sine of x + turn * pi / 2, |x| < LARGE
    const int first = turn & 1;  // odd quadrants for cosines
    const double shifted = fma(x, kInversePi, -0.5 * first) + ROUNDER, k = shifted - ROUNDER;
    const double r = less_quadrants(x, k + k + first);
    // sin(x) = (-1)^k sin(r); cos(x) = -(-1)^k sin(r)
    return sine_of((as_ulong(shifted) ^ (ulong)first) & 1 ? -r : r);
}
static double near_turned(double x, int turn) {
    if (fabs(x) < LARGE) return turned_nearby(x, turn);
    if (isinf(x)) return NAN;
    int quadrant;
    double r = reduced(x, &quadrant);
    quadrant = (quadrant + turn) & 3;
    if (quadrant & 1) r = kHalfPi.x - fabs(r);
    if (quadrant & 2) r = -r;
    return sine_of(r);
}

static double near_sin(double x) { return near_turned(x, 0); }
static double near_cos(double x) { return near_turned(x, 1); }
static double tangent_of(double r, int quadrant) {
    const double w = r * r, sine = copysign(odd_series(r, w, TERMS(kSineNarrow)), r);
    const double cosine = fma(w * w, polynomial(w, TERMS(kCosineNarrow)), fma(-0.5, w, 1.0));
    return quadrant & 1 ? cosine / -sine : sine / cosine;
}
static double tan_nearby(double x) {  // |x| < LARGE
    const double shifted = fma(x, kTwoOverPi, ROUNDER);
    return tangent_of(less_quadrants(x, shifted - ROUNDER), (int)(as_ulong(shifted) & 1));
}
static double near_tan(double x) {
    if (fabs(x) < LARGE) return tan_nearby(x);
    if (isinf(x)) return NAN;
    int quadrant;
    const double r = reduced(x, &quadrant);
    return tangent_of(r, quadrant);
}

static double arctangent(double a, double b) {  // arctan(a / b), 0 <= a <= b, b > 0 and finite
    const int far = 0x1.a827999fcef32p-2 * b < a;  // beyond tan(pi / 8)
    const double z = (far ? a - b : a) / (far ? a + b : b);
    return (far ? 0.5 * kHalfPi.x : 0.0) + odd_series(z, z * z, TERMS(kArctangent));
}

static double near_atan2(double y, double x) {
    if (x != x || y != y) return NAN;
    const double height = fabs(y), width = fabs(x);
    const int steep = width < height;
    double small = steep ? width : height, large = steep ? height : width;
    // inf / inf counts as 1 / 1, anything else / inf as 0 / 1, and 0 / 0 as 0 / 1.
    if (isinf(large)) small = isinf(small) ? 1 : 0;
    if (isinf(large) || large == 0) large = 1;
    double angle = arctangent(small, large);
    if (steep) angle = kHalfPi.x - angle;
    if (signbit(x)) angle = 2 * kHalfPi.x - angle;
    return copysign(angle, y);
}
static double near_atan(double x) { return near_atan2(x, 1.0); }

// Of |x|, or where that is beyond 1/2, of sqrt((1 - |x|) / 2), which is half of pi / 2 less it.
static double arcsine(double x, int *beyond) {
    const double a = fabs(x);
    *beyond = a > 0.5;
    const double w = *beyond ? fma(-0.5, a, 0.5) : a * a;
    return odd_series(*beyond ? sqrt(w) : a, w, TERMS(kArcsine));
}
static double near_asin(double x) {
    int beyond;
    const double angle = arcsine(x, &beyond);
    return copysign(beyond ? fma(-2.0, angle, kHalfPi.x) : angle, x);
}
static double near_acos(double x) {
    int beyond;
    const double angle = arcsine(x, &beyond);
    if (!beyond) return kHalfPi.x - copysign(angle, x);
    return signbit(x) ? 2 * kHalfPi.x - 2 * angle : 2 * angle;
}

static double near_erf(double x) {
    const double w = fmin(x * x, 16.0), series = polynomial(fma(0.125, w, -1.0), TERMS(kErf));
    return copysign(fmin(fabs(x), 4.0) * series, x);
}
static double near_gelu(double x) {  // max(x, 0) - t e^(-t^2 / 2) R(t), t = |x|
    const double t = fmin(fabs(x), 15.0);  // beyond, the second term rounds to 0
    const double s = 10 / (5 + t), rest = t * s * polynomial(s - 1.25, TERMS(kGelu));
    return copysign(fmax(x, 0.0) - rest * exp_of(-0.5 * (t * t)), x);
}
static double near_rsqrt(double x) { return 1 / sqrt(x); }

static double near_pow(double x, double y) {  // e^(y log |x|): what counts is |y log |x|| < 150
    if (x == 1 || y == 0 || (x == -1 && isinf(y))) return 1;
    if (x != x || y != y) return NAN;
    const double a = fabs(x), log = a == 0 ? -INFINITY : isinf(a) ? a : log_of_positive(a);
    const double magnitude = exp_of(y * log);
    if (!signbit(x)) return magnitude;
    // Integers beyond 2^50 are even, as infinities count here.
    const double height = fmin(fabs(y), 0x1p50), shifted = height + ROUNDER;
    if (shifted - ROUNDER != height) return x < 0 && a < INFINITY ? NAN : magnitude;
    return as_ulong(shifted) & 1 ? -magnitude : magnitude;
}

// ---- Decisions ----------------------------------------------------------------------------------

// Whether a number that is off by less than MARGIN times itself is surely rounded as what it is for: the bits
// that FLOAT32 has not are far from half way, and it is no subnormal number there, nor infinite; or it is by
// far less than these.
static int is_clear(double x) {
    const uint high = (uint)(as_ulong(x) >> 32) & MAGNITUDE, low = (uint)as_ulong(x) & 0x1fffffffu;
    const int is_far = abs_diff(low, 0x10000000u) > REACH;
    return (is_far & (high - 0x38100000u < 0x0fe00000u)) | (high < 0x36800000u);
}

#define DECIDED(NARROW, NEAR, RARE)                                                      \
    const double guess = NEAR;                                                             \
    OF_CLEAR_##NARROW(guess)                                                               \
    if (guess != guess) return NARROW(guess);                                              \
    if (NARROW(guess * (1 - MARGIN)) == NARROW(guess * (1 + MARGIN))) return NARROW(guess); \
    const Precise sum = RARE;                                                               \
    return NARROW(odd_sum(sum.x, sum.y));

#define OF_CLEAR_single_of(guess) if (is_clear(guess)) return as_uint(convert_float_rte(guess));
#define OF_CLEAR_half_of(guess)
#define OF_ONE(NAME)                                                \
    static uint NAME##_float32(uint a) {                            \
        const double x = (double)as_float(a);                       \
        if (x != x) return QUIET_NAN;                               \
        FIRST(pairs_##NAME(as_float(a), &found))                    \
        DECIDED(single_of, near_##NAME(x), rare_##NAME(a, guess))   \
    }                                                               \
    static ushort NAME##_float16(uint a) {                          \
        const double x = (double)as_float(a);                       \
        if (x != x) return QUIET_NAN16;                             \
        FIRST_HALF(pairs_##NAME(as_float(a), &found))               \
        DECIDED(half_of, near_##NAME(x), rare_##NAME(a, guess))     \
    }
#define OF_TWO(NAME)                                                          \
    static uint NAME##_float32(uint a, uint b) {                              \
        const double x = (double)as_float(a), z = (double)as_float(b);        \
        FIRST(pairs_##NAME(as_float(a), as_float(b), &found))                 \
        DECIDED(single_of, near_##NAME(x, z), rare_##NAME(a, b, guess))       \
    }                                                                         \
    static ushort NAME##_float16(uint a, uint b) {                            \
        const double x = (double)as_float(a), z = (double)as_float(b);        \
        FIRST_HALF(pairs_##NAME(as_float(a), as_float(b), &found))            \
        DECIDED(half_of, near_##NAME(x, z), rare_##NAME(a, b, guess))         \
    }
// FLOAT64 decides these: its 53 bits are twice 24, and more.
EXACT(recip, half_of(1 / (double)as_float(a)))
EXACT(sqrt, half_of(sqrt((double)as_float(a))))

OF_ONE(exp) OF_ONE(expm1) OF_ONE(log)
OF_ONE(sin) OF_ONE(cos) OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan)
OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh) OF_ONE(asinh) OF_ONE(acosh) OF_ONE(atanh)
OF_ONE(erf) OF_ONE(gelu) OF_ONE(sigmoid) OF_ONE(softplus)
OF_ONE(rsqrt)
OF_TWO(pow) OF_TWO(atan2)
