// No logic: what an array is decides whether the native code takes it; Python explains what it does not.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "../float_modes.h"
#include "../places.h"
#include "contract.h"
#include "channels_last.h"
#include "convolve.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {

namespace {

// Below this many products, giving up the interpreter lock costs more than it is worth.
constexpr double kReleaseProducts = 1e5;

template <typename Work>
void release_for(double products, const Work& work) {
    if (products < kReleaseProducts) return work();
    const Released released;
    work();
}

// Elements of one of the types that kernels take, and where they are.
struct Elements {
    View view;
    std::int64_t item_bytes;
    std::optional<OperandType> type;
    bool is_int32 = false;

    void set_type(const std::optional<ElementType>& found) {
        if (!found) return;
        const Format& format = found->format;
        if (format.precision == 24) type = OperandType::kFloat32;
        if (format.precision == 11) type = OperandType::kFloat16;
        if (format.precision == 0 && format.bits == 8) {
            type = found->is_signed ? OperandType::kInt8 : OperandType::kUInt8;
        }
        is_int32 = format.precision == 0 && format.bits == 32 && found->is_signed;
    }
    bool is_float() const {
        return type == OperandType::kFloat32 || type == OperandType::kFloat16;
    }
    bool is_integer() const { return type == OperandType::kInt8 || type == OperandType::kUInt8; }
    // Words of 4 bytes where such words may lie, forwards or backwards.
    bool has_words() const {
        if (reinterpret_cast<std::uintptr_t>(view.data) % 4 != 0) return false;
        for (int k = 0; k < view.rank; ++k) {
            if (view.axes[k].stride_bytes % 4 != 0) return false;
        }
        return true;
    }
    Extent extent() const { return {view.data, item_bytes, view.axes, static_cast<std::size_t>(view.rank)}; }
    std::size_t bytes() const {
        const Span span = span_of(extent());
        return span.end - span.begin;
    }
    bool may_meet(const Elements& other) const { return indirectml::may_meet(extent(), other.extent()); }
};

// Those of an array of Python.
class Held {
  public:
    Held(nb::handle owner, int flags) : buffer_(owner, flags) {}

