// Functions to about 2^-100: FLOAT64 numbers in pairs whose sum is meant. Plain C++, one number at a
// time, for the results that FLOAT64 leaves open.
#pragma once

#include "coefficients.h"
#include "functions.h"

namespace indirectml {
namespace functions {

// f(x, y); `guess` is the same to a relative error of kMargin. What is left of the result lies
// between two neighbouring FLOAT64, or it is `high`: the low part has the sign of the rest.
Pair accurate(Function function, double x, double y, double guess);

// The one of the two FLOAT64 around a sum whose last bit is set, unless the sum is a FLOAT64: no
// later rounding to fewer bits is misled by it.
double to_odd(Pair sum);

// x = quadrant * pi / 2 + rest
struct ExactAngle {
    int quadrant;
    Pair rest;
};
ExactAngle reduced_exactly(float x);

}  // namespace functions
}  // namespace indirectml
