// Functions of whole arrays: layout, threads.
#pragma once

#include "../fill.h"
#include "functions.h"

namespace indirectml {
namespace functions {

constexpr int kMaxOperands = 3;

// `out` first, then one array for each argument; strides of each in bytes.
struct Operands {
    int count;
    unsigned char* data[kMaxOperands];
    int rank;
    std::uint64_t sizes[kMaxRank];
    std::int64_t strides_bytes[kMaxOperands][kMaxRank];
};

// What a target has.
const Kernels& kernels_of(const Target& target);

// Elements of `out` do not overlap each other. An argument is `out` itself, element by element, or
// has no memory in common with it.
void apply(Function function, Result result, const Operands& operands, const Policy& policy);

}  // namespace functions
}  // namespace indirectml
