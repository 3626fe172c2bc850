#include "chains.h"

#include <algorithm>

namespace indirectml {
namespace programs {

namespace {

class Finder {
  public:
    Finder(const Program& program, Table<const unsigned char*> singles, Table<unsigned char> is_row,
           const Kernels& kernels, Arena& arena)
        : program_(program),
          kernels_(kernels),
          singles_(singles),
          is_single_(arena.table<unsigned char>(program.types.size())),
          is_row_(is_row),
          uses_(arena.table<int>(program.types.size())),
          chains_{arena.table<std::size_t>(program.instructions.size(), 1),
                  arena.table<ChainHead>(program.instructions.size()),
                  arena.table<Linked>(program.instructions.size())} {}

    Chains found() {
        const std::size_t count = program_.instructions.size();
        count_uses();
        find_singles();
        for (std::size_t n = 0; n < count; n += chains_.lengths[n]) {
            ChainHead& head = chains_.heads[n];
            if (!begins(n, &head)) continue;
            const std::size_t end = end_of(n, head);
            if (end > n + 1 && may_lie(head, end - 1)) chains_.lengths[n] = end - n;
        }
        return chains_;
    }

  private:
    void count_uses() {
        for (const Instruction& i : program_.instructions) {
            for (int k = 0; k < i.source_count; ++k) ++uses_[static_cast<std::size_t>(i.sources[k])];
        }
        for (const int output : program_.outputs) ++uses_[static_cast<std::size_t>(output)];
    }

    // Results of single elements alone are single.
    void find_singles() {
        for (std::size_t n = 0; n < static_cast<std::size_t>(program_.first_result()); ++n) {
            is_single_[n] = n >= singles_.size() || singles_[n];
        }
        for (std::size_t n = 0; n < program_.instructions.size(); ++n) {
            const Instruction& i = program_.instructions[n];
            is_single_[value_of(n)] = std::all_of(i.sources, i.sources + i.source_count, [&](int k) {
                return is_single_[static_cast<std::size_t>(k)] != 0;
            });
        }
    }

    std::size_t value_of(std::size_t n) const {
        return static_cast<std::size_t>(program_.first_result()) + n;
    }
    bool is_fixed(std::size_t value) const { return is_single_[value] || is_row_[value]; }

    // Whether a chain may begin with instruction n: with a number that is not the same for all.
    bool begins(std::size_t n, ChainHead* head) const {
        const Instruction& i = program_.instructions[n];
        if (is_fixed(value_of(n)) || i.kind == Kind::kNone) return false;
        *head = {i.sources[0], -1, Type::kFloat32, 0};
        if (i.kind == Kind::kConvert && i.to == Type::kFloat32 &&
            (i.from == Type::kInt32 || i.from == Type::kFloat16 || is_byte(i.from))) {
            head->type = i.from;
            head->length = 1;
        } else if (i.kind == Kind::kRequantize &&
                   widens(n + 1, static_cast<int>(value_of(n)), i.to)) {
            head->type = Type::kInt32;
            head->length = 2;
            if (i.source_count > 3) head->more = i.sources[3];
        }
        if (head->length > 0) return !is_fixed(static_cast<std::size_t>(head->number));
        if (is_fixed(static_cast<std::size_t>(head->number))) head->number = i.sources[1];
        return i.source_count == 2 || rounds_to_half(i) || is_function(n, head->number, functions::Function::kSigmoid);
    }

    // Whether instruction n is a function of `from`, to FLOAT32.
    bool is_function(std::size_t n, int from, functions::Function function) const {
        const Instruction& i = program_.instructions[n];
        return i.kind == Kind::kFunction && i.to == Type::kFloat32 && i.sources[0] == from &&
               static_cast<functions::Function>(i.which) == function;
    }

    // Whether instruction n alone is such a link of `from` and another number.
    bool is_link(std::size_t n, Link link, int from, int other) const {
        Linked found;
        return linked(n, from, &found) == 1 && !found.is_nothing && found.link == link && found.other == other;
    }
    // One number for all, with these bits.
    bool is_link_of(std::size_t n, Link link, int from, std::uint32_t bits) const {
        Linked found;
        if (linked(n, from, &found) != 1 || found.is_nothing || found.link != link) return false;
        if (const std::uint64_t* const other = constant(found.other)) return static_cast<std::uint32_t>(*other) == bits;
        if (static_cast<std::size_t>(found.other) >= singles_.size()) return false;
        const unsigned char* const at = singles_[static_cast<std::size_t>(found.other)];
        return at && std::memcmp(at, &bits, sizeof(bits)) == 0;
    }

