"""Loading beside ONNX Runtime: `python -m benchmarks.loading`.

The models of docs/networks.md, each in a file that the system holds in memory. `load_onnx`, and a
session of ONNX Runtime on one thread, in turn; the fastest of the rounds counts, in time of the
processor, which others on the machine do not disturb. Both translate, optimize and pack weights.
Prints a row for each model, and at the end the median of the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx

import indirectml as dml
from benchmarks import networks
from benchmarks.sessions import session

ROUNDS = 7


def seconds_of(run: Callable[[], Any]) -> float:
    """Return how long the processor works for this process."""
    began = time.process_time()
    run()
    return time.process_time() - began


def measured(proto: Any, sizes: dict[str, tuple[int, ...]], rounds: int) -> tuple[float, float]:
    """Return the least seconds of ours and of ONNX Runtime's, loading a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "model.onnx"))
        onnx.save(proto, path)
        times = [
            (
                seconds_of(lambda: dml.load_onnx(path, sizes=sizes)),
                seconds_of(lambda: session(path, 1)),
            )
            for _ in range(rounds + 1)
        ]
    ours, theirs = zip(*times[1:], strict=True)  # the first call also imports
    return min(ours), min(theirs)


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loading", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="names that contain it")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args(arguments)
    dml.configure(max_threads=1)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name, _, _, make in networks.networks(Path(folder), given.only):
            # The same file, in another form, is as written what it was.
            if given.only not in name or name.endswith("as integers"):
                continue
            _, proto, data = make()
            sizes = {name: array.shape for name, array in data.items()}
            ours, theirs = measured(proto, sizes, given.rounds)
            ratios.append(ours / theirs)
            nodes = len(proto.graph.node)
            print(f"{name:40} {nodes:4} nodes {ours * 1e3:7.1f} ms, ONNX Runtime"
                  f" {theirs * 1e3:7.1f}, {ratios[-1]:.2f} times", flush=True)  # fmt: skip
    if ratios:
        print(f"median of {len(ratios)}: {statistics.median(ratios):.2f} times,"
              f" most {max(ratios):.2f}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
