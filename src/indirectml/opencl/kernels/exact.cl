// Numbers of 128 bits with an exponent, for functions without FLOAT64: operations are off by 2^-124 of
// their result at most. No value of a function that is no tie is so near to one.

// Numbers of 128 bits.
typedef struct {
    ulong high, low;
} Wide128;
static Wide128 plus128(Wide128 a, Wide128 b) {
    const ulong low = a.low + b.low;
    const Wide128 sum = {a.high + b.high + (low < a.low), low};
    return sum;
}
static Wide128 minus128(Wide128 a, Wide128 b) {
    const Wide128 rest = {a.high - b.high - (a.low < b.low), a.low - b.low};
    return rest;
}
static bool is_below128(Wide128 a, Wide128 b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}
static Wide128 shifted128(Wide128 a, int up) {  // to the left, by 1 to 63
    const Wide128 found = {a.high << up | a.low >> (64 - up), a.low << up};
    return found;
}
// a b / 2^128, less than 3 too small.
static Wide128 product128(Wide128 a, Wide128 b) {
    const Wide128 high = {mul_hi(a.high, b.high), a.high * b.high};
    const Wide128 first = {0, mul_hi(a.high, b.low)}, second = {0, mul_hi(a.low, b.high)};
    return plus128(plus128(high, first), second);
}
static Wide128 over128(Wide128 a, uint n) {  // rounded down
    const ulong rest = a.high % n << 32 | a.low >> 32, last = rest % n << 32 | (uint)a.low;
    const Wide128 quotient = {a.high / n, (rest / n << 32) + last / n};
    return quotient;
}
static Wide128 down128(Wide128 a, int n) {  // to the right, by 0 and more
    const int k = n & 63;
    const Wide128 far = {0, n < 128 ? a.high >> k : 0};
    const Wide128 near = {a.high >> k, a.low >> k | (k ? a.high << (64 - k) : 0)};
    return n < 64 ? near : far;
}
static Wide128 normal128(Wide128 a, int *zeros) {  // to the left, until the first bit is 1; not of 0
    *zeros = a.high ? (int)clz(a.high) : 64 + (int)clz(a.low);
    const Wide128 found = {*zeros < 64 ? a.high : a.low, *zeros < 64 ? a.low : 0};
    return *zeros & 63 ? shifted128(found, *zeros & 63) : found;
}

// part 2^exponent, negative if `sign` is 1. The first bit of `part` is 1, or all of 0 are 0; its last
// bit may stand for a smaller amount that is not 0.
typedef struct {
    uint sign;
    int exponent;
    Wide128 part;
} Precise;
typedef uint Guess;  // none is needed

#define HALF_PI constant128(0xc90fdaa22168c234ul, 0xc4c6628b80dc1cd1ul, -127)
#define LN2 constant128(0xb17217f7d1cf79abul, 0xc9e3b39803f2f6aful, -128)
#define TWO_OVER_ROOT_PI constant128(0x906eba8214db688dul, 0x71d48a7f6bfec344ul, -127)
#define INVERSE_ROOT_TWO_PI constant128(0xcc42299ea1b28468ul, 0x7e59e2805d5c717ful, -129)
// Where the distribution's fraction begins, and its terms: 2^-110; before that 2^-50 is 74 bits.
#define FAR_BELOW 0x41000000u  // 8
#define FRACTIONS 40
#define FRACTIONS_FROM 12

static Precise constant128(ulong high, ulong low, int exponent) {
    const Precise found = {0, exponent, {high, low}};
    return found;
}
static bool is_0(Precise a) { return !(a.part.high | a.part.low); }
static Precise normal(uint sign, Wide128 part, int exponent) {
    Precise found = {sign, 0, part};
    if (is_0(found)) return found;
    int zeros;
    found.part = normal128(part, &zeros);
    found.exponent = exponent - zeros;
    return found;
}
static Precise precise(uint a) {
    const Precise zero = {a >> 31, 0, {0, 0}};
    if (!(a & MAGNITUDE)) return zero;
    const Parts found = parts(a & MAGNITUDE);
    const Wide128 part = {(ulong)found.significand << 40, 0};
    return normal(a >> 31, part, found.exponent - 150 - 104);
}
static Precise precise_count(int n) { return precise(from_signed(n)); }
// No parameter is changed: a driver hands structures on without a copy (rusticl of Mesa 22.3).
static Precise negated(Precise a) {
    const Precise found = {a.sign ^ 1, a.exponent, a.part};
    return found;
}
static Precise scaled(Precise a, int exponent) {
    const Precise found = {a.sign, a.exponent + exponent, a.part};
    return found;
}

