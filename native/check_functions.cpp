// Tries functions with all arguments, or a stride of them: every target's FLOAT32 and FLOAT16 results
// against the C library's FLOAT64 where 2^-48 decides the rounding, and against MPFR where not.
//
//     check_functions [--function NAME] [--target NAME,NAME] [--stride P] [--part K/N] [--threads T]
//     check_functions --function pow --pairs N [--seed S] [--halves P]
//
// With --beside NAME, against the results of another target, which takes a tenth of the time.
// Ends with exit code 1 if there is a difference; the first 20 are told.
#include <mpfr.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "functions/apply.h"
#include "lanes/f64_portable.h"

namespace indirectml {
namespace functions {


namespace {

using One = lanes::portable::F64;

// ---- The oracle ---------------------------------------------------------------------------------

using Numbers = double (*)(double, double);
using Digits = int (*)(mpfr_t, const mpfr_t, const mpfr_t);

constexpr mpfr_prec_t kMany = 600;

int sigmoid_digits(mpfr_t r, const mpfr_t x, const mpfr_t) {
    mpfr_neg(r, x, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    return mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

int softplus_digits(mpfr_t r, const mpfr_t x, const mpfr_t) {
    if (mpfr_cmp_ui(x, 200) > 0) {  // x and a little more
        mpfr_set(r, x, MPFR_RNDN);
        mpfr_nextabove(r);
        return -1;
    }
    mpfr_exp(r, x, MPFR_RNDN);
    return mpfr_log1p(r, r, MPFR_RNDN);
}

// x times the part of the normal distribution below x.
double gelu_numbers(double x) {
    if (x == -std::numeric_limits<double>::infinity()) return -0.0;  // what it comes near to
    // FLOAT64 would round the argument by too much: its error counts x^2 times.
    return static_cast<double>(0.5L * x * std::erfc(-x / std::sqrt(2.0L)));
}

int gelu_digits(mpfr_t r, const mpfr_t x, const mpfr_t) {
    if (mpfr_cmp_si(x, 20) > 0) {  // x and a little less
        mpfr_set(r, x, MPFR_RNDN);
        mpfr_nextbelow(r);
        return 1;
    }
    if (mpfr_regular_p(x) && mpfr_get_exp(x) < -100) {  // x / 2 and a little more
        mpfr_div_2ui(r, x, 1, MPFR_RNDN);
        mpfr_nextabove(r);
        return -1;
    }
    if (mpfr_inf_p(x)) {
        mpfr_set_zero(r, -1);
        return 0;
    }
    mpfr_t root;
    mpfr_init2(root, kMany);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(r, x, root, MPFR_RNDN);
    mpfr_clear(root);
    mpfr_neg(r, r, MPFR_RNDN);
    mpfr_erfc(r, r, MPFR_RNDN);
    mpfr_div_2ui(r, r, 1, MPFR_RNDN);
    return mpfr_mul(r, r, x, MPFR_RNDN);
}

struct Oracle {
    Function function;
    Numbers numbers;  // to 2^-48
    Digits digits;    // to 2^-590
};

#define INDIRECTML_ORACLE(NAME, NUMBERS, DIGITS)                                   \
    {Function::k##NAME, [](double x, double y) -> double { return (void)y, NUMBERS; }, \
     [](mpfr_t r, const mpfr_t x, const mpfr_t y) -> int { return (void)y, DIGITS; }}
#define INDIRECTML_SAME(NAME, F) \
    INDIRECTML_ORACLE(NAME, std::F(x), mpfr_##F(r, x, MPFR_RNDN))

const Oracle kOracles[] = {
    INDIRECTML_SAME(Exp, exp),
    INDIRECTML_SAME(Expm1, expm1),
    INDIRECTML_SAME(Log, log),
    INDIRECTML_SAME(Sin, sin),
    INDIRECTML_SAME(Cos, cos),
    INDIRECTML_SAME(Tan, tan),
    INDIRECTML_SAME(Asin, asin),
    INDIRECTML_SAME(Acos, acos),
    INDIRECTML_SAME(Atan, atan),
    INDIRECTML_SAME(Sinh, sinh),
    INDIRECTML_SAME(Cosh, cosh),
    INDIRECTML_SAME(Tanh, tanh),
    INDIRECTML_SAME(Asinh, asinh),
    INDIRECTML_SAME(Acosh, acosh),
    INDIRECTML_SAME(Atanh, atanh),
    INDIRECTML_SAME(Erf, erf),
    INDIRECTML_ORACLE(Sigmoid, 1 / (1 + std::exp(-x)), sigmoid_digits(r, x, y)),
    INDIRECTML_ORACLE(Softplus, x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)),
                      softplus_digits(r, x, y)),
    INDIRECTML_ORACLE(Gelu, gelu_numbers(x), gelu_digits(r, x, y)),
    INDIRECTML_SAME(Sqrt, sqrt),
    INDIRECTML_ORACLE(Rsqrt, 1 / std::sqrt(x), mpfr_rec_sqrt(r, x, MPFR_RNDN)),
    INDIRECTML_ORACLE(Recip, 1 / x, mpfr_ui_div(r, 1, x, MPFR_RNDN)),
    INDIRECTML_ORACLE(Pow, std::pow(x, y), mpfr_pow(r, x, y, MPFR_RNDN)),
    INDIRECTML_ORACLE(Atan2, std::atan2(x, y), mpfr_atan2(r, x, y, MPFR_RNDN)),
};

struct ToSingle {
    using Element = std::uint32_t;
    static constexpr const char* kName = "FLOAT32";
    static constexpr Element kNan = 0x7FC00000;
    static constexpr mpfr_prec_t kPrecision = 24;
    static constexpr mpfr_exp_t kSmallest = -148, kLargest = 128;
    static Element narrow(double v) {
        const auto single = static_cast<float>(v);
        Element bits;
        std::memcpy(&bits, &single, sizeof(bits));
        return bits;
    }
    static Kernel kernel(const Kernels& kernels, Function f) {
        return kernels.single[static_cast<int>(f)];
    }
};
struct ToHalf {
    using Element = std::uint16_t;
    static constexpr const char* kName = "FLOAT16";
    static constexpr Element kNan = 0x7E00;
    static constexpr mpfr_prec_t kPrecision = 11;
    static constexpr mpfr_exp_t kSmallest = -23, kLargest = 16;
    static Element narrow(double v) { return One::half(v); }
    static Kernel kernel(const Kernels& kernels, Function f) {
        return kernels.half[static_cast<int>(f)];
    }
};

// Numbers of MPFR, one set for each thread.
class Decider {
  public:
    Decider() { mpfr_inits2(kMany, x_, y_, many_, static_cast<mpfr_ptr>(nullptr)); }
    ~Decider() { mpfr_clears(x_, y_, many_, static_cast<mpfr_ptr>(nullptr)); }
    Decider(const Decider&) = delete;
    Decider& operator=(const Decider&) = delete;

    template <typename To>
    typename To::Element operator()(const Oracle& oracle, float x, float y) {
        mpfr_set_emin(-100000);
        mpfr_set_emax(100000);
        mpfr_set_flt(x_, x, MPFR_RNDN);
        mpfr_set_flt(y_, y, MPFR_RNDN);
        const int rest = oracle.digits(many_, x_, y_);
        // To odd: then the second rounding is as good as one alone.
        if (rest != 0 && mpfr_regular_p(many_) && mpfr_min_prec(many_) < kMany) {
            if ((rest < 0) == (mpfr_sgn(many_) > 0)) {
                mpfr_sgn(many_) > 0 ? mpfr_nextabove(many_) : mpfr_nextbelow(many_);
            } else {
                mpfr_sgn(many_) > 0 ? mpfr_nextbelow(many_) : mpfr_nextabove(many_);
            }
        }
        mpfr_t few;
        mpfr_init2(few, To::kPrecision);
        mpfr_set_emin(To::kSmallest);
        mpfr_set_emax(To::kLargest);
        int ternary = mpfr_set(few, many_, MPFR_RNDN);
        ternary = mpfr_check_range(few, ternary, MPFR_RNDN);
        mpfr_subnormalize(few, ternary, MPFR_RNDN);
        const double value = mpfr_get_d(few, MPFR_RNDN);
        mpfr_clear(few);
        return std::isnan(value) ? To::kNan : To::narrow(value);
    }

  private:
    mpfr_t x_, y_, many_;
};

// ---- Work ---------------------------------------------------------------------------------------

constexpr std::size_t kBlock = 4096;

struct Counts {
    std::uint64_t results = 0, undecided = 0, wrong = 0;
};

struct Options {
    std::string function, target, beside;
    std::uint64_t stride = 1, part = 1, parts = 1, threads = 1, pairs = 0, seed = 1;
    std::uint64_t halves = 0;
};

std::vector<const Target*> chosen_targets(const std::string& names) {
    std::vector<const Target*> targets;
    const TargetList all = available_targets();
    for (std::size_t k = 0; k < all.count; ++k) {
        const std::string name = all.begin[k]->name;
        if (names.empty() || ("," + names + ",").find("," + name + ",") != std::string::npos) {
            targets.push_back(all.begin[k]);
        }
    }
    return targets;
}

std::atomic<int> told{0};

// What is tried, and with what it is compared: the oracle, or another target.
struct Trial {
    const Oracle& oracle;
    std::vector<const Target*> targets;
    const Target* beside;
};

template <typename To>
void check_block(const Trial& trial, const float* x, const float* y, const double* exact,
                 std::size_t count, Decider& decide, Counts& counts) {
    const Oracle& oracle = trial.oracle;
    typename To::Element expected[kBlock], given[kBlock];
    if (trial.beside) {
        To::kernel(kernels_of(*trial.beside), oracle.function)(x, y, expected, count);
    }
    for (std::size_t k = 0; k < count && !trial.beside; ++k) {
        const double v = exact[k];
        expected[k] = To::narrow(v * (1 - 0x1p-48));
        const bool open = expected[k] != To::narrow(v * (1 + 0x1p-48));
        if (v != v) {
            expected[k] = To::kNan;
        } else if (open) {
            expected[k] = decide.operator()<To>(oracle, x[k], y[k]);
            ++counts.undecided;
        }
    }
    for (const Target* target : trial.targets) {
        To::kernel(kernels_of(*target), oracle.function)(x, y, given, count);
        counts.results += count;
        if (std::memcmp(given, expected, count * sizeof(given[0])) == 0) continue;
        for (std::size_t k = 0; k < count; ++k) {
            if (given[k] == expected[k]) continue;
            ++counts.wrong;
            if (told++ >= 20) continue;
            std::fprintf(stderr, "%s(%a, %a) to %s on %s: 0x%X, expected 0x%X\n",
                         kFacts[static_cast<int>(oracle.function)].name, double{x[k]},
                         double{y[k]}, To::kName, target->name, unsigned{given[k]},
                         unsigned{expected[k]});
        }
    }
}

struct Block {
    float x[kBlock], y[kBlock];
    double exact[kBlock];
    std::size_t count = 0;
};

void check(const Trial& trial, Block& block, Decider& decide, Counts (&counts)[2]) {
    for (std::size_t k = 0; k < block.count && !trial.beside; ++k) {
        block.exact[k] = trial.oracle.numbers(block.x[k], block.y[k]);
    }
    check_block<ToSingle>(trial, block.x, block.y, block.exact, block.count, decide, counts[0]);
    check_block<ToHalf>(trial, block.x, block.y, block.exact, block.count, decide, counts[1]);
    block.count = 0;
}

float number(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

float of_half(std::uint16_t half) {
    const double sign = half & 0x8000 ? -1 : 1;
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31) return number(half & 0x8000 ? 0xFF800000 | fraction : 0x7F800000 | fraction);
    const double unit = std::ldexp(sign, (exponent > 0 ? exponent : 1) - 25);
    return static_cast<float>(unit * (exponent > 0 ? fraction + 1024 : fraction));
}

// SplitMix64 (Steele, Lea, Flood 2014).
struct Random {
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    std::uint32_t bits() { return static_cast<std::uint32_t>(next() >> 32); }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

// A pair that is worth trying.
void draw_pair(Function function, Random& random, float& x, float& y) {
    const std::uint64_t kind = random.next() % 8;
    x = number(random.bits());
    y = number(random.bits());
    if (kind == 0) return;  // any bits
    if (function == Function::kAtan2) {
        if (kind < 3) x = static_cast<float>(y * std::ldexp(random.uniform(), 4));
        if (kind == 3) {  // quotients with few bits, and numbers around them
            const double few = static_cast<double>(random.next() % 8192) + 0.5;
            x = static_cast<float>(y * std::ldexp(few, static_cast<int>(random.next() % 60) - 45));
        }
        if (kind == 4) y = std::ldexp(1.0f, static_cast<int>(random.next() % 250) - 125);
        return;
    }
    const double range = 2 * random.uniform() - 1;
    if (kind < 4) {  // a result from 2^-151 to 2^129
        x = std::fabs(x);
        y = static_cast<float>((range * 140 - 11) / std::log2(x));
    } else if (kind < 6) {  // the same, from a base around 1
        x = static_cast<float>(std::exp2(range));
        y = static_cast<float>((random.uniform() * 280 - 151) / std::log2(x));
    } else {  // small exponents with few bits, any sign: midpoints, roots of a few numbers
        y = static_cast<float>((static_cast<double>(random.next() % 512) - 200) / 8);
        const double middle = std::ldexp(static_cast<double>(random.next() % (1 << 25)) + 1,
                                         static_cast<int>(random.next() % 40) - 40);
        x = static_cast<float>(kind == 6 ? std::pow(middle, 1 / static_cast<double>(y)) : middle);
        if (random.next() & 1) x = -x;
    }
}

// Every x^y that has 25 bits or fewer, both signs: ties, and results that need no rounding.
template <typename Take>
void for_exact_powers(const Take& take) {
    for (int shift = 0; shift <= 3; ++shift) {  // y = count / 2^shift, x = (root 2^e)^(2^shift)
        for (std::uint64_t root = 1; root < 1 << 24; root += 2) {
            std::uint64_t base = root;
            for (int k = 0; k < shift && base < 1 << 24; ++k) base *= base;
            if (base >= 1 << 24) break;
            std::uint64_t power = 1;
            for (int count = 1; count <= 160; ++count) {
                power *= root;
                if (power >> 25 || (root == 1 && count > 40)) break;
                if (shift == 0 && count == 1) continue;  // x itself
                if (shift > 0 && count % 2 == 0) continue;
                for (int e = -4; e <= 4; ++e) {
                    const double x = std::ldexp(static_cast<double>(base), e << shift);
                    const auto y = static_cast<float>(std::ldexp(count, -shift));
                    take(static_cast<float>(x), y);
                    if (shift == 0) take(static_cast<float>(-x), y);
                    if (root == 1) take(static_cast<float>(x), -y);
                }
            }
        }
    }
}

bool run(const Oracle& oracle, const Options& options) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const FunctionFacts facts = kFacts[static_cast<int>(oracle.function)];
    const Trial trial{oracle, chosen_targets(options.target),
                      options.beside.empty() ? nullptr : chosen_targets(options.beside)[0]};
    constexpr std::uint64_t kAll = std::uint64_t{1} << 32, kChunk = 1 << 22;
    std::atomic<std::uint64_t> taken{0};
    Counts totals[2];
    std::vector<Counts> counts(2 * options.threads);
    const auto work = [&](std::uint64_t thread) {
        Decider decide;
        const auto block = std::make_unique<Block>();
        Counts own[2];
        const auto take = [&](float x, float y) {
            block->x[block->count] = x;
            block->y[block->count++] = y;
            if (block->count == kBlock) check(trial, *block, decide, own);
        };
        if (facts.arguments == 1) {
            const std::uint64_t first = kAll * (options.part - 1) / options.parts;
            const std::uint64_t last = kAll * options.part / options.parts;
            const std::uint64_t chunk = kChunk * options.stride;
            for (std::uint64_t c; (c = first + chunk * taken++) < last;) {
                const std::uint64_t end = std::min(c + chunk, last);
                for (std::uint64_t bits = c; bits < end; bits += options.stride) {
                    const float x = number(static_cast<std::uint32_t>(bits));
                    take(x, x);
                }
            }
        } else {
            for (std::uint64_t c; (c = taken++) * kChunk < options.pairs;) {
                Random random{options.seed << 32 ^ c};
                for (std::uint64_t k = c * kChunk; k < std::min((c + 1) * kChunk, options.pairs);
                     ++k) {
                    float x, y;
                    draw_pair(oracle.function, random, x, y);
                    take(x, y);
                }
            }
            if (thread == 0 && options.halves > 0) {
                for (std::uint64_t k = 0; k < kAll; k += options.halves) {
                    take(of_half(static_cast<std::uint16_t>(k >> 16)),
                         of_half(static_cast<std::uint16_t>(k)));
                }
            }
            if (thread == 0 && oracle.function == Function::kPow) for_exact_powers(take);
        }
        check(trial, *block, decide, own);
        counts[2 * thread] = own[0];
        counts[2 * thread + 1] = own[1];
        mpfr_free_cache();
    };
    std::vector<std::thread> threads;
    for (std::uint64_t k = 1; k < options.threads; ++k) threads.emplace_back(work, k);
    work(0);
    for (std::thread& thread : threads) thread.join();
    for (std::size_t k = 0; k < counts.size(); ++k) {
        totals[k % 2].results += counts[k].results;
        totals[k % 2].undecided += counts[k].undecided;
        totals[k % 2].wrong += counts[k].wrong;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("%s:", facts.name);
    const char* const names[2] = {ToSingle::kName, ToHalf::kName};
    for (int k = 0; k < 2; ++k) {
        std::printf(" %s %" PRIu64 " results, %" PRIu64 " undecided, %" PRIu64 " wrong;", names[k],
                    totals[k].results, totals[k].undecided, totals[k].wrong);
    }
    for (const Target* target : trial.targets) std::printf(" %s", target->name);
    if (trial.beside) std::printf(" beside %s", trial.beside->name);
    std::printf(", %.0f s\n", seconds);
    std::fflush(stdout);
    return totals[0].wrong + totals[1].wrong == 0;
}

[[noreturn]] void usage(const std::string& problem) {
    std::fprintf(stderr,
                 "check_functions: %s\n"
                 "usage: check_functions [--function NAME] [--target NAME,NAME] [--stride P]\n"
                 "       [--part K/N] [--threads T] [--pairs N] [--seed S] [--halves P] [--beside NAME]\n"
                 "Functions of two numbers are tried with N random pairs and with every P-th pair of FLOAT16;\n"
                 "without N, they are left out.\n",
                 problem.c_str());
    std::exit(2);
}

Options parse(int count, char** words) {
    Options options;
    for (int k = 1; k < count; k += 2) {
        const std::string name = words[k];
        if (k + 1 == count) usage(name + " needs a value");
        const char* text = words[k + 1];
        char* end = nullptr;
        const std::uint64_t value = std::strtoull(text, &end, 0);
        if (name == "--function") {
            options.function = text;
        } else if (name == "--target") {
            options.target = text;
        } else if (name == "--beside") {
            options.beside = text;
        } else if (name == "--part" && *end == '/') {
            options.part = value;
            options.parts = std::strtoull(end + 1, nullptr, 0);
        } else if (name == "--stride" && value > 0) {
            options.stride = value;
        } else if (name == "--threads" && value > 0) {
            options.threads = value;
        } else if (name == "--pairs") {
            options.pairs = value;
        } else if (name == "--halves") {
            options.halves = value;
        } else if (name == "--seed") {
            options.seed = value;
        } else {
            usage(name + " " + text + " is not an option");
        }
    }
    if (options.part < 1 || options.part > options.parts) usage("--part needs K/N, such as 1/4");
    for (const std::string& names : {options.target, options.beside}) {
        if (chosen_targets(names).empty()) usage("no target " + names);
    }
    return options;
}

}  // namespace
}  // namespace functions
}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml::functions;
    const Options options = parse(count, words);
    bool right = true, found = false;
    for (const Oracle& oracle : kOracles) {
        const FunctionFacts facts = kFacts[static_cast<int>(oracle.function)];
        if (!options.function.empty() && options.function != facts.name) continue;
        found = true;
        if (facts.arguments == 1 || options.pairs > 0) right &= run(oracle, options);
    }
    if (!found) usage("no function " + options.function);
    return right ? 0 : 1;
}
