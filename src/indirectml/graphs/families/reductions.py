"""Functions for graphs of the family reductions, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class
from indirectml.operators.reductions import INDEX_FUNCTIONS, reduced_sizes


@graph_function
def reduce(
    input: Expression,
    *,
    function: ReduceFunction,
    axes: Sequence[int] = (),
    output_dtype: DataTypeLike | None = None,
) -> Expression:
    """Return one number from the elements along some axes, whose sizes become 1.

    Parameters
    ----------
    input : Expression
        What is reduced.
    function : ReduceFunction
        How; see `ReduceOperatorDesc`.
    axes : sequence of int
        All of them if left empty.
    output_dtype : NumPy dtype or TensorDataType, optional
        Of the result. UINT32 by default for ARGMAX and ARGMIN, and the input's for all others.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[2, 3], value_start=1, value_delta=1)
    >>> graph.compile([reduce(ramp, function=ReduceFunction.SUM, axes=[1])])()
    [array([[ 6.],
           [15.]], dtype=float32)]
    """
    axes = tuple(axes) or tuple(range(len(checked_operand("reduce", input).shape)))
    if output_dtype is None and function in INDEX_FUNCTIONS:
        output_dtype = TensorDataType.UINT32
    output = new_tensor(input, reduced_sizes(input.shape, axes=axes), output_dtype)
    desc = descriptor_class("REDUCE")(function, input.desc, output, axes)
    return input.graph.add_node(desc, input)[0]
