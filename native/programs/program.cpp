#include "program.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "../functions/apply.h"
#include "../team.h"
#include "streaming.h"

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
// Less work does not pay for a thread, which starts in 10 to 30 us.
constexpr double kNanosecondsPerThread = 50e3;

// What is kept between instructions fits the first cache, with room for what is read and written.
constexpr std::size_t kScratchBytes = 24 << 10;
constexpr std::size_t kLeastBlock = 64, kMostBlock = 2048;
constexpr std::size_t kSlotShift = 192;
// Rows of at least so many elements are blocks of their own.
constexpr std::uint64_t kLongRow = 128;
// Shorter ones that all others repeat are copied, as many as fit a block.
constexpr std::uint64_t kMostRepeated = 256;
// To find chains takes some hundred nanoseconds.
constexpr std::uint64_t kLeastForChains = 512;

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

namespace {

// The kernel of an operation or conversion; null if there is none.
Kernel kernel_of(const Kernels& kernels, const Instruction& i) {
    const int from = static_cast<int>(i.from), to = static_cast<int>(i.to);
    if (i.kind == Kind::kConvert) return kernels.convert[from][to];
    if (i.kind == Kind::kTruncate) return kernels.truncate[from][to];
    if (i.kind == Kind::kRequantize) return kernels.requantize[to];
    if (i.kind == Kind::kQuantize) return i.from == Type::kFloat32 ? kernels.quantize[to] : nullptr;
    return kernels.operations[i.which][from];
}

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

// A product of an INT32 and a FLOAT32 that is quantized, and that nobody else reads, takes one kernel
// instead of three: what is between them stays in registers.
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
            number->kind = product->kind = Kind::kNone;
            number->source_count = product->source_count = 0;
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
    put_in_order();
    join_requantization();
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

namespace {

// The task with its axes merged: those that follow each other without a break in all operands are
// one, and those of size 1 none.
struct Layout {
    int rank = 0;
    std::uint64_t sizes[kMaxRank];
    std::uint64_t count = 1;
    std::vector<std::int64_t> strides;  // of each operand, kMaxRank apart

