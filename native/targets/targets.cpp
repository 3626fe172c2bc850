// Which targets were compiled in, and which of them this machine can run.
#include "processor.h"
#include "target.h"

namespace indirectml {

#define INDIRECTML_DECLARE(NAME) extern const Target k##NAME;
INDIRECTML_EACH_TARGET(INDIRECTML_DECLARE)
#undef INDIRECTML_DECLARE

TargetList available_targets() {
    struct Found {
        const Target* list[4];
        std::size_t count = 0;
        void add(const Target& target) { list[count++] = &target; }
    };
    static const Found found = [] {
        Found f;
#if defined(INDIRECTML_X86_AVX512)
        if (processor().avx512) f.add(kAvx512);
#endif
#if defined(INDIRECTML_X86)
        if (processor().avx2) f.add(kAvx2);
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
