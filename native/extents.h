// The bytes of the elements of an array, and whether those of two arrays may be the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fill.h"

namespace indirectml {

struct Extent {
    const unsigned char* first;
    std::int64_t item_bytes;
    const Axis* axes;
    std::size_t rank;
};

// A range of addresses.
struct Span {
    std::uintptr_t begin, end;
};

// The bytes that elements reach in a row of `pitch` bytes, by the axes that do not go to other rows; with 0, by
// all axes.
inline Span span_of(const Extent& extent, std::int64_t pitch = 0) {
    Span span{reinterpret_cast<std::uintptr_t>(extent.first), reinterpret_cast<std::uintptr_t>(extent.first)};
    for (std::size_t k = 0; k < extent.rank; ++k) {
        const Axis& axis = extent.axes[k];
        if (pitch != 0 && axis.stride_bytes % pitch == 0) continue;
        const std::int64_t reach = axis.stride_bytes * (static_cast<std::int64_t>(axis.size) - 1);
        (reach < 0 ? span.begin : span.end) += static_cast<std::uintptr_t>(reach);
    }
    span.end += static_cast<std::uintptr_t>(extent.item_bytes);
    return span;
}

// Whether two arrays are columns of the same rows of `pitch` bytes, without one that both have.
inline bool are_other_columns(const Extent& one, const Extent& other, std::int64_t pitch) {
    const auto row = static_cast<std::uintptr_t>(pitch);
    const Span own = span_of(one, pitch), its = span_of(other, pitch);
    const std::uintptr_t own_bytes = own.end - own.begin, its_bytes = its.end - its.begin;
    if (own_bytes > row || its_bytes > row) return false;
    const std::uintptr_t between = (its.begin % row + row - own.begin % row) % row;
    return own_bytes <= between && between + its_bytes <= row;
}

// Whether bytes of two arrays may be the same: false where one ends before the other begins, or where
// they are other columns of the same rows, as parts of a joined array are.
inline bool may_meet(const Extent& one, const Extent& other) {
    const Span own = span_of(one), its = span_of(other);
    if (own.end <= its.begin || its.end <= own.begin) return false;
    for (std::size_t k = 0; k < one.rank; ++k) {
        const std::int64_t pitch = std::abs(one.axes[k].stride_bytes);
        if (pitch != 0 && are_other_columns(one, other, pitch)) return false;
    }
    return true;
}

}  // namespace indirectml
