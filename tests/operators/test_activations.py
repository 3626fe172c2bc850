"""Activations against Python's floats, rounded after each operation, and functions of MPFR."""

import math

import numpy as np

import indirectml as dml
from tests.arithmetic import loops
from tests.arithmetic.digits import rounded
from tests.arithmetic.loops import divided, single
from tests.operators.families import Trial, each, element_wise, places, run_oracle
from tests.operators.oracle import assert_bits_equal, refused, through_graph

ORACLES = {}
INF = math.inf

#: What fields are: the first choice of all together, and so on.
FIELDS = {
    "alpha": [0.3, -1.5, 2, -0.25],
    "beta": [0.6, 2, -0.75, -0.0],
    "gamma": [1.25, -2, 0.1, 1],
    "bias": [0, 1, 3, 2],
    "threshold": [0.5, 2.5, -1, 3],
    "sigmoid_input_scale": [1, 1.7, -0.5, 0],
}


def function(name, x):
    """Return a function of one FLOAT32 number, correctly rounded to FLOAT32."""
    return float(rounded(name, np.float32, np.array([x], np.float32))[0])


def directly(name):
    """Return the oracle of a function that is rounded once, directly to the output."""

    def function_of(place):
        return lambda x: rounded(name, place.dtype, x.astype(np.float32))

    return element_wise(function_of)


def of_numbers(formula, *names):
    """Return the oracle of a formula of a number and of fields, with each of their choices."""
    variants = [{name: FIELDS[name][k] for name in names} for k in range(4)] if names else [{}]

    def function_of(place, **fields):
        if place.dtype.kind == "f":
            fields = {name: single(value) for name, value in fields.items()}
        return each(lambda *row: formula(*row, **fields))

    return element_wise(function_of, *variants)


def relu(x):
    if x > 0 or math.isnan(x):
        return x
    return 0


def linear(x, *, alpha, beta):
    return single(single(alpha * x) + beta)


def hard_sigmoid(x, *, alpha, beta):
    y = linear(x, alpha=alpha, beta=beta)
    return y if math.isnan(y) else min(max(0.0, y), 1.0)


def celu(x, *, alpha):
    if math.isnan(x):
        return x
    below = single(function("expm1", single(divided(x, alpha))) * alpha)
    return single((x if x > 0 else 0.0) + (below if below < 0 else 0.0))


def scaled_elu(x, *, alpha, gamma):
    if x > 0:
        return single(gamma * x)
    return single(gamma * single(alpha * function("expm1", x)))


def softplus(place, *, steepness):
    if steepness == 1:
        return lambda x: rounded("softplus", place.dtype, x.astype(np.float32))
    by = single(steepness)
    return each(lambda x: single(divided(function("softplus", single(x * by)), by)))


def shrink(x, *, bias, threshold):
    if x > threshold:
        return x - bias
    return x + bias if x < -threshold else 0


ORACLES["ACTIVATION_IDENTITY"] = element_wise(lambda _: np.copy)
ORACLES["ACTIVATION_LINEAR"] = of_numbers(linear, "alpha", "beta")
ORACLES["ACTIVATION_RELU"] = of_numbers(relu)
ORACLES["ACTIVATION_LEAKY_RELU"] = of_numbers(
    lambda x, alpha: single(alpha * x) if x < 0 else x, "alpha"
)
ORACLES["ACTIVATION_THRESHOLDED_RELU"] = of_numbers(
    lambda x, alpha: x if x > alpha else 0.0, "alpha"
)
ORACLES["ACTIVATION_HARD_SIGMOID"] = of_numbers(hard_sigmoid, "alpha", "beta")
ORACLES["ACTIVATION_SOFTSIGN"] = of_numbers(lambda x: divided(x, single(1 + abs(x))))
ORACLES["ACTIVATION_SHRINK"] = of_numbers(shrink, "bias", "threshold")
ORACLES["ACTIVATION_SIGMOID"] = directly("sigmoid")
ORACLES["ACTIVATION_TANH"] = directly("tanh")
ORACLES["ACTIVATION_SCALED_TANH"] = of_numbers(
    lambda x, alpha, beta: single(alpha * function("tanh", single(beta * x))), "alpha", "beta"
)
ORACLES["ACTIVATION_SOFTPLUS"] = element_wise(softplus, *({"steepness": s} for s in (1, 0.7, 3)))
ORACLES["ACTIVATION_PARAMETRIC_SOFTPLUS"] = of_numbers(
    lambda x, alpha, beta: single(alpha * function("softplus", single(beta * x))), "alpha", "beta"
)
ORACLES["ACTIVATION_ELU"] = of_numbers(
    lambda x, alpha: single(alpha * function("expm1", x)) if x < 0 else x, "alpha"
)
ORACLES["ACTIVATION_CELU"] = of_numbers(celu, "alpha")
ORACLES["ACTIVATION_SCALED_ELU"] = of_numbers(scaled_elu, "alpha", "gamma")
ORACLES["ACTIVATION_PARAMETERIZED_RELU"] = of_numbers(lambda x, slope: x * slope if x < 0 else x)
ORACLES["ACTIVATION_GELU"] = directly("gelu")
ORACLES["ACTIVATION_SWISH"] = of_numbers(
    lambda x, sigmoid_input_scale: single(x * function("sigmoid", single(x * sigmoid_input_scale))),
    "sigmoid_input_scale",
)
ORACLES["ACTIVATION_HARD_SWISH"] = of_numbers(
    lambda x, alpha, beta: single(x * hard_sigmoid(x, alpha=alpha, beta=beta)), "alpha", "beta"
)


