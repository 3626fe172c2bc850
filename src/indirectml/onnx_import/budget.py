"""What loading a model may take, asked from sizes before anything is computed.

Few bytes of a model may say many nodes (functions and loops) or large tensors (ranges, windows), so
whatever is in no proportion to the file is taken from a budget first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from indirectml.core.data_types import DataTypeLike
from indirectml.core.errors import DataTypeError, ModelError, SettingError, shown
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression, Sizes
from indirectml.graphs.graphs import Graph
from indirectml.passes.parts import Former
from indirectml.runtime import Device, Operator

#: What loading may take if nothing is said: 4 GiB, as for dispatch models.
DEFAULT_MEMORY_LIMIT = 4 << 30

#: A limit allows a node for so many bytes: an operator takes some kilobytes, and up to a
#: millisecond. Tables are read by a loop of 501 steps, 171,923 nodes (PaddleOCR's SLANet).
NODE_BYTES = 1 << 14

#: What a number counts that becomes a Python object.
_OBJECT_BYTES = 64

#: How many numbers are tried behind a name that is taken.
_MOST_TRIED = 100

_HINT = "memory_limit=, or --memory-limit, raises this"


class BudgetError(ModelError):
    """Loading takes more than it may."""


class NodesError(BudgetError):
    """There are more nodes than the budget has: what comes after is not looked at.

    `is_told` is whether the node is known for which it ran out.
    """

    is_told = False


class Budget:
    """What is left of what loading a model may take.

    Parameters
    ----------
    limit : int
        Bytes: of tensors that are made while loading, and of those that are read for it. A node
        that is walked, and an operator that is made, is one of `limit` / `NODE_BYTES` nodes.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes_left = limit
        self._most_nodes = self._nodes_left = max(limit // NODE_BYTES, 1)

    def take_nodes(self, count: int = 1) -> None:
        """Count nodes that are walked, or operators that are made.

        Raises
        ------
        NodesError
            There are too many.
        """
        try:
            self.check_nodes(count)
        except BudgetError as error:
            raise NodesError(error.required, given=error.given, hint=error.hint) from None
        self._nodes_left -= count

    def check_nodes(self, count: int) -> None:
        """Refuse nodes that are still to be walked, if there are too many.

        Raises
        ------
        BudgetError
            There are.
        """
        if count > self._nodes_left:
            raise BudgetError(
                f"needs at most {self._most_nodes} nodes and operators, functions and loops "
                "written out",
                given=f"{self._most_nodes - self._nodes_left + count}",
                hint=_HINT,
            )

    def has_bytes(self, count: int) -> bool:
        """Return whether as many bytes are left."""
        return count <= self._bytes_left

    def take_bytes(self, count: int) -> None:
        """Count bytes that are about to be made or read.

        Raises
        ------
        BudgetError
            There are too many.
        """
        if not self.has_bytes(count):
            raise BudgetError(
                f"needs at most {self._limit} bytes for all that is known while loading",
                given=f"{self._limit - self._bytes_left + count}",
                hint=_HINT,
            )
        self._bytes_left -= max(count, 0)

    def take_elements(self, shape: Sizes, dtype: Any) -> None:
        """Count the elements of a tensor.

        Raises
        ------
        BudgetError
            There are too many.
        """
        self.take_bytes(math.prod(shape) * np.dtype(dtype).itemsize)

    def take_objects(self, count: int) -> None:
        """Count numbers that become Python's.

        Raises
        ------
        BudgetError
            There are too many.
        """
        self.take_bytes(count * _OBJECT_BYTES)


def checked_limit(given: Any) -> int:
    """Return the bytes that loading may take.

    Raises
    ------
    DataTypeError, SettingError
        It is no integer from 1 up.
    """
    if given is None:
        return DEFAULT_MEMORY_LIMIT
    try:
        limit = operator.index(given)
    except TypeError:
        raise DataTypeError(
            "needs a number of bytes", given=shown(given), field="memory_limit"
        ) from None
    if limit < 1:
        raise SettingError("needs a number of bytes", given=f"{limit}", field="memory_limit")
    return limit


#: An operator of a graph, what feeds it, and what it makes.
Added = tuple[Operator, tuple[Expression | None, ...], tuple[Expression | None, ...]]


def node_of(outputs: Sequence[Expression | None]) -> Any:
    """Return the node that makes some outputs."""
    return next(x.value.node for x in outputs if x is not None)  # type: ignore[attr-defined]


class LoadingGraph(Graph):
    """A graph whose operators, and constants that are copied, come from a budget.

    Parameters
    ----------
    names : collection of str
        Of all inputs that the model has, which nothing else is called.

    Attributes
    ----------
    budget : Budget
        Of the model that is loaded.
    added : list of (Operator, tuple, tuple)
        All operators since `begin`, read or not, with what feeds them and what they make.
    reserved : set of str
        Names that no constant gets.
    """

    def __init__(self, device: Device, budget: Budget, names: Collection[str] = ()) -> None:
        super().__init__(device)
        self.budget = budget
        self.added: list[Added] = []
        self.reserved: set[str] = set(names)
        self._names: dict[Any, tuple[int, str]] = {}

    def begin(self, budget: Budget) -> None:
        """Have inputs anew, for other sizes; constants stay as long as something reads them."""
        self.budget = budget
        self.added.clear()
        self._names.clear()
        self._known = {}

    def beside(self) -> LoadingGraph:
        """Return another graph from the same budget, for what is computed while loading."""
        return LoadingGraph(self.device, self.budget)

    def connected(
        self, operator: Operator, inputs: tuple[Expression | None, ...], name: str = ""
    ) -> tuple[Expression, ...]:
        """Add an operator that the device has checked, as to any graph."""
        self.budget.take_nodes()
        outputs = super().connected(operator, inputs, name)
        self.added.append((operator, inputs, outputs))
        return outputs

    def in_place(self, operator: Operator, place: Any) -> Any:
        """Return the node of an operator in the place of another, which is connected as that."""
        node = self.node_of(operator, (), "")
        node.place = place
        return node

    def _is_free(self, name: str) -> bool:
        return name not in self.reserved and super()._is_free(name)

    def compile_again(self, outputs: Sequence[Expression], former: Former) -> CompiledGraph:
        """Return what outputs need, compiled, as `compile` does.

        `former` is given what the plan leaves for the one of other sizes.
        """
        return self.compile_for(outputs, self._known, former=former)

    # ---- names ----

    @contextmanager
    def naming(self, name: str) -> Iterator[None]:
        """Give operators that are added a name, as far as they have none."""
        first = len(self.added)
        yield
        self.name_added(first, name)

    def name_added(self, first: int, name: str) -> None:
        """Give operators that were added, from a number on, a name, as far as they have none.

        Of several, each has that of its operator behind it.
        """
        made = [node_of(outputs) for _, _, outputs in self.added[first:]]
        found = [node for node in made if not node.name]
        for number, node in enumerate(found):
            kind = node.operator.desc.operator_name
            node.name = name if len(found) == 1 else f"{name}/{kind}_{number}"

    def name_value(self, x: Expression, name: str, depth: int) -> None:
        """Give what an operator writes its name in the model: the first, of the outermost graph."""
        value: Any = x.value
        if not hasattr(value, "node"):
            return
        place = value.node, value.index
        if place not in self._names or self._names[place][0] > depth:
            self._names[place] = depth, name
            value.node.value_names[value.index] = name

    def constant(
        self,
        array: Any,
        dtype: DataTypeLike | None = None,
        *,
        sizes: Sizes | None = None,
        name: str | None = None,
        copy: bool = True,
    ) -> Expression:
        """Return a constant, as in any graph; what repeats elements, or has gaps, is copied."""
        elements = np.asarray(array)
        if copy or not elements.flags.c_contiguous:
            self.budget.take_bytes(elements.nbytes)
        if name is not None:
            name = self._free_name(name)
        return super().constant(array, dtype, sizes=sizes, name=name, copy=copy)

    def _free_name(self, name: str) -> str | None:
        """Return a name that no input, output or other constant has; None to make one up."""
        if "\0" in name or name.startswith("nodeIdx:"):
            return None
        taken = self._known
        if name not in taken and name not in self.reserved:
            return name
        names = (f"{name}_{k}" for k in range(1, _MOST_TRIED))
        return next((n for n in names if n not in taken and n not in self.reserved), None)
