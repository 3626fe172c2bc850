// AVX2: bytes are widened to 16 bits, whose products of two no sum of 32 bits can cut off; or multiplied as they are,
// which adds two products in 16 bits, where those of b are too small for that to be cut off whatever a is. Sums of 6
// rows of 16 columns in 12 of 16 registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../lanes/f32_avx2.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

// Two of the four elements of a unit at a time, in words: 0 and 2, then 1 and 3. Columns are a unit each as they
// lie, and so are those of a, or words already.
template <bool kIsSigned, bool kIsWide>
struct Quads {
    using Vector = __m256i;
    using Columns = Vector;
    using Factor = Vector;
    using Sum = Vector;
    static constexpr std::size_t kCount = 8;
    static constexpr int kParts = 2;
    static constexpr bool kNarrows = false;

    template <int kPart>
    static Vector words(Vector units, bool is_signed) {
        constexpr int kByte = 8;
        if (is_signed) {
            return _mm256_srai_epi16(kPart == 0 ? _mm256_slli_epi16(units, kByte) : units, kByte);
        }
        return kPart == 0 ? _mm256_and_si256(units, _mm256_set1_epi16(0xFF)) : _mm256_srli_epi16(units, kByte);
    }
    static Vector load_units(const void* at) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(at));
    }
    template <int kPart>
    static Columns load(const std::int32_t* at) {
        return words<kPart>(load_units(at), !kIsSigned);
    }
    static Vector repeat_unit(const unsigned char* at) {
        std::int32_t unit;
        std::memcpy(&unit, at, sizeof(unit));
        return _mm256_set1_epi32(unit);
    }
    template <int kPart>
    static Factor set(const unsigned char* at) {
        const Vector units = repeat_unit(kIsWide ? at + kPart * sizeof(std::int32_t) : at);
        return kIsWide ? units : words<kPart>(units, kIsSigned);
    }
    static Sum zero() { return _mm256_setzero_si256(); }
    static Sum add(Factor a, Columns b, Sum c) { return add_in_place(_mm256_madd_epi16(a, b), c); }
    static Sum add_in_place(Vector products, Sum c) {
#if defined(INDIRECTML_ADD_IN_PLACE)
        // Else both products of a unit are added first, and wait in memory.
        INDIRECTML_ADD_IN_PLACE("vpaddd", c, products);
        return c;
#else
        return _mm256_add_epi32(c, products);
#endif
    }
    template <int kPart>
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        return add(words<kPart>(load_units(at), kIsSigned), b, c);
    }
    static Vector total(Sum c) { return c; }
    static Vector repeat(std::int32_t x) { return _mm256_set1_epi32(x); }
    static Vector load_sums(const std::int32_t* at) { return load_units(at); }
    static Vector plus(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static void store(std::int32_t* at, Vector v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), v);
    }
};

constexpr bool kWidens = true;
constexpr std::size_t kTileRows = 6, kTilePanels = 1, kRowPanels = 2;

#include "x86.inl"

using lanes::avx2::F32;

#include "bodies.inl"

void widen_units(const unsigned char* from, std::size_t count, unsigned char flips, unsigned char* to) {
    constexpr std::size_t kBytes = sizeof(__m256i);
    const __m256i changed = _mm256_set1_epi8(static_cast<char>(flips));
    std::size_t k = 0;
    for (; k + kBytes <= count; k += kBytes, to += 2 * kBytes) {
        const __m256i units = _mm256_xor_si256(Quads<false, false>::load_units(from + k), changed);
        const __m256i even = Quads<false, false>::words<0>(units, false);
        const __m256i odd = Quads<false, false>::words<1>(units, false);
        const __m256i low = _mm256_unpacklo_epi32(even, odd), high = _mm256_unpackhi_epi32(even, odd);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + kBytes), _mm256_permute2x128_si256(low, high, 0x31));
    }
    for (; k < count; k += kQuad, to += kMostUnitBytes) {
        std::uint16_t words[kQuad] = {};
        for (std::size_t n = 0; n < kQuad && k + n < count; ++n) {
            words[n % 2 * 2 + n / 2] = static_cast<unsigned char>(from[k + n] ^ flips);
        }
        std::memcpy(to, words, sizeof(words));
    }
}

// The sum of two products of bytes fits 16 bits if what they are multiplied by, the positive ones together and the
// negative ones together, is at most this: 255 times 128 is below 2^15.
constexpr std::int16_t kMostOfPair = 128;

// Of each pair of signed bytes, the larger sum of those of one sign.
inline __m256i largest_of_pairs(__m256i bytes) {
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(1);
    const __m256i above = _mm256_maddubs_epi16(_mm256_max_epi8(bytes, zero), ones);
    const __m256i below = _mm256_maddubs_epi16(_mm256_abs_epi8(_mm256_min_epi8(bytes, zero)), ones);
    return _mm256_max_epi16(above, below);
}

