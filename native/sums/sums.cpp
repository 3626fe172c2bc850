#include "sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "../team.h"
#include "layout.h"

namespace indirectml {
namespace sums {

INDIRECTML_DEFINE_KERNELS_OF

namespace {

// Fewer take less than about 100 us, which does not pay for a thread.
constexpr std::uint64_t kSummedPerThread = 1 << 20, kNormalizedPerThread = 1 << 18;
// Neighbouring columns that are summed together: wide enough for rows to stream from memory, while
// their sixteen sums each stay in the second cache.
constexpr std::uint64_t kWide = 4096;
// Rows that a kernel adds to sums in memory at once, and those whose sums need none.
constexpr std::uint64_t kRowsAtOnce = 128, kFewRows = 64;
// Elements of rows that are worked on together: they stay in the first cache.
constexpr std::uint64_t kCached = 4096;
// Elements that are copied together where they lie apart; a multiple of 16.
constexpr std::size_t kPacked = 512;

// Axes in row-major order, those that follow each other without a break as one.
struct Loop {
    int rank = 0;
    std::uint64_t count = 1;
    Axis axes[kMaxRank];

    void add(const Axis& axis) {
        count *= axis.size;
        if (axis.size == 1) return;
        if (rank > 0) {
            Axis& outer = axes[rank - 1];
            if (outer.stride_bytes == axis.stride_bytes * static_cast<std::int64_t>(axis.size)) {
                outer = {outer.size * axis.size, axis.stride_bytes};
                return;
            }
        }
        axes[rank++] = axis;
    }
    std::uint64_t inner_size() const { return rank ? axes[rank - 1].size : 1; }
    std::int64_t inner_stride() const { return rank ? axes[rank - 1].stride_bytes : 0; }
};

// A position in a loop, and how far its element is from the first one.
class Place {
  public:
    Place(const Loop& loop, std::uint64_t position) : loop_(loop) {
        for (int k = loop.rank - 1; k >= 0; --k) {
            coordinates_[k] = position % loop.axes[k].size;
            position /= loop.axes[k].size;
            offset_ += static_cast<std::int64_t>(coordinates_[k]) * loop.axes[k].stride_bytes;
        }
    }
    std::int64_t offset() const { return offset_; }
    // How many follow along the innermost axis, this one included.
    std::uint64_t run() const {
        return loop_.rank ? loop_.inner_size() - coordinates_[loop_.rank - 1] : 1;
    }
    // By at most a run.
    void advance(std::uint64_t steps) {
        int k = loop_.rank - 1;
        if (k < 0) return;
        move(k, static_cast<std::int64_t>(steps));
        coordinates_[k] += steps;
        for (; k > 0 && coordinates_[k] == loop_.axes[k].size; --k) {
            move(k, -static_cast<std::int64_t>(coordinates_[k]));
            coordinates_[k] = 0;
            ++coordinates_[k - 1];
            move(k - 1, 1);
        }
    }

  private:
    void move(int axis, std::int64_t steps) { offset_ += steps * loop_.axes[axis].stride_bytes; }

    const Loop& loop_;
    std::uint64_t coordinates_[kMaxRank];
    std::int64_t offset_ = 0;
};

// How the elements of groups lie in memory.
enum class Layout { kRows, kColumns, kApart };

struct Groups {
    const unsigned char* data;
    Type type;
    Loop kept, reduced;
    Layout layout;

    Groups(const Array& x, std::uint64_t mask) : data(x.data), type(x.type) {
        for (int k = 0; k < x.rank; ++k) (mask >> k & 1 ? reduced : kept).add(x.axes[k]);
        const auto item = static_cast<std::int64_t>(item_bytes(type));
        if (reduced.rank == 1 && reduced.inner_stride() == item) {
            layout = Layout::kRows;
        } else if (kept.rank > 0 && kept.inner_stride() == item && kept.inner_size() > 3) {
            layout = Layout::kColumns;
        } else {
            layout = Layout::kApart;
        }
    }
    // Groups after `position` that kernels take together, at most.
    std::uint64_t together(std::uint64_t position) const {
        if (layout == Layout::kApart) return 1;
        if (layout == Layout::kRows) {
            return std::clamp<std::uint64_t>(kCached / reduced.count, kRowsTogether, kWide);
        }
        const std::uint64_t column = position % kept.inner_size();
        return std::min(kWide - column % kWide, kept.inner_size() - column);
    }
    // Of the sums of columns: not the distance at which memory falls into the same part of a cache.
    std::uint64_t spacing() const { return (std::min(kWide, kept.inner_size()) + 15) / 8 * 8; }
    // Numbers that one thread needs: the sums of columns, or elements that lay apart.
    std::uint64_t scratch_size() const {
        if (layout != Layout::kColumns) return kPacked;
        return (reduced.count > kFewRows ? 16 : 3) * spacing();
    }
};

class Summing {
  public:
    Summing(const Groups& groups, const Kernels& kernels)
        : groups_(groups), kernels_(kernels), scratch_(new double[groups.scratch_size()]) {}

