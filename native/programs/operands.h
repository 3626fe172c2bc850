// Where the operands of a program are: axes merged, and elements in runs that lie behind each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../copies.h"
#include "program.h"

namespace indirectml {
namespace programs {

// The task with its axes merged: those that follow each other without a break in all operands are
// one, and those of size 1 none.
struct Layout {
    int rank = 0;
    std::uint64_t sizes[kMaxRank];
    std::uint64_t count = 1;
    std::vector<std::int64_t> strides;  // of each operand, kMaxRank apart

    Layout(const Task& task, std::size_t operands) : strides(operands * kMaxRank) {
        int merged = -1;
        for (int k = 0; k < task.rank; ++k) {
            count *= task.sizes[k];
            if (task.sizes[k] == 1) continue;
            bool follows = merged >= 0;
            for (std::size_t n = 0; n < operands && follows; ++n) {
                const auto size = static_cast<std::int64_t>(task.sizes[k]);
                follows = of(n)[merged] == task.operands[n].strides_bytes[k] * size;
            }
            if (follows) {
                sizes[merged] *= task.sizes[k];
            } else {
                sizes[++merged] = task.sizes[k];
            }
            for (std::size_t n = 0; n < operands; ++n) {
                of(n)[merged] = task.operands[n].strides_bytes[k];
            }
        }
        if (merged < 0) {
            sizes[++merged] = 1;
            for (std::size_t n = 0; n < operands; ++n) of(n)[0] = 0;
        }
        rank = merged + 1;
    }
    std::int64_t* of(std::size_t operand) { return strides.data() + operand * kMaxRank; }
    const std::int64_t* of(std::size_t operand) const {
        return strides.data() + operand * kMaxRank;
    }
};

// How an operand is read or written, block by block.
enum class Access {
    kDirect,   // where it lies
    kOne,      // one element for all of the block
    kCopied,   // by way of a slot
    kRepeated,  // by way of a slot, filled once: a row that is repeated for all others
};

struct Reach {
    Access access;
    unsigned char* data;
    const std::int64_t* strides;
    std::size_t bytes;    // of an element
    unsigned char* slot;  // of an input that is copied
    bool streams;         // an output that is stored past the caches
    bool has_tile;        // the slot is for several rows
};

inline void copy_run(unsigned char* to, std::int64_t to_stride, const unsigned char* from,
              std::int64_t from_stride, std::size_t bytes, std::uint64_t count) {
    const auto copy = [&](auto element) {
        using Element = decltype(element);
        if (from_stride == 0) {
            std::memcpy(&element, from, sizeof(Element));
            if (to_stride == sizeof(Element)) {  // which compilers write several at a time
                for (std::uint64_t j = 0; j < count; ++j) {
                    std::memcpy(to + j * sizeof(Element), &element, sizeof(Element));
                }
                return;
            }
            for (std::uint64_t j = 0; j < count; ++j, to += to_stride) {
                std::memcpy(to, &element, sizeof(Element));
            }
            return;
        }
        for (std::uint64_t j = 0; j < count; ++j, to += to_stride, from += from_stride) {
            std::memcpy(to, from, sizeof(Element));
        }
    };
    if (to_stride == static_cast<std::int64_t>(bytes) && from_stride == to_stride) {
        return copy_neighbours(to, from, bytes * count);
    }
    if (bytes == 1) return copy(std::uint8_t{});
    if (bytes == 2) return copy(std::uint16_t{});
    if (bytes == 4) return copy(std::uint32_t{});
    copy(std::uint64_t{});
}

// The axes of one operand: those that follow each other without a break in it are one, whatever the
// others do.
struct OwnAxes {
    int last = 0;
    std::uint64_t sizes[kMaxRank];
    std::int64_t strides[kMaxRank];

