"""ONNX models among the dispatchables of a model, and the resources that they make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.errors import DirectMLError, ModelError
from indirectml.models.context import Context
from indirectml.models.members import Members, given, of_kind
from indirectml.models.model import ModelGraph, SequenceValues
from indirectml.onnx_import.inputs import OpenSizeError
from indirectml.onnx_import.model import OnnxModelError, input_names, read_onnx_graph
from indirectml.serialized.graph import SerializedGraph

#: The type of an ONNX model, in lower case, and its members; the last three tune ONNX Runtime.
ONNX = "onnx"
DIMENSION_KEYS = ("freeDimensionNameOverrides", "freeDimensionDenotationOverrides")
_WITHOUT_EFFECT = ("sessionOptionsConfigEntries", "graphOptimizationLevel", "loggingLevel")
ONNX_KEYS = ("type", "sourcePath", *DIMENSION_KEYS, *_WITHOUT_EFFECT)


def read_onnx(name: str, value: Any, context: Context) -> ModelGraph:
    """Return the dispatchable that JSON describes with an ONNX model.

    Raises
    ------
    DirectMLError
        The model cannot be used; the mistakes are in the context, or are this error.
    """
    members = Members(value, ONNX_KEYS, context.problems)
    dimensions: dict[str, int] = {}
    with context.problems.together():
        for key in _WITHOUT_EFFECT:
            with context.problems.at(key):
                if members.get(key) is not None:
                    error = ModelError("has no effect: ONNX Runtime takes no part here")
                    context.problems.add(error, is_warning=True)
        for key in DIMENSION_KEYS:
            with context.problems.at(key):
                for dimension, size in members.optional(key, dict, {}).items():
                    dimensions[dimension] = _positive(size, dimension)
        with context.problems.at():
            source = members.required("sourcePath", str)
            with context.problems.within("sourcePath"):
                path = context.source_file(source)
                graph = _graph(path, context.shapes.get(name, {}), dimensions, context)
    return ModelGraph(name, graph, ExecutionFlags(0))


def _positive(size: Any, dimension: str) -> int:
    if of_kind(size, int, dimension) < 1:
        raise ModelError("needs a size from 1 up", given=given(size), field=dimension)
    return int(size)


def _graph(
    path: Path, shapes: dict[str, list[int]], dimensions: dict[str, int], context: Context
) -> SerializedGraph:
    try:
        known = input_names(path)
        sizes = {name: shape for name, shape in shapes.items() if name in known}
        limit = context.options.memory_limit
        return read_onnx_graph(path, sizes=sizes, dimensions=dimensions, memory_limit=limit)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError("needs a file that can be read", given=reason.lower()) from None
    except OnnxModelError as error:
        with context.problems.together():
            for refusal in error.refusals:  # whose places are no places in the model
                context.problems.add(ModelError(f"{refusal}"))
        raise
    except OpenSizeError as error:
        error.hint = (
            f"freeDimensionNameOverrides say it, or a shape where {error.input_name} is bound"
        )
        raise _not_loaded(error) from None
    except DirectMLError as error:
        raise _not_loaded(error) from None


def _not_loaded(error: DirectMLError) -> ModelError:
    """Return the error for an ONNX model, whose places are no places in this one."""
    return ModelError("needs an ONNX model that can be loaded", given=f"one with {error}")


# ---- what commands say of ONNX models ----


def _dispatches(commands: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield of JSON, right or wrong, the dispatchables, names and sources of what is bound."""
    for command in commands if isinstance(commands, list) else ():
        if not isinstance(command, dict) or not isinstance(command.get("bindings"), dict):
            continue
        name = command.get("dispatchable")
        if isinstance(name, str):
            for point, source in command["bindings"].items():
                yield name, point, source


def binding_shapes(commands: Any) -> dict[str, dict[str, list[int]]]:
    """Return the shapes that bindings have, by dispatchable and name: they fix open sizes."""
    found: dict[str, dict[str, list[int]]] = {}
    for name, point, source in _dispatches(commands):
        shape = source.get("shape") if isinstance(source, dict) else None
        if isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape):
            found.setdefault(name, {})[point] = shape
    return found


def fill_deferred(commands: Any, context: Context) -> None:
    """Give deferred resources the sizes of the outputs that are bound to them, and zeros."""
    resources, dispatchables = context.readable["resource"], context.readable["dispatchable"]
    for name, point, source in _dispatches(commands):
        bound = source.get("name") if isinstance(source, dict) else source
        if not isinstance(bound, str) or name not in dispatchables:
            continue
        resource, dispatchable = resources.get(bound), dispatchables[name]
        if resource is None or resource.values is not None:
            continue
        if dispatchable is None:
            resources[bound] = None  # what it would be is not known, which is no further mistake
        elif isinstance(dispatchable, ModelGraph) and point in dispatchable.graph.outputs:
            tensor = dispatchable.graph.outputs[point]
            resources[bound] = replace(
                resource,
                data_type=tensor.data_type,
                values=SequenceValues(tensor.data_type, tensor.element_count, 0, None),
                size_bytes=tensor.total_tensor_size_in_bytes,
            )