  protected:
    Buffer buffer_;
};
struct Opened : Held, Elements {
    Opened(nb::handle owner, int flags)
        : Held(owner, flags), Elements{buffer_.view({32, 0}), buffer_.item_bytes(), {}} {
        set_type(buffer_.element_type());
    }
};

constexpr int kReadOnly = PyBUF_RECORDS_RO, kWritable = PyBUF_RECORDS;

std::ptrdiff_t stride(const Axis& axis) { return static_cast<std::ptrdiff_t>(axis.stride_bytes); }

// Strides over the batch of the result; one that is missing or has size 1 is repeated.
bool set_batch(const Elements& from, int inner, const Contraction& task, std::ptrdiff_t* strides) {
    const int missing = task.batch_axes - (from.view.rank - inner);
    if (missing < 0) return false;
    for (int k = 0; k < task.batch_axes; ++k) {
        strides[k] = 0;
        if (k < missing) continue;
        const Axis& axis = from.view.axes[k - missing];
        if (axis.size == 1) continue;
        if (axis.size != task.batch_sizes[k]) return false;
        strides[k] = stride(axis);
    }
    return true;
}

bool set_operand(const Elements& from, const Contraction& task, std::size_t rows,
                 std::size_t columns, Operand& operand) {
    const View& view = from.view;
    if (view.rank < 2 || !from.type) return false;
    const Axis& row = view.axes[view.rank - 2];
    const Axis& column = view.axes[view.rank - 1];
    if (row.size != rows || column.size != columns) return false;
    operand.data = view.data;
    operand.type = *from.type;
    operand.row = stride(row);
    operand.column = stride(column);
    return set_batch(from, 2, task, operand.batch);
}

// Sizes and strides of the result and of a.
bool set_result(const Elements& a, const Elements& out, Contraction& task) {
    const View& view = out.view;
    if (view.rank < 2 || a.view.rank < 2 || !out.has_words()) return false;
    task.batch_axes = view.rank - 2;
    for (int k = 0; k < task.batch_axes; ++k) {
        task.batch_sizes[k] = view.axes[k].size;
        task.c_batch[k] = stride(view.axes[k]);
    }
    task.rows = view.axes[view.rank - 2].size;
    task.columns = view.axes[view.rank - 1].size;
    task.c = view.data;
    task.c_row = stride(view.axes[view.rank - 2]);
    task.c_column = stride(view.axes[view.rank - 1]);
    task.depth = a.view.axes[a.view.rank - 1].size;
    return set_operand(a, task, task.rows, task.depth, task.a);
}

double products_of(const Contraction& task) {
    double products = static_cast<double>(task.rows) * static_cast<double>(task.columns) *
                      static_cast<double>(task.depth);
    for (int k = 0; k < task.batch_axes; ++k) {
        products *= static_cast<double>(task.batch_sizes[k]);
    }
    return products;
}

ContractionPolicy policy_of(const Policy& policy) {
    return {contraction_kernels(policy.target->name), policy.max_threads};
}

// Sets a task whose second operand is as it is, or in panels, of so many columns; false where kernels
// do not take the arrays.
bool set_contraction(const Elements& x, const Elements& y, const std::size_t* panel_columns,
                     const Elements& z, Contraction& task) {
    if (!x.is_float() || !y.is_float() || z.type != OperandType::kFloat32) return false;
    if (!set_result(x, z, task) || z.may_meet(x) || z.may_meet(y)) return false;
    task.b_is_in_panels = panel_columns != nullptr;
    if (!panel_columns) return set_operand(y, task, task.depth, task.columns, task.b);
    // Panels of one matrix: (..., ceil(columns / kPanel), depth, kPanel).
    const int rank = y.view.rank;
    if (rank < 3 || task.columns != *panel_columns) return false;
    if (y.view.axes[rank - 2].size != task.depth) return false;
    for (int k = 0; k < rank - 3; ++k) {
        if (y.view.axes[k].size != 1) return false;
    }
    task.b = {y.view.data, *y.type, 0, 0, {}};
    return true;
}

bool contract_opened(nb::handle a, nb::handle b, const std::size_t* panel_columns, nb::handle out,
                     const Policy& policy) {
    const Opened x(a, kReadOnly), y(b, kReadOnly), z(out, kWritable);
    Contraction task;
    if (!set_contraction(x, y, panel_columns, z, task)) return false;
    release_for(products_of(task), [&] { contract(task, policy_of(policy)); });
    return true;
}

bool contract_arrays(nb::handle a, nb::handle b, nb::handle out, const Policy& policy) {
    return contract_opened(a, b, nullptr, out, policy);
}

bool contract_panels(nb::handle a, nb::handle b, std::size_t columns, nb::handle out,
                     const Policy& policy) {
    return contract_opened(a, b, &columns, out, policy);
}

void pack_array(nb::handle b, nb::handle out, const Policy& policy) {
    const Opened y(b, kReadOnly), z(out, kWritable);
    const Axis* axes = y.view.axes;
    const Operand operand{y.view.data, *y.type, stride(axes[0]), stride(axes[1]), {}};
    release_for(static_cast<double>(axes[0].size) * static_cast<double>(axes[1].size), [&] {
        if (z.type == OperandType::kFloat16) {
            return pack_halves(operand, axes[0].size, axes[1].size,
                               reinterpret_cast<std::uint16_t*>(z.view.data));
        }
        pack(operand, axes[0].size, axes[1].size, *contraction_kernels(policy.target->name),
             reinterpret_cast<float*>(z.view.data));
    });
}

// One zero point, or one for each line.
ZeroPoints zero_points(const Opened& from) {
    return {reinterpret_cast<const std::int32_t*>(from.view.data),
            from.view.axes[0].size == 1 ? 0 : stride(from.view.axes[0]) / 4};
}

bool contract_integer_arrays(nb::handle a, nb::handle a_zero, nb::handle b, nb::handle b_zero,
                             nb::handle out, const Policy& policy) {
    const Opened x(a, kReadOnly), y(b, kReadOnly), z(out, kWritable);
    const Opened x_zero(a_zero, kReadOnly), y_zero(b_zero, kReadOnly);
    Contraction task;
    if (!x.is_integer() || !y.is_integer() || !z.is_int32) return false;
    if (!set_result(x, z, task) ||
        !set_operand(y, task, task.depth, task.columns, task.b)) {
        return false;
    }
    if (z.may_meet(x) || z.may_meet(y)) return false;
    task.b_is_in_panels = false;
    task.a_zero = zero_points(x_zero);
    task.b_zero = zero_points(y_zero);
    release_for(products_of(task), [&] { contract_integers(task, policy_of(policy)); });
    return true;
}

// Numbers of each spatial dimension.
using Three = nb::typed<nb::tuple, int, int, int>;
void set_three(const Three& from, std::size_t* to) {
    for (std::size_t k = 0; k < kSpatial; ++k) to[k] = nb::cast<std::size_t>(from[k]);
}

Image image_of(const Elements& from) {
    Image image{from.view.data, *from.type, stride(from.view.axes[0]), stride(from.view.axes[1]), {}};
    for (int k = 0; k < kSpatial; ++k) image.position[k] = stride(from.view.axes[2 + k]);
    return image;
}

// Arrays of 2 + kSpatial axes whose sizes fit each other: Python has seen to it.
void set_convolution(const Elements& x, const Elements& z, bool is_backward, bool is_flipped,
                     const Three& strides, const Three& dilations, const Three& start_padding,
                     std::size_t groups, Convolution& task) {
    task.is_backward = is_backward;
    task.is_flipped = is_flipped;
    task.images = x.view.axes[0].size;
    task.groups = groups;
    task.channels = x.view.axes[1].size / groups;
    task.filters = z.view.axes[1].size / groups;
    set_three(strides, task.strides);
    set_three(dilations, task.dilations);
    set_three(start_padding, task.start_padding);
    task.input = image_of(x);
    for (int k = 0; k < kSpatial; ++k) {
        task.input_sizes[k] = x.view.axes[2 + k].size;
        task.output_sizes[k] = z.view.axes[2 + k].size;
        task.output_position[k] = stride(z.view.axes[2 + k]);
    }
    task.output = z.view.data;
    task.output_image = stride(z.view.axes[0]);
    task.output_channel = stride(z.view.axes[1]);
}

void set_filter(const Elements& w, Convolution& task) {
    task.filter = image_of(w);
    for (int k = 0; k < kSpatial; ++k) task.filter_sizes[k] = w.view.axes[2 + k].size;
}

void set_panel_data(const unsigned char* data, Convolution& task) {
    const bool is_half = task.filter.type == OperandType::kFloat16;
    task.filter.data = data;
    task.filter_panels = is_half ? nullptr : reinterpret_cast<const float*>(data);
    task.half_panels = is_half ? reinterpret_cast<const std::uint16_t*>(data) : nullptr;
}

// The filters of each group in panels, a column for each.
void set_panels(const Elements& w, const Three& filter_sizes, Convolution& task) {
    set_three(filter_sizes, task.filter_sizes);
    task.filter.type = *w.type;
    set_panel_data(w.view.data, task);
    task.has_channel_panels = task.groups > 1 && task.channels == 1 && task.filters == 1;
}

// "", "relu", or "clip" with its two numbers; and whether results are rounded to FLOAT16 before.
using LimitsText = std::tuple<std::string, float, float, bool>;
Limits limits_of(const LimitsText& text) {
    const auto& [name, least, most, rounds] = text;
    if (name != "" && name != "relu" && name != "clip") throw nb::value_error("no limits of that name");
    const Limit limit = name.empty()     ? Limit::kNone
                        : name == "relu" ? Limit::kPositive
                                         : Limit::kRange;
    return {limit, least, most, rounds};
}

// With `panel_sizes`, the filter is in panels, and these are its spatial sizes.
void convolve_arrays(nb::handle input, nb::handle filter, const std::optional<Three>& panel_sizes,
                     nb::handle bias, nb::handle out, bool is_backward, bool is_flipped,
                     const Three& strides, const Three& dilations, const Three& start_padding,
                     std::size_t groups, const LimitsText& limits, const Policy& policy) {
    const Opened x(input, kReadOnly), w(filter, kReadOnly), z(out, kWritable);
    std::optional<Opened> y;
    if (!bias.is_none()) y.emplace(bias, kReadOnly);
    Convolution task{};
    set_convolution(x, z, is_backward, is_flipped, strides, dilations, start_padding, groups, task);
    if (panel_sizes) {
        set_panels(w, *panel_sizes, task);
    } else {
        set_filter(w, task);
    }
    task.bias = y ? reinterpret_cast<const float*>(y->view.data) : nullptr;
    task.limits = limits_of(limits);
    const Released released;
    convolve(task, policy_of(policy));
}

void convolve_integer_arrays(nb::handle input, std::int32_t input_zero, nb::handle filter,
                             nb::handle filter_zero, nb::handle out, const Three& strides,
                             const Three& dilations, const Three& start_padding,
                             std::size_t groups, const Policy& policy) {
    const Opened x(input, kReadOnly), w(filter, kReadOnly), z(out, kWritable);
    const Opened w_zero(filter_zero, kReadOnly);
    Convolution task{};
    set_convolution(x, z, false, false, strides, dilations, start_padding, groups, task);
    set_filter(w, task);
    task.input_zero = input_zero;
    task.filter_zero = zero_points(w_zero);
    const Released released;
    convolve_integers(task, policy_of(policy));
}

// A place of FLOAT32 or FLOAT16, as kernels take it.
struct FloatPlace : Place {
    Elements elements;

