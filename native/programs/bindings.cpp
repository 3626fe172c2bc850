// No logic: what a program and its memory have to be is checked, so that nothing crashes; Python
// explains what is not taken.
#include "bindings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "../kept.h"
#include "../places.h"
#include "../step_bindings.h"
#include "program.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {
namespace programs {

namespace {

using Name = std::string;
using Objects = nb::typed<nb::sequence, nb::object>;
using InstructionText = std::tuple<Name, Name, Name, std::vector<int>>;

Type type_of(const Name& name) {
    Type type;
    if (!find_type(name.c_str(), &type)) throw nb::type_error(("no type " + name).c_str());
    return type;
}

std::shared_ptr<const Program> made(const std::vector<Name>& inputs,
                                    const std::vector<std::pair<Name, std::uint64_t>>& constants,
                                    const std::vector<InstructionText>& instructions,
                                    const std::vector<int>& outputs) {
    auto program = std::make_shared<Program>();
    for (const Name& name : inputs) program->inputs.push_back(type_of(name));
    for (const auto& [name, bits] : constants) program->constants.push_back({type_of(name), bits});
    for (const auto& [name, from, to, sources] : instructions) {
        Instruction i{};
        if (!find_instruction(name.c_str(), &i)) {
            throw nb::value_error(("no instruction " + name).c_str());
        }
        if (static_cast<int>(sources.size()) != i.source_count) {
            throw nb::value_error("another number of sources");
        }
        i.from = type_of(from);
        i.to = type_of(to);
        std::copy(sources.begin(), sources.end(), i.sources);
        program->instructions.push_back(i);
    }
    program->outputs = outputs;
    if (const char* mistake = program->finish()) throw nb::value_error(mistake);
    return program;
}

void run_released(const Program& program, const Task& task, std::uint64_t count,
                  const Policy& policy) {
    if (program.nanoseconds * static_cast<double>(count) < kReleaseNanoseconds) {
        return run(program, task, policy);
    }
    const Released released;
    run(program, task, policy);
}

// A program over ranges of the buffers of a plan.
class ProgramStep : public Step {
  public:
    using PlaceText = std::tuple<std::size_t, std::int64_t, std::vector<std::int64_t>>;
    ProgramStep(const OpenProgram& open, std::vector<std::uint64_t> sizes,
                const std::vector<PlaceText>& given)
        : program_(open.program), sizes_(std::move(sizes)) {
        if (given.size() != open.operands()) throw nb::value_error("another number of places");
        if (sizes_.size() > kMaxRank) throw nb::value_error("too many dimensions");
        double count = 1;
        for (const std::uint64_t size : sizes_) count *= static_cast<double>(size);
        nanoseconds = kNanosecondsOfStep + program_->nanoseconds * count;
        for (const auto& [buffer, offset, strides] : given) {
            const std::size_t bytes = bytes_of(open.type_of_operand(places_.size()));
            add_reach(*this, buffer, offset, static_cast<std::int64_t>(bytes), sizes_, strides,
                      places_.size() >= program_->inputs.size());
            for (const std::int64_t stride : strides) is_backward_ = is_backward_ || stride < 0;
            places_.push_back({buffer, offset, strides});
        }
    }

    // What is the same for all rows is read once and for all then.
    std::unique_ptr<const Step> with_constants(unsigned char* const* kept) const override {
        for (std::size_t n = 0; n < program_->inputs.size(); ++n) {
            if (repeats(places_[n]) && !kept[places_[n].buffer]) return nullptr;
        }
        std::unique_ptr<ProgramStep> made(new ProgramStep(*this));
        made->ready_ = std::make_shared<Kept<Ready>>();
        return made;
    }

    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        run_part(memories, policy, sizes_, 0, 0);
        return true;
    }

    // Rows are equal parts of the first axis that is longer than 1.
    bool cut(unsigned char* const* memories, std::uint64_t rows,
             std::vector<Rows>& touched) const override {
        const std::size_t axis = first_axis();
        if (is_backward_ || axis == sizes_.size()) return false;
        if (sizes_[axis] == 0 || sizes_[axis] % rows != 0) return false;
        const auto each = static_cast<std::int64_t>(sizes_[axis] / rows);
        for (std::size_t n = 0; n < places_.size(); ++n) {
            const Place& place = places_[n];
            const std::int64_t stride = place.strides[axis];
            const std::int64_t bytes =
                reaches[n].end - place.offset - stride * (static_cast<std::int64_t>(sizes_[axis]) - each);
            touched.push_back({memories[place.buffer] + place.offset, each * stride,
                               static_cast<std::size_t>(bytes), reaches[n].is_written});
        }
        return true;
    }
    void run_rows(unsigned char* const* memories, const void*, const Policy& policy,
                  std::uint64_t rows, Share share) const override {
        const std::size_t axis = first_axis();
        const std::uint64_t each = sizes_[axis] / rows;
        std::vector<std::uint64_t> sizes = sizes_;
        sizes[axis] = each * (share.end - share.begin);
        run_part(memories, policy, sizes, axis, static_cast<std::int64_t>(each * share.begin));
    }

    std::unique_ptr<RowRunner> row_runner(unsigned char* const* memories, const Policy& policy,
                                          std::uint64_t rows) const override {
        std::uint64_t count = 1;
        for (const std::uint64_t size : sizes_) count *= size;
        // What a strip writes, others read soon.
        Policy cached = policy;
        cached.streaming_bytes = ~std::uint64_t{0};
        const std::vector<Operand> operands = operands_in(memories, 0, 0);
        const auto make = [&] {
            const Task task{static_cast<int>(sizes_.size()), sizes_.data(), operands.data()};
            return std::make_unique<Ready>(*program_, task, operands, cached);
        };
        const auto fits = [&](const Ready& ready) { return ready.fits(operands, cached); };
        return std::make_unique<ProgramRows>(ready_.get(), fits, make, count / rows);
    }

