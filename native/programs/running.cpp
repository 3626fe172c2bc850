// Programs over arrays: block by block, by one thread or several.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "../functions/apply.h"
#include "../team.h"
#include "chains.h"
#include "operands.h"
#include "program.h"
#include "streaming.h"
#include "tables.h"

namespace indirectml {
namespace programs {

namespace {

// Less work does not pay for a thread, which starts in 10 to 30 us.
constexpr double kNanosecondsPerThread = 50e3;

// What is kept between instructions fits the first cache, with room for what is read and written.
constexpr std::size_t kScratchBytes = 24 << 10;
// Of what is kept from call to call there is one for each program of a plan. A chain goes on over any number of
// blocks.
constexpr std::size_t kKeptBytes = 6 << 10;
constexpr std::size_t kLeastBlock = 64, kMostBlock = 2048;
constexpr std::size_t kSlotShift = 192;
// Rows of at least so many elements are blocks of their own.
constexpr std::uint64_t kLongRow = 128;
// To find chains takes some hundred nanoseconds.
constexpr std::uint64_t kLeastForChains = 512;
constexpr std::uint64_t kLeastBlocksForProducts = 2;
// An inverse takes as long as is saved by some thousand quotients.
constexpr std::uint64_t kLeastForInverses = 4096;
// Of rows that are blocks of their own, so many are read at once where what is read lies across them, and so
// many of their elements.
constexpr std::uint64_t kTileRows = 8, kTileColumns = 512;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 14;  // elements between two looks at whether to stop
// Where there are several chains, each goes down so many rows before the next one, fewer where rows are long.
constexpr std::uint64_t kRowsOfChains = 8;

// One thread's work on a program: memory for a block, and what is where in it.
class Worker {
  public:
    // The scratch, of kScratchBytes from a line on, is the caller's; if there is none, memory is taken.
    Worker(const Program& program, const Layout& layout, const Task& task, const Policy& policy, bool moves,
           unsigned char* scratch)
        : program_(program),
          layout_(layout),
          kernels_(kernels_of(*policy.target)),
          functions_(functions::kernels_of(*policy.target)),
          has_rows_(has_rows(layout, task, program) && repeats_rows(layout, program)),
          rows_lie_apart_(has_rows_ && some_lie_apart(layout, program)),
          has_long_rows_(!has_rows_ && layout.rank > 1 &&
                         layout.sizes[layout.rank - 1] >= kLongRow),
          reaches_(arena_.table<Reach>(program.inputs.size() + program.outputs.size())),
          values_(arena_.table<const void*>(program.types.size())),
          is_one_(arena_.table<unsigned char>(program.types.size())),
          target_(arena_.table<int>(program.types.size(), -1)),
          constants_(arena_.table<std::uint64_t>(program.constants.size())),
          is_row_(arena_.table<unsigned char>(program.types.size())) {
        for (std::size_t n = 0; n < reaches_.size(); ++n) {
            const bool is_output = n >= program.inputs.size();
            const Type type =
                is_output ? program.types[static_cast<std::size_t>(
                                program.outputs[n - program.inputs.size()])]
                          : program.inputs[n];
            reaches_[n] = {Access::kCopied, task.operands[n].data, layout.of(n), bytes_of(type),
                           nullptr, false, false};
            reaches_[n].access = access_of(reaches_[n], is_output);
        }
        find_repeated();
        if (program.may_have_chains && kernels_.chain && layout.count >= kLeastForChains) {
            // What moves would have to be looked at again.
            is_each_ = !has_rows_ && !moves && has_rows(layout, task, program, true);
            find_links();
            if (is_each_ && !has_one_chain()) {
                is_each_ = false;
                find_links();
            }
        }
        if (is_each_ || (!has_rows_ && has_one_chain() && has_rows(layout, task, program))) {
            has_rows_ = rows_lie_apart_ = true;
            has_long_rows_ = false;
            for (Reach& reach : reaches_) reach.access = access_of(reach, false);
        }
        choose_targets(policy.streaming_bytes);
        take_scratch(scratch);
        compute_repeated();
    }

