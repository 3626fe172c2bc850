// Steps of plans in Python: what files that bind steps of one kind share, and lists of them.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {

// Below this many ns of work, giving up the interpreter lock costs more than it is worth.
constexpr double kReleaseNanoseconds = 4e3;

void bind_steps(nanobind::module_& m);

}  // namespace indirectml
