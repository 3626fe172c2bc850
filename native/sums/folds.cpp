#include "folds.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "loops.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kFoldedPerThread = 1 << 18, kOrderedPerThread = 1 << 14;
// Neighbouring columns that are folded together, and elements that are copied where they lie apart.
constexpr std::uint64_t kWide = 1024, kPacked = 512;

// Runs along groups of one thread. `How` has room for kWide results, and
//   begin(count); end(first, count)    for so many groups, from number `first` on
//   row(x, count, number); columns(x, count, number)    elements from number `number` of the group on
template <typename How>
class Folding {
  public:
    Folding(const Numbers& x, const Loop& kept, const Loop& reduced, How& how)
        : data_(x.data), item_(item_bytes(x.number)), kept_(kept), reduced_(reduced), how_(how) {
        const auto item = static_cast<std::int64_t>(item_);
        // An array of one element is a row.
        are_rows_ = reduced.rank == 0 || reduced.inner_stride() == item;
        are_columns_ = kept.rank > 0 && kept.inner_stride() == item &&
                       kept.inner_size() > (are_rows_ ? reduced.inner_size() : 3);
    }

    void groups(std::uint64_t begin, std::uint64_t end) {
        Position group(kept_, begin);
        while (begin < end) {
            const std::uint64_t count =
                are_columns_ ? std::min({kWide, group.run(), end - begin}) : 1;
            how_.begin(count);
            const unsigned char* const first = data_ + group.offset();
            if (are_columns_) {
                columns(first, count);
            } else {
                row(first);
            }
            how_.end(begin, count);
            group.advance(count);
            begin += count;
        }
    }

  private:
    void columns(const unsigned char* first, std::uint64_t count) {
        Position at(reduced_, 0);
        for (std::uint64_t number = 0; number < reduced_.count; ++number) {
            how_.columns(first + at.offset(), count, number);
            at.advance(1);
            pieces_.done(count);
        }
    }
    void row(const unsigned char* first) {
        Position at(reduced_, 0);
        for (std::uint64_t number = 0, count = 0; number < reduced_.count; number += count) {
            count = std::min(at.run(), reduced_.count - number);
            const unsigned char* const from = first + at.offset();
            if (are_rows_) {
                count = std::min<std::uint64_t>(count, 1 << 20);
                how_.row(from, count, number);
            } else {
                count = std::min(count, kPacked);
                for (std::uint64_t j = 0; j < count; ++j) {
                    std::memcpy(packed_ + j * item_,
                                from + static_cast<std::int64_t>(j) * reduced_.inner_stride(), item_);
                }
                how_.row(packed_, count, number);
            }
            at.advance(count);
            pieces_.done(count);
        }
    }

    const unsigned char* const data_;
    const std::size_t item_;
    const Loop &kept_, &reduced_;
    How& how_;
    bool are_rows_, are_columns_;
    Pieces pieces_;
    alignas(8) unsigned char packed_[kPacked * 8];
};

// Runs make() for each thread, which gives the `How` for its groups.
template <typename Make>
void for_groups(const Numbers& x, const Policy& policy, const Make& make) {
    Loop kept, reduced;
    for (int k = 0; k < x.rank; ++k) (x.reduced >> k & 1 ? reduced : kept).add(x.axes[k]);
    const unsigned parts =
        part_count(kept.count, kept.count * reduced.count, kFoldedPerThread, policy);
    run_team(parts, [&](unsigned part) {
        auto how = make();
        const Share share = share_of(kept.count, 1, part, parts);
        Folding<decltype(how)>(x, kept, reduced, how).groups(share.begin, share.end);
    });
}

struct ByKernels {
    const FoldKernels& kernels;
    unsigned char* out;
    std::size_t item;
    std::uint64_t totals[kWide];

    void begin(std::uint64_t count) { kernels.begin(count, totals); }
    void row(const unsigned char* x, std::uint64_t count, std::uint64_t) {
        kernels.row(x, count, totals);
    }
    void columns(const unsigned char* x, std::uint64_t count, std::uint64_t) {
        kernels.columns(x, count, totals);
    }
    void end(std::uint64_t first, std::uint64_t count) {
        kernels.end(totals, count, out + first * item);
    }
};

