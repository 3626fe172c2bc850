// Functions in pairs of FLOAT32, by polynomials: pairs_NAME writes a result, and says whether its rounding is
// decided. Those that have tables (singles.cl) come here with what these leave open: 2 to 5 of 1,000 are in a
// tenth of all groups of 32 work-items, which would wait for FLOAT64. A `float2` is the sum of two, y below
// 2^-23 of x, and every function is such a sum but for a relative error, which its margin is two times and
// more of. What a sum or a product of two such loses is 2^-45 at most, a quotient or a root 2^-43: so what
// counts are the terms of polynomials that are FLOAT32 alone, those behind the first `pairs` ones: 2^-23 of
// the largest of these.

#ifndef MARGIN_PART  // of margins: tests take less
#define MARGIN_PART 1.0f
#endif

#define ROUNDER_32 0x1.8p23f  // added and taken away, it rounds to an integer below 2^22
// Below it x - x^3 / 3 and the like are next to x, and x + x^3 / 2.
#define NEXT_TO_0 0x1p-12f

// ---- Sums of two --------------------------------------------------------------------------------

static float2 of_ordered(float a, float b) {  // |a| >= |b|, or a is 0
    const float high = a + b;
    return (float2)(high, b - (high - a));
}
static float2 of_sum(float a, float b) {
    const float high = a + b, rounded_b = high - a;
    return (float2)(high, (a - (high - rounded_b)) + (b - rounded_b));
}
static float2 of_product(float a, float b) {
    const float high = a * b;
    return (float2)(high, fused(a, b, -high));
}
static float2 together(float2 a, float2 b) {
    const float2 sum = of_sum(a.x, b.x);
    return of_ordered(sum.x, sum.y + (a.y + b.y));
}
static float2 multiplied(float2 a, float2 b) {
    const float2 product = of_product(a.x, b.x);
    return of_ordered(product.x, fused(a.x, b.y, fused(a.y, b.x, product.y)));
}
static float2 quotient_of(float2 n, float2 d) {
    const float inverse = inverse_of(d.x), high = n.x * inverse;
    const float rest = fused(-high, d.y, fused(-high, d.x, n.x) + n.y);
    return of_ordered(high, rest * inverse);
}
static float2 root_of_sum(float2 a) {
    if (a.x == 0) return a;
    float root = sqrt(a.x), half_inverse = 0.5f * inverse_of(root);
#ifndef ROOTED_BY_DEVICE
    root = fused(fused(-root, root, a.x), half_inverse, root);
#endif
    return of_ordered(root, (fused(-root, root, a.x) + a.y) * half_inverse);
}

static int decided(float2 sum, float margin, float *y) {
    const float part = margin * MARGIN_PART;
    *y = sum.x + fused(sum.x, part, sum.y);
    return *y == sum.x + fused(sum.x, -part, sum.y);
}

// Each coefficient is more than all that comes behind it.
static float2 series(float2 w, constant float2 *coefficients, int terms, int pairs) {
    float rest = coefficients[terms - 1].x;
    _Pragma("unroll") for (int k = terms - 2; k >= pairs; --k) rest = fused(rest, w.x, coefficients[k].x);
    float2 sum = (float2)(rest, 0);
    _Pragma("unroll") for (int k = pairs - 1; k >= 0; --k) {
        const float2 product = multiplied(sum, w), next = of_ordered(coefficients[k].x, product.x);
        sum = of_ordered(next.x, next.y + (product.y + coefficients[k].y));
    }
    return sum;
}
#define SERIES(W, ARRAY, PAIRS) series(W, ARRAY, (int)(sizeof(ARRAY) / sizeof(ARRAY[0])), PAIRS)
#define ODD_SERIES(Z, W, ARRAY, PAIRS) together(Z, multiplied(multiplied(Z, W), SERIES(W, ARRAY, PAIRS)))

#define ONE_32 ((float2)(1, 0))
#define HALF_PI_32 ((float2)(kHalfPiSum[0], kHalfPiSum[1]))

// ---- Powers of e --------------------------------------------------------------------------------

