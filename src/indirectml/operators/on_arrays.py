"""The functions of operators as users call them: with expressions a node, with arrays a result."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from indirectml.core.buffers import as_readable_array, as_writable_array, open_output
from indirectml.core.errors import BindingError
from indirectml.descriptors.definitions import index
from indirectml.graphs.expressions import Expression
from indirectml.graphs.functions import graph_function
from indirectml.graphs.graphs import Graph
from indirectml.runtime import Device


def __getattr__(name: str) -> Any:
    if name not in index()["functions"]:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _on_either(name)


@functools.cache
def _on_either(name: str) -> Callable[..., Any]:
    """Return the function of a name, for expressions and for arrays."""
    function = graph_function(name)
    signature = inspect.signature(function)
    tensors = [p.name for p in signature.parameters.values() if "Expression" in str(p.annotation)]
    if not tensors:  # a fill, whose first parameter is a graph
        return function

    @functools.wraps(function)
    def on_either(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None and args and isinstance(args[0], Expression):
            return function(*args, **kwargs)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # which says what is wrong with the arguments
        given = [each for name in tensors for each in _listed(bound.arguments.get(name))]
        if any(isinstance(each, Expression) for each in given) or not any(map(_is_array, given)):
            if out is not None:
                raise BindingError("has a meaning for arrays alone", field=f"{name}(out)")
            return function(*args, **kwargs)
        return _computed(function, bound, tensors, name, out)

    # Pickles find it where it was asked for.
    on_either.__module__ = __name__
    return on_either


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "__dlpack__")


def _computed(
    function: Callable[..., Any],
    bound: inspect.BoundArguments,
    tensors: list[str],
    name: str,
    out: Any,
) -> Any:
    """Run a graph of the one node that a call makes of inputs like its arrays."""
    graph = Graph(Device())
    data: dict[Any, Any] = {}

    def as_input(value: Any) -> Any:
        if not _is_array(value):
            return value
        array = as_readable_array(value)
        made = graph.input(array.shape, array.dtype)
        data[made] = array
        return made

    for parameter in bound.arguments.keys() & set(tensors):
        value = bound.arguments[parameter]
        is_several = isinstance(value, list | tuple)
        bound.arguments[parameter] = [*map(as_input, value)] if is_several else as_input(value)
    outputs = function(*bound.args, **bound.kwargs)
    made = [each for each in _listed(outputs) if each is not None]
    targets = None if out is None else _targets(made, out, name)
    results = graph.compile([*made, *graph.unread(made)])(data)
    for target, result in zip(targets or [], results, strict=False):
        np.copyto(target, result)
    kept = iter(results if out is None else _listed(out))
    if isinstance(outputs, Expression):
        return next(kept)
    found = [None if each is None else next(kept) for each in outputs]
    return type(outputs)(*found) if hasattr(outputs, "_fields") else found


def _targets(outputs: list[Expression], out: Any, name: str) -> list[Any]:
    """Return the memory of `out` as arrays, checked before anything is written."""
    given = list(_listed(out))
    if len(given) != len(outputs):
        raise BindingError(
            f"needs {len(outputs)} arrays", given=f"{len(given)}", field=f"{name}(out)"
        )
    targets = []
    for expression, each in zip(outputs, given, strict=True):
        open_output(each)
        array = as_writable_array(each)
        if (list(array.shape), array.dtype) != (list(expression.shape), expression.dtype):
            raise BindingError(
                f"needs {np.dtype(expression.dtype)} {list(expression.shape)}",
                given=f"{array.dtype} {list(array.shape)}",
                field=f"{name}(out)",
            )
        targets.append(array)
    return targets
