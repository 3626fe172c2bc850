// Which results exact sums settle, and the others panel by panel.
#include "settling.h"

#include <algorithm>
#include <cmath>

#include "../float_modes.h"
#include "../team.h"
#include "settling_lots.h"

namespace indirectml {
namespace integers {
namespace {

// Rows whose results in doubt are computed together, panel by panel.
constexpr std::size_t kBlockRows = 512;
// Of fewer results of any panels those that stay in doubt are as many lots.
constexpr std::size_t kLeastToNarrow = 2 * kPanel;
// Results for which a thread is worth starting: a few nanoseconds each.
constexpr double kResultsPerThread = 1e4;

// Rows that are at the same distance from each other, however many dimensions they go along.
struct Run {
    std::size_t length;
    std::ptrdiff_t sums, out;

    explicit Run(const Settling& task) : length(1), sums(0), out(0) {
        const Results &from = task.sums_at, &to = task.out_at;
        add(task.pixels.output, from.pixel, to.pixel) && add(task.rows.output, from.row, to.row) &&
            add(task.images, from.image, to.image);
    }

  private:
    bool add(std::size_t count, std::ptrdiff_t own_sums, std::ptrdiff_t own_out) {
        if (count == 1) return true;
        const auto all = static_cast<std::ptrdiff_t>(length);
        if (length > 1 && (own_sums != all * sums || own_out != all * out)) return false;
        if (length == 1) {
            sums = own_sums;
            out = own_out;
        }
        length *= count;
        return true;
    }
};

// One thread's rows of some panels.
class Part {
  public:
    Part(const Settling& task, const SettlingColumns& columns, const Policy& policy, const Share& panels)
        : task_(task),
          columns_(columns),
          all_kernels_(kernels_of(policy.target->name)),
          kernels_(all_kernels_.settling),
          run_(task),
          first_(panels.begin * kPanel),
          panels_(panels.end - panels.begin),
          there_(std::min(panels_ * kPanel, task.columns - first_)),
          room_(std::min(kBlockRows, task.row_count()) + 1),
          doubts_(room_ * panels_),
          results_(room_ * kPanel),
          ends_(panels_),
          pixels_(task, all_kernels_),
          lots_(task, columns, kernels_, pixels_),
          start_(task, 0) {}

    void run(const Share& rows) {
        const bool narrows = lots_.can_narrow();
        for (std::size_t first = rows.begin; first < rows.end; first += kBlockRows) {
            const Share block{first, std::min(first + kBlockRows, rows.end)};
            start_ = Position(task_, first);
            few_.clear();
            rest_.clear();
            prepare(block);
            if (columns_.are_usual()) settle_rows(block);
            for (std::size_t p = 0; p < panels_; ++p) {
                const std::size_t column = first_ + p * kPanel;
                std::size_t in_doubt = columns_.are_usual() ? doubts_of(p) : doubt_all(block, column);
                if (narrows) {
                    in_doubt = whole_lots(in_doubt, column, few_);
                    in_doubt = lots_.narrow(start_, column, results_.data(), in_doubt);
                }
                in_doubt = whole_lots(in_doubt, column, rest_);
                lots_.compute(start_, column, results_.data(), in_doubt);
            }
            if (narrows && few_.size() > kLeastToNarrow) lots_.narrow_apart(start_, few_);
            rest_.insert(rest_.end(), few_.begin(), few_.end());
            lots_.compute_apart(start_, rest_);
        }
    }

  private:
    // Puts what is too little for a lot of a panel beside what others leave; how many results remain.
    std::size_t whole_lots(std::size_t in_doubt, std::size_t column, std::vector<InDoubt>& beside) const {
        const std::size_t rest = in_doubt % kPanel;
        for (std::size_t n = 0; n < rest && rest < ResultsInDoubt::kLeastOfPanel; ++n) {
            beside.push_back({results_.data()[--in_doubt], static_cast<std::int32_t>(column)});
        }
        return in_doubt;
    }

    void prepare(const Share& block) {
        Position at = start_;
        for (std::size_t done = 0, all = block.end - block.begin; done < all;) {
            const std::size_t count = std::min(task_.pixels.output - at.pixel, all - done);
            pixels_.prepare(at);
            if (columns_.are_usual()) pixels_.norms_of(at, count, norms_ + done);
            at = at.moved(task_, static_cast<std::uint32_t>(count));
            done += count;
        }
    }