// t = k ln 2 + rest; |t| < 100.
static float2 less_octaves(float2 t, int *k) {
    const float whole_part = fused(t.x, kInverseLn2Single, ROUNDER_32) - ROUNDER_32;
    *k = (int)whole_part;
    const float2 second = of_product(-whole_part, kLn2Sum[1]);
    const float2 rest = of_sum(fused(-whole_part, kLn2Sum[0], t.x), second.x);
    return of_ordered(rest.x, rest.y + (fused(-whole_part, kLn2Sum[2], second.y) + t.y));
}
static float power_of_2(int k) { return as_float((uint)(k + 127) << 23); }

// e^r - 1: r^6 / 720 is 2^-17 of it.
static float2 less_one(float2 r) { return ODD_SERIES(r, r, kExpSums, 4); }
static float2 power_of_sum(float2 t, int *k) { return together(ONE_32, less_one(less_octaves(t, k))); }

static int pairs_exp(float x, float *y) {
    if (tables_exp(x, y)) return true;
    int k;
    const int is_near = (x > -86) & (x < 88);  // a normal number
    const float2 power = power_of_sum((float2)(is_near ? x : 0, 0), &k);
    const int is_decided = decided(power, 0x1p-38f, y);
    *y *= power_of_2(k);
    return is_near & is_decided;
}
static int pairs_sigmoid(float x, float *y) {
    if (tables_sigmoid(x, y)) return true;
    int k;
    const float2 u = power_of_sum((float2)(fmin(fmax(-x, -60.0f), 60.0f), 0), &k) * power_of_2(k);
    return (fabs(x) < 60) & decided(quotient_of(ONE_32, together(u, ONE_32)), 0x1p-38f, y);
}
static int pairs_expm1(float x, float *y) {
    if (fabs(x) < 0x1p-25f) {
        *y = x;
        return true;
    }
    int k;  // 2^k (e^r - 1) + (2^k - 1), of which nothing cancels; below -60 it is -1
    const float2 r = less_octaves((float2)(fmax(x, -60.0f), 0), &k);
    const float power = power_of_2(k);
    return (x <= 88) & decided(together(less_one(r) * power, of_sum(power, -1)), 0x1p-37f, y);
}

// w^3 / 720 is 2^-18 of it.
static void hyperbola(float a, float2 *sine, float2 *cosine) {
    int k;
    const float2 r = less_octaves((float2)(a, 0), &k), w = multiplied(r, r);
    const float2 even = together(ONE_32, multiplied(w, SERIES(w, kExpEvenSums, 2)));
    const float2 odd = ODD_SERIES(r, w, kExpOddSums, 2);
    const float power = 0.5f * power_of_2(k), inverse = 0.5f * power_of_2(-k);
    const float2 c = of_sum(power, inverse), s = of_sum(power, -inverse);
    *sine = together(multiplied(s, even), multiplied(c, odd));
    *cosine = together(multiplied(c, even), multiplied(s, odd));
}
static int pairs_sinh(float x, float *y) {
    float2 sine, cosine;
    hyperbola(fmin(fabs(x), 88.0f), &sine, &cosine);
    const int is_decided = decided(sine, 0x1p-38f, y), is_next = fabs(x) < NEXT_TO_0;
    *y = is_next ? x : copysign(*y, x);
    return is_next | ((fabs(x) < 87) & is_decided);
}
static int pairs_cosh(float x, float *y) {
    float2 sine, cosine;
    hyperbola(fmin(fabs(x), 88.0f), &sine, &cosine);
    return (fabs(x) < 87) & decided(cosine, 0x1p-38f, y);
}
static int pairs_tanh(float x, float *y) {
    if (tables_tanh(x, y)) return true;
    float2 sine, cosine;
    hyperbola(fmin(fabs(x), 20.0f), &sine, &cosine);
    const int is_decided = decided(quotient_of(sine, cosine), 0x1p-38f, y), is_next = fabs(x) < NEXT_TO_0;
    *y = is_next ? x : copysign(*y, x);
    return is_next | ((fabs(x) < 20) & is_decided);
}

