// Sums by rule S16 (docs/arithmetic.md, Sums): sixteen sums of FLOAT64 and a tree, in blocks of 4,096.
//
// A kernel has the totals of all blocks of all groups. Where there are more blocks than one in a
// group, the totals are summed by the next launch. Defined by the host: what is summed, one of
//   OF_TOTALS       what a launch before this one has left, FLOAT64 without gaps
//   SQUARES, MAGNITUDES, DEVIATIONS (squares of x - mean), POWERS (e^(x - largest), which it keeps)
// or else the elements; X, their data type; and Y, that of the view where totals go, or else they go
// to memory without gaps.

#define BLOCK 4096

#ifdef OF_TOTALS
#define FROM global const Double *x
#define PREPARE(g)
#define AT(i) (g * n + (i))
#define STEP 1
#define VALUE(at, g, i) x[at]
#else
#ifdef DEVIATIONS
#define MORE , global const Double *means
#elif defined(POWERS)
#define MORE , global const uint *most, global uint *powers
#else
#define MORE
#endif
#define FROM VIEW(x), global const long *kept, global const long *reduced MORE
#define PREPARE(g) const long start = place_of(g, kept);
// Most are one axis, whose elements are STEP apart; of several it is 0.
#define STEP (reduced[0] == 1 ? reduced[2] : 0)
#define AT(i) (start + (reduced[0] == 1 ? (long)(i) * reduced[2] : place_of(i, reduced)))
#ifdef SQUARES
#define VALUE(at, g, i) squared(READ_DOUBLE(X, BASE(x), at))
#elif defined(MAGNITUDES)
#define VALUE(at, g, i) MAGNITUDE_OF(READ_DOUBLE(X, BASE(x), at))
#elif defined(DEVIATIONS)
#define VALUE(at, g, i) squared(MINUS(READ_DOUBLE(X, BASE(x), at), means[g]))
#elif defined(POWERS)
#define VALUE(at, g, i) \
    power_of(READ_SINGLE(X, BASE(x), at) - number(most[g]), powers + (g) * n + (i))
static Double power_of(float t, global uint *keep) {
    *keep = exp_float32(as_uint(t));
    return DOUBLE_OF(*keep);
}
#else
#define VALUE(at, g, i) READ_DOUBLE(X, BASE(x), at)
#endif
#endif

#ifdef Y
#define TO VIEW(y), global const long *places
#define PUT(g, block, total) WRITE_DOUBLE(Y, BASE(y), place_of(g, places), total)
#else
#define TO global Double *y
#define PUT(g, block, total) y[(g) * blocks + (block)] = total
#endif

// What becomes of a total in the end.
static Double finished(Double total, ulong divisor, int is_root) {
    if (divisor) total = OVER(total, NUMBER_OF(divisor));
    return is_root ? ROOT_OF(total) : total;
}

#ifdef ROWS
// Sixteen work-items along x for each block, ROWS blocks for each work-group.
kernel __attribute__((reqd_work_group_size(16, ROWS, 1)))
void sum16(FROM, TO, local Double *sums, ulong groups, ulong n, ulong blocks, ulong divisor,
           int is_root) {
    const ulong row = get_global_id(1), g = row / blocks, block = row % blocks;
    const int lane = (int)get_local_id(0), own = (int)get_local_id(1) * 16 + lane;
    Double sum = 0;
    if (g < groups) {
        PREPARE(g)
        const ulong end = min((block + 1) * BLOCK, n);
        for (ulong i = block * BLOCK + lane; i < end; i += 16) sum = PLUS(sum, VALUE(AT(i), g, i));
    }
    sums[own] = sum;
    for (int half_ = 8; half_; half_ >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_) sums[own] = PLUS(sums[own], sums[own + half_]);
    }
    if (lane == 0 && g < groups) {
        const Double total = finished(sums[own], divisor, is_root);
        PUT(g, block, total);
    }
}
#endif

