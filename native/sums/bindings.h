// The Python face of sums and what is made of them.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {
namespace sums {

void bind_sums(nanobind::module_& m);

}  // namespace sums
}  // namespace indirectml
