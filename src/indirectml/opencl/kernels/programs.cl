// Instructions on bits, by integers: the same on devices that flush subnormals, or round otherwise.

// 0 if a is less than b, 1 if they are equal, 2 if it is more, 3 if one is NaN; -0 equals +0.
uint compared(uint a, uint b) {
  if (is_nan(a) || is_nan(b)) return 3;
  if (!((a | b) & MAGNITUDE)) return 1;
  const int x = (int)(a ^ ((uint)((int)a >> 31) & MAGNITUDE)), y = (int)(b ^ ((uint)((int)b >> 31) & MAGNITUDE));
  return x < y ? 0 : x == y ? 1 : 2;
}

// A whole number: 0 towards zero, 1 down, 2 up, 3 to the nearest, ties to even.
uint whole(uint a, int how) {
  const uint sign = a & 0x80000000u, far = a & MAGNITUDE;
  if (far > INFINITE) return QUIET_NAN;
  if (far >= 0x4b000000u || !far) return a;
  if (far < 0x3f800000u) {
    const bool is_one = how == 3 ? far > 0x3f000000u : how == 2 ? !sign : how == 1 && sign;
    return is_one ? sign | 0x3f800000u : sign;
  }
  const uint below = 150u - (far >> 23), unit = 1u << below, rest = far & (unit - 1), kept = far - rest;
  bool goes_on = how == 2 ? rest && !sign : how == 1 && rest && sign;
  if (how == 3) goes_on = rest > unit >> 1 || (rest == unit >> 1 && (kept & unit));
  // Of 1 the last bit of the significand is the lowest of the exponent: odd, as it should be.
  return sign | (kept + (goes_on ? unit : 0));
}

// Towards zero, and to what is nearest between two limits; 0 of NaN.
long truncated(uint a, long low, long high) {
  const uint far = a & MAGNITUDE;
  if (far > INFINITE || far < 0x3f800000u) return 0;
  if (far >= 0x5f000000u) return a >> 31 ? low : high;
  const int up = (int)(far >> 23) - 150;
  const long part = (long)((far & 0x7fffffu) | 0x800000u), n = up < 0 ? part >> -up : part << up;
  return within(a >> 31 ? -n : n, low, high);
}
ulong truncated_unsigned(uint a) {
  if (is_nan(a) || a >> 31 || a < 0x3f800000u) return 0;
  if (a >= 0x5f800000u) return ULONG_MAX;
  const int up = (int)(a >> 23) - 150;
  const ulong part = (a & 0x7fffffu) | 0x800000u;
  return up < 0 ? part >> -up : part << up;
}

// To the nearest whole number, ties to even, a zero point added, between two limits.
int quantized(uint x, uint zero_point, int low, int high) {
  const long far = (long)1 << 61;
  return (int)within(truncated(whole(x, 3), -far, far) + truncated(zero_point, -far, far), (long)low, (long)high);
}

// ---- FLOAT64 ----
#define MAGNITUDE64 0x7ffffffffffffffful
#define INFINITE64 0x7ff0000000000000ul
#define ONE64 0x3ff0000000000000ul

uint compared64(ulong a, ulong b) {
  if ((a & MAGNITUDE64) > INFINITE64 || (b & MAGNITUDE64) > INFINITE64) return 3;
  if (!((a | b) & MAGNITUDE64)) return 1;
  const long x = (long)(a ^ ((ulong)((long)a >> 63) & MAGNITUDE64)), y = (long)(b ^ ((ulong)((long)b >> 63) & MAGNITUDE64));
  return below(x, y) ? 0 : x == y ? 1 : 2;
}

ulong whole64(ulong a, int how) {
  const ulong sign = a & ~MAGNITUDE64, far = a & MAGNITUDE64;
  if (far > INFINITE64) return QUIET_NAN64;
  if (far >= 0x4330000000000000ul || !far) return a;
  if (far < ONE64) {
    const bool is_one = how == 3 ? far > 0x3fe0000000000000ul : how == 2 ? !sign : how == 1 && sign;
    return is_one ? sign | ONE64 : sign;
  }
  const ulong below = 1075ul - (far >> 52), unit = 1ul << below, rest = far & (unit - 1), kept = far - rest;
  bool goes_on = how == 2 ? rest && !sign : how == 1 && rest && sign;
  if (how == 3) goes_on = rest > unit >> 1 || (rest == unit >> 1 && (kept & unit));
  return sign | (kept + (goes_on ? unit : 0));
}

long truncated64(ulong a, long low, long high) {
  const ulong far = a & MAGNITUDE64;
  if (far > INFINITE64 || far < ONE64) return 0;
  if (far >= 0x43e0000000000000ul) return a >> 63 ? low : high;
  const int up = (int)(far >> 52) - 1075;
  const long part = (long)((far & 0xffffffffffffful) | 0x10000000000000ul), n = up < 0 ? part >> -up : part << up;
  return within(a >> 63 ? -n : n, low, high);
}
ulong truncated_unsigned64(ulong a) {
  if ((a & MAGNITUDE64) > INFINITE64 || a >> 63 || a < ONE64) return 0;
  if (a >= 0x43f0000000000000ul) return ULONG_MAX;
  const int up = (int)(a >> 52) - 1075;
  const ulong part = (a & 0xffffffffffffful) | 0x10000000000000ul;
  return up < 0 ? part >> -up : part << up;
}

// What remains of a after division by b towards zero: exact, 11 bits at a time.
ulong remainder_of64(ulong a, ulong b) {
  const ulong sign = a & ~MAGNITUDE64, far_a = a & MAGNITUDE64, far_b = b & MAGNITUDE64;
  if (far_a >= INFINITE64 || far_b > INFINITE64 || !far_b) return QUIET_NAN64;
  if (far_a < far_b) return a;
  int exponent = (int)(far_a >> 52), least = (int)(far_b >> 52);
  ulong rest = far_a & 0xffffffffffffful, by = far_b & 0xffffffffffffful;
  if (exponent) rest |= 0x10000000000000ul; else exponent = 1;
  if (least) by |= 0x10000000000000ul; else least = 1;
  rest %= by;
  for (int up = exponent - least; up > 0; up -= 11) rest = (rest << min(up, 11)) % by;
  if (!rest) return sign;
  int zeros = (int)clz(rest) - 11;
  if (zeros >= least) return sign | rest << (least - 1);
  return sign | ((ulong)(least - zeros - 1) << 52) + (rest << zeros);
}

#ifdef HAS_FLOAT64
// Exact, by integers: a device may flush the subnormal numbers of FLOAT32.
double widened64(uint a) {
  const uint far = a & MAGNITUDE;
  if (far >= INFINITE || far >= 0x800000u || !far) return (double)number(a);
  const double x = (double)far * 0x1p-149;
  return a >> 31 ? -x : x;
}
#endif
