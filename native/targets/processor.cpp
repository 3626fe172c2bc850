#include "processor.h"

#include "../compiler.h"

#if defined(INDIRECTML_AMX)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace indirectml {

namespace {

#if defined(INDIRECTML_X86_64)

bool has(std::uint32_t word, int bit) { return (word >> bit & 1) != 0; }

// Numbers of leaves and bits: Intel's manual for software developers, volume 2, CPUID; of the
// registers, volume 1, 13.3.
Processor ask() {
    Processor found;
    const std::uint32_t leaves = cpuid(0, 0).a;
    if (leaves < 7) return found;
    const CpuId one = cpuid(1, 0), seven = cpuid(7, 0);
    const bool saves_registers = has(one.c, 27), avx = has(one.c, 28);
    if (!saves_registers || !avx) return found;
    constexpr std::uint64_t kVectors = 0x06, kWideVectors = 0xE6;
    const std::uint64_t saved = saved_registers();
    if ((saved & kVectors) != kVectors) return found;
    const bool fma = has(one.c, 12), f16c = has(one.c, 29);
    found.avx2 = has(seven.b, 5) && fma && f16c;
#if defined(__APPLE__)
    const bool saves_wide = true;  // from a thread's first use of them on
#else
    const bool saves_wide = (saved & kWideVectors) == kWideVectors;
#endif
    const bool f = has(seven.b, 16), dq = has(seven.b, 17), bw = has(seven.b, 30),
               vl = has(seven.b, 31);
    found.avx512 = found.avx2 && saves_wide && f && dq && bw && vl;
    found.avx_vnni = found.avx2 && seven.a >= 1 && has(cpuid(7, 1).a, 4);
    found.avx512_vnni = found.avx512 && has(seven.c, 11);
    constexpr std::uint64_t kTiles = 0x60000;
    const bool saves_tiles = (saved & kTiles) == kTiles;
    found.amx_int8 = found.avx512_vnni && saves_tiles && has(seven.d, 24) && has(seven.d, 25);
    return found;
}

#else

Processor ask() { return {}; }

#endif

}  // namespace

const Processor& processor() {
    static const Processor found = ask();
    return found;
}

bool may_use_amx() {
#if defined(INDIRECTML_AMX)
    // ARCH_REQ_XCOMP_PERM of XFEATURE_XTILEDATA: Linux, Documentation/arch/x86/xstate.rst.
    static const bool is_given = processor().amx_int8 && syscall(SYS_arch_prctl, 0x1023, 18) == 0;
    return is_given;
#else
    return false;
#endif
}

}  // namespace indirectml
