# The public names, and where each comes from: `__init__.py` reads it when a name is first asked
# for, and type checkers read it as it is. Descriptors and functions of operators follow from the
# definitions, by way of `operators/index.json`.

from indirectml.catalogue.enumerations import AxisDirection as AxisDirection
from indirectml.catalogue.enumerations import ConvolutionDirection as ConvolutionDirection
from indirectml.catalogue.enumerations import ConvolutionMode as ConvolutionMode
from indirectml.catalogue.enumerations import DepthSpaceOrder as DepthSpaceOrder
from indirectml.catalogue.enumerations import ExecutionFlags as ExecutionFlags
from indirectml.catalogue.enumerations import Feature as Feature
from indirectml.catalogue.enumerations import GRUOutputOptions as GRUOutputOptions
from indirectml.catalogue.enumerations import InterpolationMode as InterpolationMode
from indirectml.catalogue.enumerations import IsInfinityMode as IsInfinityMode
from indirectml.catalogue.enumerations import MatrixTransform as MatrixTransform
from indirectml.catalogue.enumerations import (
    MultiheadAttentionMaskType as MultiheadAttentionMaskType,
)
from indirectml.catalogue.enumerations import PaddingMode as PaddingMode
from indirectml.catalogue.enumerations import QuantizationType as QuantizationType
from indirectml.catalogue.enumerations import RandomGeneratorType as RandomGeneratorType
from indirectml.catalogue.enumerations import RecurrentNetworkDirection as RecurrentNetworkDirection
from indirectml.catalogue.enumerations import ReduceFunction as ReduceFunction
from indirectml.catalogue.enumerations import RoundingMode as RoundingMode
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
from indirectml.core.errors import OnnxExportError as OnnxExportError
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
from indirectml.descriptors.fields import Size2D as Size2D
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
from indirectml.graphs.expressions import transpose as transpose
from indirectml.graphs.graph_descs import ConstantNode as ConstantNode
from indirectml.graphs.graph_descs import GraphDesc as GraphDesc
from indirectml.graphs.graph_descs import InputEdge as InputEdge
from indirectml.graphs.graph_descs import IntermediateEdge as IntermediateEdge
from indirectml.graphs.graph_descs import OutputEdge as OutputEdge
from indirectml.graphs.graphs import Graph as Graph
from indirectml.graphs.outputs import AdamOptimizerOutputs as AdamOptimizerOutputs
from indirectml.graphs.outputs import BatchNormalizationGradOutputs as BatchNormalizationGradOutputs
from indirectml.graphs.outputs import (
    BatchNormalizationTrainingOutputs as BatchNormalizationTrainingOutputs,
)
from indirectml.graphs.outputs import DynamicQuantizeLinearOutputs as DynamicQuantizeLinearOutputs
from indirectml.graphs.outputs import GRUOutputs as GRUOutputs
from indirectml.graphs.outputs import LSTMOutputs as LSTMOutputs
from indirectml.graphs.outputs import MaxPoolingOutputs as MaxPoolingOutputs
from indirectml.graphs.outputs import MultiheadAttentionOutputs as MultiheadAttentionOutputs
from indirectml.graphs.outputs import NonZeroCoordinatesOutputs as NonZeroCoordinatesOutputs
from indirectml.graphs.outputs import RandomGeneratorOutputs as RandomGeneratorOutputs
from indirectml.graphs.outputs import RNNOutputs as RNNOutputs
from indirectml.graphs.outputs import RoiAlignGradOutputs as RoiAlignGradOutputs
from indirectml.graphs.outputs import TopKOutputs as TopKOutputs
from indirectml.graphs.sized_graphs import SizedGraph as SizedGraph
from indirectml.inspection.differing import DifferingNode as DifferingNode
from indirectml.inspection.differing import ModelComparison as ModelComparison
from indirectml.inspection.differing import TensorComparison as TensorComparison
from indirectml.inspection.differing import compare_models as compare_models
from indirectml.inspection.profiling import Profile as Profile
from indirectml.onnx_import.inputs import OnnxTensor as OnnxTensor
from indirectml.onnx_import.model import OnnxModel as OnnxModel
from indirectml.onnx_import.model import OnnxModelError as OnnxModelError
from indirectml.onnx_import.model import load_onnx as load_onnx
from indirectml.onnxruntime.session import InferenceSession as InferenceSession
from indirectml.operators.descs import *  # noqa: F403 (all are public)
from indirectml.operators.on_arrays import *  # noqa: F403 (likewise)
from indirectml.pytorch import from_torch as from_torch
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
