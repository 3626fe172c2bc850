// No logic: that arrays fit each other is checked, so that nothing crashes.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "packing.h"
#include "pixels.h"
#include "places.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {
namespace integers {

namespace {

// What a step takes besides its products, and how many of these a nanosecond is enough for, roughly.
constexpr double kNanosecondsOfStep = 300, kProductsPerNanosecond = 150;

ContractionPolicy policy_of(const Policy& policy) {
    return {contraction_kernels(policy.target->name), policy.max_threads};
}

class ProductStep : public Step {
  public:
    ProductStep(const PlaceText& a, const PlaceText& b,
                const std::optional<std::size_t>& panel_columns,
                const std::optional<PlaceText>& a_zero, std::int32_t a_number,
                const std::optional<PlaceText>& b_zero, std::int32_t b_number, const PlaceText& out)
        : a_(a, *this), b_(b, *this), out_(out, *this),
          a_zeros_(a_zero, a_number, line_count(a_, 2), *this),
          b_zeros_(b_zero, b_number, panel_columns ? *panel_columns : line_count(b_, 1), *this) {
        const std::size_t rank = out_.axes.size();
        if (rank < 2 || a_.axes.size() < 2) throw nb::value_error("no matrices");
        task_.batch_axes = static_cast<int>(rank) - 2;
        if (task_.batch_axes > kMostBatchAxes) throw nb::value_error("too many dimensions");
        task_.rows = out_.axes[rank - 2].size;
        task_.columns = out_.axes[rank - 1].size;
        task_.depth = a_.axes.back().size;
        task_.c_row = out_.stride(rank - 2);
        task_.c_column = out_.stride(rank - 1);
        double products = static_cast<double>(task_.depth);
        for (const Axis& axis : out_.axes) products *= static_cast<double>(axis.size);
        nanoseconds = kNanosecondsOfStep + products / kProductsPerNanosecond;
        for (std::size_t k = 0; k + 2 < rank; ++k) {
            task_.batch_sizes[k] = out_.axes[k].size;
            task_.c_batch[k] = out_.stride(k);
        }
        set(a_, task_.rows, task_.depth, task_.a);
        task_.b_is_in_panels = panel_columns.has_value();
        if (!panel_columns) {
            set(b_, task_.depth, task_.columns, task_.b);
            return;
        }
        if (task_.columns != *panel_columns ||
            b_.count() != column_panels_bytes(task_.depth, task_.columns) || !b_.is_packed()) {
            throw nb::value_error("other panels");
        }
        task_.b = {nullptr, b_.operand_type, 0, 0, {}};
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        Contraction task = task_;
        std::vector<std::int32_t> a_zeros, b_zeros;
        if (!set(memories, task, a_zeros, b_zeros)) return false;
        contract_integers(task, policy_of(policy));
        return true;
    }

    // Of one matrix.
    std::uint64_t rows() const override {
        for (int k = 0; k < task_.batch_axes; ++k) {
            if (task_.batch_sizes[k] != 1) return 0;
        }
        return task_.rows;
    }
    bool cut(unsigned char* const* memories, std::uint64_t rows_asked,
             std::vector<Rows>& touched) const override {
        Contraction task = task_;
        std::vector<std::int32_t> a_zeros, b_zeros;
        if (a_.is_backward || b_.is_backward || out_.is_backward || rows_asked != rows()) return false;
        // What is not in panels would be packed by each thread.
        if (!task.b_is_in_panels || !set(memories, task, a_zeros, b_zeros)) return false;
        const auto rows_of = [&](const Place& place, bool is_written) {
            const Axis& row = place.axes[place.axes.size() - 2];
            std::size_t bytes = static_cast<std::size_t>(place.item_bytes);
            for (const Axis& axis : place.axes) {
                if (&axis != &row) bytes += (axis.size - 1) * static_cast<std::size_t>(axis.stride_bytes);
            }
            return Rows{place.in(memories), static_cast<std::ptrdiff_t>(row.stride_bytes), bytes,
                        is_written};
        };
        touched.insert(touched.end(),
                       {rows_of(a_, false),
                        {b_.in(memories), 0, static_cast<std::size_t>(b_.count()), false},
                        rows_of(out_, true)});
        a_zeros_.touch(memories, touched);
        b_zeros_.touch(memories, touched);
        return true;
    }
    void run_rows(unsigned char* const* memories, const void*, const Policy& policy, std::uint64_t,
                  Share share) const override {
        Contraction task = task_;
        std::vector<std::int32_t> a_zeros, b_zeros;
        set(memories, task, a_zeros, b_zeros);
        task.rows = share.end - share.begin;
        const auto begin = static_cast<std::ptrdiff_t>(share.begin);
        task.a.data += begin * task.a.row;
        task.a_zero = zeros_from(task.a_zero, share.begin);
        task.c += begin * task.c_row;
        contract_integers(task, policy_of(policy));
    }

