// Threads that live as long as one call: a process may fork between calls, and nothing has to be
// shut down.
#pragma once

#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "float_modes.h"

namespace indirectml {

// Those who work together on a call.
class Team {
  public:
    explicit Team(unsigned size = 1) : size_(size) {}
    unsigned size() const { return size_; }

    // Returns when all have called it as often as this one.
    void wait() {
        if (size_ == 1) return;
        const unsigned turn = turn_.load(std::memory_order_acquire);
        if (waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
            waiting_.store(0, std::memory_order_relaxed);
            turn_.store(turn + 1, std::memory_order_release);
            return;
        }
        for (unsigned spins = 0; turn_.load(std::memory_order_acquire) == turn; ++spins) {
            // Where there are fewer processors than threads, somebody else has to come to run.
            if (spins > kSpins) std::this_thread::yield();
        }
    }

  private:
    static constexpr unsigned kSpins = 2000;
    const unsigned size_;
    std::atomic<unsigned> waiting_{0}, turn_{0};
};

// Runs work(part, team) for each part 0 .. team.size() - 1 at the same time, in the processor's
// default modes. The team has `most` members, or fewer where the system gives no further thread.
template <typename Work>
void run_together(unsigned most, const Work& work) {
    if (most <= 1) {
        const DefaultFloatModes modes;
        Team alone;
        return work(0, alone);
    }
    std::vector<std::thread> threads;
    threads.reserve(most - 1);
    // Members start when it is known how many there are.
    std::atomic<Team*> ready{nullptr};
    const auto member = [&](unsigned part) {
        const DefaultFloatModes modes;
        Team* team;
        while ((team = ready.load(std::memory_order_acquire)) == nullptr) {
            std::this_thread::yield();
        }
        work(part, *team);
    };
    try {
        for (unsigned part = 1; part < most; ++part) threads.emplace_back(member, part);
    } catch (const std::system_error&) {
        // Those that have started are enough.
    }
    Team team(static_cast<unsigned>(threads.size()) + 1);
    ready.store(&team, std::memory_order_release);
    member(0);
    for (std::thread& thread : threads) thread.join();
}

// Runs work(0) .. work(parts - 1), each once.
template <typename Work>
void run_team(unsigned parts, const Work& work) {
    run_together(parts, [&](unsigned member, const Team& team) {
        for (unsigned part = member; part < parts; part += team.size()) work(part);
    });
}

}  // namespace indirectml
