"""Windows that slide: what convolution and pooling share of ONNX's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indirectml.core.errors import ModelError, shown
from indirectml.onnx_import.nodes import Node
from indirectml.onnx_import.values import Shape


@dataclass(frozen=True)
class Windows:
    """Windows over spatial dimensions, with one number for each of these in every field.

    `extra` is how much padding behind the end the last window needs besides, where it may reach
    over it (ceil_mode).
    """

    size: Shape
    strides: Shape
    dilations: Shape
    start: Shape
    end: Shape
    extra: Shape

    @property
    def whole_end(self) -> Shape:
        """The padding behind the end, with what the last window needs."""
        return tuple(a + b for a, b in zip(self.end, self.extra, strict=True))

    def counts(self, sizes: Sequence[int]) -> Shape:
        """Return how many windows there are along each spatial dimension of an input."""
        return tuple(
            (size + self.start[n] + self.whole_end[n] - self.dilations[n] * (self.size[n] - 1) - 1)
            // self.strides[n]
            + 1
            for n, size in enumerate(sizes)
        )


def windows_of(node: Node, sizes: Sequence[int], kernel: Sequence[int]) -> Windows:
    """Return the windows that a node describes.

    Parameters
    ----------
    node : Node
        With strides, dilations, pads or auto_pad, and ceil_mode.
    sizes, kernel : sequence of int
        The spatial sizes of the input, and of the window.

    Raises
    ------
    ModelError
        There are not as many numbers as spatial dimensions, or some are out of range.
    """
    count = len(sizes)
    if len(kernel) != count:
        raise ModelError(
            f"needs windows of {count} dimensions", given=f"{len(kernel)} {list(kernel)}"
        )
    strides = _numbers(node, "strides", count, 1)
    dilations = _numbers(node, "dilations", count, 1)
    spans = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    start, end = _paddings(node, sizes, spans, strides)
    extra = [0] * count
    for axis in range(count if node.attribute("ceil_mode") else 0):
        room = sizes[axis] + start[axis] + end[axis] - spans[axis]
        steps = -(-room // strides[axis])
        if steps * strides[axis] >= sizes[axis] + start[axis]:
            steps -= 1  # no window begins behind the end
        extra[axis] = max(steps * strides[axis] - room, 0)
    return Windows(tuple(kernel), strides, dilations, tuple(start), tuple(end), tuple(extra))


def _numbers(node: Node, name: str, count: int, default: int) -> Shape:
    numbers = tuple(node.attribute(name) or (default,) * count)
    if len(numbers) != count or any(number < 1 for number in numbers):
        raise ModelError(f"needs {count} numbers from 1 up", given=shown(list(numbers)), field=name)
    return numbers


def _paddings(
    node: Node, sizes: Sequence[int], spans: Sequence[int], strides: Sequence[int]
) -> tuple[list[int], list[int]]:
    count = len(sizes)
    automatic = node.attribute("auto_pad", "NOTSET")
    if automatic in {"NOTSET", ""}:
        return given_paddings(node, count)
    if automatic == "VALID":
        return [0] * count, [0] * count
    if automatic not in {"SAME_UPPER", "SAME_LOWER"}:
        raise ModelError("needs NOTSET, VALID, SAME_UPPER or SAME_LOWER", given=shown(automatic))
    start, end = [], []
    for size, span, stride in zip(sizes, spans, strides, strict=True):
        total = max((-(-size // stride) - 1) * stride + span - size, 0)
        less = total // 2
        start.append(less if automatic == "SAME_UPPER" else total - less)
        end.append(total - start[-1])
    return start, end


def given_paddings(node: Node, count: int) -> tuple[list[int], list[int]]:
    """Return the paddings before and behind each spatial dimension that a node has.

    Raises
    ------
    ModelError
        There are not twice as many as dimensions, or one is negative.
    """
    pads = list(node.attribute("pads") or [0] * (2 * count))
    if len(pads) != 2 * count or any(pad < 0 for pad in pads):
        raise ModelError(f"needs {2 * count} numbers from 0 up", given=shown(pads), field="pads")
    return pads[:count], pads[count:]
