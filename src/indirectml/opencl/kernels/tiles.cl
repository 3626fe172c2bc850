// Products on tiles: a work-group has a tile of the result, a work-item ROWS rows of VECTORS vectors
// of WIDE columns. DEPTH products of each element at a time are read into local memory. Each element
// has two accumulators: its chain of up to 256 products, and the total of those that are done.
//
// Defined by the host: ROWS, VECTORS, WIDE, GROUP_X, GROUP_Y, and DEPTH, which divides 256. With
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

// One column more of rows: work-items that read different ones do not meet in a bank.
#define TILE_MEMORY \
    local Factor rows[TILE_M][DEPTH + 1], columns[DEPTH][TILE_N];

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
            b[j] = LOAD_WIDE(own_x + GROUP_X * j, columns[kk]);                            \
        }                                                                                  \
        FOR_TILE { own[i][j] = MULTIPLIED(rows[own_y * ROWS + i][kk], b[j], own[i][j]); }  \
    }

// Not one product more than there are: fma(0, 0, -0) is +0. What lives between barriers alone stays
// in registers everywhere.
#define TILE_MULTIPLY(depth)                                     \
    {                                                            \
        Wide own[ROWS][VECTORS];                                 \
        FOR_TILE { own[i][j] = chain[i][j]; }                    \
        if (depth == DEPTH) {                                    \
            for (int kk = 0; kk < DEPTH; ++kk) TILE_STEP(kk)     \
        } else {                                                 \
            for (int kk = 0; kk < depth; ++kk) TILE_STEP(kk)     \
        }                                                        \
        FOR_TILE { chain[i][j] = own[i][j]; }                    \
    }

// `WIDE` elements that are neighbours, as they are in memory and in a tile.
#define COPY_WIDE(X, from, i, to) STORE_WIDE(JOIN(wide_, X)(from, i), 0, to)
#ifdef INTEGERS
#define WIDE_INTEGERS(X, TYPE)                                                        \
    static Wide wide_##X(Source from, long i) {                                       \
        return JOIN(convert_int, WIDE)(LOAD_WIDE(0, (global const TYPE *)from + i));  \
    }
WIDE_INTEGERS(int8, char)
WIDE_INTEGERS(uint8, uchar)
#else
static Wide wide_float32(Source from, long i) { return LOAD_WIDE(0, (global const float *)from + i); }
static Wide wide_float16(Source from, long i) {
    float found[WIDE];
    for (int k = 0; k < WIDE; ++k) found[k] = number(bits_float16(from, i + k));
    return LOAD_WIDE(0, found);
}
#endif

// For each element of the work-item, in turn: m, n and value.
#define TILE_FINISH(M, N, PUT)                                                        \
    for (int i = 0; i < ROWS; ++i) {                                                  \
        const int m = m0 + own_y * ROWS + i;                                          \
        if (m >= M) break;                                                            \
        for (int j = 0; j < VECTORS; ++j) {                                           \
            Number values[WIDE];                                                      \
            STORE_WIDE(ADDED(total[i][j], chain[i][j]), 0, values);                   \
            for (int lane = 0; lane < WIDE; ++lane) {                                 \
                const int n = n0 + (own_x + GROUP_X * j) * WIDE + lane;               \
                if (n >= N) break;                                                    \
                Number value = values[lane];                                          \
                PUT                                                                   \
            }                                                                         \
        }                                                                             \
    }
