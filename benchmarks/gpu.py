"""A GPU beside its limits, in one command: `python -m benchmarks.gpu [--device opencl:1]`.

What the device says of itself, what a long probe finds, the tests of all kernels on it, and what it
measures: memory and arithmetic by kernels of their own, then words and functions beside these
limits, and beside PyTorch where this has the same GPU. Each result is compared with the CPU device
bit by bit. The report is Markdown; docs/devices.md says what it is to be read beside.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import indirectml as dml
from benchmarks.devices import HOST_AIM_MS, host_ms, opened
from indirectml.core.errors import DeviceUnavailableError
from indirectml.opencl.building import built
from indirectml.opencl.platforms import cl, options_of, options_with_dots

#: A sample is repeated until it takes so long; and how many samples there are.
_SAMPLE_S, _ROUNDS = 0.05, 5
#: What the kernels that measure limits do: multiplications and additions of a work-item, of four
#: chains that do not wait for each other.
_TURNS, _CHAINS = 512, 4
#: What the report says of other bits.
DIFFER = "DIFFER"

_LIMITS = """
#ifdef HAS_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
kernel void copied(global const uint4 *x, global uint4 *y) {
  y[get_global_id(0)] = x[get_global_id(0)];
}
#define MEASURED(NAME, TYPE, NEXT)                                                   \\
  kernel void NAME(global TYPE *y, TYPE a, TYPE b) {                                 \\
    TYPE x[4] = {(TYPE)get_global_id(0), b, (TYPE)get_local_id(0), a};               \\
    for (int k = 0; k < TURNS; ++k) {                                                \\
      x[0] = NEXT(x[0]); x[1] = NEXT(x[1]); x[2] = NEXT(x[2]); x[3] = NEXT(x[3]);    \\
    }                                                                                \\
    y[get_global_id(0)] = x[0] + x[1] + x[2] + x[3];                                 \\
  }
