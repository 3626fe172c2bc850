// Strips of rows of the output, as in contraction/channels_last.cpp: pixels times filters. Four channels of a
// pixel are a unit as they lie; what is signed, or has padding around it, is copied strip by strip.
// Where each channel has a filter, units are four rows of the input at each pixel of each channel.
#include "pixels.h"

#include <memory>
#include <vector>

#include "../contraction/pieces.h"
#include "../contraction/shares.h"
#include "../contraction/strips.h"
#include "../stopping.h"

namespace indirectml {
namespace integers {
namespace {

// Outputs are computed in strips of rows, of about so many pixels, and of about so many results, so that
// what comes after a strip finds it in the second cache.
constexpr std::size_t kStripPixels = 256, kStripResults = 1 << 16;

constexpr unsigned char kOnes[kQuad] = {1, 1, 1, 1};

// Copies channels of so many pixels, from one pixel to the next in `pitch` bytes; what is beyond them is
// anything.
void copy_pixels(const Image& x, const unsigned char* from, std::size_t channels, std::size_t count,
                 unsigned char* to, std::size_t pitch, const Kernels& kernels) {
    const unsigned char flips = flips_to_unsigned(x.type);
    const std::ptrdiff_t pixel = x.position[2];
    if (x.channel == 1 && pixel == static_cast<std::ptrdiff_t>(channels) && pitch == channels) {
        channels *= count;
        count = 1;
    }
    if (x.channel == 1) {
        // Of few channels, what is beyond them may be the next pixel's.
        const bool are_units = channels < kQuad && pitch == kQuad && pixel > 0;
        for (; are_units && count > kQuad; --count, from += pixel, to += pitch) {
            std::int32_t unit;
            std::memcpy(&unit, from, sizeof(unit));
            unit ^= static_cast<std::int32_t>(flips * 0x01010101u);
            std::memcpy(to, &unit, sizeof(unit));
        }
        for (std::size_t n = 0; n < count; ++n, from += pixel, to += pitch) {
            if (flips == 0) {
                std::memcpy(to, from, channels);
                continue;
            }
            for (std::size_t c = 0; c < channels; ++c) to[c] = from[c] ^ flips;
        }
        return;
    }
    if (pixel == 1 && pitch == kQuad) {
        const unsigned char* lines[kQuad];
        for (std::size_t n = 0; n < kQuad; ++n) {
            lines[n] = from + static_cast<std::ptrdiff_t>(std::min(n, channels - 1)) * x.channel;
        }
        return kernels.interleave(lines, count, flips, reinterpret_cast<std::int32_t*>(to));
    }
    for (std::size_t c = 0; c < channels; ++c, from += x.channel) {
        for (std::size_t n = 0; n < count; ++n) {
            to[n * pitch + c] = from[static_cast<std::ptrdiff_t>(n) * pixel] ^ flips;
        }
    }
}

class Convolver {
  public:
    Convolver(const Convolution& task, const PixelPanels& form, const Kernels& kernels)
        : task_(task),
          form_(form),
          kernels_(kernels),
          geometry_(task),
          zero_(task.input_zero + change_to_unsigned(task.input.type)),
          padding_(static_cast<unsigned char>(zero_)),
          is_one_zero_(task.filter_zero.stride == 0),
          all_(task.groups * task.channels),
          unit_bytes_(form.by_channels ? kQuad : kernels.unit_bytes),
          group_bytes_(is_widened() ? units_of(task.channels) * unit_bytes_ : task.channels),
          most_(form.by_channels ? 1 : kernels.panels),
          tiles_(form.by_channels ? kernels.channels : kernels.pixels) {
        is_inside_ = !form.by_channels && geometry_.is_inside() && task.input.channel == 1 &&
                     task.input.type == OperandType::kUInt8 && task.channels % kQuad == 0 && !is_widened();
        set_input();
        const auto* const sums = reinterpret_cast<const std::int32_t*>(task.filter.data);
        panels_ = sums + form.matrices * form.width();
        starts_.resize(form.matrices * form.width());
        for (std::size_t j = 0; j < starts_.size(); ++j) starts_[j] = less(0, times(zero_, sums[j]));
        for (std::size_t m = 0; m < (is_one_zero_ ? 1 : task.groups * task.filters); ++m) {
            any_zero_ = any_zero_ || filter_zero(m) != 0;
        }
        places_.resize(sorts_units() ? form.units() : 0);
        if (any_zero_) set_ones();
    }

