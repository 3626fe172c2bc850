#include "bindings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "../places.h"
#include "scans.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// An array of floats that Python has checked: aligned, of an own data type, with no size of 0.
class Reading {
  public:
    explicit Reading(nb::handle owner) : buffer_(owner, PyBUF_RECORDS_RO) {
        view_ = buffer_.view({static_cast<int>(8 * buffer_.item_bytes()), 0});
    }
    Type type() const { return static_cast<Type>(view_.log2_bytes - 1); }
    const double* numbers() const { return reinterpret_cast<const double*>(view_.data); }
    const unsigned char* data() const { return view_.data; }
    Array array() const { return {view_.data, type(), view_.rank, view_.axes}; }
    const std::int32_t* integers() const {
        return reinterpret_cast<const std::int32_t*>(view_.data);
    }
    // Of a packed array with two axes.
    Rows rows() const { return {view_.data, type(), view_.axes[0].size, view_.axes[1].size}; }

  private:
    Buffer buffer_;
    View view_;
};

// A packed array to write.
class Writing {
  public:
    explicit Writing(nb::handle owner) : buffer_(owner, PyBUF_RECORDS) {
        view_ = buffer_.view({static_cast<int>(8 * buffer_.item_bytes()), 0});
    }
    Type type() const { return static_cast<Type>(view_.log2_bytes - 1); }
    unsigned char* data() const { return view_.data; }
    double* numbers() const { return reinterpret_cast<double*>(view_.data); }

  private:
    Buffer buffer_;
    View view_;
};

using Sizes = std::vector<std::uint64_t>;

// Channels, then three each: inputs, outputs, positions, strides, dilations, padding before.
Windows windows_of(const Sizes& sizes) {
    Windows w;
    w.channels = sizes[0];
    for (int k = 0; k < kSpatial; ++k) {
        w.input[k] = sizes[1 + k];
        w.output[k] = sizes[4 + k];
        w.size[k] = sizes[7 + k];
        w.stride[k] = sizes[10 + k];
        w.dilation[k] = sizes[13 + k];
        w.start[k] = sizes[16 + k];
    }
    return w;
}

Factors factors_of(const std::optional<Reading>& numbers, std::uint64_t group_step,
                   std::uint64_t element_step) {
    if (!numbers) return {nullptr, Type::kDouble, 0, 0};
    return {numbers->data(), numbers->type(), group_step, element_step};
}

// Numbers that are copied when a step is made.
template <typename T>
std::vector<T> copied(const nb::handle& owner) {
    const Buffer buffer(owner, PyBUF_RECORDS_RO);
    const auto* from = reinterpret_cast<const T*>(buffer.view({8 * static_cast<int>(sizeof(T)), 0}).data);
    return {from, from + buffer.element_count()};
}

Type type_of(const Place& place) {
    const Format& format = place.type.format;
    if (format.precision == 11) return Type::kHalf;
    if (format.precision == 24) return Type::kSingle;
    if (format.precision == 53) return Type::kDouble;
    throw nb::type_error("no floats");
}

// A word over floats, whose result is packed; Python has seen to sizes and strides.
class FloatStep : public Step {
  public:
    using Work = std::function<void(const FloatStep&, unsigned char* const*, const Policy&)>;
    FloatStep(const std::vector<PlaceText>& inputs, const PlaceText& out, double nanoseconds_each,
              Work given)
        : work(std::move(given)) {
        std::uint64_t most = 0;
        for (const PlaceText& text : inputs) {
            from.emplace_back(text, false, *this);
            most = std::max(most, from.back().count());
        }
        to.emplace(out, true, *this);
        for (const Place& place : from) type_of(place);
        if (!to->is_packed() && !to->has_pixels()) {
            throw nb::value_error("a result that is not packed");
        }
        nanoseconds = 200 + nanoseconds_each * static_cast<double>(std::max(most, to->count()));
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        if (!to->is_aligned(memories)) return false;
        for (const Place& place : from) {
            if (!place.is_aligned(memories) || may_meet(place, *to, memories)) return false;
        }
        work(*this, memories, policy);
        return true;
    }
    unsigned char* out(unsigned char* const* memories) const { return to->in(memories); }
    Type out_type() const { return type_of(*to); }

    std::vector<Place> from;
    std::optional<Place> to;
    Work work;
};

Array array_of(const Place& place, unsigned char* const* memories) {
    return {place.in(memories), type_of(place), static_cast<int>(place.axes.size()),
            place.axes.data()};
}

FloatStep* sum_step(const PlaceText& x, std::uint64_t reduced, int map, const PlaceText& out) {
    return new FloatStep({x}, out, 0.2, [=](const FloatStep& s, auto memories, const Policy& policy) {
        reduce(array_of(s.from[0], memories), reduced, static_cast<Map>(map), s.out_type(),
               s.out(memories), policy);
    });
}