    // Groups begin .. begin + count, which Groups::together allows; `means` and `out` are theirs.
    void sum(Map map, std::uint64_t begin, std::uint64_t count, const double* means, double* out) {
        switch (groups_.layout) {
            case Layout::kRows: return sum_rows(map, begin, count, means, out);
            case Layout::kColumns: return sum_columns(map, begin, count, means, out);
            default: return sum_apart(map, begin, means ? *means : 0, out);
        }
    }

  private:
    int type() const { return static_cast<int>(groups_.type); }

    void sum_rows(Map map, std::uint64_t begin, std::uint64_t count, const double* means,
                  double* out) {
        const auto kernel = kernels_.rows[type()][static_cast<int>(map)];
        Place place(groups_.kept, begin);
        while (count > 0) {
            const std::uint64_t rows = std::min(place.run(), count);
            kernel(groups_.data + place.offset(), groups_.kept.inner_stride(), rows,
                   groups_.reduced.count, means, out);
            place.advance(rows);
            count -= rows;
            out += rows;
            if (means) means += rows;
        }
    }

    void sum_columns(Map map, std::uint64_t begin, std::uint64_t columns, const double* means,
                     double* out) {
        const unsigned char* first = groups_.data + Place(groups_.kept, begin).offset();
        const unsigned char* rows[kRowsAtOnce];
        const std::uint64_t size = groups_.reduced.count;
        const std::int64_t stride = groups_.reduced.inner_stride();
        Place place(groups_.reduced, 0);
        const auto take = [&](std::uint64_t count) {
            for (std::uint64_t done = 0; done < count;) {
                const std::uint64_t run = std::min(place.run(), count - done);
                const unsigned char* at = first + place.offset();
                for (std::uint64_t r = 0; r < run; ++r, at += stride) rows[done + r] = at;
                place.advance(run);
                done += run;
            }
        };
        Pieces pieces;
        const int m = static_cast<int>(map);
        const std::uint64_t spacing = groups_.spacing();
        if (size <= kFewRows) {
            take(size);
            return kernels_.few_rows[type()][m](rows, size, columns, means, scratch_.get(), spacing,
                                                out);
        }
        for (std::uint64_t r = 0; r < size; r += kRowsAtOnce) {
            const std::uint64_t count = std::min(kRowsAtOnce, size - r);
            take(count);
            kernels_.columns[type()][m](rows, count, columns, means, scratch_.get(), spacing,
                                        r == 0);
            pieces.done(count * columns);
        }
        kernels_.totals(scratch_.get(), spacing, columns, out);
    }

    // Copied, mapped, into packed memory; then the sums of one column of sixteen rows.
    void sum_apart(Map map, std::uint64_t group, double mean, double* out) {
        const unsigned char* first = groups_.data + Place(groups_.kept, group).offset();
        const auto widen = kernels_.widen[type()][static_cast<int>(map)];
        const auto item = static_cast<std::int64_t>(item_bytes(groups_.type));
        double* packed = scratch_.get();
        double sums[16] = {};
        Place place(groups_.reduced, 0);
        Pieces pieces;
        std::uint64_t left = groups_.reduced.count;
        while (left > 0) {
            const std::uint64_t block = std::min<std::uint64_t>(kPacked, left);
            for (std::uint64_t done = 0; done < block;) {
                const std::uint64_t run = std::min(place.run(), block - done);
                const unsigned char* at = first + place.offset();
                if (groups_.reduced.inner_stride() == item) {
                    widen(at, run, mean, packed + done);
                } else {
                    gather(at, run, item);
                    widen(gathered_, run, mean, packed + done);
                }
                place.advance(run);
                done += run;
            }
            // The last block is filled up with zeros, which change no sum.
            std::fill(packed + block, packed + (block + 15) / 16 * 16, 0.0);
            for (std::uint64_t j = 0; j < block; j += 16) {
                for (int i = 0; i < 16; ++i) sums[i] += packed[j + i];
            }
            left -= block;
            pieces.done(block);
        }
        for (int half = 8; half > 0; half /= 2) {
            for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
        }
        *out = sums[0];
        kernels_.narrow[static_cast<int>(Type::kDouble)](out, 1,
                                                         reinterpret_cast<unsigned char*>(out));
    }

