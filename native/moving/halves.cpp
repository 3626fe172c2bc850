#include "halves.h"

#include <algorithm>

#include "../team.h"

namespace indirectml {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17, kPiece = 1 << 12;

std::uint64_t count_of(const Halves& halves) {
    std::uint64_t count = 1;
    for (int k = 0; k < halves.rank; ++k) count *= halves.axes[k].size;
    return count;
}

// Calls work(j, at, count, step) for elements from begin to end: `count` from j on are at half bytes `at`
// and each `step` further.
template <typename Work>
void each_run(const Halves& halves, std::uint64_t begin, std::uint64_t end, const Work& work) {
    const Axis row = halves.rank ? halves.axes[halves.rank - 1] : Axis{1, 1};
    const auto step = static_cast<std::uint64_t>(row.stride_bytes);
    for (std::uint64_t j = begin; j < end;) {
        std::uint64_t rest = j / row.size, at = 0;
        for (int k = halves.rank - 1; k-- > 0;) {
            at += rest % halves.axes[k].size *
                  static_cast<std::uint64_t>(halves.axes[k].stride_bytes);
            rest /= halves.axes[k].size;
        }
        const std::uint64_t first = j % row.size, count = std::min(row.size - first, end - j);
        work(j, at + first * step, count, step);
        j += count;
    }
}

}  // namespace

void from_halves(const unsigned char* x, const Halves& halves, bool is_signed, unsigned char* out,
                 const Policy& policy) {
    const std::uint64_t count = count_of(halves);
    const unsigned parts = worthwhile_threads(count, kElementsPerThread, count, policy.max_threads);
    // Bit 3 is the sign of INT4.
    const unsigned sign = is_signed ? 8 : 0;
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        const Share share = share_of(count, 1, part, parts);
        for (std::uint64_t begin = share.begin; begin < share.end; begin += kPiece) {
            const std::uint64_t end = std::min(begin + kPiece, share.end);
            each_run(halves, begin, end, [&](std::uint64_t j, std::uint64_t at, std::uint64_t length,
                                             std::uint64_t step) {
                std::uint64_t n = 0;
                // Whole bytes, of two each.
                const unsigned char* const bytes = x + at / 2;
                for (; step == 1 && at % 2 == 0 && n + 1 < length; n += 2) {
                    const unsigned byte = bytes[n / 2];
                    out[j + n] = static_cast<unsigned char>(((byte & 15u) ^ sign) - sign);
                    out[j + n + 1] = static_cast<unsigned char>((byte >> 4 ^ sign) - sign);
                }
                for (std::uint64_t place = at + n * step; n < length; ++n, place += step) {
                    const unsigned half = x[place / 2] >> (place % 2 * 4) & 15u;
                    out[j + n] = static_cast<unsigned char>((half ^ sign) - sign);
                }
            });
            pieces.done(end - begin);
        }
    });
}

void into_halves(const unsigned char* x, std::size_t item, const Halves& halves, unsigned char* out) {
    Pieces pieces;
    const std::uint64_t count = count_of(halves);
    for (std::uint64_t begin = 0; begin < count; begin += kPiece) {
        const std::uint64_t end = std::min(begin + kPiece, count);
        each_run(halves, begin, end, [&](std::uint64_t j, std::uint64_t at, std::uint64_t length,
                                         std::uint64_t step) {
            for (std::uint64_t n = 0; n < length; ++n, at += step) {
                const unsigned shift = at % 2 * 4, kept = 0xF0u >> shift;
                const unsigned half = (x[(j + n) * item] & 15u) << shift;
                out[at / 2] = static_cast<unsigned char>((out[at / 2] & kept) | half);
            }
        });
        pieces.done(end - begin);
    }
}

}  // namespace indirectml
