#include "released.h"

#include <atomic>

namespace nb = nanobind;
using namespace nb::literals;

namespace indirectml {

namespace {

// Written when the module is made, and after a fork, in the child.
std::atomic<unsigned long> main_thread{0};

// An error that a handler raises waits on this thread until Stopped has come to nanobind.
bool handler_raises(void*) {
    const nb::gil_scoped_acquire held;
    return PyErr_CheckSignals() != 0;
}

}  // namespace

// Elsewhere nobody looks: no signal is handled there, and an interpreter that ends would end the thread.
Released::Released()
    : watch_(PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed)
                 ? handler_raises
                 : nullptr) {}

void begin_released() {
    nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
        try {
            std::rethrow_exception(raised);
        } catch (const Stopped&) {
            // The error of the handler is set.
        }
    });
    main_thread = nb::cast<unsigned long>(
        nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    // A child has one thread, which becomes its main one, whichever it was.
    const nb::module_ os = nb::module_::import_("os");
    if (nb::hasattr(os, "register_at_fork")) {
        os.attr("register_at_fork")("after_in_child"_a = nb::cpp_function(
                                        [] { main_thread = PyThread_get_thread_ident(); }));
    }
}

}  // namespace indirectml
