#include "windows.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "../compiler.h"
#include "../team.h"
#include "layout.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;

std::uint64_t places(const Windows& w, int axis, std::uint64_t outputs) {
    return (outputs - 1) * w.stride[axis] + (w.size[axis] - 1) * w.dilation[axis] + 1;
}

// Whole vectors, where there is one.
std::uint64_t rounded(std::uint64_t count) {
    return count < kBeyond ? count : (count + kBeyond - 1) / kBeyond * kBeyond;
}

// What is left out before so many numbers, so that a vector begins after them.
std::uint64_t lead(std::uint64_t count) { return (kBeyond - count % kBeyond) % kBeyond; }

// How many places rows under windows have.
std::uint64_t width(const Windows& w) {
    return std::max(places(w, 2, w.output[2]), w.start[2] + w.input[2]);
}

// How these lie in a row by phases of the last stride, so that a position of neighbouring windows is
// neighbouring numbers.
struct Columns {
    explicit Columns(const Windows& w) {
        const std::uint64_t stride = w.stride[2];
        const std::uint64_t spacing = rounded((width(w) + stride - 1) / stride + kBeyond);
        row = spacing * stride;
        std::vector<std::uint64_t> begins;
        for (std::uint64_t p = 0; p < stride; ++p) {
            const std::uint64_t first = (p + stride - w.start[2] % stride) % stride;
            const std::uint64_t count =
                first < w.input[2] ? (w.input[2] - first + stride - 1) / stride : 0;
            const std::uint64_t padding = (w.start[2] + first) / stride;
            begins.push_back(p * spacing + lead(padding));
            phases.push_back({first, begins[p] + padding, count});
        }
        for (std::uint64_t k = 0; k < w.size[2]; ++k) {
            const std::uint64_t place = k * w.dilation[2];
            offsets.push_back(begins[place % stride] + place / stride);
        }
    }
    std::uint64_t row;                   // numbers
    std::vector<std::uint64_t> offsets;  // of positions in a window
    std::vector<Phase> phases;
};

// A band of one channel with its padding, in rows of `row` numbers. Bands are so low that they stay in
// the first cache.
template <typename Number>
class Padded {
  public:
    Padded(const Windows& w, std::uint64_t row, Number padding)
        : w_(w),
          padding_(padding),
          layers_(places(w, 0, w.output[0])),
          row_(row),
          height_(height_of(w, row * sizeof(Number))),
          lines_(places(w, 1, height_)),
          numbers_(layers_ * lines_ * row, padding) {
        for (std::uint64_t i = 0; i < w.size[0]; ++i) {
            for (std::uint64_t j = 0; j < w.size[1]; ++j) {
                offsets_.push_back((i * w.dilation[0] * lines_ + j * w.dilation[1]) * row_);
            }
        }
        rows_.resize(offsets_.size());
    }

    // Output rows along the middle axis whose windows a band holds, for so many bytes a row.
    static std::uint64_t height_of(const Windows& w, std::uint64_t row_bytes) {
        constexpr std::uint64_t kBandBytes = 1 << 14;
        const std::uint64_t most = kBandBytes / (places(w, 0, w.output[0]) * row_bytes);
        const std::uint64_t least = places(w, 1, 1);
        const std::uint64_t height = most > least ? (most - least) / w.stride[1] + 1 : 1;
        return std::min(height, w.output[1]);
    }

    // The band whose first output row is `first`. read(from, to) reads a row of elements.
    template <typename Read>
    void read(const unsigned char* x, std::size_t item, std::uint64_t first, const Read& read) {
        for (std::uint64_t a = 0; a < layers_; ++a) {
            for (std::uint64_t b = 0; b < lines_; ++b) {
                // Places before the array come out as numbers beyond it.
                const std::uint64_t layer = a - w_.start[0];
                const std::uint64_t line = first * w_.stride[1] + b - w_.start[1];
                Number* const to = numbers_.data() + (a * lines_ + b) * row_;
                if (layer < w_.input[0] && line < w_.input[1]) {
                    read(x + (layer * w_.input[1] + line) * w_.input[2] * item, to);
                } else {
                    std::fill_n(to, row_, padding_);
                }
            }
        }
    }

