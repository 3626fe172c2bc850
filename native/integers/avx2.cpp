// AVX2: bytes are widened to 16 bits, whose products of two no sum of 32 bits can cut off. Sums of 6 rows of 16
// columns in 12 of 16 registers.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include <cstring>
#include <type_traits>

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
    template <int kPart>
    static Factor set(const unsigned char* at) {
        std::int32_t unit;
        std::memcpy(&unit, kIsWide ? at + kPart * sizeof(unit) : at, sizeof(unit));
        const Vector units = _mm256_set1_epi32(unit);
        return kIsWide ? units : words<kPart>(units, kIsSigned);
    }
    static Sum zero() { return _mm256_setzero_si256(); }
    static Sum add(Factor a, Columns b, Sum c) {
        const Vector products = _mm256_madd_epi16(a, b);
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

}  // namespace

extern const Kernels kIntegersAvx2 = table_of("avx2", nullptr, widen_units);

}  // namespace integers
}  // namespace indirectml
