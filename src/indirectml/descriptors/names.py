"""Names made by rule: DirectML's spelling, Python's, and those of classes."""

from __future__ import annotations

import functools
import re

#: Words that DirectML writes in capitals.
_ACRONYMS = {"roi"}


def camel_case(name: str) -> str:
    """Return DirectML's spelling of a field: "value_start" becomes "ValueStart"."""
    return "".join(p.upper() if p in _ACRONYMS else p.capitalize() for p in name.split("_"))


@functools.lru_cache(maxsize=4096)
def snake_case(name: str) -> str:
    """Return Python's spelling of a field; `camel_case` is the way back.

    Examples
    --------
    >>> snake_case("ScaleBias"), snake_case("ATensor"), snake_case("ROITensor")
    ('scale_bias', 'a_tensor', 'roi_tensor')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def class_name(operator_name: str) -> str:
    """Return the name of an operator's descriptor class.

    Examples
    --------
    >>> class_name("ROI_ALIGN1"), class_name("UPSAMPLE_2D")
    ('RoiAlign1OperatorDesc', 'Upsample2DOperatorDesc')
    """
    words = operator_name.split("_")
    return "".join(w if w[0].isdigit() else w.capitalize() for w in words) + "OperatorDesc"


def parameter_name(field: str) -> str:
    """Return what a tensor's field is called as a parameter of a function for graphs.

    Examples
    --------
    >>> parameter_name("input_tensor"), parameter_name("a_tensor"), parameter_name("input_tensors")
    ('input', 'a', 'inputs')
    """
    return re.sub(r"_tensor(s?)$", r"\1", field)
