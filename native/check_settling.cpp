// Quantized results by exact sums, against chains of FLOAT32 in plain loops: for random matrices and images, for those whose
// products are all alike, so that what rounds adds up, for scales by which results lie halfway between two integers, and
// for small integers whose sums are all near halves. `check_settling N` takes N matrices for each target.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check_support.h"
#include "integers/packing.h"
#include "integers/settling.h"
#include "lanes/f32_portable.h"
#include "team.h"

namespace indirectml {
namespace {

using integers::Settling;

constexpr std::uint64_t kTasks = 600;
constexpr int kScales = 40;
constexpr unsigned char kUntouched = 0xA5;

// How many results the rounding of the exact product alone would have got wrong: those that are told by bounds.
std::uint64_t g_told = 0;

struct Integers {
    OperandType type;
    std::int32_t zero;
    std::vector<unsigned char> bytes;

    std::int32_t number(std::size_t at) const {
        return (type == OperandType::kInt8 ? static_cast<signed char>(bytes[at]) : bytes[at]) - zero;
    }
};

float log_uniform(Random& random, int low, int high) {
    return std::ldexp(1 + static_cast<float>(random.below(1u << 23)) * 0x1p-23f, random.between(low, high));
}

// Some numbers of any size; or all alike, maybe but for a few.
Integers random_integers(Random& random, std::size_t count, bool are_alike) {
    Integers all{random.below(2) ? OperandType::kInt8 : OperandType::kUInt8, 0, {}};
    const int lowest = all.type == OperandType::kInt8 ? -128 : 0;
    all.zero = random.below(3) ? random.between(lowest, lowest + 255) : lowest + (lowest < 0 ? 128 : 0);
    // The lowest has a magnitude that no other has.
    const auto one = random.below(4) ? static_cast<unsigned char>(random.word()) : static_cast<unsigned char>(lowest);
    const bool has_others = random.below(2);
    for (std::size_t k = 0; k < count; ++k) {
        const bool is_one = are_alike && (!has_others || random.below(64));
        all.bytes.push_back(is_one ? one : static_cast<unsigned char>(random.word()));
    }
    return all;
}

// No further from their zero point than three.
void make_small(Random& random, Integers& all) {
    const int lowest = all.type == OperandType::kInt8 ? -128 : 0;
    for (unsigned char& byte : all.bytes) {
        byte = static_cast<unsigned char>(std::clamp(all.zero + random.between(-3, 3), lowest, lowest + 255));
    }
}

// Images under the taps of filters, with padding around them.
struct Windows {
    std::size_t images, channels;
    Reading1D rows, pixels;

    std::size_t taps() const { return rows.taps * pixels.taps; }
    std::size_t outputs() const { return rows.output * pixels.output; }
    // Product k of result i, or none where padding is.
    bool find(std::size_t i, std::size_t k, std::size_t& at) const {
        const auto place = [](const Reading1D& r, std::size_t output, std::size_t tap) {
            return static_cast<std::ptrdiff_t>(output * r.stride + tap * r.dilation) - r.padding;
        };
        const std::size_t tap = k % taps(), pixel = i % outputs();
        const std::ptrdiff_t y = place(rows, pixel / pixels.output, tap / pixels.taps);
        const std::ptrdiff_t x = place(pixels, pixel % pixels.output, tap % pixels.taps);
        if (y < 0 || x < 0) return false;
        const auto row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
        if (row >= rows.input || column >= pixels.input) return false;
        at = ((i / outputs() * rows.input + row) * pixels.input + column) * channels + k / taps();
        return true;
    }
};

struct Task {
    std::size_t rows, columns, depth;
    bool has_windows;
    Windows windows;
    Integers a, b;
    std::vector<std::int32_t> b_zeros;
    float a_scale, scale, least, most;
    std::vector<float> b_scales, bias;
    std::int32_t zero;
    bool is_signed, by_column;
    std::vector<std::int32_t> sums;

