// Functions in pairs of FLOAT32, high + low: what most arguments are decided by.

// e^t lies from high + low to high + low + 2 kPowerMargin power; |t| < 64.
static float2 power_of_e(float t, float *power_) {
    const float shifted = fused(t, kPowersPerUnit, 0x1.8p23f), n = shifted - 0x1.8p23f;
    const float r = fused(n, -kPowerStep[0], t);
    const uint bits = as_uint(shifted);
    const float power = as_float(as_uint(kPowers[bits & 15]) + (bits << 19));
    const float offset = fused(n, -kPowerStep[1], kPowerOffsets[bits & 15]), rest = r + offset;
    const float p = fused(rest, fused(rest, kPower[2], kPower[1]), kPower[0]);
    const float q = fused(rest * rest, p, offset);
    const float high = fused(power, r, power), lost = fused(power, r, power - high);
    *power_ = power;
    return (float2)(high, fused(power, q, lost));
}

static float2 power_sum(float t) {
    float power;
    const float2 p = power_of_e(t, &power);
    const float high = p.x + p.y;
    return (float2)(high, p.y - (high - p.x));
}

// Each says whether the rounding of its result, `y`, is decided.
static int pairs_exp(float t, float *y) {
    if (!(fabs(t) < 64)) return 0;
    float power;
    const float2 p = power_of_e(t, &power);
    *y = p.x + p.y;
    return *y == p.x + fused(power, 2 * kPowerMargin + 0x1p-36f, p.y);
}

static int closed(float2 sum, float margin, float *y) {
    *y = sum.x + fused(sum.x, 0x1p-38f, sum.y);
    return *y == sum.x + fused(sum.x, -margin, sum.y);
}

static int pairs_sigmoid(float x, float *y) {
    if (!(x >= -60)) return 0;
    const float2 e = power_sum(fmax(-x, -60.0f));
    const float larger = fmax(e.x, 1.0f), smaller = fmin(e.x, 1.0f), d = larger + smaller;
    const float low = (smaller - (d - larger)) + e.y, inverse = 1 / d;
    const float rest = fused(-inverse, low, fused(-inverse, d, 1.0f));
    return closed((float2)(inverse, rest * inverse), 0x1.7p-33f, y);
}

static int pairs_tanh(float x, float *y) {
    if (x != x) return 0;
    const float a = fmin(fabs(x), 30.0f);
    float2 sum;
    float margin_part;
    if (a < 0.25f) {  // x - x w / 3 + x w^2 p(w), w = x^2, and 1/3 = kThird - kLacks
        const float third = 0x1.555556p-2f, lacks = 0x1.555556p-27f, w = a * a;
        float p = kTanhNear[3];
        for (int k = 2; k >= 0; --k) p = fused(p, w, kTanhNear[k]);
        const float v = fused(w, p, lacks), high = w * -third;
        const float lost = fused(fused(a, a, -w), -third, fused(w, -third, -high));
        const float low = fused(w, v, lost) + 0x1.5p-33f, near = fused(a, high, a);
        sum = (float2)(near, fused(a, low, fused(a, high, a - near)));
    } else {  // (1 - E) / (1 + E), E = e^-2a
        const float2 e = power_sum(-2 * a);
        const float less = 1 - e.x, less_low = ((1 - less) - e.x) - e.y;
        const float more = 1 + e.x, more_low = (e.x - (more - 1)) + e.y, inverse = 1 / more;
        const float high = less * inverse, rest = fused(-high, more, less) + less_low;
        sum = (float2)(high, fused(-high, more_low, rest) * inverse);
    }
    const int decided = closed(sum, 0x1.6p-32f, y);
    *y = copysign(*y, x);
    return decided;
}

// What is a multiple of a width and d has a polynomial in d, by the multiple, in a table: its first
// coefficients are sums, and so are the last steps. Bounds are in native/functions/pairs.inl.
static float2 next_sum(float2 sum, float d, float high, float low) {  // high + low + d sum
    const float product = sum.x * d, both = high + product;
    const float lost = ((high - both) + product) + fused(sum.x, d, -product);
    return (float2)(both, fused(sum.y, d, lost) + low);
}
static float2 piece_of(constant float (*rows)[32], float a, float per_unit, float width) {
    const float shifted = fused(a, per_unit, 0x1.8p23f);
    const float d = fused(-(shifted - 0x1.8p23f), width, a);
    const uint k = as_uint(shifted) & 31;
    float rest = rows[10][k];
    for (int row = 9; row > 4; --row) rest = fused(rest, d, rows[row][k]);
    const float first = rows[4][k], both = first + rest;
    const float2 sum = (float2)(both, (first - both) + rest);
    return next_sum(next_sum(sum, d, rows[2][k], rows[3][k]), d, rows[0][k], rows[1][k]);
}

#define LEAST 0x1p-90f  // below, products lose something

static int pairs_erf(float x, float *y) {
    const float a = fabs(x), margin = 0x1.7p-33f;
    if (!(a >= LEAST)) return 0;
    const float2 sum = piece_of(kErfPieces, fmin(a, 3.93f), 8, 0.125f);  // beyond, the result is 1
    const float upper = sum.x + fused(sum.x, margin, sum.y);
    *y = copysign(upper, x);
    return upper == sum.x + fused(sum.x, -margin, sum.y);
}

// x less x times the normal distribution beyond it; below 0, only the product, of |x|.
static int pairs_gelu(float x, float *y) {
    const float a = fabs(x), near = fmin(a, 5.9f), one = x < 0 ? 0 : 1;
    if (!(a >= LEAST) || x < -5.9f) return 0;
    const float2 tail = piece_of(kTailPieces, near, 0x1.555556p2f, 0.1875f);
    const float high = one - tail.x, low = ((one - high) - tail.x) - tail.y;
    const float growth = (near * 0x1.8p-19f) * near, share = fused(growth, growth, 0x1.6p-34f);
    const float margin = fused(tail.x, share, one * 0x1p-44f);
    const float product = a * high, lost = fused(a, high, -product);
    const float upper = product + fused(a, low + margin, lost);
    *y = copysign(upper, x);
    return upper == product + fused(a, low - margin, lost);
}

// Names of functions are macros in some implementations: none is handed on from macro to macro.
#ifdef SINGLES_BY_DEVICE
#define FIRST(PAIRS) \
    float found;     \
    if (PAIRS(as_float(a), &found)) return as_uint(found);
#else
#define FIRST(PAIRS)
#endif
