// Words that are made of sums, as steps of plans. No logic: Python has seen to sizes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "folds.h"
#include "scans.h"
#include "softmax_columns.h"
#include "step_places.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// How many groups there are, of a place that has no more than 64 axes.
std::uint64_t groups_of(const Place& place, std::uint64_t reduced) {
    std::uint64_t groups = 1;
    for (std::size_t k = 0; k < place.axes.size(); ++k) {
        if (!(reduced >> k & 1)) groups *= place.axes[k].size;
    }
    return groups;
}

Made reduction(const PlaceText& x, std::uint64_t reduced, const Places& out, double nanoseconds) {
    auto step = std::make_unique<ArrayStep>(Places{x}, out, nanoseconds, 1);
    const std::uint64_t groups = groups_of(step->input(0), reduced);
    for (std::size_t k = 0; k < out.size(); ++k) check(step->output(k).count() == groups);
    check(step->input(0).count() > 0);
    return step;
}

Array array_of(const Given& x) {
    return {x.data, type_of(*x.place), static_cast<int>(x.axes->size()), x.axes->data()};
}
Numbers numbers_of(const Given& x, std::uint64_t reduced) {
    return {x.data, number_of(*x.place), static_cast<int>(x.axes->size()), x.axes->data(), reduced};
}

// What find(memory) writes as FLOAT16, as FLOAT32.
template <typename Find>
void widened(std::uint64_t count, unsigned char* to, const Policy& policy, const Find& find) {
    std::vector<std::uint16_t> halves(count);
    auto* const memory = reinterpret_cast<unsigned char*>(halves.data());
    find(memory);
    kernels_of(*policy.target).widen_halves(memory, count, reinterpret_cast<float*>(to));
}

std::int64_t* integers(unsigned char* at) { return reinterpret_cast<std::int64_t*>(at); }
void check_integers(const Place& place) { check(number_of(place) == Number::kInt64); }

ArrayStep* sum_step(const PlaceText& x, std::uint64_t reduced, int map, int finish,
                    const PlaceText& out) {
    Made step = reduction(x, reduced, {out}, 0.2);
    type_of(step->input(0));
    const Type type = type_of(step->output(0));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        reduce(array_of(from[0]), reduced, static_cast<Map>(map), type, to[0], policy,
               static_cast<Finish>(finish));
    });
}

ArrayStep* moments_step(const PlaceText& x, std::uint64_t reduced, bool use_mean,
                        const PlaceText& mean, const PlaceText& variance) {
    Made step = reduction(x, reduced, {mean, variance}, 0.5);
    const std::uint64_t groups = step->output(0).count();
    const Type types[] = {type_of(step->output(0)), type_of(step->output(1))};
    type_of(step->input(0));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        if (types[0] == Type::kDouble && types[1] == Type::kDouble) {
            return moments(array_of(from[0]), reduced, use_mean, reinterpret_cast<double*>(to[0]),
                           reinterpret_cast<double*>(to[1]), policy);
        }
        std::vector<double> found(2 * groups);
        moments(array_of(from[0]), reduced, use_mean, found.data(), found.data() + groups, policy);
        for (std::size_t k = 0; k < 2; ++k) {
            kernels_of(*policy.target)
                .narrow[static_cast<int>(types[k])](found.data() + k * groups, groups, to[k]);
        }
    });
}

ArrayStep* fold_step(const PlaceText& x, std::uint64_t reduced, int kind, const PlaceText& out) {
    Made step = reduction(x, reduced, {out}, 0.2);
    const auto how = static_cast<Fold>(kind);
    const Number number = number_of(step->input(0));
    if (how == Fold::kProduct && number <= Number::kDouble) {
        const Type type = type_of(step->output(0));
        return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
            multiply(numbers_of(from[0], reduced), type, to[0], policy);
        });
    }
    const bool widens = number == Number::kHalf && number_of(step->output(0)) == Number::kSingle;
    check(widens || number == number_of(step->output(0)));
    check(how <= Fold::kSmallest || number > Number::kDouble);
    const std::uint64_t groups = step->output(0).count();
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const auto find = [&](unsigned char* out) {
            fold(numbers_of(from[0], reduced), how, out, policy);
        };
        widens ? widened(groups, to[0], policy, find) : find(to[0]);
    });
}

