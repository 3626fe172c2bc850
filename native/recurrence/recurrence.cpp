#include "recurrence.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "../contraction/contract.h"
#include "../contraction/packing.h"
#include "../contraction/product.h"
#include "../team.h"

namespace indirectml {
namespace recurrence {

namespace {

constexpr std::size_t kLine = 64 / sizeof(float);

constexpr std::size_t whole_lines(std::size_t floats) {
    return (floats + kLine - 1) / kLine * kLine;
}

// Where what a direction works in begins, in FLOAT32 from the start of its part on.
struct Layout {
    std::size_t panels, row;           // how many panels of weights; floats of a row of states
    std::size_t weights, sums, sums_row, states, handed, biases, peepholes, running, size;

    Layout(std::size_t batch, std::size_t units, std::size_t gates, std::size_t state_count,
           std::size_t bias_count, std::size_t handed_count) {
        panels = (gates * units + kPanel - 1) / kPanel;
        row = whole_lines(units);
        // Rows that are a multiple of 4 KiB apart would push each other out of the first cache.
        if (row * sizeof(float) % static_cast<std::size_t>(kCacheSetBytes) == 0) row += kLine;
        std::size_t end = 0;
        const auto take = [&](std::size_t floats) {
            const std::size_t begin = end;
            end += whole_lines(floats);
            return begin;
        };
        weights = take(panels * units * kPanel);
        sums_row = panels * kPanel + kLine;
        sums = take(batch * sums_row + panels * kPanel + std::max(panels * kPanel, units));
        states = take(2 * state_count * batch * row);
        handed = take(handed_count * batch * row);
        biases = take(bias_count * units);
        peepholes = take(kPeepholes * units);
        running = take(batch);
        size = end;
    }
};

float element_at(const Strided& from, std::size_t direction, std::size_t row, std::size_t unit,
                 bool is_half) {
    const unsigned char* const at = from.data +
                                    static_cast<std::ptrdiff_t>(direction) * from.direction +
                                    static_cast<std::ptrdiff_t>(row) * from.row +
                                    static_cast<std::ptrdiff_t>(unit) * from.unit;
    return element_of(at, is_half ? OperandType::kFloat16 : OperandType::kFloat32);
}

// Programs of one direction, for some of its sequences, on one thread.
class Worker {
  public:
    Worker(const Recurrence& task, const Operands& operands, const Layout& layout,
           const Policy& policy, std::size_t direction, Share rows)
        : task_(task),
          o_(operands),
          layout_(layout),
          kernels_(*contraction_kernels(policy.target->name)),
          cell_(task.cells[direction]),
          direction_(direction),
          rows_(rows),
          count_(rows.end - rows.begin),
          memory_(memory_of(operands, layout, direction)),
          chains_(Chains::of_floats(task.units)) {
        alone_ = policy;
        alone_.max_threads = 1;
        for (std::size_t n = 0; n < task_.states; ++n) start(n);
        for (const Part& part : cell_.parts) add_program(part);
    }

    static float* memory_of(const Operands& o, const Layout& layout, std::size_t direction) {
        auto* const aligned = o.memory + (64 - reinterpret_cast<std::uintptr_t>(o.memory) % 64) % 64;
        return reinterpret_cast<float*>(aligned) + direction * layout.size;
    }

    void run() {
        for (std::size_t n = 0; n < task_.steps; ++n) {
            step(cell_.is_backward ? task_.steps - 1 - n : n);
        }
        for (std::size_t n = 0; n < task_.states; ++n) finish(n);
    }

  private:
    float* state(std::size_t number, bool is_new) const {
        const std::size_t which = 2 * number + (is_new ? turn_ ^ 1 : turn_);
        return memory_ + layout_.states + (which * task_.batch + rows_.begin) * layout_.row;
    }
    float* handed(std::size_t number) const {
        return memory_ + layout_.handed + (number * task_.batch + rows_.begin) * layout_.row;
    }
    float* sums() const { return memory_ + layout_.sums + rows_.begin * layout_.sums_row; }
    unsigned char* running() const {
        return reinterpret_cast<unsigned char*>(memory_ + layout_.running) + rows_.begin;
    }
    unsigned char* of_step(std::size_t number) const {
        return o_.of_steps.data + static_cast<std::ptrdiff_t>(number) * o_.step +
               static_cast<std::ptrdiff_t>(direction_) * o_.of_steps.direction +
               static_cast<std::ptrdiff_t>(rows_.begin) * o_.of_steps.row;
    }
    const float* own(std::size_t number) const {
        return o_.products + static_cast<std::ptrdiff_t>(number) * o_.product_step +
               static_cast<std::ptrdiff_t>(direction_) * o_.product_direction +
               static_cast<std::ptrdiff_t>(rows_.begin) * o_.product_row;
    }