  private:
    static std::size_t line_count(const Place& place, std::size_t from_end) {
        const std::size_t rank = place.axes.size();
        return rank < from_end ? 0 : static_cast<std::size_t>(place.axes[rank - from_end].size);
    }
    // Sizes and strides of an operand; those of a batch that are missing or of size 1 are repeated.
    void set(const BytePlace& from, std::size_t rows, std::size_t columns, Operand& operand) const {
        const std::size_t rank = from.axes.size();
        const std::size_t batch = static_cast<std::size_t>(task_.batch_axes);
        if (rank < 2 || rank - 2 > batch || from.axes[rank - 2].size != rows ||
            from.axes[rank - 1].size != columns) {
            throw nb::value_error("matrices of other sizes");
        }
        operand = {nullptr, from.operand_type, from.stride(rank - 2), from.stride(rank - 1), {}};
        const std::size_t missing = batch + 2 - rank;
        for (std::size_t k = missing; k < batch; ++k) {
            const Axis& axis = from.axes[k - missing];
            if (axis.size == 1) continue;
            if (axis.size != task_.batch_sizes[k]) throw nb::value_error("another batch");
            operand.batch[k] = from.stride(k - missing);
        }
    }
    bool set(unsigned char* const* memories, Contraction& task, std::vector<std::int32_t>& a_zeros,
             std::vector<std::int32_t>& b_zeros) const {
        if (!out_.has_words(memories) || may_meet(a_, out_, memories) ||
            may_meet(b_, out_, memories)) {
            return false;
        }
        task.a.data = a_.in(memories);
        task.b.data = b_.in(memories);
        task.c = out_.in(memories);
        return a_zeros_.set(memories, out_, a_zeros, task.a_zero) &&
               b_zeros_.set(memories, out_, b_zeros, task.b_zero);
    }

    const BytePlace a_, b_;
    const WordPlace out_;
    const Zeros a_zeros_, b_zeros_;
    Contraction task_{};
};

using Three = std::tuple<std::size_t, std::size_t, std::size_t>;
void set_three(const Three& from, std::size_t* to) {
    std::tie(to[0], to[1], to[2]) = from;
}

constexpr std::size_t kRank = 2 + kSpatial;

Image image_of(const BytePlace& place) {
    if (place.axes.size() != kRank) throw nb::value_error("no 3 spatial sizes");
    Image image{nullptr, place.operand_type, place.stride(0), place.stride(1), {}};
    for (std::size_t k = 0; k < kSpatial; ++k) image.position[k] = place.stride(2 + k);
    return image;
}

class ConvolutionStep : public Step {
  public:
    ConvolutionStep(const PlaceText& input, const PlaceText& filter,
                    const std::optional<Three>& panel_sizes, bool has_pixel_panels,
                    const std::optional<PlaceText>& input_zero, std::int32_t input_number,
                    const std::optional<PlaceText>& filter_zero, std::int32_t filter_number,
                    const PlaceText& out, const Three& strides, const Three& dilations,
                    const Three& start_padding, std::size_t groups)
        : input_(input, *this), filter_(filter, *this), out_(out, *this),
          input_zero_(input_zero, input_number, 1, *this),
          filter_zeros_(filter_zero, filter_number, channels_of(out_), *this) {
        task_.input = image_of(input_);
        if (out_.axes.size() != kRank || groups == 0) throw nb::value_error("no 3 spatial sizes");
        task_.groups = groups;
        task_.images = input_.axes[0].size;
        task_.channels = input_.axes[1].size / groups;
        task_.filters = out_.axes[1].size / groups;
        set_three(strides, task_.strides);
        set_three(dilations, task_.dilations);
        set_three(start_padding, task_.start_padding);
        task_.output_image = out_.stride(0);
        task_.output_channel = out_.stride(1);
        for (std::size_t k = 0; k < kSpatial; ++k) {
            task_.input_sizes[k] = input_.axes[2 + k].size;
            task_.output_sizes[k] = out_.axes[2 + k].size;
            task_.output_position[k] = out_.stride(2 + k);
        }
        const std::size_t filters = groups * task_.filters;
        task_.filter_is_in_panels = panel_sizes.has_value();
        if (panel_sizes) {
            set_three(*panel_sizes, task_.filter_sizes);
            task_.filter.type = filter_.operand_type;
            task_.has_pixel_panels = has_pixel_panels;
            const std::size_t bytes =
                has_pixel_panels
                    ? PixelPanels(groups, task_.filters, task_.channels, task_.filter_sizes).bytes()
                    : filter_panels_bytes(filters, task_.channels, task_.filter_sizes);
            if (filter_.count() != bytes || !filter_.is_packed()) {
                throw nb::value_error("other filters");
            }
        } else {
            task_.filter = image_of(filter_);
            for (std::size_t k = 0; k < kSpatial; ++k) {
                task_.filter_sizes[k] = filter_.axes[2 + k].size;
            }
            if (filter_.axes[0].size != filters || filter_.axes[1].size != task_.channels) {
                throw nb::value_error("other filters");
            }
        }
        double products = static_cast<double>(task_.channels);
        for (const std::size_t size : task_.filter_sizes) products *= static_cast<double>(size);
        for (const Axis& axis : out_.axes) products *= static_cast<double>(axis.size);
        nanoseconds = kNanosecondsOfStep + products / kProductsPerNanosecond;
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        return run_and(memories, policy, {});
    }

