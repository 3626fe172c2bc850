// That all that works may be stopped: how much is done between two looks, by counting looks; and that
// threads end together, whoever is where. No clock has a say.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check_instructions.h"
#include "check_support.h"
#include "contraction/contract.h"
#include "contraction/convolve.h"
#include "fill.h"
#include "functions/apply.h"
#include "programs/program.h"
#include "sums/scans.h"
#include "sums/sums.h"
#include "sums/windows.h"
#include "team.h"

namespace indirectml {

namespace {

struct Looks {
    std::uint64_t seen = 0, stop_at = ~std::uint64_t{0};
    static bool look(void* context) {
        auto& self = *static_cast<Looks*>(context);
        return ++self.seen >= self.stop_at;
    }
};

struct Work {
    const char* name;
    std::uint64_t amount;       // elements, or products
    std::uint64_t between_looks;  // at most, of the same
    std::function<void(const Policy&)> run;
};

constexpr std::uint64_t kElements = 1 << 22;
constexpr std::uint64_t kSmallPiece = 1 << 17, kProductPiece = std::uint64_t{1} << 28;

class Works {
  public:
    Works() : x_(kElements), out_(kElements), bytes_(1 << 20) {
        Random random(5);
        for (float& e : x_) e = static_cast<float>(random.between(-4000, 4000)) / 512;
        for (unsigned char& e : bytes_) e = static_cast<unsigned char>(random.word());
    }

    std::vector<Work> all() {
        std::vector<Work> works = fills();
        for (auto more : {products(), convolutions(), elements(), sums_of()}) {
            works.insert(works.end(), more.begin(), more.end());
        }
        return works;
    }

    const std::vector<float>& out() const { return out_; }

  private:
    unsigned char* x() { return reinterpret_cast<unsigned char*>(x_.data()); }
    unsigned char* out_bytes() { return reinterpret_cast<unsigned char*>(out_.data()); }
    static ContractionPolicy policy_of(const Policy& by) {
        return {contraction_kernels(by.target->name), by.max_threads, 1e3};
    }

    std::vector<Work> fills() {
        const auto by = [this](const char* name, const Sequence& sequence, bool is_turned) {
            return Work{name, kElements, std::uint64_t{1} << 19, [=](const Policy& policy) {
                            const std::int64_t rows = 1 << 11, columns = kElements / rows;
                            const Axis axes[2] = {{rows, is_turned ? 4 : columns * 4},
                                                  {columns, is_turned ? rows * 4 : 4}};
                            fill({out_bytes(), 2, 2, axes}, sequence, 0, policy);
                        }};
        };
        const Format single{32, 24};
        return {by("a constant", {{32, 0}, Rule::kAccumulate, 7, 0}, false),
                by("a turned sequence of integers", {{32, 0}, Rule::kAccumulate, 7, 3}, true),
                by("a sequence", {single, Rule::kAccumulate, 0x3F800000, 0x3DCCCCCD}, false),
                by("a turned sequence", {single, Rule::kAccumulate, 0x3F800000, 0x3DCCCCCD}, true),
                by("a staircase", {single, Rule::kMultiply, 0x41000000, 0x2C7FFFFF}, false)};
    }

