// Windows over images whose channels lie next to each other: the rows of which kernels take one
// element each are pixels, and all channels of an output come out together.
#include <algorithm>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;

// The position under a tap; those before the array come out as numbers beyond it.
std::uint64_t place(const Windows& w, int d, std::uint64_t output, std::uint64_t tap) {
    return output * w.stride[d] + tap * w.dilation[d] - w.start[d];
}

// The rows under a row of windows: null on padding.
void find_rows(const Windows& w, const PixelImage& x, std::uint64_t row,
               std::vector<const unsigned char*>& found) {
    const auto image = static_cast<std::ptrdiff_t>(row / (w.output[0] * w.output[1]));
    const std::uint64_t a = row / w.output[1] % w.output[0], b = row % w.output[1];
    found.clear();
    for (std::uint64_t k = 0; k < w.size[0] * w.size[1]; ++k) {
        const std::uint64_t i = place(w, 0, a, k / w.size[1]), j = place(w, 1, b, k % w.size[1]);
        const bool is_inside = i < w.input[0] && j < w.input[1];
        found.push_back(is_inside ? x.data + image * x.image +
                                        static_cast<std::ptrdiff_t>(i) * x.position[0] +
                                        static_cast<std::ptrdiff_t>(j) * x.position[1]
                                  : nullptr);
    }
}
void find_rows_inside(const Windows& w, const PixelImage& x, std::uint64_t row,
                      std::vector<const unsigned char*>& found) {
    find_rows(w, x, row, found);
    found.erase(std::remove(found.begin(), found.end(), nullptr), found.end());
}

// Where a row of outputs begins.
unsigned char* row_of(const Windows& w, const PixelImage& out, std::uint64_t row) {
    return out.data + static_cast<std::ptrdiff_t>(row / (w.output[0] * w.output[1])) * out.image +
           static_cast<std::ptrdiff_t>(row / w.output[1] % w.output[0]) * out.position[0] +
           static_cast<std::ptrdiff_t>(row % w.output[1]) * out.position[1];
}

// Whether no bytes lie between the pixels of a row.
bool are_packed(const Windows& w, const PixelImage& x) {
    return x.position[2] == static_cast<std::ptrdiff_t>(w.channels * item_bytes(x.type));
}

// As unsigned numbers.
void take_larger(const unsigned char* from, std::uint64_t count, unsigned char flips,
                 unsigned char* INDIRECTML_RESTRICT to) {
    for (std::uint64_t k = 0; k < count; ++k) {
        const unsigned char number = from[k] ^ flips;
        to[k] = to[k] < number ? number : to[k];
    }
}

// Windows along a row that have all of their positions on the array, if kernels take such windows at once.
Share windows_at_once(const PixelImage& x, const Windows& w, const PixelImage& out) {
    const std::uint64_t size = w.size[2], stride = w.stride[2], most = w.input[2] + w.start[2];
    const bool are_square = w.size[0] == 1 && w.size[1] == size && (size == 2 || size == WindowsOfPixels::kMost);
    if (x.type != out.type || !are_square || stride > 2 || w.dilation[2] != 1 || most < size) return {0, 0};
    const std::uint64_t end = std::min((most - size) / stride + 1, w.output[2]);
    return {std::min((w.start[2] + stride - 1) / stride, end), end};
}

