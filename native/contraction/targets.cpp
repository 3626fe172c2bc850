// The kernels of each target that was compiled in, by its name.
#include "../targets/target.h"
#include "kernels.h"

namespace indirectml {

#define INDIRECTML_DECLARE(NAME) extern const ContractionKernels kContraction##NAME;
INDIRECTML_EACH_TARGET(INDIRECTML_DECLARE)
#undef INDIRECTML_DECLARE

const ContractionKernels* contraction_kernels(const char* name) {
#define INDIRECTML_ENTRY(NAME) &kContraction##NAME,
    static const ContractionKernels* const all[] = {INDIRECTML_EACH_TARGET(INDIRECTML_ENTRY)};
#undef INDIRECTML_ENTRY
    return &kernels_named(name, all);
}

}  // namespace indirectml
