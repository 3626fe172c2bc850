// Elements that have a scale and a zero point for each block of them, as FLOAT32.
#pragma once

#include <cstddef>
#include <vector>

#include "../fill.h"

namespace indirectml {
namespace weights {

// Arrays of as many axes each, without gaps. Along an axis a scale is that of sizes[k] / scale_sizes[k]
// neighbours.
struct Blocks {
    std::vector<std::size_t> sizes, scale_sizes;
    const unsigned char* numbers;  // INT8 or UINT8, and so are zero points
    const unsigned char* zeros;    // or null
    bool is_signed;
    const void* scales;  // FLOAT32 or FLOAT16
    bool has_halves;
    float* out;
};

// out = (number - zero point) * scale, rounded once; a NaN is the canonical one.
void dequantize(const Blocks& task, const Policy& policy);

}  // namespace weights
}  // namespace indirectml
