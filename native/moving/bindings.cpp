// No logic: that sizes belong to each other is checked, so that nothing crashes.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "../array_step.h"
#include "copying.h"
#include "gathering.h"
#include "halves.h"

namespace indirectml {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Places = std::vector<PlaceText>;
using At = std::vector<std::optional<std::vector<std::int64_t>>>;

Sizes sizes_of(const Place& place) {
    Sizes sizes;
    for (const Axis& axis : place.axes) sizes.push_back(axis.size);
    return sizes;
}

std::uint64_t product(const Sizes& sizes, std::size_t begin, std::size_t end) {
    std::uint64_t count = 1;
    for (std::size_t k = begin; k < end; ++k) count *= sizes[k];
    return count;
}

Indices indices_of(const Given& given) {
    const ElementType& type = given.place->type;
    return {given.data, static_cast<int>(given.place->item_bytes), type.is_signed};
}

void check(bool is_fine) {
    if (!is_fine) throw nb::value_error("arrays whose sizes or elements do not belong to each other");
}
void check_indices(const Place& place) {
    check(place.type.format.precision == 0 && !place.axes.empty());
}

ArrayStep* gather_step(const PlaceText& x, const PlaceText& indices, std::size_t axis,
                       const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{x, indices}, Places{out}, 0.5);
    const Place &from = step->input(0), &to = step->output(0);
    const Sizes sizes = sizes_of(from);
    check(axis < sizes.size() && sizes[axis] > 0 && step->input(1).type.format.precision == 0);
    const std::uint64_t outer = product(sizes, 0, axis), size = sizes[axis];
    const std::uint64_t inner = product(sizes, axis + 1, sizes.size());
    const std::uint64_t count = step->input(1).count();
    check(from.item_bytes == to.item_bytes && to.count() == outer * count * inner);
    const std::size_t bytes = inner * static_cast<std::size_t>(from.item_bytes);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        gather(from[0].data, outer, size, bytes, indices_of(from[1]), count, to[0], policy);
    });
}

// Of x and indices, or x, indices and updates.
ArrayStep* elements_step(const Places& inputs, std::size_t axis, const PlaceText& out) {
    const bool scatters = inputs.size() == 3;
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, 2);
    check(scatters || inputs.size() == 2);
    const Place &x = step->input(0), &indices = step->input(1), &to = step->output(0);
    check_indices(indices);
    const ByElements how{sizes_of(x), sizes_of(indices), axis,
                         static_cast<std::size_t>(x.item_bytes)};
    check(how.sizes.size() == how.index_sizes.size() && axis < how.sizes.size() &&
          x.item_bytes == to.item_bytes && x.count() > 0);
    for (std::size_t k = 0; k < how.sizes.size(); ++k) {
        check(k == axis || how.index_sizes[k] <= how.sizes[k]);
    }
    check(sizes_of(to) == (scatters ? how.sizes : how.index_sizes));
    if (scatters) {
        const Place& updates = step->input(2);
        check(sizes_of(updates) == how.index_sizes && updates.item_bytes == x.item_bytes);
    }
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const Indices at = indices_of(from[1]);
        if (!scatters) return gather_elements(from[0].data, how, at, to[0], policy);
        scatter_elements(from[0].data, how, at, from[2].data, to[0], policy);
    });
}

ArrayStep* tuples_step(const Places& inputs, std::size_t batch, const PlaceText& out) {
    const bool scatters = inputs.size() == 3;
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, 1);
    check(scatters || inputs.size() == 2);
    const Place &x = step->input(0), &indices = step->input(1), &to = step->output(0);
    check_indices(indices);
    const ByTuples how{sizes_of(x), sizes_of(indices), batch,
                       static_cast<std::size_t>(x.item_bytes)};
    const std::size_t width = how.index_sizes.back();
    check(batch < how.index_sizes.size() && batch + width <= how.sizes.size() && x.count() > 0 &&
          std::equal(how.sizes.begin(), how.sizes.begin() + static_cast<std::ptrdiff_t>(batch),
                     how.index_sizes.begin()));
    const std::uint64_t moved = product(how.index_sizes, 0, how.index_sizes.size() - 1) *
                                product(how.sizes, batch + width, how.sizes.size());
    const Place& other = scatters ? step->input(2) : to;
    check(other.count() == moved && other.item_bytes == x.item_bytes &&
          to.item_bytes == x.item_bytes && (!scatters || to.count() == x.count()));
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const Indices at = indices_of(from[1]);
        if (!scatters) return gather_tuples(from[0].data, how, at, to[0], policy);
        scatter_tuples(from[0].data, how, at, from[2].data, to[0], policy);
    });
}

