// The processor's default floating-point modes: round to nearest, subnormals kept, no traps.
#pragma once

#include <cstdint>

#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace indirectml {

// Sets them for as long as this exists, then puts back what the caller had, flags included: each
// thread has its own.
class DefaultFloatModes {
  public:
#if defined(__SSE__) || defined(_M_X64)
    DefaultFloatModes() : former_(_mm_getcsr()) { _mm_setcsr(0x1F80); }
    ~DefaultFloatModes() { _mm_setcsr(former_); }

  private:
    unsigned former_;
#elif defined(__aarch64__)
    DefaultFloatModes() {
        __asm__ volatile("mrs %0, fpcr" : "=r"(former_)::"memory");
        __asm__ volatile("msr fpcr, %0" ::"r"(std::uint64_t{0}) : "memory");
    }
    ~DefaultFloatModes() { __asm__ volatile("msr fpcr, %0" ::"r"(former_) : "memory"); }

  private:
    std::uint64_t former_;
#else
    DefaultFloatModes() {}
    ~DefaultFloatModes() {}
#endif

  public:
    DefaultFloatModes(const DefaultFloatModes&) = delete;
    DefaultFloatModes& operator=(const DefaultFloatModes&) = delete;
};

}  // namespace indirectml
