# Written by `python -m tools.generate`.

from collections.abc import Sequence
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.catalogue.enumerations import ConvolutionDirection
from indirectml.catalogue.enumerations import ConvolutionMode
from indirectml.catalogue.enumerations import DepthSpaceOrder
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
from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import Scalar
from indirectml.core.scalars import ScalarUnion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.fields import ScaleBias
from indirectml.descriptors.fields import Size2D

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
    "ActivationReluGradOperatorDesc",
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
    "AdamOptimizerOperatorDesc",
    "ArgmaxOperatorDesc",
    "ArgminOperatorDesc",
    "AveragePoolingOperatorDesc",
    "AveragePooling1OperatorDesc",
    "AveragePoolingGradOperatorDesc",
    "BatchNormalizationOperatorDesc",
    "BatchNormalizationGradOperatorDesc",
    "BatchNormalizationTrainingOperatorDesc",
    "BatchNormalizationTrainingGradOperatorDesc",
    "CastOperatorDesc",
    "ConvolutionOperatorDesc",
    "ConvolutionIntegerOperatorDesc",
    "CumulativeProductOperatorDesc",
    "CumulativeSummationOperatorDesc",
    "DepthToSpaceOperatorDesc",
    "DepthToSpace1OperatorDesc",
    "DequantizeOperatorDesc",
    "DiagonalMatrixOperatorDesc",
    "DiagonalMatrix1OperatorDesc",
    "DynamicQuantizeLinearOperatorDesc",
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
    "ElementWiseClipGradOperatorDesc",
    "ElementWiseClipGrad1OperatorDesc",
    "ElementWiseConstantPowOperatorDesc",
    "ElementWiseCosOperatorDesc",
    "ElementWiseCoshOperatorDesc",
    "ElementWiseDequantizeLinearOperatorDesc",
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
    "ElementWiseQuantizedLinearAddOperatorDesc",
    "ElementWiseQuantizeLinearOperatorDesc",
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
    "FoldOperatorDesc",
    "GatherOperatorDesc",
    "GatherElementsOperatorDesc",
    "GatherNdOperatorDesc",
    "GatherNd1OperatorDesc",
    "GemmOperatorDesc",
    "GruOperatorDesc",
    "JoinOperatorDesc",
    "LocalResponseNormalizationOperatorDesc",
    "LocalResponseNormalizationGradOperatorDesc",
    "LpNormalizationOperatorDesc",
    "LpPoolingOperatorDesc",
    "LpPooling1OperatorDesc",
    "LstmOperatorDesc",
    "MatrixMultiplyIntegerOperatorDesc",
    "MatrixMultiplyIntegerToFloatOperatorDesc",
    "MaxPoolingOperatorDesc",
    "MaxPooling1OperatorDesc",
    "MaxPooling2OperatorDesc",
    "MaxPoolingGradOperatorDesc",
    "MaxUnpoolingOperatorDesc",
    "MeanVarianceNormalizationOperatorDesc",
    "MeanVarianceNormalization1OperatorDesc",
    "MeanVarianceNormalization2OperatorDesc",
    "MultiheadAttentionOperatorDesc",
    "MultiheadAttention1OperatorDesc",
    "NonzeroCoordinatesOperatorDesc",
    "OneHotOperatorDesc",
    "PaddingOperatorDesc",
    "Padding1OperatorDesc",
    "QuantizeOperatorDesc",
    "QuantizedLinearAveragePoolingOperatorDesc",
    "QuantizedLinearConvolutionOperatorDesc",
    "QuantizedLinearMatrixMultiplyOperatorDesc",
    "RandomGeneratorOperatorDesc",
    "ReduceOperatorDesc",
    "ResampleOperatorDesc",
    "Resample1OperatorDesc",
    "Resample2OperatorDesc",
    "Resample3OperatorDesc",
    "ResampleGradOperatorDesc",
    "ResampleGrad1OperatorDesc",
    "ReverseSubsequencesOperatorDesc",
    "RnnOperatorDesc",
    "RoiAlignOperatorDesc",
    "RoiAlign1OperatorDesc",
    "RoiAlignGradOperatorDesc",
    "RoiPoolingOperatorDesc",
    "ScatterOperatorDesc",
    "ScatterNdOperatorDesc",
    "SliceOperatorDesc",
    "Slice1OperatorDesc",
    "SliceGradOperatorDesc",
    "SpaceToDepthOperatorDesc",
    "SpaceToDepth1OperatorDesc",
    "SplitOperatorDesc",
    "TileOperatorDesc",
    "TopKOperatorDesc",
    "TopK1OperatorDesc",
    "UnfoldOperatorDesc",
    "Upsample2DOperatorDesc",
    "ValueScale2DOperatorDesc",
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
    Rounded after each operation; exp(Input / Alpha) - 1 is one function, correctly rounded. Zero is
    +0; a NaN stays.

    Our choice: as for ACTIVATION_ELU, nothing is lost near 0.

    References
    ----------
    DirectML: DML_ACTIVATION_CELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> desc = ActivationCeluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     alpha=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, -9.99999993922529e-09, 3], np.float32)])
    [array([-2.e+00, -1.e-08,  3.e+00], dtype=float32)]
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
    exp(Input) - 1 is one function, correctly rounded; the product is rounded after it. Both zeros
    stay; a NaN stays.

    Our choice: that nothing is lost near 0, where exp(Input), rounded by itself, is 1.

    References
    ----------
    DirectML: DML_ACTIVATION_ELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 290b21b0f5.

    Examples
    --------
    >>> desc = ActivationEluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     alpha=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, -9.99999993922529e-09, 3], np.float32)])
    [array([-2.e+00, -2.e-08,  3.e+00], dtype=float32)]
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
    One function, correctly rounded.

    Our choice: -infinity gives -0, which the results before it come near to; step by step it would
    be infinity times 0.

    References
    ----------
    DirectML: DML_ACTIVATION_GELU_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = ActivationGeluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, 0, 100], np.float32)])
    [array([ -0.,   0., 100.], dtype=float32)]
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
    DirectML: DML_ACTIVATION_HARDMAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

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
    DirectML: DML_ACTIVATION_HARDMAX1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

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
    DirectML: DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC; MicrosoftDocs/sdk-api at f4acb9bc5d.

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

    The page errs: it lets the output lie on the input, and DirectML's own schema does not, which
    decides.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

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
    DirectML: DML_ACTIVATION_IDENTITY_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0dbacd0650.

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
    Rounded after the multiplication. Both zeros stay; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

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
    DirectML: DML_ACTIVATION_LINEAR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

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
    DirectML: DML_ACTIVATION_LOG_SOFTMAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

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
    DirectML: DML_ACTIVATION_LOG_SOFTMAX1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

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
    DirectML: DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at a28e08e717.

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
    DirectML: DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea9cf3ce19.

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
    Exact. Both zeros give +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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

class ActivationReluGradOperatorDesc(OperatorDesc):
    """OutputGradient = InputGradient where Input is above 0, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16, INT32, INT16, INT8; 1
        to 8 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16, INT32, INT16, INT8; 1
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
    >>> desc = ActivationReluGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 2], np.float32), np.array([5, 6], np.float32)])
    [array([0., 6.], dtype=float32)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
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
    Alpha * (exp(Input) - 1), of which exp(Input) - 1 is one function, correctly rounded; rounded
    after each multiplication. A NaN stays.

    Our choice: as for ACTIVATION_ELU, nothing is lost near 0.

    References
    ----------
    DirectML: DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2db4b02040.

    Examples
    --------
    >>> desc = ActivationScaledEluOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     alpha=2,
    ...     gamma=0.5,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-np.inf, -9.99999993922529e-09, 3], np.float32)])
    [array([-1.0e+00, -1.0e-08,  1.5e+00], dtype=float32)]
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
    DirectML: DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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

    The page errs: its history names feature level 2_1 and has no table for it; the last table holds
    on.

    References
    ----------
    DirectML: DML_ACTIVATION_SHRINK_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    DirectML: DML_ACTIVATION_SIGMOID_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    DirectML: DML_ACTIVATION_SOFTMAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

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
    DirectML: DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

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
    DirectML: DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    DirectML: DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 705a7eaab8.

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

    The page errs: it lets the output lie on the input, and DirectML's own schema does not, which
    decides.

    References
    ----------
    DirectML: DML_ACTIVATION_SWISH_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

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
    DirectML: DML_ACTIVATION_TANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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
    DirectML: DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

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

class AdamOptimizerOperatorDesc(OperatorDesc):
    """Outputs = the parameters after a step of Adam, and its moments.

    Parameters
    ----------
    input_parameters_tensor : TensorDesc
        The parameters before the step. FLOAT32, FLOAT16; 4 dimensions.
    input_first_moment_tensor : TensorDesc
        The first moments before the step. FLOAT32, FLOAT16; 4 dimensions.
    input_second_moment_tensor : TensorDesc
        The second moments before the step. FLOAT32, FLOAT16; 4 dimensions.
    gradient_tensor : TensorDesc
        The gradient of the parameters. FLOAT32, FLOAT16; 4 dimensions.
    training_step_tensor : TensorDesc
        The number of the step, from 0. FLOAT32, FLOAT16; 4 dimensions.
    output_parameters_tensor : TensorDesc
        The parameters after the step. FLOAT32, FLOAT16; 4 dimensions.
    output_first_moment_tensor : TensorDesc
        The first moments after the step. FLOAT32, FLOAT16; 4 dimensions.
    output_second_moment_tensor : TensorDesc
        The second moments after the step. FLOAT32, FLOAT16; 4 dimensions.
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
    >>> desc = AdamOptimizerOperatorDesc(
    ...     input_parameters_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     input_first_moment_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     input_second_moment_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     training_step_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_parameters_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_first_moment_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_second_moment_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     learning_rate=1,
    ...     beta1=0.5,
    ...     beta2=0,
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[5]]]], np.float32), np.array([[[[0]]]], np.float32), np.array([[[[0]]]], np.float32), np.array([[[[2]]]], np.float32), np.array([[[[1]]]], np.float32)])
    [array([[[[4.]]]], dtype=float32), array([[[[1.]]]], dtype=float32), array([[[[4.]]]], dtype=float32)]
    """
    input_parameters_tensor: TensorDesc
    input_first_moment_tensor: TensorDesc
    input_second_moment_tensor: TensorDesc
    gradient_tensor: TensorDesc
    training_step_tensor: TensorDesc
    output_parameters_tensor: TensorDesc
    output_first_moment_tensor: TensorDesc
    output_second_moment_tensor: TensorDesc
    learning_rate: float
    beta1: float
    beta2: float
    epsilon: float

    def __init__(
        self,
        input_parameters_tensor: TensorDesc,
        input_first_moment_tensor: TensorDesc,
        input_second_moment_tensor: TensorDesc,
        gradient_tensor: TensorDesc,
        training_step_tensor: TensorDesc,
        output_parameters_tensor: TensorDesc,
        output_first_moment_tensor: TensorDesc,
        output_second_moment_tensor: TensorDesc,
        learning_rate: float,
        beta1: float,
        beta2: float,
        epsilon: float,
    ) -> None: ...

class ArgmaxOperatorDesc(OperatorDesc):
    """Output = the number of the largest element along some axes.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.

    Notes
    -----
    Elements are numbered row-major over the axes in ascending order. A NaN is the largest, and +0
    is larger than -0; of equals it is the first, or with DECREASING the last.

    References
    ----------
    DirectML: DML_ARGMAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> desc = ArgmaxOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint32, [1]),
    ...     axes=[0],
    ...     axis_direction=AxisDirection.INCREASING,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3, 3], np.float32)])
    [array([1], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]
    axis_direction: AxisDirection

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
        axis_direction: AxisDirection = ...,
    ) -> None: ...

class ArgminOperatorDesc(OperatorDesc):
    """Output = the number of the smallest element along some axes.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.

    Notes
    -----
    As ARGMAX; a NaN is the smallest.

    References
    ----------
    DirectML: DML_ARGMIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 8f2547f96c.

    Examples
    --------
    >>> desc = ArgminOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint32, [1]),
    ...     axes=[0],
    ...     axis_direction=AxisDirection.DECREASING,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3, 1], np.float32)])
    [array([2], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axes: tuple[int, ...]
    axis_direction: AxisDirection

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
        axis_direction: AxisDirection = ...,
    ) -> None: ...

class AveragePoolingOperatorDesc(OperatorDesc):
    """Output = the sum of a window's elements over their count.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    include_padding : bool
        Whether padding counts as elements.

    Notes
    -----
    The sum is one of FLOAT64 by rule S16 over the positions of the window, padding counted; it is
    divided in FLOAT64 by the number of positions inside of the input, or with IncludePadding of
    all, and rounded once. A window without an element gives NaN.

    The page errs: that of AVERAGE_POOLING1 leaves dilations out of the output's sizes;
    MAX_POOLING2, where they count, decides.

    References
    ----------
    DirectML: DML_AVERAGE_POOLING_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0dbacd0650.

    Examples
    --------
    >>> desc = AveragePoolingOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2, 4]]]], np.float32)])
    [array([[[[1.5, 3. ]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    include_padding: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        include_padding: bool = ...,
    ) -> None: ...

class AveragePooling1OperatorDesc(OperatorDesc):
    """Output = the sum of a window's elements over their count.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    include_padding : bool
        Whether padding counts as elements.

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
    >>> desc = AveragePooling1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2, 4]]]], np.float32)])
    [array([[[[1.5, 3. ]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    dilations: tuple[int, ...]
    include_padding: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        include_padding: bool = ...,
    ) -> None: ...

class AveragePoolingGradOperatorDesc(OperatorDesc):
    """OutputGradient = what comes back from AVERAGE_POOLING to each element.

    Parameters
    ----------
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
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
    >>> desc = AveragePoolingGradOperatorDesc(
    ...     input_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ...     start_padding=[0, 0],
    ...     end_padding=[0, 0],
    ...     include_padding=False,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[2, 4]]]], np.float32)])
    [array([[[[1., 3., 2.]]]], dtype=float32)]
    """
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    include_padding: bool

    def __init__(
        self,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        include_padding: bool = ...,
    ) -> None: ...

class BatchNormalizationOperatorDesc(OperatorDesc):
    """Output = Activation(Scale * ((Input - Mean) / sqrt(Variance + Epsilon)) + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    mean_tensor : TensorDesc
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    variance_tensor : TensorDesc
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_tensor : TensorDesc
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    bias_tensor : TensorDesc
        What is added. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
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
    >>> desc = BatchNormalizationOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 2]),
    ...     mean_tensor=TensorDesc(np.float32, [1, 2]),
    ...     variance_tensor=TensorDesc(np.float32, [1, 2]),
    ...     scale_tensor=TensorDesc(np.float32, [1, 2]),
    ...     bias_tensor=TensorDesc(np.float32, [1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 2]),
    ...     spatial=True,
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[3, 5]], np.float32), np.array([[1, 1]], np.float32), np.array([[4, 4]], np.float32), np.array([[2, 2]], np.float32), np.array([[0, 1]], np.float32)])
    [array([[2., 5.]], dtype=float32)]
    """
    input_tensor: TensorDesc
    mean_tensor: TensorDesc
    variance_tensor: TensorDesc
    scale_tensor: TensorDesc
    bias_tensor: TensorDesc
    output_tensor: TensorDesc
    spatial: bool
    epsilon: float
    fused_activation: FusedActivation | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        mean_tensor: TensorDesc,
        variance_tensor: TensorDesc,
        scale_tensor: TensorDesc,
        bias_tensor: TensorDesc,
        output_tensor: TensorDesc,
        spatial: bool = ...,
        epsilon: float = ...,
        fused_activation: FusedActivation | None = ...,
    ) -> None: ...

class BatchNormalizationGradOperatorDesc(OperatorDesc):
    """Outputs = the gradients of BATCH_NORMALIZATION by input, scale and bias.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 1 to 8 dimensions.
    mean_tensor : TensorDesc
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    variance_tensor : TensorDesc
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_tensor : TensorDesc
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_scale_gradient_tensor : TensorDesc
        The gradient of the scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_bias_gradient_tensor : TensorDesc
        The gradient of the bias. FLOAT32, FLOAT16; 1 to 8 dimensions.
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
    >>> desc = BatchNormalizationGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     mean_tensor=TensorDesc(np.float32, [1]),
    ...     variance_tensor=TensorDesc(np.float32, [1]),
    ...     scale_tensor=TensorDesc(np.float32, [1]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     output_scale_gradient_tensor=TensorDesc(np.float32, [1]),
    ...     output_bias_gradient_tensor=TensorDesc(np.float32, [1]),
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3], np.float32), np.array([2, 4], np.float32), np.array([1], np.float32), np.array([4], np.float32), np.array([6], np.float32)])
    [array([ 6., 12.], dtype=float32), array([4.], dtype=float32), array([6.], dtype=float32)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    mean_tensor: TensorDesc
    variance_tensor: TensorDesc
    scale_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    output_scale_gradient_tensor: TensorDesc
    output_bias_gradient_tensor: TensorDesc
    epsilon: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        mean_tensor: TensorDesc,
        variance_tensor: TensorDesc,
        scale_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        output_scale_gradient_tensor: TensorDesc,
        output_bias_gradient_tensor: TensorDesc,
        epsilon: float = ...,
    ) -> None: ...