    void settle_rows(const Share& block) {
        std::fill(ends_.begin(), ends_.end(), 0u);
        const bool follow = task_.sums_at.column == sizeof(std::int32_t) && task_.out_at.column == 1;
        const std::size_t whole = follow ? there_ / kPanel : 0;
        RowsToSettle rows{};
        rows.low = lots_.low();
        rows.high = lots_.high();
        rows.zero = task_.zero;
        rows.doubts_step = room_;
        for (std::size_t first = block.begin; first < block.end; first += rows.count) {
            rows.count = std::min(run_.length - first % run_.length, block.end - first);
            rows.first = static_cast<std::uint32_t>(first - block.begin);
            rows.norms = norms_ + rows.first;
            const Position at = start_.moved(task_, rows.first);
            const auto begin = [&](std::size_t panel) {
                const std::size_t column = first_ + panel * kPanel;
                const auto own = static_cast<std::ptrdiff_t>(column);
                rows.sums = task_.sums + at.in(task_.sums_at) + own * task_.sums_at.column;
                rows.out = lots_.out_of(at, column);
                rows.columns = columns_.settled_from(column);
                rows.doubts = doubts_.data() + panel * room_;
                rows.ends = &ends_[panel];
            };
            begin(0);
            rows.sums_step = run_.sums;
            rows.out_step = run_.out;
            rows.panels = whole;
            kernels_.settle_rows(rows);
            for (std::size_t p = whole; p < panels_; ++p) {
                begin(p);
                settle_beside(rows, std::min(kPanel, there_ - p * kPanel));
            }
        }
    }

    // By way of memory, where columns are not together, or no whole panel.
    void settle_beside(RowsToSettle rows, std::size_t there) const {
        constexpr std::size_t kTogether = 16;
        std::int32_t sums[kTogether][kPanel] = {};
        unsigned char bytes[kTogether][kPanel];
        const unsigned char* from = rows.sums;
        unsigned char* to = rows.out;
        rows.sums = reinterpret_cast<const unsigned char*>(sums);
        rows.sums_step = sizeof(sums[0]);
        rows.out = bytes[0];
        rows.out_step = sizeof(bytes[0]);
        rows.panels = 1;
        const auto column = [](std::size_t j) { return static_cast<std::ptrdiff_t>(j); };
        for (std::size_t left = rows.count; left > 0; left -= rows.count) {
            rows.count = std::min(kTogether, left);
            for (std::size_t i = 0; i < rows.count; ++i, from += run_.sums) {
                for (std::size_t j = 0; j < there; ++j) {
                    std::memcpy(&sums[i][j], from + column(j) * task_.sums_at.column, sizeof(sums[i][j]));
                }
            }
            kernels_.settle_rows(rows);
            for (std::size_t i = 0; i < rows.count; ++i, to += run_.out) {
                for (std::size_t j = 0; j < there; ++j) to[column(j) * task_.out_at.column] = bytes[i][j];
            }
            rows.norms += rows.count;
            rows.first += static_cast<std::uint32_t>(rows.count);
        }
    }

    // Each of these finds the results of a panel that are in doubt, and returns how many these are.
    std::size_t doubts_of(std::size_t panel) {
        const unsigned columns = (1u << std::min(kPanel, there_ - panel * kPanel)) - 1;
        const std::uint32_t* const doubts = doubts_.data() + panel * room_;
        std::uint32_t* to = results_.data();
        for (std::uint32_t n = 0; n < ends_[panel]; ++n) {
            const std::uint32_t row = (doubts[n] >> kPanel) * kPanel;
            std::uint64_t left = doubts[n] & columns;
            // Most have one, so that there is no branch between these and others.
            do {
                *to = row + static_cast<std::uint32_t>(count_trailing_zeros(left | 1u << kPanel));
                to += left != 0;
                left &= left - 1;
                *to = row + static_cast<std::uint32_t>(count_trailing_zeros(left | 1u << kPanel));
                to += left != 0;
                left &= left - 1;
            } while (left != 0);
        }
        return static_cast<std::size_t>(to - results_.data());
    }
    std::size_t doubt_all(const Share& block, std::size_t column) {
        const std::size_t there = std::min(kPanel, first_ + there_ - column);
        std::uint32_t* to = results_.data();
        for (std::size_t i = 0; i < block.end - block.begin; ++i) {
            for (std::size_t j = 0; j < there; ++j) *to++ = static_cast<std::uint32_t>(i * kPanel + j);
        }
        return static_cast<std::size_t>(to - results_.data());
    }

