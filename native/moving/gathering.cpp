#include "gathering.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>

#include "../team.h"
#include "copying.h"

namespace indirectml {

namespace {

// Indices that are looked at together, and bytes or indices that are worth a thread.
constexpr std::uint64_t kTogether = 256, kBytesPerThread = 1 << 19, kPerThread = 1 << 16;

constexpr std::uint64_t kOutside = ~std::uint64_t{0};

// Positions along an axis of `size` elements: clamped, or kOutside.
template <typename T, bool kClamped>
void positions(const unsigned char* data, std::uint64_t count, std::uint64_t size,
               std::uint64_t* out) {
    for (std::uint64_t k = 0; k < count; ++k) {
        T index;
        std::memcpy(&index, data + k * sizeof(T), sizeof(T));
        auto at = static_cast<std::uint64_t>(index);
        if (std::is_signed_v<T> && index < 0) {
            // Two's complement: the distance from the end, which may be more than all.
            const std::uint64_t back = std::uint64_t{0} - at;
            at = back <= size ? size - back : kClamped ? 0 : kOutside;
        } else if (at >= size) {
            at = kClamped ? size - 1 : kOutside;
        }
        out[k] = at;
    }
}

using Positions = void (*)(const unsigned char*, std::uint64_t, std::uint64_t, std::uint64_t*);

template <bool kClamped>
Positions positions_of(const Indices& indices) {
    const auto either = [&](Positions with_sign, Positions without) {
        return indices.is_signed ? with_sign : without;
    };
    switch (indices.bytes) {
        case 1: return either(positions<std::int8_t, kClamped>, positions<std::uint8_t, kClamped>);
        case 2: return either(positions<std::int16_t, kClamped>, positions<std::uint16_t, kClamped>);
        case 4: return either(positions<std::int32_t, kClamped>, positions<std::uint32_t, kClamped>);
        default: return either(positions<std::int64_t, kClamped>, positions<std::uint64_t, kClamped>);
    }
}

std::uint64_t product(const Sizes& sizes, std::size_t begin, std::size_t end) {
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                           sizes.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{1},
                           std::multiplies<>());
}

unsigned parts_for(std::uint64_t pieces, std::uint64_t bytes, std::uint64_t indices,
                   const Policy& policy) {
    return std::max(worthwhile_threads(bytes, kBytesPerThread, pieces, policy.max_threads),
                    worthwhile_threads(indices, kPerThread, pieces, policy.max_threads));
}

// Elements of as many bytes as T from or to places that are so many elements after a first one, and
// kOutside, of which scatters alone have some: nowhere.
template <typename T, typename Place, bool kScatters>
void move_elements(unsigned char* there, const Place* places, std::uint64_t count, unsigned char* here) {
    for (std::uint64_t k = 0; k < count; ++k) {
        if (kScatters && static_cast<std::uint64_t>(places[k]) == kOutside) continue;
        unsigned char* const one = there + static_cast<std::ptrdiff_t>(places[k]) * std::ptrdiff_t{sizeof(T)};
        unsigned char* const other = here + k * sizeof(T);
        std::memcpy(kScatters ? one : other, kScatters ? other : one, sizeof(T));
    }
}
template <typename Place>
using Move = void (*)(unsigned char*, const Place*, std::uint64_t, unsigned char*);
template <typename Place, bool kScatters>
Move<Place> move_of(std::size_t item) {
    switch (item) {
        case 1: return move_elements<std::uint8_t, Place, kScatters>;
        case 2: return move_elements<std::uint16_t, Place, kScatters>;
        case 4: return move_elements<std::uint32_t, Place, kScatters>;
        default: return move_elements<std::uint64_t, Place, kScatters>;
    }
}

// Places of clamped indices among fewer than 2^31 elements, `along` apart and each `beside` the one before:
// numbers of 32 bits without branches, which compilers take several at a time.
template <typename T>
void near_places(const unsigned char* data, std::uint64_t count, std::int32_t size, std::int32_t along,
                 std::int32_t beside, std::int32_t* out) {
    const auto end = static_cast<T>(size);
    for (std::uint64_t k = 0; k < count; ++k) {
        T at;
        std::memcpy(&at, data + k * sizeof(T), sizeof(T));
        if constexpr (std::is_signed_v<T>) {
            at += at < 0 ? end : T{0};
            at = at < 0 ? T{0} : at;
        }
        at = at < end ? at : end - 1;
        out[k] = static_cast<std::int32_t>(at) * along + static_cast<std::int32_t>(k) * beside;
    }
}

// Moves elements between `there`, which has all of them, and `here`, which has one for each index.
// places_of(data, count, size, along, beside, places) finds places of the elements that indices name.
template <typename Place, bool kScatters, typename PlacesOf>
void move_by_elements(unsigned char* there, const ByElements& how, const Indices& indices,
                      unsigned char* here, const Policy& policy, const PlacesOf& places_of) {
    const std::size_t last = how.sizes.size() - 1;
    const std::uint64_t columns = how.index_sizes[last];
    const std::uint64_t rows = product(how.index_sizes, 0, last);
    const std::uint64_t beside = how.axis == last ? 0 : 1;
    const auto size = static_cast<Place>(how.sizes[how.axis]);
    const auto along = static_cast<Place>(product(how.sizes, how.axis + 1, last + 1));
    const Move<Place> move = move_of<Place, kScatters>(how.item);
    // Updates come in order.
    const unsigned parts = kScatters ? 1 : parts_for(rows, 0, rows * columns, policy);
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, parts);
        Place places[kTogether];
        Pieces pieces;
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            std::uint64_t first = 0, left = row, step = how.sizes[last];
            for (std::size_t k = last; k-- > 0;) {
                if (k != how.axis) first += left % how.index_sizes[k] * step;
                left /= how.index_sizes[k];
                step *= how.sizes[k];
            }
            for (std::uint64_t c = 0; c < columns; c += kTogether) {
                const std::uint64_t count = std::min(kTogether, columns - c);
                const std::uint64_t number = row * columns + c;
                places_of(indices.data + number * static_cast<std::uint64_t>(indices.bytes), count, size, along,
                          static_cast<Place>(beside), places);
                move(there + (first + c * beside) * how.item, places, count, here + number * how.item);
            }
            pieces.done(columns);
        }
    });
}

