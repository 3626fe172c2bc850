"""Operators run by an array of inputs: here, and by ONNX Runtime as a second opinion of meaning."""

import numpy as np
import onnx
import onnxruntime

import indirectml as dml
from indirectml.descriptors.definitions import fields_of
from indirectml.operators import descriptor_class
from tests.operators import oracle


def computed(name, inputs, outputs, **fields):
    """Return the outputs of an operator.

    `inputs` are arrays, None for one that is left out; `outputs` are pairs of data type and sizes.
    """
    given = {"input_tensor": iter(inputs), "output_tensor": iter(outputs)}
    for field, facts in fields_of(name):
        if facts.kind in given:
            tensor = next(given[facts.kind], None)
            if isinstance(tensor, np.ndarray):
                tensor = (tensor.dtype, tensor.shape)
            fields[field] = None if tensor is None else dml.TensorDesc(*tensor)
    desc = descriptor_class(name)(**fields)
    return oracle.compiled(desc)([None if a is None else np.ascontiguousarray(a) for a in inputs])


def onnx_runtime(operator, inputs, output_count=1, opset=19, **attributes):
    """Return the outputs of an ONNX operator; an input that is None is left out."""
    names = ["" if a is None else f"x{k}" for k, a in enumerate(inputs)]
    outputs = [f"y{k}" for k in range(output_count)]
    node = onnx.helper.make_node(operator, names, outputs, **attributes)
    values = {n: a for n, a in zip(names, inputs, strict=True) if n}
    graph = onnx.helper.make_graph(
        [node],
        operator,
        [
            onnx.helper.make_tensor_value_info(
                n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape
            )
            for n, a in values.items()
        ],
        [onnx.ValueInfoProto(name=n) for n in outputs],
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=9
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, values)


def normal(*sizes, seed=1):
    """Return random FLOAT32 numbers."""
    return np.random.default_rng(seed).standard_normal(sizes).astype(np.float32)


def assert_close(actual, expected, tolerance=2e-5):
    """Compare what two libraries computed in their own order."""
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
