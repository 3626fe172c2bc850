// Quotients by a number that is known before, by two products.
#pragma once

#include <optional>

namespace indirectml {
namespace programs {

// 1 / d as high + low, both above 0, so that fma(x, high, x * low) is x / d correctly rounded wherever neither that nor
// x * low is subnormal, and where x / d is 0, infinite or NaN.
struct Inverse {
    float high, low;
};

// For d from 2^-30 to 2^30. Three of a hundred have none. docs/arithmetic.md proves it ("Quotients by two products").
std::optional<Inverse> inverse_of(float d);

}  // namespace programs
}  // namespace indirectml
