// Running sums and products along an axis.
#pragma once

#include "../fill.h"

namespace indirectml {
namespace sums {

// Packed arrays [outer, size, inner] of one type, but that results of FLOAT16 are FLOAT32; integers of
// either sign are the same modulo 2^bits.
enum class ScanType : int { k8, k16, k32, k64, kSingle, kDouble, kHalf };
struct Chains {
    ScanType type;
    std::uint64_t outer, size, inner;
    bool is_product, is_exclusive, is_reverse;
};

// Along the middle axis: the first element, then total + next or total * next, each rounded; what is
// exclusive begins with 0 or 1 instead, and ends before the last. NaNs are the positive quiet one.
void scan(const unsigned char* x, const Chains& chains, unsigned char* out, const Policy& policy);

}  // namespace sums
}  // namespace indirectml
