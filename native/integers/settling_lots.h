// Results in doubt, as many side by side as a panel has columns, each by its own row and column.
#pragma once

#include <vector>

#include "../contraction/product.h"
#include "../stopping.h"
#include "settling_operands.h"

namespace indirectml {
namespace integers {

// A result of some rows: row * kPanel + its column of a panel, and the first column of that.
struct InDoubt {
    std::uint32_t result;
    std::int32_t panel;
};

class ResultsInDoubt {
  public:
    // A lot of a panel takes as long as one of so many results of any panels.
    static constexpr std::size_t kLeastOfPanel = 9;

    ResultsInDoubt(const Settling& task, const SettlingColumns& columns, const SettlingKernels& kernels,
                   const Pixels& pixels)
        : task_(task), columns_(columns), kernels_(kernels), pixels_(pixels), depth_(task.depth()),
          units_(depth_.quads() * depth_.taps * kPanel) {
        const float lowest = task.is_signed ? -128.0f : 0.0f, highest = lowest + 255;
        const auto zero = static_cast<float>(task.zero);
        quantizing_ = {task.least, task.most, task.scale, zero, lowest, highest};
        // Limits may be beyond all results.
        low_ = std::clamp(task.least / task.scale, lowest - zero, highest - zero);
        high_ = std::clamp(task.most / task.scale, lowest - zero, highest - zero);
    }

    float low() const { return low_; }
    float high() const { return high_; }
    unsigned char* out_of(const Position& at, std::size_t column) const {
        return task_.out + at.in(task_.out_at) + static_cast<std::ptrdiff_t>(column) * task_.out_at.column;
    }

    // Whether sums of parts of chains tell more.
    bool can_narrow() const {
        return kernels_.narrow[0] && columns_.are_usual() && !columns_.have_zeros() && depth_.taps <= kMostTaps;
    }

    // Of some results of a panel, with the rows that follow `start`: those that stay in doubt, in the same place, and
    // how many.
    std::size_t narrow(const Position& start, std::size_t column, std::uint32_t* results, std::size_t count) {
        std::uint32_t* to = results;
        take_each(start, results, count, [&](const std::uint32_t* of, std::size_t lots, std::size_t there) {
            LotsToNarrow task = to_narrow(column);
            task.b = task_.panels + column * depth_.quads() * depth_.taps;
            task.tap_step = static_cast<std::ptrdiff_t>(depth_.quads() * kPanel);
            task.quad_step = kPanel;
            for (std::size_t n = 0; n < lots;) {
                const std::size_t together = std::min(lots - n, kLotsTogether);
                unsigned doubts[kLotsTogether];
                task.a = left_.data() + n * units_;
                task.columns = numbers_ + n;
                task.doubts = doubts;
                kernels_.narrow[together - 1](task);
                for (std::size_t i = 0; i < together; ++i, ++n) {
                    for (std::size_t j = 0; j < std::min(kPanel, there - n * kPanel); ++j) {
                        *to = of[n * kPanel + j];
                        to += doubts[i] >> j & 1;
                    }
                }
            }
        });
        return static_cast<std::size_t>(to - results);
    }
    // The same of results of any panels.
    void narrow_apart(const Position& start, std::vector<InDoubt>& results) {
        std::size_t left = 0;
        take_apart(start, results, [&](std::size_t first, std::size_t count) {
            LotsToNarrow task = to_narrow(0);
            unsigned doubts;
            task.a = left_.data();
            task.b = task.a + units_;
            task.tap_step = kPanel;
            task.quad_step = static_cast<std::ptrdiff_t>(depth_.taps * kPanel);
            task.columns = numbers_;
            task.doubts = &doubts;
            kernels_.narrow_apart(task);
            for (std::size_t j = 0; j < count; ++j) {
                results[left] = results[first + j];
                left += doubts >> j & 1;
            }
        });
        results.resize(left);
    }

