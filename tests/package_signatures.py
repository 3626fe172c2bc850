"""What functions and methods of the `directml` package take: names, order, kinds, defaults.

Each line is a signature as Python would write it, so that a test can read it by evaluating it.
`*` begins what is given by name alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import indirectml as dml

_UNARY = "input, *, scale_bias=None"
_PAIR = "a, b"
_COMPARISON = "a, b, *, output_dtype=uint8"
_PLANES = "strides=(), dilations=(), start_padding=(), end_padding=()"
_REGIONS = (
    "reduction_function, interpolation_mode, spatial_scale_x, spatial_scale_y, "
    "input_pixel_offset, output_pixel_offset"
)
_SAMPLES = "minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners"

#: Functions that have the same parameters.
_ALIKE = {
    _UNARY: "identity abs acos asin atan ceil cos exp floor log recip sin sqrt tan erf sinh cosh "
    "tanh asinh acosh atanh",
    "input": "sign negate logical_not bit_not non_zero_coordinates activation_relu "
    "activation_sigmoid activation_identity activation_tanh activation_gelu activation_softsign",
    _PAIR: "subtract multiply divide max min mean atan_yx difference_square logical_and logical_or "
    "logical_xor bit_and bit_or bit_xor bit_shift_left bit_shift_right modulus_truncate "
    "modulus_floor",
    _COMPARISON: "equals greater_than greater_than_or_equal less_than less_than_or_equal",
    "input, *, axes=()": "activation_softmax activation_log_softmax activation_hardmax",
    "input, *, alpha, beta": "activation_linear activation_parametric_softplus",
    "input, *, alpha=1": "activation_elu activation_celu activation_thresholded_relu",
    "input, *, block_size, order=DEPTH_COLUMN_ROW": "space_to_depth depth_to_space",
}

_FUNCTIONS = {name: text for text, names in _ALIKE.items() for name in names.split()} | {
    "fill_value_constant": "graph, *, sizes, value, dtype=None",
    "fill_value_sequence": "graph, *, sizes, value_start, value_delta, dtype=None",
    "reinterpret": "input, sizes, strides=None, dtype=None",
    "broadcast": "input, shape",
    "clip": "input, *, min, max, scale_bias=None",
    "threshold": "input, *, min, scale_bias=None",
    "round": "input, *, rounding_mode=HALVES_TO_NEAREST_EVEN",
    "is_nan": "input, *, output_dtype=uint8",
    "is_infinity": "input, *, infinity_mode=EITHER, output_dtype=uint8",
    "bit_count": "input, *, output_dtype=uint8",
    "cast": "input, *, dtype",
    "add": "a, b, *, fused_activation=None",
    "pow": "input, exponent, *, scale_bias=None",
    "where": "condition, a, b",
    "activation_hard_sigmoid": "input, *, alpha=0.2, beta=0.5",
    "activation_leaky_relu": "input, *, alpha=0.01",
    "activation_parameterized_relu": "input, slope",
    "activation_scaled_elu": "input, *, alpha, gamma",
    "activation_scaled_tanh": "input, *, alpha=1, beta=0.5",
    "activation_shrink": "input, *, bias=0, threshold=0.5",
    "activation_softplus": "input, *, steepness=1",
    "join": "inputs, *, axis",
    "split": "input, *, axis, output_axis_sizes",
    "slice": "input, *, input_window_offsets, input_window_sizes, input_window_strides",
    "padding": "input, *, padding_mode=PaddingMode.CONSTANT, padding_value=0, start_padding, "
    "end_padding",
    "tile": "input, *, repeats",
    "one_hot": "indices, values, *, output_length, axis",
    "top_k": "input, *, axis, k, axis_direction=DECREASING",
    "gather": "input, indices, *, axis, index_dimensions",
    "gather_elements": "input, indices, *, axis",
    "gather_nd": "input, indices, *, input_dimension_count, indices_dimension_count, "
    "batch_dimension_count=0",
    "scatter_elements": "input, indices, updates, *, axis",
    "scatter_nd": "input, indices, updates, *, input_dimension_count, indices_dimension_count",
    "reverse_subsequences": "input, sequence_lengths, *, axis",
    "resample": "input, *, output_sizes, mode, rounding_direction=INCREASING, scales=(), "
    "input_pixel_offsets=(), output_pixel_offsets=(), antialiased=False",
    "upsample_2d": "input, *, scale_size, interpolation_mode",
    "value_scale_2d": "input, *, scale, bias",
    "reduce": "input, *, function, axes=(), output_dtype=None",
    "cumulative_summation": "input, *, axis, axis_direction=INCREASING, has_exclusive_sum=False",
    "cumulative_product": "input, *, axis, axis_direction=INCREASING, has_exclusive_product=False",
    "gemm": "a, b, c=None, *, trans_a=MatrixTransform.NONE, trans_b=MatrixTransform.NONE, alpha=1, "
    "beta=1, fused_activation=None",
    "multihead_attention": "query, key, value, *, head_count, scale",
    "convolution": "input, filter, bias=None, *, mode=CROSS_CORRELATION, "
    f"direction=ConvolutionDirection.FORWARD, {_PLANES}, output_padding=(), group_count=1, "
    "fused_activation=None, output_sizes=()",
    "gru": "input, weight, recurrence, bias=None, hidden_init=None, sequence_lengths=None, *, "
    "activation_descs, direction=RecurrentNetworkDirection.FORWARD, linear_before_reset=True, "
    "output_options=GRUOutputOptions.Both",
    "batch_normalization": "input, mean, variance, scale, bias, *, spatial=True, epsilon=1e-5, "
    "fused_activation=None",
    "mean_variance_normalization": "input, scale=None, bias=None, *, axes, "
    "normalize_variance=True, normalize_mean=True, epsilon=1e-5, fused_activation=None",
    "local_response_normalization": "input, *, cross_channel, local_size, alpha, beta, bias",
    "average_pooling": "input, *, strides, window_sizes, start_padding=(), end_padding=(), "
    "dilations=(), include_padding=False, output_sizes=()",
    "max_pooling": "input, *, window_sizes, strides=(), start_padding=(), end_padding=(), "
    "dilations=(), output_indices=False",
    "quantize_linear": "input, scale, zero_point, *, output_dtype=uint8",
    "dequantize_linear": "input, scale, zero_point",
    "dequantize": "input, quantization_parameters, *, quantization_type",
    "convolution_integer": "input, filter, input_zero_point=None, filter_zero_point=None, *, "
    f"{_PLANES}, group_count=1, output_sizes=()",
    "quantized_linear_convolution": "input, input_scale, filter, filter_scale, output_scale, "
    "input_zero_point=None, filter_zero_point=None, bias=None, output_zero_point=None, *, "
    f"output_dtype, {_PLANES}, group_count=1, output_sizes=()",
    "random_generator": "input_state, *, output_sizes, output_state=True, type=PHILOX_4X32_10",
    "roi_align": f"input, roi, batch_indices, *, {_REGIONS}, out_of_bounds_input_value, "
    f"{_SAMPLES}, output_height, output_width",
    "clip_grad": "input, input_gradient, *, min, max",
    "batch_normalization_grad": "input, input_gradient, mean, variance, scale, *, epsilon",
    "batch_normalization_training": "input, scale, bias, fused_add=None, *, epsilon, "
    "fused_activation=None",
    "batch_normalization_training_grad": "input, input_gradient, mean, variance, scale, *, epsilon",
    "resample_grad": "input_gradient, *, output_sizes, mode, scales=(), input_pixel_offsets=(), "
    "output_pixel_offsets=()",
    "slice_grad": "input_gradient, *, output_gradient_sizes, input_window_offsets, "
    "input_window_sizes, input_window_strides",
    "roi_align_grad": f"input_gradient, roi, batch_indices, input=None, *, {_REGIONS}, {_SAMPLES}, "
    "batch_size, image_height, image_width, compute_output_gradient=True, "
    "compute_output_roi_gradient=True",
    "TensorDesc": "data_type, sizes, *, flags=TensorFlags.NONE, strides=None, "
    "total_tensor_size_in_bytes=None, guaranteed_base_offset_alignment=0, tensor_policy=None",
    "Device": "*, use_gpu=True, use_debug_layer=False",
    "Buffer": "device, array, dtype=None",
    "Graph": "device, *, tensor_policy=None",
    "Graph.input": "self, sizes=None, dtype=None, *, owned=False, strides=None, desc=None, "
    "name=None",
    "Graph.constant": "self, array, dtype=None, *, sizes=None, name=None",
    "Graph.compile": "self, outputs, *, flags=ExecutionFlags.NONE",
    "CompiledGraph.initialize": "self, weights=None",
    "CompiledGraph.dispatch": "self, inputs=None, *, readback=True",
    "CompiledGraph.__call__": "self, inputs=None, *, readback=True",
    "FusedActivation": "activation, param_1=0, param_2=0",
    "FusedActivation.none": "",
    "FusedActivation.elu": "alpha=1",
    "FusedActivation.hard_sigmoid": "alpha=0.2, beta=0.5",
    "FusedActivation.identity": "",
    "FusedActivation.leaky_relu": "alpha=0.01",
    "FusedActivation.linear": "alpha, beta",
    "FusedActivation.parametric_softplus": "alpha, beta",
    "FusedActivation.relu": "",
    "FusedActivation.scaled_elu": "alpha, gamma",
    "FusedActivation.scaled_tanh": "alpha=1, beta=0.5",
    "FusedActivation.sigmoid": "",
    "FusedActivation.softplus": "steepness=1",
    "FusedActivation.softsign": "",
    "FusedActivation.tanh": "",
    "FusedActivation.thresholded_relu": "alpha=1",
    "FusedActivation.shrink": "bias=0, threshold=0.5",
    "FusedActivation.celu": "alpha=1",
    "FusedActivation.gelu": "",
}  # fmt: skip

_NAMES: dict[str, Any] = {
    "uint8": np.uint8,
    "HALVES_TO_NEAREST_EVEN": dml.RoundingMode.HALVES_TO_NEAREST_EVEN,
    "EITHER": dml.IsInfinityMode.EITHER,
    "INCREASING": dml.AxisDirection.INCREASING,
    "DECREASING": dml.AxisDirection.DECREASING,
    "DEPTH_COLUMN_ROW": dml.DepthSpaceOrder.DEPTH_COLUMN_ROW,
    "CROSS_CORRELATION": dml.ConvolutionMode.CROSS_CORRELATION,
    "PHILOX_4X32_10": dml.RandomGeneratorType.PHILOX_4X32_10,
}


def package_signatures() -> dict[str, inspect.Signature]:
    """Return what the functions, classes and methods of the package take."""
    names = (
        _NAMES | vars(dml) | {name: getattr(dml, name) for name in dir(dml) if name[0].isupper()}
    )
    made: dict[str, Callable[..., Any]] = {
        name: eval(f"lambda {text}: None", names)  # noqa: S307 (the data above)
        for name, text in _FUNCTIONS.items()
    }
    return {name: inspect.signature(function) for name, function in made.items()}
