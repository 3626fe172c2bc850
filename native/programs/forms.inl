// Chains that networks have most, each compiled for itself: without a jump between links, whose numbers stay in
// registers. Included by bodies.inl.

template <Type kType>
using ByteOf = std::conditional_t<kType == Type::kInt8, std::int8_t, std::uint8_t>;

constexpr std::size_t links_of(Link link) {
    return link == Link::kNormalize ? 4 : link == Link::kPositiveHalf ? 2 : 1;
}

// Where rows of the result lie apart, no processor sees which comes next.
constexpr std::size_t kRowsAhead = 16;
struct AheadOfRows {
    AheadOfRows(const ChainEnds& ends, std::size_t row)
        : step(ends.out_bytes),
          bytes(static_cast<std::ptrdiff_t>(row * (ends.out_type == Type::kFloat16 ? 2 : 4))) {}

    void fetch(const void* out, std::size_t rows) const {
        constexpr std::ptrdiff_t kLine = 64;
        if (step <= bytes) return;
        const char* row = static_cast<const char*>(out) + static_cast<std::ptrdiff_t>(kRowsAhead) * step;
        for (; rows > 0; --rows, row += step) {
            for (std::ptrdiff_t at = 0; at < bytes; at += kLine) F32::prefetch(row + at);
        }
    }

    const std::ptrdiff_t step, bytes;
};

// Rows with a rest, which is a vector of its own, are as long.
constexpr std::size_t kLeastWithRest = 4 * F32::kCount;

// From FLOAT32 or bytes to FLOAT32, FLOAT16 or bytes. kIsEach: a normalization has one number for each period.
template <Type kFrom, Type kTo, bool kIsEach, Link... kLinks>
struct Form {
    using V = F32::Vector;
    // What normalization by products gives is canonical, and stays that within limits.
    static constexpr bool kIsCanonical =
        kByProducts && ((kLinks == Link::kNormalize) || ...) &&
        !((kLinks == Link::kAdd || kLinks == Link::kHardSwish || kLinks == Link::kHardSwishQuotient) || ...);

    static constexpr bool kFromBytes = kFrom == Type::kInt8 || kFrom == Type::kUInt8;
    static constexpr bool kToBytes = kTo == Type::kInt8 || kTo == Type::kUInt8;

    static constexpr Link kLast = (kLinks, ...);

    static constexpr std::size_t kLinkCount = (links_of(kLinks) + ...);

    static constexpr std::ptrdiff_t kWidth = kFromBytes ? 1 : sizeof(float);
    static constexpr std::ptrdiff_t kOutWidth = kToBytes ? 1 : kTo == Type::kFloat32 ? 4 : 2;
    // Links that forms know with one number for all alone.
    static constexpr bool has_one(Link link) {
        return link == Link::kSubtract || link == Link::kMultiply || link == Link::kQuotient || link == Link::kQuantize;
    }

    // Whether that is how much a number of 8 bits is more than the least of its type.
    static bool is_zero_point(float x) { return x >= 0 && x <= 255 && x == nearbyintf(x); }

    // Of as many links.
    static bool fits(const ChainLink* links, const ChainEnds& ends) {
        if (ends.first_type != kFrom || ends.out_type != kTo) return false;
        constexpr Link kAll[] = {kLinks...};
        std::size_t n = 0;
        for (const Link link : kAll) {
            const bool is_pair = link == Link::kPositiveHalf;
            if (links[n].link != (is_pair ? Link::kRoundToHalf : link)) return false;
            if (is_pair && links[n + 1].link != Link::kPositive) return false;
            if (link == Link::kAdd && !links[n].other) return false;
            if (has_one(link) && (links[n].other || links[n].each)) return false;
            if (link == Link::kQuantize && !is_zero_point(links[n].one - links[n].chosen)) return false;
            if (link == Link::kNormalize && links[n].is_each != kIsEach) return false;
            if (link == Link::kNormalize && kByProducts && !links[n].inverse) return false;
            n += links_of(link);
        }
        return true;
    }

