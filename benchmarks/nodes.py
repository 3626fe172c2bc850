"""Nodes out for nodes in: `python -m benchmarks.nodes`.

The models of docs/networks.md, loaded and exported again: nodes of the file, nodes of the export
where a call of a function is one, and nodes of the export without functions. What is known while
loading is computed then, so that many models become smaller. Prints a row for each model, and at
the end, for each kind of network, medians and (in brackets) the largest of the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import networks


def counted(loaded: Any, proto: Any) -> tuple[int, int, int]:
    """Return the nodes of a model, of its export, and of its export without functions."""
    called = loaded.to_onnx()
    plain = loaded.to_onnx(functions=False) if called.functions else called
    return tuple(len(model.graph.node) for model in (proto, called, plain))


def main(arguments: list[str] | None = None) -> int:
    """Count, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nodes", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="names that contain it")
    given = parser.parse_args(arguments)
    ratios: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, origin, _, make in networks.networks(Path(folder), given.only):
            if given.only not in name:
                continue
            loaded, proto, _ = make()
            nodes, called, plain = counted(loaded, proto)
            ratios.setdefault(networks.kind_of(name, origin), []).append(
                (called / nodes, plain / nodes)
            )
            print(f"{name:40} {nodes:4} in, {called:4} out, {plain:5} without functions:"
                  f" {called / nodes:.2f} {plain / nodes:.2f}", flush=True)  # fmt: skip
    for kind, pairs in (*ratios.items(), ("all", [p for each in ratios.values() for p in each])):
        told = "".join(
            f" | {statistics.median(column):.2f} ({max(column):.2f})"
            for column in zip(*pairs, strict=True)
        )
        print(f"| {kind} | {len(pairs)}{told} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
