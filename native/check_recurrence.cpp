// Recurrence on every target of this machine, with one thread and several, against plain loops, bit
// for bit; for sanitizers and emulators. The cells are made up: a part that hands on a product of the
// state, and a part that multiplies that, or both in one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check_support.h"
#include "contraction/contract.h"
#include "recurrence/recurrence.h"

namespace indirectml {
namespace {

using programs::Program;
using programs::Type;
using recurrence::Kind;
using recurrence::Source;

Random random_numbers(0);
std::size_t below(std::size_t end) { return random_numbers.below(end); }

std::vector<float> numbers(std::size_t count) {
    std::vector<float> x(count);
    for (float& e : x) e = static_cast<float>(random_numbers.between(-1000, 1000)) / 2048;
    return x;
}

// ---- A program in words ----

class Writer {
  public:
    explicit Writer(recurrence::Part& part) : part_(part) {}
    int input(Kind kind, std::size_t place) {
        const Source source{kind, place};
        part_.sources.push_back(source);
        program_.inputs.push_back(kind == Kind::kRunning ? Type::kUInt8 : Type::kFloat32);
        return static_cast<int>(program_.inputs.size()) - 1;
    }
    void end_inputs() {
        program_.constants.push_back({Type::kFloat32, 0});
        next_ = static_cast<int>(program_.inputs.size()) + 1;
    }
    int zero() const { return static_cast<int>(program_.inputs.size()); }
    int add(const char* name, int a, int b, int c = -1) {
        programs::Instruction i{};
        programs::find_instruction(name, &i);
        i.from = i.to = i.source_count == 3 ? Type::kUInt32 : Type::kFloat32;
        i.sources[0] = a;
        i.sources[1] = b;
        i.sources[2] = c;
        program_.instructions.push_back(i);
        return next_++;
    }
    Program finished(std::vector<int> outputs) {
        program_.outputs = std::move(outputs);
        if (const char* mistake = program_.finish()) fail("no program: %s", mistake);
        return program_;
    }

  private:
    recurrence::Part& part_;
    Program program_;
    int next_ = 0;
};

// ---- What is tried ----

struct Trial {
    std::size_t steps, batch, units, directions, states;
    bool has_two_parts, has_lengths, has_starts, has_biases, is_in_panels;
    std::vector<bool> are_backward;
    std::vector<float> products, weights, biases, peepholes, starts[2];
    std::vector<std::uint32_t> lengths;

