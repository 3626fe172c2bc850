"""Models for ONNX Runtime, built node by node with `onnx.helper`; and running them."""

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper


class Model:
    """A model that grows: `node` returns the name of its first output.

    Parameters
    ----------
    arrays : dict
        Weights, by name, which become initializers when a node asks for them.
    """

    def __init__(self, arrays=None, opset=13):
        self._arrays = arrays or {}
        self._nodes, self._constants, self._inputs, self._opset = [], {}, [], opset

    def input(self, name, sizes, dtype=np.float32):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self._inputs.append(helper.make_tensor_value_info(name, kind, sizes))
        return name

    def constant(self, name, array=None, sizes=None):
        array = self._arrays[name] if array is None else np.asarray(array)
        array = array if sizes is None else array.reshape(sizes)
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def node(self, operator, *inputs, **attributes):
        name = f"{operator}{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def proto(self, *outputs):
        values = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(
            self._nodes, "model", self._inputs, values, list(self._constants.values())
        )
        opsets = [helper.make_opsetid("", self._opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def session(model, threads=1):
    """Return an inference session of a model, or of the file of one."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    source = model if isinstance(model, str | bytes) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def relative_difference(actual, expected):
    """Return the largest difference, in parts of the largest magnitude expected."""
    actual, expected = (np.asarray(a, np.float64) for a in (actual, expected))
    assert actual.shape == expected.shape
    scale = np.abs(expected).max(initial=0) or 1.0
    return float(np.abs(actual - expected).max(initial=0) / scale)
