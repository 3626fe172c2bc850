// Operations on blocks, compiled once per target: plain loops that compilers turn into vectors, each
// element by one operation of IEEE 754 or of integers, so that no target differs in a bit. The
// includer provides F32 and F64 (lanes/), and of vectors of it narrow(), to FLOAT16, nearest_whole(), ties to even, and less_of() and more_of(a, b): b, where a is not less, or more; kByProducts:
// whether a division takes longer than four products, and with it unusual(): a bit for each number that is
// subnormal, infinite or NaN; and Integers, vectors of as many INT32: loaded from these or from bytes, set, added
// modulo 2^32; floats() of them, and whole(), they of whole numbers; store() of those that bytes hold, as such; and
// nearest_within(): 0 of NaNs, else the nearest, ties to even, from low to high, between which 0 is.

struct Half {
    std::uint16_t bits;
};

template <typename T>
inline T canonical_of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
        constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
        return x == x ? x : kNan;
    } else {
        return x;
    }
}

// C's functions of FLOAT32 and FLOAT64 by one name.
#define INDIRECTML_BOTH(NAME, SINGLE, DOUBLE)             \
    inline float NAME(float x) { return SINGLE(x); }      \
    inline double NAME(double x) { return DOUBLE(x); }
INDIRECTML_BOTH(magnitude_of, fabsf, fabs)
INDIRECTML_BOTH(above, ceilf, ceil)
INDIRECTML_BOTH(below, floorf, floor)
INDIRECTML_BOTH(nearest, nearbyintf, nearbyint)
INDIRECTML_BOTH(towards_zero, truncf, trunc)
inline float rest_of(float a, float b) { return fmodf(a, b); }
inline double rest_of(double a, double b) { return fmod(a, b); }
inline float signed_as(float a, float b) { return copysignf(a, b); }
inline double signed_as(double a, double b) { return copysign(a, b); }

// What computes gives the canonical NaN, since processors differ in those that they make; what only
// moves or changes signs keeps it.

// ---- Operations ---------------------------------------------------------------------------------

// Integers are computed as unsigned numbers of their width or of int's, which wrap by definition.
template <typename T>
using Wrapping = std::make_unsigned_t<std::common_type_t<T, int>>;
template <typename T>
inline T wrapped(Wrapping<T> x) {
    return static_cast<T>(x);
}

#define INDIRECTML_UNARY(NAME, FLOAT, INTEGER)      \
    struct NAME {                                   \
        template <typename T>                       \
        static T of(T x) {                          \
            if constexpr (std::is_floating_point_v<T>) { \
                return FLOAT;                       \
            } else {                                \
                return INTEGER;                     \
            }                                       \
        }                                           \
    };
#define INDIRECTML_BINARY(NAME, FLOAT, INTEGER)              \
    struct NAME {                                            \
        template <typename T>                                \
        static T of([[maybe_unused]] T a, [[maybe_unused]] T b) { \
            if constexpr (std::is_floating_point_v<T>) {     \
                return FLOAT;                                \
            } else {                                         \
                return INTEGER;                              \
            }                                                \
        }                                                    \
    };
#define INDIRECTML_TEST(NAME, EXPRESSION)                    \
    struct NAME {                                            \
        template <typename T>                                \
        static std::uint8_t of(T a, T b) {                   \
            return static_cast<std::uint8_t>(EXPRESSION);    \
        }                                                    \
    };
#define INDIRECTML_INTEGERS(OPERATOR) \
    wrapped<T>(static_cast<Wrapping<T>>(a) OPERATOR static_cast<Wrapping<T>>(b))

INDIRECTML_UNARY(Abs, magnitude_of(x), x < T{0} ? wrapped<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x)) : x)
INDIRECTML_UNARY(Negative, -x, wrapped<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x)))
INDIRECTML_UNARY(Ceil, canonical_of(above(x)), x)
INDIRECTML_UNARY(Floor, canonical_of(below(x)), x)
INDIRECTML_UNARY(Round, canonical_of(nearest(x)), x)
INDIRECTML_UNARY(Trunc, canonical_of(towards_zero(x)), x)
INDIRECTML_UNARY(Sign, (x > 0 ? T{1} : x < 0 ? T{-1} : x == 0 ? T{0} : x),
                 static_cast<T>((x > T{0}) - (x < T{0})))
