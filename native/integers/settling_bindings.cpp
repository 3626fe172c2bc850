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

using Three = std::tuple<std::size_t, std::size_t, std::size_t>;
// Filter sizes, strides, dilations and padding before.
using Windows = std::tuple<Three, Three, Three, Three>;

// Along one spatial dimension.
template <std::size_t kAxis>
Reading1D reading_of(const Windows& windows, std::size_t input, std::size_t output) {
    const auto& [taps, strides, dilations, padding] = windows;
    return {std::get<kAxis>(taps), std::get<kAxis>(strides), std::get<kAxis>(dilations), input, output,
            static_cast<std::ptrdiff_t>(std::get<kAxis>(padding))};
}

class SettlingStep : public Step {
  public:
    SettlingStep(const PlaceText& a, const PlaceText& panels, std::size_t columns, const PlaceText& sums,
                 const PlaceText& a_scale, const std::optional<PlaceText>& a_zero, const PlaceText& b_scale,
                 const std::optional<PlaceText>& b_zero, const std::optional<PlaceText>& bias, const PlaceText& scale,
                 const std::optional<PlaceText>& zero, float least, float most, const PlaceText& out,
                 const std::optional<Windows>& windows)
        : a_(a, *this), panels_(panels, *this), sums_(sums, false, *this), out_(out, true, *this),
          a_scale_(a_scale, 1, *this), b_scale_(b_scale, columns, *this), scale_(scale, 1, *this),
          a_zero_(a_zero, 0, 1, *this), b_zeros_(b_zero, 0, columns, *this), zero_(zero, 0, 1, *this) {
        if (windows) {
            set_pixels(*windows);
        } else {
            set_matrix();
        }
        if (bias) bias_.emplace(*bias, columns, *this);
        if (bias && bias_->count() != columns) throw nb::value_error("another bias");
        Settling& t = task_;
        if (sums_.item_bytes != 4 || out_.item_bytes != 1 || t.columns != columns || t.depth().size() == 0 ||
            static_cast<std::size_t>(panels_.count()) != bytes_of_panels() || !panels_.is_packed()) {
            throw nb::value_error("other sums, results or panels");
        }
        t.b_type = panels_.operand_type;
        t.b_scale_step = b_scale_.step();
        t.least = least;
        t.most = most;
        t.is_signed = out_.type.is_signed;
        nanoseconds = kNanosecondsOfStep +
                      kNanosecondsOfResult * static_cast<double>(t.row_count()) * static_cast<double>(columns);
    }
    std::unique_ptr<const Step> with_constants(unsigned char* const* kept) const override {
        if (!kept[panels_.buffer] || !b_zeros_.is_kept(kept)) return nullptr;
        std::unique_ptr<SettlingStep> made(new SettlingStep(*this));
        Settling task = task_;
        Memory memory;
        if (!b_zeros_.set(kept, panels_, memory.of_columns, task.b_zero)) return nullptr;
        made->norms_ = norms_of_columns(units(kept), task.depth(), task.columns, task.b_type, task.b_zero);
        const bool are_kept = kept[a_scale_.buffer] && kept[b_scale_.buffer] && kept[scale_.buffer] &&
                              a_zero_.is_kept(kept) && zero_.is_kept(kept) && (!bias_ || kept[bias_->buffer]);
        if (are_kept && made->set_constants(kept, panels_, task, memory)) made->columns_ = columns_of(task);
        return made;
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        Settling task;
        Memory memory;
        if (!set(memories, task, memory)) return false;
        settle(task, policy);
        return true;
    }

    // Rows of a matrix, or those of all images, where they are at the same distance from each other.
    std::uint64_t rows() const override { return lines(); }
    bool cut(unsigned char* const* memories, std::uint64_t rows_asked, std::vector<Rows>& touched) const override {
        Settling task;
        Memory memory;
        if (rows_asked == 0 || rows_asked != lines() || !set(memories, task, memory)) return false;
        const indirectml::Place* const read[] = {&a_, &panels_, &a_scale_, &b_scale_, &scale_};
        for (const indirectml::Place* place : read) touched.push_back(all_of(*place, memories));
        if (bias_) touched.push_back(all_of(*bias_, memories));
        for (const Zeros* zeros : {&a_zero_, &b_zeros_, &zero_}) zeros->touch(memories, touched);
        for (const indirectml::Place* place : {&sums_, &out_}) touched.push_back(line_of(*place, memories));
        return !(a_.is_backward || panels_.is_backward || sums_.is_backward || out_.is_backward);
    }
    void run_rows(unsigned char* const* memories, const void*, const Policy& policy, std::uint64_t rows,
                  Share share) const override {
        row_runner(memories, policy, rows)->run(share);
    }
    std::unique_ptr<RowRunner> row_runner(unsigned char* const* memories, const Policy& policy,
                                          std::uint64_t) const override {
        return std::make_unique<Runner>(*this, memories, policy);
    }

