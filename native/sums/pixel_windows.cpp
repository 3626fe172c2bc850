// Windows over images whose channels lie next to each other: the rows of which kernels take one
// element each are pixels, and all channels of an output come out together.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;

// The pixels under a window: null on padding.
void find_pixels(const Windows& w, const PixelImage& x, const unsigned char* image,
                 const std::uint64_t (&at)[kSpatial], std::vector<const unsigned char*>& found) {
    found.clear();
    std::uint64_t k[kSpatial];
    for (k[0] = 0; k[0] < w.size[0]; ++k[0]) {
        for (k[1] = 0; k[1] < w.size[1]; ++k[1]) {
            for (k[2] = 0; k[2] < w.size[2]; ++k[2]) {
                const unsigned char* pixel = image;
                for (int d = 0; d < kSpatial && pixel; ++d) {
                    // Places before the array come out as numbers beyond it.
                    const std::uint64_t place = at[d] * w.stride[d] + k[d] * w.dilation[d] - w.start[d];
                    pixel = place < w.input[d]
                                ? pixel + static_cast<std::ptrdiff_t>(place) * x.position[d]
                                : nullptr;
                }
                found.push_back(pixel);
            }
        }
    }
}

// As unsigned numbers.
void take_larger(const unsigned char* from, std::uint64_t count, unsigned char flips,
                 unsigned char* INDIRECTML_RESTRICT to) {
    for (std::uint64_t k = 0; k < count; ++k) {
        const unsigned char number = from[k] ^ flips;
        to[k] = to[k] < number ? number : to[k];
    }
}

}  // namespace

void pool_pixels(const PixelImage& x, const Windows& w, const Divisor* divisor, const PixelImage& out,
                 const Policy& policy) {
    const Kernels& kernels = kernels_of(*policy.target);
    const auto average = kernels.average_singles[static_cast<int>(out.type)];
    const bool is_half = x.type == Type::kHalf;
    const std::size_t item = item_bytes(out.type);
    const std::uint64_t channels = w.channels;
    const std::uint64_t rows = x.images * w.output[0] * w.output[1];
    const std::uint64_t positions = w.size[0] * w.size[1] * w.size[2];
    const std::uint64_t elements = rows * w.output[2] * channels * positions;
    const unsigned parts = part_count(rows, elements, kElementsPerThread, policy);
    // Kernels read whole vectors: channels beyond the last whole ones have memory of their own.
    const std::uint64_t whole = is_half ? channels : channels / kBeyond * kBeyond;
    const std::uint64_t rest = channels - whole;
    // What is not FLOAT32 goes by way of it.
    const std::uint64_t spacing = channels + kBeyond;
    const std::uint64_t lines = !is_half ? 0 : divisor ? positions : 1;
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        std::vector<const unsigned char*> pixels;
        std::vector<const float*> taps;
        const Line<float> zeros(divisor ? channels : 0, 0.0f);
        Line<float> last(divisor ? positions * kBeyond : 0, 0.0f), wide(lines * spacing, 0.0f);
        Line<double> divisors(divisor ? channels : 0, 1), inverses(divisor ? channels : 0, 1);
        double former = 1;
        const Share share = share_of(rows, 1, part, parts);
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            const std::uint64_t image = row / (w.output[0] * w.output[1]);
            std::uint64_t at[kSpatial] = {row / w.output[1] % w.output[0], row % w.output[1], 0};
            const unsigned char* const from =
                x.data + static_cast<std::ptrdiff_t>(image) * x.image;
            unsigned char* to = out.data + static_cast<std::ptrdiff_t>(image) * out.image +
                                static_cast<std::ptrdiff_t>(at[0]) * out.position[0] +
                                static_cast<std::ptrdiff_t>(at[1]) * out.position[1];
            for (; at[2] < w.output[2]; ++at[2], to += out.position[2]) {
                find_pixels(w, x, from, at, pixels);
                if (!divisor) {
                    const auto end = std::remove(pixels.begin(), pixels.end(), nullptr);
                    auto* const result = is_half ? wide.data() : reinterpret_cast<float*>(to);
                    if (end == pixels.begin()) {
                        std::fill_n(result, channels, -HUGE_VALF);
                    } else {
                        kernels.largest_of_rows[static_cast<int>(x.type)](
                            pixels.data(), static_cast<std::size_t>(end - pixels.begin()), channels,
                            result);
                    }
                    if (is_half) kernels.largest_along[0](result, {1, 1, 1}, channels, to);
                    continue;
                }
                std::uint64_t inside = 0;
                taps.clear();
                for (const unsigned char* pixel : pixels) {
                    inside += pixel != nullptr;
                    const float* tap = pixel ? reinterpret_cast<const float*>(pixel) : zeros.data();
                    if (pixel && is_half) {
                        float* const line = wide.data() + taps.size() * spacing;
                        kernels.widen_halves(pixel, channels, line);
                        tap = line;
                    }
                    taps.push_back(tap);
                }
                const double by = *divisor == Divisor::kAll   ? static_cast<double>(positions)
                                  : *divisor == Divisor::kOne ? 1
                                                              : static_cast<double>(inside);
                if (by != former) {
                    std::fill_n(divisors.data(), channels, by);
                    std::fill_n(inverses.data(), channels, 1 / by);
                    former = by;
                }
                if (whole > 0) {
                    average(taps.data(), positions, whole, divisors.data(), inverses.data(), to);
                }
                if (rest == 0) continue;
                for (std::uint64_t k = 0; k < positions; ++k) {
                    std::copy_n(taps[k] + whole, rest, last.data() + k * kBeyond);
                    taps[k] = last.data() + k * kBeyond;
                }
                average(taps.data(), positions, rest, divisors.data(), inverses.data(),
                        to + whole * item);
            }
            pieces.done(w.output[2] * channels * positions);
        }
    });
}