    // The rows under the windows of an output row; `b` counts from the first row of the band.
    const std::vector<const Number*>& rows(std::uint64_t a, std::uint64_t b) {
        const Number* first =
            numbers_.data() + (a * w_.stride[0] * lines_ + b * w_.stride[1]) * row_;
        for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k] = first + offsets_[k];
        return rows_;
    }

  private:
    const Windows& w_;
    const Number padding_;
    std::uint64_t layers_, row_, height_, lines_;
    Line<Number> numbers_;
    std::vector<std::uint64_t> offsets_;  // of rows under a window, from the first one
    std::vector<const Number*> rows_;
};

// Where position k of the first window of an output row is, for all positions.
template <typename Number>
void find_positions(const std::vector<const Number*>& rows, const Columns& columns,
                    std::vector<const Number*>& positions) {
    const Number** to = positions.data();
    for (const Number* row : rows) {
        for (const std::uint64_t offset : columns.offsets) *to++ = row + offset;
    }
}

// The rows of a channel under the windows of a row of outputs, without padding.
class RowsUnder {
  public:
    RowsUnder(const Windows& w, std::size_t item)
        : w_(w), row_bytes_(w.input[2] * item), reach_((w.size[1] - 1) * w.dilation[1]) {}

    const std::vector<const unsigned char*>& of(const unsigned char* x, std::uint64_t a,
                                                std::uint64_t b) {
        const std::uint64_t first = first_of(b);
        const bool are_all = are_on_array(first);
        if (are_all && were_all_ && x == x_ && a == a_ && b == b_ + 1) {
            for (const unsigned char*& row : rows_) row += w_.stride[1] * row_bytes_;
        } else {
            find(x, a, first);
        }
        were_all_ = are_all;
        x_ = x;
        a_ = a;
        b_ = b;
        return rows_;
    }

    // How many rows of outputs, from row b on, have as many rows under their windows as it.
    std::uint64_t alike(std::uint64_t b) const {
        const std::uint64_t first = first_of(b);
        if (!are_on_array(first)) return 1;
        return (w_.input[1] - 1 - reach_ - first) / w_.stride[1] + 1;
    }

  private:
    // Places before the array come out as numbers beyond it.
    std::uint64_t first_of(std::uint64_t b) const { return b * w_.stride[1] - w_.start[1]; }
    bool are_on_array(std::uint64_t first) const {
        return first < w_.input[1] && first + reach_ < w_.input[1];
    }
    void find(const unsigned char* x, std::uint64_t a, std::uint64_t first) {
        rows_.clear();
        for (std::uint64_t i = 0; i < w_.size[0]; ++i) {
            const std::uint64_t layer = a * w_.stride[0] + i * w_.dilation[0] - w_.start[0];
            if (layer >= w_.input[0]) continue;
            for (std::uint64_t j = 0; j < w_.size[1]; ++j) {
                const std::uint64_t row = first + j * w_.dilation[1];
                if (row < w_.input[1]) rows_.push_back(x + (layer * w_.input[1] + row) * row_bytes_);
            }
        }
    }

    const Windows& w_;
    const std::size_t row_bytes_;
    const std::uint64_t reach_;
    std::vector<const unsigned char*> rows_;
    // What they are of.
    const unsigned char* x_ = nullptr;
    std::uint64_t a_ = 0, b_ = 0;
    bool were_all_ = false;
};

// How many positions of each window along an axis lie on the array.
std::vector<double> counts(const Windows& w, int axis) {
    std::vector<double> result;
    for (std::uint64_t o = 0; o < w.output[axis]; ++o) {
        int inside = 0;
        for (std::uint64_t k = 0; k < w.size[axis]; ++k) {
            const std::uint64_t place = o * w.stride[axis] + k * w.dilation[axis];
            inside += place >= w.start[axis] && place - w.start[axis] < w.input[axis];
        }
        result.push_back(inside);
    }
    return result;
}

// Whether each window has an element.
bool have_elements(const Windows& w) {
    for (int axis = 0; axis < kSpatial; ++axis) {
        for (const double inside : counts(w, axis)) {
            if (inside == 0) return false;
        }
    }
    return true;
}