  private:
    // What zero points are read from that kernels cannot read where they are.
    struct Memory {
        std::vector<std::int32_t> one, of_columns;
    };
    class Runner : public RowRunner {
      public:
        Runner(const SettlingStep& step, unsigned char* const* memories, const Policy& policy)
            : settler_(set(step, memories, memory_), policy) {}
        void run(Share rows) override { settler_.run(rows); }

      private:
        static Settling set(const SettlingStep& step, unsigned char* const* memories, Memory& memory) {
            Settling task;
            step.set(memories, task, memory);  // as `cut` found that it can be
            return task;
        }
        Memory memory_;
        RowSettler settler_;
    };

    bool set(unsigned char* const* memories, Settling& task, Memory& memory) const {
        const indirectml::Place* const read[] = {&a_, &panels_, &sums_, &a_scale_, &b_scale_, &scale_};
        for (const indirectml::Place* place : read) {
            if (!place->is_aligned(memories) || may_meet(*place, out_, memories)) return false;
        }
        if (bias_ && (!bias_->is_aligned(memories) || may_meet(*bias_, out_, memories))) return false;
        task = task_;
        if (!set_constants(memories, out_, task, memory)) return false;
        task.a.data = a_.in(memories);
        task.sums = sums_.in(memories);
        task.out = out_.in(memories);
        return can_settle(task);
    }
    // What may be the same in each call; `out` is written meanwhile.
    bool set_constants(unsigned char* const* memories, const indirectml::Place& out, Settling& task,
                       Memory& memory) const {
        ZeroPoints a_zero, zero;
        if (!a_zero_.set(memories, out, memory.one, a_zero)) return false;
        task.a_zero = zero_of(a_zero, 0);
        if (!zero_.set(memories, out, memory.one, zero)) return false;
        task.zero = zero_of(zero, 0);
        if (!b_zeros_.set(memories, out, memory.of_columns, task.b_zero)) return false;
        task.a_scale = *a_scale_.at(memories);
        task.panels = units(memories);
        task.b_scales = b_scale_.at(memories);
        task.column_norms = norms_.empty() ? nullptr : norms_.data();
        task.known = columns_.get();
        task.bias = bias_ ? bias_->at(memories) : nullptr;
        task.scale = *scale_.at(memories);
        return true;
    }

    // How many rows there are, if they are at the same distance from each other; else 0.
    std::uint64_t lines() const {
        const auto rows = static_cast<std::ptrdiff_t>(task_.rows.output);
        if (task_.row_count() == 0) return 0;
        for (const Results& results : {task_.sums_at, task_.out_at}) {
            if (task_.images != 1 && results.image != rows * results.row) return 0;
        }
        return task_.images * task_.rows.output;
    }
    static Rows all_of(const indirectml::Place& place, unsigned char* const* memories) {
        return {place.in(memories), 0, place.reach_bytes(), false};
    }
    Rows line_of(const indirectml::Place& place, unsigned char* const* memories) const {
        const bool is_written = &place == &out_;
        const Results& at = is_written ? task_.out_at : task_.sums_at;
        const auto columns = static_cast<std::ptrdiff_t>(task_.columns) - 1;
        const auto pixels = static_cast<std::ptrdiff_t>(task_.pixels.output) - 1;
        const std::ptrdiff_t bytes = columns * at.column + pixels * at.pixel + place.item_bytes;
        return {place.in(memories), at.row, static_cast<std::size_t>(bytes), is_written};
    }

    static std::ptrdiff_t stride(const Axis& axis) { return static_cast<std::ptrdiff_t>(axis.stride_bytes); }