struct Indices {
    const FoldKernels& kernels;
    std::int64_t* out;
    bool last;
    std::uint64_t totals[kWide];
    std::int64_t numbers[kWide];

    void begin(std::uint64_t count) {
        kernels.begin(count, totals);
        std::fill(numbers, numbers + count, 0);
    }
    void row(const unsigned char* x, std::uint64_t count, std::uint64_t number) {
        kernels.index_row(x, count, static_cast<std::int64_t>(number), last, totals, numbers);
    }
    void columns(const unsigned char* x, std::uint64_t count, std::uint64_t number) {
        kernels.index_columns(x, count, static_cast<std::int64_t>(number), last, totals, numbers);
    }
    void end(std::uint64_t first, std::uint64_t count) {
        std::copy(numbers, numbers + count, out + first);
    }
};

// 1 where the largest element of each group is, of groups that lie as rows in the result.
struct Marks {
    Indices found;
    float* out;
    std::uint64_t size;

    void begin(std::uint64_t count) { found.begin(count); }
    void row(const unsigned char* x, std::uint64_t count, std::uint64_t number) {
        found.row(x, count, number);
    }
    void columns(const unsigned char* x, std::uint64_t count, std::uint64_t number) {
        found.columns(x, count, number);
    }
    void end(std::uint64_t first, std::uint64_t count) {
        float* const to = out + first * size;
        std::fill(to, to + count * size, 0.0f);
        for (std::uint64_t c = 0; c < count; ++c) {
            to[c * size + static_cast<std::uint64_t>(found.numbers[c])] = 1;
        }
    }
};

struct Products {
    const WidenKernel widen;
    const NarrowKernel narrow;
    const std::size_t item, out_item;
    unsigned char* out;
    double totals[kWide], wide[kWide];

    void begin(std::uint64_t count) { std::fill(totals, totals + count, 1.0); }
    void row(const unsigned char* x, std::uint64_t count, std::uint64_t) {
        for (std::uint64_t done = 0; done < count; done += kWide) {
            const std::uint64_t some = std::min(kWide, count - done);
            widen(x + done * item, some, 0, wide);
            for (std::uint64_t j = 0; j < some; ++j) totals[0] *= wide[j];
        }
    }
    void columns(const unsigned char* x, std::uint64_t count, std::uint64_t) {
        widen(x, count, 0, wide);
        for (std::uint64_t j = 0; j < count; ++j) totals[j] *= wide[j];
    }
    void end(std::uint64_t first, std::uint64_t count) {
        narrow(totals, count, out + first * out_item);
    }
};

// An element of a row, and how large it is.
struct Found {
    std::int64_t key;
    std::uint64_t number;
};
bool comes_before(const Found& a, const Found& b) {
    return a.key != b.key ? a.key > b.key : a.number < b.number;
}

// The largest `count` of a row, of which so many and as many candidates are kept at most.
class Best {
  public:
    Best(std::uint64_t count, std::uint64_t size)
        : count_(count),
          most_(count <= kFew ? count : std::min(std::max(2 * count, kWide), size)),
          found_(most_) {}
    void begin() {
        some_ = 0;
        least_ = std::numeric_limits<std::int64_t>::min();
    }
    // The elements of these keys, from number `first` on.
    void add(const std::int64_t* keys, std::uint64_t count, std::uint64_t first) {
        for (std::uint64_t j = 0; j < count; ++j) {
            if (some_ >= count_ && keys[j] <= least_) continue;
            if (count_ <= kFew) {
                insert({keys[j], first + j});
            } else {
                if (some_ == most_) choose();
                found_[some_++] = {keys[j], first + j};
            }
        }
    }
    // In order.
    const std::vector<Found>& end() {
        if (count_ > kFew) {
            if (some_ > count_) choose();
            std::sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count_),
                      comes_before);
        }
        return found_;
    }

  private:
    // So few are put into their places one by one: after the first most elements are none of them.
    static constexpr std::uint64_t kFew = 16;

    void insert(const Found& one) {
        std::uint64_t at = some_ < count_ ? some_++ : count_ - 1;
        for (; at > 0 && found_[at - 1].key < one.key; --at) found_[at] = found_[at - 1];
        found_[at] = one;
        least_ = found_[some_ - 1].key;
    }
    void choose() {
        const auto last = found_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
        std::nth_element(found_.begin(), last,
                         found_.begin() + static_cast<std::ptrdiff_t>(some_), comes_before);
        least_ = last->key;
        some_ = count_;
    }

    const std::uint64_t count_, most_;
    std::vector<Found> found_;
    std::uint64_t some_ = 0;
    // Where there are enough, what comes later and is no larger is none of them.
    std::int64_t least_ = 0;
};

