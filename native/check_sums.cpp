// Sums, windows and the like on every target of this machine, against the portable one, bit for bit,
// and that against a digest; for sanitizers and emulators.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "lanes/f64_portable.h"
#include "sums/scans.h"
#include "sums/softmax_columns.h"
#include "sums/sums.h"
#include "sums/windows.h"

namespace indirectml {
namespace {

using sums::Array;
using sums::Map;
using sums::Type;

std::uint64_t state = 1;
std::uint64_t random_bits() {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1D;
}

// Numbers of all sizes near 1, and now and then a zero, or any bits at all: not where there are so many
// elements that one would be a NaN, and then all results are.
std::vector<unsigned char> random_elements(Type type, std::size_t count, bool are_many = false) {
    const std::size_t item = sums::item_bytes(type);
    std::vector<unsigned char> memory(count * item);
    for (std::size_t j = 0; j < count; ++j) {
        std::uint64_t bits = random_bits();
        if (random_bits() % 64 != 0 || are_many) {
            const int width = static_cast<int>(8 * item);
            const int exponent_bits = type == Type::kHalf ? 5 : type == Type::kSingle ? 8 : 11;
            const int fraction = width - 1 - exponent_bits;
            const std::uint64_t exponent = (std::uint64_t{1} << (exponent_bits - 1)) - 6 + bits % 11;
            bits = (bits >> 8 & ((std::uint64_t{1} << fraction) - 1)) | exponent << fraction |
                   (bits >> 62 & 1) << (width - 1);
        }
        if (random_bits() % 16 == 0) bits &= std::uint64_t{1} << (8 * item - 1);
        std::memcpy(memory.data() + j * item, &bits, item);
    }
    return memory;
}

std::size_t failures = 0, compared = 0;

// One of so many cases is tried: for sanitizers, which look at memory; the digest is that of all.
std::size_t stride = 1;
bool is_left_out() {
    static std::size_t reached = 0;
    return reached++ % stride != 0;
}
// FNV-1a of all that the portable target gives. It changes where a definition is broken on all
// targets alike; that it is right is shown in tests/arithmetic, against plain loops.
std::uint64_t digest = 0xCBF29CE484222325;
constexpr std::uint64_t kDigest = 0xC7C78278E17E6CDA;

// Runs work(target) -> bytes on every target and compares with the last one, the portable one.
template <typename Work>
void compare(const char* what, std::size_t a, std::size_t b, const Work& work) {
    const TargetList targets = available_targets();
    const std::vector<unsigned char> expected = work(*targets.begin[targets.count - 1]);
    for (const unsigned char byte : expected) digest = (digest ^ byte) * 0x100000001B3;
    for (std::size_t k = 0; k + 1 < targets.count; ++k) {
        ++compared;
        if (work(*targets.begin[k]) == expected) continue;
        std::printf("%s differs on %s: %zu, %zu\n", what, targets.begin[k]->name, a, b);
        ++failures;
    }
}

std::vector<unsigned char> bytes_of(const std::vector<double>& numbers) {
    std::vector<unsigned char> bytes(numbers.size() * sizeof(double));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

constexpr unsigned char kUntouched = 0xA5;

// What write(memory) puts into so many bytes, and nowhere else.
template <typename Write>
std::vector<unsigned char> guarded(std::size_t size, const Write& write) {
    constexpr std::size_t kGuard = 64;
    std::vector<unsigned char> memory(size + 2 * kGuard, kUntouched);
    write(memory.data() + kGuard);
    for (std::size_t k = 0; k < kGuard; ++k) {
        if (memory[k] == kUntouched && memory[kGuard + size + k] == kUntouched) continue;
        std::printf("bytes beside an output of %zu bytes are written\n", size);
        ++failures;
        break;
    }
    return {memory.begin() + kGuard, memory.begin() + static_cast<std::ptrdiff_t>(kGuard + size)};
}

Policy policy_of(const Target& target) { return {&target, 1, ~std::uint64_t{0}}; }

// With one to four threads, in turn.
Policy threads_of(const Target& target) {
    static unsigned threads = 0;
    threads = threads % 4 + 1;
    return {&target, threads, ~std::uint64_t{0}};
}

// Elements of rows are neighbours, and rows follow each other after a gap.
void check_sums(Type type, std::size_t rows, std::size_t columns, std::size_t gap = 0) {
    if (is_left_out()) return;
    const bool are_many = rows > 1000 || columns > 1000;
    const auto x = random_elements(type, rows * (columns + gap), are_many);
    const auto item = static_cast<std::int64_t>(sums::item_bytes(type));
    const Axis axes[] = {{rows, static_cast<std::int64_t>(columns + gap) * item}, {columns, item}};
    const Array array{x.data(), type, 2, axes};
    for (std::uint64_t reduced = 1; reduced < 4; ++reduced) {
        const std::size_t groups = (reduced & 1 ? 1 : rows) * (reduced & 2 ? 1 : columns);
        for (const Map map : {Map::kSame, Map::kSquare, Map::kMagnitude}) {
            compare("a sum", rows, columns, [&](const Target& target) {
                return guarded(groups * sizeof(double), [&](unsigned char* out) {
                    sums::reduce(array, reduced, map, Type::kDouble, out, policy_of(target));
                });
            });
        }
        for (const Type out_type : {Type::kHalf, Type::kSingle}) {
            compare("a rounded sum", rows, columns, [&](const Target& target) {
                return guarded(groups * sums::item_bytes(out_type), [&](unsigned char* out) {
                    sums::reduce(array, reduced, Map::kSame, out_type, out, policy_of(target));
                });
            });
        }
        compare("a moment", rows, columns, [&](const Target& target) {
            std::vector<double> out(2 * groups);
            sums::moments(array, reduced, true, out.data(), out.data() + groups,
                          policy_of(target));
            return bytes_of(out);
        });
    }
}

// The sum of numbers as it is defined.
double plain_sum(std::vector<double> numbers) {
    do {
        std::vector<double> totals;
        for (std::size_t first = 0; first < numbers.size(); first += 4096) {
            double sums[16] = {};
            for (std::size_t i = 0; i < 4096 && first + i < numbers.size(); ++i) {
                sums[i % 16] += numbers[first + i];
            }
            for (int half = 8; half > 0; half /= 2) {
                for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
            }
            totals.push_back(sums[0]);
        }
        numbers = totals;
    } while (numbers.size() > 1);
    return numbers[0];
}

// `count` elements as a row, as columns, apart, and as the positions of a window, against that.
void check_blocks(std::size_t count, unsigned threads) {
    constexpr std::size_t kColumns = 4, kItem = sizeof(float);
    const auto x = random_elements(Type::kSingle, kColumns * count, true);
    const auto stride = static_cast<std::int64_t>(kColumns * kItem);
    const auto plain = [&](std::size_t first, std::size_t step) {
        std::vector<double> numbers(count);
        for (std::size_t i = 0; i < count; ++i) {
            float v;
            std::memcpy(&v, x.data() + (first + i * step) * kItem, kItem);
            numbers[i] = v;
        }
        return plain_sum(numbers) / static_cast<double>(count);
    };
    const double of_row = plain(0, 1), of_first = plain(0, kColumns),
                 of_last = plain(kColumns - 1, kColumns);
    const auto expect = [&](const char* what, double expected, double actual) {
        ++compared;
        if (expected == actual) return;
        std::printf("a mean of %zu elements, %s, with %u threads\n", count, what, threads);
        ++failures;
    };
    const TargetList targets = available_targets();
    for (std::size_t k = 0; k < targets.count; ++k) {
        const Policy policy{targets.begin[k], threads, ~std::uint64_t{0}};
        const auto find_means = [&](int rank, const Axis* axes, double* means) {
            double variances[kColumns];
            sums::moments({x.data(), Type::kSingle, rank, axes}, 1, true, means, variances, policy);
        };
        double means[kColumns];
        const Axis row[] = {{count, kItem}}, apart[] = {{count, stride}},
                   columns[] = {{count, stride}, {kColumns, kItem}};
        find_means(1, row, means);
        expect("a row", of_row, means[0]);
        find_means(1, apart, means);
        expect("apart", of_first, means[0]);
        find_means(2, columns, means);
        expect("the first column", of_first, means[0]);
        expect("the last column", of_last, means[kColumns - 1]);
        sums::Windows w{1, {1, 1, count}, {1, 1, 1}, {1, 1, count}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
        sums::average_windows(x.data(), Type::kSingle, w, sums::Divisor::kAll, Type::kDouble,
                              reinterpret_cast<unsigned char*>(means), policy);
        expect("a window", of_row, means[0]);
    }
}

// Of more totals than a block has elements.
void check_blocks_of_blocks() {
    constexpr std::size_t kCount = 4096 * 4096 + 100, kPeriod = 400009;
    auto x = random_elements(Type::kHalf, kPeriod, true);
    std::vector<double> numbers(kCount);
    const Target& target = *available_targets().begin[0];
    sums::kernels_of(target).widen[0][0](x.data(), kPeriod, 0, numbers.data());
    for (std::size_t j = kPeriod; j < kCount; ++j) numbers[j] = numbers[j - kPeriod];
    double total;
    const Axis row[] = {{kCount, sizeof(double)}};
    sums::reduce({reinterpret_cast<const unsigned char*>(numbers.data()), Type::kDouble, 1, row}, 1,
                 Map::kSame, Type::kDouble, reinterpret_cast<unsigned char*>(&total),
                 policy_of(target));
    ++compared;
    if (plain_sum(std::move(numbers)) == total) return;
    std::printf("a sum of %zu elements\n", kCount);
    ++failures;
}

// Whose total is +0 whatever it is made of.
void check_negative_zeros(Type type, std::size_t size) {
    if (is_left_out()) return;
    const std::size_t item = sums::item_bytes(type);
    std::vector<unsigned char> x(size * size * item, 0);
    for (std::size_t j = item - 1; j < x.size(); j += item) x[j] = 0x80;
    const auto step = static_cast<std::int64_t>(item);
    const Axis axes[] = {{size, static_cast<std::int64_t>(size) * step}, {size, step}};
    for (const std::uint64_t reduced : {1, 2}) {
        compare("a sum of -0", size, reduced, [&](const Target& target) {
            std::vector<unsigned char> out(size * sizeof(double));
            sums::reduce({x.data(), type, 2, axes}, reduced, Map::kSame, Type::kDouble, out.data(),
                         policy_of(target));
            return out;
        });
    }
}

void check_normalization(Type type, std::size_t rows, std::size_t columns) {
    if (is_left_out()) return;
    const auto x = random_elements(type, rows * columns, columns > 1000);
    const sums::Rows all{x.data(), type, rows, columns};
    std::vector<double> numbers(rows * columns);
    for (double& number : numbers) number = static_cast<double>(random_bits() % 1000) - 500;
    const auto* at = reinterpret_cast<const unsigned char*>(numbers.data());
    const sums::Factors none{nullptr, Type::kDouble, 0, 0}, each{at, Type::kDouble, 0, 1},
        of_rows{at, Type::kDouble, 1, 0}, own{at, Type::kDouble, columns, 1};
    const struct {
        sums::Factors scale, bias;
    } factors[] = {{none, none}, {each, each}, {of_rows, none}, {none, own}};
    for (const Type out_type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        const std::size_t size = rows * columns * sums::item_bytes(out_type);
        for (const auto& by : factors) {
            compare("a normalized element", rows, columns, [&](const Target& target) {
                std::vector<unsigned char> out(size);
                sums::normalize(all, {true, true, 1e-5, by.scale, by.bias}, out_type, out.data(),
                                policy_of(target));
                return out;
            });
        }
    }
}

void check_softmax(Type type, std::size_t rows, std::size_t columns) {
    if (is_left_out()) return;
    if (type == Type::kDouble) return;
    const auto x = random_elements(type, rows * columns);
    const sums::Rows all{x.data(), type, rows, columns};
    for (const Type out_type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        const std::size_t size = rows * columns * sums::item_bytes(out_type);
        compare("softmax", rows, columns, [&](const Target& target) {
            std::vector<unsigned char> out(size);
            sums::softmax(all, out_type, out.data(), policy_of(target));
            return out;
        });
    }
    compare("a logarithm of softmax", rows, columns, [&](const Target& target) {
        std::vector<float> out(rows * columns);
        sums::log_softmax(all, out.data(), policy_of(target));
        std::vector<unsigned char> bytes(out.size() * sizeof(float));
        std::memcpy(bytes.data(), out.data(), bytes.size());
        return bytes;
    });
}

// Of numbers from -spread to 0: powers of them are decided in FLOAT32, in FLOAT64 or at once. Now and
// then there is none but -infinity for a while, as where a mask was added.
void check_spread(Type type, std::size_t rows, std::size_t columns, double spread) {
    if (is_left_out()) return;
    std::vector<unsigned char> x(rows * columns * sums::item_bytes(type));
    bool is_masked = false;
    for (std::size_t j = 0; j < rows * columns; ++j) {
        if (random_bits() % 64 == 0) is_masked = spread > 100 && random_bits() % 2 == 0;
        const double uniform = static_cast<double>(random_bits() >> 11) * 0x1p-53;
        const auto v = is_masked ? -HUGE_VALF : static_cast<float>(-uniform * spread);
        const std::uint16_t half = lanes::portable::F64::half(v);
        if (type == Type::kHalf) std::memcpy(x.data() + j * sizeof(half), &half, sizeof(half));
        if (type == Type::kSingle) std::memcpy(x.data() + j * sizeof(v), &v, sizeof(v));
    }
    const sums::Rows all{x.data(), type, rows, columns};
    for (const Type out_type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        compare("softmax of a spread", rows, columns, [&](const Target& target) {
            return guarded(rows * columns * sums::item_bytes(out_type), [&](unsigned char* out) {
                sums::softmax(all, out_type, out, threads_of(target));
            });
        });
    }
    compare("a logarithm of softmax of a spread", rows, columns, [&](const Target& target) {
        return guarded(rows * columns * sizeof(float), [&](unsigned char* out) {
            sums::log_softmax(all, reinterpret_cast<float*>(out), threads_of(target));
        });
    });
}

// Shares of which one lies where FLOAT32 rounds to either side, or next to it.
void check_shares(std::size_t size) {
    if (is_left_out()) return;
    std::vector<float> e(std::max<std::size_t>(size, 16));  // a whole vector is read
    for (float& power : e) power = static_cast<float>(static_cast<double>(random_bits() >> 11) * 0x1p-53);
    const float here = e[random_bits() % size] + 0x1p-20f, share = here * 0x1p-6f;
    const double middle = (static_cast<double>(share) + std::nextafter(share, 1.0f)) / 2;
    e[random_bits() % size] = here;
    double inverse = middle / here;
    for (std::uint64_t k = random_bits() % 4; k > 0; --k) inverse = std::nextafter(inverse, 1.0);
    compare("shares", size, 1, [&](const Target& target) {
        return guarded(size * sizeof(float), [&](unsigned char* out) {
            const auto single = static_cast<int>(Type::kSingle);
            sums::kernels_of(target).share[single](e.data(), size, inverse, -30, out);
        });
    });
}

// The same of lines, with an inverse for each column, and such a share now and then.
void check_column_shares(std::size_t size, std::size_t columns) {
    if (is_left_out()) return;
    const std::size_t whole = (columns + 15) / 16 * 16;
    std::vector<float> e(size * whole);
    for (float& power : e) power = static_cast<float>(static_cast<double>(random_bits() >> 11) * 0x1p-53);
    std::vector<double> inverses(whole, 1);
    for (std::size_t c = 0; c < columns; ++c) {
        float& here = e[random_bits() % size * whole + c];
        const float share = (here += 0x1p-20f) * 0x1p-6f * static_cast<float>(1 + c % 7);
        const double near = random_bits() % 32 ? std::nextafter(share, 1.0f) : share;
        inverses[c] = (near + std::nextafter(share, 1.0f)) / 2 / here;
        for (std::uint64_t k = random_bits() % 4; k > 0; --k) inverses[c] = std::nextafter(inverses[c], 1.0);
    }
    compare("shares of columns", size, columns, [&](const Target& target) {
        return guarded(size * columns * sizeof(float), [&](unsigned char* out) {
            const auto out_bytes = static_cast<std::int64_t>(columns * sizeof(float));
            sums::kernels_of(target).column_shares[static_cast<int>(Type::kSingle)](
                {e.data(), size, whole, columns, inverses.data(), -30, out, out_bytes});
        });
    });
}

// Softmax, or its logarithm, of group after group by itself: the axes of both are those of outer groups, groups and
// elements.
void softmax_one_by_one(const std::vector<unsigned char>& x, Type type, const std::vector<Axis>& from,
                        const std::vector<Axis>& to, Type out_type, bool is_log, const Target& target,
                        unsigned char* out) {
    const std::uint64_t item = sums::item_bytes(type), out_item = sums::item_bytes(out_type), size = from[2].size;
    std::vector<unsigned char> row(size * item), shares(size * out_item);
    const sums::Rows rows{row.data(), type, 1, size};
    for (std::uint64_t g = 0; g < from[0].size * from[1].size; ++g) {
        const auto place = [&](const std::vector<Axis>& side, std::uint64_t j) {
            return static_cast<std::int64_t>(g / side[1].size) * side[0].stride_bytes +
                   static_cast<std::int64_t>(g % side[1].size) * side[1].stride_bytes +
                   static_cast<std::int64_t>(j) * side[2].stride_bytes;
        };
        for (std::uint64_t j = 0; j < size; ++j) std::memcpy(&row[j * item], &x[place(from, j)], item);
        if (is_log) sums::log_softmax(rows, reinterpret_cast<float*>(shares.data()), policy_of(target));
        if (!is_log) sums::softmax(rows, out_type, shares.data(), policy_of(target));
        for (std::uint64_t j = 0; j < size; ++j) std::memcpy(out + place(to, j), &shares[j * out_item], out_item);
    }
}

// Groups in columns, or beside each other, on either side: as each by itself on the portable target.
void check_columns(Type type, std::uint64_t outer, std::uint64_t size, std::uint64_t groups) {
    if (is_left_out()) return;
    const auto in_order = [=](std::uint64_t element, std::uint64_t group, std::uint64_t item) {
        const auto bytes = [=](std::uint64_t count) { return static_cast<std::int64_t>(count * item); };
        return std::vector<Axis>{{outer, bytes(size * groups)}, {groups, bytes(group)}, {size, bytes(element)}};
    };
    const TargetList targets = available_targets();
    const Target* const reference = targets.begin[targets.count - 1];
    const std::vector<unsigned char> x = random_elements(type, outer * size * groups);
    const std::uint64_t item = sums::item_bytes(type);
    for (const bool is_log : {false, true}) {
        const Type out_type = is_log ? Type::kSingle : static_cast<Type>(random_bits() % 3);
        const std::uint64_t out_item = sums::item_bytes(out_type);
        for (unsigned turned = 0; turned < 4; ++turned) {
            const std::vector<Axis> from = turned & 1 ? in_order(1, size, item) : in_order(groups, 1, item);
            const std::vector<Axis> to = turned & 2 ? in_order(1, size, out_item) : in_order(groups, 1, out_item);
            const auto axes = sums::group_axes_of(from, static_cast<std::int64_t>(item), to,
                                                  static_cast<std::int64_t>(out_item), size);
            if (!axes) {
                std::printf("groups of %zu in %zu columns are none\n", std::size_t{size}, std::size_t{groups});
                ++failures;
                continue;
            }
            compare("softmax of columns", size, groups, [&](const Target& target) {
                return guarded(outer * size * groups * out_item, [&](unsigned char* out) {
                    if (&target == reference) {
                        return softmax_one_by_one(x, type, from, to, out_type, is_log, target, out);
                    }
                    sums::softmax(*axes, {x.data(), type, out, out_type, is_log}, threads_of(target));
                });
            });
        }
    }
}

// Planes of pixels as pixels of channels, which others, untouched, may follow.
std::vector<unsigned char> by_pixels(const std::vector<unsigned char>& planes, std::size_t channels,
                                     std::size_t item, std::size_t others = 0) {
    const std::size_t count = planes.size() / item / channels, all = channels + others;
    std::vector<unsigned char> pixels(count * all * item, kUntouched);
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t p = 0; p < count; ++p) {
            std::memcpy(&pixels[(p * all + c) * item], &planes[(c * count + p) * item], item);
        }
    }
    return pixels;
}

sums::PixelImage image_of(unsigned char* data, std::uint64_t channels,
                          const std::uint64_t (&sizes)[sums::kSpatial], std::size_t item) {
    sums::PixelImage image{data, Type{}, 1, 0, {}};
    auto step = static_cast<std::ptrdiff_t>(channels * item);
    for (int d = sums::kSpatial; d-- > 0; step *= static_cast<std::ptrdiff_t>(sizes[d])) {
        image.position[d] = step;
    }
    return image;
}
sums::PixelImage image_of(unsigned char* data, Type type, std::uint64_t channels,
                          const std::uint64_t (&sizes)[sums::kSpatial]) {
    sums::PixelImage image = image_of(data, channels, sizes, sums::item_bytes(type));
    image.type = type;
    return image;
}

// Windows over pixels give what those over planes do.
void compare_pixels(Type type, const sums::Windows& w, sums::Divisor divisor,
                    const std::vector<unsigned char>& x) {
    if (type == Type::kDouble) return;
    const TargetList targets = available_targets();
    const Policy policy{targets.begin[targets.count - 1], 1, ~std::uint64_t{0}};
    // In memory that ends where the array does.
    const std::size_t others = (w.input[2] + w.output[2]) % 3;
    const auto around = by_pixels(x, w.channels, sums::item_bytes(type), others);
    std::vector<unsigned char> pixels(around.begin(), around.end() - static_cast<std::ptrdiff_t>(
                                                          others * sums::item_bytes(type)));
    for (const Type out_type : {Type::kHalf, Type::kSingle}) {
        const std::size_t item = sums::item_bytes(out_type);
        for (const bool is_average : {true, false}) {
            if (!is_average && out_type != type) continue;
            const sums::Divisor* const by = is_average ? &divisor : nullptr;
            std::vector<unsigned char> planes(w.channels * sums::product(w.output) * item);
            if (by) {
                sums::average_windows(x.data(), type, w, divisor, out_type, planes.data(), policy);
            } else {
                sums::largest_in_windows(x.data(), type, w, type, planes.data(), policy);
            }
            auto expected = by_pixels(planes, w.channels, item, others);
            for (std::size_t k = 0; k < targets.count; ++k) {
                const auto found = guarded(expected.size(), [&](unsigned char* out) {
                    sums::pool_pixels(image_of(pixels.data(), type, w.channels + others, w.input), w, by,
                                      image_of(out, out_type, w.channels + others, w.output),
                                      threads_of(*targets.begin[k]));
                });
                ++compared;
                if (found == expected) continue;
                std::printf("a window over pixels differs on %s\n", targets.begin[k]->name);
                ++failures;
            }
        }
    }
}

void compare_windows(Type type, const sums::Windows& w, sums::Divisor divisor,
                     const std::vector<unsigned char>& x) {
    const std::size_t count = w.channels * w.output[0] * w.output[1] * w.output[2];
    for (const Type out_type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        compare("an average of windows", w.input[2], w.size[2], [&](const Target& target) {
            return guarded(count * sums::item_bytes(out_type), [&](unsigned char* out) {
                sums::average_windows(x.data(), type, w, divisor, out_type, out,
                                      threads_of(target));
            });
        });
    }
    for (const sums::Number number : {sums::Number::kInt8, sums::Number::kUInt8}) {
        std::vector<unsigned char> bytes(count), expected(count);
        std::vector<std::int64_t> numbers(count);
        const Policy policy{available_targets().begin[0], 2, ~std::uint64_t{0}};
        sums::largest_bytes(x.data(), number == sums::Number::kInt8, w, bytes.data(), policy);
        sums::largest_with_numbers(x.data(), number, w, expected.data(), numbers.data(), policy);
        auto pixels = by_pixels({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(
                                                            w.channels * sums::product(w.input))},
                                w.channels, 1);
        const auto found = guarded(count, [&](unsigned char* out) {
            sums::largest_pixel_bytes(image_of(pixels.data(), w.channels, w.input, 1),
                                      number == sums::Number::kInt8, w,
                                      image_of(out, w.channels, w.output, 1), policy);
        });
        ++compared;
        if (bytes == expected && found == by_pixels(bytes, w.channels, 1)) continue;
        std::printf("a largest byte of windows is another one\n");
        ++failures;
    }
    if (type == Type::kDouble) return;
    compare("a largest element of windows", w.input[2], w.size[2], [&](const Target& target) {
        return guarded(count * sums::item_bytes(type), [&](unsigned char* out) {
            sums::largest_in_windows(x.data(), type, w, type, out, threads_of(target));
        });
    });
}

// Padding along an axis, and how many windows there are then.
void pad(sums::Windows& w, int axis) {
    const std::uint64_t reach = (w.size[axis] - 1) * w.dilation[axis] + 1;
    w.start[axis] = random_bits() % (reach + 2);
    const std::uint64_t end = random_bits() % (reach + 2), all = w.input[axis] + w.start[axis] + end;
    w.output[axis] = all < reach ? 1 : (all - reach) / w.stride[axis] + 1;
}

// Windows of any kind, some of them beside the array.
void check_random_windows(Type type, std::uint64_t longest, std::uint64_t channels) {
    if (is_left_out()) return;
    sums::Windows w{};
    w.channels = channels;
    for (int k = 0; k < sums::kSpatial; ++k) {
        w.input[k] = 1 + random_bits() % (k == 2 ? longest : 7);
        w.size[k] = 1 + random_bits() % 5;
        w.stride[k] = 1 + random_bits() % (k == 2 ? 4 : 3);
        w.dilation[k] = 1 + random_bits() % 3;
        pad(w, k);
    }
    const std::uint64_t count = w.channels * w.input[0] * w.input[1] * w.input[2];
    const auto divisor = static_cast<sums::Divisor>(random_bits() % 3);
    const auto x = random_elements(type, count);
    compare_windows(type, w, divisor, x);
    compare_pixels(type, w, divisor, x);
}

// Squares of two or three positions a side, next to each other, which kernels take as they lie.
void check_squares(Type type, std::uint64_t channels) {
    if (is_left_out()) return;
    const std::uint64_t side = 2 + random_bits() % 2;
    sums::Windows w{channels, {1, 1, 1}, {1, 1, 1}, {1, side, side}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    for (int k = 1; k < sums::kSpatial; ++k) {
        w.input[k] = 1 + random_bits() % (k == 2 ? 40 : 8);
        w.stride[k] = 1 + random_bits() % 2;
        if (k == 1) w.dilation[k] = 1 + random_bits() % 2;
        pad(w, k);
    }
    compare_pixels(type, w, sums::Divisor::kInside,
                   random_elements(type, channels * w.input[1] * w.input[2]));
}

// A window as large as the array, or one position off.
void check_whole(Type type, std::uint64_t channels) {
    if (is_left_out()) return;
    const std::uint64_t rows = 1 + random_bits() % 9, columns = 1 + random_bits() % 30;
    const sums::Windows w{channels, {1, rows, columns}, {1, 1, 1}, {1, rows, columns}, {1, 2, 2}, {1, 1, 1},
                          {0, random_bits() % 8 == 0, random_bits() % 8 == 0}};
    const auto divisor = static_cast<sums::Divisor>(random_bits() % 3);
    compare_pixels(type, w, divisor, random_elements(type, channels * rows * columns, random_bits() % 2 != 0));
}

// Of FLOAT32 with so many exponents: sums of windows are exact, in whatever order, where these are few.
void check_exponents(std::uint64_t exponents) {
    std::vector<unsigned char> x(2 * 21 * 41 * sizeof(std::uint32_t));
    for (std::size_t j = 0; j < x.size(); j += sizeof(std::uint32_t)) {
        // Many are as large as can be, and most are positive, so that sums have all their bits.
        const std::uint64_t random = random_bits(), kind = random >> 60;
        const std::uint64_t exponent = 100 + (kind < 8 ? exponents - 1 : (random >> 32) % exponents);
        const std::uint64_t sign = kind % 4 == 0 ? 0x80000000 : 0;
        const auto bits = static_cast<std::uint32_t>((random & 0x7FFFFF) | exponent << 23 | sign);
        std::memcpy(x.data() + j, &bits, sizeof(bits));
    }
    for (const std::uint64_t size : {2, 3, 4, 5}) {
        for (std::uint64_t stride = 1; stride < size; ++stride) {
            const std::uint64_t rows = (21 - size) / stride + 1, columns = (41 - size) / stride + 1;
            const sums::Windows w{2, {1, 21, 41}, {1, rows, columns}, {1, size, size},
                                  {1, stride, stride}, {1, 1, 1}, {0, 0, 0}};
            compare_windows(Type::kSingle, w, sums::Divisor::kAll, x);
        }
    }
}

// One row has exponents of all sizes: no sum over it is exact, wherever it lies, and the order counts, as
// of FLOAT64, which are never taken for exact.
void check_wide_rows(std::uint64_t size, std::uint64_t stride) {
    const std::uint64_t rows = (9 - size) / stride + 1, columns = 40;
    const sums::Windows w{1, {1, 9, 41}, {1, rows, columns}, {1, size, 2}, {1, stride, 1}, {1, 1, 1},
                          {0, 0, 0}};
    for (std::size_t wide = 0; wide < 9; ++wide) {
        std::vector<float> x(9 * 41);
        for (std::size_t j = 0; j < x.size(); ++j) {
            const std::uint64_t random = random_bits();
            const std::uint64_t exponent = j / 41 == wide ? 117 + (random >> 32) % 64 : 127;
            const auto bits = static_cast<std::uint32_t>((random & 0x7FFFFF) | exponent << 23);
            std::memcpy(&x[j], &bits, sizeof(bits));
        }
        const std::vector<double> wider(x.begin(), x.end());
        std::vector<double> found(rows * columns), expected(rows * columns);
        const Policy policy = policy_of(*available_targets().begin[0]);
        const auto average = [&](const auto& numbers, Type type, std::vector<double>& out) {
            sums::average_windows(reinterpret_cast<const unsigned char*>(numbers.data()), type, w,
                                  sums::Divisor::kAll, Type::kDouble,
                                  reinterpret_cast<unsigned char*>(out.data()), policy);
        };
        average(x, Type::kSingle, found);
        average(wider, Type::kDouble, expected);
        ++compared;
        if (bytes_of(found) == bytes_of(expected)) continue;
        std::printf("an average of %zu rows, %zu apart, differs: row %zu is wide\n",
                    static_cast<std::size_t>(size), static_cast<std::size_t>(stride), wide);
        ++failures;
    }
}

void check_windows(Type type, std::uint64_t size, std::uint64_t stride, std::uint64_t columns) {
    if (is_left_out()) return;
    sums::Windows w{2, {1, 9, columns}, {1, 0, 0}, {1, size, size}, {1, stride, stride},
                    {1, 1, 2}, {0, 1, 2}};
    for (int k = 1; k < sums::kSpatial; ++k) {
        const std::uint64_t reach = (size - 1) * w.dilation[k] + 1;
        const std::uint64_t places = w.input[k] + 2 * w.start[k];
        if (places < reach) return;
        w.output[k] = (places - reach) / stride + 1;
    }
    const auto x = random_elements(type, 2 * 9 * columns);
    const std::size_t count = 2 * w.output[1] * w.output[2];
    for (const Type out_type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        compare("an average", size, columns, [&](const Target& target) {
            std::vector<unsigned char> out(count * sums::item_bytes(out_type));
            sums::average_windows(x.data(), type, w, sums::Divisor::kInside, out_type, out.data(),
                                  policy_of(target));
            return out;
        });
    }
    if (type == Type::kDouble) return;
    compare("a largest element", size, columns, [&](const Target& target) {
        std::vector<unsigned char> out(count * sums::item_bytes(type));
        sums::largest_in_windows(x.data(), type, w, type, out.data(), policy_of(target));
        return out;
    });
}

// Taps of a column lie so near to each other.
void check_resampling(Type type, std::uint64_t columns, std::uint64_t near) {
    if (is_left_out()) return;
    const auto x = random_elements(type, 3 * 4 * columns);
    std::vector<std::int32_t> down(2 * 5), across(3 * 2 * columns);
    std::vector<double> down_weights(down.size()), across_weights(across.size());
    for (std::size_t k = 0; k < down.size(); ++k) {
        down[k] = static_cast<std::int32_t>(random_bits() % 4);
        down_weights[k] = static_cast<double>(random_bits() % 5) / 3;
    }
    for (std::size_t k = 0; k < across.size(); ++k) {
        const std::uint64_t first = k % (2 * columns) / 2, last = std::min(first + near, columns);
        across[k] = static_cast<std::int32_t>(first + random_bits() % (last - first));
        across_weights[k] = static_cast<double>(random_bits() % 5) / 3;
    }
    const sums::Images images{3, 4, columns, 5, 2 * columns,
                              {2, down.data(), down_weights.data()},
                              {3, across.data(), across_weights.data()}};
    for (const Type out_type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        compare("a resampled element", columns, 0, [&](const Target& target) {
            std::vector<unsigned char> out(3 * 5 * 2 * columns * sums::item_bytes(out_type));
            sums::resample(x.data(), type, images, out_type, out.data(), policy_of(target));
            return out;
        });
    }
}

// Each result from the first element on, as it is defined.
template <typename T>
std::vector<unsigned char> scanned(const std::vector<unsigned char>& x, const sums::Chains& c) {
    std::vector<unsigned char> out(x.size());
    const auto element = [&](std::uint64_t chain, std::uint64_t k) {
        const std::uint64_t place = c.is_reverse ? c.size - 1 - k : k;
        return (chain / c.inner * c.size + place) * c.inner + chain % c.inner;
    };
    for (std::uint64_t chain = 0; chain < c.outer * c.inner; ++chain) {
        for (std::uint64_t k = 0; k < c.size; ++k) {
            T total = c.is_product ? 1 : 0;
            const std::uint64_t count = c.is_exclusive ? k : k + 1;
            for (std::uint64_t j = 0; j < count; ++j) {
                T v;
                std::memcpy(&v, x.data() + element(chain, j) * sizeof(T), sizeof(T));
                // Unsigned: products of two UINT16 are too large for `int`.
                if (j == 0) {
                    total = v;
                } else {
                    total = static_cast<T>(c.is_product ? T{1} * 1u * total * v : total + v);
                }
            }
            if (total != total) total = std::numeric_limits<T>::quiet_NaN();
            std::memcpy(out.data() + element(chain, k) * sizeof(T), &total, sizeof(T));
        }
    }
    return out;
}

template <typename T>
void check_scan(sums::ScanType type, std::uint64_t outer, std::uint64_t size, std::uint64_t inner) {
    if (is_left_out()) return;
    constexpr Type kTypes[] = {Type::kHalf, Type::kHalf, Type::kSingle, Type::kDouble};
    const int log2_bytes = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    auto x = random_elements(kTypes[log2_bytes], outer * size * inner);
    x.resize(outer * size * inner * sizeof(T));
    for (int flags = 0; flags < 8; ++flags) {
        const sums::Chains chains{type, outer, size, inner, (flags & 1) != 0, (flags & 2) != 0,
                                  (flags & 4) != 0};
        const auto expected = scanned<T>(x, chains);
        const auto actual = guarded(x.size(), [&](unsigned char* out) {
            sums::scan(x.data(), chains, out, threads_of(*available_targets().begin[0]));
        });
        ++compared;
        if (actual == expected) continue;
        std::printf("a scan of %d, %d x %d x %d, flags %d\n", static_cast<int>(type),
                    static_cast<int>(outer), static_cast<int>(size), static_cast<int>(inner), flags);
        ++failures;
    }
}

void check_scans(std::uint64_t outer, std::uint64_t size, std::uint64_t inner) {
    check_scan<std::uint8_t>(sums::ScanType::k8, outer, size, inner);
    check_scan<std::uint16_t>(sums::ScanType::k16, outer, size, inner);
    check_scan<std::uint32_t>(sums::ScanType::k32, outer, size, inner);
    check_scan<std::uint64_t>(sums::ScanType::k64, outer, size, inner);
    check_scan<float>(sums::ScanType::kSingle, outer, size, inner);
    check_scan<double>(sums::ScanType::kDouble, outer, size, inner);
}

int run() {
    for (const std::uint64_t outer : {1, 3, 4, 9}) {
        for (const std::uint64_t inner : {1, 2, 7}) {
            for (const std::uint64_t size : {1, 2, 17}) check_scans(outer, size, inner);
        }
    }
    check_scans(2, 3, 2500);  // more columns than go on together
    check_scans(30000, 9, 1);  // several threads
    check_scans(3, 11, 9000);
    for (const std::size_t count : {4095, 4096, 4097, 4100, 8192, 8193, 65537}) {
        check_blocks(count, 1);
    }
    check_blocks(800001, 3);
    check_blocks_of_blocks();
    for (const Type type : {Type::kHalf, Type::kSingle, Type::kDouble}) {
        for (const std::size_t size : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33, 64, 65, 130, 530}) {
            for (const std::size_t other : {1, 3, 8, 9}) {
                check_sums(type, size, other);
                check_sums(type, other, size);
                check_normalization(type, other, size);
                check_softmax(type, other, size);
            }
            check_resampling(type, size, size);
            for (std::uint64_t window = 1; window < 6; ++window) {
                for (std::uint64_t stride = 1; stride < 4; ++stride) {
                    check_windows(type, window, stride, size);
                }
            }
        }
        for (const std::uint64_t near : {4, 3000}) check_resampling(type, 3000, near);
        for (const std::size_t size : {4097, 9001, 20001}) check_normalization(type, 5, size);
        for (const std::size_t size : {1, 16, 32, 64, 80, 130}) check_negative_zeros(type, size);
        // Of few rows each part of the tree has its own, and of many each block.
        for (const std::size_t size : {5, 12, 20, 31, 32, 48, 63, 66, 79, 127, 128, 129, 145}) {
            for (const std::size_t other : {4, 5, 16, 31, 36}) check_sums(type, size, other, other % 3);
        }
        for (const std::size_t size : {16, 1024, 2100}) {
            for (const std::size_t other : {2, 4, 5, 6, 7, 13}) check_sums(type, other, size, other % 2);
        }
        for (int k = 0; k < 400; ++k) check_random_windows(type, k % 2 ? 20 : 150, 1 + k % 3);
        const sums::Windows many{40, {1, 60, 112}, {1, 30, 56}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1},
                                 {0, 1, 1}};
        compare_windows(type, many, sums::Divisor::kInside, random_elements(type, 40 * 60 * 112));
        if (type != Type::kDouble) {
            for (const double spread : {0.5, 20.0, 40.0, 70.0, 90.0, 110.0, 1000.0}) {
                for (const std::size_t size : {3, 7, 8, 16, 17, 31, 100, 1024, 1030, 2500}) {
                    check_spread(type, 5, size, spread);
                }
                check_spread(type, 300, 900, spread);
            }
            check_spread(type, 3, 9001, 20.0);
        }
        check_sums(type, 70, 4100);
        check_sums(type, 30, 4100);
        check_sums(type, 3, 5000);
        check_sums(type, 4500, 16);
        check_sums(type, 9, 8193, 1);
    }
    for (std::uint64_t exponents = 20; exponents < 34; ++exponents) check_exponents(exponents);
    for (std::uint64_t size = 2; size < 6; ++size) {
        for (std::uint64_t stride = 1; stride < size; ++stride) check_wide_rows(size, stride);
    }
    ++compared;
    if (stride == 1 && digest != kDigest) {
        std::printf("the digest is 0x%016" PRIX64 ", not 0x%016" PRIX64 "\n", digest, kDigest);
        ++failures;
    }
    // Of channels enough for vectors.
    for (const Type type : {Type::kHalf, Type::kSingle}) {
        for (std::uint64_t k = 0; k < 60; ++k) check_random_windows(type, 7, 4 + 3 * k % 50);
        // So many that a row is taken in pieces.
        for (std::uint64_t k = 0; k < 8; ++k) check_random_windows(type, 20, 300 + 77 * k);
        for (std::uint64_t channels = 1; channels < 200; ++channels) {
            check_squares(type, channels);
            check_whole(type, channels);
        }
    }
    for (std::size_t size = 1; size < 300; ++size) {
        for (int k = 0; k < 10; ++k) check_shares(size);
    }
    for (const Type type : {Type::kHalf, Type::kSingle}) {
        for (const std::uint64_t size : {2, 3, 4, 9, 16, 21, 40, 64, 65, 150, 512}) {
            for (const std::uint64_t groups : {16, 17, 50, 300}) check_columns(type, 1 + random_bits() % 3, size, groups);
        }
    }
    for (std::size_t columns = 16; columns < 100; ++columns) check_column_shares(1 + random_bits() % 20, columns);
    if (failures) {
        std::printf("check_sums: %zu comparisons, %zu differences\n", compared, failures);
        return 1;
    }
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count - 1; k-- > 0;) {
        std::printf("sums of %s: as portable\n", targets.begin[k]->name);
    }
    std::printf("check_sums: %zu comparisons, no difference\n", compared);
    return 0;
}

}  // namespace
}  // namespace indirectml

// check_sums [STRIDE]
int main(int count, char** words) {
    if (count == 2) indirectml::stride = std::strtoull(words[1], nullptr, 0);
    return indirectml::run();
}
