"""Two thresholds of size: from where threads pay, and from where storing past the cache does."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.sections.section import (
    Context,
    Section,
    accumulate_scalars,
    multiply_scalars,
    shown_bytes,
    threads_text,
)
from benchmarks.timing import Job
from indirectml import _native
from indirectml.core.buffers import open_output
from indirectml.core.scalars import exact_bits
from indirectml.core.settings import Settings
from indirectml.fills.sequences import RULES, native_sequence

NAME = "thresholds"

_DTYPE = "float32"
_NEVER = 2**64 - 1
#: What a thread gets at least here: far less than what pays for it.
_SHARE = 2**14
_SCALARS = {
    "constant": (0.0, 0.0),
    "accumulate": accumulate_scalars(_DTYPE),
    "multiply": multiply_scalars(_DTYPE),
}

Array = np.ndarray[Any, Any]


def run(context: Context) -> Section:
    """Fill sizes around both thresholds with and without what begins there."""
    policy = Settings.policy
    threads = policy.max_threads
    section = Section(
        NAME,
        f"Thresholds, {_DTYPE}, in place: one thread or {threads}, through the cache or past it",
        "memset from one thread",
        notes=[
            f"threads start at every size; in use, for {shown_bytes(policy.bytes_per_thread)} each",
            f"stores go past the cache from {shown_bytes(policy.streaming_bytes)} on",
            "then read: the time of the fill and of memchr over all of it, from one thread",
        ],
    )
    raw = np.empty(context.large_bytes // 2, np.uint8)
    raw.fill(1)
    first = min(2**16, context.large_bytes // 4)
    for size in context.sizes(first, raw.size):
        _add_threads(section, context, raw[:size], threads)
    for size in context.sizes(min(2**21, first), raw.size):
        _add_stores(section, context, raw[:size], threads)
    return section


def _add_threads(section: Section, context: Context, raw: Array, threads: int) -> None:
    names = _memory(context, raw) | {"threads": context.limit.threads, "t": threads}
    jobs = []
    if threads > 1:
        text = f"memset, {threads_text(threads)}"
        jobs.append(_job(raw, "threads", text, "threads(a, 3, n, t)", names))
    for count in sorted({1, threads}):
        policy = _native.Policy(
            Settings.policy.target, count, Settings.policy.streaming_bytes, _SHARE
        )
        jobs += [
            _job(raw, "threads", f"{rule}, {threads_text(count)}", *_fill(raw, rule, policy))
            for rule in RULES
        ]
    limit = _job(raw, "threads", "memset, 1 thread", "once(a, 3, n)", names)
    section.add(limit, jobs, context.rounds(9), sample_s=context.sample_s / 4)


def _add_stores(section: Section, context: Context, raw: Array, threads: int) -> None:
    memory = _memory(context, raw)
    jobs = []
    for way, streaming in {"cached": _NEVER, "streaming": 0}.items():
        policy = _native.Policy(Settings.policy.target, threads, streaming)
        jobs += [_job(raw, "stores", f"{r}, {way}", *_fill(raw, r, policy)) for r in RULES]
        statement, names = _fill(raw, "constant", policy)
        statement += "; read(a, 255, n)"  # no byte of the fill: all of it is read
        jobs.append(_job(raw, "stores", f"then read, {way}", statement, names | memory))
    limit = _job(raw, "stores", "memset, 1 thread", "once(a, 3, n)", memory)
    section.add(limit, jobs, context.rounds(9), sample_s=context.sample_s / 4)


def _memory(context: Context, raw: Array) -> dict[str, Any]:
    once, read = context.limit.once, context.limit.read
    return {"once": once, "read": read, "a": raw.ctypes.data, "n": raw.size}


def _job(raw: Array, group: str, series: str, statement: str, names: dict[str, Any]) -> Job:
    what = f"{group}, {shown_bytes(raw.size)}: {series}"
    return Job(what, statement, names, raw.size, series=series, group=group, x=raw.size)


def _fill(raw: Array, way: str, policy: _native.Policy) -> tuple[str, dict[str, Any]]:
    """Return a call of the native code, and the names in it."""
    buffer, data_type = open_output(raw.view(_DTYPE))
    scalars = _SCALARS[way]
    bits = [exact_bits(x, data_type, is_delta=k > 0) for k, x in enumerate(scalars)]
    sequence = native_sequence(data_type, "multiply" if way == "multiply" else "accumulate", *bits)
    return "fill(b, s, 0, p)", {"fill": _native.fill, "b": buffer, "s": sequence, "p": policy}
