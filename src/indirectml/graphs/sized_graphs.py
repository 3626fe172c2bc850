"""Graphs whose sizes have names: compiled for the sizes that come."""

from __future__ import annotations

import operator
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from indirectml.core.errors import BindingError, DataTypeError, DescriptorError, shown
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression
from indirectml.graphs.graphs import Graph
from indirectml.graphs.inputs import Input
from indirectml.passes.parts import Former

#: How many compiled graphs are kept, each for a set of sizes.
KEPT = 8

#: A size: a number, or the name of one.
_Size = int | str


class SizedGraph:
    """A graph whose inputs have sizes with names, compiled for each set of sizes that comes.

    Parameters
    ----------
    graph : Graph
        Its constants are read and put in panels once, and all compiled graphs share them.
    function : callable
        From expressions, by the names of inputs, to a list of outputs. Called for each set of
        sizes; constants are made outside of it.
    inputs : dict
        From names to sizes, of integers and names; or to a pair of sizes and a data type, which is
        FLOAT32 otherwise. One name is one size, wherever it stands.
    kept : int
        How many compiled graphs are kept: those used last.

    Raises
    ------
    DataTypeError, DescriptorError
        An argument is of another kind, or `kept` below 1.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> weights = graph.constant(np.ones((3, 2), np.float32))
    >>> product = SizedGraph(graph, lambda x: [gemm(x, weights)], {"x": ["rows", 3]})
    >>> [product({"x": np.ones((rows, 3))})[0].shape for rows in (1, 4)]
    [(1, 2), (4, 2)]
    >>> product.at(rows=4)
    CompiledGraph(1 inputs, 1 outputs)
    """

    def __init__(
        self,
        graph: Graph,
        function: Callable[..., Sequence[Expression]],
        inputs: Mapping[str, Any],
        *,
        kept: int = KEPT,
    ) -> None:
        if not isinstance(graph, Graph) or not callable(function):
            raise DataTypeError(
                "needs a graph and a function",
                given=f"{shown(graph)} and {shown(function)}",
                field="SizedGraph",
            )
        if not isinstance(kept, int) or kept < 1:
            raise DescriptorError("needs at least 1", given=shown(kept), field="SizedGraph.kept")
        self.graph = graph
        self._function, self._kept = function, kept
        self._inputs = {name: _declared(name, given) for name, given in inputs.items()}
        self._found: OrderedDict[tuple[tuple[str, int], ...], CompiledGraph] = OrderedDict()
        self._former = Former()
        self._lock = threading.RLock()

    @property
    def inputs(self) -> dict[str, tuple[_Size, ...]]:
        """The sizes of the inputs, by name."""
        return {name: sizes for name, (sizes, _) in self._inputs.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of sizes, in the order of the inputs."""
        every = (size for sizes in self.inputs.values() for size in sizes)
        return tuple(dict.fromkeys(size for size in every if isinstance(size, str)))

    def at(self, sizes: Mapping[str, Any] | None = None, /, **more: Any) -> CompiledGraph:
        """Return the compiled graph of some sizes, made now if there is none.

        Parameters
        ----------
        sizes : dict
            From names of sizes to integers; and from names of inputs to sizes, or to arrays that
            have them.
        **more
            The same.

        Raises
        ------
        BindingError
            Names of sizes are left (all are told), or sizes contradict each other.
        """
        found: dict[str, int] = {}
        for name, given in {**(sizes or {}), **more}.items():
            if name in self._inputs:
                whole = given if isinstance(given, list | tuple) else np.shape(given)
                self._bind(name, tuple(whole), found)
            elif name not in self.names:
                known = ", ".join((*self.names, *self._inputs)) or "none"
                raise BindingError(
                    f"needs names of sizes and inputs: {known}", given=shown(name), field="at"
                )
            else:
                try:
                    number = operator.index(given)
                except TypeError:
                    raise DataTypeError(
                        "needs an integer", given=shown(given), field=f"at.{name}"
                    ) from None
                _agree(found, name, number, f"at.{name}")
        left = [name for name in self.names if name not in found]
        if left:
            raise BindingError(f"needs sizes: {', '.join(left)}", field="at")
        return self._compiled(found)

    def __call__(
        self,
        inputs: Mapping[str, Any],
        *,
        readback: bool = True,
        out: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Execute the graph in the sizes of the arrays; parameters as of a compiled graph.

        Raises
        ------
        BindingError
            Sizes contradict each other, or as a compiled graph.
        """
        found: dict[str, int] = {}
        for name, given in inputs.items():
            if name in self._inputs:
                self._bind(name, np.shape(given), found)
        left = [name for name in self.names if name not in found]
        if left:
            raise BindingError(f"needs inputs that say {', '.join(left)}", field="GRAPH.dispatch")
        bound: dict[Any, Any] = dict(inputs)
        return self._compiled(found)(bound, readback=readback, out=out)

    def _bind(self, name: str, given: Sequence[int], found: dict[str, int]) -> None:
        """Find the names of sizes that an input says."""
        declared, _ = self._inputs[name]
        if len(given) != len(declared):
            raise BindingError(
                f"needs {len(declared)} sizes {list(declared)}", given=f"{list(given)}", field=name
            )
        for axis, (size, number) in enumerate(zip(declared, given, strict=True)):
            if isinstance(size, str):
                _agree(found, size, number, f"{name}: dimension {axis}")
            elif size != number:
                raise BindingError(
                    f"needs size {size} for dimension {axis}", given=f"{number}", field=name
                )

    def _compiled(self, sizes: Mapping[str, int]) -> CompiledGraph:
        key = tuple((name, sizes[name]) for name in self.names)
        with self._lock:
            found = self._found.get(key)
            if found is None:
                found = self._found[key] = self._made(sizes)
                if len(self._found) > self._kept:
                    self._found.popitem(last=False)
            self._found.move_to_end(key)
            return found

    def _made(self, sizes: Mapping[str, int]) -> CompiledGraph:
        known: dict[Expression | str, Input | None] = {}
        given = {}
        for name, (declared, dtype) in self._inputs.items():
            desc = TensorDesc(dtype, [sizes[n] if isinstance(n, str) else n for n in declared])
            given[name] = expression = self.graph.unlisted_input(desc, name)
            known |= {name: expression.value, expression: expression.value}  # type: ignore[dict-item]
        return self.graph.compile_for(list(self._function(**given)), known, former=self._former)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {list(sizes)}" for name, sizes in self.inputs.items())
        return f"SizedGraph({inputs})"


def _declared(name: str, given: Any) -> tuple[tuple[_Size, ...], Any]:
    """Return the sizes and the data type of an input."""
    is_pair = len(given) == 2 and isinstance(given[0], list | tuple)  # noqa: PLR2004 (a pair)
    sizes, dtype = given if is_pair else (given, np.float32)
    if not all(isinstance(size, int | str) for size in sizes):
        raise DataTypeError("needs integers and names", given=shown(sizes), field=f"inputs.{name}")
    return tuple(sizes), dtype


def _agree(found: dict[str, int], name: str, number: int, place: str) -> None:
    if number < 1:
        raise BindingError("needs a size from 1 up", given=f"{number}", field=place)
    if found.setdefault(name, number) != number:
        raise BindingError(
            f"needs {found[name]}, which {name!r} is already", given=f"{number}", field=place
        )
