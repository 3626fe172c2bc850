// Stores past the caches, where a processor has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../compiler.h"
#if defined(INDIRECTML_X86_64)
#include <emmintrin.h>
#endif

namespace indirectml {
namespace programs {

constexpr std::size_t kLineBytes = 64;

inline std::size_t past_line(const void* at) {
    return reinterpret_cast<std::uintptr_t>(at) % kLineBytes;
}

// Copies bytes: whole lines past the caches, the rest through them. fence() has to follow before
// another thread reads what was written.
inline void copy_past_caches(unsigned char* to, const unsigned char* from, std::size_t bytes) {
#if defined(INDIRECTML_X86_64)
    const std::size_t head = std::min((kLineBytes - past_line(to)) % kLineBytes, bytes);
    std::memcpy(to, from, head);
    std::size_t done = head;
    for (; done + kLineBytes <= bytes; done += kLineBytes) {
        const auto* const source = reinterpret_cast<const __m128i*>(from + done);
        auto* const line = reinterpret_cast<__m128i*>(to + done);
        const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(line, a);
        _mm_stream_si128(line + 1, b);
        _mm_stream_si128(line + 2, c);
        _mm_stream_si128(line + 3, d);
    }
    std::memcpy(to + done, from + done, bytes - done);
#else
    std::memcpy(to, from, bytes);
#endif
}

inline void fence() {
#if defined(INDIRECTML_X86_64)
    _mm_sfence();
#endif
}

}  // namespace programs
}  // namespace indirectml
