// Convolutions (docs/arithmetic.md, Contraction): products of filters and pixels. X, W, BIAS and Y are
// data types. Along three spatial axes, as numbers of the table `shape`; see words/convolutions.py.

#define SIZE(k) (int)shape[k]         // of x
#define TAPS(k) (int)shape[3 + k]     // of the filter
#define OUT(k) (int)shape[6 + k]      // of y
#define STRIDE(k) (int)shape[9 + k]
#define DILATION(k) (int)shape[12 + k]
#define PADDING(k) (int)shape[15 + k]
#define GROUPS (int)shape[18]
#define FILTERS (int)shape[19]        // of a group
#define CHANNELS (int)shape[20]       // of a group
#define IS_TURNED shape[21]
#define X_STRIDES (shape + 22)        // image, channel, and three
#define W_STRIDES (shape + 27)        // filter of a group, channel of a group, and three; groups
#define Y_STRIDES (shape + 33)        // as those of x

#ifdef INTEGERS
#define READ_X(i) ((int)READ(X, BASE(x), i) - x_point)
#define READ_W(i, filter) ((int)READ(W, BASE(w), i) - W_POINT(filter))
#define MORE , VIEW(x_zero), int x_number, VIEW(w_zero), int w_number, int w_step
#define W_POINT(filter) \
    (w_zero ? (int)READ(W_ZERO_POINT, BASE(w_zero), (long)(filter) * w_step) : w_number)
#define START_MORE const int x_point = x_zero ? (int)READ(X_ZERO_POINT, BASE(x_zero), 0) : x_number;
#define WRITE_RESULT(i, channel, value) WRITE(Y, BASE(y), i, value)
#define IS_WIDE 0
#else
#define READ_X(i) READ_SINGLE(X, BASE(x), i)
#define READ_W(i, filter) READ_SINGLE(W, BASE(w), i)
#define MORE , VIEW(bias), long bias_step
#define START_MORE
#define IS_WIDE 1
#define WRITE_RESULT(i, channel, value)                                                     \
    if (bias) value = added(value, READ_SINGLE(BIAS, BASE(bias), (long)(channel) * bias_step)); \
    WRITE_SINGLE(Y, BASE(y), i, value)
#endif

#ifdef DOT
#define FINISH_MORE \
    if (has_points) value = LESS_POINTS(value, m - m0, n - n0, K, W_POINT(own), x_point);
#else
#define FINISH_MORE
#endif

#define NOTHING (-1)
#define HOLE (-2)

// Where along an axis the input of an output and a tap is: NOTHING on padding, a HOLE between
// elements, backwards.
static int place_along(int out, int tap, int k, global const long *shape) {
    if (IS_TURNED) tap = TAPS(k) - 1 - tap;
#ifdef BACKWARD
    const int reached = out + PADDING(k) - tap * DILATION(k);
    int place = reached / STRIDE(k);
    if (place * STRIDE(k) != reached) return HOLE;
#else
    const int place = out * STRIDE(k) - PADDING(k) + tap * DILATION(k);
#endif
    return place >= 0 && place < SIZE(k) ? place : NOTHING;
}

