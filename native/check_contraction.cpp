// Checks of products and convolutions without Python: for sanitizers, and for processors that are
// emulated.
//
// Every target's results are compared with plain loops over the C library's fma, for random sizes,
// strides, types, threads and geometries, with guards around them. Prints one line per target and
// a summary; stops at the first difference with exit code 1.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "check_geometries.h"
#include "check_support.h"
#include "check_tensors.h"
#include "contraction/channels_last.h"
#include "contraction/contract.h"
#include "contraction/convolve.h"
#include "float_modes.h"
#include "integers/pixels.h"
#include "targets/target.h"

namespace indirectml {

namespace {

std::uint32_t canonical_bits(float x) {
    return x == x ? static_cast<std::uint32_t>(to_bits(x)) : 0x7FC00000;
}

// A chain of 256 after the other, from products in the order of k. A product may be skipped.
constexpr std::size_t kDefinedChain = 256;
class Total {
  public:
    void add(float a, float b, bool is_there = true) {
        if (count_ > 0 && count_ % kDefinedChain == 0) end_chain();
        if (is_there) chain_ = std::fma(a, b, chain_);
        ++count_;
    }
    float value() {
        end_chain();
        return total_;
    }

  private:
    void end_chain() {
        total_ = has_total_ ? total_ + chain_ : chain_;
        has_total_ = true;
        chain_ = 0;
    }
    float total_ = 0, chain_ = 0;
    bool has_total_ = false;
    std::size_t count_ = 0;
};

void check_word(const std::string& what, const unsigned char* actual, std::uint32_t expected) {
    std::uint32_t bits;
    std::memcpy(&bits, actual, 4);
    ++g_comparisons;
    if (bits != expected) {
        fail("%s: an element is 0x%08" PRIX32 ", expected 0x%08" PRIX32, what.c_str(), bits,
             expected);
    }
}

ContractionPolicy random_policy(Random& random, const char* target) {
    ContractionPolicy policy{contraction_kernels(target), 1};
    policy.max_threads = 1 + static_cast<unsigned>(random.below(4));
    policy.operations_per_thread = random.below(2) ? 1 : 1e9;
    policy.integer_kernels = static_cast<unsigned>(random.below(3));
    return policy;
}

Operand operand_of(const Tensor& tensor) {
    return {tensor.data, tensor.type, tensor.strides[1], tensor.strides[2], {tensor.strides[0]}};
}

Contraction random_product(Random& random, const Tensor& a, const Tensor& b, const Tensor& c) {
    Contraction task{};
    task.rows = c.sizes[1];
    task.columns = c.sizes[2];
    task.depth = a.sizes[2];
    task.batch_axes = 1;
    task.batch_sizes[0] = c.sizes[0];
    task.a = operand_of(a);
    task.b = operand_of(b);
    if (random.below(4) == 0) task.a.batch[0] = 0;
    if (random.below(4) == 0) task.b.batch[0] = 0;
    task.c = c.data;
    task.c_row = c.strides[1];
    task.c_column = c.strides[2];
    task.c_batch[0] = c.strides[0];
    return task;
}

std::string text_of(const char* target, const Contraction& task) {
    char text[200];
    std::snprintf(text, sizeof(text), "%s, %zu x %zu x %zu, batch %zu", target, task.rows,
                  task.columns, task.depth, task.batch_sizes[0]);
    return text;
}

void check_product(Random& random, const char* target, std::size_t batch, std::size_t rows,
                   std::size_t columns, std::size_t depth) {
    const auto type = [&] {
        return random.below(3) ? OperandType::kFloat32 : OperandType::kFloat16;
    };
    const Tensor a(random, type(), {batch, rows, depth});
    Tensor b(random, type(), {batch, columns, depth});
    std::swap(b.sizes[1], b.sizes[2]);
    std::swap(b.strides[1], b.strides[2]);
    if (random.below(2)) b = Tensor(random, type(), {batch, depth, columns});
    const Tensor c(random, OperandType::kFloat32, {batch, rows, columns}, true);
    Contraction task = random_product(random, a, b, c);
    const ContractionPolicy policy = random_policy(random, target);
    const std::string what = text_of(target, task);
    std::vector<float> panels(panels_size(depth, columns));
    std::vector<std::uint16_t> halves(panels_size(depth, columns));
    if (random.below(3) == 0) {
        task.b.batch[0] = 0;
        const bool are_halves = b.type == OperandType::kFloat16 && random.below(2);
        if (are_halves) {
            pack_halves(task.b, depth, columns, halves.data());
        } else {
            pack(task.b, depth, columns, *policy.kernels, panels.data());
        }
        Contraction by_panels = task;
        by_panels.b = {reinterpret_cast<const unsigned char*>(panels.data()),
                       OperandType::kFloat32, 0, 0, {}};
        if (are_halves) {
            by_panels.b.data = reinterpret_cast<const unsigned char*>(halves.data());
            by_panels.b.type = OperandType::kFloat16;
        }
        by_panels.b_is_in_panels = true;
        contract(by_panels, policy);
    } else {
        contract(task, policy);
    }
    c.check_guards(what, c.count());
    for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                Total total;
                for (std::size_t k = 0; k < depth; ++k) {
                    total.add(a.number({task.a.batch[0] ? n : 0, i, k}),
                              b.number({task.b.batch[0] ? n : 0, k, j}));
                }
                check_word(what, c.at({n, i, j}), canonical_bits(total.value()));
            }
}

void check_any_product(Random& random, const char* target) {
    const std::size_t batch = 1 + random.below(3);
    // Sometimes more rows than a block has, by tiles of nine, and columns for two of these.
    const bool are_many = random.below(12) == 0;
    const std::size_t rows = are_many ? 163 + random.below(5) : random_size(random, 50);
    const std::size_t columns = are_many ? 65 + random.below(6) : random_size(random, 70);
    const std::size_t depths[] = {random_size(random, 60), kChain - 1, kChain, kChain + 1,
                                  2 * kChain, 3 * kChain + 7};
    check_product(random, target, batch, rows, columns, depths[random.below(8) ? 0 : random.below(6)]);
}

// A row, for which there are kernels, and chains enough for those that take four at a time.
void check_row(Random& random, const char* target) {
    const std::size_t depths[] = {1 + random.below(300), 4 * kChain, 4 * kChain + random.below(300),
                                  8 * kChain, 8 * kChain, 9 * kChain};
    check_product(random, target, 1, 1, random_size(random, 150), depths[random.below(6)]);
}

// Zero points as they are stored, one or one for each line; and what they are.
struct RandomZeros {
    std::vector<std::int32_t> numbers;
    std::vector<unsigned char> bytes;
    ZeroPoints points;

