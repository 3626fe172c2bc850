// No logic: that steps stay within their buffers is checked, so that nothing crashes.
#include "step_bindings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
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
        if (!opens(owner, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE)) throw nb::python_error();
        if (end > buffer_.len) throw nb::value_error("memory is too small");
        return data();
    }
    // False, and an error of Python, where the object has no such bytes.
    bool opens(nb::handle owner, int flags) {
        is_open_ = PyObject_GetBuffer(owner.ptr(), &buffer_, flags) == 0;
        return is_open_;
    }
    unsigned char* data() const { return static_cast<unsigned char*>(buffer_.buf); }
    bool has_sizes(const std::vector<Py_ssize_t>& sizes) const {
        return static_cast<std::size_t>(buffer_.ndim) == sizes.size() &&
               std::equal(sizes.begin(), sizes.end(), buffer_.shape);
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
        return run_on(data, policy, first);
    }

    std::size_t run_on(const std::vector<unsigned char*>& data, const Policy& policy, std::size_t first) const {
        if (nanoseconds_ < kReleaseNanoseconds) {
            return run_steps(steps_, first, data.data(), policy);
        }
        const Released released;
        return run_steps(steps_, first, data.data(), policy);
    }

    std::size_t size() const { return steps_.size(); }
    // Of each buffer where its bytes are, if that is the same each time; else null.
    const std::vector<unsigned char*>& kept_data() const { return kept_data_; }
    // Those that are given in each call.
    const std::vector<std::size_t>& given() const { return given_; }
    // How many bytes of a buffer steps reach; 0 of one that there is not.
    std::int64_t end_of(std::size_t buffer) const { return buffer < needs_.size() ? needs_[buffer].end : 0; }

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

// A call of a whole plan: arrays in, arrays out, as most calls are. What it is given that is not just as the
// plan takes it, it leaves to others.
class Call {
  public:
    // An array: its number among the plan's buffers, its dtype, and its sizes.
    using TensorText = std::tuple<std::size_t, nb::object, std::vector<Py_ssize_t>>;

    Call(nb::object steps, const std::vector<std::pair<nb::object, TensorText>>& inputs,
         const std::vector<TensorText>& outputs, std::size_t returned, std::size_t temporary)
        : owner_(std::move(steps)),
          steps_(*nb::cast<const StepList*>(owner_)),
          returned_(returned),
          temporary_(temporary) {
        const nb::module_ numpy = nb::module_::import_("numpy");
        array_ = numpy.attr("ndarray");
        empty_ = numpy.attr("empty");
        bytes_ = numpy.attr("dtype")("uint8");
        std::vector<bool> is_known(steps_.kept_data().size());
        const auto enter = [&](std::vector<Tensor>& tensors, const nb::object& key, const TensorText& text) {
            const auto& [buffer, dtype, sizes] = text;
            const auto item = nb::cast<Py_ssize_t>(dtype.attr("itemsize"));
            Py_ssize_t count = item;
            for (const Py_ssize_t size : sizes) count *= size;
            if (buffer < is_known.size()) is_known[buffer] = true;
            nb::list shape;
            for (const Py_ssize_t size : sizes) shape.append(size);
            tensors.push_back({key, buffer, dtype, sizes, nb::tuple(shape), static_cast<std::uintptr_t>(item),
                               count, steps_.end_of(buffer)});
        };
        for (const auto& [key, text] : inputs) enter(inputs_, key, text);
        for (const TensorText& text : outputs) enter(outputs_, nb::none(), text);
        if (temporary < is_known.size()) is_known[temporary] = true;
        for (const std::size_t k : steps_.given()) {
            if (!is_known[k]) throw nb::value_error("no such buffer");
        }
    }

