// Integers on processors with AVX-512 that have its VNNI part too.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include "../lanes/f32_avx512.h"
#include "../targets/processor.h"
#include "kernels.h"

namespace indirectml {

namespace {

using lanes::avx512::F32;

struct Quads {
    using Vector = __m512i;
    static constexpr std::size_t kCount = 16;
    static Vector zero() { return _mm512_setzero_si512(); }
    static Vector set(std::int32_t x) { return _mm512_set1_epi32(x); }
    static Vector load(const std::int32_t* at) { return _mm512_loadu_si512(at); }
    static void store(std::int32_t* at, Vector v) { _mm512_storeu_si512(at, v); }
    static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    // Of UINT8 in a and INT8 in b. No sum on the way is cut off.
    static Vector fma(Vector a, Vector b, Vector c) { return _mm512_dpbusd_epi32(c, a, b); }
};

constexpr std::size_t kTileRows = 14, kTilePanels = 2;

#include "tiles.inl"

void interleave(const unsigned char* from, std::ptrdiff_t from_k, std::size_t units,
                unsigned char flips, std::int32_t* to) {
    const __m128i changed = _mm_set1_epi8(static_cast<char>(flips));
    const auto load = [&](std::ptrdiff_t n) {
        return _mm_xor_si128(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + n * from_k)), changed);
    };
    for (std::size_t unit = 0; unit < units; ++unit) {
        const __m128i a = load(0), b = load(1), c = load(2), d = load(3);
        const __m128i ab[] = {_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)};
        const __m128i cd[] = {_mm_unpacklo_epi8(c, d), _mm_unpackhi_epi8(c, d)};
        auto* const at = reinterpret_cast<__m128i*>(to);
        for (int half = 0; half < 2; ++half) {
            _mm_storeu_si128(at + 2 * half, _mm_unpacklo_epi16(ab[half], cd[half]));
            _mm_storeu_si128(at + 2 * half + 1, _mm_unpackhi_epi16(ab[half], cd[half]));
        }
        from += 4 * from_k;
        to += kPanel;
    }
}

constexpr QuadKernels quad_table() {
    QuadKernels table{[] { return processor().avx512_vnni; }, {}, interleave};
    enter_tiles<Quads, std::int32_t, Reading::kPlain, kTileRows, kTilePanels>(table.tiles);
    return table;
}

}  // namespace

extern const QuadKernels kQuadsAvx512 = quad_table();

}  // namespace indirectml