    RandomZeros(Random& random, std::size_t lines) {
        const ZeroType types[] = {ZeroType::kInt32, ZeroType::kInt8, ZeroType::kUInt8};
        const ZeroType type = types[random.below(3)];
        const std::size_t stride = random.below(3);
        for (std::size_t line = 0; line < 2 * lines; ++line) {
            numbers.push_back(random.between(type == ZeroType::kUInt8 ? 0 : -128,
                                             type == ZeroType::kInt8 ? 127 : 255));
            bytes.push_back(static_cast<unsigned char>(numbers.back()));
        }
        points = {numbers.data(), static_cast<std::ptrdiff_t>(stride), type};
        if (type != ZeroType::kInt32) points.data = bytes.data();
    }
    std::int32_t of(std::size_t line) const {
        return numbers[line * static_cast<std::size_t>(points.stride)];
    }
};

// Integers as a network's weights are: most are small, so that two products of a pair fit 16 bits; some pairs are
// at the limit, some beyond it. What they are multiplied by is often as large as can be.
void fill_as_weights(Random& random, const Tensor& x, const Tensor& weights) {
    const auto byte = [](const Tensor& of, int number) {
        return static_cast<std::uint64_t>(number + (of.type == OperandType::kUInt8 ? 128 : 0)) & 0xFF;
    };
    x.fill_bits([&] { return byte(x, random.below(2) ? random.between(-128, 127) : 127); });
    weights.fill_bits([&] {
        const int sign = random.below(2) ? 1 : -1;
        if (random.below(150) == 0) return byte(weights, random.below(2) ? random.between(-128, 127) : 65 * sign);
        return byte(weights, random.below(6) == 0 ? 64 * sign : random.between(-60, 60));
    });
}

void check_integer_product(Random& random, const char* target) {
    const std::size_t rows = random_size(random, 50), columns = random_size(random, 70);
    const std::size_t depth = random_size(random, 700);
    const auto type = [&] { return random.below(2) ? OperandType::kInt8 : OperandType::kUInt8; };
    const Tensor a(random, type(), {1, rows, depth}), b(random, type(), {1, depth, columns});
    const Tensor c(random, OperandType::kFloat32, {1, rows, columns}, true);
    Contraction task = random_product(random, a, b, c);
    const RandomZeros a_zero(random, rows), b_zero(random, columns);
    task.a_zero = a_zero.points;
    task.b_zero = b_zero.points;
    if (random.below(2)) fill_as_weights(random, a, b);
    std::vector<std::int32_t> panels;
    if (random.below(2)) {
        panels.resize(integers::column_panels_bytes(depth, columns) / sizeof(std::int32_t));
        auto* const to = reinterpret_cast<unsigned char*>(panels.data());
        integers::pack_columns(task.b, depth, columns, target, to);
        task.b = {to, b.type, 0, 0, {}};
        task.b_is_in_panels = true;
    }
    contract_integers(task, random_policy(random, target));
    const std::string what = text_of(target, task) + " of integers";
    c.check_guards(what, c.count());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            std::int64_t total = 0;
            for (std::size_t k = 0; k < depth; ++k) {
                total += (a.integer({0, i, k}) - a_zero.of(i)) *
                         (b.integer({0, k, j}) - b_zero.of(j));
            }
            check_word(what, c.at({0, i, j}), static_cast<std::uint32_t>(total));
        }
}

