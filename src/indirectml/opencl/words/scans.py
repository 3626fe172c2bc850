"""Running results, and the largest elements in order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from indirectml.opencl.launches import Abilities, Argument, Launch, Source, Table, merged
from indirectml.opencl.launches import over as work_items
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.folds import key_defines
from indirectml.opencl.words.products import kind_of, table_of
from indirectml.plans import View, WordStep

_FILES = ("elements.cl", "folds.cl", "scans.cl")

#: What elements are computed as, and from bits and to bits.
_NUMBERS = {
    "float32": ("NUMBER=float", "AS_NUMBER=number", "AS_BITS=quiet"),
    "float64": ("NUMBER=double", "AS_NUMBER=number64", "AS_BITS=quiet64"),
}
_INTEGERS = ("NUMBER=ulong", "AS_NUMBER=(ulong)", "AS_BITS=(ulong)")
#: Every element of a line is compared with all others: of longer lines that is too much.
_LONGEST = 1 << 14


def _lines(axis: int, *views: View) -> tuple[Table, int]:
    """Return where the lines along an axis begin, and how many there are."""
    kept = [k for k in range(len(views[0].sizes)) if k != axis]
    sizes = [views[0].sizes[k] for k in kept]
    strides = [[view.strides[k] for k in kept] for view in views]
    count = 1
    for size in sizes:
        count *= size
    return table_of(*merged(sizes, strides)), count


@word_launches("scan")
def scan(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return running sums or products."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    kind = kind_of(x)
    is_product = fields["kind"] == "product"
    operation = f"{'multiply' if is_product else 'add'} {kind}"
    if kind == "float16" or x.data_type is not y.data_type:
        return None
    if kind in _NUMBERS and not abilities.can(operation):
        return None
    axis = fields["axis"]
    lines, count = _lines(axis, x, y)
    n = x.sizes[axis]
    if not n:
        return ()
    source = Source(_FILES, ("SCAN", f"X={kind}", *_NUMBERS.get(kind, _INTEGERS)))
    arguments: tuple[Argument, ...] = (
        x, y, lines, np.uint64(count), np.int32(n), np.int64(x.strides[axis]),
        np.int64(y.strides[axis]), np.int32(is_product), np.int32(fields["exclusive"]),
        np.int32(fields["reverse"]),
    )  # fmt: skip
    return [Launch("scan", source, arguments, *work_items(count))]


@word_launches("top_k")
def top_k(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:  # noqa: ARG001 (as all have it)
    """Return the largest elements in order."""
    (x,), (values, indices), fields = step.inputs, step.outputs, step.arguments
    assert x is not None  # noqa: S101
    axis, n = fields["axis"], x.sizes[fields["axis"]]
    if n > _LONGEST or values.data_type is not x.data_type:
        return None
    lines, count = _lines(axis, x, values, indices)
    kinds = (f"X={kind_of(x)}", f"INDEX={kind_of(indices)}")
    source = Source(_FILES, ("TOP", *kinds, *key_defines(x)))
    arguments: tuple[Argument, ...] = (
        x, values, indices, lines, np.uint64(count), np.int32(n), np.int64(x.strides[axis]),
        np.int64(values.strides[axis]), np.int64(indices.strides[axis]), np.int32(fields["count"]),
        np.int32(fields.get("smallest", False)),
    )  # fmt: skip
    return [Launch("top_k", source, arguments, (n, count))]
