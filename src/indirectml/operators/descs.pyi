# Written by `python -m tools.generate`.

from collections.abc import Sequence
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.catalogue.enumerations import IsInfinityMode
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.catalogue.enumerations import RoundingMode
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import DataTypeLike
from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import Scalar
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.fields import ScaleBias

__all__ = [
    "ActivationCeluOperatorDesc",
    "ActivationEluOperatorDesc",
    "ActivationGeluOperatorDesc",
    "ActivationHardmaxOperatorDesc",
    "ActivationHardmax1OperatorDesc",
    "ActivationHardSigmoidOperatorDesc",
    "ActivationHardSwishOperatorDesc",
    "ActivationIdentityOperatorDesc",
    "ActivationLeakyReluOperatorDesc",
    "ActivationLinearOperatorDesc",
    "ActivationLogSoftmaxOperatorDesc",
    "ActivationLogSoftmax1OperatorDesc",
    "ActivationParameterizedReluOperatorDesc",
    "ActivationParametricSoftplusOperatorDesc",
    "ActivationReluOperatorDesc",
    "ActivationScaledEluOperatorDesc",
    "ActivationScaledTanhOperatorDesc",
    "ActivationShrinkOperatorDesc",
    "ActivationSigmoidOperatorDesc",
    "ActivationSoftmaxOperatorDesc",
    "ActivationSoftmax1OperatorDesc",
    "ActivationSoftplusOperatorDesc",
    "ActivationSoftsignOperatorDesc",
    "ActivationSwishOperatorDesc",
    "ActivationTanhOperatorDesc",
    "ActivationThresholdedReluOperatorDesc",
    "CastOperatorDesc",
    "CumulativeProductOperatorDesc",
    "CumulativeSummationOperatorDesc",
    "ElementWiseAbsOperatorDesc",
    "ElementWiseAcosOperatorDesc",
    "ElementWiseAcoshOperatorDesc",
    "ElementWiseAddOperatorDesc",
    "ElementWiseAdd1OperatorDesc",
    "ElementWiseAsinOperatorDesc",
    "ElementWiseAsinhOperatorDesc",
    "ElementWiseAtanOperatorDesc",
    "ElementWiseAtanhOperatorDesc",
    "ElementWiseAtanYxOperatorDesc",
    "ElementWiseBitAndOperatorDesc",
    "ElementWiseBitCountOperatorDesc",
    "ElementWiseBitNotOperatorDesc",
    "ElementWiseBitOrOperatorDesc",
    "ElementWiseBitShiftLeftOperatorDesc",
    "ElementWiseBitShiftRightOperatorDesc",
    "ElementWiseBitXorOperatorDesc",
    "ElementWiseCeilOperatorDesc",
    "ElementWiseClipOperatorDesc",
    "ElementWiseClip1OperatorDesc",
    "ElementWiseConstantPowOperatorDesc",
    "ElementWiseCosOperatorDesc",
    "ElementWiseCoshOperatorDesc",
    "ElementWiseDifferenceSquareOperatorDesc",
    "ElementWiseDivideOperatorDesc",
    "ElementWiseErfOperatorDesc",
    "ElementWiseExpOperatorDesc",
    "ElementWiseFloorOperatorDesc",
    "ElementWiseIdentityOperatorDesc",
    "ElementWiseIfOperatorDesc",
    "ElementWiseIsInfinityOperatorDesc",
    "ElementWiseIsNanOperatorDesc",
    "ElementWiseLogOperatorDesc",
    "ElementWiseLogicalAndOperatorDesc",
    "ElementWiseLogicalEqualsOperatorDesc",
    "ElementWiseLogicalGreaterThanOperatorDesc",
    "ElementWiseLogicalGreaterThanOrEqualOperatorDesc",
    "ElementWiseLogicalLessThanOperatorDesc",
    "ElementWiseLogicalLessThanOrEqualOperatorDesc",
    "ElementWiseLogicalNotOperatorDesc",
    "ElementWiseLogicalOrOperatorDesc",
    "ElementWiseLogicalXorOperatorDesc",
    "ElementWiseMaxOperatorDesc",
    "ElementWiseMeanOperatorDesc",
    "ElementWiseMinOperatorDesc",
    "ElementWiseModulusFloorOperatorDesc",
    "ElementWiseModulusTruncateOperatorDesc",
    "ElementWiseMultiplyOperatorDesc",
    "ElementWiseNegateOperatorDesc",
    "ElementWisePowOperatorDesc",
    "ElementWiseRecipOperatorDesc",
    "ElementWiseRoundOperatorDesc",
    "ElementWiseSignOperatorDesc",
    "ElementWiseSinOperatorDesc",
    "ElementWiseSinhOperatorDesc",
    "ElementWiseSqrtOperatorDesc",
    "ElementWiseSubtractOperatorDesc",
    "ElementWiseTanOperatorDesc",
    "ElementWiseTanhOperatorDesc",
    "ElementWiseThresholdOperatorDesc",
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

class ActivationCeluOperatorDesc(OperatorDesc):
    """Output = max(0, Input) + min(0, Alpha * (exp(Input / Alpha) - 1)).

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
    Rounded after each operation. Zero is +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_CELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationCeluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, 3], np.float32)])
    [array([-2.,  3.], dtype=float32)]
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

class ActivationEluOperatorDesc(OperatorDesc):
    """Output = Input, or Alpha * (exp(Input) - 1) below zero.

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
    Rounded after each operation. Both zeros stay; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_ELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationEluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, 3], np.float32)])
    [array([-2.,  3.], dtype=float32)]
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

