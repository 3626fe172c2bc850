// Where the elements of a step are in the buffers of a plan: what all bindings of steps share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "buffer.h"
#include "extents.h"
#include "steps.h"

namespace indirectml {

// What a step reaches that takes so many bytes from the lowest to the end of the highest element;
// both are relative to the first one, and strides may be negative.
inline void add_reach(Step& step, std::size_t buffer, std::int64_t offset, std::int64_t bytes,
                      const std::vector<std::uint64_t>& sizes,
                      const std::vector<std::int64_t>& strides, bool is_written) {
    if (sizes.size() != strides.size() || sizes.size() > kMaxRank) {
        throw nb::value_error("another number of strides");
    }
    std::int64_t begin = offset, end = offset + bytes;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const std::int64_t reach = strides[k] * (static_cast<std::int64_t>(sizes[k]) - 1);
        (reach < 0 ? begin : end) += reach;
    }
    if (begin < 0) throw nb::value_error("elements before the buffer");
    step.reaches.push_back({buffer, end, is_written});
}

// Number of the buffer, offset, format of an element as in Python's module `struct`, sizes, and
// strides in bytes.
using PlaceText = std::tuple<std::size_t, std::int64_t, std::string, std::vector<std::uint64_t>,
                             std::vector<std::int64_t>>;

struct Place {
    std::size_t buffer;
    std::int64_t offset;
    std::int64_t item_bytes;
    ElementType type;
    std::vector<Axis> axes;
    bool is_backward = false;  // along an axis

    Place(const PlaceText& text, bool is_written, Step& step) {
        const auto& [number, begin, format, sizes, strides] = text;
        buffer = number;
        offset = begin;
        item_bytes = bytes_of_format(format);
        const auto found = element_type_of(format.c_str(), item_bytes);
        if (!item_bytes || !found) throw nb::type_error("no numbers");
        type = *found;
        add_reach(step, buffer, offset, item_bytes, sizes, strides, is_written);
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            axes.push_back({sizes[k], strides[k]});
            is_backward = is_backward || strides[k] < 0;
        }
    }
    unsigned char* in(unsigned char* const* memories) const { return memories[buffer] + offset; }
    // Where the elements of that are as the native code sees them.
    bool is_aligned(unsigned char* const* memories) const {
        const auto at = reinterpret_cast<std::uintptr_t>(in(memories));
        return at % static_cast<std::uintptr_t>(item_bytes) == 0;
    }
    std::uint64_t count() const {
        std::uint64_t elements = 1;
        for (const Axis& axis : axes) elements *= axis.size;
        return elements;
    }
    // From the first element to the end of the last one, where no axis is backward.
    std::size_t reach_bytes() const {
        std::int64_t reach = item_bytes;
        for (const Axis& axis : axes) reach += axis.stride_bytes * (static_cast<std::int64_t>(axis.size) - 1);
        return static_cast<std::size_t>(reach);
    }
    bool is_packed() const {
        std::int64_t packed = item_bytes;
        for (std::size_t k = axes.size(); k-- > 0;) {
            if (axes[k].size != 1 && axes[k].stride_bytes != packed) return false;
            packed *= static_cast<std::int64_t>(axes[k].size);
        }
        return true;
    }

    // Whether these are images of FLOAT32, FLOAT16 or bytes, of 1 to 3 spatial axes, whose channels lie
    // next to each other.
    bool has_pixels() const {
        const bool is_float = type.format.precision == 24 || type.format.precision == 11;
        return (is_float || item_bytes == 1) && axes.size() > 2 && axes.size() < 6 && axes[1].stride_bytes == item_bytes &&
               !is_backward;
    }

  private:
    static std::int64_t bytes_of_format(const std::string& format) {
        if (format.size() != 1) return 0;
        switch (format[0]) {
            case 'b': case 'B': return 1;
            case 'h': case 'H': case 'e': return 2;
            case 'i': case 'I': case 'f': return 4;
            case 'l': case 'L': return sizeof(long);
            case 'q': case 'Q': case 'd': return 8;
            default: return 0;
        }
    }
};

// Whether bytes of two places may be the same.
inline bool may_meet(const Place& one, const Place& other, unsigned char* const* memories) {
    const auto extent = [&](const Place& place) -> Extent {
        return {place.in(memories), place.item_bytes, place.axes.data(), place.axes.size()};
    };
    return may_meet(extent(one), extent(other));
}

}  // namespace indirectml
