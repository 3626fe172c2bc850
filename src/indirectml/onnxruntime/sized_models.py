"""One model for the sizes that come, as a session has it: what decides sizes is known by itself."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from indirectml.onnx_import.model import OnnxModel, OnnxModelError, read_source
from indirectml.onnx_import.sources import Source
from indirectml.onnx_import.values import Array
from indirectml.onnxruntime.options import say_once
from indirectml.runtime import Device

#: An input that may decide sizes (a shape, a sampling rate, factors) has at most one dimension, and
#: not more elements.
_MOST_DECIDING = 64


class SizedModels:
    """The compiled models of one source; any number of threads may call.

    Parameters
    ----------
    source : path or onnx.ModelProto
        As for `load_onnx`.
    device : Device or None
        What runs it.
    kept : int
        How many compiled models are kept, at least 1.
    fixed : dict
        Arrays that inputs have once and for all.
    """

    def __init__(
        self, source: Any, device: Device | None, kept: int, fixed: Mapping[str, Array]
    ) -> None:
        self._source, self._device, self._kept, self._fixed = source, device, kept, fixed
        self._deciding: frozenset[str] = frozenset()
        self._read: Source | None = None
        self._lock = threading.Lock()

    @property
    def models(self) -> list[OnnxModel]:
        """Return the models that are kept, the one used last at the end."""
        read = self._read
        return [] if read is None else [OnnxModel.of(read, each) for each in read.found]

    def prepare(self, feed: Mapping[str, Array]) -> None:
        """Compile for the sizes of arrays whose elements say nothing yet.

        Raises
        ------
        OnnxModelError, ModelError
            As for `load_onnx`, unless the elements of an input may decide otherwise.
        """
        read = self._source_read()
        try:
            read.sized({name: array.shape for name, array in feed.items()})
        except OnnxModelError as error:
            if not any(_may_decide(feed.get(name)) for name in error.asked):
                raise

    def model(self, feed: Mapping[str, Array], given: Mapping[str, Array]) -> OnnxModel:
        """Return the model for the sizes of arrays; `given` are known while compiling.

        Raises
        ------
        OnnxModelError, ModelError
            As for `load_onnx`.
        """
        read = self._source_read()
        while True:
            deciding = self._deciding
            known = {name: feed[name] for name in deciding}
            sizes = {name: array.shape for name, array in feed.items() if name not in known}
            try:
                return OnnxModel.of(read, read.sized(sizes, {**given, **known}))
            except OnnxModelError as error:
                more = {name for name in error.asked if _may_decide(feed.get(name))}
                if more <= deciding:
                    raise
                self._deciding = deciding | more
                names = ", ".join(map(repr, sorted(self._deciding)))
                say_once(f"a model is compiled for each value of {names}, which have to be known")

    def _source_read(self) -> Source:
        """Return the model, read when it is first asked for."""
        with self._lock:
            if self._read is None:
                self._read = read_source(
                    self._source, self._device, constants=self._fixed, kept=self._kept
                )
            return self._read


def _may_decide(array: Array | None) -> bool:
    """Return whether an input is so small that each of its values may have a compiled model."""
    return array is not None and array.ndim <= 1 and array.size <= _MOST_DECIDING
