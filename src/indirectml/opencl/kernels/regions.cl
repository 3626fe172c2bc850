// Regions of interest, each brought to the same size, and the way back (docs/arithmetic.md): all in FLOAT64,
// every operation rounded, but POOL, which is integers. X, GRADIENT, ROI, BATCH and Y are data types.

#ifdef POOL
// Sums of products with powers of two, of 192 bits: no coordinate of FLOAT32 is too far away.
typedef struct {
    uint limb[6];
} Wide;
static void add_product(Wide *sum, int is_negative, uint significand, int shift, uint times) {
    const ulong product = (ulong)significand * times;
    const uint low = (uint)product, high = (uint)(product >> 32);
    const int first = shift / 32, bit = shift % 32;
    const ulong lower = (ulong)low << bit, upper = (ulong)high << bit;
    const uint parts[3] = {(uint)lower, (uint)(lower >> 32) | (uint)upper, (uint)(upper >> 32)};
    const uint flip = is_negative ? 0xffffffffu : 0u;
    ulong carry = is_negative ? 1 : 0;
    for (int k = 0; k < 6; ++k) {
        const int own = k - first;
        carry += (ulong)sum->limb[k] + ((own >= 0 && own < 3 ? parts[own] : 0u) ^ flip);
        sum->limb[k] = (uint)carry;
        carry >>= 32;
    }
}

// The nearest integer of a FLOAT32, of two the one farther from 0: significand 2^shift, and a sign.
typedef struct {
    uint significand;
    int shift, is_negative;
} Whole;
static Whole whole_of(uint bits) {
    const int e = (int)(bits >> 23 & 255u) - 150;
    const uint significand = (bits & 0x7fffffu) | 0x800000u;
    Whole found = {0, 0, (int)(bits >> 31)};
    if (e >= 0) {
        found.significand = significand;
        found.shift = e;
    } else if (e >= -24) {
        found.significand = (significand + (1u << (-e - 1))) >> -e;
    }
    return found;
}

// (start (count - i) + end i + i) / count, or start + i / count where the end is before the start;
// rounded down, or up, and within the input.
static int border_of(Whole start, Whole end, int is_empty, int i, int count, int size, int is_up) {
    Wide sum = {{0, 0, 0, 0, 0, 0}};
    const uint of_start = (uint)(is_empty ? count : count - i);
    add_product(&sum, start.is_negative, start.significand, start.shift, of_start);
    if (!is_empty) add_product(&sum, end.is_negative, end.significand, end.shift, (uint)i);
    add_product(&sum, 0, (uint)i, 0, 1u);
    if (sum.limb[5] >> 31) return 0;
    if (sum.limb[5] | sum.limb[4] | sum.limb[3] | sum.limb[2] | sum.limb[1] >> 30) return size;
    const ulong least = (ulong)sum.limb[1] << 32 | sum.limb[0];
    return (int)min((least + (is_up ? count - 1 : 0)) / count, (ulong)size);
}

// `sizes`: images, channels, rows and columns of x, of y likewise, strides of x, and of regions and their
// numbers.
kernel void roi_pool(VIEW(x), VIEW(roi), VIEW(y), global const long *sizes, global const long *of_y,
                     ulong count, uint scale) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const ulong plane = e / (ulong)(sizes[6] * sizes[7]), region = plane / (ulong)sizes[5];
    const int pixel = (int)(e - plane * (ulong)(sizes[6] * sizes[7]));
    const long channel = (long)(plane % (ulong)sizes[5]);
    const long row = (long)region * sizes[12];
    const float batch = READ_SINGLE(ROI, BASE(roi), row);
    int is_there = batch >= 0 && batch < (float)sizes[0];
    Whole ends[4];
    for (int k = 0; k < 4; ++k) {
        const float corner = READ_SINGLE(ROI, BASE(roi), row + (k + 1) * sizes[13]);
        const uint scaled = as_uint((float)fused(corner, number(scale), -0.0f));
        is_there = is_there && (scaled & MAGNITUDE) < INFINITE;
        ends[k] = whole_of(scaled);
    }
    int borders[4];
    for (int k = 0; k < 2; ++k) {  // columns, then rows
        const Whole start = ends[k], end = ends[k + 2];
        Wide length = {{0, 0, 0, 0, 0, 0}};
        add_product(&length, end.is_negative, end.significand, end.shift, 1u);
        add_product(&length, !start.is_negative, start.significand, start.shift, 1u);
        const int is_empty = (int)(length.limb[5] >> 31), cells = (int)sizes[7 - k];
        const int own = k ? pixel / (int)sizes[7] : pixel % (int)sizes[7], size = (int)sizes[3 - k];
        borders[2 * k] = border_of(start, end, is_empty, own, cells, size, 0);
        borders[2 * k + 1] = border_of(start, end, is_empty, own + 1, cells, size, 1);
    }
    TYPE(X) best = 0;
    int is_first = 1;
    if (is_there) {
        const long from = (long)batch * sizes[8] + channel * sizes[9];
        for (int i = borders[2]; i < borders[3]; ++i) {
            for (int j = borders[0]; j < borders[1]; ++j) {
                const TYPE(X) own = READ(X, BASE(x), from + i * sizes[10] + j * sizes[11]);
                const KEY key = KEY_OF(own), best_key = KEY_OF(best);
                if (is_first || key > best_key) best = own;
                is_first = 0;
            }
        }
    }
    WRITE(X, BASE(y), place_of(e, of_y), QUIETED(best));
}
#else

