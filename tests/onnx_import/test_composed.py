"""Operators that are many of DirectML's, beside ONNX Runtime and plain loops."""

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_import.models import load
from tests.onnx_import.test_second_opinions import F32, assert_same, node_model, normal

# ---- deformed convolutions ----


@pytest.mark.parametrize("given", range(3))
@pytest.mark.parametrize(("group", "offset_group"), [(1, 1), (2, 1), (1, 2), (2, 4)])
def test_deformed_convolution(given, group, offset_group):
    # Bias and mask are optional; ONNX Runtime takes images alone.
    pads, strides, dilations = [1, 0, 2, 1], [2, 1], [1, 2]
    places = [(7 + 3 - 3) // 2 + 1, (6 + 1 - 3) // 1 + 1]
    inputs = [
        normal(2, 4, 7, 6), normal(6, 4 // group, 3, 2),
        2 * normal(2, offset_group * 12, *places, seed=4),
        normal(6) if given else None, normal(2, offset_group * 6, *places) if given > 1 else None,
    ]  # fmt: skip
    assert_same("DeformConv", inputs[: 3 + given], opset=22, group=group, pads=pads,
                offset_group=offset_group, strides=strides, dilations=dilations)  # fmt: skip


def deformed_by_loops(x, w, offsets, pad):
    """Return a deformed convolution of any dimensions in FLOAT64, element by element."""
    kernel = w.shape[2:]
    places = [n + 2 * pad - k + 1 for n, k in zip(x.shape[2:], kernel, strict=True)]
    moved = offsets.astype(np.float64).reshape(*kernel, len(kernel), *places)
    result = np.zeros((len(w), *places))
    for place in np.ndindex(*places):
        for tap in np.ndindex(*kernel):
            at = [p - pad + t + moved[(*tap, k, *place)]
                  for k, (p, t) in enumerate(zip(place, tap, strict=True))]  # fmt: skip
            for corner in np.ndindex(*(2,) * len(kernel)):
                near = [int(np.floor(a)) + c for a, c in zip(at, corner, strict=True)]
                if all(0 <= n < size for n, size in zip(near, x.shape[2:], strict=True)):
                    share = np.prod([1 - abs(a - n) for a, n in zip(at, near, strict=True)])
                    result[(..., *place)] += share * (w[(..., *tap)] @ x[(0, ..., *near)])
    return result


@pytest.mark.parametrize("kernel", [(3,), (2, 3), (2, 1, 2)])
def test_deformed_convolution_in_any_dimensions(kernel):
    sizes = [4 + k for k in range(len(kernel))]
    places = [n + 2 - k + 1 for n, k in zip(sizes, kernel, strict=True)]
    x, w = normal(1, 2, *sizes), normal(3, 2, *kernel)
    offsets = normal(1, int(np.prod(kernel)) * len(kernel), *places, seed=5)
    made, data = node_model("DeformConv", [x, w, offsets], opset=22, pads=[1, 1] * len(kernel))
    (actual,) = dml.load_onnx(made)(data)
    np.testing.assert_allclose(actual[0], deformed_by_loops(x, w, offsets, 1), rtol=0, atol=1e-5)


def test_deformed_convolution_refuses_offsets_of_other_windows():
    inputs = [normal(1, 2, 5, 5), normal(2, 2, 3, 3), normal(1, 16, 3, 3)]
    made, _ = node_model("DeformConv", inputs, opset=22)
    with pytest.raises(dml.OnnxModelError, match=r"inputs\[2\]: needs sizes \[1, 18, 3, 3\], got "):
        dml.load_onnx(made)


# ---- determinants ----


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_determinants(size):
    x = normal(2, 3, size, size)
    if size > 1:
        x[0, 0, :, 0] = 0  # no pivot
        x[0, 1, 1] = x[0, 1, 0]  # two rows alike
        x[0, 2, 0, 0] = 0  # the pivot is another row's
    assert_same("Det", [x], opset=22)


def test_determinant_of_one_matrix_is_a_scalar():
    (found,) = load("(float[2, 2] x) => (float y) { y = Det(x) }", opset=22)(
        np.array([[0, 2], [3, 5]], F32)
    )
    assert_bits_equal(actual=found, expected=np.array(-6, F32))


# ---- FLOAT64 on the way ----


@pytest.mark.parametrize(("positive", "negative"), [(1, 1), (1, 0), (0, 1)])
def test_what_is_infinite_is_so_in_float64(positive, negative):
    # PyTorch's exporter writes torch.isinf so.
    text = (
        "(float[6] x) => (bool[6] infinite, bool[6] none) { wide = Cast<to = 11>(x)"
        f" infinite = IsInf<detect_positive = {positive}, detect_negative = {negative}>(wide)"
        " none = IsNaN(wide) }"
    )
    x = np.array([np.inf, -np.inf, np.nan, np.finfo(F32).max, -0.0, 1], F32)
    infinite, none = load(text, opset=20)(x)
    is_wanted = (x == np.inf) & bool(positive) | (x == -np.inf) & bool(negative)
    np.testing.assert_array_equal(infinite, is_wanted)
    np.testing.assert_array_equal(none, np.isnan(x))


def test_large_numbers_of_float64_are_not_infinite():
    wide = np.array([1e300, -1e300, np.inf], np.float64)
    (found,) = load("(double[3] x) => (bool[3] y) { y = IsInf(x) }", opset=20)(wide)
    np.testing.assert_array_equal(found, [False, False, True])


# ---- out and in again ----


COMPOSED = {
    "DeformConv": [normal(1, 4, 6, 5), normal(2, 2, 3, 3), normal(1, 36, 4, 3, seed=6)],
    "Det": [normal(3, 4, 4)],
}


@pytest.mark.parametrize("operator", COMPOSED)
def test_comes_back_with_the_same_bits(operator):
    more = {"group": 2, "offset_group": 2} if operator == "DeformConv" else {}
    made, data = node_model(operator, COMPOSED[operator], opset=22, **more)
    loaded = dml.load_onnx(made)
    (expected,) = loaded(data)
    (actual,) = dml.load_onnx(loaded.to_onnx())(data)
    assert_bits_equal(actual=actual, expected=expected)