// max(x, 0) + log(1 + u), u = e^-|x|: w^4 / 9 is 2^-15.8 of it, w = (u / (2 + u))^2.
static int pairs_softplus(float x, float *y) {
    int k;
    const float2 u = power_of_sum((float2)(-fmin(fabs(x), 60.0f), 0), &k) * power_of_2(k);
    const float2 s = quotient_of(u, together((float2)(2, 0), u)), w = multiplied(s, s);
    const float2 sum = together((float2)(fmax(x, 0.0f), 0), ODD_SERIES(s, w, kLogWideSums, 3) * 2);
    return (x > -60) & decided(sum, 0x1p-37f, y);
}

// ---- The normal distribution --------------------------------------------------------------------

// Where coefficients are as large as those before them: all are sums.
static float2 long_series(float2 w, constant float2 *coefficients, int terms) {
    float2 sum = coefficients[terms - 1];
    _Pragma("nounroll") for (int k = terms - 2; k >= 0; --k) {
        sum = together(multiplied(sum, w), coefficients[k]);
    }
    return sum;
}
#define LONG_SERIES(W, ARRAY) long_series(W, ARRAY, (int)(sizeof(ARRAY) / sizeof(ARRAY[0])))

static int pairs_erf(float x, float *y) {  // x p(x^2 / 8 - 1)
    if (tables_erf(x, y)) return true;
    const float a = fmin(fabs(x), 4.0f);
    const float2 u = together(of_product(a, a * 0.125f), (float2)(-1, 0));
    const int is_decided = decided(multiplied((float2)(a, 0), LONG_SERIES(u, kErfSums)), 0x1p-38f, y);
    *y = copysign(*y, x);
    return (fabs(x) < 4) & (a >= 0x1p-90f) & is_decided;
}
static int pairs_gelu(float x, float *y) {  // max(x, 0) - t e^(-t^2 / 2) R(t), t = |x|
    if (tables_gelu(x, y)) return true;
    const float t = fmin(fabs(x), 11.0f);
    const float2 s = quotient_of((float2)(10, 0), of_sum(5, t));
    const float2 rest = multiplied(s, LONG_SERIES(together(s, (float2)(-1.25f, 0)), kGeluSums));
    int k;
    const float2 power = power_of_sum(of_product(t, -0.5f * t), &k);
    const float2 tail = multiplied(multiplied(rest, power), (float2)(-t * power_of_2(k), 0));
    const int is_decided = decided(together((float2)(fmax(x, 0.0f), 0), tail), 0x1p-37f, y);
    return (fabs(x) < 11) & (t >= 0x1p-90f) & is_decided;
}

// ---- Logarithms ---------------------------------------------------------------------------------

// u = 2^k m, m from sqrt(1/2) to sqrt(2): m. u is positive, finite and no subnormal number.
static float less_powers_of_2(float u, int *k) {
    const uint from_root = as_uint(u) + (0x3f800000u - 0x3f3504f3u);
    *k = (int)(from_root >> 23) - 127;
    return as_float((from_root & 0x7fffffu) + 0x3f3504f3u);
}
// k ln 2 + log(1 + f): w^4 / 9 is 2^-23 of it.
static float2 log_from_sum(int k, float2 f) {
    const float2 s = quotient_of(f, together((float2)(2, 0), f)), w = multiplied(s, s);
    const float2 octaves_ = multiplied((float2)(k, 0), (float2)(kLn2Sum[0], kLn2Sum[1]));
    return together(octaves_, ODD_SERIES(s, w, kLogSums, 3) * 2);
}
static float2 log_of_single(float x) {
    int k;
    const float m = less_powers_of_2(x, &k);
    return log_from_sum(k, (float2)(m - 1, 0));
}
// log(1 + v), v from 0 to 2^60, to full relative accuracy.
static float2 log1p_of_sum(float2 v) {
    const float2 u = together(ONE_32, v);
    int k;
    const float m = less_powers_of_2(u.x, &k);
    return log_from_sum(k, k == 0 ? v : of_ordered(m - 1, u.y * power_of_2(-k)));
}

static int pairs_log(float x, float *y) {
    return (x >= 0x1p-126f) & (x < INFINITY) & decided(log_of_single(x), 0x1p-39f, y);
}