  private:
    // A program over operands that lie there.
    struct Ready {
        Ready(const Program& program, const Task& task, const std::vector<Operand>& operands, const Policy& policy)
            : target(policy.target), repeated(program, task, policy) {
            for (const Operand& operand : operands) data.push_back(operand.data);
        }
        bool fits(const std::vector<Operand>& operands, const Policy& policy) const {
            const auto lies_there = [](const unsigned char* there, const Operand& operand) {
                return operand.data == there;
            };
            return policy.target == target && std::equal(data.begin(), data.end(), operands.begin(), lies_there);
        }

        const Target* target;
        std::vector<const unsigned char*> data;
        Repeated repeated;
    };

    class ProgramRows : public RowRunner {
      public:
        template <typename Fits, typename Make>
        ProgramRows(Kept<Ready>* kept, const Fits& fits, const Make& make, std::uint64_t each)
            : ready_(kept, fits, make), each_(each) {}
        void run(Share rows) override { ready_->repeated.run(each_ * rows.begin, each_ * rows.end); }

      private:
        const Kept<Ready>::Taken ready_;
        const std::uint64_t each_;  // elements of a row
    };

    std::size_t first_axis() const {
        std::size_t axis = 0;
        while (axis < sizes_.size() && sizes_[axis] == 1) ++axis;
        return axis;
    }

    // From an index of an axis on.
    void run_part(unsigned char* const* memories, const Policy& policy,
                  const std::vector<std::uint64_t>& sizes, std::size_t axis, std::int64_t from) const {
        const std::vector<Operand> operands = operands_in(memories, axis, from);
        const Task task{static_cast<int>(sizes.size()), sizes.data(), operands.data()};
        programs::run(*program_, task, policy);
    }

    std::vector<Operand> operands_in(unsigned char* const* memories, std::size_t axis,
                                     std::int64_t from) const {
        std::vector<Operand> operands;
        operands.reserve(places_.size());
        for (const Place& place : places_) {
            const std::int64_t begin = from == 0 ? 0 : from * place.strides[axis];
            operands.push_back({memories[place.buffer] + place.offset + begin, place.strides.data()});
        }
        return operands;
    }

    struct Place {
        std::size_t buffer;
        std::int64_t offset;
        std::vector<std::int64_t> strides;  // in bytes
    };
    // Whether elements are those of other indices, too.
    bool repeats(const Place& place) const {
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            if (place.strides[k] == 0 && sizes_[k] != 1) return true;
        }
        return false;
    }

    // What a step takes besides its elements.
    static constexpr double kNanosecondsOfStep = 200;

    std::shared_ptr<const Program> program_;
    std::vector<std::uint64_t> sizes_;
    std::vector<Place> places_;
    bool is_backward_ = false;  // along an axis of a place
    std::shared_ptr<Kept<Ready>> ready_;  // or null, where that would be something else in each call
};

}  // namespace

void OpenProgram::run_arrays(const Objects& arrays, const Policy& policy) const {
    const std::size_t count = operands();
    if (nb::len(arrays) != count) throw nb::value_error("another number of arrays");
    const std::size_t inputs = program->inputs.size();
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (std::size_t n = 0; n < count; ++n) {
        const nb::object array = arrays[n];
        buffers.emplace_back(new Buffer(array, n < inputs ? PyBUF_RECORDS_RO : PyBUF_RECORDS));
        if (static_cast<std::size_t>(buffers[n]->item_bytes()) != bytes_of(type_of_operand(n))) {
            throw nb::type_error("elements of another width");
        }
    }
    const View first = buffers[inputs]->view({32, 24});
    std::uint64_t sizes[kMaxRank], elements = 1;
    for (int k = 0; k < first.rank; ++k) elements *= sizes[k] = first.axes[k].size;
    std::vector<std::int64_t> strides(count * kMaxRank, 0);
    std::vector<Operand> operands(count);
    for (std::size_t n = 0; n < count; ++n) {
        const View view = buffers[n]->view({32, 24});
        operands[n] = {view.data, strides.data() + n * kMaxRank};
        if (view.rank != first.rank) throw nb::value_error("another number of dimensions");
        for (int k = 0; k < first.rank; ++k) {
            const Axis axis = view.axes[k];
            if (axis.size == 1 && n < inputs) continue;
            if (axis.size != sizes[k]) throw nb::value_error("sizes other than the output's");
            strides[n * kMaxRank + static_cast<std::size_t>(k)] = axis.stride_bytes;
        }
    }
    run_released(*program, {first.rank, sizes, operands.data()}, elements, policy);
}

void bind_programs(nb::module_& m) {
    nb::class_<OpenProgram>(m, "Program")
        .def(
            "__init__",
            [](OpenProgram* self, const std::vector<Name>& inputs,
               const std::vector<std::pair<Name, std::uint64_t>>& constants,
               const std::vector<InstructionText>& instructions, const std::vector<int>& outputs) {
                new (self) OpenProgram{made(inputs, constants, instructions, outputs)};
            },
            "inputs"_a, "constants"_a, "instructions"_a, "outputs"_a)
        .def("run", &OpenProgram::run_arrays, "arrays"_a, "policy"_a);
    nb::class_<ProgramStep, Step>(m, "ProgramStep")
        .def(nb::init<const OpenProgram&, std::vector<std::uint64_t>,
                      const std::vector<ProgramStep::PlaceText>&>(),
             "program"_a, "sizes"_a, "places"_a);
}

}  // namespace programs
}  // namespace indirectml
