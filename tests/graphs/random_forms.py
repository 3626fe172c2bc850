"""How each function for graphs is called in random graphs; one without a form fails a test.

A form takes the graph that grows, a `RandomGraph`, asks it for values, and returns what the
function made of them.
"""

import inspect

import numpy as np

import indirectml as dml

#: Elements that no value has more than.
LIMIT = 40_000

FLOATS = (np.float32, np.float16)
INTEGERS = (np.int32, np.uint32, np.int8, np.uint8)


class NotHereError(Exception):
    """There is no value that fits."""


FORMS = {}

#: Functions without a form, and why.
LEFT_OUT = dict.fromkeys(
    [
        "adam_optimizer",
        "argmax",
        "argmin",
        "average_pooling_grad",
        "diagonal_matrix",
        "dynamic_quantize_linear",
        "fold",
        "local_response_normalization_grad",
        "lp_normalization",
        "lp_pooling",
        "lstm",
        "matrix_multiply_integer_to_float",
        "max_pooling_grad",
        "max_unpooling",
        "multihead_attention1",
        "quantize",
        "quantized_linear_add",
        "quantized_linear_average_pooling",
        "quantized_linear_matrix_multiply",
        "resample1",
        "resample_grad",
        "rnn",
        "roi_pooling",
        "slice_grad",
        "unfold",
    ],
    "has no form yet: its example, and its own tests on every target, are what runs",
)


def form(*names):
    """Return a decorator that makes a function the form of the functions of these names.

    It takes the graph that grows, and the function.
    """

    def register(function):
        for name in names:
            FORMS[name] = lambda g, name=name: function(g, getattr(dml, name))
        return function

    return register


def scaled(g):
    return {"scale_bias": (g.number(), g.number())} if g.chance(3) else {}


def fused(g):
    activations = dml.FusedActivation
    made = (activations.relu, activations.sigmoid, activations.tanh, activations.elu, None)
    chosen = g.one_of(made)
    return {"fused_activation": chosen() if chosen else None}


