"""Interleaved rounds: every sample of a job has a sample of its limit right beside it."""

from __future__ import annotations

import dataclasses
import statistics
import time
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

#: A job that takes longer than this once is measured in fewer rounds, and so are other libraries.
_SLOW_S = 1.0
_SLOW_ROUNDS = 3
_PEER_ROUNDS = 5

#: A limit whose samples differ by a larger factor, the extreme tenths left out, says that the
#: machine was busy with something else.
QUIET_SPREAD = 1.25


@dataclass(frozen=True)
class Job:
    """Something to measure.

    Attributes
    ----------
    what : str
        The row's name.
    statement : str or callable
        What is timed: a statement of Python (for calls that take less than a microsecond) or a
        function.
    names : dict
        The names that the statement uses.
    size_bytes : int
        How much it writes; 0 where that is not the point.
    bar : float, optional
        The least ratio to the limit that is good enough.
    bar_us : float, optional
        The most microseconds that are good enough.
    peer : bool
        True for other libraries: where one cannot do it, the row says so and nothing has failed.
    rounds : int, optional
        In how many rounds it is measured at most; in fewer anyway if it is slow.
    scale : int
        How many times the statement does what is measured.
    less : Job, optional
        Something whose time is part of this one's and is taken off: the cost of an empty call.
    series, group, x
        For pictures: which line or kind of mark it belongs to, in which panel or row, and where.
    pause_s : float
        How long to wait before a sample, until threads of other libraries no longer spin; one
        repetition, not counted, follows.
    clock : callable
        Returns seconds: those that pass, or those that a processor works for this thread.
    """

    what: str
    statement: str | Callable[[], object]
    names: dict[str, Any] = field(default_factory=dict)
    size_bytes: int = 0
    bar: float | None = None
    bar_us: float | None = None
    peer: bool = False
    rounds: int | None = None
    scale: int = 1
    less: Job | None = None
    series: str = ""
    group: str = ""
    x: float | None = None
    pause_s: float = 0.0
    clock: Callable[[], float] = time.perf_counter


@dataclass(frozen=True)
class Row:
    """A measured line of the report.

    Attributes
    ----------
    what : str
        What was measured.
    value : float or None
        Median over the rounds, in `unit`; None where it could not be measured.
    unit : str
        GB/s, us, ms or KiB.
    ratio, lowest, highest : float or None
        How fast, in limits: 1 is as fast as the limit, 2 twice as fast. Median, and the range.
    bar : str
        What is good enough, in words; empty where nothing was asked for.
    met : bool or None
        Whether the median is good enough.
    note : str
        Anything else a reader has to know.
    failed : bool
        True where something of ours could not be measured.
    samples : int
        How many samples the median is of.
    fastest, slowest : float or None
        The ends of their range, in `unit`.
    series, group, x
        See `Job`.
    """

    what: str
    value: float | None
    unit: str
    ratio: float | None = None
    lowest: float | None = None
    highest: float | None = None
    bar: str = ""
    met: bool | None = None
    note: str = ""
    failed: bool = False
    samples: int = 0
    fastest: float | None = None
    slowest: float | None = None
    series: str = ""
    group: str = ""
    x: float | None = None


class _Sampler:
    """Takes times of one job, each over enough repetitions to last a while."""

    def __init__(self, job: Job, sample_s: float) -> None:
        self.job = job
        self._timer = timeit.Timer(job.statement, timer=job.clock, globals=dict(job.names))
        self._less = _Sampler(job.less, sample_s) if job.less else None
        self._timer.timeit(1)  # pages, caches and lazy imports
        once = self._timer.timeit(1)
        most = _PEER_ROUNDS if job.peer else None
        self.rounds = _SLOW_ROUNDS if once > _SLOW_S else job.rounds or most
        self._number = max(1, round(sample_s / max(once, 1e-9)))
        if self._number > 1:  # a second guess, now that everything is warm
            each = self._timer.timeit(self._number) / self._number
            self._number = max(1, round(sample_s / each))

    def time_s(self) -> float:
        """Return the seconds that the job took once."""
        if self.job.pause_s:
            time.sleep(self.job.pause_s)
            self._timer.timeit(1)  # after which everything is awake again
        each = self._timer.timeit(self._number) / self._number
        if self._less:
            each -= self._less.time_s()
        return max(each, 1e-12) / self.job.scale


