// Moves of units that every x86 target has, a part of bodies.inl for these.

inline std::size_t interleave_vectors(const unsigned char* const* lines, std::size_t count,
                                      unsigned char flips, std::int32_t* to) {
    const __m128i changed = _mm_set1_epi8(static_cast<char>(flips));
    std::size_t n = 0;
    for (; n + kPanel <= count; n += kPanel) {
        const auto load = [&](int line) {
            return _mm_xor_si128(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[line] + n)), changed);
        };
        const __m128i a = load(0), b = load(1), c = load(2), d = load(3);
        const __m128i ab[] = {_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)};
        const __m128i cd[] = {_mm_unpacklo_epi8(c, d), _mm_unpackhi_epi8(c, d)};
        auto* const at = reinterpret_cast<__m128i*>(to + n);
        for (int half = 0; half < 2; ++half) {
            _mm_storeu_si128(at + 2 * half, _mm_unpacklo_epi16(ab[half], cd[half]));
            _mm_storeu_si128(at + 2 * half + 1, _mm_unpackhi_epi16(ab[half], cd[half]));
        }
    }
    return n;
}
