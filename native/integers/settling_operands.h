// Both sides of what exact sums settle: what is the same for all results of a column, and what taps of filters read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "packing.h"
#include "settling.h"

namespace indirectml {
namespace integers {

// Sums of more products could be beyond INT32.
constexpr std::size_t kMostDepth = 1 << 15;
// Beyond these, something could be too small or too large on the way.
constexpr float kLeastScale = 0x1p-40f, kMostScale = 0x1p40f;
inline bool is_usual(float scale) { return scale >= kLeastScale && scale <= kMostScale; }

// A zero point is one of the numbers that it is taken from, so that differences have 8 bits and a sign.
inline bool is_usual(std::int32_t zero, bool is_signed) {
    const std::int32_t lowest = is_signed ? -128 : 0;
    return zero >= lowest && zero <= lowest + 255;
}

// Half of the distance from 1 to the next number: what an operation is off by at most, in parts of its result.
constexpr double kUnit = 0x1p-24;
// What is rounded besides the additions of a chain and those of chains, in parts of a product, and of a bound.
constexpr double kBeside = 8;
constexpr double kMore = 1 + 0x1p-9;

inline std::int32_t signed_zero(const ZeroPoints& zeros, OperandType type, std::size_t column) {
    return zero_of(zeros, column) + change_to_signed(type);
}

// What is the same for all rows, of whole panels.
class SettlingColumns {
  public:
    explicit SettlingColumns(const Settling& task)
        : are_usual_(task.depth().size() <= kMostDepth && is_usual(task.a_scale) && is_usual(task.scale) &&
                     is_usual(task.a_zero, task.a.type == OperandType::kInt8) && is_usual(task.zero, task.is_signed)) {
        const std::size_t width = panels_of(task.columns) * kPanel;
        for (std::vector<float>* each : {&factors_, &shifts_, &bounds_, &scales_, &bias_}) each->resize(width);
        zeros_.resize(width);
        std::vector<float> own;
        if (!task.column_norms) {
            own = norms_of_columns(task.panels, task.depth(), task.columns, task.b_type, task.b_zero);
        }
        const float* const norms = task.column_norms ? task.column_norms : own.data();
        for (std::size_t j = 0; j < task.columns; ++j) {
            scales_[j] = task.b_scales[static_cast<std::ptrdiff_t>(j) * task.b_scale_step];
            zeros_[j] = signed_zero(task.b_zero, task.b_type, j);
            if (task.bias) bias_[j] = task.bias[j];
            have_zeros_ = have_zeros_ || zeros_[j] != 0;
            are_usual_ = are_usual_ && is_usual(scales_[j]) && is_usual(zeros_[j], true);
            if (!are_usual_) continue;
            factors_[j] = task.a_scale * scales_[j] / task.scale;
            shifts_[j] = bias_[j] / task.scale;
            bounds_[j] = static_cast<float>(kUnit * kMore * static_cast<double>(factors_[j]) * norms[j]);
        }
    }

    bool are_usual() const { return are_usual_; }
    bool have_zeros() const { return have_zeros_; }
    SettledColumns settled_from(std::size_t column) const {
        return {&factors_[column], &shifts_[column], &bounds_[column]};
    }
    const float* scales(std::size_t column) const { return &scales_[column]; }
    const float* bias(std::size_t column) const { return &bias_[column]; }
    const std::int32_t* zeros(std::size_t column) const { return &zeros_[column]; }

  private:
    bool are_usual_, have_zeros_ = false;
    std::vector<float> factors_, shifts_, bounds_, scales_, bias_;
    std::vector<std::int32_t> zeros_;
};

// A result of an image, counted through all of them.
struct Position {
    std::size_t image = 0, row = 0, pixel = 0;