    Layout(const Task& task, std::size_t operands) : strides(operands * kMaxRank) {
        int merged = -1;
        for (int k = 0; k < task.rank; ++k) {
            count *= task.sizes[k];
            if (task.sizes[k] == 1) continue;
            bool follows = merged >= 0;
            for (std::size_t n = 0; n < operands && follows; ++n) {
                const auto size = static_cast<std::int64_t>(task.sizes[k]);
                follows = of(n)[merged] == task.operands[n].strides_bytes[k] * size;
            }
            if (follows) {
                sizes[merged] *= task.sizes[k];
            } else {
                sizes[++merged] = task.sizes[k];
            }
            for (std::size_t n = 0; n < operands; ++n) {
                of(n)[merged] = task.operands[n].strides_bytes[k];
            }
        }
        if (merged < 0) {
            sizes[++merged] = 1;
            for (std::size_t n = 0; n < operands; ++n) of(n)[0] = 0;
        }
        rank = merged + 1;
    }
    std::int64_t* of(std::size_t operand) { return strides.data() + operand * kMaxRank; }
    const std::int64_t* of(std::size_t operand) const {
        return strides.data() + operand * kMaxRank;
    }
};

// How an operand is read or written, block by block.
enum class Access {
    kDirect,   // where it lies
    kOne,      // one element for all of the block
    kCopied,   // by way of a slot
    kRepeated,  // by way of a slot, filled once: a row that is repeated for all others
};

struct Reach {
    Access access;
    unsigned char* data;
    const std::int64_t* strides;
    std::size_t bytes;    // of an element
    unsigned char* slot;  // of an input that is copied
    bool streams;         // an output that is stored past the caches
};

void copy_run(unsigned char* to, std::int64_t to_stride, const unsigned char* from,
              std::int64_t from_stride, std::size_t bytes, std::uint64_t count) {
    const auto copy = [&](auto element) {
        using Element = decltype(element);
        if (from_stride == 0) {
            std::memcpy(&element, from, sizeof(Element));
            for (std::uint64_t j = 0; j < count; ++j, to += to_stride) {
                std::memcpy(to, &element, sizeof(Element));
            }
            return;
        }
        for (std::uint64_t j = 0; j < count; ++j, to += to_stride, from += from_stride) {
            std::memcpy(to, from, sizeof(Element));
        }
    };
    if (to_stride == static_cast<std::int64_t>(bytes) && from_stride == to_stride) {
        std::memcpy(to, from, bytes * count);
        return;
    }
    if (bytes == 1) return copy(std::uint8_t{});
    if (bytes == 2) return copy(std::uint16_t{});
    if (bytes == 4) return copy(std::uint32_t{});
    copy(std::uint64_t{});
}

// Runs of elements of some operand that lie behind each other in its last axis.
template <typename Work>
void for_each_run(const Layout& layout, const std::int64_t* strides, std::uint64_t begin,
                  std::uint64_t count, const Work& work) {
    std::uint64_t coordinates[kMaxRank];
    std::int64_t at = 0;
    std::uint64_t rest = begin;
    for (int k = layout.rank - 1; k >= 0; --k) {
        coordinates[k] = rest % layout.sizes[k];
        rest /= layout.sizes[k];
        at += static_cast<std::int64_t>(coordinates[k]) * strides[k];
    }
    const int last = layout.rank - 1;
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t run = std::min(count - done, layout.sizes[last] - coordinates[last]);
        work(at, done, run);
        done += run;
        coordinates[last] += run;
        at += static_cast<std::int64_t>(run) * strides[last];
        for (int k = last; k > 0 && coordinates[k] == layout.sizes[k]; --k) {
            at -= static_cast<std::int64_t>(layout.sizes[k]) * strides[k];
            coordinates[k] = 0;
            ++coordinates[k - 1];
            at += strides[k - 1];
        }
    }
}

// From the first byte that is reached to the end of the last.
void span_of(const Layout& layout, const Reach& reach, std::uintptr_t* begin, std::uintptr_t* end) {
    *begin = *end = reinterpret_cast<std::uintptr_t>(reach.data);
    for (int k = 0; k < layout.rank; ++k) {
        const std::int64_t far = reach.strides[k] * static_cast<std::int64_t>(layout.sizes[k] - 1);
        (far < 0 ? *begin : *end) += static_cast<std::uintptr_t>(far);
    }
    *end += reach.bytes;
}

// One thread's work on a program: memory for a block, and what is where in it.
class Worker {
  public:
    Worker(const Program& program, const Layout& layout, const Task& task, const Policy& policy)
        : program_(program),
          layout_(layout),
          kernels_(kernels_of(*policy.target)),
          functions_(functions::kernels_of(*policy.target)),
          has_repeated_rows_(repeats_rows(layout, task, program)),
          has_long_rows_(!has_repeated_rows_ && layout.rank > 1 &&
                         layout.sizes[layout.rank - 1] >= kLongRow),
          reaches_(program.inputs.size() + program.outputs.size()),
          values_(program.types.size()),
          is_one_(program.types.size(), 0),
          target_(program.types.size(), -1) {
        for (std::size_t n = 0; n < reaches_.size(); ++n) {
            const bool is_output = n >= program.inputs.size();
            const Type type =
                is_output ? program.types[static_cast<std::size_t>(
                                program.outputs[n - program.inputs.size()])]
                          : program.inputs[n];
            reaches_[n] = {Access::kCopied, task.operands[n].data, layout.of(n), bytes_of(type),
                           nullptr, false};
            reaches_[n].access = access_of(reaches_[n], is_output);
        }
        find_repeated();
        choose_targets(policy.streaming_bytes);
        take_scratch();
        compute_repeated();
        find_chains();
    }

    // Elements begin .. end in row-major order.
    void run(std::uint64_t begin, std::uint64_t end) {
        Pieces pieces(std::uint64_t{1} << 14);
        while (begin < end) {
            if (has_repeated_rows_) {
                const std::uint64_t count = std::min<std::uint64_t>(block_, end - begin);
                locate(begin);
                run_block(begin, count);
                begin += count;
                pieces.done(count);
                continue;
            }
            // Up to the end of a line of the first output: where arrays lie alike, and large ones
            // mostly do, no vector crosses lines from the second block on.
            locate(begin);
            std::uint64_t count = std::min<std::uint64_t>(block_ - past_line(), end - begin);
            if (has_long_rows_) {
                const std::uint64_t row = layout_.sizes[layout_.rank - 1];
                count = std::min(count, row - begin % row);
            }
            run_block(begin, count);
            begin += count;
            pieces.done(count);
        }
        if (streams_) fence();
    }

    void move(std::size_t operand, unsigned char* data) { reaches_[operand].data = data; }

