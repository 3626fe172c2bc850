// Functions of FLOAT32, whose bits are given, to about 2^-100: by pairs of FLOAT64 (pairs.cl), for what
// FLOAT64 leaves open, or by integers (exact.cl), where there is no FLOAT64.

#define RARELY(NAME) static __attribute__((noinline)) Precise rare_##NAME(uint a, Guess guess)
#define RARELY_OF_TWO(NAME) \
    static __attribute__((noinline)) Precise rare_##NAME(uint a, uint b, Guess guess)

#define WHOLE_1 precise_count(1)

static Precise signed_as(uint a, Precise positive) { return a >> 31 ? negated(positive) : positive; }
static Precise square_of(uint a) { return times(precise(a), precise(a)); }

RARELY(exp) { return precise_exp(precise(a)); }
RARELY(expm1) { return precise_expm1(precise(a)); }
RARELY(log) { return precise_log(precise(a)); }

// ---- Angles -------------------------------------------------------------------------------------

// The sine and the cosine of so many quadrants more.
static void turn(int quadrants, Precise *sine, Precise *cosine) {
    const Precise s = *sine, c = *cosine;
    *sine = quadrants & 1 ? c : s;
    *cosine = quadrants & 1 ? negated(s) : c;
    if (quadrants & 2) {
        *sine = negated(*sine);
        *cosine = negated(*cosine);
    }
}

static void circle_of(uint a, int turns, Precise *sine, Precise *cosine) {
    Precise rest = precise(a);
    int quadrant = 0;
    if ((a & MAGNITUDE) > 0x3f490fdau) {  // pi / 4
        const Reduction r = reduction_of(a & MAGNITUDE);
        rest = times(fraction_of(&r), HALF_PI);
        if ((r.is_negative != 0) != (a >> 31 != 0)) rest = negated(rest);
        quadrant = (a >> 31 ? -r.quadrant : r.quadrant) & 3;
    }
    circle_at(rest, sine, cosine);
    turn(quadrant + turns, sine, cosine);
}

RARELY(sin) {
    Precise sine, cosine;
    circle_of(a, 0, &sine, &cosine);
    return sine;
}
RARELY(cos) {
    Precise sine, cosine;
    circle_of(a, 0, &sine, &cosine);
    return cosine;
}
RARELY(tan) {
    Precise sine, cosine;
    circle_of(a, 0, &sine, &cosine);
    return over(sine, cosine);
}

RARELY(asin) { return angle_of(precise(a), root_of(minus(WHOLE_1, square_of(a))), guess); }
RARELY(acos) { return angle_of(root_of(minus(WHOLE_1, square_of(a))), precise(a), guess); }
RARELY(atan) { return angle_of(precise(a), WHOLE_1, guess); }
RARELY_OF_TWO(atan2) { return angle_of(precise(a), precise(b), guess); }

// ---- Hyperbolas ---------------------------------------------------------------------------------

RARELY(sinh) {
    const Precise m = precise_expm1(precise(a & MAGNITUDE));
    return signed_as(a, scaled(plus(m, over(m, plus(WHOLE_1, m))), -1));
}
RARELY(cosh) {
    const Precise e = precise_exp(precise(a & MAGNITUDE));
    return scaled(plus(e, over(WHOLE_1, e)), -1);
}
RARELY(tanh) {
    const Precise m = precise_expm1(scaled(precise(a & MAGNITUDE), 1));
    return signed_as(a, over(m, plus(precise_count(2), m)));
}
RARELY(asinh) {
    const Precise square = square_of(a), root = plus(WHOLE_1, root_of(plus(WHOLE_1, square)));
    return signed_as(a, precise_log1p(plus(precise(a & MAGNITUDE), over(square, root))));
}
RARELY(acosh) {
    const Precise t = minus(precise(a), WHOLE_1);
    return precise_log1p(plus(t, root_of(times(t, plus(precise(a), WHOLE_1)))));
}
RARELY(atanh) {
    const Precise m = precise(a & MAGNITUDE);
    return signed_as(a, scaled(precise_log1p(over(scaled(m, 1), minus(WHOLE_1, m))), -1));
}

// ---- The normal distribution --------------------------------------------------------------------

