// Threads that live as long as one call, of an operator or of a graph: a process may fork between
// calls, and nothing has to be shut down.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "float_modes.h"
#include "stopping.h"

namespace indirectml {

// Those who work together on something.
class Team {
  public:
    explicit Team(unsigned size = 1) : size_(size) {}
    unsigned size() const { return size_; }

    // Returns when all have called it as often as this one, or throws Stopped.
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
            if (spins <= kSpins) continue;
            std::this_thread::yield();
            may_stop();  // those who have stopped come no more
        }
    }

    static constexpr unsigned kSpins = 2000;

  private:
    const unsigned size_;
    std::atomic<unsigned> waiting_{0}, turn_{0};
};

// The threads of one call: each starts when it is first needed, waits for further work, spinning at
// first, and ends with the crew. The thread that makes a crew works along.
class Crew {
  public:
    Crew() = default;
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // What a member of a team does: call(work, member, team).
    using Call = void (*)(const void* work, unsigned member, Team& team);

    // Returns when all members of a team of `most`, or of fewer where the system gives no further
    // thread, have done their part, or have stopped.
    void run(unsigned most, Call call, const void* work) noexcept;

    // Threads end with their part of the next work, instead of waiting for more. An end takes some 50
    // us, of which nothing is left to wait for where others are still at work.
    void end_with_next() { ends_with_next_ = true; }
    bool is_empty() const { return first_ == nullptr; }

  private:
    class Worker;
    void end();
    std::unique_ptr<Worker> first_;
    bool ends_with_next_ = false;
};

// For as long as this exists, what is done on this thread is done by one crew, whose threads wait in
// between; by that of the caller, if there is one already.
class SharedCrew {
  public:
    // `price` is what a thread costs within it, where 1 is what it takes to start one.
    explicit SharedCrew(double price = 1);
    ~SharedCrew();
    SharedCrew(const SharedCrew&) = delete;
    SharedCrew& operator=(const SharedCrew&) = delete;
    // Says that nothing comes after the next work, unless a caller may have more.
    void end_with_next() const {
        if (own_) own_->end_with_next();
    }

  private:
    std::unique_ptr<Crew> own_;
    double former_price_;
};

// How many threads are worthwhile, at most `most`, for work that is worth starting so many.
unsigned worthwhile_threads(double work, unsigned most);
// The same of so many things, of which a thread that has to start needs some, in so many pieces.
inline unsigned worthwhile_threads(std::uint64_t things, std::uint64_t things_per_thread, std::uint64_t pieces,
                                   unsigned most) {
    const std::uint64_t threads = std::min<std::uint64_t>(std::max<std::uint64_t>(pieces, 1), most);
    return worthwhile_threads(static_cast<double>(things) / static_cast<double>(things_per_thread),
                              static_cast<unsigned>(threads));
}

// How much longer the caller's own thread could work than the others on what they begin together, in
// nanoseconds: none, if these wait already.
double head_start_nanoseconds();

// The crew that is shared on this thread and has nothing to do; else a new one.
void run_in_crew(unsigned most, Crew::Call call, const void* work);

// Runs work(part, team) for each part 0 .. team.size() - 1 at the same time, in the processor's
// default modes. The team has `most` members, or fewer where the system gives no further thread.
template <typename Work>
void run_together(unsigned most, const Work& work) {
    const DefaultFloatModes modes;
    if (most <= 1) {
        Team alone;
        return work(0, alone);
    }
    const auto call = [](const void* what, unsigned member, Team& team) {
        (*static_cast<const Work*>(what))(member, team);
    };
    run_in_crew(most, call, &work);
}

// Equal shares of a number of things, in whole steps; what is left over goes to the first, whose
// threads begin sooner. The very first has so many steps more, at most all.
struct Share {
    std::size_t begin, end;
    bool is_empty() const { return begin == end; }
};
inline Share share_of(std::size_t count, std::size_t step, unsigned part, unsigned parts,
                      std::size_t head_start = 0) {
    const std::size_t steps = (count + step - 1) / step - head_start;
    const auto end_of = [=](std::size_t shares) {
        if (shares == 0) return std::size_t{0};
        const std::size_t end = (head_start + (steps * shares + parts - 1) / parts) * step;
        return end < count ? end : count;
    };
    return {end_of(part), end_of(part + 1)};
}

// Things that threads take one by one: each the first of its own share, so that it finds what it has written
// before in its caches; who has none left takes the last ones of others.
class Turns {
  public:
    Turns(std::size_t count, unsigned threads) : parts_(threads) {
        for (unsigned part = 0; part < threads; ++part) {
            const Share own = share_of(count, 1, part, threads);
            parts_[part].left.store(pair_of(own.begin, own.end), std::memory_order_relaxed);
        }
    }

    // False if nothing is left.
    bool take(unsigned member, std::size_t& taken) {
        for (std::size_t n = 0; n < parts_.size(); ++n) {
            std::atomic<std::uint64_t>& left = parts_[(member + n) % parts_.size()].left;
            std::uint64_t now = left.load(std::memory_order_relaxed);
            while (begin_of(now) < end_of(now)) {
                const std::uint64_t then = n == 0 ? pair_of(begin_of(now) + 1, end_of(now))
                                                  : pair_of(begin_of(now), end_of(now) - 1);
                if (!left.compare_exchange_weak(now, then, std::memory_order_relaxed)) continue;
                taken = n == 0 ? begin_of(now) : end_of(now) - 1;
                return true;
            }
        }
        return false;
    }

  private:
    static std::uint64_t pair_of(std::size_t begin, std::size_t end) {
        return std::uint64_t{begin} << 32 | std::uint64_t{end};
    }
    static std::size_t begin_of(std::uint64_t pair) { return static_cast<std::size_t>(pair >> 32); }
    static std::size_t end_of(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }

    struct Part {
        std::atomic<std::uint64_t> left;
        unsigned char apart[120];  // no two in a line, or in two that are fetched together
    };
    std::vector<Part> parts_;
};

// Runs work(0) .. work(parts - 1), each once.
template <typename Work>
void run_team(unsigned parts, const Work& work) {
    run_together(parts, [&](unsigned member, const Team& team) {
        for (unsigned part = member; part < parts; part += team.size()) work(part);
    });
}

}  // namespace indirectml