class ActivationGeluOperatorDesc(OperatorDesc):
    """Output = 0.5 * Input * (1 + erf(Input / sqrt(2))).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Rounded after each operation, from the left; sqrt(2) is rounded to FLOAT32.

    References
    ----------
    DirectML: DML_ACTIVATION_GELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationGeluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 100], np.float32)])
    [array([  0., 100.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationHardmaxOperatorDesc(OperatorDesc):
    """Output = as ACTIVATION_HARDMAX1, along the last axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    The input has at most two dimensions behind leading ones of size 1.

    References
    ----------
    DirectML: DML_ACTIVATION_HARDMAX_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationHardmaxOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3, 3], np.float32)])
    [array([0., 1., 0.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationHardmax1OperatorDesc(OperatorDesc):
    """Output = 1 at the first of the largest elements along the axes, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.

    Notes
    -----
    A NaN is the largest, and +0 is larger than -0.

    References
    ----------
    DirectML: DML_ACTIVATION_HARDMAX1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationHardmax1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     axes=[0],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3, 3], np.float32)])
    [array([0., 1., 0.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
    ) -> None: ...

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

class ActivationHardSwishOperatorDesc(OperatorDesc):
    """Output = Input * max(0, min(1, Alpha * Input + Beta)).

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
    Rounded after each operation.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationHardSwishOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     alpha=0.5,
    ...     beta=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-2, 0, 3], np.float32)])
    [array([-0.,  0.,  3.], dtype=float32)]
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

