// Products on tiles: a work-group has a tile of the result, a work-item ROWS rows of VECTORS vectors
// of WIDE columns. DEPTH products of each element at a time are read into local memory. Each element
// has two accumulators: its chain of up to 256 products, and the total of those that are done.
//
// Defined by the host: ROWS, VECTORS, WIDE, GROUP_X, GROUP_Y, BUFFERS, and DEPTH, which divides 256. With
// INTEGERS all is modulo 2^32, and chains do not matter; with DOT what lies in local memory are words of
// four integers each, and so many products are DEPTH times as many (kernels/dots.cl).

#define TILE_M (ROWS * GROUP_Y)
#define TILE_N (WIDE * VECTORS * GROUP_X)
#define ITEMS (GROUP_X * GROUP_Y)
#define CHAIN 256

#ifdef INTEGERS
typedef int Number;
#define NUMBER int
#else
typedef float Number;
#define NUMBER float
#endif
typedef JOIN(NUMBER, WIDE) Wide;
#ifdef DOT
typedef uint Factor;
typedef JOIN(uint, WIDE) WideFactor;
#else
#define FOUR 1
typedef Number Factor;
typedef Wide WideFactor;
#endif
#define LOAD_WIDE JOIN(vload, WIDE)
#define STORE_WIDE JOIN(vstore, WIDE)

#if defined(DOT)
#define MULTIPLIED(a, b, c) (JOIN(dots, WIDE)(a, b) + (c))
#elif defined(INTEGERS)
#define MULTIPLIED(a, b, c) ((Wide)(a) * (b) + (c))
#elif defined(FUSED_BY_DEVICE)
#define MULTIPLIED(a, b, c) fma((Wide)(a), b, c)
#else
static Wide MULTIPLIED(float a, Wide b, Wide c) {
    float of_b[WIDE], of_c[WIDE];
    STORE_WIDE(b, 0, of_b);
    STORE_WIDE(c, 0, of_c);
    for (int k = 0; k < WIDE; ++k) of_c[k] = fused(a, of_b[k], of_c[k]);
    return LOAD_WIDE(0, of_c);
}
#endif

// Compilers that know how many work-items there are keep their registers to what so many can have.
#define TILE_KERNEL kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))

#ifdef INTEGERS
#define ADDED(total, chain) ((total) + (chain))
#else
#define ADDED(total, chain) MULTIPLIED(1.0f, chain, total)
#endif

#define FOR_TILE                        \
    _Pragma("unroll")                   \
    for (int i = 0; i < ROWS; ++i)      \
        _Pragma("unroll")               \
        for (int j = 0; j < VECTORS; ++j)

// Whether it is worth it to leave out what lies beyond the last products.
#define IS_DEEP (DEPTH > 64)

// Vectors in local memory, which a GPU reads at once where it knows that they are aligned.
#define ALIGNED __attribute__((aligned(4 * WIDE)))
#define IN_TILE(at) (*(local WideFactor *)&(at))

// Rows: a thread of a CPU reads one number of each for a vector of columns; threads of a GPU read rows
// that are neighbours at once. One more, or four, so that those who write do not meet in a bank. With two
// BUFFERS one is written while the other is multiplied.
#if BUFFERS == 1
#define ROW(kk, i) rows[i][kk]
#define TILE_MEMORY local Factor rows[TILE_M][DEPTH + 1], columns[DEPTH][TILE_N] ALIGNED;
#else
#define ROW(kk, i) rows[kk][i]
#ifdef DOT
#define TILE_MEMORY local Factor rows[DEPTH][TILE_M + 4] ALIGNED, columns[DEPTH][TILE_N] ALIGNED;
#else
#define TILE_MEMORY                                                          \
    local Factor of_rows_[BUFFERS][DEPTH][TILE_M + 4] ALIGNED;               \
    local Factor of_columns_[BUFFERS][DEPTH][TILE_N] ALIGNED;                \
    __local Factor(*rows)[TILE_M + 4] = of_rows_[0];                         \
    __local Factor(*columns)[TILE_N] = of_columns_[0];
#define TAKE_BUFFER(turn)                \
    rows = of_rows_[(turn) % BUFFERS];   \
    columns = of_columns_[(turn) % BUFFERS];
#endif
#endif

