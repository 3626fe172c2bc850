"""Whole networks beside ONNX Runtime: `python -m benchmarks.networks`.

Networks of the samples, models that others made (tests/real_models.py), quantized ones
(benchmarks/quantized.py), and exports from PyTorch (benchmarks/torch_networks.py), where it is
installed. Both run in turn: on one thread the time is the processor's for that thread, which others
on the machine do not disturb, and on two the clock's. The fastest of the rounds counts. A profile
says which operators take it. With AVX2 alone it is beside PyTorch limited to it, in a process of
its own; so are loading and calling, for the memory that each takes.
Writes docs/networks.json, which holds the newest record of each processor, and the page made of it;
`--only TEXT` takes some, and writes nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from samples.weights import Weights
from tests.onnx_models import Model, relative_difference
from tests.real_models import MODELS
from tests.samples import test_samples

import indirectml as dml
from benchmarks import machine, process, quantized
from benchmarks.limit import find_limit
from benchmarks.sessions import session
from indirectml.inspection.profiling import profile

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs/networks.json"
PAGE = ROOT / "docs/networks.md"
NOTES = ROOT / "benchmarks/networks_notes.md"
#: How long both are measured in turn: long enough for moments in which nobody else uses the
#: processor. And how many rounds there are at least and at most.
SECONDS, LEAST_ROUNDS, MOST_ROUNDS = 3.0, 3, 300
#: With how many calls behind it a first one is compared.
LATER_CALLS = 5
#: How far results of exports may be from ONNX Runtime's, in parts of the largest one.
_BOUND = 1e-5
#: The same of FLOAT16, whose results are rounded at other places, and of quantized networks, where
#: a number between two steps may become either.
_BOUND_OF_HALVES, _BOUND_OF_QUANTIZED = 5e-3, 0.2
THREADS = (1, 2)
#: How many operators of a profile are named.
NAMED = 3

Run = Callable[[], list[Any]]
#: What was measured, a record for each processor.
Records = list[dict[str, Any]]


#: PyTorch and what it is built on take no more than AVX2 with these.
LIMITED = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
}
HAS_TORCH = importlib.util.find_spec("torch") is not None

#: What networks of models that others made are, where it is not convolutions.
KINDS = {"silero-vad": "recurrent"}


#: What makes a compiled graph, an ONNX model and inputs.
Make = Callable[[], tuple[Any, Any, dict[str, Any]]]


_QUANTIZED = "quantized"

#: Name, origin, bound, and what makes a network.
Rows = Iterator[tuple[str, str, float, Make]]


def networks(folder: Path, only: str) -> Rows:
    """Yield all networks; files of quantized ones, which take a while, go to a folder."""
    yield from _samples()
    yield from _models()
    if only in _QUANTIZED or _QUANTIZED in only:
        yield from _quantized(folder)
    yield from _exports()


def _samples() -> Rows:
    for name, sample in test_samples.SAMPLES.items():

        def of_sample(name: str = name, sample: Any = sample) -> tuple[Any, Any, dict[str, Any]]:
            graph = dml.Graph(dml.Device())
            weights = Weights(graph)
            output = sample.network(graph.input(sample.SIZES, name="x"), weights)
            model = Model(weights.arrays)
            proto = model.proto(getattr(test_samples, f"onnx_{name}")(model))
            return graph.compile([output]), proto, {"x": test_samples.random_picture(sample)}

        yield f"sample {name}", "samples", test_samples.BOUND, of_sample


def _models() -> Rows:
    for name, made in MODELS.items():
        if not made.is_there:
            print(f"{name}: skipped, {made.package} is not installed")
            continue

        def of_model(made: Any = made) -> tuple[Any, Any, dict[str, Any]]:
            proto, data = made.read(), made.data
            loaded = dml.load_onnx(proto, sizes={n: a.shape for n, a in data.items()})
            return loaded, proto, data

        yield name, made.package, made.bound, of_model


def _quantized(folder: Path) -> Rows:
    for name, path, how in quantized.models(folder):

        def of_quantized(path: Path = path, how: Any = how) -> tuple[Any, Any, dict[str, Any]]:
            proto = onnx.load(path)
            return dml.load_onnx(path, quantized=how), proto, quantized.data_of(proto)

        yield f"{_QUANTIZED} {name}", _QUANTIZED, _BOUND_OF_QUANTIZED, of_quantized


def _exports() -> Rows:
    if not HAS_TORCH:
        print("exports from PyTorch: skipped, torch is not installed")
        return
    from benchmarks import torch_networks  # noqa: PLC0415 (an optional library)

    for name in torch_networks.NETWORKS:

        def of_torch(name: str = name) -> tuple[Any, Any, dict[str, Any]]:
            proto = torch_networks.exported(name)
            return dml.load_onnx(proto), proto, {"x": torch_networks.data_of(name)}

        kind = torch_networks.NETWORKS[name][0]
        bound = _BOUND_OF_HALVES if kind == torch_networks.HALVES else _BOUND
        yield f"torch {name}", kind, bound, of_torch


def kind_of(name: str, origin: str) -> str:
    """Return which kind of network it is."""
    is_kind = name.startswith(("torch ", "quantized "))
    return origin if is_kind else KINDS.get(name, "convolutions")


def beside_torch(name: str) -> list[float]:
    """Return milliseconds of ours on AVX2, and of PyTorch, which has been limited to it."""
    import torch  # noqa: PLC0415 (an optional library)

    from benchmarks import torch_networks  # noqa: PLC0415 (needs it)

    torch.set_num_threads(1)
    module, data = torch_networks.made(name), torch_networks.data_of(name)
    compiled, x = dml.load_onnx(torch_networks.exported(name)), torch.from_numpy(data)
    with dml.configure(target="avx2", max_threads=1), torch.inference_mode():
        both = measured(lambda: compiled({"x": data}), lambda: module(x), time.thread_time)
    return [round(seconds * 1000, 3) for seconds in both]


def limited(name: str) -> list[float] | None:
    """Return that of a network that PyTorch exports, by a process in which it is limited."""
    is_half = name.endswith(" FLOAT16")  # which PyTorch computes in a slow way
    if not name.startswith("torch ") or is_half or "avx2" not in dml.available_targets():
        return None
    text = f"import benchmarks.networks as n; print(n.beside_torch({name.partition(' ')[2]!r}))"
    found: list[float] = _elsewhere(text, LIMITED)
    return found


def _elsewhere(text: str, settings: dict[str, str]) -> Any:
    """Return what a text of Python prints last, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", text], env=os.environ | settings, cwd=ROOT, check=True, text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


