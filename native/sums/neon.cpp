// Sums in the lanes of NEON.
#include <cstring>

#include "../compiler.h"
#include "../functions/coefficients.h"
#include "../lanes/f32_neon.h"
#include "../lanes/f64_neon.h"
#include "../lanes/two.h"
#include "kernels.h"

namespace indirectml {
namespace sums {

namespace neon {

struct L : lanes::neon::F64 {
    static constexpr std::size_t kTogether = 2;
    static constexpr std::size_t kColumns = 4;
    static Vector opaque(Vector v) {
        INDIRECTML_OPAQUE("w", v);
        return v;
    }
    static Vector load_half(const std::uint16_t* at) {
        std::uint32_t two;
        std::memcpy(&two, at, sizeof(two));
        const uint16x4_t halves = vreinterpret_u16_u32(vdup_n_u32(two));
        return vcvt_f64_f32(vget_low_f32(vcvt_f32_f16(vreinterpret_f16_u16(halves))));
    }
    static Vector totals(const Vector* rows) {
        return add(vzip1q_f64(rows[0], rows[1]), vzip2q_f64(rows[0], rows[1]));
    }
};

struct S : lanes::neon::F32 {
    static Vector min(Vector a, Vector b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
    static Vector max(Vector a, Vector b) { return vbslq_f32(vcltq_f32(b, a), a, b); }
};

#include "elements.inl"
#include "sums.inl"
#include "bodies.inl"

}  // namespace neon

extern const Kernels kNeon = neon::table("neon", neon::sum_kernels());

}  // namespace sums
}  // namespace indirectml
