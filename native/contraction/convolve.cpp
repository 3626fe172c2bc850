#include "convolve.h"

#include <algorithm>
#include <vector>

#include "../team.h"
#include "packing.h"
#include "product.h"

namespace indirectml {

namespace {

using Sizes = std::size_t[kSpatial];

// One dimension of a convolution: output position phase + t * step reads, for tap r of the filter,
// position t + shift of plane `plane` of the input. Element j of a plane is the input's
// at j * input_step + start.
struct Tap {
    bool is_hole;  // between the elements of a strided input: there is nothing to read
    std::size_t plane;
    std::ptrdiff_t shift;
};

struct Dimension {
    std::size_t phases;  // of the output, each with taps of its own
    std::size_t step;
    std::vector<std::vector<Tap>> taps;  // by phase
    std::vector<std::ptrdiff_t> plane_starts;
    std::ptrdiff_t input_step;
    std::size_t extent;  // of a plane

    std::size_t positions(std::size_t phase, std::size_t output) const {
        return phase < output ? (output - phase + step - 1) / step : 0;
    }
};

// Forwards, the input is split into as many planes as the stride has, so that neighbours of the
// output read neighbours of a plane.
Dimension forward_dimension(const Convolution& task, int d) {
    Dimension dim{1, 1, {{}}, {}, static_cast<std::ptrdiff_t>(task.strides[d]), 0};
    const std::size_t stride = task.strides[d];
    std::vector<std::size_t> planes;
    std::size_t farthest = 0;
    for (std::size_t r = 0; r < task.filter_sizes[d]; ++r) {
        const std::size_t at =
            (task.is_flipped ? task.filter_sizes[d] - 1 - r : r) * task.dilations[d];
        const std::size_t offset = at % stride;
        const auto known = std::find(planes.begin(), planes.end(), offset);
        const auto plane = static_cast<std::size_t>(known - planes.begin());
        if (known == planes.end()) {
            planes.push_back(offset);
            dim.plane_starts.push_back(static_cast<std::ptrdiff_t>(offset) -
                                       static_cast<std::ptrdiff_t>(task.start_padding[d]));
        }
        farthest = std::max(farthest, at / stride);
        dim.taps[0].push_back({false, plane, static_cast<std::ptrdiff_t>(at / stride)});
    }
    dim.extent = task.output_sizes[d] + farthest;
    return dim;
}

// Backwards, the output is split: positions that are alike modulo the stride read the same taps.
Dimension backward_dimension(const Convolution& task, int d) {
    const auto stride = static_cast<std::ptrdiff_t>(task.strides[d]);
    Dimension dim{task.strides[d], task.strides[d], {}, {}, 1, 0};
    std::ptrdiff_t lowest = 0, end = 1;
    bool any = false;
    for (std::ptrdiff_t phase = 0; phase < stride; ++phase) {
        std::vector<Tap> taps;
        const auto positions = static_cast<std::ptrdiff_t>(
            dim.positions(static_cast<std::size_t>(phase), task.output_sizes[d]));
        for (std::size_t r = 0; r < task.filter_sizes[d]; ++r) {
            const std::size_t at = task.is_flipped ? task.filter_sizes[d] - 1 - r : r;
            const std::ptrdiff_t distance =
                phase + static_cast<std::ptrdiff_t>(task.start_padding[d]) -
                static_cast<std::ptrdiff_t>(at * task.dilations[d]);
            const bool is_hole = distance % stride != 0;
            const std::ptrdiff_t shift = distance / stride;
            taps.push_back({is_hole, 0, shift});
            if (is_hole || positions == 0) continue;
            lowest = any ? std::min(lowest, shift) : shift;
            end = any ? std::max(end, shift + positions) : shift + positions;
            any = true;
        }
        dim.taps.push_back(taps);
    }
    dim.plane_starts.push_back(lowest);
    dim.extent = static_cast<std::size_t>(end - lowest);
    for (auto& taps : dim.taps) {
        for (Tap& tap : taps) tap.shift -= lowest;
    }
    return dim;
}

// The input of one group of one image as planes, zeros around it.
template <typename Element>
struct Planes {
    Dimension dims[kSpatial];
    std::size_t plane_size, channel_size;
    std::unique_ptr<Element[]> memory;
    Element* data;

