// Elements copied between places in memory, some instructions long where it is inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef INDIRECTML_X86
#include <xmmintrin.h>
#endif

namespace indirectml {

// Up to so many bytes are copied without a call, which takes as long as all of them.
constexpr std::size_t kShortCopy = 64;

// Two parts that may overlap, at both ends.
template <typename Part>
void copy_ends(unsigned char* to, const unsigned char* from, std::size_t bytes) {
    Part first, last;
    std::memcpy(&first, from, sizeof(Part));
    std::memcpy(&last, from + bytes - sizeof(Part), sizeof(Part));
    std::memcpy(to, &first, sizeof(Part));
    std::memcpy(to + bytes - sizeof(Part), &last, sizeof(Part));
}

// Bytes that follow each other, in both.
inline void copy_neighbours(unsigned char* to, const unsigned char* from, std::size_t bytes) {
    struct Sixteen {
        std::uint64_t parts[2];
    };
    if (bytes > kShortCopy) {
        std::memcpy(to, from, bytes);
    } else if (bytes >= sizeof(Sixteen)) {
        std::size_t at = 0;
        for (; at + 2 * sizeof(Sixteen) <= bytes; at += sizeof(Sixteen)) {
            std::memcpy(to + at, from + at, sizeof(Sixteen));
        }
        copy_ends<Sixteen>(to + at, from + at, bytes - at);
    } else if (bytes >= sizeof(std::uint64_t)) {
        copy_ends<std::uint64_t>(to, from, bytes);
    } else if (bytes >= sizeof(std::uint32_t)) {
        copy_ends<std::uint32_t>(to, from, bytes);
    } else {
        for (std::size_t k = 0; k < bytes; ++k) to[k] = from[k];
    }
}

// Squares of four by four elements: columns, which are so many bytes apart where they are read, become rows.
constexpr std::size_t kSquare = 4;
template <typename T>
void turn_square(const unsigned char* from, std::int64_t from_step, unsigned char* to, std::int64_t to_step) {
    constexpr auto kSize = static_cast<std::int64_t>(kSquare);
#ifdef INDIRECTML_X86
    if constexpr (sizeof(T) == sizeof(float)) {
        __m128 rows[kSize];
        for (std::int64_t k = 0; k < kSize; ++k) {
            rows[k] = _mm_loadu_ps(reinterpret_cast<const float*>(from + k * from_step));
        }
        _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
        for (std::int64_t k = 0; k < kSize; ++k) {
            _mm_storeu_ps(reinterpret_cast<float*>(to + k * to_step), rows[k]);
        }
        return;
    }
#endif
    T square[kSize][kSize];
    for (std::int64_t k = 0; k < kSize; ++k) std::memcpy(square[k], from + k * from_step, sizeof(square[k]));
    for (std::int64_t k = 0; k < kSize; ++k) {
        const T row[] = {square[0][k], square[1][k], square[2][k], square[3][k]};
        std::memcpy(to + k * to_step, row, sizeof(row));
    }
}

// Rows of neighbours from columns of neighbours.
template <typename T>
void turn(const unsigned char* from, std::int64_t from_step, std::size_t rows, std::size_t columns,
          unsigned char* to, std::int64_t to_step) {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    const auto place = [&](std::size_t r, std::size_t c) {
        return to + static_cast<std::int64_t>(r) * to_step + static_cast<std::int64_t>(c) * kBytes;
    };
    const auto source = [&](std::size_t r, std::size_t c) {
        return from + static_cast<std::int64_t>(c) * from_step + static_cast<std::int64_t>(r) * kBytes;
    };
    const std::size_t whole = columns / kSquare * kSquare;
    std::size_t r = 0;
    for (; r + kSquare <= rows; r += kSquare) {
        for (std::size_t c = 0; c < whole; c += kSquare) turn_square<T>(source(r, c), from_step, place(r, c), to_step);
        for (std::size_t c = whole; c < columns; ++c) {
            for (std::size_t k = 0; k < kSquare; ++k) std::memcpy(place(r + k, c), source(r + k, c), sizeof(T));
        }
    }
    for (; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) std::memcpy(place(r, c), source(r, c), sizeof(T));
    }
}

// For elements of so many bytes.
using Turn = void (*)(const unsigned char*, std::int64_t, std::size_t, std::size_t, unsigned char*, std::int64_t);
inline Turn turn_of(std::size_t bytes) {
    switch (bytes) {
        case 1: return turn<std::uint8_t>;
        case 2: return turn<std::uint16_t>;
        case 4: return turn<std::uint32_t>;
        default: return turn<std::uint64_t>;
    }
}

}  // namespace indirectml