// The largest of the rows under windows, place by place, and then of the places under each window; some
// windows at a time, so that what lies between stays in the first cache.
void largest_in_pixels(const PixelImage& x, const Windows& w, const PixelImage& out,
                       const Policy& policy) {
    constexpr std::uint64_t kBytes = 1 << 13;
    const Kernels& kernels = kernels_of(*policy.target);
    const auto type = static_cast<int>(x.type);
    const auto along = kernels.largest_along[static_cast<int>(out.type)];
    const std::uint64_t channels = w.channels;
    const std::uint64_t rows = x.images * w.output[0] * w.output[1];
    const std::uint64_t elements = w.output[2] * channels * product(w.size);
    const unsigned parts = part_count(rows, rows * elements, kElementsPerThread, policy);
    const std::uint64_t reach = (w.size[2] - 1) * w.dilation[2] + 1;
    const std::uint64_t most = kBytes / (channels * sizeof(float));
    const std::uint64_t together =
        most > reach ? std::min((most - reach) / w.stride[2] + 1, w.output[2]) : 1;
    const std::uint64_t most_places = (together - 1) * w.stride[2] + reach;
    const bool is_packed = are_packed(w, x);
    const Share at_once = windows_at_once(x, w, out);
    const Steps steps{w.size[2], w.dilation[2] * channels, 1};
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        Line<float> line(most_places * channels, kernels.lowest);
        std::vector<const unsigned char*> under, at;
        const auto fill = [&](std::uint64_t begin, std::uint64_t end) {
            std::fill_n(line.data() + begin * channels, (end - begin) * channels, kernels.lowest);
        };
        const auto from_rows = [&](std::uint64_t c, std::uint64_t count, unsigned char* to) {
            WindowsOfPixels task{{}, w.size[2], w.stride[2], count, channels, static_cast<std::size_t>(x.position[2]),
                                 to, static_cast<std::size_t>(out.position[2])};
            const auto skipped = static_cast<std::ptrdiff_t>(c * w.stride[2] - w.start[2]) * x.position[2];
            for (std::size_t k = 0; k < w.size[1]; ++k) {
                task.rows[k] = under[std::min(k, under.size() - 1)] + skipped;
            }
            kernels.largest_of_pixels[type](task);
        };
        const auto by_way_of_line = [&](std::uint64_t c, std::uint64_t count, unsigned char* to) {
            // Of the places under these windows, some lie on the array.
            const std::uint64_t first = c * w.stride[2], places = (count - 1) * w.stride[2] + reach;
            const auto inside = [&](std::uint64_t end) {
                return std::clamp(end, first, first + places) - first;
            };
            const std::uint64_t begin = inside(under.empty() ? first + places : w.start[2]);
            const std::uint64_t end = std::max(begin, inside(w.start[2] + w.input[2]));
            fill(0, begin);
            fill(end, places);
            at = under;
            const auto skipped = static_cast<std::ptrdiff_t>(first + begin - w.start[2]);
            for (const unsigned char*& pixel : at) pixel += skipped * x.position[2];
            const std::uint64_t run = is_packed ? end - begin : 1;
            for (std::uint64_t k = begin; k < end; k += run) {
                kernels.largest_of_rows[type](at.data(), at.size(), run * channels, line.data() + k * channels);
                for (const unsigned char*& pixel : at) pixel += x.position[2];
            }
            along(line.data(), steps, channels, to,
                  {count, w.stride[2] * channels * sizeof(float), static_cast<std::size_t>(out.position[2])});
        };
        const Share share = share_of(rows, 1, part, parts);
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            find_rows_inside(w, x, row, under);
            const Share inner = under.empty() ? Share{0, 0} : at_once;
            unsigned char* to = row_of(w, out, row);
            for (std::uint64_t c = 0, count; c < w.output[2]; c += count) {
                const bool is_inner = c >= inner.begin && c < inner.end;
                const std::uint64_t end = is_inner ? inner.end : c < inner.begin ? inner.begin : w.output[2];
                count = std::min(together, end - c);
                is_inner ? from_rows(c, count, to) : by_way_of_line(c, count, to);
                to += static_cast<std::ptrdiff_t>(count) * out.position[2];
            }
            pieces.done(elements);
        }
    });
}

