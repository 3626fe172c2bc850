// AVX-512 without VNNI: as avx2.cpp, in vectors of 16 columns. Sums of 6 rows of 32 columns in 24 of 32
// registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../lanes/f32_avx512.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

template <bool kIsSigned, bool>
struct Quads {
    using Vector = __m512i;
    struct Columns {
        __m512i low, high;  // eight columns each
    };
    using Factor = __m512i;
    using Sum = Columns;
    static constexpr std::size_t kCount = 16;
    static constexpr int kParts = 1;
    static constexpr bool kNarrows = false;
    static __m512i widen(__m256i bytes, bool is_signed) {
        return is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
    }
    template <int = 0>
    static Columns load(const std::int32_t* at) {
        const auto* const bytes = reinterpret_cast<const __m256i*>(at);
        return {widen(_mm256_loadu_si256(bytes), !kIsSigned),
                widen(_mm256_loadu_si256(bytes + 1), !kIsSigned)};
    }
    template <int = 0>
    static Factor set(const unsigned char* at) {
        std::int32_t unit;
        std::memcpy(&unit, at, sizeof(unit));
        return widen(_mm256_set1_epi32(unit), kIsSigned);
    }
    static Sum zero() { return {_mm512_setzero_si512(), _mm512_setzero_si512()}; }
    static Sum add(Factor a, Columns b, Sum c) {
        return {_mm512_add_epi32(c.low, _mm512_madd_epi16(a, b.low)),
                _mm512_add_epi32(c.high, _mm512_madd_epi16(a, b.high))};
    }
    template <int = 0>
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        const auto* const bytes = reinterpret_cast<const __m256i*>(at);
        const __m512i low = widen(_mm256_loadu_si256(bytes), kIsSigned);
        const __m512i high = widen(_mm256_loadu_si256(bytes + 1), kIsSigned);
        return {_mm512_add_epi32(c.low, _mm512_madd_epi16(low, b.low)),
                _mm512_add_epi32(c.high, _mm512_madd_epi16(high, b.high))};
    }
    static Vector total(Sum c) {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                               28, 30);
        const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
        return _mm512_add_epi32(_mm512_permutex2var_epi32(c.low, even, c.high),
                                _mm512_permutex2var_epi32(c.low, odd, c.high));
    }
    static Vector repeat(std::int32_t x) { return _mm512_set1_epi32(x); }
    static Vector load_sums(const std::int32_t* at) { return _mm512_loadu_si512(at); }
    static Vector plus(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static void store(std::int32_t* at, Vector v) { _mm512_storeu_si512(at, v); }
};

constexpr bool kWidens = false;
constexpr std::size_t kTileRows = 6, kTilePanels = 2, kRowPanels = 4;

#include "x86.inl"

using lanes::avx512::F32;

#include "bodies.inl"

// Words take as long as FLOAT32: to settle results took 1.45 times as long as chains, on an Intel Emerald Rapids.
constexpr Kernels table() {
    Kernels found = table_of("avx512", nullptr);
    found.settles = false;
    return found;
}

}  // namespace

extern const Kernels kIntegersAvx512 = table();

}  // namespace integers
}  // namespace indirectml
