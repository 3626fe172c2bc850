// Elements over a power of the sum of their neighbours' squares.

#include <algorithm>
#include <optional>
#include <vector>

#include "../functions/apply.h"
#include "../team.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 13;
// Neighbouring columns that are worked on together: the squares of a window of rows stay in the first
// cache.
constexpr std::uint64_t kWide = 256;

// What is done with an element and the sum of its neighbours' squares.
class Response {
  public:
    Response(const Neighbours& how, const Policy& policy)
        : how_(how),
          power_(functions::kernels_of(*policy.target)
                     .single[static_cast<int>(functions::Function::kPow)]),
          exponents_(kWide, how.beta) {}

    // Of at most kWide; `squares` are overwritten.
    void operator()(const float* x, float* squares, std::uint64_t count, float* out) const {
        for (std::uint64_t j = 0; j < count; ++j) {
            const float part = how_.share * squares[j];
            squares[j] = how_.bias + part;
        }
        power_(squares, exponents_.data(), squares, count);
        for (std::uint64_t j = 0; j < count; ++j) out[j] = x[j] / squares[j];
        quiet(Type::kSingle, reinterpret_cast<unsigned char*>(out), count);
    }

  private:
    const Neighbours& how_;
    const functions::Kernel power_;
    const std::vector<float> exponents_;
};

// Windows along one axis alone, of rows of columns.
struct ArrayRows {
    std::uint64_t arrays, rows, columns, size, before;
};
constexpr std::uint64_t kLeastColumns = 8;

// Nothing where windows are along others too, or rows are short.
std::optional<ArrayRows> rows_of(const Windows& w) {
    int axis = 0;
    for (int k = 0; k < kSpatial; ++k) {
        if (w.size[k] == 1) continue;
        if (w.size[axis] != 1) return std::nullopt;
        axis = k;
    }
    ArrayRows found{w.channels, w.input[axis], 1, w.size[axis], w.start[axis]};
    for (int k = 0; k < kSpatial; ++k) {
        if (k != axis) (k < axis ? found.arrays : found.columns) *= w.input[k];
    }
    if (found.columns < kLeastColumns) return std::nullopt;
    return found;
}

void along_rows(const unsigned char* x, Type type, const Neighbours& how, const ArrayRows& w, float* out,
                const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto square = kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSquare)];
    const auto widen = kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSame)];
    const auto narrow = kernels.narrow[static_cast<int>(Type::kSingle)];
    const auto add = kernels.average_doubles[static_cast<int>(Type::kSingle)];
    const std::uint64_t rows = w.rows, columns = w.columns, size = w.size, before = w.before;
    const std::uint64_t blocks = (columns + kWide - 1) / kWide, units = w.arrays * blocks;
    const unsigned parts = part_count(units, units * rows * kWide, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        const Response response(how, policy);
        // Row r of the array is row r modulo `size`; what is outside of the array is the row behind.
        Line<double> squares((size + 1) * kWide, 0), wide(kWide, 0), ones(kWide, 1);
        Line<float> sums(kWide, 0), singles(kWide, 0);
        std::vector<const double*> window(size);
        Pieces pieces;
        const Share share = share_of(units, 1, part, parts);
        for (std::uint64_t unit = share.begin; unit < share.end; ++unit) {
            const std::uint64_t column = unit % blocks * kWide;
            const std::uint64_t count = std::min(kWide, columns - column);
            const std::uint64_t first = unit / blocks * rows * columns + column;
            const auto at = [&](std::uint64_t r) {
                return x + (first + r * columns) * item_bytes(type);
            };
            std::uint64_t known = 0;
            for (std::uint64_t r = 0; r < rows; ++r) {
                for (; known < rows && known + before < r + size; ++known) {
                    square(at(known), count, 0, squares.data() + known % size * kWide);
                }
                for (std::uint64_t k = 0; k < size; ++k) {
                    const bool is_inside = r + k >= before && r + k - before < rows;
                    window[k] = squares.data() + (is_inside ? (r + k - before) % size : size) * kWide;
                }
                add(window.data(), size, count, ones.data(), ones.data(),
                    reinterpret_cast<unsigned char*>(sums.data()), {1, 0, 0});
                widen(at(r), count, 0, wide.data());
                narrow(wide.data(), count, reinterpret_cast<unsigned char*>(singles.data()));
                response(singles.data(), sums.data(), count, out + first + r * columns);
                pieces.done(8 * count);
            }
        }
    });
}

}  // namespace

void local_response(const unsigned char* x, Type type, const Neighbours& how, float* out,
                    const Policy& policy) {
    Windows w = how.windows;
    if (const auto rows = rows_of(w)) return along_rows(x, type, how, *rows, out, policy);
    // Array after array.
    const std::uint64_t count = w.input[0] * w.input[1] * w.input[2];
    const Kernels& kernels = kernels_of(*policy.target);
    const auto square = kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSquare)];
    const auto widen = kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSame)];
    const auto narrow = kernels.narrow[static_cast<int>(Type::kSingle)];
    Line<double> squares(count, 0);
    Line<float> sums(count, 0);
    const std::uint64_t arrays = w.channels;
    w.channels = 1;
    for (std::uint64_t a = 0; a < arrays; ++a, x += count * item_bytes(type), out += count) {
        square(x, count, 0, squares.data());
        average_windows(reinterpret_cast<const unsigned char*>(squares.data()), Type::kDouble, w,
                        Divisor::kOne, Type::kSingle,
                        reinterpret_cast<unsigned char*>(sums.data()), policy);
        const std::uint64_t blocks = (count + kWide - 1) / kWide;
        const unsigned parts = part_count(blocks, count, kElementsPerThread, policy);
        run_team(parts, [&](unsigned part) {
            const Response response(how, policy);
            Line<double> wide(kWide, 0);
            Line<float> singles(kWide, 0);
            Pieces pieces;
            const Share share = share_of(blocks, 1, part, parts);
            for (std::uint64_t b = share.begin; b < share.end; ++b) {
                const std::uint64_t first = b * kWide, some = std::min(kWide, count - first);
                widen(x + first * item_bytes(type), some, 0, wide.data());
                narrow(wide.data(), some, reinterpret_cast<unsigned char*>(singles.data()));
                response(singles.data(), sums.data() + first, some, out + first);
                pieces.done(8 * some);
            }
        });
    }
}

}  // namespace sums
}  // namespace indirectml
