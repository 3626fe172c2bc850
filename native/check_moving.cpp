// Elements moved, folded and put in order, on every target of this machine, against plain loops; for
// sanitizers and emulators.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "check_support.h"
#include "moving/copying.h"
#include "moving/gathering.h"
#include "sums/folds.h"
#include "sums/sums.h"
#include "sums/windows.h"

namespace indirectml {
namespace {

using sums::Fold;
using sums::Number;

Random g_random(17);

using Bytes = std::vector<unsigned char>;

Bytes random_bytes(std::size_t count) {
    Bytes bytes(count);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(g_random.word());
    return bytes;
}

// Each target, with one to three threads. Work is so small that shares are made of few elements.
template <typename Work>
void on_every_target(const Work& work) {
    static unsigned threads = 0;
    const TargetList targets = available_targets();
    for (std::size_t k = 0; k < targets.count; ++k) {
        threads = threads % 3 + 1;
        work(Policy{targets.begin[k], threads, ~std::uint64_t{0}});
    }
}

// What write(out, policy) gives on every target is `expected`, and nothing beside it is written.
template <typename Write>
void compare(const char* what, const Bytes& expected, const Write& write) {
    on_every_target([&](const Policy& policy) {
        Memory memory(expected.size());
        unsigned char* const out = memory.at(0);
        Memory::set_guards(out, expected.size());
        write(out, policy);
        ++g_comparisons;
        if (!std::equal(expected.begin(), expected.end(), out)) {
            fail("%s of %zu bytes differs on %s", what, expected.size(), policy.target->name);
        }
        std::ptrdiff_t where;
        if (!Memory::guards_hold(out, expected.size(), &where)) {
            fail("%s writes beside its output, at %td", what, where);
        }
    });
}

Sizes random_sizes(std::size_t rank) {
    static const std::vector<std::uint64_t> kMost{0, 700, 60, 14, 7};
    Sizes sizes(rank);
    for (std::uint64_t& size : sizes) size = 1 + g_random.below(kMost[rank]);
    return sizes;
}

std::uint64_t count_of(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

std::vector<Axis> packed(const Sizes& sizes, std::size_t item, const std::vector<std::size_t>& order) {
    std::vector<Axis> axes(sizes.size());
    auto stride = static_cast<std::int64_t>(item);
    for (std::size_t k = order.size(); k-- > 0;) {
        axes[order[k]] = {sizes[order[k]], stride};
        stride *= static_cast<std::int64_t>(sizes[order[k]]);
    }
    return axes;
}
std::vector<std::size_t> in_order(std::size_t rank) {
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    return order;
}
std::vector<std::size_t> shuffled(std::size_t rank) {
    auto order = in_order(rank);
    for (std::size_t k = rank; k > 1; --k) std::swap(order[k - 1], order[g_random.below(k)]);
    return order;
}

// Runs each(coordinates) in row-major order.
template <typename Each>
void for_each(const Sizes& sizes, const Each& each) {
    Sizes at(sizes.size(), 0);
    for (std::uint64_t left = count_of(sizes); left > 0; --left) {
        each(at);
        for (std::size_t k = sizes.size(); k-- > 0 && ++at[k] == sizes[k];) at[k] = 0;
    }
}

std::uint64_t number_of(const Sizes& sizes, const Sizes& at) {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) number = number * sizes[k] + at[k];
    return number;
}

void check_copies() {
    const std::size_t rank = 1 + g_random.below(4), item = std::size_t{1} << g_random.below(4);
    const Sizes sizes = random_sizes(rank);
    // What is written has gaps.
    Sizes wide = sizes;
    for (std::uint64_t& size : wide) size += g_random.below(2);
    const auto from = packed(sizes, item, shuffled(rank));
    const std::size_t apart = 1 + g_random.below(2);
    auto to = packed(wide, item * apart, shuffled(rank));
    for (std::size_t k = 0; k < rank; ++k) to[k].size = sizes[k];
    const Bytes x = random_bytes(count_of(sizes) * item);
    Bytes expected(count_of(wide) * item * apart, 0xA5);
    for_each(sizes, [&](const Sizes& at) {
        std::int64_t read = 0, written = 0;
        for (std::size_t k = 0; k < rank; ++k) {
            read += static_cast<std::int64_t>(at[k]) * from[k].stride_bytes;
            written += static_cast<std::int64_t>(at[k]) * to[k].stride_bytes;
        }
        std::copy_n(x.begin() + read, item, expected.begin() + written);
    });
    compare("a copy", expected, [&](unsigned char* out, const Policy& policy) {
        copy_elements({x.data(), from}, out, to, item, policy);
    });
}

// Large enough for threads.
void check_large_copies() {
    const Sizes sizes{3, 700, 600};
    const Bytes x = random_bytes(count_of(sizes) * 4);
    compare("a long copy", x, [&](unsigned char* out, const Policy& policy) {
        copy_bytes(x.data(), out, x.size(), policy);
    });
    const auto from = packed(sizes, 4, {0, 2, 1}), to = packed(sizes, 4, in_order(3));
    Bytes expected(x.size());
    for_each(sizes, [&](const Sizes& at) {
        const std::uint64_t read = (at[0] * 600 + at[2]) * 700 + at[1];
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(4 * read), 4,
                    expected.begin() + static_cast<std::ptrdiff_t>(4 * number_of(sizes, at)));
    });
    compare("squares", expected, [&](unsigned char* out, const Policy& policy) {
        copy_elements({x.data(), from}, out, to, 4, policy);
    });
}

// ---- Indices ------------------------------------------------------------------------------------

struct RandomIndices {
    std::vector<std::int64_t> numbers;
    Bytes bytes;
    int width;

