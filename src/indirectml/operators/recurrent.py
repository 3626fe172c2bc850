"""Recurrent networks: cells applied along a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.recurrence import Applied, Cell, Part, Values
from indirectml.arithmetic.recurrence import recurrence as carried
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


def directions_of(direction: RecurrentNetworkDirection) -> list[bool]:
    """Return, per direction, whether it runs backwards."""
    return {
        RecurrentNetworkDirection.FORWARD: [False],
        RecurrentNetworkDirection.BACKWARD: [True],
        RecurrentNetworkDirection.BIDIRECTIONAL: [False, True],
    }[direction]


def _carried(
    x: Array,
    weight: Array,
    recurrence: Array,
    biases: Array | None,
    peephole: Array | None,
    states: Sequence[Array | None],
    lengths: Array | None,
    cells: Sequence[Cell],
    direction: RecurrentNetworkDirection,
) -> tuple[Array, ...]:
    """Return the hidden states of all steps, and each last state."""
    _, steps, batch, width = x.shape
    directions, rows = weight.shape[1:3]
    columns = weight.reshape(directions * rows, width).swapaxes(-1, -2)
    products = contract(x.reshape(steps * batch, width), columns)
    first, second = (None if state is None else state[0] for state in (*states, None)[:2])
    return carried(
        products.reshape(steps, batch, directions, rows),
        recurrence[0].swapaxes(-1, -2),
        biases,
        None if peephole is None else peephole[0, 0],
        first,
        second,
        None if lengths is None else lengths.reshape(batch),
        cells=tuple(cells),
        are_backward=directions_of(direction),
    )


def _sums(bias: Array | None) -> Array | None:
    """Return the biases of the input's products with those of the hidden state's added."""
    if bias is None:
        return None
    of_input, of_hidden = (bias[0, 0, :, half] for half in _halves(bias.shape[-1]))
    return of_input + of_hidden


def _halves(size: int) -> tuple[slice, slice]:
    return slice(0, size // 2), slice(size // 2, size)


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


def _rnn(values: Values, f: Activation) -> State:
    (own,), (product,), (bias,), *_ = values
    return (f((own + product) + bias),)


@operator("RNN", "rnn", sizes=_state_sizes, check=_one_gate, outputs=RNNOutputs, defaults=_FORWARD
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
    cells = [
        Cell(1, 1, 1, (Part(0, 1, Applied(_rnn, (("f", activation),))),))
        for activation in activation_descs
    ]
    states, last = _carried(
        x, weight, recurrence, _sums(bias), None, (hidden_init,), lengths, cells, direction
    )
    return states, last


def _four_gates(desc: Any) -> Iterator[DirectMLError]:
    yield from check_cell(desc, gates=4, activations=3)
    if desc.use_clip_threshold and not desc.clip_threshold > 0:
        yield DescriptorError(
            "needs a number above 0", given=f"{desc.clip_threshold}", field="clip_threshold"
        )


def _lstm(
    values: Values,
    functions: Sequence[Activation],
    limit: float | None,
    is_coupled: bool,  # noqa: FBT001 (an argument as data)
) -> State:
    gate_of, of_input, of_output = functions
    hidden, memory = values.states
    del hidden  # which the products have

    def limited(value: Array) -> Array:
        if limit is None:
            return value
        bound = np.float32(limit)
        return np.where(value > bound, bound, np.where(value < -bound, -bound, value))

    gate = [
        (own + product) + bias
        for own, product, bias in zip(values.own, values.products, values.biases, strict=True)
    ]
    if values.peepholes:
        gate[0] = gate[0] + values.peepholes[0] * memory
        gate[2] = gate[2] + values.peepholes[2] * memory
    entering = gate_of(limited(gate[0]))
    kept = np.float32(1) - entering if is_coupled else gate_of(limited(gate[2]))
    memory = kept * memory + entering * of_input(limited(gate[3]))
    if values.peepholes:
        gate[1] = gate[1] + values.peepholes[1] * memory
    return gate_of(limited(gate[1])) * of_output(memory), memory


@operator("LSTM", "lstm", sizes=_state_and_cell_sizes, check=_four_gates,
          outputs=LSTMOutputs, defaults=_FORWARD | {
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
    limit = float(clip_threshold) if use_clip_threshold else None
    cells = []
    for number in range(0, len(activation_descs), 3):
        functions = tuple(activation_descs[number : number + 3])
        arguments = (
            ("functions", functions),
            ("limit", limit),
            ("is_coupled", couple_input_forget),
        )
        cells.append(Cell(4, 4, 2, (Part(0, 4, Applied(_lstm, arguments)),)))
    states, last, last_cell = _carried(
        x, weight, recurrence, _sums(bias), peephole, (hidden_init, cell_init), lengths, cells,
        direction,
    )  # fmt: skip
    return states, last, last_cell


def _gates(desc: Any) -> Iterator[DirectMLError]:
    yield from check_cell(desc, gates=3, activations=2)


def _gru_gates(values: Values, f: Activation) -> State:
    """Return what the last gate multiplies, and the update gate."""
    z, r = (
        f((own + product) + bias)
        for own, product, bias in zip(values.own, values.products, values.biases, strict=False)
    )
    return r * values.states[0], z


def _gru_reset_before(values: Values, g: Activation) -> State:
    (product,), (_, z), (h,) = values.products, values.handed, values.states
    inner = (values.own[2] + product) + values.biases[2]
    return ((np.float32(1) - z) * g(inner) + z * h,)


def _gru_reset_after(values: Values, f: Activation, g: Activation) -> State:
    (h,) = values.states
    own, products = values.own, values.products
    wz, wr, wh, rz, rr, rh = values.biases
    z = f((own[0] + products[0]) + (wz + rz))
    r = f((own[1] + products[1]) + (wr + rr))
    inner = (own[2] + wh) + r * (products[2] + rh)
    return ((np.float32(1) - z) * g(inner) + z * h,)


@operator("GRU", check=_gates)
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
    cells = []
    for number in range(0, len(activation_descs), 2):
        f, g = activation_descs[number : number + 2]
        after = Part(0, 3, Applied(_gru_reset_after, (("f", f), ("g", g))))
        before = Part(2, 3, Applied(_gru_reset_before, (("g", g),)))
        gates = Part(0, 2, Applied(_gru_gates, (("f", f),)))
        cells.append(Cell(3, 6, 1, (after,)) if linear_before_reset else
                     Cell(3, 3, 1, (gates, before)))  # fmt: skip
    whole = None if bias is None else bias[0, 0]
    states, last = _carried(
        x, weight, recurrence, whole if linear_before_reset else _sums(bias), None, (hidden_init,),
        lengths, cells, direction,
    )  # fmt: skip
    return states, last


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