#: The same for both: loading a model of a file, and two calls; the most memory in MiB that they
#: take besides what libraries do, which have had a first model.
_MEMORY = """
import numpy as np
from benchmarks import process
{imports}
data = dict(np.load({data!r}))
{first}
process.forget_peak()
before = process.resident_bytes()
{load}
for _ in range(2):
    {call}
print((process.peak_bytes() - before) / 2**20)
"""
_OURS = {
    "imports": "import indirectml as dml, indirectml.onnx_import\ndml.configure(max_threads=1)",
    "load": "loaded = dml.load_onnx({path!r}, quantized={how!r})",
    "call": "loaded(data)",
}
_THEIRS = {
    "imports": "from benchmarks.sessions import session",
    "load": "loaded = session({path!r})",
    "call": "loaded.run(None, data)",
}


def memory_of(name: str, proto: Any, data: dict[str, Any], folder: Path) -> list[float] | None:
    """Return MiB that loading a network and calling it take us and ONNX Runtime at most."""
    if name.startswith("sample ") or not process.can_be_measured():
        return None  # samples are no files
    path, arrays = str(folder / "network.onnx"), str(folder / "data.npz")
    onnx.save(proto, path)
    model = Model()
    output = model.node("Relu", model.input("x", [1]))
    onnx.save(model.proto(output), first := str(folder / "first.onnx"))
    np.savez(arrays, **data)
    how = "integers" if name.endswith("as integers") else "as written"

    def most(side: dict[str, str]) -> float:
        parts = {key: text.format(path=path, how=how) for key, text in side.items()}
        parts["first"] = side["load"].format(path=first, how="as written")
        return float(_elsewhere(_MEMORY.format(data=arrays, **parts), {}))

    return [round(most(side), 2) for side in (_OURS, _THEIRS)]


