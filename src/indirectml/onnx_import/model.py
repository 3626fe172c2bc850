"""The door for ONNX models: `load_onnx`, and what it returns."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from indirectml.core.collecting import without_collector
from indirectml.core.errors import (
    BindingError,
    DataTypeError,
    DirectMLError,
    ModelError,
    SettingError,
    refusing,
    shown,
)
from indirectml.core.tensor_buffers import Buffer
from indirectml.core.tensors import TensorDesc
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import Budget, LoadingGraph, NodesError, checked_limit
from indirectml.onnx_import.folding import as_output
from indirectml.onnx_import.graph import OnnxGraph
from indirectml.onnx_import.inputs import (
    OnnxTensor,
    checked_constants,
    checked_dimensions,
    checked_sizes,
    input_value,
    open_names,
    read_constants,
    read_inputs,
)
from indirectml.onnx_import.quantized_graphs import in_integers
from indirectml.onnx_import.reading import check_header, read_model
from indirectml.onnx_import.translation import Refusal, Scope, Translation
from indirectml.onnx_import.values import (
    Array,
    Value,
    as_onnx,
    as_stored,
    sizes_of,
    stored_dtype,
)
from indirectml.onnx_import.weights import Folder
from indirectml.operators.functions import identity
from indirectml.runtime import Device
from indirectml.serialized.graph import SerializedGraph

#: What quantized graphs become.
Quantized = Literal["as written", "integers"]

#: How many refusals a message has; the attribute has all.
_SHOWN_REFUSALS = 20
#: How many inputs or outputs a repr has.
_SHOWN_TENSORS = 20


#: A graph, the inputs of a model, and the values of its outputs.
_Translated = tuple[LoadingGraph, dict[str, OnnxTensor], dict[str, Value]]


class OnnxModelError(ModelError):
    """A model with nodes that cannot be said in DirectML's operators.

    Attributes
    ----------
    refusals : tuple of Refusal
        All of them, each with `node`, `operator` and `reason`.
    """

    refusals: tuple[Refusal, ...] = ()


class OnnxModel:
    """An ONNX model as a compiled graph of DirectML's operators. Made by `load_onnx`.

    Attributes
    ----------
    inputs, outputs : dict of str to OnnxTensor
        In the order of the model.
    compiled : CompiledGraph or None
        Its operators; None where every output is known without any.
    """

    def __init__(
        self, graph: LoadingGraph, inputs: dict[str, OnnxTensor], outputs: dict[str, Value]
    ) -> None:
        self.inputs = inputs
        self.outputs = {
            name: OnnxTensor(name, value.dtype, value.shape) for name, value in outputs.items()
        }
        self._graph = graph
        self._values = outputs
        self._made: dict[str, Expression] = {}
        for name, value in outputs.items():
            if isinstance(value.content, Expression):
                with graph.naming(name):
                    self._made[name] = as_output(value.content)
        made = list(self._made.values())
        self.compiled: CompiledGraph | None = None
        if made:
            # What nodes make besides, and nobody reads, is an output of a graph too.
            self.compiled = graph.compile([*made, *graph.unread(made)])
            self._read = set(self.compiled.inputs)

    def __call__(self, *inputs: Any, **named: Any) -> list[Array]:
        """Run the model.

        Parameters
        ----------
        *inputs : dict, or arrays
            A dict from names to arrays; or an array for each input, in order. Sizes are those of
            `inputs`; data types are converted within a kind (float64 to float32), or without loss.
            An input that no output needs may be left out of a dict.
        **named : array
            Likewise by name, instead.

        Returns
        -------
        list of array
            One for each of `outputs`, in order.

        Raises
        ------
        BindingError
            An input is missing or unknown, or has other sizes or another kind of numbers.

        Notes
        -----
        Any number of threads may call.
        """
        bound = self._bound(inputs, named)
        results: dict[str, Array] = {}
        if self.compiled is not None:
            results = dict(zip(self._made, self.compiled(bound), strict=False))
        return [_as_onnx(value, results.get(name)) for name, value in self._values.items()]

    def _repr_svg_(self) -> str | None:
        """Return a picture for notebooks, as that of a serialized graph."""
        try:
            return self.serialized()._repr_svg_()
        except DirectMLError:
            return None  # such as one without operators

    def profile(self, *inputs: Any, runs: int = 5, **named: Any) -> Any:
        """Run the model step by step, and return how long each step takes.

        Parameters
        ----------
        *inputs, **named : dict, or arrays
            As of a call, whose errors this raises.
        runs : int
            How often; of each step the least time counts.

        Returns
        -------
        Profile
            `print` shows it as tables; `save` writes a trace that browsers and Perfetto open.

        Raises
        ------
        ModelError
            Every output is known without any operator.
        """
        if self.compiled is None:
            raise ModelError("needs an output that operators make", field="profile")
        return self.compiled.profile(self._bound(inputs, named), runs=runs)

    def serialized(self) -> OnnxGraph:
        """Return the model as a graph with names: it can be written, explained, compiled again.

        Raises
        ------
        ModelError
            An output has no elements.
        DescriptorError
            An output is an input, under the same name.

        Notes
        -----
        BOOL is UINT8 there, and a scalar has sizes [1]. Outputs of operators that nothing reads
        are further outputs, since DirectML's graphs have no others.
        """
        return _graph_of(self._graph, self.inputs, self._values)

    def serialize(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that DxDispatch and `read_serialized_graph` read.

        Parameters
        ----------
        path : path
            As for `SerializedGraph.serialize`, whose errors this raises, and those of `serialized`.
        """
        self.serialized().serialize(path)

    def to_onnx(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Return the model as an ONNX model again, made of DirectML's operators.

        Parameters
        ----------
        path : path, optional
            Where it is written, too.
        **options
            As for `SerializedGraph.to_onnx`, whose errors this raises, and those of `serialized`.
        """
        return self.serialized().to_onnx(path, **options)

    @property
    def known_values(self) -> dict[str, Array]:
        """The outputs that are known without any operator, by name."""
        known = ((name, value.array) for name, value in self._values.items())
        return {name: array for name, array in known if array is not None}

    def _bound(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[Any, Any]:
        """Return what the compiled graph takes for what the model is given."""
        if inputs and named:
            raise BindingError("needs inputs either by position or by name", field="ONNX")
        given = self._named((named,) if named else inputs)
        data = {name: self._fitting(self.inputs[name], each) for name, each in given.items()}
        if self.compiled is None:
            return {}
        missing = [str(t) for n, t in self.inputs.items() if n in self._read and n not in data]
        if missing:
            raise BindingError(f"needs data for {', '.join(missing)}", field="ONNX")
        return {name: each for name, each in data.items() if name in self._read}

    def _named(self, inputs: Sequence[Any]) -> Mapping[str, Any]:
        if len(inputs) == 1 and isinstance(inputs[0], Mapping):
            for name in inputs[0]:
                if name not in self.inputs:
                    known = _listed(self.inputs) or "none"
                    raise BindingError(
                        f"needs inputs of the model: {known}", given=shown(name), field="ONNX"
                    )
            return inputs[0]
        if len(inputs) != len(self.inputs):
            raise BindingError(
                f"needs {len(self.inputs)} inputs", given=f"{len(inputs)}", field="ONNX"
            )
        return dict(zip(self.inputs, inputs, strict=True))

    @staticmethod
    def _fitting(tensor: OnnxTensor, given: Any) -> Any:
        if isinstance(given, Buffer):
            return given
        array = np.asarray(given)
        if array.shape != tensor.sizes:
            raise BindingError(
                f"needs sizes {list(tensor.sizes)}",
                given=f"{list(array.shape)}",
                field=f"ONNX.{tensor.name}",
            )
        if tensor.dtype == stored_dtype(tensor.dtype):
            return array
        if array.dtype != tensor.dtype:
            raise BindingError(
                f"needs {tensor.dtype}", given=f"{array.dtype}", field=f"ONNX.{tensor.name}"
            )
        return as_stored(np.ascontiguousarray(array)).reshape(sizes_of(array.shape))

    def __repr__(self) -> str:
        names = (_listed(each) for each in (self.inputs, self.outputs))
        return "OnnxModel({} -> {})".format(*names)


def _listed(tensors: Mapping[str, OnnxTensor]) -> str:
    """Return the first tensors as a repr shows them."""
    shown_ones = [*map(str, itertools.islice(tensors.values(), _SHOWN_TENSORS))]
    return ", ".join([*shown_ones, *(["..."] if len(tensors) > len(shown_ones) else [])])


def _graph_of(
    graph: LoadingGraph, inputs: Mapping[str, OnnxTensor], values: Mapping[str, Value]
) -> OnnxGraph:
    """Return what makes the outputs of a model as a graph with names."""
    outputs = []
    for name, value in values.items():
        with graph.naming(name):
            outputs.append(_whole(value.expression(graph)))
    unread = graph.unread(outputs)
    names = [*values, *(f"unread_{number}" for number in range(len(unread)))]
    found = SerializedGraph.of_outputs([*outputs, *unread], output_names=names)
    tensors = {
        name: TensorDesc(stored_dtype(each.dtype), sizes_of(each.sizes))
        for name, each in inputs.items()
        if math.prod(each.sizes)  # nothing reads those without elements
    }
    return OnnxGraph(found.nodes, found.input_names, tuple(names), tensors, len(unread))


def _whole(x: Expression) -> Expression:
    """Return what has the sizes of an operator's output, and not those of a view of it."""
    made = as_output(x)
    of_operator = made.value.node.operator.desc.tensors("output_tensor")  # type: ignore[attr-defined]
    tensor = of_operator[made.value.index][1]  # type: ignore[attr-defined]
    return made if tensor.sizes_tuple == made.shape else identity(made)


def _as_onnx(value: Value, result: Array | None) -> Array:
    """Return an output as an array with ONNX's sizes and data type."""
    if result is None:
        array: Array = value.content  # type: ignore[assignment]  # known, since nothing made it
        return array.copy()
    array = result.reshape(value.shape)
    return as_onnx(array, value.dtype)


def input_names(source: Any) -> tuple[set[str], set[str]]:
    """Return the names of a model's inputs, and those of the dimensions that they leave open.

    Inputs that are initializers are left out; the names of dimensions are also denotations.

    Raises
    ------
    ModelError, OSError
        It is no ONNX model, or cannot be opened.
    """
    model, _, _ = read_model(source)
    known = {each.name for each in model.graph.initializer}
    infos = [each for each in model.graph.input if each.name not in known]
    return {each.name for each in infos}, open_names(infos)


@without_collector()
def load_onnx(
    source: Any,
    device: Device | None = None,
    *,
    sizes: Mapping[str, Sequence[int]] | None = None,
    dimensions: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
    quantized: Quantized = "as written",
    memory_limit: int | None = None,
) -> OnnxModel:
    """Return an ONNX model as a compiled graph of DirectML's operators.

    Parameters
    ----------
    source : path, bytes or onnx.ModelProto
        The model. Tensors that it keeps in files beside it are found by its path, and mapped.
    device : Device, optional
        What compiles and runs it. ``Device()`` by default.
    sizes : dict, optional
        From names of inputs to their sizes, where the model leaves some open.
    dimensions : dict, optional
        From the names, or the denotations, that a model gives to open dimensions to their sizes.
    constants : dict, optional
        From names of inputs to arrays that they have once and for all: what decides sizes has to be
        known while loading. They are no inputs of what is returned.
    quantized : {"as written", "integers"}
        What becomes of DequantizeLinear, an operator, and QuantizeLinear behind it: these three, in
        FLOAT32; or one of DirectML's operators of integers, as ONNX Runtime optimizes such graphs.
        The two round otherwise.
    memory_limit : int, optional
        How many bytes loading may take for what it computes, read and made; 4 GiB by default. It
        allows a node for each 32 KiB: functions, branches and loops are written out.

    Returns
    -------
    OnnxModel
        It takes and returns arrays, and tells names, sizes and data types.

    Raises
    ------
    OnnxModelError
        Nodes cannot be said: `refusals` has all of them.
    ModelError
        It is no ONNX model, or one of an opset that is too old or of the future; a file with
        weights is missing; an input has open sizes; loading takes more than `memory_limit`.
    OSError
        The file cannot be opened.
    SettingError
        The onnx package is not installed.
    DataTypeError
        An argument has another type.

    Notes
    -----
    Sizes are fixed while loading, and what depends on nothing else is computed then. Opsets from 7
    on, up to what the installed onnx knows. Operators without a form of their own are taken apart
    as ONNX defines them; an If whose condition is known becomes its branch, a loop whose steps can
    be counted becomes its steps. Conditions and loops that depend on inputs, sequences, strings,
    sizes that depend on data, and arithmetic in FLOAT64 with inputs are refused.

    Examples
    --------
    >>> import onnx
    >>> model = load_onnx(onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["" : 18]>
    ...     agraph (float[N, 3] x) => (float[N, 3] y) { y = Add(x, x) }
    ... '''), sizes={"x": [1, 3]})
    >>> model.inputs["x"]
    OnnxTensor(name='x', dtype=dtype('float32'), sizes=(1, 3))
    >>> model(np.ones((1, 3), np.float32))
    [array([[2., 2., 2.]], dtype=float32)]
    """
    return OnnxModel(
        *_translated(
            source, device, sizes, dimensions, constants, quantized, memory_limit=memory_limit
        )
    )


def read_onnx_graph(source: Any, device: Device | None = None, **fixed: Any) -> OnnxGraph:
    """Return an ONNX model as a graph with names, which nothing has compiled yet.

    Parameters
    ----------
    source, device, **fixed
        As for `load_onnx`, whose errors this raises, and those of `OnnxModel.serialized`. With
        `open_size`, an integer, that is the size of every dimension that is still open then.
    """
    return _graph_of(*_translated(source, device, **fixed))


def load_onnx_values(source: Any, device: Device | None = None, **fixed: Any) -> OnnxModel:
    """Return an ONNX model whose outputs are all values that the nodes of its graph make.

    Parameters
    ----------
    source, device, **fixed
        As for `load_onnx`, whose errors this raises; with `open_size` as for `read_onnx_graph`.
    """
    return OnnxModel(*_translated(source, device, **fixed, inner=True))


def _translated(
    source: Any,
    device: Device | None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    dimensions: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
    quantized: Quantized = "as written",
    open_size: int | None = None,
    memory_limit: int | None = None,
    *,
    inner: bool = False,
) -> _Translated:
    """Return a graph with the operators of a model, its inputs and its outputs.

    With `inner` the outputs are all values that the nodes of its graph make for them.
    """
    if not isinstance(device, Device | None):
        raise DataTypeError("needs a device", given=shown(device), field="load_onnx.device")
    if quantized not in get_args(Quantized):
        needs = f"needs one of {', '.join(map(repr, get_args(Quantized)))}"
        raise SettingError(needs, given=shown(quantized), field="load_onnx.quantized")
    fixed = checked_sizes(sizes), checked_dimensions(dimensions), checked_constants(constants)
    graph = LoadingGraph(device or Device(), Budget(checked_limit(memory_limit)))
    model, folder, name = read_model(source)
    try:
        with refusing("needs an ONNX model that can be read"):
            if quantized == "integers":
                model = in_integers(model)
            return _walked(model, folder, graph, *fixed, open_size, inner=inner)
    except ModelError as error:
        error.field = f"{name}: {error.field}" if error.field else name
        raise


def _walked(
    model: Any,
    folder: Folder | None,
    graph: LoadingGraph,
    sizes: Mapping[str, Sequence[int]],
    dimensions: Mapping[str, int],
    constants: Mapping[str, Any],
    open_size: int | None,
    *,
    inner: bool,
) -> _Translated:
    opsets = check_header(model)
    translation = Translation(graph, model, folder)
    scope = Scope({}, opsets)
    translation.initialize(model.graph, scope)
    scope.values |= read_constants(model, constants)
    inputs: dict[str, OnnxTensor] = {}
    for tensor in read_inputs(model, scope.values, sizes, dimensions, open_size):
        inputs[tensor.name] = tensor
        scope.values[tensor.name] = input_value(graph, tensor)
    names = [output.name for output in model.graph.output]
    if not names:
        raise ModelError("needs at least one output", given="none")
    if len(set(names)) != len(names):
        raise ModelError("needs outputs of different names", given=shown(names))
    graph.reserved.update(names)
    try:
        translation.translate(model.graph, scope, names)
    except NodesError as error:
        if not error.is_told:
            raise
    if translation.refusals:
        raise _refused(translation.refusals)
    if inner:
        made = {name for node in model.graph.node for name in node.output}
        names = [n for n, value in scope.values.items() if n in made and isinstance(value, Value)]
    return graph, inputs, {name: _output(graph, scope, name) for name in names}


def _output(graph: LoadingGraph, scope: Scope, name: str) -> Value:
    """Return what an output of the model stands for."""
    value = scope.find(name)
    if not isinstance(value, Value):
        raise ModelError("needs an output that a node makes", given="none", field=shown(name))
    if value.array is not None and not value.array.flags.c_contiguous:
        try:
            graph.budget.take_elements(value.shape, value.dtype)  # each call copies it
        except ModelError as error:
            raise error.within(f"output {shown(name)}") from None
    return value


def _refused(refusals: Sequence[Refusal]) -> OnnxModelError:
    listed = [f"\n  {refusal}" for refusal in refusals[:_SHOWN_REFUSALS]]
    more = len(refusals) - len(listed)
    listed += [f"\n  and {more} more"] if more > 0 else []
    count = f"{len(refusals)} node{'' if len(refusals) == 1 else 's'}"
    error = OnnxModelError(f"{count} cannot be said in DirectML's operators:{''.join(listed)}")
    error.refusals = tuple(refusals)
    return error
