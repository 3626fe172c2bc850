#include "softmax_columns.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../copies.h"
#include "../functions/apply.h"
#include "../team.h"
#include "layout.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 16;
// A vector of any target has so many lanes, or a part of them.
constexpr std::uint64_t kLanes = 16;
// Lines that are worked on together stay in the first cache.
constexpr std::uint64_t kTogether = 2048, kMostColumns = 256;

std::uint64_t whole(std::uint64_t columns) { return (columns + kLanes - 1) / kLanes * kLanes; }

// Memory for columns, line by line: the same element of each.
class Columns {
  public:
    Columns(const GroupAxes& axes, const ColumnsTask& task, const Policy& policy)
        : axes_(axes),
          task_(task),
          kernels_(kernels_of(*policy.target)),
          functions_(functions::kernels_of(*policy.target)),
          size_(axes.elements.size),
          most_(most(size_)),
          read_(task.type == Type::kSingle ? 0 : size_ * most_ * item_bytes(task.type)),
          t_(size_ * most_, 0),
          e_(task.is_log ? size_ * most_ : 0, 0),
          written_(is_turned(axes.elements.out_bytes, task.out_type) ? size_ * most_ * item_bytes(task.out_type) : 0),
          between_(most_ * numbers_of_column(size_)),
          sums_(most_) {}

    // How many are worked on together.
    static std::uint64_t most(std::uint64_t size) {
        return std::clamp(kTogether / size / kLanes * kLanes, kLanes, kMostColumns);
    }

    void work(const unsigned char* x, unsigned char* out, std::uint64_t count) {
        columns_ = whole(count);
        float* const t = t_.data();
        read(x, count, t);
        const float lowest = kernels_.column_differences(t, size_, columns_, task_.factor);
        float* const e = task_.is_log ? e_.data() : t;
        const float none = 0;
        const std::uint64_t all = size_ * columns_;
        kernels_.powers({t, all, 1, all, &none, lowest, e, all}, functions_.exp_in_doubles);
        sum(e);
        const std::size_t item = item_bytes(task_.out_type);
        if (written_.empty()) return write(e, lowest, out, axes_.elements.out_bytes, count);
        const auto line_bytes = static_cast<std::int64_t>(columns_ * item);
        write(e, lowest, written_.data(), line_bytes, count);
        turn_of(item)(written_.data(), line_bytes, count, size_, out, axes_.groups.out_bytes);
    }

  private:
    static bool is_turned(std::int64_t element_bytes, Type type) {
        return element_bytes == static_cast<std::int64_t>(item_bytes(type));
    }

    // Columns that are none have zeros.
    void read(const unsigned char* x, std::uint64_t count, float* t) {
        const std::size_t item = item_bytes(task_.type);
        const bool is_single = task_.type == Type::kSingle;
        unsigned char* const lines = is_single ? reinterpret_cast<unsigned char*>(t) : read_.data();
        const std::size_t line_bytes = columns_ * item, bytes = count * item;
        if (is_turned(axes_.elements.x_bytes, task_.type)) {
            turn_of(item)(x, axes_.groups.x_bytes, size_, count, lines, static_cast<std::int64_t>(line_bytes));
        } else {
            for (std::uint64_t j = 0; j < size_; ++j) {
                std::memcpy(lines + j * line_bytes, x + static_cast<std::int64_t>(j) * axes_.elements.x_bytes, bytes);
            }
        }
        for (std::uint64_t j = 0; bytes < line_bytes && j < size_; ++j) {
            std::memset(lines + j * line_bytes + bytes, 0, line_bytes - bytes);
        }
        if (!is_single) kernels_.widen_halves(lines, size_ * columns_, t);
    }

    void sum(const float* e) {
        const unsigned char* lines[kMostOfColumn];
        for (std::uint64_t j = 0; j < size_; ++j) lines[j] = reinterpret_cast<const unsigned char*>(e + j * columns_);
        const int type = static_cast<int>(Type::kSingle), map = static_cast<int>(Map::kSame);
        if (size_ <= kFewRows) {
            kernels_.few_rows[type][map](lines, size_, columns_, nullptr, between_.data(), columns_, sums_.data());
        } else {
            kernels_.columns[type][map](lines, size_, columns_, nullptr, between_.data(), columns_, true);
            kernels_.totals(between_.data(), columns_, columns_, sums_.data());
        }
    }

