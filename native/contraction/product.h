// A matrix product by blocks that fit the caches, for one thread: packing, and the order of tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../compiler.h"
#include "../stopping.h"
#include "kernels.h"

namespace indirectml {

// Memory for blocks in panels, reused from block to block.
class Scratch {
  public:
    // At least this many units from the start of a cache line on, plus what kernels may write beyond
    // them: vectors that lie across two lines take twice as long.
    float* at_least(std::size_t units) {
        const std::size_t needed = units + kPanel + kLine;
        if (needed > size_) {
            memory_.reset();
            memory_.reset(new float[needed]);
            size_ = needed;
        }
        const auto past = reinterpret_cast<std::uintptr_t>(memory_.get()) / sizeof(float) % kLine;
        return memory_.get() + (kLine - past) % kLine;
    }

  private:
    static constexpr std::size_t kLine = 64 / sizeof(float);
    std::unique_ptr<float[]> memory_;
    std::size_t size_ = 0;
};

// Cuts `units` of k into chains, and chains into blocks that get in panels together.
struct Chains {
    std::vector<std::uint32_t> lengths;

    static Chains of_floats(std::size_t units) {
        Chains chains;
        for (std::size_t k = 0; k < units; k += kChain) {
            chains.lengths.push_back(
                static_cast<std::uint32_t>(std::min(kChain, units - k)));
        }
        if (units == 0) chains.lengths.push_back(0);  // the sum of nothing is +0
        return chains;
    }
};

// Where an operand may be read as it lies: unit k of row i at data[i * row + k * k_step], unit k of
// column j of panel p at data[k * k_step + p * panel + j]. Null where it has to be packed.
struct DirectRows {
    const float* data = nullptr;
    std::ptrdiff_t row = 0, k_step = 0;
};
struct DirectColumns {
    const float* data = nullptr;
    std::ptrdiff_t k_step = 0, panel = 0;
    std::size_t whole_panels = 0;  // those that can be read to their end
};

// Panels that lie the same way at different places: unit k of column j of a panel at
// bases[panel][offsets[k] + j]. A panel whose base is null has to be packed.
struct PlacedColumns {
    const float* const* bases = nullptr;
    const std::ptrdiff_t* offsets = nullptr;

