// What a convolution reads: the planes into which its input is split, and where in them each element
// of the filter finds the pixels of an output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "convolve.h"
#include "product.h"

namespace indirectml {

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
inline Dimension forward_dimension(const Convolution& task, int d) {
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
inline Dimension backward_dimension(const Convolution& task, int d) {
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
struct Planes {
    Dimension dims[kSpatial];
    std::size_t plane_size, channel_size, size;

    explicit Planes(const Convolution& task) {
        plane_size = 1;
        std::size_t planes = 1;
        for (int d = 0; d < kSpatial; ++d) {
            dims[d] = task.is_backward ? backward_dimension(task, d) : forward_dimension(task, d);
            plane_size *= dims[d].extent;
            planes *= dims[d].plane_starts.size();
        }
        channel_size = planes * plane_size;
        size = task.channels * channel_size;
    }

    std::ptrdiff_t plane(std::size_t channel, std::size_t p0, std::size_t p1,
                         std::size_t p2) const {
        const std::size_t number =
            (p0 * dims[1].plane_starts.size() + p1) * dims[2].plane_starts.size() + p2;
        return static_cast<std::ptrdiff_t>(channel * channel_size + number * plane_size);
    }

    // Copies what lies inside of the input to where it belongs; the rest of the memory is zeros, and
    // stays so. copy(from, row_step, step, rows, columns, to, to_row), steps in bytes.
    template <typename Copy>
    void fill(const Convolution& task, const unsigned char* image, std::size_t channel,
              float* data, const Copy& copy) const {
        const unsigned char* from =
            image + static_cast<std::ptrdiff_t>(channel) * task.input.channel;
        const std::ptrdiff_t* strides = task.input.position;
        float* to = data + channel * channel_size;
        for (const std::ptrdiff_t start0 : dims[0].plane_starts)
            for (const std::ptrdiff_t start1 : dims[1].plane_starts)
                for (const std::ptrdiff_t start2 : dims[2].plane_starts) {
                    const std::ptrdiff_t starts[kSpatial] = {start0, start1, start2};
                    std::size_t first[kSpatial], end[kSpatial];
                    const unsigned char* at = from;
                    bool is_empty = false;
                    for (int d = 0; d < kSpatial; ++d) {
                        inside(task, d, starts[d], first[d], end[d]);
                        is_empty = is_empty || first[d] == end[d];
                        at += (starts[d] + static_cast<std::ptrdiff_t>(first[d]) *
                                               dims[d].input_step) *
                              strides[d];
                    }
                    for (std::size_t i = first[0]; i < end[0] && !is_empty; ++i) {
                        copy(at, dims[1].input_step * strides[1], dims[2].input_step * strides[2],
                             end[1] - first[1], end[2] - first[2],
                             to + (i * dims[1].extent + first[1]) * dims[2].extent + first[2],
                             dims[2].extent);
                        at += dims[0].input_step * strides[0];
                    }
                    to += plane_size;
                }
    }

    // Elements [first, end) of a plane that starts at `start` lie inside of the input.
    void inside(const Convolution& task, int d, std::ptrdiff_t start, std::size_t& first,
                std::size_t& end) const {
        const std::ptrdiff_t step = dims[d].input_step;
        const auto extent = static_cast<std::ptrdiff_t>(dims[d].extent);
        const auto size = static_cast<std::ptrdiff_t>(task.input_sizes[d]);
        const std::ptrdiff_t low = start < 0 ? (-start + step - 1) / step : 0;
        const std::ptrdiff_t high = start < size ? (size - start + step - 1) / step : 0;
        first = static_cast<std::size_t>(std::min(low, extent));
        end = std::max(first, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(high, 0, extent)));
    }
};

// The part of an output that is read by the same taps.
struct Phase {
    Sizes at;     // first position
    Sizes sizes;  // positions
    std::size_t pixels;
    // Of each tap that is read, in the order of k: where its first pixel is, and its weight.
    std::vector<std::ptrdiff_t> offsets, weights;
    Chains chains;
    bool weights_follow;  // each weight is next to the one before
};

inline Phase make_phase(const Convolution& task, const Planes& planes, const Sizes& number) {
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
                    if (k % kChain == 0) phase.chains.lengths.push_back(0);
                    const Tap& t0 = dims[0].taps[number[0]][r0];
                    const Tap& t1 = dims[1].taps[number[1]][r1];
                    const Tap& t2 = dims[2].taps[number[2]][r2];
                    if (t0.is_hole || t1.is_hole || t2.is_hole) continue;
                    ++phase.chains.lengths.back();
                    phase.offsets.push_back(planes.plane(c, t0.plane, t1.plane, t2.plane) +
                                            t0.shift * layer + t1.shift * row + t2.shift);
                    phase.weights.push_back(static_cast<std::ptrdiff_t>(c) * channel_stride +
                                            static_cast<std::ptrdiff_t>(r0) * task.filter.position[0] +
                                            static_cast<std::ptrdiff_t>(r1) * task.filter.position[1] +
                                            static_cast<std::ptrdiff_t>(r2) * task.filter.position[2]);
                }
    if (phase.chains.lengths.empty()) phase.chains.lengths.push_back(0);
    const std::ptrdiff_t size = task.filter.type == OperandType::kFloat32   ? 4
                                : task.filter.type == OperandType::kFloat16 ? 2
                                                                            : 1;
    phase.weights_follow = true;
    for (std::size_t n = 0; n < phase.weights.size(); ++n) {
        if (phase.weights[n] != static_cast<std::ptrdiff_t>(n) * size) phase.weights_follow = false;
    }
    return phase;
}

// Where a pixel of a phase is in its planes.
inline std::ptrdiff_t pixel_offset(const Planes& planes, const Phase& phase, std::size_t pixel) {
    const std::size_t column = pixel % phase.sizes[2], rest = pixel / phase.sizes[2];
    const std::size_t row = rest % phase.sizes[1], layer = rest / phase.sizes[1];
    return static_cast<std::ptrdiff_t>(
        (layer * planes.dims[1].extent + row) * planes.dims[2].extent + column);
}

// The runs of pixels first, first + 1, ... for a vector; beyond the last pixel the last run goes on.
inline Runs runs_of(const Planes& planes, const Phase& phase, std::size_t first,
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

// Planes in memory, which vectors of a panel may reach over at either end.
class PlaneMemory {
  public:
    explicit PlaneMemory(std::size_t size) : memory_(new float[size + 2 * kSlack]) {
        std::fill_n(memory_.get(), size + 2 * kSlack, 0.0f);
    }
    float* data() const { return memory_.get() + kSlack; }

  private:
    static constexpr std::size_t kSlack = 2 * kPanel;
    std::unique_ptr<float[]> memory_;
};

}  // namespace indirectml
