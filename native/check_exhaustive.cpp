// Every pair of start and delta of a small float format, both rules, for as long as a sequence
// runs.
//
// Without arguments: all pairs of formats of 6 and 8 bits, segment by segment and, up to four
// exponent bits, also element by element. With `--format 16,11`: all 2^32 pairs of FLOAT16, segment
// by segment: by an argument that covers each element of a segment, because multiply alone has more
// than 2^60 of them. `--stride P` takes a sample.
//
// The oracle is the definition and shares nothing with the native code: a table of all floats as integers,
// in units of the smallest subnormal, and "the nearest of them, of two the even one". Prints what
// was covered; stops at the first difference with exit code 1.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sequence.h"

namespace indirectml {

namespace {

__extension__ typedef __int128 Wide;

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

// ---- The oracle ---------------------------------------------------------------------------------

// Floats of `bits` bits with a significand of `precision`, at most five of them exponent. Below the
// sign, a bit pattern is the number of the float in the order of magnitudes.
class Oracle {
  public:
    Oracle(int bits, int precision)
        : bits(bits), precision(precision), sign(1u << (bits - 1)), nan(0), infinity(0) {
        const std::uint32_t hidden = 1u << (precision - 1);
        infinity = sign - hidden;
        nan = infinity + hidden / 2;
        for (std::uint32_t m = 0; m <= infinity; ++m) {
            const std::uint32_t field = m / hidden, fraction = m % hidden;
            const std::int64_t significand = field ? hidden + fraction : fraction;
            values_.push_back(significand << (field ? field - 1 : 0));
        }
        for (std::uint32_t m = 0; m < infinity; ++m) {
            twice_middle_.push_back(values_[m] + values_[m + 1]);
        }
    }

    const int bits, precision;
    const std::uint32_t sign;
    std::uint32_t nan, infinity;  // `nan` is the positive quiet one without payload

    std::uint32_t magnitude(std::uint32_t x) const { return x & (sign - 1); }
    bool is_negative(std::uint32_t x) const { return (x & sign) != 0; }
    bool is_nan(std::uint32_t x) const { return magnitude(x) > infinity; }
    bool is_finite(std::uint32_t x) const { return magnitude(x) < infinity; }
    // A finite float in units of the smallest subnormal. Infinity takes the place of the float that
    // would follow the largest one: IEEE 754 rounds to it as if it were that float.
    std::int64_t value(std::uint32_t x) const {
        const std::int64_t v = values_[magnitude(x)];
        return is_negative(x) ? -v : v;
    }

    // The float nearest to a number other than zero, of two the one with the even pattern.
    std::uint32_t nearest(Wide x) const {
        const Wide twice = 2 * (x < 0 ? -x : x);
        const auto it = std::lower_bound(twice_middle_.begin(), twice_middle_.end(), twice);
        auto m = static_cast<std::uint32_t>(it - twice_middle_.begin());
        if (it != twice_middle_.end() && *it == twice && m % 2) ++m;
        return m | (x < 0 ? sign : 0);
    }

    // The same as a question, without a search.
    bool is_nearest(Wide x, std::uint32_t pattern) const {
        const Wide twice = 2 * (x < 0 ? -x : x);
        const std::uint32_t m = magnitude(pattern);
        if (is_negative(pattern) != (x < 0) || m > infinity) return false;
        const bool even = m % 2 == 0;
        const bool above =
            m == 0 || twice_middle_[m - 1] < twice || (even && twice_middle_[m - 1] == twice);
        const bool below =
            m == infinity || twice < twice_middle_[m] || (even && twice == twice_middle_[m]);
        return above && below;
    }

    // start + index * delta, of finite numbers, in units. Fits: 64 + 41 bits.
    Wide exact(std::uint32_t start, std::uint64_t index, std::uint32_t delta) const {
        return value(start) + static_cast<Wide>(index) * value(delta);
    }

    // What start + index * delta is where no rounding takes part, or -1 where it does.
    std::int64_t special(std::uint32_t start, std::uint64_t index, std::uint32_t delta) const {
        if (is_nan(start) || is_nan(delta)) return nan;
        if (!is_finite(delta)) {
            const bool opposite = !is_finite(start) && is_negative(start) != is_negative(delta);
            return index == 0 || opposite ? nan : delta;  // zero times infinity is NaN
        }
        if (!is_finite(start)) return start;
        if (exact(start, index, delta) != 0) return -1;
        // Zeros of like sign keep it; any other exact zero is positive.
        return magnitude(start) == 0 && is_negative(start) && is_negative(delta) ? sign : 0;
    }

