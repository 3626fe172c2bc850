// What is done with each element of groups when their sums are there: normalization and softmax. X, Y,
// SCALE and BIAS are data types.
//
// A row is what of a group lies along its last axis: `length` elements, which are `inner` apart in each
// array; `per_group` rows are a group. A work-group has up to SPAN elements of a row, each work-item
// every LANES-th. S0, S1 and so on are strides that are known to be 0 or 1.
#define SPAN 1024
#ifndef LANES
#define LANES (long)get_local_size(0)
#endif
#ifndef S0
#define S0 inner[0]
#endif
#ifndef S1
#define S1 inner[1]
#endif
#ifndef S2
#define S2 inner[2]
#endif
#ifndef S3
#define S3 inner[3]
#endif
#define ROWS \
    global const long *table, global const long *inner, ulong rows, ulong per_group, ulong length
#define ROW_PLACE(places)                                                             \
    const ulong row = get_global_id(1), g = row / per_group;                          \
    if (row >= rows) return;                                                          \
    long at[places];                                                                  \
    places_of(row, table, places, at);                                                \
    const long first = (long)get_global_id(0) / LANES * SPAN + (long)get_local_id(0); \
    const long end = (long)min((ulong)(get_global_id(0) / LANES + 1) * SPAN, length);
#define FOR_ROW for (long i = first; i < end; i += LANES)

#ifdef NORMALIZE
// ((x - mean) (1 / sqrt(variance + epsilon))) scale + bias, every operation rounded to FLOAT64; arrays of
// the table: x, y, scale, bias
kernel void normalized(VIEW(x), VIEW(y), VIEW(scale), VIEW(bias), global const Double *mean,
                       global const Double *variance, int has_variance, ROWS, ulong epsilon) {
    ROW_PLACE(4)
    const Double shift = mean[g], one = NUMBER_OF(ONE_64);
    const Double spread = ROOT_OF(PLUS(variance[g], NUMBER_OF(epsilon)));
    const Double factor = has_variance ? OVER(one, spread) : one;
    FOR_ROW {
        Double value = MINUS(READ_DOUBLE(X, BASE(x), at[0] + i * S0), shift);
        if (has_variance) value = TIMES(value, factor);
        if (scale) value = TIMES(value, READ_DOUBLE(SCALE, BASE(scale), at[2] + i * S2));
        if (bias) value = PLUS(value, READ_DOUBLE(BIAS, BASE(bias), at[3] + i * S3));
        WRITE_DOUBLE(Y, BASE(y), at[1] + i * S1, value);
    }
}
#endif

#ifdef NORM
kernel void divide_by_norm(VIEW(x), VIEW(y), global const Double *norms, ROWS, ulong least) {
    ROW_PLACE(2)
    const Double divisor = IS_LESS(norms[g], NUMBER_OF(least)) ? NUMBER_OF(least) : norms[g];
    FOR_ROW {
        const Double value = OVER(READ_DOUBLE(X, BASE(x), at[0] + i * S0), divisor);
        WRITE_DOUBLE(Y, BASE(y), at[1] + i * S1, value);
    }
}
#endif

// An infinite or NaN largest element makes all of its group NaN.
#define IS_UNDEFINED(most) (((most) & MAGNITUDE) >= INFINITE)

#ifdef SOFTMAX
kernel void softmax(VIEW(y), global const uint *powers, global const Double *sums,
                    global const uint *most, ROWS) {
    ROW_PLACE(1)
    const Double one = NUMBER_OF(ONE_64);
    const Double inverse = IS_UNDEFINED(most[g]) ? NUMBER_OF(QUIET_NAN64) : OVER(one, sums[g]);
    FOR_ROW {
        const Double value = TIMES(DOUBLE_OF(powers[row * length + i]), inverse);
        WRITE_DOUBLE(Y, BASE(y), at[0] + i * S0, value);
    }
}
#endif

#ifdef LOG_SOFTMAX
kernel void log_softmax(VIEW(x), VIEW(y), global const Double *sums, global const uint *most, ROWS) {
    ROW_PLACE(2)
    const float largest = IS_UNDEFINED(most[g]) ? number(QUIET_NAN) : number(most[g]);
    const float log = number(log_float32(SINGLE_OF(sums[g])));
    FOR_ROW {
        const float t = READ_SINGLE(X, BASE(x), at[0] + i * S0) - largest;
        WRITE_SINGLE(Y, BASE(y), at[1] + i * S1, t - log);
    }
}
#endif

#ifdef HARDMAX
kernel void hardmax(VIEW(y), global const ulong *largest, ROWS) {
    ROW_PLACE(1)
    const ulong before = row % per_group * length;
    FOR_ROW {
        WRITE_SINGLE(Y, BASE(y), at[0] + i * S0, before + i == largest[g] ? 1.0f : 0.0f);
    }
}
#endif

#ifdef DOUBLES
// FLOAT64 of a launch before, rounded to where it belongs.
kernel void put_doubles(VIEW(y), global const Double *x, global const long *table, ulong count) {
    const ulong e = get_global_id(0);
    if (e < count) WRITE_DOUBLE(Y, BASE(y), place_of(e, table), x[e]);
}
#endif

#ifdef NOTHING
kernel void no_sums(global Double *y, ulong count) {
    if (get_global_id(0) < count) y[get_global_id(0)] = 0;
}
#endif
