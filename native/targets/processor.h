// Which instruction sets this machine runs: the processor has them, and the operating system saves
// their registers.
#pragma once

namespace indirectml {

struct Processor {
    bool avx2 = false;    // AVX2
    bool fma = false;     // AVX2 with fused multiply-add
    bool f16c = false;    // AVX2 with conversions of half precision
    bool avx512 = false;  // AVX-512 with the F, BW, DQ and VL parts
};

// Asked for once.
const Processor& processor();

}  // namespace indirectml
