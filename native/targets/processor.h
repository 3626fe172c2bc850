// Which instruction sets this machine runs: the processor has them, and the operating system saves
// their registers.
#pragma once

namespace indirectml {

struct Processor {
    // With FMA and F16C, which every processor with AVX2 has, though AVX2 does not say so.
    bool avx2 = false;
    bool avx512 = false;  // with the F, BW, DQ and VL parts, and what `avx2` says
    bool avx512_vnni = false;  // sums of products of four INT8, besides
};

// Asked for once.
const Processor& processor();

}  // namespace indirectml
