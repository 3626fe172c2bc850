"""Functions for graphs of the family gathering, written by hand."""

from __future__ import annotations

from indirectml.descriptors.checks import check_axis
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class


@graph_function
def one_hot(
    indices: Expression, values: Expression, *, output_length: int, axis: int
) -> Expression:
    """Return the second of two values at the index, and the first elsewhere along an axis.

    Parameters
    ----------
    indices : Expression
        Of size 1 along the axis.
    values : Expression
        At least two elements: what is written elsewhere, and what at the index.
    output_length : int
        The size along the axis.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> indices = graph.constant(np.array([[1]], np.int32))
    >>> values = graph.constant(np.array([[0, 5]], np.float32))
    >>> graph.compile([one_hot(indices, values, output_length=3, axis=1)])()
    [array([[0., 5., 0.]], dtype=float32)]
    """
    check_axis(axis, checked_operand("one_hot", indices).desc, "one_hot(axis)")
    sizes = (*indices.shape[:axis], output_length, *indices.shape[axis + 1 :])
    output = new_tensor(checked_operand("one_hot", values), sizes)
    desc = descriptor_class("ONE_HOT")(indices.desc, values.desc, output, axis)
    return values.graph.add_node(desc, indices, values)[0]
