// One operand of a product brought into the order of tiles, whatever its type and strides.
#pragma once

#include <algorithm>
#include <cstring>

#include "contract.h"
#include "../lanes/f32_portable.h"

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
    constexpr std::uint16_t kInfinity = 0x7C00, kQuiet = 0x0200;
    if ((half & 0x7FFF) > kInfinity) half |= kQuiet;
    return lanes::portable::widen(half);
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

}  // namespace indirectml
