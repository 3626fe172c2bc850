// Strips of outputs cut into tiles of pixels, where channels of a pixel follow each other.
#pragma once

#include <cstddef>
#include <vector>

namespace indirectml {

// A tile of pixels: halves at the same distance from each other in input and output.
struct Piece {
    std::ptrdiff_t a, c, a_half, c_half;
    std::size_t height;
    std::size_t row, column, columns;  // where it begins, and how many of a row it takes
    bool is_edge = false;              // reads a copy of the columns at either end of rows
};

// From an output to the next along a row, and from a row to the next: in what they read, and in outputs.
struct PixelSteps {
    std::ptrdiff_t a_pixel, a_row, c_pixel, c_row;
};

// Tiles of at most so many pixels, and of as equal heights as can be: along rows, or of halves in two rows
// where rows are short. Rows that follow each other are one, if they may be.
inline void cut_into_pieces(std::size_t rows, std::size_t width, std::size_t most, const PixelSteps& steps,
                            std::vector<Piece>& pieces, bool may_join = true) {
    pieces.clear();
    const auto length = static_cast<std::ptrdiff_t>(width);
    if (may_join && steps.a_row == length * steps.a_pixel && steps.c_row == length * steps.c_pixel) {
        width *= rows;
        rows = 1;
    }
    const std::size_t half = most / 2;
    const auto parts_by = [&](std::size_t height) { return (width + height - 1) / height; };
    const bool by_halves = half > 0 && parts_by(half) < 2 * parts_by(most);
    for (std::size_t row = 0; row < rows;) {
        const bool is_pair = by_halves && row + 1 < rows;
        const std::size_t parts = parts_by(is_pair ? half : most);
        const auto line = static_cast<std::ptrdiff_t>(row);
        for (std::size_t n = 0, x = 0; n < parts; ++n) {
            const std::size_t count = width * (n + 1) / parts - x;
            const auto at = static_cast<std::ptrdiff_t>(x);
            const auto upper = static_cast<std::ptrdiff_t>((count + 1) / 2);
            pieces.push_back({line * steps.a_row + at * steps.a_pixel, line * steps.c_row + at * steps.c_pixel,
                              is_pair ? steps.a_row : upper * steps.a_pixel,
                              is_pair ? steps.c_row : upper * steps.c_pixel, is_pair ? 2 * count : count,
                              row, x, count});
            x += count;
        }
        row += is_pair ? 2 : 1;
    }
}

}  // namespace indirectml
