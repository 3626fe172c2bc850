#include "folds.h"

#include <algorithm>
#include <cstring>
#include <numeric>
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

// So few are put into their places one by one: after the first most elements are none of them.
constexpr std::uint64_t kFew = 16;

void find_few(const std::vector<std::int64_t>& keys, std::uint64_t count,
              std::vector<std::uint64_t>& order) {
    std::uint64_t found = 0;
    for (std::uint64_t j = 0; j < keys.size(); ++j) {
        if (found == count && keys[j] <= keys[order[count - 1]]) continue;
        std::uint64_t at = found < count ? found++ : count - 1;
        for (; at > 0 && keys[order[at - 1]] < keys[j]; --at) order[at] = order[at - 1];
        order[at] = j;
    }
}

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
        std::vector<std::int64_t> keys(how.size);
        std::vector<std::uint64_t> order(how.size);
        const auto comes_before = [&](std::uint64_t a, std::uint64_t b) {
            return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
        };
        Pieces pieces;
        const Share share = share_of(chains, 1, part, parts);
        for (std::uint64_t chain = share.begin; chain < share.end; ++chain) {
            const std::uint64_t o = chain / how.inner, i = chain % how.inner;
            const unsigned char* const first = x + (o * how.size * how.inner + i) * item;
            kernels.keys(first, static_cast<std::ptrdiff_t>(how.inner * item), how.size, keys.data());
            // A NaN is larger than all numbers: it comes last among the smallest.
            if (fold == Fold::kSmallest) {
                for (std::int64_t& key : keys) key = ~key;
            }
            if (how.count <= kFew) {
                find_few(keys, how.count, order);
            } else {
                std::iota(order.begin(), order.end(), 0);
                const auto middle = order.begin() + static_cast<std::ptrdiff_t>(how.count);
                if (how.count < how.size) {
                    std::nth_element(order.begin(), middle, order.end(), comes_before);
                }
                std::sort(order.begin(), middle, comes_before);
            }
            for (std::uint64_t k = 0; k < how.count; ++k) {
                const std::uint64_t to = (o * how.count + k) * how.inner + i;
                numbers[to] = static_cast<std::int64_t>(order[k]);
                std::memcpy(values + to * item, first + order[k] * how.inner * item, item);
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