// What is less than another number, at most as large, and the same; nothing is of a NaN.
#define IS_BELOW(a, b) (compared64(RAW_64(a), RAW_64(b)) == 0)
#define IS_AT_MOST(a, b) (compared64(RAW_64(a), RAW_64(b)) < 2)
#define IS_0(a) (!(RAW_64(a) & MAGNITUDE64))
#define HALF_64 NUMBER_OF(0x3fe0000000000000ul)
#define LESS_THAN_1(a) MINUS(NUMBER_OF(ONE_64), a)  // 1 less it

static Double floor_of(Double x) { return NUMBER_OF(whole64(RAW_64(x), 1)); }
static Double ceil_of(Double x) { return NUMBER_OF(whole64(RAW_64(x), 2)); }
static int is_finite64(Double x) { return (RAW_64(x) & MAGNITUDE64) < INFINITE64; }
// Of whole numbers.
static int int_of(Double x, int low, int high) {
    return max(low, (int)truncated64(RAW_64(x), low, high));
}

// The samples of an output along an axis: how many, and what they are made of.
typedef struct {
    Double start, length;
    int count, size;
    Double first;  // the number of the first
    long steps;    // of how many it is, less one; 0 of a single one
} Line;

static Line line_of(Double start, Double end, int outputs, int own, int size, int fewest, int most,
                    int is_stretched) {
    const Double length = MINUS(end, start);
    int count = fewest;
    if (is_finite64(length)) {
        count = int_of(ceil_of(OVER(length, DOUBLE_OF_LONG(outputs))), fewest, most);
    }
    count = min(count, most);
    const Line line = {start, length, count, size, DOUBLE_OF_LONG((long)own * count),
                       (long)outputs * count - is_stretched};
    return line;
}

// How far a sample lies from the region's start, as a part of its length.
static Double fraction_of(const Line *line, int number, Double output_offset) {
    const Double at = PLUS(line->first, DOUBLE_OF_LONG(number));
    if (!line->steps) return HALF_64;
    return OVER(MINUS(at, output_offset), DOUBLE_OF_LONG(line->steps));
}

// Both neighbours of a sample, and the weight of the second one; whether it is inside of the image.
static int sample_of(const Line *line, int number, Double input_offset, Double output_offset,
                     int is_nearest, int *before, int *behind, Double *weight) {
    const Double fraction = fraction_of(line, number, output_offset), none = NUMBER_OF(0);
    Double place = MINUS(PLUS(TIMES(fraction, line->length), line->start), input_offset);
    const Double last = DOUBLE_OF_LONG(line->size - 1), least = NUMBER_OF(ONE_64 | ~MAGNITUDE64);
    const int is_inside =
        IS_AT_MOST(least, place) && IS_AT_MOST(place, DOUBLE_OF_LONG(line->size));
    if (!is_inside || IS_BELOW(place, none)) place = none;
    if (IS_BELOW(last, place)) place = last;
    const Double low = is_nearest ? ceil_of(MINUS(place, HALF_64)) : floor_of(place);
    *before = int_of(low, 0, line->size);
    *behind = is_nearest ? *before : int_of(ceil_of(place), 0, line->size);
    *weight = is_nearest ? none : MINUS(place, low);
    return is_inside;
}

