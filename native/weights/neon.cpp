// Stored weights in the lanes of 64-bit Arm.
#include "../compiler.h"
#include "../lanes/f32_neon.h"
#include "kernels.h"

namespace indirectml {
namespace weights {

namespace {

struct W : lanes::neon::F32 {
    using Words = uint32x4_t;
    static Words load_words(const std::uint32_t* at) { return vld1q_u32(at); }
    template <unsigned kBits>
    static Words next(Words words) {
        return vshrq_n_u32(words, kBits);
    }
    template <unsigned kBits>
    struct Numbers {
        explicit Numbers(float given) : zero(set(given)) {}
        Vector of(Words words) const { return subtract(above(words), zero); }
        static Vector above(Words words) {
            return vcvtq_f32_u32(vandq_u32(words, vdupq_n_u32((1u << kBits) - 1)));
        }
        Vector zero;
    };
    static Vector as_half(Vector v) { return vcvt_f32_f16(vcvt_f16_f32(v)); }
};

constexpr std::size_t kTogether = 1;

#include "bodies.inl"

}  // namespace

extern const Kernels kNeon = {"neon", multiply_row, widen};

}  // namespace weights
}  // namespace indirectml
