// The kernels of each target that was compiled in, by its name; and of those the fastest for some numbers.
#include <cstring>
#include <vector>

#include "../targets/target.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

// To sort the units of a panel takes as long as two tiles of rows gain.
constexpr std::size_t kLeastRowsInPairs = 24;
// Units that do not fit pairs take 1.9 times as long as those that do, and all as words 1.2 times.
constexpr std::size_t kLeastUnitsPerOther = 5;

#define INDIRECTML_DECLARE(NAME) extern const Kernels kIntegers##NAME;
INDIRECTML_EACH_TARGET(INDIRECTML_DECLARE)
#if defined(INDIRECTML_X86_AVX512)
#define INDIRECTML_EACH_SPECIAL(DO) DO(Avx512Vnni) DO(Avx2Vnni)
#elif defined(INDIRECTML_X86)
#define INDIRECTML_EACH_SPECIAL(DO) DO(Avx2Vnni)
#endif
#if defined(INDIRECTML_X86)
INDIRECTML_EACH_SPECIAL(INDIRECTML_DECLARE)
#endif
#undef INDIRECTML_DECLARE
#define INDIRECTML_ENTRY(NAME) &kIntegers##NAME,

#if defined(INDIRECTML_AMX)
Kernels with_whole_tiles();
#endif

const Kernels& kernels_of(const char* name, unsigned place) {
#if defined(INDIRECTML_X86)
#if defined(INDIRECTML_AMX)
    static const Kernels tiles = with_whole_tiles();
    static const Kernels* const special[] = {&tiles, INDIRECTML_EACH_SPECIAL(INDIRECTML_ENTRY)};
#else
    static const Kernels* const special[] = {INDIRECTML_EACH_SPECIAL(INDIRECTML_ENTRY)};
#endif
    for (const Kernels* kernels : special) {
        if (std::strcmp(kernels->name, name) == 0 && kernels->is_there() && place-- == 0) {
            return *kernels;
        }
    }
#else
    static_cast<void>(place);
#endif
    static const Kernels* const all[] = {INDIRECTML_EACH_TARGET(INDIRECTML_ENTRY)};
#undef INDIRECTML_ENTRY
    return kernels_named(name, all);
}

const Kernels& kernels_for(const Kernels& kernels, const std::int32_t* panel, std::size_t units, std::size_t rows) {
    if (!kernels.in_pairs || rows < kLeastRowsInPairs) return kernels;
    const std::vector<std::ptrdiff_t> offsets(units);
    std::vector<UnitPlace> places(units);
    const std::size_t fitting = kernels.in_pairs->sort_units(panel, offsets.data(), units, places.data());
    return (units - fitting) * kLeastUnitsPerOther <= units ? *kernels.in_pairs : kernels;
}

}  // namespace integers
}  // namespace indirectml
