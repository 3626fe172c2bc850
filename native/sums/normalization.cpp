#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 18;
// Deviations of a row that are kept until they are normalized: four of them stay in the second cache.
// Those of longer rows are found once more, piece by piece.
constexpr std::uint64_t kKept = 1 << 14;
constexpr std::uint64_t kPiece = 1 << 11;

// Numbers that begin at a line of the cache.
class Scratch {
  public:
    explicit Scratch(std::uint64_t size) : memory_(size + kLine) {}
    double* data() {
        const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(double);
        return memory_.data() + (kLine - begin % kLine) % kLine;
    }

  private:
    static constexpr std::uint64_t kLine = 8;
    std::vector<double> memory_;
};

// The scales or biases of rows in FLOAT64, one for each element.
class RowFactors {
  public:
    RowFactors(const Factors& all, double without, std::uint64_t size, const Kernels& kernels)
        : all_(all),
          without_(without),
          size_(size),
          widen_(kernels.widen[static_cast<int>(all.type)][static_cast<int>(Map::kSame)]),
          row_(size) {
        if (!differ_by_row()) take(0);
    }
    bool differ_by_row() const { return all_.data && all_.group_step; }
    void take(std::uint64_t row) {
        double* const numbers = row_.data();
        double number = without_;
        const unsigned char* at = all_.data;
        if (at) at += row * all_.group_step * item_bytes(all_.type);
        if (at && all_.element_step) {
            widen_(at, size_, 0, numbers);
        } else {
            if (at) widen_(at, 1, 0, &number);
            std::fill(numbers, numbers + size_, number);
        }
        are_finite_ = std::all_of(numbers, numbers + size_, [](double v) { return std::isfinite(v); });
    }
    const double* data() { return row_.data(); }
    bool are_finite() const { return are_finite_; }

  private:
    const Factors& all_;
    const double without_;
    const std::uint64_t size_;
    const WidenKernel widen_;
    Scratch row_;
    bool are_finite_;
};

// Normalizes rows, as many together as the kernel takes.
class Normalizing {
  public:
    Normalizing(const Rows& x, const NormalizationBy& by, Type out_type, unsigned char* out,
                const Kernels& kernels)
        : x_(x),
          by_(by),
          out_type_(out_type),
          out_(out),
          kernels_(kernels),
          has_factors_(by.scale.data || by.bias.data),
          scale_(by.scale, 1.0, has_factors_ ? x.size : 0, kernels),
          bias_(by.bias, -0.0, has_factors_ ? x.size : 0, kernels),
          spacing_((std::min(x.size, kKept) + 15) / 8 * 8),
          deviations_(rows_together() * spacing_ + 15) {}

    std::uint64_t rows_together() const {
        return is_kept() && !scale_.differ_by_row() && !bias_.differ_by_row() ? kRowsNormalized : 1;
    }

    void rows(std::uint64_t begin, std::uint64_t count) {
        find_means(begin, count);
        if (is_kept()) {
            deviate(begin, count, 0, x_.size, variances_);
        } else if (by_.use_variance) {
            sum(Map::kDeviation, begin, 1, means_, variances_);
        }
        for (std::uint64_t r = 0; r < count; ++r) {
            variances_[r] = quotient(variances_[r]);
            inverses_[r] = by_.use_variance ? 1 / std::sqrt(variances_[r] + by_.epsilon) : 1;
        }
        if (scale_.differ_by_row()) scale_.take(begin);
        if (bias_.differ_by_row()) bias_.take(begin);
        if (is_kept()) {
            normalize(begin, count, 0, x_.size);
        } else {
            for (std::uint64_t first = 0; first < x_.size; first += kPiece) {
                const std::uint64_t size = std::min(kPiece, x_.size - first);
                double squares;
                deviate(begin, 1, first, size, &squares);
                normalize(begin, 1, first, size);
            }
        }
        for (std::uint64_t r = 0; r < count; ++r) {
            if (!is_finite(r)) quiet(out_type_, out(begin + r), x_.size);
        }
    }

  private:
    int type() const { return static_cast<int>(x_.type); }
    bool is_kept() const { return x_.size <= kKept; }
    const unsigned char* row(std::uint64_t r) const {
        return x_.data + r * x_.size * item_bytes(x_.type);
    }
    unsigned char* out(std::uint64_t r) const {
        return out_ + r * x_.size * item_bytes(out_type_);
    }
    double quotient(double sum) const { return canonical(sum / static_cast<double>(x_.size)); }

    std::int64_t stride_bytes() const {
        return static_cast<std::int64_t>(x_.size * item_bytes(x_.type));
    }

    void sum(Map map, std::uint64_t begin, std::uint64_t count, const double* means,
             double* sums) const {
        kernels_.rows[type()][static_cast<int>(map)](row(begin), stride_bytes(), count, x_.size,
                                                     means, sums);
    }

    void find_means(std::uint64_t begin, std::uint64_t count) {
        if (!by_.use_mean) return;
        sum(Map::kSame, begin, count, nullptr, means_);
        for (std::uint64_t r = 0; r < count; ++r) means_[r] = quotient(means_[r]);
    }

    // Deviations of elements first .. first + size of rows, and the sums of their squares.
    void deviate(std::uint64_t begin, std::uint64_t count, std::uint64_t first, std::uint64_t size,
                 double* sums) {
        kernels_.deviations[type()](row(begin) + first * item_bytes(x_.type), stride_bytes(), count,
                                    size, means_, deviations_.data(), spacing_, sums);
    }

    void normalize(std::uint64_t begin, std::uint64_t count, std::uint64_t first,
                   std::uint64_t size) {
        Normalization how{inverses_, nullptr, nullptr};
        if (has_factors_) {
            how.scale = scale_.data() + first;
            how.bias = bias_.data() + first;
        }
        kernels_.normalize[static_cast<int>(out_type_)](
            deviations_.data(), spacing_, count, size, how,
            out(begin) + first * item_bytes(out_type_));
    }

    // Finite sums have finite elements, since those of FLOAT64 do not overflow.
    bool is_finite(std::uint64_t r) const {
        return (by_.use_mean || by_.use_variance) && x_.type != Type::kDouble &&
               std::isfinite(means_[r]) && std::isfinite(variances_[r]) &&
               std::isfinite(inverses_[r]) && scale_.are_finite() && bias_.are_finite();
    }

    const Rows& x_;
    const NormalizationBy& by_;
    const Type out_type_;
    unsigned char* const out_;
    const Kernels& kernels_;
    const bool has_factors_;
    RowFactors scale_, bias_;
    const std::uint64_t spacing_;
    Scratch deviations_;
    double means_[kRowsNormalized] = {}, variances_[kRowsNormalized] = {},
           inverses_[kRowsNormalized] = {};
};

}  // namespace

void normalize(const Rows& x, const NormalizationBy& by, Type out_type, unsigned char* out,
               const Policy& policy) {
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Normalizing normalizing(x, by, out_type, out, kernels_of(*policy.target));
        const Share rows = share_of(x.count, 1, part, parts);
        const std::uint64_t together = normalizing.rows_together();
        for (std::uint64_t row = rows.begin; row < rows.end; row += together) {
            normalizing.rows(row, std::min(together, rows.end - row));
        }
    });
}

}  // namespace sums
}  // namespace indirectml
