// Runs the kernels of the engine between marks (count_support.h), on each target of this machine
// and as plain loops (count_plain.h), whose results have to be close. A line's name is that of the
// target, or `plain`, a colon, and that of the work. `python -m benchmarks.counts` makes a table of
// it; tests/test_counts.py has the bounds. An argument is a part of the names of works that count.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "contraction/contract.h"
#include "contraction/convolve.h"
#include "count_plain.h"
#include "count_support.h"
#include "float_modes.h"
#include "functions/apply.h"
#include "programs/program.h"
#include "sums/scans.h"
#include "sums/sums.h"
#include "sums/windows.h"

namespace indirectml {

namespace {

std::string g_asked_for;

std::uint32_t g_state = 1;
std::uint32_t random_bits() {
    g_state = g_state * 1664525 + 1013904223;
    return g_state >> 8;
}
// Between 0.1 and 0.9, where every function has a result.
std::vector<float> numbers(std::size_t count) {
    std::vector<float> x(count);
    for (float& e : x) e = 0.1f + 0.8f * static_cast<float>(random_bits()) * 0x1p-24f;
    return x;
}
template <typename Element>
std::vector<Element> whole_numbers(std::size_t count) {
    std::vector<Element> x(count);
    for (Element& e : x) e = static_cast<Element>(random_bits() % 100 + 1);
    return x;
}
template <typename Element>
const unsigned char* bytes(const std::vector<Element>& x) {
    return reinterpret_cast<const unsigned char*>(x.data());
}
template <typename Element>
unsigned char* bytes(std::vector<Element>& x) {
    return reinterpret_cast<unsigned char*>(x.data());
}
constexpr std::ptrdiff_t signed_of(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

// Counts work(target) on each target and `plain`, if there is one. All write to `out`.
template <typename Element>
void compare(const std::string& name, std::size_t units, std::vector<Element>& out,
             const std::function<void(const Target&)>& work, const std::function<void()>& plain) {
    if (name.find(g_asked_for) == std::string::npos) return;
    std::vector<Element> expected;
    if (plain) {
        count("plain: " + name, units, plain);
        expected = out;
    }
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) {
        const Target& target = *targets.begin[k];
        out.assign(out.size(), Element{});
        count(std::string(target.name) + ": " + name, units, [&] { work(target); });
        for (std::size_t j = 0; j < expected.size(); ++j) {
            const auto a = static_cast<double>(out[j]), b = static_cast<double>(expected[j]);
            if (a == b || std::fabs(a - b) <= 1e-4 * (1 + std::fabs(b)) || (a != a && b != b)) continue;
            std::printf("%s, %s: element %zu is %g, plainly %g\n", target.name, name.c_str(), j, a, b);
            std::exit(1);
        }
    }
}

Policy one_thread(const Target& target) { return {&target, 1, ~std::uint64_t{0}}; }
ContractionPolicy for_products(const Target& target) {
    return {contraction_kernels(target.name), 1};
}

// ---- Products -----------------------------------------------------------------------------------

// Rows of b are neighbours, or its columns are.
void count_product(const std::string& name, const plain::Sizes& s, bool is_turned, bool is_in_panels) {
    const std::vector<float> a = numbers(s.rows * s.depth), b = numbers(s.depth * s.columns);
    std::vector<float> c(s.rows * s.columns), panels(panels_size(s.depth, s.columns));
    const std::size_t b_k = is_turned ? 1 : s.columns, b_j = is_turned ? s.depth : 1;
    Contraction task{};
    task.rows = s.rows;
    task.columns = s.columns;
    task.depth = s.depth;
    task.a = {bytes(a), OperandType::kFloat32, signed_of(4 * s.depth), 4, {}};
    task.b = {bytes(b), OperandType::kFloat32, signed_of(4 * b_k), signed_of(4 * b_j), {}};
    task.c = bytes(c);
    task.c_row = signed_of(4 * s.columns);
    task.c_column = 4;
    if (is_in_panels) {
        const TargetList targets = available_targets();
        pack(task.b, s.depth, s.columns, *contraction_kernels(targets.begin[0]->name), panels.data());
        task.b = {bytes(panels), OperandType::kFloat32, 0, 0, {}};
        task.b_is_in_panels = true;
    }
    compare<float>(
        name, s.rows * s.columns * s.depth, c,
        [&](const Target& target) { contract(task, for_products(target)); },
        [&] { plain::product(s, a.data(), b.data(), b_k, b_j, c.data()); });
}

void count_half_product(const std::string& name, const plain::Sizes& s) {
    const std::vector<std::uint16_t> a(s.rows * s.depth, 0x3C00), b(s.depth * s.columns, 0x3800);
    std::vector<float> c(s.rows * s.columns);
    Contraction task{};
    task.rows = s.rows;
    task.columns = s.columns;
    task.depth = s.depth;
    task.a = {bytes(a), OperandType::kFloat16, signed_of(2 * s.depth), 2, {}};
    task.b = {bytes(b), OperandType::kFloat16, signed_of(2 * s.columns), 2, {}};
    task.c = bytes(c);
    task.c_row = signed_of(4 * s.columns);
    task.c_column = 4;
    compare<float>(
        name, s.rows * s.columns * s.depth, c,
        [&](const Target& target) { contract(task, for_products(target)); }, nullptr);
}

void count_integer_product(const std::string& name, const plain::Sizes& s) {
    const auto a = whole_numbers<std::uint8_t>(s.rows * s.depth);
    const auto b = whole_numbers<std::int8_t>(s.depth * s.columns);
    std::vector<std::int32_t> c(s.rows * s.columns);
    const std::int32_t a_zero = 128, b_zero = 3;
    Contraction task{};
    task.rows = s.rows;
    task.columns = s.columns;
    task.depth = s.depth;
    task.a = {bytes(a), OperandType::kUInt8, signed_of(s.depth), 1, {}};
    task.b = {bytes(b), OperandType::kInt8, signed_of(s.columns), 1, {}};
    task.c = bytes(c);
    task.c_row = signed_of(4 * s.columns);
    task.c_column = 4;
    task.a_zero = {&a_zero, 0};
    task.b_zero = {&b_zero, 0};
    compare<std::int32_t>(
        name, s.rows * s.columns * s.depth, c,
        [&](const Target& target) { contract_integers(task, for_products(target)); },
        [&] { plain::integer_product(s, a.data(), a_zero, b.data(), b_zero, c.data()); });
}

void count_products() {
    count_product("product 48 x 64 x 256", {48, 64, 256}, false, false);
    count_product("the same, b transposed", {48, 64, 256}, true, false);
    count_product("the same, b in panels", {48, 64, 256}, false, true);
    count_half_product("the same of FLOAT16", {48, 64, 256});
    count_product("row times matrix, columns neighbours", {1, 256, 256}, false, false);
    count_product("row times matrix, rows neighbours", {1, 256, 256}, true, false);
    count_product("row times matrix in panels", {1, 256, 256}, false, true);
    count_integer_product("product of INT8, 48 x 64 x 256", {48, 64, 256});
}

// ---- Convolutions -------------------------------------------------------------------------------

Convolution task_of(const plain::Geometry& g, const unsigned char* x, const unsigned char* w,
                    OperandType x_type, OperandType w_type, unsigned char* out) {
    Convolution task{};
    task.is_backward = g.is_backward;
    task.images = 1;
    task.groups = g.groups;
    task.channels = g.channels;
    task.filters = g.filters;
    for (int d = 0; d < kSpatial; ++d) {
        task.input_sizes[d] = d ? g.input : 1;
        task.filter_sizes[d] = d ? g.filter : 1;
        task.output_sizes[d] = d ? g.output : 1;
        task.strides[d] = d ? g.stride : 1;
        task.dilations[d] = 1;
        task.start_padding[d] = d ? g.padding : 0;
    }
    const auto image = [](const unsigned char* data, OperandType type, std::size_t channels,
                          std::size_t size) {
        const auto element = type == OperandType::kFloat32 ? std::ptrdiff_t{4} : 1;
        const auto n = signed_of(size);
        const std::ptrdiff_t plane = n * n * element;
        return Image{data, type, plane * signed_of(channels), plane, {plane, n * element, element}};
    };
    task.input = image(x, x_type, g.groups * g.channels, g.input);
    task.filter = image(w, w_type, g.is_backward ? g.filters : g.channels, g.filter);
    const auto n = signed_of(g.output);
    task.output = out;
    task.output_channel = 4 * n * n;
    task.output_image = task.output_channel * signed_of(g.groups * g.filters);
    task.output_position[0] = task.output_channel;
    task.output_position[1] = 4 * n;
    task.output_position[2] = 4;
    return task;
}

// Products are those of the input's or output's positions with each tap, whichever are fewer.
std::size_t products_of(const plain::Geometry& g) {
    const std::size_t positions = g.is_backward ? g.input * g.input : g.output * g.output;
    return g.groups * g.channels * g.filters * positions * g.filter * g.filter;
}

void count_convolution(const std::string& name, const plain::Geometry& g) {
    const auto x = numbers(g.groups * g.channels * g.input * g.input);
    const auto w = numbers(g.groups * g.channels * g.filters * g.filter * g.filter);
    std::vector<float> out(g.groups * g.filters * g.output * g.output);
    const Convolution task = task_of(g, bytes(x), bytes(w), OperandType::kFloat32,
                                     OperandType::kFloat32, bytes(out));
    compare<float>(
        name, products_of(g), out,
        [&](const Target& target) { convolve(task, for_products(target)); },
        [&] { plain::convolution(g, x.data(), w.data(), out.data()); });
}

void count_integer_convolution(const std::string& name, const plain::Geometry& g) {
    const auto x = whole_numbers<std::uint8_t>(g.groups * g.channels * g.input * g.input);
    const auto w = whole_numbers<std::int8_t>(g.groups * g.channels * g.filters * g.filter * g.filter);
    std::vector<std::int32_t> out(g.groups * g.filters * g.output * g.output);
    Convolution task = task_of(g, bytes(x), bytes(w), OperandType::kUInt8, OperandType::kInt8,
                               bytes(out));
    const std::int32_t zero = 0;
    task.input_zero = 128;
    task.filter_zero = {&zero, 0};
    compare<std::int32_t>(
        name, products_of(g), out,
        [&](const Target& target) { convolve_integers(task, for_products(target)); },
        [&] { plain::integer_convolution(g, x.data(), 128, w.data(), out.data()); });
}

void count_convolutions() {
    //                                             backward, groups, channels, filters, input, ...
    count_convolution("3x3, 8 to 16 at 14", {false, 1, 8, 16, 14, 3, 14, 1, 1});
    count_convolution("1x1, 32 to 16 at 14", {false, 1, 32, 16, 14, 1, 14, 1, 0});
    count_convolution("7x7 s2, 3 to 16 at 28", {false, 1, 3, 16, 28, 7, 14, 2, 3});
    count_convolution("3x3, 16 to 16 at 7", {false, 1, 16, 16, 7, 3, 7, 1, 1});
    count_convolution("3x3 in 4 groups of 4 to 4 at 14", {false, 4, 4, 4, 14, 3, 14, 1, 1});
    count_convolution("3x3 s2 backward, 8 to 8 at 7", {true, 1, 8, 8, 7, 3, 14, 2, 1});
    count_convolution("depthwise 3x3 at 28", {false, 4, 1, 1, 28, 3, 28, 1, 1});
    count_convolution("depthwise 3x3 s2 at 28", {false, 4, 1, 1, 28, 3, 14, 2, 1});
    count_convolution("depthwise 5x5 at 28", {false, 4, 1, 1, 28, 5, 28, 1, 2});
    count_integer_convolution("3x3 of INT8, 8 to 16 at 14", {false, 1, 8, 16, 14, 3, 14, 1, 1});
}

// ---- Sums ---------------------------------------------------------------------------------------

constexpr std::size_t kRows = 48, kColumns = 256;

void count_sums() {
    const auto x = numbers(kRows * kColumns);
    const std::size_t all = kRows * kColumns;
    const Axis axes[3] = {{4, 4 * all / 4}, {kRows / 4, 4 * kColumns}, {kColumns, 4}};
    const sums::Array array{bytes(x), sums::Type::kSingle, 3, axes};
    std::vector<double> out(all / 4);
    const struct {
        const char* name;
        std::uint64_t reduced;
    } cases[] = {{"last axis", 4}, {"middle axis", 2}, {"first axis", 1}, {"all axes", 7}};
    const auto same = [](double e) { return e; };
    for (const auto& [name, reduced] : cases) {
        const std::size_t plane = all / 4;
        compare<double>(
            std::string("sum, ") + name, all, out,
            [&, reduced = reduced](const Target& target) {
                sums::reduce(array, reduced, sums::Map::kSame, sums::Type::kDouble, bytes(out),
                             one_thread(target));
            },
            [&, reduced = reduced] {
                out.assign(out.size(), 0);
                double* to = out.data();
                if (reduced == 7) *to = plain::sum(x.data(), 1, 0, all, 1, same);
                for (std::size_t i = 0; i < kRows && reduced == 4; ++i) {
                    *to++ = plain::sum(x.data() + i * kColumns, 1, 0, kColumns, 1, same);
                }
                for (std::size_t i = 0; i < 4 && reduced == 2; ++i)
                    for (std::size_t j = 0; j < kColumns; ++j) {
                        *to++ = plain::sum(x.data() + i * plane + j, 1, 0, kRows / 4, kColumns, same);
                    }
                for (std::size_t j = 0; j < plane && reduced == 1; ++j) {
                    *to++ = plain::sum(x.data() + j, 1, 0, 4, plane, same);
                }
            });
    }
}

void count_rows() {
    const auto x = numbers(kRows * kColumns);
    const std::size_t all = kRows * kColumns;
    const Axis axes[2] = {{kRows, 4 * kColumns}, {kColumns, 4}};
    const sums::Array array{bytes(x), sums::Type::kSingle, 2, axes};
    const auto moments = [&](const char* name, std::uint64_t reduced, std::size_t groups,
                             std::size_t step, std::size_t size, std::size_t inner) {
        std::vector<double> out(2 * groups);
        compare<double>(
            name, all, out,
            [&](const Target& target) {
                sums::moments(array, reduced, true, out.data(), out.data() + groups,
                              one_thread(target));
            },
            [&] {
                for (std::size_t g = 0; g < groups; ++g) {
                    plain::moments(x.data() + g * step, size, inner, &out[g], &out[groups + g]);
                }
            });
    };
    moments("mean and variance, last axis", 2, kRows, kColumns, kColumns, 1);
    moments("mean and variance, first axis", 1, kColumns, 1, kRows, kColumns);

    std::vector<float> out(all);
    const std::vector<double> factors(kColumns, 1.5);
    const sums::Rows rows{bytes(x), sums::Type::kSingle, kRows, kColumns};
    const sums::Factors each{bytes(factors), sums::Type::kDouble, 0, 1};
    const auto by_rows = [&](const char* name, const std::function<void(const Target&)>& work,
                             const std::function<void(std::size_t)>& plain_row) {
        compare<float>(name, all, out, work, [&] {
            for (std::size_t i = 0; i < all; i += kColumns) plain_row(i);
        });
    };
    by_rows(
        "layer norm",
        [&](const Target& target) {
            sums::normalize(rows, {true, true, 1e-5, each, each}, sums::Type::kSingle, bytes(out),
                            one_thread(target));
        },
        [&](std::size_t i) {
            plain::layer_norm(&x[i], kColumns, factors.data(), factors.data(), 1e-5, &out[i]);
        });
    by_rows(
        "softmax",
        [&](const Target& target) {
            sums::softmax(rows, sums::Type::kSingle, bytes(out), one_thread(target));
        },
        [&](std::size_t i) { plain::softmax(&x[i], kColumns, false, &out[i]); });
    by_rows(
        "log of softmax",
        [&](const Target& target) { sums::log_softmax(rows, out.data(), one_thread(target)); },
        [&](std::size_t i) { plain::softmax(&x[i], kColumns, true, &out[i]); });
}

void count_scans() {
    constexpr std::size_t kRows = 64, kColumns = 200, all = kRows * kColumns;
    const auto x = numbers(all);
    std::vector<float> out(all);
    const auto count = [&](const char* name, std::uint64_t outer, std::uint64_t size,
                           std::uint64_t inner) {
        const sums::Chains chains{sums::ScanType::kSingle, outer, size, inner, false, false, false};
        compare<float>(
            name, all, out,
            [&](const Target& target) {
                sums::scan(bytes(x), chains, bytes(out), one_thread(target));
            },
            [&] { plain::running_sums(x.data(), outer, size, inner, out.data()); });
    };
    count("running sum, last axis", kRows, kColumns, 1);
    count("running sum, first axis", 1, kRows, kColumns);
}

// ---- Windows, resampling ------------------------------------------------------------------------

void count_windows() {
    constexpr std::size_t kPlanes = 4, kSize = 40;
    const auto x = numbers(kPlanes * kSize * kSize);
    const sums::Windows w{kPlanes, {1, kSize, kSize}, {1, kSize / 2, kSize / 2}, {1, 3, 3},
                          {1, 2, 2}, {1, 1, 1}, {0, 1, 1}};
    std::vector<float> out(kPlanes * kSize * kSize / 4);
    compare<float>(
        "average of 3 x 3, stride 2", out.size(), out,
        [&](const Target& target) {
            sums::average_windows(bytes(x), sums::Type::kSingle, w, sums::Divisor::kInside,
                                  sums::Type::kSingle, bytes(out), one_thread(target));
        },
        [&] { plain::windows(x.data(), kPlanes, kSize, out.data(), plain::average); });
    compare<float>(
        "largest of 3 x 3, stride 2", out.size(), out,
        [&](const Target& target) {
            sums::largest_in_windows(bytes(x), sums::Type::kSingle, w, sums::Type::kSingle, bytes(out),
                                     one_thread(target));
        },
        [&] { plain::windows(x.data(), kPlanes, kSize, out.data(), plain::largest); });

    constexpr std::size_t kLarger = 2 * kSize;
    std::vector<std::int32_t> indices(2 * kLarger);
    std::vector<double> weights(2 * kLarger);
    for (std::size_t j = 0; j < kLarger; ++j) {
        const std::size_t first = j < 1 ? 0 : (j - 1) / 2;
        indices[j] = static_cast<std::int32_t>(first);
        indices[kLarger + j] = static_cast<std::int32_t>(first + 1 < kSize ? first + 1 : first);
        weights[j] = j % 2 ? 0.75 : 0.25;
        weights[kLarger + j] = 1 - weights[j];
    }
    std::vector<float> larger(kPlanes * kLarger * kLarger);
    const sums::Taps taps{2, indices.data(), weights.data()};
    const sums::Images images{kPlanes, kSize, kSize, kLarger, kLarger, taps, taps};
    compare<float>(
        "resampling x 2", larger.size(), larger,
        [&](const Target& target) {
            sums::resample(bytes(x), sums::Type::kSingle, images, sums::Type::kSingle,
                           bytes(larger), one_thread(target));
        },
        [&] {
            plain::resample(x.data(), kPlanes, kSize, indices.data(), weights.data(),
                            larger.data());
        });
}

// ---- Programs -----------------------------------------------------------------------------------

constexpr std::size_t kElements = 8192;

struct Line {
    const char* name;
    const char* from;
    const char* to;
    std::vector<int> sources;
};

// A program of packed inputs, and one constant, 0; the last value is the output.
template <typename Element>
void count_program(const std::string& name, const char* type,
                   const std::vector<const unsigned char*>& inputs, const std::vector<Line>& lines,
                   const std::vector<const char*>& input_types,
                   const std::function<void(std::vector<Element>&)>& plain) {
    programs::Program program;
    for (const char* const input : input_types) {
        programs::Type found;
        programs::find_type(input, &found);
        program.inputs.push_back(found);
    }
    programs::Type zero_type;
    programs::find_type(type, &zero_type);
    program.constants.push_back({zero_type, 0});
    for (const Line& line : lines) {
        programs::Instruction i{};
        programs::find_instruction(line.name, &i);
        programs::find_type(line.from, &i.from);
        programs::find_type(line.to, &i.to);
        for (std::size_t k = 0; k < line.sources.size(); ++k) i.sources[k] = line.sources[k];
        program.instructions.push_back(i);
    }
    program.outputs = {program.first_result() + static_cast<int>(lines.size()) - 1};
    if (const char* const mistake = program.finish()) {
        std::printf("%s: %s\n", name.c_str(), mistake);
        std::exit(1);
    }
    std::vector<Element> out(kElements);
    const std::uint64_t sizes[1] = {kElements};
    std::vector<std::int64_t> strides;
    for (const programs::Type input : program.inputs) {
        strides.push_back(static_cast<std::int64_t>(programs::bytes_of(input)));
    }
    strides.push_back(sizeof(Element));
    std::vector<programs::Operand> operands;
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        operands.push_back({const_cast<unsigned char*>(inputs[n]), &strides[n]});
    }
    operands.push_back({bytes(out), &strides.back()});
    compare<Element>(
        name, kElements, out,
        [&](const Target& target) {
            programs::run(program, {1, sizes, operands.data()}, one_thread(target));
        },
        plain ? [&] { plain(out); } : std::function<void()>());
}

void count_programs() {
    const auto x = numbers(kElements), y = numbers(kElements);
    const auto i = whole_numbers<std::int32_t>(kElements), j = whole_numbers<std::int32_t>(kElements);
    const auto b = whole_numbers<std::int8_t>(kElements);
    const std::vector<std::uint16_t> halves(kElements, 0x3800);
    const char *const f = "float32", *const u = "uint8";
    using Floats = std::vector<float>;
    using Integers = std::vector<std::int32_t>;
    const auto floats = [&](auto of) {
        return [&, of](Floats& out) {
            for (std::size_t k = 0; k < kElements; ++k) out[k] = of(x[k], y[k]);
        };
    };
    const std::vector<const unsigned char*> both{bytes(x), bytes(y)};
    count_program<float>(
        "relu(x * y + x) - y", f, both,
        {{"multiply", f, f, {0, 1}}, {"add", f, f, {3, 0}}, {"less_equal", f, u, {4, 2}},
         {"choose", "uint32", "uint32", {5, 2, 4}}, {"subtract", f, f, {6, 1}}},
        {f, f}, floats([](float a, float c) {
            const float s = a * c + a;
            return (s <= 0 ? 0.0f : s) - c;
        }));
    count_program<float>("x + y", f, both, {{"add", f, f, {0, 1}}}, {f, f},
                         floats([](float a, float c) { return a + c; }));
    count_program<float>("x / y", f, both, {{"divide", f, f, {0, 1}}}, {f, f},
                         floats([](float a, float c) { return a / c; }));
    count_program<float>("x to the nearest integer", f, {bytes(x)}, {{"rint", f, f, {0}}}, {f},
                         floats([](float a, float) { return std::nearbyint(a); }));
    count_program<std::int32_t>("INT32 + INT32", "int32", {bytes(i), bytes(j)},
                                {{"add", "int32", "int32", {0, 1}}}, {"int32", "int32"},
                                [&](Integers& out) {
                                    for (std::size_t k = 0; k < kElements; ++k) out[k] = i[k] + j[k];
                                });
    count_program<std::int32_t>("INT32 modulo INT32", "int32", {bytes(i), bytes(j)},
                                {{"fmod", "int32", "int32", {0, 1}}}, {"int32", "int32"},
                                [&](Integers& out) {
                                    for (std::size_t k = 0; k < kElements; ++k) out[k] = i[k] % j[k];
                                });
    count_program<float>("INT8 to FLOAT32", f, {bytes(b)}, {{"convert", "int8", f, {0}}}, {"int8"},
                         [&](Floats& out) {
                             for (std::size_t k = 0; k < kElements; ++k) out[k] = b[k];
                         });
    count_program<float>("FLOAT16 to FLOAT32", f, {bytes(halves)},
                         {{"convert", "float16", f, {0}}}, {"float16"}, nullptr);
    count_program<std::uint16_t>("FLOAT32 to FLOAT16", f, {bytes(x)},
                                 {{"convert", f, "float16", {0}}}, {f}, nullptr);
}

// ---- Functions ----------------------------------------------------------------------------------

// In FLOAT64 by the C library, rounded: nearly always right.
double function_of(functions::Function function, double x, double y) {
    using functions::Function;
    switch (function) {
        case Function::kExp: return std::exp(x);
        case Function::kExpm1: return std::expm1(x);
        case Function::kLog: return std::log(x);
        case Function::kSin: return std::sin(x);
        case Function::kCos: return std::cos(x);
        case Function::kTan: return std::tan(x);
        case Function::kAsin: return std::asin(x);
        case Function::kAcos: return std::acos(x);
        case Function::kAtan: return std::atan(x);
        case Function::kSinh: return std::sinh(x);
        case Function::kCosh: return std::cosh(x);
        case Function::kTanh: return std::tanh(x);
        case Function::kAsinh: return std::asinh(x);
        case Function::kAcosh: return std::acosh(x);
        case Function::kAtanh: return std::atanh(x);
        case Function::kErf: return std::erf(x);
        case Function::kSigmoid: return 1 / (1 + std::exp(-x));
        case Function::kSoftplus: return std::log1p(std::exp(x));
        case Function::kGelu: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
        case Function::kSqrt: return std::sqrt(x);
        case Function::kRsqrt: return 1 / std::sqrt(x);
        case Function::kRecip: return 1 / x;
        case Function::kPow: return std::pow(x, y);
        default: return std::atan2(x, y);
    }
}

void count_functions() {
    for (int k = 0; k < functions::kFunctionCount; ++k) {
        const auto function = static_cast<functions::Function>(k);
        auto x = numbers(kElements), y = numbers(kElements);
        if (function == functions::Function::kAcosh) {
            for (float& e : x) e += 1;  // it has no results below
        }
        std::vector<float> out(kElements);
        const functions::Operands operands{
            1 + functions::kFacts[k].arguments, {bytes(out), bytes(x), bytes(y)}, 1, {kElements},
            {{4}, {4}, {4}}};
        compare<float>(
            functions::kFacts[k].name, kElements, out,
            [&](const Target& target) {
                functions::apply(function, functions::Result::kSingle, operands, one_thread(target));
            },
            [&] {
                for (std::size_t j = 0; j < kElements; ++j) {
                    out[j] = static_cast<float>(function_of(function, static_cast<double>(x[j]),
                                                            static_cast<double>(y[j])));
                }
            });
    }
}

}  // namespace

}  // namespace indirectml

int main(int count, char** words) {
    if (count > 1) indirectml::g_asked_for = words[1];
    const indirectml::DefaultFloatModes modes;
    indirectml::count_products();
    indirectml::count_convolutions();
    indirectml::count_sums();
    indirectml::count_rows();
    indirectml::count_scans();
    indirectml::count_windows();
    indirectml::count_programs();
    indirectml::count_functions();
    return 0;
}
