// Normalization, softmax, windows and resampling in terms of lanes, compiled once per target. Included
// into a namespace of the target's own, after elements.inl and
// `S`: the lanes of lanes/f32_*.h, and
//
//   min(a, b), max(a, b)    b where either is NaN
//   opaque(v)               v, which the compiler no longer knows

#include "../functions/powers.inl"
#include "normalization.inl"
#include "softmax.inl"
#include "windows.inl"
#include "resampling.inl"
#include "folds.inl"

constexpr Kernels table(const char* name, const SumKernels& sums) {
    return {sums,
            name,
            {largest<HalfToSingle>, largest<SingleToSingle>},
            {differences<HalfToSingle>, differences<SingleToSingle>},
            powers<>,
            {share<Half>, share<Single>, share<Double>},
            column_differences,
            {column_shares<Half>, column_shares<Single>, column_shares<Double>},
            {normalize<Half>, normalize<Single>, normalize<Double>},
            widen_halves,
            split<float>,
            split<double>,
            {average<std::uint16_t, Half>, average<std::uint16_t, Single>, average<std::uint16_t, Double>},
            {average<float, Half>, average<float, Single>, average<float, Double>},
            {average<double, Half>, average<double, Single>, average<double, Double>},
            {average_sums<Half>, average_sums<Single>, average_sums<Double>},
            S::kLowest,
            {largest_of_rows<HalfToSingle>, largest_of_rows<SingleToSingle>},
            {largest_along<Half>, largest_along<Single>},
            {largest_of_pixels<HalfToSingle, Half>, largest_of_pixels<SingleToSingle, Single>},
            {mix<Half>, mix<Single>, mix<Double>},
            pick,
            {extremes_of_numbers<false>(), extremes_of_numbers<true>(), wrapped_of_numbers<false>(),
             wrapped_of_numbers<true>()}};
}
