#include "sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "loops.h"

namespace indirectml {
namespace sums {

INDIRECTML_DEFINE_KERNELS_OF

namespace {

// Fewer take less than about 100 us, which does not pay for a thread.
constexpr std::uint64_t kSummedPerThread = 1 << 19, kNormalizedPerThread = 1 << 18;
// Neighbouring columns that are summed together: wide enough for rows to stream from memory, while
// their sixteen sums each stay in the second cache.
constexpr std::uint64_t kWide = 4096;
// Rows that a kernel adds to sums in memory at once.
constexpr std::uint64_t kRowsAtOnce = 128;
// Elements of rows that are worked on together: they stay in the first cache.
constexpr std::uint64_t kCached = 4096;
// Elements that are copied together where they lie apart; a multiple of 16.
constexpr std::size_t kPacked = 512;
// Rows of more elements are summed some blocks at a time.
constexpr std::uint64_t kLongRow = std::uint64_t{1} << 20;

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
        return numbers_of_column(reduced.count) * spacing();
    }
    std::uint64_t block_count() const { return (reduced.count + kBlock - 1) / kBlock; }
    // The most groups that are taken together, and how many times that is done.
    struct Some {
        std::uint64_t begin, count;
    };
    std::uint64_t some_count() const {
        return layout == Layout::kColumns ? kept.count / kept.inner_size() * wide_count()
                                          : kept.count;
    }
    Some some(std::uint64_t k) const {
        if (layout != Layout::kColumns) return {k, 1};
        const std::uint64_t size = kept.inner_size(), first = k % wide_count() * kWide;
        return {k / wide_count() * size + first, std::min(kWide, size - first)};
    }

  private:
    std::uint64_t wide_count() const { return (kept.inner_size() + kWide - 1) / kWide; }
};

// Elements of each group, from a number on.
struct Elements {
    std::uint64_t first, size;
};

class Summing {
  public:
    Summing(const Groups& groups, const Kernels& kernels)
        : groups_(groups), kernels_(kernels), scratch_(new double[groups.scratch_size()]) {}

    // Groups begin .. begin + count, which Groups::together allows; `means` and `out` are theirs.
    void sum(Map map, std::uint64_t begin, std::uint64_t count, const double* means, double* out) {
        if (groups_.layout == Layout::kRows) {
            if (groups_.reduced.count <= kLongRow) return sum_rows(map, begin, count, means, out);
            return sum_long_rows(map, {begin, count}, means, out);
        }
        if (groups_.reduced.count <= kBlock) {
            return sum_block(map, begin, count, {0, groups_.reduced.count}, means, out);
        }
        const std::uint64_t blocks = groups_.block_count();
        totals_.resize(count * blocks);
        sum_blocks(map, {begin, count}, {0, blocks}, means, totals_.data());
        add_totals(totals_.data(), count, count, out);
    }

    // The totals of some blocks of such groups. Those of a row follow each other; those of columns are
    // rows of columns.
    void sum_blocks(Map map, const Groups::Some& some, const Share& blocks, const double* means,
                    double* totals) {
        if (groups_.layout == Layout::kRows) {  // one
            return sum_blocks_of_row(map, some.begin, blocks, means ? *means : 0, totals);
        }
        for (std::uint64_t b = blocks.begin; b < blocks.end; ++b) {
            const std::uint64_t left = groups_.reduced.count - b * kBlock;
            sum_block(map, some.begin, some.count, {b * kBlock, std::min<std::uint64_t>(kBlock, left)},
                      means, totals + b * some.count);
        }
    }

    // The sums of `count` of such groups from the totals of all of their blocks. Those of columns, which
    // are `spacing` numbers from row to row, are overwritten if there are more than a block.
    void add_totals(double* totals, std::uint64_t spacing, std::uint64_t count, double* out) {
        std::uint64_t size = groups_.block_count();
        const auto* bytes = reinterpret_cast<const unsigned char*>(totals);
        if (groups_.layout != Layout::kColumns) {
            return kernels_.rows[static_cast<int>(Type::kDouble)][static_cast<int>(Map::kSame)](
                bytes, 0, count, size, nullptr, out);
        }
        Loop rows;
        rows.add({size, static_cast<std::int64_t>(spacing * sizeof(double))});
        for (std::uint64_t blocks; size > kBlock; size = blocks) {
            blocks = (size + kBlock - 1) / kBlock;
            for (std::uint64_t b = 0; b < blocks; ++b) {
                const std::uint64_t left = size - b * kBlock;
                sum_columns({bytes, Type::kDouble, Map::kSame}, rows,
                            {b * kBlock, std::min<std::uint64_t>(kBlock, left)}, count, nullptr,
                            totals + b * spacing);
            }
        }
        sum_columns({bytes, Type::kDouble, Map::kSame}, rows, {0, size}, count, nullptr, out);
    }

