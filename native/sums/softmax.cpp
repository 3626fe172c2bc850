// Softmax and its logarithm, of rows and of other axes.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../functions/apply.h"
#include "../team.h"
#include "layout.h"
#include "softmax_columns.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 16;
// Rows are worked on together as long as they stay in the first cache.
constexpr std::uint64_t kTogether = kBlock;
// Powers of so many elements are found in a row of their own.
constexpr std::uint64_t kLongRow = 512;

Apart neighbours(const Rows& x, Type out_type) {
    return {x.size * item_bytes(x.type), x.size * item_bytes(out_type), 1};
}

// Work on rows: e, t where it is kept, and sums of e. Rows of t and e are filled up to sixteens, of e with
// zeros, which change no sum: so all powers of short rows are found at once.
class Powers {
  public:
    Powers(const Rows& x, const Apart& apart, bool keeps_t, const Kernels& kernels,
           const functions::Kernels& functions)
        : x_(x),
          apart_(apart),
          kernels_(kernels),
          exact_(functions.exp_in_doubles),
          spacing_((x.size + 15) / 16 * 16),
          rows_(std::clamp<std::uint64_t>(kTogether / spacing_, 1, kRowsTogether)),
          own_(x.size >= kLongRow && x.type == Type::kSingle && !keeps_t),
          t_(keeps_t ? rows_ * spacing_ : 0),
          e_(rows_ * spacing_, 0) {}

    std::uint64_t rows() const { return rows_; }
    const float* t(std::uint64_t row) const { return t_.data() + row * spacing_; }
    const float* e(std::uint64_t row) const { return e_.data() + row * spacing_; }

    // The smallest t.
    float lowest(std::uint64_t row) const { return lowest_[row]; }

    // Results that go `out` are fetched, where they are of FLOAT32.
    void find(std::uint64_t begin, std::uint64_t count, double* sums, const unsigned char* out = nullptr) {
        const auto type = static_cast<int>(x_.type);
        float* const t = t_.empty() ? e_.data() : t_.data();
        const auto row = [&](std::uint64_t r) {
            return x_.data + (begin + r) * apart_.x_bytes;
        };
        // The largest of all rows first: what ends one is waited for while the next goes on.
        float lowest = 0, largest[kRowsTogether];
        for (std::uint64_t r = 0; r < count; ++r) {
            float smallest;
            largest[r] = kernels_.largest[type](row(r), x_.size, &smallest) * apart_.factor;
            lowest_[r] = smallest * apart_.factor - largest[r];
            lowest = std::min(lowest, lowest_[r]);  // which is NaN where all t are
        }
        if (own_) {
            PowersOfRows powers{reinterpret_cast<const float*>(row(0)), apart_.x_bytes / sizeof(float), count,
                                x_.size, largest, lowest, e_.data(), spacing_, apart_.factor};
            if (begin + 2 * count <= x_.count) powers.next_x = powers.x + count * powers.x_step;
            if (out) {
                powers.next_out = reinterpret_cast<const float*>(out);
                powers.next_out_step = apart_.out_bytes / sizeof(float);
            }
            kernels_.powers(powers, exact_);
        } else {
            for (std::uint64_t r = 0; r < count; ++r) {
                kernels_.differences[type](row(r), x_.size, apart_.factor, largest[r], t + r * spacing_);
            }
            const float none = 0;
            const std::uint64_t size = count * spacing_;
            kernels_.powers({t, size, 1, size, &none, lowest, e_.data(), size}, exact_);
        }
        for (std::uint64_t r = 0; r < count; ++r) {
            std::fill(e_.data() + r * spacing_ + x_.size, e_.data() + (r + 1) * spacing_, 0.0f);
        }
        kernels_.rows[static_cast<int>(Type::kSingle)][static_cast<int>(Map::kSame)](
            reinterpret_cast<const unsigned char*>(e_.data()),
            static_cast<std::int64_t>(spacing_ * sizeof(float)), count, spacing_, nullptr, sums);
    }

  private:
    const Rows& x_;
    const Apart& apart_;
    const Kernels& kernels_;
    const functions::Kernel exact_;
    const std::uint64_t spacing_, rows_;
    const bool own_;
    std::vector<float> t_;
    Line<float> e_;
    float lowest_[kRowsTogether];
};

// Work on a row of more elements than a block of S16: block by block, of which one is kept.
class LongRow {
  public:
    LongRow(const Rows& x, const Apart& apart, const Kernels& kernels,
            const functions::Kernels& functions)
        : x_(x), apart_(apart), kernels_(kernels), exact_(functions.exp_in_doubles), block_(kBlock),
          totals_((x.size + kBlock - 1) / kBlock) {}

