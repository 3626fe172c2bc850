#include "array_step.h"

#include <algorithm>
#include <memory>

#include "moving/copying.h"

namespace indirectml {

namespace {

// Memory whose beginning is a multiple of every element's size.
using Memory = std::unique_ptr<std::uint64_t[]>;
Memory memory_of(std::size_t bytes) { return Memory(new std::uint64_t[bytes / 8 + 1]); }
unsigned char* bytes_of(const Memory& memory) {
    return reinterpret_cast<unsigned char*>(memory.get());
}

constexpr double kNanosecondsOfStep = 200;

}  // namespace

ArrayStep::ArrayStep(const std::vector<PlaceText>& inputs, const std::vector<PlaceText>& outputs,
                     double nanoseconds_each, unsigned as_they_lie, bool writes_parts)
    : writes_parts_(writes_parts) {
    std::uint64_t most = 0;
    for (const PlaceText& text : inputs) {
        inputs_.push_back(operand(text, false, as_they_lie >> inputs_.size() & 1));
        most = std::max(most, inputs_.back().place.count());
    }
    for (const PlaceText& text : outputs) {
        outputs_.push_back(operand(text, true, writes_parts));
        if (!writes_parts) most = std::max(most, outputs_.back().place.count());
    }
    nanoseconds = kNanosecondsOfStep + nanoseconds_each * static_cast<double>(most);
}

ArrayStep::Operand ArrayStep::operand(const PlaceText& text, bool is_written, bool any_strides) {
    Operand made{Place(text, is_written, *this), {}, false};
    std::int64_t stride = made.place.item_bytes;
    made.packed = made.place.axes;
    for (std::size_t k = made.packed.size(); k-- > 0;) {
        made.packed[k].stride_bytes = stride;
        stride *= static_cast<std::int64_t>(made.packed[k].size);
    }
    made.is_taken_as_it_lies = any_strides || made.place.is_packed();
    return made;
}

bool ArrayStep::must_be_copied(const Operand& input, unsigned char* const* memories) const {
    if (!input.is_taken_as_it_lies || !input.place.is_aligned(memories)) return true;
    return std::any_of(outputs_.begin(), outputs_.end(), [&](const Operand& output) {
        return may_meet(input.place, output.place, memories);
    });
}

bool ArrayStep::run(unsigned char* const* memories, const void*, const Policy& policy) const {
    if (std::any_of(outputs_.begin(), outputs_.end(),
                    [](const Operand& output) { return output.place.count() == 0; })) {
        return true;
    }
    // A copy would not know what else there is.
    if (writes_parts_ && std::any_of(outputs_.begin(), outputs_.end(), [&](const Operand& output) {
            return !output.place.is_aligned(memories);
        })) {
        return false;
    }
    std::vector<Memory> copies;
    std::vector<Given> from;
    for (const Operand& input : inputs_) {
        const Place& place = input.place;
        if (!must_be_copied(input, memories)) {
            from.push_back({place.in(memories), &place, &place.axes});
            continue;
        }
        copies.push_back(memory_of(input.bytes()));
        unsigned char* const copy = bytes_of(copies.back());
        copy_elements({place.in(memories), place.axes}, copy, input.packed,
                      static_cast<std::size_t>(place.item_bytes), policy);
        from.push_back({copy, &place, &input.packed});
    }
    if (fits_ && !fits_(from.data())) return false;
    std::vector<unsigned char*> to;
    for (const Operand& output : outputs_) {
        if (output.is_taken_as_it_lies && output.place.is_aligned(memories)) {
            to.push_back(output.place.in(memories));
        } else {
            copies.push_back(memory_of(output.bytes()));
            to.push_back(bytes_of(copies.back()));
        }
    }
    work_(from.data(), to.data(), policy);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        const Place& place = outputs_[k].place;
        if (to[k] == place.in(memories)) continue;
        copy_elements({to[k], outputs_[k].packed}, place.in(memories), place.axes,
                      static_cast<std::size_t>(place.item_bytes), policy);
    }
    return true;
}

}  // namespace indirectml
