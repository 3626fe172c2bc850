// What compilers and processors call differently. All else in this folder is C++17 that any
// compiler takes, but for the programs that check and count.
#pragma once

#include <cstdint>
#include <cstdio>

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define INDIRECTML_X86_64
#endif

// With INDIRECTML_PLAIN, GCC and clang compile what a compiler without their extensions would.
#if defined(__GNUC__) && !defined(INDIRECTML_PLAIN)
#define INDIRECTML_GNU
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#elif defined(INDIRECTML_X86_64)
#include <cpuid.h>
#endif
#if defined(INDIRECTML_X86_64)
#include <xmmintrin.h>
#endif

// Before a function: it is never called, always copied into its callers. Where it stands in files
// that are compiled for several instruction sets, no copy for one of them is shared with another.
#if defined(_MSC_VER) && !defined(__clang__)
#define INDIRECTML_INLINE __forceinline
#else
#define INDIRECTML_INLINE inline __attribute__((always_inline))
#endif

// Before a function: it is called, never copied.
#if defined(_MSC_VER) && !defined(__clang__)
#define INDIRECTML_NOINLINE __declspec(noinline)
#else
#define INDIRECTML_NOINLINE __attribute__((noinline))
#endif

// After the * of a pointer: what it points to is reached by no other pointer here.
#define INDIRECTML_RESTRICT __restrict

// Makes a vector one that the compiler knows nothing of; `kind` is GCC's letter for its register.
#if defined(INDIRECTML_GNU)
#define INDIRECTML_OPAQUE(kind, vector) __asm__("" : "+" kind(vector))
#else
#define INDIRECTML_OPAQUE(kind, vector) static_cast<void>(vector)
#endif

// sum += addend, by an instruction of x86 in the register of `sum`: a compiler's own addition may come to another
// one, and is moved back. Where a compiler takes none, it is not defined.
#if defined(INDIRECTML_GNU) && defined(INDIRECTML_X86_64)
#define INDIRECTML_ADD_IN_PLACE(instruction, sum, addend) \
    __asm__(instruction " %1, %0, %0" : "+x"(sum) : "x"(addend))
#endif

// Before a function whose argument number `text` is a format of printf, for those from `first` on.
#if defined(__MINGW_PRINTF_FORMAT)
#define INDIRECTML_PRINTF(text, first) __attribute__((format(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define INDIRECTML_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define INDIRECTML_PRINTF(text, first)
#endif

// Before the header of AVX-512: GCC 12 warns of what that leaves undefined on purpose.
#if defined(__GNUC__) && !defined(__clang__)
#define INDIRECTML_UNINITIALIZED_ON_PURPOSE                    \
    _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"") \
        _Pragma("GCC diagnostic ignored \"-Wuninitialized\"")
#else
#define INDIRECTML_UNINITIALIZED_ON_PURPOSE
#endif

namespace indirectml {

// The same pointer, of which the compiler no longer knows where it came from.
template <typename T>
INDIRECTML_INLINE T* hidden(T* pointer) {
#if defined(INDIRECTML_GNU)
    __asm__("" : "+r"(pointer));
#endif
    return pointer;
}

// Memory is as it is written down from here on, for instructions of which the compiler does not know that they
// read it.
INDIRECTML_INLINE void settle_memory() {
#if defined(INDIRECTML_GNU)
    __asm__ volatile("" : : : "memory");
#endif
}

// What will be read soon, into the second cache.
INDIRECTML_INLINE void prefetch(const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at, 0, 2);
#else
    (void)at;
#endif
}

#if defined(__SIZEOF_INT128__) && defined(INDIRECTML_GNU)
#define INDIRECTML_INT128
__extension__ typedef unsigned __int128 Wide;
#endif

// Of a 64-bit number that is not zero; where it is defined, in constants too.
#if defined(INDIRECTML_GNU)
#define INDIRECTML_LEADING_ZEROS(a) __builtin_clzll(a)
#endif

// The upper half of a product.
static INDIRECTML_INLINE std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(INDIRECTML_INT128)
    return static_cast<std::uint64_t>((Wide{a} * b) >> 64);
#elif defined(_MSC_VER) && !defined(INDIRECTML_PLAIN)
    return __umulh(a, b);
#else
    const std::uint64_t a0 = a & 0xFFFFFFFF, a1 = a >> 32, b0 = b & 0xFFFFFFFF, b1 = b >> 32;
    const std::uint64_t p01 = a0 * b1, p10 = a1 * b0;
    // Fits: three numbers below 2^32.
    const std::uint64_t middle = (a0 * b0 >> 32) + (p01 & 0xFFFFFFFF) + (p10 & 0xFFFFFFFF);
    return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
#endif
}

// How many of the lowest bits are zero; `a` is not.
static INDIRECTML_INLINE int count_trailing_zeros(std::uint64_t a) {
#if defined(INDIRECTML_GNU)
    return __builtin_ctzll(a);
#elif defined(_MSC_VER) && !defined(INDIRECTML_PLAIN)
    unsigned long index;
    _BitScanForward64(&index, a);
    return static_cast<int>(index);
#else
    int n = 0;
    for (int step = 32; step > 0; step /= 2) {
        if ((a & ((std::uint64_t{1} << step) - 1)) == 0) {
            n += step;
            a >>= step;
        }
    }
    return n;
#endif
}

#if defined(INDIRECTML_X86_64)

// What the instruction CPUID leaves in its four registers.
struct CpuId {
    std::uint32_t a, b, c, d;
};

inline CpuId cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
#if defined(_MSC_VER)
    int r[4];
    __cpuidex(r, static_cast<int>(leaf), static_cast<int>(subleaf));
    return {static_cast<std::uint32_t>(r[0]), static_cast<std::uint32_t>(r[1]),
            static_cast<std::uint32_t>(r[2]), static_cast<std::uint32_t>(r[3])};
#else
    CpuId id;
    __cpuid_count(leaf, subleaf, id.a, id.b, id.c, id.d);
    return id;
#endif
}

// Which registers the operating system saves (XCR0). Only where it saves any: CPUID says so.
inline std::uint64_t saved_registers() {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    std::uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
#endif
}

#endif

// The register of the calling thread's floating-point modes, and its value for the default ones.
#if defined(INDIRECTML_X86_64)
constexpr std::uint64_t kDefaultFloatModes = 0x1F80;  // no exception traps
inline std::uint64_t float_modes() { return _mm_getcsr(); }
inline void set_float_modes(std::uint64_t modes) { _mm_setcsr(static_cast<unsigned>(modes)); }
#elif defined(_M_ARM64)
constexpr std::uint64_t kDefaultFloatModes = 0;
inline std::uint64_t float_modes() {
    return static_cast<std::uint64_t>(_ReadStatusReg(ARM64_FPCR));
}
inline void set_float_modes(std::uint64_t modes) {
    _WriteStatusReg(ARM64_FPCR, static_cast<__int64>(modes));
}
#elif defined(__aarch64__)
constexpr std::uint64_t kDefaultFloatModes = 0;
inline std::uint64_t float_modes() {
    std::uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes)::"memory");
    return modes;
}
inline void set_float_modes(std::uint64_t modes) {
    __asm__ volatile("msr fpcr, %0" ::"r"(modes) : "memory");
}
#else
constexpr std::uint64_t kDefaultFloatModes = 0;
inline std::uint64_t float_modes() { return 0; }
inline void set_float_modes(std::uint64_t) {}
#endif

}  // namespace indirectml
