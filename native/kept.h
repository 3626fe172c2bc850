// What a step makes once and uses in each call.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace indirectml {

// As many of a kind as are used at the same time, by threads or by calls.
template <typename T>
class Kept {
  public:
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

    // One that nobody uses and that fits, or what make() returns. One that does not fit goes.
    template <typename Fits, typename Make>
    std::unique_ptr<T> take(const Fits& fits, const Make& make) {
        std::unique_ptr<T> found;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!idle_.empty()) {
                found = std::move(idle_.back());
                idle_.pop_back();
            }
        }
        return found && fits(*found) ? std::move(found) : make();
    }
    void give_back(std::unique_ptr<T> used) {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(used));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace indirectml