    // How many instructions from n on make of `from` what kSilu or kGelu does; nobody else asks for what is
    // between them. Or 0.
    std::size_t activation(std::size_t n, int from, Linked* found) const {
        constexpr std::uint32_t kRootOfTwo = 0x3FB504F3, kOne = 0x3F800000, kHalf = 0x3F000000;
        constexpr std::size_t kOfSilu = 2, kOfGelu = 5;
        const auto is_alone = [&](std::size_t length) {
            if (n + length > program_.instructions.size()) return false;
            const auto first = uses_.begin() + value_of(n);
            return std::all_of(first, first + length - 1, [](int uses) { return uses == 1; });
        };
        const auto value = [&](std::size_t k) { return static_cast<int>(value_of(n + k)); };
        if (is_alone(kOfSilu) && is_function(n, from, functions::Function::kSigmoid) &&
            is_link(n + 1, Link::kMultiply, from, value(0))) {
            *found = {Link::kSilu, -1, 0, false, true, 0};
            return kOfSilu;
        }
        if (is_alone(kOfGelu) && is_link_of(n, Link::kDivide, from, kRootOfTwo) &&
            is_function(n + 1, value(0), functions::Function::kErf) &&
            is_link_of(n + 2, Link::kAdd, value(1), kOne) &&
            is_link(n + 3, Link::kMultiply, from, value(2)) &&
            is_link_of(n + 4, Link::kMultiply, value(3), kHalf)) {
            *found = {Link::kGelu, -1, 0, false, true, 0};
            return kOfGelu;
        }
        return 0;
    }

    static bool rounds_to_half(const Instruction& i) {
        return i.kind == Kind::kConvert && i.from == Type::kFloat32 && i.to == Type::kFloat16;
    }

    // Behind the last instruction of a chain, whose links are written down.
    std::size_t end_of(std::size_t n, const ChainHead& head) {
        std::size_t end = n + head.length;
        int from = head.length == 0 ? head.number : static_cast<int>(value_of(end - 1));
        // A chain's result is canonical, where its choices alone would keep any NaN.
        bool keeps_nans = head.length == 0;
        for (bool is_last = false; !is_last && end < n + Chains::kMostLinks;) {
            if (end >= program_.instructions.size()) break;
            Linked& link = chains_.links[end];
            std::size_t length = hard_swish(end, from, &link);
            if (length == 0) length = hard_swish_quotient(end, from, &link);
            if (length == 0) length = activation(end, from, &link);
            if (length == 0) length = linked(end, from, &link);
            if (length == 0) break;
            if (end > n && uses_[static_cast<std::size_t>(from)] != uses_of(link, length)) break;
            link.length = length;
            is_last = link.is_last;
            keeps_nans = keeps_nans && chooses(link);
            end += length;
            from = static_cast<int>(value_of(end - 1));
        }
        return keeps_nans ? n : end;
    }

    // Whether instruction n makes a FLOAT32 again of what is quantized or rounded to `value`, for which
    // nobody else asks.
    bool widens(std::size_t n, int value, Type type) const {
        if (n >= program_.instructions.size()) return false;
        const Instruction& i = program_.instructions[n];
        return i.kind == Kind::kConvert && i.from == type && i.to == Type::kFloat32 &&
               i.sources[0] == value && uses_[static_cast<std::size_t>(value)] == 1;
    }

    // Whether instruction n puts the canonical NaN in the place of a NaN that `mask`, and nobody else,
    // found in a number.
    bool makes_canonical(std::size_t n, int mask, int number) const {
        constexpr std::uint32_t kNan = 0x7FC00000;
        if (n >= program_.instructions.size()) return false;
        const Instruction& i = program_.instructions[n];
        const int chosen = i.sources[1] - program_.first_constant();
        return i.kind == Kind::kOperation && static_cast<Operation>(i.which) == Operation::kChoose &&
               bytes_of(i.from) == sizeof(float) && i.sources[0] == mask && i.sources[2] == number &&
               uses_[static_cast<std::size_t>(mask)] == 1 && chosen >= 0 &&
               i.sources[1] < program_.first_result() &&
               program_.constants[static_cast<std::size_t>(chosen)].bits == kNan;
    }

