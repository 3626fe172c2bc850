// Numbers spread over the windows that gave them: gradients of pooling, folds of what was unfolded.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "../functions/apply.h"
#include "../team.h"
#include "folds.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 14;

// Runs each(window, place) for all windows of which a position lies on the array.
template <typename Each>
void for_windows(const Windows& w, std::uint64_t position, const Each& each) {
    std::uint64_t at[kSpatial];
    for (int k = kSpatial; k-- > 0;) {
        at[k] = position % w.size[k] * w.dilation[k];
        position /= w.size[k];
    }
    // Places before the array come out as numbers beyond it.
    const auto place = [&](int k, std::uint64_t o) { return o * w.stride[k] + at[k] - w.start[k]; };
    for (std::uint64_t a = 0; a < w.output[0]; ++a) {
        const std::uint64_t layer = place(0, a);
        if (layer >= w.input[0]) continue;
        for (std::uint64_t b = 0; b < w.output[1]; ++b) {
            const std::uint64_t line = place(1, b);
            if (line >= w.input[1]) continue;
            const std::uint64_t window = (a * w.output[1] + b) * w.output[2];
            const std::uint64_t first = (layer * w.input[1] + line) * w.input[2];
            for (std::uint64_t c = 0; c < w.output[2]; ++c) {
                const std::uint64_t column = place(2, c);
                if (column < w.input[2]) each(window + c, first + column);
            }
        }
    }
}

// Runs work(channel) for all of them; a channel takes `elements` steps.
template <typename Make>
void for_channels(const Windows& w, std::uint64_t elements, const Policy& policy, const Make& make) {
    const unsigned parts = part_count(w.channels, w.channels * elements, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        auto work = make();
        Pieces pieces;
        const Share share = share_of(w.channels, 1, part, parts);
        for (std::uint64_t channel = share.begin; channel < share.end; ++channel) {
            work(channel);
            pieces.done(elements);
        }
    });
}

// Sixteen sums for each of some places, by rule S16.
class Sums {
  public:
    explicit Sums(std::uint64_t count) : count_(count), sums_(16 * count), totals_(count) {}
    void begin() {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        blocks_.clear();
    }
    double* sum(std::uint64_t number) {
        if (number > 0 && number % kBlock == 0) {
            end_block();
            std::fill(sums_.begin(), sums_.end(), 0.0);
        }
        return sums_.data() + number % 16 * count_;
    }
    const double* total() {
        if (!blocks_.empty()) {
            // The totals of blocks are summed by the same rule.
            end_block();
            std::fill(sums_.begin(), sums_.end(), 0.0);
            for (std::size_t b = 0; b * count_ < blocks_.size(); ++b) {
                for (std::uint64_t j = 0; j < count_; ++j) {
                    sums_[b % 16 * count_ + j] += blocks_[b * count_ + j];
                }
            }
        }
        add_up();
        return totals_.data();
    }

  private:
    void add_up() {
        for (std::uint64_t j = 0; j < count_; ++j) {
            double all[16];
            for (std::uint64_t i = 0; i < 16; ++i) all[i] = sums_[i * count_ + j];
            for (std::size_t half = 8; half > 0; half /= 2) {
                for (std::size_t i = 0; i < half; ++i) all[i] += all[i + half];
            }
            totals_[j] = all[0];
        }
    }
    void end_block() {
        add_up();
        blocks_.insert(blocks_.end(), totals_.begin(), totals_.end());
    }

    const std::uint64_t count_;
    std::vector<double> sums_, totals_, blocks_;
};

// Of integers modulo 2^bits.
template <typename T>
void fold_integers(const unsigned char* columns, const Windows& w, unsigned char* out,
                   const Policy& policy) {
    const std::uint64_t inputs = product(w.input), outputs = product(w.output);
    const std::uint64_t positions = product(w.size);
    for_channels(w, outputs * positions, policy, [&] {
        return [&](std::uint64_t channel) {
            T* const to = reinterpret_cast<T*>(out) + channel * inputs;
            std::fill(to, to + inputs, T{0});
            const T* from = reinterpret_cast<const T*>(columns) + channel * positions * outputs;
            for (std::uint64_t k = 0; k < positions; ++k, from += outputs) {
                for_windows(w, k, [&](std::uint64_t window, std::uint64_t place) {
                    to[place] = static_cast<T>(to[place] + from[window]);
                });
            }
        };
    });
}

