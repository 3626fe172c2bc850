// What is made once and used again and again.
#pragma once

#include <exception>
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

    // One for as long as this exists, which goes back to what is kept, if there is such.
    class Taken {
      public:
        // One that nobody uses and that fits, or what make() returns. One that does not fit goes.
        template <typename Fits, typename Make>
        Taken(Kept* kept, const Fits& fits, const Make& make) : kept_(kept) {
            if (kept_) own_ = kept_->idle();
            if (!own_ || !fits(*own_)) own_ = make();
        }
        ~Taken() {
            if (kept_) kept_->give_back(std::move(own_));
        }
        Taken(const Taken&) = delete;
        Taken& operator=(const Taken&) = delete;
        T* operator->() const { return own_.get(); }
        T& operator*() const { return *own_; }

      private:
        Kept* const kept_;
        std::unique_ptr<T> own_;
    };

  private:
    std::unique_ptr<T> idle() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (idle_.empty()) return nullptr;
        std::unique_ptr<T> found = std::move(idle_.back());
        idle_.pop_back();
        return found;
    }
    // Where there is no memory to remember it, it goes.
    void give_back(std::unique_ptr<T> used) noexcept try {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(used));
    } catch (const std::exception&) {
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace indirectml
