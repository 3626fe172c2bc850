// The bodies of what settles quantized results, vectors of which compilers make. Included by bodies.inl.

// Adding and subtracting it leaves the nearest whole number of what is below 2^22, ties to even; the lower bits of
// the sum are that number.
constexpr float kWhole = 0x1.8p23f;

inline std::int32_t bits_of(float x) {
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

// Which are not settled: NaNs, too.
template <typename L>
INDIRECTML_INLINE unsigned doubts_of(const float* off) {
    unsigned settled = 0;
    if constexpr (L::kPicks) {
        const typename L::Vector most = L::set(kSettled);
        for (std::size_t j = 0; j < kPanel; j += L::kCount) {
            settled |= static_cast<unsigned>(L::less(L::load(off + j), most)) << j;
        }
    } else {
        for (std::size_t j = 0; j < kPanel; ++j) settled |= (off[j] < kSettled ? 1u : 0u) << j;
    }
    return ~settled & 0xFFFF;
}

// Rounded once where that is one instruction.
INDIRECTML_INLINE float multiply_add(float a, float b, float c) {
    if constexpr (F32::kPicks) {
        return std::fma(a, b, c);
    } else {
        return a * b + c;
    }
}

inline void settle_rows(const RowsToSettle& given) {
    const RowsToSettle rows = given;  // which no byte that is written changes
    const std::int32_t moved = rows.zero - bits_of(kWhole);
    const float low = rows.low, high = rows.high;
    const unsigned char* from = rows.sums;
    unsigned char* to = rows.out;
    for (std::size_t i = 0; i < rows.count; ++i, from += rows.sums_step, to += rows.out_step) {
        const auto number = static_cast<std::uint32_t>((rows.first + i) << kPanel);
        const float norm = rows.norms[i];
        std::uint32_t* doubts = rows.doubts;
        for (std::size_t p = 0; p < rows.panels; ++p, doubts += rows.doubts_step) {
            const std::size_t at = p * kPanel;
            const float* const factors = rows.columns.factors + at;
            const float* const shifts = rows.columns.shifts + at;
            const float* const bounds = rows.columns.bounds + at;
            std::int32_t sums[kPanel], whole[kPanel];
            std::memcpy(sums, from + at * sizeof(sums[0]), sizeof(sums));
            float off[kPanel];
            for (std::size_t j = 0; j < kPanel; ++j) {
                float t = multiply_add(static_cast<float>(sums[j]), factors[j], shifts[j]);
                t = t < low ? low : t;
                t = t > high ? high : t;
                const float above = t + kWhole, apart = t - (above - kWhole);
                off[j] = multiply_add(norm, bounds[j], std::fabs(apart));
                whole[j] = bits_of(above) + moved;
            }
            unsigned char bytes[kPanel];
            for (std::size_t j = 0; j < kPanel; ++j) bytes[j] = static_cast<unsigned char>(whole[j]);
            std::memcpy(to + at, bytes, sizeof(bytes));
            // Without a branch, since no processor would foresee it.
            const unsigned in_doubt = doubts_of<F32>(off);
            doubts[rows.ends[p]] = number | in_doubt;
            rows.ends[p] += in_doubt != 0;
        }
    }
}

inline void quantize(const Quantizing& q, const float* totals, const float* bias, unsigned char* out) {
    // Far beyond all limits, and still whole after the zero point.
    constexpr float kFar = 1024;
    for (std::size_t j = 0; j < kPanel; ++j) {
        float x = bias ? totals[j] + bias[j] : totals[j];
        x = x < q.least ? q.least : x;
        x = (x > q.most ? q.most : x) / q.scale;
        x = x < -kFar ? -kFar : x > kFar ? kFar : x == x ? x : 0;
        x = (x + kWhole) - kWhole + q.zero;
        x = x < q.lowest ? q.lowest : x > q.highest ? q.highest : x;
        out[j] = static_cast<unsigned char>(static_cast<std::int32_t>(x));
    }
}

// Bytes as numbers: the lowest bits of kBytes, which holds 8 of them exactly, with that of a sign turned.
constexpr float kBytes = 0x1p23f;
constexpr std::int32_t sign_of_bytes(bool are_signed) { return are_signed ? 128 : 0; }
inline std::uint32_t other_bits(bool are_signed) {
    return static_cast<std::uint32_t>(bits_of(kBytes) ^ sign_of_bytes(are_signed));
}
inline float zero_of_bytes(bool are_signed, std::int32_t zero) {
    return kBytes + static_cast<float>(sign_of_bytes(are_signed) + zero);
}

// A vector of bytes, `by` bits up in their units, less zero points: `zeros` are those of such numbers.
INDIRECTML_INLINE F32::Vector widened(const std::int32_t* units, int by, std::uint32_t other, F32::Vector zeros,
                                      F32::Vector scales) {
    return F32::mul(F32::subtract(F32::bytes(units, by, other), zeros), scales);
}

// work(where the unit is, how far up in it the byte is) for each k of a chain.
template <typename Work>
INDIRECTML_INLINE void for_each_byte(const ChainPlace& place, std::size_t length, const Work& work) {
    constexpr int kBits = 8;
    const auto quad_of = [&](std::size_t channel) {
        return static_cast<std::ptrdiff_t>(channel / kQuad) * place.quad_step;
    };
    std::size_t channel = place.channel, tap = place.tap;
    if (place.taps == 1) {
        std::ptrdiff_t at = quad_of(channel);
        for (; length >= kQuad; length -= kQuad, at += place.quad_step) {
            work(at, 0);
            work(at, kBits);
            work(at, 2 * kBits);
            work(at, 3 * kBits);
        }
        for (std::size_t n = 0; n < length; ++n) work(at, kBits * static_cast<int>(n));
        return;
    }
    for (; length > 0; tap = 0, ++channel) {
        const std::size_t end = length < place.taps - tap ? tap + length : place.taps;
        const int by = kBits * static_cast<int>(channel % kQuad);
        std::ptrdiff_t at = quad_of(channel) + static_cast<std::ptrdiff_t>(tap) * place.tap_step;
        length -= end - tap;
        for (; tap < end; ++tap, at += place.tap_step) work(at, by);
    }
}

constexpr std::size_t kVectors = kPanel / F32::kCount;  // of a panel

// Of signed bytes.
inline void load_columns(const std::int32_t* zeros, const float* scales, F32::Vector* zero, F32::Vector* scale) {
    float of_bytes[kPanel];
    for (std::size_t j = 0; j < kPanel; ++j) of_bytes[j] = zero_of_bytes(true, zeros[j]);
    for (std::size_t v = 0; v < kVectors; ++v) {
        zero[v] = F32::load(of_bytes + v * F32::kCount);
        scale[v] = F32::load(scales + v * F32::kCount);
    }
}

inline void widen(const std::int32_t* units, const ChainPlace& place, std::size_t length, const std::int32_t* zeros,
                  const float* scales, float* to) {
    const std::uint32_t other = other_bits(true);
    F32::Vector zero[kVectors], scale[kVectors];
    load_columns(zeros, scales, zero, scale);
    for_each_byte(place, length, [&](std::ptrdiff_t at, int by) {
        for (std::size_t v = 0; v < kVectors; ++v, to += F32::kCount) {
            F32::store(to, widened(units + at + v * F32::kCount, by, other, zero[v], scale[v]));
        }
    });
}

// Numbers `columns` of a panel.
template <typename L>
INDIRECTML_INLINE typename L::Vector picked(const float* panel, const std::int32_t* columns) {
    if constexpr (L::kPicks) {
        return L::pick(panel, L::load(reinterpret_cast<const float*>(columns)));
    } else {
        float found[L::kCount];
        for (std::size_t j = 0; j < L::kCount; ++j) found[j] = panel[columns[j]];
        return L::load(found);
    }
}

template <std::size_t kLots>
void multiply(const Lots& given) {
    const Lots lots = given;
    const F32::Vector zero = F32::set(zero_of_bytes(lots.is_signed, lots.a_zero)), scale = F32::set(lots.a_scale);
    const std::uint32_t other = other_bits(lots.is_signed);
    F32::Vector sums[kLots][kVectors];
    for (auto& lot : sums)
        for (F32::Vector& sum : lot) sum = F32::zero();
    const float* b = lots.b;
    for_each_byte(lots.place, lots.length, [&](std::ptrdiff_t at, int by) {
#pragma GCC unroll 2
        for (std::size_t i = 0; i < kLots; ++i) {
            const std::int32_t* const a = lots.a + i * lots.a_lot + at;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors; ++v) {
                const std::size_t first = v * F32::kCount;
                const F32::Vector own = widened(a + first, by, other, zero, scale);
                sums[i][v] = F32::fma(own, picked<F32>(b, lots.columns[i] + first), sums[i][v]);
            }
        }
        b += kPanel;
    });
    for (std::size_t i = 0; i < kLots; ++i) {
        for (std::size_t v = 0; v < kVectors; ++v) F32::store(lots.sums[i] + v * F32::kCount, sums[i][v]);
    }
}

