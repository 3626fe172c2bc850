"""What users write, for type checkers: `tests/test_typing.py` runs them over it and the README."""

import numpy as np

import indirectml as dml

device = dml.Device(feature_level="6_0")
graph = dml.Graph(device)
x = graph.input([1, 3, 4, 4], np.float16, name="x")
w = graph.constant(np.ones((2, 3, 1, 1), np.float16))
y = dml.convolution(x, w, strides=[1, 1], fused_activation=dml.FusedActivation.relu())
values: dml.Expression = dml.max_pooling(y, window_sizes=(2, 2), strides=[2, 2]).values
total = dml.reduce(values, function=dml.ReduceFunction.SUM, axes=[2, 3])
scaled = dml.identity(total, scale_bias=(2, 1)) * 0.5 + 1 - total / 3 % 2
compiled = graph.compile([-scaled])
outputs = compiled({"x": np.zeros((1, 3, 4, 4), np.float16)})
left, right = dml.split(dml.join([x, x], axis=1), axis=1, output_axis_sizes=[1, 5])

halves: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = dml.multiply(
    np.ones(3, np.float32), np.full(3, 0.5, np.float32), out=np.empty(3, np.float32)
)

tensor = dml.TensorDesc("float32", [3])
desc = dml.ElementWiseClipOperatorDesc(tensor, tensor, min=-1, max=1, scale_bias=(1, 0))
low: float = desc.min
kept: dml.ScaleBias | None = desc.scale_bias
fill = dml.FillValueConstantOperatorDesc(dml.TensorDesc(np.uint8, (4,)), np.uint8, 3)
kind: dml.TensorDataType = fill.value_data_type
(result,) = device.compile_operator(device.create_operator(desc))([np.zeros(3, np.float32)])

array: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = dml.full([2, 3], 1.5, np.float32)
dml.fill_sequence(np.zeros(3), 0, 1)
numbers = dml.Sequence(0, 1, np.float16)[0:3]
number: int = dml.OperatorType.GEMM
