#include "stopping.h"

#include <algorithm>

namespace indirectml {

namespace {

thread_local Watch* own_watch = nullptr;
thread_local const std::atomic<bool>* stop = nullptr;

// Looking may take long, where others hold what is needed for it.
constexpr int kLooksShare = 20;

}  // namespace

Watch::Watch(Look look, void* context, Duration interval)
    : look_(look), context_(context), interval_(interval), former_(own_watch), former_stop_(stop) {
    if (look == nullptr) return;
    own_watch = this;
    stop = &is_stopped_;
}

Watch::~Watch() {
    own_watch = former_;
    stop = former_stop_;
}

void Watch::look() {
    using Clock = std::chrono::steady_clock;
    const auto now = Clock::now();
    if (next_ == Clock::time_point{}) next_ = now + interval_;
    if (now < next_ || is_stopped_.load(std::memory_order_relaxed)) return;
    if (look_(context_)) is_stopped_.store(true, std::memory_order_relaxed);
    const auto end = Clock::now();
    const Duration took = end - now;
    next_ = end + (interval_ == Duration{0} ? interval_ : std::max(interval_, kLooksShare * took));
}

WorksFor::WorksFor() : stop_(stop) {}

void WorksFor::begin() const {
    own_watch = nullptr;
    stop = stop_;
}

void look_around() {
    if (own_watch != nullptr) own_watch->look();
}

void may_stop() {
    look_around();
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Stopped{};
}

}  // namespace indirectml
