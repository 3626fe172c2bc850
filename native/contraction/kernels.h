// What an instruction set has to provide to multiply matrices and to convolve: tiles of the result
// that stay in registers, and the moves that bring operands into the order in which tiles read.
//
// Kernels are single-threaded and re-entrant, allocate nothing, and write what they say and no
// byte more. The processor is in its default modes (float_modes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../compiler.h"

namespace indirectml {

// Columns come in panels of this many, whatever the width of a vector, so that an operand in
// panels serves every target.
constexpr std::size_t kPanel = 16;
constexpr std::size_t kMostRows = 14;
// What tiles wait for is their loads, one for each row and panel. On Intel Emerald Rapids beside another
// thread of its core, 14 x 2 reach 67 to 73 % of the peak, 9 x 3 and 6 x 4 77 to 83; alone 97 to 100 and
// 99 to 100.
constexpr std::size_t kMostPanels = 4;
constexpr std::size_t kMostSums = 448;  // of a tile
// The longest chain of additions.
constexpr std::size_t kChain = 256;
// Tiles fetch lines ahead each time that so many k are done: a few at a time do not wait for each other.
constexpr std::uint32_t kFetchStep = 16;
constexpr std::size_t kLineBytes = 64;

// What becomes of a total at last: with `rounds` it is rounded to FLOAT16 and widened. Then +0 if it is at most
// that; or `least` if it is less, and then `most` if it is more. A NaN stays one.
enum class Limit { kNone, kPositive, kRange };
struct Limits {
    Limit limit = Limit::kNone;
    float least = 0, most = 0;
    bool rounds = false;

