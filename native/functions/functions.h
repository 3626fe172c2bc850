// Functions of one or two FLOAT32 numbers: the exact result, rounded once, to FLOAT32 or directly
// to FLOAT16. A NaN is the positive quiet one without payload.
//
// Kernels evaluate in FLOAT64 to a relative error below kMargin. Where that does not decide the
// rounding, which is one result in some 30,000, `accurate` does: so all targets give the same bits,
// though their FLOAT64 steps differ.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indirectml {
namespace functions {

// name, number of arguments, whether FLOAT64 may leave the rounding open
#define INDIRECTML_FUNCTIONS(F) \
    F(Exp, "exp", 1, true)      \
    F(Expm1, "expm1", 1, true)  \
    F(Log, "log", 1, true)      \
    F(Sin, "sin", 1, true)      \
    F(Cos, "cos", 1, true)      \
    F(Tan, "tan", 1, true)      \
    F(Asin, "asin", 1, true)    \
    F(Acos, "acos", 1, true)    \
    F(Atan, "atan", 1, true)    \
    F(Sinh, "sinh", 1, true)    \
    F(Cosh, "cosh", 1, true)    \
    F(Tanh, "tanh", 1, true)    \
    F(Asinh, "asinh", 1, true)  \
    F(Acosh, "acosh", 1, true)  \
    F(Atanh, "atanh", 1, true)  \
    F(Erf, "erf", 1, true)      \
    F(Sigmoid, "sigmoid", 1, true)   \
    F(Softplus, "softplus", 1, true) \
    F(Gelu, "gelu", 1, true)    \
    F(Sqrt, "sqrt", 1, false)   \
    F(Rsqrt, "rsqrt", 1, true)  \
    F(Recip, "recip", 1, false) \
    F(Pow, "pow", 2, true)      \
    F(Atan2, "atan2", 2, true)

enum class Function : int {
#define INDIRECTML_NAME(NAME, TEXT, ARGUMENTS, CHECKED) k##NAME,
    INDIRECTML_FUNCTIONS(INDIRECTML_NAME)
#undef INDIRECTML_NAME
        kCount
};
constexpr int kFunctionCount = static_cast<int>(Function::kCount);

struct FunctionFacts {
    const char* name;
    int arguments;
};
extern const FunctionFacts kFacts[kFunctionCount];

enum class Result { kSingle, kHalf };

// `out` may be `x` or `y`, and must not overlap them otherwise. `y` is read by functions of two.
using Kernel = void (*)(const float* x, const float* y, void* out, std::size_t count);

struct Kernels {
    const char* name;  // the target's
    Kernel single[kFunctionCount], half[kFunctionCount];
    Kernel exp_in_doubles;  // exp to FLOAT32, for arguments that FLOAT32 lanes leave open
};

// Largest relative error of what a kernel evaluates.
constexpr double kMargin = 0x1p-40;

// ---- What kernels call in rare cases ------------------------------------------------------------

// The results of lanes whose bit is set in `lanes`, decided by more than FLOAT64. An approximation is
// NaN where the result is, and has a relative error of at most kMargin else.
void decide(Function function, unsigned lanes, const float* x, const float* y,
            const double* approximations, float* out);
void decide(Function function, unsigned lanes, const float* x, const float* y,
            const double* approximations, std::uint16_t* out);

// x = quadrant * pi / 2 + rest, |rest| <= pi / 4, for any finite x; the quadrant modulo 4.
struct Angle {
    int quadrant;
    double rest;
};
Angle reduced(float x);

}  // namespace functions
}  // namespace indirectml
