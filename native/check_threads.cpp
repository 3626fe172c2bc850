// Every kind of work that threads share, with one thread and with several, from two callers at the
// same time: for the thread sanitizer, which sees who reads what another writes. The results have
// to be those of one thread, bit for bit. Which target computes does not matter here.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "check_instructions.h"
#include "check_support.h"
#include "contraction/channels_last.h"
#include "contraction/contract.h"
#include "contraction/convolve.h"
#include "fill.h"
#include "functions/apply.h"
#include "programs/program.h"
#include "sums/sums.h"
#include "sums/windows.h"
#include "team.h"

namespace indirectml {

namespace {

using Bytes = std::vector<unsigned char>;

// What all callers read.
struct Inputs {
    std::vector<float> x;
    std::vector<std::uint16_t> halves;
    Bytes small;
};
constexpr std::size_t kFloats = 1 << 19, kHalves = 1 << 21;

Inputs random_inputs() {
    Random random(3);
    Inputs all{std::vector<float>(kFloats), std::vector<std::uint16_t>(kHalves), Bytes(1 << 16)};
    for (float& e : all.x) e = static_cast<float>(random.between(-4000, 4000)) / 512;
    for (std::uint16_t& e : all.halves) e = static_cast<std::uint16_t>(random.below(0x7C00));
    for (unsigned char& e : all.small) e = static_cast<unsigned char>(random.word());
    return all;
}

template <typename Element>
const unsigned char* bytes_of(const std::vector<Element>& x) {
    return reinterpret_cast<const unsigned char*>(x.data());
}
template <typename Element>
Element* elements_of(Bytes& x) {
    return reinterpret_cast<Element*>(x.data());
}

// One after the other, with some number of threads; `done` gets the name and the result of each.
class Work {
  public:
    Work(const Inputs& inputs, unsigned threads,
         std::function<void(const char*, const Bytes&)> done)
        : in_(inputs), threads_(threads), done_(std::move(done)) {}

    void run() {
        fill_all();
        multiply();
        convolve_all();
        compute();
        add_up();
        slide();
    }

  private:
    Policy policy() const { return {available_targets().begin[0], threads_, ~std::uint64_t{0}}; }
    ContractionPolicy products() const {
        return {contraction_kernels(available_targets().begin[0]->name), threads_, 1e3};
    }

    void fill_all() {
        Bytes out(1 << 18);
        const Axis axes[2] = {{1 << 8, 1 << 10}, {250, 4}};
        Policy by = policy();
        by.bytes_per_thread = 1 << 12;
        fill({out.data(), 2, 2, axes}, {{32, 24}, Rule::kAccumulate, 0x3F800000, 0x3DCCCCCD}, 0, by);
        done_("a fill", out);
    }

    void multiply() {
        constexpr std::ptrdiff_t kRows = 37, kColumns = 70, kDepth = 270;
        const auto task = [&](OperandType type, const unsigned char* data, std::ptrdiff_t item,
                              std::ptrdiff_t rows, Bytes& out) {
            Contraction t{};
            t.rows = static_cast<std::size_t>(rows);
            t.columns = kColumns;
            t.depth = kDepth;
            t.batch_axes = 1;
            t.batch_sizes[0] = 2;
            t.a = {data, type, kDepth * item, item, {rows * kDepth * item}};
            t.b = {data, type, kColumns * item, item, {0}};
            out.assign(static_cast<std::size_t>(2 * rows * kColumns * 4), 0);
            t.c = out.data();
            t.c_row = kColumns * 4;
            t.c_column = 4;
            t.c_batch[0] = rows * kColumns * 4;
            return t;
        };
        Bytes out;
        for (const std::ptrdiff_t rows : {std::ptrdiff_t{1}, kRows}) {
            Contraction t = task(OperandType::kFloat32, bytes_of(in_.x), 4, rows, out);
            contract(t, products());
            done_("a product", out);
            t.b.row = 4;
            t.b.column = kDepth * 4;
            contract(t, products());
            done_("a product with a transposed matrix", out);
            std::vector<float> panels(panels_size(kDepth, kColumns));
            pack(t.b, kDepth, kColumns, *products().kernels, panels.data());
            t.b = {bytes_of(panels), OperandType::kFloat32, 0, 0, {}};
            t.b_is_in_panels = true;
            contract(t, products());
            done_("a product with a matrix in panels", out);
            contract(task(OperandType::kFloat16, bytes_of(in_.halves), 2, rows, out), products());
            done_("a product of FLOAT16", out);
        }
        const std::int32_t zero = 3;
        Contraction t = task(OperandType::kUInt8, in_.small.data(), 1, kRows, out);
        t.a_zero = t.b_zero = {&zero, 0};
        contract_integers(t, products());
        done_("a product of integers", out);
    }

