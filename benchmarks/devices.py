"""A device beside the CPU device, interleaved: `python -m benchmarks.devices [--device NAME]`.

Inputs are on the device, and outputs stay there: what is compared is the work of kernels, as a
check against waste where a device is the host's processor. The clock is the processor's, of all
threads, so that a busy machine matters less; a ratio is the CPU device's time over the other's, and
more is faster. What a network costs the host is the processor's time of the calling thread.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import indirectml as dml
from indirectml.core.errors import DeviceUnavailableError

#: The least that a case of a kind has to be, of the CPU device's speed, on a device of the host.
AIMS = {"products": 0.3, "element by element": 0.5}
#: Milliseconds of the host for a network of 100 steps.
HOST_AIM_MS = 1.0
_STEPS = 100
_SAMPLE_S = 0.02


class Case(NamedTuple):
    """Something to measure: what it is called, its kind, inputs, and the function of a graph."""

    what: str
    kind: str
    sizes: tuple[tuple[int, ...], ...]
    made: Callable[..., Any]


_SAME = {"start_padding": [1, 1], "end_padding": [1, 1]}


def _convolution(**fields: Any) -> Callable[..., Any]:
    def made(x: Any, w: Any) -> Any:
        return dml.convolution(x, w, **fields)

    return made


def _pool(name: str) -> Callable[..., Any]:
    def made(x: Any) -> Any:
        found = getattr(dml, name)(x, window_sizes=[3, 3], strides=[1, 1], **_SAME)
        return getattr(found, "values", found)

    return made


def _sum(axis: int) -> Callable[..., Any]:
    def made(x: Any) -> Any:
        return dml.reduce(x, function=dml.ReduceFunction.SUM, axes=[axis])

    return made


def _normal(x: Any) -> Any:
    return dml.mean_variance_normalization(x, axes=[1], epsilon=1e-5)


_MANY = (1, 1, 1024, 1024)

CASES = (
    *(Case(f"{n} x {n} x {n}", "products", ((n, n), (n, n)), dml.gemm) for n in (256, 512, 1024)),
    Case("a b + a - b", "element by element", (_MANY, _MANY), lambda a, b: a * b + a - b),
    Case("exp", "element by element", (_MANY,), dml.exp),
    Case("tanh", "element by element", (_MANY,), dml.tanh),
    Case("log", "element by element", (_MANY,), dml.log),
    Case("gelu", "element by element", (_MANY,), dml.activation_gelu),
    Case("3 x 3, 64 channels of 56 x 56", "convolutions", ((1, 64, 56, 56), (64, 64, 3, 3)),
         _convolution(**_SAME)),
    Case("1 x 1, 256 channels of 14 x 14", "convolutions", ((1, 256, 14, 14), (256, 256, 1, 1)),
         _convolution()),
    Case("depthwise 3 x 3, 64 of 56 x 56", "convolutions", ((1, 64, 56, 56), (64, 1, 3, 3)),
         _convolution(group_count=64, **_SAME)),
    Case("depthwise 3 x 3, strides 2", "convolutions", ((1, 64, 56, 56), (64, 1, 3, 3)),
         _convolution(group_count=64, strides=[2, 2], **_SAME)),
    Case("sums of 1,000 rows of 4,096", "rows", ((1000, 4096),), _sum(1)),
    Case("sums of 4,096 columns of 1,000", "rows", ((1000, 4096),), _sum(0)),
    Case("layer norm of 512 rows of 768", "rows", ((512, 768),), _normal),
    Case("softmax of 512 rows of 512", "rows", ((512, 512),),
         lambda x: dml.activation_softmax(x, axes=[1])),
    Case("largest of 3 x 3, 64 of 56 x 56", "windows", ((1, 64, 56, 56),), _pool("max_pooling")),
    Case("averages of 3 x 3, 64 of 56 x 56", "windows", ((1, 64, 56, 56),),
         _pool("average_pooling")),
)  # fmt: skip


def _call_of(case: Case, device: dml.Device) -> Callable[[], None]:
    """Return what runs a case, with its inputs there already, until all is done."""
    graph = dml.Graph(device)
    inputs = [graph.input(sizes, name=f"x{k}") for k, sizes in enumerate(case.sizes)]
    compiled = graph.compile([case.made(*inputs)])
    rng = np.random.default_rng(30)
    given: Any = {
        f"x{k}": rng.uniform(0.1, 2, sizes).astype(np.float32) for k, sizes in enumerate(case.sizes)
    }
    finish = getattr(device.implementation, "finish", lambda: None)
    if not device.name.startswith("cpu"):
        given = {name: dml.Buffer(device, array) for name, array in given.items()}

        def call() -> None:
            compiled(given, readback=False)
            finish()

        return call
    return lambda: compiled(given) and None


def _repeated(call: Callable[[], None]) -> int:
    """Return how many calls are a sample."""
    call()
    begin = time.process_time()
    call()
    return max(1, int(_SAMPLE_S / max(time.process_time() - begin, 1e-6)))


def _sample(call: Callable[[], None], count: int) -> float:
    begin = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - begin) / count


def measured(case: Case, name: str, rounds: int) -> tuple[float, float, list[float]]:
    """Return the seconds of a device and of the CPU device, medians, and each round's ratio."""
    calls = [_call_of(case, dml.Device(each)) for each in (name, "cpu")]
    counts = [_repeated(call) for call in calls]
    pairs = [
        [_sample(call, count) for call, count in zip(calls, counts, strict=True)]
        for _ in range(rounds)
    ]
    own, others = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
    return own, others, [cpu / there for there, cpu in pairs]


