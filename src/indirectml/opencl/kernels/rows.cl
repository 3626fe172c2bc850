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
#ifdef HELD
#define FOR_ROW for (int i = first; i < end; i += LANES)
#else
#define FOR_ROW for (long i = first; i < end; i += LANES)
#endif

#ifdef HELD
// A work-group has all of a group, which is a row, in local memory: it is read once. `held` has FLOAT32.
#define HELD_ROW(places)                          \
    const ulong row = get_global_id(1);           \
    const int lane = (int)get_local_id(0);        \
    const int first = lane, end = (int)length;    \
    local Double sums[16];                        \
    long at[places];                              \
    places_of(row, table, places, at);
#define HOLD FOR_ROW held[i] = READ_BITS(X, BASE(x), at[0] + i * S0);
// By rule S16, of one block: sixteen sums and a tree, whose total becomes what one work-item makes of it, since
// divisions are slow, sums[0].
#define SUM_OF_HELD(VALUE, MADE)                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                      \
    if (lane < 16) {                                                   \
        Double sum = 0;                                                \
        _Pragma("unroll 8")                                            \
        for (int i = lane; i < end; i += 16) sum = PLUS(sum, VALUE);   \
        sums[lane] = sum;                                              \
    }                                                                  \
    for (int half_ = 8; half_; half_ >>= 1) {                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                  \
        if (lane < half_) sums[lane] = PLUS(sums[lane], sums[lane + half_]); \
    }                                                                  \
    if (lane == 0) {                                                   \
        const Double total = sums[0];                                  \
        sums[0] = MADE;                                                \
    }                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);
#define HELD_KERNEL kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
#endif

#ifdef NORMALIZE
// ((x - mean) (1 / sqrt(variance + epsilon))) scale + bias, every operation rounded to FLOAT64; arrays of
// the table: x, y, scale, bias
#define FACTOR(variance) OVER(NUMBER_OF(ONE_64), ROOT_OF(PLUS(variance, NUMBER_OF(epsilon))))
#define NORMALIZED(value_of_x, shift, factor)                                                       \
    FOR_ROW {                                                                                       \
        Double value = MINUS(value_of_x, shift);                                                    \
        if (has_variance) value = TIMES(value, factor);                                             \
        if (scale) value = TIMES(value, READ_DOUBLE(SCALE, BASE(scale), at[2] + i * S2));           \
        if (bias) value = PLUS(value, READ_DOUBLE(BIAS, BASE(bias), at[3] + i * S3));               \
        WRITE_DOUBLE(Y, BASE(y), at[1] + i * S1, value);                                            \
    }
#ifdef HELD
HELD_KERNEL void normalized_held(VIEW(x), VIEW(y), VIEW(scale), VIEW(bias), local uint *held, ROWS,
                                 int has_mean, int has_variance, ulong epsilon) {
    HELD_ROW(4)
    HOLD
    const Double count = DOUBLE_OF_COUNT(length);
    Double mean = 0, factor = 0;
    if (has_mean) {
        SUM_OF_HELD(DOUBLE_OF(held[i]), OVER(total, count))
        mean = sums[0];
    }
    if (has_variance) {
        SUM_OF_HELD(squared(MINUS(DOUBLE_OF(held[i]), mean)), FACTOR(OVER(total, count)))
        factor = sums[0];
    }
    NORMALIZED(DOUBLE_OF(held[i]), mean, factor)
}
#else
kernel void normalized(VIEW(x), VIEW(y), VIEW(scale), VIEW(bias), global const Double *mean,
                       global const Double *variance, int has_variance, ROWS, ulong epsilon) {
    ROW_PLACE(4)
    const Double shift = mean[g], factor = FACTOR(variance[g]);
    NORMALIZED(READ_DOUBLE(X, BASE(x), at[0] + i * S0), shift, factor)
}
#endif
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

#if defined(SOFTMAX) && defined(HELD)
#ifdef HAS_FLOAT64
// A few at once (kernels/many.cl).
#define POWERS_OF_HELD(most)                                                              \
    for (int i = first; i < end; i += MANY * LANES) {                                     \
        uint terms[MANY], powers[MANY];                                                   \
        EACH_ELEMENT {                                                                    \
            const int at_k = i + k * LANES;                                               \
            terms[k] = at_k < end ? as_uint(number(held[at_k]) - number(most)) : 0;       \
        }                                                                                 \
        all_exp(MANY, terms, powers);                                                     \
        EACH_ELEMENT {                                                                    \
            if (i + k * LANES < end) held[i + k * LANES] = powers[k];                     \
        }                                                                                 \
    }
#else
#define POWERS_OF_HELD(most) \
    FOR_ROW held[i] = exp_float32(as_uint(number(held[i]) - number(most)));
#endif
HELD_KERNEL void softmax_held(VIEW(x), VIEW(y), local uint *held, ROWS) {
    local int keys[LANES];
    HELD_ROW(2)
    int best = INT_MIN;
    HOLD
    FOR_ROW best = max(best, FLOAT_KEY(int, held[i], MAGNITUDE, INFINITE));
    keys[lane] = best;
    for (int half_ = LANES / 2; half_; half_ >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_) keys[lane] = max(keys[lane], keys[lane + half_]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint most = (uint)FLOAT_OF(int, keys[0], MAGNITUDE);
    POWERS_OF_HELD(most)
    SUM_OF_HELD(DOUBLE_OF(held[i]), OVER(NUMBER_OF(ONE_64), total))
    const Double inverse = IS_UNDEFINED(most) ? NUMBER_OF(QUIET_NAN64) : sums[0];
    FOR_ROW {
        const Double value = TIMES(DOUBLE_OF(held[i]), inverse);
        WRITE_DOUBLE(Y, BASE(y), at[1] + i * S1, value);
    }
}
#elif defined(SOFTMAX)
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
