// What an instruction set has to provide for products with weights that stay as small as they are
// stored: numbers of 4 or 8 bits become FLOAT32 in registers, each rounded as a dequantized element is.
//
// Columns come in panels of kPanel. Numbers are unsigned, those of signed types plus half their range,
// and so are zero points. A word holds 32 / bits of them that follow each other along k, the first in
// its lowest bits: word w of column j of a panel is at [w * kPanel + j]. Zero points lie in the same
// way, blocks of k in the place of k; scales as a matrix in panels does (contraction/contract.h).
//
// Kernels are single-threaded and re-entrant, allocate nothing, and write what they say and no byte
// more. The processor is in its default modes (float_modes.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../contraction/kernels.h"
#include "../targets/target.h"

namespace indirectml {
namespace weights {

constexpr std::size_t numbers_of_word(unsigned bits) { return 32 / bits; }

struct Stored {
    const std::uint32_t* numbers;
    const std::uint32_t* zeros;  // or null: `zero` is that of all
    std::uint32_t zero;
    // FLOAT32 or FLOAT16; of FLOAT16 each weight is rounded to FLOAT16 besides.
    const void* scales;
    bool has_halves;
    unsigned bits;  // 4 or 8
    // So many k are multiplied, the first of those that are stored.
    std::size_t depth;
    // A scale for so many k each, which may begin within a word; how many of these a column has, and
    // how many words.
    std::size_t block, blocks, words;
    // A scale for so many columns each: 1, or whole panels. Scales of panels lie as these strides in
    // elements say, and their zero points as those of a column each.
    std::size_t width;
    std::ptrdiff_t scale_row, scale_column;

    std::size_t words_of(std::size_t count) const {
        return (count + numbers_of_word(bits) - 1) / numbers_of_word(bits);
    }
};

// out[j] = the total over k of x[k] * weight (k, j), in chains, of columns from panel `first_panel` on.
struct RowTask {
    const float* x;
    std::size_t first_panel, columns;
    float* out;
};

struct Kernels {
    const char* name;
    void (*multiply_row)(const Stored&, const RowTask&);
    // to[unit * kPanel + j] = weight (k + unit, j) of a panel, for `count` units; k is that of the
    // beginning of a word.
    void (*widen)(const Stored&, std::size_t panel, std::size_t k, std::size_t count, float* to);
};

const Kernels& kernels_of(const Target& target);

}  // namespace weights
}  // namespace indirectml
