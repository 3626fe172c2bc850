// Products with weights that stay as small as they are stored.
#pragma once

#include "../contraction/contract.h"
#include "../fill.h"
#include "kernels.h"

namespace indirectml {
namespace weights {

// c = a * weights, with the bits of the product with the dequantized weights (docs/arithmetic.md).
struct Product {
    std::size_t rows, columns;
    Operand a;  // FLOAT32 or FLOAT16, rows x depth, one matrix
    Stored stored;
    unsigned char* c;  // FLOAT32; strides in bytes, multiples of 4
    std::ptrdiff_t c_row, c_column;
};

void multiply(const Product& task, const Policy& policy);

// A matrix of integers of 4 or 8 bits, depth x columns: element (k, j) is that of number
// k * row + j * column, a byte each, or half of one, the first in the lower half.
struct Integers {
    const unsigned char* data;
    unsigned bits;
    bool is_signed, halves;
    std::ptrdiff_t row, column;
};

// Words of it.
void store(const Integers& from, std::size_t depth, std::size_t columns, std::uint32_t* to);

}  // namespace weights
}  // namespace indirectml
