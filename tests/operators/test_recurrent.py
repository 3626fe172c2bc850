"""Recurrent networks one sequence after the other, and against ONNX Runtime."""

import itertools

import numpy as np
import pytest

from indirectml import DirectMLError, FusedActivation, RecurrentNetworkDirection, TensorDataType
from tests.arithmetic import digits, products
from tests.operators import oracle
from tests.operators.elsewhere import assert_close, computed, normal, onnx_runtime
from tests.operators.families import Trial, places, run_oracle

FORWARD, BACKWARD, BOTH = (
    RecurrentNetworkDirection.FORWARD,
    RecurrentNetworkDirection.BACKWARD,
    RecurrentNetworkDirection.BIDIRECTIONAL,
)

STEPS, BATCH, WIDTH, HIDDEN = 4, 3, 5, 2

#: Activations, and what they are, of FLOAT32 arrays.
FUNCTIONS = {
    "sigmoid": (FusedActivation.sigmoid(), lambda x: digits.rounded("sigmoid", "float32", x)),
    "tanh": (FusedActivation.tanh(), lambda x: digits.rounded("tanh", "float32", x)),
    "relu": (FusedActivation.relu(), lambda x: np.where(x <= 0, np.float32(0), x)),
    "identity": (FusedActivation.identity(), lambda x: x),
}


def dot(vector, matrix):
    """Return a vector times a transposed matrix: each number one chain of products."""
    return products.contract(vector[None, :], matrix.T)[0]


class Cell:
    """Rows of weights of one direction, by the letter of their gate."""

    def __init__(self, gates, w, r, bias):
        self.w, self.r, self.wb, self.rb = {}, {}, {}, {}
        for number, gate in enumerate(gates):
            rows = slice(number * HIDDEN, (number + 1) * HIDDEN)
            later = slice(rows.start + len(gates) * HIDDEN, rows.stop + len(gates) * HIDDEN)
            zero = np.zeros(HIDDEN, np.float32)
            self.w[gate], self.r[gate] = w[rows], r[rows]
            self.wb[gate] = zero if bias is None else bias[rows]
            self.rb[gate] = zero if bias is None else bias[later]

    def sums(self, gate, x, h):
        """Return what goes into a gate, without peepholes."""
        products_ = dot(x, self.w[gate]) + dot(h, self.r[gate])
        return products_ + (self.wb[gate] + self.rb[gate])


def rnn_step(cell, functions, x, state, _, __):
    (f,) = functions
    return (f(cell.sums("i", x, state[0])),)


def gru_step(cell, functions, x, state, _, fields):
    f, g = functions
    h = state[0]
    z, r = f(cell.sums("z", x, h)), f(cell.sums("r", x, h))
    if fields["linear_before_reset"]:
        inner = (dot(x, cell.w["h"]) + cell.wb["h"]) + r * (dot(h, cell.r["h"]) + cell.rb["h"])
    else:
        inner = dot(x, cell.w["h"]) + dot(r * h, cell.r["h"])
        inner = inner + (cell.wb["h"] + cell.rb["h"])
    return ((np.float32(1) - z) * g(inner) + z * h,)


def lstm_step(cell, functions, x, state, peepholes, fields):
    f, g, after = functions
    h, c = state
    limit = np.float32(fields["clip_threshold"]) if fields["use_clip_threshold"] else np.inf

    def clipped(values):
        return np.array([min(max(v, -limit), limit) if v == v else v for v in values], np.float32)  # noqa: PLR0124

    def entering(gate, memory):
        total = cell.sums(gate, x, h)
        if peepholes is not None and gate in peepholes:
            total = total + peepholes[gate] * memory
        return clipped(total)

    i = f(entering("i", c))
    forget = np.float32(1) - i if fields["couple_input_forget"] else f(entering("f", c))
    new = forget * c + i * g(entering("c", c))
    o = f(entering("o", new))
    return o * after(new), new


STEP = {"RNN": ("i", 1, rnn_step), "GRU": ("zrh", 2, gru_step), "LSTM": ("iofc", 3, lstm_step)}


