// Checks of the native code without Python: for sanitizers, and for processors that are emulated.
//
// Every target's kernels are compared with the portable ones, the portable ones with the definition
// of a segment, and sequences with plain loops of the compiler's own floats.
// Inputs are borders and seeded pseudo-random numbers. Prints what ran and one summary line;
// stops at the first difference with exit code 1.
#include <algorithm>
#include <cfenv>
#include <cfloat>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check_support.h"
#include "compiler.h"
#include "course.h"
#include "fill.h"
#include "floats.h"
#include "sequence.h"
#include "targets/processor.h"
#include "targets/target.h"
#include "wide.h"

#if defined(INDIRECTML_X86_64)
#include <immintrin.h>
#endif

namespace indirectml {

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Wide;
#endif

namespace {

// ---- 128-bit arithmetic -------------------------------------------------------------------------

#if defined(__SIZEOF_INT128__)

Wide wide(U128 a) { return (static_cast<Wide>(a.high) << 64) | a.low; }

void check_equal(const char* what, Wide actual, Wide expected, U128 a, U128 b) {
    ++g_comparisons;
    if (actual == expected) return;
    fail("%s of 0x%016" PRIX64 "%016" PRIX64 " and 0x%016" PRIX64 "%016" PRIX64 " is 0x%016" PRIX64
         "%016" PRIX64 ", expected 0x%016" PRIX64 "%016" PRIX64,
         what, a.high, a.low, b.high, b.low, static_cast<std::uint64_t>(actual >> 64),
         static_cast<std::uint64_t>(actual), static_cast<std::uint64_t>(expected >> 64),
         static_cast<std::uint64_t>(expected));
}

void check_wide() {
    Random random(1);
    const auto any = [&] {
        U128 a = U128{random.word(), random.word()} >> random.between(0, 127);
        if (random.below(4) == 0) a = U128{0, 1} << random.between(0, 127);
        if (random.below(4) == 0) a = a - U128{0, 1};
        return a;
    };
    for (int round = 0; round < 200000; ++round) {
        const U128 a = any(), b = any();
        const Wide x = wide(a), y = wide(b);
        const int n = random.between(0, 127);
        const U128 shift{0, static_cast<std::uint64_t>(n)};
        check_equal("the sum", wide(a + b), x + y, a, b);
        check_equal("the difference", wide(a - b), x - y, a, b);
        check_equal("the negative", wide(-a), -x, a, b);
        check_equal("the product", wide(a * b.low), x * b.low, a, b);
        check_equal("the full product", wide(multiply(a.low, b.low)),
                    static_cast<Wide>(a.low) * b.low, a, b);
        check_equal("the product by halves", wide(multiply_by_halves(a.low, b.low)),
                    static_cast<Wide>(a.low) * b.low, a, b);
        check_equal("the upper half of the product", multiply_high(a.low, b.low),
                    (static_cast<Wide>(a.low) * b.low) >> 64, a, b);
        check_equal("the order", a < b, x < y, a, b);
        check_equal("the order or equality", a <= b, x <= y, a, b);
        check_equal("the left shift", wide(a << n), x << n, a, shift);
        check_equal("the right shift", wide(a >> n), x >> n, a, shift);
        int zeros = 0;
        while (zeros < 128 && !((x << zeros) >> 127)) ++zeros;
        check_equal("the leading zeros", leading_zeros(a), zeros, a, b);
        check_equal("the leading zeros by halves", leading_zeros_by_halves(a.low),
                    leading_zeros(a.low), a, b);
        if (a.low != 0) {
            int lowest = 0;
            while (!(x >> lowest & 1)) ++lowest;
            check_equal("the trailing zeros", count_trailing_zeros(a.low), lowest, a, b);
        }
        if (y == 0) continue;
        const Wide quotient = x / y;
        const Wide largest = UINT64_MAX;
        check_equal("the quotient", divide(a, b), quotient < largest ? quotient : largest, a, b);
        if (quotient <= largest) {
            check_equal("the long division", divide_bit_by_bit(a, b), quotient, a, b);
        }
    }
    check_equal("a shift by 128", wide(U128{~0ULL, ~0ULL} << 128), 0, {0, 0}, {0, 128});
    check_equal("a shift by 128", wide(U128{~0ULL, ~0ULL} >> 128), 0, {0, 0}, {0, 128});
}
#else
void check_wide() {}
#endif

// ---- Kernels ------------------------------------------------------------------------------------

std::uint64_t load(const unsigned char* from, int log2_bytes) {
    std::uint64_t bits = 0;
    for (int k = 0; k < 1 << log2_bytes; ++k) bits |= std::uint64_t{from[k]} << (8 * k);
    return bits;
}

// What a kernel is asked to do.
struct Task {
    int log2_bytes;
    bool affine;
    Store store;
    std::size_t count;
    std::size_t past;
    Segment segment;