// To the right, where the last bit stands for all that is lost.
static Wide128 lowered128(Wide128 a, int n) {
    Wide128 found = down128(a, n);
    const ulong high = n >= 128 ? a.high : n > 64 ? a.high << (128 - n) : 0;
    const ulong low = n >= 64 ? a.low : n ? a.low << (64 - n) : 0;
    found.low |= (high | low) != 0;
    return found;
}
static bool is_nearer(Precise a, Precise b) {  // |a| < |b|
    if (is_0(a) || is_0(b)) return !is_0(b);
    return a.exponent < b.exponent || (a.exponent == b.exponent && is_below128(a.part, b.part));
}

static Precise plus(Precise a, Precise b) {
    const bool swaps = is_nearer(a, b);
    const Precise larger = swaps ? b : a, smaller = swaps ? a : b;
    if (is_0(smaller)) return larger;
    const Wide128 x = lowered128(larger.part, 1);
    const Wide128 y = lowered128(smaller.part, larger.exponent - smaller.exponent + 1);
    const Wide128 sum = a.sign == b.sign ? plus128(x, y) : minus128(x, y);
    return normal(larger.sign, sum, larger.exponent + 1);
}
static Precise minus(Precise a, Precise b) { return plus(a, negated(b)); }

static Precise times(Precise a, Precise b) {
    Wide128 part = product128(a.part, b.part);
    const ulong lost = a.part.high * b.part.low | a.part.low * b.part.high;
    part.low |= (lost | (a.part.low && b.part.low)) != 0;
    return normal(a.sign ^ b.sign, part, a.exponent + b.exponent + 128);
}

static Precise over(Precise a, Precise b) {
    Wide128 rest = a.part, quotient = {0, 0};
    bool is_beyond = false;  // one bit more of the rest
    for (int k = 0; k < 128; ++k) {
        const bool is_one = is_beyond || !is_below128(rest, b.part);
        if (is_one) rest = minus128(rest, b.part);
        quotient = shifted128(quotient, 1);
        quotient.low |= is_one;
        is_beyond = rest.high >> 63;
        rest = shifted128(rest, 1);
    }
    quotient.low |= is_beyond || (rest.high | rest.low) != 0;
    return normal(a.sign ^ b.sign, quotient, a.exponent - b.exponent - 127);
}
static Precise over_count(Precise a, int n) {
    return normal(a.sign, over128(a.part, (uint)n), a.exponent);
}
static bool is_lost(Precise a, Precise sum) { return is_0(a) || a.exponent < sum.exponent - 126; }

static Precise root_of(Precise a) {
    if (is_0(a)) return a;
    const int odd = a.exponent & 1;
    Wide128 given = odd ? lowered128(a.part, 1) : a.part, root = {0, 0}, rest = {0, 0};
    for (int k = 0; k < 124; ++k) {  // two bits of the number are one of its root
        rest = shifted128(rest, 2);
        rest.low |= given.high >> 62;
        given = shifted128(given, 2);
        Wide128 trial = shifted128(root, 2);
        trial.low |= 1;
        const bool is_one = !is_below128(rest, trial);
        if (is_one) rest = minus128(rest, trial);
        root = shifted128(root, 1);
        root.low |= is_one;
    }
    root = shifted128(root, 1);
    root.low |= (rest.high | rest.low) != 0;
    return normal(0, root, (a.exponent + odd) / 2 - 61);
}

// ---- Series -------------------------------------------------------------------------------------

#define ONE_128 {0x8000000000000000ul, 0}  // in 2^-127

static Wide128 fraction128(Precise a) { return down128(a.part, -128 - a.exponent); }  // |a| < 1, in 2^-128

