// The bodies of the kernels, compiled once per target. Before including it, a target defines, in a
// namespace without a name, `Quads<kIsSigned, kIsWide>`, whose factors are signed and columns unsigned, or the
// other way round, and whose factors may be units of words:
//
//   kCount                   columns of a vector
//   kParts                   of a unit, that are multiplied one after the other
//   Columns load<part>(at)   units of neighbouring columns
//   Factor set<part>(at)     one unit for all of them
//   Sum zero()
//   Sum add(Factor, Columns, Sum)
//   Sum add_each<part>(at, Columns, Sum)  with a unit of its own for each column
//   Vector total(Sum)        INT32 of each column
//   Vector repeat(x), load_sums(at), plus(Vector, Vector); store(at, Vector)
//   kNarrows                 whether Columns, Factor and Sum are Vectors, and there are besides
//   units(v)                 the bits of FLOAT32
//   different(a, b)          by exclusive or
//   bytes_apart(a, b)        the distance of unsigned bytes
//   magnitudes(a)            of signed bytes, at most kMostOfMagnitude
//   minus(a, b), apart(a, b), numbers(v)  of INT32: less, the distance, and FLOAT32
//
// and kTileRows and kTilePanels, the largest tile whose sums fit the registers, kRowPanels, no fewer, of
// a tile of one row, kWidens, whether units of rows and pixels are of words, and F32, of lanes/. Nothing is used
// that is compiled elsewhere too: the linker keeps one copy, and it could be another target's.

// What rows of a tile are: those of a matrix; filters, over pixels of planes; pixels; or, of each column,
// channels of pixels.
enum class Form { kRows, kPlanes, kPixels, kChannels };

// Of a tile over planes or channels: where units are widened, those of a are there, in registers that sums had.
constexpr std::size_t kMostWidening = 4;
constexpr std::size_t kWideningRows = kWidens && kTileRows > kMostWidening ? kMostWidening : kTileRows;

// Sums of a tile with what they start from, where they belong; in two halves of the rows, or all as they follow.
template <typename Q, bool kInHalves, std::size_t kRows, std::size_t kAll>
INDIRECTML_INLINE void finish(const Tile& t, const typename Q::Sum (&sums)[kRows][kAll]) {
    constexpr std::size_t kHalf = (kRows + 1) / 2;
    std::int32_t* c = t.c;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
        if (kInHalves && i == kHalf) c = hidden(t.c + t.c_half);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) {
            typename Q::Vector total = Q::total(sums[i][v]);
            if (t.row_starts) total = Q::plus(total, Q::repeat(t.row_starts[i]));
            if (t.column_starts) {
                total = Q::plus(total, Q::load_sums(t.column_starts + v * Q::kCount));
            }
            Q::store(c + v * Q::kCount, total);
        }
        c = hidden(c + t.c_row);
    }
}

template <Form kForm, std::size_t kRows, std::size_t kPanels>
void tile(const Tile& t) {
    using Q = Quads<kForm == Form::kPlanes, kWidens && (kForm == Form::kRows || kForm == Form::kPixels)>;
    constexpr bool kByPixels = kForm == Form::kPixels || kForm == Form::kChannels;
    constexpr std::size_t kVectors = kPanel / Q::kCount;  // of a panel
    constexpr std::size_t kAll = kPanels * kVectors;
    typename Q::Sum sums[kRows][kAll];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) sums[i][v] = Q::zero();
    }
    // Two halves of the rows, so that few registers hold all distances from them.
    constexpr std::size_t kHalf = (kRows + 1) / 2;
    const std::ptrdiff_t a_row = t.a_row, a_k = t.a_k, b_k = t.b_k, b_panel = t.b_panel;
    const unsigned char* a = t.a;
    const unsigned char* lower =
        hidden(a + (kByPixels ? t.a_half : static_cast<std::ptrdiff_t>(kHalf) * a_row));
    const std::int32_t* b = t.b;
    const std::int32_t* next = t.next;
    const std::ptrdiff_t* offsets = t.offsets;
    for (std::size_t left = t.units; left > 0; --left) {
        const std::int32_t* const panels = kForm == Form::kPlanes ? b + *offsets : b;
        if constexpr (kForm == Form::kRows || kForm == Form::kPixels) {
            if (kForm == Form::kRows || next) {
#pragma GCC unroll 4
                for (std::size_t p = 0; p < kPanels; ++p) {
                    prefetch(next + static_cast<std::ptrdiff_t>(p) * b_panel);
                }
                next += b_k;
            }
        }
        const unsigned char* const halves[] = {kByPixels ? a + *offsets : a,
                                               kByPixels ? lower + *offsets : lower};
        const auto multiply = [&](auto part) {
            constexpr int kPart = decltype(part)::value;
            typename Q::Columns columns[kAll];
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v) {
                columns[v] = Q::template load<kPart>(
                    panels + static_cast<std::ptrdiff_t>(v / kVectors) * b_panel + v % kVectors * Q::kCount);
            }
#pragma GCC unroll 16
            for (std::size_t i = 0; i < kRows; ++i) {
                const unsigned char* const row =
                    halves[i / kHalf] + static_cast<std::ptrdiff_t>(i % kHalf) * a_row;
                if constexpr (kForm == Form::kChannels) {
#pragma GCC unroll 16
                    for (std::size_t v = 0; v < kAll; ++v) {
                        sums[i][v] =
                            Q::template add_each<kPart>(row + v * Q::kCount * kQuad, columns[v], sums[i][v]);
                    }
                } else {
                    const typename Q::Factor factor = Q::template set<kPart>(row);
#pragma GCC unroll 16
                    for (std::size_t v = 0; v < kAll; ++v) sums[i][v] = Q::add(factor, columns[v], sums[i][v]);
                }
            }
        };
        multiply(std::integral_constant<int, 0>());
        if constexpr (Q::kParts == 2) multiply(std::integral_constant<int, 1>());
        if constexpr (!kByPixels) {
            a += a_k;
            lower += a_k;
        }
        if constexpr (kForm != Form::kRows) ++offsets;
        if constexpr (kForm != Form::kPlanes) b += b_k;
    }
    finish<Q, kByPixels>(t, sums);
}

