// Elements taken from where indices say.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indirectml {

// Integers of so many bytes, with a sign or without.
struct Indices {
    const unsigned char* data;
    int bytes;
    bool is_signed;
};

// Packed arrays [outer, size, inner]: slices of `inner` bytes, those of the indices, one behind the
// other for each of the outer. A negative index counts from the end; beyond either end it is clamped.
void gather(const unsigned char* x, std::uint64_t outer, std::uint64_t size, std::size_t inner,
            const Indices& indices, std::uint64_t count, unsigned char* out);

}  // namespace indirectml
