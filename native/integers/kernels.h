// What an instruction set has to provide for products and convolutions of 8-bit integers: tiles of
// sums that stay in registers, and the moves that bring operands into the order of tiles.
//
// A unit is four elements that follow each other along k, a byte each, in 4 bytes. In every product one
// side is unsigned and the other signed, whatever they were: x ^ 0x80 is x + 128 of a signed x, and
// x - 128 of an unsigned one. Sums are modulo 2^32, and so may be formed in any order.
//
// Some targets have units of rows of matrices and of pixels as four words of 16 bits: elements 0, 2, 1 and 3.
//
// Kernels are single-threaded and re-entrant, allocate nothing, and write what they say and no byte
// more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../contraction/kernels.h"

namespace indirectml {
namespace integers {

constexpr std::size_t kQuad = 4;
// Columns come in panels of this many, whatever the width of a vector.
constexpr std::size_t kPanel = 16;
constexpr std::size_t kMostRows = 32;
constexpr std::size_t kMostPanels = 4;
constexpr std::size_t kMostUnitBytes = 2 * kQuad;

// Where a unit is in each row or pixel of a, from its start on, and in a panel of b.
struct UnitPlace {
    std::ptrdiff_t a, b;
};

// Some rows of panels of c = starts + a * b. Tiles are whole: columns beyond the last panel are not there.
struct Tile {
    // Unit k of row i is at a + i * a_row + k * a_k, at any address. Of pixels it is a + i * a_row +
    // offsets[k], and those of the lower half, which is no larger, are a_half behind the first ones.
    const unsigned char* a;
    std::ptrdiff_t a_row, a_k, a_half;
    // Unit k of column j of panel p is at b[k * b_k + p * b_panel + j], or, over planes, at
    // b[offsets[k] + p * b_panel + j].
    const std::int32_t* b;
    std::ptrdiff_t b_k, b_panel;
    const std::int32_t* next;  // panels that a tile after this one reads, fetched ahead; of pixels, or null
    const std::ptrdiff_t* offsets;
    std::size_t units;
    // Of kernels in pairs, instead of a_k, b_k and offsets; and so many of them, the first, fit pairs.
    const UnitPlace* places;
    std::size_t fitting;
    // So many units of a, again and again, follow each other; what registers for whole tiles are, see below.
    std::size_t run;
    std::uint64_t* shape;
    std::int32_t* c;  // column j of panel p of row i is at c[i * c_row + p * kPanel + j]
    std::ptrdiff_t c_row, c_half;  // of pixels in halves, as those of a
    const std::int32_t* row_starts;     // one for each row, or null
    const std::int32_t* column_starts;  // one for each column, or null
};
using TileKernel = void (*)(const Tile&);
using TileTable = TileKernel[kMostRows][kMostPanels];  // by rows - 1 and panels - 1

// What results of columns are found by, in whole panels: a result is sum * factors[j] + shifts[j], rounded, and
// no further from it than the norm of its row times bounds[j] and a little more.
struct SettledColumns {
    const float *factors, *shifts, *bounds;
};
// A result no nearer to halfway than 1 / 2 less this is settled; what does not grow with a row is taken off.
constexpr float kSettled = 0.5f - 0x1p-13f;

// Rows of some panels; steps are from one row to the next, in bytes.
struct RowsToSettle {
    const unsigned char* sums;  // INT32
    std::ptrdiff_t sums_step;
    SettledColumns columns;
    const float* norms;  // of each row
    unsigned char* out;  // of whole panels
    std::ptrdiff_t out_step;
    float low, high;  // results less the zero point are between these, which are at most 512 from 0
    std::int32_t zero;
    std::size_t count, panels;
    std::uint32_t first;  // what rows are numbered from, below 2^16
    // Of each row of which some results of a panel are not settled: its number << kPanel, and a bit for each column.
    // Those of panel p are at doubts + p * doubts_step + ends[p]: there is room for one more than all.
    std::uint32_t* doubts;
    std::size_t doubts_step;
    std::uint32_t* ends;
};

// Pixels of a row, and up to 2^16 channels of each; steps are from one to the next, in bytes.
struct PixelsToSquare {
    const unsigned char* from;
    std::ptrdiff_t pixel_step, channel_step;
    std::size_t count, channels;
    bool is_signed;
    std::int32_t zero;
};

// What the taps of a row of filters read of pixels, dilation from each other, stride from one result to the next.
struct TapsOfPixels {
    const std::uint32_t* squares;
    std::size_t taps, stride, dilation, count;  // results
};

// How a total becomes an integer.
struct Quantizing {
    float least, most, scale, zero, lowest, highest;
};

// Where a chain is along k = channel * taps + tap: units are four channels at a tap, and from one to that of the next
// tap, or of the next four channels, it is so many numbers.
struct ChainPlace {
    std::size_t channel, tap, taps;
    std::ptrdiff_t tap_step, quad_step;
};

// A chain of results in doubt: a lot are as many as a panel has columns, each of a row and a column of its own.
struct Lots {
    const std::int32_t* a;  // units of the rows: of each, those of all; those of the next lot a_lot behind
    std::size_t a_lot;
    bool is_signed;
    ChainPlace place;
    std::size_t length;
    std::int32_t a_zero;
    float a_scale;
    const float* b;                          // the panel from the chain's first k on
    const std::int32_t (*columns)[kPanel];  // of it, each below kPanel; of each lot
    float (*sums)[kPanel];
};
constexpr std::size_t kLotsTogether = 2;

// The same of one lot whose columns are of any panels.
struct LotApart {
    const std::int32_t *a, *b;  // units of rows and of columns, which are of signed bytes
    ChainPlace place;           // in both
    std::size_t length;
    bool is_signed;
    std::int32_t a_zero;
    float a_scale;
    const std::int32_t* b_zeros;  // of each column
    const float* b_scales;
    float* sums;
};

// Of a signed byte, as one: of -128 less than there is.
constexpr signed char kMostOfMagnitude = 127;

// Which of some lots stay in doubt where sums of parts of chains are known (docs/arithmetic.md, "Settling").
struct LotsToNarrow {
    const std::int32_t* a;  // as those of Lots, all of a row
    std::size_t a_lot;
    bool is_signed;
    std::int32_t a_zero;
    std::size_t channels, taps;
    const std::int32_t* b;  // the panel, of signed bytes whose zero point is 0; or units of columns, as in LotApart
    std::ptrdiff_t tap_step, quad_step;
    const std::int32_t (*columns)[kPanel];
    const float *factors, *shifts;  // of all columns; see SettledColumns
    float low, high;
    unsigned* doubts;  // of each lot, a bit for each result
};

// Columns first[n] .. first[n + 1] of a lot are of panel n, those of `columns`, each below kPanel. As many more may be read.
struct ColumnsToGather {
    std::size_t panel_count, quads, taps;
    const std::int32_t* panels[kPanel];  // of units in the order of taps
    std::size_t first[kPanel + 1];
    std::int32_t columns[2 * kPanel];
};

struct SettlingKernels {
    void (*settle_rows)(const RowsToSettle&);
    void (*quantize)(const Quantizing&, const float* totals, const float* bias, unsigned char* out);  // of kPanel
    // Units of a panel, of signed bytes, less zero points and times scales.
    void (*widen)(const std::int32_t* units, const ChainPlace&, std::size_t length, const std::int32_t* zeros,
                  const float* scales, float* to);
    void (*multiply[kLotsTogether])(const Lots&);  // by how many less 1
    void (*multiply_apart)(const LotApart&);
    // Null where it takes as long as what it saves.
    void (*narrow[kLotsTogether])(const LotsToNarrow&);
    void (*narrow_apart)(const LotsToNarrow&);  // of one lot
    // Unit k of what is `from` bytes behind kPanel lines, side by side at to + k * step.
    void (*turn)(const unsigned char* const* lines, std::ptrdiff_t from, std::size_t units, std::int32_t* to,
                 std::ptrdiff_t step);
    // Units of columns of some panels, side by side, as in LotApart; and anything behind them, up to a panel.
    void (*gather)(const ColumnsToGather&, std::int32_t* to);
    // Of all channels of each pixel, less the zero point.
    void (*sum_squares)(const PixelsToSquare&, std::uint32_t* to);
    void (*norms)(const TapsOfPixels&, float* to);  // the roots of the sums over all taps
};

struct Kernels {
    const char* name;
    bool (*is_there)();  // on this machine; null where the target says it
    std::size_t rows, widening_rows, panels;  // the largest tile; over planes or channels it has fewer rows
    std::size_t row_panels;  // of a tile of one row of a matrix
    // `count` elements that follow each other, each bit changed that is set in `flips`, as units of so many bytes;
    // zeros fill the last one up.
    void (*to_units)(const unsigned char* from, std::size_t count, unsigned char flips, unsigned char* to);
    std::size_t unit_bytes;
    TileTable unsigned_by_signed;  // a is unsigned, in such units, b signed
    TileTable signed_by_unsigned;  // over planes
    TileTable pixels;              // as the first
    TileTable channels;            // the same of one panel, whose columns have units of their own in a
    // to[n] = the unit of byte n of each of the four lines, each bit changed that is set in `flips`.
    void (*interleave)(const unsigned char* const* lines, std::size_t count, unsigned char flips,
                       std::int32_t* to);
    // c[n] -= factor * x[n]
    void (*subtract)(const std::int32_t* x, std::int32_t factor, std::size_t count, std::int32_t* c);
    SettlingKernels settling;
    // Exact sums are so much faster than chains of FLOAT32 that to settle results by them pays; and of pixels, too.
    bool settles = true, settles_pixels = false;
    double gain = 1;  // of matrices and pixels: so many times as many products as vectors do in the same time
    void (*release)() = nullptr;  // registers for whole tiles, where there are any
    // The same but for matrices and pixels, whose kernels add two products of bytes in 16 bits where that cannot cut
    // them off: they take rows in halves, too, and know units by their places. Null where that gains nothing.
    const Kernels* in_pairs = nullptr;
    // Of those: the places of a panel's units, first those whose pairs fit, then the others; how many fit.
    std::size_t (*sort_units)(const std::int32_t* panel, const std::ptrdiff_t* offsets, std::size_t units,
                              UnitPlace* to) = nullptr;
    bool sorts_units() const { return sort_units != nullptr; }
};

// For as long as one thread multiplies by some kernels: what it has told the processor of its registers for
// whole tiles, which are given back at the end.
class TileRegisters {
  public:
    explicit TileRegisters(const Kernels& kernels) : release_(kernels.release) {}
    ~TileRegisters() {
        if (shape_ != 0) release_();
    }
    TileRegisters(const TileRegisters&) = delete;
    TileRegisters& operator=(const TileRegisters&) = delete;
    std::uint64_t* shape() { return &shape_; }

  private:
    void (*const release_)();
    std::uint64_t shape_ = 0;  // none yet
};

// The kernels of a target by its name (targets/target.h): of those that this machine has, some need a part of
// the target that not every processor has. The best of them, or others in order, at last the target's own.
const Kernels& kernels_of(const char* name, unsigned place = 0);

// The kernels by which so many rows are multiplied with panels of which this is one: in pairs, where these have it
// and most units fit. Each panel is looked at again before it is multiplied: this one says what is fast alone.
const Kernels& kernels_for(const Kernels& kernels, const std::int32_t* panel, std::size_t units, std::size_t rows);

}  // namespace integers
}  // namespace indirectml
