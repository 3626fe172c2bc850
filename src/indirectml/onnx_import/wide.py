"""Nodes of FLOAT64, and of integers, that are known while loading, where DirectML has no operator.

Nothing of them reaches a device. Each result is exact or rounded once, or made of sums and products
in the order of the elements, so that the bits are the same everywhere.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from indirectml.arithmetic.sums import quieted
from indirectml.core.errors import ModelError
from indirectml.onnx_import.doubles import cosine, exp, log, power, sine
from indirectml.onnx_import.einsum import parsed
from indirectml.onnx_import.nodes import Node, counted_all
from indirectml.onnx_import.values import Array

#: What is computed here: what DirectML has arithmetic of goes to its operators.
_DATA_TYPES = frozenset(map(np.dtype, (np.float64, np.int64, np.int32)))

#: What an element takes while a function of it is computed in pairs.
_PAIR_BYTES = 256

Function = Callable[..., Array]


def computed(node: Node) -> Array | None:
    """Return what a node makes of arrays that are known; None for what is not computed here.

    Raises
    ------
    ModelError
        It takes more than the budget has, or cannot be computed.
    """
    arrays = [value.array for value in node.inputs if value is not None]
    known = [array for array in arrays if array is not None]
    form = _FORMS.get(node.operator)
    if form is None or node.domain or not known or known[0].dtype not in _DATA_TYPES:
        return None
    if len(known) < len(node.inputs):
        return None
    with np.errstate(all="ignore"):
        found = np.asarray(form(node, *known))
    return quieted(found) if found.dtype.kind == "f" else found


def _each(function: Function, item_bytes: int = 8) -> Function:
    """Return the form of a function of elements, of arrays that are broadcast, two at a time."""

    def apply(node: Node, *arrays: Array) -> Array:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        node.take(shape, f"V{item_bytes}")
        found: Array = functools.reduce(function, arrays) if arrays[1:] else function(*arrays)
        return found

    return apply


def _power(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        wide = np.broadcast_arrays(a, b.astype(np.float64))
        return power(*wide)
    if b.dtype.kind == "f" or (b < 0).any():
        needs = "needs exponents of integers that are integers from 0 up"
        raise ModelError(needs, given="others", field="inputs[1]")
    found: Array = np.power(a, b.astype(a.dtype))
    return found


def _remainder(node: Node, a: Array, b: Array) -> Array:
    if not node.attribute("fmod", 0):
        raise ModelError("needs fmod = 1, as ONNX does for floats", given="0", field="fmod")
    return _each(np.fmod)(node, a, b)


def _product(node: Node, a: Array, b: Array) -> Array:
    """Return products of matrices, summed in the order of the elements."""
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    rows, columns = left.shape[-2], right.shape[-1]
    sizes = (*np.broadcast_shapes(left.shape[:-2], right.shape[:-2]), rows, columns)
    node.take((*sizes, left.shape[-1] + 1), a.dtype)
    total = np.zeros(sizes, a.dtype)
    for k in range(left.shape[-1]):
        total += left[..., :, k, None] * right[..., k, None, :]
    kept = [*sizes[:-2], *([rows] if a.ndim > 1 else []), *([columns] if b.ndim > 1 else [])]
    return total.reshape(kept)


def _einsum(node: Node, *arrays: Array) -> Array:
    """Return the sums of products that an equation says, in the order of the elements."""
    equation = node.attribute("equation").replace(" ", "")
    labels, output = parsed(equation, [array.ndim for array in arrays])
    named = [(array, own) for array, own in zip(arrays, labels, strict=True)]
    if any(len(set(own)) < len(own) for own in labels):
        raise ModelError("needs each letter once in an input", given=equation, field="equation")
    summed = sorted({label for own in labels for label in own}.difference(output))
    order = [*summed, *output]
    parts = []
    for array, own in named:
        turned = array.transpose([own.index(label) for label in order if label in own])
        sizes = iter(turned.shape)
        parts.append(turned.reshape([next(sizes) if label in own else 1 for label in order]))
    whole = np.broadcast_shapes(*(part.shape for part in parts))
    node.take(whole, "V16")
    product = functools.reduce(np.multiply, parts)
    return _chained(np.add, np.broadcast_to(product, whole), len(summed))


def _chained(function: Function, x: Array, count: int) -> Array:
    """Return the elements along the first dimensions put together, one after the other."""
    if not count:
        return x
    rows = x.reshape(math.prod(x.shape[:count]), *x.shape[count:])
    found: Array = functools.reduce(function, rows)
    return found


def _reduced(function: Function, *, is_mean: bool = False) -> Function:
    """Return the form of a reduction along axes."""

    def apply(node: Node, x: Array, axes: Array | None = None) -> Array:
        given: Sequence[int] = node.attribute("axes") or []
        if axes is not None:
            given = node.integers(1)
        if not given and node.attribute("noop_with_empty_axes", 0):
            return x
        chosen = counted_all(given or range(x.ndim), x.ndim)
        kept = [axis for axis in range(x.ndim) if axis not in chosen]
        node.take(x.shape, "V16")
        total = _chained(function, x.transpose([*chosen, *kept]), len(chosen))
        if is_mean:
            total = _quotient(total, math.prod(x.shape[axis] for axis in chosen))
        sizes = [1 if k in chosen else n for k, n in enumerate(x.shape)]
        return total.reshape(sizes) if node.attribute("keepdims", 1) else total

    return apply


def _quotient(total: Array, count: int) -> Array:
    """Return means; of integers without what is left, as C has it."""
    if total.dtype.kind == "f":
        return np.asarray(total / np.float64(count))
    return np.asarray(np.sign(total) * (np.abs(total) // count), total.dtype)


#: By ONNX's operator.
_FORMS: dict[str, Function] = {
    "Abs": _each(np.abs),
    "Add": _each(np.add),
    "Ceil": _each(np.ceil),
    "Cos": _each(cosine, _PAIR_BYTES),
    "Div": _each(np.divide),
    "Einsum": _einsum,
    "Equal": _each(np.equal),
    "Exp": _each(exp, _PAIR_BYTES),
    "Floor": _each(np.floor),
    "Greater": _each(np.greater),
    "GreaterOrEqual": _each(np.greater_equal),
    "IsNaN": _each(np.isnan),
    "Less": _each(np.less),
    "LessOrEqual": _each(np.less_equal),
    "Log": _each(log, _PAIR_BYTES),
    "MatMul": _product,
    "Max": _each(np.maximum),
    "Min": _each(np.minimum),
    "Mod": _remainder,
    "Mul": _each(np.multiply),
    "Neg": _each(np.negative),
    "Pow": _each(_power, _PAIR_BYTES),
    "Reciprocal": _each(lambda x: np.divide(1, x)),
    "ReduceMax": _reduced(np.maximum),
    "ReduceMean": _reduced(np.add, is_mean=True),
    "ReduceMin": _reduced(np.minimum),
    "ReduceProd": _reduced(np.multiply),
    "ReduceSum": _reduced(np.add),
    "Relu": _each(lambda x: np.maximum(x, x.dtype.type(0))),
    "Round": _each(np.rint),
    "Sign": _each(np.sign),
    "Sin": _each(sine, _PAIR_BYTES),
    "Sqrt": _each(np.sqrt),
    "Sub": _each(np.subtract),
    "Sum": _each(np.add),
}
