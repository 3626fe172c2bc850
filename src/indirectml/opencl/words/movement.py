"""Numbers that are known, and elements of four bits: integers alone."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from indirectml.core.tensors import packed_strides
from indirectml.opencl.launches import Abilities, Launch, Source, Table, index_define, merged, over
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.gathering import copied
from indirectml.plans import View, WordStep


@word_launches("known")
def known(step: WordStep, abilities: Abilities) -> list[Launch] | None:
    """Return the launch that copies a table."""
    (to,) = step.outputs
    values = np.asarray(step.arguments["values"])
    if values.dtype != to.data_type.dtype:
        return None
    launch = copied(to._replace(strides=packed_strides(to.sizes)), to)
    _, *rest = launch.arguments
    table = Table.of(values, values.dtype)
    return [launch._replace(arguments=(table, np.uint64(0), *rest))]


@word_launches("from_halves")
def from_halves(step: WordStep, abilities: Abilities) -> list[Launch] | None:
    """Return the launch that makes bytes of elements of four bits."""
    (raw,), (to,) = step.inputs, step.outputs
    given = step.arguments
    if not _is_bytes(raw):
        return None
    axes = _axes(given["sizes"], given["strides"], to.strides)
    return [_halves("from_halves", (raw, to), axes, np.int32(given["is_signed"]))]


@word_launches("into_halves")
def into_halves(step: WordStep, abilities: Abilities) -> list[Launch] | None:
    """Return launches: all bytes as they were, then elements in low halves, then in high ones."""
    (raw, x), (to,) = step.inputs, step.outputs
    assert x is not None  # noqa: S101 (it is not optional)
    if not (_is_bytes(raw) and _is_bytes(to) and x.data_type.item_bytes == 1):
        return None
    axes = _axes(x.sizes, step.arguments["strides"], x.strides)
    assert raw is not None  # noqa: S101 (nor this)
    return [
        copied(raw, to),
        *(_halves("into_halves", (x, to), axes, np.int32(odd)) for odd in (0, 1)),
    ]


def _is_bytes(view: View | None) -> bool:
    return view is not None and not view.is_in_halves and view.is_packed


def _axes(*lists: Any) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return sizes, and the strides of the halves and of the bytes, merged."""
    sizes, *strides = map(tuple, lists)
    return merged(sizes, strides)


def _halves(name: str, views: tuple[Any, Any], axes: Any, how: np.int32) -> Launch:
    sizes, strides = axes
    count = prod(sizes)
    defines = (f"RANK={len(sizes)}", index_define(sizes, strides))
    table = Table.of((*sizes, *strides[0], *strides[1]))
    arguments = (*views, table, how, np.uint64(count))
    return Launch(name, Source(("integers.cl",), defines), arguments, *over(count))
