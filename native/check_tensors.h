// Operands that are tried: tensors in memory of their own, their axes in any order, guards around them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "check_support.h"
#include "contraction/contract.h"
#include "floats.h"

namespace indirectml {

inline float random_float(Random& random) {
    switch (random.below(40)) {
        case 0:
            return from_bits<float>(random.word());  // NaNs, infinities, subnormals, anything
        case 1:
            return random.below(2) ? 0.0f : -0.0f;
        default: {
            const float x = static_cast<float>(random.between(-(1 << 23), 1 << 23)) * 0x1p-22f;
            return random.below(8) ? x : x * std::ldexp(1.0f, random.between(-80, 60));
        }
    }
}

// A tensor of 4-byte, 2-byte or 1-byte elements in memory of its own, its axes in any order and
// direction, at any distance, guards around it.
class Tensor {
  public:
    // Elements along `neighbours`, if there is such an axis, lie next to each other.
    Tensor(Random& random, OperandType type, std::vector<std::size_t> sizes, bool is_output = false,
           std::size_t neighbours = ~std::size_t{0})
        : type(type), sizes(std::move(sizes)), strides(this->sizes.size()) {
        std::vector<std::size_t> order(this->sizes.size());
        for (std::size_t k = 0; k < order.size(); ++k) order[k] = order.size() - 1 - k;
        if (random.below(3) == 0) {
            for (std::size_t k = order.size(); k > 1; --k) {
                std::swap(order[k - 1], order[random.below(k)]);
            }
        }
        const auto first = std::find(order.begin(), order.end(), neighbours);
        if (first != order.end()) std::rotate(order.begin(), first, first + 1);
        const auto element = static_cast<std::ptrdiff_t>(bytes());
        std::ptrdiff_t stride = element, base = 0;
        for (const std::size_t axis : order) {
            if (axis == neighbours) {
                strides[axis] = stride;
                stride *= static_cast<std::ptrdiff_t>(this->sizes[axis]);
                continue;
            }
            if (random.below(6) == 0) stride *= random.between(1, 3);
            if (random.below(6) == 0) stride += element * random.between(0, 5);
            strides[axis] = stride;
            stride *= static_cast<std::ptrdiff_t>(this->sizes[axis]);
            if (random.below(8) == 0) {
                base += static_cast<std::ptrdiff_t>(this->sizes[axis] - 1) * strides[axis];
                strides[axis] = -strides[axis];
            }
        }
        span = static_cast<std::size_t>(stride);
        memory_.resize(span + 2 * kGuardBytes);
        // Operands lie at any address; without sanitizers, outside of the vector nothing is read.
        data = memory_.data() + kGuardBytes + base;
        for (unsigned char& byte : memory_) byte = 0xA5;
        if (!is_output) fill(random);
    }

    std::size_t bytes() const {
        return type == OperandType::kFloat32 ? 4 : type == OperandType::kFloat16 ? 2 : 1;
    }
    std::size_t count() const {
        std::size_t n = 1;
        for (const std::size_t size : sizes) n *= size;
        return n;
    }
    unsigned char* at(std::initializer_list<std::size_t> index) const {
        std::ptrdiff_t offset = 0;
        std::size_t axis = 0;
        for (const std::size_t i : index) {
            offset += static_cast<std::ptrdiff_t>(i) * strides[axis++];
        }
        return data + offset;
    }
    float number(std::initializer_list<std::size_t> index) const {
        const unsigned char* from = at(index);
        if (type == OperandType::kFloat32) {
            float x;
            std::memcpy(&x, from, 4);
            return x;
        }
        std::uint16_t half;
        std::memcpy(&half, from, 2);
        return from_bits<float>(convert({16, 11}, {32, 24}, half));
    }
    std::int64_t integer(std::initializer_list<std::size_t> index) const {
        const unsigned char byte = *at(index);
        return type == OperandType::kInt8 ? static_cast<signed char>(byte) : byte;
    }
    // Bytes that belong to no element still hold what they held.
    void check_guards(const std::string& what, std::size_t elements_written) const {
        std::size_t changed = 0;
        for (const unsigned char byte : memory_) changed += byte != 0xA5;
        if (changed > elements_written * 4) fail("%s: wrote beside the result", what.c_str());
        for (std::size_t k = 0; k < kGuardBytes; ++k) {
            if (memory_[k] != 0xA5 || memory_[memory_.size() - 1 - k] != 0xA5) {
                fail("%s: wrote outside of the result", what.c_str());
            }
        }
    }

    OperandType type;
    std::vector<std::size_t> sizes;
    std::vector<std::ptrdiff_t> strides;
    unsigned char* data;
    std::size_t span;

    void fill(Random& random, float factor = 1) const {
        fill_by(random, [&] { return random_float(random) * factor; });
    }
    // Numbers of which no sum is infinite.
    void fill_small(Random& random) const {
        fill_by(random, [&] { return static_cast<float>(random.between(-2048, 2048)) * 0x1p-10f; });
    }
    template <typename Make>
    void fill_by(Random& random, const Make& make) const {
        fill_bits([&] {
            const float x = make();
            if (bytes() == 1) return random.word();
            return type == OperandType::kFloat16 ? convert({32, 24}, {16, 11}, to_bits(x)) : std::uint64_t{to_bits(x)};
        });
    }
    template <typename Make>
    void fill_bits(const Make& make) const {
        for (std::size_t n = 0; n < count(); ++n) {
            std::ptrdiff_t offset = 0;
            std::size_t rest = n;
            for (std::size_t axis = sizes.size(); axis-- > 0;) {
                offset += static_cast<std::ptrdiff_t>(rest % sizes[axis]) * strides[axis];
                rest /= sizes[axis];
            }
            const std::uint64_t bits = make();
            std::memcpy(data + offset, &bits, bytes());
        }
    }

  private:
    std::vector<unsigned char> memory_;
};

}  // namespace indirectml