    explicit Trial(std::size_t number) {
        const std::size_t many[] = {1, 3, 15, 16, 17, 40};
        units = number % 7 == 6 ? 270 : many[below(6)];
        batch = many[below(4)];
        steps = 1 + below(4);
        directions = 1 + below(2);
        states = 1 + below(2);
        has_two_parts = below(2) == 0;
        has_lengths = below(2) == 0;
        has_starts = below(2) == 0;
        has_biases = below(2) == 0;
        is_in_panels = below(2) == 0;
        for (std::size_t d = 0; d < directions; ++d) are_backward.push_back(below(2) == 0);
        products = numbers(steps * batch * directions * kGates * units);
        weights = numbers(directions * kGates * units * units);
        biases = numbers(directions * units);
        peepholes = numbers(directions * recurrence::kPeepholes * units);
        for (auto& start : starts) start = numbers(directions * batch * units);
        for (std::size_t i = 0; i < batch; ++i) {
            lengths.push_back(static_cast<std::uint32_t>(below(steps + 2)));
        }
    }
    static constexpr std::size_t kGates = 2;
    std::size_t sequence() const { return steps * directions * batch * units; }
    std::size_t last() const { return directions * batch * units; }
    float weight(std::size_t d, std::size_t k, std::size_t column) const {
        return weights[(d * units + k) * kGates * units + column];
    }
};

// Results: of all steps, then the last states.
using Results = std::vector<std::vector<float>>;

// One sequence after the other. With s the states, x and y the products of input and state, one for
// each gate, b the bias and p the second peephole, the first part is z = (x0 + y0) + b, handed on with
// r = z * s0; then y1 is of r if there are two parts, else of s0, and s0' = (x1 + y1) * z,
// s1' = s1 * p - s0'.
Results expected_of(const Trial& t) {
    Results results(1 + t.states, std::vector<float>(t.last(), 0.0f));
    results[0].assign(t.sequence(), 0.0f);
    std::vector<float> s[2], after[2], z(t.units), r(t.units);
    const auto product = [&](std::size_t d, const std::vector<float>& x, std::size_t column) {
        float total = 0;
        for (std::size_t k0 = 0; k0 < t.units; k0 += 256) {
            float sum = 0;
            for (std::size_t k = k0; k < std::min(t.units, k0 + 256); ++k) {
                sum = std::fma(x[k], t.weight(d, k, column), sum);
            }
            total = k0 == 0 ? sum : total + sum;
        }
        return total;
    };
    for (std::size_t d = 0; d < t.directions; ++d) {
        for (std::size_t i = 0; i < t.batch; ++i) {
            const std::size_t row = (d * t.batch + i) * t.units;
            for (std::size_t n = 0; n < 2; ++n) {
                s[n].assign(t.units, 0.0f);
                if (t.has_starts) s[n].assign(&t.starts[n][row], &t.starts[n][row] + t.units);
            }
            const std::size_t end =
                t.has_lengths ? std::min<std::size_t>(t.lengths[i], t.steps) : t.steps;
            for (std::size_t n = 0; n < end; ++n) {
                const std::size_t step = t.are_backward[d] ? end - 1 - n : n;
                const float* x =
                    &t.products[((step * t.batch + i) * t.directions + d) * Trial::kGates * t.units];
                for (std::size_t j = 0; j < t.units; ++j) {
                    const float sum = x[j] + product(d, s[0], j);
                    z[j] = sum + (t.has_biases ? t.biases[d * t.units + j] : 0.0f);
                    r[j] = z[j] * s[0][j];
                }
                for (auto& each : after) each.resize(t.units);
                for (std::size_t j = 0; j < t.units; ++j) {
                    const float y = product(d, t.has_two_parts ? r : s[0], t.units + j);
                    const float p = t.peepholes[(d * recurrence::kPeepholes + 1) * t.units + j];
                    after[0][j] = (x[t.units + j] + y) * z[j];
                    after[1][j] = s[1][j] * p - after[0][j];
                }
                std::copy(after[0].begin(), after[0].end(),
                          &results[0][((step * t.directions + d) * t.batch + i) * t.units]);
                for (std::size_t k = 0; k < t.states; ++k) s[k] = after[k];
            }
            for (std::size_t k = 0; k < t.states; ++k) {
                std::copy(s[k].begin(), s[k].end(), &results[1 + k][row]);
            }
        }
    }
    return results;
}

std::vector<int> last_outputs(const Trial& t, Writer& w, int running, std::vector<int> after,
                              const std::vector<int>& states) {
    int of_step = after[0];
    if (t.has_lengths) {
        of_step = w.add("choose", running, of_step, w.zero());
        for (std::size_t k = 0; k < t.states; ++k) {
            after[k] = w.add("choose", running, after[k], states[k]);
        }
    }
    std::vector<int> outputs{of_step};
    outputs.insert(outputs.end(), after.begin(), after.begin() + static_cast<std::ptrdiff_t>(t.states));
    return outputs;
}

// The programs of the parts; `parts` gets their sources.
std::vector<Program> programs_of(const Trial& t, std::vector<recurrence::Part>& parts) {
    std::vector<Program> made;
    const auto first = [&](Writer& w, int own, int product, int bias) {
        return w.add("add", w.add("add", own, product), t.has_biases ? bias : w.zero());
    };
    int z = 0, running = 0, second = 0;
    std::vector<int> states(2, 0);
    if (t.has_two_parts) {
        parts.push_back({nullptr, {}, 0, 1});
        Writer w(parts.back());
        const int own = w.input(Kind::kOwn, 0), product = w.input(Kind::kProduct, 0);
        const int bias = t.has_biases ? w.input(Kind::kBias, 0) : 0;
        const int state = w.input(Kind::kState, 0);
        w.end_inputs();
        z = first(w, own, product, bias);
        const int r = w.add("multiply", z, state);
        made.push_back(w.finished({r, z}));
    }
    parts.push_back({nullptr, {}, t.has_two_parts ? std::size_t{1} : std::size_t{0}, 2});
    Writer w(parts.back());
    int own = 0, product = 0, bias = 0;
    if (t.has_two_parts) {
        z = w.input(Kind::kHanded, 1);
    } else {
        own = w.input(Kind::kOwn, 0);
        product = w.input(Kind::kProduct, 0);
        bias = t.has_biases ? w.input(Kind::kBias, 0) : 0;
    }
    const int own1 = w.input(Kind::kOwn, 1);
    const int product1 = w.input(Kind::kProduct, t.has_two_parts ? 0 : 1);
    const int peephole = w.input(Kind::kPeephole, 1);
    for (std::size_t k = 0; k < t.states; ++k) states[k] = w.input(Kind::kState, k);
    if (t.has_lengths) running = w.input(Kind::kRunning, 0);
    w.end_inputs();
    if (!t.has_two_parts) z = first(w, own, product, bias);
    second = w.add("multiply", w.add("add", own1, product1), z);
    std::vector<int> after{second};
    if (t.states == 2) after.push_back(w.add("subtract", w.add("multiply", states[1], peephole), second));
    made.push_back(w.finished(last_outputs(t, w, running, after, states)));
    for (std::size_t n = 0; n < parts.size(); ++n) parts[n].program = nullptr;
    return made;
}

constexpr std::ptrdiff_t kFloat = sizeof(float);

// What begins a few floats past a line, with guards around it.
Results computed(const Trial& t, const recurrence::Recurrence& task, const Target& target,
                 unsigned threads) {
    const auto units = static_cast<std::ptrdiff_t>(t.units), batch = static_cast<std::ptrdiff_t>(t.batch);
    const auto directions = static_cast<std::ptrdiff_t>(t.directions);
    const std::ptrdiff_t columns = Trial::kGates * units;
    const auto strided = [](const void* data, std::ptrdiff_t direction, std::ptrdiff_t row,
                            std::ptrdiff_t unit) {
        auto* const at = static_cast<unsigned char*>(const_cast<void*>(data));
        return recurrence::Strided{at, direction * kFloat, row * kFloat, unit * kFloat};
    };
    recurrence::Operands o{};
    o.products = t.products.data();
    o.product_direction = columns;
    o.product_row = directions * columns;
    o.product_step = batch * directions * columns;
    o.weights = strided(t.weights.data(), units * columns, columns, 1);
    std::vector<float> panels;
    if (t.is_in_panels) {
        const ContractionKernels& kernels = *contraction_kernels(target.name);
        const std::size_t size = panels_size(t.units, Trial::kGates * t.units);
        panels.resize(t.directions * size);
        for (std::size_t d = 0; d < t.directions; ++d) {
            Operand b{};
            b.data = o.weights.data + static_cast<std::ptrdiff_t>(d) * o.weights.direction;
            b.type = OperandType::kFloat32;
            b.row = o.weights.row;
            b.column = o.weights.unit;
            pack(b, t.units, Trial::kGates * t.units, kernels, panels.data() + d * size);
        }
        o.weights = strided(panels.data(), 0, 0, 0);
        o.weights_are_in_panels = true;
    }
    if (t.has_biases) o.biases = strided(t.biases.data(), units, 0, 1);
    o.peepholes = strided(t.peepholes.data(), recurrence::kPeepholes * units, 0, 1);
    for (std::size_t k = 0; k < t.states && t.has_starts; ++k) {
        o.starts[k] = strided(t.starts[k].data(), batch * units, units, 1);
    }
    if (t.has_lengths) o.lengths = strided(t.lengths.data(), 0, 0, 1);
    std::vector<Memory> memories;
    std::vector<std::size_t> sizes{t.sequence() * sizeof(float)};
    sizes.resize(1 + t.states, t.last() * sizeof(float));
    sizes.push_back(recurrence::bytes_of(t.directions, t.batch, t.units, Trial::kGates, t.states, 1,
                                         task.handed()));
    for (const std::size_t size : sizes) {
        memories.emplace_back(size + 64);
        Memory::set_guards(memories.back().at(sizeof(float)), size);
    }
    o.of_steps = strided(memories[0].at(sizeof(float)), batch * units, units, 1);
    o.step = directions * batch * units * kFloat;
    for (std::size_t k = 0; k < t.states; ++k) {
        o.lasts[k] = strided(memories[1 + k].at(sizeof(float)), batch * units, units, 1);
    }
    o.memory = memories.back().at(sizeof(float));
    recurrence::run(task, o, {&target, threads, ~std::uint64_t{0}});
    Results results;
    for (std::size_t n = 0; n < memories.size(); ++n) {
        std::ptrdiff_t where;
        unsigned char* const at = memories[n].at(sizeof(float));
        if (!Memory::guards_hold(at, sizes[n], &where)) {
            fail("%s writes at byte %td of memory %zu", target.name, where, n);
        }
        results.emplace_back(sizes[n] / sizeof(float));
        std::memcpy(results.back().data(), at, sizes[n] / sizeof(float) * sizeof(float));
    }
    results.pop_back();
    return results;
}

void check(const Target& target, std::size_t number) {
    const Trial t(number);
    const Results expected = expected_of(t);
    recurrence::Recurrence task{t.steps, t.batch, t.units, Trial::kGates, t.states, 1, {}};
    std::vector<std::vector<Program>> made;
    for (std::size_t d = 0; d < t.directions; ++d) {
        task.cells.push_back({{}, t.are_backward[d]});
        made.push_back(programs_of(t, task.cells.back().parts));
    }
    for (std::size_t d = 0; d < t.directions; ++d) {
        for (std::size_t n = 0; n < made[d].size(); ++n) {
            task.cells[d].parts[n].program = &made[d][n];
        }
    }
    for (const unsigned threads : {1u, 2u, 5u}) {
        const Results found = computed(t, task, target, threads);
        for (std::size_t n = 0; n < expected.size(); ++n) {
            for (std::size_t j = 0; j < expected[n].size(); ++j) {
                ++g_comparisons;
                if (to_bits(found[n][j]) == to_bits(expected[n][j])) continue;
                fail("%s, %u threads, trial %zu, result %zu: element %zu is %a, not %a", target.name,
                     threads, number, n, j, static_cast<double>(found[n][j]),
                     static_cast<double>(expected[n][j]));
            }
        }
    }
}

}  // namespace
}  // namespace indirectml

int main(int count, char** words) {
    using namespace indirectml;
    g_program = "check_recurrence";
    const int trials = count == 2 ? std::atoi(words[1]) : 60;
    if (count > 2 || trials <= 0) {
        std::printf("check_recurrence: the only argument is a number of trials\n");
        return 2;
    }
    const TargetList targets = available_targets();
    for (std::size_t k = targets.count; k-- > 0;) {
        random_numbers = Random(0);
        for (std::size_t n = 0; n < static_cast<std::size_t>(trials); ++n) check(*targets.begin[k], n);
        std::printf("recurrence of %s: as defined\n", targets.begin[k]->name);
    }
    std::printf("check_recurrence: %" PRIu64 " comparisons, no difference\n", g_comparisons);
    return 0;
}
