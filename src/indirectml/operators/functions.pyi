# Written by `python -m tools.generate`.

from collections.abc import Sequence
from indirectml.catalogue.enumerations import AxisDirection
from indirectml.catalogue.enumerations import MatrixTransform
from indirectml.catalogue.enumerations import ReduceFunction
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import DataTypeLike
from indirectml.core.scalars import Scalar
from indirectml.descriptors.fields import ScaleBias
from indirectml.graphs.expressions import Expression
from indirectml.graphs.expressions import NodeBuilder
from indirectml.graphs.expressions import ScaleBiasLike
from indirectml.graphs.expressions import Sizes
from indirectml.graphs.outputs import TopKOutputs

__all__ = [
    "abs",
    "activation_hard_sigmoid",
    "activation_identity",
    "activation_leaky_relu",
    "activation_linear",
    "activation_relu",
    "activation_shrink",
    "activation_softsign",
    "activation_thresholded_relu",
    "add",
    "cast",
    "clip",
    "cumulative_product",
    "cumulative_summation",
    "divide",
    "fill_value_constant",
    "fill_value_sequence",
    "gemm",
    "identity",
    "join",
    "modulus_floor",
    "modulus_truncate",
    "multiply",
    "reduce",
    "slice",
    "split",
    "subtract",
    "tile",
    "top_k",
]