    explicit Planes(const Convolution& task) {
        plane_size = 1;
        std::size_t planes = 1;
        for (int d = 0; d < kSpatial; ++d) {
            dims[d] = task.is_backward ? backward_dimension(task, d) : forward_dimension(task, d);
            plane_size *= dims[d].extent;
            planes *= dims[d].plane_starts.size();
        }
        channel_size = planes * plane_size;
        // Vectors of a panel may reach over either end.
        const std::size_t size = task.channels * channel_size;
        memory.reset(new Element[size + 2 * kPanel]);
        std::fill_n(memory.get(), kPanel, Element{});
        std::fill_n(memory.get() + kPanel + size, kPanel, Element{});
        data = memory.get() + kPanel;
    }

    std::ptrdiff_t plane(std::size_t channel, std::size_t p0, std::size_t p1,
                         std::size_t p2) const {
        const std::size_t number =
            (p0 * dims[1].plane_starts.size() + p1) * dims[2].plane_starts.size() + p2;
        return static_cast<std::ptrdiff_t>(channel * channel_size + number * plane_size);
    }

    template <typename Load>
    void fill(const Convolution& task, const unsigned char* image, std::size_t channel,
              const Load& load) {
        const unsigned char* from =
            image + static_cast<std::ptrdiff_t>(channel) * task.input.channel;
        // The input's index of element j of a plane of dimension d; its size or more if none.
        const auto index = [&](int d, std::size_t plane, std::size_t j) {
            return static_cast<std::size_t>(dims[d].plane_starts[plane] +
                                            static_cast<std::ptrdiff_t>(j) * dims[d].input_step);
        };
        Element* to = data + channel * channel_size;
        for (std::size_t p0 = 0; p0 < dims[0].plane_starts.size(); ++p0)
            for (std::size_t p1 = 0; p1 < dims[1].plane_starts.size(); ++p1)
                for (std::size_t p2 = 0; p2 < dims[2].plane_starts.size(); ++p2)
                    for (std::size_t i = 0; i < dims[0].extent; ++i)
                        for (std::size_t j = 0; j < dims[1].extent; ++j) {
                            const std::size_t z = index(0, p0, i), y = index(1, p1, j);
                            fill_row(task, from, z, y, dims[2].plane_starts[p2], to, load);
                            to += dims[2].extent;
                        }
    }

