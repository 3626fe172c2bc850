// No logic: memory is checked for what the native code needs; Python explains what it does not take.
#include "bindings.h"

#include "../buffer.h"
#include "../float_modes.h"
#include "apply.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {

namespace {

using functions::Function;
using functions::Operands;
using functions::Result;

// Below this, giving up the interpreter lock costs more than it is worth.
constexpr std::uint64_t kReleaseElements = 1 << 13;

int precision_of(const Buffer& buffer) {
    const auto type = buffer.element_type();
    return type ? type->format.precision : 0;
}

// The strides of an argument along the axes of the result: 0 where its one element is repeated.
void put(Operands& operands, const Buffer& buffer) {
    const View view = buffer.view({32, 24});
    const int n = operands.count++;
    const int missing = operands.rank - view.rank;
    if (missing < 0) throw nb::value_error("more dimensions than the result");
    operands.data[n] = view.data;
    for (int k = 0; k < operands.rank; ++k) {
        const Axis axis = k < missing ? Axis{1, 0} : view.axes[k - missing];
        if (axis.size != operands.sizes[k] && axis.size != 1) {
            throw nb::value_error("sizes other than the result's");
        }
        operands.strides_bytes[n][k] = axis.size == 1 ? 0 : axis.stride_bytes;
    }
}

void apply(int index, nb::handle out, nb::handle x, nb::handle y, const Policy& policy) {
    if (index < 0 || index >= functions::kFunctionCount) throw nb::value_error("no function");
    const int arguments = functions::kFacts[index].arguments;
    const Buffer result(out), first(x, PyBUF_RECORDS_RO);
    std::optional<Buffer> second;
    if (arguments == 2) second.emplace(y, PyBUF_RECORDS_RO);
    const int precision = precision_of(result);
    if ((precision != 24 && precision != 11) || precision_of(first) != 24 ||
        (second && precision_of(*second) != 24)) {
        throw nb::type_error("other data types than FLOAT32, and FLOAT16 of the result");
    }
    Operands operands;  // its axes are many and stay as they are
    operands.count = 1;
    const View view = result.view({32, 24});
    operands.data[0] = view.data;
    operands.rank = view.rank;
    std::uint64_t count = 1;
    for (int k = 0; k < view.rank; ++k) {
        operands.sizes[k] = view.axes[k].size;
        operands.strides_bytes[0][k] = view.axes[k].stride_bytes;
        count *= view.axes[k].size;
    }
    put(operands, first);
    if (second) put(operands, *second);
    const auto function = static_cast<Function>(index);
    const Result kind = precision == 24 ? Result::kSingle : Result::kHalf;
    if (count < kReleaseElements) return functions::apply(function, kind, operands, policy);
    const Released released;
    functions::apply(function, kind, operands, policy);
}

// guarded(function, *args, **kwargs) calls the function in the processor's default modes. Not by
// nanobind, which would take four times as long: it stands before every step of a plan.
PyObject* guarded(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "guarded() needs a function");
        return nullptr;
    }
    const DefaultFloatModes modes;
    return PyObject_Vectorcall(args[0], args + 1, static_cast<std::size_t>(count - 1), names);
}

PyMethodDef kMethods[] = {
    {"guarded", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&guarded)),
     METH_FASTCALL | METH_KEYWORDS,
     "guarded($module, function, /, *args, **kwargs)\n--\n\n"
     "Call a function in the processor's default floating-point modes."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_functions(nb::module_& m) {
    m.def("apply_function", &apply, "function"_a.noconvert(), "out"_a, "x"_a, "y"_a.none(),
          "policy"_a);
    m.def("functions", []() -> nb::typed<nb::tuple, nb::str, nb::ellipsis> {
        nb::list names;
        for (const auto& facts : functions::kFacts) names.append(facts.name);
        return nb::tuple(names);
    });
    if (PyModule_AddFunctions(m.ptr(), kMethods) != 0) throw nb::python_error();
}

}  // namespace indirectml
