// Functions without FLOAT64, by integers: the exact result, rounded once, as functions.cl has it.

#define DOUBLE_ROUNDED(NAME, OF)                                                              \
    static uint NAME##_float32(uint a) { return single_of_double(OF(double_of_single(a))); }  \
    static ushort NAME##_float16(uint a) { return half_of_double(OF(double_of_single(a))); }
#define INVERSE_OF(a) OVER(ONE_64, a)
// The 53 bits of FLOAT64 are twice 24, and more.
DOUBLE_ROUNDED(sqrt, ROOT_OF)
DOUBLE_ROUNDED(recip, INVERSE_OF)

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

static Wide128 times128(Wide128 a, uint n) {
    const Wide128 product = {a.high * n + mul_hi(a.low, (ulong)n), a.low * n};
    return product;
}
static Wide128 down128(Wide128 a, int n) {  // to the right, by 0 and more
    const int k = n & 63;
    const Wide128 far = {0, n < 128 ? a.high >> k : 0};
    const Wide128 near = {a.high >> k, a.low >> k | (k ? a.high << (64 - k) : 0)};
    return n < 64 ? near : far;
}
static Wide128 normal128(Wide128 a, int *zeros) {  // to the left, until the first bit is 1; not of 0
    *zeros = a.high ? (int)clz(a.high) : 64 + (int)clz(a.low);
    if (*zeros >= 64) {
        a.high = a.low;
        a.low = 0;
    }
    return *zeros & 63 ? shifted128(a, *zeros & 63) : a;
}

// A number that is no FLOAT32: significand 2^exponent, whose last bit stands for others.
typedef struct {
    uint sign;
    ulong significand;
    int exponent;
} Exact;
static Exact exact_of(uint sign, Wide128 a, int unit) {  // a 2^unit
    int zeros;
    const Exact found = {sign, normal128(a, &zeros).high | 1, unit + 64 - zeros};
    return found;
}
static Exact exact_quotient(uint sign, Wide128 a, Wide128 b, int unit) {  // a / b 2^unit
    int zeros_a, zeros_b;
    Wide128 rest = down128(normal128(a, &zeros_a), 1);
    const Wide128 divisor = down128(normal128(b, &zeros_b), 1);
    ulong quotient = 0;
    for (int k = 0; k < 64; ++k) {
        const bool is_one = !is_below128(rest, divisor);
        if (is_one) rest = minus128(rest, divisor);
        quotient = quotient << 1 | is_one;
        rest = shifted128(rest, 1);
    }
    const Exact found = {sign, quotient | 1, unit - 63 + zeros_b - zeros_a};
    return found;
}
static uint exact_single(Exact x) { return rounded(x.sign, x.significand, x.exponent); }
static ushort exact_half(Exact x) {  // by 24 bits, the last of which stands for the others
    const int zeros = (int)clz(x.significand);
    const ulong odd = x.significand << zeros >> 40 | 1;
    return narrowed(rounded(x.sign, odd, x.exponent - zeros + 40));
}

// ---- Functions ----------------------------------------------------------------------------------
// Each says whether its value is an Exact, `x`, or a FLOAT32, `plain`, or what rounds as that does.
// Errors are below 2^-80 of the value: no value of a FLOAT32 is so near to a tie. Next to 0 are those
// below 2^-26.

#define ONE_128 {0x8000000000000000ul, 0}                        // in 2^-127
#define LN2_128 {0xb17217f7d1cf79ul, 0xabc9e3b39803f2f6ul}       // in 2^-120
#define NEAR_0 0x32800000u
#define SINGLE_1 0x3f800000u

// e^x = 2^*exponent p, in 2^-127; 2^-26 <= |x| < 128. The error is below 2^-110.
static Wide128 power_of_e128(uint bits, int *exponent) {
    const Wide128 ln2 = LN2_128, one = ONE_128;
    const Parts found = parts(bits & MAGNITUDE);
    const int up = found.exponent - 150 + 120;  // from 71 to 103
    Wide128 rest = {(ulong)found.significand << (up - 64), 0};
    int k = 0;
    while (!is_below128(rest, ln2)) {  // by the largest power of two: 8 times at most
        int j = 0;
        while (j < 7 && !is_below128(rest, shifted128(ln2, j + 1))) ++j;
        rest = minus128(rest, j ? shifted128(ln2, j) : ln2);
        k += 1 << j;
    }
    if (bits >> 31) {
        rest = minus128(ln2, rest);
        k = -k - 1;
    }
    rest = shifted128(rest, 8);  // in 2^-128
    Wide128 sum = one;
    for (uint n = 32; n > 1; --n) sum = plus128(one, over128(product128(rest, sum), n));
    *exponent = k;
    return plus128(one, product128(rest, sum));
}

static bool exact_exp(uint a, uint *plain, Exact *x) {
    const uint far = a & MAGNITUDE;
    *plain = far < NEAR_0 ? SINGLE_1 : a >> 31 ? 0 : INFINITE;
    if (far < NEAR_0 || far >= 0x43000000u) return false;
    int k;
    const Wide128 power = power_of_e128(a, &k);
    *x = exact_of(0, power, k - 127);
    return true;
}

