// Where the operands of steps over integers are: what the bindings of such steps share.
#pragma once

#include <optional>
#include <vector>

#include "../places.h"
#include "packing.h"

namespace indirectml {
namespace integers {

// Bytes that are integers.
struct BytePlace : Place {
    OperandType operand_type;

    BytePlace(const PlaceText& text, Step& step) : Place(text, false, step) {
        if (item_bytes != 1) throw nb::type_error("no INT8 or UINT8");
        operand_type = type.is_signed ? OperandType::kInt8 : OperandType::kUInt8;
    }
    std::ptrdiff_t stride(std::size_t axis) const {
        return static_cast<std::ptrdiff_t>(axes[axis].stride_bytes);
    }
};

struct WordPlace : Place {
    WordPlace(const PlaceText& text, Step& step) : Place(text, true, step) {
        if (item_bytes != 4) throw nb::type_error("no INT32");
    }
    std::ptrdiff_t stride(std::size_t axis) const {
        return static_cast<std::ptrdiff_t>(axes[axis].stride_bytes);
    }
    // Kernels write words where such words may lie.
    bool has_words(unsigned char* const* memories) const {
        bool found = is_aligned(memories);
        for (const Axis& axis : axes) found = found && axis.stride_bytes % 4 == 0;
        return found;
    }
};

// Zero points: one number, or elements in an order in which they are read one after the other. Kernels
// read them where they are, if one distance leads from each to the next.
class Zeros {
  public:
    Zeros(const std::optional<PlaceText>& text, std::int32_t number, std::size_t lines, Step& step)
        : number_(number) {
        if (!text) return;
        place_.emplace(*text, false, step);
        count_ = static_cast<std::size_t>(place_->count());
        if (place_->item_bytes > 4 || (count_ != 1 && count_ != lines)) {
            throw nb::value_error("another number of zero points");
        }
        const bool is_signed = place_->type.is_signed;
        has_type_ = place_->item_bytes == 1 || (place_->item_bytes == 4 && is_signed);
        if (place_->item_bytes == 1) type_ = is_signed ? ZeroType::kInt8 : ZeroType::kUInt8;
        std::int64_t stride = 0;
        std::size_t long_axes = 0;
        for (const Axis& axis : place_->axes) {
            if (axis.size == 1) continue;
            ++long_axes;
            stride = axis.stride_bytes;
        }
        if (long_axes > 1 && place_->is_packed()) {
            long_axes = 1;
            stride = place_->item_bytes;
        }
        follow_ = has_type_ && long_axes < 2 && stride >= 0 && stride % place_->item_bytes == 0;
        stride_ = static_cast<std::ptrdiff_t>(stride / place_->item_bytes);
    }
    // `memory` holds those that kernels cannot read where they are, or that `out` is written over. False
    // if one is beyond 8 bits.
    bool set(unsigned char* const* memories, const Place& out, std::vector<std::int32_t>& memory,
             ZeroPoints& zeros) const {
        if (!place_) {
            zeros = {&number_, 0};
            return true;
        }
        if (!has_type_) return false;
        if (follow_ && place_->is_aligned(memories) && !may_meet(*place_, out, memories)) {
            zeros = {place_->in(memories), count_ > 1 ? stride_ : 0, type_};
            if (type_ != ZeroType::kInt32) return true;
            for (std::size_t line = 0; line < count_; ++line) {
                if (!is_of_bytes(zero_of(zeros, line))) return false;
            }
            return true;
        }
        memory.resize(count_);
        std::vector<std::size_t> at(place_->axes.size(), 0);
        for (std::int32_t& zero : memory) {
            const unsigned char* from = place_->in(memories);
            for (std::size_t k = 0; k < at.size(); ++k) {
                from += static_cast<std::ptrdiff_t>(at[k]) *
                        static_cast<std::ptrdiff_t>(place_->axes[k].stride_bytes);
            }
            if (!read(from, zero)) return false;
            for (std::size_t k = at.size(); k-- > 0;) {
                if (++at[k] < place_->axes[k].size) break;
                at[k] = 0;
            }
        }
        zeros = {memory.data(), count_ > 1 ? 1 : 0};
        return true;
    }
    // Whether they stay what they are, in these buffers.
    bool is_kept(unsigned char* const* kept) const { return !place_ || kept[place_->buffer]; }
    // What is read meanwhile: all of it, for any rows.
    void touch(unsigned char* const* memories, std::vector<Rows>& touched) const {
        if (!place_ || place_->is_backward) return;  // those are copied
        touched.push_back({place_->in(memories), 0, place_->reach_bytes(), false});
    }

  private:
    bool read(const unsigned char* from, std::int32_t& zero) const {
        const bool is_signed = place_->type.is_signed;
        if (place_->item_bytes == 1) {
            zero = is_signed ? static_cast<signed char>(*from) : *from;
            return true;
        }
        std::memcpy(&zero, from, sizeof(zero));
        return is_of_bytes(zero);
    }
    static bool is_of_bytes(std::int32_t zero) { return zero >= -128 && zero <= 255; }
    std::optional<Place> place_;
    std::size_t count_ = 1;
    ZeroType type_ = ZeroType::kInt32;
    bool has_type_ = false, follow_ = false;
    std::ptrdiff_t stride_ = 0;
    const std::int32_t number_;
};

}  // namespace integers
}  // namespace indirectml
