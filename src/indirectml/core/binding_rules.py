"""The rules of binding, wherever something is bound: how ranges are aligned, what may lie on what.

What is written has memory of its own. Where the operator allows it, it may lie on an input that is
just like it: at the same place, with the same layout.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.tensors import TensorDesc

#: DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT and DML_TEMPORARY_BUFFER_ALIGNMENT, in bytes.
TENSOR_ALIGNMENT = 16
RESOURCE_ALIGNMENT = 256

#: How much work NumPy puts into the question whether two arrays share an element.
_MAXIMUM_WORK = 100_000

Array = np.ndarray[Any, Any]


def offset_alignment(tensor: TensorDesc) -> int:
    """Return what the offset of a tensor in its buffer is a multiple of, in bytes."""
    return max(TENSOR_ALIGNMENT, tensor.guaranteed_base_offset_alignment)


def tensor_layout(tensor: TensorDesc) -> Hashable:
    """Return what two tensors have in common that may lie on each other."""
    return tensor.sizes_tuple, tensor.strides_in_memory, tensor.total_tensor_size_in_bytes


class Range(NamedTuple):
    """Bytes that are bound.

    Attributes
    ----------
    place : str
        What they are bound to, for messages.
    is_written : bool
        Whether the dispatch writes them.
    begin, end : int
        The first byte, and the one after the last.
    layout : hashable
        How elements lie in them; None for a resource.
    memory : hashable
        What `begin` and `end` are counted in: one number for all if they are addresses.
    """

    place: str
    is_written: bool
    begin: int
    end: int
    layout: Hashable = None
    memory: Hashable = 0


def find_overlaps(ranges: Iterable[Range], *, in_place: bool) -> dict[Range, Range]:
    """Return written ranges that do not have their memory to themselves, each with another.

    None exactly if all ranges keep the rule.

    Parameters
    ----------
    ranges : iterable of Range
        Everything that one dispatch binds.
    in_place : bool
        Whether an output may lie on an input just like it.

    Notes
    -----
    Takes time in proportion to n log n. Where many lie on each other not every pair is named.
    """
    found: dict[Range, Range] = {}
    ordered = sorted(ranges, key=lambda r: (hash(r.memory), r.begin))
    for _, same_memory in groupby(ordered, key=lambda r: r.memory):
        read = written = None  # of the ranges before, those that reach farthest
        for begin, group in groupby(same_memory, key=lambda r: r.begin):
            together = list(group)
            for one in together:
                if written is not None and begin < written.end:
                    found.setdefault(*_writer_first(written, one))
                if one.is_written and read is not None and begin < read.end:
                    found.setdefault(one, read)
            _add_group(together, found, in_place=in_place)
            read = _farthest(read, [r for r in together if not r.is_written])
            written = _farthest(written, [r for r in together if r.is_written])
    return found


def _add_group(together: Sequence[Range], found: dict[Range, Range], *, in_place: bool) -> None:
    """Add what is wrong among ranges that begin at one place."""
    writers = [r for r in together if r.is_written and r.end > r.begin]
    for one, following in pairwise(writers):
        found.setdefault(following, one)
    for other in together if writers else ():
        is_alike = in_place and other.layout is not None and other.layout == writers[0].layout
        if not other.is_written and not is_alike and other.end > other.begin:
            found.setdefault(writers[0], other)


def _writer_first(written: Range, other: Range) -> tuple[Range, Range]:
    return (other, written) if other.is_written else (written, other)


def _farthest(so_far: Range | None, ranges: Sequence[Range]) -> Range | None:
    candidates = [*ranges] if so_far is None else [so_far, *ranges]
    return max(candidates, key=lambda r: r.end, default=None)


def find_shared_elements(
    outputs: Sequence[Array | None], inputs: Sequence[Array | None], *, in_place: bool
) -> tuple[int, str] | None:
    """Return an output that does not have its elements to itself, and what it shares them with.

    Parameters
    ----------
    outputs, inputs : sequence of array or None
        Of one call. Their bytes may lie between each other, as long as no element is shared.
    in_place : bool
        As for `find_overlaps`.

    Returns
    -------
    (int, str) or None
        The number of the output, and a name such as "inputs[1]".

    Notes
    -----
    Whether two arrays share an element is decided exactly; only where that would take very long
    they count as sharing one.
    """
    written = [_range(f"out[{k}]", a, is_written=True) for k, a in enumerate(outputs)]
    read = [_range(f"inputs[{k}]", a, is_written=False) for k, a in enumerate(inputs)]
    if not find_overlaps([r for r in written + read if r is not None], in_place=in_place):
        return None
    for k, (output, one) in enumerate(zip(outputs, written, strict=True)):
        others = [*zip(inputs, read, strict=True), *zip(outputs[:k], written, strict=False)]
        for array, other in others:
            if one is None or other is None or one.begin >= other.end or other.begin >= one.end:
                continue
            is_alike = in_place and (one.begin, one.layout) == (other.begin, other.layout)
            if (other.is_written or not is_alike) and _share_elements(output, array):
                return k, other.place
    return None


def _range(place: str, array: Array | None, *, is_written: bool) -> Range | None:
    if array is None:
        return None
    begin, end = np.lib.array_utils.byte_bounds(array)
    return Range(place, is_written, begin, end, (array.shape, array.strides, array.dtype.str))


def _share_elements(a: Array | None, b: Array | None) -> bool:
    try:
        return np.shares_memory(a, b, max_work=_MAXIMUM_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
