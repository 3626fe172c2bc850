# Written by `python -m tools.generate`.

from collections.abc import Sequence
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import DataTypeLike
from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import Scalar
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.fields import ScaleBias

__all__ = [
    "ActivationHardSigmoidOperatorDesc",
    "ActivationIdentityOperatorDesc",
    "ActivationLeakyReluOperatorDesc",
    "ActivationLinearOperatorDesc",
    "ActivationReluOperatorDesc",
    "ActivationShrinkOperatorDesc",
    "ActivationSoftsignOperatorDesc",
    "ActivationThresholdedReluOperatorDesc",
    "CastOperatorDesc",
    "CumulativeProductOperatorDesc",
    "CumulativeSummationOperatorDesc",
    "ElementWiseAbsOperatorDesc",
    "ElementWiseAddOperatorDesc",
    "ElementWiseAdd1OperatorDesc",
    "ElementWiseClipOperatorDesc",
    "ElementWiseClip1OperatorDesc",
    "ElementWiseDivideOperatorDesc",
    "ElementWiseIdentityOperatorDesc",
    "ElementWiseModulusFloorOperatorDesc",
    "ElementWiseModulusTruncateOperatorDesc",
    "ElementWiseMultiplyOperatorDesc",
    "ElementWiseSubtractOperatorDesc",
    "FillValueConstantOperatorDesc",
    "FillValueSequenceOperatorDesc",
    "GemmOperatorDesc",
    "JoinOperatorDesc",
    "ReduceOperatorDesc",
    "SliceOperatorDesc",
    "Slice1OperatorDesc",
    "SplitOperatorDesc",
    "TileOperatorDesc",
    "TopKOperatorDesc",
    "TopK1OperatorDesc",
]