// Of packed rows of `size` elements.
FloatStep* softmax_step(const PlaceText& x, std::uint64_t size, bool is_log, const PlaceText& out) {
    return new FloatStep({x}, out, 2, [=](const FloatStep& s, auto memories, const Policy& policy) {
        const Place& x = s.from[0];
        const Rows rows{x.in(memories), type_of(x), x.count() / size, size};
        if (is_log) {
            log_softmax(rows, reinterpret_cast<float*>(s.out(memories)), policy);
        } else {
            softmax(rows, s.out_type(), s.out(memories), policy);
        }
    });
}

// Of packed rows; a scale and a bias, if they are there, follow x.
FloatStep* normalize_step(const std::vector<PlaceText>& inputs, std::uint64_t size, bool use_mean,
                          bool use_variance, double epsilon, bool has_scale,
                          std::pair<std::uint64_t, std::uint64_t> scale,
                          std::pair<std::uint64_t, std::uint64_t> bias, const PlaceText& out) {
    return new FloatStep(inputs, out, 1, [=](const FloatStep& s, auto memories, const Policy& policy) {
        const Place& x = s.from[0];
        const auto factors = [&](std::size_t k, std::pair<std::uint64_t, std::uint64_t> steps) {
            if (k >= s.from.size()) return Factors{nullptr, Type::kDouble, 0, 0};
            const Place& place = s.from[k];
            return Factors{place.in(memories), type_of(place), steps.first, steps.second};
        };
        const Factors none{nullptr, Type::kDouble, 0, 0};
        const NormalizationBy by{use_mean, use_variance, epsilon,
                                 has_scale ? factors(1, scale) : none,
                                 factors(has_scale ? 2 : 1, bias)};
        normalize({x.in(memories), type_of(x), x.count() / size, size}, by, s.out_type(),
                  s.out(memories), policy);
    });
}

// Images, channels, and up to three spatial axes.
PixelImage pixels_of(const Place& place, unsigned char* data) {
    PixelImage image{data, place.axes[0].size, place.axes[0].stride_bytes, {}};
    for (std::size_t k = 2; k < place.axes.size(); ++k) {
        image.position[k + kSpatial - place.axes.size()] = place.axes[k].stride_bytes;
    }
    return image;
}

// `divisor` as in `average_windows`, or -1 for the largest.
FloatStep* windows_step(const PlaceText& x, const Sizes& geometry, int divisor,
                        const PlaceText& out) {
    if (geometry.size() != 19) throw nb::value_error("another number of sizes");
    const Windows windows = windows_of(geometry);
    double positions = 1;
    for (const std::uint64_t n : windows.size) positions *= static_cast<double>(n);
    return new FloatStep({x}, out, 0.2 * positions,
                         [=](const FloatStep& s, auto memories, const Policy& policy) {
        const Place& x = s.from[0];
        if (x.has_pixels() && s.to->has_pixels()) {
            Windows each = windows;
            each.channels = x.axes[1].size;
            const auto by = static_cast<Divisor>(divisor);
            return pool_pixels(pixels_of(x, x.in(memories)), each, divisor < 0 ? nullptr : &by,
                               pixels_of(*s.to, s.out(memories)), policy);
        }
        if (divisor < 0) {
            largest_in_windows(x.in(memories), type_of(x), windows, s.out(memories), policy);
        } else {
            average_windows(x.in(memories), type_of(x), windows, static_cast<Divisor>(divisor),
                            s.out_type(), s.out(memories), policy);
        }
    });
}

FloatStep* resample_step(const PlaceText& x, const Sizes& sizes, nb::handle down_indices,
                         nb::handle down_weights, nb::handle across_indices,
                         nb::handle across_weights, const PlaceText& out) {
    if (sizes.size() != 7) throw nb::value_error("another number of sizes");
    const auto di = copied<std::int32_t>(down_indices), ai = copied<std::int32_t>(across_indices);
    const auto dw = copied<double>(down_weights), aw = copied<double>(across_weights);
    return new FloatStep({x}, out, 2, [=](const FloatStep& s, auto memories, const Policy& policy) {
        const Images images{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4],
                            {sizes[5], di.data(), dw.data()},
                            {sizes[6], ai.data(), aw.data()}};
        const Place& x = s.from[0];
        resample(x.in(memories), type_of(x), images, s.out_type(), s.out(memories), policy);
    });
}

}  // namespace

