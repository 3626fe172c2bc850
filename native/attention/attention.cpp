#include "attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "../sums/sums.h"
#include "../team.h"

namespace indirectml {
namespace attention {

namespace {

constexpr std::size_t kLine = 64, kItem = sizeof(float);
// A block of scores stays in a core's second cache; more rows than these read panels no less often.
constexpr std::size_t kBlockBytes = 1 << 19, kMostRows = 168, kLeastRows = 28;
// Fewer rows than these are multiplied by keys and values as they lie.
constexpr std::size_t kRowsToPack = 64;
// Threads beyond these have no memory of their own to work in.
constexpr std::size_t kMostSlots = 32;
constexpr double kNanosecondsForThread = 80e3;

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Rows that are a multiple of 4 KiB apart would push each other out of the first cache.
constexpr std::size_t row_bytes_of(std::size_t positions, std::size_t item) {
    const std::size_t bytes = positions * item;
    return bytes % 4096 == 0 ? bytes + kLine : bytes;
}

// Where what attention works in begins, in bytes.
struct Layout {
    std::size_t block_rows, blocks;
    std::size_t key_bytes, value_bytes;  // of matrices in panels
    std::size_t half_bytes, result_bytes;  // of the scores of a block, and of what comes of them
    std::size_t slot_bytes;                // both, the scores twice if need be
    std::size_t columns;                   // of a row of results: whole panels, if values are in these
    std::size_t values, slots, slot_count, size;
    bool is_in_panels;

    explicit Layout(const Sizes& s) {
        const std::size_t row_bytes = row_bytes_of(s.positions, kItem);
        const std::size_t fitting = kBlockBytes / std::max<std::size_t>(row_bytes, 1);
        const std::size_t most = std::clamp(fitting / kLeastRows * kLeastRows, kLeastRows, kMostRows);
        blocks = std::max<std::size_t>((s.rows + most - 1) / most, 1);
        block_rows = (s.rows + blocks - 1) / blocks;
        const std::size_t matrices = std::max<std::size_t>(std::min(s.key_matrices, s.value_matrices), 1);
        is_in_panels = s.batch / matrices * s.rows >= kRowsToPack;
        key_bytes = is_in_panels ? panels_size(s.depth, s.positions) * kItem : 0;
        value_bytes = is_in_panels ? panels_size(s.positions, s.width) * kItem : 0;
        half_bytes = whole_lines(block_rows * row_bytes);
        columns = is_in_panels ? panels_size(1, s.width) : s.width;
        result_bytes = columns != s.width ? whole_lines(block_rows * columns * kItem) : 0;
        slot_bytes = (s.is_wide ? half_bytes : 2 * half_bytes) + result_bytes;
        values = s.key_matrices * key_bytes;
        slots = values + s.value_matrices * value_bytes;
        slot_count = std::min(kMostSlots, std::max<std::size_t>(s.batch * blocks, 1));
        size = slots + slot_count * slot_bytes + kLine;
    }
};

// Which of the different matrices a batch element has.
std::size_t matrix_of(const Attention& task, const Operand& side, std::size_t element) {
    std::size_t number = 0, unit = 1;
    for (int axis = task.batch_axes - 1; axis >= 0; --axis) {
        const std::size_t size = task.batch_sizes[axis];
        if (side.batch[axis] != 0) {
            number += element % size * unit;
            unit *= size;
        }
        element /= size;
    }
    return number;
}

// How far the matrix of a batch element is from the first one.
template <typename Stride>
std::int64_t offset_of(const Attention& task, const Stride* strides, std::size_t element) {
    std::int64_t offset = 0;
    for (int axis = task.batch_axes - 1; axis >= 0; --axis) {
        offset += static_cast<std::int64_t>(element % task.batch_sizes[axis]) * strides[axis];
        element /= task.batch_sizes[axis];
    }
    return offset;
}

std::size_t batch_of(const Attention& task) {
    std::size_t batch = 1;
    for (int axis = 0; axis < task.batch_axes; ++axis) batch *= task.batch_sizes[axis];
    return batch;
}

std::size_t matrices_of(const Attention& task, const Operand& side) {
    std::size_t count = 1;
    for (int axis = 0; axis < task.batch_axes; ++axis) {
        if (side.batch[axis] != 0) count *= task.batch_sizes[axis];
    }
    return count;
}

// Whether all that a program does is to multiply by a factor above 0.
bool is_factor(const Between& between, float* factor) {
    if (!between.program) return false;
    const programs::Program& program = *between.program;
    if (program.inputs.size() != 1 || program.constants.size() != 1) return false;
    if (program.instructions.size() != 1 || program.outputs[0] != program.first_result()) return false;
    const programs::Instruction& only = program.instructions[0];
    if (only.kind != programs::Kind::kOperation || only.from != programs::Type::kFloat32 ||
        only.which != static_cast<int>(programs::Operation::kMultiply) ||
        only.sources[0] == only.sources[1]) {
        return false;
    }
    const auto bits = static_cast<std::uint32_t>(program.constants[0].bits);
    std::memcpy(factor, &bits, sizeof(*factor));
    return *factor > 0 && *factor < HUGE_VALF;
}

class Worker {
  public:
    Worker(const Attention& task, const Layout& layout, const Policy& policy, std::size_t slot)
        : task_(task), layout_(layout), alone_(policy), is_scaled_(is_factor(task.before, &factor_)) {
        alone_.max_threads = 1;
        unsigned char* const begin = memory() + layout.slots + slot * layout.slot_bytes;
        halves_[0] = begin;
        halves_[1] = begin + layout.half_bytes;
        result_ = reinterpret_cast<float*>(begin + layout.slot_bytes - layout.result_bytes);
    }