    FloatPlace(const PlaceText& text, bool is_written, Step& step)
        : Place(text, is_written, step),
          elements{{nullptr, 0, static_cast<int>(axes.size()), nullptr}, item_bytes, {}} {
        elements.set_type(type);
        if (!elements.is_float()) throw nb::type_error("no FLOAT32 or FLOAT16");
    }
    Elements in(unsigned char* const* memories) const {
        Elements there = elements;
        there.view.data = Place::in(memories);
        there.view.axes = axes.data();
        return there;
    }
};

// What a step takes besides its products, and how many of these a nanosecond is enough for, roughly.
constexpr double kNanosecondsOfStep = 200, kProductsPerNanosecond = 50;

class ProductStep : public Step {
  public:
    ProductStep(const PlaceText& a, const PlaceText& b, std::optional<std::size_t> panel_columns,
                const PlaceText& out)
        : a_(a, false, *this), b_(b, false, *this), out_(out, true, *this),
          panel_columns_(panel_columns) {
        if (a_.axes.size() < 2 || out_.axes.size() < 2) throw nb::value_error("no matrices");
        double products = static_cast<double>(a_.axes.back().size);
        for (const Axis& axis : out_.axes) products *= static_cast<double>(axis.size);
        nanoseconds = kNanosecondsOfStep + products / kProductsPerNanosecond;
    }
    bool run(unsigned char* const* memories, const void* next,
             const Policy& policy) const override {
        Contraction task;
        if (!set(memories, task)) return false;
        task.next = static_cast<const unsigned char*>(next);
        contract(task, policy_of(policy));
        return true;
    }
    const void* first_constants(unsigned char* const* memories) const override {
        return panel_columns_ ? b_.in(memories).view.data : nullptr;
    }

