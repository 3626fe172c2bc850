# ruff: noqa: FBT003 (that package takes everything by position)
"""Scripts for `pydirectml`, in the style of Microsoft's samples, against the door for graphs."""

import numpy as np
import pytest

import indirectml
import indirectml.pydirectml as dml

F32 = dml.TensorDataType.FLOAT32
OWNED = dml.TensorFlags.OWNED_BY_DML
SEED = 26


class Network:
    """What a sample has around its graph: a builder, and bindings in the order of the inputs."""

    def __init__(self):
        self.random = np.random.default_rng(SEED)
        self.device = dml.Device(True, True)
        self.builder = dml.GraphBuilder(self.device)
        self.bindings = []

    def input(self, sizes, flags=OWNED, strides=(), shape=None):
        number = len(self.bindings)
        desc = dml.TensorDesc(F32, flags, sizes, *([list(strides)] if strides else []))
        x = dml.input_tensor(self.builder, number, desc)
        data = self.random.standard_normal(x.get_output_desc().sizes if shape is None else shape)
        self.bindings.append(dml.Binding(x, data))
        return x

    def compute(self, *outputs):
        op = self.builder.build(dml.ExecutionFlags.NONE, list(outputs))
        return self.device.compute(op, self.bindings, list(outputs))

    def expected(self, build):
        """Compute the same through `indirectml`, of the data of the bindings."""
        graph = indirectml.Graph(indirectml.Device())
        inputs = []
        for binding in self.bindings:
            desc = binding.expression.desc
            plain = indirectml.TensorDesc(desc.data_type, desc.sizes, strides=desc.strides)
            inputs.append(graph.input(desc=plain))
        data = {x: b.data for x, b in zip(inputs, self.bindings, strict=True)}
        return graph.compile(build(*inputs))(data)


def test_digits():
    n = Network()
    x = n.input([1, 1, 8, 8], dml.TensorFlags.NONE)
    w, b = n.input([4, 1, 5, 5]), n.input([1, 4, 1, 1])
    plus = n.input([1, 4, 8, 8], dml.TensorFlags.NONE, [4, 1, 0, 0], shape=[4, 1, 1])
    matrix = n.input([4, 4, 4, 10])
    convolved = dml.convolution(x, w, b, strides=[1, 1], start_padding=[2, 2], end_padding=[2, 2])
    pooled = dml.max_pooling(dml.activation_relu(dml.add(convolved, plus)), [2, 2], [2, 2])
    row = dml.reinterpret(pooled.values, F32, [1, 1, 1, 64], [64, 64, 64, 1])
    columns = dml.reinterpret(dml.activation_identity(matrix), F32, [1, 1, 64, 10],
                              [640, 640, 10, 1])  # fmt: skip

    (actual,) = n.compute(dml.activation_soft_max(dml.gemm(row, columns)))

    def same(x, w, b, plus, matrix):
        y = indirectml.convolution(x, w, b, start_padding=[2, 2], end_padding=[2, 2])
        y = indirectml.activation_relu(indirectml.add(y, plus))
        y = indirectml.max_pooling(y, window_sizes=[2, 2], strides=[2, 2]).values
        row = indirectml.reinterpret(y, [1, 1, 1, 64])
        columns = indirectml.reinterpret(matrix, [1, 1, 64, 10])
        return [indirectml.activation_softmax(indirectml.gemm(row, columns))]

    np.testing.assert_array_equal(actual, n.expected(same)[0], strict=True)
    assert actual.sum() == pytest.approx(1)