class ActivationHardSigmoidOperatorDesc(OperatorDesc):
    """Output = max(0, min(1, Alpha * Input + Beta)).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition. Zero is +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationHardSigmoidOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     alpha=0.2,
    ...     beta=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-9, 0, 9], np.float32)])
    [array([0. , 0.5, 1. ], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float
    beta: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        alpha: float = ...,
        beta: float = ...,
    ) -> None: ...

class ActivationIdentityOperatorDesc(OperatorDesc):
    """Output = Input.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_ACTIVATION_IDENTITY_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationIdentityOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32)])
    [array([-1.,  2.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationLeakyReluOperatorDesc(OperatorDesc):
    """Output = Input, or Alpha * Input below zero.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Both zeros stay; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationLeakyReluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32)])
    [array([-0.5,  2. ], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        alpha: float = ...,
    ) -> None: ...

class ActivationLinearOperatorDesc(OperatorDesc):
    """Output = Alpha * Input + Beta.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition.

    References
    ----------
    DirectML: DML_ACTIVATION_LINEAR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationLinearOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=3,
    ...     beta=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32)])
    [array([-2.,  7.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float
    beta: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        alpha: float,
        beta: float,
    ) -> None: ...

class ActivationReluOperatorDesc(OperatorDesc):
    """Output = max(0, Input).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8 dimensions.

    Notes
    -----
    Both zeros give +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationReluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32)])
    [array([0., 2.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationShrinkOperatorDesc(OperatorDesc):
    """Output = Input - Bias above Threshold, Input + Bias below -Threshold, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    bias : float
        What is taken away. An integer for tensors of integers. Rounded to FLOAT32.
    threshold : float
        Where zero ends. Rounded to FLOAT32.

    Notes
    -----
    Both comparisons are exact, the first has precedence, and the result is rounded once; integers
    wrap. What is in between is +0, and so is a NaN, which is not beyond anything.

    References
    ----------
    DirectML: DML_ACTIVATION_SHRINK_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationShrinkOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     bias=1,
    ...     threshold=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-3, 0.25, 3], np.float32)])
    [array([-2.,  0.,  2.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    bias: float
    threshold: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        bias: float = ...,
        threshold: float = ...,
    ) -> None: ...

class ActivationSoftsignOperatorDesc(OperatorDesc):
    """Output = Input / (1 + |Input|).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Rounded after the addition and after the division. Infinities give NaN.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationSoftsignOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 3], np.float32)])
    [array([-0.5 ,  0.75], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationThresholdedReluOperatorDesc(OperatorDesc):
    """Output = Input above Alpha, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    The zero is +0. A NaN is not above anything and gives it too.

    References
    ----------
    DirectML: DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationThresholdedReluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32)])
    [array([0., 2.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        alpha: float = ...,
    ) -> None: ...

class CastOperatorDesc(OperatorDesc):
    """Output = Input, converted to the data type of the output.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    To a float: rounded once to nearest, ties to even; what is too large becomes infinite, and every
    NaN is the positive quiet one without payload. From integer to integer: modulo 2^bits. From a
    float to an integer: towards zero; what does not fit becomes the nearest integer that does, and
    a NaN becomes 0 (DirectML leaves both open).

    References
    ----------
    DirectML: DML_CAST_OPERATOR_DESC.

    Examples
    --------
    >>> desc = CastOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1.5, 1.5, 300], np.float32)])
    [array([  0,   1, 255], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class CumulativeProductOperatorDesc(OperatorDesc):
    """Each output element is the product of the input elements up to it, along an axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1
        to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
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
    DirectML: DML_CUMULATIVE_PRODUCT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = CumulativeProductOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     axis=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([2, 3, 4], np.float32)])
    [array([ 2.,  6., 24.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int
    axis_direction: AxisDirection
    has_exclusive_product: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
        axis_direction: AxisDirection = ...,
        has_exclusive_product: bool = ...,
    ) -> None: ...

class CumulativeSummationOperatorDesc(OperatorDesc):
    """Each output element is the sum of the input elements up to it, along an axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1
        to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
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
    DirectML: DML_CUMULATIVE_SUMMATION_OPERATOR_DESC.

    Examples
    --------
    >>> desc = CumulativeSummationOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     axis=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([2, 3, 4], np.float32)])
    [array([2., 5., 9.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int
    axis_direction: AxisDirection
    has_exclusive_sum: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
        axis_direction: AxisDirection = ...,
        has_exclusive_sum: bool = ...,
    ) -> None: ...

class ElementWiseAbsOperatorDesc(OperatorDesc):
    """Output = |Input * Scale + Bias|.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to
        8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. The smallest integer stays as it is.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ABS_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAbsOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32)])
    [array([1., 2.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
    ) -> None: ...

class ElementWiseAddOperatorDesc(OperatorDesc):
    """Output = A + B.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ADD_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAddOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32), np.array([0.5, -2], np.float32)])
    [array([1.5, 0. ], dtype=float32)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseAdd1OperatorDesc(OperatorDesc):
    """Output = A + B.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ADD1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAdd1OperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32), np.array([0.5, -2], np.float32)])
    [array([1.5, 0. ], dtype=float32)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc
    fused_activation: FusedActivation | None

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
        fused_activation: FusedActivation | None = ...,
    ) -> None: ...

class ElementWiseClipOperatorDesc(OperatorDesc):
    """Output = min(max(Input * Scale + Bias, Min), Max).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.
    min : float
        The lower limit. Rounded to FLOAT32.
    max : float
        The upper limit. Rounded to FLOAT32.

    Notes
    -----
    A NaN of the input stays, and so does a zero that equals a limit, with its sign. Limits beyond
    the range of an integer data type limit nothing.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseClipOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     min=-1,
    ...     max=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-2, 0, 2], np.float32)])
    [array([-1.,  0.,  1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None
    min: float
    max: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        min: float,
        max: float,
        *,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
    ) -> None: ...

class ElementWiseClip1OperatorDesc(OperatorDesc):
    """Output = min(max(Input * Scale + Bias, Min), Max), with limits of the tensors' data type.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.
    min_max_data_type : TensorDataType
        How to read the limits; the same as the data type of the tensors.
    min : ScalarUnion
        The lower limit.
    max : ScalarUnion
        The upper limit.

    Notes
    -----
    A NaN of the input stays, and so does a zero that equals a limit, with its sign.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseClip1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int64, [3]),
    ...     output_tensor=TensorDesc(np.int64, [3]),
    ...     min_max_data_type=<class 'numpy.int64'>,
    ...     min=-1,
    ...     max=1152921504606846976,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([                 -2,                   0, 4611686018427387904], np.int64)])
    [array([                 -1,                   0, 1152921504606846976])]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None
    min_max_data_type: TensorDataType
    min: ScalarUnion
    max: ScalarUnion

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        min_max_data_type: DataTypeLike,
        min: ScalarUnion | Scalar,
        max: ScalarUnion | Scalar,
        *,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
    ) -> None: ...

