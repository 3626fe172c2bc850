// Sums in plain C++: what every other target is compared with.
#include <cstring>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_portable.h"
#include "../lanes/f64_portable.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

namespace portable {

struct L : lanes::portable::F64 {
    static constexpr std::size_t kTogether = 1;
    static constexpr std::size_t kColumns = 1;
    static Vector opaque(Vector v) { return v; }
    // In integers: a FLOAT64 with the same sign and fraction, or a multiple of 2^-24.
    static Vector load_half(const std::uint16_t* at) {
        const std::uint64_t b = *at, sign = (b & 0x8000) << 48, magnitude = b & 0x7FFF;
        if (magnitude < 0x0400) {
            const double tiny = static_cast<double>(magnitude) * 0x1p-24;
            return number(bits(tiny) | sign);
        }
        const std::uint64_t exponent = magnitude < 0x7C00 ? 1023 - 15 : 2047 - 31;
        return number(sign | ((magnitude << 42) + (exponent << 52)));
    }
    static Vector totals(const Vector* rows) { return rows[0]; }
};

struct S : lanes::portable::F32 {
    static Vector min(Vector a, Vector b) {
        return each([&](int j) { return a.lane[j] < b.lane[j] ? a.lane[j] : b.lane[j]; });
    }
    static Vector max(Vector a, Vector b) {
        return each([&](int j) { return b.lane[j] < a.lane[j] ? a.lane[j] : b.lane[j]; });
    }
};

#include "elements.inl"
#include "sums.inl"
#include "bodies.inl"

}  // namespace portable

extern const Kernels kPortable = portable::table("portable", portable::sum_kernels());

}  // namespace sums
}  // namespace indirectml