    // Elements begin .. end in row-major order.
    void run(std::uint64_t begin, std::uint64_t end) {
        if (has_tiles_) {
            const std::uint64_t row = layout_.sizes[layout_.rank - 1];
            if (begin % row == 0 && end % row == 0) return run_tiles(begin / row, end / row);
        }
        Pieces pieces(kPiece);
        while (begin < end) {
            if (has_rows_) {
                const std::uint64_t count = std::min<std::uint64_t>(periods_ * block_, end - begin);
                locate(begin);
                run_block(begin, count);
                begin += count;
                pieces.done(count);
                continue;
            }
            // Up to the end of a line of the first output: where arrays lie alike, and large ones
            // mostly do, no vector crosses lines from the second block on.
            locate(begin);
            std::uint64_t count = std::min<std::uint64_t>(block_ - past_line(), end - begin);
            if (has_long_rows_) {
                const std::uint64_t row = layout_.sizes[layout_.rank - 1];
                count = std::min(count, row - begin % row);
            }
            run_block(begin, count);
            begin += count;
            pieces.done(count);
        }
        if (streams_) fence();
    }

    void move(std::size_t operand, unsigned char* data) { reaches_[operand].data = data; }

  private:
    // Rows begin .. end, some of them and some of their elements at a time: all rows have the same elements before the
    // next, since these lie next to each other in what is turned.
    void run_tiles(std::uint64_t begin, std::uint64_t end) {
        const std::uint64_t row = layout_.sizes[layout_.rank - 1], together = layout_.sizes[layout_.rank - 2];
        Pieces pieces(kPiece);
        for (std::uint64_t stop; begin < end; begin = stop) {
            stop = std::min(end, begin - begin % together + together);
            for (std::uint64_t at = 0; at < row; at += block_) {
                const std::uint64_t count = std::min<std::uint64_t>(block_, row - at);
                for (std::uint64_t first = begin; first < stop; first += kTileRows) {
                    const std::uint64_t rows = std::min(kTileRows, stop - first);
                    run_tile(first, rows, at, count);
                    pieces.done(rows * count);
                }
            }
        }
        if (streams_) fence();
    }
    void run_tile(std::uint64_t first, std::uint64_t rows, std::uint64_t at, std::uint64_t count) {
        const int last = layout_.rank - 1;
        const std::uint64_t row = layout_.sizes[last];
        locate(first * row + at);
        for (const Reach& reach : reaches_) {
            if (!reach.has_tile) continue;
            turn_of(reach.bytes)(place_of(reach), reach.strides[last], rows, count, reach.slot,
                                 static_cast<std::int64_t>(slot_bytes_));
        }
        for (std::uint64_t r = 0; r < rows; ++r) {
            locate((first + r) * row + at);
            run_block((first + r) * row + at, count, static_cast<std::ptrdiff_t>(r * slot_bytes_));
        }
    }

    void find_links() {
        const auto singles = arena_.table<const unsigned char*>(program_.inputs.size());
        for (std::size_t n = 0; n < singles.size(); ++n) {
            const Reach& reach = reaches_[n];
            if (reach.access != Access::kOne && !is_of_each(n)) continue;
            // Long rows may have each another one.
            const bool is_for_all = std::all_of(reach.strides, reach.strides + layout_.rank,
                                                [](std::int64_t stride) { return stride == 0; });
            singles[n] = is_for_all ? reach.data : kAnyNumber;
        }
        chains_ = find_chains(program_, singles, is_row_, kernels_, arena_);
        const std::size_t count = program_.instructions.size();
        followed_ = arena_.table<Followed>(count);
        is_inside_ = arena_.table<unsigned char>(count);
        for (std::size_t n = 0; n < count; n += chains_.lengths[n]) {
            std::fill_n(is_inside_.begin() + n, chains_.lengths[n] - 1, 1);
        }
    }

    // Whether an operand is one number for each row.
    bool is_of_each(std::size_t operand) const {
        if (!is_each_ || operand >= reaches_.size()) return false;
        const Reach& reach = reaches_[operand];
        return reach.strides[0] != 0 && reach.strides[1] == 0;
    }

    // Whether instruction n makes what the next of its chain alone goes on with.
    bool is_inside_chain(std::size_t n) const { return !is_inside_.empty() && is_inside_[n]; }

    // Results that are the same row for all others: of rows and single values alone, one row at least.
    void find_repeated() {
        if (!has_rows_) return;
        const auto is_fixed = arena_.table<unsigned char>(program_.types.size());
        for (std::size_t n = 0; n < program_.types.size(); ++n) {
            const std::size_t first = static_cast<std::size_t>(program_.first_result());
            if (n < program_.inputs.size()) {
                is_row_[n] = reaches_[n].access == Access::kRepeated;
                is_fixed[n] = reaches_[n].access != Access::kDirect;
            } else if (n < first) {
                is_fixed[n] = 1;
            } else {
                const Instruction& i = program_.instructions[n - first];
                is_fixed[n] = 1;
                for (int k = 0; k < i.source_count; ++k) {
                    const auto source = static_cast<std::size_t>(i.sources[k]);
                    is_fixed[n] = is_fixed[n] && is_fixed[source];
                    is_row_[n] = is_row_[n] || is_row_[source];
                }
                is_row_[n] = is_row_[n] && is_fixed[n];
                row_results_ += is_row_[n];
            }
        }
    }