    float lowest() const { return lowest_; }

    // The sum of e. Calls keep(e, at, count) for each block, from element `at` on.
    template <typename Keep>
    double find(std::uint64_t row, const Keep& keep) {
        data_ = x_.data + row * apart_.x_bytes;
        float smallest;
        m_ = kernels_.largest[static_cast<int>(x_.type)](data_, x_.size, &smallest) * apart_.factor;
        lowest_ = smallest * apart_.factor - m_;
        for_blocks([&](std::uint64_t at, std::uint64_t count) {
            const float* const e = powers(at, count);
            keep(e, at, count);
            sum(reinterpret_cast<const unsigned char*>(e), Type::kSingle, (count + 15) / 16 * 16,
                &totals_[at / kBlock]);
        });
        double total;
        sum(reinterpret_cast<const unsigned char*>(totals_.data()), Type::kDouble, totals_.size(),
            &total);
        return total;
    }

    // Runs work(at, count) for each block.
    template <typename Work>
    void for_blocks(const Work& work) {
        for (std::uint64_t at = 0; at < x_.size; at += kBlock) {
            const std::uint64_t count = std::min<std::uint64_t>(kBlock, x_.size - at);
            work(at, count);
            pieces_.done(count);
        }
    }

    // t and e of a block, e with zeros up to sixteens; each in the memory of the block before.
    const float* differences(std::uint64_t at, std::uint64_t count) {
        const int type = static_cast<int>(x_.type);
        kernels_.differences[type](data_ + at * item_bytes(x_.type), count, apart_.factor, m_,
                                   block_.data());
        return block_.data();
    }
    const float* powers(std::uint64_t at, std::uint64_t count) {
        differences(at, count);
        const std::uint64_t whole = (count + 15) / 16 * 16;
        std::fill(block_.data() + count, block_.data() + whole, 0.0f);
        const float none = 0;
        kernels_.powers({block_.data(), whole, 1, whole, &none, lowest_, block_.data(), whole}, exact_);
        std::fill(block_.data() + count, block_.data() + whole, 0.0f);
        return block_.data();
    }
    const float* kept(const unsigned char* e, std::uint64_t count) {
        std::memcpy(block_.data(), e, count * sizeof(float));
        return block_.data();
    }

  private:
    void sum(const unsigned char* x, Type type, std::uint64_t size, double* total) const {
        kernels_.rows[static_cast<int>(type)][static_cast<int>(Map::kSame)](
            x, static_cast<std::int64_t>(size * item_bytes(type)), 1, size, nullptr, total);
    }

    const Rows& x_;
    const Apart& apart_;
    const Kernels& kernels_;
    const functions::Kernel exact_;
    std::vector<float> block_;
    std::vector<double> totals_;
    const unsigned char* data_ = nullptr;
    float m_ = 0, lowest_ = 0;
    Pieces pieces_;
};

// Runs work(long row, number) for all rows.
template <typename Work>
void for_long_rows(const Rows& x, const Apart& apart, const Policy& policy, const Work& work) {
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        LongRow row(x, apart, kernels_of(*policy.target), functions::kernels_of(*policy.target));
        const Share rows = share_of(x.count, 1, part, parts);
        for (std::uint64_t r = rows.begin; r < rows.end; ++r) work(row, r);
    });
}

// e is kept where the results go: in the second half of those of FLOAT64, so that no result is written
// over what is still to be read. Among FLOAT16 it has no place, and is found again.
void softmax_of_long_rows(const Rows& x, Type out_type, unsigned char* out, const Apart& apart,
                          const Policy& policy) {
    const auto share = kernels_of(*policy.target).share[static_cast<int>(out_type)];
    const std::size_t item = item_bytes(out_type);
    const bool keeps = out_type != Type::kHalf;
    for_long_rows(x, apart, policy, [&](LongRow& row, std::uint64_t r) {
        unsigned char* const to = out + r * apart.out_bytes;
        unsigned char* const kept = to + (keeps ? x.size * (item - sizeof(float)) : 0);
        const double sum = row.find(r, [&](const float* e, std::uint64_t at, std::uint64_t count) {
            if (keeps) std::memcpy(kept + at * sizeof(float), e, count * sizeof(float));
        });
        row.for_blocks([&](std::uint64_t at, std::uint64_t count) {
            const float* const e = keeps ? row.kept(kept + at * sizeof(float), count)
                                         : row.powers(at, count);
            share(e, count, 1 / sum, row.lowest(), to + at * item);
        });
        if (std::isnan(sum)) quiet(out_type, to, x.size);
    });
}

