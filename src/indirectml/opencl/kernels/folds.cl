// Folds of groups: the largest and the smallest numbers, and where they are, and sums and products of
// integers. X and Y are data types, KEY is the integer type in whose order elements are, UNSIGNED the
// same without a sign.

// Integers in the order of numbers (kernels/elements.cl).
#if defined(IS_FLOAT16)
#define VALUE_OF(key) FLOAT_OF(KEY, key, 0x7fff)
#define KEY_OF(bits) FLOAT_KEY(KEY, bits, 0x7fffu, 0x7c00u)
#define QUIETED(bits) ((ushort)(((bits) & 0x7fffu) > 0x7c00u ? QUIET_NAN16 : (bits)))
#define LOWEST ((ushort)0xfc00u)
#elif defined(IS_FLOAT32)
#define VALUE_OF(key) FLOAT_OF(KEY, key, 0x7fffffff)
#define KEY_OF(bits) FLOAT_KEY(KEY, bits, 0x7fffffffu, INFINITE)
#define QUIETED(bits) (is_nan(bits) ? QUIET_NAN : (bits))
#define LOWEST 0xff800000u
#elif defined(IS_FLOAT64)
#define VALUE_OF(key) FLOAT_OF(KEY, key, 0x7fffffffffffffffl)
#define KEY_OF(bits) FLOAT_KEY(KEY, bits, 0x7ffffffffffffffful, 0x7ff0000000000000ul)
#define QUIETED(bits) (((bits) & 0x7ffffffffffffffful) > 0x7ff0000000000000ul ? QUIET_NAN64 : (bits))
#define LOWEST 0xfff0000000000000ul
#else
#define VALUE_OF(key) (key)
#define KEY_OF(bits) ((KEY)(bits))
#define QUIETED(bits) (bits)
#define LOWEST ((KEY)IS_SIGNED << (8 * sizeof(KEY) - 1))
#endif

// What wins has the larger rank: under `smallest` the smaller key, but NaN still.
#if defined(IS_FLOAT16) || defined(IS_FLOAT32) || defined(IS_FLOAT64)
#define IS_NAN_KEY(key) ((key) == (KEY)((UNSIGNED)-1 >> 1))
#else
#define IS_NAN_KEY(key) 0
#endif
#ifdef KEY
static bool wins(KEY a, KEY b, int of_smallest) {
    if (!of_smallest) return a > b;
    return IS_NAN_KEY(b) ? false : a < b || IS_NAN_KEY(a);
}

#endif

#define START_GROUP(g) const long start = place_of(g, kept);
#define AT(i) (start + (reduced[0] == 1 ? (long)(i) * reduced[2] : place_of(i, reduced)))

// Where results go: to a view, or, for what goes on with them, as FLOAT32 or numbers without gaps.
#ifdef Y
#define TO VIEW(y), global const long *places
#define PUT(g, value) WRITE(Y, BASE(y), place_of(g, places), value)
#else
#define TO global KEPT *y
#define PUT(g, value) y[g] = value
#endif

