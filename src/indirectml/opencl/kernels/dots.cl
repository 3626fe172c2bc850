// Four products of 8-bit integers at once, by the device (cl_khr_integer_dot_product). OpenCL C 3.0.
//
// Defined by the host: DOT, one of dot_4x8packed_ss_int, _su_int, _us_int and _uu_uint, by whether the
// integers of rows and of columns are signed. A word has four of a row, or of a column, that follow each
// other along depth; 0 where there are no more.

#define FOUR 4

static int2 dots2(uint a, uint2 b) { return (int2)((int)DOT(a, b.x), (int)DOT(a, b.y)); }
static int4 dots4(uint a, uint4 b) { return (int4)(dots2(a, b.lo), dots2(a, b.hi)); }

// A byte's place in a word, and four that are neighbours in memory.
#define IN_WORD(byte, k) ((uint)(uchar)(byte) << 8 * (k))
#define WORD_AT(from) as_uint(vload4(0, (global const uchar *)(from)))

// The sum of (a - p)(b - q) is that of a b, less q times that of a, less p times that of b, plus p q for
// each: sums of a for each row of a tile, and of b for each column.
#define ONES 0x01010101u
#define SUMS_MEMORY local uint row_sums[TILE_M], column_sums[TILE_N];
#define SUMS_START                                                  \
    for (int e = item; e < TILE_M; e += ITEMS) row_sums[e] = 0;     \
    for (int e = item; e < TILE_N; e += ITEMS) column_sums[e] = 0;
#define SUMS_ADD(words)                                                                         \
    for (int e = item; e < TILE_M; e += ITEMS) {                                                \
        for (int kk = 0; kk < (words); ++kk) row_sums[e] += (uint)DOT(ROW(kk, e), ONES);       \
    }                                                                                           \
    for (int e = item; e < TILE_N; e += ITEMS) {                                                \
        for (int kk = 0; kk < (words); ++kk) column_sums[e] += (uint)DOT(ONES, columns[kk][e]); \
    }
#define LESS_POINTS(value, m, n, count, of_row, of_column)                              \
    (int)((uint)(value) - (uint)(of_column) * row_sums[m] - (uint)(of_row) * column_sums[n] + \
          (uint)(count) * (uint)(of_row) * (uint)(of_column))
