// Folds of elements, compiled once per target: plain loops that compilers turn into vectors, of integers
// alone. Included into a namespace of the target's own.

template <typename T>
inline T number_at(const unsigned char* x, std::size_t j) {
    T number;
    std::memcpy(&number, x + j * sizeof(T), sizeof(T));
    return number;
}

// Signed integers in the order of numbers, largest or smallest last: -0 comes before +0, and a NaN is
// behind all, as the largest integer.
template <typename N, bool kSmallest>
struct Extreme {
    using Bits = typename N::Bits;
    using Total = std::make_signed_t<Bits>;
    static constexpr Total kMost = std::numeric_limits<Total>::max();
    static constexpr Total kStart = std::numeric_limits<Total>::min();

    static Total of(Bits bits) {
        auto key = static_cast<Total>(N::kIsSigned ? bits : bits ^ static_cast<Bits>(kStart));
        if (N::kInfinity) key = static_cast<Total>(key < 0 ? key ^ kMost : key);
        if (kSmallest) key = static_cast<Total>(~key);
        return N::kInfinity && static_cast<Bits>(bits & static_cast<Bits>(kMost)) > N::kInfinity
                   ? kMost
                   : key;
    }
    static Bits number(Total key) {
        if (N::kInfinity && key == kMost) return N::kNan;
        if (kSmallest) key = static_cast<Total>(~key);
        if (N::kInfinity && key < 0) key = static_cast<Total>(key ^ kMost);
        const auto bits = static_cast<Bits>(key);
        return static_cast<Bits>(N::kIsSigned ? bits : bits ^ static_cast<Bits>(kStart));
    }
    static Total both(Total a, Total b) { return a > b ? a : b; }
    static Total next(Total total, Bits bits) { return both(total, of(bits)); }
};

// Modulo 2^bits; not as `int`, whose products may be too large.
template <typename N, bool kProduct>
struct Wrapped {
    using Bits = typename N::Bits;
    using Total = Bits;
    static constexpr Total kStart = kProduct;

    static Bits number(Total total) { return total; }
    static Total both(Total one, Total other) {
        using Wide = std::common_type_t<Bits, unsigned>;
        const auto a = static_cast<Wide>(one), b = static_cast<Wide>(other);
        return static_cast<Total>(kProduct ? a * b : a + b);
    }
    static Total next(Total total, Bits bits) { return both(total, bits); }
};

template <typename How>
void fold_begin(std::size_t count, void* totals) {
    auto* const to = static_cast<typename How::Total*>(totals);
    for (std::size_t j = 0; j < count; ++j) to[j] = How::kStart;
}
template <typename How>
void fold_row(const unsigned char* x, std::size_t count, void* total) {
    using Total = typename How::Total;
    using Bits = typename How::Bits;
    auto* const to = static_cast<Total*>(total);
    // Of several at once a compiler makes vectors; one total would wait for itself.
    constexpr std::size_t kTogether = 128 / sizeof(Total);
    Total some[kTogether];
    std::size_t j = 0;
    if (count >= kTogether) {
        for (std::size_t k = 0; k < kTogether; ++k) some[k] = How::kStart;
        for (; j + kTogether <= count; j += kTogether) {
            for (std::size_t k = 0; k < kTogether; ++k) {
                some[k] = How::next(some[k], number_at<Bits>(x, j + k));
            }
        }
        for (std::size_t half = kTogether / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half; ++k) some[k] = How::both(some[k], some[k + half]);
        }
        *to = How::both(*to, some[0]);
    }
    auto found = *to;
    for (; j < count; ++j) found = How::next(found, number_at<Bits>(x, j));
    *to = found;
}
template <typename How>
void fold_columns(const unsigned char* x, std::size_t count, void* totals) {
    auto* INDIRECTML_RESTRICT const to = static_cast<typename How::Total*>(totals);
    for (std::size_t j = 0; j < count; ++j) {
        to[j] = How::next(to[j], number_at<typename How::Bits>(x, j));
    }
}
template <typename How>
void fold_end(const void* totals, std::size_t count, unsigned char* out) {
    const auto* const from = static_cast<const typename How::Total*>(totals);
    for (std::size_t j = 0; j < count; ++j) {
        const auto number = How::number(from[j]);
        std::memcpy(out + j * sizeof(number), &number, sizeof(number));
    }
}

