// What an instruction set has to provide to fill memory: two kernels per element width.
//
// Kernels are single-threaded and re-entrant, allocate nothing and accept any address. They write
// `count` neighbouring elements of 1 << log2_bytes bytes, and never a byte outside of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../compiler.h"
#include "../wide.h"

// The targets that are compiled in, best first: DO(Name) for each.
#if defined(INDIRECTML_X86_AVX512)
#define INDIRECTML_EACH_TARGET(DO) DO(Avx512) DO(Avx2) DO(Portable)
#elif defined(INDIRECTML_X86)
#define INDIRECTML_EACH_TARGET(DO) DO(Avx2) DO(Portable)
#elif defined(INDIRECTML_NEON)
#define INDIRECTML_EACH_TARGET(DO) DO(Neon) DO(Portable)
#else
#define INDIRECTML_EACH_TARGET(DO) DO(Portable)
#endif

namespace indirectml {

// Where a large output should go: through the cache, or past it (a hint; needs no alignment).
enum class Store { kCached, kStreaming };

// Element j = low bits of bits + j * step.
using AffineKernel = void (*)(void* out, std::size_t count, std::uint64_t bits, std::uint64_t step,
                              Store store);

// Positions p(j) = position + j * step in fixed point, in lanes of 2 n bits (128 for n = 64) for
// elements of n bits. Element j = low bits of base + p(j) / 2^fraction_bits, rounded to an integer,
// ties to even. The base is even.
struct FixedPoint {
    std::uint64_t base;
    int fraction_bits;  // at least n and below 2 n; 64 for n = 64
    U128 position, step;
};

using FractionKernel = void (*)(void* out, std::size_t count, const FixedPoint& course,
                                Store store);

struct Target {
    const char* name;
    AffineKernel affine[4];      // by log2 of the element's bytes
    FractionKernel fraction[4];  // likewise
};

// The targets that this machine can run, best first; the last one is `portable`.
struct TargetList {
    const Target* const* begin;
    std::size_t count;
};
TargetList available_targets();

// What a target, given by its name, has of another family of kernels. The last are the portable ones.
template <typename Kernels, std::size_t kCount>
const Kernels& kernels_named(const char* name, const Kernels* const (&all)[kCount]) {
    for (const Kernels* kernels : all) {
        if (std::strcmp(kernels->name, name) == 0) return *kernels;
    }
    return *all[kCount - 1];
}

// Defines kernels_of(target) in the namespace of a family, each of whose targets has a
// `const Kernels k##NAME`.
#define INDIRECTML_DECLARE_KERNELS(NAME) extern const Kernels k##NAME;
#define INDIRECTML_ENTER_KERNELS(NAME) &k##NAME,
#define INDIRECTML_DEFINE_KERNELS_OF                                                            \
    INDIRECTML_EACH_TARGET(INDIRECTML_DECLARE_KERNELS)                                          \
    const Kernels& kernels_of(const Target& target) {                                           \
        static const Kernels* const all[] = {INDIRECTML_EACH_TARGET(INDIRECTML_ENTER_KERNELS)}; \
        return kernels_named(target.name, all);                                                 \
    }

}  // namespace indirectml
