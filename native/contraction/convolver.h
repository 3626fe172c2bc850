// Convolutions of strips by filters in panels, where the output has the channels of a pixel next to each
// other.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "packing.h"
#include "pieces.h"
#include "planes.h"
#include "product.h"
#include "strips.h"

namespace indirectml {

// Outputs are computed in strips of rows, of about so many pixels, whose input takes at most so many
// bytes: a panel of filters is read once for a strip, and the strip for each panel.
constexpr std::size_t kStripPixels = 256, kStripBytes = 384 << 10;
// Images of more are not in the second cache when their next rows are read.
constexpr std::size_t kFarBytes = 1 << 20;
// Ends of rows, whose tiles read a copy, are at most one of so many parts.
constexpr std::size_t kLeastTilesInside = 4;

inline std::ptrdiff_t bytes_of(const Image& x) { return x.type == OperandType::kFloat16 ? 2 : 4; }

// Whether numbers are neither infinite nor NaN.
inline bool are_finite(const float* numbers, std::size_t count) {
    constexpr std::uint32_t kExponent = 0x7F800000;
    std::uint32_t any = 0;
    for (std::size_t j = 0; j < count; ++j) {
        std::uint32_t bits;
        std::memcpy(&bits, numbers + j, sizeof(bits));
        any |= (bits & kExponent) == kExponent ? 1 : 0;
    }
    return any == 0;
}

// Filters without the taps that some rows do not read: of all groups, panel by panel.
struct TrimmedFilters {
    struct Part {
        Reading1D rows, columns;
        std::vector<float> panels;  // none where a weight that is left out is not finite

        const float* from(std::size_t at) const {
            return panels.empty() ? nullptr : panels.data() + at;
        }
    };
    std::vector<Part> parts;

    const Part* find(const Geometry& geometry) const {
        for (const Part& part : parts) {
            if (reads_same_taps(part.rows, geometry.rows) &&
                reads_same_taps(part.columns, geometry.columns)) {
                return &part;
            }
        }
        return nullptr;
    }
};

// Taps that read nothing but padding are left out where their weights are finite: they add +0 or -0 to
// sums, which at most makes +0 of a sum that is -0. Results that are -0 are computed again by all taps.
class Convolver {
  public:
    Convolver(const Convolution& task, const ContractionKernels& kernels, bool trims = true)
        : task_(task), kernels_(kernels), whole_(task), trims_(trims), geometry_(task) {
        channels_ = task.groups * task.channels;
        is_half_ = task.input.type == OperandType::kFloat16;
        has_pixels_ = task.input.channel == bytes_of(task.input);
        most_panels_ = kernels.panels;
        set_geometry(geometry_);
        if (task.bias) {
            bias_.assign(task.groups * width() + kPanel, 0.0f);
            for (std::size_t m = 0; m < task.groups * task.filters; ++m) {
                bias_[m / task.filters * width() + m % task.filters] = task.bias[m];
            }
        }
    }

    // What was read before, as another call begins.
    void forget() { read_.reset(); }

    std::size_t panels() const { return width() / kPanel; }

    // As many rows for a strip as its pixels and bytes allow.
    std::size_t strip_rows() const {
        const std::size_t width = whole_.columns.output;
        const std::size_t a_row = whole_.columns.trimmed(0, width).reach(width) * channels_ * 4;
        const std::size_t least = is_inside_ || may_lie_there_ ? 1 : kLeastStripRows;
        std::size_t rows = std::min(std::max(kStripPixels / width, least), whole_.rows.output);
        while (rows > 1 && !is_inside_ &&
               whole_.rows.trimmed(0, rows).reach(rows) * a_row > kStripBytes) {
            --rows;
        }
        return rows;
    }