    void start(std::size_t number) {
        const Strided& from = o_.starts[number];
        for (std::size_t i = 0; i < count_; ++i) {
            float* const to = state(number, false) + i * layout_.row;
            for (std::size_t j = 0; j < task_.units; ++j) {
                to[j] = from.data ? element_at(from, direction_, rows_.begin + i, j,
                                               o_.starts_are_half[number])
                                  : 0.0f;
            }
        }
        canonical(state(number, false));
    }
    // A NaN that was given is the one that is computed, should it stay to the end.
    void canonical(float* rows) const {
        for (std::size_t i = 0; i < count_; ++i) {
            for (std::size_t j = 0; j < task_.units; ++j) {
                std::uint32_t bits;
                std::memcpy(&bits, rows + i * layout_.row + j, sizeof(bits));
                if ((bits & 0x7FFFFFFF) <= 0x7F800000) continue;
                bits = 0x7FC00000;
                std::memcpy(rows + i * layout_.row + j, &bits, sizeof(bits));
            }
        }
    }

    void finish(std::size_t number) const {
        const Strided& last = o_.lasts[number];
        for (std::size_t i = 0; i < count_; ++i) {
            const float* const from = state(number, false) + i * layout_.row;
            unsigned char* const to =
                last.data + static_cast<std::ptrdiff_t>(direction_) * last.direction +
                static_cast<std::ptrdiff_t>(rows_.begin + i) * last.row;
            for (std::size_t j = 0; j < task_.units; ++j) {
                std::memcpy(to + static_cast<std::ptrdiff_t>(j) * last.unit, from + j, sizeof(float));
            }
        }
    }

    // ---- programs ----

    // A part of a step, over what moves from one to the next.
    struct Prepared {
        const Part* part;
        std::vector<Source> moving;        // operands that move,
        std::vector<std::size_t> numbers;  // and their numbers
        std::unique_ptr<programs::Repeated> program;
    };

    std::vector<std::int64_t> strides_of(const Source& source) const {
        constexpr std::int64_t kFloat = sizeof(float);
        switch (source.kind) {
            case Kind::kOwn: return {o_.product_row * kFloat, kFloat};
            case Kind::kProduct: return {static_cast<std::int64_t>(layout_.sums_row) * kFloat, kFloat};
            case Kind::kBias:
            case Kind::kPeephole: return {0, kFloat};
            case Kind::kRunning: return {1, 0};
            default: return {static_cast<std::int64_t>(layout_.row) * kFloat, kFloat};
        }
    }

    // Where an operand is at a step; of a part whose first gate is given.
    unsigned char* place_of(const Source& source, std::size_t first_gate, std::size_t number) const {
        const float* at = nullptr;
        switch (source.kind) {
            case Kind::kOwn: at = own(number) + source.place * task_.units; break;
            case Kind::kProduct: at = sums() + (first_gate + source.place) * task_.units; break;
            case Kind::kBias: at = memory_ + layout_.biases + source.place * task_.units; break;
            case Kind::kPeephole:
                at = memory_ + layout_.peepholes + source.place * task_.units;
                break;
            case Kind::kState: at = state(source.place, false); break;
            case Kind::kHanded: at = handed(source.place); break;
            case Kind::kRunning: return running();
        }
        return reinterpret_cast<unsigned char*>(const_cast<float*>(at));
    }
    unsigned char* result_of(std::size_t output, bool is_last, std::size_t number) const {
        if (!is_last) return reinterpret_cast<unsigned char*>(handed(output));
        if (output == 0) return of_step(number);
        return reinterpret_cast<unsigned char*>(state(output - 1, true));
    }

