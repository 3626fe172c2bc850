// The bodies of the kernels, compiled once per target. Before including it, a target defines, in a
// namespace without a name, `W`, its F32 (lanes/) and besides
//
//   Words load_words(at)         of neighbouring columns
//   Words next<bits>(words)      shifted down by so many bits
//   Numbers<bits>(zero)          .of(words): the number in the lowest bits less `zero`, exactly;
//                                .above(words): that number and what is the same for all, exactly, so
//                                that differences of numbers are those of what they are above
//   Vector as_half(v)            rounded to FLOAT16, as FLOAT32
//
// and kTogether, how many panels a row is multiplied with at once. Nothing is used that is compiled
// elsewhere too: the linker keeps one copy, and it could be another target's.

constexpr std::size_t kVectors = kPanel / W::kCount;  // of a panel

template <unsigned kBits>
constexpr std::size_t kNumbers = 32 / kBits;

template <typename Scale>
INDIRECTML_INLINE W::Vector load_scale(const Scale* at) {
    if constexpr (sizeof(Scale) == sizeof(float)) {
        return W::load(at);
    } else {
        return W::widen(at);
    }
}

// One scale in all lanes.
template <typename Scale>
INDIRECTML_INLINE W::Vector repeat_scale(const Scale* at) {
    if constexpr (sizeof(Scale) == sizeof(float)) {
        return W::set(*at);
    } else {
        Scale repeated[W::kCount];
        for (Scale& each : repeated) each = *at;
        return W::widen(repeated);
    }
}

// What becomes weights of kPanels neighbouring panels, word by word. If it is split, blocks may begin
// within words, or have a scale for whole panels.
template <unsigned kBits, typename Scale, bool kHasZeros, bool kIsSplit, std::size_t kPanels>
class Reader {
  public:
    static constexpr std::size_t kAll = kPanels * kVectors;

    INDIRECTML_INLINE Reader(const Stored& s, std::size_t panel, std::size_t k)
        : numbers_(static_cast<float>(kHasZeros ? 0 : s.zero)), block_(s.block), width_(s.width),
          scale_step_(kIsSplit && s.width > 1 ? s.scale_row : static_cast<std::ptrdiff_t>(kPanel)) {
        const std::size_t zero_words = (s.blocks + kNumbers<kBits> - 1) / kNumbers<kBits>;
        const std::size_t block = k / s.block;
        panel_words_ = s.words * kPanel;
        panel_zeros_ = zero_words * kPanel;
        panel_scales_ = s.blocks * kPanel;
        words_ = s.numbers + panel * panel_words_ + k / kNumbers<kBits> * kPanel;
        if constexpr (kHasZeros) zeros_ = s.zeros + (kIsSplit && width_ > 1 ? 0 : panel * panel_zeros_);
        scales_ = static_cast<const Scale*>(s.scales) + static_cast<std::ptrdiff_t>(block) * scale_step_;
        if (kIsSplit && width_ > 1) {
            for (std::size_t p = 0; p < kPanels; ++p) {
                group_[p] = (panel + p) * kPanel / width_;
                group_scale_[p] = static_cast<std::ptrdiff_t>(group_[p]) * s.scale_column;
            }
        } else {
            scales_ += panel * panel_scales_;
        }
        if constexpr (kIsSplit) load_word();  // compilers do not see that k begins a word
        number_of_block_ = block;
        block_end_ = block * s.block;
        begin_block();
    }
    // From k on as far as the scales are the same, at most to `end`.
    INDIRECTML_INLINE std::size_t reach(std::size_t k, std::size_t end) {
        if (k == block_end_) begin_block();
        return end < block_end_ ? end : block_end_;
    }
    INDIRECTML_INLINE void begin_word() {
        load_word();
        words_ += kPanel;
    }
    // The next k of the word, in vector v of the panels.
    INDIRECTML_INLINE W::Vector weight(std::size_t v) {
        W::Vector number;
        if constexpr (kHasZeros) {
            number = W::subtract(numbers_.above(now_[v]), zero_[v]);
        } else {
            number = numbers_.of(now_[v]);
        }
        now_[v] = W::template next<kBits>(now_[v]);
        const W::Vector weight = W::mul(number, scale_[v]);
        return sizeof(Scale) == sizeof(float) ? weight : W::as_half(weight);
    }

