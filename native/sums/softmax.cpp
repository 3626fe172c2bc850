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
constexpr std::uint64_t kTogether = 2048;

// Work on `count` rows from `begin` on: t, then e in its place, then sums of e.
class Powers {
  public:
    Powers(const Rows& x, bool keeps_t, const Kernels& kernels,
           const functions::Kernels& functions)
        : x_(x),
          kernels_(kernels),
          exp_(functions.single[static_cast<int>(functions::Function::kExp)]),
          rows_(std::clamp<std::uint64_t>(kTogether / x.size, 1, kRowsTogether)),
          t_(rows_ * x.size),
          e_(keeps_t ? rows_ * x.size : 0) {}

    std::uint64_t rows() const { return rows_; }
    const float* t(std::uint64_t row) const { return t_.data() + row * x_.size; }
    // In the place of t, unless that is kept.
    const float* e(std::uint64_t row) const { return powers() + row * x_.size; }

    void find(std::uint64_t begin, std::uint64_t count, double* sums) {
        const std::size_t item = item_bytes(x_.type);
        const auto shift = kernels_.shift[static_cast<int>(x_.type)];
        for (std::uint64_t r = 0; r < count; ++r) {
            float* t = t_.data() + r * x_.size;
            const float smallest = shift(x_.data + (begin + r) * x_.size * item, x_.size, t);
            kernels_.powers(t, x_.size, smallest, exp_,
                            (e_.empty() ? t_ : e_).data() + r * x_.size);
        }
        kernels_.rows[static_cast<int>(Type::kSingle)][static_cast<int>(Map::kSame)](
            reinterpret_cast<const unsigned char*>(powers()),
            static_cast<std::int64_t>(x_.size * sizeof(float)), count, x_.size, nullptr, sums);
    }

  private:
    const float* powers() const { return (e_.empty() ? t_ : e_).data(); }

    const Rows& x_;
    const Kernels& kernels_;
    const functions::Kernel exp_;
    const std::uint64_t rows_;
    std::vector<float> t_, e_;
};

// Runs work(powers, row, how many) for all rows.
template <typename Work>
void for_rows(const Rows& x, bool keeps_t, const Policy& policy, const Work& work) {
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Powers powers(x, keeps_t, kernels_of(*policy.target),
                      functions::kernels_of(*policy.target));
        const std::uint64_t end = x.count * (part + 1) / parts;
        for (std::uint64_t row = x.count * part / parts; row < end; row += powers.rows()) {
            work(powers, row, std::min(powers.rows(), end - row));
        }
    });
}

}  // namespace

void softmax(const Rows& x, Type out_type, unsigned char* out, const Policy& policy) {
    const auto kernel = kernels_of(*policy.target)
                            .normalize[static_cast<int>(Type::kSingle)][static_cast<int>(out_type)];
    for_rows(x, false, policy, [&](Powers& powers, std::uint64_t row, std::uint64_t count) {
        double sums[kRowsTogether];
        powers.find(row, count, sums);
        for (std::uint64_t r = 0; r < count; ++r) {
            unsigned char* at = out + (row + r) * x.size * item_bytes(out_type);
            kernel(reinterpret_cast<const unsigned char*>(powers.e(r)), x.size,
                   {0, 1 / sums[r], nullptr, nullptr}, at);
            if (std::isnan(sums[r])) quiet(out_type, at, x.size);
        }
    });
}

void log_softmax(const Rows& x, float* out, const Policy& policy) {
    const auto kernel = kernels_of(*policy.target)
                            .normalize[static_cast<int>(Type::kSingle)]
                                      [static_cast<int>(Type::kSingle)];
    const auto log = functions::kernels_of(*policy.target)
                         .single[static_cast<int>(functions::Function::kLog)];
    for_rows(x, true, policy, [&](Powers& powers, std::uint64_t row, std::uint64_t count) {
        double sums[kRowsTogether];
        powers.find(row, count, sums);
        for (std::uint64_t r = 0; r < count; ++r) {
            const auto sum = static_cast<float>(sums[r]);
            float logarithm;
            log(&sum, &sum, &logarithm, 1);
            auto* at = reinterpret_cast<unsigned char*>(out + (row + r) * x.size);
            // FLOAT64 in between: no second rounding can be misled by it.
            kernel(reinterpret_cast<const unsigned char*>(powers.t(r)), x.size,
                   {logarithm, 1, nullptr, nullptr}, at);
            if (std::isnan(sums[r])) quiet(Type::kSingle, at, x.size);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
