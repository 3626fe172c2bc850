# Written by `python -m tools.generate`.

from collections.abc import Sequence
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.catalogue.enumerations import ConvolutionDirection
from indirectml.catalogue.enumerations import ConvolutionMode
from indirectml.catalogue.enumerations import DepthSpaceOrder
from indirectml.catalogue.enumerations import GRUOutputOptions
from indirectml.catalogue.enumerations import InterpolationMode
from indirectml.catalogue.enumerations import IsInfinityMode
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.catalogue.enumerations import MultiheadAttentionMaskType
from indirectml.catalogue.enumerations import PaddingMode
from indirectml.catalogue.enumerations import QuantizationType
from indirectml.catalogue.enumerations import RandomGeneratorType
from indirectml.catalogue.enumerations import RecurrentNetworkDirection
from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.catalogue.enumerations import RoundingMode
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import DataTypeLike
from indirectml.core.scalars import Scalar
from indirectml.descriptors.fields import ScaleBias
from indirectml.descriptors.fields import Size2D
from indirectml.graphs.expressions import Expression
from indirectml.graphs.expressions import NodeBuilder
from indirectml.graphs.expressions import ScaleBiasLike
from indirectml.graphs.expressions import Sizes
from indirectml.graphs.outputs import AdamOptimizerOutputs
from indirectml.graphs.outputs import BatchNormalizationGradOutputs
from indirectml.graphs.outputs import BatchNormalizationTrainingOutputs
from indirectml.graphs.outputs import DynamicQuantizeLinearOutputs
from indirectml.graphs.outputs import GRUOutputs
from indirectml.graphs.outputs import LSTMOutputs
from indirectml.graphs.outputs import MaxPoolingOutputs
from indirectml.graphs.outputs import MultiheadAttentionOutputs
from indirectml.graphs.outputs import NonZeroCoordinatesOutputs
from indirectml.graphs.outputs import RNNOutputs
from indirectml.graphs.outputs import RandomGeneratorOutputs
from indirectml.graphs.outputs import RoiAlignGradOutputs
from indirectml.graphs.outputs import TopKOutputs

__all__ = [
    "abs",
    "acos",
    "acosh",
    "activation_celu",
    "activation_elu",
    "activation_gelu",
    "activation_hard_sigmoid",
    "activation_hard_swish",
    "activation_hardmax",
    "activation_identity",
    "activation_leaky_relu",
    "activation_linear",
    "activation_log_softmax",
    "activation_parameterized_relu",
    "activation_parametric_softplus",
    "activation_relu",
    "activation_relu_grad",
    "activation_scaled_elu",
    "activation_scaled_tanh",
    "activation_shrink",
    "activation_sigmoid",
    "activation_softmax",
    "activation_softplus",
    "activation_softsign",
    "activation_swish",
    "activation_tanh",
    "activation_thresholded_relu",
    "adam_optimizer",
    "add",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan_yx",
    "atanh",
    "average_pooling",
    "average_pooling_grad",
    "batch_normalization",
    "batch_normalization_grad",
    "batch_normalization_training",
    "batch_normalization_training_grad",
    "bit_and",
    "bit_count",
    "bit_not",
    "bit_or",
    "bit_shift_left",
    "bit_shift_right",
    "bit_xor",
    "cast",
    "ceil",
    "clip",
    "clip_grad",
    "convolution",
    "convolution_integer",
    "cos",
    "cosh",
    "cumulative_product",
    "cumulative_summation",
    "depth_to_space",
    "dequantize",
    "dequantize_linear",
    "diagonal_matrix",
    "difference_square",
    "divide",
    "dynamic_quantize_linear",
    "equals",
    "erf",
    "exp",
    "fill_value_constant",
    "fill_value_sequence",
    "floor",
    "fold",
    "gather",
    "gather_elements",
    "gather_nd",
    "gemm",
    "greater_than",
    "greater_than_or_equal",
    "gru",
    "identity",
    "is_infinity",
    "is_nan",
    "join",
    "less_than",
    "less_than_or_equal",
    "local_response_normalization",
    "local_response_normalization_grad",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lp_normalization",
    "lp_pooling",
    "lstm",
    "matrix_multiply_integer",
    "matrix_multiply_integer_to_float",
    "max",
    "max_pooling",
    "max_pooling_grad",
    "max_unpooling",
    "mean",
    "mean_variance_normalization",
    "min",
    "modulus_floor",
    "modulus_truncate",
    "multihead_attention",
    "multihead_attention1",
    "multiply",
    "negate",
    "non_zero_coordinates",
    "one_hot",
    "padding",
    "pow",
    "quantize",
    "quantize_linear",
    "quantized_linear_add",
    "quantized_linear_average_pooling",
    "quantized_linear_convolution",
    "quantized_linear_matrix_multiply",
    "random_generator",
    "recip",
    "reduce",
    "resample",
    "resample1",
    "resample_grad",
    "reverse_subsequences",
    "rnn",
    "roi_align",
    "roi_align_grad",
    "roi_pooling",
    "round",
    "scatter_elements",
    "scatter_nd",
    "sign",
    "sin",
    "sinh",
    "slice",
    "slice_grad",
    "space_to_depth",
    "split",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "threshold",
    "tile",
    "top_k",
    "unfold",
    "upsample_2d",
    "value_scale_2d",
    "where",
]

def abs(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = |Input * Scale + Bias|.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to
        8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. The smallest integer stays as it is.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ABS_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([abs(x)])()
    [array([1., 2.], dtype=float32)]
    """

def acos(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = acos(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The angle in radians from 0 to pi whose cosine it is. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ACOS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, -1], np.float32))
    >>> graph.compile([acos(x)])()
    [array([0.       , 3.1415927], dtype=float32)]
    """

def acosh(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = acosh(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The inverse hyperbolic cosine, at least 0; NaN below 1. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC; MicrosoftDocs/sdk-api at dcb2387531.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1], np.float32))
    >>> graph.compile([acosh(x)])()
    [array([0.], dtype=float32)]
    """

def activation_celu(
    input: Expression,
    *,
    alpha: float = ...,
) -> Expression:
    """Output = max(0, Input) + min(0, Alpha * (exp(Input / Alpha) - 1)).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each operation; exp(Input / Alpha) - 1 is one function, correctly rounded. Zero is
    +0; a NaN stays.

    Our choice: as for ACTIVATION_ELU, nothing is lost near 0.

    References
    ----------
    DirectML: DML_ACTIVATION_CELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, -9.99999993922529e-09, 3], np.float32))
    >>> graph.compile([activation_celu(x, alpha=2)])()
    [array([-2.e+00, -1.e-08,  3.e+00], dtype=float32)]
    """

def activation_elu(
    input: Expression,
    *,
    alpha: float = ...,
) -> Expression:
    """Output = Input, or Alpha * (exp(Input) - 1) below zero.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    exp(Input) - 1 is one function, correctly rounded; the product is rounded after it. Both zeros
    stay; a NaN stays.

    Our choice: that nothing is lost near 0, where exp(Input), rounded by itself, is 1.

    References
    ----------
    DirectML: DML_ACTIVATION_ELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 290b21b0f5.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, -9.99999993922529e-09, 3], np.float32))
    >>> graph.compile([activation_elu(x, alpha=2)])()
    [array([-2.e+00, -2.e-08,  3.e+00], dtype=float32)]
    """

def activation_gelu(
    input: Expression,
) -> Expression:
    """Output = 0.5 * Input * (1 + erf(Input / sqrt(2))).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    One function, correctly rounded.

    Our choice: -infinity gives -0, which the results before it come near to; step by step it would
    be infinity times 0.

    References
    ----------
    DirectML: DML_ACTIVATION_GELU_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, 0, 100], np.float32))
    >>> graph.compile([activation_gelu(x)])()
    [array([ -0.,   0., 100.], dtype=float32)]
    """

def activation_hard_sigmoid(
    input: Expression,
    *,
    alpha: float = ...,
    beta: float = ...,
) -> Expression:
    """Output = max(0, min(1, Alpha * Input + Beta)).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition. Zero is +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC; MicrosoftDocs/sdk-api at f4acb9bc5d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-9, 0, 9], np.float32))
    >>> graph.compile([activation_hard_sigmoid(x)])()
    [array([0. , 0.5, 1. ], dtype=float32)]
    """

def activation_hard_swish(
    input: Expression,
    *,
    alpha: float = ...,
    beta: float = ...,
) -> Expression:
    """Output = Input * max(0, min(1, Alpha * Input + Beta)).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each operation.

    The page errs: it lets the output lie on the input, and DirectML's own schema does not, which
    decides.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 0, 3], np.float32))
    >>> graph.compile([activation_hard_swish(x, alpha=0.5)])()
    [array([-0.,  0.,  3.], dtype=float32)]
    """

def activation_hardmax(
    input: Expression,
    *,
    axes: Sequence[int] = ...,
) -> Expression:
    """Return 1 at the first of the largest elements along some axes, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        What is compared.
    axes : sequence of int
        From 0; by ACTIVATION_HARDMAX1. Left empty, the last one, by ACTIVATION_HARDMAX.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[1, 3, 3]], np.float32))
    >>> graph.compile([activation_hardmax(x)])()
    [array([[0., 1., 0.]], dtype=float32)]
    """

def activation_identity(
    input: Expression,
) -> Expression:
    """Output = Input.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_ACTIVATION_IDENTITY_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0dbacd0650.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_identity(x)])()
    [array([-1.,  2.], dtype=float32)]
    """

def activation_leaky_relu(
    input: Expression,
    *,
    alpha: float = ...,
) -> Expression:
    """Output = Input, or Alpha * Input below zero.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication. Both zeros stay; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_leaky_relu(x, alpha=0.5)])()
    [array([-0.5,  2. ], dtype=float32)]
    """

def activation_linear(
    input: Expression,
    *,
    alpha: float,
    beta: float,
) -> Expression:
    """Output = Alpha * Input + Beta.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition.

    References
    ----------
    DirectML: DML_ACTIVATION_LINEAR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_linear(x, alpha=3, beta=1)])()
    [array([-2.,  7.], dtype=float32)]
    """

def activation_log_softmax(
    input: Expression,
    *,
    axes: Sequence[int] = ...,
) -> Expression:
    """Return the logarithm of softmax along some axes.

    Parameters
    ----------
    input : Expression
        What is normalized.
    axes : sequence of int
        From 0; by ACTIVATION_LOG_SOFTMAX1. Left empty, the last one, by ACTIVATION_LOG_SOFTMAX.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, -np.inf]], np.float32))
    >>> graph.compile([activation_log_softmax(x)])()
    [array([[  0., -inf]], dtype=float32)]
    """

def activation_parameterized_relu(
    input: Expression,
    slope: Expression,
) -> Expression:
    """Output = Input, or Slope * Input below zero.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.
    slope : Expression
        The slopes below zero. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8 dimensions.

    Notes
    -----
    Rounded after the multiplication; integers wrap. Both zeros stay; a NaN of the input stays.

    References
    ----------
    DirectML: DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at a28e08e717.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([-1, 2], np.float32))
    >>> b = graph.constant(np.array([0.5, 0.5], np.float32))
    >>> graph.compile([activation_parameterized_relu(a, b)])()
    [array([-0.5,  2. ], dtype=float32)]
    """

def activation_parametric_softplus(
    input: Expression,
    *,
    alpha: float,
    beta: float,
) -> Expression:
    """Output = Alpha * log(1 + exp(Beta * Input)).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each multiplication; softplus of Beta * Input is correctly rounded, so that
    nothing overflows.

    References
    ----------
    DirectML: DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea9cf3ce19.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, 100], np.float32))
    >>> graph.compile([activation_parametric_softplus(x, alpha=2, beta=1)])()
    [array([  0., 200.], dtype=float32)]
    """

def activation_relu(
    input: Expression,
) -> Expression:
    """Output = max(0, Input).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.

    Notes
    -----
    Exact. Both zeros give +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_relu(x)])()
    [array([0., 2.], dtype=float32)]
    """

def activation_relu_grad(
    input: Expression,
    input_gradient: Expression,
) -> Expression:
    """OutputGradient = InputGradient where Input is above 0, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16, INT32, INT16, INT8; 1
        to 8 dimensions.

    Notes
    -----
    The zero is +0; a NaN of the input is not above 0.

    The page errs: its history names feature level 3_1 and has no table for it; the last table holds
    on.

    References
    ----------
    DirectML: DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([-1, 2], np.float32))
    >>> b = graph.constant(np.array([5, 6], np.float32))
    >>> graph.compile([activation_relu_grad(a, b)])()
    [array([0., 6.], dtype=float32)]
    """

def activation_scaled_elu(
    input: Expression,
    *,
    alpha: float = ...,
    gamma: float = ...,
) -> Expression:
    """Output = Gamma * Input above zero, Gamma * (Alpha * exp(Input) - Alpha) elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    gamma : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Alpha * (exp(Input) - 1), of which exp(Input) - 1 is one function, correctly rounded; rounded
    after each multiplication. A NaN stays.

    Our choice: as for ACTIVATION_ELU, nothing is lost near 0.

    References
    ----------
    DirectML: DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2db4b02040.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, -9.99999993922529e-09, 3], np.float32))
    >>> graph.compile([activation_scaled_elu(x, alpha=2, gamma=0.5)])()
    [array([-1.0e+00, -1.0e-08,  1.5e+00], dtype=float32)]
    """

def activation_scaled_tanh(
    input: Expression,
    *,
    alpha: float = ...,
    beta: float = ...,
) -> Expression:
    """Output = Alpha * tanh(Beta * Input).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each multiplication and after the function.

    References
    ----------
    DirectML: DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, np.inf], np.float32))
    >>> graph.compile([activation_scaled_tanh(x, alpha=2, beta=1)])()
    [array([0., 2.], dtype=float32)]
    """

def activation_shrink(
    input: Expression,
    *,
    bias: float = ...,
    threshold: float = ...,
) -> Expression:
    """Output = Input - Bias above Threshold, Input + Bias below -Threshold, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    bias : float
        What is taken away. An integer for tensors of integers. Rounded to FLOAT32.
    threshold : float
        Where zero ends. Rounded to FLOAT32.

    Notes
    -----
    Both comparisons are exact, the first has precedence, and the result is rounded once; integers
    wrap. What is in between is +0, and so is a NaN, which is not beyond anything.

    The page errs: its history names feature level 2_1 and has no table for it; the last table holds
    on.

    References
    ----------
    DirectML: DML_ACTIVATION_SHRINK_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-3, 0.25, 3], np.float32))
    >>> graph.compile([activation_shrink(x, bias=1)])()
    [array([-2.,  0.,  2.], dtype=float32)]
    """

def activation_sigmoid(
    input: Expression,
) -> Expression:
    """Output = 1 / (1 + exp(-Input)).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Correctly rounded.

    References
    ----------
    DirectML: DML_ACTIVATION_SIGMOID_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, np.inf], np.float32))
    >>> graph.compile([activation_sigmoid(x)])()
    [array([0.5, 1. ], dtype=float32)]
    """

def activation_softmax(
    input: Expression,
    *,
    axes: Sequence[int] = ...,
) -> Expression:
    """Return softmax along some axes.

    Parameters
    ----------
    input : Expression
        What is normalized.
    axes : sequence of int
        From 0; by ACTIVATION_SOFTMAX1. Left empty, the last one, by ACTIVATION_SOFTMAX.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, 0], [0, -np.inf]], np.float32))
    >>> graph.compile([activation_softmax(x)])()
    [array([[0.5, 0.5],
           [1. , 0. ]], dtype=float32)]
    """

def activation_softplus(
    input: Expression,
    *,
    steepness: float = ...,
) -> Expression:
    """Output = log(1 + exp(Steepness * Input)) / Steepness.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    steepness : float
        The steepness. Rounded to FLOAT32.

    Notes
    -----
    Softplus of Steepness * Input is correctly rounded, so that nothing overflows; with a steepness
    other than 1 the product is rounded before it, and the quotient after it.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, np.inf], np.float32))
    >>> graph.compile([activation_softplus(x)])()
    [array([ 0., inf], dtype=float32)]
    """

def activation_softsign(
    input: Expression,
) -> Expression:
    """Output = Input / (1 + |Input|).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Rounded after the addition and after the division. Infinities give NaN.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 705a7eaab8.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 3], np.float32))
    >>> graph.compile([activation_softsign(x)])()
    [array([-0.5 ,  0.75], dtype=float32)]
    """

def activation_swish(
    input: Expression,
    *,
    sigmoid_input_scale: float = ...,
) -> Expression:
    """Output = Input * sigmoid(SigmoidInputScale * Input).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    sigmoid_input_scale : float
        A factor before the sigmoid. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each operation.

    The page errs: it lets the output lie on the input, and DirectML's own schema does not, which
    decides.

    References
    ----------
    DirectML: DML_ACTIVATION_SWISH_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 100], np.float32))
    >>> graph.compile([activation_swish(x)])()
    [array([  0., 100.], dtype=float32)]
    """

def activation_tanh(
    input: Expression,
) -> Expression:
    """Output = tanh(Input).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Correctly rounded.

    References
    ----------
    DirectML: DML_ACTIVATION_TANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, np.inf], np.float32))
    >>> graph.compile([activation_tanh(x)])()
    [array([0., 1.], dtype=float32)]
    """

def activation_thresholded_relu(
    input: Expression,
    *,
    alpha: float = ...,
) -> Expression:
    """Output = Input above Alpha, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    The zero is +0. A NaN is not above anything and gives it too.

    References
    ----------
    DirectML: DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_thresholded_relu(x)])()
    [array([0., 2.], dtype=float32)]
    """

def adam_optimizer(
    input_parameters: Expression,
    input_first_moment: Expression,
    input_second_moment: Expression,
    gradient: Expression,
    training_step: Expression,
    *,
    learning_rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> AdamOptimizerOutputs:
    """Outputs = the parameters after a step of Adam, and its moments.

    Parameters
    ----------
    input_parameters : Expression
        The parameters before the step. FLOAT32, FLOAT16; 4 dimensions.
    input_first_moment : Expression
        The first moments before the step. FLOAT32, FLOAT16; 4 dimensions.
    input_second_moment : Expression
        The second moments before the step. FLOAT32, FLOAT16; 4 dimensions.
    gradient : Expression
        The gradient of the parameters. FLOAT32, FLOAT16; 4 dimensions.
    training_step : Expression
        The number of the step, from 0. FLOAT32, FLOAT16; 4 dimensions.
    learning_rate : float
        The length of the step. Rounded to FLOAT32.
    beta1 : float
        The decay of the first moment. Rounded to FLOAT32.
    beta2 : float
        The decay of the second moment. Rounded to FLOAT32.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.

    Notes
    -----
    M' = Beta1 * M + (1 - Beta1) * G; V' = Beta2 * V + ((1 - Beta2) * G) * G; a = sqrt(1 - Beta2^T)
    / (1 - Beta1^T); X' = X - ((LearningRate * a) * M') / (sqrt(V') + Epsilon). FLOAT32, every
    operation rounded, powers and roots correctly.

    The page errs: it says that the step is UINT32, and its table FLOAT32 or FLOAT16; the table
    decides. Its history names feature level 4_0 and has no table for it.

    References
    ----------
    DirectML: DML_ADAM_OPTIMIZER_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[5]]]], np.float32))
    >>> b = graph.constant(np.array([[[[0]]]], np.float32))
    >>> c = graph.constant(np.array([[[[0]]]], np.float32))
    >>> d = graph.constant(np.array([[[[2]]]], np.float32))
    >>> e = graph.constant(np.array([[[[1]]]], np.float32))
    >>> graph.compile([e for e in adam_optimizer(a, b, c, d, e, learning_rate=1, beta1=0.5, beta2=0, epsilon=0) if e is not None])()
    [array([[[[4.]]]], dtype=float32), array([[[[1.]]]], dtype=float32), array([[[[4.]]]], dtype=float32)]
    """

def add(
    a: Expression,
    b: Expression,
    *,
    fused_activation: FusedActivation | None = ...,
) -> Expression:
    """Return a + b, element by element.

    By ELEMENT_WISE_ADD, or with an activation by ELEMENT_WISE_ADD1.

    Parameters
    ----------
    a, b : Expression
        Of equal sizes and data type.
    fused_activation : FusedActivation, optional
        Computed on the sum before it is rounded to the output's data type.

    Raises
    ------
    DescriptorError
        They differ; the message shows the call.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([add(a, a)])()
    [array([2., 4.], dtype=float32)]
    """

def argmax(
    input: Expression,
    *,
    axes: Sequence[int],
    axis_direction: AxisDirection = ...,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = the number of the largest element along some axes.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    axes : Sequence[int]
        The axes, from 0, each once.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    Elements are numbered row-major over the axes in ascending order. A NaN is the largest, and +0
    is larger than -0; of equals it is the first, or with DECREASING the last.

    References
    ----------
    DirectML: DML_ARGMAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 3, 3], np.float32))
    >>> graph.compile([argmax(x, axes=[0])])()
    [array([1], dtype=uint32)]
    """