class BatchNormalizationTrainingOperatorDesc(OperatorDesc):
    """Outputs = the input normalized by its own moments, its mean, and its variance.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_tensor : TensorDesc
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    bias_tensor : TensorDesc
        What is added. FLOAT32, FLOAT16; 1 to 8 dimensions.
    fused_add_tensor : TensorDesc, optional
        Added to the result. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_mean_tensor : TensorDesc
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_variance_tensor : TensorDesc
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
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
    >>> desc = BatchNormalizationTrainingOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     scale_tensor=TensorDesc(np.float32, [1]),
    ...     bias_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     output_mean_tensor=TensorDesc(np.float32, [1]),
    ...     output_variance_tensor=TensorDesc(np.float32, [1]),
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3], np.float32), np.array([2], np.float32), np.array([1], np.float32), None])
    [array([-1.,  3.], dtype=float32), array([2.], dtype=float32), array([1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    scale_tensor: TensorDesc
    bias_tensor: TensorDesc
    fused_add_tensor: TensorDesc | None
    output_tensor: TensorDesc
    output_mean_tensor: TensorDesc
    output_variance_tensor: TensorDesc
    epsilon: float
    fused_activation: FusedActivation | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        scale_tensor: TensorDesc,
        bias_tensor: TensorDesc,
        output_tensor: TensorDesc,
        output_mean_tensor: TensorDesc,
        output_variance_tensor: TensorDesc,
        epsilon: float = ...,
        fused_activation: FusedActivation | None = ...,
        *,
        fused_add_tensor: TensorDesc | None = ...,
    ) -> None: ...

class BatchNormalizationTrainingGradOperatorDesc(OperatorDesc):
    """Outputs = the gradients of BATCH_NORMALIZATION_TRAINING by input, scale and bias.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 1 to 8 dimensions.
    mean_tensor : TensorDesc
        The means. FLOAT32, FLOAT16; 1 to 8 dimensions.
    variance_tensor : TensorDesc
        The variances. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_tensor : TensorDesc
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_scale_gradient_tensor : TensorDesc
        The gradient of the scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_bias_gradient_tensor : TensorDesc
        The gradient of the bias. FLOAT32, FLOAT16; 1 to 8 dimensions.
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
    >>> desc = BatchNormalizationTrainingGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     mean_tensor=TensorDesc(np.float32, [1]),
    ...     variance_tensor=TensorDesc(np.float32, [1]),
    ...     scale_tensor=TensorDesc(np.float32, [1]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     output_scale_gradient_tensor=TensorDesc(np.float32, [1]),
    ...     output_bias_gradient_tensor=TensorDesc(np.float32, [1]),
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3], np.float32), np.array([2, 4], np.float32), np.array([2], np.float32), np.array([1], np.float32), np.array([1], np.float32)])
    [array([0., 0.], dtype=float32), array([2.], dtype=float32), array([6.], dtype=float32)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    mean_tensor: TensorDesc
    variance_tensor: TensorDesc
    scale_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    output_scale_gradient_tensor: TensorDesc
    output_bias_gradient_tensor: TensorDesc
    epsilon: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        mean_tensor: TensorDesc,
        variance_tensor: TensorDesc,
        scale_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        output_scale_gradient_tensor: TensorDesc,
        output_bias_gradient_tensor: TensorDesc,
        epsilon: float = ...,
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
    a NaN becomes 0.

    Our choice: floats that do not fit an integer, and NaN as one.

    References
    ----------
    DirectML: DML_CAST_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

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

class ConvolutionOperatorDesc(OperatorDesc):
    """Output = Activation(Input * Filter + Bias): sums of products under a window that slides.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 3 to 5 dimensions.
    filter_tensor : TensorDesc
        The filter: output channels, input channels of a group, spatial dimensions. FLOAT32,
        FLOAT16; 3 to 5 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 3 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 3 to 5 dimensions.
    mode : ConvolutionMode
        Whether the filter is reversed (CONVOLUTION) or not.
    direction : ConvolutionDirection
        Which way it goes; see the notes.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    output_padding : tuple[int, ...]
        How many elements are added behind the output of a backward convolution.
    group_count : int
        Into how many groups the channels are divided.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    FLOAT32, by rule C256 as in GEMM, with k = (channel * rows + row) * columns + column within the
    group, counting filter elements as they are stored, whatever mode and direction. Padding is
    included as zeros (an infinite weight times a padded zero is NaN). CONVOLUTION turns the filter
    round along each spatial dimension, CROSS_CORRELATION does not. BACKWARD is the transposed
    convolution: the gradient of a forward one by its input; the holes of strides are skipped, and a
    skipped tap keeps its k. Then total + Bias, the activation, and one rounding.

    The output has (input + paddings - dilation * (filter - 1) - 1) // stride + 1 + OutputPadding
    elements along a spatial dimension; backwards (input - 1) * stride + dilation * (filter - 1) + 1
    - paddings + OutputPadding.

    References
    ----------
    DirectML: DML_CONVOLUTION_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> desc = ConvolutionOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 3]),
    ...     filter_tensor=TensorDesc(np.float32, [1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[1, 2, 3]]], np.float32), np.array([[[1, 10]]], np.float32), None])
    [array([[[21., 32.]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    filter_tensor: TensorDesc
    bias_tensor: TensorDesc | None
    output_tensor: TensorDesc
    mode: ConvolutionMode
    direction: ConvolutionDirection
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    output_padding: tuple[int, ...]
    group_count: int
    fused_activation: FusedActivation | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        filter_tensor: TensorDesc,
        output_tensor: TensorDesc,
        mode: ConvolutionMode = ...,
        direction: ConvolutionDirection = ...,
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        output_padding: Sequence[int] = ...,
        group_count: int = ...,
        fused_activation: FusedActivation | None = ...,
        *,
        bias_tensor: TensorDesc | None = ...,
    ) -> None: ...

class ConvolutionIntegerOperatorDesc(OperatorDesc):
    """Output = the convolution of Input - InputZeroPoint with Filter - FilterZeroPoint.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. INT8, UINT8; 3 to 4 dimensions.
    input_zero_point_tensor : TensorDesc, optional
        The zero point of the input; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    filter_tensor : TensorDesc
        The filter: output channels, input channels of a group, spatial dimensions. INT8, UINT8; 3
        to 4 dimensions.
    filter_zero_point_tensor : TensorDesc, optional
        The zero point of the filter; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. INT32; 3 to 4 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    group_count : int
        Into how many groups the channels are divided.

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
    >>> desc = ConvolutionIntegerOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [1, 1, 3]),
    ...     input_zero_point_tensor=TensorDesc(np.uint8, [1, 1, 1]),
    ...     filter_tensor=TensorDesc(np.uint8, [1, 1, 2]),
    ...     output_tensor=TensorDesc(np.int32, [1, 1, 2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[1, 2, 3]]], np.uint8), np.array([[[1]]], np.uint8), np.array([[[ 1, 10]]], np.uint8), None])
    [array([[[10, 21]]], dtype=int32)]
    """
    input_tensor: TensorDesc
    input_zero_point_tensor: TensorDesc | None
    filter_tensor: TensorDesc
    filter_zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    group_count: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        filter_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        group_count: int = ...,
        *,
        input_zero_point_tensor: TensorDesc | None = ...,
        filter_zero_point_tensor: TensorDesc | None = ...,
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
    DirectML: DML_CUMULATIVE_PRODUCT_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

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
    DirectML: DML_CUMULATIVE_SUMMATION_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

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

class DepthToSpaceOperatorDesc(OperatorDesc):
    """Output = Input with channels as blocks of pixels: the way back of SPACE_TO_DEPTH1.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 4 dimensions.
    block_size : int
        The width and height of a block, in elements.

    Notes
    -----
    Every bit is kept. DEPTH_TO_SPACE numbers channels by DEPTH_COLUMN_ROW.

    References
    ----------
    DirectML: DML_DEPTH_TO_SPACE_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> desc = DepthToSpaceOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [1, 4, 1, 1]),
    ...     output_tensor=TensorDesc(np.int8, [1, 1, 2, 2]),
    ...     block_size=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1]], [[2]], [[3]], [[4]]]], np.int8)])
    [array([[[[1, 2],
             [3, 4]]]], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    block_size: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        block_size: int,
    ) -> None: ...

class DepthToSpace1OperatorDesc(OperatorDesc):
    """Output = Input with channels as blocks of pixels: the way back of SPACE_TO_DEPTH1.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 4 dimensions.
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
    >>> desc = DepthToSpace1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [1, 4, 1, 1]),
    ...     output_tensor=TensorDesc(np.int8, [1, 1, 2, 2]),
    ...     block_size=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1]], [[2]], [[3]], [[4]]]], np.int8)])
    [array([[[[1, 2],
             [3, 4]]]], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    block_size: int
    order: DepthSpaceOrder

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        block_size: int,
        order: DepthSpaceOrder = ...,
    ) -> None: ...

class DequantizeOperatorDesc(OperatorDesc):
    """Output = (Input - ZeroPoint) * Scale, a scale for each block of elements.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. INT8, INT4, UINT8, UINT4; 1 to 8 dimensions.
    quantization_type : QuantizationType
        Which tensors describe the quantization.
    quantization_tensors : tuple[TensorDesc, ...]
        Scale, and zero point, as the quantization type says. FLOAT32, FLOAT16, INT8, INT4, UINT8,
        UINT4; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    QuantizationTensors as in QUANTIZE, rounding as in ELEMENT_WISE_DEQUANTIZE_LINEAR.

    The page is silent: all of this; ONNX's DequantizeLinear decides, and ONNX Runtime's use of the
    operator.

    References
    ----------
    DirectML: DML_DEQUANTIZE_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = DequantizeOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [4]),
    ...     quantization_type=QuantizationType.SCALE,
    ...     quantization_tensors=[TensorDesc(np.float32, [2])],
    ...     output_tensor=TensorDesc(np.float32, [4]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2, 3, 4], np.int8), np.array([1, 0.5], np.float32)])
    [array([1. , 2. , 1.5, 2. ], dtype=float32)]
    """
    input_tensor: TensorDesc
    quantization_type: QuantizationType
    quantization_tensors: tuple[TensorDesc, ...]
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        quantization_type: QuantizationType,
        quantization_tensors: Sequence[TensorDesc],
        output_tensor: TensorDesc,
    ) -> None: ...

class DiagonalMatrixOperatorDesc(OperatorDesc):
    """Output = Value where the column less the row is Offset, 0 elsewhere, in every matrix.

    Parameters
    ----------
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 2 to 4 dimensions.
    offset : int
        Which diagonal: 0 is the main one, positive ones lie above.
    value : float
        What the diagonal holds. Rounded to FLOAT32.

    Notes
    -----
    The value is FLOAT32, rounded once to the data type of the output; for integers it goes towards
    zero and stays within the data type.

    References
    ----------
    DirectML: DML_DIAGONAL_MATRIX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> desc = DiagonalMatrixOperatorDesc(
    ...     output_tensor=TensorDesc(np.float32, [2, 3]),
    ...     offset=1,
    ...     value=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled()
    [array([[0., 2., 0.],
           [0., 0., 2.]], dtype=float32)]
    """
    output_tensor: TensorDesc
    offset: int
    value: float

    def __init__(
        self,
        output_tensor: TensorDesc,
        offset: int,
        value: float,
    ) -> None: ...

class DiagonalMatrix1OperatorDesc(OperatorDesc):
    """Output = Value on a span of diagonals, Input elsewhere, or zeros if there is none.

    Parameters
    ----------
    input_tensor : TensorDesc, optional
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 2 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 2 to 4 dimensions.
    value_data_type : TensorDataType
        How to read the scalars; the same as the data type of the output.
    value : ScalarUnion
        The value: a number, converted once to exact bits, or the bits.
    diagonal_fill_begin : int
        The first diagonal that is filled; 0 is the main one, positive ones lie above.
    diagonal_fill_end : int
        The diagonal behind the last one that is filled.

    Notes
    -----
    The span has the elements whose column less the row is from DiagonalFillBegin on and below
    DiagonalFillEnd; with the end before the beginning, those that are outside of the span from the
    end on and below the beginning. Every bit is kept.

    The page errs: its first example fills with 1 where it says 7. Its formula, the exclusive or of
    three comparisons, decides.

    References
    ----------
    DirectML: DML_DIAGONAL_MATRIX1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = DiagonalMatrix1OperatorDesc(
    ...     output_tensor=TensorDesc(np.float32, [2, 3]),
    ...     value_data_type=np.float32,
    ...     value=7,
    ...     diagonal_fill_begin=0,
    ...     diagonal_fill_end=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([None])
    [array([[7., 7., 0.],
           [0., 7., 7.]], dtype=float32)]
    """
    input_tensor: TensorDesc | None
    output_tensor: TensorDesc
    value_data_type: TensorDataType
    value: ScalarUnion
    diagonal_fill_begin: int
    diagonal_fill_end: int

    def __init__(
        self,
        output_tensor: TensorDesc,
        value_data_type: DataTypeLike,
        value: ScalarUnion | Scalar,
        diagonal_fill_begin: int,
        diagonal_fill_end: int,
        *,
        input_tensor: TensorDesc | None = ...,
    ) -> None: ...

class DynamicQuantizeLinearOperatorDesc(OperatorDesc):
    """Outputs = Input as integers, the scale that lets all of it fit, and the zero point.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. INT8, UINT8; 1 to 8 dimensions.
    output_scale_tensor : TensorDesc
        The scale of the output. FLOAT32; 1 to 8 dimensions.
    output_zero_point_tensor : TensorDesc
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 8 dimensions.

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
    >>> desc = DynamicQuantizeLinearOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.uint8, [2]),
    ...     output_scale_tensor=TensorDesc(np.float32, [1]),
    ...     output_zero_point_tensor=TensorDesc(np.uint8, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 127.5], np.float32)])
    [array([  0, 255], dtype=uint8), array([0.5], dtype=float32), array([0], dtype=uint8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    output_scale_tensor: TensorDesc
    output_zero_point_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        output_scale_tensor: TensorDesc,
        output_zero_point_tensor: TensorDesc,
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
    DirectML: DML_ELEMENT_WISE_ABS_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

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
    DirectML: DML_ELEMENT_WISE_ACOS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

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
    DirectML: DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC; MicrosoftDocs/sdk-api at dcb2387531.

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
    DirectML: DML_ELEMENT_WISE_ADD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

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
    DirectML: DML_ELEMENT_WISE_ADD1_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    DirectML: DML_ELEMENT_WISE_ASIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_ASINH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_ATAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

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
    DirectML: DML_ELEMENT_WISE_ATANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    DirectML: DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

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
    DirectML: DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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
    DirectML: DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

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
    DirectML: DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

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
    DirectML: DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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
    What is shifted out is lost. A shift by as many bits as there are, or more, gives 0.

    Our choice: shifts by as many bits as there are, or more.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    A shift by as many bits as there are, or more, gives 0.

    Our choice: shifts by as many bits as there are, or more.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    DirectML: DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

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
    DirectML: DML_ELEMENT_WISE_CEIL_OPERATOR_DESC; MicrosoftDocs/sdk-api at 290b21b0f5.

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
    Scale and bias round as in ELEMENT_WISE_IDENTITY; the rest is exact. A NaN of the input stays,
    and so does a zero that equals a limit, with its sign. Limits beyond the range of an integer
    data type limit nothing, and neither does a NaN.

    The page is silent: NaN as a limit; the conformance tests of WebNN, whose browsers use this
    operator, decide.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP_OPERATOR_DESC; MicrosoftDocs/sdk-api at 37a8df4aa2.

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
    Rounding as in ELEMENT_WISE_CLIP. A NaN of the input stays, and so does a zero that equals a
    limit, with its sign. A NaN as a limit limits nothing.

    The page is silent: NaN as a limit; see ELEMENT_WISE_CLIP.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

    Examples
    --------
    >>> desc = ElementWiseClip1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int64, [3]),
    ...     output_tensor=TensorDesc(np.int64, [3]),
    ...     min_max_data_type=np.int64,
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

class ElementWiseClipGradOperatorDesc(OperatorDesc):
    """OutputGradient = InputGradient where Min < Input < Max, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16, INT64, INT32, INT16,
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
    >>> desc = ElementWiseClipGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [3]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [3]),
    ...     min=0,
    ...     max=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2], np.float32), np.array([5, 6, 7], np.float32)])
    [array([0., 6., 0.], dtype=float32)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    min: float
    max: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        min: float,
        max: float,
    ) -> None: ...

class ElementWiseClipGrad1OperatorDesc(OperatorDesc):
    """OutputGradient = InputGradient where Min < Input < Max, 0 elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    min_max_data_type : TensorDataType
        How to read the limits; the same as the data type of the tensors.
    min : ScalarUnion
        The lower limit.
    max : ScalarUnion
        The upper limit.

    Notes
    -----
    As ELEMENT_WISE_CLIP_GRAD, with limits of the tensors' data type.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC; MicrosoftDocs/sdk-api at 43d422fa58.

    Examples
    --------
    >>> desc = ElementWiseClipGrad1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [3]),
    ...     input_gradient_tensor=TensorDesc(np.int8, [3]),
    ...     output_gradient_tensor=TensorDesc(np.int8, [3]),
    ...     min_max_data_type=np.int8,
    ...     min=0,
    ...     max=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 1, 2], np.int8), np.array([5, 6, 7], np.int8)])
    [array([0, 6, 0], dtype=int8)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    min_max_data_type: TensorDataType
    min: ScalarUnion
    max: ScalarUnion

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        min_max_data_type: DataTypeLike,
        min: ScalarUnion | Scalar,
        max: ScalarUnion | Scalar,
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
    DirectML: DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_COS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

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
    DirectML: DML_ELEMENT_WISE_COSH_OPERATOR_DESC; MicrosoftDocs/sdk-api at dcb2387531.

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

class ElementWiseDequantizeLinearOperatorDesc(OperatorDesc):
    """Output = (Input - ZeroPoint) * Scale.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8
        dimensions.
    scale_tensor : TensorDesc
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    zero_point_tensor : TensorDesc, optional
        The zero point; 0 if left out. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    The difference is exact; it is rounded to FLOAT32, and so is the product.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> desc = ElementWiseDequantizeLinearOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [3]),
    ...     scale_tensor=TensorDesc(np.float32, [3]),
    ...     zero_point_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([ 9, 10, 12], np.uint8), np.array([2, 2, 2], np.float32), np.array([10, 10, 10], np.uint8)])
    [array([-2.,  0.,  4.], dtype=float32)]
    """
    input_tensor: TensorDesc
    scale_tensor: TensorDesc
    zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        *,
        zero_point_tensor: TensorDesc | None = ...,
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
    DirectML: DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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
    DirectML: DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

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
    DirectML: DML_ELEMENT_WISE_ERF_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_EXP_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

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
    DirectML: DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 290b21b0f5.

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
    and stays within the data type.

    Our choice: scale and bias of integers.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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

    The page errs: its history names feature level 2_1 and has no table for it; the last table holds
    on.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IF_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

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
    DirectML: DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2db4b02040.

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
    DirectML: DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_LOG_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

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
    DirectML: DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

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
    DirectML: DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> desc = ElementWiseLogicalEqualsOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0.0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> desc = ElementWiseLogicalGreaterThanOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0.0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

    Examples
    --------
    >>> desc = ElementWiseLogicalGreaterThanOrEqualOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0.0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> desc = ElementWiseLogicalLessThanOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0.0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

    Examples
    --------
    >>> desc = ElementWiseLogicalLessThanOrEqualOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0.0, np.nan], np.float32), np.array([2, 0, np.nan], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

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
    DirectML: DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    DirectML: DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    Exact. A NaN wins, and +0 is larger than -0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MAX_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> desc = ElementWiseMaxOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -0.0, np.nan], np.float32), np.array([2, 0, 1], np.float32)])
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
    infinite. Of integers the sum wraps, and the half goes towards zero.

    Our choice: what becomes of the half, and of a sum of integers that overflows.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MEAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    Exact. A NaN wins, and -0 is smaller than +0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> desc = ElementWiseMinOperatorDesc(
    ...     a_tensor=TensorDesc(np.float32, [3]),
    ...     b_tensor=TensorDesc(np.float32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 0, np.nan], np.float32), np.array([2, -0.0, 1], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC; MicrosoftDocs/sdk-api at 6dbf627776.

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
    DirectML: DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    DirectML: DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

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
    DirectML: DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    of both is an integer and the other a float, the integer is rounded to FLOAT32; a result for
    integers goes towards zero and stays within the data type.

    Our choice: how an integer and a float meet.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_POW_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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

class ElementWiseQuantizedLinearAddOperatorDesc(OperatorDesc):
    """Output = Quantize(Dequantize(A) + Dequantize(B)).

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. INT8, UINT8; 1 to 8 dimensions.
    a_scale_tensor : TensorDesc
        The scale of A. FLOAT32; 1 to 8 dimensions.
    a_zero_point_tensor : TensorDesc, optional
        The zero point of A; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    b_tensor : TensorDesc
        The second operand. INT8, UINT8; 1 to 8 dimensions.
    b_scale_tensor : TensorDesc
        The scale of B. FLOAT32; 1 to 8 dimensions.
    b_zero_point_tensor : TensorDesc, optional
        The zero point of B; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    output_scale_tensor : TensorDesc
        The scale of the output. FLOAT32; 1 to 8 dimensions.
    output_zero_point_tensor : TensorDesc, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. INT8, UINT8; 1 to 8 dimensions.

    Notes
    -----
    As ELEMENT_WISE_DEQUANTIZE_LINEAR, the FLOAT32 sum, and ELEMENT_WISE_QUANTIZE_LINEAR.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> desc = ElementWiseQuantizedLinearAddOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1]),
    ...     a_scale_tensor=TensorDesc(np.float32, [1]),
    ...     b_tensor=TensorDesc(np.uint8, [1]),
    ...     b_scale_tensor=TensorDesc(np.float32, [1]),
    ...     output_scale_tensor=TensorDesc(np.float32, [1]),
    ...     output_tensor=TensorDesc(np.uint8, [1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([3], np.uint8), np.array([2], np.float32), None, np.array([4], np.uint8), np.array([1], np.float32), None, np.array([5], np.float32), None])
    [array([2], dtype=uint8)]
    """
    a_tensor: TensorDesc
    a_scale_tensor: TensorDesc
    a_zero_point_tensor: TensorDesc | None
    b_tensor: TensorDesc
    b_scale_tensor: TensorDesc
    b_zero_point_tensor: TensorDesc | None
    output_scale_tensor: TensorDesc
    output_zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        a_scale_tensor: TensorDesc,
        b_tensor: TensorDesc,
        b_scale_tensor: TensorDesc,
        output_scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        *,
        a_zero_point_tensor: TensorDesc | None = ...,
        b_zero_point_tensor: TensorDesc | None = ...,
        output_zero_point_tensor: TensorDesc | None = ...,
    ) -> None: ...

