"""`InferenceSession`: a model by ONNX Runtime's names."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from indirectml.core.errors import DataTypeError, DirectMLError, ModelError, shown
from indirectml.onnx_import.model import OnnxModel, OnnxModelError
from indirectml.onnx_import.package import onnx_package
from indirectml.onnx_import.reading import check_header, element_dtype, read_model
from indirectml.onnx_import.values import Array
from indirectml.onnxruntime.binding import IOBinding
from indirectml.onnxruntime.errors import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,  # noqa: A004 (ONNX Runtime's name)
    as_kind,
)
from indirectml.onnxruntime.options import (
    KEPT_MODELS,
    KEPT_MODELS_ENTRY,
    RunOptions,
    SessionOptions,
    chosen_providers,
)
from indirectml.onnxruntime.profiling import Profile
from indirectml.onnxruntime.sized_models import SizedModels
from indirectml.onnxruntime.values import ModelMetadata, NodeArg, OrtValue, node_arg
from indirectml.runtime import Device


class InferenceSession:
    """A model that is run by ONNX Runtime's names.

    Parameters
    ----------
    path_or_bytes : path or bytes
        An ONNX model, as for `load_onnx`.
    sess_options : SessionOptions, optional
        Free dimension overrides, profiling, how many compiled models are kept.
    providers, provider_options : sequence, optional
        ``"DmlExecutionProvider"`` and ``"CPUExecutionProvider"`` are both this library. Others
        are accepted, and answered with a warning.
    device : Device, optional
        What compiles and runs the model; ours, ONNX Runtime has no such parameter.
    **others
        Accepted, without a meaning.

    Raises
    ------
    NoSuchFile
        There is no such file.
    InvalidProtobuf, InvalidGraph
        It is no ONNX model, or one of a version nobody here knows.
    NotImplemented
        All sizes are fixed, and nodes cannot be said in DirectML's operators. Where sizes are
        open this is raised by the first run.

    Notes
    -----
    A model is compiled for the sizes of the inputs of a call, and again when others come; 8
    compiled models are kept, or as many as the entry ``"indirectml.compiled_models"`` of the
    options says. An input of at most one dimension and 64 elements (a shape, a rate, a flag) that
    decides sizes or branches is known while compiling, so that each of its values has a
    compiled model. The bits are those of
    `load_onnx`. Any number of threads may call.

    Examples
    --------
    >>> import onnx
    >>> model = onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["" : 18]>
    ...     double (float[N, 2] x) => (float[N, 2] y) { y = Add(x, x) }
    ... ''')
    >>> session = InferenceSession(model.SerializeToString())
    >>> session.get_inputs()
    [NodeArg(name='x', type='tensor(float)', shape=['N', 2])]
    >>> session.run(["y"], {"x": np.ones((1, 2), np.float32)})
    [array([[2., 2.]], dtype=float32)]
    """

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[dict[str, Any]] | None = None,
        *,
        device: Device | None = None,
        **others: Any,
    ) -> None:
        del others
        self._options = sess_options or SessionOptions()
        options = self._options
        self._providers = chosen_providers(providers, provider_options)
        self._profile = Profile(options.profile_file_prefix) if options.enable_profiling else None
        model, source = _read(path_or_bytes)
        _override(model, options._by_name, options._by_denotation)  # noqa: SLF001 (one door)
        graph = model.graph
        initializers = {each.name for each in graph.initializer}
        self._fixed: dict[str, Array] = dict(options._initializers)  # noqa: SLF001
        infos = [i for i in graph.input if i.name not in self._fixed]
        self._inputs = [node_arg(i) for i in infos if i.name not in initializers]
        self._overridable = [node_arg(i) for i in infos if i.name in initializers]
        self._outputs = [node_arg(o) for o in _inferred(model).graph.output]
        self._metadata = _metadata(model)
        self._args = {each.name: each for each in [*self._inputs, *self._overridable]}
        self._dtypes = {info.name: _dtype(info) for info in infos}
        self._has_sizes = {i.name: i.type.tensor_type.HasField("shape") for i in infos}
        kept = int(options._entries.get(KEPT_MODELS_ENTRY, KEPT_MODELS))  # noqa: SLF001
        self._models = SizedModels(source, device, kept, self._fixed)
        if all(isinstance(size, int) for each in self._inputs for size in each.shape):
            zeros = {n.name: _zeros(n, self._dtypes[n.name]) for n in self._inputs}
            with self._event("model_loading"), _as_errors_of_sessions():
                self._models.prepare(zeros)

    # ---- what a model says ----

    def get_inputs(self) -> list[NodeArg]:
        """Return the inputs that have no default."""
        return list(self._inputs)

    def get_outputs(self) -> list[NodeArg]:
        """Return the outputs."""
        return list(self._outputs)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Return the inputs that have a default."""
        return list(self._overridable)

    def get_modelmeta(self) -> ModelMetadata:
        """Return what the model says of itself."""
        return self._metadata

    def get_session_options(self) -> SessionOptions:
        """Return the options."""
        return self._options

    def get_providers(self) -> list[str]:
        """Return the providers; all of them are this library."""
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return no options for each provider."""
        return {name: {} for name in self._providers}

    def set_providers(self, providers: Any = None, provider_options: Any = None) -> None:
        """Choose providers anew; nothing else changes."""
        self._providers = chosen_providers(providers, provider_options)

    def disable_fallback(self) -> None:
        """Do nothing: there is nothing to fall back to."""

    def enable_fallback(self) -> None:
        """Do nothing: there is nothing to fall back to."""

    @property
    def models(self) -> list[OnnxModel]:
        """Return the compiled models that are kept, the one used last at the end; ours."""
        return self._models.models

    # ---- runs ----

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Array]:
        """Run the model.

        Parameters
        ----------
        output_names : sequence of str, or None
            Which outputs to return, in this order; all of them where it is None or empty.
        input_feed : dict
            From names to arrays of the model's data types, `OrtValue`, or nested lists.
        run_options : RunOptions, optional
            Where `terminate` is set, nothing is run.

        Returns
        -------
        list of array
            One for each name.

        Raises
        ------
        InvalidArgument
            An input is missing or unknown, or has other sizes or another data type; an output is
            unknown.
        NotImplemented
            For these sizes, nodes cannot be said in DirectML's operators.
        """
        if run_options is not None and run_options.terminate:
            raise Fail("needs run options whose terminate is False", given="True")
        names = [each.name for each in self._outputs]
        missing = [each.name for each in self._inputs if each.name not in input_feed]
        if missing:
            raise InvalidArgument(
                f"needs data for {', '.join(map(repr, missing))}",
                given=", ".join(map(repr, input_feed)) or "none",
                field="input_feed",
            )
        for name in input_feed:
            if name not in self._args:
                raise InvalidArgument(
                    f"needs names of inputs: {', '.join(self._args) or 'none'}",
                    given=shown(name),
                    field="input_feed",
                )
        for name in output_names or ():
            if name not in names:
                raise InvalidArgument(
                    f"needs names of outputs: {', '.join(names)}",
                    given=shown(name),
                    field="output_names",
                )
        data = {name: self._fitting(name, each) for name, each in input_feed.items()}
        feed = {each.name: data.pop(each.name) for each in self._inputs}
        with self._event("model_run"):
            model = self._model(feed, data)
            results = model({name: feed[name] for name in model.inputs})
        found = dict(zip(names, results, strict=True))
        return [found[name] for name in output_names or names]

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """Run the model on values, and return values."""
        return [
            OrtValue(each) for each in self.run(output_names, input_dict_ort_values, run_options)
        ]

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[Any, Any, str], None],
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        """Run the model in a thread, which calls back with results, `user_data` and an error."""

        def work() -> None:
            try:
                results = self.run(output_names, input_feed, run_options)
            except DirectMLError as error:
                callback([], user_data, str(error))
            else:
                callback(results, user_data, "")

        threading.Thread(target=work, daemon=True).start()

    def io_binding(self) -> IOBinding:
        """Return what inputs and outputs are bound to."""
        return IOBinding(self)

    def run_with_iobinding(
        self, iobinding: IOBinding, run_options: RunOptions | None = None
    ) -> None:
        """Run the model on what is bound."""
        iobinding.run(run_options)

    def end_profiling(self) -> str:
        """Write the trace, and return the name of its file; "" without `enable_profiling`."""
        return self._profile.write() if self._profile else ""

    def get_profiling_start_time_ns(self) -> int:
        """Return when the trace began, by `time.perf_counter_ns`; 0 without `enable_profiling`."""
        return self._profile.start_ns if self._profile else 0

    # ---- inside ----

    def _event(self, name: str) -> Any:
        return self._profile.event(name) if self._profile else nullcontext()

    def _model(self, feed: Mapping[str, Array], given: Mapping[str, Array]) -> OnnxModel:
        """Return the compiled model for arrays, `given` among them for inputs with a default."""
        with _as_errors_of_sessions():
            return self._models.model(feed, given)

    def _fitting(self, name: str, given: Any) -> Array:
        """Return what is given for an input as an array, checked."""
        wanted = self._args[name]
        dtype = self._dtypes[name]
        is_list = isinstance(given, list | tuple)
        try:
            array = np.asarray(given, dtype if is_list else None)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidArgument(
                f"needs {wanted.type}", given=shown(str(error)), field=shown(name)
            ) from None
        if array.dtype != dtype:
            raise InvalidArgument(f"needs {wanted.type}", given=f"{array.dtype}", field=shown(name))
        if not self._has_sizes[name]:
            return array
        if array.ndim != len(wanted.shape):
            raise InvalidArgument(
                f"needs {len(wanted.shape)} dimensions {wanted.shape}",
                given=f"{array.ndim} {list(array.shape)}",
                field=shown(name),
            )
        for axis, (size, fixed) in enumerate(zip(array.shape, wanted.shape, strict=True)):
            if isinstance(fixed, int) and size != fixed:
                raise InvalidArgument(
                    f"needs size {fixed} for dimension {axis}",
                    given=f"{list(array.shape)}",
                    field=shown(name),
                )
        return array

    def __repr__(self) -> str:
        inputs, outputs = (
            ", ".join(f"{a.name} {a.type} {a.shape}" for a in args)
            for args in (self._inputs, self._outputs)
        )
        return f"<InferenceSession: {inputs} -> {outputs}>"


@contextmanager
def _as_errors_of_sessions() -> Iterator[None]:
    """Raise what `load_onnx` raises by ONNX Runtime's names."""
    try:
        yield
    except OnnxModelError as error:
        raise as_kind(NotImplemented, error) from None
    except ModelError as error:
        raise as_kind(InvalidGraph, error) from None


def _dtype(info: Any) -> np.dtype[Any]:
    """Return the data type of an input.

    Raises
    ------
    NotImplemented
        It is no tensor of numbers.
    """
    kind = info.type.WhichOneof("value")
    if kind not in {None, "tensor_type"}:
        raise NotImplemented(  # noqa: F901 (ONNX Runtime's name)
            "needs a tensor", given=kind.removesuffix("_type"), field=f"input {shown(info.name)}"
        )
    try:
        return element_dtype(info.type.tensor_type.elem_type)
    except ModelError as error:
        raise as_kind(NotImplemented, error).within(f"input {shown(info.name)}") from None


def _zeros(arg: NodeArg, dtype: np.dtype[Any]) -> Array:
    return np.zeros([size for size in arg.shape if isinstance(size, int)], dtype)


def _read(source: Any) -> tuple[Any, Any]:
    """Return a model, and what it is compiled from: its path where weights lie beside it."""
    if not isinstance(source, str | bytes | os.PathLike):
        raise DataTypeError(
            "needs a path or bytes", given=type(source).__name__, field="InferenceSession"
        )
    try:
        model, _, _ = read_model(source)
    except FileNotFoundError:
        raise NoSuchFile("needs a file that is there", given="none", field=str(source)) from None
    except ModelError as error:
        raise as_kind(InvalidProtobuf, error) from None
    try:
        check_header(model)
    except ModelError as error:
        raise as_kind(InvalidGraph, error) from None
    beside = onnx_package().TensorProto.EXTERNAL
    is_alone = all(each.data_location != beside for each in model.graph.initializer)
    return model, model if is_alone or isinstance(source, bytes) else source


def _override(model: Any, by_name: Mapping[str, int], by_denotation: Mapping[str, int]) -> None:
    """Fix dimensions of inputs and outputs by what a model calls them."""
    for info in [*model.graph.input, *model.graph.output]:
        for dim in info.type.tensor_type.shape.dim:
            size = by_name.get(dim.dim_param, by_denotation.get(dim.denotation))
            if size is not None and not dim.HasField("dim_value"):
                dim.dim_value = size


def _inferred(model: Any) -> Any:
    """Return a model whose outputs have what can be said of their sizes."""
    if all(each.type.tensor_type.HasField("shape") for each in model.graph.output):
        return model
    try:
        return onnx_package("shape_inference").infer_shapes(model, data_prop=True)
    except (RuntimeError, ValueError):  # too large, or not inferable: as the model says it
        return model


def _metadata(model: Any) -> ModelMetadata:
    return ModelMetadata(
        model.producer_name,
        model.graph.name,
        model.domain,
        model.doc_string,
        model.graph.doc_string,
        model.model_version,
        {each.key: each.value for each in model.metadata_props},
    )
