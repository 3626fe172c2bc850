// Functions in pairs of FLOAT32, high + low, with tables: what most arguments are decided by.
//
// Each is what loops over many elements are made of too: `at_NAME`, whose low bits say where its tables are
// read, and `decided_NAME`, which takes what was read, writes a result, and says whether its rounding is
// decided. Neither has a branch that is more than a choice.

// 16 t / ln 2, rounded, in the low bits.
static float in_steps(float t) { return fused(t, kPowersPerUnit, 0x1.8p23f); }

// e^t lies from high + low to high + low + 2 kPowerMargin power; |t| < 64, and `first` and `offset` are of
// kPowers and kPowerOffsets.
static float2 power_of_e(float t, float shifted, float first, float offset, float *power_) {
    const float n = shifted - 0x1.8p23f, r = fused(n, -kPowerStep[0], t);
    const float power = as_float(as_uint(first) + (as_uint(shifted) << 19));
    const float corrections = fused(n, -kPowerStep[1], offset), rest = r + corrections;
    const float p = fused(rest, fused(rest, kPower[2], kPower[1]), kPower[0]);
    const float q = fused(rest * rest, p, corrections);
    const float high = fused(power, r, power), lost = fused(power, r, power - high);
    *power_ = power;
    return (float2)(high, fused(power, q, lost));
}

static float2 power_sum(float t, float shifted, float first, float offset) {
    float power;
    const float2 p = power_of_e(t, shifted, first, offset, &power);
    const float high = p.x + p.y;
    return (float2)(high, p.y - (high - p.x));
}

static int closed(float2 sum, float margin, float *y) {
    *y = sum.x + fused(sum.x, 0x1p-38f, sum.y);
    return *y == sum.x + fused(sum.x, -margin, sum.y);
}

// ---- By one power of e ----

static float at_exp(float x) { return in_steps(x); }
static int decided_exp(float x, float shifted, float first, float offset, float *y) {
    float power;
    const float2 p = power_of_e(x, shifted, first, offset, &power);
    const int is_0 = x < -104;  // as where softmax masks something
    const float upper = p.x + p.y;
    *y = is_0 ? 0 : upper;
    return is_0 | ((fabs(x) < 64) & (upper == p.x + fused(power, 2 * kPowerMargin + 0x1p-36f, p.y)));
}

static float at_sigmoid(float x) { return in_steps(fmax(-x, -60.0f)); }
static int decided_sigmoid(float x, float shifted, float first, float offset, float *y) {
    const float2 e = power_sum(fmax(-x, -60.0f), shifted, first, offset);
    const float larger = fmax(e.x, 1.0f), smaller = fmin(e.x, 1.0f), d = larger + smaller;
    const float low = (smaller - (d - larger)) + e.y, inverse = inverse_of(d);
    const float rest = fused(-inverse, low, fused(-inverse, d, 1.0f));
    return (x >= -60) & closed((float2)(inverse, rest * inverse), 0x1.7p-33f, y);
}

static float at_tanh(float x) { return in_steps(-2 * fmin(fabs(x), 30.0f)); }
static int decided_tanh(float x, float shifted, float first, float offset, float *y) {
    const float a = fmin(fabs(x), 30.0f);
    // Below 1/4: x - x w / 3 + x w^2 p(w), w = x^2, and 1/3 = kThird - kLacks
    const float third = 0x1.555556p-2f, lacks = 0x1.555556p-27f, w = a * a;
    float sum = kTanhNear[3];
    _Pragma("unroll") for (int k = 2; k >= 0; --k) sum = fused(sum, w, kTanhNear[k]);
    const float v = fused(w, sum, lacks), product = w * -third;
    const float lost = fused(fused(a, a, -w), -third, fused(w, -third, -product));
    const float near = fused(a, product, a), part = fused(w, v, lost) + 0x1.5p-33f;
    const float near_low = fused(a, part, fused(a, product, a - near));
    // Beyond: (1 - E) / (1 + E), E = e^-2a
    const float2 e = power_sum(-2 * a, shifted, first, offset);
    const float less = 1 - e.x, less_low = ((1 - less) - e.x) - e.y;
    const float more = 1 + e.x, more_low = (e.x - (more - 1)) + e.y, inverse = inverse_of(more);
    const float high = less * inverse, rest = fused(-high, more, less) + less_low;
    const float far_low = fused(-high, more_low, rest) * inverse;
    const float2 both = (float2)(a < 0.25f ? near : high, a < 0.25f ? near_low : far_low);
    const int is_decided = closed(both, 0x1.6p-32f, y);
    *y = copysign(*y, x);
    return (x == x) & is_decided;
}