    std::size_t bytes() const { return count << log2_bytes; }
    std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - (8 << log2_bytes)); }
    Course course() const {
        return {{segment.bits, segment.fraction}, {segment.step, segment.fraction_step}};
    }
    void run(const Target& target, unsigned char* out) const {
        if (affine) {
            target.affine[log2_bytes](out, count, segment.bits, segment.step, store);
        } else {
            const FixedPoint course =
                fixed_point(log2_bytes, 16 << log2_bytes, this->course(), count);
            target.fraction[log2_bytes](out, count, course, store);
        }
    }
    std::string text() const {
        char buffer[320];
        std::snprintf(buffer, sizeof(buffer),
                      "%s kernel, %d-byte elements, %s, count %zu, %zu bytes past alignment, "
                      "bits 0x%016" PRIX64 " step 0x%016" PRIX64 " fraction 0x%016" PRIX64
                      " fraction step 0x%016" PRIX64,
                      affine ? "affine" : "fraction", 1 << log2_bytes,
                      store == Store::kStreaming ? "streaming" : "cached", count, past,
                      segment.bits, segment.step, segment.fraction, segment.fraction_step);
        return buffer;
    }
};

void check_guards(const Target& target, const Task& task, const unsigned char* out) {
    std::ptrdiff_t where = 0;
    if (!Memory::guards_hold(out, task.bytes(), &where)) {
        fail("%s, %s: wrote %td bytes from the first element", target.name, task.text().c_str(),
             where);
    }
}

void check_task(const Target& target, const Target& portable, const Task& task, Memory& expected,
                Memory& actual) {
    task.run(portable, expected.at(0));
    unsigned char* out = actual.at(task.past);
    Memory::set_guards(out, task.bytes());
    task.run(target, out);
    g_comparisons += task.count;
    if (std::memcmp(out, expected.at(0), task.bytes()) != 0) {
        for (std::size_t j = 0; j < task.count; ++j) {
            const std::size_t offset = j << task.log2_bytes;
            const std::uint64_t given = load(out + offset, task.log2_bytes);
            const std::uint64_t wanted = load(expected.at(0) + offset, task.log2_bytes);
            if (given == wanted) continue;
            fail("%s, %s: element %zu is 0x%016" PRIX64 ", portable has 0x%016" PRIX64, target.name,
                 task.text().c_str(), j, given, wanted);
        }
    }
    check_guards(target, task, out);
}

// The portable kernels against the definition of a segment, which multiplies instead of adding.
void check_definition(const Target& portable, const Task& task, Memory& memory) {
    unsigned char* out = memory.at(task.past);
    Memory::set_guards(out, task.bytes());
    task.run(portable, out);
    g_comparisons += task.count;
    for (std::size_t j = 0; j < task.count; ++j) {
        const std::uint64_t given = load(out + (j << task.log2_bytes), task.log2_bytes);
        const std::uint64_t wanted = task.segment.at(j) & task.mask();
        if (given == wanted) continue;
        fail("%s, %s: element %zu is 0x%016" PRIX64 ", its definition says 0x%016" PRIX64,
             portable.name, task.text().c_str(), j, given, wanted);
    }
    check_guards(portable, task, out);
}

