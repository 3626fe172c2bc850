// Chains: links that follow each other on FLOAT32 in registers, from block to block. Included by
// bodies.inl.

// As Limits, in FLOAT32; the result is that of the integer, without a -0.
inline F32::Vector quantized(F32::Vector x, F32::Vector zero, F32::Vector least) {
    const F32::Vector most = F32::add(least, F32::set(255.0f));
    x = nearest_whole(x);
    x = F32::add(F32::if_at_most(x, x, x, F32::zero()), zero);
    return by_integer(more_of(less_of(x, most), least));
}

// A NaN stays one.
inline F32::Vector hard_swish(F32::Vector x, const ChainLink& link) {
    const F32::Vector y = F32::add(F32::mul(x, F32::set(link.one)), F32::set(link.chosen));
    return F32::mul(x, F32::if_at_most(y, F32::zero(), F32::zero(), less_of(F32::set(1.0f), y)));
}

// One link of some vectors; other(v) is the other number of vector v.
template <std::size_t kVectors, typename Other>
inline void follow(const ChainLink& link, F32::Vector* x, const Other& other) {
    const F32::Vector chosen = F32::set(link.chosen);
#define INDIRECTML_LINK(NAME, RESULT)                                  \
    case Link::NAME:                                                   \
        _Pragma("GCC unroll 8") for (std::size_t v = 0; v < kVectors; ++v) { x[v] = RESULT; } \
        break;
    switch (link.link) {
        INDIRECTML_LINK(kAdd, F32::add(x[v], other(v)))
        INDIRECTML_LINK(kSubtract, F32::subtract(x[v], other(v)))
        INDIRECTML_LINK(kSubtractFrom, F32::subtract(other(v), x[v]))
        INDIRECTML_LINK(kMultiply, F32::mul(x[v], other(v)))
        INDIRECTML_LINK(kDivide, F32::divide(x[v], other(v)))
        INDIRECTML_LINK(kDivideInto, F32::divide(other(v), x[v]))
        INDIRECTML_LINK(kAtLeast, more_of(chosen, x[v]))
        INDIRECTML_LINK(kAtMost, less_of(chosen, x[v]))
        INDIRECTML_LINK(kChooseIfLess, F32::if_less(x[v], other(v), chosen, x[v]))
        INDIRECTML_LINK(kChooseIfAtMost, F32::if_at_most(x[v], other(v), chosen, x[v]))
        INDIRECTML_LINK(kChooseIfMore, F32::if_less(other(v), x[v], chosen, x[v]))
        INDIRECTML_LINK(kChooseIfAtLeast, F32::if_at_most(other(v), x[v], chosen, x[v]))
        INDIRECTML_LINK(kPositive, F32::if_at_most(x[v], F32::zero(), F32::zero(), x[v]))
        INDIRECTML_LINK(kQuantize, quantized(x[v], other(v), chosen))
        INDIRECTML_LINK(kHardSwish, hard_swish(x[v], link))
        INDIRECTML_LINK(kRoundToHalf, by_half(x[v]))
        case Link::kNormalize: break;  // takes four links
    }
#undef INDIRECTML_LINK
}

// Powers of two, by which quotients by products are kept from being subnormal on their way.
constexpr float kUp = 0x1p64f, kDown = 0x1p-64f;

// The four links of a normalization, whose numbers row() loads, for vector v: divided, or by products, which
// docs/arithmetic.md proves right ("Quotients by products") where a quotient is zero or normal; a NaN is
// canonical then.
template <std::size_t kVectors, bool kDoesProducts, typename Row, typename L = F32>
inline void normalize(const ChainLink* links, F32::Vector* x, const Row& row) {
    using V = typename L::Vector;
    const auto scaled = [&](std::size_t v, V quotient) {
        return F32::add(F32::mul(quotient, row(links[2].other, v)), row(links[3].other, v));
    };
    if constexpr (!kDoesProducts) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            const V difference = F32::subtract(x[v], row(links[0].other, v));
            x[v] = scaled(v, F32::divide(difference, row(links[1].other, v)));
        }
    } else {
        V quotients[kVectors];
        unsigned any = 0;
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            const V deviation = row(links[1].other, v), inverse = row(links[0].inverse, v);
            const V difference = L::fma(x[v], L::set(kUp), row(links[0].other, v));
            const V about = L::mul(difference, inverse);
            quotients[v] = L::submul(L::mulsub(about, deviation, difference), inverse, about);
            any |= unusual(quotients[v]);
        }
        if (any == 0) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) x[v] = scaled(v, quotients[v]);
            return;
        }
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            const V mean = L::mul(row(links[0].other, v), L::set(-kDown));
            const V deviation = L::mul(row(links[1].other, v), L::set(kDown));
            x[v] = L::canonical(scaled(v, L::divide(L::subtract(x[v], mean), deviation)));
        }
    }
}

// Bounds of deviation and mean: what a product and its remainder need to be exact, with room.
bool make_quotient_rows(const NormalizationRows& from, const QuotientRows& to, std::size_t count) {
    constexpr float kLeast = 0x1p-20f, kMost = 0x1p20f, kMostMean = 0x1p60f;
    constexpr float kLargest = std::numeric_limits<float>::max();
    int wrong = 0;
    for (std::size_t j = 0; j < count; ++j) {
        const float mean = from.mean[j], deviation = from.deviation[j];
        wrong |= !(deviation >= kLeast);
        wrong |= !(deviation <= kMost);
        wrong |= !(magnitude_of(mean) <= kMostMean);
        wrong |= !(magnitude_of(from.scale[j]) <= kLargest);
        wrong |= !(magnitude_of(from.bias[j]) <= kLargest);
        to.mean[j] = mean * -kUp;
        to.deviation[j] = deviation * kUp;
        to.inverse[j] = 1 / to.deviation[j];
    }
    return wrong == 0;
}

