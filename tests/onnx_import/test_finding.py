"""What has as many results as it finds: computed of what is known, beside ONNX Runtime."""

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_import.models import model
from tests.onnx_models import session
from tests.parameters import SEED

KEPT = "(float[2,30,4] boxes, float[2,3,30] scores) => (int64[N,3] kept)"
LIMITS = "<int64[1] most = {7}, float[1] overlap = {0.3}, float[1] least = {0.2}>"


def both(text, **arrays):
    """Return what is computed while loading, and what ONNX Runtime computes."""
    made = model(text)
    ours = dml.load_onnx(made, constants=arrays)
    assert ours.compiled is None
    return ours({}), session(made).run(None, arrays)


@pytest.mark.parametrize("inputs", ["most", "most, overlap", "most, overlap, least"])
@pytest.mark.parametrize("form", [0, 1])
def test_boxes_are_kept_as_onnx_runtime_keeps_them(form, inputs):
    random = np.random.default_rng([SEED, form])
    boxes = random.uniform(0, 10, (2, 30, 4)).astype(np.float32)
    boxes[:, ::7] = boxes[:, 1::7][:, : boxes[:, ::7].shape[1]]  # the same box twice
    scores = random.uniform(0, 1, (2, 3, 30)).astype(np.float32)
    scores[:, :, 3] = scores[:, :, 4]
    call = f"NonMaxSuppression<center_point_box = {form}>(boxes, scores, {inputs})"

    (found,), (wanted,) = both(f"{KEPT} {LIMITS} {{ kept = {call} }}", boxes=boxes, scores=scores)

    assert len(wanted) > 6, f"seed {SEED}"
    assert_bits_equal(actual=found, expected=wanted)


def test_without_a_limit_no_box_is_kept():
    arrays = {"boxes": np.ones((2, 30, 4), np.float32), "scores": np.ones((2, 3, 30), np.float32)}

    (found,), (wanted,) = both(f"{KEPT} {{ kept = NonMaxSuppression(boxes, scores) }}", **arrays)

    assert found.shape == wanted.shape == (0, 3)


@pytest.mark.parametrize(
    "options", ["sorted = 1", "sorted = 0", "axis = 1", "axis = -2, sorted = 0"]
)
def test_what_repeats_is_left_out_as_onnx_runtime_does(options):
    x = np.random.default_rng(SEED).integers(0, 2, (3, 4)).astype(np.float32)
    x[:, 3] = x[:, 0]
    text = "(float[3,4] x) => (float[N] y, int64[A] first, int64[B] which, int64[C] count)"

    found, wanted = both(f"{text} {{ y, first, which, count = Unique<{options}>(x) }}", x=x)

    for actual, expected in zip(found, wanted, strict=True):
        assert_bits_equal(actual=actual, expected=expected)


@pytest.mark.parametrize("operator", ["NonMaxSuppression(a, scores)", "Unique(a)"])
def test_what_depends_on_inputs_says_where_to_end_the_model(operator):
    text = "(float[1,2,4] boxes, float[1,1,2] scores) => (int64[N,3] kept)"

    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(model(f"{text} {{ a = Relu(boxes) kept = {operator} }}"))

    assert "has outputs whose sizes depend on data" in str(caught.value)
    assert "onnx.utils.extract_model(path, 'before.onnx', ['boxes', 'scores'], ['a'" in str(
        caught.value
    )


def test_boxes_need_a_score_each():
    text = "(float[1,2,4] boxes, float[1,1,3] scores) => (int64[N,3] kept)"
    arrays = {"boxes": np.ones((1, 2, 4), np.float32), "scores": np.ones((1, 1, 3), np.float32)}

    with pytest.raises(dml.OnnxModelError, match=r"a score of each for each class, got \[1, 2, 4"):
        dml.load_onnx(
            model(f"{text} {{ kept = NonMaxSuppression(boxes, scores) }}"), constants=arrays
        )


@pytest.mark.parametrize("dtype", ["float", "int64", "int32"])
@pytest.mark.parametrize("threshold", [-0.5, 0.0, 1.0, 1.5])
def test_binarizer(dtype, threshold):
    x = np.arange(-3, 4).astype({"float": np.float32}.get(dtype, dtype))
    call = f"ai.onnx.ml.Binarizer<threshold = {threshold}>(x)"
    made = model(f"({dtype}[7] x) => ({dtype}[7] y) {{ y = {call} }}", extra=', "ai.onnx.ml" : 1')

    (found,) = dml.load_onnx(made)(x)

    assert_bits_equal(actual=found, expected=np.where(x > threshold, 1, 0).astype(x.dtype))