    // Panels first .. end of each group, for a strip; what the next one reads is fetched meanwhile. What the
    // scratch holds stays from panels to panels of a strip.
    void run(const Strip& strip, std::size_t first, std::size_t end, ProductScratch& scratch,
             const Strip* next = nullptr) {
        if (trims_) trim(strip);
        const bool is_trimmed = depth_ < whole_depth();
        const TrimmedFilters::Part* const known =
            is_trimmed && task_.trimmed ? task_.trimmed->find(geometry_) : nullptr;
        if (!read_ || strip.image != last_.image || strip.first != last_.first) read_ = placed(strip, scratch);
        last_ = strip;
        const Read read = *read_;
        const Ahead ahead = next ? ahead_of(strip, *next) : Ahead{nullptr, 0};
        float* const out = reinterpret_cast<float*>(
            task_.output + static_cast<std::ptrdiff_t>(strip.image) * task_.output_image +
            static_cast<std::ptrdiff_t>(strip.first) * task_.output_position[1]);
        for (std::size_t group = 0; group < task_.groups; ++group) {
            const Read a = read.from_channel(group * task_.channels);
            const std::size_t parts = (end - first + most_panels_ - 1) / most_panels_;
            for (std::size_t part = 0, panel = first; part < parts; ++part) {
                const std::size_t count = first + (end - first) * (part + 1) / parts - panel;
                const std::size_t number = group * panels() + panel;
                const std::size_t at = number * kPanel * whole_depth();
                Filters b{nullptr, nullptr, depth_ * kPanel};
                if (is_trimmed) {
                    if (known) {
                        b.panels = known->from(number * kPanel * depth_);
                    } else {
                        b.panels = panels_at(task_, kernels_, at, count * kPanel * whole_depth(), scratch);
                        b.panels = without_padding(b.panels, count, scratch);
                    }
                    if (!b.panels) return run_by_all_taps(strip, first, end);
                } else if (task_.filter_panels) {
                    b.panels = task_.filter_panels + at;
                } else {
                    b.halves = task_.half_panels + at;
                    b.widened = scratch.panels.at_least(count * kChain * kPanel);
                }
                const bool is_last = group + 1 == task_.groups && part + 1 == parts;
                multiply_panels(a, b, strip.rows, group, panel, count, out + group * task_.filters,
                                is_last ? ahead : Ahead{nullptr, 0});
                scratch.products.done(count * kPanel * depth_ * strip.rows *
                                      geometry_.columns.output);
                panel += count;
            }
        }
        if (is_trimmed && has_negative_zeros(out, strip, first * kPanel, end * kPanel)) {
            run_by_all_taps(strip, first, end);
        }
    }

    // What rows read of the filters, where that is less than all.
    std::optional<TrimmedFilters::Part> trimmed(Share rows) {
        trim({0, rows.begin, rows.end - rows.begin});
        if (depth_ == whole_depth()) return std::nullopt;
        ProductScratch scratch;
        const std::size_t count = task_.groups * panels();
        const float* const panels = without_padding(task_.filter_panels, count, scratch);
        TrimmedFilters::Part found{geometry_.rows, geometry_.columns, {}};
        if (panels) found.panels.assign(panels, panels + count * kPanel * depth_);
        return found;
    }

  private:
    // How numbers lie that tiles read, and where those of each k do, in the order of k.
    struct Lying {
        std::ptrdiff_t channel = 0, row = 0, pixel = 0;
        std::vector<std::ptrdiff_t> offsets;
    };
    // What a strip reads; of tiles at the ends of rows it may be a copy.
    struct Read {
        const Lying* lying;
        const float* data;
        const float* edges;  // or null

        Read from_channel(std::size_t n) const {
            const auto to = static_cast<std::ptrdiff_t>(n) * lying->channel;
            return {lying, data + to, edges ? edges + to : nullptr};
        }
    };
    struct Ahead {
        const char* data;
        std::size_t bytes;
    };

