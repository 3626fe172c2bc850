"""What an operator or a graph compiles to: steps over views of buffers, as data.

A plan has no device and no memory; it can be printed, compared and kept. Its buffers are numbered:
the inputs, then the outputs, then the temporary resource, then the persistent resource.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cached_property, lru_cache
from math import prod
from typing import Any, NamedTuple

from indirectml import _native
from indirectml.arithmetic.words import Word, thawed
from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.data_types import TensorDataType
from indirectml.core.records import record
from indirectml.core.tensors import TensorDesc, packed_strides
from indirectml.fills.sequences import Rule, constant_sequence, native_sequence
from indirectml.panels import Panels
from indirectml.programs import Program


def _fields_alone(self: Any) -> dict[str, Any]:
    """Return what is pickled: not what was worked out from it, some of which is native."""
    return {field.name: getattr(self, field.name) for field in fields(self)}


@record()
class PlanOptions:
    """What a plan is made with besides a descriptor: the one object that travels with it.

    Attributes
    ----------
    rule : {"accumulate", "multiply"}
        The device's rule for sequences.
    execution_flags : ExecutionFlags
        As given to `compile_operator` or `compile_graph`. None of them changes a bit:
        ALLOW_HALF_PRECISION_COMPUTATION is a permission that is not used.
    """

    rule: Rule = "accumulate"
    execution_flags: ExecutionFlags = ExecutionFlags.NONE


#: Buffer, offset, NumPy's letter of the data type, sizes, and strides in bytes.
Place = tuple[int, int, str, tuple[int, ...], tuple[int, ...]]


class View(NamedTuple):
    """Elements in a buffer of a plan: a tensor, or a part of one.

    Attributes
    ----------
    buffer : int
        The number of the buffer.
    data_type : TensorDataType
        Of the elements.
    sizes : tuple of int
        The extent of each dimension, in elements.
    strides : tuple of int
        The distance between neighbours along each dimension, in elements; 0 and less are fine.
    offset : int
        Where the first element begins, in bytes.
    size_bytes : int
        What a whole tensor takes in its buffer, gaps and what follows its elements included; 0 of a
        part of one.
    panels : Panels or None
        What it stands for, if it is in panels; the rest is that of the panels.
    """

    buffer: int
    data_type: TensorDataType
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    size_bytes: int = 0
    panels: Panels | None = None

    @staticmethod
    def of(buffer: int, tensor: TensorDesc, offset: int = 0) -> View:
        """Return a tensor as it lies in a buffer."""
        return View(
            buffer,
            tensor.data_type,
            tensor.sizes_tuple,
            tensor.strides_in_memory,
            offset,
            tensor.total_tensor_size_in_bytes,
        )

    def at(self, offset: int) -> View:
        """Return the same elements at another place of their buffer."""
        return self if offset == self.offset else self._replace(offset=offset)

    def repeated(self, sizes: tuple[int, ...]) -> View:
        """Return the same elements, repeated to sizes as NumPy does."""
        own = [(1, 0)] * (len(sizes) - len(self.sizes)) + list(
            zip(self.sizes, self.strides, strict=True)
        )
        strides = (0 if n == 1 else s for n, s in own)
        return self._replace(sizes=sizes, strides=tuple(strides))

    @property
    def element_count(self) -> int:
        """The product of the sizes."""
        return prod(self.sizes)

    @property
    def is_packed(self) -> bool:
        """Whether there is nothing between elements."""
        return self.strides == packed_strides(self.sizes)

    @property
    def is_in_halves(self) -> bool:
        """Whether two elements share a byte."""
        return self.data_type.bits == 4  # noqa: PLR2004 (of eight in a byte)

    @property
    def tensor(self) -> TensorDesc:
        """The tensor that lies there, if it is a whole one."""
        return TensorDesc(
            self.data_type,
            self.sizes,
            strides=None if self.is_packed else self.strides,
            total_tensor_size_in_bytes=self.size_bytes,
        )

    @property
    def strides_bytes(self) -> tuple[int, ...]:
        """The strides in bytes."""
        return _in_bytes(self.strides, self.data_type)

    @property
    def place(self) -> Place:
        """Where the elements are, as the native code takes it."""
        dtype = self.data_type.dtype
        assert dtype is not None  # noqa: S101 (halves of bytes are no native elements)
        return self.buffer, self.offset, dtype.char, self.sizes, self.strides_bytes


def _in_bytes(strides: tuple[int, ...], data_type: TensorDataType) -> tuple[int, ...]:
    item = data_type.item_bytes
    return tuple([stride * item for stride in strides])


class NodeOperator(str):
    """The operator of a step, which remembers the node of the graph that it is of.

    Equal to the name alone: steps of two nodes that do the same are equal.

    Attributes
    ----------
    node : int
        Its number in the graph's description.
    """

    __slots__ = ("node",)
    node: int

    @classmethod
    def of(cls, name: str, node: int) -> NodeOperator:
        """Return the name of an operator, of a node."""
        made = cls(name)
        made.node = node
        return made

    def __reduce__(self) -> tuple[Any, tuple[str, int]]:
        return NodeOperator.of, (str(self), self.node)


@record()
class FillStep:
    """Write a sequence to all elements of one view.

    Attributes
    ----------
    output : View
        What is written.
    data_type : TensorDataType
        What `start` and `delta` are bits of.
    rule : {"accumulate", "multiply"}
        How element i is defined.
    start : int
        The bits of element 0.
    delta : int or None
        The bits of the delta; None where every element has the bits of `start`.
    operator_names : tuple of str
        The operator, if it is all that one does.
    """

    output: View
    data_type: TensorDataType
    rule: Rule
    start: int
    delta: int | None
    operator_names: tuple[str, ...] = ()

    __getstate__ = _fields_alone

    @cached_property
    def sequence(self) -> _native.Sequence:
        """The native code's form of it."""
        if self.delta is None:
            return constant_sequence(self.data_type, self.start)
        return native_sequence(self.data_type, self.rule, self.start, self.delta)

    @cached_property
    def native(self) -> _native.FillStep | None:
        """The native code's form of it, between other steps."""
        return (
            None if self.output.is_in_halves else _native.FillStep(self.sequence, self.output.place)
        )