@form(
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp",
    "floor", "identity", "log", "recip", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
def _(g, function):
    return function(g.pick(), **scaled(g))


@form(
    "activation_gelu", "activation_identity", "activation_relu", "activation_sigmoid",
    "activation_softsign", "activation_tanh", "negate", "sign", "is_nan", "is_infinity", "round",
    "activation_celu", "activation_elu", "activation_hard_sigmoid", "activation_hard_swish",
    "activation_leaky_relu", "activation_scaled_elu", "activation_scaled_tanh",
    "activation_shrink", "activation_softplus", "activation_swish", "activation_thresholded_relu",
)  # fmt: skip
def _(g, function):
    numbers = {
        p.name: g.number(1.0, 2.0)
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.KEYWORD_ONLY and g.chance() and isinstance(p.default, float)
    }
    return function(g.pick(), **numbers)


@form("activation_linear", "activation_parametric_softplus")
def _(g, function):
    return function(g.pick(), alpha=g.number(), beta=g.number(0.5))


@form("activation_softmax", "activation_log_softmax", "activation_hardmax")
def _(g, function):
    x = g.pick()
    return function(x, axes=axes_of(g, x))


def axes_of(g, x):
    chosen = [k for k in range(len(x.shape)) if g.chance()]
    return chosen or [g.below(len(x.shape))]


@form("difference_square", "mean")
def _(g, function):
    x = g.pick((*FLOATS, np.int32, np.uint32))
    return function(x, g.like(x))


@form("subtract", "multiply", "divide", "max", "min", "modulus_floor", "modulus_truncate")
def _(g, function):
    x = g.pick((*FLOATS, np.int32, np.uint8))
    return function(x, g.like(x))


@form("activation_parameterized_relu", "activation_relu_grad", "atan_yx", "pow")
def _(g, function):
    x = g.pick()
    return function(x, g.like(x))


@form("add")
def _(g, function):
    x = g.pick()
    return function(x, g.like(x), **fused(g))


@form("equals", "greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal")
def _(g, function):
    x = g.pick((*FLOATS, *INTEGERS))
    return function(x, g.like(x))


@form("logical_and", "logical_or", "logical_xor")
def _(g, function):
    x = g.pick((np.uint8,))
    return function(x, g.like(x))


@form("bit_and", "bit_or", "bit_xor", "bit_shift_left", "bit_shift_right")
def _(g, function):
    x = g.pick((np.uint32, np.uint8))
    return function(x, g.like(x))


@form("bit_not", "bit_count")
def _(g, function):
    return function(g.pick((np.uint32, np.uint8)))


@form("logical_not")
def _(g, function):
    return function(g.pick((np.uint8,)))


@form("where")
def _(g, function):
    condition = g.pick((np.uint8,))
    x = g.new(condition.shape)
    return function(condition, x, g.like(x))


@form("cast")
def _(g, function):
    return function(g.pick((*FLOATS, *INTEGERS)), dtype=g.one_of((*FLOATS, *INTEGERS)))


@form("clip")
def _(g, function):
    return function(g.pick(), min=g.number(-2, 0), max=g.number(0, 2), **scaled(g))


@form("clip_grad")
def _(g, function):
    x = g.pick()
    return function(x, g.like(x), min=g.number(-2, 0), max=g.number(0, 2))


@form("threshold")
def _(g, function):
    return function(g.pick(), min=g.number(), **scaled(g))


# ---- movement ----


@form("join")
def _(g, function):
    x = g.pick((*FLOATS, *INTEGERS))
    return function([x, g.like(x), x][: 2 + g.below(2)], axis=g.below(len(x.shape)))


@form("split")
def _(g, function):
    x = g.pick((*FLOATS, *INTEGERS), where=lambda v: max(v.shape) > 1)
    axis = int(np.argmax(x.shape))
    first = 1 + g.below(x.shape[axis] - 1)
    return function(x, axis=axis, output_axis_sizes=[first, x.shape[axis] - first])


@form("slice")
def _(g, function):
    x = g.pick((*FLOATS, *INTEGERS))
    offsets = [g.below(n) for n in x.shape]
    sizes = [1 + g.below(n - o) for n, o in zip(x.shape, offsets, strict=True)]
    return function(
        x, input_window_offsets=offsets, input_window_sizes=sizes,
        input_window_strides=[g.one_of((1, 1, 2, -1)) for _ in sizes],
    )  # fmt: skip


@form("tile")
def _(g, function):
    x = g.pick((*FLOATS, *INTEGERS), where=lambda v: v.size < LIMIT // 16)
    return function(x, repeats=[1 + g.below(2) for _ in x.shape])


@form("padding")
def _(g, function):
    x = g.pick(FLOATS, where=lambda v: v.size < LIMIT // 81)
    modes = dml.PaddingMode
    mode = g.one_of((modes.CONSTANT, modes.EDGE, modes.REFLECTION, modes.SYMMETRIC))
    around = [[g.below(min(n, 3)) for n in x.shape] for _ in range(2)]
    return function(x, padding_mode=mode, padding_value=g.number(), start_padding=around[0],
                    end_padding=around[1])  # fmt: skip


@form("space_to_depth")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: v.shape[2] % 2 == 0 == v.shape[3] % 2,
               sizes=[1, 3, 6, 8])  # fmt: skip
    return function(x, block_size=2, order=g.one_of(tuple(dml.DepthSpaceOrder)))


@form("depth_to_space")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: v.shape[1] % 4 == 0, sizes=[1, 8, 5, 3])
    return function(x, block_size=2, order=g.one_of(tuple(dml.DepthSpaceOrder)))


@form("reverse_subsequences")
def _(g, function):
    x = g.pick()
    axis = g.below(len(x.shape))
    sizes = list(x.shape)
    sizes[axis] = 1
    return function(x, g.new(sizes, np.uint32, 0, 12), axis=axis)


@form("gather")
def _(g, function):
    x = g.pick()
    axis = g.below(len(x.shape))
    indices = g.new([1] * (len(x.shape) - 1) + [3], np.int32, 0, x.shape[axis])
    return function(x, indices, axis=axis, index_dimensions=1)


@form("gather_elements")
def _(g, function):
    x = g.pick()
    axis = g.below(len(x.shape))
    return function(x, g.new(x.shape, np.int32, -x.shape[axis], x.shape[axis]), axis=axis)


@form("scatter_elements")
def _(g, function):
    x = g.pick()
    axis = g.below(len(x.shape))
    indices = g.new(x.shape, np.int32, -x.shape[axis], x.shape[axis])
    return function(x, indices, g.like(x), axis=axis)


@form("gather_nd")
def _(g, function):
    x = g.pick(rank=2)
    indices = g.new([5, 2], np.uint32, 0, 3)
    return function(x, indices, input_dimension_count=2, indices_dimension_count=2)


@form("scatter_nd")
def _(g, function):
    x = g.pick(rank=2)
    indices, updates = g.new([5, 2], np.uint32, 0, 3), g.new([1, 5], x.dtype)
    return function(x, indices, updates, input_dimension_count=2, indices_dimension_count=2)


@form("one_hot")
def _(g, function):
    indices = g.new([2, 7, 1], np.int32, -4, 4)
    return function(indices, g.new([1, 1, 2]), output_length=4, axis=2)


# ---- reductions and scans ----


@form("reduce")
def _(g, function):
    x = g.pick(FLOATS)
    return function(x, function=g.one_of(tuple(dml.ReduceFunction)), axes=axes_of(g, x))


@form("cumulative_summation", "cumulative_product")
def _(g, function):
    x = g.pick((*FLOATS, np.int32))
    return function(
        x, axis=g.below(len(x.shape)), axis_direction=g.one_of(tuple(dml.AxisDirection))
    )


@form("top_k")
def _(g, function):
    x = g.pick()
    axis = g.below(len(x.shape))
    return function(x, axis=axis, k=1 + g.below(x.shape[axis]))


@form("non_zero_coordinates")
def _(g, function):
    return function(g.pick((np.uint8,), where=lambda v: v.size < LIMIT // 4))


# ---- networks ----


@form("gemm")
def _(g, function):
    a = g.pick(rank=4)
    columns = 1 + g.below(40)
    b = g.new([*a.shape[:2], a.shape[3], columns], a.dtype)
    c = g.new([*a.shape[:3], columns], a.dtype) if g.chance() else None
    return function(a, b, c, alpha=g.number(), beta=g.number(), **fused(g))


@form("convolution")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: min(v.shape[2:]) > 2, sizes=[2, 5, 30, 31])
    size, count = g.one_of((1, 3)), 1 + g.below(20)
    filter_ = g.new([count, x.shape[1], size, size], x.dtype)
    bias = g.new([1, count, 1, 1], x.dtype) if g.chance() else None
    pad = [g.below(2)] * 2
    return function(x, filter_, bias, strides=[1 + g.below(2)] * 2, start_padding=pad,
                    end_padding=pad, **fused(g))  # fmt: skip


@form("max_pooling")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: min(v.shape[2:]) > 2, sizes=[2, 5, 30, 31])
    return function(x, window_sizes=[1 + g.below(3), 1 + g.below(3)], strides=[1 + g.below(2)] * 2,
                    output_indices=bool(g.chance()))  # fmt: skip


@form("average_pooling")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: min(v.shape[2:]) > 2, sizes=[2, 5, 30, 31])
    return function(x, window_sizes=[2, 1 + g.below(3)], strides=[1, 2], start_padding=[1, 0],
                    end_padding=[0, 0], include_padding=bool(g.chance()))  # fmt: skip