// An element for each work-item: for few filters, and backwards.
kernel void convolve_one(VIEW(x), VIEW(w), VIEW(y), global const long *shape MORE) {
    const int pixels = OUT(0) * OUT(1) * OUT(2);
    const int pixel = (int)get_global_id(0), channel = (int)get_global_id(1);
    const long image = (long)get_global_id(2);
    if (pixel >= pixels || channel >= FILTERS * GROUPS) return;
    START_MORE
    const int group = channel / FILTERS, filter = channel % FILTERS;
    const int column = pixel % OUT(2), row = pixel / OUT(2) % OUT(1), slice = pixel / OUT(2) / OUT(1);
    const long x0 = image * X_STRIDES[0] + (long)group * CHANNELS * X_STRIDES[1];
    const long w0 = group * W_STRIDES[5] + filter * W_STRIDES[0];
#ifdef INTEGERS
    int value = 0;
#else
    float value = -0.0f, chain = 0;
    int k = 0;
#endif
    const int slices = TAPS(0), rows_ = TAPS(1), columns_ = TAPS(2);
    for (int c = 0; c < CHANNELS; ++c)
        for (int d = 0; d < slices; ++d) {
            const int z = place_along(slice, d, 0, shape);
            for (int r = 0; r < rows_; ++r) {
                const int y_ = place_along(row, r, 1, shape);
                const long x_row = x0 + c * X_STRIDES[1] + z * X_STRIDES[2] + y_ * X_STRIDES[3];
                const long w_row = w0 + c * W_STRIDES[1] + d * W_STRIDES[2] + r * W_STRIDES[3];
                for (int s = 0; s < columns_; ++s) {
                    const int x_ = place_along(column, s, 2, shape);
#ifdef INTEGERS
                    if ((z | y_ | x_) >= 0) {
                        value += READ_X(x_row + x_ * X_STRIDES[4]) *
                                 READ_W(w_row + s * W_STRIDES[4], channel);
                    }
#else
                    if (k == CHAIN) {
                        value = added(value, chain);
                        chain = 0;
                        k = 0;
                    }
                    ++k;
                    if (z == HOLE || y_ == HOLE || x_ == HOLE) continue;
                    const float own =
                        (z | y_ | x_) < 0 ? 0.0f : READ_X(x_row + x_ * X_STRIDES[4]);
                    chain = fused(own, READ_W(w_row + s * W_STRIDES[4], channel), chain);
#endif
                }
            }
        }
#ifndef INTEGERS
    value = added(value, chain);
#endif
    WRITE_RESULT(image * Y_STRIDES[0] + channel * Y_STRIDES[1] + slice * Y_STRIDES[2] +
                     row * Y_STRIDES[3] + column * Y_STRIDES[4],
                 channel, value);
}

#ifdef LANES
// LANES pixels of a row for each work-item, which is a thread of a CPU: for few filters, such as
// depthwise. A row of x is copied, its padding beside it, for all taps of a row.
kernel void convolve_row(VIEW(x), VIEW(w), VIEW(y), global const long *shape MORE) {
    const int column = (int)get_global_id(0) * LANES, line = (int)get_global_id(1);
    const int row = line % OUT(1), slice = line / OUT(1), channels = FILTERS * GROUPS;
    const int channel = (int)get_global_id(2) % channels, image = (int)get_global_id(2) / channels;
    if (slice >= OUT(0)) return;
    const int group = channel / FILTERS, taps = TAPS(2), step = STRIDE(2);
    const int count = min(LANES, OUT(2) - column), first = column * step - PADDING(2);
    const int width = (LANES - 1) * step + (taps - 1) * DILATION(2) + 1;  // LINE at most
    const int low = clamp(-first, 0, width), high = clamp(SIZE(2) - first, low, width);
    const long x0 = (long)image * X_STRIDES[0] + (long)group * CHANNELS * X_STRIDES[1];
    const long w0 = group * W_STRIDES[5] + channel % FILTERS * W_STRIDES[0], x_step = X_STRIDES[4];
    float total[LANES], chain[LANES], padded[LINE];
    EACH_LANE(LANES) { total[k] = -0.0f; chain[k] = 0; }
    int products = 0;
    for (int c = 0; c < CHANNELS; ++c)
        for (int d = 0; d < TAPS(0); ++d) {
            const int z = place_along(slice, d, 0, shape);
            for (int r = 0; r < TAPS(1); ++r) {
                const int y_ = place_along(row, r, 1, shape), is_row = (z | y_) >= 0;
                const long from = x0 + c * X_STRIDES[1] + z * X_STRIDES[2] + y_ * X_STRIDES[3] +
                                  first * x_step;
                const long w_row = w0 + c * W_STRIDES[1] + d * W_STRIDES[2] + r * W_STRIDES[3];
                // Whole vectors, of which only what is there is read.
                for (int at = 0; at < width; at += 16) {
                    float *to = padded + at;
                    const int begin = is_row ? low - at : 16, end = high - at;
                    const long own = from + at * x_step;
                    if (x_step == 1) {
                        EACH_LANE(16) to[k] = (k >= begin) & (k < end) ? READ_X(own + k) : 0;
                    } else {
                        EACH_LANE(16) to[k] = (k >= begin) & (k < end) ? READ_X(own + k * x_step) : 0;
                    }
                }
                for (int s = 0; s < taps; ++s, ++products) {
                    if (products == CHAIN) {
                        EACH_LANE(LANES) { total[k] = added(total[k], chain[k]); chain[k] = 0; }
                        products = 0;
                    }
                    const float weight = READ_W(w_row + s * W_STRIDES[4], channel);
                    const float *own = padded + (IS_TURNED ? taps - 1 - s : s) * DILATION(2);
                    if (step == 1) {
                        EACH_LANE(LANES) chain[k] = fused(own[k], weight, chain[k]);
                    } else if (step == 2) {
                        EACH_LANE(LANES) chain[k] = fused(own[2 * k], weight, chain[k]);
                    } else {
                        for (int k = 0; k < LANES; ++k) chain[k] = fused(own[k * step], weight, chain[k]);
                    }
                }
            }
        }
    const long to = image * Y_STRIDES[0] + channel * Y_STRIDES[1] + slice * Y_STRIDES[2] +
                    row * Y_STRIDES[3] + column * Y_STRIDES[4];
    const long y_step = Y_STRIDES[4];
    EACH_LANE(LANES) total[k] = added(total[k], chain[k]);
    if (y_step == 1) {
        EACH_LANE(LANES) {
            float value = total[k];
            if (k < count) { WRITE_RESULT(to + k, channel, value); }
        }
    } else {
        EACH_LANE(count) {
            float value = total[k];
            WRITE_RESULT(to + k * y_step, channel, value);
        }
    }
}
#endif

