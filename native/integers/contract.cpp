// Products of matrices of 8-bit integers. The sum over k of (a - x)(b - y) is that of a b, less x times the
// sum of b, less y times that of a, and depth x y; all of it modulo 2^32. Here a is unsigned and b
// signed, whatever they were.
#include <vector>

#include "../contraction/batches.h"
#include "../stopping.h"
#include "../team.h"
#include "packing.h"

namespace indirectml {

namespace integers {
namespace {

// Rows of a in panels stay in the second cache meanwhile.
constexpr std::size_t kRowBytes = 1 << 18;
// Panels of b that several blocks of rows read.
constexpr std::size_t kBlockPanels = 64;

constexpr unsigned char kOnes[kPanel * kQuad] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

// Up to kPanel columns of b, zeros beyond them and beyond the last k, which add nothing.
void pack_panel(const unsigned char* from, std::ptrdiff_t line, std::ptrdiff_t step,
                std::size_t columns, std::size_t depth, unsigned char flips,
                const Kernels& kernels, std::int32_t* to) {
    std::size_t unit = 0;
    const std::size_t whole = depth / kQuad;
    if (line == 1 && columns == kPanel) {
        for (; unit < whole; ++unit, to += kPanel) {
            const unsigned char* lines[kQuad];
            for (const unsigned char*& at : lines) {
                at = from;
                from += step;
            }
            kernels.interleave(lines, kPanel, flips, to);
        }
    } else if (step == 1) {
        const std::int32_t changed = static_cast<std::int32_t>(flips * 0x01010101u);
        for (std::size_t j = 0; j < columns; ++j) {
            const unsigned char* at = from + static_cast<std::ptrdiff_t>(j) * line;
            for (std::size_t k = 0; k < whole; ++k, at += kQuad) {
                std::int32_t word;
                std::memcpy(&word, at, kQuad);
                to[k * kPanel + j] = word ^ changed;
            }
        }
        for (std::size_t k = 0; k < whole && columns < kPanel; ++k) {
            std::fill_n(to + k * kPanel + columns, kPanel - columns, 0);
        }
        unit = whole;
        to += whole * kPanel;
        from += whole * kQuad;
    }
    auto* bytes = reinterpret_cast<unsigned char*>(to);
    for (; unit < units_of(depth); ++unit) {
        for (std::size_t j = 0; j < kPanel; ++j) {
            for (std::size_t n = 0; n < kQuad; ++n) {
                const bool is_there = j < columns && unit * kQuad + n < depth;
                *bytes++ = is_there ? from[static_cast<std::ptrdiff_t>(j) * line +
                                           static_cast<std::ptrdiff_t>(n) * step] ^
                                          flips
                                    : 0;
            }
        }
        from += static_cast<std::ptrdiff_t>(kQuad) * step;
    }
}

// The sum of each column of a panel: a product with a row of ones.
void sum_panel(const std::int32_t* panel, std::size_t units, const Kernels& kernels,
               std::int32_t* sums) {
    unsigned char ones[kMostUnitBytes];
    kernels.to_units(kOnes, kQuad, 0, ones);
    Tile t{};
    t.a = ones;
    t.b = t.next = panel;
    t.b_k = kPanel;
    t.units = units;
    t.c = sums;
    kernels.unsigned_by_signed[0][0](t);
}

// One thread's rows and columns of a product.
class Part {
  public:
    Part(const Contraction& task, const Kernels& kernels, const Share& rows, const Share& columns)
        : task_(task),
          kernels_(kernels),
          rows_(rows),
          columns_(columns),
          units_(units_of(task.depth)),
          first_panel_(columns.begin / kPanel),
          panels_(panels_of(columns.end) - first_panel_),
          row_bytes_(units_ * kernels.unit_bytes),
          reads_rows_(task.a.type == OperandType::kUInt8 && task.a.column == 1 &&
                      task.depth % kQuad == 0 && kernels.unit_bytes == kQuad) {
        const std::size_t step = kernels.rows;
        block_rows_ = std::max(kRowBytes / (row_bytes_ + 1) / step, std::size_t{1}) * step;
        block_rows_ = std::min(block_rows_, rows.end - rows.begin);
        set_zeros();
        if (!kernels.sorts_units()) return;
        places_.resize(units_);
        for (std::size_t k = 0; k < units_; ++k) {
            offsets_.push_back(static_cast<std::ptrdiff_t>(k * kQuad));
            ones_places_.push_back({offsets_.back(), 0});
        }
    }