inline void multiply_apart(const LotApart& given) {
    const LotApart lot = given;
    const F32::Vector a_zero = F32::set(zero_of_bytes(lot.is_signed, lot.a_zero)), a_scale = F32::set(lot.a_scale);
    const std::uint32_t a_other = other_bits(lot.is_signed), b_other = other_bits(true);
    F32::Vector b_zero[kVectors], b_scale[kVectors], sums[kVectors];
    load_columns(lot.b_zeros, lot.b_scales, b_zero, b_scale);
    for (F32::Vector& sum : sums) sum = F32::zero();
    for_each_byte(lot.place, lot.length, [&](std::ptrdiff_t at, int by) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            const std::ptrdiff_t first = at + static_cast<std::ptrdiff_t>(v * F32::kCount);
            sums[v] = F32::fma(widened(lot.a + first, by, a_other, a_zero, a_scale),
                               widened(lot.b + first, by, b_other, b_zero[v], b_scale[v]), sums[v]);
        }
    });
    for (std::size_t v = 0; v < kVectors; ++v) F32::store(lot.sums + v * F32::kCount, sums[v]);
}

// So many products of a chain, or the four at each tap, are a block.
constexpr std::size_t kBlockProducts = 16;
// Half of the distance from 1 to the next number, of which magnitudes have up to 127 of 128, and a little more.
constexpr float kNarrowed = 0x1p-24f * (128.0f / 127.0f) * (1 + 0x1p-9f);
// What is rounded besides sums, in parts of a product.
constexpr float kBesideSums = 8;

