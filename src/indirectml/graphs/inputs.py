"""Inputs of graphs: their tensors, and the data of constants, once for all compiled graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from indirectml.core.errors import shown
from indirectml.core.mapped_memory import forget_pages
from indirectml.core.tensor_buffers import elements_of, into_halves
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.devices import Implementation
from indirectml.panels import in_panels_of
from indirectml.plans import PackStep, View


def automatic_name(number: int, kind: str = "input") -> str:
    """Return what an input is called that was given no name."""
    return f"{kind}_{number}"


class Input:
    """An input of a graph: what its expressions have in common."""

    def __init__(
        self, number: int, desc: TensorDesc, name: str, data: Any, dtype: Any = None
    ) -> None:
        self.number = number  # in the order in which the graph got them
        self.desc = desc
        self.name = name
        self.is_constant = data is not None
        #: Of the array that a constant was made of.
        self.dtype: np.dtype[Any] | None = dtype
        #: Whether it is bound at initialization.
        self.is_owned = desc.flags is TensorFlags.OWNED_BY_DML  # which tests faster than bits
        self._data = data
        self._in_panels: dict[View, Any] = {}

    def __str__(self) -> str:
        name = "" if self.name == automatic_name(self.number) else f" {shown(self.name)}"
        return f"input {self.number}{name} ({self.desc.data_type.name} {self.desc.sizes})"

    @property
    def data(self) -> Any:
        """The bytes of a constant, or None."""
        if self._data is None and self._in_panels:
            (view, raw), *_ = self._in_panels.items()
            self._data = bytes_from_panels(raw, view)
            self._data.flags.writeable = False
        return self._data

    @property
    def is_in_panels(self) -> bool:
        """Whether the data is kept in panels alone."""
        return self._data is None and bool(self._in_panels)

    def in_panels(self, step: PackStep, device: Implementation) -> Any:
        """Return a constant in panels. All compiled graphs share it; it replaces its bytes."""
        key = step.target._replace(buffer=0, offset=0)
        if key not in self._in_panels:
            self._in_panels[key] = bytes_in_panels(self.data, step, device)
            forget_pages(self._data)
            self._data = None
        return self._in_panels[key]


def bytes_in_panels(raw: Any, step: PackStep, device: Implementation) -> Any:
    """Return the bytes of a tensor of matrices in the order in which products read them."""
    memory = device.new_memory(step.target.size_bytes, zeroed=False)
    source, target = step.source._replace(buffer=0), step.target._replace(buffer=1, offset=0)
    device.execute([PackStep(source, target)], [device.upload(raw), memory])
    return memory


def bytes_from_panels(raw: Any, view: View) -> Any:
    """Return the bytes of a tensor of matrices, plain again."""
    assert view.panels is not None  # noqa: S101 (that is what is in panels)
    elements = in_panels_of(view.panels, elements_of(view.tensor, raw)).unpacked()
    data_type = view.panels.data_type
    if data_type is not None and data_type.bits < elements.itemsize * 8:
        tensor = TensorDesc(data_type, view.panels.sizes)
        halves = np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)
        into_halves(tensor, halves, elements)
        return halves
    return elements.reshape(-1).view(np.uint8)
