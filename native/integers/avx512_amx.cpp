// AMX: registers for whole tiles of up to 16 rows of 16 units, of which one instruction adds 16,384 products of
// bytes. Two for rows and two for panels, and four for their sums. What these do not take, VNNI does.
#include "../compiler.h"

INDIRECTML_UNINITIALIZED_ON_PURPOSE

#include <immintrin.h>

#include "../targets/processor.h"
#include "kernels.h"

namespace indirectml {
namespace integers {

extern const Kernels kIntegersAvx512Vnni;

namespace {

constexpr std::size_t kRegisterRows = 16, kRegisterUnits = 16, kRegisterBytes = 64;
constexpr std::size_t kTileRows = 2 * kRegisterRows, kTilePanels = 2;
// Fewer rows, or units that follow each other, take VNNI no longer.
constexpr std::size_t kLeastRows = 4, kLeastUnits = 4;
// So many times as many products as by VNNI, with what is around tiles, which takes no less than there.
constexpr double kGain = 6;

// Registers are named in instructions, by numbers known to the compiler: sums 0 to 3, rows 4 and 5, panels 6 and 7.
struct alignas(kRegisterBytes) Configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
};

void configure(std::size_t upper, std::size_t lower, std::size_t units) {
    Configuration found;
    const auto set = [&](int number, std::size_t rows, std::size_t row_bytes) {
        found.rows[number] = static_cast<std::uint8_t>(rows);
        found.row_bytes[number] = static_cast<std::uint16_t>(row_bytes);
    };
    for (int half = 0; half < 2; ++half) {
        const std::size_t rows = half == 0 || lower == 0 ? upper : lower;
        set(2 * half, rows, kRegisterBytes);
        set(2 * half + 1, rows, kRegisterBytes);
        set(4 + half, rows, units * kQuad);
        set(6 + half, units, kRegisterBytes);
    }
    const Configuration* const at = hidden(&found);
    settle_memory();  // GCC 12 takes the first 8 bytes alone for read
    _tile_loadconfig(at);
}

// How many units a register takes, so that all are the same: the most that units in a row are a multiple of.
std::size_t units_of_register(std::size_t run) {
    std::size_t units = run < kRegisterUnits ? run : kRegisterUnits;
    while (units > 1 && static_cast<std::uint32_t>(run) % static_cast<std::uint32_t>(units) != 0) --units;
    return units;
}

// Rows of a tile that are equally far from each other, by VNNI.
void multiply_by_vectors(const Tile& t, const TileTable& tiles, std::size_t rows, std::size_t panels) {
    const std::size_t parts = (rows + kIntegersAvx512Vnni.rows - 1) / kIntegersAvx512Vnni.rows;
    Tile some = t;
    for (std::size_t n = 0, row = 0; n < parts; ++n) {
        const std::size_t height = rows * (n + 1) / parts - row;
        const auto at = static_cast<std::ptrdiff_t>(row), half = static_cast<std::ptrdiff_t>((height + 1) / 2);
        some.a = t.a + at * t.a_row;
        some.c = t.c + at * t.c_row;
        some.a_half = half * t.a_row;
        some.c_half = half * t.c_row;
        some.row_starts = t.row_starts ? t.row_starts + row : nullptr;
        tiles[height - 1][panels - 1](some);
        row += height;
    }
}

void add_row_starts(std::int32_t* c, std::ptrdiff_t c_row, const std::int32_t* starts, std::size_t rows,
                    std::size_t panels) {
    for (std::size_t i = 0; i < rows; ++i, c += c_row) {
        const __m512i start = _mm512_set1_epi32(starts[i]);
        for (std::size_t p = 0; p < panels; ++p) {
            std::int32_t* const at = c + p * kPanel;
            _mm512_storeu_si512(at, _mm512_add_epi32(_mm512_loadu_si512(at), start));
        }
    }
}

// Rows in two registers, or in one.
template <bool kIsByPixels, bool kIsTwoHalves, std::size_t kPanels>
void multiply(const Tile& t, const unsigned char* lower, std::int32_t* lower_c, std::size_t each) {
    const auto c_row = static_cast<std::size_t>(t.c_row) * sizeof(*t.c);
    const auto a_row = static_cast<std::size_t>(t.a_row);
    const auto b_row = static_cast<std::size_t>(t.b_k) * sizeof(*t.b);
    if (t.column_starts) {  // the same in each row
        _tile_loadd(0, t.column_starts, 0);
        if (kPanels == 2) _tile_loadd(1, t.column_starts + kPanel, 0);
        if (kIsTwoHalves) _tile_loadd(2, t.column_starts, 0);
        if (kIsTwoHalves && kPanels == 2) _tile_loadd(3, t.column_starts + kPanel, 0);
    } else {
        _tile_zero(0);
        if (kPanels == 2) _tile_zero(1);
        if (kIsTwoHalves) _tile_zero(2);
        if (kIsTwoHalves && kPanels == 2) _tile_zero(3);
    }
    const std::int32_t *b = t.b, *next = t.next == t.b ? nullptr : t.next;
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(each) * t.b_k;
    for (std::size_t unit = 0; unit < t.units; unit += each, b += step) {
        const std::ptrdiff_t at = kIsByPixels ? t.offsets[unit] : static_cast<std::ptrdiff_t>(unit) * t.a_k;
        _tile_loadd(6, b, b_row);
        _tile_loadd(4, t.a + at, a_row);
        _tile_dpbusd(0, 4, 6);
        if (kPanels == 2) {
            _tile_loadd(7, b + t.b_panel, b_row);
            _tile_dpbusd(1, 4, 7);
        }
        if (kIsTwoHalves) {
            _tile_loadd(5, lower + at, a_row);
            _tile_dpbusd(2, 5, 6);
            if (kPanels == 2) _tile_dpbusd(3, 5, 7);
        }
        if (!next) continue;
        for (std::size_t k = 0; k < each; ++k, next += t.b_k) {
            prefetch(next);
            if (kPanels == 2) prefetch(next + t.b_panel);
        }
    }
    _tile_stored(0, t.c, c_row);
    if (kPanels == 2) _tile_stored(1, t.c + kPanel, c_row);
    if (kIsTwoHalves) _tile_stored(2, lower_c, c_row);
    if (kIsTwoHalves && kPanels == 2) _tile_stored(3, lower_c + kPanel, c_row);
}

template <bool kIsByPixels, std::size_t kRows, std::size_t kPanels>
void tile(const Tile& t) {
    constexpr auto kHalf = static_cast<std::ptrdiff_t>((kRows + 1) / 2);
    const std::ptrdiff_t a_half = kIsByPixels ? t.a_half : kHalf * t.a_row;
    const std::ptrdiff_t c_half = kIsByPixels ? t.c_half : kHalf * t.c_row;
    const bool follow = a_half == kHalf * t.a_row && c_half == kHalf * t.c_row;
    const bool is_one = follow && kRows <= kRegisterRows;
    const std::size_t upper = is_one ? kRows : static_cast<std::size_t>(kHalf), lower = kRows - upper;
    const std::size_t each = units_of_register(t.run);
    if (each < kLeastUnits) {
        const TileTable& tiles =
            kIsByPixels ? kIntegersAvx512Vnni.pixels : kIntegersAvx512Vnni.unsigned_by_signed;
        if (follow) return multiply_by_vectors(t, tiles, kRows, kPanels);
        multiply_by_vectors(t, tiles, upper, kPanels);
        Tile rest = t;
        rest.a += a_half;
        rest.c += c_half;
        if (rest.row_starts) rest.row_starts += upper;
        return multiply_by_vectors(rest, tiles, lower, kPanels);
    }
    // Not often: it takes as long as 100,000 products, and the processor forgets all sums.
    const std::uint64_t shape = upper | std::uint64_t{lower} << 8 | std::uint64_t{each} << 16;
    if (*t.shape != shape) {
        configure(upper, lower, each);
        *t.shape = shape;
    }
    if (is_one) {
        multiply<kIsByPixels, false, kPanels>(t, nullptr, nullptr, each);
    } else {
        multiply<kIsByPixels, true, kPanels>(t, t.a + a_half, t.c + c_half, each);
    }
    if (!t.row_starts) return;
    add_row_starts(t.c, t.c_row, t.row_starts, upper, kPanels);
    if (!is_one) add_row_starts(t.c + c_half, t.c_row, t.row_starts + upper, lower, kPanels);
}

template <std::size_t kRows>
void enter_tiles(Kernels& kernels) {
    kernels.unsigned_by_signed[kRows - 1][0] = tile<false, kRows, 1>;
    kernels.unsigned_by_signed[kRows - 1][1] = tile<false, kRows, 2>;
    kernels.pixels[kRows - 1][0] = tile<true, kRows, 1>;
    kernels.pixels[kRows - 1][1] = tile<true, kRows, 2>;
    if constexpr (kRows > kLeastRows) enter_tiles<kRows - 1>(kernels);
}

}  // namespace

Kernels with_whole_tiles() {
    Kernels found = kIntegersAvx512Vnni;
    found.is_there = may_use_amx;
    found.rows = kTileRows;
    found.panels = kTilePanels;
    found.gain = kGain;
    found.release = [] { _tile_release(); };
    enter_tiles<kTileRows>(found);
    return found;
}

}  // namespace integers
}  // namespace indirectml