  private:
    INDIRECTML_INLINE void load_word() {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) {
            now_[v] = W::load_words(words_ + v / kVectors * panel_words_ + v % kVectors * W::kCount);
        }
    }
    INDIRECTML_INLINE void begin_block() {
        block_end_ += block_;
        if (kIsSplit && width_ > 1) {
            begin_wide_block();
        } else {
            begin_own_block();
        }
        scales_ += scale_step_;
        ++number_of_block_;
    }
    // A scale for each column.
    INDIRECTML_INLINE void begin_own_block() {
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) {
            const std::size_t panel = v / kVectors, column = v % kVectors * W::kCount;
            scale_[v] = load_scale(scales_ + panel * panel_scales_ + column);
            if constexpr (kHasZeros) {
                auto words = W::load_words(zeros_ + panel * panel_zeros_ +
                                           number_of_block_ / kNumbers<kBits> * kPanel + column);
                for (std::size_t n = number_of_block_ % kNumbers<kBits>; n > 0; --n) {
                    words = W::template next<kBits>(words);
                }
                zero_[v] = numbers_.above(words);
            }
        }
    }
    // One for all columns of a panel.
    INDIRECTML_INLINE void begin_wide_block() {
#pragma GCC unroll 16
        for (std::size_t p = 0; p < kPanels; ++p) {
            const W::Vector scale = repeat_scale(scales_ + group_scale_[p]);
            W::Vector zero = W::zero();
            if constexpr (kHasZeros) {
                const std::size_t group = group_[p], block = number_of_block_;
                const std::uint32_t word = zeros_[group / kPanel * panel_zeros_ +
                                                  block / kNumbers<kBits> * kPanel + group % kPanel];
                std::uint32_t repeated[W::kCount];
                for (auto& each : repeated) each = word >> (block % kNumbers<kBits> * kBits);
                zero = numbers_.above(W::load_words(repeated));
            }
#pragma GCC unroll 16
            for (std::size_t v = p * kVectors; v < (p + 1) * kVectors; ++v) {
                scale_[v] = scale;
                if constexpr (kHasZeros) zero_[v] = zero;
            }
        }
    }

    const typename W::template Numbers<kBits> numbers_;
    const std::size_t block_, width_;
    const std::ptrdiff_t scale_step_;
    std::size_t group_[kPanels] = {};
    std::ptrdiff_t group_scale_[kPanels] = {};
    std::size_t panel_words_, panel_zeros_, panel_scales_;
    const std::uint32_t* words_;
    const std::uint32_t* zeros_ = nullptr;
    const Scale* scales_;
    std::size_t number_of_block_, block_end_;
    typename W::Words now_[kAll];
    W::Vector scale_[kAll], zero_[kAll];
};

template <unsigned kBits, typename Scale, bool kHasZeros, bool kIsSplit, std::size_t kPanels>
void multiply_panels(const Stored& s, const RowTask& task, std::size_t panel) {
    using Own = Reader<kBits, Scale, kHasZeros, kIsSplit, kPanels>;
    constexpr std::size_t kAll = Own::kAll;
    Own reader(s, task.first_panel + panel, 0);
    const float* const x = task.x;
    W::Vector totals[kAll];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kAll; ++v) totals[v] = W::zero();
    for (std::size_t k = 0; k < s.depth;) {
        const bool continues = k > 0;
        const std::size_t end = s.depth - k < kChain ? s.depth : k + kChain;
        W::Vector sums[kAll];
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) sums[v] = W::zero();
        const auto add = [&](std::size_t at) {
            const W::Vector factor = W::set(x[at]);
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kAll; ++v) {
                sums[v] = W::fma(factor, reader.weight(v), sums[v]);
            }
        };
        while (k < end) {
            const std::size_t reach = reader.reach(k, end);
            for (; reach - k >= kNumbers<kBits> && (!kIsSplit || k % kNumbers<kBits> == 0);
                 k += kNumbers<kBits>) {
                reader.begin_word();
#pragma GCC unroll 8
                for (std::size_t n = 0; n < kNumbers<kBits>; ++n) add(k + n);
            }
            if (!kIsSplit && k < reach) reader.begin_word();
            for (; k < reach; ++k) {
                if (kIsSplit && k % kNumbers<kBits> == 0) reader.begin_word();
                add(k);
            }
        }
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kAll; ++v) {
            totals[v] = continues ? W::add(totals[v], sums[v]) : sums[v];
        }
    }
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kAll; ++v) {
        const std::size_t column = panel * kPanel + v * W::kCount;
        if (column >= task.columns) return;
        const std::size_t left = task.columns - column;
        const W::Vector result = W::canonical(totals[v]);
        if (left >= W::kCount) {
            W::store(task.out + column, result);
        } else {
            W::store_part(task.out + column, result, left);
        }
    }
}