ArrayStep* index_step(const PlaceText& x, std::uint64_t reduced, bool smallest, bool last,
                      const PlaceText& out) {
    Made step = reduction(x, reduced, {out}, 0.4);
    check_integers(step->output(0));
    const Fold how = smallest ? Fold::kSmallest : Fold::kLargest;
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        indices_of(numbers_of(from[0], reduced), how, last, integers(to[0]), policy);
    });
}

// What follows is of rows of `size` elements.
Made rows_step(const Places& inputs, std::uint64_t size, const PlaceText& out, double nanoseconds) {
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, nanoseconds);
    const std::uint64_t count = step->input(0).count();
    check(size > 0 && count % size == 0 && step->output(0).count() == count);
    return step;
}
Rows rows_of(const Given& x, std::uint64_t size) {
    return {x.data, type_of(*x.place), x.place->count() / size, size};
}

ArrayStep* softmax_step(const PlaceText& x, std::uint64_t size, bool is_log, const PlaceText& out) {
    Made step = rows_step({x}, size, out, 2);
    const Type type = type_of(step->output(0));
    check(type_of(step->input(0)) != Type::kDouble && (!is_log || type == Type::kSingle));
    // Groups that are no rows are taken as they lie, where they are columns.
    const auto axes_of = [size, to_place = step->output(0)](const Place& place, const std::vector<Axis>& axes) {
        return group_axes_of(axes, place.item_bytes, to_place.axes, to_place.item_bytes, size);
    };
    const Place &x_place = step->input(0), &out_place = step->output(0);
    const bool are_rows = x_place.is_packed() && out_place.is_packed();
    if (!are_rows && out_place.offset % out_place.item_bytes == 0 && axes_of(x_place, x_place.axes)) {
        step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 2, 1, true);
        return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
            const auto axes = axes_of(*from[0].place, *from[0].axes);
            softmax(*axes, {from[0].data, type_of(*from[0].place), to[0], type, is_log}, policy);
        });
    }
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const Rows rows = rows_of(from[0], size);
        if (is_log) return log_softmax(rows, reinterpret_cast<float*>(to[0]), policy);
        softmax(rows, type, to[0], policy);
    });
}

ArrayStep* hardmax_step(const PlaceText& x, std::uint64_t size, const PlaceText& out) {
    Made step = rows_step({x}, size, out, 0.5);
    check(number_of(step->output(0)) == Number::kSingle);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const std::uint64_t count = from[0].place->count() / size;
        const Axis axes[] = {{count, static_cast<std::int64_t>(size) * from[0].place->item_bytes},
                             {size, from[0].place->item_bytes}};
        mark_largest({from[0].data, number_of(*from[0].place), 2, axes, 2}, size,
                     reinterpret_cast<float*>(to[0]), policy);
    });
}

// A scale and a bias, if they are there, follow x.
ArrayStep* normalize_step(const Places& inputs, std::uint64_t size, bool use_mean,
                          bool use_variance, double epsilon, bool has_scale, Pair scale, Pair bias,
                          const PlaceText& out) {
    Made step = rows_step(inputs, size, out, 1);
    const Type type = type_of(step->output(0));
    const std::uint64_t groups = step->input(0).count() / size;
    const std::size_t count = inputs.size();
    for (std::size_t k = 0; k < count; ++k) {
        const Place& place = step->input(k);
        type_of(place);
        const Pair& steps = has_scale && k == 1 ? scale : bias;
        check(k == 0 || place.count() > (groups - 1) * steps.first + (size - 1) * steps.second);
    }
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const auto factors = [&](std::size_t k, const Pair& steps) {
            if (k == 0 || k >= count) return Factors{nullptr, Type::kDouble, 0, 0};
            return Factors{from[k].data, type_of(*from[k].place), steps.first, steps.second};
        };
        const NormalizationBy by{use_mean, use_variance, epsilon, factors(has_scale, scale),
                                 factors(has_scale ? 2 : 1, bias)};
        normalize(rows_of(from[0], size), by, type, to[0], policy);
    });
}

std::uint64_t elements_of(const Windows& windows, const std::uint64_t* sizes) {
    return windows.channels * sizes[0] * sizes[1] * sizes[2];
}