    // Whether value `from` goes on by instruction n, or by it and the next; how many these are, or 0.
    std::size_t linked(std::size_t n, int from, Linked* found) const {
        const Instruction& i = program_.instructions[n];
        const int own = program_.first_result() + static_cast<int>(n);
        if (i.kind == Kind::kQuantize && i.sources[0] == from && i.sources[1] != from) {
            const bool goes_on = widens(n + 1, own, i.to);
            *found = {Link::kQuantize, i.sources[1], least_of(i.to), false, !goes_on, 0};
            return goes_on ? 2 : 1;
        }
        if (rounds_to_half(i) && i.sources[0] == from) {
            const bool goes_on = widens(n + 1, own, i.to);
            *found = {Link::kRoundToHalf, -1, 0, !goes_on, !goes_on, 0};  // the last one as it is written
            return goes_on ? 2 : 1;
        }
        if (i.kind != Kind::kOperation || i.from != Type::kFloat32) return 0;
        const auto operation = static_cast<Operation>(i.which);
        *found = {Link::kAdd, 0, 0, false, false, 0};
        if (operation == Operation::kCanonical && i.sources[0] == from) {
            found->is_nothing = true;  // a chain ends with that
            return 1;
        }
        if (operation == Operation::kIsNan && i.sources[0] == from && makes_canonical(n + 1, own, from)) {
            found->is_nothing = true;
            return 2;
        }
        if (i.source_count != 2 || (i.sources[0] == from) == (i.sources[1] == from)) return 0;
        const bool is_first = i.sources[0] == from;
        found->other = i.sources[is_first ? 1 : 0];
        switch (operation) {
            case Operation::kAdd: found->link = Link::kAdd; return 1;
            case Operation::kMultiply: found->link = Link::kMultiply; return 1;
            case Operation::kSubtract:
                found->link = is_first ? Link::kSubtract : Link::kSubtractFrom;
                return 1;
            case Operation::kDivide:
                found->link = is_first ? Link::kDivide : Link::kDivideInto;
                return 1;
            case Operation::kLess:
                found->link = is_first ? Link::kChooseIfLess : Link::kChooseIfMore;
                break;
            case Operation::kLessEqual:
                found->link = is_first ? Link::kChooseIfAtMost : Link::kChooseIfAtLeast;
                break;
            default: return 0;
        }
        // A choice between a constant and the number itself.
        if (n + 1 >= program_.instructions.size()) return 0;
        const Instruction& choice = program_.instructions[n + 1];
        if (choice.kind != Kind::kOperation ||
            static_cast<Operation>(choice.which) != Operation::kChoose ||
            bytes_of(choice.from) != sizeof(float) || choice.sources[0] != own ||
            choice.sources[2] != from || uses_[static_cast<std::size_t>(own)] != 1) {
            return 0;
        }
        const std::uint64_t* const chosen = constant(choice.sources[1]);
        if (!chosen) return 0;
        found->chosen = static_cast<std::uint32_t>(*chosen);
        constexpr std::uint32_t kInfinity = 0x7F800000;
        if ((found->chosen & 0x7FFFFFFF) > kInfinity) return 0;
        // What is compared with the number that is chosen is a limit.
        const std::uint64_t* const limit = constant(found->other);
        if (limit && static_cast<std::uint32_t>(*limit) == found->chosen) {
            if (found->link == Link::kChooseIfLess) found->link = Link::kAtLeast;
            if (found->link == Link::kChooseIfMore) found->link = Link::kAtMost;
            if (found->link == Link::kChooseIfAtMost && found->chosen == 0) found->link = Link::kPositive;
        }
        return 2;
    }

    // The bits of a constant, or null.
    const std::uint64_t* constant(int value) const {
        const int n = value - program_.first_constant();
        if (n < 0 || value >= program_.first_result()) return nullptr;
        return &program_.constants[static_cast<std::size_t>(n)].bits;
    }