    RandomIndices(std::uint64_t count, std::uint64_t size) : width(1 << g_random.below(4)) {
        for (std::uint64_t k = 0; k < count; ++k) {
            auto number = static_cast<std::int64_t>(g_random.below(2 * size + 6)) -
                          static_cast<std::int64_t>(size + 3);
            const std::int64_t most = width == 8 ? INT64_MAX : (std::int64_t{1} << (8 * width - 1)) - 1;
            if (g_random.below(20) == 0) number = g_random.below(2) ? most : -most - 1;
            number = std::clamp(number, -most - 1, most);
            numbers.push_back(number);
            for (int b = 0; b < width; ++b) {
                bytes.push_back(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> 8 * b));
            }
        }
    }
    Indices view() const { return {bytes.data(), width, true}; }
    // Beyond either end: clamped, or -1.
    std::int64_t at(std::uint64_t k, std::uint64_t size, bool is_clamped) const {
        const auto end = static_cast<std::int64_t>(size);
        const std::int64_t number = numbers[k] < 0 ? numbers[k] + end : numbers[k];
        if (is_clamped) return std::clamp<std::int64_t>(number, 0, end - 1);
        return number < 0 || number >= end ? -1 : number;
    }
};

void move_item(const Bytes& from, std::uint64_t read, Bytes& to, std::uint64_t written,
               std::size_t item) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(read * item), item,
                to.begin() + static_cast<std::ptrdiff_t>(written * item));
}

void check_elements() {
    const std::size_t rank = 1 + g_random.below(4), item = std::size_t{1} << g_random.below(4);
    ByElements how{random_sizes(rank), {}, g_random.below(rank), item};
    for (std::size_t k = 0; k < rank; ++k) {
        how.index_sizes.push_back(1 + g_random.below(k == how.axis ? 400 / rank : how.sizes[k]));
    }
    const std::uint64_t size = how.sizes[how.axis], count = count_of(how.index_sizes);
    const RandomIndices indices(count, size);
    const Bytes x = random_bytes(count_of(how.sizes) * item), updates = random_bytes(count * item);
    Bytes gathered(count * item), scattered = x;
    for_each(how.index_sizes, [&](const Sizes& at) {
        const std::uint64_t number = number_of(how.index_sizes, at);
        Sizes there = at;
        there[how.axis] = static_cast<std::uint64_t>(indices.at(number, size, true));
        move_item(x, number_of(how.sizes, there), gathered, number, item);
        const std::int64_t inside = indices.at(number, size, false);
        if (inside < 0) return;
        there[how.axis] = static_cast<std::uint64_t>(inside);
        move_item(updates, number, scattered, number_of(how.sizes, there), item);
    });
    compare("gathered elements", gathered, [&](unsigned char* out, const Policy& policy) {
        gather_elements(x.data(), how, indices.view(), out, policy);
    });
    compare("scattered elements", scattered, [&](unsigned char* out, const Policy& policy) {
        scatter_elements(x.data(), how, indices.view(), updates.data(), out, policy);
    });
}

