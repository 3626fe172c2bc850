// Quantized results of products and convolutions of dequantized integers, by their exact sums. FLOAT32 rounds on
// the way, and by how much at most is known (docs/arithmetic.md, "Settling"): most exact sums are so far from
// halfway between two integers that they settle the result. The others are computed as they are defined, in chains
// of FLOAT32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../contraction/strips.h"
#include "../fill.h"

namespace indirectml {
namespace integers {

// What the products of a result are numbered by: k = channel * taps + tap. Panels have units of four channels at a
// tap, those of a tap one behind the other.
struct Depth {
    std::size_t channels, taps;

    std::size_t size() const { return channels * taps; }
    std::size_t quads() const;
};

// Where sums or results are: strides in bytes.
struct Results {
    std::ptrdiff_t image, row, pixel, column;
};

// What of a task is the same for all rows; see columns_of.
class SettlingColumns;

struct Settling {
    // What filters see of images under their taps. A matrix is an image whose rows are of one pixel, under filters
    // of one tap.
    Reading1D rows, pixels;
    std::size_t images, columns;
    std::size_t channels;
    Image a;  // of which there are no other positions than rows and pixels, 1 and 2
    std::int32_t a_zero;
    float a_scale;
    const std::int32_t* panels;  // of b, behind what pack_columns, or pack_pixel_filters, wrote of sums
    OperandType b_type;
    ZeroPoints b_zero;
    const float* b_scales;
    std::ptrdiff_t b_scale_step;  // 0: one for all columns; or 1
    const float* column_norms;    // norms_of_columns, if they are known; or null
    const SettlingColumns* known;  // columns_of it, or null
    const float* bias;            // of each column, or null
    float least, most;            // what becomes of totals that are less, or more, before they are quantized
    float scale;
    std::int32_t zero;
    bool is_signed;             // the result
    const unsigned char* sums;  // INT32: contract_integers, or convolve_pixels
    Results sums_at;
    unsigned char* out;
    Results out_at;

    Depth depth() const { return {channels, rows.taps * pixels.taps}; }
    std::size_t row_count() const { return images * rows.output * pixels.output; }
};

// Of a matrix.
inline void set_rows(std::size_t count, Settling& task) {
    task.images = 1;
    task.rows = {1, 1, 1, count, count, 0};
    task.pixels = {1, 1, 1, 1, 1, 0};
}

// What of weights bounds the difference of a result from the exact one: for each column, in whole panels, the root of
// the sum over k of the squares of (number less zero point) * (how many additions a product goes through).
std::vector<float> norms_of_columns(const std::int32_t* panels, const Depth& depth, std::size_t columns,
                                    OperandType type, const ZeroPoints& zeros);

// Where all scales, zero points and biases are the same in each call.
std::shared_ptr<const SettlingColumns> columns_of(const Settling& task);

// False where it is nothing that this computes: padding is zeros, and not a zero point times an infinite scale.
bool can_settle(const Settling& task);
void settle(const Settling& task, const Policy& policy);

// Some rows of images, or of a matrix, again and again, by one thread.
class RowSettler {
  public:
    RowSettler(const Settling& task, const Policy& policy);
    ~RowSettler();
    void run(const Share& rows);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace integers
}  // namespace indirectml
