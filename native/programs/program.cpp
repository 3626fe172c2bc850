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
constexpr std::size_t kTypeBytes[kTypeCount] = {4, 2, 1, 2, 4, 8, 1, 2, 4, 8};

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
    if (i.kind == Kind::kTruncate) return i.from == Type::kFloat32 ? kernels.truncate[to] : nullptr;
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
          has_long_rows_(layout.rank > 1 && layout.sizes[layout.rank - 1] >= kLongRow),
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
        choose_targets(policy.streaming_bytes);
        take_scratch();
    }

    // Elements begin .. end in row-major order.
    void run(std::uint64_t begin, std::uint64_t end) {
        Pieces pieces(std::uint64_t{1} << 14);
        while (begin < end) {
            // Up to the end of a line of the first output: where arrays lie alike, and large ones
            // mostly do, no vector crosses lines from the second block on.
            std::uint64_t count = std::min<std::uint64_t>(block_ - past_line(begin), end - begin);
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
    // How many elements before this one are in the same line of the first output.
    std::size_t past_line(std::uint64_t begin) const {
        const Reach& out = reaches_[program_.inputs.size()];
        if (out.access != Access::kDirect) return 0;
        return programs::past_line(place_of(out, begin)) / out.bytes;
    }

    Access access_of(const Reach& reach, bool is_output) const {
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
            } else if (is_free && target_[value] < 0) {
                target_[value] = static_cast<int>(inputs + n);
            }
        }
    }

    void take_scratch() {
        std::size_t slots = static_cast<std::size_t>(program_.register_count) + 2;
        const std::size_t inputs = program_.inputs.size();
        for (std::size_t n = 0; n < inputs; ++n) slots += reaches_[n].access == Access::kCopied;
        block_ = kScratchBytes / (slots * program_.widest) / 64 * 64;
        block_ = std::clamp(block_, kLeastBlock, kMostBlock);
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
        for (unsigned char*& expanded : expanded_) {
            expanded = at;
            at += slot_bytes;
        }
        for (std::size_t n = 0; n < inputs; ++n) {
            if (reaches_[n].access != Access::kCopied) continue;
            reaches_[n].slot = at;
            at += slot_bytes;
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

    // Where an operand's elements from `begin` on lie that are read or written in place.
    unsigned char* place_of(const Reach& reach, std::uint64_t begin) const {
        if (!has_long_rows_) {
            return reach.data + static_cast<std::int64_t>(begin) * reach.strides[layout_.rank - 1];
        }
        unsigned char* at = reach.data;
        for (int k = layout_.rank - 1; k >= 0; --k) {
            at += static_cast<std::int64_t>(begin % layout_.sizes[k]) * reach.strides[k];
            begin /= layout_.sizes[k];
        }
        return at;
    }

    void read(std::uint64_t begin, std::uint64_t count) {
        for (std::size_t n = 0; n < program_.inputs.size(); ++n) {
            const Reach& reach = reaches_[n];
            is_one_[n] = reach.access == Access::kOne;
            if (reach.access != Access::kCopied) {
                values_[n] = place_of(reach, begin);
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

    void run_instruction(std::size_t n, std::uint64_t begin, std::uint64_t count) {
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
        unsigned char* to = own;
        if (is_one) {
            count = 1;
            repeated = 0;
        } else if (target_[value] >= 0) {
            to = place_of(reaches_[static_cast<std::size_t>(target_[value])], begin);
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
                copy_past_caches(place_of(out, begin), from, count * out.bytes);
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
            run_instruction(n, begin, count);
        }
        write(begin, count);
    }

    const Program& program_;
    const Layout& layout_;
    const Kernels& kernels_;
    const functions::Kernels& functions_;
    const bool has_long_rows_;
    bool streams_ = false;
    std::vector<Reach> reaches_;
    std::vector<const void*> values_;
    std::vector<unsigned char> is_one_;
    std::vector<int> target_;  // by value: the operand that it is computed in
    std::vector<std::uint64_t> constants_;
    std::size_t block_, slot_bytes_;
    unsigned char* registers_;
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
    const std::uint64_t share = (layout.count / parts + 63) / 64 * 64;
    run_team(parts, [&](unsigned part) {
        const std::uint64_t begin = std::min(part * share, layout.count);
        const std::uint64_t end =
            part + 1 == parts ? layout.count : std::min(begin + share, layout.count);
        if (begin < end) Worker(program, layout, task, policy).run(begin, end);
    });
}

}  // namespace programs
}  // namespace indirectml
