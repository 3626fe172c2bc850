"""Words that write their output in place: same bits as without, wherever that may be."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.operators import compute_function, descriptor_class
from tests.operators.oracle import assert_bits_equal, compiled

SIZES = [3, 5, 7, 9]
WINDOWS = {
    "strides": [2, 1],
    "window_size": [3, 2],
    "start_padding": [1, 0],
    "end_padding": [1, 1],
}
SCALES = {"scales": [1, 1, 2, 0.5]}
OFFSETS = {"input_pixel_offsets": [0.5] * 4, "output_pixel_offsets": [-0.5] * 4}
NEAREST = {"interpolation_mode": dml.InterpolationMode.NEAREST_NEIGHBOR}
LINEAR = {"interpolation_mode": dml.InterpolationMode.LINEAR}
UP = {"rounding_direction": dml.AxisDirection.INCREASING}
MOMENTS = {"scale_tensor": None, "bias_tensor": None, "epsilon": 1e-5}

#: Fields and output sizes of operators that compute, and are words that may write in place.
FIELDS = {
    "ACTIVATION_SOFTMAX": ({}, None),
    "ACTIVATION_SOFTMAX1": ({"axes": [1, 3]}, None),
    "ACTIVATION_LOG_SOFTMAX": ({}, None),
    "ACTIVATION_LOG_SOFTMAX1": ({"axes": [2, 3]}, None),
    "AVERAGE_POOLING": (WINDOWS | {"include_padding": True}, [3, 5, 4, 9]),
    "AVERAGE_POOLING1": (WINDOWS | {"dilations": [1, 1], "include_padding": False}, [3, 5, 4, 9]),
    "MAX_POOLING": (WINDOWS, [3, 5, 4, 9]),
    "MAX_POOLING1": (WINDOWS, [3, 5, 4, 9]),
    "MAX_POOLING2": (WINDOWS | {"dilations": [1, 1]}, [3, 5, 4, 9]),
    "MEAN_VARIANCE_NORMALIZATION": (
        MOMENTS | {"cross_channel": False, "normalize_variance": True},
        None,
    ),
    "MEAN_VARIANCE_NORMALIZATION1": (MOMENTS | {"axes": [0, 2], "normalize_variance": False}, None),
    "MEAN_VARIANCE_NORMALIZATION2": (
        MOMENTS | {"axes": [1, 2, 3], "use_mean": True, "use_variance": True},
        None,
    ),
    "RESAMPLE": (NEAREST | SCALES, [3, 5, 14, 4]),
    "RESAMPLE1": (LINEAR | SCALES | OFFSETS, [3, 5, 14, 4]),
    "RESAMPLE2": (LINEAR | UP | SCALES | OFFSETS, [3, 5, 14, 4]),
    "RESAMPLE3": (LINEAR | UP | SCALES | OFFSETS | {"antialiased": True}, [3, 5, 14, 4]),
    "UPSAMPLE_2D": (LINEAR | {"scale_size": (2, 3)}, [3, 5, 21, 18]),
}
TYPES = [np.float16, np.float32]
everything = pytest.mark.parametrize("dtype", TYPES)
operators = pytest.mark.parametrize("name", FIELDS)


def described(name, dtype, strides=None, **others):
    """Return a descriptor, whose output may have strides."""
    fields, sizes = FIELDS[name]
    own = [1, 1, 15, 63] if name.endswith("SOFTMAX") else SIZES
    return descriptor_class(name)(
        input_tensor=dml.TensorDesc(dtype, own),
        output_tensor=dml.TensorDesc(dtype, sizes or own, strides=strides),
        **fields,
        **others,
    )


def inputs_of(desc):
    """Return inputs: numbers, now and then something special, and nothing but the first."""
    generator = np.random.default_rng(1)
    x = generator.normal(size=desc.input_tensor.sizes).astype(desc.input_tensor.data_type.dtype)
    x[generator.random(x.shape) < 0.01] = 0
    x.reshape(-1)[:3] = [np.inf, -0.0, np.nan]
    x.view(f"u{x.itemsize}").reshape(-1)[2] |= 1  # a NaN with a payload
    return [x] + [None] * (len(list(desc.tensors("input_tensor"))) - 1)


@everything
@operators
def test_outputs_with_strides_have_the_same_bits(name, dtype):
    desc = described(name, dtype)
    inputs = inputs_of(desc)
    expected, *others = compiled(desc)(inputs)
    *rest, last = desc.output_tensor.sizes
    whole = np.full((*rest, 2 * last), 7, dtype)

    compiled(desc)(inputs, out=[whole[..., ::2], *others])

    assert_bits_equal(actual=whole[..., ::2].copy(), expected=expected)
    assert (whole[..., 1::2] == 7).all()


@everything
@pytest.mark.parametrize("name", [n for n in FIELDS if n.startswith("MEAN_VARIANCE")])
def test_fused_activations_are_functions_of_float32(name, dtype):
    desc = described(name, dtype, fused_activation=dml.FusedActivation.sigmoid())
    inputs = inputs_of(desc)
    single = compute_function(name)(described(name, np.float32), *inputs).astype(np.float32)
    (expected,) = compiled(
        descriptor_class("ACTIVATION_SIGMOID")(
            input_tensor=dml.TensorDesc(np.float32, SIZES),
            output_tensor=dml.TensorDesc(np.float32, SIZES),
        )
    )([single])

    (actual,) = compiled(desc)(inputs)

    assert_bits_equal(actual=actual, expected=expected.astype(dtype))
