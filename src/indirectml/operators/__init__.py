"""The operators: one module per family, each with the definitions of its operators.

`index.json` says which module has an operator and which a function, so that using one operator
imports one family. It is written by `python -m tools.generate`, and nobody edits it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any, NamedTuple

import numpy as np

from indirectml.arithmetic.basics import Array, scaled
from indirectml.catalogue import operator_facts
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.definitions import (
    FAMILIES,
    Definition,
    dataclass_fields,
    definition,
    fields_of,
    number_fields,
)
from indirectml.descriptors.names import class_name
from indirectml.fills.sequences import as_number


@functools.cache
def descriptor_class(name: str) -> type[OperatorDesc]:
    """Return the descriptor class of an operator, made of its definition and the catalogue.

    Raises
    ------
    DescriptorError, OperatorNotImplementedError
        As for `definition`.
    """
    short = operator_facts(name).name
    return made_class(definition(name), short) if short == name else descriptor_class(short)


def made_class(found: Definition, name: str) -> type[OperatorDesc]:
    """Return the descriptor class of a definition, in one of its versions."""
    made = make_dataclass(
        class_name(name),
        dataclass_fields(found, name),
        bases=(OperatorDesc,),
        namespace={
            "__module__": __name__,
            "operator_name": name,
            "definition": found,
            "__doc__": name,
        },
        frozen=True,
    )
    made.__module__ = f"{FAMILIES}.descs"  # where it is found again, by pickle for one
    doc: Any = _Doc(found, name)
    made.__doc__ = doc
    return made


class _Doc:
    """The docstring of a descriptor class, made when it is read."""

    def __init__(self, found: Definition, name: str) -> None:
        self._arguments = found, name

    def __get__(self, instance: object, owner: type) -> str:
        documentation = importlib.import_module("indirectml.descriptors.documentation")
        return str(documentation.descriptor_doc(*self._arguments))


@functools.cache
def compute_function(name: str) -> Callable[..., Any]:
    """Return what computes an operator.

    Its arguments are the descriptor and one array (or None) per input, FLOAT16 as FLOAT32 unless
    the operator keeps bits. It returns one array, or, for a descriptor that has several outputs, a
    tuple of one per output that is not left out. Floats are not yet rounded to the data type of
    the output.

    `output_sizes` may be what stands for those of the first output.
    """
    found = definition(name)
    fields = [field for field, _ in fields_of(name)]
    outputs = [f for f, facts in fields_of(name) if facts.kind == "output_tensor"]
    is_array = any(facts.array and facts.kind == "output_tensor" for _, facts in fields_of(name))
    is_scaled = "scale_bias" in fields and "scale_bias" not in found.keywords
    is_fused = "fused_activation" in fields and "fused_activation" not in found.keywords

    def compute(desc: Any, *arrays: Any, output_sizes: Any = None) -> Any:
        values = _keywords(found, desc)
        if output_sizes is not None and "output_sizes" in values:
            values = {**values, "output_sizes": output_sizes}
        if is_scaled:
            arrays = (scaled(arrays[0], desc.scale_bias), *arrays[1:])
        results = found.compute(*arrays, **values)
        if not isinstance(results, tuple):
            results = (results,)
        if is_fused:
            results = (activated(results[0], desc.fused_activation), *results[1:])
        if is_array:
            return results
        by_name = dict(zip(found.output_names, results, strict=True))
        kept = [name for name in outputs if getattr(desc, name) is not None]
        chosen = tuple(_integral(by_name[name], desc, name) for name in kept)
        return chosen if len(chosen) > 1 else chosen[0]

    return compute


def _integral(result: Any, desc: OperatorDesc, output: str) -> Any:
    """Return integers, such as NumPy's indices, in the integer data type of the output."""
    tensor = getattr(desc, output)
    if isinstance(tensor, TensorDesc) and result.dtype.kind in "iub":
        dtype = tensor.data_type.dtype
        if dtype is not None and dtype.kind in "iu" and dtype != result.dtype:
            return result.astype(dtype)
    return result


def _keywords(found: Definition, desc: OperatorDesc) -> dict[str, Any]:
    """Return the keyword arguments of a definition for a descriptor; made once per descriptor."""
    kept: dict[str, Any] | None = desc.__dict__.get("_keywords")
    if kept is None:
        kept = {}
        for name, default in found.keywords.items():
            if name == "desc":
                kept[name] = desc
            elif name in _OF_OUTPUT:
                (_, first), *_ = (p for p in desc.tensors("output_tensor") if p[1] is not None)
                kept[name] = _OF_OUTPUT[name](first)
            elif default is inspect.Parameter.empty or hasattr(desc, name):
                kept[name] = _argument(desc, getattr(desc, name))
        object.__setattr__(desc, "_keywords", kept)
    return kept


_OF_OUTPUT: dict[str, Callable[[Any], Any]] = {
    "dtype": lambda tensor: tensor.data_type.dtype,
    "output_sizes": lambda tensor: tensor.sizes_tuple,
}


def _argument(desc: OperatorDesc, value: Any) -> Any:
    """Return what a definition gets of a field."""
    if isinstance(value, FusedActivation):
        return Activation(value)
    if isinstance(value, tuple) and value and isinstance(value[0], FusedActivation):
        return tuple(map(Activation, value))
    if type(value).__name__ == "ScalarUnion":
        types = (v for v in vars(desc).values() if isinstance(v, TensorDataType))
        data_type = next(types)
        return as_number(value.bits(data_type), data_type)
    return value


class Activation(NamedTuple):
    """What a definition gets of an activation: a function of arrays, as data."""

    fused: FusedActivation

    def __call__(self, x: Array) -> Array:
        """Return an array after it."""
        return activated(x, self.fused)


def activated(x: Array, fused: FusedActivation | None) -> Array:
    """Return an operator's result after the activation that is fused into it, if there is one.

    Parameters
    ----------
    x : array
        The result as it was computed, not yet rounded to the data type of the output. FLOAT64 is
        rounded to FLOAT32 first.
    fused : FusedActivation or None
        Checked.
    """
    if fused is None:
        return x
    if x.dtype == np.float64:  # activations are functions of FLOAT32
        x = x.astype(np.float32)
    found = definition(fused.activation.name)
    numbers = dict(
        zip(number_fields(fused.activation.name), (fused.param_1, fused.param_2), strict=False)
    )
    dtype = {"dtype": np.dtype(x.dtype)} if "dtype" in found.keywords else {}
    result: Array = found.compute(x, **numbers, **dtype)
    return result