    template <Link kLink, std::size_t kVectors, typename Common, typename Own>
    static INDIRECTML_INLINE void follow_one(const ChainLink*& link, V* x, const Common& common, const Own& own) {
        if constexpr (ends_chain(kLink) || kLink == Link::kQuantize) {
            // stores
        } else if constexpr (kLink == Link::kQuotient) {
            divide<kVectors>(*link, x);
        } else if constexpr (kLink == Link::kNormalize) {
            normalize<kVectors, kByProducts>(link, x, [&](const float* numbers, std::size_t v) {
                return kIsEach ? F32::set(*numbers) : common(numbers, v);
            });
        } else if constexpr (kLink == Link::kHardSwishQuotient) {
            hard_swish_quotient<kVectors, kByProducts>(*link, x);
        } else {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                if constexpr (kLink == Link::kAdd) {
                    x[v] = F32::add(x[v], own(link->other, link->step, v));
                } else if constexpr (kLink == Link::kSubtract) {
                    x[v] = F32::subtract(x[v], F32::set(link->one));
                } else if constexpr (kLink == Link::kMultiply) {
                    x[v] = F32::mul(x[v], F32::set(link->one));
                } else if constexpr (kLink == Link::kAtLeast) {
                    x[v] = more_of(F32::set(link->chosen), x[v]);
                } else if constexpr (kLink == Link::kAtMost) {
                    x[v] = less_of(F32::set(link->chosen), x[v]);
                } else if constexpr (kLink == Link::kPositive || kLink == Link::kPositiveHalf) {
                    // Of what is then rounded to FLOAT16: what rounds to 0 becomes +0 either way.
                    static_assert(kLink != Link::kPositiveHalf || kTo == Type::kFloat16, "which rounds");
                    x[v] = positive(x[v]);
                } else if constexpr (kLink == Link::kHardSwish) {
                    x[v] = hard_swish(x[v], *link);
                } else {
                    static_assert(kLink == Link::kRoundToHalf, "what a form may have");
                    x[v] = F32::by_half(x[v]);
                }
            }
        }
        link += links_of(kLink);
    }

    // Vectors of a row, or, down, one of each of some rows, for which numbers that rows have in common are
    // loaded once.
    template <std::size_t kVectors, bool kPart, bool kDown>
    static INDIRECTML_INLINE void block(const ChainLink* link, const ChainEnds& ends, std::size_t j,
                                        std::size_t count, Activation<>& activation) {
        const auto load = [&](const float* numbers) {
            if constexpr (kPart) {
                return F32::load_part(numbers, count);
            } else {
                return F32::load(numbers);
            }
        };
        const auto common = [&](const float* numbers, std::size_t v) {
            return load(numbers + j + (kDown ? 0 : v * F32::kCount));
        };
        const auto own = [&](const float* numbers, std::ptrdiff_t step, std::size_t v) {
            return load(numbers + j + static_cast<std::ptrdiff_t>(v) * (kDown ? step : F32::kCount));
        };
        V x[kVectors];
        if constexpr (kFromBytes) {
            static_assert(!kPart && !kDown, "which come as whole vectors");
            const auto* const first = static_cast<const ByteOf<kFrom>*>(ends.first) + j;
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) x[v] = Integers::floats(Integers::load(first + v * F32::kCount));
        } else {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                x[v] = own(static_cast<const float*>(ends.first), ends.first_bytes / kWidth, v);
            }
        }
        (follow_one<kLinks, kVectors>(link, x, common, own), ...);
        if constexpr (kToBytes) {
            const ChainLink& quantize = link[-1];
            const V zero = F32::set(quantize.one), least = F32::set(quantize.chosen);
            auto* const to = static_cast<ByteOf<kTo>*>(ends.out) + j;
            const V low = F32::subtract(least, zero), high = F32::add(low, F32::set(255.0f));
            const Integers::Vector more = Integers::whole(zero);
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                Integers::store(Integers::add(Integers::nearest_within(x[v], low, high), more), to + v * F32::kCount);
            }
            return;
        }
        if constexpr (ends_chain(kLast)) {
            static_assert(!kPart, "which comes as whole vectors");
            const std::ptrdiff_t step = kDown ? ends.out_bytes / kOutWidth : F32::kCount;
            return activation.template store<kLast, kVectors>(x, static_cast<float*>(ends.out) + j, step);
        }
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            const V result = kIsCanonical ? x[v] : F32::canonical(x[v]);
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(j) +
                static_cast<std::ptrdiff_t>(v) * (kDown ? ends.out_bytes / kOutWidth : F32::kCount);
            if constexpr (kTo == Type::kFloat32) {
                float* const to = static_cast<float*>(ends.out) + at;
                if constexpr (kPart) {
                    F32::store_part(to, result, count);
                } else {
                    F32::store(to, result);
                }
            } else {
                auto* const to = static_cast<std::uint16_t*>(ends.out) + at;
                if constexpr (kPart) {
                    std::uint16_t last[F32::kCount];
                    narrow(result, last);
                    for (std::size_t k = 0; k < count; ++k) to[k] = last[k];
                } else {
                    narrow(result, to);
                }
            }
        }
    }

    template <std::size_t kRows>
    static INDIRECTML_INLINE void block_of_rows(const ChainLink* links, const ChainEnds& ends, std::size_t count,
                                                Activation<>& activation) {
        std::size_t j = 0;
        for (; j + F32::kCount <= count; j += F32::kCount) block<kRows, false, true>(links, ends, j, 0, activation);
        if constexpr (!ends_chain(kLast)) {
            if (j < count) block<kRows, true, true>(links, ends, j, count - j, activation);
        }
    }

    // Sums that are rounded to FLOAT16 take a tenth more so.
    static constexpr bool kGoesDown = !kIsEach && !kFromBytes && !kToBytes &&
                                      (kTo == Type::kFloat32 || !((kLinks == Link::kAdd) || ...));
    // Whether rows of so many numbers go down: where a rest is a vector of its own, or there may be none.
    static bool fits_rows(std::size_t row) {
        const bool has_no_rest = row % F32::kCount == 0;
        return kGoesDown && row > 0 && (has_no_rest || (row >= kLeastWithRest && !ends_chain(kLast)));
    }

    // So many rows of as many numbers, which follow each other or are as far apart as links and ends say.
    static void run_rows(const ChainLink* links, ChainEnds ends, std::size_t rows, std::size_t count, bool follow,
                         Activation<>& activation) {
        constexpr std::size_t kRows = ends_chain(kLast) ? 4 : 8, kCount = kLinkCount;
        if (follow) {
            ends.first_bytes = static_cast<std::ptrdiff_t>(count) * kWidth;
            ends.out_bytes = static_cast<std::ptrdiff_t>(count) * kOutWidth;
        }
        const AheadOfRows ahead(ends, count);
        ChainLink own[kCount];
        for (ChainLink& link : own) {
            link = *links++;
            if (follow) link.step = link.is_row ? 0 : static_cast<std::ptrdiff_t>(count);
        }
        const auto advance = [&](std::ptrdiff_t k) {
            ends.first = static_cast<const unsigned char*>(ends.first) + k * ends.first_bytes;
            ends.out = static_cast<unsigned char*>(ends.out) + k * ends.out_bytes;
            for (ChainLink& link : own) {
                if (link.other) link.other += k * link.step;
            }
        };
        for (; rows >= kRows; rows -= kRows) {
            if (rows > kRows + kRowsAhead) ahead.fetch(ends.out, kRows);
            block_of_rows<kRows>(own, ends, count, activation);
            advance(kRows);
        }
        for (; rows > 0; --rows) {
            block_of_rows<1>(own, ends, count, activation);
            advance(1);
        }
    }

    static void run(const ChainLink* links, const ChainEnds& ends, std::size_t count, Activation<>& activation) {
        constexpr std::size_t kVectors = 4, kStep = kVectors * F32::kCount, kCount = kLinkCount;
        // Copies, which nothing that is written can change.
        ChainLink own[kCount];
        for (ChainLink& link : own) link = *links++;
        const ChainEnds at = ends;
        std::size_t j = 0;
        for (; j + kStep <= count; j += kStep) block<kVectors, false, false>(own, at, j, 0, activation);
        for (; j + F32::kCount <= count; j += F32::kCount) block<1, false, false>(own, at, j, 0, activation);
        if (j == count) return;
        if constexpr (ends_chain(kLast) || kFromBytes || kToBytes) {
            chain_part(own, kCount, at, j, count - j);
        } else {
            block<1, true, false>(own, at, j, count - j, activation);
        }
    }
};