  private:
    // Results that are the same row for all others: of rows and single values alone, one row at least.
    void find_repeated() {
        is_row_.assign(program_.types.size(), 0);
        if (!has_repeated_rows_) return;
        std::vector<unsigned char> is_fixed(program_.types.size(), 0);
        for (std::size_t n = 0; n < program_.types.size(); ++n) {
            const std::size_t first = static_cast<std::size_t>(program_.first_result());
            if (n < program_.inputs.size()) {
                is_row_[n] = reaches_[n].access == Access::kRepeated;
                is_fixed[n] = reaches_[n].access != Access::kDirect;
            } else if (n < first) {
                is_fixed[n] = 1;
            } else {
                const Instruction& i = program_.instructions[n - first];
                is_fixed[n] = 1;
                for (int k = 0; k < i.source_count; ++k) {
                    const auto source = static_cast<std::size_t>(i.sources[k]);
                    is_fixed[n] = is_fixed[n] && is_fixed[source];
                    is_row_[n] = is_row_[n] || is_row_[source];
                }
                is_row_[n] = is_row_[n] && is_fixed[n];
                row_results_ += is_row_[n];
            }
        }
    }

    // These are computed once, before all blocks.
    void compute_repeated() {
        if (row_results_ == 0) return;
        locate(0);
        read(0, block_);
        std::size_t slot = 0;
        for (std::size_t n = 0; n < program_.instructions.size(); ++n) {
            const auto value = static_cast<std::size_t>(program_.first_result()) + n;
            bool is_single = !is_row_[value];
            for (int k = 0; k < program_.instructions[n].source_count && is_single; ++k) {
                is_single = is_one_[static_cast<std::size_t>(program_.instructions[n].sources[k])];
            }
            if (is_row_[value]) {
                run_instruction(n, block_, row_slots_ + slot_bytes_ * slot++);
            } else if (is_single) {
                // What rows are computed of.
                run_instruction(n, block_, nullptr);
            }
        }
    }

    // What the links of a chain are, by instruction: links in the order of instructions, each with the
    // source that comes along.
    struct Linked {
        Link link;
        int other;
        std::uint32_t chosen;
        bool is_nothing;
        bool is_last;  // the number ends as an integer
        std::size_t length;  // in instructions
    };
    static std::uint32_t least_of(Type type) {
        const float least = type == Type::kInt8 ? -128.0f : 0.0f;
        std::uint32_t bits;
        std::memcpy(&bits, &least, sizeof(bits));
        return bits;
    }
    static bool is_byte(Type type) { return type == Type::kInt8 || type == Type::kUInt8; }
    // Whether instruction n makes a FLOAT32 again of what is quantized to `value`, for which nobody else
    // asks.
    bool widens(std::size_t n, int value, Type type) const {
        if (n >= program_.instructions.size()) return false;
        const Instruction& i = program_.instructions[n];
        return i.kind == Kind::kConvert && i.from == type && i.to == Type::kFloat32 &&
               i.sources[0] == value && uses_[static_cast<std::size_t>(value)] == 1;
    }

    // Whether instruction n puts the canonical NaN in the place of a NaN that `mask`, and nobody else,
    // found in a number.
    bool makes_canonical(std::size_t n, int mask, int number) const {
        constexpr std::uint32_t kNan = 0x7FC00000;
        if (n >= program_.instructions.size()) return false;
        const Instruction& i = program_.instructions[n];
        const int chosen = i.sources[1] - program_.first_constant();
        return i.kind == Kind::kOperation && static_cast<Operation>(i.which) == Operation::kChoose &&
               bytes_of(i.from) == sizeof(float) && i.sources[0] == mask && i.sources[2] == number &&
               uses_[static_cast<std::size_t>(mask)] == 1 && chosen >= 0 &&
               i.sources[1] < program_.first_result() &&
               program_.constants[static_cast<std::size_t>(chosen)].bits == kNan;
    }