    std::size_t width() const { return (task_.filters + kPanel - 1) / kPanel * kPanel; }
    std::size_t whole_depth() const {
        return task_.channels * whole_.rows.taps * whole_.columns.taps;
    }

    // What the other scratch holds of the strip stays.
    void run_by_all_taps(const Strip& strip, std::size_t first, std::size_t end) const {
        ProductScratch scratch;
        Convolver(task_, kernels_, false).run(strip, first, end, scratch);
    }

    void trim(const Strip& strip) {
        const Reading1D rows = whole_.rows.trimmed(strip.first, strip.rows);
        const Reading1D columns = whole_.columns.trimmed(0, whole_.columns.output);
        if (reads_same_taps(rows, geometry_.rows) && reads_same_taps(columns, geometry_.columns)) {
            return;
        }
        Geometry geometry = whole_;
        geometry.rows = rows;
        geometry.columns = columns;
        set_geometry(geometry);
    }

    // What follows from the taps that are read. Borders of chains stay between the same taps.
    void set_geometry(const Geometry& geometry) {
        geometry_ = geometry;
        // What is not FLOAT32 becomes so on its way to a copy.
        is_inside_ = !is_half_ && geometry.is_inside();
        for (StripPieces& known : pieces_) known.rows = 0;
        for (Lying* lying : {&input_, &copy_, &edges_}) lying->offsets.clear();
        taps_.clear();
        for (std::size_t r = 0; r < whole_.rows.taps; ++r) {
            for (std::size_t s = 0; s < whole_.columns.taps; ++s) {
                const Tap2D tap{r * whole_.columns.taps + s, position(geometry.rows, whole_.rows, r),
                                position(geometry.columns, whole_.columns, s)};
                if (tap.row < geometry.rows.taps && tap.column < geometry.columns.taps) {
                    taps_.push_back(tap);
                }
            }
        }
        depth_ = task_.channels * taps_.size();
        chains_ = Chains::of_floats(whole_depth());
        if (depth_ < whole_depth()) {
            std::fill(chains_.lengths.begin(), chains_.lengths.end(), 0);
            for_each_tap([&](std::size_t k) { ++chains_.lengths[k / kChain]; });
        }
        const std::size_t columns = geometry.columns.reach(geometry.columns.output);
        const auto there = source_of<float>(task_, 0);
        input_.channel = there.channel, input_.row = there.row, input_.pixel = there.pixel;
        if (has_pixels_) {
            copy_.pixel = static_cast<std::ptrdiff_t>(
                channels_ + (channels_ % kMeetingFloats == 0 ? kPanel : 0));
            copy_.channel = 1, copy_.row = static_cast<std::ptrdiff_t>(columns) * copy_.pixel;
        } else {
            copy_.pixel = 1, copy_.row = static_cast<std::ptrdiff_t>(columns);
        }
        set_edges();
    }

    // Where most tiles of a row read no padding, these read the input.
    void set_edges() {
        may_lie_there_ = !is_half_ && !is_inside_ && has_pixels_ && depth_ == whole_depth() &&
                         channels_ >= kPanel && input_.pixel >= static_cast<std::ptrdiff_t>(channels_) &&
                         input_.pixel % static_cast<std::ptrdiff_t>(kMeetingFloats) != 0;
        if (!may_lie_there_) return;
        inside_ = geometry_.columns.inside();
        const std::size_t width = geometry_.columns.output, most = kernels_.rows[0];
        left_ = inside_.begin > 0 ? inside_.begin + most - 1 : 0;
        right_ = inside_.end < width ? inside_.end - std::min(inside_.end, most - 1) : width;
        may_lie_there_ = left_ + (width - right_) <= width / kLeastTilesInside;
        if (!may_lie_there_) return;
        rows_inside_ = geometry_.rows.inside();
        edges_.channel = 1, edges_.pixel = input_.pixel;
        edges_.row = static_cast<std::ptrdiff_t>(left_reach() + right_reach()) * edges_.pixel;
    }
    std::size_t left_reach() const { return left_ > 0 ? geometry_.columns.reach(left_) : 0; }
    std::size_t right_reach() const {
        const std::size_t count = geometry_.columns.output - right_;
        return count > 0 ? geometry_.columns.reach(count) : 0;
    }