def argmin(
    input: Expression,
    *,
    axes: Sequence[int],
    axis_direction: AxisDirection = ...,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = the number of the smallest element along some axes.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    axes : Sequence[int]
        The axes, from 0, each once.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    As ARGMAX; a NaN is the smallest.

    References
    ----------
    DirectML: DML_ARGMIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 8f2547f96c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 3, 1], np.float32))
    >>> graph.compile([argmin(x, axes=[0], axis_direction=AxisDirection.DECREASING)])()
    [array([2], dtype=uint32)]
    """

def asin(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = asin(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The angle in radians from -pi/2 to pi/2 whose sine it is. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ASIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 1], np.float32))
    >>> graph.compile([asin(x)])()
    [array([0.       , 1.5707964], dtype=float32)]
    """

def asinh(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = asinh(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The inverse hyperbolic sine. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ASINH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0], np.float32))
    >>> graph.compile([asinh(x)])()
    [array([0.], dtype=float32)]
    """

def atan(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = atan(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The angle in radians from -pi/2 to pi/2 whose tangent it is. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ATAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, np.inf], np.float32))
    >>> graph.compile([atan(x)])()
    [array([0.       , 1.5707964], dtype=float32)]
    """

def atan_yx(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = the angle of the point (B, A) in radians, from -pi to pi.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Correctly rounded. Zeros and infinities as in IEEE 754-2019, 9.2.1, atan2(A, B).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([0, 1, 0], np.float32))
    >>> b = graph.constant(np.array([1, 0, -1], np.float32))
    >>> graph.compile([atan_yx(a, b)])()
    [array([0.       , 1.5707964, 3.1415927], dtype=float32)]
    """

def atanh(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = atanh(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The inverse hyperbolic tangent; NaN beyond -1 and 1. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ATANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 1], np.float32))
    >>> graph.compile([atanh(x)])()
    [array([ 0., inf], dtype=float32)]
    """

def average_pooling(
    input: Expression,
    *,
    strides: Sequence[int],
    window_sizes: Sequence[int],
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    include_padding: bool = ...,
    output_sizes: Sequence[int] = ...,
) -> Expression:
    """Output = the sum of a window's elements over their count.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    include_padding : bool
        Whether padding counts as elements.
    output_sizes : Sequence[int]
        The sizes of the output.

    Notes
    -----
    The sum is one of FLOAT64 by rule S16 over the positions of the window, padding counted; it is
    divided in FLOAT64 by the number of positions inside of the input, or with IncludePadding of
    all, and rounded once. A window without an element gives NaN.

    The page errs: that of AVERAGE_POOLING1 leaves dilations out of the output's sizes;
    MAX_POOLING2, where they count, decides.

    References
    ----------
    DirectML: DML_AVERAGE_POOLING1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 2, 4]]]], np.float32))
    >>> graph.compile([average_pooling(x, strides=[1, 1], window_sizes=[1, 2])])()
    [array([[[[1.5, 3. ]]]], dtype=float32)]
    """

def average_pooling_grad(
    input_gradient: Expression,
    *,
    output_gradient_sizes: Sequence[int],
    strides: Sequence[int],
    window_sizes: Sequence[int],
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    include_padding: bool = ...,
) -> Expression:
    """OutputGradient = what comes back from AVERAGE_POOLING to each element.

    Parameters
    ----------
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_gradient_sizes : Sequence[int]
        The sizes of the output.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    include_padding : bool
        Whether padding counts as elements.

    Notes
    -----
    Each gradient over the divisor of its window, in FLOAT64; what comes to an element is summed by
    rule S16, numbered by the element's position in each window, and rounded once.

    References
    ----------
    DirectML: DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 85467d9276.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[2, 4]]]], np.float32))
    >>> graph.compile([average_pooling_grad(x, output_gradient_sizes=[1, 1, 1, 3], strides=[1, 1], window_sizes=[1, 2], start_padding=[0, 0], end_padding=[0, 0])])()
    [array([[[[1., 3., 2.]]]], dtype=float32)]
    """

def batch_normalization(
    input: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    bias: Expression,
    *,
    spatial: bool = ...,
    epsilon: float = ...,
    fused_activation: FusedActivation | None = ...,
) -> Expression:
    """Output = Activation(Scale * ((Input - Mean) / sqrt(Variance + Epsilon)) + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    mean : Expression
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    variance : Expression
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale : Expression
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    bias : Expression
        What is added. FLOAT32, FLOAT16; 1 to 8 dimensions.
    spatial : bool
        Whether means and variances are per channel.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    A formula in FLOAT32: every operation is rounded, and nothing is folded. Mean, Variance, Scale
    and Bias repeat along dimensions of size 1. Spatial changes nothing: it says what their sizes
    say already (from feature level 4_0 on DirectML ignores it too).

    References
    ----------
    DirectML: DML_BATCH_NORMALIZATION_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[3, 5]], np.float32))
    >>> b = graph.constant(np.array([[1, 1]], np.float32))
    >>> c = graph.constant(np.array([[4, 4]], np.float32))
    >>> d = graph.constant(np.array([[2, 2]], np.float32))
    >>> e = graph.constant(np.array([[0, 1]], np.float32))
    >>> graph.compile([batch_normalization(a, b, c, d, e, epsilon=0)])()
    [array([[2., 5.]], dtype=float32)]
    """

def batch_normalization_grad(
    input: Expression,
    input_gradient: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    *,
    epsilon: float = ...,
) -> BatchNormalizationGradOutputs:
    """Outputs = the gradients of BATCH_NORMALIZATION by input, scale and bias.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 1 to 8 dimensions.
    mean : Expression
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    variance : Expression
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale : Expression
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.

    Notes
    -----
    Mean and variance are constants. With d = sqrt(Variance + Epsilon): G * (Scale / d); the sum of
    G * ((X - Mean) / d), and the sum of G, along the dimensions where Scale has size 1.

    References
    ----------
    DirectML: DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 3], np.float32))
    >>> b = graph.constant(np.array([2, 4], np.float32))
    >>> c = graph.constant(np.array([1], np.float32))
    >>> d = graph.constant(np.array([4], np.float32))
    >>> e = graph.constant(np.array([6], np.float32))
    >>> graph.compile([e for e in batch_normalization_grad(a, b, c, d, e, epsilon=0) if e is not None])()
    [array([ 6., 12.], dtype=float32), array([4.], dtype=float32), array([6.], dtype=float32)]
    """

def batch_normalization_training(
    input: Expression,
    scale: Expression,
    bias: Expression,
    fused_add: Expression | None = ...,
    *,
    epsilon: float = ...,
    fused_activation: FusedActivation | None = ...,
) -> BatchNormalizationTrainingOutputs:
    """Outputs = the input normalized by its own moments, its mean, and its variance.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale : Expression
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    bias : Expression
        What is added. FLOAT32, FLOAT16; 1 to 8 dimensions.
    fused_add : Expression, optional
        Added to the result. FLOAT32, FLOAT16; 1 to 8 dimensions.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    Activation(((Scale * ((X - Mean) / sqrt(Variance + Epsilon))) + Bias) + FusedAdd), in FLOAT32.
    Mean and variance are those of the input along the dimensions where Scale has size 1, by rule
    S16 in FLOAT64, the variance divided by the count. They are rounded to FLOAT32 for the formula,
    and once to the output's data type.

    References
    ----------
    DirectML: DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 3], np.float32))
    >>> b = graph.constant(np.array([2], np.float32))
    >>> c = graph.constant(np.array([1], np.float32))
    >>> graph.compile([e for e in batch_normalization_training(a, b, c, epsilon=0) if e is not None])()
    [array([-1.,  3.], dtype=float32), array([2.], dtype=float32), array([1.], dtype=float32)]
    """