    // The panels of a matrix of keys, or of values, whichever is first read by a batch element.
    void pack_side(bool is_keys, std::size_t element) const {
        Operand side = is_keys ? task_.keys : task_.values;
        side.data += offset_of(task_, side.batch, element);
        pack(side, is_keys ? task_.depth : task_.positions,
             is_keys ? task_.positions : task_.width, *contraction().kernels, panels(is_keys, element));
    }

    // Rows first .. first + count - 1 of a batch element.
    void work(std::size_t element, std::size_t first, std::size_t count) const {
        unsigned char* at = halves_[0];
        Contraction scores{};
        scores.rows = count;
        scores.columns = task_.positions;
        scores.depth = task_.depth;
        scores.a = task_.queries;
        scores.a.data += offset_of(task_, task_.queries.batch, element) +
                         static_cast<std::ptrdiff_t>(first) * task_.queries.row;
        set_right(true, element, scores);
        scores.c = at;
        scores.c_row = row_bytes(kItem);
        scores.c_column = kItem;
        contract(scores, contraction());
        if (!is_scaled_) at = apply(task_.before, at, element, first, count, item_bytes(task_.score_type));
        at = share(at, count);
        const std::size_t weight_bytes = task_.weight_type == OperandType::kFloat32 ? 4 : 2;
        at = apply(task_.after, at, element, first, count, weight_bytes);
        Contraction mixed{};
        mixed.rows = count;
        mixed.columns = layout_.columns;
        mixed.depth = task_.positions;
        mixed.a.data = at;
        mixed.a.type = task_.weight_type;
        mixed.a.row = row_bytes(weight_bytes);
        mixed.a.column = static_cast<std::ptrdiff_t>(weight_bytes);
        set_right(false, element, mixed);
        unsigned char* const out = task_.out + offset_of(task_, task_.out_batch, element) +
                                   static_cast<std::ptrdiff_t>(first) * task_.out_row;
        mixed.c = out;
        mixed.c_row = task_.out_row;
        mixed.c_column = task_.out_column;
        const bool is_apart = layout_.result_bytes > 0;
        if (is_apart) {
            mixed.c = reinterpret_cast<unsigned char*>(result_);
            mixed.c_row = static_cast<std::ptrdiff_t>(layout_.columns * kItem);
            mixed.c_column = kItem;
        }
        contract(mixed, contraction());
        for (std::size_t i = 0; is_apart && i < count; ++i) {
            for (std::size_t j = 0; j < task_.width; ++j) {
                std::memcpy(out + static_cast<std::ptrdiff_t>(i) * task_.out_row +
                                static_cast<std::ptrdiff_t>(j) * task_.out_column,
                            result_ + i * layout_.columns + j, kItem);
            }
        }
    }

  private:
    unsigned char* memory() const {
        return task_.memory + (kLine - reinterpret_cast<std::uintptr_t>(task_.memory) % kLine) % kLine;
    }
    float* panels(bool is_keys, std::size_t element) const {
        const std::size_t at =
            is_keys ? matrix_of(task_, task_.keys, element) * layout_.key_bytes
                    : layout_.values + matrix_of(task_, task_.values, element) * layout_.value_bytes;
        return reinterpret_cast<float*>(memory() + at);
    }
    ContractionPolicy contraction() const {
        return {contraction_kernels(alone_.target->name), 1};
    }
    void set_right(bool is_keys, std::size_t element, Contraction& task) const {
        task.b_is_in_panels = layout_.is_in_panels;
        if (layout_.is_in_panels) {
            task.b.data = reinterpret_cast<const unsigned char*>(panels(is_keys, element));
            task.b.type = OperandType::kFloat32;
            return;
        }
        task.b = is_keys ? task_.keys : task_.values;
        task.b.data += offset_of(task_, task.b.batch, element);
    }
    // From a row to the next: neighbours, of whatever width, are worked on together.
    std::ptrdiff_t row_bytes(std::size_t item) const {
        return static_cast<std::ptrdiff_t>(row_bytes_of(task_.positions, item));
    }
    // The half that is not there: what is of another width is not written in place.
    unsigned char* other(const unsigned char* at) const { return halves_[at == halves_[0] ? 1 : 0]; }

