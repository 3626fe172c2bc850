// Chains: links that follow each other on FLOAT32 in registers, from block to block. Included by
// bodies.inl.

// x / y, correctly rounded where it is no less than 2^-30 and no more than 2^90, and else as small or as large,
// for y from 2^-30 to 2^30: a quotient that is off by less than an ulp, and its exact remainder (Markstein).
inline F32::Vector quotient(F32::Vector x, F32::Vector y, F32::Vector inverse) {
    constexpr float kFar = 0x1p60f;
    const F32::Vector minus = F32::subtract(F32::zero(), y);
    x = more_of(F32::set(-kFar), less_of(F32::set(kFar), x));
    const F32::Vector near = F32::mul(x, inverse);
    const F32::Vector nearer = F32::fma(F32::fma(near, minus, x), inverse, near);
    return F32::fma(F32::fma(nearer, minus, x), inverse, nearer);
}

// kQuotient of some vectors.
template <std::size_t kVectors>
INDIRECTML_INLINE void divide(const ChainLink& link, F32::Vector* x) {
    const F32::Vector divisor = F32::set(link.one), inverse = F32::set(link.chosen);
    if (link.rest > 0) {
        const F32::Vector rest = F32::set(link.rest);
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) x[v] = F32::fma(x[v], inverse, F32::mul(x[v], rest));
        return;
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = quotient(x[v], divisor, inverse);
}

// +0 where v is at most that: the addition makes it of -0. A NaN stays one. A target that has a shorter way
// defines it for its vectors, and that is called.
template <typename V>
inline V positive(V v) {
    return more_of(F32::zero(), F32::add(v, F32::zero()));
}

// A NaN stays one.
inline F32::Vector hard_swish(F32::Vector x, const ChainLink& link) {
    const F32::Vector y = F32::add(F32::mul(x, F32::set(link.one)), F32::set(link.chosen));
    return F32::mul(x, positive(less_of(F32::set(1.0f), y)));
}

// Powers of two, by which quotients by products are kept from being subnormal on their way.
constexpr float kUp = 0x1p64f, kDown = 0x1p-64f;

// kHardSwishQuotient of some vectors: divided, or by products, as normalize() does it.
template <std::size_t kVectors, bool kDoesProducts, typename L = F32>
INDIRECTML_INLINE void hard_swish_quotient(const ChainLink& link, F32::Vector* x) {
    using V = typename L::Vector;
    const V limit = L::set(link.chosen), one = L::set(link.one);
    V products[kVectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
        const V factor = less_of(limit, more_of(L::zero(), L::add(x[v], one)));
        products[v] = L::mul(x[v], factor);
    }
    if constexpr (kDoesProducts) {
        const V divisor = L::set(link.chosen * kUp), inverse = L::set(1 / (link.chosen * kUp));
        unsigned any = 0;
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            const V product = L::mul(products[v], L::set(kUp)), about = L::mul(product, inverse);
            const V result = L::submul(L::mulsub(about, divisor, product), inverse, about);
            any |= unusual(result);
            x[v] = result;
        }
        if (any == 0) return;
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = L::divide(products[v], limit);
}

// What kSilu and kGelu give, to places from `out` on. What FLOAT32 lanes leave open is computed together, of the
// numbers that these lanes had.
template <typename L = F32>
class Activation {
  public:
    using V = typename L::Vector;
    Activation(Link link, const ChainEnds& ends, void* out)
        : is_gelu_(link == Link::kGelu),
          kernels_(ends.function_kernels),
          out_(static_cast<float*>(out)) {}

