// FILL_VALUE_SEQUENCE as data: a sequence is cut into segments, in each of which the bit pattern
// advances by a constant step. Both rules, every format; see docs/sequences.md for the proof.
#pragma once

#include <cstdint>

#include "floats.h"

namespace indirectml {

enum class Rule : std::uint8_t {
    kAccumulate,  // s(0) = start, s(i) = round(s(i-1) + delta)
    kMultiply,    // s(i) = round(start + i * delta), rounded once
};

struct Sequence {
    Format format;
    Rule rule;
    std::uint64_t start;
    std::uint64_t delta;
};

// Counts and indices stay below this; a segment that never ends has the count that is left.
constexpr std::uint64_t kIndexEnd = UINT64_MAX;

// Element first + j, for j < count, has the low bits of
//     (bits + fraction / 2^64) + j * (step + fraction_step / 2^64)
// computed modulo 2^64 and rounded to an integer, ties to even. Under `accumulate`, and for
// integers, both fractions are zero. The lowest bit that is set in `fraction` may stand for
// "something smaller than this": it rounds as the exact value would.
struct Segment {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t bits;
    std::uint64_t step;
    std::uint64_t fraction;
    std::uint64_t fraction_step;

    bool is_affine() const { return (fraction | fraction_step) == 0; }
    // Drops the first n elements; n <= count.
    void advance(std::uint64_t n);
    // The bits of element first + j.
    std::uint64_t at(std::uint64_t j) const;
};

// Goes from segment to segment of a sequence, in order and without gaps. The first one is the rest
// of the segment that holds element `index`. The cost does not depend on `index` or on counts:
// `accumulate` passes over at most 5 p + 18 segments of a format of precision p.
class Walker {
  public:
    Walker(const Sequence& sequence, std::uint64_t index);
    const Segment& segment() const { return segment_; }
    void advance();

  private:
    bool accumulates_float() const {
        return sequence_.format.is_float() && sequence_.rule == Rule::kAccumulate;
    }
    void find_segment();
    void find_integer_segment();
    void find_accumulate_segment();
    void find_multiply_segment();

    Sequence sequence_;
    // Written in place: a segment is found from where it starts, under `accumulate` with its bits.
    Segment segment_;
    // Under `accumulate`, the element after the segment, where that is known.
    bool next_is_known_ = false;
    std::uint64_t next_bits_ = 0;
};

// The bits of one element.
std::uint64_t element(const Sequence& sequence, std::uint64_t index);

}  // namespace indirectml