#define FAR_OUT 0x1p30f  // from here on, asinh and acosh are log(2 x)
static float2 log_of_twice(float x) { return together(log_of_single(x), (float2)(kLn2Sum[0], kLn2Sum[1])); }

static int pairs_asinh(float x, float *y) {  // log(1 + a + a^2 / (1 + sqrt(1 + a^2)))
    const float a = fabs(x), near = fmin(a, FAR_OUT);
    const float2 square = of_product(near, near), root = root_of_sum(together(ONE_32, square));
    const float2 v = together((float2)(near, 0), quotient_of(square, together(ONE_32, root)));
    const float2 sum = a < FAR_OUT ? log1p_of_sum(v) : log_of_twice(a);
    const int is_decided = decided(sum, 0x1p-38f, y), is_next = a < NEXT_TO_0;
    *y = is_next ? x : copysign(*y, x);
    return is_next | ((a < INFINITY) & is_decided);
}
static int pairs_acosh(float x, float *y) {  // log(1 + t + sqrt(t (t + 2))), t = x - 1
    const float near = fmin(fmax(x, 1.0f), FAR_OUT);
    const float2 t = of_sum(near, -1), root = root_of_sum(multiplied(t, of_sum(near, 1)));
    const float2 sum = x < FAR_OUT ? log1p_of_sum(together(t, root)) : log_of_twice(x);
    return (x >= 1) & (x < INFINITY) & decided(sum, 0x1p-38f, y);
}
static int pairs_atanh(float x, float *y) {  // log(1 + 2 a / (1 - a)) / 2
    const float a = fabs(x), near = fmin(a, 0x1.fffffep-1f);
    const float2 sum = log1p_of_sum(quotient_of((float2)(near + near, 0), of_sum(1, -near)));
    const int is_decided = decided(sum * 0.5f, 0x1p-38f, y), is_next = a < NEXT_TO_0;
    *y = is_next ? x : copysign(*y, x);
    return is_next | ((a < 1) & is_decided);
}

// e^(y log |x|), to what the logarithm lacks, y log |x| times as much.
static int pairs_pow(float x, float exponent, float *y) {
    *y = 0;
    if (!as_uint(x) & (exponent > 0)) return true;
    const float a = fabs(x), height = fabs(exponent), rounder = 0x1p23f;
    const float2 t = multiplied((float2)(exponent, 0), log_of_single(a));
    int k;
    const float far = fabs(t.x);
    const float2 power = power_of_sum(far < 87 ? t : (float2)(0, 0), &k);
    const int is_decided = decided(power, fused(far, 0x1p-41f, 0x1p-38f), y);
    *y *= power_of_2(k);
    const float whole_part = (height + rounder) - rounder;  // where that is exact
    if (signbit(x) && as_uint(height + rounder) & 1) *y = -*y;
    const int has_sign = !signbit(x) | ((height < 0x1p22f) & (whole_part == height));
    return (a >= 0x1p-126f) & (a < INFINITY) & (far < 87) & has_sign & is_decided;
}

// ---- Angles -------------------------------------------------------------------------------------

#define TURNED_NEARBY 0x1p20f  // from here on, integers take quarters of a circle away

// x = quadrant * pi / 2 + rest; open where so much vanishes that the rest is off by more than 2^-38.5.
static int less_quarters(float x, int *quadrant, float2 *rest) {
    if (fabs(x) < TURNED_NEARBY) {
        const float q = fused(x, kTwoOverPiSingle, ROUNDER_32) - ROUNDER_32;
        *quadrant = (int)q;
        const float2 second = of_product(-q, kHalfPiSum[1]);
        const float2 sum = of_sum(fused(-q, kHalfPiSum[0], x), second.x);
        *rest = of_ordered(sum.x, sum.y + fused(-q, kHalfPiSum[2], second.y));
        return (q == 0) | (fabs(rest->x) >= 0x1p-12f);
    }
    const Reduction r = reduction_of(as_uint(fabs(x)));
    const ulong fraction = (ulong)r.words[0] << 34 | (ulong)r.words[1] << 2 | r.words[2] >> 30;
    const int zeros = (int)clz(fraction);
    const ulong all_bits = fraction << zeros;
    const float unit = power_of_2(-24 - zeros);
    const float2 exact = (float2)((uint)(all_bits >> 40) * unit, (uint)(all_bits >> 16 & 0xffffffu) * unit * 0x1p-24f);
    *rest = multiplied(exact, HALF_PI_32) * ((r.is_negative != 0) != (x < 0) ? -1.0f : 1.0f);
    *quadrant = x < 0 ? -r.quadrant : r.quadrant;
    return zeros < 14;
}