template <unsigned kBits, typename Scale, bool kHasZeros, bool kIsSplit>
void multiply_row_of(const Stored& s, const RowTask& task) {
    const std::size_t panels = (task.columns + kPanel - 1) / kPanel;
    std::size_t panel = 0;
    for (; panels - panel >= kTogether; panel += kTogether) {
        multiply_panels<kBits, Scale, kHasZeros, kIsSplit, kTogether>(s, task, panel);
    }
    for (; panel < panels; ++panel) multiply_panels<kBits, Scale, kHasZeros, kIsSplit, 1>(s, task, panel);
}

template <unsigned kBits, typename Scale, bool kHasZeros, bool kIsSplit>
void widen_of(const Stored& s, std::size_t panel, std::size_t k, std::size_t count, float* to) {
    Reader<kBits, Scale, kHasZeros, kIsSplit, 1> reader(s, panel, k);
    const auto put = [&]() {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) W::store(to + v * W::kCount, reader.weight(v));
        to += kPanel;
    };
    for (const std::size_t end = k + count; k < end;) {
        const std::size_t reach = reader.reach(k, end);
        for (; reach - k >= kNumbers<kBits> && (!kIsSplit || k % kNumbers<kBits> == 0);
             k += kNumbers<kBits>) {
            reader.begin_word();
#pragma GCC unroll 8
            for (std::size_t n = 0; n < kNumbers<kBits>; ++n) put();
        }
        if (!kIsSplit && k < reach) reader.begin_word();
        for (; k < reach; ++k) {
            if (kIsSplit && k % kNumbers<kBits> == 0) reader.begin_word();
            put();
        }
    }
}

// work(bits, scale, has_zeros, is_split), of which the types say what stored weights have.
template <unsigned kBits>
struct Bits {
    static constexpr unsigned kValue = kBits;
};
template <bool kIs>
struct Truth {
    static constexpr bool kValue = kIs;
};
template <typename Work>
INDIRECTML_INLINE void for_kind(const Stored& s, const Work& work) {
    const auto with_bits = [&](auto bits) {
        const auto with_scale = [&](auto scale) {
            const auto with_zeros = [&](auto has_zeros) {
                const bool is_split = s.width > 1 || (s.blocks > 1 && s.block % (32 / s.bits) != 0);
                if (is_split) return work(bits, scale, has_zeros, Truth<true>{});
                work(bits, scale, has_zeros, Truth<false>{});
            };
            if (s.zeros) return with_zeros(Truth<true>{});
            with_zeros(Truth<false>{});
        };
        if (s.has_halves) return with_scale(std::uint16_t{});
        with_scale(float{});
    };
    if (s.bits == 4) return with_bits(Bits<4>{});
    with_bits(Bits<8>{});
}

inline void multiply_row(const Stored& s, const RowTask& task) {
    for_kind(s, [&](auto bits, auto scale, auto has_zeros, auto is_split) {
        multiply_row_of<decltype(bits)::kValue, decltype(scale), decltype(has_zeros)::kValue,
                        decltype(is_split)::kValue>(s, task);
    });
}

inline void widen(const Stored& s, std::size_t panel, std::size_t k, std::size_t count, float* to) {
    for_kind(s, [&](auto bits, auto scale, auto has_zeros, auto is_split) {
        widen_of<decltype(bits)::kValue, decltype(scale), decltype(has_zeros)::kValue,
                 decltype(is_split)::kValue>(s, panel, k, count, to);
    });
}