@record()
class WordStep:
    """Carry out a word: an array operation that docs/arithmetic.md defines.

    Attributes
    ----------
    word : Word
        What is done.
    operator_name : str
        For whom.
    fields : tuple of (str, value)
        Its arguments that are no arrays, by their names.
    inputs : tuple of View or None
        The arrays, in the order of `word.arrays`; None for what is left out.
    outputs : tuple of View
        What is written. A result of FLOAT64 is rounded once to the data type of its view. Behind
        the results is the memory that a native step works in, if the word says that it needs some.
    joined_names : tuple of str
        The operators before, whose steps were joined with this one.
    """

    word: Word
    operator_name: str
    fields: tuple[tuple[str, Any], ...]
    inputs: tuple[View | None, ...]
    outputs: tuple[View, ...]
    joined_names: tuple[str, ...] = ()

    __getstate__ = _fields_alone

    @cached_property
    def native(self) -> _native.Step | None:
        """The native code's form of it, if there is one for these views."""
        make = self.word.native
        return make and make(*self.inputs, outputs=self.outputs, **self.arguments)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The fields, as functions take them."""
        return {name: thawed(value) for name, value in self.fields}

    def over(self, inputs: tuple[View | None, ...], outputs: tuple[View, ...]) -> WordStep:
        """Return the same over other views."""
        return WordStep(
            self.word, self.operator_name, self.fields, inputs, outputs, self.joined_names
        )

    @property
    def operator_names(self) -> tuple[str, ...]:
        """The operators, as in `ProgramStep`."""
        return (*self.joined_names, self.operator_name)


@record()
class ProgramStep:
    """Carry out a program on elements.

    Attributes
    ----------
    program : Program
        What is done with each element.
    operator_names : tuple of str
        The operators that it stands for, in the order of their instructions.
    sizes : tuple of int
        How many elements there are along each dimension; without dimensions there is one.
    inputs, outputs : tuple of View
        What is read and written.
    input_strides, output_strides : tuple of tuple of int
        Where the elements of each lie, in elements; 0 where one stands for many.
    """

    program: Program
    operator_names: tuple[str, ...]
    sizes: tuple[int, ...]
    inputs: tuple[View, ...]
    outputs: tuple[View, ...]
    input_strides: tuple[tuple[int, ...], ...]
    output_strides: tuple[tuple[int, ...], ...]

    __getstate__ = _fields_alone

    def over(self, inputs: tuple[View, ...], outputs: tuple[View, ...]) -> ProgramStep:
        """Return the same over other views, with the same strides."""
        return ProgramStep(
            self.program,
            self.operator_names,
            self.sizes,
            inputs,
            outputs,
            self.input_strides,
            self.output_strides,
        )

    @cached_property
    def native(self) -> _native.ProgramStep | _native.CopyStep:
        """The native code's form of it."""
        views = (*self.inputs, *self.outputs)
        both = zip(views, (*self.input_strides, *self.output_strides), strict=True)
        program = self.program
        if not (program.instructions or program.constants) and len(views) == 2:  # noqa: PLR2004
            over = [view._replace(sizes=self.sizes, strides=strides) for view, strides in both]
            return _native.CopyStep(over[0].place, over[1].place)
        places = [(v.buffer, v.offset, _in_bytes(strides, v.data_type)) for v, strides in both]
        return _native.ProgramStep(program.native, self.sizes, places)