template <Form kForm, std::size_t kRows, std::size_t kMostTogether, std::size_t kPanels = kMostTogether>
constexpr void enter_tiles(TileTable& table) {
    table[kRows - 1][kPanels - 1] = tile<kForm, kRows, kPanels>;
    if constexpr (kPanels > 1) {
        enter_tiles<kForm, kRows, kMostTogether, kPanels - 1>(table);
    } else if constexpr (kRows > 1) {
        enter_tiles<kForm, kRows - 1, kMostTogether>(table);
    }
}

// Of one row: from more places at once, more lines of the caches are on their way.
template <std::size_t kPanels>
constexpr void enter_row(TileTable& table) {
    if constexpr (kPanels > kTilePanels) {
        table[0][kPanels - 1] = tile<Form::kRows, 1, kPanels>;
        enter_row<kPanels - 1>(table);
    }
}

inline std::int32_t unit_of(unsigned a, unsigned b, unsigned c, unsigned d, unsigned char flips) {
    return static_cast<std::int32_t>((a | b << 8 | c << 16 | d << 24) ^ flips * 0x01010101u);
}

inline void copy_units(const unsigned char* from, std::size_t count, unsigned char flips, unsigned char* to) {
    for (std::size_t k = 0; k < count; ++k) to[k] = from[k] ^ flips;
    for (; count % kQuad != 0; ++count) to[count] = 0;
}

inline void interleave(const unsigned char* const* lines, std::size_t count, unsigned char flips,
                       std::int32_t* to) {
    std::size_t n = interleave_vectors(lines, count, flips, to);
    for (; n < count; ++n) {
        to[n] = unit_of(lines[0][n], lines[1][n], lines[2][n], lines[3][n], flips);
    }
}

inline void subtract(const std::int32_t* x, std::int32_t factor, std::size_t count,
                     std::int32_t* c) {
    for (std::size_t n = 0; n < count; ++n) {
        c[n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[n]) -
                                         static_cast<std::uint32_t>(factor) *
                                             static_cast<std::uint32_t>(x[n]));
    }
}

#include "settling.inl"

constexpr Kernels table_of(const char* name, bool (*is_there)(), decltype(Kernels::to_units) to_units = copy_units) {
    constexpr std::size_t kUnitBytes = kWidens ? kMostUnitBytes : kQuad;
    Kernels table{name,     is_there,   kTileRows, kWideningRows, kTilePanels, kRowPanels,
                  to_units, kUnitBytes, {},        {},            {},          {},
                  interleave, subtract,   settling_kernels<Quads<false, false>>()};
    enter_tiles<Form::kRows, kTileRows, kTilePanels>(table.unsigned_by_signed);
    enter_tiles<Form::kPlanes, kWideningRows, kTilePanels>(table.signed_by_unsigned);
    enter_tiles<Form::kPixels, kTileRows, kTilePanels>(table.pixels);
    enter_tiles<Form::kChannels, kWideningRows, 1>(table.channels);
    enter_row<kRowPanels>(table.unsigned_by_signed);
    return table;
}