#ifndef BACKWARD
// What is known of products: of so many at once.
#if BUFFERS == 1 || defined(DOT)
#define IN_STEPS
#define TABLE (FOUR * DEPTH)
#else
#define TABLE 128  // a multiple of any DEPTH
#endif
#define FILL_TABLE(k0, count)                                                                        \
    for (int e = item; e < (count); e += ITEMS) {                                                    \
        const int k = (k0) + e, c = k / taps;                                                        \
        int d = k / TAPS(2) / TAPS(1) % TAPS(0), r = k / TAPS(2) % TAPS(1), s = k % TAPS(2);         \
        filter_at[e] = w0 + c * W_STRIDES[1] + d * W_STRIDES[2] + r * W_STRIDES[3] + s * W_STRIDES[4]; \
        channel_at[e] = x0 + c * X_STRIDES[1];                                                       \
        tap_at[e][0] = (IS_TURNED ? TAPS(0) - 1 - d : d) * DILATION(0);                              \
        tap_at[e][1] = (IS_TURNED ? TAPS(1) - 1 - r : r) * DILATION(1);                              \
        tap_at[e][2] = (IS_TURNED ? TAPS(2) - 1 - s : s) * DILATION(2);                              \
    }

// Of filters, what a work-item reads as number l: its place in the tile, and the value; 0 where nothing is.
// What is known of it begins in the table at `first`.
#define FROM_FILTERS(l, first, depth)                                                              \
    const Place p = place_of_wide(item + (l) * ITEMS, 1, TILE_M);                                  \
    const int m = m0 + p.line, there = m < FILTERS ? (depth) - p.k : 0;                            \
    const long of_filter = m * filter_step;                                                        \
    VALUE_OF_WIDE(W, w, filter_at[(first) + p.k] + of_filter, is_packed, there,                    \
                  READ_W(filter_at[(first) + p.k + lane] + of_filter, group * FILTERS + m))

// Each work-item of a GPU reads one pixel, of so many products.
#define PIXEL_STEP (ITEMS / TILE_N)
#define PIXEL_READS (DEPTH / PIXEL_STEP)
#define FETCH(k0)                                                                                   \
    {                                                                                               \
        const int first_ = (k0) % TABLE, depth_ = min(DEPTH, K - (k0));                             \
        _Pragma("unroll")                                                                           \
        for (int l = 0; l < READS(TILE_M); ++l) {                                                   \
            FROM_FILTERS(l, first_, depth_)                                                         \
            of_filters[l] = value;                                                                  \
        }                                                                                           \
        _Pragma("unroll")                                                                           \
        for (int l = 0; l < PIXEL_READS; ++l) {                                                     \
            const int kk = item / TILE_N + l * PIXEL_STEP, k = first_ + kk;                         \
            const int d = slice + tap_at[k][0], h = row + tap_at[k][1], v = column + tap_at[k][2];  \
            of_pixels[l] = 0;                                                                       \
            if (kk < depth_ && (uint)d < slices && (uint)h < rows_ && (uint)v < columns_) {         \
                of_pixels[l] = READ_X(channel_at[k] + d * of_slice + h * of_row + v * of_column);   \
            }                                                                                       \
        }                                                                                           \
    }

