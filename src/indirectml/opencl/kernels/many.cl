// Functions of many elements at once: loops without branches, for vectors of a CPU's thread, or for the few
// elements of a GPU's work-item, which has all of them in registers. What they leave open is decided by
// itself, behind them.

// As many as a work-item has: of a GPU 32 at most.
#ifndef MANY
#ifdef HAS_VECTORS
#define MANY 256
#else
#define MANY 4
#endif
#endif

#ifdef HAS_VECTORS
// A byte for each element that is left open, and none behind the last one.
#define OPEN                          \
    ulong eights[MANY / 8 + 1];       \
    uchar *open = (uchar *)eights;    \
    eights[n / 8] = 0;
#define LEAVE_OPEN(k, is_open) open[k] = (uchar)(is_open);
#define EACH_ELEMENT EACH_LANE(n)
#define DECIDE_OPEN(DECIDED)                                                  \
    for (int at = 0; at < n; at += 8) {                                       \
        if (!eights[at / 8]) continue;                                        \
        _Pragma("nounroll") for (int k = at; k < at + 8; ++k) {               \
            if (open[k]) to[k] = DECIDED(from[k]);                            \
        }                                                                     \
    }
#else
// A bit for each. All are tried, there or not: a compiler knows how many these are.
#define OPEN uint open = 0;
#define LEAVE_OPEN(k, is_open) open |= (uint)(is_open) << (k);
#define EACH_ELEMENT _Pragma("unroll") for (int k = 0; k < MANY; ++k)
// One text for all: which it is, is chosen, since what is read by a number that varies is in no register.
#define DECIDE_OPEN(DECIDED)                                                  \
    _Pragma("unroll 1") for (int at = 0; open; ++at, open >>= 1) {            \
        if (!(open & 1)) continue;                                            \
        uint own = 0;                                                         \
        EACH_ELEMENT own = k == at ? from[k] : own;                           \
        own = DECIDED(own);                                                   \
        EACH_ELEMENT to[k] = k == at ? own : to[k];                           \
    }
#endif

// What is tried of an element: its result, as far as that goes, and whether it is left open.
#ifdef HAS_VECTORS
#define TRIED(PAIRS, IS_EASY, GUESS)                                                    \
    const double x = (double)as_float(from[k]), guess = GUESS;                          \
    to[k] = single_of(guess * (1 - MARGIN));                                            \
    const int is_open = to[k] != single_of(guess * (1 + MARGIN)) || !(IS_EASY);
#elif defined(BEGIN_WITH_PAIRS)
#define TRIED(PAIRS, IS_EASY, GUESS)                                                    \
    float found = 0;                                                                    \
    const int is_open = !PAIRS(as_float(from[k]), &found);                              \
    to[k] = as_uint(found);
#else
#define TRIED(PAIRS, IS_EASY, GUESS)                                                    \
    const double x = (double)as_float(from[k]), guess = GUESS;                          \
    to[k] = as_uint(convert_float_rte(guess));                                          \
    const int is_open = !(is_clear(guess) && (IS_EASY));
#endif
#define LOOP(NAME, DECIDED, PAIRS, IS_EASY, GUESS)                                      \
    static void NAME(int n, const uint *from, uint *to) {                               \
        OPEN                                                                            \
        EACH_ELEMENT {                                                                  \
            TRIED(PAIRS, IS_EASY, GUESS)                                                \
            LEAVE_OPEN(k, is_open | is_nan(from[k]))                                    \
        }                                                                               \
        DECIDE_OPEN(DECIDED)                                                            \
    }

// e^x has less to do: up to 87 no result is a subnormal number, nor infinite, and its rounding is decided
// by the bits of a guess that FLOAT32 has not, if they are further from a half than an error of MARGIN
// reaches in a significand below 2.
#ifdef HAS_VECTORS
static void doubles_exp(int n, const uint *from, uint *to) {
    OPEN
    EACH_ELEMENT {
        const float x = as_float(from[k]);
        const int is_0 = x < -104;  // as where softmax masks something
        const double guess = exp_in_range((double)x);
        const uint beyond = (uint)as_ulong(guess) + (1u << 28) + REACH;
        const int is_close = (beyond & 0x1fffffffu) <= 2 * REACH;
        to[k] = is_0 ? 0 : as_uint(convert_float_rte(guess));
        LEAVE_OPEN(k, !is_0 & (is_close | ((from[k] & MAGNITUDE) >= 0x42ae0000u)))
    }
    DECIDE_OPEN(exp_float32)
}
#else
LOOP(doubles_exp, exp_float32, pairs_exp, 1, near_exp(x))
#endif
LOOP(doubles_erf, erf_float32, pairs_erf, 1, near_erf(x))
LOOP(doubles_gelu, gelu_float32, pairs_gelu, 1, near_gelu(x))
LOOP(doubles_sigmoid, sigmoid_float32, pairs_sigmoid, 1, near_sigmoid(x))
LOOP(doubles_tanh, tanh_float32, pairs_tanh, 1, near_tanh(x))
LOOP(all_sin, sin_float32, pairs_sin, fabs(x) < LARGE, turned_nearby(x, 0))
LOOP(all_cos, cos_float32, pairs_cos, fabs(x) < LARGE, turned_nearby(x, 1))
LOOP(all_tan, tan_float32, pairs_tan, fabs(x) < LARGE, tan_nearby(x))
#define EASY(NAME) LOOP(all_##NAME, NAME##_float32, pairs_##NAME, 1, near_##NAME(x))
EASY(acos) EASY(acosh) EASY(asin) EASY(asinh) EASY(atan) EASY(atanh)
EASY(cosh) EASY(expm1) EASY(log) EASY(rsqrt) EASY(sinh) EASY(softplus)

