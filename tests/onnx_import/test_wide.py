"""FLOAT64 and integers that are known while loading: computed then, as MPFR and ONNX do it."""

import math

import gmpy2
import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import indirectml as dml
from indirectml.core.errors import ModelError
from indirectml.onnx_import.doubles import LARGEST_ANGLE, cosine, exp, log, power, sine
from tests.bits import assert_bits_equal
from tests.onnx_import.models import load, model

SEED = 28
COUNT = 2000


def by_mpfr(function, *arrays):
    """Return a function of MPFR, rounded once to FLOAT64, subnormals too."""
    with gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True):
        found = np.array(
            [
                float(function(*map(gmpy2.mpfr, each)))
                for each in zip(*map(np.ndarray.tolist, arrays), strict=True)
            ]
        )
    return np.where(np.isnan(found), np.nan, found)  # without the sign of MPFR's


def numbers():
    """Return numbers around 0, and the corners."""
    rng = np.random.default_rng(SEED)
    x = rng.standard_normal(COUNT)
    return np.concatenate([x, x * 50, x * 1e-9, x * 1e6, [0, -0.0, 1, -1, 2, 0.5, 1e-300, 5e-324]])


CORNERS = [np.inf, -np.inf, np.nan]

FUNCTIONS = {
    "exp": (exp, gmpy2.exp, [*CORNERS, 709.7, 710, -708, -745.2]),
    "log": (log, gmpy2.log, [*CORNERS, 1e308, 1 + 2**-52, 1 - 2**-53]),
    "sin": (sine, gmpy2.sin, [*CORNERS, math.pi, LARGEST_ANGLE]),
    "cos": (cosine, gmpy2.cos, [*CORNERS, math.pi / 2, LARGEST_ANGLE]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_rounded_once(name):
    function, oracle, corners = FUNCTIONS[name]
    x = np.concatenate([numbers(), corners])

    assert_bits_equal(actual=function(x), expected=by_mpfr(oracle, x))


def test_powers_are_rounded_once():
    rng = np.random.default_rng(SEED)
    x, y = np.abs(rng.standard_normal(COUNT)), rng.standard_normal(COUNT) * 20
    bases = [0, 0, 0, -2, -2, -0.0, -8, 1e200, 2, 1, np.inf, np.inf, np.nan, 10000, 2]
    exponents = [0, 2, -1, 3, 4, 3, 1 / 3, 3, 1e300, np.nan, -1, 0, 0, -0.375, -1074]
    x = np.concatenate([x, -x, bases])
    y = np.concatenate([y, np.rint(y), exponents])

    expected = by_mpfr(lambda a, b: a**b, x, y)
    assert_bits_equal(actual=power(x, y), expected=expected)


def test_angles_beyond_the_reduction_are_refused():
    with pytest.raises(ModelError, match="needs angles in FLOAT64 of at most 67108864, got"):
        sine(np.array([2 * LARGEST_ANGLE]))


EXACT = {
    "Abs": "a", "Add": "a, b", "Ceil": "a", "Div": "a, b", "Equal": "a, b", "Floor": "a",
    "Greater": "a, b", "GreaterOrEqual": "a, b", "IsNaN": "a", "Less": "a, b",
    "LessOrEqual": "a, b", "MatMul": "a, c", "Max": "a, b, a", "Min": "a, b", "Mul": "a, b",
    "Neg": "a", "Reciprocal": "b", "ReduceMax": "a", "ReduceMean": "a", "ReduceMin": "a",
    "ReduceProd": "a", "ReduceSum": "a", "Relu": "a", "Round": "a", "Sign": "a", "Sqrt": "b",
    "Sub": "a, b", "Sum": "a, b, a",
}  # fmt: skip

FORMS = {
    **{name: f"y = {name}({inputs})" for name, inputs in EXACT.items()},
    "Mod": "y = Mod<fmod = 1>(a, b)",
    "Einsum of outer products": 'y = Einsum<equation = "ij,kl->ikjl">(a, c)',
    "Einsum with an ellipsis": 'y = Einsum<equation = "...n,nd->...d">(a, c)',
    "ReduceSum along an axis": "y = ReduceSum<keepdims = 0>(a, one)",
    "ReduceMean along an axis": "y = ReduceMean(a, one)",
}
FLOATS_ONLY = {"Ceil", "Floor", "IsNaN", "Mod", "Reciprocal", "Round", "Sqrt", "Sum"}


@pytest.mark.parametrize("dtype", ["double", "int64"])
@pytest.mark.parametrize("name", FORMS)
def test_what_is_exact_is_what_onnx_says(name, dtype):
    if dtype == "int64" and name in FLOATS_ONLY:
        pytest.skip("ONNX has it for floats alone")
    is_truth = name in {"Equal", "Greater", "GreaterOrEqual", "IsNaN", "Less", "LessOrEqual"}
    proto = model(
        f"() => ({'bool' if is_truth else dtype}[?] y) <"
        f" {dtype}[2, 3] a = {{-4, 7, 2, 9, -3, 5}}, {dtype}[1, 3] b = {{2, 3, 4}},"
        f" {dtype}[3, 2] c = {{1, 2, 3, 4, 5, 6}}, int64[1] one = {{1}}>"
        f" {{ {FORMS[name]} }}"
    )
    # Shapes are not told: the reference needs none.
    (expected,) = ReferenceEvaluator(proto).run(None, {})

    (found,) = dml.load_onnx(proto)()

    assert_bits_equal(actual=found, expected=np.asarray(expected))


def test_sums_go_in_order():
    numbers_ = [1e16, 1.0, -1e16, 3.0, 1e-3, 7.0, 1e17, 5.0, -1e17, 2.0]
    proto = model(
        f"() => (double y) <double[10] a = {{{', '.join(map(repr, numbers_))}}}>"
        " { y = ReduceSum<keepdims = 0>(a) }"
    )
    total = 0.0
    for each in numbers_:
        total += each

    (found,) = dml.load_onnx(proto)()

    assert_bits_equal(actual=found, expected=np.array(total))


ROTARY = """(float[4, 2] x) => (float[4, 2] y)
    <double[2] share = {0.0, 0.5}, double base = {10000.0}, int64[1] last = {1},
     int64 zero = {0}, int64 four = {4}, int64 step = {1}> {
    powers = Pow(base, share)
    omega = Reciprocal(powers)
    counted = Range(zero, four, step)
    places = Cast<to = 11>(counted)
    angles = Einsum<equation = "n,d->nd">(places, omega)
    cosines = Cos(angles)
    narrow = Cast<to = 1>(cosines)
    y = Mul(x, narrow)
}"""


def test_rotary_embeddings_in_float64():
    expected = [[math.cos(n), math.cos(n / 100)] for n in range(4)]

    loaded = load(ROTARY)

    (found,) = loaded(np.ones((4, 2), np.float32))
    assert_bits_equal(actual=found, expected=np.array(expected, np.float32))
    assert [node.operator_name for node in loaded.serialized().operators] == [
        "ELEMENT_WISE_MULTIPLY"
    ]


def test_it_takes_from_the_budget():
    proto = model("() => (double[4096] y) { y = Exp(x) }")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.ones(4096), "x"))

    dml.load_onnx(proto, memory_limit=4096 * 300)
    with pytest.raises(dml.OnnxModelError, match="needs at most 1000000 bytes"):
        dml.load_onnx(proto, memory_limit=1_000_000)


def test_what_depends_on_inputs_is_refused_with_what_mends_it():
    with pytest.raises(dml.OnnxModelError) as caught:
        load("(double[2] x) => (double[2] y) { z = Neg(x) y = Sqrt(z) }")

    text = (
        "FLOAT64 is computed while loading, and constants={'x': array} makes it known; "
        "or export it in FLOAT32"
    )
    assert all(str(each).endswith(text) for each in caught.value.refusals)
    proto = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 18]> m (double[2] x) => (double[2] y) { y = Sqrt(x) }'
    )
    (found,) = dml.load_onnx(proto, constants={"x": np.array([4.0, 2.0])})()
    assert_bits_equal(actual=found, expected=np.sqrt(np.array([4.0, 2.0])))