    std::vector<Work> products() {
        const auto by = [this](const char* name, std::size_t batch, std::size_t rows, std::size_t columns,
                               std::size_t depth, OperandType type, std::uint64_t piece) {
            return Work{name, batch * rows * columns * depth, piece, [=](const Policy& policy) {
                            Contraction t{};
                            t.rows = rows;
                            t.columns = columns;
                            t.depth = depth;
                            t.batch_axes = 1;
                            t.batch_sizes[0] = batch;
                            const bool is_float = type == OperandType::kFloat32;
                            const unsigned char* data = is_float ? x() : bytes_.data();
                            const std::ptrdiff_t item = is_float ? 4 : 1;
                            // Elements are used again and again.
                            t.a = {data, type, 4 * item, item, {0}};
                            t.b = {data, type, 4 * item, item, {0}};
                            t.c = out_bytes();
                            t.c_row = static_cast<std::ptrdiff_t>(columns) * 4;
                            t.c_column = 4;
                            t.c_batch[0] = t.c_row * static_cast<std::ptrdiff_t>(rows);
                            const std::int32_t zero = 3;
                            t.a_zero = t.b_zero = {&zero, 0};
                            if (is_float) return contract(t, policy_of(policy));
                            contract_integers(t, policy_of(policy));
                        }};
        };
        return {
            by("a product", 1, 1000, 1000, 2000, OperandType::kFloat32, kProductPiece),
            by("small products", 30'000, 9, 9, 90, OperandType::kFloat32, kProductPiece / 8),
            by("rows by matrices", 1000, 1, 700, 300, OperandType::kFloat32, kProductPiece / 8),
            by("a product of integers", 1, 700, 700, 3000, OperandType::kUInt8, kProductPiece)};
    }

    std::vector<Work> convolutions() {
        const auto by = [this](const char* name, std::size_t images, std::size_t groups,
                               std::size_t channels, std::size_t filters, std::size_t size,
                               std::size_t filter, std::uint64_t piece) {
            const std::uint64_t products =
                images * groups * channels * filters * size * size * filter * filter;
            return Work{name, products, piece, [=](const Policy& policy) {
                            Convolution t{};
                            t.images = images;
                            t.groups = groups;
                            t.channels = channels;
                            t.filters = filters;
                            for (int d = 0; d < kSpatial; ++d) {
                                t.input_sizes[d] = t.output_sizes[d] = d ? size : 1;
                                t.filter_sizes[d] = d ? filter : 1;
                                t.strides[d] = t.dilations[d] = 1;
                                t.start_padding[d] = d ? filter / 2 : 0;
                            }
                            const auto side = static_cast<std::ptrdiff_t>(size);
                            const auto width = static_cast<std::ptrdiff_t>(filter);
                            t.input = {x(), OperandType::kFloat32, 0, side * side * 4,
                                       {0, side * 4, 4}};
                            t.filter = {x(), OperandType::kFloat32, width * width * 4, 16,
                                        {0, width * 4, 4}};
                            t.output = out_bytes();
                            t.output_channel = side * side * 4;
                            t.output_image =
                                t.output_channel * static_cast<std::ptrdiff_t>(groups * filters);
                            t.output_position[1] = side * 4;
                            t.output_position[2] = 4;
                            convolve(t, policy_of(policy));
                        }};
        };
        return {by("a convolution", 3, 1, 40, 40, 80, 5, kProductPiece),
                by("a convolution of few pixels", 40, 1, 200, 200, 7, 3, kProductPiece),
                by("a convolution of planes", 20, 20, 1, 1, 90, 3, 9 * kSmallPiece)};
    }

    std::vector<Work> elements() {
        const auto function = [this](const char* name, bool is_packed) {
            return Work{name, kElements, kSmallPiece, [=](const Policy& policy) {
                            const std::int64_t rows = 1 << 11, columns = kElements / rows;
                            functions::apply(
                                functions::Function::kExp, functions::Result::kSingle,
                                {2,
                                 {out_bytes(), x()},
                                 2,
                                 {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)},
                                 {{columns * 4, 4}, {is_packed ? columns * 4 : 4, is_packed ? 4 : rows * 4}}},
                                policy);
                        }};
        };
        const auto program = [this](const Policy& policy) {
            programs::Program p;
            p.inputs = {programs::Type::kFloat32};
            constexpr auto kSingle = programs::Type::kFloat32;
            p.outputs = {add_instruction(p, "add", kSingle, kSingle, {0, 0})};
            if (const char* const mistake = p.finish()) fail("%s", mistake);
            const std::uint64_t sizes[1] = {kElements};
            const std::int64_t packed[1] = {4};
            const programs::Operand operands[] = {{x(), packed}, {out_bytes(), packed}};
            programs::run(p, {1, sizes, operands}, policy);
        };
        return {function("a function", true), function("a function of what is turned", false),
                Work{"a program", kElements, kSmallPiece, program}};
    }