    // How many instructions from n on multiply `from` by what such links make of it, each with one number for
    // all; nobody else asks for what is between. Or 0.
    template <std::size_t kCount>
    std::size_t times_linked(std::size_t n, int from, const Link (&wanted)[kCount], Linked* links) const {
        const std::size_t begin = n;
        int to = from;
        for (std::size_t k = 0; k < kCount; ++k) {
            if (n >= program_.instructions.size()) return 0;
            const std::size_t length = linked(n, to, &links[k]);
            if (length == 0 || links[k].is_nothing || links[k].link != wanted[k]) return 0;
            if (!is_single_[static_cast<std::size_t>(links[k].other)]) return 0;
            const int uses = k == 0 ? 2 : uses_of(links[k], length);
            if (uses_[static_cast<std::size_t>(to)] != uses) return 0;
            n += length;
            to = static_cast<int>(value_of(n - 1));
        }
        Linked last;
        if (n < program_.instructions.size() && linked(n, to, &last) == 1 && last.is_nothing) {
            if (uses_[static_cast<std::size_t>(to)] != 1) return 0;
            to = static_cast<int>(value_of(n++));
        }
        if (n >= program_.instructions.size() || uses_[static_cast<std::size_t>(to)] != 1) return 0;
        if (linked(n, from, &last) != 1 || last.link != Link::kMultiply || last.other != to) return 0;
        return n + 1 - begin;
    }

    std::size_t hard_swish(std::size_t n, int from, Linked* found) const {
        constexpr Link kLinks[] = {Link::kMultiply, Link::kAdd, Link::kChooseIfAtLeast, Link::kPositive};
        constexpr std::uint32_t kOne = 0x3F800000;
        Linked links[4];
        const std::size_t length = times_linked(n, from, kLinks, links);
        if (length == 0) return 0;
        for (const Linked& link : links) {
            if (!constant(link.other)) return 0;
        }
        if (links[2].chosen != kOne || *constant(links[2].other) != kOne) return 0;
        *found = {Link::kHardSwish, links[0].other, static_cast<std::uint32_t>(*constant(links[1].other)),
                  false, false, 0};
        return length;
    }

    // The same with a limit by which the product is divided.
    std::size_t hard_swish_quotient(std::size_t n, int from, Linked* found) const {
        constexpr Link kLinks[] = {Link::kAdd, Link::kAtLeast, Link::kAtMost};
        constexpr float kLeast = 0x1p-20f, kMost = 0x1p20f;
        Linked links[3];
        const std::size_t length = times_linked(n, from, kLinks, links);
        if (length == 0 || links[1].chosen != 0 || n + length >= program_.instructions.size()) return 0;
        const std::size_t product = value_of(n + length - 1);
        float limit;
        std::memcpy(&limit, &links[2].chosen, sizeof(limit));
        if (uses_[product] != 1 || !(limit >= kLeast && limit <= kMost)) return 0;
        if (!is_link_of(n + length, Link::kDivide, static_cast<int>(product), links[2].chosen)) return 0;
        *found = {Link::kHardSwishQuotient, links[0].other, links[2].chosen, false, false, 0};
        return length + 1;
    }

    static bool chooses(const Linked& linked) {
        return linked.link >= Link::kAtLeast && linked.link < Link::kQuantize;
    }
    // A choice reads its number twice, and so do what looks for a NaN, a hard swish and what ends a chain.
    static int uses_of(const Linked& linked, std::size_t length) {
        const bool is_swish = linked.link == Link::kHardSwish || linked.link == Link::kHardSwishQuotient;
        if (is_swish || ends_chain(linked.link)) return 2;
        return linked.link < Link::kQuantize ? static_cast<int>(length) : 1;
    }
    // Elements of another width must not lie where results are written.
    bool may_lie(const ChainHead& head, std::size_t last) const {
        const int first = program_.first_result();
        if (head.length == 0 || head.number < first) return true;
        return program_.registers[static_cast<std::size_t>(head.number - first)] !=
               program_.registers[last];
    }

    const Program& program_;
    const Kernels& kernels_;
    const Table<const unsigned char*> singles_;  // by input
    const Table<unsigned char> is_single_, is_row_;
    const Table<int> uses_;  // by value
    Chains chains_;
};

}  // namespace

Chains find_chains(const Program& program, Table<const unsigned char*> singles, Table<unsigned char> is_row,
                   const Kernels& kernels, Arena& arena) {
    return Finder(program, singles, is_row, kernels, arena).found();
}

}  // namespace programs
}  // namespace indirectml