def per_channel(g, x, low=None, high=None):
    return g.new([1, x.shape[1]] + [1] * (len(x.shape) - 2), x.dtype, low, high)


@form("batch_normalization")
def _(g, function):
    x = g.pick(rank=4)
    mean, variance = per_channel(g, x), per_channel(g, x, 0.5, 2)
    return function(x, mean, variance, per_channel(g, x), per_channel(g, x), **fused(g))


@form("batch_normalization_training")
def _(g, function):
    x = g.pick(rank=4)
    return function(x, per_channel(g, x), per_channel(g, x), **fused(g))


@form("batch_normalization_grad", "batch_normalization_training_grad")
def _(g, function):
    x = g.pick(rank=4)
    return function(x, g.like(x), per_channel(g, x), per_channel(g, x, 0.5, 2), per_channel(g, x))


@form("mean_variance_normalization")
def _(g, function):
    x = g.pick()
    return function(x, axes=axes_of(g, x), epsilon=1e-3, **fused(g))


@form("local_response_normalization")
def _(g, function):
    x = g.pick(rank=4)
    return function(x, cross_channel=bool(g.chance()), local_size=3, alpha=0.5, beta=0.75, bias=1)


@form("value_scale_2d")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: v.shape[1] in {1, 3}, sizes=[2, 3, 4, 5])
    return function(x, scale=g.number(), bias=[g.number() for _ in range(x.shape[1])])


@form("upsample_2d")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: v.size < LIMIT // 6)
    return function(x, scale_size=(2, 3), interpolation_mode=g.one_of(tuple(dml.InterpolationMode)))


