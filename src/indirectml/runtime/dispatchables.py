"""What can be dispatched: compiled operators and graphs, and their initializer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.doors import door
from indirectml.core.errors import BindingError, DirectMLError, shown
from indirectml.core.nearest_names import suggestion
from indirectml.core.records import record
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.names import parameter_name
from indirectml.plans import Plan
from indirectml.runtime.removal import RemovableDevice


@record()
class BindingProperties:
    """What a dispatchable needs bound besides its inputs and outputs.

    Attributes
    ----------
    required_descriptor_count : int
        One per buffer that may be bound, and never 0.
    temporary_resource_size, persistent_resource_size : int
        In bytes; 0 where nothing has to be bound.

    Examples
    --------
    >>> device = Device()
    >>> desc = FillValueConstantOperatorDesc(TensorDesc(np.float32, [2]), np.float32, 13.0)
    >>> device.compile_operator(device.create_operator(desc)).binding_properties
    BindingProperties(required_descriptor_count=1, temporary_resource_size=0, \
persistent_resource_size=0)
    """

    required_descriptor_count: int
    temporary_resource_size: int
    persistent_resource_size: int


class Operator:
    """A checked descriptor on a device. It cannot be executed; compile it."""

    def __init__(self, device: RemovableDevice, desc: OperatorDesc) -> None:
        self.device = device
        self.desc = desc

    def __repr__(self) -> str:
        return f"Operator({self.desc.operator_name})"


class Dispatchable:
    """Something with a plan, on a device, that binding tables are made for and recorders take.

    Attributes
    ----------
    name : str
        For messages: the operator's name, or "GRAPH".
    plan : Plan
        What a dispatch does, as data.
    flags : ExecutionFlags
        As given when it was compiled.
    is_initialized : bool
        Whether an initializer was executed for it.
    desc : GraphDesc or None
        What a graph was compiled from.
    shares : dict
        From outputs of a graph to the inputs that they lie on, by their indices.
    """

    def __init__(
        self,
        device: RemovableDevice,
        name: str,
        plan: Plan,
        flags: ExecutionFlags,
        desc: Any = None,
        shares: Mapping[int, int] | None = None,
    ) -> None:
        self.device = device
        self.name = name
        self.plan = plan
        self.flags = flags
        self.desc = desc
        self.shares = dict(shares or {})
        self.is_initialized = False

    @property
    def binding_properties(self) -> BindingProperties:
        """How much temporary and persistent memory a dispatch needs."""
        plan = self.plan
        sizes = plan.temporary_size, plan.persistent_size
        count = len(plan.inputs) + len(plan.outputs) + sum(size > 0 for size in sizes)
        return BindingProperties(max(count, 1), *sizes)

    def to_onnx(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
        opset: int | None = None,
        weights: Mapping[str, Any] | None = None,
        functions: bool = True,
    ) -> Any:
        """Return an ONNX model that computes the same, and write it to a file.

        Parameters
        ----------
        path : path, optional
            Such as "model.onnx". Written completely or not at all. Constants of 2 GiB and more lie
            in a file of the same name and ".data" beside it.
        input_names, output_names : sequence of str, optional
            One per input that is no constant, and per output. By default inputs of a `Graph` have
            their own names, and others are "input_0", "output_0" and so on.
        opset : int, optional
            From 18 on. By default 18, or what an operator needs.
        weights : dict, optional
            From the names of inputs that are owned by DirectML, and have no data yet, to their
            bytes or arrays. They become constants.
        functions : bool, optional
            Whether operators that ONNX has not, or not with these bits, are calls of functions that
            the model holds: `load_onnx` makes the same operators of them. False writes their bodies
            out, for runtimes that take no functions; what is loaded then may round otherwise.

        Returns
        -------
        onnx.ModelProto
            Checked fully by `onnx.checker`.

        Raises
        ------
        OnnxExportError
            Nodes have no ONNX form; all are named, with reasons. Or names do not fit.
        SettingError
            The opset is below 18, or above what the installed `onnx` knows; or `onnx` is not
            installed.
        OSError
            The folder cannot be written.

        Notes
        -----
        Written from descriptors, before anything is fused, under the device's rule for sequences.
        An input that is a view of memory (by strides) becomes one of that memory, packed.
        docs/onnx-out.md has what an operator becomes, and how far results may differ.

        References
        ----------
        ONNX: operator schemas of the domain ai.onnx.

        Examples
        --------
        >>> graph = Graph(Device())
        >>> x = graph.input([2], name="x")
        >>> model = graph.compile([x + x]).to_onnx(output_names=["y"])
        >>> [node.op_type for node in model.graph.node]
        ['Add']
        """
        doors = door("ONNX export")
        return doors.export_compiled(
            self,
            path,
            weights=weights,
            input_names=input_names,
            output_names=output_names,
            opset=opset,
            functions=functions,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"


#: No inputs.
_NONE: tuple[Any, ...] = ()


class CompiledOperator(Dispatchable):
    """An operator that can be called, any number of times and from several threads.

    What `Graph.compile` returns is one too, and takes its inputs by expression or name.

    Attributes
    ----------
    operator : Operator or None
        What it was compiled from; None for a graph.
    flags : ExecutionFlags
        As given when it was compiled.
    plan : Plan
        What a call does, as data.
    """

    def __init__(
        self,
        device: RemovableDevice,
        name: str,
        plan: Plan,
        flags: ExecutionFlags,
        operator: Operator | None = None,
        desc: Any = None,
    ) -> None:
        super().__init__(device, name, plan, flags, desc)
        self.operator = operator
        self._fill = device.implementation.fill_of(plan)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_fill"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._fill = self.device.implementation.fill_of(self.plan)

    def __call__(
        self, inputs: Any = _NONE, *more: Any, out: Sequence[Any] | None = None, **named: Any
    ) -> list[Any]:
        """Execute the operator; needs no initialization and no binding.

        Parameters
        ----------
        inputs, *more : array or raw memory
            One per input of the descriptor, None for an optional one that it leaves out; or one
            sequence of them, or one dict from their names.
        **named : array or raw memory
            Likewise by name: ``a_tensor``, or ``a`` as functions call it.
        out : sequence of array or raw memory, optional
            One per output of the descriptor, None for an optional one that it leaves out. Written
            in place. New arrays by default.

        Returns
        -------
        list
            One array per output: the given ones, or new ones; None for one that is left out.

        Raises
        ------
        BindingError
            There is another number of inputs or outputs, one does not fit, or an output shares
            elements with another array; it may lie on an input just like it where DirectML allows
            the operator to work in place.
        DataTypeError, LayoutError
            An output is no array, is read-only, or its elements share memory.

        Notes
        -----
        What an object stands for is said by its type alone. bytes, bytearray, memoryview and
        mmap.mmap are raw memory: the tensor's own, of at least its total size, in which elements
        lie where the descriptor's strides say. Anything else is an array of the elements, of the
        tensor's data type and sizes, which lie where the array's own strides say. The memory of a
        NumPy array is memoryview(array).
        """
        if more or named:
            return self._run(self._arranged(inputs, more, named), out)
        fill = self._fill
        if fill is not None and inputs is _NONE and type(out) is list and len(out) == 1:
            array = out[0]
            if fill(array):
                return [array]
        return self._run(inputs, out)

    def _arranged(
        self, inputs: Any, more: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Sequence[Any]:
        """Return inputs that were given by position or by name, in the descriptor's order."""
        place = f"{self.name}.inputs"
        if isinstance(inputs, Mapping) and not more and not named:
            inputs, named = _NONE, inputs
        if not named:
            return (inputs, *more)
        if inputs is not _NONE:
            raise BindingError("needs inputs either by position or by name", field=place)
        desc = getattr(self.operator, "desc", None)
        tensors = [] if desc is None else [name for name, _ in desc.tensors("input_tensor")]
        known = {parameter_name(name): name for name in tensors}
        chosen: dict[str, Any] = {}
        for name, value in named.items():
            found = known.get(parameter_name(name))
            if found is None or found in chosen:
                needs = f"needs each of {', '.join(tensors) or 'no inputs'} at most once"
                hint = suggestion(name, tensors)
                raise BindingError(needs, given=shown(name), hint=hint, field=place)
            chosen[found] = value
        return tuple(chosen.get(name) for name in tensors)

    def _run(self, inputs: Sequence[Any], out: Sequence[Any] | None) -> list[Any]:
        """Execute the operator in the general way."""
        plan = self.plan
        run = self.device.implementation
        if inputs.__class__ not in (tuple, list):
            inputs = self._arranged(inputs, (), {})
        if out is None:
            results: list[Any] = [None if t is None else run.new_output(t) for t in plan.outputs]
            for number in plan.kept:
                results[number][...] = 0
        else:
            results = _one_per("output", out, plan.outputs, "out")
        if plan.inputs or inputs:
            inputs = _one_per("input", inputs, plan.inputs, "inputs")
        try:
            run.run(plan, results, inputs)
        except DirectMLError as error:
            raise error.within(self.name) from None
        return results