void bind_sums(nb::module_& m) {
    nb::class_<FloatStep, Step>(m, "FloatStep");
    m.def("sum_step", &sum_step, "x"_a, "reduced"_a, "map"_a, "out"_a);
    m.def("softmax_step", &softmax_step, "x"_a, "size"_a, "is_log"_a, "out"_a);
    m.def("normalize_step", &normalize_step, "inputs"_a, "size"_a, "use_mean"_a, "use_variance"_a,
          "epsilon"_a, "has_scale"_a, "scale"_a, "bias"_a, "out"_a);
    m.def("windows_step", &windows_step, "x"_a, "geometry"_a, "divisor"_a, "out"_a);
    m.def("resample_step", &resample_step, "x"_a, "sizes"_a, "down_indices"_a, "down_weights"_a,
          "across_indices"_a, "across_weights"_a, "out"_a);
    m.def(
        "sum16",
        [](nb::handle x, std::uint64_t reduced, int map, nb::handle out, const Policy& policy) {
            const Reading from(x);
            const Writing to(out);
            const Released released;
            reduce(from.array(), reduced, static_cast<Map>(map), to.type(), to.data(), policy);
        },
        "x"_a, "reduced"_a, "map"_a, "out"_a, "policy"_a);
    m.def(
        "moments",
        [](nb::handle x, std::uint64_t reduced, bool use_mean, nb::handle mean,
           nb::handle variance, const Policy& policy) {
            const Reading from(x);
            const Writing to_mean(mean), to_variance(variance);
            const Released released;
            moments(from.array(), reduced, use_mean, to_mean.numbers(), to_variance.numbers(),
                    policy);
        },
        "x"_a, "reduced"_a, "use_mean"_a, "mean"_a, "variance"_a, "policy"_a);
    m.def(
        "normalize",
        [](nb::handle x, bool use_mean, bool use_variance, double epsilon, nb::handle scale,
           std::uint64_t scale_group, std::uint64_t scale_element, nb::handle bias,
           std::uint64_t bias_group, std::uint64_t bias_element, nb::handle out,
           const Policy& policy) {
            const Reading from(x);
            std::optional<Reading> scales, biases;
            if (!scale.is_none()) scales.emplace(scale);
            if (!bias.is_none()) biases.emplace(bias);
            const Writing to(out);
            const NormalizationBy by{use_mean, use_variance, epsilon,
                                     factors_of(scales, scale_group, scale_element),
                                     factors_of(biases, bias_group, bias_element)};
            const Released released;
            normalize(from.rows(), by, to.type(), to.data(), policy);
        },
        "x"_a, "use_mean"_a, "use_variance"_a, "epsilon"_a, "scale"_a.none(), "scale_group"_a,
        "scale_element"_a, "bias"_a.none(), "bias_group"_a, "bias_element"_a, "out"_a, "policy"_a);
    m.def(
        "softmax",
        [](nb::handle x, nb::handle out, const Policy& policy) {
            const Reading from(x);
            const Writing to(out);
            const Released released;
            softmax(from.rows(), to.type(), to.data(), policy);
        },
        "x"_a, "out"_a, "policy"_a);
    m.def(
        "log_softmax",
        [](nb::handle x, nb::handle out, const Policy& policy) {
            const Reading from(x);
            const Writing to(out);
            const Released released;
            log_softmax(from.rows(), reinterpret_cast<float*>(to.data()), policy);
        },
        "x"_a, "out"_a, "policy"_a);
    m.def(
        "average_windows",
        [](nb::handle x, const Sizes& geometry, int divisor, nb::handle out,
           const Policy& policy) {
            const Reading from(x);
            const Writing to(out);
            const Windows windows = windows_of(geometry);
            const Released released;
            average_windows(from.data(), from.type(), windows, static_cast<Divisor>(divisor),
                            to.type(), to.data(), policy);
        },
        "x"_a, "geometry"_a, "divisor"_a, "out"_a, "policy"_a);
    m.def(
        "largest_in_windows",
        [](nb::handle x, const Sizes& geometry, nb::handle out, const Policy& policy) {
            const Reading from(x);
            const Writing to(out);
            const Windows windows = windows_of(geometry);
            const Released released;
            largest_in_windows(from.data(), from.type(), windows, to.data(), policy);
        },
        "x"_a, "geometry"_a, "out"_a, "policy"_a);
    m.def(
        "scan",
        [](nb::handle x, int type, const Sizes& sizes, bool is_product, bool is_exclusive,
           bool is_reverse, nb::handle out, const Policy& policy) {
            const Reading from(x);
            const Writing to(out);
            const Chains chains{static_cast<ScanType>(type), sizes[0],     sizes[1], sizes[2],
                                is_product,                  is_exclusive, is_reverse};
            const Released released;
            scan(from.data(), chains, to.data(), policy);
        },
        "x"_a, "type"_a, "sizes"_a, "is_product"_a, "is_exclusive"_a, "is_reverse"_a, "out"_a,
        "policy"_a);
    m.def(
        "resample",
        [](nb::handle x, const Sizes& sizes, nb::handle down_indices, nb::handle down_weights,
           nb::handle across_indices, nb::handle across_weights, nb::handle out,
           const Policy& policy) {
            const Reading from(x), di(down_indices), dw(down_weights), ai(across_indices),
                aw(across_weights);
            const Writing to(out);
            // Slices, rows, columns, rows and columns of the output, taps along both.
            const Images images{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4],
                                {sizes[5], di.integers(), dw.numbers()},
                                {sizes[6], ai.integers(), aw.numbers()}};
            const Released released;
            resample(from.data(), from.type(), images, to.type(), to.data(), policy);
        },
        "x"_a, "sizes"_a, "down_indices"_a, "down_weights"_a, "across_indices"_a,
        "across_weights"_a, "out"_a, "policy"_a);
}

}  // namespace sums
}  // namespace indirectml
