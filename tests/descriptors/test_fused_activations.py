"""Activations fused into other operators: computed before the one rounding; who may fuse what."""

import inspect
import operator

import numpy as np
import pytest

import indirectml as dml
from indirectml.catalogue import Fusion, operator_facts, operator_names
from indirectml.descriptors import base, definitions
from tests.bits import assert_bits_equal
from tests.operators.oracle import by_number, check, refused, single, through_graph

Fused = dml.FusedActivation
F16, F32 = np.dtype(np.float16), np.dtype(np.float32)
A, B = single(0.3), single(-0.7)

#: A fused activation, and what it does to a number that FLOAT32 holds.
ACTIVATIONS = [
    pytest.param(Fused.none(), lambda x: x, id="none"),
    pytest.param(Fused.identity(), lambda x: x, id="identity"),
    pytest.param(Fused.linear(A, B), lambda x: single(single(x * A) + B), id="linear"),
    pytest.param(Fused.relu(), lambda x: max(0.0, x), id="relu"),
    pytest.param(Fused.leaky_relu(A), lambda x: x if x >= 0 else single(x * A), id="leaky_relu"),
    pytest.param(Fused.thresholded_relu(A), lambda x: x if x > A else 0.0, id="thresholded_relu"),
    pytest.param(
        Fused.hard_sigmoid(A, B),
        lambda x: min(max(0.0, single(single(x * A) + B)), 1.0),
        id="hard_sigmoid",
    ),
    pytest.param(Fused.softsign(), lambda x: single(x / single(1 + abs(x))), id="softsign"),
    pytest.param(
        Fused.shrink(A, 0.5),
        lambda x: single(x - A) if x > 0.5 else single(x + A) if x < -0.5 else 0.0,
        id="shrink",
    ),
]
NUMBERS = [-600.5, -1.25, -0.4, 0, 0.1, 0.3, 0.7, 3, 1000.5]


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
@pytest.mark.parametrize(("activation", "function"), ACTIVATIONS)
def test_sums_are_activated_before_they_are_rounded(activation, function, dtype):
    tensor = dml.TensorDesc(dtype, [300])
    desc = dml.ElementWiseAdd1OperatorDesc(tensor, tensor, tensor, activation)

    check(desc, by_number(lambda a, b: function(single(a + b)), dtype), numbers=NUMBERS)


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
@pytest.mark.parametrize(("activation", "function"), ACTIVATIONS)
def test_products_of_matrices_are_activated_before_they_are_rounded(activation, function, dtype):
    tensor = dml.TensorDesc(dtype, [40, 1, 1])
    desc = dml.GemmOperatorDesc(
        tensor, tensor, tensor, c_tensor=tensor, fused_activation=activation
    )

    check(
        desc,
        by_number(lambda a, b, c: function(single(single(a * b) + c)), dtype),
        numbers=NUMBERS,
    )


@pytest.mark.parametrize(("activation", "function"), ACTIVATIONS)
def test_normalized_numbers_are_rounded_to_float32_and_activated(activation, function):
    x = np.random.default_rng(5).normal(size=(2, 40)).astype(F32)

    def normalized(**fused):
        return through_graph(lambda x: dml.mean_variance_normalization(x, axes=[1], **fused), x)[0]

    actual = normalized(fused_activation=activation)

    expected = [function(float(number)) for number in normalized().ravel()]
    assert_bits_equal(actual=actual, expected=np.array(expected, F32).reshape(x.shape))


def test_a_fused_activation_saves_a_rounding():
    a, b = np.array([2048], F16), np.array([1], F16)

    def apart(a, b):
        return dml.activation_linear(dml.add(a, b), alpha=1, beta=-1)

    def fused(a, b):
        return dml.add(a, b, fused_activation=Fused.linear(1, -1))

    # 2049 is no FLOAT16; rounded first, it becomes 2048.
    assert through_graph(apart, a, b)[0].tolist() == [2047]
    assert through_graph(fused, a, b)[0].tolist() == [2048]


def test_permission_for_half_precision_changes_no_bit():
    tensor = dml.TensorDesc(F16, [1])
    desc = dml.ElementWiseAdd1OperatorDesc(tensor, tensor, tensor, Fused.linear(1, -1))
    device = dml.Device()
    compiled = device.compile_operator(
        device.create_operator(desc), dml.ExecutionFlags.ALLOW_HALF_PRECISION_COMPUTATION
    )

    # Rounded after the sum, 2049 would become 2048.
    assert compiled([np.array([2048], F16), np.array([1], F16)])[0].tolist() == [2048]


def test_limits_are_fused_into_products():
    x = np.array([[-2.0], [7.0]], F32)
    one = np.array([[1.0]], F32)
    for low, expected in ((-1, -1), (float("nan"), -2)):  # which limits nothing
        limited = Fused(dml.OperatorType.ELEMENT_WISE_CLIP, low, 6)

        (actual,) = through_graph(lambda x, one: dml.gemm(x, one, fused_activation=limited), x, one)  # noqa: B023

        assert_bits_equal(actual=actual, expected=np.array([[expected], [6]], F32))


def test_sums_of_integers_take_no_activation_that_is_none():
    x = np.array([3], np.int32)

    (actual,) = through_graph(lambda x: dml.add(x, x, fused_activation=Fused.none()), x)

    assert actual.tolist() == [6]