class ElementWiseQuantizeLinearOperatorDesc(OperatorDesc):
    """Output = clamp(round(Input / Scale) + ZeroPoint).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32; 1 to 8 dimensions.
    scale_tensor : TensorDesc
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    zero_point_tensor : TensorDesc, optional
        The zero point; 0 if left out. INT8, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. INT8, UINT8; 1 to 8 dimensions.

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
    >>> desc = ElementWiseQuantizeLinearOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     scale_tensor=TensorDesc(np.float32, [3]),
    ...     zero_point_tensor=TensorDesc(np.uint8, [3]),
    ...     output_tensor=TensorDesc(np.uint8, [3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([-1, 0.5, 1.5], np.float32), np.array([1, 1, 1], np.float32), np.array([10, 10, 10], np.uint8)])
    [array([ 9, 10, 12], dtype=uint8)]
    """
    input_tensor: TensorDesc
    scale_tensor: TensorDesc
    zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        *,
        zero_point_tensor: TensorDesc | None = ...,
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
    DirectML: DML_ELEMENT_WISE_RECIP_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

    Examples
    --------
    >>> desc = ElementWiseRecipOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([2, -0.0], np.float32)])
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
    DirectML: DML_ELEMENT_WISE_ROUND_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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
    Exact. A zero of either sign gives +0; a NaN stays.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SIGN_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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
    DirectML: DML_ELEMENT_WISE_SIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_SINH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_SQRT_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

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
    DirectML: DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC; MicrosoftDocs/sdk-api at b78cd15a8e.

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
    DirectML: DML_ELEMENT_WISE_TAN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    DirectML: DML_ELEMENT_WISE_TANH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    NaN payloads, signed zeros and subnormals survive.

    Our choice: a value of another data type than the output's is refused.

    References
    ----------
    DirectML: DML_FILL_VALUE_CONSTANT_OPERATOR_DESC; MicrosoftDocs/sdk-api at 879f4fcc32.

    Examples
    --------
    >>> desc = FillValueConstantOperatorDesc(
    ...     output_tensor=TensorDesc(np.float32, [1, 2]),
    ...     value_data_type=np.float32,
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
    DirectML: DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> desc = FillValueSequenceOperatorDesc(
    ...     output_tensor=TensorDesc(np.uint8, [2, 2]),
    ...     value_data_type=np.uint8,
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

class FoldOperatorDesc(OperatorDesc):
    """Output = columns added back to where UNFOLD would take them from.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. any data type; 3 to 8 dimensions.
    output_tensor : TensorDesc
        The output. any data type; 3 to 8 dimensions.
    window_sizes : tuple[int, ...]
        The window, one per spatial dimension.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
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
    >>> desc = FoldOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 2, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 3]),
    ...     window_sizes=[2],
    ...     strides=[1],
    ...     dilations=[1],
    ...     start_padding=[0],
    ...     end_padding=[0],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[1, 2], [3, 4]]], np.float32)])
    [array([[[1., 5., 4.]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    window_sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        window_sizes: Sequence[int],
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
    ) -> None: ...

class GatherOperatorDesc(OperatorDesc):
    """Output[before, indices, behind] = Input[before, Indices[indices], behind].

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
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
    >>> desc = GatherOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     indices_tensor=TensorDesc(np.int32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     axis=0,
    ...     index_dimensions=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([5, 6, 7], np.float32), np.array([ 2,  0, -1], np.int32)])
    [array([7., 5., 7.], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int
    index_dimensions: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
        index_dimensions: int,
    ) -> None: ...

class GatherElementsOperatorDesc(OperatorDesc):
    """Output[i, j, k] = Input[i, Indices[i, j, k], k], with the index in place of the axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
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
    >>> desc = GatherElementsOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     indices_tensor=TensorDesc(np.int32, [3]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     axis=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([5, 6, 7], np.float32), np.array([ 2,  0, -1], np.int32)])
    [array([7., 5., 7.], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
    ) -> None: ...

class GatherNdOperatorDesc(OperatorDesc):
    """Output[batch, i, rest] = Input[batch, coordinates Indices[batch, i], rest].

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    input_dimension_count : int
        How many trailing dimensions of the input are used.
    indices_dimension_count : int
        How many trailing dimensions of the indices are used.

    Notes
    -----
    The last dimension of the indices holds the coordinates. Only the last InputDimensionCount and
    IndicesDimensionCount dimensions count; the output has leading ones. Negative indices count from
    the end; beyond either end they are clamped.

    Our choice: indices beyond either end.

    References
    ----------
    DirectML: DML_GATHER_ND_OPERATOR_DESC; MicrosoftDocs/sdk-api at f9d9bc0314.

    Examples
    --------
    >>> desc = GatherNdOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2, 2]),
    ...     indices_tensor=TensorDesc(np.uint32, [2, 1]),
    ...     output_tensor=TensorDesc(np.float32, [2, 2]),
    ...     input_dimension_count=2,
    ...     indices_dimension_count=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[0, 1], [2, 3]], np.float32), np.array([[1], [0]], np.uint32)])
    [array([[2., 3.],
           [0., 1.]], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
        input_dimension_count: int,
        indices_dimension_count: int,
    ) -> None: ...

class GatherNd1OperatorDesc(OperatorDesc):
    """Output[batch, i, rest] = Input[batch, coordinates Indices[batch, i], rest].

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
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
    >>> desc = GatherNd1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2, 2]),
    ...     indices_tensor=TensorDesc(np.uint32, [2, 1]),
    ...     output_tensor=TensorDesc(np.float32, [2, 2]),
    ...     input_dimension_count=2,
    ...     indices_dimension_count=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[0, 1], [2, 3]], np.float32), np.array([[1], [0]], np.uint32)])
    [array([[2., 3.],
           [0., 1.]], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int
    batch_dimension_count: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
        input_dimension_count: int,
        indices_dimension_count: int,
        batch_dimension_count: int = ...,
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
    FLOAT32, by rule C256: chains of up to 256 consecutive k from +0, each step one fused
    multiplication and addition; the total is the first chain plus the next one, and so on. Then
    t = total * Alpha, u = C * Beta, y = t + u, each rounded (a factor of 1 changes nothing; C is
    read even if Beta is 0), then the activation, and one rounding to the output's data type.

    References
    ----------
    DirectML: DML_GEMM_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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

class GruOperatorDesc(OperatorDesc):
    """Outputs = the hidden states of a gated recurrent unit: of all steps, and the last one.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    weight_tensor : TensorDesc
        The weights of the input. FLOAT32, FLOAT16; 4 dimensions.
    recurrence_tensor : TensorDesc
        The weights of the hidden state. FLOAT32, FLOAT16; 4 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 4 dimensions.
    hidden_init_tensor : TensorDesc, optional
        The hidden state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    sequence_lengths_tensor : TensorDesc, optional
        The lengths of the sequences. UINT32; 4 dimensions.
    output_sequence_tensor : TensorDesc, optional
        The hidden states of all steps. FLOAT32, FLOAT16; 4 dimensions.
    output_single_tensor : TensorDesc, optional
        The hidden state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    activation_descs : tuple[FusedActivation, ...]
        The activations of the cell, per direction.
    direction : RecurrentNetworkDirection
        Which way it goes; see the notes.
    linear_before_reset : bool
        Whether the reset gate is applied after the product with the hidden state.

    Notes
    -----
    With gates in the order z, r, h, and activations f, g:

        z = f((X Wz^T + H Rz^T) + (Wbz + Rbz))
        r = f((X Wr^T + H Rr^T) + (Wbr + Rbr))
        h = g((X Wh^T + (r * H) Rh^T) + (Wbh + Rbh))
        h = g((X Wh^T + Wbh) + r * (H Rh^T + Rbh))          with LinearBeforeReset
        H' = (1 - z) * h + z * H

    FLOAT32: products by rule C256 as in GEMM, every other operation rounded. A bias or an initial
    state that is left out is zeros. A sequence that is shorter than the others keeps its last
    hidden state, and its steps beyond the end are zeros; backwards it begins at its own end.

    The page is silent: the order of operations, and shorter sequences; ONNX's GRU, in whose words
    the formula is given, decides.

    References
    ----------
    DirectML: DML_GRU_OPERATOR_DESC; MicrosoftDocs/sdk-api at 5b9c53c58f.

    Examples
    --------
    >>> desc = GruOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     weight_tensor=TensorDesc(np.float32, [1, 1, 3, 1]),
    ...     recurrence_tensor=TensorDesc(np.float32, [1, 1, 3, 1]),
    ...     output_sequence_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_single_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     activation_descs=[FusedActivation.identity(), FusedActivation.identity()],
    ...     direction=RecurrentNetworkDirection.FORWARD,
    ...     linear_before_reset=False,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1]]]], np.float32), np.array([[[[0], [0], [3]]]], np.float32), np.array([[[[0], [0], [0]]]], np.float32), None, None, None])
    [array([[[[3.]]]], dtype=float32), array([[[[3.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    weight_tensor: TensorDesc
    recurrence_tensor: TensorDesc
    bias_tensor: TensorDesc | None
    hidden_init_tensor: TensorDesc | None
    sequence_lengths_tensor: TensorDesc | None
    output_sequence_tensor: TensorDesc | None
    output_single_tensor: TensorDesc | None
    activation_descs: tuple[FusedActivation, ...]
    direction: RecurrentNetworkDirection
    linear_before_reset: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        weight_tensor: TensorDesc,
        recurrence_tensor: TensorDesc,
        activation_descs: Sequence[FusedActivation],
        direction: RecurrentNetworkDirection,
        linear_before_reset: bool,
        *,
        bias_tensor: TensorDesc | None = ...,
        hidden_init_tensor: TensorDesc | None = ...,
        sequence_lengths_tensor: TensorDesc | None = ...,
        output_sequence_tensor: TensorDesc | None = ...,
        output_single_tensor: TensorDesc | None = ...,
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

    The page errs: it has no table for feature level 3_1, at which the history of feature levels
    extends it: 1 to 8 dimensions are taken from there on, as of what else that level extends, and
    the data types are those of 3_0.

    References
    ----------
    DirectML: DML_JOIN_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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

class LocalResponseNormalizationOperatorDesc(OperatorDesc):
    """Output = Input / (Bias + (Alpha / LocalSize) * the sum of the neighbours' squares) ^ Beta.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 dimensions.
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
    >>> desc = LocalResponseNormalizationOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     cross_channel=True,
    ...     local_size=1,
    ...     alpha=1,
    ...     beta=1,
    ...     bias=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3]]]], np.float32)])
    [array([[[[0.5, 0.3]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    cross_channel: bool
    local_size: int
    alpha: float
    beta: float
    bias: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        cross_channel: bool,
        local_size: int,
        alpha: float,
        beta: float,
        bias: float,
    ) -> None: ...

class LocalResponseNormalizationGradOperatorDesc(OperatorDesc):
    """OutputGradient = the gradient of LOCAL_RESPONSE_NORMALIZATION by its input.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 4 dimensions.
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
    >>> desc = LocalResponseNormalizationGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     cross_channel=True,
    ...     local_size=1,
    ...     alpha=0,
    ...     beta=1,
    ...     bias=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3]]]], np.float32), np.array([[[[4, 6]]]], np.float32)])
    [array([[[[2., 3.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    cross_channel: bool
    local_size: int
    alpha: float
    beta: float
    bias: float

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        cross_channel: bool,
        local_size: int,
        alpha: float,
        beta: float,
        bias: float,
    ) -> None: ...

class LpNormalizationOperatorDesc(OperatorDesc):
    """Output = Input / max(the norm along the axis, Epsilon).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
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
    >>> desc = LpNormalizationOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     axis=0,
    ...     epsilon=0,
    ...     p=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, -3], np.float32)])
    [array([ 0.25, -0.75], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int
    epsilon: float
    p: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
        epsilon: float = ...,
        p: int = ...,
    ) -> None: ...

class LpPoolingOperatorDesc(OperatorDesc):
    """Output = (the sum of |x|^P over a window) ^ (1 / P).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    p : int
        Which norm: 1, 2 and so on.

    Notes
    -----
    For P = 1 and 2 magnitudes and squares are exact, the sum is one of FLOAT64 by rule S16, its
    root is taken in FLOAT64 and rounded once. For other P powers are FLOAT32, correctly rounded,
    the sum is rounded to FLOAT32, and so is its root.

    References
    ----------
    DirectML: DML_LP_POOLING_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2fe0b48c7a.

    Examples
    --------
    >>> desc = LpPoolingOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ...     p=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[3, 4]]]], np.float32)])
    [array([[[[5.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    p: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        p: int = ...,
    ) -> None: ...

class LpPooling1OperatorDesc(OperatorDesc):
    """Output = (the sum of |x|^P over a window) ^ (1 / P).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    dilations : tuple[int, ...]
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
    >>> desc = LpPooling1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ...     p=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[3, 4]]]], np.float32)])
    [array([[[[5.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    dilations: tuple[int, ...]
    p: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        p: int = ...,
    ) -> None: ...

class LstmOperatorDesc(OperatorDesc):
    """Outputs = the hidden states of a long short-term memory, the last one, and the last cell.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    weight_tensor : TensorDesc
        The weights of the input. FLOAT32, FLOAT16; 4 dimensions.
    recurrence_tensor : TensorDesc
        The weights of the hidden state. FLOAT32, FLOAT16; 4 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 4 dimensions.
    hidden_init_tensor : TensorDesc, optional
        The hidden state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    cell_mem_init_tensor : TensorDesc, optional
        The cell's state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    sequence_lengths_tensor : TensorDesc, optional
        The lengths of the sequences. UINT32; 4 dimensions.
    peephole_tensor : TensorDesc, optional
        The peephole weights; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    output_sequence_tensor : TensorDesc, optional
        The hidden states of all steps. FLOAT32, FLOAT16; 4 dimensions.
    output_single_tensor : TensorDesc, optional
        The hidden state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    output_cell_single_tensor : TensorDesc, optional
        The cell's state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    activation_descs : tuple[FusedActivation, ...]
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
    >>> desc = LstmOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     weight_tensor=TensorDesc(np.float32, [1, 1, 4, 1]),
    ...     recurrence_tensor=TensorDesc(np.float32, [1, 1, 4, 1]),
    ...     output_sequence_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_single_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_cell_single_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     activation_descs=[FusedActivation.identity(), FusedActivation.identity(), FusedActivation.identity()],
    ...     direction=RecurrentNetworkDirection.FORWARD,
    ...     clip_threshold=0,
    ...     use_clip_threshold=False,
    ...     couple_input_forget=False,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1]]]], np.float32), np.array([[[[2], [3], [4], [5]]]], np.float32), np.array([[[[0], [0], [0], [0]]]], np.float32), None, None, None, None, None])
    [array([[[[30.]]]], dtype=float32), array([[[[30.]]]], dtype=float32), array([[[[10.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    weight_tensor: TensorDesc
    recurrence_tensor: TensorDesc
    bias_tensor: TensorDesc | None
    hidden_init_tensor: TensorDesc | None
    cell_mem_init_tensor: TensorDesc | None
    sequence_lengths_tensor: TensorDesc | None
    peephole_tensor: TensorDesc | None
    output_sequence_tensor: TensorDesc | None
    output_single_tensor: TensorDesc | None
    output_cell_single_tensor: TensorDesc | None
    activation_descs: tuple[FusedActivation, ...]
    direction: RecurrentNetworkDirection
    clip_threshold: float
    use_clip_threshold: bool
    couple_input_forget: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        weight_tensor: TensorDesc,
        recurrence_tensor: TensorDesc,
        activation_descs: Sequence[FusedActivation],
        direction: RecurrentNetworkDirection = ...,
        clip_threshold: float = ...,
        use_clip_threshold: bool = ...,
        couple_input_forget: bool = ...,
        *,
        bias_tensor: TensorDesc | None = ...,
        hidden_init_tensor: TensorDesc | None = ...,
        cell_mem_init_tensor: TensorDesc | None = ...,
        sequence_lengths_tensor: TensorDesc | None = ...,
        peephole_tensor: TensorDesc | None = ...,
        output_sequence_tensor: TensorDesc | None = ...,
        output_single_tensor: TensorDesc | None = ...,
        output_cell_single_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MatrixMultiplyIntegerOperatorDesc(OperatorDesc):
    """Output = (A - AZeroPoint) (B - BZeroPoint), for each pair of matrices.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. INT8, UINT8; 2 to 4 dimensions.
    a_zero_point_tensor : TensorDesc, optional
        The zero point of A; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    b_tensor : TensorDesc
        The second operand. INT8, UINT8; 2 to 4 dimensions.
    b_zero_point_tensor : TensorDesc, optional
        The zero point of B; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. INT32; 2 to 4 dimensions.

    Notes
    -----
    Exact in INT32, modulo 2^32. Zero points are one element, or one per row of A and column of B.

    References
    ----------
    DirectML: DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC; MicrosoftDocs/sdk-api at b5f9f4f44d.

    Examples
    --------
    >>> desc = MatrixMultiplyIntegerOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1, 2]),
    ...     a_zero_point_tensor=TensorDesc(np.uint8, [1, 1]),
    ...     b_tensor=TensorDesc(np.uint8, [2, 1]),
    ...     output_tensor=TensorDesc(np.int32, [1, 1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2]], np.uint8), np.array([[1]], np.uint8), np.array([[3], [4]], np.uint8), None])
    [array([[4]], dtype=int32)]
    """
    a_tensor: TensorDesc
    a_zero_point_tensor: TensorDesc | None
    b_tensor: TensorDesc
    b_zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        b_tensor: TensorDesc,
        output_tensor: TensorDesc,
        *,
        a_zero_point_tensor: TensorDesc | None = ...,
        b_zero_point_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MatrixMultiplyIntegerToFloatOperatorDesc(OperatorDesc):
    """Output = Dequantize(A) Dequantize(B) + Bias.

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. INT32, INT16, INT8, UINT32, UINT16, UINT8; 2 to 4 dimensions.
    a_scale_tensor : TensorDesc
        The scale of A. FLOAT32, FLOAT16; 1 to 4 dimensions.
    a_zero_point_tensor : TensorDesc, optional
        The zero point of A; 0 if left out. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 4
        dimensions.
    b_tensor : TensorDesc
        The second operand. INT32, INT16, INT8, UINT32, UINT16, UINT8; 2 to 4 dimensions.
    b_scale_tensor : TensorDesc
        The scale of B. FLOAT32, FLOAT16; 1 to 4 dimensions.
    b_zero_point_tensor : TensorDesc, optional
        The zero point of B; 0 if left out. INT32, INT16, INT8, UINT32, UINT16, UINT8; 1 to 4
        dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 2 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 2 to 4 dimensions.

    Notes
    -----
    The product of integers is exact in INT32, modulo 2^32; FLOAT32(product) * (AScale * BScale),
    + Bias, each operation rounded, and one rounding to the output's data type.

    References
    ----------
    DirectML: DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = MatrixMultiplyIntegerToFloatOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1, 2]),
    ...     a_scale_tensor=TensorDesc(np.float32, [1, 1]),
    ...     b_tensor=TensorDesc(np.uint8, [2, 1]),
    ...     b_scale_tensor=TensorDesc(np.float32, [1, 1]),
    ...     bias_tensor=TensorDesc(np.float32, [1, 1]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2]], np.uint8), np.array([[1]], np.float32), None, np.array([[3], [4]], np.uint8), np.array([[2]], np.float32), None, np.array([[0.5]], np.float32)])
    [array([[22.5]], dtype=float32)]
    """
    a_tensor: TensorDesc
    a_scale_tensor: TensorDesc
    a_zero_point_tensor: TensorDesc | None
    b_tensor: TensorDesc
    b_scale_tensor: TensorDesc
    b_zero_point_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        a_scale_tensor: TensorDesc,
        b_tensor: TensorDesc,
        b_scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        *,
        a_zero_point_tensor: TensorDesc | None = ...,
        b_zero_point_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MaxPoolingOperatorDesc(OperatorDesc):
    """Output = the largest element of a window; OutputIndices = its number.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 4 to
        5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.

    Notes
    -----
    Exact. A NaN wins, +0 is larger than -0, and of equals it is the first. Elements are numbered in
    row-major order of the whole input. Padding is no element; a window without one gives the lowest
    number of the data type, -infinity for floats, and the largest index.

    References
    ----------
    DirectML: DML_MAX_POOLING_OPERATOR_DESC; MicrosoftDocs/sdk-api at 6721cae40a.

    Examples
    --------
    >>> desc = MaxPoolingOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3, 2]]]], np.float32)])
    [array([[[[3., 3.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        *,
        strides: Sequence[int] = ...,
    ) -> None: ...

class MaxPooling1OperatorDesc(OperatorDesc):
    """Output = the largest element of a window; OutputIndices = its number.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 4 to
        5 dimensions.
    output_indices_tensor : TensorDesc, optional
        The positions of the elements that were taken. UINT64, UINT32; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.

    Notes
    -----
    Exact. A NaN wins, +0 is larger than -0, and of equals it is the first. Elements are numbered in
    row-major order of the whole input. Padding is no element; a window without one gives the lowest
    number of the data type, -infinity for floats, and the largest index.

    References
    ----------
    DirectML: DML_MAX_POOLING1_OPERATOR_DESC; MicrosoftDocs/sdk-api at fe15a8b42c.

    Examples
    --------
    >>> desc = MaxPooling1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_indices_tensor=TensorDesc(np.uint32, [1, 1, 1, 2]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3, 2]]]], np.float32)])
    [array([[[[3., 3.]]]], dtype=float32), array([[[[1, 1]]]], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    output_indices_tensor: TensorDesc | None
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        *,
        output_indices_tensor: TensorDesc | None = ...,
        strides: Sequence[int] = ...,
    ) -> None: ...

class MaxPooling2OperatorDesc(OperatorDesc):
    """Output = the largest element of a window; OutputIndices = its number.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 4 to
        5 dimensions.
    output_indices_tensor : TensorDesc, optional
        The positions of the elements that were taken. UINT64, UINT32; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.

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
    >>> desc = MaxPooling2OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_indices_tensor=TensorDesc(np.uint32, [1, 1, 1, 2]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3, 2]]]], np.float32)])
    [array([[[[3., 3.]]]], dtype=float32), array([[[[1, 1]]]], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    output_indices_tensor: TensorDesc | None
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    dilations: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        *,
        output_indices_tensor: TensorDesc | None = ...,
        strides: Sequence[int] = ...,
    ) -> None: ...

class MaxPoolingGradOperatorDesc(OperatorDesc):
    """OutputGradient = what comes back from MAX_POOLING2 to each element.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    dilations : tuple[int, ...]
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
    >>> desc = MaxPoolingGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ...     start_padding=[0, 0],
    ...     end_padding=[0, 0],
    ...     dilations=[1, 1],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3, 2]]]], np.float32), np.array([[[[5, 6]]]], np.float32)])
    [array([[[[ 0., 11.,  0.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    dilations: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
    ) -> None: ...

class MaxUnpoolingOperatorDesc(OperatorDesc):
    """Output[Indices[i]] = Input[i], and zeros elsewhere.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. UINT64, UINT32; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 4
        dimensions.

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
    >>> desc = MaxUnpoolingOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     indices_tensor=TensorDesc(np.uint32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[5, 6]]]], np.float32), np.array([[[[2, 0]]]], np.uint32)])
    [array([[[[6., 0., 5.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
    ) -> None: ...

class MeanVarianceNormalizationOperatorDesc(OperatorDesc):
    """Output = Activation(((Input - Mean) / sqrt(Variance + Epsilon)) * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    scale_tensor : TensorDesc, optional
        The scale. FLOAT32, FLOAT16; 4 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 dimensions.
    cross_channel : bool
        Whether sums run over channels.
    normalize_variance : bool
        Whether it is divided by the standard deviation.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    As MEAN_VARIANCE_NORMALIZATION1, along the spatial dimensions, and with CrossChannel along
    channels too.

    References
    ----------
    DirectML: DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC; MicrosoftDocs/sdk-api at db7dd4d987.

    Examples
    --------
    >>> desc = MeanVarianceNormalizationOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     cross_channel=False,
    ...     normalize_variance=True,
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3]]]], np.float32), None, None])
    [array([[[[-1.,  1.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    scale_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    output_tensor: TensorDesc
    cross_channel: bool
    normalize_variance: bool
    epsilon: float
    fused_activation: FusedActivation | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        cross_channel: bool,
        normalize_variance: bool,
        epsilon: float,
        fused_activation: FusedActivation | None = ...,
        *,
        scale_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MeanVarianceNormalization1OperatorDesc(OperatorDesc):
    """Output = Activation(((Input - Mean) / sqrt(Variance + Epsilon)) * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_tensor : TensorDesc, optional
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.
    normalize_variance : bool
        Whether it is divided by the standard deviation.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    As MEAN_VARIANCE_NORMALIZATION2 with UseMean; without NormalizeVariance nothing is divided.

    References
    ----------
    DirectML: DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC; MicrosoftDocs/sdk-api at 5b9c53c58f.

    Examples
    --------
    >>> desc = MeanVarianceNormalization1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     axes=[0],
    ...     normalize_variance=True,
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3], np.float32), None, None])
    [array([-1.,  1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    scale_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    output_tensor: TensorDesc
    axes: tuple[int, ...]
    normalize_variance: bool
    epsilon: float
    fused_activation: FusedActivation | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
        normalize_variance: bool,
        epsilon: float,
        fused_activation: FusedActivation | None = ...,
        *,
        scale_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MeanVarianceNormalization2OperatorDesc(OperatorDesc):
    """Output = Activation(((Input - Mean) / sqrt(Variance + Epsilon)) * Scale + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    scale_tensor : TensorDesc, optional
        The scale. FLOAT32, FLOAT16; 1 to 8 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 1 to 8 dimensions.
    axes : tuple[int, ...]
        The axes, from 0, each once.
    use_mean : bool
        Whether the mean is subtracted.
    use_variance : bool
        Whether it is divided by the standard deviation.
    epsilon : float
        Added where a division by zero threatens. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    Mean and variance are those of the input along the axes, by rule S16 in FLOAT64: deviations are
    squared by multiplication, and the variance is divided by the count. (x - mean) * (1 /
    sqrt(...)), * scale, + bias are computed in FLOAT64, and rounded once; before a fused activation
    to FLOAT32. Without UseMean the mean is 0, in the variance too; without UseVariance nothing is
    divided.

    The page is silent: UseMean and UseVariance ("TBD"); ONNX's RMS normalization, for which ONNX
    Runtime uses the operator, decides.

    References
    ----------
    DirectML: DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = MeanVarianceNormalization2OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [2]),
    ...     axes=[0],
    ...     use_mean=True,
    ...     use_variance=True,
    ...     epsilon=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 3], np.float32), None, None])
    [array([-1.,  1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    scale_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    output_tensor: TensorDesc
    axes: tuple[int, ...]
    use_mean: bool
    use_variance: bool
    epsilon: float
    fused_activation: FusedActivation | None

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axes: Sequence[int],
        use_mean: bool,
        use_variance: bool,
        epsilon: float,
        fused_activation: FusedActivation | None = ...,
        *,
        scale_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MultiheadAttentionOperatorDesc(OperatorDesc):
    """Output = softmax((Query Key^T) * Scale + RelativePositionBias, masked) Value, for each head.

    Parameters
    ----------
    query_tensor : TensorDesc, optional
        The queries. FLOAT32, FLOAT16; 3 to 5 dimensions.
    key_tensor : TensorDesc, optional
        The keys. FLOAT32, FLOAT16; 3 to 5 dimensions.
    value_tensor : TensorDesc, optional
        The values. FLOAT32, FLOAT16; 3 to 5 dimensions.
    stacked_query_key_tensor : TensorDesc, optional
        Queries and keys in one tensor. FLOAT32, FLOAT16; 5 dimensions.
    stacked_key_value_tensor : TensorDesc, optional
        Keys and values in one tensor. FLOAT32, FLOAT16; 5 dimensions.
    stacked_query_key_value_tensor : TensorDesc, optional
        Queries, keys and values in one tensor. FLOAT32, FLOAT16; 5 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 1 to 5 dimensions.
    mask_tensor : TensorDesc, optional
        The mask, of the kind that the mask type says. INT32; 1 to 5 dimensions.
    relative_position_bias_tensor : TensorDesc, optional
        Added to the scores. FLOAT32, FLOAT16; 4 to 5 dimensions.
    past_key_tensor : TensorDesc, optional
        The keys of former calls. FLOAT32, FLOAT16; 4 to 5 dimensions.
    past_value_tensor : TensorDesc, optional
        The values of former calls. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 3 to 5 dimensions.
    output_present_key_tensor : TensorDesc, optional
        The keys, with the past ones in front. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_present_value_tensor : TensorDesc, optional
        The values, with the past ones in front. FLOAT32, FLOAT16; 4 to 5 dimensions.
    scale : float
        A factor. Rounded to FLOAT32.
    mask_filter_value : float
        What is added to scores that are masked. Rounded to FLOAT32.
    head_count : int
        How many heads there are.
    mask_type : MultiheadAttentionMaskType
        What the mask holds.

    Notes
    -----
    The bias is added to queries, keys and values first, and the past is put before keys and values,
    which then are the present. FLOAT32, every operation rounded: products by rule C256 as in GEMM,
    SOFTMAX as ACTIVATION_SOFTMAX, rounded to FLOAT32. FLOAT16 is rounded to once, at the end.

    Queries, keys and values come from one tensor each, their own or a stacked one; keys and values
    may be left out where there is a past. A mask with MaskType

    - BOOLEAN adds MaskFilterValue where it is 0; it repeats along dimensions of size 1.
    - KEY_SEQUENCE_LENGTH replaces by MaskFilterValue the scores of keys from the length on.
    - KEY_SEQUENCE_END_START those before the start, in row 1, and from the end on, in row 0.
    - KEY_QUERY_SEQUENCE_LENGTH_START_END those of a query and a key that are not of one sequence:
      rows of all batches are numbered through; queries from one start to the next, as many keys
      as the length from the key's start.

    The past counts as keys.

    The page errs: it says both that MaskFilterValue is added and that it is set; each type does
    what its own sentence says.

    Our choice: which scores KEY_QUERY_SEQUENCE_LENGTH_START_END replaces; the page gives the layout
    of its mask alone.

    References
    ----------
    DirectML: DML_MULTIHEAD_ATTENTION_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = MultiheadAttentionOperatorDesc(
    ...     query_tensor=TensorDesc(np.float32, [1, 1, 2]),
    ...     key_tensor=TensorDesc(np.float32, [1, 2, 2]),
    ...     value_tensor=TensorDesc(np.float32, [1, 2, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 2]),
    ...     output_present_key_tensor=TensorDesc(np.float32, [1, 1, 2, 2]),
    ...     output_present_value_tensor=TensorDesc(np.float32, [1, 1, 2, 2]),
    ...     scale=1,
    ...     mask_filter_value=-10000,
    ...     head_count=1,
    ...     mask_type=MultiheadAttentionMaskType.NONE,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[1, 0]]], np.float32), np.array([[[0, 1], [0, 1]]], np.float32), np.array([[[2, 4], [4, 8]]], np.float32), None, None, None, None, None, None, None, None])
    [array([[[3., 6.]]], dtype=float32), array([[[[0., 1.],
             [0., 1.]]]], dtype=float32), array([[[[2., 4.],
             [4., 8.]]]], dtype=float32)]
    """
    query_tensor: TensorDesc | None
    key_tensor: TensorDesc | None
    value_tensor: TensorDesc | None
    stacked_query_key_tensor: TensorDesc | None
    stacked_key_value_tensor: TensorDesc | None
    stacked_query_key_value_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    mask_tensor: TensorDesc | None
    relative_position_bias_tensor: TensorDesc | None
    past_key_tensor: TensorDesc | None
    past_value_tensor: TensorDesc | None
    output_tensor: TensorDesc
    output_present_key_tensor: TensorDesc | None
    output_present_value_tensor: TensorDesc | None
    scale: float
    mask_filter_value: float
    head_count: int
    mask_type: MultiheadAttentionMaskType

    def __init__(
        self,
        output_tensor: TensorDesc,
        scale: float,
        mask_filter_value: float,
        head_count: int,
        mask_type: MultiheadAttentionMaskType,
        *,
        query_tensor: TensorDesc | None = ...,
        key_tensor: TensorDesc | None = ...,
        value_tensor: TensorDesc | None = ...,
        stacked_query_key_tensor: TensorDesc | None = ...,
        stacked_key_value_tensor: TensorDesc | None = ...,
        stacked_query_key_value_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
        mask_tensor: TensorDesc | None = ...,
        relative_position_bias_tensor: TensorDesc | None = ...,
        past_key_tensor: TensorDesc | None = ...,
        past_value_tensor: TensorDesc | None = ...,
        output_present_key_tensor: TensorDesc | None = ...,
        output_present_value_tensor: TensorDesc | None = ...,
    ) -> None: ...

class MultiheadAttention1OperatorDesc(OperatorDesc):
    """Output = MULTIHEAD_ATTENTION in which heads of queries share those of keys and values.

    Parameters
    ----------
    query_tensor : TensorDesc, optional
        The queries. FLOAT32, FLOAT16; 3 to 5 dimensions.
    key_tensor : TensorDesc, optional
        The keys. FLOAT32, FLOAT16; 3 to 5 dimensions.
    value_tensor : TensorDesc, optional
        The values. FLOAT32, FLOAT16; 3 to 5 dimensions.
    stacked_query_key_tensor : TensorDesc, optional
        Queries and keys in one tensor. FLOAT32, FLOAT16; 5 dimensions.
    stacked_key_value_tensor : TensorDesc, optional
        Keys and values in one tensor. FLOAT32, FLOAT16; 5 dimensions.
    stacked_query_key_value_tensor : TensorDesc, optional
        Queries, keys and values in one tensor. FLOAT32, FLOAT16; 5 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 1 to 5 dimensions.
    mask_tensor : TensorDesc, optional
        The mask, of the kind that the mask type says. INT32; 1 to 5 dimensions.
    relative_position_bias_tensor : TensorDesc, optional
        Added to the scores. FLOAT32, FLOAT16; 4 to 5 dimensions.
    past_key_tensor : TensorDesc, optional
        The keys of former calls. FLOAT32, FLOAT16; 4 to 5 dimensions.
    past_value_tensor : TensorDesc, optional
        The values of former calls. FLOAT32, FLOAT16; 4 to 5 dimensions.
    past_sequence_lengths_tensor : TensorDesc, optional
        How many past keys of each batch are used. FLOAT32, FLOAT16, INT32; 1 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 3 to 5 dimensions.
    output_present_key_tensor : TensorDesc, optional
        The keys, with the past ones in front. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_present_value_tensor : TensorDesc, optional
        The values, with the past ones in front. FLOAT32, FLOAT16; 4 to 5 dimensions.
    scale : float
        A factor. Rounded to FLOAT32.
    mask_filter_value : float
        What is added to scores that are masked. Rounded to FLOAT32.
    query_head_count : int
        How many heads queries have.
    key_value_head_count : int
        How many heads keys and values have.
    mask_type : MultiheadAttentionMaskType
        What the mask holds.

    Notes
    -----
    Head h of the queries goes with head h // (QueryHeadCount / KeyValueHeadCount).

    With PastSequenceLengths new keys and values are written over the past from that position on, as
    far as there is room in the present, which has the sizes of the present outputs (else of the
    past, or of the keys). Query i then sees keys up to position PastSequenceLengths + i: scores
    beyond it are replaced by MaskFilterValue, after the mask. Without PastKey and PastValue the
    past is what the memory of both present outputs holds before, which is 0 where a call makes it;
    what else nothing is written to is 0.

    The page is silent: heads that share, and lengths of the past; ONNX Runtime's
    GroupQueryAttention, which it maps to this operator, decides.

    The page errs: its table has lengths as FLOAT32 and FLOAT16, and ONNX Runtime gives INT32, which
    is how the operator runs on devices. Both are taken; a fraction is cut off.

    Present outputs may lie on the past where a graph is compiled so: nothing is copied then but the
    new rows.

    References
    ----------
    DirectML: DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = MultiheadAttention1OperatorDesc(
    ...     query_tensor=TensorDesc(np.float32, [1, 1, 2]),
    ...     key_tensor=TensorDesc(np.float32, [1, 2, 1]),
    ...     value_tensor=TensorDesc(np.float32, [1, 2, 1]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 2]),
    ...     output_present_key_tensor=TensorDesc(np.float32, [1, 1, 2, 1]),
    ...     output_present_value_tensor=TensorDesc(np.float32, [1, 1, 2, 1]),
    ...     scale=1,
    ...     mask_filter_value=-10000,
    ...     query_head_count=2,
    ...     key_value_head_count=1,
    ...     mask_type=MultiheadAttentionMaskType.NONE,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[0, 1]]], np.float32), np.array([[[0], [0]]], np.float32), np.array([[[2], [4]]], np.float32), None, None, None, None, None, None, None, None, None])
    [array([[[3., 3.]]], dtype=float32), array([[[[0.],
             [0.]]]], dtype=float32), array([[[[2.],
             [4.]]]], dtype=float32)]
    """
    query_tensor: TensorDesc | None
    key_tensor: TensorDesc | None
    value_tensor: TensorDesc | None
    stacked_query_key_tensor: TensorDesc | None
    stacked_key_value_tensor: TensorDesc | None
    stacked_query_key_value_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    mask_tensor: TensorDesc | None
    relative_position_bias_tensor: TensorDesc | None
    past_key_tensor: TensorDesc | None
    past_value_tensor: TensorDesc | None
    past_sequence_lengths_tensor: TensorDesc | None
    output_tensor: TensorDesc
    output_present_key_tensor: TensorDesc | None
    output_present_value_tensor: TensorDesc | None
    scale: float
    mask_filter_value: float
    query_head_count: int
    key_value_head_count: int
    mask_type: MultiheadAttentionMaskType

    def __init__(
        self,
        output_tensor: TensorDesc,
        scale: float,
        mask_filter_value: float,
        query_head_count: int,
        key_value_head_count: int,
        mask_type: MultiheadAttentionMaskType,
        *,
        query_tensor: TensorDesc | None = ...,
        key_tensor: TensorDesc | None = ...,
        value_tensor: TensorDesc | None = ...,
        stacked_query_key_tensor: TensorDesc | None = ...,
        stacked_key_value_tensor: TensorDesc | None = ...,
        stacked_query_key_value_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
        mask_tensor: TensorDesc | None = ...,
        relative_position_bias_tensor: TensorDesc | None = ...,
        past_key_tensor: TensorDesc | None = ...,
        past_value_tensor: TensorDesc | None = ...,
        past_sequence_lengths_tensor: TensorDesc | None = ...,
        output_present_key_tensor: TensorDesc | None = ...,
        output_present_value_tensor: TensorDesc | None = ...,
    ) -> None: ...

class NonzeroCoordinatesOperatorDesc(OperatorDesc):
    """Outputs = how many elements are not zero, and the coordinates of each, in row-major order.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_count_tensor : TensorDesc
        How many there are, one number. UINT32; 1 to 8 dimensions.
    output_coordinates_tensor : TensorDesc
        The coordinates, one row each; zeros behind the last one. UINT32; 2 to 8 dimensions.

    Notes
    -----
    A NaN is not zero. Rows behind the last one are zeros. Rows may leave out coordinates of leading
    dimensions of size 1: they are as long as the output.

    Our choice: rows behind the last one.

    References
    ----------
    DirectML: DML_NONZERO_COORDINATES_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> desc = NonzeroCoordinatesOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     output_count_tensor=TensorDesc(np.uint32, [1]),
    ...     output_coordinates_tensor=TensorDesc(np.uint32, [3, 1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 5, np.nan], np.float32)])
    [array([2], dtype=uint32), array([[1],
           [2],
           [0]], dtype=uint32)]
    """
    input_tensor: TensorDesc
    output_count_tensor: TensorDesc
    output_coordinates_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_count_tensor: TensorDesc,
        output_coordinates_tensor: TensorDesc,
    ) -> None: ...

class OneHotOperatorDesc(OperatorDesc):
    """Output = Values[1] where the position along the axis is the index, Values[0] elsewhere.

    Parameters
    ----------
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    values_tensor : TensorDesc
        Two elements: what is written elsewhere, and what at the index. FLOAT64, FLOAT32, FLOAT16,
        INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    axis : int
        The axis, from 0.

    Notes
    -----
    Negative indices count from the end; an index beyond either end is ignored.

    References
    ----------
    DirectML: DML_ONE_HOT_OPERATOR_DESC; MicrosoftDocs/sdk-api at f88051d5c2.

    Examples
    --------
    >>> desc = OneHotOperatorDesc(
    ...     indices_tensor=TensorDesc(np.int32, [3, 1]),
    ...     values_tensor=TensorDesc(np.float32, [1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [3, 3]),
    ...     axis=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[ 0], [-1], [ 9]], np.int32), np.array([[4, 2]], np.float32)])
    [array([[2., 4., 4.],
           [4., 4., 2.],
           [4., 4., 4.]], dtype=float32)]
    """
    indices_tensor: TensorDesc
    values_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int

    def __init__(
        self,
        indices_tensor: TensorDesc,
        values_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
    ) -> None: ...

class PaddingOperatorDesc(OperatorDesc):
    """Output = Input with elements around it.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    padding_mode : PaddingMode
        What padding is filled with.
    padding_value : float
        What padding is filled with in mode CONSTANT.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.

    Notes
    -----
    As PADDING1, with a FLOAT32 value, which is rounded to the data type of the tensors once; for
    integers it goes towards zero and stays within the data type.

    References
    ----------
    DirectML: DML_PADDING_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

    Examples
    --------
    >>> desc = PaddingOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [2]),
    ...     output_tensor=TensorDesc(np.int8, [4]),
    ...     padding_mode=PaddingMode.SYMMETRIC,
    ...     padding_value=0,
    ...     start_padding=[1],
    ...     end_padding=[1],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.int8)])
    [array([1, 1, 2, 2], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    padding_mode: PaddingMode
    padding_value: float
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        padding_mode: PaddingMode,
        padding_value: float,
        start_padding: Sequence[int],
        end_padding: Sequence[int],
    ) -> None: ...

class Padding1OperatorDesc(OperatorDesc):
    """Output = Input with elements around it.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    padding_mode : PaddingMode
        What padding is filled with.
    padding_value_data_type : TensorDataType
        How to read the value; the same as the data type of the tensors.
    padding_value : ScalarUnion
        What padding is filled with in mode CONSTANT.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.

    Notes
    -----
    CONSTANT writes the value, EDGE the nearest element, REFLECTION mirrors at the outermost
    element, SYMMETRIC behind it, WRAP goes on at the other end; beyond one length they go on
    likewise. Every bit is kept.

    References
    ----------
    DirectML: DML_PADDING1_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea42082f77.

    Examples
    --------
    >>> desc = Padding1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [2]),
    ...     output_tensor=TensorDesc(np.int8, [5]),
    ...     padding_mode=PaddingMode.CONSTANT,
    ...     padding_value_data_type=np.int8,
    ...     padding_value=9,
    ...     start_padding=[1],
    ...     end_padding=[2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2], np.int8)])
    [array([9, 1, 2, 9, 9], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    padding_mode: PaddingMode
    padding_value_data_type: TensorDataType
    padding_value: ScalarUnion
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        padding_mode: PaddingMode,
        padding_value_data_type: DataTypeLike,
        padding_value: ScalarUnion | Scalar,
        start_padding: Sequence[int],
        end_padding: Sequence[int],
    ) -> None: ...

class QuantizeOperatorDesc(OperatorDesc):
    """Output = clamp(round(Input / Scale) + ZeroPoint), a scale for each block of elements.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    quantization_type : QuantizationType
        Which tensors describe the quantization.
    quantization_tensors : tuple[TensorDesc, ...]
        Scale, and zero point, as the quantization type says. FLOAT32, FLOAT16, INT8, INT4, UINT8,
        UINT4; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. INT8, INT4, UINT8, UINT4; 1 to 8 dimensions.

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
    >>> desc = QuantizeOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [4]),
    ...     quantization_type=QuantizationType.SCALE_ZERO_POINT,
    ...     quantization_tensors=[TensorDesc(np.float32, [2]), TensorDesc(np.int8, [2])],
    ...     output_tensor=TensorDesc(np.int8, [4]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2, 3, 8], np.float32), np.array([1, 2], np.float32), np.array([ 0, -1], np.int8)])
    [array([1, 2, 1, 3], dtype=int8)]
    """
    input_tensor: TensorDesc
    quantization_type: QuantizationType
    quantization_tensors: tuple[TensorDesc, ...]
    output_tensor: TensorDesc

    def __init__(
        self,
        input_tensor: TensorDesc,
        quantization_type: QuantizationType,
        quantization_tensors: Sequence[TensorDesc],
        output_tensor: TensorDesc,
    ) -> None: ...

class QuantizedLinearAveragePoolingOperatorDesc(OperatorDesc):
    """Output = Quantize(the average of Dequantize(Input) over each window).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. INT8, UINT8; 4 to 5 dimensions.
    input_scale_tensor : TensorDesc
        The scale of the input. FLOAT32; 1 to 5 dimensions.
    input_zero_point_tensor : TensorDesc, optional
        The zero point of the input; 0 if left out. INT8, UINT8; 1 to 5 dimensions.
    output_scale_tensor : TensorDesc
        The scale of the output. FLOAT32; 1 to 5 dimensions.
    output_zero_point_tensor : TensorDesc, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 5 dimensions.
    output_tensor : TensorDesc
        The output. INT8, UINT8; 4 to 5 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    window_size : tuple[int, ...]
        The window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    include_padding : bool
        Whether padding counts as elements.

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
    >>> desc = QuantizedLinearAveragePoolingOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [1, 1, 1, 2]),
    ...     input_scale_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_scale_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_tensor=TensorDesc(np.uint8, [1, 1, 1, 1]),
    ...     strides=[1, 1],
    ...     window_size=[1, 2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[2, 4]]]], np.uint8), np.array([[[[0.5]]]], np.float32), None, np.array([[[[0.5]]]], np.float32), None])
    [array([[[[3]]]], dtype=uint8)]
    """
    input_tensor: TensorDesc
    input_scale_tensor: TensorDesc
    input_zero_point_tensor: TensorDesc | None
    output_scale_tensor: TensorDesc
    output_zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    window_size: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    dilations: tuple[int, ...]
    include_padding: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_scale_tensor: TensorDesc,
        output_scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int],
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        include_padding: bool = ...,
        *,
        input_zero_point_tensor: TensorDesc | None = ...,
        output_zero_point_tensor: TensorDesc | None = ...,
    ) -> None: ...

