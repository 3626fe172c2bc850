"""Operators that cannot be said, and why."""

from __future__ import annotations

from typing import NoReturn

from indirectml.core.errors import ModelError
from indirectml.onnx_import.nodes import Handler, Node, handler

#: By reason, the operators that are refused for it.
_REASONS = {
    "is about text, or pictures in files; DirectML has numbers: compute it elsewhere, and give the "
    "model what it makes": """
        ImageDecoder RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer
        ai.onnx.ml.CategoryMapper
    """,
    "is about maps; DirectML has tensors: convert the model without it (zipmap=False)": """
        ai.onnx.ml.CastMap ai.onnx.ml.DictVectorizer ai.onnx.ml.ZipMap
    """,
    "draws other numbers at each call; DirectML's generator has its state in a tensor that the "
    "model would have to hand on: make the numbers an input of the model": """
        Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike
    """,
}


def _refusing(reason: str) -> Handler:
    def refuse(_: Node) -> NoReturn:
        raise ModelError(reason)

    return refuse


for _reason, _operators in _REASONS.items():
    for _operator in _operators.split():
        _domain, _, _name = _operator.rpartition(".")
        handler(_name, domain=_domain, is_folded=False)(_refusing(_reason))
