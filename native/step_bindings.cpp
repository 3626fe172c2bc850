// No logic: that steps stay within their buffers is checked, so that nothing crashes.
#include "step_bindings.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "array_step.h"
#include "released.h"
#include "steps.h"
#include "team.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {

namespace {

// Contiguous bytes of a Python object, held for as long as this exists.
class Bytes {
  public:
    Bytes() = default;
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    ~Bytes() {
        if (is_open_) PyBuffer_Release(&buffer_);
    }
    unsigned char* open(nb::handle owner, bool is_written, std::int64_t end) {
        const int flags = is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE;
        if (PyObject_GetBuffer(owner.ptr(), &buffer_, flags) != 0) throw nb::python_error();
        is_open_ = true;
        if (end > buffer_.len) throw nb::value_error("memory is too small");
        return static_cast<unsigned char*>(buffer_.buf);
    }

  private:
    Py_buffer buffer_;
    bool is_open_ = false;
};

// Steps that follow each other, carried out in order any number of times. Buffers that are the same
// each time are opened once: of a hundred constants, that and to look for them again took longer than
// everything else that a call of a graph does beside its steps.
class StepList {
  public:
    StepList(const nb::typed<nb::list, Step>& steps,
             const nb::typed<nb::sequence, nb::object>& kept)
        : owners_(nb::steal<nb::tuple>(PyList_AsTuple(steps.ptr()))) {
        if (!owners_.is_valid()) throw nb::python_error();
        for (nb::handle owner : owners_) {
            steps_.push_back(nb::cast<const Step*>(owner));
            nanoseconds_ += steps_.back()->nanoseconds;
            for (const Reach& reach : steps_.back()->reaches) {
                if (reach.buffer >= needs_.size()) needs_.resize(reach.buffer + 1);
                Need& need = needs_[reach.buffer];
                need.end = std::max(need.end, reach.end);
                need.is_written = need.is_written || reach.is_written;
            }
        }
        kept_data_.resize(needs_.size(), nullptr);
        const std::size_t kept_count = nb::len(kept);
        for (std::size_t k = 0; k < needs_.size(); ++k) {
            if (needs_[k].end == 0) continue;
            const nb::object memory = k < kept_count ? nb::object(kept[k]) : nb::none();
            if (memory.is_none()) {
                given_.push_back(k);
            } else {
                kept_.push_back(std::make_unique<Bytes>());
                kept_data_[k] = kept_.back()->open(memory, needs_[k].is_written, needs_[k].end);
            }
        }
        for (const Step*& step : steps_) {
            std::unique_ptr<const Step> own = step->with_constants(kept_data_.data());
            if (!own) continue;
            step = own.get();
            own_.push_back(std::move(own));
        }
    }

    StepList(const StepList&) = delete;
    StepList& operator=(const StepList&) = delete;

    std::size_t run(const nb::typed<nb::sequence, nb::object>& memories, const Policy& policy,
                    std::size_t first) const {
        if (nb::len(memories) < needs_.size()) throw nb::value_error("no such buffer");
        const std::unique_ptr<Bytes[]> held(new Bytes[given_.size()]);
        std::vector<unsigned char*> data = kept_data_;
        Bytes* next = held.get();
        for (const std::size_t k : given_) {
            const nb::object memory = memories[k];
            data[k] = next++->open(memory, needs_[k].is_written, needs_[k].end);
        }
        if (nanoseconds_ < kReleaseNanoseconds) {
            return run_steps(steps_, first, data.data(), policy);
        }
        const Released released;
        return run_steps(steps_, first, data.data(), policy);
    }

  private:
    struct Need {
        std::int64_t end = 0;
        bool is_written = false;
    };
    nb::tuple owners_;  // keeps the steps; a list could be changed
    std::vector<std::unique_ptr<const Step>> own_;
    std::vector<const Step*> steps_;
    std::vector<Need> needs_;  // of each buffer
    std::vector<std::unique_ptr<Bytes>> kept_;
    std::vector<unsigned char*> kept_data_;  // of each buffer; null where it is given
    std::vector<std::size_t> given_;         // in each call
    double nanoseconds_ = 0;
};

// A fill, between other steps.
class FillStep : public Step {
  public:
    FillStep(const Sequence& sequence, const PlaceText& out)
        : sequence_(sequence), out_(out, true, *this) {
        std::int64_t bytes = 1;
        while (8 * bytes < sequence.format.bits) bytes *= 2;
        if (bytes != out_.item_bytes) throw nb::value_error("elements of another width");
        while (1 << log2_bytes_ < bytes) ++log2_bytes_;
        nanoseconds = 200 + 0.05 * static_cast<double>(bytes) * static_cast<double>(out_.count());
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        if (!out_.is_aligned(memories)) return false;
        fill({out_.in(memories), log2_bytes_, static_cast<int>(out_.axes.size()),
              out_.axes.data()},
             sequence_, 0, policy);
        return true;
    }

  private:
    const Sequence sequence_;
    const Place out_;
    int log2_bytes_ = 0;
};

// A shared crew, as a context manager: for what follows on the same thread.
class CrewContext {
  public:
    void enter() { crew_.emplace(); }
    void exit(nb::handle, nb::handle, nb::handle) { crew_.reset(); }

  private:
    std::optional<SharedCrew> crew_;
};

}  // namespace

void bind_steps(nb::module_& m) {
    nb::class_<CrewContext>(m, "Crew")
        .def(nb::init<>())
        .def("__enter__", &CrewContext::enter)
        .def("__exit__", &CrewContext::exit, "kind"_a.none(), "error"_a.none(),
             "traceback"_a.none());
    // Where memory begins: NumPy takes 2 us to tell that, on an Intel Emerald Rapids.
    m.def(
        "address",
        [](nb::handle memory) {
            Bytes bytes;
            return reinterpret_cast<std::uintptr_t>(bytes.open(memory, false, 0));
        },
        "memory"_a);
    nb::class_<Step>(m, "Step");
    nb::class_<ArrayStep, Step>(m, "ArrayStep");
    nb::class_<FillStep, Step>(m, "FillStep")
        .def(nb::init<const Sequence&, const PlaceText&>(), "sequence"_a, "out"_a);
    nb::class_<StepList>(m, "StepList")
        .def(nb::init<const nb::typed<nb::list, Step>&,
                      const nb::typed<nb::sequence, nb::object>&>(),
             "steps"_a, "kept"_a = nb::tuple())
        .def("run", &StepList::run, "memories"_a, "policy"_a, "first"_a);
}

}  // namespace indirectml
