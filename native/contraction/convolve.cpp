#include "convolve.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "../lanes/f32_portable.h"
#include "../team.h"
#include "channels_last.h"
#include "depthwise.h"
#include "few_pixels.h"
#include "packing.h"
#include "planes.h"
#include "product.h"

namespace indirectml {

namespace {

// Strides at which rows push each other out of the first cache.
constexpr std::ptrdiff_t kMeetingBytes = 512;

// Where the results of a phase go: c[filter * row + pixel].
struct Output {
    float* c;
    std::ptrdiff_t row;
};

// A share of the filters and pixels of a phase.
struct Part {
    Share filters, pixels;
};
Part part_of(const Convolution& task, const Phase& phase, unsigned part, unsigned parts) {
    const std::size_t panels = (phase.pixels + kPanel - 1) / kPanel;
    if (task.filter_panels || (panels < 4 * parts && task.filters >= parts)) {
        const std::size_t step = task.filter_panels ? kPanel : 1;
        return {share_of(task.filters, step, part, parts), {0, phase.pixels}};
    }
    return {{0, task.filters}, share_of(phase.pixels, kPanel, part, parts)};
}

// Whether the pixels of a phase are neighbours in the output.
bool is_direct(const Convolution& task, const Phase& phase, const std::size_t* steps) {
    std::ptrdiff_t expected = 4;
    for (int d = kSpatial - 1; d >= 0; --d) {
        const bool follows = steps[d] == 1 && task.output_position[d] == expected;
        if (phase.sizes[d] != 1 && !follows) return false;
        expected *= static_cast<std::ptrdiff_t>(phase.sizes[d]);
    }
    return true;
}

// Results that were computed beside the output, brought into it.
void spread(const Convolution& task, const Phase& phase, const std::size_t* steps, const Part& part,
            const float* beside, unsigned char* base) {
    const std::ptrdiff_t* strides = task.output_position;
    for (std::size_t m = part.filters.begin; m < part.filters.end; ++m) {
        std::size_t pixel = part.pixels.begin;
        while (pixel < part.pixels.end) {
            const std::size_t column = pixel % phase.sizes[2], rest = pixel / phase.sizes[2];
            const std::size_t row = rest % phase.sizes[1], layer = rest / phase.sizes[1];
            const std::size_t end =
                std::min(part.pixels.end, pixel - column + phase.sizes[2]);
            unsigned char* to =
                base + static_cast<std::ptrdiff_t>(m) * task.output_channel +
                static_cast<std::ptrdiff_t>(layer * steps[0]) * strides[0] +
                static_cast<std::ptrdiff_t>(row * steps[1]) * strides[1] +
                static_cast<std::ptrdiff_t>(column * steps[2]) * strides[2];
            const float* from = beside + m * phase.pixels;
            for (; pixel < end; ++pixel) {
                std::memcpy(to, from + pixel, sizeof(float));
                to += static_cast<std::ptrdiff_t>(steps[2]) * strides[2];
            }
        }
    }
}

// Everything but the products: planes of each image and group, phases, threads.
// `copy` is that of Planes::fill; multiply_part(data, phase, image, group, part, out, scratch)
// computes a share of a phase.
template <typename Copy, typename MultiplyPart>
void convolve_by(const Convolution& task, const ContractionPolicy& policy, const Planes& planes,
                 bool needs_planes, const Copy& copy, const MultiplyPart& multiply_part) {
    std::size_t steps[kSpatial];
    for (int d = 0; d < kSpatial; ++d) steps[d] = planes.dims[d].step;
    std::vector<Phase> phases;
    double products = 0;
    std::size_t most_pixels = 0;
    Sizes number;
    for (number[0] = 0; number[0] < planes.dims[0].phases; ++number[0])
        for (number[1] = 0; number[1] < planes.dims[1].phases; ++number[1])
            for (number[2] = 0; number[2] < planes.dims[2].phases; ++number[2]) {
                Phase phase = make_phase(task, planes, number);
                if (phase.pixels == 0) continue;
                products += static_cast<double>(phase.pixels) *
                            static_cast<double>(phase.offsets.size());
                if (!is_direct(task, phase, steps)) {
                    most_pixels = std::max(most_pixels, phase.pixels);
                }
                phases.push_back(std::move(phase));
            }
    const std::size_t units = task.images * task.groups;
    products *= static_cast<double>(units) * static_cast<double>(task.filters);
    const unsigned threads =
        worthwhile_threads(products / policy.operations_per_thread, policy.max_threads);

    // One image and group, by a team that shares the memory.
    const auto do_unit = [&](std::size_t unit, unsigned part, Team& team, float* data,
                             float* beside, ProductScratch& scratch) {
        const std::size_t image = unit / task.groups, group = unit % task.groups;
        const unsigned char* input =
            task.input.data + static_cast<std::ptrdiff_t>(image) * task.input.image +
            static_cast<std::ptrdiff_t>(group * task.channels) * task.input.channel;
        unsigned char* output =
            task.output + static_cast<std::ptrdiff_t>(image) * task.output_image +
            static_cast<std::ptrdiff_t>(group * task.filters) * task.output_channel;
        if (needs_planes) {
            team.wait();  // for those who still read the former planes
            for (std::size_t c = task.channels * part / team.size();
                 c < task.channels * (part + 1) / team.size(); ++c) {
                planes.fill(task, input, c, data, copy);
                scratch.products.done(planes.size / task.channels);
            }
            team.wait();
        }
        for (const Phase& phase : phases) {
            const Part share = part_of(task, phase, part, team.size());
            if (share.filters.is_empty() || share.pixels.is_empty()) continue;
            unsigned char* base = output;
            for (int d = 0; d < kSpatial; ++d) {
                base += static_cast<std::ptrdiff_t>(phase.at[d]) * task.output_position[d];
            }
            if (is_direct(task, phase, steps)) {
                const Output out{reinterpret_cast<float*>(base), task.output_channel / 4};
                multiply_part(data, phase, image, group, share, out, scratch);
            } else {
                const Output out{beside, static_cast<std::ptrdiff_t>(phase.pixels)};
                multiply_part(data, phase, image, group, share, out, scratch);
                spread(task, phase, steps, share, beside, base);
            }
        }
    };
    const std::size_t plane_units = needs_planes ? planes.size : 0;
    const std::size_t beside_units = task.filters * most_pixels;
    if (units >= threads) {
        run_together(threads, [&](unsigned member, const Team& team) {
            const PlaneMemory memory(plane_units);
            const std::unique_ptr<float[]> beside(new float[beside_units]);
            ProductScratch scratch;
            Team alone;
            for (std::size_t unit = units * member / team.size();
                 unit < units * (member + 1) / team.size(); ++unit) {
                do_unit(unit, 0, alone, memory.data(), beside.get(), scratch);
            }
        });
        return;
    }
    const PlaneMemory memory(plane_units);
    run_together(threads, [&](unsigned member, Team& team) {
        // Of each thread: while one brings its results to the output, others are a phase further.
        const std::unique_ptr<float[]> beside(new float[beside_units]);
        ProductScratch scratch;
        for (std::size_t unit = 0; unit < units; ++unit) {
            do_unit(unit, member, team, memory.data(), beside.get(), scratch);
        }
    });
}

// Pixels of images that have one: rows times the matrix of filters, in panels.
void multiply_pixels(const Convolution& task, const ContractionPolicy& policy) {
    Contraction product{};
    product.rows = task.images;
    product.columns = task.filters;
    product.depth = task.channels;
    product.a = {task.input.data, task.input.type, task.input.image, task.input.channel, {}};
    const void* const panels = task.filter_panels;
    product.b = {static_cast<const unsigned char*>(panels ? panels : task.half_panels),
                 panels ? OperandType::kFloat32 : OperandType::kFloat16, 0, 0, {}};
    product.b_is_in_panels = true;
    product.c = task.output;
    product.c_row = task.output_image;
    product.c_column = task.output_channel;
    contract(product, policy);
    const DefaultFloatModes modes;
    for (std::size_t image = 0; image < task.images && task.bias; ++image) {
        unsigned char* to = task.output + static_cast<std::ptrdiff_t>(image) * task.output_image;
        for (std::size_t m = 0; m < task.filters; ++m, to += task.output_channel) {
            float sum;
            std::memcpy(&sum, to, sizeof(sum));
            sum += task.bias[m];
            if (sum != sum) sum = std::numeric_limits<float>::quiet_NaN();
            std::memcpy(to, &sum, sizeof(sum));
        }
    }
}

// The filter of a group's first output channel, and from one channel to the next.
struct FilterRows {
    const unsigned char* data;
    std::ptrdiff_t row;
};
FilterRows filter_rows(const Convolution& task, std::size_t group) {
    if (task.is_backward) {
        return {task.filter.data +
                    static_cast<std::ptrdiff_t>(group * task.channels) * task.filter.image,
                task.filter.channel};
    }
    return {task.filter.data + static_cast<std::ptrdiff_t>(group * task.filters) * task.filter.image,
            task.filter.image};
}

// A filter of one size, at every pixel: then the planes are the input itself, if its pixels are
// neighbours.
bool is_pointwise(const Convolution& task) {
    if (task.input.type != OperandType::kFloat32 ||
        reinterpret_cast<std::uintptr_t>(task.input.data) % 4 != 0 ||
        task.input.channel % 4 != 0 || task.input.image % 4 != 0) {
        return false;
    }
    std::ptrdiff_t expected = 4;
    for (int d = kSpatial - 1; d >= 0; --d) {
        if (task.filter_sizes[d] != 1 || task.strides[d] != 1 || task.start_padding[d] != 0) {
            return false;
        }
        if (task.input_sizes[d] != task.output_sizes[d]) return false;
        if (task.input_sizes[d] != 1 && task.input.position[d] != expected) return false;
        expected *= static_cast<std::ptrdiff_t>(task.input_sizes[d]);
    }
    return true;
}

void copy_floats(const unsigned char* from, std::ptrdiff_t row_step, std::ptrdiff_t step,
                 std::size_t rows, std::size_t columns, OperandType type,
                 const ContractionKernels& kernels, float* to, std::size_t to_row) {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(from) % 4 == 0 && row_step % 4 == 0;
    if (type == OperandType::kFloat32 && is_aligned && (step == 4 || step == 8)) {
        const PixelRows pixels{reinterpret_cast<const float*>(from), row_step / 4, rows, columns,
                               to, static_cast<std::ptrdiff_t>(to_row)};
        return (step == 4 ? kernels.copy_pixels : kernels.copy_every_second)(pixels);
    }
    const bool is_packed_half = type == OperandType::kFloat16 && step == 2 && row_step % 2 == 0 &&
                                reinterpret_cast<std::uintptr_t>(from) % 2 == 0;
    for (std::size_t i = 0; i < rows; ++i, from += row_step, to += to_row) {
        std::size_t j = 0;
        if (is_packed_half) {
            j = columns / kPanel * kPanel;
            kernels.copy_half(reinterpret_cast<const std::uint16_t*>(from), 0, j, 1, to, 0);
        }
        for (; j < columns; ++j) {
            to[j] = element_of(from + static_cast<std::ptrdiff_t>(j) * step, type);
        }
    }
}

// One filter a group: rows of pixels at a time, from the planes.
void convolve_with_one_filter(const Convolution& task, const ContractionKernels& kernels,
                              const Planes& planes, const float* data, const Phase& phase,
                              const FilterRows& filter, const float* bias, const Part& part,
                              float* out, ProductScratch& scratch) {
    constexpr std::size_t kBlock = 4096;
    float* const factors = scratch.rows.at_least(phase.weights.size());
    for (std::size_t k = 0; k < phase.weights.size(); ++k) {
        factors[k] = element_of(filter.data + phase.weights[k], task.filter.type);
    }
    const std::size_t width = phase.sizes[2], pitch = planes.dims[2].extent;
    const std::size_t rows_a_block = std::max<std::size_t>(1, kBlock / pitch);
    float* const block = scratch.columns.at_least(rows_a_block * pitch + kPanel);
    std::size_t pixel = part.pixels.begin;
    while (pixel < part.pixels.end) {
        // From a pixel to the end of a row some rows further on, within a layer.
        const std::size_t column = pixel % width, row = pixel / width % phase.sizes[1];
        const std::size_t rows = std::min(rows_a_block, phase.sizes[1] - row);
        const std::size_t end = std::min(part.pixels.end, pixel - column + rows * width);
        const std::size_t last_row = (end - 1) / width - pixel / width;
        TapProduct product{factors,
                           data + pixel_offset(planes, phase, pixel) -
                               static_cast<std::ptrdiff_t>(column),
                           phase.offsets.data(),
                           phase.chains.lengths.data(),
                           phase.chains.lengths.size(),
                           last_row * pitch + width,
                           bias,
                           block};
        kernels.multiply_taps(product);
        // The rest of a row, whole rows, the beginning of one.
        const float* from = block;
        const auto copy = [&](std::size_t first, std::size_t count, std::size_t times) {
            kernels.copy_pixels({from + first, static_cast<std::ptrdiff_t>(pitch), times, count,
                                 out + pixel, static_cast<std::ptrdiff_t>(width)});
            pixel += count * times;
            from += pitch * times;
        };
        if (column > 0) copy(column, std::min(width - column, end - pixel), 1);
        if (pixel < end && end - pixel >= width) copy(0, width, (end - pixel) / width);
        if (pixel < end) copy(0, end - pixel, 1);
    }
}

// Results of ways that have no limits themselves.
void limit_results(const Convolution& task) {
    const auto& [limit, least, most, rounds] = task.limits;
    const std::size_t sizes[] = {task.images, task.groups * task.filters, task.output_sizes[0],
                                 task.output_sizes[1], task.output_sizes[2]};
    const std::ptrdiff_t strides[] = {task.output_image, task.output_channel, task.output_position[0],
                                      task.output_position[1], task.output_position[2]};
    std::size_t count = 1;
    for (const std::size_t size : sizes) count *= size;
    for (std::size_t n = 0; n < count; ++n) {
        unsigned char* at = task.output;
        for (std::size_t d = std::size(sizes), left = n; d-- > 0; left /= sizes[d]) {
            at += static_cast<std::ptrdiff_t>(left % sizes[d]) * strides[d];
        }
        float result;
        std::memcpy(&result, at, sizeof(result));
        if (rounds) {
            result = lanes::portable::widen(lanes::portable::F64::half(static_cast<double>(result)));
        }
        if (limit == Limit::kPositive) {
            result = result <= 0 ? 0.0f : result;
        } else if (limit == Limit::kRange) {
            result = result < least ? least : result;
            result = most < result ? most : result;
        }
        std::memcpy(at, &result, sizeof(result));
    }
}

}  // namespace

bool is_of_one_pixel(const Convolution& task) {
    if (task.groups != 1 || task.is_backward) return false;
    for (int d = 0; d < kSpatial; ++d) {
        if (task.filter_sizes[d] != 1 || task.input_sizes[d] != 1 || task.output_sizes[d] != 1) return false;
        if (task.start_padding[d] != 0) return false;
    }
    return true;
}

void convolve(const Convolution& task, const ContractionPolicy& policy) {
    const bool is_in_panels = task.filter_panels || task.half_panels;
    if (convolve_channels_last(task, policy)) return;
    if (!task.limits.change_nothing()) {
        Convolution plain = task;
        plain.limits = {};
        convolve(plain, policy);
        return limit_results(task);
    }
    if (is_in_panels && is_of_one_pixel(task)) return multiply_pixels(task, policy);
    if (task.half_panels) {
        const std::vector<float> panels = widened_panels(task, *policy.kernels);
        Convolution plain = task;
        plain.half_panels = nullptr;
        plain.filter_panels = panels.data();
        return convolve(plain, policy);
    }
    if (task.has_channel_panels) {
        const std::vector<float> weights = unpacked_channel_filters(task);
        const std::size_t taps = weights.size() / task.groups;
        Convolution plain = task;
        plain.filter_panels = nullptr;
        plain.has_channel_panels = false;
        plain.filter.data = reinterpret_cast<const unsigned char*>(weights.data());
        plain.filter.type = OperandType::kFloat32;
        plain.filter.image = static_cast<std::ptrdiff_t>(taps * sizeof(float));
        std::ptrdiff_t stride = sizeof(float);
        for (int d = kSpatial - 1; d >= 0; --d) {
            plain.filter.position[d] = stride;
            stride *= static_cast<std::ptrdiff_t>(task.filter_sizes[d]);
        }
        plain.filter.channel = stride;
        return convolve(plain, policy);
    }
    if (!task.filter_panels && convolve_planes(task, policy)) return;
    const DefaultFloatModes modes;
    const ContractionKernels& kernels = *policy.kernels;
    const Planes planes(task);
    const bool pointwise = is_pointwise(task);
    const auto copy = [&](const unsigned char* from, std::ptrdiff_t row_step, std::ptrdiff_t step,
                          std::size_t rows, std::size_t columns, float* to, std::size_t to_row) {
        copy_floats(from, row_step, step, rows, columns, task.input.type, kernels, to, to_row);
    };
    const auto multiply_part = [&](const float* data, const Phase& phase, std::size_t image,
                                   std::size_t group, const Part& part, const Output& out,
                                   ProductScratch& scratch) {
        FilterRows filter = filter_rows(task, group);
        const float* bias = task.bias ? task.bias + group * task.filters : nullptr;
        if (task.filters == 1 && !pointwise && !task.filter_panels) {
            return convolve_with_one_filter(task, kernels, planes, data, phase, filter, bias, part,
                                            out.c, scratch);
        }
        filter.data += static_cast<std::ptrdiff_t>(part.filters.begin) * filter.row;
        const Side pixels{task.input.data +
                              static_cast<std::ptrdiff_t>(image) * task.input.image +
                              static_cast<std::ptrdiff_t>(group * task.channels) *
                                  task.input.channel +
                              static_cast<std::ptrdiff_t>(part.pixels.begin) * 4,
                          OperandType::kFloat32, 4, task.input.channel};
        const auto pack_pixels = [&](std::size_t panel, std::size_t k, std::size_t units, float* to,
                                     std::size_t to_k) {
            Runs runs[kPanel];
            for (std::size_t v = 0; v < kPanel / kernels.lanes; ++v) {
                runs[v] = runs_of(planes, phase,
                                  part.pixels.begin + panel * kPanel + v * kernels.lanes,
                                  kernels.lanes);
            }
            kernels.pack_pixels(data, phase.offsets.data() + k, units, runs, to, to_k);
        };
        ProductShape shape{};
        shape.rows = part.filters.end - part.filters.begin;
        shape.columns = part.pixels.end - part.pixels.begin;
        shape.chains = &phase.chains;
        shape.c = out.c + static_cast<std::ptrdiff_t>(part.filters.begin) * out.row +
                  static_cast<std::ptrdiff_t>(part.pixels.begin);
        shape.c_row = out.row;
        shape.c_column = 1;
        shape.bias = bias ? bias + part.filters.begin : nullptr;
        const Side weights{filter.data, task.filter.type, filter.row,
                           task.filter.type == OperandType::kFloat16 ? 2 : 4};
        const bool is_in_panels = task.filter_panels != nullptr;
        if (is_in_panels ||
            (phase.weights_follow && has_few_pixels(shape.columns, shape.rows, is_in_panels))) {
            const std::size_t depth = phase.offsets.size(), width = in_panels(shape.columns);
            FewPixels few{shape.rows, shape.columns, &phase.chains, depth,   nullptr,    0,
                          weights,    nullptr,       shape.bias,    shape.c, shape.c_row};
            if (is_in_panels) {
                few.panels = task.filter_panels +
                             (group * in_panels(task.filters) + part.filters.begin) * depth;
            }
            if (pointwise) {
                few.image = reinterpret_cast<const float*>(pixels.data);
                few.image_k = task.input.channel / 4;
            }
            const auto pack_image = [&](std::size_t k, std::size_t units, float* to) {
                for (std::size_t panel = 0; panel * kPanel < shape.columns; ++panel) {
                    pack_pixels(panel, k, units, to + panel * kPanel, width);
                }
            };
            return multiply_few_pixels(few, pack_image, kernels, scratch);
        }
        const bool weights_lie_well = phase.weights_follow && filter.row % 4 == 0 &&
                                      task.filter.type == OperandType::kFloat32 &&
                                      reinterpret_cast<std::uintptr_t>(filter.data) % 4 == 0;
        if (weights_lie_well && (filter.row % kCacheSetBytes != 0 || kernels.rows[0] <= kCacheWays)) {
            shape.direct_rows = {reinterpret_cast<const float*>(filter.data), filter.row / 4, 1};
        }
        if (pointwise && task.input.channel % kMeetingBytes != 0) {
            shape.direct_columns = {reinterpret_cast<const float*>(pixels.data),
                                    task.input.channel / 4, kPanel, shape.columns / kPanel};
        }
        // Where the pixels of a panel are neighbours in the planes, they are read there.
        std::vector<const float*> bases;
        if (!pointwise) {
            for (std::size_t n = 0; n < shape.columns; n += kPanel) {
                const Runs run = runs_of(planes, phase, part.pixels.begin + n, kPanel);
                bases.push_back(run.count == 1 ? data + run.shift[0] : nullptr);
            }
            shape.placed_columns = {bases.data(), phase.offsets.data()};
        }
        const auto pack_rows = [&](std::size_t row, std::size_t count, std::size_t k,
                                   std::size_t units, float* to) {
            if (phase.weights_follow) {
                return pack_floats(weights, kernels, row, count, k, units, to, count);
            }
            for (std::size_t i = 0; i < count; ++i) {
                const unsigned char* at =
                    filter.data + static_cast<std::ptrdiff_t>(row + i) * filter.row;
                for (std::size_t unit = 0; unit < units; ++unit) {
                    to[unit * count + i] =
                        element_of(at + phase.weights[k + unit], task.filter.type);
                }
            }
        };
        const auto pack_columns = [&](std::size_t panel, std::size_t k, std::size_t units,
                                      float* to) {
            const std::size_t first = panel * kPanel;
            if (pointwise) {
                const std::size_t count = std::min(kPanel, shape.columns - first);
                return pack_floats(pixels, kernels, first, count, k, units, to, kPanel);
            }
            pack_pixels(panel, k, units, to, kPanel);
        };
        multiply(shape, kernels, BlockSizes{}, scratch, pack_rows, pack_columns);
    };
    convolve_by(task, policy, planes, !pointwise, copy, multiply_part);
}

}  // namespace indirectml
