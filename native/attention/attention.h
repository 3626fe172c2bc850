// Attention: scaled products of queries and keys, shares of them along the positions, and products of
// these with values (docs/arithmetic.md), by blocks of rows. The scores of a block alone are in memory;
// each step is that of products, programs and softmax, so the bits are those of these one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../contraction/contract.h"
#include "../fill.h"
#include "../programs/program.h"
#include "../sums/kernels.h"

namespace indirectml {
namespace attention {

// An array beside the scores, over their batch, rows and positions: strides in bytes, 0 where one
// element stands for many.
struct Term {
    unsigned char* data;
    std::int64_t strides[2];  // to the next row and position
    std::int64_t batch[kMostBatchAxes];
};

// What is done with each score, or each share: of the program's inputs, number `place` is that one, and
// the others are terms from `first_term` on. No program leaves them as they are.
struct Between {
    const programs::Program* program = nullptr;
    std::size_t place = 0, first_term = 0;
};

struct Sizes {
    std::size_t batch, rows, positions, depth, width;
    std::size_t key_matrices, value_matrices;  // how many different ones there are
    bool is_wide;  // whether scores, shares and weights are FLOAT32 all
};

struct Attention {
    std::size_t rows, positions, depth, width;
    int batch_axes;
    std::size_t batch_sizes[kMostBatchAxes];
    Operand queries;  // rows x depth
    Operand keys;     // depth x positions
    Operand values;   // positions x width
    std::vector<Term> terms;
    Between before, after;                  // softmax
    sums::Type score_type, share_type;      // what softmax reads and writes: FLOAT16 or FLOAT32
    OperandType weight_type;                // what the values are multiplied by
    unsigned char* out;                     // FLOAT32; strides in bytes, multiples of 4
    std::ptrdiff_t out_row, out_column, out_batch[kMostBatchAxes];
    unsigned char* memory;                  // bytes_of(sizes()) of them
    double nanoseconds;                     // that it takes one thread, roughly

    Sizes sizes() const;
};

// What attention works in: in proportion to the positions, not to their square.
std::size_t bytes_of(const Sizes& sizes);

void run(const Attention& task, const Policy& policy);

}  // namespace attention
}  // namespace indirectml
