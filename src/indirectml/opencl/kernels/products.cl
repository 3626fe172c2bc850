// Products of matrices (docs/arithmetic.md, Contraction). A, B and C are the data types of a, b and
// the result.

#ifdef INTEGERS
#define READ_A(i) ((int)READ(A, BASE(a), i))
#define READ_B(i) ((int)READ(B, BASE(b), i))
// Integers less their zero points: of one, or of each row of a, and of each column of b.
#define ZERO_POINTS , VIEW(a_zero), int a_number, int a_step, VIEW(b_zero), int b_number, int b_step
#define ZERO_OF_ROW(m) (a_zero ? (int)READ(A_ZERO_POINT, BASE(a_zero), (long)(m) * a_step) : a_number)
#define ZERO_OF_COLUMN(n) (b_zero ? (int)READ(B_ZERO_POINT, BASE(b_zero), (long)(n) * b_step) : b_number)
#define LESS(value, zero) ((value) - (zero))
#define WRITE_RESULT(i, value) WRITE(C, BASE(c), i, value)
#define IS_WIDE (!a_zero && !b_zero && !a_number && !b_number)
#else
#define READ_A(i) READ_SINGLE(A, BASE(a), i)
#define READ_B(i) READ_SINGLE(B, BASE(b), i)
#define ZERO_POINTS
#define LESS(value, zero) (value)
#define WRITE_RESULT(i, value) WRITE_SINGLE(C, BASE(c), i, value)
#define IS_WIDE 1
#endif

#ifndef ALONE
// Of one side, what a work-item reads as number l: its place in the tile, and the value; 0 where nothing is.
#define FROM_SIDE(X, x, READ_ONE, at_, is_deep, lines, first, end, k0, l, of_line, of_k, ZERO)            \
    const Place p = place_of_wide(item + (l) * ITEMS, is_deep, lines);                                   \
    const int line = (first) + p.line, step_k = min(DEPTH, K - (k0)) - p.k;                              \
    const int there = is_deep ? (line < (end) ? step_k : 0) : (step_k > 0 ? (end) - line : 0);           \
    const long from = (at_) + line * (of_line) + ((k0) + p.k) * (of_k);                                  \
    const long apart = is_deep ? (of_k) : (of_line);                                                     \
    VALUE_OF_WIDE(X, x, from, apart == 1, there,                                                         \
                  LESS(READ_ONE(from + lane * apart), ZERO(is_deep ? line : line + lane)))
#define FROM_ROWS(k0, l) \
    FROM_SIDE(A, a, READ_A, at[0], rows_are_deep, TILE_M, m0, M, k0, l, am, ak, ZERO_OF_ROW)
#define FROM_COLUMNS(k0, l) \
    FROM_SIDE(B, b, READ_B, at[1], columns_are_deep, TILE_N, n0, N, k0, l, bn, bk, ZERO_OF_COLUMN)
#define FETCH(k0)                                     \
    _Pragma("unroll")                                 \
    for (int l = 0; l < READS(TILE_M); ++l) {         \
        FROM_ROWS(k0, l)                              \
        of_rows[l] = value;                           \
    }                                                 \
    _Pragma("unroll")                                 \
    for (int l = 0; l < READS(TILE_N); ++l) {         \
        FROM_COLUMNS(k0, l)                           \
        of_columns[l] = value;                        \
    }
#define PLACE                                                                                   \
    PLACE_ROWS(rows_are_deep, of_rows)                                                          \
    _Pragma("unroll")                                                                           \
    for (int l = 0; l < READS(TILE_N); ++l) {                                                   \
        const Place p = place_of_wide(item + l * ITEMS, columns_are_deep, TILE_N);              \
        PUT_COLUMNS(p, columns_are_deep, of_columns[l])                                         \
    }
#define NOTHING_BEFORE(next)