    // Vectors `step` apart.
    template <Link kLink, std::size_t kVectors>
    INDIRECTML_INLINE void store(const V* x, float* to, std::ptrdiff_t step = L::kCount) {
        if constexpr (L::kPicks) {
            if (vectors_ + kVectors > OpenPowers<L>::kBlock) gather();
            const auto put = [&](std::size_t v, V y, const Ends<L>& ends) {
                const std::size_t k = vectors_ + v;
                L::store(open_.t + k * L::kCount, x[v]);
                float* const at = to + static_cast<std::ptrdiff_t>(v) * step;
                found_ |= open_.keep(k, PairsToSingle<L>::open(ends), static_cast<std::size_t>(at - out_));
                L::store(at, y);
            };
            if constexpr (kLink == Link::kGelu) {
                V argument[kVectors];
#pragma GCC unroll 8
                for (std::size_t v = 0; v < kVectors; ++v) argument[v] = over_root_of_two(x[v]);
                each_in_pairs<L, ErfInPairs, kVectors>(
                    [&](std::size_t v) { return argument[v]; }, kVectors,
                    [&](std::size_t v, V, const Ends<L>& ends) {
                        put(v, L::mul(L::mul(L::add(ends.upper, L::set(1)), x[v]), L::set(0.5f)), ends);
                    });
            } else if constexpr (L::kSideBySide && kVectors % 2 == 0) {
                // Powers of all side by side, and what has more to be kept by twos.
                using Both = lanes::Two<L>;
                V near[kVectors], power[kVectors], minus_r[kVectors], q[kVectors];
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kVectors; ++v) near[v] = L::at_most(x[v], kMostMagnitude);
                parts_of_powers<L, true>(near, power, minus_r, q);
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kVectors; v += 2) {
                    const NegativePower<Both> e({power[v], power[v + 1]}, {minus_r[v], minus_r[v + 1]},
                                                {q[v], q[v + 1]});
                    const Ends<Both> ends = SigmoidInPairs::ends_of<Both>({x[v], x[v + 1]}, e);
                    put(v, L::mul(x[v], ends.upper.first), {ends.upper.first, ends.lower.first});
                    put(v + 1, L::mul(x[v + 1], ends.upper.second), {ends.upper.second, ends.lower.second});
                }
            } else {
                each_in_pairs<L, SigmoidInPairs, kVectors>(
                    [&](std::size_t v) { return x[v]; }, kVectors,
                    [&](std::size_t v, V, const Ends<L>& ends) { put(v, L::mul(x[v], ends.upper), ends); });
            }
            vectors_ += kVectors;
        }
    }

    void finish() {
        gather();
        settle();
    }

  private:
    static constexpr float kRootOfTwo = 0x1.6a09e6p0f;

    INDIRECTML_NOINLINE void gather() {
        if (!open_.has_room()) settle();
        open_.gather(found_, [&](std::size_t k, std::size_t lane) { return open_.t[k * L::kCount + lane]; });
        vectors_ = found_ = 0;
    }

    void settle() {
        constexpr std::size_t kExact = OpenPowers<L>::kExact;
        using functions::Function;
        const auto function = kernels_[static_cast<int>(is_gelu_ ? Function::kErf : Function::kSigmoid)];
        const auto exact = [&](const float* x, const float*, float* out, std::size_t count) {
            for (std::size_t j = 0; j < count; j += kExact) {
                float y[kExact];
                for (std::size_t k = 0; k < kExact; ++k) y[k] = is_gelu_ ? x[j + k] / kRootOfTwo : x[j + k];
                function(y, y, y, kExact);
                for (std::size_t k = 0; k < kExact; ++k) {
                    out[j + k] = canonical_of(is_gelu_ ? (y[k] + 1) * x[j + k] * 0.5f : y[k] * x[j + k]);
                }
            }
        };
        open_.settle(exact, out_);
    }

    // By products, as a normalization; where numbers are so small that these lose bits, the lane is open.
    static V over_root_of_two(V x) {
        const V inverse = L::set(1 / kRootOfTwo), about = L::mul(x, inverse);
        return L::submul(L::mulsub(about, L::set(kRootOfTwo), x), inverse, about);
    }

    const bool is_gelu_;
    const functions::Kernel* const kernels_;
    float* const out_;
    std::size_t vectors_ = 0;
    std::uint64_t found_ = 0;
    OpenPowers<L> open_;
};

// One link of some vectors; other(v) is the other number of vector v. A call of its own would keep the vectors
// in memory.
template <std::size_t kVectors, typename Other>
INDIRECTML_INLINE void follow(const ChainLink& link, F32::Vector* x, const Other& other) {
    const auto chosen = [&] { return F32::set(link.chosen); };  // which most links do without
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
        INDIRECTML_LINK(kAtLeast, more_of(chosen(), x[v]))
        INDIRECTML_LINK(kAtMost, less_of(chosen(), x[v]))
        INDIRECTML_LINK(kChooseIfLess, F32::if_less(x[v], other(v), chosen(), x[v]))
        INDIRECTML_LINK(kChooseIfAtMost, F32::if_at_most(x[v], other(v), chosen(), x[v]))
        INDIRECTML_LINK(kChooseIfMore, F32::if_less(other(v), x[v], chosen(), x[v]))
        INDIRECTML_LINK(kChooseIfAtLeast, F32::if_at_most(other(v), x[v], chosen(), x[v]))
        INDIRECTML_LINK(kPositive, positive(x[v]))
        INDIRECTML_LINK(kQuantize, quantized(x[v], other(v), chosen()))
        INDIRECTML_LINK(kHardSwish, hard_swish(x[v], link))
        INDIRECTML_LINK(kRoundToHalf, F32::by_half(x[v]))
        case Link::kQuotient: divide<kVectors>(link, x); break;
        case Link::kHardSwishQuotient: hard_swish_quotient<kVectors, kByProducts>(link, x); break;
        case Link::kNormalize:  // takes four links
        case Link::kPositiveHalf:
        case Link::kSilu:
        case Link::kGelu:
        case Link::kNone: break;  // store
    }