// With a fraction that is as long as an element, or, for slow steps, as long as the kernel takes.
Segment random_segment(Random& random, int log2_bytes, bool affine, std::size_t count) {
    static const std::vector<int> kWidths = {0, 1, 7, 8, 15, 16, 31, 32, 63};
    const int element_bits = 8 << log2_bytes;
    const std::uint64_t slow = random.below(2) ? random.below(4) : 0;
    const int reach_bits = 64 - leading_zeros((slow + 1) * count + 4);
    const bool is_slow = log2_bytes < 3 && random.below(2) && reach_bits < element_bits;
    const int bits = is_slow ? 2 * element_bits - reach_bits : element_bits;
    const std::uint64_t unit = std::uint64_t{1} << (64 - bits);
    const std::uint64_t half = std::uint64_t{1} << 63;
    const auto whole = [&] {
        const std::uint64_t border = std::uint64_t{1} << random.one_of(kWidths);
        return random.below(2) ? border + random.below(5) - 2 : random.word();
    };
    const auto part = [&]() -> std::uint64_t {
        switch (random.below(6)) {
            case 0:
                return 0;
            case 1:
                return half + unit * (random.below(3) - 1);
            case 2:
                return unit * (random.below(5) - 2);
            case 3:
                return std::uint64_t{1} << random.between(64 - bits, 63);
            case 4:
                return std::uint64_t{3} << random.between(64 - bits, 62);
            default:
                return random.word() & ~(unit - 1);
        }
    };
    if (affine) return {0, kIndexEnd, whole(), whole(), 0, 0};
    const std::uint64_t step = !is_slow ? whole() : random.below(2) ? slow : ~slow;
    Segment segment{0, kIndexEnd, whole(), step, part(), part()};
    // A tie at an early element, however rare ties are.
    if (random.below(4) == 0) segment.fraction = half - random.below(100) * segment.fraction_step;
    return segment;
}

void check_kernels(const Target& target, const Target& portable) {
    Random random(2);
    const std::size_t capacity = 3 * 4096;
    Memory expected(capacity), actual(capacity);
    for (int log2_bytes = 0; log2_bytes < 4; ++log2_bytes) {
        const std::size_t lanes = kVectorBytes >> log2_bytes;
        std::vector<std::size_t> counts;
        for (std::size_t n = 0; n <= 2 * lanes + 1; ++n) counts.push_back(n);
        for (const std::size_t n :
             {4 * lanes, 5 * lanes, 8 * lanes, std::size_t{4096} >> log2_bytes}) {
            for (const std::size_t m : {n - 1, n, n + 1, n + lanes - 1}) counts.push_back(m);
        }
        for (const std::size_t count : counts) {
            for (std::size_t past = 0; past <= kVectorBytes; ++past) {
                for (const bool affine : {true, false}) {
                    for (const Store store : {Store::kCached, Store::kStreaming}) {
                        const Segment segment = random_segment(random, log2_bytes, affine, count);
                        const Task task{log2_bytes, affine, store, count, past, segment};
                        if (!affine && !fits_fixed_point(log2_bytes, task.course(), count)) {
                            fail("%s: does not fit fixed point", task.text().c_str());
                        }
                        if (&target == &portable) {
                            check_definition(portable, task, actual);
                        } else {
                            check_task(target, portable, task, expected, actual);
                        }
                    }
                }
            }
        }
    }
}

// ---- Whole fills --------------------------------------------------------------------------------