    // Of one matrix.
    std::uint64_t rows() const override {
        const auto& axes = out_.axes;
        for (std::size_t k = 0; k + 2 < axes.size(); ++k) {
            if (axes[k].size != 1) return 0;
        }
        return axes[axes.size() - 2].size;
    }
    bool cut(unsigned char* const* memories, std::uint64_t rows_asked,
             std::vector<Rows>& touched) const override {
        Contraction task;
        if (a_.is_backward || b_.is_backward || out_.is_backward) return false;
        if (rows_asked != rows() || !set(memories, task)) return false;
        const Elements a = a_.in(memories), b = b_.in(memories), out = out_.in(memories);
        const auto rows_of = [](const Elements& from, bool is_written) {
            const Axis& row = from.view.axes[from.view.rank - 2];
            const auto before_last = static_cast<std::size_t>(stride(row)) * (row.size - 1);
            return Rows{from.view.data, stride(row), from.bytes() - before_last, is_written};
        };
        touched.insert(touched.end(), {rows_of(a, false), {b.view.data, 0, b.bytes(), false},
                                       rows_of(out, true)});
        return true;
    }
    void run_rows(unsigned char* const* memories, const void* next, const Policy& policy,
                  std::uint64_t, Share share) const override {
        Contraction task;
        set(memories, task);
        task.next = static_cast<const unsigned char*>(next);
        task.rows = share.end - share.begin;
        const auto begin = static_cast<std::ptrdiff_t>(share.begin);
        task.a.data += begin * task.a.row;
        task.c += begin * task.c_row;
        contract(task, policy_of(policy));
    }

