#include "fill.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "course.h"
#include "team.h"

#if defined(__linux__)
#include <fstream>
#include <string>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32)
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#endif

namespace indirectml {

namespace {

// An axis of the loop nest: neighbours along it are `stride_bytes` apart in memory and `weight`
// apart in element numbers.
struct LoopAxis {
    std::uint64_t size;
    std::int64_t stride_bytes;
    std::int64_t weight;
};

// The loop nest over a view. Positions are numbered 0, 1, ... in loop order, last axis fastest.
struct Nest {
    unsigned char* data;
    int log2_bytes;
    int rank;  // at least 1
    std::uint64_t element_count;
    std::int64_t base;  // the element number of position 0
    LoopAxis axes[kMaxRank];

    const LoopAxis& inner() const { return axes[rank - 1]; }
};

// Axes that follow each other without a break, in memory and in element numbers, become one.
void merge_axes(Nest& nest) {
    int merged = 0;
    for (int k = 1; k < nest.rank; ++k) {
        LoopAxis& outer = nest.axes[merged];
        const LoopAxis& inner = nest.axes[k];
        // In unsigned numbers, since the end of an axis may lie just beyond the signed ones.
        const std::uint64_t bytes = static_cast<std::uint64_t>(inner.stride_bytes) * inner.size;
        const std::uint64_t elements = static_cast<std::uint64_t>(inner.weight) * inner.size;
        if (static_cast<std::uint64_t>(outer.stride_bytes) == bytes &&
            static_cast<std::uint64_t>(outer.weight) == elements) {
            outer = {outer.size * inner.size, inner.stride_bytes, inner.weight};
        } else {
            nest.axes[++merged] = inner;
        }
    }
    nest.rank = merged + 1;
}

Nest make_nest(const View& view) {
    Nest nest;  // its axes are many and stay as they are
    nest.data = view.data;
    nest.log2_bytes = view.log2_bytes;
    nest.rank = 0;
    nest.element_count = 1;
    nest.base = 0;
    for (int k = 0; k < view.rank; ++k) {
        nest.element_count *= view.axes[k].size;
        if (view.axes[k].size == 1) continue;
        nest.axes[nest.rank++] = {view.axes[k].size, view.axes[k].stride_bytes, 0};
    }
    std::uint64_t weight = 1;
    for (int k = nest.rank - 1; k >= 0; --k) {
        nest.axes[k].weight = static_cast<std::int64_t>(weight);
        weight *= nest.axes[k].size;
    }
    if (nest.rank == 0) nest.axes[nest.rank++] = {1, std::int64_t{1} << view.log2_bytes, 1};
    merge_axes(nest);
    return nest;
}

bool is_in_memory_order(const Nest& nest) {
    for (int k = 0; k < nest.rank; ++k) {
        if (nest.axes[k].stride_bytes < 0) return false;
        if (k > 0 && nest.axes[k].stride_bytes > nest.axes[k - 1].stride_bytes) return false;
    }
    return true;
}

// Within one segment an element's position is linear in its coordinates, so the axes may be walked
// in any order and direction: in the order of memory.
void order_by_memory(Nest& nest) {
    for (int k = 0; k < nest.rank; ++k) {
        LoopAxis& axis = nest.axes[k];
        if (axis.stride_bytes >= 0) continue;
        const auto last = static_cast<std::int64_t>(axis.size - 1);
        nest.data += last * axis.stride_bytes;
        nest.base += last * axis.weight;
        axis.stride_bytes = -axis.stride_bytes;
        axis.weight = -axis.weight;
    }
    std::stable_sort(nest.axes, nest.axes + nest.rank, [](const LoopAxis& a, const LoopAxis& b) {
        return a.stride_bytes > b.stride_bytes;
    });
    merge_axes(nest);
}

// Rows that lie apart: what the kernels of a target do not cover.
struct Rows {
    std::uint64_t count;
    std::int64_t stride_bytes;
    U128 step;  // from row to row
};

template <typename Element>
void store_element(unsigned char* out, std::uint64_t bits) {
    const auto value = static_cast<Element>(bits);
    std::memcpy(out, &value, sizeof(Element));
}

template <typename Element>
void fill_affine_rows(unsigned char* out, const Rows& rows, std::uint64_t count,
                      std::int64_t stride, const Course& course) {
    const std::uint64_t step = course.step.high;
    std::uint64_t row_bits = course.position.high;
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        unsigned char* at = out;
        std::uint64_t bits = row_bits;
        std::uint64_t j = 0;
        // Four elements a turn: one store a cycle instead of waiting for address and bits.
        for (; j + 4 <= count; j += 4) {
            store_element<Element>(at, bits);
            store_element<Element>(at + stride, bits + step);
            store_element<Element>(at + 2 * stride, bits + 2 * step);
            store_element<Element>(at + 3 * stride, bits + 3 * step);
            at += 4 * stride;
            bits += 4 * step;
        }
        for (; j < count; ++j) {
            store_element<Element>(at, bits);
            at += stride;
            bits += step;
        }
        out += rows.stride_bytes;
        row_bits += rows.step.high;
    }
}

// Ties are rounded as in the portable kernel.
template <typename Element>
void fill_fraction_rows(unsigned char* out, const Rows& rows, std::uint64_t count,
                        std::int64_t stride, const Course& course) {
    constexpr int log2_bytes = sizeof(Element) == 1 ? 0 : sizeof(Element) == 2 ? 1 : 2;
    Course row_course = course;
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        const FixedPoint fixed = fixed_point(log2_bytes, 64, row_course, count);
        const int shift = fixed.fraction_bits;
        const std::uint64_t step = fixed.step.low;
        std::uint64_t position = fixed.position.low + (std::uint64_t{1} << (shift - 1)) - 1;
        unsigned char* at = out;
        for (std::uint64_t j = 0; j < count; ++j) {
            store_element<Element>(at,
                                   fixed.base + ((position + (position >> shift & 1)) >> shift));
            at += stride;
            position += step;
        }
        out += rows.stride_bytes;
        row_course.position = row_course.position + rows.step;
    }
}

