"""A device in use: one queue, one lock, its memory, its programs, and steps made ready for it."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from indirectml.core.errors import DeviceLostError, DeviceUnavailableError
from indirectml.opencl import probe, steps
from indirectml.opencl.building import Library
from indirectml.opencl.launches import Launch, Local, Scratch, Table
from indirectml.opencl.memory import DeviceMemory, Heap
from indirectml.opencl.platforms import cl, facts_of, options_of
from indirectml.plans import Step, View


class Context:
    """A device in use.

    Parameters
    ----------
    device : pyopencl.Device
        One of `platforms.devices`.

    Attributes
    ----------
    facts : Facts
        What it says of itself.
    verdict : Verdict
        What the probe found, now or before.
    abilities : Abilities
        What it can.
    heap : Heap
        Its memory.
    counts : Counter
        How many launches there were, and by the NumPy forms of which steps the rest was done.

    Raises
    ------
    DeviceUnavailableError
        Its driver does not open it: others may hold all that it has.
    """

    def __init__(self, device: Any) -> None:
        self.facts = facts_of(device)
        self.counts: Counter[str] = Counter()
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._lost: str | None = None
        try:
            context = cl.Context([device])
            self.queue = cl.CommandQueue(context)
        except cl.Error as error:
            raise DeviceUnavailableError(
                f"{self.facts.name} cannot be opened: {error}",
                hint="others may hold all that it has; try again with fewer processes",
            ) from None
        self.heap = Heap(self, context, self.queue, self.facts)
        options = options_of(self.facts)
        self.verdict = probe.verdict_of(context, self.queue, self.facts, options)
        self.abilities = probe.abilities_of(self.facts, self.verdict)
        defines = (f"-D{define}" for define in self.abilities.defines)
        self.library = Library(context, (*options, *defines))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Have the device to itself, and turn what its driver says into errors of this library.

        Raises
        ------
        DeviceLostError
            The driver gave up, now or before.
        DeviceUnavailableError
            The process was forked since, or the driver's compiler refuses a kernel.
        """
        if os.getpid() != self._process:
            raise DeviceUnavailableError(
                f"{self.facts.name} was opened before this process was forked, which no driver "
                "of OpenCL survives",
                hint="open it in the new process alone, or start that by 'spawn'",
            )
        with self._lock:
            if self._lost is not None:
                raise DeviceLostError(self._lost, hint="make a new device and everything on it")
            try:
                yield
            except cl.Error as error:
                raise self._told(error) from None

    def _told(self, error: Any) -> Exception:
        reason, *others = str(error).splitlines()
        code = getattr(error.args[0], "code", lambda: None)()
        if code == cl.status_code.BUILD_PROGRAM_FAILURE:
            said = next((line for line in others if "error" in line.lower()), reason)
            return DeviceUnavailableError(
                f"the compiler of {self.facts.name} refuses a kernel: {said.strip()}"
            )
        if code == cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE:
            # Drivers that give memory out at its first use notice what is missing there.
            self.heap.forget()
            return DeviceUnavailableError(
                f"needs {self.heap.held_bytes} bytes of memory, which {self.facts.name} does not "
                f"give, though it has {self.facts.memory_bytes}: {reason}"
            )
        self._lost = f"{self.facts.name} is lost: {reason}"
        return DeviceLostError(self._lost, hint="make a new device and everything on it")

    @property
    def is_lost(self) -> bool:
        """Whether its driver gave up."""
        return self._lost is not None

    def examined(self) -> probe.Verdict:
        """Return what it computes, tried at length."""
        with self.used():
            return probe.probed(
                self.library.context, self.queue, self.facts, options_of(self.facts), probe.LONG
            )

    def finish(self) -> None:
        """Wait until all that was queued is done."""
        with self.used():
            self.queue.finish()

    def ready(self, given: Iterable[Step]) -> ReadySteps:
        """Return steps whose kernels are built and have their arguments but memory."""
        with self.used():
            return ReadySteps(self, given)

    def start(
        self,
        kernel: Any,
        sizes: tuple[int, ...],
        group: tuple[int, ...] | None,
        first: tuple[int, ...] | None = None,
    ) -> None:
        """Queue a kernel whose arguments are set, from some work-item on."""
        self.counts["launches"] += 1
        cl.enqueue_nd_range_kernel(self.queue, kernel, sizes, group, first)
        if first is not None:  # of several parts each is carried out by itself
            self.queue.flush()


