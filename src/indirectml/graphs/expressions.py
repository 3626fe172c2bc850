"""Tensors of a graph, and what the functions that make them share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.core.data_types import DataTypeLike, TensorDataType, as_data_type
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, shown
from indirectml.core.scalars import Scalar, ScalarUnion
from indirectml.core.tensors import DescribedTensor, TensorDesc, calc_buffer_tensor_size
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.fields import ScaleBias, as_scalar_union

Sizes = Iterable[int]
ScaleBiasLike = ScaleBias | tuple[float, float] | None


class NodeBuilder(Protocol):
    """What the functions need of a graph."""

    @property
    def feature_level(self) -> FeatureLevel:
        """The feature level of the graph's device."""

    def output_tensor(self, data_type: DataTypeLike, sizes: Sizes) -> TensorDesc:
        """Return the descriptor of a new tensor under the graph's policy."""

    def add_node(self, desc: OperatorDesc, *inputs: Expression | None) -> tuple[Expression, ...]:
        """Add an operator; returns its outputs."""

    def arithmetic(self, name: str, a: Operand, b: Operand) -> Expression:
        """Return a + b, a - b, a * b, a / b or a % b, by the operator's Python name."""


class Expression(DescribedTensor):
    """A tensor of a graph: an input, or an output of an operator. Made by functions.

    Attributes
    ----------
    desc : TensorDesc
        What it is.
    graph : Graph
        Where it belongs.
    value : object
        What data it stands for; views of one tensor share it.

    Notes
    -----
    Arithmetic (``+ - * / %``) works between expressions of equal sizes and data type, and with a
    number on either side, which becomes a constant of the expression's data type. A number that
    this cannot hold becomes scale and bias of `identity` where that says the same (x / number is
    x * (1 / number)): in FLOAT32, and for integers modulo 2^bits if it is whole, else in FLOAT64,
    towards zero and within the data type. Nothing broadcasts. ``%`` has the sign of its right side,
    as everywhere in Python: it is `modulus_floor`.
    """

    #: NumPy leaves operators between its arrays and expressions to this class.
    __array_ufunc__ = None

    def __init__(self, graph: NodeBuilder, desc: TensorDesc, value: object) -> None:
        self.graph = graph
        self.desc = desc
        self.value = value

    def __add__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("add", self, other)

    def __radd__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("add", other, self)

    def __sub__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("subtract", self, other)

    def __rsub__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("subtract", other, self)

    def __mul__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("multiply", self, other)

    def __rmul__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("multiply", other, self)

    def __truediv__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("divide", self, other)

    def __rtruediv__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("divide", other, self)

    def __mod__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("modulus_floor", self, other)

    def __rmod__(self, other: Operand) -> Expression:
        return self.graph.arithmetic("modulus_floor", other, self)

    def __neg__(self) -> Expression:
        return self.graph.arithmetic("multiply", self, -1)

    def get_output_desc(self) -> TensorDesc:
        """Return `desc`, under its name in DirectMLX and in `pydirectml`."""
        return self.desc

    def __repr__(self) -> str:
        strides = "" if self.desc.strides is None else f", strides {self.desc.strides}"
        return f"<{self.desc.data_type.name} {self.desc.sizes}{strides}>"


#: What stands on one side of an arithmetic operator.
Operand = Expression | float


def scalar_argument(
    name: str, value: Scalar, data_type: TensorDataType, *, is_delta: bool = False
) -> ScalarUnion:
    """Return the bits of a number that a function was given; errors name the argument.

    Raises
    ------
    ScalarError, DataTypeError
        The data type cannot hold it, or it is no number.
    """
    try:
        return as_scalar_union(value, data_type, is_delta=is_delta)
    except DirectMLError as error:
        raise error.within(f"{name}={value!r}") from None


def checked_operand(function: str, value: Expression) -> Expression:
    """Return the value if it is an expression.

    Raises
    ------
    DataTypeError
        It is not.
    """
    if not isinstance(value, Expression):
        is_list = isinstance(value, list | tuple) and any(isinstance(v, Expression) for v in value)
        raise DataTypeError(
            "needs expressions of a graph",
            given=f"{shown(value)} ({type(value).__name__})",
            hint="write them without brackets"
            if is_list
            else "graph.constant(array) makes one of an array",
            field=function,
        )
    return value


def new_tensor(
    like: Expression, sizes: Sizes | None = None, data_type: DataTypeLike | None = None
) -> TensorDesc:
    """Return the descriptor of an output: what is left out is as in `like`."""
    return like.graph.output_tensor(
        like.desc.data_type if data_type is None else data_type,
        like.shape if sizes is None else sizes,
    )


def elementwise_tensor(function: str, *operands: Expression) -> TensorDesc:
    """Return the descriptor of the output of an operator that works element by element.

    Raises
    ------
    DescriptorError
        The operands differ in sizes or data type. The message shows the call.
    """
    first = checked_operand(function, operands[0])
    for other in operands[1:]:
        check_alike(function, first, checked_operand(function, other), operands)
    return new_tensor(first)


