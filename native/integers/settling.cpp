// Which results exact sums settle, and the others by the tiles of other products: panel by panel, the rows that one
// of its columns leaves in doubt.
#include "settling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../contraction/product.h"
#include "../float_modes.h"
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

// Rows whose doubtful panels are computed together.
constexpr std::size_t kBlockRows = 128;
// Results for which a thread is worth starting: a few nanoseconds each.
constexpr double kResultsPerThread = 1e4;

std::int32_t signed_zero(const ZeroPoints& zeros, OperandType type, std::size_t column) {
    return zero_of(zeros, column) + change_to_signed(type);
}

// What is the same for all rows, of whole panels.
class Columns {
  public:
    explicit Columns(const Settling& task)
        : are_usual_(task.depth <= kMostDepth && is_usual(task.a_scale) && is_usual(task.scale) &&
                     is_usual(task.a_zero, task.a.type == OperandType::kInt8) && is_usual(task.zero, task.is_signed)) {
        const std::size_t width = panels_of(task.columns) * kPanel;
        for (std::vector<float>* each : {&factors_, &shifts_, &bounds_, &scales_, &bias_}) each->resize(width);
        zeros_.resize(width);
        std::vector<float> own;
        if (!task.column_norms) {
            own = norms_of_columns(task.panels, task.depth, task.columns, task.b_type, task.b_zero);
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

// One thread's rows of some panels.
class Part {
  public:
    Part(const Settling& task, const Columns& columns, const Policy& policy, const Share& panels)
        : task_(task),
          columns_(columns),
          kernels_(kernels_of(policy.target->name).settling),
          tiles_(*contraction_kernels(policy.target->name)),
          chains_(Chains::of_floats(task.depth)),
          first_(panels.begin * kPanel),
          panels_(panels.end - panels.begin),
          there_(std::min(panels_ * kPanel, task.columns - first_)),
          doubts_(kBlockRows * panels_, 1),
          sums_(panels_ * kPanel),
          line_(panels_ * kPanel) {
        std::iota(std::begin(offsets_), std::end(offsets_), std::ptrdiff_t{0});
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
            if (columns_.are_usual()) {
                for (std::size_t i = 0; i < count; ++i) settle_row(first + i, &doubts_[i * panels_]);
            }
            for (std::size_t p = 0; p < panels_; ++p) {
                rows_.clear();
                for (std::size_t i = 0; i < count; ++i) {
                    if (doubts_[i * panels_ + p]) rows_.push_back(first + i);
                }
                if (!rows_.empty()) compute(p);
            }
        }
    }

  private:
    // Its numbers, one behind the other.
    const unsigned char* row_of(std::size_t row) {
        const unsigned char* at = task_.a.data + static_cast<std::ptrdiff_t>(row) * task_.a.row;
        if (task_.a.column == 1) return at;
        together_.resize(task_.depth);
        for (unsigned char& byte : together_) {
            byte = *at;
            at += task_.a.column;
        }
        return together_.data();
    }
    bool has_signed_rows() const { return task_.a.type == OperandType::kInt8; }
    unsigned char* out_of(std::size_t row, std::size_t column) const {
        return task_.out + static_cast<std::ptrdiff_t>(row) * task_.out_row +
               static_cast<std::ptrdiff_t>(column) * task_.out_column;
    }
    void write(const unsigned char* from, std::size_t count, unsigned char* to) const {
        if (task_.out_column == 1) {
            std::memcpy(to, from, count);
            return;
        }
        for (std::size_t j = 0; j < count; ++j, to += task_.out_column) *to = from[j];
    }

    void settle_row(std::size_t number, unsigned char* doubts) {
        const unsigned char* from = task_.sums + static_cast<std::ptrdiff_t>(number) * task_.sums_row +
                                    static_cast<std::ptrdiff_t>(first_) * task_.sums_column;
        const bool is_whole = there_ == sums_.size();
        RowToSettle row{reinterpret_cast<const std::int32_t*>(from), columns_.settled_from(first_), 0, low_, high_,
                        task_.zero, panels_, out_of(number, first_), doubts};
        row.norm = std::sqrt(static_cast<float>(
            kernels_.sum_squares(row_of(number), task_.depth, has_signed_rows(), task_.a_zero)));
        const bool are_words = reinterpret_cast<std::uintptr_t>(from) % alignof(std::int32_t) == 0;
        if (!is_whole || !are_words || task_.sums_column != sizeof(std::int32_t)) {
            for (std::size_t j = 0; j < there_; ++j, from += task_.sums_column) {
                std::memcpy(&sums_[j], from, sizeof(sums_[j]));
            }
            row.sums = sums_.data();
        }
        const bool is_direct = is_whole && task_.out_column == 1;
        if (!is_direct) row.out = line_.data();
        kernels_.settle_row(row);
        if (!is_direct) write(line_.data(), there_, out_of(number, first_));
    }

    // Rows that a panel leaves in doubt, chain by chain: what is multiplied stays in the first cache.
    void compute(std::size_t panel) {
        const std::size_t column = first_ + panel * kPanel, most = tiles_.rows[0];
        const std::int32_t* const units = task_.panels + column * units_of(task_.depth);
        float* const a = left_.at_least(most * kChain);
        float* const b = right_.at_least(kChain * kPanel);
        float* const totals = totals_.at_least(kBlockRows * kPanel);
        indirectml::Tile t{};
        t.a = a;
        t.a_row = kChain;
        t.offsets = offsets_;
        t.b = b;
        t.b_k = kPanel;
        t.c_row = kPanel;
        t.chain_count = 1;
        t.last_columns = kPanel;
        for (std::size_t k = 0, n = 0; n < chains_.lengths.size(); k += kChain, ++n) {
            const std::size_t length = chains_.lengths[n];
            kernels_.widen_panel(units + k / kQuad * kPanel, length, columns_.zeros(column),
                                 columns_.scales(column), b);
            t.chains = &chains_.lengths[n];
            t.continues = n > 0;
            t.ends = n + 1 == chains_.lengths.size();
            for (std::size_t first = 0; first < rows_.size();) {
                const std::size_t height = std::min(most, rows_.size() - first);
                for (std::size_t i = 0; i < height; ++i) {
                    kernels_.widen_line(row_of(rows_[first + i]) + k, length, has_signed_rows(), task_.a_zero,
                                        task_.a_scale, a + i * kChain);
                }
                const auto half = static_cast<std::ptrdiff_t>((height + 1) / 2);
                t.a_half = half * t.a_row;
                t.c_half = half * t.c_row;
                t.c = totals + first * kPanel;
                tiles_.tiles_of_pixels[height - 1][0](t);
                pieces_.done(height * kPanel * length);
                first += height;
            }
        }
        const float* const bias = task_.bias ? columns_.bias(column) : nullptr;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            unsigned char bytes[kPanel];
            kernels_.quantize_panel(quantizing_, totals + i * kPanel, bias, bytes);
            write(bytes, std::min(kPanel, task_.columns - column), out_of(rows_[i], column));
        }
    }

    const Settling& task_;
    const Columns& columns_;
    const SettlingKernels kernels_;
    const ContractionKernels& tiles_;
    const Chains chains_;
    const std::size_t first_, panels_, there_;  // columns; `there_` of them are no mere rest of a panel
    std::ptrdiff_t offsets_[kChain];            // of k in a row
    std::vector<unsigned char> doubts_;         // of each row and panel: all, where nothing is settled
    std::vector<std::int32_t> sums_;
    std::vector<unsigned char> line_, together_;
    std::vector<std::size_t> rows_;
    Quantizing quantizing_;
    float low_, high_;
    Scratch left_, right_, totals_;
    Pieces pieces_{std::uint64_t{1} << 24};
};

}  // namespace

