"""Inputs and outputs that are bound to a session before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from indirectml.core.errors import shown
from indirectml.onnx_import.values import Array
from indirectml.onnxruntime.errors import Fail, InvalidArgument
from indirectml.onnxruntime.values import NodeArg, OrtValue, fitting, memory_at, on_the_cpu


class Session(Protocol):
    """What a binding needs of a session."""

    def get_inputs(self) -> Sequence[NodeArg]: ...  # noqa: D102
    def get_outputs(self) -> Sequence[NodeArg]: ...  # noqa: D102
    def run(self, output_names: Any, input_feed: Any, run_options: Any = None) -> list[Array]: ...  # noqa: D102


class IOBinding:
    """Inputs and outputs of a session that stay bound from run to run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inputs: dict[str, Array] = {}
        self._outputs: dict[str, OrtValue | None] = {}
        self._results: list[OrtValue] = []

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Bind an input to an array."""
        known = [each.name for each in self._session.get_inputs()]
        if name not in known:
            raise Fail(f"needs names of inputs: {', '.join(known)}", given=shown(name))
        self._inputs[name] = arr_on_cpu

    def bind_input(
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        """Bind an input to memory at an address, which has to stay there."""
        del device_id
        on_the_cpu(device_type)
        self.bind_cpu_input(name, memory_at(buffer_ptr, element_type, shape))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an input to a value."""
        self.bind_cpu_input(name, ortvalue.numpy())

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Bind an output to memory at an address, or ask for it."""
        del device_id
        on_the_cpu(device_type)
        if buffer_ptr is None:
            self._outputs[name] = None
        elif element_type is None or shape is None:
            raise InvalidArgument("needs element_type and shape of the memory", field=shown(name))
        else:
            self._outputs[name] = OrtValue(memory_at(buffer_ptr, element_type, shape))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an output to a value, which is written."""
        self._outputs[name] = ortvalue

    def run(self, run_options: Any) -> None:
        """Run the session on what is bound: nothing is written before everything fits.

        Raises
        ------
        Fail
            No output is bound.
        InvalidArgument
            Memory of an output has other sizes or another type; and as `run` raises it.
        """
        if not self._outputs:
            raise Fail("needs at least one output that is bound", given="none")
        results = self._session.run(list(self._outputs), self._inputs, run_options)
        bound = list(self._outputs.items())
        for (name, value), result in zip(bound, results, strict=True):
            if value is not None:
                fitting(value.numpy(), result, name)
        for (_, value), result in zip(bound, results, strict=True):
            if value is not None:
                value.update_inplace(result)
        self._results = [
            OrtValue(result) if value is None else value
            for (_, value), result in zip(bound, results, strict=True)
        ]

    def get_outputs(self) -> list[OrtValue]:
        """Return what the last run gave, in the order of binding."""
        return list(self._results)

    def copy_outputs_to_cpu(self) -> list[Array]:
        """Return copies of what the last run gave, as arrays."""
        return [each.numpy().copy() for each in self._results]

    def clear_binding_inputs(self) -> None:
        """Forget the inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Forget the outputs."""
        self._outputs.clear()

    def synchronize_inputs(self) -> None:
        """Do nothing: all memory is the processor's."""

    def synchronize_outputs(self) -> None:
        """Do nothing: all memory is the processor's."""
