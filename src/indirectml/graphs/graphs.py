"""The door for graphs: the API of the `directml` package over the object model."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.core.collecting import without_collector
from indirectml.core.data_types import DataTypeLike, as_data_type
from indirectml.core.doors import door
from indirectml.core.errors import (
    BindingError,
    DataTypeError,
    DescriptorError,
    DirectMLError,
    ScalarError,
    shown,
)
from indirectml.core.scalars import exact_bits
from indirectml.core.tensor_buffers import Buffer, bytes_of
from indirectml.core.tensors import TensorDesc, TensorFlags, TensorPolicy
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression, Operand, Sizes, broadcast
from indirectml.graphs.graph_descs import GraphDesc, InputEdge, IntermediateEdge, OutputEdge
from indirectml.graphs.inputs import Input, automatic_name
from indirectml.operators.functions import (
    add,
    divide,
    fill_value_constant,
    identity,
    modulus_floor,
    multiply,
    subtract,
)
from indirectml.passes.parts import Former
from indirectml.runtime import Device, Operator

#: Where a message says that a name is.
_NAME = "Graph.input.name"

#: Scale and bias that do an operation with a number on its right, and on its left.
_ON_THE_RIGHT: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "add": lambda number: (1, number),
    "subtract": lambda number: (1, -number),
    "multiply": lambda number: (number, 0),
    "divide": lambda number: (1 / number, 0),
}
_ON_THE_LEFT: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "add": lambda number: (1, number),
    "subtract": lambda number: (-1, number),
    "multiply": lambda number: (number, 0),
}


def _is_too_large(value: Any, like: Expression) -> bool:
    """Return whether a side is a number that the other side's data type cannot hold."""
    if isinstance(value, Expression) or not isinstance(value, Number | np.generic):
        return False
    try:
        exact_bits(value, like.desc.data_type)  # type: ignore[arg-type]  # what is no number is told
    except ScalarError:
        return True
    except DataTypeError:
        return False
    return False


_ARITHMETIC = {f.__name__: f for f in (add, subtract, multiply, divide, modulus_floor)}


class _Output:
    """An output of an operator of a graph."""

    def __init__(self, node: _Node, index: int) -> None:
        self.node = node
        self.index = index


class _Node:
    """An operator of a graph, and what feeds it."""

    def __init__(
        self, number: int, operator: Operator, inputs: tuple[Expression | None, ...], name: str
    ) -> None:
        self.number = number  # in the order in which the graph got them
        self.operator = operator
        self.inputs = inputs
        self.name = name
        self.value_names: dict[int, str] = {}
        #: What it is called by those who compile it in many sizes.
        self.place: Any = None