TILE_KERNEL void contract(VIEW(a), VIEW(b), VIEW(c), global const long *batch, int M, int N, int K,
                     long am, long ak, long bk, long bn, long cm, long cn ZERO_POINTS) {
    TILE_MEMORY
    long at[3];
    places_of(get_global_id(2), batch, 3, at);
    TILE_START
#ifdef DOT
    const int has_points = a_zero || b_zero || a_number || b_number;
    SUMS_MEMORY
    SUMS_START
    for (int k0 = 0; k0 < K; k0 += FOUR * DEPTH) {
        const int depth = min(FOUR * DEPTH, K - k0), words = (depth + FOUR - 1) / FOUR;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = item; e < TILE_M * words; e += ITEMS) {
            const int kk = ak == 1 ? e % words : e / TILE_M, i = ak == 1 ? e / words : e % TILE_M;
            const long from = at[0] + (m0 + i) * am + (k0 + FOUR * kk) * ak;
            const int count = m0 + i < M ? min(FOUR, depth - FOUR * kk) : 0;
            uint word = 0;
            if (ak == 1 && count == FOUR) {
                word = WORD_AT(BASE(a) + from);
            } else {
                for (int k = 0; k < count; ++k) word |= IN_WORD(READ_A(from + k * ak), k);
            }
            ROW(kk, i) = word;
        }
        for (int e = item; e < TILE_N * words; e += ITEMS) {
            const int kk = bk == 1 ? e % words : e / TILE_N, j = bk == 1 ? e / words : e % TILE_N;
            const long from = at[1] + (n0 + j) * bn + (k0 + FOUR * kk) * bk;
            const int count = n0 + j < N ? min(FOUR, depth - FOUR * kk) : 0;
            uint word = 0;
            if (bk == 1 && count == FOUR) {
                word = WORD_AT(BASE(b) + from);
            } else {
                for (int k = 0; k < count; ++k) word |= IN_WORD(READ_B(from + k * bk), k);
            }
            columns[kk][j] = word;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (has_points) { SUMS_ADD(words) }
        TILE_MULTIPLY(words)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    TILE_FINISH(M, N, const long to = at[2] + n * cn;, {
        if (has_points) {
            value = LESS_POINTS(value, m - m0, n - n0, K, ZERO_OF_ROW(m), ZERO_OF_COLUMN(n));
        }
        WRITE_RESULT(to + m * cm, value);
    })
#else
    const int rows_are_deep = ak == 1, columns_are_deep = bk == 1 && bn != 1;
#if BUFFERS == 1
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        const int depth = min(DEPTH, K - k0);
        TILE_CUT(k0)
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < READS(TILE_M); ++l) {
            FROM_ROWS(k0, l)
            if (IS_DEEP && p.k >= depth) continue;
            PUT_ROWS(p, rows_are_deep, value)
        }
        for (int l = 0; l < READS(TILE_N); ++l) {
            FROM_COLUMNS(k0, l)
            if (IS_DEEP && p.k >= depth) continue;
            PUT_COLUMNS(p, columns_are_deep, value)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        TILE_MULTIPLY(depth)
    }
#else
    Wide of_rows[READS(TILE_M)], of_columns[READS(TILE_N)];
    TILE_PRODUCTS(K, NOTHING_BEFORE)
#endif
    TILE_FINISH(M, N, const long to = at[2] + n * cn;, WRITE_RESULT(to + m * cm, value);)
#endif
}

#endif

// One element for each work-item: where rows or columns are too few for tiles, and ALONE of integers of
// 16 and 32 bits.
kernel void contract_one(VIEW(a), VIEW(b), VIEW(c), global const long *batch, int M, int N, int K,
                         long am, long ak, long bk, long bn, long cm, long cn ZERO_POINTS) {
    const int n = (int)get_global_id(0), m = (int)get_global_id(1);
    if (n >= N || m >= M) return;
    long at[3];
    places_of(get_global_id(2), batch, 3, at);
    long at_a = at[0] + m * am, at_b = at[1] + n * bn;
    const long at_c = at[2] + m * cm + n * cn;
#ifdef INTEGERS
    uint value = 0;
    const uint zero_of_row = (uint)ZERO_OF_ROW(m), zero_of_column = (uint)ZERO_OF_COLUMN(n);
    for (int k = 0; k < K; ++k, at_a += ak, at_b += bk) {
        value += ((uint)READ_A(at_a) - zero_of_row) * ((uint)READ_B(at_b) - zero_of_column);
    }
#else
    float value = -0.0f;
    int k = 0;
    do {
        float chain = 0;
        for (const int end = min(k + CHAIN, K); k < end; ++k, at_a += ak, at_b += bk) {
            chain = fused(READ_A(at_a), READ_B(at_b), chain);
        }
        value = added(value, chain);
    } while (k < K);
#endif
    WRITE_RESULT(at_c, value);
}
