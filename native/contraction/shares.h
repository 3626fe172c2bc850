// How threads share out a convolution by filters in panels: by rows, or by filters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "../team.h"
#include "convolve.h"

namespace indirectml {

// Strips of rows, each by all panels of filters, or by some of them at a time.
class StripShares {
  public:
    // `strip_rows` is how many rows of an image a strip has at most; panels are taken by `step`, if that leaves
    // each thread as many.
    StripShares(const Convolution& task, std::size_t strip_rows, std::size_t panels, bool by_channels, unsigned threads)
        : threads(threads), panels_(panels) {
        const std::size_t height = task.output_sizes[1];
        parts = (height + strip_rows - 1) / strip_rows;
        if (threads > 1 && !are_by_rows(task, by_channels)) {
            own_ = std::clamp<std::size_t>(panels / threads / kPanelsOfPiece, 1, kMostPieces);
            shares_ = std::min<std::size_t>(own_ * threads, panels);
        } else if (task.images == 1) {
            parts = std::min((parts + threads - 1) / threads * threads, height);
        }
    }

    // Runs work(strip, panels, is_last), which `make` makes for each thread, for all of so many strips; `is_last`
    // says that the thread has no strip behind this one. Then after(strip) where all of it is there.
    template <typename Make, typename After>
    void run(std::size_t strips, std::size_t step, const Make& make, const After& after) const {
        if (panels_ / step % shares_ != 0) step = 1;
        Turns turns(strips * shares_, threads);
        run_together(threads, [&](unsigned member, const Team&) {
            auto work = make(member);
            const std::size_t end = share_of(strips * shares_, 1, member, threads).end;
            for (std::size_t piece; turns.take(member, piece);) {
                // Strip by strip, those panels that are one thread's.
                const std::size_t part = piece / (strips * own_), rest = piece % (strips * own_);
                work(rest / own_, share_of(panels_, step, static_cast<unsigned>(part * own_ + rest % own_),
                                           static_cast<unsigned>(shares_)),
                     shares_ > 1 || piece + 1 == end);
                if (shares_ == 1) after(rest / own_);
            }
        });
    }
    // Whether strips are complete one by one; else all are, when `run` is done.
    bool completes_strips() const { return shares_ == 1; }

    const unsigned threads;
    std::size_t parts;  // strips of an image

  private:
    // Then each thread finds in its caches what it has written of other tensors, but reads all filters.
    bool are_by_rows(const Convolution& task, bool by_channels) const {
        const std::size_t rows = task.images * task.output_sizes[1];
        if (task.images * parts >= 2 * threads || (by_channels && rows >= threads)) return true;
        const std::size_t longest = (rows + threads - 1) / threads;
        if (longest * threads * kEqualShare > rows * kLongestShare) return false;
        const std::size_t taps = task.filter_sizes[1] * task.filter_sizes[2];
        const std::size_t filters = task.groups * task.filters * task.channels * taps;
        const std::size_t pixels = task.input_sizes[1] * task.input_sizes[2] * task.groups * task.channels +
                                   task.output_sizes[1] * task.output_sizes[2] * task.groups * task.filters;
        return filters <= task.images * pixels;
    }

    // Threads share out rows if the longest share is at most so much longer than an equal one.
    static constexpr std::size_t kLongestShare = 9, kEqualShare = 8;
    // Of filters they take pieces of at least so many panels; so many are each one's at most.
    static constexpr std::size_t kPanelsOfPiece = 4, kMostPieces = 4;

    const std::size_t panels_;
    std::size_t own_ = 1, shares_ = 1;  // pieces of the panels: each thread's, and all
};

// after(rows) for all rows of the outputs, each thread its own.
inline void finish_rows(const Convolution& task, unsigned threads, const std::function<void(Share)>& after) {
    const std::size_t rows = task.images * task.output_sizes[1];
    run_team(threads, [&](unsigned part) {
        const Share share = share_of(rows, 1, part, threads);
        if (!share.is_empty()) after(share);
    });
}

}  // namespace indirectml
