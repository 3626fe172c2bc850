"""The largest and the smallest elements of groups, and sums and products of integers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from indirectml.opencl.functions import DOUBLE_FILES
from indirectml.opencl.launches import Abilities, Argument, Launch, Scratch, Source, over
from indirectml.opencl.views import kind_of, view_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.groups import Groups, lanes_of
from indirectml.plans import View, WordStep

_FILES = ("elements.cl", "folds.cl")
_KEYS = {1: "char", 2: "short", 4: "int", 8: "long"}


def key_defines(view: View) -> tuple[str, ...]:
    """Return what kernels/folds.cl is told of elements: the integers in whose order they are."""
    kind = kind_of(view)
    own = _KEYS[view.data_type.item_bytes]
    if kind.startswith("float"):
        return f"IS_{kind.upper()}", f"KEY={own}", f"UNSIGNED=u{own}"
    is_signed = kind.startswith("int")
    return (
        f"IS_SIGNED={int(is_signed)}",
        f"KEY={own if is_signed else 'u' + own}",
        f"UNSIGNED=u{own}",
    )


def extremes(
    groups: Groups,
    abilities: Abilities,
    to: View | Scratch,
    *,
    of_smallest: bool = False,
    last: bool = False,
    of_index: bool = False,
) -> Launch:
    """Return the launch that finds the largest or smallest element of each group, or its number."""
    x = groups.view
    lanes = lanes_of(abilities)
    defines = [f"X={kind_of(x)}", f"LANES={lanes}", *key_defines(x)]
    if of_index:
        defines.append("OF_INDEX")
    if isinstance(to, View):
        defines.append(f"Y={kind_of(to)}")
        target: tuple[Argument, ...] = (to, view_table(to))
    else:
        defines.append(f"KEPT={'ulong' if of_index else 'uint'}")
        target = (to,)
    arguments = (
        x, *groups.tables, *target, np.uint64(groups.group_count), np.uint64(groups.size),
        np.int32(of_smallest), np.int32(last),
    )  # fmt: skip
    source = Source(_FILES, tuple(defines))
    return Launch("extreme", source, arguments, (groups.group_count * lanes,), (lanes,))


@word_launches("largest", "smallest", "index_of_largest", "index_of_smallest")
def extreme(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the largest or the smallest elements, or their numbers."""
    (x,), name, fields = step.inputs, step.word.name, step.arguments
    assert x is not None  # noqa: S101
    y = step.outputs[0]
    of_index = name.startswith("index")
    groups = Groups.of(x, fields["axes"])
    if groups.size == 0 or (not of_index and y.data_type is not x.data_type):
        return None
    return [
        extremes(
            groups,
            abilities,
            y,
            of_smallest=name.endswith("smallest"),
            last=fields.get("last", False),
            of_index=of_index,
        )
    ]


@word_launches("wrapped_sum", "wrapped_product")
def wrapped(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return sums or products of integers."""
    (x,), fields = step.inputs, step.arguments
    assert x is not None  # noqa: S101
    y = step.outputs[0]
    groups = Groups.of(x, fields["axes"])
    lanes = lanes_of(abilities)
    source = Source(_FILES, ("INTEGERS", f"X={kind_of(x)}", f"Y={kind_of(y)}", f"LANES={lanes}"))
    arguments = (
        x, *groups.tables, y, view_table(y), np.uint64(groups.group_count), np.uint64(groups.size),
        np.int32(step.word.name == "wrapped_product"),
    )  # fmt: skip
    return [Launch("wrapped", source, arguments, (groups.group_count * lanes,), (lanes,))]


@word_launches("product64")
def product64(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return products of floats."""
    (x,), fields = step.inputs, step.arguments
    assert x is not None  # noqa: S101
    y = step.outputs[0]
    groups = Groups.of(x, fields["axes"])
    source = Source((*DOUBLE_FILES, "folds.cl"), ("PRODUCTS", f"X={kind_of(x)}", f"Y={kind_of(y)}"))
    arguments = (
        x, *groups.tables, y, view_table(y), np.uint64(groups.group_count), np.uint64(groups.size)
    )  # fmt: skip
    return [Launch("product64", source, arguments, *over(groups.group_count))]
