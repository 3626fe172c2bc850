// The Python face of products and convolutions.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {

void bind_contraction(nanobind::module_& m);

}  // namespace indirectml
