#include "whole_numbers.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "../team.h"
#include "layout.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kPowersPerThread = 1 << 13, kProductsPerThread = 1 << 18;
// The part of a product that is summed up together: its sums stay in the first cache.
constexpr std::uint64_t kRows = 8, kColumns = 256;
constexpr std::uint64_t kPiece = 1024;

template <typename T>
T element(const unsigned char* data, std::uint64_t j) {
    T v;
    std::memcpy(&v, data + j * sizeof(T), sizeof(T));
    return v;
}

// Calls work(T{}) with the type of a number.
template <typename Work>
void with_type(Number number, const Work& work) {
    switch (number) {
        case Number::kInt8: return work(std::int8_t{});
        case Number::kInt16: return work(std::int16_t{});
        case Number::kInt32: return work(std::int32_t{});
        case Number::kInt64: return work(std::int64_t{});
        case Number::kUInt8: return work(std::uint8_t{});
        case Number::kUInt16: return work(std::uint16_t{});
        case Number::kUInt32: return work(std::uint32_t{});
        default: return work(std::uint64_t{});
    }
}

// Modulo 2^64, and so modulo any fewer bits.
std::uint64_t power(std::uint64_t factor, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result *= factor;
        factor *= factor;
    }
    return result;
}

template <typename X, typename Y>
X power_of(X x, Y y) {
    if (std::is_signed_v<Y> && y < 0) {
        if (std::is_signed_v<X> && x == static_cast<X>(-1)) return y & 1 ? x : static_cast<X>(1);
        return x == 1 ? x : static_cast<X>(0);
    }
    return static_cast<X>(power(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
}

// Some integers modulo 2^32, less a number.
void take(const Integers& x, std::uint64_t first, std::uint64_t count, std::uint32_t less,
          std::uint32_t* to) {
    with_type(x.number, [&](auto type) {
        for (std::uint64_t j = 0; j < count; ++j) {
            to[j] = static_cast<std::uint32_t>(element<decltype(type)>(x.data, first + j)) - less;
        }
    });
}

std::uint32_t zero_of(const ZeroPoints& zeros, std::uint64_t line) {
    std::uint32_t number = zeros.number;
    if (zeros.given.data) take(zeros.given, zeros.has_each ? line : 0, 1, 0, &number);
    return number;
}

}  // namespace

void integer_powers(const Integers& x, const Integers& y, std::uint64_t count, unsigned char* out,
                    const Policy& policy) {
    const unsigned parts = part_count(count, count, kPowersPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        const Share share = share_of(count, 1, part, parts);
        with_type(x.number, [&](auto base) {
            with_type(y.number, [&](auto exponent) {
                using X = decltype(base);
                using Y = decltype(exponent);
                for (std::uint64_t begin = share.begin; begin < share.end; begin += kPiece) {
                    const std::uint64_t end = std::min(begin + kPiece, share.end);
                    for (std::uint64_t j = begin; j < end; ++j) {
                        const X found = power_of(element<X>(x.data, j), element<Y>(y.data, j));
                        std::memcpy(out + j * sizeof(X), &found, sizeof(X));
                    }
                    pieces.done(kPiece);
                }
            });
        });
    });
}

void multiply_wide(const Integers& a, const ZeroPoints& a_zero, const Integers& b,
                   const ZeroPoints& b_zero, const WideProducts& how, std::uint32_t* out,
                   const Policy& policy) {
    const std::uint64_t bands = (how.rows + kRows - 1) / kRows;
    const std::uint64_t strips = (how.columns + kColumns - 1) / kColumns;
    const std::uint64_t tiles = how.left.size() * bands * strips;
    const unsigned parts =
        part_count(tiles, how.left.size() * how.rows * how.columns * (how.depth + 1),
                   kProductsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        std::uint32_t sums[kRows * kColumns], line[kColumns], zeros[kColumns];
        const Share share = share_of(tiles, 1, part, parts);
        for (std::uint64_t tile = share.begin; tile < share.end; ++tile) {
            const std::uint64_t product = tile / (bands * strips);
            const std::uint64_t row = tile / strips % bands * kRows;
            const std::uint64_t column = tile % strips * kColumns;
            const std::uint64_t rows = std::min(kRows, how.rows - row);
            const std::uint64_t columns = std::min(kColumns, how.columns - column);
            for (std::uint64_t c = 0; c < columns; ++c) zeros[c] = zero_of(b_zero, column + c);
            std::uint32_t row_zeros[kRows];
            for (std::uint64_t r = 0; r < rows; ++r) row_zeros[r] = zero_of(a_zero, row + r);
            std::fill(sums, sums + rows * kColumns, 0);
            for (std::uint64_t k = 0; k < how.depth; ++k) {
                const std::uint64_t at = (how.right[product] * how.depth + k) * how.columns + column;
                take(b, at, columns, 0, line);
                for (std::uint64_t c = 0; c < columns; ++c) line[c] -= zeros[c];
                for (std::uint64_t r = 0; r < rows; ++r) {
                    std::uint32_t factor;
                    take(a, (how.left[product] * how.rows + row + r) * how.depth + k, 1,
                         row_zeros[r], &factor);
                    std::uint32_t* const to = sums + r * kColumns;
                    for (std::uint64_t c = 0; c < columns; ++c) to[c] += factor * line[c];
                }
                pieces.done(rows * columns);
            }
            for (std::uint64_t r = 0; r < rows; ++r) {
                std::memcpy(out + (product * how.rows + row + r) * how.columns + column,
                            sums + r * kColumns, columns * sizeof(std::uint32_t));
            }
        }
    });
}

}  // namespace sums
}  // namespace indirectml
