"""SLICE1: every so many elements of a window, in either direction."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.graphs.expressions import Expression, checked_operand, new_tensor


@dataclass(frozen=True)
class Slice1OperatorDesc(OperatorDesc):
    """Output[i] = Input[Start + i * Stride], in every dimension.

    Parameters
    ----------
    input_tensor, output_tensor : TensorDesc
        Of the same data type and dimension count.
    input_window_offsets, input_window_sizes : sequence of int
        Where the window begins and how long it is, one per dimension; it lies inside the input.
    input_window_strides : sequence of int
        One per dimension, not 0. With a negative one the elements are taken from the window's last
        one backwards.

    Notes
    -----
    Every bit is kept. The output may have fewer elements than the window has to offer.

    References
    ----------
    DirectML: DML_SLICE1_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> whole, part = TensorDesc(np.int8, [5]), TensorDesc(np.int8, [2])
    >>> operator = device.create_operator(Slice1OperatorDesc(whole, part, [1], [4], [-2]))
    >>> device.compile_operator(operator)([np.arange(5, dtype=np.int8)])
    [array([4, 2], dtype=int8)]
    """

    is_arithmetic = False

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    input_window_offsets: tuple[int, ...]
    input_window_sizes: tuple[int, ...]
    input_window_strides: tuple[int, ...]

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check that the window lies inside the input and has enough for the output."""
        rank, is_complete = len(self.input_tensor.sizes), True
        for name in ("input_window_offsets", "input_window_sizes", "input_window_strides"):
            if len(getattr(self, name)) != rank:
                is_complete = False
                yield DescriptorError(
                    f"needs one per dimension ({rank})",
                    given=f"{len(getattr(self, name))}",
                    field=name,
                )
        if not is_complete:
            return
        for axis, length in enumerate(self.input_tensor.sizes):
            offset, size = self.input_window_offsets[axis], self.input_window_sizes[axis]
            if size < 1 or offset + size > length:
                yield DescriptorError(
                    f"needs a window of at least 1 element inside the input's {length}",
                    given=f"{size} at offset {offset}",
                    field=f"input_window_sizes[{axis}]",
                )
            stride = self.input_window_strides[axis]
            if stride == 0:
                yield DescriptorError(
                    "needs a stride other than 0",
                    given="0",
                    field=f"input_window_strides[{axis}]",
                )
                continue
            available = window_count(size, stride)
            if self.output_tensor.sizes[axis] > available:
                yield DescriptorError(
                    f"needs at most the {available} elements of the window",
                    given=f"{self.output_tensor.sizes[axis]}",
                    field=f"output_tensor.sizes[{axis}]",
                )


def window_count(size: int, stride: int) -> int:
    """Return how many elements a window of a size has under a stride."""
    return (size - 1) // abs(stride) + 1


def compute(desc: Slice1OperatorDesc, x: Array) -> Array:
    """Return the elements of the window as a view."""
    for axis, count in enumerate(desc.output_tensor.sizes):
        offset, size = desc.input_window_offsets[axis], desc.input_window_sizes[axis]
        window = (builtins.slice(None),) * axis + (builtins.slice(offset, offset + size),)
        stride = (builtins.slice(None),) * axis + (
            builtins.slice(None, None, desc.input_window_strides[axis]),
        )
        first = (builtins.slice(None),) * axis + (builtins.slice(count),)
        x = x[window][stride][first]
    return x


def slice(  # noqa: A001 (the name in the `directml` package)
    input: Expression,  # noqa: A002 (as above)
    *,
    input_window_offsets: Sequence[int],
    input_window_sizes: Sequence[int],
    input_window_strides: Sequence[int],
) -> Expression:
    """Return every so many elements of a window of a tensor.

    Parameters
    ----------
    input : Expression
        What is sliced.
    input_window_offsets, input_window_sizes, input_window_strides : sequence of int
        One each per dimension; see `Slice1OperatorDesc`.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> ramp = fill_value_sequence(graph, sizes=[6], value_start=0, value_delta=1)
    >>> window = {"input_window_offsets": [1], "input_window_sizes": [5]}
    >>> graph.compile([slice(ramp, **window, input_window_strides=[-2])])()
    [array([5., 3., 1.], dtype=float32)]
    """
    checked_operand("slice", input)
    sizes = [
        window_count(size, stride) if stride else 1
        for size, stride in zip(input_window_sizes, input_window_strides, strict=False)
    ]
    # Where the lengths differ, the descriptor says so.
    sizes += [1] * (len(input.shape) - len(sizes))
    desc = Slice1OperatorDesc(
        input.desc,
        new_tensor(input, sizes[: len(input.shape)]),
        tuple(input_window_offsets),
        tuple(input_window_sizes),
        tuple(input_window_strides),
    )
    return input.graph.add_node(desc, input)[0]