template <>
void fill_fraction_rows<std::uint64_t>(unsigned char* out, const Rows& rows, std::uint64_t count,
                                       std::int64_t stride, const Course& course) {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    U128 row_position = course.position;
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        unsigned char* at = out;
        U128 position = row_position;
        for (std::uint64_t j = 0; j < count; ++j) {
            const bool tie_or_above = position.low >= half;
            const bool up = tie_or_above && (position.low != half || (position.high & 1));
            store_element<std::uint64_t>(at, position.high + (up ? 1 : 0));
            at += stride;
            position = position + course.step;
        }
        out += rows.stride_bytes;
        row_position = row_position + rows.step;
    }
}

using RowsKernel = void (*)(unsigned char*, const Rows&, std::uint64_t, std::int64_t,
                            const Course&);
constexpr RowsKernel kAffineRows[4] = {
    fill_affine_rows<std::uint8_t>, fill_affine_rows<std::uint16_t>,
    fill_affine_rows<std::uint32_t>, fill_affine_rows<std::uint64_t>};
constexpr RowsKernel kFractionRows[4] = {
    fill_fraction_rows<std::uint8_t>, fill_fraction_rows<std::uint16_t>,
    fill_fraction_rows<std::uint32_t>, fill_fraction_rows<std::uint64_t>};

// Shorter rows are stored through the cache: streaming pays for whole cache lines alone.
constexpr std::uint64_t kStreamingRowBytes = 4096;
// Shorter rows do not pay for a call of a target's kernel.
constexpr std::uint64_t kKernelRowElements = 16;

// How a part of the work is done; the same for all rows.
struct Job {
    const Target& target;
    Store store;
    bool in_memory_order;  // of the nest as the view gives it
};

// Neighbouring elements, forwards.
void fill_run(int width, unsigned char* out, std::uint64_t count, const Course& course,
              const Job& job) {
    const Store store = count << width < kStreamingRowBytes ? Store::kCached : job.store;
    if (course.is_affine()) {
        job.target.affine[width](out, count, course.position.high, course.step.high, store);
    } else {
        const FixedPoint fixed = fixed_point(width, 16 << width, course, count);
        job.target.fraction[width](out, count, fixed, store);
    }
}

