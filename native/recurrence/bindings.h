// Recurrence in the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {
namespace recurrence {

void bind_recurrence(nanobind::module_& m);

}  // namespace recurrence
}  // namespace indirectml
