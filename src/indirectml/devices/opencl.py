"""OpenCL: GPUs, and what else has a driver of it. Kernels run over memory that stays there.

What has no kernel runs by its NumPy form, on copies; `has_form` says which steps these are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from indirectml import call_arguments
from indirectml.core.tensor_buffers import elements_of
from indirectml.core.tensors import TensorDesc
from indirectml.numpy_forms import Elements
from indirectml.opencl import platforms, probe, steps
from indirectml.opencl.context import Context, ReadySteps
from indirectml.opencl.memory import DeviceMemory
from indirectml.passes.flow import views_of
from indirectml.passes.fusion import fuse
from indirectml.passes.parts import Former
from indirectml.plans import Plan, Step

if TYPE_CHECKING:
    from indirectml.devices import CallForm, DirectCall


def missing() -> str:
    """Return what this machine lacks for OpenCL, and how to get it; "" if nothing."""
    return platforms.missing()


def found() -> tuple[str, ...]:
    """Return a line about each device; the first ones are GPUs."""
    lines = []
    for device in platforms.devices():
        facts = platforms.facts_of(device)
        verdict = probe.kept_verdict(facts, platforms.options_of(facts))
        lines.append(f"{facts.line}; {verdict.line if verdict else 'not probed yet'}")
    return tuple(lines)


def examined(number: int) -> list[str]:
    """Return how many results of each operation are wrong, of a long probe."""
    return opened(number).context.examined().lines


_opened: dict[int, OpenClDevice] = {}
_opening = threading.Lock()


def opened(number: int) -> OpenClDevice:
    """Return the device of a number; always the same one."""
    with _opening:
        if number not in _opened:
            _opened[number] = OpenClDevice(number)
        return _opened[number]


class OpenClDevice:
    """A device of OpenCL, for plans; see `Implementation`.

    A driver that gives up takes memory and kernels with it: what was made with them is lost, and
    what is made after that has a new context.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._context = Context(platforms.devices()[number])

    @property
    def context(self) -> Context:
        """The device in use; a new one after a loss."""
        if self._context.is_lost:
            self._context = Context(platforms.devices()[self._number])
        return self._context

    def has_form(self, step: Step) -> bool:
        """Return whether a step runs as kernels."""
        return steps.launches_of(step, self._context.abilities) is not None

    def refusal(self, step: Step) -> str | None:  # noqa: ARG002 (it runs every step)
        """Return None: what has no kernel runs by its NumPy form."""
        return None

    def prepared(self, plan: Plan, former: Former) -> Plan:
        """Return a plan with element-wise steps joined."""
        return fuse(plan, former)

    def keeps_integers(self) -> bool:
        """Return False: its products are those of the plan."""
        return False

    def run(self, plan: Plan, outputs: Sequence[Any], inputs: Sequence[Any] = ()) -> None:
        """Carry out the steps of a plan on arrays: they go up, and outputs come down."""
        memories, _ = call_arguments.opened(plan, outputs, inputs)
        if plan.of_packed is None and not plan.is_packed:
            arrays = _as_tensors(plan, memories)
        else:
            arrays = call_arguments.packed(plan, memories)
        own = [None if a is None else _bytes(a) for a in arrays.memories]
        self.execute(self._ready(arrays.plan), [*own, *self._resources(arrays.plan)])
        arrays.give_back()

    def _resources(self, plan: Plan) -> tuple[DeviceMemory | None, None]:
        size = plan.temporary_size
        return (self.new_memory(size, zeroed=False) if size else None), None

    def _ready(self, plan: Plan) -> Sequence[_Joined]:
        """Return the steps of a plan for direct calls; the first one makes them."""
        context, key = self.context, f"_ready_on_opencl:{self._number}"
        found: tuple[Context, Sequence[_Joined]] | None = plan.__dict__.get(key)
        if found is None or found[0] is not context:
            found = plan.__dict__[key] = context, self.joined(plan.steps_in_place)
        return found[1]

    def fill_of(self, plan: Plan) -> Callable[[Any], bool] | None:
        """Return None: there is no shorter way."""

    def new_output(self, tensor: TensorDesc) -> Any:
        """Return a new array of the host for a tensor."""
        return elements_of(tensor, np.zeros(tensor.total_tensor_size_in_bytes, np.uint8))

    def new_memory(self, size_bytes: int, *, zeroed: bool) -> DeviceMemory:
        """Return memory of the device; refused if it has not so much."""
        context = self.context
        with context.used():
            return context.heap.new(size_bytes, zeroed=zeroed)

    def upload(self, raw: Any) -> DeviceMemory:
        """Return memory with bytes of the host."""
        context = self.context
        with context.used():
            return context.heap.upload(np.ascontiguousarray(raw))

    def readback(self, memory: DeviceMemory) -> Any:
        """Return the bytes of memory, when all that was to be written there is."""
        with memory.heap.owner.used():
            return memory.heap.read(memory)

    def call_of(self, steps: Sequence[Any], call: CallForm) -> DirectCall | None:  # noqa: ARG002
        """Return None: arrays of the host are no memory of the device."""
        return None

    def finish(self) -> None:
        """Wait until what was executed is done."""
        self._context.finish()

    def transferred_bytes(self) -> tuple[int, int]:
        """Return how many bytes went up and down since the device was opened."""
        counts = self._context.heap.counts
        return counts["up"], counts["down"]

    def joined(self, given: Iterable[Step], kept: Sequence[Any] = ()) -> tuple[_Joined, ...]:  # noqa: ARG002 (memory is found by its place)
        """Return steps whose kernels are built."""
        those = tuple(given)
        return (_Joined(self.context.ready(those), those),)

    def execute(self, given: Sequence[_Joined | Step], memories: Sequence[Any]) -> None:
        """Carry out steps over the buffers of their plan: memory of the device, or of the host."""
        whole = [s for s in given if isinstance(s, _Joined)]
        if len(whole) != len(given):
            whole = list(self.joined([s for s in given if not isinstance(s, _Joined)]))
        _carry_out([(part, memories) for part in whole])

    def bind(self, parts: Iterable[tuple[Iterable[Step], Sequence[Any]]]) -> BoundSteps:
        """Return steps bound to their memory: the host's goes up once and comes down once."""
        return BoundSteps(self, [(tuple(own), memories) for own, memories in parts])