  private:
    bool set(unsigned char* const* memories, Contraction& task) const {
        return set_contraction(a_.in(memories), b_.in(memories),
                               panel_columns_ ? &*panel_columns_ : nullptr, out_.in(memories),
                               task);
    }

    const FloatPlace a_, b_, out_;
    const std::optional<std::size_t> panel_columns_;
};

class ConvolutionStep : public Step {
  public:
    ConvolutionStep(const PlaceText& input, const PlaceText& filter,
                    const std::optional<Three>& panel_sizes, const std::optional<PlaceText>& bias,
                    const PlaceText& out, bool is_backward, bool is_flipped, const Three& strides,
                    const Three& dilations, const Three& start_padding, std::size_t groups,
                    const LimitsText& limits)
        : input_(input, false, *this), filter_(filter, false, *this), out_(out, true, *this) {
        task_.limits = limits_of(limits);
        if (bias) bias_.emplace(*bias, false, *this);
        for (const FloatPlace* place : {&input_, &filter_, &out_}) {
            const bool is_in_panels = panel_sizes && place == &filter_;
            if (place->axes.size() != 2 + kSpatial && !is_in_panels) {
                throw nb::value_error("no 3 spatial sizes");
            }
        }
        // Sizes and strides; where memory is, `run` is told.
        set_convolution(at_no_memory(input_), at_no_memory(out_), is_backward, is_flipped, strides,
                        dilations, start_padding, groups, task_);
        double taps = 1;
        if (panel_sizes) {
            is_in_panels_ = true;
            set_panels(at_no_memory(filter_), *panel_sizes, task_);
        } else {
            set_filter(at_no_memory(filter_), task_);
        }
        for (const std::size_t size : task_.filter_sizes) taps *= static_cast<double>(size);
        double products = 1;
        for (const Axis& axis : (is_backward ? input_ : out_).axes) {
            products *= static_cast<double>(axis.size);
        }
        // The input's positions meet each filter; the output's each channel.
        products *= taps * static_cast<double>(is_backward ? task_.filters : task_.channels);
        nanoseconds = kNanosecondsOfStep + products / kProductsPerNanosecond;
    }
    std::unique_ptr<const Step> with_constants(unsigned char* const* kept) const override {
        const unsigned char* const filters = kept[filter_.buffer];
        if (!is_in_panels_ || !filters || is_empty()) return nullptr;
        Convolution task = task_;
        set_panel_data(filters + filter_.offset, task);
        std::unique_ptr<ConvolutionStep> made(new ConvolutionStep(*this));
        made->trimmed_ = trimmed_filters(task, *contraction_kernels("portable"));
        made->task_.trimmed = made->trimmed_.get();
        if (!bias_ || kept[bias_->buffer]) made->kept_ = kept_convolvers();
        made->task_.kept = made->kept_.get();
        return made;
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        Convolution task;
        if (!set(memories, task)) return false;
        const std::vector<float> bias = wide_bias(memories, policy, task);
        if (!is_empty()) convolve(task, policy_of(policy));
        return true;
    }

    std::uint64_t strip_rows(unsigned char* const* memories) const override {
        Convolution task;
        return !is_empty() && set(memories, task) ? rows_of_outputs(task) : 0;
    }
    std::vector<Rows> strip_touches(unsigned char* const* memories) const override {
        std::vector<Rows> touched;
        Convolution task;
        set(memories, task);
        const auto count = static_cast<std::ptrdiff_t>(rows_of_outputs(task));
        const auto add = [&](const FloatPlace& place, std::ptrdiff_t stride, bool is_written) {
            const Elements there = place.in(memories);
            const std::size_t before = static_cast<std::size_t>(stride * (count - 1));
            touched.push_back({there.view.data, stride, there.bytes() - before, is_written});
        };
        add(input_, 0, false);
        add(filter_, 0, false);
        if (bias_) add(*bias_, 0, false);
        add(out_, task_.output_position[1], true);
        return touched;
    }
    void run_strips(unsigned char* const* memories, const Policy& policy,
                    const std::function<void(Share)>& after) const override {
        Convolution task;
        set(memories, task);
        const std::vector<float> bias = wide_bias(memories, policy, task);
        convolve_channels_last(task, policy_of(policy), after);
    }