    // These are computed once, before all blocks.
    void compute_repeated() {
        if (row_results_ == 0) return;
        locate(0);
        read(0, block_, -1);
        std::size_t slot = 0;
        for (std::size_t n = 0; n < program_.instructions.size(); ++n) {
            const auto value = static_cast<std::size_t>(program_.first_result()) + n;
            bool is_single = !is_row_[value];
            for (int k = 0; k < program_.instructions[n].source_count && is_single; ++k) {
                is_single = is_one_[static_cast<std::size_t>(program_.instructions[n].sources[k])];
            }
            if (is_row_[value]) {
                run_instruction(n, block_, row_slots_ + slot_bytes_ * slot++);
            } else if (is_single) {
                // What rows are computed of.
                run_instruction(n, block_, nullptr);
            }
        }
    }

    // Of a block whose values are known.
    void find_followed(std::size_t n) {
        Followed& found = followed_[n];
        const std::size_t most = chains_.lengths[n] + 1;
        found = {arena_.list<ChainLink>(most), arena_.list<std::pair<std::size_t, std::size_t>>(most),
                 arena_.list<EachRow>(most), arena_.list<std::size_t>(most), true};
        const ChainHead& head = chains_.heads[n];
        const auto add = [&](Link link, int value, std::uint32_t chosen) {
            if (value < 0) {
                found.links.push_back({link, nullptr, nullptr, 0, 0, 0});
                return;
            }
            const auto other = static_cast<std::size_t>(value);
            const bool is_constant =
                other >= program_.inputs.size() && value < program_.first_result();
            const bool is_row = is_row_[other] != 0;
            const bool is_each = is_of_each(other);
            const std::ptrdiff_t step = is_row ? 0 : value_period_bytes(other) / std::ptrdiff_t{sizeof(float)};
            ChainLink made = {link, is_row || is_each ? static_cast<const float*>(values_[other]) : nullptr,
                              nullptr, 0, 0, step, nullptr, is_each, is_row};
            if (is_each) {
                const auto* const first = reinterpret_cast<const float*>(reaches_[other].data);
                found.each_row.push_back({found.links.size(), first, nullptr});
            }
            if (is_constant) std::memcpy(&made.one, values_[other], sizeof(made.one));
            std::memcpy(&made.chosen, &chosen, sizeof(chosen));
            if (!is_row && !is_constant && !is_each) found.moving.push_back({found.links.size(), other});
            found.links.push_back(made);
        };
        if (head.length == 2) {
            const Instruction& i = program_.instructions[n];
            add(Link::kMultiply, i.sources[1], 0);
            add(Link::kQuantize, i.sources[2], least_of(i.to));
        }
        for (std::size_t k = n + head.length; k < n + chains_.lengths[n]; k += chains_.links[k].length) {
            const Linked& linked = chains_.links[k];
            if (!linked.is_nothing) add(linked.link, linked.other, linked.chosen);
        }
        for (std::size_t k = 0; k + kNormalizationLinks <= found.links.size(); ++k) {
            ChainLink* const links = &found.links[k];
            if (!normalizes(links)) continue;
            links->link = Link::kNormalize;
            // Rows for products take as long as the quotients of a block.
            if (layout_.count < kLeastBlocksForProducts * block_) continue;
            if (is_each_) {
                take_quotients_of_each(found, k);
                continue;
            }
            take_quotients_by_products(kernels_, block_, slot_bytes_ / sizeof(float), arena_, links);
        }
        // What is no part of a normalization is given to the chain row by row.
        for (std::size_t k = 0; k < found.links.size(); ++k) {
            if (found.links[k].link == Link::kNormalize) {
                k += kNormalizationLinks - 1;
            } else if (std::exchange(found.links[k].is_each, false)) {
                found.links[k].other = nullptr;
            }
        }
        for (std::size_t k = 0; k + 1 < found.links.size(); ++k) {
            if (quantizes_quotient(&found.links[k])) found.quotients.push_back(k);
        }
    }