// Fills one view under several policies. What memory should hold is found by an odometer over all
// coordinates; bytes outside of the view must not change.
void check_view(const char* what, const Sequence& s, std::uint64_t first,
                const std::vector<Axis>& axes, std::int64_t begin, std::size_t capacity,
                const std::vector<Policy>& policies) {
    int log2_bytes = 0;
    while ((8 << log2_bytes) < s.format.bits) ++log2_bytes;
    std::vector<unsigned char> before(capacity);
    for (std::size_t k = 0; k < capacity; ++k) before[k] = static_cast<unsigned char>(k % 251);
    std::vector<unsigned char> expected = before;
    std::uint64_t count = 1;
    for (const Axis& axis : axes) count *= axis.size;
    std::vector<std::uint64_t> coordinates(axes.size());
    Walker walker(s, first);
    Segment segment = walker.segment();
    for (std::uint64_t i = 0; i < count; ++i) {
        std::int64_t at = begin;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            at += static_cast<std::int64_t>(coordinates[k]) * axes[k].stride_bytes;
        }
        if (segment.count == 0) {
            walker.advance();
            segment = walker.segment();
        }
        const std::uint64_t bits = segment.at(0);
        segment.advance(1);
        for (int k = 0; k < 1 << log2_bytes; ++k) {
            expected[static_cast<std::size_t>(at + k)] =
                static_cast<unsigned char>(bits >> (8 * k));
        }
        for (std::size_t k = axes.size(); k-- > 0;) {
            if (++coordinates[k] < axes[k].size) break;
            coordinates[k] = 0;
        }
    }
    for (const Policy& policy : policies) {
        std::vector<unsigned char> bytes = before;
        fill({bytes.data() + begin, log2_bytes, static_cast<int>(axes.size()), axes.data()}, s,
             first, policy);
        g_comparisons += count;
        if (bytes == expected) continue;
        std::size_t k = 0;
        while (bytes[k] == expected[k]) ++k;
        fail("%s of %zu axes, %s, %u threads, streaming from %" PRIu64
             ", %d-bit elements from %" PRIu64 ", start 0x%016" PRIX64 ", delta 0x%016" PRIX64
             ": byte %td from the first element is 0x%02X, expected 0x%02X",
             what, axes.size(), policy.target->name, policy.max_threads, policy.streaming_bytes,
             s.format.bits, first, s.start, s.delta,
             static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(begin), bytes[k],
             expected[k]);
    }
}

