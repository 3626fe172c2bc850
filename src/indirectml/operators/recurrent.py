"""Recurrent networks: cells applied along a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.contraction import PANEL, contract
from indirectml.catalogue.enumerations import GRUOutputOptions, RecurrentNetworkDirection
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.descriptors.definitions import graph_function, operator
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor
from indirectml.graphs.outputs import GRUOutputs, LSTMOutputs, RNNOutputs
from indirectml.operators import descriptor_class

Activation = Callable[[Array], Array]
State = tuple[Array, ...]
Sizes = tuple[int, ...]
#: From a step's products X W^T and the state, the hidden one first, to the next state.
Cell = Callable[[Array, State], State]


def direction_count(direction: RecurrentNetworkDirection) -> int:
    """Return how many directions a network has."""
    return 2 if direction == RecurrentNetworkDirection.BIDIRECTIONAL else 1


def check_cell(desc: Any, gates: int, activations: int) -> Iterator[DirectMLError]:
    """Yield tensors whose sizes do not fit a cell of so many gates, and a wrong count."""
    _, length, batch, width = desc.input_tensor.sizes
    hidden = desc.recurrence_tensor.sizes[-1]
    count = direction_count(desc.direction)
    expected = {
        "input_tensor": (1, length, batch, width),
        "weight_tensor": (1, count, gates * hidden, width),
        "recurrence_tensor": (1, count, gates * hidden, hidden),
        "bias_tensor": (1, 1, count, 2 * gates * hidden),
        "hidden_init_tensor": (1, count, batch, hidden),
        "cell_mem_init_tensor": (1, count, batch, hidden),
        "sequence_lengths_tensor": (1, 1, 1, batch),
        "peephole_tensor": (1, 1, count, 3 * hidden),
        "output_sequence_tensor": (length, count, batch, hidden),
        "output_single_tensor": (1, count, batch, hidden),
        "output_cell_single_tensor": (1, count, batch, hidden),
    }
    for name, sizes in expected.items():
        tensor = getattr(desc, name, None)
        if tensor is not None and tensor.sizes_tuple != sizes:
            yield DescriptorError(
                f"needs {list(sizes)}", given=f"{tensor.sizes}", field=f"{name}.sizes"
            )
    if len(desc.activation_descs) != activations * count:
        yield DescriptorError(
            f"needs {activations} activations per direction, {activations * count}",
            given=f"{len(desc.activation_descs)}",
            field="activation_descs",
        )


def halves(bias: Array | None, direction: int, size: int) -> tuple[Array, Array]:
    """Return the biases of the input's and of the hidden state's products; zeros if left out."""
    if bias is None:
        zeros = np.zeros(size, np.float32)
        return zeros, zeros
    row = bias[0, 0, direction]
    return row[:size], row[size:]


def along_sequence(
    x: Array,
    weight: Array,
    state: State,
    lengths: Array | None,
    cell: Cell,
    *,
    is_backward: bool,
) -> tuple[Array, State]:
    """Return the hidden states of all steps of one direction, and the last state.

    A sequence that has ended keeps its state, and its steps beyond the end are zeros. Backwards,
    each sequence begins at its own end.
    """
    count, batch, _ = x.shape
    ends = np.full(batch, count) if lengths is None else np.minimum(lengths.reshape(-1), count)
    products = contract(x, weight.swapaxes(-1, -2))
    states = np.zeros((count, *state[0].shape), np.float32)
    for step in reversed(range(count)) if is_backward else range(count):
        is_running = (step < ends)[:, None]
        after = cell(products[step], state)
        state = tuple(np.where(is_running, new, old) for new, old in zip(after, state, strict=True))
        states[step] = np.where(is_running, state[0], np.float32(0))
    return states, state


def initial(given: Array | None, direction: int, batch: int, size: int) -> Array:
    """Return an initial state of one direction; zeros if left out."""
    return np.zeros((batch, size), np.float32) if given is None else given[0, direction]


def directions_of(direction: RecurrentNetworkDirection) -> list[bool]:
    """Return, per direction, whether it runs backwards."""
    return {
        RecurrentNetworkDirection.FORWARD: [False],
        RecurrentNetworkDirection.BACKWARD: [True],
        RecurrentNetworkDirection.BIDIRECTIONAL: [False, True],
    }[direction]


def _transposed(_: Any) -> bool:
    return True


#: Both matrices of weights are used transposed.
_PACKS = {"weight_tensor": _transposed, "recurrence_tensor": _transposed}


#: Of functions for graphs: which way a sequence is read, unless it is said.
_FORWARD = {"direction": RecurrentNetworkDirection.FORWARD}


def _state_sizes(
    input_sizes: Sizes, _: Sizes, recurrence_sizes: Sizes, *__: Sizes | None,
    direction: RecurrentNetworkDirection,
) -> tuple[Sizes, Sizes]:  # fmt: skip
    """Steps, directions, batch and hidden size; of what is of the last step, 1 for the steps."""
    sizes = (direction_count(direction), input_sizes[2], recurrence_sizes[-1])
    return (input_sizes[1], *sizes), (1, *sizes)


def _state_and_cell_sizes(
    *sizes: Sizes | None, direction: RecurrentNetworkDirection
) -> tuple[Sizes, ...]:
    """As of RNN; those of the last cell are those of the last hidden state."""
    sequence, single = _state_sizes(*sizes, direction=direction)  # type: ignore[arg-type]
    return sequence, single, single


def _one_gate(desc: Any) -> Iterator[DirectMLError]:
    yield from check_cell(desc, gates=1, activations=1)


def _products(desc: Any) -> int:
    """Return how many products of inputs and weights there are, of all steps of one direction."""
    _, length, batch, _ = desc.input_tensor.sizes
    return int(length * batch * desc.weight_tensor.sizes[-2])


@operator("RNN", "rnn", sizes=_state_sizes, check=_one_gate, packs=_PACKS, outputs=RNNOutputs,
          between=_products, defaults=_FORWARD
          | {"output_sequence_tensor": True, "output_single_tensor": True})  # fmt: skip
def rnn_states(
    x: Array,
    weight: Array,
    recurrence: Array,
    bias: Array | None,
    hidden_init: Array | None,
    lengths: Array | None,
    *,
    activation_descs: Sequence[Activation],
    direction: RecurrentNetworkDirection,
) -> tuple[Array, Array]:
    """Outputs = the hidden states of a recurrent network: of all steps, and the last one.

    H' = f((X W^T + H R^T) + (Wb + Rb)), in FLOAT32: products by rule C256 as in GEMM, every other
    operation rounded. What is left out, and sequences that are shorter, as in GRU.

    Example: activation_descs=[FusedActivation.identity()], direction=FORWARD;
        float32 [[[[1]], [[2]]]], [[[[3]]]], [[[[1]]]], None, None, None
        -> [[[[3]]], [[[9]]]], [[[[9]]]]
    """
    size = recurrence.shape[-1]
    sequences, singles = [], []
    for number, is_backward in enumerate(directions_of(direction)):
        weights = recurrence[0, number].swapaxes(-1, -2)
        w_bias, r_bias = halves(bias, number, size)

        def cell(
            xw: Array,
            state: State,
            f: Activation = activation_descs[number],
            weights: Array = weights,
            biases: Array = w_bias + r_bias,
        ) -> State:
            return (f((xw + contract(state[0], weights)) + biases),)

        start = (initial(hidden_init, number, x.shape[2], size),)
        states, (last,) = along_sequence(
            x[0], weight[0, number], start, lengths, cell, is_backward=is_backward
        )
        sequences.append(states)
        singles.append(last)
    return np.stack(sequences, 1), np.stack(singles)[None]


def _four_gates(desc: Any) -> Iterator[DirectMLError]:
    yield from check_cell(desc, gates=4, activations=3)
    if desc.use_clip_threshold and not desc.clip_threshold > 0:
        yield DescriptorError(
            "needs a number above 0", given=f"{desc.clip_threshold}", field="clip_threshold"
        )


@operator("LSTM", "lstm", sizes=_state_and_cell_sizes, check=_four_gates, packs=_PACKS,
          between=_products, outputs=LSTMOutputs, defaults=_FORWARD | {
              "clip_threshold": 0, "use_clip_threshold": False, "couple_input_forget": False,
              "output_sequence_tensor": True, "output_single_tensor": True,
              "output_cell_single_tensor": True})  # fmt: skip
def lstm_states(
    x: Array,
    weight: Array,
    recurrence: Array,
    bias: Array | None,
    hidden_init: Array | None,
    cell_init: Array | None,
    lengths: Array | None,
    peephole: Array | None,
    *,
    activation_descs: Sequence[Activation],
    direction: RecurrentNetworkDirection,
    clip_threshold: float,
    use_clip_threshold: bool,
    couple_input_forget: bool,
) -> tuple[Array, Array, Array]:
    """Outputs = the hidden states of a long short-term memory, the last one, and the last cell.

    With gates in the order i, o, f, c, peephole weights Pi, Po, Pf, and activations f, g, h:

        i = f(((X Wi^T + H Ri^T) + (Wbi + Rbi)) + Pi * C)
        f = f(((X Wf^T + H Rf^T) + (Wbf + Rbf)) + Pf * C), or 1 - i with CoupleInputForget
        c = g((X Wc^T + H Rc^T) + (Wbc + Rbc))
        C' = f * C + i * c
        o = f(((X Wo^T + H Ro^T) + (Wbo + Rbo)) + Po * C')
        H' = o * h(C')

    FLOAT32: products by rule C256 as in GEMM, every other operation rounded; without peephole
    weights that term is no operation. With UseClipThreshold what goes into f and g is limited to
    -ClipThreshold and ClipThreshold. What is left out, and sequences that are shorter, as in GRU.

    The page errs: it has Po * C for Po * C'. ONNX's LSTM, in whose words the formula is given,
    decides.

    Example: activation_descs=[FusedActivation.identity(), FusedActivation.identity(),
        FusedActivation.identity()], direction=FORWARD, clip_threshold=0, use_clip_threshold=False,
        couple_input_forget=False;
        float32 [[[[1]]]], [[[[2], [3], [4], [5]]]], [[[[0], [0], [0], [0]]]], None, None, None,
        None, None -> [[[[30]]]], [[[[30]]]], [[[[10]]]]
    """
    size = recurrence.shape[-1]
    sequences, singles, cells = [], [], []
    limit = np.float32(clip_threshold)

    def limited(value: Array) -> Array:
        if not use_clip_threshold:
            return value
        return np.where(value > limit, limit, np.where(value < -limit, -limit, value))

    for number, is_backward in enumerate(directions_of(direction)):
        f, g, h = activation_descs[3 * number : 3 * number + 3]
        weights = recurrence[0, number].swapaxes(-1, -2)
        w_bias, r_bias = halves(bias, number, 4 * size)
        peepholes = None if peephole is None else peephole[0, 0, number].reshape(3, size)

        def cell(
            xw: Array,
            state: State,
            functions: tuple[Activation, ...] = (f, g, h),
            weights: Array = weights,
            biases: Array = w_bias + r_bias,
            peepholes: Array | None = peepholes,
        ) -> State:
            hidden, memory = state
            sums = (xw + contract(hidden, weights)) + biases
            gate = [sums[:, k * size : (k + 1) * size] for k in range(4)]
            gate_of, of_input, of_output = functions
            if peepholes is not None:
                gate[0] = gate[0] + peepholes[0] * memory
                gate[2] = gate[2] + peepholes[2] * memory
            entering = gate_of(limited(gate[0]))
            kept = np.float32(1) - entering if couple_input_forget else gate_of(limited(gate[2]))
            memory = kept * memory + entering * of_input(limited(gate[3]))
            if peepholes is not None:
                gate[1] = gate[1] + peepholes[1] * memory
            return gate_of(limited(gate[1])) * of_output(memory), memory

        start = (
            initial(hidden_init, number, x.shape[2], size),
            initial(cell_init, number, x.shape[2], size),
        )
        states, (last, memory) = along_sequence(
            x[0], weight[0, number], start, lengths, cell, is_backward=is_backward
        )
        sequences.append(states)
        singles.append(last)
        cells.append(memory)
    return np.stack(sequences, 1), np.stack(singles)[None], np.stack(cells)[None]


def _gates(desc: Any) -> Iterator[DirectMLError]:
    yield from check_cell(desc, gates=3, activations=2)


def _packs_in_two(desc: Any) -> bool | None:
    """Return that weights are transposed; None where the last gate's begin within a panel."""
    return None if 2 * desc.recurrence_tensor.sizes_tuple[-1] % PANEL else True