    std::uint32_t rounded(std::uint32_t start, std::uint64_t index, std::uint32_t delta) const {
        const std::int64_t known = special(start, index, delta);
        return known >= 0 ? static_cast<std::uint32_t>(known) : nearest(exact(start, index, delta));
    }

    bool is_rounded(std::uint32_t start, std::uint64_t index, std::uint32_t delta,
                    std::uint32_t pattern) const {
        const std::int64_t known = special(start, index, delta);
        return known >= 0 ? known == pattern : is_nearest(exact(start, index, delta), pattern);
    }

  private:
    std::vector<std::int64_t> values_, twice_middle_;
};

// ---- What is checked and how it is reported -----------------------------------------------------

struct Totals {
    std::uint64_t pairs = 0, segments = 0, compared = 0;
    double elements = 0;  // before a sequence stays as it is; of FLOAT16, more than 64 bits hold
};

// One sequence under check, and where the check is.
struct Case {
    const Oracle& oracle;
    Rule rule;
    std::uint32_t start, delta;
    Totals& totals;

    Sequence sequence() const { return {{oracle.bits, oracle.precision}, rule, start, delta}; }
    std::uint32_t low(std::uint64_t bits) const {
        return static_cast<std::uint32_t>(bits) & (2 * oracle.sign - 1);
    }

    [[noreturn]] void fail(std::uint64_t index, std::uint32_t expected, std::uint32_t given,
                           const char* what) const {
        static std::mutex mutex;
        const std::lock_guard<std::mutex> lock(mutex);
        std::printf("check_exhaustive: %s of %d-bit floats with precision %d: start 0x%04" PRIX32
                    ", delta 0x%04" PRIX32 ", element %" PRIu64 ": expected 0x%04" PRIX32
                    ", given 0x%04" PRIX32 " (%s)\n",
                    rule == Rule::kMultiply ? "multiply" : "accumulate", oracle.bits,
                    oracle.precision, start, delta, index, expected, given, what);
        std::fflush(stdout);
        std::_Exit(1);
    }
    // Segments follow each other without a gap, and none is empty.
    void check_place(const Segment& segment, std::uint64_t index) const {
        if (segment.first == index && segment.count > 0) return;
        std::printf("check_exhaustive: a segment of %" PRIu64 " elements starts at %" PRIu64
                    ", expected at %" PRIu64 "\n",
                    segment.count, segment.first, index);
        fail(index, 0, 0, "no segment holds this element");
    }
};

// ---- accumulate ---------------------------------------------------------------------------------

// What adding one delta does to every float x: `next[x]`, and for how many steps, from x on, the
// bit pattern moves by the same amount as in the first of them.
class Steps {
  public:
    static constexpr std::uint32_t kForever = UINT32_MAX;

    explicit Steps(const Oracle& oracle)
        : oracle_(oracle), next_(2 * oracle.sign), same_(2 * oracle.sign) {}

    void prepare(std::uint32_t delta) {
        const std::uint32_t count = 2 * oracle_.sign;
        for (std::uint32_t x = 0; x < count; ++x) next_[x] = oracle_.rounded(x, 1, delta);
        std::fill(same_.begin(), same_.end(), 0);
        for (std::uint32_t x = 0; x < count; ++x) {
            // Along unvisited floats to one that is known, and back. A circle would be longer than
            // there are floats: only a fixed point ends a sequence.
            path_.clear();
            for (std::uint32_t y = x; same_[y] == 0; y = next_[y]) {
                if (next_[y] == y) same_[y] = kForever;
                path_.push_back(y);
                if (path_.size() > count) std::abort();
            }
            while (!path_.empty()) {
                const std::uint32_t y = path_.back();
                path_.pop_back();
                if (same_[y] == kForever) continue;
                same_[y] = step(y) == step(next_[y]) ? same_[next_[y]] + 1 : 1;
            }
        }
    }

    std::uint32_t next(std::uint32_t x) const { return next_[x]; }
    std::uint32_t same(std::uint32_t x) const { return same_[x]; }
    std::uint32_t step(std::uint32_t x) const { return (next_[x] - x) & (2 * oracle_.sign - 1); }

