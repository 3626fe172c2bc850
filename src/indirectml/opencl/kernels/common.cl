// What all kernels share: bits and numbers, and what is rounded once. OpenCL C 1.2.
//
// FLOAT32 travels as uint, FLOAT16 as ushort and FLOAT64 as ulong: then no NaN is changed, and no
// subnormal flushed, where elements are only moved. What computes makes a number of them.
//
// Defined by the host, as the probe has found: HAS_FLOAT64; FUSED_BY_DEVICE, FUSED_BY_FLOAT64 or
// else by integers; DIVIDED_BY_DEVICE, DIVIDED_BY_FLOAT64 or else by integers; SINGLES_BY_DEVICE where
// sums and products of FLOAT32 are right too, subnormal ones included; HAS_VECTORS where a work-item is a
// thread of a CPU; FLOAT64_IS_FAST where functions begin with it.
#pragma OPENCL FP_CONTRACT OFF
#ifdef HAS_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// One behind the other, so that loops over a small number of elements need no more of them.
#define HERE(TYPE, base, offset) ((global TYPE *)((base) + (offset)))
#define THERE(TYPE, base, offset) ((global const TYPE *)((base) + (offset)))

// A loop over elements that do not meet: vectors of a CPU, whose compilers know what this says, and would
// make few elements many lines first.
#ifdef HAS_VECTORS
#define IN_VECTORS \
  _Pragma("clang loop vectorize(assume_safety) vectorize_width(16) unroll(disable)")
#else
#define IN_VECTORS
#endif
#define EACH_LANE(n) IN_VECTORS for (int k = 0; k < (n); ++k)

#define QUIET_NAN 0x7fc00000u
#define QUIET_NAN16 ((ushort)0x7e00)
#define QUIET_NAN64 0x7ff8000000000000ul
#define INFINITE 0x7f800000u
#define MAGNITUDE 0x7fffffffu

float number(uint bits) { return as_float(bits); }
bool is_nan(uint bits) { return (bits & MAGNITUDE) > INFINITE; }
// The bits of what was computed: every NaN is the positive quiet one without payload.
uint quiet(float x) { return is_nan(as_uint(x)) ? QUIET_NAN : as_uint(x); }

// Some drivers compare signed integers of 64 bits with 0 wrongly (rusticl of Mesa 22.3): words do it.
bool below(long a, long b) {
  const int x = (int)(a >> 32), y = (int)(b >> 32);
  return x < y || (x == y && (uint)a < (uint)b);
}
#define LESS(a, b) ((a) < (b))
long within(long x, long low, long high) { return below(x, low) ? low : below(high, x) ? high : x; }

// ---- what integers round: to nearest, ties to even ----

// The magnitude of s 2^e in a format of so many bits behind the point, whose exponents have a bias; s is
// not 0, and its last bit may stand for a smaller amount that is not 0.
ulong rounded_to(int bits, int bias, ulong s, int e) {
  const int zeros = (int)clz(s);
  s <<= zeros;
  const int exponent = e - zeros + 63 + bias;  // of the format, as the first bit is at 63
  const int lost = 63 - bits + (exponent < 1 ? 1 - exponent : 0);
  if (exponent > 2 * bias) return (ulong)(2 * bias + 1) << bits;  // infinity
  if (lost > 64) return 0;
  const ulong half_way = (ulong)1 << (lost - 1);
  const ulong rest = lost == 64 ? s : s & (((ulong)1 << lost) - 1);
  ulong kept = lost == 64 ? 0 : s >> lost;
  kept += rest > half_way || (rest == half_way && (kept & 1));
  // A carry goes on into the exponent, up to infinity.
  return (exponent < 1 ? 0 : (ulong)(exponent - 1) << bits) + kept;
}

// Likewise with a sign, as FLOAT32.
uint rounded(uint sign, ulong s, int e) { return sign | (uint)rounded_to(23, 127, s, e); }

uint from_unsigned(ulong n) { return n ? rounded(0, n, 0) : 0; }
uint from_signed(long n) {
  return below(n, 0) ? rounded(0x80000000u, (ulong)0 - (ulong)n, 0) : from_unsigned((ulong)n);
}

