"""A sequence as a picture; the only file that imports matplotlib, which is an extra."""

from __future__ import annotations

import io
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


def plot(explanation: Explanation, path: Path) -> None:
    """Draw value and error over index, for both rules, to a .png or .svg file.

    The file appears, or is replaced, when it is complete and on the disk.
    """
    figure = Figure(figsize=(9, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    indices = _indices(explanation)
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
    _mark(explanation, above, below)
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
    for axes in (above, below):
        axes.grid(visible=True, alpha=0.3)
        axes.margins(x=0.01)
    suffix = path.suffix.lower()
    drawn_picture = io.BytesIO()
    CANVASES[suffix](figure).print_figure(drawn_picture, format=suffix[1:])
    with replaced_file(path) as file:
        write_all(file, drawn_picture.getvalue())


def _mark(explanation: Explanation, above: Axes, below: Axes) -> None:
    """Draw lines where something begins."""
    marks = {"rules part": explanation.part_at}
    facts = explanation.rules["accumulate"]
    marks["absorbed"] = facts.absorbed_at if facts.infinite_at is None else None
    marks["infinite"] = facts.infinite_at
    marks["wraps"] = facts.wrapped_at
    for label, index in marks.items():
        if index is None:
            continue
        for axes in (above, below):
            axes.axvline(index, color="0.5", linewidth=0.9, linestyle=":")
        below.annotate(
            f"{label}: {index}",
            (index, 0.03),
            xycoords=("data", "axes fraction"),
            fontsize=8,
            rotation=90,
            va="bottom",
            ha="left",
            color="0.35",
        )


def _indices(explanation: Explanation) -> list[int]:
    """Return elements to be drawn: evenly spaced ones, and those at which something begins."""
    last = explanation.count - 1
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
