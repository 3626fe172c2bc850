// Programs' operations for one instruction set.
#include <math.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_portable.h"
#include "../lanes/f64_portable.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace programs {

namespace portable {

namespace {

using F32 = lanes::portable::F32;
using F64 = lanes::portable::F64;

constexpr bool kByProducts = false;

inline void narrow(F32::Vector v, std::uint16_t* to) {
    for (std::size_t j = 0; j < F32::kCount; ++j) {
        to[j] = lanes::portable::F64::half(static_cast<double>(v.lane[j]));
    }
}
inline F32::Vector nearest_whole(F32::Vector v) {
    for (float& lane : v.lane) lane = nearbyintf(lane);
    return v;
}
inline F32::Vector less_of(F32::Vector a, F32::Vector b) { return F32::if_less(a, b, a, b); }
inline F32::Vector more_of(F32::Vector a, F32::Vector b) { return F32::if_less(b, a, a, b); }

struct Integers {
    struct Vector {
        std::int32_t lane[F32::kCount];
    };
    template <typename Element>
    static Vector load(const Element* at) {
        return {{at[0], at[1], at[2], at[3]}};
    }
    static Vector set(std::int32_t x) { return {{x, x, x, x}}; }
    static Vector add(Vector a, Vector b) {
        for (std::size_t j = 0; j < F32::kCount; ++j) {
            a.lane[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(a.lane[j]) +
                                                  static_cast<std::uint32_t>(b.lane[j]));
        }
        return a;
    }
    static F32::Vector floats(Vector v) {
        F32::Vector numbers;
        for (std::size_t j = 0; j < F32::kCount; ++j) numbers.lane[j] = static_cast<float>(v.lane[j]);
        return numbers;
    }
    template <typename Byte>
    static void store(Vector v, Byte* to) {
        for (std::size_t j = 0; j < F32::kCount; ++j) to[j] = static_cast<Byte>(v.lane[j]);
    }
    static Vector whole(F32::Vector x) {
        Vector found;
        for (std::size_t j = 0; j < F32::kCount; ++j) {
            found.lane[j] = static_cast<std::int32_t>(x.lane[j]);
        }
        return found;
    }
    static Vector nearest_within(F32::Vector x, F32::Vector low, F32::Vector high) {
        for (std::size_t j = 0; j < F32::kCount; ++j) {
            const float raised = x.lane[j] > low.lane[j] ? x.lane[j] : low.lane[j];
            const float within = raised < high.lane[j] ? raised : high.lane[j];
            x.lane[j] = x.lane[j] == x.lane[j] ? nearbyintf(within) : 0;
        }
        return whole(x);
    }
};

#include "bodies.inl"

}  // namespace

}  // namespace portable

// Known before anything runs: a machine may lack the instructions.
extern constexpr Kernels kPortable = portable::table("portable");

}  // namespace programs
}  // namespace indirectml