    void run(const Place& place) {
        TileRegisters registers(kernels_);
        shape_ = registers.shape();
        const unsigned char flips = flips_to_signed(task_.b.type);
        const bool is_once = rows_.end - rows_.begin <= block_rows_;
        const std::size_t most = rows_.end - rows_.begin == 1 ? kernels_.row_panels : kernels_.panels;
        const std::size_t kept = is_once ? most : std::min(kBlockPanels, panels_);
        if (!task_.b_is_in_panels) {
            b_panels_.at_least(kept * units_ * kPanel);
            panel_sums_.at_least(kept * kPanel);
        }
        for (std::size_t panel0 = 0; panel0 < panels_; panel0 += kBlockPanels) {
            const std::size_t panel_end = std::min(panels_, panel0 + kBlockPanels);
            for (std::size_t row = rows_.begin; row < rows_.end; row += block_rows_) {
                const std::size_t row_end = std::min(rows_.end, row + block_rows_);
                take_rows(place.a, row, row_end);
                for (std::size_t panel = panel0; panel < panel_end; panel += most) {
                    const std::size_t count = std::min(most, panel_end - panel);
                    const std::size_t at = is_once ? 0 : panel - panel0;
                    if (task_.b_is_in_panels) {
                        const std::size_t number = first_panel_ + panel;
                        const auto* const sums = reinterpret_cast<const std::int32_t*>(place.b);
                        sums_ = sums + number * kPanel;
                        b_ = sums + panels_of(task_.columns) * kPanel + number * units_ * kPanel;
                        if (kernels_.sorts_units()) {
                            fitting_ = kernels_.sort_units(b_, offsets_.data(), units_, places_.data());
                        }
                    } else {
                        std::int32_t* const to = b_panels_.data() + at * units_ * kPanel;
                        std::int32_t* const sums = panel_sums_.data() + at * kPanel;
                        for (std::size_t n = 0; n < count && row == rows_.begin; ++n) {
                            const std::size_t first = (first_panel_ + panel + n) * kPanel;
                            pack_panel(place.b + static_cast<std::ptrdiff_t>(first) * task_.b.column,
                                       task_.b.column, task_.b.row,
                                       std::min(kPanel, task_.columns - first), task_.depth, flips,
                                       kernels_, to + n * units_ * kPanel);
                            if (any_row_zero_) {
                                sum_panel(to + n * units_ * kPanel, units_, kernels_,
                                          sums + n * kPanel);
                            }
                        }
                        sums_ = sums;
                        b_ = to;
                    }
                    multiply(place.c, row, row_end, panel, count);
                }
            }
        }
    }

  private:
    std::int32_t row_zero(std::size_t row) const {
        return zero_of(task_.a_zero, row) + change_to_unsigned(task_.a.type);
    }
    std::int32_t column_zero(std::size_t column) const {
        return zero_of(task_.b_zero, column) + change_to_signed(task_.b.type);
    }

    void set_zeros() {
        is_one_column_zero_ = task_.b_zero.stride == 0;
        for (std::size_t j = columns_.begin; j < columns_.end && !any_column_zero_; ++j) {
            any_column_zero_ = column_zero(j) != 0;
            if (is_one_column_zero_) break;
        }
        is_one_row_zero_ = task_.a_zero.stride == 0;
        for (std::size_t i = rows_.begin; i < rows_.end && !any_row_zero_; ++i) {
            any_row_zero_ = row_zero(i) != 0;
            if (is_one_row_zero_) break;
        }
    }

    // Rows of a as tiles read them, and what the zero points of b take from each.
    void take_rows(const unsigned char* a, std::size_t row, std::size_t row_end) {
        const unsigned char* const from = a + static_cast<std::ptrdiff_t>(row) * task_.a.row;
        a_ = from;
        a_row_ = task_.a.row;
        if (!reads_rows_) {
            unsigned char* to = a_panels_.at_least((row_end - row) * row_bytes_);
            a_ = to;
            a_row_ = static_cast<std::ptrdiff_t>(row_bytes_);
            for (std::size_t i = 0; i < row_end - row; ++i, to += a_row_) {
                const unsigned char* line = from + static_cast<std::ptrdiff_t>(i) * task_.a.row;
                if (task_.a.column != 1) {
                    unsigned char* const together = line_.at_least(task_.depth);
                    for (std::size_t k = 0; k < task_.depth; ++k, line += task_.a.column) together[k] = *line;
                    line = together;
                }
                kernels_.to_units(line, task_.depth, flips_to_unsigned(task_.a.type), to);
            }
        }
        if (!any_column_zero_) return;
        std::int32_t* const terms = row_terms_.at_least(row_end - row);
        for (std::size_t i = row; i < row_end;) {
            const std::size_t height = std::min(kernels_.rows, row_end - i);
            std::int32_t sums[kMostRows * kPanel];
            Tile t{};
            t.a = a_ + static_cast<std::ptrdiff_t>(i - row) * a_row_;
            t.a_row = a_row_;
            t.a_k = static_cast<std::ptrdiff_t>(kernels_.unit_bytes);
            std::int32_t ones[kPanel];
            std::memcpy(ones, kOnes, sizeof(ones));
            t.b = t.next = ones;
            t.units = t.fitting = t.run = units_;
            t.places = ones_places_.data();
            t.shape = shape_;
            t.c = sums;
            t.c_row = kPanel;
            set_halves(height, t);
            kernels_.unsigned_by_signed[height - 1][0](t);
            const auto depth = static_cast<std::int32_t>(static_cast<std::uint32_t>(task_.depth));
            for (std::size_t n = 0; n < height; ++n, ++i) {
                const std::int32_t term = less(sums[n * kPanel], times(depth, row_zero(i)));
                // Where it is one number that it is multiplied by, that is done here.
                terms[i - row] =
                    is_one_column_zero_ ? less(0, times(term, column_zero(0))) : term;
            }
        }
    }