class ActivationLogSoftmaxOperatorDesc(OperatorDesc):
    """Output = as ACTIVATION_LOG_SOFTMAX1, along the last axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    The input has at most two dimensions behind leading ones of size 1.

    References
    ----------
    DirectML: DML_ACTIVATION_LOG_SOFTMAX_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationLogSoftmaxOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, -np.inf], np.float32)])
    [array([  0., -inf], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationLogSoftmax1OperatorDesc(OperatorDesc):
    """Output = t - log(sum(exp(t))), with t = Input - max(Input), along the axes.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.

    Notes
    -----
    t and exp(t) are FLOAT32; the sum is one of FLOAT64 by rule S16, rounded to FLOAT32 for its
    logarithm, which is correctly rounded; so is the difference.

    References
    ----------
    DirectML: DML_ACTIVATION_LOG_SOFTMAX1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationLogSoftmax1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     axes=[0],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, -np.inf], np.float32)])
    [array([  0., -inf], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
    ) -> None: ...

class ActivationParameterizedReluOperatorDesc(OperatorDesc):
    """Output = Input, or Slope * Input below zero.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.
    slope_tensor : TensorDesc
        The slopes below zero. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8 dimensions.

    Notes
    -----
    Rounded after the multiplication; integers wrap. Both zeros stay; a NaN of the input stays.

    References
    ----------
    DirectML: DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationParameterizedReluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     slope_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32), np.array([0.5, 0.5], np.float32)])
    [array([-0.5,  2. ], dtype=float32)]
    """
    input_tensor: TensorDesc
    slope_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        slope_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationParametricSoftplusOperatorDesc(OperatorDesc):
    """Output = Alpha * log(1 + exp(Beta * Input)).

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
    Rounded after each multiplication; softplus of Beta * Input is correctly rounded, so that
    nothing overflows.

    References
    ----------
    DirectML: DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationParametricSoftplusOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=2,
    ...     beta=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, 100], np.float32)])
    [array([  0., 200.], dtype=float32)]
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

class ActivationScaledEluOperatorDesc(OperatorDesc):
    """Output = Gamma * Input above zero, Gamma * (Alpha * exp(Input) - Alpha) elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    gamma : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each operation. A NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationScaledEluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=2,
    ...     gamma=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, 3], np.float32)])
    [array([-1. ,  1.5], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    alpha: float
    gamma: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        alpha: float = ...,
        gamma: float = ...,
    ) -> None: ...

class ActivationScaledTanhOperatorDesc(OperatorDesc):
    """Output = Alpha * tanh(Beta * Input).

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
    Rounded after each multiplication and after the function.

    References
    ----------
    DirectML: DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationScaledTanhOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     alpha=2,
    ...     beta=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, np.inf], np.float32)])
    [array([0., 2.], dtype=float32)]
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

class ActivationSigmoidOperatorDesc(OperatorDesc):
    """Output = 1 / (1 + exp(-Input)).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Correctly rounded.

    References
    ----------
    DirectML: DML_ACTIVATION_SIGMOID_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationSigmoidOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, np.inf], np.float32)])
    [array([0.5, 1. ], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationSoftmaxOperatorDesc(OperatorDesc):
    """Output = as ACTIVATION_SOFTMAX1, along the last axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    The input has at most two dimensions behind leading ones of size 1.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTMAX_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationSoftmaxOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 0], np.float32)])
    [array([0.5, 0.5], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ActivationSoftmax1OperatorDesc(OperatorDesc):
    """Output = exp(t) / sum(exp(t)), with t = Input - max(Input), along the axes.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.

    Notes
    -----
    t and exp(t) are FLOAT32; the sum is one of FLOAT64 by rule S16; exp(t) * (1 / sum) is computed
    in FLOAT64 and rounded once.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationSoftmax1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     axes=[0],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 0], np.float32)])
    [array([0.5, 0.5], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
    ) -> None: ...

class ActivationSoftplusOperatorDesc(OperatorDesc):
    """Output = log(1 + exp(Steepness * Input)) / Steepness.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    steepness : float
        The steepness. Rounded to FLOAT32.

    Notes
    -----
    Softplus of Steepness * Input is correctly rounded, so that nothing overflows; with a steepness
    other than 1 the product is rounded before it, and the quotient after it.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationSoftplusOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     steepness=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, np.inf], np.float32)])
    [array([ 0., inf], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    steepness: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        steepness: float = ...,
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

class ActivationSwishOperatorDesc(OperatorDesc):
    """Output = Input * sigmoid(SigmoidInputScale * Input).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    sigmoid_input_scale : float
        A factor before the sigmoid. Rounded to FLOAT32.

    Notes
    -----
    Rounded after each operation.

    References
    ----------
    DirectML: DML_ACTIVATION_SWISH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationSwishOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     sigmoid_input_scale=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 100], np.float32)])
    [array([  0., 100.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    sigmoid_input_scale: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        sigmoid_input_scale: float = ...,
    ) -> None: ...

class ActivationTanhOperatorDesc(OperatorDesc):
    """Output = tanh(Input).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Correctly rounded.

    References
    ----------
    DirectML: DML_ACTIVATION_TANH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ActivationTanhOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, np.inf], np.float32)])
    [array([0., 1.], dtype=float32)]
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

class ElementWiseAcosOperatorDesc(OperatorDesc):
    """Output = acos(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The angle in radians from 0 to pi whose cosine it is. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ACOS_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAcosOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -1], np.float32)])
    [array([0.       , 3.1415927], dtype=float32)]
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

