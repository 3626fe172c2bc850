"""Few known elements while loading: definitions called with arrays, which takes less than a plan.

The bits are those of the plans, which tests compare with called definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from indirectml import _native
from indirectml.core.tensors import TensorDesc, packed_strides
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression
from indirectml.onnx_import.budget import Added
from indirectml.onnx_import.values import Array
from indirectml.operators import compute_function


def evaluated(added: Sequence[Added], asked: Sequence[Expression]) -> list[Array] | None:
    """Return the elements of tensors of a graph that has no inputs but constants.

    Parameters
    ----------
    added : sequence of (Operator, tuple, tuple)
        The operators of the graph, each behind those that it reads.
    asked : sequence of Expression
        Of the graph.

    Returns
    -------
    list of array or None
        None where a definition does not say everything: the rule of sequences is the device's,
        some operators keep what their outputs held, two elements of 4 bits lie in a byte, and
        outputs may have gaps.
    """
    for operator, _, _ in added:
        desc = operator.desc
        written = [t for _, t in desc.tensors("output_tensor") if t is not None]
        tensors = [*written, *(t for _, t in desc.tensors("input_tensor") if t is not None)]
        if (
            "rule" in desc.definition.keywords
            or desc.definition.kept is not None
            or any(tensor.is_in_halves for tensor in tensors)
            or any(t.strides_in_memory != packed_strides(t.sizes_tuple) for t in written)
        ):
            return None
    found: list[Array] | None = _native.guarded(_evaluated, added, asked)
    return found


def _evaluated(added: Sequence[Added], asked: Sequence[Expression]) -> list[Array]:
    made: dict[Any, Array] = {}

    def read(x: Expression | None, tensor: TensorDesc | None) -> Array | None:
        """Return the elements of a tensor, over the memory of the value that it is of."""
        if x is None or tensor is None:
            return None
        value: Any = x.value
        memory = made[value.node, value.index] if hasattr(value, "node") else value.data
        # NumPy would make memory of its own of None, with anything in it.
        assert memory is not None  # noqa: S101 (the graph has no inputs but constants)
        dtype: Any = tensor.data_type.dtype
        strides = [stride * dtype.itemsize for stride in tensor.strides_in_memory]
        return np.ndarray(tensor.sizes_tuple, dtype, memory, 0, strides)

    # Infinities and NaNs are results, and integers wrap.
    with np.errstate(all="ignore"):
        for operator, inputs, outputs in added:
            tensors = [tensor for _, tensor in operator.desc.tensors("input_tensor")]
            arrays = [read(x, tensor) for x, tensor in zip(inputs, tensors, strict=True)]
            results = iter(results_of(operator.desc, arrays))
            for x in outputs:
                if x is not None:
                    value: Any = x.value
                    made[value.node, value.index] = np.ascontiguousarray(next(results))
    return [read(x, x.desc) for x in asked]  # type: ignore[misc]  # all of them are there


def results_of(desc: OperatorDesc, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """Return a definition's results in the data types of its outputs, as operators write them.

    Parameters
    ----------
    desc : OperatorDesc
        The operator.
    arrays : sequence of array or None
        One per input.

    Returns
    -------
    tuple of array
        One per output that is not left out.
    """
    if desc.is_arithmetic:
        arrays = [
            a.astype(np.float32) if a is not None and a.dtype == np.float16 else a for a in arrays
        ]
    results = compute_function(desc.operator_name)(desc, *arrays)
    results = results if isinstance(results, tuple) else (results,)
    outputs = [(k, t) for k, (_, t) in enumerate(desc.tensors("output_tensor")) if t is not None]
    rounded = []
    for (number, tensor), result in zip(outputs, results, strict=True):
        typed = np.asarray(result).astype(tensor.data_type.dtype, casting="same_kind")
        is_computed = desc.is_arithmetic and number not in desc.moved_outputs
        if is_computed and typed.dtype.kind == "f":
            typed = np.where(np.isnan(typed), typed.dtype.type(np.nan), typed)
        rounded.append(typed)
    return tuple(rounded)
