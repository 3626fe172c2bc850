#include "fill.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <fstream>
#include <string>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace indirectml {

namespace {

// An axis of the loop nest: neighbours along it are `stride_bytes` apart in memory and `weight`
// apart in element numbers (modulo 2^64: a weight may be negative).
struct LoopAxis {
    std::uint64_t size;
    std::int64_t stride_bytes;
    std::uint64_t weight;
};

// The loop nest over a view. Positions are numbered 0, 1, ... in loop order, last axis fastest.
struct Nest {
    unsigned char* data;
    int log2_bytes;
    int rank;  // at least 1
    std::uint64_t element_count;
    std::uint64_t base;  // the element number of position 0
    LoopAxis axes[kMaxRank];

    std::uint64_t inner_size() const { return axes[rank - 1].size; }
};

// Axes that follow each other without a break, in memory and in element numbers, become one.
void merge_axes(Nest& nest) {
    int merged = 0;
    for (int k = 1; k < nest.rank; ++k) {
        LoopAxis& outer = nest.axes[merged];
        const LoopAxis& inner = nest.axes[k];
        // In unsigned numbers, since the end of an axis may lie just beyond the signed ones.
        const std::uint64_t extent = static_cast<std::uint64_t>(inner.stride_bytes) * inner.size;
        if (static_cast<std::uint64_t>(outer.stride_bytes) == extent &&
            outer.weight == inner.weight * inner.size) {
            outer = {outer.size * inner.size, inner.stride_bytes, inner.weight};
        } else {
            nest.axes[++merged] = inner;
        }
    }
    nest.rank = merged + 1;
}

Nest make_nest(const View& view) {
    Nest nest{view.data, view.log2_bytes, 0, 1, 0, {}};
    for (int k = 0; k < view.rank; ++k) {
        nest.element_count *= view.axes[k].size;
        if (view.axes[k].size == 1) continue;
        nest.axes[nest.rank++] = {view.axes[k].size, view.axes[k].stride_bytes, 0};
    }
    std::uint64_t weight = 1;
    for (int k = nest.rank - 1; k >= 0; --k) {
        nest.axes[k].weight = weight;
        weight *= nest.axes[k].size;
    }
    if (nest.rank == 0) nest.axes[nest.rank++] = {1, std::int64_t{1} << view.log2_bytes, 1};
    merge_axes(nest);
    return nest;
}

// Where one segment covers the whole view, an element's bits are linear in its coordinates, so the
// axes may be walked in any order and direction: in the order of memory.
void order_by_memory(Nest& nest) {
    for (int k = 0; k < nest.rank; ++k) {
        LoopAxis& axis = nest.axes[k];
        if (axis.stride_bytes >= 0) continue;
        nest.data += static_cast<std::int64_t>(axis.size - 1) * axis.stride_bytes;
        nest.base += (axis.size - 1) * axis.weight;
        axis.stride_bytes = -axis.stride_bytes;
        axis.weight = 0 - axis.weight;
    }
    std::stable_sort(nest.axes, nest.axes + nest.rank, [](const LoopAxis& a, const LoopAxis& b) {
        return a.stride_bytes > b.stride_bytes;
    });
    merge_axes(nest);
}

template <typename Element>
void fill_strided(unsigned char* out, std::int64_t stride_bytes, std::uint64_t count,
                  const Segment& segment) {
    if (segment.is_affine()) {
        std::uint64_t bits = segment.bits;
        for (std::uint64_t j = 0; j < count; ++j) {
            const auto value = static_cast<Element>(bits);
            std::memcpy(out, &value, sizeof(Element));
            out += stride_bytes;
            bits += segment.step;
        }
        return;
    }
    Segment position = segment;
    for (std::uint64_t j = 0; j < count; ++j) {
        const auto value = static_cast<Element>(position.at(0));
        std::memcpy(out, &value, sizeof(Element));
        out += stride_bytes;
        position.advance(1);
    }
}

using StridedKernel = void (*)(unsigned char*, std::int64_t, std::uint64_t, const Segment&);
constexpr StridedKernel kStrided[4] = {fill_strided<std::uint8_t>, fill_strided<std::uint16_t>,
                                       fill_strided<std::uint32_t>, fill_strided<std::uint64_t>};

// Shorter rows are stored through the cache: streaming pays for whole cache lines alone.
constexpr std::uint64_t kStreamingRowBytes = 4096;

// One row: `count` elements along the innermost axis, all in one segment.
void fill_row(const Nest& nest, unsigned char* out, std::uint64_t count, const Segment& segment,
              const Target& target, Store store) {
    const std::int64_t stride_bytes = nest.axes[nest.rank - 1].stride_bytes;
    const int width = nest.log2_bytes;
    if (count << width < kStreamingRowBytes) store = Store::kCached;
    if (stride_bytes != std::int64_t{1} << width) {
        kStrided[width](out, stride_bytes, count, segment);
    } else if (segment.is_affine()) {
        target.affine[width](out, count, segment.bits, segment.step, store);
    } else {
        target.fraction[width](out, count, segment.bits, segment.step, segment.fraction,
                               segment.fraction_step, store);
    }
}

// Positions begin .. begin + count, all in one segment whose first element is that of `begin`.
// `segment` advances by element numbers; the nest's weights turn loop steps into them.
void fill_segment(const Nest& nest, std::uint64_t begin, std::uint64_t count,
                  const Segment& segment, const Target& target, Store store) {
    std::uint64_t coordinate[kMaxRank];
    unsigned char* out = nest.data;
    std::uint64_t rest = begin;
    for (int k = nest.rank - 1; k >= 0; --k) {
        const LoopAxis& axis = nest.axes[k];
        coordinate[k] = rest % axis.size;
        rest /= axis.size;
        out += static_cast<std::int64_t>(coordinate[k]) * axis.stride_bytes;
    }
    const LoopAxis& inner = nest.axes[nest.rank - 1];
    Segment row = segment;
    if (row.is_affine()) row.step *= inner.weight;  // fractions are walked in element order only
    std::uint64_t bits = segment.bits;
    for (;;) {
        const std::uint64_t in_row = std::min(count, inner.size - coordinate[nest.rank - 1]);
        fill_row(nest, out, in_row, row, target, store);
        count -= in_row;
        if (count == 0) return;
        // To the start of the next row. A row that began in the middle began at its coordinate.
        std::int64_t moved =
            -static_cast<std::int64_t>(coordinate[nest.rank - 1]) * inner.stride_bytes;
        std::uint64_t elements = (0 - coordinate[nest.rank - 1]) * inner.weight;
        coordinate[nest.rank - 1] = 0;
        for (int k = nest.rank - 2;; --k) {
            const LoopAxis& axis = nest.axes[k];
            moved += axis.stride_bytes;
            elements += axis.weight;
            if (++coordinate[k] < axis.size) break;
            moved -= static_cast<std::int64_t>(axis.size) * axis.stride_bytes;
            elements -= axis.size * axis.weight;
            coordinate[k] = 0;
        }
        out += moved;
        if (segment.is_affine()) {
            bits += elements * segment.step;
            row.bits = bits;
        } else {
            row.advance(elements);
        }
    }
}

// A segment whose fraction is finer than the kernels' is a staircase: long runs of equal elements.
void fill_runs(const Nest& nest, std::uint64_t begin, Segment segment, const Target& target,
               Store store) {
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
        const std::uint64_t count = std::min(run, segment.count);
        fill_segment(nest, begin, count, {segment.first, count, bits, 0, 0, 0}, target, store);
        segment.advance(count);
        begin += count;
    }
}