    void add_program(const Part& part) {
        const bool is_last = &part == &cell_.parts.back();
        const std::uint64_t sizes[] = {count_, task_.units};
        std::vector<std::vector<std::int64_t>> strides;
        std::vector<programs::Operand> operands;
        for (const Source& source : part.sources) strides.push_back(strides_of(source));
        for (std::size_t n = 0; n < part.program->outputs.size(); ++n) {
            if (is_last && n == 0) {
                strides.push_back({o_.of_steps.row, o_.of_steps.unit});
            } else {
                strides.push_back(strides_of({Kind::kState, 0}));
            }
        }
        for (std::size_t n = 0; n < strides.size(); ++n) {
            const std::size_t inputs = part.sources.size();
            unsigned char* const at = n < inputs ? place_of(part.sources[n], part.first, 0)
                                                 : result_of(n - inputs, is_last, 0);
            operands.push_back({at, strides[n].data()});
        }
        programs_.push_back(std::make_unique<programs::Repeated>(
            *part.program, programs::Task{2, sizes, operands.data()}, alone_));
    }

    void run_program(std::size_t which, std::size_t number) {
        const Part& part = cell_.parts[which];
        programs::Repeated& program = *programs_[which];
        const bool is_last = which + 1 == cell_.parts.size();
        const std::size_t inputs = part.sources.size();
        for (std::size_t n = 0; n < inputs; ++n) {
            const Kind kind = part.sources[n].kind;
            if (kind != Kind::kOwn && kind != Kind::kState) continue;
            program.move(n, place_of(part.sources[n], part.first, number));
        }
        for (std::size_t n = 0; is_last && n < part.program->outputs.size(); ++n) {
            program.move(inputs + n, result_of(n, true, number));
        }
        program.run();
    }

    // ---- steps ----

    // sums = rows of x times the columns of gates first .. end - 1
    void multiply_rows(const float* x, std::size_t first, std::size_t end) {
        const std::size_t panel = first * task_.units / kPanel;
        const std::size_t columns = end * task_.units - panel * kPanel;
        const std::size_t depth = task_.units;
        const float* const panels = weights() + panel * depth * kPanel;
        float* const to = sums() + panel * kPanel;
        scratch_.products.done(count_ * columns * depth);
        if (count_ == 1) {
            float* const between = memory_ + layout_.sums + task_.batch * layout_.sums_row;
            return kernels_.multiply_by_panels({x, panels,
                                                static_cast<std::ptrdiff_t>(depth * kPanel), depth,
                                                columns, to, between});
        }
        ProductShape shape{};
        shape.rows = count_;
        shape.columns = (columns + kPanel - 1) / kPanel * kPanel;  // sums have room for whole panels
        shape.chains = &chains_;
        shape.c = to;
        shape.c_row = static_cast<std::ptrdiff_t>(layout_.sums_row);
        shape.c_column = 1;
        shape.direct_rows = {x, static_cast<std::ptrdiff_t>(layout_.row), 1};
        shape.direct_columns = {panels, kPanel, static_cast<std::ptrdiff_t>(depth * kPanel),
                                shape.columns / kPanel};
        const auto none = [](std::size_t, std::size_t, std::size_t, std::size_t, float*) {};
        const auto no_panel = [](std::size_t, std::size_t, std::size_t, float*) {};
        multiply(shape, kernels_, BlockSizes{}, scratch_, none, no_panel);
    }
    const float* weights() const {
        if (!o_.weights_are_in_panels || o_.weights_are_half) return memory_ + layout_.weights;
        return reinterpret_cast<const float*>(o_.weights.data) +
               direction_ * layout_.panels * task_.units * kPanel;
    }

    // Which sequences have not ended; false if all have.
    bool is_any_running(std::size_t number) {
        if (!o_.lengths.data) return true;
        bool is_any = false;
        for (std::size_t i = 0; i < count_; ++i) {
            std::uint32_t length;
            std::memcpy(&length,
                        o_.lengths.data + static_cast<std::ptrdiff_t>(rows_.begin + i) * o_.lengths.unit,
                        sizeof(length));
            running()[i] = number < length;
            is_any = is_any || number < length;
        }
        return is_any;
    }

    void step(std::size_t number) {
        if (!is_any_running(number)) {
            for (std::size_t i = 0; i < count_; ++i) {
                for (std::size_t j = 0; j < task_.units; ++j) {
                    std::memset(of_step(number) + static_cast<std::ptrdiff_t>(i) * o_.of_steps.row +
                                    static_cast<std::ptrdiff_t>(j) * o_.of_steps.unit,
                                0, sizeof(float));
                }
            }
            return;
        }
        for (std::size_t which = 0; which < cell_.parts.size(); ++which) {
            const Part& part = cell_.parts[which];
            multiply_rows(which == 0 ? state(0, false) : handed(0), part.first, part.end);
            run_program(which, number);
        }
        turn_ ^= 1;
    }