// `divisor` as in `average_windows`, or -1 for the largest.
ArrayStep* windows_step(const PlaceText& x, const Sizes& geometry, int divisor,
                        const PlaceText& out) {
    const Windows windows = windows_of(geometry);
    double positions = 1;
    for (const std::uint64_t n : windows.size) positions *= static_cast<double>(n);
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 0.2 * positions);
    const Type type = type_of(step->input(0)), out_type = type_of(step->output(0));
    check(step->input(0).count() == elements_of(windows, windows.input) &&
          step->output(0).count() == elements_of(windows, windows.output));
    check(divisor >= 0 || (type <= out_type && out_type != Type::kDouble));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        if (divisor < 0) {
            return largest_in_windows(from[0].data, type, windows, out_type, to[0], policy);
        }
        average_windows(from[0].data, type, windows, static_cast<Divisor>(divisor), out_type, to[0],
                        policy);
    });
}

// The same over images whose channels lie next to each other, in input and output.
class PixelWindowsStep : public Step {
  public:
    PixelWindowsStep(const PlaceText& x, const Sizes& geometry, int divisor, const PlaceText& out)
        : windows_(windows_of(geometry)), divisor_(divisor), x_(x, false, *this), out_(out, true, *this) {
        check(x_.has_pixels() && out_.has_pixels() && x_.axes.size() == out_.axes.size());
        check(x_.count() == elements_of(windows_, windows_.input) &&
              out_.count() == elements_of(windows_, windows_.output));
        check(x_.axes[0].size == out_.axes[0].size && x_.axes[1].size == out_.axes[1].size);
        check(divisor >= 0 || number_of(x_) == number_of(out_));
        check(divisor < 0 || x_.item_bytes + out_.item_bytes > 2);
        windows_.channels = x_.axes[1].size;
        for (std::size_t d = 0; d < kSpatial; ++d) {
            const bool is_there = d + x_.axes.size() >= kSpatial + 2;
            const std::size_t axis = d + x_.axes.size() - kSpatial;
            check(windows_.input[d] == (is_there ? x_.axes[axis].size : 1) &&
                  windows_.output[d] == (is_there ? out_.axes[axis].size : 1));
        }
        double positions = 1;
        for (const std::uint64_t n : windows_.size) positions *= static_cast<double>(n);
        nanoseconds = 200 + 0.05 * positions * static_cast<double>(out_.count());
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        if (!x_.is_aligned(memories) || !out_.is_aligned(memories)) return false;
        if (may_meet(x_, out_, memories)) return false;
        const auto by = static_cast<Divisor>(divisor_);
        if (out_.count() > 0 && x_.item_bytes == 1) {
            largest_pixel_bytes(pixels_of(x_, memories), x_.type.is_signed, windows_,
                                pixels_of(out_, memories), policy);
        } else if (out_.count() > 0) {
            pool_pixels(pixels_of(x_, memories), windows_, divisor_ < 0 ? nullptr : &by,
                        pixels_of(out_, memories), policy);
        }
        return true;
    }

  private:
    static PixelImage pixels_of(const Place& place, unsigned char* const* memories) {
        const Type type = place.item_bytes == 1 ? Type{} : type_of(place);
        PixelImage image{place.in(memories), type, place.axes[0].size,
                         place.axes[0].stride_bytes, {}};
        for (std::size_t k = 2; k < place.axes.size(); ++k) {
            image.position[k + kSpatial - place.axes.size()] = place.axes[k].stride_bytes;
        }
        return image;
    }

    Windows windows_;
    const int divisor_;
    const Place x_, out_;
};