// Sixteen elements that lie side by side.
#if defined(POWERS) && defined(HAS_FLOAT64) && defined(HAS_VECTORS)
// Powers of many at once, when the first of them is due.
#define SIXTEEN(place)                                                                     \
    const int first = (int)(i % MANY);                                                     \
    if (!first) {                                                                          \
        const long at = place;                                                             \
        const float largest = number(most[g]);                                             \
        const int n_ = (int)min(end - i, (ulong)MANY);                                     \
        uint terms[MANY];                                                                  \
        EACH_LANE(n_) terms[k] = as_uint(READ_SINGLE(X, BASE(x), at + k) - largest);       \
        all_exp(n_, terms, found);                                                         \
        EACH_LANE(n_) powers[g * n + i + k] = found[k];                                    \
    }                                                                                      \
    for (int lane = 0; lane < 16; ++lane) own[lane] = (double)number(found[first + lane]);
#define FOUND uint found[MANY];
#else
#define SIXTEEN(place)     \
    const long at = place; \
    for (int lane = 0; lane < 16; ++lane) own[lane] = VALUE(at + lane, g, i + lane);
#define FOUND
#endif

// A work-item for each block: where a work-item has vectors, and where groups lie side by side.
kernel void sum16_alone(FROM, TO, ulong groups, ulong n, ulong blocks, ulong divisor, int is_root) {
    const ulong row = get_global_id(0), g = row / blocks, block = row % blocks;
    if (g >= groups) return;
    PREPARE(g)
    Double sums[16], own[16];
    FOUND
    for (int lane = 0; lane < 16; ++lane) sums[lane] = 0;
    const ulong end = min((block + 1) * BLOCK, n);
    const int is_row = STEP == 1;
    for (ulong i = block * BLOCK; i < end; i += 16) {
        const int count = (int)min(end - i, (ulong)16);
        if (is_row && count == 16) {
            SIXTEEN(AT(i))
        } else {
            // A sum begins as +0, and so never is -0: adding +0 changes none.
            for (int lane = 0; lane < 16; ++lane) own[lane] = 0;
#pragma nounroll
            for (int lane = 0; lane < count; ++lane) own[lane] = VALUE(AT(i + lane), g, i + lane);
        }
#pragma unroll
        for (int lane = 0; lane < 16; ++lane) sums[lane] = PLUS(sums[lane], own[lane]);
    }
#pragma unroll
    for (int half_ = 8; half_; half_ >>= 1) {
        for (int lane = 0; lane < half_; ++lane) sums[lane] = PLUS(sums[lane], sums[lane + half_]);
    }
    const Double total = finished(sums[0], divisor, is_root);
    PUT(g, block, total);
}

#ifdef ACROSS
// ACROSS groups for each work-item and block, which lie side by side: a loop over their elements.
kernel void sum16_across(FROM, TO, ulong groups, ulong n, ulong blocks, ulong divisor, int is_root,
                         ulong columns) {
    const ulong row = get_global_id(1), block = row % blocks, column = get_global_id(0) * ACROSS;
    const ulong first = row / blocks * columns + column;
    if (first >= groups) return;
    const int count = (int)min((ulong)ACROSS, columns - column);
    PREPARE(first)
    Double sums[16][ACROSS];
    for (int lane = 0; lane < 16; ++lane) EACH_LANE(ACROSS) sums[lane][k] = 0;
    const ulong end = min((block + 1) * BLOCK, n);
    for (ulong i = block * BLOCK; i < end; ++i) {
        const long at = AT(i);
        Double *own = sums[i % 16];
        EACH_LANE(count) own[k] = PLUS(own[k], VALUE(at + k, first + k, i));
    }
    for (int half_ = 8; half_; half_ >>= 1)
        for (int lane = 0; lane < half_; ++lane)
            EACH_LANE(ACROSS) sums[lane][k] = PLUS(sums[lane][k], sums[lane + half_][k]);
    for (int k = 0; k < count; ++k) {
        const Double total = finished(sums[0][k], divisor, is_root);
        PUT(first + k, block, total);
    }
}
#endif