def abs(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = |Input * Scale + Bias|.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8; 1 to
        8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Exact. The smallest integer stays as it is.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_ABS_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([abs(x)])()
    [array([1., 2.], dtype=float32)]
    """

def activation_hard_sigmoid(
    input: Expression,
    *,
    alpha: float = ...,
    beta: float = ...,
) -> Expression:
    """Output = max(0, min(1, Alpha * Input + Beta)).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition. Zero is +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-9, 0, 9], np.float32))
    >>> graph.compile([activation_hard_sigmoid(x, alpha=0.2, beta=0.5)])()
    [array([0. , 0.5, 1. ], dtype=float32)]
    """

def activation_identity(
    input: Expression,
) -> Expression:
    """Output = Input.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_ACTIVATION_IDENTITY_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_identity(x)])()
    [array([-1.,  2.], dtype=float32)]
    """

def activation_leaky_relu(
    input: Expression,
    *,
    alpha: float = ...,
) -> Expression:
    """Output = Input, or Alpha * Input below zero.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Both zeros stay; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_leaky_relu(x, alpha=0.5)])()
    [array([-0.5,  2. ], dtype=float32)]
    """

def activation_linear(
    input: Expression,
    *,
    alpha: float,
    beta: float,
) -> Expression:
    """Output = Alpha * Input + Beta.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.

    Notes
    -----
    Rounded after the multiplication and after the addition.

    References
    ----------
    DirectML: DML_ACTIVATION_LINEAR_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_linear(x, alpha=3, beta=1)])()
    [array([-2.,  7.], dtype=float32)]
    """

def activation_relu(
    input: Expression,
) -> Expression:
    """Output = max(0, Input).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8; 1 to 8
        dimensions.

    Notes
    -----
    Both zeros give +0; a NaN stays.

    References
    ----------
    DirectML: DML_ACTIVATION_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_relu(x)])()
    [array([0., 2.], dtype=float32)]
    """

def activation_shrink(
    input: Expression,
    *,
    bias: float = ...,
    threshold: float = ...,
) -> Expression:
    """Output = Input - Bias above Threshold, Input + Bias below -Threshold, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32,
        UINT16, UINT8; 1 to 8 dimensions.
    bias : float
        What is taken away. An integer for tensors of integers. Rounded to FLOAT32.
    threshold : float
        Where zero ends. Rounded to FLOAT32.

    Notes
    -----
    Both comparisons are exact, the first has precedence, and the result is rounded once; integers
    wrap. What is in between is +0, and so is a NaN, which is not beyond anything.

    References
    ----------
    DirectML: DML_ACTIVATION_SHRINK_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-3, 0.25, 3], np.float32))
    >>> graph.compile([activation_shrink(x, bias=1, threshold=0.5)])()
    [array([-2.,  0.,  2.], dtype=float32)]
    """

def activation_softsign(
    input: Expression,
) -> Expression:
    """Output = Input / (1 + |Input|).

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.

    Notes
    -----
    Rounded after the addition and after the division. Infinities give NaN.

    References
    ----------
    DirectML: DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 3], np.float32))
    >>> graph.compile([activation_softsign(x)])()
    [array([-0.5 ,  0.75], dtype=float32)]
    """

def activation_thresholded_relu(
    input: Expression,
    *,
    alpha: float = ...,
) -> Expression:
    """Output = Input above Alpha, 0 elsewhere.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16; 1 to 8 dimensions.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.

    Notes
    -----
    The zero is +0. A NaN is not above anything and gives it too.

    References
    ----------
    DirectML: DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-1, 2], np.float32))
    >>> graph.compile([activation_thresholded_relu(x, alpha=1)])()
    [array([0., 2.], dtype=float32)]
    """

def add(
    a: Expression,
    b: Expression,
    *,
    fused_activation: FusedActivation | None = ...,
) -> Expression:
    """Return a + b, element by element.

    By ELEMENT_WISE_ADD, or with an activation by ELEMENT_WISE_ADD1.

    Parameters
    ----------
    a, b : Expression
        Of equal sizes and data type.
    fused_activation : FusedActivation, optional
        Computed on the sum before it is rounded to the output's data type.

    Raises
    ------
    DescriptorError
        They differ; the message shows the call.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([add(a, a)])()
    [array([2., 4.], dtype=float32)]
    """

def cast(
    input: Expression,
    *,
    dtype: DataTypeLike,
) -> Expression:
    """Return the same numbers in another data type.

    Parameters
    ----------
    input : Expression
        What is converted.
    dtype : NumPy dtype or TensorDataType
        Of the result.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1.5, -1.5], np.float32))
    >>> graph.compile([cast(x, dtype=np.int32)])()
    [array([ 1, -1], dtype=int32)]
    """

def clip(
    input: Expression,
    *,
    min: Scalar,
    max: Scalar,
    scale_bias: ScaleBiasLike = ...,
) -> Expression:
    """Return the nearest numbers from `min` to `max`.

    By ELEMENT_WISE_CLIP1 where the data type of `input` holds both limits; otherwise, and below
    feature level 5_0, by ELEMENT_WISE_CLIP, whose limits are FLOAT32 and may lie outside of it.

    Parameters
    ----------
    input : Expression
        What is limited.
    min, max : int or float
        The limits.
    scale_bias : (float, float), optional
        Applied first.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 0, 2], np.float32))
    >>> graph.compile([clip(x, min=-1, max=1)])()
    [array([-1.,  0.,  1.], dtype=float32)]
    """

def cumulative_product(
    input: Expression,
    *,
    axis: int,
    axis_direction: AxisDirection = ...,
    has_exclusive_product: bool = ...,
) -> Expression:
    """Each output element is the product of the input elements up to it, along an axis.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1
        to 8 dimensions.
    axis : int
        The axis, from 0.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.
    has_exclusive_product : bool
        Whether the element itself is left out; then the first is 1.

    Notes
    -----
    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap. With HasExclusiveProduct the element itself is left out, and the first is 1.

    References
    ----------
    DirectML: DML_CUMULATIVE_PRODUCT_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2, 3, 4], np.float32))
    >>> graph.compile([cumulative_product(x, axis=0)])()
    [array([ 2.,  6., 24.], dtype=float32)]
    """

def cumulative_summation(
    input: Expression,
    *,
    axis: int,
    axis_direction: AxisDirection = ...,
    has_exclusive_sum: bool = ...,
) -> Expression:
    """Each output element is the sum of the input elements up to it, along an axis.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, UINT64, UINT32; 1
        to 8 dimensions.
    axis : int
        The axis, from 0.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.
    has_exclusive_sum : bool
        Whether the element itself is left out; then the first is 0.

    Notes
    -----
    Element after element: floats are rounded after each (FLOAT16 once, at the end, from FLOAT32);
    integers wrap. With HasExclusiveSum the element itself is left out, and the first is 0.

    References
    ----------
    DirectML: DML_CUMULATIVE_SUMMATION_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([2, 3, 4], np.float32))
    >>> graph.compile([cumulative_summation(x, axis=0)])()
    [array([2., 5., 9.], dtype=float32)]
    """

def divide(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A / B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even. Integers are truncated towards zero; a
    division by zero gives 0, and the smallest integer divided by -1 gives itself.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 7, -7], np.int8))
    >>> b = graph.constant(np.array([2, 2], np.int8))
    >>> graph.compile([divide(a, b)])()
    [array([ 3, -3], dtype=int8)]
    """