// By pairs of FLOAT32, if their tables are read by an instruction for sixteen elements. Gathering takes as
// long as FLOAT64.
#if defined(HAS_VECTORS) && defined(__AVX512F__) && defined(SINGLES_BY_DEVICE) && !defined(DOUBLES_FIRST)
static void pick(int n, constant float *table, const int16 *at, float16 *to) {
    const float16 row = vload16(0, table);
    for (int k = 0; k < n; k += 16) to[k / 16] = __builtin_ia32_permvarsf512(row, at[k / 16]);
}
static void pick_of_32(int n, constant float *table, const int16 *at, float16 *to) {
    const float16 low = vload16(0, table), high = vload16(1, table);
    for (int k = 0; k < n; k += 16) {
        to[k / 16] = __builtin_ia32_vpermi2varps512(low, at[k / 16], high);
    }
}

// What tables have for all, where AT says.
#define SHIFTED(AT)                                                                \
    int16 places[MANY / 16];                                                       \
    float *shifted = (float *)places;                                              \
    EACH_LANE(n) shifted[k] = AT(as_float(from[k]));
#define POWERS(AT)                                                                 \
    SHIFTED(AT)                                                                    \
    float16 firsts[MANY / 16], offsets[MANY / 16];                                 \
    const float *first = (const float *)firsts, *offset = (const float *)offsets;  \
    pick(n, kPowers, places, firsts);                                              \
    pick(n, kPowerOffsets, places, offsets);
#define ROWS_OF(TABLE, AT)                                                         \
    SHIFTED(AT)                                                                    \
    float16 rows[PIECES][MANY / 16];                                               \
    const float *c = (const float *)rows;                                          \
    for (int row = 0; row < PIECES; ++row) pick_of_32(n, TABLE[row], places, rows[row]);

// FLOAT64 has all where pairs decide little.
#define PAIRS(NAME, PREPARE, IS_DECIDED, DOUBLES, DECIDED)      \
    static void NAME(int n, const uint *from, uint *to) {       \
        int left = 0;                                           \
        OPEN                                                    \
        PREPARE                                                 \
        EACH_ELEMENT {                                          \
            const float x = as_float(from[k]);                  \
            float y;                                            \
            const int is_open = !(IS_DECIDED);                  \
            to[k] = as_uint(y);                                 \
            LEAVE_OPEN(k, is_open)                              \
            left += is_open;                                    \
        }                                                       \
        if (left > MANY / 16) {                                 \
            DOUBLES(n, from, to);                               \
        } else if (left) {                                      \
            DECIDE_OPEN(DECIDED)                                \
        }                                                       \
    }
#define BY_POWERS(DECIDED) DECIDED(x, shifted[k], first[k], offset[k], &y)
#define BY_PIECES(DECIDED) DECIDED(x, shifted[k], c + k, MANY, &y)
PAIRS(all_exp, POWERS(at_exp), BY_POWERS(decided_exp), doubles_exp, exp_float32)
PAIRS(all_sigmoid, POWERS(at_sigmoid), BY_POWERS(decided_sigmoid), doubles_sigmoid, sigmoid_float32)
PAIRS(all_tanh, POWERS(at_tanh), BY_POWERS(decided_tanh), doubles_tanh, tanh_float32)
PAIRS(all_erf, ROWS_OF(kErfPieces, at_erf), BY_PIECES(decided_erf), doubles_erf, erf_float32)
PAIRS(all_gelu, ROWS_OF(kTailPieces, at_gelu), BY_PIECES(decided_gelu), doubles_gelu, gelu_float32)
#else
#define all_exp doubles_exp
#define all_sigmoid doubles_sigmoid
#define all_tanh doubles_tanh
#define all_erf doubles_erf
#define all_gelu doubles_gelu
#endif