    // Whether value `from` goes on by instruction n, or by it and the next; how many these are, or 0.
    std::size_t linked(std::size_t n, int from, Linked* found) const {
        const Instruction& i = program_.instructions[n];
        const int own = program_.first_result() + static_cast<int>(n);
        if (i.kind == Kind::kQuantize && i.sources[0] == from && i.sources[1] != from) {
            const bool goes_on = widens(n + 1, own, i.to);
            *found = {Link::kQuantize, i.sources[1], least_of(i.to), false, !goes_on, 0};
            return goes_on ? 2 : 1;
        }
        if (i.kind != Kind::kOperation || i.from != Type::kFloat32) return 0;
        const auto operation = static_cast<Operation>(i.which);
        *found = {Link::kAdd, 0, 0, false, false, 0};
        if (operation == Operation::kCanonical && i.sources[0] == from) {
            found->is_nothing = true;  // a chain ends with that
            return 1;
        }
        if (operation == Operation::kIsNan && i.sources[0] == from && makes_canonical(n + 1, own, from)) {
            found->is_nothing = true;
            return 2;
        }
        if (i.source_count != 2 || (i.sources[0] == from) == (i.sources[1] == from)) return 0;
        const bool is_first = i.sources[0] == from;
        found->other = i.sources[is_first ? 1 : 0];
        switch (operation) {
            case Operation::kAdd: found->link = Link::kAdd; return 1;
            case Operation::kMultiply: found->link = Link::kMultiply; return 1;
            case Operation::kSubtract:
                found->link = is_first ? Link::kSubtract : Link::kSubtractFrom;
                return 1;
            case Operation::kDivide:
                found->link = is_first ? Link::kDivide : Link::kDivideInto;
                return 1;
            case Operation::kLess:
                found->link = is_first ? Link::kChooseIfLess : Link::kChooseIfMore;
                break;
            case Operation::kLessEqual:
                found->link = is_first ? Link::kChooseIfAtMost : Link::kChooseIfAtLeast;
                break;
            default: return 0;
        }
        // A choice between a constant and the number itself.
        if (n + 1 >= program_.instructions.size()) return 0;
        const Instruction& choice = program_.instructions[n + 1];
        if (choice.kind != Kind::kOperation ||
            static_cast<Operation>(choice.which) != Operation::kChoose ||
            bytes_of(choice.from) != sizeof(float) || choice.sources[0] != own ||
            choice.sources[2] != from || uses_[static_cast<std::size_t>(own)] != 1) {
            return 0;
        }
        const int chosen = choice.sources[1] - program_.first_constant();
        if (chosen < 0 || choice.sources[1] >= program_.first_result()) return 0;
        found->chosen = static_cast<std::uint32_t>(
            program_.constants[static_cast<std::size_t>(chosen)].bits);
        constexpr std::uint32_t kInfinity = 0x7F800000;
        return (found->chosen & 0x7FFFFFFF) > kInfinity ? 0 : 2;
    }

    // Instructions of which each goes on with what the one before makes, and nobody else does.
    void find_chains() {
        if (!kernels_.chain || layout_.count < kLeastForChains) return;
        const std::size_t count = program_.instructions.size();
        const auto links = std::count_if(
            program_.instructions.begin(), program_.instructions.end(), [](const Instruction& i) {
                return i.from == Type::kFloat32 || i.to == Type::kFloat32 ||
                       i.kind == Kind::kRequantize;
            });
        if (links < 2) return;
        const int first = program_.first_result();
        chain_lengths_.assign(count, 1);
        links_.resize(count);
        uses_.assign(program_.types.size(), 0);
        for (const Instruction& i : program_.instructions) {
            for (int k = 0; k < i.source_count; ++k) ++uses_[static_cast<std::size_t>(i.sources[k])];
        }
        for (const int output : program_.outputs) ++uses_[static_cast<std::size_t>(output)];
        std::vector<unsigned char> is_single = is_one_;
        for (std::size_t n = 0; n < program_.inputs.size(); ++n) {
            is_single[n] = reaches_[n].access == Access::kOne;
        }
        for (std::size_t n = 0; n < count; ++n) {
            bool all = true;
            for (int k = 0; k < program_.instructions[n].source_count; ++k) {
                all = all && is_single[static_cast<std::size_t>(program_.instructions[n].sources[k])];
            }
            is_single[static_cast<std::size_t>(first) + n] = all;
        }
        for (std::size_t n = 0; n < count;) {
            const auto value = static_cast<std::size_t>(first) + n;
            const Instruction& begin = program_.instructions[n];
            // The number that is followed: one that is not the same for all, in FLOAT32 after that.
            Head head{begin.sources[0], Type::kFloat32, 0};
            if (begin.kind == Kind::kConvert && begin.to == Type::kFloat32 &&
                (begin.from == Type::kInt32 || is_byte(begin.from))) {
                head.type = begin.from;
                head.length = 1;
            } else if (begin.kind == Kind::kRequantize && widens(n + 1, static_cast<int>(value), begin.to)) {
                head.type = Type::kInt32;
                head.length = 2;
            }
            const auto is_fixed = [&](int source) {
                return is_single[static_cast<std::size_t>(source)] ||
                       is_row_[static_cast<std::size_t>(source)];
            };
            if (head.length == 0 && is_fixed(head.number)) head.number = begin.sources[1];
            if (is_row_[value] || is_single[value] || begin.kind == Kind::kNone ||
                (head.length == 0 ? begin.source_count != 2 : is_fixed(head.number))) {
                ++n;
                continue;
            }
            std::size_t end = n + head.length;
            Linked found;
            int from = head.length == 0 ? head.number : first + static_cast<int>(end) - 1;
            bool is_last = false;
            while (end < count && end < n + kMostLinks && !is_last) {
                const std::size_t length = linked(end, from, &found);
                // A choice may keep a NaN, which an operation before it has made canonical.
                if (length == 0 || (end == n && found.link >= Link::kChooseIfLess && found.link < Link::kQuantize)) {
                    break;
                }
                if (end > n && uses_[static_cast<std::size_t>(from)] != uses_of(found, length)) break;
                found.length = length;
                links_[end] = found;
                is_last = found.is_last;
                end += length;
                from = first + static_cast<int>(end) - 1;
            }
            if (end > n + 1 && may_lie(head, end - 1, first)) {
                chain_lengths_[n] = end - n;
                heads_.resize(count);
                heads_[n] = head;
                n = end;
            } else {
                ++n;
            }
        }
    }