    float b_scale(std::size_t j) const { return b_scales[by_column ? j : 0]; }
    std::int32_t left(std::size_t i, std::size_t k) const {
        if (!has_windows) return a.number(i * depth + k);
        std::size_t at;
        return windows.find(i, k, at) ? a.number(at) : 0;
    }
    std::int32_t right(std::size_t k, std::size_t j) const {
        return b.number(k * columns + j) + b.zero - b_zeros[by_column ? j : 0];
    }
    float total(std::size_t i, std::size_t j) const {
        float total = 0;
        for (std::size_t first = 0; first < depth; first += kChain) {
            float sum = 0;
            for (std::size_t k = first; k < std::min(depth, first + kChain); ++k) {
                // Padding is zero, whatever the scale.
                std::size_t at;
                const bool is_padding = has_windows && !windows.find(i, k, at);
                sum = lanes::portable::fma(is_padding ? 0.0f : static_cast<float>(left(i, k)) * a_scale,
                                           static_cast<float>(right(k, j)) * b_scale(j), sum);
            }
            total = first == 0 ? sum : total + sum;
        }
        return bias.empty() ? total : total + bias[j];
    }
    unsigned char quantized(float x) const {
        if (x < least) x = least;
        if (x > most) x = most;
        const float whole = std::nearbyint(x / scale);
        const float low = is_signed ? -128.0f : 0.0f, high = low + 255;
        float moved = (whole == whole ? whole : 0) + static_cast<float>(zero);
        moved = moved < low ? low : moved > high ? high : moved;
        return static_cast<unsigned char>(static_cast<int>(moved));
    }
};

// One from a zero point.
unsigned char near(OperandType type, std::int32_t zero) {
    const std::int32_t lowest = type == OperandType::kInt8 ? -128 : 0;
    return static_cast<unsigned char>(zero + (zero == lowest ? 1 : -1));
}

// Sums that are large from the last tap of the first channel on are rounded each time, whatever is added.
void make_steep(Task& t) {
    const std::size_t channels = t.has_windows ? t.windows.channels : t.depth;
    // Of windows one pixel alone, so that the norm of the others adds nothing.
    std::size_t pixel = 0;
    if (t.has_windows) t.windows.find(0, t.windows.taps() - 1, pixel);
    for (std::size_t n = 0; n < t.a.bytes.size(); ++n) {
        if (t.has_windows ? n != pixel : n % channels != 0) t.a.bytes[n] = near(t.a.type, t.a.zero);
    }
    for (std::size_t n = 0; n < t.b.bytes.size(); ++n) {
        const std::int32_t zero = t.b_zeros[t.by_column ? n % t.columns : 0];
        if (n / t.columns != t.depth / channels - 1) t.b.bytes[n] = near(t.b.type, zero);
    }
}

// A large product ends the first chain, and its opposite begins the second: all sums of that are as large, and its total
// is small. Of zero points that are 0 as signed numbers.
void make_opposites(Task& t) {
    const std::size_t channels = t.has_windows ? t.windows.channels : t.depth, taps = t.depth / channels;
    const auto is_large = [&](std::size_t channel) {
        return channel == (kChain - 1) / taps || channel == kChain / taps;
    };
    const std::int32_t lowest = t.a.type == OperandType::kInt8 ? -128 : 0;
    for (std::size_t n = 0; n < t.a.bytes.size(); ++n) {
        const auto far = static_cast<unsigned char>(t.a.zero - lowest > 127 ? lowest : lowest + 255);
        t.a.bytes[n] = is_large(n % channels) ? far : near(t.a.type, t.a.zero);
    }
    for (std::size_t n = 0; n < t.b.bytes.size(); ++n) {
        const std::size_t k = n / t.columns;
        const std::int32_t far = k == kChain - 1 ? 127 : k == kChain ? -127 : 0;
        t.b.bytes[n] = is_large(k / taps) ? static_cast<unsigned char>(t.b.zero + far) : near(t.b.type, t.b.zero);
    }
}

Task random_task(Random& random) {
    Task t{};
    t.rows = 1 + random.below(24);
    t.columns = 1 + random.below(40);
    t.depth = random.below(12) ? 1 + random.below(300) : 1 + random.below(1500);
    // Products alike are rounded alike, and off by a third of the bound together, with some scales by half of it.
    const bool are_alike = random.below(2);
    if (are_alike) t.depth += 200;
    const std::uint64_t kind = random.below(3);
    const bool are_steep = are_alike && kind == 0, have_opposites = are_alike && kind == 1;
    if (are_steep && random.below(2)) t.depth = kChain - random.below(60);
    if (have_opposites) t.depth = 2 * kChain - random.below(60);
    const bool are_small = !are_alike && random.below(3) == 0;
    if (are_small) {
        t.rows = 1 + random.below(6);
        t.columns = 1 + random.below(400);
    }
    t.has_windows = random.below(are_alike ? 3 : 2) != 0;
    std::size_t numbers = t.rows * t.depth;
    if (t.has_windows) {
        Windows& w = t.windows;
        const auto up_to = [&](std::size_t most) { return 1 + static_cast<std::size_t>(random.below(most)); };
        for (Reading1D* r : {&w.rows, &w.pixels}) {
            std::size_t taps = are_steep ? 1 + up_to(2) : up_to(3);
            if (have_opposites && random.below(2)) taps = r == &w.rows ? 1 : 3;  // twelve products are no part of 256
            *r = {taps, up_to(2), up_to(2), up_to(6), 0, static_cast<std::ptrdiff_t>(random.below(3))};
            const std::size_t there = r->input + static_cast<std::size_t>(2 * r->padding), reach = r->reach(1);
            r->output = reach > there ? 1 : (there - reach) / r->stride + 1;
        }
        w.images = up_to(2);
        const bool are_few = !have_opposites && random.below(are_small ? 2 : 4) == 0;  // a unit, or less
        w.channels = are_few ? 5 - up_to(3) : (t.depth + w.taps() - 1) / w.taps();
        t.rows = w.images * w.outputs();
        t.depth = w.channels * w.taps();
        numbers = w.images * w.rows.input * w.pixels.input * w.channels;
    }
    t.a = random_integers(random, numbers, are_alike);
    t.b = random_integers(random, t.depth * t.columns, are_alike);
    t.by_column = random.below(2);
    const int lowest = t.b.type == OperandType::kInt8 ? -128 : 0;
    // As signed numbers they have no zero point then.
    const bool are_centred = are_small || have_opposites || random.below(2);
    if (are_centred) t.b.zero = lowest + 128;
    if (are_small) {
        make_small(random, t.a);
        make_small(random, t.b);
    }
    // Unusual numbers go another way.
    const bool is_unusual = !are_alike && random.below(6) == 0;
    const std::vector<float> unusual = {0, -0.5f, 0x1p-149f, 0x1p-60f, 0x1p60f, std::numeric_limits<float>::infinity(),
                                        std::numeric_limits<float>::quiet_NaN()};
    t.a_scale = log_uniform(random, -10, 0);
    for (std::size_t j = 0; j < (t.by_column ? t.columns : 1); ++j) {
        const float about = j == 0 || random.below(2) ? 1.0f : 1 + std::ldexp(1.0f, random.between(-16, -12));
        t.b_scales.push_back(are_small && j > 0 ? t.b_scales[0] * about : log_uniform(random, -10, 0));
        t.b_zeros.push_back(t.by_column && !are_centred ? random.between(lowest, lowest + 255) : t.b.zero);
    }
    if (are_steep) make_steep(t);
    if (have_opposites) make_opposites(t);
    t.is_signed = random.below(2);
    t.zero = random.between(t.is_signed ? -128 : 0, t.is_signed ? 127 : 255);
    for (std::size_t i = 0; i < t.rows; ++i) {
        for (std::size_t j = 0; j < t.columns; ++j) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < t.depth; ++k) sum += t.left(i, k) * t.right(k, j);
            t.sums.push_back(sum);
        }
    }
    const auto exact = [&] {
        return static_cast<double>(t.sums[0]) * static_cast<double>(t.a_scale) * static_cast<double>(t.b_scale(0));
    };
    float best = t.a_scale;
    double most_off = 0;
    for (int n = 0; are_alike && n < kScales; ++n) {
        t.a_scale = log_uniform(random, -1, 0);
        const double off = std::fabs(static_cast<double>(t.total(0, 0)) / exact() - 1);
        if (!(off > most_off)) continue;
        most_off = off;
        best = t.a_scale;
    }
    t.a_scale = best;
    // The first result and the exact one are on either side of halfway between two integers.
    const double first = exact(), off = static_cast<double>(t.total(0, 0)) / first - 1;
    const int whole = random.between(are_alike ? 150 : 0, 250);
    const double steps = (whole + 0.5) * (1 - off * random.between(0, 100) / 100);
    t.scale = first != 0 ? static_cast<float>(std::fabs(first / steps)) : log_uniform(random, -8, 4);
    if (are_small) {
        const double half = 0.5 + std::ldexp(random.between(-1, 1), random.between(-16, -12));
        t.scale = static_cast<float>(static_cast<double>(t.a_scale) * static_cast<double>(t.b_scale(0)) / half);
    }
    if (are_alike) t.zero = (first < 0 ? 255 : 0) - (t.is_signed ? 128 : 0);
    if (!are_alike && random.below(2)) {
        for (std::size_t j = 0; j < t.columns; ++j) {
            t.bias.push_back(static_cast<float>(random.between(-60, 60)) * t.scale * log_uniform(random, -1, 0));
        }
    }
    t.least = -std::numeric_limits<float>::infinity();
    t.most = -t.least;
    if (!are_alike && random.below(3) == 0) t.least = static_cast<float>(random.between(-200, 40)) * 0.5f * t.scale;
    if (!are_alike && random.below(3) == 0) t.most = static_cast<float>(random.between(-100, 800)) * 0.5f * t.scale;
    if (is_unusual && random.below(2)) {
        // Subnormal numbers, which are off by more.
        t.a_scale = std::ldexp(t.a_scale, -132);
        t.scale = std::ldexp(t.scale, -132);
    } else if (are_alike && t.has_windows && random.below(8) == 0) {
        t.a_scale = std::numeric_limits<float>::infinity();  // times a padding of 0
    } else if (is_unusual) {
        float* const places[] = {&t.a_scale, &t.b_scales[random.below(t.b_scales.size())], &t.scale};
        *places[random.below(3)] = random.one_of(unusual);
    }
    return t;
}

