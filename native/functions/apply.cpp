#include "apply.h"

#include <algorithm>
#include <cstring>

#include "../team.h"

namespace indirectml {
namespace functions {

const FunctionFacts kFacts[kFunctionCount] = {
#define INDIRECTML_FACTS(NAME, TEXT, ARGUMENTS, CHECKED) {TEXT, ARGUMENTS},
    INDIRECTML_FUNCTIONS(INDIRECTML_FACTS)
#undef INDIRECTML_FACTS
};

INDIRECTML_DEFINE_KERNELS_OF

namespace {

// Arguments are gathered, and results scattered, in blocks of so many elements.
constexpr std::size_t kBlock = 512;
// What lies well is computed where it lies, in pieces of so many.
constexpr std::size_t kPiece = 1 << 14;
// Fewer take less than 100 us, which does not pay for a thread.
constexpr std::uint64_t kElementsPerThread = 1 << 16;

// Axes of size 1 are left out; axes that follow each other without a break in all arrays are one.
void merge_axes(Operands& o) {
    int merged = -1;
    for (int k = 0; k < o.rank; ++k) {
        if (o.sizes[k] == 1) continue;
        bool follows = merged >= 0;
        for (int n = 0; n < o.count && follows; ++n) {
            const auto size = static_cast<std::int64_t>(o.sizes[k]);
            follows = o.strides_bytes[n][merged] == o.strides_bytes[n][k] * size;
        }
        if (follows) {
            o.sizes[merged] *= o.sizes[k];
        } else {
            o.sizes[++merged] = o.sizes[k];
        }
        for (int n = 0; n < o.count; ++n) o.strides_bytes[n][merged] = o.strides_bytes[n][k];
    }
    o.rank = merged + 1;
}

// Where an element is in each array; coordinates are kept so that moving on needs no division.
struct Place {
    const Operands& operands;
    std::uint64_t coordinates[kMaxRank];
    unsigned char* at[kMaxOperands];

    Place(const Operands& o, std::uint64_t position) : operands(o) {
        for (int n = 0; n < o.count; ++n) at[n] = o.data[n];
        for (int k = o.rank - 1; k >= 0; --k) {
            coordinates[k] = position % o.sizes[k];
            position /= o.sizes[k];
            for (int n = 0; n < o.count; ++n) {
                at[n] += static_cast<std::int64_t>(coordinates[k]) * o.strides_bytes[n][k];
            }
        }
    }

    std::uint64_t left_in_row() const {
        const int last = operands.rank - 1;
        return operands.sizes[last] - coordinates[last];
    }

    // Within the row, or to the start of the next.
    void advance(std::uint64_t count) {
        const Operands& o = operands;
        int k = o.rank - 1;
        coordinates[k] += count;
        move(k, static_cast<std::int64_t>(count));
        for (; k > 0 && coordinates[k] == o.sizes[k]; --k) {
            move(k, -static_cast<std::int64_t>(o.sizes[k]));
            coordinates[k] = 0;
            ++coordinates[k - 1];
            move(k - 1, 1);
        }
    }

  private:
    void move(int axis, std::int64_t steps) {
        for (int n = 0; n < operands.count; ++n) at[n] += steps * operands.strides_bytes[n][axis];
    }
};

template <typename Element>
void copy_strided(unsigned char* to, std::int64_t to_stride, const unsigned char* from,
                  std::int64_t from_stride, std::uint64_t count) {
    for (std::uint64_t j = 0; j < count; ++j) {
        std::memcpy(to, from, sizeof(Element));
        to += to_stride;
        from += from_stride;
    }
}

// Elements begin .. end, in row-major order. Arrays that are packed are used where they are.
template <typename Element>
void apply_part(Kernel kernel, const Operands& o, std::uint64_t begin, std::uint64_t end) {
    bool packed[kMaxOperands];
    for (int n = 0; n < o.count; ++n) {
        const auto bytes = static_cast<std::int64_t>(n == 0 ? sizeof(Element) : sizeof(float));
        const auto address = reinterpret_cast<std::uintptr_t>(o.data[n]);
        packed[n] = o.rank == 1 && o.strides_bytes[n][0] == bytes &&
                    address % static_cast<std::uintptr_t>(bytes) == 0;
    }
    const bool in_place = std::all_of(packed, packed + o.count, [](bool p) { return p; });
    alignas(64) unsigned char blocks[kMaxOperands][kBlock * sizeof(float)];
    Place reading(o, begin), writing(o, begin);
    Pieces pieces(kPiece);
    while (begin < end) {
        const std::uint64_t count =
            std::min<std::uint64_t>(in_place ? kPiece : kBlock, end - begin);
        unsigned char* data[kMaxOperands];
        for (int n = 0; n < o.count; ++n) data[n] = packed[n] ? reading.at[n] : blocks[n];
        for (std::uint64_t done = 0; done < count && !in_place;) {
            const std::uint64_t run = std::min(count - done, reading.left_in_row());
            for (int n = 1; n < o.count; ++n) {
                if (packed[n]) continue;
                copy_strided<float>(blocks[n] + done * sizeof(float), sizeof(float),
                                    reading.at[n], o.strides_bytes[n][o.rank - 1], run);
            }
            reading.advance(run);
            done += run;
        }
        kernel(reinterpret_cast<const float*>(data[1]),
               reinterpret_cast<const float*>(data[o.count - 1]), data[0], count);
        if (in_place) reading.advance(count);
        for (std::uint64_t done = 0; done < count && !packed[0];) {
            const std::uint64_t run = std::min(count - done, writing.left_in_row());
            copy_strided<Element>(writing.at[0], o.strides_bytes[0][o.rank - 1],
                                  blocks[0] + done * sizeof(Element), sizeof(Element), run);
            writing.advance(run);
            done += run;
        }
        begin += count;
        pieces.done(count);
    }
}

}  // namespace

void apply(Function function, Result result, const Operands& operands, const Policy& policy) {
    Operands o = operands;
    std::uint64_t count = 1;
    for (int k = 0; k < o.rank; ++k) count *= o.sizes[k];
    if (count == 0) return;
    merge_axes(o);
    if (o.rank == 0) {
        o.rank = 1;
        o.sizes[0] = 1;
        for (int n = 0; n < o.count; ++n) {
            o.strides_bytes[n][0] = n == 0 && result == Result::kHalf ? 2 : 4;
        }
    }
    const Kernels& kernels = kernels_of(*policy.target);
    const auto index = static_cast<std::size_t>(function);
    const auto part = [&](std::uint64_t begin, std::uint64_t end) {
        if (result == Result::kHalf) {
            apply_part<std::uint16_t>(kernels.half[index], o, begin, end);
        } else {
            apply_part<float>(kernels.single[index], o, begin, end);
        }
    };
    const unsigned parts = worthwhile_threads(count, kElementsPerThread, count, policy.max_threads);
    // Cut at multiples of 64 elements, so that threads do not share the lines of a packed output.
    const std::uint64_t share = (count / parts + 63) / 64 * 64;
    run_team(parts, [&](unsigned k) {
        const std::uint64_t begin = std::min(k * share, count);
        part(begin, k + 1 == parts ? count : std::min(begin + share, count));
    });
}

}  // namespace functions
}  // namespace indirectml