    // What a program makes of the elements at `at`, and where that is.
    unsigned char* apply(const Between& between, unsigned char* at, std::size_t element,
                         std::size_t first, std::size_t count, std::size_t to_bytes) const {
        if (!between.program) return at;
        const programs::Program& program = *between.program;
        const std::size_t own_bytes = programs::bytes_of(program.inputs[between.place]);
        const std::int64_t own[] = {row_bytes(own_bytes), static_cast<std::int64_t>(own_bytes)};
        const std::int64_t made[] = {row_bytes(to_bytes), static_cast<std::int64_t>(to_bytes)};
        unsigned char* const to = own_bytes == to_bytes ? at : other(at);
        std::vector<programs::Operand> operands;
        std::size_t next = between.first_term;
        for (std::size_t n = 0; n < program.inputs.size(); ++n) {
            if (n == between.place) {
                operands.push_back({at, own});
                continue;
            }
            const Term& term = task_.terms[next++];
            operands.push_back({term.data + offset_of(task_, term.batch, element) +
                                    static_cast<std::int64_t>(first) * term.strides[0],
                                term.strides});
        }
        operands.push_back({to, made});
        const std::uint64_t sizes[] = {count, task_.positions};
        programs::run(program, {2, sizes, operands.data()}, alone_);
        return to;
    }

    unsigned char* share(unsigned char* at, std::size_t count) const {
        const std::size_t from_item = sums::item_bytes(task_.score_type);
        const std::size_t to_item = sums::item_bytes(task_.share_type);
        unsigned char* const to = from_item == to_item ? at : other(at);
        const sums::Apart apart{row_bytes_of(task_.positions, from_item),
                                row_bytes_of(task_.positions, to_item), is_scaled_ ? factor_ : 1};
        sums::softmax({at, task_.score_type, count, task_.positions}, task_.share_type, to, apart, alone_);
        return to;
    }

    const Attention& task_;
    const Layout& layout_;
    Policy alone_;
    float factor_ = 1;
    const bool is_scaled_;
    unsigned char* halves_[2];
    float* result_;
};

}  // namespace

Sizes Attention::sizes() const {
    const bool is_wide = score_type == sums::Type::kSingle && share_type == sums::Type::kSingle &&
                         weight_type == OperandType::kFloat32;
    return {batch_of(*this), rows, positions, depth, width, matrices_of(*this, keys),
            matrices_of(*this, values), is_wide};
}

std::size_t bytes_of(const Sizes& sizes) { return Layout(sizes).size; }

void run(const Attention& task, const Policy& policy) {
    const Sizes sizes = task.sizes();
    const Layout layout(sizes);
    if (sizes.batch == 0 || task.rows == 0 || task.width == 0) return;
    const auto most = static_cast<unsigned>(std::min<std::size_t>(layout.slot_count, policy.max_threads));
    const unsigned threads = worthwhile_threads(task.nanoseconds / kNanosecondsForThread, most);
    // Each matrix by the first of the batch elements that read it.
    std::vector<std::pair<bool, std::size_t>> packs;
    for (const bool is_keys : {true, false}) {
        const Operand& side = is_keys ? task.keys : task.values;
        std::size_t next = 0;
        for (std::size_t element = 0; layout.is_in_panels && element < sizes.batch; ++element) {
            if (matrix_of(task, side, element) != next) continue;
            packs.emplace_back(is_keys, element);
            ++next;
        }
    }
    run_together(threads, [&](unsigned member, Team& team) {
        const Worker worker(task, layout, policy, member);
        for (std::size_t n = member; n < packs.size(); n += team.size()) {
            worker.pack_side(packs[n].first, packs[n].second);
        }
        if (!packs.empty()) team.wait();
        const Share share = share_of(sizes.batch * task.rows, 1, member, team.size());
        for (std::size_t row = share.begin; row < share.end;) {
            const std::size_t element = row / task.rows, first = row % task.rows;
            const std::size_t end = std::min(task.rows, first + (share.end - row));
            const std::size_t parts = (end - first + layout.block_rows - 1) / layout.block_rows;
            const std::size_t count = (end - first + parts - 1) / parts;
            worker.work(element, first, count);
            row += count;
        }
    });
}

}  // namespace attention
}  // namespace indirectml
