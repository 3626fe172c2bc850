"""Whether a script for the `directml` package calls the same things here, in the same way."""

from __future__ import annotations

import inspect
import operator

import pytest

import indirectml as dml
from tests.package_signatures import package_signatures

SIGNATURES = package_signatures()

#: What stands here besides. Nothing of it has to be given.
OURS = {
    "Device": {"name", "feature_level", "sequence_rule", "like"},
    "Graph.constant": {"copy"},
    "CompiledGraph.dispatch": {"out"},
    "CompiledGraph.__call__": {"out"},
    "resample_grad": {"rounding_direction"},
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_takes_what_the_package_takes(name: str) -> None:
    ours = inspect.signature(operator.attrgetter(name)(dml)).parameters
    expected = SIGNATURES[name].parameters

    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = {n: p for n, p in ours.items() if n not in OURS.get(name, ()) and p.kind not in several}

    assert all(ours[n].default is not inspect.Parameter.empty for n in OURS.get(name, ()))
    assert [(n, p.kind) for n, p in found.items()] == [(n, p.kind) for n, p in expected.items()]
    # What the package asks for may have a default here.
    given = {n: p.default for n, p in expected.items() if p.default is not p.empty}
    assert {n: found[n].default for n in given} == given
