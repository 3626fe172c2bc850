// Attention by blocks of rows on every target of this machine, with one thread and several, against
// plain loops, bit for bit; for sanitizers and emulators.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "check_instructions.h"
#include "check_support.h"
#include "floats.h"

namespace indirectml {
namespace {

using attention::Attention;
using programs::Program;
using programs::Type;

Random random_numbers(0);
std::size_t below(std::size_t end) { return random_numbers.below(end); }

float widened(std::uint16_t half) {
    return from_bits<float>(convert({16, 11}, {32, 24}, half));
}
std::uint16_t halved(float x) {
    return static_cast<std::uint16_t>(convert({32, 24}, {16, 11}, to_bits(x)));
}
// Through FLOAT16 and back, if so.
float rounded(float x, bool is_half) { return is_half ? widened(halved(x)) : x; }

// ---- Arrays with strides, in memory of any type ----

struct Array {
    bool is_half = false;
    std::size_t outer, inner, rows, columns;  // batch of two axes, and a matrix
    std::size_t strides[4];                   // in elements
    std::vector<unsigned char> bytes;

    Array(std::size_t outer_size, std::size_t inner_size, std::size_t row_count,
          std::size_t column_count, bool half, bool is_turned)
        : is_half(half), outer(outer_size), inner(inner_size), rows(row_count), columns(column_count) {
        const std::size_t gap = below(3);
        strides[3] = is_turned ? rows + gap : 1;
        strides[2] = is_turned ? 1 : columns + gap;
        const std::size_t matrix = (is_turned ? columns : rows) * std::max(strides[2], strides[3]);
        strides[1] = matrix;
        strides[0] = inner * matrix;
        bytes.resize((outer * strides[0] + 1) * item());
    }
    std::size_t item() const { return is_half ? 2 : 4; }
    // Indices beyond a size of 1 are those of one element that is repeated.
    unsigned char* at(std::size_t o, std::size_t i, std::size_t r, std::size_t c) {
        const std::size_t number = (outer == 1 ? 0 : o * strides[0]) +
                                   (inner == 1 ? 0 : i * strides[1]) +
                                   (rows == 1 ? 0 : r * strides[2]) + (columns == 1 ? 0 : c * strides[3]);
        return bytes.data() + number * item();
    }
    float get(std::size_t o, std::size_t i, std::size_t r, std::size_t c) {
        if (is_half) {
            std::uint16_t half;
            std::memcpy(&half, at(o, i, r, c), sizeof(half));
            return widened(half);
        }
        float x;
        std::memcpy(&x, at(o, i, r, c), sizeof(x));
        return x;
    }
    void set(std::size_t o, std::size_t i, std::size_t r, std::size_t c, float x) {
        const std::uint16_t half = halved(x);
        if (is_half) {
            std::memcpy(at(o, i, r, c), &half, sizeof(half));
        } else {
            std::memcpy(at(o, i, r, c), &x, sizeof(x));
        }
    }
    template <typename Make>
    void fill(const Make& make) {
        for (std::size_t o = 0; o < outer; ++o) {
            for (std::size_t i = 0; i < inner; ++i) {
                for (std::size_t r = 0; r < rows; ++r) {
                    for (std::size_t c = 0; c < columns; ++c) set(o, i, r, c, make());
                }
            }
        }
    }
    std::ptrdiff_t stride(int axis) const {
        const std::size_t sizes[] = {outer, inner, rows, columns};
        return sizes[axis] == 1 ? 0 : static_cast<std::ptrdiff_t>(strides[axis] * item());
    }
    Operand operand() {
        Operand made{};
        made.data = bytes.data();
        made.type = is_half ? OperandType::kFloat16 : OperandType::kFloat32;
        made.row = static_cast<std::ptrdiff_t>(strides[2] * item());
        made.column = static_cast<std::ptrdiff_t>(strides[3] * item());
        made.batch[0] = stride(0);
        made.batch[1] = stride(1);
        return made;
    }
    attention::Term term() {
        attention::Term made{};
        made.data = bytes.data();
        made.strides[0] = stride(2);
        made.strides[1] = stride(3);
        made.batch[0] = stride(0);
        made.batch[1] = stride(1);
        return made;
    }
};

float number() { return static_cast<float>(random_numbers.between(-1000, 1000)) / 512; }

// ---- What is tried ----

struct Trial {
    std::size_t outer, inner, rows, positions, depth, width;
    bool has_before, has_mask, has_after, is_half;  // scores and shares are FLOAT16
    float scale;
    std::vector<Array> arrays;            // queries, keys, values, mask, factors

