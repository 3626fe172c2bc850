#include "team.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>

#if defined(__linux__) && !defined(__ANDROID__)
#define INDIRECTML_LINUX
#include <pthread.h>
#include <sched.h>
#endif

namespace indirectml {

namespace {

// A thread that begins or wakes is often put on the processor of who started or woke it, and waits
// there for milliseconds, though another one is idle. So it is told to run elsewhere, and once it
// runs, it may run anywhere again.
class Elsewhere {
  public:
#if defined(INDIRECTML_LINUX)
    // Of who makes the thread, right after that, or of who is about to wake it.
    void send(std::thread& thread) {
        if (sched_getaffinity(0, sizeof(all_), &all_) != 0) return;
        const int here = sched_getcpu();
        cpu_set_t others = all_;
        if (here < 0 || here >= CPU_SETSIZE) return;
        CPU_CLR(here, &others);
        if (CPU_COUNT(&others) == 0) return;
        was_sent_ = pthread_setaffinity_np(thread.native_handle(), sizeof(others), &others) == 0;
    }
    // Of the thread itself, once it has something to do.
    void arrive() {
        if (was_sent_) pthread_setaffinity_np(pthread_self(), sizeof(all_), &all_);
        was_sent_ = false;
    }

  private:
    cpu_set_t all_;
    bool was_sent_ = false;
#else
    void send(std::thread&) {}
    void arrive() {}
#endif
};

// Some tenths of a millisecond, if nobody else wants the processor; then a thread that waits sleeps.
constexpr unsigned kSpinsForWork = Team::kSpins + 500;

// Where others want the processors, too, a thread that has begun may not run for milliseconds. Who had
// to wait so long for one works alone then, for so many times as long: that takes a few percent.
using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kLong{300};
constexpr int kTimesAlone = 30;
thread_local Clock::time_point alone_until{};

thread_local Crew* shared_crew = nullptr;
thread_local double thread_price = 1;

// Does a member's part; to stop is a way to end.
void work_on(Crew::Call call, const void* work, unsigned member, Team& team) {
    try {
        call(work, member, team);
    } catch (const Stopped&) {
    }
}

}  // namespace

class Crew::Worker {
  public:
    struct Task {
        Call call;  // none: the end
        const void* work;
        unsigned member;
        Team* team;
        std::atomic<unsigned>* unfinished;
        bool is_last;
        WorksFor giver;
    };

    // Throws std::system_error where there is no further thread.
    Worker() : thread_([this] { live(); }) { elsewhere_.send(thread_); }
    // After an empty task.
    ~Worker() { thread_.join(); }

    // After the former task was done or taken back.
    void give(const Task& task) {
        task_ = task;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (sleeps_) elsewhere_.send(thread_);
            is_offered_.store(true, std::memory_order_release);
        }
        is_given_.notify_one();
    }

    // True if the thread has not begun with its task, and now never will: where others have its
    // processor, that may take milliseconds.
    bool take_back() { return take(); }

    std::unique_ptr<Worker> next;

  private:
    void live() {
        const DefaultFloatModes modes;
        for (;;) {
            wait_for_offer();
            elsewhere_.arrive();
            if (!take()) continue;
            // Whoever gave this may give the next as soon as nothing is unfinished.
            const Task task = task_;
            if (task.call == nullptr) return;
            task.giver.begin();
            work_on(task.call, task.work, task.member, *task.team);
            task.unfinished->fetch_sub(1, std::memory_order_release);
            if (task.is_last) return;
        }
    }

    // Of what is offered one takes it alone; only then the task is read.
    bool take() { return is_offered_.exchange(false, std::memory_order_acq_rel); }

    void wait_for_offer() {
        const auto is_there = [&] { return is_offered_.load(std::memory_order_acquire); };
        for (unsigned spins = 0; spins < kSpinsForWork; ++spins) {
            if (is_there()) return;
            if (spins > Team::kSpins) std::this_thread::yield();
        }
        std::unique_lock<std::mutex> lock(mutex_);
        sleeps_ = true;
        is_given_.wait(lock, is_there);
        sleeps_ = false;
    }

    Task task_{};
    std::atomic<bool> is_offered_{false};
    std::mutex mutex_;
    std::condition_variable is_given_;
    bool sleeps_ = false;
    Elsewhere elsewhere_;
    std::thread thread_;  // the last: it begins when all else is there
};

Crew::~Crew() { end(); }

void Crew::end() {
    for (Worker* worker = first_.get(); worker != nullptr; worker = worker->next.get()) {
        worker->give({});
    }
    first_.reset();
}

// Members may wait for each other, so that there is no way on if one of them fails.
void Crew::run(unsigned most, Call call, const void* work) noexcept {
    unsigned size = 1;
    if (alone_until != Clock::time_point{}) {
        if (Clock::now() < alone_until) {
            most = 1;
        } else {
            alone_until = {};
        }
    }
    try {
        for (std::unique_ptr<Worker>* at = &first_; size < most; at = &(*at)->next, ++size) {
            if (!*at) at->reset(new Worker);
        }
    } catch (const std::system_error&) {
        // Those that have started are enough.
    }
    Team team(size);
    std::atomic<unsigned> unfinished{size - 1};
    Worker* worker = first_.get();
    for (unsigned member = 1; member < size; ++member, worker = worker->next.get()) {
        worker->give({call, work, member, &team, &unfinished, ends_with_next_, {}});
    }
    const Clock::time_point begin = size > 1 ? Clock::now() : Clock::time_point{};
    work_on(call, work, 0, team);
    // Who has not come yet is not waited for.
    worker = first_.get();
    for (unsigned member = 1; member < size; ++member, worker = worker->next.get()) {
        if (!worker->take_back()) continue;
        work_on(call, work, member, team);
        unfinished.fetch_sub(1, std::memory_order_relaxed);
    }
    Clock::time_point since{};
    for (unsigned spins = 0; unfinished.load(std::memory_order_acquire) != 0; ++spins) {
        if (spins <= Team::kSpins) continue;
        if (since == Clock::time_point{}) since = Clock::now();
        std::this_thread::yield();
        look_around();  // for the others
    }
    if (since != Clock::time_point{}) {
        const Clock::time_point now = Clock::now();
        // Much longer than shares differ from each other.
        if (now - since > kLong && now - since > (since - begin) / 2) alone_until = now + kTimesAlone * (now - since);
    }
    if (ends_with_next_) end();
    ends_with_next_ = false;
}

SharedCrew::SharedCrew(double price) : former_price_(thread_price) {
    thread_price = price;
    if (shared_crew != nullptr) return;
    own_.reset(new Crew);
    shared_crew = own_.get();
}

SharedCrew::~SharedCrew() {
    thread_price = former_price_;
    if (own_) shared_crew = nullptr;
}

unsigned worthwhile_threads(double work, unsigned most) {
    return static_cast<unsigned>(std::clamp(work / thread_price, 1.0, static_cast<double>(most)));
}

double head_start_nanoseconds() {
    // What a thread that has to start loses, with the end of it and caches that know nothing yet.
    constexpr double kLate = 200e3;
    return shared_crew == nullptr || shared_crew->is_empty() ? kLate : 0;
}

void run_in_crew(unsigned most, Crew::Call call, const void* work) {
    Crew* const crew = shared_crew;
    if (crew == nullptr) {
        Crew own;
        own.end_with_next();
        own.run(most, call, work);
        return may_stop();
    }
    // What the work itself shares out, in turn, has a crew of its own.
    shared_crew = nullptr;
    crew->run(most, call, work);
    shared_crew = crew;
    may_stop();  // what a member did alone
}

}  // namespace indirectml
