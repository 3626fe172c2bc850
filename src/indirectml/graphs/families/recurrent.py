"""Functions for graphs of the family recurrent, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from indirectml.catalogue.enumerations import GRUOutputOptions, RecurrentNetworkDirection
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.descriptors.definitions import graph_function
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import GRUOutputs
from indirectml.operators import descriptor_class
from indirectml.operators.recurrent import direction_count


@graph_function
def gru(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    bias: Expression | None = None,
    hidden_init: Expression | None = None,
    sequence_lengths: Expression | None = None,
    *,
    activation_descs: Sequence[FusedActivation],
    direction: RecurrentNetworkDirection = RecurrentNetworkDirection.FORWARD,
    linear_before_reset: bool = True,
    output_options: GRUOutputOptions = GRUOutputOptions.Both,
) -> GRUOutputs:
    """Return the hidden states of a gated recurrent unit; see `GruOperatorDesc`.

    Parameters
    ----------
    input : Expression
        [1, steps, batch, input size].
    weight, recurrence : Expression
        [1, directions, 3 * hidden size, input size], and hidden size.
    bias : Expression, optional
        [1, 1, directions, 6 * hidden size].
    hidden_init : Expression, optional
        [1, directions, batch, hidden size].
    sequence_lengths : Expression, optional
        [1, 1, 1, batch], UINT32.
    activation_descs : sequence of FusedActivation
        Two per direction.
    direction : RecurrentNetworkDirection
        Which way the sequence is read.
    linear_before_reset : bool
        Whether the reset gate is applied after the product with the hidden state.
    output_options : GRUOutputOptions
        Which outputs are made.

    Returns
    -------
    GRUOutputs
        The hidden states [steps, directions, batch, hidden size], and the last one.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1]]]], np.float32))
    >>> w = graph.constant(np.array([[[[0], [0], [3]]]], np.float32))
    >>> r = graph.constant(np.zeros((1, 1, 3, 1), np.float32))
    >>> identity = FusedActivation.identity()
    >>> options = GRUOutputOptions.Single
    >>> outputs = gru(x, w, r, activation_descs=[identity] * 2, output_options=options)
    >>> graph.compile([outputs.single])()
    [array([[[[3.]]]], dtype=float32)]
    """
    inputs = (input, weight, recurrence, bias, hidden_init, sequence_lengths)
    for expression in inputs[:3]:
        checked_operand("gru", expression)
    names = ("bias_tensor", "hidden_init_tensor", "sequence_lengths_tensor")
    optional = {
        name: None if e is None else checked_operand("gru", e).desc
        for name, e in zip(names, inputs[3:], strict=True)
    }
    _, steps, batch, _ = input.shape
    sizes = (direction_count(direction), batch, recurrence.shape[-1])
    wanted = {
        "output_sequence_tensor": (GRUOutputOptions.Sequence, steps),
        "output_single_tensor": (GRUOutputOptions.Single, 1),
    }
    made = {
        name: new_tensor(input, (count, *sizes))
        for name, (option, count) in wanted.items()
        if output_options in (GRUOutputOptions.Both, option)
    }
    desc = descriptor_class("GRU")(
        input.desc,
        weight.desc,
        recurrence.desc,
        activation_descs=activation_descs,
        direction=direction,
        linear_before_reset=linear_before_reset,
        **optional,
        **made,
    )
    return GRUOutputs(*input.graph.add_node(desc, *inputs))