def network(name, fields, functions, x, w, r, bias, starts, lengths, peepholes):
    """Return hidden states of all steps, and the last of each state, sequence by sequence."""
    gates, count, step = STEP[name]
    directions = {FORWARD: [1], BACKWARD: [-1], BOTH: [1, -1]}[fields["direction"]]
    steps, batch = x.shape[1:3]
    states = np.zeros((steps, len(directions), batch, HIDDEN), np.float32)
    lasts = [np.zeros((1, len(directions), batch, HIDDEN), np.float32) for _ in starts]
    for d, way in enumerate(directions):
        cell = Cell(gates, w[0, d], r[0, d], None if bias is None else bias[0, 0, d])
        own = functions[d * count : (d + 1) * count]
        rows = None if peepholes is None else peepholes[0, 0, d].reshape(3, HIDDEN)
        named = None if rows is None else dict(zip("iof", rows, strict=True))
        for b in range(batch):
            length = steps if lengths is None else min(int(lengths[0, 0, 0, b]), steps)
            state = tuple(np.zeros(HIDDEN, np.float32) if s is None else s[0, d, b] for s in starts)
            for t in range(length)[::way]:
                state = step(cell, own, x[0, t, b], state, named, fields)
                states[t, d, b] = state[0]
            for last, value in zip(lasts, state, strict=True):
                last[0, d, b] = value
    return [states, *lasts]


#: Direction, which optional inputs and outputs there are, and activations in turn.
VARIANTS = (
    (FORWARD, "bh", "sequence single", ("sigmoid", "tanh", "tanh")),
    (BACKWARD, "bhl", "sequence single", ("tanh", "relu", "identity")),
    (BOTH, "hlcp", "sequence", ("sigmoid", "relu", "tanh")),
    (BOTH, "blcp", "single", ("identity", "tanh", "sigmoid")),
    (FORWARD, "cp", "sequence single", ("relu", "identity", "sigmoid")),
    (BACKWARD, "bl", "single", ("sigmoid", "tanh", "tanh")),
)


def tensors_of(place, d, given, outputs):
    """Return the fields of tensors, those that are left out missing."""
    rows = len(STEP[place.name][0]) * HIDDEN
    tensors = {
        "input_tensor": place.tensor((1, STEPS, BATCH, WIDTH)),
        "weight_tensor": place.tensor((1, d, rows, WIDTH)),
        "recurrence_tensor": place.tensor((1, d, rows, HIDDEN)),
    }
    optional = {
        "bias_tensor": ("b", (1, 1, d, 2 * rows)),
        "hidden_init_tensor": ("h", (1, d, BATCH, HIDDEN)),
        "sequence_lengths_tensor": ("l", (1, 1, 1, BATCH)),
    }
    made = {
        "output_sequence_tensor": ("sequence", (STEPS, d, BATCH, HIDDEN)),
        "output_single_tensor": ("single", (1, d, BATCH, HIDDEN)),
    }
    if place.name == "LSTM":
        optional["cell_mem_init_tensor"] = ("c", (1, d, BATCH, HIDDEN))
        optional["peephole_tensor"] = ("p", (1, 1, d, 3 * HIDDEN))
        made["output_cell_single_tensor"] = made["output_single_tensor"]
    for field, (letter, sizes) in optional.items():
        if letter in given:
            data_type = TensorDataType.UINT32 if letter == "l" else None
            tensors[field] = place.tensor(sizes, data_type)
    for field, (word, sizes) in made.items():
        if word in outputs:
            tensors[field] = place.output(sizes)
    return tensors


def recurrent(place):
    count = STEP[place.name][1]
    for number, (direction, given, outputs, names) in enumerate(VARIANTS):
        d = 2 if direction == BOTH else 1
        names = (names[:count] + names[::-1][:count])[: d * count]  # noqa: PLW2901
        fields = {"direction": direction}
        if place.name == "GRU":
            fields["linear_before_reset"] = number % 2 == 1
        if place.name == "LSTM":
            fields |= {"clip_threshold": 0.6, "use_clip_threshold": number % 3 == 1,
                       "couple_input_forget": number % 2 == 1}  # fmt: skip
        desc = place.desc(
            **tensors_of(place, d, given, outputs), **fields,
            activation_descs=[FUNCTIONS[n][0] for n in names],
        )  # fmt: skip

        def function(x, w, r, *rest, fields=fields, names=names, outputs=outputs):
            inputs = [None if a is None else a.astype(np.float32) for a in (x, w, r, *rest)]
            x, w, r, bias, *rest = inputs
            starts, lengths, peepholes = rest[:1], rest[1], None
            if len(rest) > 2:
                starts, lengths, peepholes = rest[:2], rest[2], rest[3]
            functions = [FUNCTIONS[n][1] for n in names]
            states, *lasts = network(
                place.name, fields, functions, x, w, r, bias, starts, lengths, peepholes
            )
            wanted = [states] * ("sequence" in outputs) + lasts * ("single" in outputs)
            return [oracle.quiet(a.astype(place.dtype)) for a in wanted]

        kinds = {"sequence_lengths_tensor": np.array([0, 1, 2, STEPS, STEPS + 3])}
        near = np.array([-2, -1, -0.75, -0.3, 0, 0.1, 0.4, 0.9, 1.3])
        order = [name for name, _ in desc.tensors("input_tensor")]
        yield Trial(desc, function, [kinds.get(name, near) for name in order])
        yield Trial(desc, function, [kinds.get(name) for name in order])