class QuantizedLinearConvolutionOperatorDesc(OperatorDesc):
    """Output = Quantize(Dequantize(Input) * Dequantize(Filter) + Bias).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. INT8, UINT8; 3 to 4 dimensions.
    input_scale_tensor : TensorDesc
        The scale of the input. FLOAT32; 1 to 4 dimensions.
    input_zero_point_tensor : TensorDesc, optional
        The zero point of the input; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    filter_tensor : TensorDesc
        The filter: output channels, input channels of a group, spatial dimensions. INT8, UINT8; 3
        to 4 dimensions.
    filter_scale_tensor : TensorDesc
        The scale of the filter. FLOAT32; 1 to 4 dimensions.
    filter_zero_point_tensor : TensorDesc, optional
        The zero point of the filter; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. INT32; 3 to 4 dimensions.
    output_scale_tensor : TensorDesc
        The scale of the output. FLOAT32; 1 to 4 dimensions.
    output_zero_point_tensor : TensorDesc, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. INT8, UINT8; 3 to 4 dimensions.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
        How many elements are added behind each dimension.
    group_count : int
        Into how many groups the channels are divided.

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
    >>> desc = QuantizedLinearConvolutionOperatorDesc(
    ...     input_tensor=TensorDesc(np.uint8, [1, 1, 3]),
    ...     input_scale_tensor=TensorDesc(np.float32, [1, 1, 1]),
    ...     filter_tensor=TensorDesc(np.uint8, [1, 1, 2]),
    ...     filter_scale_tensor=TensorDesc(np.float32, [1, 1, 1]),
    ...     output_scale_tensor=TensorDesc(np.float32, [1, 1, 1]),
    ...     output_tensor=TensorDesc(np.uint8, [1, 1, 2]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[1, 2, 3]]], np.uint8), np.array([[[1]]], np.float32), None, np.array([[[ 1, 10]]], np.uint8), np.array([[[2]]], np.float32), None, None, np.array([[[2]]], np.float32), None])
    [array([[[21, 32]]], dtype=uint8)]
    """
    input_tensor: TensorDesc
    input_scale_tensor: TensorDesc
    input_zero_point_tensor: TensorDesc | None
    filter_tensor: TensorDesc
    filter_scale_tensor: TensorDesc
    filter_zero_point_tensor: TensorDesc | None
    bias_tensor: TensorDesc | None
    output_scale_tensor: TensorDesc
    output_zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    group_count: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        input_scale_tensor: TensorDesc,
        filter_tensor: TensorDesc,
        filter_scale_tensor: TensorDesc,
        output_scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        group_count: int = ...,
        *,
        input_zero_point_tensor: TensorDesc | None = ...,
        filter_zero_point_tensor: TensorDesc | None = ...,
        bias_tensor: TensorDesc | None = ...,
        output_zero_point_tensor: TensorDesc | None = ...,
    ) -> None: ...