void check_fills(const TargetList& targets) {
    std::vector<Policy> one_thread, threads;
    for (std::size_t k = 0; k < targets.count; ++k) {
        const Target* target = targets.begin[k];
        const std::uint64_t share = std::uint64_t{1} << 20;
        one_thread.push_back({target, 1, UINT64_MAX});
        threads.push_back({target, 1, 1});
        threads.push_back({target, 2, UINT64_MAX, share});
        threads.push_back({target, 3, 1, share});
    }
    const Format single = FormatOf<float>::kFormat, twice = FormatOf<double>::kFormat;
    const std::uint64_t start = to_bits(-100.25F), delta = to_bits(0.7F);
    const std::vector<Sequence> sequences = {
        {{8, 0}, Rule::kAccumulate, 250, 3},
        {{16, 0}, Rule::kAccumulate, 0x7FFF, 0xFFFE},
        {{16, 11}, Rule::kAccumulate, 0x5640, 0xB99A},
        {{16, 11}, Rule::kMultiply, 0xD640, 0x399A},
        {{16, 11}, Rule::kAccumulate, 0x60B0, 0x3C00},  // segments of hundreds of elements
        {{16, 11}, Rule::kMultiply, 0x60B0, 0x3C66},
        {{16, 11}, Rule::kMultiply, 0x6400, 0x3800},  // half a spacing: every second one is a tie
        {{16, 11}, Rule::kMultiply, 0x4400, 0x07FF},  // runs of 32
        {{16, 11}, Rule::kMultiply, 0x4700, 0x87FF},
        {{16, 11}, Rule::kMultiply, 0x4800, 0x0001},  // ties once in a while
        {{16, 11}, Rule::kMultiply, 0x4900, 0x8001},  // and in falling ones
        {{8, 3}, Rule::kMultiply, 0x3D, 0x01},        // runs that end at ties
        {{8, 3}, Rule::kMultiply, 0x3E, 0x81},        // and falling ones
        {single, Rule::kAccumulate, start, delta},
        {single, Rule::kMultiply, start, delta},
        {single, Rule::kMultiply, to_bits(7.0F), to_bits(-1.8e-9F)},  // runs of 256
        {{64, 0}, Rule::kAccumulate, 5, UINT64_MAX},
        {twice, Rule::kMultiply, to_bits(-100.25), to_bits(0.7)},
        {twice, Rule::kMultiply, to_bits(7.0), to_bits(-4.2e-19)},  // runs of 2048
    };
    for (const Sequence& s : sequences) {
        const std::int64_t w = s.format.bits / 8;
        // 1. Small views of every kind. The strides of absent and of single elements may be any.
        const std::int64_t far = INT64_MAX / 2;
        const std::vector<std::vector<Axis>> layouts = {
            {},
            {{37, w}},
            {{37, -w}},
            {{19, 3 * w}},
            {{7, 11 * w}, {11, w}},
            {{7, 11 * w}, {11, -w}},
            {{7, -11 * w}, {9, w}},
            {{11, w}, {7, 11 * w}},
            {{37, w}, {45, 37 * w}},
            {{37, -w}, {45, -23 * w - 36 * w}},
            {{4, 3 * w}, {3, w}, {50, 12 * w}},
            {{4, 300 * w}, {3, -100 * w}, {99, -w}},
            {{3, 5 * w}, {1, far}, {4, 20 * w}, {5, w}},
            {{3, -5 * w}, {4, 20 * w}, {2, 2 * w}, {1, -far}},
            {{2, 25 * w}, {3, 8 * w}, {3, -50 * w}, {4, 2 * w}},
            {{11, w}, {8, 11 * w}},  // in the order of memory, neighbours are 8 elements apart
            {{6, 13 * w + 1}, {13, w}},
            {{5, 0}, {0, w}},
            {{0, far}, {5, far}},
            {{5, -far}, {3, far}, {0, far}},
        };
        for (const std::vector<Axis>& axes : layouts) {
            for (const int log2_first : {0, 7, 33}) {
                const std::uint64_t first = (std::uint64_t{1} << log2_first) - 1;
                check_view("a small view", s, first, axes, 32769, 65536, one_thread);
            }
        }
        // 2. Large ones, of three mebibytes for three threads.
        const std::size_t capacity = std::size_t{13} << 18;
        const auto count = static_cast<std::uint64_t>(capacity / static_cast<std::size_t>(w));
        check_view("a large view", s, 0, {{count - 99, w}}, 5 * w, capacity, threads);
        check_view("a large view", s, 3, {{count / 61 - 5, 61 * w}, {60, w}}, 3 * w + 1, capacity,
                   threads);
        // A rest that equal shares would leave.
        const std::uint64_t shares = 3 * 4096 * (count / (3 * 4096) - 1);
        check_view("a large view", s, 0, {{shares + 2, w}}, 5 * w, capacity, threads);
        // One segment, shared in the order of memory.
        if (s.format.is_float()) continue;
        const auto rows = static_cast<std::int64_t>(count / 61);
        const std::vector<Axis> turned = {{60, w}, {count / 61, -60 * w}};
        check_view("a turned view", s, 5, turned, 60 * w * (rows - 1), capacity, threads);
    }
}