// x + x w / 3 + x w^2 / 15 + ...: each term is the last one times w / (2 n + 1).
static Precise bell_series(uint a, Precise w) {
    Precise term = precise(a), sum = term;
    for (int n = 3; !is_lost(term, sum); n += 2) {
        term = over_count(times(term, w), n);
        sum = plus(sum, term);
    }
    return sum;
}

RARELY(erf) {  // |x| < 4.1
    const Precise square = square_of(a);
    const Precise scale = times(TWO_OVER_ROOT_PI, precise_exp(negated(square)));
    return times(scale, bell_series(a, scaled(square, 1)));
}

// x times the part of the normal distribution below x.
RARELY(gelu) {
    const Precise x = precise(a);
    // Far out only the sign of what x loses matters.
    if (!(a >> 31) && a > 0x41100000u) return minus(x, scaled(x, -100));  // 9
    const Precise square = square_of(a);
    const Precise density = times(INVERSE_ROOT_TWO_PI, precise_exp(scaled(negated(square), -1)));
    // Around 0 that part is 1/2 and the density times a series.
    if (!(a >> 31) || (a & MAGNITUDE) < FAR_BELOW) {
        const Precise half_ = scaled(WHOLE_1, -1);
        return times(x, plus(half_, times(density, bell_series(a, square))));
    }
    // Below it is the density over t + 1 / (t + 2 / (t + 3 / ...)), t = -x.
    Precise rest = precise_count(FRACTIONS_FROM);
    for (int n = FRACTIONS; n > 0; --n) rest = minus(over(precise_count(n), rest), x);
    return over(times(x, density), rest);
}

RARELY(sigmoid) { return over(WHOLE_1, plus(WHOLE_1, precise_exp(negated(precise(a))))); }
RARELY(softplus) {
    if (a >> 31) return precise_log1p(precise_exp(precise(a)));
    // Far out only its sign matters.
    const uint far = min(a, 0x44160000u);  // 600
    return plus(precise(a), precise_log1p(precise_exp(negated(precise(far)))));
}
RARELY(rsqrt) { return over(WHOLE_1, root_of(precise(a))); }

// ---- Powers -------------------------------------------------------------------------------------

// An odd integer times 2^exponent; not of 0.
static uint odd_part_of(uint a, int *exponent) {
    const Parts found = parts(a & MAGNITUDE);
    const int zeros = 31 - (int)clz(found.significand & (0u - found.significand));
    *exponent = found.exponent - 150 + zeros;
    return found.significand >> zeros;
}

static bool is_whole(uint b) {
    int exponent;
    return !(b & MAGNITUDE) || (odd_part_of(b, &exponent) && exponent >= 0);
}
static bool is_odd(uint b) {
    int exponent;
    return (b & MAGNITUDE) && odd_part_of(b, &exponent) && exponent == 0;
}

// |x|^y where that has at most 25 bits: x = r^(2^k), y = a / 2^k. Powers of two apart, which r is
// divided by.
static bool exact_power(uint a, uint b, Precise *power) {
    int exponent, count_exponent;
    uint root = odd_part_of(a, &exponent), count = odd_part_of(b, &count_exponent);
    for (; count_exponent < 0; ++count_exponent) {
        uint next = 0;
        for (uint bit = 1u << 12; bit; bit >>= 1) {
            if ((next | bit) * (next | bit) <= root) next |= bit;
        }
        // No power of two has more than 24 * 2^k bits.
        if (next * next != root || exponent % 2 != 0 || count_exponent < -8) return false;
        root = next;
        exponent /= 2;
    }
    // Of more, results are 0 or infinite.
    if (count_exponent > 8 || count >> (9 - count_exponent)) return false;
    count <<= count_exponent;
    const int turned = b >> 31 ? -(int)count : (int)count;
    ulong whole_power = 1;
    if (root != 1) {
        if (turned < 0 || count > 15) return false;
        for (uint n = 0; n < count; ++n) {
            whole_power *= root;
            if (whole_power >> 25) return false;
        }
    }
    *power = scaled(precise_count((int)whole_power), turned * exponent);
    return true;
}

RARELY_OF_TWO(pow) {
    Precise power;
    if (!exact_power(a, b, &power)) {
        power = precise_exp(times(precise_log(precise(a & MAGNITUDE)), precise(b)));
    }
    return a >> 31 && is_odd(b) ? negated(power) : power;
}
