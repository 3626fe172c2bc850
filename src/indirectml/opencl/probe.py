"""What a device computes, compared with this CPU: no driver is trusted before.

Each operation runs on random and special bit patterns, by the built-in function or the operator of
OpenCL C, or by a function of kernels/common.cl. The verdict is kept in the user's cache, for the
device, its driver and these kernels.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.core.progress import told
from indirectml.core.records import record
from indirectml.opencl.building import built, file_text
from indirectml.opencl.launches import Abilities
from indirectml.opencl.platforms import Facts, cache_folder, cl, options_with_dots

Array = np.ndarray[Any, Any]

#: How many patterns each operation is tried with, at first use and in the long form.
BRIEF, LONG = 1 << 16, 1 << 22
#: Of slow ones.
_MOST_FRACTIONS = 1 << 13
#: From which speed of FLOAT64 on, in parts of FLOAT32's, functions begin with it: GPUs of data
#: centres have half (on an NVIDIA H200 exp takes 0.45 of what it takes by pairs of FLOAT32, gelu
#: 0.34), others a 16th to a 64th. Measured so often, of which the fastest counts, by so many
#: work-items for each compute unit.
_FAST, _SPEED_TURNS, SPEED_ITEMS = 0.25, 3, 1024
#: Chains that do not wait for each other.
_SPEED = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SPEED(NAME, TYPE)                                                                      \\
  kernel void NAME(global TYPE *out, float a) {                                               \\
    TYPE w = get_local_id(0), x = w + 1, y = w + 2, z = w + 3;                                 \\
    for (int k = 0; k < 2048; ++k) {                                                           \\
      w = fma(w, (TYPE)a, w); x = fma(x, (TYPE)a, x);                                          \\
      y = fma(y, (TYPE)a, y); z = fma(z, (TYPE)a, z);                                          \\
    }                                                                                          \\
    out[get_global_id(0)] = w + x + y + z;                                                     \\
  }
SPEED(float32, float)
SPEED(float64, double)
"""


class Operation(NamedTuple):
    """Something that a device computes.

    Attributes
    ----------
    name : str
        What it is asked for by.
    text : str
        In OpenCL C, on the bits a, b and c.
    right : callable
        From arrays of these numbers to the right results; a float of another width is fine.
    """

    name: str
    text: str
    right: Callable[[Array, Array, Array], Array]

    @property
    def is_slow(self) -> bool:
        """Whether Python takes a while for its right results: it is tried with fewer patterns."""
        return self.right is _fused64


def _fused(a: Array, b: Array, c: Array) -> Array:
    """Return a b + c rounded once: by FLOAT64, which holds the product, rounded to odd."""
    product, term = a.astype(np.float64) * b, c.astype(np.float64)
    total = product + term
    second = total - product
    lost = (product - (total - second)) + (term - second)
    bits = total.view(np.int64).copy()
    moves = np.isfinite(total) & (lost != 0) & (bits % 2 == 0)
    bits[moves] += np.where((lost > 0) == (total > 0), 1, -1)[moves]
    return bits.view(np.float64).astype(np.float32)


def _fused64(a: Array, b: Array, c: Array) -> Array:
    """Return a b + c rounded once: by fractions."""
    are_finite = np.isfinite(a) & np.isfinite(b)
    result = np.where(are_finite & np.isinf(c), c, a * b + c)
    for k in np.flatnonzero(are_finite & np.isfinite(c)):
        exact = Fraction(float(a[k])) * Fraction(float(b[k])) + Fraction(float(c[k]))
        if exact:
            try:
                result[k] = exact.numerator / exact.denominator
            except OverflowError:
                result[k] = inf if exact > 0 else -inf
        elif a[k] and b[k]:
            result[k] = 0.0
    return result


def _halves(a: Array) -> Array:
    return (a.view(np.uint32) & np.uint32(0xFFFF)).astype(np.uint16).view(np.float16)