// Of one result or, with `numbers`, of two.
ArrayStep* largest_windows_step(const PlaceText& x, const Sizes& geometry, const PlaceText& values,
                                const std::optional<PlaceText>& numbers) {
    const Windows windows = windows_of(geometry);
    Places out{values};
    if (numbers) out.push_back(*numbers);
    double positions = 1;
    for (const std::uint64_t n : windows.size) positions *= static_cast<double>(n);
    auto step = std::make_unique<ArrayStep>(Places{x}, out, 2 * positions);
    const Number number = number_of(step->input(0));
    const std::uint64_t outputs = elements_of(windows, windows.output);
    const bool widens = number == Number::kHalf && number_of(step->output(0)) == Number::kSingle;
    check(step->input(0).count() == elements_of(windows, windows.input) &&
          (widens || number == number_of(step->output(0))) && step->output(0).count() == outputs);
    if (numbers) {
        check_integers(step->output(1));
        check(step->output(1).count() == outputs);
    }
    const bool is_alone = !numbers;
    if (is_alone && item_bytes(number) == 1) {
        return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
            largest_bytes(from[0].data, number == Number::kInt8, windows, to[0], policy);
        });
    }
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const auto find = [&](unsigned char* values) {
            largest_with_numbers(from[0].data, number, windows, values,
                                 is_alone ? nullptr : integers(to[1]), policy);
        };
        widens ? widened(outputs, to[0], policy, find) : find(to[0]);
    });
}

// Of x and, for the largest, gradients.
ArrayStep* spread_step(const Places& inputs, const Sizes& geometry, int kind, int divisor,
                       const PlaceText& out) {
    const Windows windows = windows_of(geometry);
    const std::uint64_t positions = windows.size[0] * windows.size[1] * windows.size[2];
    const std::uint64_t outputs = elements_of(windows, windows.output);
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, 4 * static_cast<double>(positions));
    const Spread how{windows, static_cast<Spread::Kind>(kind), static_cast<Divisor>(divisor), nullptr,
                     Number::kSingle};
    const std::size_t last = inputs.size() - 1;
    check(inputs.size() == (how.kind == Spread::kLargest ? 2 : 1));
    const Place& from = step->input(last);
    check(step->output(0).count() == elements_of(windows, windows.input) &&
          from.count() == (how.kind == Spread::kColumns ? positions * outputs : outputs));
    const Number number = number_of(from);
    if (number > Number::kDouble) {
        check(how.kind == Spread::kColumns && number == number_of(step->output(0)));
        return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
            fold_windows(from[0].data, item_bytes(number), windows, to[0], policy);
        });
    }
    check(last == 0 || step->input(0).count() == elements_of(windows, windows.input));
    const Type type = type_of(from), out_type = type_of(step->output(0));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        Spread by = how;
        if (last) {
            by.x = from[0].data;
            by.number = number_of(*from[0].place);
        }
        spread(from[last].data, type, by, out_type, to[0], policy);
    });
}

ArrayStep* unfold_step(const PlaceText& x, const Sizes& geometry, const PlaceText& out) {
    const Windows windows = windows_of(geometry);
    const std::uint64_t positions = windows.size[0] * windows.size[1] * windows.size[2];
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 1);
    const auto item = static_cast<std::size_t>(step->input(0).item_bytes);
    check(step->input(0).count() == elements_of(windows, windows.input) &&
          step->output(0).count() == positions * elements_of(windows, windows.output) &&
          step->output(0).item_bytes == step->input(0).item_bytes);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        unfold(from[0].data, item, windows, to[0], policy);
    });
}

ArrayStep* window_norms_step(const PlaceText& x, const Sizes& geometry, std::uint64_t order,
                             const PlaceText& out) {
    const Windows windows = windows_of(geometry);
    const std::uint64_t positions = windows.size[0] * windows.size[1] * windows.size[2];
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 0.5 * static_cast<double>(positions));
    const Type type = type_of(step->input(0)), out_type = type_of(step->output(0));
    check(order > 0 && step->input(0).count() == elements_of(windows, windows.input) &&
          step->output(0).count() == elements_of(windows, windows.output));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        norms_of_windows(from[0].data, type, windows, order, out_type, to[0], policy);
    });
}

ArrayStep* norm_step(const PlaceText& x, std::uint64_t size, bool of_squares, double least,
                     const PlaceText& out) {
    Made step = rows_step({x}, size, out, 0.7);
    const Type type = type_of(step->output(0));
    type_of(step->input(0));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        normalize_by_norm(rows_of(from[0], size), of_squares, least, type, to[0], policy);
    });
}

