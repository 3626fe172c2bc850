// No logic: that arrays fit each other is checked, so that nothing crashes.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "../array_step.h"
#include "../places.h"
#include "blocks.h"
#include "product.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {
namespace weights {

namespace {

// What a step takes besides its products, and how many of these a nanosecond is enough for, roughly.
constexpr double kNanosecondsOfStep = 300, kProductsPerNanosecond = 20;

std::optional<OperandType> float_type(const Place& place) {
    if (place.type.format.precision == 24) return OperandType::kFloat32;
    if (place.type.format.precision == 11) return OperandType::kFloat16;
    return std::nullopt;
}

bool has_units(const Place& place, std::size_t panels, std::size_t units) {
    return place.axes.size() == 3 && place.axes[0].size == panels && place.axes[1].size == units &&
           place.axes[2].size == kPanel && place.is_packed();
}

class ProductStep : public Step {
  public:
    ProductStep(const PlaceText& a, const PlaceText& numbers, const PlaceText& scales,
                const std::optional<PlaceText>& zeros, std::uint32_t zero, unsigned bits,
                std::size_t block, const PlaceText& out)
        : a_(a, false, *this), numbers_(numbers, false, *this), scales_(scales, false, *this),
          out_(out, true, *this) {
        if (zeros) zeros_.emplace(*zeros, false, *this);
        const std::size_t rank = out_.axes.size();
        const bool in_panels = scales_.axes.size() == 3;
        if (rank < 2 || a_.axes.size() < 2 || (!in_panels && scales_.axes.size() != 2) ||
            (bits != 4 && bits != 8)) {
            throw nb::value_error("no matrices");
        }
        task_.rows = out_.axes[rank - 2].size;
        task_.columns = out_.axes[rank - 1].size;
        const auto type = float_type(a_), scale_type = float_type(scales_);
        if (!type || !scale_type || out_.item_bytes != 4) throw nb::type_error("no floats");
        const Axis& row = a_.axes[a_.axes.size() - 2];
        const Axis& column = a_.axes.back();
        task_.a = {nullptr, *type, static_cast<std::ptrdiff_t>(row.stride_bytes),
                   static_cast<std::ptrdiff_t>(column.stride_bytes), {}};
        task_.c_row = static_cast<std::ptrdiff_t>(out_.axes[rank - 2].stride_bytes);
        task_.c_column = static_cast<std::ptrdiff_t>(out_.axes[rank - 1].stride_bytes);
        Stored& stored = task_.stored;
        stored.zero = zero;
        stored.has_halves = *scale_type == OperandType::kFloat16;
        stored.bits = bits;
        stored.depth = column.size;
        const std::size_t panels = (task_.columns + kPanel - 1) / kPanel;
        stored.blocks = scales_.axes[in_panels ? 1 : 0].size;
        stored.words = numbers_.axes.size() == 3 ? numbers_.axes[1].size : 0;
        stored.block = block;
        if (block == 0 || stored.blocks == 0 || stored.words < stored.words_of(stored.depth) ||
            (stored.depth + block - 1) / block > stored.blocks) {
            throw nb::value_error("other blocks");
        }
        const std::size_t groups = in_panels ? task_.columns : scales_.axes[1].size;
        if (!set_width(in_panels, groups) ||
            (in_panels && !has_units(scales_, panels, stored.blocks))) {
            throw nb::value_error("other scales");
        }
        const std::size_t zero_panels = (groups + kPanel - 1) / kPanel;
        if (row.size != task_.rows || !has_units(numbers_, panels, stored.words) ||
            numbers_.item_bytes != 4 ||
            (zeros_ && (!has_units(*zeros_, zero_panels, stored.words_of(stored.blocks)) ||
                        zeros_->item_bytes != 4)) ||
            a_.count() != task_.rows * stored.depth || out_.count() != task_.rows * task_.columns) {
            throw nb::value_error("matrices of other sizes");
        }
        const double products = static_cast<double>(out_.count()) * static_cast<double>(stored.depth);
        nanoseconds = kNanosecondsOfStep + products / kProductsPerNanosecond;
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        for (const Place* place : {&numbers_, &scales_, &out_}) {
            if (!place->is_aligned(memories)) return false;
        }
        if (zeros_ && !zeros_->is_aligned(memories)) return false;
        if (may_meet(a_, out_, memories) || task_.c_row % 4 != 0 || task_.c_column % 4 != 0) {
            return false;
        }
        if (out_.count() == 0) return true;
        Product task = task_;
        task.a.data = a_.in(memories);
        task.c = out_.in(memories);
        task.stored.numbers = reinterpret_cast<const std::uint32_t*>(numbers_.in(memories));
        task.stored.scales = scales_.in(memories);
        task.stored.zeros =
            zeros_ ? reinterpret_cast<const std::uint32_t*>(zeros_->in(memories)) : nullptr;
        multiply(task, policy);
        return true;
    }

  private:
    // How many columns have a scale, and how such scales lie; whether kernels take them.
    bool set_width(bool in_panels, std::size_t groups) {
        Stored& stored = task_.stored;
        stored.width = 1;
        if (in_panels) return true;
        const auto item = static_cast<std::ptrdiff_t>(scales_.item_bytes);
        const auto row = static_cast<std::ptrdiff_t>(scales_.axes[0].stride_bytes);
        const auto column = static_cast<std::ptrdiff_t>(scales_.axes[1].stride_bytes);
        if (groups == 0 || task_.columns % groups != 0 || row % item != 0 || column % item != 0) {
            return false;
        }
        stored.scale_row = row / item;
        stored.scale_column = column / item;
        // Of one column or several: panels that are not whole have what the last columns have.
        stored.width = groups == 1 ? (task_.columns + kPanel - 1) / kPanel * kPanel
                                   : task_.columns / groups;
        return stored.width % kPanel == 0;
    }