def batch_normalization_training_grad(
    input: Expression,
    input_gradient: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    *,
    epsilon: float = ...,
) -> BatchNormalizationGradOutputs:
    """Outputs = the gradients of BATCH_NORMALIZATION_TRAINING by input, scale and bias.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 1 to 8 dimensions.
    mean : Expression
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    variance : Expression
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale : Expression
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.

    Notes
    -----
    Mean and variance depend on the input. With d = sqrt(Variance + Epsilon), n = (X - Mean) / d,
    and A() the average along the dimensions where Scale has size 1, rounded to FLOAT32: (Scale / d)
    * ((G - A(G)) - n * A(G * n)); the sums of G * n and of G as in BATCH_NORMALIZATION_GRAD.

    The page errs: its formula for the first output takes the input's own mean, and subtracts it
    from what is centered already; that for the second one takes MeanTensor, which decides, so that
    both are of one function. From BATCH_NORMALIZATION_TRAINING they are the same.

    References
    ----------
    DirectML: DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 3], np.float32))
    >>> b = graph.constant(np.array([2, 4], np.float32))
    >>> c = graph.constant(np.array([2], np.float32))
    >>> d = graph.constant(np.array([1], np.float32))
    >>> e = graph.constant(np.array([1], np.float32))
    >>> graph.compile([e for e in batch_normalization_training_grad(a, b, c, d, e, epsilon=0) if e is not None])()
    [array([0., 0.], dtype=float32), array([2.], dtype=float32), array([6.], dtype=float32)]
    """

def bit_and(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A & B, bit by bit, whatever the data type.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([12], np.uint8))
    >>> b = graph.constant(np.array([10], np.uint8))
    >>> graph.compile([bit_and(a, b)])()
    [array([8], dtype=uint8)]
    """

def bit_count(
    input: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = how many bits of Input are 1, whatever the data type.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([  0,   7, 255], np.uint8))
    >>> graph.compile([bit_count(x)])()
    [array([0, 3, 8], dtype=uint8)]
    """

def bit_not(
    input: Expression,
) -> Expression:
    """Output = every bit of Input the other way round, whatever the data type.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([15], np.uint8))
    >>> graph.compile([bit_not(x)])()
    [array([240], dtype=uint8)]
    """

def bit_or(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A | B, bit by bit, whatever the data type.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([12], np.uint8))
    >>> b = graph.constant(np.array([10], np.uint8))
    >>> graph.compile([bit_or(a, b)])()
    [array([14], dtype=uint8)]
    """

def bit_shift_left(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A shifted left by B bits.

    Parameters
    ----------
    a : Expression
        The first operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    What is shifted out is lost. A shift by as many bits as there are, or more, gives 0.

    Our choice: shifts by as many bits as there are, or more.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([3, 3], np.uint8))
    >>> b = graph.constant(np.array([1, 8], np.uint8))
    >>> graph.compile([bit_shift_left(a, b)])()
    [array([6, 0], dtype=uint8)]
    """

def bit_shift_right(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A shifted right by B bits, with zeros coming in.

    Parameters
    ----------
    a : Expression
        The first operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    A shift by as many bits as there are, or more, gives 0.

    Our choice: shifts by as many bits as there are, or more.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([6, 6], np.uint8))
    >>> b = graph.constant(np.array([1, 8], np.uint8))
    >>> graph.compile([bit_shift_right(a, b)])()
    [array([3, 0], dtype=uint8)]
    """

def bit_xor(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A ^ B, bit by bit, whatever the data type.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([12], np.uint8))
    >>> b = graph.constant(np.array([10], np.uint8))
    >>> graph.compile([bit_xor(a, b)])()
    [array([6], dtype=uint8)]
    """

def cast(
    input: Expression,
    *,
    dtype: DataTypeLike,
) -> Expression:
    """Return the same numbers in another data type.

    Parameters
    ----------
    input : Expression
        What is converted.
    dtype : NumPy dtype or TensorDataType
        Of the result.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1.5, -1.5], np.float32))
    >>> graph.compile([cast(x, dtype=np.int32)])()
    [array([ 1, -1], dtype=int32)]
    """

def ceil(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = the smallest whole number that is not below Input * Scale + Bias.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. What lies between -1 and 0 gives -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CEIL_OPERATOR_DESC; MicrosoftDocs/sdk-api at 290b21b0f5.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1.25, -1.25], np.float32))
    >>> graph.compile([ceil(x)])()
    [array([ 2., -1.], dtype=float32)]
    """

def clip(
    input: Expression,
    *,
    min: Scalar,
    max: Scalar,
    scale_bias: ScaleBiasLike = ...,
) -> Expression:
    """Return the nearest numbers from `min` to `max`.

    By ELEMENT_WISE_CLIP1 where the data type of `input` holds both limits; otherwise, and below
    feature level 5_0, by ELEMENT_WISE_CLIP, whose limits are FLOAT32 and may lie outside of it.

    Parameters
    ----------
    input : Expression
        What is limited.
    min, max : int or float
        The limits.
    scale_bias : (float, float), optional
        Applied first.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 0, 2], np.float32))
    >>> graph.compile([clip(x, min=-1, max=1)])()
    [array([-1.,  0.,  1.], dtype=float32)]
    """

def clip_grad(
    input: Expression,
    input_gradient: Expression,
    *,
    min: float,
    max: float,
) -> Expression:
    """OutputGradient = InputGradient where Min < Input < Max, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    min : float
        The lower limit.
    max : float
        The upper limit.

    Notes
    -----
    A NaN of the input is neither at a limit nor beyond it, and passes. The comparisons are exact.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 8691330294.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([0, 1, 2], np.float32))
    >>> b = graph.constant(np.array([5, 6, 7], np.float32))
    >>> graph.compile([clip_grad(a, b, min=0, max=2)])()
    [array([0., 6., 0.], dtype=float32)]
    """

def convolution(
    input: Expression,
    filter: Expression,
    bias: Expression | None = ...,
    *,
    mode: ConvolutionMode = ...,
    direction: ConvolutionDirection = ...,
    strides: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    output_padding: Sequence[int] = ...,
    group_count: int = ...,
    fused_activation: FusedActivation | None = ...,
    output_sizes: Sequence[int] = ...,
) -> Expression:
    """Return the convolution of a tensor with a filter; see `ConvolutionOperatorDesc`.

    Parameters
    ----------
    input : Expression
        [batch, channels, spatial ...], with 1 to 3 spatial dimensions.
    filter : Expression
        [output channels, channels of a group, spatial ...]; backwards [channels, output channels of
        a group, spatial ...].
    bias : Expression, optional
        [1, output channels, 1 ...].
    mode : ConvolutionMode
        CONVOLUTION turns the filter round.
    direction : ConvolutionDirection
        BACKWARD is the transposed convolution.
    strides, dilations : sequence of int
        One per spatial dimension; 1 if left empty.
    start_padding, end_padding, output_padding : sequence of int
        One per spatial dimension; 0 if left empty.
    group_count : int
        Into how many groups the channels are divided.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.
    output_sizes : sequence of int
        Backwards, in place of an output padding: what that has to give.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[1, 2, 3]]], np.float32))
    >>> w = graph.constant(np.array([[[1, 10]]], np.float32))
    >>> graph.compile([convolution(x, w)])()
    [array([[[21., 32.]]], dtype=float32)]
    """

def convolution_integer(
    input: Expression,
    filter: Expression,
    input_zero_point: Expression | None = ...,
    filter_zero_point: Expression | None = ...,
    *,
    strides: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    group_count: int = ...,
    output_sizes: Sequence[int] = ...,
) -> Expression:
    """Output = the convolution of Input - InputZeroPoint with Filter - FilterZeroPoint.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. INT8, UINT8; 3 to 4 dimensions.
    filter : Expression
        The filter: output channels, input channels of a group, spatial dimensions. INT8, UINT8; 3
        to 4 dimensions.
    input_zero_point : Expression, optional
        The zero point of the input; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    filter_zero_point : Expression, optional
        The zero point of the filter; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    group_count : int
        Into how many groups the channels are divided.
    output_sizes : Sequence[int]
        The sizes of the output.

    Notes
    -----
    Exact in INT32, modulo 2^32. Padding has the input's zero point, so that it counts nothing. The
    filter's zero point is one element, or one per output channel. A cross-correlation, as
    CONVOLUTION forwards.

    References
    ----------
    DirectML: DML_CONVOLUTION_INTEGER_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[1, 2, 3]]], np.uint8))
    >>> b = graph.constant(np.array([[[1]]], np.uint8))
    >>> c = graph.constant(np.array([[[ 1, 10]]], np.uint8))
    >>> graph.compile([convolution_integer(a, c, b)])()
    [array([[[10, 21]]], dtype=int32)]
    """

def cos(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = cos(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The cosine of radians. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_COS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0], np.float32))
    >>> graph.compile([cos(x)])()
    [array([1.], dtype=float32)]
    """

def cosh(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = cosh(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The hyperbolic cosine. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_COSH_OPERATOR_DESC; MicrosoftDocs/sdk-api at dcb2387531.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0], np.float32))
    >>> graph.compile([cosh(x)])()
    [array([1.], dtype=float32)]
    """

def cumulative_product(
    input: Expression,
    *,
    axis: int,
    axis_direction: AxisDirection = ...,
    has_exclusive_product: bool = ...,
) -> Expression:
    """Each output element is the product of the input elements up to it, along an axis.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1
        to 8 dimensions.
    axis : int
        The axis, from 0.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.
    has_exclusive_product : bool
        Whether the element itself is left out; then the first is 1.

    Notes
    -----
    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap. With HasExclusiveProduct the element itself is left out, and the first is 1.

    References
    ----------
    DirectML: DML_CUMULATIVE_PRODUCT_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2, 3, 4], np.float32))
    >>> graph.compile([cumulative_product(x, axis=0)])()
    [array([ 2.,  6., 24.], dtype=float32)]
    """

def cumulative_summation(
    input: Expression,
    *,
    axis: int,
    axis_direction: AxisDirection = ...,
    has_exclusive_sum: bool = ...,
) -> Expression:
    """Each output element is the sum of the input elements up to it, along an axis.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1
        to 8 dimensions.
    axis : int
        The axis, from 0.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.
    has_exclusive_sum : bool
        Whether the element itself is left out; then the first is 0.

    Notes
    -----
    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap. With HasExclusiveSum the element itself is left out, and the first is 0.

    References
    ----------
    DirectML: DML_CUMULATIVE_SUMMATION_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2, 3, 4], np.float32))
    >>> graph.compile([cumulative_summation(x, axis=0)])()
    [array([2., 5., 9.], dtype=float32)]
    """

def depth_to_space(
    input: Expression,
    *,
    block_size: int,
    order: DepthSpaceOrder = ...,
) -> Expression:
    """Output = Input with channels as blocks of pixels: the way back of SPACE_TO_DEPTH1.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    block_size : int
        The width and height of a block, in elements.
    order : DepthSpaceOrder
        How the channels hold a block.

    Notes
    -----
    Every bit is kept. DEPTH_TO_SPACE numbers channels by DEPTH_COLUMN_ROW.

    References
    ----------
    DirectML: DML_DEPTH_TO_SPACE1_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1]], [[2]], [[3]], [[4]]]], np.int8))
    >>> graph.compile([depth_to_space(x, block_size=2)])()
    [array([[[[1, 2],
             [3, 4]]]], dtype=int8)]
    """

def dequantize(
    input: Expression,
    quantization_parameters: Sequence[Expression],
    *,
    quantization_type: QuantizationType,
) -> Expression:
    """Return numbers from small integers; see `DequantizeOperatorDesc`.

    Parameters
    ----------
    input : Expression
        INT8, UINT8, INT4 or UINT4.
    quantization_parameters : sequence of Expression
        A scale, FLOAT32 or FLOAT16, whose data type the result has; and with SCALE_ZERO_POINT a
        zero point. Each of their sizes divides that of `input`.
    quantization_type : QuantizationType
        SCALE or SCALE_ZERO_POINT.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2, 3, 4], np.int8))
    >>> scale = graph.constant(np.array([1, 0.5], np.float32))
    >>> graph.compile([dequantize(x, [scale], quantization_type=QuantizationType.SCALE)])()
    [array([1. , 2. , 1.5, 2. ], dtype=float32)]
    """

def dequantize_linear(
    input: Expression,
    scale: Expression,
    zero_point: Expression | None = ...,
) -> Expression:
    """Output = (Input - ZeroPoint) * Scale.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8
        dimensions.
    scale : Expression
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    zero_point : Expression, optional
        The zero point; 0 if left out. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    The difference is exact; it is rounded to FLOAT32, and so is the product.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 9, 10, 12], np.uint8))
    >>> b = graph.constant(np.array([2, 2, 2], np.float32))
    >>> c = graph.constant(np.array([10, 10, 10], np.uint8))
    >>> graph.compile([dequantize_linear(a, b, c)])()
    [array([-2.,  0.,  4.], dtype=float32)]
    """

def diagonal_matrix(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value: Scalar = ...,
    diagonal_fill_begin: int = ...,
    diagonal_fill_end: int = ...,
    input: Expression | None = ...,
    dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return matrices with a value on some diagonals; see `DiagonalMatrix1OperatorDesc`.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor; its last two dimensions are matrices.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    diagonal_fill_begin, diagonal_fill_end : int
        The value stands where the column less the row is from the one on and below the other: on
        the main diagonal, unless they are given.
    input : Expression, optional
        What stands elsewhere, of the same sizes and data type; 0 without.
    dtype : NumPy dtype or TensorDataType, optional
        That of `input`, or FLOAT32.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([diagonal_matrix(graph, sizes=[2, 3], value=7)])()
    [array([[7., 0., 0.],
           [0., 7., 0.]], dtype=float32)]
    """