@record(slots=True)
class CopyStep:
    """Copy the bytes of one tensor's range to another range."""

    source: View
    target: View


@record(slots=True)
class DataStep:
    """Write known bytes to a tensor's range, and zeros to the rest of it."""

    data: bytes
    target: View


@record(slots=True)
class PackStep:
    """Write the matrices of a constant in the order in which products read them."""

    source: View
    target: View


Step = FillStep | WordStep | ProgramStep | CopyStep | DataStep | PackStep


def remade(step: Any, what: str, key: Any, make: Callable[[], Any]) -> Any:
    """Return what is made of a step by a key, as it was if the last key was equal.

    Plans of one graph in several sizes share steps, and so what passes, and native code, make of
    them; nothing of it is pickled or compared.
    """
    found = step.__dict__.get(what)
    if found is None or found[0] != key:
        found = step.__dict__[what] = key, make()
    return found[1]


#: Steps with tuples of inputs and outputs.
WITH_INPUTS = (WordStep, ProgramStep)

#: What takes owned inputs and constants in.
InitialStep = CopyStep | DataStep | PackStep


class Node(NamedTuple):
    """An operator over views, which becomes the steps that its definition is made of.

    Attributes
    ----------
    desc : hashable
        The operator's descriptor.
    operator_name : str
        Its name, in steps.
    inputs, outputs : tuple of View or None
        In the order of its tensors; None for an optional tensor that is left out.
    """

    desc: Hashable
    operator_name: str
    inputs: tuple[View | None, ...]
    outputs: tuple[View | None, ...]


