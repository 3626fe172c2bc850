#include "steps.h"

#include "team.h"

namespace indirectml {

namespace {

// Less work is done by one thread: another takes as long to start.
constexpr double kNanosecondsForCrew = 200e3;
// A thread that waits has work at once; then this part of the work that starting one takes pays.
constexpr double kPriceOfWaiting = 1.0 / 16;

// So many steps are looked at for constants that can be fetched ahead: an activation may come between.
constexpr std::size_t kAhead = 2;

const void* constants_after(const std::vector<const Step*>& steps, std::size_t number,
                            unsigned char* const* memories) {
    for (std::size_t k = number + 1; k < steps.size() && k <= number + kAhead; ++k) {
        const void* const found = steps[k]->first_constants(memories);
        if (found) return found;
    }
    return nullptr;
}

std::size_t run_each(const std::vector<const Step*>& steps, std::size_t first,
                     unsigned char* const* memories, const Policy& policy) {
    for (; first < steps.size(); ++first) {
        const void* const next = constants_after(steps, first, memories);
        if (!steps[first]->run(memories, next, policy)) break;
    }
    return first;
}

}  // namespace

std::size_t run_steps(const std::vector<const Step*>& steps, std::size_t first,
                      unsigned char* const* memories, const Policy& policy) {
    double nanoseconds = 0;
    for (std::size_t k = first; k < steps.size(); ++k) nanoseconds += steps[k]->nanoseconds;
    const bool is_much = policy.max_threads > 1 && nanoseconds > kNanosecondsForCrew;
    if (!is_much || first + 1 >= steps.size()) return run_each(steps, first, memories, policy);
    const SharedCrew crew(kPriceOfWaiting);
    return run_each(steps, first, memories, policy);
}

}  // namespace indirectml
