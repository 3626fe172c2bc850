// AVX-512: sums of 14 rows of 32 columns in 28 of 32 registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include "../lanes/f32_avx512.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::avx512::F32;

struct Pairs {
    using Vector = __m512i;
    static constexpr std::size_t kCount = 16;
    static Vector zero() { return _mm512_setzero_si512(); }
    static Vector set(std::int32_t x) { return _mm512_set1_epi32(x); }
    static Vector load(const std::int32_t* at) { return _mm512_loadu_si512(at); }
    static void store(std::int32_t* at, Vector v) { _mm512_storeu_si512(at, v); }
    static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static Vector fma(Vector a, Vector b, Vector c) { return add(_mm512_madd_epi16(a, b), c); }
};

constexpr std::size_t kTileRows = 14, kTilePanels = 2;

#include "kernels.inl"

}  // namespace

extern const QuadKernels kQuadsAvx512;

extern const ContractionKernels kContractionAvx512 = contraction_table("avx512", &kQuadsAvx512);

}  // namespace indirectml
