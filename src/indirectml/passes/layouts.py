"""A pass over plans of graphs: between steps, the channels of a pixel lie next to each other.

Convolutions by filters in panels, of floats or of integers, read and write such tensors as they
lie, and programs run over anything: so a tensor that others only write and read in this way has
strides in which its channels follow each other, and nothing is moved. Steps that need the order of
DirectML get a copy.

A layout is strides: no step knows of this pass, and none can compute other bits because of it.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import NamedTuple, TypeGuard

from indirectml.arithmetic.contraction import PANEL
from indirectml.arithmetic.convolution import convolve, convolve_integer, has_pixel_form
from indirectml.arithmetic.integers_in_panels import columns_of_pixels
from indirectml.arithmetic.reductions import mean
from indirectml.arithmetic.resampling import take_nearest
from indirectml.arithmetic.settling import settle_convolution
from indirectml.arithmetic.sums import largest, smallest, sum16
from indirectml.arithmetic.windows import average_pool, max_pool
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import packed_strides
from indirectml.passes.flow import Views, moved, views_of
from indirectml.plans import CopyStep, Plan, ProgramStep, Step, View, WordStep
from indirectml.programs import Program

#: Tensors take multiples of so many bytes.
_UNIT = 4

#: Data types whose tensors get the layout.
_FLOATS = (TensorDataType.FLOAT32, TensorDataType.FLOAT16)
_BYTES = (TensorDataType.INT8, TensorDataType.UINT8)
_TYPES = (*_FLOATS, *_BYTES, TensorDataType.INT32)

#: Of integers, channels fill units of four: of fewer, these would be nearly empty.
_QUAD, _LEAST_CHANNELS = 4, 3

#: Channels are beside each other along this axis of a tensor; pixels are behind it.
_CHANNELS = 1

#: Vectors of filters that would be nearly empty are no gain; but those of one tap take less than it
#: takes to bring what they read into another order.
_LEAST_FILTERS = 8

#: A convolution of so many products for each element of input and output gains more than copies of
#: both take.
_PRODUCTS_OF_COPY = 300

#: Pixels at a multiple of so many elements from each other push each other out of the first cache;
#: then so many elements lie between them. Bytes are four times as many.
_MEETING, _GAP = 256, 16

_CONVOLUTIONS = {
    each.word  # type: ignore[union-attr]
    for each in (convolve, convolve_integer, settle_convolution)
}

#: The one of them that reads the sums of another, too.
_SETTLE = settle_convolution.word  # type: ignore[attr-defined]

#: Words whose native steps read and write this layout in place.
_OVER_PIXELS = {
    each.word  # type: ignore[union-attr]
    for each in (average_pool, max_pool, mean, sum16, take_nearest)
}

#: Words that read it in any order, where they read all of it.
_IN_ANY_ORDER = {largest.word, smallest.word}  # type: ignore[attr-defined]

#: Of how many views it is remembered how they are moved: networks repeat theirs.
_MOST_MOVED = 4096

_Strides = tuple[int, ...]


class _Tensor(NamedTuple):
    """How a buffer is seen as images of channels of pixels."""

    images: int
    channels: int
    pixels: int
    data_type: TensorDataType

    @staticmethod
    def of(view: View) -> _Tensor:
        """Return how a view is seen that is packed."""
        sizes = view.sizes
        pixels = prod(sizes[_CHANNELS + 1 :])
        return _Tensor(sizes[0], sizes[_CHANNELS], pixels, view.data_type)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Its sizes in DirectML's order."""
        return self[:3]

    @property
    def pitch(self) -> int:
        """From a pixel to the next, in elements."""
        each = 4 if self.data_type in _BYTES else 1
        return self.channels + (_GAP * each if self.channels % (_MEETING * each) == 0 else 0)

    @property
    def element_count(self) -> int:
        return prod(self.sizes)

    @property
    def size_bytes(self) -> int:
        return self.data_type.item_bytes * self.images * self.pixels * self.pitch

    def strides(self, offset: int, sizes: _Strides, strides: _Strides) -> _Strides | None:
        """Return strides by which the same elements are reached; None if there are none."""
        image = self.channels * self.pixels
        channel, pixel = offset % image // self.pixels, offset % self.pixels
        pixels, pitch = self.pixels, self.pitch
        found = []
        for size, stride in zip(sizes, strides, strict=True):
            if stride < 0:
                return None
            if stride % image == 0:
                found.append(stride // image * pixels * pitch)
            elif stride % pixels == 0:
                channel += (size - 1) * (stride // pixels)
                found.append(stride // pixels)
            else:
                pixel += (size - 1) * stride
                found.append(stride * pitch)
        return tuple(found) if channel < self.channels and pixel < pixels else None

    def offset(self, offset: int) -> int:
        """Return where an element is."""
        image, rest = divmod(offset, self.channels * self.pixels)
        channel, pixel = divmod(rest, self.pixels)
        return (image * self.pixels + pixel) * self.pitch + channel

    def view(self, view: View) -> View | None:
        """Return a view of the same elements."""
        found = _moved(self, view.offset, view.sizes, view.strides)
        if found is None:
            return None
        strides, at = found
        return View(view.buffer, view.data_type, view.sizes, strides, at, 0, view.panels)


@functools.lru_cache(maxsize=_MOST_MOVED)
def _moved(
    tensor: _Tensor, offset: int, sizes: _Strides, strides: _Strides
) -> tuple[_Strides, int] | None:
    """Return strides and offset in bytes by which the same elements are reached, if any do."""
    begin, within = divmod(offset, tensor.data_type.item_bytes)
    found = tensor.strides(begin, sizes, strides)
    if found is None or within:
        return None
    return found, tensor.data_type.item_bytes * tensor.offset(begin)


def channels_last(plan: Plan) -> Plan:
    """Return a plan with tensors in this layout, where it gains more than copies take."""
    if not any(_is_convolution(step) for step in plan.steps):
        return plan
    return _Pass(plan).plan()


def _is_convolution(step: Step) -> TypeGuard[WordStep]:
    return isinstance(step, WordStep) and step.word in _CONVOLUTIONS


def _pays_alone(step: WordStep) -> bool:
    """Return whether a convolution gains more than copies of what it reads and writes take."""
    x, w, out = step.inputs[0], step.inputs[1], step.outputs[0]
    if x is None or w is None:
        return False
    products = out.element_count * prod(w.sizes[1:])
    return products >= _PRODUCTS_OF_COPY * (x.element_count + out.element_count)


def _are_units(step: WordStep, view: View) -> bool:
    """Return whether a convolution makes units of pixels, in whatever order their channels are."""
    is_read = view is step.inputs[0] and view.data_type in _BYTES
    return is_read and view.sizes[_CHANNELS] < _QUAD


def _has_channels_beside_each_other(view: View) -> bool:
    return view.sizes[_CHANNELS] == 1 or view.strides[_CHANNELS] == 1


def _seen_otherwise(step: Step, tensors: dict[int, _Tensor]) -> Iterator[int]:
    """Yield the buffers that a step writes so that they cannot be brought into the layout.

    And those in which a convolution sees other channels than others do.
    """
    for written in views_of(step)[1]:
        tensor = None if written is None else tensors.get(written.buffer)
        if written is not None and tensor is not None and tensor.view(written) is None:
            yield written.buffer
    for view in (step.inputs[0], step.outputs[0]) if _is_convolution(step) else ():
        tensor = None if view is None else tensors.get(view.buffer)
        if view is not None and tensor is not None:
            there = tensor.view(view)
            if there is None or not _has_channels_beside_each_other(there):
                yield view.buffer


class _Pass:
    """The tensors of a plan, and which of them get the layout."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._constants = {
            step.target.offset: step.target.element_count
            for step in plan.initial_steps
            if isinstance(step, CopyStep)
        }
        self._tensors = self._found()
        #: Whether words have native forms over the layout, by step.
        self._taken: dict[int, bool] = {}
        #: Of each step the views of these tensors, and what they are in the layout.
        self._seen = [
            [(v, self._mapped(step, v)) for v in _each(step) if v.buffer in self._tensors]
            for step in plan.steps
        ]
        self._leader = {buffer: buffer for buffer in self._tensors}
        for step, seen in zip(plan.steps, self._seen, strict=True):
            if isinstance(step, ProgramStep) or self._is_over_pixels(step):
                self._join([view.buffer for view, there in seen if there is not None])
        self._chosen = self._choice()
        self._temporaries = list(plan.temporaries)
        for buffer in self._chosen:
            self._temporaries[buffer - plan.persistent - 1] = self._tensors[buffer].size_bytes
        #: Copies of chosen tensors in DirectML's order, by buffer, and of what calls give in the
        #: layout.
        self._copies: dict[int, int] = {}
        self._brought: dict[View, View] = {}
        self._steps: list[Step] = []

    def plan(self) -> Plan:
        """Return the plan with the layout."""
        for step in self._plan.steps:
            self._add(step)
        return replace(self._plan, steps=tuple(self._steps), temporaries=tuple(self._temporaries))

    # ---- which tensors ----

    def _found(self) -> dict[int, _Tensor]:
        """Return the buffers between steps that convolutions, or else others, see as images."""
        seen: defaultdict[int, Counter[_Tensor]] = defaultdict(Counter)
        first = self._plan.persistent + 1
        ranks = {len(step.outputs[0].sizes) for step in self._plan.steps if _is_convolution(step)}
        types: defaultdict[int, set[TensorDataType]] = defaultdict(set)
        for step in self._plan.steps:
            weight = 1000 if _is_convolution(step) else 1
            for view in _each(step):
                if view.buffer < first:
                    continue
                types[view.buffer].add(view.data_type)
                is_image = view.offset == 0 and len(view.sizes) in ranks and view.is_packed
                if not is_image or view.data_type not in _TYPES:
                    continue
                size = self._plan.temporaries[view.buffer - first]
                own = view.element_count * view.data_type.item_bytes
                # What follows a tensor up to the next unit of memory is nobody's.
                if own <= size < own + _UNIT:
                    seen[view.buffer][_Tensor.of(view)] += weight
        found = {b: max(c, key=c.__getitem__) for b, c in seen.items() if len(types[b]) == 1}
        for step in self._plan.steps:
            for buffer in _seen_otherwise(step, found):
                found.pop(buffer, None)
        return {b: t for b, t in found.items() if t.channels > 1 and t.pixels > 1}

    def _mapped(self, step: Step, view: View) -> View | None:
        """Return a view of such a tensor in the layout; None if it cannot be had."""
        is_taken = isinstance(step, ProgramStep) or self._takes(step, view)
        return self._tensors[view.buffer].view(view) if is_taken else None

    def _takes(self, step: Step, view: View) -> bool:
        """Return whether a step that is no program reads or writes this layout well."""
        if not isinstance(step, WordStep):
            return False
        if _is_convolution(step):
            sums = step.inputs[4:5] if step.word is _SETTLE else ()
            return view in (step.inputs[0], *sums, step.outputs[0]) and self._is_fit(step)
        if step.word in _IN_ANY_ORDER and len(dict(step.fields)["axes"]) != len(view.sizes):
            return False
        if not self._is_over_pixels(step):
            there = self._tensors[view.buffer].view(view)
            return there is not None and there.is_packed  # as normalization after a transposition
        if id(step) not in self._taken:
            self._taken[id(step)] = self._runs_natively(step)
        return self._taken[id(step)]

    @staticmethod
    def _is_over_pixels(step: Step) -> bool:
        return isinstance(step, WordStep) and step.word in _OVER_PIXELS | _IN_ANY_ORDER

    def _runs_natively(self, step: WordStep) -> bool:
        """Return whether a word has a native form over this layout, of all that it sees."""

        def there(view: View | None) -> View | None:
            tensor = None if view is None else self._tensors.get(view.buffer)
            if tensor is None or view is None:
                return view
            return tensor.view(view) or view

        inputs, outputs = (tuple(map(there, views)) for views in views_of(step))
        if (inputs, outputs) == views_of(step):
            return False
        found = moved(step, inputs, outputs)
        return isinstance(found, WordStep) and found.native is not None

    def _is_fit(self, step: WordStep) -> bool:
        """Return whether a convolution has filters that can be in panels, and vectors of them."""
        x, w, out = step.inputs[0], step.inputs[1], step.outputs[0]
        fields = dict(step.fields)
        if x is None or w is None or fields.get("direction", "forward") != "forward":
            return False
        if w.buffer != self._plan.persistent or not w.is_packed:
            return False
        if self._constants.get(w.offset) != w.element_count:
            return False
        groups = fields["group_count"]
        if x.data_type in _BYTES:
            return self._is_fit_of_integers(step, x, w, groups)
        floats = x.data_type in _FLOATS and w.data_type in _FLOATS
        floats = floats and out.data_type is TensorDataType.FLOAT32
        planes = len(x.sizes) <= _CHANNELS + 3 or x.sizes[2] == w.sizes[2] == out.sizes[2] == 1
        by_channels = groups == w.sizes[0] and w.sizes[1] == 1
        filters = w.sizes[0] if by_channels else w.sizes[0] // groups
        # Vectors of the filters of a group alone would be partly empty.
        are_full = by_channels or groups == 1 or filters % PANEL == 0
        has_one_tap = groups == prod(w.sizes[_CHANNELS + 1 :]) == 1
        are_enough = filters >= _LEAST_FILTERS or has_one_tap
        return floats and planes and are_enough and are_full

    @staticmethod
    def _is_fit_of_integers(step: WordStep, x: View, w: View, groups: int) -> bool:
        zero = step.inputs[2]
        if zero is not None and zero.data_type is not x.data_type:
            return False  # padding has its value
        by_channels, filters = columns_of_pixels(w.sizes, groups)
        channels = w.sizes[1]
        if not by_channels and channels < _LEAST_CHANNELS:
            return False
        if not by_channels and groups > 1 and (filters % PANEL or channels % _QUAD):
            return False  # vectors and units would be partly empty
        return filters >= _LEAST_FILTERS and has_pixel_form(w.sizes, groups)

    def _find(self, buffer: int) -> int:
        while self._leader[buffer] != buffer:
            self._leader[buffer] = buffer = self._leader[self._leader[buffer]]
        return buffer

    def _join(self, buffers: list[int]) -> None:
        """Say that some tensors have one layout."""
        for buffer in buffers[1:]:
            self._leader[self._find(buffer)] = self._find(buffers[0])

    def _choice(self) -> set[int]:
        """Return the buffers for which the layout gains: convolutions against copies."""
        gains: Counter[int] = Counter()
        for step, seen in zip(self._plan.steps, self._seen, strict=True):
            for view, there in seen:
                group = self._find(view.buffer)
                if there is None:
                    gains[group] -= self._tensors[view.buffer].element_count
                elif _is_convolution(step) and not _are_units(step, view):
                    gains[group] += view.element_count * (2 if _pays_alone(step) else 1)
            if seen and isinstance(step, ProgramStep):
                buffer = seen[0][0].buffer
                gains[self._find(buffer)] += self._gain_of_order(step, buffer)
        return {b for b in self._tensors if gains[self._find(b)] > 0}

    def _gain_of_order(self, step: ProgramStep, buffer: int) -> int:
        """Return how many elements of views that stay are read or written along lines for it.

        Those that are no longer count against it. Only views with an element for each of a
        program's count.
        """
        tensor = self._tensors[buffer]
        every = [*zip(_each(step), (*step.input_strides, *step.output_strides), strict=True)]
        view, before = next(pair for pair in every if pair[0].buffer == buffer)
        after = tensor.strides(view.offset // tensor.data_type.item_bytes, step.sizes, before)
        lines = [_line_of(step.sizes, own) for own in (before, after or before)]
        gain = 0
        for fixed, strides in every:
            is_whole = all(stride for n, stride in zip(step.sizes, strides, strict=True) if n > 1)
            if is_whole and fixed.buffer not in self._tensors:
                own = _line_of(step.sizes, strides)
                gain += ((own == lines[1]) - (own == lines[0])) * prod(step.sizes)
        return gain

    # ---- steps ----

    def _add(self, step: Step) -> None:
        inputs, outputs = views_of(step)
        read = tuple(self._read(step, view) for view in inputs)
        later: list[Step] = []
        written = tuple(self._written(step, view, later) for view in outputs)
        if (read, written) != (inputs, outputs):
            step = self._changed(step, (inputs, outputs), (read, written))
        self._steps += [step, *later]

    def _read(self, step: Step, view: View | None) -> View | None:
        """Return what a step reads instead of a view."""
        if view is None:
            return None
        if view.buffer not in self._chosen:
            return self._brought_for(step, view) if self._is_brought(step, view) else view
        there = self._mapped(step, view)
        return there or view._replace(buffer=self._copy(view.buffer, step))

    def _is_brought(self, step: Step, view: View) -> bool:
        """Return whether a step reads a copy in the layout of what a call is given."""
        if not _is_convolution(step) or view is not step.inputs[0] or not _pays_alone(step):
            return False
        return view.buffer < self._plan.persistent and view.is_packed and self._is_fit(step)

    def _brought_for(self, step: Step, view: View) -> View:
        """Return the copy in the layout of what a call is given."""
        if view not in self._brought:
            own, self._brought[view] = self._added(view)
            self._steps.append(self._reorder(step, view, own))
        return self._brought[view]

    def _added(self, view: View) -> tuple[View, View]:
        """Return a new tensor as large as a view, and as it is in the layout, which it gets."""
        tensor = _Tensor.of(view)
        buffer = self._new(tensor.size_bytes)
        self._tensors[buffer] = tensor
        self._chosen.add(buffer)
        own = view._replace(buffer=buffer, offset=0)
        there = tensor.view(own)
        assert there is not None  # noqa: S101 (it is packed)
        return own, there

    def _copy(self, buffer: int, step: Step) -> int:
        """Return the copy of a tensor in DirectML's order."""
        if buffer not in self._copies:
            own = self._whole(buffer)
            size_bytes = own.element_count * own.data_type.item_bytes
            plain = own._replace(buffer=self._new(size_bytes))
            self._copies[buffer] = plain.buffer
            self._steps.append(self._reorder(step, own, plain))
        return self._copies[buffer]

    def _written(self, step: Step, view: View | None, later: list[Step]) -> View | None:
        """Return what a step writes instead of a view."""
        if view is None:
            return None
        if view.buffer in self._chosen:
            there = self._mapped(step, view)
            if there is None:
                plain = view._replace(buffer=self._new(self._end_of(view)))
                later.append(self._reorder(step, plain, view))
                return plain
            return there
        if self._is_for_output(step, view):
            if view.sizes[_CHANNELS] == 1:  # one order is the other, which the stride says
                return view._replace(strides=(view.strides[0], 1, *view.strides[2:]))
            # What follows needs DirectML's order, and the convolution would write it slowly.
            own, there = self._added(view)
            later.append(self._reorder(step, own, view))
            return there
        return view

    def _is_for_output(self, step: Step, view: View) -> bool:
        if not _is_convolution(step) or not self._is_fit(step):
            return False
        x = step.inputs[0]
        reads_it = x is not None and (
            x.buffer in self._chosen or self._is_brought(step, x)
            or (x.sizes[_CHANNELS] > 1 and _has_channels_beside_each_other(x))
        )  # fmt: skip
        is_plain = view.is_packed or view.sizes[_CHANNELS] == 1
        return reads_it and is_plain and prod(view.sizes[2:]) > 1

    def _end_of(self, view: View) -> int:
        reach = sum((n - 1) * s for n, s in zip(view.sizes, view.strides, strict=True))
        return view.offset + (reach + 1) * view.data_type.item_bytes

    def _whole(self, buffer: int) -> View:
        tensor = self._tensors[buffer]
        return View(buffer, tensor.data_type, tensor.sizes, packed_strides(tensor.sizes))

    def _new(self, size_bytes: int) -> int:
        self._temporaries.append(size_bytes)
        return self._plan.persistent + len(self._temporaries)

    def _reorder(self, step: Step, source: View, target: View) -> Step:
        """Return the copy of a tensor, one of both in the layout."""
        names = getattr(step, "operator_names", ())
        program = Program((source.data_type.name.lower(),), (), (), (0,))
        copy = ProgramStep(program, names, source.sizes, (source,), (target,), (source.strides,),
                           (target.strides,))  # fmt: skip
        views = tuple(
            self._mapped(copy, view) if view.buffer in self._chosen else view
            for view in (source, target)
        )
        return self._changed(copy, ((source,), (target,)), (views[:1], views[1:]))

    def _changed(self, step: Step, former: tuple[Views, Views], views: tuple[Views, Views]) -> Step:
        """Return a step over other views; the elements of a program in the order of its output."""
        found = moved(step, *views)
        if not isinstance(found, ProgramStep):
            return found
        both = []
        for before, after, over in zip(
            former, views, (found.input_strides, found.output_strides), strict=True
        ):
            lists = []
            for view, there, strides in zip(before, after, over, strict=True):
                tensor = self._tensors.get(view.buffer) if view is not None else None
                own: _Strides | None = strides
                is_chosen = there is not None and there.buffer in self._chosen
                if view is not None and tensor is not None and is_chosen:
                    begin = view.offset // tensor.data_type.item_bytes
                    own = tensor.strides(begin, found.sizes, strides)
                assert own is not None  # noqa: S101 (its view was mapped)
                lists.append(own)
            both.append(lists)
        return _merged(found, both)


def _merged(step: ProgramStep, both: list[list[_Strides]]) -> ProgramStep:
    """Return a program over other strides: axes in the order of its output.

    Where all operands follow several axes without a break, these are one.
    """
    every = [strides for each in both for strides in each]
    order = sorted(range(len(step.sizes)), key=lambda axis: -max(own[axis] for own in both[1]))
    sizes: list[int] = []
    axes: list[int] = []
    for axis in order:
        size = step.sizes[axis]
        if size == 1:
            continue
        if axes and all(own[axes[-1]] == own[axis] * size for own in every):
            sizes[-1] *= size
            axes[-1] = axis
        else:
            sizes.append(size)
            axes.append(axis)
    strides = [tuple(tuple(own[axis] for axis in axes) for own in each) for each in both]
    return replace(step, sizes=tuple(sizes), input_strides=strides[0], output_strides=strides[1])


def _line_of(sizes: _Strides, strides: _Strides) -> int:
    """Return the axis along which elements are nearest to each other."""
    return min(range(len(sizes)), key=lambda axis: (sizes[axis] == 1, strides[axis]))


def _each(step: Step) -> list[View]:
    inputs, outputs = views_of(step)
    return [view for view in (*inputs, *outputs) if view is not None]
