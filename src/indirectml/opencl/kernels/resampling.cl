// Weighted sums along one axis (docs/arithmetic.md, Resampling), elements taken along axes, and powers
// of integers.

#ifdef RESAMPLE
// x from a view, or what a launch before this one has left; y likewise.
#ifdef X
#define FROM VIEW(x), global const long *of_x
#define ELEMENT(i) READ_DOUBLE(X, BASE(x), place_of(i, of_x))
#else
#define FROM global const Double *x
#define ELEMENT(i) x[i]
#endif
#ifdef Y
#define TO VIEW(y), global const long *of_y
#define PUT(i, value) WRITE_DOUBLE(Y, BASE(y), place_of(i, of_y), value)
#else
#define TO global Double *y
#define PUT(i, value) y[i] = value
#endif

kernel void resample(FROM, TO, global const int *indices, global const Double *weights, int taps,
                     ulong inputs, ulong outputs, ulong inner, ulong count) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const ulong column = e % inner, output = e / inner % outputs, outer = e / inner / outputs;
    Double total = 0;
    int is_first = 1;
    for (int k = 0; k < taps; ++k) {
        const Double weight = weights[output * taps + k];
        if (MAGNITUDE_OF(weight) == 0) continue;
        const ulong from = (outer * inputs + (ulong)indices[output * taps + k]) * inner + column;
        const Double product = TIMES(ELEMENT(from), weight);
        total = is_first ? product : PLUS(total, product);
        is_first = 0;
    }
    PUT(e, total);
}
#endif

#ifdef TAKE
// `table` as of place_of, but a stride of x is followed by where its indices begin, or -1.
kernel void take_nearest(VIEW(x), VIEW(y), global const long *table, global const long *indices,
                         ulong count) {
    ulong e = get_global_id(0);
    if (e >= count) return;
    const int axes = (int)table[0];
    long from = 0, to = 0;
    for (int k = 0; k < axes; ++k) {
        global const long *const axis = table + 1 + 4 * k;
        const long own = (long)(e % (ulong)axis[0]);
        e /= (ulong)axis[0];
        from += (axis[2] < 0 ? own : indices[axis[2] + own]) * axis[1];
        to += own * axis[3];
    }
    WRITE(X, BASE(y), to, READ(X, BASE(x), from));
}
#endif

#ifdef POWERS_OF_INTEGERS
kernel void integer_power(VIEW(x), VIEW(exponent), VIEW(y), global const long *table, ulong count) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    long at[3];
    places_of(e, table, 3, at);
    const TYPE(X) base = READ(X, BASE(x), at[0]);
    const TYPE(EXPONENT) power = READ(EXPONENT, BASE(exponent), at[1]);
    ulong result = 1, factor = (ulong)base, rest = (ulong)power;
    const int is_minus_one = IS_SIGNED && base == (TYPE(X))-1;
    if (IS_SIGNED_EXPONENT && (long)power < 0) {  // truncated
        result = base == 1 ? 1 : is_minus_one ? (power & 1 ? (ulong)base : 1) : 0;
        rest = 0;
    }
    for (; rest; rest >>= 1, factor *= factor) {
        if (rest & 1) result *= factor;
    }
    WRITE(X, BASE(y), at[2], result);
}
#endif