    void convolve_all() {
        struct Case {
            const char* name;
            bool is_backward;
            std::size_t groups, channels, filters, size, filter, stride;
        };
        for (const Case& c : {Case{"a convolution", false, 1, 20, 34, 15, 3, 1},
                              Case{"a convolution of many pixels", false, 1, 3, 4, 60, 5, 2},
                              Case{"a pointwise convolution", false, 1, 30, 20, 20, 1, 1},
                              Case{"a convolution in groups", false, 4, 5, 6, 15, 3, 1},
                              Case{"a convolution of planes", false, 8, 1, 1, 40, 3, 1},
                              Case{"a backward convolution", true, 1, 20, 18, 11, 3, 2}}) {
            Bytes out;
            convolve(task_of(c.is_backward, c.groups, c.channels, c.filters, c.size, c.filter,
                             c.stride, OperandType::kFloat32, bytes_of(in_.x), out),
                     products());
            done_(c.name, out);
        }
        convolve_pixels("a convolution of pixels, by rows", 20, 34, 30, 3);
        convolve_pixels("a convolution of pixels, by filters", 80, 200, 3, 3);
        Bytes out;
        const std::int32_t zero = 3;
        Convolution task = task_of(false, 1, 12, 20, 15, 3, 1, OperandType::kUInt8,
                                   in_.small.data(), out);
        task.input_zero = 3;
        task.filter_zero = {&zero, 0};
        convolve_integers(task, products());
        done_("a convolution of integers", out);
    }

    // Whose channels are neighbours in the output, with something that is done to each row.
    void convolve_pixels(const char* name, std::size_t channels, std::size_t filters, std::size_t size,
                         std::size_t filter) {
        Bytes out;
        Convolution task = task_of(false, 1, channels, filters, size, filter, 1, OperandType::kFloat32,
                                   bytes_of(in_.x), out);
        const std::size_t depth = channels * filter * filter;
        const auto pixel = static_cast<std::ptrdiff_t>(filters * sizeof(float));
        const auto row = static_cast<std::ptrdiff_t>(size) * pixel;
        std::vector<float> panels(panels_size(depth, filters));
        pack({bytes_of(in_.x), OperandType::kFloat32, 4, static_cast<std::ptrdiff_t>(depth) * 4, {}}, depth, filters,
             *products().kernels, panels.data());
        task.filter_panels = panels.data();
        task.output_channel = 4;
        task.output_position[1] = row;
        task.output_position[2] = pixel;
        const std::shared_ptr<KeptConvolvers> kept = kept_convolvers();
        task.kept = kept.get();
        // The second time by what the first one has left.
        for (int call = 0; call < 2; ++call) {
            const bool is_done = convolve_channels_last(task, products(), [&](Share rows) {
                auto* const results = elements_of<float>(out);
                const std::size_t numbers = size * filters;
                for (std::size_t n = rows.begin * numbers; n < rows.end * numbers; ++n) results[n] += 1;
            });
            if (!is_done) fail("%s is none", name);
            done_(name, out);
        }
    }

    static Convolution task_of(bool is_backward, std::size_t groups, std::size_t channels,
                               std::size_t filters, std::size_t size, std::size_t filter,
                               std::size_t stride, OperandType type, const unsigned char* data,
                               Bytes& out) {
        Convolution t{};
        t.is_backward = is_backward;
        t.images = 2;
        t.groups = groups;
        t.channels = channels;
        t.filters = filters;
        const std::size_t out_size = is_backward ? size * stride : (size + stride - 1) / stride;
        for (int d = 0; d < kSpatial; ++d) {
            t.input_sizes[d] = d ? size : 1;
            t.filter_sizes[d] = d ? filter : 1;
            t.output_sizes[d] = d ? out_size : 1;
            t.strides[d] = d ? stride : 1;
            t.dilations[d] = 1;
            t.start_padding[d] = d ? filter / 2 : 0;
        }
        const std::ptrdiff_t item = type == OperandType::kFloat32 ? 4 : 1;
        const auto image = [&](std::size_t images, std::size_t n) {
            const auto side = static_cast<std::ptrdiff_t>(n);
            const std::ptrdiff_t plane = side * side * item;
            return Image{data, type, plane * static_cast<std::ptrdiff_t>(images), plane,
                         {plane, side * item, item}};
        };
        t.input = image(groups * channels, size);
        t.filter = image(is_backward ? filters : channels, filter);
        out.assign(2 * groups * filters * out_size * out_size * 4, 0);
        t.output = out.data();
        const auto side = static_cast<std::ptrdiff_t>(out_size);
        t.output_channel = side * side * 4;
        t.output_image = t.output_channel * static_cast<std::ptrdiff_t>(groups * filters);
        t.output_position[0] = t.output_channel;
        t.output_position[1] = side * 4;
        t.output_position[2] = 4;
        return t;
    }

