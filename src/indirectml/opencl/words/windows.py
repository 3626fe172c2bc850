"""Windows: pooling, its gradients, unfolding and folding, and the response to neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.convolution import three
from indirectml.arithmetic.normalization import neighbourhood
from indirectml.arithmetic.sums import BLOCK
from indirectml.arithmetic.windows import Window, pooled
from indirectml.opencl import launches
from indirectml.opencl.functions import DOUBLE_FILES, files_of_functions
from indirectml.opencl.launches import Abilities, Argument, Launch, Scratch, Source, Table, over
from indirectml.opencl.views import kind_of, merged_table, view_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.folds import key_defines
from indirectml.opencl.words.sums import are_floats
from indirectml.plans import View, WordStep

_OWN_FILES = ("folds.cl", "windows.cl")
_FILES = (*DOUBLE_FILES, *_OWN_FILES)
_MOST_SPATIAL = 3
_FIRST_OF_POWERS = 3
#: What sums are divided by; numbers of kernels/windows.cl.
_INSIDE, _ALL, _ONE = range(3)


class _Slide(NamedTuple):
    """Windows that slide over planes.

    Attributes
    ----------
    shape, planes : Table
        The geometry, and where planes begin.
    outputs : tuple of int
        How many there are along three axes.
    plane_count : int
        How many planes.
    """

    shape: Table
    planes: Table
    outputs: tuple[int, int, int]
    plane_count: int

    def launch(
        self, name: str, what: Source, arguments: tuple[Argument, ...], abilities: Abilities
    ) -> Launch:
        """Return a launch whose work-items have several outputs of a row, where rows are long."""
        slices, rows, columns = self.outputs
        wide = abilities.vector_width if 2 * columns >= abilities.vector_width else 1
        source = what._replace(defines=(*what.defines, f"WIDE={wide}"))
        sizes = (-(-columns // wide), slices * rows, self.plane_count)
        if wide > 1:
            return Launch(name, source, arguments, *launches.beside(sizes))
        return Launch(name, source, arguments, *launches.along_rows(sizes, abilities))


def _slide(
    sizes: Sequence[int], strides: Sequence[int], window: Window, *more: float
) -> _Slide | None:
    """Return how windows slide over elements, with FLOAT32 numbers as bits; None of too much."""
    if len(window.sizes) > _MOST_SPATIAL or window.position_count > BLOCK * BLOCK:
        return None
    outer = len(sizes) - len(window.sizes)
    bits = [int(np.float32(number).view(np.uint32)) for number in more]
    whole, geometry = pooled(tuple(sizes), window)
    return _Slide(
        Table.of([*geometry[1:], *three(strides[outer:], 0), *bits]),
        merged_table(sizes[:outer], [strides[:outer]]),
        three(whole[outer:], 1),
        prod(sizes[:outer]),
    )


def _summed(
    x: View,
    y: View,
    slide: _Slide | None,
    abilities: Abilities,
    *,
    divisor: int = _ONE,
    order: int = 0,
    as_norm: bool = False,
    what: str = "",
) -> list[Launch] | None:
    """Return the launch of sums of windows."""
    if slide is None or not are_floats(x, y):
        return None
    defines = ["SUMS", f"X={kind_of(x)}", f"Y={kind_of(y)}", *([what] if what else [])]
    files = (*files_of_functions(abilities), *_OWN_FILES) if what else _FILES  # for powers
    source = Source(files, tuple(defines))
    arguments = (
        x, y, slide.shape, slide.planes, view_table(x), view_table(y), np.int32(divisor),
        np.int32(order), np.int32(as_norm),
    )  # fmt: skip
    return [slide.launch("sum_windows", source, arguments, abilities)]


@word_launches("average_pool", "window_sums", "lp_pool")
def pool(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return averages, sums and norms of windows."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    window, name = fields["window"], step.word.name
    slide = _slide(x.sizes, x.strides, window)
    if name == "average_pool":
        divisor = _ALL if fields.get("include_padding") else _INSIDE
        return _summed(x, y, slide, abilities, divisor=divisor)
    if name == "window_sums":
        return _summed(x, y, slide, abilities)
    order = fields["order"]
    if order >= _FIRST_OF_POWERS:
        if kind_of(y) == "float64":
            return None
        slide = _slide(x.sizes, x.strides, window, float(np.float32(1) / np.float32(order)))
        return _summed(x, y, slide, abilities, order=order, what="HIGH_NORM")
    return _summed(x, y, slide, abilities, order=order, as_norm=order > 1)


@word_launches("local_response", needs={"add float32", "multiply float32"})
def local_response(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return elements over a power of the sum of their neighbours' squares."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    if "float64" in {kind_of(x), kind_of(y)}:
        return None
    places, window = neighbourhood(x.sizes, fields["axes"], fields["size"])
    behind = max(fields["axes"]) + 1
    sizes, (strides,) = launches.merged(x.sizes[behind:], [x.strides[behind:]])
    if len(sizes) > 1:  # what is behind the axes is one
        return None
    strides = (*x.strides[:behind], *(strides or (0,)))[: len(places)]
    share = float(np.float32(fields["alpha"]) / np.float32(fields["size"]))
    slide = _slide(places, strides, window, share, fields["beta"], fields["bias"])
    return _summed(x, y, slide, abilities, order=2, what="RESPONSE")


@word_launches("max_pool", "max_pool_with_indices")
def max_pool(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the largest elements of windows, and their numbers."""
    (x,), fields = step.inputs, step.arguments
    assert x is not None  # noqa: S101
    y, *others = step.outputs
    slide = _slide(x.sizes, x.strides, fields["window"])
    kinds = kind_of(x), kind_of(y)
    widens = kinds == ("float16", "float32")
    if slide is None or (y.data_type is not x.data_type and not widens):
        return None
    indices = others[0] if others else None
    kind = kind_of(indices) if indices is not None else "int64"
    what = ("LARGEST", "WIDENED") if widens else ("LARGEST",)
    source = Source(_FILES, (*what, f"X={kinds[0]}", f"INDEX={kind}", *key_defines(x)))
    arguments = (
        x, y, indices, slide.shape, slide.planes, view_table(y), view_table(indices or y)
    )  # fmt: skip
    return [slide.launch("largest_windows", source, arguments, abilities)]


