"""Pictures and pages from recorded measurements: `python -m benchmarks.pictures --help`.

Needs matplotlib, the extra `plot`. One picture for each question; machine, versions and date stand
in each of them.
"""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from benchmarks import pages
from benchmarks.sections.section import shown_bytes

#: What a line or mark looks like, by how its name begins; our own are wider.
_OURS = {
    "fill_constant": "#0a8a64",
    "full": "#0a8a64",
    "accumulate": "#0067b0",
    "sequence, accumulate": "#0067b0",
    "multiply": "#c2570c",
    "sequence, multiply": "#c2570c",
    "then read": "#0a8a64",
    "door": "#0a8a64",
    "native": "#0067b0",
    "kernel": "#c2570c",
    "first call": "#0067b0",
    "second call": "#0a8a64",
}
_PEERS = {
    "np.": "#7b52ab",
    "torch": "#c0392b",
    "jax": "#b5489a",
    "ONNX": "#8a7a00",
    "loop in C": "#7f5539",
}
_LIMIT = "#444444"
_LIMITS = {"memset, 1 thread": "#9a9a9a"}
_TEXT = "#222222"
_WIDTH_INCHES = 8.5
_LABEL_HEIGHT = 0.058  # of a panel of lines
_NEAR_RIGHT = 0.8  # lines that end farther to the left have their labels there
_MANY = 10  # ticks
_ONE_DECADE = 8
_FEW_DECADES = 300

STYLE = {
    "svg.fonttype": "none",  # text stays text: small files
    "svg.hashsalt": "indirectml",  # the same record gives the same file
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # of the same width
    "font.size": 9,
    "text.color": _TEXT,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": _TEXT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _TEXT,
    "ytick.color": _TEXT,
    "savefig.facecolor": "white",  # readable wherever it is shown
}


@dataclass(frozen=True)
class Lines:
    """Values over an axis of counts, one panel for each group.

    Attributes
    ----------
    name, section, title : str
        The file, the section of the record, the question.
    panels : mapping
        From the group of the rows to the panel's heading.
    x, y : str
        What the axes are.
    is_linear : bool
        True where both axes are; without it, both are logarithmic.
    leave_out : tuple
        How the names of lines begin that other pictures show.
    """

    name: str
    section: str
    title: str
    panels: Mapping[str, str]
    x: str
    y: str
    is_linear: bool = False
    leave_out: tuple[str, ...] = ()

    def draw(self, figure: Figure, section: Mapping[str, Any]) -> None:
        """Draw a panel for each group."""
        figure.set_size_inches(_WIDTH_INCHES, 0.9 + 3.4 * len(self.panels))
        panels = figure.subplots(len(self.panels), 1, squeeze=False)[:, 0]
        for axes, (group, heading) in zip(panels, self.panels.items(), strict=True):
            found = _series(section, group)
            lines = {s: p for s, p in found.items() if not s.startswith(self.leave_out or ("\0",))}
            for series, points in lines.items():
                axes.plot(*zip(*points, strict=True), **_line_style(series))
            self._scale(axes, lines)
            axes.set_ylabel(self.y)
            axes.grid(visible=True, color="#dddddd", linewidth=0.6)
            axes.set_title(heading, loc="left", fontsize=9)
            _label_ends(axes, lines)

    def _scale(self, axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """Give both axes their scales and ticks."""
        if self.x != "size":
            axes.set_xlabel(self.x)
        if self.is_linear:
            axes.set_ylim(bottom=0)
            counts = sorted({x for points in lines.values() for x, _ in points})
            axes.set_xticks(counts if len(counts) < _MANY else counts[::2])
            axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:g}"))
            return
        axes.set_yscale("log")
        _tick(axes.yaxis, [y for points in lines.values() for _, y in points])
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(LogLocator(base=2**4, numticks=99))
        axes.xaxis.set_minor_locator(NullLocator())
        as_text = _as_size if self.x == "size" else _as_power
        axes.xaxis.set_major_formatter(FuncFormatter(as_text))


