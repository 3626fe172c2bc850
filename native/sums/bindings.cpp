#include "bindings.h"

#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "../buffer.h"
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

Factors factors_of(const std::optional<Reading>& numbers, std::uint64_t group_step,
                   std::uint64_t element_step) {
    if (!numbers) return {nullptr, Type::kDouble, 0, 0};
    return {numbers->data(), numbers->type(), group_step, element_step};
}

}  // namespace

void bind_sums(nb::module_& m) {
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
            largest_in_windows(from.data(), from.type(), windows, from.type(), to.data(), policy);
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
