// Softmax, and its logarithm, of groups of few elements, each in a column of its own: what one group would be a call
// for, or less than a vector, is done for many at once.
#pragma once

#include <optional>
#include <vector>

#include "sums.h"

namespace indirectml {
namespace sums {

// Rows of more elements are as fast by themselves, and columns of more are in no near cache.
constexpr std::uint64_t kMostOfShortRow = 63, kMostOfColumn = 512;

struct ColumnAxis {
    std::uint64_t size;
    std::int64_t x_bytes, out_bytes;
};
// The elements of a group, groups, and axes along which these are repeated. Either elements or groups are neighbours
// in x, and so in what is written.
struct GroupAxes {
    ColumnAxis elements, groups;
    std::vector<ColumnAxis> outer = {};
};

// Of places whose sizes are the same, with the elements of a group along the last axes, `size` of them: nothing if
// they are other ones, or if groups would not fill a vector.
std::optional<GroupAxes> group_axes_of(const std::vector<Axis>& x, std::int64_t x_item, const std::vector<Axis>& out,
                                       std::int64_t out_item, std::uint64_t size);

// As softmax and log_softmax, of x * factor. `out` may be `x` where each group keeps its place; it is of FLOAT32 for
// logarithms.
struct ColumnsTask {
    const unsigned char* x;
    Type type;
    unsigned char* out;
    Type out_type;
    bool is_log;
    float factor = 1;
};
void softmax(const GroupAxes& axes, const ColumnsTask& task, const Policy& policy);

}  // namespace sums
}  // namespace indirectml