    std::vector<Work> sums_of() {
        using namespace sums;
        const auto sum = [this](const char* name, std::uint64_t reduced) {
            return Work{name, kElements, 1 << 20, [=](const Policy& policy) {
                            const std::uint64_t rows = 1 << 10, columns = kElements / rows;
                            const Axis axes[] = {{columns, 4}, {rows, static_cast<std::int64_t>(columns * 4)}};
                            reduce({x(), Type::kSingle, 2, axes}, reduced, Map::kSame, Type::kDouble,
                                   out_bytes(), policy);
                        }};
        };
        const auto rows = [this](const char* name, auto call) {
            return Work{name, kElements, kSmallPiece, [=](const Policy& policy) {
                            call(Rows{x(), Type::kSingle, kElements / 512, 512}, policy);
                        }};
        };
        const Windows w{16, {1, 512, 512}, {1, 512, 512}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}};
        const auto slide = [this, w](const Policy& policy) {
            largest_in_windows(x(), Type::kSingle, w, Type::kSingle, out_bytes(), policy);
        };
        const auto average = [this, w](const Policy& policy) {
            average_windows(x(), Type::kSingle, w, Divisor::kInside, Type::kSingle, out_bytes(), policy);
        };
        return {sum("sums of neighbours", 1), sum("sums of rows", 2), sum("a sum", 3),
                rows("softmax", [this](const Rows& r, const Policy& p) {
                    softmax(r, Type::kSingle, out_bytes(), p);
                }),
                rows("a normalization", [this](const Rows& r, const Policy& p) {
                    normalize(r, {true, true, 1e-5, {}, {}}, Type::kSingle, out_bytes(), p);
                }),
                rows("a scan", [this](const Rows& r, const Policy& p) {
                    const sums::Chains chains{ScanType::kSingle, r.count, r.size, 1, false, false, false};
                    scan(r.data, chains, out_bytes(), p);
                }),
                rows("a scan of columns", [this](const Rows& r, const Policy& p) {
                    const sums::Chains chains{ScanType::kSingle, 32, r.count / 32, r.size, true, false, false};
                    scan(r.data, chains, out_bytes(), p);
                }),
                Work{"the largest of windows", kElements, 1 << 19, slide},
                Work{"averages of windows", kElements, 1 << 19, average}};
    }

    std::vector<float> x_, out_;
    std::vector<unsigned char> bytes_;
};

// Returns whether it was stopped.
bool was_stopped(const Work& work, const Policy& policy, Looks& looks) {
    const Watch watch(Looks::look, &looks, Watch::Duration{0});
    try {
        work.run(policy);
    } catch (const Stopped&) {
        return true;
    }
    return false;
}

void check(const Work& work, const Works& works) {
    Policy policy{available_targets().begin[0], 1, ~std::uint64_t{0}, 1 << 12};
    Looks counted;
    if (was_stopped(work, policy, counted)) fail("%s was stopped by nobody", work.name);
    const std::vector<float> expected = works.out();
    if ((counted.seen + 1) * work.between_looks < work.amount) {
        fail("%s: %" PRIu64 " looks in work of %" PRIu64 ", of which at most %" PRIu64
             " may be between two",
             work.name, counted.seen, work.amount, work.between_looks);
    }
    for (const unsigned threads : {1u, 2u, 5u}) {
        policy.max_threads = threads;
        for (const bool shares : {false, true}) {
            for (const std::uint64_t at : {std::uint64_t{1}, counted.seen / (2 * threads) + 1}) {
                Looks looks;
                looks.stop_at = at;
                const std::optional<SharedCrew> crew =
                    shares ? std::optional<SharedCrew>(std::in_place) : std::nullopt;
                
                // How often is looked while others work is up to chance.
                if (!was_stopped(work, policy, looks) && (at == 1 || threads == 1)) {
                    fail("%s was not stopped by %u threads", work.name, threads);
                }
                if (looks.seen > looks.stop_at) fail("%s: looked on after the end", work.name);
                work.run(policy);
                ++g_comparisons;
                if (std::memcmp(works.out().data(), expected.data(), 4 * kElements) != 0) {
                    fail("%s by %u threads differs after one that was stopped", work.name, threads);
                }
            }
        }
    }
}

}  // namespace

}  // namespace indirectml

int main() {
    using namespace indirectml;
    g_program = "check_stopping";
    Works works;
    for (const Work& work : works.all()) check(work, works);
    std::printf("check_stopping: %" PRIu64 " comparisons, no difference\n", g_comparisons);
    return 0;
}