def test_style_transfer():
    n = Network()
    x = n.input([1, 3, 6, 6], dml.TensorFlags.NONE)
    w, scale, bias = n.input([4, 3, 3, 3]), n.input([1, 4, 1, 1]), n.input([1, 4, 1, 1])
    back = n.input([4, 3, 3, 3])
    shifted = dml.value_scale_2d(x, 1.0, [-1.0, 0.5, 2.0])
    padded = dml.padding(shifted, dml.PaddingMode.REFLECTION, 0.0, [0, 0, 2, 2], [0, 0, 2, 2])
    convolved = dml.convolution(padded, w)
    relu = dml.FusedActivation(dml.OperatorType.ACTIVATION_RELU)
    new = dml.mean_variance_normalization(convolved, scale, bias, [0, 2, 3], True, True, 1e-5, relu)
    old = dml.mean_variance_normalization(convolved, scale, bias, [0, 2, 3], True, 1e-5, relu)
    wide = dml.convolution(new, back, direction=dml.ConvolutionDirection.BACKWARD,
                           strides=[2, 2], output_sizes=[1, 3, 17, 17])  # fmt: skip
    cropped = dml.slice(wide, [0, 0, 1, 1], [1, 3, 15, 15], [1, 1, 1, 1])

    picture, early = n.compute(dml.activation_linear(cropped, 150, 1), old)

    def same(x, w, scale, bias, back):
        y = indirectml.value_scale_2d(x, scale=1, bias=[-1, 0.5, 2])
        y = indirectml.padding(y, padding_mode=dml.PaddingMode.REFLECTION,
                               start_padding=[0, 0, 2, 2], end_padding=[0, 0, 2, 2])  # fmt: skip
        y = indirectml.mean_variance_normalization(
            indirectml.convolution(y, w), scale, bias, axes=[0, 2, 3], fused_activation=relu
        )
        wide = indirectml.convolution(y, back, direction=dml.ConvolutionDirection.BACKWARD,
                                      strides=[2, 2])  # fmt: skip
        cropped = indirectml.slice(wide, input_window_offsets=[0, 0, 1, 1],
                                   input_window_sizes=[1, 3, 15, 15],
                                   input_window_strides=[1] * 4)  # fmt: skip
        return [indirectml.activation_linear(cropped, alpha=150, beta=1), y]

    expected = n.expected(same)
    np.testing.assert_array_equal(picture, expected[0], strict=True)
    np.testing.assert_array_equal(early, expected[1], strict=True)


def test_normalized_and_pooled():
    n = Network()
    x = n.input([1, 2, 4, 4], dml.TensorFlags.NONE)
    mean, scale, bias = (n.input([1, 2, 1, 1], dml.TensorFlags.NONE, shape=[2]) for _ in range(3))
    n.bindings.append(dml.Binding(dml.input_tensor(n.builder, 9, dml.TensorDesc(F32, [1, 2, 1, 1])),
                                  [1, 4]))  # fmt: skip
    variance = n.bindings[-1].expression
    relu = dml.FusedActivation(dml.OperatorType.ACTIVATION_RELU)
    y = dml.batch_normalization(x, mean, variance, scale, bias, 1, 1e-5, relu)
    joined = dml.join([y, dml.up_sample_2d(x, dml.Size2D(1, 1), dml.InterpolationMode.LINEAR)], 1)
    pooled = dml.average_pooling(joined, [1, 1], [4, 4], [0, 0], [0, 0], False)

    second, first = n.compute(pooled, y)

    def same(x, mean, scale, bias, variance):
        y = indirectml.batch_normalization(x, mean, variance, scale, bias, fused_activation=relu)
        joined = indirectml.join([y, x], axis=1)
        return [y, indirectml.average_pooling(joined, strides=[1, 1], window_sizes=[4, 4])]

    expected = n.expected(same)
    np.testing.assert_array_equal(first, expected[0], strict=True)
    np.testing.assert_array_equal(second, expected[1], strict=True)


def test_weights_can_be_given_anew():
    n = Network()
    x, w = n.input([3], dml.TensorFlags.NONE), n.input([3])
    product = dml.multiply(x, w)
    op = n.builder.build(dml.ExecutionFlags.NONE, [product])
    n.device.compute(op, n.bindings, [product])

    again = [dml.Binding(x, [1, 2, 3]), dml.Binding(w, [4, 5, 6])]

    assert n.device.compute(op, again, [product])[0].tolist() == [4, 10, 18]


def test_refusals():
    n = Network()
    x = n.input([3], dml.TensorFlags.NONE)
    y = dml.multiply(x, x)
    op = n.builder.build(dml.ExecutionFlags.NONE, [y])

    with pytest.raises(indirectml.BindingError, match=r"compute\.outputs\[0\]: needs an output"):
        n.device.compute(op, n.bindings, [x])
    with pytest.raises(indirectml.BindingError, match="missing input 0"):
        n.device.compute(op, [], [y])
    with pytest.raises(TypeError, match=r"join\(\) takes 2 arguments, 3 were given"):
        dml.join([x], 0, 1)
    with pytest.raises(TypeError, match=r"join\(\) got multiple values for argument 'inputs'"):
        dml.join([x], inputs=[x])
    with pytest.raises(AttributeError, match=r"'indirectml\.pydirectml' .* did you mean multiply"):
        dml.multipy  # noqa: B018 (a mistyped name)