    // What a chain begins with: a number, its type, and how many instructions make a FLOAT32 of it.
    struct Head {
        int number;
        Type type;
        std::size_t length;
    };
    // A choice reads its number twice.
    static int uses_of(const Linked& linked, std::size_t length) {
        return linked.link == Link::kQuantize ? 1 : static_cast<int>(length);
    }
    // Elements of another width must not lie where results are written.
    bool may_lie(const Head& head, std::size_t last, int first) const {
        if (head.length == 0 || head.number < first) return true;
        return program_.registers[static_cast<std::size_t>(head.number - first)] !=
               program_.registers[last];
    }

    void run_chain(std::size_t n, std::uint64_t count) {
        ChainLink links[kMostLinks + 2];
        const std::size_t end = n + chain_lengths_[n];
        const auto last = static_cast<std::size_t>(program_.first_result()) + end - 1;
        unsigned char* const own =
            registers_ + static_cast<std::size_t>(program_.registers[end - 1]) * slot_bytes_;
        unsigned char* const to =
            target_[last] >= 0 ? place_of(reaches_[static_cast<std::size_t>(target_[last])])
                               : own;
        const Head& head = heads_[n];
        std::size_t link_count = 0;
        // The result may take the place of a source that is not needed any more: a block is read before
        // it is written, but one number for all would be lost.
        const auto add = [&](Link link, int value, std::uint32_t chosen) {
            const auto other = static_cast<std::size_t>(value);
            ChainLink& made = links[link_count++];
            made = {link, static_cast<const float*>(values_[other]), 0, 0};
            if (is_one_[other]) {
                made.one = *made.other;
                made.other = nullptr;
            }
            std::memcpy(&made.chosen, &chosen, sizeof(chosen));
        };
        if (head.length == 2) {
            const Instruction& i = program_.instructions[n];
            add(Link::kMultiply, i.sources[1], 0);
            add(Link::kQuantize, i.sources[2], least_of(i.to));
        }
        for (std::size_t k = n + head.length; k < end; k += links_[k].length) {
            const Linked& linked = links_[k];
            if (!linked.is_nothing) add(linked.link, linked.other, linked.chosen);
        }
        // A choice moves bits, whatever they mean.
        const Type type = program_.types[last];
        const ChainEnds ends{head.type, is_byte(type) ? type : Type::kFloat32,
                             values_[static_cast<std::size_t>(head.number)], to};
        kernels_.chain(links, link_count, ends, count);
        values_[last] = to;
        is_one_[last] = 0;
    }

    // How many elements before the block are in the same line of the first output.
    std::size_t past_line() const {
        const Reach& out = reaches_[program_.inputs.size()];
        if (out.access != Access::kDirect) return 0;
        return programs::past_line(place_of(out)) / out.bytes;
    }

    // Whether operands are rows behind each other, or one row for all: a vector for the channels of
    // every pixel.
    static bool repeats_rows(const Layout& layout, const Task& task, const Program& program) {
        if (layout.rank != 2 || layout.sizes[1] > kMostRepeated) return false;
        bool any = false;
        for (std::size_t n = 0; n < program.inputs.size() + program.outputs.size(); ++n) {
            const std::int64_t* strides = layout.of(n);
            const bool is_output = n >= program.inputs.size();
            const auto bytes = static_cast<std::int64_t>(bytes_of(
                is_output ? program.types[static_cast<std::size_t>(
                                program.outputs[n - program.inputs.size()])]
                          : program.inputs[n]));
            const auto at = reinterpret_cast<std::uintptr_t>(task.operands[n].data);
            if (at % static_cast<std::uintptr_t>(bytes) != 0) return false;
            const bool is_one = strides[0] == 0 && strides[1] == 0;
            const bool is_row = strides[0] == 0 && strides[1] == bytes;
            const bool is_flat =
                strides[1] == bytes && strides[0] == bytes * static_cast<std::int64_t>(layout.sizes[1]);
            if (!is_flat && (is_output || (!is_row && !is_one))) return false;
            any = any || is_row;
        }
        return any;
    }