    // Of the four links of a normalization by one number for each row: these for all rows, which then lie behind
    // each other.
    void take_quotients_of_each(Followed& found, std::size_t first) {
        EachRow* parts[kNormalizationLinks] = {};
        for (EachRow& each : found.each_row) {
            const std::size_t part = each.link - first;
            if (part < kNormalizationLinks && found.links[each.link].step == 1) parts[part] = &each;
        }
        ChainLink own[kNormalizationLinks] = {};
        for (std::size_t part = 0; part < kNormalizationLinks; ++part) {
            if (!parts[part]) return;
            own[part].other = parts[part]->other;
        }
        const auto rows = static_cast<std::size_t>(layout_.sizes[0]);
        take_quotients_by_products(kernels_, rows, rows, arena_, own);
        for (std::size_t part = 0; part < kNormalizationLinks; ++part) {
            parts[part]->other = own[part].other;
            parts[part]->inverse = own[part].inverse;
        }
    }

    // How many chains are all that differs from row to row; 0 where something else does.
    std::size_t chain_count() const {
        if (chains_.lengths.empty() || program_.outputs.size() != 1) return 0;
        std::size_t chains = 0;
        for (std::size_t n = 0; n < program_.instructions.size(); n += chains_.lengths[n]) {
            if (is_row_[static_cast<std::size_t>(program_.first_result()) + n]) continue;
            const ChainHead& head = chains_.heads[n];
            if (chains_.lengths[n] == 1) return 0;
            if (head.more >= 0 && is_of_each(static_cast<std::size_t>(head.more))) return 0;
            ++chains;
        }
        return chains;
    }
    bool has_one_chain() const { return chain_count() == 1; }

    void run_chain(std::size_t n, std::uint64_t count) {
        const std::size_t end = n + chains_.lengths[n];
        const auto last = static_cast<std::size_t>(program_.first_result()) + end - 1;
        unsigned char* const to =
            target_[last] >= 0 ? place_of(reaches_[static_cast<std::size_t>(target_[last])])
                               : register_of(end - 1);
        Followed& chain = followed_[n];
        if (!chain.is_found) find_followed(n);
        // The result may take the place of a source that is not needed any more: a block is read before
        // it is written, but one number for all would be lost.
        for (const auto& [which, value] : chain.moving) {
            ChainLink& link = chain.links[which];
            const auto* const other = static_cast<const float*>(values_[value]);
            link.other = is_one_[value] ? nullptr : other;
            if (is_one_[value]) link.one = *other;
        }
        for (const EachRow& each : chain.each_row) {
            ChainLink& link = chain.links[each.link];
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(coordinates_[0]) * link.step;
            (link.is_each ? link.other : link.each) = each.other + at;
            link.inverse = each.inverse ? each.inverse + at : nullptr;
        }
        for (const std::size_t which : chain.quotients) {
            ChainLink& link = chain.links[which];
            // One that is not the first is that of a block.
            choose_quotient(&link, (link.divisor == 0 ? layout_.count : count) >= kLeastForInverses);
        }
        // A choice moves bits, whatever they mean.
        const Type type = program_.types[last];
        const bool is_narrow = is_byte(type) || type == Type::kFloat16;
        const ChainHead& head = chains_.heads[n];
        const auto first = static_cast<std::size_t>(head.number);
        const std::ptrdiff_t to_bytes = target_[last] >= 0 ? period_bytes(static_cast<std::size_t>(target_[last]))
                                                           : value_period_bytes(last);
        ChainEnds ends{head.type, is_narrow ? type : Type::kFloat32, values_[first], to,
                       value_period_bytes(first), to_bytes, nullptr, 0, 0, functions_.single};
        if (head.more >= 0) {
            const auto more = static_cast<std::size_t>(head.more);
            ends.more = static_cast<const std::int32_t*>(values_[more]);
            ends.one_more = *ends.more;
            if (is_one_[more]) ends.more = nullptr;
            if (!is_row_[more]) ends.more_step = value_period_bytes(more) / std::ptrdiff_t{sizeof(std::int32_t)};
        }
        const std::size_t row = has_rows_ && !is_each_ ? static_cast<std::size_t>(layout_.sizes[1]) : 0;
        kernels_.chain(chain.links.data(), chain.links.size(), ends, count, block_, row);
        values_[last] = to;
        is_one_[last] = 0;
    }

    // How many bytes an operand's elements of a period, which the row is, or the block, are from the next.
    std::ptrdiff_t period_bytes(std::size_t operand) const {
        if (!has_rows_) return 0;
        const Reach& reach = reaches_[operand];
        if (rows_lie_apart_) return static_cast<std::ptrdiff_t>(reach.strides[0]);
        return static_cast<std::ptrdiff_t>(block_ * reach.bytes);
    }
    // The same of a value; in registers, periods follow each other.
    std::ptrdiff_t value_period_bytes(std::size_t value) const {
        if (value < program_.inputs.size()) return period_bytes(value);
        return has_rows_ ? static_cast<std::ptrdiff_t>(block_ * bytes_of(program_.types[value])) : 0;
    }

