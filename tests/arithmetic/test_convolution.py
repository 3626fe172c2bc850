"""Convolutions against their definition: any geometry, every target."""

import itertools

import numpy as np
import pytest

from indirectml import available_targets, configure
from indirectml.arithmetic.convolution import Geometry, convolve, convolve_integer
from indirectml.core.errors import DataTypeError, LayoutError
from tests.arithmetic import products
from tests.bits import assert_bits_equal

TARGETS = available_targets()
#: Products in a random case, at most.
MOST = 3e5


def random_case(rng):
    """Return an input, a filter, a bias or None, and all options of a random convolution."""
    while True:
        spatial = int(rng.integers(1, 4))
        groups, channels, filters = (int(n) for n in rng.integers(1, (4, 9, 18)))
        if rng.random() < 0.2:
            channels = filters = 1
        if rng.random() < 0.2:
            channels = 60
        backward = bool(rng.random() < 0.5)

        def each(low, high, count=spatial):
            return tuple(int(n) for n in rng.integers(low, high, size=count))

        options = {
            "mode": str(rng.choice(["cross_correlation", "convolution"])),
            "direction": "backward" if backward else "forward",
            "strides": each(1, 4),
            "dilations": each(1, 4),
            "start_padding": each(0, 4),
            "end_padding": each(0, 4),
            "output_padding": each(0, 3) if backward else (0,) * spatial,
            "group_count": groups,
        }
        x = (int(rng.integers(1, 3)), channels * groups, *each(1, (40, 14, 6)[spatial - 1]))
        taps = each(1, 5)
        w = (channels * groups, filters, *taps) if backward else (filters * groups, channels, *taps)
        out = Geometry(**options).output_sizes(x, w)
        if 0 < np.prod(out) * channels * np.prod(taps) < MOST:
            return x, w, out, options


def random_numbers(rng, sizes, dtype):
    """Return numbers, some special, some tiny, at times in another layout."""
    x = rng.normal(size=sizes).astype(dtype)
    choice = rng.random()
    if choice < 0.2:
        special = [np.inf, -np.inf, np.nan, -0.0]
        x.reshape(-1)[rng.integers(x.size, size=2)] = rng.choice(special, size=2)
    elif choice < 0.4:
        x *= dtype(1e-22 if dtype == np.float32 else 1e-4)
    layout = rng.random()
    if layout < 0.2:
        return x[..., ::-1]
    return np.asfortranarray(x) if layout < 0.4 else x


@pytest.mark.parametrize("seed", range(60))
def test_random_convolutions_are_the_definition_s(seed):
    rng = np.random.default_rng(seed)
    x_sizes, w_sizes, out_sizes, options = random_case(rng)
    dtype = (np.float32, np.float16)[seed % 2]
    x, w = random_numbers(rng, x_sizes, dtype), random_numbers(rng, w_sizes, dtype)
    bias = random_numbers(rng, out_sizes[1:2], dtype) if seed % 3 else None

    expected = products.convolve(x, w, bias, out_sizes, options)
    for target, threads in itertools.product(TARGETS, (1, 3)):
        with configure(target=target, max_threads=threads):
            actual = convolve(x, w, bias, **options)
        where = f"seed {seed} {target} {threads} {x_sizes} {w_sizes} {options}"
        assert_bits_equal(actual=actual, expected=expected, where=where)


@pytest.mark.parametrize("seed", range(30))
def test_random_convolutions_of_integers_are_exact(seed):
    rng = np.random.default_rng(seed)
    options = {"direction": "backward"}
    while options["direction"] == "backward":
        x_sizes, w_sizes, out_sizes, options = random_case(rng)
    options["mode"] = "cross_correlation"
    x = rng.integers(0, 256, size=x_sizes).astype((np.int8, np.uint8)[seed % 2])
    w = rng.integers(0, 256, size=w_sizes).astype((np.int8, np.uint8)[seed // 2 % 2])
    x_zero = int(rng.integers(-128, 256))
    w_zero = rng.integers(-128, 256, size=w_sizes[0] if seed % 3 else 1)

    expected = products.convolve_integer(x, w, x_zero, w_zero, out_sizes, options)
    names = ("strides", "dilations", "start_padding", "end_padding", "group_count")
    for target in TARGETS:
        with configure(target=target):
            actual = convolve_integer(x, w, x_zero, w_zero, **{n: options[n] for n in names})
        where = f"seed {seed} {target} {x_sizes} {w_sizes} {options}"
        assert_bits_equal(actual=actual, expected=expected, where=where)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_threads_change_no_bit(threads):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1, 16, 60, 50)).astype(np.float32)
    w = rng.normal(size=(40, 16, 3, 3)).astype(np.float32)
    with configure(max_threads=1):
        expected = convolve(x, w)
    with configure(max_threads=threads):
        assert_bits_equal(actual=convolve(x, w), expected=expected)


