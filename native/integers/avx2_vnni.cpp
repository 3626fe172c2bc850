// AVX2 with AVX-VNNI: four products of bytes are added at once. Sums of 6 rows of 16 columns in 12 of 16
// registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../lanes/f32_avx2.h"
#include "../targets/processor.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

template <bool kIsSigned, bool>
struct Quads {
    using Vector = __m256i;
    using Columns = Vector;
    using Factor = Vector;
    using Sum = Vector;
    static constexpr std::size_t kCount = 8;
    static constexpr int kParts = 1;
    static constexpr bool kNarrows = true;
    template <int = 0>
    static Columns load(const std::int32_t* at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    }
    template <int = 0>
    static Factor set(const unsigned char* at) {
        std::int32_t unit;
        std::memcpy(&unit, at, sizeof(unit));
        return _mm256_set1_epi32(unit);
    }
    static Sum zero() { return _mm256_setzero_si256(); }
    static Sum add(Factor a, Columns b, Sum c) {
        return kIsSigned ? _mm256_dpbusd_avx_epi32(c, b, a) : _mm256_dpbusd_avx_epi32(c, a, b);
    }
    template <int = 0>
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        return add(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), b, c);
    }
    static Vector total(Sum c) { return c; }
    static Vector repeat(std::int32_t x) { return _mm256_set1_epi32(x); }
    static Vector load_sums(const std::int32_t* at) { return load(at); }
    static Vector plus(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static void store(std::int32_t* at, Vector v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), v);
    }

    static Vector units(__m256 v) { return _mm256_castps_si256(v); }
    static Vector different(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
    static Vector bytes_apart(Vector a, Vector b) {
        return _mm256_sub_epi8(_mm256_max_epu8(a, b), _mm256_min_epu8(a, b));
    }
    static Vector magnitudes(Vector bytes) {
        return _mm256_min_epu8(_mm256_abs_epi8(bytes), _mm256_set1_epi8(kMostOfMagnitude));
    }
    static Vector minus(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
    static Vector apart(Vector a, Vector b) { return _mm256_abs_epi32(_mm256_sub_epi32(a, b)); }
    static __m256 numbers(Vector v) { return _mm256_cvtepi32_ps(v); }
};

constexpr bool kWidens = false;
constexpr std::size_t kTileRows = 6, kTilePanels = 1, kRowPanels = 4;

#include "x86.inl"

using lanes::avx2::F32;

#include "bodies.inl"

constexpr Kernels table() {
    Kernels found = table_of("avx2", [] { return processor().avx_vnni; });
    found.settles_pixels = true;
    return found;
}

}  // namespace

extern const Kernels kIntegersAvx2Vnni = table();

}  // namespace integers
}  // namespace indirectml
