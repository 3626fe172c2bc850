// Which instruction sets this machine runs: the processor has them, and the operating system saves
// their registers.
#pragma once

namespace indirectml {

struct Processor {
    // With FMA and F16C, which every processor with AVX2 has, though AVX2 does not say so.
    bool avx2 = false;
    bool avx512 = false;  // with the F, BW, DQ and VL parts, and what `avx2` says
    // Sums of products of four bytes, besides: in vectors of AVX2, of AVX-512.
    bool avx_vnni = false, avx512_vnni = false;
    bool amx_int8 = false;  // whole tiles of such products, with `avx512_vnni`
};

// Asked for once.
const Processor& processor();

// Whether this process may use the registers of `amx_int8`, which Linux gives to who asks; asked for when it is
// called first. What a signal handler finds on its stack is larger from then on.
bool may_use_amx();

}  // namespace indirectml