class ElementWiseDivideOperatorDesc(OperatorDesc):
    """Output = A / B.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even. Integers are truncated towards zero; a
    division by zero gives 0, and the smallest integer divided by -1 gives itself.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseDivideOperatorDesc(
    ...     a_tensor=TensorDesc(np.int8, [2]),
    ...     b_tensor=TensorDesc(np.int8, [2]),
    ...     output_tensor=TensorDesc(np.int8, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([ 7, -7], np.int8), np.array([2, 2], np.int8)])
    [array([ 3, -3], dtype=int8)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseIdentityOperatorDesc(OperatorDesc):
    """Output = Input * Scale + Bias.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Without scale and bias every bit is kept. With them floats are rounded after the multiplication
    and after the addition (FLOAT16 once, from FLOAT32). Integers are exact modulo 2^bits if scale
    and bias are whole; else each operation is rounded to FLOAT64, and the result goes towards zero
    and stays within the data type (our choice; DirectML does not say).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseIdentityOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     scale_bias=(2, 1),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32)])
    [array([3., 5.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
    ) -> None: ...

class ElementWiseModulusFloorOperatorDesc(OperatorDesc):
    """Output = A - B * floor(A / B).

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    The exact result, rounded once, to nearest, ties to even. It has the sign of B, also where it is
    zero, as in Python. Floats give NaN where A is infinite or B is zero, and B where that is
    infinite and A has another sign; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseModulusFloorOperatorDesc(
    ...     a_tensor=TensorDesc(np.int8, [3]),
    ...     b_tensor=TensorDesc(np.int8, [3]),
    ...     output_tensor=TensorDesc(np.int8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([ 7, -7,  7], np.int8), np.array([ 5,  5, -5], np.int8)])
    [array([ 2,  3, -3], dtype=int8)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseModulusTruncateOperatorDesc(OperatorDesc):
    """Output = A - B * trunc(A / B).

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    Exact: the result needs no rounding, and is that of C's fmod. It has the sign of A, also where
    it is zero. Floats give NaN where A is infinite or B is zero; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseModulusTruncateOperatorDesc(
    ...     a_tensor=TensorDesc(np.int8, [3]),
    ...     b_tensor=TensorDesc(np.int8, [3]),
    ...     output_tensor=TensorDesc(np.int8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([ 7, -7,  7], np.int8), np.array([ 5,  5, -5], np.int8)])
    [array([ 2, -2,  2], dtype=int8)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseMultiplyOperatorDesc(OperatorDesc):
    """Output = A * B.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseMultiplyOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32), np.array([0.5, -2], np.float32)])
    [array([ 0.5, -4. ], dtype=float32)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseSubtractOperatorDesc(OperatorDesc):
    """Output = A - B.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseSubtractOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32), np.array([0.5, -2], np.float32)])
    [array([0.5, 4. ], dtype=float32)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class FillValueConstantOperatorDesc(OperatorDesc):
    """Every element of the output has the value's bits.

    Parameters
    ----------
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    value_data_type : TensorDataType
        How to read the scalars; the same as the data type of the output.
    value : ScalarUnion
        The value: a number, converted once to exact bits, or the bits.

    Notes
    -----
    NaN payloads, signed zeros and subnormals survive. DirectML does not say what happens where the
    value's data type is another one than the output's; here that is refused.

    References
    ----------
    DirectML: DML_FILL_VALUE_CONSTANT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = FillValueConstantOperatorDesc(
    ...     output_tensor=TensorDesc(np.float32, [1, 2]),
    ...     value_data_type=<class 'numpy.float32'>,
    ...     value=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled()
    [array([[0.5, 0.5]], dtype=float32)]
    """
    output_tensor: TensorDesc
    value_data_type: TensorDataType
    value: ScalarUnion

    def __init__(
        self,
        output_tensor: TensorDesc,
        value_data_type: DataTypeLike,
        value: ScalarUnion | Scalar,
    ) -> None: ...

class FillValueSequenceOperatorDesc(OperatorDesc):
    """Element i of the output is a sequence's element i, under the device's rule.

    Parameters
    ----------
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.
    value_data_type : TensorDataType
        How to read the scalars; the same as the data type of the output.
    value_start : ScalarUnion
        The first element: a number, converted once to exact bits, or the bits.
    value_delta : ScalarUnion
        The difference of neighbours: a number, converted once to exact bits, or the bits.

    Notes
    -----
    Elements are numbered in row-major order. Rule `accumulate`: element 0 is the start, and each
    following one is the former plus the delta, rounded. Rule `multiply`: start + i * delta, rounded
    once. Rounding is to nearest, ties to even; integers wrap; a NaN that arises is the positive
    quiet one without payload. See `fill_sequence`.

    References
    ----------
    DirectML: DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = FillValueSequenceOperatorDesc(
    ...     output_tensor=TensorDesc(np.uint8, [2, 2]),
    ...     value_data_type=<class 'numpy.uint8'>,
    ...     value_start=10,
    ...     value_delta=-2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled()
    [array([[10,  8],
           [ 6,  4]], dtype=uint8)]
    """
    output_tensor: TensorDesc
    value_data_type: TensorDataType
    value_start: ScalarUnion
    value_delta: ScalarUnion

    def __init__(
        self,
        output_tensor: TensorDesc,
        value_data_type: DataTypeLike,
        value_start: ScalarUnion | Scalar,
        value_delta: ScalarUnion | Scalar,
    ) -> None: ...

class GemmOperatorDesc(OperatorDesc):
    """Output = Activation(Alpha * TransA(A) TransB(B) + Beta * C), for each pair of matrices.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16; 2 to 4 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16; 2 to 4 dimensions.
    c_tensor : TensorDesc, optional
        What is added; nothing if left out. FLOAT32, FLOAT16; 2 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 2 to 4 dimensions.
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
    The products are added one after the other, k = 0, 1, ..., rounded to FLOAT32 after each
    multiplication and each addition, on every machine; then alpha, then beta * C, then the
    activation, and FLOAT16 is rounded once at the end.

    References
    ----------
    DirectML: DML_GEMM_OPERATOR_DESC.

    Examples
    --------
    >>> desc = GemmOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [1, 2]),
    ...     b_tensor=TensorDesc(np.float32, [2, 1]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2]], np.float32), np.array([[3], [4]], np.float32), None])
    [array([[11.]], dtype=float32)]
    """
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    c_tensor: TensorDesc | None
    output_tensor: TensorDesc
    trans_a: MatrixTransform
    trans_b: MatrixTransform
    alpha: float
    beta: float
    fused_activation: FusedActivation | None

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
        trans_a: MatrixTransform = ...,
        trans_b: MatrixTransform = ...,
        alpha: float = ...,
        beta: float = ...,
        fused_activation: FusedActivation | None = ...,
        *,
        c_tensor: TensorDesc | None = ...,
    ) -> None: ...