// Of the products of each result, exact: their sum up to a block, that from which a chain's are counted, what is between
// the two and the chain's beginning, and magnitudes.
template <typename Q, bool kIsApart, std::size_t kLots>
void narrow(const LotsToNarrow& given) {
    using V = typename Q::Vector;
    constexpr std::size_t kVectors = kPanel / Q::kCount;
    const LotsToNarrow lots = given;
    const std::int32_t flips = lots.is_signed ? static_cast<std::int32_t>(0x80808080) : 0;
    const std::int32_t a_zero = lots.a_zero + sign_of_bytes(lots.is_signed);
    const V flip = Q::repeat(flips), zero = Q::repeat(static_cast<std::int32_t>(a_zero * 0x01010101u));
    const std::size_t quads = (lots.channels + kQuad - 1) / kQuad, depth = lots.channels * lots.taps;
    const bool is_along_quads = lots.taps == 1;
    const std::size_t most = is_along_quads ? kBlockProducts / kQuad : lots.taps;
    const std::ptrdiff_t unit_step = is_along_quads ? lots.quad_step : lots.tap_step;
    const std::ptrdiff_t block_step = is_along_quads ? static_cast<std::ptrdiff_t>(most) * unit_step : lots.quad_step;
    V sum[kLots][kVectors], before[kLots][kVectors], beside[kLots][kVectors], apart[kLots][kVectors];
    F32::Vector parts[kLots][kVectors], totals[kLots][kVectors], magnitudes[kLots][kVectors];
    for (std::size_t i = 0; i < kLots; ++i) {
        for (std::size_t v = 0; v < kVectors; ++v) {
            sum[i][v] = before[i][v] = beside[i][v] = apart[i][v] = Q::zero();
            parts[i][v] = totals[i][v] = magnitudes[i][v] = F32::zero();
        }
    }
    const std::int32_t *a = lots.a, *block = lots.b;
    std::size_t begin = 0;
    for (std::size_t left = quads * lots.taps; left > 0; block += block_step) {
        const std::size_t units = most < left ? most : left;
        left -= units;
        V own[kLots][kVectors], less[kLots][kVectors], magnitude[kLots][kVectors];
        for (std::size_t i = 0; i < kLots; ++i) {
            for (std::size_t v = 0; v < kVectors; ++v) own[i][v] = less[i][v] = magnitude[i][v] = Q::zero();
        }
        const std::int32_t* b = block;
        for (std::size_t k = 0; k < units; ++k, a += kPanel, b += unit_step) {
#pragma GCC unroll 2
            for (std::size_t i = 0; i < kLots; ++i) {
#pragma GCC unroll 2
                for (std::size_t v = 0; v < kVectors; ++v) {
                    const std::size_t first = v * Q::kCount;
                    const V row = Q::different(Q::load(a + i * lots.a_lot + first), flip);
                    const V column =
                        kIsApart ? Q::load(b + first)
                                 : Q::units(picked<F32>(reinterpret_cast<const float*>(b), lots.columns[i] + first));
                    own[i][v] = Q::add(row, column, own[i][v]);
                    less[i][v] = Q::add(zero, column, less[i][v]);
                    magnitude[i][v] = Q::add(Q::bytes_apart(row, zero), Q::magnitudes(column), magnitude[i][v]);
                }
            }
        }
        const std::size_t end = left == 0 ? depth : begin + units * kQuad;
        const bool has_end = left == 0 || begin / kChain != end / kChain, is_last = end % kChain == 0;
        const std::size_t ends = end / kChain - begin / kChain + (left == 0 && !is_last ? 1 : 0);
        const F32::Vector count = F32::set(static_cast<float>(ends));
        for (std::size_t i = 0; i < kLots; ++i) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const V start = sum[i][v], all = magnitude[i][v];
                apart[i][v] = Q::plus(apart[i][v], Q::plus(Q::apart(start, before[i][v]), Q::plus(beside[i][v], all)));
                sum[i][v] = Q::plus(start, Q::minus(own[i][v], less[i][v]));
                magnitudes[i][v] = F32::add(magnitudes[i][v], Q::numbers(all));
                if (!has_end) continue;
                parts[i][v] = F32::add(parts[i][v], Q::numbers(apart[i][v]));
                apart[i][v] = Q::zero();
                const F32::Vector total = Q::numbers(Q::plus(Q::apart(start, Q::zero()), all));
                totals[i][v] = F32::add(totals[i][v], F32::mul(count, total));
                before[i][v] = is_last ? sum[i][v] : start;
                beside[i][v] = is_last ? Q::zero() : all;
            }
        }
        begin = end;
    }
    const auto products = static_cast<float>(most * kQuad);
    for (std::size_t i = 0; i < kLots; ++i) {
        float off[kPanel], of_parts[kPanel], of_totals[kPanel], of_products[kPanel];
        std::int32_t sums[kPanel];
        for (std::size_t v = 0; v < kVectors; ++v) {
            const std::size_t first = v * Q::kCount;
            Q::store(sums + first, sum[i][v]);
            F32::store(of_parts + first, parts[i][v]);
            F32::store(of_totals + first, totals[i][v]);
            F32::store(of_products + first, magnitudes[i][v]);
        }
        for (std::size_t j = 0; j < kPanel; ++j) {
            const float factor = lots.factors[lots.columns[i][j]], shift = lots.shifts[lots.columns[i][j]];
            float t = multiply_add(static_cast<float>(sums[j]), factor, shift);
            t = t < lots.low ? lots.low : t;
            t = t > lots.high ? lots.high : t;
            const float above = t + kWhole;
            const float rounded = products * of_parts[j] + of_totals[j] + kBesideSums * of_products[j];
            off[j] = std::fabs(t - (above - kWhole)) + kNarrowed * factor * rounded;
        }
        lots.doubts[i] = doubts_of<F32>(off);
    }
}

