// No logic: that views fit each other is checked, so that nothing crashes.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "../places.h"
#include "../programs/bindings.h"
#include "../step_bindings.h"
#include "recurrence.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {
namespace recurrence {

namespace {

using programs::OpenProgram;

constexpr std::size_t kInputs = 7;
enum Input : std::size_t { kProducts, kWeights, kBiases, kPeepholeRows, kHidden, kMemory, kLengths };

// First gate, last gate and one more, program, and what its inputs are.
using PartText =
    std::tuple<std::size_t, std::size_t, OpenProgram, std::vector<std::pair<int, std::size_t>>>;

void need(bool is_met, const char* what) {
    if (!is_met) throw nb::value_error(what);
}

class RecurrenceStep : public Step {
  public:
    RecurrenceStep(const std::vector<std::optional<PlaceText>>& inputs,
                   std::optional<std::size_t> panel_columns, const std::vector<PlaceText>& results,
                   const PlaceText& temporary, const std::pair<std::size_t, std::size_t>& counts,
                   const std::vector<std::vector<PartText>>& cells,
                   const std::vector<bool>& are_backward)
        : memory_(temporary, true, *this), is_in_panels_(panel_columns.has_value()) {
        need(inputs.size() == kInputs && inputs[kProducts] && inputs[kWeights], "another number of inputs");
        need(!results.empty() && results.size() - 1 <= kMostStates, "another number of results");
        for (const auto& input : inputs) {
            inputs_.emplace_back();
            if (input) inputs_.back().emplace(*input, false, *this);
        }
        for (const PlaceText& result : results) results_.emplace_back(result, true, *this);
        set_sizes(counts, cells.size());
        need(cells.size() == are_backward.size(), "another number of directions");
        double elements = 0;
        for (std::size_t d = 0; d < cells.size(); ++d) {
            task_.cells.push_back({{}, are_backward[d]});
            for (const PartText& part : cells[d]) {
                add(part, task_.cells.back(), &part == &cells[d].back());
                elements += programs_.back()->nanoseconds;
            }
            need(!task_.cells.back().parts.empty(), "a cell without parts");
        }
        check_places(panel_columns);
        const auto rows = static_cast<double>(task_.steps * task_.batch * task_.units);
        const auto depth = static_cast<double>(task_.units * task_.gates * cells.size());
        nanoseconds = kNanosecondsOfStep + rows * (elements + depth / kProductsPerNanosecond);
    }

    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        for (const Place& result : results_) {
            if (!result.is_aligned(memories)) return false;
            for (const auto& input : inputs_) {
                if (input && may_meet(*input, result, memories)) return false;
            }
        }
        for (const auto& input : inputs_) {
            if (input && !input->is_aligned(memories)) return false;
        }
        Operands o{};
        const Place& products = *inputs_[kProducts];
        o.products = reinterpret_cast<const float*>(products.in(memories));
        const auto floats = [](std::int64_t bytes) { return static_cast<std::ptrdiff_t>(bytes / 4); };
        o.product_step = floats(products.axes[0].stride_bytes);
        o.product_row = floats(products.axes[1].stride_bytes);
        o.product_direction = floats(products.axes[2].stride_bytes);
        const auto strided = [&](const std::optional<Place>& place, bool& is_half) {
            if (!place) return Strided{};
            is_half = place->item_bytes == 2;
            return strided_of(*place, memories);
        };
        o.weights = strided(inputs_[kWeights], o.weights_are_half);
        o.weights_are_in_panels = is_in_panels_;
        o.biases = strided(inputs_[kBiases], o.biases_are_half);
        o.peepholes = strided(inputs_[kPeepholeRows], o.peepholes_are_half);
        o.starts[0] = strided(inputs_[kHidden], o.starts_are_half[0]);
        o.starts[1] = strided(inputs_[kMemory], o.starts_are_half[1]);
        if (inputs_[kLengths]) o.lengths = strided_of(*inputs_[kLengths], memories);
        o.of_steps = strided_of(results_[0], memories);
        o.step = static_cast<std::ptrdiff_t>(results_[0].axes[0].stride_bytes);
        for (std::size_t n = 1; n < results_.size(); ++n) {
            o.lasts[n - 1] = strided_of(results_[n], memories);
        }
        o.memory = memory_.in(memories);
        recurrence::run(task_, o, policy);
        return true;
    }

  private:
    // The last axes are directions, rows and units, as far as there are so many.
    static Strided strided_of(const Place& place, unsigned char* const* memories) {
        const std::size_t rank = place.axes.size();
        const auto stride = [&](std::size_t from_end) {
            return rank < from_end ? std::ptrdiff_t{0}
                                   : static_cast<std::ptrdiff_t>(place.axes[rank - from_end].stride_bytes);
        };
        if (rank == 2) return {place.in(memories), stride(2), 0, stride(1)};
        return {place.in(memories), stride(3), stride(2), stride(1)};
    }

    static bool has_sizes(const Place& place, std::initializer_list<std::size_t> sizes) {
        std::size_t k = 0;
        for (const std::size_t size : sizes) {
            if (k >= place.axes.size() || place.axes[k++].size != size) return false;
        }
        return k == place.axes.size();
    }

    void set_sizes(const std::pair<std::size_t, std::size_t>& counts, std::size_t directions) {
        const Place& products = *inputs_[kProducts];
        need(products.axes.size() == 4 && counts.first > 0, "products of other sizes");
        task_.steps = products.axes[0].size;
        task_.batch = products.axes[1].size;
        task_.gates = counts.first;
        task_.units = products.axes[3].size / counts.first;
        task_.biases = counts.second;
        task_.states = results_.size() - 1;
        need(task_.steps > 0 && task_.batch > 0 && task_.units > 0 && task_.states > 0, "no elements");
        need(has_sizes(products, {task_.steps, task_.batch, directions, task_.gates * task_.units}) &&
                 products.axes[3].stride_bytes == 4,
             "products of other sizes");
    }

