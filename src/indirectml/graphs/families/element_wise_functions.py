"""Functions for graphs of the family element wise functions, written by hand."""

from __future__ import annotations

from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, ScaleBiasLike, elementwise_tensor
from indirectml.operators import descriptor_class


@graph_function
def pow(
    input: Expression, exponent: Expression | float, *, scale_bias: ScaleBiasLike = None
) -> Expression:
    """Return a tensor to the power of another, or of a number.

    Parameters
    ----------
    input : Expression
        The base.
    exponent : Expression or float
        By ELEMENT_WISE_POW or by ELEMENT_WISE_CONSTANT_POW.
    scale_bias : (float, float), optional
        Applied to the base first.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([3, -4], np.float32))
    >>> graph.compile([pow(x, 2)])()
    [array([ 9., 16.], dtype=float32)]
    """
    output = elementwise_tensor("pow", input)
    if isinstance(exponent, Expression):
        desc = descriptor_class("ELEMENT_WISE_POW")(
            input.desc, exponent.desc, output, scale_bias=scale_bias
        )
        return input.graph.add_node(desc, input, exponent)[0]
    desc = descriptor_class("ELEMENT_WISE_CONSTANT_POW")(
        input.desc, output, exponent=exponent, scale_bias=scale_bias
    )
    return input.graph.add_node(desc, input)[0]