def fill_value_constant(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value: Scalar,
    dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return a tensor of a graph whose elements all have one value.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value : int or float
        Converted once to exact bits; see `fill_constant`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold the value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> graph.compile([fill_value_constant(graph, sizes=[1, 2], value=0.5)])()
    [array([[0.5, 0.5]], dtype=float32)]
    """

def fill_value_sequence(
    graph: NodeBuilder,
    *,
    sizes: Sizes,
    value_start: Scalar,
    value_delta: Scalar,
    dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return a tensor of a graph that holds a sequence, under the device's rule.

    Parameters
    ----------
    graph : Graph
        The graph that gets the operator.
    sizes : sequence of int
        Of the tensor.
    value_start, value_delta : int or float
        Converted once to exact bits; see `fill_sequence`.
    dtype : NumPy dtype or TensorDataType, optional
        FLOAT32 by default.

    Raises
    ------
    ScalarError
        The data type cannot hold a value.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[1, 3], value_start=3, value_delta=2)
    >>> graph.compile([ramp])()
    [array([[3., 5., 7.]], dtype=float32)]
    """

def gemm(
    a: Expression,
    b: Expression,
    c: Expression | None = ...,
    *,
    trans_a: MatrixTransform = ...,
    trans_b: MatrixTransform = ...,
    alpha: float = ...,
    beta: float = ...,
    fused_activation: FusedActivation | None = ...,
) -> Expression:
    """Output = Activation(Alpha * TransA(A) TransB(B) + Beta * C), for each pair of matrices.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16; 2 to 4 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16; 2 to 4 dimensions.
    c : Expression, optional
        What is added; nothing if left out. FLOAT32, FLOAT16; 2 to 4 dimensions.
    trans_a : MatrixTransform
        Whether A is transposed first.
    trans_b : MatrixTransform
        Whether B is transposed first.
    alpha : float
        A factor; see the notes. Rounded to FLOAT32.
    beta : float
        A factor or addend; see the notes. Rounded to FLOAT32.
    fused_activation : FusedActivation, optional
        Computed on the result before that is rounded to the output's data type.

    Notes
    -----
    The products are added one after the other, k = 0, 1, ..., rounded to FLOAT32 after each
    multiplication and each addition, on every machine; then alpha, then beta * C, then the
    activation, and FLOAT16 is rounded once at the end.

    References
    ----------
    DirectML: DML_GEMM_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([[1, 2]], np.float32))
    >>> b = graph.constant(np.array([[3], [4]], np.float32))
    >>> graph.compile([gemm(a, b, None)])()
    [array([[11.]], dtype=float32)]
    """

def identity(
    input: Expression,
    *,
    scale_bias: ScaleBias | tuple[float, float] | None = ...,
) -> Expression:
    """Output = Input * Scale + Bias.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16,
        INT8, UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    scale_bias : ScaleBias | tuple[float, float], optional
        Applied first: x * scale + bias. Each is rounded to FLOAT32.

    Notes
    -----
    Without scale and bias every bit is kept. With them floats are rounded after the multiplication
    and after the addition (FLOAT16 once, from FLOAT32). Integers are exact modulo 2^bits if scale
    and bias are whole; else each operation is rounded to FLOAT64, and the result goes towards zero
    and stays within the data type (our choice; DirectML does not say).

    References
    ----------
    DirectML: DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 2], np.float32))
    >>> graph.compile([identity(x, scale_bias=(2, 1))])()
    [array([3., 5.], dtype=float32)]
    """

def join(
    inputs: Sequence[Expression],
    *,
    axis: int,
) -> Expression:
    """Return tensors one behind the other along an axis.

    Parameters
    ----------
    inputs : sequence of Expression
        At least one. Their sizes differ along the axis alone.
    axis : int
        From 0.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = fill_value_constant(graph, sizes=[1, 2], value=0)
    >>> b = fill_value_sequence(graph, sizes=[2, 2], value_start=1, value_delta=1)
    >>> graph.compile([join([a, b], axis=0)])()
    [array([[0., 0.],
           [1., 2.],
           [3., 4.]], dtype=float32)]
    """

def modulus_floor(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A - B * floor(A / B).

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    The exact result, rounded once, to nearest, ties to even. It has the sign of B, also where it is
    zero, as in Python. Floats give NaN where A is infinite or B is zero, and B where that is
    infinite and A has another sign; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 7, -7,  7], np.int8))
    >>> b = graph.constant(np.array([ 5,  5, -5], np.int8))
    >>> graph.compile([modulus_floor(a, b)])()
    [array([ 2,  3, -3], dtype=int8)]
    """

def modulus_truncate(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A - B * trunc(A / B).

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Exact: the result needs no rounding, and is that of C's fmod. It has the sign of A, also where
    it is zero. Floats give NaN where A is infinite or B is zero; an integer modulo zero is 0.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([ 7, -7,  7], np.int8))
    >>> b = graph.constant(np.array([ 5,  5, -5], np.int8))
    >>> graph.compile([modulus_truncate(a, b)])()
    [array([ 2, -2,  2], dtype=int8)]
    """