@form("resample")
def _(g, function):
    x = g.pick(rank=4, where=lambda v: v.size < LIMIT // 4)
    sizes = [*x.shape[:2], x.shape[2] + 1, x.shape[3] * 2]
    return function(x, output_sizes=sizes, mode=g.one_of(tuple(dml.InterpolationMode)))


@form("multihead_attention")
def _(g, function):
    sizes = [2, 5, 8]
    return function(g.new(sizes), g.new(sizes), g.new(sizes), head_count=2, scale=g.number(0.1, 1))


@form("gru")
def _(g, function):
    activations = [dml.FusedActivation.sigmoid(), dml.FusedActivation.tanh()]
    return function(
        g.new([1, 4, 2, 6]), g.new([1, 1, 15, 6]), g.new([1, 1, 15, 5]),
        activation_descs=activations, linear_before_reset=bool(g.chance()),
    )  # fmt: skip


@form("roi_align")
def _(g, function):
    x = g.pick((np.float32,), rank=4)
    return function(x, regions(g), g.new([3], np.uint32, 0, x.shape[0]), **sampling(g),
                    out_of_bounds_input_value=0, output_height=3, output_width=2)  # fmt: skip


@form("roi_align_grad")
def _(g, function):
    x = g.new([2, 3, 8, 9])
    return function(
        g.new([3, 3, 3, 2]), regions(g), g.new([3], np.uint32, 0, 2), x, **sampling(g),
        batch_size=2, image_height=8, image_width=9,
    )  # fmt: skip


def regions(g):
    corners = np.sort(g.random.uniform(0, 8, (3, 2, 2)), axis=1).reshape(3, 4)
    return g.graph.constant(corners.astype(np.float32))


def sampling(g):
    return {
        "reduction_function": g.one_of((dml.ReduceFunction.AVERAGE, dml.ReduceFunction.MAX)),
        "interpolation_mode": g.one_of(tuple(dml.InterpolationMode)),
        "spatial_scale_x": 1, "spatial_scale_y": 1, "input_pixel_offset": 0.5,
        "output_pixel_offset": -0.5, "minimum_samples_per_output": 1,
        "maximum_samples_per_output": 3, "align_regions_to_corners": False,
    }  # fmt: skip


# ---- integers ----


@form("quantize_linear")
def _(g, function):
    x = g.pick((np.float32,))
    return function(x, g.new(x.shape, np.float32, 0.1, 1), g.new(x.shape, np.uint8))


@form("dequantize_linear")
def _(g, function):
    x = g.pick((np.uint8, np.int8))
    return function(x, g.new(x.shape, np.float32, 0.1, 1), g.like(x))


@form("dequantize")
def _(g, function):
    x = g.pick((np.uint8, np.int8))
    scale = g.new([1] * len(x.shape), np.float32, 0.1, 1)
    return function(x, [scale], quantization_type=dml.QuantizationType.SCALE)


@form("matrix_multiply_integer")
def _(g, function):
    a = g.pick((np.uint8, np.int8), rank=4)
    b = g.new([*a.shape[:2], a.shape[3], 1 + g.below(30)], a.dtype)
    return function(a, g.new([1, 1, 1, 1], a.dtype, 0, 5), b)


@form("convolution_integer")
def _(g, function):
    x = g.pick(
        (np.uint8, np.int8), rank=4, where=lambda v: min(v.shape[2:]) > 2, sizes=[2, 5, 30, 31]
    )
    filter_ = g.new([3, x.shape[1], 3, 3], x.dtype)
    return function(x, filter_, g.new([1, 1, 1, 1], x.dtype, 0, 5))


@form("quantized_linear_convolution")
def _(g, function):
    x = g.pick((np.uint8,), rank=4, where=lambda v: min(v.shape[2:]) > 2, sizes=[2, 5, 30, 31])
    one = [1, 1, 1, 1]
    scales = [g.new(one, np.float32, 0.1, 1) for _ in range(3)]
    zeros = [g.new(one, np.uint8) for _ in range(3)]
    filter_ = g.new([3, x.shape[1], 3, 3], np.uint8)
    bias = g.new([1, 3, 1, 1], np.int32) if g.chance() else None
    return function(x, scales[0], filter_, *scales[1:], *zeros[:2], bias, zeros[2])


# ---- what needs no input ----


@form("fill_value_constant")
def _(g, function):
    return function(g.graph, sizes=[2, 3, 4], value=g.number())


@form("fill_value_sequence")
def _(g, function):
    return function(g.graph, sizes=[2, 3, 4], value_start=g.number(), value_delta=g.number())


@form("random_generator")
def _(g, function):
    state = g.new([1, 1, 1, 6], np.uint32, 0, 1000)
    return function(state, output_sizes=[1, 1, 5, 7])