class JoinOperatorDesc(OperatorDesc):
    """Output = the inputs, one behind the other along an axis.

    Parameters
    ----------
    input_tensors : tuple[TensorDesc, ...]
        The inputs, at least one. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64,
        UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    axis : int
        The axis, from 0.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_JOIN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = JoinOperatorDesc(
    ...     input_tensors=[TensorDesc(np.int8, [1]), TensorDesc(np.int8, [2])],
    ...     output_tensor=TensorDesc(np.int8, [3]),
    ...     axis=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1], np.int8), np.array([2, 3], np.int8)])
    [array([1, 2, 3], dtype=int8)]
    """
    input_tensors: tuple[TensorDesc, ...]
    output_tensor: TensorDesc
    axis: int

    def __init__(
        self,
        input_tensors: Sequence[TensorDesc],
        output_tensor: TensorDesc,
        axis: int,
    ) -> None: ...

class ReduceOperatorDesc(OperatorDesc):
    """Output = a function of the input's elements along some axes.

    Parameters
    ----------
    function : ReduceFunction
        How elements become one.
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. Its data type depends on the function.
    output_tensor : TensorDesc
        The output. Its data type depends on the function.
    axes : tuple[int, ...]
        The axes, from 0, each once.

    Notes
    -----
    ARGMAX, ARGMIN: the number of the first largest or smallest element, counted in row-major order
    of the axes. MAX, MIN: a NaN wins, and +0 is larger than -0. SUM, MULTIPLY, AVERAGE (sum /
    count), L1 (sum of magnitudes), SUM_SQUARE, L2 (square root of that): integers wrap. LOG_SUM,
    LOG_SUM_EXP: computed in FLOAT64, rounded once; the largest exponent is taken out first, so that
    nothing overflows.
    Float sums are NumPy's pairwise ones over the elements in row-major order of the axes, whatever
    the strides; products are taken one after the other.

    References
    ----------
    DirectML: DML_REDUCE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ReduceOperatorDesc(
    ...     function=ReduceFunction.SUM,
    ...     input_tensor=TensorDesc(np.float32, [2, 3]),
    ...     output_tensor=TensorDesc(np.float32, [2, 1]),
    ...     axes=[1],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2, 3], [4, 5, 6]], np.float32)])
    [array([[ 6.],
           [15.]], dtype=float32)]
    """
    function: ReduceFunction
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]

    def __init__(
        self,
        function: ReduceFunction,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
    ) -> None: ...

