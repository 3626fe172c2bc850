"""One file per operator. A file is a registration: an operator exists because its file does.

`fill_value_constant.py` holds FILL_VALUE_CONSTANT: the descriptor class
FillValueConstantOperatorDesc, its checks, its function for graphs, and what it computes: either a
step of a plan of its own, or `compute`, a NumPy function from views of the inputs to the output.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

from indirectml.arithmetic.basics import Array
from indirectml.catalogue import operator_facts, operator_names
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.errors import DirectMLError, OperatorNotImplementedError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, snake_case


def implemented_operators() -> tuple[str, ...]:
    """Return the names of the operators that have a file, in alphabetical order."""
    return tuple(sorted(m.name.upper() for m in pkgutil.iter_modules(__path__)))


@functools.cache
def descriptor_class(name: str) -> type[OperatorDesc]:
    """Return the descriptor class of an operator, whose prefix DML_OPERATOR_ is optional.

    Raises
    ------
    DescriptorError
        DirectML has no such operator.
    OperatorNotImplementedError
        DirectML has it, and IndirectML does not have it yet.
    """
    facts = operator_facts(name)
    if facts.name not in implemented_operators():
        raise OperatorNotImplementedError(
            f"{facts.name} (feature level {facts.introduced}) is not implemented yet",
            hint="`indirectml info` lists those that are",
        )
    module = _module(facts.name)
    for value in vars(module).values():
        if isinstance(value, type) and getattr(value, "operator_name", None) == facts.name:
            found: type[OperatorDesc] = value
            return found
    raise AssertionError(f"{module.__name__} defines no descriptor of {facts.name}")


def not_written_yet(name: str) -> str:
    """Return what to say of a function or descriptor class if its operator has no file; else "".

    Examples
    --------
    >>> not_written_yet("roi_align"), not_written_yet("relu")
    (': ROI_ALIGN is not implemented yet', '')
    """
    short = snake_case(name.removesuffix("OperatorDesc")).upper()
    for prefix in ("", "ELEMENT_WISE_", "ELEMENT_WISE_LOGICAL_"):
        full = prefix + short
        if full in operator_names() and full not in implemented_operators():
            return f": {full} is not implemented yet"
    return ""


@functools.cache
def compute_function(name: str) -> Callable[..., Any]:
    """Return the function `compute` of an operator's file.

    Its arguments are the descriptor and one array per input, None for an optional one that is left
    out. It returns one array per output that is not left out, in order: a sequence of them, or the
    array itself where there is one.
    """
    function: Callable[..., Any] = _module(name).compute
    return function


def check_fused(fused: FusedActivation | None, tensor: TensorDesc) -> None:
    """Check that a fused activation has a file, and what that requires of its fields.

    Raises
    ------
    DirectMLError
        That is not so.
    """
    if fused is not None and operator_facts(fused.activation.name).fusion is not None:
        try:
            for mistake in _fused_desc(fused, tensor).check_fields() or ():
                raise mistake
        except DirectMLError as error:
            raise error.within("fused_activation") from None


def activated(x: Array, fused: FusedActivation | None, tensor: TensorDesc) -> Array:
    """Return an operator's result after the activation that is fused into it, if there is one.

    Parameters
    ----------
    x : array
        The result as it was computed, not yet rounded to the data type of the output.
    fused : FusedActivation or None
        Checked.
    tensor : TensorDesc
        The output.
    """
    if fused is None:
        return x
    result: Array = compute_function(fused.activation.name)(_fused_desc(fused, tensor), x)
    return result


def _fused_desc(fused: FusedActivation, tensor: TensorDesc) -> OperatorDesc:
    """Return the descriptor of the activation by itself, in place on the output."""
    name = fused.activation.name
    numbers = (f.name for f in operator_facts(name).fields if f.type == "FLOAT")
    values: dict[str, Any] = {"input_tensor": tensor, "output_tensor": tensor}
    values |= zip(map(snake_case, numbers), (fused.param_1, fused.param_2), strict=False)
    return descriptor_class(name)(**values)


def _module(name: str) -> Any:
    return importlib.import_module(f"{__name__}.{name.lower()}")
