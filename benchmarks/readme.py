"""README's one table of speed, made of the three records: `python -m benchmarks.readme`.

Whole networks first, on each processor that was measured, then single kernels, then fills: each
row is a ratio to what is named beside it, the median and the lowest. Run it after each of the three
that measure.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import engine, networks, pages

README = Path(__file__).parents[1] / "README.md"
_MARKED = re.compile(r"(<!-- figures -->\n).*?(<!-- end -->)", re.DOTALL)

#: What is called what in the record of the engine.
KERNELS = {
    "products of square matrices": "products of square matrices",
    "convolutions": "convolutions",
    "products of INT8": "products of INT8",
    "sums": "sums, in FLOAT64",
    "softmax": "softmax",
    "layer norm": "layer norm",
}
_FASTEST = "the fastest of NumPy, PyTorch, ONNX Runtime"


def update() -> None:
    """Write the table into the README."""
    text = README.read_text(encoding="utf-8")
    README.write_text(filled(text), encoding="utf-8")


def filled(text: str) -> str:
    """Return a page's text with the table between its marks."""
    return _MARKED.sub(lambda found: f"{found[1]}{table()}\n{found[2]}", text)


def table() -> str:
    """Return the table, and what it was measured on."""
    whole, single = networks.records(), pages.read(engine.RECORD)
    fills = pages.read(pages.RECORD)
    lines = [
        "| what | in speeds of | 1 thread, median (lowest) | 2 threads |",
        "|---|---|--:|--:|",
        *_networks(whole),
        *_kernels(single),
        *_fills(fills),
    ]
    machines = ", ".join(
        f"{what} on {'; on '.join(_measured_on(record) for record in records)}"
        for what, records in (("networks", whole), ("kernels", [single]), ("fills", [fills]))
    )
    return "\n".join([*lines, "", f"1 is as fast, more is faster. Measured: {machines}."])


def _measured_on(record: pages.Record) -> str:
    return f"{record['machine']['processor']}, {record['machine']['date'].partition(' ')[0]}"


def _networks(records: networks.Records) -> Iterator[str]:
    of_all = [networks.ratios_of(record) for record in records]
    for kind, newest in of_all[0].items():
        count = len(newest["1"])
        what = f"{count} whole network{'s' if count > 1 else ''}: {kind}"
        one, two = (
            "; ".join(_spread(ratios.get(kind, {}).get(threads, ())) for ratios in of_all)
            for threads in ("1", "2")
        )
        yield f"| {what} | ONNX Runtime | {one} | {two} |"


def _kernels(record: pages.Record) -> Iterator[str]:
    ratios: dict[tuple[str, str], list[float]] = {}
    for kind, threads, row in engine.rows_of(record):
        ratios.setdefault((kind, threads), []).append(row["ratio"])
    for kind, what in KERNELS.items():
        yield _line(what, _FASTEST, ratios[kind, "1 thread"], ratios.get((kind, "2 threads"), ()))


def _fills(record: pages.Record) -> Iterator[str]:
    rows: list[Any] = [
        row["ratio"]
        for section in record["sections"]
        if section["name"] == "in-place"
        for row in section["rows"]
        if row["series"] in {"fill_constant", "accumulate", "multiply"} and row["ratio"]
    ]
    yield f"| fills of large memory | `memset`, all cores | | {_spread(rows)} |"


def _line(what: str, beside: str, one: Iterable[float], two: Iterable[float]) -> str:
    return f"| {what} | {beside} | {_spread(one)} | {_spread(two)} |"


def _spread(ratios: Iterable[float]) -> str:
    found = list(ratios)
    return f"{statistics.median(found):.2f} ({min(found):.2f})" if found else ""


if __name__ == "__main__":
    update()