    static void set_halves(std::size_t height, Tile& t) {
        const auto half = static_cast<std::ptrdiff_t>((height + 1) / 2);
        t.a_half = half * t.a_row;
        t.c_half = half * t.c_row;
    }

    void multiply(unsigned char* c, std::size_t row, std::size_t row_end, std::size_t panel,
                  std::size_t count) {
        const std::size_t column = (first_panel_ + panel) * kPanel;
        const std::size_t columns = std::min(count * kPanel, task_.columns - column);
        const bool is_whole = columns == count * kPanel && task_.c_column == 4;
        std::int32_t starts[kMostPanels * kPanel];
        const bool starts_columns = any_row_zero_ && is_one_row_zero_;
        for (std::size_t j = 0; j < count * kPanel && starts_columns; ++j) {
            starts[j] = less(0, times(row_zero(0), sums_[j]));
        }
        Tile t{};
        t.a_row = a_row_;
        t.a_k = static_cast<std::ptrdiff_t>(kernels_.unit_bytes);
        t.b = b_;
        t.b_k = kPanel;
        t.b_panel = static_cast<std::ptrdiff_t>(units_ * kPanel);
        t.next = b_;
        t.units = t.run = units_;
        t.places = places_.data();
        t.fitting = fitting_;
        t.shape = shape_;
        t.column_starts = starts_columns ? starts : nullptr;
        std::int32_t column_zeros[kMostPanels * kPanel] = {};
        const bool subtracts_columns = any_column_zero_ && !is_one_column_zero_;
        for (std::size_t j = 0; j < columns && subtracts_columns; ++j) {
            column_zeros[j] = column_zero(column + j);
        }
        std::int32_t beside[kMostRows * kMostPanels * kPanel];
        const std::size_t stack = (row_end - row + kernels_.rows - 1) / kernels_.rows;
        for (std::size_t n = 0, i = row; n < stack; ++n) {
            // Tiles of as equal heights as can be.
            const std::size_t height = row + (row_end - row) * (n + 1) / stack - i;
            unsigned char* const to = c + static_cast<std::ptrdiff_t>(i) * task_.c_row +
                                      static_cast<std::ptrdiff_t>(column) * task_.c_column;
            t.a = a_ + static_cast<std::ptrdiff_t>(i - row) * a_row_;
            t.c = is_whole ? reinterpret_cast<std::int32_t*>(to) : beside;
            t.c_row = is_whole ? task_.c_row / 4 : static_cast<std::ptrdiff_t>(kMostPanels * kPanel);
            set_halves(height, t);
            const std::int32_t* const terms =
                any_column_zero_ ? row_terms_.data() + (i - row) : nullptr;
            t.row_starts = is_one_column_zero_ ? terms : nullptr;
            // Those of the next columns, while these are multiplied for the last time.
            if (task_.b_is_in_panels && n + 1 == stack && panel + 2 * count <= panels_) {
                t.next = b_ + static_cast<std::ptrdiff_t>(count) * t.b_panel;
            }
            kernels_.unsigned_by_signed[height - 1][count - 1](t);
            for (std::size_t k = 0; k < height; ++k) {
                std::int32_t* const line = t.c + static_cast<std::ptrdiff_t>(k) * t.c_row;
                if (subtracts_columns) {
                    kernels_.subtract(column_zeros, terms[k], count * kPanel, line);
                }
                if (any_row_zero_ && !is_one_row_zero_) {
                    kernels_.subtract(sums_, row_zero(i + k), count * kPanel, line);
                }
                if (is_whole) continue;
                unsigned char* at = to + static_cast<std::ptrdiff_t>(k) * task_.c_row;
                for (std::size_t j = 0; j < columns; ++j, at += task_.c_column) {
                    std::memcpy(at, line + j, sizeof(*line));
                }
            }
            pieces_.done(height * count * kPanel * units_);
            i += height;
        }
    }

