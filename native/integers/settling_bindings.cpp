// No logic: that arrays fit each other is checked, so that nothing crashes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings.h"
#include "places.h"
#include "settling.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {
namespace integers {

namespace {

constexpr double kNanosecondsOfStep = 600, kNanosecondsOfResult = 0.5;

// Scales and a bias: one number, or one for each of so many columns, one behind the other.
struct FloatsPlace : indirectml::Place {
    FloatsPlace(const PlaceText& text, std::size_t columns, Step& step) : indirectml::Place(text, false, step) {
        if (type.format.precision != 24 || !is_packed() || (count() != 1 && count() != columns)) {
            throw nb::value_error("no FLOAT32, or another number of them");
        }
    }
    const float* at(unsigned char* const* memories) const { return reinterpret_cast<const float*>(in(memories)); }
    std::ptrdiff_t step() const { return count() == 1 ? 0 : 1; }
};

class SettlingStep : public Step {
  public:
    SettlingStep(const PlaceText& a, const PlaceText& panels, std::size_t columns, const PlaceText& sums,
                 const PlaceText& a_scale, const std::optional<PlaceText>& a_zero, const PlaceText& b_scale,
                 const std::optional<PlaceText>& b_zero, const std::optional<PlaceText>& bias, const PlaceText& scale,
                 const std::optional<PlaceText>& zero, float least, float most, const PlaceText& out)
        : a_(a, *this), panels_(panels, *this), sums_(sums, false, *this), out_(out, true, *this),
          a_scale_(a_scale, 1, *this), b_scale_(b_scale, columns, *this), scale_(scale, 1, *this),
          a_zero_(a_zero, 0, 1, *this), b_zeros_(b_zero, 0, columns, *this), zero_(zero, 0, 1, *this) {
        const std::size_t rank = out_.axes.size();
        if (rank < 2 || a_.axes.size() != rank || sums_.axes.size() != rank) throw nb::value_error("no matrices");
        for (std::size_t k = 0; k + 2 < rank; ++k) {
            if (out_.axes[k].size != 1) throw nb::value_error("several matrices");
        }
        const Axis &row = a_.axes[rank - 2], &k = a_.axes[rank - 1];
        for (const indirectml::Place* place : {&sums_, &out_}) {
            if (place->axes[rank - 2].size != row.size || place->axes[rank - 1].size != columns) {
                throw nb::value_error("results of other sizes");
            }
        }
        if (sums_.item_bytes != 4 || out_.item_bytes != 1 || k.size == 0 ||
            panels_.count() != column_panels_bytes(k.size, columns) || !panels_.is_packed()) {
            throw nb::value_error("other sums, results or panels");
        }
        if (bias) bias_.emplace(*bias, columns, *this);
        if (bias && bias_->count() != columns) throw nb::value_error("another bias");
        Settling& t = task_;
        t.rows = row.size;
        t.columns = columns;
        t.depth = k.size;
        t.a = {nullptr, a_.operand_type, stride(row), stride(k), {}};
        t.b_type = panels_.operand_type;
        t.b_scale_step = b_scale_.step();
        t.least = least;
        t.most = most;
        t.is_signed = out_.type.is_signed;
        t.sums_row = stride(sums_.axes[rank - 2]);
        t.sums_column = stride(sums_.axes[rank - 1]);
        t.out_row = stride(out_.axes[rank - 2]);
        t.out_column = stride(out_.axes[rank - 1]);
        nanoseconds = kNanosecondsOfStep +
                      kNanosecondsOfResult * static_cast<double>(t.rows) * static_cast<double>(columns);
    }
    std::unique_ptr<const Step> with_constants(unsigned char* const* kept) const override {
        std::vector<std::int32_t> memory;
        ZeroPoints zeros;
        if (!kept[panels_.buffer] || !b_zeros_.is_kept(kept)) return nullptr;
        if (!b_zeros_.set(kept, panels_, memory, zeros)) return nullptr;
        std::unique_ptr<SettlingStep> made(new SettlingStep(*this));
        made->norms_ = norms_of_columns(units(kept), task_.depth, task_.columns, task_.b_type, zeros);
        return made;
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        const indirectml::Place* const read[] = {&a_, &panels_, &sums_, &a_scale_, &b_scale_, &scale_};
        for (const indirectml::Place* place : read) {
            if (!place->is_aligned(memories) || may_meet(*place, out_, memories)) return false;
        }
        if (bias_ && (!bias_->is_aligned(memories) || may_meet(*bias_, out_, memories))) return false;
        Settling task = task_;
        std::vector<std::int32_t> memory, of_columns;
        ZeroPoints a_zero, zero;
        if (!a_zero_.set(memories, out_, memory, a_zero)) return false;
        task.a_zero = zero_of(a_zero, 0);
        if (!zero_.set(memories, out_, memory, zero)) return false;
        task.zero = zero_of(zero, 0);
        if (!b_zeros_.set(memories, out_, of_columns, task.b_zero)) return false;
        task.a.data = a_.in(memories);
        task.a_scale = *a_scale_.at(memories);
        task.panels = units(memories);
        task.b_scales = b_scale_.at(memories);
        task.column_norms = norms_.empty() ? nullptr : norms_.data();
        task.bias = bias_ ? bias_->at(memories) : nullptr;
        task.scale = *scale_.at(memories);
        task.sums = sums_.in(memories);
        task.out = out_.in(memories);
        settle(task, policy);
        return true;
    }

  private:
    static std::ptrdiff_t stride(const Axis& axis) { return static_cast<std::ptrdiff_t>(axis.stride_bytes); }
    // Behind the sums of all columns.
    const std::int32_t* units(unsigned char* const* memories) const {
        return reinterpret_cast<const std::int32_t*>(panels_.in(memories)) + panels_of(task_.columns) * kPanel;
    }

    const BytePlace a_, panels_;
    const indirectml::Place sums_, out_;
    const FloatsPlace a_scale_, b_scale_, scale_;
    const Zeros a_zero_, b_zeros_, zero_;
    std::optional<FloatsPlace> bias_;
    Settling task_{};
    std::vector<float> norms_;  // of columns, if these are constants
};

}  // namespace

void bind_settling(nb::module_& m) {
    m.def("settles", [](const Policy& policy) { return kernels_of(policy.target->name).settles; }, "policy"_a);
    nb::class_<SettlingStep, Step>(m, "SettlingStep")
        .def(nb::init<const PlaceText&, const PlaceText&, std::size_t, const PlaceText&, const PlaceText&,
                      const std::optional<PlaceText>&, const PlaceText&, const std::optional<PlaceText>&,
                      const std::optional<PlaceText>&, const PlaceText&, const std::optional<PlaceText>&, float, float,
                      const PlaceText&>(),
             "a"_a, "panels"_a, "columns"_a, "sums"_a, "a_scale"_a, "a_zero"_a.none(), "b_scale"_a, "b_zero"_a.none(),
             "bias"_a.none(), "scale"_a, "zero"_a.none(), "least"_a, "most"_a, "out"_a);
}

}  // namespace integers
}  // namespace indirectml
