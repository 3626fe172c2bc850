"""Every operator exported to ONNX gives elsewhere what it gives here, or is refused by name.

`python -m tests.onnx_export.evidence` runs all cases, and writes docs/onnx-operators.md.
"""

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import definition, implemented_operators
from indirectml.onnx_export.forms import form_of
from tests.onnx_export.bounds import BOUNDS, WITHOUT_CORNERS
from tests.onnx_export.cases import cases_of, with_corners
from tests.onnx_export.running import compare, computed, exported, run_elsewhere

#: Cases of each operator that are tried here.
SOME = 4

#: An opset with newer versions of many operators, which ONNX Runtime has too.
LATER = 21

EXPORTED = [name for name in implemented_operators() if form_of(name) is not None]


@pytest.mark.parametrize("name", EXPORTED)
def test_gives_elsewhere_what_it_gives_here(name):
    for case in cases_of(name, SOME):
        # By functions of the model, and by the nodes that they stand for, in turn.
        found, where, _ = compare(case, functions=case.number % 2 == 0)

        assert is_within_bound(name, found), f"{case.label} by {where}: {found}"


def is_within_bound(name, found):
    bound = BOUNDS.get(definition(name).name)
    return found.is_equal if bound is None else found.share <= bound


@pytest.mark.parametrize("name", EXPORTED)
def test_gives_the_same_for_a_later_opset(name):
    case = cases_of(name, SOME)[-1]
    try:
        found, where, _ = compare(case, LATER)
    except dml.DirectMLError as error:
        assert "needs opset 26" in str(error)  # noqa: PT017 (what BitCast needs)
    else:
        assert is_within_bound(name, found), f"{case.label} by {where}: {found}"


@pytest.mark.parametrize(
    "name", [name for name in EXPORTED if definition(name).name not in WITHOUT_CORNERS]
)
def test_nan_and_infinities_are_where_they_are_here(name):
    for case in cases_of(name, SOME // 2):
        corners = with_corners(case)
        found, _ = run_elsewhere(exported(corners), corners.arrays)

        with np.errstate(all="ignore"):
            expected = computed(corners)
        for actual, wanted in zip(found, expected, strict=True):
            if wanted.dtype.kind == "f":
                for is_special in (np.isnan, np.isposinf, np.isneginf):
                    assert (is_special(actual) == is_special(wanted)).all(), corners.label
            else:
                assert (np.asarray(actual) == wanted).all(), corners.label