@word_launches("average_pool_gradient", "fold")
def spread(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return what windows bring back to the elements that they are of."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    slide = _slide(y.sizes, y.strides, fields["window"])
    is_fold = step.word.name == "fold"
    if slide is None:
        return None
    if not are_floats(x, y) and not (is_fold and x.data_type is y.data_type):
        return None
    what = ["SPREAD", *(["COLUMNS"] if is_fold else [])]
    if not are_floats(x):
        what.append("MODULAR")
    divisor = _ONE
    if not is_fold:
        divisor = _ALL if fields.get("include_padding") else _INSIDE
    return [_spread(x, (x,), y, slide.shape, divisor, what)]


@word_launches("max_pool_gradient")
def max_pool_gradient(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return gradients at the largest elements of windows."""
    (x, gradient), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    assert gradient is not None  # noqa: S101
    slide = _slide(x.sizes, x.strides, fields["window"])
    if slide is None or not are_floats(gradient, y):
        return None
    positions = Scratch(0, max(gradient.element_count, 1) * 4)
    source = Source(_FILES, ("POSITIONS_OF_LARGEST", f"X={kind_of(x)}", *key_defines(x)))
    arguments = (x, positions, slide.shape, slide.planes)
    what = ["SPREAD", "OF_LARGEST"]
    return [
        slide.launch("find_largest", source, arguments, abilities),
        _spread(gradient, (gradient, positions), y, slide.shape, _ONE, what),
    ]


def _spread(
    x: View, given: tuple[Any, ...], y: View, shape: Table, divisor: int, what: Sequence[str]
) -> Launch:
    source = Source(_FILES, (*what, f"X={kind_of(x)}", f"Y={kind_of(y)}"))
    count = y.element_count
    arguments = (
        *given, y, shape, view_table(x), view_table(y), np.uint64(count), np.int32(divisor)
    )  # fmt: skip
    return Launch("spread", source, arguments, *over(count))


@word_launches("unfold")
def unfold(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the elements of windows as columns."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    slide = _slide(x.sizes, x.strides, fields["window"])
    if slide is None:
        return None
    count = y.element_count
    source = Source(_FILES, ("UNFOLD", f"X={kind_of(x)}"))
    arguments = (x, y, slide.shape, view_table(x), view_table(y), np.uint64(count))
    return [Launch("unfold", source, arguments, *over(count))]