// By any indices.
template <bool kScatters>
void move_far(unsigned char* there, const ByElements& how, const Indices& indices, unsigned char* here,
              const Policy& policy) {
    const Positions positions = positions_of<!kScatters>(indices);
    move_by_elements<std::uint64_t, kScatters>(
        there, how, indices, here, policy,
        [&](const unsigned char* data, std::uint64_t count, std::uint64_t size, std::uint64_t along,
            std::uint64_t beside, std::uint64_t* places) {
            positions(data, count, size, places);
            for (std::uint64_t k = 0; k < count; ++k) {
                if (places[k] != kOutside) places[k] = places[k] * along + k * beside;
            }
        });
}

// The same with slices, for tuples.
template <bool kScatters>
void move_by_tuples(unsigned char* there, const ByTuples& how, const Indices& indices,
                    unsigned char* here, const Policy& policy) {
    const std::size_t width = how.index_sizes.back(), rank = how.sizes.size();
    const std::uint64_t tuples = product(how.index_sizes, 0, how.index_sizes.size() - 1);
    const std::uint64_t groups = product(how.sizes, 0, how.batch);
    const std::uint64_t slice = product(how.sizes, how.batch + width, rank) * how.item;
    const Positions position = positions_of<!kScatters>(indices);
    const unsigned parts =
        kScatters ? 1 : parts_for(tuples, tuples * slice, tuples * width, policy);
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(tuples, 1, part, parts);
        Pieces pieces;
        const unsigned char* index =
            indices.data + share.begin * width * static_cast<std::size_t>(indices.bytes);
        for (std::uint64_t tuple = share.begin; tuple < share.end; ++tuple) {
            std::uint64_t place = tuple / (tuples / groups);
            bool is_inside = true;
            for (std::size_t k = 0; k < width; ++k, index += indices.bytes) {
                std::uint64_t at;
                position(index, 1, how.sizes[how.batch + k], &at);
                is_inside = is_inside && at != kOutside;
                place = place * how.sizes[how.batch + k] + at;
            }
            unsigned char* const other = here + tuple * slice;
            if (is_inside) {
                unsigned char* const one = there + place * slice;
                std::memcpy(kScatters ? one : other, kScatters ? other : one, slice);
            }
            pieces.done(width + slice / 16);
        }
    });
}

}  // namespace

void gather(const unsigned char* x, std::uint64_t outer, std::uint64_t size, std::size_t inner,
            const Indices& indices, std::uint64_t count, unsigned char* out, const Policy& policy) {
    const Positions positions = positions_of<true>(indices);
    const unsigned parts =
        parts_for(outer * count, outer * count * inner, outer * count, policy);
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(outer * count, 1, part, parts);
        std::uint64_t places[kTogether];
        Pieces pieces;
        for (std::uint64_t n = share.begin, some = 0; n < share.end; n += some) {
            const std::uint64_t o = n / count, first = n % count;
            some = std::min({kTogether, count - first, share.end - n});
            positions(indices.data + first * static_cast<std::uint64_t>(indices.bytes), some, size,
                      places);
            const unsigned char* const slices = x + o * size * inner;
            for (std::uint64_t k = 0; k < some; ++k) {
                std::memcpy(out + (n + k) * inner, slices + places[k] * inner, inner);
            }
            pieces.done(some * (1 + inner / 16));
        }
    });
}