    bool change_nothing() const { return limit == Limit::kNone && !rounds; }
};

// Some rows of panels of c = a * b, which are whole but where last_columns says how many columns there are.
struct Tile {
    // Unit k of row i is at a[i * a_row + k * a_k], or, for tiles by offsets of rows, at
    // a[i * a_row + offsets[k]]; the lower half of these has rows of its own, a_half further on.
    const float* a;
    std::ptrdiff_t a_row, a_k, a_half;
    // Unit k of column j of panel p is at b[k * b_k + p * b_panel + j], or, for tiles by offsets of
    // columns, at b[offsets[k] + p * b_panel + j].
    const float* b;
    std::ptrdiff_t b_k, b_panel;
    const std::ptrdiff_t* offsets;
    // For tiles that widen: what b is to be, as FLOAT16, k by k, so far from one panel to the next.
    const std::uint16_t* halves;
    std::ptrdiff_t halves_panel;
    float* widened;  // b, to be written
    float* c;  // column j of panel p of row i is at c[i * c_row + p * kPanel + j]; halves as of a
    std::ptrdiff_t c_row, c_half;
    // The units of k in chains: each sum starts from +0, and is added to the total of those before.
    // A chain may be empty.
    const std::uint32_t* chains;
    std::size_t chain_count;
    bool continues;    // c holds the total of earlier chains
    bool ends;         // after these chains, bias is added, and NaNs become the canonical one
    const float* bias;  // of each row, for tiles by offsets of rows of each column; or null
    Limits limits;      // after all that, of tiles by offsets of rows
    // Of tiles by offsets of rows: how many columns of the last panel c has; no others of it are read or written.
    std::size_t last_columns;
    // Lines from there on, and so far on for each panel, are brought into the second cache meanwhile, so
    // many at each step.
    const char* fetch;
    std::ptrdiff_t fetch_panel;
    std::size_t fetch_lines;
};
// The last reads FLOAT16 besides, and leaves it at b as FLOAT32 for other tiles of the same panels.
enum class Reading { kPlain, kColumnsByOffsets, kRowsByOffsets, kRowsAndHalves };
using FloatTile = void (*)(const Tile&);
using TileTable = FloatTile[kMostRows][kMostPanels];

// Copies rows x count units into the order of tiles: to[k * to_k + i] = from[i * from_row + k] where
// k is contiguous, and then there are up to kPanel rows, from[k * from_k + i] where rows are; to_k is
// at least rows.
// Units of `to` up to kPanel beyond the last row of the last k may be overwritten.
template <typename Element>
using Pack = void (*)(const Element* from, std::ptrdiff_t from_stride, std::size_t rows,
                      std::size_t count, float* to, std::size_t to_k);

// Copies rows of pixels, every one or every second: to[i * to_row + j] = from[i * from_row + j], or
// from[i * from_row + 2 * j]. Exactly these are read, but for those between them, and written.
struct PixelRows {
    const float* from;
    std::ptrdiff_t from_row;
    std::size_t rows, columns;
    float* to;
    std::ptrdiff_t to_row;
};
using CopyPixels = void (*)(const PixelRows&);

// Which pixels a vector of a panel takes: lanes from first[r] on are at shift[r] + lane.
struct Runs {
    std::size_t count;
    std::size_t first[kPanel];
    std::ptrdiff_t shift[kPanel];
};

// A panel of pixels: to[k * to_k + j] is the element at offsets[k] + pixel j. `runs` has one entry
// for each vector of the panel. All of a vector is read at each of its runs.
using PackPixels = void (*)(const float* from, const std::ptrdiff_t* offsets, std::size_t count,
                            const Runs* runs, float* to, std::size_t to_k);

// A row x times a matrix b: out[j] of each column. There is one k at least.
template <typename Element>
struct RowProduct {
    const float* x;
    const Element* b;
    std::ptrdiff_t b_stride;  // from one k, column or panel to the next
    std::size_t depth, columns;
    float* out;
    float* sums;  // memory for as many as there are columns, or k
};

using VectorProduct = RowProduct<float>;

// One filter over planes of pixels: out[j] for j below `length` is the total over t of
// factors[t] * from[offsets[t] + j], in chains. Up to kPanel elements beyond `length` may be read and
// written.
struct TapProduct {
    const float* factors;
    const float* from;
    const std::ptrdiff_t* offsets;
    const std::uint32_t* chains;
    std::size_t chain_count, length;
    const float* bias;  // one, or null
    float* out;
};

// One filter of kFilterSize x kFilterSize over a plane of pixels, at every one or every second,
// zeros around it: output (i, j) is the sum over r, s, row by row, one chain, of
//
//   weights[kFilterSize * r + s] * pixel (i * stride + r - top, j * stride + s - left)
//
// for rows first_row .. end_row - 1. Exactly the pixels are read, and the outputs written.
constexpr std::size_t kFilterSize = 3;
struct PlaneFilter {
    const float* from;
    std::ptrdiff_t from_row;
    std::size_t from_rows, from_columns;
    std::ptrdiff_t top, left;
    const float* weights;
    const float* bias;  // one, or null
    float* to;          // of output row 0
    std::ptrdiff_t to_row;
    std::size_t first_row, end_row, to_columns;
};

// A row of outputs of filters that each see one channel, channels next to each other: for output n and
// each of so many channels the sum over taps r, s, row by row, one chain, of
//
//   weights[(rows * p + r) * columns + s) * kPanel] * from[r * from_row + s * from_column + n * from_step]
//
// of panel p of channels, and the bias. Taps of rows but first_row .. end_row - 1, and those whose column
// first_column + s * tap_step + n * step is not one of input_columns, read 0; all of outputs first_inside ..
// end_inside - 1 have columns. Of the input whole panels are read; exactly the outputs are written.
struct ChannelFilter {
    const float* from;
    std::ptrdiff_t from_row, from_column, from_step;
    const float* weights;
    std::size_t rows, columns;  // of taps
    std::size_t first_row, end_row;
    std::ptrdiff_t first_column, tap_step, step;
    std::size_t input_columns, first_inside, end_inside;
    const float* bias;          // of whole panels, or null
    float* to;
    std::ptrdiff_t to_step;
    std::size_t count, channels;
};

// Those of so many columns side by side, at every so many pixels, read what taps of several outputs have in
// common once.
struct NeighbourFilter {
    std::size_t columns, stride;
};
constexpr NeighbourFilter kNeighbourFilters[] = {{3, 1}, {3, 2}, {5, 1}, {5, 2}, {7, 1}};

// to[j] is from[j], a FLOAT16, for each of so many.
using Widen = void (*)(const std::uint16_t* from, std::size_t count, float* to);

struct ContractionKernels {
    const char* name;
    std::size_t lanes;  // of a vector of FLOAT32
    // How many panels tiles have at most, and rows, by panels - 1.
    std::size_t panels, rows[kMostPanels];
    // By rows - 1 and panels - 1; those of pixels are by offsets of rows.
    TileTable tiles, tiles_by_offsets, tiles_of_pixels, widening_tiles_of_pixels;
    Pack<float> transpose, copy;
    Pack<std::uint16_t> transpose_half, copy_half;
    Widen widen;
    PackPixels pack_pixels;
    CopyPixels copy_pixels, copy_every_second;
    void (*multiply_taps)(const TapProduct&);
    void (*filter_plane[2])(const PlaneFilter&);  // by stride - 1
    void (*filter_channels)(const ChannelFilter&);
    // Where the columns of b are neighbours in memory; where its k are; where b is in panels.
    void (*multiply_by_rows)(const VectorProduct&);
    void (*multiply_by_columns)(const VectorProduct&);
    void (*multiply_by_panels)(const VectorProduct&);
    void (*multiply_by_half_panels)(const RowProduct<std::uint16_t>&);
};

// The kernels of a target by its name (targets/target.h); never null for a target of this machine.
const ContractionKernels* contraction_kernels(const char* name);

}  // namespace indirectml
