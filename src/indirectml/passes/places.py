"""Where elements lie while a definition is followed, and the steps that it becomes over them."""

from __future__ import annotations

from typing import Any, NamedTuple

from indirectml.core.tensors import packed_strides
from indirectml.passes.tracing import DType, Untraceable

Sizes = tuple[int, ...]


class Place(NamedTuple):
    """Elements of a buffer: where, in elements."""

    buffer: int
    dtype: DType
    sizes: Sizes
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether it is a packed tensor from the beginning on."""
        return self.offset == 0 and self.strides == packed_strides(self.sizes)


class Made(NamedTuple):
    """A step over places: a program, a word, or a fill with the bits of start and delta."""

    what: Any
    inputs: tuple[Place | None, ...]
    outputs: tuple[Place, ...]
    sizes: Sizes = ()
    input_strides: tuple[tuple[int, ...], ...] = ()
    output_strides: tuple[tuple[int, ...], ...] = ()
    fields: tuple[tuple[str, Any], ...] = ()


def repeated(place: Place, sizes: Sizes) -> Place:
    """Return a place repeated to sizes, as NumPy repeats."""
    if place.sizes == sizes:
        return place
    missing = len(sizes) - len(place.sizes)
    own = (1,) * missing + place.sizes
    strides = (0,) * missing + place.strides
    if missing < 0 or any(a not in (1, b) for a, b in zip(own, sizes, strict=True)):
        raise Untraceable
    kept = tuple(
        stride if size == whole else 0
        for stride, size, whole in zip(strides, own, sizes, strict=True)
    )
    return place._replace(sizes=sizes, strides=kept)
