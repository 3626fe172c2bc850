// Functions of one and two numbers: every target against the portable one, and that against digests
// of results that were compared with MPFR (check_functions.cpp, tests/arithmetic/).
#include <cmath>

#include "check_support.h"
#include "functions/apply.h"

namespace indirectml {

namespace {

using functions::Function;
using functions::kFacts;
using functions::kFunctionCount;
using functions::Kernels;
using functions::Operands;
using functions::Result;

// Any bits, numbers around 1, and numbers with few bits: with those, results come close to midpoints.
float draw(Random& random) {
    switch (random.below(8)) {
        case 0:
            return from_bits<float>(random.word() >> 32);
        case 1:
            return static_cast<float>(random.between(-2048, 2048)) / 256;
        case 2: {  // of 12 or 13 bits
            const int exponent = -random.between(0, 40);
            return std::ldexp(static_cast<float>(random.between(1024, 4095) * 2 + 1), exponent);
        }
        case 3:
            return static_cast<float>(random.between(-8, 8)) / 4;
        case 4: {  // beyond the simple reduction of angles
            const int exponent = random.between(0, 103);
            return std::ldexp(static_cast<float>(random.between(1, 1 << 24)), exponent);
        }
        default: {
            const std::uint64_t exponent = random.below(15) + 119;
            const std::uint64_t sign = random.below(2) << 31;
            return from_bits<float>(sign | exponent << 23 | random.below(1 << 23));
        }
    }
}

struct Arguments {
    std::vector<float> x, y;
};

Arguments draw_arguments(std::size_t count) {
    Random random(77);
    Arguments arguments;
    for (std::size_t k = 0; k < count; ++k) {
        arguments.x.push_back(draw(random));
        arguments.y.push_back(draw(random));
    }
    return arguments;
}

std::size_t size_of(Result result) { return result == Result::kSingle ? 4 : 2; }

functions::Kernel kernel_of(const Kernels& kernels, int function, Result result) {
    return result == Result::kSingle ? kernels.single[function] : kernels.half[function];
}

// FNV-1a.
std::uint32_t digest_of(const std::vector<unsigned char>& bytes, std::uint32_t digest) {
    for (const unsigned char byte : bytes) digest = (digest ^ byte) * 16777619u;
    return digest;
}

// Of 20,000 results in FLOAT32 and as many in FLOAT16, by function.
constexpr std::uint32_t kDigests[] = {
    0xBFD64FE5, 0x093CD6C1, 0xD401C236, 0x0AA596F6, 0xCB3E7720, 0x7C5AE062,
    0x68F93163, 0x66A19179, 0x78623644, 0x93862FF4, 0x1473D0FC, 0x61F72FDE,
    0x40480AD5, 0xA1A49B3E, 0x7E3E6C01, 0x4ECC5687, 0xD7A1E208, 0x51E6ED6A,
    0x3FFE82BC, 0x407D18EE, 0x5E0B2ACC, 0x5AB7770E, 0x236A11AF, 0x0DD95547};
static_assert(sizeof(kDigests) / sizeof(kDigests[0]) == kFunctionCount, "one for each function");

// All counts up to two vectors, at any place: no element more, none less.
void check_ends(const Kernels& kernels, int function, Result result, const Arguments& arguments,
                const std::vector<unsigned char>& expected) {
    constexpr std::size_t kMost = 2 * kVectorBytes / sizeof(double) + 1;
    const std::size_t size = size_of(result);
    Memory memory(64 * kVectorBytes);
    for (std::size_t count = 0; count <= kMost; ++count) {
        const std::size_t first = count % 5;
        unsigned char* out = memory.at(first * size);
        Memory::set_guards(out, count * size);
        kernel_of(kernels, function, result)(arguments.x.data() + first,
                                             arguments.y.data() + first, out, count);
        std::ptrdiff_t where;
        ++g_comparisons;
        if (std::memcmp(out, expected.data() + first * size, count * size) != 0 ||
            !Memory::guards_hold(out, count * size, &where)) {
            fail("%s of %zu elements on %s", kFacts[function].name, count, kernels.name);
        }
    }
}

}  // namespace

void check_function_kernels(const TargetList& targets) {
    constexpr std::size_t kCount = 20000;
    const Arguments arguments = draw_arguments(kCount);
    const Kernels& portable = functions::kernels_of(*targets.begin[targets.count - 1]);
    for (int function = 0; function < kFunctionCount; ++function) {
        std::uint32_t digest = 2166136261u;
        for (const Result result : {Result::kSingle, Result::kHalf}) {
            const std::size_t size = size_of(result);
            std::vector<unsigned char> expected(kCount * size), actual(kCount * size);
            kernel_of(portable, function, result)(arguments.x.data(), arguments.y.data(),
                                                  expected.data(), kCount);
            digest = digest_of(expected, digest);
            for (std::size_t k = 0; k < targets.count; ++k) {
                const Kernels& kernels = functions::kernels_of(*targets.begin[k]);
                kernel_of(kernels, function, result)(arguments.x.data(), arguments.y.data(),
                                                     actual.data(), kCount);
                g_comparisons += kCount;
                for (std::size_t j = 0; j < kCount; ++j) {
                    if (std::memcmp(&actual[j * size], &expected[j * size], size) == 0) continue;
                    fail("%s(%a, %a) to %zu bytes differs between %s and portable",
                         kFacts[function].name, double{arguments.x[j]}, double{arguments.y[j]},
                         size, kernels.name);
                }
                check_ends(kernels, function, result, arguments, expected);
            }
        }
        ++g_comparisons;
        if (digest != kDigests[function]) {
            fail("the digest of %s is 0x%08" PRIX32 ", not 0x%08" PRIX32, kFacts[function].name,
                 digest, kDigests[function]);
        }
    }
}

std::vector<unsigned char> function_results(const Target& target) {
    constexpr std::size_t kCount = 500;
    Arguments arguments = draw_arguments(kCount);
    for (std::size_t k = 0; k < kCount; k += 5) {  // with subnormal arguments
        arguments.x[k] = from_bits<float>(k * 1234567 % (1 << 23));
    }
    std::vector<unsigned char> all;
    for (int function = 0; function < kFunctionCount; ++function) {
        for (const Result result : {Result::kSingle, Result::kHalf}) {
            const auto size = static_cast<std::int64_t>(size_of(result));
            std::vector<unsigned char> out(kCount * size_of(result));
            Operands operands{kFacts[function].arguments + 1,
                              {out.data(), reinterpret_cast<unsigned char*>(arguments.x.data()),
                               reinterpret_cast<unsigned char*>(arguments.y.data())},
                              1,
                              {kCount},
                              {{size}, {4}, {4}}};
            functions::apply(static_cast<Function>(function), result, operands,
                             {&target, 1, UINT64_MAX});
            all.insert(all.end(), out.begin(), out.end());
        }
    }
    return all;
}

}  // namespace indirectml