#if defined(KEY) && defined(LANES)
#ifdef OF_INDEX
#define PUT_FOUND(g, element, at) PUT(g, at)
#elif !defined(Y) && defined(IS_FLOAT16)
#define PUT_FOUND(g, element, at) PUT(g, widened(element))
#else
#define PUT_FOUND(g, element, at) PUT(g, QUIETED(element))
#endif
#if LANES == 1 && !defined(OF_INDEX)
#define PIECE 65536
// A group for a work-item: a loop of vectors, and keys whose order is backwards under `smallest`.
#define RANKED(key) (of_smallest && !IS_NAN_KEY(key) ? (KEY)~(key) : (key))
kernel void extreme(VIEW(x), global const long *kept, global const long *reduced, TO,
                    ulong groups, ulong n, int of_smallest, int last) {
    const ulong g = get_global_id(0);
    START_GROUP(g)
    const int is_row = reduced[0] == 1 && reduced[2] == 1;
    const TYPE(X) first = READ(X, BASE(x), AT(0));
    const KEY first_key = KEY_OF(first);
    KEY best = RANKED(first_key);
    for (ulong i = 0; i < n; i += PIECE) {
        const int count = (int)min(n - i, (ulong)PIECE);
        if (is_row) {
            EACH_LANE(count) {
                const TYPE(X) own = READ(X, BASE(x), start + (long)i + k);
                const KEY key = KEY_OF(own), rank = RANKED(key);
                best = rank > best ? rank : best;
            }
        } else {
            for (int k = 0; k < count; ++k) {
                const TYPE(X) own = READ(X, BASE(x), AT(i + k));
                const KEY key = KEY_OF(own), rank = RANKED(key);
                best = rank > best ? rank : best;
            }
        }
    }
    const KEY key = RANKED(best);
    const TYPE(X) found = (TYPE(X))VALUE_OF(key);
    PUT_FOUND(g, found, 0);
}
#else
// A group for a work-group of LANES work-items; for one of them it is a loop.
kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void extreme(VIEW(x), global const long *kept, global const long *reduced, TO,
                    ulong groups, ulong n, int of_smallest, int last) {
    local TYPE(X) found[LANES];
    local ulong number_of[LANES];
    const int lane = (int)get_local_id(0);
    const ulong g = get_global_id(0) / LANES;
    START_GROUP(g)
    TYPE(X) best = 0;
    KEY best_key = 0;
    ulong at = n;
    for (ulong i = (ulong)lane; i < n; i += LANES) {
        const TYPE(X) own = READ(X, BASE(x), AT(i));
        const KEY key = KEY_OF(own);
        if (at == n || wins(key, best_key, of_smallest) || (last && key == best_key)) {
            best = own;
            best_key = key;
            at = i;
        }
    }
    found[lane] = best;
    number_of[lane] = at;
    for (int half_ = LANES / 2; half_; half_ >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_ && number_of[lane + half_] != n) {
            const KEY a = KEY_OF(found[lane]), b = KEY_OF(found[lane + half_]);
            const ulong i = number_of[lane], j = number_of[lane + half_];
            if (i == n || wins(b, a, of_smallest) || (a == b && (last ? j > i : j < i))) {
                found[lane] = found[lane + half_];
                number_of[lane] = j;
            }
        }
    }
    if (lane) return;
    PUT_FOUND(g, found[0], number_of[0]);
}
#endif
#endif

#ifdef INTEGERS
// Modulo 2^bits, in any order.
kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void wrapped(VIEW(x), global const long *kept, global const long *reduced, TO,
                    ulong groups, ulong n, int is_product) {
    local ulong totals[LANES];
    const int lane = (int)get_local_id(0);
    const ulong g = get_global_id(0) / LANES;
    START_GROUP(g)
    ulong total = (ulong)is_product;
    for (ulong i = (ulong)lane; i < n; i += LANES) {
        const ulong own = (ulong)READ(X, BASE(x), AT(i));
        total = is_product ? total * own : total + own;
    }
    totals[lane] = total;
    for (int half_ = LANES / 2; half_; half_ >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_) {
            const ulong other = totals[lane + half_];
            totals[lane] = is_product ? totals[lane] * other : totals[lane] + other;
        }
    }
    if (lane == 0) PUT(g, totals[0]);
}
#endif

#ifdef PRODUCTS
// One chain of FLOAT64.
kernel void product64(VIEW(x), global const long *kept, global const long *reduced, TO,
                      ulong groups, ulong n) {
    const ulong g = get_global_id(0);
    if (g >= groups) return;
    START_GROUP(g)
    Double total = NUMBER_OF(ONE_64);
    for (ulong i = 0; i < n; ++i) total = TIMES(total, READ_DOUBLE(X, BASE(x), AT(i)));
    WRITE_DOUBLE(Y, BASE(y), place_of(g, places), total);
}
#endif
