// What an instruction set provides for sums by rule S16 (see sums.h) and what is made of them.
//
// Kernels are single-threaded and re-entrant and allocate nothing. Elements are aligned to their
// own size; rows may be anywhere. NaNs that come out are the positive quiet one without payload.
#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>

#include "../functions/functions.h"

namespace indirectml {
namespace sums {

// Elements of a sum that are summed by S16 alone. The totals of longer sums' blocks are the elements of
// another sum by the same rule.
constexpr std::size_t kBlock = 4096;

// Of how many elements the elements of the last of these sums are: of one, of a block, of a block of
// totals of blocks, and so on.
constexpr std::size_t unit_of(std::size_t size) {
    std::size_t unit = size > kBlock ? kBlock : 1;
    while ((size - 1) / unit >= kBlock) unit *= kBlock;
    return unit;
}

enum class Type : int { kHalf, kSingle, kDouble };
constexpr int kTypeCount = 3;

inline constexpr std::size_t item_bytes(Type type) {
    return type == Type::kHalf ? 2 : type == Type::kSingle ? 4 : 8;
}

// What is summed, of an element widened to FLOAT64: itself, its square, its magnitude, or the
// square of its difference from a mean.
enum class Map : int { kSame, kSquare, kMagnitude, kDeviation };
constexpr int kMapCount = 4;

// The sums of rows of neighbouring elements, in blocks. `means` has one entry a row, for kDeviation.
using RowsKernel = void (*)(const unsigned char* x, std::int64_t stride_bytes, std::size_t rows,
                            std::size_t size, const double* means, double* out);

// Adds rows of one block to the sums of neighbouring columns, row r to sum r modulo 16 of each; with `is_first`
// they start from +0. Sum i of column c is sums[i * spacing + c]; the spacing is a multiple of 8, and
// at least the number of columns.
using ColumnsKernel = void (*)(const unsigned char* const* rows, std::size_t count,
                               std::size_t columns, const double* means, double* sums,
                               std::size_t spacing, bool is_first);

// How many numbers for each column lie in memory while so many rows are summed: FewRowsKernel keeps three, for up to
// kFewRows, and ColumnsKernel its sixteen sums.
constexpr std::size_t kFewRows = 64;
constexpr std::size_t numbers_of_column(std::size_t rows) { return rows > kFewRows ? 16 : 3; }

// The sums of columns of up to kFewRows rows. `between` has room for three times `spacing` numbers, as many
// as above.
using FewRowsKernel = void (*)(const unsigned char* const* rows, std::size_t count,
                               std::size_t columns, const double* means, double* between,
                               std::size_t spacing, double* out);

// Neighbouring elements as FLOAT64, mapped.
using WidenKernel = void (*)(const unsigned char* x, std::size_t size, double mean, double* out);

// FLOAT64 rounded once to elements of a type.
using NarrowKernel = void (*)(const double* x, std::size_t size, unsigned char* out);

// Rows of neighbouring elements less their means, kept `spacing` numbers apart with room for fifteen
// more, and the sums of their squares, in blocks. Rows from `next` on, as many and as far apart, are
// fetched.
using DeviationsKernel = void (*)(const unsigned char* x, std::int64_t stride_bytes,
                                  std::size_t rows, std::size_t size, const double* means,
                                  double* kept, std::size_t spacing, double* out,
                                  const unsigned char* next);

// y = (d * inverse) * scale + bias, rounded once more to the type of `out`, for rows of deviations that
// begin `spacing` numbers apart, and have an inverse each. Scale and bias have an entry an element, or
// one a row, or both are left out. Nothing changes by an inverse or a scale of 1 and a bias of -0. NaNs
// come out as they are.
enum class FactorsOf : int { kNothing, kElements, kRows };
struct Normalization {
    FactorsOf factors;
    const double *inverses, *scale, *bias;
};
using NormalizeKernel = void (*)(const double* deviations, std::size_t spacing, std::size_t rows,
                                 std::size_t size, const Normalization& how, unsigned char* out);

// The largest of the elements that are numbers, and in `smallest` the smallest. There are no kernels
// of softmax for FLOAT64.
using LargestKernel = float (*)(const unsigned char* x, std::size_t size, float* smallest);

// t = x * factor - m, each rounded to FLOAT32; there is room for at least sixteen.
using DifferencesKernel = void (*)(const unsigned char* x, std::size_t size, float factor, float m,
                                   float* t);

// Rows of e = e^t correctly rounded to FLOAT32, t = x * factor - largest[row], each rounded, and from
// `lowest` to 0, of sixteen elements or more. Rows begin so many elements apart, at least as many as they have; `e` may be
// `x` where there is one row, whose size is a multiple of sixteen. NaNs come out as they are. `exact`
// gives the powers that FLOAT32 leaves open.
struct PowersOfRows {
    const float* x;
    std::size_t x_step, rows, size;
    const float* largest;
    float lowest;
    float* e;
    std::size_t e_step;
    float factor = 1;  // another one only where `e` is not `x`
    // As many rows of `x` and of what becomes of `e`, which are fetched where `e` is not `x`.
    const float* next_x = x;
    const float* next_out = e;
    std::size_t next_out_step = e_step;
};
using PowersKernel = void (*)(const PowersOfRows& rows, functions::Kernel exact);

// e * inverse in FLOAT64, rounded once more to the type of `out`; `lowest` as before. NaNs come out as
// they are. Sixteen powers are read where there are fewer.
using ShareKernel = void (*)(const float* e, std::size_t size, double inverse, float lowest,
                             unsigned char* out);

// Groups side by side: line j has element j of each, and the next one begins `columns` numbers behind it, which are
// a multiple of sixteen. Over x, t as DifferencesKernel has it, with the largest of each column; returns the smallest t,
// or 0.
using ColumnDifferencesKernel = float (*)(float* x, std::size_t size, std::size_t columns, float factor);

// e * inverse as ShareKernel has it, of such lines, with an inverse for each column: the first `count` of each line go to
// lines of `out` that begin so many bytes apart.
struct ColumnShares {
    const float* e;
    std::size_t size, columns, count;
    const double* inverses;
    float lowest;
    unsigned char* out;
    std::int64_t out_bytes;
};
using ColumnSharesKernel = void (*)(const ColumnShares& task);

// A row of an array for windows with a stride: elements first, first + stride, ... are neighbours from
// row[place] on, one such phase for each number below the stride. What is around them is left as it is.
struct Phase {
    std::size_t first, place, count;
};
template <typename Number>
using SplitKernel = void (*)(const Number* x, const Phase* phases, std::size_t stride,
                             Number* row);
// FLOAT16 elements as FLOAT32.
using WidenHalvesKernel = void (*)(const unsigned char* x, std::size_t size, float* out);


// The same is done so many times, each time with rows so many bytes after those before.
struct Times {
    std::size_t count;
    std::size_t from_step, to_step;
};
// For output j: element j of each of `count` rows, summed in blocks as if row k were element k, over
// divisors[j], rounded to FLOAT64, and once more to the type of `out`. But for FLOAT64, divisors are
// integers below 2^50, and inverses[j] is 1 / divisors[j].
template <typename Number>
using AverageKernel = void (*)(const Number* const* rows, std::size_t count, std::size_t size,
                               const double* divisors, const double* inverses, unsigned char* out,
                               const Times& times);
// The magnitudes of elements as bits of FLOAT32: for each lane of some vectors the largest, and one less
// than the smallest, of which that of zero is more than all others.
struct Span {
    static constexpr std::size_t kMostLanes = 16;
    alignas(64) float largest[kMostLanes];
    alignas(64) float before_smallest[kMostLanes];
};
// The sum of element j of each of `count` rows, in any order, split as a row is. Elements are noted in
// the span: of all rows at first, then of the last `news`.
using AddRowsKernel = void (*)(const unsigned char* const* rows, std::size_t count,
                               std::size_t size, const Phase* phases, std::size_t stride,
                               unsigned char* to, const Times& times, std::size_t news,
                               Span& span);
// As AverageKernel, of rows that are finite sums, and not divided by zero, as they come.
using AverageSumsKernel = void (*)(const unsigned char* const* rows, std::size_t count,
                                   std::size_t size, const double* divisors,
                                   const double* inverses, unsigned char* out,
                                   const Times& times);
// The largest of element j of each of `count` rows: +0 is larger than -0, and a NaN than all. As a number
// in the target's order, in which that of -infinity is `lowest`.
using LargestOfRowsKernel = void (*)(const unsigned char* const* rows, std::size_t count,
                                     std::size_t size, float* out);
// The largest of `count` of these, dilation apart, from row[j * stride] on, as elements of a type. Up to
// 32 numbers more are read than it takes.
struct Steps {
    std::size_t count, dilation, stride;
};
using LargestAlongKernel = void (*)(const float* row, const Steps& steps, std::size_t size,
                                    unsigned char* out, const Times& times);
// The largest elements of `count` windows of two by two positions, or three by three, `stride` positions apart, one or
// two: of positions that so many bytes apart have all channels next to each other.
struct WindowsOfPixels {
    static constexpr std::size_t kMost = 3;
    const unsigned char* rows[kMost];  // under the first window; one may be there again
    std::size_t size, stride, count, channels, pixel_bytes;
    unsigned char* out;
    std::size_t out_bytes;
};
using LargestOfPixelsKernel = void (*)(const WindowsOfPixels& task);

// The weighted sum of rows: the first product, then sum + next product, each rounded to FLOAT64, and
// once more to the type of `out`.
using MixKernel = void (*)(const double* const* rows, const double* weights, std::size_t count,
                           std::size_t size, unsigned char* out);
// The same for numbers of one row: tap k of output i is row[indices[k * size + i]], which counts
// weights[k * size + i]; with a weight of 0 it is left out.
using PickKernel = void (*)(const double* row, const std::int32_t* indices, const double* weights,
                            std::size_t count, std::size_t size, double* out);

// What is folded: elements of any type, floats as their bits.
enum class Number : int {
    kHalf, kSingle, kDouble, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64
};
constexpr int kNumberCount = 11;
// The first two: a NaN wins, and +0 is larger than -0. The others are of integers, modulo 2^bits.
enum class Fold : int { kLargest, kSmallest, kSum, kProduct };
constexpr int kFoldCount = 4;

// Integers in the order of numbers, so many bytes apart: what is looked for is the largest.
using KeysKernel = void (*)(const unsigned char* x, std::ptrdiff_t stride, std::size_t count,
                            std::int64_t* out);

// Totals take as many bytes as elements.
struct FoldKernels {
    void (*begin)(std::size_t count, void* totals);
    void (*row)(const unsigned char* x, std::size_t count, void* total);
    void (*columns)(const unsigned char* x, std::size_t count, void* totals);
    void (*end)(const void* totals, std::size_t count, unsigned char* out);
    // Of the largest and smallest: elements from number `first` of a group on, or number `number` of
    // each; of equal ones the first stays, or the last. Another one than number 0 is there before.
    void (*index_row)(const unsigned char* x, std::size_t count, std::int64_t first, bool last,
                      void* best, std::int64_t* at);
    void (*index_columns)(const unsigned char* x, std::size_t count, std::int64_t number, bool last,
                          void* best, std::int64_t* at);
    KeysKernel keys;
};
struct FoldsOfNumbers {
    FoldKernels of[kNumberCount];
};

struct SumKernels {
    RowsKernel rows[kTypeCount][kMapCount];
    ColumnsKernel columns[kTypeCount][kMapCount];
    FewRowsKernel few_rows[kTypeCount][kMapCount];
    WidenKernel widen[kTypeCount][kMapCount];
    NarrowKernel narrow[kTypeCount];
    DeviationsKernel deviations[kTypeCount];
    // From sums of columns to totals, by the tree.
    void (*totals)(const double* sums, std::size_t spacing, std::size_t columns, double* out);
    AddRowsKernel add_rows[2];  // FLOAT16, FLOAT32
};

struct Kernels : SumKernels {
    const char* name;               // the target's
    LargestKernel largest[2];       // FLOAT16, FLOAT32
    DifferencesKernel differences[2];  // the same
    PowersKernel powers;
    ShareKernel share[kTypeCount];  // by the type of out
    ColumnDifferencesKernel column_differences;
    ColumnSharesKernel column_shares[kTypeCount];  // by the type of out
    NormalizeKernel normalize[kTypeCount];  // the same
    WidenHalvesKernel widen_halves;
    SplitKernel<float> split_singles;
    SplitKernel<double> split_doubles;
    AverageKernel<std::uint16_t> average_halves[kTypeCount];  // by the type of out
    AverageKernel<float> average_singles[kTypeCount];   // the same
    AverageKernel<double> average_doubles[kTypeCount];  // the same
    AverageSumsKernel average_sums[kTypeCount];         // the same
    float lowest;
    LargestOfRowsKernel largest_of_rows[2];             // FLOAT16, FLOAT32
    LargestAlongKernel largest_along[2];                // the same
    LargestOfPixelsKernel largest_of_pixels[2];         // the same
    MixKernel mix[kTypeCount];  // by the type of out
    PickKernel pick;
    FoldsOfNumbers folds[kFoldCount];
};

}  // namespace sums
}  // namespace indirectml
