// Attention by blocks of rows, in the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace indirectml {
namespace attention {

void bind_attention(nanobind::module_& m);

}  // namespace attention
}  // namespace indirectml