// What the sums of a row of outputs are divided by, and one over it.
struct Divisors {
    explicit Divisors(std::uint64_t count) : numbers(count, 1), inverses(count, 1) {}
    Line<double> numbers, inverses;
};

// These of all rows of outputs, which differ by the number of positions along the other axes.
class AllDivisors {
  public:
    AllDivisors(const Windows& w, Divisor by) : rows_of_a_layer_(w.output[1]) {
        const double whole = by == Divisor::kAll   ? static_cast<double>(product(w.size))
                             : by == Divisor::kOne ? 1
                                                   : 0;
        const std::vector<double> inside[] = {counts(w, 0), counts(w, 1), counts(w, 2)};
        std::map<double, std::size_t> numbers;
        for (const double a : inside[0]) {
            for (const double b : inside[1]) {
                const double others = whole > 0 ? whole : a * b;
                const auto [found, is_new] = numbers.emplace(others, all_.size());
                of_rows_.push_back(found->second);
                if (!is_new) continue;
                Divisors& divisors = all_.emplace_back(inside[2].size());
                for (std::size_t c = 0; c < inside[2].size(); ++c) {
                    const double divisor = whole > 0 ? whole : others * inside[2][c];
                    divisors.numbers.data()[c] = divisor;
                    divisors.inverses.data()[c] = 1 / divisor;
                }
            }
        }
    }

    const Divisors& of_row(std::uint64_t a, std::uint64_t b) const {
        return all_[of_rows_[a * rows_of_a_layer_ + b]];
    }

  private:
    std::uint64_t rows_of_a_layer_;
    std::vector<std::size_t> of_rows_;
    std::vector<Divisors> all_;
};

// Runs work(channel) for all channels, after make(): what a thread needs.
template <typename Make>
void for_channels(const Windows& w, const Policy& policy, const Make& make) {
    const std::uint64_t elements = w.channels * (product(w.input) + product(w.output));
    const unsigned parts = part_count(w.channels, elements, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        auto work = make();
        const Share channels = share_of(w.channels, 1, part, parts);
        Pieces pieces;
        for (std::uint64_t c = channels.begin; c < channels.end; ++c) {
            work(c);
            pieces.done(elements / w.channels);
        }
    });
}

// Output rows first, first + 1, ... along the middle axis, in all layers.
struct Band {
    std::uint64_t first, count;
};

// Whether all sums of windows of elements of such magnitudes are finite, and exact in FLOAT64, which has
// 53 bits: elements are multiples of the last bit of the smallest.
bool sums_are_exact(const Span& span, const Windows& w, Type type) {
    std::uint32_t high = 0, low = ~std::uint32_t{0};
    for (std::size_t k = 0; k < Span::kMostLanes; ++k) {
        std::uint32_t largest, before_smallest;
        std::memcpy(&largest, span.largest + k, sizeof(largest));
        std::memcpy(&before_smallest, span.before_smallest + k, sizeof(before_smallest));
        high = std::max(high, largest);
        low = std::min(low, before_smallest);
    }
    if (high == 0) return true;
    // Subnormals have the last bit of the smallest normal.
    const std::uint32_t fraction = type == Type::kHalf ? 10 : 23, least = type == Type::kHalf ? 113 : 1;
    const std::uint32_t highest = std::max(high >> 23, least);
    const std::uint32_t lowest = std::max((low + 1) >> 23, least);
    std::uint32_t carries = 0;
    while ((std::uint64_t{1} << carries) < product(w.size)) ++carries;
    return highest < 0xFF && highest - lowest + fraction + 1 + carries <= 53;
}

// work(a, b) for each row of outputs of a band.
template <typename Work>
void for_rows(const Windows& w, const Band& band, const Work& work) {
    for (std::uint64_t a = 0; a < w.output[0]; ++a) {
        for (std::uint64_t b = 0; b < band.count; ++b) work(a, band.first + b);
    }
}

struct Averages {
    const Kernels& kernels;
    const Windows& windows;
    const unsigned char* x;
    Type type, out_type;
    unsigned char* out;
    const Columns& columns;
    const AllDivisors& divisors;
};

