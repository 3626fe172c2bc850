// Running results along an axis, the largest elements in order, and where elements are not zero.
// Lines are numbered by the other axes; `lines` says where they begin.

#ifdef SCAN
// One chain in the data type of the results: NUMBER, read by AS_NUMBER and written by AS_BITS.
#define half_number(bits) number(widened(bits))
#ifdef OF_DOUBLES
#define NEXT(total, own) (is_product ? TIMES(total, own) : PLUS(total, own))
#define NONE NUMBER_OF(is_product ? ONE_64 : 0)
#else
#define NEXT(total, own) (is_product ? (total) * (own) : (total) + (own))
#define NONE ((NUMBER)is_product)
#endif
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
    WRITE(Y, BASE(y), at[1], AS_BITS(is_exclusive ? NONE : total));
    for (int k = 1; k < n; ++k) {
        const NUMBER before = total;
        total = NEXT(total, AS_NUMBER(READ(X, BASE(x), at[0] + k * x_step)));
        WRITE(Y, BASE(y), at[1] + k * y_step, AS_BITS(is_exclusive ? before : total));
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

#ifdef SORT
// Long lines in order, by a network of comparisons: `rungs` elements each, a power of two, of which
// those beyond the line stay behind it. Keys are unsigned, the first in the order is the least.
static bool is_before(ulong a, uint i, ulong b, uint j) {
    const uint high_a = (uint)(a >> 32), high_b = (uint)(b >> 32);  // see common.cl
    if (high_a != high_b) return high_a < high_b;
    return (uint)a == (uint)b ? i < j : (uint)a < (uint)b;
}

kernel void start_sort(VIEW(x), global const long *lines, global ulong *keys, global uint *numbers,
                       int n, int rungs, long x_step, int of_smallest) {
    const int k = (int)get_global_id(0);
    const ulong at = get_global_id(1) * rungs + k;
    ulong key = ULONG_MAX;
    if (k < n) {
        const TYPE(X) bits = READ(X, BASE(x), place_of(get_global_id(1), lines) + k * x_step);
        const UNSIGNED up = (UNSIGNED)((UNSIGNED)KEY_OF(bits) ^ (UNSIGNED)FIRST_KEY);
        key = of_smallest ? up : (UNSIGNED)~up;
    }
    keys[at] = key;
    numbers[at] = (uint)k;
}

// A round of the network: elements `apart` from each other, in order within runs of `run`, which turn.
kernel void exchange(global ulong *keys, global uint *numbers, int rungs, int run, int apart) {
    const uint k = (uint)get_global_id(0), low = k % apart + k / apart * 2 * apart;
    const ulong from = get_global_id(1) * rungs + low, to = from + apart;
    const bool is_up = (low & run) == 0;
    const ulong a = keys[from], b = keys[to];
    const uint i = numbers[from], j = numbers[to];
    if (is_before(b, j, a, i) != is_up) return;
    keys[from] = b;
    keys[to] = a;
    numbers[from] = j;
    numbers[to] = i;
}

kernel void take_first(VIEW(x), VIEW(values), VIEW(indices), global const long *lines,
                       global const uint *numbers, int rungs, long x_step, long values_step,
                       long indices_step) {
    const int k = (int)get_global_id(0);
    long at[3];
    places_of(get_global_id(1), lines, 3, at);
    const uint own = numbers[get_global_id(1) * rungs + k];
    const TYPE(X) bits = READ(X, BASE(x), at[0] + own * x_step);
    WRITE(X, BASE(values), at[1] + k * values_step, QUIETED(bits));
    WRITE(INDEX, BASE(indices), at[2] + k * indices_step, own);
}
#endif