class ElementWiseAcoshOperatorDesc(OperatorDesc):
    """Output = acosh(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The inverse hyperbolic cosine, at least 0; NaN below 1. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAcoshOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1], np.float32)])
    [array([0.], dtype=float32)]
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

class ElementWiseAsinOperatorDesc(OperatorDesc):
    """Output = asin(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The angle in radians from -pi/2 to pi/2 whose sine it is. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ASIN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAsinOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1], np.float32)])
    [array([0.       , 1.5707964], dtype=float32)]
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

class ElementWiseAsinhOperatorDesc(OperatorDesc):
    """Output = asinh(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The inverse hyperbolic sine. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ASINH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAsinhOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0], np.float32)])
    [array([0.], dtype=float32)]
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

class ElementWiseAtanOperatorDesc(OperatorDesc):
    """Output = atan(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The angle in radians from -pi/2 to pi/2 whose tangent it is. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ATAN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAtanOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, np.inf], np.float32)])
    [array([0.       , 1.5707964], dtype=float32)]
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

class ElementWiseAtanhOperatorDesc(OperatorDesc):
    """Output = atanh(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The inverse hyperbolic tangent; NaN beyond -1 and 1. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ATANH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAtanhOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1], np.float32)])
    [array([ 0., inf], dtype=float32)]
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

class ElementWiseAtanYxOperatorDesc(OperatorDesc):
    """Output = the angle of the point (B, A) in radians, from -pi to pi.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Correctly rounded. Zeros and infinities as in IEEE 754-2019, 9.2.1, atan2(A, B).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseAtanYxOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 0], np.float32), np.array([1, 0, -1], np.float32)])
    [array([0.       , 1.5707964, 3.1415927], dtype=float32)]
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

class ElementWiseBitAndOperatorDesc(OperatorDesc):
    """Output = A & B, bit by bit, whatever the data type.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitAndOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1]),
    ...     b_tensor=TensorDesc(np.uint8, [1]),
    ...     output_tensor=TensorDesc(np.uint8, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([12], np.uint8), np.array([10], np.uint8)])
    [array([8], dtype=uint8)]
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

class ElementWiseBitCountOperatorDesc(OperatorDesc):
    """Output = how many bits of Input are 1, whatever the data type.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitCountOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([  0,   7, 255], np.uint8)])
    [array([0, 3, 8], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseBitNotOperatorDesc(OperatorDesc):
    """Output = every bit of Input the other way round, whatever the data type.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitNotOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [1]),
    ...     output_tensor=TensorDesc(np.uint8, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([15], np.uint8)])
    [array([240], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseBitOrOperatorDesc(OperatorDesc):
    """Output = A | B, bit by bit, whatever the data type.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitOrOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1]),
    ...     b_tensor=TensorDesc(np.uint8, [1]),
    ...     output_tensor=TensorDesc(np.uint8, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([12], np.uint8), np.array([10], np.uint8)])
    [array([14], dtype=uint8)]
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

class ElementWiseBitShiftLeftOperatorDesc(OperatorDesc):
    """Output = A shifted left by B bits.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    What is shifted out is lost. A shift by as many bits as there are, or more, gives 0 (our choice;
    DirectML does not say).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitShiftLeftOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [2]),
    ...     b_tensor=TensorDesc(np.uint8, [2]),
    ...     output_tensor=TensorDesc(np.uint8, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([3, 3], np.uint8), np.array([1, 8], np.uint8)])
    [array([6, 0], dtype=uint8)]
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

class ElementWiseBitShiftRightOperatorDesc(OperatorDesc):
    """Output = A shifted right by B bits, with zeros coming in.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.

    Notes
    -----
    A shift by as many bits as there are, or more, gives 0 (our choice; DirectML does not say).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitShiftRightOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [2]),
    ...     b_tensor=TensorDesc(np.uint8, [2]),
    ...     output_tensor=TensorDesc(np.uint8, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([6, 6], np.uint8), np.array([1, 8], np.uint8)])
    [array([3, 0], dtype=uint8)]
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