// Squares of units, by lanes of FLOAT32: these are moved, and never computed with.
inline void turn(const unsigned char* const* lines, std::ptrdiff_t from, std::size_t units, std::int32_t* to,
                 std::ptrdiff_t step) {
    constexpr std::size_t kSquare = F32::kCount;
    const std::size_t in_squares = F32::kPicks ? units / kSquare * kSquare : 0;  // plain C++ has no lanes that move
    for (std::size_t k = 0; k < in_squares; k += kSquare) {
        for (std::size_t first = 0; first < kPanel; first += kSquare) {
            F32::Vector square[kSquare];
            for (std::size_t i = 0; i < kSquare; ++i) {
                square[i] = F32::load(reinterpret_cast<const float*>(lines[first + i] + from + k * kQuad));
            }
            F32::transpose(square);
            for (std::size_t i = 0; i < kSquare; ++i) {
                std::int32_t* const line = to + static_cast<std::ptrdiff_t>(k + i) * step;
                F32::store(reinterpret_cast<float*>(line + first), square[i]);
            }
        }
    }
    for (std::size_t j = 0; j < kPanel; ++j) {
        for (std::size_t k = in_squares; k < units; ++k) {
            std::memcpy(to + static_cast<std::ptrdiff_t>(k) * step + j, lines[j] + from + k * kQuad, kQuad);
        }
    }
}