ArrayStep* local_response_step(const PlaceText& x, const Sizes& geometry, float share, float bias,
                               float beta, const PlaceText& out) {
    const Neighbours how{windows_of(geometry), share, bias, beta};
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 5);
    const Type type = type_of(step->input(0));
    const std::uint64_t count = elements_of(how.windows, how.windows.input);
    check(step->input(0).count() == count && step->output(0).count() == count &&
          elements_of(how.windows, how.windows.output) == count && type != Type::kDouble &&
          type_of(step->output(0)) == Type::kSingle);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        local_response(from[0].data, type, how, reinterpret_cast<float*>(to[0]), policy);
    });
}

// One after the other, in FLOAT64 between them: slices, rows, columns, and those of the result; and taps
// as indices and weights, down and across.
using Taken = std::tuple<Sizes, nb::handle, nb::handle, nb::handle, nb::handle>;

struct Pass {
    Sizes sizes;
    std::vector<std::int32_t> down_indices, across_indices;
    std::vector<double> down_weights, across_weights;

    explicit Pass(const Taken& given)
        : sizes(std::get<0>(given)),
          down_indices(copied<std::int32_t>(std::get<1>(given))),
          across_indices(copied<std::int32_t>(std::get<3>(given))),
          down_weights(copied<double>(std::get<2>(given))),
          across_weights(copied<double>(std::get<4>(given))) {
        check(sizes.size() == 7);
    }
    std::uint64_t inputs() const { return sizes[0] * sizes[1] * sizes[2]; }
    std::uint64_t outputs() const { return sizes[0] * sizes[3] * sizes[4]; }
    Images images() const {
        return {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4],
                {sizes[5], down_indices.data(), down_weights.data()},
                {sizes[6], across_indices.data(), across_weights.data()}};
    }
};

std::vector<double> as_doubles(const Given& x) {
    std::vector<double> numbers;
    const auto take = [&](auto type) {
        const auto* const from = reinterpret_cast<const decltype(type)*>(x.data);
        numbers.assign(from, from + x.place->count());
    };
    switch (number_of(*x.place)) {
        case Number::kInt8: take(std::int8_t{}); break;
        case Number::kInt16: take(std::int16_t{}); break;
        case Number::kInt32: take(std::int32_t{}); break;
        case Number::kInt64: take(std::int64_t{}); break;
        case Number::kUInt8: take(std::uint8_t{}); break;
        case Number::kUInt16: take(std::uint16_t{}); break;
        case Number::kUInt32: take(std::uint32_t{}); break;
        default: take(std::uint64_t{}); break;
    }
    return numbers;
}

ArrayStep* resample_step(const PlaceText& x, const std::vector<Taken>& given,
                         const PlaceText& out) {
    const auto passes = std::make_shared<std::vector<Pass>>(given.begin(), given.end());
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 2);
    const bool is_integer = number_of(step->input(0)) > Number::kDouble;
    const Type type = is_integer ? Type::kDouble : type_of(step->input(0));
    const Type out_type = type_of(step->output(0));
    std::uint64_t count = step->input(0).count();
    for (const Pass& pass : *passes) {
        check(count == pass.inputs());
        count = pass.outputs();
    }
    check(!passes->empty() && step->output(0).count() == count);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        std::vector<double> between;
        if (is_integer) between = as_doubles(from[0]);
        const unsigned char* at =
            is_integer ? reinterpret_cast<const unsigned char*>(between.data()) : from[0].data;
        Type read = type;
        for (const Pass& pass : *passes) {
            const Images images = pass.images();
            if (&pass == &passes->back()) return resample(at, read, images, out_type, to[0], policy);
            std::vector<double> next(pass.outputs());
            auto* const memory = reinterpret_cast<unsigned char*>(next.data());
            resample(at, read, images, Type::kDouble, memory, policy);
            between = std::move(next);
            at = memory;
            read = Type::kDouble;
        }
    });
}