@record()
class Plan:
    """The steps of a compiled operator or graph, in order.

    Attributes
    ----------
    inputs, outputs : tuple of TensorDesc or None
        What the buffers hold; None where nothing is bound, since an optional tensor is left out.
    steps : tuple
        What a dispatch does.
    initial_steps : tuple of CopyStep, DataStep or PackStep
        What initialization does: owned inputs and constants go to the persistent resource.
    temporary_size, persistent_size : int
        In bytes.
    temporaries : tuple of int
        The bytes of buffers for what is between steps, of a plan in the making: they come behind
        the persistent resource, one for each value. `placed` has given them ranges of the temporary
        resource.
    kept : tuple of int
        The outputs, by their indices, that are read before they are written: what lies there stays
        where nothing is written. New memory for them is 0.
    computed_steps : tuple of WordStep or ProgramStep
        What initialization computes then of owned inputs alone, and has in the persistent resource
        behind them.
    of_packed : Plan or None
        Of one operator, some of whose tensors have strides: the plan for the same tensors without.
        Arrays of a direct call lie otherwise, and are made so where steps read parts of tensors.
    """

    inputs: tuple[TensorDesc | None, ...]
    outputs: tuple[TensorDesc | None, ...]
    steps: tuple[Step, ...]
    initial_steps: tuple[InitialStep, ...] = ()
    temporary_size: int = 0
    persistent_size: int = 0
    temporaries: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    computed_steps: tuple[WordStep | ProgramStep, ...] = ()
    of_packed: Plan | None = None

    __getstate__ = _fields_alone

    @cached_property
    def is_packed(self) -> bool:
        """Whether all inputs and outputs are packed, and have elements of whole bytes."""
        tensors = [t for t in (*self.inputs, *self.outputs) if t is not None]
        return not any(t.strides_tuple or t.is_in_halves for t in tensors)

    @cached_property
    def reads_whole_tensors(self) -> bool:
        """Whether steps read and write inputs and outputs as they are, and no part of one."""
        whole = [t and View.of(k, t) for k, t in enumerate((*self.inputs, *self.outputs))]
        return all(
            view is None or view.buffer >= len(whole) or view == whole[view.buffer]
            for step in self.steps_in_place
            for view in (
                (*step.inputs, *step.outputs)
                if isinstance(step, WITH_INPUTS)
                else (step.output,)
                if isinstance(step, FillStep)
                else (step.source if isinstance(step, CopyStep) else None, step.target)
            )
        )

    @cached_property
    def temporary(self) -> int:
        """The number of the temporary resource among the buffers."""
        return len(self.inputs) + len(self.outputs)

    @property
    def owned_inputs(self) -> frozenset[int]:
        """The numbers of the inputs that are bound at initialization instead of at execution."""
        taken = (step for step in self.initial_steps if not isinstance(step, DataStep))
        return frozenset(step.source.buffer for step in taken)

    @cached_property
    def persistent(self) -> int:
        """The number of the persistent resource among the buffers."""
        return self.temporary + 1

    @property
    def inputs_in_panels(self) -> dict[int, PackStep]:
        """The owned inputs that are read in panels, and how they get there."""
        packs = (step for step in self.initial_steps if isinstance(step, PackStep))
        return {step.source.buffer: step for step in packs}

    @cached_property
    def computed_begin(self) -> int:
        """Where what initialization computes begins in the persistent resource, in bytes."""
        begins = (view.offset for step in self.computed_steps for view in step.outputs)
        return min(begins, default=self.persistent_size)

    @cached_property
    def steps_in_place(self) -> tuple[Step, ...]:
        """What a dispatch does where owned inputs stay in their own buffers.

        Then nothing is copied to the persistent resource: it is what initialization computes alone,
        from its first byte on. The buffer of an input of `inputs_in_panels` has its panels.
        """
        return self._in_place(self.steps)

    @cached_property
    def computed_steps_in_place(self) -> tuple[Step, ...]:
        """What initialization computes where owned inputs stay in their own buffers."""
        return self._in_place(self.computed_steps)

    def _in_place(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Return steps over owned inputs in their own buffers."""
        taken = sorted(
            (step.target.offset, step.source.buffer)
            for step in self.initial_steps
            if not isinstance(step, DataStep)
        )
        others = {s.target.offset for s in self.initial_steps if isinstance(s, DataStep)}
        begins = sorted([*(begin for begin, _ in taken), *others])
        own, persistent, computed = dict(taken), self.persistent, self.computed_begin
        where = _same((persistent, tuple(taken), tuple(begins), computed))

        def in_place(view: Any) -> Any:
            if view is None or view.buffer != persistent:
                return view
            if view.offset >= computed:
                return view.at(view.offset - computed)
            begin = begins[bisect_right(begins, view.offset) - 1]
            if begin not in own:
                return view
            return view._replace(buffer=own[begin], offset=view.offset - begin)

        def step_in_place(step: Step) -> Step:
            if not own or not isinstance(step, WITH_INPUTS):
                return step

            def make() -> Step | None:  # not the step itself, which would hold itself
                inputs: tuple[Any, ...] = tuple(map(in_place, step.inputs))
                outputs: tuple[Any, ...] = tuple(map(in_place, step.outputs))
                is_same = inputs == step.inputs and outputs == step.outputs
                return None if is_same else step.over(inputs, outputs)

            made: Step | None = remade(step, "_in_place", where, make)
            return step if made is None else made

        return tuple(map(step_in_place, steps))

    @cached_property
    def single_fill(self) -> _native.PackedFill | None:
        """How packed arrays are filled, if the plan is nothing but one fill of one such output."""
        if len(self.outputs) != 1 or len(self.steps) != 1:
            return None
        (step,) = self.steps
        (tensor,) = self.outputs
        if tensor is None or tensor.strides is not None:
            return None
        if not isinstance(step, FillStep) or step.output.data_type is not tensor.data_type:
            return None
        return _native.PackedFill(tensor.data_type.dtype.char, tensor.sizes_tuple, step.sequence)


@lru_cache(64)
def _same(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the first of equal keys, which is compared with itself at once."""
    return key


class Draft(NamedTuple):
    """What is described, before definitions become steps.

    Attributes
    ----------
    plan : Plan
        All but its steps.
    nodes : tuple of Node or CopyStep
        In the order of what a dispatch does.
    options : PlanOptions
        What the plan is made with.
    """

    plan: Plan
    nodes: tuple[Node | CopyStep, ...]
    options: PlanOptions
