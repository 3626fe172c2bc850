#include "windows.h"

#include <algorithm>
#include <map>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;
// Kernels may read so many numbers beyond the end of a row.
constexpr std::uint64_t kBeyond = 16;

std::uint64_t product(const std::uint64_t (&sizes)[kSpatial]) {
    return sizes[0] * sizes[1] * sizes[2];
}

std::uint64_t places(const Windows& w, int axis, std::uint64_t outputs) {
    return (outputs - 1) * w.stride[axis] + (w.size[axis] - 1) * w.dilation[axis] + 1;
}

// Numbers of which the first is at the start of a cache line.
template <typename Number>
class Line {
  public:
    Line(std::uint64_t size, Number value) : numbers_(size + 2 * kBeyond, value) {}
    Number* data() {
        constexpr std::uintptr_t kBytes = 64;
        const auto at = reinterpret_cast<std::uintptr_t>(numbers_.data());
        return numbers_.data() + (kBytes - at % kBytes) % kBytes / sizeof(Number);
    }

  private:
    std::vector<Number> numbers_;
};

// Whole vectors, where there is one.
std::uint64_t rounded(std::uint64_t count) {
    return count < kBeyond ? count : (count + kBeyond - 1) / kBeyond * kBeyond;
}

// How many places rows under windows have.
std::uint64_t width(const Windows& w) {
    return std::max(places(w, 2, w.output[2]), w.start[2] + w.input[2]);
}