#undef INDIRECTML_LINK
}

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
    using V = F32::Vector;
    std::size_t j = 0;
    V all = F32::set(1);
    for (; j + F32::kCount <= count; j += F32::kCount) {
        const V mean = F32::load(from.mean + j), deviation = F32::load(from.deviation + j);
        const auto within = [&](V a, V b) { all = F32::if_at_most(a, b, all, F32::zero()); };
        within(F32::set(kLeast), deviation);
        within(deviation, F32::set(kMost));
        const auto is_small = [&](V x, float most) {
            within(x, F32::set(most));
            within(F32::set(-most), x);
        };
        is_small(mean, kMostMean);
        is_small(F32::load(from.scale + j), kLargest);
        is_small(F32::load(from.bias + j), kLargest);
        const V up = F32::mul(deviation, F32::set(kUp));
        F32::store(to.mean + j, F32::mul(mean, F32::set(-kUp)));
        F32::store(to.deviation + j, up);
        F32::store(to.inverse + j, F32::divide(F32::set(1), up));
    }
    float lanes[F32::kCount];
    F32::store(lanes, all);
    int wrong = 0;
    for (const float lane : lanes) wrong |= lane == 0;
    for (; j < count; ++j) {
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

// Numbers j and on of what a chain begins with, as FLOAT32.
template <std::size_t kVectors>
INDIRECTML_INLINE void load_first(const ChainEnds& ends, std::size_t j, F32::Vector* x) {
    const auto of_integers = [&](const auto* first) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            x[v] = Integers::floats(Integers::load(first + j + v * F32::kCount));
        }
    };
    switch (ends.first_type) {
        case Type::kInt32: {
            const auto* const first = static_cast<const std::int32_t*>(ends.first);
            const Integers::Vector one_more = Integers::set(ends.one_more);
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                const std::size_t at = j + v * F32::kCount;
                const Integers::Vector more = ends.more ? Integers::load(ends.more + at) : one_more;
                x[v] = Integers::floats(Integers::add(Integers::load(first + at), more));
            }
            return;
        }
        case Type::kInt8: return of_integers(static_cast<const std::int8_t*>(ends.first));
        case Type::kUInt8: return of_integers(static_cast<const std::uint8_t*>(ends.first));
        case Type::kFloat16:
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                x[v] = F32::widen(static_cast<const std::uint16_t*>(ends.first) + j + v * F32::kCount);
            }
            return;
        default:
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                x[v] = F32::load(static_cast<const float*>(ends.first) + j + v * F32::kCount);
            }
    }
}

template <std::size_t kVectors, typename Zero>
inline void store_bytes(const ChainEnds& ends, float least, std::size_t j, const F32::Vector* x,
                        const Zero& zero) {
    const auto to = [&](auto* out) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            Integers::store(quantized_whole(x[v], zero(v), F32::set(least)), out + j + v * F32::kCount);
        }
    };
    if (ends.out_type == Type::kInt8) return to(static_cast<std::int8_t*>(ends.out));
    to(static_cast<std::uint8_t*>(ends.out));
}

template <std::size_t kVectors>
INDIRECTML_INLINE void store_floats(const ChainEnds& ends, std::size_t j, const F32::Vector* x) {
    if (ends.out_type == Type::kFloat16) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            narrow(F32::canonical(x[v]), static_cast<std::uint16_t*>(ends.out) + j + v * F32::kCount);
        }
        return;
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
        F32::store(static_cast<float*>(ends.out) + j + v * F32::kCount, F32::canonical(x[v]));
    }
}

