"""How long each step of a compiled graph takes: by step, by operator, and by node of the source."""

from __future__ import annotations

import html
import itertools
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.core.errors import SettingError, label, shown
from indirectml.core.settings import Settings, available_targets
from indirectml.graphs.compiled_graphs import Bindings, CompiledGraph
from indirectml.passes.flow import views_of
from indirectml.plans import NodeOperator, ProgramStep, Step, View, WordStep

#: How many names of operators or nodes a line has.
_SHOWN_NAMES = 3

#: How many characters of a name.
_LONGEST = 32

#: How many lines a table has.
_SHOWN_ROWS = 20


@dataclass(frozen=True)
class StepTime:
    """One step of a plan.

    Attributes
    ----------
    name : str
        Of its word, or "program", "fill", "copy" or "definition".
    operators : tuple of str
        What it does, or what it is a part of.
    nodes : tuple of str
        The nodes of the source that these are.
    seconds : float
        How long it took, the least of all runs.
    began : float
        When, in seconds, if all had taken as long.
    byte_count : int
        What it reads and writes.
    operation_count : int
        Multiplications and additions of a product or convolution, or operations on elements.
    transferred_bytes : int
        What went between the host and the device's memory for it: 0 where the device has a form of
        its own for the step.
    """

    name: str
    operators: tuple[str, ...]
    nodes: tuple[str, ...]
    seconds: float
    began: float
    byte_count: int
    operation_count: int
    transferred_bytes: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "step": self.name,
            "operators": list(self.operators),
            "nodes": list(self.nodes),
            "ms": self.seconds * 1e3,
            "began_ms": self.began * 1e3,
            "bytes": self.byte_count,
            "operations": self.operation_count,
            "transferred_bytes": self.transferred_bytes,
        }


@dataclass(frozen=True)
class Share:
    """What several steps take together.

    Attributes
    ----------
    name : str
        Of an operator, or of a node.
    count : int
        How many steps.
    seconds : float
        How long they took; a step of several counts in equal parts.
    """

    name: str
    count: int
    seconds: float


