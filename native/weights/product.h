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

// Words of a matrix of 8-bit integers, depth x columns: of so many bits of each, those changed that are
// set in `flips`.
void store(const Operand& from, std::size_t depth, std::size_t columns, unsigned bits,
           unsigned char flips, std::uint32_t* to);

}  // namespace weights
}  // namespace indirectml
