// Chains of a program: instructions of which each goes on with what the one before makes, and nobody
// else does, so that a number is followed from one to the next in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "inverses.h"
#include "program.h"
#include "tables.h"

namespace indirectml {
namespace programs {

// The least of a type of 8 bits, as the bits of a FLOAT32.
inline std::uint32_t least_of(Type type) {
    const float least = type == Type::kInt8 ? -128.0f : 0.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &least, sizeof(bits));
    return bits;
}

inline bool is_byte(Type type) { return type == Type::kInt8 || type == Type::kUInt8; }

// What a chain goes on with: a link, and the source that comes along.
struct Linked {
    Link link;
    int other;  // -1 if there is none
    std::uint32_t chosen;
    bool is_nothing;
    bool is_last;  // the number ends as an integer or a FLOAT16
    std::size_t length;  // in instructions
};

// What a chain begins with: a number, its type, and how many instructions make a FLOAT32 of it.
struct ChainHead {
    int number, more;  // more: what is added to it, or -1
    Type type;
    std::size_t length;
};

// By instruction: how many begin a chain there, what it begins with, and its links. Empty where none was looked for.
struct Chains {
    static constexpr std::size_t kMostLinks = 32;
    Table<std::size_t> lengths;
    Table<ChainHead> heads;
    Table<Linked> links;
};

// Where a link finds its numbers that are one for each row.
struct EachRow {
    std::size_t link;
    const float *other, *inverse;
};

// A chain's links, those whose numbers lie elsewhere in each block: which, and what value or where of the first
// row, and those that divide what is quantized.
struct Followed {
    List<ChainLink> links;
    List<std::pair<std::size_t, std::size_t>> moving;
    List<EachRow> each_row;
    List<std::size_t> quotients;
    bool is_found = false;
};

// Rows for the quotients of a normalization by products, where the target has these and they are right:
// three of `count` numbers, `distance` apart.
inline void take_quotients_by_products(const Kernels& kernels, std::size_t count, std::size_t distance,
                                       Arena& arena, ChainLink* links) {
    if (!kernels.make_quotient_rows) return;
    constexpr std::size_t kLine = 64;
    float* at = arena.table<float>(3 * distance + kLine / sizeof(float)).data();
    at += (kLine - reinterpret_cast<std::uintptr_t>(at) % kLine) % kLine / sizeof(float);
    const QuotientRows rows = {at, at + distance, at + 2 * distance};
    const NormalizationRows from = {links[0].other, links[1].other, links[2].other, links[3].other};
    if (!kernels.make_quotient_rows(from, rows, count)) return;
    links[0].other = rows.mean;
    links[0].inverse = rows.inverse;
    links[1].other = rows.deviation;
}

// Stands for one element that may be another one in the next block: a NaN that no link is looked for with.
constexpr unsigned char kAnyNumber[4] = {0xFF, 0xFF, 0xFF, 0xFF};

// Inputs that are one element for all of a block, as constants and results of these are, have it at `singles`,
// others null; `is_row` says which values are not computed with the others.
Chains find_chains(const Program& program, Table<const unsigned char*> singles, Table<unsigned char> is_row,
                   const Kernels& kernels, Arena& arena);

// Whether links from there on normalize by rows, or by one number for each.
constexpr std::size_t kNormalizationLinks = 4;
inline bool normalizes(const ChainLink* links) {
    constexpr Link kParts[] = {Link::kSubtract, Link::kDivide, Link::kMultiply, Link::kAdd};
    for (std::size_t part = 0; part < kNormalizationLinks; ++part) {
        if (links[part].link != kParts[part] || !links[part].other) return false;
    }
    return true;
}

// Whether a link divides what the next one quantizes.
inline bool quantizes_quotient(const ChainLink* links) {
    return links[0].link == Link::kDivide && links[1].link == Link::kQuantize;
}

// Divides by one number by way of kQuotient, where that may, and by two products, if there are enough numbers for what it
// takes to find these.
inline void choose_quotient(ChainLink* link, bool are_many) {
    constexpr float kLeast = 0x1p-30f, kMost = 0x1p30f;
    const bool is_near = !link->other && !link->each && link->one >= kLeast && link->one <= kMost;
    if (is_near && link->link == Link::kQuotient && link->divisor == link->one) return;
    link->link = is_near ? Link::kQuotient : Link::kDivide;
    const std::optional<Inverse> by = is_near && are_many ? inverse_of(link->one) : std::nullopt;
    link->chosen = by ? by->high : is_near ? 1 / link->one : 0;
    link->rest = by ? by->low : 0;
    link->divisor = link->one;
}

}  // namespace programs
}  // namespace indirectml
