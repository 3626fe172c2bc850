// Elements copied from where they lie to where they shall lie, both in any order.
#pragma once

#include <cstddef>
#include <vector>

#include "../fill.h"

namespace indirectml {

struct Lying {
    const unsigned char* data;
    const std::vector<Axis>& axes;
};

// Elements of `item` bytes, of the same sizes in both. Those of `to` have no memory in common with each
// other, nor with those of `from`.
void copy_elements(const Lying& from, unsigned char* to, const std::vector<Axis>& to_axes,
                   std::size_t item, const Policy& policy);

void copy_bytes(const unsigned char* from, unsigned char* to, std::size_t bytes,
                const Policy& policy);

}  // namespace indirectml