    explicit Trial(std::size_t number_of) {
        const std::size_t many[] = {1, 2, 15, 16, 17, 40};
        outer = 1 + below(2);
        inner = 1 + below(3);
        rows = many[below(6)];
        positions = many[below(6)];
        depth = many[below(6)];
        width = many[below(6)];
        // Chains, blocks of sums, rows that meet in the cache, several blocks of rows.
        if (number_of % 8 == 3) positions = 300;
        if (number_of % 8 == 5) depth = 270;
        if (number_of % 8 == 7) rows = 180;
        if (number_of == 9) positions = 1024, rows = 150, outer = 1, inner = 2;
        if (number_of == 10) positions = 4200, rows = 60, outer = 1, inner = 2;
        has_before = below(4) > 0;
        has_mask = below(3) > 0;
        scale = below(4) > 0 ? 0.375f : -0.625f;
        has_after = below(2) == 0;
        is_half = has_before && below(2) == 0;
        // Powers of long rows, block by block, of scores that are multiplied by a factor.
        if (number_of == 10) has_before = true, has_mask = is_half = false, scale = 0.375f;
        const bool operands_are_half = below(3) == 0;
        const auto size = [&](std::size_t whole) { return below(3) == 0 ? 1 : whole; };
        arrays.emplace_back(outer, inner, rows, depth, operands_are_half, below(2) == 0);
        arrays.emplace_back(size(outer), size(inner), depth, positions, operands_are_half, below(2) == 0);
        arrays.emplace_back(size(outer), size(inner), positions, width, operands_are_half, below(2) == 0);
        for (Array& array : arrays) array.fill(number);
        // Of such a row all shares are NaN.
        if (below(4) == 0) arrays[0].set(0, 0, rows - 1, 0, HUGE_VALF);
        arrays.emplace_back(size(outer), size(inner), size(rows), size(positions), false, below(2) == 0);
        arrays.back().fill([] { return below(5) == 0 ? -1e9f : number(); });
        // Where all of a row is infinite, its shares are NaN.
        if (below(3) == 0) arrays.back().fill([] { return below(2) ? -HUGE_VALF : number(); });
        arrays.emplace_back(size(outer), size(inner), size(rows), size(positions), is_half, false);
        arrays.back().fill([] { return below(2) ? 2.0f : -0.5f; });
    }
};

using Results = std::vector<std::uint64_t>;

float sum_of_products(std::size_t count, const std::vector<float>& a, const std::vector<float>& b) {
    float total = 0;
    for (std::size_t k0 = 0; k0 < count; k0 += 256) {
        float chain = 0;
        for (std::size_t k = k0; k < std::min(count, k0 + 256); ++k) chain = std::fma(a[k], b[k], chain);
        total = k0 == 0 ? chain : total + chain;
    }
    return total;
}

// By rule S16.
double sum_of(const std::vector<double>& x) {
    if (x.size() > 4096) {
        std::vector<double> totals;
        for (std::size_t k = 0; k < x.size(); k += 4096) {
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>(k);
            const std::size_t count = std::min<std::size_t>(4096, x.size() - k);
            totals.push_back(sum_of({begin, begin + static_cast<std::ptrdiff_t>(count)}));
        }
        return sum_of(totals);
    }
    double sums[16] = {};
    for (std::size_t k = 0; k < x.size(); ++k) sums[k % 16] += x[k];
    for (std::size_t half = 8; half > 0; half /= 2) {
        for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
    }
    return sums[0];
}

std::uint64_t bits_of(float x) { return std::isnan(x) ? 0x7FC00000 : to_bits(x); }

// FLOAT64 to FLOAT16, rounded once.
float halved_once(double x) {
    return widened(static_cast<std::uint16_t>(convert({64, 53}, {16, 11}, to_bits(x))));
}

Results expected_of(Trial& t) {
    Results results;
    Array &queries = t.arrays[0], &keys = t.arrays[1], &values = t.arrays[2];
    Array &mask = t.arrays[3], &factors = t.arrays[4];
    std::vector<float> a, b, scores(t.positions), shares(t.positions);
    std::vector<double> powers(t.positions);
    for (std::size_t element = 0; element < t.outer * t.inner; ++element) {
        const std::size_t o = element / t.inner, i = element % t.inner;
        for (std::size_t r = 0; r < t.rows; ++r) {
            a.resize(t.depth);
            b.resize(t.depth);
            for (std::size_t p = 0; p < t.positions; ++p) {
                for (std::size_t k = 0; k < t.depth; ++k) {
                    a[k] = queries.get(o, i, r, k);
                    b[k] = keys.get(o, i, k, p);
                }
                scores[p] = sum_of_products(t.depth, a, b);
                if (t.has_before) {
                    const float scaled = scores[p] * t.scale;
                    scores[p] = rounded(t.has_mask ? scaled + mask.get(o, i, r, p) : scaled, t.is_half);
                }
            }
            const float most = *std::max_element(scores.begin(), scores.end());
            for (std::size_t p = 0; p < t.positions; ++p) {
                const float difference = scores[p] - most;
                powers[p] = static_cast<float>(std::exp(static_cast<double>(difference)));
            }
            const double inverse = 1 / sum_of(powers);
            for (std::size_t p = 0; p < t.positions; ++p) {
                const double share = powers[p] * inverse;
                shares[p] = t.is_half ? halved_once(share) : static_cast<float>(share);
                if (t.has_after) shares[p] = rounded(shares[p] * factors.get(o, i, r, p), t.is_half);
            }
            b.resize(t.positions);
            for (std::size_t column = 0; column < t.width; ++column) {
                for (std::size_t p = 0; p < t.positions; ++p) b[p] = values.get(o, i, p, column);
                results.push_back(bits_of(sum_of_products(t.positions, shares, b)));
            }
        }
    }
    return results;
}

// ---- By the native code ----

// rounded(score * scale + mask); the mask, if there is one, is input 0.
Program before(const Trial& t) {
    Program made;
    const int score = t.has_mask ? 1 : 0;
    made.inputs.assign(t.has_mask ? 2 : 1, Type::kFloat32);
    made.constants = {{Type::kFloat32, to_bits(t.scale)}};
    int last = score + 2;
    made.instructions = {instruction("multiply", Type::kFloat32, Type::kFloat32, {score, score + 1})};
    if (t.has_mask) {
        made.instructions.push_back(instruction("add", Type::kFloat32, Type::kFloat32, {last++, 0}));
    }
    if (t.is_half) {
        made.instructions.push_back(instruction("convert", Type::kFloat32, Type::kFloat16, {last++}));
    }
    made.outputs = {last};
    if (const char* mistake = made.finish()) fail("no program: %s", mistake);
    return made;
}

// share * factor, by way of FLOAT32.
Program after(bool is_half) {
    Program made;
    const Type own = is_half ? Type::kFloat16 : Type::kFloat32;
    made.inputs = {own, own};
    if (is_half) {
        made.instructions = {instruction("convert", own, Type::kFloat32, {0}),
                             instruction("convert", own, Type::kFloat32, {1}),
                             instruction("multiply", Type::kFloat32, Type::kFloat32, {2, 3}),
                             instruction("convert", Type::kFloat32, own, {4})};
        made.outputs = {5};
    } else {
        made.instructions = {instruction("multiply", own, own, {0, 1})};
        made.outputs = {2};
    }
    if (const char* mistake = made.finish()) fail("no program: %s", mistake);
    return made;
}

Results computed(Trial& t, const Target& target, unsigned threads) {
    const Program programs[] = {before(t), after(t.is_half)};
    Attention task{};
    task.rows = t.rows;
    task.positions = t.positions;
    task.depth = t.depth;
    task.width = t.width;
    task.batch_axes = 2;
    task.batch_sizes[0] = t.outer;
    task.batch_sizes[1] = t.inner;
    task.queries = t.arrays[0].operand();
    task.keys = t.arrays[1].operand();
    task.values = t.arrays[2].operand();
    if (t.has_before) {
        task.before = {&programs[0], t.has_mask ? 1u : 0u, task.terms.size()};
        if (t.has_mask) task.terms.push_back(t.arrays[3].term());
    }
    if (t.has_after) {
        task.after = {&programs[1], 0, task.terms.size()};
        task.terms.push_back(t.arrays[4].term());
    }
    const auto type = t.is_half ? sums::Type::kHalf : sums::Type::kSingle;
    task.score_type = task.share_type = type;
    task.weight_type = t.is_half ? OperandType::kFloat16 : OperandType::kFloat32;
    task.nanoseconds = 1e9;
    // Rows behind each other with a gap, or columns as rows.
    Array out(t.outer, t.inner, t.rows, t.width, false, below(2) == 0);
    Memory results(out.bytes.size());
    unsigned char* const to = results.at(sizeof(float));
    Memory::set_guards(to, out.bytes.size());
    task.out = to;
    task.out_row = static_cast<std::ptrdiff_t>(out.strides[2] * sizeof(float));
    task.out_column = static_cast<std::ptrdiff_t>(out.strides[3] * sizeof(float));
    task.out_batch[0] = out.stride(0);
    task.out_batch[1] = out.stride(1);
    const std::size_t bytes = attention::bytes_of(task.sizes());
    Memory memory(bytes);
    task.memory = memory.at(4);
    Memory::set_guards(task.memory, bytes);
    attention::run(task, {&target, threads, ~std::uint64_t{0}});
    std::ptrdiff_t where;
    if (!Memory::guards_hold(task.memory, bytes, &where)) {
        fail("%s writes at byte %td of its memory of %zu", target.name, where, bytes);
    }
    if (!Memory::guards_hold(to, out.bytes.size(), &where)) {
        fail("%s writes at byte %td of the result", target.name, where);
    }
    std::memcpy(out.bytes.data(), to, out.bytes.size());
    Results found;
    for (std::size_t element = 0; element < t.outer * t.inner; ++element) {
        for (std::size_t r = 0; r < t.rows; ++r) {
            for (std::size_t c = 0; c < t.width; ++c) {
                found.push_back(to_bits(out.get(element / t.inner, element % t.inner, r, c)));
            }
        }
    }
    return found;
}

void check(const Target& target, std::size_t number_of) {
    Trial t(number_of);
    const Results expected = expected_of(t);
    for (const unsigned threads : {1u, 2u, 5u}) {
        const Results found = computed(t, target, threads);
        for (std::size_t n = 0; n < expected.size(); ++n) {
            ++g_comparisons;
            if (found[n] == expected[n]) continue;
            fail("%s, %u threads, trial %zu: element %zu of %zu is %a, not %a", target.name, threads,
                 number_of, n, expected.size(), static_cast<double>(from_bits<float>(found[n])),
                 static_cast<double>(from_bits<float>(expected[n])));
        }
    }
}

}  // namespace
}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    g_program = "check_attention";
    const int trials = count == 2 ? std::atoi(words[1]) : 60;
    if (count > 2 || trials <= 0) {
        std::printf("check_attention: the only argument is a number of trials\n");
        return 2;
    }
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) {
        random_numbers = Random(0);
        for (std::size_t n = 0; n < static_cast<std::size_t>(trials); ++n) check(*targets.begin[k], n);
        std::printf("attention of %s: as defined\n", targets.begin[k]->name);
    }
    std::printf("check_attention: %" PRIu64 " comparisons, no difference\n", g_comparisons);
    return 0;
}