// FLOAT16 as FLOAT32: exact.
uint widened(ushort half_bits) {
  const uint sign = (uint)(half_bits & 0x8000u) << 16, exponent = half_bits >> 10 & 31u;
  uint part = half_bits & 0x3ffu;
  if (exponent == 31) return part ? QUIET_NAN : sign | INFINITE;
  if (exponent) return sign | (exponent + 112u) << 23 | part << 13;
  if (!part) return sign;
  const uint up = (uint)clz(part) - 21u;
  return sign | (113u - up) << 23 | (part << up & 0x3ffu) << 13;
}

// FLOAT32 as FLOAT16.
ushort narrowed(uint bits) {
  const uint sign = bits >> 16 & 0x8000u, magnitude = bits & MAGNITUDE;
  if (magnitude > INFINITE) return QUIET_NAN16;
  if (magnitude >= 0x477ff000u) return (ushort)(sign | 0x7c00u);  // 65520, half way to 2^16
  uint whole = magnitude - 0x38000000u, lost = 13;
  if (magnitude < 0x38800000u) {  // a subnormal number, or 0
    const uint exponent = magnitude >> 23;
    if (exponent < 102u) return (ushort)sign;
    whole = (magnitude & 0x7fffffu) | 0x800000u;
    lost = 126u - exponent;
  }
  const uint half_way = 1u << (lost - 1), rest = whole & ((1u << lost) - 1), kept = whole >> lost;
  return (ushort)(sign | (kept + (rest > half_way || (rest == half_way && (kept & 1)))));
}

// A number that is not 0, infinite or NaN: significand 2^(exponent - 150), the first bit at 23.
typedef struct {
  uint significand;
  int exponent;
} Parts;
Parts parts(uint bits) {
  Parts found = {bits & 0x7fffffu, (int)(bits >> 23 & 255u)};
  if (found.exponent) {
    found.significand |= 0x800000u;
  } else {
    const int up = (int)clz(found.significand) - 8;
    found.significand <<= up;
    found.exponent = 1 - up;
  }
  return found;
}

// a b + c by integers: 48 bits of a product, and what is added to it, in 63 and one for the rest.
uint fused_by_integers(uint a, uint b, uint c) {
  const uint sign = (a ^ b) & 0x80000000u, other = c & 0x80000000u;
  const uint far_a = a & MAGNITUDE, far_b = b & MAGNITUDE, far_c = c & MAGNITUDE;
  if (far_a > INFINITE || far_b > INFINITE || far_c > INFINITE) return QUIET_NAN;
  if (far_a == INFINITE || far_b == INFINITE) {
    if (!far_a || !far_b || (far_c == INFINITE && sign != other)) return QUIET_NAN;
    return sign | INFINITE;
  }
  if (far_c == INFINITE) return c;
  if (!far_a || !far_b) return far_c ? c : sign & other;
  const Parts x = parts(a), y = parts(b);
  ulong product = (ulong)x.significand * y.significand;  // of 47 or 48 bits
  int at = x.exponent + y.exponent - 300;
  if (!far_c) return rounded(sign, product, at);
  const Parts z = parts(c);
  product <<= 14;  // of 61 or 62 bits: two to spare
  at -= 14;
  ulong term = (ulong)z.significand << 38;  // of 62
  const int down = at - (z.exponent - 188);
  if (down > 0) {
    term = down > 63 ? 1 : (term >> down) | ((term & (((ulong)1 << down) - 1)) != 0);
  } else if (down < 0) {
    product = -down > 63 ? 1 : (product >> -down) | ((product & (((ulong)1 << -down) - 1)) != 0);
    at -= down;
  }
  if (sign == other) return rounded(sign, product + term, at);
  if (product == term) return 0;
  return product > term ? rounded(sign, product - term, at) : rounded(other, term - product, at);
}

// a / b by integers.
uint divided_by_integers(uint a, uint b) {
  const uint sign = (a ^ b) & 0x80000000u, far_a = a & MAGNITUDE, far_b = b & MAGNITUDE;
  if (far_a > INFINITE || far_b > INFINITE) return QUIET_NAN;
  if (far_a == far_b && (!far_a || far_a == INFINITE)) return QUIET_NAN;
  if (far_a == INFINITE || !far_b) return sign | INFINITE;
  if (!far_a || far_b == INFINITE) return sign;
  const Parts x = parts(a), y = parts(b);
  const ulong dividend = (ulong)x.significand << 27, quotient = dividend / y.significand;
  return rounded(sign, quotient | (dividend % y.significand != 0), x.exponent - y.exponent - 27);
}

