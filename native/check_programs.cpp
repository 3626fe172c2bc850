// Random programs over random layouts on every target of this machine, with one thread and several,
// against the portable one, bit for bit; for sanitizers and emulators. What a program gives is
// compared with NumPy in tests/native/test_programs.py.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "check_instructions.h"
#include "check_support.h"
#include "programs/program.h"

namespace indirectml {
namespace {

using programs::bytes_of;
using programs::Instruction;
using programs::Program;
using programs::Type;

Random random_numbers(0);
std::size_t random_below(std::size_t end) { return random_numbers.below(end); }

const char* const kNames[] = {
    "absolute", "negative", "ceil", "floor", "rint", "trunc", "sign", "canonical", "invert", "add",
    "subtract", "multiply", "divide", "floor_divide", "fmod", "remainder", "maximum", "minimum",
    "copysign", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "choose",
    "isnan", "isinf", "signbit", "bitwise_count", "less", "less_equal", "equal", "not_equal",
    "convert", "truncate", "quantize", "exp", "tanh", "pow", "sqrt"};
const char* const kTypes[] = {"float32", "float32", "float32", "float64", "float64", "float16", "int8",
                              "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};

Type random_type() {
    Type type;
    programs::find_type(kTypes[random_below(sizeof(kTypes) / sizeof(kTypes[0]))], &type);
    return type;
}

// Adds an instruction that the program's types allow; whether one was found.
bool grow(Program& program, const std::vector<Type>& types) {
    Instruction i{};
    programs::find_instruction(kNames[random_below(sizeof(kNames) / sizeof(kNames[0]))], &i);
    const auto last = static_cast<int>(random_below(types.size()));
    i.from = types[static_cast<std::size_t>(last)];
    const bool is_choice = i.source_count == 3;
    if (is_choice) {
        const char* const bits[] = {"", "uint8", "uint16", "", "uint32", "", "", "", "uint64"};
        programs::find_type(bits[bytes_of(i.from)], &i.from);
    }
    for (int k = 0; k < i.source_count; ++k) {
        int& source = i.sources[k];
        for (int tries = 0; tries < 20; ++tries) {
            source = static_cast<int>(random_below(types.size()));
            const Type type = types[static_cast<std::size_t>(source)];
            const bool fits = is_choice && k == 0 ? type == Type::kUInt8
                              : is_choice         ? bytes_of(type) == bytes_of(i.from)
                                                  : type == i.from;
            if (fits) break;
            if (tries == 19) return false;
        }
    }
    for (const Type to : {i.from, Type::kUInt8, random_type()}) {
        i.to = to;
        Program trial = program;
        trial.instructions.push_back(i);
        trial.outputs = {0};
        if (trial.finish()) continue;
        program.instructions.push_back(i);
        return true;
    }
    return false;
}

Program random_program() {
    Program program;
    for (std::size_t n = 1 + random_below(4); n > 0; --n) program.inputs.push_back(random_type());
    std::vector<Type> types = program.inputs;
    for (std::size_t n = random_below(3); n > 0; --n) {
        program.constants.push_back({random_type(), random_numbers.word()});
        types.push_back(program.constants.back().type);
    }
    const std::size_t most = 1 + random_below(24);
    for (int tries = 0; tries < 400 && program.instructions.size() < most; ++tries) {
        if (grow(program, types)) types.push_back(program.instructions.back().to);
    }
    for (std::size_t n = 1 + random_below(3); n > 0; --n) {
        program.outputs.push_back(static_cast<int>(types.size() - 1 - random_below(std::min<std::size_t>(types.size(), 4))));
    }
    return program;
}

// What quantized networks have most: numbers quantized or dequantized, or two dequantized, added and quantized, each with
// a scale and a zero point for all of them, or, of a third input, a scale for each row.
Program usual_quantization() {
    enum { kQuantized, kDequantized, kSum };
    const std::size_t what = random_below(3);
    const Type single = Type::kFloat32, byte = random_below(2) ? Type::kInt8 : Type::kUInt8;
    Program program;
    program.inputs = {what == kQuantized ? single : byte, byte};
    const bool has_scales = what == kQuantized && random_below(2);
    if (has_scales) program.inputs.push_back(single);
    const int scales = program.first_constant(), zeros = scales + 3;  // from there on, three each
    for (int n = 0; n < 3; ++n) {
        // A power of two now and then, whose quotients lie halfway between integers; others up to 2^-3 or, a few, 2^31.
        const int least = random_below(8) ? -9 : -31, most = random_below(8) ? -3 : 31;
        const float fraction = random_below(8) ? static_cast<float>(random_below(1 << 23)) * 0x1p-23f : 0;
        const float scale = std::ldexp(1 + fraction, least + static_cast<int>(random_below(static_cast<std::size_t>(most - least))));
        program.constants.push_back({single, to_bits(scale)});
    }
    for (int n = 0; n < 3; ++n) {
        const float zero = static_cast<float>(random_below(256)) - (byte == Type::kInt8 ? 128.0f : 0.0f);
        program.constants.push_back({single, to_bits(zero)});
    }
    const auto add = [&](const char* name, Type from, Type to, std::initializer_list<int> sources) {
        return add_instruction(program, name, from, to, sources);
    };
    const auto dequantized = [&](int x) {
        const int number = add("convert", byte, single, {x});
        const int moved = add("subtract", single, single, {number, zeros + x});
        return add("multiply", single, single, {moved, scales + x});
    };
    int last = what == kQuantized ? 0 : dequantized(0);
    if (what == kSum) last = add("add", single, single, {last, dequantized(1)});
    if (what != kDequantized) {
        last = add("divide", single, single, {last, has_scales ? 2 : scales + 2});
        last = add("quantize", single, byte, {last, zeros + 2});
    }
    program.outputs = {last};
    return program;
}

// What begins with any number, is quantized and dequantized again and again, and added to another one: a
// chain, which random programs seldom are.
Program random_quantization() {
    if (random_below(3) == 0) return usual_quantization();
    Program program;
    const Type kinds[] = {Type::kInt32, Type::kUInt8, Type::kInt8, Type::kFloat32};
    program.inputs = {kinds[random_below(4)], kinds[random_below(4)], Type::kFloat32, Type::kFloat32};
    program.constants = {{Type::kFloat32, 0x7FC00000}};
    std::vector<Type> types = program.inputs;
    types.push_back(Type::kFloat32);
    const auto add = [&](const char* name, Type to, std::vector<int> sources) {
        types.push_back(to);
        return add_instruction(program, name, types[static_cast<std::size_t>(sources[0])], to, sources);
    };
    const auto number = [&](int x) {
        const bool is_float = types[static_cast<std::size_t>(x)] == Type::kFloat32;
        return is_float ? x : add("convert", Type::kFloat32, {x});
    };
    const auto canonical = [&](int x) {
        const int mask = add("isnan", Type::kUInt8, {x});
        types.push_back(Type::kFloat32);
        return add_instruction(program, "choose", Type::kUInt32, Type::kUInt32, {mask, 4, x});
    };
    int ends[2];
    for (int& x : ends) {
        x = number(&x == ends ? 0 : 1);
        for (std::size_t n = random_below(6); n > 0; --n) {
            const char* const names[] = {"multiply", "divide", "subtract", "add", "quantize"};
            const std::size_t which = random_below(5);
            const int other = 2 + static_cast<int>(random_below(2));
            x = number(add(names[which], which == 4 ? kinds[1 + random_below(2)] : Type::kFloat32,
                           {x, other}));
            if (random_below(4) == 0) x = canonical(x);
        }
    }
    int last = add("add", Type::kFloat32, {ends[0], ends[1]});
    if (random_below(2)) last = add("quantize", kinds[1 + random_below(2)], {last, 3});
    program.outputs = {last};
    if (random_below(4) == 0) program.outputs.push_back(ends[0]);
    return program;
}

// An operand in memory of its own, with bytes before and behind that nobody may write.
struct Array {
    std::vector<unsigned char> memory;
    std::vector<std::int64_t> strides;
    std::size_t begin;

    // Of images, those that are turned have the channels of a pixel beside each other; others, all axes.
    Array(const std::vector<std::uint64_t>& sizes, std::size_t bytes, bool is_output, bool are_images)
        : strides(sizes.size()) {
        std::int64_t span = static_cast<std::int64_t>(bytes);
        const bool is_turned = random_below(4) == 0;
        for (std::size_t n = 0; n < sizes.size(); ++n) {
            const std::size_t k = !is_turned     ? sizes.size() - 1 - n
                                  : are_images ? (n + 1) % sizes.size()
                                               : n;
            if (!is_output && random_below(4) == 0) continue;  // repeated
            strides[k] = span;
            span *= static_cast<std::int64_t>(sizes[k] + (random_below(4) == 0 ? 1 : 0));
        }
        begin = 64 + random_below(2) * bytes;
        if (random_below(8) == 0) ++begin;
        memory.resize(static_cast<std::size_t>(span) + begin + 64);
        for (unsigned char& byte : memory) byte = static_cast<unsigned char>(random_numbers.word());
        // Numbers near 1 are likelier to meet than any bits, and so are infinities, NaNs and zeros.
        constexpr std::uint32_t kSpecial[] = {0x7F800000, 0xFF800000, 0x7FC00001, 0xFF812345,
                                              0x80000000, 0};
        for (std::size_t j = begin; bytes == 4 && j + 4 <= memory.size(); j += 4) {
            const std::size_t kind = random_below(8);
            if (kind == 0) std::memcpy(memory.data() + j, &kSpecial[random_below(6)], 4);
            if (kind < 3) continue;
            const float number = static_cast<float>(static_cast<int>(random_below(64)) - 32) / 8;
            std::memcpy(memory.data() + j, &number, 4);
        }
        // Of FLOAT64, as far as that is what they are. Some lie between two FLOAT16.
        constexpr std::uint64_t kSpecialDoubles[] = {
            0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001, 0xFFF0123400000000,
            0x8000000000000000, 0x40EFFDFFFFFFFFFF, 0x40EFFE0000000000, 0x3FF0020000000001};
        for (std::size_t j = begin; bytes == 8 && j + 8 <= memory.size(); j += 8) {
            const std::size_t kind = random_below(8);
            if (kind == 0) std::memcpy(memory.data() + j, &kSpecialDoubles[random_below(8)], 8);
            if (kind < 3) continue;
            const double number = static_cast<double>(static_cast<int>(random_below(64)) - 32) / 8;
            std::memcpy(memory.data() + j, &number, 8);
        }
    }

    // Zero points are no larger: those of 8 bits.
    void limit() {
        constexpr float kMost = 0x1p29f;
        for (std::size_t j = begin; j + sizeof(float) <= memory.size(); j += sizeof(float)) {
            float number;
            std::memcpy(&number, memory.data() + j, sizeof(number));
            if (number != number) continue;
            number = std::clamp(number, -kMost, kMost);
            std::memcpy(memory.data() + j, &number, sizeof(number));
        }
    }
};

std::size_t failures = 0, compared = 0;
// FNV-1a of what the portable target makes of the first programs. It changes where an operation or
// the layout is broken for all targets alike; that they are right is shown in
// tests/native/test_programs.py.
std::uint64_t digest = 0xCBF29CE484222325;
constexpr std::uint64_t kDigest = 0xF8EAD9A90C7D6E07;
constexpr std::size_t kDigested = 400;

void check(std::size_t number) {
    const bool is_chain = number >= kDigested && number % 2 != 0;
    Program program = is_chain ? random_quantization() : random_program();
    if (const char* mistake = program.finish()) {
        std::printf("program %zu: %s\n", number, mistake);
        ++failures;
        return;
    }
    std::vector<std::uint64_t> sizes(random_below(4));
    for (std::uint64_t& size : sizes) size = 1 + random_below(random_below(4) == 0 ? 300 : 6);
    if (random_below(is_chain ? 2 : 16) == 0) sizes = {40000 + random_below(100)};
    const bool are_images = number >= kDigested && number % 8 < 2;
    if (are_images) sizes = {1 + random_below(3), 1 + random_below(12), 1 + random_below(random_below(2) ? 300 : 16)};
    const bool has_row_scales = is_chain && program.inputs.size() == 3;
    if (has_row_scales) sizes = {2 + random_below(2), 2 + random_below(6), 128 + random_below(300)};
    std::vector<Array> arrays;
    for (const Type type : program.inputs) arrays.emplace_back(sizes, bytes_of(type), false, are_images);
    for (std::size_t n = 2; is_chain && n < program.inputs.size(); ++n) arrays[n].limit();
    if (has_row_scales) arrays[2].strides.front() = arrays[2].strides.back() = 0;  // so that axes are not one
    const auto bytes_of_output = [&](std::size_t n) {
        return bytes_of(program.types[static_cast<std::size_t>(program.outputs[n])]);
    };
    for (std::size_t n = 0; n < program.outputs.size(); ++n) {
        arrays.emplace_back(sizes, bytes_of_output(n), true, are_images);
    }
    // Which array an operand is: an output may be an input.
    std::vector<std::size_t> places(arrays.size());
    for (std::size_t n = 0; n < places.size(); ++n) places[n] = n;
    const bool is_repeated = std::count(arrays[0].strides.begin(), arrays[0].strides.end(), 0) > 0;
    const bool fits = bytes_of(program.inputs[0]) == bytes_of_output(0) && !is_repeated;
    if (random_below(3) == 0 && fits) places[program.inputs.size()] = 0;
    std::vector<Array> expected;
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) {
        for (const unsigned threads : {1u, 3u}) {
            std::vector<Array> own = arrays;
            std::vector<programs::Operand> operands;
            for (const std::size_t place : places) {
                Array& array = own[place];
                operands.push_back({array.memory.data() + array.begin, array.strides.data()});
            }
            // Past the caches, if there are more threads than one.
            const Policy policy{targets.begin[k], threads, threads > 1 ? 0 : ~std::uint64_t{0}};
            programs::run(program, {static_cast<int>(sizes.size()), sizes.data(), operands.data()},
                          policy);
            if (expected.empty()) {
                expected = own;
                for (std::size_t n = program.inputs.size(); n < own.size(); ++n) {
                    if (number >= kDigested) break;
                    for (const unsigned char byte : own[places[n]].memory) {
                        digest = (digest ^ byte) * 0x100000001B3;
                    }
                }
            }
            ++compared;
            for (std::size_t n = 0; n < own.size(); ++n) {
                if (own[n].memory == expected[n].memory) continue;
                std::printf("program %zu differs on %s, operand %zu\n", number,
                            targets.begin[k]->name, n);
                ++failures;
            }
        }
    }
    // What lies between and around the elements of outputs stays; and so do inputs.
    for (std::size_t n = 0; n < arrays.size(); ++n) {
        std::vector<unsigned char> may_change(arrays[n].memory.size(), 0);
        const auto inputs = static_cast<std::ptrdiff_t>(program.inputs.size());
        const auto writer = std::find(places.begin() + inputs, places.end(), n);
        if (writer != places.end()) {
            const auto output = static_cast<std::size_t>(writer - places.begin() - inputs);
            std::uint64_t count = 1;
            for (const std::uint64_t size : sizes) count *= size;
            for (std::uint64_t j = 0; j < count; ++j) {
                std::uint64_t rest = j;
                auto at = static_cast<std::int64_t>(arrays[n].begin);
                for (std::size_t k = sizes.size(); k-- > 0;) {
                    at += static_cast<std::int64_t>(rest % sizes[k]) * arrays[n].strides[k];
                    rest /= sizes[k];
                }
                std::fill_n(may_change.begin() + at, bytes_of_output(output),
                            static_cast<unsigned char>(1));
            }
        }
        for (std::size_t j = 0; j < may_change.size(); ++j) {
            if (may_change[j] || arrays[n].memory[j] == expected[n].memory[j]) continue;
            std::printf("program %zu writes beside operand %zu\n", number, n);
            ++failures;
            break;
        }
    }
}

// (x - mean) / deviation * scale + bias
template <typename Add>
int normalization(const Add& add, int x, int mean, int deviation, int scale, int bias) {
    const Type single = Type::kFloat32;
    x = add("divide", single, single, {add("subtract", single, single, {x, mean}), deviation});
    return add("add", single, single, {add("multiply", single, single, {scale, x}), bias});
}

// What follows a convolution in most networks: a normalization of the pixels, and an activation, with each
// result rounded to FLOAT16 or none.
template <typename Add>
int usual_end(bool rounds, bool begins_with_half, bool has_half_rows, const Add& add) {
    const Type single = Type::kFloat32, half = Type::kFloat16, mask = Type::kUInt8, bits = Type::kUInt32;
    const auto rounded = [&](int x) {
        return rounds ? add("convert", half, single, {add("convert", single, half, {x})}) : x;
    };
    const auto limited = [&](const char* test, int a, int b, int chosen, int x) {
        return add("choose", bits, bits, {add(test, single, mask, {a, b}), chosen, x});
    };
    const int row = has_half_rows ? add("convert", half, single, {2}) : 2;
    const auto normalized = [&](int x) { return rounded(normalization(add, x, 1, row, row, 1)); };
    // What is added to it: an input, or what is made of one, block by block or by a chain of its own.
    int beside = 3;
    switch (random_below(4)) {
        case 0: break;
        case 1: beside = normalized(3); break;
        default: beside = add("subtract", single, single, {3, 1});
    }
    int x = normalized(begins_with_half ? add("convert", half, single, {0}) : rounded(0));
    switch (random_below(7)) {
        case 6: {
            // A hard swish that divides by its limit, now and then by another number.
            const int y = add("add", single, single, {x, 6}), low = limited("less", y, 5, 5, y);
            const int factor = add("canonical", single, single, {limited("less", 4, low, 4, low)});
            const int product = add("multiply", single, single, {x, factor});
            return add("divide", single, single, {product, random_below(4) ? 4 : 7});
        }
        case 0: {
            const int low = limited("less", x, 5, 5, x);
            return limited("less", 4, low, 4, low);
        }
        case 1: return limited("less_equal", x, 5, 5, x);
        case 2: return rounded(add("add", single, single, {x, beside}));
        case 3: x = rounded(add("add", single, single, {x, beside})); return limited("less_equal", x, 5, 5, x);
        case 4: {
            // The test for the lower limit stands before that for the upper one, and both ask the same number;
            // now and then the lower one is more.
            const int low = random_below(4) ? 5 : 6, high = random_below(4) ? 6 : 4 + static_cast<int>(random_below(2));
            const int y = add("add", single, single, {add("multiply", single, single, {x, 4}), 7});
            const int is_low = add("less_equal", single, mask, {y, low});
            const int upper = limited("less_equal", high, y, high, y);
            return add("multiply", single, single, {x, add("choose", bits, bits, {is_low, low, upper})});
        }
        default: return x;
    }
}

// A chain of operations over pixels and their channels, with roundings to FLOAT16 on the way.
Program random_chain() {
    Program program;
    const Type single = Type::kFloat32, half = Type::kFloat16, mask = Type::kUInt8;
    const Type first = random_below(2) ? single : half;
    const bool has_half_rows = random_below(2) != 0;
    // Pixels, two rows, as many numbers as pixels.
    program.inputs = {first, single, has_half_rows ? half : single, single};
    program.constants = {{single, 0x3FC00000}, {single, 0}, {single, 0x3F800000}, {single, 0x3F000000},
                         {single, 0x3FB504F3}};
    const auto add = [&](const char* name, Type from, Type to, std::initializer_list<int> sources) {
        return add_instruction(program, name, from, to, sources);
    };
    const auto silu = [&](int x) { return add("multiply", single, single, {x, add("sigmoid", single, single, {x})}); };
    const auto gelu = [&](int x, int root, int half_or_other) {
        const int erf = add("erf", single, single, {add("divide", single, single, {x, root})});
        const int share = add("add", single, single, {erf, 6});
        return add("multiply", single, single, {add("multiply", single, single, {x, share}), half_or_other});
    };
    // Chains whose ends have code of their own.
    if (first == single && random_below(4) == 0) {
        program.inputs[2] = single;
        const int x = random_below(2) ? normalization(add, 0, 1, 2, 1, 2) : add("add", single, single, {0, 3});
        program.outputs = {random_below(2) ? silu(x) : gelu(x, 8, 7)};
        return program;
    }
    const bool chooses_alone = first == single && random_below(3) == 0;  // which keeps NaNs
    int number = 0;
    if (first == half) {
        number = add("convert", half, single, {0});
    } else if (!chooses_alone && random_below(2)) {
        number = add("add", single, single, {0, 4});
    }
    const int start = first == half ? number : 0;  // the pixels as FLOAT32
    int wide = 1;
    std::size_t left = random_below(10);
    const auto rounded = [&](int x) { return add("convert", half, single, {add("convert", single, half, {x})}); };
    if (chooses_alone && random_below(3) == 0) {  // a relu
        const int x = random_below(2) ? rounded(0) : 0;
        number = add("choose", Type::kUInt32, Type::kUInt32, {add("less_equal", single, mask, {x, 5}), 5, x});
        left = 0;
    }
    for (; left > 0; --left) {
        const char* const names[] = {"add", "subtract", "multiply", "divide"};
        const int others[] = {1, wide, 3, 4};
        const int other = others[random_below(4)];
        switch (chooses_alone ? 1 : random_below(7)) {
            case 0: number = rounded(number); break;
            case 1: {
                const char* const name = random_below(2) ? "less" : "less_equal";
                const int limit = random_below(2) ? 4 : 5;
                const int truth = random_below(2) ? add(name, single, mask, {number, limit})
                                                  : add(name, single, mask, {limit, number});
                number = add("choose", Type::kUInt32, Type::kUInt32, {truth, 4, number});
                break;
            }
            case 2: wide = has_half_rows ? add("convert", half, single, {2}) : 2; break;
            case 4: number = add("add", single, single, {number, start}); break;
            case 3: number = normalization(add, number, 1, wide, 1, wide); break;
            default: {
                const char* const name = names[random_below(4)];
                number = random_below(2) ? add(name, single, single, {number, other})
                                         : add(name, single, single, {other, number});
            }
        }
    }
    if (!chooses_alone && random_below(2)) number = usual_end(random_below(2) != 0, first == half, has_half_rows, add);
    switch (random_below(7)) {
        case 0: number = silu(number); break;
        case 1: number = gelu(number, random_below(4) ? 8 : 4, random_below(4) ? 7 : 4); break;
        case 4: number = rounded(number); break;
        case 2: case 3:
            if (number != 0) break;
            [[fallthrough]];
        default: number = add("canonical", single, single, {number});
    }
    if (random_below(2)) number = add("convert", single, half, {number});
    program.outputs = {number};
    return program;
}

// A few elements at a time, for which no chain is looked for.
void run_by_elements(const Program& program, const programs::Task& task, const Policy& policy) {
    constexpr std::uint64_t kFew = 256;
    std::vector<programs::Operand> operands(task.operands, task.operands + program.inputs.size() + 1);
    for (std::uint64_t pixel = 0; pixel < task.sizes[0]; ++pixel) {
        for (std::uint64_t begin = 0; begin < task.sizes[1]; begin += kFew) {
            const std::uint64_t sizes[] = {1, std::min(kFew, task.sizes[1] - begin)};
            for (std::size_t n = 0; n < operands.size(); ++n) {
                const std::int64_t* const strides = task.operands[n].strides_bytes;
                operands[n].data = task.operands[n].data + static_cast<std::int64_t>(pixel) * strides[0] +
                                   static_cast<std::int64_t>(begin) * strides[1];
            }
            programs::run(program, {2, sizes, operands.data()}, policy);
        }
    }
}

// Of all targets and of pieces of rows, against the portable one's few elements at a time.
void check_chain(std::size_t number) {
    Program program = random_chain();
    if (const char* mistake = program.finish()) {
        std::printf("chain %zu: %s\n", number, mistake);
        ++failures;
        return;
    }
    const std::uint64_t pixels = 16 + random_below(200), whole = 16 * (1 + random_below(18));
    const std::uint64_t channels = random_below(2) ? whole : 5 + random_below(number % 8 ? 300 : 2500);
    // Rows of pixels lie apart now and then, as in a part of a larger tensor.
    const std::uint64_t row = channels + (random_below(3) ? 0 : 1 + random_below(40));
    // Rows are for all pixels, or of one number for each, or there are none.
    const std::uint64_t kind = random_below(4);
    const bool has_rows = kind > 1, has_each = kind == 1;
    const std::uint64_t sizes[] = {pixels, channels};
    const Type types[] = {program.inputs[0], program.inputs[1], program.inputs[2],
                          program.inputs[3], program.types.back()};
    std::vector<std::vector<unsigned char>> memories;
    std::vector<std::vector<std::int64_t>> strides;
    for (const Type type : types) {
        const bool is_other = memories.size() == 1 || memories.size() == 2;
        const bool is_row = has_rows && is_other, is_each = has_each && is_other;
        const auto bytes = static_cast<std::int64_t>(bytes_of(type));
        if (is_each) {
            strides.push_back({bytes * static_cast<std::int64_t>(1 + random_below(8) / 7), 0});
        } else {
            strides.push_back({is_row ? 0 : bytes * static_cast<std::int64_t>(row), bytes});
        }
        memories.emplace_back((is_row ? channels : is_each ? 2 * pixels : pixels * row) * bytes_of(type));
        for (unsigned char& byte : memories.back()) {
            byte = static_cast<unsigned char>(random_numbers.word());
        }
        if (number % 4 == 0) continue;
        // Rows of numbers near 1, and pixels most of which are; of FLOAT16 by its bits, from 2^-2 to 2^4.
        for (std::size_t j = 0; j < memories.back().size(); j += bytes_of(type)) {
            if (!is_row && !(is_each && random_below(8)) && random_below(256) == 0) {
                if (random_below(2)) continue;
                const std::size_t last = j + bytes_of(type) - 1;  // of a NaN
                memories.back()[last] |= 0x7F;
                memories.back()[last - 1] |= 0x80;
                continue;
            }
            if (type == Type::kFloat16) {
                const auto bits = static_cast<std::uint16_t>(0x3400 + random_below(6 << 10));
                std::memcpy(memories.back().data() + j, &bits, sizeof(bits));
            } else {
                const float unit = random_below(8) ? 0x1p-20f : 0.0f;
                float x = (static_cast<float>(random_below(1 << 24)) - 0x1p23f) * unit;
                if (memories.size() == 3) x = std::fabs(x) + 0x1p-2f;  // of what is divided by
                std::memcpy(memories.back().data() + j, &x, sizeof(x));
            }
        }
    }
    // Results may take the place of the pixels, and what lies between rows stays.
    const auto fill_output = [&] {
        if (types[4] == types[0]) {
            memories.back() = memories[0];
        } else {
            std::fill(memories.back().begin(), memories.back().end(), static_cast<unsigned char>(0));
        }
    };
    std::vector<unsigned char> expected;
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) {
        std::vector<programs::Operand> operands;
        for (std::size_t n = 0; n < memories.size(); ++n) {
            operands.push_back({memories[n].data(), strides[n].data()});
        }
        const programs::Task task{2, sizes, operands.data()};
        const Policy policy{targets.begin[k], 1, ~std::uint64_t{0}};
        const std::uint64_t cut = random_below(pixels + 1) * channels;
        if (expected.empty()) {
            fill_output();
            run_by_elements(program, task, policy);
            expected = memories.back();
        }
        // Where the pixels lie, as soon as nobody asks for them, and results take as many bytes.
        const std::vector<unsigned char> pixels_before = memories[0];
        if (types[4] == types[0]) {
            operands[4].data = operands[0].data;
            programs::run(program, task, policy);
            operands[4].data = memories.back().data();
            const std::vector<unsigned char> in_place = std::exchange(memories[0], pixels_before);
            operands[0].data = memories[0].data();
            ++compared;
            if (in_place != expected) {
                std::printf("chain %zu differs on %s, in place\n", number, targets.begin[k]->name);
                ++failures;
            }
        }
        for (const bool in_pieces : {false, true}) {
            fill_output();
            if (in_pieces) {
                programs::Repeated repeated(program, task, policy);
                repeated.run(cut, pixels * channels);
                repeated.run(0, cut);
            } else {
                programs::run(program, task, policy);
            }
            ++compared;
            if (memories.back() == expected) continue;
            std::printf("chain %zu differs on %s%s\n", number, targets.begin[k]->name,
                        in_pieces ? ", in pieces" : "");
            ++failures;
        }
    }
}

// Images whose channels lie beside each other, read in the order of channels: as they are read from a copy in that
// order, one element after the other.
void check_turned(Type type, const std::vector<std::uint64_t>& sizes) {
    Program program;
    program.inputs = {type};
    const Type to = type == Type::kFloat32 ? Type::kFloat64 : Type::kFloat32;
    program.outputs = {add_instruction(program, "convert", type, to, {0})};
    if (const char* mistake = program.finish()) {
        std::printf("a conversion: %s\n", mistake);
        ++failures;
        return;
    }
    const std::size_t bytes = bytes_of(type), bytes_out = bytes_of(to);
    const std::size_t images = sizes[0], channels = sizes[1], pixels = sizes[2];
    const std::uint64_t count = images * channels * pixels;
    std::vector<unsigned char> turned(count * bytes), packed(count * bytes);
    std::vector<unsigned char> expected(count * bytes_out), out(count * bytes_out);
    for (unsigned char& byte : packed) byte = static_cast<unsigned char>(random_below(64));
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t pixel = n % pixels, channel = n / pixels % channels, image = n / pixels / channels;
        std::memcpy(&turned[((image * pixels + pixel) * channels + channel) * bytes], &packed[n * bytes], bytes);
    }
    const auto item = static_cast<std::int64_t>(bytes), item_out = static_cast<std::int64_t>(bytes_out);
    const std::int64_t one[] = {item}, one_out[] = {item_out};
    const programs::Operand plain[] = {{packed.data(), one}, {expected.data(), one_out}};
    programs::run(program, {1, &count, plain}, {available_targets().begin[0], 1, ~std::uint64_t{0}});
    const auto c = static_cast<std::int64_t>(channels), p = static_cast<std::int64_t>(pixels);
    const std::int64_t strides[] = {c * p * item, item, c * item};
    const std::int64_t out_strides[] = {c * p * item_out, p * item_out, item_out};
    const programs::Operand operands[] = {{turned.data(), strides}, {out.data(), out_strides}};
    for (const unsigned threads : {1u, 3u}) {
        std::fill(out.begin(), out.end(), static_cast<unsigned char>(7));
        programs::run(program, {3, sizes.data(), operands},
                      {available_targets().begin[0], threads, ~std::uint64_t{0}});
        ++compared;
        if (out == expected) continue;
        std::printf("channels of %zu bytes, %zu x %zu x %zu, differ in the order of channels\n", bytes, images,
                    channels, pixels);
        ++failures;
    }
}

}  // namespace
}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    const int programs = count == 2 ? std::atoi(words[1]) : 3000;
    if (count > 2 || programs <= 0) {
        std::printf("check_programs: the only argument is a number of programs\n");
        return 2;
    }
    for (std::size_t number = 0; number < static_cast<std::size_t>(programs); ++number) {
        check(number);
        if (number + 1 != kDigested) continue;
        ++compared;
        if (digest == kDigest) continue;
        std::printf("the digest is 0x%016" PRIX64 ", not 0x%016" PRIX64 "\n", digest, kDigest);
        ++failures;
    }
    for (std::size_t number = 0; number < static_cast<std::size_t>(programs) / 4; ++number) {
        check_chain(number);
    }
    for (const Type type : {Type::kUInt8, Type::kFloat16, Type::kFloat32, Type::kFloat64}) {
        // Rows that share a block, in squares and beside them; and such that are blocks, in tiles of several.
        for (const std::uint64_t pixels : {4, 17, 50, 128, 301, 1100}) {
            for (const std::uint64_t channels : {2, 9, 20}) check_turned(type, {3, channels, pixels});
        }
    }
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0 && failures == 0;) {
        if (k + 1 == targets.count) continue;
        std::printf("programs of %s: as portable\n", targets.begin[k]->name);
    }
    if (failures == 0) {
        std::printf("check_programs: %zu comparisons, no difference\n", compared);
    } else {
        std::printf("check_programs: %zu comparisons, %zu differences\n", compared, failures);
    }
    return failures == 0 ? 0 : 1;
}
