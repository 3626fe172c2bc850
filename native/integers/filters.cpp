// Filters of convolutions of 8-bit integers in the order in which these read them.
#include "../stopping.h"
#include "packing.h"

namespace indirectml {
namespace integers {
namespace {

// A line of units of a filter, whose taps follow each other: four channels at each tap.
void join_channels(const unsigned char* from, std::ptrdiff_t channel, std::size_t count,
                   std::size_t taps, unsigned char flips, const Kernels& kernels,
                   unsigned char* to) {
    if (count == kQuad && taps > 1) {
        const unsigned char* lines[kQuad];
        for (std::size_t n = 0; n < kQuad; ++n) {
            lines[n] = from + static_cast<std::ptrdiff_t>(n) * channel;
        }
        return kernels.interleave(lines, taps, flips, reinterpret_cast<std::int32_t*>(to));
    }
    for (std::size_t tap = 0; tap < taps; ++tap, ++from) {
        for (std::size_t n = 0; n < kQuad; ++n) {
            *to++ = n < count ? from[static_cast<std::ptrdiff_t>(n) * channel] ^ flips : 0;
        }
    }
}

// The same of any order, or of four taps of a row.
unsigned char* join_any(const Image& filter, const unsigned char* from, std::size_t line,
                        std::size_t channels, const std::size_t* sizes, bool joins,
                        unsigned char flips, unsigned char* to) {
    const std::size_t columns = joins ? sizes[2] : units_of(sizes[2]);
    for (std::size_t r0 = 0; r0 < sizes[0]; ++r0)
        for (std::size_t r1 = 0; r1 < sizes[1]; ++r1)
            for (std::size_t r2 = 0; r2 < columns; ++r2)
                for (std::size_t n = 0; n < kQuad; ++n) {
                    const std::size_t channel = joins ? line * kQuad + n : line;
                    const std::size_t tap = joins ? r2 : r2 * kQuad + n;
                    const bool is_there = channel < channels && tap < sizes[2];
                    const std::ptrdiff_t at =
                        static_cast<std::ptrdiff_t>(channel) * filter.channel +
                        static_cast<std::ptrdiff_t>(r0) * filter.position[0] +
                        static_cast<std::ptrdiff_t>(r1) * filter.position[1] +
                        static_cast<std::ptrdiff_t>(tap) * filter.position[2];
                    *to++ = is_there ? from[at] ^ flips : 0;
                }
    return to;
}

std::int32_t sum_of(const unsigned char* bytes, std::size_t count) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
        sum += static_cast<std::uint32_t>(static_cast<signed char>(bytes[k]));
    }
    return static_cast<std::int32_t>(sum);
}

}  // namespace

bool joins_channels(std::size_t channels, const std::size_t* sizes) {
    return units_of(channels) * sizes[2] <= channels * units_of(sizes[2]);
}

std::size_t units_of_filter(std::size_t channels, const std::size_t* sizes, bool joins) {
    return sizes[0] * sizes[1] *
           (joins ? units_of(channels) * sizes[2] : channels * units_of(sizes[2]));
}

std::size_t filter_panels_bytes(std::size_t filters, std::size_t channels,
                                 const std::size_t* sizes) {
    const bool joins = joins_channels(channels, sizes);
    return filters * (1 + units_of_filter(channels, sizes, joins)) * sizeof(std::int32_t);
}

void pack_units(const Image& filter, std::size_t filters, std::size_t channels,
                const std::size_t* sizes, bool joins, const Kernels& kernels, unsigned char* to) {
    const unsigned char flips = flips_to_signed(filter.type);
    const std::size_t lines = joins ? units_of(channels) : channels;
    const std::size_t taps = sizes[0] * sizes[1] * sizes[2];
    const auto last = static_cast<std::ptrdiff_t>(sizes[2]);
    const bool taps_follow = (last == 1 || filter.position[2] == 1) &&
                             (sizes[1] == 1 || filter.position[1] == last) &&
                             (sizes[0] == 1 ||
                              filter.position[0] == last * static_cast<std::ptrdiff_t>(sizes[1]));
    const std::size_t bytes = units_of_filter(channels, sizes, joins) * kQuad;
    auto* const sums = reinterpret_cast<std::int32_t*>(to);
    to += filters * sizeof(std::int32_t);
    Pieces pieces;
    for (std::size_t m = 0; m < filters; ++m) {
        const unsigned char* const from =
            filter.data + static_cast<std::ptrdiff_t>(m) * filter.image;
        unsigned char* at = to;
        if (joins && taps == 1 && filter.channel == 1) {
            for (std::size_t c = 0; c < channels; ++c) at[c] = from[c] ^ flips;
            std::memset(at + channels, 0, bytes - channels);
        } else {
            for (std::size_t line = 0; line < lines; ++line) {
                if (!joins || !taps_follow) {
                    at = join_any(filter, from, line, channels, sizes, joins, flips, at);
                    continue;
                }
                join_channels(from + static_cast<std::ptrdiff_t>(line * kQuad) * filter.channel,
                              filter.channel, std::min(kQuad, channels - line * kQuad), taps, flips,
                              kernels, at);
                at += taps * kQuad;
            }
        }
        sums[m] = sum_of(to, bytes);
        to += bytes;
        pieces.done(bytes);
    }
}

void pack_filters(const Image& filter, std::size_t filters, std::size_t channels,
                  const std::size_t* sizes, const char* target, unsigned char* to) {
    pack_units(filter, filters, channels, sizes, joins_channels(channels, sizes),
               kernels_of(target), to);
}

void pack_pixel_filters(const Image& filter, const PixelPanels& form, unsigned char* to) {
    const unsigned char flips = flips_to_signed(filter.type);
    const std::size_t units = form.units();
    const std::ptrdiff_t step = form.by_channels ? filter.position[1] : filter.channel;
    auto* sums = reinterpret_cast<std::int32_t*>(to);
    to += form.matrices * form.width() * sizeof(std::int32_t);
    Pieces pieces;
    for (std::size_t matrix = 0; matrix < form.matrices; ++matrix) {
        for (std::size_t first = 0; first < form.width(); first += kPanel) {
            std::memset(to, 0, units * kPanel * kQuad);
            std::fill_n(sums, kPanel, 0);
            for (std::size_t j = 0; j < std::min(kPanel, form.columns - first); ++j) {
                const unsigned char* const from =
                    filter.data +
                    static_cast<std::ptrdiff_t>(matrix * form.columns + first + j) * filter.image;
                unsigned char* unit = to + j * kQuad;
                form.for_each_unit([&](const PixelPanels::Unit& at) {
                    const unsigned char* element =
                        from + static_cast<std::ptrdiff_t>(at.channel) * filter.channel +
                        static_cast<std::ptrdiff_t>(at.row) * filter.position[1] +
                        static_cast<std::ptrdiff_t>(at.tap) * filter.position[2];
                    for (std::size_t n = 0; n < at.count; ++n, element += step) {
                        unit[n] = *element ^ flips;
                    }
                    sums[j] += sum_of(unit, kQuad);
                    unit += kPanel * kQuad;
                });
            }
            sums += kPanel;
            to += units * kPanel * kQuad;
            pieces.done(units * kPanel * kQuad);
        }
    }
}

}  // namespace integers
}  // namespace indirectml
