"""SLICE: every so many elements from an offset on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indirectml.arithmetic.basics import Array
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc


@dataclass(frozen=True)
class SliceOperatorDesc(OperatorDesc):
    """Output[i] = Input[Offset + i * Stride], in every dimension.

    Parameters
    ----------
    input_tensor, output_tensor : TensorDesc
        Of the same data type and dimension count.
    offsets, sizes, strides : sequence of int
        One per dimension. `sizes` are those of the output; strides are at least 1.

    Notes
    -----
    Every bit is kept. Nothing outside of the input is read.

    References
    ----------
    DirectML: DML_SLICE_OPERATOR_DESC.

    Examples
    --------
    >>> device = Device()
    >>> whole, part = TensorDesc(np.int8, [5]), TensorDesc(np.int8, [2])
    >>> operator = device.create_operator(SliceOperatorDesc(whole, part, [1], [2], [3]))
    >>> device.compile_operator(operator)([np.arange(5, dtype=np.int8)])
    [array([1, 4], dtype=int8)]
    """

    is_arithmetic = False

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check that the slice has the output's sizes and lies inside the input."""
        rank, is_complete = len(self.input_tensor.sizes), True
        for name in ("offsets", "sizes", "strides"):
            if len(getattr(self, name)) != rank:
                is_complete = False
                yield DescriptorError(
                    f"needs one per dimension ({rank})",
                    given=f"{len(getattr(self, name))}",
                    field=name,
                )
        if not is_complete:
            return
        if list(self.sizes) != self.output_tensor.sizes:
            yield DescriptorError(
                f"needs the sizes of the output, {self.output_tensor.sizes}",
                given=f"{list(self.sizes)}",
                field="sizes",
            )
        for axis, length in enumerate(self.input_tensor.sizes):
            if self.strides[axis] < 1:
                yield DescriptorError(
                    "needs strides of at least 1", given="0", field=f"strides[{axis}]"
                )
            last = self.offsets[axis] + (self.sizes[axis] - 1) * self.strides[axis]
            if last >= length:
                yield DescriptorError(
                    f"needs elements below the input's size {length} in dimension {axis}",
                    given=f"a last one of {last}",
                    field="sizes",
                )


def compute(desc: SliceOperatorDesc, x: Array) -> Array:
    """Return the slice as a view."""
    ranges = zip(desc.offsets, desc.sizes, desc.strides, strict=True)
    return x[tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in ranges)]