def test_constructors_have_the_names_and_defaults_of_the_package():
    made = {
        name: (value, inspect.signature(value.__func__))
        for name, value in vars(Fused).items()
        if isinstance(value, staticmethod)
    }

    assert {name: str(signature).partition(" ->")[0] for name, (_, signature) in made.items()} == {
        "none": "()",
        "elu": "(alpha: 'float' = 1)",
        "hard_sigmoid": "(alpha: 'float' = 0.2, beta: 'float' = 0.5)",
        "identity": "()",
        "leaky_relu": "(alpha: 'float' = 0.01)",
        "linear": "(alpha: 'float', beta: 'float')",
        "parametric_softplus": "(alpha: 'float', beta: 'float')",
        "relu": "()",
        "scaled_elu": "(alpha: 'float' = 1.6732631921768188, gamma: 'float' = 1.0507010221481323)",
        "scaled_tanh": "(alpha: 'float' = 1, beta: 'float' = 0.5)",
        "sigmoid": "()",
        "softplus": "(steepness: 'float' = 1)",
        "softsign": "()",
        "tanh": "()",
        "thresholded_relu": "(alpha: 'float' = 1)",
        "shrink": "(bias: 'float' = 0, threshold: 'float' = 0.5)",
        "celu": "(alpha: 'float' = 1)",
        "gelu": "()",
    }
    for name, (make, signature) in made.items():
        kind = "INVALID" if name == "none" else f"ACTIVATION_{name.upper()}"
        numbers = [0.25, 0.75][: len(signature.parameters)]
        assert make(*numbers) == Fused(dml.OperatorType[kind], *numbers)


def test_the_published_activations_may_be_fused():
    names = {name: operator_facts(name).fusion for name in operator_names()}
    fusions = {name: fusion for name, fusion in names.items() if fusion is not None}

    constructors = {n.upper() for n, v in vars(Fused).items() if isinstance(v, staticmethod)}
    anywhere = {f"ACTIVATION_{name}" for name in constructors - {"NONE"}}
    assert {name for name, fusion in fusions.items() if not fusion.by} == anywhere
    assert {name: fusion for name, fusion in fusions.items() if fusion.by} == {
        "ELEMENT_WISE_CLIP": Fusion("6_0", ("CONVOLUTION", "GEMM")),
        "ACTIVATION_SOFTMAX": Fusion("6_1", ("GEMM",)),
        "ACTIVATION_SOFTMAX1": Fusion("6_1", ("GEMM",)),
    }


def _add1(activation, dtype=F32):
    tensor = dml.TensorDesc(dtype, [1, 1, 1, 1])
    return dml.ElementWiseAdd1OperatorDesc(tensor, tensor, tensor, activation)


def _gemm(activation):
    tensor = dml.TensorDesc(F32, [1, 1, 1, 1])
    return dml.GemmOperatorDesc(tensor, tensor, tensor, fused_activation=activation)


def test_refuses_activations_that_are_not_written_yet(monkeypatch):
    monkeypatch.setattr(definitions, "index", lambda: {"operators": {}, "functions": {}})
    monkeypatch.setattr(base, "definition", definitions.definition.__wrapped__)

    with pytest.raises(dml.OperatorNotImplementedError) as caught:
        dml.Device().create_operator(_add1(Fused.elu()))

    assert str(caught.value) == (
        "ELEMENT_WISE_ADD1.fused_activation: ACTIVATION_ELU (feature level 1_0) is not implemented "
        "yet; `indirectml info` lists those that are"
    )


def test_refuses_what_is_never_fused():
    refused(
        dml.DescriptorError,
        "GEMM.fused_activation: needs an activation that may be fused into GEMM, got JOIN; "
        "apply it to the output",
        lambda: _gemm(Fused(dml.OperatorType.JOIN)),
    )


def test_refuses_limits_in_sums():
    refused(
        dml.DescriptorError,
        "ELEMENT_WISE_ADD1.fused_activation: needs an activation that may be fused into "
        "ELEMENT_WISE_ADD1, got ELEMENT_WISE_CLIP; apply it to the output",
        lambda: _add1(Fused(dml.OperatorType.ELEMENT_WISE_CLIP, 0, 6)),
    )


def test_refuses_limits_before_feature_level_6_0():
    refused(
        dml.DescriptorError,
        "GEMM.fused_activation: ELEMENT_WISE_CLIP is fused into GEMM from feature level 6_0, "
        "got a device of level 5_2",
        lambda: _gemm(Fused(dml.OperatorType.ELEMENT_WISE_CLIP, 0, 6)),
        level="5_2",
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        pytest.param(
            operator.add,
            ": needs a FusedActivation, got <built-in function add>; "
            "such as FusedActivation.relu()",
            id="no",
        ),
        pytest.param(
            Fused(999),
            ".activation: needs a member of OperatorType, got 999",
            id="number",
        ),
        pytest.param(
            Fused.linear("a", 1),
            ".param_1: needs a number, got 'a' (str)",
            id="parameter",
        ),
    ],
)
def test_refuses_what_is_no_fused_activation(given, text):
    with pytest.raises(dml.DirectMLError) as caught:
        _add1(given)

    assert str(caught.value) == f"ELEMENT_WISE_ADD1.fused_activation{text}"