class ElementWiseBitXorOperatorDesc(OperatorDesc):
    """Output = A ^ B, bit by bit, whatever the data type.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseBitXorOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1]),
    ...     b_tensor=TensorDesc(np.uint8, [1]),
    ...     output_tensor=TensorDesc(np.uint8, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([12], np.uint8), np.array([10], np.uint8)])
    [array([6], dtype=uint8)]
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

class ElementWiseCeilOperatorDesc(OperatorDesc):
    """Output = the smallest whole number that is not below Input * Scale + Bias.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. What lies between -1 and 0 gives -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CEIL_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseCeilOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1.25, -1.25], np.float32)])
    [array([ 2., -1.], dtype=float32)]
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

class ElementWiseConstantPowOperatorDesc(OperatorDesc):
    """Output = (Input * Scale + Bias) ^ Exponent.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.
    exponent : float
        The exponent. Rounded to FLOAT32.

    Notes
    -----
    Correctly rounded. Special values as in IEEE 754-2019, 9.2.1, pow.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseConstantPowOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     exponent=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([3, -4], np.float32)])
    [array([ 9., 16.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None
    exponent: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        exponent: float,
        *,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
    ) -> None: ...

class ElementWiseCosOperatorDesc(OperatorDesc):
    """Output = cos(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The cosine of radians. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_COS_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseCosOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0], np.float32)])
    [array([1.], dtype=float32)]
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

class ElementWiseCoshOperatorDesc(OperatorDesc):
    """Output = cosh(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The hyperbolic cosine. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_COSH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseCoshOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0], np.float32)])
    [array([1.], dtype=float32)]
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

class ElementWiseDifferenceSquareOperatorDesc(OperatorDesc):
    """Output = (A - B) * (A - B).

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded after the subtraction and after the multiplication; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseDifferenceSquareOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32), np.array([3, 5], np.float32)])
    [array([4., 9.], dtype=float32)]
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

class ElementWiseErfOperatorDesc(OperatorDesc):
    """Output = erf(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The error function. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ERF_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseErfOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, np.inf], np.float32)])
    [array([0., 1.], dtype=float32)]
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

class ElementWiseExpOperatorDesc(OperatorDesc):
    """Output = exp(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    e to that power. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_EXP_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseExpOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1], np.float32)])
    [array([1.       , 2.7182817], dtype=float32)]
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

class ElementWiseFloorOperatorDesc(OperatorDesc):
    """Output = the largest whole number that is not above Input * Scale + Bias.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. -0 stays -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseFloorOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1.25, -1.25], np.float32)])
    [array([ 1., -2.], dtype=float32)]
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

class ElementWiseIfOperatorDesc(OperatorDesc):
    """Output = A where the condition is not zero, B elsewhere.

    Parameters
    ----------
    condition_tensor : TensorDesc
        Zero chooses B, anything else A. UINT8; 1 to 8 dimensions.
    a_tensor : TensorDesc
        The first operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IF_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseIfOperatorDesc(
    ...     condition_tensor=TensorDesc(np.uint8, [2]),
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 0], np.uint8), np.array([1, 2], np.float32), np.array([3, 4], np.float32)])
    [array([1., 4.], dtype=float32)]
    """
    condition_tensor: TensorDesc
    a_tensor: TensorDesc
    b_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        condition_tensor: TensorDesc,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseIsInfinityOperatorDesc(OperatorDesc):
    """Output = 1 where Input is an infinity of the sign that the mode asks for, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT8; 1 to 8 dimensions.
    infinity_mode : IsInfinityMode
        Which infinities count.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseIsInfinityOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ...     infinity_mode=IsInfinityMode.NEGATIVE,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, np.inf, 1], np.float32)])
    [array([1, 0, 0], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    infinity_mode: IsInfinityMode

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        infinity_mode: IsInfinityMode = ...,
    ) -> None: ...

class ElementWiseIsNanOperatorDesc(OperatorDesc):
    """Output = 1 where Input is a NaN, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseIsNanOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.uint8, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, np.nan], np.float32)])
    [array([0, 1], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseLogOperatorDesc(OperatorDesc):
    """Output = log(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The natural logarithm; NaN below 0, and -infinity at zeros. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOG_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 0], np.float32)])
    [array([  0., -inf], dtype=float32)]
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

