"""The door for ONNX models: `load_onnx`, and what it returns."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from indirectml.core.collecting import without_collector
from indirectml.core.errors import (
    BindingError,
    DataTypeError,
    DirectMLError,
    ModelError,
    SettingError,
    shown,
)
from indirectml.core.tensor_buffers import Buffer
from indirectml.graphs.compiled_graphs import CompiledGraph
from indirectml.onnx_import.budget import checked_limit
from indirectml.onnx_import.graph import OnnxGraph, graph_of
from indirectml.onnx_import.inputs import (
    OnnxTensor,
    checked_constants,
    checked_dimensions,
    checked_names,
    checked_sizes,
    open_names,
)
from indirectml.onnx_import.quantized_graphs import Quantized
from indirectml.onnx_import.reading import read_model
from indirectml.onnx_import.sources import KEPT, OnnxModelError, Sized, Source, compiled_of
from indirectml.onnx_import.values import (
    BOOL,
    MOST_DIMENSIONS,
    Array,
    as_stored,
    output_array,
    sizes_of,
    stored_dtype,
)
from indirectml.passes.parts import Former
from indirectml.runtime import Device

__all__ = ["OnnxModel", "OnnxModelError", "input_names", "load_onnx", "read_onnx_graph"]

#: How many inputs or outputs a repr has.
_SHOWN_TENSORS = 20


class OnnxModel:
    """An ONNX model as compiled graphs of DirectML's operators. Made by `load_onnx`.

    Attributes
    ----------
    inputs, outputs : dict of str to OnnxTensor
        In the order of the model. Open sizes are names, or None.
    compiled : CompiledGraph or None
        Its operators; None where every output is known without any, and of a model whose sizes are
        open: `at` has them.
    """

    def __init__(self, source: Source, sized: Sized | None = None) -> None:
        self._source = source
        self._sized = sized
        #: In which sizes it was called last.
        self._last = sized
        self.compiled: CompiledGraph | None = None
        if sized is None:
            self.inputs, self.outputs = source.tensors()
        else:
            self.inputs, self.outputs, self.compiled = sized.inputs, sized.outputs, sized.compiled

    @staticmethod
    def of(source: Source, sized: Sized) -> OnnxModel:
        """Return the model in one set of sizes; the same one each time."""
        if sized.model is None:
            sized.model = OnnxModel(source, sized)
        return sized.model  # type: ignore[no-any-return]

    def at(
        self,
        sizes: Mapping[str, Any] | None = None,
        /,
        *,
        constants: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> OnnxModel:
        """Return the model in fixed sizes, compiled now; calls with these sizes run the same.

        Parameters
        ----------
        sizes : dict
            From names of inputs to their sizes, or to arrays that have them; and from names of open
            dimensions to their sizes, which are integers.
        constants : dict, optional
            From names of inputs to arrays that they have: what decides sizes has to be known. They
            are no inputs of what is returned.
        **more
            The same as `sizes`, for names that Python can write.

        Raises
        ------
        ModelError
            Dimensions are still open (all are named), sizes contradict the model, or a name is
            neither an input's nor a dimension's.
        OnnxModelError
            Nodes cannot be said in these sizes: `asked` names the inputs that would have to be
            known.

        Examples
        --------
        >>> import onnx
        >>> model = load_onnx(onnx.parser.parse_model('''
        ...     <ir_version: 8, opset_import: ["" : 18]>
        ...     agraph (float[N, M] x, float[M] y) => (float[N, M] z) { z = Add(x, y) }
        ... '''))
        >>> model.at(N=2, y=[3])
        OnnxModel(x (float32 [2, 3]), y (float32 [3]) -> z (float32 [2, 3]))
        """
        known = checked_constants(constants)
        of_inputs: dict[str, Any] = {}
        of_dimensions: dict[str, Any] = {}
        for name, given in {**checked_names(sizes), **more}.items():
            is_number = isinstance(given, int | np.integer)
            if not is_number and name not in self._source.names:
                raise ModelError(
                    f"needs names of inputs, {_listed(self.inputs)}, or an integer for a dimension",
                    given=f"{shown(name)}: {shown(given)}",
                    field="at",
                )
            if is_number:
                of_dimensions[name] = given
            else:
                of_inputs[name] = given if isinstance(given, list | tuple) else np.shape(given)
        arrays = {name: np.asarray(array) for name, array in known.items()}
        resolved = self._source.resolved(
            checked_sizes(of_inputs), checked_dimensions(of_dimensions), arrays
        )
        return OnnxModel.of(self._source, self._source.sized(resolved, arrays))

    def __call__(
        self, *inputs: Any, out: Mapping[str, Any] | None = None, **named: Any
    ) -> list[Array]:
        """Run the model; where sizes are open, in those of the arrays.

        Parameters
        ----------
        *inputs : dict, or arrays
            A dict from names to arrays; or an array for each input, in order. Sizes are those of
            `inputs`; data types are converted within a kind (float64 to float32), or without loss.
            An input that no output needs may be left out of a dict.
        out : dict, optional
            From names of outputs to arrays that they are written to, of any strides. A packed
            one is written in place, and may begin where an input does: a cache whose new rows alone
            are written, if the operator allows it. Others get a copy at the end.
        **named : array
            Likewise by name, instead.

        Returns
        -------
        list of array
            One for each of `outputs`, in order; those of `out` are the arrays given.

        Raises
        ------
        BindingError
            An input is missing or unknown, or has other sizes or another kind of numbers; an array
            of `out` does not fit, lies on another, or on an input that is read after it is written.
        ModelError
            As for `at`, where sizes are open.

        Notes
        -----
        Any number of threads may call. For sizes that are new the model is compiled, with the
        weights that all sizes share; `kept` compiled graphs are kept, those used last.
        """
        if self._last is not None and out is None and not named:
            # Arrays in the last sizes, packed, are most of what is given.
            is_dict = len(inputs) == 1 and inputs[0].__class__ is dict
            made = self._last.direct(inputs[0] if is_dict else inputs)
            if made is not None:
                return made
        sized, bound = self._bound(inputs, named)
        self._last = sized
        results: dict[str, Array] = {}
        if sized.compiled is not None:
            written = None if out is None else _written(sized, out)
            results = dict(zip(sized.made, sized.compiled(bound, out=written), strict=False))
        found = [output_array(value, results.get(name)) for name, value in sized.values.items()]
        if out:
            for number, name in enumerate(sized.values):
                if name in out:
                    if name not in results:  # known, since nothing made it
                        np.copyto(out[name], found[number], casting="no")
                    found[number] = out[name]
        return found

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
        sized, bound = self._bound(inputs, named)
        if sized.compiled is None:
            raise ModelError("needs an output that operators make", field="profile")
        return sized.compiled.profile(bound, runs=runs)

    def serialized(self) -> OnnxGraph:
        """Return the model as a graph with names: it can be written, explained, compiled again.

        Raises
        ------
        ModelError
            Sizes are open, or an output has no elements.
        DescriptorError
            An output is an input, under the same name.

        Notes
        -----
        BOOL is UINT8 there, and a scalar has sizes [1]. Outputs of operators that nothing reads
        are further outputs, since DirectML's graphs have no others.
        """
        if self._sized is None:
            raise ModelError(
                "needs sizes, which the model leaves open",
                hint="write model.at({name: sizes}).serialized()",
                field="ONNX",
            )
        made = self._sized.translated
        if made is None:  # in parts, of the graph for other sizes
            sizes = {name: each.sizes for name, each in self._sized.inputs.items()}
            made = self._sized.translated = self._source.translated(sizes, {}, {})
        return graph_of(self._source, *made)

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
        values = {} if self._sized is None else self._sized.values
        known = ((name, value.array) for name, value in values.items())
        return {name: array for name, array in known if array is not None}

    def _bound(
        self, inputs: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Sized, dict[Any, Any]]:
        """Return the model in the sizes of what it is given, and what its compiled graph takes."""
        if inputs and named:
            raise BindingError("needs inputs either by position or by name", field="ONNX")
        given = self._named((named,) if named else inputs)
        sized = self._sized
        if sized is None:
            shapes = {n: each.shape if hasattr(each, "shape") else np.shape(each)
                      for n, each in given.items()}  # fmt: skip
            if len(shapes) < len(self.inputs):
                shapes = self._source.resolved(shapes, {}, {})
            sized = self._source.sized(shapes)
        data = {name: _fitting(sized.inputs[name], each) for name, each in given.items()}
        if data.keys() != sized.read:
            missing = [str(t) for n, t in sized.inputs.items() if n in sized.read and n not in data]
            if missing:
                raise BindingError(f"needs data for {', '.join(missing)}", field="ONNX")
            data = {name: each for name, each in data.items() if name in sized.read}
        return sized, data

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

    def __repr__(self) -> str:
        names = (_listed(each) for each in (self.inputs, self.outputs))
        return "OnnxModel({} -> {})".format(*names)


def _written(sized: Sized, out: Mapping[str, Any]) -> list[Any]:
    """Return the arrays that outputs are written to, in the order of the compiled graph."""
    if not isinstance(out, Mapping):
        raise BindingError(
            "needs a dict from names of outputs to arrays", given=shown(out), field="ONNX.out"
        )
    for name, array in out.items():
        if name not in sized.outputs:
            raise BindingError(
                f"needs outputs of the model: {_listed(sized.outputs)}",
                given=shown(name),
                field="ONNX.out",
            )
        tensor = sized.outputs[name]
        is_array = isinstance(array, np.ndarray)
        if not is_array or array.shape != tensor.sizes or array.dtype != tensor.dtype:
            raise BindingError(
                f"needs an array of {tensor.dtype} {list(tensor.sizes)}",
                given=f"{array.dtype} {list(array.shape)}" if is_array else type(array).__name__,
                field=f"ONNX.out.{name}",
            )
        if array.ndim > MOST_DIMENSIONS and not array.flags.c_contiguous:
            raise BindingError(
                f"needs an array without gaps, since it has more than {MOST_DIMENSIONS} dimensions",
                given=f"strides {list(array.strides)}",
                field=f"ONNX.out.{name}",
            )
    return [_in_stored_sizes(out.get(name)) for name in sized.made]


def _in_stored_sizes(array: Array | None) -> Array | None:
    """Return an output that is given as what the graph writes."""
    if array is None:
        return None
    stored = as_stored(array) if array.dtype == BOOL else array
    return stored.reshape(sizes_of(array.shape)) if array.ndim > MOST_DIMENSIONS else stored


def _fitting(tensor: OnnxTensor, given: Any) -> Any:
    if isinstance(given, Buffer):
        return given
    array = np.asarray(given)
    if array.dtype.kind in "OSU":  # of None, or of text
        raise BindingError(
            f"needs an array of {tensor.dtype} {list(tensor.sizes)}",
            given=shown(given),
            field=f"ONNX.{tensor.name}",
        )
    if array.shape != tensor.sizes:
        raise BindingError(
            f"needs sizes {list(tensor.sizes)}",
            given=f"{list(array.shape)}",
            field=f"ONNX.{tensor.name}",
        )
    if tensor.dtype == stored_dtype(tensor.dtype):
        return array.reshape(sizes_of(array.shape)) if array.ndim > MOST_DIMENSIONS else array
    if array.dtype != tensor.dtype:
        raise BindingError(
            f"needs {tensor.dtype}", given=f"{array.dtype}", field=f"ONNX.{tensor.name}"
        )
    return as_stored(np.ascontiguousarray(array)).reshape(sizes_of(array.shape))


def _listed(tensors: Mapping[str, OnnxTensor]) -> str:
    """Return the first tensors as a repr shows them."""
    shown_ones = [*map(str, itertools.islice(tensors.values(), _SHOWN_TENSORS))]
    return ", ".join([*shown_ones, *(["..."] if len(tensors) > len(shown_ones) else [])])


def input_names(source: Any) -> tuple[set[str], set[str]]:
    """Return the names of a model's inputs, and those of the dimensions that they leave open.

    Inputs that are initializers are left out; the names of dimensions are also denotations.

    Raises
    ------
    ModelError, OSError
        It is no ONNX model, or cannot be opened.
    """
    model, _, _ = read_model(source, {})  # without weights, which nobody asks for
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
    kept: int = KEPT,
) -> OnnxModel:
    """Return an ONNX model as compiled graphs of DirectML's operators.

    Parameters
    ----------
    source : path, bytes or onnx.ModelProto
        The model. Tensors that it keeps in files beside it are found by its path, and mapped.
    device : Device, optional
        What compiles and runs it. ``Device()`` by default.
    sizes : dict, optional
        From names of inputs to their sizes, where the model leaves some open and they are always
        the same. What stays open is that of each call, or of `OnnxModel.at`.
    dimensions : dict, optional
        From the names, or the denotations, that a model gives to open dimensions to their sizes,
        likewise.
    constants : dict, optional
        From names of inputs to arrays that they have once and for all: what decides sizes has to be
        known while loading. They are no inputs of what is returned.
    quantized : {"as written", "integers"}
        What becomes of DequantizeLinear, an operator, and QuantizeLinear behind it: these three, in
        FLOAT32; or one of DirectML's operators of integers, as ONNX Runtime optimizes such graphs.
        The two round otherwise.
    memory_limit : int, optional
        How many bytes loading may take for what it computes, read and made; 4 GiB by default. It
        allows a node for each 16 KiB: functions, branches and loops are written out.
    kept : int
        For how many sets of sizes compiled graphs are kept; those used last.

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
        weights is missing; sizes contradict the model; loading takes more than `memory_limit`.
    OSError
        The file cannot be opened.
    SettingError
        The onnx package is not installed.
    DataTypeError
        An argument has another type.

    Notes
    -----
    A model whose sizes are all known is compiled now; one with open sizes at the first call, and
    for each new set of sizes again: weights are read and put in panels once, and what nodes
    become is kept for those that see the same. What depends on sizes alone is computed then. Opsets
    from 7 on, up to what the installed onnx knows. Operators without a form of their own are taken
    apart as ONNX defines them; an If whose condition is known becomes its branch, a loop whose
    steps can be counted becomes its steps. Conditions and loops that depend on inputs, sequences
    as inputs or outputs, strings, sizes that depend on data, and arithmetic in FLOAT64 with inputs
    are refused.

    Examples
    --------
    >>> import onnx
    >>> model = load_onnx(onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["" : 18]>
    ...     agraph (float[N, 3] x) => (float[N, 3] y) { y = Add(x, x) }
    ... '''))
    >>> model.inputs["x"]
    OnnxTensor(name='x', dtype=dtype('float32'), sizes=('N', 3))
    >>> model(np.ones((1, 3), np.float32))
    [array([[2., 2., 2.]], dtype=float32)]
    """
    made = read_source(source, device, sizes, dimensions, constants, quantized, memory_limit, kept)
    inputs, _ = made.tensors()
    if any(each.is_open for each in inputs.values()):
        return OnnxModel(made)
    made.settle()
    return OnnxModel.of(made, made.sized({name: each.sizes for name, each in inputs.items()}))


def read_onnx_graph(
    source: Any, device: Device | None = None, *, open_size: int | None = None, **fixed: Any
) -> OnnxGraph:
    """Return an ONNX model as a graph with names, which nothing has compiled yet.

    Parameters
    ----------
    source, device, **fixed
        As for `load_onnx`, whose errors this raises, and those of `OnnxModel.serialized`.
    open_size : int, optional
        The size of every dimension that is still open then.
    """
    made = read_source(source, device, **fixed)
    return graph_of(made, *made.translated({}, {}, {}, open_size))


def load_onnx_values(
    source: Any, device: Device | None = None, *, open_size: int | None = None, **fixed: Any
) -> OnnxModel:
    """Return an ONNX model whose outputs are all values that the nodes of its graph make.

    Parameters
    ----------
    source, device, **fixed
        As for `load_onnx`, whose errors this raises.
    open_size : int, optional
        As for `read_onnx_graph`.
    """
    made = read_source(source, device, **fixed)
    sized, _ = compiled_of(made.translated({}, {}, {}, open_size, inner=True), Former())
    return OnnxModel.of(made, sized)


def read_source(
    source: Any,
    device: Device | None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    dimensions: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
    quantized: Quantized = "as written",
    memory_limit: int | None = None,
    kept: int = KEPT,
) -> Source:
    """Return a model that was read, and what is fixed of it; parameters as of `load_onnx`."""
    if not isinstance(device, Device | None):
        raise DataTypeError("needs a device", given=shown(device), field="load_onnx.device")
    if quantized not in get_args(Quantized):
        needs = f"needs one of {', '.join(map(repr, get_args(Quantized)))}"
        raise SettingError(needs, given=shown(quantized), field="load_onnx.quantized")
    if not isinstance(kept, int) or kept < 1:
        raise SettingError("needs at least 1", given=shown(kept), field="load_onnx.kept")
    return Source(
        source,
        device,
        checked_sizes(sizes),
        checked_dimensions(dimensions),
        checked_constants(constants),
        is_in_integers=quantized == "integers",
        memory_limit=checked_limit(memory_limit),
        kept=kept,
    )
