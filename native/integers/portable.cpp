// Plain C++: what every other target is compared with.
#include "../compiler.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../lanes/f32_portable.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

namespace {

template <bool kIsSigned, bool>
struct Quads {
    static constexpr std::size_t kCount = 4;
    static constexpr int kParts = 1;
    static constexpr bool kNarrows = false;
    struct Vector {
        std::uint32_t lane[kCount];  // unsigned, since sums wrap
    };
    struct Columns {
        unsigned char byte[kCount * kQuad];
    };
    struct Factor {
        unsigned char byte[kQuad];
    };
    using Sum = Vector;
    static int number(unsigned char byte, bool is_signed) {
        return is_signed ? static_cast<signed char>(byte) : byte;
    }
    template <int = 0>
    static Columns load(const std::int32_t* at) {
        Columns columns;
        std::memcpy(columns.byte, at, sizeof(columns.byte));
        return columns;
    }
    template <int = 0>
    static Factor set(const unsigned char* at) {
        Factor factor;
        std::memcpy(factor.byte, at, sizeof(factor.byte));
        return factor;
    }
    static Sum zero() { return repeat(0); }
    static std::uint32_t sum_of(const unsigned char* a, const unsigned char* b) {
        int sum = 0;
        for (std::size_t n = 0; n < kQuad; ++n) {
            sum += number(a[n], kIsSigned) * number(b[n], !kIsSigned);
        }
        return static_cast<std::uint32_t>(sum);
    }
    static Sum add(Factor a, Columns b, Sum c) {
        for (std::size_t j = 0; j < kCount; ++j) c.lane[j] += sum_of(a.byte, b.byte + kQuad * j);
        return c;
    }
    template <int = 0>
    static Sum add_each(const unsigned char* at, Columns b, Sum c) {
        for (std::size_t j = 0; j < kCount; ++j) {
            c.lane[j] += sum_of(at + kQuad * j, b.byte + kQuad * j);
        }
        return c;
    }
    static Vector total(Sum c) { return c; }
    static Vector repeat(std::int32_t x) {
        const auto bits = static_cast<std::uint32_t>(x);
        return {{bits, bits, bits, bits}};
    }
    static Vector load_sums(const std::int32_t* at) {
        Vector v;
        std::memcpy(v.lane, at, sizeof(v.lane));
        return v;
    }
    static Vector plus(Vector a, Vector b) {
        for (std::size_t j = 0; j < kCount; ++j) a.lane[j] += b.lane[j];
        return a;
    }
    static void store(std::int32_t* at, Vector v) { std::memcpy(at, v.lane, sizeof(v.lane)); }
};

constexpr bool kWidens = false;
constexpr std::size_t kTileRows = 2, kTilePanels = 1, kRowPanels = 1;

inline std::size_t interleave_vectors(const unsigned char* const*, std::size_t, unsigned char,
                                      std::int32_t*) {
    return 0;
}

using lanes::portable::F32;

#include "bodies.inl"

}  // namespace

extern const Kernels kIntegersPortable = table_of("portable", nullptr);

}  // namespace integers
}  // namespace indirectml