@dataclass(frozen=True)
class Profile:
    """How long each step of a graph takes. Made by `CompiledGraph.profile` and `OnnxModel.profile`.

    Attributes
    ----------
    steps : tuple of StepTime
        In the order in which they run.
    seconds : float
        How long a call takes that is not measured step by step: the fastest.
    runs : int
        How many there were of both.
    target : str
        The instruction set, or the name of another device than the CPU; `threads` is how many
        threads there were at most.
    transferred_bytes : tuple of int
        What one call brings up to the device and down from it, outputs left there; of the CPU, 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.input([64, 64], name="x")
    >>> profile = graph.compile([exp(gemm(x, x))]).profile({"x": np.ones((64, 64))})
    >>> [step.name for step in profile.steps], profile.steps[0].operation_count
    (['contract', 'program'], 524288)
    >>> profile.by_operator()[0].name in ("GEMM", "ELEMENT_WISE_EXP")
    True
    """

    steps: tuple[StepTime, ...]
    seconds: float
    runs: int
    target: str
    threads: int
    transferred_bytes: tuple[int, int] = (0, 0)

    @property
    def steps_seconds(self) -> float:
        """How long all steps take, one by one."""
        return sum(step.seconds for step in self.steps)

    def by_operator(self) -> list[Share]:
        """Return what each operator takes, the one that takes longest first."""
        return _shares((step, step.operators or (step.name,)) for step in self.steps)

    def by_node(self) -> list[Share]:
        """Return what each node of the source takes, the one that takes longest first."""
        return _shares((step, step.nodes) for step in self.steps if step.nodes)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield tables of steps and of operators, line by line."""
        total = self.steps_seconds or 1.0
        threads = f", {self.threads} threads" if self.target in available_targets() else ""
        count = f"{len(self.steps)} step{'' if len(self.steps) == 1 else 's'}"
        yield (
            f"{count}, {self.seconds * 1e3:.3f} ms in one call, {total * 1e3:.3f} ms step by step "
            f"(least of {self.runs} runs; {self.target}{threads})"
        )
        if any(self.transferred_bytes):
            up, down = self.transferred_bytes
            yield f"{up} bytes up to the device and {down} down in one call, outputs left there"
        yield ""
        yield f"{'ms':>10} {'share':>6} {'GFLOP/s':>8} {'GB/s':>6}  {'step':<12} nodes (operators)"
        longest = sorted(self.steps, key=lambda step: -step.seconds)
        for step in longest[:_SHOWN_ROWS]:
            rate = step.operation_count / step.seconds / 1e9 if step.seconds else 0.0
            speed = step.byte_count / step.seconds / 1e9 if step.seconds else 0.0
            yield (
                f"{step.seconds * 1e3:10.3f} {step.seconds / total:6.1%} {rate:8.1f} {speed:6.1f}  "
                f"{step.name:<12} {_named(step)}"
            )
        if len(longest) > _SHOWN_ROWS:
            rest = longest[_SHOWN_ROWS:]
            seconds = sum(step.seconds for step in rest)
            yield f"{seconds * 1e3:10.3f} {seconds / total:6.1%} {'':15}  and {len(rest)} more"
        yield ""
        yield f"{'ms':>10} {'share':>6} {'steps':>6}  operator"
        for share in self.by_operator()[:_SHOWN_ROWS]:
            yield (
                f"{share.seconds * 1e3:10.3f} {share.seconds / total:6.1%} {share.count:6}  "
                f"{share.name}"
            )

    def _repr_html_(self) -> str:
        """Return the tables for notebooks."""
        return f"<pre>{html.escape(str(self))}</pre>"

    def as_json(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "ms": self.seconds * 1e3,
            "steps_ms": self.steps_seconds * 1e3,
            "runs": self.runs,
            "target": self.target,
            "threads": self.threads,
            "transferred_bytes": list(self.transferred_bytes),
            "steps": [step.as_json() for step in self.steps],
            "operators": [vars(share) for share in self.by_operator()],
            "nodes": [vars(share) for share in self.by_node()],
        }

    def as_trace(self) -> dict[str, Any]:
        """Return a trace that browsers and Perfetto open, as plain data."""
        process, thread = os.getpid(), 1
        place = {"pid": process, "tid": thread}
        names = [("process_name", "IndirectML"), ("thread_name", f"steps ({self.target})")]
        return {
            "displayTimeUnit": "ms",
            "traceEvents": [
                *({"name": n, "ph": "M", **place, "args": {"name": v}} for n, v in names),
                *(
                    {
                        "name": step.nodes[0] if step.nodes else step.name,
                        "cat": step.name,
                        "ph": "X",
                        **place,
                        "ts": step.began * 1e6,
                        "dur": step.seconds * 1e6,
                        "args": step.as_json(),
                    }
                    for step in self.steps
                ),
            ],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace to a file, which chrome://tracing and ui.perfetto.dev open.

        Parameters
        ----------
        path : path
            Such as "trace.json".
        """
        Path(path).write_text(json.dumps(self.as_trace()), encoding="utf-8")


