// No logic: that views fit each other is checked, so that nothing crashes.
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

#include "../places.h"
#include "../programs/bindings.h"
#include "../step_bindings.h"
#include "attention.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {
namespace attention {

namespace {

using programs::OpenProgram;

// A program, and which of its inputs the score or share is.
using BetweenText = std::optional<std::tuple<OpenProgram, std::size_t>>;

void need(bool is_met, const char* what) {
    if (!is_met) throw nb::value_error(what);
}

bool is_half(const std::string& letter) {
    need(letter == "e" || letter == "f", "no FLOAT32 or FLOAT16");
    return letter == "e";
}

class AttentionStep : public Step {
  public:
    // Queries, keys and values; terms of `before`, then of `after`. `letters` are those of the data
    // types of what softmax reads, of what it writes, and of what values are multiplied by.
    AttentionStep(const std::vector<PlaceText>& operands, const std::vector<PlaceText>& terms,
                  const BetweenText& before, const BetweenText& after,
                  const std::vector<std::string>& letters, const PlaceText& out,
                  const PlaceText& temporary)
        : out_(out, true, *this), memory_(temporary, true, *this) {
        need(operands.size() == 3 && letters.size() == 3, "another number of arrays");
        for (const PlaceText& text : operands) operands_.emplace_back(text, false, *this);
        for (const PlaceText& text : terms) terms_.emplace_back(text, false, *this);
        const bool are_halves[] = {is_half(letters[0]), is_half(letters[1]), is_half(letters[2])};
        task_.score_type = are_halves[0] ? sums::Type::kHalf : sums::Type::kSingle;
        task_.share_type = are_halves[1] ? sums::Type::kHalf : sums::Type::kSingle;
        task_.weight_type = are_halves[2] ? OperandType::kFloat16 : OperandType::kFloat32;
        set_sizes();
        double each = 2 + static_cast<double>(task_.depth + task_.width) / kProductsPerNanosecond;
        std::size_t next = 0;
        each += add(before, 4, are_halves[0] ? 2 : 4, task_.before, next);
        each += add(after, are_halves[1] ? 2 : 4, are_halves[2] ? 2 : 4, task_.after, next);
        need(next == terms_.size(), "another number of terms");
        const Sizes sizes = task_.sizes();
        task_.nanoseconds = each * static_cast<double>(sizes.batch) *
                            static_cast<double>(sizes.rows) * static_cast<double>(sizes.positions);
        nanoseconds = kNanosecondsOfStep + task_.nanoseconds;
        need(memory_.item_bytes == 1 && memory_.is_packed() && memory_.count() >= bytes_of(sizes),
             "memory is too small");
    }

    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        const auto at = reinterpret_cast<std::uintptr_t>(out_.in(memories));
        if (at % 4 != 0) return false;
        Attention task = task_;
        task.queries.data = operands_[0].in(memories);
        task.keys.data = operands_[1].in(memories);
        task.values.data = operands_[2].in(memories);
        for (std::size_t n = 0; n < terms_.size(); ++n) task.terms[n].data = terms_[n].in(memories);
        for (const std::vector<Place>* places : {&operands_, &terms_}) {
            for (const Place& place : *places) {
                if (may_meet(place, out_, memories)) return false;
            }
        }
        task.out = out_.in(memories);
        task.memory = memory_.in(memories);
        attention::run(task, policy);
        return true;
    }

  private:
    static std::ptrdiff_t stride(const Axis& axis) {
        return axis.size == 1 ? 0 : static_cast<std::ptrdiff_t>(axis.stride_bytes);
    }

    // The last two axes are rows and columns; those before are the result's, or of size 1.
    void check(const Place& place, std::size_t rows, std::size_t columns) const {
        const std::size_t rank = out_.axes.size();
        need(place.axes.size() == rank, "another number of dimensions");
        for (std::size_t k = 0; k + 2 < rank; ++k) {
            need(place.axes[k].size == out_.axes[k].size || place.axes[k].size == 1, "other sizes");
        }
        need(place.axes[rank - 2].size == rows && place.axes[rank - 1].size == columns, "other sizes");
    }

    template <typename Stride>
    void set_batch(const Place& place, Stride* strides) const {
        for (int k = 0; k < task_.batch_axes; ++k) {
            strides[k] = stride(place.axes[static_cast<std::size_t>(k)]);
        }
    }

    Operand operand(const Place& place) const {
        Operand made{};
        need(place.type.format.precision == 24 || place.type.format.precision == 11,
             "no FLOAT32 or FLOAT16");
        made.type = place.item_bytes == 2 ? OperandType::kFloat16 : OperandType::kFloat32;
        made.row = static_cast<std::ptrdiff_t>(place.axes[place.axes.size() - 2].stride_bytes);
        made.column = static_cast<std::ptrdiff_t>(place.axes.back().stride_bytes);
        set_batch(place, made.batch);
        return made;
    }