    void set_matrix() {
        const std::size_t rank = out_.axes.size();
        if (rank < 2 || a_.axes.size() != rank || sums_.axes.size() != rank) throw nb::value_error("no matrices");
        for (std::size_t k = 0; k + 2 < rank; ++k) {
            if (out_.axes[k].size != 1) throw nb::value_error("several matrices");
        }
        const Axis &row = a_.axes[rank - 2], &k = a_.axes[rank - 1];
        task_.columns = out_.axes[rank - 1].size;
        for (const indirectml::Place* place : {&sums_, &out_}) {
            if (place->axes[rank - 2].size != row.size || place->axes[rank - 1].size != task_.columns) {
                throw nb::value_error("results of other sizes");
            }
        }
        set_rows(row.size, task_);
        task_.channels = k.size;
        task_.a = {nullptr, a_.operand_type, 0, stride(k), {0, stride(row), 0}};
        const auto results = [&](const indirectml::Place& place) {
            return Results{0, stride(place.axes[rank - 2]), 0, stride(place.axes[rank - 1])};
        };
        task_.sums_at = results(sums_);
        task_.out_at = results(out_);
    }
    // Of images with two spatial dimensions, before which there is one of size 1.
    void set_pixels(const Windows& windows) {
        constexpr std::size_t kRank = 5;
        for (const indirectml::Place* place : {static_cast<const indirectml::Place*>(&a_), &sums_, &out_}) {
            if (place->axes.size() != kRank || place->axes[2].size != 1) throw nb::value_error("no such images");
            if (place->axes[0].size != out_.axes[0].size) throw nb::value_error("another number of images");
        }
        for (std::size_t k = 1; k < kRank; ++k) {
            if (sums_.axes[k].size != out_.axes[k].size) throw nb::value_error("results of other sizes");
        }
        task_.images = out_.axes[0].size;
        task_.columns = out_.axes[1].size;
        task_.channels = a_.axes[1].size;
        task_.rows = reading_of<1>(windows, a_.axes[3].size, out_.axes[3].size);
        task_.pixels = reading_of<2>(windows, a_.axes[4].size, out_.axes[4].size);
        for (const Reading1D* each : {&task_.rows, &task_.pixels}) {
            if (each->taps == 0 || each->stride == 0 || each->dilation == 0) throw nb::value_error("no windows");
        }
        task_.a = {nullptr, a_.operand_type, a_.stride(0), a_.stride(1), {0, a_.stride(3), a_.stride(4)}};
        const auto results = [&](const indirectml::Place& place) {
            return Results{stride(place.axes[0]), stride(place.axes[3]), stride(place.axes[4]), stride(place.axes[1])};
        };
        task_.sums_at = results(sums_);
        task_.out_at = results(out_);
    }
    // Those of a matrix and of filters lie alike.
    std::size_t bytes_of_panels() const {
        const Depth depth = task_.depth();
        return column_panels_bytes(depth.quads() * kQuad * depth.taps, task_.columns);
    }
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
    std::vector<float> norms_;  // of columns, if these are constants; and all of them, if scales are, too
    std::shared_ptr<const SettlingColumns> columns_;
};

}  // namespace

void bind_settling(nb::module_& m) {
    m.def("settles", [](const Policy& policy, bool of_pixels) {
        const Kernels& kernels = kernels_of(policy.target->name);
        return of_pixels ? kernels.settles_pixels : kernels.settles;
    }, "policy"_a, "of_pixels"_a);
    nb::class_<SettlingStep, Step>(m, "SettlingStep")
        .def(nb::init<const PlaceText&, const PlaceText&, std::size_t, const PlaceText&, const PlaceText&,
                      const std::optional<PlaceText>&, const PlaceText&, const std::optional<PlaceText>&,
                      const std::optional<PlaceText>&, const PlaceText&, const std::optional<PlaceText>&, float, float,
                      const PlaceText&, const std::optional<Windows>&>(),
             "a"_a, "panels"_a, "columns"_a, "sums"_a, "a_scale"_a, "a_zero"_a.none(), "b_scale"_a, "b_zero"_a.none(),
             "bias"_a.none(), "scale"_a, "zero"_a.none(), "least"_a, "most"_a, "out"_a,
             "windows"_a.none());
}

}  // namespace integers
}  // namespace indirectml
