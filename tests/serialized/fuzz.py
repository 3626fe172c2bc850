"""Serialized graphs with bytes changed: one error type, steps and memory in proportion to the file.

    python -m tests.serialized.fuzz --count 100000 --seed 7     as many, with a summary as JSON
    python -m tests.serialized.fuzz --seed 7 --case 1234        one again

A case is made by its seed and number alone. It takes a graph written by Google's flatbuffers,
changes some of its bytes, and reads it. What is read is written and has to come back equal.
"""

import argparse
import contextlib
import json
import random
import struct
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from pathlib import Path

import indirectml as dml
from indirectml.catalogue import operator_names
from indirectml.core.errors import FileFormatError
from indirectml.serialized.flatbuffer import read_flatbuffer, write_flatbuffer
from tests.serialized.files import graph_file
from tests.serialized.graphs import EXAMPLE, example, operator_node
from tests.steps import counted

#: Lines of Python for a byte of a file, at most; and for a file, however small.
MOST_STEPS, STEPS_AT_LEAST = 20, 1000
#: Python's objects for a few bytes of a file are larger than these by so much at most.
MOST_MEMORY = 128
#: The files beside the graphs that are changed, and their bytes.
WEIGHTS = {"dense_weights.bin": 24, "matmul_b_tensor.bin": 100, "add_b_tensor.bin": 20}
#: Numbers at which lengths and offsets change their meaning.
NUMBERS = (0, 1, 2, 3, 4, 7, 8, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC)


def sources():
    """Return the graphs that are changed, as bytes."""
    graph, _ = example()
    raws = [graph_file(*graph)]
    names = [*operator_names()[::7], "GEMM", "RNN", "JOIN", "SPLIT", "RESAMPLE3", "CONVOLUTION"]
    raws += [graph_file(*operator_node(name)) for name in names]
    if EXAMPLE is not None:
        raws.append(EXAMPLE.read_bytes())
    return raws


def mutated(source, raws):
    """Return the bytes of one case."""
    raw = bytearray(source.choice(raws))
    for _ in range(source.choice((1, 1, 1, 2, 3, 8))):
        kind = source.randrange(6)
        at = source.randrange(len(raw))
        if kind == 0:
            raw[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            raw[at] = source.randrange(256)
        elif kind == 2 and at + 4 <= len(raw):
            struct.pack_into("<I", raw, at & ~3, source.choice((*NUMBERS, source.getrandbits(32))))
        elif kind == 3 and at + 4 <= len(raw):
            near = struct.unpack_from("<I", raw, at & ~3)[0] + source.randint(-8, 8)
            struct.pack_into("<I", raw, at & ~3, near % 2**32)
        elif kind == 4:
            end = min(len(raw), at + source.randint(1, 32))
            other = source.randrange(len(raw))
            raw[at:end] = raw[other : other + end - at]
        elif len(raw) > 8 and source.random() < 0.3:
            del raw[source.randrange(8, len(raw)) :]
    return bytes(raw)


def check(raw, folder, *, is_measured=False):
    """Read a file; returns "read" or "refused". Everything else is an error."""
    path = folder / "graph.bin"
    path.write_bytes(raw)
    try:
        graph = measured(path, len(raw)) if is_measured else dml.read_serialized_graph(path)
    except FileFormatError as error:
        text = str(error)
        assert len(text) < 1000, f"{len(text)} characters"
        # What nobody foresaw is refused too, and is a mistake of ours.
        assert "that can be read" not in text, text
        return "refused"
    repr(graph)
    table = read_flatbuffer(memoryview(raw))
    again = write_flatbuffer(table)
    # Texts, since a NaN is not equal to itself.
    assert _text(read_flatbuffer(memoryview(again))) == _text(table)
    graph.serialize(folder / "again" / "graph.bin")
    same = dml.read_serialized_graph(folder / "again" / "graph.bin")
    assert repr(same.nodes) == repr(graph.nodes)
    return "read"


def measured(path, size):
    """Return the graph in a file, which is read within so many steps and so much memory."""

    def read():
        # What is loaded once and kept is no part of what a file takes.
        with contextlib.suppress(FileFormatError):
            dml.read_serialized_graph(path)

    read()
    _, steps = counted(read)
    assert steps < STEPS_AT_LEAST + MOST_STEPS * size, f"{steps} steps for {size} bytes"
    tracemalloc.start()
    try:
        graph = dml.read_serialized_graph(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST_MEMORY * size, f"{peak} bytes of memory for {size}"
    return graph


def _text(value):
    if isinstance(value, memoryview):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {key: _text(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_text(each) for each in value]
    return repr(value)


def run(seed, cases, folder, *, stop_at=10):
    """Yield (case, outcome or None, what failed or None) for each case."""
    raws, failures = sources(), 0
    (folder / "again").mkdir(exist_ok=True)
    for name, size in WEIGHTS.items():
        (folder / name).write_bytes(bytes(size))
    for case in cases:
        raw = mutated(random.Random(f"{seed} {case}"), raws)  # noqa: S311 (no secret)
        outcome, failed = None, None
        try:
            outcome = check(raw, folder, is_measured=case % 16 == 15)  # which is slow
        except Exception as error:  # noqa: BLE001 (whatever it is, it is a failure)
            failed = f"case {case} of seed {seed}: {type(error).__name__}: {error}"
            failures += 1
        yield case, outcome, failed
        if failures >= stop_at:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    cases = range(options.count) if options.case is None else [options.case]
    outcomes, failures, began = Counter(), [], time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for _, outcome, failed in run(options.seed, cases, Path(folder)):
            outcomes[outcome or "failed"] += 1
            if failed:
                failures.append(failed)
                sys.stderr.write(f"{failed}\n")
    seconds = round(time.perf_counter() - began, 1)
    summary = {"seed": options.seed, "cases": outcomes.total(), **outcomes, "seconds": seconds}
    sys.stdout.write(f"{json.dumps(summary)}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