struct KnownForm {
    std::size_t link_count;
    bool (*fits)(const ChainLink* links, const ChainEnds& ends);
    void (*run)(const ChainLink* links, const ChainEnds& ends, std::size_t count, Activation<>& activation);
    void (*run_rows)(const ChainLink* links, ChainEnds ends, std::size_t rows, std::size_t count, bool follow,
                     Activation<>& activation);  // or null
    bool (*fits_rows)(std::size_t row);
};
template <typename F>
constexpr auto rows_of() -> decltype(KnownForm::run_rows) {
    if constexpr (F::kGoesDown) {
        return F::run_rows;
    } else {
        return nullptr;
    }
}
template <typename F>
constexpr KnownForm kKnown = {F::kLinkCount, F::fits, F::run, rows_of<F>(), F::fits_rows};
template <Type kTo, Link... kLinks>
constexpr KnownForm kForm = kKnown<Form<Type::kFloat32, kTo, false, kLinks...>>;
template <Link... kLinks>
constexpr KnownForm kEachForm = kKnown<Form<Type::kFloat32, Type::kFloat32, true, kLinks...>>;
template <Type kFrom, Type kTo, Link... kLinks>
constexpr KnownForm kByteForm = kKnown<Form<kFrom, kTo, false, kLinks...>>;

