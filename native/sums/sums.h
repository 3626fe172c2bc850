// Sums of floats along any axes by rule S16, and what is made of them.
//
// S16: the elements of a group are numbered in row-major order over the reduced axes. Sixteen sums
// of FLOAT64 start from +0; element i is added to sum i modulo 16; then (i, i + 8), (i, i + 4),
// (i, i + 2), (i, i + 1) are added. More than kBlock elements are cut into blocks, and their totals
// are the elements of another sum by the same rule, until one is left. Nothing here depends on
// targets, threads or strides.
#pragma once

#include "../fill.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

// Elements of floats at addresses that are multiples of their size; strides may be anything.
struct Array {
    const unsigned char* data;
    Type type;
    int rank;
    const Axis* axes;
};

// The kernels for a target of the same name.
const Kernels& kernels_of(const Target& target);

// What is done with a sum, in FLOAT64: nothing; it is divided by the number of elements, or its root is
// taken.
enum class Finish : int { kNothing, kMean, kRoot };

// One sum a group, in row-major order of the axes that are not reduced, rounded once to the type of
// `out`. Bit k of `reduced` stands for axis k. Sizes are at least 1.
void reduce(const Array& x, std::uint64_t reduced, Map map, Type out_type, unsigned char* out,
            const Policy& policy, Finish finish = Finish::kNothing);

// Mean and variance of each group; without `use_mean` the mean is +0.
void moments(const Array& x, std::uint64_t reduced, bool use_mean, double* mean, double* variance,
             const Policy& policy);

// Groups as rows of neighbouring elements.
struct Rows {
    const unsigned char* data;
    Type type;
    std::uint64_t count, size;
};

// Numbers for each group, each element, or both: that of element j of group g is number
// g * group_step + j * element_step; the second step is 0 or 1.
struct Factors {
    const unsigned char* data;  // nullptr where there are none
    Type type;
    std::uint64_t group_step, element_step;
};

struct NormalizationBy {
    bool use_mean, use_variance;
    double epsilon;
    Factors scale, bias;
};

// ((x - mean) * (1 / sqrt(variance + epsilon))) * scale + bias with the moments of each row, in
// FLOAT64, rounded once to the type of `out`.
void normalize(const Rows& x, const NormalizationBy& by, Type out_type, unsigned char* out,
               const Policy& policy);

// Rows over the sum of magnitudes, or the root of the sum of squares, which is at least `least`.
void normalize_by_norm(const Rows& x, bool of_squares, double least, Type out_type,
                       unsigned char* out, const Policy& policy);

// e * (1 / s) with t = x - m and e = exp(t) in FLOAT32, s the sum of e, m the largest of each row,
// rounded once to the type of `out`; or t - log(s), every step in FLOAT32.
void softmax(const Rows& x, Type out_type, unsigned char* out, const Policy& policy);
// Softmax of x * factor, a product rounded to FLOAT32 by a factor above 0, of rows so many bytes apart.
struct Apart {
    std::size_t x_bytes, out_bytes;
    float factor;
};
void softmax(const Rows& x, Type out_type, unsigned char* out, const Apart& apart, const Policy& policy);
void log_softmax(const Rows& x, float* out, const Policy& policy);

}  // namespace sums
}  // namespace indirectml
