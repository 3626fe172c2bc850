// Windows that slide over three spatial axes (docs/arithmetic.md, Pooling). X and Y are data types,
// with KEY and so on of folds.cl. Numbers of `shape`, three each: inputs, outputs, positions of a
// window, strides, dilations, padding before, strides of x; where else elements are say tables for
// place_of. Along the second axis work-items are numbered by the planes, which lie as `planes` says.

#define IN(k) (int)shape[k]
#define OUT(k) (int)shape[3 + k]
#define WINDOW(k) (int)shape[6 + k]
#define STRIDE(k) (int)shape[9 + k]
#define DILATION(k) (int)shape[12 + k]
#define PADDING(k) (int)shape[15 + k]
#define X_STRIDE(k) shape[18 + k]
#define NUMBER(k) (uint)shape[21 + k]
#define POSITIONS (WINDOW(0) * WINDOW(1) * WINDOW(2))
#define INPUTS ((ulong)IN(0) * IN(1) * IN(2))
#define OUTPUTS ((ulong)OUT(0) * OUT(1) * OUT(2))

// The input at a position of a window along an axis; -1 if there is none.
static int input_at(int out, int position, int k, global const long *shape) {
    const int at = out * STRIDE(k) - PADDING(k) + position * DILATION(k);
    return at >= 0 && at < IN(k) ? at : -1;
}
// The output whose window has an input at a position of it; -1 if there is none.
static int output_at(int in, int position, int k, global const long *shape) {
    const int reached = in + PADDING(k) - position * DILATION(k), at = reached / STRIDE(k);
    return reached >= 0 && at * STRIDE(k) == reached && at < OUT(k) ? at : -1;
}

// `WIDE` outputs of a row, from `ox` on, of plane `plane`; `e` is the number of the first, and the
// inputs of the plane begin at `start`. The last ones of a row begin earlier, so that all are there:
// lanes from `fresh` on are this work-item's alone.
#define OUTPUT_PLACE                                                              \
    const ulong plane = get_global_id(2);                                         \
    const int line = (int)get_global_id(1), ahead = (int)get_global_id(0) * WIDE; \
    const int ox = max(min(ahead, OUT(2) - WIDE), 0), fresh = ahead - ox;         \
    const int lanes = min(WIDE, OUT(2) - ox);                                     \
    const int oy = line % OUT(1), oz = line / OUT(1);                             \
    if (ahead >= OUT(2) || oz >= OUT(0)) return;                                  \
    const ulong e = plane * OUTPUTS + (ulong)line * OUT(2) + ox;                  \
    const long start = place_of(plane, planes);
// Lanes that are this work-item's alone, and how far apart their elements are in an array whose table is
// `of`: outputs of a row are a part of its last axis.
#define FOR_OWN_LANES for (int lane = fresh; lane < lanes; ++lane)
#define IS_OWN ((lane >= fresh) & (lane < lanes))
#define STEP_OF(of) (of[0] ? of[2] : 0)
#define FOR_LANES IN_VECTORS for (int lane = 0; lane < WIDE; ++lane)