// average(channel, band), position by position, in numbers that are FLOAT32 or FLOAT64.
template <typename Number>
auto averages_by_positions(const Averages& task, SplitKernel<Number> split,
                           AverageKernel<Number> average) {
    const Windows& w = task.windows;
    return [&, split, average, padded = Padded<Number>(w, task.columns.row, 0),
            widened = std::vector<float>(task.type == Type::kHalf ? w.input[2] : 0),
            positions = std::vector<const Number*>(product(w.size))](
               std::uint64_t channel, const Band& band) mutable {
        const std::size_t item = item_bytes(task.type), out_item = item_bytes(task.out_type);
        unsigned char* const to = task.out + channel * product(w.output) * out_item;
        const auto read = [&](const unsigned char* from, Number* row) {
            const auto* elements = reinterpret_cast<const Number*>(from);
            if constexpr (sizeof(Number) == sizeof(float)) {
                if (task.type == Type::kHalf) {
                    task.kernels.widen_halves(from, w.input[2], widened.data());
                    elements = widened.data();
                }
            }
            split(elements, task.columns.phases.data(), w.stride[2], row);
        };
        padded.read(task.x + channel * product(w.input) * item, item, band.first, read);
        for_rows(w, band, [&](std::uint64_t a, std::uint64_t b) {
            const Divisors& by = task.divisors.of_row(a, b);
            find_positions(padded.rows(a, b - band.first), task.columns, positions);
            average(positions.data(), positions.size(), w.output[2], by.numbers.data(),
                    by.inverses.data(), to + (a * w.output[1] + b) * w.output[2] * out_item, {1, 0, 0});
        });
    };
}

// average(channel), of FLOAT16 or FLOAT32, of the rows under windows and then of the positions in what
// they are. Says whether sums are exact, so that their order did not matter; if not, what was written
// means nothing.
class AveragesByRows {
  public:
    explicit AveragesByRows(const Averages& task)
        : task_(task),
          add_(task.kernels.add_rows[static_cast<int>(task.type)]),
          average_(task.kernels.average_sums[static_cast<int>(task.out_type)]),
          row_bytes_(task.columns.row * sizeof(double)),
          most_rows_(std::max<std::uint64_t>(kBytes / row_bytes_, 1)),
          sums_(most_rows_ * task.columns.row, 0),
          under_(task.windows, item_bytes(task.type)),
          // Of rows in one layer that are neighbours, those of the stride are new to the next window.
          news_(task.windows.size[0] == 1 && task.windows.dilation[1] == 1 ? task.windows.stride[1]
                                                                         : ~std::uint64_t{0}) {
        for (const std::uint64_t offset : task.columns.offsets) {
            positions_.push_back(reinterpret_cast<const unsigned char*>(sums_.data() + offset));
        }
    }

    bool operator()(std::uint64_t channel) {
        const Windows& w = task_.windows;
        std::memset(span_.largest, 0, sizeof(span_.largest));
        std::memset(span_.before_smallest, 0xFF, sizeof(span_.before_smallest));
        for (std::uint64_t a = 0; a < w.output[0]; ++a) {
            for (std::uint64_t b = 0, count; b < w.output[1]; b += count) {
                count = std::min({under_.alike(b), w.output[1] - b, most_rows_});
                average(channel, a, b, count);
            }
        }
        return sums_are_exact(span_, w, task_.type);
    }

  private:
    static constexpr std::uint64_t kBytes = 1 << 14;  // of sums, which stay in the first cache

    void average(std::uint64_t channel, std::uint64_t a, std::uint64_t b, std::uint64_t count) {
        const Windows& w = task_.windows;
        const std::size_t item = item_bytes(task_.type), out_item = item_bytes(task_.out_type);
        const auto& rows = under_.of(task_.x + channel * product(w.input) * item, a, b);
        add_(rows.data(), rows.size(), w.input[2], task_.columns.phases.data(), w.stride[2],
             reinterpret_cast<unsigned char*>(sums_.data()),
             {count, w.stride[1] * w.input[2] * item, row_bytes_},
             std::min<std::uint64_t>(news_, rows.size()), span_);
        const Divisors& by = task_.divisors.of_row(a, b);
        const std::uint64_t row = (channel * w.output[0] + a) * w.output[1] + b;
        average_(positions_.data(), positions_.size(), w.output[2], by.numbers.data(),
                 by.inverses.data(), task_.out + row * w.output[2] * out_item,
                 {count, row_bytes_, w.output[2] * out_item});
    }

