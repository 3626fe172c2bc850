"""The report as text, and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.sections import Section
from benchmarks.timing import Row

_HEAD = ("what", "speed", "", "ratio", "spread", "bar", "met")


def head(machine: Mapping[str, str]) -> str:
    """Return what was measured on, one line each."""
    width = max(map(len, machine))
    return "\n".join(f"{name.ljust(width)}  {line}" for name, line in machine.items())


def as_text(section: Section) -> str:
    """Return a section's table."""
    lines = [_HEAD, *(_cells(row) for row in section.rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(_HEAD))]
    text = [
        "",
        f"{section.title}",
        f"ratio to: {section.limit}",
        *(f"note: {note}" for note in section.notes),
        *(["disturbed: the limit itself varied; measure again"] if section.disturbed else []),
        "",
    ]
    notes = ["", *(row.note for row in section.rows)]
    for line, note in zip(lines, notes, strict=True):
        cells = [
            cell.rjust(width) if 0 < k < 4 else cell.ljust(width)  # noqa: PLR2004 (numbers)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append(f"  {'  '.join(cells)}  {note}".rstrip())
    return "\n".join(text)


def summary(sections: Sequence[Section]) -> str:
    """Return one line about how many goals were met, and one for each that was missed."""
    rows = [(section, row) for section in sections for row in section.rows]
    missed = [(section, row) for section, row in rows if row.met is False]
    asked = sum(row.met is not None for _, row in rows)
    lines = [f"{asked - len(missed)} of {asked} goals met"]
    for section, row in missed:
        _, speed, unit, ratio, spread, bar, _ = _cells(row)
        relative = f", ratio {ratio} ({spread})" if ratio else ""
        lines.append(f"  missed: {section.name}: {row.what}: {speed} {unit}{relative}, needs {bar}")
    lines += [
        f"  failed: {section.name}: {row.what}: {row.note}" for section, row in rows if row.failed
    ]
    return "\n".join(lines)


def write_json(path: Path, machine: Mapping[str, str], sections: Sequence[Section]) -> None:
    """Write everything that the tables show, a line for each row."""
    lines = []
    for section in sections:
        content = dataclasses.asdict(section)
        rows = [json.dumps(_rounded(row)) for row in content.pop("rows")]
        lines.append(json.dumps(content)[:-1] + ', "rows": [\n' + ",\n".join(rows) + "\n]}")
    head, body = json.dumps(dict(machine), indent=2), ",\n".join(lines)
    path.write_text(f'{{"machine": {head},\n"sections": [\n{body}\n]}}\n', encoding="utf-8")


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with six digits of every number."""
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in row.items()}


def _cells(row: Row) -> tuple[str, ...]:
    value = "" if row.value is None else _number(row.value)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    spread = "" if row.lowest is None else f"{row.lowest:.2f}..{row.highest:.2f}"
    met = "" if row.met is None else "yes" if row.met else "no"
    return row.what, value, row.unit, ratio, spread, row.bar, met


def _number(value: float) -> str:
    """Return a number with about three digits."""
    magnitude = abs(value)
    digits = 0 if magnitude >= 1000 else 1 if magnitude >= 10 else 2 if magnitude >= 1 else 3  # noqa: PLR2004
    return f"{value:.{digits}f}"
