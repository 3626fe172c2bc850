// Geometries of convolutions that are tried: sizes and numbers, without data.
#pragma once

#include <cstddef>

#include "check_support.h"
#include "contraction/convolve.h"

namespace indirectml {

inline std::size_t random_size(Random& random, std::size_t most) {
    const std::size_t near[] = {1, 2, 5, 6, 7, 13, 14, 15, 16, 17, 31, 32, 33, 48};
    const std::size_t size = random.below(2) ? near[random.below(14)] : 1 + random.below(most);
    return std::min(size, most);
}

// Sizes and numbers of a random convolution; the output's sizes are any, too.
inline Convolution random_geometry(Random& random) {
    Convolution task{};
    task.is_backward = random.below(2) != 0;
    task.is_flipped = random.below(2) != 0;
    task.images = 1 + random.below(2);
    task.groups = 1 + random.below(3);
    task.channels = random.below(4) ? 1 + random.below(4) : 1;
    task.filters = random.below(4) ? random_size(random, 20) : 1;
    if (random.below(task.filters == 1 ? 2 : 8) == 0) task.channels = 70;
    const int spatial = random.between(1, 3);
    for (int d = 0; d < kSpatial; ++d) {
        const bool is_missing = d < kSpatial - spatial;
        const auto any = [&](std::size_t low, std::size_t high) {
            return is_missing ? 1 : low + random.below(high - low + 1);
        };
        const std::size_t most = spatial == 1 ? 50 : spatial == 2 ? 12 : 5;
        task.input_sizes[d] = any(1, most);
        task.filter_sizes[d] = any(1, 4);
        task.output_sizes[d] = any(1, most);
        task.strides[d] = any(1, 3);
        task.dilations[d] = any(1, 3);
        task.start_padding[d] = is_missing ? 0 : random.below(5);
    }
    return task;
}

// A channel each by a filter of 3 x 3, for which there are kernels.
inline Convolution random_planes(Random& random) {
    Convolution task{};
    task.images = 1 + random.below(2);
    task.groups = 1 + random.below(4);
    task.channels = 1;
    task.filters = 1 + random.below(2);
    const std::size_t stride = 1 + random.below(2);
    for (int d = 0; d < kSpatial; ++d) {
        task.input_sizes[d] = d == 0 ? 1 : 1 + random.below(d == 1 ? 14 : 80);
        task.filter_sizes[d] = d == 0 ? 1 : 3;
        task.output_sizes[d] = d == 0 ? 1 : 1 + random.below(d == 1 ? 10 : 45);
        task.strides[d] = d == 0 ? 1 + random.below(3) : stride;
        task.dilations[d] = d == 0 ? 1 + random.below(3) : 1;
        task.start_padding[d] = d == 0 ? 0 : random.below(random.below(8) ? 2 : 30);
    }
    return task;
}

// A filter for each of one panel of channels or more.
inline Convolution random_channels(Random& random) {
    Convolution task{};
    task.is_flipped = random.below(2) != 0;
    task.images = task.channels = task.filters = 1;
    task.groups = 14 + random.below(24);
    for (int d = 0; d < kSpatial; ++d) {
        task.filter_sizes[d] = d == 0 ? 1 : 1 + random.below(7);
        task.strides[d] = d == 0 ? 1 : 1 + random.below(2);
        task.dilations[d] = d == 0 ? 1 : 1 + random.below(2);
        task.start_padding[d] = d == 0 ? 0 : random.below(random.below(8) ? 3 : 9);
        task.input_sizes[d] = d == 0 ? 1 : 1 + random.below(d == 1 ? 6 : 40);
        task.output_sizes[d] = d == 0 ? 1 : 1 + task.input_sizes[d] / task.strides[d];
    }
    return task;
}

// Images of one pixel, which is a row times a matrix.
inline Convolution one_pixel(Random& random) {
    Convolution task{};
    task.images = 1 + random.below(4);
    task.groups = 1;
    task.channels = 2 + random.below(300);
    task.filters = 1 + random.below(100);
    for (int d = 0; d < kSpatial; ++d) {
        task.input_sizes[d] = task.filter_sizes[d] = task.output_sizes[d] = 1;
        task.strides[d] = task.dilations[d] = 1;
    }
    return task;
}

// Outputs of one pixel a row, as convolutions of one dimension have them.
inline Convolution one_column(Random& random) {
    const std::size_t channels[] = {2, 20, 64};
    Convolution task{};
    task.is_flipped = random.below(2) != 0;
    task.images = 1 + random.below(2);
    task.groups = 1;
    task.channels = channels[random.below(3)];
    task.filters = random.below(2) ? 1 + random.below(80) : 64;  // in tiles of the most panels
    const std::size_t taps[] = {1, 1 + random.below(5), 1 + random.below(3)};
    for (std::size_t d = 0; d < kSpatial; ++d) {
        task.filter_sizes[d] = taps[d];
        task.strides[d] = d == 1 ? 1 + random.below(2) : 1;
        task.dilations[d] = 1;
        task.input_sizes[d] = taps[d];
        task.output_sizes[d] = 1;
    }
    task.start_padding[1] = random.below(2) ? 0 : taps[1] / 2;
    task.output_sizes[1] = 1 + random.below(40);
    task.input_sizes[1] = (task.output_sizes[1] - 1) * task.strides[1] + taps[1] - task.start_padding[1];
    return task;
}

// Few pixels, and as many filters as make them worth turning.
inline Convolution random_few_pixels(Random& random) {
    const std::size_t filters[] = {16, 31, 32, 47, 64, 200}, channels[] = {1, 3, 16, 70, 300};
    Convolution task{};
    task.is_flipped = random.below(2) != 0;
    task.images = 1 + random.below(2);
    task.groups = 1 + random.below(2);
    task.channels = channels[random.below(5)];
    task.filters = filters[random.below(6)];
    const std::size_t taps = random.below(2) ? 1 : 3, most = random.below(8) ? 5 : 15;
    for (int d = 0; d < kSpatial; ++d) {
        task.input_sizes[d] = d == 0 ? 1 : 1 + random.below(most);
        task.filter_sizes[d] = d == 0 ? 1 : taps;
        task.strides[d] = random.below(4) ? 1 : 2;
        // Far from each other, taps read padding alone.
        task.dilations[d] = random.below(2) ? 1 : random.below(2) ? 2 : 1 + random.below(20);
        task.start_padding[d] = d == 0 ? 0 : taps / 2 * task.dilations[d];
        task.output_sizes[d] = task.strides[d] == 1 ? task.input_sizes[d] : 1 + random.below(most);
    }
    task.output_sizes[0] = 1;
    return task;
}

// More channels, or pixels, than those of integers are taken at once.
inline Convolution large(Random& random, bool has_pixels) {
    Convolution task{};
    task.images = task.groups = 1 + random.below(2);
    task.channels = has_pixels ? 1 + random.below(3) : 17000 + random.below(100);
    task.filters = 1 + random.below(2);
    for (int d = 0; d < kSpatial; ++d) {
        const std::size_t size = has_pixels ? d == 0 ? 1 + random.below(2) : 520 : 1;
        task.output_sizes[d] = size;
        task.strides[d] = 1 + random.below(2);
        task.input_sizes[d] = size * task.strides[d] + random.below(3);
        task.filter_sizes[d] = d == 0 ? 1 : 1 + random.below(2);
        task.dilations[d] = 1 + random.below(2);
        task.start_padding[d] = random.below(3);
    }
    return task;
}

// Rows so long that few tiles of one reach over its ends.
inline Convolution wide(Random& random) {
    Convolution task{};
    task.is_flipped = random.below(2) != 0;
    task.images = 1 + random.below(2);
    task.groups = 1 + random.below(2);
    task.channels = 16 + random.below(20);
    task.filters = 1 + random.below(40);
    for (int d = 0; d < kSpatial; ++d) {
        task.filter_sizes[d] = d == 0 ? 1 : 1 + random.below(3);
        task.strides[d] = d == 0 ? 1 : 1 + random.below(2);
        task.dilations[d] = d == 0 ? 1 : 1 + random.below(2);
        task.start_padding[d] = d == 0 ? 0 : random.below(3);
        task.output_sizes[d] = d == 0 ? 1 : d == 1 ? 6 + random.below(4) : 112 + random.below(30);
        task.input_sizes[d] = d == 0 ? 1 : task.output_sizes[d] * task.strides[d];
    }
    return task;
}

// Panels of pixels that products read in a plane: those of the next row are further apart, and one may be of
// two rows.
inline Convolution panels_in_a_plane(Random& random) {
    Convolution task{};
    task.images = task.groups = task.channels = 1;
    task.filters = 5 + random.below(20);
    for (int d = 0; d < kSpatial; ++d) {
        task.filter_sizes[d] = d == 0 ? 1 : 2 + 2 * random.below(2);
        task.strides[d] = task.dilations[d] = 1;
        task.start_padding[d] = d == 0 ? 0 : random.below(2);
        task.output_sizes[d] = d == 0 ? 1 : d == 1 ? 3 + random.below(4) : 32 + 8 * random.below(3);
        task.input_sizes[d] = task.output_sizes[d] + task.filter_sizes[d] - 1;
    }
    return task;
}

// Taps so far apart that rows at either end do not read some of them.
inline Convolution dilated(Random& random) {
    Convolution task{};
    task.is_flipped = random.below(2) != 0;
    task.images = 1 + random.below(2);
    task.groups = 1 + random.below(2);
    task.channels = 2 + random.below(8);
    task.filters = 1 + random.below(40);
    for (int d = 0; d < kSpatial; ++d) {
        task.filter_sizes[d] = d == 0 ? 1 : 3;
        task.strides[d] = 1;
        task.dilations[d] = d == 0 ? 1 : 4 + random.below(8);
        task.start_padding[d] = d == 0 ? 0 : task.dilations[d];
        task.output_sizes[d] = task.input_sizes[d] = d == 0 ? 1 : 5 + random.below(12);
    }
    return task;
}

// Several chains for each output, and several tiles of pixels.
inline Convolution deep(Random& random) {
    Convolution task{};
    task.images = 1;
    task.groups = 1 + random.below(2);
    task.channels = 70 + random.below(70);
    task.filters = 17 + random.below(80);
    for (int d = 0; d < kSpatial; ++d) {
        task.filter_sizes[d] = d == 0 ? 1 : 2;
        task.strides[d] = task.dilations[d] = 1;
        task.output_sizes[d] = d == 0 ? 1 : 5 + random.below(3);
        task.input_sizes[d] = d == 0 ? 1 : task.output_sizes[d] + 1;
    }
    return task;
}

}  // namespace indirectml