    // Some results of a panel as they are defined, chain by chain, so that what is multiplied stays in the first cache.
    void compute(const Position& start, std::size_t column, const std::uint32_t* results, std::size_t count) {
        const std::size_t taps = depth_.taps, depth = depth_.size();
        const std::int32_t* const panel = task_.panels + column * depth_.quads() * taps;
        float* const b = right_.at_least(kChain * kPanel);
        take_each(start, results, count, [&](const std::uint32_t*, std::size_t lots, std::size_t there) {
            for (std::size_t k = 0; k < depth; k += kChain) {
                // Units of the panel are in the order of taps, those of rows in the order of channels.
                const auto step = static_cast<std::ptrdiff_t>(depth_.quads() * kPanel);
                const ChainPlace place{k / taps, k % taps, taps, step, kPanel};
                const ChainPlace of_rows = chain_of_rows(k);
                const std::size_t length = std::min(kChain, depth - k);
                kernels_.widen(panel, place, length, columns_.zeros(column), columns_.scales(column), b);
                for (std::size_t n = 0; n < lots;) {
                    const std::size_t together = std::min(lots - n, kLotsTogether);
                    float sums[kLotsTogether][kPanel];
                    kernels_.multiply[together - 1]({left_.data() + n * units_, units_, pixels_.is_signed(), of_rows,
                                                     length, task_.a_zero, task_.a_scale, b, numbers_ + n, sums});
                    for (std::size_t i = 0; i < together; ++i) add(sums[i], k, totals_[n++]);
                }
            }
            for (std::size_t n = 0; n < lots; ++n) write(n, std::min(kPanel, there - n * kPanel), column);
        });
    }
    // The same of results of any panels.
    void compute_apart(const Position& start, const std::vector<InDoubt>& results) {
        const std::size_t depth = depth_.size();
        take_apart(start, results, [&](std::size_t, std::size_t count) {
            std::int32_t zeros[kPanel];
            float scales[kPanel];
            for (std::size_t j = 0; j < kPanel; ++j) {
                const auto column = static_cast<std::size_t>(numbers_[0][j]);
                zeros[j] = *columns_.zeros(column);
                scales[j] = *columns_.scales(column);
            }
            for (std::size_t k = 0; k < depth; k += kChain) {
                float sums[kPanel];
                kernels_.multiply_apart({left_.data(), left_.data() + units_, chain_of_rows(k),
                                         std::min(kChain, depth - k), pixels_.is_signed(), task_.a_zero,
                                         task_.a_scale, zeros, scales, sums});
                add(sums, k, totals_[0]);
            }
            write(0, count, 0);
        });
    }

  private:
    static constexpr std::size_t kMostLots = 8;
    // Of more taps, four channels at all of them are so large a part of a chain that their sum tells little.
    static constexpr std::size_t kMostTaps = 12;

    // work(results, lots, how many results) on some lots of a panel at a time.
    template <typename Work>
    void take_each(const Position& start, const std::uint32_t* results, std::size_t count, const Work& work) {
        std::int32_t* const a = left_.at_least(kMostLots * units_);
        for (std::size_t first = 0; first < count; first += kMostLots * kPanel, results += kMostLots * kPanel) {
            const std::size_t there = std::min(kMostLots * kPanel, count - first);
            const std::size_t lots = (there + kPanel - 1) / kPanel;
            for (std::size_t i = 0; i < lots * kPanel; ++i) {
                // The last one stands for those that are missing.
                const std::uint32_t result = results[std::min(i, there - 1)];
                set(i, start, result, static_cast<std::int32_t>(result % kPanel));
            }
            for (std::size_t n = 0; n < lots; ++n) read(n, a + n * units_);
            work(results, lots, there);
            pieces_.done(lots * kPanel * depth_.size());
        }
    }
    // work(the first, how many) of one lot at a time: units of columns are behind those of rows, and alike.
    template <typename Work>
    void take_apart(const Position& start, const std::vector<InDoubt>& results, const Work& work) {
        std::int32_t* const a = left_.at_least(kMostLots * units_);
        for (std::size_t first = 0; first < results.size(); first += kPanel) {
            const std::size_t count = std::min(kPanel, results.size() - first);
            for (std::size_t i = 0; i < kPanel; ++i) {
                const InDoubt& each = results[first + std::min(i, count - 1)];
                set(i, start, each.result, each.panel + static_cast<std::int32_t>(each.result % kPanel));
            }
            read(0, a);
            gather(a + units_);
            work(first, count);
            pieces_.done(kPanel * depth_.size());
        }
    }

    LotsToNarrow to_narrow(std::size_t column) const {
        const SettledColumns columns = columns_.settled_from(column);
        LotsToNarrow task{};
        task.a_lot = units_;
        task.is_signed = pixels_.is_signed();
        task.a_zero = task_.a_zero;
        task.channels = depth_.channels;
        task.taps = depth_.taps;
        task.factors = columns.factors;
        task.shifts = columns.shifts;
        task.low = low_;
        task.high = high_;
        return task;
    }
    ChainPlace chain_of_rows(std::size_t k) const {
        const std::size_t taps = depth_.taps;
        return {k / taps, k % taps, taps, kPanel, static_cast<std::ptrdiff_t>(taps * kPanel)};
    }