def _as_tensors(plan: Plan, memories: Sequence[Any]) -> call_arguments.PackedArrays:
    """Return inputs and outputs as their tensors lie, copies where they are arrays.

    Of elements that a tensor repeats, an array has each.
    """
    found = call_arguments.PackedArrays(plan, [], [])
    for number, (tensor, memory) in enumerate(
        zip((*plan.inputs, *plan.outputs), memories, strict=True)
    ):
        own = memory
        if isinstance(memory, Elements) and tensor is not None:
            own = np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)
            elements = elements_of(tensor, own)
            if number < len(plan.inputs):
                elements[...] = memory.array
            else:
                found.back.append((memory.array, elements))
        found.memories.append(own)
    return found


class _Joined:
    """Steps that are ready, and the buffers that they write."""

    def __init__(self, ready: ReadySteps, given: Sequence[Step]) -> None:
        self.ready = ready
        self.written = {
            view.buffer for step in given for view in views_of(step)[1] if view is not None
        }


def _carry_out(parts: Sequence[tuple[_Joined, Sequence[Any]]]) -> None:
    """Carry steps out over the buffers of their plans; what the host has goes up and down once."""
    if not parts:
        return
    context = parts[0][0].ready.context
    arrays = [m for _, memories in parts for m in memories if isinstance(m, np.ndarray)]
    with context.used():
        mirror = Mirror(context, arrays)
        for part, memories in parts:
            part.ready.execute([mirror.of(m) for m in memories])
            mirror.written += [memories[k] for k in part.written]
        mirror.give_back()


class BoundSteps:
    """Steps bound to memory of the host, and of the device.

    What is in a temporary resource counts within its dispatch alone: for those of the host there is
    one on the device, as large as the largest, and nothing of them goes up or down.
    """

    native_call_count = 0

    def __init__(
        self, device: OpenClDevice, parts: list[tuple[tuple[Step, ...], Sequence[Any]]]
    ) -> None:
        sizes = [m[-2].size for _, m in parts if isinstance(m[-2], np.ndarray)]
        shared = device.new_memory(max(sizes), zeroed=False) if sizes else None
        self._parts = [
            (part, [*m[:-2], shared if isinstance(m[-2], np.ndarray) else m[-2], m[-1]])
            for own, m in parts
            for part in device.joined(own)
        ]

    def execute(self) -> None:
        """Carry everything out, in order."""
        _carry_out(self._parts)


class Mirror:
    """Memory of the device for arrays of the host: where these overlap, it does so too."""

    def __init__(self, context: Context, arrays: Sequence[Any]) -> None:
        self._heap = context.heap
        self.written: list[Any] = []
        self._found: dict[tuple[int, int], DeviceMemory] = {}
        ranges = sorted({_range(a): a for a in arrays if a.size}.items(), key=lambda item: item[0])
        group: list[tuple[tuple[int, int], Any]] = []
        for (begin, end), array in ranges:
            if group and begin >= max(last for (_, last), _ in group):
                self._add(group)
                group = []
            group.append(((begin, end), array))
        if group:
            self._add(group)

    def _add(self, group: list[tuple[tuple[int, int], Any]]) -> None:
        """Bring arrays up that overlap."""
        first = group[0][0][0]
        size = max(end for (_, end), _ in group) - first
        memory = self._heap.new(size, zeroed=False)
        for (begin, end), array in group:
            self._heap.write(memory, array, begin - first)
            self._found[begin, end] = memory.part(begin - first, end - begin)

    def of(self, memory: Any) -> DeviceMemory | None:
        """Return memory of the device for what stands for a buffer of a plan."""
        if isinstance(memory, np.ndarray):
            return self._found[_range(memory)] if memory.size else self._heap.new(0, zeroed=False)
        found: DeviceMemory | None = memory
        if found is not None and found.heap is not self._heap:
            with found.heap.owner.used():  # which says that it is lost
                pass
        return found

    def give_back(self) -> None:
        """Bring what was written down to the host."""
        done = set()
        for array in self.written:
            if isinstance(array, np.ndarray) and array.size and _range(array) not in done:
                done.add(_range(array))
                self._heap.read_into(array, self._found[_range(array)])


def _range(array: Any) -> tuple[int, int]:
    begin = array.__array_interface__["data"][0]
    return begin, begin + array.size


def _bytes(array: Any) -> Any:
    return array.reshape(-1).view(np.uint8)
