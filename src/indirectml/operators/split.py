"""SPLIT: a tensor in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, check_axis
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor


@dataclass(frozen=True)
class SplitOperatorDesc(OperatorDesc):
    """Outputs = the parts of the input along an axis.

    Parameters
    ----------
    input_tensor : TensorDesc
        What is split.
    output_tensors : sequence of TensorDesc
        At least one. Their sizes along the axis add up to the input's; the others are the input's.
    axis : int
        From 0.

    Notes
    -----
    Every bit is kept.

    References
    ----------
    DirectML: DML_SPLIT_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> one, two = TensorDesc(np.int8, [1]), TensorDesc(np.int8, [2])
    >>> desc = SplitOperatorDesc(TensorDesc(np.int8, [3]), [one, two], axis=0)
    >>> device.compile_operator(device.create_operator(desc))([np.array([1, 2, 3], np.int8)])
    [array([1], dtype=int8), array([2, 3], dtype=int8)]
    """

    is_arithmetic = False

    input_tensor: TensorDesc
    output_tensors: tuple[TensorDesc, ...]
    axis: int

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check the axis, and the sizes against the input's."""
        if not self.output_tensors:
            raise DescriptorError("needs at least one tensor", given="0", field="output_tensors")
        check_axis(self.axis, self.input_tensor)
        expected = self.input_tensor.sizes
        total = sum(tensor.sizes[self.axis] for tensor in self.output_tensors)
        if total != expected[self.axis]:
            yield DescriptorError(
                f"needs sizes along axis {self.axis} that add up to the input's, "
                f"{expected[self.axis]}",
                given=f"{total}",
                field="output_tensors",
            )
        for number, tensor in enumerate(self.output_tensors):
            expected[self.axis] = tensor.sizes[self.axis]
            if tensor.sizes != expected:
                yield DescriptorError(
                    f"needs the input's sizes except along axis {self.axis}, {expected}",
                    given=f"{tensor.sizes}",
                    field=f"output_tensors[{number}].sizes",
                )


def compute(desc: SplitOperatorDesc, x: Array) -> Iterator[Array] | Array:
    """Return the parts, or the whole if there is one part."""
    ends = np.cumsum([0, *(tensor.sizes[desc.axis] for tensor in desc.output_tensors)])
    parts = (x.take(range(a, b), desc.axis) for a, b in pairwise(ends))
    return next(parts) if len(desc.output_tensors) == 1 else parts


def split(
    input: Expression,  # noqa: A002 (the name in the `directml` package)
    *,
    axis: int,
    output_axis_sizes: Sequence[int],
) -> list[Expression]:
    """Return the parts of a tensor along an axis.

    Parameters
    ----------
    input : Expression
        What is split.
    axis : int
        From 0.
    output_axis_sizes : sequence of int
        Of the parts along the axis; they add up to the size of `input`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[4], value_start=0, value_delta=1)
    >>> graph.compile(split(ramp, axis=0, output_axis_sizes=[1, 3]))()
    [array([0.], dtype=float32), array([1., 2., 3.], dtype=float32)]
    """
    check_axis(axis, checked_operand("split", input).desc, "split(axis)")
    tensors = []
    for size in output_axis_sizes:
        sizes = (*input.shape[:axis], size, *input.shape[axis + 1 :])
        tensors.append(new_tensor(input, sizes))
    return list(input.graph.add_node(SplitOperatorDesc(input.desc, tuple(tensors), axis), input))
