// The Python face of products and convolutions of 8-bit integers as steps.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {
namespace integers {

void bind_integers(nanobind::module_& m);
void bind_settling(nanobind::module_& m);

}  // namespace integers
}  // namespace indirectml
