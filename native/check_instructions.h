// Programs of instructions by their names, for those that check.
#pragma once

#include <algorithm>
#include <vector>

#include "check_support.h"
#include "programs/program.h"

namespace indirectml {

inline programs::Instruction instruction(const char* name, programs::Type from, programs::Type to,
                                         const std::vector<int>& sources) {
    programs::Instruction made{};
    if (!programs::find_instruction(name, &made)) fail("no instruction %s", name);
    made.from = from;
    made.to = to;
    std::copy(sources.begin(), sources.end(), made.sources);
    return made;
}

// The number of the value that it makes, as the last of a program whose inputs and constants are complete.
inline int add_instruction(programs::Program& program, const char* name, programs::Type from, programs::Type to,
                           const std::vector<int>& sources) {
    program.instructions.push_back(instruction(name, from, to, sources));
    return program.first_result() + static_cast<int>(program.instructions.size()) - 1;
}

}  // namespace indirectml
