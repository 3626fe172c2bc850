// Which results exact sums settle, and the others panel by panel: as many of them side by side as a panel has columns,
// each by its own row and column.
#include "settling.h"

#include <algorithm>
#include <cmath>

#include "../contraction/product.h"
#include "../float_modes.h"
#include "../stopping.h"
#include "../team.h"
#include "packing.h"

namespace indirectml {
namespace integers {
namespace {

// Sums of more products could be beyond INT32.
constexpr std::size_t kMostDepth = 1 << 15;
// Beyond these, something could be too small or too large on the way.
constexpr float kLeastScale = 0x1p-40f, kMostScale = 0x1p40f;
bool is_usual(float scale) { return scale >= kLeastScale && scale <= kMostScale; }

// A zero point is one of the numbers that it is taken from, so that differences have 8 bits and a sign.
bool is_usual(std::int32_t zero, bool is_signed) {
    const std::int32_t lowest = is_signed ? -128 : 0;
    return zero >= lowest && zero <= lowest + 255;
}

// Half of the distance from 1 to the next number: what an operation is off by at most, in parts of its result.
constexpr double kUnit = 0x1p-24;
// What is rounded besides the additions of a chain and those of chains, in parts of a product, and of a bound.
constexpr double kBeside = 8;
constexpr double kMore = 1 + 0x1p-9;

// Rows whose results in doubt are computed together, panel by panel.
constexpr std::size_t kBlockRows = 512;
// Results for which a thread is worth starting: a few nanoseconds each.
constexpr double kResultsPerThread = 1e4;

std::int32_t signed_zero(const ZeroPoints& zeros, OperandType type, std::size_t column) {
    return zero_of(zeros, column) + change_to_signed(type);
}

}  // namespace

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
            are_usual_ = are_usual_ && is_usual(scales_[j]) && is_usual(zeros_[j], true);
            if (!are_usual_) continue;
            factors_[j] = task.a_scale * scales_[j] / task.scale;
            shifts_[j] = bias_[j] / task.scale;
            bounds_[j] = static_cast<float>(kUnit * kMore * static_cast<double>(factors_[j]) * norms[j]);
        }
    }

    bool are_usual() const { return are_usual_; }
    SettledColumns settled_from(std::size_t column) const {
        return {&factors_[column], &shifts_[column], &bounds_[column]};
    }
    const float* scales(std::size_t column) const { return &scales_[column]; }
    const float* bias(std::size_t column) const { return &bias_[column]; }
    const std::int32_t* zeros(std::size_t column) const { return &zeros_[column]; }

  private:
    bool are_usual_;
    std::vector<float> factors_, shifts_, bounds_, scales_, bias_;
    std::vector<std::int32_t> zeros_;
};

namespace {

// A result of an image, counted through all of them.
struct Position {
    std::size_t image, row, pixel;

    Position(const Settling& task, std::size_t number)
        : image(number / task.pixels.output / task.rows.output),
          row(number / task.pixels.output % task.rows.output),
          pixel(number % task.pixels.output) {}
    std::ptrdiff_t in(const Results& results) const {
        return static_cast<std::ptrdiff_t>(image) * results.image + static_cast<std::ptrdiff_t>(row) * results.row +
               static_cast<std::ptrdiff_t>(pixel) * results.pixel;
    }
    void move(const Settling& task) {
        if (++pixel < task.pixels.output) return;
        pixel = 0;
        if (++row < task.rows.output) return;
        row = 0;
        ++image;
    }
};

// What a tap of one dimension reads: beyond the input, where that is padding.
std::size_t read_by(const Reading1D& reading, std::size_t output, std::size_t tap) {
    return output * reading.stride + tap * reading.dilation - static_cast<std::size_t>(reading.padding);
}

// The left side: pixels under taps.
class Pixels {
  public:
    Pixels(const Settling& task, const SettlingKernels& kernels)
        : task_(task),
          kernels_(kernels),
          follow_(task.a.channel == 1),
          units_(task.depth().quads() * kQuad),
          end_(end_of_pixels()),
          padding_(units_, static_cast<unsigned char>(task.a_zero)),
          squares_(task.rows.input * task.pixels.input),
          are_there_(task.rows.input, 0),
          wide_(task.pixels.reach(task.pixels.output)),
          norms_(task.pixels.output) {}

    bool is_signed() const { return task_.a.type == OperandType::kInt8; }

