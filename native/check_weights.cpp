// Checks of products with stored weights, and of elements with scales for their blocks, without Python:
// for sanitizers, and for processors that are emulated.
//
// Every target's results are compared with plain loops over the C library's fma, for random sizes,
// types, blocks and threads, with guards around them. Prints one line per target and a summary; stops
// at the first difference with exit code 1.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "check_support.h"
#include "float_modes.h"
#include "weights/blocks.h"
#include "weights/product.h"

namespace indirectml {
namespace weights {

namespace {

std::uint32_t canonical_bits(float x) {
    return x == x ? static_cast<std::uint32_t>(to_bits(x)) : 0x7FC00000;
}

float half_value(std::uint16_t bits) {
    return from_bits<float>(convert({16, 11}, {32, 24}, bits));
}

std::uint16_t some_half(Random& random) {
    const auto bits = static_cast<std::uint16_t>(random.word());
    // Mostly numbers near 1, so that sums say something; now and then infinities and NaNs.
    return random.below(200) ? static_cast<std::uint16_t>((bits & 0x83FF) | 0x3400) : bits;
}

float some_float(Random& random) {
    if (random.below(400) == 0) return from_bits<float>(random.word() & 0xFFFFFFFF);
    return static_cast<float>(random.between(-(1 << 20), 1 << 20)) * 0x1p-18f;
}

// A matrix of integers, their words, and a scale and a zero point for each block of k and of columns.
struct Weights {
    std::size_t whole, depth, columns, block, blocks, panels;  // the first `depth` of `whole` count
    std::size_t width, groups;  // of columns
    unsigned bits;
    bool is_signed, has_halves, has_zeros;
    std::vector<int> numbers, zeros;     // [k][column], [block][group]
    std::vector<std::uint16_t> halves;   // scales, likewise
    std::vector<float> floats;
    std::vector<std::uint32_t> words, zero_words;
    std::vector<unsigned char> scales;  // panels, or of wide blocks as [block][group] or turned
    bool is_turned;

    explicit Weights(Random& random)
        : bits(random.below(2) ? 4 : 8), is_signed(random.below(2)), has_halves(random.below(3) == 0),
          has_zeros(random.below(2)), is_turned(random.below(2)) {
        blocks = random.below(2) ? 1 : random.below(70) + 1;
        block = blocks == 1 ? random.below(700) + 1 : numbers_of_word(bits) * (random.below(8) + 1);
        if (random.below(3) == 0) {  // within words
            blocks = random.below(300) + 1;
            block = random.below(12) + 1;
        }
        whole = blocks * block;
        depth = random.below(3) ? whole : whole - random.below(std::min<std::size_t>(whole, 40));
        columns = random.below(3) ? random.below(70) + 1 : random.below(400) + 1;
        width = groups = 1;
        if (random.below(3) == 0) {
            width = columns;
        } else if (random.below(3) == 0) {
            width = kPanel * (random.below(5) + 1);
            groups = random.below(24) + 1;
            columns = width * groups;
        } else {
            groups = columns;
        }
        panels = (columns + kPanel - 1) / kPanel;
        const int low = is_signed ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
        for (std::size_t n = 0; n < whole * columns; ++n) numbers.push_back(random.between(low, high));
        for (std::size_t n = 0; n < blocks * groups; ++n) {
            zeros.push_back(has_zeros ? random.between(low, high) : 0);
            halves.push_back(some_half(random));
            floats.push_back(has_halves ? half_value(halves.back()) : some_float(random));
        }
        words = stored(random, numbers, whole, columns);
        zero_words = stored(random, zeros, blocks, groups);
        pack_scales();
    }

    float weight(std::size_t k, std::size_t j) const {
        const std::size_t at = k / block * groups + j / width;
        const int difference = numbers[k * columns + j] - zeros[at];
        const float weight = static_cast<float>(difference) * floats[at];
        if (!has_halves) return weight;
        return half_value(static_cast<std::uint16_t>(convert({32, 24}, {16, 11}, to_bits(weight))));
    }