// How these lie in a row by phases of the last stride, so that a position of neighbouring windows is
// neighbouring numbers.
struct Columns {
    explicit Columns(const Windows& w) {
        const std::uint64_t stride = w.stride[2];
        const std::uint64_t spacing = rounded((width(w) + stride - 1) / stride);
        row = spacing * stride;
        for (std::uint64_t k = 0; k < w.size[2]; ++k) {
            const std::uint64_t place = k * w.dilation[2];
            offsets.push_back(place % stride * spacing + place / stride);
        }
        for (std::uint64_t p = 0; p < stride; ++p) {
            const std::uint64_t first = (p + stride - w.start[2] % stride) % stride;
            const std::uint64_t count =
                first < w.input[2] ? (w.input[2] - first + stride - 1) / stride : 0;
            phases.push_back({first, p * spacing + (w.start[2] + first) / stride, count});
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
          height_(height_of(w, layers_ * row * sizeof(Number))),
          lines_(places(w, 1, height_)),
          numbers_(layers_ * lines_ * row, padding) {
        for (std::uint64_t i = 0; i < w.size[0]; ++i) {
            for (std::uint64_t j = 0; j < w.size[1]; ++j) {
                offsets_.push_back((i * w.dilation[0] * lines_ + j * w.dilation[1]) * row_);
            }
        }
        rows_.resize(offsets_.size());
    }

    // Output rows along the middle axis whose windows a band holds, for so many bytes a line.
    static std::uint64_t height_of(const Windows& w, std::uint64_t line_bytes) {
        constexpr std::uint64_t kBandBytes = 1 << 13;
        const std::uint64_t most = kBandBytes / line_bytes, least = places(w, 1, 1);
        const std::uint64_t height = most > least ? (most - least) / w.stride[1] + 1 : 1;
        return std::min(height, w.output[1]);
    }
    std::uint64_t height() const { return height_; }

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

// work(a, b, rows) for each row of outputs of a channel.
template <typename Number, typename Read, typename Work>
void for_output_rows(const Windows& w, Padded<Number>& padded, const unsigned char* x,
                     std::size_t item, const Read& read, const Work& work) {
    for (std::uint64_t first = 0; first < w.output[1]; first += padded.height()) {
        padded.read(x, item, first, read);
        const std::uint64_t count = std::min(padded.height(), w.output[1] - first);
        for (std::uint64_t a = 0; a < w.output[0]; ++a) {
            for (std::uint64_t b = 0; b < count; ++b) work(a, first + b, padded.rows(a, b));
        }
    }
}

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

// What the sums of a row of outputs are divided by, and one over it.
struct Divisors {
    std::vector<double> numbers, inverses;
};

// These by the number of positions along the other axes, each found when it is first asked for.
class AllDivisors {
  public:
    AllDivisors(const Windows& w, bool include_padding)
        : whole_(include_padding ? static_cast<double>(product(w.size)) : 0),
          inside_{counts(w, 0), counts(w, 1), counts(w, 2)} {}

    const Divisors& of_row(std::uint64_t a, std::uint64_t b) {
        const double others = whole_ > 0 ? whole_ : inside_[0][a] * inside_[1][b];
        Divisors& found = by_others_[others];
        if (found.numbers.empty()) {
            found.numbers.assign(inside_[2].size() + kBeyond, 1);
            found.inverses = found.numbers;
            for (std::size_t c = 0; c < inside_[2].size(); ++c) {
                found.numbers[c] = whole_ > 0 ? whole_ : others * inside_[2][c];
                found.inverses[c] = 1 / found.numbers[c];
            }
        }
        return found;
    }

  private:
    double whole_;
    std::vector<double> inside_[kSpatial];
    std::map<double, Divisors> by_others_;
};

// Runs work(channel) for all channels, after make(): what a thread needs.
template <typename Make>
void for_channels(const Windows& w, const Policy& policy, const Make& make) {
    const std::uint64_t elements = w.channels * (product(w.input) + product(w.output));
    const unsigned parts = part_count(w.channels, elements, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        auto work = make();
        const std::uint64_t end = w.channels * (part + 1) / parts;
        for (std::uint64_t c = w.channels * part / parts; c < end; ++c) work(c);
    });
}

// Averages of elements of a type as numbers, which are FLOAT32 or FLOAT64.
template <typename Number>
void average_as(const unsigned char* x, Type type, const Windows& w, bool include_padding,
                Type out_type, unsigned char* out, const Policy& policy,
                SplitKernel<Number> split, AverageKernel<Number> average) {
    const auto widen = kernels_of(*policy.target).widen_halves;
    const std::size_t item = item_bytes(type), out_item = item_bytes(out_type);
    const Columns columns(w);
    for_channels(w, policy, [&] {
        return [&, padded = Padded<Number>(w, columns.row, 0),
                widened = std::vector<float>(type == Type::kHalf ? w.input[2] : 0),
                positions = std::vector<const Number*>(product(w.size)),
                divisors = AllDivisors(w, include_padding)](std::uint64_t channel) mutable {
            unsigned char* const to = out + channel * product(w.output) * out_item;
            const auto read = [&](const unsigned char* from, Number* row) {
                const auto* elements = reinterpret_cast<const Number*>(from);
                if constexpr (sizeof(Number) == sizeof(float)) {
                    if (type == Type::kHalf) {
                        widen(from, w.input[2], widened.data());
                        elements = widened.data();
                    }
                }
                split(elements, columns.phases.data(), w.stride[2], row);
            };
            const auto row = [&](std::uint64_t a, std::uint64_t b, const auto& rows) {
                const Divisors& by = divisors.of_row(a, b);
                find_positions(rows, columns, positions);
                average(positions.data(), positions.size(), w.output[2], by.numbers.data(),
                        by.inverses.data(), to + (a * w.output[1] + b) * w.output[2] * out_item);
            };
            for_output_rows(w, padded, x + channel * product(w.input) * item, item, read, row);
        };
    });
}

}  // namespace

void average_windows(const unsigned char* x, Type type, const Windows& w, bool include_padding,
                     Type out_type, unsigned char* out, const Policy& policy) {
    const Kernels& k = kernels_of(*policy.target);
    const auto to = static_cast<int>(out_type);
    if (type == Type::kDouble) {
        average_as<double>(x, type, w, include_padding, out_type, out, policy, k.split_doubles,
                           k.average_doubles[to]);
    } else {
        average_as<float>(x, type, w, include_padding, out_type, out, policy, k.split_singles,
                          k.average_singles[to]);
    }
}

// First of the rows under windows, place by place, then of the positions in what they are.
void largest_in_windows(const unsigned char* x, Type type, const Windows& w, unsigned char* out,
                        const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto keys = kernels.keys[static_cast<int>(type)];
    const auto numbers = kernels.numbers[static_cast<int>(type)];
    const std::size_t item = item_bytes(type);
    // Elements start where a vector does.
    const std::uint64_t lead = (kBeyond - w.start[2] % kBeyond) % kBeyond;
    const std::uint64_t row_size = rounded(lead + width(w)), outputs = w.output[2];
    const Steps steps{w.size[2], w.dilation[2], w.stride[2]};
    for_channels(w, policy, [&] {
        return [&, padded = Padded<std::int32_t>(w, row_size, kNoKey),
                highest = Line<std::int32_t>(row_size + kBeyond * w.stride[2], 0),
                found = Line<std::int32_t>(outputs, 0)](std::uint64_t channel) mutable {
            unsigned char* const to = out + channel * product(w.output) * item;
            const auto read = [&](const unsigned char* from, std::int32_t* row) {
                keys(from, w.input[2], row + lead + w.start[2]);
            };
            const auto row = [&](std::uint64_t a, std::uint64_t b, const auto& rows) {
                kernels.highest(rows.data(), rows.size(), row_size, highest.data());
                kernels.highest_along(highest.data() + lead, steps, outputs, found.data());
                numbers(found.data(), outputs, to + (a * w.output[1] + b) * outputs * item);
            };
            for_output_rows(w, padded, x + channel * product(w.input) * item, item, read, row);
        };
    });
}

}  // namespace sums
}  // namespace indirectml
