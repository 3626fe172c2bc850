"""Functions for graphs of the family scans, written by hand."""

from __future__ import annotations

import math

import numpy as np

from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import NonZeroCoordinatesOutputs
from indirectml.operators import descriptor_class


def _coordinates(input_sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """One number, and a row of as many coordinates as there are dimensions for each element."""
    return (1,), (math.prod(input_sizes), len(input_sizes))


@graph_function
def non_zero_coordinates(input: Expression) -> NonZeroCoordinatesOutputs:
    """Return how many elements are not zero, and the coordinates of each.

    Parameters
    ----------
    input : Expression
        What is looked at.

    Returns
    -------
    NonZeroCoordinatesOutputs
        The count, and a row of coordinates for each element of the input: those behind the count
        are zeros.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, 5]], np.float32))
    >>> graph.compile(non_zero_coordinates(x))()
    [array([1], dtype=uint32), array([[0, 1],
           [0, 0]], dtype=uint32)]
    """
    count, rows = _coordinates(checked_operand("non_zero_coordinates", input).shape)
    desc = descriptor_class("NONZERO_COORDINATES")(
        input.desc, new_tensor(input, count, np.uint32), new_tensor(input, rows, np.uint32)
    )
    return NonZeroCoordinatesOutputs(*input.graph.add_node(desc, input))
