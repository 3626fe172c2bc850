// AVX2 with FMA and F16C: sums of 6 rows of 16 columns in 12 of 16 registers.
#include "../lanes/f32_avx2.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::avx2::F32;

struct Pairs {
    using Vector = __m256i;
    static constexpr std::size_t kCount = 8;
    static Vector zero() { return _mm256_setzero_si256(); }
    static Vector set(std::int32_t x) { return _mm256_set1_epi32(x); }
    static Vector load(const std::int32_t* at) {
        return _mm256_loadu_si256(reinterpret_cast<const Vector*>(at));
    }
    static void store(std::int32_t* at, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(at), v); }
    static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static Vector fma(Vector a, Vector b, Vector c) { return add(_mm256_madd_epi16(a, b), c); }
};

constexpr std::size_t kTileRows = 6, kTilePanels = 1;

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionAvx2 = contraction_table("avx2");

}  // namespace indirectml
