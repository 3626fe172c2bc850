// The Python face of products with stored weights as steps.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {
namespace weights {

void bind_weights(nanobind::module_& m);

}  // namespace weights
}  // namespace indirectml
