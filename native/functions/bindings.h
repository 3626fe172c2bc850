// The functions in the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {

void bind_functions(nanobind::module_& m);

}  // namespace indirectml
