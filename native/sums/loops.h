// Positions along some axes of an array, in row-major order.
#pragma once

#include <cstdint>

#include "../fill.h"

namespace indirectml {
namespace sums {

// Axes in row-major order, those that follow each other without a break as one.
struct Loop {
    int rank = 0;
    std::uint64_t count = 1;
    Axis axes[kMaxRank];

    void add(const Axis& axis) {
        count *= axis.size;
        if (axis.size == 1) return;
        if (rank > 0) {
            Axis& outer = axes[rank - 1];
            if (outer.stride_bytes == axis.stride_bytes * static_cast<std::int64_t>(axis.size)) {
                outer = {outer.size * axis.size, axis.stride_bytes};
                return;
            }
        }
        axes[rank++] = axis;
    }
    std::uint64_t inner_size() const { return rank ? axes[rank - 1].size : 1; }
    std::int64_t inner_stride() const { return rank ? axes[rank - 1].stride_bytes : 0; }
};

// A position in a loop, and how far its element is from the first one.
class Position {
  public:
    Position(const Loop& loop, std::uint64_t position) : loop_(loop) {
        for (int k = loop.rank - 1; k >= 0; --k) {
            coordinates_[k] = position % loop.axes[k].size;
            position /= loop.axes[k].size;
            offset_ += static_cast<std::int64_t>(coordinates_[k]) * loop.axes[k].stride_bytes;
        }
    }
    std::int64_t offset() const { return offset_; }
    // How many follow along the innermost axis, this one included.
    std::uint64_t run() const {
        return loop_.rank ? loop_.inner_size() - coordinates_[loop_.rank - 1] : 1;
    }
    // By at most a run.
    void advance(std::uint64_t steps) {
        int k = loop_.rank - 1;
        if (k < 0) return;
        move(k, static_cast<std::int64_t>(steps));
        coordinates_[k] += steps;
        for (; k > 0 && coordinates_[k] == loop_.axes[k].size; --k) {
            move(k, -static_cast<std::int64_t>(coordinates_[k]));
            coordinates_[k] = 0;
            ++coordinates_[k - 1];
            move(k - 1, 1);
        }
    }

  private:
    void move(int axis, std::int64_t steps) { offset_ += steps * loop_.axes[axis].stride_bytes; }

    const Loop& loop_;
    std::uint64_t coordinates_[kMaxRank];
    std::int64_t offset_ = 0;
};

}  // namespace sums
}  // namespace indirectml