def difference_square(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = (A - B) * (A - B).

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded after the subtraction and after the multiplication; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> b = graph.constant(np.array([3, 5], np.float32))
    >>> graph.compile([difference_square(a, b)])()
    [array([4., 9.], dtype=float32)]
    """

def divide(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A / B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even. Integers are truncated towards zero; a
    division by zero gives 0, and the smallest integer divided by -1 gives itself.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 7, -7], np.int8))
    >>> b = graph.constant(np.array([2, 2], np.int8))
    >>> graph.compile([divide(a, b)])()
    [array([ 3, -3], dtype=int8)]
    """

def dynamic_quantize_linear(
    input: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> DynamicQuantizeLinearOutputs:
    """Outputs = Input as integers, the scale that lets all of it fit, and the zero point.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    low = min(0, the smallest), high = max(0, the largest); scale = (high - low) / (the range of the
    data type), or 1 where that is 0; zero point = round(lowest - low / scale), clamped. FLOAT32,
    rounded after each operation; integers to the nearest, ties to even.

    The page is silent: a range of zero, and the rounding; ONNX's DynamicQuantizeLinear decides.

    References
    ----------
    DirectML: DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 127.5], np.float32))
    >>> graph.compile([e for e in dynamic_quantize_linear(x) if e is not None])()
    [array([  0, 255], dtype=uint8), array([0.5], dtype=float32), array([0], dtype=uint8)]
    """

def equals(
    a: Expression,
    b: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where A equals B, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, -0.0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, 0, np.nan], np.float32))
    >>> graph.compile([equals(a, b)])()
    [array([0, 1, 0], dtype=uint8)]
    """

def erf(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = erf(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The error function. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ERF_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, np.inf], np.float32))
    >>> graph.compile([erf(x)])()
    [array([0., 1.], dtype=float32)]
    """

def exp(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = exp(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    e to that power. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_EXP_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 1], np.float32))
    >>> graph.compile([exp(x)])()
    [array([1.       , 2.7182817], dtype=float32)]
    """

def fill_value_constant(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value: Scalar,
    dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return a tensor of a graph whose elements all have one value.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([fill_value_constant(graph, sizes=[1, 2], value=0.5)])()
    [array([[0.5, 0.5]], dtype=float32)]
    """

def fill_value_sequence(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value_start: Scalar,
    value_delta: Scalar,
    dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return a tensor of a graph that holds a sequence, under the device's rule.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value_start, value_delta : int or float
        Converted once to exact bits; see `fill_sequence`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold a value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[1, 3], value_start=3, value_delta=2)
    >>> graph.compile([ramp])()
    [array([[3., 5., 7.]], dtype=float32)]
    """

def floor(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = the largest whole number that is not above Input * Scale + Bias.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. -0 stays -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 290b21b0f5.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1.25, -1.25], np.float32))
    >>> graph.compile([floor(x)])()
    [array([ 1., -2.], dtype=float32)]
    """

def fold(
    input: Expression,
    *,
    output_sizes: Sequence[int],
    window_sizes: Sequence[int],
    strides: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
) -> Expression:
    """Output = columns added back to where UNFOLD would take them from.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. any data type; 3 to 8 dimensions.
    output_sizes : Sequence[int]
        The sizes of the output.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.

    Notes
    -----
    Sums of floats are those of FLOAT64 by rule S16, numbered by the position in the window, and
    rounded once; integers wrap. What belongs to padding is left out.

    The page errs: its examples leave leading dimensions out, which its constraint asks for; the
    constraint decides. It lists no data types: all are taken.

    References
    ----------
    DirectML: DML_FOLD_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[1, 2], [3, 4]]], np.float32))
    >>> graph.compile([fold(x, output_sizes=[1, 1, 3], window_sizes=[2], strides=[1], dilations=[1], start_padding=[0], end_padding=[0])])()
    [array([[[1., 5., 4.]]], dtype=float32)]
    """

def gather(
    input: Expression,
    indices: Expression,
    *,
    axis: int,
    index_dimensions: int,
) -> Expression:
    """Output[before, indices, behind] = Input[before, Indices[indices], behind].

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices : Expression
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    axis : int
        The axis, from 0.
    index_dimensions : int
        How many trailing dimensions of the indices are used.

    Notes
    -----
    The indices are the last IndexDimensions dimensions of their tensor, and take the place of the
    axis; the output has leading ones. Negative indices count from the end; beyond either end they
    are clamped.

    The page errs: its third example has an IndexDimensions of 2, and an output of two dimensions,
    for which it has to be 1; its rule of sizes decides.

    Our choice: indices beyond either end.

    References
    ----------
    DirectML: DML_GATHER_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([5, 6, 7], np.float32))
    >>> b = graph.constant(np.array([ 2,  0, -1], np.int32))
    >>> graph.compile([gather(a, b, axis=0, index_dimensions=1)])()
    [array([7., 5., 7.], dtype=float32)]
    """

def gather_elements(
    input: Expression,
    indices: Expression,
    *,
    axis: int,
) -> Expression:
    """Output[i, j, k] = Input[i, Indices[i, j, k], k], with the index in place of the axis.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices : Expression
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    axis : int
        The axis, from 0.

    Notes
    -----
    Negative indices count from the end; beyond either end they are clamped.

    The page errs: the output of its example is UINT32, and its input FLOAT32; its constraint, that
    they are alike, decides.

    Our choice: indices beyond either end.

    References
    ----------
    DirectML: DML_GATHER_ELEMENTS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([5, 6, 7], np.float32))
    >>> b = graph.constant(np.array([ 2,  0, -1], np.int32))
    >>> graph.compile([gather_elements(a, b, axis=0)])()
    [array([7., 5., 7.], dtype=float32)]
    """

def gather_nd(
    input: Expression,
    indices: Expression,
    *,
    input_dimension_count: int,
    indices_dimension_count: int,
    batch_dimension_count: int = ...,
) -> Expression:
    """Output[batch, i, rest] = Input[batch, coordinates Indices[batch, i], rest].

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices : Expression
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    input_dimension_count : int
        How many trailing dimensions of the input are used.
    indices_dimension_count : int
        How many trailing dimensions of the indices are used.
    batch_dimension_count : int
        How many leading dimensions input and indices share.

    Notes
    -----
    The last dimension of the indices holds the coordinates. Only the last InputDimensionCount and
    IndicesDimensionCount dimensions count; the output has leading ones. Negative indices count from
    the end; beyond either end they are clamped.

    Our choice: indices beyond either end.

    References
    ----------
    DirectML: DML_GATHER_ND1_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[0, 1], [2, 3]], np.float32))
    >>> b = graph.constant(np.array([[1], [0]], np.uint32))
    >>> graph.compile([gather_nd(a, b, input_dimension_count=2, indices_dimension_count=2)])()
    [array([[2., 3.],
           [0., 1.]], dtype=float32)]
    """

def gemm(
    a: Expression,
    b: Expression,
    c: Expression | None = ...,
    *,
    trans_a: MatrixTransform = ...,
    trans_b: MatrixTransform = ...,
    alpha: float = ...,
    beta: float = ...,
    fused_activation: FusedActivation | None = ...,
) -> Expression:
    """Output = Activation(Alpha * TransA(A) TransB(B) + Beta * C), for each pair of matrices.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16; 2 to 4 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16; 2 to 4 dimensions.
    c : Expression, optional
        What is added; nothing if left out. FLOAT32, FLOAT16; 2 to 4 dimensions.
    trans_a : MatrixTransform
        Whether A is transposed first.
    trans_b : MatrixTransform
        Whether B is transposed first.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    FLOAT32, by rule C256: chains of up to 256 consecutive k from +0, each step one fused
    multiplication and addition; the total is the first chain plus the next one, and so on. Then
    t = total * Alpha, u = C * Beta, y = t + u, each rounded (a factor of 1 changes nothing; C is
    read even if Beta is 0), then the activation, and one rounding to the output's data type.

    References
    ----------
    DirectML: DML_GEMM_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2]], np.float32))
    >>> b = graph.constant(np.array([[3], [4]], np.float32))
    >>> graph.compile([gemm(a, b)])()
    [array([[11.]], dtype=float32)]
    """

def greater_than(
    a: Expression,
    b: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where A is greater than B, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, -0.0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, 0, np.nan], np.float32))
    >>> graph.compile([greater_than(a, b)])()
    [array([0, 0, 0], dtype=uint8)]
    """

def greater_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where A is greater than or equal to B, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, -0.0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, 0, np.nan], np.float32))
    >>> graph.compile([greater_than_or_equal(a, b)])()
    [array([0, 1, 0], dtype=uint8)]
    """

def gru(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    bias: Expression | None = ...,
    hidden_init: Expression | None = ...,
    sequence_lengths: Expression | None = ...,
    *,
    activation_descs: Sequence[FusedActivation],
    direction: RecurrentNetworkDirection = ...,
    linear_before_reset: bool = ...,
    output_options: GRUOutputOptions = ...,
) -> GRUOutputs:
    """Return the hidden states of a gated recurrent unit; see `GruOperatorDesc`.

    Parameters
    ----------
    input : Expression
        [1, steps, batch, input size].
    weight, recurrence : Expression
        [1, directions, 3 * hidden size, input size], and hidden size.
    bias : Expression, optional
        [1, 1, directions, 6 * hidden size].
    hidden_init : Expression, optional
        [1, directions, batch, hidden size].
    sequence_lengths : Expression, optional
        [1, 1, 1, batch], UINT32.
    activation_descs : sequence of FusedActivation
        Two per direction.
    direction : RecurrentNetworkDirection
        Which way the sequence is read.
    linear_before_reset : bool
        Whether the reset gate is applied after the product with the hidden state.
    output_options : GRUOutputOptions
        Which outputs are made.

    Returns
    -------
    GRUOutputs
        The hidden states [steps, directions, batch, hidden size], and the last one.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1]]]], np.float32))
    >>> w = graph.constant(np.array([[[[0], [0], [3]]]], np.float32))
    >>> r = graph.constant(np.zeros((1, 1, 3, 1), np.float32))
    >>> identity = FusedActivation.identity()
    >>> options = GRUOutputOptions.Single
    >>> outputs = gru(x, w, r, activation_descs=[identity] * 2, output_options=options)
    >>> graph.compile([outputs.single])()
    [array([[[[3.]]]], dtype=float32)]
    """

def identity(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = Input * Scale + Bias.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Without scale and bias every bit is kept. With them floats are rounded after the multiplication
    and after the addition (FLOAT16 once, from FLOAT32). Integers are exact modulo 2^bits if scale
    and bias are whole; else each operation is rounded to FLOAT64, and the result goes towards zero
    and stays within the data type.

    Our choice: scale and bias of integers.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([identity(x, scale_bias=(2, 1))])()
    [array([3., 5.], dtype=float32)]
    """

def is_infinity(
    input: Expression,
    *,
    infinity_mode: IsInfinityMode = ...,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where Input is an infinity of the sign that the mode asks for, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    infinity_mode : IsInfinityMode
        Which infinities count.
    output_dtype : DataTypeLike
        The data type of the output.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2db4b02040.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-np.inf, np.inf, 1], np.float32))
    >>> graph.compile([is_infinity(x, infinity_mode=IsInfinityMode.NEGATIVE)])()
    [array([1, 0, 0], dtype=uint8)]
    """

def is_nan(
    input: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where Input is a NaN, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, np.nan], np.float32))
    >>> graph.compile([is_nan(x)])()
    [array([0, 1], dtype=uint8)]
    """

def join(
    inputs: Sequence[Expression],
    *,
    axis: int,
) -> Expression:
    """Return tensors one behind the other along an axis.

    Parameters
    ----------
    inputs : sequence of Expression
        At least one. Their sizes differ along the axis alone.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = fill_value_constant(graph, sizes=[1, 2], value=0)
    >>> b = fill_value_sequence(graph, sizes=[2, 2], value_start=1, value_delta=1)
    >>> graph.compile([join([a, b], axis=0)])()
    [array([[0., 0.],
           [1., 2.],
           [3., 4.]], dtype=float32)]
    """

def less_than(
    a: Expression,
    b: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where A is less than B, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, -0.0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, 0, np.nan], np.float32))
    >>> graph.compile([less_than(a, b)])()
    [array([1, 0, 0], dtype=uint8)]
    """

def less_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = 1 where A is less than or equal to B, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, -0.0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, 0, np.nan], np.float32))
    >>> graph.compile([less_than_or_equal(a, b)])()
    [array([1, 1, 0], dtype=uint8)]
    """

def local_response_normalization(
    input: Expression,
    *,
    cross_channel: bool,
    local_size: int,
    alpha: float,
    beta: float,
    bias: float,
) -> Expression:
    """Output = Input / (Bias + (Alpha / LocalSize) * the sum of the neighbours' squares) ^ Beta.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    cross_channel : bool
        Whether sums run over channels.
    local_size : int
        How many elements a sum takes in.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.
    bias : float
        An addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    The neighbours are LocalSize positions along the channels with CrossChannel, else along height
    and width, (LocalSize - 1) // 2 of them before the element. Squares are exact, their sum is one
    of FLOAT64 by rule S16, rounded to FLOAT32; every further operation is rounded to FLOAT32, and
    the power is correctly rounded.

    References
    ----------
    DirectML: DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 3]]]], np.float32))
    >>> graph.compile([local_response_normalization(x, cross_channel=True, local_size=1, alpha=1, beta=1, bias=1)])()
    [array([[[[0.5, 0.3]]]], dtype=float32)]
    """

def local_response_normalization_grad(
    input: Expression,
    input_gradient: Expression,
    *,
    cross_channel: bool,
    local_size: int,
    alpha: float,
    beta: float,
    bias: float,
) -> Expression:
    """OutputGradient = the gradient of LOCAL_RESPONSE_NORMALIZATION by its input.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 dimensions.
    cross_channel : bool
        Whether sums run over channels.
    local_size : int
        How many elements a sum takes in.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.
    bias : float
        An addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    With b = Bias + (Alpha / LocalSize) * the sum of the neighbours' squares, as forwards:
    G * b^-Beta - ((2 * (Alpha / LocalSize)) * Beta) * X * the sum of G * X * b^(-Beta - 1) over the
    elements whose neighbour X is.

    References
    ----------
    DirectML: DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at fe15a8b42c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[1, 3]]]], np.float32))
    >>> b = graph.constant(np.array([[[[4, 6]]]], np.float32))
    >>> graph.compile([local_response_normalization_grad(a, b, cross_channel=True, local_size=1, alpha=0, beta=1, bias=2)])()
    [array([[[[2., 3.]]]], dtype=float32)]
    """

def log(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = log(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The natural logarithm; NaN below 0, and -infinity at zeros. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOG_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 0], np.float32))
    >>> graph.compile([log(x)])()
    [array([  0., -inf], dtype=float32)]
    """

