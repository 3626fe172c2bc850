#include "scans.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "../compiler.h"
#include "../lanes/f32_portable.h"
#include "../team.h"
#include "layout.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;
// Chains that go on together, since each addition waits for the one before: so many rows, whose
// places in the first cache are not more than it has, and neighbouring columns in it.
constexpr std::uint64_t kRows = 4, kColumns = 1024;

template <typename T, bool kProduct>
T next(T total, T element) {
    if constexpr (std::is_integral_v<T>) {
        // Not as `int`, whose products may be too large.
        const auto a = static_cast<std::uint64_t>(total), b = static_cast<std::uint64_t>(element);
        return static_cast<T>(kProduct ? a * b : a + b);
    } else {
        return kProduct ? total * element : total + element;
    }
}

template <typename T>
T canonical_number(T v) {
    if constexpr (std::is_integral_v<T>) {
        return v;
    } else {
        return v == v ? v : std::numeric_limits<T>::quiet_NaN();
    }
}

// An element as what it is added to: FLOAT16 is widened.
template <typename T, typename X>
T taken(X x) {
    if constexpr (std::is_same_v<T, X>) {
        return x;
    } else {
        return lanes::portable::widen(x);
    }
}

// Chains whose first elements are `stride` apart; along them, elements are `step` apart.
template <typename X, typename T, bool kProduct>
struct Walk {
    const X* INDIRECTML_RESTRICT x;
    T* INDIRECTML_RESTRICT out;
    std::ptrdiff_t step, stride;
    std::uint64_t size;
    bool is_exclusive;

    // Of so many as are known to the compiler at best: a copy in each caller.
    INDIRECTML_NOINLINE void any_chains(std::uint64_t count, T* totals) const {
        chains(count, totals);
    }
    // `totals` has room for `count` numbers.
    INDIRECTML_INLINE void chains(std::uint64_t count, T* INDIRECTML_RESTRICT totals) const {
        const auto at = [&](std::uint64_t k, std::uint64_t c) {
            return static_cast<std::ptrdiff_t>(k) * step + static_cast<std::ptrdiff_t>(c) * stride;
        };
        for (std::uint64_t c = 0; c < count; ++c) {
            totals[c] = taken<T>(x[at(0, c)]);
            out[at(0, c)] = is_exclusive ? static_cast<T>(kProduct) : canonical_number(totals[c]);
        }
        for (std::uint64_t k = 1; k < size; ++k) {
            const X* const from = x + at(k, 0);
            T* const to = out + at(k, 0);
            for (std::uint64_t c = 0; c < count; ++c) {
                const T before = totals[c];
                totals[c] = next<T, kProduct>(before, taken<T>(from[at(0, c)]));
                to[at(0, c)] = canonical_number(is_exclusive ? before : totals[c]);
            }
        }
    }
};

template <typename X, typename T, bool kProduct>
void scan_chains(const X* x, const Chains& chains, T* out, const Policy& policy) {
    const std::uint64_t slab = chains.size * chains.inner;
    const std::uint64_t last = chains.is_reverse ? slab - chains.inner : 0;
    const auto inner = static_cast<std::ptrdiff_t>(chains.inner);
    const std::ptrdiff_t step = chains.is_reverse ? -inner : inner;
    // Rows of one element are by themselves; of several, columns go on together.
    const bool by_rows = chains.inner == 1;
    const std::uint64_t wide = by_rows ? kRows : std::min(chains.inner, kColumns);
    const std::uint64_t blocks = (chains.inner + wide - 1) / wide;
    const std::uint64_t count = by_rows ? (chains.outer + wide - 1) / wide : chains.outer * blocks;
    const unsigned parts = part_count(count, chains.outer * slab, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        T totals[kColumns];
        Pieces pieces;
        const Share share = share_of(count, 1, part, parts);
        for (std::uint64_t n = share.begin; n < share.end; ++n) {
            pieces.done(wide * chains.size);
            const std::uint64_t row = by_rows ? n * kRows : n / blocks;
            const std::uint64_t column = by_rows ? 0 : n % blocks * wide;
            const std::uint64_t first = row * slab + last + column;
            const Walk<X, T, kProduct> walk{x + first,
                                            out + first,
                                            step,
                                            by_rows ? static_cast<std::ptrdiff_t>(slab) : 1,
                                            chains.size,
                                            chains.is_exclusive};
            const std::uint64_t left = by_rows ? chains.outer - row : chains.inner - column;
            if constexpr (!std::is_integral_v<T>) {  // which are added in a cycle
                if (by_rows && left >= kRows) {
                    walk.chains(kRows, totals);
                    continue;
                }
            }
            walk.any_chains(std::min(wide, left), totals);
        }
    });
}

template <typename X, typename T = X>
void scan_numbers(const unsigned char* x, const Chains& chains, unsigned char* out,
                  const Policy& policy) {
    const auto* const from = reinterpret_cast<const X*>(x);
    auto* const to = reinterpret_cast<T*>(out);
    if (chains.is_product) return scan_chains<X, T, true>(from, chains, to, policy);
    scan_chains<X, T, false>(from, chains, to, policy);
}

}  // namespace

void scan(const unsigned char* x, const Chains& chains, unsigned char* out, const Policy& policy) {
    switch (chains.type) {
        case ScanType::k8: return scan_numbers<std::uint8_t>(x, chains, out, policy);
        case ScanType::k16: return scan_numbers<std::uint16_t>(x, chains, out, policy);
        case ScanType::k32: return scan_numbers<std::uint32_t>(x, chains, out, policy);
        case ScanType::k64: return scan_numbers<std::uint64_t>(x, chains, out, policy);
        case ScanType::kSingle: return scan_numbers<float>(x, chains, out, policy);
        case ScanType::kHalf: return scan_numbers<std::uint16_t, float>(x, chains, out, policy);
        default: return scan_numbers<double>(x, chains, out, policy);
    }
}

}  // namespace sums
}  // namespace indirectml