    void gather(const unsigned char* at, std::uint64_t count, std::int64_t item) {
        const std::int64_t stride = groups_.reduced.inner_stride();
        const auto bytes = static_cast<std::size_t>(item);
        for (std::uint64_t j = 0; j < count; ++j) {
            std::memcpy(gathered_ + j * bytes, at, bytes);
            at += stride;
        }
    }

    const Groups& groups_;
    const Kernels& kernels_;
    std::unique_ptr<double[]> scratch_;
    alignas(8) unsigned char gathered_[kPacked * 8];
};

// Runs work(summing, begin, count) for parts of the groups that kernels take together.
template <typename Work>
void for_groups(const Array& x, std::uint64_t reduced, std::uint64_t elements_per_thread,
                const Policy& policy, const Work& work) {
    const Groups groups(x, reduced);
    const Kernels& kernels = kernels_of(*policy.target);
    const std::uint64_t count = groups.kept.count;
    const unsigned parts =
        part_count(count, count * groups.reduced.count, elements_per_thread, policy);
    run_team(parts, [&](unsigned part) {
        Summing summing(groups, kernels);
        Pieces pieces;
        const Share share = share_of(count, 1, part, parts);
        for (std::uint64_t begin = share.begin, together = 0; begin < share.end; begin += together) {
            together = std::min<std::uint64_t>(groups.together(begin), share.end - begin);
            work(summing, begin, together);
            pieces.done(together * groups.reduced.count);
        }
    });
}

}  // namespace

void reduce(const Array& x, std::uint64_t reduced, Map map, Type out_type, unsigned char* out,
            const Policy& policy) {
    const auto narrow = kernels_of(*policy.target).narrow[static_cast<int>(out_type)];
    const auto work = [&](Summing& summing, std::uint64_t begin, std::uint64_t count) {
        unsigned char* to = out + begin * item_bytes(out_type);
        if (out_type == Type::kDouble) {
            return summing.sum(map, begin, count, nullptr, reinterpret_cast<double*>(to));
        }
        double totals[kWide];
        summing.sum(map, begin, count, nullptr, totals);
        narrow(totals, count, to);
    };
    for_groups(x, reduced, kSummedPerThread, policy, work);
}

namespace {

void find_moments(Summing& summing, std::uint64_t begin, std::uint64_t groups, double count,
                  bool use_mean, double* mean, double* variance) {
    if (use_mean) {
        summing.sum(Map::kSame, begin, groups, nullptr, mean);
        for (std::uint64_t g = 0; g < groups; ++g) mean[g] = canonical(mean[g] / count);
    } else {
        std::fill(mean, mean + groups, 0.0);
    }
    summing.sum(Map::kDeviation, begin, groups, mean, variance);
    for (std::uint64_t g = 0; g < groups; ++g) variance[g] = canonical(variance[g] / count);
}

double group_size(const Array& x, std::uint64_t reduced) {
    std::uint64_t size = 1;
    for (int k = 0; k < x.rank; ++k) {
        if (reduced >> k & 1) size *= x.axes[k].size;
    }
    return static_cast<double>(size);
}

}  // namespace

void moments(const Array& x, std::uint64_t reduced, bool use_mean, double* mean, double* variance,
             const Policy& policy) {
    const double size = group_size(x, reduced);
    const auto work = [&](Summing& summing, std::uint64_t begin, std::uint64_t count) {
        find_moments(summing, begin, count, size, use_mean, mean + begin, variance + begin);
    };
    for_groups(x, reduced, kNormalizedPerThread, policy, work);
}

}  // namespace sums
}  // namespace indirectml