def logical_and(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = 1 where both are not zero, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. UINT32, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([0, 1, 2], np.uint8))
    >>> b = graph.constant(np.array([1, 0, 4], np.uint8))
    >>> graph.compile([logical_and(a, b)])()
    [array([0, 0, 1], dtype=uint8)]
    """

def logical_not(
    input: Expression,
) -> Expression:
    """Output = 1 where Input is zero, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 1, 2], np.uint8))
    >>> graph.compile([logical_not(x)])()
    [array([1, 0, 0], dtype=uint8)]
    """

def logical_or(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = 1 where at least one is not zero, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. UINT32, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([0, 1, 0], np.uint8))
    >>> b = graph.constant(np.array([0, 0, 4], np.uint8))
    >>> graph.compile([logical_or(a, b)])()
    [array([0, 1, 1], dtype=uint8)]
    """

def logical_xor(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = 1 where one of both is not zero, 0 elsewhere.

    Parameters
    ----------
    a : Expression
        The first operand. UINT32, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([0, 1, 2], np.uint8))
    >>> b = graph.constant(np.array([1, 0, 4], np.uint8))
    >>> graph.compile([logical_xor(a, b)])()
    [array([1, 1, 0], dtype=uint8)]
    """

def lp_normalization(
    input: Expression,
    *,
    axis: int,
    epsilon: float = ...,
    p: int = ...,
) -> Expression:
    """Output = Input / max(the norm along the axis, Epsilon).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    axis : int
        The axis, from 0.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.
    p : int
        Which norm: 1, 2 and so on.

    Notes
    -----
    The norm is the sum of magnitudes (P = 1), or the root of the sum of squares (P = 2), by rule
    S16; it is computed and divided by in FLOAT64, and the result is rounded once.

    References
    ----------
    DirectML: DML_LP_NORMALIZATION_OPERATOR_DESC; MicrosoftDocs/sdk-api at f4acb9bc5d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, -3], np.float32))
    >>> graph.compile([lp_normalization(x, axis=0, epsilon=0, p=1)])()
    [array([ 0.25, -0.75], dtype=float32)]
    """

def lp_pooling(
    input: Expression,
    *,
    strides: Sequence[int],
    window_sizes: Sequence[int],
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    p: int = ...,
) -> Expression:
    """Output = (the sum of |x|^P over a window) ^ (1 / P).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    p : int
        Which norm: 1, 2 and so on.

    Notes
    -----
    For P = 1 and 2 magnitudes and squares are exact, the sum is one of FLOAT64 by rule S16, its
    root is taken in FLOAT64 and rounded once. For other P powers are FLOAT32, correctly rounded,
    the sum is rounded to FLOAT32, and so is its root.

    References
    ----------
    DirectML: DML_LP_POOLING1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[3, 4]]]], np.float32))
    >>> graph.compile([lp_pooling(x, strides=[1, 1], window_sizes=[1, 2])])()
    [array([[[[5.]]]], dtype=float32)]
    """

def lstm(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    bias: Expression | None = ...,
    hidden_init: Expression | None = ...,
    cell_mem_init: Expression | None = ...,
    sequence_lengths: Expression | None = ...,
    peephole: Expression | None = ...,
    *,
    output_sequence: bool = ...,
    output_single: bool = ...,
    output_cell_single: bool = ...,
    activation_descs: Sequence[FusedActivation],
    direction: RecurrentNetworkDirection = ...,
    clip_threshold: float = ...,
    use_clip_threshold: bool = ...,
    couple_input_forget: bool = ...,
) -> LSTMOutputs:
    """Outputs = the hidden states of a long short-term memory, the last one, and the last cell.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    weight : Expression
        The weights of the input. FLOAT32, FLOAT16; 4 dimensions.
    recurrence : Expression
        The weights of the hidden state. FLOAT32, FLOAT16; 4 dimensions.
    bias : Expression, optional
        What is added. FLOAT32, FLOAT16; 4 dimensions.
    hidden_init : Expression, optional
        The hidden state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    cell_mem_init : Expression, optional
        The cell's state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    sequence_lengths : Expression, optional
        The lengths of the sequences. UINT32; 4 dimensions.
    peephole : Expression, optional
        The peephole weights; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    output_sequence : bool, optional
        The hidden states of all steps. FLOAT32, FLOAT16; 4 dimensions.
    output_single : bool, optional
        The hidden state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    output_cell_single : bool, optional
        The cell's state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    activation_descs : Sequence[FusedActivation]
        The activations of the cell, per direction.
    direction : RecurrentNetworkDirection
        Which way it goes; see the notes.
    clip_threshold : float
        Where the cell's numbers are limited, below and above zero.
    use_clip_threshold : bool
        Whether the cell's numbers are limited.
    couple_input_forget : bool
        Whether the input gate is one minus the forget gate.

    Notes
    -----
    With gates in the order i, o, f, c, peephole weights Pi, Po, Pf, and activations f, g, h:

        i = f(((X Wi^T + H Ri^T) + (Wbi + Rbi)) + Pi * C)
        f = f(((X Wf^T + H Rf^T) + (Wbf + Rbf)) + Pf * C), or 1 - i with CoupleInputForget
        c = g((X Wc^T + H Rc^T) + (Wbc + Rbc))
        C' = f * C + i * c
        o = f(((X Wo^T + H Ro^T) + (Wbo + Rbo)) + Po * C')
        H' = o * h(C')

    FLOAT32: products by rule C256 as in GEMM, every other operation rounded; without peephole
    weights that term is no operation. With UseClipThreshold what goes into f and g is limited to
    -ClipThreshold and ClipThreshold. What is left out, and sequences that are shorter, as in GRU.

    The page errs: it has Po * C for Po * C'. ONNX's LSTM, in whose words the formula is given,
    decides.

    References
    ----------
    DirectML: DML_LSTM_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[1]]]], np.float32))
    >>> b = graph.constant(np.array([[[[2], [3], [4], [5]]]], np.float32))
    >>> c = graph.constant(np.array([[[[0], [0], [0], [0]]]], np.float32))
    >>> graph.compile([e for e in lstm(a, b, c, activation_descs=[FusedActivation.identity(), FusedActivation.identity(), FusedActivation.identity()]) if e is not None])()
    [array([[[[30.]]]], dtype=float32), array([[[[30.]]]], dtype=float32), array([[[[10.]]]], dtype=float32)]
    """

def matrix_multiply_integer(
    a: Expression,
    a_zero_point: Expression | None,
    b: Expression,
    b_zero_point: Expression | None = ...,
) -> Expression:
    """Output = (A - AZeroPoint) (B - BZeroPoint), for each pair of matrices.

    Parameters
    ----------
    a : Expression
        The first operand. INT8, UINT8; 2 to 4 dimensions.
    a_zero_point : Expression, optional
        The zero point of A; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    b : Expression
        The second operand. INT8, UINT8; 2 to 4 dimensions.
    b_zero_point : Expression, optional
        The zero point of B; 0 if left out. INT8, UINT8; 1 to 4 dimensions.

    Notes
    -----
    Exact in INT32, modulo 2^32. Zero points are one element, or one per row of A and column of B.

    References
    ----------
    DirectML: DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2]], np.uint8))
    >>> b = graph.constant(np.array([[1]], np.uint8))
    >>> c = graph.constant(np.array([[3], [4]], np.uint8))
    >>> graph.compile([matrix_multiply_integer(a, b, c)])()
    [array([[4]], dtype=int32)]
    """

def matrix_multiply_integer_to_float(
    a: Expression,
    a_scale: Expression,
    a_zero_point: Expression | None,
    b: Expression,
    b_scale: Expression,
    b_zero_point: Expression | None = ...,
    bias: Expression | None = ...,
) -> Expression:
    """Output = Dequantize(A) Dequantize(B) + Bias.

    Parameters
    ----------
    a : Expression
        The first operand. INT32, INT16, INT8, UINT32, UINT16, UINT8; 2 to 4 dimensions.
    a_scale : Expression
        The scale of A. FLOAT32, FLOAT16; 1 to 4 dimensions.
    a_zero_point : Expression, optional
        The zero point of A; 0 if left out. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 4
        dimensions.
    b : Expression
        The second operand. INT32, INT16, INT8, UINT32, UINT16, UINT8; 2 to 4 dimensions.
    b_scale : Expression
        The scale of B. FLOAT32, FLOAT16; 1 to 4 dimensions.
    b_zero_point : Expression, optional
        The zero point of B; 0 if left out. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 4
        dimensions.
    bias : Expression, optional
        What is added. FLOAT32, FLOAT16; 2 to 4 dimensions.

    Notes
    -----
    The product of integers is exact in INT32, modulo 2^32; FLOAT32(product) * (AScale * BScale),
    + Bias, each operation rounded, and one rounding to the output's data type.

    References
    ----------
    DirectML: DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2]], np.uint8))
    >>> b = graph.constant(np.array([[1]], np.float32))
    >>> d = graph.constant(np.array([[3], [4]], np.uint8))
    >>> e = graph.constant(np.array([[2]], np.float32))
    >>> g = graph.constant(np.array([[0.5]], np.float32))
    >>> graph.compile([matrix_multiply_integer_to_float(a, b, None, d, e, None, g)])()
    [array([[22.5]], dtype=float32)]
    """

def max(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = the larger of A and B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Exact. A NaN wins, and +0 is larger than -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, -0.0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, 0, 1], np.float32))
    >>> graph.compile([max(a, b)])()
    [array([ 2.,  0., nan], dtype=float32)]
    """

def max_pooling(
    input: Expression,
    *,
    window_sizes: Sequence[int],
    strides: Sequence[int] = ...,
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    output_indices: bool = ...,
) -> MaxPoolingOutputs:
    """Output = the largest element of a window; OutputIndices = its number.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 4 to 5 dimensions.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    output_indices : bool, optional
        The positions of the elements that were taken. UINT64, UINT32; 4 to 5 dimensions.

    Notes
    -----
    Exact. A NaN wins, +0 is larger than -0, and of equals it is the first. Elements are numbered in
    row-major order of the whole input. Padding is no element; a window without one gives the lowest
    number of the data type, -infinity for floats, and the largest index.

    References
    ----------
    DirectML: DML_MAX_POOLING2_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 3, 2]]]], np.float32))
    >>> graph.compile([e for e in max_pooling(x, window_sizes=[1, 2], strides=[1, 1], output_indices=True) if e is not None])()
    [array([[[[3., 3.]]]], dtype=float32), array([[[[1, 1]]]], dtype=uint32)]
    """

def max_pooling_grad(
    input: Expression,
    input_gradient: Expression,
    *,
    strides: Sequence[int],
    window_sizes: Sequence[int],
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
) -> Expression:
    """OutputGradient = what comes back from MAX_POOLING2 to each element.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.

    Notes
    -----
    Each gradient goes to the largest element of its window, the first of equals; what comes to an
    element is summed as in AVERAGE_POOLING_GRAD.

    References
    ----------
    DirectML: DML_MAX_POOLING_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 85467d9276.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[1, 3, 2]]]], np.float32))
    >>> b = graph.constant(np.array([[[[5, 6]]]], np.float32))
    >>> graph.compile([max_pooling_grad(a, b, strides=[1, 1], window_sizes=[1, 2], start_padding=[0, 0], end_padding=[0, 0], dilations=[1, 1])])()
    [array([[[[ 0., 11.,  0.]]]], dtype=float32)]
    """

def max_unpooling(
    input: Expression,
    indices: Expression,
    *,
    output_sizes: Sequence[int],
) -> Expression:
    """Output[Indices[i]] = Input[i], and zeros elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    indices : Expression
        Positions, from 0. UINT64, UINT32; 4 dimensions.
    output_sizes : Sequence[int]
        The sizes of the output.

    Notes
    -----
    Elements of the output are numbered in row-major order. An index beyond the output is left out;
    of several that go to one place the last one stays. Every bit is kept.

    The page errs: it says feature level 3_0, and the header 2_0, which decides.

    Our choice: which of several elements for one place stays.

    References
    ----------
    DirectML: DML_MAX_UNPOOLING_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[5, 6]]]], np.float32))
    >>> b = graph.constant(np.array([[[[2, 0]]]], np.uint32))
    >>> graph.compile([max_unpooling(a, b, output_sizes=[1, 1, 1, 3])])()
    [array([[[[6., 0., 5.]]]], dtype=float32)]
    """

def mean(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = (A + B) / 2.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded after the addition and after the division, so that a sum that overflows is
    infinite. Of integers the sum wraps, and the half goes towards zero.

    Our choice: what becomes of the half, and of a sum of integers that overflows.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MEAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> b = graph.constant(np.array([2, 4], np.float32))
    >>> graph.compile([mean(a, b)])()
    [array([1.5, 3. ], dtype=float32)]
    """

def mean_variance_normalization(
    input: Expression,
    scale: Expression | None = ...,
    bias: Expression | None = ...,
    *,
    axes: Sequence[int],
    normalize_variance: bool = ...,
    normalize_mean: bool = ...,
    epsilon: float = ...,
    fused_activation: FusedActivation | None = ...,
) -> Expression:
    """Return a tensor normalized by its own moments along axes.

    By MEAN_VARIANCE_NORMALIZATION1, or without a mean by MEAN_VARIANCE_NORMALIZATION2.

    Parameters
    ----------
    input : Expression
        What is normalized.
    scale, bias : Expression, optional
        Of sizes that repeat to those of `input`.
    axes : sequence of int
        From 0.
    normalize_variance, normalize_mean : bool
        Whether it is divided by the standard deviation, and whether the mean is subtracted.
    epsilon : float
        Added to the variance.
    fused_activation : FusedActivation, optional
        Computed on the result before it is rounded to the output's data type.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 3], np.float32))
    >>> graph.compile([mean_variance_normalization(x, axes=[0], epsilon=0)])()
    [array([-1.,  1.], dtype=float32)]
    """

def min(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = the smaller of A and B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Exact. A NaN wins, and -0 is smaller than +0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 0, np.nan], np.float32))
    >>> b = graph.constant(np.array([2, -0.0, 1], np.float32))
    >>> graph.compile([min(a, b)])()
    [array([ 1., -0., nan], dtype=float32)]
    """

def modulus_floor(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A - B * floor(A / B).

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    The exact result, rounded once, to nearest, ties to even. It has the sign of B, also where it is
    zero, as in Python. Floats give NaN where A is infinite or B is zero, and B where that is
    infinite and A has another sign; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 6dbf627776.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 7, -7,  7], np.int8))
    >>> b = graph.constant(np.array([ 5,  5, -5], np.int8))
    >>> graph.compile([modulus_floor(a, b)])()
    [array([ 2,  3, -3], dtype=int8)]
    """

def modulus_truncate(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A - B * trunc(A / B).

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Exact: the result needs no rounding, and is that of C's fmod. It has the sign of A, also where
    it is zero. Floats give NaN where A is infinite or B is zero; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 7, -7,  7], np.int8))
    >>> b = graph.constant(np.array([ 5,  5, -5], np.int8))
    >>> graph.compile([modulus_truncate(a, b)])()
    [array([ 2, -2,  2], dtype=int8)]
    """