    // Panels first .. end of each group, for a strip.
    void run(const Strip& strip, std::size_t first, std::size_t end) {
        TileRegisters registers(kernels_);
        shape_ = registers.shape();
        if (!form_.by_channels) {
            const unsigned char* const data = placed(strip);
            set_pieces(strip.rows);
            for (std::size_t group = 0; group < form_.matrices; ++group) {
                multiply(data + group * group_bytes_, group, first, end, output_of(strip, 0));
            }
            return;
        }
        set_pieces(1);
        for (std::size_t row = 0; row < strip.rows; ++row) {
            multiply(units_of_rows(strip.image, strip.first + row), 0, first, end,
                     output_of(strip, row));
        }
    }

  private:
    bool is_widened() const { return unit_bytes_ != kQuad; }
    bool sorts_units() const { return !form_.by_channels && kernels_.sorts_units(); }
    std::int32_t filter_zero(std::size_t number) const {
        return zero_of(task_.filter_zero, number) + change_to_signed(task_.filter.type);
    }
    std::int32_t* output_of(const Strip& strip, std::size_t row) const {
        return reinterpret_cast<std::int32_t*>(
            task_.output + static_cast<std::ptrdiff_t>(strip.image) * task_.output_image +
            static_cast<std::ptrdiff_t>(strip.first + row) * task_.output_position[1]);
    }
    const unsigned char* input_of(std::size_t image) const {
        return task_.input.data + static_cast<std::ptrdiff_t>(image) * task_.input.image;
    }

    // From a pixel of what is read to the next, and to the next row; and where a filter's units are.
    void set_input() {
        const std::size_t reach = geometry_.columns.reach(geometry_.columns.output);
        if (is_inside_) {
            pixel_ = task_.input.position[2], row_ = task_.input.position[1];
        } else if (form_.by_channels) {
            pixel_ = static_cast<std::ptrdiff_t>(all_ * kQuad);
            row_ = static_cast<std::ptrdiff_t>(reach) * pixel_;
            // Padding around rows stays; a panel may reach beyond the last channel.
            const std::size_t units = form_.quads * reach * all_ + kPanel;
            std::memset(copy_.at_least(units * kQuad), padding_, units * kQuad);
            std::memset(nothing_.at_least(reach * all_), padding_ ^ flips_to_unsigned(task_.input.type),
                        reach * all_);
        } else {
            const std::size_t pitch = is_widened() ? task_.groups * group_bytes_ : units_of(all_) * kQuad;
            pixel_ = static_cast<std::ptrdiff_t>(pitch);
            row_ = static_cast<std::ptrdiff_t>(reach) * pixel_;
        }
        offsets_.reserve(form_.units());
        form_.for_each_unit([&](const PixelPanels::Unit& at) {
            const std::size_t line =
                form_.by_channels ? at.row / kQuad : at.row * geometry_.rows.dilation;
            offsets_.push_back(static_cast<std::ptrdiff_t>(line) * row_ +
                               static_cast<std::ptrdiff_t>(at.tap * geometry_.columns.dilation) * pixel_ +
                               static_cast<std::ptrdiff_t>(at.channel / kQuad * unit_bytes_));
        });
        // Units of a tap follow each other, and those of the next one where no other group is between.
        run_ = form_.quads;
        const auto taps_apart = static_cast<std::ptrdiff_t>(geometry_.columns.dilation) * pixel_;
        if (taps_apart == static_cast<std::ptrdiff_t>(run_ * unit_bytes_)) run_ *= form_.taps;
    }

