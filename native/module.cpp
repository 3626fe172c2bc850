// The Python face of the native code. No logic: arguments are checked by their types here and by
// their values in Python; what a number means is written in the headers of the native code.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <vector>

#include "arrays.h"
#include "attention/bindings.h"
#include "buffer.h"
#include "contraction/bindings.h"
#include "fill.h"
#include "functions/bindings.h"
#include "integers/bindings.h"
#include "moving/bindings.h"
#include "programs/bindings.h"
#include "recurrence/bindings.h"
#include "released.h"
#include "step_bindings.h"
#include "sums/bindings.h"
#include "weights/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {

namespace {

using BufferList = nb::typed<nb::list, Buffer>;
using SequenceList = nb::typed<nb::list, Sequence>;

// Fills of opened buffers, carried out in order any number of times.
class CommandList {
  public:
    CommandList(const BufferList& buffers, const SequenceList& sequences)
        : buffers_(nb::steal<nb::tuple>(PyList_AsTuple(buffers.ptr()))) {
        if (!buffers_.is_valid()) throw nb::python_error();
        if (buffers_.size() != sequences.size()) {
            throw nb::value_error("lists of different lengths");
        }
        for (std::size_t k = 0; k < buffers_.size(); ++k) {
            const Buffer& buffer = nb::cast<const Buffer&>(buffers_[k]);
            commands_.push_back({&buffer, nb::cast<Sequence>(sequences[k])});
            check_elements(buffer, commands_.back().sequence);
            size_bytes_ += buffer.size_bytes();
        }
    }

    std::size_t size() const { return commands_.size(); }

    void execute(const Policy& policy) const {
        if (size_bytes_ < kReleaseBytes) return run(policy);
        const Released released;
        run(policy);
    }

  private:
    struct Command {
        const Buffer* buffer;
        Sequence sequence;
    };

    void run(const Policy& policy) const {
        for (const Command& command : commands_) {
            const Sequence& sequence = command.sequence;
            fill(command.buffer->view(sequence.format), sequence, 0, policy);
        }
    }

    nb::tuple buffers_;  // keeps them open; a list could be changed
    std::vector<Command> commands_;
    Py_ssize_t size_bytes_ = 0;
};

// For repeated dispatches: arrays of just this format and these sizes are filled, which takes a
// fraction of the time of doing the same in Python. Anything else is left to Python.
class PackedFill {
  public:
    PackedFill(std::string format, const IntTuple& sizes, const Sequence& sequence)
        : format_(std::move(format)), sequence_(sequence) {
        for (nb::handle size : sizes) sizes_.push_back(nb::cast<Py_ssize_t>(size));
    }

    // False, and nothing has happened, if `out` is anything else.
    bool fill(nb::handle out, const Policy& policy) const {
        return with_buffer(out, [&](const Buffer& buffer) {
            if (!buffer.is_packed(format_, sizes_)) return false;
            check_elements(buffer, sequence_);
            fill_buffer(buffer, sequence_, 0, policy);
            return true;
        });
    }

  private:
    std::string format_;
    std::vector<Py_ssize_t> sizes_;
    Sequence sequence_;
};

const Target* find_target(const std::string& name) {
    const TargetList targets = available_targets();
    for (std::size_t k = 0; k < targets.count; ++k) {
        if (name == targets.begin[k]->name) return targets.begin[k];
    }
    throw nb::value_error("no target of that name");
}

std::uint64_t checked_index(std::uint64_t index) {
    if (index >= kIndexEnd) throw nb::index_error("no element has this index");
    return index;
}

void check_float(const Format& format) {
    check_format(format);
    if (!format.is_float()) throw nb::value_error("needs a float format");
}

IntTuple as_tuple(const Segment& s) {
    return nb::make_tuple(s.first, s.count, s.bits, s.step, s.fraction, s.fraction_step);
}

}  // namespace