    unsigned char* register_of(std::size_t n) const {
        return registers_ + places_[static_cast<std::size_t>(program_.registers[n])] * register_bytes_;
    }

    // How many elements before the block are in the same line of the first output.
    std::size_t past_line() const {
        const Reach& out = reaches_[program_.inputs.size()];
        if (out.access != Access::kDirect) return 0;
        return programs::past_line(place_of(out)) / out.bytes;
    }

    Access access_of(const Reach& reach, bool is_output) const {
        if (has_rows_) {
            if (is_each_ && reach.strides[1] == 0) return Access::kOne;
            if (reach.strides[0] != 0) return Access::kDirect;
            return reach.strides[1] == 0 ? Access::kOne : Access::kRepeated;
        }
        const auto bytes = static_cast<std::int64_t>(reach.bytes);
        const int last = layout_.rank - 1;
        bool is_aligned = reinterpret_cast<std::uintptr_t>(reach.data) % reach.bytes == 0;
        bool is_flat = reach.strides[last] == bytes || layout_.count == 1;
        bool is_one = reach.strides[last] == 0;
        for (int k = 0; k < last; ++k) {
            is_aligned = is_aligned && reach.strides[k] % bytes == 0;
            if (has_long_rows_) continue;
            is_one = is_one && reach.strides[k] == 0;
            is_flat = is_flat && reach.strides[k] == reach.strides[k + 1] *
                                     static_cast<std::int64_t>(layout_.sizes[k + 1]);
        }
        if (is_aligned && is_flat) return Access::kDirect;
        return is_aligned && is_one && !is_output ? Access::kOne : Access::kCopied;
    }

    // Which results are computed where they are written: at most one value for an output, and none
    // where an input may lie there too. Where all operands together do not fit the caches, such
    // outputs are copied past them instead.
    void choose_targets(std::uint64_t streaming_bytes) {
        const std::size_t inputs = program_.inputs.size();
        std::uint64_t all_bytes = 0;
        for (const Reach& reach : reaches_) {
            std::uintptr_t begin, end;
            span_of(layout_, reach, &begin, &end);
            all_bytes += std::min<std::uint64_t>(end - begin, layout_.count * reach.bytes);
        }
        for (std::size_t n = 0; n < program_.outputs.size(); ++n) {
            Reach& out = reaches_[inputs + n];
            const auto value = static_cast<std::size_t>(program_.outputs[n]);
            std::uintptr_t begin, end, other_begin, other_end;
            span_of(layout_, out, &begin, &end);
            bool is_free = out.access == Access::kDirect && program_.outputs[n] >= program_.first_result();
            bool is_in_place = false;
            for (std::size_t k = 0; k < inputs && is_free; ++k) {
                span_of(layout_, reaches_[k], &other_begin, &other_end);
                if (end <= other_begin || other_end <= begin) continue;
                is_free = may_lie_on(k, out, n);
                is_in_place = true;
            }
            if (is_free && !is_in_place && all_bytes >= streaming_bytes) {
                out.streams = streams_ = true;
            } else if (is_free && target_[value] < 0 && !is_row_[value]) {
                target_[value] = static_cast<int>(inputs + n);
            }
        }
    }

    // Whether output n may be computed where input k lies: element by element, and nobody asks for the
    // input after that. A chain reads the elements of a vector before it writes them.
    bool may_lie_on(std::size_t k, const Reach& out, std::size_t n) const {
        const Reach& in = reaches_[k];
        if (in.access != Access::kDirect || in.data != out.data || in.bytes != out.bytes) return false;
        if (!std::equal(in.strides, in.strides + layout_.rank, out.strides)) return false;
        const auto input = static_cast<int>(k);
        for (std::size_t other = 0; other < program_.outputs.size(); ++other) {
            if (program_.outputs[other] == input) return false;
        }
        const auto made = static_cast<std::size_t>(program_.outputs[n] - program_.first_result());
        const bool ends_chain = made > 0 && is_inside_chain(made - 1);
        for (std::size_t later = made + ends_chain; later < program_.instructions.size(); ++later) {
            const Instruction& i = program_.instructions[later];
            for (int source = 0; source < i.source_count; ++source) {
                if (i.sources[source] == input) return false;
            }
        }
        return true;
    }

