// Two vectors of FLOAT32 side by side, as one of twice the lanes. An operation on one vector waits for
// the one before it while the other's runs: it pays where registers are many (AVX-512 on Zen 5).
#pragma once

#include <cstddef>

namespace indirectml {
namespace lanes {

// `S` are lanes of lanes/f32_*.h; here is what functions/powers.inl and functions/pairs.inl use of them.
template <typename S>
struct Two {
    struct Vector {
        typename S::Vector first, second;
    };
    static constexpr std::size_t kCount = 2 * S::kCount;
    static constexpr bool kSideBySide = true;

    template <typename Of, typename... Vectors>
    static Vector each(const Of& of, const Vectors&... vectors) {
        return {of(vectors.first...), of(vectors.second...)};
    }
    static Vector both(typename S::Vector v) { return {v, v}; }

    static Vector zero() { return both(S::zero()); }
    static Vector all_bits() { return both(S::all_bits()); }
    static Vector set(float x) { return both(S::set(x)); }
    static Vector magnitude(Vector v) { return each(S::magnitude, v); }
    static Vector about_inverse(Vector v) { return each(S::about_inverse, v); }
    static Vector near_inverse(Vector v) { return each(S::near_inverse, v); }
    static Vector add(Vector a, Vector b) { return each(S::add, a, b); }
    static Vector sub(Vector a, Vector b) { return each(S::sub, a, b); }
    static Vector mul(Vector a, Vector b) { return each(S::mul, a, b); }
    static Vector add_bits(Vector a, Vector b) { return each(S::add_bits, a, b); }
    static Vector with_sign(Vector v, Vector sign) { return each(S::with_sign, v, sign); }
    static Vector fma(Vector a, Vector b, Vector c) { return each(S::fma, a, b, c); }
    static Vector mulsub(Vector a, Vector b, Vector c) { return each(S::mulsub, a, b, c); }
    static Vector submul(Vector a, Vector b, Vector c) { return each(S::submul, a, b, c); }
    static Vector where_less(Vector a, Vector b, Vector yes, Vector no) {
        return each(S::where_less, a, b, yes, no);
    }
    template <int kBy>
    static Vector shift_left(Vector v) {
        return each(S::template shift_left<kBy>, v);
    }
    static Vector at_least(Vector v, float bound) {
        return {S::at_least(v.first, bound), S::at_least(v.second, bound)};
    }
    static Vector at_most(Vector v, float bound) {
        return {S::at_most(v.first, bound), S::at_most(v.second, bound)};
    }
    static Vector pick(const float* table, Vector v) {
        return {S::pick(table, v.first), S::pick(table, v.second)};
    }
};

}  // namespace lanes
}  // namespace indirectml
