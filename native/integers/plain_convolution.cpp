// Convolutions of 8-bit integers by their definition, where nothing else can.
#include "../stopping.h"
#include "packing.h"

namespace indirectml {
namespace integers {

void convolve_plainly(const Convolution& task) {
    Pieces pieces;
    std::size_t at[2 + kSpatial];
    const std::size_t channels = task.groups * task.filters;
    for (at[0] = 0; at[0] < task.images; ++at[0])
        for (at[1] = 0; at[1] < channels; ++at[1])
            for (at[2] = 0; at[2] < task.output_sizes[0]; ++at[2])
                for (at[3] = 0; at[3] < task.output_sizes[1]; ++at[3])
                    for (at[4] = 0; at[4] < task.output_sizes[2]; ++at[4]) {
        const std::int32_t filter_zero = zero_of(task.filter_zero, at[1]);
        std::uint32_t sum = 0;
        std::size_t r[1 + kSpatial];
        for (r[0] = 0; r[0] < task.channels; ++r[0])
            for (r[1] = 0; r[1] < task.filter_sizes[0]; ++r[1])
                for (r[2] = 0; r[2] < task.filter_sizes[1]; ++r[2])
                    for (r[3] = 0; r[3] < task.filter_sizes[2]; ++r[3]) {
            const unsigned char* x = task.input.data +
                                     static_cast<std::ptrdiff_t>(at[0]) * task.input.image;
            const unsigned char* w = task.filter.data +
                                     static_cast<std::ptrdiff_t>(at[1]) * task.filter.image +
                                     static_cast<std::ptrdiff_t>(r[0]) * task.filter.channel;
            x += static_cast<std::ptrdiff_t>(at[1] / task.filters * task.channels + r[0]) *
                 task.input.channel;
            bool is_inside = true;
            for (int d = 0; d < kSpatial; ++d) {
                const auto p = static_cast<std::ptrdiff_t>(at[2 + d] * task.strides[d] +
                                                           r[1 + d] * task.dilations[d]) -
                               static_cast<std::ptrdiff_t>(task.start_padding[d]);
                is_inside = is_inside && p >= 0 &&
                            p < static_cast<std::ptrdiff_t>(task.input_sizes[d]);
                x += is_inside ? p * task.input.position[d] : 0;
                w += static_cast<std::ptrdiff_t>(r[1 + d]) * task.filter.position[d];
            }
            const auto number = [](const unsigned char* from, OperandType type) {
                return type == OperandType::kInt8 ? static_cast<signed char>(*from)
                                                  : static_cast<std::int32_t>(*from);
            };
            if (is_inside) {
                sum += static_cast<std::uint32_t>(times(
                    number(x, task.input.type) - task.input_zero,
                    number(w, task.filter.type) - filter_zero));
            }
        }
        unsigned char* to = task.output + static_cast<std::ptrdiff_t>(at[0]) * task.output_image +
                            static_cast<std::ptrdiff_t>(at[1]) * task.output_channel;
        for (int d = 0; d < kSpatial; ++d) {
            to += static_cast<std::ptrdiff_t>(at[2 + d]) * task.output_position[d];
        }
        std::memcpy(to, &sum, sizeof(sum));
        pieces.done(task.channels * task.filter_sizes[0] * task.filter_sizes[1] *
                    task.filter_sizes[2]);
    }
}

}  // namespace integers
}  // namespace indirectml
