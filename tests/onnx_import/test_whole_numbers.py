"""Products, means and powers of integers, which DirectML's operators for floats have not."""

import numpy as np
import pytest

import indirectml as dml
from tests.bits import assert_bits_equal
from tests.onnx_import.models import load

TYPES = ["int32", "int64", "uint32", "uint64"]


def numbers(dtype, *sizes):
    """Return numbers whose products do not fit."""
    bits = np.random.default_rng(len(sizes)).integers(0, 1 << 62, sizes)
    return (bits ^ bits >> 13).astype(dtype) if dtype[0] == "u" else (bits >> 9).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
     ((2, 1, 3, 4), (1, 6, 4, 5)), ((2, 3, 2, 3, 4), (2, 1, 2, 4, 5))],
)  # fmt: skip
def test_products_are_exact_modulo_their_bits(left, right, dtype):
    a, b = numbers(dtype, *left), numbers(dtype, *right)
    expected = np.matmul(a, b)
    sizes = list(map(list, (left, right, expected.shape)))
    loaded = load("({0}{1} a, {0}{2} b) => ({0}{3} y) {{ y = MatMul(a, b) }}".format(dtype, *sizes))

    assert_bits_equal(actual=loaded(a, b)[0], expected=expected)


def test_large_products_are_refused_with_what_to_export():
    with pytest.raises(dml.OnnxModelError) as caught:
        load("(int32[512, 512] x) => (int32[512, 512] y) { y = MatMul(x, x) }")
    assert caught.value.refusals[0].reason == (
        "needs floats, or sums of at most 16777216 products of integers in all, got 134217728 of "
        "int32; export it in FLOAT32, or as MatMulInteger of INT8"
    )


@pytest.mark.parametrize("dtype", TYPES)
def test_means_are_cut_off(dtype):
    x = np.random.default_rng(1).integers(0, 100, (3, 5, 7)).astype(dtype)
    x -= np.array(50 * (dtype[0] == "i"), dtype)
    loaded = load(
        f"({dtype}[3, 5, 7] x) => ({dtype}[3, 7] y, {dtype} z) <int64[1] axes = {{1}}>"
        " { y = ReduceMean<keepdims = 0>(x, axes) z = ReduceMean<keepdims = 0>(x) }"
    )

    y, z = loaded(x)

    assert_bits_equal(actual=y, expected=np.trunc(x.mean(axis=1)).astype(dtype))
    assert_bits_equal(actual=z, expected=np.trunc(x.mean()).astype(dtype))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 8, 13, 64])
@pytest.mark.parametrize("kind", ["int64", "float"])
def test_powers_of_int64_whose_exponent_is_known_are_products(exponent, kind):
    x = np.arange(-9, 10)
    loaded = load(f"(int64[19] x) => (int64[19] y) <{kind} e = {{{exponent}}}> {{ y = Pow(x, e) }}")

    wide = [pow(int(number), exponent) % (1 << 64) for number in x]
    assert_bits_equal(actual=loaded(x)[0], expected=np.array(wide, np.uint64).view(np.int64))
