"""The native step of recurrence beside its NumPy form, over all options, targets and threads."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml import FusedActivation, RecurrentNetworkDirection
from indirectml.arithmetic.recurrence import recurrence
from indirectml.core.data_types import TensorDataType
from indirectml.core.settings import available_targets
from indirectml.operators import compute_function, descriptor_class
from indirectml.plans import WordStep
from tests.bits import assert_bits_equal

GATES = {"RNN": (1, 1), "GRU": (3, 2), "LSTM": (4, 3)}

#: Units beside the columns of a panel, and so many that a chain of products ends within; sequences
#: beside the rows of a tile.
SIZES = [(1, 1), (3, 2), (15, 5), (16, 1), (17, 14), (33, 15), (48, 1), (128, 3), (260, 2)]

#: Every activation that is a function of one number.
ACTIVATIONS = [
    FusedActivation.celu(1.5),
    FusedActivation.elu(1.5),
    FusedActivation.gelu(),
    FusedActivation.hard_sigmoid(0.3, 0.6),
    FusedActivation.identity(),
    FusedActivation.leaky_relu(0.1),
    FusedActivation.linear(0.5, 0.25),
    FusedActivation.parametric_softplus(0.5, 0.75),
    FusedActivation.relu(),
    FusedActivation.scaled_elu(),
    FusedActivation.scaled_tanh(0.5, 2),
    FusedActivation.sigmoid(),
    FusedActivation.shrink(0.1, 0.2),
    FusedActivation.softplus(2),
    FusedActivation.softsign(),
    FusedActivation.tanh(),
    FusedActivation.thresholded_relu(0.2),
]


def trial(seed):
    """Return a descriptor of random options, and its inputs."""
    random = np.random.default_rng(seed)
    name = ("LSTM", "GRU", "RNN")[seed % 3]
    gates, count = GATES[name]
    units, batch = SIZES[seed % len(SIZES)]
    steps, width = int(random.integers(1, 6)), int(random.integers(1, 40))
    direction = list(RecurrentNetworkDirection)[seed // 3 % 3]
    d = 2 if direction == RecurrentNetworkDirection.BIDIRECTIONAL else 1
    dtype = np.float16 if seed % 5 == 4 else np.float32
    sizes = {
        "input_tensor": (1, steps, batch, width),
        "weight_tensor": (1, d, gates * units, width),
        "recurrence_tensor": (1, d, gates * units, units),
        "bias_tensor": (1, 1, d, 2 * gates * units),
        "hidden_init_tensor": (1, d, batch, units),
        "cell_mem_init_tensor": (1, d, batch, units),
        "sequence_lengths_tensor": (1, 1, 1, batch),
        "peephole_tensor": (1, 1, d, 3 * units),
    }
    outputs = {
        "output_sequence_tensor": (steps, d, batch, units),
        "output_single_tensor": (1, d, batch, units),
        "output_cell_single_tensor": (1, d, batch, units),
    }
    if name != "LSTM":
        for field in ("cell_mem_init_tensor", "peephole_tensor", "output_cell_single_tensor"):
            sizes.pop(field, None)
            outputs.pop(field, None)
    inputs = {}
    for number, (field, shape) in enumerate(sizes.items()):
        if number > 2 and random.random() < 0.4:
            inputs[field] = None
        elif field == "sequence_lengths_tensor":
            inputs[field] = random.integers(0, steps + 2, shape, np.uint32)
        else:
            values = random.standard_normal(shape).astype(dtype)
            if number > 2 and random.random() < 0.2:
                values.ravel()[random.integers(values.size)] = random.choice([np.nan, np.inf, -0.0])
            inputs[field] = values / dtype(np.sqrt(units)) if number == 2 else values
    fields = {
        field: None if a is None else dml.TensorDesc(a.dtype, a.shape)
        for field, a in inputs.items()
    }
    fields |= {field: dml.TensorDesc(dtype, shape) for field, shape in outputs.items()}
    if name == "GRU":
        fields["linear_before_reset"] = bool(random.integers(2))
    if name == "LSTM":
        fields |= {"clip_threshold": 0.7, "use_clip_threshold": bool(random.integers(2)),
                   "couple_input_forget": bool(random.integers(2))}  # fmt: skip
    chosen = [ACTIVATIONS[(seed + 5 * k) % len(ACTIVATIONS)] for k in range(count * d)]
    desc = descriptor_class(name)(**fields, direction=direction, activation_descs=chosen)
    return desc, list(inputs.values())


def expected_of(desc, inputs):
    """Return what the definition gives, called with arrays."""
    arrays = [a if a is None or a.dtype != np.float16 else a.astype(np.float32) for a in inputs]
    with np.errstate(all="ignore"):
        results = compute_function(desc.operator_name)(desc, *arrays)
        return [a.astype(desc.input_tensor.data_type.dtype) for a in results]


def compiled(desc):
    device = dml.Device()
    return device.compile_operator(device.create_operator(desc))


def recurrent_step(plan):
    (step,) = (s for s in plan.steps if isinstance(s, WordStep) and s.word is recurrence.word)
    return step


@pytest.mark.parametrize("seed", range(45))
def test_all_options_on_all_targets_have_the_bits_of_the_numpy_form(seed):
    desc, inputs = trial(seed)
    operator = compiled(desc)
    assert recurrent_step(operator.plan).native is not None
    wanted = expected_of(desc, inputs)

    for target, threads in itertools.product(available_targets(), (1, 2, 3)):
        dml.configure(target=target, max_threads=threads)
        for actual, expected in zip(operator(inputs), wanted, strict=True):
            where = f"{target}, {threads} threads"
            assert_bits_equal(actual=actual, expected=expected, where=where)


def test_every_activation_is_tried():
    tried = {fused.activation for seed in range(45) for fused in trial(seed)[0].activation_descs}
    assert tried == {fused.activation for fused in ACTIVATIONS}


@pytest.mark.parametrize("name", list(GATES))
@pytest.mark.parametrize(("units", "batch", "dtype"), [(16, 1, "f4"), (20, 3, "f4"), (32, 2, "f2")])
def test_threads_share_directions_and_sequences_and_constants_are_in_panels(
    name, units, batch, dtype
):
    """So much that threads pay: sequences in groups, and weights that a graph owns."""
    gates, count = GATES[name]
    steps, batch = 40, 16 * batch
    random = np.random.default_rng(units)

    def numbers(*sizes):
        return (random.standard_normal(sizes) / np.sqrt(units)).astype(dtype)

    data = [numbers(1, steps, batch, 8), numbers(1, 2, gates * units, 8),
            numbers(1, 2, gates * units, units)]  # fmt: skip
    results = []
    for packs in (False, True):
        graph = dml.Graph(dml.Device())
        x = graph.input(data[0].shape, dtype, name="x")
        weights = [
            graph.constant(a) if packs else graph.input(a.shape, dtype, name=f"w{k}")
            for k, a in enumerate(data[1:])
        ]
        outputs = getattr(dml, name.lower())(
            x, *weights, activation_descs=[FusedActivation.tanh()] * count * 2,
            direction=RecurrentNetworkDirection.BIDIRECTIONAL,
        )  # fmt: skip
        made = graph.compile(list(outputs))
        step = recurrent_step(made.plan)
        is_whole = -(-gates * units // 16) * 16 <= 1.1 * gates * units
        assert (step.inputs[1].panels is not None) == (packs and is_whole)
        assert step.native is not None
        given = {"x": data[0]} | ({} if packs else {"w0": data[1], "w1": data[2]})
        for threads in (1, 2, 3, 5):
            dml.configure(max_threads=threads)
            results.append(made(given))
    for found in results[1:]:
        for actual, expected in zip(found, results[0], strict=True):
            assert_bits_equal(actual=actual, expected=expected)


def test_its_memory_is_in_the_plan():
    tensors = {
        "input_tensor": [1, 2, 1, 4], "weight_tensor": [1, 1, 32, 4],
        "recurrence_tensor": [1, 1, 32, 32], "output_sequence_tensor": [2, 1, 1, 32],
    }  # fmt: skip
    desc = dml.RnnOperatorDesc(
        **{field: dml.TensorDesc("float32", sizes) for field, sizes in tensors.items()},
        activation_descs=[FusedActivation.relu()], direction=RecurrentNetworkDirection.FORWARD,
    )  # fmt: skip
    made = compiled(desc)
    weights, states = 4 * 32 * 32, 4 * 32
    # Weights in panels, two hidden states, and the products of inputs of both steps.
    assert made.binding_properties.temporary_resource_size >= weights + 2 * states + 2 * states
    assert made.binding_properties.temporary_resource_size < 2 * weights


def test_memory_that_kernels_do_not_take_is_left_to_the_numpy_form():
    desc, inputs = trial(0)
    assert desc.input_tensor.data_type is TensorDataType.FLOAT32
    shifted = [
        None if a is None else memoryview(bytearray(b"\0" * 1 + a.tobytes()))[1:] for a in inputs
    ]

    actual = compiled(desc)(shifted)

    for found, expected in zip(actual, expected_of(desc, inputs), strict=True):
        assert_bits_equal(actual=found, expected=expected)