void gather_elements(const unsigned char* x, const ByElements& how, const Indices& indices,
                     unsigned char* out, const Policy& policy) {
    auto* const there = const_cast<unsigned char*>(x);  // only read
    if (indices.bytes < 4 || product(how.sizes, 0, how.sizes.size()) > INT32_MAX) {
        return move_far<false>(there, how, indices, out, policy);
    }
    const auto gather = [&](auto places_of) {
        move_by_elements<std::int32_t, false>(there, how, indices, out, policy, places_of);
    };
    const auto either = [&](auto with_sign, auto without) { gather(indices.is_signed ? with_sign : without); };
    if (indices.bytes == 4) return either(near_places<std::int32_t>, near_places<std::uint32_t>);
    either(near_places<std::int64_t>, near_places<std::uint64_t>);
}

void scatter_elements(const unsigned char* x, const ByElements& how, const Indices& indices,
                      const unsigned char* updates, unsigned char* out, const Policy& policy) {
    copy_bytes(x, out, product(how.sizes, 0, how.sizes.size()) * how.item, policy);
    move_far<true>(out, how, indices, const_cast<unsigned char*>(updates), policy);
}

void gather_tuples(const unsigned char* x, const ByTuples& how, const Indices& indices,
                   unsigned char* out, const Policy& policy) {
    move_by_tuples<false>(const_cast<unsigned char*>(x), how, indices, out, policy);
}

void scatter_tuples(const unsigned char* x, const ByTuples& how, const Indices& indices,
                    const unsigned char* updates, unsigned char* out, const Policy& policy) {
    copy_bytes(x, out, product(how.sizes, 0, how.sizes.size()) * how.item, policy);
    move_by_tuples<true>(out, how, indices, const_cast<unsigned char*>(updates), policy);
}

void put_elements(const Kept& how, std::size_t axis, const Indices& indices,
                  const unsigned char* updates, unsigned char* out) {
    const std::size_t last = how.axes.size() - 1;
    const std::uint64_t columns = how.index_sizes[last];
    const std::uint64_t rows = product(how.index_sizes, 0, last);
    const Positions position = positions_of<false>(indices);
    const unsigned char* index = indices.data;
    Pieces pieces;
    for (std::uint64_t row = 0; row < rows; ++row) {
        std::int64_t first = 0;
        std::uint64_t left = row;
        for (std::size_t k = last; k-- > 0;) {
            const auto at = static_cast<std::int64_t>(left % how.index_sizes[k]);
            if (k != axis) first += at * how.axes[k].stride_bytes;
            left /= how.index_sizes[k];
        }
        for (std::uint64_t c = 0; c < columns; ++c, index += indices.bytes, updates += how.item) {
            std::uint64_t at;
            position(index, 1, how.axes[axis].size, &at);
            if (at == kOutside) continue;
            const std::int64_t along =
                axis == last ? 0 : static_cast<std::int64_t>(c) * how.axes[last].stride_bytes;
            std::memcpy(out + first + along +
                            static_cast<std::int64_t>(at) * how.axes[axis].stride_bytes,
                        updates, how.item);
        }
        pieces.done(columns);
    }
}

void put_tuples(const Kept& how, const Indices& indices, const unsigned char* updates,
                unsigned char* out, const Policy& policy) {
    const std::size_t width = how.index_sizes.back();
    const std::uint64_t tuples = product(how.index_sizes, 0, how.index_sizes.size() - 1);
    const std::vector<Axis> slice(how.axes.begin() + static_cast<std::ptrdiff_t>(width),
                                  how.axes.end());
    std::vector<Axis> packed = slice;
    auto bytes = static_cast<std::int64_t>(how.item);
    for (std::size_t k = packed.size(); k-- > 0;) {
        packed[k].stride_bytes = bytes;
        bytes *= static_cast<std::int64_t>(packed[k].size);
    }
    const Positions position = positions_of<false>(indices);
    const unsigned char* index = indices.data;
    Pieces pieces;
    for (std::uint64_t tuple = 0; tuple < tuples; ++tuple, updates += bytes) {
        std::int64_t first = 0;
        bool is_inside = true;
        for (std::size_t k = 0; k < width; ++k, index += indices.bytes) {
            std::uint64_t at;
            position(index, 1, how.axes[k].size, &at);
            is_inside = is_inside && at != kOutside;
            if (is_inside) first += static_cast<std::int64_t>(at) * how.axes[k].stride_bytes;
        }
        if (is_inside) copy_elements({updates, packed}, out + first, slice, how.item, policy);
        pieces.done(width + static_cast<std::uint64_t>(bytes) / 16);
    }
}