template <typename How>
void index_row(const unsigned char* x, std::size_t count, std::int64_t first, bool last, void* best,
               std::int64_t* at) {
    using Bits = typename How::Bits;
    auto* const to = static_cast<typename How::Total*>(best);
    auto found = How::kStart;
    fold_row<How>(x, count, &found);
    if (last ? found < *to : found <= *to && first > 0) return;
    *to = found;
    std::size_t j = last ? count - 1 : 0;
    while (How::of(number_at<Bits>(x, j)) != found) last ? --j : ++j;
    *at = first + static_cast<std::int64_t>(j);
}
template <typename How>
void index_columns(const unsigned char* x, std::size_t count, std::int64_t number, bool last,
                   void* best, std::int64_t* at) {
    auto* INDIRECTML_RESTRICT const to = static_cast<typename How::Total*>(best);
    std::int64_t* INDIRECTML_RESTRICT const numbers = at;
    const auto each = [&](auto is_better) {
        for (std::size_t j = 0; j < count; ++j) {
            const auto key = How::of(number_at<typename How::Bits>(x, j));
            const bool is_taken = is_better(key, to[j]);
            to[j] = is_taken ? key : to[j];
            numbers[j] = is_taken ? number : numbers[j];
        }
    };
    if (last) {
        each([](auto a, auto b) { return a >= b; });
    } else {
        each([](auto a, auto b) { return a > b; });
    }
}

template <typename How>
void keys(const unsigned char* x, std::ptrdiff_t stride, std::size_t count, std::int64_t* out) {
    for (std::size_t j = 0; j < count; ++j, x += stride) {
        out[j] = How::of(number_at<typename How::Bits>(x, 0));
    }
}

template <typename How>
constexpr FoldKernels extremes() {
    return {fold_begin<How>, fold_row<How>, fold_columns<How>, fold_end<How>,
            index_row<How>,  index_columns<How>, keys<How>};
}
template <typename How>
constexpr FoldKernels folds() {
    return {fold_begin<How>, fold_row<How>, fold_columns<How>, fold_end<How>,
            nullptr,         nullptr,           nullptr};
}

template <typename T, std::uint64_t kInfinityBits, std::uint64_t kNanBits, bool kSigned>
struct NumberOf {
    using Bits = T;
    static constexpr T kInfinity = static_cast<T>(kInfinityBits), kNan = static_cast<T>(kNanBits);
    static constexpr bool kIsSigned = kSigned;
};
using OfHalf = NumberOf<std::uint16_t, 0x7C00, 0x7E00, true>;
using OfSingle = NumberOf<std::uint32_t, 0x7F800000, 0x7FC00000, true>;
using OfDouble = NumberOf<std::uint64_t, 0x7FF0000000000000, 0x7FF8000000000000, true>;
template <typename T>
using Signed = NumberOf<T, 0, 0, true>;
template <typename T>
using Unsigned = NumberOf<T, 0, 0, false>;

template <bool kSmallest>
constexpr FoldsOfNumbers extremes_of_numbers() {
    using namespace std;
    return {{extremes<Extreme<OfHalf, kSmallest>>(), extremes<Extreme<OfSingle, kSmallest>>(),
             extremes<Extreme<OfDouble, kSmallest>>(), extremes<Extreme<Signed<uint8_t>, kSmallest>>(),
             extremes<Extreme<Signed<uint16_t>, kSmallest>>(),
             extremes<Extreme<Signed<uint32_t>, kSmallest>>(),
             extremes<Extreme<Signed<uint64_t>, kSmallest>>(),
             extremes<Extreme<Unsigned<uint8_t>, kSmallest>>(),
             extremes<Extreme<Unsigned<uint16_t>, kSmallest>>(),
             extremes<Extreme<Unsigned<uint32_t>, kSmallest>>(),
             extremes<Extreme<Unsigned<uint64_t>, kSmallest>>()}};
}
template <bool kProduct>
constexpr FoldsOfNumbers wrapped_of_numbers() {
    using namespace std;
    constexpr FoldKernels none{};
    constexpr FoldKernels of[] = {folds<Wrapped<Unsigned<uint8_t>, kProduct>>(),
                                  folds<Wrapped<Unsigned<uint16_t>, kProduct>>(),
                                  folds<Wrapped<Unsigned<uint32_t>, kProduct>>(),
                                  folds<Wrapped<Unsigned<uint64_t>, kProduct>>()};
    return {{none, none, none, of[0], of[1], of[2], of[3], of[0], of[1], of[2], of[3]}};
}
