// One operand of a product brought into the order of tiles, whatever its type and strides.
#pragma once

#include <algorithm>
#include <cstring>

#include "contract.h"
#include "../floats.h"

namespace indirectml {

// A matrix seen from the side of its k: rows of a, or columns of b.
struct Side {
    const unsigned char* data;
    OperandType type;
    std::ptrdiff_t line, k_step;  // in bytes: to the next row or column, to the next k
};

inline float element_of(const unsigned char* at, OperandType type) {
    if (type == OperandType::kFloat32) {
        float x;
        std::memcpy(&x, at, sizeof(x));
        return x;
    }
    std::uint16_t half;
    std::memcpy(&half, at, sizeof(half));
    const auto bits = static_cast<std::uint32_t>(convert({16, 11}, {32, 24}, half));
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}

inline std::int32_t integer_of(const unsigned char* at, OperandType type) {
    return type == OperandType::kInt8 ? static_cast<signed char>(*at) : *at;
}

template <typename Element>
bool pack_element_lines(const Side& side, Pack<Element> transpose, Pack<Element> copy,
                        std::size_t first, std::size_t lines, std::size_t k, std::size_t count,
                        float* to, std::size_t to_k) {
    constexpr std::ptrdiff_t size = sizeof(Element);
    const unsigned char* at = side.data + static_cast<std::ptrdiff_t>(first) * side.line +
                              static_cast<std::ptrdiff_t>(k) * side.k_step;
    // Kernels take strides in elements, and elements that lie where their type may.
    if (reinterpret_cast<std::uintptr_t>(at) % sizeof(Element) != 0) return false;
    const auto* from = reinterpret_cast<const Element*>(at);
    if (side.k_step == size && side.line % size == 0) {
        transpose(from, side.line / size, lines, count, to, to_k);
        return true;
    }
    if (side.line == size && side.k_step % size == 0) {
        copy(from, side.k_step / size, lines, count, to, to_k);
        return true;
    }
    return false;
}

// to[unit * to_k + line], of up to kPanel lines.
inline void pack_floats(const Side& side, const ContractionKernels& kernels, std::size_t first,
                        std::size_t lines, std::size_t k, std::size_t count, float* to,
                        std::size_t to_k) {
    const bool done =
        side.type == OperandType::kFloat32
            ? pack_element_lines<float>(side, kernels.transpose, kernels.copy, first, lines, k,
                                        count, to, to_k)
            : pack_element_lines<std::uint16_t>(side, kernels.transpose_half, kernels.copy_half,
                                                first, lines, k, count, to, to_k);
    if (done) return;
    for (std::size_t line = 0; line < lines; ++line) {
        const unsigned char* at = side.data +
                                  static_cast<std::ptrdiff_t>(first + line) * side.line +
                                  static_cast<std::ptrdiff_t>(k) * side.k_step;
        for (std::size_t unit = 0; unit < count; ++unit, at += side.k_step) {
            to[unit * to_k + line] = element_of(at, side.type);
        }
    }
}

// Two INT16 a unit: elements 2 unit and 2 unit + 1 less the zero point of their line, 0 beyond
// `depth`. Differences of 8-bit numbers fit 16 bits, and two products of them 32.
inline void pack_pairs(const Side& side, const ZeroPoints& zero, std::size_t depth,
                       std::size_t first, std::size_t lines, std::size_t unit0, std::size_t units,
                       std::int32_t* to, std::size_t to_k) {
    for (std::size_t line = 0; line < lines; ++line) {
        const unsigned char* at = side.data +
                                  static_cast<std::ptrdiff_t>(first + line) * side.line +
                                  static_cast<std::ptrdiff_t>(2 * unit0) * side.k_step;
        const std::int32_t z = zero.data[static_cast<std::ptrdiff_t>(first + line) * zero.stride];
        for (std::size_t unit = 0; unit < units; ++unit, at += 2 * side.k_step) {
            const std::int32_t low = integer_of(at, side.type) - z;
            const bool is_last = 2 * (unit0 + unit) + 1 == depth;
            const std::int32_t high = is_last ? 0 : integer_of(at + side.k_step, side.type) - z;
            to[unit * to_k + line] = static_cast<std::int32_t>(
                (static_cast<std::uint32_t>(low) & 0xFFFF) | static_cast<std::uint32_t>(high) << 16);
        }
    }
}

// Four INT8 or UINT8 a unit, each bit changed that is set in `flips`; zeros beyond `depth`, which add
// nothing, whatever the other side has there.
inline void pack_quads(const Side& side, const ContractionKernels& kernels, std::size_t depth,
                       unsigned char flips, std::size_t first, std::size_t lines, std::size_t unit0,
                       std::size_t units, std::int32_t* to, std::size_t to_k) {
    const unsigned char* const data = side.data + static_cast<std::ptrdiff_t>(first) * side.line +
                                      static_cast<std::ptrdiff_t>(4 * unit0) * side.k_step;
    std::size_t done = std::min(units, depth / 4 - std::min(depth / 4, unit0));
    if (side.line == 1 && lines == kPanel && to_k == kPanel) {
        kernels.quads->interleave(data, side.k_step, done, flips, to);
    } else if (side.k_step == 1 && side.line % 4 == 0 &&
               reinterpret_cast<std::uintptr_t>(data) % 4 == 0) {
        // Words that are moved as FLOAT32 keep their bits.
        kernels.transpose(reinterpret_cast<const float*>(data), side.line / 4, lines, done,
                          reinterpret_cast<float*>(to), to_k);
        const std::int32_t changed = static_cast<std::int32_t>(flips * 0x01010101u);
        for (std::size_t n = 0; changed && n < done * to_k; ++n) to[n] ^= changed;
    } else {
        done = 0;
    }
    for (std::size_t unit = done; unit < units; ++unit) {
        for (std::size_t line = 0; line < lines; ++line) {
            std::uint32_t quad = 0;
            for (std::size_t n = 0; n < 4 && 4 * (unit0 + unit) + n < depth; ++n) {
                const unsigned char* at = data + static_cast<std::ptrdiff_t>(line) * side.line +
                                          static_cast<std::ptrdiff_t>(4 * unit + n) * side.k_step;
                quad |= static_cast<std::uint32_t>(*at ^ flips) << 8 * n;
            }
            to[unit * to_k + line] = static_cast<std::int32_t>(quad);
        }
    }
}

}  // namespace indirectml