    Position() = default;
    Position(const Settling& task, std::size_t number)
        : image(number / task.pixels.output / task.rows.output),
          row(number / task.pixels.output % task.rows.output),
          pixel(number % task.pixels.output) {}
    std::ptrdiff_t in(const Results& results) const {
        return static_cast<std::ptrdiff_t>(image) * results.image + static_cast<std::ptrdiff_t>(row) * results.row +
               static_cast<std::ptrdiff_t>(pixel) * results.pixel;
    }
    // So many results further, no more than a block has.
    Position moved(const Settling& task, std::uint32_t by) const {
        Position to = *this;
        const std::size_t at = pixel + by;
        if (at < task.pixels.output) {
            to.pixel = at;
            return to;
        }
        to.pixel = at % task.pixels.output;
        for (to.row += at / task.pixels.output; to.row >= task.rows.output; to.row -= task.rows.output) ++to.image;
        return to;
    }
};

// What a tap of one dimension reads: beyond the input, where that is padding.
inline std::size_t read_by(const Reading1D& reading, std::size_t output, std::size_t tap) {
    return output * reading.stride + tap * reading.dilation - static_cast<std::size_t>(reading.padding);
}

// The left side: pixels under taps.
class Pixels {
  public:
    Pixels(const Settling& task, const Kernels& kernels)
        : task_(task),
          kernels_(kernels),
          units_(task.depth().quads() * kQuad),
          a_(task.a),
          end_(end_of_pixels()),
          padding_(units_, static_cast<unsigned char>(task.a_zero)),
          lines_there_(std::min(task.rows.reach(1), task.rows.input), kNone),
          squares_(lines_there_.size() * task.pixels.input),
          wide_(task.pixels.reach(task.pixels.output)) {
        if (task.a.channel == 1) return;
        const std::size_t row = task.pixels.input * units_, lines = task.images * task.rows.input;
        are_copied_.resize(lines);
        a_.data = copy_.at_least(lines * row);
        a_.channel = 1;
        a_.position[2] = static_cast<std::ptrdiff_t>(units_);
        a_.position[1] = static_cast<std::ptrdiff_t>(row);
        a_.image = static_cast<std::ptrdiff_t>(row * task.rows.input);
    }

    // Before results of a row are asked for.
    void prepare(const Position& at) {
        for (std::size_t y = 0; y < task_.rows.taps && !are_copied_.empty(); ++y) {
            const std::size_t row = read_by(task_.rows, at.row, y);
            if (row < task_.rows.input) copy(at.image, row);
        }
    }

    bool is_signed() const { return task_.a.type == OperandType::kInt8; }

    // Whether the taps of a row read units that follow each other.
    bool are_units() const {
        return units_ == kQuad && a_.position[2] == kQuad && task_.pixels.dilation == 1;
    }

    // The channels of what a tap reads, one behind the other, in whole units: what is behind the last channel is
    // anything. In `memory` where they do not lie so.
    const unsigned char* under(const Position& at, std::size_t row_tap, std::size_t pixel_tap,
                               unsigned char* memory) const {
        const std::size_t row = read_by(task_.rows, at.row, row_tap);
        const std::size_t pixel = read_by(task_.pixels, at.pixel, pixel_tap);
        if (row >= task_.rows.input || pixel >= task_.pixels.input) return padding_.data();
        const unsigned char* const from = pixel_at(a_, at.image, row, pixel);
        if (has_units(from)) return from;
        std::memcpy(memory, from, task_.channels);
        return memory;
    }

    // The same for the first tap where no tap reads padding, or what has to be copied; else null.
    const unsigned char* first_under(const Position& at) const {
        const std::size_t row = read_by(task_.rows, at.row, 0), pixel = read_by(task_.pixels, at.pixel, 0);
        // Positions before the input come out as numbers beyond it.
        const std::size_t last_row = row + (task_.rows.taps - 1) * task_.rows.dilation;
        const std::size_t last_pixel = pixel + (task_.pixels.taps - 1) * task_.pixels.dilation;
        const bool is_inside = row < task_.rows.input && pixel < task_.pixels.input && last_row < task_.rows.input &&
                               last_pixel < task_.pixels.input;
        if (!is_inside || !has_units(pixel_at(a_, at.image, last_row, last_pixel))) return nullptr;
        return pixel_at(a_, at.image, row, pixel);
    }
    std::ptrdiff_t from_first_tap(std::size_t row_tap, std::size_t pixel_tap) const {
        return static_cast<std::ptrdiff_t>(row_tap * task_.rows.dilation) * a_.position[1] +
               static_cast<std::ptrdiff_t>(pixel_tap * task_.pixels.dilation) * a_.position[2];
    }

