"""The engine beside the fastest libraries: `python -m benchmarks.engine`.

Measures products, convolutions, sums and what is made of them in turn with NumPy, ONNX Runtime and
PyTorch, where they are installed; writes docs/engine.json, draws the picture, and fills the figures
into the pages, between marks, `<!-- engine: NAME -->` and `<!-- end -->`. Takes some five minutes.
"""

from __future__ import annotations

import argparse
import re
import statistics
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import __main__ as program
from benchmarks import pages

_ROOT = Path(__file__).parents[1]
RECORD = _ROOT / "docs/engine.json"
PICTURE = _ROOT / "docs/pictures/engine.svg"
PAGES = (_ROOT / "docs/speed.md", _ROOT / "docs/speed-details.md")
SECTIONS = ("products", "reductions", "graphs")

_WIDTH = 110
_MARKED = re.compile(r"(<!-- engine: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_OURS = "indirectml"
#: Series that are ours; one is compared with another way of ours.
_SERIES = {_OURS, "joined"}

#: Kinds of work, by how the names of their rows look.
KINDS = {
    "products of square matrices": r"(\d+) x \1 x \1 ..",
    "16 x 1024 x 1024 and 16 x 16 x 4096": r"16 x .*",
    "a row times a matrix, columns neighbours": r"1 x \d+ x \d+ nn",
    "a row times a matrix, rows neighbours": r"1 x \d+ x \d+ nt",
    "a row times a constant matrix": r"1 x .*constant",
    "products of INT8": r"INT8 .*",
    "convolutions": r"(\dx\d|depthwise) .*",
    "sums": r"sum .*",
    "softmax": r"softmax .*",
    "layer norm": r"layer norm .*",
    "pooling": r"(average|largest) .*",
    "resampling": r"resampling .*",
    "100 products of a graph": r"100 products of (\d+) x \1 x \1 in a graph",
    "100 tiny nodes of a graph": r"100 .*",
    "four element-wise operators as one (to one after the other)": r"four operators",
}

Row = Mapping[str, Any]


def rows_of(record: pages.Record) -> list[tuple[str, str, Row]]:
    """Return kind, number of threads in words, and row of each work of ours."""
    found = []
    for section in record["sections"]:
        for row in section["rows"]:
            if row["series"] not in _SERIES or row["ratio"] is None or not row["bar"]:
                continue
            work, threads = _work(row)
            kind = next(k for k, pattern in KINDS.items() if re.fullmatch(pattern, work))
            found.append((kind, threads, row))
    order = list(KINDS)
    return sorted(found, key=lambda each: (each[1], order.index(each[0])))


def _work(row: Row) -> tuple[str, str]:
    """Return the name of a work, and its number of threads in words."""
    found = re.fullmatch(r"(.*), (\d+ threads?)", row["group"])
    return (found[1], found[2]) if found else (row["group"], "1 thread")


def _groups(record: pages.Record) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for kind, threads, row in rows_of(record):
        groups.setdefault((kind, threads), []).append(row)
    return groups


def _worst(rows: Sequence[Row]) -> Row:
    return min(rows, key=lambda row: float(row["ratio"]))


def table(record: pages.Record) -> str:
    """Return a line for each kind of work: its goal, the median and the worst ratio."""
    lines = ["| work | threads | goal | median | lowest | met |", "|---|---|---|---|---|---|"]
    for (kind, threads), rows in _groups(record).items():
        median = statistics.median(row["ratio"] for row in rows)
        worst = _worst(rows)
        where = f" ({_work(worst)[0]})" if len(rows) > 1 else ""
        met = sum(bool(row["met"]) for row in rows)
        cells = (
            kind,
            threads.partition(" ")[0],
            rows[0]["bar"].removeprefix(">= "),
            f"{median:.2f}",
            f"{worst['ratio']:.2f}{where}",
            f"{met} of {len(rows)}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def details(record: pages.Record) -> str:
    """Return a line for each work: what each library took."""
    names = (_OURS, "NumPy", "PyTorch", "ONNX Runtime")
    lines = [f"| work, microseconds | {' | '.join(names)} | ratio | goal |", "|---" * 7 + "|"]
    times: dict[str, dict[str, float]] = {}
    for section in record["sections"]:
        for row in section["rows"]:
            if row["value"] is not None:
                times.setdefault(row["group"], {})[row["series"]] = row["value"]
    for _, _, row in rows_of(record):
        if row["series"] != _OURS:
            continue
        values = [times[row["group"]].get(name) for name in names]
        shown = ["" if v is None else f"{v:.0f}" if v >= 100 else f"{v:.1f}" for v in values]  # noqa: PLR2004
        cells = [row["group"], *shown, f"{row['ratio']:.2f}", row["bar"].removeprefix(">= ")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(record: pages.Record) -> str:
    """Return three lines, and what they were measured on."""
    groups = _groups(record)

    def spread(kinds: Sequence[str], threads: str) -> str:
        ratios = [row["ratio"] for kind in kinds for row in groups.get((kind, threads), [])]
        if not ratios:
            return "not measured"
        return f"{statistics.median(ratios):.2f} (lowest {min(ratios):.2f})"

    one, two = "1 thread", "2 threads"
    square = ("products of square matrices",)
    products = (
        "- In speeds of the fastest of NumPy (OpenBLAS), PyTorch and ONNX Runtime, medians: "
        f"products of square matrices {spread(square, one)}, on two threads {spread(square, two)}; "
        f"of INT8 {spread(('products of INT8',), one)}."
    )
    windows = (
        f"- Convolutions: {spread(('convolutions',), one)}, on two threads "
        f"{spread(('convolutions',), two)}; pooling {spread(('pooling',), one)}."
    )
    sums = (
        f"- Sums, in FLOAT64: {spread(('sums',), one)}; softmax {spread(('softmax',), one)}; layer "
        f"norm {spread(('layer norm',), one)}. Our bits are the same on all four targets."
    )
    lines = (products, windows, sums)
    wrapped = [textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in lines]
    where = textwrap.fill(f"Measured on {pages.measured_on(record)}.", _WIDTH)
    return "\n".join([*wrapped, "", where])


_BLOCKS: dict[str, Callable[[pages.Record], str]] = {
    "table": table,
    "details": details,
    "summary": summary,
}


def fill(text: str, record: pages.Record) -> str:
    """Return a page's text with the figures of a record between its marks."""
    return _MARKED.sub(lambda found: f"{found[1]}{_BLOCKS[found[2]](record)}\n{found[3]}", text)


def draw(record: pages.Record, path: Path) -> None:
    """Draw a mark for each work, a line for each kind."""
    import matplotlib as mpl  # noqa: PLC0415 (the extra `plot`)
    from matplotlib.figure import Figure  # noqa: PLC0415

    from benchmarks.pictures import STYLE  # noqa: PLC0415

    groups = _groups(record)
    with mpl.rc_context(STYLE):
        figure = Figure(layout="constrained", figsize=(8.5, 1.2 + 0.3 * len(groups)))
        axes = figure.subplots()
        for height, ((_, threads), rows) in enumerate(groups.items()):
            colour = "#0067b0" if threads.startswith("1 ") else "#c2570c"
            bar = float(rows[0]["bar"].removeprefix(">= "))
            axes.plot([bar, bar], [height - 0.35, height + 0.35], color="#444444", linewidth=1.5)
            axes.plot([r["ratio"] for r in rows], [height] * len(rows), "o", color=colour,
                      markersize=4.5, markerfacecolor="none")  # fmt: skip
        axes.axvline(1, color="#bbbbbb", linewidth=0.8)
        axes.set_yticks(range(len(groups)), [", ".join(key) for key in groups], fontsize=8)
        axes.invert_yaxis()
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
        axes.set_xlabel("speed: 1 is the fastest of NumPy, PyTorch and ONNX Runtime\n"
                        "black lines: the goals")  # fmt: skip
        figure.suptitle("The engine beside the fastest libraries", x=0.01, ha="left",
                        fontsize=10.5, fontweight="bold")  # fmt: skip
        footer = textwrap.fill(pages.measured_on(record), 150)
        figure.supxlabel(footer, x=0.01, ha="left", fontsize=6.5, color="#666666")
        figure.savefig(path, metadata={"Date": None})


def write(record: pages.Record) -> None:
    """Draw the picture and write the figures into the pages."""
    draw(record, PICTURE)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(fill(text, record), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, record, and fill in the pages; return 1 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds: a look; writes nothing")
    parser.add_argument("--pages", action="store_true", help="only the pages, from the record")
    given = parser.parse_args(arguments)
    if given.pages:
        write(pages.read(RECORD))
        return 0
    if given.quick:
        return program.main(["--quick", "--only", *SECTIONS])
    code = program.main(["--only", *SECTIONS, "--json", str(RECORD)])
    write(pages.read(RECORD))
    return code


if __name__ == "__main__":
    raise SystemExit(main())
