"""The functions of operators as users call them: with expressions a node, with arrays a result."""

from __future__ import annotations

import functools
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.buffers import as_readable_array, as_writable_array, open_output
from indirectml.core.errors import BindingError
from indirectml.descriptors.definitions import index
from indirectml.devices import device_of_calls
from indirectml.graphs.compiled_graphs import CompiledGraph
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
    tensors = {p.name for p in signature.parameters.values() if "Expression" in str(p.annotation)}
    if not tensors:  # a fill, whose first parameter is a graph
        return function

    @functools.wraps(function)
    def on_either(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None and args and isinstance(args[0], Expression):
            return function(*args, **kwargs)
        arrays: list[Array] = []
        key = _key_of_call(name, args, kwargs, arrays)
        found = _kept_for(key)
        if found is None:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                return function(*args, **kwargs)  # which says what is wrong with the arguments
            given = [each for one in tensors for each in _listed(bound.arguments.get(one))]
            are_nodes = any(isinstance(each, Expression) for each in given)
            if are_nodes or not any(map(_is_array, given)):
                if out is not None:
                    raise BindingError("has a meaning for arrays alone", field=f"{name}(out)")
                return function(*args, **kwargs)
            found, of_tensors = _made(function, bound, tensors, kwargs)
            if len(of_tensors) == len(arrays):  # else the numbers of others are part of the call
                _keep(key, found)
            arrays = of_tensors
        return _computed(found, arrays, name, out)

    # Pickles find it where it was asked for.
    on_either.__module__ = __name__
    return on_either


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "__dlpack__")


@dataclass(frozen=True)
class _Compiled:
    """A graph of the one node that a call makes of inputs like its arrays, in their order."""

    graph: CompiledGraph
    inputs: tuple[str, ...]
    outputs: Any
    made: tuple[Expression, ...]


#: By function, device, and what was given, as it was written: the last ones. A compiled graph of
#: one node takes some ten kilobytes.
_kept: OrderedDict[Any, _Compiled] = OrderedDict()
_MOST_KEPT = 256
#: Fewer bytes are copied in less time than a call takes longer that is told where to write.
_LEAST_IN_PLACE = 1 << 20
_lock = threading.Lock()


def _kept_for(key: Any) -> _Compiled | None:
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
    return found


def _keep(key: Any, found: _Compiled) -> None:
    if key is not None:
        with _lock:
            _kept[key] = found
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)


def _computed(found: _Compiled, arrays: list[Array], name: str, out: Any) -> Any:
    """Run the graph of a call with its arrays."""
    given = dict(zip(found.inputs, arrays, strict=True))
    if out is None:
        kept = iter(found.graph(given))
    else:
        _write(found.graph, given, _targets(list(found.made), out, name))
        kept = iter(_listed(out))
    outputs = found.outputs
    if isinstance(outputs, Expression):
        return next(kept)
    each = [None if one is None else next(kept) for one in outputs]
    return type(outputs)(*each) if hasattr(outputs, "_fields") else each


#: Of these the class and the value say all.
_PLAIN = frozenset((bool, int, str, type(None)))


def _key_of_call(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], arrays: list[Array]
) -> Any:
    """Return what is equal for calls that are alike, but for the numbers of the arrays they find.

    None where something is none of what functions take, so that nobody knows when it is alike.
    """
    try:
        return (
            name, device_of_calls.get(), *kwargs,
            *[_key(value, arrays) for value in args],
            *[_key(value, arrays) for value in kwargs.values()],
        )  # fmt: skip
    except TypeError:
        return None


def _key(value: Any, arrays: list[Array]) -> Any:
    """Return what is equal for values that are alike: 1 and 1.0 are not, nor are 0.0 and -0.0.

    Raises
    ------
    TypeError
        It is none of what functions take.
    """
    kind = value.__class__
    if kind is np.ndarray:
        arrays.append(value)
        return kind, value.shape, value.dtype
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, list | tuple):
        return kind, *[_key(each, arrays) for each in value]
    if isinstance(value, float):
        return float, value.hex()
    if isinstance(value, np.generic):
        return kind, value.tobytes()
    if isinstance(value, FusedActivation):
        return kind, *[_key(getattr(value, field.name), arrays) for field in fields(value)]
    if isinstance(value, bool | int | str | Enum | type | np.dtype):
        return kind, value
    if _is_array(value):
        return _key(np.asarray(as_readable_array(value)), arrays)
    raise TypeError


def _made(
    function: Callable[..., Any],
    bound: inspect.BoundArguments,
    tensors: set[str],
    kwargs: dict[str, Any],
) -> tuple[_Compiled, list[Array]]:
    """Return the graph for a call, and its arrays in the order in which they were written."""
    graph = Graph(Device(device_of_calls.get()))
    names: list[str] = []
    arrays: list[Array] = []

    def as_input(value: Any) -> Any:
        if not _is_array(value):
            return [*map(as_input, value)] if isinstance(value, list | tuple) else value
        array = as_readable_array(value)
        arrays.append(array)
        names.append(f"array_{len(names)}")
        return graph.input(array.shape, array.dtype, name=names[-1])

    for parameter in (*(one for one in bound.arguments if one not in kwargs), *kwargs):
        if parameter in tensors:
            bound.arguments[parameter] = as_input(bound.arguments[parameter])
    outputs = function(*bound.args, **bound.kwargs)
    made = [each for each in _listed(outputs) if each is not None]
    compiled = graph.compile([*made, *graph.unread(made)])
    return _Compiled(compiled, tuple(names), outputs, tuple(made)), arrays


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


def _write(graph: CompiledGraph, given: dict[str, Array], targets: list[Array]) -> None:
    """Write the results of a call to arrays: in place if these are large, and apart from others."""
    is_large = sum(target.nbytes for target in targets) >= _LEAST_IN_PLACE
    in_place = is_large and not graph.plan.kept and _are_apart(targets, [*given.values()])
    results = graph(given, out=targets if in_place else None)
    for target, result in zip(targets, results, strict=True):
        if result is not target:
            np.copyto(target, result)


def _are_apart(targets: list[Array], inputs: list[Array]) -> bool:
    """Return whether no array to be written lies on an input, or on another one."""
    return not any(
        np.may_share_memory(target, each)
        for number, target in enumerate(targets)
        for each in (*inputs, *targets[:number])
    )