// (e^r - 1) / r, |r| < 1/2
static Precise exp_series(Precise r) {
    const Wide128 one = ONE_128, x = fraction128(r);
    Wide128 sum = one;
    for (uint n = 29; n > 1; --n) {
        const Wide128 term = over128(product128(x, sum), n);
        sum = r.sign ? minus128(one, term) : plus128(one, term);
    }
    return normal(0, sum, -127);
}

static Precise precise_exp(Precise x) {
    Precise far = x;
    far.sign = 0;
    if (far.exponent > 10 - 128 && !is_0(far)) far = precise_count(1 << 10);  // 0 or infinite
    // The nearest k to |x| / ln 2, from units of 2^-16.
    const ulong near = is_0(far) ? 0 : down128(far.part, -16 - far.exponent).low;
    const int k = (int)((near * 94548 + ((ulong)1 << 31)) >> 32);
    Precise r = minus(far, times(precise_count(k), LN2));
    r.sign ^= x.sign;
    return scaled(plus(precise_count(1), times(r, exp_series(r))), x.sign ? -k : k);
}
static Precise precise_expm1(Precise x) {
    if (is_0(x) || x.exponent < -128) return times(x, exp_series(x));
    return minus(precise_exp(x), precise_count(1));
}

// log(1 + f), f from sqrt(1/2) - 1 to 1/2
static Precise log_series(Precise f) {
    const Precise s = over(f, plus(precise_count(2), f));
    const Wide128 w = fraction128(times(s, s)), one = ONE_128;
    Wide128 sum = {0, 0};
    for (int n = 57; n > 0; n -= 2) {
        sum = plus128(over128(one, (uint)n), product128(w, sum));
    }
    return scaled(times(s, normal(0, sum, -127)), 1);
}
static Precise precise_log(Precise x) {  // x > 0
    const bool is_far = x.part.high > 0xb504f333f9de6484ul;  // sqrt(2)
    const int k = x.exponent + 127 + is_far;
    const Precise f = minus(scaled(x, -k), precise_count(1));
    return plus(times(precise_count(k), LN2), log_series(f));
}
static Precise precise_log1p(Precise v) {  // v >= 0
    if (is_0(v) || v.exponent < -128) return log_series(v);
    return precise_log(plus(precise_count(1), v));
}

static Precise fraction_of(const Reduction *r) {  // without its sign
    const uint *w = r->words;
    const Wide128 high = {(ulong)w[0] << 32 | w[1], (ulong)w[2] << 32 | w[3]};
    const Wide128 low = {(ulong)w[4] << 32 | w[5], 0};
    return plus(normal(0, high, -126), normal(0, low, -254));
}

static void circle_at(Precise r, Precise *sine, Precise *cosine) {  // |r| <= pi / 4
    const Wide128 w = fraction128(times(r, r)), one = ONE_128;
    Wide128 s = one, c = one;
    for (uint n = 32; n; n -= 2) {
        s = minus128(one, over128(product128(w, s), n * (n + 1)));
        c = minus128(one, over128(product128(w, c), n * (n - 1)));
    }
    *sine = times(r, normal(0, s, -127));
    *cosine = normal(0, c, -127);
}

// The angle of (x, y).
static Precise angle_of(Precise y, Precise x, Guess guess) {
    const bool is_steep = is_nearer(x, y);
    Precise small = is_steep ? x : y, large = is_steep ? y : x;
    small.sign = large.sign = 0;
    const bool is_far = is_nearer(large, scaled(small, 1));
    const Precise z = is_far ? over(minus(small, large), plus(small, large)) : over(small, large);
    const Wide128 w = fraction128(times(z, z)), one = ONE_128, last = {0, 1};
    Wide128 sum = {0, 0};
    for (int n = 125; n > 0; n -= 2) {
        sum = minus128(over128(one, (uint)n), product128(w, sum));
    }
    // Less than z, however little that is.
    Precise angle = times(z, normal(0, minus128(sum, last), -127));
    if (is_far) angle = plus(angle, scaled(HALF_PI, -1));
    if (is_steep) angle = minus(HALF_PI, angle);
    if (x.sign) angle = minus(scaled(HALF_PI, 1), angle);
    angle.sign = y.sign;
    return angle;
}
