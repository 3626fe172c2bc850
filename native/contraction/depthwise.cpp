#include "depthwise.h"

#include <algorithm>

#include "../team.h"
#include "packing.h"

namespace indirectml {

namespace {

bool is_plane_filter(const Convolution& task) {
    if (task.is_backward || task.is_flipped || task.channels != 1) return false;
    if (task.input_sizes[0] != 1 || task.output_sizes[0] != 1 || task.start_padding[0] != 0) {
        return false;
    }
    if (task.filter_sizes[0] != 1 || task.strides[1] != task.strides[2] || task.strides[1] > 2) {
        return false;
    }
    for (int d = 1; d < kSpatial; ++d) {
        if (task.filter_sizes[d] != kFilterSize || task.dilations[d] != 1) return false;
    }
    const Image& x = task.input;
    return x.type == OperandType::kFloat32 && x.position[2] == 4 && x.position[1] % 4 == 0 &&
           x.channel % 4 == 0 && x.image % 4 == 0 &&
           reinterpret_cast<std::uintptr_t>(x.data) % 4 == 0 && task.output_position[2] == 4;
}

}  // namespace

bool convolve_planes(const Convolution& task, const ContractionPolicy& policy) {
    if (!is_plane_filter(task)) return false;
    const auto kernel = policy.kernels->filter_plane[task.strides[1] - 1];
    const std::size_t rows = task.output_sizes[1], columns = task.output_sizes[2];
    const std::size_t filters = task.groups * task.filters, all = task.images * filters * rows;
    const double products = static_cast<double>(all * columns) * kFilterSize * kFilterSize;
    const unsigned threads =
        worthwhile_threads(products / policy.operations_per_thread, policy.max_threads);
    run_team(threads, [&](unsigned part) {
        Pieces pieces;
        // Rows of all planes, one after the other.
        std::size_t at = all * part / threads;
        for (const std::size_t end = all * (part + 1) / threads; at < end;) {
            const std::size_t row = at % rows, plane = at / rows;
            const auto image = static_cast<std::ptrdiff_t>(plane / filters);
            const auto filter = static_cast<std::ptrdiff_t>(plane % filters);
            const auto channel = filter / static_cast<std::ptrdiff_t>(task.filters);
            float weights[kFilterSize * kFilterSize];
            for (std::size_t n = 0; n < kFilterSize * kFilterSize; ++n) {
                weights[n] = element_of(
                    task.filter.data + filter * task.filter.image +
                        static_cast<std::ptrdiff_t>(n / kFilterSize) * task.filter.position[1] +
                        static_cast<std::ptrdiff_t>(n % kFilterSize) * task.filter.position[2],
                    task.filter.type);
            }
            const std::size_t count = std::min(rows - row, end - at);
            kernel({reinterpret_cast<const float*>(task.input.data + image * task.input.image +
                                                   channel * task.input.channel),
                    task.input.position[1] / 4, task.input_sizes[1], task.input_sizes[2],
                    static_cast<std::ptrdiff_t>(task.start_padding[1]),
                    static_cast<std::ptrdiff_t>(task.start_padding[2]), weights,
                    task.bias ? task.bias + filter : nullptr,
                    reinterpret_cast<float*>(task.output + image * task.output_image +
                                             filter * task.output_channel),
                    task.output_position[1] / 4, row, row + count, columns});
            at += count;
            pieces.done(count * columns);
        }
    });
    return true;
}

}  // namespace indirectml
