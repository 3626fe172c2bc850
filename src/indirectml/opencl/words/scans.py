"""Running results, and the largest elements in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np

from indirectml.opencl.functions import DOUBLE_FILES
from indirectml.opencl.launches import Abilities, Argument, Launch, Scratch, Source, Table
from indirectml.opencl.launches import along_rows as rows_of
from indirectml.opencl.launches import over as work_items
from indirectml.opencl.views import kind_of, merged_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.folds import key_defines
from indirectml.plans import View, WordStep

_FILES = (*DOUBLE_FILES, "folds.cl", "scans.cl")

#: What elements are computed as, and from bits and to bits.
_NUMBERS = {
    "float32": ("NUMBER=float", "AS_NUMBER=number", "AS_BITS=quiet"),
    "float16": ("NUMBER=float", "AS_NUMBER=half_number", "AS_BITS=quiet"),
    "float64": ("OF_DOUBLES", "NUMBER=Double", "AS_NUMBER=NUMBER_OF", "AS_BITS=BITS_OF"),
}
_INTEGERS = ("NUMBER=ulong", "AS_NUMBER=(ulong)", "AS_BITS=(ulong)")
#: Every element of a line is compared with all others: longer lines are sorted.
LONGEST = 1 << 14


def _lines(axis: int, *views: View) -> tuple[Table, int]:
    """Return where the lines along an axis begin, and how many there are."""
    kept = [k for k in range(len(views[0].sizes)) if k != axis]
    sizes = [views[0].sizes[k] for k in kept]
    strides = [[view.strides[k] for k in kept] for view in views]
    return merged_table(sizes, strides), prod(sizes)


@word_launches("scan")
def scan(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return running sums or products."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    kind = kind_of(x)
    is_product = fields["kind"] == "product"
    result = "float32" if kind == "float16" else kind
    operation = f"{'multiply' if is_product else 'add'} {result}"
    if kind_of(y) != result:
        return None
    is_by_integers = kind == "float64" and not abilities.has_float64
    if kind in _NUMBERS and not is_by_integers and not abilities.can(operation):
        return None
    axis = fields["axis"]
    lines, count = _lines(axis, x, y)
    n = x.sizes[axis]
    if not n:
        return ()
    source = Source(_FILES, ("SCAN", f"X={kind}", f"Y={result}", *_NUMBERS.get(kind, _INTEGERS)))
    arguments: tuple[Argument, ...] = (
        x, y, lines, np.uint64(count), np.int32(n), np.int64(x.strides[axis]),
        np.int64(y.strides[axis]), np.int32(is_product), np.int32(fields["exclusive"]),
        np.int32(fields["reverse"]),
    )  # fmt: skip
    return [Launch("scan", source, arguments, *work_items(count), 32 * n)]


@word_launches("top_k")
def top_k(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the largest elements in order."""
    (x,), (values, indices), fields = step.inputs, step.outputs, step.arguments
    assert x is not None  # noqa: S101
    axis, n = fields["axis"], x.sizes[fields["axis"]]
    if values.data_type is not x.data_type:
        return None
    if n > LONGEST:
        return _sorted(x, values, indices, fields)
    lines, count = _lines(axis, x, values, indices)
    kinds = (f"X={kind_of(x)}", f"INDEX={kind_of(indices)}")
    source = Source(_FILES, ("TOP", *kinds, *key_defines(x)))
    arguments: tuple[Argument, ...] = (
        x, values, indices, lines, np.uint64(count), np.int32(n), np.int64(x.strides[axis]),
        np.int64(values.strides[axis]), np.int64(indices.strides[axis]), np.int32(fields["count"]),
        np.int32(fields.get("smallest", False)),
    )  # fmt: skip
    return [Launch("top_k", source, arguments, *rows_of((n, count), abilities), 8 * n)]


def _sorted(x: View, values: View, indices: View, fields: Mapping[str, Any]) -> list[Launch]:
    """Return launches that sort lines, and take the first elements of each."""
    axis, n = fields["axis"], x.sizes[fields["axis"]]
    key = key_defines(x)
    first = 1 << (8 * x.data_type.item_bytes - 1) if "IS_SIGNED=0" not in key else 0
    defines = (
        "SORT",
        f"X={kind_of(x)}",
        f"INDEX={kind_of(indices)}",
        f"FIRST_KEY={first:#x}ul",
        *key,
    )
    source = Source(_FILES, defines)
    lines, count = _lines(axis, x)
    all_lines, _ = _lines(axis, x, values, indices)
    depth = (n - 1).bit_length()
    rungs = np.int32(1 << depth)
    keys, numbers = Scratch(0, count * int(rungs) * 8), Scratch(1, count * int(rungs) * 4)
    is_smallest = np.int32(fields.get("smallest", False))
    step = np.int64(x.strides[axis])
    given: tuple[Argument, ...] = (x, lines, keys, numbers, np.int32(n), rungs, step, is_smallest)
    launches = [Launch("start_sort", source, given, (int(rungs), count))]
    for run in range(1, depth + 1):
        for apart in reversed(range(run)):
            sizes = rungs, np.int32(1 << run), np.int32(1 << apart)
            work = int(rungs) // 2, count
            launches.append(Launch("exchange", source, (keys, numbers, *sizes), work))
    steps = (step, np.int64(values.strides[axis]), np.int64(indices.strides[axis]))
    given = (x, values, indices, all_lines, numbers, rungs, *steps)
    return [*launches, Launch("take_first", source, given, (fields["count"], count))]