    void take_scratch(unsigned char* at) {
        const std::size_t inputs = program_.inputs.size();
        // What chains and kernels keep in registers of the processor needs none here.
        places_ = arena_.table<std::size_t>(static_cast<std::size_t>(program_.register_count));
        std::size_t registers = 0;
        bool has_pairs = false;
        for (std::size_t n = 0; n < program_.instructions.size(); ++n) {
            const Instruction& i = program_.instructions[n];
            has_pairs = has_pairs || (i.kind == Kind::kFunction && i.source_count > 1);
            if (is_inside_chain(n) || i.kind == Kind::kNone) continue;
            places_[static_cast<std::size_t>(program_.registers[n])] = 1;
        }
        for (std::size_t& place : places_) {
            if (place) place = registers++;
        }
        const auto has_slot = [&](std::size_t n) {
            return reaches_[n].access == Access::kCopied || reaches_[n].access == Access::kRepeated;
        };
        std::size_t slots = registers + row_results_ + (has_pairs ? 2 : 0), direct_bytes = 0;
        for (std::size_t n = 0; n < inputs; ++n) slots += has_slot(n);
        for (const Reach& reach : reaches_) direct_bytes += reach.access == Access::kDirect ? reach.bytes : 0;
        // A chain then runs over any number of rows, and several over some rows, one after the other.
        const bool goes_on = has_rows_ && target_[static_cast<std::size_t>(program_.outputs[0])] >= 0;
        const std::size_t chains = goes_on ? chain_count() : 0;
        const std::size_t room = !at && chains == 1 ? kKeptBytes : kScratchBytes;
        block_ = room / ((slots + 1) * program_.widest + direct_bytes) / 64 * 64;
        block_ = std::clamp(block_, kLeastBlock, kMostBlock);
        if (has_rows_) {
            const auto row = static_cast<std::size_t>(layout_.sizes[1]);
            block_ = rows_lie_apart_ ? row : std::max<std::size_t>(1, block_ / row) * row;
        }
        // A row that is a block by itself is read where it lies.
        const auto is_copied = [&](std::size_t n) {
            if (reaches_[n].access == Access::kCopied) return true;
            return reaches_[n].access == Access::kRepeated && block_ != layout_.sizes[1];
        };
        for (std::size_t n = 0; n < inputs; ++n) {
            slots -= has_slot(n) && !is_copied(n);
            Reach& reach = reaches_[n];
            const int last = layout_.rank - 1;
            reach.has_tile = has_long_rows_ && reach.access == Access::kCopied &&
                             is_turned(reach.strides, last, reach.bytes);
            has_tiles_ = has_tiles_ || reach.has_tile;
            if (reach.has_tile) slots += kTileRows - 1;
        }
        if (has_tiles_) block_ = std::min<std::size_t>(block_, kTileColumns);
        // Slots do not begin a multiple of 4 KiB apart: processors take such addresses for the same
        // at first sight, and have what is read wait for what is written.
        const std::size_t slot_bytes = block_ * program_.widest + kSlotShift;
        periods_ = 1;
        register_bytes_ = slot_bytes;
        if (chains == 1) {
            periods_ = (kPiece + block_ - 1) / block_;
        } else if (chains > 1) {
            periods_ = std::clamp<std::uint64_t>(kPiece / block_, 1, kRowsOfChains);
            register_bytes_ = periods_ * block_ * program_.widest + kSlotShift;
        }
        const std::size_t all_bytes = registers * register_bytes_ + (slots - registers) * slot_bytes;
        if (!at || all_bytes > kScratchBytes) {
            heap_.reset(new unsigned char[all_bytes + 63]);
            at = heap_.get() + (64 - reinterpret_cast<std::uintptr_t>(heap_.get()) % 64) % 64;
        }
        registers_ = at;
        slot_bytes_ = slot_bytes;
        at += registers * register_bytes_;
        row_slots_ = at;
        at += row_results_ * slot_bytes;
        for (std::size_t k = 0; k < 2 && has_pairs; ++k, at += slot_bytes) expanded_[k] = at;
        for (std::size_t n = 0; n < inputs; ++n) {
            if (!has_slot(n)) continue;
            if (!is_copied(n)) {
                reaches_[n].slot = reaches_[n].data;
                continue;
            }
            reaches_[n].slot = at;
            at += slot_bytes * (reaches_[n].has_tile ? kTileRows : 1);
            if (reaches_[n].access != Access::kRepeated) continue;
            const std::size_t row = static_cast<std::size_t>(layout_.sizes[1]) * reaches_[n].bytes;
            for (std::size_t begin = 0; begin < block_ * reaches_[n].bytes; begin += row) {
                std::memcpy(reaches_[n].slot + begin, reaches_[n].data, row);
            }
        }
        for (std::size_t n = 0; n < program_.constants.size(); ++n) {
            constants_[n] = in_memory(program_.constants[n]);
            values_[inputs + n] = &constants_[n];
            is_one_[inputs + n] = 1;
        }
    }

