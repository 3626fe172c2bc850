"""Functions for graphs of the family fills, written by hand."""

from __future__ import annotations

import numpy as np

from indirectml.core.data_types import DataTypeLike, TensorDataType
from indirectml.core.scalars import Scalar
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import (
    Expression,
    NodeBuilder,
    Sizes,
    checked_operand,
    scalar_argument,
)
from indirectml.operators import descriptor_class


@graph_function
def fill_value_constant(
    graph: NodeBuilder, *, sizes: Sizes, value: Scalar, dtype: DataTypeLike | None = None
) -> Expression:
    """Return a tensor of a graph whose elements all have one value.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([fill_value_constant(graph, sizes=[1, 2], value=0.5)])()
    [array([[0.5, 0.5]], dtype=float32)]
    """
    tensor, data_type = _tensor(graph, dtype, sizes)
    bits = scalar_argument("value", value, data_type)
    return graph.add_node(descriptor_class("FILL_VALUE_CONSTANT")(tensor, data_type, bits))[0]


@graph_function
def fill_value_sequence(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value_start: Scalar,
    value_delta: Scalar,
    dtype: DataTypeLike | None = None,
) -> Expression:
    """Return a tensor of a graph that holds a sequence, under the device's rule.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value_start, value_delta : int or float
        Converted once to exact bits; see `fill_sequence`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold a value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[1, 3], value_start=3, value_delta=2)
    >>> graph.compile([ramp])()
    [array([[3., 5., 7.]], dtype=float32)]
    """
    tensor, data_type = _tensor(graph, dtype, sizes)
    start = scalar_argument("value_start", value_start, data_type)
    delta = scalar_argument("value_delta", value_delta, data_type, is_delta=True)
    return graph.add_node(descriptor_class("FILL_VALUE_SEQUENCE")(tensor, data_type, start, delta))[
        0
    ]


def _tensor(
    graph: NodeBuilder, dtype: DataTypeLike | None, sizes: Sizes
) -> tuple[TensorDesc, TensorDataType]:
    tensor = graph.output_tensor(np.float32 if dtype is None else dtype, sizes)
    return tensor, tensor.data_type


@graph_function
def diagonal_matrix(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value: Scalar = 1,
    diagonal_fill_begin: int = 0,
    diagonal_fill_end: int = 1,
    input: Expression | None = None,
    dtype: DataTypeLike | None = None,
) -> Expression:
    """Return matrices with a value on some diagonals; see `DiagonalMatrix1OperatorDesc`.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor; its last two dimensions are matrices.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    diagonal_fill_begin, diagonal_fill_end : int
        The value stands where the column less the row is from the one on and below the other: on
        the main diagonal, unless they are given.
    input : Expression, optional
        What stands elsewhere, of the same sizes and data type; 0 without.
    dtype : NumPy dtype or TensorDataType, optional
        That of `input`, or FLOAT32.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([diagonal_matrix(graph, sizes=[2, 3], value=7)])()
    [array([[7., 0., 0.],
           [0., 7., 0.]], dtype=float32)]
    """
    if input is not None:
        checked_operand("diagonal_matrix", input)
        dtype = input.desc.data_type if dtype is None else dtype
    tensor, data_type = _tensor(graph, dtype, sizes)
    desc = descriptor_class("DIAGONAL_MATRIX1")(
        input_tensor=None if input is None else input.desc,
        output_tensor=tensor,
        value_data_type=data_type,
        value=scalar_argument("value", value, data_type),
        diagonal_fill_begin=diagonal_fill_begin,
        diagonal_fill_end=diagonal_fill_end,
    )
    return graph.add_node(desc, input)[0]