class QuantizedLinearMatrixMultiplyOperatorDesc(OperatorDesc):
    """Output = Quantize(Dequantize(A) Dequantize(B)).

    Parameters
    ----------
    a_tensor : TensorDesc
        The first operand. INT8, UINT8; 2 to 4 dimensions.
    a_scale_tensor : TensorDesc
        The scale of A. FLOAT32; 1 to 4 dimensions.
    a_zero_point_tensor : TensorDesc, optional
        The zero point of A; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    b_tensor : TensorDesc
        The second operand. INT8, UINT8; 2 to 4 dimensions.
    b_scale_tensor : TensorDesc
        The scale of B. FLOAT32; 1 to 4 dimensions.
    b_zero_point_tensor : TensorDesc, optional
        The zero point of B; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_scale_tensor : TensorDesc
        The scale of the output. FLOAT32; 1 to 4 dimensions.
    output_zero_point_tensor : TensorDesc, optional
        The zero point of the output; 0 if left out. INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. INT8, UINT8; 2 to 4 dimensions.

    Notes
    -----
    The product of integers is exact in INT32; FLOAT32(product) * ((AScale * BScale) / OutputScale),
    each operation rounded, then as ELEMENT_WISE_QUANTIZE_LINEAR.

    References
    ----------
    DirectML: DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC; MicrosoftDocs/sdk-api at e0bf7d90df.

    Examples
    --------
    >>> desc = QuantizedLinearMatrixMultiplyOperatorDesc(
    ...     a_tensor=TensorDesc(np.uint8, [1, 2]),
    ...     a_scale_tensor=TensorDesc(np.float32, [1, 1]),
    ...     b_tensor=TensorDesc(np.uint8, [2, 1]),
    ...     b_scale_tensor=TensorDesc(np.float32, [1, 1]),
    ...     output_scale_tensor=TensorDesc(np.float32, [1, 1]),
    ...     output_tensor=TensorDesc(np.uint8, [1, 1]),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2]], np.uint8), np.array([[1]], np.float32), None, np.array([[3], [4]], np.uint8), np.array([[2]], np.float32), None, np.array([[2]], np.float32), None])
    [array([[11]], dtype=uint8)]
    """
    a_tensor: TensorDesc
    a_scale_tensor: TensorDesc
    a_zero_point_tensor: TensorDesc | None
    b_tensor: TensorDesc
    b_scale_tensor: TensorDesc
    b_zero_point_tensor: TensorDesc | None
    output_scale_tensor: TensorDesc
    output_zero_point_tensor: TensorDesc | None
    output_tensor: TensorDesc

    def __init__(
        self,
        a_tensor: TensorDesc,
        a_scale_tensor: TensorDesc,
        b_tensor: TensorDesc,
        b_scale_tensor: TensorDesc,
        output_scale_tensor: TensorDesc,
        output_tensor: TensorDesc,
        *,
        a_zero_point_tensor: TensorDesc | None = ...,
        b_zero_point_tensor: TensorDesc | None = ...,
        output_zero_point_tensor: TensorDesc | None = ...,
    ) -> None: ...