    // Taps that are read, in the order of k.
    template <typename Work>
    void for_each_tap(const Work& work) const {
        const std::size_t all = whole_.rows.taps * whole_.columns.taps;
        for (std::size_t first = 0; first < whole_depth(); first += all) {
            for (const Tap2D& tap : taps_) work(first + tap.number);
        }
    }

    // Which of the taps that are read tap n of the filter is; others come out as numbers beyond these.
    std::size_t position(const Reading1D& read, const Reading1D& whole, std::size_t n) const {
        return (task_.is_flipped ? whole.taps - 1 - n : n) - read.first_tap;
    }

    // Panels of the taps that are read; null if a weight that is left out is not finite.
    const float* without_padding(const float* b, std::size_t count, ProductScratch& scratch) const {
        float* const panels = scratch.columns.at_least(count * depth_ * kPanel);
        float* to = panels;
        for (std::size_t panel = 0; panel < count; ++panel, b += whole_depth() * kPanel) {
            std::size_t next = 0;
            bool is_finite = true;
            for_each_tap([&](std::size_t k) {
                is_finite = is_finite && are_finite(b + next * kPanel, (k - next) * kPanel);
                to = std::copy_n(b + k * kPanel, kPanel, to);
                next = k + 1;
            });
            if (!is_finite) return nullptr;
            if (!are_finite(b + next * kPanel, (whole_depth() - next) * kPanel)) return nullptr;
        }
        return panels;
    }

    bool has_negative_zeros(const float* out, const Strip& strip, std::size_t first,
                            std::size_t end) const {
        constexpr std::uint32_t kNegativeZero = 0x80000000;
        std::uint32_t any = 0;
        for (std::size_t group = 0; group < task_.groups; ++group, out += task_.filters) {
            for (std::size_t y = 0; y < strip.rows; ++y) {
                for (std::size_t x = 0; x < geometry_.columns.output; ++x) {
                    const float* const pixel =
                        out + static_cast<std::ptrdiff_t>(y) * (task_.output_position[1] / 4) +
                        static_cast<std::ptrdiff_t>(x) * (task_.output_position[2] / 4);
                    for (std::size_t m = first; m < std::min(end, task_.filters); ++m) {
                        std::uint32_t bits;
                        std::memcpy(&bits, pixel + m, sizeof(bits));
                        any |= bits == kNegativeZero ? 1 : 0;
                    }
                }
            }
        }
        return any != 0;
    }

    // What a strip reads, where it lies or copied.
    Read placed(const Strip& strip, ProductScratch& scratch) {
        if (is_half_) return copied(strip, source_of<std::uint16_t>(task_, strip.image), scratch);
        const auto source = source_of<float>(task_, strip.image);
        const bool is_there = may_lie_there_ && strip.first >= rows_inside_.begin &&
                              strip.first + strip.rows <= rows_inside_.end;
        if (!is_inside_ && !is_there) return copied(strip, source, scratch);
        set_offsets(input_);
        const auto row = static_cast<std::ptrdiff_t>(strip.first * geometry_.rows.stride);
        const float* const data = source.data + (row - geometry_.rows.padding) * source.row;
        return {&input_, data, is_inside_ ? nullptr : copied_edges(strip, source, scratch)};
    }

