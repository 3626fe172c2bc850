// Programs in the Python module.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "program.h"

namespace indirectml {
namespace programs {

// A program as Python has it.
struct OpenProgram {
    std::shared_ptr<const Program> program;

    std::size_t operands() const { return program->inputs.size() + program->outputs.size(); }
    Type type_of_operand(std::size_t n) const {
        const std::size_t inputs = program->inputs.size();
        if (n < inputs) return program->inputs[n];
        return program->types[static_cast<std::size_t>(program->outputs[n - inputs])];
    }

    // On arrays: inputs, then outputs, which say the sizes; inputs of size 1 are repeated.
    void run_arrays(const nanobind::typed<nanobind::sequence, nanobind::object>& arrays,
                    const Policy& policy) const;
};

void bind_programs(nanobind::module_& m);

}  // namespace programs
}  // namespace indirectml
