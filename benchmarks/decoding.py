"""A decoder beside ONNX Runtime, token by token: `python -m benchmarks.decoding`.

Attention alone, 8 heads of 40 over 4,096 positions, and the most memory that it takes. Then 19
million numbers in Llama's layout (samples/decoder.py), FLOAT32: a token with a fixed cache and with
one that grows, a prompt of 128, and whether greedy tokens are the same. Both sides take turns;
figures are ratios of medians, time of ONNX Runtime over ours, and our memory over theirs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from samples import generate
from samples.decoder import Form, Layout, decoder

import indirectml as dml
from benchmarks import process
from benchmarks.sessions import session

#: How many positions the cache has room for, and how many are taken.
ROOM, PAST = 512, 256
PROMPT = 128
#: Of attention alone, which takes a third of a second.
HEADS, HEAD_SIZE, POSITIONS, MOST_ROUNDS = 8, 40, 4096, 5


class Session:
    """ONNX Runtime where `samples.generate.Decoder` expects a model."""

    def __init__(self, model: Any, proto: Any, threads: int) -> None:
        self.inputs, self.outputs = model.inputs, model.outputs
        self._session = session(proto, threads)

    def __call__(self, feed: Any, out: Any = None) -> list[Any]:
        """Run it; where outputs have a place, they are its outputs and are not copied."""
        del out
        return self._session.run(None, feed)  # type: ignore[no-any-return]


def taken_in_turn(jobs: list[Callable[[], object]], rounds: int, clock: Any) -> list[float]:
    """Return the median seconds of each job."""
    times: list[list[float]] = [[] for _ in jobs]
    for number in range(rounds + 1):
        for job, found in zip(jobs, times, strict=True):
            began = clock()
            job()
            if number:
                found.append(clock() - began)
    return [statistics.median(found) for found in times]


def pair(form: Form, threads: int, capacity: int | None) -> list[generate.Decoder]:
    """Return a decoder here and one there, with PAST positions taken."""
    proto = decoder(Layout(), form)
    ours = dml.load_onnx(proto)
    found = [generate.Decoder(each, capacity) for each in (ours, Session(ours, proto, threads))]
    prompt = np.random.default_rng(1).integers(0, Layout().vocabulary, PAST).tolist()
    for each in found:
        each.logits(prompt)
    return found


def token_of(model: generate.Decoder) -> Callable[[], object]:
    """Return what takes one more token and forgets it, so that the past stays as long as it is."""

    def take() -> None:
        model.logits([7])
        model.length -= 1

    return take


def grown(model: generate.Decoder) -> Callable[[], object]:
    """Return what takes one more token: each time the past is longer."""
    return lambda: model.logits([7])


def prompted(model: generate.Decoder) -> Callable[[], object]:
    """Return what reads a prompt from the start."""
    tokens = list(range(PROMPT))

    def read() -> None:
        model.length = 0
        model.logits(tokens)

    return read


def rows(threads: int, rounds: int) -> None:
    """Print the ratios of one number of threads."""
    dml.configure(max_threads=threads)
    clock = time.thread_time if threads == 1 else time.perf_counter
    for name, form, capacity, job in (
        ("a token, fixed cache", "fixed", ROOM, token_of),
        ("a token, fixed cache, GroupQueryAttention", "grouped", ROOM, token_of),
        ("a token, growing cache", "growing", None, grown),
        ("a prompt of 128, fixed cache", "fixed", ROOM, prompted),
    ):
        both = pair(form, threads, capacity)  # type: ignore[arg-type]
        ours, theirs = taken_in_turn([job(each) for each in both], rounds, clock)
        print(f"{threads} threads  {name}: {theirs / ours:.2f}  "
              f"({ours * 1000:.2f} ms, ONNX Runtime {theirs * 1000:.2f})")  # fmt: skip


def attention() -> Any:
    """Return ONNX Runtime's operator of attention as a model."""
    names = ("query", "key", "value")
    kind = onnx.TensorProto.FLOAT
    sizes = [1, POSITIONS, HEADS * HEAD_SIZE]
    node = onnx.helper.make_node(
        "MultiHeadAttention", names, ["mixed"], domain="com.microsoft", num_heads=HEADS
    )
    inputs, outputs = (
        [onnx.helper.make_tensor_value_info(name, kind, sizes) for name in some]
        for some in (names, ["mixed"])
    )
    graph = onnx.helper.make_graph([node], "attention", inputs, outputs)
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)


def attending(side: str, threads: int) -> Callable[[], object]:
    """Return what attends, here or there."""
    dml.configure(max_threads=threads)
    proto, random = attention(), np.random.default_rng(0)
    model = dml.load_onnx(proto)
    sizes = (1, POSITIONS, HEADS * HEAD_SIZE)
    feed = {name: random.standard_normal(sizes, np.float32) for name in model.inputs}
    found: Any = model if side == "ours" else Session(model, proto, threads)
    return lambda: found(feed)


def peak(side: str, threads: int) -> None:
    """Print by how many bytes a process grows that attends once."""
    attend = attending(side, threads)
    process.forget_peak()
    before = process.peak_bytes()
    attend()
    print(process.peak_bytes() - before)


def attention_rows(threads: int, rounds: int) -> None:
    """Print the ratios of attention alone, and of its memory, where the system tells it."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    jobs = [attending(side, threads) for side in ("ours", "theirs")]
    ours, theirs = taken_in_turn(jobs, rounds, clock)
    print(
        f"{threads} threads  attention, {HEADS} heads of {HEAD_SIZE}, {POSITIONS} positions: "
        f"{theirs / ours:.2f}  ({ours * 1000:.0f} ms, ONNX Runtime {theirs * 1000:.0f})"
    )
    if not process.can_be_measured():
        return
    command = [sys.executable, "-m", "benchmarks.decoding", "--threads", str(threads), "--peak"]
    sides = [int(subprocess.check_output([*command, side])) for side in ("ours", "theirs")]
    print(f"{threads} threads  its peak memory: {sides[0] / sides[1]:.2f}  "
          f"({sides[0] / 2**20:.0f} MiB, ONNX Runtime {sides[1] / 2**20:.0f})")  # fmt: skip


def same_tokens(seeds: int, count: int) -> None:
    """Print how many greedy tokens are the same."""
    for seed in range(seeds):
        proto = decoder(Layout(), "fixed", seed)
        ours = dml.load_onnx(proto)
        found = [
            list(generate.generated(generate.Decoder(model, ROOM), [1], count, generate.likeliest,
                                    frozenset()))
            for model in (ours, Session(ours, proto, 1))
        ]  # fmt: skip
        same = next((k for k, (a, b) in enumerate(zip(*found, strict=True)) if a != b), count)
        print(f"seed {seed}: the first {same} of {count} tokens are those of ONNX Runtime")


def main() -> int:
    """Print all."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.decoding", description=__doc__)
    made.add_argument("--rounds", type=int, default=15)
    made.add_argument("--seeds", type=int, default=5)
    made.add_argument("--count", type=int, default=256)
    made.add_argument("--threads", default="1,2")
    made.add_argument("--peak", choices=("ours", "theirs"), help=argparse.SUPPRESS)
    given = made.parse_args()
    if given.peak:
        peak(given.peak, int(given.threads))
        return 0
    for threads in given.threads.split(","):
        attention_rows(int(threads), min(given.rounds, MOST_ROUNDS))
        rows(int(threads), given.rounds)
    same_tokens(given.seeds, given.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
