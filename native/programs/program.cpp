#include "program.h"

#include <algorithm>
#include <cstring>

#include "../functions/functions.h"
#include "../targets/target.h"

namespace indirectml {
namespace programs {

INDIRECTML_DEFINE_KERNELS_OF

namespace {

const char* const kTypeNames[kTypeCount] = {
#define INDIRECTML_NAME(NAME, TEXT, CPP) TEXT,
    INDIRECTML_TYPES(INDIRECTML_NAME)
#undef INDIRECTML_NAME
};
constexpr std::size_t kTypeBytes[kTypeCount] = {4, 2, 8, 1, 2, 4, 8, 1, 2, 4, 8};

struct OperationFacts {
    const char* name;
    int sources;
};
constexpr OperationFacts kOperations[kOperationCount] = {
#define INDIRECTML_FACTS(NAME, TEXT, SOURCES) {TEXT, SOURCES},
    INDIRECTML_OPERATIONS(INDIRECTML_FACTS)
#undef INDIRECTML_FACTS
};

bool gives_truth(Operation operation) { return operation >= Operation::kIsNan; }

// What an element of an instruction takes in ns, roughly: only the count of threads depends on it.
constexpr double kNanosecondsOfOperation = 0.1, kNanosecondsOfFunction = 1.0;

}  // namespace

std::size_t bytes_of(Type type) { return kTypeBytes[static_cast<int>(type)]; }

bool find_type(const char* name, Type* type) {
    for (int k = 0; k < kTypeCount; ++k) {
        if (std::strcmp(kTypeNames[k], name) != 0) continue;
        *type = static_cast<Type>(k);
        return true;
    }
    return false;
}

bool find_instruction(const char* name, Instruction* instruction) {
    instruction->which = 0;
    instruction->source_count = 1;
    instruction->kind = std::strcmp(name, "convert") == 0 ? Kind::kConvert : Kind::kTruncate;
    if (instruction->kind == Kind::kConvert || std::strcmp(name, "truncate") == 0) return true;
    if (std::strcmp(name, "quantize") == 0) {
        instruction->kind = Kind::kQuantize;
        instruction->source_count = 2;
        return true;
    }
    for (int k = 0; k < kOperationCount; ++k) {
        if (std::strcmp(kOperations[k].name, name) != 0) continue;
        instruction->kind = Kind::kOperation;
        instruction->which = k;
        instruction->source_count = kOperations[k].sources;
        return true;
    }
    for (int k = 0; k < functions::kFunctionCount; ++k) {
        if (std::strcmp(functions::kFacts[k].name, name) != 0) continue;
        instruction->kind = Kind::kFunction;
        instruction->which = k;
        instruction->source_count = functions::kFacts[k].arguments;
        return true;
    }
    return false;
}

Kernel kernel_of(const Kernels& kernels, const Instruction& i) {
    const int from = static_cast<int>(i.from), to = static_cast<int>(i.to);
    if (i.kind == Kind::kConvert) return kernels.convert[from][to];
    if (i.kind == Kind::kTruncate) return kernels.truncate[from][to];
    if (i.kind == Kind::kRequantize) return kernels.requantize[to];
    if (i.kind == Kind::kQuantize) return i.from == Type::kFloat32 ? kernels.quantize[to] : nullptr;
    return kernels.operations[i.which][from];
}

namespace {

const char* mistake_of(const Instruction& i, const std::vector<Type>& types) {
    const bool is_choice =
        i.kind == Kind::kOperation && static_cast<Operation>(i.which) == Operation::kChoose;
    for (int k = 0; k < i.source_count; ++k) {
        const int source = i.sources[k];
        if (source < 0 || static_cast<std::size_t>(source) >= types.size()) return "no such value";
        const Type type = types[static_cast<std::size_t>(source)];
        const bool is_mask = is_choice && k == 0;
        // Bits are bits: a type of the same width will do.
        if (bytes_of(type) != (is_mask ? 1 : bytes_of(i.from))) return "a value of another width";
    }
    if (i.kind == Kind::kFunction) {
        const bool is_float = i.to == Type::kFloat32 || i.to == Type::kFloat16;
        return i.from == Type::kFloat32 && is_float ? nullptr : "a function of another type";
    }
    if (!kernel_of(kPortable, i)) return "no operation on this type";
    if (i.kind != Kind::kOperation) return nullptr;
    const bool is_truth = gives_truth(static_cast<Operation>(i.which)) ||
                          static_cast<Operation>(i.which) == Operation::kBitCount;
    return i.to == (is_truth ? Type::kUInt8 : i.from) ? nullptr : "a result of another type";
}

}  // namespace

// Where x is replaced by `least` if it is at most that, and else by `most` if it is at least that, which is
// more: the first choice then asks what the second gives, so that each follows the one before.
void Program::nest_limits() {
    const auto made = [&](int value) -> Instruction* {
        if (value < first_result()) return nullptr;
        return &instructions[static_cast<std::size_t>(value - first_result())];
    };
    const auto is = [](const Instruction* i, Operation operation, Type type) {
        return i && i->kind == Kind::kOperation && static_cast<Operation>(i->which) == operation &&
               bytes_of(i->from) == bytes_of(type);
    };
    const auto number = [&](int value, float* to) {
        const int n = value - first_constant();
        if (n < 0 || value >= first_result() || types[static_cast<std::size_t>(value)] != Type::kFloat32) return false;
        const auto bits = static_cast<std::uint32_t>(constants[static_cast<std::size_t>(n)].bits);
        std::memcpy(to, &bits, sizeof(bits));
        return true;
    };
    std::vector<int> readers(types.size(), 0);
    for (const Instruction& i : instructions) {
        for (int k = 0; k < i.source_count; ++k) ++readers[static_cast<std::size_t>(i.sources[k])];
    }
    for (const int output : outputs) ++readers[static_cast<std::size_t>(output)];
    for (const Instruction& outer : instructions) {
        if (!is(&outer, Operation::kChoose, Type::kFloat32)) continue;
        const Instruction* const inner = made(outer.sources[2]);
        Instruction* const at_most = made(outer.sources[0]);
        if (!is(inner, Operation::kChoose, Type::kFloat32)) continue;
        const Instruction* const at_least = made(inner->sources[0]);
        float least, most;
        if (is(at_most, Operation::kLessEqual, Type::kFloat32) &&
            is(at_least, Operation::kLessEqual, Type::kFloat32) &&
            at_most->from == Type::kFloat32 && at_least->from == Type::kFloat32 &&
            number(at_most->sources[1], &least) && number(at_least->sources[0], &most) && least < most &&
            inner->sources[1] == at_least->sources[0] && inner->sources[2] == at_least->sources[1] &&
            at_most->sources[0] == inner->sources[2] && readers[static_cast<std::size_t>(outer.sources[0])] == 1) {
            at_most->sources[0] = outer.sources[2];
        }
    }
}

// What outputs need, each instruction right behind the one that most of the work before it ends with, so
// that a number is followed from one to the next.
void Program::put_in_order() {
    constexpr std::size_t kMostWeight = 1 << 20;
    const int first = first_result();
    std::vector<std::size_t> weights(types.size(), 0);
    for (std::size_t n = 0; n < instructions.size(); ++n) {
        std::size_t& weight = weights[static_cast<std::size_t>(first) + n];
        weight = 1;
        for (int k = 0; k < instructions[n].source_count; ++k) {
            weight += weights[static_cast<std::size_t>(instructions[n].sources[k])];
        }
        weight = std::min(weight, kMostWeight);
    }
    std::vector<int> places(types.size(), -1);  // by value; -2 while its sources are looked after
    for (int n = 0; n < first; ++n) places[static_cast<std::size_t>(n)] = n;
    std::vector<Instruction> ordered;
    std::vector<int> wanted(outputs.rbegin(), outputs.rend());
    while (!wanted.empty()) {
        const int value = wanted.back();
        int& place = places[static_cast<std::size_t>(value)];
        if (place >= 0) {
            wanted.pop_back();
            continue;
        }
        const Instruction& i = instructions[static_cast<std::size_t>(value - first)];
        if (place == -2) {
            place = first + static_cast<int>(ordered.size());
            ordered.push_back(i);
            wanted.pop_back();
            continue;
        }
        place = -2;
        // The heaviest source comes last of all, right before this.
        int sources[kMostSources];
        std::copy_n(i.sources, i.source_count, sources);
        std::stable_sort(sources, sources + i.source_count, [&](int a, int b) {
            return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
        });
        wanted.insert(wanted.end(), sources, sources + i.source_count);
    }
    types.resize(static_cast<std::size_t>(first));
    for (Instruction& i : ordered) {
        for (int k = 0; k < i.source_count; ++k) i.sources[k] = places[static_cast<std::size_t>(i.sources[k])];
        types.push_back(i.to);
    }
    for (int& output : outputs) output = places[static_cast<std::size_t>(output)];
    instructions = std::move(ordered);
}

// A product of an INT32, or a sum of two, and a FLOAT32 that is quantized, and that nobody else reads, takes
// one kernel instead of several: what is between them stays in registers.
void Program::join_requantization() {
    const int first = first_result();
    std::vector<int> readers(types.size(), 0);
    for (const Instruction& i : instructions) {
        for (int k = 0; k < i.source_count; ++k) ++readers[static_cast<std::size_t>(i.sources[k])];
    }
    for (const int output : outputs) ++readers[static_cast<std::size_t>(output)];
    // The instruction of a value that only one reads, or null.
    const auto only = [&](int value) -> Instruction* {
        if (value < first || readers[static_cast<std::size_t>(value)] != 1) return nullptr;
        return &instructions[static_cast<std::size_t>(value - first)];
    };
    const auto leave_out = [](Instruction* i) {
        i->kind = Kind::kNone;
        i->source_count = 0;
    };
    for (Instruction& i : instructions) {
        Instruction* const product = i.kind == Kind::kQuantize ? only(i.sources[0]) : nullptr;
        if (!product || product->kind != Kind::kOperation ||
            static_cast<Operation>(product->which) != Operation::kMultiply) {
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            Instruction* const number = only(product->sources[side]);
            if (!number || number->kind != Kind::kConvert || number->from != Type::kInt32) continue;
            i = {Kind::kRequantize, 0, Type::kInt32, i.to, 3,
                 {number->sources[0], product->sources[1 - side], i.sources[1]}};
            leave_out(number);
            leave_out(product);
            Instruction* const sum = only(i.sources[0]);
            if (sum && sum->kind == Kind::kOperation &&
                static_cast<Operation>(sum->which) == Operation::kAdd) {
                i.source_count = 4;
                i.sources[0] = sum->sources[0];
                i.sources[3] = sum->sources[1];
                leave_out(sum);
            }
            break;
        }
    }
}

const char* Program::finish() {
    types = inputs;
    for (const Constant& constant : constants) types.push_back(constant.type);
    for (const Instruction& i : instructions) {
        if (const char* mistake = mistake_of(i, types)) return mistake;
        types.push_back(i.to);
        nanoseconds += i.kind == Kind::kFunction ? kNanosecondsOfFunction : kNanosecondsOfOperation;
    }
    if (outputs.empty()) return "no output";
    for (const Type type : types) widest = std::max(widest, bytes_of(type));
    for (const int output : outputs) {
        if (output < 0 || static_cast<std::size_t>(output) >= types.size()) return "no such value";
    }
    nest_limits();
    put_in_order();
    join_requantization();
    may_have_chains = std::count_if(instructions.begin(), instructions.end(), [](const Instruction& i) {
                          return i.from == Type::kFloat32 || i.to == Type::kFloat32 ||
                                 i.kind == Kind::kRequantize;
                      }) > 1;
    // The last instruction that reads each result; outputs are needed to the end.
    const int first = first_result();
    const auto count = instructions.size();
    std::vector<std::size_t> last_use(count, 0);
    for (std::size_t n = 0; n < count; ++n) {
        for (int k = 0; k < instructions[n].source_count; ++k) {
            const int result = instructions[n].sources[k] - first;
            if (result >= 0) last_use[static_cast<std::size_t>(result)] = n;
        }
    }
    for (const int output : outputs) {
        if (output >= first) last_use[static_cast<std::size_t>(output - first)] = count;
    }
    // A register is free for the instruction after the last one that reads it.
    registers.assign(count, 0);
    std::vector<std::size_t> free_from;
    for (std::size_t n = 0; n < count; ++n) {
        std::size_t chosen = 0;
        while (chosen < free_from.size() && free_from[chosen] > n) ++chosen;
        if (chosen == free_from.size()) free_from.push_back(0);
        free_from[chosen] = std::max(last_use[n], n) + 1;
        registers[n] = static_cast<int>(chosen);
    }
    register_count = static_cast<int>(free_from.size());
    return nullptr;
}

}  // namespace programs
}  // namespace indirectml
