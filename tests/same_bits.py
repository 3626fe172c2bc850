"""Whole networks give the same bits, however they are run: `python -m tests.same_bits`.

Each network of `python -m benchmarks.networks` is run on every instruction set of this machine, by
1, 2, 3 and 5 threads, and compiled once more without each of the passes. Prints a line for
each network; ends with exit code 1 if a result differs from plain code's on one thread.

`--write FOLDER` keeps networks as serialized graphs, with what goes in and the digest of what comes
out; `--read FOLDER` runs these where there is neither ONNX nor PyTorch, on another processor.
"""

import argparse
import contextlib
import hashlib
import itertools
import json
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import indirectml as dml
from indirectml.devices import cpu
from indirectml.runtime import device

#: What devices/cpu.py and runtime/device.py do with a plan before it is run.
PASSES = (
    "settled", "padding_taken", "fuse", "join_attention", "hoist", "small_first", "channels_last",
    "joined_in_place", "widened", "pack_constants", "limited", "initialized",
)  # fmt: skip
THREADS = (1, 2, 3, 5)
INPUTS, DIGEST = "inputs.npz", "digest.json"


@contextlib.contextmanager
def without(name):
    """Leave out one of the passes while something is compiled; "" leaves out none."""
    if not name:
        yield
        return
    owner = cpu if hasattr(cpu, name) else device
    found = getattr(owner, name)
    setattr(owner, name, lambda plan, *_: plan)
    try:
        yield
    finally:
        setattr(owner, name, found)


def digest_of(arrays):
    """Return the SHA-256 of arrays' data types, sizes and bits; all NaN are one."""
    found = hashlib.sha256()
    for array in arrays:
        kept = np.array(array)
        if kept.dtype.kind == "f":
            kept[np.isnan(kept)] = np.nan
        found.update(f"{kept.dtype.str} {kept.shape}".encode())
        found.update(kept.tobytes())
    return found.hexdigest()


def ways(*, is_short=False):
    """Yield target, threads and the pass that is left out, of all ways to run a network."""
    targets = dml.available_targets()
    if is_short:
        yield targets[0], THREADS[2], ""
        return
    yield from itertools.product(reversed(targets), THREADS, ("",))
    # A pass changes the plan, which one number of threads shows.
    yield from itertools.product(reversed(targets), THREADS[2:3], PASSES)


def differing(make, data, chosen, wanted=None):
    """Return the digest of a network's outputs, and the ways in which it is another one.

    `make` compiles it; `wanted` is the digest of the first way, if it is not known.
    """
    compiled, others = {}, []
    for target, threads, left_out in chosen:
        if left_out not in compiled:
            with without(left_out):
                compiled = {left_out: make()}
        with dml.configure(target=target, max_threads=threads):
            digest = digest_of(compiled[left_out](data))
        wanted = wanted or digest
        if digest != wanted:
            others.append((target, threads, left_out))
    return wanted, others


def write(folder, serialize, data, digest):
    """Keep a network in a folder; `serialize` writes its graph into a file."""
    folder.mkdir(parents=True, exist_ok=True)
    serialize(folder / "graph.bin")
    np.savez(folder / INPUTS, **data)
    (folder / DIGEST).write_text(json.dumps(digest) + "\n", encoding="utf-8")


def read(folder):
    """Return what compiles a network of a folder, what goes into it, and the digest."""
    graph = dml.read_serialized_graph(folder / "graph.bin")
    with np.load(folder / INPUTS) as arrays:
        data = {name: arrays[name] for name in arrays.files if name in graph.inputs}
    wanted = json.loads((folder / DIGEST).read_text(encoding="utf-8"))
    return lambda: graph.compile(dml.Device()), data, wanted


def measured_networks(folder, only):
    """Yield name, what compiles it, what goes in, and None, of the networks that are measured."""
    from benchmarks import networks  # noqa: PLC0415 (needs ONNX)

    for name, _, _, make in networks.networks(folder, only):
        if only in name:
            yield name, lambda make=make: make()[0], make()[2], None


def kept_networks(folder, only):
    """Yield the same of those that lie in folders, with their digests."""
    for path in sorted(folder.glob(f"*/{DIGEST}")):
        if only in path.parent.name:
            yield path.parent.name, *read(path.parent)


def main(arguments=None):
    """Run networks in all ways; return 1 if one differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.same_bits", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="names that contain it")
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="keep the networks there")
    parser.add_argument("--read", metavar="FOLDER", type=Path, help="run those that lie there")
    parser.add_argument("--short", action="store_true", help="in one way alone, as fast as it is")
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)  # advice on quantization
    wrong = networks = count = 0
    with tempfile.TemporaryDirectory() as folder:
        rows = kept_networks if given.read else measured_networks
        for name, make, data, known in rows(given.read or Path(folder), given.only):
            began, chosen = time.perf_counter(), list(ways(is_short=given.short))
            digest, others = differing(make, data, chosen, known)
            if given.write and hasattr(compiled := make(), "serialize"):
                write(given.write / name.replace(" ", "_"), compiled.serialize, data, digest)
            said = f"differ: {others}" if others else "the same bits"
            took = time.perf_counter() - began
            print(f"{name}: {digest[:16]}, {len(chosen)} ways, {said} ({took:.0f} s)", flush=True)
            wrong += bool(others)
            networks, count = networks + 1, count + len(chosen)
    print(f"{networks} networks, {count} ways to run them, {wrong} differ")
    return int(wrong > 0 or not networks)


if __name__ == "__main__":
    sys.exit(main())