    // Whether so many panels from one on are at the same distance from each other.
    bool are_alike(std::size_t panel, std::size_t panels) const {
        if (!bases || !bases[panel]) return false;
        const float* const* const at = bases + panel;
        std::size_t count = 1;
        while (count < panels && at[count] && at[count] - at[count - 1] == at[1] - at[0]) ++count;
        return count == panels;
    }
};

// c[i * c_row + j * c_column] = the total over k, for rows and columns of this product.
struct ProductShape {
    std::size_t rows, columns;
    const Chains* chains;
    float* c;
    std::ptrdiff_t c_row, c_column;
    const float* bias = nullptr;  // of each row
    DirectRows direct_rows{};
    DirectColumns direct_columns{};
    PlacedColumns placed_columns{};
    const void* next = nullptr;  // what will be read after this product, or null
};

// Lines at a multiple of these bytes from each other are in the same set of the first cache, which
// holds so many of them.
constexpr std::ptrdiff_t kCacheSetBytes = 4096;
constexpr std::size_t kCacheWays = 8;

// Panels are fetched ahead, up to so many bytes, as those of the widest tiles have; copied ones where all
// together have more than so many, and do not stay in the second cache.
constexpr std::size_t kFetchedBytes = 1 << 17, kNearBytes = 1 << 19;

// How large blocks are, in units: a block of rows in panels stays in a core's second cache. Two chains at
// once halve how often the result comes from beyond it and goes back.
struct BlockSizes {
    std::size_t rows = 168, columns = 1024, units = 2 * kChain;
};

inline std::size_t parts_of(std::size_t whole, std::size_t most) { return (whole + most - 1) / most; }

struct TileSize {
    std::size_t rows, panels;
};

// The largest tiles of a product: those for which it loads least. A line of a panel comes from the second
// cache, and takes as long as so many numbers of rows.
inline TileSize tile_size(const ContractionKernels& kernels, std::size_t rows, std::size_t panels) {
    constexpr std::size_t kLoadsOfLine = 3;
    TileSize best{};
    std::size_t least = 0;
    for (std::size_t n = 1; n <= kernels.panels; ++n) {
        const std::size_t stack = parts_of(rows, kernels.rows[n - 1]);
        const std::size_t loads = kLoadsOfLine * stack * panels + parts_of(panels, n) * rows;
        if (n > 1 && loads >= least) continue;
        least = loads;
        best = {kernels.rows[n - 1], n};
    }
    return best;
}

struct ProductScratch {
    Scratch rows, columns, edge, panels;
    Pieces products{std::uint64_t{1} << 24};  // less than a millisecond
};

// pack_rows(first, count, k, units, to): rows to to[unit * count + row].
// pack_columns(panel, k, units, to): a panel to to[unit * kPanel + column].
template <typename PackRows, typename PackColumns>
void multiply(const ProductShape& p, const ContractionKernels& kernels, const BlockSizes& blocks,
              ProductScratch& scratch, const PackRows& pack_rows,
              const PackColumns& pack_columns) {
    const std::size_t panels = (p.columns + kPanel - 1) / kPanel;
    const TileSize tile = tile_size(kernels, p.rows, panels);
    const std::size_t most_panels = tile.panels;
    // Tiles of as equal heights as can be, and blocks of these.
    const std::size_t tiles = parts_of(p.rows, tile.rows);
    const std::size_t row_blocks = parts_of(tiles, blocks.rows / tile.rows);
    const auto height_end = [&](std::size_t n) { return p.rows * (n + 1) / tiles; };
    const std::size_t block_panels = std::max<std::size_t>(blocks.columns / kPanel, most_panels);
    const auto& lengths = p.chains->lengths;
    for (std::size_t panel0 = 0; panel0 < panels; panel0 += block_panels) {
        const std::size_t panel_end = std::min(panels, panel0 + block_panels);
        std::size_t k0 = 0, chain = 0;
        do {
            // 1. As many whole chains as fit a block, one at least.
            const std::size_t first_chain = chain;
            std::size_t units = 0;
            while (chain < lengths.size() &&
                   (chain == first_chain || units + lengths[chain] <= blocks.units)) {
                units += lengths[chain++];
            }
            Tile t{};
            t.chains = lengths.data() + first_chain;
            t.chain_count = chain - first_chain;
            t.continues = first_chain > 0;
            t.ends = chain == lengths.size();
            const PlacedColumns& placed = p.placed_columns;
            // Panels that are read by one block of rows alone need not be kept.
            const bool is_once = p.direct_columns.data || row_blocks == 1;
            float* const column_panels = scratch.columns.at_least(
                (is_once ? most_panels : panel_end - panel0) * units * kPanel);
            for (std::size_t block = 0, row0 = 0; block < row_blocks; ++block) {
                const std::size_t first = tiles * block / row_blocks;
                const std::size_t end = tiles * (block + 1) / row_blocks, stack = end - first;
                const std::size_t row_end = height_end(end - 1);
                scratch.products.done((row_end - row0) * (panel_end - panel0) * kPanel * units);
                // 2. Rows in panels, if they are not read as they lie.
                float* row_panels = nullptr;
                if (!p.direct_rows.data) {
                    row_panels = scratch.rows.at_least((row_end - row0) * units);
                    for (std::size_t n = first, row = row0; n < end; ++n) {
                        const std::size_t count = height_end(n) - row;
                        pack_rows(row, count, k0, units, row_panels + (row - row0) * units);
                        row += count;
                    }
                }
                for (std::size_t panel = panel0; panel < panel_end;) {
                    // 3. Panels that are read together, in place if all can be.
                    const std::size_t left = panel_end - panel;
                    std::size_t count = parts_of(left, parts_of(left, most_panels));
                    const DirectColumns& direct = p.direct_columns;
                    auto table = &kernels.tiles;
                    if (placed.are_alike(panel, count)) {
                        table = &kernels.tiles_by_offsets;
                        t.b = placed.bases[panel];
                        t.b_panel = count > 1 ? placed.bases[panel + 1] - t.b : 0;
                        t.offsets = placed.offsets + k0;
                    } else if (direct.data && panel < direct.whole_panels) {
                        count = std::min(count, direct.whole_panels - panel);
                        t.b = direct.data + static_cast<std::ptrdiff_t>(k0) * direct.k_step +
                              static_cast<std::ptrdiff_t>(panel) * direct.panel;
                        t.b_k = direct.k_step;
                        t.b_panel = direct.panel;
                    } else {
                        if (direct.data) count = 1;
                        float* const to =
                            is_once ? column_panels
                                    : column_panels + (panel - panel0) * units * kPanel;
                        if (row0 == 0) {
                            for (std::size_t n = 0; n < count; ++n) {
                                pack_columns(panel + n, k0, units, to + n * units * kPanel);
                            }
                        }
                        t.b = to;
                        t.b_k = kPanel;
                        t.b_panel = static_cast<std::ptrdiff_t>(units * kPanel);
                    }
                    // 4. What comes next is fetched meanwhile, a part with each tile.
                    const std::size_t panel_bytes = units * kPanel * sizeof(float);
                    const std::size_t bytes = count * panel_bytes;
                    const bool are_far = !is_once && row0 > 0 &&
                                         (panel_end - panel0) * panel_bytes > kNearBytes;
                    const auto* next = static_cast<const char*>(p.next);
                    if ((direct.data || are_far) && panel + count < panel_end) {
                        next = reinterpret_cast<const char*>(t.b + count * t.b_panel);
                    }
                    t.fetch_lines = 0;
                    if (next && t.b_k == kPanel && bytes > 0 && bytes <= kFetchedBytes) {
                        const std::size_t steps = (units + kFetchStep - 1) / kFetchStep;
                        t.fetch_lines = panel_bytes / (stack * steps * kLineBytes) + 1;
                        t.fetch_panel = static_cast<std::ptrdiff_t>(panel_bytes);
                    }
                    // 5. Whole tiles of neighbours go to c, others by way of a tile of their own.
                    const std::size_t column = panel * kPanel;
                    const std::size_t columns = std::min(count * kPanel, p.columns - column);
                    const bool whole = p.c_column == 1 && columns == count * kPanel;
                    for (std::size_t n = first, row = row0; n < end; ++n) {
                        const std::size_t height = height_end(n) - row;
                        if (row_panels) {
                            t.a = row_panels + (row - row0) * units;
                            t.a_row = 1;
                            t.a_k = static_cast<std::ptrdiff_t>(height);
                        } else {
                            t.a_row = p.direct_rows.row;
                            t.a_k = p.direct_rows.k_step;
                            t.a = p.direct_rows.data + static_cast<std::ptrdiff_t>(row) * t.a_row +
                                  static_cast<std::ptrdiff_t>(k0) * t.a_k;
                        }
                        t.bias = p.bias ? p.bias + row : nullptr;
                        float* const c = p.c + static_cast<std::ptrdiff_t>(row) * p.c_row +
                                        static_cast<std::ptrdiff_t>(column) * p.c_column;
                        if (t.fetch_lines > 0) t.fetch = next + panel_bytes * (n - first) / stack;
                        const auto kernel = (*table)[height - 1][count - 1];
                        if (whole) {
                            t.c = c;
                            t.c_row = p.c_row;
                            kernel(t);
                        } else {
                            float edge[kMostSums];
                            const std::size_t width = count * kPanel;
                            t.c = edge;
                            t.c_row = static_cast<std::ptrdiff_t>(width);
                            const auto each = [&](const auto& work) {
                                for (std::size_t i = 0; i < height; ++i) {
                                    for (std::size_t j = 0; j < columns; ++j) {
                                        work(edge[i * width + j],
                                             c[static_cast<std::ptrdiff_t>(i) * p.c_row +
                                               static_cast<std::ptrdiff_t>(j) * p.c_column]);
                                    }
                                }
                            };
                            if (t.continues) {
                                std::fill_n(edge, height * width, 0.0f);
                                each([](float& inside, const float& outside) { inside = outside; });
                            }
                            kernel(t);
                            each([](const float& inside, float& outside) { outside = inside; });
                        }
                        row += height;
                    }
                    panel += count;
                }
                row0 = row_end;
            }
            k0 += units;
        } while (chain < lengths.size());
    }
}

}  // namespace indirectml
