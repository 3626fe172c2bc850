"""The names of `pydirectml`, Microsoft's own package before `directml`, over the door for graphs.

A script for it, such as Microsoft's samples, needs only its import line changed:

    import indirectml.pydirectml as dml        # was: import pydirectml as dml

What is not here by itself is the name in `indirectml`: enumerations, results of functions, and the
functions whose parameters are the same.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import indirectml
from indirectml.catalogue.enumerations import ExecutionFlags
from indirectml.core import tensors
from indirectml.core.data_types import DataTypeLike
from indirectml.core.errors import BindingError, DataTypeError, shown
from indirectml.core.tensors import TensorFlags
from indirectml.graphs import expressions, graphs
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression, Sizes
from indirectml.operators.functions import mean_variance_normalization as _normalized
from indirectml.runtime import device as runtime

#: The parameters of functions, all of them by position, and what the functions are called here.
_POSITIONAL = {
    "activation_linear": "input alpha beta",
    "activation_soft_max": "input",
    "average_pooling": "input strides window_sizes start_padding end_padding include_padding",
    "batch_normalization": "input mean variance scale bias spatial epsilon fused_activation",
    "add": "a b fused_activation",
    "convolution": "input filter bias mode direction strides dilations start_padding end_padding "
    "output_padding group_count fused_activation output_sizes",
    "gather": "input indices axis index_dimensions",
    "gemm": "a b c trans_a trans_b alpha beta fused_activation",
    "gru": "input weight recurrence bias hidden_init sequence_lengths activation_descs direction "
    "linear_before_reset output_options",
    "join": "inputs axis",
    "local_response_normalization": "input cross_channel local_size alpha beta bias",
    "max_pooling": "input window_sizes strides start_padding end_padding dilations output_indices",
    "padding": "input padding_mode padding_value start_padding end_padding",
    "slice": "input input_window_offsets input_window_sizes input_window_strides",
    "up_sample_2d": "input scale_size interpolation_mode",
    "value_scale_2d": "input scale bias",
}
_RENAMED = {"activation_soft_max": "activation_softmax", "up_sample_2d": "upsample_2d"}


def __getattr__(name: str) -> Any:
    if name in _POSITIONAL:
        return _by_position(name)
    try:
        return getattr(indirectml, name)
    except AttributeError as error:
        text = str(error).replace(repr(indirectml.__name__), repr(__name__), 1)
        raise AttributeError(text) from None


@functools.cache
def _by_position(name: str) -> Callable[..., Any]:
    """Return a function that takes all of its parameters by position too."""
    function = getattr(indirectml, _RENAMED.get(name, name))
    known = inspect.signature(function).parameters
    parameters = [
        known[each].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for each in _POSITIONAL[name].split()
    ]
    # One that has a default may stand here before one that has none.
    signature = inspect.Signature(sorted(parameters, key=lambda p: p.default is not p.empty))
    names = _POSITIONAL[name].split()

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(names):
            raise TypeError(f"{name}() takes {len(names)} arguments, {len(args)} were given")
        named = dict(zip(names, args, strict=False))
        twice = named.keys() & kwargs.keys()
        if twice:
            raise TypeError(f"{name}() got multiple values for argument {min(twice)!r}")
        try:
            bound = signature.bind(**named, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        return function(**bound.arguments)

    called.__name__ = called.__qualname__ = name
    return called


class Device(runtime.Device):
    """A device, and what computes on it.

    Parameters
    ----------
    use_gpu, use_debug_layer : bool
        Without effect, as in `indirectml.Device`.
    """

    def __init__(self, use_gpu: bool = True, use_debug_layer: bool = False) -> None:  # noqa: FBT001, FBT002 (by position there)
        super().__init__(use_gpu=use_gpu, use_debug_layer=use_debug_layer)

    def compute(
        self,
        op: CompiledOperator,
        input_bindings: Iterable[Binding],
        outputs: Sequence[Expression],
    ) -> list[np.ndarray[Any, Any]]:
        """Return arrays of what a graph computes.

        Parameters
        ----------
        op : CompiledOperator
            What `GraphBuilder.build` returned.
        input_bindings : iterable of Binding
            The data of every input. Those that are owned by DirectML are initialized with it.
        outputs : sequence of Expression
            Which of the outputs are wanted, in order.

        Raises
        ------
        BindingError
            An input is missing, its data does not fit, or an expression is no output.
        """
        owned: dict[Any, Any] = {}
        called: dict[Any, Any] = {}
        for binding in input_bindings:
            is_owned = binding.expression.desc.flags & TensorFlags.OWNED_BY_DML
            (owned if is_owned else called)[binding.expression] = binding.data
        for number, expression in enumerate(outputs):
            if expression not in op.outputs:
                raise BindingError(
                    "needs an output that the graph was built with",
                    given=shown(expression),
                    field=f"Device.compute.outputs[{number}]",
                )
        if owned or not op.graph.initialized:
            op.graph.initialize(owned)
        results = op.graph.dispatch(called)
        return [results[op.outputs.index(expression)] for expression in outputs]


@dataclass(frozen=True)
class CompiledOperator:
    """A compiled graph, and the expressions that are its outputs."""

    graph: CompiledGraph
    outputs: tuple[Expression, ...]


class GraphBuilder(graphs.Graph):
    """A graph that is being made.

    Parameters
    ----------
    device : Device
        What compiles and runs it.
    """

    def build(self, flags: ExecutionFlags, outputs: Sequence[Expression]) -> CompiledOperator:
        """Return the graph of what the outputs need; errors are those of `Graph.compile`."""
        return CompiledOperator(self.compile(outputs, flags=flags), tuple(outputs))


@dataclass(frozen=True)
class Binding:
    """Data for an input.

    Parameters
    ----------
    expression : Expression
        What `input_tensor` returned.
    data : array
        FLOAT32, or what becomes it. Its elements fill the tensor's memory in row-major order,
        whatever sizes they have: as in `pydirectml`, which looks at the bytes alone.
    """

    expression: Expression
    data: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", np.asarray(self.data, np.float32).reshape(-1))


class TensorDesc(tensors.TensorDesc):
    """A tensor's data type, flags, sizes and strides, by position.

    Parameters
    ----------
    data_type : TensorDataType
        Of the elements.
    flags : TensorFlags, optional
        May be left out: sizes follow at once.
    sizes : sequence of int
        Of the tensor.
    strides : sequence of int, optional
        In elements; packed by default.

    Examples
    --------
    >>> TensorDesc(TensorDataType.FLOAT32, TensorFlags.OWNED_BY_DML, [8, 1, 5, 5])
    TensorDesc(FLOAT32, sizes=[8, 1, 5, 5], flags=OWNED_BY_DML)
    >>> TensorDesc(TensorDataType.FLOAT32, [1, 8, 28, 28], [8, 1, 0, 0]).total_tensor_size_in_bytes
    32
    """

    def __init__(self, data_type: DataTypeLike, *rest: Any, **named: Any) -> None:
        names = ["flags", "sizes", "strides"][not (rest and isinstance(rest[0], TensorFlags)) :]
        if len(rest) > len(names):
            raise DataTypeError("needs data type, flags, sizes and strides", given=f"{rest}")
        super().__init__(data_type, **dict(zip(names, rest, strict=False)), **named)


def input_tensor(
    scope: GraphBuilder, input_index: int, tensor_desc: tensors.TensorDesc
) -> Expression:
    """Return an input of a graph.

    Parameters
    ----------
    scope : GraphBuilder
        The graph.
    input_index : int
        Its number, which no other input has.
    tensor_desc : TensorDesc
        What it is.
    """
    return scope.input(desc=tensor_desc, name=f"input_{input_index}")


def reinterpret(
    input: Expression,  # noqa: A002 (the name there, and below)
    new_type: DataTypeLike,
    new_size: Sizes,
    new_strides: Sequence[int] | None = None,
) -> Expression:
    """Return a view of a tensor; `indirectml.reinterpret` with its parameters in another order."""
    return expressions.reinterpret(input, new_size, new_strides, new_type)


def mean_variance_normalization(
    input: Expression,  # noqa: A002
    scale: Expression | None,
    bias: Expression | None,
    axes: Sequence[int],
    normalize_variance: bool,  # noqa: FBT001 (as in `Device`)
    *rest: Any,
    **named: Any,
) -> Expression:
    """Return what `indirectml.mean_variance_normalization` does, by position.

    Parameters
    ----------
    input, scale, bias, axes, normalize_variance
        As there.
    *rest, **named
        Then `epsilon` and `fused_activation`; `normalize_mean` may stand before them, as in later
        versions of `pydirectml`.
    """
    names = ["normalize_mean", "epsilon", "fused_activation"]
    given = dict(zip(names[not (rest and isinstance(rest[0], bool)) :], rest, strict=False))
    return _normalized(
        input, scale, bias, axes=axes, normalize_variance=normalize_variance, **given, **named
    )
