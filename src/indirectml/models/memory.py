"""What running a model takes in memory, found before any of it is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from indirectml.core.errors import ModelError
from indirectml.graphs.memory import dispatch_bytes
from indirectml.models.model import (
    DispatchCommand,
    ImageValues,
    Model,
    ModelGraph,
    PackedValues,
    WriteFileCommand,
)
from indirectml.models.problems import Problems
from indirectml.models.resources import IMAGE_SUFFIXES
from indirectml.models.text import MEMORY_PER_BYTE
from indirectml.plans import Plan
from indirectml.runtime import CompiledOperator

#: Of a picture, for each pixel of the file, which is decoded and converted, and for each element
#: that is scaled, reordered and converted; and for each element that becomes a picture.
_DECODED_BYTES, _READ_BYTES, _WRITTEN_BYTES = 8, 20, 20


def check_memory(
    model: Model,
    compiled: Mapping[str, CompiledOperator],
    text_bytes: int,
    limit: int,
    problems: Problems,
) -> None:
    """Add to the problems whatever takes more memory than the limit.

    Parameters
    ----------
    text_bytes : int
        Of the model's text, which is in memory while it runs.
    """
    resources = model.resources.values()
    sizes = sum(resource.size_bytes for resource in resources)
    if sizes > limit:
        with problems.at("resources"):
            raise _too_much(f"needs resources of at most {limit} bytes together", sizes)
        return
    kept = text_bytes * MEMORY_PER_BYTE + sizes
    kept += sum(r.values.size_bytes for r in resources if isinstance(r.values, PackedValues))
    kept += sum(_owned_bytes(operator.plan) for operator in compiled.values())
    for path, needed in _transient(model, compiled):
        if kept + needed > limit:
            with problems.at(*path):
                raise _too_much(
                    f"needs at most {limit} bytes of memory with all else", kept + needed
                )
    if kept > limit:
        with problems.at():
            raise _too_much(f"needs at most {limit} bytes of memory", kept)


def _owned_bytes(plan: Plan) -> int:
    """Return what the copies of inputs take that DirectML owns: all their elements."""
    owned = [tensor for tensor in plan.inputs if tensor is not None and tensor.flags]
    return sum(tensor.element_count * tensor.data_type.item_bytes for tensor in owned)


def _transient(
    model: Model, compiled: Mapping[str, CompiledOperator]
) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield what takes memory for a while, by its place, and how much."""
    for name, resource in model.resources.items():
        if isinstance(resource.values, ImageValues):
            channels, height, width = resource.values.sizes
            elements = channels * height * width
            decoded = resource.values.pixels * _DECODED_BYTES + elements * _READ_BYTES
            yield ("resources", name, "initialValues"), decoded
    for key, operator in compiled.items():
        yield ("dispatchables", model.dispatchables[key].name), dispatch_bytes(operator.plan)
    for command in model.commands:
        if isinstance(command, DispatchCommand) and command.dispatchable in compiled:
            needed = dispatch_bytes(compiled[command.dispatchable].plan)
            yield ("commands", command.number), needed + _made_bytes(command, model)
        if isinstance(command, WriteFileCommand) and command.target_path.lower().endswith(
            IMAGE_SUFFIXES
        ):
            elements = 1
            for extent in command.dimensions or ():
                elements *= extent
            yield ("commands", command.number), elements * _WRITTEN_BYTES


def _made_bytes(command: DispatchCommand, model: Model) -> int:
    """Return what the outputs of a graph take before they are bound, and inputs made up for it."""
    dispatchable = model.dispatchables[command.dispatchable]
    if not isinstance(dispatchable, ModelGraph):
        return 0
    inputs = dispatchable.graph.inputs.items()
    made = [tensor for name, tensor in inputs if name not in command.bindings]
    made += dispatchable.graph.outputs.values()
    return sum(tensor.total_tensor_size_in_bytes for tensor in made)


def _too_much(needs: str, needed: int) -> ModelError:
    return ModelError(needs, given=f"{needed}", hint="--memory-limit raises this")
