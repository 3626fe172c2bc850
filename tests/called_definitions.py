"""Plans that call definitions with arrays, operator by operator: what lowered plans equal."""

from dataclasses import replace

import numpy as np

from indirectml.arithmetic.words import Word
from indirectml.operators import compute_function
from indirectml.plans import Node, WordStep


def called(draft, former=None):  # noqa: ARG001 (as `lowered` takes it)
    """Return a plan of whole operators, in place of `passes.lowering.lowered`."""
    steps = [_step(node) if isinstance(node, Node) else node for node in draft.nodes]
    return replace(draft.plan, steps=tuple(steps))


def _step(node):
    names = [f"input_{number}" for number in range(len(node.inputs))]
    outputs = tuple(view for view in node.outputs if view is not None)

    def definition(**arrays):
        """Return what an operator's definition does."""
        return results_of(node.desc, [arrays[name] for name in names])

    word = Word(
        definition, tuple(names), None, None,
        returns=None, takes_halves=False, keeps_bits=False, is_in_place=False, scratch_bytes=0,
    )  # fmt: skip
    word.writes = lambda *_: False
    return WordStep(word, node.operator_name, (), node.inputs, outputs)


def results_of(desc, arrays):
    """Return a definition's results in the data types of its outputs, as operators write them."""
    if desc.is_arithmetic:
        halves = np.float16
        arrays = [
            a.astype(np.float32) if a is not None and a.dtype == halves else a for a in arrays
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
