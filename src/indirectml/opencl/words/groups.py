"""Groups of elements along axes: where they lie, and sums of them by rule S16 as launches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.sums import BLOCK
from indirectml.opencl.functions import DOUBLE_FILES, files_of_functions
from indirectml.opencl.launches import (
    Abilities,
    Argument,
    Launch,
    Local,
    Scratch,
    Source,
    Table,
    merged,
    over,
)
from indirectml.opencl.views import kind_of, repeated, table_of, view_table
from indirectml.plans import View

#: Work-items of a group that is folded together; of a device with vectors one, in a loop.
LANES = 64
#: Groups side by side that a work-item sums at once, and how many are worth it.
_ACROSS, _FEWEST_BESIDE = 64, 16
#: Elements of a row that a work-group has.
_SPAN = 1024
#: Blocks that a work-group sums at once.
_ROWS = 8
_DOUBLE = 8
#: Work-items that hold a row, elements up to which LANES do, and local memory besides the row.
_HELD_LANES, _HELD_BY_FEW, _HELD_BESIDE = 256, 2048, 2048
#: What one of these takes, about, for each element of the row.
_HELD_WORK = 16


class Groups(NamedTuple):
    """A view's elements along axes.

    Attributes
    ----------
    view : View
        The elements.
    kept, reduced : tuple of int
        The axes that number the groups, and those of the elements of one.
    """

    view: View
    kept: tuple[int, ...]
    reduced: tuple[int, ...]

    @classmethod
    def of(cls, view: View, axes: Sequence[int]) -> Groups:
        """Return the groups along axes."""
        kept = tuple(k for k in range(len(view.sizes)) if k not in axes)
        return cls(view, kept, tuple(sorted(axes)))

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return prod(self.view.sizes[k] for k in self.kept)

    @property
    def size(self) -> int:
        """How many elements a group has."""
        return prod(self.view.sizes[k] for k in self.reduced)

    def table(self, axes: Sequence[int]) -> Table:
        """Return where elements are along some axes."""
        sizes, strides = merged(
            [self.view.sizes[k] for k in axes], [[self.view.strides[k] for k in axes]]
        )
        return table_of(sizes, strides)

    @property
    def columns_beside(self) -> int:
        """How many groups lie side by side, one element after the other, before there is a gap."""
        sizes, (strides,) = merged(
            [self.view.sizes[k] for k in self.kept], [[self.view.strides[k] for k in self.kept]]
        )
        return sizes[-1] if sizes and strides[-1] == 1 else 0

    @property
    def tables(self) -> tuple[Table, Table]:
        """Where groups are, and the elements of a group."""
        return self.table(self.kept), self.table(self.reduced)

    def rows(self, *views: View | None) -> Rows:
        """Return the elements of views whose dimensions repeat to those of this one, by rows."""
        sizes = self.view.sizes

        def along(axes: Sequence[int]) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
            return merged([sizes[k] for k in axes], [repeated(v, sizes, axes) for v in views])

        outer, outer_strides = along(self.kept)
        inner, inner_strides = along(self.reduced)
        table = table_of(
            (*outer, *inner[:-1]),
            [(*a, *b[:-1]) for a, b in zip(outer_strides, inner_strides, strict=True)],
        )
        # Of one element any stride will do: the one that most have.
        strides = tuple(own[-1] if own else 1 for own in inner_strides)
        length, per_group = (inner[-1] if inner else 1), prod(inner[:-1])
        return Rows(table, strides, prod(outer) * per_group, per_group, length)


class Rows(NamedTuple):
    """Elements of groups as kernels/rows.cl takes them: where rows begin, and lie apart within."""

    table: Table
    inner: tuple[int, ...]
    row_count: int
    per_group: int
    length: int

    @property
    def _known_strides(self) -> list[str]:
        return [f"S{k}={stride}" for k, stride in enumerate(self.inner) if stride in {0, 1}]

    @property
    def _where(self) -> tuple[Argument, ...]:
        numbers = map(np.uint64, (self.row_count, self.per_group, self.length))
        return self.table, Table.of(self.inner), *numbers

    def launch(
        self,
        name: str,
        source: Source,
        given: tuple[Argument, ...],
        abilities: Abilities,
        *more: Argument,
    ) -> Launch:
        """Return a launch over the elements of rows."""
        is_cpu = abilities.vector_width > 1
        lanes = 1 if is_cpu else min(LANES, 1 << max(self.length - 1, 0).bit_length())
        beside = _ROWS if is_cpu else LANES // lanes
        own = ["LANES=1"] if is_cpu else []
        defines = (*source.defines, *own, *self._known_strides)
        arguments = (*given, *self._where, *more)
        sizes = lanes * -(-self.length // _SPAN), -(-self.row_count // beside) * beside
        return Launch(name, source._replace(defines=defines), arguments, sizes, (lanes, beside))

    def held(
        self,
        name: str,
        source: Source,
        given: tuple[Argument, ...],
        abilities: Abilities,
        *more: Argument,
    ) -> Launch | None:
        """Return a launch of a work-group for each row, which it holds; None where it cannot."""
        lanes = LANES if self.length <= _HELD_BY_FEW else min(_HELD_LANES, abilities.group_size)
        memory = Local(4 * self.length)
        is_one = self.per_group == 1 and LANES <= self.length <= BLOCK
        has_room = memory.size_bytes + _HELD_BESIDE <= abilities.local_bytes
        if abilities.vector_width > 1 or not is_one or not has_room:
            return None
        defines = (*source.defines, "HELD", f"LANES={lanes}", *self._known_strides)
        arguments = (*given, memory, *self._where, *more)
        sizes = lanes, self.row_count
        source = source._replace(defines=defines)
        return Launch(name, source, arguments, sizes, (lanes, 1), _HELD_WORK * self.length)


def sums(
    groups: Groups,
    abilities: Abilities,
    to: View | Scratch,
    *,
    what: str = "",
    more: tuple[Argument, ...] = (),
    divisor: float = 0,
    is_root: bool = False,
    scratch: int = 90,
) -> list[Launch]:
    """Return launches that sum each group by S16.

    Parameters
    ----------
    groups : Groups
        What is summed.
    abilities : Abilities
        Of the device.
    to : View or Scratch
        Where totals go: rounded to a view, or as FLOAT64 without gaps.
    what : str
        A define of kernels/sums.cl: what of the elements is summed.
    more : tuple
        The arguments that this needs.
    divisor : float
        What totals are divided by, if it is not 0.
    is_root : bool
        Whether their roots are taken then.
    scratch : int
        The number of the first Scratch that may be used between launches.
    """
    n, count = groups.size, groups.group_count
    launches: list[Launch] = []
    source: tuple[Argument, ...] = (groups.view, *groups.tables, *more)
    defines = (f"X={kind_of(groups.view)}", *([what] if what else []))
    files = files_of_functions(abilities) if what == "POWERS" else DOUBLE_FILES
    files = (*files, "sums.cl")
    while True:
        blocks = max(1, -(-n // BLOCK))
        is_last = blocks == 1
        target: tuple[Argument, ...] = (to,)
        names = defines
        if not is_last:
            target = (Scratch(scratch, count * blocks * _DOUBLE),)
        elif isinstance(to, View):
            target = (to, view_table(to))
            names = (*defines, f"Y={kind_of(to)}")
        numbers = (
            np.uint64(count), np.uint64(n), np.uint64(blocks),
            np.float64(divisor if is_last else 0).view(np.uint64), np.int32(is_last and is_root),
        )  # fmt: skip
        columns = 0 if launches or what == "POWERS" else groups.columns_beside
        given, own = (*source, *target), Source(files, names)
        if abilities.vector_width > 1 and columns >= _FEWEST_BESIDE:
            launches.append(_across(own, (*given, *numbers), columns, count // columns * blocks))
        else:
            launches.append(_sum(own, given, numbers, count * blocks, abilities))
        if is_last:
            return launches
        source, n, defines = target, blocks, ("OF_TOTALS",)
        files = (*DOUBLE_FILES, "sums.cl")
        scratch += 1


def _across(source: Source, given: tuple[Argument, ...], columns: int, rows: int) -> Launch:
    source = source._replace(defines=(*source.defines, f"ACROSS={_ACROSS}"))
    arguments = (*given, np.uint64(columns))
    return Launch("sum16_across", source, arguments, (-(-columns // _ACROSS), rows), (1, 1))


def _sum(
    source: Source,
    given: tuple[Argument, ...],
    numbers: tuple[Any, ...],
    count: int,
    abilities: Abilities,
) -> Launch:
    if abilities.vector_width > 1:
        return Launch("sum16_alone", source, (*given, *numbers), *over(count))
    beside = min(_ROWS, abilities.group_size // 16)
    source = source._replace(defines=(*source.defines, f"ROWS={beside}"))
    memory = Local(beside * 16 * _DOUBLE)
    rows = -(-count // beside) * beside
    return Launch("sum16", source, (*given, memory, *numbers), (16, rows), (16, beside))


def lanes_of(abilities: Abilities) -> int:
    """Return how many work-items fold a group."""
    return 1 if abilities.vector_width > 1 else LANES
