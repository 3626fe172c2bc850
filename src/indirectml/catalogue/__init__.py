"""Facts about all 177 operators of DirectML, as data: fields, numbers, tensor support.

The data is read when the first operator is asked for, not at import. `operators.json` holds one
operator a line: its number, the feature level that introduced it, its fields in the order of
DirectML's C structure, and for each feature level that changed something the dimension counts and
data types of each tensor (as numbers of entries of `data_type_sets`). "same" lists what tensors
have in common; "in_place" says that an output may lie on an input; "fusion" that the operator may
be another one's fused activation; "support_by_function" is what REDUCE promises of each of its
functions.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from typing import Any

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DescriptorError, shown
from indirectml.core.nearest_names import nearest_name
from indirectml.core.records import record

OPERATOR_PREFIX = "DML_OPERATOR_"


@record()
class FieldFacts:
    """One field of an operator descriptor.

    Attributes
    ----------
    name : str
        DirectML's name, such as "OutputTensor".
    kind : str
        "input_tensor", "output_tensor" or "attribute".
    type : str
        "TENSOR_DESC", "UINT", "SCALAR_UNION" and so on.
    optional, array : bool
        Whether it may be left out; whether it is an array.
    count_field : str or None
        The field that holds the array's length.
    """

    name: str
    kind: str
    type: str
    optional: bool = False
    array: bool = False
    count_field: str | None = None


@record()
class TensorSupport:
    """What one tensor of an operator may be at one feature level.

    `data_types` is None where the published page lists none.
    """

    minimum_dimension_count: int
    maximum_dimension_count: int
    data_types: tuple[TensorDataType, ...] | None


@record()
class Fusion:
    """Where an operator may be the fused activation.

    Attributes
    ----------
    since : str
        From this feature level on.
    by : tuple of str
        Only of these operators; of all that have the field FusedActivation if empty.
    """

    since: str
    by: tuple[str, ...]


#: By feature level, then by field name.
Support = dict[str, dict[str, TensorSupport]]


@record()
class OperatorFacts:
    """What is known of one operator.

    Attributes
    ----------
    name : str
        Without prefix.
    number : int
        Its value in DML_OPERATOR_TYPE.
    introduced : str
        The feature level that introduced it.
    fields : tuple of FieldFacts
        In the order of DirectML's structure.
    support : dict
        What each tensor may be, by feature level, then by field name.
    same : tuple
        What tensors have in common: pairs of properties ("DataType", "DimensionCount", "Sizes")
        and the fields that share them.
    in_place : bool
        Whether an output may lie on an input that has the same layout.
    fusion : Fusion or None
        Where it may be a fused activation; None for nowhere.
    support_by_function : dict
        For operators that are several functions: `support` of each, by its name.
    """

    name: str
    number: int
    introduced: str
    fields: tuple[FieldFacts, ...]
    support: Support
    same: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    in_place: bool
    fusion: Fusion | None
    support_by_function: dict[str, Support]


@functools.cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(pkgutil.get_data(__name__, "operators.json") or "")
    return data


def operator_names() -> tuple[str, ...]:
    """Return the names of all operators, without prefix, in the order of their numbers."""
    return tuple(_data()["operators"])


@functools.cache
def operator_facts(name: str) -> OperatorFacts:
    """Return the facts of one operator, whose prefix DML_OPERATOR_ is optional.

    Raises
    ------
    DescriptorError
        DirectML has no such operator.

    Examples
    --------
    >>> operator_facts("DML_OPERATOR_FILL_VALUE_SEQUENCE").number
    104
    """
    short = name.removeprefix(OPERATOR_PREFIX)
    data = _data()
    found = data["operators"].get(short)
    if found is None:
        nearest = nearest_name(short, data["operators"], cutoff=0.6)
        raise DescriptorError(
            "needs the name of a DirectML operator",
            given=shown(name),
            hint=f"did you mean {nearest}" if nearest else None,
        )
    fields = tuple(
        FieldFacts(field, kind, type_, **(rest[0] if rest else {}))
        for field, kind, type_, *rest in found["fields"]
    )
    return OperatorFacts(
        short,
        found["value"],
        found["introduced"],
        fields,
        _support(found["support"]),
        tuple((tuple(what), tuple(tensors)) for what, tensors in found.get("same", ())),
        found.get("in_place", False),
        _fusion(found),
        {name: _support(s) for name, s in found.get("support_by_function", {}).items()},
    )


def _fusion(found: dict[str, Any]) -> Fusion | None:
    facts = found.get("fusion")
    if facts is None:
        return None
    return Fusion(facts.get("since", found["introduced"]), tuple(facts.get("by", ())))


@functools.cache
def _data_type_sets() -> tuple[tuple[TensorDataType, ...], ...]:
    return tuple(tuple(TensorDataType[t] for t in names) for names in _data()["data_type_sets"])


def _support(by_level: dict[str, dict[str, list[Any]]]) -> Support:
    sets = _data_type_sets()
    return {
        level: {
            tensor: TensorSupport(low, high, None if types is None else sets[types])
            for tensor, (low, high, types) in tensors.items()
        }
        for level, tensors in by_level.items()
    }
