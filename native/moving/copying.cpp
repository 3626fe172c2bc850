#include "copying.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../copies.h"
#include "../team.h"

namespace indirectml {

namespace {

// Less does not pay for a thread.
constexpr std::uint64_t kBytesPerThread = 1 << 20;
// Elements along both sides of a square that is turned: its lines stay in the first cache.
constexpr std::uint64_t kTile = 16;

struct Pair {
    std::uint64_t size;
    std::int64_t from, to;  // bytes from one to the next
};

// Axes in the order of the memory that is written, those that follow each other in both as one.
std::vector<Pair> merged(const std::vector<Axis>& from, const std::vector<Axis>& to) {
    std::vector<Pair> pairs;
    for (std::size_t k = 0; k < to.size(); ++k) {
        if (to[k].size != 1) pairs.push_back({to[k].size, from[k].stride_bytes, to[k].stride_bytes});
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return std::abs(a.to) > std::abs(b.to);
    });
    std::vector<Pair> found;
    for (const Pair& pair : pairs) {
        const auto size = static_cast<std::int64_t>(pair.size);
        if (!found.empty() && found.back().from == pair.from * size &&
            found.back().to == pair.to * size) {
            found.back() = {found.back().size * pair.size, pair.from, pair.to};
        } else {
            found.push_back(pair);
        }
    }
    return found;
}

// Lines of `columns` elements, one below the other.
struct Lines {
    std::uint64_t rows, columns;
    Pair down, across;
};

template <typename T>
void copy_lines(const unsigned char* from, unsigned char* to, const Lines& lines) {
    for (std::uint64_t r = 0; r < lines.rows; ++r, from += lines.down.from, to += lines.down.to) {
        const unsigned char* at = from;
        unsigned char* there = to;
        for (std::uint64_t c = 0; c < lines.columns; ++c) {
            T element;
            std::memcpy(&element, at, sizeof(element));
            std::memcpy(there, &element, sizeof(element));
            at += lines.across.from;
            there += lines.across.to;
        }
    }
}

using Copy = void (*)(const unsigned char*, unsigned char*, const Lines&);
Copy copy_of(std::size_t item) {
    switch (item) {
        case 1: return copy_lines<std::uint8_t>;
        case 2: return copy_lines<std::uint16_t>;
        case 4: return copy_lines<std::uint32_t>;
        default: return copy_lines<std::uint64_t>;
    }
}

}  // namespace

void copy_bytes(const unsigned char* from, unsigned char* to, std::size_t bytes,
                const Policy& policy) {
    const unsigned parts = worthwhile_threads(bytes, kBytesPerThread, bytes, policy.max_threads);
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(bytes, 64, part, parts);
        for (std::size_t k = share.begin; k < share.end; k += kBytesPerThread) {
            std::memcpy(to + k, from + k, std::min<std::size_t>(kBytesPerThread, share.end - k));
            may_stop();
        }
    });
}

void copy_elements(const Lying& from, unsigned char* to, const std::vector<Axis>& to_axes,
                   std::size_t item, const Policy& policy) {
    std::vector<Pair> axes = merged(from.axes, to_axes);
    if (std::any_of(axes.begin(), axes.end(), [](const Pair& axis) { return axis.size == 0; })) {
        return;
    }
    const Pair one{1, 0, 0};
    const Pair across = axes.empty() ? one : axes.back();
    if (!axes.empty()) axes.pop_back();
    // Where what is read lies along another axis, squares of both are copied.
    const auto bytes = static_cast<std::int64_t>(item);
    const auto along = std::min_element(axes.begin(), axes.end(), [](const Pair& a, const Pair& b) {
        return std::abs(a.from) < std::abs(b.from);
    });
    const bool is_packed = across.from == bytes && across.to == bytes;
    const bool is_turned = along != axes.end() && along->from != 0 &&
                           std::abs(along->from) < std::abs(across.from);
    Pair down = one;
    if (is_turned) {
        down = *along;
        axes.erase(along);
    } else if (!axes.empty()) {
        down = axes.back();
        axes.pop_back();
    }
    if (is_packed && down.size == 1 && axes.empty()) {
        return copy_bytes(from.data, to, across.size * item, policy);
    }
    const std::uint64_t rows_together = is_turned ? kTile : std::max<std::uint64_t>(1, 4096 / across.size);
    const std::uint64_t bands = (down.size + rows_together - 1) / rows_together;
    std::uint64_t outer = 1;
    for (const Pair& axis : axes) outer *= axis.size;
    const std::uint64_t whole = outer * down.size * across.size * item;
    const unsigned parts = worthwhile_threads(whole, kBytesPerThread, outer * bands, policy.max_threads);
    const bool are_squares = is_turned && down.from == bytes && across.to == bytes;
    const Turn turn = turn_of(item);
    const Copy copy = copy_of(item);
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(outer * bands, 1, part, parts);
        Pieces pieces;
        for (std::uint64_t n = share.begin; n < share.end; ++n) {
            const std::uint64_t first = n % bands * rows_together;
            std::int64_t read = static_cast<std::int64_t>(first) * down.from;
            std::int64_t written = static_cast<std::int64_t>(first) * down.to;
            std::uint64_t left = n / bands;
            for (std::size_t k = axes.size(); k-- > 0;) {
                const auto at = static_cast<std::int64_t>(left % axes[k].size);
                left /= axes[k].size;
                read += at * axes[k].from;
                written += at * axes[k].to;
            }
            const unsigned char* const source = from.data + read;
            unsigned char* const target = to + written;
            const std::uint64_t rows = std::min(rows_together, down.size - first);
            if (is_packed) {
                for (std::uint64_t r = 0; r < rows; ++r) {
                    const auto row = static_cast<std::int64_t>(r);
                    copy_neighbours(target + row * down.to, source + row * down.from, across.size * item);
                }
            } else if (is_turned) {
                for (std::uint64_t c = 0; c < across.size; c += kTile) {
                    const auto column = static_cast<std::int64_t>(c);
                    const unsigned char* const at = source + column * across.from;
                    unsigned char* const there = target + column * across.to;
                    const std::uint64_t columns = std::min(kTile, across.size - c);
                    if (are_squares) {
                        turn(at, across.from, rows, columns, there, down.to);
                    } else {
                        copy(at, there, {rows, columns, down, across});
                    }
                }
            } else {
                copy(source, target, {rows, across.size, down, across});
            }
            pieces.done(rows * across.size);
        }
    });
}

}  // namespace indirectml