    // What the zero points of filters take: a filter of ones.
    void set_ones() {
        std::int32_t* to = ones_.at_least(form_.units() * kPanel);
        form_.for_each_unit([&](const PixelPanels::Unit& at) {
            std::int32_t unit = 0;
            std::memcpy(&unit, kOnes, at.count);
            to = std::fill_n(to, kPanel, unit);
        });
        const std::size_t depth = form_.channels * form_.rows * form_.taps;
        std::fill_n(ones_starts_, kPanel, less(0, times(static_cast<std::int32_t>(depth), zero_)));
        for (std::size_t k = 0; k < form_.units() && sorts_units(); ++k) {
            ones_places_.push_back({offsets_[k], static_cast<std::ptrdiff_t>(k * kPanel)});
        }
    }

    // How the pixels of a row of the input lie in one of a strip: those before, and those that are there.
    struct Columns {
        std::size_t before, count;
    };
    Columns columns() const {
        const Reading1D& g = geometry_.columns;
        const std::size_t all = g.reach(g.output), padding = static_cast<std::size_t>(g.padding);
        const std::size_t before = std::min(padding, all);
        return {before, std::min(g.input, all - before)};
    }

    // What a strip reads, where it lies or copied.
    const unsigned char* placed(const Strip& strip) {
        const unsigned char* const image = input_of(strip.image);
        if (is_inside_) {
            return image + static_cast<std::ptrdiff_t>(strip.first * geometry_.rows.stride) * row_;
        }
        const std::size_t rows = geometry_.rows.reach(strip.rows), row = static_cast<std::size_t>(row_);
        const std::size_t pitch = static_cast<std::size_t>(pixel_);
        const Columns c = columns();
        unsigned char* to = copy_.at_least(rows * row + kQuad);  // units reach beyond a last group
        unsigned char* const begin = to;
        for (std::size_t i = 0; i < rows; ++i, to += row) {
            // Rows before the input come out as numbers beyond it.
            const std::size_t at =
                strip.first * geometry_.rows.stride + i - static_cast<std::size_t>(geometry_.rows.padding);
            if (at >= geometry_.rows.input) {
                pad(to, row);
                continue;
            }
            pad(to, c.before * pitch);
            const unsigned char* const from = image + static_cast<std::ptrdiff_t>(at) * task_.input.position[1];
            if (is_widened()) {
                widen_pixels(from, c.count, to + c.before * pitch);
            } else {
                copy_pixels(task_.input, from, all_, c.count, to + c.before * pitch, pitch, kernels_);
            }
            const std::size_t done = (c.before + c.count) * pitch;
            pad(to + done, row - done);
        }
        return begin;
    }

    void pad(unsigned char* to, std::size_t bytes) const {
        if (!is_widened()) {
            std::memset(to, padding_, bytes);
        } else {
            std::fill_n(reinterpret_cast<std::uint16_t*>(to), bytes / sizeof(std::uint16_t), padding_);
        }
    }

    // Units of so many pixels, each group's beginning with a unit of its own.
    void widen_pixels(const unsigned char* from, std::size_t count, unsigned char* to) {
        const unsigned char flips = flips_to_unsigned(task_.input.type);
        const bool are_whole = task_.groups == 1 || task_.channels % kQuad == 0;
        const std::size_t pitch = are_whole ? units_of(all_) * kQuad : all_;
        if (task_.input.channel != 1 || task_.input.position[2] != static_cast<std::ptrdiff_t>(pitch)) {
            Image plain = task_.input;
            plain.type = OperandType::kUInt8;  // `to_units` changes signs
            unsigned char* const line = lines_[0].at_least(count * pitch);
            copy_pixels(plain, from, all_, count, line, pitch, kernels_);
            from = line;
        }
        if (are_whole) return kernels_.to_units(from, count * pitch, flips, to);
        for (std::size_t n = 0; n < count * task_.groups; ++n) {
            kernels_.to_units(from + n * task_.channels, task_.channels, flips, to + n * group_bytes_);
        }
    }