void check_tuples() {
    const std::size_t rank = 1 + g_random.below(4), item = std::size_t{1} << g_random.below(4);
    const bool scatters = g_random.below(2);
    ByTuples how{random_sizes(rank), {}, scatters ? 0 : g_random.below(rank), item};
    const std::uint64_t width = 1 + g_random.below(rank - how.batch);
    how.index_sizes.assign(how.sizes.begin(), how.sizes.begin() + static_cast<std::ptrdiff_t>(how.batch));
    how.index_sizes.push_back(1 + g_random.below(20));
    const std::uint64_t tuples = count_of(how.index_sizes);
    how.index_sizes.push_back(width);
    std::uint64_t slice = 1, most = 1;
    for (std::size_t k = how.batch; k < rank; ++k) {
        if (k < how.batch + width) most = std::max(most, how.sizes[k]);
        if (k >= how.batch + width) slice *= how.sizes[k];
    }
    const RandomIndices indices(tuples * width, most);
    const Bytes x = random_bytes(count_of(how.sizes) * item);
    const Bytes updates = random_bytes(tuples * slice * item);
    Bytes expected = scatters ? x : updates;
    for (std::uint64_t t = 0; t < tuples; ++t) {
        std::uint64_t place = t / how.index_sizes[how.batch];
        bool is_inside = true;
        for (std::uint64_t k = 0; k < width; ++k) {
            const std::uint64_t size = how.sizes[how.batch + k];
            const std::int64_t at = indices.at(t * width + k, size, !scatters);
            is_inside = is_inside && at >= 0;
            place = place * size + static_cast<std::uint64_t>(std::max<std::int64_t>(at, 0));
        }
        if (scatters && is_inside) move_item(updates, t, expected, place, slice * item);
        if (!scatters) move_item(x, place, expected, t, slice * item);
    }
    compare("tuples", expected, [&](unsigned char* out, const Policy& policy) {
        if (scatters) return scatter_tuples(x.data(), how, indices.view(), updates.data(), out, policy);
        gather_tuples(x.data(), how, indices.view(), out, policy);
    });
}

void check_slices() {
    const std::uint64_t outer = 1 + g_random.below(30), size = 1 + g_random.below(20);
    const std::uint64_t inner = g_random.below(2) ? 1 + g_random.below(40) : 1 << g_random.below(4);
    const std::uint64_t count = 1 + g_random.below(600);
    const RandomIndices indices(count, size);
    const Bytes x = random_bytes(outer * size * inner);
    Bytes expected(outer * count * inner);
    for (std::uint64_t o = 0; o < outer; ++o) {
        for (std::uint64_t k = 0; k < count; ++k) {
            const auto at = static_cast<std::uint64_t>(indices.at(k, size, true));
            move_item(x, o * size + at, expected, o * count + k, inner);
        }
    }
    compare("slices", expected, [&](unsigned char* out, const Policy& policy) {
        gather(x.data(), outer, size, inner, indices.view(), count, out, policy);
    });
    // Known rows and columns of each outer one.
    std::vector<std::vector<std::int64_t>> places(3);
    const std::uint64_t rows = size, columns = outer;  // of [rows, columns, inner] as if it were one
    std::vector<std::uint64_t> down, across;
    for (std::uint64_t k = 0; k < 2 * rows; ++k) {
        down.push_back(g_random.below(rows));
        places[1].push_back(static_cast<std::int64_t>(down.back() * columns * inner));
    }
    // Any of them, each twice, or one behind the other but for one; at last whatever comes.
    const std::uint64_t kind = g_random.below(3);
    for (std::uint64_t k = 0; k < columns; ++k) {
        if (kind == 0) across.push_back(g_random.below(columns));
        if (kind == 1) across.insert(across.end(), {k, k});
        if (kind == 2 && k != columns / 2) across.push_back(k);
    }
    if (across.empty() || g_random.below(2)) across.push_back(g_random.below(columns));
    for (const std::uint64_t column : across) {
        places[2].push_back(static_cast<std::int64_t>(column * inner));
    }
    places[0].push_back(0);
    Bytes picked(down.size() * across.size() * inner);
    for (std::uint64_t d = 0; d < down.size(); ++d) {
        for (std::uint64_t a = 0; a < across.size(); ++a) {
            move_item(x, down[d] * columns + across[a], picked, d * across.size() + a, inner);
        }
    }
    const Taken taken(std::move(places), inner);
    compare("known places", picked, [&](unsigned char* out, const Policy& policy) {
        take(x.data(), taken, out, policy);
    });
    // Rows of the result in their own order, and turned: the result has other steps then.
    const auto item = static_cast<std::int64_t>(inner);
    TakenRuns runs{{{{}, static_cast<std::int64_t>(across.size()) * item}, {{}, item}}, inner};
    for (const std::uint64_t row : down) {
        runs.axes[0].at.push_back(static_cast<std::int64_t>(row * columns) * item);
    }
    for (const std::uint64_t column : across) {
        runs.axes[1].at.push_back(static_cast<std::int64_t>(column) * item);
    }
    if (g_random.below(2)) std::swap(runs.axes[0], runs.axes[1]);
    compare("known places of runs", picked, [&](unsigned char* out, const Policy& policy) {
        take_runs(x.data(), runs, out, policy);
    });
}

