"""Convolution against sums written from its definition, and against PyTorch and ONNX Runtime."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml import ConvolutionDirection, ConvolutionMode, FusedActivation
from tests.arithmetic import products
from tests.operators import oracle
from tests.operators.elsewhere import assert_close, computed, normal, onnx_runtime
from tests.operators.families import Trial, places, run_oracle
from tests.operators.windows import counted, image_sizes

MODES = {
    ConvolutionMode.CONVOLUTION: "convolution",
    ConvolutionMode.CROSS_CORRELATION: "cross_correlation",
}
FORWARD, BACKWARD = ConvolutionDirection.FORWARD, ConvolutionDirection.BACKWARD

#: Taps, strides, dilations, start, end and output padding along up to three axes, and groups.
CASES = (
    ((2, 3, 2), (1, 1, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0), (0, 0, 0), 1),
    ((2, 2, 3), (2, 3, 2), (1, 2, 2), (1, 0, 2), (0, 2, 1), (0, 1, 1), 3),
    ((1, 1, 1), (5, 6, 9), (1, 1, 1), (0, 0, 0), (0, 0, 0), (2, 0, 3), 1),
    ((2, 1, 4), (1, 1, 1), (1, 1, 2), (2, 1, 3), (1, 1, 4), (0, 0, 0), 3),
)


def output_along(size, taps, stride, dilation, start, end, more, *, backward):
    """Return how many elements the output has along an axis."""
    if backward:
        return (size - 1) * stride + dilation * (taps - 1) + 1 - start - end + more
    return counted(size, taps, stride, dilation, start, end) + more


def convolution(place):
    sizes = image_sizes(place.rank)
    axes = place.rank - 2
    if place.rank == 5:
        sizes = (1, 3, 3, 3, 4)
    for number, (case, direction) in enumerate(itertools.product(CASES, (FORWARD, BACKWARD))):
        *geometry, groups = case
        taps, strides, dilations, start, end, more = (tuple(g[-axes:]) for g in geometry)
        backward = direction == BACKWARD
        spatial = tuple(
            output_along(*along, backward=backward)
            for along in zip(sizes[2:], taps, strides, dilations, start, end, more, strict=True)
        )
        if min(spatial) < 1:
            continue
        filters = (3, 2, *taps) if backward else (2 * groups, 3 // groups, *taps)
        out = (sizes[0], 2 * groups, *spatial)
        mode = list(MODES)[number % 2]
        fields = {
            "strides": strides, "dilations": dilations, "start_padding": start,
            "end_padding": end, "output_padding": more, "group_count": groups,
        }  # fmt: skip
        fused = FusedActivation.leaky_relu(0.25) if number % 3 == 2 else None
        bias = place.tensor([1, out[1], *[1] * axes]) if number % 4 < 2 else None
        desc = place.desc(
            input_tensor=place.tensor(sizes), filter_tensor=place.tensor(filters),
            bias_tensor=bias, output_tensor=place.output(out), mode=mode, direction=direction,
            fused_activation=fused, **fields,
        )  # fmt: skip
        options = {
            **fields, "mode": MODES[mode], "direction": "backward" if backward else "forward",
        }  # fmt: skip

        def function(x, w, b, out=out, options=options, fused=fused):
            b = None if b is None else b.reshape(-1)
            result = products.convolve(x, w, b, out, options)
            if fused is not None:
                result = np.where(result < 0, result * np.float32(0.25), result)
            return oracle.quiet(result.astype(place.dtype))

        yield Trial(desc, function)
        near = np.array([-2.5, -1, -0.1, 0.3, 1, 1.7, 3])
        yield Trial(desc, function, [near, near, near])


ORACLES = {"CONVOLUTION": convolution}


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def test_chains_are_256_long():
    """More products than one chain, so that cutting it elsewhere would show."""
    x, w = normal(1, 40, 4, 4), normal(2, 40, 3, 3)
    options = {
        "strides": (1, 1), "dilations": (1, 1), "start_padding": (0, 0), "end_padding": (0, 0),
        "output_padding": (0, 0), "group_count": 1,
    }  # fmt: skip

    (actual,) = computed("CONVOLUTION", [x, w, None], [(x.dtype, (1, 2, 2, 2))], **options)

    options |= {"mode": "cross_correlation", "direction": "forward"}
    expected = products.convolve(x, w, None, (1, 2, 2, 2), options)
    oracle.assert_bits_equal(actual=actual, expected=expected)


GEOMETRY = {"strides": (2, 1), "dilations": (1, 2), "start_padding": (1, 0), "group_count": 2}


def test_forwards_it_is_conv_of_onnx_runtime():
    x, w, b = normal(2, 4, 7, 8), normal(6, 2, 3, 2), normal(6)

    (wanted,) = onnx_runtime("Conv", [x, w, b], strides=(2, 1), dilations=(1, 2),
                             pads=(1, 0, 2, 1), group=2)  # fmt: skip
    (actual,) = computed("CONVOLUTION", [x, w, b.reshape(1, 6, 1, 1)], [(x.dtype, wanted.shape)],
                         **GEOMETRY, end_padding=(2, 1))  # fmt: skip

    assert_close(actual, wanted)


def test_backwards_it_is_conv_transpose_of_onnx_runtime():
    x, w, b = normal(2, 4, 5, 6), normal(4, 3, 3, 2), normal(6)

    (wanted,) = onnx_runtime("ConvTranspose", [x, w, b], strides=(2, 1), dilations=(1, 2),
                             pads=(1, 0, 0, 1), output_padding=(1, 0), group=2)  # fmt: skip
    (actual,) = computed("CONVOLUTION", [x, w, b.reshape(1, 6, 1, 1)], [(x.dtype, wanted.shape)],
                         **GEOMETRY, end_padding=(0, 1), output_padding=(1, 0),
                         direction=BACKWARD)  # fmt: skip

    assert_close(actual, wanted)


def test_convolution_turns_the_filter_round():
    x, w = normal(1, 1, 9), normal(1, 1, 4)

    (actual,) = computed("CONVOLUTION", [x, w, None], [(x.dtype, (1, 1, 6))],
                         mode=ConvolutionMode.CONVOLUTION)  # fmt: skip

    assert_close(actual[0, 0], np.convolve(x[0, 0], w[0, 0], "valid"))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"strides": (0,)}, "strides[0]: needs at least 1, got 0"),
        ({"dilations": (0,)}, "dilations[0]: needs at least 1, got 0"),
        ({"group_count": 0}, "group_count: needs at least 1, got 0"),
        ({"group_count": 2}, "input_tensor.sizes: needs 2 channels"),
        ({}, "output_tensor.sizes: needs [1, 1, 6]"),
    ],
)
def test_refuses(fields, text):
    with pytest.raises(dml.DirectMLError) as caught:
        computed("CONVOLUTION", [normal(1, 1, 9), normal(1, 1, 4), None],
                 [(np.float32, (1, 1, 5))], **fields)  # fmt: skip
    assert str(caught.value).startswith(f"CONVOLUTION.{text}")