def multiply(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A * B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> b = graph.constant(np.array([0.5, -2], np.float32))
    >>> graph.compile([multiply(a, b)])()
    [array([ 0.5, -4. ], dtype=float32)]
    """

def reduce(
    input: Expression,
    *,
    function: ReduceFunction,
    axes: Sequence[int] = ...,
    output_dtype: DataTypeLike | None = ...,
) -> Expression:
    """Return one number from the elements along some axes, whose sizes become 1.

    Parameters
    ----------
    input : Expression
        What is reduced.
    function : ReduceFunction
        How; see `ReduceOperatorDesc`.
    axes : sequence of int
        All of them if left empty.
    output_dtype : NumPy dtype or TensorDataType, optional
        Of the result. UINT32 by default for ARGMAX and ARGMIN, and the input's for all others.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[2, 3], value_start=1, value_delta=1)
    >>> graph.compile([reduce(ramp, function=ReduceFunction.SUM, axes=[1])])()
    [array([[ 6.],
           [15.]], dtype=float32)]
    """

def slice(
    input: Expression,
    *,
    input_window_offsets: Sequence[int],
    input_window_sizes: Sequence[int],
    input_window_strides: Sequence[int],
) -> Expression:
    """Return every so many elements of a window of a tensor.

    Parameters
    ----------
    input : Expression
        What is sliced.
    input_window_offsets, input_window_sizes, input_window_strides : sequence of int
        One each per dimension; see `Slice1OperatorDesc`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[6], value_start=0, value_delta=1)
    >>> window = {"input_window_offsets": [1], "input_window_sizes": [5]}
    >>> graph.compile([slice(ramp, **window, input_window_strides=[-2])])()
    [array([5., 3., 1.], dtype=float32)]
    """

def split(
    input: Expression,
    *,
    axis: int,
    output_axis_sizes: Sequence[int],
) -> list[Expression]:
    """Return the parts of a tensor along an axis.

    Parameters
    ----------
    input : Expression
        What is split.
    axis : int
        From 0.
    output_axis_sizes : sequence of int
        Of the parts along the axis; they add up to the size of `input`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[4], value_start=0, value_delta=1)
    >>> graph.compile(split(ramp, axis=0, output_axis_sizes=[1, 3]))()
    [array([0.], dtype=float32), array([1., 2., 3.], dtype=float32)]
    """

def subtract(
    a: Expression,
    b: Expression,
) -> Expression:
    """Output = A - B.

    Parameters
    ----------
    a : Expression
        The first operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.
    b : Expression
        The second operand. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16,
        UINT8; 1 to 8 dimensions.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even; integers wrap.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> a = graph.constant(np.array([1, 2], np.float32))
    >>> b = graph.constant(np.array([0.5, -2], np.float32))
    >>> graph.compile([subtract(a, b)])()
    [array([0.5, 4. ], dtype=float32)]
    """

def tile(
    input: Expression,
    *,
    repeats: Sequence[int],
) -> Expression:
    """Output[i] = Input[i modulo the input's size], in every dimension.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    repeats : Sequence[int]
        How often the input is repeated, one per dimension.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_TILE_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[1, 2], [3, 4]], np.int8))
    >>> graph.compile([tile(x, repeats=[1, 2])])()
    [array([[1, 2, 1, 2],
           [3, 4, 3, 4]], dtype=int8)]
    """

def top_k(
    input: Expression,
    *,
    axis: int,
    k: int,
    axis_direction: AxisDirection = ...,
) -> TopKOutputs:
    """Outputs = the K largest elements along an axis, the largest first, and their positions.

    Parameters
    ----------
    input : Expression
        The input. A stride of 0 repeats elements. FLOAT32, FLOAT16, INT64, INT32, INT16, INT8,
        UINT64, UINT32, UINT16, UINT8; 1 to 8 dimensions.
    axis : int
        The axis, from 0.
    k : int
        How many elements are taken.
    axis_direction : AxisDirection
        Where it begins: INCREASING at the first element, DECREASING at the last.

    Notes
    -----
    INCREASING takes the K smallest instead, the smallest first. Of equals the one with the lower
    position comes first. A NaN is larger than every number, and NaNs are equals; +0 is larger than
    -0 (DirectML does not say; our choice, as in max and min). Every bit is kept. TOP_K takes the
    largest.

    References
    ----------
    DirectML: DML_TOP_K1_OPERATOR_DESC.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([1, 3, 3], np.float32))
    >>> graph.compile([e for e in top_k(x, axis=0, k=2) if e is not None])()
    [array([3., 3.], dtype=float32), array([1, 2], dtype=uint32)]
    """
