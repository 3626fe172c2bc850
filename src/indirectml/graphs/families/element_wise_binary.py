"""Functions for graphs of the family element wise binary, written by hand."""

from __future__ import annotations

from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, elementwise_tensor
from indirectml.operators import descriptor_class


@graph_function
def add(
    a: Expression, b: Expression, *, fused_activation: FusedActivation | None = None
) -> Expression:
    """Return a + b, element by element.

    By ELEMENT_WISE_ADD, or with an activation by ELEMENT_WISE_ADD1.

    Parameters
    ----------
    a, b : Expression
        Of equal sizes and data type.
    fused_activation : FusedActivation, optional
        Computed on the sum before it is rounded to the output's data type.

    Raises
    ------
    DescriptorError
        They differ; the message shows the call.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([add(a, a)])()
    [array([2., 4.], dtype=float32)]
    """
    output = elementwise_tensor("add", a, b)
    if fused_activation is None or not fused_activation.activation:
        desc = descriptor_class("ELEMENT_WISE_ADD")(a.desc, b.desc, output)
    else:
        desc = descriptor_class("ELEMENT_WISE_ADD1")(a.desc, b.desc, output, fused_activation)
    return a.graph.add_node(desc, a, b)[0]