#define FUSED(x) fma(x, a, b)
#define WRAPPED(x) ((x) * a + b)
MEASURED(float32, float, FUSED)
MEASURED(int32, uint, WRAPPED)
#ifdef HAS_FLOAT64
MEASURED(float64, double, FUSED)
#endif
#ifdef HAS_DOTS
#define DOTS(x) ((uint)dot_4x8packed_ss_int(x, a) + b)
MEASURED(dots, uint, DOTS)
#endif
"""


class Case(NamedTuple):
    """Something to measure.

    Attributes
    ----------
    what : str
        Its name.
    limit, aim : str, float
        What limits it, "memory" or a name of `_LIMITS`, and what part of that it has to be.
    work : int
        Bytes to move, or operations; of arithmetic a multiplication and an addition are two.
    sizes : tuple of tuple of int
        Of the inputs.
    made : callable
        The function of a graph.
    torchs : callable or None
        The same for PyTorch: from the module and tensors to a tensor.
    of_torch : float
        What part of PyTorch's speed it has to be; 0 where there is no aim.
    dtype : str
        Of the inputs, the second one too.
    """

    what: str
    limit: str
    aim: float
    work: int
    sizes: tuple[tuple[int, ...], ...]
    made: Callable[..., Any]
    torchs: Callable[..., Any] | None = None
    of_torch: float = 0
    dtype: str = "float32"


def cases(scale: int) -> list[Case]:
    """Return what is measured; `scale` divides sizes, 1 for GPUs."""
    count, rows, n, pixels = 2**24 // scale**2, 16384 // scale, 4096 // scale, 56 // scale
    many = (1, 1, 4096 // scale, 4096 // scale)
    padded = {"start_padding": [1, 1], "end_padding": [1, 1]}
    found = [
        Case("a b + a - b", "memory", 0.8, 12 * count, (many, many), lambda a, b: a * b + a - b,
             lambda _, a, b: a * b + a - b),
        *(
            Case(name, "memory", 0.8, 8 * count, (many,), getattr(dml, name),
                 lambda torch, x, name=name: getattr(torch, name)(x))
            for name in ("exp", "tanh", "log", "sin", "sqrt")
        ),
        Case("gelu", "memory", 0.8, 8 * count, (many,), dml.activation_gelu,
             lambda torch, x: torch.nn.functional.gelu(x)),
        Case("sums of rows of 1,024", "memory", 0.8, 4 * rows * 1024, ((rows, 1024),),
             lambda x: dml.reduce(x, function=dml.ReduceFunction.SUM, axes=[1]),
             lambda _, x: x.sum(1)),
        Case("softmax of rows of 1,024", "memory", 0.8, 8 * rows * 1024, ((rows, 1024),),
             lambda x: dml.activation_softmax(x, axes=[1]), lambda torch, x: torch.softmax(x, 1)),
        Case("layer norm of rows of 1,024", "memory", 0.8, 8 * rows * 1024, ((rows, 1024),),
             lambda x: dml.mean_variance_normalization(x, axes=[1], epsilon=1e-5),
             lambda torch, x: torch.nn.functional.layer_norm(x, (1024,))),
    ]  # fmt: skip
    found += [
        Case(f"product of {size} x {size}, FLOAT32", "float32", 0, 2 * size**3,
             ((1, 1, size, size),) * 2, dml.gemm, lambda torch, a, b: torch.matmul(a, b), 0.7)
        for size in (n // 4, n)
    ]  # fmt: skip
    found.append(
        Case(f"product of {n} x {n}, INT8", "dots", 0.6, 2 * n**3, ((1, 1, n, n),) * 2,
             lambda a, b: dml.matrix_multiply_integer(a, None, b, None), dtype="int8")
    )  # fmt: skip
    for taps, channels, of_torch in ((3, 64, 0.5), (1, 256, 0.5)):
        image = (16, channels, pixels, pixels)
        fields = padded if taps == 3 else {}  # noqa: PLR2004 (one more pixel on each side)
        found.append(
            Case(f"{taps} x {taps} convolution, {channels} channels of 16 images, {pixels}^2",
                 "float32", 0, 2 * prod(image) * channels * taps**2,
                 (image, (channels, channels, taps, taps)),
                 lambda x, w, fields=fields: dml.convolution(x, w, **fields),
                 lambda torch, x, w, taps=taps: torch.nn.functional.conv2d(x, w, padding=taps // 2),
                 of_torch)
        )  # fmt: skip
    return found


def seconds_of(call: Callable[[], None], finish: Callable[[], Any]) -> float:
    """Return the seconds of a call, of the fastest sample of many calls."""

    def sample(count: int) -> float:
        begin = time.perf_counter()
        for _ in range(count):
            call()
        finish()
        return (time.perf_counter() - begin) / count

    sample(1)
    count = max(1, int(_SAMPLE_S / max(sample(1), 1e-7)))
    return min(sample(count) for _ in range(_ROUNDS))


def limits_of(context: Any) -> dict[str, float]:
    """Return what a device moves and computes in a second at most, by kernels of nothing else."""
    facts, queue = context.facts, context.queue
    defines = [f"-DTURNS={_TURNS}"]
    options = list(options_of(facts))
    if facts.has_float64:
        defines.append("-DHAS_FLOAT64")
    if facts.has_dots:
        options, defines = list(options_with_dots(tuple(options))), [*defines, "-DHAS_DOTS"]
    program = built(context.library.context, _LIMITS, [*options, *defines])
    size = min(facts.allocation_bytes // 2, facts.memory_bytes // 8, 1 << 28) // 4096 * 4096
    memories = [context.heap.new(size, zeroed=True) for _ in range(2)]

    def rate(name: str, work: float, items: int, *arguments: Any) -> float:
        kernel = cl.Kernel(program, name)
        for number, argument in enumerate(arguments):
            kernel.set_arg(number, argument)
        queue.finish()

        def call() -> None:
            cl.enqueue_nd_range_kernel(queue, kernel, (items,), (64,))

        return work / seconds_of(call, queue.finish)

    found = {"memory": rate("copied", 2 * size, size // 16, *(m.buffer for m in memories))}
    items = min(facts.units * 8192, size // 8 // 64 * 64)
    done = items * _TURNS * _CHAINS * 2
    kinds = {"float32": (np.float32, 1), "int32": (np.uint32, 1)}
    if facts.has_float64:
        kinds["float64"] = (np.float64, 1)
    if facts.has_dots:
        kinds["dots"] = (np.uint32, 4)
    for name, (kind, products) in kinds.items():
        numbers = kind(1), kind(3)
        found[name] = rate(name, done * products, items, memories[0].buffer, *numbers)
    # Without dot products, integers of 8 bits are multiplied as wide ones.
    found.setdefault("dots", found["int32"])
    return found


def measured(case: Case, device: dml.Device) -> tuple[float, bool]:
    """Return the seconds of a case, and whether its bits are the CPU device's."""
    rng = np.random.default_rng(30)
    given: Any = {
        f"x{k}": rng.uniform(0.1, 2, sizes).astype(np.float32)
        if case.dtype == "float32"
        else rng.integers(-128, 128, sizes).astype(case.dtype)
        for k, sizes in enumerate(case.sizes)
    }

    def made(there: dml.Device) -> Any:
        graph = dml.Graph(there)
        tensors = [
            graph.input(sizes, case.dtype, name=f"x{k}") for k, sizes in enumerate(case.sizes)
        ]
        return graph.compile([case.made(*tensors)])

    compiled = made(device)
    there: Any = {name: dml.Buffer(device, array) for name, array in given.items()}
    (found,), (wanted,) = compiled(there), made(dml.Device())(given)

    def call() -> None:
        compiled(there, readback=False)

    is_same = np.asarray(found).tobytes() == np.asarray(wanted).tobytes()
    return seconds_of(call, device.implementation.finish), is_same