    Access access_of(const Reach& reach, bool is_output) const {
        if (has_repeated_rows_) {
            if (reach.strides[0] != 0) return Access::kDirect;
            return reach.strides[1] == 0 ? Access::kOne : Access::kRepeated;
        }
        const auto bytes = static_cast<std::int64_t>(reach.bytes);
        const int last = layout_.rank - 1;
        bool is_aligned = reinterpret_cast<std::uintptr_t>(reach.data) % reach.bytes == 0;
        bool is_flat = reach.strides[last] == bytes || layout_.count == 1;
        bool is_one = reach.strides[last] == 0;
        for (int k = 0; k < last; ++k) {
            is_aligned = is_aligned && reach.strides[k] % bytes == 0;
            if (has_long_rows_) continue;
            is_one = is_one && reach.strides[k] == 0;
            is_flat = is_flat && reach.strides[k] == reach.strides[k + 1] *
                                     static_cast<std::int64_t>(layout_.sizes[k + 1]);
        }
        if (is_aligned && is_flat) return Access::kDirect;
        return is_aligned && is_one && !is_output ? Access::kOne : Access::kCopied;
    }

    // Which results are computed where they are written: at most one value for an output, and none
    // where an input may lie there too. Where all operands together do not fit the caches, such
    // outputs are copied past them instead.
    void choose_targets(std::uint64_t streaming_bytes) {
        const std::size_t inputs = program_.inputs.size();
        std::uint64_t all_bytes = 0;
        for (const Reach& reach : reaches_) {
            std::uintptr_t begin, end;
            span_of(layout_, reach, &begin, &end);
            all_bytes += std::min<std::uint64_t>(end - begin, layout_.count * reach.bytes);
        }
        for (std::size_t n = 0; n < program_.outputs.size(); ++n) {
            Reach& out = reaches_[inputs + n];
            const auto value = static_cast<std::size_t>(program_.outputs[n]);
            std::uintptr_t begin, end, other_begin, other_end;
            span_of(layout_, out, &begin, &end);
            bool is_free = out.access == Access::kDirect && program_.outputs[n] >= program_.first_result();
            for (std::size_t k = 0; k < inputs && is_free; ++k) {
                span_of(layout_, reaches_[k], &other_begin, &other_end);
                is_free = end <= other_begin || other_end <= begin;
            }
            if (is_free && all_bytes >= streaming_bytes) {
                out.streams = streams_ = true;
            } else if (is_free && target_[value] < 0 && !is_row_[value]) {
                target_[value] = static_cast<int>(inputs + n);
            }
        }
    }

    void take_scratch() {
        std::size_t slots = static_cast<std::size_t>(program_.register_count) + 2 + row_results_;
        const std::size_t inputs = program_.inputs.size();
        const auto has_slot = [&](std::size_t n) {
            return reaches_[n].access == Access::kCopied || reaches_[n].access == Access::kRepeated;
        };
        for (std::size_t n = 0; n < inputs; ++n) slots += has_slot(n);
        block_ = kScratchBytes / (slots * program_.widest) / 64 * 64;
        block_ = std::clamp(block_, kLeastBlock, kMostBlock);
        if (has_repeated_rows_) {
            const auto row = static_cast<std::size_t>(layout_.sizes[1]);
            block_ = std::max<std::size_t>(1, block_ / row) * row;
        }
        // Slots do not begin a multiple of 4 KiB apart: processors take such addresses for the same
        // at first sight, and have what is read wait for what is written.
        const std::size_t slot_bytes = block_ * program_.widest + kSlotShift;
        unsigned char* at = stack_;
        if (slots * slot_bytes > sizeof(stack_)) {
            heap_.reset(new unsigned char[slots * slot_bytes + 63]);
            at = heap_.get() + (64 - reinterpret_cast<std::uintptr_t>(heap_.get()) % 64) % 64;
        }
        registers_ = at;
        slot_bytes_ = slot_bytes;
        at += static_cast<std::size_t>(program_.register_count) * slot_bytes;
        row_slots_ = at;
        at += row_results_ * slot_bytes;
        for (unsigned char*& expanded : expanded_) {
            expanded = at;
            at += slot_bytes;
        }
        for (std::size_t n = 0; n < inputs; ++n) {
            if (!has_slot(n)) continue;
            reaches_[n].slot = at;
            at += slot_bytes;
            if (reaches_[n].access != Access::kRepeated) continue;
            const std::size_t row = static_cast<std::size_t>(layout_.sizes[1]) * reaches_[n].bytes;
            for (std::size_t begin = 0; begin < block_ * reaches_[n].bytes; begin += row) {
                std::memcpy(reaches_[n].slot + begin, reaches_[n].data, row);
            }
        }
        for (std::size_t n = 0; n < program_.constants.size(); ++n) {
            constants_.push_back(in_memory(program_.constants[n]));
            is_one_[inputs + n] = 1;
        }
        for (std::size_t n = 0; n < constants_.size(); ++n) values_[inputs + n] = &constants_[n];
    }

