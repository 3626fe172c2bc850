// Elements of four bits: of two in a byte the first is in the low half.
#pragma once

#include <cstddef>

#include "../fill.h"

namespace indirectml {

// Where elements lie, in half bytes from the first one; strides count these, and are not negative.
struct Halves {
    int rank;
    const Axis* axes;
};

// As bytes, with a sign or without, in row-major order.
void from_halves(const unsigned char* x, const Halves& halves, bool is_signed, unsigned char* out,
                 const Policy& policy);

// The low halves of integers of `item` bytes, the lowest first, in row-major order. What lies between
// them stays.
void into_halves(const unsigned char* x, std::size_t item, const Halves& halves, unsigned char* out);

}  // namespace indirectml
