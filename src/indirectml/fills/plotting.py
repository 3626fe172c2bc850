"""A sequence as a picture; the only file that imports matplotlib, which is an extra."""

from __future__ import annotations

import io
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from indirectml.fills.array_files import replaced_file, write_all
from indirectml.fills.explaining import Explanation

#: By the suffix of the file.
CANVASES = {".png": FigureCanvasAgg, ".svg": FigureCanvasSVG}

#: Told apart in print and by people who do not see all colours; the wide line lies below.
_STYLES = {
    "accumulate": {"color": "#0072B2", "linewidth": 1.6},
    "multiply": {"color": "#E69F00", "linewidth": 3.5},
}
_POINTS = 1500
#: Matplotlib cannot draw axes that reach to the end of double precision: then this is the unit.
_SMALLER = 10**100
#: One in so many is not to be seen on a linear axis.
_EARLY = 100
#: At most, on a logarithmic axis of values.
_TICKS = 9
#: Of the axes' width, what a name that is turned takes.
_LABEL_WIDTH = 0.022
#: Of the largest value or error, what is shown as zero.
_SMALLEST_SHARE = 1e-18


def plot(explanation: Explanation, path: Path) -> None:
    """Draw value and error over index, for both rules, to a .png or .svg file.

    The axes are logarithmic where all that is marked lies in the first hundredth of the indices.
    The file appears, or is replaced, when it is complete and on the disk.
    """
    figure = Figure(figsize=(9, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    marks = _marks(explanation)
    is_logarithmic = bool(marks) and max(marks.values()) * _EARLY < explanation.count - 1
    indices = _indices(explanation, is_logarithmic=is_logarithmic)
    drawn = {
        rule: [float(facts.sequence[index]) for index in indices]
        for rule, facts in explanation.rules.items()
    }
    finite = [abs(value) for values in drawn.values() for value in values if np.isfinite(value)]
    scale = _SMALLER if max(finite, default=0) > _SMALLER**2 else 1
    for rule, values in reversed(drawn.items()):
        style: dict[str, Any] = {"label": rule, **_STYLES[rule]}
        above.plot(indices, [value / scale for value in values], **style)
        errors = [
            float(_error(explanation, index, value) / scale)
            for index, value in zip(indices, values, strict=True)
        ]
        below.plot(indices, errors, **style)
    for axes in (above, below):
        axes.grid(visible=True, alpha=0.3)
        axes.margins(x=0.01)
        if is_logarithmic:
            _scale_logarithmically(axes)
    _draw_marks(marks, above, below)
    above.set_title(
        f"FILL_VALUE_SEQUENCE, {explanation.data_type.name}: "
        f"start {explanation.start!s}, delta {explanation.delta!s}, {explanation.count} elements"
    )
    unit = "" if scale == 1 else f", in {scale:g}"
    above.set_ylabel(f"value{unit}")
    below.set_ylabel(f"value - (start + index * delta){unit}")
    below.set_xlabel("index")
    handles, labels = above.get_legend_handles_labels()
    above.legend(handles[::-1], labels[::-1])
    suffix = path.suffix.lower()
    drawn_picture = io.BytesIO()
    CANVASES[suffix](figure).print_figure(drawn_picture, format=suffix[1:])
    with replaced_file(path) as file:
        write_all(file, drawn_picture.getvalue())


def _scale_logarithmically(axes: Axes) -> None:
    """Give both axes a logarithmic scale that has room for zero and for numbers below it."""
    axes.set_xscale("symlog", linthresh=1)
    drawn = np.abs(np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.lines]))
    sizes = drawn[np.isfinite(drawn) & (drawn > 0)]
    if sizes.size and sizes.max() > _EARLY * sizes.min():
        least = max(float(sizes.min()), float(sizes.max()) * _SMALLEST_SHARE)
        decades = float(np.log10(sizes.max() / least))
        # What lies around zero gets as much room as the text of a tick needs.
        axes.set_yscale(
            "symlog", linthresh=10 ** np.floor(np.log10(least)), linscale=max(1, decades / 8)
        )
        locator: Any = axes.yaxis.get_major_locator()
        locator.set_params(numticks=_TICKS)
    axes.autoscale_view()


def _marks(explanation: Explanation) -> dict[str, int]:
    """Return the elements at which something begins, by what it is."""
    facts = explanation.rules["accumulate"]
    marks = {
        "rules part": explanation.part_at,
        "absorbed": facts.absorbed_at if facts.infinite_at is None else None,
        "infinite": facts.infinite_at,
        "wraps": facts.wrapped_at,
    }
    return {label: index for label, index in marks.items() if index is not None}


def _draw_marks(marks: Mapping[str, int], above: Axes, below: Axes) -> None:
    """Draw a line where something begins, and names beside the lines, apart from each other."""
    at = 0.0
    for label, index in sorted(marks.items(), key=lambda mark: mark[1]):
        for axes in (above, below):
            axes.axvline(index, color="0.5", linewidth=0.9, linestyle=":")
        ((share, _),) = (below.transScale + below.transLimits).transform([(index, 0)])
        at = max(at, min(share, 1 - _LABEL_WIDTH * len(marks)))
        below.annotate(
            f"{label}: {index}",
            (at + 0.003, 0.03),
            xycoords="axes fraction",
            fontsize=8,
            rotation=90,
            va="bottom",
            ha="left",
            color="0.35",
            bbox={"color": "white", "alpha": 0.7, "pad": 0.5},
        )
        at += _LABEL_WIDTH


def _indices(explanation: Explanation, *, is_logarithmic: bool) -> list[int]:
    """Return elements to be drawn: evenly spaced ones, and those at which something begins."""
    last = explanation.count - 1
    if is_logarithmic:
        even = {0} | {round(last ** (k / _POINTS)) for k in range(_POINTS)} | {last}
    else:
        even = {last * k // _POINTS for k in range(_POINTS + 1)}
    borders = {
        index
        for facts in explanation.rules.values()
        for segment in facts.segments
        for index in (segment.first_index - 1, segment.first_index)
    }
    return sorted(index for index in even | borders if 0 <= index <= last)


def _error(explanation: Explanation, index: int, value: float) -> Fraction | float:
    """Return how far an element is from the line."""
    start, delta = float(explanation.start), explanation.exact_delta
    if not (np.isfinite((value, start)).all() and isinstance(delta, Fraction)):
        return float("nan")
    return Fraction(value) - Fraction(start) - index * delta
