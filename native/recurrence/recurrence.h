// Recurrence: cells carried along sequences (docs/arithmetic.md). A step is products of the states
// with weights in panels, and programs over what comes with each hidden unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../fill.h"
#include "../programs/program.h"

namespace indirectml {
namespace recurrence {

// What the input of a program is; for the commonest ones, of which gate or state.
enum class Kind { kOwn, kProduct, kBias, kPeephole, kState, kHanded, kRunning };
struct Source {
    Kind kind;
    std::size_t place;
};

// A product with the columns of gates first .. end - 1, and what is done with each element then. The
// outputs of the last part are the hidden state of the step, and the states; those of another one are
// handed to the next, which multiplies the first of them.
struct Part {
    const programs::Program* program;
    std::vector<Source> sources;
    std::size_t first, end;
};

struct Cell {
    std::vector<Part> parts;
    bool is_backward;
};

// Elements along axes, strides in bytes.
struct Strided {
    unsigned char* data;
    std::ptrdiff_t direction, row, unit;
};

constexpr std::size_t kMostStates = 2;
constexpr std::size_t kPeepholes = 3;

struct Recurrence {
    std::size_t steps, batch, units, gates, states, biases;
    std::vector<Cell> cells;  // one for each direction
    std::size_t handed() const;
};

// FLOAT32 or FLOAT16, but for lengths, UINT32. Null where it is left out.
struct Operands {
    const float* products;  // of whole numbers of FLOAT32, neighbours along gates and units
    std::ptrdiff_t product_step, product_row, product_direction;  // in elements
    // Weights as they are, or in panels: [directions][panel][units][kPanel].
    Strided weights;  // row along units
    bool weights_are_in_panels;
    Strided biases, peepholes, starts[kMostStates];
    bool weights_are_half, biases_are_half, peepholes_are_half, starts_are_half[kMostStates];
    Strided lengths;  // along unit
    Strided of_steps, lasts[kMostStates];
    std::ptrdiff_t step;  // of of_steps
    unsigned char* memory;  // bytes_of(...) of them
};

// What a recurrence works in.
std::size_t bytes_of(std::size_t directions, std::size_t batch, std::size_t units, std::size_t gates,
                     std::size_t states, std::size_t biases, std::size_t handed);

void run(const Recurrence& task, const Operands& operands, const Policy& policy);

}  // namespace recurrence
}  // namespace indirectml