// What remains of a after division by b towards zero: exact, with the sign of a.
uint remainder_of(uint a, uint b) {
  const uint sign = a & 0x80000000u, far_a = a & MAGNITUDE, far_b = b & MAGNITUDE;
  if (far_a >= INFINITE || far_b > INFINITE || !far_b) return QUIET_NAN;
  if (far_a < far_b) return a;
  const Parts x = parts(a), y = parts(b);
  ulong rest = x.significand % y.significand;
  for (int up = x.exponent - y.exponent; up > 0; up -= 40) rest = (rest << min(up, 40)) % y.significand;
  return rest ? rounded(sign, rest, y.exponent - 150) : sign;
}

// ---- FLOAT64 ----
#ifdef HAS_FLOAT64
double number64(ulong bits) { return as_double(bits); }
ulong quiet64(double x) {
  return (as_ulong(x) & 0x7ffffffffffffffful) > 0x7ff0000000000000ul ? QUIET_NAN64 : as_ulong(x);
}
uint single_of(double x) { return quiet(convert_float_rte(x)); }
// FLOAT64 as FLOAT32 rounded to odd: what is rounded again to fewer bits is as if rounded once.
uint odd_single_of(double x) {
  const float near = convert_float_rtz(x);
  const uint bits = as_uint(near);
  const bool is_exact = (double)near == x || (bits & MAGNITUDE) >= INFINITE;
  return is_exact || x != x ? quiet(near) : bits | 1u;
}
ushort half_of(double x) { return narrowed(odd_single_of(x)); }
// The sum of two, of which the second is by far the smaller one, rounded to odd.
double odd_sum(double high, double low) {
  const ulong bits = as_ulong(high);
  if (low == 0 || (bits & 1)) return high;
  return as_double((low > 0) == (high > 0) ? bits + 1 : bits - 1);
}
#endif

// ---- a b + c and a / b, rounded once, in the way that is right on this device ----
#if defined(FUSED_BY_DEVICE)
#define fused(a, b, c) fma((float)(a), (float)(b), (float)(c))
#elif defined(FUSED_BY_FLOAT64)
float fused(float a, float b, float c) {
  const double product = (double)a * b, sum = product + c, second = sum - product;
  const double lost = (product - (sum - second)) + (c - second);  // NaN where the sum is not finite
  return convert_float_rte(lost == lost && sum != 0 ? odd_sum(sum, lost) : sum);
}
#else
float fused(float a, float b, float c) {
  return number(fused_by_integers(as_uint(a), as_uint(b), as_uint(c)));
}
#endif

// a + b, by what is right anyway: exact products of 1.
#define added(a, b) fused(1.0f, a, b)

// What drivers divide by is off by some units of the last place where they do not round it once.
float inverse_of(float d) {
  const float inverse = 1 / d;
#ifdef DIVIDED_BY_DEVICE
  return inverse;
#else
  return fused(fused(-d, inverse, 1.0f), inverse, inverse);
#endif
}

#if defined(DIVIDED_BY_DEVICE)
uint divided(uint a, uint b) { return quiet(number(a) / number(b)); }
#else
// By fma, of numbers whose residues are no subnormal ones: what a quotient lacks is found to 2^-43, and it is
// 2^-50 or more from what lies between two numbers, or the quotient is exact.
#if defined(FUSED_BY_DEVICE) && defined(SINGLES_BY_DEVICE) && !defined(HAS_VECTORS)
static bool is_of_48(uint a) { return (a & MAGNITUDE) - 0x27800000u <= 0x30000000u; }  // 2^-48 to 2^48
static bool quotient_by_fma(uint a, uint b, uint *y) {
  const float n = number(a), d = number(b), inverse = inverse_of(d);
  const float high = n * inverse, low = fma(-high, d, n) * inverse, found = high + fma(high, 0x1p-41f, low);
  *y = as_uint(found);
  return is_of_48(a) && is_of_48(b) && found == high + fma(high, -0x1p-41f, low);
}
#else
#define quotient_by_fma(a, b, y) false
#endif
uint divided(uint a, uint b) {
  uint found;
  if (quotient_by_fma(a, b, &found)) return found;
#ifdef DIVIDED_BY_FLOAT64
  // 53 bits are at least 2 x 24 + 2: rounded twice is as rounded once, in subnormals too.
  return single_of((double)number(a) / (double)number(b));
#else
  return divided_by_integers(a, b);
#endif
}
#endif
