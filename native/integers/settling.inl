// The bodies of what settles quantized results, vectors of which compilers make. Included by bodies.inl.

// Adding and subtracting it leaves the nearest whole number of what is below 2^22, ties to even; the lower bits of
// the sum are that number.
constexpr float kWhole = 0x1.8p23f;

inline std::int32_t bits_of(float x) {
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

// Neither is a NaN settled.
template <typename L>
INDIRECTML_INLINE std::uint16_t doubts_of(const float* off) {
    unsigned settled = 0;
    if constexpr (L::kPicks) {
        const typename L::Vector most = L::set(kSettled);
        for (std::size_t j = 0; j < kPanel; j += L::kCount) {
            settled |= static_cast<unsigned>(L::less(L::load(off + j), most)) << j;
        }
    } else {
        for (std::size_t j = 0; j < kPanel; ++j) settled |= (off[j] < kSettled ? 1u : 0u) << j;
    }
    return static_cast<std::uint16_t>(~settled);
}

inline void settle_row(const RowToSettle& given) {
    const RowToSettle row = given;  // which no byte that is written changes
    const std::int32_t moved = row.zero - bits_of(kWhole);
    const float low = row.low, high = row.high, norm = row.norm;
    for (std::size_t p = 0; p < row.panels; ++p) {
        const std::size_t at = p * kPanel;
        const std::int32_t* const sums = row.sums + at;
        const float* const factors = row.columns.factors + at;
        const float* const shifts = row.columns.shifts + at;
        const float* const bounds = row.columns.bounds + at;
        std::int32_t whole[kPanel];
        float off[kPanel];
        for (std::size_t j = 0; j < kPanel; ++j) {
            float t = static_cast<float>(sums[j]) * factors[j] + shifts[j];
            t = t < low ? low : t;
            t = t > high ? high : t;
            const float above = t + kWhole, apart = t - (above - kWhole);
            off[j] = std::fabs(apart) + norm * bounds[j];
            whole[j] = bits_of(above) + moved;
        }
        unsigned char bytes[kPanel];
        for (std::size_t j = 0; j < kPanel; ++j) bytes[j] = static_cast<unsigned char>(whole[j]);
        std::memcpy(row.out + at, bytes, sizeof(bytes));
        row.doubts[p] = doubts_of<F32>(off);
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

// Squares of units, by lanes of FLOAT32: these are moved, and never computed with.
inline void turn(const unsigned char* const* lines, std::size_t units, std::int32_t* to, std::ptrdiff_t step) {
    constexpr std::size_t kSquare = F32::kCount;
    const std::size_t in_squares = F32::kPicks ? units / kSquare * kSquare : 0;  // plain C++ has no lanes that move
    for (std::size_t k = 0; k < in_squares; k += kSquare) {
        for (std::size_t first = 0; first < kPanel; first += kSquare) {
            F32::Vector square[kSquare];
            for (std::size_t i = 0; i < kSquare; ++i) {
                square[i] = F32::load(reinterpret_cast<const float*>(lines[first + i] + k * kQuad));
            }
            F32::transpose(square);
            for (std::size_t i = 0; i < kSquare; ++i) {
                std::int32_t* const line = to + static_cast<std::ptrdiff_t>(k + i) * step;
                F32::store(reinterpret_cast<float*>(line + first), square[i]);
            }
        }
    }
    for (std::size_t k = in_squares; k < units; ++k) {
        std::int32_t* const line = to + static_cast<std::ptrdiff_t>(k) * step;
        for (std::size_t j = 0; j < kPanel; ++j) std::memcpy(line + j, lines[j] + k * kQuad, kQuad);
    }
}

// Of up to 2^16 numbers.
template <typename Byte>
std::uint32_t sum_squares_of(const Byte* from, std::size_t count, std::int32_t zero) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::int32_t number = from[k] - zero;
        sum += static_cast<std::uint32_t>(number * number);
    }
    return sum;
}
inline std::uint32_t sum_squares(const unsigned char* from, std::size_t count, bool is_signed, std::int32_t zero) {
    return is_signed ? sum_squares_of(reinterpret_cast<const signed char*>(from), count, zero)
                     : sum_squares_of(from, count, zero);
}

constexpr SettlingKernels kSettlingKernels = {
    settle_row, quantize, widen, {multiply<1>, multiply<2>}, multiply_apart, turn, sum_squares};