    // The bytes of an element, first of all, in this machine's order.
    static std::uint64_t in_memory(const Constant& constant) {
        std::uint64_t bytes = 0;
        const auto put = [&](auto element) {
            element = static_cast<decltype(element)>(constant.bits);
            std::memcpy(&bytes, &element, sizeof(element));
        };
        switch (bytes_of(constant.type)) {
            case 1: put(std::uint8_t{}); break;
            case 2: put(std::uint16_t{}); break;
            case 4: put(std::uint32_t{}); break;
            default: put(std::uint64_t{});
        }
        return bytes;
    }

    // Where the block is, found once for all operands.
    void locate(std::uint64_t begin) {
        for (int k = layout_.rank - 1; k > 0 && has_long_rows_; --k) {
            coordinates_[k] = begin % layout_.sizes[k];
            begin /= layout_.sizes[k];
        }
        coordinates_[has_long_rows_ ? 0 : layout_.rank - 1] = begin;
    }

    // Where an operand's elements lie that are read or written in place, from the first of the block on.
    unsigned char* place_of(const Reach& reach) const {
        const int last = layout_.rank - 1;
        unsigned char* at = reach.data + static_cast<std::int64_t>(coordinates_[last]) * reach.strides[last];
        for (int k = 0; k < last && has_long_rows_; ++k) {
            at += static_cast<std::int64_t>(coordinates_[k]) * reach.strides[k];
        }
        return at;
    }

    void read(std::uint64_t begin, std::uint64_t count) {
        for (std::size_t n = 0; n < program_.inputs.size(); ++n) {
            const Reach& reach = reaches_[n];
            is_one_[n] = reach.access == Access::kOne;
            if (reach.access == Access::kRepeated) {
                values_[n] = reach.slot;
                continue;
            }
            if (reach.access != Access::kCopied) {
                values_[n] = place_of(reach);
                continue;
            }
            values_[n] = reach.slot;
            for_each_run(layout_, reach.strides, begin, count,
                         [&](std::int64_t at, std::uint64_t done, std::uint64_t run) {
                             copy_run(reach.slot + done * reach.bytes,
                                      static_cast<std::int64_t>(reach.bytes), reach.data + at,
                                      reach.strides[layout_.rank - 1], reach.bytes, run);
                         });
        }
    }

    // To its register, to an output, or to a place for good.
    void run_instruction(std::size_t n, std::uint64_t count, unsigned char* place = nullptr) {
        const Instruction& i = program_.instructions[n];
        if (i.kind == Kind::kNone) return;
        const auto value = static_cast<std::size_t>(program_.first_result()) + n;
        const void* sources[kMostSources];
        unsigned repeated = 0;
        for (int k = 0; k < i.source_count; ++k) {
            const auto source = static_cast<std::size_t>(i.sources[k]);
            sources[k] = values_[source];
            repeated |= static_cast<unsigned>(is_one_[source]) << k;
        }
        // What is the same for all elements is computed once.
        const bool is_one = repeated == (1u << i.source_count) - 1;
        unsigned char* const own =
            registers_ + static_cast<std::size_t>(program_.registers[n]) * slot_bytes_;
        unsigned char* to = place ? place : own;
        if (is_one) {
            count = 1;
            repeated = 0;
        } else if (!place && target_[value] >= 0) {
            to = place_of(reaches_[static_cast<std::size_t>(target_[value])]);
        }
        is_one_[value] = is_one;
        values_[value] = to;
        if (i.kind == Kind::kFunction) {
            for (unsigned k = 0; k < 2; ++k) {
                if (!(repeated >> k & 1)) continue;
                copy_run(expanded_[k], sizeof(float), static_cast<const unsigned char*>(sources[k]),
                         0, sizeof(float), count);
                sources[k] = expanded_[k];
            }
            const auto which = static_cast<std::size_t>(i.which);
            (i.to == Type::kFloat32 ? functions_.single : functions_.half)[which](
                static_cast<const float*>(sources[0]),
                static_cast<const float*>(sources[i.source_count - 1]), to, count);
            return;
        }
        const bool is_choice = i.kind == Kind::kOperation && i.source_count == 3;
        if (is_choice && (repeated & 1)) {
            // One truth value for all: one of both.
            std::uint8_t mask;
            std::memcpy(&mask, sources[0], 1);
            const unsigned chosen = mask ? 1 : 2;
            const auto bytes = bytes_of(i.from);
            copy_run(to, static_cast<std::int64_t>(bytes),
                     static_cast<const unsigned char*>(sources[chosen]),
                     repeated >> chosen & 1 ? 0 : static_cast<std::int64_t>(bytes), bytes, count);
            return;
        }
        kernel_of(kernels_, i)(sources, repeated, to, count);
    }

