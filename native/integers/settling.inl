// The bodies of what settles quantized results, vectors of which compilers make. Included by bodies.inl.

// Adding and subtracting it leaves the nearest whole number of what is below 2^22, ties to even; the lower bits of
// the sum are that number.
constexpr float kWhole = 0x1.8p23f;

inline std::int32_t bits_of(float x) {
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

inline void settle_row(const RowToSettle& given) {
    const RowToSettle row = given;  // which no byte that is written changes
    const std::int32_t none = bits_of(kWhole);
    const float low = row.low, high = row.high, norm = row.norm;
    for (std::size_t p = 0; p < row.panels; ++p) {
        const std::size_t at = p * kPanel;
        const std::int32_t* const sums = row.sums + at;
        const float* const factors = row.columns.factors + at;
        const float* const shifts = row.columns.shifts + at;
        const float* const bounds = row.columns.bounds + at;
        std::int32_t whole[kPanel], doubts = 0;
        for (std::size_t j = 0; j < kPanel; ++j) {
            float t = static_cast<float>(sums[j]) * factors[j] + shifts[j];
            t = t < low ? low : t;
            t = t > high ? high : t;
            const float above = t + kWhole, apart = t - (above - kWhole);
            const float away = (apart < 0 ? -apart : apart) + norm * bounds[j];
            doubts |= away < kSettled ? 0 : 1;  // neither is a NaN settled
            whole[j] = bits_of(above) - none + row.zero;
        }
        unsigned char bytes[kPanel];
        for (std::size_t j = 0; j < kPanel; ++j) bytes[j] = static_cast<unsigned char>(whole[j]);
        std::memcpy(row.out + at, bytes, sizeof(bytes));
        row.doubts[p] = static_cast<unsigned char>(doubts);
    }
}

inline void quantize_panel(const Quantizing& q, const float* totals, const float* bias, unsigned char* out) {
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

template <typename Byte>
void widen_bytes(const Byte* from, std::size_t count, std::int32_t zero, float scale, float* to) {
    for (std::size_t k = 0; k < count; ++k) to[k] = static_cast<float>(from[k] - zero) * scale;
}
inline void widen_line(const unsigned char* from, std::size_t count, bool is_signed, std::int32_t zero, float scale,
                       float* to) {
    if (!is_signed) return widen_bytes(from, count, zero, scale, to);
    widen_bytes(reinterpret_cast<const signed char*>(from), count, zero, scale, to);
}

// to[j] = (byte kByte of unit j - zero[j]) * scale[j], of signed bytes.
template <unsigned kByte>
INDIRECTML_INLINE void widen_units(const std::int32_t* units, const std::int32_t* zero, const float* scale, float* to) {
    float numbers[kPanel];
    for (std::size_t j = 0; j < kPanel; ++j) {
        const auto moved = static_cast<std::int32_t>(static_cast<std::uint32_t>(units[j]) << (24 - 8 * kByte));
        numbers[j] = static_cast<float>((moved >> 24) - zero[j]) * scale[j];
    }
    std::memcpy(to, numbers, sizeof(numbers));
}

inline void widen_panel(const std::int32_t* units, std::size_t depth, const std::int32_t* zeros, const float* scales,
                        float* to) {
    std::int32_t zero[kPanel];
    float scale[kPanel];
    std::memcpy(zero, zeros, sizeof(zero));
    std::memcpy(scale, scales, sizeof(scale));
    for (std::size_t k = 0; k < depth; k += kQuad, units += kPanel, to += kQuad * kPanel) {
        widen_units<0>(units, zero, scale, to);
        widen_units<1>(units, zero, scale, to + kPanel);
        widen_units<2>(units, zero, scale, to + 2 * kPanel);
        widen_units<3>(units, zero, scale, to + 3 * kPanel);
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

constexpr SettlingKernels kSettlingKernels = {settle_row, quantize_panel, widen_line, widen_panel, sum_squares};