    // Lines of results, so many bytes apart.
    void write(const float* e, float lowest, unsigned char* out, std::int64_t out_bytes, std::uint64_t count) {
        const bool has_nan = std::any_of(sums_.data(), sums_.data() + count, [](double s) { return std::isnan(s); });
        if (task_.is_log) {
            subtract(out, out_bytes, count);
        } else {
            for (std::uint64_t c = 0; c < columns_; ++c) sums_[c] = 1 / sums_[c];
            kernels_.column_shares[static_cast<int>(task_.out_type)](
                {e, size_, columns_, count, sums_.data(), lowest, out, out_bytes});
        }
        for (std::uint64_t j = 0; has_nan && j < size_; ++j) {
            quiet(task_.out_type, out + static_cast<std::int64_t>(j) * out_bytes, count);
        }
    }

    // The logarithms of sums, rounded to FLOAT32 before and after, from t.
    void subtract(unsigned char* out, std::int64_t out_bytes, std::uint64_t count) {
        float logarithms[kMostColumns];
        for (std::uint64_t c = 0; c < columns_; ++c) logarithms[c] = static_cast<float>(sums_[c]);
        functions_.single[static_cast<int>(functions::Function::kLog)](logarithms, logarithms, logarithms, columns_);
        for (std::uint64_t j = 0; j < size_; ++j) {
            const float* const t = t_.data() + j * columns_;
            auto* const to = reinterpret_cast<float*>(out + static_cast<std::int64_t>(j) * out_bytes);
            for (std::uint64_t c = 0; c < count; ++c) to[c] = t[c] - logarithms[c];
        }
    }

    const GroupAxes& axes_;
    const ColumnsTask& task_;
    const Kernels& kernels_;
    const functions::Kernels& functions_;
    const std::uint64_t size_, most_;
    std::vector<unsigned char> read_;
    Line<float> t_, e_;
    std::vector<unsigned char> written_;
    std::vector<double> between_, sums_;
    std::uint64_t columns_ = 0;  // of the lines, whole vectors
};

bool continues(const ColumnAxis& outer, const ColumnAxis& inner) {
    const auto size = static_cast<std::int64_t>(inner.size);
    return outer.x_bytes == inner.x_bytes * size && outer.out_bytes == inner.out_bytes * size;
}

}  // namespace

std::optional<GroupAxes> group_axes_of(const std::vector<Axis>& x, std::int64_t x_item, const std::vector<Axis>& out,
                                       std::int64_t out_item, std::uint64_t size) {
    std::vector<ColumnAxis> joined;
    std::uint64_t behind = 1;
    for (std::size_t k = x.size(); k-- > 0;) {
        const ColumnAxis axis{x[k].size, x[k].stride_bytes, out[k].stride_bytes};
        if (axis.size == 1) continue;
        const bool is_first_group = behind == size;
        behind *= axis.size;
        if (!joined.empty() && !is_first_group && continues(axis, joined.back())) {
            joined.back().size *= axis.size;
        } else {
            joined.push_back(axis);
        }
    }
    if (joined.size() < 2 || joined[0].size != size || joined[1].size < kLanes || size > kMostOfColumn) return {};
    const auto fits = [](std::int64_t elements, std::int64_t groups, std::int64_t item) {
        return elements == item || groups == item;
    };
    if (!fits(joined[0].x_bytes, joined[1].x_bytes, x_item)) return {};
    if (!fits(joined[0].out_bytes, joined[1].out_bytes, out_item)) return {};
    return GroupAxes{joined[0], joined[1], {joined.begin() + 2, joined.end()}};
}

void softmax(const GroupAxes& axes, const ColumnsTask& task, const Policy& policy) {
    const std::uint64_t size = axes.elements.size, groups = axes.groups.size;
    const std::uint64_t most = Columns::most(size), pieces = (groups + most - 1) / most;
    std::uint64_t outer = 1;
    for (const ColumnAxis& axis : axes.outer) outer *= axis.size;
    const unsigned parts = part_count(outer * pieces, outer * groups * size, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Columns columns(axes, task, policy);
        const Share share = share_of(outer * pieces, 1, part, parts);
        Pieces done;
        for (std::uint64_t n = share.begin; n < share.end; ++n) {
            const std::uint64_t first = n % pieces * most, count = std::min(most, groups - first);
            std::int64_t from = static_cast<std::int64_t>(first) * axes.groups.x_bytes;
            std::int64_t to = static_cast<std::int64_t>(first) * axes.groups.out_bytes;
            std::uint64_t left = n / pieces;
            for (const ColumnAxis& axis : axes.outer) {
                const auto place = static_cast<std::int64_t>(left % axis.size);
                from += place * axis.x_bytes;
                to += place * axis.out_bytes;
                left /= axis.size;
            }
            columns.work(task.x + from, task.out + to, count);
            done.done(count * size);
        }
    });
}

}  // namespace sums
}  // namespace indirectml
