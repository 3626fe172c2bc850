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

// One channel with its padding, each row split into the phases of the last stride, so that a
// position of neighbouring windows is neighbouring numbers.
template <typename Number>
class Padded {
  public:
    Padded(const Windows& w, Number padding) : w_(w) {
        for (int k = 0; k < kSpatial; ++k) {
            const std::uint64_t reach = (w.output[k] - 1) * w.stride[k] +
                                        (w.size[k] - 1) * w.dilation[k] + 1;
            places_[k] = std::max(reach, w.start[k] + w.input[k]);
        }
        spacing_ = (places_[2] + w.stride[2] - 1) / w.stride[2];
        row_ = spacing_ * w.stride[2];
        numbers_.assign(places_[0] * places_[1] * row_ + kBeyond, padding);
    }

    template <typename Split>
    void read(const unsigned char* x, std::size_t item, const Split& split) {
        const Phases phases{w_.input[2], w_.start[2], w_.stride[2], spacing_};
        for (std::uint64_t a = 0; a < w_.input[0]; ++a) {
            for (std::uint64_t b = 0; b < w_.input[1]; ++b) {
                split(x, phases, row(w_.start[0] + a, w_.start[1] + b));
                x += w_.input[2] * item;
            }
        }
    }

    // Where position k of the first window of an output row is, for all positions.
    void positions(std::uint64_t a, std::uint64_t b, std::vector<const Number*>& rows) {
        rows.clear();
        for (std::uint64_t i = 0; i < w_.size[0]; ++i) {
            for (std::uint64_t j = 0; j < w_.size[1]; ++j) {
                const Number* at = row(a * w_.stride[0] + i * w_.dilation[0],
                                       b * w_.stride[1] + j * w_.dilation[1]);
                for (std::uint64_t k = 0; k < w_.size[2]; ++k) {
                    const std::uint64_t place = k * w_.dilation[2];
                    rows.push_back(at + place % w_.stride[2] * spacing_ + place / w_.stride[2]);
                }
            }
        }
    }

  private:
    Number* row(std::uint64_t a, std::uint64_t b) {
        return numbers_.data() + (a * places_[1] + b) * row_;
    }

    const Windows& w_;
    std::uint64_t places_[kSpatial], spacing_, row_;
    std::vector<Number> numbers_;
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
        return [&, padded = Padded<double>(w, 0), rows = std::vector<const double*>(),
                divisors = std::vector<double>(w.output[2] + kBeyond, whole)](
                   std::uint64_t channel) mutable {
            padded.read(x + channel * product(w.input) * item, item, split);
            unsigned char* to = out + channel * product(w.output) * out_item;
            for (std::uint64_t a = 0; a < w.output[0]; ++a) {
                for (std::uint64_t b = 0; b < w.output[1]; ++b) {
                    if (!include_padding) {
                        const double others = inside[0][a] * inside[1][b];
                        for (std::uint64_t c = 0; c < w.output[2]; ++c) {
                            divisors[c] = others * inside[2][c];
                        }
                    }
                    padded.positions(a, b, rows);
                    average(rows.data(), rows.size(), w.output[2], divisors.data(), to);
                    to += w.output[2] * out_item;
                }
            }
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
                rows = std::vector<const std::int32_t*>(),
                found = std::vector<std::int32_t>(w.output[2])](std::uint64_t channel) mutable {
            padded.read(x + channel * product(w.input) * item, item, keys);
            unsigned char* to = out + channel * product(w.output) * item;
            for (std::uint64_t a = 0; a < w.output[0]; ++a) {
                for (std::uint64_t b = 0; b < w.output[1]; ++b) {
                    padded.positions(a, b, rows);
                    kernels.highest(rows.data(), rows.size(), w.output[2], found.data());
                    numbers(found.data(), w.output[2], to);
                    to += w.output[2] * item;
                }
            }
        };
    });
}

}  // namespace sums
}  // namespace indirectml
