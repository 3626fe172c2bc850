"""Functions for graphs of the family movement, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from indirectml.core.errors import DataTypeError, DescriptorError, shown
from indirectml.descriptors.checks import check_axis
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.operators import descriptor_class
from indirectml.operators.movement import joined_sizes, window_count


@graph_function
def join(inputs: Sequence[Expression], *, axis: int) -> Expression:
    """Return tensors one behind the other along an axis.

    Parameters
    ----------
    inputs : sequence of Expression
        At least one. Their sizes differ along the axis alone.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = fill_value_constant(graph, sizes=[1, 2], value=0)
    >>> b = fill_value_sequence(graph, sizes=[2, 2], value_start=1, value_delta=1)
    >>> graph.compile([join([a, b], axis=0)])()
    [array([[0., 0.],
           [1., 2.],
           [3., 4.]], dtype=float32)]
    """
    if isinstance(inputs, Expression):
        raise DataTypeError(
            "needs a sequence of expressions", given=shown(inputs), hint="write join([x, y], ...)",
            field="join",
        )  # fmt: skip
    if not inputs:
        raise DescriptorError("needs at least one expression", given="none", field="join")
    first = checked_operand("join", inputs[0])
    check_axis(axis, first.desc, "join(axis)")
    for other in inputs:
        check_axis(axis, checked_operand("join", other).desc, "join(axis)")
    tensors = [e.desc for e in inputs]
    output = new_tensor(first, joined_sizes(*(e.shape for e in inputs), axis=axis))
    return first.graph.add_node(descriptor_class("JOIN")(tensors, output, axis), *inputs)[0]


@graph_function
def split(
    input: Expression,
    *,
    axis: int,
    output_axis_sizes: Sequence[int],
) -> list[Expression]:
    """Return the parts of a tensor along an axis.

    Parameters
    ----------
    input : Expression
        What is split.
    axis : int
        From 0.
    output_axis_sizes : sequence of int
        Of the parts along the axis; they add up to the size of `input`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[4], value_start=0, value_delta=1)
    >>> graph.compile(split(ramp, axis=0, output_axis_sizes=[1, 3]))()
    [array([0.], dtype=float32), array([1., 2., 3.], dtype=float32)]
    """
    check_axis(axis, checked_operand("split", input).desc, "split(axis)")
    tensors = []
    for size in output_axis_sizes:
        sizes = (*input.shape[:axis], size, *input.shape[axis + 1 :])
        tensors.append(new_tensor(input, sizes))
    desc = descriptor_class("SPLIT")(input.desc, tuple(tensors), axis)
    return list(input.graph.add_node(desc, input))


@graph_function
def slice(
    input: Expression,
    *,
    input_window_offsets: Sequence[int],
    input_window_sizes: Sequence[int],
    input_window_strides: Sequence[int],
) -> Expression:
    """Return every so many elements of a window of a tensor.

    Parameters
    ----------
    input : Expression
        What is sliced.
    input_window_offsets, input_window_sizes, input_window_strides : sequence of int
        One each per dimension; see `Slice1OperatorDesc`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[6], value_start=0, value_delta=1)
    >>> window = {"input_window_offsets": [1], "input_window_sizes": [5]}
    >>> graph.compile([slice(ramp, **window, input_window_strides=[-2])])()
    [array([5., 3., 1.], dtype=float32)]
    """
    checked_operand("slice", input)
    sizes = [
        window_count(size, stride) if stride else 1
        for size, stride in zip(input_window_sizes, input_window_strides, strict=False)
    ]
    # Where the lengths differ, the descriptor says so.
    sizes += [1] * (len(input.shape) - len(sizes))
    desc = descriptor_class("SLICE1")(
        input.desc,
        new_tensor(input, sizes[: len(input.shape)]),
        input_window_offsets,
        input_window_sizes,
        input_window_strides,
    )
    return input.graph.add_node(desc, input)[0]
