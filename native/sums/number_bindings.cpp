// Words of regions and of whole numbers, as steps of plans. No logic: Python has seen to sizes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings.h"
#include "regions.h"
#include "step_places.h"
#include "whole_numbers.h"

namespace indirectml {
namespace sums {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

Floats floats_of(const Given& given) { return {given.data, type_of(*given.place)}; }

// Kind 0: x, regions, numbers of images; 1 and 2, gradients of images and of regions: x, which may be
// left out of 1, the gradient, and the others. Sizes are those of images, then of cells.
ArrayStep* regions_step(int kind, const Places& inputs, const Sizes& sizes,
                        const std::vector<double>& places, const Pair& counts, bool is_stretched,
                        bool is_nearest, bool is_largest, double outside, const PlaceText& out) {
    check(sizes.size() == 7 && places.size() == 4 && inputs.size() >= 3);
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, 20);
    const Sampling sampling{places[0],     places[1],    places[2],  places[3], counts.first,
                            counts.second, is_stretched, is_nearest, is_largest};
    const ImageSizes images{sizes[0], sizes[1], sizes[2], sizes[3]};
    const std::uint64_t elements = sizes[0] * sizes[1] * sizes[2] * sizes[3];
    const std::uint64_t cells = sizes[4] * sizes[1] * sizes[5] * sizes[6];
    const std::size_t last = inputs.size() - 1;
    const bool has_x = kind == 0 || inputs.size() == 4;
    check(0 < counts.first && counts.first <= counts.second && elements > 0 && cells > 0);
    check(step->input(last - 1).count() == 4 * sizes[4] && step->input(last).count() == sizes[4]);
    check(step->input(last).type.format.precision == 0);
    check(has_x ? step->input(0).count() == elements : kind == 1 && !is_largest);
    check(kind == 0 || step->input(last - 2).count() == cells);
    const std::uint64_t results[] = {cells, elements, 4 * sizes[4]};
    check(0 <= kind && kind < 3 && step->output(0).count() == results[kind]);
    for (std::size_t k = 0; k < last; ++k) type_of(step->input(k));
    const Type type = type_of(step->output(0));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const auto floats = [&](std::size_t k) { return floats_of(from[k]); };
        const Place& numbers = *from[last].place;
        const Regions regions{floats(last - 1), from[last].data,
                              static_cast<std::size_t>(numbers.item_bytes), numbers.type.is_signed,
                              sizes[4], sizes[5], sizes[6]};
        const Floats x = has_x ? floats(0) : Floats{nullptr, Type::kDouble};
        if (kind == 0) return align_regions(x, images, regions, sampling, outside, type, to[0], policy);
        const auto gradient = kind == 1 ? align_gradient : align_gradient_of_regions;
        gradient(x, floats(last - 2), images, regions, sampling, type, to[0], policy);
    });
}

// Of x and rows of a region; sizes are those of images, then of cells.
ArrayStep* region_pool_step(const PlaceText& x, const PlaceText& rows, const Sizes& sizes, float scale,
                            const PlaceText& out) {
    check(sizes.size() == 7);
    auto step = std::make_unique<ArrayStep>(Places{x, rows}, Places{out}, 5);
    const ImageSizes images{sizes[0], sizes[1], sizes[2], sizes[3]};
    const std::uint64_t count = sizes[4];
    check(step->input(0).count() == sizes[0] * sizes[1] * sizes[2] * sizes[3] &&
          step->input(0).count() > 0 && step->input(1).count() == 5 * count &&
          step->output(0).count() == count * sizes[1] * sizes[5] * sizes[6]);
    type_of(step->input(0));
    type_of(step->input(1));
    const Type type = type_of(step->output(0));
    step->when([=](const Given* from) { return can_be_pooled(floats_of(from[1]), count, scale); });
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const Regions regions{floats_of(from[1]), nullptr, 0, false, count, sizes[5], sizes[6]};
        pool_regions(floats_of(from[0]), images, regions, scale, type, to[0], policy);
    });
}

Number integer_of(const Place& place) {
    const Number number = number_of(place);
    if (number <= Number::kDouble) throw nb::type_error("no integers");
    return number;
}
Integers integers_of(const Given& given) { return {given.data, integer_of(*given.place)}; }

