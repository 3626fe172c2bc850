// Sums in the lanes of AVX-512.
#include <cstring>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_avx512.h"
#include "../lanes/f64_avx512.h"
#include "../lanes/f64x4_avx512.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

namespace avx512 {

// Sums are in half vectors. On Zen 4 whole ones add 16 FLOAT32 in four cycles, where converting them
// is in the way of adding them; halves in little more than two.
struct S : lanes::avx512::F32 {
    static Vector min(Vector a, Vector b) { return _mm512_maskz_min_ps(0xFFFF, a, b); }
    static Vector max(Vector a, Vector b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }
};

namespace halves {

struct L : lanes::avx512::F64x4 {
    static constexpr std::size_t kTogether = 4;
    static constexpr std::size_t kColumns = 4;
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("v", v);
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

#include "elements.inl"
#include "sums.inl"

}  // namespace halves

struct L : lanes::avx512::F64 {
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("v", v);
        return v;
    }
    static Vector load_half(const std::uint16_t* at) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        return _mm512_maskz_cvtps_pd(0xFF, _mm256_cvtph_ps(halves));
    }
};

#include "elements.inl"
#include "bodies.inl"

}  // namespace avx512

extern const Kernels kAvx512 = avx512::table("avx512", avx512::halves::sum_kernels());

}  // namespace sums
}  // namespace indirectml
