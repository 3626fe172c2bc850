// Elements in a row before they are rounded: positions that advance by a constant, and the fixed
// point in which kernels take them.
#pragma once

#include <cstdint>

#include "targets/target.h"
#include "wide.h"

namespace indirectml {

// The bits of an element before rounding, and what they advance by from element to element:
// whole numbers above, 64 fraction bits below, both modulo 2^128.
struct Course {
    U128 position;
    U128 step;

    bool is_affine() const { return (position.low | step.low) == 0; }
    void move(std::int64_t elements) { position = position + distance(elements); }
    U128 distance(std::int64_t elements) const {
        return elements < 0 ? -(step * (0 - static_cast<std::uint64_t>(elements)))
                            : step * static_cast<std::uint64_t>(elements);
    }
};

// `count` elements of a course in lanes of `lane_bits`: twice the bits of an element, or more.
// Where the fraction is short the lanes hold all bits of an element above it, else the distance
// from a base. The distance of the last element from the first is below 2^63.
FixedPoint fixed_point(int log2_bytes, int lane_bits, const Course& course, std::uint64_t count);

// True if that is exact in the lanes of the kernels. It stays so for fewer elements, for each of
// them as the first, and in the other direction.
bool fits_fixed_point(int log2_bytes, const Course& course, std::uint64_t count);

}  // namespace indirectml