def profile(
    compiled: CompiledGraph,
    inputs: Bindings | None = None,
    *,
    runs: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> Profile:
    """Return how long each step of a compiled graph takes.

    Parameters
    ----------
    compiled : CompiledGraph
        Initialized.
    inputs : dict, optional
        As it takes them.
    runs : int
        How often; of each step the least time counts.
    clock : callable
        From nothing to seconds.

    Raises
    ------
    SettingError
        There is to be no run.
    """
    if not isinstance(runs, int) or runs < 1:
        raise SettingError("needs a number from 1 up", given=shown(runs), field="profile.runs")
    steps, memories = compiled.steps_for(inputs)
    device = compiled.device.implementation
    execute, finish = device.execute, device.finish
    # What a step takes is not the way of its inputs to the device.
    memories = [device.upload(m) if isinstance(m, np.ndarray) else m for m in memories]
    calls: list[float] = []
    found: list[list[float]] = []
    moved: list[int] = []
    transferred = device.transferred_bytes()
    for _ in range(runs):
        began = clock()
        compiled.dispatch(inputs, readback=False)
        finish()
        calls.append(clock() - began)
        before, transferred = transferred, device.transferred_bytes()
        of_call = transferred[0] - before[0], transferred[1] - before[1]
        moved = [sum(transferred)]
        ends = [clock()]
        # Threads wait for the next step, as in a call.
        with _native.Crew():
            for step in steps:
                execute(step, memories)
                finish()
                ends.append(clock())
                moved.append(sum(device.transferred_bytes()))
        transferred = device.transferred_bytes()
        found.append(ends)
    each_run = ([end - begin for begin, end in itertools.pairwise(ends)] for ends in found)
    least = [min(of_step) for of_step in zip(*each_run, strict=True)]
    begins = itertools.accumulate(least, initial=0.0)
    names = tuple(getattr(compiled.desc, "node_names", ()))
    times = tuple(
        _timed(step, names, begin, seconds, after - before)
        for step, begin, seconds, (before, after) in zip(
            compiled.plan.steps_in_place, begins, least, itertools.pairwise(moved), strict=False
        )
    )
    policy, name = Settings.policy, compiled.device.name
    target = policy.target if name == "cpu" else name
    return Profile(times, min(calls), runs, target, policy.max_threads, of_call)


def _timed(
    step: Step, names: tuple[str, ...], began: float, seconds: float, transferred: int
) -> StepTime:
    own: tuple[str, ...] = getattr(step, "operator_names", ())
    numbers = dict.fromkeys(each.node for each in own if isinstance(each, NodeOperator))
    nodes = tuple(_node_name(number, names) for number in numbers)
    views = [view for views in views_of(step) for view in views if view is not None]
    return StepTime(
        _name_of(step),
        tuple(dict.fromkeys(map(str, own))),
        nodes,
        seconds,
        began,
        sum(view.element_count * view.data_type.bits // 8 for view in views),
        _operation_count(step),
        transferred,
    )


def _node_name(number: int, names: tuple[str, ...]) -> str:
    name = names[number] if number < len(names) else ""
    return label(name) or f"nodes[{number}]"


def _name_of(step: Step) -> str:
    """Return the word of a step, or what kind it is."""
    if isinstance(step, WordStep):
        return step.word.name
    kind = type(step).__name__.removesuffix("Step").lower()
    return "definition" if kind == "compute" else kind


def _operation_count(step: Step) -> int:
    """Return how many operations on numbers a step has."""
    if isinstance(step, ProgramStep):
        return len(step.program.instructions) * math.prod(step.sizes)
    _, written = views_of(step)
    elements = max((view.element_count for view in written if view is not None), default=0)
    if not isinstance(step, WordStep):
        return elements
    read = [view for view in step.inputs if view is not None]
    if step.word.name == "contract":
        return 2 * elements * read[0].sizes[-1]
    if step.word.name == "convolve":
        _, *per_element = _filter_sizes(read[1])
        return 2 * elements * math.prod(per_element)
    return max(elements, *(view.element_count for view in read)) if read else elements


def _filter_sizes(view: View) -> tuple[int, ...]:
    return view.sizes if view.panels is None else view.panels.filter_sizes


def _named(step: StepTime) -> str:
    """Return the nodes and operators of a step, as many as a line takes; and what it moved."""
    moved = f"; {step.transferred_bytes} bytes transferred" if step.transferred_bytes else ""
    return f"{_listed(step.nodes) or '-'} ({_listed(step.operators) or '-'}){moved}"


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN_NAMES
    # Of a path of names the end says most.
    short = [n if len(n) <= _LONGEST else f"...{n[-_LONGEST:]}" for n in names[:_SHOWN_NAMES]]
    return ", ".join(short) + (f" and {more} more" if more > 0 else "")


def _shares(steps: Iterable[tuple[StepTime, tuple[str, ...]]]) -> list[Share]:
    seconds: dict[str, float] = {}
    counts: dict[str, int] = {}
    for step, all_names in steps:
        # A limit of a convolution's results takes nothing beside it.
        names = all_names[:1] if step.name == "convolve" else all_names
        for name in names:
            seconds[name] = seconds.get(name, 0.0) + step.seconds / len(names)
            counts[name] = counts.get(name, 0) + 1
    shares = [Share(name, counts[name], seconds[name]) for name in seconds]
    return sorted(shares, key=lambda share: -share.seconds)