    const Averages& task_;
    const AddRowsKernel add_;
    const AverageSumsKernel average_;
    const std::size_t row_bytes_;
    const std::uint64_t most_rows_;
    Line<double> sums_;
    RowsUnder under_;
    const std::uint64_t news_;
    std::vector<const unsigned char*> positions_;
    Span span_;
};

// work(band) for all bands of a channel.
template <typename Number, typename Work>
void for_bands(const Averages& task, const Work& work) {
    const Windows& w = task.windows;
    const std::uint64_t height = Padded<Number>::height_of(w, task.columns.row * sizeof(Number));
    for (std::uint64_t first = 0; first < w.output[1]; first += height) {
        work(Band{first, std::min(height, w.output[1] - first)});
    }
}

// Bytes as unsigned numbers, of which 0 is the lowest: padding changes nothing.
class LargestBytes {
  public:
    LargestBytes(const Windows& w, unsigned char flips)
        : w_(w),
          flips_(flips),
          under_(w, 1),
          phase_size_(width(w) / w.stride[2] + 1),
          line_(phase_size_ * w.stride[2], 0),
          phases_(w.stride[2] == 1 ? 0 : line_.size(), 0),
          largest_(w.output[2]) {}

    void run(const unsigned char* from, unsigned char* to) {
        for_rows(w_, {0, w_.output[1]}, [&](std::uint64_t a, std::uint64_t b) {
            down(under_.of(from, a, b));
            along(to);
            to += w_.output[2];
        });
    }

  private:
    static void take_larger(const unsigned char* from, std::size_t count, unsigned char flips,
                            unsigned char* INDIRECTML_RESTRICT to) {
        for (std::size_t j = 0; j < count; ++j) {
            const unsigned char x = from[j] ^ flips;
            to[j] = to[j] < x ? x : to[j];
        }
    }
    void down(const std::vector<const unsigned char*>& rows) {
        unsigned char* const to = line_.data() + w_.start[2];
        std::fill_n(to, w_.input[2], static_cast<unsigned char>(0));
        for (const unsigned char* const row : rows) take_larger(row, w_.input[2], flips_, to);
    }
    // Phases of the stride first, so that a position of neighbouring windows is neighbouring bytes.
    void along(unsigned char* to) {
        const std::size_t stride = w_.stride[2], outputs = w_.output[2];
        const unsigned char* const line = line_.data();
        for (std::size_t p = 0; p < stride && stride > 1; ++p) {
            unsigned char* INDIRECTML_RESTRICT const phase = phases_.data() + p * phase_size_;
            if (stride == 2) {
                for (std::size_t j = 0; j < phase_size_; ++j) phase[j] = line[2 * j + p];
            } else {
                for (std::size_t j = 0; j < phase_size_; ++j) phase[j] = line[stride * j + p];
            }
        }
        const unsigned char* const phases = stride > 1 ? phases_.data() : line;
        std::fill(largest_.begin(), largest_.end(), static_cast<unsigned char>(0));
        for (std::size_t k = 0; k < w_.size[2]; ++k) {
            const std::size_t at = k * w_.dilation[2];
            take_larger(phases + at % stride * phase_size_ + at / stride, outputs, 0,
                        largest_.data());
        }
        for (std::size_t j = 0; j < outputs; ++j) to[j] = largest_[j] ^ flips_;
    }

    const Windows& w_;
    const unsigned char flips_;
    RowsUnder under_;
    const std::size_t phase_size_;
    std::vector<unsigned char> line_, phases_, largest_;
};

bool are_whole(const Windows& w) {
    for (int k = 0; k < kSpatial; ++k) {
        if (w.start[k] != 0 || w.output[k] != 1 || w.size[k] != w.input[k] || w.dilation[k] != 1) return false;
    }
    return true;
}