    OwnAxes(const Layout& layout, const std::int64_t* all) {
        sizes[0] = layout.sizes[0];
        strides[0] = all[0];
        for (int k = 1; k < layout.rank; ++k) {
            if (strides[last] == all[k] * static_cast<std::int64_t>(layout.sizes[k])) {
                sizes[last] *= layout.sizes[k];
            } else {
                sizes[++last] = layout.sizes[k];
            }
            strides[last] = all[k];
        }
    }
    std::int64_t step() const { return strides[last]; }
};

// Runs of elements of some operand that lie behind each other in its last axis. Work returns how many it did,
// of which all but the first are whole rows that follow in the axis before.
template <typename Work>
void for_each_run(const OwnAxes& axes, std::uint64_t begin, std::uint64_t count, const Work& work) {
    std::uint64_t coordinates[kMaxRank];
    std::int64_t at = 0;
    std::uint64_t rest = begin;
    for (int k = axes.last; k >= 0; --k) {
        coordinates[k] = rest % axes.sizes[k];
        rest /= axes.sizes[k];
        at += static_cast<std::int64_t>(coordinates[k]) * axes.strides[k];
    }
    const int last = axes.last;
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t run = std::min(count - done, axes.sizes[last] - coordinates[last]);
        const std::uint64_t rows = work(at, done, run);
        done += run + (rows - 1) * axes.sizes[last];
        if (rows > 1) {
            coordinates[last - 1] += rows - 1;
            at += static_cast<std::int64_t>(rows - 1) * axes.strides[last - 1];
        }
        coordinates[last] += run;
        at += static_cast<std::int64_t>(run) * axes.strides[last];
        for (int k = last; k > 0 && coordinates[k] == axes.sizes[k]; --k) {
            at -= static_cast<std::int64_t>(axes.sizes[k]) * axes.strides[k];
            coordinates[k] = 0;
            ++coordinates[k - 1];
            at += axes.strides[k - 1];
        }
    }
}

// Whether columns of an operand lie beside each other, and rows do not: then it is read in squares.
inline bool is_turned(const std::int64_t* strides, int last, std::size_t bytes) {
    const auto item = static_cast<std::int64_t>(bytes);
    return last > 0 && strides[last - 1] == item && strides[last] > item;
}

// Elements of an operand, wherever they lie, brought behind each other.
inline void read_elements(const Layout& layout, const Reach& reach, std::uint64_t begin, std::uint64_t count) {
    const OwnAxes axes(layout, reach.strides);
    const int last = axes.last;
    const auto item = static_cast<std::int64_t>(reach.bytes);
    const std::uint64_t row = axes.sizes[last];
    const bool turns = is_turned(axes.strides, last, reach.bytes) && count >= kSquare * row;
    for_each_run(axes, begin, count, [&](std::int64_t at, std::uint64_t done, std::uint64_t run) -> std::uint64_t {
        unsigned char* const to = reach.slot + done * reach.bytes;
        if (turns && run == row) {
            const std::uint64_t above = (begin + done) / row % axes.sizes[last - 1];
            const std::uint64_t rows = std::min(axes.sizes[last - 1] - above, (count - done) / row);
            turn_of(reach.bytes)(reach.data + at, axes.step(), rows, row, to, static_cast<std::int64_t>(row) * item);
            return rows;
        }
        copy_run(to, item, reach.data + at, axes.step(), reach.bytes, run);
        return 1;
    });
}

// From the first byte that is reached to the end of the last.
inline void span_of(const Layout& layout, const Reach& reach, std::uintptr_t* begin, std::uintptr_t* end) {
    *begin = *end = reinterpret_cast<std::uintptr_t>(reach.data);
    for (int k = 0; k < layout.rank; ++k) {
        const std::int64_t far = reach.strides[k] * static_cast<std::int64_t>(layout.sizes[k] - 1);
        (far < 0 ? *begin : *end) += static_cast<std::uintptr_t>(far);
    }
    *end += reach.bytes;
}

// Rows of at most so many elements that all others repeat are copied, as many as fit a block.
constexpr std::uint64_t kMostRepeated = 2048;
// Of a program with chains, rows of at least so many may lie apart.
constexpr std::uint64_t kLeastApart = 32;

// Whether rows do not follow each other without a gap.
inline bool lies_apart(const Layout& layout, const std::int64_t* strides, std::int64_t bytes) {
    return strides[0] != bytes * static_cast<std::int64_t>(layout.sizes[1]);
}

// Of a program with chains, rows with one number for each are at least and at most as long.
constexpr std::uint64_t kLeastOfEach = 16, kMostOfEach = 1 << 14;

// Whether operands are rows, one row for all, or one number; or rows, one number for each, or for all.
inline bool has_rows(const Layout& layout, const Task& task, const Program& program, bool is_each = false) {
    if (layout.rank != 2 || layout.sizes[1] > (is_each ? kMostOfEach : kMostRepeated)) return false;
    if (is_each && layout.sizes[1] < kLeastOfEach) return false;
    for (std::size_t n = 0; n < program.inputs.size() + program.outputs.size(); ++n) {
        const std::int64_t* strides = layout.of(n);
        const bool is_output = n >= program.inputs.size();
        const auto bytes = static_cast<std::int64_t>(bytes_of(
            is_output ? program.types[static_cast<std::size_t>(
                            program.outputs[n - program.inputs.size()])]
                      : program.inputs[n]));
        const auto at = reinterpret_cast<std::uintptr_t>(task.operands[n].data);
        if (at % static_cast<std::uintptr_t>(bytes) != 0) return false;
        const bool is_one = strides[0] == 0 && strides[1] == 0;
        const bool is_row = is_each ? strides[0] % bytes == 0 && strides[1] == 0
                                    : strides[0] == 0 && strides[1] == bytes;
        const bool may_lie_apart =
            program.may_have_chains && (is_each || layout.sizes[1] >= kLeastApart);
        const bool is_flat = strides[1] == bytes && strides[0] != 0 &&
                             (may_lie_apart || !lies_apart(layout, strides, bytes));
        if (!is_flat && (is_output || (!is_row && !is_one))) return false;
    }
    return true;
}

// Of those, whether one is a row for all: a vector for the channels of every pixel.
inline bool repeats_rows(const Layout& layout, const Program& program) {
    for (std::size_t n = 0; n < program.inputs.size(); ++n) {
        if (layout.of(n)[0] == 0 && layout.of(n)[1] != 0) return true;
    }
    return false;
}

inline bool some_lie_apart(const Layout& layout, const Program& program) {
    for (std::size_t n = 0; n < program.inputs.size() + program.outputs.size(); ++n) {
        const Type type = n < program.inputs.size()
                              ? program.inputs[n]
                              : program.types[static_cast<std::size_t>(program.outputs[n - program.inputs.size()])];
        const std::int64_t* const strides = layout.of(n);
        if (strides[0] != 0 && lies_apart(layout, strides, static_cast<std::int64_t>(bytes_of(type)))) return true;
    }
    return false;
}

// The bytes of an element, first of all, in this machine's order.
inline std::uint64_t in_memory(const Constant& constant) {
    std::uint64_t bytes = 0;
    const auto put = [&](auto element) {
        element = static_cast<decltype(element)>(constant.bits);
        std::memcpy(&bytes, &element, sizeof(element));
    };
    switch (bytes_of(constant.type)) {
        case 1: put(std::uint8_t{}); break;
        case 2: put(std::uint16_t{}); break;
        case 4: put(std::uint32_t{}); break;
        default: put(std::uint64_t{});
    }
    return bytes;
}

}  // namespace programs
}  // namespace indirectml
