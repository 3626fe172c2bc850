// Elements in lanes, compiled once per target and width. Included into a namespace of its own, after
// `S`, the lanes of lanes/f32_*.h (see bodies.inl), and `L`: those of lanes/f64_*.h, which has besides
//
//   load_half(at)    kCount FLOAT16, widened
//   kHasParts        whether there are, besides,
//     first(n)               a Part: the first n lanes, n <= kCount
//     load_part(at, part)    these elements, FLOAT32 or FLOAT64; +0 in the other lanes
//     only(part, v)          these lanes; +0 in the others
//   opaque(v)        v, which the compiler no longer knows

using V = L::Vector;
constexpr std::size_t kLanes = L::kCount;
using F = S::Vector;
constexpr std::size_t kSingles = S::kCount;

inline V canonical(V v) {
    return L::select(L::is_nan(v), L::number(L::set_bits(std::uint64_t{0x7FF8} << 48)), v);
}

// a * 1 + b is a + b, rounded once. Where `one` is opaque to the compiler, it is done by what
// multiplies, and not by what adds and converts. It pays where the latter has more to do: sums of
// 64 x 1024 FLOAT32 run at 78 GB/s instead of 52 (AVX2 on Zen 4).
inline V plus(V a, V b, V one) { return L::muladd(a, one, b); }

inline V negative(V v) { return L::sub(L::set(-0.0), v); }

struct Half {
    static constexpr std::size_t kBytes = 2;
    static V load(const unsigned char* at) {
        return L::load_half(reinterpret_cast<const std::uint16_t*>(at));
    }
    static void store(unsigned char* at, V v) {
        L::store_half(reinterpret_cast<std::uint16_t*>(at), L::half(v));
    }
};
struct Single {
    static constexpr std::size_t kBytes = 4;
    using Number = float;
    static V load(const unsigned char* at) {
        return L::load_single(reinterpret_cast<const float*>(at));
    }
    static void store(unsigned char* at, V v) {
        L::store_single(reinterpret_cast<float*>(at), L::single(v));
    }
};
struct Double {
    static constexpr std::size_t kBytes = 8;
    using Number = double;
    static V load(const unsigned char* at) { return L::load(reinterpret_cast<const double*>(at)); }
    static void store(unsigned char* at, V v) { L::store(reinterpret_cast<double*>(at), v); }
};

// Less than a vector of elements; the other lanes are 0.
template <typename E, typename Lanes = L>
inline V load_part(const unsigned char* at, std::size_t count) {
    if constexpr (Lanes::kHasParts && E::kBytes > Half::kBytes) {
        using Number = typename E::Number;
        return Lanes::load_part(reinterpret_cast<const Number*>(at), Lanes::first(count));
    }
    alignas(64) unsigned char lanes[kLanes * 8] = {};
    std::memcpy(lanes, at, count * E::kBytes);
    return E::load(lanes);
}
template <typename E>
inline void store_part(unsigned char* at, V v, std::size_t count) {
    alignas(64) unsigned char lanes[kLanes * 8];
    E::store(lanes, v);
    std::memcpy(at, lanes, count * E::kBytes);
}
template <typename Lanes = L>
inline V first_lanes(V v, std::size_t count) {
    if constexpr (Lanes::kHasParts) return Lanes::only(Lanes::first(count), v);
    alignas(64) double lanes[kLanes];
    L::store(lanes, v);
    for (std::size_t k = count; k < kLanes; ++k) lanes[k] = 0;
    return L::load(lanes);
}

inline V sum_of(V a, V b) { return L::add(a, b); }

// The tree over sixteen sums, depth first, so that few of them are needed at a time: `leaf(i)` is
// sum i, in something that `sum_of` adds.
template <std::size_t kStep, typename Leaf>
inline auto tree(std::size_t i, const Leaf& leaf) {
    if constexpr (kStep == 16) {
        return leaf(i);
    } else {
        return sum_of(tree<2 * kStep>(i, leaf), tree<2 * kStep>(i + kStep, leaf));
    }
}