// `count` elements along the innermost axis, in each of `rows`.
void fill_rows(const Nest& nest, unsigned char* out, const Rows& rows, std::uint64_t count,
               const Course& course, const Job& job) {
    const int width = nest.log2_bytes;
    const std::int64_t stride = nest.inner().stride_bytes, element = std::int64_t{1} << width;
    const bool neighbours = stride == element || stride == -element;
    if (!neighbours || count < kKernelRowElements) {
        // Reordered, whole steps along a row may come with steps between rows that are not.
        const bool affine = course.is_affine() && rows.step.low == 0;
        const RowsKernel* kernels = affine ? kAffineRows : kFractionRows;
        return kernels[width](out, rows, count, stride, course);
    }
    if (rows.count == 1 && stride > 0) return fill_run(width, out, count, course, job);
    Course forwards = course;
    if (stride < 0) {  // from the other end
        const auto last = static_cast<std::int64_t>(count - 1);
        out += last * stride;
        forwards = {course.position + course.distance(last), -course.step};
    }
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        fill_run(width, out, count, forwards, job);
        out += rows.stride_bytes;
        forwards.position = forwards.position + rows.step;
    }
}

// The element number of a position.
std::int64_t element_number(const Nest& nest, std::uint64_t position) {
    std::int64_t number = nest.base;
    for (int k = nest.rank - 1; k >= 0; --k) {
        const LoopAxis& axis = nest.axes[k];
        number += static_cast<std::int64_t>(position % axis.size) * axis.weight;
        position /= axis.size;
    }
    return number;
}

// Positions begin .. begin + count, all in one segment. `course` is that of the element numbers,
// at position `begin`.
void fill_piece(const Nest& nest, std::uint64_t begin, std::uint64_t count, const Course& start,
                const Job& job) {
    const LoopAxis& inner = nest.inner();
    const Rows one_row{1, 0, {0, 0}};
    if (nest.rank == 1) {
        unsigned char* out = nest.data + static_cast<std::int64_t>(begin) * inner.stride_bytes;
        if (inner.weight == 1) return fill_rows(nest, out, one_row, count, start, job);
        return fill_rows(nest, out, one_row, count, {start.position, start.distance(inner.weight)},
                         job);
    }
    Course course = start;
    const int outer = nest.rank - 2;
    std::uint64_t coordinate[kMaxRank];
    unsigned char* out = nest.data;
    std::uint64_t rest = begin;
    for (int k = nest.rank - 1; k >= 0; --k) {
        const LoopAxis& axis = nest.axes[k];
        coordinate[k] = rest % axis.size;
        rest /= axis.size;
        out += static_cast<std::int64_t>(coordinate[k]) * axis.stride_bytes;
    }
    // Moves along an axis, in memory and in element numbers.
    const auto move = [&](const LoopAxis& axis, std::int64_t steps) {
        out += steps * axis.stride_bytes;
        course.move(steps * axis.weight);
    };
    std::uint64_t column = coordinate[nest.rank - 1];
    while (count > 0) {
        // 1. A part of a row, or as many whole rows as follow along the next axis.
        const Course along{course.position, course.distance(inner.weight)};
        const bool whole = column == 0 && count >= inner.size;
        std::uint64_t rows = 1, in_row = std::min(count, inner.size - column);
        Rows block = one_row;
        if (whole) {
            const LoopAxis& axis = nest.axes[outer];
            rows = std::min(count / inner.size, axis.size - coordinate[outer]);
            block = {rows, axis.stride_bytes, course.distance(axis.weight)};
        }
        fill_rows(nest, out, block, in_row, along, job);
        count -= rows * in_row;
        if (count == 0) return;
        // 2. To the start of the next row, carrying into outer axes.
        move(inner, -static_cast<std::int64_t>(column));
        column = 0;
        move(nest.axes[outer], static_cast<std::int64_t>(rows));
        coordinate[outer] += rows;
        for (int k = outer; coordinate[k] == nest.axes[k].size; --k) {
            move(nest.axes[k], -static_cast<std::int64_t>(nest.axes[k].size));
            move(nest.axes[k - 1], 1);
            coordinate[k] = 0;
            ++coordinate[k - 1];
        }
    }
}

