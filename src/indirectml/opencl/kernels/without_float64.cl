// Functions where there is no FLOAT64: the exact result, rounded once, as functions.cl has it. In pairs of
// FLOAT32 first; all else is decided by integers.

static uint single_of_precise(Precise x) {
    if (is_0(x)) return x.sign << 31;
    return rounded(x.sign << 31, x.part.high | (x.part.low != 0), x.exponent + 64);
}
static ushort half_of_precise(Precise x) {  // by 24 bits, the last of which stands for the others
    if (is_0(x)) return (ushort)(x.sign << 15);
    const bool are_others = (x.part.high & 0xfffffffffful) || x.part.low;
    return narrowed(rounded(x.sign << 31, x.part.high >> 40 | are_others, x.exponent + 104));
}

// The 53 bits of FLOAT64 are twice 24, and more.
EXACT(recip, half_of_double(OVER(ONE_64, double_of_single(a))))
EXACT(sqrt, half_of_double(ROOT_OF(double_of_single(a))))

// Where the result, in FLOAT16 too, is or rounds as what is a FLOAT32: `far` is the magnitude of `a`.
#define WHEN(WHERE, RESULT)   \
    if (WHERE) {            \
        *plain = RESULT;    \
        return true;        \
    }
#define OF_ONE(NAME, PLAIN)                                                                 \
    static bool plain_##NAME(uint a, uint *plain) {                                         \
        const uint far = a & MAGNITUDE, sign = a & 0x80000000u;                             \
        PLAIN                                                                               \
        return false;                                                                       \
    }                                                                                       \
    static uint NAME##_float32(uint a) {                                                    \
        uint plain;                                                                         \
        if (is_nan(a)) return QUIET_NAN;                                                    \
        FIRST(pairs_##NAME(as_float(a), &found))                                            \
        return plain_##NAME(a, &plain) ? plain : single_of_precise(rare_##NAME(a, 0));      \
    }                                                                                       \
    static ushort NAME##_float16(uint a) {                                                  \
        uint plain;                                                                         \
        if (is_nan(a)) return QUIET_NAN16;                                                  \
        FIRST_HALF(pairs_##NAME(as_float(a), &found))                                       \
        return plain_##NAME(a, &plain) ? narrowed(plain) : half_of_precise(rare_##NAME(a, 0)); \
    }

#define SINGLE_1 0x3f800000u
#define BEYOND(BITS) far >= BITS
#define POWER_BEYOND BEYOND(0x43000000u)  // 128: 0 or infinite
#define AT_ZERO(RESULT) WHEN(!far, RESULT)

OF_ONE(exp, WHEN(POWER_BEYOND, sign ? 0 : INFINITE))
OF_ONE(expm1, AT_ZERO(a) WHEN(sign && BEYOND(0x42000000u), sign | SINGLE_1) WHEN(POWER_BEYOND, INFINITE))
OF_ONE(log, AT_ZERO(0x80000000u | INFINITE) WHEN(sign, QUIET_NAN) WHEN(a == SINGLE_1, 0) WHEN(far == INFINITE, a))
OF_ONE(sin, AT_ZERO(a) WHEN(far == INFINITE, QUIET_NAN))
OF_ONE(cos, WHEN(far == INFINITE, QUIET_NAN))
OF_ONE(tan, AT_ZERO(a) WHEN(far == INFINITE, QUIET_NAN))
OF_ONE(asin, AT_ZERO(a) WHEN(far > SINGLE_1, QUIET_NAN))
OF_ONE(acos, WHEN(far > SINGLE_1, QUIET_NAN) WHEN(a == SINGLE_1, 0))
OF_ONE(atan, AT_ZERO(a) WHEN(far == INFINITE, sign | 0x3fc90fdbu))
OF_ONE(sinh, AT_ZERO(a) WHEN(POWER_BEYOND, sign | INFINITE))
OF_ONE(cosh, WHEN(POWER_BEYOND, INFINITE))
OF_ONE(tanh, AT_ZERO(a) WHEN(BEYOND(0x42000000u), sign | SINGLE_1))
OF_ONE(asinh, WHEN(!far || far == INFINITE, a))
OF_ONE(acosh, WHEN(sign || far < SINGLE_1, QUIET_NAN) WHEN(a == SINGLE_1, 0) WHEN(far == INFINITE, a))
OF_ONE(atanh, AT_ZERO(a) WHEN(far > SINGLE_1, QUIET_NAN) WHEN(far == SINGLE_1, sign | INFINITE))
OF_ONE(erf, AT_ZERO(a) WHEN(BEYOND(0x40800000u), sign | SINGLE_1))
OF_ONE(sigmoid, WHEN(POWER_BEYOND, sign ? 0 : SINGLE_1))
OF_ONE(softplus, WHEN(sign && POWER_BEYOND, 0) WHEN(far == INFINITE, a))
OF_ONE(gelu, WHEN(!far || a == INFINITE, a) WHEN(sign && BEYOND(0x41700000u), sign))
OF_ONE(rsqrt, AT_ZERO(a | INFINITE) WHEN(sign, QUIET_NAN) WHEN(far == INFINITE, 0))

static bool plain_pow(uint a, uint b, uint *plain) {
    const uint far = a & MAGNITUDE, height = b & MAGNITUDE;
    WHEN(a == SINGLE_1 || !height || (far == SINGLE_1 && height == INFINITE), SINGLE_1)
    WHEN(is_nan(a) || is_nan(b), QUIET_NAN)
    if (far && far < INFINITE && height < INFINITE) {
        WHEN(a >> 31 && !is_whole(b), QUIET_NAN)
        return false;
    }
    const uint sign = a >> 31 && is_odd(b) ? 0x80000000u : 0;
    WHEN(true, sign | ((far > SINGLE_1) == !(b >> 31) ? INFINITE : 0))
}
static uint pow_float32(uint a, uint b) {
    uint plain;
    FIRST(pairs_pow(as_float(a), as_float(b), &found))
    return plain_pow(a, b, &plain) ? plain : single_of_precise(rare_pow(a, b, 0));
}
static ushort pow_float16(uint a, uint b) {
    uint plain;
    FIRST_HALF(pairs_pow(as_float(a), as_float(b), &found))
    return plain_pow(a, b, &plain) ? narrowed(plain) : half_of_precise(rare_pow(a, b, 0));
}

// (a, b) with the same angle, neither infinite, and not both 0.
static Precise finite_angle(uint a, uint b) {
    const bool is_far = (a & MAGNITUDE) == INFINITE || (b & MAGNITUDE) == INFINITE;
    if (is_far) {
        a = (a & 0x80000000u) | ((a & MAGNITUDE) == INFINITE ? SINGLE_1 : 0);
        b = (b & 0x80000000u) | ((b & MAGNITUDE) == INFINITE ? SINGLE_1 : 0);
    }
    if (!((a | b) & MAGNITUDE)) b |= SINGLE_1;
    return rare_atan2(a, b, 0);
}
static uint atan2_float32(uint a, uint b) {
    FIRST(pairs_atan2(as_float(a), as_float(b), &found))
    return is_nan(a) || is_nan(b) ? QUIET_NAN : single_of_precise(finite_angle(a, b));
}
static ushort atan2_float16(uint a, uint b) {
    FIRST_HALF(pairs_atan2(as_float(a), as_float(b), &found))
    return is_nan(a) || is_nan(b) ? QUIET_NAN16 : half_of_precise(finite_angle(a, b));
}
