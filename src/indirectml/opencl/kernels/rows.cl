// What is done with each element of groups when their sums are there: normalization and softmax.
// An element is the i-th of group g, its number is g n + i; X, Y, SCALE and BIAS are data types.

#ifdef NORMALIZE
// With PLACES arrays of a table: x, y, scale, bias, and mean and variance where these are views.
#ifdef MEAN
#define MOMENTS VIEW(mean), VIEW(variance)
#define MEAN_OF READ_DOUBLE(MEAN, BASE(mean), at[4])
#define HAS_VARIANCE variance
#define VARIANCE_OF READ_DOUBLE(VARIANCE, BASE(variance), at[5])
#define PLACES 6
#else
#define MOMENTS global const double *mean, global const double *variance, int has_variance
#define MEAN_OF mean[e / n]
#define HAS_VARIANCE has_variance
#define VARIANCE_OF variance[e / n]
#define PLACES 4
#endif

// ((x - mean) (1 / sqrt(variance + epsilon))) scale + bias, every operation rounded to FLOAT64
kernel void normalized(VIEW(x), VIEW(y), VIEW(scale), VIEW(bias), MOMENTS, global const long *table,
                      ulong count, ulong n, double epsilon) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    long at[PLACES];
    places_of(e, table, PLACES, at);
    double value = READ_DOUBLE(X, BASE(x), at[0]) - MEAN_OF;
    if (HAS_VARIANCE) value = value * (1 / sqrt(VARIANCE_OF + epsilon));
    if (scale) value = value * READ_DOUBLE(SCALE, BASE(scale), at[2]);
    if (bias) value = value + READ_DOUBLE(BIAS, BASE(bias), at[3]);
    WRITE_DOUBLE(Y, BASE(y), at[1], value);
}
#endif

#ifdef NORM
kernel void divide_by_norm(VIEW(x), VIEW(y), global const double *norms, global const long *table,
                           ulong count, ulong n, double least) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    long at[2];
    places_of(e, table, 2, at);
    const double norm = norms[e / n];
    WRITE_DOUBLE(Y, BASE(y), at[1], READ_DOUBLE(X, BASE(x), at[0]) / (norm < least ? least : norm));
}
#endif

#ifdef SOFTMAX
// An infinite or NaN largest element makes all of its group NaN.
static int is_undefined(uint most) { return (most & MAGNITUDE) >= INFINITE; }

kernel void softmax(VIEW(y), global const uint *powers, global const double *sums,
                    global const uint *most, global const long *table, ulong count, ulong n) {
    const ulong e = get_global_id(0), g = e / n;
    if (e >= count) return;
    const double inverse = 1 / sums[g];
    const double value = is_undefined(most[g]) ? NAN : (double)number(powers[e]) * inverse;
    WRITE_DOUBLE(Y, BASE(y), place_of(e, table), value);
}
#endif

#ifdef LOG_SOFTMAX
kernel void log_softmax(VIEW(x), VIEW(y), global const double *sums, global const uint *most,
                        global const long *table, ulong count, ulong n) {
    const ulong e = get_global_id(0), g = e / n;
    if (e >= count) return;
    long at[2];
    places_of(e, table, 2, at);
    const float t = READ_SINGLE(X, BASE(x), at[0]) - number(most[g]);
    const float value = t - number(log_float32(single_of(sums[g])));
    WRITE_SINGLE(Y, BASE(y), at[1], (most[g] & MAGNITUDE) >= INFINITE ? NAN : value);
}
#endif

#ifdef HARDMAX
kernel void hardmax(VIEW(y), global const ulong *largest, global const long *table, ulong count,
                    ulong n) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    WRITE_SINGLE(Y, BASE(y), place_of(e, table), e % n == largest[e / n] ? 1.0f : 0.0f);
}
#endif

#ifdef DOUBLES
// FLOAT64 of a launch before, rounded to where it belongs.
kernel void put_doubles(VIEW(y), global const double *x, global const long *table, ulong count) {
    const ulong e = get_global_id(0);
    if (e < count) WRITE_DOUBLE(Y, BASE(y), place_of(e, table), x[e]);
}
#endif

#ifdef NOTHING
kernel void no_sums(global double *y, ulong count) {
    if (get_global_id(0) < count) y[get_global_id(0)] = 0;
}
#endif
