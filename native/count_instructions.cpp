// Runs each kernel of the fills, and fills so small that only the way to the kernel counts, between
// marks (count_support.h). Units are elements, or calls. tests/test_counts.py has the bounds.
#include <string>
#include <vector>

#include "count_support.h"
#include "fill.h"
#include "sequence.h"
#include "targets/target.h"

namespace indirectml {

namespace {

constexpr std::size_t kMostElements = 3 * 4096;
constexpr int kCalls = 100;

alignas(64) unsigned char g_memory[kMostElements * 8];

// Kernels are called by fills of one thread that are one segment, of two sizes, so that what leads
// to the kernel can be taken off. No data type of one byte has fractions.
void count_kernels(const Target& target) {
    const auto fills = [&](const char* kind, const Sequence& sequence, std::uint64_t streaming) {
        const int bytes = sequence.format.bits / 8,
                  log2_bytes = bytes < 4 ? bytes / 2 : bytes / 4 + 1;
        const std::string name =
            std::string(target.name) + " " + kind + " " + std::to_string(bytes);
        for (const std::size_t elements : {kMostElements / 3, kMostElements}) {
            const Axis axis{elements, bytes};
            count(name, elements, [&] {
                fill({g_memory, log2_bytes, 1, &axis}, sequence, 0, {&target, 1, streaming});
            });
        }
    };
    for (const int bits : {8, 16, 32, 64}) {
        const Sequence constant{{bits, 0}, Rule::kAccumulate, 5, 0};
        fills("constant", constant, UINT64_MAX);
        fills("streaming", constant, 0);
        fills("step", {{bits, 0}, Rule::kAccumulate, 5, 3}, UINT64_MAX);
    }
    // From 1 on, and not as far as 2: elements are rounded, or each 16th is a tie.
    const struct {
        const char* kind;
        Format format;
        std::uint64_t start, delta;
    } fractions[] = {
        {"fraction", {16, 11}, 0x3C00, 0x053E},
        {"fraction", {32, 24}, 0x3F800000, 0x3851B717},
        {"fraction", {64, 53}, 0x3FF0000000000000, 0x3F0A36E2EB1C432D},
        {"ties", {16, 11}, 0x3C00, 0x0400},
        {"ties", {32, 24}, 0x3F800000, 0x32000000},
        {"ties", {64, 53}, 0x3FF0000000000000, 0x3C70000000000000},
    };
    for (const auto& [kind, format, start, delta] : fractions) {
        fills(kind, {format, Rule::kMultiply, start, delta}, UINT64_MAX);
    }
}

void count_fills() {
    // The last target runs everywhere.
    const TargetList targets = available_targets();
    const Policy one{targets.begin[targets.count - 1], 1, UINT64_MAX};
    const auto fills = [&](const char* name, const View& view, const Sequence& sequence) {
        count(name, kCalls, [&] {
            for (int k = 0; k < kCalls; ++k) fill(view, sequence, 0, one);
        });
    };
    const Format word{32, 0}, single{32, 24};
    const std::uint64_t start = 0x3F800000, delta = 0x3DCCCCCD;  // 1 and 0.1
    const Axis packed{3, 4}, gaps{3, 8}, turned[2] = {{3, 4}, {3, 12}};
    const View row{g_memory, 2, 1, &packed};
    fills("fill constant", row, {word, Rule::kAccumulate, start, 0});
    fills("fill accumulate", row, {single, Rule::kAccumulate, start, delta});
    fills("fill multiply", row, {single, Rule::kMultiply, start, delta});
    fills("fill gaps", {g_memory, 2, 1, &gaps}, {word, Rule::kAccumulate, start, 0});
    fills("fill turned", {g_memory, 2, 2, turned}, {word, Rule::kAccumulate, start, 3});
    const auto elements = [&](const char* name, const Sequence& sequence) {
        count(name, kCalls, [&] {
            for (int k = 0; k < kCalls; ++k) element(sequence, std::uint64_t{1} << 40);
        });
    };
    elements("element accumulate", {single, Rule::kAccumulate, start, delta});
    elements("element multiply", {single, Rule::kMultiply, start, delta});
    // One after the other, large enough for two threads.
    std::vector<unsigned char> large(4 << 20);
    const Axis axis{large.size(), 1};
    const Policy two{one.target, 2, UINT64_MAX, large.size() / 2};
    count("fill from two threads", 1, [&] {
        fill({large.data(), 0, 1, &axis}, {{8, 0}, Rule::kAccumulate, 5, 0}, 0, two);
    });
}

}  // namespace

}  // namespace indirectml

int main() {
    const indirectml::TargetList targets = indirectml::available_targets();
    for (std::size_t k = 0; k < targets.count; ++k) indirectml::count_kernels(*targets.begin[k]);
    indirectml::count_fills();
    return 0;
}
