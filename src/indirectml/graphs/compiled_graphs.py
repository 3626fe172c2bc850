"""Compiled graphs of the `directml` package's API: data in, dispatch, data out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml.core.doors import door
from indirectml.core.errors import BindingError, DataTypeError, DirectMLError, shown
from indirectml.core.nearest_names import suggestion
from indirectml.core.tensor_buffers import Buffer, bytes_of, elements_of, is_halves_dtype
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.direct_calls import (
    ArrayKind,
    ArraysToArrays,
    call_form,
    direct_call,
    is_packed,
    kind_of,
    no_direct_call,
)
from indirectml.graphs.expressions import Expression
from indirectml.graphs.inputs import Input, bytes_from_panels, bytes_in_panels
from indirectml.graphs.memory import TemporaryMemory, memory_of_output
from indirectml.runtime.dispatchables import CompiledOperator, Dispatchable

#: How many inputs a message names.
_NAMES = 20

#: What a binding is given for: the expression of an input, or its name.
Bindings = Mapping[Expression | str, Any]


class Ready(NamedTuple):
    """What initialization makes of owned inputs: what is computed of them, and a call's steps."""

    owned: list[Any]
    computed: Any
    #: As the device takes them with both.
    steps: Sequence[Any]


class CompiledGraph(CompiledOperator):
    """A compiled graph: initialized once if it has owned inputs, then called from any thread.

    Made by `Graph.compile`, which also initializes it unless owned inputs need data first. What
    the `directml` package calls CompiledOperator.

    Attributes
    ----------
    initialized : bool
        Whether it can be called.
    """

    def __init__(
        self,
        graph: Dispatchable,
        inputs: list[Input],
        outputs: list[TensorDesc],
        known: Mapping[Expression | str, Input | None],
        unread: int = 0,
    ) -> None:
        super().__init__(graph.device, graph.name, graph.plan, graph.flags, desc=graph.desc)
        self._inputs = inputs
        self._outputs = outputs
        #: What data may be given for; None is an input of a file that nothing reads.
        self._known = known
        #: What initialization needs, and what a call does.
        asked = [i for i in inputs if not i.is_constant]
        self._asked = {kind: [i for i in asked if i.is_owned == kind] for kind in (True, False)}
        #: How many bytes each output has, and whether they are 0 where nothing is written.
        self._output_sizes = [
            (t.total_tensor_size_in_bytes, _has_gaps(t) or number in graph.plan.kept)
            for number, t in enumerate(outputs)
        ]
        self._gives_halves = any(t.is_in_halves for t in outputs)
        #: How many of the last outputs nobody asked for: they are computed, and not returned.
        self._unread = unread
        #: The bytes of the owned inputs that are known, in the places of the inputs.
        self._owned: list[Any] | None = None
        #: What initialization made of these.
        self._ready: Ready | None = None
        #: What calls of this graph take and give back.
        self.temporary_memory = TemporaryMemory(graph.plan.temporary_size)
        self._places = {one: place for place, one in enumerate(inputs)}
        #: A call with arrays that lie as the tensors say, and the owned inputs that it is with.
        self._direct: tuple[Any, ArraysToArrays] = None, no_direct_call
        #: The same graph with outputs on inputs, by their numbers.
        self._sharing: dict[tuple[tuple[int, int], ...], CompiledGraph] = {}
        if not self._asked[True]:
            self.initialize()

    def ready_with(self, owned: list[Any]) -> Ready:
        """Return what initialization makes of the owned inputs."""
        # It may be initialized again meanwhile.
        ready = self._ready
        if ready is None or ready.owned is not owned:
            plan, run = self.plan, self.device.implementation
            size = plan.persistent_size - plan.computed_begin
            computed = run.new_memory(size, zeroed=False) if plan.computed_steps else None
            memories = [*owned, *[None] * len(plan.outputs), None, computed]
            if plan.computed_steps:
                run.execute(run.joined(plan.computed_steps_in_place, memories), memories)
            ready = self._ready = Ready(owned, computed, run.joined(plan.steps_in_place, memories))
        return ready

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {
            "_ready": None,
            "_sharing": {},
            "_direct": (None, no_direct_call),
        }

    @property
    def initialized(self) -> bool:
        """Whether it can be called."""
        return self._owned is not None

    @property
    def inputs(self) -> dict[str, TensorDesc]:
        """The tensors that a call takes, by name."""
        return {i.name: i.desc for i in self._inputs if not i.is_owned}

    @property
    def temporary_size(self) -> int:
        """How many bytes a call needs besides inputs and outputs."""
        return self.binding_properties.temporary_resource_size

    @property
    def persistent_size(self) -> int:
        """How many bytes a persistent resource for the owned inputs has.

        One is needed where the graph is recorded; a call needs none.
        """
        return self.binding_properties.persistent_resource_size

    @property
    def descriptor_count(self) -> int:
        """How many descriptors a binding table for it has."""
        return self.binding_properties.required_descriptor_count

    def initialize(self, weights: Bindings | None = None) -> None:
        """Take the data of the owned inputs in.

        Parameters
        ----------
        weights : dict
            From owned inputs, or their names, to arrays or Buffers. A constant that is left out
            has the data that it was made of.

        Raises
        ------
        BindingError
            An input is missing, unknown, bound twice or not owned, or the data does not fit.
        DeviceLostError
            The device was removed.
        """
        self.device.require()
        data = self._bound({} if weights is None else weights, owned=True)
        in_panels = self.plan.inputs_in_panels
        run = self.device.implementation

        def kept(number: int, one: Input) -> Any:
            # What is given may change later. What a constant was made of cannot, and is kept once.
            step = in_panels.get(number)
            if step is None:
                raw = data[one].copy() if one in data else one.data
                return raw if raw is None else run.upload(raw)
            return (
                bytes_in_panels(data[one], step, run) if one in data else one.in_panels(step, run)
            )

        self._owned = [kept(number, one) for number, one in enumerate(self._inputs)]
        self.is_initialized = True
        # Here, and not in the first call, which would take half as long again as later ones.
        self.ready_with(self._owned)
        self.temporary_memory.prepare(run.new_memory)

    def dispatch(
        self,
        inputs: Bindings | None = None,
        *,
        readback: bool = True,
        out: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Execute the graph.

        Parameters
        ----------
        inputs : dict
            From inputs that are not owned, or their names, to arrays or Buffers.
        readback : bool
            Whether to return arrays instead of Buffers.
        out : sequence of array or None, optional
            For each output an array of its data type and sizes that is written, or None. One that
            is packed, or has the strides of its tensor, is written in place; it may begin where
            an array of `inputs` does that lies as its tensor: then what is copied from there to
            there is not copied, and what reads the input comes before what is written. One with
            other strides gets a copy at the end, and may lie on any input.

        Returns
        -------
        list
            One array or Buffer per output of `compile`, in order: new ones, and those of `out`.

        Raises
        ------
        BindingError
            An input is missing, unknown, bound twice or owned, the data does not fit, or the
            graph has owned inputs and is not initialized; an array of `out` does not fit, lies on
            another one, or on an input that would be read after it is written.
        DeviceLostError
            The device was removed.
        """
        return self._dispatched({} if inputs is None else inputs, None, readback, out)

    def _dispatched(
        self,
        given: Mapping[Any, Any],
        in_order: tuple[Any, ...] | None,
        readback: bool,  # noqa: FBT001 (names take time)
        out: Sequence[Any] | None,
    ) -> list[Any]:
        """Execute the graph with inputs by name, or with all of them in order."""
        bound = {} if out is None else self._bound_outputs(out)
        target, ready, memories = self._memories(given, bound, in_order)
        run = self.device.implementation
        run.execute(ready.steps, memories)
        target.temporary_memory.give_back(memories[-2])
        first = len(self._inputs)
        asked = len(self._outputs) - self._unread
        results = zip(self._outputs[:asked], memories[first : first + asked], strict=True)
        dtype = self._halves_dtype(in_order or given.values()) if self._gives_halves else None
        if not readback:
            device: Any = self.device
            made: list[Any] = [Buffer.of(device, desc, raw, dtype) for desc, raw in results]
        elif out is None:
            made = [elements_of(desc, run.readback(raw), dtype=dtype) for desc, raw in results]
        else:
            made = [
                elements_of(desc, run.readback(raw), dtype=dtype) if array is None else array
                for array, (desc, raw) in zip(out, results, strict=True)
            ]
        if out is not None and len(bound) < asked:
            for k, array in enumerate(out):
                if array is not None and k not in bound:  # its strides are others
                    elements = elements_of(self._outputs[k], run.readback(memories[first + k]))
                    np.copyto(array, elements.reshape(array.shape))
        return made

    def _memories(
        self, given: Mapping[Any, Any], bound: Mapping[int, Any], in_order: Any = None
    ) -> tuple[CompiledGraph, Ready, list[Any]]:
        """Return the graph for a call, what was made of owned inputs, and its plan's buffers.

        `bound` has the bytes of arrays that outputs are written to, by their numbers.
        """
        self.device.require()
        owned = self._owned
        if owned is None:
            raise BindingError(
                f"needs initialize() first, for {_names(self._asked[True])}",
                hint="call initialize({input: array})",
                field="GRAPH.dispatch",
            )
        if in_order is None:
            data = self._bound(given, owned=False)
        else:
            data = {
                one: self._bytes(one, value, "GRAPH.dispatch")
                for one, value in zip(self._asked[False], in_order, strict=True)
            }
        shares = self._shares(data, bound) if bound else ()
        target = self._with(shares) if shares else self
        run = self.device.implementation
        outputs = [
            bound[number] if number in bound else run.new_memory(size, zeroed=is_zeroed)
            for number, (size, is_zeroed) in enumerate(self._output_sizes)
        ]
        ready = target.ready_with(owned)
        temporary = target.temporary_memory.take(run.new_memory)
        memories = [*owned, *outputs, temporary, ready.computed]
        for one, raw in data.items():
            if one in self._places:  # else nothing uses it
                memories[self._places[one]] = raw
        return target, ready, memories

    def steps_for(self, inputs: Bindings | None = None) -> tuple[list[Sequence[Any]], list[Any]]:
        """Return what executes each step of the plan by itself, and the buffers of a call."""
        _, ready, memories = self._memories({} if inputs is None else inputs, {})
        joined = self.device.implementation.joined
        return [joined((step,), ready.owned) for step in self.plan.steps_in_place], memories

    def profile(self, inputs: Bindings | None = None, *, runs: int = 5) -> Any:
        """Run the graph step by step, and return how long each step takes.

        Parameters
        ----------
        inputs : dict
            As for `dispatch`, whose errors this raises.
        runs : int
            How often; of each step the least time counts.

        Returns
        -------
        Profile
            `print` shows it as tables; `save` writes a trace that browsers and Perfetto open.
        """
        profiling = door("profiles")
        return profiling.profile(self, inputs, runs=runs)

    def _bound_outputs(self, out: Sequence[Any]) -> dict[int, Any]:
        """Return the bytes of arrays that outputs are written to; the others get copies."""
        asked = len(self._outputs) - self._unread
        if not isinstance(out, (list, tuple)) or len(out) != asked:
            raise BindingError(
                f"needs a list of {asked} arrays or None",
                given=f"{len(out)}" if isinstance(out, (list, tuple)) else shown(out),
                field="GRAPH.dispatch.out",
            )
        found, copied = dict[int, Any](), dict[int, Any]()
        for number, array in enumerate(out):
            if array is None:
                continue
            try:
                raw = memory_of_output(self._outputs[number], array)
                if raw is None and number in self.plan.kept:
                    raise BindingError(
                        "needs a packed array, since the operator keeps what lies there",
                        given=f"strides of {array.strides} bytes",
                        hint="np.ascontiguousarray(array) makes one",
                    )
            except DirectMLError as error:
                raise error.within(f"GRAPH.dispatch.out[{number}]") from None
            if raw is None:
                copied[number] = array
            else:
                found[number] = raw
        for number, array in copied.items():
            if any(k != number and x is not None and np.may_share_memory(array, x)
                   for k, x in enumerate(out)):  # fmt: skip
                raise BindingError(
                    "needs memory apart from that of another output",
                    field=f"GRAPH.dispatch.out[{number}]",
                )
        return found

    def _shares(
        self, data: Mapping[Input, Any], bound: Mapping[int, Any]
    ) -> tuple[tuple[int, int], ...]:
        """Return which outputs begin where an input does; refuse other meetings."""
        found: list[tuple[int, int]] = []
        rows: list[tuple[int | None, Any]] = [
            (place, raw)
            for one, place in self._places.items()
            if isinstance(raw := data.get(one), np.ndarray)  # others lie in a device's own memory
        ]
        for number, raw in bound.items():
            for place, other in rows:
                if not np.may_share_memory(raw, other):  # exact for rows of bytes
                    continue
                if place is None or raw.ctypes.data != other.ctypes.data:
                    what = "another output" if place is None else f"input {place}, or its beginning"
                    raise BindingError(
                        f"needs memory apart from that of {what}",
                        field=f"GRAPH.dispatch.out[{number}]",
                    )
                found.append((number, place))
            rows.append((None, raw))
        if not found:
            return ()
        if len({number for number, _ in found}) < len(found):
            raise BindingError("needs an output on one input at most", field="GRAPH.dispatch.out")
        return tuple(found)

    def _with(self, shares: tuple[tuple[int, int], ...]) -> CompiledGraph:
        """Return the same graph with outputs on inputs; the first call compiles it."""
        found = self._sharing.get(shares)
        if found is None:
            device: Any = self.device
            try:
                made = device.compile_graph(self.desc, self.flags, shares=dict(shares))
            except DirectMLError as error:
                raise error.within("GRAPH.dispatch") from None
            found = CompiledGraph(made, self._inputs, self._outputs, self._known, self._unread)
            # What is in panels once is so here: the readers of constants are the same.
            assert found.plan.inputs_in_panels.keys() == self.plan.inputs_in_panels.keys()  # noqa: S101
            self._sharing[shares] = found
        return found

    def _halves_dtype(self, given: Iterable[Any]) -> np.dtype[Any] | None:
        """Return the dtype of an input, or constant, whose elements are four bits each, if any."""
        dtypes = [one.dtype for one in self._inputs]
        dtypes += [v.kind if isinstance(v, Buffer) else getattr(v, "dtype", None) for v in given]
        return next((d for d in dtypes if is_halves_dtype(d)), None)

    def __call__(
        self,
        inputs: Any = None,
        *more: Any,
        readback: bool = True,
        out: Sequence[Any] | None = None,
        **named: Any,
    ) -> list[Any]:
        """Execute the graph, as `dispatch` does.

        Parameters
        ----------
        inputs, *more : dict, or arrays
            A dict as for `dispatch`; or an array or Buffer for each input that is not owned, in the
            order of the inputs.
        readback : bool
            Whether to return arrays instead of Buffers.
        out : sequence of array or None, optional
            As for `dispatch`.
        **named : array or Buffer
            Likewise by name.

        Notes
        -----
        Ctrl-C ends it on the main thread, however long it is.
        """
        is_dict = inputs.__class__ is dict
        if readback and out is None and not named:
            owned, direct = self._direct
            if owned is not self._owned:
                direct = self._found_direct()
            made = direct(inputs if is_dict and not more else (inputs, *more))
            if made is not None:
                return made
        if more or named or (not is_dict and _is_array(inputs)):
            given = () if inputs is None and not more else (inputs, *more)
            self._check_given(given, named)
            return self._dispatched(named, given or None, readback, out)
        return self._dispatched({} if inputs is None else inputs, None, readback, out)

    def _found_direct(self) -> ArraysToArrays:
        """Return the call with arrays as the tensors have them, found now."""
        inputs = {one.name: kind_of(one.desc) for one in self._asked[False]}
        asked = self._outputs[: len(self._outputs) - self._unread]
        self._direct = self.direct_call(inputs, [kind_of(tensor) for tensor in asked])
        return self._direct[1]

    def direct_call(
        self, inputs: Mapping[str, ArrayKind], outputs: Sequence[ArrayKind]
    ) -> tuple[Any, ArraysToArrays]:
        """Return a call whose arrays are packed, of these dtypes and sizes.

        And the owned inputs that it is with: it is right as long as these are `self.owned`.

        Parameters
        ----------
        inputs : dict of str to pair
            In order, of the bytes that their tensors have; others are looked at, and no more.
        outputs : list of pair
            One for each that is returned.
        """
        owned = self._owned
        tensors = [*(one.desc for one in self._asked[False]), *self._outputs]
        if owned is None or self.plan.kept or not all(map(is_packed, tensors)):
            return owned, no_direct_call
        form = call_form(self._inputs, self._outputs, inputs, outputs)
        steps = self.ready_with(owned).steps
        return owned, direct_call(self.device, steps, form, self.temporary_memory)

    @property
    def owned(self) -> Any:
        """What was made of the owned inputs, another object after each initialization."""
        return self._owned

    def _check_given(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Refuse inputs that are not all given by position, or else by name."""
        if inputs and named:
            needs = "needs inputs either by position or by name"
            raise BindingError(needs, field="GRAPH.dispatch")
        asked = self._asked[False]
        if inputs and len(inputs) != len(asked):
            needs = f"needs {len(asked)} inputs: {_names(asked)}"
            raise BindingError(needs, given=f"{len(inputs)}", field="GRAPH.dispatch")

    @property
    def graph_inputs(self) -> list[Input]:
        """The inputs of the graph in order, constants among them."""
        return self._inputs

    @property
    def known_inputs(self) -> Mapping[Expression | str, Input | None]:
        """What data may be given for; None is an input of a file that nothing reads."""
        return self._known

    @property
    def output_tensors(self) -> tuple[TensorDesc, ...]:
        """The tensors that a call returns, in order."""
        return tuple(self._outputs)

    def described_inputs(self) -> list[tuple[str, TensorDesc, Any]]:
        """Return name, tensor and data of the inputs in order; None for data that calls give."""
        in_panels = self.plan.inputs_in_panels

        def plain(number: int, one: Input) -> Any:
            if not one.is_owned or self._owned is None:
                return one.data
            raw = self.device.readback(self._owned[number])
            return bytes_from_panels(raw, in_panels[number].target) if number in in_panels else raw

        return [(one.name, one.desc, plain(k, one)) for k, one in enumerate(self._inputs)]

    def _bound(self, given: Bindings, *, owned: bool) -> dict[Input, Any]:
        """Return the bytes of the inputs of one kind."""
        method = "GRAPH.initialize" if owned else "GRAPH.dispatch"
        if type(given) is not dict and not isinstance(given, Mapping):
            raise DataTypeError(
                "needs a dict from inputs, or their names, to arrays",
                given=f"{shown(given)} ({type(given).__name__})",
                hint="write {x: array}",
                field=method,
            )
        # Which inputs there are comes first: a wrong name may be why sizes do not fit.
        chosen: dict[Input, Any] = {}
        for key, value in given.items():
            try:
                item = self._known[key]
            except (KeyError, TypeError):  # or not hashable
                raise self._unknown_input(key, method) from None
            if item is None:
                continue
            if item in chosen:
                raise BindingError(
                    f"needs each input once; {item} is bound twice",
                    hint="write the expression or the name",
                    field=method,
                )
            if item.is_owned != owned:
                when = (
                    "is owned by DirectML, and is bound by initialize"
                    if item.is_owned
                    else "is not owned by DirectML, and is bound by dispatch"
                )
                raise BindingError(when, field=f"{method}.{item.name}")
            chosen[item] = value
        missing = [item for item in self._asked[owned] if item not in chosen]
        if missing:
            raise BindingError(f"missing {_names(missing)}", field=method)
        return {item: self._bytes(item, value, method) for item, value in chosen.items()}

    def _unknown_input(self, key: Any, method: str) -> BindingError:
        """Return what is wrong with a binding for what is no input."""
        inputs = f"inputs of the graph: {_names(i for i in self._inputs if not i.is_constant)}"
        if isinstance(key, str):
            hint = suggestion(key, (n for n in self._known if isinstance(n, str)))
            return BindingError(
                f"there is no input named {shown(key)}, needs {inputs}", hint=hint, field=method
            )
        given = f"{shown(key)}, which is not an input"
        return BindingError(f"needs {inputs}", given=given, field=method)

    def _bytes(self, item: Input, value: Any, method: str) -> Any:
        try:
            if value is None:
                raise BindingError("needs an array", given="None")
            if isinstance(value, Buffer):
                if value.device is not self.device:
                    needs = "needs a buffer of this device"
                    raise BindingError(needs, given="one of a different device")
                if value.desc == item.desc and not item.is_owned:
                    return value.memory
            raw = bytes_of(item.desc, value)
            return raw if item.is_owned else self.device.implementation.upload(raw)
        except DirectMLError as error:
            raise error.within(f"{method}.{item.name}") from None

    def __repr__(self) -> str:
        inputs = sum(not one.is_constant for one in self._inputs)
        return f"CompiledGraph({inputs} inputs, {len(self._outputs)} outputs)"


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | Buffer) or hasattr(value, "__dlpack__")


def _has_gaps(tensor: TensorDesc) -> bool:
    elements = tensor.element_count * tensor.data_type.item_bytes
    return elements != tensor.total_tensor_size_in_bytes or tensor.is_in_halves


def _names(inputs: Iterable[Input]) -> str:
    """Return the names of inputs, with data type and sizes, for a message."""
    names = [str(i) for i in inputs]
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more or "none"