  private:
    bool set(unsigned char* const* memories, Convolution& task) const {
        const Elements x = input_.in(memories), w = filter_.in(memories), z = out_.in(memories);
        if (!z.has_words() || z.may_meet(x) || z.may_meet(w)) return false;
        task = task_;
        task.input.data = x.view.data;
        task.filter.data = w.view.data;
        if (is_in_panels_) set_panel_data(w.view.data, task);
        task.output = z.view.data;
        if (bias_) {
            const Elements y = bias_->in(memories);
            const auto at = reinterpret_cast<std::uintptr_t>(y.view.data);
            if (at % static_cast<std::uintptr_t>(y.item_bytes) != 0 || z.may_meet(y)) return false;
            task.bias = reinterpret_cast<const float*>(y.view.data);
        }
        return true;
    }
    // What the task's bias is from now on, if it is FLOAT16.
    std::vector<float> wide_bias(unsigned char* const* memories, const Policy& policy,
                                 Convolution& task) const {
        if (!bias_ || bias_->elements.type != OperandType::kFloat16) return {};
        std::vector<float> wide(task.groups * task.filters);
        const DefaultFloatModes modes;
        contraction_kernels(policy.target->name)
            ->widen(reinterpret_cast<const std::uint16_t*>(bias_->in(memories).view.data),
                    wide.size(), wide.data());
        task.bias = wide.data();
        return wide;
    }
    bool is_empty() const {
        return std::any_of(out_.axes.begin(), out_.axes.end(),
                           [](const Axis& axis) { return axis.size == 0; });
    }
    static Elements at_no_memory(const FloatPlace& place) {
        Elements elements = place.elements;
        elements.view.axes = place.axes.data();
        return elements;
    }
    const FloatPlace input_, filter_, out_;
    std::optional<FloatPlace> bias_;  // of neighbours
    bool is_in_panels_ = false;
    Convolution task_{};
    // What the task has, if these filters are constants; and the biases, too.
    std::shared_ptr<const TrimmedFilters> trimmed_;
    std::shared_ptr<KeptConvolvers> kept_;
};

}  // namespace

void bind_contraction(nb::module_& m) {
    m.def("contract", &contract_arrays, "a"_a, "b"_a, "out"_a, "policy"_a);
    m.def("contract_panels", &contract_panels, "a"_a, "b"_a, "columns"_a, "out"_a, "policy"_a);
    m.def("pack", &pack_array, "b"_a, "out"_a, "policy"_a);
    m.def("contract_integer", &contract_integer_arrays, "a"_a, "a_zero"_a, "b"_a, "b_zero"_a,
          "out"_a, "policy"_a);
    m.def("convolve", &convolve_arrays, "input"_a, "filter"_a, "panel_sizes"_a.none(),
          "bias"_a.none(), "out"_a, "is_backward"_a, "is_flipped"_a, "strides"_a, "dilations"_a,
          "start_padding"_a, "groups"_a, "limits"_a, "policy"_a);
    m.def("convolve_integer", &convolve_integer_arrays, "input"_a, "input_zero"_a, "filter"_a,
          "filter_zero"_a, "out"_a, "strides"_a, "dilations"_a, "start_padding"_a, "groups"_a,
          "policy"_a);
    nb::class_<ProductStep, Step>(m, "ProductStep")
        .def(nb::init<const PlaceText&, const PlaceText&, std::optional<std::size_t>,
                      const PlaceText&>(),
             "a"_a, "b"_a, "panel_columns"_a.none(), "out"_a);
    nb::class_<ConvolutionStep, Step>(m, "ConvolutionStep")
        .def(nb::init<const PlaceText&, const PlaceText&, const std::optional<Three>&,
                      const std::optional<PlaceText>&, const PlaceText&, bool, bool, const Three&,
                      const Three&, const Three&, std::size_t, const LimitsText&>(),
             "input"_a, "filter"_a, "panel_sizes"_a.none(), "bias"_a.none(), "out"_a,
             "is_backward"_a, "is_flipped"_a, "strides"_a, "dilations"_a, "start_padding"_a,
             "groups"_a, "limits"_a);
}

}  // namespace indirectml
