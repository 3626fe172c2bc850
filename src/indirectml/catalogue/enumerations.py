"""The enumerations of operator fields and flags, one line each, with DirectML's numbers."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class ExecutionFlags(IntFlag):
    """DML_EXECUTION_FLAGS. Half precision changes what operators compute; the others nothing."""

    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4


AxisDirection = IntEnum("AxisDirection", "INCREASING DECREASING", start=0)
MatrixTransform = IntEnum("MatrixTransform", "NONE TRANSPOSE", start=0)
ReduceFunction = IntEnum(
    "ReduceFunction",
    "ARGMAX ARGMIN AVERAGE L1 L2 LOG_SUM LOG_SUM_EXP MAX MIN MULTIPLY SUM SUM_SQUARE",
    start=0,
)
#: By the type of a field in the catalogue. Names in C begin with DML_ and the type.
FIELD_ENUMERATIONS: dict[str, type[IntEnum]] = {
    "AXIS_DIRECTION": AxisDirection,
    "MATRIX_TRANSFORM": MatrixTransform,
    "REDUCE_FUNCTION": ReduceFunction,
}

Feature = IntEnum("Feature", "TENSOR_DATA_TYPE_SUPPORT FEATURE_LEVELS", start=0)