def host_ms(name: str, rounds: int) -> tuple[int, float]:
    """Return how many steps a network has that no pass joins, and the host's milliseconds."""
    device = dml.Device(name)
    graph = dml.Graph(device)
    x = given = graph.input([1, 1, 8, 8], name="x")
    for _ in range(_STEPS // 2):
        x = dml.activation_relu(dml.gemm(x, given))
    compiled = graph.compile([x])
    there = {"x": dml.Buffer(device, np.ones((1, 1, 8, 8), np.float32))}
    found = []
    for _ in range(rounds):
        begin = time.thread_time()
        compiled(there, readback=False)
        found.append(time.thread_time() - begin)
        device.implementation.finish()
    return len(compiled.plan.steps), 1e3 * min(found[1:])


def opened(parser: argparse.ArgumentParser, name: str) -> dml.Device:
    """Return a device; ends with a sentence if it is not there."""
    try:
        return dml.Device(name)
    except DeviceUnavailableError as error:
        parser.error(str(error))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.devices", description=__doc__)
    parser.add_argument("--device", default="opencl", help="which one; opencl by itself")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each case")
    parser.add_argument("--only", default="", help="cases whose name or kind has this")
    given = parser.parse_args(arguments)
    opened(parser, given.device)
    print("| case | CPU device, ms | there, ms | ratio, median | lowest | highest |")
    print("|---|--:|--:|--:|--:|--:|")
    for case in CASES:
        if given.only not in f"{case.kind}: {case.what}":
            continue
        own, cpu, ratios = measured(case, given.device, given.rounds)
        aim = AIMS.get(case.kind, 0)
        short = " (short of its aim)" if statistics.median(ratios) < aim else ""
        print(
            f"| {case.kind}: {case.what}{short} | {1e3 * cpu:.3g} | {1e3 * own:.3g} "
            f"| {statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |",
            flush=True,
        )
    if given.only in "host":
        steps, found = host_ms(given.device, max(given.rounds, 3))
        print(f"\nThe host's time for {steps} steps: {found:.2f} ms (aim {HOST_AIM_MS:g} for 100).")


if __name__ == "__main__":
    main()
