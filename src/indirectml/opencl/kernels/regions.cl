// Regions of interest, each brought to the same size (docs/arithmetic.md): an element of the result for
// each work-item, all in FLOAT64, every operation rounded. X, ROI, BATCH and Y are data types.

static double floor_of(double x) { return number64(whole64(as_ulong(x), 1)); }
static double ceil_of(double x) { return number64(whole64(as_ulong(x), 2)); }
static int is_finite64(double x) { return (as_ulong(x) & MAGNITUDE64) < INFINITE64; }

// The samples of an output along an axis: how many, and what they are made of.
typedef struct {
    double start, length;
    int count, size;
    double first, steps;  // the number of the first, and of how many less one; 0 of a single one
} Line;

static Line line_of(double start, double end, int outputs, int own, int size, int fewest, int most,
                    int is_stretched) {
    Line line = {start, end - start, fewest, size, 0, 0};
    if (is_finite64(line.length)) {
        const double wanted = ceil_of(line.length / outputs);
        line.count = wanted >= most ? most : wanted > fewest ? (int)wanted : fewest;
    }
    line.count = min(line.count, most);
    line.first = (double)((long)own * line.count);
    line.steps = (double)((long)outputs * line.count - is_stretched);
    return line;
}

// Both neighbours of a sample, and the weight of the second one; whether it is inside of the image.
static int sample_of(const Line *line, int number, double input_offset, double output_offset,
                     int is_nearest, int *before, int *behind, double *weight) {
    const double at = line->first + number;
    const double fraction = line->steps == 0 ? 0.5 : (at - output_offset) / line->steps;
    double place = fraction * line->length + line->start - input_offset;
    const int is_inside = place >= -1 && place <= line->size;
    place = is_inside ? place : 0;
    place = place < 0 ? 0 : place > line->size - 1 ? line->size - 1 : place;
    const double low = is_nearest ? ceil_of(place - 0.5) : floor_of(place);
    *before = (int)low;
    *behind = is_nearest ? *before : (int)ceil_of(place);
    *weight = is_nearest ? 0 : place - low;
    return is_inside;
}

static double between(double before, double behind, double weight) {
    return weight == 0 ? before : before * (1 - weight) + behind * weight;
}
static int is_nan64(double x) { return (as_ulong(x) & MAGNITUDE64) > INFINITE64; }
static int is_larger(double new_, double old) {
    if (is_nan64(new_) || is_nan64(old)) return !is_nan64(old);
    return new_ > old || (new_ == 0 && old == 0 && as_ulong(old) >> 63 && !(as_ulong(new_) >> 63));
}

// `sizes`: images, channels, rows and columns of x, of y likewise, and strides of x.
kernel void roi_align(VIEW(x), VIEW(roi), VIEW(batches), VIEW(y), global const long *sizes,
                      global const long *of_roi, global const long *of_batches,
                      global const long *of_y, ulong count, double scale_x, double scale_y,
                      double input_offset, double output_offset, int fewest, int most,
                      int is_stretched, int is_nearest, int is_largest, double outside) {
    const ulong e = get_global_id(0);
    if (e >= count) return;
    const ulong plane = e / (ulong)(sizes[6] * sizes[7]), region = plane / (ulong)sizes[5];
    const int pixel = (int)(e - plane * (ulong)(sizes[6] * sizes[7]));
    const int channel = (int)(plane % (ulong)sizes[5]);
    const long image = (long)READ(BATCH, BASE(batches), place_of(region, of_batches));
    double total = outside;
    if (image >= 0 && image < sizes[0]) {
        double corners[4];
        for (int k = 0; k < 4; ++k) {
            corners[k] = READ_DOUBLE(ROI, BASE(roi), place_of(region * 4 + k, of_roi));
        }
        const Line along_y = line_of(corners[1] * scale_y, corners[3] * scale_y, (int)sizes[6],
                                     pixel / (int)sizes[7], (int)sizes[2], fewest, most, is_stretched);
        const Line along_x = line_of(corners[0] * scale_x, corners[2] * scale_x, (int)sizes[7],
                                     pixel % (int)sizes[7], (int)sizes[3], fewest, most, is_stretched);
        const long from = image * sizes[8] + channel * sizes[9];
        for (int i = 0; i < along_y.count; ++i) {
            int rows[2], columns[2];
            double y_weight, x_weight;
            const int is_row = sample_of(&along_y, i, input_offset, output_offset, is_nearest, rows,
                                         rows + 1, &y_weight);
            for (int j = 0; j < along_x.count; ++j) {
                const int is_inside = sample_of(&along_x, j, input_offset, output_offset, is_nearest,
                                                columns, columns + 1, &x_weight);
                double sample = outside;
                if (is_row && is_inside) {
                    double across[2];
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
                    total = total + sample;
                }
            }
        }
        if (!is_largest) total = total / ((double)along_y.count * along_x.count);
    }
    WRITE_DOUBLE(Y, BASE(y), place_of(e, of_y), total);
}
