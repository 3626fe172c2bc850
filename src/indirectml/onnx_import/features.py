"""Operators of ai.onnx.ml that prepare features: what is missing, numbers for categories, rows.

They are spelled in ONNX's own operators. What is looked up is compared with all that there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.bodies import Body, spelled
from indirectml.onnx_import.machine_learning import DOMAIN, F32
from indirectml.onnx_import.nodes import Node
from indirectml.onnx_import.values import Array

#: The attributes of LabelEncoder that hold numbers, and their data types.
_KINDS = {"int64s": np.int64, "floats": F32}

#: Since this version of the domain NaN is a key like any other, as ONNX Runtime has it.
_WITH_NAN = 4

_RANK = 2


@spelled("Imputer", domain=DOMAIN)
def imputed(b: Body, x: str) -> str:
    """Return features with numbers in the places of one that stands for what is missing."""
    is_float = b.dtype(0).kind == "f"
    numbers = b.node.attribute(f"imputed_value_{'floats' if is_float else 'int64s'}")
    missing = b.node.attribute(f"replaced_value_{'float' if is_float else 'int64'}", 0)
    width = b.shape(0)[-1] if b.shape(0) else 1
    if not numbers or len(numbers) not in (1, width):
        needs = f"needs a number for all features, or one for each of {width}"
        raise ModelError(needs, given=shown(numbers))
    is_missing = _is_same(b, x, np.array(missing, b.dtype(0)))
    return b("Where", is_missing, b.constant(numbers, b.dtype(0)), x)


def _is_same(b: Body, x: str, number: Array) -> str:
    """Return where elements are a number; NaN is one, too."""
    if number.dtype.kind == "f" and np.isnan(number):
        return b("IsNaN", x)
    return b("Equal", x, b.constant(number))


@spelled("FeatureVectorizer", domain=DOMAIN)
def joined(b: Body, *parts: str) -> str:
    """Return rows of all features, one input behind the other, as FLOAT32."""
    widths = list(b.node.attribute("inputdimensions") or ())
    found = []
    for index, part in enumerate(parts):
        count, width = (1, *b.shape(index))[-_RANK:]
        if index >= len(widths) or width != widths[index]:
            given = shown(widths)
            needs = f"needs {width} for input {index}, as it has"
            raise ModelError(needs, given=given, field="attribute inputdimensions")
        flat = b.reshape(part, count, width)
        found.append(flat if b.dtype(index) == F32 else b.cast(flat, F32))
    return b("Concat", *found, axis=1)


@spelled("OneHotEncoder", domain=DOMAIN)
def of_categories(b: Body, x: str) -> str:
    """Return for each element 1 in the place of its category, and 0 in the others.

    Where ONNX Runtime fails, at a number that is no category if `zeros` is 0, all are 0.
    """
    if b.node.attribute("cats_strings"):
        raise _text("categories")
    numbers = b.node.attribute("cats_int64s")
    whole = x if b.dtype(0) == np.int64 else b.cast(x, np.int64)
    wide = b("Unsqueeze", whole, b.constant([-1], np.int64))
    return b.cast(b("Equal", wide, b.constant(numbers or [], np.int64)), F32)


def _text(what: str) -> ModelError:
    return ModelError(
        f"needs {what} that are numbers", given="text",
        hint="look numbers up for text before the model, and text for numbers behind it",
    )  # fmt: skip


@spelled("LabelEncoder", domain=DOMAIN)
def looked_up(b: Body, x: str) -> str:
    """Return what stands beside the key that each element is; another number if it is none."""
    keys, values = _table(b.node, "keys"), _table(b.node, "values")
    if keys.shape != values.shape or not keys.size:
        needs = "needs a value for each key"
        raise ModelError(needs, given=f"{values.size} for {keys.size}", field="attribute values")
    if keys.dtype != b.dtype(0):
        raise ModelError(f"needs keys of {b.dtype(0)}", given=f"{keys.dtype}", field="keys")
    wide = b("Unsqueeze", x, b.constant([-1], np.int64))
    is_key = b("Equal", wide, b.constant(keys))
    if keys.dtype.kind == "f" and np.isnan(keys).any() and b.node.version >= _WITH_NAN:
        is_key = b("Or", is_key, b("And", b("IsNaN", wide), b.constant(np.isnan(keys))))
    is_key = b.cast(is_key, np.uint8)
    found = b("Gather", b.constant(values), b("ArgMax", is_key, axis=-1, keepdims=0))
    is_there = b("ReduceMax", is_key, b.constant([-1], np.int64), keepdims=0)
    other = b.constant(_default(b.node, values.dtype), values.dtype)
    return b("Where", b.cast(is_there, np.bool_), found, other)


def _table(node: Node, prefix: str) -> Array:
    """Return the keys or values of a LabelEncoder."""
    tensor = node.attribute(f"{prefix}_tensor")
    if tensor is not None:
        return np.asarray(tensor).reshape(-1)
    for kind, dtype in _KINDS.items():
        numbers = node.attribute(f"{prefix}_{kind}")
        if numbers:
            return np.array(numbers, dtype)
    raise _text(prefix)


def _default(node: Node, dtype: Any) -> Any:
    """Return what stands for no key."""
    tensor = node.attribute("default_tensor")
    if tensor is not None:
        return np.asarray(tensor).reshape(())
    return (
        node.attribute("default_float", -0.0)
        if dtype == F32
        else node.attribute("default_int64", -1)
    )
