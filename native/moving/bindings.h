// Steps that move elements, in the Python module.

#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {

void bind_moving(nanobind::module_& m);

}  // namespace indirectml