// The total starts at -0, so that the first chain keeps its sign.
#define TILE_START                                                                         \
    const int item = (int)get_local_id(1) * GROUP_X + (int)get_local_id(0);                \
    const int own_x = (int)get_local_id(0), own_y = (int)get_local_id(1);                  \
    const int m0 = (int)get_global_id(1) / GROUP_Y * TILE_M;                               \
    const int n0 = (int)get_global_id(0) / GROUP_X * TILE_N;                               \
    Wide total[ROWS][VECTORS], chain[ROWS][VECTORS];                                       \
    FOR_TILE {                                                                             \
        total[i][j] = (Wide)(-(Number)0);                                                  \
        chain[i][j] = (Wide)((Number)0);                                                   \
    }

#ifdef INTEGERS
#define TILE_CUT(k0)
#else
#define TILE_CUT(k0)                                   \
    if (k0 && k0 % CHAIN == 0) {                       \
        FOR_TILE {                                     \
            total[i][j] = ADDED(total[i][j], chain[i][j]); \
            chain[i][j] = (Wide)(0.0f);                \
        }                                              \
    }
#endif

#define TILE_STEP(kk)                                                                      \
    {                                                                                      \
        WideFactor b[VECTORS];                                                             \
        _Pragma("unroll")                                                                  \
        for (int j = 0; j < VECTORS; ++j) {                                                \
            b[j] = IN_TILE(columns[kk][WIDE * (own_x + GROUP_X * j)]);                     \
        }                                                                                  \
        FOR_TILE { own[i][j] = MULTIPLIED(ROW(kk, own_y * ROWS + i), b[j], own[i][j]); }   \
    }

// A GPU's threads have all steps one behind the other, so that some are read while others are multiplied.
#if BUFFERS > 1 && (defined(INTEGERS) || defined(FUSED_BY_DEVICE))
#define ALL_STEPS _Pragma("unroll")
#else
#define ALL_STEPS
#endif

// Not one product more than there are: fma(0, 0, -0) is +0. What lives between barriers alone stays
// in registers everywhere.
#define TILE_MULTIPLY(depth)                                     \
    {                                                            \
        Wide own[ROWS][VECTORS];                                 \
        FOR_TILE { own[i][j] = chain[i][j]; }                    \
        if (depth == DEPTH) {                                    \
            ALL_STEPS                                            \
            for (int kk = 0; kk < DEPTH; ++kk) TILE_STEP(kk)     \
        } else {                                                 \
            for (int kk = 0; kk < depth; ++kk) TILE_STEP(kk)     \
        }                                                        \
        FOR_TILE { chain[i][j] = own[i][j]; }                    \
    }

// ---- From memory to a tile ----

// A side of a tile is so many lines of DEPTH; what is read at once are WIDE elements along depth or across
// it, as neighbours in memory are. How many of these a work-item has, and of one the place.
#define READS(lines) ((lines) * DEPTH / WIDE / ITEMS)
typedef struct {
    int k, line;
} Place;
static Place place_of_wide(int e, int is_deep, int lines) {
    Place p;
    p.k = is_deep ? e % (DEPTH / WIDE) * WIDE : e / (lines / WIDE);
    p.line = is_deep ? e / (DEPTH / WIDE) : e % (lines / WIDE) * WIDE;
    return p;
}

#if BUFFERS == 1
#define PUT_ROWS(p, is_deep, value)                                                           \
    if (is_deep) {                                                                            \
        STORE_WIDE(value, 0, rows[p.line] + p.k);                                             \
    } else {                                                                                  \
        Number own_[WIDE];                                                                    \
        STORE_WIDE(value, 0, own_);                                                           \
        for (int lane = 0; lane < WIDE; ++lane) ROW(p.k, p.line + lane) = own_[lane];         \
    }
#else
#define PUT_ROWS(p, is_deep, value) PUT_WIDE(rows, p, is_deep, value)
#endif
#define PUT_COLUMNS(p, is_deep, value) PUT_WIDE(columns, p, is_deep, value)
#define PUT_WIDE(tile, p, is_deep, value)                                                     \
    if (is_deep) {                                                                            \
        Number own_[WIDE];                                                                    \
        STORE_WIDE(value, 0, own_);                                                           \
        _Pragma("unroll")                                                                     \
        for (int lane = 0; lane < WIDE; ++lane) tile[p.k + lane][p.line] = own_[lane];        \
    } else {                                                                                  \
        IN_TILE(tile[p.k][p.line]) = value;                                                   \
    }

