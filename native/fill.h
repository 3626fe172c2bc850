// Filling a strided view of memory with a sequence: layout, segments, threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sequence.h"
#include "targets/target.h"

namespace indirectml {

constexpr int kMaxRank = 64;  // NumPy's limit; DirectML's is 8

struct Axis {
    std::uint64_t size;
    std::int64_t stride_bytes;
};

// Elements of 1 << log2_bytes bytes; the last axis is the fastest in element order.
// No two elements share a byte, and all of them are writable: the caller has checked.
struct View {
    unsigned char* data;
    int log2_bytes;
    int rank;
    const Axis* axes;
};

// True if every stride reaches beyond all that the smaller ones reach together, so that no two
// elements can share a byte. False says nothing: there are other layouts without overlap.
bool is_nested(const View& view);

// How to do the work; none of it changes a bit of the result.
struct Policy {
    const Target* target;
    unsigned max_threads;           // at least 1
    std::uint64_t streaming_bytes;  // outputs of at least this size bypass the cache
    // The share of an output that is worth a thread of its own. One starts in 10 to 30 us, while
    // one core writes as many megabytes to its caches as that takes.
    std::uint64_t bytes_per_thread = std::uint64_t{4} << 20;
};

// Writes elements first, first + 1, ... of the sequence to the view, in row-major order.
void fill(const View& view, const Sequence& sequence, std::uint64_t first, const Policy& policy);

// The size of this machine's last-level cache in bytes, or 32 MiB where it cannot be asked for.
std::uint64_t last_level_cache_bytes();

}  // namespace indirectml