// For each position k of their windows: the elements `own`, read by GET, where they are `there`; else 0.
#define FOR_POSITIONS(TYPE_, GET)                                                          \
    const int step = STRIDE(2), size = IN(2);                                              \
    const long x_step = step * X_STRIDE(2);                                                \
    for (int k = 0, a = 0; a < WINDOW(0); ++a)                                             \
        for (int b = 0; b < WINDOW(1); ++b) {                                              \
            const int i0 = input_at(oz, a, 0, shape), i1 = input_at(oy, b, 1, shape);      \
            const long row = start + i0 * X_STRIDE(0) + i1 * X_STRIDE(1);                  \
            for (int c = 0; c < WINDOW(2); ++c, ++k) {                                     \
                const int first = ox * step - PADDING(2) + c * DILATION(2);                \
                const long at = row + first * X_STRIDE(2);                                 \
                TYPE_ own[WIDE];                                                           \
                int there[WIDE];                                                           \
                const int is_row = (i0 | i1) >= 0;                                         \
                if (x_step == 1 && is_row && first >= 0 && first + WIDE <= size) {         \
                    FOR_LANES {                                                            \
                        there[lane] = 1;                                                   \
                        own[lane] = GET(X, BASE(x), at + lane);                            \
                    }                                                                      \
                } else if (x_step == 1) {                                                  \
                    FOR_LANES {                                                            \
                        there[lane] = is_row & (first + lane >= 0) & (first + lane < size); \
                        own[lane] = there[lane] ? GET(X, BASE(x), at + lane) : 0;          \
                    }                                                                      \
                } else {                                                                   \
                    FOR_LANES {                                                            \
                        const int i2 = first + lane * step;                                \
                        there[lane] = is_row & (i2 >= 0) & (i2 < size);                    \
                        own[lane] = there[lane] ? GET(X, BASE(x), at + lane * x_step) : 0; \
                    }                                                                      \
                }
#define END_POSITIONS }}

#define INPUT_PLACE(count)                                        \
    const ulong e = get_global_id(0);                             \
    if (e >= (count)) return;                                     \
    const ulong plane = e / INPUTS;                               \
    const int i = (int)(e % INPUTS), ix = i % IN(2);              \
    const int iy = i / IN(2) % IN(1), iz = i / IN(2) / IN(1);

// S16 of what is added in order: sixteen sums, and as many of the totals of blocks.
#if defined(SUMS) || defined(SPREAD)
#define BLOCK 4096
typedef struct {
    Double sums[16], totals[16];
} Sum16;
static Double tree_of(const Double *sums) {
    Double s[8];
    for (int k = 0; k < 8; ++k) s[k] = PLUS(sums[k], sums[k + 8]);
    for (int k = 0; k < 4; ++k) s[k] = PLUS(s[k], s[k + 4]);
    for (int k = 0; k < 2; ++k) s[k] = PLUS(s[k], s[k + 2]);
    return PLUS(s[0], s[1]);
}
static void start_sum(Sum16 *s) {
    for (int k = 0; k < 16; ++k) s->sums[k] = s->totals[k] = 0;
}
static void add_at(Sum16 *s, int k, Double value) {
    if (k && k % BLOCK == 0) {  // of which there are at most 4,096
        const int block = k / BLOCK - 1;
        s->totals[block % 16] = PLUS(s->totals[block % 16], tree_of(s->sums));
        for (int lane = 0; lane < 16; ++lane) s->sums[lane] = 0;
    }
    s->sums[k % 16] = PLUS(s->sums[k % 16], value);
}
static Double total_of(Sum16 *s, int count) {
    if (count <= BLOCK) return tree_of(s->sums);
    const int block = (count - 1) / BLOCK;
    s->totals[block % 16] = PLUS(s->totals[block % 16], tree_of(s->sums));
    return tree_of(s->totals);
}

// How many positions of a window have an input along an axis.
static int count_along(int out, int k, global const long *shape) {
    int count = 0;
    for (int position = 0; position < WINDOW(k); ++position) {
        count += input_at(out, position, k, shape) >= 0;
    }
    return count;
}
static int count_inside(int z, int y, int x, global const long *shape) {
    return count_along(z, 0, shape) * count_along(y, 1, shape) * count_along(x, 2, shape);
}
#define INSIDE 0
#define ALL 1
#define ONE 2
static Double divisor_of(int divisor, int z, int y, int x, global const long *shape) {
    return DOUBLE_OF_COUNT(divisor == INSIDE ? count_inside(z, y, x, shape) : divisor == ALL ? POSITIONS : 1);
}
#endif

#ifdef SUMS
static Double mapped(Double x, int order) {
    if (order == 0) return x;
    const Double magnitude = MAGNITUDE_OF(x);
    if (order == 2) return TIMES(magnitude, magnitude);
    Double power = magnitude;
    for (int k = 1; k < order; ++k) power = TIMES(power, magnitude);
    return power;
}

// Adds the sums of a block, of which so many are not 0, by their tree, to a total.
static void end_block(Double sums[16][WIDE], int count, Double *total) {
    for (int half_ = 8; half_; half_ >>= 1) {
        for (int k = 0; k + half_ < count; ++k) FOR_LANES sums[k][lane] = PLUS(sums[k][lane], sums[k + half_][lane]);
        count = min(count, half_);
    }
    FOR_LANES total[lane] = PLUS(total[lane], sums[0][lane]);
}

// Sums of elements, or of powers of their magnitudes of an order; divided, or as a norm.
kernel void sum_windows(VIEW(x), VIEW(y), global const long *shape, global const long *planes,
                        global const long *of_x, global const long *of_y, int divisor, int order,
                        int as_norm) {
    OUTPUT_PLACE
    Double sums[16][WIDE], totals[16][WIDE];
    const int blocks = (POSITIONS + BLOCK - 1) / BLOCK;  // at most 4,096
    const int count = min(POSITIONS, 16);
    for (int k = 0; k < count; ++k) FOR_LANES sums[k][lane] = 0;
    if (blocks > 1) for (int k = 0; k < 16; ++k) FOR_LANES totals[k][lane] = 0;
    FOR_POSITIONS(Double, READ_DOUBLE)
        if (k && k % BLOCK == 0) {
            end_block(sums, 16, totals[(k / BLOCK - 1) % 16]);
            for (int j = 0; j < 16; ++j) FOR_LANES sums[j][lane] = 0;
        }
        FOR_LANES sums[k % 16][lane] = PLUS(sums[k % 16][lane], mapped(own[lane], order));
    END_POSITIONS
    Double found[WIDE];
    FOR_LANES found[lane] = 0;
    end_block(sums, count, blocks > 1 ? totals[(blocks - 1) % 16] : found);
    if (blocks > 1) {
        FOR_LANES found[lane] = 0;
        end_block(totals, 16, found);
    }
    int inside[WIDE];
    FOR_LANES inside[lane] = divisor == ALL ? POSITIONS : 0;
    if (divisor == INSIDE) {
        const int rows = count_along(oz, 0, shape) * count_along(oy, 1, shape);
        for (int c = 0; c < WINDOW(2); ++c) FOR_LANES {
            const int i2 = (ox + lane) * step - PADDING(2) + c * DILATION(2);
            inside[lane] += i2 >= 0 && i2 < size ? rows : 0;
        }
    }
    if (divisor != ONE) FOR_LANES found[lane] = OVER(found[lane], DOUBLE_OF_COUNT(inside[lane]));
    if (as_norm) FOR_LANES found[lane] = ROOT_OF(found[lane]);
    const long first_at = place_of(e, of_y), apart = STEP_OF(of_y);
#if defined(RESPONSE) || defined(HIGH_NORM)
    FOR_OWN_LANES {
#ifdef RESPONSE
        // x / (bias + share s)^beta, in FLOAT32; `of_y` has x too.
        const float scaled = number(NUMBER(0)) * number(SINGLE_OF(found[lane]));
        const float base = number(NUMBER(2)) + scaled;
        const uint power = pow_float32(as_uint(base), NUMBER(1));
        const uint value = divided(READ_BITS(X, BASE(x), place_of(e + lane, of_x)), power);
#else
        const uint value = pow_float32(SINGLE_OF(found[lane]), NUMBER(0));
#endif
        WRITE_SINGLE(Y, BASE(y), first_at + lane * apart, number(value));
    }
#else
    if (apart == 1) {
        FOR_LANES { if (IS_OWN) { WRITE_DOUBLE(Y, BASE(y), first_at + lane, found[lane]); } }
    } else {
        FOR_OWN_LANES { WRITE_DOUBLE(Y, BASE(y), first_at + lane * apart, found[lane]); }
    }
#endif
}
#endif

#ifdef KEY
// The keys of the largest elements of windows, and their positions, the first of equals; -1 without one.
#define FIND_LARGEST                                                                              \
    KEY best[WIDE];                                                                               \
    int position[WIDE];                                                                           \
    FOR_LANES { best[lane] = 0; position[lane] = -1; }                                            \
    FOR_POSITIONS(TYPE(X), READ)                                                                  \
        FOR_LANES {                                                                               \
            const KEY key = KEY_OF(own[lane]);                                                    \
            const int wins = there[lane] & ((key > best[lane]) | (position[lane] < 0));           \
            best[lane] = wins ? key : best[lane];                                                 \
            position[lane] = wins ? k : position[lane];                                           \
        }                                                                                         \
    END_POSITIONS
#endif

#ifdef LARGEST
kernel void largest_windows(VIEW(x), VIEW(y), VIEW(indices), global const long *shape,
                            global const long *planes, global const long *of_y,
                            global const long *of_indices) {
    OUTPUT_PLACE
    FIND_LARGEST
    const long first_at = place_of(e, of_y), apart = STEP_OF(of_y);
    TYPE(X) values[WIDE];
    FOR_LANES {
        const TYPE(X) value = position[lane] < 0 ? (TYPE(X))LOWEST : (TYPE(X))VALUE_OF(best[lane]);
        values[lane] = QUIETED(value);
    }
#ifdef WIDENED
#define PUT(i, value) WRITE(float32, BASE(y), i, widened(value))
#else
#define PUT(i, value) WRITE(X, BASE(y), i, value)
#endif
    if (apart == 1) {
        FOR_LANES { if (IS_OWN) { PUT(first_at + lane, values[lane]); } }
    } else {
        FOR_OWN_LANES PUT(first_at + lane * apart, values[lane]);
    }
    if (!indices) return;
    FOR_OWN_LANES {
        const int k = position[lane];
        const long z = input_at(oz, k / WINDOW(2) / WINDOW(1), 0, shape);
        const long y_ = input_at(oy, k / WINDOW(2) % WINDOW(1), 1, shape);
        const int x_ = input_at(ox + lane, k % WINDOW(2), 2, shape);
        const long flat = k < 0 ? -1 : (long)(plane * INPUTS) + (z * IN(1) + y_) * IN(2) + x_;
        WRITE(INDEX, BASE(indices), place_of(e + lane, of_indices), flat);
    }
}
#endif

#ifdef POSITIONS_OF_LARGEST
kernel void find_largest(VIEW(x), global int *positions, global const long *shape,
                         global const long *planes) {
    OUTPUT_PLACE
    FIND_LARGEST
    FOR_OWN_LANES positions[e + lane] = position[lane];
}
#endif

// What windows bring back to an element, by its position in each of them: SHARES of averages, OF_LARGEST
// elements alone, or of all positions, COLUMNS of them; MODULAR are integers.
#ifdef SPREAD
#ifdef OF_LARGEST
#define FROM VIEW(x), global const int *positions
#else
#define FROM VIEW(x)
#endif
kernel void spread(FROM, VIEW(y), global const long *shape, global const long *of_x,
                   global const long *of_y, ulong count, int divisor) {
    INPUT_PLACE(count)
#ifdef MODULAR
    ulong sum = 0;
#else
    Sum16 s;
    start_sum(&s);
#endif
    for (int k = 0, a = 0; a < WINDOW(0); ++a)
        for (int b = 0; b < WINDOW(1); ++b)
            for (int c = 0; c < WINDOW(2); ++c, ++k) {
                const int o0 = output_at(iz, a, 0, shape), o1 = output_at(iy, b, 1, shape);
                const int o2 = output_at(ix, c, 2, shape), is_there = (o0 | o1 | o2) >= 0;
                const ulong o = ((ulong)o0 * OUT(1) + o1) * OUT(2) + o2;
#ifdef COLUMNS
                const ulong from = (plane * POSITIONS + k) * OUTPUTS + o;
#else
                const ulong from = plane * OUTPUTS + o;
#endif
#ifdef MODULAR
                if (is_there) sum += (ulong)READ(X, BASE(x), place_of(from, of_x));
#else
                Double own = 0;
                if (is_there) {
                    own = READ_DOUBLE(X, BASE(x), place_of(from, of_x));
#ifdef OF_LARGEST
                    if (positions[from] != k) own = 0;
#endif
                    if (divisor != ONE) own = OVER(own, divisor_of(divisor, o0, o1, o2, shape));
                }
                add_at(&s, k, own);
#endif
            }
#ifdef MODULAR
    WRITE(Y, BASE(y), place_of(e, of_y), sum);
#else
    WRITE_DOUBLE(Y, BASE(y), place_of(e, of_y), total_of(&s, POSITIONS));
#endif
}
#endif

#ifdef UNFOLD
// Element (plane, position, output) of the columns; bits are kept.
kernel void unfold(VIEW(x), VIEW(y), global const long *shape, global const long *of_x,
                   global const long *of_y, ulong count) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const int o = (int)(e % OUTPUTS), k = (int)(e / OUTPUTS % POSITIONS);
    const ulong plane = e / OUTPUTS / POSITIONS;
    const int z = input_at(o / OUT(2) / OUT(1), k / WINDOW(2) / WINDOW(1), 0, shape);
    const int y_ = input_at(o / OUT(2) % OUT(1), k / WINDOW(2) % WINDOW(1), 1, shape);
    const int x_ = input_at(o % OUT(2), k % WINDOW(2), 2, shape);
    TYPE(X) value = 0;
    if ((z | y_ | x_) >= 0) {
        const ulong from = plane * INPUTS + ((ulong)z * IN(1) + y_) * IN(2) + x_;
        value = READ(X, BASE(x), place_of(from, of_x));
    }
    WRITE(X, BASE(y), place_of(e, of_y), value);
}
#endif
