// Whether threads pay at the moment: what sharing work has gained, less what waiting for others took.
#pragma once

#include <algorithm>
#include <chrono>

namespace indirectml {

// Where others want the processors, too, a thread that has begun may not run for milliseconds. One such
// wait costs less than many milliseconds of work alone: so those count only where, taken together, they
// took more than sharing had gained before.
class SharingBalance {
  public:
    using Duration = std::chrono::nanoseconds;

    // After work that took `gained` less than it had alone, and in which the others were waited for.
    // Returns for how long to work alone from now on.
    Duration add(Duration gained, Duration waited) {
        balance_ = std::min(balance_ + gained - waited, kMost);
        if (balance_ >= Duration::zero()) return Duration::zero();
        // So that attempts that fail again and again take a few percent.
        const Duration alone = -balance_ * kTimesAlone;
        balance_ = Duration::zero();
        return alone;
    }

    // What was gained long ago says little.
    static constexpr Duration kMost = std::chrono::milliseconds(30);
    static constexpr int kTimesAlone = 30;

  private:
    Duration balance_ = kMost;
};

}  // namespace indirectml