constexpr Type kSingle = Type::kFloat32, kHalf = Type::kFloat16;
constexpr KnownForm kForms[] = {
    kForm<kSingle, Link::kPositive>,
    kForm<kSingle, Link::kAdd, Link::kPositive>,
    kForm<kSingle, Link::kNormalize>,
    kForm<kSingle, Link::kNormalize, Link::kAtLeast, Link::kAtMost>,
    kForm<kSingle, Link::kNormalize, Link::kPositive>,
    kForm<kSingle, Link::kNormalize, Link::kHardSwish>,
    kForm<kSingle, Link::kNormalize, Link::kHardSwishQuotient>,
    kForm<kSingle, Link::kNormalize, Link::kSilu>,
    kForm<kSingle, Link::kSilu>,
    kForm<kSingle, Link::kAdd, Link::kGelu>,
    kForm<kSingle, Link::kGelu>,
    kForm<kSingle, Link::kNormalize, Link::kAdd>,
    kForm<kSingle, Link::kNormalize, Link::kAdd, Link::kPositive>,
    kEachForm<Link::kNormalize>,
    kEachForm<Link::kNormalize, Link::kAtLeast, Link::kAtMost>,
    kEachForm<Link::kNormalize, Link::kPositive>,
    kEachForm<Link::kNormalize, Link::kAdd, Link::kPositive>,
    kForm<kHalf, Link::kPositiveHalf>,
    kForm<kHalf, Link::kRoundToHalf, Link::kNormalize>,
    kForm<kHalf, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kAtLeast, Link::kAtMost>,
    kForm<kHalf, Link::kRoundToHalf, Link::kNormalize, Link::kPositiveHalf>,
    kForm<kHalf, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kHardSwish>,
    kForm<kHalf, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kAdd>,
    kForm<kHalf, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kAdd, Link::kPositiveHalf>,
    kForm<Type::kInt8, Link::kQuotient, Link::kQuantize>,
    kForm<Type::kUInt8, Link::kQuotient, Link::kQuantize>,
    kByteForm<Type::kInt8, kSingle, Link::kSubtract, Link::kMultiply>,
    kByteForm<Type::kUInt8, kSingle, Link::kSubtract, Link::kMultiply>,
    kByteForm<Type::kInt8, Type::kInt8, Link::kSubtract, Link::kMultiply, Link::kAdd, Link::kQuotient, Link::kQuantize>,
    kByteForm<Type::kUInt8, Type::kUInt8, Link::kSubtract, Link::kMultiply, Link::kAdd, Link::kQuotient, Link::kQuantize>,
    kForm<kSingle, Link::kRoundToHalf, Link::kPositive>,
    kForm<kSingle, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf>,
    kForm<kSingle, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kAtLeast, Link::kAtMost>,
    kForm<kSingle, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kPositive>,
    kForm<kSingle, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kHardSwish, Link::kRoundToHalf>,
    kForm<kSingle, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kAdd, Link::kRoundToHalf>,
    kForm<kSingle, Link::kRoundToHalf, Link::kNormalize, Link::kRoundToHalf, Link::kAdd, Link::kRoundToHalf, Link::kPositive>,
};

// Period by period, by a known form, or as any chain.
void run_periods(const KnownForm* known, ChainLink* links, std::size_t link_count, ChainEnds ends, std::size_t count,
                 std::size_t period, Activation<>& activation) {
    const AheadOfRows ahead(ends, period);
    for (std::size_t done = 0; done < count;) {
        for (std::size_t k = 0; k < link_count; ++k) {
            if (!links[k].each) continue;
            links[k].one = *links[k].each;
            links[k].each += links[k].step;
        }
        const std::size_t n = count - done < period ? count - done : period;
        if (count - done > kRowsAhead * period) ahead.fetch(ends.out, 1);
        if (known) {
            known->run(links, ends, n, activation);
        } else {
            any_chain(links, link_count, ends, n, activation);
        }
        done += n;
        ends.first = static_cast<const unsigned char*>(ends.first) + ends.first_bytes;
        ends.out = static_cast<unsigned char*>(ends.out) + ends.out_bytes;
        if (ends.more) ends.more += ends.more_step;
        for (std::size_t k = 0; k < link_count; ++k) {
            if (links[k].other) links[k].other += links[k].step;
            if (links[k].inverse) links[k].inverse += links[k].step;
        }
    }
}

void chain(ChainLink* links, std::size_t link_count, ChainEnds ends, std::size_t count, std::size_t period,
           std::size_t row) {
    const KnownForm* known = nullptr;
    for (const KnownForm& form : kForms) {
        if (form.link_count == link_count && form.fits(links, ends)) known = &form;
    }
    const Link last = last_of(links, link_count);
    Activation<> activation(last, ends, ends.out);
    if (known && known->fits_rows(row) && count % row == 0) {
        known->run_rows(links, ends, count / row, row, period != row, activation);
    } else {
        run_periods(known, links, link_count, ends, count, period, activation);
    }
    if (ends_chain(last)) activation.finish();
}
