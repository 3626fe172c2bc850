"""Sums by rule S16, and what is made of them: means, norms, moments, softmax, normalization."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.opencl.functions import DOUBLE_FILES, files_of_functions
from indirectml.opencl.launches import Abilities, Launch, Scratch, Source, over
from indirectml.opencl.views import kind_of, view_table
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.folds import extremes
from indirectml.opencl.words.groups import Groups, sums
from indirectml.plans import View, WordStep

_FILES = (*DOUBLE_FILES, "rows.cl")

#: By the names of words: what is summed, and whether it is divided by the count, or its root taken.
_SUMS = {
    "sum16": ("", False, False),
    "sum16_of_squares": ("SQUARES", False, False),
    "sum16_of_magnitudes": ("MAGNITUDES", False, False),
    "mean": ("", True, False),
    "l2": ("SQUARES", False, True),
}

_FLOATS = (TensorDataType.FLOAT16, TensorDataType.FLOAT32, TensorDataType.FLOAT64)
#: What softmax takes: FLOAT64 is rounded by its NumPy form.
_NARROW = _FLOATS[:2]


def are_floats(*views: View | None) -> bool:
    """Return whether views are of floats."""
    return all(view is None or view.data_type in _FLOATS for view in views)


def _double(number: float) -> np.uint64:
    """Return the bits of a FLOAT32 as FLOAT64."""
    return np.float64(np.float32(number)).view(np.uint64)


@word_launches(*_SUMS)
def sum16(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return sums."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    if not are_floats(x, y):
        return None
    what, is_mean, is_root = _SUMS[step.word.name]
    groups = Groups.of(x, fields["axes"])
    divisor = groups.size if is_mean else 0
    if is_mean and not divisor:
        return None
    return sums(groups, abilities, y, what=what, divisor=divisor, is_root=is_root)


def _moments(groups: Groups, abilities: Abilities, *, use_mean: bool, use_variance: bool) -> Any:
    """Return launches, and where they leave means and variances."""
    means, variances = (Scratch(k, max(groups.group_count, 1) * 8) for k in (0, 1))
    launches = []
    if use_mean:
        launches += sums(groups, abilities, means, divisor=groups.size)
    else:
        source = Source(_FILES, ("NOTHING",))
        count = groups.group_count
        launches.append(Launch("no_sums", source, (means, np.uint64(count)), *over(count)))
    if use_variance:
        launches += sums(
            groups, abilities, variances, what="DEVIATIONS", more=(means,), divisor=groups.size
        )
    return launches, means, variances


@word_launches("moments")
def moments(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return means and variances."""
    (x,), fields = step.inputs, step.arguments
    assert x is not None  # noqa: S101
    groups = Groups.of(x, fields["axes"])
    if not are_floats(x, *step.outputs) or not groups.size:
        return None
    launches, *found = _moments(
        groups, abilities, use_mean=fields.get("use_mean", True), use_variance=True
    )
    for kept, y in zip(found, step.outputs, strict=True):
        source = Source(_FILES, ("DOUBLES", f"Y={kind_of(y)}"))
        arguments = (y, kept, view_table(y), np.uint64(groups.group_count))
        launches.append(Launch("put_doubles", source, arguments, *over(groups.group_count)))
    return launches  # type: ignore[no-any-return]


@word_launches("normalize_by_moments")
def normalize_by_moments(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return elements normalized by their own moments."""
    x, scale, bias = step.inputs
    assert x is not None  # noqa: S101
    y, fields = step.outputs[0], step.arguments
    groups = Groups.of(x, fields["axes"])
    if not are_floats(x, scale, bias, y) or not groups.size:
        return None
    use_variance = fields.get("use_variance", True)
    use_mean = fields.get("use_mean", True)
    rows = groups.rows(x, y, scale, bias)
    source = Source(_FILES, ("NORMALIZE", *_kinds(x, y, scale, bias)))
    epsilon = _double(fields["epsilon"])
    if x.data_type in _NARROW:
        more = (np.int32(use_mean), np.int32(use_variance), epsilon)
        held = rows.held("normalized_held", source, (x, y, scale, bias), abilities, *more)
        if held is not None:
            return [held]
    launches, means, variances = _moments(
        groups, abilities, use_mean=use_mean, use_variance=use_variance
    )
    given = (x, y, scale, bias, means, variances, np.int32(use_variance))
    return [*launches, rows.launch("normalized", source, given, abilities, epsilon)]


def _kinds(*views: View | None) -> tuple[str, ...]:
    names = ("X", "Y", "SCALE", "BIAS")
    return tuple(
        f"{name}={'float32' if view is None else kind_of(view)}"
        for name, view in zip(names, views, strict=False)
    )


@word_launches("normalize_by_norm")
def normalize_by_norm(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return elements over norms."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    if not are_floats(x, y):
        return None
    groups = Groups.of(x, fields["axes"])
    norms = Scratch(0, max(groups.group_count, 1) * 8)
    is_root = fields["order"] != 1
    launches = sums(
        groups, abilities, norms, what="SQUARES" if is_root else "MAGNITUDES", is_root=is_root
    )
    source = Source(_FILES, ("NORM", *_kinds(x, y)))
    least = _double(fields["epsilon"])
    rows = groups.rows(x, y)
    return [*launches, rows.launch("divide_by_norm", source, (x, y, norms), abilities, least)]


@word_launches("softmax", "log_softmax", needs={"subtract float32"})
def softmax(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return powers of e divided by their sums, or the logarithms of that."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    is_log = step.word.name == "log_softmax"
    groups = Groups.of(x, fields["axes"])
    count = x.element_count
    if x.data_type not in _NARROW or y.data_type not in (_NARROW if is_log else _FLOATS):
        return None
    if not count:
        return ()
    if not is_log:
        source = Source((*files_of_functions(abilities), "rows.cl"), ("SOFTMAX", *_kinds(x, y)))
        held = groups.rows(x, y).held("softmax_held", source, (x, y), abilities)
        if held is not None:
            return [held]
    most, powers = Scratch(0, groups.group_count * 4), Scratch(1, count * 4)
    totals = Scratch(2, groups.group_count * 8)
    launches = [
        extremes(groups, abilities, most),
        *sums(groups, abilities, totals, what="POWERS", more=(most, powers)),
    ]
    if is_log:
        log_files = (*files_of_functions(abilities), "rows.cl")
        source = Source(log_files, ("LOG_SOFTMAX", *_kinds(x, y)))
        given = (x, y, totals, most)
        return [*launches, groups.rows(x, y).launch("log_softmax", source, given, abilities)]
    source = Source(_FILES, ("SOFTMAX", *_kinds(x, y)))
    of_powers = (y, powers, totals, most)
    return [*launches, groups.rows(y).launch("softmax", source, of_powers, abilities)]


@word_launches("hardmax")
def hardmax(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return 1 for the first of the largest elements, and 0."""
    (x,), y, fields = step.inputs, step.outputs[0], step.arguments
    assert x is not None  # noqa: S101
    groups = Groups.of(x, fields["axes"])
    if y.data_type not in _NARROW:
        return None
    if not groups.size:
        return ()
    numbers = Scratch(0, groups.group_count * 8)
    source = Source(_FILES, ("HARDMAX", *_kinds(x, y)))
    return [
        extremes(groups, abilities, numbers, of_index=True),
        groups.rows(y).launch("hardmax", source, (y, numbers), abilities),
    ]
