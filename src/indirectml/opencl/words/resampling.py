"""Weighted sums along axes, elements taken along axes, and powers of integers."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from indirectml.opencl.functions import DOUBLE_FILES
from indirectml.opencl.launches import Abilities, Argument, Launch, Scratch, Source, Table, over
from indirectml.opencl.views import kind_of, merged_table, repeated, view_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.sums import are_floats
from indirectml.plans import WordStep

_FILES = (*DOUBLE_FILES, "resampling.cl")


@word_launches("resample")
def resample(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return weighted sums: a launch for each axis, the last one first."""
    (x,), y, taps = step.inputs, step.outputs[0], step.arguments["taps"]
    assert x is not None  # noqa: S101
    if not taps or not are_floats(y):
        return None
    if abilities.has_float64 and not (are_floats(x) or abilities.can("float64 of int64")):
        return None
    sizes, launches = list(x.sizes), []
    given: tuple[Argument, ...] = (x, view_table(x))
    defines: tuple[str, ...] = (f"X={kind_of(x)}",)
    order = sorted(taps, reverse=True)
    for number, axis in enumerate(order):
        inputs, (outputs, count) = sizes[axis], taps[axis].weights.shape
        sizes[axis] = outputs
        total = prod(sizes)
        target: tuple[Argument, ...] = (Scratch(number, max(total, 1) * 8),)
        own = defines
        if axis == order[-1]:
            target, own = (y, view_table(y)), (*defines, f"Y={kind_of(y)}")
        arguments = (
            *given, *target, Table.of(taps[axis].indices, np.int32),
            Table.of(taps[axis].weights, np.float64), np.int32(count), np.uint64(inputs),
            np.uint64(outputs), np.uint64(prod(sizes[axis + 1 :])), np.uint64(total),
        )  # fmt: skip
        source = Source(_FILES, ("RESAMPLE", *own))
        launches.append(Launch("resample", source, arguments, *over(total)))
        given, defines = target, ()
    return launches


@word_launches("take_nearest")
def take_nearest(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return elements at indices along axes."""
    (x,), y, indices = step.inputs, step.outputs[0], step.arguments["indices"]
    assert x is not None  # noqa: S101
    if x.data_type is not y.data_type:
        return None
    numbers: list[int] = []
    table = [len(x.sizes)]
    for axis in reversed(range(len(x.sizes))):
        first = len(numbers) if axis in indices else -1
        numbers += indices[axis].tolist() if axis in indices else ()
        table += [y.sizes[axis], x.strides[axis], first, y.strides[axis]]
    count = y.element_count
    source = Source(_FILES, ("TAKE", f"X={kind_of(x)}"))
    arguments = (x, y, Table.of(table), Table.of(numbers), np.uint64(count))
    return [Launch("take_nearest", source, arguments, *over(count))]


@word_launches("integer_power")
def integer_power(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return powers of integers."""
    (x, exponent), y = step.inputs, step.outputs[0]
    assert x is not None  # noqa: S101
    assert exponent is not None  # noqa: S101
    if x.data_type is not y.data_type:
        return None
    order = range(len(y.sizes))
    strides = [repeated(view, y.sizes, order) for view in (x, exponent, y)]
    table = merged_table(y.sizes, strides)
    kinds = kind_of(x), kind_of(exponent)
    signs = [int(kind.startswith("int")) for kind in kinds]
    defines = (
        "POWERS_OF_INTEGERS", f"X={kinds[0]}", f"EXPONENT={kinds[1]}", f"IS_SIGNED={signs[0]}",
        f"IS_SIGNED_EXPONENT={signs[1]}",
    )  # fmt: skip
    count = y.element_count
    arguments = (x, exponent, y, table, np.uint64(count))
    return [Launch("integer_power", Source(_FILES, defines), arguments, *over(count))]
