// What is exact modulo 2^bits: powers of integers, and products of matrices of wide ones.
#pragma once

#include <vector>

#include "../fill.h"
#include "folds.h"

namespace indirectml {
namespace sums {

// Packed integers of any type.
struct Integers {
    const unsigned char* data;
    Number number;
};

// x^y modulo 2^bits of x. A negative exponent truncates: 1 stays, -1 is 1 or -1, and all else is 0.
void integer_powers(const Integers& x, const Integers& y, std::uint64_t count, unsigned char* out,
                    const Policy& policy);

// Matrices [rows, depth] and [depth, columns] of packed integers, those of each product by their
// numbers; a zero point is subtracted from each element of a row, or of a column.
struct WideProducts {
    std::vector<std::uint64_t> left, right;
    std::uint64_t rows, depth, columns;
};
// One for all, or one for each line; without data it is `number`.
struct ZeroPoints {
    Integers given;
    bool has_each;
    std::uint32_t number;
};
// The sums over k of (a - zero) * (b - zero) modulo 2^32, one matrix behind the other.
void multiply_wide(const Integers& a, const ZeroPoints& a_zero, const Integers& b,
                   const ZeroPoints& b_zero, const WideProducts& how, std::uint32_t* out,
                   const Policy& policy);

}  // namespace sums
}  // namespace indirectml