ArrayStep* integer_power_step(const PlaceText& x, const PlaceText& y, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{x, y}, Places{out}, 3);
    const std::uint64_t count = step->output(0).count();
    check(step->input(0).count() == count && step->input(1).count() == count &&
          integer_of(step->input(0)) == integer_of(step->output(0)));
    integer_of(step->input(1));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        integer_powers(integers_of(from[0]), integers_of(from[1]), count, to[0], policy);
    });
}

// For each matrix of the result the number of that of an operand, whose axes of size 1 are repeated.
std::vector<std::uint64_t> matrices_of(const Place& operand, const Place& out) {
    const std::size_t rank = out.axes.size(), missing = rank - operand.axes.size();
    std::vector<std::uint64_t> numbers{0};
    for (std::size_t k = 0; k + 2 < rank; ++k) {
        const std::uint64_t size = k < missing ? 1 : operand.axes[k - missing].size;
        check(size == 1 || size == out.axes[k].size);
        std::vector<std::uint64_t> further;
        for (const std::uint64_t number : numbers) {
            for (std::uint64_t j = 0; j < out.axes[k].size; ++j) {
                further.push_back(number * size + (size == 1 ? 0 : j));
            }
        }
        numbers = std::move(further);
    }
    return numbers;
}

// A zero point that is no array is a number.
ArrayStep* wide_product_step(const PlaceText& a, const PlaceText& b,
                             const std::optional<PlaceText>& a_zero, std::uint32_t a_number,
                             const std::optional<PlaceText>& b_zero, std::uint32_t b_number,
                             const PlaceText& out) {
    Places inputs{a, b};
    if (a_zero) inputs.push_back(*a_zero);
    if (b_zero) inputs.push_back(*b_zero);
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, 1);
    const Place &left = step->input(0), &right = step->input(1), &to = step->output(0);
    const std::size_t rank = to.axes.size();
    check(rank >= 2 && left.axes.size() >= 2 && right.axes.size() >= 2 &&
          left.axes.size() <= rank && right.axes.size() <= rank &&
          number_of(to) == Number::kInt32);
    const auto size = [](const Place& place, std::size_t from_end) {
        return place.axes[place.axes.size() - from_end].size;
    };
    const WideProducts how{matrices_of(left, to), matrices_of(right, to), size(left, 2),
                           size(left, 1), size(right, 1)};
    check(size(right, 2) == how.depth && size(to, 2) == how.rows && size(to, 1) == how.columns);
    for (std::size_t k = 0; k < inputs.size(); ++k) integer_of(step->input(k));
    const auto fits = [&](std::size_t k, std::uint64_t lines) {
        const std::uint64_t count = step->input(k).count();
        check(count == 1 || count == lines);
    };
    const std::size_t of_b = a_zero ? 3 : 2;
    if (a_zero) fits(2, how.rows);
    if (b_zero) fits(of_b, how.columns);
    const bool has_a = a_zero.has_value(), has_b = b_zero.has_value();
    const double products = static_cast<double>(how.depth) * static_cast<double>(to.count());
    step->nanoseconds = std::max(step->nanoseconds, 200 + 0.3 * products);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const auto zeros = [&](bool is_given, std::size_t k, std::uint32_t number) {
            if (!is_given) return ZeroPoints{{nullptr, Number::kInt8}, false, number};
            return ZeroPoints{integers_of(from[k]), from[k].place->count() > 1, 0};
        };
        multiply_wide(integers_of(from[0]), zeros(has_a, 2, a_number), integers_of(from[1]),
                      zeros(has_b, of_b, b_number), how, reinterpret_cast<std::uint32_t*>(to[0]),
                      policy);
    });
}

}  // namespace

void bind_number_steps(nb::module_& m) {
    m.def("regions_step", &regions_step, "kind"_a, "inputs"_a, "sizes"_a, "places"_a, "counts"_a,
          "is_stretched"_a, "is_nearest"_a, "is_largest"_a, "outside"_a, "out"_a);
    m.def("region_pool_step", &region_pool_step, "x"_a, "rows"_a, "sizes"_a, "scale"_a, "out"_a);
    m.def("integer_power_step", &integer_power_step, "x"_a, "y"_a, "out"_a);
    m.def("wide_product_step", &wide_product_step, "a"_a, "b"_a, "a_zero"_a.none(), "a_number"_a,
          "b_zero"_a.none(), "b_number"_a, "out"_a);
}

}  // namespace sums
}  // namespace indirectml