@dataclass(frozen=True)
class Dots:
    """A mark for each value, one row for each group.

    Attributes
    ----------
    name, section, title : str
        The file, the section of the record, the question.
    x : str
        What the axis is.
    of : str
        "ratio" or "value".
    """

    name: str
    section: str
    title: str
    x: str
    of: str = "ratio"

    def draw(self, figure: Figure, section: Mapping[str, Any]) -> None:
        """Draw a row for each group, from top to bottom."""
        rows = [row for row in section["rows"] if row["series"] and row[self.of]]
        groups = list(dict.fromkeys(row["group"] for row in rows))
        figure.set_size_inches(_WIDTH_INCHES, 1.4 + 0.24 * len(groups))
        axes = figure.subplots()
        for series in dict.fromkeys(row["series"] for row in rows):
            points = [(r[self.of], groups.index(r["group"])) for r in rows if r["series"] == series]
            axes.plot(*zip(*points, strict=True), **_mark_style(series))
        for bar in sorted({row["bar"] for row in rows if row["bar"].startswith(">=")}):
            axes.axvline(float(bar.split()[1]), color="#888888", linewidth=0.8, linestyle=":")
        if self.of == "ratio":
            axes.axvline(1, color=_LIMIT, linewidth=1.6)
        axes.set_xscale("log")
        _tick(axes.xaxis, [row[self.of] for row in rows])
        axes.set_yticks(range(len(groups)), groups)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(self.x)
        axes.grid(visible=True, color="#dddddd", linewidth=0.6)
        axes.legend(
            loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8, handlelength=1
        )


@dataclass(frozen=True)
class Bars:
    """A bar for each row, with its number.

    Attributes
    ----------
    name, section, title : str
        The file, the section of the record, the question.
    x : str
        What the axis is.
    """

    name: str
    section: str
    title: str
    x: str

    def draw(self, figure: Figure, section: Mapping[str, Any]) -> None:
        """Draw the bars, shortest first."""
        rows = sorted((row for row in section["rows"] if row["value"]), key=lambda r: r["value"])
        figure.set_size_inches(_WIDTH_INCHES, 1.2 + 0.21 * len(rows))
        axes = figure.subplots()
        names = [row["what"].removeprefix("peer: ") for row in rows]
        colors = [
            _LIMIT
            if row["note"] == "the limit"
            else "#b9a3d6"
            if row["what"].startswith("peer: ")
            else "#0067b0"
            for row in rows
        ]
        bars = axes.barh(range(len(rows)), [row["value"] for row in rows], color=colors, height=0.7)
        axes.bar_label(bars, [f"{row['value']:.2f}" for row in rows], padding=3, fontsize=8)
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(self.x)
        axes.set_xscale("log")
        _tick(axes.xaxis, [row["value"] for row in rows])


@dataclass(frozen=True)
class Summary:
    """How fast each library makes a sequence, as bars of ratios."""

    name: str
    section: str
    title: str

    def draw(self, figure: Figure, section: Mapping[str, Any]) -> None:
        """Draw a bar for each library, and a line for the limit."""
        rows = {row["what"]: row for row in section["rows"]}
        shares = {
            name: row["ratio"]
            for name, series in pages.SEQUENCES.items()
            if (row := rows.get(f"float32: {series}")) and row["ratio"]
        }
        figure.set_size_inches(_WIDTH_INCHES, 1.0 + 0.3 * len(shares))
        axes = figure.subplots()
        colours = ["#0067b0" if name == "this library" else "#b9a3d6" for name in shares]
        bars = axes.barh(list(shares), list(shares.values()), color=colours, height=0.7)
        axes.bar_label(bars, [f"{share:.2f}" for share in shares.values()], padding=3, fontsize=8)
        axes.axvline(1, color=_LIMIT, linewidth=1.6)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, 1.15 * max(1, *shares.values()))
        axes.set_xlabel("speed in limits: 1 is memset from all cores")