  private:
    int type() const { return static_cast<int>(groups_.type); }

    // Of groups that are no rows.
    void sum_block(Map map, std::uint64_t begin, std::uint64_t count, const Elements& block,
                   const double* means, double* out) {
        if (groups_.layout == Layout::kColumns) {
            return sum_columns({groups_.data + Position(groups_.kept, begin).offset(), groups_.type, map},
                               groups_.reduced, block, count, means, out);
        }
        sum_apart(map, begin, block, means ? *means : 0, out);
    }

    void sum_rows(Map map, std::uint64_t begin, std::uint64_t count, const double* means,
                  double* out) {
        const auto kernel = kernels_.rows[type()][static_cast<int>(map)];
        Position place(groups_.kept, begin);
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

    // By their blocks, so that the work may stop between them.
    void sum_long_rows(Map map, const Groups::Some& rows, const double* means, double* out) {
        const std::uint64_t blocks = groups_.block_count();
        totals_.resize(blocks);
        for (std::uint64_t r = 0; r < rows.count; ++r) {
            for (std::uint64_t b = 0, end = 0; b < blocks; b = end) {
                end = std::min<std::uint64_t>(b + kLongRow / kBlock, blocks);
                sum_blocks_of_row(map, rows.begin + r, {b, end}, means ? means[r] : 0, totals_.data());
                pieces_.done((end - b) * kBlock);
            }
            add_totals(totals_.data(), 1, 1, out + r);
        }
    }

    // Blocks are rows, of which the last may be shorter.
    void sum_blocks_of_row(Map map, std::uint64_t group, const Share& blocks, double mean,
                           double* totals) {
        const auto kernel = kernels_.rows[type()][static_cast<int>(map)];
        const std::size_t bytes = kBlock * item_bytes(groups_.type);
        const unsigned char* const row = groups_.data + Position(groups_.kept, group).offset();
        const std::uint64_t whole =
            std::min<std::uint64_t>(blocks.end, groups_.reduced.count / kBlock);
        means_.assign(blocks.end - blocks.begin, mean);
        if (whole > blocks.begin) {
            kernel(row + blocks.begin * bytes, static_cast<std::int64_t>(bytes),
                   whole - blocks.begin, kBlock, means_.data(), totals + blocks.begin);
        }
        if (whole < blocks.end) {
            kernel(row + whole * bytes, 0, 1, groups_.reduced.count % kBlock, means_.data(),
                   totals + whole);
        }
    }

    // The first of some neighbouring columns, and what is summed.
    struct Columns {
        const unsigned char* first;
        Type type;
        Map map;
    };
    void sum_columns(const Columns& x, const Loop& all_rows, const Elements& block,
                     std::uint64_t columns, const double* means, double* out) {
        const unsigned char* rows[kRowsAtOnce];
        const std::int64_t stride = all_rows.inner_stride();
        Position place(all_rows, block.first);
        const auto take = [&](std::uint64_t count) {
            for (std::uint64_t done = 0; done < count;) {
                const std::uint64_t run = std::min(place.run(), count - done);
                const unsigned char* at = x.first + place.offset();
                for (std::uint64_t r = 0; r < run; ++r, at += stride) rows[done + r] = at;
                place.advance(run);
                done += run;
            }
        };
        const int type = static_cast<int>(x.type), map = static_cast<int>(x.map);
        const std::uint64_t spacing = groups_.spacing();
        if (block.size <= kFewRows) {
            take(block.size);
            return kernels_.few_rows[type][map](rows, block.size, columns, means, scratch_.get(),
                                                spacing, out);
        }
        for (std::uint64_t r = 0; r < block.size; r += kRowsAtOnce) {
            const std::uint64_t count = std::min(kRowsAtOnce, block.size - r);
            take(count);
            kernels_.columns[type][map](rows, count, columns, means, scratch_.get(), spacing,
                                        r == 0);
            pieces_.done(count * columns);
        }
        kernels_.totals(scratch_.get(), spacing, columns, out);
    }

    // Copied, mapped, into packed memory; then the sums of one column of sixteen rows.
    void sum_apart(Map map, std::uint64_t group, const Elements& block, double mean, double* out) {
        const unsigned char* first = groups_.data + Position(groups_.kept, group).offset();
        const auto widen = kernels_.widen[type()][static_cast<int>(map)];
        const auto item = static_cast<std::int64_t>(item_bytes(groups_.type));
        double* packed = scratch_.get();
        double sums[16] = {};
        Position place(groups_.reduced, block.first);
        std::uint64_t left = block.size;
        while (left > 0) {
            const std::uint64_t copied = std::min<std::uint64_t>(kPacked, left);
            for (std::uint64_t done = 0; done < copied;) {
                const std::uint64_t run = std::min(place.run(), copied - done);
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
            // The last ones are filled up with zeros, which change no sum.
            std::fill(packed + copied, packed + (copied + 15) / 16 * 16, 0.0);
            for (std::uint64_t j = 0; j < copied; j += 16) {
                for (int i = 0; i < 16; ++i) sums[i] += packed[j + i];
            }
            left -= copied;
            pieces_.done(copied);
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
    std::vector<double> totals_, means_;
    Pieces pieces_;
    alignas(8) unsigned char gathered_[kPacked * 8];
};

unsigned threads_for(const Groups& groups, std::uint64_t pieces, std::uint64_t elements_per_thread,
                     const Policy& policy) {
    return part_count(pieces, groups.kept.count * groups.reduced.count, elements_per_thread, policy);
}

// Runs work(summing, begin, count) for parts of the groups that kernels take together.
template <typename Work>
void for_groups(const Groups& groups, std::uint64_t elements_per_thread, const Policy& policy,
                const Work& work) {
    const Kernels& kernels = kernels_of(*policy.target);
    const std::uint64_t count = groups.kept.count;
    const unsigned parts = threads_for(groups, count, elements_per_thread, policy);
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

// Threads that share the blocks of groups, where there are not as many groups for each.
class SharedBlocks {
  public:
    SharedBlocks(const Groups& groups, std::uint64_t elements_per_thread, const Policy& policy)
        : groups_(groups), kernels_(kernels_of(*policy.target)), blocks_(groups.block_count()) {
        constexpr std::uint64_t kMany = 8;
        const std::uint64_t some = groups.some_count();
        const unsigned threads = threads_for(groups, some * blocks_, elements_per_thread, policy);
        if (blocks_ == 1 || some % threads == 0 || some >= kMany * threads) return;
        threads_ = threads;
        totals_.resize(groups.kept.count * blocks_);
    }
    bool are_better() const { return threads_ > 1; }

    // One of the threads, which has these groups after sums are found.
    class Member {
      public:
        Member(SharedBlocks& shared, unsigned number, Team& team)
            : own(share_of(shared.groups_.kept.count, 1, number, team.size())),
              shared_(shared),
              team_(team),
              units_(share_of(shared.groups_.some_count() * shared.blocks_, 1, number, team.size())),
              summing_(shared.groups_, shared.kernels_) {}
        // Returns the own sums among all, when all members have called this. Before it is called again
        // all of them have to wait.
        void sum(Map map, const double* means, double* sums) {
            const std::uint64_t blocks = shared_.blocks_;
            double* const totals = shared_.totals_.data();
            for (std::uint64_t unit = units_.begin, count; unit < units_.end; unit += count) {
                const std::uint64_t b = unit % blocks;
                count = std::min<std::uint64_t>(blocks - b, units_.end - unit);
                const Groups::Some some = shared_.groups_.some(unit / blocks);
                summing_.sum_blocks(map, some, {b, b + count},
                                    means ? means + some.begin : nullptr,
                                    totals + some.begin * blocks);
            }
            team_.wait();
            for (std::uint64_t k = 0, g = own.begin; g < own.end; ++k) {
                const Groups::Some some = shared_.groups_.some(k);
                const std::uint64_t end = std::min<std::uint64_t>(some.begin + some.count, own.end);
                if (end <= g) continue;
                summing_.add_totals(totals + some.begin * blocks + (g - some.begin), some.count,
                                    end - g, sums + g);
                g = end;
            }
        }
        void wait() { team_.wait(); }
        const Share own;

      private:
        SharedBlocks& shared_;
        Team& team_;
        const Share units_;
        Summing summing_;
    };

    // Runs work(member) for all members.
    template <typename Work>
    void run(const Work& work) {
        run_together(threads_, [&](unsigned number, Team& team) {
            Member member(*this, number, team);
            work(member);
        });
    }

  private:
    const Groups& groups_;
    const Kernels& kernels_;
    const std::uint64_t blocks_;
    unsigned threads_ = 1;
    std::vector<double> totals_;  // of all blocks
};

}  // namespace

void reduce(const Array& x, std::uint64_t reduced, Map map, Type out_type, unsigned char* out,
            const Policy& policy, Finish finish) {
    const auto narrow = kernels_of(*policy.target).narrow[static_cast<int>(out_type)];
    const Groups groups(x, reduced);
    const auto finished = [&](double* sums, std::uint64_t count) {
        if (finish == Finish::kNothing) return;
        for (std::uint64_t g = 0; g < count; ++g) {
            sums[g] = canonical(finish == Finish::kRoot
                                    ? std::sqrt(sums[g])
                                    : sums[g] / static_cast<double>(groups.reduced.count));
        }
    };
    SharedBlocks shared(groups, kSummedPerThread, policy);
    if (shared.are_better()) {
        std::vector<double> sums(groups.kept.count);
        return shared.run([&](SharedBlocks::Member& member) {
            member.sum(map, nullptr, sums.data());
            double* const own = sums.data() + member.own.begin;
            const std::uint64_t count = member.own.end - member.own.begin;
            finished(own, count);
            narrow(own, count, out + member.own.begin * item_bytes(out_type));
        });
    }
    const auto work = [&](Summing& summing, std::uint64_t begin, std::uint64_t count) {
        unsigned char* to = out + begin * item_bytes(out_type);
        if (out_type == Type::kDouble) {
            auto* const sums = reinterpret_cast<double*>(to);
            summing.sum(map, begin, count, nullptr, sums);
            return finished(sums, count);
        }
        double totals[kWide];
        summing.sum(map, begin, count, nullptr, totals);
        finished(totals, count);
        narrow(totals, count, to);
    };
    for_groups(groups, kSummedPerThread, policy, work);
}

void moments(const Array& x, std::uint64_t reduced, bool use_mean, double* mean, double* variance,
             const Policy& policy) {
    const Groups groups(x, reduced);
    const auto divide = [&](double* sums, std::uint64_t count) {
        for (std::uint64_t g = 0; g < count; ++g) {
            sums[g] = canonical(sums[g] / static_cast<double>(groups.reduced.count));
        }
    };
    if (!use_mean) std::fill(mean, mean + groups.kept.count, 0.0);
    SharedBlocks shared(groups, kNormalizedPerThread, policy);
    if (shared.are_better()) {
        return shared.run([&](SharedBlocks::Member& member) {
            const std::uint64_t begin = member.own.begin, count = member.own.end - begin;
            if (use_mean) {
                member.sum(Map::kSame, nullptr, mean);
                divide(mean + begin, count);
                member.wait();
            }
            member.sum(Map::kDeviation, mean, variance);
            divide(variance + begin, count);
        });
    }
    const auto work = [&](Summing& summing, std::uint64_t begin, std::uint64_t count) {
        if (use_mean) {
            summing.sum(Map::kSame, begin, count, nullptr, mean + begin);
            divide(mean + begin, count);
        }
        summing.sum(Map::kDeviation, begin, count, mean + begin, variance + begin);
        divide(variance + begin, count);
    };
    for_groups(groups, kNormalizedPerThread, policy, work);
}

}  // namespace sums
}  // namespace indirectml