    void compute() {
        Bytes out(kFloats * 4);
        auto* const x = const_cast<unsigned char*>(bytes_of(in_.x));  // it is only read
        functions::apply(functions::Function::kExp, functions::Result::kSingle,
                         {2, {out.data(), x}, 2, {380, 380}, {{1520, 4}, {4, 1520}}}, policy());
        done_("a function", out);
        programs::Program program;
        program.inputs = {programs::Type::kFloat32, programs::Type::kFloat32};
        constexpr auto kSingle = programs::Type::kFloat32;
        for (int k = 0; k < 4; ++k) add_instruction(program, "add", kSingle, kSingle, {k, k + 1});
        program.outputs = {5, 3};
        if (const char* const mistake = program.finish()) fail("%s", mistake);
        Bytes second(out.size());
        const std::uint64_t sizes[2] = {1000, 500};
        const std::int64_t packed[2] = {2000, 4}, turned[2] = {4, 4000};
        const programs::Operand operands[] = {
            {x, packed}, {x, turned}, {out.data(), packed}, {second.data(), turned}};
        programs::run(program, {2, sizes, operands}, policy());
        done_("the first output of a program", out);
        done_("the second output of a program", second);
    }

    void add_up() {
        const Axis axes[] = {{16, 2 * kHalves / 16}, {128, 2 * kHalves / 16 / 128}, {1024, 2}};
        const sums::Array halves{bytes_of(in_.halves), sums::Type::kHalf, 3, axes};
        Bytes out(kHalves);
        for (const std::uint64_t reduced : {1, 2, 4}) {
            sums::reduce(halves, reduced, sums::Map::kSame, sums::Type::kDouble, out.data(), policy());
            done_("a sum", out);
        }
        const Axis lines[] = {{512, 4096}, {1024, 4}};
        const sums::Array array{bytes_of(in_.x), sums::Type::kSingle, 2, lines};
        for (const std::uint64_t reduced : {1, 2}) {
            auto* const to = elements_of<double>(out);
            sums::moments(array, reduced, true, to, to + 1024, policy());
            done_("moments", out);
        }
        const sums::Rows rows{bytes_of(in_.x), sums::Type::kSingle, 512, 1024};
        sums::normalize(rows, {true, true, 1e-5, {}, {}}, sums::Type::kSingle, out.data(), policy());
        done_("a normalization", out);
        const sums::Rows few{bytes_of(in_.x), sums::Type::kSingle, 131, 1024};
        sums::softmax(few, sums::Type::kSingle, out.data(), policy());
        done_("softmax", out);
        sums::log_softmax(few, elements_of<float>(out), policy());
        done_("a logarithm of softmax", out);
    }

    void slide() {
        const sums::Windows w{5, {1, 200, 300}, {1, 100, 150}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1},
                              {0, 1, 1}};
        Bytes out(5 * 100 * 150 * 4);
        sums::average_windows(bytes_of(in_.x), sums::Type::kSingle, w, sums::Divisor::kInside,
                              sums::Type::kSingle, out.data(), policy());
        done_("an average of windows", out);
        sums::largest_in_windows(bytes_of(in_.x), sums::Type::kSingle, w, sums::Type::kSingle, out.data(), policy());
        done_("the largest of windows", out);
        constexpr std::size_t kSize = 128, kSlices = 5;
        std::vector<std::int32_t> indices(2 * kSize);
        const std::vector<double> weights(2 * kSize, 0.5);
        for (std::size_t k = 0; k < indices.size(); ++k) {
            indices[k] = static_cast<std::int32_t>(k % kSize / 2);
        }
        const sums::Taps taps{1, indices.data(), weights.data()};
        const std::uint64_t larger = 2 * kSize;
        out.assign(kSlices * larger * larger * 4, 0);
        sums::resample(bytes_of(in_.x), sums::Type::kSingle,
                       {kSlices, kSize, kSize, larger, larger, taps, taps}, sums::Type::kSingle,
                       out.data(), policy());
        done_("resampling", out);
    }

    const Inputs& in_;
    const unsigned threads_;
    const std::function<void(const char*, const Bytes&)> done_;
};

}  // namespace

}  // namespace indirectml

int main() {
    using namespace indirectml;
    g_program = "check_threads";
    const Inputs inputs = random_inputs();
    std::vector<Bytes> expected;
    Work(inputs, 1, [&](const char*, const Bytes& out) { expected.push_back(out); }).run();
    std::atomic<std::size_t> compared{0};
    const auto caller = [&](unsigned threads) {
        const SharedCrew crew;  // as a graph has it
        std::size_t number = 0;
        Work(inputs, threads, [&](const char* name, const Bytes& out) {
            ++compared;
            // Those who took no part in it end, too.
            if (compared % 3 == 0) crew.end_with_next();
            if (out == expected[number++]) return;
            fail("%s by %u threads differs from that of one", name, threads);
        }).run();
    };
    std::thread other(caller, 2);
    caller(4);
    other.join();
    std::printf("check_threads: %zu comparisons, no difference\n", compared.load());
    return 0;
}