    // Channels are rows: those of all images, where they are at the same distance from each other. Of
    // pixels, rows of the output are.
    std::uint64_t strip_rows(unsigned char* const* memories) const override {
        const auto channels = static_cast<std::ptrdiff_t>(out_.axes[1].size);
        const bool follow =
            task_.has_pixel_panels
                ? rows_of_pixels(task_) > 0
                : task_.images == 1 || task_.output_image == channels * task_.output_channel;
        Convolution task = task_;
        Zero zeros;
        if (!follow || is_empty() || input_.is_backward || filter_.is_backward || out_.is_backward ||
            !set(memories, task, zeros)) {
            return 0;
        }
        return task_.has_pixel_panels ? rows_of_pixels(task_) : task_.images * out_.axes[1].size;
    }
    std::vector<Rows> strip_touches(unsigned char* const* memories) const override {
        const auto row_bytes = [&](std::initializer_list<std::size_t> along) {
            std::int64_t reach = out_.item_bytes;
            for (const std::size_t k : along) reach += out_.stride(k) * (static_cast<std::int64_t>(out_.axes[k].size) - 1);
            return static_cast<std::size_t>(reach);
        };
        std::vector<Rows> touched{{input_.in(memories), 0, input_.reach_bytes(), false},
                                  {filter_.in(memories), 0, filter_.reach_bytes(), false}};
        if (task_.has_pixel_panels) {
            touched.push_back({out_.in(memories), task_.output_position[1], row_bytes({1, 4}), true});
        } else {
            touched.push_back({out_.in(memories), task_.output_channel, row_bytes({2, 3, 4}), true});
        }
        input_zero_.touch(memories, touched);
        filter_zeros_.touch(memories, touched);
        return touched;
    }
    void run_strips(unsigned char* const* memories, const Policy& policy,
                    const std::function<void(Share)>& after) const override {
        run_and(memories, policy, after);
    }