// A NaN stays one from link to link, so that it is enough to make it canonical at the end. The numbers of
// links begin at j; of a part, so many are there.
template <std::size_t kVectors, bool kPart>
INDIRECTML_INLINE void follow_all(const ChainLink* links, std::size_t link_count, F32::Vector* x, std::size_t j,
                       [[maybe_unused]] std::size_t count) {
    using V = F32::Vector;
    const auto load = [&](const float* numbers) {
        if constexpr (kPart) {
            return F32::load_part(numbers, count);
        } else {
            return F32::load(numbers);
        }
    };
    for (std::size_t n = 0; n < link_count; ++n) {
        const ChainLink& link = links[n];
        if (link.link == Link::kNormalize) {
            const auto row = [&](const float* numbers, std::size_t v) {
                return link.is_each ? F32::set(*numbers) : load(numbers + j + v * F32::kCount);
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
}

// From numbers j on, of arrays or, of a part, of links alone.
template <std::size_t kVectors, bool kPart>
INDIRECTML_INLINE void chain_at(const ChainLink* links, std::size_t link_count, const ChainEnds& ends,
                                std::size_t j, std::size_t count, Activation<>& activation) {
    const std::size_t at = kPart ? 0 : j;
    F32::Vector x[kVectors];
    load_first<kVectors>(ends, at, x);
    const bool ends_as_byte = ends.out_type == Type::kInt8 || ends.out_type == Type::kUInt8;
    follow_all<kVectors, kPart>(links, link_count - ends_as_byte, x, j, count);
    const Link last = last_of(links, link_count);
    float* const out = static_cast<float*>(ends.out) + at;
    if (last == Link::kSilu) return activation.template store<Link::kSilu, kVectors>(x, out);
    if (last == Link::kGelu) return activation.template store<Link::kGelu, kVectors>(x, out);
    if (!ends_as_byte) return store_floats<kVectors>(ends, at, x);
    const ChainLink& quantize = links[link_count - 1];
    const auto store = [&](const auto& zero) { store_bytes<kVectors>(ends, quantize.chosen, at, x, zero); };
    if (!quantize.other) {
        const F32::Vector one = F32::set(quantize.one);
        store([&](std::size_t) { return one; });
    } else if constexpr (kPart) {
        store([&](std::size_t) { return F32::load_part(quantize.other + j, count); });
    } else {
        store([&](std::size_t v) { return F32::load(quantize.other + j + v * F32::kCount); });
    }
}

// The last ones, fewer than a vector, in memory of its own.
inline void chain_part(const ChainLink* links, std::size_t link_count, const ChainEnds& ends,
                       std::size_t j, std::size_t count) {
    alignas(64) std::int32_t first[F32::kCount] = {}, more[F32::kCount] = {}, out[F32::kCount];
    const auto* const bytes = static_cast<const unsigned char*>(ends.first);
    const auto width = [](Type type) -> std::size_t {
        if (type == Type::kFloat16) return sizeof(std::uint16_t);
        return type == Type::kInt8 || type == Type::kUInt8 ? 1 : sizeof(float);
    };
    std::memcpy(first, bytes + j * width(ends.first_type), count * width(ends.first_type));
    ChainEnds own = ends;
    own.first = first;
    own.out = out;
    if (ends.more) {
        std::memcpy(more, ends.more + j, count * sizeof(*more));
        own.more = more;
    }
    const Link last = last_of(links, link_count);
    Activation<> activation(last, ends, out);
    chain_at<1, true>(links, link_count, own, j, count, activation);
    if (ends_chain(last)) activation.finish();
    std::memcpy(static_cast<unsigned char*>(ends.out) + j * width(ends.out_type), out,
                count * width(ends.out_type));
}

// As many numbers from j on as so many vectors take; returns where the next ones are.
template <std::size_t kVectors>
std::size_t chain_from(const ChainLink* links, std::size_t link_count, const ChainEnds& ends,
                       std::size_t j, std::size_t count, Activation<>& activation) {
    const ChainEnds own = ends;  // which nothing that is written can change
    for (; j + kVectors * F32::kCount <= count; j += kVectors * F32::kCount) {
        chain_at<kVectors, false>(links, link_count, own, j, 0, activation);
    }
    return j;
}

// Any chain.
void any_chain(const ChainLink* links, std::size_t link_count, const ChainEnds& ends,
               std::size_t count, Activation<>& activation) {
    std::size_t j = chain_from<8>(links, link_count, ends, 0, count, activation);
    if (j + 4 * F32::kCount <= count) j = chain_from<4>(links, link_count, ends, j, count, activation);
    if (j + 2 * F32::kCount <= count) j = chain_from<2>(links, link_count, ends, j, count, activation);
    if (j + F32::kCount <= count) j = chain_from<1>(links, link_count, ends, j, count, activation);
    if (j < count) chain_part(links, link_count, ends, j, count - j);
}
