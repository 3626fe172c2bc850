// Checks of the native core without Python: for sanitizers, and for processors that are emulated.
//
// Every target's kernels are compared with the portable ones, the portable ones with the definition
// of a segment, and sequences with plain loops of the compiler's own floats and with std::fma.
// Inputs are borders and seeded pseudo-random numbers. Prints what ran and one summary line;
// stops at the first difference with exit code 1.
#include <cfenv>
#include <cfloat>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "course.h"
#include "fill.h"
#include "floats.h"
#include "sequence.h"
#include "targets/target.h"
#include "wide.h"

namespace indirectml {

namespace {

constexpr std::uint64_t kSeed = 20240419;
std::uint64_t g_comparisons = 0;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
[[noreturn]] void
fail(const char* text, ...) {
    std::va_list arguments;
    va_start(arguments, text);
    std::printf("check_native: seed %" PRIu64 ": ", kSeed);
    std::vprintf(text, arguments);
    std::printf("\n");
    va_end(arguments);
    std::exit(1);
}

// splitmix64: every seed gives a full period.
class Random {
  public:
    explicit Random(std::uint64_t stream) : state_(kSeed + (stream << 32)) {}

    std::uint64_t word() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t n) { return word() % n; }
    int between(int low, int high) {
        return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low + 1)));
    }
    // A number of any size: each count of bits is as likely as any other.
    std::uint64_t any_size() { return word() >> below(64); }
    template <typename T>
    T one_of(const std::vector<T>& list) {
        return list[below(list.size())];
    }

  private:
    std::uint64_t state_;
};

// ---- 128-bit arithmetic -------------------------------------------------------------------------

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Wide;

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
        check_equal("the order", a < b, x < y, a, b);
        check_equal("the order or equality", a <= b, x <= y, a, b);
        check_equal("the left shift", wide(a << n), x << n, a, shift);
        check_equal("the right shift", wide(a >> n), x >> n, a, shift);
        int zeros = 0;
        while (zeros < 128 && !((x << zeros) >> 127)) ++zeros;
        check_equal("the leading zeros", leading_zeros(a), zeros, a, b);
        if (y == 0) continue;
        const Wide quotient = x / y;
        const Wide largest = UINT64_MAX;
        check_equal("the quotient", divide(a, b), quotient < largest ? quotient : largest, a, b);
    }
    check_equal("a shift by 128", wide(U128{~0ULL, ~0ULL} << 128), 0, {0, 0}, {0, 128});
    check_equal("a shift by 128", wide(U128{~0ULL, ~0ULL} >> 128), 0, {0, 0}, {0, 128});
}
#else
void check_wide() {}
#endif

// ---- Kernels ------------------------------------------------------------------------------------

constexpr std::size_t kGuardBytes = 128;
constexpr std::size_t kVectorBytes = 64;  // the widest of any target

// Bytes for an output, with a guard on both sides, at a chosen distance from an aligned address.
class Memory {
  public:
    explicit Memory(std::size_t capacity) : bytes_(capacity + 2 * kGuardBytes + 2 * kVectorBytes) {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
        aligned_ = bytes_.data() + (kVectorBytes - address % kVectorBytes) + kGuardBytes;
    }
    unsigned char* at(std::size_t past) { return aligned_ + past; }

    static void set_guards(unsigned char* out, std::size_t size) {
        std::memset(out, 0xA5, size);
        for (std::size_t k = 0; k < kGuardBytes; ++k) {
            out[static_cast<std::ptrdiff_t>(k) - kGuard] = guard(k);
            out[size + k] = guard(k);
        }
    }
    // Whether no byte of the guards has changed; if one has, its distance from the output.
    static bool guards_hold(const unsigned char* out, std::size_t size, std::ptrdiff_t* where) {
        for (std::size_t k = 0; k < kGuardBytes; ++k) {
            *where = static_cast<std::ptrdiff_t>(k) - kGuard;
            if (out[*where] != guard(k)) return false;
            *where = static_cast<std::ptrdiff_t>(size + k);
            if (out[*where] != guard(k)) return false;
        }
        return true;
    }

  private:
    static constexpr auto kGuard = static_cast<std::ptrdiff_t>(kGuardBytes);
    static unsigned char guard(std::size_t k) { return static_cast<unsigned char>(k + 3); }

    std::vector<unsigned char> bytes_;
    unsigned char* aligned_;
};

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
    return {0, kIndexEnd, whole(), step, part(), part()};
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

// ---- Sequences ----------------------------------------------------------------------------------

template <typename Float>
struct FormatOf;
template <>
struct FormatOf<float> {
    using Word = std::uint32_t;
    static constexpr Format kFormat{32, 24};
    static constexpr const char* kName = "float";
    static constexpr std::uint64_t kExactIndices = std::uint64_t{1} << 24;
};
template <>
struct FormatOf<double> {
    using Word = std::uint64_t;
    static constexpr Format kFormat{64, 53};
    static constexpr const char* kName = "double";
    static constexpr std::uint64_t kExactIndices = std::uint64_t{1} << 53;
};

