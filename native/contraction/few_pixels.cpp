#include "few_pixels.h"

#include <algorithm>
#include <limits>

namespace indirectml {

namespace {

// Beyond so many pixels, vectors of them are all but full, and many are read where they lie.
constexpr std::size_t kFewPixels = 256;
// Bringing an element of a filter into its place, in products of it with a pixel.
constexpr std::size_t kMoveProducts = 12;

// A row of pixels by a matrix whose columns are filters; false where no kernel reads it as it lies.
bool multiply_pixel(const FewPixels& p, const PackImage& pack_image,
                    const ContractionKernels& kernels, float* out, float* x) {
    const auto& lengths = p.chains->lengths;
    if (p.depth == 0 || lengths.size() != (p.depth + kChain - 1) / kChain) return false;
    for (std::size_t n = 0; n + 1 < lengths.size(); ++n) {
        if (lengths[n] != kChain) return false;
    }
    VectorProduct product{x, p.panels, static_cast<std::ptrdiff_t>(p.depth * kPanel), p.depth,
                          p.filters, out, x + p.depth};
    auto kernel = kernels.multiply_by_panels;
    if (!p.panels) {
        const bool lies_well = p.filter.type == OperandType::kFloat32 && p.filter.k_step == 4 &&
                               p.filter.line % 4 == 0 &&
                               reinterpret_cast<std::uintptr_t>(p.filter.data) % 4 == 0;
        if (!lies_well) return false;
        product.b = reinterpret_cast<const float*>(p.filter.data);
        product.b_stride = p.filter.line / 4;
        kernel = kernels.multiply_by_columns;
    }
    for (std::size_t k0 = 0; k0 < p.depth; k0 += kChain) {
        const std::size_t units = std::min(kChain, p.depth - k0);
        const float* image = p.image + static_cast<std::ptrdiff_t>(k0) * p.image_k;
        float panel[kChain * kPanel];
        if (!p.image) pack_image(k0, units, panel);
        const float* const from = p.image ? image : panel;
        const std::ptrdiff_t step = p.image ? p.image_k : kPanel;
        for (std::size_t k = 0; k < units; ++k) {
            x[k0 + k] = from[static_cast<std::ptrdiff_t>(k) * step];
        }
    }
    kernel(product);
    return true;
}

// From results of neighbouring filters to those of neighbouring pixels.
void bring_home(const FewPixels& p, const ContractionKernels& kernels, const float* results,
                float* block) {
    const std::size_t row = in_panels(p.filters), width = in_panels(p.pixels);
    for (std::size_t first = 0; first < p.filters; first += kPanel) {
        const std::size_t filters = std::min(kPanel, p.filters - first);
        for (std::size_t pixel = 0; pixel < p.pixels; pixel += kPanel) {
            kernels.transpose(results + pixel * row + first, static_cast<std::ptrdiff_t>(row),
                              std::min(kPanel, p.pixels - pixel), filters, block + pixel, width);
        }
        for (std::size_t i = 0; p.bias && i < filters; ++i) {
            for (std::size_t j = 0; j < p.pixels; ++j) {
                const float sum = block[i * width + j] + p.bias[first + i];
                block[i * width + j] = sum == sum ? sum : std::numeric_limits<float>::quiet_NaN();
            }
        }
        kernels.copy_pixels({block, static_cast<std::ptrdiff_t>(width), filters, p.pixels,
                             p.to + static_cast<std::ptrdiff_t>(first) * p.to_row, p.to_row});
    }
}

}  // namespace

bool has_few_pixels(std::size_t pixels, std::size_t filters, bool is_in_panels) {
    const std::size_t moves = is_in_panels ? 0 : kMoveProducts;
    return pixels <= kFewPixels &&
           (pixels + moves) * in_panels(filters) < in_panels(pixels) * filters;
}

void multiply_few_pixels(const FewPixels& p, const PackImage& pack_image,
                         const ContractionKernels& kernels, ProductScratch& scratch) {
    const std::size_t row = in_panels(p.filters), width = in_panels(p.pixels);
    const BlockSizes blocks;
    std::size_t most_units = blocks.units;
    for (const std::uint32_t length : p.chains->lengths) {
        most_units = std::max<std::size_t>(most_units, length);
    }
    // Results, those of a panel of filters by pixels, and the image of some k, or a pixel's.
    const std::size_t vectors =
        std::max(most_units * width, p.pixels > 1 ? 0 : p.depth + std::max(p.depth, p.filters));
    float* const results = scratch.edge.at_least(p.pixels * row + kPanel * width + vectors);
    float* const block = results + p.pixels * row;
    float* const image = block + kPanel * width;
    if (p.pixels == 1 && multiply_pixel(p, pack_image, kernels, results, image)) {
        return bring_home(p, kernels, results, block);
    }
    ProductShape shape{};
    shape.rows = p.pixels;
    shape.columns = row;
    shape.chains = p.chains;
    shape.c = results;
    shape.c_row = static_cast<std::ptrdiff_t>(row);
    shape.c_column = 1;
    if (p.image) shape.direct_rows = {p.image, 1, p.image_k};
    if (p.panels) {
        shape.direct_columns = {p.panels, kPanel, static_cast<std::ptrdiff_t>(p.depth * kPanel),
                                row / kPanel};
    }
    const auto pack_rows = [&](std::size_t pixel, std::size_t count, std::size_t k,
                               std::size_t units, float* to) {
        // The first of a block of k brings its image.
        if (pixel == 0) pack_image(k, units, image);
        kernels.copy(image + pixel, static_cast<std::ptrdiff_t>(width), count, units, to, count);
    };
    const auto pack_columns = [&](std::size_t panel, std::size_t k, std::size_t units, float* to) {
        const std::size_t first = panel * kPanel, count = std::min(kPanel, p.filters - first);
        if (count < kPanel) std::fill_n(to, units * kPanel, 0.0f);
        pack_floats(p.filter, kernels, first, count, k, units, to, kPanel);
    };
    multiply(shape, kernels, blocks, scratch, pack_rows, pack_columns);
    bring_home(p, kernels, results, block);
}

}  // namespace indirectml