    // What tiles at both ends of rows read.
    const float* copied_edges(const Strip& strip, const Source<float>& source,
                              ProductScratch& scratch) {
        const auto row = static_cast<std::size_t>(edges_.row), pitch = static_cast<std::size_t>(edges_.pixel);
        float* const to = scratch.rows.at_least(geometry_.rows.reach(strip.rows) * row);
        const auto copy_side = [&](std::size_t first, std::size_t end, float* side) {
            if (first == end) return;
            Geometry part = geometry_;
            part.columns.output = end - first;
            part.columns.padding -= static_cast<std::ptrdiff_t>(first * part.columns.stride);
            copy_strip(part, strip, source, side, row, pitch,
                       [&](const float* from, std::size_t count, float* there) {
                           kernels_.copy_pixels({from, source.pixel, count, channels_, there, edges_.pixel});
                       });
        };
        copy_side(0, left_, to);
        copy_side(right_, geometry_.columns.output, to + left_reach() * pitch);
        set_offsets(edges_);
        return to;
    }

    template <typename Element>
    Read copied(const Strip& strip, const Source<Element>& source, ProductScratch& scratch) {
        const std::size_t rows = geometry_.rows.reach(strip.rows);
        const std::size_t row = static_cast<std::size_t>(copy_.row);
        if (has_pixels_) {
            const std::size_t pitch = static_cast<std::size_t>(copy_.pixel);
            float* const to = scratch.rows.at_least(rows * row);
            const bool follow = source.pixel == copy_.pixel && pitch == channels_;
            copy_strip(geometry_, strip, source, to, row, pitch,
                       [&](const Element* from, std::size_t count, float* there) {
                           if (follow) return copy_widened(kernels_, from, count * pitch, there);
                           copy_channels(kernels_, from, source.pixel, channels_, count, there,
                                         pitch);
                       });
            set_offsets(copy_);
            return {&copy_, to, nullptr};
        }
        const auto channel = static_cast<std::ptrdiff_t>(rows * row);
        if (copy_.channel != channel) copy_.offsets.clear();
        copy_.channel = channel;
        float* const to = scratch.rows.at_least(channels_ * rows * row);
        for (std::size_t c = 0; c < channels_; ++c) {
            Source<Element> plane = source;
            plane.data += static_cast<std::ptrdiff_t>(c) * source.channel;
            copy_strip(geometry_, strip, plane, to + c * rows * row, row, 1,
                       [&](const Element* from, std::size_t count, float* there) {
                           if (source.pixel == 1) return copy_widened(kernels_, from, count, there);
                           for (; count > 0; --count, from += source.pixel) {
                               copy_widened(kernels_, from, 1, there++);
                           }
                       });
        }
        set_offsets(copy_);
        return {&copy_, to, nullptr};
    }

    void set_offsets(Lying& lying) const {
        if (!lying.offsets.empty()) return;
        lying.offsets.resize(depth_);
        const std::size_t taps = taps_.size();
        for (std::size_t n = 0; n < taps; ++n) {
            const std::ptrdiff_t at =
                static_cast<std::ptrdiff_t>(taps_[n].row * whole_.rows.dilation) * lying.row +
                static_cast<std::ptrdiff_t>(taps_[n].column * whole_.columns.dilation) * lying.pixel;
            for (std::size_t c = 0; c < task_.channels; ++c) {
                lying.offsets[c * taps + n] = at + static_cast<std::ptrdiff_t>(c) * lying.channel;
            }
        }
    }

