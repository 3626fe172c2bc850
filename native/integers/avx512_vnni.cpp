// AVX-512 with VNNI: four products of bytes are added at once. Sums of 14 rows of 32 columns in 28 of 32
// registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../lanes/f32_avx512.h"
#include "../targets/processor.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

template <bool kIsSigned, bool>
struct Quads {
    using Vector = __m512i;
    using Columns = Vector;
    using Factor = Vector;
    using Sum = Vector;
    static constexpr std::size_t kCount = 16;
    static constexpr int kParts = 1;
    static constexpr bool kNarrows = true;
    template <int = 0>
    static Columns load(const std::int32_t* at) { return _mm512_loadu_si512(at); }
    template <int = 0>
    static Factor set(const unsigned char* at) {
        std::int32_t unit;
        std::memcpy(&unit, at, sizeof(unit));
        return _mm512_set1_epi32(unit);
    }
    static Sum zero() { return _mm512_setzero_si512(); }
    // No sum on the way is cut off.
    static Sum add(Factor a, Columns b, Sum c) {
        return kIsSigned ? _mm512_dpbusd_epi32(c, b, a) : _mm512_dpbusd_epi32(c, a, b);
    }
    template <int = 0>
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        return add(_mm512_loadu_si512(at), b, c);
    }
    static Vector total(Sum c) { return c; }
    static Vector repeat(std::int32_t x) { return _mm512_set1_epi32(x); }
    static Vector load_sums(const std::int32_t* at) { return _mm512_loadu_si512(at); }
    static Vector plus(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static void store(std::int32_t* at, Vector v) { _mm512_storeu_si512(at, v); }

    static Vector units(__m512 v) { return _mm512_castps_si512(v); }
    static Vector different(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
    static Vector bytes_apart(Vector a, Vector b) {
        return _mm512_sub_epi8(_mm512_max_epu8(a, b), _mm512_min_epu8(a, b));
    }
    static Vector magnitudes(Vector bytes) {
        return _mm512_min_epu8(_mm512_abs_epi8(bytes), _mm512_set1_epi8(kMostOfMagnitude));
    }
    static Vector minus(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
    static Vector apart(Vector a, Vector b) { return _mm512_maskz_abs_epi32(0xFFFF, _mm512_sub_epi32(a, b)); }
    static __m512 numbers(Vector v) { return _mm512_maskz_cvtepi32_ps(0xFFFF, v); }
};

constexpr bool kWidens = false;
constexpr std::size_t kTileRows = 14, kTilePanels = 2, kRowPanels = 4;

#include "x86.inl"

using lanes::avx512::F32;

#include "bodies.inl"

constexpr Kernels table() {
    Kernels found = table_of("avx512", [] { return processor().avx512_vnni; });
    found.settles_pixels = true;
    return found;
}

}  // namespace

extern const Kernels kIntegersAvx512Vnni = table();

}  // namespace integers
}  // namespace indirectml
