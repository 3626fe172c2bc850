"""Outputs that fit in a core's caches, from one thread: the kernels are the limit."""

from __future__ import annotations

from typing import Any

import numpy as np

import indirectml as dml
from benchmarks.sections.section import (
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
    shown_bytes,
)
from benchmarks.timing import Job
from indirectml import _native
from indirectml.core.buffers import open_output
from indirectml.core.scalars import exact_bits
from indirectml.core.settings import Settings
from indirectml.fills.sequences import native_sequence

NAME = "in-cache"

_SIZES = (2**16, 2**20)
_DTYPES = ("uint8", "float16", "float32", "float64")
_BAR = 0.8
_KERNEL_TIMES = 100

#: A start and a delta that stay in one binade, where a sequence is a single segment. (A float16 is
#: absorbed at once under `accumulate`.)
_ONE_SEGMENT = {"f": (1.0, 1e-6), "u": (3, 7)}


def run(context: Context) -> Section:
    """Compare calls with a call of memset, and kernels with memset in a loop in C."""
    section = Section(
        NAME,
        "In cache, one thread",
        "memset of that size on one core, called in the same way",
        notes=[
            "door: fill_constant and fill_sequence, against memset called through ctypes",
            "native: the native module's own call on an opened buffer, against the same",
            "kernel: native without what a call on 64 bytes takes, against memset in a loop in C",
            "door and native rows start at zero and cross many binades; kernel rows cross none",
        ],
    )
    if context.limit.repeat is None:
        section.notes.append("no kernel rows: there is no compiler for the loop in C")
    with dml.configure(max_threads=1):
        for size_bytes in _SIZES:
            _add_size(section, context, size_bytes)
    return section


def _add_size(section: Section, context: Context, size_bytes: int) -> None:
    raw = np.empty(size_bytes + 64, np.uint8)
    raw.fill(1)
    raw = raw[-raw.ctypes.data % 64 :][:size_bytes]
    label = shown_bytes(size_bytes)
    names = {
        "memset": context.limit.once,
        "repeat": context.limit.repeat,
        "address": raw.ctypes.data,
        "size": size_bytes,
        "times": _KERNEL_TIMES,
    }
    outs = {dtype: raw.view(dtype) for dtype in _DTYPES}
    calls = [job for d, out in outs.items() for job in _calls(f"{label} {d}", out, d)]
    kernels = [job for d, out in outs.items() for job in _kernels(f"{label} {d}", out, d)]
    rounds, sample_s = context.rounds(25), context.sample_s / 4
    once = Job(f"{label} memset through ctypes", "memset(address, 3, size)", names, size_bytes)
    section.add(once, calls, rounds, sample_s=sample_s)
    if context.limit.repeat is None:
        return
    loop = "repeat(address, 3, size, times)"
    limit = Job(f"{label} memset in C", loop, names, size_bytes, scale=_KERNEL_TIMES)
    section.add(limit, kernels, rounds, sample_s=sample_s)


def _calls(label: str, out: np.ndarray[Any, Any], dtype: str) -> list[Job]:
    start, delta = accumulate_scalars(dtype)
    first, step = multiply_scalars(dtype)
    names = {"constant": dml.fill_constant, "sequence": dml.fill_sequence, "out": out}
    doors = {
        "constant": "constant(out, 3)",
        "accumulate": f"sequence(out, {start}, {delta})",
        "multiply": f"sequence(out, {first}, {step}, rule='multiply')",
    }
    natives = _natives(out, (start, delta), (first, step))
    return [
        *(
            Job(
                f"{label} {way}: door",
                statement,
                names,
                out.nbytes,
                bar=_BAR,
                series="door",
                group=f"{label} {way}",
            )
            for way, statement in doors.items()
        ),
        *(
            Job(
                f"{label} {way}: native",
                "fill(b, s, 0, p)",
                native,
                out.nbytes,
                bar=_BAR,
                series="native",
                group=f"{label} {way}",
            )
            for way, native in natives.items()
        ),
        Job(f"{label} np.ndarray.fill", "out.fill(3)", names, out.nbytes, peer=True),
    ]


def _kernels(label: str, out: np.ndarray[Any, Any], dtype: str) -> list[Job]:
    one = _ONE_SEGMENT[dtype[0]]
    short = _natives(out[: 64 // out.itemsize], one, one)
    return [
        Job(
            f"{label} {way}: kernel",
            "fill(b, s, 0, p)",
            native,
            out.nbytes,
            bar=_BAR,
            series="kernel",
            group=f"{label} {way}",
            less=Job("a short call", "fill(b, s, 0, p)", short[way]),
        )
        for way, native in _natives(out, one, one).items()
    ]


def _natives(
    out: np.ndarray[Any, Any],
    accumulate: tuple[float, float],
    multiply: tuple[float, float],
) -> dict[str, dict[str, Any]]:
    """Return the names that a call of the native code needs, for each way of filling."""
    buffer, data_type = open_output(out)

    def names(rule: Any, start: float, delta: float) -> dict[str, Any]:
        bits = exact_bits(start, data_type), exact_bits(delta, data_type, is_delta=True)
        sequence = native_sequence(data_type, rule, *bits)
        return {"fill": _native.fill, "b": buffer, "s": sequence, "p": Settings.policy}

    return {
        "constant": names("accumulate", 3, 0),
        "accumulate": names("accumulate", *accumulate),
        "multiply": names("multiply", *multiply),
    }