#define IN_POWERS(NAME)                                                                   \
    static int tables_##NAME(float x, float *y) {                                         \
        const float shifted = at_##NAME(x);                                               \
        const uint k = as_uint(shifted) & 15;                                             \
        return decided_##NAME(x, shifted, kPowers[k], kPowerOffsets[k], y);               \
    }
IN_POWERS(exp)
IN_POWERS(sigmoid)
IN_POWERS(tanh)

// ---- In pieces ----

// What is a multiple of a width and d has a polynomial in d, by the multiple, in a table of so many rows: its
// first coefficients are sums, and so are the last steps. Bounds are in native/functions/pairs.inl.
#define PIECES 11
static float2 next_sum(float2 sum, float d, float high, float low) {  // high + low + d sum
    const float product = sum.x * d, both = high + product;
    const float lost = ((high - both) + product) + fused(sum.x, d, -product);
    return (float2)(both, fused(sum.y, d, lost) + low);
}
// Of coefficients that lie `apart`.
static float2 piece_of(const float *c, int apart, float d) {
    float rest = c[10 * apart];
    _Pragma("unroll") for (int row = 9; row > 4; --row) rest = fused(rest, d, c[row * apart]);
    const float first = c[4 * apart], both = first + rest;
    float2 sum = (float2)(both, (first - both) + rest);
    sum = next_sum(sum, d, c[2 * apart], c[3 * apart]);
    return next_sum(sum, d, c[0], c[apart]);
}
static float in_widths(float a, float per_unit) { return fused(a, per_unit, 0x1.8p23f); }
static float rest_of(float a, float shifted, float width) {
    return fused(-(shifted - 0x1.8p23f), width, a);
}

#define IS_LARGE(a) (((a) >= 0x1p-90f) | ((a) == 0))  // below, products lose something

static float at_erf(float x) { return in_widths(fmin(fabs(x), 3.93f), 8); }  // beyond, the result is 1
static int decided_erf(float x, float shifted, const float *c, int apart, float *y) {
    const float a = fabs(x), margin = 0x1.7p-33f;
    const float2 sum = piece_of(c, apart, rest_of(fmin(a, 3.93f), shifted, 0.125f));
    const float upper = sum.x + fused(sum.x, margin, sum.y);
    *y = copysign(upper, x);
    return IS_LARGE(a) & (upper == sum.x + fused(sum.x, -margin, sum.y));
}

// x less x times the normal distribution beyond it; below 0, only the product, of |x|.
static float at_gelu(float x) { return in_widths(fmin(fabs(x), 5.9f), 0x1.555556p2f); }
static int decided_gelu(float x, float shifted, const float *c, int apart, float *y) {
    const float a = fabs(x), near = fmin(a, 5.9f), one = x < 0 ? 0 : 1;
    const float2 tail = piece_of(c, apart, rest_of(near, shifted, 0.1875f));
    const float high = one - tail.x, low = ((one - high) - tail.x) - tail.y;
    const float growth = (near * 0x1.8p-19f) * near, share = fused(growth, growth, 0x1.6p-34f);
    const float margin = fused(tail.x, share, one * 0x1p-44f);
    const float product = a * high, lost = fused(a, high, -product);
    const float upper = product + fused(a, low + margin, lost);
    *y = copysign(upper, x);
    return IS_LARGE(a) & (x >= -5.9f) & (upper == product + fused(a, low - margin, lost));
}

#define IN_PIECES(NAME, TABLE)                                                                      \
    static int tables_##NAME(float x, float *y) {                                                   \
        const float shifted = at_##NAME(x);                                                         \
        const uint k = as_uint(shifted) & 31;                                                       \
        float c[PIECES];                                                                            \
        _Pragma("unroll") for (int row = 0; row < PIECES; ++row) c[row] = TABLE[row][k];            \
        return decided_##NAME(x, shifted, c, 1, y);                                                 \
    }
IN_PIECES(erf, kErfPieces)
IN_PIECES(gelu, kTailPieces)
