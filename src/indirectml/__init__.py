"""IndirectML: DirectML operators without Direct3D.

Arrays: `fill_constant`, `fill_sequence`, `full`, `sequence`, `Sequence`.
Operators: `Device`, `TensorDesc`, and a descriptor per operator.
The command line: `indirectml --help`.
"""

from indirectml.arrays import fill_constant, fill_sequence, full, sequence
from indirectml.data_types import TensorDataType
from indirectml.descriptors import OperatorDesc
from indirectml.errors import (
    BindingError,
    DataTypeError,
    DescriptorError,
    DeviceUnavailableError,
    DirectMLError,
    FileFormatError,
    HResult,
    LayoutError,
    ModelError,
    OperatorNotImplementedError,
    ScalarError,
    SettingError,
)
from indirectml.feature_levels import FeatureLevel
from indirectml.operators.fill_value_constant import FillValueConstantOperatorDesc
from indirectml.operators.fill_value_sequence import FillValueSequenceOperatorDesc
from indirectml.runtime import CompiledOperator, Device, ExecutionFlags, Operator
from indirectml.scalars import ScalarUnion
from indirectml.sequences import Segment, Sequence
from indirectml.settings import available_targets, configure
from indirectml.tensors import TensorDesc, TensorFlags, calc_buffer_tensor_size

__all__ = [
    "BindingError",
    "CompiledOperator",
    "DataTypeError",
    "DescriptorError",
    "Device",
    "DeviceUnavailableError",
    "DirectMLError",
    "ExecutionFlags",
    "FeatureLevel",
    "FileFormatError",
    "FillValueConstantOperatorDesc",
    "FillValueSequenceOperatorDesc",
    "HResult",
    "LayoutError",
    "ModelError",
    "Operator",
    "OperatorDesc",
    "OperatorNotImplementedError",
    "ScalarError",
    "ScalarUnion",
    "Segment",
    "Sequence",
    "SettingError",
    "TensorDataType",
    "TensorDesc",
    "TensorFlags",
    "available_targets",
    "calc_buffer_tensor_size",
    "configure",
    "fill_constant",
    "fill_sequence",
    "full",
    "sequence",
]

__version__ = "0.1.0"