template <typename T>
void unfold_elements(const unsigned char* x, const Windows& w, unsigned char* out,
                     const Policy& policy) {
    const std::uint64_t inputs = product(w.input), outputs = product(w.output);
    const std::uint64_t positions = product(w.size);
    for_channels(w, outputs * positions, policy, [&] {
        return [&](std::uint64_t channel) {
            const T* const from = reinterpret_cast<const T*>(x) + channel * inputs;
            T* to = reinterpret_cast<T*>(out) + channel * positions * outputs;
            std::fill(to, to + positions * outputs, T{0});
            for (std::uint64_t k = 0; k < positions; ++k, to += outputs) {
                for_windows(w, k, [&](std::uint64_t window, std::uint64_t place) {
                    to[window] = from[place];
                });
            }
        };
    });
}

}  // namespace

void spread(const unsigned char* x, Type type, const Spread& how, Type out_type, unsigned char* out,
            const Policy& policy) {
    const Windows& w = how.windows;
    const std::uint64_t inputs = product(w.input), outputs = product(w.output);
    const std::uint64_t positions = product(w.size);
    const Kernels& kernels = kernels_of(*policy.target);
    const auto widen = kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSame)];
    const auto narrow = kernels.narrow[static_cast<int>(out_type)];
    const std::uint64_t each = how.kind == Spread::kColumns ? positions * outputs : outputs;
    std::vector<double> divisors(how.kind == Spread::kShares ? outputs : 0);
    if (!divisors.empty() && how.divisor == Divisor::kAll) {
        std::fill(divisors.begin(), divisors.end(), static_cast<double>(positions));
    } else if (!divisors.empty()) {
        for (std::uint64_t k = 0; k < positions; ++k) {
            for_windows(w, k, [&](std::uint64_t window, std::uint64_t) { divisors[window] += 1; });
        }
    }
    for_channels(w, outputs * positions, policy, [&] {
        std::unique_ptr<LargestInWindows> largest;
        if (how.kind == Spread::kLargest) {
            largest = std::make_unique<LargestInWindows>(how.x, how.number, w, policy);
        }
        return [&, sums = Sums(inputs), wide = std::vector<double>(each),
                largest = std::move(largest)](std::uint64_t channel) mutable {
            widen(x + channel * each * item_bytes(type), each, 0, wide.data());
            for (std::uint64_t j = 0; j < divisors.size(); ++j) wide[j] /= divisors[j];
            const std::int64_t* const chosen = largest ? largest->numbers(channel) : nullptr;
            sums.begin();
            for (std::uint64_t k = 0; k < positions; ++k) {
                double* const to = sums.sum(k);
                const double* const parts =
                    wide.data() + (how.kind == Spread::kColumns ? k * outputs : 0);
                for_windows(w, k, [&](std::uint64_t window, std::uint64_t place) {
                    if (chosen && chosen[window] != static_cast<std::int64_t>(place)) return;
                    to[place] += parts[window];
                });
            }
            narrow(sums.total(), inputs, out + channel * inputs * item_bytes(out_type));
        };
    });
}

void fold_windows(const unsigned char* columns, std::size_t item, const Windows& windows,
                  unsigned char* out, const Policy& policy) {
    switch (item) {
        case 1: return fold_integers<std::uint8_t>(columns, windows, out, policy);
        case 2: return fold_integers<std::uint16_t>(columns, windows, out, policy);
        case 4: return fold_integers<std::uint32_t>(columns, windows, out, policy);
        default: return fold_integers<std::uint64_t>(columns, windows, out, policy);
    }
}

void unfold(const unsigned char* x, std::size_t item, const Windows& windows, unsigned char* out,
            const Policy& policy) {
    switch (item) {
        case 1: return unfold_elements<std::uint8_t>(x, windows, out, policy);
        case 2: return unfold_elements<std::uint16_t>(x, windows, out, policy);
        case 4: return unfold_elements<std::uint32_t>(x, windows, out, policy);
        default: return unfold_elements<std::uint64_t>(x, windows, out, policy);
    }
}

