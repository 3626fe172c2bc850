// Programs: operations on elements, one after the other, over arrays of equal sizes. They run block
// by block, so that what is between two operations stays in the first cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../fill.h"
#include "../functions/functions.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

// What an instruction does: an operation, a conversion, or a function, which is FLOAT32's.
// `kRequantize` is found by Program::finish alone; what it does for another is `kNone`.
enum class Kind { kOperation, kConvert, kTruncate, kQuantize, kFunction, kRequantize, kNone };

// Values are numbered: inputs, then constants, then the results of instructions.
struct Instruction {
    Kind kind;
    int which;  // the operation or function
    Type from, to;
    int source_count;
    int sources[kMostSources];
};

struct Constant {
    Type type;
    std::uint64_t bits;
};

// Instructions in the order in which they run. Made whole and right: `check` says whether it is.
struct Program {
    std::vector<Type> inputs;
    std::vector<Constant> constants;
    std::vector<Instruction> instructions;
    std::vector<int> outputs;

    // What follows from these.
    std::vector<Type> types;     // of values
    std::vector<int> registers;  // of results: where each is kept between instructions
    int register_count = 0;
    std::size_t widest = 1;        // bytes of the widest type
    double nanoseconds = 0;        // what an element takes, roughly
    bool may_have_chains = false;  // whether FLOAT32 goes from an instruction to another

    int first_constant() const { return static_cast<int>(inputs.size()); }
    int first_result() const { return first_constant() + static_cast<int>(constants.size()); }

    // Finds what follows; returns what is wrong, or null.
    const char* finish();

  private:
    void nest_limits();
    void put_in_order();
    void join_requantization();
};

std::size_t bytes_of(Type type);
// The kernel of an operation or conversion; null if there is none.
Kernel kernel_of(const Kernels& kernels, const Instruction& instruction);
// By NumPy's name; false if there is none.
bool find_type(const char* name, Type* type);
// An instruction by its name: an operation, "convert", "truncate", "quantize", or a
// function's.
bool find_instruction(const char* name, Instruction* instruction);

// Where an array's elements are: strides in bytes, over the sizes of the task.
struct Operand {
    unsigned char* data;
    const std::int64_t* strides_bytes;
};

// Inputs, then outputs, of a program. Elements of an output do not overlap each other or another
// output's. An input may be an output, element by element.
struct Task {
    int rank;
    const std::uint64_t* sizes;
    const Operand* operands;
};

void run(const Program& program, const Task& task, const Policy& policy);

// A program that runs again and again, on one thread, over operands that move: what each run takes
// besides its elements is found once. Operands overlap no more than those of the first task, and are as
// aligned as these; those that are one element or one row for all stay what they are.
class Repeated {
  public:
    Repeated(const Program& program, const Task& task, const Policy& policy);
    ~Repeated();
    Repeated(const Repeated&) = delete;
    Repeated& operator=(const Repeated&) = delete;
    void move(std::size_t operand, unsigned char* data);
    void run();
    // Elements begin .. end in row-major order; whole rows of the last axis.
    void run(std::uint64_t begin, std::uint64_t end);

  private:
    struct Made;
    const std::unique_ptr<Made> made_;
};

}  // namespace programs
}  // namespace indirectml