def _towards_zero(a: Array) -> Array:
    near = a.astype(np.float32)
    is_far = np.abs(near.astype(np.float64)) > np.abs(a)
    return np.where(is_far, np.nextafter(near, np.float32(0)), near)


def _dots(left: str, right: str) -> Operation:
    """Return the sum of four products of integers of 8 bits, "int8" or "uint8"."""

    def right_dots(a: Array, b: Array, _: Array) -> Array:
        first, second = (x.view(dtype).reshape(-1, 4) for x, dtype in ((a, left), (b, right)))
        one, two, three, four = (first.astype(np.int64) * second).T
        found: Array = one + two + three + four
        return found

    signs = "".join("us"[kind == "int8"] for kind in (left, right))
    function = f"dot_4x8packed_{signs}_{'uint' if signs == 'uu' else 'int'}"
    return Operation(f"dots of {left} and {right}", f"(uint){function}(a, b)", right_dots)


#: By the bits of a float, or of four integers that are a word.
OPERATIONS = {
    32: (
        Operation("add float32", "quiet(number(a) + number(b))", lambda a, b, _: a + b),
        Operation("subtract float32", "quiet(number(a) - number(b))", lambda a, b, _: a - b),
        Operation("multiply float32", "quiet(number(a) * number(b))", lambda a, b, _: a * b),
        Operation("divide float32", "quiet(number(a) / number(b))", lambda a, b, _: a / b),
        Operation("sqrt float32", "quiet(sqrt(number(a)))", lambda a, *_: np.sqrt(a)),
        Operation("fma float32", "quiet(fma(number(a), number(b), number(c)))", _fused),
        # What may become an fma and must not.
        Operation(
            "multiply and add float32",
            "quiet(number(a) * number(b) + number(c))",
            lambda a, b, c: a * b + c,
        ),
        Operation("less float32", "number(a) < number(b)", lambda a, b, _: np.less(a, b)),
        Operation("rint float32", "quiet(rint(number(a)))", lambda a, *_: np.rint(a)),
        Operation(
            "float32 of int32",
            "as_uint(convert_float_rte((int)a))",
            lambda a, *_: a.view(np.int32).astype(np.float32),
        ),
        Operation("widened", "widened((ushort)a)", lambda a, *_: _halves(a).astype(np.float32)),
        Operation("narrowed", "narrowed(a)", lambda a, *_: a.astype(np.float16)),
        Operation("fused by integers", "fused_by_integers(a, b, c)", _fused),
        Operation("divided by integers", "divided_by_integers(a, b)", lambda a, b, _: a / b),
        Operation("remainder by integers", "remainder_of(a, b)", lambda a, b, _: np.fmod(a, b)),
    ),
    64: (
        Operation("add float64", "quiet64(number64(a) + number64(b))", lambda a, b, _: a + b),
        Operation("subtract float64", "quiet64(number64(a) - number64(b))", lambda a, b, _: a - b),
        Operation("multiply float64", "quiet64(number64(a) * number64(b))", lambda a, b, _: a * b),
        Operation("divide float64", "quiet64(number64(a) / number64(b))", lambda a, b, _: a / b),
        Operation("sqrt float64", "quiet64(sqrt(number64(a)))", lambda a, *_: np.sqrt(a)),
        Operation("fma float64", "quiet64(fma(number64(a), number64(b), number64(c)))", _fused64),
        Operation(
            "multiply and add float64",
            "quiet64(number64(a) * number64(b) + number64(c))",
            lambda a, b, c: a * b + c,
        ),
        Operation(
            "float32 of float64", "single_of(number64(a))", lambda a, *_: a.astype(np.float32)
        ),
        Operation(
            "float32 of float64 towards 0",
            "quiet(convert_float_rtz(number64(a)))",
            lambda a, *_: _towards_zero(a),
        ),
        Operation(
            "float64 of float32",
            "quiet64((double)number((uint)a))",
            lambda a, *_: a.view(np.uint64).astype(np.uint32).view(np.float32).astype(np.float64),
        ),
        Operation(
            "float64 of int64",
            "as_ulong(convert_double_rte((long)a))",
            lambda a, *_: a.view(np.int64).astype(np.float64),
        ),
        Operation("float16 of float64", "half_of(number64(a))", lambda a, *_: a.astype(np.float16)),
    ),
    8: tuple(_dots(a, b) for a in ("int8", "uint8") for b in ("int8", "uint8")),
}