    // The channels of what a tap reads, one behind the other, in whole units: what is behind the last channel is
    // anything. In `memory` where they do not lie so.
    const unsigned char* under(const Position& at, std::size_t row_tap, std::size_t pixel_tap,
                               unsigned char* memory) const {
        const std::size_t row = read_by(task_.rows, at.row, row_tap);
        const std::size_t pixel = read_by(task_.pixels, at.pixel, pixel_tap);
        if (row >= task_.rows.input || pixel >= task_.pixels.input) return padding_.data();
        const unsigned char* const from = channels_of(at.image, row, pixel);
        return has_units(from) ? from : together(from, memory);
    }

    // The same for the first tap where no tap reads padding, or what has to be copied; else null.
    const unsigned char* first_under(const Position& at) const {
        const std::size_t row = read_by(task_.rows, at.row, 0), pixel = read_by(task_.pixels, at.pixel, 0);
        // Positions before the input come out as numbers beyond it.
        const std::size_t last_row = row + (task_.rows.taps - 1) * task_.rows.dilation;
        const std::size_t last_pixel = pixel + (task_.pixels.taps - 1) * task_.pixels.dilation;
        const bool is_inside = row < task_.rows.input && pixel < task_.pixels.input && last_row < task_.rows.input &&
                               last_pixel < task_.pixels.input;
        if (!is_inside || !has_units(channels_of(at.image, last_row, last_pixel))) return nullptr;
        return channels_of(at.image, row, pixel);
    }
    std::ptrdiff_t from_first_tap(std::size_t row_tap, std::size_t pixel_tap) const {
        return static_cast<std::ptrdiff_t>(row_tap * task_.rows.dilation) * task_.a.position[1] +
               static_cast<std::ptrdiff_t>(pixel_tap * task_.pixels.dilation) * task_.a.position[2];
    }

    // The root of the sum of the squares of what all taps read, of each pixel of a row.
    const float* norms_of(std::size_t image, std::size_t row) {
        std::fill(wide_.begin(), wide_.end(), 0u);
        const auto before = static_cast<std::size_t>(task_.pixels.padding);
        const std::size_t there = before < wide_.size() ? std::min(task_.pixels.input, wide_.size() - before) : 0;
        for (std::size_t y = 0; y < task_.rows.taps; ++y) {
            const std::size_t from = read_by(task_.rows, row, y);
            if (from >= task_.rows.input) continue;
            const std::uint32_t* const squares = squares_of(image, from);
            for (std::size_t n = 0; n < there; ++n) wide_[before + n] += squares[n];
        }
        for (std::size_t n = 0; n < norms_.size(); ++n) {
            std::uint32_t sum = 0;
            for (std::size_t x = 0; x < task_.pixels.taps; ++x) {
                sum += wide_[n * task_.pixels.stride + x * task_.pixels.dilation];
            }
            norms_[n] = std::sqrt(static_cast<float>(sum));
        }
        return norms_.data();
    }