static Double between(Double before, Double behind, Double weight) {
    if (IS_0(weight)) return before;
    return PLUS(TIMES(before, LESS_THAN_1(weight)), TIMES(behind, weight));
}
static int is_nan64(Double x) { return (RAW_64(x) & MAGNITUDE64) > INFINITE64; }
static int is_larger(Double new_, Double old) {
    if (is_nan64(new_) || is_nan64(old)) return !is_nan64(old);
    if (IS_0(new_) && IS_0(old)) return RAW_64(old) >> 63 && !(RAW_64(new_) >> 63);
    return IS_BELOW(old, new_);
}

#ifdef FORWARD
// `sizes`: images, channels, rows and columns of x, of y likewise, and strides of x.
kernel void roi_align(VIEW(x), VIEW(roi), VIEW(batches), VIEW(y), global const long *sizes,
                      global const long *of_roi, global const long *of_batches,
                      global const long *of_y, ulong count, Double scale_x, Double scale_y,
                      Double input_offset, Double output_offset, int fewest, int most,
                      int is_stretched, int is_nearest, int is_largest, Double outside) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const ulong plane = e / (ulong)(sizes[6] * sizes[7]), region = plane / (ulong)sizes[5];
    const int pixel = (int)(e - plane * (ulong)(sizes[6] * sizes[7]));
    const int channel = (int)(plane % (ulong)sizes[5]);
    const long image = (long)READ(BATCH, BASE(batches), place_of(region, of_batches));
    Double total = outside;
    if (image >= 0 && image < sizes[0]) {
        Double corners[4];
        for (int k = 0; k < 4; ++k) {
            corners[k] = READ_DOUBLE(ROI, BASE(roi), place_of(region * 4 + k, of_roi));
        }
        const Line along_y = line_of(TIMES(corners[1], scale_y), TIMES(corners[3], scale_y), (int)sizes[6],
                                     pixel / (int)sizes[7], (int)sizes[2], fewest, most, is_stretched);
        const Line along_x = line_of(TIMES(corners[0], scale_x), TIMES(corners[2], scale_x), (int)sizes[7],
                                     pixel % (int)sizes[7], (int)sizes[3], fewest, most, is_stretched);
        const long from = image * sizes[8] + channel * sizes[9];
        for (int i = 0; i < along_y.count; ++i) {
            int rows[2], columns[2];
            Double y_weight, x_weight;
            const int is_row = sample_of(&along_y, i, input_offset, output_offset, is_nearest, rows,
                                         rows + 1, &y_weight);
            for (int j = 0; j < along_x.count; ++j) {
                const int is_inside = sample_of(&along_x, j, input_offset, output_offset, is_nearest,
                                                columns, columns + 1, &x_weight);
                Double sample = outside;
                if (is_row && is_inside) {
                    Double across[2];
                    for (int k = 0; k < 2; ++k) {
                        const long row = from + rows[k] * sizes[10];
                        across[k] = between(READ_DOUBLE(X, BASE(x), row + columns[0] * sizes[11]),
                                            READ_DOUBLE(X, BASE(x), row + columns[1] * sizes[11]),
                                            x_weight);
                    }
                    sample = between(across[0], across[1], y_weight);
                }
                if (i + j == 0) {
                    total = sample;
                } else if (is_largest) {
                    total = is_larger(sample, total) ? sample : total;
                } else {
                    total = PLUS(total, sample);
                }
            }
        }
        if (!is_largest) {
            total = OVER(total, DOUBLE_OF_LONG((long)along_y.count * along_x.count));
        }
    }
    WRITE_DOUBLE(Y, BASE(y), place_of(e, of_y), total);
}
#else

// What lines of a region are made of, and what samples are.
#define SAMPLING                                                                                    \
    Double scale_x, Double scale_y, Double input_offset, Double output_offset, int fewest, int most, \
        int is_stretched, int is_nearest, int is_largest
#define LINE_Y(own)                                                                                \
    line_of(TIMES(corners[1], scale_y), TIMES(corners[3], scale_y), (int)sizes[6], own, (int)sizes[2], fewest, \
            most, is_stretched)
