"""Operators that cannot be said, and why."""

from __future__ import annotations

from typing import NoReturn

from indirectml.core.errors import ModelError
from indirectml.onnx_import.nodes import Handler, Node, handler

_SIZES = "has outputs whose sizes depend on data; DirectML's sizes are fixed"
_SEQUENCE = "is about sequences or optional values; DirectML has tensors"
_TEXT = "is about text or pictures in files; DirectML has numbers"

_REASONS = {
    **dict.fromkeys(("NonMaxSuppression", "Unique"), _SIZES),
    **dict.fromkeys(
        (
            "ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement",
            "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert",
            "SequenceLength", "SequenceMap", "SplitToSequence",
        ),
        _SEQUENCE,
    ),
    **dict.fromkeys(
        (
            "ImageDecoder", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit",
            "TfIdfVectorizer",
        ),
        _TEXT,
    ),
}  # fmt: skip


def _refusing(reason: str) -> Handler:
    def refuse(_: Node) -> NoReturn:
        raise ModelError(reason)

    return refuse


for _operator, _reason in _REASONS.items():
    handler(_operator, is_folded=False)(_refusing(_reason))
