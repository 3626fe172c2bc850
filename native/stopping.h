// How work that takes long is ended early: whoever began it looks, between pieces of it, whether it
// shall go on. What it would have written is undefined then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace indirectml {

// Thrown by may_stop(), through everything that works.
struct Stopped {};

// For as long as this exists, work of this thread may be stopped, and of those who work for it.
class Watch {
  public:
    // True if the work shall end; asked on the thread of the watch alone.
    using Look = bool (*)(void* context);
    using Duration = std::chrono::nanoseconds;

    // Nobody looks where `look` is null. Not more often than each `interval`, and for no more than a
    // twentieth of the time.
    explicit Watch(Look look, void* context = nullptr, Duration interval = kInterval);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    static constexpr Duration kInterval = std::chrono::milliseconds(10);

  private:
    friend class WorksFor;
    friend void look_around();
    friend void may_stop();
    void look();

    const Look look_;
    void* const context_;
    const Duration interval_;
    std::chrono::steady_clock::time_point next_{};
    std::atomic<bool> is_stopped_{false};
    Watch* const former_;
    const std::atomic<bool>* const former_stop_;
};

// What a thread that works for another one has to know of it: made there, begun here.
class WorksFor {
  public:
    WorksFor();
    void begin() const;

  private:
    const std::atomic<bool>* stop_;
};

// Looks, if this thread has a watch and it is time to; does not throw.
void look_around();
// The same, and throws Stopped where the work shall end. For between pieces of work that take some
// microseconds at least, and some milliseconds at most.
void may_stop();

// may_stop() each so many elements, products or whatever is counted: for work in small parts.
class Pieces {
  public:
    explicit Pieces(std::uint64_t size = std::uint64_t{1} << 16) : size_(size) {}
    void done(std::uint64_t count) {
        done_ += count;
        if (done_ < size_) return;
        done_ = 0;
        may_stop();
    }

  private:
    const std::uint64_t size_;
    std::uint64_t done_ = 0;
};

}  // namespace indirectml
