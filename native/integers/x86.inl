// Moves of units that every x86 target has, a part of bodies.inl for these.

inline void interleave_eight(const unsigned char* const* lines, std::size_t at, __m128i changed,
                             std::int32_t* to) {
    const auto load = [&](int line) {
        return _mm_xor_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lines[line] + at)),
                             changed);
    };
    const __m128i ab = _mm_unpacklo_epi8(load(0), load(1));
    const __m128i cd = _mm_unpacklo_epi8(load(2), load(3));
    auto* const units = reinterpret_cast<__m128i*>(to + at);
    _mm_storeu_si128(units, _mm_unpacklo_epi16(ab, cd));
    _mm_storeu_si128(units + 1, _mm_unpackhi_epi16(ab, cd));
}

inline void interleave_sixteen(const unsigned char* const* lines, std::size_t at, __m128i changed,
                               std::int32_t* to) {
    const auto load = [&](int line) {
        return _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[line] + at)),
                             changed);
    };
    const __m128i a = load(0), b = load(1), c = load(2), d = load(3);
    const __m128i ab[] = {_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)};
    const __m128i cd[] = {_mm_unpacklo_epi8(c, d), _mm_unpackhi_epi8(c, d)};
    auto* const units = reinterpret_cast<__m128i*>(to + at);
    for (int half = 0; half < 2; ++half) {
        _mm_storeu_si128(units + 2 * half, _mm_unpacklo_epi16(ab[half], cd[half]));
        _mm_storeu_si128(units + 2 * half + 1, _mm_unpackhi_epi16(ab[half], cd[half]));
    }
}

// The last vector may overlap the one before.
inline std::size_t interleave_vectors(const unsigned char* const* lines, std::size_t count,
                                      unsigned char flips, std::int32_t* to) {
    constexpr std::size_t kSixteen = 16, kEight = 8;
    const __m128i changed = _mm_set1_epi8(static_cast<char>(flips));
    if (count < kEight) return 0;
    if (count < kSixteen) {
        interleave_eight(lines, 0, changed, to);
        interleave_eight(lines, count - kEight, changed, to);
        return count;
    }
    for (std::size_t n = 0; n + kSixteen <= count; n += kSixteen) {
        interleave_sixteen(lines, n, changed, to);
    }
    if (count % kSixteen != 0) interleave_sixteen(lines, count - kSixteen, changed, to);
    return count;
}
