// The processor's default floating-point modes: round to nearest, subnormals kept, no traps.
#pragma once

#include <cstdint>

#include "compiler.h"

namespace indirectml {

// Sets them for as long as this exists, then puts back what the caller had, flags included: each
// thread has its own.
class DefaultFloatModes {
  public:
    DefaultFloatModes() : former_(float_modes()) { set_float_modes(kDefaultFloatModes); }
    ~DefaultFloatModes() { set_float_modes(former_); }
    DefaultFloatModes(const DefaultFloatModes&) = delete;
    DefaultFloatModes& operator=(const DefaultFloatModes&) = delete;

  private:
    std::uint64_t former_;
};

}  // namespace indirectml