Image image_of(const Tensor& tensor) {
    return {tensor.data, tensor.type, tensor.strides[0], tensor.strides[1],
            {tensor.strides[2], tensor.strides[3], tensor.strides[4]}};
}

// The filters of each group in panels.
std::vector<float> filter_panels(const Convolution& task, const Tensor& w,
                                  const ContractionKernels& kernels) {
    const std::size_t *taps = task.filter_sizes, depth = task.channels * taps[0] * taps[1] * taps[2];
    const std::size_t size = panels_size(depth, task.filters);
    std::vector<float> plain, panels(task.groups * size);
    for (std::size_t m = 0; m < task.groups * task.filters; ++m)
        for (std::size_t c = 0; c < task.channels; ++c)
            for (std::size_t r0 = 0; r0 < taps[0]; ++r0)
                for (std::size_t r1 = 0; r1 < taps[1]; ++r1)
                    for (std::size_t r2 = 0; r2 < taps[2]; ++r2) {
                        plain.push_back(w.number({m, c, r0, r1, r2}));
                    }
    if (task.has_channel_panels) {
        // A column for each channel.
        panels.resize(panels_size(depth, task.groups));
        pack({reinterpret_cast<const unsigned char*>(plain.data()), OperandType::kFloat32, 4,
              static_cast<std::ptrdiff_t>(4 * depth), {}},
             depth, task.groups, kernels, panels.data());
        return panels;
    }
    for (std::size_t group = 0; group < task.groups; ++group) {
        const float* from = plain.data() + group * task.filters * depth;
        pack({reinterpret_cast<const unsigned char*>(from), OperandType::kFloat32, 4,
              static_cast<std::ptrdiff_t>(4 * depth), {}},
             depth, task.filters, kernels, panels.data() + group * size);
    }
    return panels;
}

// Which input position output position `at` reads by tap `tap`: false where there is none.
bool input_position(const Convolution& task, int d, std::size_t at, std::size_t tap,
                    std::ptrdiff_t& position) {
    const std::size_t turned = task.is_flipped ? task.filter_sizes[d] - 1 - tap : tap;
    const auto reach = static_cast<std::ptrdiff_t>(turned * task.dilations[d]);
    const auto stride = static_cast<std::ptrdiff_t>(task.strides[d]);
    const auto padding = static_cast<std::ptrdiff_t>(task.start_padding[d]);
    const auto out = static_cast<std::ptrdiff_t>(at);
    if (!task.is_backward) {
        position = out * stride + reach - padding;
        return true;
    }
    const std::ptrdiff_t moved = out + padding - reach;
    position = moved >= 0 ? moved / stride : -1;
    return moved % stride == 0;
}

// work(channel, tap, is_there, is_inside, position) for each k of an output position.
template <typename Work>
void for_each_tap(const Convolution& task, const std::size_t (&at)[kSpatial], const Work& work) {
    for (std::size_t c = 0; c < task.channels; ++c)
        for (std::size_t r0 = 0; r0 < task.filter_sizes[0]; ++r0)
            for (std::size_t r1 = 0; r1 < task.filter_sizes[1]; ++r1)
                for (std::size_t r2 = 0; r2 < task.filter_sizes[2]; ++r2) {
                    const std::size_t tap[kSpatial] = {r0, r1, r2};
                    std::size_t position[kSpatial];
                    bool is_there = true, is_inside = true;
                    for (int d = 0; d < kSpatial; ++d) {
                        std::ptrdiff_t p;
                        is_there = input_position(task, d, at[d], tap[d], p) && is_there;
                        position[d] = static_cast<std::size_t>(p);
                        is_inside = is_inside && position[d] < task.input_sizes[d];
                    }
                    work(c, tap, is_there, is_inside, position);
                }
}