template <typename Float>
Float from_bits(std::uint64_t bits) {
    const auto word = static_cast<typename FormatOf<Float>::Word>(bits);
    Float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
}

template <typename Float>
std::uint64_t to_bits(Float value) {
    typename FormatOf<Float>::Word word;
    std::memcpy(&word, &value, sizeof(value));
    return word;
}

// The bits of the result of an operation: a NaN is positive and quiet, with payload zero.
template <typename Float>
std::uint64_t result_bits(Float value) {
    return value == value ? to_bits(value) : FormatOf<Float>::kFormat.quiet_nan();
}

struct Operands {
    std::uint64_t start, delta;
};

// Half of all pairs are of related magnitudes, so that additions round, tie, cancel and absorb.
Operands random_operands(Random& random, Format format) {
    const std::uint64_t hidden = format.hidden_bit();
    const auto significand = [&]() -> std::uint64_t {
        switch (random.below(6)) {
            case 0:
                return hidden;
            case 1:
                return hidden | 1;
            case 2:
                return 2 * hidden - 1 - random.below(2);
            case 3:
                return hidden | (hidden >> random.between(0, format.precision - 1));
            case 4:
                return hidden | random.below(8);
            default:
                return hidden | (random.word() & (hidden - 1));
        }
    };
    const auto pack = [&](int exponent, std::uint64_t s) {
        std::uint64_t bits;
        if (exponent > format.max_exponent()) {
            bits = format.infinity() - random.below(2);
        } else if (exponent < 0) {
            bits = exponent < -63 ? 0 : s >> -exponent;
        } else {
            bits = (static_cast<std::uint64_t>(exponent) << (format.precision - 1)) + s;
        }
        return bits | (random.below(2) ? format.sign_bit() : 0);
    };
    const auto border = [&]() -> std::uint64_t {
        const std::uint64_t near = random.below(3);
        switch (random.below(6)) {
            case 0:
                return near;
            case 1:
                return hidden - 1 + near;
            case 2:
                return 2 * hidden - 1 + near;
            case 3:
                return format.infinity() - 1 + near;
            case 4:
                return format.quiet_nan() + near;
            default:
                return (format.infinity() >> 1) - 1 + near;
        }
    };
    if (random.below(4) == 0) return {random.word() & format.mask(), random.word() & format.mask()};
    if (random.below(8) == 0) {
        const std::uint64_t signs = random.word();
        return {border() | (signs & format.sign_bit()),
                border() | ((signs << 1) & format.sign_bit())};
    }
    const int middle = format.max_exponent() / 2;
    const std::vector<int> exponents = {0,
                                        0,
                                        1,
                                        2,
                                        5,
                                        middle,
                                        middle + format.precision,
                                        format.max_exponent() - 1,
                                        format.max_exponent()};
    const int exponent = random.one_of(exponents);
    const int reach = format.precision + 3;
    const int shift =
        random.below(8) ? random.between(-reach, 3) : random.between(-3 * reach, reach);
    return {pack(exponent, significand()), pack(exponent + shift, significand())};
}

template <typename Float>
void check_element(const Sequence& s, std::uint64_t index, std::uint64_t actual,
                   std::uint64_t expected, const char* by) {
    ++g_comparisons;
    if (actual == expected) return;
    fail("%s of %s: start 0x%016" PRIX64 ", delta 0x%016" PRIX64 ", element %" PRIu64
         " is 0x%016" PRIX64 " by %s, expected 0x%016" PRIX64,
         s.rule == Rule::kMultiply ? "multiply" : "accumulate", FormatOf<Float>::kName, s.start,
         s.delta, index, actual, by, expected);
}

// Elements first .. first + expected.size(), as segments and one by one.
template <typename Float>
void check_range(const Sequence& s, std::uint64_t first, const std::vector<std::uint64_t>& expected,
                 Random& random) {
    const std::uint64_t mask = s.format.mask();
    const std::uint64_t count = expected.size();
    Walker walker(s, first);
    std::uint64_t index = first;
    for (; index - first < count; walker.advance()) {
        const Segment segment = walker.segment();
        if (segment.first != index || segment.count == 0) {
            fail("start 0x%016" PRIX64 ", delta 0x%016" PRIX64 ": a segment of %" PRIu64
                 " elements begins at %" PRIu64 ", expected at %" PRIu64,
                 s.start, s.delta, segment.count, segment.first, index);
        }
        for (std::uint64_t j = 0; j < segment.count && index - first < count; ++j, ++index) {
            check_element<Float>(s, index, segment.at(j) & mask, expected[index - first],
                                 "segment");
        }
    }
    for (int k = 0; k < 4; ++k) {
        const std::uint64_t offset = random.below(count);
        check_element<Float>(s, first + offset, element(s, first + offset), expected[offset],
                             "element");
    }
}