    // Where result `i` of all lots is.
    void set(std::size_t i, const Position& start, std::uint32_t result, std::int32_t column) {
        positions_[i / kPanel][i % kPanel] = start.moved(task_, result / kPanel);
        numbers_[i / kPanel][i % kPanel] = column;
    }

    // Sums of a chain to those before it.
    static void add(const float* sums, std::size_t k, float* totals) {
        for (std::size_t j = 0; j < kPanel; ++j) totals[j] = k == 0 ? sums[j] : totals[j] + sums[j];
    }

    // The units of all rows of a lot, side by side.
    void read(std::size_t n, std::int32_t* to) {
        const std::size_t quads = depth_.quads();
        unsigned char* const lines = lines_.at_least(kPanel * quads * kQuad);
        const auto step = static_cast<std::ptrdiff_t>(depth_.taps * kPanel);
        const unsigned char* firsts[kPanel];
        bool are_there = true;
        for (std::size_t j = 0; j < kPanel; ++j) {
            firsts[j] = pixels_.first_under(positions_[n][j]);
            are_there = are_there && firsts[j];
        }
        const std::size_t columns = task_.pixels.taps;
        for (std::size_t y = 0; y < task_.rows.taps; ++y) {
            if (are_there && pixels_.are_units()) {
                kernels_.turn(firsts, pixels_.from_first_tap(y, 0), columns, to, kPanel);
                to += columns * kPanel;
                continue;
            }
            for (std::size_t x = 0; x < columns; ++x, to += kPanel) {
                const std::ptrdiff_t apart = pixels_.from_first_tap(y, x);
                if (are_there) {
                    kernels_.turn(firsts, apart, quads, to, step);
                    continue;
                }
                const unsigned char* from[kPanel];
                for (std::size_t j = 0; j < kPanel; ++j) {
                    from[j] = firsts[j] ? firsts[j] + apart
                                        : pixels_.under(positions_[n][j], y, x, lines + j * quads * kQuad);
                }
                kernels_.turn(from, 0, quads, to, step);
            }
        }
    }

    // The units of all columns of the first lot; those of a panel follow each other.
    void gather(std::int32_t* to) const {
        ColumnsToGather task{};
        task.quads = depth_.quads();
        task.taps = depth_.taps;
        for (std::size_t j = 0; j < kPanel; ++j) {
            const auto column = static_cast<std::size_t>(numbers_[0][j]);
            const std::int32_t* const panel = task_.panels + column / kPanel * units_;
            if (j == 0 || panel != task.panels[task.panel_count - 1]) {
                task.panels[task.panel_count] = panel;
                task.first[task.panel_count++] = j;
            }
            task.columns[j] = static_cast<std::int32_t>(column % kPanel);
        }
        task.first[task.panel_count] = kPanel;
        kernels_.gather(task, to);
    }

    void write(std::size_t n, std::size_t count, std::size_t column) const {
        float biases[kPanel];
        for (std::size_t j = 0; j < kPanel; ++j) {
            biases[j] = *columns_.bias(column + static_cast<std::size_t>(numbers_[n][j]));
        }
        unsigned char bytes[kPanel];
        kernels_.quantize(quantizing_, totals_[n], task_.bias ? biases : nullptr, bytes);
        for (std::size_t j = 0; j < count; ++j) {
            *out_of(positions_[n][j], column + static_cast<std::size_t>(numbers_[n][j])) = bytes[j];
        }
    }

    const Settling& task_;
    const SettlingColumns& columns_;
    const SettlingKernels& kernels_;
    const Pixels& pixels_;
    const Depth depth_;
    const std::size_t units_;  // of a lot
    Position positions_[kMostLots][kPanel];
    std::int32_t numbers_[kMostLots][kPanel];  // of columns, of each lot
    float totals_[kMostLots][kPanel];
    Quantizing quantizing_;
    float low_, high_;
    Memory<float> right_;
    Memory<std::int32_t> left_;
    Memory<unsigned char> lines_;
    Pieces pieces_{std::uint64_t{1} << 24};
};

}  // namespace integers
}  // namespace indirectml