std::size_t sort_units(const std::int32_t* panel, const std::ptrdiff_t* offsets, std::size_t units, UnitPlace* to) {
    using Q = Quads<false, false>;
    const __m256i most = _mm256_set1_epi16(kMostOfPair);
    std::size_t fitting = 0, others = units;
    for (std::size_t k = 0; k < units; ++k) {
        const std::size_t at = k * kPanel;
        const __m256i largest = _mm256_max_epi16(largest_of_pairs(Q::load_units(panel + at)),
                                                 largest_of_pairs(Q::load_units(panel + at + Q::kCount)));
        const __m256i exceeds = _mm256_cmpgt_epi16(largest, most);
        const bool fits = _mm256_testz_si256(exceeds, exceeds) != 0;
        others -= fits ? 0 : 1;
        to[fits ? fitting : others] = {offsets[k], static_cast<std::ptrdiff_t>(at)};
        fitting += fits ? 1 : 0;
    }
    return fitting;
}

// Two products of a unit, in words. Where memory is settled, what was read before is read again for the next row, and
// registers hold sums instead.
template <int kPart, std::size_t kRows, std::size_t kVectors>
INDIRECTML_INLINE void add_words(const unsigned char* const (&halves)[2], std::ptrdiff_t a_row, const std::int32_t* b,
                                 __m256i (&sums)[kRows][kVectors]) {
    using Q = Quads<false, false>;
    constexpr std::size_t kHalf = (kRows + 1) / 2;
    __m256i columns[kVectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) columns[v] = Q::load<kPart>(b + v * Q::kCount);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
        settle_memory();
        const __m256i factor = Q::set<kPart>(halves[i / kHalf] + static_cast<std::ptrdiff_t>(i % kHalf) * a_row);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = Q::add(factor, columns[v], sums[i][v]);
    }
}

template <std::size_t kRows>
void tile_in_pairs(const Tile& t) {
    using Q = Quads<false, false>;
    constexpr std::size_t kVectors = kPanel / Q::kCount, kHalf = (kRows + 1) / 2;
    Q::Sum sums[kRows][kVectors];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = Q::zero();
    }
    const std::ptrdiff_t a_row = t.a_row;
    const unsigned char* const a = t.a;
    const unsigned char* const lower = hidden(a + t.a_half);
    const UnitPlace* place = t.places;
    const std::int32_t* const b = t.b;
    const std::int32_t* const next = t.next ? t.next : b;
    const __m256i ones = _mm256_set1_epi16(1);
    for (const UnitPlace* const end = place + t.fitting; place != end; ++place) {
        const unsigned char* const halves[] = {a + place->a, lower + place->a};
        prefetch(next + place->b);
        const std::int32_t* const columns = b + place->b;
        const __m256i first = Q::load_units(columns);
#pragma GCC unroll 16
        for (std::size_t i = 0; i < kRows; ++i) {
            settle_memory();
            const __m256i factor = Q::repeat_unit(halves[i / kHalf] + static_cast<std::ptrdiff_t>(i % kHalf) * a_row);
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kVectors; ++v) {
                const __m256i those = v == 0 ? first : Q::load_units(columns + v * Q::kCount);
                const __m256i products = _mm256_madd_epi16(_mm256_maddubs_epi16(factor, those), ones);
                sums[i][v] = Q::add_in_place(products, sums[i][v]);
            }
        }
    }
    for (const UnitPlace* const end = t.places + t.units; place != end; ++place) {
        const unsigned char* const halves[] = {a + place->a, lower + place->a};
        add_words<0>(halves, a_row, b + place->b, sums);
        add_words<1>(halves, a_row, b + place->b, sums);
    }
    finish<Q, true>(t, sums);
}

template <std::size_t... kLess>
constexpr Kernels table_in_pairs(std::index_sequence<kLess...>) {
    Kernels table = table_of("avx2", nullptr, copy_units);
    table.unit_bytes = kQuad;
    table.row_panels = 1;
    ((table.unsigned_by_signed[kLess][0] = table.pixels[kLess][0] = tile_in_pairs<kLess + 1>), ...);
    table.sort_units = sort_units;
    return table;
}
constexpr Kernels kInPairs = table_in_pairs(std::make_index_sequence<kTileRows>());

constexpr Kernels with_pairs() {
    Kernels table = table_of("avx2", nullptr, widen_units);
    table.in_pairs = &kInPairs;
    return table;
}

}  // namespace

extern const Kernels kIntegersAvx2 = with_pairs();

}  // namespace integers
}  // namespace indirectml
