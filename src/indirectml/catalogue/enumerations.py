"""The enumerations of operator fields and flags, one line each, with DirectML's numbers."""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag


class ExecutionFlags(IntFlag):
    """DML_EXECUTION_FLAGS. They permit or ask for things; none of them changes a bit."""

    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4


Feature = IntEnum("Feature", "TENSOR_DATA_TYPE_SUPPORT FEATURE_LEVELS", start=0)
Feature.__doc__ = "DML_FEATURE: what a device can be asked."

AxisDirection = IntEnum("AxisDirection", "INCREASING DECREASING", start=0)
AxisDirection.__doc__ = "DML_AXIS_DIRECTION: from the first element to the last, or backwards."
ConvolutionDirection = IntEnum("ConvolutionDirection", "FORWARD BACKWARD", start=0)
ConvolutionDirection.__doc__ = "DML_CONVOLUTION_DIRECTION: BACKWARD is the transposed convolution."
ConvolutionMode = IntEnum("ConvolutionMode", "CONVOLUTION CROSS_CORRELATION", start=0)
ConvolutionMode.__doc__ = "DML_CONVOLUTION_MODE: CONVOLUTION reverses the filter."
DepthSpaceOrder = IntEnum("DepthSpaceOrder", "DEPTH_COLUMN_ROW COLUMN_ROW_DEPTH", start=0)
DepthSpaceOrder.__doc__ = "DML_DEPTH_SPACE_ORDER: how the channels hold a block of pixels."
InterpolationMode = IntEnum("InterpolationMode", "NEAREST_NEIGHBOR LINEAR", start=0)
InterpolationMode.__doc__ = "DML_INTERPOLATION_MODE: what lies between the elements of an input."
IsInfinityMode = IntEnum("IsInfinityMode", "EITHER POSITIVE NEGATIVE", start=0)
IsInfinityMode.__doc__ = "DML_IS_INFINITY_MODE: which infinities count."
MatrixTransform = IntEnum("MatrixTransform", "NONE TRANSPOSE", start=0)
MatrixTransform.__doc__ = "DML_MATRIX_TRANSFORM: whether a matrix is transposed first."
MultiheadAttentionMaskType = IntEnum(
    "MultiheadAttentionMaskType",
    "NONE KEY_SEQUENCE_LENGTH KEY_SEQUENCE_END_START KEY_QUERY_SEQUENCE_LENGTH_START_END BOOLEAN",
    start=0,
)
MultiheadAttentionMaskType.__doc__ = "DML_MULTIHEAD_ATTENTION_MASK_TYPE: what a mask holds."
PaddingMode = IntEnum("PaddingMode", "CONSTANT EDGE REFLECTION SYMMETRIC WRAP", start=0)
PaddingMode.__doc__ = "DML_PADDING_MODE: what padding is filled with."
QuantizationType = IntEnum("QuantizationType", "NONE SCALE SCALE_ZERO_POINT", start=0)
QuantizationType.__doc__ = "DML_QUANTIZATION_TYPE: which tensors describe the quantization."
RandomGeneratorType = IntEnum("RandomGeneratorType", "PHILOX_4X32_10", start=0)
RandomGeneratorType.__doc__ = "DML_RANDOM_GENERATOR_TYPE: the generator of random bits."
RecurrentNetworkDirection = IntEnum(
    "RecurrentNetworkDirection", "FORWARD BACKWARD BIDIRECTIONAL", start=0
)
RecurrentNetworkDirection.__doc__ = "DML_RECURRENT_NETWORK_DIRECTION: which way a sequence is read."
ReduceFunction = IntEnum(
    "ReduceFunction",
    "ARGMAX ARGMIN AVERAGE L1 L2 LOG_SUM LOG_SUM_EXP MAX MIN MULTIPLY SUM SUM_SQUARE",
    start=0,
)
ReduceFunction.__doc__ = "DML_REDUCE_FUNCTION: how elements become one number."
RoundingMode = IntEnum(
    "RoundingMode", "HALVES_TO_NEAREST_EVEN TOWARD_ZERO TOWARD_INFINITY", start=0
)
RoundingMode.__doc__ = "DML_ROUNDING_MODE: to which whole number a number is rounded."

#: Not DirectML's, but of its Python package: which outputs a GRU is asked for.
GRUOutputOptions = IntEnum("GRUOutputOptions", "Both Sequence Single", start=0)
GRUOutputOptions.__doc__ = "Which outputs the function `gru` returns."

#: By the type of a field in the catalogue. Names in C begin with DML_ and the type.
FIELD_ENUMERATIONS: dict[str, type[IntEnum]] = {
    "AXIS_DIRECTION": AxisDirection,
    "CONVOLUTION_DIRECTION": ConvolutionDirection,
    "CONVOLUTION_MODE": ConvolutionMode,
    "DEPTH_SPACE_ORDER": DepthSpaceOrder,
    "INTERPOLATION_MODE": InterpolationMode,
    "IS_INFINITY_MODE": IsInfinityMode,
    "MATRIX_TRANSFORM": MatrixTransform,
    "MULTIHEAD_ATTENTION_MASK_TYPE": MultiheadAttentionMaskType,
    "PADDING_MODE": PaddingMode,
    "QUANTIZATION_TYPE": QuantizationType,
    "RANDOM_GENERATOR_TYPE": RandomGeneratorType,
    "RECURRENT_NETWORK_DIRECTION": RecurrentNetworkDirection,
    "REDUCE_FUNCTION": ReduceFunction,
    "ROUNDING_MODE": RoundingMode,
}

# As in the `directml` package, a member's text is its name; Python's own would be its number.
for _kind in (ExecutionFlags, Feature, GRUOutputOptions, *FIELD_ENUMERATIONS.values()):
    setattr(_kind, "__str__", Enum.__str__)  # noqa: B010 (an assignment is refused by mypy)