    // The units of what a row of outputs reads, of each channel by itself.
    const unsigned char* units_of_rows(std::size_t image, std::size_t row) {
        const Columns c = columns();
        const unsigned char flips = flips_to_unsigned(task_.input.type);
        const bool follow =
            task_.input.channel == 1 && task_.input.position[2] == static_cast<std::ptrdiff_t>(all_);
        for (std::size_t quad = 0; quad < form_.quads; ++quad) {
            const unsigned char* lines[kQuad];
            for (std::size_t n = 0; n < kQuad; ++n) {
                // Rows beyond those of the filter are multiplied by nothing.
                const std::size_t tap = std::min(quad * kQuad + n, form_.rows - 1);
                const std::size_t at = row * geometry_.rows.stride + tap * geometry_.rows.dilation -
                                       static_cast<std::size_t>(geometry_.rows.padding);
                lines[n] = nothing_.data();
                if (at >= geometry_.rows.input) continue;
                lines[n] = input_of(image) + static_cast<std::ptrdiff_t>(at) * task_.input.position[1];
                if (follow) continue;
                Image plain = task_.input;
                plain.type = OperandType::kUInt8;  // `interleave` changes signs
                unsigned char* const line = lines_[n].at_least(c.count * all_);
                copy_pixels(plain, lines[n], all_, c.count, line, all_, kernels_);
                lines[n] = line;
            }
            auto* const to = reinterpret_cast<std::int32_t*>(
                copy_.data() + static_cast<std::ptrdiff_t>(quad) * row_ +
                static_cast<std::ptrdiff_t>(c.before) * pixel_);
            kernels_.interleave(lines, c.count * all_, flips, to);
        }
        return copy_.data();
    }

    void set_pieces(std::size_t rows) {
        if (rows == piece_rows_) return;
        piece_rows_ = rows;
        steps_ = {static_cast<std::ptrdiff_t>(geometry_.columns.stride) * pixel_,
                  static_cast<std::ptrdiff_t>(geometry_.rows.stride) * row_,
                  task_.output_position[2] / 4, task_.output_position[1] / 4};
        const std::size_t height = form_.by_channels ? kernels_.widening_rows : kernels_.rows;
        cut_into_pieces(rows, geometry_.columns.output, height, steps_, pieces_);
    }