PICTURES: Sequence[Lines | Dots | Bars | Summary] = (
    Summary(
        "summary",
        "in-place",
        "How fast is a float32 sequence, far larger than the caches?",
    ),
    Lines(
        "sizes",
        "sizes",
        "How fast is a fill of any size? float32, in place",
        {"constant": "constants", "sequence": "sequences"},
        "size",
        "GB/s",
        leave_out=("jax", "ONNX"),
    ),
    Dots(
        "data-types",
        "in-place",
        "How near does every data type come to the limit? Far larger than the caches, in place",
        "speed in limits: 1 is memset from all threads; dotted: what is asked for",
    ),
    Lines(
        "threads",
        "threads",
        "How far do threads carry? float32, far larger than the caches, in place",
        {"": ""},
        "threads",
        "GB/s",
        is_linear=True,
    ),
    Dots(
        "in-cache",
        "in-cache",
        "How fast are outputs that fit in a cache? One thread",
        "speed in limits: 1 is memset of the same size; dotted: what is asked for",
    ),
    Dots(
        "views",
        "strided",
        "What do views cost? float32 matrices, in place",
        "speed in limits: 1 is NumPy's view[...] = 1.5",
    ),
    Dots(
        "new-arrays",
        "new-arrays",
        "How fast are new arrays?",
        "speed in limits: 1 is np.full of the same; dotted: what is asked for",
    ),
    Bars(
        "calls",
        "calls",
        "What does a call cost? 3 elements of float32; blue: this library; dark: the limit",
        "microseconds",
    ),
    Dots(
        "first-calls",
        "first-calls",
        "What does the first call in a process cost? 3 elements of float32",
        "microseconds",
        of="value",
    ),
    Lines(
        "counts",
        "plans",
        "What does the last element of a longer sequence cost? Sequence(0, 0.1)[count - 1]",
        {"count": ""},
        "count of elements",
        "microseconds",
    ),
    Lines(
        "binades",
        "plans",
        "What does crossing binades cost? float64, 1, 2, 3, ...",
        {"one element": "one element, the last", "all segments": "all segments"},
        "binades crossed",
        "microseconds",
        is_linear=True,
    ),
    Lines(
        "thresholds",
        "thresholds",
        "From which size do threads pay, and stores past the cache? float32, in place",
        {
            "threads": "one thread or all",
            "stores": "through the cache or past it; then read: filled with zeros, and read once",
        },
        "size",
        "GB/s",
    ),
)


def _tick(axis: Axis, values: Sequence[float]) -> None:
    """Put ticks of plain numbers on a logarithmic axis: decades, or 1, 2, 5 where those are few."""
    ratio = max(values) / min(values)
    if ratio < _ONE_DECADE:
        axis.set_major_locator(LogLocator(subs=(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), numticks=99))
    else:
        few = ratio < _FEW_DECADES
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=99))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: np.format_float_positional(x, 6, trim="-")))


def _as_size(number: float, _: int) -> str:
    return shown_bytes(round(number))


def _as_power(number: float, _: int) -> str:
    return f"$2^{{{math.log2(number):.0f}}}$"