const FoldKernels& kernels_for(Number number, Fold fold, const Policy& policy) {
    return kernels_of(*policy.target).folds[static_cast<int>(fold)].of[static_cast<int>(number)];
}

}  // namespace

void fold(const Numbers& x, Fold fold, unsigned char* out, const Policy& policy) {
    const FoldKernels& kernels = kernels_for(x.number, fold, policy);
    for_groups(x, policy, [&] { return ByKernels{kernels, out, item_bytes(x.number), {}}; });
}

void indices_of(const Numbers& x, Fold fold, bool last, std::int64_t* out, const Policy& policy) {
    const FoldKernels& kernels = kernels_for(x.number, fold, policy);
    for_groups(x, policy, [&] { return Indices{kernels, out, last, {}, {}}; });
}

void mark_largest(const Numbers& x, std::uint64_t size, float* out, const Policy& policy) {
    const FoldKernels& kernels = kernels_for(x.number, Fold::kLargest, policy);
    for_groups(x, policy, [&] { return Marks{{kernels, nullptr, false, {}, {}}, out, size}; });
}

void multiply(const Numbers& x, Type out_type, unsigned char* out, const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto widen = kernels.widen[static_cast<int>(x.number)][static_cast<int>(Map::kSame)];
    const auto narrow = kernels.narrow[static_cast<int>(out_type)];
    for_groups(x, policy, [&] {
        return Products{widen, narrow, item_bytes(x.number), item_bytes(out_type), out, {}, {}};
    });
}

void largest_in_order(const unsigned char* x, const Ordered& how, Fold fold, unsigned char* values,
                      std::int64_t* numbers, const Policy& policy) {
    const FoldKernels& kernels = kernels_for(how.number, Fold::kLargest, policy);
    const std::size_t item = item_bytes(how.number);
    const std::uint64_t chains = how.outer * how.inner;
    const unsigned parts = part_count(chains, chains * how.size, kOrderedPerThread, policy);
    run_team(parts, [&](unsigned part) {
        std::int64_t keys[kWide];
        Best best(how.count, how.size);
        Pieces pieces;
        const Share share = share_of(chains, 1, part, parts);
        for (std::uint64_t chain = share.begin; chain < share.end; ++chain) {
            const std::uint64_t o = chain / how.inner, i = chain % how.inner;
            const unsigned char* const first = x + (o * how.size * how.inner + i) * item;
            best.begin();
            for (std::uint64_t j = 0; j < how.size; j += kWide) {
                const std::uint64_t some = std::min(kWide, how.size - j);
                kernels.keys(first + j * how.inner * item,
                             static_cast<std::ptrdiff_t>(how.inner * item), some, keys);
                // A NaN is larger than all numbers: it comes last among the smallest.
                if (fold == Fold::kSmallest) {
                    for (std::uint64_t k = 0; k < some; ++k) keys[k] = ~keys[k];
                }
                best.add(keys, some, j);
            }
            const std::vector<Found>& order = best.end();
            for (std::uint64_t k = 0; k < how.count; ++k) {
                const std::uint64_t to = (o * how.count + k) * how.inner + i;
                numbers[to] = static_cast<std::int64_t>(order[k].number);
                std::memcpy(values + to * item, first + order[k].number * how.inner * item, item);
            }
            pieces.done(how.size * 8);
        }
    });
    if (how.number <= Number::kDouble) {
        quiet(static_cast<Type>(how.number), values, chains * how.count);
    }
}

}  // namespace sums
}  // namespace indirectml