INDIRECTML_UNARY(Canonical, canonical_of(x), x)
INDIRECTML_UNARY(BitNot, x, static_cast<T>(~x))
INDIRECTML_BINARY(Add, canonical_of(a + b), INDIRECTML_INTEGERS(+))
INDIRECTML_BINARY(Subtract, canonical_of(a - b), INDIRECTML_INTEGERS(-))
INDIRECTML_BINARY(Multiply, canonical_of(a * b), INDIRECTML_INTEGERS(*))
INDIRECTML_BINARY(Divide, canonical_of(a / b), a)
INDIRECTML_BINARY(Maximum, a, a < b ? b : a)
INDIRECTML_BINARY(Minimum, a, b < a ? b : a)
INDIRECTML_BINARY(CopySign, signed_as(a, b), a)
INDIRECTML_BINARY(BitAnd, a, static_cast<T>(a & b))
INDIRECTML_BINARY(BitOr, a, static_cast<T>(a | b))
INDIRECTML_BINARY(BitXor, a, static_cast<T>(a ^ b))
INDIRECTML_BINARY(ShiftLeft, a, b < T{8 * sizeof(T)} ? wrapped<T>(static_cast<Wrapping<T>>(a) << b) : T{0})
INDIRECTML_BINARY(ShiftRight, a, b < T{8 * sizeof(T)} ? static_cast<T>(a >> b) : T{0})
INDIRECTML_TEST(Less, a < b)
INDIRECTML_TEST(LessEqual, a <= b)
INDIRECTML_TEST(Equal, a == b)
INDIRECTML_TEST(NotEqual, a != b)

// Division by zero gives 0, and the smallest number divided by -1 itself, as in NumPy.
template <typename T>
inline bool is_minus_one(T x) {
    return std::is_signed<T>::value && x == static_cast<T>(-1);
}
struct TruncateModulus {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (std::is_floating_point_v<T>) {
            return canonical_of(rest_of(a, b));
        } else {
            return b == 0 || is_minus_one(b) ? T{0} : static_cast<T>(a % b);
        }
    }
};
struct FloorModulus {
    template <typename T>
    static T of(T a, T b) {
        const T left = TruncateModulus::of(a, b);
        return left != 0 && (left < 0) != (b < 0) ? static_cast<T>(left + b) : left;
    }
};
struct FloorDivide {
    template <typename T>
    static T of(T a, T b) {
        if (b == 0) return T{0};
        if (is_minus_one(b)) return wrapped<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
        const T quotient = static_cast<T>(a / b);
        return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
    }
};
struct IsNan {
    template <typename T>
    static std::uint8_t of(T x) {
        return x != x;
    }
};
struct IsInfinite {
    template <typename T>
    static std::uint8_t of(T x) {
        return magnitude_of(x) == std::numeric_limits<T>::infinity();
    }
};
struct SignBit {
    template <typename T>
    static std::uint8_t of(T x) {
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits;
        std::memcpy(&bits, &x, sizeof(bits));
        return static_cast<std::uint8_t>(bits >> (8 * sizeof(T) - 1));
    }
};
struct BitCount {
    template <typename T>
    static std::uint8_t of(T x) {
        int count = 0;
        for (; x != 0; x = static_cast<T>(x & (x - 1))) ++count;
        return static_cast<std::uint8_t>(count);
    }
};

// ---- Loops --------------------------------------------------------------------------------------

template <typename F, typename T, typename R>
void unary(const void* const* sources, unsigned, void* out, std::size_t count) {
    const T* INDIRECTML_RESTRICT const x = static_cast<const T*>(sources[0]);
    R* INDIRECTML_RESTRICT const to = static_cast<R*>(out);
    for (std::size_t j = 0; j < count; ++j) to[j] = F::of(x[j]);
}

