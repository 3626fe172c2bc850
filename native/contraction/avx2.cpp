// AVX2 with FMA and F16C: sums of 6 rows of 16 columns in 12 of 16 registers.
#include "../lanes/f32_avx2.h"
#include "kernels.h"

namespace indirectml {

namespace {

using avx2::F32;

struct Pairs {
    using V = __m256i;
    static constexpr std::size_t kLanes = 8;
    static V zero() { return _mm256_setzero_si256(); }
    static V set(std::int32_t x) { return _mm256_set1_epi32(x); }
    static V load(const std::int32_t* at) {
        return _mm256_loadu_si256(reinterpret_cast<const V*>(at));
    }
    static void store(std::int32_t* at, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(at), v); }
    static V add(V a, V b) { return _mm256_add_epi32(a, b); }
    static V fma(V a, V b, V c) { return add(_mm256_madd_epi16(a, b), c); }
    static V canonical(V v) { return v; }
};

constexpr std::size_t kTileRows = 6, kTilePanels = 1;

#include "kernels.inl"

}  // namespace

extern const ContractionKernels kContractionAvx2 = contraction_table("avx2");

}  // namespace indirectml
