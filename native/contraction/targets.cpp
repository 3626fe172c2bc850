// The kernels of each target that was compiled in, by its name.
#include <cstring>

#include "kernels.h"

namespace indirectml {

extern const ContractionKernels kContractionPortable;
#if defined(INDIRECTML_X86)
extern const ContractionKernels kContractionAvx2;
extern const ContractionKernels kContractionAvx512;
#endif
#if defined(INDIRECTML_NEON)
extern const ContractionKernels kContractionNeon;
#endif

const ContractionKernels* contraction_kernels(const char* name) {
    constexpr const ContractionKernels* all[] = {
#if defined(INDIRECTML_X86)
        &kContractionAvx512, &kContractionAvx2,
#endif
#if defined(INDIRECTML_NEON)
        &kContractionNeon,
#endif
        &kContractionPortable,
    };
    for (const ContractionKernels* kernels : all) {
        if (std::strcmp(kernels->name, name) == 0) return kernels;
    }
    return &kContractionPortable;
}

}  // namespace indirectml
