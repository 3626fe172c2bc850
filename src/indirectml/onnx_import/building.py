"""Operators that have no function for graphs, added by their fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from indirectml.core.data_types import DataTypeLike
from indirectml.descriptors.definitions import fields_of
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.operators import descriptor_class

#: Data type and sizes of an output; None for one that nobody reads.
Output = tuple[DataTypeLike, Sequence[int]] | None


def added(
    graph: LoadingGraph,
    name: str,
    inputs: Sequence[Expression | Sequence[Expression] | None],
    outputs: Sequence[Output],
    **fields: Any,
) -> tuple[Expression, ...]:
    """Return the outputs of an operator; None for those that are left out.

    Parameters
    ----------
    graph : LoadingGraph
        Where it goes.
    name : str
        DirectML's, without its prefix.
    inputs : sequence
        In the order of its fields; a list where a field is an array, None for what is left out.
    outputs : sequence
        Data type and sizes of each; None for what is left out.
    **fields
        Its attributes in Python's spelling.

    Raises
    ------
    DirectMLError
        The device refuses it.
    """
    given = iter(inputs)
    made = iter(outputs)
    bound: list[Expression | None] = []
    for field, facts in fields_of(name):
        if facts.kind == "input_tensor":
            own = next(given, None)
            if facts.array:
                several = list(own) if own is not None else []  # type: ignore[arg-type]  # by the docstring
                fields[field] = [each.desc for each in several]
                bound += several
            else:
                fields[field] = None if own is None else own.desc  # type: ignore[union-attr]  # likewise
                bound.append(own)  # type: ignore[arg-type]  # likewise
        elif facts.kind == "output_tensor":
            output = next(made, None)
            fields[field] = None if output is None else graph.output_tensor(*output)
    return graph.add_node(descriptor_class(name)(**fields), *bound)