@operator("GRU", check=_gates, packs=_PACKS | {"recurrence_tensor": _packs_in_two},
          between=_products)  # fmt: skip
def gru_states(
    x: Array,
    weight: Array,
    recurrence: Array,
    bias: Array | None,
    hidden_init: Array | None,
    lengths: Array | None,
    *,
    activation_descs: Sequence[Activation],
    direction: RecurrentNetworkDirection,
    linear_before_reset: bool,
) -> tuple[Array, Array]:
    """Outputs = the hidden states of a gated recurrent unit: of all steps, and the last one.

    With gates in the order z, r, h, and activations f, g:

        z = f((X Wz^T + H Rz^T) + (Wbz + Rbz))
        r = f((X Wr^T + H Rr^T) + (Wbr + Rbr))
        h = g((X Wh^T + (r * H) Rh^T) + (Wbh + Rbh))
        h = g((X Wh^T + Wbh) + r * (H Rh^T + Rbh))          with LinearBeforeReset
        H' = (1 - z) * h + z * H

    FLOAT32: products by rule C256 as in GEMM, every other operation rounded. A bias or an initial
    state that is left out is zeros. A sequence that is shorter than the others keeps its last
    hidden state, and its steps beyond the end are zeros; backwards it begins at its own end.

    The page is silent: the order of operations, and shorter sequences; ONNX's GRU, in whose words
    the formula is given, decides.

    Example: activation_descs=[FusedActivation.identity(), FusedActivation.identity()],
        direction=FORWARD, linear_before_reset=False;
        float32 [[[[1]]]], [[[[0], [0], [3]]]], [[[[0], [0], [0]]]], None, None, None
        -> [[[[3]]]], [[[[3]]]]
    """
    size = recurrence.shape[-1]
    sequences, singles = [], []
    for number, is_backward in enumerate(directions_of(direction)):
        f, g = activation_descs[2 * number : 2 * number + 2]
        r_weights = recurrence[0, number].swapaxes(-1, -2)
        w_bias, r_bias = halves(bias, number, 3 * size)

        def cell(
            xw: Array,
            state: State,
            f: Activation = f,
            g: Activation = g,
            weights: Array = r_weights,
            wb: Array = w_bias,
            rb: Array = r_bias,
        ) -> State:
            (h,) = state
            gates = f((xw[:, : 2 * size] + contract(h, weights[:, : 2 * size]))
                      + (wb[: 2 * size] + rb[: 2 * size]))  # fmt: skip
            z, r = gates[:, :size], gates[:, size:]
            own, of_hidden = xw[:, 2 * size :], weights[:, 2 * size :]
            if linear_before_reset:
                inner = (own + wb[2 * size :]) + r * (contract(h, of_hidden) + rb[2 * size :])
            else:
                inner = (own + contract(r * h, of_hidden)) + (wb[2 * size :] + rb[2 * size :])
            return ((np.float32(1) - z) * g(inner) + z * h,)

        start = (initial(hidden_init, number, x.shape[2], size),)
        states, (last,) = along_sequence(
            x[0], weight[0, number], start, lengths, cell, is_backward=is_backward
        )
        sequences.append(states)
        singles.append(last)
    return np.stack(sequences, 1), np.stack(singles)[None]


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