ORACLES = dict.fromkeys(STEP, recurrent)


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def weights(name, d, hidden=3, width=4, steps=5, batch=2):
    """Return input, weights, recurrence, bias and initial state of a network."""
    rows = len(STEP[name][0]) * hidden
    return [
        normal(1, steps, batch, width, seed=1),
        normal(1, d, rows, width, seed=2),
        normal(1, d, rows, hidden, seed=3),
        normal(1, 1, d, 2 * rows, seed=4),
        normal(1, d, batch, hidden, seed=5),
    ]


DIRECTIONS = {"forward": FORWARD, "reverse": BACKWARD, "bidirectional": BOTH}


@pytest.mark.parametrize("direction", list(DIRECTIONS))
@pytest.mark.parametrize("lengths", [None, [5, 3]])
@pytest.mark.parametrize(
    ("name", "fields", "attributes"),
    [
        ("RNN", {}, {}),
        ("GRU", {"linear_before_reset": False}, {"linear_before_reset": 0}),
        ("GRU", {"linear_before_reset": True}, {"linear_before_reset": 1}),
        ("LSTM", {}, {}),
        ("LSTM", {"couple_input_forget": True}, {"input_forget": 1}),
        ("LSTM", {"use_clip_threshold": True, "clip_threshold": 0.5}, {"clip": 0.5}),
    ],
)
def test_gates_lie_as_those_of_onnx_runtime(name, fields, attributes, direction, lengths):
    d = 2 if direction == "bidirectional" else 1
    x, w, r, bias, start = weights(name, d)
    length = None if lengths is None else np.array(lengths, np.int32)
    inputs = [x[0], w[0], r[0], bias[0, 0], length, start[0]]
    here = [x, w, r, bias, start]
    if name == "LSTM":
        cell, peephole = normal(1, d, 2, 3, seed=6), normal(1, 1, d, 9, seed=7)
        inputs += [cell[0], peephole[0, 0]]
        here += [cell]
    here.append(None if length is None else length.astype(np.uint32).reshape(1, 1, 1, 2))
    if name == "LSTM":
        here.append(peephole)
        fields = {"clip_threshold": 0, "use_clip_threshold": False, "couple_input_forget": False,
                  **fields}  # fmt: skip
    of_cell = {"RNN": ["tanh"], "GRU": ["sigmoid", "tanh"], "LSTM": ["sigmoid", "tanh", "tanh"]}
    activations = [FUNCTIONS[n][0] for n in of_cell[name]] * d

    wanted = onnx_runtime(name, inputs, 3 if name == "LSTM" else 2, hidden_size=3,
                          direction=direction, **attributes)  # fmt: skip
    outputs = [(np.float32, wanted[0].shape)]
    outputs += [(np.float32, (1, *a.shape)) for a in wanted[1:]]
    actual = computed(name, here, outputs, direction=DIRECTIONS[direction],
                      activation_descs=activations, **fields)  # fmt: skip

    assert_close(actual[0], wanted[0])
    for found, last in zip(actual[1:], wanted[1:], strict=True):
        assert_close(found[0], last)


@pytest.mark.parametrize("name", list(STEP))
def test_refuses_too_few_activations_and_wrong_sizes(name):
    x, w, r, bias, start = weights(name, 1)
    extra = {
        "GRU": {"linear_before_reset": False},
        "LSTM": {"clip_threshold": 0, "use_clip_threshold": False, "couple_input_forget": False},
    }
    outputs = [(np.float32, (5, 1, 2, 3))]
    activations = [FUNCTIONS["tanh"][0]] * STEP[name][1]
    rest = [None] * {"RNN": 1, "GRU": 1, "LSTM": 3}[name]

    for inputs, given, text in (
        ([x, w, r, bias, start, *rest], activations[1:], r"activation_descs: needs \d"),
        ([x, w, r, bias[..., :-1], start, *rest], activations, r"bias_tensor\.sizes: needs \["),
        ([x, w[:, :, :-1], r, bias, start, *rest], activations, r"weight_tensor\.sizes: needs \["),
    ):
        with pytest.raises(DirectMLError, match=rf"{name}\.{text}"):
            computed(name, inputs, outputs, direction=FORWARD, activation_descs=given,
                     **extra.get(name, {}))  # fmt: skip


def test_every_direction_is_tried():
    assert {direction for direction, *_ in VARIANTS} == set(RecurrentNetworkDirection)
    assert len(set(itertools.chain(*(names for *_, names in VARIANTS)))) == len(FUNCTIONS)