#define LINE_X(own)                                                                                \
    line_of(TIMES(corners[0], scale_x), TIMES(corners[2], scale_x), (int)sizes[7], own, (int)sizes[3], fewest, \
            most, is_stretched)
#define SAMPLE(line, number, nearest, places, weight) \
    sample_of(line, number, input_offset, output_offset, nearest, places, places + 1, weight)
#define CORNERS(region)                                                                   \
    Double corners[4];                                                                    \
    for (int k = 0; k < 4; ++k) {                                                         \
        corners[k] = READ_DOUBLE(ROI, BASE(roi), place_of((region) * 4 + k, of_roi));     \
    }
#define ELEMENT(row, column) \
    READ_DOUBLE(X, BASE(x), from + (row) * sizes[10] + (column) * sizes[11])

// Which sample of a cell is the largest, the first of equals; -1 if none is inside of the image.
#ifdef X
kernel void find_largest_samples(VIEW(x), VIEW(roi), VIEW(batches), global int *chosen,
                                 global const long *sizes, global const long *of_roi,
                                 global const long *of_batches, ulong count, SAMPLING) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const ulong plane = e / (ulong)(sizes[6] * sizes[7]), region = plane / (ulong)sizes[5];
    const int pixel = (int)(e - plane * (ulong)(sizes[6] * sizes[7]));
    const long image = (long)READ(BATCH, BASE(batches), place_of(region, of_batches));
    int found = -1;
    if (image >= 0 && image < sizes[0]) {
        CORNERS(region)
        const Line along_y = LINE_Y(pixel / (int)sizes[7]), along_x = LINE_X(pixel % (int)sizes[7]);
        const long from = image * sizes[8] + (long)(plane % (ulong)sizes[5]) * sizes[9];
        Double best = 0;
        for (int i = 0; i < along_y.count; ++i) {
            int rows[2], columns[2];
            Double y_weight, x_weight;
            if (!SAMPLE(&along_y, i, is_nearest, rows, &y_weight)) continue;
            for (int j = 0; j < along_x.count; ++j) {
                if (!SAMPLE(&along_x, j, is_nearest, columns, &x_weight)) continue;
                Double across[2];
                for (int k = 0; k < 2; ++k) {
                    across[k] = between(ELEMENT(rows[k], columns[0]), ELEMENT(rows[k], columns[1]),
                                        x_weight);
                }
                const Double sample = between(across[0], across[1], y_weight);
                if (found < 0 || is_larger(sample, best)) {
                    found = i * along_x.count + j;
                    best = sample;
                }
            }
        }
    }
    chosen[e] = found;
}
#endif

// The share that a sample has of its cell's gradient.
#define CELL(row, column) (((region * sizes[5] + channel) * sizes[6] + (row)) * sizes[7] + (column))
#define SHARE(cell, number, samples)                                                       \
    (is_largest ? (chosen[cell] == (number) ? GRADIENT_AT(cell) : 0)                       \
                : OVER(GRADIENT_AT(cell), DOUBLE_OF_LONG(samples)))
#define GRADIENT_AT(cell) READ_DOUBLE(GRADIENT, BASE(gradient), place_of(cell, of_gradient))

