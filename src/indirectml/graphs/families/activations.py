"""Functions for graphs of the family activations, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, elementwise_tensor
from indirectml.operators import descriptor_class


@graph_function
def activation_softmax(input: Expression, *, axes: Sequence[int] = ()) -> Expression:
    """Return softmax along some axes.

    Parameters
    ----------
    input : Expression
        What is normalized.
    axes : sequence of int
        From 0; by ACTIVATION_SOFTMAX1. Left empty, the last one, by ACTIVATION_SOFTMAX.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, 0], [0, -np.inf]], np.float32))
    >>> graph.compile([activation_softmax(x)])()
    [array([[0.5, 0.5],
           [1. , 0. ]], dtype=float32)]
    """
    return _normalized("SOFTMAX", input, axes)


@graph_function
def activation_log_softmax(input: Expression, *, axes: Sequence[int] = ()) -> Expression:
    """Return the logarithm of softmax along some axes.

    Parameters
    ----------
    input : Expression
        What is normalized.
    axes : sequence of int
        From 0; by ACTIVATION_LOG_SOFTMAX1. Left empty, the last one, by ACTIVATION_LOG_SOFTMAX.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, -np.inf]], np.float32))
    >>> graph.compile([activation_log_softmax(x)])()
    [array([[  0., -inf]], dtype=float32)]
    """
    return _normalized("LOG_SOFTMAX", input, axes)


@graph_function
def activation_hardmax(input: Expression, *, axes: Sequence[int] = ()) -> Expression:
    """Return 1 at the first of the largest elements along some axes, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        What is compared.
    axes : sequence of int
        From 0; by ACTIVATION_HARDMAX1. Left empty, the last one, by ACTIVATION_HARDMAX.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[1, 3, 3]], np.float32))
    >>> graph.compile([activation_hardmax(x)])()
    [array([[0., 1., 0.]], dtype=float32)]
    """
    return _normalized("HARDMAX", input, axes)


def _normalized(name: str, input: Expression, axes: Sequence[int]) -> Expression:
    function = f"activation_{name.lower()}"
    output = elementwise_tensor(function, checked_operand(function, input))
    if axes:
        desc = descriptor_class(f"ACTIVATION_{name}1")(input.desc, output, axes=axes)
    else:
        desc = descriptor_class(f"ACTIVATION_{name}")(input.desc, output)
    return input.graph.add_node(desc, input)[0]