ArrayStep* scan_step(const PlaceText& x, std::size_t axis, bool is_product, bool is_exclusive,
                     bool is_reverse, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 1);
    const Place& place = step->input(0);
    const Number number = number_of(place);
    check(axis < place.axes.size() && step->output(0).count() == place.count() &&
          number_of(step->output(0)) == (number == Number::kHalf ? Number::kSingle : number));
    int log2_bytes = 0;
    while (1 << log2_bytes < place.item_bytes) ++log2_bytes;
    const ScanType floats[] = {ScanType::kHalf, ScanType::kSingle, ScanType::kDouble};
    const ScanType type = number <= Number::kDouble ? floats[static_cast<int>(number)]
                                                    : static_cast<ScanType>(log2_bytes);
    Chains chains{type, 1, place.axes[axis].size, 1, is_product, is_exclusive, is_reverse};
    for (std::size_t k = 0; k < place.axes.size(); ++k) {
        if (k != axis) (k < axis ? chains.outer : chains.inner) *= place.axes[k].size;
    }
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        scan(from[0].data, chains, to[0], policy);
    });
}

ArrayStep* top_k_step(const PlaceText& x, std::size_t axis, std::uint64_t count, bool smallest,
                      const PlaceText& values, const PlaceText& indices) {
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{values, indices}, 4);
    const Place& place = step->input(0);
    check(axis < place.axes.size() && number_of(place) == number_of(step->output(0)));
    check_integers(step->output(1));
    Ordered how{number_of(place), 1, place.axes[axis].size, 1, count};
    for (std::size_t k = 0; k < place.axes.size(); ++k) {
        if (k != axis) (k < axis ? how.outer : how.inner) *= place.axes[k].size;
    }
    const std::uint64_t found = how.outer * count * how.inner;
    check(count <= how.size && step->output(0).count() == found && step->output(1).count() == found);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        largest_in_order(from[0].data, how, smallest ? Fold::kSmallest : Fold::kLargest, to[0],
                         integers(to[1]), policy);
    });
}

}  // namespace

void bind_sum_steps(nb::module_& m) {
    m.def("sum_step", &sum_step, "x"_a, "reduced"_a, "map"_a, "finish"_a, "out"_a);
    m.def("moments_step", &moments_step, "x"_a, "reduced"_a, "use_mean"_a, "mean"_a, "variance"_a);
    m.def("fold_step", &fold_step, "x"_a, "reduced"_a, "fold"_a, "out"_a);
    m.def("index_step", &index_step, "x"_a, "reduced"_a, "smallest"_a, "last"_a, "out"_a);
    m.def("softmax_step", &softmax_step, "x"_a, "size"_a, "is_log"_a, "out"_a);
    m.def("hardmax_step", &hardmax_step, "x"_a, "size"_a, "out"_a);
    m.def("normalize_step", &normalize_step, "inputs"_a, "size"_a, "use_mean"_a, "use_variance"_a,
          "epsilon"_a, "has_scale"_a, "scale"_a, "bias"_a, "out"_a);
    m.def("windows_step", &windows_step, "x"_a, "geometry"_a, "divisor"_a, "out"_a);
    nb::class_<PixelWindowsStep, Step>(m, "PixelWindowsStep")
        .def(nb::init<const PlaceText&, const Sizes&, int, const PlaceText&>(), "x"_a, "geometry"_a,
             "divisor"_a, "out"_a);
    m.def("largest_windows_step", &largest_windows_step, "x"_a, "geometry"_a, "values"_a,
          "numbers"_a.none());
    m.def("spread_step", &spread_step, "inputs"_a, "geometry"_a, "kind"_a, "divisor"_a, "out"_a);
    m.def("unfold_step", &unfold_step, "x"_a, "geometry"_a, "out"_a);
    m.def("window_norms_step", &window_norms_step, "x"_a, "geometry"_a, "order"_a, "out"_a);
    m.def("norm_step", &norm_step, "x"_a, "size"_a, "of_squares"_a, "least"_a, "out"_a);
    m.def("local_response_step", &local_response_step, "x"_a, "geometry"_a, "share"_a, "bias"_a,
          "beta"_a, "out"_a);
    m.def("resample_step", &resample_step, "x"_a, "passes"_a, "out"_a);
    m.def("scan_step", &scan_step, "x"_a, "axis"_a, "is_product"_a, "is_exclusive"_a,
          "is_reverse"_a, "out"_a);
    m.def("top_k_step", &top_k_step, "x"_a, "axis"_a, "count"_a, "smallest"_a, "values"_a,
          "indices"_a);
}

}  // namespace sums
}  // namespace indirectml
