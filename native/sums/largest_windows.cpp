// The largest elements of windows, and where they are.

#include <algorithm>
#include <cstring>
#include <vector>

#include "../team.h"
#include "folds.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kPositionsPerThread = 1 << 15;

std::uint64_t lowest_bits(Number number) {
    switch (number) {
        case Number::kHalf: return 0xFC00;
        case Number::kSingle: return 0xFF800000;
        case Number::kDouble: return 0xFFF0000000000000;
        case Number::kInt8: return 0x80;
        case Number::kInt16: return 0x8000;
        case Number::kInt32: return 0x80000000;
        case Number::kInt64: return 0x8000000000000000;
        default: return 0;
    }
}

}  // namespace

LargestInWindows::LargestInWindows(const unsigned char* x, Number number, const Windows& windows,
                                   const Policy& policy)
    : x_(x),
      item_(item_bytes(number)),
      w_(windows),
      keys_of_(kernels_of(*policy.target)
                   .folds[static_cast<int>(Fold::kLargest)]
                   .of[static_cast<int>(number)]
                   .keys),
      keys_(w_.input[0] * w_.input[1] * w_.input[2]),
      numbers_(w_.output[0] * w_.output[1] * w_.output[2]) {
    for (std::uint64_t o = 0; o < w_.output[2]; ++o) across_.push_back(reach_of(w_, 2, o));
}

LargestInWindows::Reach LargestInWindows::reach_of(const Windows& w, int axis,
                                                   std::uint64_t output) {
    const std::uint64_t at = output * w.stride[axis], start = w.start[axis];
    const std::uint64_t dilation = w.dilation[axis];
    const std::uint64_t before = start > at ? (start - at + dilation - 1) / dilation : 0;
    const std::uint64_t begin = std::min(before, w.size[axis]);
    const std::uint64_t beyond = w.input[axis] + start;
    const std::uint64_t fitting = beyond > at ? (beyond - at + dilation - 1) / dilation : 0;
    return {begin, std::clamp(fitting, begin, w.size[axis]), at + begin * dilation - start};
}

const std::int64_t* LargestInWindows::numbers(std::uint64_t channel) {
    keys_of_(x_ + channel * keys_.size() * item_, static_cast<std::ptrdiff_t>(item_), keys_.size(),
             keys_.data());
    std::size_t to = 0;
    for (std::uint64_t a = 0; a < w_.output[0]; ++a) {
        const Reach layers = reach_of(w_, 0, a);
        for (std::uint64_t b = 0; b < w_.output[1]; ++b) {
            const Reach rows = reach_of(w_, 1, b);
            for (const Reach& columns : across_) numbers_[to++] = number(layers, rows, columns);
        }
    }
    return numbers_.data();
}

std::int64_t LargestInWindows::number(const Reach& layers, const Reach& rows,
                                      const Reach& columns) const {
    const std::uint64_t none = keys_.size();
    std::uint64_t best = none;
    for (std::uint64_t i = layers.begin; i < layers.end; ++i) {
        const std::uint64_t layer = layers.first + (i - layers.begin) * w_.dilation[0];
        for (std::uint64_t j = rows.begin; j < rows.end; ++j) {
            const std::uint64_t row = rows.first + (j - rows.begin) * w_.dilation[1];
            std::uint64_t at = (layer * w_.input[1] + row) * w_.input[2] + columns.first;
            for (std::uint64_t k = columns.begin; k < columns.end; ++k, at += w_.dilation[2]) {
                if (best == none || keys_[at] > keys_[best]) best = at;
            }
        }
    }
    return best == none ? -1 : static_cast<std::int64_t>(best);
}

void largest_with_numbers(const unsigned char* x, Number number, const Windows& w,
                          unsigned char* values, std::int64_t* numbers, const Policy& policy) {
    const std::size_t item = item_bytes(number);
    const std::uint64_t lowest = lowest_bits(number);
    const std::uint64_t inputs = w.input[0] * w.input[1] * w.input[2];
    const std::uint64_t outputs = w.output[0] * w.output[1] * w.output[2];
    const std::uint64_t positions = w.size[0] * w.size[1] * w.size[2];
    const unsigned parts =
        part_count(w.channels, w.channels * outputs * positions, kPositionsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        LargestInWindows largest(x, number, w, policy);
        Pieces pieces;
        const Share share = share_of(w.channels, 1, part, parts);
        for (std::uint64_t channel = share.begin; channel < share.end; ++channel) {
            const unsigned char* const from = x + channel * inputs * item;
            const std::int64_t* const found = largest.numbers(channel);
            for (std::uint64_t o = 0; o < outputs; ++o) {
                const std::uint64_t to = channel * outputs + o;
                unsigned char* const value = values + to * item;
                if (found[o] < 0) {
                    for (std::size_t k = 0; k < item; ++k) {
                        value[k] = static_cast<unsigned char>(lowest >> (8 * k));
                    }
                } else {
                    std::memcpy(value, from + static_cast<std::uint64_t>(found[o]) * item, item);
                }
                if (numbers == nullptr) continue;
                numbers[to] =
                    found[o] < 0 ? -1 : static_cast<std::int64_t>(channel * inputs) + found[o];
            }
            pieces.done(outputs * positions);
        }
    });
    if (number <= Number::kDouble) {
        quiet(static_cast<Type>(number), values, w.channels * outputs);
    }
}

}  // namespace sums
}  // namespace indirectml