#: How many tensors a message names.
_SHOWN = 8


def _one_per(
    kind: str, given: Sequence[Any], tensors: Sequence[TensorDesc | None], field: str
) -> list[Any]:
    if isinstance(given, list | tuple) and len(given) == len(tensors):
        return list(given)
    each = ", ".join(
        "None" if t is None else f"{t.data_type.name} {t.sizes}" for t in tensors[:_SHOWN]
    )
    more = f" and {len(tensors) - _SHOWN} more" if len(tensors) > _SHOWN else ""
    raise BindingError(
        f"needs a list of one array per {kind} ({each or 'none'}{more})",
        given=f"{len(given)}" if isinstance(given, list | tuple) else type(given).__name__,
        field=field,
    )


class OperatorInitializer(Dispatchable):
    """What initializes compiled operators: it takes their owned inputs in, exactly once.

    Made by `Device.create_operator_initializer`. Its inputs are, for each of its operators, the
    operator's inputs of which the owned ones are bound; its outputs are, for each operator, its
    persistent resource.
    """

    def __init__(self, device: RemovableDevice, operators: Sequence[Dispatchable]) -> None:
        super().__init__(device, "OPERATOR_INITIALIZER", Plan((), (), ()), ExecutionFlags.NONE)
        self.operators = tuple(operators)

    def reset(self, operators: Sequence[Dispatchable]) -> None:
        """Make it initialize other compiled operators.

        Raises
        ------
        DeviceLostError
            The device was removed.
        """
        self.device.require()
        self.operators = tuple(operators)

    @property
    def binding_properties(self) -> BindingProperties:
        """How many descriptors it needs; an initializer has no persistent resource of its own."""
        count = sum(op.binding_properties.required_descriptor_count for op in self.operators)
        return BindingProperties(max(count, 1), 0, 0)