    // Where the block is, found once for all operands.
    void locate(std::uint64_t begin) {
        for (int k = layout_.rank - 1; k > 0 && has_long_rows_; --k) {
            coordinates_[k] = begin % layout_.sizes[k];
            begin /= layout_.sizes[k];
        }
        coordinates_[has_long_rows_ ? 0 : layout_.rank - 1] = begin;
        if (rows_lie_apart_) coordinates_[0] = begin / layout_.sizes[1];
    }

    // Where an operand's elements lie that are read or written in place, from the first of the block on.
    unsigned char* place_of(const Reach& reach) const {
        // Whole rows, where they lie apart.
        const int last = rows_lie_apart_ ? 0 : layout_.rank - 1;
        unsigned char* at = reach.data + static_cast<std::int64_t>(coordinates_[last]) * reach.strides[last];
        for (int k = 0; k < last && has_long_rows_; ++k) {
            at += static_cast<std::int64_t>(coordinates_[k]) * reach.strides[k];
        }
        return at;
    }

    // Rows of tiles are so many bytes behind their first; otherwise each is read by itself.
    void read(std::uint64_t begin, std::uint64_t count, std::ptrdiff_t tile_row) {
        for (std::size_t n = 0; n < program_.inputs.size(); ++n) {
            const Reach& reach = reaches_[n];
            is_one_[n] = reach.access == Access::kOne;
            if (reach.access == Access::kRepeated) {
                values_[n] = reach.slot;
                continue;
            }
            if (reach.access != Access::kCopied) {
                values_[n] = place_of(reach);
                continue;
            }
            if (tile_row >= 0 && reach.has_tile) {
                values_[n] = reach.slot + tile_row;
                continue;
            }
            values_[n] = reach.slot;
            read_elements(layout_, reach, begin, count);
        }
    }

    // To its register, to an output, or to a place for good.
    void run_instruction(std::size_t n, std::uint64_t count, unsigned char* place = nullptr) {
        const Instruction& i = program_.instructions[n];
        if (i.kind == Kind::kNone) return;
        const auto value = static_cast<std::size_t>(program_.first_result()) + n;
        const void* sources[kMostSources] = {};
        unsigned repeated = 0;
        for (int k = 0; k < i.source_count; ++k) {
            const auto source = static_cast<std::size_t>(i.sources[k]);
            sources[k] = values_[source];
            repeated |= static_cast<unsigned>(is_one_[source]) << k;
        }
        // What is the same for all elements is computed once.
        const bool is_one = repeated == (1u << i.source_count) - 1;
        unsigned char* to = place ? place : register_of(n);
        if (is_one) {
            count = 1;
            repeated = 0;
        } else if (!place && target_[value] >= 0) {
            to = place_of(reaches_[static_cast<std::size_t>(target_[value])]);
        }
        is_one_[value] = is_one;
        values_[value] = to;
        if (i.kind == Kind::kFunction) {
            for (unsigned k = 0; k < 2; ++k) {
                if (!(repeated >> k & 1)) continue;
                copy_run(expanded_[k], sizeof(float), static_cast<const unsigned char*>(sources[k]),
                         0, sizeof(float), count);
                sources[k] = expanded_[k];
            }
            const auto which = static_cast<std::size_t>(i.which);
            (i.to == Type::kFloat32 ? functions_.single : functions_.half)[which](
                static_cast<const float*>(sources[0]),
                static_cast<const float*>(sources[i.source_count - 1]), to, count);
            return;
        }
        const bool is_choice = i.kind == Kind::kOperation && i.source_count == 3;
        if (is_choice && (repeated & 1)) {
            // One truth value for all: one of both.
            std::uint8_t mask;
            std::memcpy(&mask, sources[0], 1);
            const unsigned chosen = mask ? 1 : 2;
            const auto bytes = bytes_of(i.from);
            copy_run(to, static_cast<std::int64_t>(bytes),
                     static_cast<const unsigned char*>(sources[chosen]),
                     repeated >> chosen & 1 ? 0 : static_cast<std::int64_t>(bytes), bytes, count);
            return;
        }
        kernel_of(kernels_, i)(sources, repeated, to, count);
    }