    Stored task() const {
        Stored found{};
        found.numbers = words.data();
        found.zeros = has_zeros ? zero_words.data() : nullptr;
        found.zero = is_signed ? 1u << (bits - 1) : 0;
        found.scales = scales.data();
        found.has_halves = has_halves;
        found.bits = bits;
        found.depth = depth;
        found.block = block;
        found.blocks = blocks;
        found.words = found.words_of(whole);
        found.width = groups == 1 && columns > 1 ? panels * kPanel : width;
        found.scale_row = static_cast<std::ptrdiff_t>(is_turned ? 1 : groups);
        found.scale_column = static_cast<std::ptrdiff_t>(is_turned ? blocks : 1);
        return found;
    }

  private:
    // Written as bytes, or as halves of bytes, as they are or transposed.
    std::vector<std::uint32_t> stored(Random& random, const std::vector<int>& from,
                                      std::size_t rows, std::size_t columns) const {
        const bool in_halves = bits == 4 && random.below(2), is_transposed = random.below(2);
        std::vector<unsigned char> bytes(from.size() + 8);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                const std::size_t at = is_transposed ? j * rows + i : i * columns + j;
                const auto number = static_cast<unsigned char>(from[i * columns + j]);
                if (in_halves) {
                    bytes[at / 2] = static_cast<unsigned char>(bytes[at / 2] |
                                                               (number & 15) << (at % 2 * 4));
                } else {
                    bytes[at] = number;
                }
            }
        }
        Integers matrix{bytes.data(), bits, is_signed, in_halves, 1, 1};
        (is_transposed ? matrix.column : matrix.row) =
            static_cast<std::ptrdiff_t>(is_transposed ? rows : columns);
        const std::size_t numbers = numbers_of_word(bits);
        const std::size_t count = (columns + kPanel - 1) / kPanel * ((rows + numbers - 1) / numbers) * kPanel;
        std::vector<std::uint32_t> to(count);
        store(matrix, rows, columns, to.data());
        return to;
    }
    void pack_scales() {
        const std::size_t size = has_halves ? 2 : 4;
        if (width > 1) {
            scales.resize(blocks * groups * size);
            for (std::size_t b = 0; b < blocks; ++b)
                for (std::size_t g = 0; g < groups; ++g) {
                put_scale(b * groups + g, is_turned ? g * blocks + b : b * groups + g);
            }
            return;
        }
        scales.resize(panels * blocks * kPanel * size);
        for (std::size_t panel = 0; panel < panels; ++panel)
            for (std::size_t b = 0; b < blocks; ++b)
                for (std::size_t j = 0; j < kPanel && panel * kPanel + j < columns; ++j) {
            put_scale(b * columns + panel * kPanel + j, (panel * blocks + b) * kPanel + j);
        }
    }
    void put_scale(std::size_t from, std::size_t to) {
        if (has_halves) {
            std::memcpy(scales.data() + to * 2, &halves[from], 2);
        } else {
            std::memcpy(scales.data() + to * 4, &floats[from], 4);
        }
    }
};

void check_product(Random& random, const Target& target) {
    const Weights weights(random);
    const std::size_t rows = random.below(2) ? 1 : random.below(40) + 1;
    std::vector<float> a(rows * weights.depth);
    std::vector<std::uint16_t> a_halves(a.size());
    const bool is_half = random.below(4) == 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        a_halves[n] = some_half(random);
        a[n] = is_half ? half_value(a_halves[n]) : some_float(random);
    }
    const std::size_t step = random.below(4) ? 1 : 2;
    const std::size_t row = weights.columns * step + random.below(3);
    std::vector<float> out(rows * row + 32, -7.0f);
    Product task{};
    task.rows = rows;
    task.columns = weights.columns;
    const std::ptrdiff_t item = is_half ? 2 : 4;
    task.a = {is_half ? reinterpret_cast<const unsigned char*>(a_halves.data())
                      : reinterpret_cast<const unsigned char*>(a.data()),
              is_half ? OperandType::kFloat16 : OperandType::kFloat32,
              static_cast<std::ptrdiff_t>(weights.depth) * item, item, {}};
    task.stored = weights.task();
    task.c = reinterpret_cast<unsigned char*>(out.data());
    task.c_row = static_cast<std::ptrdiff_t>(row * 4);
    task.c_column = static_cast<std::ptrdiff_t>(step * 4);
    Policy policy{&target, static_cast<unsigned>(random.below(3) + 1), 1 << 20};
    multiply(task, policy);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < weights.columns; ++j) {
            float total = 0;
            for (std::size_t k0 = 0; k0 < weights.depth; k0 += 256) {
                float chain = 0;
                for (std::size_t k = k0; k < std::min(k0 + 256, weights.depth); ++k) {
                    chain = std::fma(a[i * weights.depth + k], weights.weight(k, j), chain);
                }
                total = k0 > 0 ? total + chain : chain;
            }
            ++g_comparisons;
            const float found = out[i * row + j * step];
            if (to_bits(found) != canonical_bits(total)) {
                fail("%s: %zu x %zu x %zu, blocks of %zu x %zu, %u bits, row %zu, column %zu: got %a, "
                     "expected %a",
                     target.name, rows, weights.depth, weights.columns, weights.block, weights.width,
                     weights.bits, i, j, static_cast<double>(found), static_cast<double>(total));
            }
            out[i * row + j * step] = -7.0f;
        }
    }
    if (std::any_of(out.begin(), out.end(), [](float x) { return to_bits(x) != to_bits(-7.0f); })) {
        fail("%s: something beside the result was written", target.name);
    }
}

