"""Works of ours beside those of other libraries: their sessions, threads, and the rows of all."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.sections.section import Context, Section, threads_text
from benchmarks.sessions import session
from benchmarks.timing import QUIET_SPREAD, Job, measure

#: What does the same work, by library; ours is "indirectml".
Work = dict[str, Callable[[], object]]

#: Threads of pools wait in a loop for more work: those of OpenBLAS for some 30 ms, on a processor
#: that the next in turn would need.
_PAUSE_S = 0.1
#: So many samples of each, since the best of several others is the one that luck favoured: with
#: five, the median of the best was up to a tenth faster in one run than in the next.
_ROUNDS = 15


def compare(
    section: Section, context: Context, name: str, threads: int, work: Work, bar: float
) -> None:
    """Measure ours and others in turn; the row of ours has the ratio to the best of the others."""
    what = f"{name}, {threads_text(threads)}"
    rounds = context.rounds(_ROUNDS)
    jobs = [
        Job(
            f"{what}: {who}",
            function,
            peer=who != "indirectml",
            rounds=rounds,
            series=who,
            group=what,
            pause_s=0 if threads == 1 else _PAUSE_S,
            clock=time.thread_time if threads == 1 else time.perf_counter,
        )
        for who, function in work.items()
    ]
    rows, spread = measure(jobs[0], jobs[1:], rounds, sample_s=context.sample_s)
    section.disturbed |= spread > QUIET_SPREAD
    ratios = [row.ratio for row in rows[1:] if row.ratio]
    if ratios:
        ratio = 1 / max(ratios)
        # The range belongs to samples of one job; that of a best of several says nothing.
        rows[0] = dataclasses.replace(
            rows[0],
            ratio=ratio,
            lowest=ratio,
            highest=ratio,
            bar=f">= {bar:g}",
            met=ratio >= bar,
            note="",
        )
    section.rows += rows


@contextlib.contextmanager
def libraries_on(count: int) -> Iterator[None]:
    """Let every library use so many threads; ONNX Runtime's sessions are told by themselves."""
    torch = imported("torch")
    if torch:
        torch.set_num_threads(count)
    with contextlib.suppress(OSError, AttributeError, StopIteration):
        maps = Path("/proc/self/maps").read_text(encoding="ascii").split()
        path = next(word for word in maps if "openblas" in word)
        ctypes.CDLL(path).scipy_openblas_set_num_threads64_(count)
    with dml.configure(max_threads=count):
        yield


def imported(name: str) -> Any:
    """Return a module, or None where it is not installed."""
    with contextlib.suppress(ImportError):
        return __import__(name)
    return None


def session_of(node: str, inputs: dict[str, Any], constants: dict[str, Any], **options: Any) -> Any:
    """Return a function that runs one node of ONNX, or None where that is not installed."""
    onnx = imported("onnx")
    if not onnx or not imported("onnxruntime"):
        return None
    threads = options.pop("threads")
    kinds = {np.dtype("f4"): 1, np.dtype("u1"): 2, np.dtype("i1"): 3}
    helper = onnx.helper
    result = 6 if node.endswith("Integer") else 1
    # An input that is left out has no name.
    names = [name if array is not None else "" for name, array in {**inputs, **constants}.items()]
    inputs = {name: array for name, array in inputs.items() if array is not None}
    graph = helper.make_graph(
        [helper.make_node(node, names, ["out"], **options)],
        "work",
        [helper.make_tensor_value_info(n, kinds[v.dtype], v.shape) for n, v in inputs.items()],
        [helper.make_tensor_value_info("out", result, None)],
        [onnx.numpy_helper.from_array(v, n) for n, v in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    found = session(model, threads)
    return lambda: found.run(None, inputs)