#ifdef OF_IMAGES
// An element of the images for each work-item, in the order of regions, samples, neighbours and cells.
kernel void roi_align_gradient(VIEW(gradient), VIEW(roi), VIEW(batches), VIEW(y),
                               global const int *chosen, global const long *sizes,
                               global const long *of_gradient, global const long *of_roi,
                               global const long *of_batches, global const long *of_y, ulong count,
                               SAMPLING) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const int own_x = (int)(e % (ulong)sizes[3]), own_y = (int)(e / (ulong)sizes[3] % (ulong)sizes[2]);
    const ulong channel = e / (ulong)(sizes[2] * sizes[3]) % (ulong)sizes[1];
    const long own_image = (long)(e / (ulong)(sizes[1] * sizes[2] * sizes[3]));
    Double total = 0;
    for (ulong region = 0; region < (ulong)sizes[4]; ++region) {
        const long image = (long)READ(BATCH, BASE(batches), place_of(region, of_batches));
        if (image != own_image) continue;
        CORNERS(region)
        const int y_count = LINE_Y(0).count, x_count = LINE_X(0).count;
        for (int i = 0; i < y_count; ++i)
            for (int j = 0; j < x_count; ++j)
                for (int corner = 0; corner < 4; ++corner)
                    for (int row = 0; row < (int)sizes[6]; ++row) {
                        const Line along_y = LINE_Y(row);
                        int rows[2], columns[2];
                        Double y_weight, x_weight;
                        const int is_row = SAMPLE(&along_y, i, is_nearest, rows, &y_weight);
                        if (!is_row || rows[corner >> 1] != own_y) continue;
                        const Double of_row = corner >> 1 ? y_weight : LESS_THAN_1(y_weight);
                        for (int column = 0; column < (int)sizes[7]; ++column) {
                            const Line along_x = LINE_X(column);
                            const int is_inside = SAMPLE(&along_x, j, is_nearest, columns, &x_weight);
                            if (!is_inside || columns[corner & 1] != own_x) continue;
                            const Double weight = TIMES(of_row, corner & 1 ? x_weight : LESS_THAN_1(x_weight));
                            const ulong cell = CELL(row, column);
                            const Double share = SHARE(cell, i * x_count + j, (long)y_count * x_count);
                            // A total begins as +0, and so never is -0: adding +0 changes none.
                            if (!IS_0(weight)) total = PLUS(total, TIMES(share, weight));
                        }
                    }
    }
    WRITE_DOUBLE(Y, BASE(y), place_of(e, of_y), total);
}
#endif

#ifdef OF_REGIONS
// A coordinate of a region for each work-item: x1, y1, x2 and y2.
kernel void roi_align_gradient_of_regions(VIEW(x), VIEW(gradient), VIEW(roi), VIEW(batches), VIEW(y),
                                          global const int *chosen, global const long *sizes,
                                          global const long *of_gradient, global const long *of_roi,
                                          global const long *of_batches, global const long *of_y,
                                          ulong count, SAMPLING) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const ulong region = e / 4;
    const int is_y = (int)(e % 2), is_end = (int)(e / 2 % 2);
    const long image = (long)READ(BATCH, BASE(batches), place_of(region, of_batches));
    const Double scale = is_y ? scale_y : scale_x;
    Double total = 0;
    if (image >= 0 && image < sizes[0]) {
        CORNERS(region)
        const int y_count = LINE_Y(0).count, x_count = LINE_X(0).count;
        for (int i = 0; i < y_count; ++i)
            for (int j = 0; j < x_count; ++j)
                for (ulong channel = 0; channel < (ulong)sizes[5]; ++channel) {
                    const long from = image * sizes[8] + (long)channel * sizes[9];
                    for (int row = 0; row < (int)sizes[6]; ++row) {
                        const Line along_y = LINE_Y(row);
                        int rows[2], columns[2];
                        Double y_weight, x_weight;
                        const int is_row = SAMPLE(&along_y, i, 0, rows, &y_weight);
                        for (int column = 0; column < (int)sizes[7]; ++column) {
                            const Line along_x = LINE_X(column);
                            const int is_inside = SAMPLE(&along_x, j, 0, columns, &x_weight) && is_row;
                            const ulong cell = CELL(row, column);
                            Double share = 0;
                            if (is_largest || is_inside) {
                                share = SHARE(cell, i * x_count + j, (long)y_count * x_count);
                            }
                            const Double top_left = ELEMENT(rows[0], columns[0]);
                            const Double top_right = ELEMENT(rows[0], columns[1]);
                            const Double bottom_left = ELEMENT(rows[1], columns[0]);
                            const Double bottom_right = ELEMENT(rows[1], columns[1]);
                            const Double slope =
                                is_y ? between(MINUS(bottom_left, top_left),
                                               MINUS(bottom_right, top_right), x_weight)
                                     : between(MINUS(top_right, top_left),
                                               MINUS(bottom_right, bottom_left), y_weight);
                            const Double t = is_y ? fraction_of(&along_y, i, output_offset)
                                                  : fraction_of(&along_x, j, output_offset);
                            const Double moved = TIMES(TIMES(slope, share), is_end ? t : LESS_THAN_1(t));
                            total = PLUS(total, TIMES(moved, scale));
                        }
                    }
                }
    }
    WRITE_DOUBLE(Y, BASE(y), place_of(e, of_y), total);
}
#endif
#endif
#endif