    const Settling& task_;
    const SettlingColumns& columns_;
    const Kernels& all_kernels_;
    const SettlingKernels& kernels_;
    const Run run_;
    const std::size_t first_, panels_, there_;  // columns; `there_` of them are no mere rest of a panel
    const std::size_t room_;                    // for rows of a panel in doubt
    Memory<std::uint32_t> doubts_, results_;    // of all panels; of one, as row * kPanel + column; rows of the block
    std::vector<std::uint32_t> ends_;
    Pixels pixels_;
    ResultsInDoubt lots_;
    Position start_;  // of the block
    float norms_[kBlockRows];
    std::vector<InDoubt> few_, rest_;  // of all panels
};

}  // namespace

std::size_t Depth::quads() const { return units_of(channels); }

std::vector<float> norms_of_columns(const std::int32_t* panels, const Depth& depth, std::size_t columns,
                                    OperandType type, const ZeroPoints& zeros) {
    std::vector<float> norms(panels_of(columns) * kPanel);
    const auto* numbers = reinterpret_cast<const signed char*>(panels);
    const std::size_t quads = depth.quads(), size = depth.size();
    const auto chain_count = static_cast<double>((size + kChain - 1) / kChain);
    for (std::size_t column = 0; column < norms.size(); column += kPanel) {
        const std::size_t there = std::min(kPanel, columns - column);
        double sums[kPanel] = {};
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t chain_end = std::min(size, (k / kChain + 1) * kChain);
            const double additions = static_cast<double>(chain_end - k) + chain_count + kBeside;
            const std::size_t channel = k / depth.taps, unit = k % depth.taps * quads + channel / kQuad;
            for (std::size_t j = 0; j < there; ++j) {
                const std::int32_t number = numbers[(unit * kPanel + j) * kQuad + channel % kQuad];
                const double weighted = additions * (number - signed_zero(zeros, type, column + j));
                sums[j] += weighted * weighted;
            }
        }
        for (std::size_t j = 0; j < there; ++j) norms[column + j] = static_cast<float>(std::sqrt(sums[j]));
        numbers += quads * depth.taps * kPanel * kQuad;
    }
    return norms;
}

std::shared_ptr<const SettlingColumns> columns_of(const Settling& task) {
    return std::make_shared<const SettlingColumns>(task);
}

bool can_settle(const Settling& task) {
    return std::isfinite(task.a_scale) || (task.rows.is_inside() && task.pixels.is_inside());
}

void settle(const Settling& task, const Policy& policy) {
    const std::size_t row_count = task.row_count();
    if (row_count == 0 || task.columns == 0) return;
    const DefaultFloatModes modes;
    const std::shared_ptr<const SettlingColumns> own = task.known ? nullptr : columns_of(task);
    const SettlingColumns& columns = task.known ? *task.known : *own;
    const std::size_t panels = panels_of(task.columns);
    const double results = static_cast<double>(row_count) * static_cast<double>(task.columns);
    const unsigned threads = worthwhile_threads(results / kResultsPerThread, policy.max_threads);
    // One thread alone widens a panel for all rows, where there are enough panels.
    constexpr std::size_t kPanelsOfThread = 4;
    const bool is_by_panels = panels >= kPanelsOfThread * threads;
    run_team(threads, [&](unsigned part) {
        const Share of_panels = is_by_panels ? share_of(panels, 1, part, threads) : Share{0, panels};
        const Share rows = is_by_panels ? Share{0, row_count} : share_of(row_count, 1, part, threads);
        if (of_panels.is_empty() || rows.is_empty()) return;
        Part(task, columns, policy, of_panels).run(rows);
    });
}

struct RowSettler::Parts {
    const Settling task;
    const std::shared_ptr<const SettlingColumns> own;
    Part part;

    Parts(const Settling& given, const Policy& policy)
        : task(given),
          own(task.known ? nullptr : columns_of(task)),
          part(task, task.known ? *task.known : *own, policy, {0, panels_of(task.columns)}) {}
};

RowSettler::RowSettler(const Settling& task, const Policy& policy) {
    const DefaultFloatModes modes;
    parts_ = std::make_unique<Parts>(task, policy);
}
RowSettler::~RowSettler() = default;

void RowSettler::run(const Share& rows) {
    const DefaultFloatModes modes;
    const std::size_t pixels = parts_->task.pixels.output;
    parts_->part.run({rows.begin * pixels, rows.end * pixels});
}

}  // namespace integers
}  // namespace indirectml