_OF_FLOATS64, _OF_DOTS = 64, 8
#: Where one is wrong FLOAT32 is computed by integers: subnormal numbers are flushed, or a sum of a
#: product becomes an fma.
_OF_SINGLES = ("add", "subtract", "multiply", "multiply and add")


@record()
class Verdict:
    """What a device computes.

    Attributes
    ----------
    count : int
        How many patterns each operation was tried with, but for slow ones.
    wrong : dict
        From the names of operations to how many results were wrong; None where the operation could
        not be built.
    float64_speed : float
        How fast FLOAT64 is, in parts of FLOAT32's speed; 0 where that was not measured. Bits do not
        depend on it.
    """

    count: int
    wrong: dict[str, int | None]
    float64_speed: float = 0

    @property
    def right(self) -> frozenset[str]:
        """The operations without a wrong result."""
        return frozenset(name for name, count in self.wrong.items() if count == 0)

    @property
    def line(self) -> str:
        """What is wrong, in a line."""
        wrong = sorted(set(self.wrong) - self.right)
        return f"probe: {len(self.right)} operations right" + (
            f", wrong: {', '.join(wrong)}" if wrong else ""
        )

    @property
    def lines(self) -> list[str]:
        """How many results of each operation were wrong."""
        by_fractions = {o.name for each in OPERATIONS.values() for o in each if o.is_slow}
        found = []
        for name, wrong in self.wrong.items():
            tried = min(self.count, _MOST_FRACTIONS) if name in by_fractions else self.count
            found.append(f"{name:30} {'not built' if wrong is None else f'{wrong} of {tried}'}")
        if self.float64_speed:
            found.append(f"{'speed of float64':30} {self.float64_speed:.2f} of float32's")
        return found


def abilities_of(facts: Facts, verdict: Verdict) -> Abilities:
    """Return what a device can: what it says it has, and computes right."""
    right = verdict.right
    has_singles = right.issuperset(f"{name} float32" for name in _OF_SINGLES)
    of_float64 = {operation.name for operation in OPERATIONS[_OF_FLOATS64]}
    has_float64 = facts.has_float64 and has_singles and right >= of_float64
    defines = ["HAS_FLOAT64"] if has_float64 else []
    for name, operation in (("FUSED", "fma float32"), ("DIVIDED", "divide float32")):
        if operation in right:
            defines.append(f"{name}_BY_DEVICE")
        elif has_float64:
            defines.append(f"{name}_BY_FLOAT64")
    if has_singles:
        defines.append("SINGLES_BY_DEVICE")
    if "sqrt float32" in right:
        defines.append("ROOTED_BY_DEVICE")
    if facts.vector_width > 1:
        defines.append("HAS_VECTORS")
    if has_float64 and verdict.float64_speed >= _FAST:
        defines.append("FLOAT64_IS_FAST")
    replaced = {"divide float32"} & set(verdict.wrong)
    return Abilities(
        right | replaced,
        has_float64,
        facts.local_bytes,
        facts.group_size,
        facts.units,
        tuple(defines),
        facts.vector_width,
    )


# ---- trying ----