class RandomGeneratorOperatorDesc(OperatorDesc):
    """Output = uniformly distributed bits; OutputState = the state after them.

    Parameters
    ----------
    input_state_tensor : TensorDesc
        The state: a counter of four words and a key of two. UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. UINT32; 1 to 8 dimensions.
    output_state_tensor : TensorDesc, optional
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
    >>> desc = RandomGeneratorOperatorDesc(
    ...     input_state_tensor=TensorDesc(np.uint32, [1, 6]),
    ...     output_tensor=TensorDesc(np.uint32, [1, 4]),
    ...     output_state_tensor=TensorDesc(np.uint32, [1, 6]),
    ...     type=RandomGeneratorType.PHILOX_4X32_10,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[0, 0, 0, 0, 0, 0]], np.uint32)])
    [array([[1713891541, 3781805453, 3159862348, 2600524760]], dtype=uint32), array([[1, 0, 0, 0, 0, 0]], dtype=uint32)]
    """
    input_state_tensor: TensorDesc
    output_tensor: TensorDesc
    output_state_tensor: TensorDesc | None
    type: RandomGeneratorType

    def __init__(
        self,
        input_state_tensor: TensorDesc,
        output_tensor: TensorDesc,
        output_state_tensor: TensorDesc | None = ...,
        type: RandomGeneratorType = ...,
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
    Elements are numbered row-major over the axes in ascending order. SUM, L1 (of magnitudes),
    SUM_SQUARE (of exact squares), AVERAGE (SUM / count) and L2 (root of SUM_SQUARE) are computed in
    FLOAT64 by rule S16 (16 interleaved sums from +0 and a fixed tree, of blocks of 4,096 elements,
    then of their totals) and rounded once; MULTIPLY is one FLOAT64 chain. LOG_SUM: the logarithm of
    the sum, both FLOAT32. LOG_SUM_EXP: FLOAT32 x - m, exp, S16 to FLOAT32, log, + m, with m the
    largest element, or 0 if that is infinite. A sum of -0 alone is +0. MAX, MIN: a NaN wins, and +0
    is larger than -0. ARGMAX, ARGMIN: the number of the first largest or smallest element. Integers
    are exact modulo 2^bits.

    References
    ----------
    DirectML: DML_REDUCE_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

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

class ResampleOperatorDesc(OperatorDesc):
    """Output[i] = Input at the coordinate (i + 0.5) / Scale - 0.5.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    interpolation_mode : InterpolationMode
        What lies between elements.
    scales : tuple[float, ...]
        The ratio of output to input size, one per dimension.

    Notes
    -----
    As RESAMPLE1 with offsets of 0.5 and -0.5.

    References
    ----------
    DirectML: DML_RESAMPLE_OPERATOR_DESC; MicrosoftDocs/sdk-api at f2d501f718.

    Examples
    --------
    >>> desc = ResampleOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [4]),
    ...     interpolation_mode=InterpolationMode.LINEAR,
    ...     scales=[2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 8], np.float32)])
    [array([0., 2., 6., 8.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    scales: tuple[float, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        interpolation_mode: InterpolationMode,
        scales: Sequence[float],
    ) -> None: ...

class Resample1OperatorDesc(OperatorDesc):
    """Output[i] = Input at the coordinate (i - OutputPixelOffset) / Scale - InputPixelOffset.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    interpolation_mode : InterpolationMode
        What lies between elements.
    scales : tuple[float, ...]
        The ratio of output to input size, one per dimension.
    input_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an input element lies; usually -0.5 or 0.
    output_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an output element lies; usually 0.5 or 0.

    Notes
    -----
    As RESAMPLE2; NEAREST_NEIGHBOR takes the nearest element, of two equally near ones the one with
    the lower position: ceil(coordinate - 0.5).

    References
    ----------
    DirectML: DML_RESAMPLE1_OPERATOR_DESC; MicrosoftDocs/sdk-api at 883ac18d4e.

    Examples
    --------
    >>> desc = Resample1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [4]),
    ...     interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR,
    ...     scales=[2],
    ...     input_pixel_offsets=[0.5],
    ...     output_pixel_offsets=[-0.5],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 8], np.float32)])
    [array([0., 0., 8., 8.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    scales: tuple[float, ...]
    input_pixel_offsets: tuple[float, ...]
    output_pixel_offsets: tuple[float, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        interpolation_mode: InterpolationMode,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float],
        output_pixel_offsets: Sequence[float],
    ) -> None: ...

class Resample2OperatorDesc(OperatorDesc):
    """Output[i] = Input at the coordinate (i - OutputPixelOffset) / Scale - InputPixelOffset.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    interpolation_mode : InterpolationMode
        What lies between elements.
    rounding_direction : AxisDirection
        Where the nearest of two equally near elements lies.
    scales : tuple[float, ...]
        The ratio of output to input size, one per dimension.
    input_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an input element lies; usually -0.5 or 0.
    output_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an output element lies; usually 0.5 or 0.

    Notes
    -----
    Along each dimension, in FLOAT64, clamped to the input. NEAREST_NEIGHBOR rounds the coordinate
    up with INCREASING, down with DECREASING. LINEAR weighs both neighbours, the last dimension
    first, in FLOAT64, and rounds once at the end, integers to the nearest, ties to even.
    Antialiased stretches the triangle of LINEAR by 1 / Scale along dimensions where that is more
    than 2. There the coordinate is not clamped, and what the triangle covers beyond the input are
    its first and last elements. RESAMPLE2 has no Antialiased.

    The page is silent: what antialiasing makes of elements beyond the input; ONNX's Resize with
    antialias and without exclude_outside, in whose words the page describes it, decides.

    References
    ----------
    DirectML: DML_RESAMPLE2_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = Resample2OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [4]),
    ...     interpolation_mode=InterpolationMode.LINEAR,
    ...     rounding_direction=AxisDirection.INCREASING,
    ...     scales=[2],
    ...     input_pixel_offsets=[0.5],
    ...     output_pixel_offsets=[-0.5],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 8], np.float32)])
    [array([0., 2., 6., 8.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    rounding_direction: AxisDirection
    scales: tuple[float, ...]
    input_pixel_offsets: tuple[float, ...]
    output_pixel_offsets: tuple[float, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        interpolation_mode: InterpolationMode,
        rounding_direction: AxisDirection,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float],
        output_pixel_offsets: Sequence[float],
    ) -> None: ...

class Resample3OperatorDesc(OperatorDesc):
    """Output[i] = Input at the coordinate (i - OutputPixelOffset) / Scale - InputPixelOffset.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16, INT8, UINT8; 1 to 4 dimensions.
    interpolation_mode : InterpolationMode
        What lies between elements.
    rounding_direction : AxisDirection
        Where the nearest of two equally near elements lies.
    scales : tuple[float, ...]
        The ratio of output to input size, one per dimension.
    input_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an input element lies; usually -0.5 or 0.
    output_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an output element lies; usually 0.5 or 0.
    antialiased : bool
        Whether shrinking averages all input elements below an output element.

    Notes
    -----
    Along each dimension, in FLOAT64, clamped to the input. NEAREST_NEIGHBOR rounds the coordinate
    up with INCREASING, down with DECREASING. LINEAR weighs both neighbours, the last dimension
    first, in FLOAT64, and rounds once at the end, integers to the nearest, ties to even.
    Antialiased stretches the triangle of LINEAR by 1 / Scale along dimensions where that is more
    than 2. There the coordinate is not clamped, and what the triangle covers beyond the input are
    its first and last elements. RESAMPLE2 has no Antialiased.

    The page is silent: what antialiasing makes of elements beyond the input; ONNX's Resize with
    antialias and without exclude_outside, in whose words the page describes it, decides.

    References
    ----------
    DirectML: DML_RESAMPLE3_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = Resample3OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [4]),
    ...     interpolation_mode=InterpolationMode.LINEAR,
    ...     rounding_direction=AxisDirection.INCREASING,
    ...     scales=[2],
    ...     input_pixel_offsets=[0.5],
    ...     output_pixel_offsets=[-0.5],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([0, 8], np.float32)])
    [array([0., 2., 6., 8.], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    rounding_direction: AxisDirection
    scales: tuple[float, ...]
    input_pixel_offsets: tuple[float, ...]
    output_pixel_offsets: tuple[float, ...]
    antialiased: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        interpolation_mode: InterpolationMode,
        rounding_direction: AxisDirection,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float],
        output_pixel_offsets: Sequence[float],
        antialiased: bool = ...,
    ) -> None: ...