    // Rows of the input that another strip reads and this one does not, if they may be out of the caches.
    Ahead ahead_of(const Strip& strip, const Strip& next) const {
        const auto step = task_.input.position[1];
        const auto row = static_cast<std::ptrdiff_t>(geometry_.columns.input * channels_) * bytes_of(task_.input);
        const bool is_dense = has_pixels_ && row <= step && step <= 2 * row;
        if (!is_dense || geometry_.rows.input * static_cast<std::size_t>(step) < kFarBytes) return {nullptr, 0};
        const auto rows_of = [&](const Strip& s) {
            const auto input = static_cast<std::ptrdiff_t>(geometry_.rows.input);
            const std::ptrdiff_t first =
                static_cast<std::ptrdiff_t>(s.first * geometry_.rows.stride) - geometry_.rows.padding;
            const auto reach = static_cast<std::ptrdiff_t>(geometry_.rows.reach(s.rows));
            return std::make_pair(std::clamp<std::ptrdiff_t>(first, 0, input),
                                  std::clamp<std::ptrdiff_t>(first + reach, 0, input));
        };
        auto [first, end] = rows_of(next);
        if (next.image == strip.image) first = std::clamp(rows_of(strip).second, first, end);
        return {reinterpret_cast<const char*>(task_.input.data) +
                    static_cast<std::ptrdiff_t>(next.image) * task_.input.image + first * step,
                static_cast<std::size_t>((end - first) * step)};
    }

    const std::vector<Piece>& pieces_of(std::size_t rows, std::size_t panels, const Read& a) {
        StripPieces& known = pieces_[panels - 1];
        if (rows == known.rows && known.lying == a.lying) return known.pieces;
        known.rows = rows, known.lying = a.lying;
        const Reading1D& columns = geometry_.columns;
        const auto steps_by = [&](const Lying& lying) {
            return PixelSteps{static_cast<std::ptrdiff_t>(columns.stride) * lying.pixel,
                              static_cast<std::ptrdiff_t>(geometry_.rows.stride) * lying.row,
                              task_.output_position[2] / 4, task_.output_position[1] / 4};
        };
        PixelSteps steps = steps_by(*a.lying);
        // The only pixel of a row has none beside it: the next one is below.
        if (columns.output == 1) steps.a_pixel = steps.a_row, steps.c_pixel = steps.c_row;
        known.c_pixel = steps.c_pixel;
        known.a_pixel = steps.a_pixel;
        cut_into_pieces(rows, columns.output, kernels_.rows[panels - 1], steps, known.pieces, !a.edges);
        const bool is_there = a.lying == &input_;
        for (Piece& piece : known.pieces) {
            piece.is_edge = a.edges && (piece.column < inside_.begin ||
                                        piece.column + piece.columns > inside_.end);
            if (!piece.is_edge) {
                if (is_there) piece.a -= columns.padding * a.lying->pixel;
                continue;
            }
            const PixelSteps own = steps_by(edges_);
            const bool is_left = piece.column < inside_.begin;
            const std::size_t at = is_left ? piece.column : piece.column - right_;
            piece.a = static_cast<std::ptrdiff_t>(piece.row) * own.a_row +
                      static_cast<std::ptrdiff_t>(at) * own.a_pixel +
                      (is_left ? 0 : static_cast<std::ptrdiff_t>(left_reach()) * edges_.pixel);
            if (piece.columns < piece.height) piece.a_half = own.a_row;
        }
        return known.pieces;
    }

    // Some panels of a group: as FLOAT32, or as FLOAT16, and where those of a chain may be as FLOAT32.
    struct Filters {
        const float* panels;
        const std::uint16_t* halves;
        std::size_t panel;  // from one to the next
        float* widened = nullptr;
    };

