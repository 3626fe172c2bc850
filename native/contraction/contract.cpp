#include "contract.h"

#include <algorithm>
#include <cmath>

#include "../team.h"
#include "batches.h"
#include "packing.h"
#include "product.h"

namespace indirectml {

namespace {

// The rows of a tile may be read as they lie, if not too often, and if they are not so many lines of
// the same set of the first cache that they push each other out.
constexpr std::size_t kDirectRowPasses = 16;

bool may_read_rows(const Contraction& task, const ContractionKernels& kernels,
                   std::size_t columns) {
    const std::size_t step = kernels.panels * kPanel, passes = (columns + step - 1) / step;
    if (task.a.type != OperandType::kFloat32 || passes > kDirectRowPasses) return false;
    if (task.a.row % 4 != 0 || task.a.column % 4 != 0) return false;
    const bool rows_meet = task.a.row % kCacheSetBytes == 0 && task.a.row != 0;
    // Half as far apart they meet in two sets, which is not enough either.
    const bool columns_meet = task.a.column % (kCacheSetBytes / 2) == 0 && task.a.column != 0;
    return passes <= 2 || !((rows_meet && kernels.rows[0] > kCacheWays) || columns_meet);
}

// The same of panels of b, whose rows are read by all tiles of a panel.
constexpr std::size_t kDirectColumnPasses = 2;
constexpr std::ptrdiff_t kDirectColumnBytes = 1 << 16;

bool may_read_columns(const Contraction& task, const ContractionKernels& kernels,
                      std::size_t rows) {
    if (task.b_is_in_panels) return true;
    const std::size_t passes = (rows + kernels.rows[0] - 1) / kernels.rows[0];
    if (task.b.type != OperandType::kFloat32 || task.b.column != 4) return false;
    if (task.b.row % 4 != 0) return false;
    return passes <= kDirectColumnPasses ||
           static_cast<std::ptrdiff_t>(task.depth) * task.b.row <= kDirectColumnBytes;
}

// A product of few rows waits for its matrix: an element of it takes as long as so many products.
constexpr double kProductsForElement = 4;

// How the work is cut: batch elements, or rows and columns of each.
struct Cut {
    unsigned batch, rows, columns;
    unsigned parts() const { return batch * rows * columns; }
};

Cut cut_of(const Contraction& task, std::size_t batch, const ContractionPolicy& policy) {
    const double products = static_cast<double>(batch) *
                            std::max(static_cast<double>(task.rows), kProductsForElement) *
                            static_cast<double>(task.columns) * static_cast<double>(task.depth);
    const unsigned threads =
        worthwhile_threads(products / policy.operations_per_thread, policy.max_threads);
    if (batch >= threads) return {threads, 1, 1};
    // One side of a matrix after the other, until there is work for all: each time that one where
    // less is packed more often, else the longer one.
    Cut cut{1, 1, 1};
    const std::size_t row_step = policy.kernels->rows[0];
    const auto can_cut = [&](bool by_rows) {
        const unsigned more = (by_rows ? cut.rows : cut.columns) + 1;
        const std::size_t steps = by_rows ? (task.rows + row_step - 1) / row_step
                                          : parts_of(task.columns, kPanel);
        return more * (by_rows ? cut.columns : cut.rows) <= threads && more <= steps;
    };
    while (can_cut(true) || can_cut(false)) {
        const std::size_t rows = task.rows / (cut.rows + 1);
        const std::size_t columns = task.columns / (cut.columns + 1);
        const std::size_t b_again = may_read_columns(task, *policy.kernels, rows) ? 0 : task.columns;
        const std::size_t a_again = may_read_rows(task, *policy.kernels, columns) ? 0 : task.rows;
        const bool by_rows = b_again != a_again ? b_again < a_again : rows >= columns;
        ++((can_cut(by_rows) ? by_rows : !by_rows) ? cut.rows : cut.columns);
    }
    return cut;
}

// work(place, rows, columns) for each thread's part of each batch element.
template <typename Work>
void for_each_part(const Contraction& task, const ContractionPolicy& policy, const Work& work) {
    std::size_t batch = 1;
    for (int axis = 0; axis < task.batch_axes; ++axis) batch *= task.batch_sizes[axis];
    if (batch == 0 || task.rows == 0 || task.columns == 0) return;
    const Cut cut = cut_of(task, batch, policy);
    run_team(cut.parts(), [&](unsigned part) {
        const Share elements = share_of(batch, 1, part / (cut.rows * cut.columns), cut.batch);
        const unsigned rest = part % (cut.rows * cut.columns);
        const Share rows = share_of(task.rows, 1, rest / cut.columns, cut.rows);
        const Share columns = share_of(task.columns, kPanel, rest % cut.columns, cut.columns);
        if (rows.is_empty() || columns.is_empty()) return;
        work(elements, rows, columns);
    });
}

bool is_word_aligned(const unsigned char* data, std::ptrdiff_t stride) {
    return reinterpret_cast<std::uintptr_t>(data) % 4 == 0 && stride % 4 == 0;
}

// One row times a matrix that is in panels, or is read as it lies; false if it cannot be.
bool multiply_vector(const Contraction& task, const Place& place, const Share& columns,
                     const ContractionKernels& kernels, ProductScratch& scratch) {
    const bool is_half = task.b.type == OperandType::kFloat16;
    if (task.rows != 1 || task.depth == 0 || (is_half && !task.b_is_in_panels)) return false;
    const std::size_t count = columns.end - columns.begin;
    VectorProduct product{nullptr, reinterpret_cast<const float*>(place.b), 0, task.depth, count,
                          nullptr, nullptr};
    auto kernel = kernels.multiply_by_panels;
    if (task.b_is_in_panels) {
        product.b_stride = static_cast<std::ptrdiff_t>(task.depth * kPanel);
        if (!is_half) product.b += columns.begin * task.depth;
    } else {
        const bool by_rows = task.b.column == 4, by_columns = task.b.row == 4;
        const std::ptrdiff_t stride = by_rows ? task.b.row : task.b.column;
        if ((!by_rows && !by_columns) || !is_word_aligned(place.b, stride)) return false;
        kernel = by_rows ? kernels.multiply_by_rows : kernels.multiply_by_columns;
        product.b_stride = stride / 4;
        product.b += static_cast<std::ptrdiff_t>(columns.begin) * (task.b.column / 4);
    }
    const Side a{place.a, task.a.type, task.a.row, task.a.column};
    float* const x = scratch.rows.at_least(task.depth);
    pack_floats(a, kernels, 0, 1, 0, task.depth, x, 1);
    product.x = x;
    product.sums = scratch.columns.at_least(count + std::max(count, task.depth));
    auto* const c = reinterpret_cast<float*>(
        place.c + static_cast<std::ptrdiff_t>(columns.begin) * task.c_column);
    const bool is_direct = task.c_column == 4;
    product.out = is_direct ? c : product.sums + std::max(count, task.depth);
    if (is_half) {
        const auto* halves = reinterpret_cast<const std::uint16_t*>(place.b);
        kernels.multiply_by_half_panels({x, halves + columns.begin * task.depth, product.b_stride,
                                         task.depth, count, product.out, product.sums});
    } else {
        kernel(product);
    }
    for (std::size_t j = 0; !is_direct && j < count; ++j) {
        c[static_cast<std::ptrdiff_t>(j) * (task.c_column / 4)] = product.out[j];
    }
    return true;
}

bool reads_rows(const Contraction& task, const Place& place, const ContractionKernels& kernels,
                std::size_t columns) {
    return is_word_aligned(place.a, 0) && may_read_rows(task, kernels, columns);
}

bool reads_columns(const Contraction& task, const Place& place, const ContractionKernels& kernels,
                   std::size_t rows) {
    return is_word_aligned(place.b, 0) && may_read_columns(task, kernels, rows);
}

}  // namespace

void contract(const Contraction& task, const ContractionPolicy& policy) {
    if (is_better_turned(task)) return contract(turned(task), policy);
    const ContractionKernels& kernels = *policy.kernels;
    const Chains chains = Chains::of_floats(task.depth);
    for_each_part(task, policy, [&](const Share& elements, const Share& rows,
                                    const Share& columns) {
        ProductScratch scratch;
        for (std::size_t element = elements.begin; element < elements.end; ++element) {
            const Place place = place_of(task, element);
            if (multiply_vector(task, place, columns, kernels, scratch)) {
                scratch.products.done(task.depth * (columns.end - columns.begin));
                continue;
            }
            const Side a{place.a, task.a.type, task.a.row, task.a.column};
            const Side b{place.b, task.b.type, task.b.column, task.b.row};
            ProductShape shape{};
            shape.rows = rows.end - rows.begin;
            shape.columns = columns.end - columns.begin;
            shape.chains = &chains;
            shape.c = reinterpret_cast<float*>(
                place.c + static_cast<std::ptrdiff_t>(rows.begin) * task.c_row +
                static_cast<std::ptrdiff_t>(columns.begin) * task.c_column);
            shape.c_row = task.c_row / 4;
            shape.c_column = task.c_column / 4;
            if (task.b_is_in_panels && task.b.type == OperandType::kFloat32) {
                const auto panel = static_cast<std::ptrdiff_t>(task.depth * kPanel);
                shape.direct_columns = {
                    reinterpret_cast<const float*>(place.b) +
                        static_cast<std::ptrdiff_t>(columns.begin / kPanel) * panel,
                    kPanel, panel, (shape.columns + kPanel - 1) / kPanel};
                // Of a product like this one, the same part.
                if (task.next) shape.next = task.next + columns.begin * task.depth * sizeof(float);
            }
            if (reads_rows(task, place, kernels, shape.columns)) {
                shape.direct_rows = {
                    reinterpret_cast<const float*>(
                        place.a + static_cast<std::ptrdiff_t>(rows.begin) * task.a.row),
                    task.a.row / 4, task.a.column / 4};
            }
            if (!task.b_is_in_panels && reads_columns(task, place, kernels, shape.rows)) {
                shape.direct_columns = {
                    reinterpret_cast<const float*>(
                        place.b + static_cast<std::ptrdiff_t>(columns.begin) * task.b.column),
                    task.b.row / 4, kPanel, shape.columns / kPanel};
            }
            const auto pack_rows = [&](std::size_t first, std::size_t count, std::size_t k,
                                       std::size_t units, float* to) {
                pack_floats(a, kernels, rows.begin + first, count, k, units, to, count);
            };
            const auto pack_columns = [&](std::size_t panel, std::size_t k, std::size_t units,
                                          float* to) {
                const std::size_t first = columns.begin + panel * kPanel;
                const std::size_t count = std::min(kPanel, columns.end - first);
                if (task.b_is_in_panels) {
                    const Side halves{place.b + 2 * first * task.depth, OperandType::kFloat16, 2,
                                      2 * static_cast<std::ptrdiff_t>(kPanel)};
                    return pack_floats(halves, kernels, 0, kPanel, k, units, to, kPanel);
                }
                if (count < kPanel) std::fill_n(to, units * kPanel, 0.0f);
                pack_floats(b, kernels, first, count, k, units, to, kPanel);
            };
            multiply(shape, kernels, BlockSizes{}, scratch, pack_rows, pack_columns);
        }
    });
}

void pack_halves(const Operand& b, std::size_t depth, std::size_t columns, std::uint16_t* to) {
    Pieces pieces;
    for (std::size_t first = 0; first < columns; first += kPanel) {
        pieces.done(depth * kPanel);
        for (std::size_t k = 0; k < depth; ++k, to += kPanel) {
            const unsigned char* at = b.data + static_cast<std::ptrdiff_t>(k) * b.row +
                                      static_cast<std::ptrdiff_t>(first) * b.column;
            for (std::size_t j = 0; j < kPanel; ++j, at += b.column) {
                to[j] = 0;
                if (first + j < columns) std::memcpy(&to[j], at, sizeof(to[j]));
            }
        }
    }
}

std::size_t panels_size(std::size_t depth, std::size_t columns) {
    return (columns + kPanel - 1) / kPanel * kPanel * depth;
}

void pack(const Operand& b, std::size_t depth, std::size_t columns,
          const ContractionKernels& kernels, float* to) {
    const DefaultFloatModes modes;
    const Side side{b.data, b.type, b.column, b.row};
    std::unique_ptr<float[]> panel(new float[depth * kPanel + kPanel]);
    Pieces pieces;
    for (std::size_t first = 0; first < columns; first += kPanel) {
        const std::size_t count = std::min(kPanel, columns - first);
        pack_floats(side, kernels, first, count, 0, depth, panel.get(), kPanel);
        for (std::size_t k = 0; k < depth && count < kPanel; ++k) {
            std::fill_n(panel.get() + k * kPanel + count, kPanel - count, 0.0f);
        }
        to = std::copy_n(panel.get(), depth * kPanel, to);
        pieces.done(depth * kPanel);
    }
}

}  // namespace indirectml