    template <typename Load>
    void fill_row(const Convolution& task, const unsigned char* from, std::size_t z, std::size_t y,
                  std::ptrdiff_t start, Element* to, const Load& load) const {
        const std::size_t extent = dims[2].extent;
        const std::ptrdiff_t step = dims[2].input_step;
        if (z >= task.input_sizes[0] || y >= task.input_sizes[1]) {
            std::fill_n(to, extent, Element{});
            return;
        }
        // Elements [first, end) lie inside.
        const auto size = static_cast<std::ptrdiff_t>(task.input_sizes[2]);
        const auto inside = [&](std::ptrdiff_t x) {
            return std::clamp<std::ptrdiff_t>(x, 0, static_cast<std::ptrdiff_t>(extent));
        };
        const std::ptrdiff_t first = inside(start < 0 ? (-start + step - 1) / step : 0);
        const std::ptrdiff_t end =
            std::max(first, inside(start < size ? (size - start + step - 1) / step : 0));
        std::fill_n(to, first, Element{});
        const std::ptrdiff_t* strides = task.input.position;
        load(from + static_cast<std::ptrdiff_t>(z) * strides[0] +
                 static_cast<std::ptrdiff_t>(y) * strides[1] + (start + first * step) * strides[2],
             step * strides[2], static_cast<std::size_t>(end - first), to + first);
        std::fill_n(to + end, static_cast<std::ptrdiff_t>(extent) - end, Element{});
    }
};

// The part of an output that is read by the same taps.
struct Phase {
    Sizes at;     // first position
    Sizes sizes;  // positions
    std::size_t pixels;
    // Of each tap that is read, in the order of k: where its first pixel is, and its weight.
    std::vector<std::ptrdiff_t> offsets, weights;
    std::vector<std::uint32_t> chains;
};

template <typename Element>
Phase make_phase(const Convolution& task, const Planes<Element>& planes, const Sizes& number) {
    Phase phase{};
    phase.pixels = 1;
    for (int d = 0; d < kSpatial; ++d) {
        phase.at[d] = number[d];
        phase.sizes[d] = planes.dims[d].positions(number[d], task.output_sizes[d]);
        phase.pixels *= phase.sizes[d];
    }
    const auto& dims = planes.dims;
    const auto row = static_cast<std::ptrdiff_t>(dims[2].extent);
    const std::ptrdiff_t layer = row * static_cast<std::ptrdiff_t>(dims[1].extent);
    const std::ptrdiff_t channel_stride =
        task.is_backward ? task.filter.image : task.filter.channel;
    std::size_t k = 0;
    for (std::size_t c = 0; c < task.channels; ++c)
        for (std::size_t r0 = 0; r0 < task.filter_sizes[0]; ++r0)
            for (std::size_t r1 = 0; r1 < task.filter_sizes[1]; ++r1)
                for (std::size_t r2 = 0; r2 < task.filter_sizes[2]; ++r2, ++k) {
                    if (k % kChain == 0) phase.chains.push_back(0);
                    const Tap& t0 = dims[0].taps[number[0]][r0];
                    const Tap& t1 = dims[1].taps[number[1]][r1];
                    const Tap& t2 = dims[2].taps[number[2]][r2];
                    if (t0.is_hole || t1.is_hole || t2.is_hole) continue;
                    ++phase.chains.back();
                    phase.offsets.push_back(planes.plane(c, t0.plane, t1.plane, t2.plane) +
                                            t0.shift * layer + t1.shift * row + t2.shift);
                    phase.weights.push_back(static_cast<std::ptrdiff_t>(c) * channel_stride +
                                            static_cast<std::ptrdiff_t>(r0) * task.filter.position[0] +
                                            static_cast<std::ptrdiff_t>(r1) * task.filter.position[1] +
                                            static_cast<std::ptrdiff_t>(r2) * task.filter.position[2]);
                }
    if (phase.chains.empty()) phase.chains.push_back(0);
    return phase;
}

// Where a pixel of a phase is in its planes.
template <typename Element>
std::ptrdiff_t pixel_offset(const Planes<Element>& planes, const Phase& phase, std::size_t pixel) {
    const std::size_t column = pixel % phase.sizes[2], rest = pixel / phase.sizes[2];
    const std::size_t row = rest % phase.sizes[1], layer = rest / phase.sizes[1];
    return static_cast<std::ptrdiff_t>(
        (layer * planes.dims[1].extent + row) * planes.dims[2].extent + column);
}

// The runs of pixels first, first + 1, ... for a vector; beyond the last pixel the last run goes on.
template <typename Element>
Runs runs_of(const Planes<Element>& planes, const Phase& phase, std::size_t first,
             std::size_t lanes) {
    Runs runs{};
    std::size_t lane = 0;
    do {
        const std::size_t pixel = std::min(first + lane, phase.pixels - 1);
        runs.first[runs.count] = lane;
        runs.shift[runs.count] =
            pixel_offset(planes, phase, pixel) - static_cast<std::ptrdiff_t>(lane);
        ++runs.count;
        lane += phase.sizes[2] - pixel % phase.sizes[2];
    } while (lane < lanes && first + lane < phase.pixels);
    return runs;
}

template <typename Unit>
struct Output {
    Unit* c;
    std::ptrdiff_t row, column;
};

// work(phase) with a place for its results: in the output where its pixels are neighbours, else
// beside it, to be copied afterwards.
template <typename Unit, typename Work>
void with_output(const Convolution& task, const Phase& phase, const std::size_t* steps,
                 unsigned char* output, const Work& work) {
    const std::ptrdiff_t* strides = task.output_position;
    bool is_direct = true;
    std::ptrdiff_t expected = sizeof(Unit);
    for (int d = kSpatial - 1; d >= 0; --d) {
        is_direct = is_direct && (phase.sizes[d] == 1 ||
                                  (steps[d] == 1 && strides[d] == expected));
        expected *= static_cast<std::ptrdiff_t>(phase.sizes[d]);
    }
    unsigned char* base = output;
    for (int d = 0; d < kSpatial; ++d) base += static_cast<std::ptrdiff_t>(phase.at[d]) * strides[d];
    if (is_direct) {
        return work(Output<Unit>{reinterpret_cast<Unit*>(base),
                                 task.output_channel / static_cast<std::ptrdiff_t>(sizeof(Unit)),
                                 1});
    }
    std::unique_ptr<Unit[]> beside(new Unit[task.filters * phase.pixels]);
    work(Output<Unit>{beside.get(), static_cast<std::ptrdiff_t>(phase.pixels), 1});
    const Unit* from = beside.get();
    for (std::size_t m = 0; m < task.filters; ++m)
        for (std::size_t i = 0; i < phase.sizes[0]; ++i)
            for (std::size_t j = 0; j < phase.sizes[1]; ++j) {
                unsigned char* to = base + static_cast<std::ptrdiff_t>(m) * task.output_channel +
                                    static_cast<std::ptrdiff_t>(i * steps[0]) * strides[0] +
                                    static_cast<std::ptrdiff_t>(j * steps[1]) * strides[1];
                for (std::size_t x = 0; x < phase.sizes[2]; ++x) {
                    std::memcpy(to, from++, sizeof(Unit));
                    to += static_cast<std::ptrdiff_t>(steps[2]) * strides[2];
                }
            }
}

// Everything but the element types: planes of each image and group, phases, threads over pixels.
template <typename Unit, typename Element, typename FillRow, typename Prepare>
void convolve_by(const Convolution& task, const ContractionPolicy& policy, const FillRow& fill_row,
                 const Prepare& multiply_part) {
    Planes<Element> planes(task);
    std::size_t steps[kSpatial];
    for (int d = 0; d < kSpatial; ++d) steps[d] = planes.dims[d].step;
    std::vector<Phase> phases;
    Sizes number;
    for (number[0] = 0; number[0] < planes.dims[0].phases; ++number[0])
        for (number[1] = 0; number[1] < planes.dims[1].phases; ++number[1])
            for (number[2] = 0; number[2] < planes.dims[2].phases; ++number[2]) {
                phases.push_back(make_phase(task, planes, number));
                if (phases.back().pixels == 0) phases.pop_back();
            }
    for (std::size_t image = 0; image < task.images; ++image)
        for (std::size_t group = 0; group < task.groups; ++group) {
            const unsigned char* input =
                task.input.data + static_cast<std::ptrdiff_t>(image) * task.input.image +
                static_cast<std::ptrdiff_t>(group * task.channels) * task.input.channel;
            unsigned char* output =
                task.output + static_cast<std::ptrdiff_t>(image) * task.output_image +
                static_cast<std::ptrdiff_t>(group * task.filters) * task.output_channel;
            for (std::size_t c = 0; c < task.channels; ++c) planes.fill(task, input, c, fill_row);
            for (const Phase& phase : phases) {
                with_output<Unit>(task, phase, steps, output, [&](const Output<Unit>& out) {
                    const double products = static_cast<double>(phase.pixels) *
                                            static_cast<double>(task.filters) *
                                            static_cast<double>(phase.offsets.size());
                    const std::size_t panels = (phase.pixels + kPanel - 1) / kPanel;
                    const auto threads = static_cast<unsigned>(std::clamp(
                        std::min(products / policy.operations_per_thread,
                                 static_cast<double>(panels)),
                        1.0, static_cast<double>(policy.max_threads)));
                    run_team(threads, [&](unsigned part) {
                        const std::size_t first = panels * part / threads * kPanel;
                        const std::size_t end =
                            std::min(phase.pixels, panels * (part + 1) / threads * kPanel);
                        if (first < end) {
                            multiply_part(planes, phase, group, first, end, out);
                        }
                    });
                });
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

}  // namespace

void convolve(const Convolution& task, const ContractionPolicy& policy) {
    const DefaultFloatModes modes;
    const ContractionKernels& kernels = *policy.kernels;
    const auto fill_row = [&](const unsigned char* from, std::ptrdiff_t step, std::size_t count,
                              float* to) {
        for (std::size_t j = 0; j < count; ++j, from += step) {
            to[j] = element_of(from, task.input.type);
        }
    };
    const auto multiply_part = [&](const Planes<float>& planes, const Phase& phase,
                                   std::size_t group, std::size_t first, std::size_t end,
                                   const Output<float>& out) {
        const FilterRows filter = filter_rows(task, group);
        const Chains chains{phase.chains};
        ProductScratch<float> scratch;
        ProductShape<float> shape{};
        shape.rows = task.filters;
        shape.columns = end - first;
        shape.chains = &chains;
        shape.c = out.c + static_cast<std::ptrdiff_t>(first) * out.column;
        shape.c_row = out.row;
        shape.c_column = out.column;
        shape.bias = task.bias ? task.bias + group * task.filters : nullptr;
        const auto pack_rows = [&](std::size_t row, std::size_t count, std::size_t k,
                                   std::size_t units, float* to) {
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
            Runs runs[kPanel];
            for (std::size_t v = 0; v < kPanel / kernels.lanes; ++v) {
                runs[v] = runs_of(planes, phase, first + panel * kPanel + v * kernels.lanes,
                                  kernels.lanes);
            }
            kernels.pack_pixels(planes.data, phase.offsets.data() + k, units, runs, to);
        };
        multiply<float>(shape, kernels.tiles, kernels.rows, kernels.panels, BlockSizes{}, scratch,
                        pack_rows, pack_columns);
    };
    convolve_by<float, float>(task, policy, fill_row, multiply_part);
}

void convolve_integers(const Convolution& task, const ContractionPolicy& policy) {
    const ContractionKernels& kernels = *policy.kernels;
    const auto fill_row = [&](const unsigned char* from, std::ptrdiff_t step, std::size_t count,
                              std::int16_t* to) {
        for (std::size_t j = 0; j < count; ++j, from += step) {
            to[j] = static_cast<std::int16_t>(integer_of(from, task.input.type) - task.input_zero);
        }
    };
    const auto multiply_part = [&](const Planes<std::int16_t>& planes, const Phase& phase,
                                   std::size_t group, std::size_t first, std::size_t end,
                                   const Output<std::int32_t>& out) {
        const FilterRows filter = filter_rows(task, group);
        const std::size_t depth = phase.offsets.size();
        const Chains chains = Chains::of_floats((depth + 1) / 2);
        ProductScratch<std::int32_t> scratch;
        ProductShape<std::int32_t> shape{};
        shape.rows = task.filters;
        shape.columns = end - first;
        shape.chains = &chains;
        shape.c = out.c + static_cast<std::ptrdiff_t>(first) * out.column;
        shape.c_row = out.row;
        shape.c_column = out.column;
        const auto pair = [](std::int32_t low, std::int32_t high) {
            return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & 0xFFFF) |
                                             static_cast<std::uint32_t>(high) << 16);
        };
        const auto pack_rows = [&](std::size_t row, std::size_t count, std::size_t k,
                                   std::size_t units, std::int32_t* to) {
            for (std::size_t i = 0; i < count; ++i) {
                const unsigned char* at =
                    filter.data + static_cast<std::ptrdiff_t>(row + i) * filter.row;
                const std::int32_t zero = task.filter_zero.data[
                    static_cast<std::ptrdiff_t>(group * task.filters + row + i) *
                    task.filter_zero.stride];
                const auto weight = [&](std::size_t n) {
                    return n < depth ? integer_of(at + phase.weights[n], task.filter.type) - zero
                                     : 0;
                };
                for (std::size_t unit = 0; unit < units; ++unit) {
                    to[unit * count + i] =
                        pair(weight(2 * (k + unit)), weight(2 * (k + unit) + 1));
                }
            }
        };
        const auto pack_columns = [&](std::size_t panel, std::size_t k, std::size_t units,
                                      std::int32_t* to) {
            std::ptrdiff_t at[kPanel];
            for (std::size_t j = 0; j < kPanel; ++j) {
                at[j] = pixel_offset(planes, phase,
                                     std::min(first + panel * kPanel + j, phase.pixels - 1));
            }
            for (std::size_t unit = 0; unit < units; ++unit) {
                const std::size_t n = 2 * (k + unit);
                const std::int16_t* low = planes.data + phase.offsets[n];
                // An odd number of taps ends with a weight of 0.
                const std::int16_t* high = n + 1 < depth ? planes.data + phase.offsets[n + 1] : low;
                for (std::size_t j = 0; j < kPanel; ++j) {
                    to[unit * kPanel + j] = pair(low[at[j]], high[at[j]]);
                }
            }
        };
        multiply<std::int32_t>(shape, kernels.integer_tiles, kernels.rows, kernels.panels,
                               BlockSizes{}, scratch, pack_rows, pack_columns);
    };
    convolve_by<std::int32_t, std::int16_t>(task, policy, fill_row, multiply_part);
}

}  // namespace indirectml