    void check_places(std::optional<std::size_t> panel_columns) const {
        const std::size_t directions = task_.cells.size(), units = task_.units;
        const std::size_t columns = task_.gates * units;
        const auto floats = [](const Place& place) {
            need(place.type.format.precision != 0 && place.item_bytes <= 4, "no FLOAT32 or FLOAT16");
        };
        const auto fits = [&](Input which, std::initializer_list<std::size_t> sizes) {
            if (!inputs_[which]) return;
            need(has_sizes(*inputs_[which], sizes), "an input of other sizes");
            if (which != kLengths) floats(*inputs_[which]);
        };
        fits(kProducts, {task_.steps, task_.batch, directions, columns});
        need(inputs_[kProducts]->item_bytes == 4, "no FLOAT32");
        if (panel_columns) {
            constexpr std::size_t kColumnsOfPanel = 16;
            const std::size_t panels = (columns + kColumnsOfPanel - 1) / kColumnsOfPanel;
            need(*panel_columns == columns && inputs_[kWeights]->is_packed() &&
                     inputs_[kWeights]->count() == directions * panels * units * kColumnsOfPanel,
                 "other panels");
            floats(*inputs_[kWeights]);
        } else {
            fits(kWeights, {directions, units, columns});
        }
        fits(kBiases, {directions, task_.biases * units});
        fits(kPeepholeRows, {directions, kPeepholes * units});
        fits(kHidden, {directions, task_.batch, units});
        fits(kMemory, {directions, task_.batch, units});
        fits(kLengths, {task_.batch});
        if (inputs_[kLengths]) need(inputs_[kLengths]->item_bytes == 4, "lengths of another type");
        for (std::size_t n = 0; n < results_.size(); ++n) {
            const std::size_t first = n == 0 ? task_.steps : 1;
            
            need(has_sizes(results_[n], {first, directions, task_.batch, units}), "a result of other sizes");
            floats(results_[n]);
            need(results_[n].item_bytes == 4, "no FLOAT32");
        }
        const std::size_t bytes =
            bytes_of(directions, task_.batch, units, task_.gates, task_.states, task_.biases,
                     task_.handed());
        need(memory_.item_bytes == 1 && memory_.is_packed() && memory_.count() >= bytes,
             "memory is too small");
    }

    void add(const PartText& text, Cell& cell, bool is_last) {
        const auto& [first, end, open, sources] = text;
        const programs::Program& program = *open.program;
        need(first < end && end <= task_.gates, "no such gates");
        need(sources.size() == program.inputs.size(), "another number of sources");
        need(program.outputs.size() == (is_last ? task_.states + 1 : program.outputs.size()),
             "another number of states");
        const std::size_t handed =
            cell.parts.empty() ? 0 : cell.parts.back().program->outputs.size();
        const std::size_t most[] = {task_.gates, end - first, inputs_[kBiases] ? task_.biases : 0,
                                    inputs_[kPeepholeRows] ? kPeepholes : 0, task_.states, handed,
                                    inputs_[kLengths] ? std::size_t{1} : std::size_t{0}};
        Part part{&program, {}, first, end};
        for (std::size_t n = 0; n < sources.size(); ++n) {
            const auto [kind, place] = sources[n];
            need(kind >= 0 && kind <= static_cast<int>(Kind::kRunning), "no such source");
            need(place < most[kind], "no such source");
            const bool is_truth = static_cast<Kind>(kind) == Kind::kRunning;
            need(program.inputs[n] == (is_truth ? programs::Type::kUInt8 : programs::Type::kFloat32),
                 "a source of another type");
            part.sources.push_back({static_cast<Kind>(kind), place});
        }
        for (const int output : program.outputs) {
            need(program.types[static_cast<std::size_t>(output)] == programs::Type::kFloat32 ||
                     program.types[static_cast<std::size_t>(output)] == programs::Type::kUInt32,
                 "a result of another type");
        }
        programs_.push_back(open.program);
        cell.parts.push_back(part);
    }

    // What a step takes besides, and how many products a nanosecond is enough for, roughly.
    static constexpr double kNanosecondsOfStep = 1000, kProductsPerNanosecond = 50;

    std::vector<std::optional<Place>> inputs_;
    std::vector<Place> results_;
    const Place memory_;
    const bool is_in_panels_;
    std::vector<std::shared_ptr<const programs::Program>> programs_;
    Recurrence task_;
};

}  // namespace

void bind_recurrence(nb::module_& m) {
    m.def("recurrence_bytes", &bytes_of, "directions"_a, "batch"_a, "units"_a, "gates"_a, "states"_a,
          "biases"_a, "handed"_a);
    nb::class_<RecurrenceStep, Step>(m, "RecurrenceStep")
        .def(nb::init<const std::vector<std::optional<PlaceText>>&, std::optional<std::size_t>,
                      const std::vector<PlaceText>&, const PlaceText&,
                      const std::pair<std::size_t, std::size_t>&,
                      const std::vector<std::vector<PartText>>&, const std::vector<bool>&>(),
             "inputs"_a, "panel_columns"_a.none(), "results"_a, "temporary"_a, "counts"_a,
             "cells"_a, "are_backward"_a);
}

}  // namespace recurrence
}  // namespace indirectml
