"""The inputs of a model: which there are, and their sizes, all of them fixed."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from indirectml.core.errors import DataTypeError, DirectMLError, ModelError, label, shown
from indirectml.onnx_import.budget import LoadingGraph
from indirectml.onnx_import.reading import element_dtype
from indirectml.onnx_import.values import (
    Shape,
    Value,
    checked_shape,
    nothing,
    sizes_of,
    stored_dtype,
)

#: How many names a message lists.
_SHOWN_NAMES = 20


class OpenSizeError(ModelError):
    """Inputs whose sizes are not all known; `input_name` is the first."""

    input_name = ""

    def of(self, name: str) -> Self:
        """Say which input it is; returns the same error, to be raised."""
        self.input_name = name
        return self


@dataclass(frozen=True)
class OnnxTensor:
    """An input or output of a model.

    Attributes
    ----------
    name : str
        In the model.
    dtype : numpy.dtype
        Of the arrays: bool for ONNX's BOOL. None of an output of a model for any sizes that does
        not declare it.
    sizes : tuple
        Of the arrays; empty for a scalar. Of a model for any sizes, an open one is its name, or
        None where it has none; where even their number is open they are ``(...,)``.

    Examples
    --------
    >>> print(OnnxTensor("x", np.dtype(np.float32), (1, 3)))
    x (float32 [1, 3])
    """

    name: str
    dtype: Any
    sizes: tuple[Any, ...]

    @property
    def is_open(self) -> bool:
        """Whether a size is not known."""
        return not all(isinstance(size, int) for size in self.sizes)

    def __str__(self) -> str:
        shown_as = {None: "?", ...: "..."}
        sizes = ", ".join(f"{shown_as.get(size, size)}" for size in self.sizes)
        return f"{label(self.name)} ({self.dtype} [{sizes}])"


def checked_sizes(given: Any) -> dict[str, tuple[int, ...]]:
    """Return sizes by the names of inputs.

    Raises
    ------
    DataTypeError
        They are others than a dict from names to sequences of integers.
    """
    found = {}
    for name, sizes in _named("sizes", given).items():
        try:
            if isinstance(sizes, str | bytes):
                raise TypeError  # noqa: TRY301 (as for anything else that has no sizes)
            found[name] = tuple(operator.index(size) for size in sizes)
        except TypeError:
            raise DataTypeError(
                "needs a sequence of integers", given=shown(sizes), field=f"sizes[{name!r}]"
            ) from None
    return found


def checked_dimensions(given: Any) -> dict[str, int]:
    """Return sizes by the names of dimensions.

    Raises
    ------
    DataTypeError
        They are others than a dict from names to integers.
    """
    found = {}
    for name, size in _named("dimensions", given).items():
        try:
            found[name] = operator.index(size)
        except TypeError:
            raise DataTypeError(
                "needs an integer", given=shown(size), field=f"dimensions[{name!r}]"
            ) from None
    return found


def checked_constants(given: Any) -> dict[str, Any]:
    """Return arrays by the names of inputs.

    Raises
    ------
    DataTypeError
        They are no dict from names.
    """
    return _named("constants", given)


def checked_names(given: Any) -> dict[str, Any]:
    """Return sizes, arrays or integers by the names of inputs and dimensions.

    Raises
    ------
    DataTypeError
        They are no dict from names.
    """
    return _named("at", given)


def _named(field: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise DataTypeError("needs a dict from names", given=shown(given), field=field)
    return dict(given)


def read_constants(model: Any, given: Mapping[str, Any]) -> dict[str, Value]:
    """Return what inputs are that have one value once and for all.

    Raises
    ------
    ModelError
        A name is no input's, or an array does not fit the input.
    """
    infos = {each.name: each for each in model.graph.input}
    _check_names(given, set(infos), "inputs", "constants")
    found: dict[str, Value] = {}
    for name, array in given.items():
        made = np.asarray(array)
        try:
            tensor = _input(infos[name], made.shape, {})
            if made.dtype != tensor.dtype:
                raise ModelError(f"needs {tensor.dtype}", given=f"{made.dtype}")
        except DirectMLError as error:
            raise error.within(f"constants[{name!r}]") from None
        found[name] = Value(made.copy())
    return found


def read_inputs(
    model: Any,
    known: Mapping[str, Any],
    sizes: Mapping[str, Sequence[int]],
    dimensions: Mapping[str, int],
    open_size: int | None = None,
) -> list[OnnxTensor]:
    """Return the inputs of a model that are no initializers, with sizes that are fixed.

    Parameters
    ----------
    open_size : int, optional
        Of every dimension that is still open then.

    Raises
    ------
    ModelError
        Sizes are open or contradict the model; an input is no tensor, or a name is none's.
    """
    found = [each for each in model.graph.input if each.name not in known]
    names = {each.name for each in found}
    if len(names) != len(found):
        raise ModelError("needs inputs of different names", given="one name twice")
    dims = {each.name: each.type.tensor_type.shape.dim for each in found}
    _check_names(sizes, names, "inputs", "sizes")
    _check_names(dimensions, open_names(found), "open dimensions", "dimensions")
    assigned = dict(dimensions)
    for name, given in sizes.items():  # sizes of one input say what its names mean in others
        for dim, size in zip(dims[name], given, strict=False):
            if called := _name_of(dim):
                assigned.setdefault(called, size)
    made, left = [], []
    for each in found:
        own = sizes.get(each.name)
        # Where an input has sizes of its own, what others say is left: some exporters were given
        # one name for sizes that differ, and ONNX Runtime does not look at names.
        decided = assigned if own is None else dimensions
        try:
            made.append(_input(each, own, decided, open_size))
        except OpenSizeError:
            left.append(each)
        except DirectMLError as error:
            raise error.within(f"input {shown(each.name)}") from None
    if left:
        raise _open_sizes(left, assigned)
    return made


def contradiction(model: Any, inputs: Mapping[str, OnnxTensor]) -> str:
    """Return a sentence of a name that has different sizes in two inputs; "" if there is none."""
    first: dict[str, tuple[str, int]] = {}
    for info in model.graph.input:
        if info.name not in inputs:
            continue
        sizes = inputs[info.name].sizes
        for dim, size in zip(info.type.tensor_type.shape.dim, sizes, strict=False):
            called = _name_of(dim)
            if not called:
                continue
            other, own = first.setdefault(called, (info.name, size))
            if own != size:
                both = f"{label(other)} has {own}, {label(info.name)} has {size}"
                return f"{label(called)!r} is one size, but {both}"
    return ""


class Declared(NamedTuple):
    """An input as a model declares it: a size, a name or nothing of each dimension."""

    name: str
    dtype: np.dtype[Any]
    sizes: tuple[Any, ...]


def declared_inputs(
    model: Any, known: Mapping[str, Any], dimensions: Mapping[str, int]
) -> list[Declared] | None:
    """Return the inputs of a model that are no initializers, for `sized_inputs`.

    None where more is to be looked at: a denotation has a size, or an input has any dimensions.
    """
    found = []
    for info in model.graph.input:
        if info.name in known:
            continue
        tensor = open_tensor(info)
        dims = info.type.tensor_type.shape.dim
        if tensor.sizes == (...,) or any(dim.denotation in dimensions for dim in dims):
            return None
        found.append(Declared(tensor.name, tensor.dtype, tensor.sizes))
    return found


def sized_inputs(
    declared: Sequence[Declared], sizes: Mapping[str, Any], dimensions: Mapping[str, int]
) -> dict[str, OnnxTensor] | None:
    """Return what `read_inputs` does where the sizes of all inputs are given, and fit.

    None where they do not, which that function tells.
    """
    if len(sizes) != len(declared):
        return None
    found = {}
    for name, dtype, dims in declared:
        given = sizes.get(name)
        if given is None or len(given) != len(dims):
            return None
        for dim, size in zip(dims, given, strict=True):
            wanted = dimensions.get(dim) if isinstance(dim, str) else dim
            if wanted is not None and wanted != size:
                return None
        found[name] = OnnxTensor(name, dtype, checked_shape(given))
    return found


def open_tensor(info: Any) -> OnnxTensor:
    """Return an input or output as a model declares it.

    Raises
    ------
    ModelError
        It is no tensor.
    """
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        raise ModelError("needs a tensor", given=(kind or "no type").removesuffix("_type"))
    dtype = element_dtype(info.type.tensor_type.elem_type)
    if not info.type.tensor_type.HasField("shape"):
        return OnnxTensor(info.name, dtype, (...,))
    dims = info.type.tensor_type.shape.dim
    return OnnxTensor(info.name, dtype, tuple(map(_size_of, dims)))


def _fixed_size(dim: Any) -> Any:
    return int(dim.dim_value) if dim.HasField("dim_value") and dim.dim_value >= 0 else None


def _size_of(dim: Any) -> Any:
    """Return the size of a dimension; its name, or None, of an open one."""
    size = _fixed_size(dim)
    return _name_of(dim) or None if size is None else size


def _open_sizes(infos: Sequence[Any], known: Mapping[str, int]) -> OpenSizeError:
    """Return the error that names all open dimensions at once."""
    named: dict[str, dict[str, None]] = {}
    others, inputs = [], {}
    for info in infos:
        if not info.type.tensor_type.HasField("shape"):
            others.append(f"all of {label(info.name)}")
            inputs[info.name] = "[...]"
            continue
        for axis, dim in enumerate(info.type.tensor_type.shape.dim):
            if _fixed_size(dim) is not None or {_name_of(dim), dim.denotation} & known.keys():
                continue
            if _name_of(dim):
                named.setdefault(_name_of(dim), {})[info.name] = None
            else:
                others.append(f"dimension {axis} of {label(info.name)}")
                inputs[info.name] = "[...]"
    of = [f"{label(name)!r} ({_listed(map(label, its))})" for name, its in named.items()]
    dimensions = ", ".join(f"{name!r}: N" for name in list(named)[:_SHOWN_NAMES])
    sizes = ", ".join(f"{name!r}: {size}" for name, size in list(inputs.items())[:_SHOWN_NAMES])
    hints = [f"dimensions={{{dimensions}}}"] * bool(named) + [f"sizes={{{sizes}}}"] * bool(inputs)
    return OpenSizeError(
        f"needs a size for each dimension that the model leaves open: {_listed([*of, *others])}",
        hint=f"give {' and '.join(hints)}",
    ).of(infos[0].name)


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:_SHOWN_NAMES]) + (", ..." if len(found) > _SHOWN_NAMES else "")


def open_names(infos: Iterable[Any]) -> set[str]:
    """Return the names and denotations of the dimensions that inputs leave open."""
    dims = [dim for each in infos for dim in each.type.tensor_type.shape.dim]
    is_open = [dim for dim in dims if not dim.HasField("dim_value")]
    return {name for dim in is_open for name in (_name_of(dim), dim.denotation) if name}


def _name_of(dim: Any) -> str:
    """Return the name of an open dimension; some converters write -1 or "?" for one without."""
    return "" if dim.dim_param == "?" else str(dim.dim_param)


def _check_names(given: Iterable[str], known: set[str], kind: str, field: str) -> None:
    for name in given:
        if name not in known:
            names = ", ".join(map(label, sorted(known)[:_SHOWN_NAMES])) or "none"
            names += ", ..." if len(known) > _SHOWN_NAMES else ""
            raise ModelError(f"needs names of {kind}: {names}", given=shown(name), field=field)


def _input(
    info: Any,
    sizes: Sequence[int] | None,
    dimensions: Mapping[str, int],
    open_size: int | None = None,
) -> OnnxTensor:
    declared = open_tensor(info)
    if declared.sizes == (...,):
        if sizes is None:
            raise OpenSizeError("needs sizes").of(info.name)
        return OnnxTensor(info.name, declared.dtype, checked_shape(sizes))
    dims = list(info.type.tensor_type.shape.dim)
    if sizes is not None and len(sizes) != len(dims):
        raise ModelError(f"needs {len(dims)} sizes", given=f"{len(sizes)} {list(sizes)}")
    fixed: list[int] = []
    for axis, dim in enumerate(dims):
        name, size = _name_of(dim), _fixed_size(dim)
        if size is None:
            size = dimensions.get(name, dimensions.get(dim.denotation))
        if sizes is not None:
            if size is not None and size != sizes[axis]:
                raise ModelError(f"needs size {size} for dimension {axis}", given=f"{sizes[axis]}")
            size = int(sizes[axis])
        size = open_size if size is None else size
        if size is None:
            raise OpenSizeError("needs sizes").of(info.name)
        fixed.append(size)
    return OnnxTensor(info.name, declared.dtype, checked_shape(fixed))


def other_floats(error: DirectMLError) -> str | None:
    """Return what to do where a data type is refused that is a float of another format."""
    is_float = str(error.given).startswith(("bfloat16", "float8", "float4"))
    return "export the model in FLOAT32 or FLOAT16" if is_float else None


def input_value(graph: LoadingGraph, tensor: OnnxTensor) -> Value:
    """Return an input as a tensor of the graph; without elements it is known already.

    Raises
    ------
    ModelError
        DirectML has no such tensor.
    """
    if 0 in tensor.sizes:
        return nothing(tensor.sizes, tensor.dtype)
    stored = stored_dtype(tensor.dtype)
    shape: Shape = sizes_of(tensor.sizes)
    try:
        made = graph.input(shape, stored, name=tensor.name)
    except DirectMLError as error:
        raise ModelError(
            error.required,
            given=error.given,
            hint=error.hint or other_floats(error),
            field=f"input {shown(tensor.name)}",
        ) from None
    return Value(made, tensor.sizes, tensor.dtype)