NB_MODULE(_native, m) {
    // Sequences and settings may live in a user's globals until the interpreter is gone.
    nb::set_leak_warnings(false);
    m.doc() = "The native code of indirectml; use the package's own functions instead.";

    nb::class_<Buffer>(m, "OpenBuffer")
        .def(nb::init<nb::handle>(), "owner"_a)
        .def_prop_ro("format", &Buffer::format)
        .def_prop_ro("element_type",
                     [](const Buffer& b) -> nb::typed<nb::tuple, int, int, int> {
                         const auto type = b.element_type();
                         if (!type) return nb::make_tuple(0, 0, 0);
                         return nb::make_tuple(type->format.bits, type->format.precision,
                                               int{type->is_signed});
                     })
        .def_prop_ro("item_bytes", &Buffer::item_bytes)
        .def_prop_ro("size_bytes", &Buffer::size_bytes)
        .def_prop_ro("element_count", &Buffer::element_count)
        .def_prop_ro("sizes", &Buffer::sizes)
        .def_prop_ro("strides_bytes", &Buffer::strides_bytes)
        .def_prop_ro("is_nested", [](const Buffer& b) {
            if (b.item_bytes() > 8) return false;
            return is_nested(b.view({static_cast<int>(8 * b.item_bytes()), 0}));
        });

    nb::class_<Sequence>(m, "Sequence")
        .def(
            "__init__",
            [](Sequence* self, int bits, int precision, bool multiply, std::uint64_t start,
               std::uint64_t delta) {
                const Rule rule = multiply ? Rule::kMultiply : Rule::kAccumulate;
                const Format format{bits, precision};
                check_format(format);
                if ((start | delta) & ~format.mask()) {
                    throw nb::value_error("operands wider than the elements");
                }
                new (self) Sequence{format, rule, start, delta};
            },
            "bits"_a.noconvert(), "precision"_a.noconvert(), "multiply"_a.noconvert(),
            "start"_a.noconvert(), "delta"_a.noconvert())
        .def(
            "element",
            [](const Sequence& sequence, std::uint64_t index) {
                return element(sequence, checked_index(index));
            },
            "index"_a.noconvert());

    nb::class_<Walker>(m, "Walker")
        .def(
            "__init__",
            [](Walker* self, const Sequence& sequence, std::uint64_t index) {
                new (self) Walker(sequence, checked_index(index));
            },
            "sequence"_a, "index"_a.noconvert())
        .def("next", [](Walker& walker) {
            if (walker.segment().count == 0) throw nb::stop_iteration("the last segment is behind");
            const IntTuple segment = as_tuple(walker.segment());
            walker.advance();
            return segment;
        });

    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const std::string& target, unsigned max_threads,
               std::uint64_t streaming_bytes, std::uint64_t bytes_per_thread) {
                if (max_threads == 0 || bytes_per_thread == 0) {
                    throw nb::value_error("needs at least one thread, and one byte for it");
                }
                new (self)
                    Policy{find_target(target), max_threads, streaming_bytes, bytes_per_thread};
            },
            "target"_a, "max_threads"_a.noconvert(), "streaming_bytes"_a.noconvert(),
            "bytes_per_thread"_a.noconvert() = Policy{}.bytes_per_thread)
        .def_prop_ro("target", [](const Policy& p) { return p.target->name; })
        .def_ro("max_threads", &Policy::max_threads)
        .def_ro("streaming_bytes", &Policy::streaming_bytes)
        .def_ro("bytes_per_thread", &Policy::bytes_per_thread);

    nb::class_<CommandList>(m, "CommandList")
        .def(nb::init<const BufferList&, const SequenceList&>(), "buffers"_a, "sequences"_a)
        .def("__len__", &CommandList::size)
        .def("execute", &CommandList::execute, "policy"_a);

    m.def(
        "fill",
        [](const Buffer& buffer, const Sequence& sequence, std::uint64_t first,
           const Policy& policy) {
            check_elements(buffer, sequence);
            const auto count = static_cast<std::uint64_t>(buffer.element_count());
            if (count > kIndexEnd - first) throw nb::index_error("elements beyond the last index");
            fill_buffer(buffer, sequence, first, policy);
        },
        "buffer"_a, "sequence"_a, "first"_a.noconvert(), "policy"_a);

    nb::class_<PackedFill>(m, "PackedFill")
        .def(nb::init<std::string, const IntTuple&, const Sequence&>(), "format"_a, "sizes"_a,
             "sequence"_a)
        .def("fill", &PackedFill::fill, "out"_a.none(), "policy"_a);

    m.def(
        "fill_constant",
        [](const Buffer& buffer, std::uint64_t bits, const Policy& policy) {
            const Format format{static_cast<int>(8 * buffer.item_bytes()), 0};
            check_format(format);
            const Sequence sequence{format, Rule::kAccumulate, bits, 0};
            check_elements(buffer, sequence);
            fill_buffer(buffer, sequence, 0, policy);
        },
        "buffer"_a, "bits"_a.noconvert(), "policy"_a);

    m.def("fill_array_with_constant", &fill_array_with_constant, "out"_a.none(), "value"_a.none(),
          "policy"_a);
    m.def("fill_array_with_sequence", &fill_array_with_sequence, "out"_a.none(), "start"_a.none(),
          "delta"_a.none(), "multiply"_a, "policy"_a);

    m.def(
        "convert",
        [](int from_bits, int from_precision, std::uint64_t bits, int to_bits, int to_precision) {
            const Format from{from_bits, from_precision}, to{to_bits, to_precision};
            check_float(from);
            check_float(to);
            return convert(from, to, bits & from.mask());
        },
        "from_bits"_a, "from_precision"_a, "bits"_a.noconvert(), "to_bits"_a, "to_precision"_a);

    m.def(
        "convert_double",
        [](double value, int to_bits, int to_precision) {
            const Format to{to_bits, to_precision};
            check_float(to);
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof(bits));
            return convert({64, 53}, to, bits);
        },
        "value"_a, "to_bits"_a, "to_precision"_a);

    begin_released();
    bind_steps(m);
    bind_contraction(m);
    bind_functions(m);
    integers::bind_integers(m);
    integers::bind_settling(m);
    sums::bind_sums(m);
    sums::bind_sum_steps(m);
    sums::bind_number_steps(m);
    bind_moving(m);
    programs::bind_programs(m);
    recurrence::bind_recurrence(m);
    attention::bind_attention(m);
    weights::bind_weights(m);

    m.def("targets", []() -> nb::typed<nb::tuple, nb::str, nb::ellipsis> {
        nb::list names;
        const TargetList targets = available_targets();
        for (std::size_t k = 0; k < targets.count; ++k) names.append(targets.begin[k]->name);
        return nb::tuple(names);
    });
    m.def("last_level_cache_bytes", &last_level_cache_bytes);
    m.attr("INDEX_END") = kIndexEnd;
    m.attr("COMPILER") = INDIRECTML_COMPILER;
}

}  // namespace indirectml