void check_task(Random& random, const Policy& policy) {
    const Task t = random_task(random);
    const auto columns = static_cast<std::ptrdiff_t>(t.columns), rows = static_cast<std::ptrdiff_t>(t.rows);
    Settling task{};
    integers::set_rows(t.rows, task);
    task.columns = t.columns;
    task.channels = t.has_windows ? t.windows.channels : t.depth;
    std::vector<unsigned char> panels;
    if (t.has_windows) {
        const std::size_t sizes[] = {1, t.windows.rows.taps, t.windows.pixels.taps};
        const integers::PixelPanels form(1, t.columns, t.windows.channels, sizes);
        panels.resize(form.bytes());
        const auto taps = static_cast<std::ptrdiff_t>(t.windows.taps()), width = static_cast<std::ptrdiff_t>(sizes[2]);
        // Their elements lie as those of a matrix: those of a column `columns` apart.
        const Image filter{t.b.bytes.data(), t.b.type, 1, taps * columns, {0, width * columns, columns}};
        integers::pack_pixel_filters(filter, form, panels.data());
        task.images = t.windows.images;
        task.rows = t.windows.rows;
        task.pixels = t.windows.pixels;
    } else {
        panels.resize(integers::column_panels_bytes(t.depth, t.columns));
        integers::pack_columns({t.b.bytes.data(), t.b.type, columns, 1, {}}, t.depth, t.columns, policy.target->name,
                               panels.data());
    }
    // Rows, pixels and results lie as they come, or turned, or with gaps.
    std::vector<unsigned char> a = t.a.bytes;
    const std::size_t places = a.size() / task.channels;
    const bool is_apart = random.below(4) == 0;
    for (std::size_t i = 0; i < places && is_apart; ++i) {
        for (std::size_t c = 0; c < task.channels; ++c) a[c * places + i] = t.a.bytes[i * task.channels + c];
    }
    const std::ptrdiff_t pixel = is_apart ? 1 : static_cast<std::ptrdiff_t>(task.channels);
    const std::ptrdiff_t line = pixel * static_cast<std::ptrdiff_t>(t.has_windows ? t.windows.pixels.input : 1);
    task.a = {a.data(), t.a.type, line * static_cast<std::ptrdiff_t>(task.rows.input),
              is_apart ? static_cast<std::ptrdiff_t>(places) : 1, {0, line, pixel}};
    task.a_zero = t.a.zero;
    task.a_scale = t.a_scale;
    task.panels = reinterpret_cast<const std::int32_t*>(panels.data()) +
                  integers::panels_of(t.columns) * integers::kPanel;
    task.b_type = t.b.type;
    task.b_zero = {t.b_zeros.data(), t.by_column ? 1 : 0};
    task.b_scales = t.b_scales.data();
    task.b_scale_step = t.by_column ? 1 : 0;
    const std::vector<float> norms =
        integers::norms_of_columns(task.panels, task.depth(), t.columns, t.b.type, task.b_zero);
    if (random.below(2)) task.column_norms = norms.data();
    task.bias = t.bias.empty() ? nullptr : t.bias.data();
    task.least = t.least;
    task.most = t.most;
    task.scale = t.scale;
    task.zero = t.zero;
    task.is_signed = t.is_signed;
    const std::ptrdiff_t gap = random.below(2) ? 3 : 1, row = columns * gap + random.between(0, 2);
    // What is between rows of pixels is as long as some of these.
    const auto pixels = static_cast<std::ptrdiff_t>(task.pixels.output);
    const std::ptrdiff_t line_places = pixels + random.between(0, 1), all_places = rows / pixels * line_places;
    const auto size = static_cast<std::size_t>(row * all_places);
    std::vector<std::int32_t> sums(size);
    std::vector<unsigned char> out(size, kUntouched), expected = out;
    const bool is_turned = random.below(4) == 0;
    const std::ptrdiff_t to_row = is_turned ? gap : row, to_column = is_turned ? all_places * gap : gap;
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
        const std::ptrdiff_t place = i / pixels * line_places + i % pixels;
        for (std::ptrdiff_t j = 0; j < columns; ++j) {
            const auto n = static_cast<std::size_t>(i * columns + j);
            const auto at = static_cast<std::size_t>(place * row + j * gap);
            sums[at] = t.sums[n];
            const auto si = static_cast<std::size_t>(i), sj = static_cast<std::size_t>(j);
            const auto to = static_cast<std::size_t>(place * to_row + j * to_column);
            expected[to] = t.quantized(t.total(si, sj));
            const double exact = static_cast<double>(t.sums[n]) * static_cast<double>(t.a_scale) *
                                     static_cast<double>(t.b_scale(sj)) +
                                 (t.bias.empty() ? 0.0 : static_cast<double>(t.bias[sj]));
            g_told += t.quantized(static_cast<float>(exact)) != expected[to];
        }
    }
    task.sums = reinterpret_cast<const unsigned char*>(sums.data());
    const auto results = [&](std::ptrdiff_t pixel_step, std::ptrdiff_t column_step) {
        const std::ptrdiff_t row_step = pixel_step * line_places;
        return integers::Results{row_step * static_cast<std::ptrdiff_t>(task.rows.output), row_step, pixel_step,
                                 column_step};
    };
    task.sums_at = results(row * 4, gap * 4);
    task.out = out.data();
    task.out_at = results(to_row, to_column);
    if (!integers::can_settle(task)) return;
    integers::settle(task, policy);
    for (std::size_t n = 0; n < size; ++n) {
        if (out[n] == expected[n]) continue;
        fail("%s: byte %zu of %zu x %zu, depth %zu, %zu taps, scale %a: %d instead of %d", policy.target->name, n,
             t.rows, t.columns, t.depth, task.depth().taps, static_cast<double>(t.scale), out[n], expected[n]);
    }
    g_comparisons += size;
}

}  // namespace
}  // namespace indirectml

int main(int count, char** arguments) {
    using namespace indirectml;
    g_program = "check_settling";
    const std::uint64_t tasks = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : kTasks;
    const SharedCrew crew(1e-9);  // threads cost nothing, so that small tasks have some
    const TargetList targets = available_targets();
    for (std::size_t number = 0; number < targets.count; ++number) {
        Random random(1);
        for (std::uint64_t n = 0; n < tasks; ++n) {
            check_task(random, {targets.begin[number], 1 + static_cast<unsigned>(random.below(3)), 1});
        }
    }
    if (g_told == 0) fail("no result is other than that of the exact product");
    std::printf("%s: %" PRIu64 " comparisons, no difference; %" PRIu64 " are other than those of exact products\n",
                g_program, g_comparisons, g_told);
}
