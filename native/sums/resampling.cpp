// Weighted taps along axes.

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;

// Columns of the result that are worked on together, and as many of x as they may need.
constexpr std::uint64_t kColumns = 1024, kSpan = 2 * kColumns;

// Resamples slices: some columns of each, from the first row of the result to the last. Of the rows that
// these are made of, resampled along the last axis, as many are kept as one of them needs.
class Resampling {
  public:
    Resampling(const unsigned char* x, Type type, const Images& images, Type out_type,
               unsigned char* out, const Kernels& kernels)
        : x_(x),
          out_(out),
          item_(item_bytes(type)),
          out_item_(item_bytes(out_type)),
          i_(images),
          widen_(kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSame)]),
          mix_(kernels.mix[static_cast<int>(out_type)]),
          pick_(kernels.pick),
          kept_(rows_kept(images)),
          across_(kept_ * std::min(kColumns, images.out_columns)),
          numbers_(kept_) {}

    void slices(const Share& share) {
        for (std::uint64_t first = 0; first < i_.out_columns; first += piece_.count) {
            piece_ = piece_from(first);
            for (std::uint64_t s = share.begin; s < share.end; ++s) {
                std::fill(numbers_.begin(), numbers_.end(), kNone);
                for (std::uint64_t r = 0; r < i_.out_rows; ++r) row(s, r);
            }
        }
    }

  private:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    // Columns of the result from `first` on, made of `span` columns from `begin` on.
    struct Piece {
        std::uint64_t first, count, begin, span;
    };

    // The first of the taps of an output that counts, and one beyond the last; both 0 where there is
    // none.
    static std::pair<std::uint64_t, std::uint64_t> reach(const Taps& taps, std::uint64_t outputs,
                                                         std::uint64_t output) {
        std::pair<std::uint64_t, std::uint64_t> found{0, 0};
        for (std::uint64_t k = 0; k < taps.count; ++k) {
            if (taps.weights[k * outputs + output] == 0) continue;
            const auto at = static_cast<std::uint64_t>(taps.indices[k * outputs + output]);
            const bool is_first = found.second == 0;
            found.first = is_first ? at : std::min(found.first, at);
            found.second = std::max(found.second, at + 1);
        }
        return found;
    }
    static std::uint64_t rows_kept(const Images& images) {
        std::uint64_t most = 1;
        for (std::uint64_t r = 0; r < images.out_rows && images.down.count; ++r) {
            const auto [begin, end] = reach(images.down, images.out_rows, r);
            most = std::max(most, end - begin);
        }
        return most;
    }

    Piece piece_from(std::uint64_t first) {
        const std::uint64_t most = std::min(kColumns, i_.out_columns - first);
        if (i_.across.count == 0) return {first, most, first, most};
        Piece piece{first, 0, 0, 0};
        has_taps_.clear();
        while (piece.count < most) {
            const auto [begin, end] = reach(i_.across, i_.out_columns, first + piece.count);
            if (end > 0) {
                const std::uint64_t low = piece.span ? std::min(piece.begin, begin) : begin;
                const std::uint64_t high = std::max(piece.begin + piece.span, end);
                if (piece.span && high - low > kSpan) break;
                piece.begin = low;
                piece.span = high - low;
            }
            has_taps_.push_back(end > 0);
            ++piece.count;
        }
        // Taps as kernels take them: those of the piece, from its first column on. What does not count
        // is read, and may be any column.
        indices_.resize(i_.across.count * piece.count);
        weights_.resize(indices_.size());
        for (std::uint64_t k = 0, n = 0; k < i_.across.count; ++k) {
            for (std::uint64_t c = 0; c < piece.count; ++c, ++n) {
                const std::uint64_t at = k * i_.out_columns + first + c;
                weights_[n] = i_.across.weights[at];
                indices_[n] = weights_[n] == 0 ? 0
                                               : i_.across.indices[at] -
                                                     static_cast<std::int32_t>(piece.begin);
            }
        }
        wide_.resize(std::max<std::size_t>(piece.span, 1));
        return piece;
    }

    void row(std::uint64_t s, std::uint64_t r) {
        unsigned char* const to =
            out_ + ((s * i_.out_rows + r) * i_.out_columns + piece_.first) * out_item_;
        rows_.clear();
        row_weights_.clear();
        if (i_.down.count == 0) take(s, r, 1);
        for (std::uint64_t k = 0; k < i_.down.count; ++k) {
            const double weight = i_.down.weights[k * i_.out_rows + r];
            if (weight == 0) continue;
            take(s, static_cast<std::uint64_t>(i_.down.indices[k * i_.out_rows + r]), weight);
        }
        if (rows_.empty()) {
            std::memset(to, 0, piece_.count * out_item_);
        } else {
            mix_(rows_.data(), row_weights_.data(), rows_.size(), piece_.count, to);
        }
        pieces_.done(piece_.count);
    }

    void take(std::uint64_t s, std::uint64_t row, double weight) {
        const std::uint64_t place = row % kept_;
        double* const to = across_.data() + place * piece_.count;
        if (numbers_[place] != row) {
            numbers_[place] = row;
            resample_across(x_ + ((s * i_.rows + row) * i_.columns + piece_.begin) * item_, to);
            pieces_.done(piece_.span + piece_.count);
        }
        rows_.push_back(to);
        row_weights_.push_back(weight);
    }
    void resample_across(const unsigned char* from, double* to) {
        if (i_.across.count == 0) return widen_(from, piece_.count, 0, to);
        widen_(from, piece_.span, 0, wide_.data());
        pick_(wide_.data(), indices_.data(), weights_.data(), i_.across.count, piece_.count, to);
        for (std::uint64_t c = 0; c < piece_.count; ++c) {
            if (!has_taps_[c]) to[c] = 0;
        }
    }

    const unsigned char* const x_;
    unsigned char* const out_;
    const std::size_t item_, out_item_;
    const Images& i_;
    const WidenKernel widen_;
    const MixKernel mix_;
    const PickKernel pick_;
    const std::uint64_t kept_;
    std::vector<double> across_, wide_, weights_, row_weights_;
    std::vector<std::uint64_t> numbers_;  // of the rows that are kept
    std::vector<std::int32_t> indices_;
    std::vector<const double*> rows_;
    std::vector<char> has_taps_;
    Piece piece_{};
    Pieces pieces_;
};

}  // namespace

void resample(const unsigned char* x, Type type, const Images& images, Type out_type,
              unsigned char* out, const Policy& policy) {
    const std::uint64_t elements =
        images.rows * images.columns + images.out_rows * images.out_columns;
    const unsigned parts =
        part_count(images.slices, images.slices * elements, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Resampling resampling(x, type, images, out_type, out, kernels_of(*policy.target));
        resampling.slices(share_of(images.slices, 1, part, parts));
    });
}

}  // namespace sums
}  // namespace indirectml
