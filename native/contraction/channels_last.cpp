#include "channels_last.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "channel_strips.h"
#include "few_pixels.h"
#include "packing.h"
#include "pieces.h"
#include "planes.h"
#include "product.h"
#include "strips.h"

namespace indirectml {

namespace {

// Outputs are computed in strips of rows, of about so many pixels, whose input takes at most so many
// bytes: a panel of filters is read once for a strip, and the strip for each panel.
constexpr std::size_t kStripPixels = 256, kStripBytes = 384 << 10;
// The same where every channel has a filter of its own.
constexpr std::size_t kChannelStripBytes = 224 << 10;

std::ptrdiff_t bytes_of(const Image& x) { return x.type == OperandType::kFloat16 ? 2 : 4; }

bool lies_in_elements(const Image& x) {
    const std::ptrdiff_t bytes = bytes_of(x);
    return reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(bytes) == 0 &&
           x.image % bytes == 0 && x.channel % bytes == 0 && x.position[1] % bytes == 0 &&
           x.position[2] % bytes == 0;
}

bool is_for_us(const Convolution& task) {
    if (!task.filter_panels && !task.half_panels) return false;
    if (task.is_backward || task.output_channel != 4 || is_of_one_pixel(task)) return false;
    if (task.filter_sizes[0] != 1 || task.strides[0] != 1 || task.start_padding[0] != 0 ||
        task.input_sizes[0] != 1 || task.output_sizes[0] != 1) {
        return false;
    }
    // An output beyond the input would read nothing at all.
    if (task.has_channel_panels && task.input.channel != bytes_of(task.input)) return false;
    return lies_in_elements(task.input);
}

// Whether numbers are neither infinite nor NaN.
bool are_finite(const float* numbers, std::size_t count) {
    constexpr std::uint32_t kExponent = 0x7F800000;
    std::uint32_t any = 0;
    for (std::size_t j = 0; j < count; ++j) {
        std::uint32_t bits;
        std::memcpy(&bits, numbers + j, sizeof(bits));
        any |= (bits & kExponent) == kExponent ? 1 : 0;
    }
    return any == 0;
}

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

    std::size_t panels() const { return width() / kPanel; }

    // As many rows for a strip as its pixels and bytes allow.
    std::size_t strip_rows() const {
        const std::size_t width = whole_.columns.output;
        const std::size_t a_row = whole_.columns.trimmed(0, width).reach(width) * channels_ * 4;
        std::size_t rows = std::clamp<std::size_t>(kStripPixels / width, 1, whole_.rows.output);
        while (rows > 1 && !is_inside_ &&
               whole_.rows.trimmed(0, rows).reach(rows) * a_row > kStripBytes) {
            --rows;
        }
        return rows;
    }

    // Panels first .. end of each group, for a strip.
    void run(const Strip& strip, std::size_t first, std::size_t end, ProductScratch& scratch) {
        if (trims_) trim(strip);
        const bool is_trimmed = depth_ < whole_depth();
        const float* const data = placed(strip, scratch);
        float* const out = reinterpret_cast<float*>(
            task_.output + static_cast<std::ptrdiff_t>(strip.image) * task_.output_image +
            static_cast<std::ptrdiff_t>(strip.first) * task_.output_position[1]);
        for (std::size_t group = 0; group < task_.groups; ++group) {
            const float* const a = data + static_cast<std::ptrdiff_t>(group * task_.channels) * channel_;
            const std::size_t parts = (end - first + most_panels_ - 1) / most_panels_;
            for (std::size_t part = 0, panel = first; part < parts; ++part) {
                const std::size_t count = first + (end - first) * (part + 1) / parts - panel;
                const std::size_t at = (group * width() + panel * kPanel) * whole_depth();
                Filters b{nullptr, nullptr, depth_ * kPanel};
                if (is_trimmed) {
                    b.panels = panels_at(task_, kernels_, at, count * kPanel * whole_depth(), scratch);
                    b.panels = without_padding(b.panels, count, scratch);
                    if (!b.panels) {
                        return Convolver(task_, kernels_, false).run(strip, first, end, scratch);
                    }
                } else if (task_.filter_panels) {
                    b.panels = task_.filter_panels + at;
                } else {
                    b.halves = task_.half_panels + at;
                    b.widened = scratch.panels.at_least(count * kChain * kPanel);
                }
                multiply_panels(a, b, pieces_of(strip.rows, count), group, panel, count,
                                out + group * task_.filters);
                scratch.products.done(count * kPanel * depth_ * strip.rows *
                                      geometry_.columns.output);
                panel += count;
            }
        }
        if (is_trimmed && has_negative_zeros(out, strip, first * kPanel, end * kPanel)) {
            Convolver(task_, kernels_, false).run(strip, first, end, scratch);
        }
    }

