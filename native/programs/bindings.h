// Programs in the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {
namespace programs {

void bind_programs(nanobind::module_& m);

}  // namespace programs
}  // namespace indirectml
