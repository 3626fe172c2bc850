"""Windows: pooling, its gradients, unfolding and folding, and the response to neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.normalization import neighbourhood
from indirectml.arithmetic.sums import BLOCK
from indirectml.arithmetic.windows import Window, pooled
from indirectml.opencl.functions import DOUBLES, FUNCTION_FILES
from indirectml.opencl.launches import Abilities, Launch, Scratch, Source, Table, over
from indirectml.opencl.views import kind_of, view_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.folds import key_defines
from indirectml.opencl.words.sums import are_floats
from indirectml.plans import View, WordStep

_FILES = ("elements.cl", "folds.cl", "windows.cl")
_OF_FUNCTIONS = ("elements.cl", *FUNCTION_FILES, "folds.cl", "windows.cl")
_MOST_SPATIAL = 3
_FIRST_OF_POWERS = 3
#: What sums are divided by; numbers of kernels/windows.cl.
_INSIDE, _ALL, _ONE = range(3)


def _shape(sizes: Sequence[int], window: Window, *more: float) -> Table | None:
    """Return the geometry as kernels take it, and FLOAT32 numbers as bits; None of too much."""
    if len(window.sizes) > _MOST_SPATIAL or window.position_count > BLOCK * BLOCK:
        return None
    bits = [int(np.float32(number).view(np.uint32)) for number in more]
    return Table.of([*pooled(tuple(sizes), window)[1][1:], *bits])


def _summed(
    x: View,
    y: View,
    shape: Table | None,
    count: int,
    *,
    divisor: int = _ONE,
    order: int = 0,
    as_norm: bool = False,
    what: str = "",
) -> list[Launch] | None:
    """Return the launch of sums of windows."""
    if shape is None or not are_floats(x, y):
        return None
    defines = ["SUMS", f"X={kind_of(x)}", f"Y={kind_of(y)}", *([what] if what else [])]
    source = Source(_OF_FUNCTIONS if what else _FILES, tuple(defines))
    arguments = (
        x, y, shape, view_table(x), view_table(y), np.uint64(count), np.int32(divisor),
        np.int32(order), np.int32(as_norm),
    )  # fmt: skip
    return [Launch("sum_windows", source, arguments, *over(count))]


@word_launches("average_pool", "window_sums", "lp_pool", needs=DOUBLES)
def pool(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return averages, sums and norms of windows."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    window, name = fields["window"], step.word.name
    count = y.element_count
    if name == "average_pool":
        divisor = _ALL if fields.get("include_padding") else _INSIDE
        return _summed(x, y, _shape(x.sizes, window), count, divisor=divisor)
    if name == "window_sums":
        return _summed(x, y, _shape(x.sizes, window), count)
    order = fields["order"]
    if order >= _FIRST_OF_POWERS:
        if kind_of(y) == "float64":
            return None
        shape = _shape(x.sizes, window, float(np.float32(1) / np.float32(order)))
        return _summed(x, y, shape, count, order=order, what="HIGH_NORM")
    shape = _shape(x.sizes, window)
    return _summed(x, y, shape, count, order=order, as_norm=order > 1)


@word_launches("local_response", needs={*DOUBLES, "add float32", "multiply float32"})
def local_response(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return elements over a power of the sum of their neighbours' squares."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    if "float64" in {kind_of(x), kind_of(y)}:
        return None
    places, window = neighbourhood(x.sizes, fields["axes"], fields["size"])
    share = float(np.float32(fields["alpha"]) / np.float32(fields["size"]))
    shape = _shape(places, window, share, fields["beta"], fields["bias"])
    return _summed(x, y, shape, y.element_count, order=2, what="RESPONSE")


@word_launches("max_pool", "max_pool_with_indices")
def max_pool(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the largest elements of windows, and their numbers."""
    (x,), fields = step.inputs, step.arguments
    assert x is not None  # noqa: S101
    y, *others = step.outputs
    shape = _shape(x.sizes, fields["window"])
    if shape is None or y.data_type is not x.data_type:
        return None
    indices = others[0] if others else None
    kind = kind_of(indices) if indices is not None else "int64"
    source = Source(_FILES, ("LARGEST", f"X={kind_of(x)}", f"INDEX={kind}", *key_defines(x)))
    count = y.element_count
    tables = (view_table(x), view_table(y), view_table(indices or y))
    arguments = (x, y, indices, shape, *tables, np.uint64(count))
    return [Launch("largest_windows", source, arguments, *over(count))]


@word_launches("average_pool_gradient", "fold", needs=DOUBLES)
def spread(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return what windows bring back to the elements that they are of."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    shape = _shape(y.sizes, fields["window"])
    is_fold = step.word.name == "fold"
    if shape is None or (not are_floats(x, y) and not (is_fold and x.data_type is y.data_type)):
        return None
    what = ["SPREAD", *(["COLUMNS"] if is_fold else [])]
    if not are_floats(x):
        what.append("MODULAR")
    divisor = _ONE
    if not is_fold:
        divisor = _ALL if fields.get("include_padding") else _INSIDE
    return [_spread(x, (x,), y, shape, divisor, what)]


@word_launches("max_pool_gradient", needs=DOUBLES)
def max_pool_gradient(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return gradients at the largest elements of windows."""
    (x, gradient), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    assert gradient is not None  # noqa: S101
    shape = _shape(x.sizes, fields["window"])
    if shape is None or not are_floats(gradient, y):
        return None
    count = gradient.element_count
    positions = Scratch(0, max(count, 1) * 4)
    source = Source(_FILES, ("POSITIONS_OF_LARGEST", f"X={kind_of(x)}", *key_defines(x)))
    arguments = (x, positions, shape, view_table(x), np.uint64(count))
    return [
        Launch("find_largest", source, arguments, *over(count)),
        _spread(gradient, (gradient, positions), y, shape, _ONE, ["SPREAD", "OF_LARGEST"]),
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
    shape = _shape(x.sizes, fields["window"])
    if shape is None:
        return None
    count = y.element_count
    source = Source(_FILES, ("UNFOLD", f"X={kind_of(x)}"))
    arguments = (x, y, shape, view_table(x), view_table(y), np.uint64(count))
    return [Launch("unfold", source, arguments, *over(count))]
