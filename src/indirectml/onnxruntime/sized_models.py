"""One model for the sizes that come: compiled for each, the ones used last kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from indirectml.onnx_import.model import OnnxModel, OnnxModelError, load_onnx
from indirectml.onnx_import.values import Array
from indirectml.onnxruntime.options import say_once
from indirectml.runtime import Device

#: An input that may decide sizes (a shape, a sampling rate, factors) has at most one dimension, and
#: not more elements.
_MOST_DECIDING = 64

#: Sizes of all inputs, and the bytes of those that are known while compiling.
_Key = tuple[tuple[str, tuple[int, ...], bytes | None], ...]


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
    """

    def __init__(self, source: Any, device: Device | None, kept: int) -> None:
        self._source, self._device, self._kept = source, device, kept
        self._deciding: frozenset[str] = frozenset()
        self._models: OrderedDict[_Key, OnnxModel] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def models(self) -> list[OnnxModel]:
        """Return the models that are kept, the one used last at the end."""
        with self._lock:
            return list(self._models.values())

    def prepare(self, feed: Mapping[str, Array], fixed: Mapping[str, Array]) -> None:
        """Compile for the sizes of arrays whose elements say nothing yet.

        Raises
        ------
        OnnxModelError, ModelError
            As for `load_onnx`, unless the elements of an input may decide otherwise.
        """
        with self._lock:
            sizes = {name: array.shape for name, array in feed.items()}
            try:
                made = load_onnx(self._source, self._device, sizes=sizes, constants=fixed)
            except OnnxModelError:
                if not self._may_decide(feed):
                    raise
                return
            self._models[self._key(feed, fixed, self._deciding)] = made

    def model(self, feed: Mapping[str, Array], fixed: Mapping[str, Array]) -> OnnxModel:
        """Return the model for the sizes of arrays; `fixed` are known while compiling.

        Raises
        ------
        OnnxModelError, ModelError
            As for `load_onnx`.
        """
        with self._lock:
            key = self._key(feed, fixed, self._deciding)
            if key not in self._models:
                made = self._compiled(feed, fixed)
                key = self._key(feed, fixed, self._deciding)
                self._models[key] = made
            self._models.move_to_end(key)
            while len(self._models) > self._kept:
                self._models.popitem(last=False)
            return self._models[key]

    @staticmethod
    def _key(feed: Mapping[str, Array], fixed: Mapping[str, Array], deciding: Any) -> _Key:
        def of(name: str, array: Array) -> Any:
            is_known = name in deciding or name in fixed
            return name, array.shape, array.tobytes() if is_known else None

        return tuple(of(name, array) for name, array in sorted({**feed, **fixed}.items()))

    def _compiled(self, feed: Mapping[str, Array], fixed: Mapping[str, Array]) -> OnnxModel:
        """Return the model, with as few inputs as possible known while compiling."""
        refusals = []
        for deciding in self._choices(feed):
            constants = {**fixed, **{name: feed[name] for name in deciding}}
            sizes = {name: a.shape for name, a in feed.items() if name not in deciding}
            try:
                made = load_onnx(self._source, self._device, sizes=sizes, constants=constants)
            except OnnxModelError as error:
                refusals.append(error)
                continue
            if deciding != self._deciding:
                self._deciding = deciding
                names = ", ".join(map(repr, sorted(deciding)))
                say_once(f"a model is compiled for each value of {names}, which decide its sizes")
            return made
        raise refusals[-1]  # what is refused even if all is known that may be

    def _choices(self, feed: Mapping[str, Array]) -> Iterator[frozenset[str]]:
        """Yield which inputs to take as known: what sufficed before, then more, the smallest first.

        A refusal does not say which input it is about, and few inputs are so small.
        """
        yield self._deciding
        left = [name for name in self._may_decide(feed) if name not in self._deciding]
        for count in range(1, len(left) + 1):
            yield self._deciding.union(left[:count])

    @staticmethod
    def _may_decide(feed: Mapping[str, Array]) -> list[str]:
        """Return the inputs that are small, integers and the smallest first."""
        found = [n for n, a in feed.items() if a.ndim <= 1 and a.size <= _MOST_DECIDING]
        return sorted(found, key=lambda name: (feed[name].dtype.kind == "f", feed[name].size))