// Several columns of a panel come at once, and with them some of what the next panel then writes over.
inline void gather(const ColumnsToGather& given, std::int32_t* to) {
    const ColumnsToGather g = given;
    for (std::size_t quad = 0; quad < g.quads; ++quad) {
        for (std::size_t tap = 0; tap < g.taps; ++tap, to += kPanel) {
            const std::size_t unit = (tap * g.quads + quad) * kPanel;
            for (std::size_t n = 0; n < g.panel_count; ++n) {
                const std::int32_t* const units = g.panels[n] + unit;
                std::size_t j = g.first[n];
                const std::size_t end = g.first[n + 1];
                if (j + 1 == end) {
                    to[j] = units[g.columns[j]];
                    continue;
                }
                for (; j < end; j += F32::kCount) {
                    F32::store(reinterpret_cast<float*>(to + j),
                               picked<F32>(reinterpret_cast<const float*>(units), g.columns + j));
                }
            }
        }
    }
}

inline std::uint32_t square(std::int32_t number) {
    const auto small = static_cast<std::int16_t>(number);  // two of these are multiplied and added at once
    return static_cast<std::uint32_t>(small * small);
}

template <typename Byte>
void sum_squares_of(const PixelsToSquare& given, std::uint32_t* to) {
    const PixelsToSquare p = given;
    const auto* from = reinterpret_cast<const Byte*>(p.from);
    if (p.channel_step == 1) {
        for (std::size_t n = 0; n < p.count; ++n, from += p.pixel_step) {
            std::uint32_t sum = 0;
            for (std::size_t c = 0; c < p.channels; ++c) sum += square(from[c] - p.zero);
            to[n] = sum;
        }
        return;
    }
    for (std::size_t n = 0; n < p.count; ++n) to[n] = 0;
    for (std::size_t c = 0; c < p.channels; ++c, from += p.channel_step) {
        if (p.pixel_step == 1) {
            for (std::size_t n = 0; n < p.count; ++n) to[n] += square(from[n] - p.zero);
            continue;
        }
        for (std::size_t n = 0; n < p.count; ++n) {
            to[n] += square(from[static_cast<std::ptrdiff_t>(n) * p.pixel_step] - p.zero);
        }
    }
}
inline void sum_squares(const PixelsToSquare& pixels, std::uint32_t* to) {
    return pixels.is_signed ? sum_squares_of<signed char>(pixels, to) : sum_squares_of<unsigned char>(pixels, to);
}

inline void norms(const TapsOfPixels& given, float* to) {
    const TapsOfPixels t = given;
    constexpr std::size_t kTogether = 16;
    for (std::size_t first = 0; first < t.count; first += kTogether) {
        const std::size_t count = t.count - first < kTogether ? t.count - first : kTogether;
        std::uint32_t sums[kTogether] = {};
        for (std::size_t x = 0; x < t.taps; ++x) {
            const std::uint32_t* const from = t.squares + first * t.stride + x * t.dilation;
            if (t.stride == 1) {
                for (std::size_t n = 0; n < count; ++n) sums[n] += from[n];
            } else {
                for (std::size_t n = 0; n < count; ++n) sums[n] += from[n * t.stride];
            }
        }
        for (std::size_t n = 0; n < count; ++n) to[first + n] = std::sqrt(static_cast<float>(sums[n]));
    }
}

// Of units for each column by itself, where units are multiplied as they are.
template <typename Q>
constexpr SettlingKernels settling_kernels() {
    SettlingKernels table = {settle_rows, quantize, widen, {multiply<1>, multiply<2>}, multiply_apart, {nullptr, nullptr},
                             nullptr, turn, gather, sum_squares, norms};
    if constexpr (Q::kNarrows) {
        table.narrow[0] = narrow<Q, false, 1>;
        table.narrow[1] = narrow<Q, false, 2>;
        table.narrow_apart = narrow<Q, true, 1>;
    }
    return table;
}