def check_alike(
    function: str,
    first: Expression,
    other: Expression,
    operands: Iterable[Any],
    is_like: tuple[bool, bool] = (True, True),
) -> None:
    """Check that two of a call's operands have the same sizes, and the same data type.

    Raises
    ------
    DescriptorError
        They differ. The message shows the call.
    """
    in_sizes, in_data_type = is_like
    if in_sizes and other.shape != first.shape:
        required = "shapes differ; nothing broadcasts implicitly"
        hint = "broadcast(x, shape) makes a view without a copy"
    elif in_data_type and other.desc.data_type is not first.desc.data_type:
        required, hint = "element types differ", "cast(x, dtype=...) converts"
    else:
        return
    call = f"{function}({', '.join(repr(each) for each in operands if each is not None)})"
    raise DescriptorError(required, hint=hint, field=call)


def _listed(function: str, sizes: Sizes) -> tuple[int, ...]:
    """Return sizes as a tuple, whatever they are a sequence of."""
    try:
        return tuple(sizes)
    except TypeError:
        raise DataTypeError(
            "needs sizes, a sequence of integers", given=shown(sizes), field=function
        ) from None


def reinterpret(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    sizes: Sizes,
    strides: Sequence[int] | None = None,
    dtype: DataTypeLike | None = None,
) -> Expression:
    """Return a view of a tensor: the same bytes with other sizes, strides or data type.

    Parameters
    ----------
    input : Expression
        What is viewed.
    sizes : sequence of int
        Of the view.
    strides : sequence of int, optional
        In elements; packed by default.
    dtype : NumPy dtype or TensorDataType, optional
        The same by default.

    Raises
    ------
    DescriptorError
        The view reaches beyond the total size of `input`, which stays as it is.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[2, 3], value_start=0, value_delta=1)
    >>> turned = reinterpret(ramp, [3, 2], strides=[1, 3])
    >>> graph.compile([identity(turned)])()
    [array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)]
    """
    desc = checked_operand("reinterpret", input).desc
    sizes = _listed("reinterpret", sizes)
    data_type = desc.data_type if dtype is None else as_data_type(dtype)
    total = desc.total_tensor_size_in_bytes
    try:
        view = TensorDesc(
            data_type, sizes, flags=desc.flags, strides=strides, total_tensor_size_in_bytes=total
        )
    except DirectMLError:
        required = calc_buffer_tensor_size(data_type, sizes, strides)
        if required <= total:
            raise
        raise DescriptorError(
            f"a view stays within the {total} bytes of its tensor",
            given=f"{list(sizes)} of {data_type.name}, which needs {required}",
            field=f"reinterpret({input!r})",
        ) from None
    return Expression(input.graph, view, input.value)


def broadcast(input: Expression, shape: Sizes) -> Expression:  # noqa: A002 (as above)
    """Return a view that repeats a tensor along dimensions of size 1 and new leading dimensions.

    What has the shape already is returned as it is.

    Parameters
    ----------
    input : Expression
        What is viewed.
    shape : sequence of int
        The sizes of the view.

    Raises
    ------
    DescriptorError
        A size of `input` is neither 1 nor that of the shape.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> row = graph.constant(np.array([1, 2, 3], np.float32))
    >>> broadcast(row, [2, 3])
    <FLOAT32 [2, 3], strides [0, 1]>
    """
    desc = checked_operand("broadcast", input).desc
    sizes = _listed("broadcast", shape)
    if sizes == desc.sizes_tuple:
        return input
    added = len(sizes) - len(desc.sizes_tuple)
    old = (1,) * added + desc.sizes_tuple
    if added < 0 or any(a not in (1, b) for a, b in zip(old, sizes, strict=True)):
        needs = f"at least {len(old)} axes" if added < 0 else "sizes that are 1 or the shape's"
        fewer = ", which has fewer axes" if added < 0 else ""
        raise DescriptorError(
            f"cannot broadcast {desc.sizes}; needs {needs}",
            given=f"{list(sizes)}{fewer}",
            field="broadcast",
        )
    strides = (0,) * added + desc.strides_in_memory
    repeated = [0 if a != b else s for a, b, s in zip(old, sizes, strides, strict=True)]
    return reinterpret(input, sizes, repeated)


def transpose(
    input: Expression,  # noqa: A002 (as above)
    axes: Sequence[int] | None = None,
) -> Expression:
    """Return a view with the axes in another order, as `numpy.transpose` does.

    Parameters
    ----------
    input : Expression
        What is viewed.
    axes : sequence of int, optional
        For each axis of the view, that of `input`, from 0; reversed by default.

    Raises
    ------
    DescriptorError
        Not every axis is there once.

    Notes
    -----
    Nothing is copied: strides say where elements lie. Operators read views as any other tensor; an
    output of a graph is a copy in the new order only behind an operator, such as `identity`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    >>> transpose(x)
    <FLOAT32 [3, 2], strides [1, 3]>
    >>> graph.compile([identity(transpose(x))])()
    [array([[1., 4.],
           [2., 5.],
           [3., 6.]], dtype=float32)]
    """
    desc = checked_operand("transpose", input).desc
    count = len(desc.sizes_tuple)
    order = tuple(reversed(range(count))) if axes is None else _listed("transpose", axes)
    if sorted(order) != list(range(count)):
        raise DescriptorError(
            f"needs each axis from 0 to {count - 1} once",
            given=shown(order),
            field="transpose.axes",
        )
    strides = desc.strides_in_memory
    sizes = [desc.sizes_tuple[axis] for axis in order]
    return reinterpret(input, sizes, [strides[axis] for axis in order])