Limits random_limits(Random& random) {
    const bool rounds = random.below(4) == 0;
    switch (random.below(4)) {
        case 0: return {Limit::kPositive, 0, 0, rounds};
        case 1: {
            const float most[] = {6.0f, 0x1p-115f, -0x1p-105f};  // the last is less than the least
            return {Limit::kRange, random.below(2) ? -0.0f : -0x1p-110f, most[random.below(3)], rounds};
        }
        default: return {Limit::kNone, 0, 0, rounds};
    }
}
float limited(const Limits& limits, float value) {
    if (limits.rounds) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        bits = static_cast<std::uint32_t>(convert({16, 11}, {32, 24}, convert({32, 24}, {16, 11}, bits)));
        std::memcpy(&value, &bits, sizeof(bits));
    }
    if (limits.limit == Limit::kPositive) return value <= 0 ? 0.0f : value;
    if (limits.limit == Limit::kNone) return value;
    if (value < limits.least) value = limits.least;
    return value > limits.most ? limits.most : value;
}

void check_convolution(Random& random, const char* target, bool of_integers,
                       const Convolution* given = nullptr, bool by_pixels = false) {
    Convolution task = random.below(3) ? random_geometry(random) : random_planes(random);
    // Products that are less than all numbers make sums of -0, which taps of padding make +0.
    const bool has_channels = given && !of_integers && given->channels > 1;
    const bool is_deep = has_channels && given->channels >= 70;  // by FLOAT16 in panels
    const bool is_tiny = !of_integers && !given && random.below(4) == 0;
    if (is_tiny || random.below(3) == 0) task = random_few_pixels(random);
    if (given) task = *given;
    if (of_integers) task.is_backward = task.is_flipped = false;
    if (by_pixels) {
        task.input_sizes[0] = task.filter_sizes[0] = task.output_sizes[0] = task.strides[0] = 1;
        task.start_padding[0] = 0;
    }
    const auto type = [&] {
        if (of_integers) return random.below(2) ? OperandType::kInt8 : OperandType::kUInt8;
        if (is_deep) return OperandType::kFloat16;
        return is_tiny || random.below(3) ? OperandType::kFloat32 : OperandType::kFloat16;
    };
    const std::size_t *in = task.input_sizes, *taps = task.filter_sizes, *out = task.output_sizes;
    const std::size_t channels = task.groups * task.channels, filters = task.groups * task.filters;
    // Pixels whose channels are neighbours, in the input or the output.
    const bool by_channels = !of_integers && !task.is_backward && task.groups > 1 &&
                             task.channels == 1 && task.filters == 1 && (given || random.below(4) > 0);
    const auto axis = [&] {
        return by_channels || is_tiny || has_channels || random.below(2) ? std::size_t{1} : ~std::size_t{0};
    };
    const Tensor x(random, type(), {task.images, channels, in[0], in[1], in[2]}, false, axis());
    const Tensor w(random, type(),
                   {task.is_backward ? channels : filters,
                    task.is_backward ? task.filters : task.channels, taps[0], taps[1], taps[2]});
    if (is_tiny) {
        x.fill(random, 0x1p-100f);
        w.fill(random, 0x1p-100f);
    }
    const bool is_dilated = has_channels && given->dilations[1] > 3;
    if (is_deep || (is_dilated && random.below(4) > 0)) {
        x.fill_small(random);
        w.fill_small(random);
    }
    if (by_pixels && random.below(2)) fill_as_weights(random, x, w);
    const Tensor y(random, OperandType::kFloat32, {task.images, filters, out[0], out[1], out[2]},
                   true, by_pixels ? std::size_t{1} : axis());
    task.input = image_of(x);
    task.filter = image_of(w);
    task.output = y.data;
    task.output_image = y.strides[0];
    task.output_channel = y.strides[1];
    for (std::size_t d = 0; d < kSpatial; ++d) task.output_position[d] = y.strides[2 + d];
    std::vector<float> bias(filters);
    for (float& b : bias) b = random_float(random);
    if (!of_integers && !is_tiny && random.below(2)) task.bias = bias.data();
    if (!of_integers) task.limits = random_limits(random);
    const RandomZeros zeros(random, filters);
    task.input_zero = random.between(-128, 255);
    task.filter_zero = zeros.points;
    const std::int32_t lowest = x.type == OperandType::kInt8 ? -128 : 0;
    if (given || by_pixels) task.input_zero = lowest + random.between(0, 255);
    const bool can_be_padding = task.input_zero >= lowest && task.input_zero <= lowest + 255;
    std::vector<std::int32_t> units;
    if (by_pixels) {
        const integers::PixelPanels form(task.groups, task.filters, task.channels, taps);
        units.resize(form.bytes() / 4);
        auto* const to = reinterpret_cast<unsigned char*>(units.data());
        integers::pack_pixel_filters(task.filter, form, to);
        task.filter = {to, w.type, 0, 0, {}};
        task.has_pixel_panels = task.filter_is_in_panels = true;
        if (!integers::is_of_pixels(task)) fail("%s: are no pixels", target);
    } else if (of_integers && can_be_padding && random.below(2)) {
        units.resize(integers::filter_panels_bytes(filters, task.channels, taps) / 4);
        auto* const to = reinterpret_cast<unsigned char*>(units.data());
        integers::pack_filters(task.filter, filters, task.channels, taps, target, to);
        task.filter = {to, w.type, 0, 0, {}};
        task.filter_is_in_panels = true;
    }

    const ContractionPolicy policy = random_policy(random, target);
    std::vector<float> panels;
    std::vector<std::uint16_t> half_panels;
    if (by_channels ||
        (!of_integers && !task.is_backward && (is_tiny || has_channels || random.below(2)))) {
        task.has_channel_panels = by_channels;
        panels = filter_panels(task, w, *policy.kernels);
        task.filter = {reinterpret_cast<unsigned char*>(panels.data()), OperandType::kFloat32, 0, 0,
                       {}};
        task.filter_panels = panels.data();
        if (w.type == OperandType::kFloat16 && (is_deep || random.below(2))) {
            for (const float x : panels) {
                std::uint32_t bits;
                std::memcpy(&bits, &x, sizeof(bits));
                half_panels.push_back(
                    static_cast<std::uint16_t>(convert({32, 24}, {16, 11}, bits)));
            }
            task.filter = {reinterpret_cast<unsigned char*>(half_panels.data()),
                           OperandType::kFloat16, 0, 0, {}};
            task.filter_panels = nullptr;
            task.half_panels = half_panels.data();
        }
    }
    std::shared_ptr<const TrimmedFilters> trimmed;
    if (!of_integers && random.below(2)) {
        trimmed = trimmed_filters(task, *policy.kernels);
        task.trimmed = trimmed.get();
        bool reads_all = true;
        for (int d = 1; d < kSpatial; ++d) {
            reads_all = reads_all && task.dilations[d] == 1 && task.start_padding[d] < out[d] &&
                        taps[d] <= in[d];
        }
        if (trimmed && reads_all) fail("%s: filters are kept without taps that are read", target);
    }
    // What is there of an output channel, or a row of pixels, when it is said to be complete.
    const std::size_t positions = out[0] * out[1] * out[2];
    const bool in_strips = !of_integers && rows_of_outputs(task) > 0, by_rows = by_pixels || in_strips;
    std::vector<std::uint32_t> complete((of_integers || in_strips) && random.below(2) ? y.count() : 0);
    const std::size_t parts = by_rows ? out[1] : filters;
    std::vector<std::uint32_t> times(complete.empty() ? 0 : task.images * parts, 0);
    const auto keep = [&](std::size_t channel, std::size_t k) {
        std::memcpy(&complete[channel * positions + k],
                    y.at({channel / filters, channel % filters, k / (out[1] * out[2]),
                          k / out[2] % out[1], k % out[2]}), sizeof(std::uint32_t));
    };
    const auto after = [&](Share done) {
        for (std::size_t row = done.begin; row < done.end; ++row) {
            ++times[row];
            for (std::size_t k = 0; k < positions && !by_rows; ++k) keep(row, k);
            for (std::size_t n = 0; n < filters * out[2] && by_rows; ++n) {
                keep(row / out[1] * filters + n / out[2], row % out[1] * out[2] + n % out[2]);
            }
        }
    };
    const auto convolve_bytes = by_pixels ? integers::convolve_pixels : convolve_integers;
    if (!complete.empty() && in_strips) {
        convolve_channels_last(task, policy, after);
    } else if (!complete.empty()) {
        convolve_bytes(task, policy, after);
    } else {
        of_integers ? convolve_bytes(task, policy, {}) : convolve(task, policy);
    }
    char what[300];
    std::snprintf(what, sizeof(what),
                  "%s, %s convolution, %zu groups of %zu to %zu channels, filter %zu x %zu x %zu",
                  target, of_integers ? "integer" : task.is_backward ? "backward" : "forward",
                  task.groups, task.channels, task.filters, taps[0], taps[1], taps[2]);
    y.check_guards(what, y.count());
    const auto bytes_of = [](const std::uint32_t& word) {
        return reinterpret_cast<const unsigned char*>(&word);
    };
    for (const std::uint32_t& count : times) check_word(what, bytes_of(count), 1);
    auto seen = complete.begin();
    for (std::size_t n = 0; n < task.images; ++n)
        for (std::size_t m = 0; m < filters; ++m)
            for (std::size_t i = 0; i < out[0]; ++i)
                for (std::size_t j = 0; j < out[1]; ++j)
                    for (std::size_t l = 0; l < out[2]; ++l) {
                        const std::size_t group = m / task.filters, at[kSpatial] = {i, j, l};
                        Total total;
                        std::int64_t sum = 0;
                        for_each_tap(task, at, [&](std::size_t c, const std::size_t* tap,
                                                   bool is_there, bool is_inside,
                                                   const std::size_t* p) {
                            const std::size_t channel = group * task.channels + c;
                            const std::size_t first = task.is_backward ? channel : m;
                            const std::size_t second = task.is_backward ? m % task.filters : c;
                            if (of_integers) {
                                const std::int64_t weight =
                                    w.integer({first, second, tap[0], tap[1], tap[2]}) -
                                    zeros.of(m);
                                if (is_inside) {
                                    sum += weight * (x.integer({n, channel, p[0], p[1], p[2]}) -
                                                     task.input_zero);
                                }
                                return;
                            }
                            total.add(is_there && is_inside
                                          ? x.number({n, channel, p[0], p[1], p[2]})
                                          : 0.0f,
                                      w.number({first, second, tap[0], tap[1], tap[2]}), is_there);
                        });
                        float value = total.value();
                        if (task.bias) value = value + bias[m];
                        value = limited(task.limits, value);
                        check_word(what, complete.empty() ? y.at({n, m, i, j, l}) : bytes_of(*seen++),
                                   of_integers ? static_cast<std::uint32_t>(sum)
                                               : canonical_bits(value));
                    }
}

