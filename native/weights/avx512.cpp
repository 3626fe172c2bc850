// Stored weights in the lanes of AVX-512: numbers of four bits are looked up, less the zero point of all.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include "../lanes/f32_avx512.h"
#include "kernels.h"

namespace indirectml {
namespace weights {

namespace {

struct W : lanes::avx512::F32 {
    using Words = __m512i;
    static Words load_words(const std::uint32_t* at) { return _mm512_loadu_si512(at); }
    template <unsigned kBits>
    static Words next(Words words) {
        return _mm512_maskz_srli_epi32(0xFFFF, words, kBits);
    }
    template <unsigned kBits>
    struct Numbers;
    static Vector as_half(Vector v) {
        constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        return _mm512_maskz_cvtph_ps(0xFFFF, _mm512_maskz_cvtps_ph(0xFFFF, v, kNearest));
    }
};

// Numbers of eight bits are put below 2^23, whose ulp is 1: a mask and that in one instruction.
template <>
struct W::Numbers<8> {
    static constexpr float kAbove = 0x1p23f;
    explicit Numbers(float zero) : zero_above(set(kAbove + zero)) {}
    Vector of(Words words) const { return subtract(above(words), zero_above); }
    static Vector above(Words words) {
        constexpr int kBothOrThird = 0xEA;  // (a & b) | c
        return _mm512_castsi512_ps(_mm512_maskz_ternarylogic_epi32(
            0xFFFF, words, _mm512_set1_epi32(0xFF), _mm512_castps_si512(set(kAbove)), kBothOrThird));
    }
    Vector zero_above;
};

// The low four bits choose.
template <>
struct W::Numbers<4> {
    explicit Numbers(float zero)
        : table(subtract(_mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                         set(zero))) {}
    Vector of(Words words) const { return _mm512_maskz_permutexvar_ps(0xFFFF, words, table); }
    Vector above(Words words) const { return of(words); }
    Vector table;
};

constexpr std::size_t kTogether = 4;

#include "bodies.inl"

}  // namespace

extern const Kernels kAvx512 = {"avx512", multiply_row, widen};

}  // namespace weights
}  // namespace indirectml