// Windows that lie on the array are averaged together.
template <typename Number>
void average_pixels(const PixelImage& x, const Windows& w, Divisor divisor, const PixelImage& out,
                    AverageKernel<Number> average, const Policy& policy) {
    const std::uint64_t channels = w.channels;
    const std::uint64_t rows = x.images * w.output[0] * w.output[1];
    const std::uint64_t positions = product(w.size);
    const std::uint64_t elements = w.output[2] * channels * positions;
    const unsigned parts = part_count(rows, rows * elements, kElementsPerThread, policy);
    // Kernels read whole vectors: fewer channels have memory of their own.
    const bool are_few = channels < kBeyond;
    const Times steps{1, w.stride[2] * static_cast<std::size_t>(x.position[2]),
                      static_cast<std::size_t>(out.position[2])};
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        std::vector<const unsigned char*> under;
        std::vector<const Number*> taps(positions);
        const Line<Number> zeros(channels, 0);
        Line<Number> few(are_few ? positions * kBeyond : 0, 0);
        Line<double> divisors(channels, 1), inverses(channels, 1);
        double former = 1;
        const Share share = share_of(rows, 1, part, parts);
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            find_rows(w, x, row, under);
            unsigned char* to = row_of(w, out, row);
            Times times = steps;
            for (std::uint64_t c = 0; c < w.output[2]; c += times.count) {
                std::uint64_t inside = 0;
                for (std::uint64_t k = 0; k < positions; ++k) {
                    const unsigned char* const line = under[k / w.size[2]];
                    const std::uint64_t l = place(w, 2, c, k % w.size[2]);
                    const bool is_inside = line != nullptr && l < w.input[2];
                    inside += is_inside;
                    taps[k] = is_inside ? reinterpret_cast<const Number*>(
                                              line + static_cast<std::ptrdiff_t>(l) * x.position[2])
                                        : zeros.data();
                    if (!are_few) continue;
                    Number* const own = few.data() + k * kBeyond;
                    std::copy_n(taps[k], channels, own);
                    taps[k] = own;
                }
                const std::uint64_t last = place(w, 2, c, w.size[2] - 1);
                times.count = inside == positions && !are_few
                                  ? std::min((w.input[2] - 1 - last) / w.stride[2] + 1, w.output[2] - c)
                                  : 1;
                const double by = divisor == Divisor::kAll   ? static_cast<double>(positions)
                                  : divisor == Divisor::kOne ? 1
                                                             : static_cast<double>(inside);
                if (by != former) {
                    std::fill_n(divisors.data(), channels, by);
                    std::fill_n(inverses.data(), channels, 1 / by);
                    former = by;
                }
                average(taps.data(), positions, channels, divisors.data(), inverses.data(), to, times);
                to += static_cast<std::ptrdiff_t>(times.count) * out.position[2];
            }
            pieces.done(elements);
        }
    });
}

}  // namespace

void pool_pixels(const PixelImage& x, const Windows& w, const Divisor* divisor, const PixelImage& out,
                 const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto to = static_cast<int>(out.type);
    if (!divisor) {
        largest_in_pixels(x, w, out, policy);
    } else if (x.type == Type::kHalf) {
        average_pixels(x, w, *divisor, out, kernels.average_halves[to], policy);
    } else {
        average_pixels(x, w, *divisor, out, kernels.average_singles[to], policy);
    }
}

void largest_pixel_bytes(const PixelImage& x, bool is_signed, const Windows& w, const PixelImage& out,
                         const Policy& policy) {
    const unsigned char flips = is_signed ? 0x80 : 0;
    const std::uint64_t rows = x.images * w.output[0] * w.output[1];
    const std::uint64_t elements = w.output[2] * w.channels * product(w.size);
    const unsigned parts = part_count(rows, rows * elements / sizeof(float), kElementsPerThread, policy);
    const std::uint64_t pitch = static_cast<std::uint64_t>(x.position[2]);
    // A row of pixels, and what may lie between them.
    const std::uint64_t reach = w.input[2] > 0 ? (w.input[2] - 1) * pitch + w.channels : 0;
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        std::vector<unsigned char> line(reach);
        std::vector<const unsigned char*> under;
        const Share share = share_of(rows, 1, part, parts);
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            // Down, then along the row; the lowest unsigned number is 0.
            std::fill(line.begin(), line.end(), static_cast<unsigned char>(0));
            find_rows_inside(w, x, row, under);
            for (const unsigned char* const from : under) take_larger(from, reach, flips, line.data());
            unsigned char* to = row_of(w, out, row);
            for (std::uint64_t c = 0; c < w.output[2]; ++c, to += out.position[2]) {
                std::fill_n(to, w.channels, static_cast<unsigned char>(0));
                for (std::uint64_t k = 0; k < w.size[2]; ++k) {
                    const std::uint64_t l = place(w, 2, c, k);
                    if (l < w.input[2]) take_larger(line.data() + l * pitch, w.channels, 0, to);
                }
                for (std::uint64_t k = 0; k < w.channels && is_signed; ++k) to[k] ^= flips;
            }
            pieces.done(elements);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