def probed(context: Any, queue: Any, facts: Facts, options: tuple[str, ...], count: int) -> Verdict:
    """Return what a device computes on patterns.

    Parameters
    ----------
    context, queue : pyopencl.Context, pyopencl.CommandQueue
        Of the device.
    facts : Facts
        What it says of itself.
    options : tuple of str
        What its compiler is given.
    count : int
        How many patterns.
    """
    wrong: dict[str, int | None] = {}
    for operations in _tried(facts):
        bits = max(operations, 32)
        given = [_patterns(bits, count, seed) for seed in range(3)]
        with np.errstate(all="ignore"):  # a fourth of the sums nearly vanish
            part = slice(0, count // 4)
            product = given[0][part].view(f"f{bits // 8}") * given[1][part].view(f"f{bits // 8}")
            given[2][part] = (-product).view(given[2].dtype)
        own = options_with_dots(options) if operations == _OF_DOTS else options
        kernels = _kernels(context, operations, own)
        for number, operation in told([*enumerate(OPERATIONS[operations])]):
            kernel = kernels.get(f"probe{number}")
            if kernel is None:
                wrong[operation.name] = None
                continue
            here = [x[:_MOST_FRACTIONS] if operation.is_slow else x for x in given]
            found = _computed(context, queue, kernel, here)
            wanted = _native.guarded(_wanted, operation, [x.view(f"f{bits // 8}") for x in here])
            wrong[operation.name] = int(np.count_nonzero(found != wanted))
    # Where work-items are threads of a CPU, it makes no difference.
    has_speed = facts.has_float64 and facts.vector_width == 1
    return Verdict(count, wrong, _float64_speed(context, queue, facts) if has_speed else 0)


def _float64_speed(context: Any, queue: Any, facts: Facts) -> float:
    """Return how many fma of FLOAT64 a device carries out while it does one of FLOAT32."""
    with suppress(cl.Error):
        program = built(context, _SPEED, [])
        items = SPEED_ITEMS * facts.units
        memory = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, 8 * items)
        seconds = {}
        for name in ("float32", "float64"):
            kernel = cl.Kernel(program, name)
            kernel.set_arg(0, memory)
            kernel.set_arg(1, np.float32(0.5))
            found = []
            for _ in range(_SPEED_TURNS):
                queue.finish()
                began = perf_counter()
                cl.enqueue_nd_range_kernel(queue, kernel, (items,), (64,))
                queue.finish()
                found.append(perf_counter() - began)
            seconds[name] = min(found)
        return seconds["float32"] / seconds["float64"]
    return 0


def _kernels(context: Any, bits: int, options: tuple[str, ...]) -> dict[str, Any]:
    """Return the kernels of a width that can be built: all at once, or else each by itself."""
    type_ = "ulong" if bits == _OF_FLOATS64 else "uint"
    parameters = ", ".join([*(f"global const {type_} *{x}" for x in "xyz"), f"global {type_} *out"])
    texts = [
        f"kernel void probe{number}({parameters}) {{\n"
        "  const ulong i = get_global_id(0);\n"
        f"  const {type_} a = x[i], b = y[i], c = z[i];\n"
        f"  out[i] = {operation.text};\n}}\n"
        for number, operation in enumerate(OPERATIONS[bits])
    ]
    defines = ["-DHAS_FLOAT64"] if bits == _OF_FLOATS64 else []
    found: dict[str, Any] = {}
    for some in (texts, *([text] for text in texts)):
        with suppress(cl.Error):  # of old compilers, an option too
            text = "\n".join([file_text("common.cl"), *some])
            program = built(context, text, [*options, *defines])
            found |= {kernel.function_name: kernel for kernel in program.all_kernels()}
        if len(found) == len(texts):
            break
    return found


