// Sums in the lanes of AVX2.
#include <cstring>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_avx2.h"
#include "../lanes/f64_avx2.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

namespace avx2 {

struct L : lanes::avx2::F64 {
    static constexpr std::size_t kTogether = 2;
    static constexpr std::size_t kColumns = 4;
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("x", v);
        return v;
    }
    static Vector load_half(const std::uint16_t* at) {
        const __m128i halves = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
        return _mm256_cvtps_pd(_mm_cvtph_ps(halves));
    }
    // Lanes 0 and 1 of two rows beside each other, plus lanes 2 and 3 of both; then ones.
    static Vector totals(const Vector* rows) {
        const Vector a = add(_mm256_permute2f128_pd(rows[0], rows[2], 0x20),
                             _mm256_permute2f128_pd(rows[0], rows[2], 0x31));
        const Vector b = add(_mm256_permute2f128_pd(rows[1], rows[3], 0x20),
                             _mm256_permute2f128_pd(rows[1], rows[3], 0x31));
        return add(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    }
};

struct S : lanes::avx2::F32 {
    static Vector min(Vector a, Vector b) { return _mm256_min_ps(a, b); }
    static Vector max(Vector a, Vector b) { return _mm256_max_ps(a, b); }
};

#include "elements.inl"
#include "sums.inl"
#include "bodies.inl"

}  // namespace avx2

extern const Kernels kAvx2 = avx2::table("avx2", avx2::sum_kernels());

}  // namespace sums
}  // namespace indirectml