// Of indices and updates; with an axis by elements, else by tuples.
ArrayStep* put_step(const Places& inputs, std::optional<std::size_t> axis, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(inputs, Places{out}, 2, 0, true);
    check(inputs.size() == 2);
    const Place &indices = step->input(0), &updates = step->input(1), &to = step->output(0);
    check_indices(indices);
    const Kept how{to.axes, sizes_of(indices), static_cast<std::size_t>(to.item_bytes)};
    check(updates.item_bytes == to.item_bytes && to.count() > 0);
    const std::size_t rank = to.axes.size(), width = how.index_sizes.back();
    if (axis) {
        check(how.index_sizes.size() == rank && *axis < rank &&
              sizes_of(updates) == how.index_sizes);
        for (std::size_t k = 0; k < rank; ++k) {
            check(k == *axis || how.index_sizes[k] <= to.axes[k].size);
        }
    } else {
        check(width <= rank &&
              updates.count() == product(how.index_sizes, 0, how.index_sizes.size() - 1) *
                                     product(sizes_of(to), width, rank));
    }
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        const Indices at = indices_of(from[0]);
        if (axis) return put_elements(how, *axis, at, from[1].data, to[0]);
        put_tuples(how, at, from[1].data, to[0], policy);
    });
}

// Elements of known places where those along one axis, which stay as they are, lie next to each other in
// what is read and in the result, as channels of pixels do.
class TakeRunsStep : public Step {
  public:
    static constexpr std::int64_t kLeastBytes = 32;

    // The axis whose neighbours are a run; none where there is no such axis, or what lies packed is faster.
    static std::optional<std::size_t> axis_of(const Place& x, const At& at, const Place& out) {
        if ((x.is_packed() && out.is_packed()) || x.axes.size() != out.axes.size()) return {};
        for (std::size_t k = 0; k < x.axes.size(); ++k) {
            const std::int64_t item = x.item_bytes;
            const bool follows = x.axes[k].stride_bytes == item && out.axes[k].stride_bytes == item;
            if (follows && !at[k] && static_cast<std::int64_t>(x.axes[k].size) * item >= kLeastBytes) return k;
        }
        return {};
    }
    TakeRunsStep(const PlaceText& x, const At& at, const PlaceText& out)
        : x_(x, false, *this), out_(out, true, *this) {
        const std::size_t run = *axis_of(x_, at, out_);
        how_.bytes = static_cast<std::size_t>(x_.axes[run].size) * static_cast<std::size_t>(x_.item_bytes);
        for (std::size_t k = 0; k < x_.axes.size(); ++k) {
            check(out_.axes[k].size == (at[k] ? at[k]->size() : x_.axes[k].size));
            if (k == run) continue;
            TakenRuns::Along along{{}, out_.axes[k].stride_bytes};
            for (std::uint64_t j = 0; j < out_.axes[k].size; ++j) {
                const std::int64_t number = at[k] ? (*at[k])[j] : static_cast<std::int64_t>(j);
                check(0 <= number && static_cast<std::uint64_t>(number) < x_.axes[k].size);
                along.at.push_back(number * x_.axes[k].stride_bytes);
            }
            how_.axes.push_back(std::move(along));
        }
        std::stable_sort(how_.axes.begin(), how_.axes.end(), [](const auto& a, const auto& b) {
            return std::abs(a.step) > std::abs(b.step);
        });
        nanoseconds = 200 + 0.1 * static_cast<double>(out_.count());
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        if (may_meet(x_, out_, memories)) return false;
        if (out_.count() > 0) take_runs(x_.in(memories), how_, out_.in(memories), policy);
        return true;
    }

  private:
    TakenRuns how_;
    const Place x_, out_;
};

// `at` has the numbers of the elements along each axis; nothing where it stays as it is.
Step* take_step(const PlaceText& x, const At& at, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{x}, Places{out}, 0.5);
    const Place &from = step->input(0), &to = step->output(0);
    const Sizes sizes = sizes_of(from), out_sizes = sizes_of(to);
    check(at.size() == sizes.size() && at.size() == out_sizes.size() &&
          from.item_bytes == to.item_bytes);
    if (TakeRunsStep::axis_of(from, at, to)) return new TakeRunsStep(x, at, out);
    auto item = static_cast<std::size_t>(from.item_bytes);
    std::size_t rank = at.size();
    // Axes that stay at the end are one element.
    while (rank > 0 && !at[rank - 1]) item *= sizes[--rank];
    auto stride = static_cast<std::int64_t>(item);
    std::vector<std::vector<std::int64_t>> places(rank);
    for (std::size_t k = rank; k-- > 0;) {
        const std::uint64_t count = at[k] ? at[k]->size() : sizes[k];
        check(count == out_sizes[k]);
        for (std::uint64_t j = 0; j < count; ++j) {
            const std::int64_t number = at[k] ? (*at[k])[j] : static_cast<std::int64_t>(j);
            check(0 <= number && static_cast<std::uint64_t>(number) < sizes[k]);
            places[k].push_back(number * stride);
        }
        stride *= static_cast<std::int64_t>(sizes[k]);
    }
    for (std::size_t k = rank; k < at.size(); ++k) check(sizes[k] == out_sizes[k]);
    const Taken how(std::move(places), item);
    return step.release()->with([how](const Given* from, auto to, const Policy& policy) {
        take(from[0].data, how, to[0], policy);
    });
}