// ---- Order --------------------------------------------------------------------------------------

// An element as a number that is compared by itself: its value, and which of two zeros it is.
struct Value {
    bool is_nan;
    long double value;
    int zero;
};

template <typename T>
T read(const unsigned char* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

Value of_float(double value) {
    return {value != value, value, value == 0 ? (std::signbit(value) ? -1 : 1) : 0};
}
double half(const unsigned char* at) {
    const auto bits = read<std::uint16_t>(at);
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return fraction ? NAN : sign * HUGE_VAL;
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}
Value value_of(Number number, const unsigned char* at) {
    switch (number) {
        case Number::kHalf: return of_float(half(at));
        case Number::kSingle: return of_float(read<float>(at));
        case Number::kDouble: return of_float(read<double>(at));
        case Number::kInt8: return {false, static_cast<long double>(read<std::int8_t>(at)), 0};
        case Number::kInt16: return {false, static_cast<long double>(read<std::int16_t>(at)), 0};
        case Number::kInt32: return {false, static_cast<long double>(read<std::int32_t>(at)), 0};
        case Number::kInt64: return {false, static_cast<long double>(read<std::int64_t>(at)), 0};
        case Number::kUInt8: return {false, static_cast<long double>(read<std::uint8_t>(at)), 0};
        case Number::kUInt16: return {false, static_cast<long double>(read<std::uint16_t>(at)), 0};
        case Number::kUInt32: return {false, static_cast<long double>(read<std::uint32_t>(at)), 0};
        default: return {false, static_cast<long double>(read<std::uint64_t>(at)), 0};
    }
}

// Whether the first comes before the second, in the order of the largest or of the smallest.
bool comes_before(const Value& a, const Value& b, bool smallest) {
    if (a.is_nan || b.is_nan) return a.is_nan && !b.is_nan;
    if (a.value != b.value) return smallest ? a.value < b.value : a.value > b.value;
    return smallest ? a.zero < b.zero : a.zero > b.zero;
}

void quieted(Number number, unsigned char* at) {
    if (!value_of(number, at).is_nan) return;
    const std::uint64_t bits = number == Number::kHalf     ? 0x7E00
                               : number == Number::kSingle ? 0x7FC00000
                                                           : 0x7FF8000000000000;
    for (std::size_t k = 0; k < sums::item_bytes(number); ++k) {
        at[k] = static_cast<unsigned char>(bits >> 8 * k);
    }
}

// Few different numbers, so that many are equal; zeros, NaNs and the ends of integers among them.
Bytes random_numbers(Number number, std::uint64_t count) {
    const std::size_t item = sums::item_bytes(number);
    const Bytes few = random_bytes(8 * item);
    const bool with_nans = g_random.below(2);
    Bytes x(count * item);
    for (std::uint64_t k = 0; k < count; ++k) {
        unsigned char* const at = x.data() + k * item;
        std::copy_n(few.begin() + static_cast<std::ptrdiff_t>(g_random.below(8) * item), item, at);
        const std::uint64_t kind = g_random.below(6);
        if (kind == 0) std::fill_n(at, item, static_cast<unsigned char>(0));
        if (kind <= 1) at[item - 1] = g_random.below(2) ? 0x80 : 0;
        if (kind == 2) std::fill_n(at, item, static_cast<unsigned char>(0xFF));
        if (kind == 2) at[item - 1] = g_random.below(2) ? 0x7F : 0xFF;
        const bool is_nan = number <= Number::kDouble && value_of(number, at).is_nan;
        if (is_nan && !with_nans) std::fill_n(at, item, static_cast<unsigned char>(0));
    }
    return x;
}

void check_folds() {
    const auto number = static_cast<Number>(g_random.below(sums::kNumberCount));
    const std::size_t item = sums::item_bytes(number), rank = 1 + g_random.below(3);
    const Sizes sizes = random_sizes(rank);
    const std::uint64_t reduced = 1 + g_random.below((1u << rank) - 1);
    const Bytes x = random_numbers(number, count_of(sizes));
    const auto axes = packed(sizes, item, shuffled(rank));
    Sizes kept(rank, 1);
    for (std::size_t k = 0; k < rank; ++k) {
        if (!(reduced >> k & 1)) kept[k] = sizes[k];
    }
    const std::uint64_t groups = count_of(kept);
    std::vector<std::vector<const unsigned char*>> members(groups);
    for_each(sizes, [&](const Sizes& at) {
        Sizes group = at;
        std::int64_t place = 0;
        for (std::size_t k = 0; k < rank; ++k) {
            if (kept[k] == 1) group[k] = 0;
            place += static_cast<std::int64_t>(at[k]) * axes[k].stride_bytes;
        }
        members[number_of(kept, group)].push_back(x.data() + place);
    });
    const sums::Numbers all{x.data(), number, static_cast<int>(rank), axes.data(), reduced};
    for (const Fold how : {Fold::kLargest, Fold::kSmallest}) {
        Bytes best(groups * item), numbers[2] = {Bytes(groups * 8), Bytes(groups * 8)};
        for (std::uint64_t g = 0; g < groups; ++g) {
            std::int64_t at[2] = {0, 0};
            for (std::size_t k = 1; k < members[g].size(); ++k) {
                const Value value = value_of(number, members[g][k]);
                const auto beats = [&](std::int64_t other) {
                    return comes_before(value, value_of(number, members[g][static_cast<std::size_t>(other)]),
                                        how == Fold::kSmallest);
                };
                const auto is_beaten = [&](std::int64_t other) {
                    return comes_before(value_of(number, members[g][static_cast<std::size_t>(other)]), value,
                                        how == Fold::kSmallest);
                };
                if (beats(at[0])) at[0] = static_cast<std::int64_t>(k);
                if (!is_beaten(at[1])) at[1] = static_cast<std::int64_t>(k);
            }
            std::copy_n(members[g][static_cast<std::size_t>(at[0])], item, best.data() + g * item);
            if (number <= Number::kDouble) quieted(number, best.data() + g * item);
            for (std::size_t k = 0; k < 2; ++k) std::memcpy(numbers[k].data() + 8 * g, &at[k], 8);
        }
        compare("the largest", best, [&](unsigned char* out, const Policy& policy) {
            fold(all, how, out, policy);
        });
        for (const bool last : {false, true}) {
            compare("an index", numbers[last], [&](unsigned char* out, const Policy& policy) {
                indices_of(all, how, last, reinterpret_cast<std::int64_t*>(out), policy);
            });
        }
    }
    if (number <= Number::kDouble) return;
    for (const Fold how : {Fold::kSum, Fold::kProduct}) {
        Bytes expected(groups * item);
        for (std::uint64_t g = 0; g < groups; ++g) {
            std::uint64_t total = how == Fold::kProduct;
            for (const unsigned char* const at : members[g]) {
                std::uint64_t element = 0;
                std::memcpy(&element, at, item);
                total = how == Fold::kProduct ? total * element : total + element;
            }
            std::memcpy(expected.data() + g * item, &total, item);
        }
        compare("a total", expected, [&](unsigned char* out, const Policy& policy) {
            fold(all, how, out, policy);
        });
    }
}

void check_order(std::uint64_t longest) {
    const auto number = static_cast<Number>(g_random.below(sums::kNumberCount));
    const std::size_t item = sums::item_bytes(number);
    sums::Ordered how{number, 1 + g_random.below(4), 1 + g_random.below(longest),
                       1 + g_random.below(4), 0};
    how.count = 1 + g_random.below(how.size);
    const Bytes x = random_numbers(number, how.outer * how.size * how.inner);
    const bool smallest = g_random.below(2);
    const std::uint64_t found = how.outer * how.count * how.inner;
    Bytes values(found * item), numbers(found * 8);
    for (std::uint64_t chain = 0; chain < how.outer * how.inner; ++chain) {
        const std::uint64_t o = chain / how.inner, i = chain % how.inner;
        const auto at = [&](std::uint64_t k) {
            return x.data() + ((o * how.size + k) * how.inner + i) * item;
        };
        auto order = in_order(how.size);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            // From the smallest to a NaN is backwards from that to the smallest.
            const Value one = value_of(number, at(a)), other = value_of(number, at(b));
            return smallest ? comes_before(other, one, false) : comes_before(one, other, false);
        });
        for (std::uint64_t k = 0; k < how.count; ++k) {
            const std::uint64_t to = (o * how.count + k) * how.inner + i;
            std::copy_n(at(order[k]), item, values.data() + to * item);
            if (number <= Number::kDouble) quieted(number, values.data() + to * item);
            std::memcpy(numbers.data() + 8 * to, &order[k], 8);
        }
    }
    const Fold fold = smallest ? Fold::kSmallest : Fold::kLargest;
    compare("an order", numbers, [&](unsigned char* out, const Policy& policy) {
        Bytes unread(values.size());
        largest_in_order(x.data(), how, fold, unread.data(), reinterpret_cast<std::int64_t*>(out),
                         policy);
        if (unread != values) fail("elements in order differ on %s", policy.target->name);
    });
}