    const Place a_, numbers_, scales_, out_;
    std::optional<Place> zeros_;
    Product task_{};
};

ArrayStep* blocks_step(const PlaceText& x, const PlaceText& scale,
                       const std::optional<PlaceText>& zero_point, const PlaceText& out) {
    constexpr double kNanosecondsEach = 0.5;
    std::vector<PlaceText> inputs{x, scale};
    if (zero_point) inputs.push_back(*zero_point);
    auto step = std::make_unique<ArrayStep>(inputs, std::vector<PlaceText>{out}, kNanosecondsEach);
    Blocks task{};
    const Place& numbers = step->input(0);
    const auto type = float_type(step->input(1));
    if (!type || numbers.item_bytes != 1 || step->output(0).item_bytes != 4) {
        throw nb::type_error("no INT8 or UINT8 with scales");
    }
    for (const Axis& axis : numbers.axes) task.sizes.push_back(axis.size);
    for (const Axis& axis : step->input(1).axes) task.scale_sizes.push_back(axis.size);
    bool fits = !task.sizes.empty() && task.sizes.size() == task.scale_sizes.size() &&
                step->output(0).count() == numbers.count();
    for (std::size_t k = 0; k < task.sizes.size() && fits; ++k) {
        fits = task.scale_sizes[k] > 0 && task.sizes[k] % task.scale_sizes[k] == 0;
    }
    if (zero_point) {
        const Place& zeros = step->input(2);
        fits = fits && zeros.count() == step->input(1).count() && zeros.item_bytes == 1 &&
               zeros.type.is_signed == numbers.type.is_signed;
    }
    if (!fits) throw nb::value_error("arrays of other sizes");
    task.is_signed = numbers.type.is_signed;
    task.has_halves = *type == OperandType::kFloat16;
    const bool has_zeros = zero_point.has_value();
    return step
        .release()
        ->with([task, has_zeros](const Given* from, unsigned char* const* to, const Policy& policy) {
            Blocks own = task;
            own.numbers = from[0].data;
            own.scales = from[1].data;
            own.zeros = has_zeros ? from[2].data : nullptr;
            own.out = reinterpret_cast<float*>(to[0]);
            dequantize(own, policy);
        });
}

// A matrix of bytes with an integer each, or the bytes of one, packed or transposed, with two each.
void store_of(nb::handle numbers, unsigned bits, bool is_signed,
              const std::optional<std::pair<std::size_t, std::size_t>>& sizes_in_halves,
              bool is_transposed, nb::handle out) {
    const Buffer from(numbers, PyBUF_RECORDS_RO), to(out);
    const View x = from.view({8, 0}), y = to.view({32, 0});
    if (y.rank != 3 || from.item_bytes() != 1 || to.item_bytes() != 4 || (bits != 4 && bits != 8) ||
        x.rank != (sizes_in_halves ? 1 : 2)) {
        throw nb::value_error("no matrix of integers");
    }
    Integers matrix{x.data, bits, is_signed, sizes_in_halves.has_value(), 0, 0};
    std::size_t rows, columns;
    if (sizes_in_halves) {
        std::tie(rows, columns) = *sizes_in_halves;
        if (x.axes[0].stride_bytes != 1 || bits != 4 || columns == 0 ||
            rows > 2 * x.axes[0].size / columns) {
            throw nb::value_error("no bytes with two integers each");
        }
        matrix.row = static_cast<std::ptrdiff_t>(columns);
        matrix.column = 1;
    } else {
        rows = x.axes[0].size;
        columns = x.axes[1].size;
        matrix.row = static_cast<std::ptrdiff_t>(x.axes[0].stride_bytes);
        matrix.column = static_cast<std::ptrdiff_t>(x.axes[1].stride_bytes);
    }
    if (is_transposed) {
        std::swap(rows, columns);
        std::swap(matrix.row, matrix.column);
    }
    const std::size_t words = (rows + numbers_of_word(bits) - 1) / numbers_of_word(bits);
    if (y.axes[0].size != (columns + kPanel - 1) / kPanel || y.axes[1].size != words ||
        y.axes[2].size != kPanel) {
        throw nb::value_error("memory of another size");
    }
    const Released released;
    store(matrix, rows, columns, reinterpret_cast<std::uint32_t*>(y.data));
}

}  // namespace

void bind_weights(nb::module_& m) {
    m.def("store_weights", &store_of, "numbers"_a, "bits"_a, "is_signed"_a,
          "sizes_in_halves"_a.none(), "is_transposed"_a, "out"_a);
    m.def("dequantize_blocks_step", &blocks_step, "x"_a, "scale"_a, "zero_point"_a.none(), "out"_a);
    nb::class_<ProductStep, Step>(m, "StoredProductStep")
        .def(nb::init<const PlaceText&, const PlaceText&, const PlaceText&,
                      const std::optional<PlaceText>&, std::uint32_t, unsigned, std::size_t,
                      const PlaceText&>(),
             "a"_a, "numbers"_a, "scales"_a, "zeros"_a.none(), "zero"_a, "bits"_a, "block"_a,
             "out"_a);
}

}  // namespace weights
}  // namespace indirectml