template <typename F, typename T, typename R>
void binary(const void* const* sources, unsigned repeated, void* out, std::size_t count) {
    const T* INDIRECTML_RESTRICT const a = static_cast<const T*>(sources[0]);
    const T* INDIRECTML_RESTRICT const b = static_cast<const T*>(sources[1]);
    R* INDIRECTML_RESTRICT const to = static_cast<R*>(out);
    if (repeated & 1) {
        const T first = *a;
        for (std::size_t j = 0; j < count; ++j) to[j] = F::of(first, b[j]);
    } else if (repeated & 2) {
        const T second = *b;
        for (std::size_t j = 0; j < count; ++j) to[j] = F::of(a[j], second);
    } else {
        for (std::size_t j = 0; j < count; ++j) to[j] = F::of(a[j], b[j]);
    }
}

template <typename T>
void choose(const void* const* sources, unsigned repeated, void* out, std::size_t count) {
    const std::uint8_t* INDIRECTML_RESTRICT const mask =
        static_cast<const std::uint8_t*>(sources[0]);
    const T* INDIRECTML_RESTRICT const a = static_cast<const T*>(sources[1]);
    const T* INDIRECTML_RESTRICT const b = static_cast<const T*>(sources[2]);
    T* INDIRECTML_RESTRICT const to = static_cast<T*>(out);
    switch (repeated >> 1) {
        case 0:
            for (std::size_t j = 0; j < count; ++j) {
                const T yes = a[j], no = b[j];
                to[j] = mask[j] ? yes : no;
            }
            break;
        case 1: {
            const T yes = *a;
            for (std::size_t j = 0; j < count; ++j) {
                const T no = b[j];
                to[j] = mask[j] ? yes : no;
            }
            break;
        }
        case 2: {
            const T no = *b;
            for (std::size_t j = 0; j < count; ++j) {
                const T yes = a[j];
                to[j] = mask[j] ? yes : no;
            }
            break;
        }
        default: {
            const T yes = *a, no = *b;
            for (std::size_t j = 0; j < count; ++j) to[j] = mask[j] ? yes : no;
        }
    }
}

template <typename From, typename To>
struct Convert {
    static To of(From x) { return canonical_of(static_cast<To>(x)); }
};
template <typename From, typename To>
struct Truncate {
    static To of(From x) {
        constexpr To kMost = std::numeric_limits<To>::max(), kLeast = std::numeric_limits<To>::min();
        // Powers of two: exact.
        constexpr From kEnd = static_cast<From>(kMost / 2 + 1) * 2;
        constexpr From kBegin = static_cast<From>(kLeast);
        if (x != x) return To{0};
        if (x >= kEnd) return kMost;
        return x <= kBegin ? kLeast : static_cast<To>(x);
    }
};

#include "quantize.inl"

void widen(const void* const* sources, unsigned, void* out, std::size_t count) {
    const auto* const from = static_cast<const std::uint16_t*>(sources[0]);
    auto* const to = static_cast<float*>(out);
    std::size_t j = 0;
    for (; j + F32::kCount <= count; j += F32::kCount) {
        F32::store(to + j, F32::canonical(F32::widen(from + j)));
    }
    if (j == count) return;
    F32::store_part(to + j, F32::canonical(F32::widen_part(from + j, count - j)), count - j);
}

void narrow_all(const void* const* sources, unsigned, void* out, std::size_t count) {
    const auto* const from = static_cast<const float*>(sources[0]);
    auto* const to = static_cast<std::uint16_t*>(out);
    std::size_t j = 0;
    for (; j + F32::kCount <= count; j += F32::kCount) {
        narrow(F32::canonical(F32::load(from + j)), to + j);
    }
    if (j == count) return;
    std::uint16_t last[F32::kCount];
    narrow(F32::canonical(F32::load_part(from + j, count - j)), last);
    for (std::size_t k = 0; j + k < count; ++k) to[j + k] = last[k];
}

