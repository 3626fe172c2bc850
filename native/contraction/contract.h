// Products of matrices with a defined order of additions (docs/arithmetic.md): packing, threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.h"

namespace indirectml {

enum class OperandType { kFloat32, kFloat16, kInt8, kUInt8 };

constexpr int kMostBatchAxes = 62;

// A matrix operand, of one matrix per batch element. Strides are in bytes, of any sign, or 0.
struct Operand {
    const unsigned char* data;
    OperandType type;
    std::ptrdiff_t row, column;
    std::ptrdiff_t batch[kMostBatchAxes];
};

// A zero point for each row of a, or column of b, as they are stored; stride 0 where there is one for all.
enum class ZeroType { kInt32, kInt8, kUInt8 };
struct ZeroPoints {
    const void* data;
    std::ptrdiff_t stride;  // in elements
    ZeroType type = ZeroType::kInt32;
};

struct Contraction {
    std::size_t rows, columns, depth;
    int batch_axes;
    std::size_t batch_sizes[kMostBatchAxes];
    Operand a;  // rows x depth
    Operand b;  // depth x columns
    // If b is in panels, b.data is [panel][depth][kPanel], FLOAT32 or FLOAT16, and row and column are
    // not used. Of integers, b.data is what integers::pack_columns wrote.
    bool b_is_in_panels;
    unsigned char* c;  // FLOAT32 or INT32; strides in bytes, multiples of 4
    std::ptrdiff_t c_row, c_column;
    std::ptrdiff_t c_batch[kMostBatchAxes];
    ZeroPoints a_zero, b_zero;  // of integers
    const unsigned char* next = nullptr;  // panels that the next product reads, or null
};

// Work for threads: none of it changes a bit of the result.
struct ContractionPolicy {
    const ContractionKernels* kernels;
    unsigned max_threads;
    double operations_per_thread = 4e6;  // products; fewer do not pay for a thread
    unsigned integer_kernels = 0;  // see integers::kernels_of
};

void contract(const Contraction& task, const ContractionPolicy& policy);
void contract_integers(const Contraction& task, const ContractionPolicy& policy);

// FLOAT32 panels of b, as Contraction takes them: panels_size(...) floats.
std::size_t panels_size(std::size_t depth, std::size_t columns);
void pack(const Operand& b, std::size_t depth, std::size_t columns,
          const ContractionKernels& kernels, float* to);
// As many FLOAT16, of a FLOAT16 b.
void pack_halves(const Operand& b, std::size_t depth, std::size_t columns, std::uint16_t* to);

}  // namespace indirectml