    // From a dict with these keys and no others, or a tuple in their order; None, and nothing has happened
    // to what was given, where it is anything else. Nor is anything tried again once a step was refused,
    // as those before it would run for nothing.
    nb::object run(nb::handle given, nb::handle temporary, const Policy& policy) const {
        if (is_refused_.load(std::memory_order_relaxed)) return nb::none();
        const bool is_dict = PyDict_CheckExact(given.ptr());
        if (!is_dict && !PyTuple_CheckExact(given.ptr())) return nb::none();
        if (static_cast<std::size_t>(PyObject_Size(given.ptr())) != inputs_.size()) return nb::none();
        const std::unique_ptr<Bytes[]> held(new Bytes[inputs_.size() + 1]);
        std::vector<unsigned char*> data = steps_.kept_data();
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            const Tensor& tensor = inputs_[k];
            const nb::object value = nb::steal(is_dict ? PyObject_GetItem(given.ptr(), tensor.key.ptr())
                                                       : PySequence_GetItem(given.ptr(), static_cast<Py_ssize_t>(k)));
            if (!value.is_valid() || !opens(value, tensor, held[k])) {
                PyErr_Clear();
                return nb::none();
            }
            if (tensor.buffer < data.size()) data[tensor.buffer] = held[k].data();
        }
        if (temporary_ < data.size()) {
            data[temporary_] = held[inputs_.size()].open(temporary, true, steps_.end_of(temporary_));
        }
        nb::list results;
        std::vector<nb::object> unread;
        for (const Tensor& tensor : outputs_) {
            unsigned char* at;
            nb::object result = new_array(tensor, at);
            if (tensor.buffer < data.size()) data[tensor.buffer] = at;
            if (nb::len(results) < returned_) {
                results.append(std::move(result));
            } else {
                unread.push_back(std::move(result));
            }
        }
        if (steps_.run_on(data, policy, 0) != steps_.size()) {
            is_refused_.store(true, std::memory_order_relaxed);
            return nb::none();
        }
        return results;
    }

  private:
    struct Tensor {
        nb::object key;
        std::size_t buffer;
        nb::object dtype;
        std::vector<Py_ssize_t> sizes;
        nb::tuple shape;
        std::uintptr_t item_bytes;
        Py_ssize_t bytes;
        std::int64_t end;  // of what steps reach: there may be padding behind the elements
    };

    // Whether it is an array, and no array of a class of its own, of this dtype and these sizes, packed, where
    // elements lie at multiples of their bytes: steps would refuse it otherwise, of this one call.
    bool opens(nb::handle value, const Tensor& tensor, Bytes& bytes) const {
        if (reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())) != array_.ptr()) return false;
        if (tensor.bytes < tensor.end) return false;
        const nb::object dtype = nb::steal(PyObject_GetAttrString(value.ptr(), "dtype"));
        // Arrays that were pickled have dtypes of their own.
        if (!dtype.is(tensor.dtype) && !dtype.equal(tensor.dtype)) return false;
        return bytes.opens(value, PyBUF_C_CONTIGUOUS) && bytes.has_sizes(tensor.sizes) &&
               reinterpret_cast<std::uintptr_t>(bytes.data()) % tensor.item_bytes == 0;
    }

    // From the beginning of a cache line on, as devices/cpu.py has it.
    nb::object new_array(const Tensor& tensor, unsigned char*& at) const {
        constexpr std::uintptr_t kLine = 64;
        const Py_ssize_t size = std::max<Py_ssize_t>(tensor.bytes, static_cast<Py_ssize_t>(tensor.end));
        const nb::object memory = empty_(size + static_cast<Py_ssize_t>(kLine), bytes_);
        Bytes opened;  // the array keeps its memory
        unsigned char* const begin = opened.open(memory, true, size);
        const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(begin) % kLine;
        const std::uintptr_t offset = past == 0 ? 0 : kLine - past;
        at = begin + offset;
        return array_(tensor.shape, tensor.dtype, memory, offset);
    }

    const nb::object owner_;  // keeps the steps
    const StepList& steps_;
    std::vector<Tensor> inputs_, outputs_;
    const std::size_t returned_, temporary_;
    nb::object array_, empty_, bytes_;  // of NumPy
    mutable std::atomic<bool> is_refused_{false};
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
    nb::class_<Call>(m, "Call")
        .def(nb::init<nb::typed<nb::object, StepList>, const std::vector<std::pair<nb::object, Call::TensorText>>&,
                      const std::vector<Call::TensorText>&, std::size_t, std::size_t>(),
             "steps"_a, "inputs"_a, "outputs"_a, "returned"_a, "temporary"_a)
        .def("run", &Call::run, "given"_a, "temporary"_a, "policy"_a,
             nb::sig("def run(self, given: object, temporary: object, policy: Policy) -> list[object] | None"));
}

}  // namespace indirectml