void check_blocks(Random& random, const Target& target) {
    Blocks task{};
    std::size_t count = 1, scale_count = 1;
    for (std::size_t rank = random.below(4) + 1; rank > 0; --rank) {
        task.scale_sizes.push_back(random.below(5) + 1);
        task.sizes.push_back(task.scale_sizes.back() * (random.below(6) + 1));
        count *= task.sizes.back();
        scale_count *= task.scale_sizes.back();
    }
    std::vector<unsigned char> numbers(count), zeros(scale_count);
    for (unsigned char& number : numbers) number = static_cast<unsigned char>(random.word());
    for (unsigned char& zero : zeros) zero = static_cast<unsigned char>(random.word());
    std::vector<std::uint16_t> halves(scale_count);
    std::vector<float> scales(scale_count), out(count);
    task.has_halves = random.below(2);
    for (std::size_t n = 0; n < scale_count; ++n) {
        halves[n] = some_half(random);
        scales[n] = task.has_halves ? half_value(halves[n]) : some_float(random);
    }
    const bool has_zeros = random.below(2);
    task.is_signed = random.below(2);
    task.numbers = numbers.data();
    task.zeros = has_zeros ? zeros.data() : nullptr;
    task.scales = task.has_halves ? static_cast<const void*>(halves.data()) : scales.data();
    task.out = out.data();
    dequantize(task, {&target, static_cast<unsigned>(random.below(3) + 1), 1 << 20});
    for (std::size_t n = 0; n < count; ++n) {
        std::size_t rest = n, at = 0, step = 1;
        for (std::size_t k = task.sizes.size(); k-- > 0;) {
            at += rest % task.sizes[k] / (task.sizes[k] / task.scale_sizes[k]) * step;
            rest /= task.sizes[k];
            step *= task.scale_sizes[k];
        }
        const auto integer = [&](unsigned char byte) {
            return task.is_signed ? static_cast<signed char>(byte) : static_cast<int>(byte);
        };
        const int difference = integer(numbers[n]) - (has_zeros ? integer(zeros[at]) : 0);
        const float expected = static_cast<float>(difference) * scales[at];
        ++g_comparisons;
        if (to_bits(out[n]) != canonical_bits(expected)) {
            fail("element %zu of blocks: got %a, expected %a", n, static_cast<double>(out[n]),
                 static_cast<double>(expected));
        }
    }
}

}  // namespace

}  // namespace weights
}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    g_program = "check_weights";
    const int rounds = count == 2 ? std::atoi(words[1]) : 60;
    if (count > 2 || rounds <= 0) fail("the only argument is a number of rounds");
    const DefaultFloatModes modes;
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) {
        Random random(11);
        for (int round = 0; round < rounds; ++round) {
            weights::check_product(random, *targets.begin[k]);
            weights::check_blocks(random, *targets.begin[k]);
        }
        std::printf("stored weights of %s: as defined\n", targets.begin[k]->name);
    }
    std::printf("check_weights: %" PRIu64 " comparisons, no difference (seed %" PRIu64 ")\n",
                g_comparisons, kSeed);
    return 0;
}
