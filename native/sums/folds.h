// The largest and smallest elements along any axes and where they are, products, and sums of integers.
#pragma once

#include "../fill.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

constexpr std::size_t item_bytes(Number number) {
    switch (number) {
        case Number::kInt8: case Number::kUInt8: return 1;
        case Number::kHalf: case Number::kInt16: case Number::kUInt16: return 2;
        case Number::kSingle: case Number::kInt32: case Number::kUInt32: return 4;
        default: return 8;
    }
}

// Elements at addresses that are multiples of their size; strides may be anything. Bit k of `reduced`
// stands for axis k. Sizes are at least 1, and results come in row-major order of the other axes.
struct Numbers {
    const unsigned char* data;
    Number number;
    int rank;
    const Axis* axes;
    std::uint64_t reduced;
};

// In the type of the elements. Sums and products are of integers, modulo 2^bits.
void fold(const Numbers& x, Fold fold, unsigned char* out, const Policy& policy);

// The numbers of the largest or smallest elements in row-major order over the reduced axes: of equal
// ones the first, or the last.
void indices_of(const Numbers& x, Fold fold, bool last, std::int64_t* out, const Policy& policy);

// 1 for the first of the largest elements of each group and 0 for all others, in rows of `size`.
void mark_largest(const Numbers& x, std::uint64_t size, float* out, const Policy& policy);

// Products of floats, in one chain of FLOAT64, rounded once to the type of `out`.
void multiply(const Numbers& x, Type out_type, unsigned char* out, const Policy& policy);

// The order of the `count` largest or smallest elements of packed [outer, size, inner] along the middle
// axis: [outer, count, inner] elements, and their numbers along it. Of equal ones the first comes first,
// and a NaN is larger than all numbers.
struct Ordered {
    Number number;
    std::uint64_t outer, size, inner, count;
};
void largest_in_order(const unsigned char* x, const Ordered& how, Fold fold, unsigned char* values,
                      std::int64_t* numbers, const Policy& policy);

}  // namespace sums
}  // namespace indirectml