def multihead_attention(
    query: Expression,
    key: Expression,
    value: Expression,
    *,
    head_count: int,
    scale: float,
) -> Expression:
    """Return values weighed by how well keys answer queries; see `MultiheadAttentionOperatorDesc`.

    Parameters
    ----------
    query : Expression
        Batch, length, head count times the size of a head.
    key, value : Expression
        Likewise; their length is their own, and the size of a head of `value`.
    head_count : int
        How many heads there are.
    scale : float
        What scores are multiplied by, mostly 1 / sqrt(size of a head). Rounded to FLOAT32.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> query = graph.constant(np.array([[[1, 0]]], np.float32))
    >>> key = graph.constant(np.array([[[0, 1], [0, 1]]], np.float32))
    >>> value = graph.constant(np.array([[[2, 4], [4, 8]]], np.float32))
    >>> graph.compile([multihead_attention(query, key, value, head_count=1, scale=1)])()
    [array([[[3., 6.]]], dtype=float32)]
    """

def multihead_attention1(
    query: Expression | None = ...,
    key: Expression | None = ...,
    value: Expression | None = ...,
    stacked_query_key: Expression | None = ...,
    stacked_key_value: Expression | None = ...,
    stacked_query_key_value: Expression | None = ...,
    bias: Expression | None = ...,
    mask: Expression | None = ...,
    relative_position_bias: Expression | None = ...,
    past_key: Expression | None = ...,
    past_value: Expression | None = ...,
    past_sequence_lengths: Expression | None = ...,
    *,
    query_head_count: int,
    key_value_head_count: int,
    scale: float,
    mask_filter_value: float = ...,
    mask_type: MultiheadAttentionMaskType = ...,
    output_present: bool = ...,
) -> MultiheadAttentionOutputs:
    """Return attention whose heads may share keys; see `MultiheadAttention1OperatorDesc`.

    Parameters
    ----------
    query, key, value, stacked_query_key, stacked_key_value, stacked_query_key_value, bias, mask, relative_position_bias, past_key, past_value, past_sequence_lengths : Expression, optional
        As the tensors of the descriptor.
    query_head_count, key_value_head_count : int
        How many heads there are.
    scale : float
        What scores are multiplied by, mostly 1 / sqrt(size of a head). Rounded to FLOAT32.
    mask_filter_value : float
        What takes the place of a score that the mask hides.
    mask_type : MultiheadAttentionMaskType
        What `mask` is.
    output_present : bool
        Whether keys and values are returned too, behind the past ones.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> query = graph.constant(np.array([[[0, 1]]], np.float32))
    >>> key = graph.constant(np.array([[[0], [0]]], np.float32))
    >>> value = graph.constant(np.array([[[2], [4]]], np.float32))
    >>> found = multihead_attention1(
    ...     query, key, value, query_head_count=2, key_value_head_count=1, scale=1
    ... )
    >>> graph.compile([found.output])()
    [array([[[3., 3.]]], dtype=float32)]
    """

def multiply(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A * B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> b = graph.constant(np.array([0.5, -2], np.float32))
    >>> graph.compile([multiply(a, b)])()
    [array([ 0.5, -4. ], dtype=float32)]
    """

def negate(
    input: Expression,
) -> Expression:
    """Output = -Input.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to
        8 dimensions.

    Notes
    -----
    Exact; the smallest integer stays as it is.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-3, 2], np.float32))
    >>> graph.compile([negate(x)])()
    [array([ 3., -2.], dtype=float32)]
    """

def non_zero_coordinates(
    input: Expression,
) -> NonZeroCoordinatesOutputs:
    """Return how many elements are not zero, and the coordinates of each.

    Parameters
    ----------
    input : Expression
        What is looked at.

    Returns
    -------
    NonZeroCoordinatesOutputs
        The count, and a row of coordinates for each element of the input: those behind the count
        are zeros.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, 5]], np.float32))
    >>> graph.compile(non_zero_coordinates(x))()
    [array([1], dtype=uint32), array([[0, 1],
           [0, 0]], dtype=uint32)]
    """

def one_hot(
    indices: Expression,
    values: Expression,
    *,
    output_length: int,
    axis: int,
) -> Expression:
    """Return the second of two values at the index, and the first elsewhere along an axis.

    Parameters
    ----------
    indices : Expression
        Of size 1 along the axis.
    values : Expression
        At least two elements: what is written elsewhere, and what at the index.
    output_length : int
        The size along the axis.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> indices = graph.constant(np.array([[1]], np.int32))
    >>> values = graph.constant(np.array([[0, 5]], np.float32))
    >>> graph.compile([one_hot(indices, values, output_length=3, axis=1)])()
    [array([[0., 5., 0.]], dtype=float32)]
    """

def padding(
    input: Expression,
    *,
    padding_mode: PaddingMode = ...,
    padding_value: Scalar = ...,
    start_padding: Sequence[int],
    end_padding: Sequence[int],
) -> Expression:
    """Return a tensor with elements around it; see `PaddingOperatorDesc`.

    Parameters
    ----------
    input : Expression
        What is padded.
    padding_mode : PaddingMode
        What padding is filled with.
    padding_value : int or float
        In mode CONSTANT.
    start_padding, end_padding : sequence of int
        One per dimension.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([padding(x, padding_value=9, start_padding=[1], end_padding=[0])])()
    [array([9., 1., 2.], dtype=float32)]
    """

def pow(
    input: Expression,
    exponent: Expression | float,
    *,
    scale_bias: ScaleBiasLike = ...,
) -> Expression:
    """Return a tensor to the power of another, or of a number.

    Parameters
    ----------
    input : Expression
        The base.
    exponent : Expression or float
        By ELEMENT_WISE_POW or by ELEMENT_WISE_CONSTANT_POW.
    scale_bias : (float, float), optional
        Applied to the base first.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([3, -4], np.float32))
    >>> graph.compile([pow(x, 2)])()
    [array([ 9., 16.], dtype=float32)]
    """

def quantize(
    input: Expression,
    quantization_parameters: Sequence[Expression],
    *,
    quantization_type: QuantizationType,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = clamp(round(Input / Scale) + ZeroPoint), a scale for each block of elements.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    quantization_parameters : Sequence[Expression]
        Scale, and zero point, as the quantization type says. FLOAT32, FLOAT16, INT8, INT4, UINT8,
        UINT4; 1 to 8 dimensions.
    quantization_type : QuantizationType
        Which tensors describe the quantization.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    QuantizationTensors are a scale, or a scale and a zero point, by QuantizationType. Each size of
    a scale divides the input's, and its elements repeat in blocks of that quotient. Rounding as
    ELEMENT_WISE_QUANTIZE_LINEAR.

    The page is silent: all of this ("TBD"); ONNX's QuantizeLinear decides, and ONNX Runtime's use
    of the operator.

    References
    ----------
    DirectML: DML_QUANTIZE_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2, 3, 8], np.float32))
    >>> b = graph.constant(np.array([1, 2], np.float32))
    >>> c = graph.constant(np.array([ 0, -1], np.int8))
    >>> graph.compile([quantize(a, [b, c], quantization_type=QuantizationType.SCALE_ZERO_POINT, output_dtype=np.int8)])()
    [array([1, 2, 1, 3], dtype=int8)]
    """

def quantize_linear(
    input: Expression,
    scale: Expression,
    zero_point: Expression | None = ...,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = clamp(round(Input / Scale) + ZeroPoint).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32; 1 to 8 dimensions.
    scale : Expression
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    zero_point : Expression, optional
        The zero point; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    The quotient is FLOAT32, rounded to the nearest integer, ties to even; the zero point is added
    exactly, and the sum stays within the data type. A NaN gives the zero point. INT32 inputs are
    rounded to FLOAT32 first.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC; MicrosoftDocs/sdk-api at e0bf7d90df.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([-1, 0.5, 1.5], np.float32))
    >>> b = graph.constant(np.array([1, 1, 1], np.float32))
    >>> c = graph.constant(np.array([10, 10, 10], np.uint8))
    >>> graph.compile([quantize_linear(a, b, c)])()
    [array([ 9, 10, 12], dtype=uint8)]
    """

def quantized_linear_add(
    a: Expression,
    a_scale: Expression,
    a_zero_point: Expression | None,
    b: Expression,
    b_scale: Expression,
    b_zero_point: Expression | None,
    output_scale: Expression,
    output_zero_point: Expression | None = ...,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = Quantize(Dequantize(A) + Dequantize(B)).

    Parameters
    ----------
    a : Expression
        The first operand. INT8, UINT8; 1 to 8 dimensions.
    a_scale : Expression
        The scale of A. FLOAT32; 1 to 8 dimensions.
    a_zero_point : Expression, optional
        The zero point of A; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. INT8, UINT8; 1 to 8 dimensions.
    b_scale : Expression
        The scale of B. FLOAT32; 1 to 8 dimensions.
    b_zero_point : Expression, optional
        The zero point of B; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    output_scale : Expression
        The scale of the output. FLOAT32; 1 to 8 dimensions.
    output_zero_point : Expression, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    As ELEMENT_WISE_DEQUANTIZE_LINEAR, the FLOAT32 sum, and ELEMENT_WISE_QUANTIZE_LINEAR.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([3], np.uint8))
    >>> b = graph.constant(np.array([2], np.float32))
    >>> d = graph.constant(np.array([4], np.uint8))
    >>> e = graph.constant(np.array([1], np.float32))
    >>> g = graph.constant(np.array([5], np.float32))
    >>> graph.compile([quantized_linear_add(a, b, None, d, e, None, g)])()
    [array([2], dtype=uint8)]
    """

def quantized_linear_average_pooling(
    input: Expression,
    input_scale: Expression,
    input_zero_point: Expression | None,
    output_scale: Expression,
    output_zero_point: Expression | None = ...,
    *,
    strides: Sequence[int],
    window_sizes: Sequence[int],
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    include_padding: bool = ...,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = Quantize(the average of Dequantize(Input) over each window).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. INT8, UINT8; 4 to 5 dimensions.
    input_scale : Expression
        The scale of the input. FLOAT32; 1 to 5 dimensions.
    input_zero_point : Expression, optional
        The zero point of the input; 0 if left out. INT8, UINT8; 1 to 5 dimensions.
    output_scale : Expression
        The scale of the output. FLOAT32; 1 to 5 dimensions.
    output_zero_point : Expression, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 5 dimensions.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    include_padding : bool
        Whether padding counts as elements.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    The average is that of AVERAGE_POOLING1 of ELEMENT_WISE_DEQUANTIZE_LINEAR, rounded to FLOAT32,
    then ELEMENT_WISE_QUANTIZE_LINEAR; padding is zero. Scales and zero points are one element, or
    one per channel.

    References
    ----------
    DirectML: DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[2, 4]]]], np.uint8))
    >>> b = graph.constant(np.array([[[[0.5]]]], np.float32))
    >>> d = graph.constant(np.array([[[[0.5]]]], np.float32))
    >>> graph.compile([quantized_linear_average_pooling(a, b, None, d, strides=[1, 1], window_sizes=[1, 2])])()
    [array([[[[3]]]], dtype=uint8)]
    """

def quantized_linear_convolution(
    input: Expression,
    input_scale: Expression,
    filter: Expression,
    filter_scale: Expression,
    output_scale: Expression,
    input_zero_point: Expression | None = ...,
    filter_zero_point: Expression | None = ...,
    bias: Expression | None = ...,
    output_zero_point: Expression | None = ...,
    *,
    output_dtype: DataTypeLike = ...,
    strides: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
    group_count: int = ...,
    output_sizes: Sequence[int] = ...,
) -> Expression:
    """Output = Quantize(Dequantize(Input) * Dequantize(Filter) + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. INT8, UINT8; 3 to 4 dimensions.
    input_scale : Expression
        The scale of the input. FLOAT32; 1 to 4 dimensions.
    filter : Expression
        The filter: output channels, input channels of a group, spatial dimensions. INT8, UINT8; 3
        to 4 dimensions.
    filter_scale : Expression
        The scale of the filter. FLOAT32; 1 to 4 dimensions.
    output_scale : Expression
        The scale of the output. FLOAT32; 1 to 4 dimensions.
    input_zero_point : Expression, optional
        The zero point of the input; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    filter_zero_point : Expression, optional
        The zero point of the filter; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    bias : Expression, optional
        What is added. INT32; 3 to 4 dimensions.
    output_zero_point : Expression, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.
    group_count : int
        Into how many groups the channels are divided.
    output_sizes : Sequence[int]
        The sizes of the output.

    Notes
    -----
    As CONVOLUTION_INTEGER; the INT32 bias is added exactly, modulo 2^32; FLOAT32(total) *
    ((InputScale * FilterScale) / OutputScale), each operation rounded, then as
    ELEMENT_WISE_QUANTIZE_LINEAR. The filter's scale is one element, or one per output channel.

    References
    ----------
    DirectML: DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9fb507c17d.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[1, 2, 3]]], np.uint8))
    >>> b = graph.constant(np.array([[[1]]], np.float32))
    >>> d = graph.constant(np.array([[[ 1, 10]]], np.uint8))
    >>> e = graph.constant(np.array([[[2]]], np.float32))
    >>> h = graph.constant(np.array([[[2]]], np.float32))
    >>> graph.compile([quantized_linear_convolution(a, b, d, e, h)])()
    [array([[[21, 32]]], dtype=uint8)]
    """

def quantized_linear_matrix_multiply(
    a: Expression,
    a_scale: Expression,
    a_zero_point: Expression | None,
    b: Expression,
    b_scale: Expression,
    b_zero_point: Expression | None,
    output_scale: Expression,
    output_zero_point: Expression | None = ...,
    *,
    output_dtype: DataTypeLike = ...,
) -> Expression:
    """Output = Quantize(Dequantize(A) Dequantize(B)).

    Parameters
    ----------
    a : Expression
        The first operand. INT8, UINT8; 2 to 4 dimensions.
    a_scale : Expression
        The scale of A. FLOAT32; 1 to 4 dimensions.
    a_zero_point : Expression, optional
        The zero point of A; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    b : Expression
        The second operand. INT8, UINT8; 2 to 4 dimensions.
    b_scale : Expression
        The scale of B. FLOAT32; 1 to 4 dimensions.
    b_zero_point : Expression, optional
        The zero point of B; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_scale : Expression
        The scale of the output. FLOAT32; 1 to 4 dimensions.
    output_zero_point : Expression, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_dtype : DataTypeLike
        The data type of the output.

    Notes
    -----
    The product of integers is exact in INT32; FLOAT32(product) * ((AScale * BScale) / OutputScale),
    each operation rounded, then as ELEMENT_WISE_QUANTIZE_LINEAR.

    References
    ----------
    DirectML: DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC; MicrosoftDocs/sdk-api at e0bf7d90df.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2]], np.uint8))
    >>> b = graph.constant(np.array([[1]], np.float32))
    >>> d = graph.constant(np.array([[3], [4]], np.uint8))
    >>> e = graph.constant(np.array([[2]], np.float32))
    >>> g = graph.constant(np.array([[2]], np.float32))
    >>> graph.compile([quantized_linear_matrix_multiply(a, b, None, d, e, None, g)])()
    [array([[11]], dtype=uint8)]
    """

def random_generator(
    input_state: Expression,
    *,
    output_sizes: Sequence[int],
    output_state: bool = ...,
    type: RandomGeneratorType = ...,
) -> RandomGeneratorOutputs:
    """Output = uniformly distributed bits; OutputState = the state after them.

    Parameters
    ----------
    input_state : Expression
        The state: a counter of four words and a key of two. UINT32; 1 to 8 dimensions.
    output_sizes : Sequence[int]
        The sizes of the output.
    output_state : bool, optional
        The state for the next call. UINT32; 1 to 8 dimensions.
    type : RandomGeneratorType
        Which generator.

    Notes
    -----
    Philox 4x32-10 (Salmon and others, 2011). The state is a counter of four words, the lowest
    first, and a key of two. Elements 4 i to 4 i + 3, in row-major order, are the four words of the
    counter plus i; the new counter is the old one plus ceil(elements / 4), modulo 2^128.

    The page errs: the new counter of its example is not the old one plus the 324,855 that it says;
    the sentence decides.

    The page is silent: which word of the counter is the lowest, and the order of elements;
    Random123, the library of those who wrote the paper it links, decides: the first word is.

    References
    ----------
    DirectML: DML_RANDOM_GENERATOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 8f2547f96c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[0, 0, 0, 0, 0, 0]], np.uint32))
    >>> graph.compile([e for e in random_generator(x, output_sizes=[1, 4]) if e is not None])()
    [array([[1713891541, 3781805453, 3159862348, 2600524760]], dtype=uint32), array([[1, 0, 0, 0, 0, 0]], dtype=uint32)]
    """

def recip(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = recip(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The reciprocal; infinite at zeros, with their sign. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_RECIP_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2, -0.0], np.float32))
    >>> graph.compile([recip(x)])()
    [array([ 0.5, -inf], dtype=float32)]
    """

