// Stored weights in plain C++: what every other target is compared with.
#include "../compiler.h"
#include "../floats.h"
#include "../lanes/f32_portable.h"
#include "kernels.h"

namespace indirectml {
namespace weights {

namespace {

struct W : lanes::portable::F32 {
    struct Words {
        std::uint32_t lane[kCount];
    };
    static Words load_words(const std::uint32_t* at) { return {{at[0], at[1], at[2], at[3]}}; }
    template <unsigned kBits>
    static Words next(Words words) {
        for (std::uint32_t& word : words.lane) word >>= kBits;
        return words;
    }
    template <unsigned kBits>
    struct Numbers {
        explicit Numbers(float given) : zero(given) {}
        Vector of(const Words& words) const {
            const Vector number = above(words);
            return each([&](int j) { return number.lane[j] - zero; });
        }
        static Vector above(const Words& words) {
            return each([&](int j) {
                return static_cast<float>(words.lane[j] & ((1u << kBits) - 1));
            });
        }
        float zero;
    };
    // Once: copies of it took most of the time that this file takes to compile.
    INDIRECTML_NOINLINE static Vector as_half(Vector v) {
        return each([&](int j) {
            const std::uint64_t bits = lanes::portable::bits_of(v.lane[j]);
            return lanes::portable::widen(
                static_cast<std::uint16_t>(convert({32, 24}, {16, 11}, bits)));
        });
    }
};

constexpr std::size_t kTogether = 1;

#include "bodies.inl"

}  // namespace

extern const Kernels kPortable = {"portable", multiply_row, widen};

}  // namespace weights
}  // namespace indirectml