// Of windows as large as the array: rows, whose elements are numbered as positions are.
void average_whole(const unsigned char* x, Type type, const Windows& w, Divisor divisor, Type out_type,
                   unsigned char* out, const Policy& policy) {
    constexpr std::uint64_t kTogether = 64;
    const Kernels& kernels = kernels_of(*policy.target);
    const auto sums_of_rows = kernels.rows[static_cast<int>(type)][static_cast<int>(Map::kSame)];
    const std::uint64_t size = product(w.input), bytes = size * item_bytes(type);
    const double by = divisor == Divisor::kOne ? 1 : static_cast<double>(size);
    const unsigned parts = part_count(w.channels, w.channels * size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        const Share channels = share_of(w.channels, 1, part, parts);
        Pieces pieces;
        for (std::uint64_t c = channels.begin, count; c < channels.end; c += count) {
            count = std::min<std::uint64_t>(kTogether, channels.end - c);
            double averages[kTogether];
            sums_of_rows(x + c * bytes, static_cast<std::int64_t>(bytes), count, size, nullptr, averages);
            for (std::uint64_t k = 0; k < count; ++k) averages[k] = canonical(averages[k] / by);
            kernels.narrow[static_cast<int>(out_type)](averages, count, out + c * item_bytes(out_type));
            pieces.done(count * size);
        }
    });
}

}  // namespace

void average_windows(const unsigned char* x, Type type, const Windows& w, Divisor divisor,
                     Type out_type, unsigned char* out, const Policy& policy) {
    if (are_whole(w)) return average_whole(x, type, w, divisor, out_type, out, policy);
    const Kernels& k = kernels_of(*policy.target);
    const auto to = static_cast<int>(out_type);
    const Columns columns(w);
    const AllDivisors divisors(w, divisor);
    const Averages task{k, w, x, type, out_type, out, columns, divisors};
    if (type == Type::kDouble) {
        return for_channels(w, policy, [&] {
            return [&, average = averages_by_positions(task, k.split_doubles, k.average_doubles[to])](
                       std::uint64_t channel) mutable {
                for_bands<double>(task, [&](const Band& band) { average(channel, band); });
            };
        });
    }
    const bool gains = w.stride[2] < w.size[2] && have_elements(w);
    for_channels(w, policy, [&] {
        return [&, by_rows = AveragesByRows(task),
                by_positions = averages_by_positions(task, k.split_singles, k.average_singles[to])](
                   std::uint64_t channel) mutable {
            if (gains && by_rows(channel)) return;
            for_bands<float>(task, [&](const Band& band) { by_positions(channel, band); });
        };
    });
}

// Of the rows under windows, place by place; then of the positions in what they are.
void largest_in_windows(const unsigned char* x, Type type, const Windows& w, Type out_type,
                        unsigned char* out, const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto largest_of_rows = kernels.largest_of_rows[static_cast<int>(type)];
    const auto along = kernels.largest_along[static_cast<int>(out_type)];
    const std::size_t item = item_bytes(type), out_item = item_bytes(out_type);
    const std::uint64_t outputs = w.output[2];
    const std::uint64_t line_size = width(w) + kBeyond * w.stride[2];
    const Steps steps{w.size[2], w.dilation[2], w.stride[2]};
    const float none = kernels.lowest;
    for_channels(w, policy, [&] {
        return [&, line = Line<float>(line_size, none),
                under = RowsUnder(w, item)](std::uint64_t channel) mutable {
            const unsigned char* const from = x + channel * product(w.input) * item;
            unsigned char* to = out + channel * product(w.output) * out_item;
            float* const elements = line.data() + w.start[2];
            for_rows(w, {0, w.output[1]}, [&](std::uint64_t a, std::uint64_t b) {
                const std::vector<const unsigned char*>& rows = under.of(from, a, b);
                if (rows.empty()) {
                    std::fill_n(elements, w.input[2], none);
                } else {
                    largest_of_rows(rows.data(), rows.size(), w.input[2], elements);
                }
                along(line.data(), steps, outputs, to, {1, 0, 0});
                to += outputs * out_item;
            });
        };
    });
}

void largest_bytes(const unsigned char* x, bool is_signed, const Windows& w, unsigned char* out,
                   const Policy& policy) {
    for_channels(w, policy, [&] {
        return [&, largest = LargestBytes(w, is_signed ? 0x80 : 0)](std::uint64_t channel) mutable {
            largest.run(x + channel * product(w.input), out + channel * product(w.output));
        };
    });
}

}  // namespace sums
}  // namespace indirectml
