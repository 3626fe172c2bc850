// Products with stored weights: a row by itself; more rows by the tiles of other products, each panel
// widened for them while it stays in the second cache.
#include "product.h"

#include <algorithm>

#include "../contraction/packing.h"
#include "../contraction/product.h"
#include "../team.h"

namespace indirectml {
namespace weights {

INDIRECTML_DEFINE_KERNELS_OF

namespace {

// Products for which a thread is worth starting, whose elements are a few to one of FLOAT32.
constexpr double kProductsPerThread = 4e6;

void multiply_row(const Product& task, const Kernels& kernels, const float* x, const Share& columns,
                  Scratch& scratch) {
    const std::size_t count = columns.end - columns.begin;
    auto* const c = reinterpret_cast<float*>(
        task.c + static_cast<std::ptrdiff_t>(columns.begin) * task.c_column);
    const bool is_direct = task.c_column == 4;
    float* const out = is_direct ? c : scratch.at_least(count);
    kernels.multiply_row(task.stored, {x, columns.begin / kPanel, count, out});
    for (std::size_t j = 0; !is_direct && j < count; ++j) {
        c[static_cast<std::ptrdiff_t>(j) * (task.c_column / 4)] = out[j];
    }
}

void multiply_rows(const Product& task, const Kernels& kernels, const ContractionKernels& tiles,
                   const Chains& chains, const Share& columns) {
    ProductScratch scratch;
    const Side a{task.a.data, task.a.type, task.a.row, task.a.column};
    ProductShape shape{};
    shape.rows = task.rows;
    shape.columns = columns.end - columns.begin;
    shape.chains = &chains;
    shape.c = reinterpret_cast<float*>(task.c +
                                       static_cast<std::ptrdiff_t>(columns.begin) * task.c_column);
    shape.c_row = task.c_row / 4;
    shape.c_column = task.c_column / 4;
    const auto pack_rows = [&](std::size_t first, std::size_t count, std::size_t k,
                               std::size_t units, float* to) {
        pack_floats(a, tiles, first, count, k, units, to, count);
    };
    const auto widen_columns = [&](std::size_t panel, std::size_t k, std::size_t units, float* to) {
        kernels.widen(task.stored, columns.begin / kPanel + panel, k, units, to);
    };
    indirectml::multiply(shape, tiles, BlockSizes{}, scratch, pack_rows, widen_columns);
}

}  // namespace

void multiply(const Product& task, const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const ContractionKernels& tiles = *contraction_kernels(policy.target->name);
    const double products = static_cast<double>(task.rows) * static_cast<double>(task.columns) *
                            static_cast<double>(task.stored.depth);
    const unsigned threads = worthwhile_threads(products / kProductsPerThread, policy.max_threads);
    const Chains chains = Chains::of_floats(task.stored.depth);
    constexpr std::size_t kStep = 4 * kPanel;
    run_team(threads, [&](unsigned part) {
        const Share columns = share_of(task.columns, kStep, part, threads);
        if (columns.is_empty()) return;
        if (task.rows > 1) return multiply_rows(task, kernels, tiles, chains, columns);
        Scratch row, beside;
        float* const x = row.at_least(task.stored.depth);
        pack_floats({task.a.data, task.a.type, task.a.row, task.a.column}, tiles, 0, 1, 0,
                    task.stored.depth, x, 1);
        multiply_row(task, kernels, x, columns, beside);
    });
}

void store(const Integers& from, std::size_t depth, std::size_t columns, std::uint32_t* to) {
    const std::size_t numbers = numbers_of_word(from.bits);
    const std::uint32_t mask = (1u << from.bits) - 1;
    const std::uint32_t half = from.is_signed ? 1u << (from.bits - 1) : 0;
    const bool in_halves = from.bits == 4 && from.halves;
    const auto number_at = [&](std::ptrdiff_t at) {
        const std::uint32_t number = in_halves ? from.data[at / 2] >> (at % 2 * 4) : from.data[at];
        return (number & mask) ^ half;
    };
    // Whole words that lie there as they are to lie: bytes, in the order of this machine or not.
    const std::size_t per_byte = in_halves ? 2 : 1;
    const bool is_ready = from.row == 1 && in_halves == (from.bits == 4);
    std::uint32_t halves = 0;
    for (std::size_t n = 0; n < numbers; ++n) halves |= half << (n * from.bits);
    Pieces pieces;
    for (std::size_t first = 0; first < columns; first += kPanel) {
        const std::size_t count = std::min(kPanel, columns - first);
        for (std::size_t k = 0; k < depth; k += numbers, to += kPanel) {
            std::fill_n(to, kPanel, 0u);
            const std::size_t end = std::min(numbers, depth - k);
            for (std::size_t j = 0; j < count; ++j) {
                const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first + j) * from.column +
                                          static_cast<std::ptrdiff_t>(k) * from.row;
                if (is_ready && end == numbers && at % static_cast<std::ptrdiff_t>(per_byte) == 0) {
                    const unsigned char* const bytes =
                        from.data + at / static_cast<std::ptrdiff_t>(per_byte);
                    std::uint32_t word = 0;
                    for (std::size_t n = 0; n < sizeof(word); ++n) {
                        word |= static_cast<std::uint32_t>(bytes[n]) << (8 * n);
                    }
                    to[j] = word ^ halves;
                    continue;
                }
                for (std::size_t n = 0; n < end; ++n) {
                    const auto step = static_cast<std::ptrdiff_t>(n) * from.row;
                    to[j] |= number_at(at + step) << (n * from.bits);
                }
            }
        }
        pieces.done(depth * kPanel);
    }
}

}  // namespace weights
}  // namespace indirectml