  private:
    const Oracle& oracle_;
    std::vector<std::uint32_t> next_, same_, path_;
};

// Why this covers every element: let a segment begin with the right float x and move by the step of
// x for at most same(x) steps. Then each of its elements is next() of the one before. Its first
// element is next() of the last one of the segment before, or start. And the segment that never
// ends stands at a fixed point.
void check_accumulate(const Case& c, const Steps& steps) {
    const Sequence sequence = c.sequence();
    const int limit = 5 * c.oracle.precision + 18;
    Walker walker(sequence, 0);
    std::uint64_t index = 0;
    std::uint32_t expected = c.start;
    for (int number = 0; index < kIndexEnd; ++number, walker.advance()) {
        const Segment segment = walker.segment();
        c.check_place(segment, index);
        if (number == limit) c.fail(index, 0, 0, "more segments than there can be");
        const std::uint32_t first = c.low(segment.bits);
        if (first != expected) c.fail(index, expected, first, "first of a segment");
        if (!segment.is_affine()) c.fail(index, first, first, "a segment with a fraction");
        const std::uint64_t more = segment.count - 1;
        const bool same_step = more == 0 || c.low(segment.step) == steps.step(first);
        if (!same_step || (steps.same(first) != Steps::kForever && steps.same(first) < more)) {
            std::uint32_t x = first;
            for (std::uint64_t j = 1;; ++j) {  // ends: the steps differ somewhere
                x = steps.next(x);
                if (x != c.low(segment.at(j))) {
                    c.fail(index + j, x, c.low(segment.at(j)), "within a segment");
                }
            }
        }
        const std::uint32_t last = c.low(segment.at(more));
        // One element in each of some segments by the other way, which walks from the beginning.
        if ((c.start + c.delta + static_cast<std::uint32_t>(number)) % 64 == 0) {
            const std::uint64_t j = (c.start * std::uint64_t{0x9E3779B97F4A7C15}) % segment.count;
            const std::uint32_t given = c.low(element(sequence, index + j));
            const std::uint32_t wanted = c.low(first + j * segment.step);
            if (given != wanted) c.fail(index + j, wanted, given, "reached directly");
        }
        expected = steps.next(last);
        index += segment.count;
        ++c.totals.segments;
        if (index < kIndexEnd) c.totals.elements += static_cast<double>(segment.count);
    }
}

// ---- multiply -----------------------------------------------------------------------------------

// Whether all elements of a segment, of finite operands, are right. All but constant ones are
// described by a position that moves by a step, rounded to the bit pattern.
//
// 1. The exact values move in one direction. So if the outer two lie in one binade and have one
//    sign, all do; there the exact pattern of a value v is linear in v: k 2^(p-1) + |v| / 2^k, and
//    the float nearest to v has this pattern rounded to an integer, ties to even.
// 2. The step must be exactly delta / 2^k.
// 3. The position of the first element must be its exact pattern, or lie strictly between the same
//    two multiples of u, where u divides both the step and one half. Then the same holds for all
//    later elements, and no integer or tie, all of them multiples of u, comes between the position
//    and the exact pattern. So both round alike.
bool is_proved(const Case& c, const Segment& segment) {
    const Oracle& o = c.oracle;
    const Wide first = o.exact(c.start, segment.first, c.delta);
    const Wide last = o.exact(c.start, segment.first + (segment.count - 1), c.delta);
    // 1.
    if ((first < 0) != (last < 0)) return false;
    const Wide first_size = first < 0 ? -first : first, last_size = last < 0 ? -last : last;
    const Wide low = std::min(first_size, last_size), high = std::max(first_size, last_size);
    if (high > o.value(o.infinity)) return false;
    const int low_bits = low == 0 ? 0 : 64 - __builtin_clzll(static_cast<std::uint64_t>(low));
    const int k = std::max(0, low_bits - o.precision);
    if (high > Wide{1} << (o.precision + k)) return false;
    // 2. In 2^-64 of a pattern. Fits: 64 + 11 + 1 bits.
    const bool growing = (o.value(c.delta) < 0) == (first < 0);
    const auto size = static_cast<Wide>(std::abs(o.value(c.delta))) << (64 - k);
    const auto step = static_cast<unsigned __int128>(growing ? size : -size);
    if (static_cast<std::uint64_t>(step) != segment.fraction_step) return false;
    if (c.low(static_cast<std::uint64_t>(step >> 64)) != c.low(segment.step)) return false;
    // 3.
    const Wide exact = (static_cast<Wide>(k) << (64 + o.precision - 1)) + (first_size << (64 - k));
    const std::uint32_t pattern = c.low(segment.bits);
    const Wide given = (static_cast<Wide>(o.magnitude(pattern)) << 64) + segment.fraction;
    if (o.is_negative(pattern) != (first < 0)) return false;
    if (given == exact) return true;
    const Wide u = std::min(size & -size, static_cast<Wide>(kHalf));
    const auto multiple = [u](Wide a) { return a & -u; };
    return multiple(given) == multiple(exact) && multiple(given) != given &&
           multiple(exact) != exact;
}

// Whether all elements of a segment that repeats one float are right, if the outer two are: with
// finite operands values move in one direction, and so do the floats nearest to them. With others,
// all elements from number 1 on are equal by the rules of NaN, infinity and zero.
bool is_constant(const Segment& segment) { return (segment.step | segment.fraction_step) == 0; }

void check_multiply(const Case& c) {
    const Oracle& o = c.oracle;
    const Sequence sequence = c.sequence();
    const bool finite = o.is_finite(c.start) && o.is_finite(c.delta);
    Walker walker(sequence, 0);
    for (std::uint64_t index = 0; index < kIndexEnd; walker.advance()) {
        const Segment segment = walker.segment();
        c.check_place(segment, index);
        const std::uint64_t more = segment.count - 1;
        const auto check = [&](std::uint64_t i, std::uint64_t bits, const char* what) {
            if (o.is_rounded(c.start, i, c.delta, c.low(bits))) return;
            c.fail(i, o.rounded(c.start, i, c.delta), c.low(bits), what);
        };
        check(index, segment.at(0), "first of a segment");
        check(index + more, segment.at(more), "last of a segment");
        if (more > 0 && !is_constant(segment) && !(finite && is_proved(c, segment))) {
            for (std::uint64_t j = 0; j <= std::min(more, std::uint64_t{1} << 30); ++j) {
                check(index + j, segment.at(j), "within a segment");
            }
            c.fail(index, 0, 0, "the description of this segment is not exact");
        }
        if ((c.start + c.delta + index) % 16 == 0) {
            const std::uint64_t j = (index * 3 + c.start) % segment.count;
            check(index + j, segment.at(j), "within a segment");
            check(index + j, element(sequence, index + j), "reached directly");
        }
        index += segment.count;
        ++c.totals.segments;
        if (index < kIndexEnd) c.totals.elements += static_cast<double>(segment.count);
    }
}

// Whether all elements can be looked at: a sequence under `multiply` has up to 2^(p + 2^e).
bool is_countable(const Oracle& oracle) { return oracle.bits - oracle.precision <= 4; }

// Every element of a sequence, without an argument: up to one that addition gives back, or up to an
// infinity, and one more.
void check_every_element(const Case& c) {
    const Oracle& o = c.oracle;
    const bool product = c.rule == Rule::kMultiply;
    Walker walker(c.sequence(), 0);
    Segment segment = walker.segment();
    std::uint32_t expected = product ? o.rounded(c.start, 0, c.delta) : c.start;
    for (std::uint64_t index = 0, after_end = 0; after_end < 2; ++index) {
        if (segment.count == 0) {
            walker.advance();
            segment = walker.segment();
        }
        const std::uint32_t given = c.low(segment.at(0));
        if (given != expected) c.fail(index, expected, given, "one by one");
        segment.advance(1);
        const std::uint32_t next =
            product ? o.rounded(c.start, index + 1, c.delta) : o.rounded(expected, 1, c.delta);
        const bool can_move = product && o.is_finite(expected) && o.magnitude(c.delta) != 0;
        if (next == expected && !can_move) ++after_end;
        expected = next;
        ++c.totals.compared;
    }
}

// ---- Work ---------------------------------------------------------------------------------------

struct Options {
    int bits = 0, precision = 0;
    std::string rule = "both";
    std::uint64_t from = 0, to = UINT64_MAX, part = 1, parts = 1, stride = 1, threads = 0;
};

std::vector<std::uint32_t> deltas_of(const Options& options, std::uint64_t last) {
    std::vector<std::uint32_t> deltas;
    const std::uint64_t to = std::min(options.to, last);
    for (std::uint64_t d = options.from; d <= to; d += options.stride) {
        deltas.push_back(static_cast<std::uint32_t>(d));
    }
    const std::uint64_t count = deltas.size();
    const auto at = [&](std::uint64_t part) {
        return deltas.begin() + static_cast<std::ptrdiff_t>(count * part / options.parts);
    };
    return {at(options.part - 1), at(options.part)};
}

void check_delta(const Oracle& oracle, Rule rule, std::uint32_t delta, std::uint64_t stride,
                 Steps& steps, Totals& totals) {
    if (rule == Rule::kAccumulate) steps.prepare(delta);
    // Another residue for every delta, so that a sample meets all starts.
    for (std::uint64_t start = delta / stride % stride; start < 2 * oracle.sign; start += stride) {
        const Case c{oracle, rule, static_cast<std::uint32_t>(start), delta, totals};
        ++totals.pairs;
        if (is_countable(oracle)) check_every_element(c);
        if (rule == Rule::kAccumulate) {
            check_accumulate(c, steps);
        } else {
            check_multiply(c);
        }
    }
}

void run(const Oracle& oracle, Rule rule, const Options& options) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const std::vector<std::uint32_t> deltas = deltas_of(options, 2 * oracle.sign - 1);
    std::atomic<std::size_t> taken{0};
    std::mutex mutex;
    Totals totals;
    double reported = 5;
    const auto work = [&] {
        Steps steps(oracle);
        Totals own;
        for (std::size_t k; (k = taken++) < deltas.size();) {
            check_delta(oracle, rule, deltas[k], options.stride, steps, own);
            const std::lock_guard<std::mutex> lock(mutex);
            if (seconds() < reported) continue;
            reported = seconds() + 5;
            std::fprintf(stderr, "%.0f s: %zu of %zu deltas\n", seconds(), k + 1, deltas.size());
        }
        const std::lock_guard<std::mutex> lock(mutex);
        totals.pairs += own.pairs;
        totals.segments += own.segments;
        totals.elements += own.elements;
        totals.compared += own.compared;
    };
    std::vector<std::thread> threads;
    for (std::uint64_t k = 1; k < options.threads; ++k) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    std::printf("%s, %d bits, precision %d: %zu deltas",
                rule == Rule::kMultiply ? "multiply" : "accumulate", oracle.bits, oracle.precision,
                deltas.size());
    if (!deltas.empty()) {
        std::printf(" from 0x%04" PRIX32 " to 0x%04" PRIX32, deltas.front(), deltas.back());
    }
    std::printf(", every start%s: %" PRIu64 " pairs, %" PRIu64
                " segments of %.6g elements before the last, %" PRIu64
                " elements one by one, no difference, %.1f s, %" PRIu64 " threads\n",
                options.stride == 1 ? "" : " of a stride", totals.pairs, totals.segments,
                totals.elements, totals.compared, seconds(), options.threads);
    std::fflush(stdout);
}

[[noreturn]] void usage(const char* problem) {
    std::fprintf(stderr,
                 "check_exhaustive: %s\n"
                 "usage: check_exhaustive [--format BITS,PRECISION] [--rule "
                 "accumulate|multiply|both]\n"
                 "       [--from DELTA] [--to DELTA] [--part K/N] [--stride P] [--threads T]\n"
                 "DELTA is a bit pattern, both ends included; K is 1 to N.\n",
                 problem);
    std::exit(2);
}

Options parse(int count, char** words) {
    Options options;
    options.threads = std::max(1u, std::thread::hardware_concurrency());
    for (int k = 1; k < count; k += 2) {
        const std::string name = words[k];
        if (k + 1 == count) usage((name + " needs a value").c_str());
        const char* text = words[k + 1];
        char* end = nullptr;
        const std::uint64_t number = std::strtoull(text, &end, 0);
        const bool two = *end == ',' || *end == '/';
        const std::uint64_t second = two ? std::strtoull(end + 1, &end, 0) : 0;
        if (name != "--rule" && *end != '\0') usage((name + " needs a number").c_str());
        if (name == "--format") {
            options.bits = static_cast<int>(number);
            options.precision = static_cast<int>(second);
            const int exponent_bits = options.bits - options.precision;
            if (number > 16 || second < 2 || exponent_bits < 2 || exponent_bits > 5) {
                usage("a format has up to 16 bits, a precision from 2, 2 to 5 exponent bits");
            }
        } else if (name == "--rule") {
            options.rule = text;
        } else if (name == "--from") {
            options.from = number;
        } else if (name == "--to") {
            options.to = number;
        } else if (name == "--part") {
            options.part = number;
            options.parts = second;
            if (number < 1 || number > second) usage("--part needs K/N, such as 1/4");
        } else if (name == "--stride") {
            options.stride = std::max<std::uint64_t>(number, 1);
        } else if (name == "--threads") {
            options.threads = std::max<std::uint64_t>(number, 1);
        } else {
            usage((name + " is not an option").c_str());
        }
    }
    if (options.rule != "accumulate" && options.rule != "multiply" && options.rule != "both") {
        usage("a rule is accumulate, multiply or both");
    }
    return options;
}

}  // namespace

}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    const Options options = parse(count, words);
    struct Shape {
        int bits, precision;
    };
    std::vector<Shape> shapes = {{6, 3}, {6, 4}, {8, 3}, {8, 4}, {8, 5}};
    if (options.bits != 0) shapes = {{options.bits, options.precision}};
    for (const Shape& shape : shapes) {
        const Oracle oracle(shape.bits, shape.precision);
        if (options.rule != "multiply") run(oracle, Rule::kAccumulate, options);
        if (options.rule != "accumulate") run(oracle, Rule::kMultiply, options);
    }
    return 0;
}
