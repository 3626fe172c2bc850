"""Launches: a kernel, its arguments and how many work-items, as data. Steps become some of these.

Nothing here knows a driver: a launch is made of a step and of what a device can, and compared,
printed and kept like a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.records import record
from indirectml.plans import View


@record()
class Abilities:
    """What a device can, as the probe has found it: what launches are made by.

    Attributes
    ----------
    right : frozenset of str
        The operations of the probe whose bits are right, such as "add float32".
    has_float64 : bool
        Whether it has FLOAT64 whose operations are all right.
    local_bytes, group_size, units : int
        As of `Facts`.
    defines : tuple of str
        What kernels/common.cl is told: in which way a b + c and a / b are computed.
    vector_width : int
        How many FLOAT32 a work-item computes at once: more than 1 where work-items are turns of a
        loop over vectors, as on CPUs.
    """

    right: frozenset[str]
    has_float64: bool
    local_bytes: int
    group_size: int
    units: int
    defines: tuple[str, ...] = ()
    vector_width: int = 1

    def can(self, *operations: str) -> bool:
        """Return whether operations of the probe are right."""
        return self.right.issuperset(operations)


class Table(NamedTuple):
    """Numbers that are known: `global const T *` in a kernel; uploaded once."""

    dtype: str
    data: bytes

    @classmethod
    def of(cls, numbers: Any, dtype: Any = np.int64) -> Table:
        """Return numbers as a table; of none there is a 0, since memory has at least a byte."""
        array = np.ascontiguousarray(numbers, dtype).reshape(-1)
        return cls(array.dtype.str, array.tobytes() or bytes(array.itemsize))


class Scratch(NamedTuple):
    """Memory that the launches of one step share: `global uchar *` in a kernel."""

    number: int
    size_bytes: int


class Local(NamedTuple):
    """Memory of a work-group: `local T *` in a kernel."""

    size_bytes: int


#: What kernels take, in order. A view is two parameters: `global uchar *x, ulong x_at`, where
#: elements begin in bytes; None is the same, NULL and 0. Numbers are NumPy's, whose types say their
#: widths: np.int32 is int, np.uint64 is ulong, np.float32 is float.
Argument = View | None | Table | Scratch | Local | np.generic


class Source(NamedTuple):
    """What a kernel is in: built once, behind common.cl.

    Attributes
    ----------
    files : tuple of str
        Of `kernels/`, in order.
    defines : tuple of str
        Such as "T=uint".
    text : str
        What was generated, behind the files.
    """

    files: tuple[str, ...]
    defines: tuple[str, ...] = ()
    text: str = ""


class Launch(NamedTuple):
    """One start of a kernel.

    Attributes
    ----------
    kernel : str
        Its name.
    source : Source
        What it is in.
    arguments : tuple
        See `Argument`.
    sizes : tuple of int
        How many work-items there are, along one to three axes; nothing happens if there are none.
    group : tuple of int or None
        How many of these are a work-group; None where it does not matter.
    work : int
        Instructions of a work-item, about: what would take a device too long is started in parts.
    """

    kernel: str
    source: Source
    arguments: tuple[Argument, ...]
    sizes: tuple[int, ...]
    group: tuple[int, ...] | None = None
    work: int = 1 << 8

    @property
    def parts(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Where parts begin, and their sizes: along one axis, the last one that is long enough."""
        count = max(-(-prod(self.sizes) * self.work // _MOST_WORK), 1)
        groups = self.group or (1,) * len(self.sizes)
        axis = max(
            range(len(self.sizes)), key=lambda k: (min(self.sizes[k] // groups[k], count), k)
        )
        size, own = self.sizes[axis], groups[axis]
        each = max(-(-size // own // count), 1) * own

        def with_(number: int, others: tuple[int, ...]) -> tuple[int, ...]:
            return (*others[:axis], number, *others[axis + 1 :])

        nowhere = (0,) * len(self.sizes)
        return [
            (with_(at, nowhere), with_(min(each, size - at), self.sizes))
            for at in range(0, size, each)
        ]


#: Instructions of a part: some tenths of a second where a device carries out 10^11 in one, as some
#: systems end what takes two. Where it carries out a hundred times as many, parts cost nothing.
_MOST_WORK = 1 << 35

#: How many work-items a work-group has where they share nothing.
GROUP = 64
#: The same along short rows of a CPU.
_SHORT_GROUP = 8
#: And rows that are beside each other in one.
_BESIDE = 8


def over(count: int, group: int = GROUP) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes and group for at least so many work-items; kernels leave out the others."""
    return (-(-count // group) * group,), (group,)


def along_rows(
    sizes: tuple[int, ...], abilities: Abilities
) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return sizes and group for work-items whose kernel leaves out those beyond the first size.

    Where work-items are turns of a loop, a compiler makes a loop for each size of a group: there
    are two of these. A GPU's driver knows better how many rows are a group.
    """
    if abilities.vector_width == 1:
        return sizes, None
    group = GROUP if sizes[0] >= GROUP else _SHORT_GROUP
    return (-(-sizes[0] // group) * group, *sizes[1:]), (group, *(1 for _ in sizes[1:]))


def beside(sizes: tuple[int, int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes and group for work-items of a CPU that have many elements of a row each.

    Groups are of some rows, which are the second size, and a kernel leaves out those beyond it.
    """
    across, rows, count = sizes
    return (across, -(-rows // _BESIDE) * _BESIDE, count), (1, _BESIDE, 1)


def merged(
    sizes: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return sizes and strides of the same elements with as few axes as there can be.

    Parameters
    ----------
    sizes : sequence of int
        Elements along each axis.
    strides : sequence of sequence of int
        Of each array.

    Examples
    --------
    >>> merged((2, 1, 3, 4), [(12, 0, 4, 1), (0, 0, 0, 1)])
    ((6, 4), ((4, 1), (0, 1)))
    """
    axes: list[tuple[int, tuple[int, ...]]] = []
    for k, size in enumerate(sizes):
        own = tuple(s[k] for s in strides)
        if size == 1:
            continue
        if axes and all(a == b * size for a, b in zip(axes[-1][1], own, strict=True)):
            axes[-1] = (axes[-1][0] * size, own)
        else:
            axes.append((size, own))
    return tuple(n for n, _ in axes), tuple(
        tuple(own[a] for _, own in axes) for a in range(len(strides))
    )


#: Indices below this are 32 bits wide: division by 64 is slow on most devices.
_SMALL = 2**31


def index_define(sizes: Sequence[int], strides: Sequence[Sequence[int]]) -> str:
    """Return "INDEX=int" where places of all elements fit it, and else "INDEX=long"."""
    reach = max(
        [
            prod(sizes),
            *(sum(abs(s) * n for s, n in zip(own, sizes, strict=True)) for own in strides),
        ]
    )
    return f"INDEX={'int' if reach < _SMALL else 'long'}"


#: OpenCL's types of elements that are only moved, by their bytes.
MOVED = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}


def moved_type(view: View) -> str:
    """Return OpenCL's type for elements that are only moved."""
    return MOVED[view.data_type.item_bytes]