void check_target(const char* target, int rounds) {
    Random random(7), of_integers(8);
    for (int round = 0; round < rounds; ++round) {
        check_any_product(random, target);
        check_row(random, target);
        check_integer_product(of_integers, target);
        check_convolution(random, target, false);
        check_convolution(of_integers, target, true);
        check_convolution(of_integers, target, true, nullptr, true);
        Convolution pixels = random_channels(of_integers);
        pixels.filter_sizes[1] += of_integers.below(3);  // more rows than a unit has
        check_convolution(of_integers, target, true, &pixels, true);
        const Convolution channels = random_channels(random);
        check_convolution(random, target, false, &channels);
        const Convolution apart = dilated(random);
        check_convolution(random, target, false, &apart);
        const Convolution panels = panels_in_a_plane(random);
        check_convolution(random, target, false, &panels);
        const Convolution pixel = one_pixel(random);
        check_convolution(random, target, false, &pixel);
        const Convolution column = one_column(random);
        check_convolution(random, target, false, &column);
        if (round % 25 == 0) {
            const Convolution many = large(of_integers, round % 50 == 0);
            check_convolution(of_integers, target, true, &many);
            const Convolution chains = deep(random);
            check_convolution(random, target, false, &chains);
            const Convolution rows = wide(random);
            check_convolution(random, target, false, &rows);
        }
    }
    std::printf("products of %s: as defined\n", target);
}

}  // namespace

}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    g_program = "check_contraction";
    const int rounds = count == 2 ? std::atoi(words[1]) : 100;
    if (count > 2 || rounds <= 0) fail("the only argument is a number of rounds");
    const DefaultFloatModes modes;
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) check_target(targets.begin[k]->name, rounds);
    std::printf("check_contraction: %" PRIu64 " comparisons, no difference (seed %" PRIu64 ")\n",
                g_comparisons, kSeed);
    return 0;
}
