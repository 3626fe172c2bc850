// What products of floats and of integers share: where the matrices of a batch element are, and the
// product of the transposed matrices.
#pragma once

#include <cstddef>
#include <utility>

#include "contract.h"

namespace indirectml {

struct Place {
    const unsigned char* a;
    const unsigned char* b;
    unsigned char* c;
};

inline Place place_of(const Contraction& task, std::size_t element) {
    Place place{task.a.data, task.b.data, task.c};
    for (int axis = task.batch_axes - 1; axis >= 0; --axis) {
        const auto at = static_cast<std::ptrdiff_t>(element % task.batch_sizes[axis]);
        element /= task.batch_sizes[axis];
        place.a += at * task.a.batch[axis];
        place.b += at * task.b.batch[axis];
        place.c += at * task.c_batch[axis];
    }
    return place;
}

// The product as that of the transposed matrices in the other order, which has the same bits: a
// product of two numbers does, and a NaN becomes the canonical one.
inline Contraction turned(const Contraction& task) {
    Contraction other = task;
    std::swap(other.rows, other.columns);
    std::swap(other.a, other.b);
    std::swap(other.a.row, other.a.column);
    std::swap(other.b.row, other.b.column);
    std::swap(other.c_row, other.c_column);
    std::swap(other.a_zero, other.b_zero);
    return other;
}

// Narrow results are computed lying down, so that vectors are full.
inline bool is_better_turned(const Contraction& task) {
    return !task.b_is_in_panels && task.columns < kPanel && task.rows > task.columns;
}

}  // namespace indirectml