  private:
    const unsigned char* channels_of(std::size_t image, std::size_t row, std::size_t pixel) const {
        return task_.a.data + static_cast<std::ptrdiff_t>(image) * task_.a.image +
               static_cast<std::ptrdiff_t>(row) * task_.a.position[1] +
               static_cast<std::ptrdiff_t>(pixel) * task_.a.position[2];
    }
    // Whether units of a pixel can be read where it is: what they reach beyond its channels is another pixel.
    bool has_units(const unsigned char* from) const {
        return follow_ && (units_ == task_.channels || end_ - from >= static_cast<std::ptrdiff_t>(units_));
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
    const unsigned char* together(const unsigned char* from, unsigned char* memory) const {
        if (follow_) {
            std::memcpy(memory, from, task_.channels);
            return memory;
        }
        for (std::size_t c = 0; c < task_.channels; ++c, from += task_.a.channel) memory[c] = *from;
        return memory;
    }
    // Of each pixel of a row of an image, which are found once.
    const std::uint32_t* squares_of(std::size_t image, std::size_t row) {
        if (image != image_) std::fill(are_there_.begin(), are_there_.end(), std::uint8_t{0});
        image_ = image;
        std::uint32_t* const squares = &squares_[row * task_.pixels.input];
        if (are_there_[row]) return squares;
        are_there_[row] = 1;
        line_.resize(follow_ ? 0 : task_.channels);
        for (std::size_t n = 0; n < task_.pixels.input; ++n) {
            const unsigned char* const from = channels_of(image, row, n);
            squares[n] = kernels_.sum_squares(follow_ ? from : together(from, line_.data()), task_.channels,
                                              is_signed(), task_.a_zero);
        }
        return squares;
    }

    const Settling& task_;
    const SettlingKernels& kernels_;
    const bool follow_;
    const std::size_t units_;  // of a pixel, in bytes
    const unsigned char* const end_;
    const std::vector<unsigned char> padding_;
    std::vector<std::uint32_t> squares_;
    std::vector<std::uint8_t> are_there_;
    std::vector<std::uint32_t> wide_;  // with padding on both sides
    std::vector<float> norms_;
    std::vector<unsigned char> line_;
    std::size_t image_ = 0;
};

// One thread's rows of some panels.
class Part {
  public:
    Part(const Settling& task, const SettlingColumns& columns, const Policy& policy, const Share& panels)
        : task_(task),
          columns_(columns),
          kernels_(kernels_of(policy.target->name).settling),
          depth_(task.depth()),
          first_(panels.begin * kPanel),
          panels_(panels.end - panels.begin),
          there_(std::min(panels_ * kPanel, task.columns - first_)),
          doubts_(std::min(kBlockRows, task.row_count()) * panels_, kAllColumns),
          sums_(panels_ * kPanel),
          line_(panels_ * kPanel),
          pixels_(task, kernels_) {
        const float lowest = task.is_signed ? -128.0f : 0.0f, highest = lowest + 255;
        const auto zero = static_cast<float>(task.zero);
        quantizing_ = {task.least, task.most, task.scale, zero, lowest, highest};
        // Limits may be beyond all results.
        low_ = std::clamp(task.least / task.scale, lowest - zero, highest - zero);
        high_ = std::clamp(task.most / task.scale, lowest - zero, highest - zero);
    }

    void run(const Share& rows) {
        for (std::size_t first = rows.begin; first < rows.end; first += kBlockRows) {
            const std::size_t count = std::min(kBlockRows, rows.end - first);
            positions_.clear();
            const float* norms = nullptr;
            Position at(task_, first);
            for (std::size_t i = 0; i < count; ++i, at.move(task_)) {
                positions_.push_back(at);
                if (!columns_.are_usual()) continue;
                if (i == 0 || at.pixel == 0) norms = pixels_.norms_of(at.image, at.row);
                settle_row(at, norms[at.pixel], &doubts_[i * panels_]);
            }
            apart_.clear();
            for (std::size_t p = 0; p < panels_; ++p) {
                std::size_t in_doubt = find(p, count);
                // Columns of several panels fill what one panel leaves empty.
                const std::size_t rest = in_doubt % kPanel, column = first_ + p * kPanel;
                for (std::size_t n = 0; n < rest && rest < kLeastOfPanel; ++n) {
                    const InDoubt& each = in_doubt_[--in_doubt];
                    apart_.push_back({each.row, each.column + static_cast<std::int32_t>(column)});
                }
                if (in_doubt > 0) compute(column, in_doubt);
            }
            if (!apart_.empty()) compute_apart();
        }
    }

  private:
    static constexpr unsigned kAllColumns = 0xFFFF;
    static_assert(kPanel == 16, "a bit for each");
    static constexpr std::size_t kMostLots = 8;

    // A lot of a panel takes as long as one of so many results of any panels.
    static constexpr std::size_t kLeastOfPanel = 9;

    struct InDoubt {
        std::uint32_t row;    // of a block
        std::int32_t column;  // of a panel, or of all
    };

    // Finds what a panel leaves in doubt of so many rows; how many results that is. Most have none, and most of the
    // others one, so that there is no branch between these.
    std::size_t find(std::size_t panel, std::size_t rows) {
        const unsigned columns = kAllColumns >> (kPanel - std::min(kPanel, there_ - panel * kPanel));
        in_doubt_.resize(rows * kPanel + 1);
        InDoubt* to = in_doubt_.data();
        for (std::size_t i = 0; i < rows; ++i) {
            std::uint64_t doubts = doubts_[i * panels_ + panel] & columns;
            do {
                *to = {static_cast<std::uint32_t>(i), count_trailing_zeros(doubts | (kAllColumns + 1))};
                to += doubts != 0;
                doubts &= doubts - 1;
            } while (doubts != 0);
        }
        return static_cast<std::size_t>(to - in_doubt_.data());
    }