#define PLACE                                                                              \
    PLACE_ROWS(1, of_filters)                                                              \
    _Pragma("unroll")                                                                      \
    for (int l = 0; l < PIXEL_READS; ++l) {                                                \
        columns[item / TILE_N + l * PIXEL_STEP][item % TILE_N] = of_pixels[l];             \
    }
#define TABLE_BEFORE(next)                                                                 \
    if (next % TABLE == 0 && next < K) {                                                   \
        FILL_TABLE(next, min(TABLE, K - next))                                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                      \
    }

// Tiles: filters are rows, pixels are columns.
TILE_KERNEL void convolve(VIEW(x), VIEW(w), VIEW(y), global const long *shape MORE) {
    TILE_MEMORY
    // Of products: the channel and the places of the tap, of pixels: where their windows begin.
    local long channel_at[TABLE], filter_at[TABLE];
    local int tap_at[TABLE][3];
    TILE_START
#ifdef DOT
    SUMS_MEMORY
    SUMS_START
    const int has_points = x_zero || x_number || w_zero || w_number;
#endif
    START_MORE
    const int pixels = OUT(0) * OUT(1) * OUT(2), taps = TAPS(0) * TAPS(1) * TAPS(2);
    const int K = CHANNELS * taps, group = (int)get_global_id(2) % GROUPS;
    const long image = (long)get_global_id(2) / GROUPS;
    const long x0 = image * X_STRIDES[0] + (long)group * CHANNELS * X_STRIDES[1];
    const long w0 = group * W_STRIDES[5], filter_step = W_STRIDES[0];
    const int is_row = STRIDE(2) == 1 && X_STRIDES[4] == 1;
    // Where there is one tap, its stride does not matter.
    const int is_packed = (TAPS(2) == 1 || W_STRIDES[4] == 1) &&
                          (TAPS(1) == 1 || W_STRIDES[3] == TAPS(2)) &&
                          (TAPS(0) == 1 || W_STRIDES[2] == TAPS(1) * TAPS(2)) &&
                          (CHANNELS == 1 || W_STRIDES[1] == taps);
#ifdef IN_STEPS
    local int pixel_at[TILE_N][3];
    for (int j = item; j < TILE_N; j += ITEMS) {
        const int pixel = n0 + j;
        pixel_at[j][0] = pixel / OUT(2) / OUT(1) * STRIDE(0) - PADDING(0);
        pixel_at[j][1] = pixel / OUT(2) % OUT(1) * STRIDE(1) - PADDING(1);
        pixel_at[j][2] = pixel % OUT(2) * STRIDE(2) - PADDING(2);
    }
    for (int k0 = 0; k0 < K; k0 += FOUR * DEPTH) {
        const int depth = min(FOUR * DEPTH, K - k0), words = (depth + FOUR - 1) / FOUR;
        TILE_CUT(k0)
        barrier(CLK_LOCAL_MEM_FENCE);
        FILL_TABLE(k0, depth)
        barrier(CLK_LOCAL_MEM_FENCE);
#ifdef DOT
        for (int e = item; e < TILE_M * words; e += ITEMS) {
            const int kk = e % words, i = e / words, m = m0 + i, first = FOUR * kk;
            const int count = m < FILTERS ? min(FOUR, depth - first) : 0;
            const long from = m * W_STRIDES[0];
            uint word = 0;
            if (is_packed && count == FOUR) {
                word = WORD_AT(BASE(w) + filter_at[first] + from);
            } else {
                for (int k = 0; k < count; ++k) {
                    word |= IN_WORD(READ(W, BASE(w), filter_at[first + k] + from), k);
                }
            }
            ROW(kk, i) = word;
        }
        for (int e = item; e < TILE_N * words; e += ITEMS) {
            const int kk = e / TILE_N, j = e % TILE_N;
            const int count = n0 + j < pixels ? min(FOUR, depth - FOUR * kk) : 0;
            uint word = 0;
            for (int k = 0; k < count; ++k) {
                const int own = FOUR * kk + k, d = pixel_at[j][0] + tap_at[own][0];
                const int h = pixel_at[j][1] + tap_at[own][1], v = pixel_at[j][2] + tap_at[own][2];
                int value = x_point;  // of padding
                if (d >= 0 && d < SIZE(0) && h >= 0 && h < SIZE(1) && v >= 0 && v < SIZE(2)) {
                    value = (int)READ(X, BASE(x),
                                      channel_at[own] + d * X_STRIDES[2] + h * X_STRIDES[3] +
                                          v * X_STRIDES[4]);
                }
                word |= IN_WORD(value, k);
            }
            columns[kk][j] = word;
        }
#else
        for (int l = 0; l < READS(TILE_M); ++l) {
            FROM_FILTERS(l, 0, depth)
            if (IS_DEEP && p.k >= depth) continue;
            PUT_ROWS(p, 1, value)
        }
        for (int e = item; e < TILE_N * DEPTH / WIDE; e += ITEMS) {
            const int kk = e / (TILE_N / WIDE), j = e % (TILE_N / WIDE) * WIDE;
            if (kk >= depth) break;
            const int end = j + WIDE - 1, first = pixel_at[j][2] + tap_at[kk][2];
            // Pixels of a row that are neighbours, none of them on padding.
            if (IS_WIDE && is_row && n0 + end < pixels && pixel_at[j][0] == pixel_at[end][0] &&
                pixel_at[j][1] == pixel_at[end][1] && first >= 0 && first + WIDE <= SIZE(2)) {
                const int d = pixel_at[j][0] + tap_at[kk][0], h = pixel_at[j][1] + tap_at[kk][1];
                if (d >= 0 && d < SIZE(0) && h >= 0 && h < SIZE(1)) {
                    IN_TILE(columns[kk][j]) = JOIN(wide_, X)(
                        BASE(x), channel_at[kk] + d * X_STRIDES[2] + h * X_STRIDES[3] + first);
                    continue;
                }
            }
            for (int lane = 0; lane < WIDE; ++lane) {
                const int pixel = j + lane;
                Number value = 0;
                const int d = pixel_at[pixel][0] + tap_at[kk][0];
                const int h = pixel_at[pixel][1] + tap_at[kk][1];
                const int v = pixel_at[pixel][2] + tap_at[kk][2];
                if (n0 + pixel < pixels && d >= 0 && d < SIZE(0) && h >= 0 && h < SIZE(1) && v >= 0 &&
                    v < SIZE(2)) {
                    value = READ_X(channel_at[kk] + d * X_STRIDES[2] + h * X_STRIDES[3] +
                                   v * X_STRIDES[4]);
                }
                columns[kk][pixel] = value;
            }
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#ifdef DOT
        if (has_points) { SUMS_ADD(words) }
#endif
        TILE_MULTIPLY(words)
    }
#ifdef DOT
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#else
    const int pixel = n0 + item % TILE_N, is_pixel = pixel < pixels;
    const int slice = pixel / OUT(2) / OUT(1) * STRIDE(0) - PADDING(0);
    const int row = pixel / OUT(2) % OUT(1) * STRIDE(1) - PADDING(1);
    const int column = is_pixel ? pixel % OUT(2) * STRIDE(2) - PADDING(2) : INT_MIN;
    const uint slices = SIZE(0), rows_ = SIZE(1), columns_ = SIZE(2);
    const long of_slice = X_STRIDES[2], of_row = X_STRIDES[3], of_column = X_STRIDES[4];
    Wide of_filters[READS(TILE_M)];
    Number of_pixels[PIXEL_READS];
    FILL_TABLE(0, min(TABLE, K))
    barrier(CLK_LOCAL_MEM_FENCE);
    TILE_PRODUCTS(K, TABLE_BEFORE)
#endif
    TILE_FINISH(FILTERS, pixels,
        const long to = image * Y_STRIDES[0] + n / OUT(2) / OUT(1) * Y_STRIDES[2] +
                        n / OUT(2) % OUT(1) * Y_STRIDES[3] + n % OUT(2) * Y_STRIDES[4];, {
        const int own = group * FILTERS + m;
        FINISH_MORE
        WRITE_RESULT(to + own * Y_STRIDES[1], own, value);
    })
}
#endif