// Strides count half bytes.
std::vector<Axis> halves_of(const Sizes& sizes, const std::vector<std::int64_t>& strides,
                            const Place& bytes) {
    std::vector<Axis> axes;
    std::uint64_t last = 0;
    check(sizes.size() == strides.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        check(sizes[k] > 0 && strides[k] >= 0);
        axes.push_back({sizes[k], strides[k]});
        last += (sizes[k] - 1) * static_cast<std::uint64_t>(strides[k]);
    }
    check(bytes.item_bytes == 1 && last / 2 < bytes.count());
    return axes;
}

ArrayStep* from_halves_step(const PlaceText& raw, const std::vector<std::int64_t>& strides,
                            bool is_signed, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{raw}, Places{out}, 1);
    const auto axes = halves_of(sizes_of(step->output(0)), strides, step->input(0));
    check(step->output(0).item_bytes == 1);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        from_halves(from[0].data, {static_cast<int>(axes.size()), axes.data()}, is_signed, to[0],
                    policy);
    });
}

ArrayStep* into_halves_step(const PlaceText& raw, const PlaceText& x,
                            const std::vector<std::int64_t>& strides, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{raw, x}, Places{out}, 1);
    const auto axes = halves_of(sizes_of(step->input(1)), strides, step->output(0));
    check(step->input(0).item_bytes == 1 && step->input(0).count() == step->output(0).count() &&
          step->input(1).type.format.precision == 0);
    return step.release()->with([=](const Given* from, auto to, const Policy& policy) {
        copy_bytes(from[0].data, to[0], from[0].place->count(), policy);
        into_halves(from[1].data, static_cast<std::size_t>(from[1].place->item_bytes),
                    {static_cast<int>(axes.size()), axes.data()}, to[0]);
    });
}

// Of the bytes of a packed array.
ArrayStep* known_step(const nb::bytes& values, const PlaceText& out) {
    auto step = std::make_unique<ArrayStep>(Places{}, Places{out}, 0.2);
    const Place& to = step->output(0);
    check(to.count() * static_cast<std::uint64_t>(to.item_bytes) == values.size());
    const auto* const data = static_cast<const unsigned char*>(values.data());
    return step.release()->with([held = std::vector<unsigned char>(data, data + values.size())](
                                    const Given*, auto to, const Policy& policy) {
        copy_bytes(held.data(), to[0], held.size(), policy);
    });
}

// What a program without instructions does: elements are as they lie, in both.
class CopyStep : public Step {
  public:
    CopyStep(const PlaceText& x, const PlaceText& out)
        : from_(x, false, *this), to_(out, true, *this) {
        check(sizes_of(from_) == sizes_of(to_) && from_.item_bytes == to_.item_bytes);
        nanoseconds = 200 + 0.3 * static_cast<double>(to_.count());
    }
    bool run(unsigned char* const* memories, const void*, const Policy& policy) const override {
        const auto item = static_cast<std::size_t>(to_.item_bytes);
        const unsigned char* const x = from_.in(memories);
        if (!may_meet(from_, to_, memories)) {
            copy_elements({x, from_.axes}, to_.in(memories), to_.axes, item, policy);
            return true;
        }
        std::vector<Axis> axes = to_.axes;
        std::size_t bytes = item;
        for (std::size_t k = axes.size(); k-- > 0;) {
            axes[k].stride_bytes = static_cast<std::int64_t>(bytes);
            bytes *= axes[k].size;
        }
        std::vector<unsigned char> between(bytes);
        copy_elements({x, from_.axes}, between.data(), axes, item, policy);
        copy_elements({between.data(), axes}, to_.in(memories), to_.axes, item, policy);
        return true;
    }

  private:
    const Place from_, to_;
};

}  // namespace

void bind_moving(nb::module_& m) {
    nb::class_<CopyStep, Step>(m, "CopyStep")
        .def(nb::init<const PlaceText&, const PlaceText&>(), "x"_a, "out"_a);
    m.def("gather_step", &gather_step, "x"_a, "indices"_a, "axis"_a, "out"_a);
    m.def("elements_step", &elements_step, "inputs"_a, "axis"_a, "out"_a);
    m.def("tuples_step", &tuples_step, "inputs"_a, "batch"_a, "out"_a);
    m.def("put_step", &put_step, "inputs"_a, "axis"_a.none(), "out"_a);
    m.def("take_step", &take_step, "x"_a, "at"_a, "out"_a);
    m.def("from_halves_step", &from_halves_step, "raw"_a, "strides"_a, "is_signed"_a, "out"_a);
    m.def("into_halves_step", &into_halves_step, "raw"_a, "x"_a, "strides"_a, "out"_a);
    m.def("known_step", &known_step, "values"_a, "out"_a);
}

}  // namespace indirectml
