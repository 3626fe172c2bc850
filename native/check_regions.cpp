// Regions of interest and their gradients, whole numbers, halves of bytes and running results of
// FLOAT16, on every target of this machine, against plain loops; for sanitizers and emulators.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check_support.h"
#include "lanes/f32_portable.h"
#include "lanes/f64_portable.h"
#include "moving/halves.h"
#include "sums/regions.h"
#include "sums/scans.h"
#include "sums/whole_numbers.h"
#include "sums/windows.h"

namespace indirectml {
namespace {

using sums::Number;
using sums::Type;
using Bytes = std::vector<unsigned char>;
using Doubles = std::vector<double>;

Random g_random(29);

// What write(out, policy) gives on every target, with one to three threads, is `expected`, and nothing
// beside it is written.
template <typename Write>
void compare(const char* what, const Bytes& expected, const Write& write) {
    static unsigned threads = 0;
    const TargetList targets = available_targets();
    for (std::size_t k = 0; k < targets.count; ++k) {
        threads = threads % 3 + 1;
        Memory memory(expected.size());
        unsigned char* const out = memory.at(0);
        Memory::set_guards(out, expected.size());
        write(out, Policy{targets.begin[k], threads, ~std::uint64_t{0}});
        ++g_comparisons;
        if (!std::equal(expected.begin(), expected.end(), out)) {
            fail("%s of %zu bytes differs on %s", what, expected.size(), targets.begin[k]->name);
        }
        std::ptrdiff_t where;
        if (!Memory::guards_hold(out, expected.size(), &where)) {
            fail("%s writes beside its output, at %td", what, where);
        }
    }
}

template <typename T>
Bytes bytes_of(const std::vector<T>& numbers) {
    Bytes bytes(numbers.size() * sizeof(T));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

double canonical(double x) { return x != x ? std::numeric_limits<double>::quiet_NaN() : x; }

// Numbers as elements of a type.
Bytes typed(const Doubles& numbers, Type type) {
    std::vector<std::uint16_t> halves;
    std::vector<float> singles;
    Doubles doubles;
    for (const double each : numbers) {
        const double x = canonical(each);
        halves.push_back(x != x ? 0x7E00 : lanes::portable::F64::half(x));
        singles.push_back(static_cast<float>(x));
        doubles.push_back(x);
    }
    if (type == Type::kHalf) return bytes_of(halves);
    return type == Type::kSingle ? bytes_of(singles) : bytes_of(doubles);
}

// Numbers that every type holds, some of them equal, and now and then a zero of either sign, an infinity
// or a NaN.
Doubles random_numbers(std::size_t count) {
    Doubles numbers(count);
    for (double& x : numbers) {
        x = g_random.between(-200, 200) / 8.0;
        if (g_random.below(40) == 0) x = -0.0;
        if (g_random.below(150) == 0) x = HUGE_VAL;
        if (g_random.below(150) == 0) x = std::numeric_limits<double>::quiet_NaN();
    }
    return numbers;
}

bool is_larger(double a, double b) {
    if (a != a) return b == b;
    if (a == 0 && b == 0) return std::signbit(b) && !std::signbit(a);
    return a > b;
}

struct Shape {
    sums::ImageSizes images;
    std::uint64_t count, rows, columns;
};
Shape random_shape() {
    const auto some = [] { return 1 + g_random.below(4); };
    return {{some(), some(), 1 + g_random.below(9), 1 + g_random.below(9)}, some(), some(), some()};
}

// ---- Regions that are aligned: one list of samples -------------------------------------------------

struct Along {
    bool is_inside;
    std::uint64_t low, high;
    double weight, fraction;
};
// Sample k of all those of a region along an axis.
Along along(double start, double end, std::uint64_t outputs, std::uint64_t count, std::uint64_t k,
            std::uint64_t size, const sums::Sampling& how, bool is_nearest) {
    const auto all = static_cast<double>(outputs * count), last = static_cast<double>(size) - 1;
    double fraction = (static_cast<double>(k) - how.output_offset) / (how.is_stretched ? all - 1 : all);
    if (how.is_stretched && all == 1) fraction = 0.5;
    double at = fraction * (end - start) + start - how.input_offset;
    const bool is_inside = at >= -1 && at <= static_cast<double>(size);
    if (!is_inside || at < 0) at = 0;
    if (at > last) at = last;
    if (is_nearest) at = std::ceil(at - 0.5) + 0.0;
    const double low = std::floor(at);
    return {is_inside, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(std::ceil(at)),
            at - low, fraction};
}
std::uint64_t samples_of(double start, double end, std::uint64_t outputs, const sums::Sampling& how) {
    const double length = end - start;
    const double wanted = std::isfinite(length) ? std::ceil(length / static_cast<double>(outputs)) : 0;
    return static_cast<std::uint64_t>(std::min(std::max(wanted, static_cast<double>(how.fewest)),
                                               static_cast<double>(how.most)));
}

double mixed(double a, double b, double weight) {
    return weight == 0 ? a : a * (1 - weight) + b * weight;
}

struct Aligned {
    Shape shape;
    sums::Sampling how;
    double outside;
    Doubles x, gradient, corners;
    std::vector<std::int32_t> image;

    double at(std::uint64_t plane, std::uint64_t row, std::uint64_t column) const {
        return x[(plane * shape.images.height + row) * shape.images.width + column];
    }
    double value(std::uint64_t plane, const Along& y, const Along& across) const {
        const double top = mixed(at(plane, y.low, across.low), at(plane, y.low, across.high), across.weight);
        const double bottom =
            mixed(at(plane, y.high, across.low), at(plane, y.high, across.high), across.weight);
        return mixed(top, bottom, y.weight);
    }
    // Calls each(region, channel, i, j, down, across), with how many samples a cell has along both.
    template <typename Each>
    void cells(const Each& each) const {
        for (std::uint64_t r = 0; r < shape.count; ++r) {
            const double x1 = corners[4 * r] * how.scale_x, y1 = corners[4 * r + 1] * how.scale_y;
            const double x2 = corners[4 * r + 2] * how.scale_x, y2 = corners[4 * r + 3] * how.scale_y;
            each(r, samples_of(y1, y2, shape.rows, how), samples_of(x1, x2, shape.columns, how));
        }
    }
    Along down(std::uint64_t r, std::uint64_t k, std::uint64_t count, bool is_nearest) const {
        return along(corners[4 * r + 1] * how.scale_y, corners[4 * r + 3] * how.scale_y, shape.rows, count,
                     k, shape.images.height, how, is_nearest);
    }
    Along across(std::uint64_t r, std::uint64_t k, std::uint64_t count, bool is_nearest) const {
        return along(corners[4 * r] * how.scale_x, corners[4 * r + 2] * how.scale_x, shape.columns, count,
                     k, shape.images.width, how, is_nearest);
    }
    bool has_image(std::uint64_t r) const {
        return image[r] >= 0 && static_cast<std::uint64_t>(image[r]) < shape.images.count;
    }
    std::uint64_t plane(std::uint64_t r, std::uint64_t c) const {
        return static_cast<std::uint64_t>(image[r]) * shape.images.channels + c;
    }
    std::uint64_t cell(std::uint64_t r, std::uint64_t c, std::uint64_t i, std::uint64_t j) const {
        return ((r * shape.images.channels + c) * shape.rows + i) * shape.columns + j;
    }
    // The share of a cell's gradient that sample (a, b) has.
    double share(std::uint64_t r, std::uint64_t c, std::uint64_t i, std::uint64_t j, std::uint64_t a,
                 std::uint64_t b, std::uint64_t rows, std::uint64_t columns) const {
        const auto sample = [&](std::uint64_t m, std::uint64_t n, bool* is_inside) {
            const Along y = down(r, i * rows + m, rows, how.is_nearest);
            const Along z = across(r, j * columns + n, columns, how.is_nearest);
            *is_inside = y.is_inside && z.is_inside;
            return value(plane(r, c), y, z);
        };
        bool is_inside;
        const double own = sample(a, b, &is_inside), all = gradient[cell(r, c, i, j)];
        if (!is_inside) return 0;
        if (!how.is_largest) return all / static_cast<double>(rows * columns);
        for (std::uint64_t m = 0; m < rows; ++m) {
            for (std::uint64_t n = 0; n < columns; ++n) {
                bool counts;
                const double other = sample(m, n, &counts);
                const bool is_before = m < a || (m == a && n < b);
                if (!counts || (m == a && n == b)) continue;
                if (is_larger(other, own) || (is_before && !is_larger(own, other))) return 0;
            }
        }
        return all;
    }

    Doubles outputs() const {
        Doubles out(shape.count * shape.images.channels * shape.rows * shape.columns, outside);
        cells([&](std::uint64_t r, std::uint64_t rows, std::uint64_t columns) {
            for (std::uint64_t n = 0; n < shape.images.channels * shape.rows * shape.columns; ++n) {
                if (!has_image(r)) continue;
                const std::uint64_t c = n / (shape.rows * shape.columns), j = n % shape.columns;
                const std::uint64_t i = n / shape.columns % shape.rows;
                double total = 0;
                for (std::uint64_t s = 0; s < rows * columns; ++s) {
                    const Along y = down(r, i * rows + s / columns, rows, how.is_nearest);
                    const Along z = across(r, j * columns + s % columns, columns, how.is_nearest);
                    const double v = y.is_inside && z.is_inside ? value(plane(r, c), y, z) : outside;
                    if (s == 0) {
                        total = v;
                    } else if (!how.is_largest) {
                        total += v;
                    } else if (is_larger(v, total)) {
                        total = v;
                    }
                }
                if (!how.is_largest) total /= static_cast<double>(rows * columns);
                out[cell(r, c, i, j)] = total;
            }
        });
        return out;
    }

    // Of images and of regions, sample by sample.
    void gradients(Doubles* of_images, Doubles* of_regions) const {
        of_images->assign(x.size(), 0);
        of_regions->assign(4 * shape.count, 0);
        cells([&](std::uint64_t r, std::uint64_t rows, std::uint64_t columns) {
            if (!has_image(r)) return;
            const std::uint64_t cells = shape.rows * shape.columns;
            for (std::uint64_t s = 0; s < rows * columns; ++s) {
                const std::uint64_t a = s / columns, b = s % columns;
                for (std::uint64_t n = 0; n < shape.images.channels * cells; ++n) {
                    const std::uint64_t c = n / cells, i = n % cells / shape.columns;
                    const std::uint64_t j = n % shape.columns, p = plane(r, c);
                    const Along y = down(r, i * rows + a, rows, false);
                    const Along z = across(r, j * columns + b, columns, false);
                    const double own = share(r, c, i, j, a, b, rows, columns);
                    const double top_left = at(p, y.low, z.low), top_right = at(p, y.low, z.high);
                    const double low_left = at(p, y.high, z.low), low_right = at(p, y.high, z.high);
                    const double by_x =
                        mixed(top_right - top_left, low_right - low_left, y.weight) * own;
                    const double by_y =
                        mixed(low_left - top_left, low_right - top_right, z.weight) * own;
                    double* const to = of_regions->data() + 4 * r;
                    to[0] += by_x * (1 - z.fraction) * how.scale_x;
                    to[1] += by_y * (1 - y.fraction) * how.scale_y;
                    to[2] += by_x * z.fraction * how.scale_x;
                    to[3] += by_y * y.fraction * how.scale_y;
                }
                for (int corner = 0; corner < 4; ++corner) {
                    for (std::uint64_t n = 0; n < shape.images.channels * cells; ++n) {
                        const std::uint64_t c = n / cells, i = n % cells / shape.columns;
                        const std::uint64_t j = n % shape.columns;
                        const Along y = down(r, i * rows + a, rows, how.is_nearest);
                        const Along z = across(r, j * columns + b, columns, how.is_nearest);
                        const double weight = (corner / 2 ? y.weight : 1 - y.weight) *
                                              (corner % 2 ? z.weight : 1 - z.weight);
                        const std::uint64_t row = corner / 2 ? y.high : y.low;
                        if (weight == 0) continue;
                        (*of_images)[(plane(r, c) * shape.images.height + row) * shape.images.width +
                                     (corner % 2 ? z.high : z.low)] +=
                            weight * share(r, c, i, j, a, b, rows, columns);
                    }
                }
            }
        });
    }
};

void check_aligned(Type type, Type out_type) {
    Aligned a;
    a.shape = random_shape();
    const sums::ImageSizes& images = a.shape.images;
    const std::uint64_t fewest = 1 + g_random.below(3);
    const double scales[] = {0.5, 1, 2}, offsets[] = {-0.5, 0, 0.5};
    a.how = {scales[g_random.below(3)],  scales[g_random.below(3)], offsets[g_random.below(3)],
             offsets[g_random.below(3)], fewest,                    fewest + g_random.below(3),
             g_random.below(2) == 1,     g_random.below(2) == 1,    g_random.below(2) == 1};
    a.outside = g_random.below(2) ? 0 : -3.5;
    a.x = random_numbers(images.count * images.channels * images.height * images.width);
    a.gradient = random_numbers(a.shape.count * images.channels * a.shape.rows * a.shape.columns);
    for (std::uint64_t k = 0; k < 4 * a.shape.count; ++k) {
        const auto most = static_cast<int>(k % 2 ? images.height : images.width);
        a.corners.push_back(g_random.between(-4, 8 * most + 8) / 8.0);
        if (g_random.below(20) == 0) a.corners.back() = std::numeric_limits<double>::quiet_NaN();
    }
    for (std::uint64_t r = 0; r < a.shape.count; ++r) {
        a.image.push_back(g_random.between(-1, static_cast<int>(images.count)));
    }
    const Bytes x = typed(a.x, type), corners = typed(a.corners, type), own = typed(a.gradient, type);
    const Bytes numbers = bytes_of(a.image);
    const sums::Regions regions{{corners.data(), type}, numbers.data(), 4, true,
                                a.shape.count, a.shape.rows, a.shape.columns};
    const sums::Floats data{x.data(), type}, back{own.data(), type};
    compare("regions", typed(a.outputs(), out_type), [&](unsigned char* out, const Policy& policy) {
        sums::align_regions(data, images, regions, a.how, a.outside, out_type, out, policy);
    });
    Doubles of_images, of_regions;
    a.gradients(&of_images, &of_regions);
    compare("a gradient", typed(of_images, out_type), [&](unsigned char* out, const Policy& policy) {
        sums::align_gradient(data, back, images, regions, a.how, out_type, out, policy);
    });
    compare("a gradient of regions", typed(of_regions, out_type),
            [&](unsigned char* out, const Policy& policy) {
                sums::align_gradient_of_regions(data, back, images, regions, a.how, out_type, out, policy);
            });
}

// ---- Regions that are pooled -----------------------------------------------------------------------

// Whole numbers from floor(i n / m) to before ceil((i + 1) n / m), counted from `start`.
bool is_in_cell(std::int64_t at, std::int64_t start, std::int64_t end, std::int64_t i, std::int64_t m) {
    const std::int64_t n = std::max<std::int64_t>(end - start + 1, 1), k = at - start;
    return (k + 1) * m > i * n && k * m < (i + 1) * n;
}

void check_pooled(Type type, Type out_type) {
    const Shape shape = random_shape();
    const sums::ImageSizes& images = shape.images;
    const Doubles x = random_numbers(images.count * images.channels * images.height * images.width);
    Doubles rows;
    for (std::uint64_t r = 0; r < shape.count; ++r) {
        rows.push_back(g_random.between(-1, static_cast<int>(images.count)));
        for (int k = 0; k < 4; ++k) {
            const auto most = static_cast<int>(k % 2 ? images.height : images.width);
            rows.push_back(g_random.between(-8, 4 * most + 8) / 4.0);
            if (g_random.below(20) == 0) rows.back() = -HUGE_VAL;
        }
    }
    const float scale = g_random.below(2) ? 1.0f : 0.5f;
    Doubles expected(shape.count * images.channels * shape.rows * shape.columns, 0);
    std::size_t to = 0;
    for (std::uint64_t r = 0; r < shape.count; ++r) {
        const double* const row = rows.data() + 5 * r;
        bool is_there = row[0] >= 0 && row[0] < static_cast<double>(images.count);
        std::int64_t corner[4] = {};
        for (int k = 0; k < 4; ++k) {
            if (!std::isfinite(row[k + 1])) is_there = false;
            const double at = row[k + 1] * static_cast<double>(scale);
            if (is_there) corner[k] = std::llround(at);
        }
        for (std::uint64_t n = 0; n < images.channels * shape.rows * shape.columns; ++n, ++to) {
            if (!is_there) continue;
            const std::uint64_t c = n / (shape.rows * shape.columns);
            const auto i = static_cast<std::int64_t>(n / shape.columns % shape.rows);
            const auto j = static_cast<std::int64_t>(n % shape.columns);
            bool is_empty = true;
            for (std::uint64_t p = 0; p < images.height * images.width; ++p) {
                const auto y = static_cast<std::int64_t>(p / images.width);
                const auto z = static_cast<std::int64_t>(p % images.width);
                if (!is_in_cell(y, corner[1], corner[3], i, static_cast<std::int64_t>(shape.rows)) ||
                    !is_in_cell(z, corner[0], corner[2], j, static_cast<std::int64_t>(shape.columns))) {
                    continue;
                }
                const std::uint64_t plane = static_cast<std::uint64_t>(row[0]) * images.channels + c;
                const double v = x[plane * images.height * images.width + p];
                if (is_empty || is_larger(v, expected[to])) expected[to] = v;
                is_empty = false;
            }
        }
    }
    const Bytes data = typed(x, type), given = typed(rows, type);
    const sums::Regions regions{{given.data(), type}, nullptr, 0, false,
                                shape.count, shape.rows, shape.columns};
    compare("pooled regions", typed(expected, out_type), [&](unsigned char* out, const Policy& policy) {
        sums::pool_regions({data.data(), type}, images, regions, scale, out_type, out, policy);
    });
    const Doubles far{0, 0, 0x1p31, 0, 0};
    const Bytes beyond = typed(far, Type::kSingle);
    if (sums::can_be_pooled({beyond.data(), Type::kSingle}, 1, 1.0f)) fail("regions too far away are taken");
    if (!sums::can_be_pooled({given.data(), type}, shape.count, scale)) fail("regions nearby are not taken");
}

// ---- Whole numbers ---------------------------------------------------------------------------------

Bytes random_bytes(std::size_t count) {
    Bytes bytes(count);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(g_random.word());
    return bytes;
}

// Element j of integers of so many bytes, with their sign.
std::int64_t integer_at(const Bytes& x, std::size_t item, bool is_signed, std::uint64_t j) {
    std::uint64_t bits = 0;
    for (std::size_t k = item; k-- > 0;) bits = bits << 8 | x[j * item + k];
    if (is_signed && item < 8 && bits >> (8 * item - 1)) bits -= std::uint64_t{1} << (8 * item);
    return static_cast<std::int64_t>(bits);
}
Number number_of(std::size_t log2_bytes, bool is_signed) {
    const Number signed_ones[] = {Number::kInt8, Number::kInt16, Number::kInt32, Number::kInt64};
    const Number others[] = {Number::kUInt8, Number::kUInt16, Number::kUInt32, Number::kUInt64};
    return is_signed ? signed_ones[log2_bytes] : others[log2_bytes];
}

void check_powers() {
    const std::size_t x_log2 = g_random.below(4), y_log2 = g_random.below(4);
    const std::size_t item = std::size_t{1} << x_log2, y_item = std::size_t{1} << y_log2;
    const bool x_signed = g_random.below(2), y_signed = g_random.below(2);
    const std::uint64_t count = 1 + g_random.below(3000);
    Bytes x = random_bytes(count * item), y = random_bytes(count * y_item), expected(count * item);
    for (std::uint64_t j = 0; j < count; ++j) {
        // From -5 to 6, or as many as a byte holds.
        const auto small = static_cast<std::uint64_t>(g_random.between(-5, 6));
        const auto base = static_cast<std::uint64_t>(g_random.between(-2, 2));
        for (std::size_t k = 0; k < y_item; ++k) y[j * y_item + k] = static_cast<unsigned char>(small >> 8 * k);
        for (std::size_t k = 0; k < item && j % 2; ++k) {
            x[j * item + k] = static_cast<unsigned char>(base >> 8 * k);
        }
        if (!y_signed) std::fill_n(y.begin() + static_cast<std::ptrdiff_t>(j * y_item) + 1, y_item - 1, 0);
        const std::int64_t exponent = integer_at(y, y_item, y_signed, j);
        const std::int64_t own = integer_at(x, item, x_signed, j);
        std::uint64_t power = 1;
        for (std::int64_t n = 0; n < exponent; ++n) power *= static_cast<std::uint64_t>(own);
        if (y_signed && exponent < 0) {
            power = own == 1 ? 1 : 0;
            if (x_signed && own == -1) power = exponent % 2 ? ~std::uint64_t{0} : 1;
        }
        for (std::size_t k = 0; k < item; ++k) {
            expected[j * item + k] = static_cast<unsigned char>(power >> 8 * k);
        }
    }
    compare("powers", expected, [&](unsigned char* out, const Policy& policy) {
        sums::integer_powers({x.data(), number_of(x_log2, x_signed)},
                             {y.data(), number_of(y_log2, y_signed)}, count, out, policy);
    });
}

void check_products() {
    const std::uint64_t rows = 1 + g_random.below(20), depth = g_random.below(30);
    const std::uint64_t columns = 1 + g_random.below(600);
    struct Side {
        std::size_t log2;
        bool is_signed, has_each;
        Bytes x, zeros;
    };
    const auto side = [&](std::uint64_t lines) {
        const std::size_t log2 = 1 + g_random.below(2), item = std::size_t{1} << log2;
        const bool has_each = g_random.below(2) == 1;
        return Side{log2, g_random.below(2) == 1, has_each, random_bytes(2 * lines * depth * item),
                    random_bytes((has_each ? lines : 1) * item)};
    };
    const Side a = side(rows), b = side(columns);
    const sums::WideProducts how{{0, 1, 1}, {1, 1, 0}, rows, depth, columns};
    std::vector<std::uint32_t> expected;
    const auto number = [](const Side& s, const Bytes& from, std::uint64_t j) {
        return static_cast<std::uint32_t>(integer_at(from, std::size_t{1} << s.log2, s.is_signed, j));
    };
    const bool has_zeros = g_random.below(4) != 0;
    for (std::size_t p = 0; p < how.left.size(); ++p) {
        for (std::uint64_t n = 0; n < rows * columns; ++n) {
            const std::uint64_t r = n / columns, c = n % columns;
            const std::uint32_t a_zero = has_zeros ? number(a, a.zeros, a.has_each ? r : 0) : 77;
            const std::uint32_t b_zero = has_zeros ? number(b, b.zeros, b.has_each ? c : 0) : 5;
            std::uint32_t sum = 0;
            for (std::uint64_t k = 0; k < depth; ++k) {
                sum += (number(a, a.x, (how.left[p] * rows + r) * depth + k) - a_zero) *
                       (number(b, b.x, (how.right[p] * depth + k) * columns + c) - b_zero);
            }
            expected.push_back(sum);
        }
    }
    const auto zeros = [&](const Side& s, std::uint32_t without) {
        const sums::Integers given{has_zeros ? s.zeros.data() : nullptr, number_of(s.log2, s.is_signed)};
        return sums::ZeroPoints{given, s.has_each, without};
    };
    compare("wide products", bytes_of(expected), [&](unsigned char* out, const Policy& policy) {
        sums::multiply_wide({a.x.data(), number_of(a.log2, a.is_signed)}, zeros(a, 77),
                            {b.x.data(), number_of(b.log2, b.is_signed)}, zeros(b, 5), how,
                            reinterpret_cast<std::uint32_t*>(out), policy);
    });
}

// ---- Halves of bytes -------------------------------------------------------------------------------

void check_halves() {
    const std::uint64_t sizes[] = {1 + g_random.below(9), 1 + g_random.below(5), 1 + g_random.below(400)};
    const std::uint64_t apart = 1 + g_random.below(2), gap = g_random.below(3);
    const std::uint64_t row = sizes[2] * apart + gap, slab = sizes[1] * row + gap;
    const Axis axes[] = {{sizes[0], static_cast<std::int64_t>(slab)},
                         {sizes[1], static_cast<std::int64_t>(row)},
                         {sizes[2], static_cast<std::int64_t>(apart)}};
    const std::uint64_t count = sizes[0] * sizes[1] * sizes[2], all = sizes[0] * slab;
    const Bytes raw = random_bytes(all / 2 + 1), x = random_bytes(count * 4);
    for (const bool is_signed : {false, true}) {
        Bytes taken(count), put = raw;
        for (std::uint64_t n = 0; n < count; ++n) {
            const std::uint64_t at = n / (sizes[1] * sizes[2]) * slab + n / sizes[2] % sizes[1] * row +
                                     n % sizes[2] * apart;
            int half = at % 2 ? raw[at / 2] / 16 : raw[at / 2] % 16;
            if (is_signed && half > 7) half -= 16;
            taken[n] = static_cast<unsigned char>(half);
            const int own = x[4 * n] % 16, low = put[at / 2] % 16, high = put[at / 2] / 16;
            put[at / 2] = static_cast<unsigned char>(at % 2 ? low + 16 * own : own + 16 * high);
        }
        compare("halves", taken, [&](unsigned char* out, const Policy& policy) {
            from_halves(raw.data(), {3, axes}, is_signed, out, policy);
        });
        compare("bytes of halves", put, [&](unsigned char* out, const Policy&) {
            std::copy(raw.begin(), raw.end(), out);
            into_halves(x.data(), 4, {3, axes}, out);
        });
    }
}

// ---- FLOAT16 as FLOAT32 ----------------------------------------------------------------------------

void check_half_scans() {
    const std::uint64_t outer = 1 + g_random.below(9), size = 1 + g_random.below(20);
    const std::uint64_t inner = g_random.below(2) ? 1 : 1 + g_random.below(9);
    const Doubles x = random_numbers(outer * size * inner);
    const sums::Chains chains{sums::ScanType::kHalf, outer, size, inner, g_random.below(2) == 1,
                              g_random.below(2) == 1, g_random.below(2) == 1};
    std::vector<float> expected(x.size());
    for (std::uint64_t n = 0; n < outer * inner; ++n) {
        float total = 0;
        for (std::uint64_t k = 0; k < size; ++k) {
            const std::uint64_t place = chains.is_reverse ? size - 1 - k : k;
            const std::uint64_t at = (n / inner * size + place) * inner + n % inner;
            const float before = total, own = static_cast<float>(x[at]), first = chains.is_product ? 1 : 0;
            total = k == 0 ? own : chains.is_product ? total * own : total + own;
            const float result = !chains.is_exclusive ? total : k == 0 ? first : before;
            expected[at] = result != result ? std::numeric_limits<float>::quiet_NaN() : result;
        }
    }
    const Bytes halves = typed(x, Type::kHalf);
    compare("running results", bytes_of(expected), [&](unsigned char* out, const Policy& policy) {
        sums::scan(halves.data(), chains, out, policy);
    });
}

void check_half_windows() {
    const std::uint64_t columns = 1 + g_random.below(70), size = 1 + g_random.below(columns);
    const std::uint64_t outputs = columns - size + 1;
    const sums::Windows w{3, {1, 2, columns}, {1, 2, outputs}, {1, 1, size}, {1, 1, 1}, {1, 1, 1},
                          {0, 0, 0}};
    const Doubles x = random_numbers(6 * columns);
    Doubles expected;
    for (std::uint64_t n = 0; n < 6 * outputs; ++n) {
        const double* const at = x.data() + n / outputs * columns + n % outputs;
        double best = at[0];
        for (std::uint64_t k = 1; k < size; ++k) best = is_larger(at[k], best) ? at[k] : best;
        expected.push_back(best);
    }
    const Bytes halves = typed(x, Type::kHalf);
    compare("widened windows", typed(expected, Type::kSingle), [&](unsigned char* out, const Policy& policy) {
        sums::largest_in_windows(halves.data(), Type::kHalf, w, Type::kSingle, out, policy);
    });
}

}  // namespace
}  // namespace indirectml

int main(int count, char** arguments) {
    using namespace indirectml;
    g_program = "check_regions";
    const int cases = count > 1 ? std::atoi(arguments[1]) : 300;
    const Type types[] = {Type::kHalf, Type::kSingle, Type::kDouble};
    for (int k = 0; k < cases; ++k) {
        check_aligned(types[k % 3], types[k / 3 % 3]);
        check_pooled(types[k % 3], types[k / 3 % 3]);
        check_powers();
        check_products();
        check_halves();
        check_half_scans();
        check_half_windows();
    }
    std::printf("check_regions: %" PRIu64 " comparisons, no difference\n", g_comparisons);
}
