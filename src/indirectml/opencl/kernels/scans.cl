// Running results along an axis, the largest elements in order, and where elements are not zero.
// Lines are numbered by the other axes; `lines` says where they begin.

#ifdef SCAN
// One chain in the data type: NUMBER, read by AS_NUMBER and written by AS_BITS.
#define NEXT(total, own) (is_product ? (total) * (own) : (total) + (own))
kernel void scan(VIEW(x), VIEW(y), global const long *lines, ulong count, int n, long x_step,
                 long y_step, int is_product, int is_exclusive, int is_reverse) {
    const ulong line = get_global_id(0);
    if (line >= count) return;
    long at[2];
    places_of(line, lines, 2, at);
    if (is_reverse) {
        at[0] += (n - 1) * x_step;
        at[1] += (n - 1) * y_step;
        x_step = -x_step;
        y_step = -y_step;
    }
    NUMBER total = AS_NUMBER(READ(X, BASE(x), at[0]));
    WRITE(X, BASE(y), at[1], AS_BITS(is_exclusive ? (NUMBER)is_product : total));
    for (int k = 1; k < n; ++k) {
        const NUMBER before = total;
        total = NEXT(total, AS_NUMBER(READ(X, BASE(x), at[0] + k * x_step)));
        WRITE(X, BASE(y), at[1] + k * y_step, AS_BITS(is_exclusive ? before : total));
    }
}
#endif

#ifdef TOP
// The rank of an element is the number of those before it in the order, and so its place.
kernel void top_k(VIEW(x), VIEW(values), VIEW(indices), global const long *lines, ulong count, int n,
                  long x_step, long values_step, long indices_step, int most, int of_smallest) {
    const int own = (int)get_global_id(0);
    const ulong line = get_global_id(1);
    if (own >= n || line >= count) return;
    long at[3];
    places_of(line, lines, 3, at);
    const TYPE(X) bits = READ(X, BASE(x), at[0] + own * x_step);
    const KEY key = KEY_OF(bits);
    int rank = 0;
    for (int k = 0; k < n; ++k) {
        const TYPE(X) other_bits = READ(X, BASE(x), at[0] + k * x_step);
        const KEY other = KEY_OF(other_bits);
        const int is_before = of_smallest ? other < key : other > key;
        rank += is_before || (other == key && k < own);
    }
    if (rank >= most) return;
    WRITE(X, BASE(values), at[1] + rank * values_step, QUIETED(bits));
    WRITE(INDEX, BASE(indices), at[2] + rank * indices_step, own);
}
#endif

#ifdef NONZERO
// Blocks of PART elements: how many are not 0 in each, then in all before each, then where they are.
#define PART 256
#define IS_NONZERO(bits) (((TYPE(X))(bits) & (TYPE(X))(MASK)) != 0)

kernel void count_nonzero(VIEW(x), global uint *counts, global const long *places, ulong n) {
    const ulong part = get_global_id(0), end = min((part + 1) * PART, n);
    if (part * PART >= n) return;
    uint count = 0;
    for (ulong i = part * PART; i < end; ++i) count += IS_NONZERO(READ(X, BASE(x), place_of(i, places)));
    counts[part] = count;
}

kernel void add_counts(global uint *counts, VIEW(total), uint parts) {
    uint sum = 0;
    for (uint part = 0; part < parts; ++part) {
        const uint own = counts[part];
        counts[part] = sum;
        sum += own;
    }
    counts[parts] = sum;
    WRITE(uint32, BASE(total), 0, sum);
}

// Of coordinates along the last axes: `sizes` has as many numbers, the last one first.
kernel void put_nonzero(VIEW(x), VIEW(y), global const uint *counts, global const long *places,
                        global const long *sizes, int axes, long row_step, long axis_step, ulong n,
                        uint parts) {
    const ulong part = get_global_id(0), end = min((part + 1) * PART, n);
    if (part * PART >= n) return;
    ulong row = counts[part], empty = counts[parts] + part * PART - counts[part];
    for (ulong i = part * PART; i < end; ++i) {
        const int is_there = IS_NONZERO(READ(X, BASE(x), place_of(i, places)));
        const long to = (long)(is_there ? row++ : empty++) * row_step;
        ulong rest = i;
        for (int k = 0; k < axes; ++k) {
            WRITE(uint32, BASE(y), to + (axes - 1 - k) * axis_step, is_there ? rest % sizes[k] : 0);
            rest /= sizes[k];
        }
    }
}
#endif