    // The root of the sum of the squares of what all taps read, of `count` pixels of a row from one on.
    void norms_of(const Position& first, std::size_t count, float* to) {
        std::fill(wide_.begin(), wide_.end(), 0u);
        const auto before = static_cast<std::size_t>(task_.pixels.padding);
        const std::size_t there = before < wide_.size() ? std::min(task_.pixels.input, wide_.size() - before) : 0;
        for (std::size_t y = 0; y < task_.rows.taps; ++y) {
            const std::size_t from = read_by(task_.rows, first.row, y);
            if (from >= task_.rows.input) continue;
            const std::uint32_t* const squares = squares_of(first.image, from);
            for (std::size_t n = 0; n < there; ++n) wide_[before + n] += squares[n];
        }
        const Reading1D& r = task_.pixels;
        kernels_.settling.norms({&wide_[first.pixel * r.stride], r.taps, r.stride, r.dilation, count}, to);
    }

  private:
    static const unsigned char* pixel_at(const Image& a, std::size_t image, std::size_t row, std::size_t pixel) {
        return a.data + static_cast<std::ptrdiff_t>(image) * a.image + static_cast<std::ptrdiff_t>(row) * a.position[1] +
               static_cast<std::ptrdiff_t>(pixel) * a.position[2];
    }
    // Whether units of a pixel can be read where it is: what they reach beyond its channels is another pixel.
    bool has_units(const unsigned char* from) const {
        return !are_copied_.empty() || units_ == task_.channels || end_ - from >= static_cast<std::ptrdiff_t>(units_);
    }
    // Of pixels that are packed; else nothing is behind a pixel.
    const unsigned char* end_of_pixels() const {
        const auto channels = static_cast<std::ptrdiff_t>(task_.channels);
        const std::ptrdiff_t row = channels * static_cast<std::ptrdiff_t>(task_.pixels.input);
        const std::ptrdiff_t image = row * static_cast<std::ptrdiff_t>(task_.rows.input);
        const bool are_packed = (task_.pixels.input == 1 || task_.a.position[2] == channels) &&
                                (task_.rows.input == 1 || task_.a.position[1] == row) &&
                                (task_.images == 1 || task_.a.image == image);
        return task_.a.data + (are_packed ? static_cast<std::ptrdiff_t>(task_.images) * image : 0);
    }
    // A row whose channels are apart, as units.
    void copy(std::size_t image, std::size_t row) {
        std::uint8_t& is_copied = are_copied_[image * task_.rows.input + row];
        if (is_copied) return;
        is_copied = 1;
        const unsigned char* from = pixel_at(task_.a, image, row, 0);
        unsigned char* const to = copy_.data() + (pixel_at(a_, image, row, 0) - a_.data);
        const std::ptrdiff_t pixel = task_.a.position[2];
        const std::size_t count = task_.pixels.input;
        if (units_ == kQuad && pixel == 1) {
            const unsigned char* lines[kQuad];
            for (std::size_t c = 0; c < kQuad; ++c) {
                lines[c] = from + static_cast<std::ptrdiff_t>(std::min(c, task_.channels - 1)) * task_.a.channel;
            }
            return kernels_.interleave(lines, count, 0, reinterpret_cast<std::int32_t*>(to));
        }
        for (std::size_t c = 0; c < task_.channels; ++c, from += task_.a.channel) {
            for (std::size_t n = 0; n < count; ++n) to[n * units_ + c] = from[static_cast<std::ptrdiff_t>(n) * pixel];
        }
    }
    // Of each pixel of a row of an image, which are found once for all taps.
    const std::uint32_t* squares_of(std::size_t image, std::size_t row) {
        const std::size_t line = image * task_.rows.input + row, place = row % lines_there_.size();
        std::uint32_t* const squares = &squares_[place * task_.pixels.input];
        if (lines_there_[place] == line) return squares;
        lines_there_[place] = line;
        kernels_.settling.sum_squares({pixel_at(task_.a, image, row, 0), task_.a.position[2], task_.a.channel, task_.pixels.input,
                              task_.channels, is_signed(), task_.a_zero},
                             squares);
        return squares;
    }

    static constexpr std::size_t kNone = ~std::size_t{0};
    const Settling& task_;
    const Kernels& kernels_;
    const std::size_t units_;  // of a pixel, in bytes
    Image a_;  // with channels beside each other: the task's, or the copy
    const unsigned char* const end_;
    const std::vector<unsigned char> padding_;
    Memory<unsigned char> copy_;
    std::vector<std::uint8_t> are_copied_;  // of all rows of all images, where there is a copy
    std::vector<std::size_t> lines_there_;  // of all images, by their places in
    std::vector<std::uint32_t> squares_;    // of as many rows as taps reach over
    std::vector<std::uint32_t> wide_;       // with padding on both sides
};

}  // namespace integers
}  // namespace indirectml