class ElementWiseLogicalAndOperatorDesc(OperatorDesc):
    """Output = 1 where both are not zero, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. UINT32, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. UINT32, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalAndOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [3]),
    ...     b_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2], np.uint8), np.array([1, 0, 4], np.uint8)])
    [array([0, 0, 1], dtype=uint8)]
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

class ElementWiseLogicalEqualsOperatorDesc(OperatorDesc):
    """Output = 1 where A equals B, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalEqualsOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
    [array([0, 1, 0], dtype=uint8)]
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

class ElementWiseLogicalGreaterThanOperatorDesc(OperatorDesc):
    """Output = 1 where A is greater than B, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalGreaterThanOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
    [array([0, 0, 0], dtype=uint8)]
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

class ElementWiseLogicalGreaterThanOrEqualOperatorDesc(OperatorDesc):
    """Output = 1 where A is greater than or equal to B, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalGreaterThanOrEqualOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
    [array([0, 1, 0], dtype=uint8)]
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

class ElementWiseLogicalLessThanOperatorDesc(OperatorDesc):
    """Output = 1 where A is less than B, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalLessThanOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
    [array([1, 0, 0], dtype=uint8)]
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

class ElementWiseLogicalLessThanOrEqualOperatorDesc(OperatorDesc):
    """Output = 1 where A is less than or equal to B, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    Notes
    -----
    Zeros of both signs are equal; a NaN is neither equal to, nor less or greater than anything.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalLessThanOrEqualOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
    [array([1, 1, 0], dtype=uint8)]
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

class ElementWiseLogicalNotOperatorDesc(OperatorDesc):
    """Output = 1 where Input is zero, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. UINT32, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalNotOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2], np.uint8)])
    [array([1, 0, 0], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseLogicalOrOperatorDesc(OperatorDesc):
    """Output = 1 where at least one is not zero, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. UINT32, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. UINT32, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalOrOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [3]),
    ...     b_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 0], np.uint8), np.array([0, 0, 4], np.uint8)])
    [array([0, 1, 1], dtype=uint8)]
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

class ElementWiseLogicalXorOperatorDesc(OperatorDesc):
    """Output = 1 where one of both is not zero, 0 elsewhere.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. UINT32, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. UINT32, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32, UINT8; 1 to 8 dimensions.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseLogicalXorOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [3]),
    ...     b_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2], np.uint8), np.array([1, 0, 4], np.uint8)])
    [array([1, 1, 0], dtype=uint8)]
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

class ElementWiseMaxOperatorDesc(OperatorDesc):
    """Output = the larger of A and B.

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
    A NaN wins, and +0 is larger than -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MAX_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseMaxOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0, np.nan], np.float32), np.array([2, 0, 1], np.float32)])
    [array([ 2.,  0., nan], dtype=float32)]
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

class ElementWiseMeanOperatorDesc(OperatorDesc):
    """Output = (A + B) / 2.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, UINT32; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded after the addition and after the division, so that a sum that overflows is
    infinite. Of integers the sum wraps, and the half goes towards zero (our choice; DirectML does
    not say).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MEAN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseMeanOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [2]),
    ...     b_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.float32), np.array([2, 4], np.float32)])
    [array([1.5, 3. ], dtype=float32)]
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

class ElementWiseMinOperatorDesc(OperatorDesc):
    """Output = the smaller of A and B.

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
    A NaN wins, and -0 is smaller than +0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MIN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseMinOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 0, np.nan], np.float32), np.array([2, -0, 1], np.float32)])
    [array([ 1., -0., nan], dtype=float32)]
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

