# The public names, and where each comes from. This is the only list of them: `__init__.py` reads
# it when a name is first asked for, and type checkers read it as it is.

from indirectml.catalogue.enumerations import AxisDirection as AxisDirection
from indirectml.catalogue.enumerations import ExecutionFlags as ExecutionFlags
from indirectml.catalogue.enumerations import Feature as Feature
from indirectml.catalogue.enumerations import MatrixTransform as MatrixTransform
from indirectml.catalogue.enumerations import ReduceFunction as ReduceFunction
from indirectml.catalogue.feature_levels import FeatureLevel as FeatureLevel
from indirectml.catalogue.fused_activations import FusedActivation as FusedActivation
from indirectml.catalogue.operator_types import OperatorType as OperatorType
from indirectml.core.data_types import TensorDataType as TensorDataType
from indirectml.core.errors import BindingError as BindingError
from indirectml.core.errors import DataTypeError as DataTypeError
from indirectml.core.errors import DescriptorError as DescriptorError
from indirectml.core.errors import DeviceLostError as DeviceLostError
from indirectml.core.errors import DeviceUnavailableError as DeviceUnavailableError
from indirectml.core.errors import DirectMLError as DirectMLError
from indirectml.core.errors import FileFormatError as FileFormatError
from indirectml.core.errors import HResult as HResult
from indirectml.core.errors import LayoutError as LayoutError
from indirectml.core.errors import ModelError as ModelError
from indirectml.core.errors import OperatorNotImplementedError as OperatorNotImplementedError
from indirectml.core.errors import ScalarError as ScalarError
from indirectml.core.errors import SettingError as SettingError
from indirectml.core.scalars import ScalarUnion as ScalarUnion
from indirectml.core.settings import available_targets as available_targets
from indirectml.core.settings import configure as configure
from indirectml.core.tensor_buffers import Buffer as Buffer
from indirectml.core.tensors import TensorDesc as TensorDesc
from indirectml.core.tensors import TensorFlags as TensorFlags
from indirectml.core.tensors import TensorPolicy as TensorPolicy
from indirectml.core.tensors import calc_buffer_tensor_size as calc_buffer_tensor_size
from indirectml.descriptors.base import OperatorDesc as OperatorDesc
from indirectml.descriptors.fields import ScaleBias as ScaleBias
from indirectml.fills.arrays import fill_constant as fill_constant
from indirectml.fills.arrays import fill_sequence as fill_sequence
from indirectml.fills.arrays import full as full
from indirectml.fills.arrays import sequence as sequence
from indirectml.fills.sequences import Segment as Segment
from indirectml.fills.sequences import Sequence as Sequence
from indirectml.graphs.compiled_graphs import CompiledGraph as CompiledGraph
from indirectml.graphs.expressions import Expression as Expression
from indirectml.graphs.expressions import broadcast as broadcast
from indirectml.graphs.expressions import reinterpret as reinterpret
from indirectml.graphs.graph_descs import ConstantNode as ConstantNode
from indirectml.graphs.graph_descs import GraphDesc as GraphDesc
from indirectml.graphs.graph_descs import InputEdge as InputEdge
from indirectml.graphs.graph_descs import IntermediateEdge as IntermediateEdge
from indirectml.graphs.graph_descs import OutputEdge as OutputEdge
from indirectml.graphs.graphs import Graph as Graph
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
from indirectml.serialized.graph import SerializedGraph as SerializedGraph
from indirectml.serialized.graph import read_serialized_graph as read_serialized_graph

__version__: str