def test_a_chain_of_skipped_taps_is_positive_zero():
    """Backwards, a total of -0 and a chain that has no product are +0."""
    x = np.full((300, 1, 2), 1e-30, np.float32)[None, :, 0]
    w = np.full((300, 1, 3), -1e-30, np.float32)
    options = {
        "mode": "cross_correlation",
        "direction": "backward",
        "strides": (3,),
        "dilations": (3,),
        "start_padding": (0,),
        "end_padding": (0,),
        "output_padding": (2,),
        "group_count": 1,
    }
    out_sizes = Geometry(**options).output_sizes(x.shape, w.shape)

    expected = products.convolve(x, w, None, out_sizes, options)
    for target in TARGETS:
        with configure(target=target):
            assert_bits_equal(actual=convolve(x, w, **options), expected=expected, where=target)


def test_padding_is_included_as_zeros():
    x, w = np.ones((1, 1, 3), np.float32), np.float32([[[np.inf, 1, 1]]])
    out = convolve(x, w, start_padding=[1])

    assert_bits_equal(actual=out, expected=np.float32([[[np.nan, np.inf]]]))


@pytest.mark.parametrize("layout", ["packed", "spread", "shared"])
def test_nothing_is_written_beside_the_result(layout):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2, 4, 9, 9)).astype(np.float32)
    w = rng.normal(size=(4, 4, 3, 3)).astype(np.float32)
    expected = convolve(x, w, start_padding=[1, 1], end_padding=[1, 1])
    for target in TARGETS:
        memory = np.full((2, 5, 12, 24), np.float32(77))
        views = {"packed": memory[:, :4, :9, :9], "spread": memory[:, :4, 1:10, ::2][..., 1:10]}
        operand = x.copy()
        out = views.get(layout, operand)
        with configure(target=target):
            convolve(operand, w, start_padding=[1, 1], end_padding=[1, 1], out=out)
        assert_bits_equal(actual=out, expected=expected, where=target)
        if layout != "shared":
            out[...] = 77
            assert (memory == 77).all()


def test_the_published_sizes():
    x = np.zeros((1, 4, 10, 11), np.float32)
    forward = convolve(x, np.zeros((6, 2, 3, 2), np.float32), group_count=2, strides=[2, 3])
    backward = convolve(
        x,
        np.zeros((4, 3, 3, 2), np.float32),
        direction="backward",
        group_count=2,
        strides=[2, 3],
        output_padding=[1, 0],
    )

    assert forward.shape == (1, 6, 4, 4)
    assert backward.shape == (1, 6, 22, 32)


@pytest.mark.parametrize(
    ("x", "w", "options", "error", "text"),
    [
        ((1, 1, 3), (1, 1, 3, 3), {}, LayoutError, "w: needs 3 dimensions"),
        ((1, 1), (1, 1), {}, LayoutError, "x: needs 3 to 5 dimensions"),
        ((1, 4, 3), (1, 3, 3), {}, LayoutError, "w: needs 4 channels"),
        ((1, 4, 3), (3, 2, 3), {"group_count": 2}, LayoutError, "w: needs a multiple of 2"),
        ((1, 3, 3), (3, 2, 3), {"group_count": 2}, LayoutError, "group_count: needs a divisor"),
        ((1, 4, 3), (3, 2, 3), {"direction": "backward"}, LayoutError, "w: needs 4 channels"),
        ((1, 1, 3), (1, 1, 3), {"strides": [0]}, LayoutError, "strides: needs 1 numbers"),
        ((1, 1, 3), (1, 1, 3), {"bias": np.zeros(2, "f4")}, LayoutError, "bias: needs 1"),
        ((1, 1, 3), (1, 1, 3), {"bias": np.zeros(1)}, DataTypeError, "bias: needs FLOAT32"),
        ((1, 1, 3), (1, 1, 3), {"out": np.zeros((1, 1, 1))}, DataTypeError, "out: needs FLOAT32"),
    ],
)
def test_refuses_what_does_not_fit(x, w, options, error, text):
    with pytest.raises(error) as raised:
        convolve(np.zeros(x, np.float32), np.zeros(w, np.float32), **options)

    assert str(raised.value).startswith(text)
