#include "blocks.h"

#include "../floats.h"
#include "../lanes/f32_portable.h"
#include "../team.h"

namespace indirectml {
namespace weights {

namespace {

constexpr double kElementsPerThread = 1 << 17;

float scale_at(const Blocks& task, std::size_t number) {
    if (!task.has_halves) return static_cast<const float*>(task.scales)[number];
    return lanes::portable::widen(static_cast<const std::uint16_t*>(task.scales)[number]);
}

// `count` neighbours of one scale and zero point.
template <typename Number>
void write(const unsigned char* from, std::size_t count, float scale, float zero, float* to) {
    const auto* const numbers = reinterpret_cast<const Number*>(from);
    for (std::size_t n = 0; n < count; ++n) {
        to[n] = lanes::portable::canonical((static_cast<float>(numbers[n]) - zero) * scale);
    }
}

template <typename Number>
void write_rows(const Blocks& task, const Share& rows) {
    const std::size_t last = task.sizes.size() - 1;
    const std::size_t width = task.sizes[last], scales = task.scale_sizes[last];
    const std::size_t block = width / scales;
    Pieces pieces;
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        std::size_t rest = row, first = 0, step = scales;
        for (std::size_t k = last; k-- > 0;) {
            const std::size_t at = rest % task.sizes[k];
            rest /= task.sizes[k];
            first += at / (task.sizes[k] / task.scale_sizes[k]) * step;
            step *= task.scale_sizes[k];
        }
        for (std::size_t n = 0; n < scales; ++n) {
            const float zero =
                task.zeros ? static_cast<float>(
                                 reinterpret_cast<const Number*>(task.zeros)[first + n])
                           : 0;
            const std::size_t at = row * width + n * block;
            write<Number>(task.numbers + at, block, scale_at(task, first + n), zero, task.out + at);
        }
        pieces.done(width);
    }
}

}  // namespace

void dequantize(const Blocks& task, const Policy& policy) {
    std::size_t rows = 1;
    for (std::size_t k = 0; k + 1 < task.sizes.size(); ++k) rows *= task.sizes[k];
    const double elements = static_cast<double>(rows) * static_cast<double>(task.sizes.back());
    const unsigned threads = worthwhile_threads(elements / kElementsPerThread, policy.max_threads);
    run_team(threads, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, threads);
        if (task.is_signed) return write_rows<signed char>(task, share);
        write_rows<unsigned char>(task, share);
    });
}

}  // namespace weights
}  // namespace indirectml