class ResampleGradOperatorDesc(OperatorDesc):
    """OutputGradient = the gradient of RESAMPLE1 by its input.

    Parameters
    ----------
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 1 to 4 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 1 to 4 dimensions.
    interpolation_mode : InterpolationMode
        What lies between elements.
    scales : tuple[float, ...]
        The ratio of output to input size, one per dimension.
    input_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an input element lies; usually -0.5 or 0.
    output_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an output element lies; usually 0.5 or 0.

    Notes
    -----
    As RESAMPLE_GRAD1.

    References
    ----------
    DirectML: DML_RESAMPLE_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at 9ade0e62b7.

    Examples
    --------
    >>> desc = ResampleGradOperatorDesc(
    ...     input_gradient_tensor=TensorDesc(np.float32, [4]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR,
    ...     scales=[2],
    ...     input_pixel_offsets=[0.5],
    ...     output_pixel_offsets=[-0.5],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 2, 3, 4], np.float32)])
    [array([3., 7.], dtype=float32)]
    """
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    scales: tuple[float, ...]
    input_pixel_offsets: tuple[float, ...]
    output_pixel_offsets: tuple[float, ...]

    def __init__(
        self,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        interpolation_mode: InterpolationMode,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float],
        output_pixel_offsets: Sequence[float],
    ) -> None: ...

class ResampleGrad1OperatorDesc(OperatorDesc):
    """OutputGradient = the gradient of RESAMPLE2 by its input.

    Parameters
    ----------
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 1 to 4 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 1 to 4 dimensions.
    interpolation_mode : InterpolationMode
        What lies between elements.
    rounding_direction : AxisDirection
        Where the nearest of two equally near elements lies.
    scales : tuple[float, ...]
        The ratio of output to input size, one per dimension.
    input_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an input element lies; usually -0.5 or 0.
    output_pixel_offsets : tuple[float, ...]
        Per dimension, where the centre of an output element lies; usually 0.5 or 0.

    Notes
    -----
    Each gradient goes to the elements that RESAMPLE2 reads, times their weights, in FLOAT64, added
    in the order of its output; rounded once.

    References
    ----------
    DirectML: DML_RESAMPLE_GRAD1_OPERATOR_DESC; MicrosoftDocs/windows-ai-docs at 54d416b94c.

    Examples
    --------
    >>> desc = ResampleGrad1OperatorDesc(
    ...     input_gradient_tensor=TensorDesc(np.float32, [4]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     interpolation_mode=InterpolationMode.LINEAR,
    ...     rounding_direction=AxisDirection.INCREASING,
    ...     scales=[2],
    ...     input_pixel_offsets=[0.5],
    ...     output_pixel_offsets=[-0.5],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([1, 1, 1, 1], np.float32)])
    [array([2., 2.], dtype=float32)]
    """
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    rounding_direction: AxisDirection
    scales: tuple[float, ...]
    input_pixel_offsets: tuple[float, ...]
    output_pixel_offsets: tuple[float, ...]

    def __init__(
        self,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        interpolation_mode: InterpolationMode,
        rounding_direction: AxisDirection,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float],
        output_pixel_offsets: Sequence[float],
    ) -> None: ...

class ReverseSubsequencesOperatorDesc(OperatorDesc):
    """Output = Input with the first elements of each sequence along the axis in reverse.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    sequence_lengths_tensor : TensorDesc
        The lengths of the sequences. UINT64, UINT32; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
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
    >>> desc = ReverseSubsequencesOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [2, 3]),
    ...     sequence_lengths_tensor=TensorDesc(np.uint32, [2, 1]),
    ...     output_tensor=TensorDesc(np.int8, [2, 3]),
    ...     axis=1,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2, 3], [4, 5, 6]], np.int8), np.array([[2], [9]], np.uint32)])
    [array([[2, 1, 3],
           [6, 5, 4]], dtype=int8)]
    """
    input_tensor: TensorDesc
    sequence_lengths_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        sequence_lengths_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
    ) -> None: ...

