// A word as a step of a plan: what is read and written lies as kernels take it, or is copied.
#pragma once

#include <functional>
#include <vector>

#include "places.h"
#include "steps.h"

namespace indirectml {

// What a word reads: elements at multiples of their size, one behind the other unless the word takes
// any strides.
struct Given {
    const unsigned char* data;
    const Place* place;  // its sizes and element type
    const std::vector<Axis>* axes;
};

class ArrayStep : public Step {
  public:
    using Work = std::function<void(const Given* from, unsigned char* const* to, const Policy&)>;
    // Bit k of `as_they_lie` says that input k may have any strides. The time is that of an element of
    // the largest array; with `writes_parts` of the largest input, as outputs of any strides keep
    // what is not written.
    ArrayStep(const std::vector<PlaceText>& inputs, const std::vector<PlaceText>& outputs,
              double nanoseconds_each, unsigned as_they_lie = 0, bool writes_parts = false);
    // What is done; places and element types can be looked at before.
    ArrayStep* with(Work work) {
        work_ = std::move(work);
        return this;
    }
    // What is asked first of what is read: where it says no, the step does nothing.
    ArrayStep* when(std::function<bool(const Given* from)> fits) {
        fits_ = std::move(fits);
        return this;
    }
    const Place& input(std::size_t k) const { return inputs_[k].place; }
    const Place& output(std::size_t k) const { return outputs_[k].place; }

    bool run(unsigned char* const* memories, const void* next,
             const Policy& policy) const override;

  private:
    struct Operand {
        Place place;
        std::vector<Axis> packed;  // axes of a packed copy
        bool is_taken_as_it_lies;
        std::size_t bytes() const {
            return static_cast<std::size_t>(place.count()) *
                   static_cast<std::size_t>(place.item_bytes);
        }
    };
    Operand operand(const PlaceText& text, bool is_written, bool any_strides);
    bool must_be_copied(const Operand& input, unsigned char* const* memories) const;

    std::vector<Operand> inputs_, outputs_;
    bool writes_parts_;
    Work work_;
    std::function<bool(const Given*)> fits_;
};

}  // namespace indirectml