// The logarithm of a sum, rounded to FLOAT32 before and after.
float logarithm_of(double sum, const Policy& policy) {
    const auto rounded = static_cast<float>(sum);
    float logarithm;
    functions::kernels_of(*policy.target)
        .single[static_cast<int>(functions::Function::kLog)](&rounded, &rounded, &logarithm, 1);
    return logarithm;
}

void subtract(const float* t, float logarithm, double sum, std::uint64_t count, float* to) {
    for (std::uint64_t j = 0; j < count; ++j) to[j] = t[j] - logarithm;
    if (std::isnan(sum)) quiet(Type::kSingle, reinterpret_cast<unsigned char*>(to), count);
}

void log_softmax_of_long_rows(const Rows& x, float* out, const Policy& policy) {
    const Apart apart = neighbours(x, Type::kSingle);
    for_long_rows(x, apart, policy, [&](LongRow& row, std::uint64_t r) {
        const double sum = row.find(r, [](const float*, std::uint64_t, std::uint64_t) {});
        const float logarithm = logarithm_of(sum, policy);
        row.for_blocks([&](std::uint64_t at, std::uint64_t count) {
            subtract(row.differences(at, count), logarithm, sum, count, out + r * x.size + at);
        });
    });
}

// Runs work(powers, row, how many) for all rows.
template <typename Work>
void for_rows(const Rows& x, const Apart& apart, bool keeps_t, const Policy& policy, const Work& work) {
    const unsigned parts = part_count(x.count, x.count * x.size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Powers powers(x, apart, keeps_t, kernels_of(*policy.target),
                      functions::kernels_of(*policy.target));
        const Share rows = share_of(x.count, 1, part, parts);
        Pieces pieces;
        for (std::uint64_t row = rows.begin; row < rows.end; row += powers.rows()) {
            work(powers, row, std::min<std::uint64_t>(powers.rows(), rows.end - row));
            pieces.done(powers.rows() * x.size);
        }
    });
}

// A few are sooner done by themselves.
bool are_short(const Rows& x) { return x.size <= kMostOfShortRow && x.count >= 4; }
GroupAxes short_rows(const Rows& x, Type out_type, const Apart& apart) {
    const auto from = static_cast<std::int64_t>(item_bytes(x.type)), to = static_cast<std::int64_t>(item_bytes(out_type));
    return {{x.size, from, to},
            {x.count, static_cast<std::int64_t>(apart.x_bytes), static_cast<std::int64_t>(apart.out_bytes)}};
}

}  // namespace

void softmax(const Rows& x, Type out_type, unsigned char* out, const Policy& policy) {
    softmax(x, out_type, out, neighbours(x, out_type), policy);
}

void softmax(const Rows& x, Type out_type, unsigned char* out, const Apart& apart, const Policy& policy) {
    if (are_short(x)) {
        return softmax(short_rows(x, out_type, apart), {x.data, x.type, out, out_type, false, apart.factor}, policy);
    }
    if (x.size > kTogether) return softmax_of_long_rows(x, out_type, out, apart, policy);
    const auto share = kernels_of(*policy.target).share[static_cast<int>(out_type)];
    for_rows(x, apart, false, policy, [&](Powers& powers, std::uint64_t row, std::uint64_t count) {
        double sums[kRowsTogether];
        unsigned char* at = out + row * apart.out_bytes;
        powers.find(row, count, sums, out_type == Type::kSingle ? at : nullptr);
        for (std::uint64_t r = 0; r < count; ++r, at += apart.out_bytes) {
            share(powers.e(r), x.size, 1 / sums[r], powers.lowest(r), at);
            if (std::isnan(sums[r])) quiet(out_type, at, x.size);
        }
    });
}

void log_softmax(const Rows& x, float* out, const Policy& policy) {
    const Apart apart = neighbours(x, Type::kSingle);
    if (are_short(x)) {
        auto* const to = reinterpret_cast<unsigned char*>(out);
        return softmax(short_rows(x, Type::kSingle, apart), {x.data, x.type, to, Type::kSingle, true}, policy);
    }
    if (x.size > kTogether) return log_softmax_of_long_rows(x, out, policy);
    for_rows(x, apart, true, policy, [&](Powers& powers, std::uint64_t row, std::uint64_t count) {
        double sums[kRowsTogether];
        powers.find(row, count, sums);
        for (std::uint64_t r = 0; r < count; ++r) {
            subtract(powers.t(r), logarithm_of(sums[r], policy), sums[r], x.size,
                     out + (row + r) * x.size);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
