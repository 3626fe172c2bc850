// Work without the interpreter's lock, which Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>

#include "stopping.h"

namespace indirectml {

// As long as this exists, others may run Python. On the main thread, where Python handles signals, it
// does so between pieces of the work; if a handler raises, the work ends, and that is raised.
class Released {
  public:
    Released();

  private:
    nanobind::gil_scoped_release released_;
    const Watch watch_;
};

// Once, when the module is made.
void begin_released();

}  // namespace indirectml