    unsigned char* out_of(const Position& at, std::size_t column) const {
        return task_.out + at.in(task_.out_at) + static_cast<std::ptrdiff_t>(column) * task_.out_at.column;
    }

    // Whole panels where they lie one behind the other, the rest by way of memory.
    void settle_row(const Position& at, float norm, std::uint16_t* doubts) {
        const std::ptrdiff_t step = task_.sums_at.column;
        const unsigned char* const sums = task_.sums + at.in(task_.sums_at) + static_cast<std::ptrdiff_t>(first_) * step;
        const bool are_words = reinterpret_cast<std::uintptr_t>(sums) % alignof(std::int32_t) == 0;
        const bool follow = are_words && step == sizeof(std::int32_t) && task_.out_at.column == 1;
        const std::size_t panels = follow ? there_ / kPanel : 0, done = panels * kPanel;
        kernels_.settle_row({reinterpret_cast<const std::int32_t*>(sums), columns_.settled_from(first_), norm, low_,
                             high_, task_.zero, panels, out_of(at, first_), doubts});
        if (panels == panels_) return;
        const std::size_t rest = there_ - done;
        const unsigned char* from = sums + static_cast<std::ptrdiff_t>(done) * step;
        if (follow) {
            std::memcpy(sums_.data(), from, rest * sizeof(sums_[0]));
        } else {
            for (std::size_t j = 0; j < rest; ++j, from += step) std::memcpy(&sums_[j], from, sizeof(sums_[0]));
        }
        kernels_.settle_row({sums_.data(), columns_.settled_from(first_ + done), norm, low_, high_, task_.zero,
                             panels_ - panels, line_.data(), doubts + panels});
        unsigned char* to = out_of(at, first_ + done);
        if (follow) {
            std::memcpy(to, line_.data(), rest);
        } else {
            for (std::size_t j = 0; j < rest; ++j, to += task_.out_at.column) *to = line_[j];
        }
    }

    // What of a panel is in doubt, chain by chain, so that what is multiplied stays in the first cache.
    void compute(std::size_t column, std::size_t in_doubt) {
        const std::size_t taps = depth_.taps, quads = depth_.quads(), units = quads * taps, depth = depth_.size();
        const std::int32_t* const panel = task_.panels + column * units;
        std::int32_t* const a = left_.at_least(kMostLots * units * kPanel);
        float* const b = right_.at_least(kChain * kPanel);
        for (std::size_t first = 0; first < in_doubt; first += kMostLots * kPanel) {
            const Share some{first, std::min(first + kMostLots * kPanel, in_doubt)};
            const std::size_t lots = (some.end - some.begin + kPanel - 1) / kPanel;
            for (std::size_t n = 0; n < lots; ++n) read(some, n, a + n * units * kPanel);
            for (std::size_t k = 0; k < depth; k += kChain) {
                // Units of the panel are in the order of taps, those of rows in the order of channels.
                const ChainPlace place{k / taps, k % taps, taps, static_cast<std::ptrdiff_t>(quads * kPanel), kPanel};
                const ChainPlace of_rows{place.channel, place.tap, taps, kPanel,
                                         static_cast<std::ptrdiff_t>(taps * kPanel)};
                const std::size_t length = std::min(kChain, depth - k);
                kernels_.widen(panel, place, length, columns_.zeros(column), columns_.scales(column), b);
                for (std::size_t n = 0; n < lots;) {
                    const std::size_t together = std::min(lots - n, kLotsTogether);
                    float sums[kLotsTogether][kPanel];
                    kernels_.multiply[together - 1]({a + n * units * kPanel, units * kPanel, pixels_.is_signed(), of_rows,
                                                     length, task_.a_zero, task_.a_scale, b, numbers_ + n, sums});
                    for (std::size_t i = 0; i < together; ++i) add(sums[i], k, totals_[n++]);
                }
            }
            for (std::size_t n = 0; n < lots; ++n) write(some, n, column);
            pieces_.done(lots * kPanel * depth);
        }
    }