// w^4 / 362880 is 2^-21 of it.
static float2 sine_of_sum(float2 r) {
    const float2 w = multiplied(r, r);
    return ODD_SERIES(r, w, kSineNarrowSums, 3);
}
// w^4 / 40320 is 2^-17 of it.
static float2 cosine_of_sum(float2 r) {
    const float2 w = multiplied(r, r), rest = multiplied(multiplied(w, w), SERIES(w, kCosineNarrowSums, 2));
    return together(together(ONE_32, w * -0.5f), rest);
}
static int turned_in_pairs(float x, int turn, float *y) {
    int quadrant;
    float2 r;
    const int is_near = less_quarters(x, &quadrant, &r);
    quadrant += turn;
    const int is_decided = decided(quadrant & 1 ? cosine_of_sum(r) : sine_of_sum(r), 0x1p-37f, y);
    if (quadrant & 2) *y = -*y;
    return is_near & is_decided & (fabs(x) < INFINITY);
}
static int pairs_sin(float x, float *y) {
    if (fabs(x) >= NEXT_TO_0) return turned_in_pairs(x, 0, y);
    *y = x;
    return true;
}
static int pairs_cos(float x, float *y) { return turned_in_pairs(x, 1, y); }
static int pairs_tan(float x, float *y) {
    *y = x;
    if (fabs(x) < NEXT_TO_0) return true;
    int quadrant;
    float2 r;
    const int is_near = less_quarters(x, &quadrant, &r);
    const float2 sine = sine_of_sum(r), cosine = cosine_of_sum(r);
    const float2 sum = quadrant & 1 ? quotient_of(cosine, -sine) : quotient_of(sine, cosine);
    return decided(sum, 0x1p-37f, y) & is_near & (fabs(x) < INFINITY);
}

// arctan(a / b), 0 <= a <= b, b > 0: w^5 / 11 is 2^-16 of it.
static float2 arctangent_in_pairs(float a, float b) {
    const int far = 0x1.a8279ap-2f * b < a;  // beyond tan(pi / 8)
    const float2 n = far ? of_sum(a, -b) : (float2)(a, 0), d = far ? of_sum(b, a) : (float2)(b, 0);
    const float2 z = quotient_of(n, d), w = multiplied(z, z), angle = ODD_SERIES(z, w, kArctangentSums, 4);
    return far ? together(HALF_PI_32 * 0.5f, angle) : angle;
}
static int pairs_atan(float x, float *y) {
    const float a = fmin(fabs(x), 0x1p60f);
    const int steep = a > 1;
    float2 angle = arctangent_in_pairs(steep ? 1 : a, steep ? a : 1);
    if (steep) angle = together(HALF_PI_32, -angle);
    const int is_decided = decided(angle, 0x1p-37f, y), is_next = a < NEXT_TO_0;
    *y = is_next ? x : copysign(*y, x);
    return is_next | is_decided;
}
static int pairs_atan2(float height, float width, float *y) {
    const uint h = as_uint(fabs(height)), w = as_uint(fabs(width)), large = max(h, w), small = min(h, w);
    const uint up = large >> 23, lowest = small >> 23;
    // Both by a power of two, so that the larger one is from 1 to 2.
    if (!lowest || up == 255 || up - lowest > 60) return false;
    const uint less = (up - 127u) << 23;
    float2 angle = arctangent_in_pairs(as_float(small - less), as_float(large - less));
    if (h > w) angle = together(HALF_PI_32, -angle);
    if (signbit(width)) angle = together(HALF_PI_32 * 2, -angle);
    const int is_decided = decided(angle, 0x1p-37f, y);
    *y = copysign(*y, height);
    return is_decided;
}