static bool exact_expm1(uint a, uint *plain, Exact *x) {
    const uint far = a & MAGNITUDE, sign = a & 0x80000000u;
    *plain = far < NEAR_0 ? a : sign ? sign | SINGLE_1 : INFINITE;
    if (far < NEAR_0 || far >= (sign ? 0x41f00000u : 0x43000000u)) return false;
    const Wide128 one = ONE_128;
    int k;
    const Wide128 power = power_of_e128(a, &k);
    *x = sign ? exact_of(sign, minus128(one, down128(power, -k)), -127)
              : exact_of(0, minus128(power, down128(one, k)), k - 127);
    return true;
}

static bool exact_sigmoid(uint a, uint *plain, Exact *x) {  // e / (1 + e) or 1 / (1 + e), e = e^-|x|
    const uint far = a & MAGNITUDE, sign = a & 0x80000000u;
    *plain = far < NEAR_0 ? 0x3f000000u : sign ? 0 : SINGLE_1;
    if (far < NEAR_0 || far >= (sign ? 0x43000000u : 0x42000000u)) return false;
    const Wide128 one = ONE_128;
    int k;
    const Wide128 power = power_of_e128(far | 0x80000000u, &k);
    const Wide128 sum = plus128(one, down128(power, -k));
    *x = sign ? exact_quotient(0, power, sum, k) : exact_quotient(0, one, sum, 0);
    return true;
}

static bool exact_tanh(uint a, uint *plain, Exact *x) {  // (1 - e) / (1 + e), e = e^-2|x|
    const uint far = a & MAGNITUDE, sign = a & 0x80000000u;
    *plain = far < NEAR_0 ? a : sign | SINGLE_1;
    if (far < NEAR_0 || far >= 0x41f00000u) return false;
    const Wide128 one = ONE_128;
    int k;
    const Wide128 power = power_of_e128((far + 0x800000u) | 0x80000000u, &k);
    const Wide128 own = down128(power, -k);
    *x = exact_quotient(sign, minus128(one, own), plus128(one, own), 0);
    return true;
}

static bool exact_log(uint a, uint *plain, Exact *x) {
    const uint far = a & MAGNITUDE;
    *plain = !far ? 0x80000000u | INFINITE : a >> 31 ? QUIET_NAN : a == SINGLE_1 ? 0 : INFINITE;
    if (!far || a >> 31 || far >= INFINITE || a == SINGLE_1) return false;
    // a = 2^k m, m from sqrt(1/2) to sqrt(2); log m = 2 (u + u^3 / 3 + ...), u = (m - 1) / (m + 1).
    const Parts found = parts(a);
    const uint s = found.significand, unit = s > 0xb504f3u ? 0x1000000u : 0x800000u;
    const int k = found.exponent - 127 + (s > 0xb504f3u);
    const bool is_below_1 = s < unit;
    const uint divisor = s + unit;
    ulong rest = is_below_1 ? unit - s : s - unit, digits[4];
    for (int n = 0; n < 4; ++n) {
        digits[n] = (rest << 32) / divisor;
        rest = (rest << 32) % divisor;
    }
    const Wide128 u = {digits[0] << 32 | digits[1], digits[2] << 32 | digits[3]};  // in 2^-128
    const Wide128 w = product128(u, u), one = ONE_128, ln2 = LN2_128;
    Wide128 sum = {0, 0};
    for (uint n = 53; n > 1; n -= 2) sum = product128(w, plus128(over128(one, n), sum));
    const Wide128 half_log = product128(u, plus128(one, sum));  // in 2^-127
    if (!k) {
        *x = exact_of(is_below_1 ? 0x80000000u : 0, half_log, -126);
        return true;
    }
    const Wide128 octaves_ = times128(ln2, k < 0 ? -k : k), log = down128(half_log, 6);
    const bool adds = is_below_1 == (k < 0);
    *x = exact_of(k < 0 ? 0x80000000u : 0, adds ? plus128(octaves_, log) : minus128(octaves_, log), -120);
    return true;
}

#define EXACTLY(NAME)                                          \
    static uint NAME##_float32(uint a) {                        \
        uint plain;                                             \
        Exact x;                                                \
        if (is_nan(a)) return QUIET_NAN;                        \
        return exact_##NAME(a, &plain, &x) ? exact_single(x) : plain; \
    }                                                           \
    static ushort NAME##_float16(uint a) {                      \
        uint plain;                                             \
        Exact x;                                                \
        if (is_nan(a)) return QUIET_NAN16;                      \
        return exact_##NAME(a, &plain, &x) ? exact_half(x) : narrowed(plain); \
    }
EXACTLY(exp)
EXACTLY(expm1)
EXACTLY(log)
EXACTLY(sigmoid)
EXACTLY(tanh)