// is_nested against its definition, and against the bytes of small views.
void check_nested() {
    Random random(10);
    for (int round = 0; round < 100000; ++round) {
        const int log2_bytes = random.between(0, 3), rank = random.between(0, 4);
        std::vector<Axis> axes;
        std::int64_t tight = std::int64_t{1} << log2_bytes;
        for (int k = 0; k < rank; ++k) {
            // Near to where elements begin to share bytes, in any order and direction.
            const std::int64_t stride = random.below(8) ? tight + random.between(-1, 1) : 3;
            const Axis axis{random.below(5), random.below(2) ? stride : -stride};
            if (axis.size > 1) tight += stride * static_cast<std::int64_t>(axis.size - 1);
            axes.insert(axes.begin() + random.between(0, k), axis);
        }
        std::vector<Axis> sorted;
        std::uint64_t count = 1;
        for (const Axis& axis : axes) {
            count *= axis.size;
            if (axis.size != 1) sorted.push_back({axis.size, std::abs(axis.stride_bytes)});
        }
        std::sort(sorted.begin(), sorted.end(),
                  [](const Axis& a, const Axis& b) { return a.stride_bytes < b.stride_bytes; });
        bool expected = true;
        std::int64_t reach = std::int64_t{1} << log2_bytes;
        for (const Axis& axis : sorted) {
            if (axis.stride_bytes < reach) expected = false;
            reach += axis.stride_bytes * static_cast<std::int64_t>(axis.size - 1);
        }
        unsigned char memory = 0;  // never accessed
        const View view{&memory, log2_bytes, rank, axes.data()};
        ++g_comparisons;
        if (is_nested(view) != (expected || count == 0)) {
            fail("is_nested of %d axes, the first of %" PRIu64 " elements %" PRId64
                 " bytes apart, is %d",
                 rank, axes.empty() ? 0 : axes[0].size, axes.empty() ? 0 : axes[0].stride_bytes,
                 !expected);
        }
        if (!expected || count == 0) continue;
        std::vector<bool> taken(static_cast<std::size_t>(reach));
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t rest = i, at = 0;
            for (const Axis& axis : sorted) {
                at += rest % axis.size * static_cast<std::uint64_t>(axis.stride_bytes);
                rest /= axis.size;
            }
            for (std::uint64_t byte = at; byte < at + (std::uint64_t{1} << log2_bytes); ++byte) {
                if (taken[byte]) fail("elements of a nested view share a byte");
                taken[byte] = true;
            }
        }
    }
}

// ---- The processor's floating-point modes -------------------------------------------------------

// Makes subnormal operands and results zero, where the processor can; returns whether it does.
bool flush_subnormals(bool on) {
#if defined(INDIRECTML_X86_64)
    constexpr unsigned kFlushToZero = 1u << 15, kDenormalsAreZero = 1u << 6;
    const unsigned flags = kFlushToZero | kDenormalsAreZero;
    _mm_setcsr(on ? _mm_getcsr() | flags : _mm_getcsr() & ~flags);
#elif defined(__aarch64__) && defined(__GNUC__)
    std::uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;
    control = on ? control | kFlushToZero : control & ~kFlushToZero;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#else
    return !on;
#endif
    volatile double smallest = DBL_MIN;
    const volatile double half = smallest / 2;
    return (half == 0) == on;
}

