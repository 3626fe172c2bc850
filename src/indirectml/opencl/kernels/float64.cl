// FLOAT64 as sums take it: that of the device, or by integers where it has none, or a wrong one. A
// `Double` is a number, or its bits; every operation is rounded to nearest, ties to even.
#define INFINITE_64 0x7ff0000000000000ul
#define SIGN_64 0x8000000000000000ul
#define ONE_64 0x3ff0000000000000ul

#ifdef HAS_FLOAT64
typedef double Double;
#define NUMBER_OF(bits) as_double((ulong)(bits))
#define PLUS(a, b) ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))
#define OVER(a, b) ((a) / (b))
#define ROOT_OF(a) sqrt(a)
#define DOUBLE_OF(bits) ((double)number(bits))
#define SINGLE_OF(a) single_of(a)
#define BITS_OF(a) quiet64(a)
#define DOUBLE_OF_COUNT(n) ((double)(n))
#define DOUBLE_OF_LONG(n) ((double)(n))
#define RAW_64(a) as_ulong(a)
#define MAGNITUDE_OF(a) fabs(a)
// Of numbers that are not below 0, or NaN, which is no less than any.
#define IS_LESS(a, b) ((a) < (b))
#else
typedef ulong Double;
#define NUMBER_OF(bits) ((ulong)(bits))
#define PLUS(a, b) sum_of_doubles(a, b)
#define MINUS(a, b) sum_of_doubles(a, (b) ^ SIGN_64)
#define TIMES(a, b) product_of_doubles(a, b)
#define OVER(a, b) quotient_of_doubles(a, b)
#define ROOT_OF(a) root_of_double(a)
#define DOUBLE_OF(bits) double_of_single(bits)
#define SINGLE_OF(a) single_of_double(a)
#define BITS_OF(a) canonical64(a)
#define DOUBLE_OF_COUNT(n) double_of_unsigned((ulong)(n))
#define DOUBLE_OF_LONG(n) double_of_signed(n)
#define RAW_64(a) (a)
#define MAGNITUDE_OF(a) ((a) & ~SIGN_64)
#define IS_LESS(a, b) ((a) < (b))

// s 2^e as FLOAT64; s is not 0, and its last bit may stand for a smaller amount that is not 0.
static ulong rounded64(ulong sign, ulong s, int e) { return sign | rounded_to(52, 1023, s, e); }

static ulong double_of_unsigned(ulong n) { return n ? rounded64(0, n, 0) : 0; }
static ulong double_of_signed(long n) {
    return below(n, 0) ? rounded64(SIGN_64, (ulong)0 - (ulong)n, 0) : double_of_unsigned((ulong)n);
}
static ulong canonical64(ulong a) { return (a & ~SIGN_64) > INFINITE_64 ? QUIET_NAN64 : a; }

// A number that is not 0, infinite or NaN: significand 2^exponent, the first bit at 52.
typedef struct {
    ulong significand;
    int exponent;
} Parts64;
static Parts64 parts64(ulong bits) {
    Parts64 found = {bits & 0xffffffffffffful, (int)(bits >> 52 & 2047u) - 1075};
    if (bits & INFINITE_64) {
        found.significand |= (ulong)1 << 52;
    } else {
        const int up = (int)clz(found.significand) - 11;
        found.significand <<= up;
        found.exponent = -1074 - up;
    }
    return found;
}

static ulong sum_of_doubles(ulong a, ulong b) {
    if ((a & ~SIGN_64) < (b & ~SIGN_64)) {
        const ulong swapped = a;
        a = b;
        b = swapped;
    }
    const ulong far_a = a & ~SIGN_64, far_b = b & ~SIGN_64, sign = a & SIGN_64;
    const bool are_alike = sign == (b & SIGN_64);
    if (far_a > INFINITE_64) return QUIET_NAN64;
    if (far_a == INFINITE_64) return far_b == INFINITE_64 && !are_alike ? QUIET_NAN64 : a;
    if (!far_a) return a & b;
    if (!far_b) return a;
    const Parts64 x = parts64(a), y = parts64(b);
    const ulong larger = x.significand << 10;  // of 63 bits: one to spare
    ulong smaller = y.significand << 10;
    const int down = x.exponent - y.exponent;
    smaller = down > 63 ? 1 : (smaller >> down) | ((smaller & (((ulong)1 << down) - 1)) != 0);
    if (are_alike) return rounded64(sign, larger + smaller, x.exponent - 10);
    return larger == smaller ? 0 : rounded64(sign, larger - smaller, x.exponent - 10);
}

static ulong product_of_doubles(ulong a, ulong b) {
    const ulong sign = (a ^ b) & SIGN_64, far_a = a & ~SIGN_64, far_b = b & ~SIGN_64;
    if (far_a > INFINITE_64 || far_b > INFINITE_64) return QUIET_NAN64;
    if (far_a == INFINITE_64 || far_b == INFINITE_64) {
        return far_a && far_b ? sign | INFINITE_64 : QUIET_NAN64;
    }
    if (!far_a || !far_b) return sign;
    const Parts64 x = parts64(a), y = parts64(b);
    // Of 128 bits the upper ones, and whether there are others.
    const ulong u = x.significand << 11, v = y.significand << 11;
    const ulong u1 = u >> 32, u0 = (uint)u, v1 = v >> 32, v0 = (uint)v;
    const ulong low = u0 * v0, first = u1 * v0 + (low >> 32), second = u0 * v1 + (uint)first;
    const ulong high = u1 * v1 + (first >> 32) + (second >> 32);
    const bool are_others = ((uint)low | (uint)second) != 0;
    return rounded64(sign, high | are_others, x.exponent + y.exponent + 42);
}