class ReadySteps:
    """Steps that a device carries out, one behind the other."""

    def __init__(self, context: Context, given: Iterable[Step]) -> None:
        self.context = context
        self._parts: list[ReadyLaunch | Step] = []
        for step in given:
            launches = steps.launches_of(step, context.abilities)
            if launches is None:
                self._parts.append(step)
                continue
            shared: dict[Scratch, DeviceMemory] = {}
            for launch in launches:
                if 0 not in launch.sizes:
                    self._parts.append(ReadyLaunch(context, launch, shared))

    def execute(self, memories: Sequence[DeviceMemory | None]) -> None:
        """Queue them over the buffers of their plan, in a thread that has the device to itself."""
        context = self.context
        for part in self._parts:
            if isinstance(part, ReadyLaunch):
                part.start(context, memories)
            else:
                name = str(getattr(part, "word", type(part).__name__))
                context.counts[f"by NumPy: {name}"] += 1
                steps.carry_out_on_host(part, list(memories), context.heap)


class ReadyLaunch:
    """A launch whose kernel has all of its arguments but memory."""

    def __init__(
        self, context: Context, launch: Launch, shared: dict[Scratch, DeviceMemory]
    ) -> None:
        self._kernel = context.library.kernel(launch.source, launch.kernel)
        self._sizes, self._group, self._parts = launch.sizes, launch.group, launch.parts
        #: Where views go: the number of the parameter, the buffer, and the first byte.
        self._places: list[tuple[int, int, int]] = []
        #: The offsets that its parameters have.
        self._offsets: dict[int, int] = {}
        #: What OpenCL does not keep by itself.
        self._kept: list[DeviceMemory] = []
        number = 0
        for argument in launch.arguments:
            if isinstance(argument, View):
                self._places.append((number, argument.buffer, argument.offset))
                number += 1
            elif argument is None:
                self._kernel.set_arg(number, None)
                number += 1
                self._kernel.set_arg(number, np.uint64(0))
            elif isinstance(argument, Table):
                raw = np.frombuffer(argument.data, np.uint8)
                self._keep(number, context.heap.upload(raw, counted="tables"))
            elif isinstance(argument, Scratch):
                if argument not in shared:
                    shared[argument] = context.heap.new(argument.size_bytes, zeroed=False)
                self._keep(number, shared[argument])
            elif isinstance(argument, Local):
                self._kernel.set_arg(number, cl.LocalMemory(argument.size_bytes))
            else:
                self._kernel.set_arg(number, argument)
            number += 1

    def _keep(self, number: int, memory: DeviceMemory) -> None:
        self._kernel.set_arg(number, memory.buffer)
        self._kept.append(memory)

    def start(self, context: Context, memories: Sequence[DeviceMemory | None]) -> None:
        """Queue it over the buffers of a plan."""
        kernel, known = self._kernel, self._offsets
        for number, buffer, offset in self._places:
            memory = memories[buffer]
            assert memory is not None  # noqa: S101 (what a step reads or writes is bound)
            kernel.set_arg(number, memory.buffer)
            at = memory.offset + offset
            if known.get(number) != at:  # most memory begins where a buffer does
                known[number] = at
                kernel.set_arg(number + 1, np.uint64(at))
        if len(self._parts) == 1:
            context.start(kernel, self._sizes, self._group)
            return
        for first, sizes in self._parts:
            context.start(kernel, sizes, self._group, first)