    void set_sizes() {
        const std::size_t rank = out_.axes.size();
        need(rank >= 2 && rank - 2 <= static_cast<std::size_t>(kMostBatchAxes), "no matrices");
        need(operands_[0].axes.size() == rank && operands_[1].axes.size() == rank, "no matrices");
        task_.batch_axes = static_cast<int>(rank) - 2;
        for (std::size_t k = 0; k + 2 < rank; ++k) task_.batch_sizes[k] = out_.axes[k].size;
        task_.rows = out_.axes[rank - 2].size;
        task_.width = out_.axes[rank - 1].size;
        task_.depth = operands_[0].axes[rank - 1].size;
        task_.positions = operands_[1].axes[rank - 1].size;
        need(task_.depth > 0 && task_.positions > 0, "no elements");
        check(operands_[0], task_.rows, task_.depth);
        check(operands_[1], task_.depth, task_.positions);
        check(operands_[2], task_.positions, task_.width);
        task_.queries = operand(operands_[0]);
        task_.keys = operand(operands_[1]);
        task_.values = operand(operands_[2]);
        need(out_.type.format.precision == 24, "no FLOAT32");
        for (const Axis& axis : out_.axes) need(axis.stride_bytes % 4 == 0, "no FLOAT32");
        task_.out_row = static_cast<std::ptrdiff_t>(out_.axes[rank - 2].stride_bytes);
        task_.out_column = static_cast<std::ptrdiff_t>(out_.axes[rank - 1].stride_bytes);
        set_batch(out_, task_.out_batch);
        for (const Place& place : terms_) {
            need(place.axes.size() == rank, "another number of dimensions");
            const std::size_t rows = place.axes[rank - 2].size, columns = place.axes[rank - 1].size;
            need(rows == 1 || rows == task_.rows, "other sizes");
            need(columns == 1 || columns == task_.positions, "other sizes");
            check(place, rows, columns);
            Term term{};
            term.strides[0] = stride(place.axes[rank - 2]);
            term.strides[1] = stride(place.axes[rank - 1]);
            set_batch(place, term.batch);
            task_.terms.push_back(term);
        }
    }

    // Returns the nanoseconds of an element.
    double add(const BetweenText& text, std::size_t from_bytes, std::size_t to_bytes, Between& to,
               std::size_t& next) {
        if (!text) {
            need(from_bytes == to_bytes, "elements of another width");
            return 0;
        }
        const auto& [open, place] = *text;
        const programs::Program& program = *open.program;
        need(place < program.inputs.size() && program.outputs.size() == 1, "no such input");
        need(programs::bytes_of(program.inputs[place]) == from_bytes &&
                 programs::bytes_of(open.type_of_operand(program.inputs.size())) == to_bytes,
             "elements of another width");
        to = {&program, place, next};
        for (std::size_t n = 0; n < program.inputs.size(); ++n) {
            if (n == place) continue;
            need(next < terms_.size(), "another number of terms");
            need(static_cast<std::size_t>(terms_[next].item_bytes) ==
                     programs::bytes_of(program.inputs[n]),
                 "elements of another width");
            ++next;
        }
        programs_.push_back(open.program);
        return program.nanoseconds;
    }

    // What a step takes besides, and how many products a nanosecond is enough for, roughly.
    static constexpr double kNanosecondsOfStep = 500, kProductsPerNanosecond = 50;

    const Place out_, memory_;
    std::vector<Place> operands_, terms_;
    std::vector<std::shared_ptr<const programs::Program>> programs_;
    Attention task_{};
};

std::size_t bytes(std::size_t batch, std::size_t rows, std::size_t positions, std::size_t depth,
                  std::size_t width, std::size_t key_matrices, std::size_t value_matrices,
                  bool is_wide) {
    return bytes_of({batch, rows, positions, depth, width, key_matrices, value_matrices, is_wide});
}

}  // namespace

void bind_attention(nb::module_& m) {
    m.def("attention_bytes", &bytes, "batch"_a, "rows"_a, "positions"_a, "depth"_a, "width"_a,
          "key_matrices"_a, "value_matrices"_a, "is_wide"_a);
    nb::class_<AttentionStep, Step>(m, "AttentionStep")
        .def(nb::init<const std::vector<PlaceText>&, const std::vector<PlaceText>&,
                      const BetweenText&, const BetweenText&, const std::vector<std::string>&,
                      const PlaceText&, const PlaceText&>(),
             "operands"_a, "terms"_a, "before"_a.none(), "after"_a.none(), "letters"_a, "out"_a,
             "temporary"_a);
}

}  // namespace attention
}  // namespace indirectml