  private:
    struct Zero {
        std::vector<std::int32_t> input, filter;
    };
    bool set(unsigned char* const* memories, Convolution& task, Zero& zeros) const {
        ZeroPoints zero;
        if (!out_.has_words(memories) || may_meet(input_, out_, memories) ||
            may_meet(filter_, out_, memories) || !input_zero_.set(memories, out_, zeros.input, zero) ||
            !filter_zeros_.set(memories, out_, zeros.filter, task.filter_zero)) {
            return false;
        }
        task.input_zero = zero_of(zero, 0);
        // Padding has this value.
        const std::int32_t lowest = input_.type.is_signed ? -128 : 0;
        if (task.filter_is_in_panels && (task.input_zero < lowest || task.input_zero > lowest + 255)) {
            return false;
        }
        task.input.data = input_.in(memories);
        task.filter.data = filter_.in(memories);
        task.output = out_.in(memories);
        return !task.has_pixel_panels || is_of_pixels(task);
    }
    bool is_empty() const { return out_.count() == 0; }
    bool run_and(unsigned char* const* memories, const Policy& policy,
                 const std::function<void(Share)>& after) const {
        Convolution task = task_;
        Zero zeros;
        if (!set(memories, task, zeros)) return false;
        if (is_empty()) return true;
        const auto convolve = task.has_pixel_panels ? convolve_pixels : convolve_integers;
        convolve(task, policy_of(policy), after);
        return true;
    }
    static std::size_t channels_of(const Place& out) {
        return out.axes.size() < 2 ? 0 : static_cast<std::size_t>(out.axes[1].size);
    }
    const BytePlace input_, filter_;
    const WordPlace out_;
    const Zeros input_zero_, filter_zeros_;
    Convolution task_{};
};

// Matrices, or filters of 2 + kSpatial axes, into bytes one behind the other, which Python has counted.
void pack_columns_of(nb::handle b, nb::handle out, const Policy& policy) {
    const Buffer from(b, PyBUF_RECORDS_RO), to(out);
    const View x = from.view({8, 0}), y = to.view({8, 0});
    const auto type = from.element_type();
    if (x.rank != 2 || y.rank != 1 || from.item_bytes() != 1 || !type ||
        y.axes[0].size != column_panels_bytes(x.axes[0].size, x.axes[1].size)) {
        throw nb::value_error("no matrix, or memory of another size");
    }
    const Operand operand{x.data, type->is_signed ? OperandType::kInt8 : OperandType::kUInt8,
                          static_cast<std::ptrdiff_t>(x.axes[0].stride_bytes),
                          static_cast<std::ptrdiff_t>(x.axes[1].stride_bytes), {}};
    const Released released;
    pack_columns(operand, x.axes[0].size, x.axes[1].size, policy.target->name, y.data);
}

// With groups, as convolutions of pixels take them.
void pack_filters_of(nb::handle filter, std::size_t groups, nb::handle out, const Policy& policy) {
    const Buffer from(filter, PyBUF_RECORDS_RO), to(out);
    const View x = from.view({8, 0}), y = to.view({8, 0});
    const auto type = from.element_type();
    if (x.rank != static_cast<int>(kRank) || y.rank != 1 || from.item_bytes() != 1 || !type) {
        throw nb::value_error("no filters");
    }
    Image image{x.data, type->is_signed ? OperandType::kInt8 : OperandType::kUInt8,
                static_cast<std::ptrdiff_t>(x.axes[0].stride_bytes),
                static_cast<std::ptrdiff_t>(x.axes[1].stride_bytes), {}};
    std::size_t sizes[kSpatial];
    for (std::size_t k = 0; k < kSpatial; ++k) {
        sizes[k] = x.axes[2 + k].size;
        image.position[k] = static_cast<std::ptrdiff_t>(x.axes[2 + k].stride_bytes);
    }
    const std::optional<PixelPanels> form =
        groups == 0 ? std::nullopt
                    : std::optional<PixelPanels>({groups, x.axes[0].size / groups, x.axes[1].size, sizes});
    if (y.axes[0].size !=
        (form ? form->bytes() : filter_panels_bytes(x.axes[0].size, x.axes[1].size, sizes))) {
        throw nb::value_error("memory of another size");
    }
    const Released released;
    if (form) return pack_pixel_filters(image, *form, y.data);
    pack_filters(image, x.axes[0].size, x.axes[1].size, sizes, policy.target->name, y.data);
}

}  // namespace

void bind_integers(nb::module_& m) {
    m.def("pack_columns", &pack_columns_of, "b"_a, "out"_a, "policy"_a);
    m.def("pack_filters", &pack_filters_of, "filter"_a, "groups"_a, "out"_a, "policy"_a);
    nb::class_<ProductStep, Step>(m, "IntegerProductStep")
        .def(nb::init<const PlaceText&, const PlaceText&, const std::optional<std::size_t>&,
                      const std::optional<PlaceText>&, std::int32_t,
                      const std::optional<PlaceText>&, std::int32_t, const PlaceText&>(),
             "a"_a, "b"_a, "panel_columns"_a.none(), "a_zero"_a.none(), "a_number"_a,
             "b_zero"_a.none(), "b_number"_a, "out"_a);
    nb::class_<ConvolutionStep, Step>(m, "IntegerConvolutionStep")
        .def(nb::init<const PlaceText&, const PlaceText&, const std::optional<Three>&, bool,
                      const std::optional<PlaceText>&, std::int32_t,
                      const std::optional<PlaceText>&, std::int32_t, const PlaceText&,
                      const Three&, const Three&, const Three&, std::size_t>(),
             "input"_a, "filter"_a, "panel_sizes"_a.none(), "has_pixel_panels"_a, "input_zero"_a.none(),
             "input_number"_a, "filter_zero"_a.none(), "filter_number"_a, "out"_a, "strides"_a,
             "dilations"_a, "start_padding"_a, "groups"_a);
}

}  // namespace integers
}  // namespace indirectml