// Where numbers of a chain come from and go to: FLOAT16, if that is there.
struct Stretch {
    const float* from;
    float* to;
    const std::uint16_t* from_half;
    std::uint16_t* to_half;

    Stretch after(std::size_t count) const {
        return {from + (from_half ? 0 : count), to + (to_half ? 0 : count),
                from_half ? from_half + count : nullptr, to_half ? to_half + count : nullptr};
    }
};

// A NaN stays one from link to link, so that it is enough to make it canonical at the end. The numbers of
// links begin at j.
template <std::size_t kVectors, bool kPart>
inline void chain_at(const ChainLink* links, std::size_t link_count, const Stretch& at, std::size_t j,
                     std::size_t count) {
    using V = F32::Vector;
    const auto load = [&](const float* numbers) {
        if constexpr (kPart) {
            return F32::load_part(numbers, count);
        } else {
            return F32::load(numbers);
        }
    };
    const auto widen = [&](const std::uint16_t* numbers) {
        if constexpr (kPart) {
            return F32::widen_part(numbers, count);
        } else {
            return F32::widen(numbers);
        }
    };
    V x[kVectors];
    if (at.from_half) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) x[v] = widen(at.from_half + v * F32::kCount);
    } else {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) x[v] = load(at.from + v * F32::kCount);
    }
    for (std::size_t n = 0; n < link_count; ++n) {
        const ChainLink& link = links[n];
        if (link.link == Link::kNormalize) {
            const auto row = [&](const float* numbers, std::size_t v) {
                return load(numbers + j + v * F32::kCount);
            };
            if (link.inverse) {
                normalize<kVectors, kByProducts>(links + n, x, row);
            } else {
                normalize<kVectors, false>(links + n, x, row);
            }
            n += 3;
        } else if (link.other) {
            const float* const other = link.other + j;
            follow<kVectors>(link, x, [&](std::size_t v) { return load(other + v * F32::kCount); });
        } else {
            const V one = F32::set(link.one);
            follow<kVectors>(link, x, [&](std::size_t) { return one; });
        }
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
        const V result = F32::canonical(x[v]);
        if constexpr (kPart) {
            if (!at.to_half) return F32::store_part(at.to, result, count);
            std::uint16_t last[F32::kCount];
            narrow(result, last);
            for (std::size_t k = 0; k < count; ++k) at.to_half[k] = last[k];
        } else if (at.to_half) {
            narrow(result, at.to_half + v * F32::kCount);
        } else {
            F32::store(at.to + v * F32::kCount, result);
        }
    }
}

constexpr std::size_t kChainVectors = 8, kChainBlock = kChainVectors * F32::kCount;

// Whole blocks have a count that compilers know.
template <typename From, typename To>
inline void convert_block(const From* from, std::size_t count, To* to) {
    const auto one = [](From x) {
        if constexpr (std::is_floating_point_v<From>) {
            return static_cast<To>(static_cast<std::int32_t>(x));
        } else {
            return static_cast<To>(x);
        }
    };
    if (count == kChainBlock) {
        for (std::size_t k = 0; k < kChainBlock; ++k) to[k] = one(from[k]);
    } else {
        for (std::size_t k = 0; k < count; ++k) to[k] = one(from[k]);
    }
}

// Any chain.
void follow_all(const ChainLink* links, std::size_t link_count, const ChainEnds& ends,
                std::size_t count) {
    alignas(64) float block[kChainBlock];
    for (std::size_t j = 0; j < count; j += kChainBlock) {
        const std::size_t n = count - j < kChainBlock ? count - j : kChainBlock;
        Stretch at{block, block, nullptr, nullptr};
        const auto widen_from = [&](auto* first) { convert_block(first + j, n, block); };
        switch (ends.first_type) {
            case Type::kInt32: widen_from(static_cast<const std::int32_t*>(ends.first)); break;
            case Type::kInt8: widen_from(static_cast<const std::int8_t*>(ends.first)); break;
            case Type::kUInt8: widen_from(static_cast<const std::uint8_t*>(ends.first)); break;
            case Type::kFloat16:
                at.from_half = static_cast<const std::uint16_t*>(ends.first) + j;
                break;
            default: at.from = static_cast<const float*>(ends.first) + j;
        }
        const bool is_half = ends.out_type == Type::kFloat16;
        const bool is_float = is_half || ends.out_type == Type::kFloat32;
        if (is_half) {
            at.to_half = static_cast<std::uint16_t*>(ends.out) + j;
        } else if (is_float) {
            at.to = static_cast<float*>(ends.out) + j;
        }
        if (n == kChainBlock) {
            chain_at<kChainVectors, false>(links, link_count, at, j, 0);
        } else {
            std::size_t k = 0;
            const auto some = [&](auto vectors) {
                constexpr std::size_t kLength = decltype(vectors)::value * F32::kCount;
                if (k + kLength > n) return;
                chain_at<decltype(vectors)::value, false>(links, link_count, at.after(k), j + k, 0);
                k += kLength;
            };
            some(std::integral_constant<std::size_t, 4>());
            some(std::integral_constant<std::size_t, 2>());
            some(std::integral_constant<std::size_t, 1>());
            if (k < n) chain_at<1, true>(links, link_count, at.after(k), j + k, n - k);
        }
        if (is_float) continue;
        if (ends.out_type == Type::kInt8) {
            convert_block(block, n, static_cast<std::int8_t*>(ends.out) + j);
        } else {
            convert_block(block, n, static_cast<std::uint8_t*>(ends.out) + j);
        }
    }
}