// Positions begin .. end, from `segment` on, which `walker` has just given and which starts there.
void fill_part(const Nest& nest, Walker& walker, Segment segment, std::uint64_t begin,
               std::uint64_t end, const Policy& policy, Store store) {
    for (;;) {
        segment.count = std::min(segment.count, end - begin);
        if (fraction_fits(nest.log2_bytes, segment.fraction, segment.fraction_step)) {
            fill_segment(nest, begin, segment.count, segment, *policy.target, store);
        } else {
            fill_runs(nest, begin, segment, *policy.target, store);
        }
        begin += segment.count;
        if (begin == end || segment.count == 0) return;  // the second: there are no more indices
        segment = walker.next();
    }
}

// Runs work(0) .. work(parts - 1), each once. Threads live as long as the call, so a process may
// fork between calls. Where the system gives no further thread, this one does the work.
template <typename Work>
void run_parts(unsigned parts, const Work& work) {
    std::vector<std::thread> threads;
    threads.reserve(parts - 1);
    unsigned started = 1;
    try {
        for (; started < parts; ++started) threads.emplace_back(work, started);
    } catch (const std::system_error&) {
        for (unsigned part = started; part < parts; ++part) work(part);
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

void fill(const View& view, const Sequence& sequence, std::uint64_t first, const Policy& policy) {
    Nest nest = make_nest(view);
    if (nest.element_count == 0) return;
    const std::uint64_t bytes = nest.element_count << nest.log2_bytes;
    const Store store = bytes >= policy.streaming_bytes ? Store::kStreaming : Store::kCached;

    Walker walker(sequence, first);
    const Segment segment = walker.next();
    const bool linear = segment.is_affine() && segment.count >= nest.element_count;
    if (linear && nest.rank > 1) order_by_memory(nest);

    const auto part = [&](std::uint64_t begin, std::uint64_t end) {
        if (linear) {
            // The bits of position `begin`: its element number is linear in its coordinates.
            Segment moved = segment;
            std::uint64_t rest = begin, number = nest.base;
            for (int k = nest.rank - 1; k >= 0; --k) {
                number += rest % nest.axes[k].size * nest.axes[k].weight;
                rest /= nest.axes[k].size;
            }
            moved.bits += number * segment.step;
            fill_segment(nest, begin, end - begin, moved, *policy.target, store);
        } else if (begin == 0) {
            fill_part(nest, walker, segment, begin, end, policy, store);
        } else {
            Walker later(sequence, first + begin);
            const Segment own = later.next();
            fill_part(nest, later, own, begin, end, policy, store);
        }
    };
    const std::uint64_t worthwhile = bytes / kBytesPerThread;
    const auto parts =
        static_cast<unsigned>(std::clamp<std::uint64_t>(worthwhile, 1, policy.max_threads));
    if (parts == 1) return part(0, nest.element_count);
    // Equal shares, cut at multiples of 4096 elements so that threads do not share cache lines of a
    // contiguous output. Fits: 4096 * parts is far below a share.
    const std::uint64_t share = (nest.element_count / parts + 4095) / 4096 * 4096;
    run_parts(parts, [&](unsigned k) {
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
#endif
    return std::uint64_t{32} << 20;
}

}  // namespace indirectml