def torch_seconds(case: Case) -> float | None:
    """Return the seconds that PyTorch takes on its GPU; None without one."""
    if case.torchs is None or importlib.util.find_spec("torch") is None:
        return None
    import torch  # noqa: PLC0415 (where it is not there, nothing is beside)

    if not torch.cuda.is_available():
        return None
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    given = [torch.rand(sizes, device="cuda") for sizes in case.sizes]

    def call() -> None:
        case.torchs(torch, *given)

    return seconds_of(call, torch.cuda.synchronize)


def told(case: Case, device: dml.Device, limits: dict[str, float]) -> str:
    """Return the row of a case; of one that the device has no memory for, why it has none."""
    try:
        seconds, is_same = measured(case, device)
    except DeviceUnavailableError as error:
        return f"| {case.what} |  |  |  |  |  | {error} |"
    beside = torch_seconds(case)
    rate = case.work / seconds
    part = rate / limits[case.limit]
    unit = "GB" if case.limit == "memory" else "Gop"
    cells = [
        case.what,
        f"{1e3 * seconds:.3g}",
        f"{rate / 1e9:,.0f} {unit}/s",
        f"{part:.2f} of {case.limit}",
        f"{beside / seconds:.2f}" if beside else "",
        f"{case.of_torch:g} of PyTorch" if case.of_torch else f"{case.aim:g} of {case.limit}",
        "same" if is_same else DIFFER,
    ]
    return f"| {' | '.join(cells)} |"


def report(device: dml.Device, *, scale: int, tests: bool) -> Iterator[str]:
    """Yield the lines of the report, one after the other as they are known."""
    name, context = device.name, device.implementation.context
    facts = context.facts
    yield f"# {facts.name}\n"
    yield f"{facts.line}\n"
    yield (
        f"Work-groups of {facts.group_size} at most, {facts.local_bytes} bytes each, "
        f"{facts.units} units, {facts.vector_width} FLOAT32 at once; "
        f"{facts.allocation_bytes} bytes in one piece. indirectml {dml.__version__}, "
        f"{sys.platform}.\n"
    )
    yield "## The probe\n\n```"
    yield from context.examined().lines
    yield "```\n\n## The tests\n"
    if tests:
        yield "Some thousand kernels are built: this takes minutes. --no-tests leaves it out.\n"
    yield tests_on(name) if tests else "Not run."
    yield "\n## Limits\n"
    with context.used():
        limits = limits_of(context)
    yield "| what | in a second |\n|---|--:|"
    for what, rate in limits.items():
        yield f"| {what} | {rate / 1e9:,.0f} {'GB' if what == 'memory' else 'Gop'} |"
    yield "\n## Measured\n\n| case | ms | speed | part | of PyTorch | aim | bits |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    rows = []
    for case in cases(scale):
        rows.append(told(case, device, limits))
        yield rows[-1]
    same, others = (sum(f"| {end} |" in row for row in rows) for end in ("same", DIFFER))
    yield f"\n{same} of {len(rows)} results have the bits of the CPU device, {others} have others."
    steps, host = host_ms(name, _ROUNDS)
    yield f"\nThe host's time for {steps} steps: {host:.2f} ms (aim {HOST_AIM_MS:g} for 100)."


def tests_on(name: str) -> str:
    """Return what the tests of all kernels say, run in a process of their own."""
    command = [sys.executable, "-m", "tests.opencl.whole", name]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    lines = done.stdout.splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return "\n".join([*failed, lines[-1] if lines else done.stderr[-2000:]])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report, and write it to a file; 1 if a result has other bits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--device", default="opencl", help="which one; opencl by itself")
    parser.add_argument("--scale", type=int, default=1, help="divide sizes by this; 1 for GPUs")
    parser.add_argument("--no-tests", action="store_true", help="leave out the tests of kernels")
    parser.add_argument("--out", type=Path, default=Path("gpu.md"), help="the report")
    given = parser.parse_args(arguments)
    if not given.device.startswith("opencl"):
        parser.error(f"needs a device of OpenCL, such as opencl or opencl:1, got {given.device!r}")
    if given.scale < 1:
        parser.error(f"needs a scale from 1 up, got {given.scale}")
    device = opened(parser, given.device)
    is_right = True
    with given.out.open("w", encoding="utf-8") as file:
        for line in report(device, scale=given.scale, tests=not given.no_tests):
            is_right = is_right and DIFFER not in line
            print(line, flush=True)
            print(line, file=file, flush=True)
    print(f"\nThis is {given.out} now.")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