std::vector<float> norms_of_columns(const std::int32_t* panels, std::size_t depth, std::size_t columns,
                                    OperandType type, const ZeroPoints& zeros) {
    std::vector<float> norms(panels_of(columns) * kPanel);
    const auto* numbers = reinterpret_cast<const signed char*>(panels);
    const auto chain_count = static_cast<double>(Chains::of_floats(depth).lengths.size());
    for (std::size_t column = 0; column < norms.size(); column += kPanel) {
        const std::size_t there = std::min(kPanel, columns - column);
        double sums[kPanel] = {};
        for (std::size_t k = 0; k < depth; ++k) {
            const std::size_t chain_end = std::min(depth, (k / kChain + 1) * kChain);
            const double additions = static_cast<double>(chain_end - k) + chain_count + kBeside;
            for (std::size_t j = 0; j < there; ++j) {
                const std::int32_t number = numbers[(k / kQuad * kPanel + j) * kQuad + k % kQuad];
                const double weighted = additions * (number - signed_zero(zeros, type, column + j));
                sums[j] += weighted * weighted;
            }
        }
        for (std::size_t j = 0; j < there; ++j) norms[column + j] = static_cast<float>(std::sqrt(sums[j]));
        numbers += units_of(depth) * kPanel * kQuad;
    }
    return norms;
}

void settle(const Settling& task, const Policy& policy) {
    if (task.rows == 0 || task.columns == 0) return;
    const DefaultFloatModes modes;
    const Columns columns(task);
    const std::size_t panels = panels_of(task.columns);
    const double results = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    const unsigned threads = worthwhile_threads(results / kResultsPerThread, policy.max_threads);
    // One thread alone widens a panel for all rows, where there are enough panels.
    constexpr std::size_t kPanelsOfThread = 4;
    const bool is_by_panels = panels >= kPanelsOfThread * threads;
    run_team(threads, [&](unsigned part) {
        const Share of_panels = is_by_panels ? share_of(panels, 1, part, threads) : Share{0, panels};
        const Share rows = is_by_panels ? Share{0, task.rows} : share_of(task.rows, 1, part, threads);
        if (of_panels.is_empty() || rows.is_empty()) return;
        Part(task, columns, policy, of_panels).run(rows);
    });
}

}  // namespace integers
}  // namespace indirectml
