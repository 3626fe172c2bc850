// Softmax and its logarithm, of rows and of other axes.

#include <algorithm>
#include <cmath>
#include <vector>

#include "../functions/apply.h"
#include "../team.h"
#include "layout.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 16;
// Rows are worked on together as long as they stay in the first cache.
constexpr std::uint64_t kTogether = 4096;
// Powers of so many elements are found in a row of their own.
constexpr std::uint64_t kLongRow = 512;

// Work on rows: e, t where it is kept, and sums of e. Rows of t and e are filled up to sixteens, of e with
// zeros, which change no sum: so all powers of short rows are found at once.
class Powers {
  public:
    Powers(const Rows& x, bool keeps_t, const Kernels& kernels,
           const functions::Kernels& functions)
        : x_(x),
          kernels_(kernels),
          exact_(functions.exp_in_doubles),
          spacing_((x.size + 15) / 16 * 16),
          rows_(std::clamp<std::uint64_t>(kTogether / spacing_, 1, kRowsTogether)),
          own_(x.size >= kLongRow && x.type == Type::kSingle && !keeps_t),
          t_(keeps_t ? rows_ * spacing_ : 0),
          e_(rows_ * spacing_) {}

    std::uint64_t rows() const { return rows_; }
    const float* t(std::uint64_t row) const { return t_.data() + row * spacing_; }
    const float* e(std::uint64_t row) const { return e_.data() + row * spacing_; }

    // The smallest t.
    float lowest(std::uint64_t row) const { return lowest_[row]; }

    void find(std::uint64_t begin, std::uint64_t count, double* sums) {
        const auto type = static_cast<int>(x_.type);
        float* const t = t_.empty() ? e_.data() : t_.data();
        float lowest = 0;
        for (std::uint64_t r = 0; r < count; ++r) {
            const unsigned char* x = x_.data + (begin + r) * x_.size * item_bytes(x_.type);
            float smallest;
            const float m = kernels_.largest[type](x, x_.size, &smallest);
            lowest_[r] = smallest - m;
            lowest = std::min(lowest, lowest_[r]);  // which is NaN where all t are
            if (own_) {
                kernels_.powers(reinterpret_cast<const float*>(x), x_.size, m, lowest_[r], exact_,
                                e_.data() + r * spacing_);
            } else {
                kernels_.differences[type](x, x_.size, m, t + r * spacing_);
            }
        }
        if (!own_) kernels_.powers(t, count * spacing_, 0, lowest, exact_, e_.data());
        for (std::uint64_t r = 0; r < count; ++r) {
            std::fill(e_.data() + r * spacing_ + x_.size, e_.data() + (r + 1) * spacing_, 0.0f);
        }
        kernels_.rows[static_cast<int>(Type::kSingle)][static_cast<int>(Map::kSame)](
            reinterpret_cast<const unsigned char*>(e_.data()),
            static_cast<std::int64_t>(spacing_ * sizeof(float)), count, spacing_, nullptr, sums);
    }

  private:
    const Rows& x_;
    const Kernels& kernels_;
    const functions::Kernel exact_;
    const std::uint64_t spacing_, rows_;
    const bool own_;
    std::vector<float> t_, e_;
    float lowest_[kRowsTogether];
};

// Runs work(powers, row, how many) for all rows.
template <typename Work>
void for_rows(const Rows& x, bool keeps_t, const Policy& policy, const Work& work) {
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Powers powers(x, keeps_t, kernels_of(*policy.target),
                      functions::kernels_of(*policy.target));
        const Share rows = share_of(x.count, 1, part, parts);
        Pieces pieces;
        for (std::uint64_t row = rows.begin; row < rows.end; row += powers.rows()) {
            work(powers, row, std::min<std::uint64_t>(powers.rows(), rows.end - row));
            pieces.done(powers.rows() * x.size);
        }
    });
}

}  // namespace

void softmax(const Rows& x, Type out_type, unsigned char* out, const Policy& policy) {
    const auto share = kernels_of(*policy.target).share[static_cast<int>(out_type)];
    for_rows(x, false, policy, [&](Powers& powers, std::uint64_t row, std::uint64_t count) {
        double sums[kRowsTogether];
        powers.find(row, count, sums);
        for (std::uint64_t r = 0; r < count; ++r) {
            unsigned char* at = out + (row + r) * x.size * item_bytes(out_type);
            share(powers.e(r), x.size, 1 / sums[r], powers.lowest(r), at);
            if (std::isnan(sums[r])) quiet(out_type, at, x.size);
        }
    });
}

void log_softmax(const Rows& x, float* out, const Policy& policy) {
    const auto log = functions::kernels_of(*policy.target)
                         .single[static_cast<int>(functions::Function::kLog)];
    for_rows(x, true, policy, [&](Powers& powers, std::uint64_t row, std::uint64_t count) {
        double sums[kRowsTogether];
        powers.find(row, count, sums);
        for (std::uint64_t r = 0; r < count; ++r) {
            const auto sum = static_cast<float>(sums[r]);
            float logarithm;
            log(&sum, &sum, &logarithm, 1);
            const float* const t = powers.t(r);
            float* const to = out + (row + r) * x.size;
            for (std::uint64_t j = 0; j < x.size; ++j) to[j] = t[j] - logarithm;
            if (std::isnan(sums[r])) {
                quiet(Type::kSingle, reinterpret_cast<unsigned char*>(to), x.size);
            }
        }
    });
}

}  // namespace sums
}  // namespace indirectml