void largest_pixel_bytes(const PixelImage& x, bool is_signed, const Windows& w, const PixelImage& out,
                         const Policy& policy) {
    const unsigned char flips = is_signed ? 0x80 : 0;
    const std::uint64_t rows = x.images * w.output[0] * w.output[1];
    const std::uint64_t elements = rows * w.output[2] * w.channels * w.size[0] * w.size[1] * w.size[2];
    const unsigned parts = part_count(rows, elements / sizeof(float), kElementsPerThread, policy);
    const std::uint64_t pitch = static_cast<std::uint64_t>(x.position[2]);
    // A row of pixels, and what may lie between them.
    const std::uint64_t reach = w.input[2] > 0 ? (w.input[2] - 1) * pitch + w.channels : 0;
    // The position under a tap; those before the array come out as numbers beyond it.
    const auto place = [&w](int d, std::uint64_t output, std::uint64_t tap) {
        return output * w.stride[d] + tap * w.dilation[d] - w.start[d];
    };
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        std::vector<unsigned char> line(reach);
        const Share share = share_of(rows, 1, part, parts);
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            const auto image = static_cast<std::ptrdiff_t>(row / (w.output[0] * w.output[1]));
            const std::uint64_t a = row / w.output[1] % w.output[0], b = row % w.output[1];
            // Down, then along the row; the lowest unsigned number is 0.
            std::fill(line.begin(), line.end(), static_cast<unsigned char>(0));
            for (std::uint64_t k = 0; k < w.size[0] * w.size[1]; ++k) {
                const std::uint64_t i = place(0, a, k / w.size[1]), j = place(1, b, k % w.size[1]);
                if (i >= w.input[0] || j >= w.input[1]) continue;
                take_larger(x.data + image * x.image + static_cast<std::ptrdiff_t>(i) * x.position[0] +
                                static_cast<std::ptrdiff_t>(j) * x.position[1],
                            reach, flips, line.data());
            }
            unsigned char* to = out.data + image * out.image +
                                static_cast<std::ptrdiff_t>(a) * out.position[0] +
                                static_cast<std::ptrdiff_t>(b) * out.position[1];
            for (std::uint64_t c = 0; c < w.output[2]; ++c, to += out.position[2]) {
                std::fill_n(to, w.channels, static_cast<unsigned char>(0));
                for (std::uint64_t k = 0; k < w.size[2]; ++k) {
                    const std::uint64_t l = place(2, c, k);
                    if (l < w.input[2]) take_larger(line.data() + l * pitch, w.channels, 0, to);
                }
                for (std::uint64_t k = 0; k < w.channels && is_signed; ++k) to[k] ^= flips;
            }
            pieces.done(elements / rows);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