    void write(std::uint64_t begin, std::uint64_t count) {
        const std::size_t inputs = program_.inputs.size();
        for (std::size_t n = 0; n < program_.outputs.size(); ++n) {
            const Reach& out = reaches_[inputs + n];
            const auto value = static_cast<std::size_t>(program_.outputs[n]);
            const bool is_one = is_one_[value] != 0;
            if (target_[value] == static_cast<int>(inputs + n) && !is_one) continue;
            const auto* const from = static_cast<const unsigned char*>(values_[value]);
            if (out.streams && !is_one) {
                copy_past_caches(place_of(out), from, count * out.bytes);
                continue;
            }
            const std::int64_t step = is_one ? 0 : static_cast<std::int64_t>(out.bytes);
            for_each_run(layout_, out.strides, begin, count,
                         [&](std::int64_t at, std::uint64_t done, std::uint64_t run) {
                             copy_run(out.data + at, out.strides[layout_.rank - 1],
                                      from + static_cast<std::int64_t>(done) * step, step,
                                      out.bytes, run);
                         });
        }
    }

    void run_block(std::uint64_t begin, std::uint64_t count) {
        read(begin, count);
        for (std::size_t n = 0; n < program_.instructions.size(); ++n) {
            if (is_row_[static_cast<std::size_t>(program_.first_result()) + n]) continue;
            if (!chain_lengths_.empty() && chain_lengths_[n] > 1) {
                run_chain(n, count);
                n += chain_lengths_[n] - 1;
            } else {
                run_instruction(n, count);
            }
        }
        write(begin, count);
    }

    const Program& program_;
    const Layout& layout_;
    const Kernels& kernels_;
    const functions::Kernels& functions_;
    const bool has_repeated_rows_, has_long_rows_;
    bool streams_ = false;
    std::vector<Reach> reaches_;
    std::vector<const void*> values_;
    std::vector<unsigned char> is_one_;
    std::vector<int> target_;  // by value: the operand that it is computed in
    std::vector<std::uint64_t> constants_;
    std::uint64_t coordinates_[kMaxRank];  // of the block
    std::size_t block_, slot_bytes_;
    std::vector<unsigned char> is_row_;  // by value
    std::size_t row_results_ = 0;
    // By instruction: how many begin a chain there, what it begins with, and its links.
    static constexpr std::size_t kMostLinks = 32;
    std::vector<std::size_t> chain_lengths_, uses_;
    std::vector<Head> heads_;
    std::vector<Linked> links_;
    unsigned char *registers_, *row_slots_;
    unsigned char* expanded_[2];
    std::unique_ptr<unsigned char[]> heap_;
    alignas(64) unsigned char stack_[kScratchBytes];
};

}  // namespace

struct Repeated::Made {
    Made(const Program& program, const Task& task, const Policy& policy)
        : layout(task, program.inputs.size() + program.outputs.size()),
          worker(program, layout, task, policy) {}
    const Layout layout;
    Worker worker;
};

Repeated::Repeated(const Program& program, const Task& task, const Policy& policy)
    : made_(new Made(program, task, policy)) {}
Repeated::~Repeated() = default;
void Repeated::move(std::size_t operand, unsigned char* data) { made_->worker.move(operand, data); }
void Repeated::run() { made_->worker.run(0, made_->layout.count); }

void run(const Program& program, const Task& task, const Policy& policy) {
    const Layout layout(task, program.inputs.size() + program.outputs.size());
    if (layout.count == 0) return;
    const double work = program.nanoseconds * static_cast<double>(layout.count);
    const unsigned parts = worthwhile_threads(work / kNanosecondsPerThread, policy.max_threads);
    // Cut at multiples of 64 elements, so that threads do not share the lines of a packed output.
    // At whole rows, where there are some.
    const std::uint64_t step = layout.rank > 1 ? 64 * layout.sizes[layout.rank - 1] : 64;
    const std::uint64_t share = (layout.count / parts + step - 1) / step * step;
    run_team(parts, [&](unsigned part) {
        const std::uint64_t begin = std::min(part * share, layout.count);
        const std::uint64_t end =
            part + 1 == parts ? layout.count : std::min(begin + share, layout.count);
        if (begin < end) Worker(program, layout, task, policy).run(begin, end);
    });
}

}  // namespace programs
}  // namespace indirectml