    const Contraction& task_;
    const Kernels& kernels_;
    const Share rows_, columns_;
    const std::size_t units_, first_panel_, panels_, row_bytes_;
    const bool reads_rows_;
    std::size_t block_rows_;
    bool any_row_zero_ = false, any_column_zero_ = false;
    bool is_one_row_zero_ = false, is_one_column_zero_ = false;
    std::uint64_t* shape_ = nullptr;  // see TileRegisters
    const unsigned char* a_ = nullptr;
    std::ptrdiff_t a_row_ = 0;
    const std::int32_t* b_ = nullptr;
    const std::int32_t* sums_ = nullptr;
    Memory<unsigned char> a_panels_, line_;
    Memory<std::int32_t> b_panels_, panel_sums_, row_terms_;
    // Of kernels in pairs: the units of a row, of a panel in b_, and of a panel of ones.
    std::vector<std::ptrdiff_t> offsets_;
    std::vector<UnitPlace> places_, ones_places_;
    std::size_t fitting_ = 0;
    Pieces pieces_{std::uint64_t{1} << 24};
};

}  // namespace

std::size_t column_panels_bytes(std::size_t depth, std::size_t columns) {
    return panels_of(columns) * kPanel * (1 + units_of(depth)) * sizeof(std::int32_t);
}

void pack_columns(const Operand& b, std::size_t depth, std::size_t columns,
                  const char* target, unsigned char* to) {
    const Kernels& kernels = kernels_of(target);
    auto* const sums = reinterpret_cast<std::int32_t*>(to);
    std::int32_t* panel = sums + panels_of(columns) * kPanel;
    const std::size_t units = units_of(depth);
    Pieces pieces;
    for (std::size_t first = 0; first < columns; first += kPanel) {
        pack_panel(b.data + static_cast<std::ptrdiff_t>(first) * b.column, b.column, b.row,
                   std::min(kPanel, columns - first), depth, flips_to_signed(b.type), kernels,
                   panel);
        sum_panel(panel, units, kernels, sums + first);
        panel += units * kPanel;
        pieces.done(units * kPanel * kQuad);
    }
}

}  // namespace integers

void contract_integers(const Contraction& task, const ContractionPolicy& policy) {
    if (is_better_turned(task)) return contract_integers(turned(task), policy);
    std::size_t batch = 1;
    for (int axis = 0; axis < task.batch_axes; ++axis) batch *= task.batch_sizes[axis];
    if (batch == 0 || task.rows == 0 || task.columns == 0) return;
    const integers::Kernels& plain = integers::kernels_of(policy.kernels->name, policy.integer_kernels);
    const std::size_t sums = integers::panels_of(task.columns) * integers::kPanel;
    const auto* const panels = reinterpret_cast<const std::int32_t*>(task.b.data) + sums;
    const integers::Kernels& kernels =
        task.b_is_in_panels ? integers::kernels_for(plain, panels, integers::units_of(task.depth), task.rows) : plain;
    const double products = static_cast<double>(batch) * static_cast<double>(task.rows) *
                            static_cast<double>(task.columns) * static_cast<double>(task.depth);
    const unsigned threads = worthwhile_threads(
        products / policy.operations_per_thread / integers::kGain / kernels.gain, policy.max_threads);
    // Batch elements; else columns, which are packed by one thread alone then; else rows.
    const std::size_t column_step = kernels.panels * integers::kPanel;
    const bool by_batch = batch >= threads;
    const bool by_columns = (task.columns + column_step - 1) / column_step >= threads;
    run_team(threads, [&](unsigned part) {
        const auto shared = [&](std::size_t count, std::size_t step, bool is_cut) {
            return is_cut ? share_of(count, step, part, threads) : Share{0, count};
        };
        const Share elements = shared(batch, 1, by_batch);
        const Share columns = shared(task.columns, column_step, !by_batch && by_columns);
        const Share rows = shared(task.rows, 1, !by_batch && !by_columns);
        if (elements.is_empty() || rows.is_empty() || columns.is_empty()) return;
        integers::Part work(task, kernels, rows, columns);
        for (std::size_t element = elements.begin; element < elements.end; ++element) {
            work.run(place_of(task, element));
        }
    });
}

}  // namespace indirectml