def reduce(
    input: Expression,
    *,
    function: ReduceFunction,
    axes: Sequence[int] = ...,
    output_dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return one number from the elements along some axes, whose sizes become 1.

    Parameters
    ----------
    input : Expression
        What is reduced.
    function : ReduceFunction
        How; see `ReduceOperatorDesc`.
    axes : sequence of int
        All of them if left empty.
    output_dtype : NumPy dtype or TensorDataType, optional
        Of the result. UINT32 by default for ARGMAX and ARGMIN, and the input's for all others.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[2, 3], value_start=1, value_delta=1)
    >>> graph.compile([reduce(ramp, function=ReduceFunction.SUM, axes=[1])])()
    [array([[ 6.],
           [15.]], dtype=float32)]
    """

def resample(
    input: Expression,
    *,
    output_sizes: Sequence[int],
    mode: InterpolationMode,
    rounding_direction: AxisDirection = ...,
    scales: Sequence[float] = ...,
    input_pixel_offsets: Sequence[float] = ...,
    output_pixel_offsets: Sequence[float] = ...,
    antialiased: bool = ...,
) -> Expression:
    """Return a tensor stretched or shrunk to other sizes; see `Resample3OperatorDesc`.

    By the offsets that are there if none are given, NEAREST_NEIGHBOR is not the nearest element: a
    coordinate between two is always rounded up (or down), so that all elements but the last come
    from half a position further on. The nearest element is what `resample1` takes; elements that
    are repeated, as `numpy.repeat` does, have offsets of 0 and DECREASING.

    Parameters
    ----------
    input : Expression
        What is resampled.
    output_sizes : sequence of int
        Of the result.
    mode : InterpolationMode
        What lies between elements.
    rounding_direction : AxisDirection
        Where NEAREST_NEIGHBOR rounds coordinates to.
    scales : sequence of float
        Output size over input size, one per dimension; left empty, computed from the sizes.
    input_pixel_offsets, output_pixel_offsets : sequence of float
        One per dimension; left empty, 0.5 and -0.5.
    antialiased : bool
        By RESAMPLE3, from feature level 6_4 on; otherwise RESAMPLE2 is used.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, 8], np.float32))
    >>> graph.compile([resample(x, output_sizes=[4], mode=InterpolationMode.LINEAR)])()
    [array([0., 2., 6., 8.], dtype=float32)]
    """

def resample1(
    input: Expression,
    *,
    output_sizes: Sequence[int],
    mode: InterpolationMode,
    scales: Sequence[float] = ...,
    input_pixel_offsets: Sequence[float] = ...,
    output_pixel_offsets: Sequence[float] = ...,
) -> Expression:
    """Return a tensor stretched or shrunk, with the nearest elements; see `Resample1OperatorDesc`.

    Parameters
    ----------
    input, output_sizes, mode, scales, input_pixel_offsets, output_pixel_offsets
        As in `resample`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> nearest = InterpolationMode.NEAREST_NEIGHBOR
    >>> graph.compile([resample1(x, output_sizes=[4], mode=nearest)])()
    [array([1., 1., 2., 2.], dtype=float32)]
    >>> graph.compile([resample(x, output_sizes=[4], mode=nearest)])()
    [array([1., 2., 2., 2.], dtype=float32)]
    """

def resample_grad(
    input_gradient: Expression,
    *,
    output_sizes: Sequence[int],
    mode: InterpolationMode,
    scales: Sequence[float] = ...,
    input_pixel_offsets: Sequence[float] = ...,
    output_pixel_offsets: Sequence[float] = ...,
    rounding_direction: AxisDirection | None = ...,
) -> Expression:
    """Return the gradient of `resample1`, or of `resample`, by its input.

    Parameters
    ----------
    input_gradient : Expression
        By the result of the function.
    output_sizes : sequence of int
        Of the function's input, and so of the gradient.
    mode, scales, input_pixel_offsets, output_pixel_offsets
        As for the function; scales that are left empty follow from the sizes.
    rounding_direction : AxisDirection, optional
        Given, it is the gradient of `resample` with this direction, by RESAMPLE_GRAD1; else that of
        `resample1`, by RESAMPLE_GRAD.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> gradient = graph.constant(np.array([1, 2, 3, 4], np.float32))
    >>> mode = InterpolationMode.NEAREST_NEIGHBOR
    >>> graph.compile([resample_grad(gradient, output_sizes=[2], mode=mode)])()
    [array([3., 7.], dtype=float32)]
    """

def reverse_subsequences(
    input: Expression,
    sequence_lengths: Expression,
    *,
    axis: int,
) -> Expression:
    """Output = Input with the first elements of each sequence along the axis in reverse.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    sequence_lengths : Expression
        The lengths of the sequences. UINT64, UINT32; 1 to 8 dimensions.
    axis : int
        The axis, from 0.

    Notes
    -----
    As many as the sequence's length says, at most all. Every bit is kept.

    References
    ----------
    DirectML: DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2, 3], [4, 5, 6]], np.int8))
    >>> b = graph.constant(np.array([[2], [9]], np.uint32))
    >>> graph.compile([reverse_subsequences(a, b, axis=1)])()
    [array([[2, 1, 3],
           [6, 5, 4]], dtype=int8)]
    """

def rnn(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    bias: Expression | None = ...,
    hidden_init: Expression | None = ...,
    sequence_lengths: Expression | None = ...,
    *,
    output_sequence: bool = ...,
    output_single: bool = ...,
    activation_descs: Sequence[FusedActivation],
    direction: RecurrentNetworkDirection = ...,
) -> RNNOutputs:
    """Outputs = the hidden states of a recurrent network: of all steps, and the last one.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    weight : Expression
        The weights of the input. FLOAT32, FLOAT16; 4 dimensions.
    recurrence : Expression
        The weights of the hidden state. FLOAT32, FLOAT16; 4 dimensions.
    bias : Expression, optional
        What is added. FLOAT32, FLOAT16; 4 dimensions.
    hidden_init : Expression, optional
        The hidden state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    sequence_lengths : Expression, optional
        The lengths of the sequences. UINT32; 4 dimensions.
    output_sequence : bool, optional
        The hidden states of all steps. FLOAT32, FLOAT16; 4 dimensions.
    output_single : bool, optional
        The hidden state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    activation_descs : Sequence[FusedActivation]
        The activations of the cell, per direction.
    direction : RecurrentNetworkDirection
        Which way it goes; see the notes.

    Notes
    -----
    H' = f((X W^T + H R^T) + (Wb + Rb)), in FLOAT32: products by rule C256 as in GEMM, every other
    operation rounded. What is left out, and sequences that are shorter, as in GRU.

    References
    ----------
    DirectML: DML_RNN_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[1]], [[2]]]], np.float32))
    >>> b = graph.constant(np.array([[[[3]]]], np.float32))
    >>> c = graph.constant(np.array([[[[1]]]], np.float32))
    >>> graph.compile([e for e in rnn(a, b, c, activation_descs=[FusedActivation.identity()]) if e is not None])()
    [array([[[[3.]]],
           [[[9.]]]], dtype=float32), array([[[[9.]]]], dtype=float32)]
    """

def roi_align(
    input: Expression,
    roi: Expression,
    batch_indices: Expression,
    *,
    reduction_function: ReduceFunction,
    interpolation_mode: InterpolationMode,
    spatial_scale_x: float,
    spatial_scale_y: float,
    input_pixel_offset: float,
    output_pixel_offset: float,
    out_of_bounds_input_value: float,
    minimum_samples_per_output: int,
    maximum_samples_per_output: int,
    align_regions_to_corners: bool,
    output_height: int,
    output_width: int,
) -> Expression:
    """Return regions of images, each brought to the same size; see `RoiAlign1OperatorDesc`.

    Parameters
    ----------
    input : Expression
        Images: batch, channels, height, width.
    roi : Expression
        Regions (x1, y1, x2, y2), one per row.
    batch_indices : Expression
        The image of each region.
    reduction_function, interpolation_mode, spatial_scale_x, spatial_scale_y, input_pixel_offset, output_pixel_offset, out_of_bounds_input_value, minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners
        As the fields of the descriptor.
    output_height, output_width : int
        Of each region's part of the result.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 2, 3, 4]]]], np.float32))
    >>> roi = graph.constant(np.array([[0, 0, 4, 1]], np.float32))
    >>> batch = graph.constant(np.array([0], np.uint32))
    >>> aligned = roi_align(x, roi, batch, reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.LINEAR, spatial_scale_x=1, spatial_scale_y=1,
    ...     input_pixel_offset=0.5, output_pixel_offset=-0.5, out_of_bounds_input_value=0,
    ...     minimum_samples_per_output=1, maximum_samples_per_output=2,
    ...     align_regions_to_corners=False, output_height=1, output_width=2)
    >>> graph.compile([aligned])()
    [array([[[[1.5, 3.5]]]], dtype=float32)]
    """

def roi_align_grad(
    input_gradient: Expression,
    roi: Expression,
    batch_indices: Expression,
    input: Expression | None = ...,
    *,
    reduction_function: ReduceFunction,
    interpolation_mode: InterpolationMode,
    spatial_scale_x: float,
    spatial_scale_y: float,
    input_pixel_offset: float,
    output_pixel_offset: float,
    minimum_samples_per_output: int,
    maximum_samples_per_output: int,
    align_regions_to_corners: bool,
    batch_size: int,
    image_height: int,
    image_width: int,
    compute_output_gradient: bool = ...,
    compute_output_roi_gradient: bool = ...,
) -> RoiAlignGradOutputs:
    """Return the gradients of `roi_align` by images and regions; see `RoiAlignGradOperatorDesc`.

    Parameters
    ----------
    input_gradient : Expression
        By the result of `roi_align`, of the same sizes.
    roi, batch_indices : Expression
        Regions and their images.
    input : Expression, optional
        The images; needed for gradients by regions, and for MAX.
    reduction_function, interpolation_mode, spatial_scale_x, spatial_scale_y, input_pixel_offset, output_pixel_offset, minimum_samples_per_output, maximum_samples_per_output, align_regions_to_corners
        As the fields of the descriptor.
    batch_size, image_height, image_width : int
        Of the images.
    compute_output_gradient, compute_output_roi_gradient : bool
        Which outputs are wanted; others are None.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[5, 6]]]], np.float32))
    >>> gradient = graph.constant(np.array([[[[1, 2, 3]]]], np.float32))
    >>> roi = graph.constant(np.array([[0, 0, 2, 1]], np.float32))
    >>> batch = graph.constant(np.array([0], np.uint32))
    >>> found = roi_align_grad(gradient, roi, batch, x, reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR, spatial_scale_x=1,
    ...     spatial_scale_y=1, input_pixel_offset=0.5, output_pixel_offset=-0.5,
    ...     minimum_samples_per_output=1, maximum_samples_per_output=1,
    ...     align_regions_to_corners=False, batch_size=1, image_height=1, image_width=2)
    >>> graph.compile(list(found))()
    [array([[[[3., 3.]]]], dtype=float32), array([[1., 0., 1., 0.]], dtype=float32)]
    """

def roi_pooling(
    input: Expression,
    roi: Expression,
    *,
    spatial_scale: float,
    pooled_size: Size2D | tuple[int, int],
) -> Expression:
    """Output = the largest element of each cell of each region.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    roi : Expression
        The regions. FLOAT32, FLOAT16; 4 dimensions.
    spatial_scale : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    pooled_size : Size2D | tuple[int, int]
        The width and height of a pooled region.

    Notes
    -----
    A row of ROITensor is (batch, x1, y1, x2, y2). Coordinates times SpatialScale, rounded to
    FLOAT32, go to the nearest integers, of two the one farther from 0; the region includes both
    ends and has at least one element. Of n elements cell i of m has those from floor(i n / m) to
    before ceil((i + 1) n / m), exactly, as far as they lie inside of the input. A NaN wins, +0 is
    larger than -0, and a cell without an element is 0. A batch that there is not gives 0.

    The page is silent: cells, borders and rounding; ONNX's MaxRoiPool decides, as Caffe computes
    it.

    Our choice: a batch that there is not.

    References
    ----------
    DirectML: DML_ROI_POOLING_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[[[1, 2, 3, 4], [5, 6, 7, 8]]]], np.float32))
    >>> b = graph.constant(np.array([[[[0, 1, 0, 3, 1]]]], np.float32))
    >>> graph.compile([roi_pooling(a, b, spatial_scale=1, pooled_size=(2, 1))])()
    [array([[[[7., 8.]]]], dtype=float32)]
    """

def round(
    input: Expression,
    *,
    rounding_mode: RoundingMode = ...,
) -> Expression:
    """Output = Input as a whole number.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    rounding_mode : RoundingMode
        To which whole number is rounded.

    Notes
    -----
    HALVES_TO_NEAREST_EVEN: the nearest, of two the even one. TOWARD_ZERO: the nearest that is not
    larger in magnitude. TOWARD_INFINITY: the nearest, of two the one with the larger magnitude. A
    zero has the sign of the input.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ROUND_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2.5, -1.25], np.float32))
    >>> graph.compile([round(x, rounding_mode=RoundingMode.TOWARD_INFINITY)])()
    [array([ 3., -1.], dtype=float32)]
    """

def scatter_elements(
    input: Expression,
    indices: Expression,
    updates: Expression,
    *,
    axis: int,
) -> Expression:
    """Output = Input, then Output[i, Indices[i, j, k], k] = Updates[i, j, k], at the axis.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices : Expression
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    updates : Expression
        What is written. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    axis : int
        The axis, from 0.

    Notes
    -----
    Negative indices count from the end; what lies beyond either end is left out, and of several
    updates of one element the last one in row-major order stays.

    The page errs: it says feature level 1_0, and the header 2_0, which decides; the header of level
    6_4 has the name SCATTER_ELEMENTS for the number too. Its second example says that the input is
    {2,3}, and shows three rows, which decide.

    Our choice: indices beyond either end, and several updates of one element.

    References
    ----------
    DirectML: DML_SCATTER_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([5, 6, 7], np.float32))
    >>> b = graph.constant(np.array([ 2, -3], np.int32))
    >>> c = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([scatter_elements(a, b, c, axis=0)])()
    [array([2., 6., 1.], dtype=float32)]
    """

def scatter_nd(
    input: Expression,
    indices: Expression,
    updates: Expression,
    *,
    input_dimension_count: int,
    indices_dimension_count: int,
) -> Expression:
    """Output = Input, then Output[coordinates Indices[i], rest] = Updates[i, rest].

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices : Expression
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    updates : Expression
        What is written. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    input_dimension_count : int
        How many trailing dimensions of the input are used.
    indices_dimension_count : int
        How many trailing dimensions of the indices are used.

    Notes
    -----
    As GATHER_ND reads, but what lies beyond either end is left out, and of several updates of one
    element the last one in row-major order stays.

    The page errs: its example has indices that are FLOAT32, and tensors of one and of two
    dimensions; its table and its constraint decide: integers, and leading sizes of 1.

    Our choice: indices beyond either end, and several updates of one element.

    References
    ----------
    DirectML: DML_SCATTER_ND_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2, 3]], np.float32))
    >>> b = graph.constant(np.array([[2], [0]], np.uint32))
    >>> c = graph.constant(np.array([[9, 10]], np.float32))
    >>> graph.compile([scatter_nd(a, b, c, input_dimension_count=1, indices_dimension_count=2)])()
    [array([[10.,  2.,  9.]], dtype=float32)]
    """

def sign(
    input: Expression,
) -> Expression:
    """Output = -1, 0 or 1, with the sign of Input.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Exact. A zero of either sign gives +0; a NaN stays.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SIGN_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-3, 0, 2], np.float32))
    >>> graph.compile([sign(x)])()
    [array([-1.,  0.,  1.], dtype=float32)]
    """

def sin(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = sin(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The sine of radians. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0], np.float32))
    >>> graph.compile([sin(x)])()
    [array([0.], dtype=float32)]
    """

