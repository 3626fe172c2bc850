// The kernels of each target that was compiled in, by its name.
#include <cstring>

#include "../targets/target.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

#define INDIRECTML_DECLARE(NAME) extern const Kernels kIntegers##NAME;
INDIRECTML_EACH_TARGET(INDIRECTML_DECLARE)
#if defined(INDIRECTML_X86)
INDIRECTML_DECLARE(Avx512Vnni)
INDIRECTML_DECLARE(Avx2Vnni)
#endif
#undef INDIRECTML_DECLARE

const Kernels& kernels_of(const char* name, bool may_be_special) {
#if defined(INDIRECTML_X86)
    static const Kernels* const special[] = {&kIntegersAvx512Vnni, &kIntegersAvx2Vnni};
    for (const Kernels* kernels : special) {
        if (may_be_special && std::strcmp(kernels->name, name) == 0 && kernels->is_there()) {
            return *kernels;
        }
    }
#else
    static_cast<void>(may_be_special);
#endif
#define INDIRECTML_ENTRY(NAME) &kIntegers##NAME,
    static const Kernels* const all[] = {INDIRECTML_EACH_TARGET(INDIRECTML_ENTRY)};
#undef INDIRECTML_ENTRY
    return kernels_named(name, all);
}

}  // namespace integers
}  // namespace indirectml
