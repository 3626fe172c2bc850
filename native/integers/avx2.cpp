// AVX2: bytes are widened to 16 bits, whose products of two no sum of 32 bits can cut off. A column's
// sum is in two parts until the end. Sums of 3 rows of 16 columns in 12 of 16 registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include <cstring>

#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

template <bool kIsSigned>
struct Quads {
    using Vector = __m256i;
    struct Columns {
        const std::int32_t* at;  // widened where they are multiplied
    };
    using Factor = __m256i;
    struct Sum {
        __m256i low, high;  // of four columns each
    };
    static constexpr std::size_t kCount = 8;
    static __m256i widen(const void* at, bool is_signed = !kIsSigned) {
        const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(at));
        return is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
    }
    static Columns load(const std::int32_t* at) { return {at}; }
    static Factor set(const unsigned char* at) {
        std::int32_t unit;
        std::memcpy(&unit, at, sizeof(unit));
        const __m128i bytes = _mm_set1_epi32(unit);
        return kIsSigned ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
    }
    static Sum zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
    static Sum add(Factor a, Columns b, Sum c) {
        return {_mm256_add_epi32(c.low, _mm256_madd_epi16(a, widen(b.at))),
                _mm256_add_epi32(c.high, _mm256_madd_epi16(a, widen(b.at + 4)))};
    }
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        const __m256i low = widen(at, kIsSigned), high = widen(at + 4 * kQuad, kIsSigned);
        return {_mm256_add_epi32(c.low, _mm256_madd_epi16(low, widen(b.at))),
                _mm256_add_epi32(c.high, _mm256_madd_epi16(high, widen(b.at + 4)))};
    }
    static Vector total(Sum c) {
        return _mm256_permute4x64_epi64(_mm256_hadd_epi32(c.low, c.high), 0xD8);
    }
    static Vector repeat(std::int32_t x) { return _mm256_set1_epi32(x); }
    static Vector load_sums(const std::int32_t* at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    }
    static Vector plus(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static void store(std::int32_t* at, Vector v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), v);
    }
};

constexpr std::size_t kTileRows = 3, kTilePanels = 1, kRowPanels = 2;

#include "x86.inl"

#include "bodies.inl"

}  // namespace

extern const Kernels kIntegersAvx2 = table_of("avx2", nullptr);

}  // namespace integers
}  // namespace indirectml