  private:
    std::size_t width() const { return (task_.filters + kPanel - 1) / kPanel * kPanel; }
    std::size_t whole_depth() const {
        return task_.channels * whole_.rows.taps * whole_.columns.taps;
    }

    void trim(const Strip& strip) {
        const Reading1D rows = whole_.rows.trimmed(strip.first, strip.rows);
        const Reading1D columns = whole_.columns.trimmed(0, whole_.columns.output);
        const auto is_same = [](const Reading1D& a, const Reading1D& b) {
            return a.taps == b.taps && a.first_tap == b.first_tap;
        };
        if (is_same(rows, geometry_.rows) && is_same(columns, geometry_.columns)) return;
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
        offsets_.clear();
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
        if (is_inside_) {
            const auto there = source_of<float>(task_, 0);
            channel_ = there.channel, row_ = there.row, pixel_ = there.pixel;
        } else if (has_pixels_) {
            pixel_ = static_cast<std::ptrdiff_t>(
                channels_ + (channels_ % kMeetingFloats == 0 ? kPanel : 0));
            channel_ = 1, row_ = static_cast<std::ptrdiff_t>(columns) * pixel_;
        } else {
            pixel_ = 1, row_ = static_cast<std::ptrdiff_t>(columns);
        }
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
                        static_cast<std::ptrdiff_t>(x) * steps_.c_pixel;
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
    const float* placed(const Strip& strip, ProductScratch& scratch) {
        if (is_half_) return copied(strip, source_of<std::uint16_t>(task_, strip.image), scratch);
        const auto source = source_of<float>(task_, strip.image);
        if (!is_inside_) return copied(strip, source, scratch);
        set_offsets();
        const auto row = static_cast<std::ptrdiff_t>(strip.first * geometry_.rows.stride);
        return source.data + (row - geometry_.rows.padding) * source.row -
               geometry_.columns.padding * source.pixel;
    }

    template <typename Element>
    const float* copied(const Strip& strip, const Source<Element>& source, ProductScratch& scratch) {
        const std::size_t rows = geometry_.rows.reach(strip.rows);
        const std::size_t row = static_cast<std::size_t>(row_);
        if (has_pixels_) {
            const std::size_t pitch = static_cast<std::size_t>(pixel_);
            float* const to = scratch.rows.at_least(rows * row);
            const bool follow = source.pixel == pixel_ && pitch == channels_;
            copy_strip(geometry_, strip, source, to, row, pitch,
                       [&](const Element* from, std::size_t count, float* there) {
                           if (follow) return copy_widened(kernels_, from, count * pitch, there);
                           copy_channels(kernels_, from, source.pixel, channels_, count, there,
                                         pitch);
                       });
            set_offsets();
            return to;
        }
        channel_ = static_cast<std::ptrdiff_t>(rows * row);
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
        set_offsets();
        return to;
    }

    // In the order of k.
    void set_offsets() {
        if (!offsets_.empty() && offset_channel_ == channel_) return;
        offset_channel_ = channel_;
        offsets_.clear();
        offsets_.reserve(depth_);
        std::ptrdiff_t at = 0;
        for (std::size_t c = 0; c < task_.channels; ++c, at += channel_) {
            for (const Tap2D& tap : taps_) {
                offsets_.push_back(at + static_cast<std::ptrdiff_t>(tap.row * whole_.rows.dilation) * row_ +
                                   static_cast<std::ptrdiff_t>(tap.column * whole_.columns.dilation) * pixel_);
            }
        }
    }

    const std::vector<Piece>& pieces_of(std::size_t rows, std::size_t panels) {
        StripPieces& known = pieces_[panels - 1];
        if (rows == known.rows) return known.pieces;
        known.rows = rows;
        steps_ = {static_cast<std::ptrdiff_t>(geometry_.columns.stride) * pixel_,
                  static_cast<std::ptrdiff_t>(geometry_.rows.stride) * row_,
                  task_.output_position[2] / 4, task_.output_position[1] / 4};
        cut_into_pieces(rows, geometry_.columns.output, kernels_.rows[panels - 1], steps_, known.pieces);
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
    void multiply_panels(const float* a, const Filters& b, const std::vector<Piece>& pieces,
                         std::size_t group, std::size_t panel, std::size_t count, float* out) {
        const std::size_t size = b.halves ? sizeof(std::uint16_t) : sizeof(float);
        const char* const bytes_of_b = b.halves ? reinterpret_cast<const char*>(b.halves)
                                                : reinterpret_cast<const char*>(b.panels);
        const std::size_t column = panel * kPanel;
        const std::size_t columns = std::min(count * kPanel, task_.filters - column);
        Tile t{};
        t.a_row = steps_.a_pixel;
        t.b_k = kPanel;
        t.b_panel = static_cast<std::ptrdiff_t>(b.halves ? kChain * kPanel : b.panel);
        t.halves_panel = static_cast<std::ptrdiff_t>(b.panel);
        t.widened = b.widened;
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
            t.offsets = offsets_.data() + k;
            // What comes next is fetched meanwhile, a part with each tile.
            const bool is_last = chain + 1 == lengths.size();
            const std::size_t next = is_last ? count * b.panel : (k + lengths[chain]) * kPanel;
            const std::size_t next_length = is_last ? lengths[0] : lengths[chain + 1];
            const std::size_t bytes = next_length * kPanel * size;
            const bool has_next = depth_ == whole_depth() && column + count * kPanel < width();
            const bool fetches = lengths[chain] > 0 && (!is_last || has_next);
            const std::size_t steps = (lengths[chain] + kFetchStep - 1) / kFetchStep;
            t.fetch_lines = fetches ? bytes / (pieces.size() * steps * kLineBytes) + 1 : 0;
            t.fetch_panel = static_cast<std::ptrdiff_t>(b.panel * size);
            std::size_t number = 0;
            for (const Piece& piece : pieces) {
                t.fetch = bytes_of_b + next * size + bytes * number / pieces.size();
                t.a = a + piece.a;
                t.a_half = piece.a_half;
                float* const c = out + piece.c + static_cast<std::ptrdiff_t>(column);
                const bool widens = b.halves && number == 0;
                ++number;
                const auto& table =
                    widens ? kernels_.widening_tiles_of_pixels : kernels_.tiles_of_pixels;
                const auto kernel = table[piece.height - 1][count - 1];
                if (columns == count * kPanel) {
                    t.c = c;
                    t.c_row = steps_.c_pixel;
                    t.c_half = piece.c_half;
                    kernel(t);
                    continue;
                }
                multiply_edge(t, kernel, piece, count * kPanel, columns, c);
            }
            k += lengths[chain];
        }
    }

    // A tile of fewer columns, by way of one of its own.
    void multiply_edge(Tile t, FloatTile kernel, const Piece& piece, std::size_t row,
                       std::size_t columns, float* c) const {
        alignas(kLineBytes) float edge[kMostSums];
        const std::size_t half = (piece.height + 1) / 2, rest = piece.height - half;
        float* const lower = edge + half * row;
        const auto step = static_cast<std::ptrdiff_t>(row);
        if (t.continues) {
            std::fill_n(edge, piece.height * row, 0.0f);
            kernels_.copy_pixels({c, steps_.c_pixel, half, columns, edge, row});
            kernels_.copy_pixels({c + piece.c_half, steps_.c_pixel, rest, columns, lower, row});
        }
        t.c = edge;
        t.c_row = step;
        t.c_half = static_cast<std::ptrdiff_t>(half) * step;
        kernel(t);
        const auto pixel = static_cast<std::size_t>(steps_.c_pixel);
        kernels_.copy_pixels({edge, step, half, columns, c, pixel});
        kernels_.copy_pixels({lower, step, rest, columns, c + piece.c_half, pixel});
    }

    const Convolution& task_;
    const ContractionKernels& kernels_;
    const Geometry whole_;
    const bool trims_;
    Geometry geometry_;
    bool is_half_, is_inside_, has_pixels_;
    std::size_t depth_, channels_, most_panels_;
    // A tap of the filter, by its place among those that are read.
    struct Tap2D {
        std::size_t number, row, column;
    };
    std::vector<Tap2D> taps_;
    Chains chains_;
    std::ptrdiff_t channel_ = 0, row_, pixel_, offset_channel_ = 0;
    PixelSteps steps_{};
    std::vector<std::ptrdiff_t> offsets_;
    // By panels - 1, as cut for strips of so many rows.
    struct StripPieces {
        std::size_t rows = 0;
        std::vector<Piece> pieces;
    } pieces_[kMostPanels];
    std::vector<float> bias_;
};

}  // namespace

std::size_t rows_of_outputs(const Convolution& task) {
    const auto rows = static_cast<std::ptrdiff_t>(task.output_sizes[1]);
    const bool follow = task.images == 1 || task.output_image == rows * task.output_position[1];
    return is_for_us(task) && follow ? task.images * task.output_sizes[1] : 0;
}

bool convolve_channels_last(const Convolution& task, const ContractionPolicy& policy,
                            const std::function<void(Share)>& after) {
    if (!is_for_us(task)) return false;
    const DefaultFloatModes modes;
    const ContractionKernels& kernels = *policy.kernels;
    const Geometry geometry(task);
    const std::size_t taps = geometry.rows.taps * geometry.columns.taps;
    const bool by_channels = task.has_channel_panels;
    std::size_t strip_rows = 0, panels = 0;
    if (by_channels) {
        panels = (task.groups + kPanel - 1) / kPanel;
        const std::size_t row =
            geometry.columns.reach(geometry.columns.output) * channel_pitch(std::min(task.groups, kPanelsTogether * kPanel)) * 4;
        strip_rows = task.output_sizes[1];
        while (strip_rows > 1 && geometry.rows.reach(strip_rows) * row > kChannelStripBytes) {
            strip_rows = (strip_rows + 1) / 2;
        }
    } else {
        const Convolver convolver(task, kernels);
        panels = convolver.panels();
        strip_rows = convolver.strip_rows();
    }
    // What comes after a strip finds it in the caches.
    const std::size_t row_bytes = task.output_sizes[2] * task.groups * task.filters * 4;
    const std::size_t most = std::max<std::size_t>(kLeastStripRows, kStripBytes / row_bytes);
    strip_rows = std::min(strip_rows, std::max<std::size_t>(most, 1));
    const std::size_t parts = (task.output_sizes[1] + strip_rows - 1) / strip_rows;
    std::vector<Strip> strips;
    for (std::size_t image = 0; image < task.images; ++image) {
        for (std::size_t n = 0, first = 0; n < parts; ++n) {
            const std::size_t end = task.output_sizes[1] * (n + 1) / parts;
            for (std::size_t row = first + 1; row < end && !by_channels; ++row) {
                if (!reads_other_taps(geometry.rows, row)) continue;
                strips.push_back({image, first, row - first});
                first = row;
            }
            strips.push_back({image, first, end - first});
            first = end;
        }
    }
    const double products =
        static_cast<double>(task.images * task.output_sizes[1] * task.output_sizes[2]) *
        static_cast<double>(task.groups * task.filters) * static_cast<double>(task.channels * taps);
    const unsigned threads =
        worthwhile_threads(products / policy.operations_per_thread, policy.max_threads);
    // Few strips are shared by their panels, too. Who is free takes the next piece.
    constexpr std::size_t kPiecesOfThread = 4;
    const std::size_t step = by_channels ? 1 : std::min<std::size_t>(kernels.panels, 2);
    const std::size_t wanted = threads > 1 ? kPiecesOfThread * threads : 1;
    const std::size_t shares =
        std::clamp<std::size_t>((wanted + strips.size() - 1) / strips.size(), 1,
                                (panels + step - 1) / step);
    std::atomic<std::size_t> next{0};
    std::vector<std::atomic<std::size_t>> done(strips.size());
    run_together(threads, [&](unsigned, const Team&) {
        ProductScratch scratch;
        Convolver convolver(task, kernels);
        for (;;) {
            const std::size_t piece = next.fetch_add(1, std::memory_order_relaxed);
            if (piece >= strips.size() * shares) break;
            const Share share = share_of(panels, step, static_cast<unsigned>(piece % shares),
                                         static_cast<unsigned>(shares));
            const Strip& strip = strips[piece / shares];
            if (by_channels) {
                filter_strip(task, kernels, geometry, strip, share.begin, share.end, scratch);
            } else {
                convolver.run(strip, share.begin, share.end, scratch);
            }
            if (!after) continue;
            if (done[piece / shares].fetch_add(1, std::memory_order_acq_rel) + 1 < shares) continue;
            const std::size_t row = strip.image * task.output_sizes[1] + strip.first;
            after({row, row + strip.rows});
        }
    });
    return true;
}

std::vector<float> widened_panels(const Convolution& task, const ContractionKernels& kernels) {
    std::size_t taps = 1;
    for (const std::size_t size : task.filter_sizes) taps *= size;
    const std::size_t columns = task.has_channel_panels ? in_panels(task.groups)
                                                        : task.groups * in_panels(task.filters);
    std::vector<float> panels(columns * task.channels * taps);
    const DefaultFloatModes modes;
    kernels.widen(task.half_panels, panels.size(), panels.data());
    return panels;
}

std::vector<float> unpacked_channel_filters(const Convolution& task) {
    const std::size_t taps = task.filter_sizes[0] * task.filter_sizes[1] * task.filter_sizes[2];
    std::vector<float> weights(task.groups * taps);
    for (std::size_t c = 0; c < task.groups; ++c) {
        for (std::size_t n = 0; n < taps; ++n) {
            weights[c * taps + n] =
                task.filter_panels[(c / kPanel * taps + n) * kPanel + c % kPanel];
        }
    }
    return weights;
}

}  // namespace indirectml
