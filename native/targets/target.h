// What an instruction set has to provide to fill memory: two kernels per element width.
//
// Kernels are single-threaded and re-entrant, allocate nothing and accept any address. They write
// `count` neighbouring elements of 1 << log2_bytes bytes, and never a byte outside of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indirectml {

// Where a large output should go: through the cache, or past it (a hint; needs no alignment).
enum class Store { kCached, kStreaming };

// Element j = low bits of bits + j * step.
using AffineKernel = void (*)(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step,
                              Store store);

// Element j = low bits of (bits + fraction / 2^64) + j * (step + fraction_step / 2^64), rounded to
// an integer, ties to even. With elements of n bits, only the highest n bits of the fractions may
// be set; see fraction_fits.
using FractionKernel = void (*)(void* out, std::size_t count, std::uint64_t bits,
                                std::uint64_t step, std::uint64_t fraction,
                                std::uint64_t fraction_step, Store store);

struct Target {
    const char* name;
    AffineKernel affine[4];      // by log2 of the element's bytes
    FractionKernel fraction[4];  // likewise
};

constexpr bool fraction_fits(int log2_bytes, std::uint64_t fraction, std::uint64_t fraction_step) {
    const int bits = 8 << log2_bytes;
    return bits == 64 || ((fraction | fraction_step) << bits) == 0;
}

// The targets that this machine can run, best first; the last one is `portable`.
struct TargetList {
    const Target* const* begin;
    std::size_t count;
};
TargetList available_targets();

}  // namespace indirectml