def _patterns(bits: int, count: int, seed: int) -> Array:
    """Return bit patterns: random ones, subnormal numbers, exponents near 0 and limits."""
    random = np.random.default_rng(seed)
    fraction = {32: 23, 64: 52}[bits]
    exponents = 1 << (bits - 1 - fraction)
    kind = np.dtype(f"u{bits // 8}").type
    found = random.integers(0, (1 << bits) - 1, count, kind, endpoint=True)
    quarter = count // 4
    keep = kind((1 << fraction) - 1 | 1 << (bits - 1))
    found[:quarter] &= keep
    near = random.integers(exponents // 2 - 4, exponents // 2 + 4, quarter).astype(kind)
    found[quarter : 2 * quarter] &= keep
    found[quarter : 2 * quarter] |= near << kind(fraction)
    # What lies half way between shorter numbers, or one bit beside that.
    short = found[quarter : 2 * quarter : 2]
    kept = random.choice([10, 11, 12, fraction - 29, 23, 24], short.size).clip(0, fraction)
    short &= ~((kind(1) << (fraction - kept).astype(kind)) - kind(1))
    short |= random.integers(0, 2, short.size).astype(kind)
    whole = exponents - 1 << fraction
    limits = [0, 1, 1 << fraction, (1 << fraction) - 1, whole, whole - 1, whole | 5, 1 << bits - 2]
    some = random.choice(np.array(limits, kind), count // 16)
    some |= random.integers(0, 2, some.size).astype(kind) << kind(bits - 1)
    found[2 * quarter : 2 * quarter + some.size] = some
    return random.permutation(found)


def _wanted(operation: Operation, given: list[Array]) -> Array:
    """Return the right bits, as wide as the operands."""
    width = given[0].itemsize
    with np.errstate(all="ignore"):
        result = operation.right(*given)
    if result.dtype.kind != "f":
        return result.astype(f"u{width}")
    result = result.copy()
    result[np.isnan(result)] = np.nan
    return result.view(f"u{result.itemsize}").astype(f"u{width}")


def _computed(context: Any, queue: Any, kernel: Any, given: list[Array]) -> Array:
    """Return what a kernel makes of patterns."""
    flags = cl.mem_flags
    buffers = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x) for x in given]
    result = np.empty_like(given[0])
    buffers.append(cl.Buffer(context, flags.WRITE_ONLY, result.nbytes))
    for number, buffer in enumerate(buffers):
        kernel.set_arg(number, buffer)
    cl.enqueue_nd_range_kernel(queue, kernel, given[0].shape, None)
    cl.enqueue_copy(queue, result, buffers[-1])
    return result


# ---- what is kept ----


def verdict_of(context: Any, queue: Any, facts: Facts, options: tuple[str, ...]) -> Verdict:
    """Return what a device computes: what was found before, if it was."""
    kept = kept_verdict(facts, options)
    if kept is not None:
        return kept
    verdict = probed(context, queue, facts, options, BRIEF)
    path = _path(facts, options)
    with suppress(OSError):  # where nothing can be kept, it is found again
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.with_suffix(f".{id(verdict)}")
        whole.write_text(json.dumps(asdict(verdict)), "utf-8")
        whole.replace(path)
    return verdict


def kept_verdict(facts: Facts, options: tuple[str, ...]) -> Verdict | None:
    """Return what was found before of a device, if it was tried."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(_path(facts, options).read_text("utf-8"))
        if set(kept["wrong"]) == names(facts):
            return Verdict(kept["count"], kept["wrong"], kept["float64_speed"])
    return None


def names(facts: Facts) -> set[str]:
    """Return the operations that a device is tried with."""
    return {operation.name for bits in _tried(facts) for operation in OPERATIONS[bits]}


def _tried(facts: Facts) -> list[int]:
    """Return which operations a device says it has."""
    found = [32]
    if facts.has_float64:
        found.append(_OF_FLOATS64)
    if facts.has_dots:
        found.append(_OF_DOTS)
    return found


def _path(facts: Facts, options: tuple[str, ...]) -> Path:
    """Return the file of a verdict, by all that it depends on."""
    texts = [operation.text for bits in OPERATIONS for operation in OPERATIONS[bits]]
    key = "\n".join([repr(facts.key), *options, file_text("common.cl"), *texts])
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    return cache_folder() / f"{name}.json"