// Elements between looks whether to stop: less than a tenth of a millisecond in caches, some hundred
// where each is on a page that the system has yet to give.
constexpr std::uint64_t kPieceElements = 1 << 18;

// The same, which may stop.
void fill_segment(const Nest& nest, std::uint64_t begin, std::uint64_t count, const Course& start,
                  const Job& job) {
    if (count <= kPieceElements) return fill_piece(nest, begin, count, start, job);
    const std::int64_t first = element_number(nest, begin);
    for (std::uint64_t done = 0; done < count; done += kPieceElements) {
        Course course = start;
        course.move(element_number(nest, begin + done) - first);
        fill_piece(nest, begin + done, std::min(kPieceElements, count - done), course, job);
        may_stop();
    }
}

// The same for positions in element order: whole slabs of the outermost axis are filled in the
// order of memory.
void fill_ordered(const Nest& nest, std::uint64_t begin, std::uint64_t count, const Course& start,
                  const Job& job) {
    if (job.in_memory_order) return fill_segment(nest, begin, count, start, job);
    const std::uint64_t slab = nest.element_count / nest.axes[0].size;
    const std::uint64_t first = (begin + slab - 1) / slab, last = (begin + count) / slab;
    if (nest.rank == 1 || last < first + 2) {
        return fill_segment(nest, begin, count, start, job);
    }
    const std::uint64_t head = first * slab - begin, body = (last - first) * slab;
    fill_segment(nest, begin, head, start, job);
    Course course = start;
    course.move(static_cast<std::int64_t>(head));
    Nest slabs = nest;
    slabs.data += static_cast<std::int64_t>(first) * nest.axes[0].stride_bytes;
    slabs.axes[0].size = last - first;
    slabs.element_count = body;
    order_by_memory(slabs);
    Course origin = course;
    origin.move(slabs.base);
    fill_segment(slabs, 0, body, origin, job);
    course.move(static_cast<std::int64_t>(body));
    fill_segment(nest, begin + head + body, count - head - body, course, job);
}

// A segment whose fraction is finer than the kernels' is a staircase: long runs of equal elements.
void fill_staircase(const Nest& nest, std::uint64_t begin, Segment segment, std::uint64_t count,
                    const Job& job) {
    segment.count = count;
    Pieces pieces(kPieceElements);
    const bool falling = static_cast<std::int64_t>(segment.step) < 0;
    const U128 signed_step{segment.step, segment.fraction_step};
    const U128 step = falling ? -signed_step : signed_step;
    while (segment.count > 0) {
        const std::uint64_t bits = segment.at(0);
        // Elements stay at `bits` while their position is within half a unit of it, the ends
        // included where `bits` is even.
        const std::uint64_t half = std::uint64_t{1} << 63;
        const U128 position{segment.bits, segment.fraction};
        const U128 border = falling ? U128{bits - 1, half} : U128{bits, half};
        const U128 distance = falling ? position - border : border - position;
        const std::uint64_t whole = divide(distance, step);
        const bool on_border = step * whole == distance;
        const std::uint64_t run = whole + (on_border && (bits & 1) ? 0 : 1);
        const std::uint64_t equal = std::min(run, segment.count);
        fill_ordered(nest, begin, equal, {{bits, 0}, {0, 0}}, job);
        segment.advance(equal);
        begin += equal;
        pieces.done(equal);
    }
}

Course course_of(const Segment& segment) {
    return {{segment.bits, segment.fraction}, {segment.step, segment.fraction_step}};
}

// Positions begin .. end; the walker's segment starts at `begin`.
void fill_part(const Nest& nest, Walker& walker, std::uint64_t begin, std::uint64_t end,
               const Job& job) {
    Pieces pieces(kPieceElements);
    for (;;) {
        const Segment& segment = walker.segment();
        const std::uint64_t count = std::min(segment.count, end - begin);
        const Course course = course_of(segment);
        if (fits_fixed_point(nest.log2_bytes, course, count)) {
            fill_ordered(nest, begin, count, course, job);
        } else {
            fill_staircase(nest, begin, segment, count, job);
        }
        pieces.done(count);
        begin += count;
        if (begin == end || count == 0) return;  // the second: there are no more indices
        walker.advance();
    }
}

}  // namespace