    // The same of what panels left.
    void compute_apart() {
        const std::size_t taps = depth_.taps, quads = depth_.quads(), units = quads * taps, depth = depth_.size();
        std::int32_t* const a = left_.at_least(2 * units * kPanel);
        std::int32_t* const b = a + units * kPanel;
        in_doubt_.swap(apart_);
        for (std::size_t first = 0; first < in_doubt_.size(); first += kPanel) {
            const Share some{first, std::min(first + kPanel, in_doubt_.size())};
            read(some, 0, a);
            std::int32_t zeros[kPanel];
            float scales[kPanel];
            for (std::size_t j = 0; j < kPanel; ++j) {
                const auto column = static_cast<std::size_t>(numbers_[0][j]);
                const std::int32_t* from = task_.panels + column / kPanel * kPanel * units + column % kPanel;
                zeros[j] = *columns_.zeros(column);
                scales[j] = *columns_.scales(column);
                for (std::size_t tap = 0; tap < taps; ++tap) {
                    std::int32_t* to = b + tap * kPanel + j;
                    for (std::size_t quad = 0; quad < quads; ++quad, from += kPanel, to += taps * kPanel) *to = *from;
                }
            }
            for (std::size_t k = 0; k < depth; k += kChain) {
                float sums[kPanel];
                const ChainPlace place{k / taps, k % taps, taps, kPanel, static_cast<std::ptrdiff_t>(taps * kPanel)};
                kernels_.multiply_apart({a, b, place, std::min(kChain, depth - k), pixels_.is_signed(), task_.a_zero,
                                         task_.a_scale, zeros, scales, sums});
                add(sums, k, totals_[0]);
            }
            write(some, 0, 0);
            pieces_.done(kPanel * depth);
        }
        in_doubt_.swap(apart_);  // which has more room
    }

    // Sums of a chain to those before it.
    static void add(const float* sums, std::size_t k, float* totals) {
        for (std::size_t j = 0; j < kPanel; ++j) totals[j] = k == 0 ? sums[j] : totals[j] + sums[j];
    }

    // Result `j` of lot `n` of some in doubt; the last one stands for those that are missing.
    const InDoubt& at(const Share& some, std::size_t n, std::size_t j) const {
        return in_doubt_[std::min(some.begin + n * kPanel + j, some.end - 1)];
    }

    // Columns of a lot, and the units of all its rows, side by side.
    void read(const Share& some, std::size_t n, std::int32_t* to) {
        const std::size_t quads = depth_.quads();
        unsigned char* const lines = lines_.at_least(kPanel * quads * kQuad);
        const auto step = static_cast<std::ptrdiff_t>(depth_.taps * kPanel);
        const Position* positions[kPanel];
        const unsigned char* firsts[kPanel];
        for (std::size_t j = 0; j < kPanel; ++j) {
            numbers_[n][j] = at(some, n, j).column;
            positions[j] = &positions_[at(some, n, j).row];
            firsts[j] = pixels_.first_under(*positions[j]);
        }
        for (std::size_t y = 0; y < task_.rows.taps; ++y) {
            for (std::size_t x = 0; x < task_.pixels.taps; ++x, to += kPanel) {
                const unsigned char* from[kPanel];
                const std::ptrdiff_t apart = pixels_.from_first_tap(y, x);
                for (std::size_t j = 0; j < kPanel; ++j) {
                    from[j] = firsts[j] ? firsts[j] + apart
                                        : pixels_.under(*positions[j], y, x, lines + j * quads * kQuad);
                }
                kernels_.turn(from, quads, to, step);
            }
        }
    }

    void write(const Share& some, std::size_t n, std::size_t column) const {
        float biases[kPanel];
        for (std::size_t j = 0; j < kPanel; ++j) {
            biases[j] = *columns_.bias(column + static_cast<std::size_t>(numbers_[n][j]));
        }
        unsigned char bytes[kPanel];
        kernels_.quantize(quantizing_, totals_[n], task_.bias ? biases : nullptr, bytes);
        const std::size_t count = std::min(kPanel, some.end - some.begin - n * kPanel);
        for (std::size_t j = 0; j < count; ++j) {
            const auto own = column + static_cast<std::size_t>(numbers_[n][j]);
            *out_of(positions_[at(some, n, j).row], own) = bytes[j];
        }
    }

