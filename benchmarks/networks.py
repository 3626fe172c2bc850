"""Whole networks beside ONNX Runtime: `python -m benchmarks.networks`.

Networks of the samples, and models that others made (tests/real_models.py). Both run in turn: on
one thread the time is the processor's for that thread, which others on the machine do not disturb,
and on two the clock's. The fastest of the rounds counts. A profile says which operators take it.
Writes docs/networks.json and the page made of it; `--only TEXT` takes some, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnxruntime
from samples.weights import Weights
from tests import test_samples
from tests.onnx_models import Model, relative_difference
from tests.real_models import MODELS

import indirectml as dml
from benchmarks import machine
from benchmarks.limit import find_limit
from indirectml.inspection.profiling import profile

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs/networks.json"
PAGE = ROOT / "docs/networks.md"
ROUNDS, ROUNDS_OF_SLOW = 9, 3
#: What takes longer than this at once gets fewer rounds.
SLOW_S = 0.5
THREADS = (1, 2)
#: How many operators of a profile are named.
NAMED = 3

Run = Callable[[], list[Any]]


def networks() -> Iterator[tuple[str, str, float, Callable[[], tuple[Any, Any, dict[str, Any]]]]]:
    """Yield name, origin, bound, and what makes a compiled graph, an ONNX model and inputs."""
    for name, sample in test_samples.SAMPLES.items():

        def of_sample(name: str = name, sample: Any = sample) -> tuple[Any, Any, dict[str, Any]]:
            graph = dml.Graph(dml.Device())
            weights = Weights(graph)
            output = sample.network(graph.input(sample.SIZES, name="x"), weights)
            model = Model(weights.arrays)
            proto = model.proto(getattr(test_samples, f"onnx_{name}")(model))
            return graph.compile([output]), proto, {"x": test_samples.random_picture(sample)}

        yield f"sample {name}", "samples", test_samples.BOUND, of_sample
    for name, made in MODELS.items():
        if not made.is_there:
            print(f"{name}: skipped, {made.package} is not installed")
            continue

        def of_model(made: Any = made) -> tuple[Any, Any, dict[str, Any]]:
            proto, data = made.read(), made.data
            loaded = dml.load_onnx(proto, sizes={n: a.shape for n, a in data.items()})
            return loaded, proto, data

        yield name, made.package, made.bound, of_model


def session(model: Any, threads: int) -> Any:
    """Return a session whose idle threads do not wait in a loop, which would slow ours down."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def measured(ours: Run, theirs: Run, clock: Callable[[], float]) -> tuple[float, float]:
    """Return how long both take at least, in seconds, measured in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    began = time.perf_counter()
    ours(), theirs()
    is_slow = time.perf_counter() - began > SLOW_S
    for _ in range(ROUNDS_OF_SLOW if is_slow else ROUNDS):
        for run, found in zip((ours, theirs), times, strict=True):
            began = clock()
            run()
            found.append(clock() - began)
    return min(times[0]), min(times[1])


def record_of(make: Callable[[], tuple[Any, Any, dict[str, Any]]]) -> dict[str, Any]:
    """Return what one network shows."""
    compiled, proto, data = make()
    found: dict[str, Any] = {"onnx_nodes": len(proto.graph.node), "ms": {}}
    outputs = compiled(data)
    for threads in THREADS:
        there = session(proto, threads)
        if threads == 1:
            wanted = there.run(None, data)
            differences = [
                relative_difference(a.reshape(w.shape), w)
                for a, w in zip(outputs, wanted, strict=True)
            ]
            found["difference"] = max(differences)
        dml.configure(max_threads=threads)
        clock = time.thread_time if threads == 1 else time.perf_counter
        both = measured(lambda: compiled(data), lambda there=there: there.run(None, data), clock)
        found["ms"][str(threads)] = [round(seconds * 1000, 3) for seconds in both]
    dml.configure(max_threads=1)
    graph = getattr(compiled, "compiled", compiled)
    steps = profile(graph, data, runs=3, clock=time.thread_time)
    shares, total = steps.by_operator(), steps.steps_seconds
    found["operators"] = len(steps.steps)
    found["shares"] = [
        [share.name, share.count, round(share.seconds / total, 4)] for share in shares
    ]
    return found


def page(record: dict[str, Any]) -> str:
    """Return the page."""
    rows = "".join(_row(name, found) for name, found in record["networks"].items())
    holding: Counter[str] = Counter(f["shares"][0][0] for f in record["networks"].values())
    held = ", ".join(f"{name} in {count}" for name, count in holding.most_common())
    versions = "; ".join(
        f"{key} {record['machine'][key].partition(',')[0]}"
        for key in ("processor", "cores", "NumPy", "ONNX Runtime", "target", "date")
        if key in record["machine"]
    )
    ratios = {
        t: statistics.median(f["ms"][t][0] / f["ms"][t][1] for f in record["networks"].values())
        for t in map(str, THREADS)
    }
    spread = " and ".join(
        f"{ratio:.1f} on {t} thread{'s' * (t != '1')}" for t, ratio in ratios.items()
    )
    return (
        "# Whole networks\n\n"
        "Written by `python -m benchmarks.networks`. Four networks of DirectML's samples on the"
        " graph functions ([samples](../samples/README.md)), and models that others made, loaded"
        " by `load_onnx`: the onnx package's nine with seeded random weights, magika, silero-vad"
        " and rapidocr's three. `tests/test_samples.py` and `tests/test_real_models.py` hold the"
        " differences to a bound, and the way through all [three doors](moving.md) to the same"
        " bits.\n\n"
        "*Difference* is the largest one from ONNX Runtime's output, in parts of the largest"
        " output. Times are milliseconds, the fastest of rounds in turn: on one thread those of the"
        " processor, on two those of the clock. *times* is how many times as long as ONNX Runtime"
        " this library takes. *Held back by* names the operators that"
        " take most of our time on one thread, as `--profile` of the samples does.\n\n"
        f"Median of all: {spread} times as long as ONNX Runtime. What takes most: {held}.\n\n"
        "| network | nodes of ONNX | operators | difference | 1 thread | ONNX Runtime | times"
        " | 2 threads | ONNX Runtime | times | held back by |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        f"{rows}\n"
        f"Measured on: {versions}. The machine was shared: ratios are worth more than times.\n"
    )


def _row(name: str, found: dict[str, Any]) -> str:
    cells = [name, str(found["onnx_nodes"]), str(found["operators"]), f"{found['difference']:.0e}"]
    for threads in map(str, THREADS):
        ours, theirs = found["ms"][threads]
        cells += [_short(ours), _short(theirs), f"{ours / theirs:.1f}"]
    cells.append(", ".join(f"{n} {share:.0%}" for n, _, share in found["shares"][:NAMED]))
    return f"| {' | '.join(cells)} |\n"


def _short(milliseconds: float) -> str:
    return f"{milliseconds:.{2 if milliseconds < 1 else 1 if milliseconds < 10 else 0}f}"  # noqa: PLR2004


def main(arguments: list[str] | None = None) -> int:
    """Measure; return 1 if a network differs from ONNX Runtime by more than its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="names that contain it")
    given = parser.parse_args(arguments)
    record: dict[str, Any] = {"machine": machine.describe(find_limit().how), "networks": {}}
    wrong = 0
    for name, origin, bound, make in networks():
        if given.only in name:
            found = {"from": origin, "bound": bound} | record_of(make)
            wrong += not found["difference"] < bound
            record["networks"][name] = found
            print(_row(name, found), end="", flush=True)
    if not given.only:
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(record), encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