// The bits of subnormal, rounded and converted results, by all ways to them.
std::vector<unsigned char> results(const TargetList& targets) {
    const Format single = FormatOf<float>::kFormat, twice = FormatOf<double>::kFormat;
    const std::vector<Sequence> sequences = {
        {{16, 11}, Rule::kAccumulate, 0x8009, 0x0001},
        {{16, 11}, Rule::kMultiply, 0x83F0, 0x0003},
        {single, Rule::kAccumulate, 0x80000100, 3},
        {single, Rule::kMultiply, 0x80000100, 3},
        {single, Rule::kAccumulate, 0x3DCCCCCD, 0x3E4CCCCD},
        {single, Rule::kMultiply, 0x3DCCCCCD, 0x3E4CCCCD},
        {twice, Rule::kAccumulate, 0x000FFFFFFFFFFF00, 7},
        {twice, Rule::kMultiply, 0x000FFFFFFFFFFF00, 7},
        {twice, Rule::kMultiply, 0x3FB999999999999A, 0xBFD3333333333333},
    };
    std::vector<unsigned char> all;
    for (std::size_t k = 0; k < targets.count; ++k) {
        const std::vector<unsigned char> bytes = function_results(*targets.begin[k]);
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    const auto keep = [&](std::uint64_t bits) {
        for (int k = 0; k < 8; ++k) all.push_back(static_cast<unsigned char>(bits >> (8 * k)));
    };
    for (const Sequence& s : sequences) {
        int log2_bytes = 0;
        while ((8 << log2_bytes) < s.format.bits) ++log2_bytes;
        const Axis axis{1000, s.format.bits / 8};
        std::vector<unsigned char> bytes(axis.size << log2_bytes);
        for (std::size_t k = 0; k < targets.count; ++k) {
            fill({bytes.data(), log2_bytes, 1, &axis}, s, 0, {targets.begin[k], 1, UINT64_MAX});
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
        for (std::uint64_t i = 0; i < axis.size; ++i) keep(element(s, i));
        keep(convert(twice, single, s.start << 25));
        keep(convert(single, twice, s.delta));
        keep(convert(twice, {16, 11}, 0x3E60000000000001));  // a subnormal of FLOAT16
    }
    return all;
}

// No mode of the calling thread changes a bit.
void check_modes(const TargetList& targets) {
    const std::vector<unsigned char> expected = results(targets);
    const auto check = [&](const char* mode) {
        const std::vector<unsigned char> actual = results(targets);
        std::fesetround(FE_TONEAREST);
        flush_subnormals(false);
        g_comparisons += expected.size();
        if (actual != expected) fail("results differ when the calling thread %s", mode);
    };
    std::fesetround(FE_UPWARD);
    check("rounds upwards");
    std::fesetround(FE_DOWNWARD);
    check("rounds downwards");
    std::fesetround(FE_TOWARDZERO);
    check("rounds toward zero");
    if (flush_subnormals(true)) check("flushes subnormals to zero");
}

// What CPUID was read to say, against what the compiler's own library reads it to say.
void check_processor() {
#if defined(INDIRECTML_X86_64) && defined(__GNUC__)
    const Processor& found = processor();
    const auto check = [](const char* name, bool actual, int expected) {
        ++g_comparisons;
        if (actual != (expected != 0)) fail("the processor %s %s", actual ? "has" : "lacks", name);
    };
    check("AVX2", found.avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
    check("AVX-512", found.avx512,
          __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
#endif
}

void check_all() {
    const TargetList targets = available_targets();
    const Target& portable = *targets.begin[targets.count - 1];
    std::printf("targets:");
    for (std::size_t k = 0; k < targets.count; ++k) std::printf(" %s", targets.begin[k]->name);
    std::printf("\n");
    if (std::strcmp(portable.name, "portable") != 0) fail("the last target is not portable");

    check_processor();
    check_wide();
    check_sequences();
    check_modes(targets);
    check_nested();
    check_function_kernels(targets);
    for (std::size_t k = targets.count; k-- > 0;) {
        check_kernels(*targets.begin[k], portable);
        std::printf("kernels of %s: as %s\n", targets.begin[k]->name,
                    targets.begin[k] == &portable ? "defined" : "portable");
    }
    check_fills(targets);
}

}  // namespace

}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    static_assert(FLT_EVAL_METHOD == 0, "floats are rounded at every step");
    if (std::fegetround() != FE_TONEAREST) fail("the rounding mode is not to nearest");
    if (count == 3 && std::strcmp(words[1], "--elements") == 0) {
        check_many_elements(std::strtoull(words[2], nullptr, 0));
    } else if (count == 1) {
        check_all();
    } else {
        fail("the only option is --elements N: at least N of each float type under each rule");
    }
    std::printf("check_native: %" PRIu64 " comparisons, no difference (seed %" PRIu64 ")\n",
                g_comparisons, kSeed);
    return 0;
}