def small(place):
    """Return numbers with ties, zeros of both signs and the ends of what exp can do."""
    numbers = [0.0, -0.0, 1, 1, 2.5, -3, 0.125, 10, -10, 60000, -60000]
    return [np.array(numbers, place.dtype)]


def special(place):
    return [np.array([1, 2, -INF, INF, math.nan, 0], place.dtype)]


def along_axes(word):
    """Return the oracle of a function of lists, along axes that are another choice at each rank."""

    def trials(place):
        rank = place.rank
        choices = {(0,), (rank - 1,), tuple(range(rank)), tuple(range(rank))[::-1][: rank // 2 + 1]}
        for axes in sorted(choices):
            yield from of_lists(word, place, axes, axes=axes)

    return trials


def of_lists(word, place, along, **fields):
    def apply(x):
        return loops.quiet(loops.spread(word, x.astype(np.float64), along).astype(place.dtype))

    desc = place.desc(input_tensor=place.tensor(), output_tensor=place.output(), **fields)
    yield Trial(desc, apply, small(place))
    yield Trial(desc, apply, special(place))


def along_rows(word):
    """Return the oracle along the last axis, of at most two dimensions behind leading ones."""

    def trials(place):
        sizes = ([1] * place.rank + [4, 9])[-place.rank :]
        tensors = {"input_tensor": place.tensor(sizes), "output_tensor": place.output(sizes)}

        def apply(x):
            result = loops.spread(word, x.astype(np.float64), (place.rank - 1,))
            return loops.quiet(result.astype(place.dtype))

        for inputs in (small(place), special(place)):
            yield Trial(place.desc(**tensors), apply, inputs)

    return trials


for name, word in (
    ("SOFTMAX", loops.softmax),
    ("LOG_SOFTMAX", loops.log_softmax),
    ("HARDMAX", loops.hardmax),
):
    ORACLES[f"ACTIVATION_{name}1"] = along_axes(word)
    ORACLES[f"ACTIVATION_{name}"] = along_rows(word)


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_elu_to_half_precision_is_the_exact_result_rounded_once():
    """Rounded to FLOAT32 on the way; which no argument below zero shows."""
    x = np.arange(0x8001, 0xFC01, dtype=np.uint16).view(np.float16)

    for function_ in (dml.activation_elu, dml.activation_celu):
        (actual,) = through_graph(function_, x)
        assert_bits_equal(actual=actual, expected=rounded("expm1", np.float16, x))


def test_hard_sigmoid_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_hard_sigmoid, x)

    assert_bits_equal(
        actual=actual,
        expected=np.array([0, single(0.5 - single(0.2)), 0.5, 0.5, 0.7, 1, np.nan], np.float32),
    )


def test_identity_through_a_graph():
    x = np.array([-np.inf, -0.0, 0.0, 1], np.float32)

    (actual,) = through_graph(dml.activation_identity, x)

    assert_bits_equal(actual=actual, expected=x)


def test_leaky_relu_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_leaky_relu, x)

    assert_bits_equal(
        actual=actual, expected=np.array([-np.inf, -0.01, -0.0, 0.0, 1, np.inf, np.nan], np.float32)
    )


def test_linear_through_a_graph():
    x = np.array([-np.inf, -1, 0.0, np.nan], np.float32)

    (actual,) = through_graph(lambda x: dml.activation_linear(x, alpha=3, beta=1), x)

    expected = np.array([-np.inf, -2, 1, np.nan], np.float32)
    assert_bits_equal(actual=actual, expected=expected)


def test_relu_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_relu, x)

    expected = np.array([0, 0, 0, 0, 1, np.inf, np.nan], np.float32)
    assert_bits_equal(actual=actual, expected=expected)


def test_shrink_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_shrink, x)

    assert_bits_equal(
        actual=actual, expected=np.array([-np.inf, -1, 0, 0, 1, np.inf, 0], np.float32)
    )


def test_shrink_integers_are_shrunk_by_integers():
    one = dml.TensorDesc(np.int8, [1])

    refused(
        dml.DescriptorError,
        "ACTIVATION_SHRINK.bias: needs an integer for a tensor of INT8, got 0.5",
        lambda: dml.ActivationShrinkOperatorDesc(one, one, 0.5, 0.5),
    )


def test_softsign_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_softsign, x)

    assert_bits_equal(
        actual=actual, expected=np.array([np.nan, -0.5, -0.0, 0.0, 0.5, np.nan, np.nan], np.float32)
    )


def test_thresholded_relu_special_values():
    x = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)

    (actual,) = through_graph(dml.activation_thresholded_relu, x)

    expected = np.array([0, 0, 0, 0, 0, np.inf, 0], np.float32)
    assert_bits_equal(actual=actual, expected=expected)
