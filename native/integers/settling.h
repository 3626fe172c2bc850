// Quantized results of products of dequantized integers, by their exact sums. FLOAT32 rounds on the way, and by
// how much at most is known (docs/arithmetic.md, "Settling"): most exact sums are so far from halfway between two
// integers that they settle the result. The others are computed as they are defined, in chains of FLOAT32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../contraction/contract.h"
#include "../fill.h"

namespace indirectml {
namespace integers {

struct Settling {
    std::size_t rows, columns, depth;
    Operand a;
    std::int32_t a_zero;
    float a_scale;
    const std::int32_t* panels;  // of b, behind what pack_columns wrote of sums
    OperandType b_type;
    ZeroPoints b_zero;
    const float* b_scales;
    std::ptrdiff_t b_scale_step;  // 0: one for all columns; or 1
    const float* column_norms;    // norms_of_columns, if they are known; or null
    const float* bias;            // of each column, or null
    float least, most;            // what becomes of totals that are less, or more, before they are quantized
    float scale;
    std::int32_t zero;
    bool is_signed;             // the result
    const unsigned char* sums;  // INT32: contract_integers; strides in bytes, as those of the result
    std::ptrdiff_t sums_row, sums_column;
    unsigned char* out;
    std::ptrdiff_t out_row, out_column;
};

// What of weights bounds the difference of a result from the exact one: for each column, in whole panels, the root of
// the sum over k of the squares of (number less zero point) * (how many additions a product goes through).
std::vector<float> norms_of_columns(const std::int32_t* panels, std::size_t depth, std::size_t columns,
                                    OperandType type, const ZeroPoints& zeros);

void settle(const Settling& task, const Policy& policy);

}  // namespace integers
}  // namespace indirectml
