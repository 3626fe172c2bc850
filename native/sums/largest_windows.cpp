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

// Which positions of a window lie on the array, along an axis, and the element under the first one.
struct Reach {
    std::uint64_t begin, end, first;
};
Reach reach_of(const Windows& w, int axis, std::uint64_t output) {
    const std::uint64_t at = output * w.stride[axis], start = w.start[axis];
    const std::uint64_t dilation = w.dilation[axis];
    const std::uint64_t before = start > at ? (start - at + dilation - 1) / dilation : 0;
    const std::uint64_t begin = std::min(before, w.size[axis]);
    const std::uint64_t beyond = w.input[axis] + start;
    const std::uint64_t fitting = beyond > at ? (beyond - at + dilation - 1) / dilation : 0;
    return {begin, std::clamp(fitting, begin, w.size[axis]), at + begin * dilation - start};
}

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

void largest_with_numbers(const unsigned char* x, Number number, const Windows& w,
                          unsigned char* values, std::int64_t* numbers, const Policy& policy) {
    const auto keys_of = kernels_of(*policy.target)
                             .folds[static_cast<int>(Fold::kLargest)]
                             .of[static_cast<int>(number)]
                             .keys;
    const std::size_t item = item_bytes(number);
    const std::uint64_t lowest = lowest_bits(number);
    const std::uint64_t inputs = w.input[0] * w.input[1] * w.input[2];
    const std::uint64_t outputs = w.output[0] * w.output[1] * w.output[2];
    const std::uint64_t positions = w.size[0] * w.size[1] * w.size[2];
    const unsigned parts =
        part_count(w.channels, w.channels * outputs * positions, kPositionsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        std::vector<std::int64_t> keys(inputs);
        std::vector<Reach> across;
        for (std::uint64_t o = 0; o < w.output[2]; ++o) across.push_back(reach_of(w, 2, o));
        Pieces pieces;
        const Share share = share_of(w.channels, 1, part, parts);
        for (std::uint64_t channel = share.begin; channel < share.end; ++channel) {
            const unsigned char* const from = x + channel * inputs * item;
            keys_of(from, static_cast<std::ptrdiff_t>(item), inputs, keys.data());
            std::uint64_t to = channel * outputs;
            for (std::uint64_t a = 0; a < w.output[0]; ++a) {
                const Reach layers = reach_of(w, 0, a);
                for (std::uint64_t b = 0; b < w.output[1]; ++b) {
                    const Reach rows = reach_of(w, 1, b);
                    for (std::uint64_t c = 0; c < w.output[2]; ++c, ++to) {
                        const Reach& columns = across[c];
                        std::uint64_t best = inputs;
                        for (std::uint64_t i = layers.begin; i < layers.end; ++i) {
                            const std::uint64_t layer =
                                layers.first + (i - layers.begin) * w.dilation[0];
                            for (std::uint64_t j = rows.begin; j < rows.end; ++j) {
                                const std::uint64_t row =
                                    rows.first + (j - rows.begin) * w.dilation[1];
                                std::uint64_t at =
                                    (layer * w.input[1] + row) * w.input[2] + columns.first;
                                for (std::uint64_t k = columns.begin; k < columns.end;
                                     ++k, at += w.dilation[2]) {
                                    if (best == inputs || keys[at] > keys[best]) best = at;
                                }
                            }
                        }
                        const bool is_none = best == inputs;
                        numbers[to] = is_none ? -1
                                              : static_cast<std::int64_t>(channel * inputs + best);
                        if (is_none) {
                            for (std::size_t k = 0; k < item; ++k) {
                                values[to * item + k] =
                                    static_cast<unsigned char>(lowest >> (8 * k));
                            }
                        } else {
                            std::memcpy(values + to * item, from + best * item, item);
                        }
                    }
                }
                pieces.done(w.output[1] * w.output[2] * positions);
            }
        }
    });
    if (number <= Number::kDouble) {
        quiet(static_cast<Type>(number), values, w.channels * outputs);
    }
}

}  // namespace sums
}  // namespace indirectml