    // Panels first .. end of a group times all pieces of what is at a.
    void multiply(const unsigned char* a, std::size_t group, std::size_t first, std::size_t end,
                  std::int32_t* out) {
        const std::size_t units = form_.units(), together = (end - first + most_ - 1) / most_;
        if (any_zero_ && !form_.by_channels) {
            std::int32_t* to = terms_.at_least(pieces_.size() * kMostRows);
            for (const Piece& piece : pieces_) {
                std::int32_t sums[kMostRows * kPanel];
                sum_pixels(a + piece.a, piece, sums);
                for (std::size_t i = 0; i < piece.height; ++i) {
                    to[i] = is_one_zero_ ? less(0, times(filter_zero(0), sums[i * kPanel])) : sums[i * kPanel];
                }
                to += kMostRows;
            }
        }
        for (std::size_t n = 0, panel = first; n < together; ++n) {
            const std::size_t count = first + (end - first) * (n + 1) / together - panel;
            const std::size_t column = panel * kPanel, at = group * form_.width() + column;
            const std::size_t columns = std::min(count * kPanel, form_.columns - column);
            const bool is_whole = columns == count * kPanel;
            Tile t{};
            t.a_row = steps_.a_pixel;
            t.b = panels_ + at * units;
            t.b_k = kPanel;
            t.b_panel = static_cast<std::ptrdiff_t>(units * kPanel);
            t.offsets = offsets_.data();
            t.units = units;
            t.places = places_.data();
            if (sorts_units()) t.fitting = kernels_.sort_units(t.b, t.offsets, units, places_.data());
            t.run = run_;
            t.shape = shape_;
            t.column_starts = starts_.data() + at;
            const std::size_t number = group * form_.columns + column;
            std::int32_t beside[kMostRows * kMostPanels * kPanel];
            for (std::size_t k = 0; k < pieces_.size(); ++k) {
                const Piece& piece = pieces_[k];
                std::int32_t* const c = out + piece.c + static_cast<std::ptrdiff_t>(number);
                const auto half = static_cast<std::ptrdiff_t>((piece.height + 1) / 2);
                t.a = a + piece.a + (form_.by_channels ? column * kQuad : 0);
                t.a_half = piece.a_half;
                t.c = is_whole ? c : beside;
                t.c_row = is_whole ? steps_.c_pixel : static_cast<std::ptrdiff_t>(count * kPanel);
                t.c_half = is_whole ? piece.c_half : half * t.c_row;
                const bool is_last = k + 1 == pieces_.size() && n + 1 < together;
                t.next = is_last ? t.b + static_cast<std::ptrdiff_t>(count) * t.b_panel : nullptr;
                const bool has_terms = any_zero_ && !form_.by_channels;
                t.row_starts = has_terms && is_one_zero_ ? terms_.data() + k * kMostRows : nullptr;
                tiles_[piece.height - 1][count - 1](t);
                if (any_zero_ && !t.row_starts) subtract_zeros(t, piece, k, number, columns);
                for (std::size_t i = 0; i < piece.height && !is_whole; ++i) {
                    const auto line = static_cast<std::ptrdiff_t>(i);
                    std::int32_t* const to =
                        line < half ? c + line * steps_.c_pixel : c + piece.c_half + (line - half) * steps_.c_pixel;
                    std::memcpy(to, beside + line * t.c_row, columns * sizeof(*to));
                }
                done_.done(piece.height * count * kPanel * units);
            }
            panel += count;
        }
    }

    // The sums of what the taps of some pixels read, less the zero points.
    void sum_pixels(const unsigned char* a, const Piece& piece, std::int32_t* to) const {
        Tile t{};
        t.a = a;
        t.a_row = steps_.a_pixel;
        t.a_half = piece.a_half;
        t.b = ones_.data();
        t.b_k = kPanel;
        t.offsets = offsets_.data();
        t.units = t.fitting = form_.units();
        t.places = ones_places_.data();
        t.run = run_;
        t.shape = shape_;
        t.c = to;
        t.c_row = kPanel;
        t.c_half = static_cast<std::ptrdiff_t>((piece.height + 1) / 2 * kPanel);
        t.column_starts = ones_starts_;
        tiles_[piece.height - 1][0](t);
    }

    // What the zero points of filters number .. take from a tile.
    void subtract_zeros(const Tile& t, const Piece& piece, std::size_t place, std::size_t number,
                        std::size_t columns) {
        std::int32_t zeros[kMostPanels * kPanel];
        for (std::size_t j = 0; j < columns; ++j) zeros[j] = filter_zero(number + j);
        std::int32_t each[kMostRows * kPanel];
        if (form_.by_channels) sum_pixels(t.a, piece, each);
        const std::size_t half = (piece.height + 1) / 2;
        for (std::size_t i = 0; i < piece.height; ++i) {
            std::int32_t* const c =
                i < half ? t.c + static_cast<std::ptrdiff_t>(i) * t.c_row
                         : t.c + t.c_half + static_cast<std::ptrdiff_t>(i - half) * t.c_row;
            if (!form_.by_channels) {
                kernels_.subtract(zeros, terms_.data()[place * kMostRows + i], columns, c);
            } else if (is_one_zero_) {
                kernels_.subtract(each + i * kPanel, zeros[0], columns, c);
            } else {
                for (std::size_t j = 0; j < columns; ++j) {
                    c[j] = less(c[j], times(zeros[j], each[i * kPanel + j]));
                }
            }
        }
    }

