// Softmax, windows and resampling in terms of lanes, compiled once per target. Included into a
// namespace of the target's own, after elements.inl and
// `S`: the lanes of lanes/f32_*.h, and
//
//   min(a, b), max(a, b)    b where either is NaN

using F = S::Vector;
constexpr std::size_t kSingles = S::kCount;

#include "softmax.inl"
#include "windows.inl"
#include "resampling.inl"

constexpr Kernels table(const char* name, const SumKernels& sums) {
    return {sums,
            name,
            {shift<HalfToSingle>, shift<SingleToSingle>},
            powers,
            {split_halves, split_singles, split_doubles},
            {average<Half>, average<Single>, average<Double>},
            {keys_of_halves, keys_of_singles},
            highest,
            {numbers_of_halves, numbers_of_singles},
            {mix<Half>, mix<Single>, mix<Double>},
            pick};
}
