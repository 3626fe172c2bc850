#include "gathering.h"

#include <cstring>
#include <type_traits>

namespace indirectml {

namespace {

template <typename T>
std::uint64_t index_at(const unsigned char* data, std::uint64_t number, std::uint64_t size) {
    T index;
    std::memcpy(&index, data + number * sizeof(T), sizeof(T));
    if constexpr (std::is_signed_v<T>) {
        if (index < 0) {
            // Two's complement: the distance from the end, which may be more than all.
            const std::uint64_t back = std::uint64_t{0} - static_cast<std::uint64_t>(index);
            return back > size ? 0 : size - back;
        }
    }
    const auto from = static_cast<std::uint64_t>(index);
    return from < size ? from : size - 1;
}

using IndexAt = std::uint64_t (*)(const unsigned char*, std::uint64_t, std::uint64_t);

IndexAt index_of(const Indices& indices) {
    switch (indices.bytes) {
        case 1:
            return indices.is_signed ? index_at<std::int8_t> : index_at<std::uint8_t>;
        case 2:
            return indices.is_signed ? index_at<std::int16_t> : index_at<std::uint16_t>;
        case 4:
            return indices.is_signed ? index_at<std::int32_t> : index_at<std::uint32_t>;
        default:
            return indices.is_signed ? index_at<std::int64_t> : index_at<std::uint64_t>;
    }
}

}  // namespace

void gather(const unsigned char* x, std::uint64_t outer, std::uint64_t size, std::size_t inner,
            const Indices& indices, std::uint64_t count, unsigned char* out) {
    const IndexAt index = index_of(indices);
    for (std::uint64_t o = 0; o < outer; ++o) {
        const unsigned char* const slices = x + o * size * inner;
        for (std::uint64_t k = 0; k < count; ++k, out += inner) {
            std::memcpy(out, slices + index(indices.data, k, size) * inner, inner);
        }
    }
}

}  // namespace indirectml
