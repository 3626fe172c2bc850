// The door for arrays in one call, for its commonest arguments. What these functions do not know,
// the package does in Python, a few times slower: other arrays, other numbers, all refusals.
#pragma once

#include <nanobind/nanobind.h>

#include "fill.h"

namespace indirectml {

// Fill an array that has the buffer protocol, without overlap, from Python's and NumPy's numbers
// that its elements can hold. False if any of that is not so: then nothing has happened.
bool fill_array_with_constant(nanobind::handle out, nanobind::handle value, const Policy& policy);
bool fill_array_with_sequence(nanobind::handle out, nanobind::handle start, nanobind::handle delta,
                              bool multiply, const Policy& policy);

}  // namespace indirectml