// FLOAT64 to FLOAT16, rounded once.
void narrow_doubles(const void* const* sources, unsigned, void* out, std::size_t count) {
    const auto* const from = static_cast<const double*>(sources[0]);
    auto* const to = static_cast<std::uint16_t*>(out);
    const auto one = [](const double* at, std::uint16_t* result) {
        const F64::Vector v = F64::load(at);
        const F64::Vector nan = F64::set(std::numeric_limits<double>::quiet_NaN());
        F64::store_half(result, F64::half(F64::select(F64::is_nan(v), nan, v)));
    };
    std::size_t j = 0;
    for (; j + F64::kCount <= count; j += F64::kCount) one(from + j, to + j);
    if (j == count) return;
    double last[F64::kCount] = {};
    std::uint16_t rest[F64::kCount];
    for (std::size_t k = 0; j + k < count; ++k) last[k] = from[j + k];
    one(last, rest);
    for (std::size_t k = 0; j + k < count; ++k) to[j + k] = rest[k];
}

#include "../functions/powers.inl"
#include "../functions/pairs.inl"
#include "chain.inl"
#include "forms.inl"

// ---- The table ----------------------------------------------------------------------------------

template <typename T>
constexpr void add_integer(Kernels& k, Type type) {
    const int t = static_cast<int>(type);
    const auto put = [&](Operation o, Kernel kernel) {
        k.operations[static_cast<int>(o)][t] = kernel;
    };
    put(Operation::kAbs, unary<Abs, T, T>);
    put(Operation::kNegative, unary<Negative, T, T>);
    put(Operation::kSign, unary<Sign, T, T>);
    put(Operation::kAdd, binary<Add, T, T>);
    put(Operation::kSubtract, binary<Subtract, T, T>);
    put(Operation::kMultiply, binary<Multiply, T, T>);
    put(Operation::kFloorDivide, binary<FloorDivide, T, T>);
    put(Operation::kTruncateModulus, binary<TruncateModulus, T, T>);
    put(Operation::kFloorModulus, binary<FloorModulus, T, T>);
    put(Operation::kMaximum, binary<Maximum, T, T>);
    put(Operation::kMinimum, binary<Minimum, T, T>);
    put(Operation::kLess, binary<Less, T, std::uint8_t>);
    put(Operation::kLessEqual, binary<LessEqual, T, std::uint8_t>);
    put(Operation::kEqual, binary<Equal, T, std::uint8_t>);
    put(Operation::kNotEqual, binary<NotEqual, T, std::uint8_t>);
    const int f = static_cast<int>(Type::kFloat32), d = static_cast<int>(Type::kFloat64);
    k.convert[t][f] = unary<Convert<T, float>, T, float>;
    k.convert[t][d] = unary<Convert<T, double>, T, double>;
    k.truncate[f][t] = unary<Truncate<float, T>, float, T>;
    k.truncate[d][t] = unary<Truncate<double, T>, double, T>;
#define INDIRECTML_TO(NAME, TEXT, CPP) k.convert[t][static_cast<int>(Type::k##NAME)] = \
    unary<Convert<T, CPP>, T, CPP>;
    INDIRECTML_TO(Int8, , std::int8_t)
    INDIRECTML_TO(Int16, , std::int16_t)
    INDIRECTML_TO(Int32, , std::int32_t)
    INDIRECTML_TO(Int64, , std::int64_t)
    INDIRECTML_TO(UInt8, , std::uint8_t)
    INDIRECTML_TO(UInt16, , std::uint16_t)
    INDIRECTML_TO(UInt32, , std::uint32_t)
    INDIRECTML_TO(UInt64, , std::uint64_t)
#undef INDIRECTML_TO
}

// Patterns of bits, whatever they mean.
template <typename T>
constexpr void add_bits(Kernels& k, Type type) {
    const int t = static_cast<int>(type);
    const auto put = [&](Operation o, Kernel kernel) {
        k.operations[static_cast<int>(o)][t] = kernel;
    };
    put(Operation::kBitNot, unary<BitNot, T, T>);
    put(Operation::kBitAnd, binary<BitAnd, T, T>);
    put(Operation::kBitOr, binary<BitOr, T, T>);
    put(Operation::kBitXor, binary<BitXor, T, T>);
    put(Operation::kShiftLeft, binary<ShiftLeft, T, T>);
    put(Operation::kShiftRight, binary<ShiftRight, T, T>);
    put(Operation::kChoose, choose<T>);
    put(Operation::kBitCount, unary<BitCount, T, std::uint8_t>);
}