static ulong quotient_of_doubles(ulong a, ulong b) {
    const ulong sign = (a ^ b) & SIGN_64, far_a = a & ~SIGN_64, far_b = b & ~SIGN_64;
    if (far_a > INFINITE_64 || far_b > INFINITE_64) return QUIET_NAN64;
    if (far_a == far_b && (!far_a || far_a == INFINITE_64)) return QUIET_NAN64;
    if (far_a == INFINITE_64 || !far_b) return sign | INFINITE_64;
    if (!far_a || far_b == INFINITE_64) return sign;
    const Parts64 x = parts64(a), y = parts64(b);
    ulong rest = x.significand, quotient = 0;
    for (int k = 0; k < 57; ++k) {
        const bool is_one = rest >= y.significand;
        rest = (rest - (is_one ? y.significand : 0)) << 1;
        quotient = quotient << 1 | is_one;
    }
    return rounded64(sign, quotient << 1 | (rest != 0), x.exponent - y.exponent - 57);
}

static ulong root_of_double(ulong a) {
    if (!(a & ~SIGN_64)) return a;
    if (a > INFINITE_64) return QUIET_NAN64;
    if (a == INFINITE_64) return a;
    Parts64 x = parts64(a);
    if (x.exponent & 1) {
        x.significand <<= 1;
        --x.exponent;
    }
    ulong root = 0, rest = 0;
    for (int k = 0; k < 56; ++k) {  // two bits of the number are one of its root
        rest = rest << 2 | (k < 27 ? x.significand >> (52 - 2 * k) & 3 : 0);
        const ulong trial = root << 2 | 1;
        const bool is_one = rest >= trial;
        rest -= is_one ? trial : 0;
        root = root << 1 | is_one;
    }
    return rounded64(0, root << 1 | (rest != 0), x.exponent / 2 - 30);
}

// FLOAT64 of FLOAT32: exact.
static ulong double_of_single(uint bits) {
    const ulong sign = (ulong)(bits & 0x80000000u) << 32;
    const uint far = bits & MAGNITUDE;
    if (far > INFINITE) return QUIET_NAN64;
    if (far == INFINITE) return sign | INFINITE_64;
    if (!far) return sign;
    const Parts found = parts(bits);
    return rounded64(sign, found.significand, found.exponent - 150);
}
static uint single_of_double(ulong bits) {
    const uint sign = (uint)(bits >> 32) & 0x80000000u;
    const ulong far = bits & ~SIGN_64;
    if (far > INFINITE_64) return QUIET_NAN;
    if (far == INFINITE_64) return sign | INFINITE;
    if (!far) return sign;
    const Parts64 found = parts64(bits);
    return rounded(sign, found.significand, found.exponent);
}
static ushort half_of_double(ulong bits) {
    const ulong far = bits & ~SIGN_64;
    if (!far || far >= INFINITE_64) return narrowed(single_of_double(bits));
    // To 24 bits, the last of which stands for the others: FLOAT32 has those of all but results of 0.
    const Parts64 found = parts64(bits);
    const ulong odd = found.significand >> 29 | ((found.significand & 0x1ffffffful) != 0);
    return narrowed(rounded((uint)(bits >> 32) & 0x80000000u, odd, found.exponent + 29));
}

static ulong double_float64(global const uchar *from, long i) { return ((global const ulong *)from)[i]; }
static ulong double_float32(global const uchar *from, long i) {
    return double_of_single(((global const uint *)from)[i]);
}
static ulong double_float16(global const uchar *from, long i) {
    return double_of_single(widened(((global const ushort *)from)[i]));
}
#define OF_INTEGER(X, SIGNED) \
    static ulong double_##X(global const uchar *from, long i) { return SIGNED(READ(X, from, i)); }
OF_INTEGER(int8, double_of_signed)
OF_INTEGER(uint8, double_of_unsigned)
OF_INTEGER(int16, double_of_signed)
OF_INTEGER(uint16, double_of_unsigned)
OF_INTEGER(int32, double_of_signed)
OF_INTEGER(uint32, double_of_unsigned)
OF_INTEGER(int64, double_of_signed)
OF_INTEGER(uint64, double_of_unsigned)
static void round_float64(global uchar *to, long i, ulong x) {
    ((global ulong *)to)[i] = canonical64(x);
}
static void round_float32(global uchar *to, long i, ulong x) {
    ((global uint *)to)[i] = single_of_double(x);
}
static void round_float16(global uchar *to, long i, ulong x) {
    ((global ushort *)to)[i] = half_of_double(x);
}
#define READ_DOUBLE(X, from, i) JOIN(double_, X)(from, i)
#define WRITE_DOUBLE(X, to, i, value) JOIN(round_, X)(to, i, value)
#endif

static Double squared(Double x) { return TIMES(x, x); }
