"""Views as kernels are told of them: data types, and tables of where elements lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indirectml.opencl.launches import Table, merged
from indirectml.plans import View


def kind_of(view: View) -> str:
    """Return the data type of a view as kernels name it."""
    return view.data_type.name.lower()


def table_of(sizes: Iterable[int], strides: Iterable[Iterable[int]]) -> Table:
    """Return sizes and strides as `place_of` of kernels/elements.cl takes them."""
    axes = list(zip(sizes, *strides, strict=True))
    return Table.of([len(axes), *(number for axis in reversed(axes) for number in axis)])


def merged_table(sizes: Sequence[int], strides: Sequence[Sequence[int]]) -> Table:
    """Return the table of the same elements with as few axes as there can be."""
    return table_of(*merged(sizes, strides))


def view_table(view: View) -> Table:
    """Return where the elements of a view are, in row-major order."""
    return merged_table(view.sizes, [view.strides])


def repeated(view: View | None, sizes: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return the strides along axes of a view whose dimensions repeat to sizes; 0 of none."""
    if view is None:
        return [0] * len(order)
    missing = len(sizes) - len(view.sizes)
    own = [s if n > 1 else 0 for n, s in zip(view.sizes, view.strides, strict=True)]
    return [own[k - missing] if k >= missing else 0 for k in order]


def only_stride(view: View | None) -> int:
    """Return the stride of the one axis along which a view has elements; 0 without one."""
    if view is None:
        return 0
    return next((s for n, s in zip(view.sizes, view.strides, strict=True) if n > 1), 0)
