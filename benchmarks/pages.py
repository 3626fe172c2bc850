"""Figures in pages, from recorded measurements: no number there is typed by hand.

A page has marks, `<!-- speed: NAME -->` and `<!-- end -->`, and what stands between them is written
by the function of that name in `_BLOCKS`.
"""

from __future__ import annotations

import json
import re
import statistics
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
RECORD = _ROOT / "docs/speed.json"
PICTURES = _ROOT / "docs/pictures"
PAGES = (_ROOT / "docs/speed.md", _ROOT / "docs/speed-details.md")

Record = Mapping[str, Any]

_WIDTH = 110  # of lines of text

_MARKED = re.compile(r"(<!-- speed: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def read(path: Path) -> Record:
    """Return a record that `python -m benchmarks --json` wrote."""
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    return record


def update(record: Record, pages: tuple[Path, ...] = PAGES) -> list[Path]:
    """Write the figures into the pages; return those that had other ones."""
    changed = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        filled = fill(text, record)
        if filled != text:
            page.write_text(filled, encoding="utf-8")
            changed.append(page)
    return changed


def fill(text: str, record: Record) -> str:
    """Return a page's text with the figures of a record between its marks."""
    return _MARKED.sub(lambda found: f"{found[1]}{_BLOCKS[found[2]](record)}\n{found[3]}", text)


def measured_on(record: Record) -> str:
    """Return machine, versions and date in one line."""
    machine = record["machine"]
    cores = machine["cores"].partition(",")[0]
    libraries = [
        f"{name} {machine[name].partition(',')[0]}"
        for name in ("NumPy", "PyTorch", "JAX", "ONNX Runtime", "IndirectML")
        if name in machine and not machine[name].startswith("skipped")
    ]
    parts = [
        f"{machine['processor']}, {cores} cores",
        machine["system"],
        machine["Python"],
        *libraries,
        machine["target"].partition(" ")[0],
        machine["date"],
    ]
    if machine["effort"] != "full":
        parts.append("a quick look, not a measurement")
    return "; ".join(parts)


def _machine(record: Record) -> str:
    rows = [f"| {name} | {line} |" for name, line in record["machine"].items()]
    return "\n".join(["| | |", "|---|---|", *rows])


def _bars(record: Record) -> str:
    """Return a table of what is asked for: one line for each section, goal and kind of row."""
    lines = ["| asked for | goal | measured: median, worst of all | met |", "|---|---|---|---|"]
    for section in record["sections"]:
        groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in section["rows"]:
            if row["met"] is not None:
                kind = "" if row["series"] == row["what"] else row["series"]
                groups.setdefault((kind or row["what"], row["bar"]), []).append(row)
        for (kind, bar), rows in groups.items():
            met = sum(row["met"] for row in rows)
            of = f" of {section['limit']}" if bar.startswith(">=") else ""
            verdict = "yes" if met == len(rows) else "no"
            count = f", {met} of {len(rows)}" if len(rows) > 1 else ""
            cells = f"{section['title']}: {kind}", f"{bar}{of}", _measured(rows), verdict + count
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _measured(rows: list[Mapping[str, Any]]) -> str:
    """Return the median of some rows, and the worst of them with its name."""
    by_ratio = rows[0]["bar"].startswith(">=")
    values = [row["ratio"] if by_ratio else row["value"] for row in rows]
    worst = values.index(min(values) if by_ratio else max(values))
    unit = "" if by_ratio else f" {rows[0]['unit']}"
    shown = [f"{value:.2f}" if by_ratio else _short(value) for value in values]
    if len(rows) == 1:
        spread = f" ({rows[0]['lowest']:.2f} to {rows[0]['highest']:.2f})" if by_ratio else ""
        return f"{shown[0]}{unit}{spread}"
    median = statistics.median_low(values)
    return f"{shown[values.index(median)]}, {shown[worst]}{unit} ({rows[worst]['what']})"


def _calls(record: Record) -> str:
    """Return a table of the cost of calls."""
    lines = ["| call | microseconds | in calls of np.full |", "|---|---|---|"]
    for row in _rows(record, "calls").values():
        if row["value"]:
            name = row["what"].removeprefix("peer: ")
            lines.append(f"| {name} | {_short(row['value'])} | {1 / row['ratio']:.2f} |")
    return "\n".join(lines)


#: What the sequences of the summary are called, and their rows.
SEQUENCES = {
    "this library": "accumulate",
    "torch.arange": "torch.arange(out=)",
    "a loop in C": "loop in C",
    "ONNX Runtime's Range": "ONNX Runtime Range (new array)",
    "jax.numpy.arange": "jax.numpy.arange (new array)",
    "np.arange": "np.arange (new array)",
}


def _summary(record: Record) -> str:
    """Return three lines of ratios, each with its own limit, and what they were measured on."""
    lines = []
    large = _rows(record, "in-place")
    ours, product = _ratios(large, "fill_constant", "accumulate"), _ratios(large, "multiply")
    if ours and product:
        lines.append(
            "- Filling memory far larger than the caches, in speeds of `memset` from all cores, "
            f"over all data types: {_spread(ours)}; under `multiply` {_spread(product)}."
        )
        speeds = [
            f"{name} {row['ratio']:.2f}"
            for name, series in SEQUENCES.items()
            if (row := large.get(f"float32: {series}")) and row["ratio"]
        ]
        limit = large["float32: memset"]
        lines.append(
            f"- A float32 sequence, in the same: {', '.join(speeds)}. "
            f"(`memset` wrote {_short(limit['value'])} {limit['unit']} in turn with them.)"
        )
    calls = _rows(record, "calls")
    if calls:
        named = {
            "`fill_constant`": "fill_constant(out, 1.5)",
            "a compiled operator dispatched again": "compiled constant, same out again",
        }
        times = [
            f"{name} {1 / row['ratio']:.2f}"
            for name, what in named.items()
            if (row := calls.get(what)) and row["ratio"]
        ]
        full = calls.get("np.full(3, 1.5, np.float32)")
        if times and full:
            lines.append(
                "- A call on 3 elements, in the time of `np.full` "
                f"({_short(full['value'])} us): {', '.join(times)}."
            )
    wrapped = [textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in lines]
    return "\n".join([*wrapped, "", textwrap.fill(f"Measured on {measured_on(record)}.", _WIDTH)])


def limit_of(section: Mapping[str, Any]) -> str:
    """Return what a section's figures are ratios of, and how fast that was among them."""
    rows = [row for row in section["rows"] if row["note"] == "the limit" and row["value"]]
    if not rows:
        return f"limit: {section['limit']}"
    last = max(row["x"] or 0 for row in rows)  # where there is an axis, at its end
    values = [row["value"] for row in rows if (row["x"] or 0) == last]
    ends = list(dict.fromkeys((_short(min(values)), _short(max(values)))))
    return f"limit: {section['limit']}, here {' to '.join(ends)} {rows[0]['unit']}"


def _rows(record: Record, section: str) -> dict[str, Mapping[str, Any]]:
    found = [s for s in record["sections"] if s["name"] == section]
    return {row["what"]: row for row in found[0]["rows"]} if found else {}


def _ratios(rows: Mapping[str, Mapping[str, Any]], *series: str) -> list[float]:
    return [row["ratio"] for row in rows.values() if row["series"] in series and row["ratio"]]


def _spread(ratios: list[float]) -> str:
    return f"median {statistics.median(ratios):.2f}, lowest {min(ratios):.2f}"


def _short(value: float) -> str:
    """Return a number with about two digits."""
    return f"{value:.{2 if value < 1 else 1 if value < 10 else 0}f}"  # noqa: PLR2004 (digits)


_BLOCKS: dict[str, Callable[[Record], str]] = {
    "machine": _machine,
    "bars": _bars,
    "calls": _calls,
    "summary": _summary,
}