void norms_of_windows(const unsigned char* x, Type type, const Windows& windows, std::uint64_t order,
                      Type out_type, unsigned char* out, const Policy& policy) {
    const std::uint64_t inputs = product(windows.input), outputs = product(windows.output);
    const Kernels& kernels = kernels_of(*policy.target);
    const auto widen = kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kMagnitude)];
    const auto narrow = kernels.narrow[static_cast<int>(out_type)];
    const auto power = functions::kernels_of(*policy.target)
                           .single[static_cast<int>(functions::Function::kPow)];
    const std::vector<float> exponents(outputs, 1.0f / static_cast<float>(order));
    Windows one = windows;
    one.channels = 1;
    Policy alone = policy;
    alone.max_threads = 1;
    for_channels(windows, outputs * product(windows.size), policy, [&] {
        return [&, powers = Line<double>(inputs, 0), wide = Line<double>(inputs, 0),
                sums = Line<double>(outputs, 0),
                singles = Line<float>(outputs, 0)](std::uint64_t channel) mutable {
            widen(x + channel * inputs * item_bytes(type), inputs, 0, wide.data());
            std::copy(wide.data(), wide.data() + inputs, powers.data());
            for (std::uint64_t k = 1; k < order; ++k) {
                for (std::uint64_t j = 0; j < inputs; ++j) powers.data()[j] *= wide.data()[j];
            }
            const auto* const from = reinterpret_cast<const unsigned char*>(powers.data());
            unsigned char* const to = out + channel * outputs * item_bytes(out_type);
            if (order > 2) {
                auto* const rounded = reinterpret_cast<unsigned char*>(singles.data());
                average_windows(from, Type::kDouble, one, Divisor::kOne, Type::kSingle, rounded, alone);
                power(singles.data(), exponents.data(), singles.data(), outputs);
                kernels.widen[static_cast<int>(Type::kSingle)][static_cast<int>(Map::kSame)](
                    rounded, outputs, 0, sums.data());
            } else {
                average_windows(from, Type::kDouble, one, Divisor::kOne, Type::kDouble,
                                reinterpret_cast<unsigned char*>(sums.data()), alone);
                for (std::uint64_t j = 0; j < outputs && order == 2; ++j) {
                    sums.data()[j] = std::sqrt(sums.data()[j]);
                }
            }
            narrow(sums.data(), outputs, to);
        };
    });
}

void normalize_by_norm(const Rows& x, bool of_squares, double least, Type out_type,
                       unsigned char* out, const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const int type = static_cast<int>(x.type);
    const auto sum = kernels.rows[type][static_cast<int>(of_squares ? Map::kSquare : Map::kMagnitude)];
    const auto widen = kernels.widen[type][static_cast<int>(Map::kSame)];
    const auto narrow = kernels.narrow[static_cast<int>(out_type)];
    const std::uint64_t row_bytes = x.size * item_bytes(x.type);
    constexpr std::uint64_t kPiece = 1024;
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Line<double> wide(kPiece, 0);
        Pieces pieces;
        const Share share = share_of(x.count, 1, part, parts);
        for (std::uint64_t r = share.begin; r < share.end; ++r) {
            const unsigned char* const row = x.data + r * row_bytes;
            double norm;
            sum(row, static_cast<std::int64_t>(row_bytes), 1, x.size, nullptr, &norm);
            if (of_squares) norm = std::sqrt(norm);
            if (norm < least) norm = least;
            for (std::uint64_t j = 0; j < x.size; j += kPiece) {
                const std::uint64_t some = std::min(kPiece, x.size - j);
                widen(row + j * item_bytes(x.type), some, 0, wide.data());
                for (std::uint64_t k = 0; k < some; ++k) wide.data()[k] /= norm;
                narrow(wide.data(), some, out + (r * x.size + j) * item_bytes(out_type));
            }
            pieces.done(x.size);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