template <typename Float>
void check_accumulate(int pairs, std::size_t count) {
    Random random(3);
    for (int k = 0; k < pairs; ++k) {
        const Operands operands = random_operands(random, FormatOf<Float>::kFormat);
        const Sequence s{FormatOf<Float>::kFormat, Rule::kAccumulate, operands.start,
                         operands.delta};
        std::vector<std::uint64_t> expected{s.start};
        Float value = from_bits<Float>(s.start);
        const Float delta = from_bits<Float>(s.delta);
        while (expected.size() < count) {
            value = value + delta;
            expected.push_back(result_bits(value));
        }
        check_range<Float>(s, 0, expected, random);
        const std::uint64_t skipped = random.below(count);
        expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(skipped));
        check_range<Float>(s, skipped, expected, random);
    }
}

template <typename Float>
void check_multiply(int pairs, std::size_t count) {
    Random random(4);
    for (int k = 0; k < pairs; ++k) {
        const Operands operands = random_operands(random, FormatOf<Float>::kFormat);
        const Sequence s{FormatOf<Float>::kFormat, Rule::kMultiply, operands.start, operands.delta};
        const Float start = from_bits<Float>(s.start), delta = from_bits<Float>(s.delta);
        // From the beginning, from anywhere, and from shortly before zero is crossed.
        const std::uint64_t end = FormatOf<Float>::kExactIndices - count;
        std::vector<std::uint64_t> places = {0, random.any_size() % end};
        const Float crossing = -start / delta;
        if (crossing > 20 && crossing < static_cast<Float>(end)) {
            places.push_back(static_cast<std::uint64_t>(crossing) - random.below(20));
        }
        for (const std::uint64_t first : places) {
            std::vector<std::uint64_t> expected;
            for (std::uint64_t i = first; i < first + count; ++i) {
                expected.push_back(result_bits(std::fma(static_cast<Float>(i), delta, start)));
            }
            check_range<Float>(s, first, expected, random);
        }
    }
}

void check_convert() {
    Random random(5);
    const Format single = FormatOf<float>::kFormat, twice = FormatOf<double>::kFormat;
    for (int k = 0; k < 200000; ++k) {
        std::uint64_t bits = random_operands(random, twice).start;
        // Most doubles are no floats: bring half of them near to the range of floats.
        if (k % 2) bits = (bits & 0x800FFFFFFFFFFFFF) | ((870 + random.below(300)) << 52);
        if (k % 4 == 1) bits &= ~std::uint64_t{0x0FFFFFFF};
        const auto narrowed = static_cast<float>(from_bits<double>(bits));
        const std::uint64_t actual = convert(twice, single, bits);
        ++g_comparisons;
        if (actual != to_bits(narrowed)) {
            fail("double 0x%016" PRIX64 " becomes float 0x%08" PRIX64 ", expected 0x%08" PRIX64,
                 bits, actual, to_bits(narrowed));
        }
        const std::uint64_t small = random_operands(random, single).start;
        const auto widened = static_cast<double>(from_bits<float>(small));
        ++g_comparisons;
        if (convert(single, twice, small) != to_bits(widened)) {
            fail("float 0x%08" PRIX64 " becomes double 0x%016" PRIX64 ", expected 0x%016" PRIX64,
                 small, convert(single, twice, small), to_bits(widened));
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
        one_thread.push_back({target, 1, UINT64_MAX});
        threads.push_back({target, 1, 1});
        threads.push_back({target, 2, UINT64_MAX});
        threads.push_back({target, 3, 1});
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
        {{16, 11}, Rule::kMultiply, 0x4400, 0x07FF},  // runs of 32
        {{16, 11}, Rule::kMultiply, 0x4700, 0x87FF},
        {{16, 11}, Rule::kMultiply, 0x4800, 0x0001},  // runs that end at ties
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
    }
}

}  // namespace

}  // namespace indirectml

int main() {
    using namespace indirectml;
    static_assert(FLT_EVAL_METHOD == 0, "floats are rounded at every step");
    if (std::fegetround() != FE_TONEAREST) fail("the rounding mode is not to nearest");
    const TargetList targets = available_targets();
    const Target& portable = *targets.begin[targets.count - 1];
    std::printf("targets:");
    for (std::size_t k = 0; k < targets.count; ++k) std::printf(" %s", targets.begin[k]->name);
    std::printf("\n");
    if (std::strcmp(portable.name, "portable") != 0) fail("the last target is not portable");

    check_wide();
    check_convert();
    check_accumulate<float>(8000, 400);
    check_accumulate<double>(8000, 400);
    check_accumulate<float>(30, 30000);
    check_multiply<float>(8000, 60);
    check_multiply<double>(8000, 60);
    check_multiply<float>(30, 30000);
    for (std::size_t k = targets.count; k-- > 0;) {
        check_kernels(*targets.begin[k], portable);
        std::printf("kernels of %s: as %s\n", targets.begin[k]->name,
                    targets.begin[k] == &portable ? "defined" : "portable");
    }
    check_fills(targets);
    std::printf("check_native: %" PRIu64 " comparisons, no difference (seed %" PRIu64 ")\n",
                g_comparisons, kSeed);
    return 0;
}
