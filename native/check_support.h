// What the checking programs share: counting, failing, pseudo-random numbers, guarded memory.
#pragma once

#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "compiler.h"
#include "floats.h"
#include "targets/target.h"

namespace indirectml {

constexpr std::uint64_t kSeed = 20240419;
inline std::uint64_t g_comparisons = 0;
inline const char* g_program = "check_native";

// Ends the program with a sentence about the first difference.
[[noreturn]] INDIRECTML_PRINTF(1, 2) inline void fail(const char* text, ...) {
    std::va_list arguments;
    va_start(arguments, text);
    std::printf("%s: seed %" PRIu64 ": ", g_program, kSeed);
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

// The compiler's own floats as bits.
template <typename Float>
struct FormatOf;
template <>
struct FormatOf<float> {
    using Word = std::uint32_t;
    static constexpr Format kFormat{32, 24};
    static constexpr const char* kName = "float";
    static constexpr std::uint64_t kExactIndices = std::uint64_t{1} << 29;
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

// Sequences of floats compared with loops of the compiler's own floats (check_sequences.cpp): a few
// million elements, or at least `elements` of each type under each rule.
void check_sequences();
void check_many_elements(std::uint64_t elements);

// Functions of one and two numbers (check_kernels.cpp), and the bits of some results by a target.
void check_function_kernels(const TargetList& targets);
std::vector<unsigned char> function_results(const Target& target);

}  // namespace indirectml
