// Stored weights in the lanes of AVX2.
#include "../compiler.h"
#include "../lanes/f32_avx2.h"
#include "kernels.h"

namespace indirectml {
namespace weights {

namespace {

struct W : lanes::avx2::F32 {
    using Words = __m256i;
    static Words load_words(const std::uint32_t* at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    }
    template <unsigned kBits>
    static Words next(Words words) {
        return _mm256_srli_epi32(words, kBits);
    }
    template <unsigned kBits>
    struct Numbers {
        explicit Numbers(float given) : zero(set(given)) {}
        Vector of(Words words) const { return subtract(above(words), zero); }
        static Vector above(Words words) {
            return _mm256_cvtepi32_ps(_mm256_and_si256(words, _mm256_set1_epi32((1 << kBits) - 1)));
        }
        Vector zero;
    };
    static Vector as_half(Vector v) {
        return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
};

constexpr std::size_t kTogether = 2;

#include "bodies.inl"

}  // namespace

extern const Kernels kAvx2 = {"avx2", multiply_row, widen};

}  // namespace weights
}  // namespace indirectml