    // Chains that fit the first cache at a time. FLOAT16 is widened by the first tile of each.
    void multiply_panels(const Read& a, const Filters& b, std::size_t rows, std::size_t group,
                         std::size_t panel, std::size_t count, float* out, const Ahead& ahead) {
        const std::size_t size = b.halves ? sizeof(std::uint16_t) : sizeof(float);
        const char* const bytes_of_b = b.halves ? reinterpret_cast<const char*>(b.halves)
                                                : reinterpret_cast<const char*>(b.panels);
        const std::size_t column = panel * kPanel;
        const std::vector<Piece>& pieces = pieces_of(rows, count, a);
        const StripPieces& known = pieces_[count - 1];
        float* const c = out + column;
        Tile t{};
        t.last_columns = std::min(kPanel, task_.filters - column - (count - 1) * kPanel);
        t.a_row = known.a_pixel;
        t.c_row = known.c_pixel;
        t.b_k = kPanel;
        t.b_panel = static_cast<std::ptrdiff_t>(b.halves ? kChain * kPanel : b.panel);
        t.halves_panel = static_cast<std::ptrdiff_t>(b.panel);
        t.widened = b.widened;
        t.limits = task_.limits;
        t.bias = bias_.empty() ? nullptr : bias_.data() + group * width() + column;
        const auto& lengths = chains_.lengths;
        std::size_t k = 0;
        for (std::size_t chain = 0; chain < lengths.size(); ++chain) {
            t.chains = lengths.data() + chain;
            t.chain_count = 1;
            t.continues = chain > 0;
            t.ends = chain + 1 == lengths.size();
            t.b = b.halves ? b.widened : b.panels + k * kPanel;
            t.halves = b.halves ? b.halves + k * kPanel : nullptr;
            // What comes next is fetched meanwhile, a part with each tile.
            const bool is_last = chain + 1 == lengths.size();
            const std::size_t next = is_last ? count * b.panel : (k + lengths[chain]) * kPanel;
            const std::size_t next_length = is_last ? lengths[0] : lengths[chain + 1];
            const bool has_next = depth_ == whole_depth() && column + count * kPanel < width();
            const bool fetches = lengths[chain] > 0 && (!is_last || has_next);
            const bool is_ahead = is_last && !has_next && ahead.bytes > 0;
            const std::size_t steps = (lengths[chain] + kFetchStep - 1) / kFetchStep;
            const std::size_t bytes =
                is_ahead ? ahead.bytes / count / kLineBytes * kLineBytes : next_length * kPanel * size;
            const char* const from = is_ahead ? ahead.data : bytes_of_b + next * size;
            t.fetch_lines = fetches || is_ahead ? bytes / (pieces.size() * steps * kLineBytes) + 1 : 0;
            t.fetch_panel = static_cast<std::ptrdiff_t>(is_ahead ? bytes : b.panel * size);
            std::size_t number = 0;
            for (const Piece& piece : pieces) {
                t.fetch = from + bytes * number / pieces.size();
                t.a = (piece.is_edge ? a.edges : a.data) + piece.a;
                t.a_half = piece.a_half;
                t.offsets = (piece.is_edge ? edges_ : *a.lying).offsets.data() + k;
                t.c = c + piece.c;
                t.c_half = piece.c_half;
                const bool widens = b.halves && number == 0;
                ++number;
                const auto& table =
                    widens ? kernels_.widening_tiles_of_pixels : kernels_.tiles_of_pixels;
                table[piece.height - 1][count - 1](t);
            }
            k += lengths[chain];
        }
    }

    const Convolution& task_;
    const ContractionKernels& kernels_;
    const Geometry whole_;
    const bool trims_;
    Geometry geometry_;
    // What the last strip reads, which may be a copy in the scratch.
    std::optional<Read> read_;
    Strip last_{};
    bool is_half_, is_inside_, has_pixels_;
    std::size_t depth_, channels_, most_panels_;
    // A tap of the filter, by its place among those that are read.
    struct Tap2D {
        std::size_t number, row, column;
    };
    std::vector<Tap2D> taps_;
    Chains chains_;
    Lying input_, copy_, edges_;
    // How many outputs of each row before, and from where on, tiles may read edges.
    std::size_t left_ = 0, right_ = 0;
    bool may_lie_there_ = false;
    Share inside_{0, 0}, rows_inside_{0, 0};
    // By panels - 1, as cut for strips of so many rows.
    struct StripPieces {
        std::size_t rows = 0;
        const Lying* lying = nullptr;
        std::ptrdiff_t a_pixel = 0, c_pixel = 0;
        std::vector<Piece> pieces;
    } pieces_[kMostPanels];
    std::vector<float> bias_;
};

}  // namespace indirectml