    void write(std::uint64_t begin, std::uint64_t count) {
        const std::size_t inputs = program_.inputs.size();
        for (std::size_t n = 0; n < program_.outputs.size(); ++n) {
            const Reach& out = reaches_[inputs + n];
            const auto value = static_cast<std::size_t>(program_.outputs[n]);
            const bool is_one = is_one_[value] != 0;
            if (target_[value] == static_cast<int>(inputs + n) && !is_one) continue;
            const auto* const from = static_cast<const unsigned char*>(values_[value]);
            if (out.streams && !is_one) {
                copy_past_caches(place_of(out), from, count * out.bytes);
                continue;
            }
            const std::int64_t step = is_one ? 0 : static_cast<std::int64_t>(out.bytes);
            const OwnAxes axes(layout_, out.strides);
            for_each_run(axes, begin, count, [&](std::int64_t at, std::uint64_t done, std::uint64_t run) {
                copy_run(out.data + at, axes.step(), from + static_cast<std::int64_t>(done) * step, step, out.bytes,
                         run);
                return std::uint64_t{1};
            });
        }
    }

    void run_block(std::uint64_t begin, std::uint64_t count, std::ptrdiff_t tile_row = -1) {
        read(begin, count, tile_row);
        for (std::size_t n = 0; n < program_.instructions.size(); ++n) {
            if (is_row_[static_cast<std::size_t>(program_.first_result()) + n]) continue;
            if (!chains_.lengths.empty() && chains_.lengths[n] > 1) {
                run_chain(n, count);
                n += chains_.lengths[n] - 1;
            } else {
                run_instruction(n, count);
            }
        }
        write(begin, count);
    }

    const Program& program_;
    const Layout& layout_;
    const Kernels& kernels_;
    const functions::Kernels& functions_;
    bool has_rows_, rows_lie_apart_, has_long_rows_;
    bool is_each_ = false;  // rows have numbers, each one for all of it
    bool streams_ = false, has_tiles_ = false;
    Arena arena_;
    const Table<Reach> reaches_;
    const Table<const void*> values_;
    const Table<unsigned char> is_one_;
    const Table<int> target_;  // by value: the operand that it is computed in
    const Table<std::uint64_t> constants_;
    const Table<unsigned char> is_row_;  // by value
    std::uint64_t coordinates_[kMaxRank];  // of the block
    std::size_t block_, slot_bytes_;
    std::size_t periods_, register_bytes_;  // how many periods run at once, and what a register takes for these
    std::size_t row_results_ = 0;
    Chains chains_;
    Table<Followed> followed_;        // by the first instruction of a chain
    Table<unsigned char> is_inside_;  // by instruction; empty without chains
    Table<std::size_t> places_;       // by register
    unsigned char *registers_, *row_slots_;
    unsigned char* expanded_[2];
    std::unique_ptr<unsigned char[]> heap_;
};

}  // namespace

struct Repeated::Made {
    Made(const Program& program, const Task& task, const Policy& policy)
        : layout(task, program.inputs.size() + program.outputs.size()),
          worker(program, layout, task, policy, true, nullptr) {}
    const Layout layout;
    Worker worker;
};

Repeated::Repeated(const Program& program, const Task& task, const Policy& policy)
    : made_(new Made(program, task, policy)) {}
Repeated::~Repeated() = default;
void Repeated::move(std::size_t operand, unsigned char* data) { made_->worker.move(operand, data); }
void Repeated::run() { run(0, made_->layout.count); }
void Repeated::run(std::uint64_t begin, std::uint64_t end) { made_->worker.run(begin, end); }

void run(const Program& program, const Task& task, const Policy& policy) {
    const Layout layout(task, program.inputs.size() + program.outputs.size());
    if (layout.count == 0) return;
    const double work = program.nanoseconds * static_cast<double>(layout.count);
    const unsigned parts = worthwhile_threads(work / kNanosecondsPerThread, policy.max_threads);
    // Cut at multiples of 64 elements, so that threads do not share the lines of a packed output.
    // At whole rows, where there are some.
    const std::uint64_t row = layout.rank > 1 ? layout.sizes[layout.rank - 1] : 1;
    const std::uint64_t step = std::lcm(row, std::uint64_t{64});
    const std::uint64_t share = (layout.count / parts + step - 1) / step * step;
    run_team(parts, [&](unsigned part) {
        const std::uint64_t begin = std::min(part * share, layout.count);
        const std::uint64_t end =
            part + 1 == parts ? layout.count : std::min(begin + share, layout.count);
        if (begin == end) return;
        alignas(64) unsigned char scratch[kScratchBytes];
        Worker(program, layout, task, policy, false, scratch).run(begin, end);
    });
}

}  // namespace programs
}  // namespace indirectml
