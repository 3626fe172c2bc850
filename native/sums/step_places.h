// What the bindings of steps made of sums share: what elements are, and that sizes belong to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../array_step.h"
#include "../buffer.h"
#include "sums.h"

namespace indirectml {
namespace sums {

using Places = std::vector<PlaceText>;
using Pair = std::pair<std::uint64_t, std::uint64_t>;
using Made = std::unique_ptr<ArrayStep>;

// Numbers that are copied when a step is made.
template <typename T>
std::vector<T> copied(const nanobind::handle& owner) {
    const Buffer buffer(owner, PyBUF_RECORDS_RO);
    const auto* from = reinterpret_cast<const T*>(buffer.view({8 * static_cast<int>(sizeof(T)), 0}).data);
    return {from, from + buffer.element_count()};
}

inline Number number_of(const Place& place) {
    switch (place.type.format.precision) {
        case 11: return Number::kHalf;
        case 24: return Number::kSingle;
        case 53: return Number::kDouble;
        default: break;
    }
    const bool is_signed = place.type.is_signed;
    switch (place.item_bytes) {
        case 1: return is_signed ? Number::kInt8 : Number::kUInt8;
        case 2: return is_signed ? Number::kInt16 : Number::kUInt16;
        case 4: return is_signed ? Number::kInt32 : Number::kUInt32;
        default: return is_signed ? Number::kInt64 : Number::kUInt64;
    }
}

inline Type type_of(const Place& place) {
    const Number number = number_of(place);
    if (number > Number::kDouble) throw nanobind::type_error("no floats");
    return static_cast<Type>(number);
}

inline void check(bool is_fine) {
    if (!is_fine) throw nanobind::value_error("arrays whose sizes or elements do not belong to each other");
}

}  // namespace sums
}  // namespace indirectml