def _series(section: Mapping[str, Any], group: str) -> dict[str, list[tuple[float, float]]]:
    """Return the points of each line of a panel; rows of no group are in every panel."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in section["rows"]:
        if row["x"] is not None and row["value"] and row["group"] in {group, ""}:
            lines.setdefault(row["series"], []).append((row["x"], row["value"]))
    return {series: sorted(points) for series, points in lines.items()}


def _colour(series: str) -> tuple[str, bool]:
    """Return a colour, and whether it is one of ours."""
    for table, ours in ((_OURS, True), (_PEERS, False), (_LIMITS, False)):
        for start, colour in table.items():
            if series.startswith(start):
                return colour, ours
    return _LIMIT, False


def _line_style(series: str) -> dict[str, Any]:
    colour, ours = _colour(series)
    dashed = series.endswith((", 1 thread", ", cached"))
    return {
        "color": colour,
        "linewidth": 2 if ours or colour in {_LIMIT, *_LIMITS.values()} else 1.2,
        "linestyle": (0, (3, 1.5)) if dashed else "-",
        "zorder": 3 if ours else 2,
    }


def _mark_style(series: str) -> dict[str, Any]:
    colour, ours = _colour(series)
    hollow = not ours or series.endswith(", one thread")
    return {
        "label": series,
        "color": colour,
        "linestyle": "none",
        "marker": "s" if "arange" in series or "Range" in series or "loop" in series else "o",
        "markersize": 5,
        "markerfacecolor": "white" if hollow else colour,
        "zorder": 3 if ours else 2,
    }


def _label_ends(axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Write the name of each line beside its end, names apart from each other."""
    axes.autoscale_view()
    to_axes = axes.transScale + axes.transLimits
    ends = {series: to_axes.transform(points[-1]) for series, points in lines.items()}
    right = max(x for x, _ in ends.values())
    beside = {series: y for series, (x, y) in ends.items() if x > _NEAR_RIGHT * right}
    before = {series: y for series, (_, y) in ends.items() if series not in beside}
    heights = {**_apart(beside, _LABEL_HEIGHT), **_apart(before, _LABEL_HEIGHT)}
    for series, (x, y) in ends.items():
        colour, ours = _colour(series)
        weight = "bold" if ours else "normal"
        height = heights[series]
        start = right if series in beside else x
        axes.plot(  # from the end of the line to its name
            (x + 0.005, start + 0.03), (y, height), transform=axes.transAxes,
            color=colour, linewidth=0.7, clip_on=False,
        )  # fmt: skip
        axes.text(
            start + 0.035,
            height,
            series,
            transform=axes.transAxes,
            color=colour,
            fontsize=8,
            fontweight=weight,
            va="center",
        )


def _apart(heights: Mapping[str, float], least: float) -> dict[str, float]:
    """Move heights as little as needed to have a least distance between neighbours."""
    names = sorted(heights, key=lambda name: heights[name])
    moved = [heights[name] for name in names]
    for _ in range(200):
        for k in range(1, len(moved)):
            lack = least - (moved[k] - moved[k - 1])
            if lack > 0:
                moved[k - 1] -= lack / 2
                moved[k] += lack / 2
    return dict(zip(names, moved, strict=True))


def _is_drawable(picture: Lines | Dots | Bars | Summary, section: Mapping[str, Any]) -> bool:
    """Return whether anything of it could be measured."""
    if isinstance(picture, Summary):
        return any(
            row["what"].startswith("float32: accum") and row["ratio"] for row in section["rows"]
        )
    if isinstance(picture, Lines):
        return all(_series(section, group) for group in picture.panels)
    return any(row["series"] and row["value"] for row in section["rows"])


def draw(record: Mapping[str, Any], folder: Path, suffix: str = ".svg") -> list[Path]:
    """Draw the pictures whose sections were recorded; return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    sections = {section["name"]: section for section in record["sections"]}
    paths = []
    for picture in PICTURES:
        section = sections.get(picture.section)
        if section is None or not _is_drawable(picture, section):
            continue
        with mpl.rc_context(STYLE):
            figure = Figure(layout="constrained")
            picture.draw(figure, section)
            figure.suptitle(picture.title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
            busy = ["the limit itself varied: the machine was busy"] * section["disturbed"]
            footer = "; ".join([pages.limit_of(section), pages.measured_on(record), *busy])
            lines = textwrap.fill(footer, 150)
            figure.supxlabel(lines, x=0.01, ha="left", fontsize=6.5, color="#666666")
            paths.append(folder / f"{picture.name}{suffix}")
            metadata = {"Date": None} if suffix == ".svg" else None
            figure.savefig(paths[-1], metadata=metadata, dpi=110)
    return paths


def main(arguments: list[str] | None = None) -> None:
    """Draw the pictures, and write the figures into the pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__)
    parser.add_argument(
        "record", nargs="?", type=Path, default=pages.RECORD, help="what --json wrote (%(default)s)"
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=pages.PICTURES,
        help="for the pictures (%(default)s)",
    )
    parser.add_argument("--png", action="store_true", help="as PNG, to look at; no page is touched")
    given = parser.parse_args(arguments)
    record = pages.read(given.record)
    for path in draw(record, given.folder, ".png" if given.png else ".svg"):
        print(path)
    if not given.png:
        for path in pages.update(record):
            print(path)


if __name__ == "__main__":
    main()