void check_windows() {
    const auto number = static_cast<Number>(g_random.below(sums::kNumberCount));
    const std::size_t item = sums::item_bytes(number);
    sums::Windows w{};
    w.channels = 1 + g_random.below(3);
    for (int k = 0; k < sums::kSpatial; ++k) {
        w.input[k] = 1 + g_random.below(7);
        w.size[k] = 1 + g_random.below(3);
        w.stride[k] = 1 + g_random.below(3);
        w.dilation[k] = 1 + g_random.below(3);
        w.start[k] = g_random.below(4);
        w.output[k] = 1 + g_random.below(5);
    }
    const std::uint64_t inputs = w.input[0] * w.input[1] * w.input[2];
    const Bytes x = random_numbers(number, w.channels * inputs);
    const std::uint64_t outputs = w.channels * w.output[0] * w.output[1] * w.output[2];
    Bytes values(outputs * item), numbers(outputs * 8);
    std::uint64_t to = 0;
    for_each({w.channels, w.output[0], w.output[1], w.output[2]}, [&](const Sizes& at) {
        std::int64_t best = -1;
        for_each({w.size[0], w.size[1], w.size[2]}, [&](const Sizes& position) {
            std::uint64_t place = at[0];
            for (int k = 0; k < sums::kSpatial; ++k) {
                const std::uint64_t along = at[static_cast<std::size_t>(k) + 1] * w.stride[k] +
                                            position[static_cast<std::size_t>(k)] * w.dilation[k];
                if (along < w.start[k] || along - w.start[k] >= w.input[k]) return;
                place = place * w.input[k] + along - w.start[k];
            }
            const Value value = value_of(number, x.data() + place * item);
            if (best < 0 || comes_before(value, value_of(number, x.data() + static_cast<std::size_t>(best) * item), false)) {
                best = static_cast<std::int64_t>(place);
            }
        });
        unsigned char* const value = values.data() + to * item;
        if (best >= 0) {
            std::copy_n(x.data() + static_cast<std::size_t>(best) * item, item, value);
            if (number <= Number::kDouble) quieted(number, value);
        } else if (number == Number::kSingle) {
            const float lowest = -HUGE_VALF;
            std::memcpy(value, &lowest, 4);
        } else if (number <= Number::kDouble) {
            const std::uint64_t lowest = number == Number::kHalf ? 0xFC00 : 0xFFF0000000000000;
            std::memcpy(value, &lowest, item);
        } else if (number < Number::kUInt8) {
            value[item - 1] = 0x80;
        }
        std::memcpy(numbers.data() + 8 * to++, &best, 8);
    });
    compare("largest of windows", numbers, [&](unsigned char* out, const Policy& policy) {
        Bytes found(values.size());
        largest_with_numbers(x.data(), number, w, found.data(), reinterpret_cast<std::int64_t*>(out),
                             policy);
        if (found != values) fail("elements of windows differ on %s", policy.target->name);
    });
}

}  // namespace
}  // namespace indirectml

int main(int count, char** arguments) {
    using namespace indirectml;
    g_program = "check_moving";
    const int cases = count > 1 ? std::atoi(arguments[1]) : 150;
    check_large_copies();
    for (int k = 0; k < cases; ++k) {
        check_copies();
        check_elements();
        check_tuples();
        check_slices();
        check_folds();
        check_order(90);
        if (k % 10 == 0) check_order(3000);
        check_windows();
    }
    std::printf("check_moving: %" PRIu64 " comparisons, no difference\n", g_comparisons);
}
