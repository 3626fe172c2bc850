"""Products between DequantizeLinear and QuantizeLinear go by integers: the bits of FLOAT32."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic.settling import settle
from indirectml.core.settings import available_targets
from indirectml.passes import settling
from tests import onnx_models
from tests.arithmetic import products
from tests.bits import assert_bits_equal
from tests.extent import chosen
from tests.passes.settled import integers, quantized, words

SEED = 41
U8, S8 = np.uint8, np.int8
MOST = np.finfo(np.float32).max

CASES = {
    # rows, depth, columns; data types of the left side, the weights and the result
    "one panel and a rest": (17, 300, 21, U8, S8, U8),
    "columns turned": (16, 96, 64, S8, S8, U8),
    "weights without a sign": (40, 257, 48, U8, U8, S8),
    "three dimensions": (130, 64, 70, S8, U8, S8),
    "a chain of chains": (20, 1030, 16, U8, S8, U8),
}
#: What lies between the product and its quantization.
TAILS = {
    "nothing": (None, None),
    "a bias": ("Add", None),
    "a bias and a relu": ("Add", (0.0, np.inf)),
    "a clip": (None, (-0.3, 0.7)),
    "limits beyond all results": (None, (-1e30, 1e30)),
}
#: Of the left side, the weights and the result; of the weights also one for each column.
SCALES = {
    "one": (0.013, 0.021, 0.11),
    "of columns": (0.013, "columns", 0.11),
    "a negative one": (0.013, -0.021, 0.11),
    "zero": (0.013, 0.021, 0.0),
    "infinite": (np.inf, 0.021, 0.11),
    "NaN": (0.013, np.nan, 0.11),
    "tiny": (1e-45, 0.021, 1e-38),
    "huge": (MOST, MOST, 1.0),
}


def _model(case, tail, scales, *, row_count=None, read_twice=False):
    """Return a model, what it is given, and what it has to give."""
    rows, depth, columns, left, right, result = CASES[case]
    rows = row_count or rows
    random = np.random.default_rng(SEED)
    is_turned, has_batch = case == "columns turned", case == "three dimensions"
    a_scale, b_scale, scale = SCALES[scales]
    if b_scale == "columns":
        b_scale = random.uniform(0.001, 0.05, columns)
    a_scale, b_scale, scale = (np.asarray(s, np.float32) for s in (a_scale, b_scale, scale))
    a, b = integers(random, left, rows, depth), integers(random, right, depth, columns)
    a_zero, zero = integers(random, left, 1)[0], integers(random, result, 1)[0]
    b_zero = integers(random, right, *b_scale.shape)
    bias = (random.standard_normal(columns) * np.sqrt(depth) / 2).astype(np.float32)
    model = onnx_models.Model(opset=17)
    x = model.input("x", [1, rows, depth] if has_batch else [rows, depth], left)
    x = model.node("DequantizeLinear", x, model.constant("a_scale", a_scale),
                   model.constant("a_zero", np.asarray(a_zero)))  # fmt: skip
    w = model.node("DequantizeLinear", model.constant("w", b.T if is_turned else b),
                   model.constant("b_scale", b_scale), model.constant("b_zero", b_zero),
                   axis=0 if is_turned else 1)  # fmt: skip
    added, limits = TAILS[tail]
    if is_turned:
        given = [model.constant("bias", bias)] if added else []
        y = model.node("Gemm", x, w, *given, transB=1)
    else:
        y = model.node("MatMul", x, w)
        y = model.node("Add", y, model.constant("bias", bias)) if added else y
    others = [model.node("Neg", y)] if read_twice else []
    if limits == (0.0, np.inf):
        y = model.node("Relu", y)
    elif limits:
        names = [model.constant(f"limit{n}", np.float32(each)) for n, each in enumerate(limits)]
        y = model.node("Clip", y, *names)
    y = model.node("QuantizeLinear", y, model.constant("scale", scale),
                   model.constant("zero", np.asarray(zero)))  # fmt: skip
    with np.errstate(all="ignore"):
        floats = [
            (numbers.astype(np.float32) - own.astype(np.float32)) * own_scale
            for numbers, own, own_scale in ((a, a_zero, a_scale), (b, b_zero, b_scale))
        ]
        total = products.contract(*floats)
        total = total + bias if added else total
    given = a[None] if has_batch else a
    expected = quantized(total, scale, zero, limits, result)
    expected = expected.reshape(*given.shape[:-1], columns)
    return model.proto(y, *others), {"x": given}, expected


@pytest.fixture(autouse=True)
def gains(monkeypatch):
    """On every processor."""
    monkeypatch.setattr(settling, "gains_by_integers", lambda **_: True)


@pytest.mark.parametrize(
    ("case", "tail", "target"), chosen(CASES, TAILS, available_targets()), ids=str
)
def test_has_the_bits_of_floats(case, tail, target):
    dml.configure(target=target)
    for scales in ("one", "of columns"):
        model, given, expected = _model(case, tail, scales)
        loaded = dml.load_onnx(model)
        for threads in (1, 2, 3, 5):
            dml.configure(max_threads=threads)
            (actual,) = loaded(**given)
            where = f"{scales}, {threads} threads, seed {SEED}"
            assert_bits_equal(actual=actual, expected=expected, where=where)
        assert words(loaded).count("settle") == 1, words(loaded)


@pytest.mark.parametrize("scales", SCALES)
def test_odd_scales_are_computed(scales):
    for case in ("one panel and a rest", "columns turned"):
        model, given, expected = _model(case, "a bias", scales)
        loaded = dml.load_onnx(model)

        (actual,) = loaded(**given)

        assert "settle" in words(loaded)
        assert_bits_equal(actual=actual, expected=expected, where=f"{case}, seed {SEED}")


def test_the_numpy_form_has_the_same_bits():
    native = settle.word.native
    try:
        settle.word.native = None
        for case, tail in (
            ("one panel and a rest", "a bias and a relu"),
            ("columns turned", "a clip"),
        ):
            model, given, expected = _model(case, tail, "of columns")
            loaded = dml.load_onnx(model)

            (actual,) = loaded(**given)

            assert "settle" in words(loaded)
            assert_bits_equal(actual=actual, expected=expected, where=f"{case}, seed {SEED}")
    finally:
        settle.word.native = native


def test_a_product_that_something_else_reads_is_there():
    model, given, expected = _model("one panel and a rest", "nothing", "one", read_twice=True)
    loaded = dml.load_onnx(model)

    actual, _ = loaded(**given)

    assert "settle" not in words(loaded)
    assert_bits_equal(actual=actual, expected=expected, where=f"seed {SEED}")


def test_floats_stay_where_integers_are_no_faster(monkeypatch):
    monkeypatch.setattr(settling, "gains_by_integers", lambda **_: False)
    model, given, expected = _model("columns turned", "a bias", "of columns")
    loaded = dml.load_onnx(model)

    (actual,) = loaded(**given)

    assert "settle" not in words(loaded)
    assert_bits_equal(actual=actual, expected=expected, where=f"seed {SEED}")


@pytest.mark.parametrize("target", available_targets())
@pytest.mark.parametrize("row_count", [1, 2, 15])
def test_few_rows_have_the_bits_of_floats(row_count, target):
    """What few of them leave in doubt are columns of any panels."""
    dml.configure(target=target)
    for case in ("columns turned", "a chain of chains"):
        model, given, expected = _model(case, "a bias", "of columns", row_count=row_count)
        loaded = dml.load_onnx(model)

        (actual,) = loaded(**given)

        assert "settle" in words(loaded)
        assert_bits_equal(actual=actual, expected=expected, where=f"{case}, seed {SEED}")


def test_other_sizes_have_plans_of_their_own():
    model, given, expected = _model("columns turned", "a bias", "one")
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "rows"
    loaded = dml.load_onnx(model)
    for rows in (16, 8, 16, 3):
        (actual,) = loaded(x=given["x"][:rows])
        assert_bits_equal(actual=actual, expected=expected[:rows], where=f"{rows} rows")
