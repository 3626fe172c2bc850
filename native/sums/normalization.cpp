// Rows and groups normalized by their moments.

#include <algorithm>
#include <cmath>
#include <cstdint>

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
// Rows that are worked on together, short ones so many that they have about as many elements.
constexpr std::uint64_t kLeastRows = 4, kMostRows = 16, kTogether = 1 << 10;

// The scales or biases of rows in FLOAT64: an entry for each element, or for each of some rows.
class RowFactors {
  public:
    RowFactors(const Factors& all, double without, FactorsOf of, std::uint64_t size,
               const Kernels& kernels)
        : all_(all),
          without_(without),
          of_(of),
          size_(of == FactorsOf::kRows ? kMostRows : of == FactorsOf::kElements ? size : 0),
          widen_(kernels.widen[static_cast<int>(all.type)][static_cast<int>(Map::kSame)]),
          numbers_(size_, 0) {
        if (!differ_by_row()) take(0, 1);
    }
    bool differ_by_row() const { return all_.data && all_.group_step; }
    // Those of `count` rows; of one if there is an entry for each element.
    void take(std::uint64_t row, std::uint64_t count) {
        double* const to = numbers_.data();
        const unsigned char* at = all_.data;
        if (at) at += row * all_.group_step * item_bytes(all_.type);
        std::uint64_t size = size_;
        if (at && of_ == FactorsOf::kRows && differ_by_row()) {
            widen_(at, size = count, 0, to);
        } else if (at && all_.element_step) {
            widen_(at, size, 0, to);
        } else {
            double number = without_;
            if (at) widen_(at, 1, 0, &number);
            std::fill(to, to + size, number);
        }
        // One that is not finite makes the sum of products with 0 a NaN.
        double zero = 0;
        for (std::uint64_t j = 0; j < size; ++j) zero += to[j] * 0;
        are_finite_ = zero == 0;
    }
    const double* data() { return numbers_.data(); }
    bool are_finite() const { return are_finite_; }

  private:
    const Factors& all_;
    const double without_;
    const FactorsOf of_;
    const std::uint64_t size_;
    const WidenKernel widen_;
    Line<double> numbers_;
    bool are_finite_;
};

FactorsOf factors_of(const Factors& scale, const Factors& bias) {
    if (!scale.data && !bias.data) return FactorsOf::kNothing;
    return scale.element_step || bias.element_step ? FactorsOf::kElements : FactorsOf::kRows;
}

// Normalizes rows, some at a time.
class Normalizing {
  public:
    Normalizing(const Rows& x, const NormalizationBy& by, Type out_type, unsigned char* out,
                const Kernels& kernels)
        : x_(x),
          by_(by),
          out_type_(out_type),
          out_(out),
          kernels_(kernels),
          factors_(factors_of(by.scale, by.bias)),
          scale_(by.scale, 1.0, factors_, x.size, kernels),
          bias_(by.bias, -0.0, factors_, x.size, kernels),
          spacing_((std::min(x.size, kKept) + 15) / 8 * 8),
          deviations_(rows_together() * spacing_, 0) {}

    // Rows that have factors for each element of their own go one by one.
    std::uint64_t rows_together() const {
        const bool have_own = scale_.differ_by_row() || bias_.differ_by_row();
        if (!is_kept() || (have_own && factors_ == FactorsOf::kElements)) return 1;
        return std::clamp<std::uint64_t>(kTogether / x_.size, kLeastRows, kMostRows);
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
        if (scale_.differ_by_row()) scale_.take(begin, count);
        if (bias_.differ_by_row()) bias_.take(begin, count);
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
        // Of a row in pieces, what comes next is not the next row.
        const std::uint64_t next = is_kept() && begin + 2 * count <= x_.count ? begin + count : begin;
        const std::uint64_t offset = first * item_bytes(x_.type);
        kernels_.deviations[type()](row(begin) + offset, stride_bytes(), count, size, means_,
                                    deviations_.data(), spacing_, sums, row(next) + offset);
    }

    void normalize(std::uint64_t begin, std::uint64_t count, std::uint64_t first,
                   std::uint64_t size) {
        Normalization how{factors_, inverses_, scale_.data(), bias_.data()};
        if (factors_ == FactorsOf::kElements) {
            how.scale += first;
            how.bias += first;
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
    const FactorsOf factors_;
    RowFactors scale_, bias_;
    const std::uint64_t spacing_;
    Line<double> deviations_;
    double means_[kMostRows] = {}, variances_[kMostRows] = {}, inverses_[kMostRows] = {};
};

}  // namespace

void normalize(const Rows& x, const NormalizationBy& by, Type out_type, unsigned char* out,
               const Policy& policy) {
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Normalizing normalizing(x, by, out_type, out, kernels_of(*policy.target));
        const Share rows = share_of(x.count, 1, part, parts);
        const std::uint64_t together = normalizing.rows_together();
        Pieces pieces;
        for (std::uint64_t row = rows.begin; row < rows.end; row += together) {
            normalizing.rows(row, std::min(together, rows.end - row));
            pieces.done(together * x.size);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