class SliceOperatorDesc(OperatorDesc):
    """Output[i] = Input[Offset + i * Stride], in every dimension.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    offsets : tuple[int, ...]
        Where the slice begins, one per dimension.
    sizes : tuple[int, ...]
        The sizes of the output, one per dimension.
    strides : tuple[int, ...]
        The distance between elements that are taken, one per dimension; at least 1.

    Notes
    -----
    Every bit is kept. Nothing outside of the input is read.

    References
    ----------
    DirectML: DML_SLICE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = SliceOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [5]),
    ...     output_tensor=TensorDesc(np.int8, [2]),
    ...     offsets=[1],
    ...     sizes=[2],
    ...     strides=[3],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2, 3, 4], np.int8)])
    [array([1, 4], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
    ) -> None: ...

class Slice1OperatorDesc(OperatorDesc):
    """Output[i] = Input[Start + i * Stride], in every dimension, within a window.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    input_window_offsets : tuple[int, ...]
        Where the window begins, one per dimension.
    input_window_sizes : tuple[int, ...]
        How long the window is, one per dimension; it lies inside the input.
    input_window_strides : tuple[int, ...]
        One per dimension, not 0. With a negative one the window is read from its end backwards.

    Notes
    -----
    The start is the window's first element, or with a negative stride its last one. Every bit is
    kept. The output may have fewer elements than the window has to offer.

    References
    ----------
    DirectML: DML_SLICE1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = Slice1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [5]),
    ...     output_tensor=TensorDesc(np.int8, [2]),
    ...     input_window_offsets=[1],
    ...     input_window_sizes=[4],
    ...     input_window_strides=[-2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2, 3, 4], np.int8)])
    [array([4, 2], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    input_window_offsets: tuple[int, ...]
    input_window_sizes: tuple[int, ...]
    input_window_strides: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        input_window_offsets: Sequence[int],
        input_window_sizes: Sequence[int],
        input_window_strides: Sequence[int],
    ) -> None: ...

class SplitOperatorDesc(OperatorDesc):
    """Outputs = the parts of the input along an axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensors : tuple[TensorDesc, ...]
        The outputs, at least one. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64,
        UINT32, UINT16, UINT8; 1 to 8 dimensions.
    axis : int
        The axis, from 0.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_SPLIT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = SplitOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [3]),
    ...     output_tensors=[TensorDesc(np.int8, [1]), TensorDesc(np.int8, [2])],
    ...     axis=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2, 3], np.int8)])
    [array([1], dtype=int8), array([2, 3], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensors: tuple[TensorDesc, ...]
    axis: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensors: Sequence[TensorDesc],
        axis: int,
    ) -> None: ...

class TileOperatorDesc(OperatorDesc):
    """Output[i] = Input[i modulo the input's size], in every dimension.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.
    repeats : tuple[int, ...]
        How often the input is repeated, one per dimension.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_TILE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = TileOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [2, 2]),
    ...     output_tensor=TensorDesc(np.int8, [2, 4]),
    ...     repeats=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2], [3, 4]], np.int8)])
    [array([[1, 2, 1, 2],
           [3, 4, 3, 4]], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    repeats: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        repeats: Sequence[int],
    ) -> None: ...

class TopKOperatorDesc(OperatorDesc):
    """Outputs = the K largest elements along an axis, the largest first, and their positions.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_value_tensor : TensorDesc
        The elements that were taken. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_index_tensor : TensorDesc
        The positions of the elements that were taken. UINT64, UINT32; 1 to 8 dimensions.
    axis : int
        The axis, from 0.
    k : int
        How many elements are taken.

    Notes
    -----
    INCREASING takes the K smallest instead, the smallest first. Of equals the one with the lower
    position comes first. A NaN is larger than every number, and NaNs are equals; +0 is larger than
    -0 (DirectML does not say; our choice, as in max and min). Every bit is kept. TOP_K takes the
    largest.

    References
    ----------
    DirectML: DML_TOP_K_OPERATOR_DESC.

    Examples
    --------
    >>> desc = TopKOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_value_tensor=TensorDesc(np.float32, [2]),
    ...     output_index_tensor=TensorDesc(np.uint32, [2]),
    ...     axis=0,
    ...     k=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3, 3], np.float32)])
    [array([3., 3.], dtype=float32), array([1, 2], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_value_tensor: TensorDesc
    output_index_tensor: TensorDesc
    axis: int
    k: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_value_tensor: TensorDesc,
        output_index_tensor: TensorDesc,
        axis: int,
        k: int,
    ) -> None: ...

class TopK1OperatorDesc(OperatorDesc):
    """Outputs = the K largest elements along an axis, the largest first, and their positions.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_value_tensor : TensorDesc
        The elements that were taken. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_index_tensor : TensorDesc
        The positions of the elements that were taken. UINT64, UINT32; 1 to 8 dimensions.
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
    -0 (DirectML does not say; our choice, as in max and min). Every bit is kept. TOP_K takes the
    largest.

    References
    ----------
    DirectML: DML_TOP_K1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = TopK1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_value_tensor=TensorDesc(np.float32, [2]),
    ...     output_index_tensor=TensorDesc(np.uint32, [2]),
    ...     axis=0,
    ...     k=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3, 3], np.float32)])
    [array([3., 3.], dtype=float32), array([1, 2], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_value_tensor: TensorDesc
    output_index_tensor: TensorDesc
    axis: int
    k: int
    axis_direction: AxisDirection

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_value_tensor: TensorDesc,
        output_index_tensor: TensorDesc,
        axis: int,
        k: int,
        axis_direction: AxisDirection = ...,
    ) -> None: ...
