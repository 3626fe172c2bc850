"""ONNX models among the dispatchables of a model, and the resources that they make.

What a command binds may have a shape, which belongs to this command: an ONNX model is loaded once
for each of the shapes in which it is dispatched.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core.errors import DirectMLError, ModelError
from indirectml.core.tensors import TensorDesc
from indirectml.models.context import Context, Shapes
from indirectml.models.members import Members, given, of_kind
from indirectml.models.model import Bindings, ModelGraph, Resource, SequenceValues
from indirectml.models.problems import AlreadyKnownError
from indirectml.onnx_import.inputs import OpenSizeError
from indirectml.onnx_import.model import OnnxModelError, input_names, read_onnx_graph
from indirectml.serialized.graph import SerializedGraph

#: The type of an ONNX model, in lower case, and its members; the last three tune ONNX Runtime.
ONNX = "onnx"
DIMENSION_KEYS = ("freeDimensionNameOverrides", "freeDimensionDenotationOverrides")
_WITHOUT_EFFECT = ("sessionOptionsConfigEntries", "graphOptimizationLevel", "loggingLevel")
ONNX_KEYS = ("type", "sourcePath", *DIMENSION_KEYS, *_WITHOUT_EFFECT)


def read_onnx(name: str, value: Any, context: Context) -> ModelGraph:
    """Return what JSON describes with an ONNX model, in the first shapes that a command has for it.

    The context has what it becomes in the others.

    Raises
    ------
    DirectMLError
        The model cannot be used; the mistakes are in the context, or are this error.
    """
    members = Members(value, ONNX_KEYS, context.problems)
    dimensions: dict[str, int] = {}
    found: dict[str, ModelGraph] = {}
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
                found = _in_all_shapes(name, path, dimensions, context)
    context.readable["dispatchable"] |= found
    if name not in found:
        raise AlreadyKnownError("cannot be loaded in the shapes of any command, which tell why")
    return found[name]


def _positive(size: Any, dimension: str) -> int:
    if of_kind(size, int, dimension) < 1:
        raise ModelError("needs a size from 1 up", given=given(size), field=dimension)
    return int(size)


def _in_all_shapes(
    name: str, path: Path, dimensions: Mapping[str, int], context: Context
) -> dict[str, ModelGraph]:
    """Return by key what an ONNX model becomes, once for each of the sizes that its inputs get."""
    inputs, open_names = _names(path)
    # As in DxDispatch what the command line says counts, and is for whichever model has such names.
    dimensions = dict(dimensions) | _known(context.options.dimensions, open_names)
    keys: dict[Shapes, str | DirectMLError] = {}
    found: dict[str, ModelGraph] = {}
    by_sizes: dict[Shapes, str | DirectMLError] = {}
    for shapes in context.shapes.get(name, {(): None}):
        sizes = _known(dict(shapes), inputs) | _known(context.options.input_sizes, inputs)
        asked = tuple((point, tuple(size)) for point, size in sorted(sizes.items()))
        if asked not in by_sizes:
            try:
                graph = _graph(path, sizes, dimensions, context)
            except OnnxModelError:
                raise
            except DirectMLError as error:
                if not _known(dict(shapes), inputs):
                    raise  # no command is to blame
                by_sizes[asked] = error
            else:
                key = name if not found else context.new_key("dispatchable", name)
                by_sizes[asked] = key
                found[key] = ModelGraph(name, graph, ExecutionFlags(0), needs_bindings=False)
        keys[shapes] = by_sizes[asked]
    context.graphs[name] = keys
    return found


def _known(sizes: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    return {name: size for name, size in sizes.items() if name in names}


def _names(path: Path) -> tuple[set[str], set[str]]:
    try:
        return input_names(path)
    except OSError as error:
        raise _not_read(error) from None
    except DirectMLError as error:
        raise _not_loaded(error) from None


def _graph(
    path: Path, sizes: Mapping[str, Any], dimensions: Mapping[str, int], context: Context
) -> SerializedGraph:
    """Return an ONNX model in fixed sizes; a dimension that is still open then has size 1."""
    constants = context.options.constants
    fixed: dict[str, Any] = {
        "sizes": sizes,
        "dimensions": dimensions,
        "constants": _known(constants, _names(path)[0]) if constants else {},
        "quantized": context.options.quantized,
        "memory_limit": context.options.memory_limit,
    }
    try:
        try:
            return read_onnx_graph(path, **fixed)
        except OpenSizeError as error:
            name = error.input_name
            needs = f"sizes that nothing says become 1, such as one of input {given(name)}"
            hint = f"freeDimensionNameOverrides say them, or a shape where {name} is bound"
            context.problems.add(ModelError(needs, hint=hint), is_warning=True)
            return read_onnx_graph(path, **fixed, open_size=1)
    except OSError as error:
        raise _not_read(error) from None
    except OnnxModelError as error:
        with context.problems.together():
            for refusal in error.refusals:  # whose places are no places in the model
                context.problems.add(ModelError(f"{refusal}"))
        raise
    except DirectMLError as error:
        raise _not_loaded(error) from None


def _not_read(error: OSError) -> ModelError:
    reason = error.strerror or str(error)
    return ModelError("needs a file that can be read", given=reason.lower())


def _not_loaded(error: DirectMLError) -> ModelError:
    """Return the error for an ONNX model, whose places are no places in this one."""
    return ModelError("needs an ONNX model that can be loaded", given=f"one with {error}")


# ---- what commands say of ONNX models ----


def shapes_of_commands(commands: Any) -> dict[str, dict[Shapes, None]]:
    """Return of JSON, right or wrong, the shapes that dispatches have, by dispatchable."""
    found: dict[str, dict[Shapes, None]] = {}
    for command in commands if isinstance(commands, list) else ():
        if not isinstance(command, dict) or not isinstance(command.get("bindings"), dict):
            continue
        name = command.get("dispatchable")
        if isinstance(name, str):
            found.setdefault(name, {})[_shapes(command["bindings"])] = None
    return found


def _shapes(bindings: Mapping[str, Any]) -> Shapes:
    shapes = ((point, _shape(source)) for point, source in bindings.items())
    return tuple(sorted((point, shape) for point, shape in shapes if shape))


def _shape(source: Any) -> tuple[int, ...]:
    """Return the shape of what is bound; () if it has none, or none that is right."""
    for binding in _each(source):
        shape = binding.get("shape") if isinstance(binding, dict) else None
        if isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape):
            return tuple(shape)
    return ()


def _each(source: Any) -> Iterator[Any]:
    yield from source if isinstance(source, list) else [source]


def dispatched(name: str, bindings: Mapping[str, Any], context: Context) -> str:
    """Return the key of the dispatchable that a command names: an ONNX model's by its shapes.

    Raises
    ------
    DirectMLError
        There is none of this name, or an ONNX model that cannot be loaded in these shapes.
    """
    if name not in context.graphs:
        with context.problems.within("dispatchable"):
            context.named("dispatchable", name)
        return name
    shapes = _shapes(bindings)
    # Nothing is known of a command whose bindings are none, which has been told.
    found = context.graphs[name].get(shapes, AlreadyKnownError("has mistakes"))
    if isinstance(found, str):
        return found
    context.graphs[name][shapes] = AlreadyKnownError("has mistakes")
    with context.problems.within("bindings"):
        raise found


def outputs_of(key: str, context: Context) -> dict[str, TensorDesc]:
    """Return the outputs of what is dispatched, if it is an ONNX model."""
    found = context.readable["dispatchable"].get(key)
    if not isinstance(found, ModelGraph) or found.needs_bindings:
        return {}
    return found.graph.outputs


def fill_deferred(source: Any, tensor: TensorDesc, bound: Bindings, context: Context) -> None:
    """Give a deferred resource the sizes of the output that it is bound to, and zeros.

    What it was before stays a resource, since commands before this one have used it; unless it has
    these sizes already, and the command does not read it.

    Parameters
    ----------
    bound : dict
        What the command binds besides.

    Raises
    ------
    ModelError
        The binding has another shape than the output.
    """
    shape = _shape(source)
    if shape and shape != tensor.sizes_tuple:
        needs = f"needs the sizes of the output, {tensor.sizes}"
        raise ModelError(needs, given=f"{list(shape)}"[:60], field="shape")
    resources, used = context.readable["resource"], {p.resource for b in bound.values() for p in b}
    for name, resource in _deferred(source, context):
        values = SequenceValues(tensor.data_type, tensor.element_count, 0, None)
        if resource.values == values and resource.key not in used:
            continue
        key = name if resource.values is None else context.new_key("resource", name)
        context.filled[key] = resources[name] = replace(
            resource,
            key=key,
            data_type=tensor.data_type,
            values=values,
            size_bytes=tensor.total_tensor_size_in_bytes,
        )


def forget_deferred(source: Any, context: Context) -> None:
    """Let nothing be wrong with a deferred resource of which it is not known what it would be."""
    for name, _ in _deferred(source, context):
        context.readable["resource"][name] = None


def _deferred(source: Any, context: Context) -> Iterator[tuple[str, Resource]]:
    for binding in _each(source):
        name = binding.get("name") if isinstance(binding, dict) else binding
        if isinstance(name, str):
            resource: Resource | None = context.readable["resource"].get(name)
            if resource is not None and resource.is_deferred:
                yield name, resource