class RnnOperatorDesc(OperatorDesc):
    """Outputs = the hidden states of a recurrent network: of all steps, and the last one.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    weight_tensor : TensorDesc
        The weights of the input. FLOAT32, FLOAT16; 4 dimensions.
    recurrence_tensor : TensorDesc
        The weights of the hidden state. FLOAT32, FLOAT16; 4 dimensions.
    bias_tensor : TensorDesc, optional
        What is added. FLOAT32, FLOAT16; 4 dimensions.
    hidden_init_tensor : TensorDesc, optional
        The hidden state before the first step; zeros if left out. FLOAT32, FLOAT16; 4 dimensions.
    sequence_lengths_tensor : TensorDesc, optional
        The lengths of the sequences. UINT32; 4 dimensions.
    output_sequence_tensor : TensorDesc, optional
        The hidden states of all steps. FLOAT32, FLOAT16; 4 dimensions.
    output_single_tensor : TensorDesc, optional
        The hidden state after the last step. FLOAT32, FLOAT16; 4 dimensions.
    activation_descs : tuple[FusedActivation, ...]
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
    >>> desc = RnnOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 2, 1, 1]),
    ...     weight_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     recurrence_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     output_sequence_tensor=TensorDesc(np.float32, [2, 1, 1, 1]),
    ...     output_single_tensor=TensorDesc(np.float32, [1, 1, 1, 1]),
    ...     activation_descs=[FusedActivation.identity()],
    ...     direction=RecurrentNetworkDirection.FORWARD,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1]], [[2]]]], np.float32), np.array([[[[3]]]], np.float32), np.array([[[[1]]]], np.float32), None, None, None])
    [array([[[[3.]]],
           [[[9.]]]], dtype=float32), array([[[[9.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    weight_tensor: TensorDesc
    recurrence_tensor: TensorDesc
    bias_tensor: TensorDesc | None
    hidden_init_tensor: TensorDesc | None
    sequence_lengths_tensor: TensorDesc | None
    output_sequence_tensor: TensorDesc | None
    output_single_tensor: TensorDesc | None
    activation_descs: tuple[FusedActivation, ...]
    direction: RecurrentNetworkDirection

    def __init__(
        self,
        input_tensor: TensorDesc,
        weight_tensor: TensorDesc,
        recurrence_tensor: TensorDesc,
        activation_descs: Sequence[FusedActivation],
        direction: RecurrentNetworkDirection = ...,
        *,
        bias_tensor: TensorDesc | None = ...,
        hidden_init_tensor: TensorDesc | None = ...,
        sequence_lengths_tensor: TensorDesc | None = ...,
        output_sequence_tensor: TensorDesc | None = ...,
        output_single_tensor: TensorDesc | None = ...,
    ) -> None: ...

class RoiAlignOperatorDesc(OperatorDesc):
    """Output = the average or the largest of the samples of each cell of each region.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    roi_tensor : TensorDesc
        The regions. FLOAT32, FLOAT16; 2 to 4 dimensions.
    batch_indices_tensor : TensorDesc
        Of each region, which batch it lies in. UINT64, UINT32; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 dimensions.
    reduction_function : ReduceFunction
        How samples become one: MAX or AVERAGE.
    interpolation_mode : InterpolationMode
        What lies between elements.
    spatial_scale_x : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    spatial_scale_y : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    out_of_bounds_input_value : float
        What lies outside of the input. Rounded to FLOAT32.
    minimum_samples_per_output : int
        The fewest samples per output element and dimension.
    maximum_samples_per_output : int
        The most samples per output element and dimension.

    Notes
    -----
    Along each axis, with a region from s to e after scaling, and m cells:

        n = ceil((e - s) / m), within MinimumSamplesPerOutput and MaximumSamplesPerOutput
        t(k) = (k - OutputPixelOffset) / (m n), or / (m n - 1) with AlignRegionsToCorners
        coordinate of sample k = t(k) (e - s) + s - InputPixelOffset

    Cell i has the samples from i n to before (i + 1) n. A coordinate from -1 to the input's size is
    limited to the input; beyond, and NaN, the sample is OutOfBoundsInputValue. LINEAR weighs both
    neighbours, along x first; NEAREST_NEIGHBOR takes the nearest, of two equally near ones the one
    with the lower position. Samples are added row by row, and divided by their count; of the
    largest, a NaN wins, and +0 is larger than -0. FLOAT64, rounded once. ROI_ALIGN has offsets of
    0.5 and -0.5, and no AlignRegionsToCorners.

    The page errs: it takes the scale of y from x, and one sample more per cell than it counts.
    ONNX's RoiAlign, which ONNX Runtime maps to this operator, decides.

    The page is silent: rounding of the count of samples, and borders, which ONNX's RoiAlign decides
    too; the nearer of two equally near elements, which the page of ROI_ALIGN_GRAD shows.

    Our choice: a single sample with AlignRegionsToCorners lies in the middle, a region that is not
    finite has the fewest samples, and a batch that there is not gives OutOfBoundsInputValue.

    References
    ----------
    DirectML: DML_ROI_ALIGN_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> desc = RoiAlignOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 4]),
    ...     roi_tensor=TensorDesc(np.float32, [1, 4]),
    ...     batch_indices_tensor=TensorDesc(np.uint32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.LINEAR,
    ...     spatial_scale_x=1,
    ...     spatial_scale_y=1,
    ...     out_of_bounds_input_value=0,
    ...     minimum_samples_per_output=1,
    ...     maximum_samples_per_output=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2, 3, 4]]]], np.float32), np.array([[0, 0, 4, 1]], np.float32), np.array([0], np.uint32)])
    [array([[[[1.5, 3.5]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    roi_tensor: TensorDesc
    batch_indices_tensor: TensorDesc
    output_tensor: TensorDesc
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float
    out_of_bounds_input_value: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        roi_tensor: TensorDesc,
        batch_indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
        reduction_function: ReduceFunction,
        interpolation_mode: InterpolationMode,
        spatial_scale_x: float,
        spatial_scale_y: float,
        out_of_bounds_input_value: float,
        minimum_samples_per_output: int,
        maximum_samples_per_output: int,
    ) -> None: ...

class RoiAlign1OperatorDesc(OperatorDesc):
    """Output = the average or the largest of the samples of each cell of each region.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    roi_tensor : TensorDesc
        The regions. FLOAT32, FLOAT16; 2 to 4 dimensions.
    batch_indices_tensor : TensorDesc
        Of each region, which batch it lies in. UINT64, UINT32; 1 to 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 dimensions.
    reduction_function : ReduceFunction
        How samples become one: MAX or AVERAGE.
    interpolation_mode : InterpolationMode
        What lies between elements.
    spatial_scale_x : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    spatial_scale_y : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    input_pixel_offset : float
        Where the centre of an input pixel lies; usually 0.5 or 0. Rounded to FLOAT32.
    output_pixel_offset : float
        Where the centre of an output pixel lies; usually -0.5 or 0. Rounded to FLOAT32.
    out_of_bounds_input_value : float
        What lies outside of the input. Rounded to FLOAT32.
    minimum_samples_per_output : int
        The fewest samples per output element and dimension.
    maximum_samples_per_output : int
        The most samples per output element and dimension.
    align_regions_to_corners : bool
        Whether pixels lie at whole coordinates instead of half ones.

    Notes
    -----
    Along each axis, with a region from s to e after scaling, and m cells:

        n = ceil((e - s) / m), within MinimumSamplesPerOutput and MaximumSamplesPerOutput
        t(k) = (k - OutputPixelOffset) / (m n), or / (m n - 1) with AlignRegionsToCorners
        coordinate of sample k = t(k) (e - s) + s - InputPixelOffset

    Cell i has the samples from i n to before (i + 1) n. A coordinate from -1 to the input's size is
    limited to the input; beyond, and NaN, the sample is OutOfBoundsInputValue. LINEAR weighs both
    neighbours, along x first; NEAREST_NEIGHBOR takes the nearest, of two equally near ones the one
    with the lower position. Samples are added row by row, and divided by their count; of the
    largest, a NaN wins, and +0 is larger than -0. FLOAT64, rounded once. ROI_ALIGN has offsets of
    0.5 and -0.5, and no AlignRegionsToCorners.

    The page errs: it takes the scale of y from x, and one sample more per cell than it counts.
    ONNX's RoiAlign, which ONNX Runtime maps to this operator, decides.

    The page is silent: rounding of the count of samples, and borders, which ONNX's RoiAlign decides
    too; the nearer of two equally near elements, which the page of ROI_ALIGN_GRAD shows.

    Our choice: a single sample with AlignRegionsToCorners lies in the middle, a region that is not
    finite has the fewest samples, and a batch that there is not gives OutOfBoundsInputValue.

    References
    ----------
    DirectML: DML_ROI_ALIGN1_OPERATOR_DESC; MicrosoftDocs/sdk-api at dd64e5cb8c.

    Examples
    --------
    >>> desc = RoiAlign1OperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 4]),
    ...     roi_tensor=TensorDesc(np.float32, [1, 4]),
    ...     batch_indices_tensor=TensorDesc(np.uint32, [1]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.LINEAR,
    ...     spatial_scale_x=1,
    ...     spatial_scale_y=1,
    ...     out_of_bounds_input_value=0,
    ...     minimum_samples_per_output=1,
    ...     maximum_samples_per_output=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2, 3, 4]]]], np.float32), np.array([[0, 0, 4, 1]], np.float32), np.array([0], np.uint32)])
    [array([[[[1.5, 3.5]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    roi_tensor: TensorDesc
    batch_indices_tensor: TensorDesc
    output_tensor: TensorDesc
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float
    input_pixel_offset: float
    output_pixel_offset: float
    out_of_bounds_input_value: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int
    align_regions_to_corners: bool

    def __init__(
        self,
        input_tensor: TensorDesc,
        roi_tensor: TensorDesc,
        batch_indices_tensor: TensorDesc,
        output_tensor: TensorDesc,
        reduction_function: ReduceFunction,
        interpolation_mode: InterpolationMode,
        spatial_scale_x: float,
        spatial_scale_y: float,
        out_of_bounds_input_value: float,
        minimum_samples_per_output: int,
        maximum_samples_per_output: int,
        align_regions_to_corners: bool = ...,
        *,
        input_pixel_offset: float = ...,
        output_pixel_offset: float = ...,
    ) -> None: ...

class RoiAlignGradOperatorDesc(OperatorDesc):
    """Outputs = the gradients of ROI_ALIGN1 by its input, and by its regions.

    Parameters
    ----------
    input_tensor : TensorDesc, optional
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT32, FLOAT16; 4 dimensions.
    roi_tensor : TensorDesc
        The regions. FLOAT32, FLOAT16; 2 to 4 dimensions.
    batch_indices_tensor : TensorDesc
        Of each region, which batch it lies in. UINT32; 1 to 4 dimensions.
    output_gradient_tensor : TensorDesc, optional
        The gradient of the input of the forward operator. FLOAT32, FLOAT16; 4 dimensions.
    output_roi_gradient_tensor : TensorDesc, optional
        The gradient of the regions. FLOAT32, FLOAT16; 2 to 4 dimensions.
    reduction_function : ReduceFunction
        How samples become one: MAX or AVERAGE.
    interpolation_mode : InterpolationMode
        What lies between elements.
    spatial_scale_x : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    spatial_scale_y : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    input_pixel_offset : float
        Where the centre of an input pixel lies; usually 0.5 or 0. Rounded to FLOAT32.
    output_pixel_offset : float
        Where the centre of an output pixel lies; usually -0.5 or 0. Rounded to FLOAT32.
    minimum_samples_per_output : int
        The fewest samples per output element and dimension.
    maximum_samples_per_output : int
        The most samples per output element and dimension.
    align_regions_to_corners : bool
        Whether pixels lie at whole coordinates instead of half ones.

    Notes
    -----
    With AVERAGE each sample inside of the input has an equal share of its cell's gradient, divided
    by the count of all samples; with MAX the largest has all of it, the first of equals. A share
    goes to the elements that the sample reads, times their weights. It moves the region's start by
    share * slope * SpatialScale * (1 - t), and its end by share * slope * SpatialScale * t, with t
    as in ROI_ALIGN1, and the slope between both neighbours along x (y), weighed along y (x); with
    NEAREST_NEIGHBOR too. FLOAT64, added one after the other by region, sample, channel, row and
    column, and rounded once.

    A coordinate that was limited to the input has no slope.

    The page errs: its formula for regions is this one only where the SpatialScale is the input's
    size, and each step between outputs one element; the derivative of ROI_ALIGN1 decides. With
    NEAREST_NEIGHBOR the slope is the page's.

    References
    ----------
    DirectML: DML_ROI_ALIGN_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> desc = RoiAlignGradOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     input_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 3]),
    ...     roi_tensor=TensorDesc(np.float32, [1, 4]),
    ...     batch_indices_tensor=TensorDesc(np.uint32, [1]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_roi_gradient_tensor=TensorDesc(np.float32, [1, 4]),
    ...     reduction_function=ReduceFunction.AVERAGE,
    ...     interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR,
    ...     spatial_scale_x=1,
    ...     spatial_scale_y=1,
    ...     input_pixel_offset=0.5,
    ...     output_pixel_offset=-0.5,
    ...     minimum_samples_per_output=1,
    ...     maximum_samples_per_output=1,
    ...     align_regions_to_corners=False,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[5, 6]]]], np.float32), np.array([[[[1, 2, 3]]]], np.float32), np.array([[0, 0, 2, 1]], np.float32), np.array([0], np.uint32)])
    [array([[[[3., 3.]]]], dtype=float32), array([[1., 0., 1., 0.]], dtype=float32)]
    """
    input_tensor: TensorDesc | None
    input_gradient_tensor: TensorDesc
    roi_tensor: TensorDesc
    batch_indices_tensor: TensorDesc
    output_gradient_tensor: TensorDesc | None
    output_roi_gradient_tensor: TensorDesc | None
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float
    input_pixel_offset: float
    output_pixel_offset: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int
    align_regions_to_corners: bool

    def __init__(
        self,
        input_gradient_tensor: TensorDesc,
        roi_tensor: TensorDesc,
        batch_indices_tensor: TensorDesc,
        reduction_function: ReduceFunction,
        interpolation_mode: InterpolationMode,
        spatial_scale_x: float,
        spatial_scale_y: float,
        input_pixel_offset: float,
        output_pixel_offset: float,
        minimum_samples_per_output: int,
        maximum_samples_per_output: int,
        align_regions_to_corners: bool,
        *,
        input_tensor: TensorDesc | None = ...,
        output_gradient_tensor: TensorDesc | None = ...,
        output_roi_gradient_tensor: TensorDesc | None = ...,
    ) -> None: ...

class RoiPoolingOperatorDesc(OperatorDesc):
    """Output = the largest element of each cell of each region.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    roi_tensor : TensorDesc
        The regions. FLOAT32, FLOAT16; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 dimensions.
    spatial_scale : float
        From coordinates of regions to those of the input. Rounded to FLOAT32.
    pooled_size : Size2D
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
    >>> desc = RoiPoolingOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 2, 4]),
    ...     roi_tensor=TensorDesc(np.float32, [1, 1, 1, 5]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     spatial_scale=1,
    ...     pooled_size=(2, 1),
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2, 3, 4], [5, 6, 7, 8]]]], np.float32), np.array([[[[0, 1, 0, 3, 1]]]], np.float32)])
    [array([[[[7., 8.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    roi_tensor: TensorDesc
    output_tensor: TensorDesc
    spatial_scale: float
    pooled_size: Size2D

    def __init__(
        self,
        input_tensor: TensorDesc,
        roi_tensor: TensorDesc,
        output_tensor: TensorDesc,
        spatial_scale: float,
        pooled_size: Size2D | tuple[int, int],
    ) -> None: ...

class ScatterOperatorDesc(OperatorDesc):
    """Output = Input, then Output[i, Indices[i, j, k], k] = Updates[i, j, k], at the axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    updates_tensor : TensorDesc
        What is written. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
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
    >>> desc = ScatterOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [3]),
    ...     indices_tensor=TensorDesc(np.int32, [2]),
    ...     updates_tensor=TensorDesc(np.float32, [2]),
    ...     output_tensor=TensorDesc(np.float32, [3]),
    ...     axis=0,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([5, 6, 7], np.float32), np.array([ 2, -3], np.int32), np.array([1, 2], np.float32)])
    [array([2., 6., 1.], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    updates_tensor: TensorDesc
    output_tensor: TensorDesc
    axis: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        updates_tensor: TensorDesc,
        output_tensor: TensorDesc,
        axis: int,
    ) -> None: ...

class ScatterNdOperatorDesc(OperatorDesc):
    """Output = Input, then Output[coordinates Indices[i], rest] = Updates[i, rest].

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    indices_tensor : TensorDesc
        Positions, from 0. INT64, INT32, UINT64, UINT32; 1 to 8 dimensions.
    updates_tensor : TensorDesc
        What is written. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
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
    >>> desc = ScatterNdOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 3]),
    ...     indices_tensor=TensorDesc(np.uint32, [2, 1]),
    ...     updates_tensor=TensorDesc(np.float32, [1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 3]),
    ...     input_dimension_count=1,
    ...     indices_dimension_count=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[1, 2, 3]], np.float32), np.array([[2], [0]], np.uint32), np.array([[9, 10]], np.float32)])
    [array([[10.,  2.,  9.]], dtype=float32)]
    """
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    updates_tensor: TensorDesc
    output_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        indices_tensor: TensorDesc,
        updates_tensor: TensorDesc,
        output_tensor: TensorDesc,
        input_dimension_count: int,
        indices_dimension_count: int,
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
    DirectML: DML_SLICE_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

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
    DirectML: DML_SLICE1_OPERATOR_DESC; MicrosoftDocs/sdk-api at 13f5245e8d.

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

class SliceGradOperatorDesc(OperatorDesc):
    """OutputGradient = InputGradient where SLICE1 takes its elements from, 0 elsewhere.

    Parameters
    ----------
    input_gradient_tensor : TensorDesc
        The gradient of the output of the forward operator. FLOAT64, FLOAT32, FLOAT16, INT64, INT32,
        INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    output_gradient_tensor : TensorDesc
        The gradient of the input of the forward operator. FLOAT64, FLOAT32, FLOAT16, INT64, INT32,
        INT16, INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    input_window_offsets : tuple[int, ...]
        Where the window begins, one per dimension.
    input_window_sizes : tuple[int, ...]
        How long the window is, one per dimension; it lies inside the input.
    input_window_strides : tuple[int, ...]
        One per dimension, not 0. With a negative one the window is read from its end backwards.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_SLICE_GRAD_OPERATOR_DESC; MicrosoftDocs/sdk-api at ea899bdf0b.

    Examples
    --------
    >>> desc = SliceGradOperatorDesc(
    ...     input_gradient_tensor=TensorDesc(np.float32, [2]),
    ...     output_gradient_tensor=TensorDesc(np.float32, [4]),
    ...     input_window_offsets=[1],
    ...     input_window_sizes=[3],
    ...     input_window_strides=[-2],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([5, 6], np.float32)])
    [array([0., 6., 0., 5.], dtype=float32)]
    """
    input_gradient_tensor: TensorDesc
    output_gradient_tensor: TensorDesc
    input_window_offsets: tuple[int, ...]
    input_window_sizes: tuple[int, ...]
    input_window_strides: tuple[int, ...]

    def __init__(
        self,
        input_gradient_tensor: TensorDesc,
        output_gradient_tensor: TensorDesc,
        input_window_offsets: Sequence[int],
        input_window_sizes: Sequence[int],
        input_window_strides: Sequence[int],
    ) -> None: ...

class SpaceToDepthOperatorDesc(OperatorDesc):
    """Output = Input with every block of pixels as channels.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 4 dimensions.
    block_size : int
        The width and height of a block, in elements.

    Notes
    -----
    With DEPTH_COLUMN_ROW the output's channels are numbered by row and column in the block, then by
    the input's channel; with COLUMN_ROW_DEPTH by channel, then by row and column. Every bit is
    kept. SPACE_TO_DEPTH does the former.

    References
    ----------
    DirectML: DML_SPACE_TO_DEPTH_OPERATOR_DESC; MicrosoftDocs/sdk-api at 6721cae40a.

    Examples
    --------
    >>> desc = SpaceToDepthOperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [1, 1, 2, 2]),
    ...     output_tensor=TensorDesc(np.int8, [1, 4, 1, 1]),
    ...     block_size=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2], [3, 4]]]], np.int8)])
    [array([[[[1]],
            [[2]],
            [[3]],
            [[4]]]], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    block_size: int

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        block_size: int,
    ) -> None: ...

class SpaceToDepth1OperatorDesc(OperatorDesc):
    """Output = Input with every block of pixels as channels.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 4 dimensions.
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
    >>> desc = SpaceToDepth1OperatorDesc(
    ...     input_tensor=TensorDesc(np.int8, [1, 1, 2, 2]),
    ...     output_tensor=TensorDesc(np.int8, [1, 4, 1, 1]),
    ...     block_size=2,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2], [3, 4]]]], np.int8)])
    [array([[[[1]],
            [[2]],
            [[3]],
            [[4]]]], dtype=int8)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    block_size: int
    order: DepthSpaceOrder

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        block_size: int,
        order: DepthSpaceOrder = ...,
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
    DirectML: DML_SPLIT_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    DirectML: DML_TILE_OPERATOR_DESC; MicrosoftDocs/sdk-api at b6ccb924f6.

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
    -0. Every bit is kept. TOP_K takes the largest.

    The page errs: that of TOP_K says feature level 2_0, and the header 1_0, which decides.

    Our choice: the order of NaNs, and of zeros, which is that of max and min.

    References
    ----------
    DirectML: DML_TOP_K_OPERATOR_DESC; MicrosoftDocs/sdk-api at 2cd469d9bd.

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
    -0. Every bit is kept. TOP_K takes the largest.

    The page errs: that of TOP_K says feature level 2_0, and the header 1_0, which decides.

    Our choice: the order of NaNs, and of zeros, which is that of max and min.

    References
    ----------
    DirectML: DML_TOP_K1_OPERATOR_DESC; MicrosoftDocs/sdk-api at f490882383.

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

class UnfoldOperatorDesc(OperatorDesc):
    """Output = the elements of every window as a column.

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. any data type; 3 to 8 dimensions.
    output_tensor : TensorDesc
        The output. any data type; 3 to 8 dimensions.
    window_sizes : tuple[int, ...]
        The window, one per spatial dimension.
    strides : tuple[int, ...]
        The distance between neighbouring windows, one per spatial dimension.
    dilations : tuple[int, ...]
        The distance between neighbouring elements of a window, one per spatial dimension.
    start_padding : tuple[int, ...]
        How many elements are added in front of each dimension.
    end_padding : tuple[int, ...]
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
    >>> desc = UnfoldOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 3]),
    ...     output_tensor=TensorDesc(np.float32, [1, 2, 2]),
    ...     window_sizes=[2],
    ...     strides=[1],
    ...     dilations=[1],
    ...     start_padding=[0],
    ...     end_padding=[0],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[1, 2, 3]]], np.float32)])
    [array([[[1., 2.],
            [2., 3.]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    window_sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        window_sizes: Sequence[int],
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
    ) -> None: ...

class Upsample2DOperatorDesc(OperatorDesc):
    """Output[y, x] = Input at ((y + 0.5) / height scale - 0.5, (x + 0.5) / width scale - 0.5).

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 to 5 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 to 5 dimensions.
    scale_size : Size2D
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
    >>> desc = Upsample2DOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 4]),
    ...     scale_size=(2, 1),
    ...     interpolation_mode=InterpolationMode.NEAREST_NEIGHBOR,
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 2]]]], np.float32)])
    [array([[[[1., 1., 2., 2.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_size: Size2D
    interpolation_mode: InterpolationMode

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        scale_size: Size2D | tuple[int, int],
        interpolation_mode: InterpolationMode,
    ) -> None: ...

class ValueScale2DOperatorDesc(OperatorDesc):
    """Output = Input * Scale + Bias[channel].

    Parameters
    ----------
    input_tensor : TensorDesc
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 4 dimensions.
    output_tensor : TensorDesc
        The output. FLOAT32, FLOAT16; 4 dimensions.
    scale : float
        A factor. Rounded to FLOAT32.
    bias : tuple[float, ...]
        One addend per channel. Each is rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition.

    References
    ----------
    DirectML: DML_VALUE_SCALE_2D_OPERATOR_DESC; MicrosoftDocs/sdk-api at 0f1321925c.

    Examples
    --------
    >>> desc = ValueScale2DOperatorDesc(
    ...     input_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     output_tensor=TensorDesc(np.float32, [1, 1, 1, 2]),
    ...     scale=2,
    ...     bias=[1],
    ... )
    >>> device = Device()
    >>> compiled = device.compile_operator(device.create_operator(desc))
    >>> compiled([np.array([[[[1, 3]]]], np.float32)])
    [array([[[[3., 7.]]]], dtype=float32)]
    """
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale: float
    bias: tuple[float, ...]

    def __init__(
        self,
        input_tensor: TensorDesc,
        output_tensor: TensorDesc,
        scale: float,
        bias: Sequence[float],
    ) -> None: ...