def measure(
    limit: Job, jobs: Sequence[Job], rounds: int, *, sample_s: float = 0.02
) -> tuple[list[Row], float]:
    """Return a row per job, the limit's own first, and the spread of the limit's samples.

    Parameters
    ----------
    limit : Job
        What the others are compared with, at equal sizes or by bytes per second.
    jobs : sequence of Job
        What is compared.
    rounds : int
        How many samples of each; the order of a job and its limit changes from round to round.
    sample_s : float
        How long one sample lasts at least, in seconds.
    """
    limit_sampler = _Sampler(limit, sample_s)
    samplers: list[_Sampler] = []
    rows: dict[str, Row] = {}
    for job in jobs:
        try:
            samplers.append(_Sampler(job, sample_s))
        except Exception as error:  # noqa: BLE001 (whatever it is becomes a line of the report)
            failed = failure(job.what, error, failed=not job.peer)
            rows[job.what] = dataclasses.replace(failed, **_place(job))
    limits: list[float] = []
    times: dict[str, list[tuple[float, float]]] = {s.job.what: [] for s in samplers}
    for number in range(rounds):
        for sampler in samplers:
            if sampler.rounds is not None and number >= sampler.rounds:
                continue
            if number % 2:
                taken = sampler.time_s()
                limits.append(limit_sampler.time_s())
            else:
                limits.append(limit_sampler.time_s())
                taken = sampler.time_s()
            times[sampler.job.what].append((taken, limits[-1]))
    for sampler in samplers:
        rows[sampler.job.what] = _row(sampler.job, limit, times[sampler.job.what])
    typical = statistics.median(limits)
    varied = sorted(typical / t for t in limits)
    value, unit = _value(limit, typical)
    own = Row(
        limit.what,
        value,
        unit,
        1.0,
        varied[0],
        varied[-1],
        note="the limit",
        **_range(limit, limits),
        **_place(limit),
    )
    return [own, *(rows[job.what] for job in jobs)], spread_of(varied)


def failure(what: str, error: Exception, *, failed: bool) -> Row:
    """Return the row of a measurement that raised."""
    reason = " ".join(str(error).split())
    verb = "could not be measured" if failed else "cannot do it"
    return Row(what, None, "", note=f"{verb}: {type(error).__name__}: {reason}", failed=failed)


def spread_of(ordered: Sequence[float]) -> float:
    """Return the factor between the largest and the smallest sample, extreme tenths left out."""
    tenth = len(ordered) // 10
    return ordered[-1 - tenth] / ordered[tenth]


def _row(job: Job, limit: Job, times: Sequence[tuple[float, float]]) -> Row:
    more = job.size_bytes / limit.size_bytes if job.size_bytes and limit.size_bytes else 1.0
    ratios = sorted(limit_s / taken * more for taken, limit_s in times)
    ratio = statistics.median(ratios)
    typical = statistics.median(taken for taken, _ in times)
    value, unit = _value(job, typical)
    bar, met = "", None
    if job.bar is not None:
        bar, met = f">= {job.bar:g}", ratio >= job.bar
    elif job.bar_us is not None:
        bar, met = f"<= {job.bar_us:g} us", typical * 1e6 <= job.bar_us
    return Row(
        job.what,
        value,
        unit,
        ratio,
        ratios[0],
        ratios[-1],
        bar,
        met,
        **_range(job, [taken for taken, _ in times]),
        **_place(job),
    )


def _range(job: Job, times: Sequence[float]) -> dict[str, Any]:
    fastest, slowest = (_value(job, seconds)[0] for seconds in (min(times), max(times)))
    return {"samples": len(times), "fastest": fastest, "slowest": slowest}


def _place(job: Job) -> dict[str, Any]:
    return {"series": job.series, "group": job.group, "x": job.x}


def _value(job: Job, seconds: float) -> tuple[float, str]:
    if job.size_bytes:
        return job.size_bytes / seconds / 1e9, "GB/s"
    return seconds * 1e6, "us"