    const Recurrence& task_;
    const Operands& o_;
    const Layout& layout_;
    const ContractionKernels& kernels_;
    const Cell& cell_;
    const std::size_t direction_;
    const Share rows_;
    const std::size_t count_;
    float* const memory_;
    const Chains chains_;
    Policy alone_;
    std::size_t turn_ = 0;  // which of both states is that of the step before
    std::vector<std::unique_ptr<programs::Repeated>> programs_;
    ProductScratch scratch_;
};

// What all sequences of a direction read: weights in panels, biases and peepholes in FLOAT32.
void prepare(const Recurrence& task, const Operands& o, const Layout& layout, const Policy& policy,
             std::size_t direction) {
    float* const memory = Worker::memory_of(o, layout, direction);
    const auto widened = [&](const Strided& from, bool is_half, std::size_t count, float* to) {
        for (std::size_t j = 0; from.data && j < count; ++j) {
            to[j] = element_at(from, direction, 0, j, is_half);
        }
    };
    widened(o.biases, o.biases_are_half, task.biases * task.units, memory + layout.biases);
    widened(o.peepholes, o.peepholes_are_half, kPeepholes * task.units, memory + layout.peepholes);
    const std::size_t columns = task.gates * task.units;
    const ContractionKernels& kernels = *contraction_kernels(policy.target->name);
    const OperandType type = o.weights_are_half ? OperandType::kFloat16 : OperandType::kFloat32;
    float* const panels = memory + layout.weights;
    if (!o.weights_are_in_panels) {
        Operand b{};
        b.data = o.weights.data + static_cast<std::ptrdiff_t>(direction) * o.weights.direction;
        b.type = type;
        b.row = o.weights.row;
        b.column = o.weights.unit;
        pack(b, task.units, columns, kernels, panels);
    } else if (o.weights_are_half) {
        const std::size_t count = layout.panels * task.units * kPanel;
        const unsigned char* const from = o.weights.data + 2 * direction * count;
        for (std::size_t j = 0; j < count; ++j) panels[j] = element_of(from + 2 * j, type);
    }
}

// Fewer do not pay for a thread.
constexpr double kNanosecondsPerThread = 80e3, kProductsPerNanosecond = 50;
// Sequences that threads share out: fewer read all weights too often.
constexpr std::size_t kLeastRows = 4;

}  // namespace

std::size_t Recurrence::handed() const {
    std::size_t most = 0;
    for (const Cell& cell : cells) {
        for (std::size_t n = 0; n + 1 < cell.parts.size(); ++n) {
            most = std::max(most, cell.parts[n].program->outputs.size());
        }
    }
    return most;
}

std::size_t bytes_of(std::size_t directions, std::size_t batch, std::size_t units, std::size_t gates,
                     std::size_t states, std::size_t biases, std::size_t handed) {
    const Layout layout(batch, units, gates, states, biases, handed);
    return directions * layout.size * sizeof(float) + 64;
}

void run(const Recurrence& task, const Operands& operands, const Policy& policy) {
    const Layout layout(task.batch, task.units, task.gates, task.states, task.biases, task.handed());
    const std::size_t directions = task.cells.size();
    double work = 0;
    for (const Part& part : task.cells[0].parts) {
        const auto columns = static_cast<double>((part.end - part.first) * task.units);
        work += columns * static_cast<double>(task.units) / kProductsPerNanosecond +
                part.program->nanoseconds * static_cast<double>(task.units);
    }
    work *= static_cast<double>(task.steps * task.batch * directions);
    const unsigned threads = worthwhile_threads(work / kNanosecondsPerThread, policy.max_threads);
    const std::size_t groups = std::clamp<std::size_t>(
        std::min(task.batch / kLeastRows, threads / directions), 1, threads);
    for (std::size_t d = 0; d < directions; ++d) prepare(task, operands, layout, policy, d);
    // Who is free takes the next: a thread that comes late leaves more to the others.
    const std::size_t parts = directions * groups;
    std::atomic<std::size_t> taken{0};
    run_together(static_cast<unsigned>(std::min<std::size_t>(threads, parts)), [&](unsigned, Team&) {
        for (std::size_t k; (k = taken.fetch_add(1, std::memory_order_relaxed)) < parts;) {
            const Share rows = share_of(task.batch, 1, static_cast<unsigned>(k / directions),
                                        static_cast<unsigned>(groups));
            if (rows.is_empty()) continue;
            Worker(task, operands, layout, policy, k % directions, rows).run();
        }
    });
}

}  // namespace recurrence
}  // namespace indirectml