def sinh(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = sinh(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The hyperbolic sine. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SINH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0], np.float32))
    >>> graph.compile([sinh(x)])()
    [array([0.], dtype=float32)]
    """

def slice(
    input: Expression,
    *,
    input_window_offsets: Sequence[int],
    input_window_sizes: Sequence[int],
    input_window_strides: Sequence[int],
) -> Expression:
    """Return every so many elements of a window of a tensor.

    Parameters
    ----------
    input : Expression
        What is sliced.
    input_window_offsets, input_window_sizes, input_window_strides : sequence of int
        One each per dimension; see `Slice1OperatorDesc`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[6], value_start=0, value_delta=1)
    >>> window = {"input_window_offsets": [1], "input_window_sizes": [5]}
    >>> graph.compile([slice(ramp, **window, input_window_strides=[-2])])()
    [array([5., 3., 1.], dtype=float32)]
    """

def slice_grad(
    input_gradient: Expression,
    *,
    output_gradient_sizes: Sequence[int],
    input_window_offsets: Sequence[int],
    input_window_sizes: Sequence[int],
    input_window_strides: Sequence[int],
) -> Expression:
    """OutputGradient = InputGradient where SLICE1 takes its elements from, 0 elsewhere.

    Parameters
    ----------
    input_gradient : Expression
        The gradient of the output of the forward operator. FLOAT64, FLOAT32, FLOAT16, INT64, INT32,
        INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_gradient_sizes : Sequence[int]
        The sizes of the output.
    input_window_offsets : Sequence[int]
        Where the window begins, one per dimension.
    input_window_sizes : Sequence[int]
        How long the window is, one per dimension; it lies inside the input.
    input_window_strides : Sequence[int]
        One per dimension, not 0. With a negative one the window is read from its end backwards.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_SLICE_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([5, 6], np.float32))
    >>> graph.compile([slice_grad(x, output_gradient_sizes=[4], input_window_offsets=[1], input_window_sizes=[3], input_window_strides=[-2])])()
    [array([0., 6., 0., 5.], dtype=float32)]
    """

def space_to_depth(
    input: Expression,
    *,
    block_size: int,
    order: DepthSpaceOrder = ...,
) -> Expression:
    """Output = Input with every block of pixels as channels.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    block_size : int
        The width and height of a block, in elements.
    order : DepthSpaceOrder
        How the channels hold a block.

    Notes
    -----
    With DEPTH_COLUMN_ROW the output's channels are numbered by row and column in the block, then by
    the input's channel; with COLUMN_ROW_DEPTH by channel, then by row and column. Every bit is
    kept. SPACE_TO_DEPTH does the former.

    References
    ----------
    DirectML: DML_SPACE_TO_DEPTH1_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 2], [3, 4]]]], np.int8))
    >>> graph.compile([space_to_depth(x, block_size=2)])()
    [array([[[[1]],
            [[2]],
            [[3]],
            [[4]]]], dtype=int8)]
    """

def split(
    input: Expression,
    *,
    axis: int,
    output_axis_sizes: Sequence[int],
) -> list[Expression]:
    """Return the parts of a tensor along an axis.

    Parameters
    ----------
    input : Expression
        What is split.
    axis : int
        From 0.
    output_axis_sizes : sequence of int
        Of the parts along the axis; they add up to the size of `input`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[4], value_start=0, value_delta=1)
    >>> graph.compile(split(ramp, axis=0, output_axis_sizes=[1, 3]))()
    [array([0.], dtype=float32), array([1., 2., 3.], dtype=float32)]
    """

def sqrt(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = sqrt(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The square root; NaN below 0, and -0 at -0. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SQRT_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([4, 2], np.float32))
    >>> graph.compile([sqrt(x)])()
    [array([2.       , 1.4142135], dtype=float32)]
    """

def subtract(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A - B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC; MicrosoftDocs/sdk-api at b78cd15a8e.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> b = graph.constant(np.array([0.5, -2], np.float32))
    >>> graph.compile([subtract(a, b)])()
    [array([0.5, 4. ], dtype=float32)]
    """

def tan(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = tan(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The tangent of radians. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_TAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0], np.float32))
    >>> graph.compile([tan(x)])()
    [array([0.], dtype=float32)]
    """

def tanh(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = tanh(Input * Scale + Bias).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The hyperbolic tangent. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_TANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([0, np.inf], np.float32))
    >>> graph.compile([tanh(x)])()
    [array([0., 1.], dtype=float32)]
    """

def threshold(
    input: Expression,
    *,
    min: float,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = max(Input * Scale + Bias, Min).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    min : float
        The lower limit.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Scale and bias round as in ELEMENT_WISE_IDENTITY; the rest is exact. A NaN of the input stays,
    and so does a zero that equals the limit, with its sign. For integers a fraction counts as the
    next higher integer, and a limit beyond the data type is its end. A NaN as the limit limits
    nothing.

    Our choice: a limit of integers that has a fraction, and NaN as a limit.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 0], np.float32))
    >>> graph.compile([threshold(x, min=-1)])()
    [array([-1.,  0.], dtype=float32)]
    """

def tile(
    input: Expression,
    *,
    repeats: Sequence[int],
) -> Expression:
    """Output[i] = Input[i modulo the input's size], in every dimension.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    repeats : Sequence[int]
        How often the input is repeated, one per dimension.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_TILE_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[1, 2], [3, 4]], np.int8))
    >>> graph.compile([tile(x, repeats=[1, 2])])()
    [array([[1, 2, 1, 2],
           [3, 4, 3, 4]], dtype=int8)]
    """

def top_k(
    input: Expression,
    *,
    axis: int,
    k: int,
    axis_direction: AxisDirection = ...,
) -> TopKOutputs:
    """Outputs = the K largest elements along an axis, the largest first, and their positions.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    axis : int
        The axis, from 0.
    k : int
        How many elements are taken.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.

    Notes
    -----
    INCREASING takes the K smallest instead, the smallest first. Of equals the one with the lower
    position comes first. A NaN is larger than every number, and NaNs are equals; +0 is larger than
    -0. Every bit is kept. TOP_K takes the largest.

    The page errs: that of TOP_K says feature level 2_0, and the header 1_0, which decides.

    Our choice: the order of NaNs, and of zeros, which is that of max and min.

    References
    ----------
    DirectML: DML_TOP_K1_OPERATOR_DESC; MicrosoftDocs/sdk-api at f490882383.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 3, 3], np.float32))
    >>> graph.compile([e for e in top_k(x, axis=0, k=2) if e is not None])()
    [array([3., 3.], dtype=float32), array([1, 2], dtype=uint32)]
    """

def unfold(
    input: Expression,
    *,
    window_sizes: Sequence[int],
    strides: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    start_padding: Sequence[int] = ...,
    end_padding: Sequence[int] = ...,
) -> Expression:
    """Output = the elements of every window as a column.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. any data type; 3 to 8 dimensions.
    window_sizes : Sequence[int]
        The window, one per spatial dimension.
    strides : Sequence[int]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : Sequence[int]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : Sequence[int]
        How many elements are added in front of each dimension.
    end_padding : Sequence[int]
        How many elements are added behind each dimension.

    Notes
    -----
    [N, C, spatial ...] becomes [N, C * window elements, windows], both in row-major order; padding
    is zeros. The tensors have as many dimensions, with leading ones. Every bit is kept.

    The page errs: its examples leave leading dimensions out, which its constraint asks for; the
    constraint decides. It lists no data types: all are taken.

    References
    ----------
    DirectML: DML_UNFOLD_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[1, 2, 3]]], np.float32))
    >>> graph.compile([unfold(x, window_sizes=[2], strides=[1], dilations=[1], start_padding=[0], end_padding=[0])])()
    [array([[[1., 2.],
            [2., 3.]]], dtype=float32)]
    """

def upsample_2d(
    input: Expression,
    *,
    scale_size: Size2D | tuple[int, int],
    interpolation_mode: InterpolationMode,
) -> Expression:
    """Output[y, x] = Input at ((y + 0.5) / height scale - 0.5, (x + 0.5) / width scale - 0.5).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    scale_size : Size2D | tuple[int, int]
        Factors of width and height.
    interpolation_mode : InterpolationMode
        What lies between elements.

    Notes
    -----
    As RESAMPLE along the last two dimensions.

    References
    ----------
    DirectML: DML_UPSAMPLE_2D_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 2]]]], np.float32))
    >>> graph.compile([upsample_2d(x, scale_size=(2, 1), interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR)])()
    [array([[[[1., 1., 2., 2.]]]], dtype=float32)]
    """

def value_scale_2d(
    input: Expression,
    *,
    scale: float,
    bias: Sequence[float],
) -> Expression:
    """Output = Input * Scale + Bias[channel].

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    scale : float
        A factor. Rounded to FLOAT32.
    bias : Sequence[float]
        One addend per channel. Each is rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition.

    References
    ----------
    DirectML: DML_VALUE_SCALE_2D_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[[[1, 3]]]], np.float32))
    >>> graph.compile([value_scale_2d(x, scale=2, bias=[1])])()
    [array([[[[3., 7.]]]], dtype=float32)]
    """

def where(
    condition: Expression,
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A where the condition is not zero, B elsewhere.

    Parameters
    ----------
    condition : Expression
        Zero chooses B, anything else A. UINT8; 1 to 8 dimensions.
    a : Expression
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Every bit is kept.

    The page errs: its history names feature level 2_1 and has no table for it; the last table holds
    on.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IF_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 0], np.uint8))
    >>> b = graph.constant(np.array([1, 2], np.float32))
    >>> c = graph.constant(np.array([3, 4], np.float32))
    >>> graph.compile([where(a, b, c)])()
    [array([1., 4.], dtype=float32)]
    """