def measured(ours: Run, theirs: Run, clock: Callable[[], float]) -> tuple[float, float]:
    """Return how long both take at least, in seconds, measured in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    ours(), theirs()
    end = time.perf_counter() + SECONDS
    for number in range(MOST_ROUNDS):
        if number >= LEAST_ROUNDS and time.perf_counter() > end:
            break
        for run, found in zip((ours, theirs), times, strict=True):
            began = clock()
            run()
            found.append(clock() - began)
    return min(times[0]), min(times[1])


def record_of(compiled: Any, proto: Any, data: dict[str, Any]) -> dict[str, Any]:
    """Return what one network shows."""
    dml.configure(max_threads=1)
    found: dict[str, Any] = {"onnx_nodes": len(proto.graph.node), "ms": {}}
    outputs: list[Any] = []
    # Soon after each other, as a processor that others use is as fast then as it was.
    calls = []
    for _ in range(1 + LATER_CALLS):
        began = time.thread_time()
        outputs = compiled(data)
        calls.append((time.thread_time() - began) * 1000)
    found["first_ms"] = round(calls[0], 3)
    found["later_ms"] = round(statistics.median(calls[1:]), 3)
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


def records() -> Records:
    """Return what was measured, the newest first."""
    if not RECORD.exists():
        return []
    found: Records = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def with_newest(record: dict[str, Any], before: Records) -> Records:
    """Return records with a new one, in place of the one of its processor."""
    processor = record["machine"]["processor"]
    return [record, *(old for old in before if old["machine"]["processor"] != processor)]


def _as_text(found: Records) -> str:
    """Return records as JSON with a line for each network, so that changes can be read."""
    texts = []
    for record in found:
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(of)}" for name, of in record["networks"].items()
        )
        head = json.dumps(record["machine"], indent=2)
        texts.append(f'{{"machine": {head},\n "networks": {{\n{lines}\n }}}}')
    return f"[{', '.join(texts)}]\n"


def page(found: Records) -> str:
    """Return the page."""
    return (
        "# Whole networks\n\n"
        "Written by `python -m benchmarks.networks`. Four networks of DirectML's samples on the"
        " graph functions ([samples](../samples/README.md)), and models that others made, loaded"
        " by `load_onnx`: the onnx package's nine with seeded random weights, magika, silero-vad"
        " and rapidocr's three; *quantized* are those of `benchmarks/quantized.py`; *torch* are"
        " exports of networks that `benchmarks/torch_networks.py` writes in plain PyTorch, with"
        " seeded random weights. `tests/samples/test_samples.py` and"
        " `tests/test_real_models.py` hold the differences to a bound, and the way through all"
        " [three doors](moving.md) to the same bits.\n\n"
        "*Difference* is the largest one from ONNX Runtime's output, in parts of the largest"
        " output. Times are milliseconds, the fastest of rounds in turn: on one thread those of the"
        " processor, on two those of the clock. *Ratio* is ONNX Runtime's time over ours: 1 is as"
        " fast, more is faster. *AVX2* is PyTorch's time, limited to that, over ours on that, one"
        " thread. *Memory* is the most that loading and calling take us, over what they take ONNX"
        " Runtime; *first* the time of the first call after loading over the median of five calls"
        " behind it. *Held back by* names the operators that"
        " take most of our time on one thread, as `--profile` of the samples does.\n\n"
        f"{_medians(found)}\n{_notes()}{chr(10).join(map(_each_network, found))}"
    )


def _each_network(record: dict[str, Any]) -> str:
    """Return the table of what one processor needs for each network, and what that was."""
    rows = "".join(_row(name, found) for name, found in record["networks"].items())
    holding: Counter[str] = Counter(f["shares"][0][0] for f in record["networks"].values())
    held = ", ".join(f"{name} in {count}" for name, count in holding.most_common())
    versions = "; ".join(
        f"{key} {record['machine'][key].partition(',')[0]}"
        for key in ("cores", "NumPy", "ONNX Runtime", "target", "date")
        if key in record["machine"]
    )
    return (
        f"## Each network on {record['machine']['processor']}\n\n"
        "| network | nodes of ONNX | operators | difference | 1 thread | ONNX Runtime | ratio"
        " | 2 threads | ONNX Runtime | ratio | AVX2 | memory | first | held back by |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        f"{rows}\n"
        f"What takes most: {held}. Measured with {versions}. The machine was shared: ratios are"
        " worth more than times.\n"
    )


def ratios_of(record: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Return by kind of network, and by column of the page, the ratio of each network."""
    ratios: dict[str, dict[str, list[float]]] = {}
    for name, found in record["networks"].items():
        kind = kind_of(name, found["from"])
        pairs = found["ms"] | ({"AVX2": found["avx2"]} if found.get("avx2") else {})
        columns = ratios.setdefault(kind, {})
        for column, (ours, theirs) in pairs.items():
            columns.setdefault(column, []).append(theirs / ours)
        for column, ratio in _besides(found).items():
            columns.setdefault(column, []).append(ratio)
    return ratios