// Of a, or where that is beyond 1/2, of sqrt((1 - a) / 2), which is half of pi / 2 less it: w^5 / 45 is
// 2^-15 of it.
static float2 arcsine_in_pairs(float a, int beyond) {
    const float2 w = beyond ? (float2)(fused(-0.5f, a, 0.5f), 0) : of_product(a, a);
    const float2 z = beyond ? root_of_sum(w) : (float2)(a, 0);
    return ODD_SERIES(z, w, kArcsineSums, 4);
}
static int pairs_asin(float x, float *y) {
    const float a = fabs(x);
    const int beyond = a > 0.5f;
    float2 angle = arcsine_in_pairs(fmin(a, 1.0f), beyond);
    if (beyond) angle = together(HALF_PI_32, angle * -2);
    const int is_decided = decided(angle, 0x1p-36f, y), is_next = a < NEXT_TO_0;
    *y = is_next ? x : copysign(*y, x);
    return is_next | ((a <= 1) & is_decided);
}
static int pairs_acos(float x, float *y) {
    const float a = fabs(x);
    const int beyond = a > 0.5f;
    float2 angle = arcsine_in_pairs(fmin(a, 1.0f), beyond) * (beyond ? 2 : 1);
    if (!beyond) angle = together(HALF_PI_32, angle * (x < 0 ? 1.0f : -1.0f));
    if (beyond && x < 0) angle = together(HALF_PI_32 * 2, -angle);
    return (a <= 1) & decided(angle, 0x1p-36f, y);
}

// ---- Roots and inverses -------------------------------------------------------------------------

// Numbers whose residues are no subnormal numbers.
static int is_of_middle_size(float a) { return (fabs(a) >= 0x1p-60f) & (fabs(a) <= 0x1p60f); }

static int pairs_sqrt(float x, float *y) {
    *y = x;
    if (x == 0) return true;
    return (x > 0) & is_of_middle_size(x) & decided(root_of_sum((float2)(x, 0)), 0x1p-41f, y);
}
static int pairs_rsqrt(float x, float *y) {
    const float2 sum = quotient_of(ONE_32, root_of_sum((float2)(x, 0)));
    return (x > 0) & is_of_middle_size(x) & decided(sum, 0x1p-40f, y);
}

// ---- What is tried first ------------------------------------------------------------------------

// FLOAT16, of what was rounded to FLOAT32: is it that of what lies next to that too?
static int is_half_decided(uint y) {
    const uint far = y & MAGNITUDE;
    return !far || narrowed(far - 1) == narrowed(far + 1);
}

// Not where each fma is a hundred operations of integers; and a CPU's vectors have FLOAT64 at half the speed,
// and loops without branches (many.cl). Tests define WITHOUT_PAIRS. Names of functions are macros in some
// implementations: none is handed on from macro to macro.
#if defined(SINGLES_BY_DEVICE) && defined(FUSED_BY_DEVICE) && !defined(WITHOUT_PAIRS) && \
    !(defined(HAS_FLOAT64) && (defined(HAS_VECTORS) || defined(FLOAT64_IS_FAST)))
#define BEGIN_WITH_PAIRS
#define FIRST(TRIED) \
    float found;     \
    if (TRIED) return as_uint(found);
#define FIRST_HALF(TRIED) \
    float found;          \
    if (TRIED && is_half_decided(as_uint(found))) return narrowed(as_uint(found));
#else
#define FIRST(TRIED)
#define FIRST_HALF(TRIED)
#endif

// What one operation of a device may round once.
static uint recip_float32(uint a) { return divided(0x3f800000u, a); }
static uint sqrt_float32(uint a) {
#ifdef ROOTED_BY_DEVICE
    return quiet(sqrt(as_float(a)));
#else
    FIRST(pairs_sqrt(as_float(a), &found))
#ifdef HAS_FLOAT64
    return single_of(sqrt((double)as_float(a)));
#else
    return single_of_double(ROOT_OF(double_of_single(a)));
#endif
#endif
}
#define EXACT(NAME, HALF)                                                \
    static ushort NAME##_float16(uint a) {                               \
        const uint y = NAME##_float32(a);                                \
        return is_half_decided(y) ? narrowed(y) : HALF;                  \
    }
