#include "steps.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "kept.h"

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

// What steps touch that run by the same rows, without waiting for each other: no row may read or write
// what another row writes.
class TouchedRows {
  public:
    explicit TouchedRows(std::uint64_t rows) : before_last_(static_cast<std::ptrdiff_t>(rows) - 1) {}

    // False if somebody would have to wait.
    bool add(const Rows& rows) {
        if (!rows.is_written) {
            read_.push_back(rows);
            return is_apart(rows, written_);
        }
        for (const Rows& known : written_) {
            if (known.data == rows.data && known.stride == rows.stride && known.bytes >= rows.bytes) {
                return true;
            }
        }
        const bool is_fine = keeps_to_rows(rows) && is_apart(rows, written_) && is_apart(rows, read_);
        written_.push_back(rows);
        return is_fine;
    }

  private:
    const unsigned char* end(const Rows& rows) const {
        return rows.data + before_last_ * rows.stride + rows.bytes;
    }
    static bool keeps_to_rows(const Rows& rows) {
        return rows.stride > 0 && rows.bytes <= static_cast<std::size_t>(rows.stride);
    }
    bool is_apart(const Rows& one, const std::vector<Rows>& others) const {
        return std::all_of(others.begin(), others.end(), [&](const Rows& other) {
            const std::less_equal<const unsigned char*> is_before;
            if (is_before(end(one), other.data) || is_before(end(other), one.data)) return true;
            return one.data == other.data && one.stride == other.stride && keeps_to_rows(one) &&
                   keeps_to_rows(other);
        });
    }

    const std::ptrdiff_t before_last_;
    std::vector<Rows> written_, read_;
};

// Threads that share out fewer rows than these read the other operand too often.
constexpr std::uint64_t kLeastRows = 28;
// Fewer do not pay for a thread.
constexpr double kNanosecondsForThread = 80e3;

// Runs steps from `first` on by rows, as many as can be, each thread its own rows of all of them.
// Returns the number of the first that was not.
std::size_t run_by_rows(const std::vector<const Step*>& steps, std::size_t first,
                        unsigned char* const* memories, const Policy& policy,
                        const SharedCrew* crew) {
    const std::uint64_t rows = steps[first]->rows();
    const auto most =
        static_cast<unsigned>(std::min<std::uint64_t>(rows / kLeastRows, policy.max_threads));
    if (most < 2 || first + 1 == steps.size()) return first;
    TouchedRows touched(rows);
    std::vector<Rows> found;
    std::size_t end = first;
    double nanoseconds = 0;
    for (; end < steps.size(); ++end) {
        found.clear();
        if (!steps[end]->cut(memories, rows, found)) break;
        if (!std::all_of(found.begin(), found.end(), [&](const Rows& r) { return touched.add(r); })) {
            break;
        }
        nanoseconds += steps[end]->nanoseconds;
    }
    const unsigned threads = worthwhile_threads(nanoseconds / kNanosecondsForThread, most);
    if (end <= first + 1 || threads == 1) return first;
    const double rows_ahead = head_start_nanoseconds() * static_cast<double>(rows) / nanoseconds;
    const std::size_t head_start =
        std::min(static_cast<std::size_t>(rows_ahead), rows - threads * kLeastRows);
    Policy alone = policy;
    alone.max_threads = 1;
    if (crew != nullptr && end == steps.size()) crew->end_with_next();
    run_team(threads, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, threads, head_start);
        for (std::size_t k = first; k < end; ++k) {
            steps[k]->run_rows(memories, constants_after(steps, k, memories), alone, rows, share);
        }
    });
    return end;
}

// Runs a step whose result is made in strips, and those after it that need of it the same rows alone:
// on each strip, as long as it is in the caches. Returns the number of the first that was not run.
std::size_t run_in_strips(const std::vector<const Step*>& steps, std::size_t first,
                          unsigned char* const* memories, const Policy& policy) {
    if (first + 1 == steps.size() || steps[first + 1]->rows() != 0) return first;
    const std::uint64_t rows = steps[first]->strip_rows(memories);
    if (rows == 0) return first;
    TouchedRows touched(rows);
    for (const Rows& own : steps[first]->strip_touches(memories)) {
        if (!touched.add(own)) return first;
    }
    std::vector<Rows> found;
    std::size_t end = first + 1;
    for (; end < steps.size(); ++end) {
        found.clear();
        if (!steps[end]->cut(memories, rows, found)) break;
        if (!std::all_of(found.begin(), found.end(), [&](const Rows& r) { return touched.add(r); })) {
            break;
        }
    }
    if (end == first + 1) return first;
    Policy alone = policy;
    alone.max_threads = 1;
    // Threads take what others have given back: each of these is made as often as threads meet.
    using Runners = std::vector<std::unique_ptr<RowRunner>>;
    Kept<Runners> kept;
    const auto make = [&] {
        auto runners = std::make_unique<Runners>();
        for (std::size_t k = first + 1; k < end; ++k) runners->push_back(steps[k]->row_runner(memories, alone, rows));
        return runners;
    };
    steps[first]->run_strips(memories, policy, [&](Share share) {
        const Kept<Runners>::Taken runners(&kept, [](const Runners&) { return true; }, make);
        for (std::size_t k = first + 1; k < end; ++k) {
            RowRunner* const runner = (*runners)[k - first - 1].get();
            if (runner) {
                runner->run(share);
            } else {
                steps[k]->run_rows(memories, nullptr, alone, rows, share);
            }
        }
    });
    return end;
}

std::size_t run_each(const std::vector<const Step*>& steps, std::size_t first,
                     unsigned char* const* memories, const Policy& policy,
                     const SharedCrew* crew) {
    while (first < steps.size()) {
        std::size_t end = run_by_rows(steps, first, memories, policy, crew);
        if (end == first) end = run_in_strips(steps, first, memories, policy);
        if (end == first) {
            const void* const next = constants_after(steps, first, memories);
            if (!steps[first]->run(memories, next, policy)) break;
            ++end;
        }
        first = end;
    }
    return first;
}

}  // namespace

std::size_t run_steps(const std::vector<const Step*>& steps, std::size_t first,
                      unsigned char* const* memories, const Policy& policy) {
    double nanoseconds = 0;
    for (std::size_t k = first; k < steps.size(); ++k) nanoseconds += steps[k]->nanoseconds;
    const bool is_much = policy.max_threads > 1 && nanoseconds > kNanosecondsForCrew;
    if (!is_much || first + 1 >= steps.size()) {
        return run_each(steps, first, memories, policy, nullptr);
    }
    const SharedCrew crew(kPriceOfWaiting);
    return run_each(steps, first, memories, policy, &crew);
}

}  // namespace indirectml
