"""Instructions of each kernel of the engine, beside plain loops: `python -m benchmarks.counts`.

Counts with valgrind, the same on a busy machine; prints a table, writes docs/counts.json, where
tests/test_counts.py has its bounds from, and fills the table into the page, between the marks
`<!-- counts: table -->` and `<!-- end -->`. Takes as long as building the native code.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.counting import engine_counts
from tests.native.building import find_tool, run

_ROOT = Path(__file__).parents[1]
RECORD = _ROOT / "docs/counts.json"
PAGE = _ROOT / "docs/speed-details.md"
#: Which ones valgrind knows: AVX-512 it does not.
TARGETS = ("avx2", "portable", "plain")

_MARKED = re.compile(r"(<!-- counts: table -->\n).*?(<!-- end -->)", re.DOTALL)

Record = Mapping[str, Any]


def read() -> Record:
    """Return what was recorded."""
    record: Record = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def table(record: Record) -> str:
    """Return a line for each work."""
    lines = ["| instructions for each element or product | avx2 | portable | plain loop |"]
    lines.append("|---|---|---|---|")
    for work, counts in record["instructions"].items():
        cells = [f"{counts[t]:.3g}" if t in counts else "" for t in TARGETS]
        lines.append(f"| {work} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fill(text: str, record: Record) -> str:
    """Return a page's text with the table between its marks."""
    return _MARKED.sub(lambda found: f"{found[1]}{table(record)}\n{found[2]}", text)


def count() -> Record:
    """Build the native code in a folder of its own, and count."""
    with tempfile.TemporaryDirectory() as folder:
        rows = engine_counts(Path(folder), Path(folder) / "builds")
    compiler = run(find_tool("c++", "g++", "clang++"), "--version").splitlines()[0]
    valgrind = run(find_tool("valgrind"), "--version").strip()
    rounded = {
        work: {target: float(f"{value:.4g}") for target, value in counts.items()}
        for work, counts in rows.items()
    }
    return {"compiler": compiler, "counted by": valgrind, "instructions": rounded}


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, record, and fill in the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.counts", description=__doc__)
    parser.add_argument("--pages", action="store_true", help="only the page, from the record")
    if not parser.parse_args(arguments).pages:
        RECORD.write_text(json.dumps(count(), indent=1) + "\n", encoding="utf-8")
    record = read()
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")
    print(table(record))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
