"""The errors of sessions: ONNX Runtime's names, each of them also the error of ours that fits."""

from __future__ import annotations

from typing import TypeVar

from indirectml.core.errors import BindingError, DirectMLError, ModelError
from indirectml.onnx_import.model import OnnxModelError


class InvalidArgument(BindingError):  # noqa: N818 (ONNX Runtime's name, as all of them)
    """An array, or a name, that does not fit the model."""


class NoSuchFile(ModelError):  # noqa: N818
    """A file that is not there."""


class InvalidProtobuf(ModelError):  # noqa: N818
    """Bytes that are no ONNX model."""


class InvalidGraph(ModelError):  # noqa: N818
    """A model that contradicts itself, or that has a version nobody here knows."""


class NotImplemented(OnnxModelError):  # noqa: A001, N818
    """A model with nodes that cannot be said in DirectML's operators; `refusals` has them."""


class Fail(DirectMLError, RuntimeError):  # noqa: N818
    """A call that cannot be carried out."""


_Kind = TypeVar("_Kind", bound=DirectMLError)


def as_kind(kind: type[_Kind], error: DirectMLError) -> _Kind:
    """Return an error as one of another kind, with the same words."""
    made = kind(error.required, given=error.given, hint=error.hint, field=error.field)
    if isinstance(made, OnnxModelError) and isinstance(error, OnnxModelError):
        made.refusals = error.refusals
    return made