    const Convolution& task_;
    const PixelPanels& form_;
    const Kernels& kernels_;
    const Geometry geometry_;
    const std::int32_t zero_;
    const unsigned char padding_;
    const bool is_one_zero_;
    const std::size_t all_, unit_bytes_, group_bytes_, most_;  // channels of all groups; panels of a tile
    const TileTable& tiles_;
    std::uint64_t* shape_ = nullptr;  // see TileRegisters, of a strip
    bool is_inside_, any_zero_ = false;
    std::ptrdiff_t pixel_, row_;
    PixelSteps steps_{};
    std::vector<std::ptrdiff_t> offsets_;
    std::vector<UnitPlace> places_, ones_places_;  // of kernels in pairs: units of a panel, and of ones
    std::size_t run_;  // of units that follow each other
    const std::int32_t* panels_;
    std::vector<std::int32_t> starts_;
    std::int32_t ones_starts_[kPanel];
    Memory<unsigned char> copy_, nothing_, lines_[kQuad];
    Memory<std::int32_t> ones_, terms_;
    std::size_t piece_rows_ = 0;
    std::vector<Piece> pieces_;
    Pieces done_{std::uint64_t{1} << 24};
};

}  // namespace

bool is_of_pixels(const Convolution& task) {
    return task.output_channel == 4 && task.filter_sizes[0] == 1 && task.strides[0] == 1 &&
           task.start_padding[0] == 0 && task.input_sizes[0] == 1 && task.output_sizes[0] == 1;
}

std::size_t rows_of_pixels(const Convolution& task) {
    const auto rows = static_cast<std::ptrdiff_t>(task.output_sizes[1]);
    const bool follow = task.images == 1 || task.output_image == rows * task.output_position[1];
    return follow ? task.images * task.output_sizes[1] : 0;
}

void convolve_pixels(const Convolution& task, const ContractionPolicy& policy,
                     const std::function<void(Share)>& after) {
    const PixelPanels form(task.groups, task.filters, task.channels, task.filter_sizes);
    const std::size_t width = task.output_sizes[2], height = task.output_sizes[1];
    const Kernels& plain = kernels_of(policy.kernels->name, policy.integer_kernels);
    const auto* const panels =
        reinterpret_cast<const std::int32_t*>(task.filter.data) + form.matrices * form.width();
    const Kernels& kernels =
        form.by_channels ? plain : kernels_for(plain, panels, form.units(), width * height);
    const std::size_t filters = task.groups * task.filters;
    const std::size_t most = std::min(kStripPixels / width, kStripResults / (width * filters));
    const std::size_t strip_rows = std::clamp<std::size_t>(most, 1, height);
    const double products = static_cast<double>(task.images * width * height * filters) *
                            static_cast<double>(task.channels * form.rows * form.taps);
    const unsigned threads = worthwhile_threads(
        products / policy.operations_per_thread / kGain / (form.by_channels ? 1 : kernels.gain),
        policy.max_threads);
    const StripShares shares(task, strip_rows, form.panels, form.by_channels, threads);
    const auto strip_of = [&](std::size_t number) {
        const std::size_t part = number % shares.parts;
        const std::size_t first = height * part / shares.parts;
        return Strip{number / shares.parts, first, height * (part + 1) / shares.parts - first};
    };
    const auto make = [&](unsigned) {
        return [&, convolver = std::make_unique<Convolver>(task, form, kernels)](
                   std::size_t number, const Share& share, bool) {
            convolver->run(strip_of(number), share.begin, share.end);
        };
    };
    shares.run(task.images * shares.parts, form.by_channels ? 1 : kernels.panels, make, [&](std::size_t number) {
        if (!after) return;
        const Strip strip = strip_of(number);
        const std::size_t row = strip.image * height + strip.first;
        after({row, row + strip.rows});
    });
    if (after && !shares.completes_strips()) finish_rows(task, threads, after);
}

}  // namespace integers
}  // namespace indirectml