class Graph:
    """Operators that are connected by the tensors between them.

    Parameters
    ----------
    device : Device
        What compiles and runs it.
    tensor_policy : TensorPolicy, optional
        How the outputs of operators lie in memory. Packed by default.

    Notes
    -----
    A function per operator adds it: `add`, `gemm` and so on. Any operator, also those whose fields
    no function has, is added by its descriptor: see `add_node`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.input([3])
    >>> ramp = fill_value_sequence(graph, sizes=[3], value_start=3, value_delta=2)
    >>> graph.compile([x + ramp, ramp])({x: np.ones(3)})
    [array([4., 6., 8.], dtype=float32), array([3., 5., 7.], dtype=float32)]
    """

    def __init__(self, device: Device, *, tensor_policy: TensorPolicy | None = None) -> None:
        if not isinstance(device, Device):
            raise DataTypeError(
                "needs a device",
                given=f"{shown(device)} ({type(device).__name__})",
                hint="write Graph(Device())",
                field="Graph.device",
            )
        if not isinstance(tensor_policy, TensorPolicy | None):
            raise DataTypeError(
                "needs a TensorPolicy",
                given=f"{shown(tensor_policy)} ({type(tensor_policy).__name__})",
                field="Graph.tensor_policy",
            )
        self.device = device
        self.tensor_policy = tensor_policy
        self._known: dict[Expression | str, Input] = {}
        self._input_count = 0
        self._node_count = 0

    def __repr__(self) -> str:
        return f"<Graph with {self._input_count} inputs on {self.device!r}>"

    # ---- inputs ----

    def input(
        self,
        sizes: Sizes | None = None,
        dtype: DataTypeLike | None = None,
        *,
        owned: bool = False,
        strides: Sizes | None = None,
        desc: TensorDesc | None = None,
        name: str | None = None,
    ) -> Expression:
        """Return an input, whose data is bound when the compiled graph is called.

        Parameters
        ----------
        sizes : sequence of int
            Of the tensor.
        dtype : NumPy dtype or TensorDataType, optional
            FLOAT32 by default.
        owned : bool
            Whether the data is bound once, at initialization.
        strides : sequence of int, optional
            In elements. Packed if left out: the graph's policy is for what operators write.
        desc : TensorDesc
            Instead of all these.
        name : str, optional
            What may stand for the expression when it is bound.

        Raises
        ------
        DataTypeError
            There are both a descriptor and other tensor arguments, or neither.
        DescriptorError
            The tensor breaks a rule, or there is an input of this name.
        """
        flags = TensorFlags.OWNED_BY_DML if owned else TensorFlags.NONE
        if desc is None:
            if sizes is None:
                raise DataTypeError("needs sizes or a desc", given="neither", field="Graph.input")
            data_type = np.float32 if dtype is None else dtype
            desc = TensorDesc(data_type, sizes, flags=flags, strides=strides)
        elif owned or not (sizes is dtype is strides is None):
            raise DataTypeError(
                "needs a desc alone, which says everything",
                given="other tensor arguments too",
                field="Graph.input",
            )
        elif not isinstance(desc, TensorDesc):
            raise DataTypeError(
                "needs a TensorDesc", given=type(desc).__name__, field="Graph.input.desc"
            )
        return self._add_input(desc, name, None)

    def constant(
        self,
        array: Any,
        dtype: DataTypeLike | None = None,
        *,
        sizes: Sizes | None = None,
        name: str | None = None,
        copy: bool = True,
    ) -> Expression:
        """Return an owned input whose data is known now.

        Parameters
        ----------
        array : array or Buffer
            The data. Copied, once: all compiled graphs read the same bytes.
        dtype : NumPy dtype or TensorDataType, optional
            Converted to it as bound arrays are; a Buffer is never converted. The array's own by
            default.
        sizes : sequence of int, optional
            Other sizes with the same element count: a view of the data.
        name : str, optional
            As for `input`.
        copy : bool
            Whether to copy. Without, the array has to stay as it is for as long as graphs run.

        Raises
        ------
        BindingError
            The data is not converted, or has another element count.
        DescriptorError
            There is an input of this name.
        """
        try:
            desc, data, kind = self._constant_bytes(array, dtype, sizes, copy=copy)
        except DirectMLError as error:
            raise error.within("Graph.constant") from None
        return self._add_input(desc, name, data, kind)

    def _constant_bytes(
        self, given: Any, dtype: DataTypeLike | None, sizes: Sizes | None, *, copy: bool
    ) -> tuple[TensorDesc, Any, np.dtype[Any]]:
        """Return a constant's tensor, its bytes, in memory of their own for a copy, and dtype."""
        self.device.require()
        is_buffer = isinstance(given, Buffer)
        elements = given.numpy() if is_buffer else np.asarray(given)
        shape = (given.shape if is_buffer else elements.shape) or (1,)
        own = given.desc.data_type if is_buffer else elements.dtype
        data_type = as_data_type(own if dtype is None else dtype)
        if is_buffer and data_type is not own:
            raise BindingError(
                f"needs {data_type.name}, and a buffer is not converted", given=own.name
            )
        desc = TensorDesc(
            data_type, shape if sizes is None else sizes, flags=TensorFlags.OWNED_BY_DML
        )
        laid = elements
        if sizes is not None:  # they are a view of the data; else they are its own
            laid = elements.reshape(desc.sizes if elements.size == desc.element_count else -1)
        data = bytes_of(desc, laid)
        if copy and not is_buffer and np.may_share_memory(data, elements):
            data = data.copy()
        data.flags.writeable = False
        return desc, data, elements.dtype

    def _add_input(
        self, desc: TensorDesc, name: str | None, data: Any, dtype: Any = None
    ) -> Expression:
        if name is None:
            numbers = itertools.count(self._input_count)
            kind = "input" if data is None else "constant"
            names = (automatic_name(number, kind) for number in numbers)
            name = next(n for n in names if self._is_free(n))
        elif not isinstance(name, str):
            raise DataTypeError(
                "needs a string", given=f"{shown(name)} ({type(name).__name__})", field=_NAME
            )
        if name in self._known:
            raise DescriptorError(
                "needs a name of its own",
                given=f"{shown(name)}; the graph already has an input named {shown(name)}",
                field=_NAME,
            )
        found = Input(self._input_count, desc, name, data, dtype)
        expression = Expression(self, desc, found)
        self._known |= {name: found, expression: found}
        self._input_count += 1
        return expression

    def _is_free(self, name: str) -> bool:
        """Return whether an input may get a name by itself."""
        return name not in self._known

    @property
    def called_inputs(self) -> list[str]:
        """The names of the inputs whose data a call gives, in order."""
        found = (one for key, one in self._known.items() if isinstance(key, str))
        return [one.name for one in found if not one.is_owned]

    # ---- operators ----

    @property
    def feature_level(self) -> FeatureLevel:
        """The feature level of the device."""
        return self.device.feature_level

    def output_tensor(self, data_type: DataTypeLike, sizes: Sizes) -> TensorDesc:
        """Return the descriptor of a new tensor under the graph's policy."""
        return TensorDesc(data_type, sizes, tensor_policy=self.tensor_policy)

    def add_node(
        self, desc: OperatorDesc, *inputs: Expression | None, name: str = ""
    ) -> tuple[Expression, ...]:
        """Add an operator.

        Parameters
        ----------
        desc : OperatorDesc
            Its descriptor, with the tensors of `inputs`.
        *inputs : Expression or None
            What feeds its inputs, in order; None for an optional one that it leaves out.
        name : str, optional
            What it is called in files, messages and ONNX models; by its operator and a number if
            left out.

        Returns
        -------
        tuple of Expression or None
            One per output of the descriptor; None for an optional one that it leaves out.

        Raises
        ------
        DescriptorError, DataTypeError, LayoutError
            The device refuses the descriptor, or an input is another graph's.

        Examples
        --------
        >>> graph = Graph(Device())
        >>> x = graph.constant(np.array([-1, 2], np.float32))
        >>> desc = ActivationReluOperatorDesc(x.desc, graph.output_tensor(np.float32, [2]))
        >>> (y,) = graph.add_node(desc, x)
        >>> graph.compile([y])()
        [array([0., 2.], dtype=float32)]
        """
        for number, expression in enumerate(inputs):
            if expression is not None and expression.graph is not self:
                raise DescriptorError(
                    "needs expressions of one graph",
                    given="one of another",
                    field=f"{desc.operator_name}.inputs[{number}]",
                )
        if not isinstance(name, str):
            raise DataTypeError("needs a string", given=shown(name), field="Graph.add_node.name")
        return self.connected(self.device.create_operator(desc), inputs, name)

    def connected(
        self, operator: Operator, inputs: tuple[Expression | None, ...], name: str = ""
    ) -> tuple[Expression, ...]:
        """Add an operator that the device has checked; returns what `add_node` does."""
        node = self.node_of(operator, inputs, name)
        outputs = [tensor for _, tensor in operator.desc.tensors("output_tensor")]
        return tuple(
            None if tensor is None else Expression(self, tensor, _Output(node, k))  # type: ignore[misc]  # None concerns only the functions that have optional outputs
            for k, tensor in enumerate(outputs)
        )

    def node_of(
        self, operator: Operator, inputs: tuple[Expression | None, ...], name: str
    ) -> _Node:
        """Return a node, whose outputs nobody has yet."""
        self._node_count += 1
        return _Node(self._node_count - 1, operator, inputs, name)

    @staticmethod
    def output_of(node: _Node, index: int) -> _Output:
        """Return an output of a node as what an expression stands for."""
        return _Output(node, index)

    def arithmetic(self, name: str, a: Operand, b: Operand) -> Expression:
        """Return a + b and so on; a number becomes a constant of the other side's data type.

        One that the data type cannot hold becomes scale and bias of ELEMENT_WISE_IDENTITY, in
        FLOAT32, where the operation can be said so.
        """
        for x, value, scale_bias in ((a, b, _ON_THE_RIGHT), (b, a, _ON_THE_LEFT)):
            if isinstance(x, Expression) and name in scale_bias and _is_too_large(value, x):
                return identity(x, scale_bias=scale_bias[name](value))
        return _ARITHMETIC[name](self._operand(name, a, b), self._operand(name, b, a))

    def _operand(self, name: str, value: Operand, other: Operand) -> Expression:
        if isinstance(value, Expression):
            return value
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if not isinstance(value, Number | np.generic) or not isinstance(other, Expression):
            raise DataTypeError(
                "needs expressions of this graph, or a number on one side",
                given=f"{shown(value)} ({type(value).__name__})",
                hint="graph.constant(array) makes an expression of an array",
                field=name,
            )
        ones = [1] * len(other.shape)
        number = fill_value_constant(self, sizes=ones, value=value, dtype=other.desc.data_type)
        return broadcast(number, other.shape)

    # ---- compiling ----

    @without_collector()
    def compile(
        self, outputs: Iterable[Expression], *, flags: ExecutionFlags = ExecutionFlags.NONE
    ) -> CompiledGraph:
        """Return the graph of what the outputs need, ready to be called.

        Parameters
        ----------
        outputs : sequence of Expression
            What a call returns, in order.
        flags : ExecutionFlags
            As for `Device.compile_operator`.

        Raises
        ------
        DescriptorError
            The graph breaks a rule: an input is an output, an output of an operator is not used.
        """
        if isinstance(outputs, Expression) or not isinstance(outputs, Iterable):
            raise DataTypeError(
                "needs a list of expressions",
                given=shown(outputs),
                hint="write compile([x])",
                field="GRAPH.outputs",
            )
        return self.compile_for(list(outputs), self._known, flags)

    def compile_for(
        self,
        outputs: Sequence[Expression],
        known: Mapping[Expression | str, Input | None],
        flags: ExecutionFlags = ExecutionFlags.NONE,
        former: Former | None = None,
    ) -> CompiledGraph:
        """Return the graph of what the outputs need, whose inputs are called as `known` says.

        `former` is what the last graph left that was compiled of this one, for other sizes.
        """
        desc, inputs = self.describe(outputs)
        compiled = self.device.compile_graph(desc, flags, former=former)
        return CompiledGraph(compiled, inputs, [e.desc for e in outputs], known)

    def unlisted_input(self, desc: TensorDesc, name: str) -> Expression:
        """Return an input that nothing but `compile_for` knows by its name."""
        self._input_count += 1
        return Expression(self, desc, Input(self._input_count - 1, desc, name, None))

    def describe(self, outputs: Iterable[Expression]) -> tuple[GraphDesc, list[Input]]:
        """Return the graph of what the outputs need as nodes and edges, and its inputs in order.

        Raises
        ------
        DescriptorError
            An input is an output.
        """
        outputs = list(outputs)
        edges = _Edges()
        for index, expression in enumerate(outputs):
            if not isinstance(expression, Expression) or expression.graph is not self:
                raise DataTypeError(
                    "needs expressions of this graph",
                    given=shown(expression),
                    field=f"GRAPH.outputs[{index}]",
                )
            edges.add_output(index, expression)
        edges.connect()
        desc = GraphDesc(
            len(edges.inputs),
            len(outputs),
            [node.operator for node in edges.nodes],
            edges.output_edges,
            edges.input_edges,
            edges.intermediate_edges,
            [node.name for node in edges.nodes],
            {
                (n, k): name
                for node, n in edges.nodes.items()
                for k, name in node.value_names.items()
            },
        )
        return desc, list(edges.inputs)

    def unread(self, outputs: Iterable[Expression]) -> list[Expression]:
        """Return what operators that some outputs need write besides, and nothing reads.

        Parameters
        ----------
        outputs : sequence of Expression
            As for `compile`.

        Returns
        -------
        list of Expression
            DirectML's graphs use every output of a node: these are outputs of the graph, too.
        """
        edges = _Edges()
        read = set()
        for index, expression in enumerate(outputs):
            edges.add_output(index, expression)
            read.add(expression.value)
        read |= {e.value for node in edges.nodes for e in node.inputs if e is not None}
        used = {(value.node, value.index) for value in read if isinstance(value, _Output)}
        return [
            Expression(self, tensor, _Output(node, k))
            for node in edges.nodes
            for k, (_, tensor) in enumerate(node.operator.desc.tensors("output_tensor"))
            if tensor is not None and (node, k) not in used
        ]

    def serialize(
        self, path: str | os.PathLike[str], outputs: Iterable[Expression], **names: Any
    ) -> None:
        """Write what outputs need to a file that DxDispatch and `read_serialized_graph` read.

        Parameters
        ----------
        path : path
            As for `SerializedGraph.serialize`.
        outputs : sequence of Expression
            As for `compile`.
        **names
            As for `SerializedGraph.of_outputs`, whose errors this raises.
        """
        serialized = door("serialized graphs")
        serialized.SerializedGraph.of_outputs(list(outputs), **names).serialize(path)


