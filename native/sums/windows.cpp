#include "windows.h"

#include <algorithm>
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

// A band of one channel with its padding, each row split into the phases of the last stride, so that
// a position of neighbouring windows is neighbouring numbers. Bands are so low that they stay in the
// first cache.
template <typename Number>
class Padded {
  public:
    Padded(const Windows& w, Number padding) : w_(w), padding_(padding) {
        const auto places = [&](int k, std::uint64_t outputs) {
            return (outputs - 1) * w.stride[k] + (w.size[k] - 1) * w.dilation[k] + 1;
        };
        const std::uint64_t columns = std::max(places(2, w.output[2]), w.start[2] + w.input[2]);
        spacing_ = (columns + w.stride[2] - 1) / w.stride[2];
        row_ = spacing_ * w.stride[2];
        layers_ = places(0, w.output[0]);
        constexpr std::uint64_t kBandBytes = 1 << 13;
        const std::uint64_t most = kBandBytes / (layers_ * row_ * sizeof(Number));
        const std::uint64_t least = places(1, 1);
        height_ = most > least ? (most - least) / w.stride[1] + 1 : 1;
        height_ = std::min(height_, w.output[1]);
        lines_ = places(1, height_);
        for (std::uint64_t i = 0; i < w.size[0]; ++i) {
            for (std::uint64_t j = 0; j < w.size[1]; ++j) {
                const std::uint64_t at = (i * w.dilation[0] * lines_ + j * w.dilation[1]) * row_;
                for (std::uint64_t k = 0; k < w.size[2]; ++k) {
                    const std::uint64_t place = k * w.dilation[2];
                    offsets_.push_back(at + place % w.stride[2] * spacing_ + place / w.stride[2]);
                }
            }
        }
        rows_.resize(offsets_.size());
        numbers_.assign(layers_ * lines_ * row_ + kBeyond, padding);
    }

    // Output rows along the middle axis whose windows a band holds.
    std::uint64_t height() const { return height_; }

    // The band whose first output row is `first`.
    template <typename Split>
    void read(const unsigned char* x, std::size_t item, std::uint64_t first, const Split& split) {
        const Phases phases{w_.input[2], w_.start[2], w_.stride[2], spacing_};
        for (std::uint64_t a = 0; a < layers_; ++a) {
            for (std::uint64_t b = 0; b < lines_; ++b) {
                // Places before the array come out as numbers beyond it.
                const std::uint64_t layer = a - w_.start[0];
                const std::uint64_t line = first * w_.stride[1] + b - w_.start[1];
                Number* const to = numbers_.data() + (a * lines_ + b) * row_;
                if (layer < w_.input[0] && line < w_.input[1]) {
                    split(x + (layer * w_.input[1] + line) * w_.input[2] * item, phases, to);
                } else {
                    std::fill_n(to, row_, padding_);
                }
            }
        }
    }

    // Where position k of the first window of an output row is, for all positions; `b` counts from
    // the first row of the band.
    const std::vector<const Number*>& positions(std::uint64_t a, std::uint64_t b) {
        const Number* first =
            numbers_.data() + (a * w_.stride[0] * lines_ + b * w_.stride[1]) * row_;
        for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k] = first + offsets_[k];
        return rows_;
    }

  private:
    const Windows& w_;
    const Number padding_;
    std::uint64_t layers_, lines_, height_, spacing_, row_;
    std::vector<Number> numbers_;
    std::vector<std::uint64_t> offsets_;  // of positions, from the first one
    std::vector<const Number*> rows_;
};

// work(a, b, positions) for each row of outputs of a channel.
template <typename Number, typename Split, typename Work>
void for_output_rows(const Windows& w, Padded<Number>& padded, const unsigned char* x,
                     std::size_t item, const Split& split, const Work& work) {
    for (std::uint64_t first = 0; first < w.output[1]; first += padded.height()) {
        padded.read(x, item, first, split);
        const std::uint64_t count = std::min(padded.height(), w.output[1] - first);
        for (std::uint64_t a = 0; a < w.output[0]; ++a) {
            for (std::uint64_t b = 0; b < count; ++b) work(a, first + b, padded.positions(a, b));
        }
    }
}

// What the sums of a row of outputs are divided by, and one over it. Found again only for another
// number of positions along the other axes.
class Divisors {
  public:
    explicit Divisors(std::uint64_t size) : numbers_(size + kBeyond, 1), inverses_(numbers_) {}
    void set(double others, const std::vector<double>* inside) {
        if (others == others_) return;
        others_ = others;
        for (std::size_t c = 0; c + kBeyond < numbers_.size(); ++c) {
            numbers_[c] = inside ? others * (*inside)[c] : others;
            inverses_[c] = 1 / numbers_[c];
        }
    }
    const double* numbers() const { return numbers_.data(); }
    const double* inverses() const { return inverses_.data(); }

  private:
    double others_ = -1;
    std::vector<double> numbers_, inverses_;
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

}  // namespace

void average_windows(const unsigned char* x, Type type, const Windows& w, bool include_padding,
                     Type out_type, unsigned char* out, const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto split = kernels.split[static_cast<int>(type)];
    const auto average = kernels.average[static_cast<int>(out_type)];
    const std::size_t item = item_bytes(type), out_item = item_bytes(out_type);
    const std::vector<double> inside[kSpatial] = {counts(w, 0), counts(w, 1), counts(w, 2)};
    const auto whole = static_cast<double>(product(w.size));
    for_channels(w, policy, [&] {
        return [&, padded = Padded<double>(w, 0),
                divisors = Divisors(w.output[2])](std::uint64_t channel) mutable {
            unsigned char* const to = out + channel * product(w.output) * out_item;
            const auto row = [&](std::uint64_t a, std::uint64_t b, const auto& rows) {
                if (include_padding) {
                    divisors.set(whole, nullptr);
                } else {
                    divisors.set(inside[0][a] * inside[1][b], &inside[2]);
                }
                average(rows.data(), rows.size(), w.output[2], divisors.numbers(),
                        type == Type::kDouble ? nullptr : divisors.inverses(),
                        to + (a * w.output[1] + b) * w.output[2] * out_item);
            };
            for_output_rows(w, padded, x + channel * product(w.input) * item, item, split, row);
        };
    });
}

void largest_in_windows(const unsigned char* x, Type type, const Windows& w, unsigned char* out,
                        const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto keys = kernels.keys[static_cast<int>(type)];
    const auto numbers = kernels.numbers[static_cast<int>(type)];
    const std::size_t item = item_bytes(type);
    for_channels(w, policy, [&] {
        return [&, padded = Padded<std::int32_t>(w, kNoKey),
                found = std::vector<std::int32_t>(w.output[2])](std::uint64_t channel) mutable {
            unsigned char* const to = out + channel * product(w.output) * item;
            const auto row = [&](std::uint64_t a, std::uint64_t b, const auto& rows) {
                kernels.highest(rows.data(), rows.size(), w.output[2], found.data());
                numbers(found.data(), w.output[2],
                        to + (a * w.output[1] + b) * w.output[2] * item);
            };
            for_output_rows(w, padded, x + channel * product(w.input) * item, item, keys, row);
        };
    });
}

}  // namespace sums
}  // namespace indirectml
