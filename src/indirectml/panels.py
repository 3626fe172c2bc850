"""What panels hold: matrices in the order in which products read them, and of which tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from indirectml.arithmetic.contraction import InPanels
from indirectml.arithmetic.integers_in_panels import IntegersInPanels
from indirectml.arithmetic.stored_weights import Stored
from indirectml.core.data_types import TensorDataType


class Panels(NamedTuple):
    """What a view of panels stands for: matrices in the order in which products read them.

    Those of 8-bit integers are bytes one behind the other (arithmetic/integers_in_panels.py).

    Attributes
    ----------
    sizes : tuple of int
        Of the tensor that is in panels.
    is_transposed : bool
        Whether panels hold its matrices transposed.
    filter_sizes : tuple of int
        Of a filter of a convolution, if the matrices are its groups; else none. Those of integers
        are matrices where channels of a pixel lie next to each other: then they are transposed.
    data_type : TensorDataType or None
        Of a matrix of weights that is stored in words (arithmetic/stored_weights.py): that of its
        numbers.
    """

    sizes: tuple[int, ...]
    is_transposed: bool
    filter_sizes: tuple[int, ...] = ()
    data_type: TensorDataType | None = None

    @property
    def columns(self) -> int:
        """How many columns the matrices have that panels hold."""
        return self.sizes[-2 if self.is_transposed else -1]

    @property
    def pixel_groups(self) -> int:
        """How many groups a filter of integers over pixels has; else 0."""
        filters, channels, *_ = self.filter_sizes or (0, 0)
        by_channels = self.sizes[0] == channels == 1
        return (filters if by_channels else self.sizes[0]) if self.is_transposed else 0


def in_panels_of(panels: Panels, elements: Any) -> InPanels | IntegersInPanels | Stored:
    """Return what is in panels, as words take it."""
    sizes, is_transposed, filter_sizes, data_type = panels
    if data_type is not None:
        depth, columns = sizes[::-1] if is_transposed else sizes
        return Stored(elements, (depth, columns), data_type, is_transposed)
    if elements.dtype.kind == "f":
        return InPanels(elements, panels.columns, is_transposed, filter_sizes)
    if filter_sizes:
        groups = panels.pixel_groups
        return IntegersInPanels(elements, filter_sizes, is_filter=True, group_count=groups)
    if is_transposed:
        sizes = (*sizes[:-2], sizes[-1], sizes[-2])
    return IntegersInPanels(elements, sizes, is_transposed=is_transposed)
