"""What an operator compiles to: steps over its outputs, as data.

A plan has no device and no memory; it can be printed, compared and kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from indirectml import _native
from indirectml.data_types import TensorDataType
from indirectml.sequences import Rule, constant_sequence, native_sequence
from indirectml.tensors import TensorDesc


@dataclass(frozen=True)
class FillStep:
    """Write a sequence to all elements of one output.

    Attributes
    ----------
    output : int
        The number of the output.
    data_type : TensorDataType
        What `start` and `delta` are bits of.
    rule : {"accumulate", "multiply"}
        How element i is defined.
    start : int
        The bits of element 0.
    delta : int or None
        The bits of the delta; None where every element has the bits of `start`.
    """

    output: int
    data_type: TensorDataType
    rule: Rule
    start: int
    delta: int | None

    @cached_property
    def sequence(self) -> _native.Sequence:
        """The native core's form of it."""
        if self.delta is None:
            return constant_sequence(self.data_type, self.start)
        return native_sequence(self.data_type, self.rule, self.start, self.delta)


@dataclass(frozen=True)
class Plan:
    """The steps of a compiled operator, in order, over its outputs."""

    outputs: tuple[TensorDesc, ...]
    steps: tuple[FillStep, ...]

    @cached_property
    def single_fill(self) -> tuple[str, tuple[int, ...], _native.Sequence] | None:
        """Format, sizes and sequence, if the plan is nothing but one fill of one packed output."""
        if len(self.outputs) != 1 or len(self.steps) != 1 or self.outputs[0].strides is not None:
            return None
        tensor = self.outputs[0]
        return tensor.data_type.dtype.char, tensor.sizes_tuple, self.steps[0].sequence
