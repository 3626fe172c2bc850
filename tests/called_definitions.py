"""Plans that call definitions with arrays, operator by operator: what lowered plans equal."""

from dataclasses import replace

from indirectml.arithmetic.words import Word
from indirectml.onnx_import.evaluating import results_of
from indirectml.plans import Node, WordStep


def called(draft, former):  # noqa: ARG001 (as `lowered` takes it)
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