def _medians(found: Records) -> str:
    """Return the table of medians and the lowest, by kinds of networks and processors."""
    lines = [
        "| networks | how many | on | 1 thread, median (lowest) | 2 threads |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    lines[0] += " AVX2 beside PyTorch | memory, median (highest) | first call |"
    of_all = [(record["machine"]["processor"], ratios_of(record)) for record in found]
    for kind in dict.fromkeys(kind for _, ratios in of_all for kind in ratios):
        for processor, ratios in of_all:
            columns = ratios.get(kind, {})
            cells = [
                f"{statistics.median(own):.2f} ({worst(own):.2f})"
                if (own := columns.get(key))
                else ""
                for worst, keys in ((min, (*map(str, THREADS), "AVX2")), (max, ("memory", "first")))
                for key in keys
            ]
            count = str(len(columns.get("1", ())))
            lines.append(f"| {' | '.join([kind, count, processor.partition(' (')[0], *cells])} |")
    return "\n".join(lines) + "\n"


def _besides(found: dict[str, Any]) -> dict[str, float]:
    """Return ratios in which less is better: memory, and the first call to later ones."""
    ratios = {}
    if found.get("mib"):
        ours, theirs = found["mib"]
        ratios["memory"] = ours / theirs
    if found.get("first_ms"):
        ratios["first"] = found["first_ms"] / found.get("later_ms", found["ms"]["1"][0])
    return ratios


def _notes() -> str:
    """Return what is written by hand: why networks fall short."""
    return f"{NOTES.read_text(encoding='utf-8').rstrip()}\n\n" if NOTES.exists() else ""


def _row(name: str, found: dict[str, Any]) -> str:
    cells = [name, str(found["onnx_nodes"]), str(found["operators"]), f"{found['difference']:.0e}"]
    for threads in map(str, THREADS):
        ours, theirs = found["ms"][threads]
        cells += [_short(ours), _short(theirs), f"{theirs / ours:.2f}"]
    ours, theirs = found.get("avx2") or (0.0, 0.0)
    cells.append(f"{theirs / ours:.2f}" if ours else "")
    besides = _besides(found)
    cells += [f"{besides[key]:.2f}" if key in besides else "" for key in ("memory", "first")]
    cells.append(", ".join(f"{n} {share:.0%}" for n, _, share in found["shares"][:NAMED]))
    return f"| {' | '.join(cells)} |\n"


def _short(milliseconds: float) -> str:
    return f"{milliseconds:.{2 if milliseconds < 1 else 1 if milliseconds < 10 else 0}f}"  # noqa: PLR2004


def main(arguments: list[str] | None = None) -> int:
    """Measure; return 1 if a network differs from ONNX Runtime by more than its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="names that contain it")
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)  # advice on quantization
    record: dict[str, Any] = {"machine": machine.describe(find_limit().how), "networks": {}}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, origin, bound, make in networks(Path(folder), given.only):
            if given.only in name:
                compiled, proto, data = make()
                found = {"from": origin, "bound": bound, **record_of(compiled, proto, data)}
                found["avx2"] = limited(name)
                found["mib"] = memory_of(name, proto, data, Path(folder))
                wrong += not found["difference"] < bound
                record["networks"][name] = found
                print(_row(name, found), end="", flush=True)
    if not record["networks"]:
        needed = "a part of the name of a network that is there, such as 'resnet50'"
        parser.error(f"--only: needs {needed}, got {given.only!r}")
    if not given.only:
        found_on_all = with_newest(record, records())
        RECORD.write_text(_as_text(found_on_all), encoding="utf-8")
        PAGE.write_text(page(found_on_all), encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