// `WIDE` elements that are neighbours: on a GPU, at once where they are aligned.
#if BUFFERS == 1
#define WIDE_OF(TYPE, from) LOAD_WIDE(0, from)
#else
#define WIDE_OF(TYPE, from)                                                                          \
    (((uintptr_t)(from) & (sizeof(TYPE) * WIDE - 1)) == 0 ? *(global const JOIN(TYPE, WIDE) *)(from) \
                                                          : LOAD_WIDE(0, from))
#endif
#ifdef INTEGERS
#define WIDE_INTEGERS(X, TYPE)                                                        \
    static Wide wide_##X(Source from, long i) {                                       \
        global const TYPE *at = (global const TYPE *)from + i;                        \
        return JOIN(convert_int, WIDE)(WIDE_OF(TYPE, at));                            \
    }
WIDE_INTEGERS(int8, char)
WIDE_INTEGERS(uint8, uchar)
#else
static Wide wide_float32(Source from, long i) {
    global const float *at = (global const float *)from + i;
    return WIDE_OF(float, at);
}
static Wide wide_float16(Source from, long i) {
    float found[WIDE];
    for (int k = 0; k < WIDE; ++k) found[k] = number(bits_float16(from, i + k));
    return LOAD_WIDE(0, found);
}
#endif

// What a work-item reads at once: neighbours at `from` if `is_near`, or `there` numbers that are read one by
// one as LANE, by `lane`; 0 where nothing is.
#define VALUE_OF_WIDE(X, x, from, is_near, there, LANE)                                       \
    Wide value;                                                                               \
    if (IS_WIDE && (is_near) && there >= WIDE) {                                              \
        value = JOIN(wide_, X)(BASE(x), from);                                                \
    } else {                                                                                  \
        Number own_[WIDE];                                                                    \
        _Pragma("unroll")                                                                     \
        for (int lane = 0; lane < WIDE; ++lane) {                                             \
            own_[lane] = 0;                                                                   \
            if (lane < there) own_[lane] = LANE;                                              \
        }                                                                                     \
        value = LOAD_WIDE(0, own_);                                                           \
    }

#if BUFFERS > 1 && !defined(DOT)
// Rows that were read, in their places.
#define PLACE_ROWS(is_deep, from)                                                             \
    _Pragma("unroll")                                                                         \
    for (int l = 0; l < READS(TILE_M); ++l) {                                                 \
        const Place p = place_of_wide(item + l * ITEMS, is_deep, TILE_M);                     \
        PUT_ROWS(p, is_deep, from[l])                                                         \
    }

// All products, where what comes next is on its way while others are made: a kernel's FETCH(k0) reads, its
// PLACE writes that to the buffer that is taken, and BEFORE(next) is what FETCH needs of a step.
#define TILE_PRODUCTS(K, BEFORE)                                                              \
    FETCH(0)                                                                                  \
    PLACE                                                                                     \
    for (int k0 = 0; k0 < K; k0 += DEPTH) {                                                   \
        const int next = k0 + DEPTH;                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                         \
        BEFORE(next)                                                                          \
        if (next < K) {                                                                       \
            FETCH(next)                                                                       \
        }                                                                                     \
        TILE_CUT(k0)                                                                          \
        TILE_MULTIPLY(min(DEPTH, K - k0))                                                     \
        if (next < K) {                                                                       \
            TAKE_BUFFER(next / DEPTH)                                                         \
            PLACE                                                                             \
        }                                                                                     \
    }
#endif

// For each element of the work-item, in turn: m, n and value. What is common to a column is found once.
#if BUFFERS == 1
#define EACH_OF_FEW
#else
#define EACH_OF_FEW _Pragma("unroll")  // what is read by a number that varies is in no register
#endif
#define TILE_FINISH(M, N, OF_COLUMN, PUT)                                             \
    Number values[ROWS][VECTORS][WIDE];                                               \
    FOR_TILE { STORE_WIDE(ADDED(total[i][j], chain[i][j]), 0, values[i][j]); }        \
    EACH_OF_FEW                                                                       \
    for (int j = 0; j < VECTORS; ++j)                                                 \
        EACH_OF_FEW                                                                   \
        for (int lane = 0; lane < WIDE; ++lane) {                                     \
            const int n = n0 + (own_x + GROUP_X * j) * WIDE + lane;                   \
            if (n < N) {                                                              \
                OF_COLUMN                                                             \
                EACH_OF_FEW                                                           \
                for (int i = 0; i < ROWS; ++i) {                                      \
                    const int m = m0 + own_y * ROWS + i;                              \
                    Number value = values[i][j][lane];                                \
                    if (m < M) { PUT }                                                \
                }                                                                     \
            }                                                                         \
        }