class ElementWiseNegateOperatorDesc(OperatorDesc):
    """Output = -Input.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to
        8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to 8 dimensions.

    Notes
    -----
    Exact; the smallest integer stays as it is.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseNegateOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-3, 2], np.float32)])
    [array([ 3., -2.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWisePowOperatorDesc(OperatorDesc):
    """Output = (Input * Scale + Bias) ^ Exponent.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    exponent_tensor : TensorDesc
        The exponents. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8
        dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Of floats correctly rounded, special values as in IEEE 754-2019, 9.2.1, pow. Of integers modulo
    2^bits; a negative exponent truncates towards zero, and 0 to a negative exponent is 0. Where one
    of both is an integer and the other a float (DirectML does not say how; our choice), the integer
    is rounded to FLOAT32; a result for integers goes towards zero and stays within the data type.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_POW_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWisePowOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     exponent_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([3, 2], np.float32), np.array([2, -1], np.float32)])
    [array([9. , 0.5], dtype=float32)]
    """
    input_tensor: TensorDesc
    exponent_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        exponent_tensor: TensorDesc,
        output_tensor: TensorDesc,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
    ) -> None: ...

class ElementWiseRecipOperatorDesc(OperatorDesc):
    """Output = recip(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The reciprocal; infinite at zeros, with their sign. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_RECIP_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseRecipOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([2, -0], np.float32)])
    [array([ 0.5, -inf], dtype=float32)]
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

class ElementWiseRoundOperatorDesc(OperatorDesc):
    """Output = Input as a whole number.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    rounding_mode : RoundingMode
        To which whole number is rounded.

    Notes
    -----
    HALVES_TO_NEAREST_EVEN: the nearest, of two the even one. TOWARD_ZERO: the nearest that is not
    larger in magnitude. TOWARD_INFINITY: the nearest, of two the one with the larger magnitude. A
    zero has the sign of the input.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ROUND_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseRoundOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     rounding_mode=RoundingMode.TOWARD_INFINITY,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([2.5, -1.25], np.float32)])
    [array([ 3., -1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    rounding_mode: RoundingMode

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        rounding_mode: RoundingMode = ...,
    ) -> None: ...

class ElementWiseSignOperatorDesc(OperatorDesc):
    """Output = -1, 0 or 1, with the sign of Input.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to
        8 dimensions.

    Notes
    -----
    A zero of either sign gives +0; a NaN stays.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SIGN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseSignOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-3, 0, 2], np.float32)])
    [array([-1.,  0.,  1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class ElementWiseSinOperatorDesc(OperatorDesc):
    """Output = sin(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The sine of radians. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SIN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseSinOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0], np.float32)])
    [array([0.], dtype=float32)]
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

class ElementWiseSinhOperatorDesc(OperatorDesc):
    """Output = sinh(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The hyperbolic sine. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SINH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseSinhOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0], np.float32)])
    [array([0.], dtype=float32)]
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

class ElementWiseSqrtOperatorDesc(OperatorDesc):
    """Output = sqrt(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The square root; NaN below 0, and -0 at -0. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SQRT_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseSqrtOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([4, 2], np.float32)])
    [array([2.       , 1.4142135], dtype=float32)]
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

class ElementWiseTanOperatorDesc(OperatorDesc):
    """Output = tan(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The tangent of radians. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_TAN_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseTanOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0], np.float32)])
    [array([0.], dtype=float32)]
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

class ElementWiseTanhOperatorDesc(OperatorDesc):
    """Output = tanh(Input * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    The hyperbolic tangent. Correctly rounded.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_TANH_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseTanhOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, np.inf], np.float32)])
    [array([0., 1.], dtype=float32)]
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

class ElementWiseThresholdOperatorDesc(OperatorDesc):
    """Output = max(Input * Scale + Bias, Min).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    scale_bias : ScaleBias, optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.
    min : float
        The lower limit.

    Notes
    -----
    A NaN of the input stays, and so does a zero that equals the limit, with its sign. For integers
    a fraction counts as the next higher integer (our choice; DirectML does not say), and a limit
    beyond the data type is its end.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC.

    Examples
    --------
    >>> desc = ElementWiseThresholdOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     min=-1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-2, 0], np.float32)])
    [array([-1.,  0.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None
    min: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        min: float,
        *,
        scale_bias: ScaleBias | tuple[float, float] | None = ...,
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