    const Settling& task_;
    const SettlingColumns& columns_;
    const SettlingKernels& kernels_;
    const Depth depth_;
    const std::size_t first_, panels_, there_;  // columns; `there_` of them are no mere rest of a panel
    std::vector<std::uint16_t> doubts_;         // of each row and panel: all, where nothing is settled
    std::vector<std::int32_t> sums_;
    std::vector<unsigned char> line_;
    Pixels pixels_;
    std::vector<Position> positions_;  // of the rows of a block
    std::vector<InDoubt> in_doubt_, apart_;  // of a panel; of all that have few
    std::int32_t numbers_[kMostLots][kPanel];  // of columns, of each lot
    float totals_[kMostLots][kPanel];
    Quantizing quantizing_;
    float low_, high_;
    Memory<float> right_;
    Memory<std::int32_t> left_;
    Memory<unsigned char> lines_;
    Pieces pieces_{std::uint64_t{1} << 24};
};

}  // namespace

std::size_t Depth::quads() const { return units_of(channels); }

std::vector<float> norms_of_columns(const std::int32_t* panels, const Depth& depth, std::size_t columns,
                                    OperandType type, const ZeroPoints& zeros) {
    std::vector<float> norms(panels_of(columns) * kPanel);
    const auto* numbers = reinterpret_cast<const signed char*>(panels);
    const std::size_t quads = depth.quads(), size = depth.size();
    const auto chain_count = static_cast<double>((size + kChain - 1) / kChain);
    for (std::size_t column = 0; column < norms.size(); column += kPanel) {
        const std::size_t there = std::min(kPanel, columns - column);
        double sums[kPanel] = {};
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t chain_end = std::min(size, (k / kChain + 1) * kChain);
            const double additions = static_cast<double>(chain_end - k) + chain_count + kBeside;
            const std::size_t channel = k / depth.taps, unit = k % depth.taps * quads + channel / kQuad;
            for (std::size_t j = 0; j < there; ++j) {
                const std::int32_t number = numbers[(unit * kPanel + j) * kQuad + channel % kQuad];
                const double weighted = additions * (number - signed_zero(zeros, type, column + j));
                sums[j] += weighted * weighted;
            }
        }
        for (std::size_t j = 0; j < there; ++j) norms[column + j] = static_cast<float>(std::sqrt(sums[j]));
        numbers += quads * depth.taps * kPanel * kQuad;
    }
    return norms;
}

std::shared_ptr<const SettlingColumns> columns_of(const Settling& task) {
    return std::make_shared<const SettlingColumns>(task);
}

bool can_settle(const Settling& task) {
    return std::isfinite(task.a_scale) || (task.rows.is_inside() && task.pixels.is_inside());
}

void settle(const Settling& task, const Policy& policy) {
    const std::size_t row_count = task.row_count();
    if (row_count == 0 || task.columns == 0) return;
    const DefaultFloatModes modes;
    const std::shared_ptr<const SettlingColumns> own = task.known ? nullptr : columns_of(task);
    const SettlingColumns& columns = task.known ? *task.known : *own;
    const std::size_t panels = panels_of(task.columns);
    const double results = static_cast<double>(row_count) * static_cast<double>(task.columns);
    const unsigned threads = worthwhile_threads(results / kResultsPerThread, policy.max_threads);
    // One thread alone widens a panel for all rows, where there are enough panels.
    constexpr std::size_t kPanelsOfThread = 4;
    const bool is_by_panels = panels >= kPanelsOfThread * threads;
    run_team(threads, [&](unsigned part) {
        const Share of_panels = is_by_panels ? share_of(panels, 1, part, threads) : Share{0, panels};
        const Share rows = is_by_panels ? Share{0, row_count} : share_of(row_count, 1, part, threads);
        if (of_panels.is_empty() || rows.is_empty()) return;
        Part(task, columns, policy, of_panels).run(rows);
    });
}

struct RowSettler::Parts {
    const Settling task;
    const std::shared_ptr<const SettlingColumns> own;
    Part part;

    Parts(const Settling& given, const Policy& policy)
        : task(given),
          own(task.known ? nullptr : columns_of(task)),
          part(task, task.known ? *task.known : *own, policy, {0, panels_of(task.columns)}) {}
};

RowSettler::RowSettler(const Settling& task, const Policy& policy) {
    const DefaultFloatModes modes;
    parts_ = std::make_unique<Parts>(task, policy);
}
RowSettler::~RowSettler() = default;

void RowSettler::run(const Share& rows) {
    const DefaultFloatModes modes;
    const std::size_t pixels = parts_->task.pixels.output;
    parts_->part.run({rows.begin * pixels, rows.end * pixels});
}

}  // namespace integers
}  // namespace indirectml
