// Elements taken from where indices say, and put there. All arrays are packed.
//
// A negative index counts from the end. Beyond either end it is clamped where something is read by it,
// and what it would write is left out. What is written apart, one behind the other, is shared by
// threads; of several updates of one element the last one stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../fill.h"

namespace indirectml {

// Integers of so many bytes, with a sign or without.
struct Indices {
    const unsigned char* data;
    int bytes;
    bool is_signed;
};

// Of [outer, size, inner]: slices of `inner` bytes, those of the indices, one behind the other for each
// of the outer.
void gather(const unsigned char* x, std::uint64_t outer, std::uint64_t size, std::size_t inner,
            const Indices& indices, std::uint64_t count, unsigned char* out, const Policy& policy);

using Sizes = std::vector<std::uint64_t>;

// An element of `item` bytes for each index, whose place says where it is along the other axes.
struct ByElements {
    Sizes sizes, index_sizes;
    std::size_t axis, item;
};
void gather_elements(const unsigned char* x, const ByElements& how, const Indices& indices,
                     unsigned char* out, const Policy& policy);
void scatter_elements(const unsigned char* x, const ByElements& how, const Indices& indices,
                      const unsigned char* updates, unsigned char* out, const Policy& policy);

// Tuples of coordinates: those of the axes after the first `batch`, along which there are as many groups
// of tuples. What is behind these axes is a slice.
struct ByTuples {
    Sizes sizes, index_sizes;
    std::size_t batch, item;
};
void gather_tuples(const unsigned char* x, const ByTuples& how, const Indices& indices,
                   unsigned char* out, const Policy& policy);
void scatter_tuples(const unsigned char* x, const ByTuples& how, const Indices& indices,
                    const unsigned char* updates, unsigned char* out, const Policy& policy);

// The same where there are elements already, in any order, which stay but for those that are written.
struct Kept {
    std::vector<Axis> axes;
    Sizes index_sizes;
    std::size_t item;
};
void put_elements(const Kept& how, std::size_t axis, const Indices& indices,
                  const unsigned char* updates, unsigned char* out);
void put_tuples(const Kept& how, const Indices& indices, const unsigned char* updates,
                unsigned char* out, const Policy& policy);

// Elements of known places along axes: those of axis k are at[k], in bytes from the first one.
struct Taken {
    Taken(std::vector<std::vector<std::int64_t>> places, std::size_t item_bytes);

    std::vector<std::vector<std::int64_t>> at;
    std::size_t item;
    // Neighbours along the last axis that are neighbours in the result, where these are many.
    struct Run {
        std::int64_t from;
        std::size_t bytes;
    };
    std::vector<Run> runs;
    bool are_twice;  // neighbours, as resampling by 2 has them
};
void take(const unsigned char* x, const Taken& how, unsigned char* out, const Policy& policy);

// The same of runs of bytes that lie next to each other in what is read and in the result, whose axes are
// so many bytes apart from element to element: the last ones are the nearest.
struct TakenRuns {
    struct Along {
        std::vector<std::int64_t> at;
        std::int64_t step;
    };
    std::vector<Along> axes;  // one at least
    std::size_t bytes;
};
void take_runs(const unsigned char* x, const TakenRuns& how, unsigned char* out, const Policy& policy);

}  // namespace indirectml
