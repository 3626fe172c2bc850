// What an instruction set provides for programs: one operation on a block of elements.
//
// Kernels are single-threaded and re-entrant, allocate nothing, and write what they say and no byte
// more. The processor is in its default modes (float_modes.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../functions/functions.h"

namespace indirectml {

struct Target;

namespace programs {

// What a value consists of: name, as NumPy calls it, and C++'s type. A truth value is a UINT8, 0 or 1.
#define INDIRECTML_TYPES(T)          \
    T(Float32, "float32", float)     \
    T(Float16, "float16", Half)      \
    T(Float64, "float64", double)    \
    T(Int8, "int8", std::int8_t)     \
    T(Int16, "int16", std::int16_t)  \
    T(Int32, "int32", std::int32_t)  \
    T(Int64, "int64", std::int64_t)  \
    T(UInt8, "uint8", std::uint8_t)  \
    T(UInt16, "uint16", std::uint16_t) \
    T(UInt32, "uint32", std::uint32_t) \
    T(UInt64, "uint64", std::uint64_t)

enum class Type : int {
#define INDIRECTML_NAME(NAME, TEXT, CPP) k##NAME,
    INDIRECTML_TYPES(INDIRECTML_NAME)
#undef INDIRECTML_NAME
        kCount
};
constexpr int kTypeCount = static_cast<int>(Type::kCount);

// Operations: name, number of sources, which have one type. `convert` and `truncate` are found by
// two types. Results have the type of the sources, but for those in the second list, which are
// UINT8. `choose` has a truth value before its two sources.
#define INDIRECTML_OPERATIONS(F)          \
    F(Abs, "absolute", 1)                 \
    F(Negative, "negative", 1)            \
    F(Ceil, "ceil", 1)                    \
    F(Floor, "floor", 1)                  \
    F(Round, "rint", 1)                   \
    F(Trunc, "trunc", 1)                  \
    F(Sign, "sign", 1)                    \
    F(Canonical, "canonical", 1)          \
    F(BitNot, "invert", 1)                \
    F(Add, "add", 2)                      \
    F(Subtract, "subtract", 2)            \
    F(Multiply, "multiply", 2)            \
    F(Divide, "divide", 2)                \
    F(FloorDivide, "floor_divide", 2)     \
    F(TruncateModulus, "fmod", 2)         \
    F(FloorModulus, "remainder", 2)       \
    F(Maximum, "maximum", 2)              \
    F(Minimum, "minimum", 2)              \
    F(CopySign, "copysign", 2)            \
    F(BitAnd, "bitwise_and", 2)           \
    F(BitOr, "bitwise_or", 2)             \
    F(BitXor, "bitwise_xor", 2)           \
    F(ShiftLeft, "left_shift", 2)         \
    F(ShiftRight, "right_shift", 2)       \
    F(Choose, "choose", 3)                \
    F(IsNan, "isnan", 1)                  \
    F(IsInfinite, "isinf", 1)             \
    F(SignBit, "signbit", 1)              \
    F(BitCount, "bitwise_count", 1)       \
    F(Less, "less", 2)                    \
    F(LessEqual, "less_equal", 2)         \
    F(Equal, "equal", 2)                  \
    F(NotEqual, "not_equal", 2)

enum class Operation : int {
#define INDIRECTML_NAME(NAME, TEXT, SOURCES) k##NAME,
    INDIRECTML_OPERATIONS(INDIRECTML_NAME)
#undef INDIRECTML_NAME
        kCount
};
constexpr int kOperationCount = static_cast<int>(Operation::kCount);
constexpr int kMostSources = 4;

// `out` has no memory in common with a source. A source whose bit is set in `repeated` is one element
// that stands for all; one source at least, the truth value of `choose` always, is not repeated.
using Kernel = void (*)(const void* const* sources, unsigned repeated, void* out,
                        std::size_t count);

// What is done with a number on its way through a chain of operations on FLOAT32, in registers: an
// operation with another number, or a choice of `chosen`, which is no NaN, by a comparison with it.
enum class Link {
    kAdd,
    kSubtract,
    kSubtractFrom,  // other - number
    kMultiply,
    kDivide,
    kDivideInto,  // other / number
    // In the place of kDivide before kQuantize, by one number of 2^-30 to 2^30 whose inverse is `chosen`: what
    // quantizes to the same, by zero points that are no larger than 2^29, as those of 8 bits are not.
    kQuotient,
    kAtLeast,     // `chosen` where the number is less than that
    kAtMost,      // `chosen` where it is more
    kChooseIfLess,
    kChooseIfAtMost,
    kChooseIfMore,
    kChooseIfAtLeast,
    kPositive,  // +0 where the number is at most 0
    // As `quantize`; the other number is the zero point, and `chosen` the least of an 8-bit type. The
    // number goes on as a FLOAT32, or ends as the integer that it is.
    kQuantize,
    // In the place of kSubtract, and with the three links after it, which are kDivide, kMultiply and kAdd;
    // none of the four has one number for all, or all have one for each period. With `inverse`: by products, of
    // rows made for it.
    kNormalize,
    kHardSwish,    // number * max(0, min(1, number * one + chosen)), each rounded
    kHardSwishQuotient,  // number * min(chosen, max(0, number + one)) / chosen, for `chosen` from 2^-20 to 2^20
    kRoundToHalf,  // without another number
    kPositiveHalf,  // in forms: kRoundToHalf and kPositive, before what rounds to FLOAT16
    // Without another number; these end a chain, as a FLOAT32. Each operation is rounded.
    kSilu,  // number * sigmoid(number)
    kGelu,  // number * (erf(number / sqrt(2)) + 1) * 0.5, where a target has it
    kNone,  // the last of a chain that has no links, and converts alone
};
constexpr bool ends_chain(Link link) { return link == Link::kSilu || link == Link::kGelu; }
struct ChainLink {
    Link link;
    const float* other;  // null where one number stands for all, or there is none
    const float* inverse;
    float one, chosen;
    std::ptrdiff_t step;  // of `other`, `inverse` and `each` from period to period; 0 of what begins anew
    const float* each = nullptr;  // or where the number is that stands for all of a period
    bool is_each = false;  // of kNormalize: `other` and `inverse` are such numbers
    bool is_row = false;  // `other` is the same for each row
    // Of kQuotient: what `chosen` lacks, where quotients are two products (inverses.h); and whose inverse they are.
    float rest = 0, divisor = 0;
};
inline Link last_of(const ChainLink* links, std::size_t count) {
    return count > 0 ? links[count - 1].link : Link::kNone;
}
// What a chain begins with, which may be an integer or a FLOAT16 to convert, and what it writes: FLOAT32,
// rounded to FLOAT16, or what it was quantized to.
struct ChainEnds {
    Type first_type, out_type;
    const void* first;
    void* out;
    std::ptrdiff_t first_bytes, out_bytes;  // from period to period
    // Added to an INT32, modulo 2^32; where one number is for all, that is `one_more`. The step is as a link's.
    const std::int32_t* more;
    std::int32_t one_more;
    std::ptrdiff_t more_step;
    const functions::Kernel* function_kernels;  // to FLOAT32, for what ends a chain
};
// The rows of a normalization, and what its quotients by products are computed of.
struct NormalizationRows {
    const float *mean, *deviation, *scale, *bias;
};
struct QuotientRows {
    float *mean, *deviation, *inverse;
};

struct Kernels {
    const char* name;  // the target's
    // By operation and the type of the last source; null where there is none.
    Kernel operations[kOperationCount][kTypeCount];
    // From a type to another: rounded, or modulo 2^bits.
    Kernel convert[kTypeCount][kTypeCount];
    // From a float to an integer: towards zero; what does not fit becomes the nearest that does, NaN
    // becomes 0.
    Kernel truncate[kTypeCount][kTypeCount];
    // Or null. out[j] from first[j] by all links, and the canonical NaN; out may be a source of as wide
    // elements. The first type is FLOAT32, FLOAT16, INT32, INT8 or UINT8. After each `period` of elements all
    // goes on as far away as links and ends say, which links remember. A period is made of rows of `row`
    // elements, or, where that is 0, of none.
    void (*chain)(ChainLink* links, std::size_t link_count, ChainEnds ends, std::size_t count,
                  std::size_t period, std::size_t row);
    // Or null, where quotients are divided. Makes rows for quotients by products; false if they would not
    // always be right.
    bool (*make_quotient_rows)(const NormalizationRows& from, const QuotientRows& to, std::size_t count);
    // From FLOAT32 to an integer of 8 bits: to the nearest, ties to even, NaN to 0; plus a whole number
    // from -128 to 255, the second source; within the type.
    Kernel quantize[kTypeCount];
    // The same of an INT32, converted, times a FLOAT32, the second source; the whole number is the third. If
    // there is a fourth source, its INT32 is added to the first, modulo 2^32.
    Kernel requantize[kTypeCount];
};

// The kernels of a target (targets/target.h).
const Kernels& kernels_of(const Target& target);

}  // namespace programs
}  // namespace indirectml
