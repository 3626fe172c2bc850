// Which targets were compiled in, and which of them this machine can run.
#include "target.h"

#if defined(INDIRECTML_X86)
#include <cpuid.h>
#endif

namespace indirectml {

extern const Target kPortable;
#if defined(INDIRECTML_X86)
extern const Target kAvx2;
extern const Target kAvx512;
#endif
#if defined(INDIRECTML_NEON)
extern const Target kNeon;
#endif

#if defined(INDIRECTML_X86)
// No part of AVX2 or AVX-512 by the book, though every processor with one of these has them. Not
// every compiler's __builtin_cpu_supports knows F16C.
static bool has_fma_and_f16c() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_FMA) && (c & bit_F16C);
}
#endif

TargetList available_targets() {
    struct Found {
        const Target* list[4];
        std::size_t count = 0;
        void add(const Target& target) { list[count++] = &target; }
    };
    static const Found found = [] {
        Found f;
#if defined(INDIRECTML_X86)
        // These checks include whether the operating system saves the wide registers.
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
            has_fma_and_f16c()) {
            f.add(kAvx512);
        }
        if (__builtin_cpu_supports("avx2") && has_fma_and_f16c()) f.add(kAvx2);
#endif
#if defined(INDIRECTML_NEON)
        f.add(kNeon);  // part of every 64-bit Arm processor
#endif
        f.add(kPortable);
        return f;
    }();
    return {found.list, found.count};
}

}  // namespace indirectml