bool is_nested(const View& view) {
    Nest nest = make_nest(view);
    if (nest.element_count == 0) return true;
    order_by_memory(nest);
    // The bytes from the first element to the end of the last one, axes from the fastest on. An
    // extent beyond 64 bits cannot be in memory; in unsigned numbers it does no harm.
    std::uint64_t reach = std::uint64_t{1} << nest.log2_bytes;
    for (int k = nest.rank - 1; k >= 0; --k) {
        const auto stride = static_cast<std::uint64_t>(nest.axes[k].stride_bytes);
        if (stride < reach) return false;
        reach += stride * (nest.axes[k].size - 1);
    }
    return true;
}

void fill(const View& view, const Sequence& sequence, std::uint64_t first, const Policy& policy) {
    Nest nest = make_nest(view);
    if (nest.element_count == 0) return;
    const std::uint64_t bytes = nest.element_count << nest.log2_bytes;
    const Job job{*policy.target,
                  bytes >= policy.streaming_bytes ? Store::kStreaming : Store::kCached,
                  is_in_memory_order(nest)};

    // Where one segment covers the whole view, threads share it in the order of memory.
    Walker walker(sequence, first);
    const Segment& segment = walker.segment();
    const bool is_single =
        segment.count >= nest.element_count &&
        fits_fixed_point(nest.log2_bytes, course_of(segment), nest.element_count);
    if (is_single && !job.in_memory_order) order_by_memory(nest);

    const auto part = [&](std::uint64_t begin, std::uint64_t end) {
        if (is_single) {
            Course course = course_of(segment);
            course.move(element_number(nest, begin));
            fill_segment(nest, begin, end - begin, course, job);
        } else if (begin == 0) {
            fill_part(nest, walker, begin, end, job);
        } else {
            Walker later(sequence, first + begin);
            fill_part(nest, later, begin, end, job);
        }
    };
    const std::uint64_t worthwhile = bytes / policy.bytes_per_thread;
    const auto parts =
        static_cast<unsigned>(std::clamp<std::uint64_t>(worthwhile, 1, policy.max_threads));
    if (parts == 1) return part(0, nest.element_count);
    // Equal shares, cut at multiples of 4096 elements so that threads do not share cache lines of a
    // contiguous output. Fits: 4096 * parts is far below a share.
    const std::uint64_t share = (nest.element_count / parts + 4095) / 4096 * 4096;
    run_team(parts, [&](unsigned k) {
        const std::uint64_t begin = std::min(k * share, nest.element_count);
        const std::uint64_t end =
            k + 1 == parts ? nest.element_count : std::min(begin + share, nest.element_count);
        if (begin < end) part(begin, end);
    });
}

std::uint64_t last_level_cache_bytes() {
#if defined(__linux__)
    // Not sysconf: on some machines glibc 2.36 multiplies the size by the number of threads.
    for (int index = 3; index >= 2; --index) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                           "/size");
        std::uint64_t kibibytes = 0;
        if (file >> kibibytes && kibibytes > 0) return kibibytes << 10;
    }
#elif defined(__APPLE__)
    for (const char* name : {"hw.l3cachesize", "hw.l2cachesize"}) {
        std::int64_t bytes = 0;
        std::size_t length = sizeof(bytes);
        if (sysctlbyname(name, &bytes, &length, nullptr, 0) == 0 && bytes > 0) {
            return static_cast<std::uint64_t>(bytes);
        }
    }
#elif defined(_WIN32)
    DWORD length = 0;
    GetLogicalProcessorInformation(nullptr, &length);
    std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> all(length / sizeof(all[0]));
    std::uint64_t largest = 0;
    if (!all.empty() && GetLogicalProcessorInformation(all.data(), &length)) {
        for (const auto& one : all) {
            if (one.Relationship == RelationCache) {
                largest = std::max<std::uint64_t>(largest, one.Cache.Size);
            }
        }
    }
    if (largest > 0) return largest;
#endif
    return std::uint64_t{32} << 20;
}

}  // namespace indirectml