Taken::Taken(std::vector<std::vector<std::int64_t>> places, std::size_t item_bytes)
    : at(std::move(places)), item(item_bytes) {
    if (at.empty()) at.push_back({0});
    const std::vector<std::int64_t>& last = at.back();
    constexpr std::size_t kLongRun = 8;
    for (const std::int64_t place : last) {
        if (!runs.empty() && runs.back().from + static_cast<std::int64_t>(runs.back().bytes) == place) {
            runs.back().bytes += item;
        } else {
            runs.push_back({place, item});
        }
        if (runs.size() * kLongRun > last.size()) {
            runs.clear();
            break;
        }
    }
    are_twice = last.size() % 2 == 0;
    for (std::size_t k = 0; are_twice && k < last.size(); ++k) {
        are_twice = last[k] == last[0] + static_cast<std::int64_t>(k / 2 * item);
    }
}

void take(const unsigned char* x, const Taken& how, unsigned char* out, const Policy& policy) {
    const std::size_t rank = how.at.size();
    const std::vector<std::int64_t>& last = how.at.back();
    std::uint64_t rows = 1;
    for (std::size_t k = 0; k + 1 < rank; ++k) rows *= how.at[k].size();
    const std::size_t row_bytes = last.size() * how.item;
    const unsigned parts = parts_for(rows, rows * row_bytes, rows * last.size(), policy);
    const auto taken = [&](const unsigned char* from, unsigned char* to, auto bytes) {
        for (const std::int64_t at : last) {
            std::memcpy(to, from + at, bytes);
            to += bytes;
        }
    };
    const auto doubled = [&](const unsigned char* from, unsigned char* to, auto element) {
        from += last[0];
        for (std::size_t k = 0; k < last.size() / 2; ++k) {
            std::memcpy(&element, from + k * sizeof(element), sizeof(element));
            std::memcpy(to + 2 * k * sizeof(element), &element, sizeof(element));
            std::memcpy(to + (2 * k + 1) * sizeof(element), &element, sizeof(element));
        }
    };
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, parts);
        Pieces pieces;
        std::int64_t former = -1;
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            std::int64_t first = 0;
            std::uint64_t left = row;
            for (std::size_t k = rank - 1; k-- > 0;) {
                first += how.at[k][left % how.at[k].size()];
                left /= how.at[k].size();
            }
            unsigned char* const to = out + row * row_bytes;
            const unsigned char* const from = x + first;
            if (first == former) {
                std::memcpy(to, to - row_bytes, row_bytes);
            } else if (!how.runs.empty()) {
                unsigned char* next = to;
                for (const Taken::Run& run : how.runs) {
                    std::memcpy(next, from + run.from, run.bytes);
                    next += run.bytes;
                }
            } else if (how.are_twice && how.item == sizeof(std::uint32_t)) {
                doubled(from, to, std::uint32_t{0});
            } else {
                switch (how.item) {
                    case 1: taken(from, to, std::integral_constant<std::size_t, 1>()); break;
                    case 2: taken(from, to, std::integral_constant<std::size_t, 2>()); break;
                    case 4: taken(from, to, std::integral_constant<std::size_t, 4>()); break;
                    case 8: taken(from, to, std::integral_constant<std::size_t, 8>()); break;
                    default: taken(from, to, how.item);
                }
            }
            former = first;
            pieces.done(last.size());
        }
    });
}

void take_runs(const unsigned char* x, const TakenRuns& how, unsigned char* out, const Policy& policy) {
    const TakenRuns::Along& last = how.axes.back();
    const std::size_t rank = how.axes.size();
    std::uint64_t rows = 1;
    for (std::size_t k = 0; k + 1 < rank; ++k) rows *= how.axes[k].at.size();
    const unsigned parts = parts_for(rows, rows * last.at.size() * how.bytes, rows * last.at.size(), policy);
    run_team(parts, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, parts);
        Pieces pieces;
        for (std::uint64_t row = share.begin; row < share.end; ++row) {
            const unsigned char* from = x;
            unsigned char* to = out;
            std::uint64_t left = row;
            for (std::size_t k = rank - 1; k-- > 0;) {
                const TakenRuns::Along& axis = how.axes[k];
                const std::uint64_t number = left % axis.at.size();
                from += axis.at[number];
                to += static_cast<std::int64_t>(number) * axis.step;
                left /= axis.at.size();
            }
            for (const std::int64_t at : last.at) {
                std::memcpy(to, from + at, how.bytes);
                to += last.step;
            }
            pieces.done(last.at.size());
        }
    });
}

}  // namespace indirectml
