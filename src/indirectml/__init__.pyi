# The public names, and where each comes from. This is the only list of them: `__init__.py` reads
# it when a name is first asked for, and type checkers read it as it is.

from indirectml.arrays import fill_constant as fill_constant
from indirectml.arrays import fill_sequence as fill_sequence
from indirectml.arrays import full as full
from indirectml.arrays import sequence as sequence
from indirectml.compiled_graphs import CompiledGraph as CompiledGraph
from indirectml.data_types import TensorDataType as TensorDataType
from indirectml.descriptors import OperatorDesc as OperatorDesc
from indirectml.enumerations import AxisDirection as AxisDirection
from indirectml.enumerations import ExecutionFlags as ExecutionFlags
from indirectml.enumerations import Feature as Feature
from indirectml.enumerations import MatrixTransform as MatrixTransform
from indirectml.enumerations import ReduceFunction as ReduceFunction
from indirectml.errors import BindingError as BindingError
from indirectml.errors import DataTypeError as DataTypeError
from indirectml.errors import DescriptorError as DescriptorError
from indirectml.errors import DeviceLostError as DeviceLostError
from indirectml.errors import DeviceUnavailableError as DeviceUnavailableError
from indirectml.errors import DirectMLError as DirectMLError
from indirectml.errors import FileFormatError as FileFormatError
from indirectml.errors import HResult as HResult
from indirectml.errors import LayoutError as LayoutError
from indirectml.errors import ModelError as ModelError
from indirectml.errors import OperatorNotImplementedError as OperatorNotImplementedError
from indirectml.errors import ScalarError as ScalarError
from indirectml.errors import SettingError as SettingError
from indirectml.expressions import Expression as Expression
from indirectml.expressions import broadcast as broadcast
from indirectml.expressions import reinterpret as reinterpret
from indirectml.feature_levels import FeatureLevel as FeatureLevel
from indirectml.fields import ScaleBias as ScaleBias
from indirectml.fused_activations import FusedActivation as FusedActivation
from indirectml.graph_descs import ConstantNode as ConstantNode
from indirectml.graph_descs import GraphDesc as GraphDesc
from indirectml.graph_descs import InputEdge as InputEdge
from indirectml.graph_descs import IntermediateEdge as IntermediateEdge
from indirectml.graph_descs import OutputEdge as OutputEdge
from indirectml.graphs import Graph as Graph
from indirectml.operator_types import OperatorType as OperatorType
from indirectml.operators.activation_hard_sigmoid import (
    ActivationHardSigmoidOperatorDesc as ActivationHardSigmoidOperatorDesc,
)
from indirectml.operators.activation_hard_sigmoid import (
    activation_hard_sigmoid as activation_hard_sigmoid,
)
from indirectml.operators.activation_identity import (
    ActivationIdentityOperatorDesc as ActivationIdentityOperatorDesc,
)
from indirectml.operators.activation_identity import activation_identity as activation_identity
from indirectml.operators.activation_leaky_relu import (
    ActivationLeakyReluOperatorDesc as ActivationLeakyReluOperatorDesc,
)
from indirectml.operators.activation_leaky_relu import (
    activation_leaky_relu as activation_leaky_relu,
)
from indirectml.operators.activation_linear import (
    ActivationLinearOperatorDesc as ActivationLinearOperatorDesc,
)
from indirectml.operators.activation_linear import activation_linear as activation_linear
from indirectml.operators.activation_relu import (
    ActivationReluOperatorDesc as ActivationReluOperatorDesc,
)
from indirectml.operators.activation_relu import activation_relu as activation_relu
from indirectml.operators.activation_shrink import (
    ActivationShrinkOperatorDesc as ActivationShrinkOperatorDesc,
)
from indirectml.operators.activation_shrink import activation_shrink as activation_shrink
from indirectml.operators.activation_softsign import (
    ActivationSoftsignOperatorDesc as ActivationSoftsignOperatorDesc,
)
from indirectml.operators.activation_softsign import activation_softsign as activation_softsign
from indirectml.operators.activation_thresholded_relu import (
    ActivationThresholdedReluOperatorDesc as ActivationThresholdedReluOperatorDesc,
)
from indirectml.operators.activation_thresholded_relu import (
    activation_thresholded_relu as activation_thresholded_relu,
)
from indirectml.operators.cast import CastOperatorDesc as CastOperatorDesc
from indirectml.operators.cast import cast as cast
from indirectml.operators.cumulative_product import (
    CumulativeProductOperatorDesc as CumulativeProductOperatorDesc,
)
from indirectml.operators.cumulative_product import cumulative_product as cumulative_product
from indirectml.operators.cumulative_summation import (
    CumulativeSummationOperatorDesc as CumulativeSummationOperatorDesc,
)
from indirectml.operators.cumulative_summation import cumulative_summation as cumulative_summation
from indirectml.operators.element_wise_add import (
    ElementWiseAddOperatorDesc as ElementWiseAddOperatorDesc,
)
from indirectml.operators.element_wise_add import add as add
from indirectml.operators.element_wise_add1 import (
    ElementWiseAdd1OperatorDesc as ElementWiseAdd1OperatorDesc,
)
from indirectml.operators.element_wise_clip import (
    ElementWiseClipOperatorDesc as ElementWiseClipOperatorDesc,
)
from indirectml.operators.element_wise_clip1 import (
    ElementWiseClip1OperatorDesc as ElementWiseClip1OperatorDesc,
)
from indirectml.operators.element_wise_clip1 import clip as clip
from indirectml.operators.element_wise_divide import (
    ElementWiseDivideOperatorDesc as ElementWiseDivideOperatorDesc,
)
from indirectml.operators.element_wise_divide import divide as divide
from indirectml.operators.element_wise_identity import (
    ElementWiseIdentityOperatorDesc as ElementWiseIdentityOperatorDesc,
)
from indirectml.operators.element_wise_identity import identity as identity
from indirectml.operators.element_wise_modulus_floor import (
    ElementWiseModulusFloorOperatorDesc as ElementWiseModulusFloorOperatorDesc,
)
from indirectml.operators.element_wise_modulus_floor import modulus_floor as modulus_floor
from indirectml.operators.element_wise_modulus_truncate import (
    ElementWiseModulusTruncateOperatorDesc as ElementWiseModulusTruncateOperatorDesc,
)
from indirectml.operators.element_wise_modulus_truncate import modulus_truncate as modulus_truncate
from indirectml.operators.element_wise_multiply import (
    ElementWiseMultiplyOperatorDesc as ElementWiseMultiplyOperatorDesc,
)
from indirectml.operators.element_wise_multiply import multiply as multiply
from indirectml.operators.element_wise_subtract import (
    ElementWiseSubtractOperatorDesc as ElementWiseSubtractOperatorDesc,
)
from indirectml.operators.element_wise_subtract import subtract as subtract
from indirectml.operators.fill_value_constant import (
    FillValueConstantOperatorDesc as FillValueConstantOperatorDesc,
)
from indirectml.operators.fill_value_constant import fill_value_constant as fill_value_constant
from indirectml.operators.fill_value_sequence import (
    FillValueSequenceOperatorDesc as FillValueSequenceOperatorDesc,
)
from indirectml.operators.fill_value_sequence import fill_value_sequence as fill_value_sequence
from indirectml.operators.gemm import GemmOperatorDesc as GemmOperatorDesc
from indirectml.operators.gemm import gemm as gemm
from indirectml.operators.join import JoinOperatorDesc as JoinOperatorDesc
from indirectml.operators.join import join as join
from indirectml.operators.reduce import ReduceOperatorDesc as ReduceOperatorDesc
from indirectml.operators.reduce import reduce as reduce
from indirectml.operators.slice import SliceOperatorDesc as SliceOperatorDesc
from indirectml.operators.slice1 import Slice1OperatorDesc as Slice1OperatorDesc
from indirectml.operators.slice1 import slice as slice  # noqa: A004 (its name in `directml`)
from indirectml.operators.split import SplitOperatorDesc as SplitOperatorDesc
from indirectml.operators.split import split as split
from indirectml.runtime import BindingProperties as BindingProperties
from indirectml.runtime import BindingTable as BindingTable
from indirectml.runtime import BufferBinding as BufferBinding
from indirectml.runtime import CommandList as CommandList
from indirectml.runtime import CommandQueue as CommandQueue
from indirectml.runtime import CommandRecorder as CommandRecorder
from indirectml.runtime import CompiledOperator as CompiledOperator
from indirectml.runtime import Device as Device
from indirectml.runtime import Operator as Operator
from indirectml.runtime import OperatorInitializer as OperatorInitializer
from indirectml.scalars import ScalarUnion as ScalarUnion
from indirectml.sequences import Segment as Segment
from indirectml.sequences import Sequence as Sequence
from indirectml.settings import available_targets as available_targets
from indirectml.settings import configure as configure
from indirectml.tensor_buffers import Buffer as Buffer
from indirectml.tensors import TensorDesc as TensorDesc
from indirectml.tensors import TensorFlags as TensorFlags
from indirectml.tensors import TensorPolicy as TensorPolicy
from indirectml.tensors import calc_buffer_tensor_size as calc_buffer_tensor_size

__version__: str