class _Edges:
    """Nodes and inputs that outputs need, numbered as they were added, and the edges of these."""

    def __init__(self) -> None:
        self.nodes: dict[_Node, int] = {}
        self._sources: list[_Output] = []
        self.inputs: dict[Input, int] = {}
        self.input_edges: list[InputEdge] = []
        self.intermediate_edges: list[IntermediateEdge] = []
        self.output_edges: list[OutputEdge] = []

    def add_output(self, index: int, expression: Expression) -> None:
        source = expression.value
        if not isinstance(source, _Output):
            raise DescriptorError(
                "an input is not wired straight to an output",
                given=f"{expression!r}",
                hint="put identity(...) between them",
                field=f"GRAPH.outputs[{index}]",
            )
        self._add_nodes(source.node)
        self._sources.append(source)

    def _add_nodes(self, last: _Node) -> None:
        """Add a node and all that feed it; by a stack, since graphs may be deep."""
        stack = [last]
        while stack:
            node = stack.pop()
            if node in self.nodes:
                continue
            self.nodes[node] = len(self.nodes)
            values = [e.value for e in node.inputs if e is not None]
            stack += [value.node for value in values if isinstance(value, _Output)]

    def connect(self) -> None:
        """Give numbers to what there is, and add the edges between."""
        listed = sorted(self.nodes, key=lambda node: node.number)
        self.nodes = {node: number for number, node in enumerate(listed)}
        self.output_edges = [
            OutputEdge(self.nodes[source.node], source.index, index)
            for index, source in enumerate(self._sources)
        ]
        used = {e.value for node in self.nodes for e in node.inputs if e is not None}
        found = sorted((v for v in used if isinstance(v, Input)), key=lambda i: i.number)
        self.inputs = {value: index for index, value in enumerate(found)}
        for node, number in self.nodes.items():
            for k, expression in enumerate(node.inputs):
                source = None if expression is None else expression.value
                if isinstance(source, Input):
                    self.input_edges.append(InputEdge(self.inputs[source], number, k))
                elif isinstance(source, _Output):
                    begin = self.nodes[source.node]
                    self.intermediate_edges.append(IntermediateEdge(begin, source.index, number, k))
