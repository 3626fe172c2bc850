// Sums in the lanes of AVX-512.
#include <cstring>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_avx512.h"
#include "../lanes/f64_avx512.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

namespace avx512 {

struct L : lanes::avx512::F64 {
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("v", v);
        return v;
    }
    static Vector load_half(const std::uint16_t* at) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        return _mm512_maskz_cvtps_pd(0xFF, _mm256_cvtph_ps(halves));
    }
    // Lanes 0 to 3 of two rows beside each other, plus lanes 4 to 7 of both; then pairs; then ones.
    static Vector totals(const Vector* rows) {
        Vector fours[4], pairs[2];
        for (int r = 0; r < 4; ++r) {
            const Vector a = rows[2 * r], b = rows[2 * r + 1];
            fours[r] = add(shuffle<0x44>(a, b), shuffle<0xEE>(a, b));
        }
        for (int r = 0; r < 2; ++r) {  // in quarters: a0 a2 b0 b2 of each, a1 a3 b1 b3 of each
            const Vector a = fours[2 * r], b = fours[2 * r + 1];
            pairs[r] = add(shuffle<0x88>(a, b), shuffle<0xDD>(a, b));
        }
        // Rows 0, 4, 1, 5, 2, 6, 3, 7.
        const Vector ones = add(_mm512_maskz_unpacklo_pd(0xFF, pairs[0], pairs[1]),
                                _mm512_maskz_unpackhi_pd(0xFF, pairs[0], pairs[1]));
        const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        return _mm512_maskz_permutexvar_pd(0xFF, order, ones);
    }

  private:
    template <int kQuarters>
    static Vector shuffle(Vector a, Vector b) {
        return _mm512_maskz_shuffle_f64x2(0xFF, a, b, kQuarters);
    }
};

struct S : lanes::avx512::F32 {
    static Vector min(Vector a, Vector b) { return _mm512_maskz_min_ps(0xFFFF, a, b); }
    static Vector max(Vector a, Vector b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }
};

#include "bodies.inl"

}  // namespace avx512

extern const Kernels kAvx512 = avx512::table("avx512");

}  // namespace sums
}  // namespace indirectml