template <typename T>
constexpr void add_float(Kernels& k, Type type) {
    const int t = static_cast<int>(type);
    const auto put = [&](Operation o, Kernel kernel) {
        k.operations[static_cast<int>(o)][t] = kernel;
    };
    put(Operation::kAbs, unary<Abs, T, T>);
    put(Operation::kNegative, unary<Negative, T, T>);
    put(Operation::kCeil, unary<Ceil, T, T>);
    put(Operation::kFloor, unary<Floor, T, T>);
    put(Operation::kRound, unary<Round, T, T>);
    put(Operation::kTrunc, unary<Trunc, T, T>);
    put(Operation::kSign, unary<Sign, T, T>);
    put(Operation::kCanonical, unary<Canonical, T, T>);
    put(Operation::kAdd, binary<Add, T, T>);
    put(Operation::kSubtract, binary<Subtract, T, T>);
    put(Operation::kMultiply, binary<Multiply, T, T>);
    put(Operation::kDivide, binary<Divide, T, T>);
    put(Operation::kTruncateModulus, binary<TruncateModulus, T, T>);
    put(Operation::kCopySign, binary<CopySign, T, T>);
    put(Operation::kIsNan, unary<IsNan, T, std::uint8_t>);
    put(Operation::kIsInfinite, unary<IsInfinite, T, std::uint8_t>);
    put(Operation::kSignBit, unary<SignBit, T, std::uint8_t>);
    put(Operation::kLess, binary<Less, T, std::uint8_t>);
    put(Operation::kLessEqual, binary<LessEqual, T, std::uint8_t>);
    put(Operation::kEqual, binary<Equal, T, std::uint8_t>);
    put(Operation::kNotEqual, binary<NotEqual, T, std::uint8_t>);
}

constexpr Kernels table(const char* name) {
    Kernels k{};
    k.name = name;
    const int f = static_cast<int>(Type::kFloat32), h = static_cast<int>(Type::kFloat16);
    const int d = static_cast<int>(Type::kFloat64);
    add_float<float>(k, Type::kFloat32);
    add_float<double>(k, Type::kFloat64);
    k.convert[h][f] = widen;
    k.convert[f][h] = narrow_all;
    k.convert[f][d] = unary<Convert<float, double>, float, double>;
    k.convert[d][f] = unary<Convert<double, float>, double, float>;
    k.convert[d][h] = narrow_doubles;
    // Without vectors, numbers on their way through a chain would lie in memory as well.
    k.chain = F32::kPicks ? chain : nullptr;
    k.make_quotient_rows = kByProducts ? make_quotient_rows : nullptr;
    k.quantize[static_cast<int>(Type::kInt8)] = quantize<std::int8_t>;
    k.quantize[static_cast<int>(Type::kUInt8)] = quantize<std::uint8_t>;
    k.requantize[static_cast<int>(Type::kInt8)] = requantize<std::int8_t>;
    k.requantize[static_cast<int>(Type::kUInt8)] = requantize<std::uint8_t>;
    add_integer<std::int8_t>(k, Type::kInt8);
    add_integer<std::int16_t>(k, Type::kInt16);
    add_integer<std::int32_t>(k, Type::kInt32);
    add_integer<std::int64_t>(k, Type::kInt64);
    add_integer<std::uint8_t>(k, Type::kUInt8);
    add_integer<std::uint16_t>(k, Type::kUInt16);
    add_integer<std::uint32_t>(k, Type::kUInt32);
    add_integer<std::uint64_t>(k, Type::kUInt64);
    add_bits<std::uint8_t>(k, Type::kUInt8);
    add_bits<std::uint16_t>(k, Type::kUInt16);
    add_bits<std::uint32_t>(k, Type::kUInt32);
    add_bits<std::uint64_t>(k, Type::kUInt64);
    return k;
}
