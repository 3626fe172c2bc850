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

// e^x = 2^*exponent p / 2^63, p the bits that are returned, of which the last one stands for others;
// 2^-26 <= |x| < 128. The error is below 2^-110: no power of a FLOAT32 is so near to a tie.
static ulong power_of_e128(uint bits, int *exponent) {
    const Wide128 ln2 = {0xb17217f7d1cf79ul, 0xabc9e3b39803f2f6ul};  // in 2^-120
    const Parts found = parts(bits & MAGNITUDE);
    Wide128 rest = {0, found.significand};
    const int up = found.exponent - 150 + 120;  // from 71 to 103
    rest.high = rest.low << (up - 64);
    rest.low = 0;
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
    const Wide128 one = {0x8000000000000000ul, 0};  // 1 in 2^-127, as sums are
    Wide128 sum = one;
    for (uint n = 32; n > 1; --n) sum = plus128(one, over128(product128(rest, sum), n));
    *exponent = k;
    return plus128(one, product128(rest, sum)).high | 1;
}

static uint exp_float32(uint a) {
    const uint far = a & MAGNITUDE;
    if (far > INFINITE) return QUIET_NAN;
    if (far < 0x32800000u) return 0x3f800000u;
    if (far >= 0x43000000u) return a >> 31 ? 0 : INFINITE;
    int k;
    const ulong power = power_of_e128(a, &k);
    return rounded(0, power, k - 63);
}
static ushort exp_float16(uint a) {
    const uint far = a & MAGNITUDE;
    if (far < 0x32800000u || far >= 0x43000000u) return narrowed(exp_float32(a));
    int k;
    // To 24 bits, the last of which stands for the others.
    const ulong power = power_of_e128(a, &k);
    return narrowed(rounded(0, power >> 40 | 1, k - 23));
}
